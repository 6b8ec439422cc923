"""Tests of mean ranks over data sets: Friedman's test of all methods, Nemenyi's and z-tests of pairs."""

from dataclasses import dataclass, fields
from itertools import combinations, permutations
from math import lgamma
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import stats

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._multiplicity import AdjustmentName, read_adjust
from pwcstats._multiplicity import adjust as adjusted
from pwcstats._results import Result, TestResult, plain
from pwcstats.compare.pairs import ROUNDING
from pwcstats.compare.scores import read_datasets, read_wide
from pwcstats.errors import InputError, arg

__all__ = ["FriedmanResult", "RankTests", "friedman", "mean_ranks", "nemenyi", "rank_tests"]


# Exact p-values are computed for up to this many methods, and up to this many sums of ranks at a time.
MOST_PERMUTED, MOST_STATES = 6, 300_000
# The null hypothesis of each pair.
_NULL = "the two methods have the same mean rank"


def mean_ranks(scores: Any, *, higher_is_better: bool = True) -> pd.Series:
    """Mean rank of each method over the data sets; 1 is best, and tied methods share their ranks.

    Parameters
    ----------
    scores : DataFrame or array-like
        A table with one row per data set and one column per method; or a tidy frame (see :func:`compare_methods`),
        whose scores are averaged for each data set.
    higher_is_better : bool
        Whether higher scores are better; False for errors and losses.

    Returns
    -------
    Series
    """
    return _ranked(read_wide(scores, 1), _params.flag(higher_is_better, "higher_is_better")).mean()


def _ranked(wide: pd.DataFrame, higher_is_better: bool) -> pd.DataFrame:
    """Ranks within each row; scores that are equal up to rounding are tied."""
    values = -wide.to_numpy() if higher_is_better else wide.to_numpy()
    order = np.argsort(values, axis=1)
    gaps = np.diff(np.take_along_axis(values, order, axis=1), axis=1)
    error = ROUNDING * np.abs(values).max(axis=1, keepdims=True)
    # Each score is replaced by the number of its group of equal scores, and these numbers are ranked.
    group = np.zeros(values.shape, dtype=np.int64)
    np.put_along_axis(group, order[:, 1:], np.cumsum(gaps > error, axis=1), axis=1)
    ranks = stats.rankdata(group, axis=1)
    return pd.DataFrame(ranks, index=wide.index, columns=wide.columns)


@dataclass(frozen=True, eq=False, repr=False)
class FriedmanResult(TestResult):
    """The result of Friedman's test: a :class:`~pwcstats.TestResult` with the mean rank of each method in `ranks`."""

    __test__ = False

    ranks: pd.Series | None = None

    def summary(self) -> str:
        """The test and the mean ranks, best first, as text."""
        return str(self) if self.ranks is None else f"{self}\n\n{_table_of_ranks(self.ranks)}"


