"""Whether the estimates are finite and unique; this is checked before the fit.

Ford (1957): the likelihood of Bradley and Terry has a maximum if and only if the items cannot be split into two groups
such that no item of one group ever beat an item of the other. With an order effect or a tie parameter, the same
argument, that the likelihood must fall in every direction, leads to systems of difference constraints. Cycles in the
graph of comparisons decide whether these have a solution.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import gcd

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, hstack, vstack
from scipy.sparse.csgraph import breadth_first_order, connected_components

from pwcstats import _native
from pwcstats._arrays import Array
from pwcstats._kernels.comparisons import LOSS, TIE, WIN
from pwcstats._kernels.newton import Ascent
from pwcstats._kernels.separation import recession_direction
from pwcstats._text import listed, named
from pwcstats.bradley_terry.likelihood import LARGEST_FIRTH, Covariates, Design, Items, Likelihood, Point
from pwcstats.bradley_terry.spec import ORDER_TERM, Spec
from pwcstats.bradley_terry.table import Table
from pwcstats.bradley_terry.ties import TIE_MODELS
from pwcstats.errors import arg, code

# Why there is no estimate. Calling it makes the message, which may take longer than the check itself.
Obstacle = Callable[[], str]
Direction = tuple[int, int]
Groups = list[NDArray[np.int64]]

# If a predictor is larger than this at the maximum, it may be that the maximum is not finite.
EXTREME_LOGIT = 12.0
# With more items, the linear program that finds separated covariates would take too long.
LARGEST_PROGRAM = 100
# If less than this share of a column's sum of squares remains after regression on others, it depends on them.
DEPENDENT = 1e-10
SOLVE_TOLERANCE = 1e-12


def find_obstacle(spec: Spec, likelihood: Likelihood) -> Obstacle | None:
    """Why the likelihood has no finite and unique maximum; None if it has one.

    Whether contest covariates are separated is found out after the fit, by `find_separation`.
    """
    table, design = likelihood.table, likelihood.design
    tie = spec.tie_model.has_parameter
    if tie and not spec.firth:
        if not table.counts[:, TIE].any():
            return partial(_no_ties, spec.ties)
        if not table.counts[:, [WIN, LOSS]].any():
            return partial(_only_ties, spec.ties)
    if isinstance(design, Covariates):
        return _aliased(spec, likelihood, design) or (None if spec.firth else _separated(spec, likelihood, design))
    if isinstance(design, Items) and spec.prior is None:
        if spec.firth:
            if weak_components(table)[0] > 1:
                return partial(_disconnected, table, spec.labels)
        elif not _is_strongly_connected(table, design):
            return partial(_infinite_abilities, table, spec.labels)
    if spec.contest is not None or spec.prior is not None:
        return _aliased_contest(spec, likelihood) or (None if spec.firth else _separated_alone(spec, likelihood))
    if spec.order and not _is_order_identified(table):
        return _unidentified_order
    if not spec.firth and (spec.order or tie):
        direction = diverging(table, spec.order, tie, table.counts)
        if direction is not None:
            return partial(_infinite_extra, direction)
    return None


def set_infinite(spec: Spec, table: Table) -> Spec:
    """Set the abilities of items with missing covariates that won everything, or lost everything.

    Such an item has an ability of its own, which is infinite. Its contests are certain, and say nothing about the other
    parameters.
    """
    if not len(spec.own) or spec.firth or spec.z is None:
        return spec
    # All other items are one node, because their abilities are not free.
    node = np.zeros(table.n_items, np.int64)
    node[spec.own] = 1 + np.arange(len(spec.own))
    tail, head = (node[items] for items in _arrows(table, table.counts))
    size = len(spec.own) + 1
    graph = coo_array((np.ones(len(tail), np.int8), (tail, head)), shape=(size, size)).tocsr()
    _, group = connected_components(graph, directed=True, connection="strong")
    is_alone = np.bincount(group)[group] == 1
    beats, is_beaten = (breadth_first_order(g, 0, return_predecessors=False) for g in (graph.T.tocsr(), graph))
    infinite = np.zeros(table.n_items)
    for reached, bound in ((beats, np.inf), (is_beaten, -np.inf)):
        nodes = reached[(group[reached] != group[0]) & is_alone[reached]]
        infinite[spec.own[nodes - 1]] = bound
    if not infinite.any():
        return spec
    is_finite = infinite == 0.0
    kept = np.ones(spec.z.shape[1], np.bool_)
    kept[: len(spec.own)] = is_finite[spec.own]
    z = spec.z[:, kept]
    # These rows do not change the means of the columns, and so abilities of the other items sum to 0.
    z[~is_finite] = z[is_finite].mean(axis=0)
    return replace(spec, z=z, labels=spec.labels[kept], own=spec.own[is_finite[spec.own]], infinite=infinite)


def find_separation(spec: Spec, likelihood: Likelihood, ascent: Ascent[Point]) -> Obstacle | None:
    """Whether contest covariates are separated, if the fit looks as if they were.

    The log-likelihood is concave. So if the iteration converged at moderate probabilities, the maximum is finite, and
    no linear program is needed.
    """
    if spec.firth or not likelihood.n_extra or (spec.contest is None and spec.prior is None):
        return None
    if ascent.converged and np.abs(likelihood.predictor(ascent.point.params)).max() < EXTREME_LOGIT:
        return None
    if likelihood.x.shape[1]:
        found = _separated(spec, likelihood, None)
        if found is not None or likelihood.table.n_items > LARGEST_PROGRAM:
            return found
    return _separated(spec, likelihood, likelihood.design)


def _separated_alone(spec: Spec, likelihood: Likelihood) -> Obstacle | None:
    """A contest covariate that is never negative for the winner, so that it is separated for any abilities."""
    table = likelihood.table
    won, lost, tied = (table.counts[:, column] > 0.0 for column in (WIN, LOSS, TIE))
    for name, x in zip(spec.beta_terms, likelihood.x.T, strict=True):
        for sign in (1.0, -1.0):
            if np.all(sign * x[won] >= 0.0) and np.all(sign * x[lost] <= 0.0) and not x[tied].any():
                return partial(_infinite_coefficients, [name], _has_firth(spec))
    return None


def _has_firth(spec: Spec) -> bool:
    """Whether Firth's method is a cure."""
    return spec.tie_model.exponential and spec.prior is None


