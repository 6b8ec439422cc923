"""``pwcstats reproduce``: tables and figures of the five papers."""

import argparse
import sys
from typing import Any

from pwcstats._text import visible
from pwcstats.cli import writing
from pwcstats.errors import InputError, PwcError


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = writing.add_command(
        commands,
        "reproduce",
        "run the tables and figures of the five papers",
        "Compute tables and figures of the papers again, and write them into a folder beside the printed numbers: "
        "tables as .csv and .txt, pictures as .png, and all of them in report.html, which needs no other file.\n\n"
        "NAME is all, a study (hastie-tibshirani, wu-lin-weng, chang, szepannek, sulzmann), or one of its tables and "
        "figures, as in szepannek.table3. Some of them need data sets that `pwcstats datasets` lists with the packages "
        "to install; the others are run all the same.\n\n"
        "What is done is kept in the folder: a command that was stopped or killed goes on when it is given again.",
        "pwcstats reproduce szepannek --size paper --jobs 2",
        out=False,
    )
    parser.add_argument("names", metavar="NAME", nargs="+", help="all, a study, or study.table")
    parser.add_argument(
        "--size", choices=("quick", "paper"), default="quick", help="some minutes, or the paper's sizes (%(default)s)"
    )
    parser.add_argument("--out", metavar="DIR", default="pwcstats-reproduce", help="the folder (%(default)s)")
    parser.add_argument("--jobs", type=_jobs, default=-1, help="parts to run at the same time (all cores)")
    parser.add_argument("--seed", type=writing.seed, default=0, help="what all seeds derive from (%(default)s)")
    parser.set_defaults(run=lambda options: run(options, parser))


def _jobs(word: str) -> int:
    if not word.isdecimal() or int(word) == 0:
        raise argparse.ArgumentTypeError(f"must be a whole number of 1 or more, got {word!r}")
    return int(word)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Run, write, and print a line for each exhibit."""
    from pwcstats.studies import reproduction  # slow to import: --help should not wait for it

    try:
        reproduction.selected(options.names)
    except InputError as error:
        parser.error(str(error))
    try:
        outcomes = reproduction.reproduce(
            options.names,
            size=options.size,
            out=options.out,
            random_state=options.seed,
            n_jobs=options.jobs,
            progress=sys.stderr.isatty(),
            say=None if options.json else lambda line: print(visible(line), flush=True),
        )
    except KeyboardInterrupt:
        print("pwcstats: stopped; the same command goes on from here.", file=sys.stderr)
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
    words = reproduction.summary(outcomes)
    writing.emit(options, f"{words}: {document['report']}", document)
    if any(outcome.error or outcome.trouble for outcome in outcomes):
        raise PwcError(f"{words}.")
