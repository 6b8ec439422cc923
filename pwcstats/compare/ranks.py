"""Tests of mean ranks over data sets: Friedman's, Iman and Davenport's, Nemenyi's, and against a control."""

from dataclasses import dataclass
from itertools import combinations, permutations
from math import lgamma
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._results import TestResult
from pwcstats.compare.multiplicity import adjust as adjusted
from pwcstats.compare.multiplicity import read_adjust
from pwcstats.compare.scores import ROUNDING, read_datasets, read_wide
from pwcstats.errors import InputError

__all__ = ["FriedmanResult", "RankTests", "friedman", "mean_ranks", "nemenyi", "rank_tests"]


# Exact p-values are counted as long as there are no more methods, and no more sums of ranks at a time, than these.
MOST_PERMUTED, MOST_STATES = 6, 300_000


def mean_ranks(scores: Any, *, higher_is_better: bool = True) -> pd.Series:
    """Mean rank of each method over the data sets; 1 is best, and methods that tie share their ranks.

    Parameters
    ----------
    scores : DataFrame or array-like
        A row for each data set and a column for each method; or a tidy frame (see :func:`compare_methods`), whose
        scores are averaged on each data set.
    higher_is_better : bool
        Whether higher scores are better; False for errors and losses.

    Returns
    -------
    Series
    """
    return _ranked(read_wide(scores, 1), higher_is_better).mean()


def _ranked(wide: pd.DataFrame, higher_is_better: bool) -> pd.DataFrame:
    """Ranks in each row; scores that differ by rounding alone tie."""
    values = -wide.to_numpy() if higher_is_better else wide.to_numpy()
    order = np.argsort(values, axis=1)
    gaps = np.diff(np.take_along_axis(values, order, axis=1), axis=1)
    near = ROUNDING * np.abs(values).max(axis=1, keepdims=True)
    # The number of the group of equal scores that each is in, which has the ranks that the scores should have.
    group = np.zeros(values.shape, dtype=np.int64)
    np.put_along_axis(group, order[:, 1:], np.cumsum(gaps > near, axis=1), axis=1)
    ranks = stats.rankdata(group, axis=1)
    return pd.DataFrame(ranks, index=wide.index, columns=wide.columns)