def _no_ties(ties: str) -> str:
    cure = f", or use {arg('method', 'firth')}" if TIE_MODELS[ties].exponential else ""
    return f"no comparison is a tie, so there is no estimate of the tie parameter; leave out {arg('ties', ties)}{cure}."


def _only_ties(ties: str) -> str:
    cure = f" or {arg('method', 'firth')}" if TIE_MODELS[ties].exponential else ""
    return f"all comparisons are ties, so the tie parameter would be infinite; use {arg('ties', 'half')}{cure}."


# Abilities


def _is_strongly_connected(table: Table, design: Items) -> bool:
    """Whether a chain of wins or ties leads from every item to every other."""
    tied = table.counts[:, TIE] > 0.0
    forth, back = (table.counts[:, WIN] > 0.0) | tied, (table.counts[:, LOSS] > 0.0) | tied
    graph = design.graph
    return _native.strongly_connected(graph.start, graph.neighbour, graph.pair, table.first, forth, back)


def _disconnected(table: Table, items: pd.Index) -> str:
    groups = groups_of(weak_components(table)[1])
    return (
        f"the comparison graph is not connected: it consists of {len(groups)} groups that were never compared with "
        f"each other, {named_groups(items, groups)}; add comparisons between them, rank the largest group by itself "
        f"({code('model.largest()')}), or use {arg('method', 'ridge')} or {arg('method', 'ghost')}."
    )


def _infinite_abilities(table: Table, items: pd.Index) -> str:
    """Name the items that never lost or never won outside of their group."""
    if weak_components(table)[0] > 1:
        return _disconnected(table, items)
    n, group = strong_components(table)
    tail, head = _arrows(table, table.counts)
    across = group[tail] != group[head]
    is_beaten, has_won = np.zeros((2, n), np.bool_)
    is_beaten[group[head[across]]] = True
    has_won[group[tail[across]]] = True
    groups = groups_of(group)
    unbeaten = [groups[g] for g in np.flatnonzero(~is_beaten)]
    winless = [groups[g] for g in np.flatnonzero(~has_won)]
    found = describe_extremes(items, unbeaten, winless, ("never lost to", "never beat"))
    cure = f"use {arg('method', 'firth')} for finite ones, " if len(items) <= LARGEST_FIRTH else ""
    largest = max(map(len, groups))
    alone = f" ({code('model.largest()')} keeps the {largest} items that can be fitted together)" if largest > 1 else ""
    return (
        f"there is no maximum likelihood estimate: {found}, so that some abilities would be infinite; "
        f"{cure}drop these items{alone}, or add comparisons that go the other way."
    )


def describe_extremes(items: pd.Index, best: Groups, worst: Groups, verbs: tuple[str, str]) -> str:
    """Say which groups have infinite abilities; `verbs` tell what the best and the worst never did to the others."""
    if len(best) == len(worst) == 1 and len(best[0]) + len(worst[0]) == len(items):
        # Together the two groups contain all items, so it is enough to name the smaller one.
        best, worst = (best, []) if len(best[0]) <= len(worst[0]) else ([], worst)
    parts = zip((best, worst), verbs, strict=True)
    return ", and ".join(f"{named_groups(items, groups)} {verb} any of the others" for groups, verb in parts if groups)


