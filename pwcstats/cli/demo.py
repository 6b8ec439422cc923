"""``pwcstats demo``: compare five classifiers on three data sets."""

import argparse
import sys
import textwrap
from pathlib import Path
from typing import Any

from pwcstats.cli import writing


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = writing.add_command(
        commands,
        "demo",
        "compare five classifiers on three data sets; write a page with pictures",
        "Cross-validate five classifiers on three data sets that ship with scikit-learn, compare them, and write a "
        "page with pictures. This takes a minute or two.",
        "pwcstats demo --out folder",
        out=False,
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, default=Path("pwcstats-demo"), help="folder for the page (%(default)s)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print the demo's table and write its page."""
    from pwcstats.studies import demo  # slow to import, and --help does not need it

    options.out.mkdir(parents=True, exist_ok=True)
    scores = demo.scores(n_jobs=-1, progress=sys.stderr.isatty())
    table = demo.table(scores)
    page = demo.write_page(options.out, scores)
    text = [
        textwrap.fill(demo.ABOUT_TABLE, writing.WIDTH),
        "",
        table.to_string(float_format="{:.3f}".format),
        "",
        f"The same with pictures, mean ranks and an example of coupling: {page}",
    ]
    rows = table.stack(0, future_stack=True).rename_axis(["method", "dataset"]).reset_index()
    document = {"methods": rows, "ranks": demo.compared(scores).table.reset_index(), "page": str(page)}
    writing.emit(options, "\n".join(text), document)
