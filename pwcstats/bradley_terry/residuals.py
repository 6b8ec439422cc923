"""Residuals of the comparisons, of pairs and of items."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._kernels.comparisons import LOSS, TIE, WIN
from pwcstats.bradley_terry.table import halve_ties, tabulate
from pwcstats.errors import InputError, arg

if TYPE_CHECKING:
    from pwcstats.bradley_terry.results import BradleyTerryResults

Kind = Literal["pearson", "deviance", "response", "working"]
By = Literal["comparison", "pair", "item"]


class Cells(NamedTuple):
    """Numbers of wins, losses and ties of each unit, observed and expected.

    `variance` is the variance of the points, of which a win has 1 and a tie has 1/2, and `slope` the derivative of
    their expectation by the linear predictor.
    """

    observed: Array
    expected: Array
    variance: Array
    slope: Array

    @property
    def surplus(self) -> Array:
        """Points above expectation."""
        gap = self.observed - self.expected
        return gap[:, WIN] + 0.5 * gap[:, TIE]


def _deviance(cells: Cells) -> Array:
    seen = cells.observed > 0.0
    ratio = np.where(seen, cells.observed, 1.0) / np.where(seen, cells.expected, 1.0)
    # Rounding may make it slightly negative.
    size = np.sqrt(np.maximum(2.0 * (cells.observed * np.log(ratio)).sum(axis=1), 0.0))
    return np.where(cells.surplus < 0.0, -size, size)


KINDS: dict[str, Callable[[Cells], Array]] = {
    "pearson": lambda cells: cells.surplus / np.sqrt(cells.variance),
    "deviance": _deviance,
    "response": lambda cells: cells.surplus / cells.observed.sum(axis=1),
    "working": lambda cells: cells.surplus / cells.slope,
}


def resid(results: "BradleyTerryResults", kind: Kind = "pearson", by: By = "comparison") -> pd.Series:
    r"""Residuals: how the results differ from what the model expects.

    A win is 1 point, a tie is 1/2 point, and a loss is 0 points. A positive residual means that the first item of the
    row or pair (the winner, in data with a winner and a loser) has more points than expected.

    Parameters
    ----------
    kind : {"pearson", "deviance", "response", "working"}
        "response": points for each comparison minus their expectation. "pearson": points minus their expectation,
        divided by their standard deviation. "deviance": signed root of the contribution to the deviance. "working":
        points minus their expectation, divided by the derivative of the expectation; this is the residual on the scale
        of the abilities.
    by : {"comparison", "pair", "item"}
        One residual for each row of the data, in the order of the rows; for each pair of items (and order, if it is
        known who went first); or for each item, from all of its comparisons.

    Returns
    -------
    Series
        Rows that are not in the fit, because their weight or all of their counts are 0, have a missing residual.

    Notes
    -----
    Without ties, or with ``ties="half"``, these are the residuals of logistic regression in R. If ties have a
    probability of their own, a comparison has three outcomes, so that no single residual contains all information; we
    use points. The squares of the deviance residuals of all pairs add up to the deviance of the fit.

    ``resid("working", by="item")`` is what ``residuals(model, type = "grouped")`` of the R package BradleyTerry2 gives.
    These are 0 if each item has its own ability. If abilities depend on covariates, they show which items are better or
    worse than their covariates suggest.

    Examples
    --------
    >>> from pwcstats import BradleyTerry
    >>> wins = [[0, 30, 25, 28], [10, 0, 18, 22], [15, 22, 0, 24], [12, 18, 16, 0]]
    >>> res = BradleyTerry(wins, items=["ant", "bee", "cat", "dog"]).fit()
    >>> res.resid(by="pair").round(2)
    first  second
    ant    bee       0.62
           cat      -0.23
           dog      -0.38
    bee    cat       0.27
           dog       0.30
    cat    dog       0.04
    Name: pearson, dtype: float64
    """
    kind_ = _params.choice(kind, get_args(Kind), "kind")
    cells, index = GROUPINGS[_params.choice(by, get_args(By), "by")](results)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = KINDS[kind_](cells)
    return pd.Series(np.where(cells.observed.any(axis=1), values, np.nan), index=index, name=kind_)


class _Entries(NamedTuple):
    """Comparisons with the same pair and outcome: unit, row of the table, whether sides are exchanged, counts."""

    unit: NDArray[np.int64]
    pair: NDArray[np.int64]
    flipped: NDArray[np.bool_]
    counts: Array


def _add_up(results: "BradleyTerryResults", entries: _Entries, n_units: int) -> Cells:
    """Sum the comparisons of each unit."""
    p = results._likelihood.probabilities(results._point.params)
    win, loss, tie = p.T
    variance, slope = win * loss + 0.25 * tie * (win + loss), results.spec.tie_model.slope(p)
    n = entries.counts.sum(axis=1)

    def total(x: Array) -> Array:
        return np.bincount(entries.unit, x, n_units).astype(np.float64)

    def sides(x: Array) -> Array:
        x = np.where(entries.flipped[:, None], x[:, [LOSS, WIN, TIE]], x)
        return np.column_stack([total(column) for column in x.T])

    return Cells(
        observed=sides(entries.counts),
        expected=sides(n[:, None] * p[entries.pair]),
        variance=total(n * variance[entries.pair]),
        slope=total(n * slope[entries.pair]),
    )


def _by_comparison(results: "BradleyTerryResults") -> tuple[Cells, pd.Index]:
    model, rows = results.model, results.model._rows
    if rows.n_units == 0:
        raise InputError(
            f"{arg('by', 'comparison')} needs data with one row per comparison, got a matrix of wins; use "
            f"{arg('by', 'pair')}."
        )
    table, cell = tabulate(rows, results.spec.contest_values)
    pair, outcome = np.divmod(cell, 3)
    flipped = (table.first[pair] != rows.winner) ^ (rows.sides < 0)
    counts = np.zeros((len(cell), 3))
    counts[np.arange(len(cell)), outcome] = rows.weights
    if results.spec.tie_model.halves:
        counts = halve_ties(counts)
    index = pd.RangeIndex(rows.n_units) if model._data is None else model._data.index
    return _add_up(results, _Entries(rows.units, pair, flipped, counts), rows.n_units), index


def _by_pair(results: "BradleyTerryResults") -> tuple[Cells, pd.Index]:
    table, items = results._likelihood.table, results.model.items
    # With contest covariates, a pair has several rows in the table.
    keys, unit = np.unique(
        np.column_stack([table.first, table.second, table.ordered == 0.0]), axis=0, return_inverse=True
    )
    levels = {"first": items[keys[:, 0]], "second": items[keys[:, 1]]}
    if keys[:, 2].any() and not keys[:, 2].all():
        levels["neutral"] = pd.Index(keys[:, 2] == 1)
    n = len(table.first)
    entries = _Entries(unit.ravel(), np.arange(n), np.zeros(n, np.bool_), table.counts)
    return _add_up(results, entries, len(keys)), pd.MultiIndex.from_arrays(list(levels.values()), names=list(levels))


def _by_item(results: "BradleyTerryResults") -> tuple[Cells, pd.Index]:
    table, n = results._likelihood.table, len(results._likelihood.table.first)
    entries = _Entries(
        unit=np.concatenate([table.first, table.second]).astype(np.int64),
        pair=np.tile(np.arange(n), 2),
        flipped=np.arange(2 * n) >= n,
        counts=np.tile(table.counts, (2, 1)),
    )
    return _add_up(results, entries, results.model.n_items), results.model.items


GROUPINGS: dict[str, Callable[["BradleyTerryResults"], tuple[Cells, pd.Index]]] = {
    "comparison": _by_comparison,
    "pair": _by_pair,
    "item": _by_item,
}
