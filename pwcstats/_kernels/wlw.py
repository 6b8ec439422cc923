"""The two coupling methods of Wu, Lin & Weng (2003): one direct solution per sample."""

from pwcstats._kernels.blocks import read_clipped, read_top, write
from pwcstats._kernels.lanes import (
    LANES,
    add_products,
    any_positive,
    compiled,
    empty_rows,
    load,
    splat,
    store,
    where_positive,
)

# If a class has less than this share of the total, one more sweep makes its small probability accurate.
SMALL_SHARE = 1e-8


@compiled
def wlw1(values, upper, lower, needs_check, clip, top, first, stop, out):
    """Couple samples first..stop-1: sum_j r_ji p_i = sum_j r_ij p_j for each i."""
    n_classes = out.shape[1]
    r = empty_rows(upper.shape[0])
    rate = empty_rows(n_classes * n_classes)
    keep = empty_rows(n_classes)
    p = empty_rows(n_classes)
    for start in range(first, stop, LANES):
        read_clipped(values, upper, lower, needs_check, start, clip, r)
        read_top(top, start, keep)
        _fill_rates(r, keep, rate)
        _stationary(rate, p)
        for i in range(n_classes):
            store(p, i, load(p, i) * load(keep, i))
        write(p, start, stop, out)


@compiled
def _fill_rates(r, keep, rate):
    """Row j * K + i is the rate from j to i, r_ij."""
    n_classes = keep.shape[0]
    pair = 0
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            both = load(keep, i) * load(keep, j)
            store(rate, j * n_classes + i, load(r, pair) * both)
            store(rate, i * n_classes + j, (1.0 - load(r, pair)) * both)
            pair += 1


@compiled
def _stationary(rate, p):
    """Stationary weights of a Markov chain by the elimination of Grassmann, Taksar & Heyman (1985).

    It never subtracts, so that even the smallest weights are accurate. A state that leads to no lower state starts a
    chain of its own with weight 1; the caller drops the chains of classes outside the top set.
    """
    n = p.shape[0]
    for k in range(n - 1, 0, -1):
        later = n - 1 - k
        add_products(rate, k * n, 1, k, k * n + k + 1, 1, (k + 1) * n, n, 1, later)
        add_products(rate, k, n, k, (k + 1) * n + k, n, k + 1, 1, n, later)
        total = load(rate, k * n)
        for i in range(1, k):
            total = total + load(rate, k * n + i)
        inverse = where_positive(total, 1.0 / total, splat(0.0))
        for i in range(k):
            store(rate, i * n + k, load(rate, i * n + k) * inverse)
        store(p, k, where_positive(total, splat(0.0), splat(1.0)))
    store(p, 0, splat(1.0))
    for k in range(1, n):
        weight = load(p, k)
        for i in range(k):
            weight = weight + load(p, i) * load(rate, i * n + k)
        store(p, k, weight)


@compiled
def wlw2(values, upper, lower, needs_check, clip, first, stop, out):
    """Couple samples first..stop-1: minimise sum_{i<j} (r_ji p_i - r_ij p_j)^2 subject to sum p = 1."""
    n_classes = out.shape[1]
    r = empty_rows(upper.shape[0])
    matrix = empty_rows(n_classes * n_classes)
    p = empty_rows(n_classes)
    for start in range(first, stop, LANES):
        read_clipped(values, upper, lower, needs_check, start, clip, r)
        _fill_shifted(r, n_classes, matrix)
        _solve_ones(matrix, p)
        _sweep_small(r, p, matrix)
        write(p, start, stop, out)


@compiled
def _fill_shifted(r, n_classes, matrix):
    """Lower triangle of Q + ee'.

    Q p = c e has the same solutions as (Q + ee') p = (c + sum p) e, so that the shift does not change the direction of
    p. Q is singular if the r are compatible. The shifted matrix is positive definite for every r, with zeros and ones.
    """
    for i in range(n_classes):
        store(matrix, i * n_classes + i, splat(1.0))
    pair = 0
    for i in range(n_classes):
        diagonal = load(matrix, i * n_classes + i)
        for j in range(i + 1, n_classes):
            r_ij = load(r, pair)
            r_ji = 1.0 - r_ij
            store(matrix, j * n_classes + i, 1.0 - r_ij * r_ji)
            store(matrix, j * n_classes + j, load(matrix, j * n_classes + j) + r_ij * r_ij)
            diagonal = diagonal + r_ji * r_ji
            pair += 1
        store(matrix, i * n_classes + i, diagonal)


@compiled
def _solve_ones(matrix, p):
    """Solve matrix p = e by an LDL' factorisation, column by column; the upper triangle is overwritten by -L'."""
    n = p.shape[0]
    for i in range(n):
        add_products(matrix, i * n + i, n, n - i, i, n, i * n, 1, n, i)
        inverse = 1.0 / load(matrix, i * n + i)
        for j in range(i + 1, n):
            store(matrix, i * n + j, 0.0 - load(matrix, j * n + i) * inverse)
        x = splat(1.0)
        for m in range(i):
            x = x + load(matrix, m * n + i) * load(p, m)
        store(p, i, x)
    for i in range(n - 1, -1, -1):
        x = load(p, i) / load(matrix, i * n + i)
        for j in range(i + 1, n):
            x = x + load(matrix, i * n + j) * load(p, j)
        store(p, i, x)


@compiled
def _sweep_small(r, p, work):
    """Compute p_i = (c + sum_j r_ij r_ji p_j) / Q_ii once, in the lanes that hold a small probability.

    The solution of the system is a fixed point of this sweep, which does not subtract. A small probability that was
    inaccurate, or even negative, because of rounding becomes positive and accurate. c = p'Qp / sum p is a sum of
    squares.
    """
    n = p.shape[0]
    total, least = load(p, 0), load(p, 0)
    for i in range(1, n):
        total = total + load(p, i)
        least = min(least, load(p, i))
    small = SMALL_SHARE * total - least
    if not any_positive(small):
        return
    excess = splat(0.0)
    swept, diagonal = 0, n
    for i in range(2 * n):
        store(work, i, splat(0.0))
    pair = 0
    for i in range(n):
        p_i = max(load(p, i), 0.0)
        for j in range(i + 1, n):
            p_j = max(load(p, j), 0.0)
            r_ij = load(r, pair)
            r_ji = 1.0 - r_ij
            gap = r_ji * p_i - r_ij * p_j
            excess = excess + gap * gap
            store(work, swept + i, load(work, swept + i) + r_ij * r_ji * p_j)
            store(work, swept + j, load(work, swept + j) + r_ij * r_ji * p_i)
            store(work, diagonal + i, load(work, diagonal + i) + r_ji * r_ji)
            store(work, diagonal + j, load(work, diagonal + j) + r_ij * r_ij)
            pair += 1
    for i in range(n):
        # The diagonal is 0 for a class that surely beats all others; its probability is not small.
        again = (excess / total + load(work, swept + i)) / load(work, diagonal + i)
        better = where_positive(load(work, diagonal + i), again, load(p, i))
        store(p, i, where_positive(small, better, load(p, i)))
