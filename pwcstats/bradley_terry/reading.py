"""Reading of wins and comparisons: matrices and long data become checked arrays."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import issparse

from pwcstats._arrays import Array, as_float
from pwcstats._text import did_you_mean, listed, shape_of, shown
from pwcstats.bradley_terry import faults
from pwcstats.errors import InputError, arg, code, value

Codes = NDArray[np.int32]

# The three forms of data, as messages name them.
FORMS = ", or ".join(
    " and ".join((", ".join(map(arg, form[:-1])), arg(form[-1])))
    for form in (("winner", "loser"), ("first", "second", "winner"), ("first", "second", "wins"))
)
# A mark in `DataFrame.attrs`: the rows are sums over comparisons, and only some of the columns were kept.
ADDED_UP = "pwcstats_added_up"


@dataclass(frozen=True)
class Columns:
    """What the user said about the columns of long data: names of columns, or arrays; None if nothing was said."""

    winner: Any = None
    loser: Any = None
    weight: Any = None
    tie: Any = None
    first: Any = None
    second: Any = None
    wins: Any = None
    neutral: Any = None
    keep: Any = None

    @property
    def given(self) -> bool:
        """Whether the user said where the items and the winners are."""
        return any(x is not None for x in (self.winner, self.loser, self.first, self.second, self.wins))

    def check(self) -> None:
        """Refuse combinations that do not belong to one of the three forms."""
        if self.neutral is not None and self.first is None:
            raise InputError(
                f"{arg('neutral')} marks comparisons in which nobody went first, so {arg('first')} is needed too."
            )
        if self.wins is not None:
            if any(x is not None for x in (self.winner, self.loser, self.tie, self.weight)):
                names = ", ".join(map(arg, ("winner", "loser", "tie")))
                raise InputError(
                    f"{arg('wins')} holds the numbers of wins and ties, so {names} and {arg('weight')} must be left "
                    "out."
                )
            if not isinstance(self.wins, (list, tuple)) or len(self.wins) not in (2, 3):
                raise InputError(
                    f"{arg('wins')} must be two columns (wins of {arg('first')}, wins of {arg('second')}) or three "
                    f"(and ties), got {value(self.wins)}."
                )
        elif self.second is not None and self.loser is not None:
            raise InputError(
                f"{arg('loser')} cannot be combined with {arg('second')}; with {arg('first')} and {arg('second')}, "
                f"{arg('winner')} says which of the two won."
            )

    @property
    def kept(self) -> list[Hashable]:
        """Names of the columns to keep."""
        if self.keep is None:
            return []
        names = [self.keep] if isinstance(self.keep, str) else self.keep
        if not isinstance(names, (list, tuple)):
            raise InputError(f"{arg('keep')} must be a list of names of columns, got {value(self.keep)}.")
        return list(dict.fromkeys(names))


def _empty() -> Array:
    return np.empty(0)


@dataclass(frozen=True)
class Rows:
    """Comparisons, with items as integer codes.

    `home` is 1 if the winner went first (or was at home), -1 if the loser did, and 0 if neither did or it is unknown.
    `weight` is empty if all weights are 1. `unit` is the row of the user's data that a comparison comes from; it is
    empty if the comparisons are these rows. `n_units` is the number of these rows, and 0 for a matrix. If `counted`,
    the weights are numbers of comparisons. `side` is -1 if the columns of the user's row describe the loser minus the
    winner, and 1 if they describe the winner minus the loser; it is empty if all are 1.

    If a row is the sum of several weighted observations, `n_added` is their number and `squares` the sum of their
    squared weights, which the sandwich needs. Both are empty if each row is one observation, or if `counted`.
    """

    items: pd.Index
    winner: NDArray[np.int32]
    loser: NDArray[np.int32]
    tie: NDArray[np.bool_]
    home: NDArray[np.int8]
    weight: Array
    unit: NDArray[np.int64]
    n_units: int
    counted: bool
    side: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, np.int8))
    n_added: Array = field(default_factory=_empty)
    squares: Array = field(default_factory=_empty)

    @property
    def total(self) -> float:
        """Number of comparisons, or the sum of their weights."""
        with np.errstate(over="ignore"):
            return float(self.weight.sum()) if len(self.weight) else float(len(self.winner))

    @property
    def weights(self) -> Array:
        """Weight of each row, also if all are 1."""
        return self.weight if len(self.weight) else np.ones(len(self.winner))

    @property
    def n_observations(self) -> float:
        """Number of comparisons or, if these have weights, of weighted observations."""
        if self.counted:
            return self.total
        return float(self.n_added.sum()) if len(self.n_added) else float(len(self.winner))

    @property
    def sandwich_weights(self) -> Array:
        """Root of the sum of squared weights of the observations in each row."""
        if len(self.squares):
            return np.sqrt(self.squares)
        return np.sqrt(self.weights) if self.counted or self.n_units == 0 else self.weights

    @property
    def units(self) -> NDArray[np.int64]:
        """The row of the user's data that each comparison comes from."""
        return self.unit if len(self.unit) else np.arange(len(self.winner))

    @property
    def numbers(self) -> Array:
        """Number of observations that each row adds up."""
        if len(self.n_added):
            return self.n_added
        return self.weights if self.counted else np.ones(len(self.winner))

    @property
    def sides(self) -> NDArray[np.int8]:
        """`side` of each row, also if all are 1."""
        return self.side if len(self.side) else np.ones(len(self.winner), np.int8)

    def take(self, kept: NDArray[np.int64]) -> "Rows":
        """The rows with these indices; items without comparisons are dropped."""
        used = np.zeros(len(self.items), np.bool_)
        used[self.winner[kept]] = used[self.loser[kept]] = True
        new_code = (np.cumsum(used) - 1).astype(np.int32)
        return Rows(
            items=self.items[used],
            winner=new_code[self.winner[kept]],
            loser=new_code[self.loser[kept]],
            tie=self.tie[kept],
            home=self.home[kept],
            weight=_taken(self.weight, kept),
            unit=self.units[kept] if self.n_units else self.unit,
            n_units=self.n_units,
            counted=self.counted,
            side=_taken(self.side, kept),
            n_added=_taken(self.n_added, kept),
            squares=_taken(self.squares, kept),
        )


