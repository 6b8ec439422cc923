"""Formulas for covariates of items and of contests."""

import numbers
import re
from typing import Any

import numpy as np
import pandas as pd
import patsy

from pwcstats._text import did_you_mean, listed, shown
from pwcstats.bradley_terry.reading import ADDED_UP
from pwcstats.errors import InputError, arg, code, value


def read_environment(eval_env: Any, n_frames: int) -> patsy.EvalEnvironment:
    """Where the names in a formula are looked up: `eval_env` frames out from `n_frames` above the caller of this."""
    if isinstance(eval_env, patsy.EvalEnvironment):
        return eval_env
    if isinstance(eval_env, (bool, np.bool_)) or not isinstance(eval_env, numbers.Integral) or eval_env < -1:
        raise InputError(
            f"{arg('eval_env')} must be a whole number of at least -1 or an EvalEnvironment, got {value(eval_env)}."
        )
    if eval_env == -1:
        return patsy.EvalEnvironment([{}])
    try:
        return patsy.EvalEnvironment.capture(int(eval_env), reference=n_frames + 1)
    except ValueError:
        raise InputError(
            f"{arg('eval_env')} is {eval_env}, but fewer functions are being called; use a smaller number."
        ) from None


def columns_in(formula: str, frame: pd.DataFrame) -> list[Any]:
    """Columns of a data frame whose names occur in a formula."""
    return [name for name in frame.columns if re.search(rf"(?<!\w){re.escape(str(name))}(?!\w)", formula)]


def refuse_missing(frame: pd.DataFrame, formula: str, name: str) -> None:
    """Raise an error if a column of the formula has missing values, which patsy would take for the base level."""
    for column in columns_in(formula, frame):
        missing = frame[column].isna()
        if missing.any():
            label = frame.index[int(np.argmax(missing.to_numpy()))]
            raise InputError(
                f"{shown(column)}, which {arg(name)} uses, is missing in {int(missing.sum())} of {len(frame)} rows "
                f"(the first is row {label}); fill it in, or drop these rows."
            )


def evaluate_formula(
    formula: Any, frame: pd.DataFrame, environment: patsy.EvalEnvironment | None, name: str
) -> pd.DataFrame:
    """The design matrix of a formula (or of its design information); `name` is the parameter of the formula."""
    try:
        if isinstance(formula, patsy.DesignInfo):
            return patsy.build_design_matrices([formula], frame, patsy.NAAction(NA_types=[]), return_type="dataframe")[
                0
            ]
        return patsy.dmatrix(formula, frame, environment, patsy.NAAction(NA_types=[]), return_type="dataframe")
    except patsy.PatsyError as error:
        reason, hint = " ".join(error.message.split()), ""
        if isinstance(error.__cause__, NameError) and error.__cause__.name:
            unknown = error.__cause__.name
            hint = did_you_mean(unknown, frame.columns)
            if ADDED_UP in frame.attrs and not hint:
                keep = f"to use a column, name it in {arg('keep')} of {code('from_comparisons')}"
                hint = f" The comparisons were added up by pair; {keep}."
            reason = f"{unknown!r} is neither one of the columns {listed(frame.columns)} nor a variable of the caller"
        raise InputError(f"the formula of {arg(name)} cannot be used: {reason}.{hint}") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(f"the formula of {arg(name)} cannot be used: {error}.") from None
