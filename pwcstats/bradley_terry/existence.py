"""Before the fit: whether the abilities, the order effect and the tie parameter have finite estimates.

Ford (1957): Bradley and Terry's likelihood has its maximum if and only if the items cannot be split in two so that no
item of one part ever beat an item of the other. With an order effect or a tie parameter the same argument, that the
likelihood must fall in every direction, leads to systems of difference constraints, which cycles of the graph decide.
"""

from math import gcd

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from pwcstats._arrays import Array
from pwcstats._kernels.comparisons import LOSS, TIE, WIN
from pwcstats._kernels.digraph import negative_cycle, strongly_connected
from pwcstats._kernels.laplacian import Graph
from pwcstats._kernels.separation import recession_direction
from pwcstats.bradley_terry.checks import (
    refuse_aliased,
    refuse_disconnected,
    refuse_no_mle,
    refuse_no_order_mle,
    refuse_separated,
    refuse_unidentified_order,
)
from pwcstats.bradley_terry.table import Table

Direction = tuple[int, int]


def check_connected(table: Table, items: pd.Index) -> None:
    """Refuse items that no chain of comparisons joins."""
    n, group = _components(table, np.ones((len(table.first), 3)), "weak")
    if n > 1:
        refuse_disconnected(items, _groups(group))


def check_items(table: Table, graph: Graph, items: pd.Index) -> None:
    """Refuse items that never lost or never won outside their group."""
    even = table.counts[:, TIE] > 0.0
    forth, back = (table.counts[:, WIN] > 0.0) | even, (table.counts[:, LOSS] > 0.0) | even
    if strongly_connected(graph.start, graph.neighbour, graph.pair, table.first, forth, back):
        return
    check_connected(table, items)
    n, group = _components(table, table.counts, "strong")
    tail, head = _wins(table, table.counts)
    across = group[tail] != group[head]
    beaten = np.zeros(n, np.bool_)
    beaten[group[head[across]]] = True
    beats = np.zeros(n, np.bool_)
    beats[group[tail[across]]] = True
    groups = _groups(group)
    refuse_no_mle(
        items,
        unbeaten=[groups[g] for g in np.flatnonzero(~beaten)],
        winless=[groups[g] for g in np.flatnonzero(~beats)],
        largest=max(map(len, groups)),
    )


def check_identified(table: Table) -> None:
    """Refuse an order effect that differences of abilities can make up for."""
    both = np.tile([1.0, 1.0, 0.0], (len(table.first), 1))
    if diverging(table, True, False, both) is not None:
        refuse_unidentified_order()


def check_order_and_ties(table: Table, order: bool, tie: bool) -> None:
    """Refuse data on which the order effect or the tie parameter has no finite estimate, abilities adapting to it."""
    direction = diverging(table, order, tie, table.counts)
    if direction is not None:
        refuse_no_order_mle(direction)


def diverging(table: Table, order: bool, tie: bool, counts: Array) -> Direction | None:
    """A direction (order, tie) in which the likelihood does not fall, if there is one; strong connection is presumed.

    For given (order, tie) the abilities face difference constraints; a cycle of negative length shows that they
    cannot be met, and by its length's coefficients rules out a half-plane of directions. Only the borders of what is
    left need trying.
    """
    edges = _Constraints(table, tie, counts)
    cuts: list[Direction] = []
    waiting: list[Direction] = []
    if order:
        waiting += [(1, 0), (-1, 0)]
    if tie:
        # Observed ties keep the tie parameter from falling without end.
        cuts.append((0, -1))
        waiting.append((0, 1))
    tried: set[Direction] = set()
    while waiting:
        u = waiting.pop()
        tried.add(u)
        cut = edges.cycle(u)
        if cut is None:
            return u
        cuts.append(cut)
        if order and tie and not waiting:
            rays = {_reduced(ray) for a, b in cuts for ray in ((b, -a), (-b, a))} - {(0, 0)}
            left = {ray for ray in rays if all(a * ray[0] + b * ray[1] <= 0 for a, b in cuts)}
            waiting = sorted(left - tried)
    return None


