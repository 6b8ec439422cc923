"""How far coupled probabilities are from the pairs they were made of."""

import math

from pwcstats._kernels.lanes import compiled


@compiled
def kl_distance(values, upper, clip, p, first, stop, out):
    """Write sum_{i<j} [r log(r / mu) + (1 - r) log((1 - r) / (1 - mu))] for samples first..stop-1.

    Two classes of probability 0 have no mu and say nothing.
    """
    n_classes = p.shape[1]
    for sample in range(first, stop):
        total = 0.0
        pair = 0
        for i in range(n_classes):
            for j in range(i + 1, n_classes):
                if p[sample, i] + p[sample, j] > 0.0:
                    r = min(max(values[sample, upper[pair]], clip), 1.0 - clip)
                    total += pair_distance(r, p[sample, i], p[sample, j])
                pair += 1
        # Rounding may leave -1e-17 where r and mu agree.
        out[sample] = max(total, 0.0)


@compiled
def pair_distance(r, p_i, p_j):
    """Its term of a pair, mu = p_i / (p_i + p_j); also where mu is too small to hold."""
    log_both = math.log(p_i + p_j)
    first = r * (math.log(r) - math.log(p_i) + log_both) if r > 0.0 else 0.0
    second = (1.0 - r) * (math.log(1.0 - r) - math.log(p_j) + log_both) if r < 1.0 else 0.0
    return first + second
