"""Hastie & Tibshirani's (1998) coupling: a weighted Bradley-Terry model for each sample, by damped Newton."""

import math

import numpy as np

from pwcstats._kernels.blocks import read_clipped, read_top, read_weights, write
from pwcstats._kernels.divergence import pair_distance
from pwcstats._kernels.lanes import (
    LANES,
    add_products,
    compiled,
    empty_rows,
    load,
    rounded_product,
    splat,
    store,
    where_positive,
)

MAX_STEPS = 500
# Newton doubles the digits: after a step shorter than this in log p, the next would be below 1e-12.
STEP_TOLERANCE = 1e-7
# Rounding can keep steps longer than that (r or weights of very different size). When the scores are this small and the
# steps no longer shrink, nothing is left to gain; p is then known to about the length of the last step.
SMALL_SCORE = 1e-10
LONGEST_LAST_STEP = 1e-6
# Up to this length a full step is sure to descend; a longer one is shortened to log(1 + length).
FULL_STEP = 1.0
# tanh must stay below 1.
LONGEST_STEP = 30.0
# The starting values need r inside (0, 1).
START_CLIP = 1e-7
# Odds beyond this leave the range of double precision within a step or two.
LARGEST_ODDS = 1e290
# Rows of a block's state: 1 while the lane is at work; the range of its last Newton step, and of the one before; its
# largest score as a share of the class's total weight.
ALIVE, LENGTH, BEFORE, RESIDUAL = 0, 1, 2, 3


@compiled
def ht(values, upper, lower, needs_check, clip, weights, top, first, stop, out, n_steps, converged, kl):
    """Couple samples first..stop-1: minimise the weighted Kullback-Leibler distance of r from p_i / (p_i + p_j).

    `kl` receives that distance, unless it is empty.
    """
    n_pairs, n_classes = upper.shape[0], out.shape[1]
    r = empty_rows(n_pairs)
    weight = empty_rows(n_pairs)
    keep = empty_rows(n_classes)
    p = empty_rows(n_classes)
    step = empty_rows(n_classes)
    inverse_total = empty_rows(n_classes)
    information = empty_rows(n_classes * n_classes)
    state = empty_rows(4)
    carry = empty_rows(n_classes)
    alive, length, before, residual = state[ALIVE], state[LENGTH], state[BEFORE], state[RESIDUAL]
    steps = np.empty(LANES, np.int64)
    converged_here = np.empty(LANES, np.bool_)
    for start in range(first, stop, LANES):
        read_clipped(values, upper, lower, needs_check, start, clip, r)
        read_weights(weights, start, weight)
        read_top(top, start, keep)
        _prepare(r, weight, keep, inverse_total)
        _starting_values(r, weight, p)
        alive[:] = 1.0
        before[:] = np.inf
        steps[:] = 0
        converged_here[:] = False
        for _ in range(MAX_STEPS):
            # The score first, the Newton step in its place next.
            _score_and_information(r, weight, p, step, carry, information)
            _largest(step, inverse_total, state)
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
                    stalled = residual[lane] <= SMALL_SCORE and length[lane] >= before[lane]
                    # In exact arithmetic no score exceeds the step; if one does, it was lost beside larger numbers.
                    arrived = max(length[lane], residual[lane]) <= STEP_TOLERANCE
                    if arrived or stalled or _out_of_range(p[:, lane]):
                        alive[lane] = 0.0
                        converged_here[lane] = max(length[lane], residual[lane]) <= LONGEST_LAST_STEP
                    else:
                        before[lane] = length[lane]
                        busy = True
            if not busy:
                break
        for lane in range(min(LANES, stop - start)):
            n_steps[start + lane] = steps[lane]
            converged[start + lane] = alive[lane] == 0.0 and converged_here[lane]
            if kl.shape[0] > 0:
                kl[start + lane] = _distance(r[:, lane], weight[:, lane], p[:, lane])
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
def _score_and_information(r, weight, p, score, carry, information):
    """Score sum_j n_ij (r_ij - mu_ij) and, below the diagonal, the information n_ij mu_ij mu_ji of each pair.

    The sums carry what rounding loses: between two groups of classes joined by a weak link, all else must cancel to
    the last digit, or the link would not be heard.
    """
    n_classes = p.shape[0]
    for i in range(n_classes):
        store(score, i, splat(0.0))
        store(carry, i, splat(0.0))
    pair = 0
    for i in range(n_classes):
        p_i = load(p, i)
        for j in range(i + 1, n_classes):
            p_j, w, r_ij = load(p, j), load(weight, pair), load(r, pair)
            inverse = 1.0 / (p_i + p_j)
            mu_ij, mu_ji = p_i * inverse, p_j * inverse
            # Near 1, the other side has the digits.
            gap = where_positive(r_ij - 0.5, mu_ji - (1.0 - r_ij), r_ij - mu_ij)
            error = rounded_product(w, gap)
            _add(score, carry, i, error)
            _add(score, carry, j, 0.0 - error)
            store(information, j * n_classes + i, w * mu_ij * mu_ji)
            pair += 1
    for i in range(n_classes):
        store(score, i, load(score, i) + load(carry, i))


@compiled
def _add(total, carry, row, x):
    """Add to a row of `total`, and what rounding loses to the row of `carry` (Knuth's two-sum)."""
    old = load(total, row)
    new = old + x
    part = new - old
    store(total, row, new)
    store(carry, row, load(carry, row) + ((old - (new - part)) + (x - part)))


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
        if not length < LARGEST_ODDS:
            # No direction to go: better the last p than none.
            state[ALIVE, lane] = 0.0
            for i in range(n_classes):
                step[i, lane] = 0.0
        elif length > FULL_STEP:
            share = min(math.log1p(length), LONGEST_STEP) / length
            for i in range(n_classes):
                # The x for which (2 + x) / (2 - x) is the exponential of the shortened step.
                step[i, lane] = 2.0 * math.tanh(0.5 * share * step[i, lane])


@compiled
def _distance(r, weight, p):
    """Weighted Kullback-Leibler distance, from p before it is normalised and its smallest entries are lost."""
    n_classes = p.shape[0]
    total = 0.0
    pair = 0
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            if weight[pair] > 0.0:
                total += weight[pair] * pair_distance(r[pair], p[i], p[j])
            pair += 1
    return max(total, 0.0)


@compiled
def _out_of_range(p):
    """Past what double precision can hold, or NaN."""
    for i in range(p.shape[0]):
        if not 1.0 / LARGEST_ODDS < p[i] < LARGEST_ODDS:
            return True
    return False
