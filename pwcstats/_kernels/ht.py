"""Hastie & Tibshirani's (1998) coupling: a weighted Bradley-Terry model for each sample, by damped Newton."""

import math

import numpy as np

from pwcstats._kernels.blocks import read_clipped, read_top, read_weights, write
from pwcstats._kernels.lanes import LANES, add_products, compiled, empty_rows, load, splat, store, where_positive

MAX_STEPS = 500
# Newton doubles the digits: after a step shorter than this in log p, the next would be below 1e-12.
STEP_TOLERANCE = 1e-7
# What counts as a solution: each class's score as a share of its total weight.
SCORE_TOLERANCE = 1e-10
# The score equations hold to the last digit: there is nothing left to gain.
SCORE_FLOOR = 1e-16
# Up to this length a full step is sure to descend; a longer one is shortened to log(1 + length).
FULL_STEP = 1.0
# The starting values need r inside (0, 1).
START_CLIP = 1e-7
# Odds beyond this leave the range of double precision within a step or two.
LARGEST_ODDS = 1e290
# Rows of a block's state: 1 while the lane is at work; the range of its last Newton step; its largest score.
ALIVE, LENGTH, RESIDUAL = 0, 1, 2


@compiled
def ht(values, upper, lower, doubt, clip, weights, top, first, stop, out, n_steps, converged):
    """Couple samples first..stop-1: minimise the weighted Kullback-Leibler distance of r from p_i / (p_i + p_j)."""
    n_pairs, n_classes = upper.shape[0], out.shape[1]
    r = empty_rows(n_pairs)
    weight = empty_rows(n_pairs)
    keep = empty_rows(n_classes)
    p = empty_rows(n_classes)
    step = empty_rows(n_classes)
    inverse_total = empty_rows(n_classes)
    information = empty_rows(n_classes * n_classes)
    state = empty_rows(3)
    alive, length, residual = state[ALIVE], state[LENGTH], state[RESIDUAL]
    steps = np.empty(LANES, np.int64)
    for start in range(first, stop, LANES):
        read_clipped(values, upper, lower, doubt, start, clip, r)
        read_weights(weights, start, weight)
        read_top(top, start, keep)
        _prepare(r, weight, keep, inverse_total)
        _starting_values(r, weight, p)
        alive[:] = 1.0
        steps[:] = 0
        for _ in range(MAX_STEPS):
            # The score first, the Newton step in its place next.
            _score_and_information(r, weight, p, step, information)
            _largest(step, inverse_total, state)
            # Where the equations hold to the last digit, a step would only add rounding.
            store(state, ALIVE, where_positive(load(state, RESIDUAL) - SCORE_FLOOR, load(state, ALIVE), splat(0.0)))
            _solve_laplacian(information, step)
            _shorten(step, state)
            for i in range(n_classes):
                # (2 + x) / (2 - x) is exp(x) up to x^3 / 12: enough for Newton, and without a call.
                x = load(state, ALIVE) * load(step, i)
                store(p, i, load(p, i) * ((2.0 + x) / (2.0 - x)))
            busy = False
            for lane in range(LANES):
                if alive[lane] == 1.0:
                    steps[lane] += 1
                    if length[lane] <= STEP_TOLERANCE or _out_of_range(p[:, lane]):
                        alive[lane] = 0.0
                    else:
                        busy = True
            if not busy:
                break
        _score_and_information(r, weight, p, step, information)
        _largest(step, inverse_total, state)
        for lane in range(min(LANES, stop - start)):
            n_steps[start + lane] = steps[lane]
            converged[start + lane] = residual[lane] <= SCORE_TOLERANCE
        for i in range(n_classes):
            store(p, i, load(p, i) * load(keep, i))
        write(p, start, stop, out)


@compiled
def _prepare(r, weight, keep, inverse_total):
    """Drop what is not compared (its r may be NaN) and find the inverse of each class's total weight."""
    n_classes = keep.shape[0]
    for i in range(n_classes):
        store(inverse_total, i, splat(0.0))
    pair = 0
    for i in range(n_classes):
        total = load(inverse_total, i)
        for j in range(i + 1, n_classes):
            w = load(weight, pair) * load(keep, i) * load(keep, j)
            store(weight, pair, w)
            store(r, pair, where_positive(w, load(r, pair), splat(0.5)))
            store(inverse_total, j, load(inverse_total, j) + w)
            total = total + w
            pair += 1
        store(inverse_total, i, where_positive(total, 1.0 / total, splat(0.0)))


