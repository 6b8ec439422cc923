"""Tests of right and wrong answers to the same cases: McNemar's test and Cochran's Q."""

from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize, stats

from pwcstats import _params
from pwcstats._arrays import as_float
from pwcstats._results import TestResult
from pwcstats._text import listed, shape_of, shown
from pwcstats.compare.means import p_value
from pwcstats.compare.pairs import Alternative, aligned, read_alternative
from pwcstats.compare.signs import fair_p
from pwcstats.errors import InputError, arg, value

__all__ = ["cochran_q", "mcnemar"]


def mcnemar(
    a: Any,
    b: Any = None,
    *,
    y_true: Any = None,
    method: Literal["exact", "mid-p", "asymptotic"] = "exact",
    correction: bool = True,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
) -> TestResult:
    r"""McNemar's test of two classifiers on the same test cases.

    Parameters
    ----------
    a, b : array-like
        Whether each method was right on each case (True and False, or 1 and 0); or their predictions, with `y_true`.
        Or `a` alone, a 2 x 2 table of counts: rows for a right and wrong, columns for b right and wrong (a frame with
        the labels True and False in any order, such as ``pandas.crosstab`` makes). Without `y_true`, predictions of 0
        and 1 are read as wrong and right.
    y_true : array-like, optional
        The true classes, if a and b are predictions.
    method : {"exact", "mid-p", "asymptotic"}
        "exact": binomial, never above its level; "mid-p": counts half the probability of the observed table, less
        conservative and hardly ever above its level [2]_; "asymptotic": chi-squared.
    correction : bool
        Whether "asymptotic" has a continuity correction, as in R.
    alternative : {"two-sided", "greater", "less"}
        "greater": a is right more often.
    alpha : float
        Significance level; the confidence interval has level 1 - alpha.

    Returns
    -------
    TestResult
        The statistic is the number of cases on which only a is right, or chi-squared ("asymptotic"). The estimate is
        the difference of the shares of right answers, a - b, with Tango's score interval [3]_. The interval inverts the
        chi-squared test without correction, so that it can exclude 0 although the p-value of a more conservative method
        is above alpha.

    Notes
    -----
    The test uses only cases on which one method is right and the other is wrong. Let :math:`b` be the number on which
    only the first is right, and :math:`c` that of the second. If the methods are equally good, :math:`b` is binomial
    with :math:`b + c` trials and probability 1/2; :math:`\chi^2 = (|b - c| - 1)^2 / (b + c)`.

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
    _params.choice(method, ("exact", "mid-p", "asymptotic"), "method")
    correction = _params.flag(correction, "correction")
    alternative, alpha = read_alternative(alternative), _params.level(alpha)
    names, only_a, only_b, n = _discordant(a, b, y_true)
    how, df = f"McNemar's test, {method}", None
    if method == "asymptotic":
        excess = float(only_a - only_b)
        correction = correction and excess != 0.0
        # The correction is towards 0, and in a one-sided test towards the null hypothesis.
        step = {"two-sided": np.sign(excess), "greater": 1.0, "less": -1.0}[alternative] if correction else 0.0
        scale = np.sqrt(max(only_a + only_b, 1))
        statistic, name, df = float(((abs(excess) - float(correction)) / scale) ** 2), "chi-squared", 1
        p = p_value(stats.norm, (excess - step) / scale, alternative)
        how += ", with continuity correction" if correction else ""
    else:
        statistic, name = float(only_a), f"{names[0]} alone right"
        p = (fair_p if method == "exact" else _mid_p)(only_a, only_a + only_b, alternative)
    return TestResult(
        statistic,
        p,
        df,
        (only_a - only_b) / n,
        _tango(only_a, only_b, n, alternative, alpha),
        how,
        f"{names[0]} and {names[1]} are right equally often",
        statistic_name=name,
        estimate_name="difference of the shares of right answers",
        alternative=alternative,
        conf_level=1.0 - alpha,
        notes=() if only_a + only_b else ("a and b are right on the same cases",),
    )


def _discordant(a: Any, b: Any, y_true: Any) -> tuple[list[str], int, int, int]:
    """Names of the methods, on how many cases only the first and only the second is right, and the number of cases."""
    if b is None:
        table = as_float(_right_first(a), "a")
        if table.shape != (2, 2) or (table < 0.0).any() or not (table == np.rint(table)).all() or not table.sum():
            raise InputError(
                f"without {arg('b')}, {arg('a')} must be a 2 x 2 table of counts (rows: a right, a wrong; columns: b "
                f"right, b wrong), got {shape_of(table)}{' of other numbers' if table.shape == (2, 2) else ''}; or "
                "give the answers of both methods."
            )
        return ["a", "b"], int(table[0, 1]), int(table[1, 0]), int(table.sum())
    names = [str(getattr(x, "name", None) or default) for x, default in ((a, "a"), (b, "b"))]
    a, b = aligned(a, b)
    a, y_true = aligned(a, y_true)
    right = [_read_answers(x, y_true, name) for x, name in ((a, "a"), (b, "b"))]
    if right[0].shape != right[1].shape or right[0].ndim != 1 or not len(right[0]):
        raise InputError(
            f"{arg('a')} and {arg('b')} must have one answer for each case, and the same cases, got {right[0].size} "
            f"and {right[1].size} answers."
        )
    only = [int((one & ~other).sum()) for one, other in (right, right[::-1])]
    return (names if names[0] != names[1] else ["a", "b"]), only[0], only[1], len(right[0])


def _right_first(table: Any) -> Any:
    """A table of counts with labels, reordered to right, wrong; crosstab puts False before True."""
    # A RangeIndex has no labels, only the numbers that pandas gave it.
    is_labelled = isinstance(table, pd.DataFrame) and not isinstance(table.index, pd.RangeIndex)
    if not is_labelled or table.shape != (2, 2):
        return table
    orders = []
    for labels in (table.index, table.columns):
        texts = [str(label).lower() for label in labels]
        if sorted(texts) not in (["false", "true"], ["0", "1"], ["right", "wrong"]):
            raise InputError(
                f"a table of counts must have rows and columns True and False, 1 and 0, or right and wrong, got "
                f"{listed(labels)}; instead of a table of predictions, give the predictions and {arg('y_true')}."
            )
        orders.append([0, 1] if texts[0] in ("true", "1", "right") else [1, 0])
    return table.iloc[orders[0], orders[1]]


def _read_answers(answers: Any, y_true: Any, name: str) -> NDArray[np.bool_]:
    """Whether each answer is right: 1 and 0, or predictions that are compared with the true classes."""
    if y_true is None:
        return _read_right(answers, name)
    truth, values = np.asarray(y_true), np.asarray(answers)
    if truth.ndim != 1 or values.shape[:1] != truth.shape:
        raise InputError(
            f"{arg(name)} must have a prediction for each of the {truth.shape[0] if truth.ndim else 1} cases of "
            f"{arg('y_true')}, got {' x '.join(map(str, values.shape))}."
        )
    if pd.isna(truth).any() or pd.isna(values).any():
        raise InputError(
            f"{arg('y_true')} and {arg(name)} must not have missing values; drop these cases from all methods."
        )
    if not np.isin(pd.unique(values.ravel()), pd.unique(truth)).any():
        raise InputError(
            f"no prediction in {arg(name)} is one of the classes of {arg('y_true')} "
            f"{listed(map(shown, pd.unique(truth)))}; give labels of the same type."
        )
    return values == (truth if values.ndim == 1 else truth[:, None])


def _read_right(answers: Any, name: str) -> NDArray[np.bool_]:
    """Whether each answer is right: True and False, or 1 and 0."""
    if isinstance(answers, np.ma.MaskedArray) and np.ma.is_masked(answers):
        raise InputError(
            f"{arg(name)} must not have missing values, got masked ones; drop these cases from all methods."
        )
    values = np.asarray(answers)
    if values.dtype == np.bool_:
        return values
    try:
        numbers = as_float(answers, name)
    except InputError:
        numbers = np.array([np.nan])
    if not np.isin(numbers, (0.0, 1.0)).all():
        raise InputError(
            f"{arg(name)} must say for each case whether the method was right ({value(True)} or 1) or wrong "
            f"({value(False)} or 0), got something else; to compare predictions, give the true classes as "
            f"{arg('y_true')}."
        )
    return numbers == 1.0


def _mid_p(only_a: int, n: int, alternative: str) -> float:
    """The exact p-value, but with half the probability of the observed number in each tail."""
    coin = stats.binom(n, 0.5)
    half = coin.pmf(only_a) / 2.0
    less, greater = float(coin.cdf(only_a) - half), float(coin.sf(only_a - 1) - half)
    return {"less": less, "greater": greater, "two-sided": 2.0 * min(less, greater)}[alternative]


def _tango(only_a: int, only_b: int, n: int, alternative: str, alpha: float) -> tuple[float, float]:
    """Tango's score interval: all differences that the score test would not reject."""
    z = float(stats.norm.isf(alpha / 2.0 if alternative == "two-sided" else alpha))

    def score(delta: float) -> float:
        # The maximum likelihood estimate of the share of cases on which only b is right, if the difference is delta.
        linear = (2.0 * n - only_a + only_b) * delta - only_a - only_b
        root = linear**2 + 8.0 * n * only_b * delta * (1.0 - delta)
        share = (np.sqrt(max(root, 0.0)) - linear) / (4.0 * n)
        variance = n * (2.0 * share + delta * (1.0 - delta))
        excess = only_a - only_b - n * delta
        return float(excess / np.sqrt(variance)) if variance > 0.0 else float(np.sign(excess) * np.inf)

    def bound(target: float, end: float) -> float:
        # The score decreases with delta. If it does not reach the target even at the end, the end is the bound.
        inner = end * (1.0 - 1e-14)
        if np.sign(score(inner) - target) != np.sign(end) * -1.0:
            return end
        return float(optimize.brentq(lambda delta: score(delta) - target, -inner, inner, xtol=1e-15))

    low = -1.0 if alternative == "less" else bound(z, -1.0)
    high = 1.0 if alternative == "greater" else bound(-z, 1.0)
    return low, high


