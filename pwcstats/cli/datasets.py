"""``pwcstats datasets``: list the data sets, or print one of them."""

import argparse
from typing import Any

from pwcstats._files import as_csv, has_row_names
from pwcstats.cli import writing
from pwcstats.datasets import catalogue, load


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = writing.add_command(
        commands,
        "datasets",
        "list the data sets for trying things out, or print one",
        "List the data sets with their sizes and the packages that contain them. With NAME, print that data set as "
        "CSV.",
        "pwcstats datasets arena --out arena.csv",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="a data set of the list")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print the list, or a data set."""
    if options.name is None:
        table = catalogue().astype(object)
        text = table.where(table.notna(), "").to_string(index=False)
        writing.emit(options, text, table.where(table.notna(), None), headings=text.split("\n")[:1])
        return
    frame = load(options.name).frame
    writing.emit(options, as_csv(frame), frame.reset_index() if has_row_names(frame) else frame, is_csv=True)