class _Constraints:
    """Edges tail -> head with x[head] - x[tail] <= a order + b tie, for tie >= 0."""

    def __init__(self, table: Table, tie: bool, counts: Array) -> None:
        # d is the change of first - second + order: an observed win needs d >= 2 tie, a loss d <= -2 tie, a tie |d|
        # <= 2 tie.
        h = table.ordered.astype(np.int64)
        i, j = table.first.astype(np.int64), table.second.astype(np.int64)
        step = 2 if tie else 0
        parts = []
        for column, tie_up, tie_down in ((WIN, -step, None), (LOSS, None, -step), (TIE, 2, 2)):
            seen = counts[:, column] > 0.0
            if tie_up is not None:
                parts.append((i[seen], j[seen], h[seen], np.full(seen.sum(), tie_up)))
            if tie_down is not None:
                parts.append((j[seen], i[seen], -h[seen], np.full(seen.sum(), tie_down)))
        self.tail, self.head, self.a, self.b = (np.concatenate(part) for part in zip(*parts, strict=True))
        self.n_items = table.n_items

    def cycle(self, u: Direction) -> Direction | None:
        """Coefficients (c, d) of a cycle that rules out u, and every direction with c order + d tie > 0."""
        edges = negative_cycle(self.tail, self.head, self.a * u[0] + self.b * u[1], self.n_items)
        if not len(edges):
            return None
        return _reduced((-int(self.a[edges].sum()), -int(self.b[edges].sum())))


def _reduced(u: Direction) -> Direction:
    size = gcd(*u)
    return (u[0] // size, u[1] // size) if size else u


def check_covariates(table: Table, x: Array, names: list[str], order: bool, tie: bool, mle: bool) -> None:
    """Refuse covariates that are not identified and, for maximum likelihood, those that predict perfectly."""
    full = np.column_stack([x, table.ordered]) if order else x
    scale = np.linalg.norm(full, axis=0)
    for column in range(full.shape[1]):
        part = full[:, : column + 1] / np.where(scale[: column + 1] > 0, scale[: column + 1], 1.0)
        if np.linalg.matrix_rank(part) <= column:
            refuse_aliased(names[column])
    if not mle:
        return
    d = np.column_stack([full, np.zeros(len(full))]) if tie else full
    both = np.zeros(d.shape[1])
    if tie:
        both[-1] = 2.0
    win, loss, even = (table.counts[:, column] > 0.0 for column in (WIN, LOSS, TIE))
    constraints = [d[win] - both, -d[loss] - both]
    if tie:
        constraints += [d[win], -d[loss], both - d[even], both + d[even]]
    direction = recession_direction(np.concatenate(constraints))
    if direction is not None:
        share = np.abs(direction) * np.linalg.norm(d, axis=0)
        refuse_separated([name for name, part in zip(names, share, strict=False) if part > 1e-6 * share.max()])


def _wins(table: Table, counts: Array) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Arrows from winners to losers; a tie counts as an arrow each way."""
    i, j = table.first, table.second
    even = counts[:, TIE] > 0.0
    down, up = (counts[:, WIN] > 0.0) | even, (counts[:, LOSS] > 0.0) | even
    return np.concatenate([i[down], j[up]]), np.concatenate([j[down], i[up]])


def _components(table: Table, counts: Array, connection: str) -> tuple[int, NDArray[np.int32]]:
    tail, head = _wins(table, counts)
    graph = coo_array((np.ones(len(tail), np.int8), (tail, head)), shape=(table.n_items, table.n_items)).tocsr()
    return connected_components(graph, directed=True, connection=connection)


def _groups(group: NDArray[np.int32]) -> list[NDArray[np.int64]]:
    order = np.argsort(group, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(group[order])) + 1)
