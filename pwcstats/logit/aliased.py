"""Aliased columns, which are constant or combinations of the columns before them: their coefficients are missing.

As in R's ``glm``, they are left out of the fit. The model has the other columns; what users see has all of them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from statsmodels.base.data import ModelData, PandasData

from pwcstats._arrays import Array
from pwcstats._text import listed
from pwcstats.errors import AliasedWarning, InputError, arg, warn

# What statsmodels labels by coefficients: vectors, tables, and matrices.
_VECTORS, _MATRICES = ("columns", "columns_eq", "multivariate_confint"), ("cov", "cov_eq")


class _AliasedData:
    """Mixed into statsmodels' data: results get missing entries for the columns that were left out."""

    every: list[str]
    is_kept: NDArray[np.bool_]

    @property
    def xnames(self) -> list[str]:
        """Names of the columns of the model."""
        return [name for name, kept in zip(self.every, self.is_kept, strict=True) if kept]

    def wrap_output(self, obj: Any, how: str = "columns", names: Any = None) -> Any:
        """Labels for results, and missing entries."""
        found = super().wrap_output(obj, how, names)  # type: ignore[misc]
        if how not in _VECTORS + _MATRICES or found is None:
            return found
        return _widened(found, self.every, self.is_kept, how in _MATRICES)


class _AliasedPandas(_AliasedData, PandasData):
    pass


class _AliasedArrays(_AliasedData, ModelData):
    pass


def _widened(values: Any, every: list[str], is_kept: NDArray[np.bool_], both: bool) -> Any:
    if isinstance(values, (pd.Series, pd.DataFrame)):
        index = pd.Index(every)
        if values.index.nlevels > 1:
            index = pd.MultiIndex.from_product((values.index.unique(level=0), every), names=values.index.names)
        wide = values.reindex(index)
        return wide.T.reindex(index).T if both else wide
    array = np.asarray(values)
    # Intervals of several classes have the classes first.
    axes = (0, 1) if both else (1,) if array.ndim == 3 else (0,)
    for axis in axes:
        mask = np.tile(is_kept, array.shape[axis] // int(is_kept.sum()))
        wide_shape = [*array.shape[:axis], len(mask), *array.shape[axis + 1 :]]
        wide_array = np.full(wide_shape, np.nan)
        wide_array[(slice(None),) * axis + (mask,)] = array
        array = wide_array
    return array


def leave_out(model: Any, columns: list[int]) -> None:
    """Leave columns out of a model of statsmodels, and warn."""
    data, names = model.data, list(map(str, model.exog_names))
    is_kept = np.ones(len(names), np.bool_)
    is_kept[columns] = False
    if not is_kept.any():
        raise InputError(f"all columns of {arg('exog')} are 0 in the rows that count; add a column.")
    model.all_exog, model.left_out = np.asarray(data.exog, dtype=np.float64), [names[k] for k in columns]
    model.exog = data.exog = np.ascontiguousarray(model.all_exog[:, is_kept])
    if isinstance(data, PandasData):
        data.orig_exog = data.orig_exog.iloc[:, np.flatnonzero(is_kept)]
    data.every, data.is_kept = names, is_kept
    data.const_idx = _constant(model.exog, is_kept, data.const_idx)
    data.__class__ = _AliasedPandas if isinstance(data, PandasData) else _AliasedArrays
    model._data_attr.append("all_exog")
    warn_of_aliased(model.left_out)


def aliased_note(names: Sequence[str]) -> str:
    """A sentence for summaries."""
    return f"Missing, because constant or combinations of the columns before: {', '.join(names)}."


def warn_of_aliased(names: list[str]) -> None:
    """Warn that columns were left out."""
    which = "coefficient of {} is" if len(names) == 1 else "coefficients of {} are"
    one = "it is constant or a combination" if len(names) == 1 else "they are constant or combinations"
    warn(AliasedWarning(f"the {which.format(listed(names))} missing, because {one} of the columns before."))


def _constant(exog: Array, is_kept: NDArray[np.bool_], index: int | None) -> int | None:
    """The index of the constant among the columns that are kept."""
    if index is not None and is_kept[index]:
        return int(is_kept[:index].sum())
    constant = np.flatnonzero((np.ptp(exog, axis=0) == 0.0) & (exog[0] != 0.0))
    return int(constant[0]) if len(constant) else None


def kept_contrasts(model: Any, r_matrix: Any) -> Any:
    """Linear combinations of all coefficients as combinations of those that are not missing."""
    if not model.left_out or r_matrix is None:
        return r_matrix
    if isinstance(r_matrix, tuple):
        return (kept_contrasts(model, r_matrix[0]), *r_matrix[1:])
    texts = [r_matrix] if isinstance(r_matrix, str) else r_matrix
    if any(isinstance(text, str) for text in texts):
        missing = [name for name in model.left_out if any(name in text for text in texts)]
        combinations = r_matrix
    else:
        combinations = np.atleast_2d(np.asarray(r_matrix, dtype=np.float64))
        n_equations = combinations.shape[1] // len(model.data.every)
        mask = np.tile(model.data.is_kept, n_equations)
        if len(mask) != combinations.shape[1]:
            raise InputError(
                f"{arg('r_matrix')} must have a column for each coefficient, also for those that are missing, "
                f"{listed(model.left_out)}."
            )
        used = (combinations[:, ~mask] != 0.0).sum(axis=0) > 0
        missing = [name for name, one in zip(model.left_out * n_equations, used, strict=True) if one]
        combinations = combinations[:, mask]
    if missing:
        raise InputError(f"the coefficient of {listed(missing)} is missing, so it cannot be tested.")
    return combinations


def refuse_aliased(model: Any, what: str) -> None:
    """Refuse what needs the coefficients of all columns."""
    aliased = getattr(model, "left_out", [])
    if aliased:
        raise InputError(
            f"{what} needs the coefficients of all columns, but those of {listed(aliased)} are missing; leave these "
            f"columns out."
        )
