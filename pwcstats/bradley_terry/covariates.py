"""Covariates of the items: from a data frame, an array, or a formula with its data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import patsy
from numpy.typing import NDArray

from pwcstats._arrays import Array, as_float
from pwcstats._text import listed, shape_of, shown
from pwcstats.bradley_terry.formulas import columns_in, evaluate_formula
from pwcstats.errors import InputError, arg, value


@dataclass(frozen=True)
class ItemCovariates:
    """Values that define the abilities, with a row for each item and a column for each coefficient.

    An item whose covariates are missing has an ability of its own: its row is 0 except for an indicator column, which
    is named after the item. These columns come first. `own` has the indices of these items.
    """

    values: Array
    labels: pd.Index
    own: NDArray[np.int64]


def read_covariates(
    covariates: Any, item_data: Any, items: pd.Index, environment: patsy.EvalEnvironment | None
) -> ItemCovariates:
    """Read the covariates of all `items`."""
    if isinstance(covariates, str):
        values, names = _from_formula(covariates, item_data, items, environment)
    elif item_data is not None:
        raise InputError(
            f"{arg('item_data')} is only used with a formula as {arg('covariates')}; leave {arg('item_data')} out."
        )
    elif isinstance(covariates, (pd.DataFrame, pd.Series)):
        frame = covariates.to_frame() if isinstance(covariates, pd.Series) else covariates
        frame = _rows_of_items(frame, "covariates", items)
        values, names = as_float(frame, "covariates"), [str(name) for name in frame.columns]
    else:
        values = as_float(covariates, "covariates")
        if values.ndim not in (1, 2) or len(values) != len(items):
            raise InputError(
                f"{arg('covariates')} must have one row for each of the {len(items)} items, got {shape_of(values)}."
            )
        values = values.reshape(len(items), -1)
        names = [f"x{k + 1}" for k in range(values.shape[1])]
    _check_values(values, names, items)
    return _with_own_abilities(values, names, items)


def _with_own_abilities(values: Array, names: Sequence[str], items: pd.Index) -> ItemCovariates:
    own = np.flatnonzero(np.isnan(values).any(axis=1))
    if not len(own):
        return ItemCovariates(values, pd.Index(names), own)
    indicators = np.zeros((len(items), len(own)))
    indicators[own, np.arange(len(own))] = 1.0
    values = values.copy()
    values[own] = 0.0
    labels = pd.Index([*items[own], *names], dtype=object, tupleize_cols=False)
    return ItemCovariates(np.hstack([indicators, values]), labels, own)


def _rows_of_items(frame: Any, name: str, items: pd.Index) -> pd.DataFrame:
    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"{arg(name)} must be a data frame indexed by item, got {type(frame).__name__}.")
    missing = items[~items.isin(frame.index)]
    if len(missing):
        raise InputError(f"{arg(name)} must have a row for each item; its index lacks {listed(missing)}.")
    if not frame.index.is_unique:
        repeated = frame.index[frame.index.duplicated()][0]
        raise InputError(f"{arg(name)} must have one row for each item, got more than one for {shown(repeated)}.")
    return frame.loc[items]


def _from_formula(
    formula: str, item_data: Any, items: pd.Index, environment: patsy.EvalEnvironment | None
) -> tuple[Array, list[str]]:
    if item_data is None:
        raise InputError(
            f"{arg('covariates')} is a formula, so {arg('item_data')} is needed: a data frame indexed by item."
        )
    frame = _rows_of_items(item_data, "item_data", items)
    is_complete = np.ones(len(frame), np.bool_)
    # patsy would give a missing string the code of the base level.
    for name in columns_in(formula, frame):
        if frame[name].isna().any():
            _check_any(frame[name].notna().to_numpy(), name, "item_data")
            is_complete &= frame[name].notna().to_numpy()
    _check_complete(is_complete)
    matrix = evaluate_formula(formula, frame[is_complete], environment, "covariates")
    matrix = matrix.drop(columns="Intercept", errors="ignore")
    values = as_float(matrix, "covariates")
    _check_finite(values, np.isfinite(values), list(matrix.columns), items[is_complete])
    names = [str(name) for name in matrix.columns]
    if is_complete.all():
        return values, names
    full = np.full((len(frame), values.shape[1]), np.nan)
    full[is_complete] = values
    return full, names


def _check_values(values: Array, names: Sequence[str], items: pd.Index) -> None:
    if not values.shape[1]:
        raise InputError(f"{arg('covariates')} has no column; leave it out to estimate one ability for each item.")
    is_missing = np.isnan(values)
    _check_finite(values, np.isfinite(values) | is_missing, names, items)
    for name, column in zip(names, is_missing.T, strict=True):
        _check_any(~column, name, "covariates")
    _check_complete(np.logical_not(is_missing.any(axis=1)))


def _check_finite(values: Array, is_right: NDArray[np.bool_], names: Sequence[str], items: pd.Index) -> None:
    if not is_right.all():
        item, column = np.argwhere(~is_right)[0]
        raise InputError(
            f"{arg('covariates')} must be finite numbers, got {value(float(values[item, column]))} in "
            f"{names[column]!r} of item {items[item]}; correct it, or make it missing to give this item an ability of "
            "its own."
        )


def _check_any(is_known: NDArray[np.bool_], name: Any, source: str) -> None:
    if not is_known.any():
        raise InputError(f"{shown(name)} is missing in {arg(source)} for all items; fill it in, or leave it out.")


def _check_complete(is_complete: NDArray[np.bool_]) -> None:
    if not is_complete.any():
        raise InputError(
            f"every item has a missing value in {arg('covariates')}, so that no coefficient can be estimated; fill "
            "them in, or leave out the covariates that are missing most."
        )
