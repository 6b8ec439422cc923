"""Responses and design matrices of the logistic models, checked; the wording of what stands in the way of a fit."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import issparse

from pwcstats._arrays import Array, as_float
from pwcstats._text import listed, shape_of, shown
from pwcstats.errors import InputError

# What is left of a column after those before it, relative to its length; below this it is rounding.
SMALL_REST = 1e-10


def is_text(values: Any) -> bool:
    """Whether there are words among some values."""
    if isinstance(getattr(values, "dtype", None), pd.CategoricalDtype):
        return is_text(values.dtype.categories)
    array = np.asarray(values)
    return array.dtype.kind in "OSUT" and any(isinstance(value, (str, bytes)) for value in array.ravel())


def refuse_text(endog: Any) -> None:
    """Refuse words where 0 and 1 are needed, and nothing at all."""
    if endog is None:
        raise InputError("endog is None; give the response.")
    if isinstance(endog, str):
        raise InputError(
            "endog must be a column of 0 and 1, got a string; for a formula use from_formula(formula, data)."
        )
    if is_text(endog):
        words = list(pd.unique(np.asarray(endog).ravel()))
        last = words[-1] if isinstance(words[-1], str) else words[0]
        raise InputError(
            f"endog must be 0 or 1 in each row, got the words {listed(words)}; code it, for example by "
            f"(y == {shown(last)}).astype(int)."
        )


def refuse_not_binary(endog: Any) -> None:
    """Refuse numbers other than 0 and 1."""
    values = as_float(endog, "endog")
    if values.ndim > 1 and values.size != len(values):
        raise InputError(f"endog must be one column of 0 and 1, got {shape_of(values)}.")
    odd = np.unique(values[np.isfinite(values) & (values != 0.0) & (values != 1.0)])
    if len(odd):
        found = listed(f"{x:g}" for x in odd)
        if len(np.unique(values[np.isfinite(values)])) == 2 and (values == np.round(values)).all():
            cure = f"code it, for example by (y == {odd[-1]:g}).astype(int)"
        else:
            cure = "for more than two classes use FirthMNLogit, for shares give each row twice, with freq_weights"
        raise InputError(f"endog must be 0 or 1 in each row, got {found}; {cure}.")


def refuse_design(exog: Any, needs_column: bool = True) -> None:
    """Refuse what is no table of numbers with named columns, before anything is made of it."""
    if exog is None:
        raise InputError("exog is None; give the columns of the design, for a constant alone a column of ones.")
    if issparse(exog):
        raise InputError("exog is sparse, which these models do not take; use exog.toarray().")
    try:
        shape = np.shape(exog)
    except ValueError:
        raise InputError("exog must have rows of the same length, got rows of different lengths.") from None
    if len(shape) not in (1, 2):
        found = shape_of(np.asarray(exog)) if shape else type(exog).__name__
        raise InputError(f"exog must have rows and columns, got {found}.")
    if 0 in shape[: 1 + needs_column]:
        found = shape_of(np.asarray(exog))
        raise InputError(f"exog must have a row and a column at least, got {found}; give the columns of the design.")
    if isinstance(exog, pd.DataFrame):
        words = [name for name, column in exog.items() if is_text(column)]
        if words:
            raise InputError(f"exog must hold real numbers, got words in {listed(words)}; code them, or use a formula.")
        if not exog.columns.is_unique:
            twice = exog.columns[exog.columns.duplicated()][0]
            raise InputError(f"exog has two columns named {shown(twice)}; rename one.")
    elif is_text(exog):
        raise InputError("exog must hold real numbers, got words; code them, or use a formula.")


def refuse_missing(exog: Any, endog: Any, extra: dict[str, Any], cure: str = "set missing='drop'") -> None:
    """Say where a value is missing or infinite."""
    for name, values in {"endog": endog, **extra}.items():
        bad = pd.isna(pd.Series(np.asarray(values).ravel())).to_numpy() if values is not None else np.zeros(1, bool)
        if bad.any():
            more = f" and {bad.sum() - 1} more" if bad.sum() > 1 else ""
            raise InputError(f"{name} is missing in row {int(np.argmax(bad))}{more}; fill it in, or {cure}.")
    values = as_float(exog, "exog")
    values = values.reshape(len(values), -1)
    names = list(getattr(exog, "columns", [getattr(exog, "name", None) or f"x{k + 1}" for k in range(values.shape[1])]))
    _refuse_not_finite(values, names, ~np.isfinite(values), cure)


def _refuse_not_finite(values: Array, names: Sequence[Any], bad: NDArray[np.bool_], cure: str) -> None:
    """Say where a design is not finite."""
    if bad.any():
        row, column = np.argwhere(bad)[0]
        more = f" and {bad.any(axis=1).sum() - 1} more rows" if bad.any(axis=1).sum() > 1 else ""
        what = f"got {values[row, column]:g} in column {names[column]!r}, row {row}{more}"
        cure = cure if np.isnan(values[row, column]) else "leave the row out"
        raise InputError(f"exog must be finite numbers, {what}; fill it in, or {cure}.")


def refuse_misaligned(exog: Any, **others: Any) -> None:
    """Refuse labelled columns whose rows are labelled in another way than those of exog."""
    if not isinstance(exog, (pd.DataFrame, pd.Series)):
        return
    for name, values in others.items():
        if isinstance(values, (pd.Series, pd.DataFrame)) and not values.index.equals(exog.index):
            raise InputError(
                f"the rows of {name} and exog have different labels or another order; align them first, or give {name} "
                "as an array."
            )


def refuse_other_rows(n_endog: int, n_exog: int) -> None:
    """Refuse a response and a design of different lengths."""
    if n_endog != n_exog:
        raise InputError(f"endog and exog must have the same number of rows, got {n_endog} and {n_exog}.")


def refuse_lengths(n: int, **others: Any) -> None:
    """Refuse columns of other lengths than n."""
    for name, values in others.items():
        if values is not None and np.shape(values) != (n,):
            shape = shape_of(np.asarray(values))
            raise InputError(f"{name} must have one number for each of the {n} rows, got {shape}.")


def refuse_unknown(kwargs: dict[str, Any], name: str, known: str) -> None:
    """Refuse options that a model does not have; those that statsmodels adds by itself pass."""
    allowed = ("missing", "hasconst", "missing_idx", "formula", "model_spec", "design_info", "check_rank")
    odd = [key for key in kwargs if key not in allowed]
    if odd:
        raise InputError(f"{name} has no option {listed(odd)}; it has {known}.")
    missing = kwargs.get("missing", "none")
    if missing not in ("none", "drop", "raise"):
        raise InputError(f"missing must be one of 'none', 'drop', 'raise', got {missing!r}.")


def take_rows(data: Any, subset: Any, kwargs: dict[str, Any]) -> Any:
    """Some rows of the data, and of the weights and offsets, which have an entry for each row of the data.

    Rows without a weight or an offset are left out, unless `missing` says otherwise. statsmodels leaves out the others
    in which something is missing, if the weights and offsets are arrays.
    """
    if not isinstance(data, pd.DataFrame):
        return data
    columns = {key: kwargs[key] for key in ("freq_weights", "offset") if kwargs.get(key) is not None}
    for key, values in columns.items():
        if isinstance(values, pd.Series) and not values.index.equals(data.index):
            raise InputError(
                f"the rows of {key} and data have different labels or another order; align them first, or give {key} "
                "as an array."
            )
    columns = {key: as_float(values, key) for key, values in columns.items()}
    refuse_lengths(len(data), **columns)
    frame = data if subset is None else data.loc[subset]
    extra = pd.DataFrame(columns, index=data.index)
    extra = extra if subset is None else extra.loc[subset]
    if kwargs.get("missing", "drop") == "drop":
        known = extra.notna().all(axis=1).to_numpy()
        frame, extra = (frame, extra) if known.all() else (frame[known], extra[known])
    kwargs.update({key: extra[key].to_numpy() for key in columns})
    return frame


def refuse_one_class(code: NDArray[np.int64], weight: Array, labels: Sequence[Any]) -> None:
    """Each class needs a row that counts, and there must be two."""
    seen = np.bincount(code[weight > 0.0], minlength=len(labels)) > 0
    if seen.sum() < 2:
        only = [label for label, there in zip(labels, seen, strict=True) if there]
        raise InputError(
            f"endog has only one class among the rows that count, {listed(only)}, so that there is nothing to model; "
            "two are needed."
        )
    if not seen.all():
        absent = [label for label, there in zip(labels, seen, strict=True) if not there]
        raise InputError(f"no row that counts has the class {listed(absent)}; leave it out of the classes.")


def refuse_one_value(endog: Any) -> None:
    """Refuse a response that is the same in every row."""
    code, labels = read_nominal(endog)
    if len(labels) < 2:
        refuse_one_class(np.zeros(len(code), np.int64), np.ones(len(code)), list(labels))


def aliased_columns(r: Array, length: Array, n_columns: int) -> list[int]:
    """Columns that are constant or combinations of those before, from the triangular factor and the columns' lengths.

    They are looked for in their order, as R's glm does it.
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


