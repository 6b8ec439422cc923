"""Tests of the signs and ranks of differences: Wilcoxon's signed-rank test and the sign test."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from scipy import stats

from pwcstats import _params
from pwcstats._arrays import Array, read_only
from pwcstats._results import TestResult
from pwcstats._text import counted
from pwcstats.compare.means import SAME, p_value
from pwcstats.compare.pairs import Alternative, read_alternative, read_pair
from pwcstats.errors import Message, arg

__all__ = ["sign", "wilcoxon"]

# With more differences than this, "auto" uses the normal approximation; R has the same limit.
MOST_EXACT = 49
# With more differences than this, the means of all pairs of differences would take too much memory.
MOST_PAIRED = 1000


class IntervalNote(Message):
    """A note on the confidence interval alone, which does not concern the test."""


def wilcoxon(
    a: Any,
    b: Any,
    *,
    zeros: Literal["wilcox", "pratt"] = "wilcox",
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    correction: bool = True,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
) -> TestResult:
    r"""Wilcoxon's signed-rank test of paired scores.

    Parameters
    ----------
    a, b : array-like of float
        Scores of the two methods, in pairs (usually one pair per data set). Two series are aligned by their labels, and
        their names are used.
    zeros : {"wilcox", "pratt"}
        Whether differences of 0 are dropped before ("wilcox", as in R) or after ("pratt") the differences are ranked.
    method : {"auto", "exact", "asymptotic"}
        "exact": the permutation distribution of the signs, also with ties; "asymptotic": the normal approximation, with
        its variance corrected for ties; "auto": exact with fewer than 50 differences.
    correction : bool
        Whether the normal approximation has a continuity correction of 1/2, as in R.
    alternative : {"two-sided", "greater", "less"}
        "greater": a scores higher.
    alpha : float
        Significance level; the confidence interval has level 1 - alpha.

    Returns
    -------
    TestResult
        The statistic V is the sum of the ranks of positive differences. The estimate is the pseudomedian (Hodges and
        Lehmann), the median of the means of all pairs of differences; the interval contains all shifts that the test
        would not reject. Both include differences of 0, and the p-value does not. With many of them, 0 can therefore be
        an end of the interval although the p-value is small.

    Notes
    -----
    Differences whose sizes are equal up to rounding are tied: in floating point, 0.9 - 0.8 is not 0.8 - 0.7. In R,
    ``digits.rank`` does this. With ties, R has no exact p-value; ours is that of the permutation distribution, as in
    R's exactRankTests and coin.

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
    _params.choice(zeros, ("wilcox", "pratt"), "zeros")
    _params.choice(method, ("auto", "exact", "asymptotic"), "method")
    correction = _params.flag(correction, "correction")
    alternative, alpha = read_alternative(alternative), _params.level(alpha)
    pair = read_pair(a, b, least=1)
    d = pair.differences
    n_zero = int((d == 0.0).sum())
    is_exact = method == "exact" or (method == "auto" and d.size - n_zero <= MOST_EXACT)
    # No shifted difference is 0, so that there may be too many for an exact interval.
    has_exact_interval = is_exact and (method == "exact" or d.size <= MOST_EXACT)

    def tail(shift: float, side: str) -> float:
        return _signed_rank_p(d - shift, "pratt", has_exact_interval, correction, side)

    notes: list[str] = []
    if n_zero == d.size:
        notes.append(SAME)
    elif n_zero:
        dropped = "dropped" if zeros == "wilcox" else "ranked, and then dropped"
        notes.append(Message(f"{n_zero} of {d.size} differences are 0 and were {dropped} ({arg('zeros', zeros)})"))
    interval = _inverted(tail, d, alternative, alpha)
    notes += _note_unbounded(interval, alternative, d.size)
    sizes = np.abs(d[d != 0.0])
    if len(np.unique(sizes)) < len(sizes):
        notes.append("some differences are of equal size and share their ranks")
    how = "exact" if is_exact else "normal approximation" + (" with continuity correction" if correction else "")
    return TestResult(
        float(_positive_ranks(d, zeros)[0]),
        _signed_rank_p(d, zeros, is_exact, correction, alternative),
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
    """The sum of the ranks of positive differences, and the ranks of all differences other than 0."""
    if zeros == "wilcox":
        d = d[d != 0.0]
    ranks = stats.rankdata(np.abs(d))
    return float(ranks[d > 0.0].sum()), ranks[d != 0.0]


def _signed_rank_p(d: Array, zeros: str, is_exact: bool, correction: bool, alternative: str) -> float:
    """P-value of the signed-rank test."""
    v, ranks = _positive_ranks(d, zeros)
    if not len(ranks):
        return 1.0
    if is_exact:
        # Shared ranks are multiples of 1/2.
        proba = _subset_sums(tuple(np.sort(np.rint(2.0 * ranks).astype(np.int64)).tolist()))
        index = round(2.0 * v)
        less, greater = float(proba[: index + 1].sum()), float(proba[index:].sum())
        return min(1.0, {"less": less, "greater": greater, "two-sided": 2.0 * min(less, greater)}[alternative])
    excess = v - ranks.sum() / 2.0
    if correction:
        excess -= {"less": -0.5, "greater": 0.5, "two-sided": 0.5 * np.sign(excess)}[alternative]
    return min(1.0, p_value(stats.norm, excess / np.sqrt((ranks**2).sum() / 4.0), alternative))


# Without ties, the ranks are the same for all shifts of an interval and for all pairs of methods.
@lru_cache(maxsize=32)
def _subset_sums(numbers: tuple[int, ...]) -> Array:
    """Probability of each sum of a random subset that contains every number with probability 1/2."""
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
    # If the test does not reject shifts beyond all differences, it rejects none.
    return (-np.inf if np.isinf(low) else low), high


def pseudomedian(d: Array) -> float:
    """The median of the means of all pairs of differences; V of shifted differences counts those above the shift."""
    if d.size <= MOST_PAIRED:
        return float(np.median(_means_of_pairs(d)))
    middle = d.size * (d.size + 1) / 4.0

    def excess(shift: float) -> float:
        return _positive_ranks(d - shift, "pratt")[0] - middle

    return (_step(lambda shift: excess(shift) <= 0.0, d) + _step(lambda shift: excess(shift) < 0.0, d)) / 2.0


def _means_of_pairs(d: Array) -> Array:
    i, j = np.triu_indices(d.size)
    return (d[i] + d[j]) / 2.0


def _step(beyond: Callable[[float], bool], d: Array) -> float:
    """The shift at which a condition becomes true; infinite if it is true for all shifts or for none."""
    # The margin must be visible in floating point, however large the differences are.
    margin = np.abs(d).max() or 1.0
    low, high = float(d.min() - margin), float(d.max() + margin)
    if beyond(low) or not beyond(high):
        return np.inf
    if d.size > MOST_PAIRED:
        return _bisected(beyond, low, high)
    # Ranks change only at the means of two differences, so that the condition is evaluated between them.
    steps = np.unique(_means_of_pairs(d))
    between = np.concatenate([[low], (steps[1:] + steps[:-1]) / 2.0, [high]])
    first, last = 0, len(steps)
    while last - first > 1:
        middle = (first + last) // 2
        first, last = (first, middle) if beyond(float(between[middle])) else (middle, last)
    return float(steps[last - 1])


def _bisected(beyond: Callable[[float], bool], low: float, high: float) -> float:
    """The shift at which a condition becomes true, to the last digit."""
    while True:
        middle = low + (high - low) / 2.0
        if not low < middle < high:
            return high
        low, high = (low, middle) if beyond(middle) else (middle, high)


def sign(a: Any, b: Any, *, alternative: Alternative = "two-sided", alpha: float = 0.05) -> TestResult:
    """Sign test: the number of pairs in which one method scores higher.

    Parameters
    ----------
    a, b : array-like of float
        Scores of the two methods, in pairs. Two series are aligned by their labels, and their names are used.
    alternative : {"two-sided", "greater", "less"}
        "greater": a scores higher.
    alpha : float
        Significance level; the confidence interval has level 1 - alpha.

    Returns
    -------
    TestResult
        The statistic S is the number of positive differences. The p-value is exact and ignores differences of 0. The
        estimate is the median of all differences, including those of 0, and the ends of its interval are two of the
        ordered differences.

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
    alternative, alpha = read_alternative(alternative), _params.level(alpha)
    pair = read_pair(a, b, least=1)
    d = pair.differences
    positive, n = int((d > 0.0).sum()), int((d != 0.0).sum())
    notes = []
    if not n:
        notes.append(SAME)
    elif n < d.size:
        notes.append(f"{d.size - n} of {d.size} differences are 0 and were dropped")
    interval = _median_interval(np.sort(d), alternative, alpha)
    notes += _note_unbounded(interval, alternative, d.size)
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


def _note_unbounded(interval: tuple[float, float], alternative: str, n: int) -> list[str]:
    """A note if an interval has no bound where it should have one."""
    if np.isinf(interval).all() or (alternative == "two-sided" and np.isinf(interval).any()):
        return [IntervalNote(f"{counted(n, 'pair')}: too few for an interval of this level")]
    return []


def fair_p(heads: int, n: int, alternative: str) -> float:
    """P-value of a number of heads in n tosses of a fair coin."""
    if not n:
        return 1.0
    return float(stats.binomtest(heads, n, 0.5, alternative=alternative).pvalue)


def _median_interval(ordered: Array, alternative: str, alpha: float) -> tuple[float, float]:
    """A confidence interval of the median: from the k-th smallest to the k-th largest difference."""
    n, level = len(ordered), alpha / 2.0 if alternative == "two-sided" else alpha
    # k - 1 differences are left out on each side. The quantile is the first number whose probability reaches the level.
    k = int(stats.binom.ppf(level, n, 0.5))
    if stats.binom.cdf(k, n, 0.5) <= level:
        k += 1
    low, high = (ordered[k - 1], ordered[n - k]) if k else (-np.inf, np.inf)
    return (-np.inf if alternative == "less" else float(low)), (np.inf if alternative == "greater" else float(high))
