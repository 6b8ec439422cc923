"""Readers of responses, design matrices, weights and offsets, and the checks that the logit models share."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import issparse

from pwcstats import _params
from pwcstats._arrays import Array, as_float
from pwcstats._text import listed, named, shape_of, shown
from pwcstats.errors import InputError, arg, code, value

# A column is aliased if its part that is orthogonal to the columns before it is shorter than this, relative to the
# length of the column.
SMALL_REST = 1e-10
# What statsmodels' formulas and `_get_init_kwds` pass to a model, besides its own options.
_PASSED_BY_STATSMODELS = ("missing", "hasconst", "missing_idx", "formula", "model_spec", "design_info", "check_rank")


def is_text(values: Any) -> bool:
    """Whether some values are strings."""
    if isinstance(getattr(values, "dtype", None), pd.CategoricalDtype):
        return is_text(values.dtype.categories)
    array = np.asarray(values)
    return array.dtype.kind in "OSUT" and any(isinstance(item, (str, bytes)) for item in array.ravel())


# Checks of options and of rows


def check_options(kwargs: dict[str, Any], model: str, known: str) -> None:
    """Refuse options that a model does not have, and check `missing`."""
    unknown = [key for key in kwargs if key not in _PASSED_BY_STATSMODELS]
    if unknown:
        raise InputError(f"{code(model)} has no option {listed(unknown)}; it has {known}.")
    _params.choice(kwargs.get("missing", "none"), ("none", "drop", "raise"), "missing")


def check_aligned(reference: Any, reference_name: str = "exog", **others: Any) -> None:
    """Check that pandas objects have the same row labels as the reference, in the same order."""
    if not isinstance(reference, (pd.DataFrame, pd.Series)):
        return
    for name, values in others.items():
        if not isinstance(values, (pd.Series, pd.DataFrame)):
            continue
        if len(values) != len(reference):
            raise InputError(
                f"{arg(name)} and {arg(reference_name)} must have the same number of rows, got {len(values)} and "
                f"{len(reference)}."
            )
        if not values.index.equals(reference.index):
            raise InputError(
                f"the rows of {arg(name)} and {arg(reference_name)} have different labels or another order; align them "
                f"first, or give {arg(name)} as an array."
            )


def check_same_rows(n_endog: int, n_exog: int) -> None:
    """Check that the response and the design have the same number of rows."""
    if n_endog != n_exog:
        raise InputError(
            f"{arg('endog')} and {arg('exog')} must have the same number of rows, got {n_endog} and {n_exog}."
        )


def check_lengths(n: int, **others: Any) -> None:
    """Check that columns have n entries."""
    for name, values in others.items():
        if values is not None and np.shape(values) != (n,):
            shape = shape_of(np.asarray(values))
            raise InputError(f"{arg(name)} must have one number for each of the {n} rows, got {shape}.")


def check_no_missing(exog: Any, endog: Any, extra: dict[str, Any], cure: str = "leave the row out") -> None:
    """Check that nothing is missing in the response and in `extra`, and that the design is finite."""
    for name, values in {"endog": endog, **extra}.items():
        if values is None:
            continue
        array = np.asarray(values).ravel()
        if array.dtype.kind in "biu":
            continue
        bad = np.asarray(pd.isna(array))
        if bad.any():
            more = f" and {bad.sum() - 1} more" if bad.sum() > 1 else ""
            raise InputError(f"{arg(name)} is missing in row {int(np.argmax(bad))}{more}; fill it in, or {cure}.")
    numbers = as_float(exog, "exog")
    numbers = numbers.reshape(len(numbers), -1)
    names = getattr(exog, "columns", [getattr(exog, "name", None) or f"x{k + 1}" for k in range(numbers.shape[1])])
    _check_finite(numbers, list(names), ~np.isfinite(numbers), cure)


def _check_finite(values: Array, names: Sequence[Any], bad: NDArray[np.bool_], cure: str) -> None:
    if bad.any():
        row, column = np.argwhere(bad)[0]
        more = f" and {bad.any(axis=1).sum() - 1} more rows" if bad.any(axis=1).sum() > 1 else ""
        what = f"got {values[row, column]:g} in column {names[column]!r}, row {row}{more}"
        cure = cure if np.isnan(values[row, column]) else "leave the row out"
        raise InputError(f"{arg('exog')} must be finite numbers, {what}; fill it in, or {cure}.")


# Responses


def read_nominal(endog: Any) -> tuple[Any, pd.Index]:
    """Codes of classes (NaN if missing; a Series keeps its index), and the classes, sorted or in Categorical order."""
    endog = one_column(endog)
    values = pd.Series(endog).astype("category")
    codes = values.cat.codes.astype(np.float64).where(values.notna())
    return (codes if isinstance(endog, pd.Series) else codes.to_numpy()), values.cat.categories


def read_ordered(endog: Any, categories: Any = None) -> tuple[Any, pd.Index]:
    """Codes of ordered classes (NaN if missing; a Series keeps its index), and the classes from low to high."""
    endog = one_column(endog)
    values = pd.Series(endog)
    cure = f"make it an ordered Categorical, or give {arg('categories')}, from the lowest to the highest"
    if categories is not None:
        labels = pd.Index(categories)
        if not labels.is_unique:
            raise InputError(f"{arg('categories')} must be different from each other.")
        odd = pd.Index(values.dropna().unique()).difference(labels)
        if len(odd):
            raise InputError(
                f"{arg('endog')} has classes that are not in {arg('categories')}, {listed(odd)}; add them."
            )
        values = values.astype(pd.CategoricalDtype(labels, ordered=True))
    elif not (isinstance(values.dtype, pd.CategoricalDtype) and values.dtype.ordered):
        labels = seen_labels(values)
        # Two labels need no order: the slopes of the other order have the opposite signs.
        if len(labels) > 2 and isinstance(values.dtype, pd.CategoricalDtype):
            raise InputError(f"{arg('endog')} has classes without an order, {listed(labels)}; {cure}.")
        if len(labels) > 2 and is_text(values):
            strings = listed(pd.unique(values.dropna()))
            raise InputError(f"{arg('endog')} has strings, {strings}, whose order is not known; {cure}.")
        if len(labels) > 2:
            as_float(values, "endog")
        values = values.astype(pd.CategoricalDtype(labels, ordered=True))
    codes = values.cat.codes.astype(np.float64).where(values.notna())
    codes.name = values.name
    return (codes if isinstance(endog, pd.Series) else codes.to_numpy()), values.cat.categories


def seen_labels(values: pd.Series) -> pd.Index:
    """Labels that occur: in the order of a Categorical, or sorted; as text, if they are of different types."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        labels = values.dtype.categories
        return labels[np.isin(np.arange(len(labels)), values.cat.codes)]
    labels = pd.Index(values.dropna().unique())
    try:
        return labels[np.argsort(labels.to_numpy(), kind="stable")]
    except TypeError:
        return labels[np.argsort([str(label) for label in labels], kind="stable")]


