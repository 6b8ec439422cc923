"""Arguments of e1071's svm()."""

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state, compute_class_weight

from pwcstats._arrays import Array
from pwcstats._text import shown
from pwcstats.errors import InputError

LARGEST_SEED = 2**31 - 1


def read_number(value: Any, name: str, *, positive: bool = False) -> float:
    """Check a finite number. R has words of its own for what is out of other ranges."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if real and np.isfinite(value) and (value > 0 or not positive):
        return float(value)
    raise InputError(f"{name} must be a {'positive ' * positive}number, got {shown(value)}.")


def read_r_seed(random_state: Any) -> int:
    """A seed for R: a whole number is taken as it is, so that it means what it means in R."""
    if not isinstance(random_state, numbers.Integral):
        return int(check_random_state(random_state).randint(LARGEST_SEED))
    seed = int(random_state)
    if not 0 <= seed <= LARGEST_SEED:
        raise InputError(f"random_state must be from 0 to {LARGEST_SEED}, as R wants it, got {seed}.")
    return seed


def read_scale(scale: Any, n_features: int) -> NDArray[np.bool_]:
    """Which columns R is to scale."""
    columns = np.asarray(scale)
    if columns.dtype != bool or columns.shape not in ((), (n_features,)):
        raise InputError(
            f"scale must be True, False, or one of them for each of the {n_features} columns, got {scale!r}."
        )
    return np.broadcast_to(columns, n_features).copy()


def read_gamma(gamma: Any, n_features: int) -> float | None:
    """The number; None for "scale", which R works out, as it is R that scales."""
    if gamma is None or (isinstance(gamma, str) and gamma == "auto"):
        return 1.0 / n_features
    if isinstance(gamma, str):
        if gamma != "scale":
            raise InputError(f'gamma must be a number, "auto", "scale" or None, got {gamma!r}.')
        return None
    return read_number(gamma, "gamma")


def read_class_weight(weights: Any, kind: str, classes: NDArray[Any], y: NDArray[Any]) -> Array | None:
    """A positive weight for each class, or None."""
    if weights is None:
        return None
    if kind == "nu-classification":
        raise InputError("class_weight works with C-classification only: in nu-classification, R ignores it.")
    if isinstance(weights, dict):
        for label, weight in weights.items():
            read_number(weight, f"class_weight[{label!r}]", positive=True)
    elif weights != "balanced":
        raise InputError(f'class_weight must be a dict, "balanced" or None, got {weights!r}.')
    try:
        return np.asarray(compute_class_weight(weights, classes=classes, y=y), dtype=np.float64)
    except ValueError as error:
        raise InputError(str(error)) from None
