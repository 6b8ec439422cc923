"""Quasi-variances: one number an item, so that two of them add up to about the variance of a difference."""

import numpy as np

from pwcstats._validate.common import Array

MAX_STEPS = 100
TOLERANCE = 1e-12


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
    distance, converged = np.inf, False
    for _ in range(MAX_STEPS):
        total = q[:, None] + q
        np.fill_diagonal(total, 1.0)
        gap = np.log(variance / total)
        inverse = 1.0 / total
        np.fill_diagonal(inverse, 0.0)
        normal = inverse**2
        right = (inverse * gap).sum(axis=1)
        normal[np.diag_indices(n)] = normal.sum(axis=1)
        step = np.linalg.solve(normal, right)
        factor = 1.0
        while np.any(_sums(q + factor * step) <= 0.0) or _distance(q + factor * step, variance) > distance:
            factor /= 2.0
            if factor < 1e-10:
                return q, _errors(q, variance), converged
        q = q + factor * step
        distance = _distance(q, variance) * (1.0 + 1e-12)
        if np.abs(step).max() <= TOLERANCE * np.abs(q).max():
            converged = True
            break
    return q, _errors(q, variance), converged


def _sums(q: Array) -> Array:
    i, j = np.triu_indices(len(q), 1)
    return q[i] + q[j]


def _distance(q: Array, variance: Array) -> float:
    i, j = np.triu_indices(len(q), 1)
    return float((np.log((q[i] + q[j]) / variance[i, j]) ** 2).sum())


def _errors(q: Array, variance: Array) -> Array:
    i, j = np.triu_indices(len(q), 1)
    return np.sqrt((q[i] + q[j]) / variance[i, j]) - 1.0
