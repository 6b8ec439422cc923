"""Reading of wins and comparisons: matrices and long data become checked arrays."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import issparse

from pwcstats._arrays import Array, as_float
from pwcstats._text import did_you_mean, listed, named, shape_of, shown
from pwcstats.errors import InputError, arg, code, value

Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Rows:
    """Comparisons, with items as integer codes.

    `home` is 1 if the winner went first (or was at home), -1 if the loser did, and 0 if neither did or it is unknown.
    `weight` is empty if all weights are 1. `unit` is the row of the user's data that a comparison comes from; it is
    empty if the comparisons are these rows. `n_units` is the number of these rows, and 0 for a matrix. If `counted`,
    the weights are numbers of comparisons. `side` is -1 if the columns of the user's row describe the loser minus the
    winner, and 1 if they describe the winner minus the loser; it is empty if all are 1.
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

    @property
    def total(self) -> float:
        """Number of comparisons, or the sum of their weights."""
        with np.errstate(over="ignore"):
            return float(self.weight.sum()) if len(self.weight) else float(len(self.winner))


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
            f"{arg(name)} must hold finite numbers >= 0, got {_number(values[i, j])} for {a} over {b}; enter 0 for "
            "pairs without comparisons."
        )
    return values, names


def _number(x: float) -> str:
    """A number that is not allowed, in few digits."""
    return f"{x:g}" if np.isfinite(x) else value(x)


def _read_items(items: Any, n: int) -> pd.Index:
    if isinstance(items, (str, set, frozenset)) or not isinstance(items, Iterable):
        raise InputError(f"{arg('items')} must be a list of {n} names in the order of the rows, got {value(items)}.")
    labels: pd.Index = pd.Index(list(items))
    if len(labels) != n or not labels.is_unique:
        raise InputError(
            f"{arg('items')} must be {n} different names, got {len(labels)}, of which {labels.nunique()} are different."
        )
    return labels


def read_comparisons(
    data: Any,
    *,
    winner: Any,
    loser: Any,
    weight: Any,
    tie: Any,
    first: Any,
    second: Any,
    wins: Any,
    neutral: Any,
) -> tuple[Rows, pd.DataFrame | None]:
    """Read long data in one of its three forms; returns the comparisons, and the data as a pandas data frame.

    The forms are: winner and loser; first, second and who won; first, second and their numbers of wins.
    """
    if neutral is not None and first is None:
        raise InputError(
            f"{arg('neutral')} marks comparisons in which nobody went first, so {arg('first')} is needed too."
        )
    if wins is not None:
        if any(x is not None for x in (winner, loser, tie, weight)):
            names = ", ".join(map(arg, ("winner", "loser", "tie")))
            raise InputError(
                f"{arg('wins')} holds the numbers of wins and ties, so {names} and {arg('weight')} must be left out."
            )
        if not isinstance(wins, (list, tuple)) or len(wins) not in (2, 3):
            raise InputError(
                f"{arg('wins')} must be two columns (wins of {arg('first')}, wins of {arg('second')}) or three (and "
                f"ties), got {value(wins)}."
            )
    elif second is not None and loser is not None:
        raise InputError(
            f"{arg('loser')} cannot be combined with {arg('second')}; with {arg('first')} and {arg('second')}, "
            f"{arg('winner')} says which of the two won."
        )
    frame = _read_frame(data)
    if wins is not None:
        rows = _from_counts(frame, first, second, wins)
    elif second is not None:
        rows = _from_outcomes(frame, winner, tie, first, second)
    else:
        rows = _from_winners(frame, winner, loser, tie, first)
    n = rows.n_units
    if not len(rows.winner):
        raise InputError("there is no comparison in the data: it has no rows, or no wins.")
    if second is not None:
        # `home` says whether the winner is the first item of its row, until neutral rows are marked.
        rows = replace(rows, side=rows.home)
    if neutral is not None:
        on = _flags(named_column(frame, neutral, "neutral", n), "neutral")
        rows = replace(rows, home=np.where(on[rows.unit] if len(rows.unit) else on, 0, rows.home).astype(np.int8))
    if weight is not None:
        rows = _weighted(rows, as_float(named_column(frame, weight, "weight", n), "weight"), frame)
    same = rows.winner == rows.loser
    if same.any():
        k = int(np.argmax(same))
        raise InputError(
            f"{_row(frame, rows.unit[k] if len(rows.unit) else k)} compares {rows.items[rows.winner[k]]} with itself; "
            "drop such rows."
        )
    if len(rows.items) < 2:
        raise InputError(f"comparisons need at least 2 items, got {len(rows.items)}.")
    return rows, frame


