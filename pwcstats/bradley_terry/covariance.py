"""Covariance of the estimates: from the information, by random projections for many items, or by the sandwich."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._clusters import cluster_correction, effective_number, read_groups_option, warn_if_few
from pwcstats._text import listed
from pwcstats.bradley_terry.likelihood import Covariates, Items, Likelihood, Point, outcome_scores
from pwcstats.bradley_terry.reading import Rows, read_groups
from pwcstats.bradley_terry.table import tabulate
from pwcstats.errors import FewClustersWarning, InputError, SeparationWarning, arg, warn

Cov = Literal["full", "diag", "none"]
CovType = Literal["nonrobust", "HC0", "cluster"]

# The full covariance of this many items takes 3 GB.
LARGEST_FULL = 20_000
# Up to this many items, standard errors come from the whole inverse of the information.
EXACT_ITEMS = 2000
# If the standard error of an ability is larger than this, not more than its sign is known.
LARGEST_ERROR = 100.0
SOLVE_TOLERANCE = 1e-10
# If few comparisons join two groups of items, a small residual does not imply a small error; so it must be tiny.
PROJECTION_TOLERANCE = 1e-10


@dataclass(frozen=True)
class CovarianceOptions:
    """Checked options of the covariance."""

    kind: str
    cov_type: str
    groups: Any
    use_correction: bool
    n_projections: int
    seed: int | None

    @property
    def robust(self) -> bool:
        """Whether the covariance is a sandwich."""
        return self.cov_type != "nonrobust"


def read_options(cov: Any, cov_type: Any, cov_kwds: Any, n_projections: Any, random_state: Any) -> CovarianceOptions:
    """Check the options of the covariance."""
    cov = _params.choice(cov, get_args(Cov), "cov")
    cov_type = _params.choice(cov_type, get_args(CovType), "cov_type")
    n_projections = _params.count(n_projections, "n_projections", 2)
    seed = _params.seed(random_state)
    if cov_type != "nonrobust" and cov != "full":
        raise InputError(f"{arg('cov_type', cov_type)} needs {arg('cov', 'full')}, got {arg('cov', cov)}.")
    groups, use_correction = read_groups_option(cov_type, cov_kwds)
    return CovarianceOptions(cov, cov_type, groups, use_correction, n_projections, seed)


@dataclass(frozen=True)
class CovarianceEstimate:
    """Covariance of the likelihood's parameters (abilities sum to 0), or only the variances, or neither.

    `variance` is the variance of the reported parameters and of the reference item (0). `error` is the relative
    standard error of the reported standard errors, 0 if they are exact. `n_groups` is the number of clusters, and
    `n_effective` their effective number. `df_model` is the effective number of parameters, if the covariance was
    computed.
    """

    cov: Array | None = None
    variance: Array | None = None
    error: Array | None = None
    n_groups: int | None = None
    n_effective: float | None = None
    df_model: float | None = None


def estimate(
    likelihood: Likelihood, point: Point, ref: int | None, options: CovarianceOptions, scored: "Scored | None"
) -> CovarianceEstimate:
    """Estimate the covariance; the sandwich needs `scored`."""
    if options.kind == "none":
        return CovarianceEstimate()
    design = likelihood.design
    if options.kind == "diag" and isinstance(design, Items) and design.size > EXACT_ITEMS:
        return _projected(likelihood, point, ref, options.n_projections, options.seed)
    cov = likelihood.covariance(point)[0] if point.cov is None else point.cov
    df_model = likelihood.effective_rank(point, cov)
    n_groups = n_effective = None
    if scored is not None:
        cov = _sandwich(likelihood, point, cov, scored)
        if options.cov_type == "cluster":
            n_groups, n_effective = scored.n_groups, scored.n_effective
    cov = likelihood.without_ghost(cov)
    variance = variances(cov, ref, likelihood.n_reported)
    kept = options.kind == "full" or isinstance(design, Covariates)
    return CovarianceEstimate(cov if kept else None, variance, np.zeros(len(variance)), n_groups, n_effective, df_model)


def no_correction(nobs: float, rank: int, observations: str) -> InputError:
    """The error if there are too few observations for the correction."""
    return InputError(
        f"the correction for few groups needs more {observations} than parameters, got {nobs:g} and {rank}; drop "
        f"covariates, or use {arg('cov_type', 'nonrobust')}."
    )


def warn_if_in_one_cluster(items: pd.Index, rows: Rows, group: NDArray[np.int64]) -> None:
    """Warn about items whose comparisons all come from one cluster.

    At the maximum, the scores of such an item add up to nearly 0, so that the sandwich hardly sees its errors.
    """
    low, high = np.full(len(items), group.max()), np.zeros(len(items), np.int64)
    for side in (rows.winner, rows.loser):
        np.minimum.at(low, side, group)
        np.maximum.at(high, side, group)
    alone = items[low == high]
    if len(alone):
        warn(
            FewClustersWarning(
                f"all comparisons of {listed(alone)} come from one cluster, so that their standard errors are far too "
                f"small; leave these items out, or use {arg('cov_type', 'nonrobust')}."
            )
        )


def warn_if_few_clusters(estimate: CovarianceEstimate) -> None:
    """Warn about clusters that are few, or of very unequal size."""
    if estimate.n_groups is not None and estimate.n_effective is not None:
        tests = f"Tests use the t distribution with {estimate.n_groups - 1} degrees of freedom, which is nearly right"
        warn_if_few(estimate.n_groups, estimate.n_effective, tests)


def warn_if_infinite(items: pd.Index, se: Array, penalised: bool) -> None:
    """Warn about standard errors that are practically infinite."""
    infinite = items[np.flatnonzero(se > LARGEST_ERROR)]
    if len(infinite):
        cure = "they have too few comparisons to be estimated" if penalised else f"use {arg('method', 'firth')}"
        warn(
            SeparationWarning(
                f"the estimates of {listed(infinite)} are practically infinite (standard errors up to {se.max():.3g}); "
                f"{cure}."
            )
        )


def no_standard_errors() -> InputError:
    """The error after ``cov="none"``."""
    return InputError(
        f"there are no standard errors after {arg('cov', 'none')}; fit with {arg('cov', 'full')} or "
        f"{arg('cov', 'diag')}."
    )


def relative(cov: Array, ref: int | None, size: int) -> Array:
    """Covariance with the ability of `ref` subtracted from the `size` abilities; extra parameters do not change."""
    if ref is None:
        return cov
    out = cov.copy()
    out[:size] -= cov[ref]
    out[:, :size] -= out[:, [ref]]
    return out


def variances(cov: Array, ref: int | None, size: int) -> Array:
    """The diagonal of `relative`."""
    diagonal = np.diagonal(cov).copy()
    if ref is not None:
        diagonal[:size] += cov[ref, ref] - 2.0 * cov[:size, ref]
        diagonal[ref] = 0.0
    return diagonal


def _projected(
    likelihood: Likelihood, point: Point, ref: int | None, n_draws: int, seed: int | None
) -> CovarianceEstimate:
    """Estimate variances of many abilities by random projections; all other parts are exact."""
    graph, size = likelihood.design.graph, likelihood.design.size  # type: ignore[attr-defined]
    n = likelihood.table.n_items
    variance = np.zeros(likelihood.n_params)
    variance[:size], spread, gaps = graph.diagonal_of_inverse(point.weights, PROJECTION_TOLERANCE, n_draws, seed, ref)
    solve = likelihood.solve(point, SOLVE_TOLERANCE)
    for k in range(size, likelihood.n_params):
        unit = np.zeros(likelihood.n_params)
        unit[k] = 1.0
        variance[k] = solve(unit)[k]
    if ref is not None:
        unit = np.zeros(size)
        unit[ref] = 1.0
        column = likelihood.design.solver(point, SOLVE_TOLERANCE)(unit - 1.0 / size)
        variance[:size] += column[ref] - 2.0 * column
        # The gaps are means of squares of normal numbers, so they have this relative standard error.
        rough = gaps * np.sqrt(2.0 / n_draws)
        better = (rough < spread) | (variance[:size] <= 0.0)
        variance[:size][better], spread[better] = gaps[better], rough[better]
        variance[ref] = 0.0
    elif likelihood.prior is not None:
        # Abilities of the items, without the ghost, sum to 0.
        mean = np.append(np.full(n, 1.0 / n), 0.0)
        column = likelihood.design.solver(point, SOLVE_TOLERANCE)(mean)
        variance[:size] += column[:n].mean() - 2.0 * column
    if likelihood.n_extra:
        border = likelihood.border(point)
        through = likelihood.design.solver(point, SOLVE_TOLERANCE)(border)
        schur = point.extra_information - border.T @ through
        through = through - (through[:n].mean(axis=0) if ref is None else through[ref])
        variance[:size] += np.einsum("ij,jk,ik->i", through, np.linalg.inv(schur), through)
    error = np.zeros(likelihood.n_params)
    used = variance[:size] > 0.0
    error[:size][used] = spread[used] / (2.0 * variance[:size][used])
    if likelihood.prior is not None:
        variance, error = np.delete(variance, n), np.delete(error, n)
    return CovarianceEstimate(None, variance, error)


@dataclass(frozen=True)
class Scored:
    """Comparisons whose scores make the meat of the sandwich: the cell of each in the table, its weight and its group.

    `group` is empty if each comparison is a group. `nobs` is the number of comparisons, or of rows if these have
    weights, for the correction for few groups; 0 means no correction.
    """

    cell: NDArray[np.int64]
    weight: Array
    group: NDArray[np.int64]
    nobs: float

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.group.max()) + 1 if len(self.group) else len(self.cell)

    @property
    def n_effective(self) -> float:
        """Effective number of groups: equal to their number if all have the same size, and else smaller."""
        return effective_number(self.group, self.weight)


def scored_rows(
    rows: Rows, data: pd.DataFrame | None, contest: Array | None, options: CovarianceOptions, rank: int
) -> Scored:
    """The comparisons as the sandwich needs them; `options.groups` may name a column of `data`."""
    table, cell = tabulate(rows, contest)
    if options.cov_type == "HC0" and (rows.counted or rows.n_units == 0):
        # Equal comparisons have equal scores: one entry for all of them, weighted by the root of their number.
        counts = table.counts.ravel()
        return Scored(np.arange(len(counts)), np.sqrt(counts), np.empty(0, np.int64), 0.0)
    if options.cov_type == "HC0":
        return Scored(cell, rows.sandwich_weights, np.empty(0, np.int64), 0.0)
    group = read_groups(data, options.groups, rows)
    nobs = rows.n_observations
    if not options.use_correction:
        nobs = 0.0
    elif nobs <= rank:
        raise no_correction(nobs, rank, "comparisons")
    return Scored(cell, rows.weights, group, nobs)


def _sandwich(likelihood: Likelihood, point: Point, bread: Array, scored: Scored) -> Array:
    """Bread times meat times bread, where the meat is the sum of squares of the groups' scores."""
    for_d, for_tie = (scores.ravel() for scores in outcome_scores(likelihood, point))
    pair = scored.cell // 3
    d, t = scored.weight * for_d[scored.cell], scored.weight * for_tie[scored.cell]
    if len(scored.group):
        meat = _group_squares(likelihood, pair, d, t, scored.group, scored.n_groups)
    else:
        meat = _squares(likelihood, pair, d, t)
    n = likelihood.design.n_nodes
    for _ in range(2):  # rows, then columns
        meat = np.vstack([likelihood.design.gather(meat[:n]), meat[n:]]).T
    cov = bread @ meat @ bread
    if scored.nobs:
        cov *= cluster_correction(scored.n_groups, scored.nobs, likelihood.rank)
    return cov


