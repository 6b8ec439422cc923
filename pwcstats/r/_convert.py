"""Values for R and back: numbers, strings, arrays, named lists, factors and data frames. Call these within `running`.

Data are copied. Missing values of pandas are NA in R; NA is missing in pandas.
"""

import datetime
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rpy2 import rinterface

from pwcstats._text import shown
from pwcstats.errors import InputError

LARGEST_INTEGER = 2**31 - 1
LARGEST_WHOLE = 2**53
EPOCH = datetime.date(1970, 1, 1)
FRAME, FACTOR, ORDERED = ["data.frame"], ["factor"], ["ordered", "factor"]


def to_r(value: Any) -> Any:
    """Convert a value for R.

    Numbers, strings and None; arrays of one or two dimensions; series, whose index becomes names; data frames; lists of
    numbers, booleans or strings, as vectors; other lists and mappings, as lists. R objects stay as they are.
    """
    match value:
        case None:
            return rinterface.NULL
        case rinterface.Sexp():
            return value
        case bytes():
            return rinterface.ByteSexpVector.from_memoryview(memoryview(value))
        case bool() | np.bool_():
            return rinterface.BoolSexpVector([bool(value)])
        case int() | np.integer() if abs(int(value)) <= LARGEST_INTEGER:
            return rinterface.IntSexpVector([int(value)])
        case int() | float() | np.integer() | np.floating():
            return rinterface.FloatSexpVector([float(value)])
        case str():
            return rinterface.StrSexpVector([str(value)])
        case np.ndarray():
            return _array_to_r(value)
        case pd.DataFrame():
            return frame_to_r(value)
        case pd.Series() | pd.Index() | pd.Categorical():
            series = pd.Series(value)
            answer = _column_to_r(series, "value")
            if not isinstance(series.index, pd.RangeIndex):
                answer.names = rinterface.StrSexpVector([str(name) for name in series.index])
            return answer
        case Mapping():
            return _list_to_r(value)
        case list() | tuple():
            # Items of one type are a vector, as c() makes it.
            for kind in (str, (bool, np.bool_), (int, float, np.integer, np.floating)):
                if value and all(isinstance(item, kind) for item in value):
                    return _column_to_r(pd.Series(value), "value")
            return rinterface.ListSexpVector([to_r(item) for item in value])
    raise InputError(f"R has no counterpart of {shown(value)}, of type {type(value).__name__}.")


def from_r(value: Any) -> Any:
    """Convert an R vector, matrix or data frame, or a list of them.

    Numbers become arrays, named lists become dicts; character and logical vectors become lists, as do lists without
    names.
    """
    if value is rinterface.NULL:
        return None
    if isinstance(value, rinterface.ListSexpVector):
        if "data.frame" in classes_of(value):
            return frame_from_r(value)
        if value.names is rinterface.NULL:
            return [from_r(item) for item in value]
        return {name: from_r(item) for name, item in named(value).items()}
    if isinstance(value, rinterface.ByteSexpVector):
        return bytes(rinterface.vector_memoryview(value, "char", "B"))
    if "factor" in classes_of(value):
        return _factor_from_r(value)
    if isinstance(value, (rinterface.FloatSexpVector, rinterface.IntSexpVector)):
        return _numbers(value)
    return list(value)


def named(items: Any) -> dict[str, Any]:
    """The items of an R list by their names."""
    return dict(zip(items.names, items, strict=True))


def classes_of(value: Any) -> list[str]:
    """The attribute "class" of an R object."""
    return _attribute(value, "class")


def frame_to_r(frame: pd.DataFrame) -> Any:
    """Convert a data frame for R. `frames` describes it."""
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise InputError(f"R needs distinct column names; {shown(repeated)} is there more than once.")
    columns = [_column_to_r(frame.iloc[:, i], f"column {shown(name)}") for i, name in enumerate(names)]
    answer = _list_to_r(dict(zip(names, columns, strict=True)))
    return _with(answer, {"row.names": _row_names(frame.index), "class": FRAME})


def frame_from_r(frame: Any) -> pd.DataFrame:
    """Convert R's data frame. `frames` describes it."""
    if "data.frame" not in classes_of(frame):
        raise InputError(f"a data frame of R is needed, got {shown(frame)}.")
    columns = {name: _column_from_r(item, name) for name, item in named(frame).items()} if len(frame) else {}
    # R shows compact row names, c(NA, -n), in full.
    rows = rinterface.baseenv["attr"](frame, "row.names")
    index = pd.Index(list(rows) if isinstance(rows, rinterface.StrSexpVector) else _numbers(rows))
    if not isinstance(rows, rinterface.StrSexpVector) and (index == np.arange(1, len(index) + 1)).all():
        index = pd.RangeIndex(len(index))
    return pd.DataFrame(columns, index=index)


