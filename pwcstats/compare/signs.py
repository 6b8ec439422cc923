"""Tests that ask for signs and ranks of differences: Wilcoxon's signed-rank test and the sign test."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import stats

from pwcstats import _params
from pwcstats._arrays import Array, read_only
from pwcstats._results import TestResult
from pwcstats._text import counted
from pwcstats.compare.means import SAME, p_value
from pwcstats.compare.scores import read_alternative, read_pair

__all__ = ["sign", "wilcoxon"]

# With so many differences the normal distribution is as good; R draws the line here, too.
MOST_EXACT = 49
# The means of two of more differences than these take too much memory.
MOST_PAIRED = 1000


def wilcoxon(
    a: Any,
    b: Any,
    *,
    zeros: str = "wilcox",
    method: str = "auto",
    correction: bool = True,
    alternative: str = "two-sided",
    alpha: float = 0.05,
) -> TestResult:
    r"""Wilcoxon's signed-rank test of paired scores.

    Parameters
    ----------
    a, b : array-like of float
        Scores of the two methods, pair by pair (usually a pair for each data set). Two series are joined by their
        labels, and give the methods' names.
    zeros : {"wilcox", "pratt"}
        Differences of 0 are dropped before ("wilcox", as R does) or after ("pratt") they are ranked.
    method : {"auto", "exact", "asymptotic"}
        "exact": all changes of signs are counted, also with ties; "asymptotic": the normal distribution, its variance
        corrected for ties; "auto": exact with fewer than 50 differences.
    correction : bool
        Whether the normal distribution is used with a continuity correction of 1/2, as R does.
    alternative : {"two-sided", "greater", "less"}
        "greater": a scores higher.
    alpha : float
        1 less the level of the confidence interval.

    Returns
    -------
    TestResult
        The statistic V is the sum of the ranks of positive differences. The estimate is the pseudomedian (Hodges and
        Lehmann's), the median of all means of two differences; the interval has all shifts that the test would not
        reject. Differences of 0 count in both, so that with many of them 0 can be an end of the interval where the
        p-value, which leaves them out, is small.

    Notes
    -----
    Differences whose sizes are equal but for rounding are tied: 0.9 - 0.8 is not 0.8 - 0.7 to a computer. In R,
    ``digits.rank`` does this. Where there are ties R has no exact p-value; ours is that of the permutation
    distribution, as in R's exactRankTests and coin.

    References
    ----------
    .. [1] Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1, 80-83.
    .. [2] Pratt, J. W. (1959). Remarks on zeros and ties in the Wilcoxon signed rank procedures. Journal of the
       American Statistical Association 54, 655-667.

    Examples
    --------
    >>> from pwcstats.compare import wilcoxon
    >>> a = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.000]
    >>> b = [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.000]
    >>> print(wilcoxon(a, b))
    Wilcoxon signed-rank test, exact: V = 6.5, p-value = 0.1172
    null hypothesis: the differences, a - b, are symmetric about 0
    estimate of the pseudomedian: -0.006 (-0.0315, 0.001), 95 % interval
    note: 2 of 10 differences are 0 and were dropped (zeros='wilcox')
    note: some differences are of equal size and share their ranks
    """
    zeros, method = (
        _params.choice(zeros, ("wilcox", "pratt"), "zeros"),
        _params.choice(method, ("auto", "exact", "asymptotic"), "method"),
    )
    alternative, alpha = read_alternative(alternative), _params.level(alpha, "alpha")
    pair = read_pair(a, b, least=1)
    d = pair.differences
    n_zero = int((d == 0.0).sum())
    exact = method == "exact" or (method == "auto" and d.size - n_zero <= MOST_EXACT)

    # Of shifted differences none is 0, and there may be too many for an exact interval.
    exactly = exact and (method == "exact" or d.size <= MOST_EXACT)

    def tail(shift: float, side: str) -> float:
        return _signed_rank_p(d - shift, "pratt", exactly, correction, side)

    notes: list[str] = []
    if n_zero:
        dropped = "dropped" if zeros == "wilcox" else "ranked, and then dropped"
        notes.append(f"{n_zero} of {d.size} differences are 0 and were {dropped} (zeros={zeros!r})")
    if n_zero == d.size:
        notes = [SAME]
    interval = _inverted(tail, d, alternative, alpha)
    if np.isinf(interval).all() or (alternative == "two-sided" and np.isinf(interval).any()):
        notes.append(f"{counted(d.size, 'pair')}: too few for an interval of this level")
    size = np.abs(d[d != 0.0])
    if len(np.unique(size)) < len(size):
        notes.append("some differences are of equal size and share their ranks")
    how = "exact" if exact else "normal approximation" + (" with continuity correction" if correction else "")
    return TestResult(
        float(_positive_ranks(d, zeros)[0]),
        _signed_rank_p(d, zeros, exact, correction, alternative),
        None,
        pseudomedian(d),
        interval,
        f"Wilcoxon signed-rank test, {how}",
        f"the differences, {pair.name_a} - {pair.name_b}, are symmetric about 0",
        statistic_name="V",
        estimate_name="pseudomedian",
        alternative=alternative,
        conf_level=1.0 - alpha,
        notes=tuple(notes),
    )


def _positive_ranks(d: Array, zeros: str) -> tuple[float, Array]:
    """The sum of the ranks of positive differences, and the ranks of all that are not 0."""
    if zeros == "wilcox":
        d = d[d != 0.0]
    ranks = stats.rankdata(np.abs(d))
    return float(ranks[d > 0.0].sum()), ranks[d != 0.0]


def _signed_rank_p(d: Array, zeros: str, exact: bool, correction: bool, alternative: str) -> float:
    """P-value of the signed-rank test of some differences."""
    v, ranks = _positive_ranks(d, zeros)
    if not len(ranks):
        return 1.0
    if exact:
        # Ranks that are shared end in 1/2.
        proba = _sum_of_some(tuple(np.sort(np.rint(2.0 * ranks).astype(np.int64)).tolist()))
        place = round(2.0 * v)
        less, greater = float(proba[: place + 1].sum()), float(proba[place:].sum())
        return min(1.0, {"less": less, "greater": greater, "two-sided": 2.0 * min(less, greater)}[alternative])
    excess = v - ranks.sum() / 2.0
    if correction:
        excess -= {"less": -0.5, "greater": 0.5, "two-sided": 0.5 * np.sign(excess)}[alternative]
    return min(1.0, p_value(stats.norm, excess / np.sqrt((ranks**2).sum() / 4.0), alternative))


# Without ties, all shifts of an interval and all pairs of methods have the same ranks.
@lru_cache(maxsize=32)
def _sum_of_some(numbers: tuple[int, ...]) -> Array:
    """Probability of each sum, where every number is taken with probability 1/2."""
    proba = np.zeros(sum(numbers) + 1)
    proba[0] = 1.0
    top = 0
    for number in numbers:
        proba[number : top + number + 1] += proba[: top + 1].copy()
        proba *= 0.5
        top += number
    return read_only(proba)


def _inverted(tail: Callable[[float, str], float], d: Array, alternative: str, alpha: float) -> tuple[float, float]:
    """All shifts that the test would not reject; its p-value is a step function of the shift."""
    level = alpha / 2.0 if alternative == "two-sided" else alpha
    low = high = np.inf
    if alternative != "less":
        low = _step(lambda shift: tail(shift, "greater") > level, d)
    if alternative != "greater":
        high = _step(lambda shift: tail(shift, "less") <= level, d)
    # Where it does not reject beyond all differences, it never does.
    return (-np.inf if np.isinf(low) else low), high


def pseudomedian(d: Array) -> float:
    """The median of the means of all pairs of differences; V of shifted differences counts those above the shift."""
    if d.size <= MOST_PAIRED:
        return float(np.median(_means_of_two(d)))
    middle = d.size * (d.size + 1) / 4.0

    def excess(shift: float) -> float:
        return _positive_ranks(d - shift, "pratt")[0] - middle

    return (_step(lambda shift: excess(shift) <= 0.0, d) + _step(lambda shift: excess(shift) < 0.0, d)) / 2.0


def _means_of_two(d: Array) -> Array:
    i, j = np.triu_indices(d.size)
    return (d[i] + d[j]) / 2.0


def _step(beyond: Callable[[float], bool], d: Array) -> float:
    """The shift at which a condition becomes true; infinite if it is so for all or for none."""
    # A margin that does not vanish beside the differences, however large they are.
    margin = np.abs(d).max() or 1.0
    low, high = float(d.min() - margin), float(d.max() + margin)
    if beyond(low) or not beyond(high):
        return np.inf
    if d.size > MOST_PAIRED:
        return _bisected(beyond, low, high)
    # Ranks change only at means of two differences: the condition is asked between them.
    steps = np.unique(_means_of_two(d))
    between = np.concatenate([[low], (steps[1:] + steps[:-1]) / 2.0, [high]])
    first, last = 0, len(steps)
    while last - first > 1:
        middle = (first + last) // 2
        first, last = (first, middle) if beyond(float(between[middle])) else (middle, last)
    return float(steps[last - 1])


def _bisected(beyond: Callable[[float], bool], low: float, high: float) -> float:
    """The same of many differences, to the last digit."""
    while True:
        middle = low + (high - low) / 2.0
        if not low < middle < high:
            return high
        low, high = (low, middle) if beyond(middle) else (middle, high)


def sign(a: Any, b: Any, *, alternative: str = "two-sided", alpha: float = 0.05) -> TestResult:
    """Test by the number of pairs on which one method is better (sign test).

    Parameters
    ----------
    a, b : array-like of float
        Scores of the two methods, pair by pair. Two series are joined by their labels, and give the methods' names.
    alternative : {"two-sided", "greater", "less"}
        "greater": a scores higher.
    alpha : float
        1 less the level of the confidence interval.

    Returns
    -------
    TestResult
        The statistic S is the number of positive differences; the p-value is exact, without differences of 0. The
        estimate is the median difference, with an interval between two of the ordered differences, those of 0 among
        them.

    Examples
    --------
    >>> from pwcstats.compare import sign
    >>> a = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.000]
    >>> b = [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.000]
    >>> print(sign(a, b))
    Sign test, exact: S = 2, p-value = 0.2891
    null hypothesis: a and b are equally likely to score higher
    estimate of the median difference: -0.0055 (-0.033, 0.005), 95 % interval
    note: 2 of 10 differences are 0 and were dropped
    """
    alternative, alpha = read_alternative(alternative), _params.level(alpha, "alpha")
    pair = read_pair(a, b, least=1)
    d = pair.differences
    positive, n = int((d > 0.0).sum()), int((d != 0.0).sum())
    notes = [f"{d.size - n} of {d.size} differences are 0 and were dropped"] if n < d.size else []
    interval = _median_interval(np.sort(d), alternative, alpha)
    if not n:
        notes = [SAME]
    if np.isinf(interval).all() or (alternative == "two-sided" and np.isinf(interval).any()):
        notes.append(f"{counted(d.size, 'pair')}: too few for an interval of this level")
    return TestResult(
        float(positive),
        fair_p(positive, n, alternative),
        None,
        float(np.median(d)),
        interval,
        "Sign test, exact",
        f"{pair.name_a} and {pair.name_b} are equally likely to score higher",
        statistic_name="S",
        estimate_name="median difference",
        alternative=alternative,
        conf_level=1.0 - alpha,
        notes=tuple(notes),
    )


def fair_p(heads: int, n: int, alternative: str) -> float:
    """P-value of a number of heads in throws of a fair coin."""
    if not n:
        return 1.0
    return float(stats.binomtest(heads, n, 0.5, alternative=alternative).pvalue)


def _median_interval(ordered: Array, alternative: str, alpha: float) -> tuple[float, float]:
    """An interval of the median: from the k-th difference to the k-th but last."""
    n, level = len(ordered), alpha / 2.0 if alternative == "two-sided" else alpha
    # The most that may be left out on each side; the quantile is the first place where the level is reached.
    k = int(stats.binom.ppf(level, n, 0.5))
    if stats.binom.cdf(k, n, 0.5) <= level:
        k += 1
    low, high = (ordered[k - 1], ordered[n - k]) if k else (-np.inf, np.inf)
    return (-np.inf if alternative == "less" else float(low)), (np.inf if alternative == "greater" else float(high))
