"""Directed graphs: strong connection, and cycles of negative length.

A system of difference constraints x[head] - x[tail] <= length has a solution unless a cycle has negative length.
"""

import numpy as np

from pwcstats._kernels.lanes import compiled


@compiled
def strongly_connected(start, neighbour, pair, first, forth, back):
    """Whether every item reaches every other; `forth` and `back` are the directions in which a pair can be passed."""
    n_items = start.shape[0] - 1
    stack = np.empty(n_items, np.int32)
    for backwards in (False, True):
        seen = np.zeros(n_items, np.bool_)
        seen[0] = True
        stack[0] = 0
        height = n_seen = 1
        while height > 0:
            height -= 1
            i = stack[height]
            for slot in range(start[i], start[i + 1]):
                j = neighbour[slot]
                if not seen[j]:
                    e = pair[slot]
                    away = first[e] == i
                    if forth[e] if away != backwards else back[e]:
                        seen[j] = True
                        stack[height] = j
                        height += 1
                        n_seen += 1
        if n_seen < n_items:
            return False
    return True


@compiled
def negative_cycle(tail, head, length, n_items):
    """Find a cycle of negative length by the algorithm of Bellman and Ford; returns its edges, or none.

    Lengths are whole numbers, so the answer is exact. With typical outcomes, a cycle is found after one or two passes.
    """
    n_edges = tail.shape[0]
    distance = np.zeros(n_items, np.int64)
    parent = np.full(n_items, -1)
    mark = np.empty(n_items, np.int64)
    for _ in range(n_items + 1):
        changed = False
        for e in range(n_edges):
            reach = distance[tail[e]] + length[e]
            if reach < distance[head[e]]:
                distance[head[e]] = reach
                parent[head[e]] = e
                changed = True
        if not changed:
            break
        # The edges from parents contain a cycle only if its length is negative.
        mark[:] = -1
        for i in range(n_items):
            node = i
            while mark[node] == -1:
                mark[node] = i
                if parent[node] == -1:
                    break
                node = tail[parent[node]]
            if mark[node] == i and parent[node] != -1:
                return _edges_of_cycle(tail, parent, node)
    return np.empty(0, np.int64)


@compiled
def _edges_of_cycle(tail, parent, node):
    size = 0
    i = node
    while size == 0 or i != node:
        i = tail[parent[i]]
        size += 1
    edges = np.empty(size, np.int64)
    for k in range(size):
        edges[k] = parent[node]
        node = tail[parent[node]]
    return edges
