"""The table of comparisons: wins, losses and ties of each pair of items that met."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pwcstats._arrays import Array
from pwcstats._kernels.comparisons import LOSS, TIE, WIN, aggregate, divide
from pwcstats.bradley_terry.reading import Rows
from pwcstats.errors import InputError, arg

# Largest ratio of the numbers of comparisons of two pairs. Beyond it, their sum has no correct digit of the smaller.
LARGEST_RATIO = 1e15


@dataclass(frozen=True)
class Table:
    """Wins of `first`, wins of `second` and ties of each pair; `ordered` is 1 if `first` has the order effect.

    `x` are contest covariates of `first` minus `second`, one column each. With such covariates, a pair has one row for
    each of their distinct values.
    """

    n_items: int
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    ordered: Array
    counts: Array
    x: Array

    @property
    def n(self) -> Array:
        """Number of comparisons of each pair."""
        return self.counts.sum(axis=1)

    @property
    def addable(self) -> bool:
        """Whether counts of different pairs can be added without losing all digits of the smaller."""
        n = self.n
        return bool(n.max() / LARGEST_RATIO <= n.min())

    def with_counts(self, counts: Array) -> "Table":
        """The same pairs with other counts; pairs without comparisons are left out."""
        met = counts.any(axis=1)
        return Table(self.n_items, self.first[met], self.second[met], self.ordered[met], counts[met], self.x[met])


def tabulate(rows: Rows, contest: Array | None = None) -> tuple[Table, NDArray[np.int64]]:
    """Add up the rows, separately by who went first if that is known, and by contest covariates if there are any.

    `contest` has one row for each row of the user's data. Returns the table, and the index of each row's count in the
    flattened counts.
    """
    n_items = len(rows.items)
    if len(rows.winner) > np.iinfo(np.int32).max:
        raise InputError(
            f"at most {np.iinfo(np.int32).max} rows can be counted, got {len(rows.winner)}; add up equal rows first, "
            f"and give their number as {arg('weight')}."
        )
    first, second, ordered, counts, cell = aggregate(rows.winner, rows.loser, rows.tie, rows.home, rows.weight, n_items)
    table = Table(n_items, first, second, ordered, counts, np.empty((len(first), 0)))
    return (table, cell) if contest is None else _by_contest(table, cell, rows, contest)


def _by_contest(table: Table, cell: NDArray[np.int64], rows: Rows, contest: Array) -> tuple[Table, NDArray[np.int64]]:
    """Divide the pairs of a table by the values of contest covariates."""
    pair, outcome = np.divmod(cell, 3)
    x = contest[rows.units]
    flipped = (table.first[pair] != rows.winner) ^ (rows.sides < 0)
    x *= np.where(flipped, -1.0, 1.0)[:, None]
    x += 0.0  # turns -0 into 0
    new, source = divide(pair, x, len(table.first))
    cell = 3 * new + outcome
    counts = np.bincount(cell, rows.weight if len(rows.weight) else None, 3 * len(source)).astype(np.float64)
    old = pair[source]
    return Table(
        table.n_items, table.first[old], table.second[old], table.ordered[old], counts.reshape(-1, 3), x[source]
    ), cell


def make_table(rows: Rows, half: bool, contest: Array | None = None) -> Table:
    """Add up the rows; if `half`, a tie is half a win for each item."""
    table, _ = tabulate(rows, contest)
    return replace(table, counts=halve_ties(table.counts)) if half else table


def halve_ties(counts: Array) -> Array:
    """Replace each tie by half a win for each item."""
    counts = counts.copy()
    counts[:, WIN] += 0.5 * counts[:, TIE]
    counts[:, LOSS] += 0.5 * counts[:, TIE]
    counts[:, TIE] = 0.0
    return counts


def same_comparisons(a: Rows, b: Rows, with_order: bool) -> bool:
    """Whether two data sets have the same items and results and, if `with_order`, the same items went first."""
    if not a.items.equals(b.items):
        return False
    one, two = (_sorted(rows if with_order else replace(rows, home=np.zeros_like(rows.home))) for rows in (a, b))
    return one.shape == two.shape and bool(np.allclose(one, two, rtol=1e-9, atol=0.0))


def _sorted(rows: Rows) -> Array:
    """First, second, order and counts of each pair, sorted."""
    table = make_table(rows, False)
    order = np.lexsort((table.ordered, table.second, table.first))
    return np.column_stack([table.first, table.second, table.ordered, table.counts])[order]
