"""Slow and obviously right twins of the fast code: the papers' own loops and formulas, one sample at a time.

Every function takes a K x K matrix `r` (diagonal ignored) and returns K probabilities.
"""

from fractions import Fraction

import numpy as np
from scipy.optimize import minimize


def full(condensed, n_classes):
    """K x K matrix of one condensed row."""
    r = np.full((n_classes, n_classes), np.nan)
    i, j = np.triu_indices(n_classes, 1)
    r[i, j] = condensed
    r[j, i] = 1 - np.asarray(condensed)
    return r


def symmetric(condensed, n_classes):
    """K x K weights of one condensed row."""
    n = np.zeros((n_classes, n_classes))
    n[np.triu_indices(n_classes, 1)] = condensed
    return n + n.T


def others(i, n_classes):
    return [j for j in range(n_classes) if j != i]


def clipped(r, clip):
    return np.clip(r, clip, 1 - clip)


def ht_sweep(r, n=None, clip=1e-7, tolerance=1e-13, max_sweeps=200_000):
    """Hastie & Tibshirani (1998), the Algorithm of section 2: one class at a time, renormalise, recompute mu."""
    k = len(r)
    r = clipped(r, clip)
    n = np.ones((k, k)) if n is None else np.asarray(n, float)
    p = np.full(k, 1 / k)
    for _ in range(max_sweeps):
        before = p.copy()
        for i in range(k):
            compared = [j for j in others(i, k) if n[i, j] > 0]
            wins = sum(n[i, j] * r[i, j] for j in compared)
            expected = sum(n[i, j] * p[i] / (p[i] + p[j]) for j in compared)
            p[i] *= wins / expected
            p /= p.sum()
        if np.abs(p - before).max() < tolerance * p.min():
            return p
    raise AssertionError("the sweep did not converge")


def kl(r, p, n=None, clip=0.0):
    """Their (4), the weighted Kullback-Leibler distance."""
    k = len(r)
    r = clipped(r, clip)
    total = 0.0
    for i in range(k):
        for j in range(i + 1, k):
            weight = 1.0 if n is None else n[i, j]
            if weight > 0 and p[i] + p[j] > 0:
                mu = p[i] / (p[i] + p[j])
                with np.errstate(divide="ignore"):
                    total += weight * sum(a * np.log(a / b) for a, b in ((r[i, j], mu), (1 - r[i, j], 1 - mu)) if a > 0)
    return total


def score(r, p, n=None, clip=1e-7):
    """Left minus right side of their (5), each class's as a share of its total weight."""
    k = len(r)
    r = clipped(r, clip)
    n = np.ones((k, k)) if n is None else np.asarray(n, float)
    out = np.zeros(k)
    for i in range(k):
        compared = [j for j in others(i, k) if n[i, j] > 0]
        out[i] = sum(n[i, j] * (p[i] / (p[i] + p[j]) - r[i, j]) for j in compared) / sum(n[i, j] for j in compared)
    return out


def wlw1_chain(r, clip=1e-7, max_steps=100_000):
    """Wu, Lin & Weng (2003), (6): repeated multiplication by the transition matrix Q, squared to go faster."""
    k = len(r)
    r = clipped(r, clip)
    q = np.array([[sum(r[i, s] for s in others(i, k)) if i == j else r[i, j] for j in range(k)] for i in range(k)])
    q /= k - 1
    for _ in range(60):
        q = q @ q
        q /= q.sum(axis=0)
    return q[:, 0]


def wlw2_matrix(r, clip=1e-7):
    """Their (9)."""
    k = len(r)
    r = clipped(r, clip)
    q = np.empty((k, k))
    for i in range(k):
        for j in range(k):
            q[i, j] = sum(r[s, i] ** 2 for s in others(i, k)) if i == j else -r[j, i] * r[i, j]
    return q


def wlw2_algorithm1(r, clip=1e-7, tolerance=1e-14, max_sweeps=100_000):
    """Their Algorithm 1."""
    k = len(r)
    q = wlw2_matrix(r, clip)
    p = np.full(k, 1 / k)
    for _ in range(max_sweeps):
        for t in range(k):
            p[t] = (-sum(q[t, j] * p[j] for j in others(t, k)) + p @ q @ p) / q[t, t]
            p /= p.sum()
        if np.abs(q @ p - p @ q @ p).max() < tolerance:
            return p
    raise AssertionError("Algorithm 1 did not converge")


def wlw2_kkt(r, clip=1e-7):
    """Their (10), the linear system with the multiplier."""
    k = len(r)
    system = np.zeros((k + 1, k + 1))
    system[:k, :k] = wlw2_matrix(r, clip)
    system[:k, k] = system[k, :k] = 1
    return np.linalg.solve(system, np.eye(k + 1)[k])[:k]


