"""Log-odds of Gaussian naive Bayes for pairs of classes, each pair with variances of its own."""

from pwcstats._kernels.lanes import compiled


@compiled
def log_odds(x, theta, low, high, precision, constant, first, stop, out):
    """Log-odds of class `low` against class `high`, one column per pair.

    `precision` holds the inverse variances of both classes of each pair, `constant` the terms that do not depend on x.
    """
    for s in range(first, stop):
        for pair in range(low.shape[0]):
            out[s, pair] = constant[pair] + _half_difference(
                x[s], theta[low[pair]], precision[pair, 0], theta[high[pair]], precision[pair, 1]
            )


@compiled
def own_margins(x, own, theta, pair_of, precision, constant, first, stop, out):
    """Log-odds of each row's own class against every other class.

    ``pair_of[i, j]`` is the index of the pair of classes i and j.
    """
    n_classes = theta.shape[0]
    for s in range(first, stop):
        c = own[s]
        for other in range(n_classes):
            if other == c:
                continue
            pair = pair_of[c, other]
            side = 0 if c < other else 1
            odds = _half_difference(x[s], theta[c], precision[pair, side], theta[other], precision[pair, 1 - side])
            out[s, other if other < c else other - 1] = odds + (constant[pair] if side == 0 else -constant[pair])


@compiled
def _half_difference(x, mean, precision, other_mean, other_precision):
    """Half the difference of squared distances: from the other class minus from the own class."""
    total = 0.0
    for k in range(x.shape[0]):
        near = x[k] - mean[k]
        far = x[k] - other_mean[k]
        total += far * far * other_precision[k] - near * near * precision[k]
    return 0.5 * total