def check_given(endog: Any) -> None:
    """Refuse a response that is None or a formula."""
    if endog is None:
        raise InputError(f"{arg('endog')} is {value(None)}; give the response.")
    if isinstance(endog, str):
        raise InputError(f"{arg('endog')} must be one column, got a string; for a formula use {code('from_formula')}.")


def one_column(endog: Any) -> Any:
    """A response of one column: a Series, a Categorical, an Index or a vector."""
    check_given(endog)
    if isinstance(endog, pd.DataFrame) and endog.shape[1] == 1:
        return endog.iloc[:, 0]
    if isinstance(endog, (pd.Series, pd.Categorical, pd.Index)):
        return endog
    array = np.asarray(endog)
    if np.ndim(array) > 1 and np.size(array) == len(array):
        array = np.ravel(array)
    if np.ndim(array) != 1:
        found = shape_of(array) if array.ndim else type(endog).__name__
        raise InputError(f"{arg('endog')} must be one column, got {found}.")
    return array


def check_classes(codes: NDArray[np.int64], weight: Array, labels: Sequence[Any]) -> None:
    """Check that there are two classes at least, and that each has a row of positive weight."""
    seen = np.bincount(codes[weight > 0.0], minlength=len(labels)) > 0
    if seen.sum() < 2:
        only = [label for label, present in zip(labels, seen, strict=True) if present]
        found = f"1 class, {named(only[0])}" if only else "0 classes"
        raise InputError(f"{arg('endog')} must have at least 2 classes{_with_weight(weight)}, got {found}.")
    if not seen.all():
        absent = [label for label, present in zip(labels, seen, strict=True) if not present]
        raise InputError(f"no row{_with_weight(weight)} has the class {listed(absent)}; leave it out of the classes.")


