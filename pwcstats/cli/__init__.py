"""The command line, ``pwcstats ...``."""

from pwcstats.cli.program import main

__all__ = ["main"]