def _taken(x: NDArray[Any], kept: NDArray[np.int64]) -> NDArray[Any]:
    return x[kept] if len(x) else x


def read_wins(wins: Any, tied: Any, items: Iterable[Hashable] | None) -> Rows:
    """Read a K x K matrix or data frame of wins (row over column), and one of ties."""
    if issparse(wins):
        raise InputError(
            f"{arg('wins')} must be a dense matrix, got a sparse one; convert it with c = wins.tocoo() and use "
            f"{code('from_comparisons(winner=c.row, loser=c.col, weight=c.data)')}."
        )
    if isinstance(wins, pd.DataFrame):
        texts = [name for name, column in wins.items() if not pd.api.types.is_numeric_dtype(column.infer_objects())]
        if texts and wins.shape[0] != wins.shape[1]:
            raise InputError(
                f"{arg('wins')} must be a square table of wins, row over column, got {len(wins)} rows with labels in "
                f"{listed(texts)}; for one row per comparison, use {code('from_comparisons')}."
            )
    values, names = _square(wins, "wins", None)
    if items is not None:
        given = _read_items(items, len(values))
        if names is not None and not isinstance(names, pd.RangeIndex) and list(names) != list(given):
            raise InputError(
                f"{arg('wins')} is labelled by {listed(names)}, but {arg('items')} is {listed(given)}; leave "
                f"{arg('items')} out."
            )
        names = given
    labels: pd.Index = pd.RangeIndex(len(values)) if names is None else names.rename(None)
    if len(labels) < 2:
        raise InputError(f"comparisons need at least 2 items, got {len(labels)}.")
    cells = np.argwhere(values > 0.0)
    weight = values[cells[:, 0], cells[:, 1]]
    ties = np.empty((0, 2), np.int64)
    if tied is not None:
        counts, _ = _square(tied, "tied", labels)
        if not np.allclose(counts, counts.T, rtol=1e-9, atol=0.0):
            i, j = np.argwhere(~np.isclose(counts, counts.T, rtol=1e-9, atol=0.0))[0]
            raise InputError(
                f"{arg('tied')} must be symmetric, got {counts[i, j]:g} and {counts[j, i]:g} for {labels[i]} and "
                f"{labels[j]}; enter the number of ties of a pair on both sides."
            )
        ties = np.argwhere(np.triu(counts, 1) > 0.0)
        weight = np.concatenate([weight, counts[ties[:, 0], ties[:, 1]]])
    both = np.concatenate([cells, ties]).astype(np.int32)
    if not len(both):
        raise InputError(f"{arg('wins')} holds no comparison: all numbers off the diagonal are 0.")
    return Rows(
        items=labels,
        winner=np.ascontiguousarray(both[:, 0]),
        loser=np.ascontiguousarray(both[:, 1]),
        tie=np.arange(len(both)) >= len(cells),
        home=np.zeros(len(both), np.int8),
        weight=weight,
        unit=np.empty(0, np.int64),
        n_units=0,
        counted=bool(np.all(weight == np.floor(weight))),
    )


