"""Array-likes as float64 arrays."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats._text import shown
from pwcstats.errors import InputError, arg, value

Array = NDArray[np.float64]


def as_float(x: Any, name: str) -> Array:
    """Float64 array of any array-like, copied only if its type requires it; masked values become NaN.

    `name` is the parameter that the error speaks of.
    """
    try:
        if isinstance(x, (pd.DataFrame, pd.Series)):
            if any(map(_not_real, [x.dtype] if isinstance(x, pd.Series) else x.dtypes)):
                raise TypeError
            return x.to_numpy(dtype=np.float64, na_value=np.nan)
        if isinstance(x, np.ma.MaskedArray):
            if _not_real(x.dtype):
                raise TypeError
            return x.astype(np.float64).filled(np.nan)  # type: ignore[attr-defined]
        if x is None:
            raise TypeError
        array = np.asarray(x)
        if _not_real(array.dtype):
            raise TypeError
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{arg(name)} must hold real numbers, got {_culprit(x, error)}.") from None


def _not_real(dtype: Any) -> bool:
    """Whether the type of an array or a column says that it holds no real numbers."""
    return getattr(dtype, "kind", "O") not in "biufOSU"


def _culprit(x: Any, error: Exception) -> str:
    """What is no real number: the first value, or its type, with the column of a frame."""
    if isinstance(x, pd.DataFrame):
        for i, label in enumerate(x.columns):
            try:
                as_float(x.iloc[:, i], "x")
            except InputError:
                return f"{_culprit(x.iloc[:, i], error)} in column {label!r}"
    if x is None:
        return value(None)
    try:
        array = np.asarray(x)
    except ValueError:
        return "rows of different lengths"
    if _not_real(array.dtype):
        return str(array.dtype)
    for item in array.flat:
        try:
            np.asarray(item, dtype=np.float64)  # accepts None, as a missing value
        except (TypeError, ValueError):
            kind = "the string " if isinstance(item, (str, bytes)) else f"the {type(item).__name__} "
            return kind + shown(item)
    return str(error)


def read_only(array: Array) -> Array:
    """A read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view