def _numbers(vector: Any) -> NDArray[Any]:
    """Copy R's numbers; rpy2 has no view of an empty vector."""
    if len(vector):
        return np.array(vector.memoryview())
    return np.empty(0, dtype=np.int32 if isinstance(vector, rinterface.IntSexpVector) else np.float64)


def _with(value: Any, attributes: Mapping[str, Any]) -> Any:
    """An R object with more attributes."""
    for name, item in attributes.items():
        # `attr<-` makes no copy of an object without another reference.
        value = rinterface.baseenv["attr<-"](value, name, to_r(item))
    return value


def _attribute(value: Any, name: str) -> list[str]:
    found = rinterface.baseenv["attr"](value, name, exact=True)
    return [] if found is rinterface.NULL else list(found)


def _list_to_r(items: Mapping[Any, Any]) -> Any:
    answer = rinterface.ListSexpVector([to_r(item) for item in items.values()])
    if items:
        answer.names = rinterface.StrSexpVector([str(name) for name in items])
    return answer


def _array_to_r(value: NDArray[Any]) -> Any:
    """Copy an array once, into R's memory."""
    if value.ndim == 2:
        matrix = rinterface.baseenv["matrix"](0.0, *value.shape)
        np.asarray(matrix.memoryview())[...] = value
        return matrix
    if value.dtype == np.int32:
        return rinterface.IntSexpVector.from_memoryview(np.ascontiguousarray(value).data)
    if value.dtype == np.float64:
        return rinterface.FloatSexpVector.from_memoryview(np.ascontiguousarray(value).data)
    return _column_to_r(pd.Series(value), "value")


def _row_names(index: pd.Index) -> Any:
    """R's row names; those of a RangeIndex from 0 are R's own numbers."""
    if isinstance(index, pd.RangeIndex) and index.equals(pd.RangeIndex(len(index))):
        return np.arange(1, len(index) + 1, dtype=np.int32)
    whole = pd.api.types.is_integer_dtype(index) and not index.hasnans
    if index.is_unique and (whole or all(isinstance(name, str) for name in index)):
        fits = whole and (len(index) == 0 or np.abs(index.to_numpy(dtype=float)).max() <= LARGEST_INTEGER)
        return index.to_numpy(dtype=np.int32) if fits else [str(name) for name in index]
    raise InputError("R's row names are distinct integers or strings, and the index is neither; use reset_index().")


def _column_to_r(column: "pd.Series[Any]", what: str) -> Any:
    """Convert a column by its type."""
    kind = column.dtype
    missing = column.isna().to_numpy()
    if isinstance(kind, pd.CategoricalDtype):
        return factor_to_r(column.cat.codes.to_numpy(), kind.categories, ordered=bool(kind.ordered))
    if pd.api.types.is_bool_dtype(kind):
        return _filled(rinterface.BoolSexpVector, column.tolist(), missing, rinterface.NA_Logical)
    if pd.api.types.is_integer_dtype(kind):
        largest = max((abs(int(x)) for x in column[~missing]), default=0)
        if largest <= LARGEST_INTEGER:
            filled = column.where(~missing, 0).to_numpy(dtype=np.int32)
            filled[missing] = rinterface.NA_Integer
            return rinterface.IntSexpVector.from_memoryview(filled.data)
        if largest > LARGEST_WHOLE:
            raise InputError(f"{what} has integers beyond 2^53, which R cannot represent; make them strings.")
        return _doubles(column, missing)
    if pd.api.types.is_float_dtype(kind):
        return _doubles(column, missing)
    if isinstance(kind, pd.DatetimeTZDtype) or pd.api.types.is_datetime64_dtype(kind):
        return _times_to_r(column, missing)
    present = column[~missing]
    for test, convert in _OBJECTS:
        if all(isinstance(item, test) for item in present):
            return convert(column, missing)
    raise InputError(f"R has no counterpart of {what}, of type {kind}; convert it to numbers, strings or categories.")


def factor_to_r(codes: NDArray[Any], levels: Any, ordered: bool = False) -> Any:
    """R's factor from codes, counted from 0 and negative where a value is missing, and its levels."""
    labels = [str(level) for level in levels]
    if len(set(labels)) < len(labels):
        raise InputError(f"R's levels are strings, and those of {list(levels)} would not be distinct.")
    numbers = codes.astype(np.int32) + np.int32(1)
    numbers[codes < 0] = rinterface.NA_Integer
    answer = rinterface.IntSexpVector.from_memoryview(numbers.data)
    # A character vector even if it is empty.
    return _with(answer, {"levels": rinterface.StrSexpVector(labels), "class": ORDERED if ordered else FACTOR})