def _square(x: Any, name: str, labels: pd.Index | None) -> tuple[Array, pd.Index | None]:
    """K x K numbers >= 0 and their labels; the diagonal (journals may cite themselves) is ignored."""
    names = None
    if isinstance(x, pd.DataFrame):
        if x.columns.nlevels > 1 or x.index.nlevels > 1:
            raise InputError(f"{arg(name)} must have one level of labels in rows and columns; join several into one.")
        names = x.columns if labels is None else labels
        if x.shape[0] == x.shape[1] and not x.index.equals(names):
            if not (x.index.is_unique and names.is_unique and set(x.index) == set(names)):
                raise InputError(
                    f"the rows and columns of {arg(name)} must be the same items, got rows {listed(x.index)} and "
                    f"columns {listed(names)}; for data with one row per comparison use {code('from_comparisons')}."
                )
            x = x.loc[names]
        if labels is not None and x.shape[1] == len(labels):
            if set(x.columns) != set(labels):
                raise InputError(
                    f"the columns of {arg(name)} must be the items {listed(labels)}, got {listed(x.columns)}."
                )
            x = x[list(labels)]
        elif not names.is_unique:
            repeated = names[names.duplicated()][0]
            raise InputError(f"the items of {arg(name)} must be different, got {shown(repeated)} twice.")
    values = as_float(x, name).copy()
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise InputError(
            f"{arg(name)} must be a K x K matrix, row over column, got {shape_of(values)}; "
            f"for data with one row per comparison use {code('from_comparisons')}."
        )
    if labels is not None and len(values) != len(labels):
        n = len(labels)
        raise InputError(f"{arg(name)} must be {n} x {n} like {arg('wins')}, got {shape_of(values)}.")
    np.fill_diagonal(values, 0.0)
    bad = ~(np.isfinite(values) & (values >= 0.0))
    if bad.any():
        i, j = np.argwhere(bad)[0]
        a, b = (i, j) if names is None else (names[i], names[j])
        raise InputError(
            f"{arg(name)} must hold finite numbers >= 0, got {faults.number(values[i, j])} for {a} over {b}; enter 0 "
            "for pairs without comparisons."
        )
    return values, names


def _read_items(items: Any, n: int) -> pd.Index:
    if isinstance(items, (str, set, frozenset)) or not isinstance(items, Iterable):
        raise InputError(f"{arg('items')} must be a list of {n} names in the order of the rows, got {value(items)}.")
    labels: pd.Index = pd.Index(list(items))
    if len(labels) != n or not labels.is_unique:
        raise InputError(
            f"{arg('items')} must be {n} different names, got {len(labels)}, of which {labels.nunique()} are different."
        )
    return labels


def read_comparisons(frame: pd.DataFrame | None, columns: Columns) -> Rows:
    """Read long data in one of its three forms.

    The forms are: winner and loser; first, second and who won; first, second and their numbers of wins.
    """
    for name in columns.kept:
        named_column(frame, name, "keep")
    if columns.wins is not None:
        rows = _from_counts(frame, columns)
    elif columns.second is not None:
        rows = _from_outcomes(frame, columns)
    else:
        rows = _from_winners(frame, columns)
    n = rows.n_units
    if not len(rows.winner):
        raise faults.no_comparison()
    if columns.second is not None:
        # `home` says whether the winner is the first item of its row, until neutral rows are marked.
        rows = replace(rows, side=rows.home)
    if columns.neutral is not None:
        on = _flags(named_column(frame, columns.neutral, "neutral", n), "neutral")
        rows = replace(rows, home=np.where(on[rows.units], 0, rows.home).astype(np.int8))
    if columns.weight is not None:
        rows = _weighted(rows, as_float(named_column(frame, columns.weight, "weight", n), "weight"), frame)
    check_pairs(rows, frame)
    return rows