@dataclass(frozen=True, eq=False)
class FriedmanResult(TestResult):
    """The result of Friedman's test: a :class:`TestResult` with the mean rank of each method in `ranks`."""

    __test__ = False

    ranks: pd.Series | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and words."""
        return {**super().to_dict(), "ranks": None if self.ranks is None else self.ranks.to_dict()}


def friedman(scores: Any, *, statistic: str = "chi-squared", higher_is_better: bool = True) -> FriedmanResult:
    r"""Friedman's test that several methods have the same mean rank over the data sets.

    Parameters
    ----------
    scores : DataFrame or array-like
        A row for each data set and a column for each method; or a tidy frame (see :func:`compare_methods`), whose
        scores are averaged on each data set.
    statistic : {"chi-squared", "F", "exact", "auto"}
        How the p-value is found: Friedman's own chi-squared, as in R's ``friedman.test``, which is cautious; Iman and
        Davenport's F, which is too bold with three or four data sets; all permutations of the ranks within data sets,
        where these are few ("exact"); "auto" is exact where that is possible, otherwise F.
    higher_is_better : bool
        Whether higher scores are better; the test is the same, but 1 is to be the best rank.

    Returns
    -------
    FriedmanResult
        With the mean ranks in `ranks`.

    Notes
    -----
    With mean ranks :math:`R_j` of K methods over N data sets (:math:`t` runs over groups of tied scores),

    .. math:: \chi^2 = \frac{12 N^2 \sum_j (R_j - (K+1)/2)^2}{N K (K+1) - \sum (t^3 - t) / (K - 1)},
       \qquad F = \frac{(N-1)\,\chi^2}{N (K-1) - \chi^2}

    with :math:`K - 1`, and with :math:`K - 1` and :math:`(K-1)(N-1)` degrees of freedom. F is infinite where all data
    sets order the methods alike; the p-value is then that of permutations.

    References
    ----------
    .. [1] Friedman, M. (1937). The use of ranks to avoid the assumption of normality implicit in the analysis of
       variance. Journal of the American Statistical Association 32, 675-701.
    .. [2] Iman, R. L. and Davenport, J. M. (1980). Approximations of the critical region of the Friedman statistic.
       Communications in Statistics A 9, 571-595. https://doi.org/10.1080/03610928008827904
    .. [3] Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine
       Learning Research 7, 1-30.

    Examples
    --------
    >>> from pwcstats.compare import friedman
    >>> scores = {"lda": [0.81, 0.74, 0.92, 0.66], "svm": [0.84, 0.79, 0.93, 0.70], "nb": [0.80, 0.70, 0.90, 0.68]}
    >>> import pandas as pd
    >>> result = friedman(pd.DataFrame(scores), statistic="F")
    >>> print(result)
    Friedman's test, Iman and Davenport's F: F = 13, df = 2 and 6, p-value = 0.006592
    null hypothesis: the 3 methods have the same mean rank over the 4 data sets
    >>> round(friedman(pd.DataFrame(scores), statistic="exact").p_value, 4)
    0.0417
    >>> result.ranks.to_dict()
    {'lda': 2.25, 'svm': 1.0, 'nb': 2.75}
    """
    statistic = _params.choice(statistic, ("chi-squared", "F", "exact", "auto"), "statistic")
    wide = read_datasets(scores)
    ranked = _ranked(wide, higher_is_better)
    n, k = wide.shape
    chi2, notes = _chi_squared(ranked.to_numpy())
    exact = _permutation_p(ranked.to_numpy()) if statistic in ("exact", "auto") else None
    if statistic == "exact" and exact is None:
        raise InputError(
            f"the permutations of {k} methods on {n} data sets are too many to be counted; use statistic='F'."
        )
    df: float | tuple[float, float] | None = k - 1
    name, value, how = "chi-squared", chi2, ""
    if exact is not None:
        p, df, how = exact, None, ", exact"
    elif statistic == "chi-squared":
        p = float(stats.chi2.sf(chi2, k - 1))
    else:
        name, how, df = "F", ", Iman and Davenport's F", (k - 1, (k - 1) * (n - 1))
        room = n * (k - 1) - chi2
        if room > 1e-9 * n * k:
            value = (n - 1) * chi2 / room
            p = float(stats.f.sf(value, *df))
        else:
            value, p = np.inf, _p_of_agreement(ranked.to_numpy())
            notes = ("all data sets order the methods alike: F is infinite, and the p-value that of permutations",)
    return FriedmanResult(
        value,
        p,
        df,
        method=f"Friedman's test{how}",
        null=f"the {k} methods have the same mean rank over the {n} data sets",
        statistic_name=name,
        notes=notes,
        ranks=ranked.mean(),
    )


def _p_of_agreement(ranks: Array) -> float:
    """The probability that all data sets order the methods as the first does; tied ones may change places."""
    ties = np.unique(ranks[0], return_counts=True)[1]
    log_orders = lgamma(ranks.shape[1] + 1) - sum(lgamma(count + 1) for count in ties)
    return float(np.exp(-(len(ranks) - 1) * log_orders))


def _permutation_p(ranks: Array) -> float | None:
    """The probability of a statistic as large, of all permutations within data sets; None if these are too many."""
    k = ranks.shape[1]
    if k > MOST_PERMUTED:
        return None
    # Shared ranks end in 1/2. What counts of the sums of ranks are their squares: their order does not matter.
    rows = np.rint(2.0 * ranks).astype(np.int64)
    base = int(rows.sum(axis=0).max()) * k + 1
    powers = base ** np.arange(k, dtype=np.int64)
    if k * np.log2(base) > 62:
        return None
    sums = np.sort(rows[:1], axis=1)
    proba: Array = np.ones(1)
    for row in rows[1:]:
        orders = np.array(sorted(set(permutations(row.tolist()))))
        if len(sums) * len(orders) > MOST_STATES:
            return None
        found = np.sort((sums[:, None, :] + orders).reshape(-1, k), axis=1)
        _, first, place = np.unique(found @ powers, return_index=True, return_inverse=True)
        proba = np.bincount(place.ravel(), np.repeat(proba / len(orders), len(orders))).astype(np.float64)
        sums = found[first]
    seen = int((rows.sum(axis=0) ** 2).sum())
    return min(1.0, float(proba[(sums**2).sum(axis=1) >= seen].sum()))


def _chi_squared(ranks: Array) -> tuple[float, tuple[str, ...]]:
    """Friedman's statistic, corrected for ties."""
    n, k = ranks.shape
    tied = sum(float((counts**3 - counts).sum()) for counts in (np.unique(row, return_counts=True)[1] for row in ranks))
    spread = n * k * (k + 1) - tied / (k - 1)
    if spread <= 1e-9 * n * k:
        return 0.0, ("all methods tie on all data sets",)
    excess = ranks.sum(axis=0) - n * (k + 1) / 2.0
    return float(12.0 * (excess**2).sum() / spread), ()


