"""How far coupled probabilities are from the pairs they were made of."""

import math

from pwcstats._kernels.lanes import compiled


@compiled
def kl_distance(values, upper, clip, weights, p, first, stop, out):
    """Write sum_{i<j} n_ij [r log(r / mu) + (1 - r) log((1 - r) / (1 - mu))] for samples first..stop-1.

    Two classes of probability 0 have no mu and say nothing.
    """
    n_classes = p.shape[1]
    for sample in range(first, stop):
        row = min(sample, weights.shape[0] - 1)
        total = 0.0
        pair = 0
        for i in range(n_classes):
            for j in range(i + 1, n_classes):
                both = p[sample, i] + p[sample, j]
                if weights[row, pair] > 0.0 and both > 0.0:
                    r = min(max(values[sample, upper[pair]], clip), 1.0 - clip)
                    term = _entropy_term(r, p[sample, i] / both) + _entropy_term(1.0 - r, p[sample, j] / both)
                    total += weights[row, pair] * term
                pair += 1
        # Rounding may leave -1e-17 where r and mu agree.
        out[sample] = max(total, 0.0)


@compiled
def _entropy_term(r, mu):
    return r * math.log(r / mu) if r > 0.0 else 0.0
