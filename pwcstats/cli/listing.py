"""``pwcstats datasets``: list the data sets that can be loaded."""

import argparse
from typing import Any

from pwcstats.cli import writing
from pwcstats.datasets import catalogue


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = writing.add_command(
        commands,
        "datasets",
        "list the real data sets and where they come from",
        "List the data sets of pwcstats.datasets.load with their sizes and the packages that contain them.",
        "pwcstats datasets --json",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print the list."""
    table = catalogue().astype(object)
    text = table.where(table.notna(), "").to_string(index=False)
    writing.emit(options, text, table.where(table.notna(), None), heads=text.split("\n")[:1])
