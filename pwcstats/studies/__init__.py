"""Tables and figures of five papers, recomputed at any size."""

from importlib import import_module
from typing import Any

from pwcstats.studies.recorded import recorded
from pwcstats.studies.running import STUDIES

__all__ = ["STUDIES", "chang", "hastie_tibshirani", "recorded", "sulzmann", "szepannek", "wu_lin_weng"]


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """Import a study when it is first used, because it needs much of the package."""
    if name in __all__:
        return import_module(f"pwcstats.studies.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
