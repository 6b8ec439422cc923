"""Coupling by weighted least squares on the log-odds."""

import math

import numpy as np

from pwcstats._kernels.blocks import read_clipped, read_weights, write
from pwcstats._kernels.lanes import LANES, compiled, empty_rows, load, splat, store, where_positive

# Slopes that differ by less than this are equal: they are weighted means of -1, 0 and 1 along paths between classes.
SAME_SLOPE = 1e-9


@compiled
def log_odds(values, upper, lower, needs_check, clip, weights, first, stop, out):
    """Couple samples first..stop-1: minimise sum_{i<j} n_ij (log p_i - log p_j - logit r_ij)^2.

    An exact 0 or 1 has the logit -L or L, and L tends to infinity. Then log p = L slope + log_p: `slope` solves the
    problem with -1, 0 and 1 in place of the logits, `log_p` the one with the finite logits. In the
    limit, only the classes with the largest slope have positive probability.
    """
    n_pairs, n_classes = upper.shape[0], out.shape[1]
    r = empty_rows(n_pairs)
    weight = empty_rows(n_pairs)
    sign = empty_rows(n_pairs)
    edge = empty_rows(n_classes * n_classes)
    flow = empty_rows(n_classes * n_classes)
    log_p = empty_rows(n_classes)
    slope = empty_rows(n_classes)
    for start in range(first, stop, LANES):
        read_clipped(values, upper, lower, needs_check, start, clip, r)
        read_weights(weights, start, weight)
        has_limits = _to_logits(r, weight, sign)
        _least_squares(r, weight, edge, flow, log_p)
        if has_limits:
            _least_squares(sign, weight, edge, flow, slope)
        for lane in range(LANES):
            if has_limits:
                steepest = slope[:, lane].max()
                for i in range(n_classes):
                    if slope[i, lane] < steepest - SAME_SLOPE:
                        log_p[i, lane] = -np.inf
            # Relative to the most probable class, to avoid overflow.
            largest = log_p[:, lane].max()
            for i in range(n_classes):
                log_p[i, lane] = math.exp(log_p[i, lane] - largest)
        write(log_p, start, stop, out)


@compiled
def _to_logits(r, weight, sign):
    """Replace r by its logit, or by 0 and its sign if the logit is infinite; return whether any is."""
    any_infinite = False
    for pair in range(r.shape[0]):
        for lane in range(LANES):
            x = r[pair, lane]
            r[pair, lane] = sign[pair, lane] = 0.0
            if weight[pair, lane] > 0.0:
                if 0.0 < x < 1.0:
                    r[pair, lane] = math.log(x / (1.0 - x))
                else:
                    sign[pair, lane] = 1.0 if x >= 1.0 else -1.0
                    any_infinite = True
    return any_infinite


@compiled
def _least_squares(logit, weight, edge, flow, log_p):
    """Solve the least squares problem with log_p[0] = 0, by elimination of one class after the other.

    Write l_ki for what log p_k - log p_i should be. The best log p_k for given others is the mean of log p_i + l_ki
    with weights n_ki. What is left of the sum of squares is a weighted variance, in which each two neighbours i and j
    of k have a new edge of weight n_ki n_kj / sum n_k and l_ij = l_ik + l_kj. Weights are only added and divided, so
    that weights of very different size lose no digits. `flow` is weight times l; both are stored for k > i.
    """
    n = log_p.shape[0]
    pair = 0
    for i in range(n):
        for k in range(i + 1, n):
            store(edge, k * n + i, load(weight, pair))
            store(flow, k * n + i, 0.0 - load(weight, pair) * load(logit, pair))
            pair += 1
    for k in range(n - 1, 0, -1):
        total = load(edge, k * n)
        for i in range(1, k):
            total = total + load(edge, k * n + i)
        inverse = where_positive(total, 1.0 / total, splat(0.0))
        # From here on row k holds shares of its total weight, and mean differences in place of flows.
        for j in range(1, k):
            share_j, flow_j = load(edge, k * n + j) * inverse, load(flow, k * n + j)
            for i in range(j):
                edge_i = load(edge, k * n + i)
                store(edge, j * n + i, load(edge, j * n + i) + share_j * edge_i)
                gain = share_j * load(flow, k * n + i) - edge_i * inverse * flow_j
                store(flow, j * n + i, load(flow, j * n + i) + gain)
        for i in range(k):
            store(edge, k * n + i, load(edge, k * n + i) * inverse)
            store(flow, k * n + i, load(flow, k * n + i) * inverse)
    store(log_p, 0, splat(0.0))
    for k in range(1, n):
        mean = splat(0.0)
        for i in range(k):
            mean = mean + (load(edge, k * n + i) * load(log_p, i) + load(flow, k * n + i))
        store(log_p, k, mean)
