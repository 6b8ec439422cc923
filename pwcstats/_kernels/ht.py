"""Hastie & Tibshirani's (1998) coupling: a weighted Bradley-Terry model for each sample, by a damped Newton method."""

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
# Newton's method doubles the digits: after a step in log p shorter than this, the next would be below 1e-12.
STEP_TOLERANCE = 1e-7
# If r or weights differ by many orders of magnitude, rounding can keep the steps longer than that. If the scores are
# this small and the steps no longer shrink, the iteration stops; log p is then known to about the last step's length.
SMALL_SCORE = 1e-10
LONGEST_LAST_STEP = 1e-6
# A full step of at most this length always descends; a longer one is shortened to log(1 + length).
FULL_STEP = 1.0
# tanh must stay below 1.
LONGEST_STEP = 30.0
# The starting values need r inside (0, 1).
START_CLIP = 1e-7
# Larger odds would overflow within a step or two.
LARGEST_ODDS = 1e290
# Rows of the state of a block: whether the lane still iterates (1 or 0), the range of its last Newton step and of the
# one before, and its largest score as a share of the total weight of the class.
ACTIVE, LENGTH, BEFORE, RESIDUAL = 0, 1, 2, 3


@compiled
def ht(values, upper, lower, needs_check, clip, weights, top, first, stop, out, n_iter, converged, kl):
    """Couple samples first..stop-1: minimise the weighted Kullback-Leibler distance of r from p_i / (p_i + p_j).

    This distance is written to `kl`, unless `kl` is empty.
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
    active, length, before, residual = state[ACTIVE], state[LENGTH], state[BEFORE], state[RESIDUAL]
    steps = np.empty(LANES, np.int64)
    lane_converged = np.empty(LANES, np.bool_)
    for start in range(first, stop, LANES):
        read_clipped(values, upper, lower, needs_check, start, clip, r)
        read_weights(weights, start, weight)
        read_top(top, start, keep)
        _prepare(r, weight, keep, inverse_total)
        _starting_values(r, weight, p)
        active[:] = 1.0
        before[:] = np.inf
        steps[:] = 0
        lane_converged[:] = False
        for _ in range(MAX_STEPS):
            # `step` holds the score first; the solution, the Newton step, overwrites it.
            _score_and_information(r, weight, p, step, carry, information)
            _largest_score(step, inverse_total, state)
            _solve_laplacian(information, step)
            _damp(step, state)
            for i in range(n_classes):
                # (2 + x) / (2 - x) is exp(x) up to x^3 / 12, which suffices here and needs no call.
                x = load(state, ACTIVE) * load(step, i)
                store(p, i, load(p, i) * ((2.0 + x) / (2.0 - x)))
            any_active = False
            for lane in range(LANES):
                if active[lane] == 1.0:
                    steps[lane] += 1
                    has_stalled = residual[lane] <= SMALL_SCORE and length[lane] >= before[lane]
                    # In exact arithmetic no score exceeds the step; if one does, rounding has spoilt the step.
                    has_arrived = max(length[lane], residual[lane]) <= STEP_TOLERANCE
                    if has_arrived or has_stalled or _out_of_range(p[:, lane]):
                        active[lane] = 0.0
                        lane_converged[lane] = max(length[lane], residual[lane]) <= LONGEST_LAST_STEP
                    else:
                        before[lane] = length[lane]
                        any_active = True
            if not any_active:
                break
        for lane in range(min(LANES, stop - start)):
            n_iter[start + lane] = steps[lane]
            converged[start + lane] = active[lane] == 0.0 and lane_converged[lane]
            if kl.shape[0] > 0:
                kl[start + lane] = _distance(r[:, lane], weight[:, lane], p[:, lane])
        for i in range(n_classes):
            store(p, i, load(p, i) * load(keep, i))
        write(p, start, stop, out)


@compiled
def _prepare(r, weight, keep, inverse_total):
    """Drop pairs that were not compared, whose r may be NaN, and compute 1 / (total weight) of each class."""
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
    """p_i = 1 / (sum_j 1/r_ij - (c_i - 1)) over the c_i classes compared with i: exact if the r are compatible."""
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

    The sums are compensated for rounding. If a pair of small weight connects two groups of classes, all other terms
    must cancel to the last digit, or the effect of this pair would be lost.
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
            # If r_ij is near 1, the difference of the other side is more accurate.
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
    """Add x to a row of `total`, and the rounding error to the same row of `carry` (Knuth's two-sum)."""
    old = load(total, row)
    new = old + x
    part = new - old
    store(total, row, new)
    store(carry, row, load(carry, row) + ((old - (new - part)) + (x - part)))


@compiled
def _largest_score(score, inverse_total, state):
    """Find the largest score, where the score of a class is divided by its total weight."""
    residual = splat(0.0)
    for i in range(score.shape[0]):
        share = load(score, i) * load(inverse_total, i)
        residual = max(residual, max(share, 0.0 - share))
    store(state, RESIDUAL, residual)


@compiled
def _solve_laplacian(edge, x):
    """Solve the system of a weighted graph Laplacian with right-hand side `x`, in place, with x[0] = 0.

    Eliminating node k adds edge_ki edge_kj / sum edge_k to the edge of its neighbours i and j. All terms are positive,
    so that no digits are lost if edges differ by orders of magnitude. A node without lower neighbours gets the value 0.
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
        # The diagonal is not used otherwise; back substitution needs this.
        store(edge, k * n + k, inverse)
    store(x, 0, splat(0.0))
    for k in range(1, n):
        value = load(x, k) * load(edge, k * n + k)
        for i in range(k):
            value = value + load(edge, i * n + k) * load(x, i)
        store(x, k, value)


@compiled
def _damp(step, state):
    """Centre the Newton step, and shorten it if it is long.

    Along a direction of range d the objective satisfies |f'''| <= d f'', so that a step of log(1 + d) / d always
    descends (Sun & Tran-Dinh 2019). This gives global convergence without a line search.
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
            # The step has overflowed: keep the last p.
            state[ACTIVE, lane] = 0.0
            for i in range(n_classes):
                step[i, lane] = 0.0
        elif length > FULL_STEP:
            share = min(math.log1p(length), LONGEST_STEP) / length
            for i in range(n_classes):
                # The x for which (2 + x) / (2 - x) is the exponential of the shortened step.
                step[i, lane] = 2.0 * math.tanh(0.5 * share * step[i, lane])


@compiled
def _distance(r, weight, p):
    """Weighted Kullback-Leibler distance. p must not be normalised, which may make small entries underflow."""
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
    """Whether p has an entry that is NaN or about to leave the range of double precision."""
    for i in range(p.shape[0]):
        if not 1.0 / LARGEST_ODDS < p[i] < LARGEST_ODDS:
            return True
    return False
