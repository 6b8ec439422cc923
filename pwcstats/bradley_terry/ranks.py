"""Which ranks an item may hold."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from pwcstats._arrays import Array
from pwcstats._kernels.ranks import largest_differences

Ranks = NDArray[np.int64]
# Draws of one call of the kernel, so that Ctrl-C is noticed.
CHUNK = 100


def rank_sets(
    ability: Array,
    cov: Array,
    level: float,
    simultaneous: bool,
    n_draws: int,
    seed: int | None,
    df: int | None = None,
) -> tuple[Ranks, Ranks, Array]:
    """Lowest and highest rank of each item, those that significantly better and worse ones leave, and critical values.

    The critical value is the `level` quantile of the largest standardised difference, over all pairs or over the
    pairs of one item, under the normal distribution of the estimates or, with `df`, the t distribution.
    """
    n = len(ability)
    diagonal = np.diagonal(cov)
    # Differences from the first item: their covariance is definite.
    rest = cov[1:, 1:] - cov[1:, :1] - cov[:1, 1:] + cov[0, 0]
    root = _root(rest)
    draws = np.zeros((n_draws, n))
    rng = np.random.default_rng(seed)
    draws[:, 1:] = rng.standard_normal((n_draws, n - 1)) @ root.T
    if df is not None:
        draws /= np.sqrt(rng.chisquare(df, (n_draws, 1)) / df)
    variance = diagonal[:, None] + diagonal - 2.0 * cov
    # Items that covariates make equal never differ.
    known = variance <= 1e-12 * variance.max()
    precision = np.where(known, 0.0, 1.0 / np.sqrt(np.where(known, 1.0, variance)))
    largest = np.empty((n_draws, n))
    with ThreadPoolExecutor() as pool:
        starts = range(0, n_draws, CHUNK)
        list(pool.map(lambda s: largest_differences(draws, precision, s, min(s + CHUNK, n_draws), largest), starts))
    if simultaneous:
        critical = np.full(n, np.quantile(largest.max(axis=1), level))
    else:
        critical = np.quantile(largest, level, axis=0)
    lead = (ability[:, None] - ability) * precision
    return 1 + (lead < -critical[:, None]).sum(axis=1), n - (lead > critical[:, None]).sum(axis=1), critical


def _root(cov: Array) -> Array:
    """A root of a covariance, which is singular where there are fewer covariates, or groups, than items."""
    try:
        return np.asarray(np.linalg.cholesky(cov), dtype=np.float64)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(cov)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
