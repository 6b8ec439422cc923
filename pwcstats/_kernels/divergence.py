"""Kullback-Leibler distance between pairwise probabilities and coupled ones."""

import math

from pwcstats._kernels.lanes import compiled


@compiled
def kl_distance(values, upper, clip, weights, p, first, stop, out):
    """Write sum_{i<j} n [r log(r / mu) + (1 - r) log((1 - r) / (1 - mu))] for samples first..stop-1.

    A single row of weights n is used for all samples. Pairs of weight 0 are left out, and so are pairs of two classes
    of probability 0, which have no mu.
    """
    n_classes = p.shape[1]
    for sample in range(first, stop):
        weight = weights[min(sample, weights.shape[0] - 1)]
        total = 0.0
        pair = 0
        for i in range(n_classes):
            for j in range(i + 1, n_classes):
                if p[sample, i] + p[sample, j] > 0.0 and weight[pair] > 0.0:
                    r = min(max(values[sample, upper[pair]], clip), 1.0 - clip)
                    total += weight[pair] * pair_distance(r, p[sample, i], p[sample, j])
                pair += 1
        # Rounding may give -1e-17 if r and mu agree.
        out[sample] = max(total, 0.0)


@compiled
def pair_distance(r, p_i, p_j):
    """The term of a pair, with mu = p_i / (p_i + p_j); mu itself may underflow."""
    log_both = math.log(p_i + p_j)
    first = r * (math.log(r) - math.log(p_i) + log_both) if r > 0.0 else 0.0
    second = (1.0 - r) * (math.log(1.0 - r) - math.log(p_j) + log_both) if r < 1.0 else 0.0
    return first + second
