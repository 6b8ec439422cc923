"""Tests of a mean difference: paired t, corrected for resampling, and the tests of five times two-fold validation."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._results import TestResult
from pwcstats.compare.scores import Pair, read_alternative, read_five_by_two, read_fraction, read_pair, refuse_no_spread

__all__ = ["corrected_resampled_t", "cv5x2_f", "cv5x2_t", "paired_t"]

SAME = "all differences are 0: the methods scored the same everywhere"


def paired_t(a: Any, b: Any, *, alternative: str = "two-sided", alpha: float = 0.05) -> TestResult:
    r"""Student's paired t-test, for independent pairs of scores.

    Scores on data sets, or on samples that were drawn afresh, are independent. Those of folds or of repeated splits of
    one data set are not: their training sets overlap, and this test rejects far too often. Use
    :func:`corrected_resampled_t` for these.

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

    Notes
    -----
    :math:`t = \bar d / \sqrt{s^2 / n}` with :math:`n - 1` degrees of freedom, of the differences
    :math:`d_i = a_i - b_i`.

    Examples
    --------
    >>> from pwcstats.compare import paired_t
    >>> print(paired_t([0.81, 0.84, 0.86, 0.79, 0.90], [0.78, 0.85, 0.80, 0.77, 0.86]))
    Paired t-test: t = 2.419, df = 4, p-value = 0.07286
    null hypothesis: the mean difference of scores, a - b, is 0
    estimate of the mean difference: 0.028 (-0.00414, 0.06014), 95 % interval
    """
    pair = read_pair(a, b)
    d = pair.differences
    return _t_test(pair, d, 1.0 / d.size, "Paired t-test", alternative, alpha)


def corrected_resampled_t(
    a: Any, b: Any, *, test_fraction: float | None = None, alternative: str = "two-sided", alpha: float = 0.05
) -> TestResult:
    r"""Nadeau and Bengio's t-test, for scores of repeated splits of one data set.

    Parameters
    ----------
    a, b : array-like of float
        Scores of the two methods on the same splits: in a row, or as tables with a row for each repeat and a column for
        each fold.
    test_fraction : float, optional
        Share of the cases in each test set: 1/k for k folds, 0.3 where random splits hold out 30 %. Tables tell it
        themselves, by their number of folds.
    alternative : {"two-sided", "greater", "less"}
        "greater": a scores higher.
    alpha : float
        1 less the level of the confidence interval.

    Returns
    -------
    TestResult

    Notes
    -----
    .. math:: t = \frac{\bar d}{\sqrt{(1/J + n_2/n_1)\, s^2}}

    with :math:`J - 1` degrees of freedom, of the differences on :math:`J` splits with :math:`n_1` training and
    :math:`n_2` test cases. The term :math:`n_2/n_1` stands for what overlapping training sets have in common; without
    it more repeats would make every difference significant. For k folds it is :math:`1/(k-1)` [2]_.

    References
    ----------
    .. [1] Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.
       https://doi.org/10.1023/A:1024068626366
    .. [2] Bouckaert, R. R. and Frank, E. (2004). Evaluating the replicability of significance tests for comparing
       learning algorithms. PAKDD 2004, 3-12. https://doi.org/10.1007/978-3-540-24775-3_3

    Examples
    --------
    >>> from pwcstats.compare import corrected_resampled_t
    >>> a, b = [0.81, 0.84, 0.86, 0.79, 0.90], [0.78, 0.85, 0.80, 0.77, 0.86]
    >>> print(corrected_resampled_t(a, b, test_fraction=1 / 5))
    Corrected resampled t-test (5 splits with 20 % of the cases in the test set): t = 1.613, df = 4, p-value = 0.1821
    null hypothesis: a - b has mean 0: the same expected score, trained on as many cases of new data
    estimate of the mean difference: 0.028 (-0.02021, 0.07621), 95 % interval
    """
    pair = read_pair(a, b, dims=(1, 2))
    fraction, how = read_fraction(test_fraction, pair.a.shape)
    d = pair.differences
    factor = 1.0 / d.size + fraction / (1.0 - fraction)
    null = f"{pair.name_a} - {pair.name_b} has mean 0: the same expected score, trained on as many cases of new data"
    return _t_test(pair, d, factor, f"Corrected resampled t-test ({how})", alternative, alpha, null)


def _t_test(
    pair: Pair, d: Array, factor: float, method: str, alternative: str, alpha: float, null: str | None = None
) -> TestResult:
    """A t-test of a mean whose variance is `factor` times that of the differences."""
    alternative, alpha = read_alternative(alternative), _params.level(alpha, "alpha")
    null = null or f"the mean difference of scores, {pair.name_a} - {pair.name_b}, is 0"
    x, unit = scaled(d)
    mean, df = float(x.mean()), d.size - 1
    se = float(np.sqrt(factor * x.var(ddof=1)))
    return _student(mean, se, float(unit), df, d, "mean difference", method, null, alternative, alpha)


def _student(
    estimate: float,
    se: float,
    unit: float,
    df: int,
    d: Array,
    name: str,
    method: str,
    null: str,
    alternative: str,
    alpha: float,
) -> TestResult:
    """The result of a t-test; without any spread only where there is no difference either.

    `estimate` and `se` are in multiples of `unit`, see :func:`scaled`.
    """
    notes: tuple[str, ...] = ()
    if not d.any():
        t, p, interval, notes = 0.0, 1.0, (0.0, 0.0), (SAME,)
    elif se == 0.0 or np.ptp(d) == 0.0:
        refuse_no_spread(d, "t")
    else:
        t = estimate / se
        p = p_value(stats.t(df), t, alternative)
        low, high = bounds(lambda level: float(stats.t.isf(level, df)) * se, estimate, alternative, alpha)
        interval = (low * unit, high * unit)
    return TestResult(
        t,
        p,
        df,
        estimate * unit,
        interval,
        method,
        null,
        se * unit,
        "t",
        name,
        alternative,
        conf_level=1.0 - alpha,
        notes=notes,
    )


def scaled(x: Array, axis: int | None = None) -> tuple[Array, Any]:
    """Numbers in multiples of a power of two, and that power; the largest of them is between 1/2 and 1.

    The division is exact, and squares of the quotients neither overflow nor vanish.
    """
    unit = np.ldexp(1.0, np.frexp(np.abs(x).max(axis=axis))[1])
    return x / unit, unit


def p_value(null: Any, statistic: float, alternative: str) -> float:
    """The p-value of a statistic whose distribution is symmetric about 0."""
    if alternative == "two-sided":
        return float(2.0 * null.sf(abs(statistic)))
    return float(null.sf(statistic) if alternative == "greater" else null.cdf(statistic))


def bounds(half: Callable[[float], float], centre: float, alternative: str, alpha: float) -> tuple[float, float]:
    """A confidence interval about an estimate; open on one side for a test of one side."""
    if alternative == "two-sided":
        return centre - half(alpha / 2.0), centre + half(alpha / 2.0)
    return (centre - half(alpha), np.inf) if alternative == "greater" else (-np.inf, centre + half(alpha))


def cv5x2_t(a: Any, b: Any, *, alternative: str = "two-sided", alpha: float = 0.05) -> TestResult:
    r"""Dietterich's t-test of five repeats of two-fold cross-validation.

    Parameters
    ----------
    a, b : array-like of float, 5 x 2
        Scores of the two methods, a row for each repeat and a column for each fold (or all ten in this order).
    alternative : {"two-sided", "greater", "less"}
        "greater": a scores higher.
    alpha : float
        1 less the level of the confidence interval.

    Returns
    -------
    TestResult
        The estimate is the difference in the first fold of the first repeat, the one that the test is about.

    Notes
    -----
    .. math:: t = d_{11} \Big/ \sqrt{\tfrac15 \sum_{i=1}^5 s_i^2},
       \quad s_i^2 = (d_{i1} - \bar d_i)^2 + (d_{i2} - \bar d_i)^2

    with 5 degrees of freedom. The result depends on which of the ten differences comes first; :func:`cv5x2_f` does not.

    References
    ----------
    .. [1] Dietterich, T. G. (1998). Approximate statistical tests for comparing supervised classification learning
       algorithms. Neural Computation 10, 1895-1923. https://doi.org/10.1162/089976698300017197

    Examples
    --------
    >>> from pwcstats.compare import cv5x2_t
    >>> a = [[0.82, 0.80], [0.79, 0.83], [0.81, 0.80], [0.84, 0.78], [0.80, 0.82]]
    >>> b = [[0.78, 0.79], [0.78, 0.79], [0.77, 0.80], [0.79, 0.77], [0.79, 0.78]]
    >>> result = cv5x2_t(a, b)
    >>> round(result.statistic, 3), result.df, round(result.p_value, 4)
    (1.647, 5, 0.1605)
    """
    pair = read_five_by_two(a, b)
    d = pair.differences.reshape(5, 2)
    x, unit = scaled(d)
    se = float(np.sqrt(_variances(x).mean()))
    name = "difference in the first fold"
    null = _half(pair)
    method = "Dietterich's 5 x 2 cross-validated t-test"
    alternative, alpha = read_alternative(alternative), _params.level(alpha, "alpha")
    return _student(float(x[0, 0]), se, float(unit), 5, d, name, method, null, alternative, alpha)


def cv5x2_f(a: Any, b: Any, *, alpha: float = 0.05) -> TestResult:
    r"""Alpaydin's F-test of five repeats of two-fold cross-validation.

    Parameters
    ----------
    a, b : array-like of float, 5 x 2
        Scores of the two methods, a row for each repeat and a column for each fold (or all ten in this order).
    alpha : float
        1 less the level of the confidence interval.

    Returns
    -------
    TestResult
        The estimate is the mean of the ten differences; the interval has all differences that the test would not
        reject, and there may be none.

    Notes
    -----
    .. math:: f = \frac{\sum_{i=1}^5 \sum_{j=1}^2 d_{ij}^2}{2 \sum_{i=1}^5 s_i^2},
       \quad s_i^2 = (d_{i1} - \bar d_i)^2 + (d_{i2} - \bar d_i)^2

    with 10 and 5 degrees of freedom. Of the two tests of this design it rejects less often where there is no
    difference, and more often where there is one.

    References
    ----------
    .. [1] Alpaydin, E. (1999). Combined 5 x 2 cv F test for comparing supervised classification learning algorithms.
       Neural Computation 11, 1885-1892. https://doi.org/10.1162/089976699300016007

    Examples
    --------
    >>> from pwcstats.compare import cv5x2_f
    >>> a = [[0.82, 0.80], [0.79, 0.83], [0.81, 0.80], [0.84, 0.78], [0.80, 0.82]]
    >>> b = [[0.78, 0.79], [0.78, 0.79], [0.77, 0.80], [0.79, 0.77], [0.79, 0.78]]
    >>> result = cv5x2_f(a, b)
    >>> round(result.statistic, 3), result.df, round(result.p_value, 4)
    (1.576, (10, 5), 0.3213)
    """
    alpha = _params.level(alpha, "alpha")
    pair = read_five_by_two(a, b)
    d = pair.differences.reshape(5, 2)
    x, unit = scaled(d)
    mean, spread = float(x.mean()), 2.0 * float(_variances(x).sum())
    notes: tuple[str, ...] = ()
    interval: tuple[float, float] | None
    if not d.any():
        f, p, interval, notes = 0.0, 1.0, (0.0, 0.0), (SAME,)
    elif spread == 0.0:
        refuse_no_spread(d, "F")
    else:
        f = float((x**2).sum()) / spread
        p = float(stats.f.sf(f, 10, 5))
        # sum (x - delta)^2 <= F spread is a quadratic in delta.
        room = stats.f.isf(alpha, 10, 5) * spread - ((x - mean) ** 2).sum()
        half = float(np.sqrt(max(room, 0.0) / 10.0))
        interval = ((mean - half) * float(unit), (mean + half) * float(unit))
        if room < 0.0:
            interval = None
            notes = ("no interval: the repeats differ so much that the test rejects every value of the difference",)
    return TestResult(
        f,
        p,
        (10, 5),
        mean * float(unit),
        interval,
        "Alpaydin's 5 x 2 cross-validated F-test",
        _half(pair),
        statistic_name="F",
        estimate_name="mean difference",
        conf_level=1.0 - alpha,
        notes=notes,
    )


def _half(pair: Pair) -> str:
    return f"{pair.name_a} - {pair.name_b} has mean 0: the same expected score, trained on half of the data"


def _variances(d: Array) -> Array:
    """The variance of the differences within each repeat (of two, so twice what var() gives)."""
    return ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
