"""Likelihood-ratio tests between two fits, one of which is nested in the other."""

from typing import Any

import numpy as np

from pwcstats._arrays import Array
from pwcstats._results import TestResult
from pwcstats._text import listed
from pwcstats.errors import InputError, arg, code, value

# A column is a combination of others if this share of its length is left.
SMALL_REST = 1e-9
# Options of models and of fits that both fits must share.
OPTIONS = ("penalty", "direction", "correction", "tau", "cov_type")


def other_fit(term: Any, kind: type) -> Any:
    """The other fit, without the wrapper of statsmodels, if a test is asked for by a fit; otherwise None."""
    other = getattr(term, "_results", term)
    return other if isinstance(other, kind) else None


def compare(first: Any, second: Any) -> TestResult:
    """Test of the smaller of two fits against the larger one."""
    _check_same_data(first, second)
    sizes = [np.size(fit.params) for fit in (first, second)]
    if sizes[0] == sizes[1]:
        raise InputError(f"both fits have {sizes[0]} coefficients, so neither is nested in the other.")
    larger, smaller = (first, second) if sizes[0] > sizes[1] else (second, first)
    combinations = _columns_as_combinations(larger.model, smaller.model)
    if getattr(larger.model, "parallel", None) != getattr(smaller.model, "parallel", None):
        if larger.model.parallel or combinations.shape[0] != combinations.shape[1]:
            raise InputError(f"the fits differ in {arg('parallel')} and in their columns; change one at a time.")
        return larger.parallel_test()
    is_used = combinations != 0.0
    # With aliased columns, a test by names would also leave out what takes their place.
    is_plain = (is_used.sum(axis=0) == 1).all() and (combinations[is_used] == 1.0).all()
    if is_plain and not getattr(larger.model, "left_out", ()):
        return larger.lr_test(
            [name for name, used in zip(_names(larger.model), is_used.any(axis=1), strict=True) if not used]
        )
    return larger._constrained_test(smaller, combinations)


def _check_same_data(first: Any, second: Any) -> None:
    """Check that two fits are of the same kind, rows and options."""
    ours, theirs = first.model, second.model
    if type(ours) is not type(theirs):
        raise InputError(
            f"a likelihood-ratio test compares fits of one model, got {code(type(ours).__name__)} and "
            f"{code(type(theirs).__name__)}."
        )
    for name in OPTIONS:
        one, two = (getattr(fit, name, getattr(fit.model, name, None)) for fit in (first, second))
        if one != two:
            raise InputError(f"both fits must have the same {arg(name)}, got {value(one)} and {value(two)}.")
    n_ours, n_theirs = len(ours._code), len(theirs._code)
    if n_ours != n_theirs:
        raise InputError(
            f"the fits have {n_ours} and {n_theirs} rows, perhaps because of missing values; fit both to the rows that "
            "are complete."
        )
    labels, other_labels = ours.data.row_labels, theirs.data.row_labels
    parts = {
        "rows": labels is None or other_labels is None or labels.equals(other_labels),
        "response": np.array_equal(ours.endog, theirs.endog) and _classes(ours) == _classes(theirs),
        "weights": np.array_equal(ours._weight, theirs._weight),
        "offset": np.array_equal(_offset(ours), _offset(theirs)),
    }
    for name, is_same in parts.items():
        if not is_same:
            raise InputError(f"the {name} of the two fits differ; fit both to the same data.")


def _classes(model: Any) -> list[Any]:
    return list(model.labels if hasattr(model, "labels") else model.class_labels)


def _offset(model: Any) -> Array:
    offset = getattr(model, "offset", None)
    return np.zeros(len(model._code)) if offset is None else np.asarray(offset, dtype=np.float64)


def _design(model: Any) -> Array:
    """The columns of a model; ordinal models have a constant, which comes first."""
    x = np.asarray(model.exog, dtype=np.float64)
    return np.column_stack([np.ones(len(x)), x[:, model._kept]]) if hasattr(model, "_kept") else x


def _names(model: Any) -> list[str]:
    return list(map(str, getattr(model, "columns", model.exog_names)))


def _columns_as_combinations(larger: Any, smaller: Any) -> Array:
    """The columns of the smaller model as combinations of those of the larger one, one column of coefficients each."""
    x, z = _design(larger), _design(smaller)
    combinations = combinations_of(x, z)
    rest = np.linalg.norm(x @ combinations - z, axis=0)
    outside = [
        name
        for name, part, size in zip(_names(smaller), rest, np.linalg.norm(z, axis=0), strict=True)
        if part > SMALL_REST * size
    ]
    if outside:
        raise InputError(
            f"the fits are not nested, because {listed(outside)} of the smaller fit cannot be written as a combination "
            f"of the columns of the larger one, {listed(_names(larger))}."
        )
    return combinations


def combinations_of(x: Array, z: Array) -> Array:
    """The columns of z as combinations of those of x, one column of coefficients each, by least squares."""
    length = np.linalg.norm(x, axis=0)
    combinations = np.linalg.lstsq(x / length, z, rcond=None)[0] / length[:, None]
    # Columns that both have keep their digits.
    for k, column in enumerate(z.T):
        same = np.flatnonzero((x == column[:, None]).all(axis=0))
        if len(same):
            combinations[:, k] = 0.0
            combinations[same[0], k] = 1.0
    return np.asarray(combinations, dtype=np.float64)


def smaller_fit(model: Any) -> str:
    """Null hypothesis of a test against a smaller fit whose columns the larger one does not have."""
    return f"the model with the columns {listed(_names(model))} holds"