def refuse_aliased(r: Array, length: Array, shape: tuple[int, ...], names: Sequence[Hashable], where: str = "") -> None:
    """Refuse columns that add nothing; r is the triangular factor of the columns, `length` their lengths."""
    found = [names[column] for column in aliased_columns(r, length, shape[1])]
    if not found:
        return
    few = f": {shape[0]} rows cannot determine {shape[1]} columns" if shape[0] < shape[1] else ""
    which = "is constant or a combination" if len(found) == 1 else "are constant or combinations"
    names_found = listed(found)
    raise InputError(
        f"exog is not of full rank{where}{few}; {names_found} {which} of the columns before: leave {names_found} out."
    )


def read_new_rows(exog: Any, names: Sequence[str], coefficients: Array, formula: bool) -> Array:
    """New rows of a design, whose linear predictors must be finite; `coefficients` has a row for each column.

    A formula keeps rows in which something is missing, and their predictions are missing, as in statsmodels and R.
    """
    values = as_float(exog, "exog")
    x = np.atleast_2d(values)
    if x.shape[1] != len(names):
        raise InputError(f"exog must have the {len(names)} columns of the fit, {listed(names)}, got {shape_of(x)}.")
    missing = np.isnan(x).any(axis=1)
    _refuse_not_finite(x, names, np.isinf(x) if formula else ~np.isfinite(x), "leave the row out")
    with np.errstate(over="ignore", invalid="ignore"):
        too_large = ~np.isfinite(x @ coefficients.reshape(len(names), -1)).all(axis=1) & ~missing
    if too_large.any():
        row = int(np.argmax(too_large))
        raise InputError(f"exog is so large in row {row} that its linear predictor overflows; leave the row out.")
    return values


