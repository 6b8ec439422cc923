"""Array-likes as float64 arrays."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats.errors import InputError, arg

Array = NDArray[np.float64]


def as_float(x: Any, name: str) -> Array:
    """Float64 array of any array-like, copied only if its type requires it; masked values become NaN.

    `name` is the parameter that the error speaks of.
    """
    try:
        if isinstance(x, (pd.DataFrame, pd.Series)):
            if any(map(_not_real, [x] if isinstance(x, pd.Series) else [x.iloc[:, i] for i in range(x.shape[1])])):
                raise TypeError("complex numbers or times")
            return x.to_numpy(dtype=np.float64, na_value=np.nan)
        if isinstance(x, np.ma.MaskedArray):
            x = x.astype(np.float64).filled(np.nan)  # type: ignore[attr-defined]
        if x is None:
            raise TypeError("None")
        array = np.asarray(x)
        if array.dtype.kind not in "biufOSU":
            raise TypeError(str(array.dtype))
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        where = _text_column(x) if isinstance(x, pd.DataFrame) else ""
        raise InputError(f"{arg(name)} must hold real numbers, got something else{where} ({error}).") from None


def _not_real(column: pd.Series) -> bool:
    return getattr(column.dtype, "kind", "O") in "cmM"


def _text_column(frame: pd.DataFrame) -> str:
    for label, column in frame.items():
        try:
            if _not_real(column):
                raise TypeError
            column.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError):
            return f" in column {label!r}"
    return ""


def read_only(array: Array) -> Array:
    """A read-only view; the kernels are compiled once, for such arrays."""
    view = array.view()
    view.flags.writeable = False
    return view
