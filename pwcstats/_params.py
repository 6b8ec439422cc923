"""Checks of parameters: each takes the value and the parameter's name, and returns the value with its proper type."""

import math
import numbers
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from pwcstats._text import did_you_mean, listed, shown
from pwcstats.errors import InputError, arg, code, value

__all__ = [
    "choice",
    "count",
    "flag",
    "index_of",
    "is_whole",
    "jobs",
    "level",
    "number",
    "optional_choice",
    "random_state",
    "seed",
]


def choice(given: Any, options: Iterable[str], name: str) -> str:
    """One of several strings."""
    return _one_of(given, list(options), name, "")


def optional_choice(given: Any, options: Iterable[str], name: str) -> str | None:
    """One of several strings, or None."""
    return None if given is None else _one_of(given, list(options), name, f", {value(None)}")


def _one_of(given: Any, options: list[str], name: str, more: str) -> str:
    if isinstance(given, str) and given in options:
        return str(given)
    known = ", ".join(map(value, options))
    raise InputError(f"{arg(name)} must be one of {known}{more}, got {value(given)}.{did_you_mean(given, options)}")


def is_whole(given: Any) -> bool:
    """Whether a value is an integer of any type, and no bool."""
    return isinstance(given, numbers.Integral) and not isinstance(given, bool)


def count(given: Any, name: str, least: int = 1) -> int:
    """A whole number of at least `least`."""
    if is_whole(given) and int(given) >= least:
        return int(given)
    raise InputError(f"{arg(name)} must be a whole number of at least {least}, got {value(given)}.")


def number(
    given: Any,
    name: str,
    what: str = "a number",
    is_valid: Callable[[float], bool] = math.isfinite,
    *,
    of: str = "",
    cure: str = "",
) -> float:
    """A number, and no bool, for which `is_valid` is true; `what` says in the error which numbers are valid.

    `of` follows the name of the parameter (" of class 'a'"), and `cure` ends the error.
    """
    if isinstance(given, numbers.Real) and not isinstance(given, bool) and is_valid(float(given)):
        return float(given)
    raise InputError(f"{arg(name)}{of} must be {what}, got {value(given)}{cure}.")


def level(given: Any, name: str = "alpha") -> float:
    """A number between 0 and 1."""
    return number(given, name, "a number between 0 and 1", lambda x: 0.0 < x < 1.0)


def flag(given: Any, name: str) -> bool:
    """True or False."""
    if isinstance(given, (bool, np.bool_)):
        return bool(given)
    raise InputError(f"{arg(name)} must be {value(True)} or {value(False)}, got {value(given)}.")


def seed(given: Any, name: str = "random_state") -> int | None:
    """A seed: a whole number of at least 0, or None for a random one."""
    if given is None:
        return None
    if is_whole(given) and int(given) >= 0:
        return int(given)
    raise InputError(f"{arg(name)} must be a whole number of at least 0, or {value(None)}, got {value(given)}.")


def random_state(given: Any, name: str = "random_state") -> None:
    """What scikit-learn takes as `random_state`: None, a whole number from 0 to 2**32 - 1, or a RandomState."""
    if given is None or given is np.random or isinstance(given, np.random.RandomState):
        return
    if not is_whole(given) or given < 0:
        raise InputError(
            f"{arg(name)} must be a whole number of at least 0, a {code('RandomState')} or {value(None)}, got "
            f"{value(given)}."
        )
    if given >= 2**32:
        raise InputError(f"{arg(name)} must be at most {2**32 - 1}, got {value(given)}.")


def jobs(given: Any, name: str = "n_jobs") -> int | None:
    """A number of parallel jobs as joblib counts them: None, or a whole number other than 0."""
    if given is None:
        return None
    if is_whole(given) and given != 0:
        return int(given)
    raise InputError(
        f"{arg(name)} must be a whole number other than 0 (-1: all cores), or left out, got {value(given)}."
    )


def index_of(given: Any, labels: pd.Index, name: str, what: str = "items") -> int:
    """Index of a label among the labels of the items (or of `what`)."""
    index = labels.get_indexer(pd.Index([given]))[0] if isinstance(given, Hashable) else -1
    if index < 0:
        hint = did_you_mean(given, labels)
        raise InputError(f"{arg(name)} must be one of the {what} {listed(labels)}, got {shown(given)}.{hint}")
    return int(index)
