"""Comparisons added up: one line for each pair of items that met."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pwcstats._arrays import Array
from pwcstats._kernels import comparisons
from pwcstats._kernels.comparisons import LOSS, TIE, WIN
from pwcstats.bradley_terry.reading import Rows

# Numbers of comparisons of two pairs; beyond it, the sum of the two has no correct digit of the smaller.
LARGEST_RATIO = 1e15


@dataclass(frozen=True)
class Table:
    """Pairs that met: wins of `first`, wins of `second` and ties; `ordered` is 1 where `first` has the order effect."""

    n_items: int
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    ordered: Array
    counts: Array

    @property
    def n(self) -> Array:
        """Comparisons of each pair."""
        return self.counts.sum(axis=1)

    @property
    def addable(self) -> bool:
        """Whether the sums of an item's results have digits for each of its pairs."""
        n = self.n
        return bool(n.max() / LARGEST_RATIO <= n.min())


def make_table(rows: Rows, half: bool, cell: NDArray[np.int64] | None = None) -> Table:
    """Add up rows, pairs by who went first where that is known; with `half`, a tie is half a win for each.

    `cell`, if given, receives the place of each row in the counts before halving.
    """
    place = np.empty(0, np.int64) if cell is None else cell
    first, second, ordered, counts = comparisons.aggregate(
        rows.winner, rows.loser, rows.tie, rows.home, rows.weight, len(rows.items), place
    )
    return Table(len(rows.items), first, second, ordered, halve_ties(counts) if half else counts)


def halve_ties(counts: Array) -> Array:
    """Half a win for each side of a tie."""
    counts = counts.copy()
    counts[:, WIN] += 0.5 * counts[:, TIE]
    counts[:, LOSS] += 0.5 * counts[:, TIE]
    counts[:, TIE] = 0.0
    return counts


def same_comparisons(a: Rows, b: Rows, with_order: bool) -> bool:
    """Whether the same items had the same results against each other and, `with_order`, the same went first."""
    if not a.items.equals(b.items):
        return False
    one, two = (_sorted(rows if with_order else replace(rows, home=np.zeros_like(rows.home))) for rows in (a, b))
    return one.shape == two.shape and bool(np.allclose(one, two, rtol=1e-9, atol=0.0))


def _sorted(rows: Rows) -> Array:
    """First, second, order and counts of each pair, sorted."""
    table = make_table(rows, False)
    order = np.lexsort((table.ordered, table.second, table.first))
    return np.column_stack([table.first, table.second, table.ordered, table.counts])[order]