@dataclass(frozen=True, eq=False, repr=False)
class RankTests:
    """Tests of the differences of mean ranks, of all pairs or against a control.

    Attributes
    ----------
    pairs : DataFrame
        A row for each pair: method_a, method_b, estimate (mean rank of b less that of a: above 0 where a is better),
        conf_low, conf_high, statistic, p_value, p_adjusted.
    ranks : Series
        Mean rank of each method; 1 is best.
    critical_difference : float or None
        Ranks that are this far apart differ significantly; None where the adjustment is in steps.
    method, null : str
        Name of the test, and the hypothesis of each pair.
    alpha : float
        The level, of the critical difference and of the intervals.
    n_datasets : int
        Number of data sets.
    """

    pairs: pd.DataFrame
    ranks: pd.Series
    critical_difference: float | None
    method: str
    null: str
    alpha: float
    n_datasets: int

    @property
    def p_values(self) -> pd.DataFrame:
        """Adjusted p-values as a square table; 1 on the diagonal, NaN where a pair was not tested."""
        table = pd.DataFrame(np.nan, index=self.ranks.index, columns=self.ranks.index)
        for name in table:
            table.loc[name, name] = 1.0
        for a, b, p in zip(self.pairs["method_a"], self.pairs["method_b"], self.pairs["p_adjusted"], strict=True):
            table.loc[a, b] = table.loc[b, a] = p
        return table

    def tidy(self) -> pd.DataFrame:
        """A row for each pair."""
        return self.pairs.copy()

    def __str__(self) -> str:
        lines = [f"{self.method}, {len(self.ranks)} methods on {self.n_datasets} data sets"]
        if self.critical_difference is not None:
            lines.append(f"critical difference of mean ranks: {self.critical_difference:.4g} (level {self.alpha:g})")
        ranks = self.ranks.sort_values().to_frame("mean rank").to_string(float_format="{:.3f}".format)
        pairs = self.pairs.to_string(index=False, float_format="{:.4g}".format)
        return "\n".join([*lines, f"null hypothesis: {self.null}", "", ranks, "", pairs])

    __repr__ = __str__


def nemenyi(scores: Any, *, alpha: float = 0.05, higher_is_better: bool = True) -> RankTests:
    r"""Nemenyi's test of all pairs of methods by their mean ranks over data sets.

    Parameters
    ----------
    scores : DataFrame or array-like
        A row for each data set and a column for each method; or a tidy frame (see :func:`compare_methods`), whose
        scores are averaged on each data set.
    alpha : float
        The level of the critical difference and of the intervals, which hold simultaneously.
    higher_is_better : bool
        Whether higher scores are better.

    Returns
    -------
    RankTests
        Its `critical_difference` is :math:`q_\alpha \sqrt{K(K+1)/(6N)}`, where :math:`q_\alpha` is the quantile of the
        studentised range of K normal variables, divided by :math:`\sqrt2`.

    Notes
    -----
    The p-values are adjusted already. The difference of two mean ranks depends on the other methods, too: adding a
    method can make two others differ [2]_. :func:`compare_methods` uses Wilcoxon's test of each pair where there are
    enough data sets.

    References
    ----------
    .. [1] Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine
       Learning Research 7, 1-30.
    .. [2] Benavoli, A., Corani, G. and Mangili, F. (2016). Should we really use post-hoc tests based on mean-ranks?
       Journal of Machine Learning Research 17 (5), 1-10.

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats.compare import nemenyi
    >>> scores = {"lda": [0.81, 0.74, 0.92, 0.66], "svm": [0.84, 0.79, 0.93, 0.70], "nb": [0.80, 0.70, 0.90, 0.68]}
    >>> result = nemenyi(pd.DataFrame(scores))
    >>> round(result.critical_difference, 3)
    1.657
    >>> result.pairs[["method_a", "method_b", "p_adjusted"]].round(3)
      method_a method_b  p_adjusted
    0      svm      lda       0.181
    1      svm       nb       0.036
    2      lda       nb       0.759
    """
    alpha = _params.level(alpha, "alpha")
    ranks, n, se = _differences_of(scores, higher_is_better)
    k = len(ranks)
    pairs = _pairs(ranks, se, None)
    # The studentised range is of single ranks, whose standard error is sqrt(2) times smaller.
    pairs["p_value"] = stats.studentized_range.sf(np.sqrt(2.0) * pairs["statistic"].abs(), k, np.inf)
    pairs["p_adjusted"] = pairs["p_value"]
    critical = float(stats.studentized_range.isf(alpha, k, np.inf) / np.sqrt(2.0) * se)
    return _finished(pairs, ranks, critical, critical, "Nemenyi's test of mean ranks", alpha, n)


