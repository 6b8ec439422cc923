"""Responses of the binary model: two labels of any kind, or numbers of successes and failures."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pwcstats._arrays import Array, as_float
from pwcstats._text import listed, shape_of
from pwcstats.errors import InputError, arg, code
from pwcstats.logit import reading

_COUNTS = f"use two columns, successes and failures, or {arg('trials')}"


class Outcome(NamedTuple):
    """A binary response: shares of successes, 0 or 1 without trials; trials, if there are any; failure and success.

    Missing values are NaN. Series and data frames give a Series with their index.
    """

    share: Any
    trials: Array | None
    labels: pd.Index


def read_outcome(endog: Any, trials: Any = None) -> Outcome:
    """Read a response of labels, or of successes and failures; with `trials`, it has successes only."""
    reading.check_given(endog)
    trials = reading.read_column(trials, "trials")
    table = endog if isinstance(endog, (pd.DataFrame, pd.Series, pd.Index, pd.Categorical)) else np.asarray(endog)
    n_columns = table.shape[1] if table.ndim == 2 else 1
    if n_columns == 1:
        return _read_labels(endog) if trials is None else _read_successes(endog, trials)
    levels = _levels_of(table)
    if levels is not None:
        return _read_labels(levels)
    if n_columns != 2:
        raise InputError(
            f"{arg('endog')} must be one column, or two columns of successes and failures, got {shape_of(table)}."
        )
    outcome = _read_two_columns(table)
    if trials is not None and not np.array_equal(trials, np.asarray(outcome.trials), equal_nan=True):
        raise InputError(
            f"{arg('trials')} must be the sum of the columns of {arg('endog')}, successes and failures; leave "
            f"{arg('trials')} out, or give the successes only."
        )
    return outcome


def _read_labels(endog: Any) -> Outcome:
    column = reading.one_column(endog)
    values = pd.Series(column)
    labels = reading.seen_labels(values)
    if not reading.is_text(values) and labels.dtype.kind not in "mM":
        _check_whole(labels)
    if len(labels) > 2:
        raise InputError(
            f"{arg('endog')} must have two labels, got {listed(labels)}; for more than two classes use "
            f"{code('FirthMNLogit')}, for counts {_COUNTS}."
        )
    if len(labels) < 2:
        labels = _with_absent(values, labels)
    codes = pd.Series(np.nan, index=values.index, name=values.name)
    known = values.notna()
    codes[known] = (values[known] == labels[-1]).astype(np.float64) if len(labels) == 2 else 0.0
    return Outcome(codes if isinstance(column, pd.Series) else codes.to_numpy(), None, labels)


def _check_whole(labels: pd.Index) -> None:
    """Refuse fractions, which are shares rather than labels."""
    numbers = as_float(labels, "endog")
    odd = numbers[~np.isfinite(numbers) | (numbers != np.round(numbers))]
    if len(odd):
        found = listed(f"{number:g}" for number in odd)
        raise InputError(f"{arg('endog')} must be 0 or 1 in each row, got {found}; for shares {_COUNTS}.")


def _with_absent(values: Any, labels: pd.Index) -> pd.Index:
    """Both labels if only one has been seen: a Categorical of two knows the other, and so do 0, 1 and booleans."""
    if isinstance(values.dtype, pd.CategoricalDtype) and len(values.dtype.categories) == 2:
        return values.dtype.categories
    if len(labels) == 1 and not isinstance(labels[0], str) and labels[0] in (0, 1):
        return pd.Index([0, 1])
    return labels


def _read_successes(endog: Any, trials: Array) -> Outcome:
    column = reading.one_column(endog)
    successes = as_float(column, "endog")
    reading.check_lengths(len(successes), trials=trials)
    _check_counts(successes, f"{arg('endog')}")
    _check_counts(trials, f"{arg('trials')}")
    too_many = successes > trials
    if too_many.any():
        row = int(np.argmax(too_many))
        raise InputError(
            f"{arg('endog')} must not be larger than {arg('trials')}, got {successes[row]:g} and {trials[row]:g} in "
            f"row {row}."
        )
    return _shares(column, successes, trials, pd.Index(["failure", "success"]))


def _read_two_columns(table: Any) -> Outcome:
    counts = as_float(table, "endog")
    labels = pd.Index(["failure", "success"])
    column = table
    if isinstance(table, pd.DataFrame):
        successes, failures = map(str, table.columns)
        if ":" in failures:
            raise InputError(
                f"in a formula, {code(f'{successes} / ...')} does not divide; {_COUNTS} by name, with successes alone "
                "on the left."
            )
        labels = pd.Index([failures, successes])
        column = pd.Series(counts[:, 0], index=table.index, name=f"{successes} + {failures}")
    for k, what in enumerate(("successes", "failures")):
        _check_counts(counts[:, k], what)
    return _shares(column, counts[:, 0], counts.sum(axis=1), labels)


def _check_counts(values: Array, what: str) -> None:
    with np.errstate(invalid="ignore"):
        bad = (values < 0.0) | (values != np.round(values)) | np.isinf(values)
    bad &= ~np.isnan(values)
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(
            f"{what} must be whole numbers of at least 0, got {values[row]:g} in row {row}; for other weights of rows "
            f"use {arg('freq_weights')}."
        )


def _shares(like: Any, successes: Array, trials: Array, labels: pd.Index) -> Outcome:
    """Shares of successes, as a Series if the response had an index."""
    if (trials == 0.0).any():
        row = int(np.argmax(trials == 0.0))
        raise InputError(f"row {row} of {arg('endog')} has no trials; leave it out.")
    share = successes / trials
    return Outcome(
        pd.Series(share, index=like.index, name=like.name) if isinstance(like, pd.Series) else share,
        np.where(np.isnan(share), np.nan, trials),
        labels,
    )


def _levels_of(table: Any) -> Any:
    """The levels of a response that a formula has expanded to indicators, as a Series; otherwise None."""
    info = getattr(table, "design_info", None)
    factors = [] if info is None else list(info.factor_infos.values())
    if len(factors) != 1 or factors[0].type != "categorical":
        return None
    indicators = np.asarray(table, dtype=np.float64)
    code = np.where(np.isnan(indicators).any(axis=1), -1, indicators.argmax(axis=1))
    levels = pd.Categorical.from_codes(code.astype(np.int64), categories=pd.Index(factors[0].categories))
    return pd.Series(levels, index=table.index, name=factors[0].factor.name())