def check_pairs(rows: Rows, frame: pd.DataFrame | None) -> None:
    """Refuse an item that meets itself, and a single item."""
    same = rows.winner == rows.loser
    if same.any():
        k = int(np.argmax(same))
        raise faults.against_itself(_row(frame, rows.units[k]), rows.items[rows.winner[k]])
    if len(rows.items) < 2:
        raise InputError(f"comparisons need at least 2 items, got {len(rows.items)}.")


def missing_argument(name: str) -> InputError:
    """The error if an argument of the chosen form is missing."""
    return InputError(f"{arg(name)} is missing: give {FORMS}.")


def named_column(frame: pd.DataFrame | None, given: Any, name: str, length: int | None = None) -> pd.Series:
    """A column of the data by its name, or an array as it is."""
    if given is None:
        raise missing_argument(name)
    if frame is not None and isinstance(given, Hashable) and given in frame.columns:
        column = frame[given]
        if isinstance(column, pd.DataFrame):
            raise InputError(f"the data have more than one column {shown(given)}; give the columns different names.")
        return column
    if frame is not None and ADDED_UP in frame.attrs:
        raise faults.column_is_gone(name, given)
    if isinstance(given, list):
        # A list of tuples is a list of labels.
        given = pd.Series(given, dtype=object).infer_objects()
    if isinstance(given, str) or np.ndim(given) != 1:
        known = "" if frame is None else f", which are {listed(frame.columns)}"
        hint = "" if frame is None else did_you_mean(given, frame.columns)
        raise InputError(
            f"{arg(name)} must be one of the columns of the data{known}, or an array, got {value(given)}.{hint}"
        )
    column = given if isinstance(given, pd.Series) else pd.Series(given)
    expected = length if frame is None else len(frame)
    if expected is not None and len(column) != expected:
        raise InputError(f"{arg(name)} must have one entry for each of the {expected} comparisons, got {len(column)}.")
    refuse_other_order(frame, column, name)
    return column


def refuse_other_order(frame: pd.DataFrame | None, given: Any, name: str) -> None:
    """Refuse a pandas object that has the rows of the data in another order: rows are matched by position."""
    if frame is None or not isinstance(given, (pd.Series, pd.DataFrame)) or len(given) != len(frame):
        return
    there, here = given.index, frame.index
    if there.equals(here) or not (there.is_unique and here.is_unique) or not there.isin(here).all():
        return
    row = int(np.argmax(np.asarray(there != here)))
    raise InputError(
        f"{arg(name)} has the rows of the data in another order: row {row} is {shown(there[row])}, and not "
        f"{shown(here[row])}; sort it by {code('.loc[data.index]')}, or pass an array."
    )


def _is_column(frame: pd.DataFrame | None, given: Any) -> bool:
    by_name = frame is not None and isinstance(given, Hashable) and given in frame.columns
    return by_name or isinstance(given, tuple) or np.ndim(given) == 1


def _row(frame: pd.DataFrame | None, k: int) -> str:
    """A row by its label, and also by its position if labels are not unique."""
    if frame is not None and ADDED_UP in frame.attrs:
        return faults.SOME_ROW
    if frame is None:
        return f"row {k}"
    return f"row {frame.index[k]}" if frame.index.is_unique else f"row {k} (labelled {shown(frame.index[k])})"


