"""Hastie & Tibshirani's thresholds."""

import numpy as np
from numpy.typing import NDArray

from pwcstats._arrays import Array


def best_threshold(log_odds: Array, positive: NDArray[np.bool_], weight: Array) -> float:
    """The t for which the rule "positive if d > t" makes the fewest errors.

    All t between two neighbouring d make the same errors, and so may several such gaps: 0 is kept unless another t is
    better, and else the middle of a best gap is taken, of several the one nearest to 0. Where all rows are best
    called by one name, t is a unit beyond the outermost d.
    """
    order = np.argsort(log_odds, kind="stable")
    d, gain = log_odds[order], np.where(positive[order], weight[order], -weight[order])
    # Errors, less a constant, of a threshold just below the first d, and then just above each d.
    errors = np.concatenate([[0.0], np.cumsum(gain)])
    possible = np.concatenate([[True], d[1:] > d[:-1], [True]])
    least = errors[possible].min()
    # Sums of weights in another order differ in the last digit.
    slack = 1e-12 * float(np.sum(weight))
    if errors[np.searchsorted(d, 0.0, side="right")] <= least + slack:
        return 0.0
    middles = np.concatenate([[d[0] - 1.0], 0.5 * (d[1:] + d[:-1]), [d[-1] + 1.0]])
    best = middles[possible & (errors <= least + slack)]
    return float(best[np.argmin(np.abs(best))])