def friedman(
    scores: Any,
    *,
    statistic: Literal["chi-squared", "F", "exact", "auto"] = "chi-squared",
    higher_is_better: bool = True,
) -> FriedmanResult:
    r"""Friedman's test that several methods have the same mean rank over the data sets.

    Parameters
    ----------
    scores : DataFrame or array-like
        A table with one row per data set and one column per method; or a tidy frame (see :func:`compare_methods`),
        whose scores are averaged for each data set.
    statistic : {"chi-squared", "F", "exact", "auto"}
        How the p-value is computed. "chi-squared": Friedman's statistic, as in R's ``friedman.test``, which is
        conservative; "F": Iman and Davenport's statistic, which rejects too often with three or four data sets;
        "exact": all permutations of the ranks within data sets, if these are not too many; "auto": exact if possible,
        otherwise F.
    higher_is_better : bool
        Whether higher scores are better. This affects only the ranks: 1 is the best one.

    Returns
    -------
    FriedmanResult
        With the mean ranks in `ranks`.

    Notes
    -----
    With mean ranks :math:`R_j` of K methods over N data sets (:math:`t` runs over groups of tied scores),

    .. math:: \chi^2 = \frac{12 N^2 \sum_j (R_j - (K+1)/2)^2}{N K (K+1) - \sum (t^3 - t) / (K - 1)},
       \qquad F = \frac{(N-1)\,\chi^2}{N (K-1) - \chi^2}

    with :math:`K - 1`, and with :math:`K - 1` and :math:`(K-1)(N-1)` degrees of freedom. F is infinite if all data sets
    rank the methods in the same order; the p-value is then the permutation p-value.

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
    _params.choice(statistic, ("chi-squared", "F", "exact", "auto"), "statistic")
    _params.flag(higher_is_better, "higher_is_better")
    wide = read_datasets(scores)
    ranked = _ranked(wide, higher_is_better)
    n, k = wide.shape
    chi2, notes = _chi_squared(ranked.to_numpy())
    exact = _permutation_p(ranked.to_numpy()) if statistic in ("exact", "auto") else None
    if statistic == "exact" and exact is None:
        raise InputError(f"{k} methods on {n} data sets have too many permutations; use {arg('statistic', 'F')}.")
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
            notes = ("all data sets rank the methods in the same order: F is infinite, the p-value is by permutation",)
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
    """The probability that all data sets rank the methods in the order of the first one; ties may be permuted."""
    ties = np.unique(ranks[0], return_counts=True)[1]
    log_orders = lgamma(ranks.shape[1] + 1) - sum(lgamma(count + 1) for count in ties)
    return float(np.exp(-(len(ranks) - 1) * log_orders))


def _permutation_p(ranks: Array) -> float | None:
    """The exact p-value, over all permutations of the ranks within data sets; None if these are too many."""
    k = ranks.shape[1]
    if k > MOST_PERMUTED:
        return None
    # Shared ranks are multiples of 1/2. The statistic depends only on the squares of the sums, not on their order.
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
        _, first, inverse = np.unique(found @ powers, return_index=True, return_inverse=True)
        proba = np.bincount(inverse.ravel(), np.repeat(proba / len(orders), len(orders))).astype(np.float64)
        sums = found[first]
    observed = int((rows.sum(axis=0) ** 2).sum())
    return min(1.0, float(proba[(sums**2).sum(axis=1) >= observed].sum()))


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
class RankTests(Result):
    """Tests of differences of mean ranks, of all pairs of methods or against a control.

    Attributes
    ----------
    pairs : DataFrame
        One row per pair: method_a, method_b, estimate (mean rank of b minus that of a, positive if a is better),
        conf_low, conf_high, statistic, p_value, p_adjusted.
    ranks : Series
        Mean rank of each method; 1 is best.
    critical_difference : float or None
        Mean ranks that differ by at least this much differ significantly; None if the adjustment has several steps.
    method, null : str
        Name of the test, and the null hypothesis of each pair.
    alpha : float
        Significance level of the critical difference and of the intervals.
    n_datasets : int
        Number of data sets.
    test : str
        Name of the test in :func:`compare_methods`.
    is_simultaneous : bool
        Whether the intervals are simultaneous.
    estimate_name : str
        What is estimated.
    """

    pairs: pd.DataFrame
    ranks: pd.Series
    critical_difference: float | None
    method: str
    null: str
    alpha: float
    n_datasets: int
    test: str
    is_simultaneous: bool
    estimate_name: str = "difference of mean ranks, above 0 where the first method is better"

    @property
    def p_values(self) -> pd.DataFrame:
        """Adjusted p-values as a square table: 1 on the diagonal, NaN for pairs that were not tested."""
        return square_p_values(self.pairs, self.ranks.index)

    def tidy(self) -> pd.DataFrame:
        """One row per pair."""
        return self.pairs.copy()

    def glance(self) -> pd.DataFrame:
        """One row: numbers of methods and data sets, the critical difference, the level and the test."""
        row = {
            "n_methods": len(self.ranks),
            "nobs": self.n_datasets,
            "critical_difference": np.nan if self.critical_difference is None else self.critical_difference,
            "alpha": self.alpha,
            "method": self.method,
        }
        return pd.DataFrame([row])

    def to_dict(self) -> dict[str, Any]:
        """All attributes, ready for JSON."""
        return plain({field.name: getattr(self, field.name) for field in fields(self)})

    def summary(self) -> str:
        """Mean ranks and pairs as text."""
        lines = [f"{self.method}, {len(self.ranks)} methods on {self.n_datasets} data sets"]
        if self.critical_difference is not None:
            lines.append(f"critical difference of mean ranks: {self.critical_difference:.4g} (level {self.alpha:g})")
        pairs = self.pairs.to_string(index=False, float_format="{:.4g}".format)
        return "\n".join([*lines, f"null hypothesis: {self.null}", "", _table_of_ranks(self.ranks), "", pairs])

    def _title(self) -> str:
        return self.method

    def __repr__(self) -> str:
        return self.summary()


def _table_of_ranks(ranks: pd.Series) -> str:
    """Mean ranks as text, best first."""
    return ranks.sort_values(kind="stable").to_frame("mean rank").to_string(float_format="{:.3f}".format)


def square_p_values(pairs: pd.DataFrame, methods: pd.Index) -> pd.DataFrame:
    """Adjusted p-values of pairs as a square table: 1 on the diagonal, NaN for pairs that were not tested."""
    table = np.full((len(methods), len(methods)), np.nan)
    np.fill_diagonal(table, 1.0)
    i, j = (methods.get_indexer(pd.Index(pairs[name])) for name in ("method_a", "method_b"))
    table[i, j] = table[j, i] = pairs["p_adjusted"]
    return pd.DataFrame(table, index=methods, columns=methods)


def nemenyi(scores: Any, *, alpha: float = 0.05, higher_is_better: bool = True) -> RankTests:
    r"""Nemenyi's test of all pairs of methods, by their mean ranks over data sets.

    Parameters
    ----------
    scores : DataFrame or array-like
        A table with one row per data set and one column per method; or a tidy frame (see :func:`compare_methods`),
        whose scores are averaged for each data set.
    alpha : float
        Significance level of the critical difference and of the simultaneous intervals.
    higher_is_better : bool
        Whether higher scores are better; False for errors and losses.

    Returns
    -------
    RankTests
        Its `critical_difference` is :math:`q_\alpha \sqrt{K(K+1)/(6N)}`, where :math:`q_\alpha` is the quantile of the
        studentised range of K normal variables, divided by :math:`\sqrt2`.

    Notes
    -----
    The p-values are adjusted already. The difference of two mean ranks depends on the other methods, too: adding a
    method can make two others differ [2]_. With enough data sets, :func:`compare_methods` therefore uses Wilcoxon's
    test for each pair.

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
    alpha = _params.level(alpha)
    ranks, n, se = _read_ranks(scores, higher_is_better)
    k = len(ranks)
    critical = float(stats.studentized_range.isf(alpha, k, np.inf) / np.sqrt(2.0) * se)
    pairs = _pairs(ranks, se, None, critical)
    # The studentised range refers to single ranks, whose standard error is smaller by sqrt(2).
    pairs["p_value"] = stats.studentized_range.sf(np.sqrt(2.0) * pairs["statistic"].abs(), k, np.inf)
    pairs["p_adjusted"] = pairs["p_value"]
    return RankTests(
        pairs,
        ranks,
        critical,
        method="Nemenyi's test of mean ranks",
        null=_NULL,
        alpha=alpha,
        n_datasets=n,
        test="nemenyi",
        is_simultaneous=True,
    )