@compiled
def _starting_values(r, weight, p):
    """p_i = 1 / (sum_j 1/r_ij - (c_i - 1)) over the c_i classes compared with i: exact when the r are compatible."""
    n_classes = p.shape[0]
    for i in range(n_classes):
        store(p, i, splat(1.0))
    pair = 0
    for i in range(n_classes):
        inverse = load(p, i)
        for j in range(i + 1, n_classes):
            r_ij = min(max(load(r, pair), START_CLIP), 1.0 - START_CLIP)
            compared = where_positive(load(weight, pair), splat(1.0), splat(0.0))
            inverse = inverse + compared * (1.0 / r_ij - 1.0)
            store(p, j, load(p, j) + compared * (1.0 / (1.0 - r_ij) - 1.0))
            pair += 1
        store(p, i, 1.0 / inverse)


@compiled
def _score_and_information(r, weight, p, score, information):
    """Score sum_j n_ij (r_ij - mu_ij) and, below the diagonal, the information n_ij mu_ij mu_ji of each pair."""
    n_classes = p.shape[0]
    for i in range(n_classes):
        store(score, i, splat(0.0))
    pair = 0
    for i in range(n_classes):
        p_i, score_i = load(p, i), load(score, i)
        for j in range(i + 1, n_classes):
            p_j, w = load(p, j), load(weight, pair)
            inverse = 1.0 / (p_i + p_j)
            mu = p_i * inverse
            error = w * (load(r, pair) - mu)
            score_i = score_i + error
            store(score, j, load(score, j) - error)
            store(information, j * n_classes + i, w * mu * (p_j * inverse))
            pair += 1
        store(score, i, score_i)


@compiled
def _largest(score, inverse_total, state):
    """Find the largest score, each class's as a share of its total weight."""
    residual = splat(0.0)
    for i in range(score.shape[0]):
        share = load(score, i) * load(inverse_total, i)
        residual = max(residual, max(share, 0.0 - share))
    store(state, RESIDUAL, residual)


@compiled
def _solve_laplacian(edge, x):
    """Solve the weighted graph Laplacian for the right-hand side `x`, in place, x[0] = 0.

    Eliminating node k joins its neighbours i and j by edge_ki edge_kj / sum edge_k: only sums of positive numbers, so
    that edges of very different size lose no digits. A node without lower neighbours is the ground of its component.
    """
    n = x.shape[0]
    for k in range(n - 1, 0, -1):
        add_products(edge, k * n, 1, k, k * n + k + 1, 1, (k + 1) * n, n, 1, n - 1 - k)
        total = load(edge, k * n)
        for i in range(1, k):
            total = total + load(edge, k * n + i)
        inverse = where_positive(total, 1.0 / total, splat(0.0))
        for i in range(k):
            store(edge, i * n + k, load(edge, k * n + i) * inverse)
        right = load(x, k)
        for m in range(k + 1, n):
            right = right + load(edge, k * n + m) * load(x, m)
        store(x, k, right)
        # The diagonal is free to keep what the way back needs.
        store(edge, k * n + k, inverse)
    store(x, 0, splat(0.0))
    for k in range(1, n):
        value = load(x, k) * load(edge, k * n + k)
        for i in range(k):
            value = value + load(edge, i * n + k) * load(x, i)
        store(x, k, value)


@compiled
def _shorten(step, state):
    """Centre the Newton step and shorten it where it is long.

    Along a direction of range d the objective obeys |f'''| <= d f'', so that a step of log(1 + d) / d always
    descends (Sun & Tran-Dinh 2019): global convergence without a line search, and without a logarithm per pair.
    """
    n_classes = step.shape[0]
    low, high = load(step, 0), load(step, 0)
    for i in range(1, n_classes):
        low = min(low, load(step, i))
        high = max(high, load(step, i))
    middle = 0.5 * (low + high)
    for i in range(n_classes):
        store(step, i, load(step, i) - middle)
    store(state, LENGTH, high - low)
    for lane in range(LANES):
        length = state[LENGTH, lane]
        if length > FULL_STEP:
            share = math.log1p(length) / length
            for i in range(n_classes):
                # The x for which (2 + x) / (2 - x) is the exponential of the shortened step.
                step[i, lane] = 2.0 * math.tanh(0.5 * share * step[i, lane])


@compiled
def _out_of_range(p):
    """Past what double precision can hold, or NaN."""
    for i in range(p.shape[0]):
        if not 1.0 / LARGEST_ODDS < p[i] < LARGEST_ODDS:
            return True
    return False
