"""Tests of the mean difference of two methods: t-tests, and tests of five repeats of two-fold cross-validation."""

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from scipy import stats

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._results import TestResult
from pwcstats._text import shape_of
from pwcstats.compare.pairs import (
    Alternative,
    NoSpreadError,
    Pair,
    describe_splits,
    read_alternative,
    read_fraction,
    read_pair,
)
from pwcstats.errors import InputError, arg, code

__all__ = ["corrected_resampled_t", "cv5x2_f", "cv5x2_t", "paired_t"]

SAME = "all differences are 0: the two methods have the same scores"


def paired_t(a: Any, b: Any, *, alternative: Alternative = "two-sided", alpha: float = 0.05) -> TestResult:
    r"""Student's paired t-test, for independent pairs of scores.

    Scores on different data sets, or on new samples, are independent. Scores on folds or on repeated splits of one data
    set are not: their training sets overlap, and this test rejects far too often. Use :func:`corrected_resampled_t` for
    these.

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

    Notes
    -----
    With the differences :math:`d_i = a_i - b_i`, :math:`t = \bar d / \sqrt{s^2 / n}` has :math:`n - 1` degrees of
    freedom.

    Examples
    --------
    >>> from pwcstats.compare import paired_t
    >>> print(paired_t([0.81, 0.84, 0.86, 0.79, 0.90], [0.78, 0.85, 0.80, 0.77, 0.86]))
    Paired t-test: t = 2.419, df = 4, p-value = 0.07286
    null hypothesis: the mean difference of scores, a - b, is 0
    estimate of the mean difference: 0.028 (-0.00414, 0.06014), 95 % interval
    """
    alternative, alpha = read_alternative(alternative), _params.level(alpha)
    pair = read_pair(a, b)
    d = pair.differences
    null = f"the mean difference of scores, {pair.name_a} - {pair.name_b}, is 0"
    return _t_test(d, 1.0 / d.size, alternative, alpha, "Paired t-test", null)


def corrected_resampled_t(
    a: Any, b: Any, *, test_fraction: float | None = None, alternative: Alternative = "two-sided", alpha: float = 0.05
) -> TestResult:
    r"""Nadeau and Bengio's corrected t-test, for scores on repeated splits of one data set.

    Parameters
    ----------
    a, b : array-like of float
        Scores of the two methods on the same splits: vectors, or tables with one row per repeat and one column per
        fold.
    test_fraction : float, optional
        Share of the cases in each test set: 1/k for k folds, 0.3 for random splits that hold out 30 %. Not needed for
        tables, whose number of columns is the number of folds.
    alternative : {"two-sided", "greater", "less"}
        "greater": a scores higher.
    alpha : float
        Significance level; the confidence interval has level 1 - alpha.

    Returns
    -------
    TestResult

    Notes
    -----
    .. math:: t = \frac{\bar d}{\sqrt{(1/J + n_2/n_1)\, s^2}}

    with :math:`J - 1` degrees of freedom, for the differences on :math:`J` splits with :math:`n_1` training and
    :math:`n_2` test cases. The term :math:`n_2/n_1` accounts for the overlap of the training sets; without it, enough
    repeats would make every difference significant. For k folds it is :math:`1/(k-1)` [2]_.

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
    alternative, alpha, fraction = read_alternative(alternative), _params.level(alpha), read_fraction(test_fraction)
    pair = read_pair(a, b, dims=(1, 2))
    fraction, splits = describe_splits(fraction, pair.a.shape)
    d = pair.differences
    factor = 1.0 / d.size + fraction / (1.0 - fraction)
    null = f"{pair.name_a} - {pair.name_b} has mean 0: the same expected score, trained on as many cases of new data"
    return _t_test(d, factor, alternative, alpha, f"Corrected resampled t-test ({splits})", null)


def _t_test(d: Array, factor: float, alternative: str, alpha: float, method: str, null: str) -> TestResult:
    """A t-test of the mean of differences; its variance is `factor` times that of the differences."""
    x, unit = scaled(d)
    se = float(np.sqrt(factor * x.var(ddof=1)))
    names = {"method": method, "null": null, "estimate_name": "mean difference"}
    return _student(d, float(x.mean()), se, float(unit), d.size - 1, alternative, alpha, names)


def _student(
    d: Array, estimate: float, se: float, unit: float, df: int, alternative: str, alpha: float, names: dict[str, str]
) -> TestResult:
    """The result of a t-test. Without any spread there is one only if all differences are 0.

    `estimate` and `se` are in multiples of `unit`, see :func:`scaled`.
    """
    notes: tuple[str, ...] = ()
    if not d.any():
        t, p, interval, notes = 0.0, 1.0, (0.0, 0.0), (SAME,)
    elif se == 0.0 or np.ptp(d) == 0.0:
        _refuse_no_spread(d, "t")
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
        std_error=se * unit,
        statistic_name="t",
        alternative=alternative,
        conf_level=1.0 - alpha,
        notes=notes,
        **names,
    )


def _refuse_no_spread(d: Array, statistic: str) -> NoReturn:
    """Differences that are all equal, or equal within each repeat, and not 0."""
    if np.ptp(d) > 0.0:
        raise NoSpreadError(
            f"the two folds of each repeat have the same difference: without any spread {statistic} is not defined; "
            "check that the scores of the second fold are not those of the first."
        )
    raise NoSpreadError(
        f"all {d.size} differences are {d.flat[0]:.6g}: without any spread {statistic} is not defined; check that the "
        "scores were not copied, or, if they are independent, use the sign test."
    )


def scaled(x: Array, axis: int | None = None) -> tuple[Array, Any]:
    """Numbers divided by a power of two, and that power; the largest quotient is between 1/2 and 1.

    The division is exact, and squares of the quotients do not overflow or vanish.
    """
    unit = np.ldexp(1.0, np.frexp(np.abs(x).max(axis=axis))[1])
    return x / unit, unit


def p_value(null: Any, statistic: float, alternative: str) -> float:
    """The p-value of a statistic whose null distribution is symmetric about 0."""
    if alternative == "two-sided":
        return float(2.0 * null.sf(abs(statistic)))
    return float(null.sf(statistic) if alternative == "greater" else null.cdf(statistic))


def bounds(half: Callable[[float], float], centre: float, alternative: str, alpha: float) -> tuple[float, float]:
    """A confidence interval around an estimate; unbounded on one side for a one-sided test."""
    if alternative == "two-sided":
        return centre - half(alpha / 2.0), centre + half(alpha / 2.0)
    return (centre - half(alpha), np.inf) if alternative == "greater" else (-np.inf, centre + half(alpha))


def cv5x2_t(a: Any, b: Any, *, alternative: Alternative = "two-sided", alpha: float = 0.05) -> TestResult:
    r"""Dietterich's t-test for five repeats of two-fold cross-validation.

    Parameters
    ----------
    a, b : array-like of float, 5 x 2
        Scores of the two methods, one row per repeat and one column per fold (or all ten in this order).
    alternative : {"two-sided", "greater", "less"}
        "greater": a scores higher.
    alpha : float
        Significance level; the confidence interval has level 1 - alpha.

    Returns
    -------
    TestResult
        The estimate is the difference in the first fold of the first repeat, which the test uses.

    Notes
    -----
    .. math:: t = d_{11} \Big/ \sqrt{\tfrac15 \sum_{i=1}^5 s_i^2},
       \quad s_i^2 = (d_{i1} - \bar d_i)^2 + (d_{i2} - \bar d_i)^2

    with 5 degrees of freedom. The result depends on which of the ten differences comes first; that of :func:`cv5x2_f`
    does not.

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
    alternative, alpha = read_alternative(alternative), _params.level(alpha)
    pair = _read_five_by_two(a, b)
    d = pair.differences.reshape(5, 2)
    x, unit = scaled(d)
    se = float(np.sqrt(_variances(x).mean()))
    names = {
        "method": "Dietterich's 5 x 2 cross-validated t-test",
        "null": _null_of_halves(pair),
        "estimate_name": "difference in the first fold",
    }
    return _student(d, float(x[0, 0]), se, float(unit), 5, alternative, alpha, names)