def cochran_q(answers: Any, *, y_true: Any = None) -> TestResult:
    r"""Cochran's Q test that several classifiers are right equally often on the same test cases.

    Parameters
    ----------
    answers : array-like or DataFrame, cases x methods
        Whether each method was right on each case (True and False, or 1 and 0); or their predictions, with `y_true`.
    y_true : array-like, optional
        The true classes, if `answers` are predictions.

    Returns
    -------
    TestResult

    Notes
    -----
    With :math:`K` methods, :math:`T_j` right answers of method j and :math:`R_i` right answers to case i,

    .. math:: Q = \frac{(K-1)\,[K \sum_j T_j^2 - (\sum_j T_j)^2]}{K \sum_i R_i - \sum_i R_i^2}

    is chi-squared with :math:`K - 1` degrees of freedom in large samples. It is Friedman's test of 0 and 1, and with
    two methods McNemar's test without correction.

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
            f"{arg('answers')} must be a table with a row for each case and a column for each of two methods or more, "
            f"got {' x '.join(map(str, table.shape)) or 'a single value'}."
        )
    right = _read_answers(answers if y_true is None else table, y_true, "answers").astype(float)
    k = right.shape[1]
    by_method, by_case = right.sum(axis=0), right.sum(axis=1)
    spread = float((by_case * (k - by_case)).sum())
    q = float((k - 1.0) * (k * (by_method**2).sum() - by_method.sum() ** 2) / spread) if spread else 0.0
    return TestResult(
        q,
        float(stats.chi2.sf(q, k - 1)),
        k - 1,
        method="Cochran's Q test",
        null=f"the {k} methods are right equally often",
        statistic_name="Q",
        notes=() if spread else ("all methods are right on the same cases",),
    )
