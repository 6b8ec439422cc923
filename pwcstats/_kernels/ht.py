"""Hastie & Tibshirani's (1998) coupling: a weighted Bradley-Terry model for each sample, by damped Newton."""

import math

import numpy as np

from pwcstats._kernels.blocks import LANES, compiled, load_clipped, load_top, load_weights, store

MAX_STEPS = 500
# Newton doubles the digits: after a step shorter than this in log p, the next would be below 1e-12.
STEP_TOLERANCE = 1e-7
# What counts as a solution where rounding keeps the steps longer than that (weights or r of very different size).
SCORE_TOLERANCE = 1e-10
# The score equations hold to the last digit: there is nothing left to gain.
SCORE_FLOOR = 1e-15
# Up to this length a full step is sure to descend; a longer one is shortened to log(1 + length).
FULL_STEP = 1.0
# The starting values need r inside (0, 1).
START_CLIP = 1e-7
# Odds beyond this leave the range of double precision within a step or two.
LARGEST_ODDS = 1e290


@compiled
def ht(values, upper, clip, weights, top, first, stop, out, n_steps, converged):
    """Couple samples first..stop-1: minimise the weighted Kullback-Leibler distance of r from p_i / (p_i + p_j)."""
    n_pairs, n_classes = upper.shape[0], out.shape[1]
    r = np.empty((n_pairs, LANES))
    weight = np.empty((n_pairs, LANES))
    keep = np.empty((n_classes, LANES))
    p = np.empty((n_classes, LANES))
    score = np.empty((n_classes, LANES))
    pivot = np.empty((n_classes, LANES))
    inverse_total = np.empty((n_classes, LANES))
    information = np.empty((n_classes, n_classes, LANES))
    alive = np.empty(LANES)
    length = np.empty(LANES)
    residual = np.empty(LANES)
    steps = np.empty(LANES, np.int64)
    for start in range(first, stop, LANES):
        load_clipped(values, upper, start, clip, r)
        load_weights(weights, start, weight)
        load_top(top, start, keep)
        _prepare(r, weight, keep, inverse_total)
        _starting_values(r, weight, p)
        alive[:] = 1.0
        steps[:] = 0
        for _ in range(MAX_STEPS):
            _score_and_information(r, weight, p, score, information)
            _largest(score, inverse_total, residual)
            _solve_laplacian(information, score, pivot)
            _shorten(score, length)
            for i in range(n_classes):
                for lane in range(LANES):
                    # (2 + x) / (2 - x) is exp(x) up to x^3 / 12: enough for Newton, and it vectorises.
                    x = alive[lane] * score[i, lane]
                    p[i, lane] *= (2.0 + x) / (2.0 - x)
            busy = False
            for lane in range(LANES):
                if alive[lane] == 1.0:
                    steps[lane] += 1
                    if _finished(length[lane], residual[lane], p[:, lane]):
                        alive[lane] = 0.0
                    else:
                        busy = True
            if not busy:
                break
        for lane in range(min(LANES, stop - start)):
            n_steps[start + lane] = steps[lane]
            converged[start + lane] = length[lane] <= STEP_TOLERANCE or residual[lane] <= SCORE_TOLERANCE
        for i in range(n_classes):
            for lane in range(LANES):
                p[i, lane] *= keep[i, lane]
        store(p, start, stop, out)


@compiled
def _prepare(r, weight, keep, inverse_total):
    """Drop what is not compared (its r may be NaN) and find each class's total weight."""
    inverse_total[:, :] = 0.0
    n_classes = keep.shape[0]
    pair = 0
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            for lane in range(LANES):
                weight[pair, lane] *= keep[i, lane] * keep[j, lane]
                if weight[pair, lane] == 0.0:
                    r[pair, lane] = 0.5
                inverse_total[i, lane] += weight[pair, lane]
                inverse_total[j, lane] += weight[pair, lane]
            pair += 1
    for i in range(n_classes):
        for lane in range(LANES):
            total = inverse_total[i, lane]
            inverse_total[i, lane] = 1.0 / total if total > 0.0 else 0.0


