"""The papers' tables and figures, at any size."""

from pwcstats.studies.recorded import recorded

__all__ = ["recorded"]