def named_groups(items: pd.Index, groups: Sequence[NDArray[np.int64]]) -> str:
    """The items of some groups, at most five."""
    first = [named(items[g[0]]) if len(g) == 1 else "{" + listed(items[g])[1:-1] + "}" for g in groups[:5]]
    more = f" and {len(groups) - 5} more" if len(groups) > 5 else ""
    return ", ".join(first) + more


def _arrows(table: Table, counts: Array) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Tails and heads of arrows from winners to losers; a tie is an arrow in both directions."""
    i, j = table.first, table.second
    tied = counts[:, TIE] > 0.0
    down, up = (counts[:, WIN] > 0.0) | tied, (counts[:, LOSS] > 0.0) | tied
    return np.concatenate([i[down], j[up]]), np.concatenate([j[down], i[up]])


def _components(table: Table, counts: Array, connection: str) -> tuple[int, NDArray[np.int32]]:
    tail, head = _arrows(table, counts)
    graph = coo_array((np.ones(len(tail), np.int8), (tail, head)), shape=(table.n_items, table.n_items)).tocsr()
    return connected_components(graph, directed=True, connection=connection)


def strong_components(table: Table) -> tuple[int, NDArray[np.int32]]:
    """Number of sets of items in which a chain of wins or ties leads from each item to each other; set of each item."""
    return _components(table, table.counts, "strong")


def weak_components(table: Table) -> tuple[int, NDArray[np.int32]]:
    """Number of groups of items that were never compared with each other, and the group of each item."""
    return _components(table, np.ones((len(table.first), 3)), "weak")


def groups_of(group: NDArray[np.int32]) -> Groups:
    """The indices of the members of each group, from the group of each item."""
    order = np.argsort(group, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(group[order])) + 1)


# Order effect and tie parameter


def _is_order_identified(table: Table) -> bool:
    """Whether differences of abilities cannot replace the order effect."""
    both_won = np.tile([1.0, 1.0, 0.0], (len(table.first), 1))
    return diverging(table, True, False, both_won) is None


def _unidentified_order() -> str:
    return (
        "the order effect cannot be told from the abilities: a shift of the abilities has the same effect on every "
        f"comparison; add comparisons with the items in reverse order, or leave out {arg('order_effect')}."
    )


def _infinite_extra(direction: Direction) -> str:
    infinite = [name for name, u in zip(("order effect", "tie parameter"), direction, strict=True) if u]
    return (
        f"there is no maximum likelihood estimate: the {' and the '.join(infinite)} would be infinite, and abilities "
        f"with it, because no outcome contradicts this; use {arg('method', 'firth')} for a finite estimate, or leave "
        "it out."
    )


def diverging(table: Table, order: bool, tie: bool, counts: Array) -> Direction | None:
    """A direction (order, tie) in which the likelihood does not fall, if there is one.

    The graph must be strongly connected. For given (order, tie) the abilities must satisfy difference constraints. A
    cycle of negative length shows that they cannot, and the coefficients of its length rule out a half-plane of
    directions. Only the boundaries of what remains need to be tried.
    """
    edges = _Constraints(table, tie, counts)
    cuts: list[Direction] = []
    waiting: list[Direction] = []
    if order:
        waiting += [(1, 0), (-1, 0)]
    if tie:
        # Observed ties prevent log nu from going to minus infinity.
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
        # d is the change of first - second + order. An observed win needs d >= 2 tie, a loss d <= -2 tie, and a tie
        # |d| <= 2 tie.
        h = table.ordered.astype(np.int64)
        i, j = table.first.astype(np.int64), table.second.astype(np.int64)
        step = 2 if tie else 0
        parts = []
        for column, tie_up, tie_down in ((WIN, -step, None), (LOSS, None, -step), (TIE, 2, 2)):
            seen = counts[:, column] > 0.0
            if tie_up is not None:
                parts.append((i[seen], j[seen], h[seen], np.full(seen.sum(), tie_up, np.int64)))
            if tie_down is not None:
                parts.append((j[seen], i[seen], -h[seen], np.full(seen.sum(), tie_down, np.int64)))
        self.tail, self.head, self.a, self.b = (np.concatenate(part) for part in zip(*parts, strict=True))
        self.n_items = table.n_items

    def cycle(self, u: Direction) -> Direction | None:
        """Coefficients (c, d) of a cycle that rules out u, and every direction with c order + d tie > 0."""
        edges = _native.negative_cycle(self.tail, self.head, self.a * u[0] + self.b * u[1], self.n_items)
        if not edges:
            return None
        return _reduced((-int(self.a[edges].sum()), -int(self.b[edges].sum())))


def _reduced(u: Direction) -> Direction:
    size = gcd(*u)
    return (u[0] // size, u[1] // size) if size else u


# Covariates


def _differences(likelihood: Likelihood, design: Design | None) -> csr_array:
    """Derivatives of each row's linear predictor by the parameters of the design, if there is one, and beta.

    Abilities are relative to the last item; with a prior, which keeps abilities finite, only beta matters.
    """
    table, x = likelihood.table, csr_array(likelihood.x)
    if isinstance(design, Covariates):
        return hstack([csr_array(design.x), x], format="csr")
    if design is None or likelihood.prior is not None:
        return x
    n, rows = len(table.first), np.arange(len(table.first))
    entries = (np.repeat([1.0, -1.0], n), (np.tile(rows, 2), np.concatenate([table.first, table.second])))
    incidence = coo_array(entries, shape=(n, table.n_items)).tocsr()[:, :-1]
    return hstack([incidence, x], format="csr")


def _aliased(spec: Spec, likelihood: Likelihood, design: Covariates) -> Obstacle | None:
    """A covariate that is a linear combination of those before it."""
    d = np.column_stack([design.x, likelihood.x])
    scale = np.linalg.norm(d, axis=0)
    d = d / np.where(scale > 0.0, scale, 1.0)
    for column, name in enumerate([*spec.labels, *spec.beta_terms]):
        if np.linalg.matrix_rank(d[:, : column + 1]) <= column:
            return partial(_unidentified_covariate, name)
    return None


def _aliased_contest(spec: Spec, likelihood: Likelihood) -> Obstacle | None:
    """A contest covariate that abilities, or the contest covariates before it, can replace."""
    scale = np.linalg.norm(likelihood.x, axis=0)
    x = likelihood.x / np.where(scale > 0.0, scale, 1.0)
    left = x.T @ x
    if isinstance(likelihood.design, Items) and likelihood.prior is None and x.shape[1]:
        # What remains after regression on the abilities.
        border = np.array([likelihood.scatter(column) for column in x.T]).T
        left -= border.T @ likelihood.design.graph.solver(np.ones(len(x)), SOLVE_TOLERANCE)(border)
    for column, name in enumerate(spec.beta_terms):
        if left[column, column] < DEPENDENT:
            return partial(_unidentified_contest, name)
        left -= np.outer(left[:, column], left[column]) / left[column, column]
    return None


def _unidentified_covariate(name: str) -> str:
    return (
        f"the covariate {name!r} is not identified: among the pairs that met, its differences are all 0 or a linear "
        "combination of those of the covariates before it; leave it out."
    )


def _unidentified_contest(name: str) -> str:
    if name == ORDER_TERM:
        return _unidentified_order()
    return (
        f"the contest covariate {name!r} is not identified: it is 0 in all comparisons, or differences of abilities "
        "and the covariates before it have the same effect on every comparison; leave it out."
    )


def _separated(spec: Spec, likelihood: Likelihood, design: Design | None) -> Obstacle | None:
    """Parameters that predict the outcomes perfectly; without `design`, abilities are held fixed."""
    table, d = likelihood.table, _differences(likelihood, design)
    tie = spec.tie_model.has_parameter
    win, loss, tied = (table.counts[:, column] > 0.0 for column in (WIN, LOSS, TIE))
    constraints = [d[win], -d[loss]]
    if tie:
        # A win needs d >= 2 tie, a loss d <= -2 tie, and a tie |d| <= 2 tie.
        bounds = ((d[win], -2.0), (-d[loss], -2.0), (d[win], 0.0), (-d[loss], 0.0), (-d[tied], 2.0), (d[tied], 2.0))
        constraints = [hstack([part, csr_array(np.full((part.shape[0], 1), bound))]) for part, bound in bounds]
        d = hstack([d, csr_array((d.shape[0], 1))], format="csr")
    direction = recession_direction(vstack(constraints))
    if direction is None:
        return None
    share = np.abs(direction) * np.sqrt(d.power(2).sum(axis=0))
    involved = share > 1e-6 * share.max()
    # Abilities are not named: they are finite without the covariates.
    n_named = len(spec.extra_terms) + (design.size if isinstance(design, Covariates) else 0)
    names = [*spec.labels, *spec.extra_terms][-n_named:]
    found = [name for name, is_involved in zip(names, involved[-n_named:], strict=True) if is_involved]
    return partial(_infinite_coefficients, found, _has_firth(spec))


def _infinite_coefficients(names: list[str], firth: bool) -> str:
    cure = f"use {arg('method', 'firth')} for finite ones, or " if firth else ""
    what = f"a combination of {listed(names)}" if len(names) > 1 else repr(names[0])
    return (
        f"there is no maximum likelihood estimate: {what} is never on the losing side, so its coefficients would be "
        f"infinite; {cure}leave a covariate out."
    )