def _squares(likelihood: Likelihood, pair: NDArray[np.int64], d: Array, t: Array) -> Array:
    """Sum of squares of the comparisons' scores; `d` and `t` are their derivatives by d and by the tie parameter.

    It is what the information would be if squares of scores were variances.
    """
    table, n = likelihood.table, likelihood.design.n_nodes
    variance, cross = (
        np.asarray(np.bincount(pair, products, len(table.first)), np.float64) for products in (d * d, d * t)
    )
    joined = np.bincount(table.first.astype(np.int64) * n + table.second, variance, n * n).reshape(n, n)
    joined += joined.T
    border = likelihood.node_border(variance, cross)
    extra = likelihood.extra_information(variance, cross, float((t * t).sum()))
    return np.block([[np.diag(joined.sum(axis=1)) - joined, border], [border.T, extra]])


def _group_squares(
    likelihood: Likelihood, pair: NDArray[np.int64], d: Array, t: Array, group: NDArray[np.int64], n_groups: int
) -> Array:
    """Sum of squares of the groups' scores, which are sums of those of their comparisons."""
    table, n = likelihood.table, likelihood.design.n_nodes
    parts = [(table.first[pair], d), (table.second[pair], -d)]
    parts += [(np.full(len(pair), n + k), d * column[pair]) for k, column in enumerate(likelihood.x.T)]
    if likelihood.tie:
        parts.append((np.full(len(pair), n + likelihood.x.shape[1]), t))
    columns, entries = (np.concatenate(part) for part in zip(*parts, strict=True))
    indices = (np.tile(group, len(parts)), columns)
    scores = coo_array((entries, indices), shape=(n_groups, n + likelihood.n_extra)).tocsr()
    return (scores.T @ scores).toarray()