def wlw2_exact(r):
    """Q p = e in rational arithmetic, normalised; r is taken from the upper triangle, digit by digit."""
    k = len(r)
    up = [
        [
            Fraction(float(r[i, j])) if i < j else 1 - Fraction(float(r[j, i])) if i > j else Fraction(0)
            for j in range(k)
        ]
        for i in range(k)
    ]
    rows = [
        [sum(up[s][i] ** 2 for s in others(i, k)) if i == j else -up[j][i] * up[i][j] for j in range(k)] + [Fraction(1)]
        for i in range(k)
    ]
    for i in range(k):
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for j in others(i, k):
            rows[j] = [x - rows[j][i] * y for x, y in zip(rows[j], rows[i], strict=True)]
    p = [row[-1] for row in rows]
    return np.array([float(x / sum(p)) for x in p])


def libsvm(r, clip=1e-7):
    """LIBSVM's form of Algorithm 1 (its multiclass_probability), which stops at 0.005 / K: e1071's very numbers."""
    k = len(r)
    q = wlw2_matrix(r, clip)
    p = np.full(k, 1 / k)
    for _ in range(max(100, k)):
        if np.abs(q @ p - p @ q @ p).max() < 0.005 / k:
            break
        for t in range(k):
            p[t] += (p @ q @ p - q[t] @ p) / q[t, t]
            p /= p.sum()
    return p


def logit_least_squares(r, n=None, clip=1e-7, infinity=None):
    """Minimise sum_{i<j} n_ij (log p_i - log p_j - logit r_ij)^2; `infinity` stands for the logit of 1."""
    k = len(r)
    r = clipped(r, clip)
    n = np.ones((k, k)) if n is None else np.asarray(n, float)
    rows, logits = [], []
    for i in range(k):
        for j in range(i + 1, k):
            if n[i, j] > 0:
                row = np.zeros(k)
                row[i], row[j] = 1, -1
                rows.append(np.sqrt(n[i, j]) * row)
                exact = r[i, j] in (0, 1)
                logit = (2 * r[i, j] - 1) * infinity if exact else np.log(r[i, j]) - np.log1p(-r[i, j])
                logits.append(np.sqrt(n[i, j]) * logit)
    log_p = np.linalg.lstsq(np.array(rows), np.array(logits), rcond=None)[0]
    p = np.exp(log_p - log_p.max())
    return p / p.sum()


def pkpd(r, clip=1e-7):
    """Price et al. (1995)."""
    k = len(r)
    r = clipped(r, clip)
    p = np.array([1 / (sum(1 / r[i, j] for j in others(i, k)) - (k - 2)) for i in range(k)])
    return p / p.sum()


def rv(r, clip=1e-7):
    """K - 1 equations of Refregier & Vallet (1991), those of the class with the largest row sum, and sum p = 1."""
    k = len(r)
    r = clipped(r, clip)
    hub = int(np.argmax([sum(r[i, j] for j in others(i, k)) for i in range(k)]))
    system = np.ones((k, k))
    right = np.zeros(k)
    for row, i in enumerate(others(hub, k)):
        system[row] = 0
        system[row, i], system[row, hub] = r[hub, i], -r[i, hub]
    right[k - 1] = 1
    return np.linalg.solve(system, right)


def rv_equations(r, tree, clip=1e-7):
    """The equations r_ji p_i = r_ij p_j of the pairs (i, j) of a tree, and sum p = 1."""
    k = len(r)
    r = clipped(r, clip)
    system = np.ones((k, k))
    for row, (i, j) in enumerate(tree):
        system[row] = 0
        system[row, i], system[row, j] = r[j, i], -r[i, j]
    return np.linalg.solve(system, np.eye(k)[k - 1])


def vote(r):
    k = len(r)
    wins = [sum(1.0 if r[i, j] > 0.5 else 0.5 if r[i, j] == 0.5 else 0.0 for j in others(i, k)) for i in range(k)]
    return 2 * np.array(wins) / (k * (k - 1))


def row_sums(r):
    k = len(r)
    return 2 * np.array([sum(r[i, j] for j in others(i, k)) for i in range(k)]) / (k * (k - 1))


def bayes(r, mass):
    """Sulzmann et al. (2007), (3) with (4), normalised."""
    k = len(r)
    s = np.array([sum(mass[i, j] / (k - 1) * r[i, j] for j in others(i, k)) for i in range(k)])
    return s / s.sum()


def ht_by_optimizer(r, n, clip=1e-7):
    """The minimum of (4) by a general optimiser, for incomplete designs."""
    k = len(r)

    def distance(free):
        b = np.append(free, 0.0)
        return kl(r, np.exp(b - b.max()), n, clip)

    free = minimize(distance, np.zeros(k - 1), method="BFGS", options={"gtol": 1e-10}).x
    p = np.exp(np.append(free, 0.0))
    return p / p.sum()
