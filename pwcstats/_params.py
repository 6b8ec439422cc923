"""Checks of parameters: each takes the value and the parameter's name, and returns the value with its proper type."""

import numbers
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from pwcstats._text import listed, shown
from pwcstats.errors import InputError, arg, value

__all__ = ["choice", "count", "flag", "index_of", "jobs", "level", "optional_choice", "seed"]


def choice(given: Any, options: Iterable[str], name: str) -> str:
    """One of several strings."""
    return _one_of(given, list(options), name, "")


def optional_choice(given: Any, options: Iterable[str], name: str) -> str | None:
    """One of several strings, or None."""
    return None if given is None else _one_of(given, list(options), name, f", {value(None)}")


def _one_of(given: Any, options: list[str], name: str, more: str) -> str:
    if isinstance(given, str) and given in options:
        return given
    known = ", ".join(map(value, options))
    raise InputError(f"{arg(name)} must be one of {known}{more}, got {value(given)}.")


def count(given: Any, name: str, least: int = 1) -> int:
    """A whole number of at least `least`."""
    if isinstance(given, numbers.Integral) and not isinstance(given, bool) and int(given) >= least:
        return int(given)
    raise InputError(f"{arg(name)} must be a whole number of at least {least}, got {value(given)}.")


def level(given: Any, name: str = "alpha") -> float:
    """A number between 0 and 1."""
    if isinstance(given, numbers.Real) and not isinstance(given, bool) and 0.0 < float(given) < 1.0:
        return float(given)
    raise InputError(f"{arg(name)} must be a number between 0 and 1, got {value(given)}.")


def flag(given: Any, name: str) -> bool:
    """True or False."""
    if isinstance(given, (bool, np.bool_)):
        return bool(given)
    raise InputError(f"{arg(name)} must be {value(True)} or {value(False)}, got {value(given)}.")


def seed(given: Any, name: str = "random_state") -> int | None:
    """A seed: a whole number of at least 0, or None for a random one."""
    return None if given is None else count(given, name, 0)


def jobs(given: Any, name: str = "n_jobs") -> int | None:
    """A number of parallel jobs as joblib counts them: None, or a whole number other than 0."""
    if given is None:
        return None
    if isinstance(given, numbers.Integral) and not isinstance(given, bool) and given != 0:
        return int(given)
    raise InputError(
        f"{arg(name)} must be a whole number other than 0 (-1: all cores), or left out, got {value(given)}."
    )


def index_of(given: Any, labels: pd.Index, name: str, what: str = "items") -> int:
    """Index of a label among the labels of the items (or of `what`)."""
    index = labels.get_indexer(pd.Index([given]))[0] if isinstance(given, Hashable) else -1
    if index < 0:
        raise InputError(f"{arg(name)} must be one of the {what} {listed(labels)}, got {shown(given)}.")
    return int(index)
