"""Coupling methods with a closed formula: pkpd, rv, vote, sum, bayes."""

import numpy as np

from pwcstats._kernels.blocks import read_clipped, read_weights, write
from pwcstats._kernels.lanes import LANES, compiled, empty_rows, load, splat, store, where_positive


@compiled
def pkpd(values, upper, lower, needs_check, clip, first, stop, out):
    """Price, Knerr, Personnaz & Dreyfus (1995): p_i = 1 / (sum_j 1/r_ij - (K - 2)), normalised."""
    n_classes = out.shape[1]
    r = empty_rows(upper.shape[0])
    p = empty_rows(n_classes)
    for start in range(first, stop, LANES):
        read_clipped(values, upper, lower, needs_check, start, clip, r)
        for i in range(n_classes):
            store(p, i, splat(2.0 - n_classes))
        pair = 0
        for i in range(n_classes):
            inverse = load(p, i)
            for j in range(i + 1, n_classes):
                r_ij = load(r, pair)
                inverse = inverse + 1.0 / r_ij
                store(p, j, load(p, j) + 1.0 / (1.0 - r_ij))
                pair += 1
            store(p, i, 1.0 / inverse)
        write(p, start, stop, out)


@compiled
def rv(values, upper, lower, needs_check, clip, first, stop, out):
    """Refregier & Vallet (1991): the equations r_hi p_i = r_ih p_h of the class h with the largest sum_j r_hj."""
    n_classes = out.shape[1]
    r = empty_rows(upper.shape[0])
    p = empty_rows(n_classes)
    for start in range(first, stop, LANES):
        read_clipped(values, upper, lower, needs_check, start, clip, r)
        _row_sums(r, p)
        for lane in range(LANES):
            # The first of the largest sums. Equal sums may differ in the last digit, by the order of their terms.
            hub = np.argmax(p[:, lane] >= p[:, lane].max() * (1.0 - 1e-12))
            for i in range(n_classes):
                if i != hub:
                    j, k = min(i, hub), max(i, hub)
                    r_jk = r[j * (2 * n_classes - j - 1) // 2 + k - j - 1, lane]
                    p[i, lane] = r_jk / (1.0 - r_jk) if i < hub else (1.0 - r_jk) / r_jk
            p[hub, lane] = 1.0
            if np.sum(np.isinf(p[:, lane])) == 1:
                # The limit r -> 0 of one equation. Two such equations do not determine the ratio of their classes.
                for i in range(n_classes):
                    p[i, lane] = 1.0 if np.isinf(p[i, lane]) else 0.0
        write(p, start, stop, out)


@compiled
def row_sums(values, upper, lower, needs_check, first, stop, out):
    """p_i = 2 sum_j r_ij / (K (K - 1))."""
    r = empty_rows(upper.shape[0])
    p = empty_rows(out.shape[1])
    for start in range(first, stop, LANES):
        read_clipped(values, upper, lower, needs_check, start, 0.0, r)
        _row_sums(r, p)
        write(p, start, stop, out)


@compiled
def vote(values, upper, lower, needs_check, first, stop, out):
    """p_i = 2 wins_i / (K (K - 1)), with half a win for both classes if r = 1/2."""
    r = empty_rows(upper.shape[0])
    p = empty_rows(out.shape[1])
    for start in range(first, stop, LANES):
        read_clipped(values, upper, lower, needs_check, start, 0.0, r)
        for pair in range(r.shape[0]):
            r_ij = load(r, pair)
            lost_or_half = where_positive(0.5 - r_ij, splat(0.0), splat(0.5))
            store(r, pair, where_positive(r_ij - 0.5, splat(1.0), lost_or_half))
        _row_sums(r, p)
        write(p, start, stop, out)


@compiled
def bayes(values, upper, lower, needs_check, mass, first, stop, out):
    """Sulzmann, Fuernkranz & Huellermeier (2007), Theorem 1: p_i = sum_j m_ij r_ij / (K - 1), normalised."""
    n_classes = out.shape[1]
    r = empty_rows(upper.shape[0])
    weight = empty_rows(upper.shape[0])
    p = empty_rows(n_classes)
    for start in range(first, stop, LANES):
        read_clipped(values, upper, lower, needs_check, start, 0.0, r)
        read_weights(mass, start, weight)
        for i in range(n_classes):
            store(p, i, splat(0.0))
        pair = 0
        for i in range(n_classes):
            for j in range(i + 1, n_classes):
                won = load(weight, pair) * load(r, pair)
                store(p, i, load(p, i) + won)
                store(p, j, load(p, j) + (load(weight, pair) - won))
                pair += 1
        write(p, start, stop, out)


@compiled
def _row_sums(r, p):
    """p_i = sum_j r_ij."""
    n_classes = p.shape[0]
    for i in range(n_classes):
        store(p, i, splat(0.0))
    pair = 0
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            store(p, i, load(p, i) + load(r, pair))
            store(p, j, load(p, j) + (1.0 - load(r, pair)))
            pair += 1