def cv5x2_f(a: Any, b: Any, *, alpha: float = 0.05) -> TestResult:
    r"""Alpaydin's F-test for five repeats of two-fold cross-validation.

    Parameters
    ----------
    a, b : array-like of float, 5 x 2
        Scores of the two methods, one row per repeat and one column per fold (or all ten in this order).
    alpha : float
        Significance level; the confidence interval has level 1 - alpha.

    Returns
    -------
    TestResult
        The estimate is the mean of the ten differences. The interval contains all differences that the test would not
        reject; there may be none.

    Notes
    -----
    .. math:: f = \frac{\sum_{i=1}^5 \sum_{j=1}^2 d_{ij}^2}{2 \sum_{i=1}^5 s_i^2},
       \quad s_i^2 = (d_{i1} - \bar d_i)^2 + (d_{i2} - \bar d_i)^2

    with 10 and 5 degrees of freedom. Compared with :func:`cv5x2_t`, it rejects less often if there is no difference,
    and more often if there is one.

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
    alpha = _params.level(alpha)
    pair = _read_five_by_two(a, b)
    d = pair.differences.reshape(5, 2)
    x, unit = scaled(d)
    mean, spread = float(x.mean()), 2.0 * float(_variances(x).sum())
    notes: tuple[str, ...] = ()
    interval: tuple[float, float] | None
    if not d.any():
        f, p, interval, notes = 0.0, 1.0, (0.0, 0.0), (SAME,)
    elif spread == 0.0:
        _refuse_no_spread(d, "F")
    else:
        f = float((x**2).sum()) / spread
        p = float(stats.f.sf(f, 10, 5))
        # sum (x - delta)^2 <= F spread is a quadratic in delta.
        room = stats.f.isf(alpha, 10, 5) * spread - ((x - mean) ** 2).sum()
        half = float(np.sqrt(max(room, 0.0) / 10.0))
        interval = ((mean - half) * float(unit), (mean + half) * float(unit))
        if room < 0.0:
            interval = None
            notes = ("no interval: the repeats differ so much that the test rejects every difference",)
    return TestResult(
        f,
        p,
        (10, 5),
        mean * float(unit),
        interval,
        "Alpaydin's 5 x 2 cross-validated F-test",
        _null_of_halves(pair),
        statistic_name="F",
        estimate_name="mean difference",
        conf_level=1.0 - alpha,
        notes=notes,
    )


def _read_five_by_two(a: Any, b: Any) -> Pair:
    """Scores of five repeats of two-fold cross-validation."""
    pair = read_pair(a, b, dims=(1, 2))
    if pair.a.shape not in ((5, 2), (10,)):
        raise InputError(
            f"{arg('a')} and {arg('b')} must be 5 x 2 tables of scores, one row per repeat of two-fold "
            f"cross-validation, got {shape_of(pair.a)}; for other numbers of folds use "
            f"{code('corrected_resampled_t')}."
        )
    return pair._replace(a=pair.a.reshape(5, 2), b=pair.b.reshape(5, 2))


def _null_of_halves(pair: Pair) -> str:
    return f"{pair.name_a} - {pair.name_b} has mean 0: the same expected score, trained on half of the data"


def _variances(d: Array) -> Array:
    """The variance of the two differences of each repeat; with divisor 1, so twice what var() returns."""
    return ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