def read_new_offset(offset: Any, n: int) -> Array:
    """Offsets of new rows: a finite number for each, or one for all."""
    values = as_float(offset, "offset")
    if values.ndim and values.shape != (n,):
        raise InputError(f"offset must be one number, or one for each of the {n} rows, got {shape_of(values)}.")
    if not np.isfinite(values).all():
        raise InputError("offset must be finite numbers; leave out the rows in which it is not.")
    return values


def read_weights(weights: Any, n: int) -> Array:
    """Frequency weights: finite numbers >= 0, not all 0."""
    if weights is None:
        return np.ones(n)
    values = as_float(weights, "freq_weights")
    if values.shape != (n,):
        raise InputError(f"freq_weights must have one number for each of the {n} rows, got {shape_of(values)}.")
    if not (np.isfinite(values) & (values >= 0.0)).all():
        raise InputError("freq_weights must be finite numbers of at least 0; 0 leaves a row out.")
    if not values.any():
        raise InputError("freq_weights is 0 in every row, so that nothing is left to fit.")
    return values


def read_params(params: Any, size: int, name: str = "start_params") -> Array:
    """Coefficients, class after class."""
    values = as_float(params, name)
    flat = values.ravel(order="F")
    if flat.size != size or not np.isfinite(flat).all():
        raise InputError(f"{name} must be {size} finite numbers, got {shape_of(values)}.")
    return flat


def read_ordered(endog: Any, categories: Any = None) -> tuple[Any, pd.Index]:
    """Numbers of ordered classes (nan where missing; with the index of a Series), and the classes."""
    endog = one_column(endog)
    values = pd.Series(endog)
    if categories is not None:
        labels = pd.Index(categories)
        if not labels.is_unique:
            raise InputError("categories must be different from each other.")
        odd = pd.Index(values.dropna().unique()).difference(labels)
        if len(odd):
            raise InputError(f"endog has classes that are not among the categories, {listed(odd)}; add them.")
        values = values.astype(pd.CategoricalDtype(labels, ordered=True))
    elif isinstance(values.dtype, pd.CategoricalDtype):
        if not values.dtype.ordered:
            raise InputError(
                f"endog has classes without an order, {listed(values.dtype.categories)}; make it an ordered "
                "Categorical, or give categories=, from the lowest to the highest."
            )
    else:
        if is_text(values):
            raise InputError(
                f"endog has words, {listed(pd.unique(values.dropna()))}, whose order is not known; make it an ordered "
                "Categorical, or give categories=, from the lowest to the highest."
            )
        as_float(values, "endog")
        labels = pd.Index(np.sort(values.dropna().unique()))
        values = values.astype(pd.CategoricalDtype(labels, ordered=True))
    code = values.cat.codes.astype(np.float64).where(values.notna())
    code.name = values.name
    return (code if isinstance(endog, pd.Series) else code.to_numpy()), values.cat.categories


