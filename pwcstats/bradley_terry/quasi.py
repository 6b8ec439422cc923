"""Quasi-variances: one number an item, so that two of them add up to about the variance of a difference."""

from typing import Any

import numpy as np
from scipy import optimize

from pwcstats._arrays import Array

MAX_STEPS = 100
# As a share of the largest quasi-variance: a step so short ends the iteration, and what is smaller is 0.
TOLERANCE = 1e-10


def quasi_variances(cov: Array) -> tuple[Array, Array, bool]:
    """Firth and de Menezes' (2004) quasi-variances, relative errors of the differences' s.e., and convergence.

    Least squares of log(q_i + q_j) on the log variances of the differences, by Gauss–Newton, which is how qvcalc does
    it. A quasi-variance may be negative; the sums are not.
    """
    diagonal = np.diagonal(cov)
    n = len(cov)
    variance = diagonal[:, None] + diagonal - 2.0 * cov
    np.fill_diagonal(variance, 1.0)
    # Mean variance of an item's differences, less half the mean of all.
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


def overlap_multiplier(se: Array, cov: Array, alpha: float, reference: Any) -> tuple[float, Array]:
    """How many quasi standard errors an interval has on either side if overlap is to be a test at level `alpha`.

    Two intervals do not overlap if the estimates are further apart than so many times the sum of their quasi standard
    errors. The probability of this, if the items are equal, has the mean `alpha` over all pairs (Goldstein and Healy,
    1995). Also returned is the probability for each pair; `reference` is the distribution of a standardised difference.
    """
    i, j = np.triu_indices(len(se), 1)
    diagonal = np.diagonal(cov)
    ratio = (se[i] + se[j]) / np.sqrt(diagonal[i] + diagonal[j] - 2.0 * cov[i, j])
    exact = float(reference.isf(alpha / 2.0))
    # Every pair by itself would have its multiplier in between; rounding may put the solution at an end.
    ends = 0.999 * exact / ratio.max(), 1.001 * exact / ratio.min()
    multiplier = optimize.brentq(lambda c: np.mean(2.0 * reference.sf(c * ratio)) - alpha, *ends, rtol=1e-12)
    return float(multiplier), 2.0 * reference.sf(multiplier * ratio)


def _distance(q: Array, variance: Array) -> float:
    """Sum of squares; infinite where a sum of two is not positive."""
    i, j = np.triu_indices(len(q), 1)
    total = q[i] + q[j]
    return float((np.log(total / variance[i, j]) ** 2).sum()) if np.all(total > 0.0) else np.inf


def _errors(q: Array, variance: Array) -> Array:
    i, j = np.triu_indices(len(q), 1)
    return np.sqrt((q[i] + q[j]) / variance[i, j]) - 1.0