def _codes(a: pd.Series, b: pd.Series, frame: pd.DataFrame | None) -> tuple[Codes, Codes, pd.Index]:
    """Codes of the items in two columns, and the items: in the order of categories, else sorted if they can be."""
    if len(a) != len(b):
        raise InputError(f"both items of a comparison are needed, got {len(a)} of one side and {len(b)} of the other.")
    if isinstance(a.dtype, pd.CategoricalDtype) and isinstance(b.dtype, pd.CategoricalDtype):
        shared = a.cat.categories.union(b.cat.categories, sort=False)
        a, b = a.cat.set_categories(shared), b.cat.set_categories(shared)
        codes = np.concatenate([a.cat.codes.to_numpy(), b.cat.codes.to_numpy()]).astype(np.int64)
        used = np.bincount(codes[codes >= 0], minlength=len(shared)) > 0
        new_code, items = (np.cumsum(used) - 1).astype(np.int32), shared[used]
    else:
        both = [x.astype(object) if isinstance(x.dtype, pd.CategoricalDtype) else x for x in (a, b)]
        codes, labels = pd.factorize(pd.concat(both, ignore_index=True))
        items = pd.Index(labels)
        order = sorted_order(items)
        new_code = np.empty(len(items), np.int32)
        new_code[order] = np.arange(len(items))
        items = items[order]
    if len(codes) and codes.min() < 0:
        raise faults.no_label(_row(frame, int(np.argmax(codes < 0)) % len(a)))
    recoded = new_code[codes]
    return recoded[: len(a)], recoded[len(a) :], items


def sorted_order(items: pd.Index) -> NDArray[np.int64]:
    """The order that sorts the items; labels of several types keep the order of appearance."""
    try:
        return np.asarray(items.argsort())
    except TypeError:
        return np.arange(len(items))


def _flags(column: pd.Series, name: str) -> NDArray[np.bool_]:
    values = as_float(column, name)
    if not np.isin(values, (0.0, 1.0)).all():
        raise faults.not_a_flag(name, column[~np.isin(values, (0.0, 1.0))].iloc[0])
    return values == 1.0


def _tie_flags(frame: pd.DataFrame | None, tie: Any, length: int) -> NDArray[np.bool_]:
    """Which rows are ties: from a column of flags, or from a column and the value that it has in ties."""
    if tie is None:
        return np.zeros(length, np.bool_)
    if isinstance(tie, tuple) and len(tie) == 2:
        return (named_column(frame, tie[0], "tie", length) == tie[1]).to_numpy(dtype=np.bool_, na_value=False)
    return _flags(named_column(frame, tie, "tie", length), "tie")


def _unweighted(items: pd.Index, winner: Codes, loser: Codes, tie: NDArray[np.bool_], home: NDArray[Any]) -> Rows:
    unit = np.empty(0, np.int64)
    return Rows(items, winner, loser, tie, home.astype(np.int8), np.empty(0), unit, len(winner), counted=True)


def _from_winners(frame: pd.DataFrame | None, columns: Columns) -> Rows:
    """Read a column of winners and one of losers."""
    won = named_column(frame, columns.winner, "winner")
    lost = named_column(frame, columns.loser, "loser", len(won))
    a, b, items = _codes(won, lost, frame)
    home = np.zeros(len(a), np.int8)
    if columns.first is not None:
        went_first = named_column(frame, columns.first, "first", len(a))
        codes = items.get_indexer(pd.Index(went_first.astype(object)))
        home = np.where(codes == a, 1, np.where(codes == b, -1, 0))
        bad = (home == 0) & went_first.notna().to_numpy()
        if bad.any():
            k = int(np.argmax(bad))
            raise faults.first_is_neither(_row(frame, k), went_first.iloc[k], items[a[k]], items[b[k]])
    return _unweighted(items, a, b, _tie_flags(frame, columns.tie, len(a)), home)


def _from_outcomes(frame: pd.DataFrame | None, columns: Columns) -> Rows:
    """Read both items and who won: an item, the name of the column `first` or `second`, or a value of `tie`."""
    first, second, tie = columns.first, columns.second, columns.tie
    one, two = named_column(frame, first, "first"), named_column(frame, second, "second")
    who = named_column(frame, columns.winner, "winner", len(one))
    a, b, items = _codes(one, two, frame)
    outcome = who.astype(object)
    codes = items.get_indexer(pd.Index(outcome))
    won, lost = codes == a, codes == b
    if isinstance(first, str) and isinstance(second, str):
        rest = ~(won | lost)
        won, lost = won | (rest & (outcome == first).to_numpy()), lost | (rest & (outcome == second).to_numpy())
    if tie is None:
        tied = np.zeros(len(a), np.bool_)
    elif isinstance(tie, (list, set)) or not _is_column(frame, tie):
        tied = outcome.isin(tie if isinstance(tie, (list, set)) else [tie]).to_numpy()
    else:
        tied = _tie_flags(frame, tie, len(a))
    bad = ~(won | lost | tied)
    if bad.any():
        k = int(np.argmax(bad))
        raise faults.unknown_winner(_row(frame, k), who.iloc[k], items[a[k]], items[b[k]], first, second, tie)
    swapped = lost & ~tied
    return _unweighted(items, np.where(swapped, b, a), np.where(swapped, a, b), tied, np.where(swapped, -1, 1))


