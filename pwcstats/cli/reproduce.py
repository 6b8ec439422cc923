"""``pwcstats reproduce``: recompute the tables and figures of five papers."""

import argparse
import sys
from typing import Any, get_args

from pwcstats._text import visible
from pwcstats.cli import terminal, writing
from pwcstats.errors import InputError, PwcError
from pwcstats.studies import STUDIES
from pwcstats.studies.running import Size


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = writing.add_command(
        commands,
        "reproduce",
        "recompute the tables and figures of five papers",
        "Recompute tables and figures of the papers and compare them with the printed numbers. Tables are written to "
        "a folder as .csv and .txt, figures as .png, and all of them to report.html, which needs no other file.\n\n"
        f"NAME is all, a study ({', '.join(STUDIES).replace('_', '-')}), or one of its tables and "
        "figures, for example szepannek.table3. Some need data sets from other packages; `pwcstats datasets` lists "
        "what to install. If a data set is missing, the other tables and figures still run.\n\n"
        "Finished parts are kept in the folder: if the command is stopped, run it again to continue.",
        "pwcstats reproduce szepannek --size paper --jobs 2",
        out=False,
    )
    parser.add_argument("names", metavar="NAME", nargs="+", help="all, a study, or study.table")
    parser.add_argument(
        "--size",
        choices=get_args(Size),
        default="quick",
        help="quick takes some minutes, paper has the sizes of the papers (default: %(default)s)",
    )
    parser.add_argument(
        "--out", metavar="DIR", default="pwcstats-reproduce", help="folder of the results (default: %(default)s)"
    )
    parser.add_argument(
        "--jobs", type=writing.count, default=-1, metavar="N", help="number of parallel jobs (default: one per core)"
    )
    parser.add_argument(
        "--seed", type=writing.seed, default=0, help="seed from which all others derive (default: %(default)s)"
    )
    terminal.add_progress(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Reproduce the exhibits and print a line for each."""
    from pwcstats.studies import reproduction  # slow to import, and --help does not need it

    try:
        reproduction.selected(options.names)
    except InputError as error:
        options.parser.error(error.message.render(options.vocabulary))
    try:
        outcomes = reproduction.reproduce(
            options.names,
            size=options.size,
            out=options.out,
            random_state=options.seed,
            n_jobs=options.jobs,
            progress=terminal.has_progress(options),
            say=None if options.json else lambda line: print(visible(line), flush=True),
        )
    except KeyboardInterrupt:
        print("pwcstats: stopped; run the same command again to continue.", file=sys.stderr)
        raise
    document = {
        "size": options.size,
        "seed": options.seed,
        "report": f"{options.out}/report.html",
        "exhibits": [
            {
                "study": outcome.study,
                "exhibit": outcome.exhibit.name,
                "title": outcome.exhibit.title,
                "seconds": outcome.seconds,
                "error": outcome.error or outcome.trouble or None,
                "files": [str(file) for file in outcome.files],
                "rows": outcome.table if outcome.table is not None else [],
            }
            for outcome in outcomes
        ],
    }
    summary = reproduction.summary(outcomes)
    line = f"{summary}: {document['report']}"
    writing.emit(options, line, document, headings=[line])
    if any(outcome.error or outcome.trouble for outcome in outcomes):
        raise PwcError(f"{summary}.")
