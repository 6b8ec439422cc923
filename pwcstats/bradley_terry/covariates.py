"""Covariates of the items: from a data frame, an array, or a formula with its data."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import patsy

from pwcstats._arrays import Array, as_float
from pwcstats._text import listed, shape_of, shown
from pwcstats.bradley_terry.formulas import evaluate_formula
from pwcstats.errors import InputError, arg, value


def read_covariates(
    covariates: Any, item_data: Any, items: pd.Index, environment: patsy.EvalEnvironment | None
) -> tuple[Array, list[str]]:
    """Values of the covariates, one row for each of `items`, and names of the covariates."""
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
    return values, names


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
    for name in frame.columns[frame.isna().any()]:
        # patsy would give a missing string the code of the base level.
        if re.search(rf"(?<!\w){re.escape(str(name))}(?!\w)", formula):
            missing = items[frame[name].isna().to_numpy()]
            raise InputError(
                f"{shown(name)} is missing in {arg('item_data')} for {listed(missing)}; fill it in, or leave these "
                "items out."
            )
    matrix = evaluate_formula(formula, frame, environment, "covariates")
    matrix = matrix.drop(columns="Intercept", errors="ignore")
    return as_float(matrix, "covariates"), [str(name) for name in matrix.columns]


def _check_values(values: Array, names: Sequence[str], items: pd.Index) -> None:
    bad = ~np.isfinite(values)
    if bad.any():
        item, column = np.argwhere(bad)[0]
        raise InputError(
            f"{arg('covariates')} must be finite numbers, got {value(float(values[item, column]))} in "
            f"{names[column]!r} of item {items[item]}; fill it in, or leave out the comparisons of this item."
        )
    if not values.shape[1]:
        raise InputError(f"{arg('covariates')} has no column; leave it out to estimate one ability for each item.")