def read_nominal(endog: Any) -> tuple[Any, pd.Index]:
    """Numbers of classes (nan where missing; with the index of a Series), and the classes, sorted or as Categorical."""
    endog = one_column(endog)
    values = pd.Series(endog).astype("category")
    code = values.cat.codes.astype(np.float64).where(values.notna())
    return (code if isinstance(endog, pd.Series) else code.to_numpy()), values.cat.categories


def response_name(formula: Any, data: Any) -> str | None:
    """The column of data that is the response of a formula, if it is a column as it is."""
    if not isinstance(formula, str) or "~" not in formula:
        raise InputError(f"the formula must be a string such as 'y ~ x1 + x2', got {formula!r}.")
    if not isinstance(data, pd.DataFrame):
        raise InputError(f"data must be a data frame, got {type(data).__name__}.")
    name = formula.split("~")[0].strip()
    return name if name in data else None


def look_further_out(kwargs: dict[str, Any], n_frames: int) -> None:
    """Shift `eval_env` past our own frames, so that a formula's names are looked up where the user called us.

    statsmodels' `Model` takes 1 for where its `from_formula` was called. Its documentation says 0, which is the frame
    of `from_formula` itself; so 0 is taken for 1.
    """
    depth = kwargs.get("eval_env", 1)
    if isinstance(depth, int) and depth >= 0:
        kwargs["eval_env"] = max(depth, 1) + n_frames


def code_response(formula: Any, data: Any, read: Callable[[Any], tuple[Any, pd.Index]]) -> tuple[Any, pd.Index | None]:
    """The data of a formula with its response, if that is a column, as numbers of classes; and the classes."""
    name = response_name(formula, data)
    if name is None:
        return data, None
    code, labels = read(data[name])
    return data.assign(**{name: code}), labels


def one_column(endog: Any) -> Any:
    """A response as one column of its own type."""
    if endog is None:
        raise InputError("endog is None; give the response.")
    if isinstance(endog, str):
        raise InputError("endog must be one column, got a string; for a formula use from_formula(formula, data).")
    if isinstance(endog, pd.DataFrame) and endog.shape[1] == 1:
        return endog.iloc[:, 0]
    if isinstance(endog, (pd.Series, pd.Categorical, pd.Index)):
        return endog
    array = np.asarray(endog)
    if np.ndim(array) > 1 and np.size(array) == len(array):
        array = np.ravel(array)
    if np.ndim(array) != 1:
        found = shape_of(array) if array.ndim else type(endog).__name__
        raise InputError(f"endog must be one column, got {found}.")
    return array


def read_frame(exog: Any, n: int, needs_column: bool = True) -> pd.DataFrame:
    """A design as a frame with names, one row for each of n."""
    refuse_design(exog, needs_column)
    values = as_float(exog, "exog")
    if isinstance(exog, pd.DataFrame):
        frame = exog
    elif isinstance(exog, pd.Series):
        frame = exog.to_frame(exog.name if exog.name is not None else "x1")
    else:
        values = values.reshape(len(values), -1)
        frame = pd.DataFrame(values, columns=[f"x{k + 1}" for k in range(values.shape[1])])
    refuse_other_rows(n, len(frame))
    return frame


def separated_words(columns: Sequence[Any], kind: str, where: str, cure: str) -> str:
    """What to say where data are separated."""
    which = "every outcome" if kind == "complete" else "some outcomes"
    if len(columns) == 1:
        what = f"{listed(columns)} predicts"
        its = "its maximum likelihood estimate is infinite (its standard error too)"
    else:
        what = f"a combination of {listed(columns)} predicts"
        its = "their maximum likelihood estimates are infinite (standard errors too)"
    return f"there is {kind} separation{where}: {what} {which} without error, so that {its}; {cure}"


def refuse_aliased_columns(x: Array, names: Sequence[Hashable]) -> None:
    """Refuse columns that are combinations of those before."""
    r = np.asarray(np.linalg.qr(x, mode="r"))
    refuse_aliased(r, np.linalg.norm(x, axis=0), x.shape, names)
