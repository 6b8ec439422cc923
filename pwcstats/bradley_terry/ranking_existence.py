"""Whether the estimates of rankings are finite and unique; this is checked before the fit.

Hunter (2004): without ties, the likelihood has a maximum if and only if the items cannot be split into two groups such
that no item of one group ever ranked above an item of the other. With ties, there is no maximum if and only if the
abilities and the tie parameters can move in a direction in which no observed choice becomes less likely. A linear
program searches for such a direction. The most likely choices in a direction are those of the items that it raises
most, so the program gets only these as constraints, when a direction violates them.
"""

from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, vstack
from scipy.sparse.csgraph import connected_components

from pwcstats._arrays import Array
from pwcstats._kernels.separation import SMALL, recession_direction
from pwcstats.bradley_terry.choices import Choices, Penalty, ranges
from pwcstats.bradley_terry.existence import Groups, Obstacle, describe_extremes, groups_of, named_groups
from pwcstats.bradley_terry.orderings import Orderings
from pwcstats.errors import InputError, arg, code

# Number of constraints that are added to the linear program at a time.
MORE_ROWS = 1_000
# Number of distinct choices up to which the linear program takes less than about a minute.
MOST_DISTINCT = 20_000


def tie_term(order: int) -> str:
    """Name of the parameter of ties of so many items."""
    return f"(tie{order})"


def find_obstacle(rankings: Orderings, choices: Choices, penalty: Penalty) -> Obstacle | None:
    """Why the penalised likelihood has no finite and unique maximum; None if it has one."""
    if penalty.precision or penalty.pseudo:
        return _infinite_ties(choices, penalty)
    if _together(choices)[0] > 1:
        return partial(_disconnected, choices, rankings.items)
    if penalty.firth:
        return None
    tail, head = _arrows(rankings, choices, np.ones(len(choices.ranking), np.bool_))
    if _components(tail, head, choices.n_items)[0] > 1:
        return partial(_infinite_abilities, tail, head, rankings.items)
    if not len(choices.order):
        return None
    single = choices.n_chosen == 1
    strong = _components(*_arrows(rankings, choices, single), choices.n_items)[0] == 1
    largest = choices.size[choices.chosen_from[single]].max(initial=0)
    # The choices of single items hold all abilities together and, if their sets are large enough, the tie parameters.
    if strong and largest >= choices.order.max():
        return None
    direction = _direction(rankings, choices)
    return None if direction is None else partial(_infinite_direction, choices, direction)


def largest_component(rankings: Orderings, choices: Choices) -> NDArray[np.bool_]:
    """The items of the largest set in which a chain of rankings leads from each item down to each other."""
    component = _components(*_arrows(rankings, choices, np.ones(len(choices.ranking), np.bool_)), choices.n_items)[1]
    return component == np.bincount(component).argmax()


# Abilities


def _together(choices: Choices) -> tuple[int, NDArray[np.int32]]:
    """Number of groups of items that were never in one set, and the group of each item."""
    first = np.repeat(choices.item[choices.start[:-1]], choices.size)
    return _components(first, choices.item, choices.n_items, "weak")


