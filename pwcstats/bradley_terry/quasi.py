"""Quasi-variances, and intervals from them that can be compared by eye.

Each item has a quasi-variance, such that the sum of two of them is about the variance of the difference.
"""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy import optimize

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._kernels.tails import Reference
from pwcstats._text import listed
from pwcstats.bradley_terry.hypotheses import check_finite
from pwcstats.errors import ConvergenceWarning, InputError, code, warn

if TYPE_CHECKING:
    from pwcstats.bradley_terry.ability_results import AbilityResults

MAX_STEPS = 100
# Relative to the largest quasi-variance: the iteration ends at a shorter step, and smaller quasi-variances are 0.
TOLERANCE = 1e-10


def quasi_variances(results: "AbilityResults") -> pd.DataFrame:
    """Quasi-variances of the abilities [1]_.

    The variance of a difference is about the sum of the two quasi-variances, whichever item is the reference. See
    :meth:`comparison_intervals` for intervals that can be compared by eye.

    Returns
    -------
    DataFrame
        `ability`, `std_error`, `quasi_se` and `quasi_variance`, one row for each item. ``attrs["relative_error"]``
        holds the smallest and the largest relative error of the standard errors of differences that follow from
        the quasi-variances.

    References
    ----------
    .. [1] D. Firth and R. X. de Menezes, "Quasi-variances", Biometrika 91, 65-80, 2004.
       https://doi.org/10.1093/biomet/91.1.65
    """
    check_finite(results)
    items, z = results.model.items, results._item_design
    if len(items) < 3:
        raise InputError(
            f"quasi-variances need at least 3 items, because 2 items have only one difference; use {code('contrast')}."
        )
    if z is not None:
        # The difference of two items with the same covariates has no variance.
        is_repeated = pd.DataFrame(z).duplicated(keep=False).to_numpy() if z.shape[1] else np.ones(len(z), np.bool_)
        if is_repeated.any():
            raise InputError(
                f"differences within {listed(items[is_repeated])} have no standard error: {results._why_equal}."
            )
    q, errors, converged = _solve(results._item_cov)
    if not converged:
        _warn(f"the quasi-variances did not converge; use {code('contrast')}.")
    is_negative = q < 0.0
    if is_negative.any():
        _warn(
            f"the quasi-variance of {listed(items[is_negative])} is negative, so it has no quasi standard error and no "
            f"comparison interval. Variances of differences are still right; see {code('contrast')}."
        )
    frame = results.abilities()[["ability", "std_error"]]
    with np.errstate(invalid="ignore"):
        frame["quasi_se"] = np.sqrt(q)
    frame["quasi_variance"] = q
    frame.attrs["relative_error"] = (float(errors.min()), float(errors.max()))
    return frame


def _warn(message: str) -> None:
    warn(ConvergenceWarning(message))


def comparison_intervals(results: "AbilityResults", alpha: float = 0.05) -> pd.DataFrame:
    """Intervals that can be compared by eye: two items differ if their intervals do not overlap.

    The intervals have the same number of quasi standard errors on either side of each ability. This number is
    chosen such that the intervals of two equal items do not overlap with probability `alpha`, on average over all
    pairs [1]_. For 5 % this is about 1.39 quasi standard errors, and each interval alone has a level of about
    83 %. If two 95 % intervals do not overlap, that is a test at the level 0.006.

    Parameters
    ----------
    alpha : float
        Significance level of the test by overlap, for one pair that was chosen in advance. For all pairs together
        use :meth:`ranks`.

    Returns
    -------
    DataFrame
        `ability`, `quasi_se`, `conf_low` and `conf_high`, one row for each item. ``attrs["multiplier"]`` is the
        number of quasi standard errors, ``attrs["level"]`` the level of each interval by itself, and
        ``attrs["pair_alpha"]`` the smallest and the largest significance level of the test by overlap over all
        pairs.

    See Also
    --------
    contrast : Exact test of one difference.
    quasi_variances : Quasi standard errors.

    References
    ----------
    .. [1] H. Goldstein and M. J. R. Healy, "The graphical presentation of a collection of means", Journal of the
       Royal Statistical Society A 158, 175-177, 1995. https://doi.org/10.2307/2983411

    Examples
    --------
    >>> from pwcstats import BradleyTerry
    >>> wins = [[0, 30, 25, 28], [10, 0, 18, 22], [15, 22, 0, 24], [12, 18, 16, 0]]
    >>> res = BradleyTerry(wins, items=["ant", "bee", "cat", "dog"]).fit()
    >>> intervals = res.comparison_intervals()
    >>> intervals.round(2)
         ability  quasi_se  conf_low  conf_high
    ant     0.61      0.17      0.37       0.85
    bee    -0.26      0.16     -0.49      -0.04
    cat     0.02      0.16     -0.20       0.24
    dog    -0.37      0.16     -0.60      -0.14
    >>> round(intervals.attrs["level"], 3)
    0.834
    """
    _params.level(alpha, "alpha")
    frame = quasi_variances(results)[["ability", "quasi_se"]]
    known = np.flatnonzero(frame["quasi_se"].notna())
    if len(known) < 2:
        raise InputError(
            f"comparison intervals need quasi standard errors of at least 2 items; use {code('contrast')}."
        )
    se, cov = frame["quasi_se"].to_numpy()[known], results._item_cov[np.ix_(known, known)]
    multiplier, pairs = _overlap_multiplier(se, cov, alpha, results._reference)
    half = multiplier * frame["quasi_se"]
    frame["conf_low"], frame["conf_high"] = frame["ability"] - half, frame["ability"] + half
    frame.attrs = {
        "multiplier": multiplier,
        "level": float(1.0 - 2.0 * results._reference.sf(multiplier)),
        "pair_alpha": (float(pairs.min()), float(pairs.max())),
    }
    return frame


