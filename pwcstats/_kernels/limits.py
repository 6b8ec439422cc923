"""Connected designs, and the classes that keep a probability in the limit of exact zeros and ones."""

import numpy as np

from pwcstats._kernels.lanes import compiled


@compiled
def top_sets(values, upper, weights, first, stop, top, exists):
    """Find the top set of each sample: the classes that no class outside can beat.

    An arrow leads from i to j if r_ij > 0 and the pair was compared. If all classes can be reached from some class, the
    top set is the strongly connected component of this class: as r tends to its zeros and ones, the probabilities of
    all other classes tend to 0. If there is no such class, two sets are unbeaten and were never compared. Then there is
    no limit, and `exists` is False.
    """
    n_classes = top.shape[1]
    arrow = np.zeros((n_classes, n_classes), np.bool_)
    seen = np.empty(n_classes, np.bool_)
    stack = np.empty(n_classes, np.int64)
    for sample in range(first, stop):
        row = min(sample, weights.shape[0] - 1)
        pair = 0
        for i in range(n_classes):
            for j in range(i + 1, n_classes):
                r = values[sample, upper[pair]]
                arrow[i, j] = weights[row, pair] > 0.0 and r > 0.0
                arrow[j, i] = weights[row, pair] > 0.0 and r < 1.0
                pair += 1
        # If some class reaches all others, then so does the last class from which this search has to start again.
        seen[:] = False
        source = 0
        for i in range(n_classes):
            if not seen[i]:
                source = i
                _reach(arrow, i, seen, stack)
        seen[:] = False
        _reach(arrow, source, seen, stack)
        exists[sample] = np.all(seen)
        seen[:] = False
        _reach(arrow.T, source, seen, stack)
        top[sample] = seen


@compiled
def connected(weights, n_classes, first, stop, out):
    """Write for each row of weights whether its pairs of positive weight connect all classes."""
    linked = np.zeros((n_classes, n_classes), np.bool_)
    seen = np.empty(n_classes, np.bool_)
    stack = np.empty(n_classes, np.int64)
    for row in range(first, stop):
        pair = 0
        for i in range(n_classes):
            for j in range(i + 1, n_classes):
                linked[i, j] = linked[j, i] = weights[row, pair] > 0.0
                pair += 1
        seen[:] = False
        _reach(linked, 0, seen, stack)
        out[row] = np.all(seen)


@compiled
def _reach(arrow, start, seen, stack):
    """Mark every class that can be reached from `start` through classes not yet seen."""
    n_classes = arrow.shape[0]
    seen[start] = True
    stack[0] = start
    height = 1
    while height > 0:
        height -= 1
        i = stack[height]
        for j in range(n_classes):
            if arrow[i, j] and not seen[j]:
                seen[j] = True
                stack[height] = j
                height += 1
