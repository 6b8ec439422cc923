"""``pwcstats demo``: examples, in short on the terminal and with pictures on a page."""

import argparse
import textwrap
from pathlib import Path
from typing import Any

from pwcstats.cli import terminal, writing


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = writing.add_command(
        commands,
        "demo",
        "show examples, and how to repeat them with your data",
        "Run examples: class probabilities from a support vector machine, a leaderboard with rank intervals, a "
        "logistic regression with an infinite coefficient, and a comparison of classifiers. Prints the results and the "
        "lines of Python that made them, and writes a page with pictures to a folder, with the data as CSV files. This "
        "takes less than a minute.",
        "pwcstats demo --out folder",
        out=False,
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        default=Path("pwcstats-demo"),
        help="folder of the page (default: %(default)s)",
    )
    terminal.add_progress(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Run the examples, print their results and write the page."""
    # Slow to import, and --help does not need it.
    import matplotlib

    from pwcstats.studies import demo, demo_page

    matplotlib.use("Agg")
    options.out.mkdir(parents=True, exist_ok=True)
    findings = []
    with terminal.progress_bar(options, len(demo.SECTIONS), "examples") as bar:
        for section in demo.SECTIONS:
            findings.append(demo.run(section))
            bar.update()
    files = demo_page.write_data(options.out)
    page = demo_page.write_page(options.out, findings)
    both = list(zip(demo.SECTIONS, findings, strict=True))
    titles = [f"{number}. {section.title}" for number, section in enumerate(demo.SECTIONS, 1)]
    last = f"Pictures, and how to do this with your data: {page}"
    text = [f"{title}\n{_as_text(*each)}" for title, each in zip(titles, both, strict=True)]
    document = {
        "examples": [
            {
                "name": section.name,
                "title": section.title,
                "code": section.code,
                "result": finding.sentence,
                "tables": [
                    {"caption": caption, "rows": table.reset_index()} for caption, table in finding.tables.items()
                ],
            }
            for section, finding in both
        ],
        "files": [str(file) for file in files],
        "page": str(page),
    }
    writing.emit(options, "\n\n".join([*text, last]), document, headings=[*titles, last])


def _as_text(section: Any, finding: Any) -> str:
    from pwcstats.studies import demo

    tables = "\n\n".join(
        f"{textwrap.fill(caption, writing.WIDTH)}\n{demo.in_text(table).rename_axis(index=None).to_string()}"
        for caption, table in finding.tables.items()
    )
    code = textwrap.indent(section.code.rstrip(), "    ")
    return f"{textwrap.fill(finding.sentence, writing.WIDTH)}\n\n{tables}\n\n{code}"