def _filled(vector: Any, items: list[Any], missing: NDArray[np.bool_], na: Any) -> Any:
    return vector([na if lost else item for item, lost in zip(items, missing, strict=True)])


def _doubles(column: "pd.Series[Any]", missing: NDArray[np.bool_], scale: float = 1.0) -> Any:
    numbers = column.where(~missing, 0).to_numpy(dtype=np.float64) / scale
    numbers[missing] = rinterface.NA_Real
    return rinterface.FloatSexpVector.from_memoryview(np.ascontiguousarray(numbers).data)


def _strings(column: "pd.Series[Any]", missing: NDArray[np.bool_]) -> Any:
    return _filled(rinterface.StrSexpVector, column.tolist(), missing, rinterface.NA_Character)


def _logicals(column: "pd.Series[Any]", missing: NDArray[np.bool_]) -> Any:
    return _filled(rinterface.BoolSexpVector, column.tolist(), missing, rinterface.NA_Logical)


def _dates(column: "pd.Series[Any]", missing: NDArray[np.bool_]) -> Any:
    days = [math.nan if lost else float((day - EPOCH).days) for day, lost in zip(column, missing, strict=True)]
    return _with(_doubles(pd.Series(days, dtype=float), missing), {"class": ["Date"]})


def _times_to_r(column: "pd.Series[Any]", missing: NDArray[np.bool_]) -> Any:
    zone = "UTC"
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        # UTC has many names; "UTC" itself stands for times without a zone.
        zone = str(column.dtype.tz) if str(column.dtype.tz) != "UTC" else "Etc/UTC"
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    microseconds = pd.Series(column.to_numpy(dtype="datetime64[us]").astype(np.int64))
    seconds = _doubles(microseconds, missing, 1e6)
    return _with(seconds, {"class": ["POSIXct", "POSIXt"], "tzone": zone})


# Columns of Python objects, and the rare ones of strings only: the first row whose type all values have.
_OBJECTS: tuple[tuple[Any, Callable[..., Any]], ...] = (
    (str, _strings),
    ((bool, np.bool_), _logicals),
    (datetime.date, _dates),
)


def _column_from_r(column: Any, name: str) -> Any:
    kinds = classes_of(column)
    if "factor" in kinds:
        return _factor_from_r(column)
    if "POSIXct" in kinds:
        return _times_from_r(column)
    if isinstance(column, rinterface.StrSexpVector):
        return [None if item is rinterface.NA_Character else item for item in column]
    if isinstance(column, rinterface.BoolSexpVector):
        items = [None if item is rinterface.NA_Logical else bool(item) for item in column]
        return pd.array(items, dtype="boolean") if None in items else np.array(items, dtype=bool)
    if isinstance(column, (rinterface.FloatSexpVector, rinterface.IntSexpVector)):
        numbers = _numbers(column)
        if numbers.ndim == 1:
            if "Date" in kinds:
                days = [None if np.isnan(day) else EPOCH + datetime.timedelta(days=math.floor(day)) for day in numbers]
                return np.array(days, dtype=object)
            if numbers.dtype == np.int32 and (numbers == rinterface.NA_Integer).any():
                return pd.arrays.IntegerArray(numbers, numbers == rinterface.NA_Integer)
            return numbers
    raise InputError(f"column {shown(name)} of R's data frame is no vector that pandas has; convert it in R.")


def _factor_from_r(factor: Any) -> pd.Categorical:
    codes = _numbers(factor)
    codes = np.where(codes == rinterface.NA_Integer, -1, codes - 1).astype(np.intp)
    levels = pd.Index(_attribute(factor, "levels"), dtype=object)
    return pd.Categorical.from_codes(codes, levels, ordered="ordered" in classes_of(factor))


def _times_from_r(column: Any) -> Any:
    seconds = _numbers(column).astype(np.float64)
    missing = np.isnan(seconds)
    microseconds = np.round(np.where(missing, 0.0, seconds) * 1e6).astype(np.int64).astype("datetime64[us]")
    microseconds[missing] = np.datetime64("NaT")
    times = pd.Series(microseconds)
    zone = "".join(_attribute(column, "tzone")[:1])
    if zone == "UTC":
        return times.array
    # An empty zone is that of the machine.
    local = zone or "".join(rinterface.baseenv["Sys.timezone"]())
    return times.dt.tz_localize("UTC").dt.tz_convert("UTC" if zone == "Etc/UTC" else local).array
