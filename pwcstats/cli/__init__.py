"""The command line program ``pwcstats``."""

from pwcstats.cli.program import main

__all__ = ["main"]