def rank_tests(
    scores: Any,
    *,
    control: Any = None,
    adjust: AdjustmentName = "holm",
    alpha: float = 0.05,
    higher_is_better: bool = True,
) -> RankTests:
    r"""z-tests of differences of mean ranks over data sets, of all pairs of methods or against a control.

    Parameters
    ----------
    scores : DataFrame or array-like
        A table with one row per data set and one column per method; or a tidy frame (see :func:`compare_methods`),
        whose scores are averaged for each data set.
    control : label, optional
        The method that all others are compared with. By default, all pairs are compared.
    adjust : {"holm", "bonferroni", "hochberg", "hommel", "shaffer", "bh", "by", "none"}
        How p-values are adjusted, see :func:`adjust`. "bonferroni" against a control is the Bonferroni-Dunn test.
    alpha : float
        Significance level of the intervals. They are simultaneous by Bonferroni's inequality, except with "bh", "by"
        and "none".
    higher_is_better : bool
        Whether higher scores are better; False for errors and losses.

    Returns
    -------
    RankTests

    Notes
    -----
    :math:`z = (R_i - R_j) / \sqrt{K(K+1)/(6N)}` is approximately normal (Demšar 2006).

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
    alpha, adjustment = _params.level(alpha), read_adjust(adjust)
    ranks, n, se = _read_ranks(scores, higher_is_better)
    if control is not None:
        _params.index_of(control, ranks.index, "control", "methods")
    n_pairs = len(ranks) - 1 if control is not None else len(ranks) * (len(ranks) - 1) // 2
    half = float(stats.norm.isf(adjustment.interval_alpha(alpha, n_pairs) / 2.0)) * se
    pairs = _pairs(ranks, se, control, half)
    pairs["p_value"] = 2.0 * stats.norm.sf(pairs["statistic"].abs())
    pairs["p_adjusted"] = adjusted(pairs["p_value"], adjust)
    against = f" against {control}" if control is not None else ""
    return RankTests(
        pairs,
        ranks,
        half if adjustment.is_single_step else None,
        method=f"Tests of mean ranks{against} (z, {adjustment.name})",
        null=_NULL,
        alpha=alpha,
        n_datasets=n,
        test="mean_ranks",
        is_simultaneous=adjustment.is_familywise,
    )


def _read_ranks(scores: Any, higher_is_better: bool) -> tuple[pd.Series, int, float]:
    """Mean ranks, the number of data sets, and the standard error of a difference of two mean ranks."""
    _params.flag(higher_is_better, "higher_is_better")
    wide = read_datasets(scores)
    n, k = wide.shape
    return _ranked(wide, higher_is_better).mean(), n, float(np.sqrt(k * (k + 1) / (6.0 * n)))


def _pairs(ranks: pd.Series, se: float, control: Any, half: float) -> pd.DataFrame:
    """Pairs of methods, with intervals of width 2 `half`; the first one is the better one, or the control."""
    ordered = list(ranks.sort_values(kind="stable").index)
    if control is None:
        pairs = list(combinations(ordered, 2))
    else:
        pairs = [(control, other) for other in ordered if other != control]
    frame = pd.DataFrame(pairs, columns=["method_a", "method_b"])
    frame["estimate"] = ranks[frame["method_b"]].to_numpy() - ranks[frame["method_a"]].to_numpy()
    frame["conf_low"], frame["conf_high"] = frame["estimate"] - half, frame["estimate"] + half
    frame["statistic"] = frame["estimate"] / se
    return frame
