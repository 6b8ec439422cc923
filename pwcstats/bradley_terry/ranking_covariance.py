"""Covariance of the estimates of rankings: from the information, or by the sandwich."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from pwcstats._clusters import cluster_correction, effective_number
from pwcstats._text import shape_of
from pwcstats.bradley_terry.choices import RankingLikelihood, RankingPoint, ranges
from pwcstats.bradley_terry.covariance import (
    CovarianceEstimate,
    CovarianceOptions,
    no_correction,
    variances,
)
from pwcstats.bradley_terry.orderings import Orderings
from pwcstats.errors import InputError, arg, value


def estimate_covariance(
    rankings: Orderings,
    data: pd.DataFrame | None,
    likelihood: RankingLikelihood,
    point: RankingPoint,
    ref: int | None,
    options: CovarianceOptions,
) -> CovarianceEstimate:
    """Estimate the covariance of all parameters."""
    cov = likelihood.covariance(point)[0] if point.cov is None else point.cov
    df_model = likelihood.effective_rank(point, cov)
    n_groups = n_effective = None
    if options.robust:
        group = np.arange(rankings.n)
        factor = 1.0
        if options.cov_type == "cluster":
            group = read_groups(rankings, data, options.groups)
            n_groups = int(group.max()) + 1
            n_effective = effective_number(group, rankings.weight)
            if options.use_correction:
                if rankings.n <= likelihood.rank:
                    raise no_correction(rankings.n, likelihood.rank, "rankings")
                factor = cluster_correction(n_groups, rankings.n, likelihood.rank)
        scores = _scores(rankings, likelihood, point)
        by_group = coo_array((np.ones(rankings.n), (group, np.arange(rankings.n)))).tocsr() @ scores
        cov = factor * cov @ (by_group.T @ by_group).toarray() @ cov
    cov = likelihood.without_ghost(cov)
    variance = variances(cov, ref, likelihood.n_reported)
    return CovarianceEstimate(cov, variance, np.zeros(len(variance)), n_groups, n_effective, df_model)


def _scores(rankings: Orderings, likelihood: RankingLikelihood, point: RankingPoint) -> csr_array:
    """Scores of each ranking, one row each: statistics of its choices minus their expectations."""
    choices = likelihood.choices
    n_sets, n_params, n_nodes = len(choices.weight), likelihood.n_params, likelihood.n_nodes
    weight = rankings.weight[choices.ranking]
    # Chosen items, and ties.
    tied = np.flatnonzero(choices.n_chosen > 1)
    rows = np.concatenate([np.repeat(choices.ranking, choices.n_chosen), choices.ranking[tied]])
    order = np.searchsorted(choices.order, choices.n_chosen[tied])
    columns = np.concatenate([rankings.item[ranges(choices.first, choices.n_chosen)], n_nodes + order])
    entries = np.concatenate([np.repeat(weight / choices.n_chosen, choices.n_chosen), weight[tied]])
    seen = coo_array((entries, (rows, columns)), shape=(rankings.n, n_params)).tocsr()
    # Expectations for each set; those of the ghost's sets, which come last, are left out.
    size = choices.size
    rows = np.concatenate([np.repeat(np.arange(n_sets), size), np.repeat(np.arange(n_sets), likelihood.n_extra)])
    columns = np.concatenate([choices.item, np.tile(np.arange(n_nodes, n_params), n_sets)])
    means = np.concatenate([point.mean[: len(choices.item)], point.tie_mean[:n_sets].ravel()])
    expected = coo_array((means, (rows, columns)), shape=(n_sets, n_params)).tocsr()
    made = coo_array((weight, (choices.ranking, choices.chosen_from)), shape=(rankings.n, n_sets)).tocsr()
    return csr_array(seen - made @ expected)


def read_groups(rankings: Orderings, data: pd.DataFrame | None, groups: Any) -> NDArray[np.int64]:
    """Group of each ranking, as an integer code."""
    if rankings.row_ranking is not None and data is not None and isinstance(groups, Hashable) and groups in data:
        column = _by_ranking(rankings.row_ranking, data[groups], groups)
    elif isinstance(groups, str) or np.ndim(groups) != 1 or len(groups) != rankings.n_units:
        got = value(groups) if isinstance(groups, str) or np.ndim(groups) == 0 else shape_of(np.asarray(groups))
        raise InputError(
            f"{arg('groups')} must be a column of the data, or have an entry for each of the {rankings.n_units} "
            f"rankings, got {got}."
        )
    else:
        column = pd.Series(groups)
    codes, labels = pd.factorize(column.iloc[rankings.unit])
    if (codes < 0).any():
        raise InputError(f"{arg('groups')} has missing values; fill them in, or drop these rankings.")
    if len(labels) < 2:
        raise InputError(f"{arg('groups')} must have at least 2 groups among the rankings, got 1.")
    return codes.astype(np.int64)


def _by_ranking(ranking: NDArray[np.int64], column: pd.Series, name: Hashable) -> pd.Series:
    """A column of long data, which must be constant in each ranking, with an entry for each ranking."""
    by_ranking = column.groupby(ranking, sort=True)
    if (by_ranking.nunique(dropna=False) > 1).any():
        raise InputError(f"the groups {name!r} must be the same in all rows of a ranking.")
    return by_ranking.first()
