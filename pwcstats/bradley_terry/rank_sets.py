"""Sets of ranks that an item may hold."""

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats import _native, _params
from pwcstats._arrays import Array
from pwcstats.bradley_terry.hypotheses import check_finite

if TYPE_CHECKING:
    from pwcstats.bradley_terry.ability_results import AbilityResults

Ranks = NDArray[np.int64]
# Number of draws in one call of the kernel, which works on 16 at once. It is small, so that Ctrl-C is noticed soon.
CHUNK = 96


def ranks(
    results: "AbilityResults",
    alpha: float = 0.05,
    simultaneous: bool = True,
    n_draws: int = 10_000,
    random_state: int | None = 0,
) -> pd.DataFrame:
    """Sets of ranks that each item may hold; rank 1 is the best.

    All significantly better items rank before an item, and all significantly worse items rank behind it; its set
    consists of the ranks that remain. Significance is judged by the largest of the standardised differences [1]_:
    over all pairs, so that all sets are right together with probability 1 - alpha, or over the pairs of each item.

    Parameters
    ----------
    alpha : float
        Significance level; all sets (or, if not `simultaneous`, each set) contain the true ranks with probability
        1 - alpha.
    simultaneous : bool
        Whether this holds for all items together.
    n_draws : int
        Number of draws from the normal distribution of the estimates (if `use_t`, the t distribution), which give
        the critical value.
    random_state : int or None
        Seed of these draws. If None, the results differ from call to call.

    Returns
    -------
    DataFrame
        `ability`, `rank`, `rank_low` and `rank_high`, the best item first. If `simultaneous`,
        ``attrs["critical_value"]`` is the critical value of the standardised differences.

    References
    ----------
    .. [1] M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm, "Inference for ranks with applications to mobility
       across neighbourhoods and academic achievement across countries", The Review of Economic Studies 91, 476-518,
       2024. https://doi.org/10.1093/restud/rdad006
    """
    level = 1.0 - _params.level(alpha, "alpha")
    simultaneous = _params.flag(simultaneous, "simultaneous")
    n_draws, seed = _params.count(n_draws, "n_draws"), _params.seed(random_state)
    check_finite(results)
    ability = results._ability
    df = results.df_resid_inference if results.use_t else None
    low, high, critical = _rank_sets(ability, results._item_cov, level, simultaneous, n_draws, seed, df)
    frame = pd.DataFrame({"ability": ability}, index=results.model.items)
    frame["rank"] = frame["ability"].rank(ascending=False, method="min").astype(int)
    frame["rank_low"], frame["rank_high"] = low, high
    frame = frame.sort_values("ability", ascending=False, kind="stable")
    if simultaneous:
        frame.attrs["critical_value"] = float(critical[0])
    return frame


def _rank_sets(
    ability: Array,
    cov: Array,
    level: float,
    simultaneous: bool,
    n_draws: int,
    seed: int | None,
    df: int | None,
) -> tuple[Ranks, Ranks, Array]:
    """Lowest and highest rank of each item, and the critical values.

    The lowest rank of an item is 1 plus the number of significantly better items, and the highest rank follows in the
    same way from significantly worse items. The critical value is the `level` quantile of the largest standardised
    difference, over all pairs or over the pairs of one item, under the normal distribution of the estimates or, with
    `df`, the t distribution.
    """
    n = len(ability)
    precision = precisions(cov)
    largest = largest_differences(cov, precision, n_draws, seed, df)
    if simultaneous:
        critical = np.full(n, np.quantile(largest.max(axis=1), level))
    else:
        critical = np.quantile(largest, level, axis=0)
    lead = (ability[:, None] - ability) * precision
    return 1 + (lead < -critical[:, None]).sum(axis=1), n - (lead > critical[:, None]).sum(axis=1), critical


def precisions(cov: Array) -> Array:
    """1 / standard error of each difference, from the covariance of the abilities; 0 for items that never differ."""
    diagonal = np.diagonal(cov)
    variance = diagonal[:, None] + diagonal - 2.0 * cov
    # Items with the same covariates never differ.
    equal = variance <= 1e-12 * variance.max()
    return np.where(equal, 0.0, 1.0 / np.sqrt(np.where(equal, 1.0, variance)))


def largest_differences(cov: Array, precision: Array, n_draws: int, seed: int | None, df: int | None) -> Array:
    """Largest standardised difference of each item (columns) in each draw of the estimates (rows).

    The draws have the covariance `cov` and a normal distribution or, with `df`, a t distribution. The absolute
    differences are multiplied by `precision`.
    """
    n = len(cov)
    # The covariance of differences from the first item is definite.
    rest = cov[1:, 1:] - cov[1:, :1] - cov[:1, 1:] + cov[0, 0]
    draws, largest = np.zeros((n_draws, n)), np.empty((n_draws, n))
    rng = np.random.default_rng(seed)
    draws[:, 1:] = rng.standard_normal((n_draws, n - 1)) @ _root(rest).T
    if df is not None:
        draws /= np.sqrt(rng.chisquare(df, (n_draws, 1)) / df)

    def find_largest(start: int) -> None:
        _native.largest_differences(draws, precision, start, min(start + CHUNK, n_draws), largest)

    with ThreadPoolExecutor() as pool:
        list(pool.map(find_largest, range(0, n_draws, CHUNK)))
    return largest


def _root(cov: Array) -> Array:
    """A root of a covariance, which is singular if there are fewer covariates, or groups, than items."""
    try:
        return np.asarray(np.linalg.cholesky(cov), dtype=np.float64)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(cov)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