def _from_counts(frame: pd.DataFrame | None, columns: Columns) -> Rows:
    """Read both items, and how often each won and perhaps how often they tied."""
    a, b, items = _codes(
        named_column(frame, columns.first, "first"), named_column(frame, columns.second, "second"), frame
    )
    counts = np.column_stack([as_float(named_column(frame, name, "wins", len(a)), "wins") for name in columns.wins])
    bad = ~(np.isfinite(counts) & (counts >= 0.0))
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise faults.not_a_count(_row(frame, row), counts[row, column])
    return count_rows(items, a, b, counts, whole=bool(np.all(counts == np.floor(counts))))


def count_rows(items: pd.Index, a: Codes, b: Codes, counts: Array, whole: bool) -> Rows:
    """Comparisons from numbers of wins of `a`, wins of `b` and perhaps ties; `a` went first."""
    unit, outcome = np.nonzero(counts)
    swapped = outcome == 1
    return Rows(
        items=items,
        winner=np.where(swapped, b[unit], a[unit]),
        loser=np.where(swapped, a[unit], b[unit]),
        tie=outcome == 2,
        home=np.where(swapped, -1, 1).astype(np.int8),
        weight=counts[unit, outcome],
        unit=unit,
        n_units=len(a),
        counted=whole,
    )


def _weighted(rows: Rows, weight: Array, frame: pd.DataFrame | None) -> Rows:
    bad = ~(np.isfinite(weight) & (weight >= 0.0))
    if bad.any():
        k = int(np.argmax(bad))
        raise faults.not_a_weight(_row(frame, k), weight[k])
    if not weight.any():
        raise faults.no_weight()
    return replace(rows, weight=weight, counted=False).take(np.flatnonzero(weight))


def read_groups(data: pd.DataFrame | None, groups: Any, rows: Rows) -> NDArray[np.int64]:
    """Group of each comparison, as an integer code."""
    if rows.n_units == 0:
        raise InputError(
            f"{arg('groups')} are groups of rows, and a matrix of wins has no rows of comparisons; use "
            f"{code('from_comparisons')}."
        )
    column = named_column(data, groups, "groups", rows.n_units)
    unit = rows.units
    # Groups that have only rows of weight 0 do not count.
    codes, labels = pd.factorize(column.iloc[unit])
    if (codes < 0).any():
        row = _row(data, int(unit[int(np.argmax(codes < 0))]))
        raise InputError(f"{arg('groups')} is missing in {row}; fill it in, or drop the row.")
    if len(labels) < 2:
        raise InputError(f"{arg('groups')} must have at least 2 groups among the rows with a weight above 0, got 1.")
    return codes


def read_categories(data: pd.DataFrame | None, by: Any, rows: Rows) -> tuple[NDArray[np.int64], list[Any]]:
    """Category of each row of the user's data as an integer code, -1 if it is missing; and the categories."""
    if rows.n_units == 0:
        raise InputError(
            f"{arg('by')} is a column of categories, and a matrix of wins has no rows of comparisons; use "
            f"{code('from_comparisons')}."
        )
    found = named_column(data, by, "by", rows.n_units).astype("category").cat.remove_unused_categories()
    if not len(found.cat.categories):
        raise InputError(f"{arg('by')} is missing in every row, so there is no category.")
    if len(found.cat.categories) == 1 and found.notna().all():
        raise InputError(
            f"{arg('by')} must have at least 2 categories, got {shown(found.cat.categories[0])} in every row; leave it "
            "out."
        )
    return found.cat.codes.to_numpy().astype(np.int64), list(found.cat.categories)
