"""Differences of the abilities of many pairs of items, with adjustment for their number."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats import _multiplicity, _params
from pwcstats._arrays import Array
from pwcstats._results import Result
from pwcstats._text import counted, shown
from pwcstats.bradley_terry.hypotheses import check_finite
from pwcstats.bradley_terry.rank_sets import largest_differences, precisions
from pwcstats.errors import InputError, Message, arg, value

if TYPE_CHECKING:
    from pwcstats.bradley_terry.ability_results import AbilityResults

# The adjustment by the joint distribution of the statistics, which needs more than their p-values.
MAX_T = "max-t"


@dataclass(frozen=True, repr=False)
class ContrastsResult(Result):
    """What :meth:`BradleyTerryResults.contrasts` returns.

    Attributes
    ----------
    pairs : DataFrame
        One row for each pair: `item_1`, `item_2`, `estimate` (the ability of the first minus that of the second),
        `std_error`, `statistic`, `p_value`, `p_adjusted`, `conf_low` and `conf_high`.
    adjust : str
        How p-values are adjusted for the number of pairs.
    alpha : float
        Significance level; intervals have level 1 - alpha.
    is_simultaneous : bool
        Whether all intervals together have this level.
    critical_value : float
        Half the length of an interval, in standard errors.
    df : float or None
        Degrees of freedom, if tests and intervals use the t distribution.
    notes : tuple of str
        What users should know about this result.
    """

    pairs: pd.DataFrame
    adjust: str
    alpha: float
    is_simultaneous: bool
    critical_value: float
    df: float | None
    notes: tuple[str, ...]

    def tidy(self) -> pd.DataFrame:
        """The rows of `pairs`."""
        return self.pairs.copy()

    def glance(self) -> pd.DataFrame:
        """One row about the contrasts: their number, the adjustment, and the level of the intervals."""
        row = {
            "n_contrasts": len(self.pairs),
            "adjust": self.adjust,
            "conf_level": 1.0 - self.alpha,
            "simultaneous": self.is_simultaneous,
            "critical_value": self.critical_value,
            "df": self.df,
        }
        return pd.DataFrame([{name: x for name, x in row.items() if x is not None}])

    def _title(self) -> str:
        return "Differences of abilities"


def contrasts(
    results: "AbilityResults",
    adjust: str = "holm",
    alpha: float = 0.05,
    items: Sequence[Hashable] | None = None,
    *,
    ref: Hashable | None = None,
    n_draws: int = 10_000,
    random_state: int | None = 0,
) -> ContrastsResult:
    """Differences of abilities of all pairs of items, with p-values adjusted for their number.

    Parameters
    ----------
    adjust : {"holm", "bonferroni", "hochberg", "hommel", "shaffer", "bh", "by", "none", "max-t"}
        How p-values are adjusted, see :func:`pwcstats.compare.adjust`. "max-t" compares each statistic with the
        distribution of the largest one, which follows from the covariance of the abilities. It is valid for all
        pairs, as "bonferroni" is, but has more power.
    alpha : float
        Significance level; intervals have level 1 - alpha. They are simultaneous after "max-t" and, by Bonferroni's
        inequality, after all adjustments that control the probability of any false rejection. After "bh", "by" and
        "none", each interval has this level by itself.
    items : sequence, optional
        The items to compare; by default all.
    ref : item, optional
        Compare the other items with this one only, instead of all pairs.
    n_draws : int
        Number of draws from the distribution of the estimates, for "max-t".
    random_state : int or None
        Seed of these draws. If None, the results differ from call to call.

    Returns
    -------
    ContrastsResult

    See Also
    --------
    contrast : One pair, without adjustment.
    ranks : Ranks that each item may hold; they rest on the same distribution as "max-t".

    Notes
    -----
    Intervals may be wider than the tests suggest: after "holm", for example, a difference can be significant although
    its interval contains 0. Intervals of "bonferroni" and "max-t" always agree with their tests.

    Examples
    --------
    >>> from pwcstats import BradleyTerry
    >>> wins = [[0, 30, 25, 28], [10, 0, 18, 22], [15, 22, 0, 24], [12, 18, 16, 0]]
    >>> res = BradleyTerry(wins, items=["ant", "bee", "cat", "dog"]).fit()
    >>> res.contrasts("max-t", ref="ant").tidy().round(3)[["item_1", "item_2", "estimate", "p_adjusted"]]
      item_1 item_2  estimate  p_adjusted
    0    bee    ant    -0.873       0.001
    1    cat    ant    -0.587       0.035
    2    dog    ant    -0.979       0.000
    """
    adjustment = None if adjust == MAX_T else _multiplicity.read_adjust(adjust, more=(MAX_T,))
    if adjustment is not None and adjustment.needs_all_pairs and ref is not None:
        raise InputError(
            f"{arg('adjust', adjustment.name)} needs all pairs, and {arg('ref')} leaves pairs out; use {value('holm')}."
        )
    alpha, n_draws = _params.level(alpha, "alpha"), _params.count(n_draws, "n_draws")
    seed = _params.seed(random_state)
    check_finite(results)
    chosen = _read_items(results.model.items, items)
    first, second = _pairs(results.model.items, chosen, ref)
    ability, precision = results._ability, precisions(results._item_cov)
    estimate, inverse_se = ability[first] - ability[second], precision[first, second]
    known = inverse_se > 0.0
    # Items with the same covariates, for example, have no test.
    std_error = np.where(known, 1.0 / np.where(known, inverse_se, 1.0), 0.0)
    statistic = np.where(known, estimate * inverse_se, np.nan)
    p = 2.0 * results._reference.sf(np.abs(statistic))
    if adjustment is None:
        p_adjusted, critical = _largest(results, precision, first, second, statistic, alpha, n_draws, seed)
    else:
        p_adjusted = np.asarray(_multiplicity.adjust(p, adjustment.name))
        critical = results._reference.isf(adjustment.interval_alpha(alpha, len(first)) / 2.0)
    pairs = pd.DataFrame(
        {
            "item_1": results.model.items[first],
            "item_2": results.model.items[second],
            "estimate": estimate,
            "std_error": std_error,
            "statistic": statistic,
            "p_value": p,
            "p_adjusted": p_adjusted,
            "conf_low": estimate - critical * std_error,
            "conf_high": estimate + critical * std_error,
        }
    )
    notes = []
    if not known.all():
        notes.append(f"{counted(int((~known).sum()), 'pair')} without a test: {results._why_equal}")
    return ContrastsResult(
        pairs=pairs,
        adjust=MAX_T if adjustment is None else adjustment.name,
        alpha=alpha,
        is_simultaneous=adjustment is None or adjustment.is_familywise,
        critical_value=critical,
        df=results.df_resid_inference if results.use_t else None,
        notes=tuple(map(Message, notes)),
    )


def _read_items(labels: pd.Index, items: Any) -> NDArray[np.int64]:
    if items is None:
        return np.arange(len(labels))
    if isinstance(items, str) or not isinstance(items, (Sequence, np.ndarray, pd.Index, pd.Series)):
        raise InputError(f"{arg('items')} must be a list of items, got {value(items)}.")
    chosen = [_params.index_of(item, labels, "items") for item in items]
    if len(set(chosen)) < len(chosen):
        repeated = next(item for k, item in enumerate(items) if chosen[k] in chosen[:k])
        raise InputError(f"{arg('items')} must be different, got {shown(repeated)} twice.")
    return np.array(chosen, dtype=np.int64)


def _pairs(labels: pd.Index, chosen: NDArray[np.int64], ref: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indices of the items of each pair."""
    if ref is None:
        if len(chosen) < 2:
            raise InputError(f"{arg('items')} must be at least 2 items, got {len(chosen)}.")
        i, j = np.triu_indices(len(chosen), 1)
        return chosen[i], chosen[j]
    index = _params.index_of(ref, labels, "ref")
    others = chosen[chosen != index]
    if not len(others):
        raise InputError(f"{arg('items')} must have an item other than {arg('ref')}, {shown(ref)}.")
    return others, np.full(len(others), index)


def _largest(
    results: "AbilityResults",
    precision: Array,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    statistic: Array,
    alpha: float,
    n_draws: int,
    seed: int | None,
) -> tuple[Array, float]:
    """P-values from the distribution of the largest absolute statistic, and its 1 - alpha quantile."""
    kept = np.zeros_like(precision)
    kept[first, second] = kept[second, first] = precision[first, second]
    df = results.df_resid_inference if results.use_t else None
    largest = np.sort(largest_differences(results._item_cov, kept, n_draws, seed, df).max(axis=1))
    # The observed statistic counts as a draw, so that no p-value is 0.
    above = n_draws - np.searchsorted(largest, np.abs(statistic) * (1.0 - 1e-12))
    p = np.where(np.isnan(statistic), np.nan, (1.0 + above) / (1.0 + n_draws))
    # A p-value for many tests is never below that of one test.
    single = 2.0 * results._reference.sf(np.abs(statistic))
    return np.maximum(p, single), float(np.quantile(largest, 1.0 - alpha))
