"""Who can reach whom: connected designs, and the classes that keep a probability in the limit."""

import numpy as np

from pwcstats._kernels.lanes import compiled


@compiled
def top_sets(values, upper, weights, first, stop, top, exists):
    """Find each sample's top set: the classes that nobody outside can beat.

    An arrow leads from i to j when r_ij > 0 and the pair is compared. A class from which all others can be reached
    has in its strongly connected component the top set: as r tends to its zeros and ones, all probability gathers
    there. Without such a class two sets are both unbeaten and never compared, and there is no limit: `exists` is
    False.
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
        # The last class at which a search over all classes had to begin anew reaches all others, if any class does.
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
    """Write for each row of weights whether its pairs of positive weight join all classes."""
    joined = np.zeros((n_classes, n_classes), np.bool_)
    seen = np.empty(n_classes, np.bool_)
    stack = np.empty(n_classes, np.int64)
    for row in range(first, stop):
        pair = 0
        for i in range(n_classes):
            for j in range(i + 1, n_classes):
                joined[i, j] = joined[j, i] = weights[row, pair] > 0.0
                pair += 1
        seen[:] = False
        _reach(joined, 0, seen, stack)
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