@compiled
def _starting_values(r, weight, p):
    """p_i = 1 / (sum_j 1/r_ij - (c_i - 1)) over the c_i classes compared with i: exact when the r are compatible."""
    n_classes = p.shape[0]
    p[:, :] = 1.0
    pair = 0
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            for lane in range(LANES):
                a = min(max(r[pair, lane], START_CLIP), 1.0 - START_CLIP)
                compared = 1.0 if weight[pair, lane] > 0.0 else 0.0
                p[i, lane] += compared * (1.0 / a - 1.0)
                p[j, lane] += compared * (1.0 / (1.0 - a) - 1.0)
            pair += 1
    for i in range(n_classes):
        for lane in range(LANES):
            p[i, lane] = 1.0 / p[i, lane]


@compiled
def _score_and_information(r, weight, p, score, information):
    """Score sum_j n_ij (r_ij - mu_ij) and, below the diagonal, the information n_ij mu_ij mu_ji of each pair."""
    n_classes = p.shape[0]
    score[:, :] = 0.0
    pair = 0
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            for lane in range(LANES):
                inverse = 1.0 / (p[i, lane] + p[j, lane])
                mu = p[i, lane] * inverse
                error = weight[pair, lane] * (r[pair, lane] - mu)
                score[i, lane] += error
                score[j, lane] -= error
                information[j, i, lane] = weight[pair, lane] * mu * (p[j, lane] * inverse)
            pair += 1


@compiled
def _largest(score, inverse_total, residual):
    """Largest score, each class's as a share of its total weight."""
    residual[:] = 0.0
    for i in range(score.shape[0]):
        for lane in range(LANES):
            residual[lane] = max(residual[lane], abs(score[i, lane]) * inverse_total[i, lane])


@compiled
def _solve_laplacian(edge, x, pivot):
    """Solve the weighted graph Laplacian for the right-hand side `x`, in place, x[0] = 0.

    Eliminating node k joins its neighbours i and j by edge_ki edge_kj / sum edge_k: only sums of positive numbers,
    so that edges of very different size lose no digits. A node without lower neighbours is the ground of its
    component.
    """
    n_classes = x.shape[0]
    for k in range(n_classes - 1, 0, -1):
        pivot[k, :] = 0.0
        for i in range(k):
            for lane in range(LANES):
                pivot[k, lane] += edge[k, i, lane]
        for lane in range(LANES):
            total = pivot[k, lane]
            pivot[k, lane] = 1.0 / total if total > 0.0 else 0.0
        for i in range(k):
            for lane in range(LANES):
                edge[i, k, lane] = edge[k, i, lane] * pivot[k, lane]
                x[i, lane] += edge[i, k, lane] * x[k, lane]
            for j in range(i):
                for lane in range(LANES):
                    edge[i, j, lane] += edge[i, k, lane] * edge[k, j, lane]
    x[0, :] = 0.0
    for k in range(1, n_classes):
        for lane in range(LANES):
            x[k, lane] *= pivot[k, lane]
        for i in range(k):
            for lane in range(LANES):
                x[k, lane] += edge[i, k, lane] * x[i, lane]


@compiled
def _shorten(step, length):
    """Centre the step and shorten it where it is long; `length` is the range of the Newton step.

    Along a direction of range d the objective obeys |f'''| <= d f'', so that a step of log(1 + d) / d always descends
    (Sun & Tran-Dinh 2019): global convergence without a line search, and without a logarithm per pair.
    """
    n_classes = step.shape[0]
    low = np.zeros(LANES)
    high = np.zeros(LANES)
    for i in range(1, n_classes):
        for lane in range(LANES):
            low[lane] = min(low[lane], step[i, lane])
            high[lane] = max(high[lane], step[i, lane])
    for lane in range(LANES):
        length[lane] = high[lane] - low[lane]
        low[lane] = 0.5 * (high[lane] + low[lane])
    for i in range(n_classes):
        for lane in range(LANES):
            step[i, lane] -= low[lane]
    for lane in range(LANES):
        if length[lane] > FULL_STEP:
            share = math.log1p(length[lane]) / length[lane]
            for i in range(n_classes):
                # The x for which (2 + x) / (2 - x) is the exponential of the shortened step.
                step[i, lane] = 2.0 * math.tanh(0.5 * share * step[i, lane])


@compiled
def _finished(length, residual, p):
    """Converged, or past what double precision can hold."""
    if length <= STEP_TOLERANCE or residual <= SCORE_FLOOR:
        return True
    for i in range(p.shape[0]):
        if not 1.0 / LARGEST_ODDS < p[i] < LARGEST_ODDS:
            return True
    return False