def rank_tests(
    scores: Any,
    *,
    control: Any = None,
    adjust: str = "holm",
    alpha: float = 0.05,
    higher_is_better: bool = True,
) -> RankTests:
    r"""Test differences of mean ranks over data sets, of all pairs or against a control.

    Parameters
    ----------
    scores : DataFrame or array-like
        A row for each data set and a column for each method; or a tidy frame (see :func:`compare_methods`), whose
        scores are averaged on each data set.
    control : label, optional
        The method with which all others are compared; without one, all pairs are.
    adjust : {"holm", "bonferroni", "hochberg", "hommel", "shaffer", "bh", "by", "none"}
        How p-values are adjusted, see :func:`adjust`. "bonferroni" against a control is the Bonferroni-Dunn test.
    alpha : float
        The level of the intervals, which hold simultaneously (by Bonferroni's inequality; with "bh", "by" and "none"
        one by one).
    higher_is_better : bool
        Whether higher scores are better.

    Returns
    -------
    RankTests

    Notes
    -----
    :math:`z = (R_i - R_j) / \sqrt{K(K+1)/(6N)}` is taken for normal (Demšar 2006).

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats.compare import rank_tests
    >>> scores = {"lda": [0.81, 0.74, 0.92, 0.66], "svm": [0.84, 0.79, 0.93, 0.70], "nb": [0.80, 0.70, 0.90, 0.68]}
    >>> result = rank_tests(pd.DataFrame(scores), control="svm")
    >>> result.pairs[["method_a", "method_b", "p_value", "p_adjusted"]].round(4)
      method_a method_b  p_value  p_adjusted
    0      svm      lda   0.0771      0.0771
    1      svm       nb   0.0133      0.0267
    """
    alpha, adjust = _params.level(alpha, "alpha"), read_adjust(adjust)
    ranks, n, se = _differences_of(scores, higher_is_better)
    if control is not None:
        _params.index_of(control, ranks.index, "control", "methods")
    pairs = _pairs(ranks, se, control)
    pairs["p_value"] = 2.0 * stats.norm.sf(pairs["statistic"].abs())
    pairs["p_adjusted"] = adjusted(pairs["p_value"], adjust)
    half = float(stats.norm.isf(interval_alpha(alpha, adjust, len(pairs)) / 2.0)) * se
    critical = half if adjust in ("bonferroni", "none") else None
    against = f" against {control}" if control is not None else ""
    return _finished(pairs, ranks, half, critical, f"Tests of mean ranks{against} (z, {adjust})", alpha, n)


def interval_alpha(alpha: float, adjust: str, n_tests: int) -> float:
    """1 less the level of each interval: Bonferroni's where errors of a family are to be kept."""
    return alpha if adjust in ("bh", "by", "none") else alpha / n_tests


def _differences_of(scores: Any, higher_is_better: bool) -> tuple[pd.Series, int, float]:
    """Mean ranks, number of data sets, and the standard error of a difference of two mean ranks."""
    wide = read_datasets(scores)
    n, k = wide.shape
    return _ranked(wide, higher_is_better).mean(), n, float(np.sqrt(k * (k + 1) / (6.0 * n)))


def _pairs(ranks: pd.Series, se: float, control: Any) -> pd.DataFrame:
    """Pairs of methods, the better one first, or the control."""
    ordered = list(ranks.sort_values(kind="stable").index)
    if control is None:
        pairs = list(combinations(ordered, 2))
    else:
        pairs = [(control, other) for other in ordered if other != control]
    frame = pd.DataFrame(pairs, columns=["method_a", "method_b"])
    frame["estimate"] = ranks[frame["method_b"]].to_numpy() - ranks[frame["method_a"]].to_numpy()
    frame["conf_low"] = frame["conf_high"] = np.nan
    frame["statistic"] = frame["estimate"] / se
    return frame


def _finished(
    pairs: pd.DataFrame, ranks: pd.Series, half: float, critical: float | None, method: str, alpha: float, n: int
) -> RankTests:
    pairs["conf_low"], pairs["conf_high"] = pairs["estimate"] - half, pairs["estimate"] + half
    return RankTests(pairs, ranks, critical, method, "the two methods have the same mean rank", alpha, n)