def _with_weight(weight: Array) -> str:
    return "" if (weight == 1.0).all() else " with positive weight"


# Designs


def read_frame(exog: Any, n: int, needs_column: bool = True) -> pd.DataFrame:
    """A design of n rows as a data frame with column names."""
    check_design(exog, needs_column)
    values = as_float(exog, "exog")
    if isinstance(exog, pd.DataFrame):
        frame = exog
    elif isinstance(exog, pd.Series):
        frame = exog.to_frame(exog.name if exog.name is not None else "x1")
    else:
        values = values.reshape(len(values), -1)
        frame = pd.DataFrame(values, columns=[f"x{k + 1}" for k in range(values.shape[1])])
    check_same_rows(n, len(frame))
    return frame


def check_design(exog: Any, needs_column: bool = True) -> None:
    """Check that a design is a table of numbers whose columns have different names."""
    if exog is None:
        raise InputError(
            f"{arg('exog')} is {value(None)}; give the columns of the design, for a constant alone a column of ones."
        )
    if issparse(exog):
        raise InputError(f"{arg('exog')} is sparse, but these models need a dense array; use {code('exog.toarray()')}.")
    try:
        shape = np.shape(exog)
    except ValueError:
        raise InputError(f"{arg('exog')} must have rows of the same length, got rows of different lengths.") from None
    if len(shape) not in (1, 2):
        found = shape_of(np.asarray(exog)) if shape else type(exog).__name__
        raise InputError(f"{arg('exog')} must have rows and columns, got {found}.")
    if 0 in shape[: 1 + needs_column]:
        found = shape_of(np.asarray(exog))
        raise InputError(
            f"{arg('exog')} must have at least one row and one column, got {found}; give the columns of the design."
        )
    cure = "code them as numbers, or use a formula"
    if isinstance(exog, pd.DataFrame):
        types = enumerate(exog.dtypes)
        others = [k for k, dtype in types if not (isinstance(dtype, np.dtype) and dtype.kind in "biuf")]
        text = [exog.columns[k] for k in others if is_text(exog.iloc[:, k])]
        if text:
            raise InputError(f"{arg('exog')} must hold real numbers, got strings in {listed(text)}; {cure}.")
        if not exog.columns.is_unique:
            twice = exog.columns[exog.columns.duplicated()][0]
            raise InputError(f"{arg('exog')} has two columns named {shown(twice)}; rename one.")
    elif is_text(exog):
        raise InputError(f"{arg('exog')} must hold real numbers, got strings; {cure}.")


