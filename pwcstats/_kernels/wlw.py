"""The two couplings of Wu, Lin & Weng (2003), each by one direct solution per sample."""

import numpy as np

from pwcstats._kernels.blocks import LANES, compiled, load_clipped, load_top, store

# Below this share of the total a class gets one more sweep, which gives small probabilities their own digits.
SMALL_SHARE = 1e-8


@compiled
def wlw1(values, upper, clip, top, first, stop, out):
    """Couple samples first..stop-1: sum_j r_ji p_i = sum_j r_ij p_j for each i."""
    n_classes = out.shape[1]
    block = np.empty((upper.shape[0], LANES))
    rate = np.empty((n_classes, n_classes, LANES))
    keep = np.empty((n_classes, LANES))
    p = np.empty((n_classes, LANES))
    for start in range(first, stop, LANES):
        load_clipped(values, upper, start, clip, block)
        load_top(top, start, keep)
        _fill_rates(block, keep, rate)
        _stationary(rate, p)
        for i in range(n_classes):
            for lane in range(LANES):
                p[i, lane] *= keep[i, lane]
        store(p, start, stop, out)


@compiled
def _fill_rates(block, keep, rate):
    """rate[j, i] is the rate from j to i, r_ij."""
    n_classes = rate.shape[0]
    pair = 0
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            for lane in range(LANES):
                both = keep[i, lane] * keep[j, lane]
                rate[j, i, lane] = block[pair, lane] * both
                rate[i, j, lane] = (1.0 - block[pair, lane]) * both
            pair += 1


@compiled
def _stationary(rate, p):
    """Stationary weights of a Markov chain by the elimination of Grassmann, Taksar & Heyman (1985).

    It never subtracts, so that each weight, however small, is right to the last digits. A state with no way to lower
    states begins a chain of its own (weight 1): the chains of classes that were left out are dropped by the caller.
    """
    n_classes = rate.shape[0]
    inverse = np.empty(LANES)
    root = np.zeros((n_classes, LANES))
    for k in range(n_classes - 1, 0, -1):
        inverse[:] = 0.0
        for i in range(k):
            for lane in range(LANES):
                inverse[lane] += rate[k, i, lane]
        for lane in range(LANES):
            alone = inverse[lane] == 0.0
            root[k, lane] = 1.0 if alone else 0.0
            inverse[lane] = 0.0 if alone else 1.0 / inverse[lane]
        for j in range(k):
            for lane in range(LANES):
                rate[j, k, lane] *= inverse[lane]
            for i in range(k):
                for lane in range(LANES):
                    rate[j, i, lane] += rate[j, k, lane] * rate[k, i, lane]
    p[0, :] = 1.0
    for k in range(1, n_classes):
        for lane in range(LANES):
            p[k, lane] = root[k, lane]
        for j in range(k):
            for lane in range(LANES):
                p[k, lane] += p[j, lane] * rate[j, k, lane]


@compiled
def wlw2(values, upper, clip, first, stop, out):
    """Couple samples first..stop-1: minimise sum_{i<j} (r_ji p_i - r_ij p_j)^2 subject to sum p = 1."""
    n_classes = out.shape[1]
    block = np.empty((upper.shape[0], LANES))
    matrix = np.empty((n_classes, n_classes, LANES))
    p = np.empty((n_classes, LANES))
    for start in range(first, stop, LANES):
        load_clipped(values, upper, start, clip, block)
        _fill_shifted(block, matrix)
        _solve_ones(matrix, p)
        _sweep_small(block, p, matrix)
        store(p, start, stop, out)


@compiled
def _fill_shifted(block, matrix):
    """Lower triangle of Q + ee'.

    Q p = c e has the same solutions as (Q + ee') p = (c + sum p) e, so the shift changes no direction. Q itself is
    singular whenever the r are compatible; the shifted matrix is positive definite for every r, zeros and ones
    included.
    """
    n_classes = matrix.shape[0]
    for i in range(n_classes):
        for lane in range(LANES):
            matrix[i, i, lane] = 1.0
    pair = 0
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            for lane in range(LANES):
                r = block[pair, lane]
                matrix[j, i, lane] = 1.0 - r * (1.0 - r)
                matrix[i, i, lane] += (1.0 - r) * (1.0 - r)
                matrix[j, j, lane] += r * r
            pair += 1


@compiled
def _solve_ones(matrix, p):
    """Solve matrix p = e by an LDL' factorisation; the upper triangle receives L'."""
    n_classes = matrix.shape[0]
    inverse = np.empty(LANES)
    p[:, :] = 1.0
    for i in range(n_classes):
        for lane in range(LANES):
            inverse[lane] = 1.0 / matrix[i, i, lane]
        for j in range(i + 1, n_classes):
            for lane in range(LANES):
                matrix[i, j, lane] = matrix[j, i, lane] * inverse[lane]
                p[j, lane] -= matrix[i, j, lane] * p[i, lane]
            for k in range(i + 1, j + 1):
                for lane in range(LANES):
                    matrix[j, k, lane] -= matrix[i, j, lane] * matrix[k, i, lane]
        for lane in range(LANES):
            p[i, lane] *= inverse[lane]
    for i in range(n_classes - 2, -1, -1):
        for j in range(i + 1, n_classes):
            for lane in range(LANES):
                p[i, lane] -= matrix[i, j, lane] * p[j, lane]


@compiled
def _sweep_small(block, p, work):
    """Give the lanes that hold a small probability one sweep of p_i = (c + sum_j r_ij r_ji p_j) / Q_ii.

    The sweep keeps the solution and has no subtraction: what was below the rounding of the largest probability,
    negative even, becomes positive with digits of its own. c = p'Qp / sum p is a sum of squares.
    """
    n_classes = p.shape[0]
    total = np.zeros(LANES)
    least = np.full(LANES, np.inf)
    for i in range(n_classes):
        for lane in range(LANES):
            total[lane] += p[i, lane]
            least[lane] = min(least[lane], p[i, lane])
    small = False
    for lane in range(LANES):
        small |= least[lane] < SMALL_SHARE * total[lane]
    if not small:
        return
    swept, diagonal = work[0], work[1]
    excess = np.zeros(LANES)
    swept[:, :] = 0.0
    diagonal[:, :] = 0.0
    pair = 0
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            for lane in range(LANES):
                r = block[pair, lane]
                s = 1.0 - r
                p_i = max(p[i, lane], 0.0)
                p_j = max(p[j, lane], 0.0)
                excess[lane] += (s * p_i - r * p_j) ** 2
                swept[i, lane] += r * s * p_j
                swept[j, lane] += r * s * p_i
                diagonal[i, lane] += s * s
                diagonal[j, lane] += r * r
            pair += 1
    for i in range(n_classes):
        for lane in range(LANES):
            if least[lane] < SMALL_SHARE * total[lane] and diagonal[i, lane] > 0.0:
                p[i, lane] = (excess[lane] / total[lane] + swept[i, lane]) / diagonal[i, lane]