def _read_frame(data: Any) -> pd.DataFrame | None:
    """The data as a pandas data frame, or None."""
    if data is None or isinstance(data, pd.DataFrame):
        return data
    if isinstance(data, Mapping):
        return pd.DataFrame(data)
    if hasattr(data, "to_pandas"):
        return data.to_pandas()
    raise InputError(f"{arg('data')} must be a data frame with one row per comparison, got {type(data).__name__}.")


def named_column(frame: pd.DataFrame | None, given: Any, name: str, length: int | None = None) -> pd.Series:
    """A column of the data by its name, or an array as it is."""
    if given is None:
        forms = (("winner", "loser"), ("first", "second", "winner"), ("first", "second", "wins"))
        ways = ", or ".join(" and ".join((", ".join(map(arg, form[:-1])), arg(form[-1]))) for form in forms)
        raise InputError(f"{arg(name)} is missing: give {ways}.")
    if frame is not None and isinstance(given, Hashable) and given in frame.columns:
        column = frame[given]
        if isinstance(column, pd.DataFrame):
            raise InputError(f"the data have more than one column {shown(given)}; give the columns different names.")
        return column
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
    return column


def _is_column(frame: pd.DataFrame | None, given: Any) -> bool:
    by_name = frame is not None and isinstance(given, Hashable) and given in frame.columns
    return by_name or isinstance(given, tuple) or np.ndim(given) == 1


def _row(frame: pd.DataFrame | None, k: int) -> str:
    """A row by its label, and also by its position if labels are not unique."""
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
        try:
            order = items.argsort()
        except TypeError:  # labels of several types keep the order of appearance
            order = np.arange(len(items))
        new_code = np.empty(len(items), np.int32)
        new_code[order] = np.arange(len(items))
        items = items[order]
    if len(codes) and codes.min() < 0:
        k = int(np.argmax(codes < 0)) % len(a)
        raise InputError(f"{_row(frame, k)} has no label for an item; fill it in, or drop the row.")
    recoded = new_code[codes]
    return recoded[: len(a)], recoded[len(a) :], items


def _flags(column: pd.Series, name: str) -> NDArray[np.bool_]:
    values = as_float(column, name)
    if not np.isin(values, (0.0, 1.0)).all():
        bad = column[~np.isin(values, (0.0, 1.0))].iloc[0]
        raise InputError(f"{arg(name)} must be true or false (1 or 0) in each row, got {value(bad)}.")
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


def _from_winners(frame: pd.DataFrame | None, winner: Any, loser: Any, tie: Any, first: Any) -> Rows:
    """Read a column of winners and one of losers."""
    won = named_column(frame, winner, "winner")
    lost = named_column(frame, loser, "loser", len(won))
    a, b, items = _codes(won, lost, frame)
    home = np.zeros(len(a), np.int8)
    if first is not None:
        went_first = named_column(frame, first, "first", len(a))
        codes = items.get_indexer(pd.Index(went_first.astype(object)))
        home = np.where(codes == a, 1, np.where(codes == b, -1, 0))
        bad = (home == 0) & went_first.notna().to_numpy()
        if bad.any():
            k = int(np.argmax(bad))
            raise InputError(
                f"{arg('first')} must be one of the two items of its row, or missing if nobody went first; "
                f"{_row(frame, k)} has {shown(went_first.iloc[k])} for {named(items[a[k]])} and {named(items[b[k]])}."
            )
    return _unweighted(items, a, b, _tie_flags(frame, tie, len(a)), home)