def _arrows(
    rankings: Orderings, choices: Choices, used: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Tails and heads of arrows from chosen items to the others of the set; tied items point at each other.

    Further nodes stand for the sets, so that a choice needs few arrows: one from each chosen item to the set.
    """
    n_chosen = choices.n_chosen[used]
    nodes = choices.n_items + choices.chosen_from[used]
    index = ranges(choices.first[used], n_chosen)
    sets = choices.n_items + np.repeat(np.arange(len(choices.weight)), choices.size)
    is_used = np.zeros(len(choices.weight), np.bool_)
    is_used[choices.chosen_from[used]] = True
    reached = np.repeat(is_used, choices.size)
    tail = np.concatenate([rankings.item[index], sets[reached]])
    head = np.concatenate([np.repeat(nodes, n_chosen), choices.item[reached]])
    return tail.astype(np.int64), head.astype(np.int64)


def _components(
    tail: NDArray[np.integer], head: NDArray[np.integer], n_items: int, connection: str = "strong"
) -> tuple[int, NDArray[np.int32]]:
    """Number of components among the items, and the component of each; further nodes only connect items."""
    n = int(max(n_items, tail.max(initial=-1) + 1, head.max(initial=-1) + 1))
    graph = coo_array((np.ones(len(tail), np.int8), (tail, head)), shape=(n, n)).tocsr()
    component = connected_components(graph, directed=True, connection=connection)[1][:n_items]
    labels, component = np.unique(component, return_inverse=True)
    return len(labels), component.astype(np.int32)


def _disconnected(choices: Choices, items: pd.Index) -> str:
    groups = groups_of(_together(choices)[1])
    return (
        f"the rankings do not connect the items: there are {len(groups)} groups that no ranking compares with each "
        f"other, {named_groups(items, groups)}; add rankings that do, rank each group by itself, or use "
        f"{arg('method', 'ridge')} or {arg('method', 'ghost')}."
    )


def _infinite_abilities(tail: NDArray[np.int64], head: NDArray[np.int64], items: pd.Index) -> str:
    """Name the groups that never ranked below, or never above, any other group."""
    n = len(items)
    n_groups, group = _components(tail, head, n)
    best, worst = _extremes(tail, head, n, group, n_groups)
    found = describe_extremes(items, best, worst, ("never ranked below", "never ranked above"))
    return (
        f"there is no maximum likelihood estimate: {found}, so that some abilities would be infinite; "
        f"use {arg('method', 'firth')}, {arg('method', 'ridge')} or {arg('method', 'ghost')} for finite ones, or drop "
        f"these items ({code('model.largest()')})."
    )


def _extremes(
    tail: NDArray[np.int64], head: NDArray[np.int64], n_items: int, group: NDArray[np.int32], n_groups: int
) -> tuple[Groups, Groups]:
    """Groups of items that no item of another group ranked above, and groups that ranked above no other."""
    n_nodes = int(max(tail.max(), head.max())) + 1
    # Which groups point at each set, and which groups each set points at.
    into, out_of = tail < n_items, head < n_items
    shape = (n_nodes - n_items, n_groups)
    entries = [(head[into] - n_items, group[tail[into]]), (tail[out_of] - n_items, group[head[out_of]])]
    above, below = (coo_array((np.ones(len(row)), (row, column)), shape).tocsr() for row, column in entries)
    ranked = (above.T @ below).tocoo()
    across = ranked.row != ranked.col
    is_beaten, has_won = np.zeros((2, n_groups), np.bool_)
    is_beaten[ranked.col[across]] = True
    has_won[ranked.row[across]] = True
    groups = groups_of(group)
    return [groups[g] for g in np.flatnonzero(~is_beaten)], [groups[g] for g in np.flatnonzero(~has_won)]


# Tie parameters


def _infinite_ties(choices: Choices, penalty: Penalty) -> Obstacle | None:
    """Tie parameters that would be infinite although the penalty holds the abilities together."""
    n_orders = len(choices.order)
    if not n_orders:
        return None
    size = choices.size[choices.chosen_from]
    seen = np.unique(np.column_stack([choices.n_chosen, size]), axis=0)
    if penalty.pseudo:
        seen = np.vstack([seen, [[1, 2]]])
    orders = np.concatenate([[1], choices.order])
    rows = []
    for n_chosen, n_items in seen:
        for order in orders[orders <= n_items]:
            rows.append((orders == n_chosen).astype(float) - (orders == order))
    direction = recession_direction(np.array(rows)[:, 1:])
    if direction is None:
        return None
    return partial(_infinite_direction, choices, np.concatenate([np.zeros(choices.n_items), direction]))


def _direction(rankings: Orderings, choices: Choices) -> Array | None:
    """A direction of abilities and tie parameters in which no observed choice becomes less likely."""
    seen = _distinct_choices(rankings, choices)
    if len(seen) > MOST_DISTINCT:
        raise InputError(
            f"the rankings have {len(seen)} different choices, too many to find out whether the tie parameters are "
            f"finite (at most {MOST_DISTINCT}); use {arg('method', 'firth')}, which has finite estimates in any case."
        )
    n = choices.n_items
    # Begin with the choices of single items instead of those observed.
    entries = [_rows(choices, chosen, choices.item[choices.start[s] : choices.start[s + 1]]) for chosen, s in seen]
    rows = csr_array(vstack(entries))
    while True:
        # Only differences of abilities matter, so the first is held fixed.
        found = recession_direction(rows[:, 1:])
        if found is None:
            return None
        direction = np.concatenate([[0.0], found])
        direction /= np.abs(direction).max()
        violated = []
        for chosen, s in seen:
            items = choices.item[choices.start[s] : choices.start[s + 1]]
            by_rise = items[np.argsort(-direction[items], kind="stable")]
            reached = direction[chosen].mean() + _rise_of_tie(choices, direction, len(chosen))
            for k, order in enumerate(choices.order):
                if order <= len(items):
                    top = by_rise[:order]
                    if direction[top].mean() + direction[n + k] > reached + SMALL:
                        violated.append(_row(choices, chosen, top))
        if not violated:
            return direction
        rows = csr_array(vstack([rows, *violated[:MORE_ROWS]]))


def _rise_of_tie(choices: Choices, direction: Array, n_chosen: int) -> float:
    return 0.0 if n_chosen == 1 else float(direction[choices.n_items + np.searchsorted(choices.order, n_chosen)])


def _distinct_choices(rankings: Orderings, choices: Choices) -> list[tuple[NDArray[np.int32], int]]:
    """Chosen items and set of each distinct choice."""
    found: dict[tuple[int, bytes], tuple[NDArray[np.int32], int]] = {}
    for first, n_chosen, s in zip(choices.first, choices.n_chosen, choices.chosen_from, strict=True):
        chosen = np.sort(rankings.item[first : first + n_chosen])
        found[int(s), chosen.tobytes()] = (chosen, int(s))
    return list(found.values())


def _row(choices: Choices, chosen: NDArray[np.int32], other: NDArray[np.int32]) -> csr_array:
    """Statistics of a choice minus those of another one from the same set."""
    row = np.zeros((1, choices.n_items + len(choices.order)))
    for items, sign in ((chosen, 1.0), (other, -1.0)):
        row[0, items] += sign / len(items)
        if len(items) > 1:
            row[0, choices.n_items + np.searchsorted(choices.order, len(items))] += sign
    return csr_array(row)


def _rows(choices: Choices, chosen: NDArray[np.int32], others: NDArray[np.int32]) -> csr_array:
    """Statistics of a choice minus those of single items."""
    rows = np.zeros((len(others), choices.n_items + len(choices.order)))
    rows[:, chosen] += 1.0 / len(chosen)
    if len(chosen) > 1:
        rows[:, choices.n_items + np.searchsorted(choices.order, len(chosen))] += 1.0
    rows[np.arange(len(others)), others] -= 1.0
    return csr_array(rows)


def _infinite_direction(choices: Choices, direction: Array) -> str:
    moves = direction[choices.n_items :]
    moving = [tie_term(int(order)) for order, move in zip(choices.order, moves, strict=True) if abs(move) > SMALL]
    some = "parameter" if len(moving) == 1 else "parameters"
    return (
        f"there is no maximum likelihood estimate: the {some} of ties {', '.join(moving)} would be infinite, because "
        f"no choice contradicts this; use {arg('method', 'firth')} for finite estimates, or break these ties."
    )
