"""Scores of two methods: read them, pair them up, take their differences."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, cast, get_args

import numpy as np
import pandas as pd

from pwcstats import _params
from pwcstats._arrays import Array, as_float
from pwcstats._text import counted, listed, shape_of
from pwcstats.errors import InputError, arg, code, value

Alternative = Literal["two-sided", "greater", "less"]
# Two differences (or two scores) that differ by less than this, relative to the scores, are equal up to rounding.
ROUNDING = 64 * np.finfo(float).eps
# Sums and differences of scores up to this size do not overflow.
LARGEST = 1e304


class NoSpreadError(InputError):
    """All differences are equal and not 0, so that a test of their mean is not defined."""


class Pair(NamedTuple):
    """Paired scores of two methods, and the names of the methods."""

    a: Array
    b: Array
    name_a: str
    name_b: str

    @property
    def differences(self) -> Array:
        """Differences a - b. Sizes that are equal up to rounding, such as 0.9 - 0.8 and 0.8 - 0.7, are made equal."""
        a, b = self.a.ravel(), self.b.ravel()
        d = a - b
        return np.copysign(_without_rounding(np.abs(d), ROUNDING * np.maximum(np.abs(a), np.abs(b))), d)


def _without_rounding(sizes: Array, errors: Array) -> Array:
    """Nonnegative numbers; one that exceeds the next smaller one by no more than its error is set to that one."""
    order = np.argsort(sizes)
    error = errors[order]
    steps = np.diff(sizes[order], prepend=0.0) > np.maximum(error, np.append(0.0, error[:-1]))
    firsts = np.concatenate([[0.0], sizes[order][steps]])
    rounded = np.empty_like(sizes)
    rounded[order] = firsts[np.cumsum(steps)]
    return rounded


def read_alternative(alternative: Any) -> Alternative:
    """The side of the alternative hypothesis; R's spelling "two.sided" is accepted, too."""
    if alternative == "two.sided":
        return "two-sided"
    return cast(Alternative, _params.choice(alternative, get_args(Alternative), "alternative"))


def read_pair(a: Any, b: Any, least: int = 2, dims: Sequence[int] = (1,)) -> Pair:
    """Scores of two methods on the same splits or data sets. Two pandas objects are aligned by their labels."""
    a, b = aligned(a, b)
    names = [default if getattr(x, "name", None) is None else str(x.name) for x, default in ((a, "a"), (b, "b"))]
    if names[0] == names[1]:
        names = ["a", "b"]
    values = {"a": as_float(a, "a"), "b": as_float(b, "b")}
    for name, x in values.items():
        if x.ndim not in dims:
            wanted = " or ".join({1: "a vector", 2: "a table (repeats x folds)"}[d] for d in dims)
            raise InputError(
                f"{arg(name)} must be {wanted} of scores, got {shape_of(x)}; give one score for each split."
            )
    if values["a"].shape != values["b"].shape:
        raise InputError(
            f"{arg('a')} and {arg('b')} must pair up, got {shape_of(values['a'])} scores in a and "
            f"{shape_of(values['b'])} in b; give the scores of both methods on the same splits, in the same order."
        )
    for name, x in values.items():
        bad = np.argwhere(~np.isfinite(x))
        if len(bad):
            where = tuple(bad[0].tolist())
            raise InputError(
                f"{arg(name)} must hold finite scores, got {x[where]:g} at index "
                f"{where[0] if len(where) == 1 else where}; drop that split from both methods, or find out why it "
                "failed."
            )
        check_size(x)
    if values["a"].size < least:
        raise InputError(f"the test needs at least {counted(least, 'pair')} of scores, got {values['a'].size}.")
    return Pair(values["a"], values["b"], names[0], names[1])


def aligned(a: Any, b: Any) -> tuple[Any, Any]:
    """Two series, or two frames, in the order of the first one; an error if their labels differ."""
    if type(a) is not type(b) or not isinstance(a, (pd.Series, pd.DataFrame)):
        return a, b
    if isinstance(a, pd.DataFrame) and a.columns.is_unique and set(a.columns) == set(b.columns):
        b = b[a.columns]
    if a.index.equals(b.index):
        return a, b
    for name, x in (("a", a), ("b", b)):
        if not x.index.is_unique:
            raise InputError(
                f"the labels of {arg(name)} must be unique to be paired, got one twice; call "
                f"{code('reset_index(drop=True)')}."
            )
    only = [*a.index.difference(b.index, sort=False), *b.index.difference(a.index, sort=False)]
    if only:
        raise InputError(
            f"{arg('a')} and {arg('b')} must have the same labels to pair up, but {listed(only)} are in one of them "
            "only; give the scores of both methods on the same splits, or, if they pair up by position, give them "
            f"without labels ({code('.to_numpy()')})."
        )
    return a, b.loc[a.index]


def check_size(scores: Array) -> None:
    """Refuse scores whose sums would overflow."""
    largest = np.abs(scores).max(initial=0.0)
    if largest > LARGEST:
        raise InputError(
            f"scores must lie between -{LARGEST:g} and {LARGEST:g}, got one of size {largest:.4g}; divide all scores "
            "by the same number, which changes no p-value."
        )


def read_fraction(test_fraction: Any) -> float | None:
    """The share of the cases in each test set, or None."""
    if test_fraction is None:
        return None
    try:
        return _params.level(test_fraction, "test_fraction")
    except InputError:
        raise InputError(
            f"{arg('test_fraction')} must be a number between 0 and 1, the share of the cases in each test set (0.1 "
            f"for ten folds), got {value(test_fraction)}."
        ) from None


def describe_splits(test_fraction: float | None, shape: tuple[int, ...]) -> tuple[float, str]:
    """The share of the cases in each test set, by default from a table (repeats x folds), and the splits in words."""
    if test_fraction is not None:
        n = int(np.prod(shape))
        return test_fraction, f"{n} splits with {100.0 * test_fraction:.3g} % of the cases in the test set"
    if len(shape) == 2 and shape[1] > 1:
        return 1.0 / shape[1], f"{shape[0]} x {shape[1]}-fold cross-validation"
    raise InputError(
        f"{arg('test_fraction')} must say which share of the cases is in each test set: 1/k for k folds, 0.3 for "
        "random splits that hold out 30 %; or give tables of scores with a row for each repeat and a column for each "
        "fold."
    )
