"""Array-likes become checked float64 arrays; words that several messages share."""

import numbers
import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats.errors import InputError

Array = NDArray[np.float64]

# Control characters except tab and newline, bidirectional marks, and lone surrogates.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def as_float(x: Any, name: str) -> Array:
    """Float64 array of any array-like; a copy only where the type asks for one. Masked values become NaN."""
    try:
        if isinstance(x, (pd.DataFrame, pd.Series)):
            if any(map(_no_real, [x] if isinstance(x, pd.Series) else [x.iloc[:, i] for i in range(x.shape[1])])):
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
        raise InputError(f"{name} must hold real numbers, got something else{where} ({error}).") from None


def _no_real(column: pd.Series) -> bool:
    return getattr(column.dtype, "kind", "O") in "cmM"


def _text_column(frame: pd.DataFrame) -> str:
    for label, column in frame.items():
        try:
            if _no_real(column):
                raise TypeError
            column.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError):
            return f" in column {label!r}"
    return ""


def shape_of(array: Array) -> str:
    """Dimensions as words that Python and R share."""
    return " x ".join(map(str, array.shape)) if array.ndim else "a single number"


def choice(value: Any, options: Iterable[str], name: str, none: bool = False) -> str:
    """One of a few words; `none` says that the caller takes None as well."""
    options = list(options)
    if not isinstance(value, str) or value not in options:
        words = ", ".join(map(repr, options)) + (", None" if none else "")
        hint = " (kernlab's name for 'wlw2')" if isinstance(value, str) and value == "minpair" else ""
        raise InputError(f"{name} must be one of {words}, got {value!r}{hint}.")
    return value


def read_n_jobs(n_jobs: Any) -> int | None:
    """Check a number of threads as joblib counts them: None, or a whole number other than 0."""
    if n_jobs is None:
        return None
    if isinstance(n_jobs, numbers.Integral) and n_jobs != 0:
        return int(n_jobs)
    raise InputError(f"n_jobs must be a whole number other than 0 (-1: all cores), or left out, got {n_jobs!r}.")


def read_only(array: Array) -> Array:
    """A view that nobody can write to; the kernels are compiled once, for such arrays."""
    view = array.view()
    view.flags.writeable = False
    return view


def shown(value: Any) -> str:
    """A value as Python writes it, without NumPy's wrapping."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def counted(n: int, what: str) -> str:
    """A number of things in words."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def named(label: Any) -> str:
    """A label as it is; in quotes where blanks at its ends would not be seen."""
    text = str(label)
    return text if text.strip() == text and text else repr(text)


def visible(text: str) -> str:
    """A text with escapes for control characters, which a terminal would obey and fonts do not have."""
    return _UNSEEN.sub(lambda found: ascii(found.group())[1:-1], text)


def listed(labels: Iterable[Any]) -> str:
    """The first few of some labels, in brackets."""
    labels = list(labels)
    first = ", ".join(map(named, labels[:8]))
    return f"({first}, ...)" if len(labels) > 8 else f"({first})"
