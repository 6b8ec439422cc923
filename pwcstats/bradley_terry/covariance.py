"""Covariance of the estimates: from the information, by random projections for many items, or by the sandwich."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array

from pwcstats._arrays import Array
from pwcstats.bradley_terry import checks as fits
from pwcstats.bradley_terry import reading as comparisons
from pwcstats.bradley_terry.likelihood import Covariates, Items, Likelihood, Point, outcome_scores
from pwcstats.bradley_terry.reading import Rows
from pwcstats.bradley_terry.table import make_table
from pwcstats.errors import InputError

# Up to here standard errors come from the whole inverse.
EXACT_ITEMS = 2000
SOLVE_TOLERANCE = 1e-10
# A residual says little of the error between groups that few comparisons join, so it must be small.
PROJECTION_TOLERANCE = 1e-10


@dataclass(frozen=True)
class CovarianceEstimate:
    """Covariance of the likelihood's parameters (abilities sum to 0), or the variances alone, or neither.

    `variance` is that of the reported parameters, with the reference item among them (0). `error` is the relative
    standard error of the reported standard errors, 0 where they are exact.
    """

    cov: Array | None
    variance: Array | None
    error: Array | None


def estimate(
    likelihood: Likelihood, point: Point, kind: str, ref: int | None, n_draws: int, seed: int | None
) -> CovarianceEstimate:
    """Covariance from the information: "full", "diag" or "none"."""
    if kind == "none":
        return CovarianceEstimate(None, None, None)
    if kind == "diag" and isinstance(likelihood.design, Items) and likelihood.design.size > EXACT_ITEMS:
        return _projected(likelihood, point, ref, n_draws, seed)
    cov = likelihood.covariance(point)[0] if point.cov is None else point.cov
    variance = _variances(cov, ref, likelihood.design.size)
    kept = kind == "full" or isinstance(likelihood.design, Covariates)
    return CovarianceEstimate(cov if kept else None, variance, np.zeros(len(variance)))


def relative(cov: Array, ref: int | None, size: int) -> Array:
    """Covariance with the ability of `ref` taken from the `size` abilities; extra parameters are left alone."""
    if ref is None:
        return cov
    out = cov.copy()
    out[:size] -= cov[ref]
    out[:, :size] -= out[:, [ref]]
    return out


def _variances(cov: Array, ref: int | None, size: int) -> Array:
    """The diagonal of `relative`."""
    diagonal = np.diagonal(cov).copy()
    if ref is not None:
        diagonal[:size] += cov[ref, ref] - 2.0 * cov[:size, ref]
        diagonal[ref] = 0.0
    return diagonal


def _projected(
    likelihood: Likelihood, point: Point, ref: int | None, n_draws: int, seed: int | None
) -> CovarianceEstimate:
    """Variances of many abilities by random projections, all else exact."""
    graph, size = likelihood.design.graph, likelihood.design.size  # type: ignore[attr-defined]
    variance = np.zeros(likelihood.n_params)
    variance[:size], spread, gaps = graph.diagonal_of_inverse(point.variance, PROJECTION_TOLERANCE, n_draws, seed, ref)
    solve = likelihood.solve(point, SOLVE_TOLERANCE)
    for k in range(size, likelihood.n_params):
        unit = np.zeros(likelihood.n_params)
        unit[k] = 1.0
        variance[k] = solve(unit)[k]
    if ref is not None:
        unit = np.zeros(size)
        unit[ref] = 1.0
        column = likelihood.design.solver(point.variance, SOLVE_TOLERANCE)(unit - 1.0 / size)
        variance[:size] += column[ref] - 2.0 * column
        # Squares of normal numbers: their mean over the draws has this relative standard error.
        rough = gaps * np.sqrt(2.0 / n_draws)
        better = (rough < spread) | (variance[:size] <= 0.0)
        variance[:size][better], spread[better] = gaps[better], rough[better]
        variance[ref] = 0.0
    if likelihood.n_extra:
        border = likelihood.border(point)
        through = likelihood.design.solver(point.variance, SOLVE_TOLERANCE)(border)
        schur = point.extra_information - border.T @ through
        if ref is not None:
            through = through - through[ref]
        variance[:size] += np.einsum("ij,jk,ik->i", through, np.linalg.inv(schur), through)
    error = np.zeros(likelihood.n_params)
    used = variance[:size] > 0.0
    error[:size][used] = spread[used] / (2.0 * variance[:size][used])
    return CovarianceEstimate(None, variance, error)


@dataclass(frozen=True)
class Scored:
    """Comparisons whose scores make the meat: the cell of each in the table, its weight, and its group.

    `nobs` is the number of comparisons, or of rows that have weights, for the correction for few groups; 0 for none.
    """

    cell: NDArray[np.int64]
    weight: Array
    group: NDArray[np.int64]
    nobs: float


def scored_rows(
    rows: Rows, data: pd.DataFrame | None, cov_type: str, cov_kwds: dict[str, Any] | None, rank: int
) -> Scored:
    """The comparisons as the sandwich needs them; `data` has the columns that groups may be named by."""
    options = fits.read_cov_kwds(cov_type, cov_kwds)
    cell = np.empty(len(rows.winner), np.int64)
    table = make_table(rows, False, cell)
    if cov_type == "HC0" and (rows.counted or rows.n_units == 0):
        # Equal comparisons have equal scores: one line for all, weighted by the root of their number.
        counts = table.counts.ravel()
        return Scored(np.arange(len(counts)), np.sqrt(counts), np.arange(len(counts)), 0.0)
    weight = rows.weight if len(rows.weight) else np.ones(len(cell))
    if cov_type == "HC0":
        return Scored(cell, weight, np.arange(len(cell)), 0.0)
    group = comparisons.read_groups(data, options["groups"], rows)
    nobs = rows.total if rows.counted else float(len(cell))
    if not options.get("use_correction", True):
        nobs = 0.0
    elif nobs <= rank:
        raise InputError(
            f"the correction for few groups needs more comparisons than parameters, got {nobs:g} and {rank}; set "
            "'use_correction': False in cov_kwds."
        )
    return Scored(cell, weight, group, nobs)


def sandwich(likelihood: Likelihood, point: Point, bread: Array, ref: int | None, scored: Scored) -> CovarianceEstimate:
    """Bread times meat times bread, the meat being the squares of the groups' scores."""
    table, design = likelihood.table, likelihood.design
    for_d, for_tie = (scores.ravel() for scores in outcome_scores(likelihood, point))
    pair = scored.cell // 3
    d, t = scored.weight * for_d[scored.cell], scored.weight * for_tie[scored.cell]
    n, n_groups = table.n_items, int(scored.group.max()) + 1
    parts = [(table.first[pair], d), (table.second[pair], -d)]
    if likelihood.order:
        parts.append((np.full(len(pair), n), d * table.ordered[pair]))
    if likelihood.tie:
        parts.append((np.full(len(pair), n + likelihood.order), t))
    columns, entries = (np.concatenate(part) for part in zip(*parts, strict=True))
    places = (np.tile(scored.group, len(parts)), columns)
    scores = coo_array((entries, places), shape=(n_groups, n + likelihood.n_extra)).tocsr()
    meat = (scores.T @ scores).toarray()
    for _ in range(2):  # rows, then columns
        meat = np.vstack([design.gather(meat[:n]), meat[n:]]).T
    cov = bread @ meat @ bread
    if scored.nobs:
        cov *= n_groups / (n_groups - 1.0) * (scored.nobs - 1.0) / (scored.nobs - likelihood.rank)
    return CovarianceEstimate(cov, _variances(cov, ref, design.size), np.zeros(len(cov)))