def _from_outcomes(frame: pd.DataFrame | None, winner: Any, tie: Any, first: Any, second: Any) -> Rows:
    """Read both items and who won: an item, the name of the column `first` or `second`, or a value of `tie`."""
    one, two = named_column(frame, first, "first"), named_column(frame, second, "second")
    who = named_column(frame, winner, "winner", len(one))
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
        columns = f" ({first!r} or {second!r})" if isinstance(first, str) and isinstance(second, str) else ""
        cure = f"set {arg('tie')} to the values that are ties" if tie is None else "recode the others"
        raise InputError(
            f"{arg('winner')} must be an item, or the name of its column{columns}; {_row(frame, k)} has "
            f"{shown(who.iloc[k])} for {named(items[a[k]])} and {named(items[b[k]])}; {cure}."
        )
    swapped = lost & ~tied
    return _unweighted(items, np.where(swapped, b, a), np.where(swapped, a, b), tied, np.where(swapped, -1, 1))


def _from_counts(frame: pd.DataFrame | None, first: Any, second: Any, wins: Any) -> Rows:
    """Read both items, and how often each won and perhaps how often they tied."""
    a, b, items = _codes(named_column(frame, first, "first"), named_column(frame, second, "second"), frame)
    counts = np.column_stack([as_float(named_column(frame, name, "wins", len(a)), "wins") for name in wins])
    bad = ~(np.isfinite(counts) & (counts >= 0.0))
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise InputError(
            f"{arg('wins')} must be finite numbers >= 0, got {_number(counts[row, column])} in {_row(frame, row)}."
        )
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
        counted=bool(np.all(counts == np.floor(counts))),
    )


def _weighted(rows: Rows, weight: Array, frame: pd.DataFrame | None) -> Rows:
    bad = ~(np.isfinite(weight) & (weight >= 0.0))
    if bad.any():
        k = int(np.argmax(bad))
        raise InputError(
            f"{arg('weight')} must be a finite number >= 0 in each row, got {_number(weight[k])} in {_row(frame, k)}; "
            "0 leaves the row out."
        )
    if not weight.any():
        raise InputError(f"{arg('weight')} is 0 in every row, so no comparison is left.")
    kept = np.flatnonzero(weight)
    used = np.zeros(len(rows.items), np.bool_)
    used[rows.winner[kept]] = used[rows.loser[kept]] = True
    new_code = (np.cumsum(used) - 1).astype(np.int32)
    return replace(
        rows,
        items=rows.items[used],
        winner=new_code[rows.winner[kept]],
        loser=new_code[rows.loser[kept]],
        tie=rows.tie[kept],
        home=rows.home[kept],
        side=rows.side[kept] if len(rows.side) else rows.side,
        weight=weight[kept],
        unit=kept,
        counted=False,
    )


def read_groups(data: pd.DataFrame | None, groups: Any, rows: Rows) -> NDArray[np.int64]:
    """Group of each comparison, as an integer code."""
    if rows.n_units == 0:
        raise InputError(
            f"{arg('groups')} are groups of rows, and a matrix of wins has no rows of comparisons; use "
            f"{code('from_comparisons')}."
        )
    column = named_column(data, groups, "groups", rows.n_units)
    unit = rows.unit if len(rows.unit) else np.arange(len(rows.winner))
    # Groups that have only rows of weight 0 do not count.
    codes, labels = pd.factorize(column.iloc[unit])
    if (codes < 0).any():
        row = _row(data, int(unit[int(np.argmax(codes < 0))]))
        raise InputError(f"{arg('groups')} is missing in {row}; fill it in, or drop the row.")
    if len(labels) < 2:
        raise InputError(f"there must be at least 2 {arg('groups')} among the rows with a weight above 0, got 1.")
    return codes
