"""Tests of right and wrong answers, case by case: McNemar's of two methods and Cochran's Q of more."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize, stats

from pwcstats import _params
from pwcstats._arrays import as_float
from pwcstats._results import TestResult
from pwcstats._text import listed, shape_of
from pwcstats.compare.means import p_value
from pwcstats.compare.scores import aligned, read_alternative, read_answers, read_right
from pwcstats.compare.signs import fair_p
from pwcstats.errors import InputError

__all__ = ["cochran_q", "mcnemar"]


def mcnemar(
    a: Any,
    b: Any = None,
    *,
    y_true: Any = None,
    method: str = "exact",
    correction: bool = True,
    alternative: str = "two-sided",
    alpha: float = 0.05,
) -> TestResult:
    r"""McNemar's test of two classifiers on the same test cases.

    Parameters
    ----------
    a, b : array-like
        Whether each method was right, case by case (True and False, or 1 and 0); or their predictions, with `y_true`.
        Or `a` alone, a 2 x 2 table of counts: rows, a was right and wrong; columns, b was right and wrong (a frame with
        the labels True and False, as ``pandas.crosstab`` makes it, in any order). Predictions of 0 and 1 without
        `y_true` would be taken for wrong and right.
    y_true : array-like, optional
        The true classes, where a and b are predictions.
    method : {"exact", "mid-p", "asymptotic"}
        "exact": binomial, never above its level; "mid-p": half the probability of what was seen, less cautious and
        hardly ever above its level [2]_; "asymptotic": chi-squared.
    correction : bool
        Whether "asymptotic" has a continuity correction, as R does.
    alternative : {"two-sided", "greater", "less"}
        "greater": a is right more often.
    alpha : float
        1 less the level of the confidence interval.

    Returns
    -------
    TestResult
        The statistic is the number of cases that a alone has right, or chi-squared ("asymptotic"). The estimate is the
        difference of the shares of right answers, a - b, with Tango's score interval [3]_. That inverts the chi-squared
        test without correction, so it can leave out 0 where the p-value of a more cautious method is above alpha.

    Notes
    -----
    Only cases on which one method is right and the other wrong count: with :math:`b` and :math:`c` of these, a and b
    are equally good if :math:`b` is binomial with :math:`b + c` throws of a fair coin;
    :math:`\chi^2 = (|b - c| - 1)^2 / (b + c)`.

    References
    ----------
    .. [1] McNemar, Q. (1947). Note on the sampling error of the difference between correlated proportions or
       percentages. Psychometrika 12, 153-157. https://doi.org/10.1007/BF02295996
    .. [2] Fagerland, M. W., Lydersen, S. and Laake, P. (2013). The McNemar test for binary matched-pairs data: mid-p
       and asymptotic are better than exact conditional. BMC Medical Research Methodology 13, 91.
       https://doi.org/10.1186/1471-2288-13-91
    .. [3] Tango, T. (1998). Equivalence test and confidence interval for the difference in proportions for the
       paired-sample design. Statistics in Medicine 17, 891-908.

    Examples
    --------
    >>> from pwcstats.compare import mcnemar
    >>> print(mcnemar([[59, 6], [16, 80]]))
    McNemar's test, exact: a alone right = 6, p-value = 0.05248
    null hypothesis: a and b are right equally often
    estimate of the difference of the shares of right answers: -0.06211 (-0.124, -0.005433), 95 % interval
    """
    method = _params.choice(method, ("exact", "mid-p", "asymptotic"), "method")
    alternative, alpha = read_alternative(alternative), _params.level(alpha, "alpha")
    names, only_a, only_b, n = _discordant(a, b, y_true)
    notes = () if only_a + only_b else ("a and b are right on the same cases",)
    how, df = method, None
    match method:
        case "asymptotic":
            excess = float(only_a - only_b)
            correction = correction and excess != 0.0
            # Towards 0; of one side, towards what the hypothesis says.
            step = {"two-sided": np.sign(excess), "greater": 1.0, "less": -1.0}[alternative] if correction else 0.0
            scale = np.sqrt(max(only_a + only_b, 1))
            statistic, name, df = ((abs(excess) - float(correction)) / scale) ** 2, "chi-squared", 1
            p = p_value(stats.norm, (excess - step) / scale, alternative)
            how += ", with continuity correction" if correction else ""
        case "exact":
            statistic, name, p = only_a, f"{names[0]} alone right", fair_p(only_a, only_a + only_b, alternative)
        case _:
            statistic, name, p = only_a, f"{names[0]} alone right", _mid_p(only_a, only_a + only_b, alternative)
    return TestResult(
        float(statistic),
        p,
        df,
        (only_a - only_b) / n,
        _tango(only_a, only_b, n, alternative, alpha),
        f"McNemar's test, {how}",
        f"{names[0]} and {names[1]} are right equally often",
        statistic_name=name,
        estimate_name="difference of the shares of right answers",
        alternative=alternative,
        conf_level=1.0 - alpha,
        notes=notes,
    )


def _discordant(a: Any, b: Any, y_true: Any) -> tuple[list[str], int, int, int]:
    """Names of the methods, how many cases each of them alone has right, and the number of cases."""
    if b is None:
        table = as_float(_right_first(a), "a")
        if table.shape != (2, 2) or (table < 0.0).any() or not (table == np.rint(table)).all() or not table.sum():
            raise InputError(
                f"without b, a must be a 2 x 2 table of counts (rows: a was right, wrong; columns: b was), got "
                f"{shape_of(table)}{' of other numbers' if table.shape == (2, 2) else ''}; or give the answers of both "
                "methods."
            )
        return ["a", "b"], int(table[0, 1]), int(table[1, 0]), int(table.sum())
    names = [str(getattr(x, "name", None) or default) for x, default in ((a, "a"), (b, "b"))]
    a, b = aligned(a, b)
    a, y_true = aligned(a, y_true)
    right = [read_answers(x, y_true, name) for x, name in ((a, "a"), (b, "b"))]
    if right[0].shape != right[1].shape or right[0].ndim != 1 or not len(right[0]):
        raise InputError(
            f"a and b must have one answer for each case, and the same cases, got {right[0].size} and {right[1].size} "
            "answers."
        )
    only = [int((one & ~other).sum()) for one, other in (right, right[::-1])]
    return (names if names[0] != names[1] else ["a", "b"]), only[0], only[1], len(right[0])


def _right_first(table: Any) -> Any:
    """A table of counts with labels, in the order right, wrong; as crosstab makes it, False comes before True."""
    # Numbers that pandas gave the rows and columns are no labels.
    plain = not isinstance(table, pd.DataFrame) or isinstance(table.index, pd.RangeIndex)
    if plain or table.shape != (2, 2):
        return table
    orders = []
    for labels in (table.index, table.columns):
        words = [str(label).lower() for label in labels]
        if sorted(words) not in (["false", "true"], ["0", "1"], ["right", "wrong"]):
            raise InputError(
                f"a table of counts must have rows and columns True and False, 1 and 0, or right and wrong, got "
                f"{listed(labels)}; for tables of predictions give these and y_true= instead."
            )
        orders.append([0, 1] if words[0] in ("true", "1", "right") else [1, 0])
    return table.iloc[orders[0], orders[1]]


def _mid_p(only_a: int, n: int, alternative: str) -> float:
    """The exact p-value, with half the probability of what was seen in each tail."""
    coin = stats.binom(n, 0.5)
    half = coin.pmf(only_a) / 2.0
    less, greater = float(coin.cdf(only_a) - half), float(coin.sf(only_a - 1) - half)
    return {"less": less, "greater": greater, "two-sided": 2.0 * min(less, greater)}[alternative]


def _tango(only_a: int, only_b: int, n: int, alternative: str, alpha: float) -> tuple[float, float]:
    """All differences that the score test would not reject."""
    z = float(stats.norm.isf(alpha / 2.0 if alternative == "two-sided" else alpha))

    def score(delta: float) -> float:
        # The share of cases that b alone has right, as likely as can be where the difference is delta.
        linear = (2.0 * n - only_a + only_b) * delta - only_a - only_b
        root = linear**2 + 8.0 * n * only_b * delta * (1.0 - delta)
        share = (np.sqrt(max(root, 0.0)) - linear) / (4.0 * n)
        variance = n * (2.0 * share + delta * (1.0 - delta))
        excess = only_a - only_b - n * delta
        return float(excess / np.sqrt(variance)) if variance > 0.0 else float(np.sign(excess) * np.inf)

    def bound(target: float, end: float) -> float:
        # The score falls with delta. Where it is not far enough out even at the end, the end is the bound.
        inner = end * (1.0 - 1e-14)
        if np.sign(score(inner) - target) != np.sign(end) * -1.0:
            return end
        return float(optimize.brentq(lambda delta: score(delta) - target, -inner, inner, xtol=1e-15))

    low = -1.0 if alternative == "less" else bound(z, -1.0)
    high = 1.0 if alternative == "greater" else bound(-z, 1.0)
    return low, high


def cochran_q(answers: Any, *, y_true: Any = None) -> TestResult:
    r"""Cochran's Q, a test that several classifiers are right equally often on the same test cases.

    Parameters
    ----------
    answers : array-like or DataFrame, cases x methods
        Whether each method was right, case by case (True and False, or 1 and 0); or their predictions, with `y_true`.
    y_true : array-like, optional
        The true classes, where `answers` are predictions.

    Returns
    -------
    TestResult

    Notes
    -----
    With :math:`K` methods, :math:`T_j` right answers of method j and :math:`R_i` right answers to case i,

    .. math:: Q = \frac{(K-1)\,[K \sum_j T_j^2 - (\sum_j T_j)^2]}{K \sum_i R_i - \sum_i R_i^2}

    is chi-squared with :math:`K - 1` degrees of freedom in large samples. It is Friedman's test of 0 and 1, and for two
    methods McNemar's without correction.

    References
    ----------
    .. [1] Cochran, W. G. (1950). The comparison of percentages in matched samples. Biometrika 37, 256-266.

    Examples
    --------
    >>> from pwcstats.compare import cochran_q
    >>> right = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 0, 0], [1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 0, 1]]
    >>> print(cochran_q(right))
    Cochran's Q test: Q = 6.333, df = 2, p-value = 0.04214
    null hypothesis: the 3 methods are right equally often
    """
    table = answers.to_numpy() if isinstance(answers, pd.DataFrame) else np.asarray(answers)
    if table.ndim != 2 or table.shape[1] < 2 or not len(table):
        raise InputError(
            f"answers must be a table with a row for each case and a column for each of two methods or more, got "
            f"{' x '.join(map(str, table.shape)) or 'a single value'}."
        )
    right = (read_right(answers, "answers") if y_true is None else read_answers(table, y_true, "answers")).astype(float)
    k = right.shape[1]
    by_method, by_case = right.sum(axis=0), right.sum(axis=1)
    spread = float((by_case * (k - by_case)).sum())
    notes: tuple[str, ...] = ()
    if spread == 0.0:
        q, notes = 0.0, ("all methods are right on the same cases",)
    else:
        q = float((k - 1.0) * (k * (by_method**2).sum() - by_method.sum() ** 2) / spread)
    return TestResult(
        q,
        float(stats.chi2.sf(q, k - 1)),
        k - 1,
        method="Cochran's Q test",
        null=f"the {k} methods are right equally often",
        statistic_name="Q",
        notes=notes,
    )
