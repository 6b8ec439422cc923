"""Contest covariates: from columns of the comparisons, a formula, a data frame or an array.

A value describes the first item of a row minus the second (in the form with `winner` and `loser`: the winner minus the
loser). It changes sign if the two items change places.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import patsy

from pwcstats._arrays import Array, as_float
from pwcstats._text import listed, shape_of, shown
from pwcstats.bradley_terry.formulas import evaluate_formula, refuse_missing
from pwcstats.bradley_terry.reading import Rows, named_column, refuse_other_order
from pwcstats.errors import InputError, arg, code, value

# Names of covariates, and their columns (or pairs of columns).
NamedColumns = dict[str, Any]


@dataclass(frozen=True)
class Contest:
    """Contest covariates: `values` has one row for each row of the comparisons, and one column for each of `names`.

    `source` says how they follow from columns: a formula that was built from the data, or the columns by name. It is
    None if they were given as numbers.
    """

    names: list[str]
    values: Array
    source: "patsy.DesignInfo | NamedColumns | None"

    def read_new(self, data: Any, n: int) -> Array:
        """Values of `n` new contests."""
        if isinstance(data, Mapping):
            data = pd.DataFrame({name: np.atleast_1d(x) for name, x in data.items()})
        if self.source is None or not isinstance(data, pd.DataFrame):
            given = as_float(data, "contest")
            if given.ndim == 1 and len(self.names) > 1 and n == 1:
                given = given[None]
            values = given.reshape(len(given), -1) if given.ndim else given.reshape(1, 1)
        elif isinstance(self.source, dict):
            values, _ = _from_columns(self.source, data, len(data))
        else:
            refuse_missing(data, self.source.describe(), "contest")
            values = evaluate_formula(self.source, data, None, "contest").to_numpy(dtype=np.float64)
        if values.shape[1] != len(self.names):
            raise InputError(
                f"{arg('contest')} must have the {len(self.names)} covariates {listed(self.names)}, got "
                f"{values.shape[1]}."
            )
        if len(values) == 1:
            values = np.repeat(values, n, axis=0)
        if len(values) != n:
            raise InputError(f"{arg('contest')} must have one row for each of the {n} contests, got {len(values)}.")
        _check_values(values, self.names, None)
        return values


def read_contest(
    contest: Any, rows: Rows, data: pd.DataFrame | None, order: bool, environment: patsy.EvalEnvironment | None
) -> Contest | None:
    """Read contest covariates; `order` tells whether the model has an order effect, which serves as intercept."""
    if contest is None:
        return None
    if rows.n_units == 0:
        raise InputError(
            f"{arg('contest')} describes single comparisons, and a matrix of wins has none; use "
            f"{code('from_comparisons')}."
        )
    source: patsy.DesignInfo | NamedColumns | None = None
    if isinstance(contest, str):
        if data is None:
            raise InputError(
                f"{arg('contest')} is a formula, but the comparisons were given as arrays; pass a data frame to "
                f"{code('from_comparisons')}."
            )
        refuse_missing(data, contest, "contest")
        # Without an order effect, all levels of a factor have a column.
        frame = evaluate_formula(contest if order else f"{contest} - 1", data, environment, "contest")
        source = frame.design_info
        frame = frame.drop(columns="Intercept", errors="ignore")
        if order:
            source = source.subset([term for term in source.term_names if term != "Intercept"])
        values, names = as_float(frame, "contest"), [str(name) for name in frame.columns]
    elif isinstance(contest, Mapping) or _are_names(contest):
        source = dict(contest) if isinstance(contest, Mapping) else {name: name for name in contest}
        values, names = _from_columns(source, data, rows.n_units)
    else:
        frame = contest.to_frame() if isinstance(contest, pd.Series) else contest
        values = as_float(frame, "contest")
        values = values.reshape(len(values), -1) if values.ndim else values
        if values.ndim != 2 or len(values) != rows.n_units:
            raise InputError(
                f"{arg('contest')} must have one row for each of the {rows.n_units} comparisons, got "
                f"{shape_of(values)}."
            )
        refuse_other_order(data, frame, "contest")
        columns = frame.columns if isinstance(frame, pd.DataFrame) else range(1, values.shape[1] + 1)
        names = [str(name) if isinstance(frame, pd.DataFrame) else f"x{name}" for name in columns]
    if not names:
        raise InputError(f"{arg('contest')} has no covariate; leave it out, or use {arg('order_effect')}.")
    _check_values(values, names, data)
    return Contest(names, values, source)


def _are_names(contest: Any) -> bool:
    return isinstance(contest, (list, tuple)) and all(isinstance(name, str) for name in contest)


def _from_columns(columns: NamedColumns, data: pd.DataFrame | None, n: int) -> tuple[Array, list[str]]:
    """Columns by name, or differences of two columns: the one of the first item minus the one of the second."""
    found = []
    for given in columns.values():
        both = given if isinstance(given, tuple) else (given,)
        if len(both) not in (1, 2):
            raise InputError(
                f"{arg('contest')} takes a column, or a pair of columns (of the first and of the second item), got "
                f"{value(given)}."
            )
        parts = [as_float(named_column(data, name, "contest", n), "contest") for name in both]
        found.append(parts[0] - parts[1] if len(parts) == 2 else parts[0])
    return np.column_stack(found) if found else np.empty((n, 0)), [str(name) for name in columns]


def _check_values(values: Array, names: list[str], data: pd.DataFrame | None) -> None:
    bad = ~np.isfinite(values)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        label = row if data is None or len(data) != len(values) else data.index[row]
        raise InputError(
            f"{arg('contest')} must be finite numbers, got {value(float(values[row, column]))} in "
            f"{shown(names[column])} of row {label}; fill it in, or drop the row."
        )