def _solve(cov: Array) -> tuple[Array, Array, bool]:
    """Quasi-variances of Firth and de Menezes (2004), relative errors of standard errors of differences, convergence.

    Like qvcalc, this uses Gauss–Newton steps for least squares of log(q_i + q_j) on the log variances of the
    differences. A quasi-variance may be negative, but the sums of two are positive.
    """
    diagonal = np.diagonal(cov)
    n = len(cov)
    variance = diagonal[:, None] + diagonal - 2.0 * cov
    np.fill_diagonal(variance, 1.0)
    # Start at the mean variance of an item's differences minus half the mean of all variances.
    off = variance.sum(axis=1) - 1.0
    q = off / (n - 2) - off.sum() / (2 * (n - 1) * (n - 2))
    q = np.maximum(q, 0.05 * off / (n - 1))
    converged = False
    for _ in range(MAX_STEPS):
        total = q[:, None] + q
        np.fill_diagonal(total, 1.0)
        gap = np.log(variance / total)
        inverse = 1.0 / total
        np.fill_diagonal(inverse, 0.0)
        normal = inverse**2
        normal[np.diag_indices(n)] = normal.sum(axis=1)
        step = np.linalg.solve(normal, (inverse * gap).sum(axis=1))
        converged = bool(np.abs(step).max() <= TOLERANCE * np.abs(q).max())
        if converged:
            break
        distance = _distance(q, variance)
        while not _distance(q + step, variance) <= distance and np.abs(step).max() > TOLERANCE * np.abs(q).max():
            step /= 2.0
        q = q + step
    q[np.abs(q) <= TOLERANCE * np.abs(q).max()] = 0.0
    return q, _errors(q, variance), converged


def _overlap_multiplier(se: Array, cov: Array, alpha: float, reference: Reference) -> tuple[float, Array]:
    """Number of quasi standard errors on either side of an interval that makes overlap a test at level `alpha`.

    Two intervals do not overlap if the difference of the estimates exceeds this multiple of the sum of their quasi
    standard errors. If the items are equal, the probability of this is `alpha` on average over all pairs (Goldstein
    and Healy, 1995). The probability for each pair is returned too. `reference` is the distribution of a standardised
    difference.
    """
    i, j = np.triu_indices(len(se), 1)
    diagonal = np.diagonal(cov)
    ratio = (se[i] + se[j]) / np.sqrt(diagonal[i] + diagonal[j] - 2.0 * cov[i, j])
    exact = reference.isf(alpha / 2.0)
    # The multipliers of all pairs lie in between. The factors allow for rounding.
    ends = 0.999 * exact / ratio.max(), 1.001 * exact / ratio.min()
    multiplier = optimize.brentq(lambda c: np.mean(2.0 * reference.sf(c * ratio)) - alpha, *ends, rtol=1e-12)
    return float(multiplier), 2.0 * reference.sf(multiplier * ratio)


def _distance(q: Array, variance: Array) -> float:
    """Sum of squares; infinite if a sum of two quasi-variances is not positive."""
    i, j = np.triu_indices(len(q), 1)
    total = q[i] + q[j]
    return float((np.log(total / variance[i, j]) ** 2).sum()) if np.all(total > 0.0) else np.inf


def _errors(q: Array, variance: Array) -> Array:
    i, j = np.triu_indices(len(q), 1)
    return np.sqrt((q[i] + q[j]) / variance[i, j]) - 1.0