def aliased_columns(r: Array, length: Array, n_columns: int) -> list[int]:
    """Indices of columns that are constant or linear combinations of the columns before them, as in R's ``glm``.

    `r` is the triangular factor of the columns, `length` their lengths.
    """
    rest = np.zeros(n_columns)
    rest[: len(r)] = np.abs(np.diagonal(r))
    if (rest > SMALL_REST * length).all():
        return []
    found, kept = [], np.empty((len(r), 0))
    for column in range(n_columns):
        part = np.column_stack([kept, r[:, column] / (length[column] or 1.0)])
        if np.linalg.matrix_rank(part, SMALL_REST * 10.0) <= kept.shape[1]:
            found.append(column)
        else:
            kept = part
    return found


class RankError(InputError):
    """A design is not of full rank; `columns` are the indices of the columns to leave out."""

    columns: list[int]


def check_rank(x: Array, names: Sequence[Hashable], where: str = "", r: Array | None = None) -> None:
    """Check that a design has full rank; `r` is its triangular factor, if it is known already."""
    r = np.asarray(np.linalg.qr(x, mode="r")) if r is None else r
    columns = aliased_columns(r, np.linalg.norm(x, axis=0), x.shape[1])
    found = [names[column] for column in columns]
    if not found:
        return
    few = f": {x.shape[0]} rows cannot determine {x.shape[1]} columns" if x.shape[0] < x.shape[1] else ""
    which = "is constant or a combination" if len(found) == 1 else "are constant or combinations"
    error = RankError(
        f"{arg('exog')} is not of full rank{where}{few}; {listed(found)} {which} of the columns before: leave "
        f"{listed(found)} out."
    )
    error.columns = columns
    raise error


# Weights, and new rows


def read_column(values: Any, name: str) -> Array | None:
    """Numbers of the rows as a vector, also if they are a table of one column; None stays None."""
    if values is None:
        return None
    array = as_float(values, name)
    return array.ravel() if array.ndim == 2 and array.shape[1] == 1 else array


def read_weights(weights: Any, n: int) -> Array:
    """Frequency weights: finite numbers of at least 0, not all 0."""
    values = read_column(weights, "freq_weights")
    if values is None:
        return np.ones(n)
    check_lengths(n, freq_weights=values)
    if not (np.isfinite(values) & (values >= 0.0)).all():
        raise InputError(f"{arg('freq_weights')} must be finite numbers of at least 0; 0 leaves a row out.")
    if not values.any():
        raise InputError(
            f"{arg('freq_weights')} is 0 in every row, so nothing is left to fit; give some rows a weight."
        )
    return values


def read_new_rows(exog: Any, names: Sequence[str], coefficients: Array, formula: bool) -> Array:
    """New rows of a design whose linear predictors are finite; `coefficients` has a row for each column.

    After a formula, rows with missing values are kept, and their predictions are missing, as in statsmodels and R.
    """
    values = as_float(exog, "exog")
    x = np.atleast_2d(values)
    if x.shape[1] != len(names):
        raise InputError(
            f"{arg('exog')} must have the {len(names)} columns of the fit, {listed(names)}, got {shape_of(x)}."
        )
    missing = np.isnan(x).any(axis=1)
    _check_finite(x, names, np.isinf(x) if formula else ~np.isfinite(x), "leave the row out")
    with np.errstate(over="ignore", invalid="ignore"):
        too_large = ~np.isfinite(x @ coefficients.reshape(len(names), -1)).all(axis=1) & ~missing
    if too_large.any():
        row = int(np.argmax(too_large))
        raise InputError(f"{arg('exog')} is so large in row {row} that its linear predictor overflows; leave it out.")
    return values


def read_new_offset(offset: Any, n: int, formula: bool = False) -> Array:
    """Offsets of new rows: a finite number for each row, or one for all rows; after a formula some may be missing."""
    values = as_float(offset, "offset")
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if values.ndim and values.shape != (n,):
        raise InputError(
            f"{arg('offset')} must be one number, or one for each of the {n} rows, got {shape_of(values)}."
        )
    if not (np.isfinite(values) | (formula & np.isnan(values))).all():
        raise InputError(f"{arg('offset')} must be finite numbers; leave out the rows in which it is not.")
    return values
