"""Wins and comparisons become checked arrays; the wording of their errors."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import issparse

from pwcstats._arrays import Array, as_float
from pwcstats._text import listed, named, shape_of, shown
from pwcstats.errors import InputError

Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Rows:
    """Comparisons as they came, items as numbers.

    `home` is 1 where the winner went first (or was at home), -1 where the loser did, 0 where neither or nobody knows.
    `weight` is empty for ones. `unit` says which of the `n_units` rows of the user's data a comparison came from, and
    is empty where they are the same; a matrix has none. With `counted` the weights are numbers of comparisons.
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

    @property
    def total(self) -> float:
        """Number of comparisons, or the sum of their weights."""
        with np.errstate(over="ignore"):
            return float(self.weight.sum()) if len(self.weight) else float(len(self.winner))


def read_wins(wins: Any, tied: Any, items: Iterable[Hashable] | None) -> Rows:
    """A K x K matrix or frame of wins, row over column, and one of ties."""
    if issparse(wins):
        raise InputError(
            "wins must be a dense matrix, got a sparse one; make it coordinates, c = wins.tocoo(), and use "
            "from_comparisons(winner=c.row, loser=c.col, weight=c.data)."
        )
    values, names = _square(wins, "wins", None)
    if items is not None:
        given = _read_items(items, len(values))
        if names is not None and not isinstance(names, pd.RangeIndex) and list(names) != list(given):
            raise InputError(f"wins is labelled by {listed(names)}, but items says {listed(given)}; leave items out.")
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
                f"tied must be symmetric, got {counts[i, j]:g} and {counts[j, i]:g} for {labels[i]} and {labels[j]}; "
                "both sides of a pair share one number."
            )
        ties = np.argwhere(np.triu(counts, 1) > 0.0)
        weight = np.concatenate([weight, counts[ties[:, 0], ties[:, 1]]])
    both = np.concatenate([cells, ties]).astype(np.int32)
    if not len(both):
        raise InputError("wins holds no comparison: off the diagonal, all of its numbers are 0.")
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
    """K x K numbers >= 0 and their labels; the diagonal (as of journals that cite themselves) is nobody's win."""
    names = None
    if isinstance(x, pd.DataFrame):
        if x.columns.nlevels > 1 or x.index.nlevels > 1:
            raise InputError(f"{name} must have one level of labels in its rows and columns; join several into one.")
        names = x.columns if labels is None else labels
        if x.shape[0] == x.shape[1] and not x.index.equals(names):
            if not (x.index.is_unique and names.is_unique and set(x.index) == set(names)):
                raise InputError(
                    f"the rows and columns of {name} must be the same items, got rows {listed(x.index)} and columns "
                    f"{listed(names)}; for one row a comparison use from_comparisons."
                )
            x = x.loc[names]
        if labels is not None and x.shape[1] == len(labels):
            if set(x.columns) != set(labels):
                raise InputError(f"the columns of {name} must be the items {listed(labels)}, got {listed(x.columns)}.")
            x = x[list(labels)]
        elif not names.is_unique:
            raise InputError(f"the items of {name} must be different, got {names[names.duplicated()][0]!r} twice.")
    values = as_float(x, name).copy()
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise InputError(
            f"{name} must be a K x K matrix, row over column, got {shape_of(values)}; "
            "for one row a comparison use from_comparisons."
        )
    if labels is not None and len(values) != len(labels):
        raise InputError(f"{name} must be {len(labels)} x {len(labels)} to go with wins, got {shape_of(values)}.")
    np.fill_diagonal(values, 0.0)
    bad = ~(np.isfinite(values) & (values >= 0.0))
    if bad.any():
        i, j = np.argwhere(bad)[0]
        a, b = (i, j) if names is None else (names[i], names[j])
        raise InputError(
            f"{name} must hold finite numbers >= 0, got {values[i, j]:g} for {a} over {b}; 0 says that it "
            "never happened."
        )
    return values, names


def _read_items(items: Any, n: int) -> pd.Index:
    if isinstance(items, (str, set, frozenset)) or not isinstance(items, Iterable):
        raise InputError(f"items must be a list of {n} names in the order of the rows, got {items!r}.")
    labels: pd.Index = pd.Index(list(items))
    if len(labels) != n or not labels.is_unique:
        raise InputError(f"items must be {n} different names, got {len(labels)}, {labels.nunique()} of them different.")
    return labels


def read_comparisons(
    frame: pd.DataFrame | None,
    winner: Any,
    loser: Any,
    weight: Any,
    tie: Any,
    first: Any,
    second: Any,
    wins: Any,
    neutral: Any,
) -> Rows:
    """Long data in one of three forms: winner and loser; first, second and who won; first, second and their wins."""
    if wins is not None:
        rows = _counted(frame, winner, loser, tie, weight, first, second, wins)
    elif second is not None:
        rows = _with_outcome(frame, winner, loser, tie, first, second)
    else:
        rows = _winners_and_losers(frame, winner, loser, tie, first)
    n = rows.n_units
    if not len(rows.winner):
        raise InputError("there is no comparison in the data: it has no rows, or no wins.")
    if neutral is not None:
        if first is None:
            raise InputError("neutral says in which comparisons nobody went first, so first is needed too.")
        on = _flags(_column(frame, neutral, "neutral", n), "neutral")
        rows = replace(rows, home=np.where(on[rows.unit] if len(rows.unit) else on, 0, rows.home).astype(np.int8))
    if weight is not None:
        rows = _weighted(rows, as_float(_column(frame, weight, "weight", n), "weight"), frame)
    same = rows.winner == rows.loser
    if same.any():
        k = int(np.argmax(same))
        raise InputError(
            f"{_row(frame, rows.unit[k] if len(rows.unit) else k)} compares {rows.items[rows.winner[k]]} with itself; "
            "drop such rows."
        )
    if len(rows.items) < 2:
        raise InputError(f"comparisons need at least 2 items, got {len(rows.items)}.")
    return rows


def read_frame(data: Any) -> pd.DataFrame | None:
    """Data frames of all kinds as pandas', None as it is."""
    if data is None or isinstance(data, pd.DataFrame):
        return data
    if isinstance(data, Mapping):
        return pd.DataFrame(data)
    if hasattr(data, "to_pandas"):
        return data.to_pandas()
    raise InputError(f"data must be a data frame with one row a comparison, got {type(data).__name__}.")


def _column(frame: pd.DataFrame | None, value: Any, name: str, length: int | None = None) -> pd.Series:
    """A column of the data by its name, or an array as it is."""
    if value is None:
        raise InputError(
            f"{name} is missing: give winner and loser, or first, second and winner, or first, second and wins."
        )
    if frame is not None and isinstance(value, Hashable) and value in frame.columns:
        column = frame[value]
        if isinstance(column, pd.DataFrame):
            raise InputError(f"the data have more than one column {value!r}; give the columns different names.")
        return column
    if isinstance(value, list):
        # A list of tuples is a list of labels.
        value = pd.Series(value, dtype=object).infer_objects()
    if isinstance(value, str) or np.ndim(value) != 1:
        known = "" if frame is None else f", which are {listed(frame.columns)}"
        raise InputError(f"{name} must be one of the columns of the data{known}, or an array, got {value!r}.")
    column = value if isinstance(value, pd.Series) else pd.Series(value)
    wanted = length if frame is None else len(frame)
    if wanted is not None and len(column) != wanted:
        raise InputError(f"{name} must have one entry for each of the {wanted} comparisons, got {len(column)}.")
    return column


def _is_column(frame: pd.DataFrame | None, value: Any) -> bool:
    by_name = frame is not None and isinstance(value, Hashable) and value in frame.columns
    return by_name or isinstance(value, tuple) or np.ndim(value) == 1


def _row(frame: pd.DataFrame | None, k: int) -> str:
    """A row by its label; where labels repeat, by its place too."""
    if frame is None:
        return f"row {k}"
    return f"row {frame.index[k]}" if frame.index.is_unique else f"row {k} (labelled {shown(frame.index[k])})"


def _codes(a: pd.Series, b: pd.Series, frame: pd.DataFrame | None) -> tuple[Codes, Codes, pd.Index]:
    """Numbers of the items in two columns: in the order of their categories, else sorted where they can be."""
    if len(a) != len(b):
        raise InputError(f"both items of a comparison are needed, got {len(a)} of one side and {len(b)} of the other.")
    if isinstance(a.dtype, pd.CategoricalDtype) and isinstance(b.dtype, pd.CategoricalDtype):
        shared = a.cat.categories.union(b.cat.categories, sort=False)
        a, b = a.cat.set_categories(shared), b.cat.set_categories(shared)
        codes = np.concatenate([a.cat.codes.to_numpy(), b.cat.codes.to_numpy()]).astype(np.int64)
        used = np.bincount(codes[codes >= 0], minlength=len(shared)) > 0
        place, items = (np.cumsum(used) - 1).astype(np.int32), shared[used]
    else:
        both = [x.astype(object) if isinstance(x.dtype, pd.CategoricalDtype) else x for x in (a, b)]
        codes, labels = pd.factorize(pd.concat(both, ignore_index=True))
        items = pd.Index(labels)
        try:
            order = items.argsort()
        except TypeError:  # labels of several types: as they come
            order = np.arange(len(items))
        place = np.empty(len(items), np.int32)
        place[order] = np.arange(len(items))
        items = items[order]
    if len(codes) and codes.min() < 0:
        k = int(np.argmax(codes < 0)) % len(a)
        raise InputError(f"{_row(frame, k)} has no label for an item; fill it in, or drop the row.")
    numbers = place[codes]
    return numbers[: len(a)], numbers[len(a) :], items


def _flags(column: pd.Series, name: str) -> NDArray[np.bool_]:
    values = as_float(column, name)
    if not np.isin(values, (0.0, 1.0)).all():
        odd = column[~np.isin(values, (0.0, 1.0))].iloc[0]
        raise InputError(f"{name} must be true or false (1 or 0) in each row, got {shown(odd)}.")
    return values == 1.0


def _tie_flags(frame: pd.DataFrame | None, tie: Any, length: int) -> NDArray[np.bool_]:
    """Ties from a column of flags, or from a column and the value it has where there was a tie."""
    if tie is None:
        return np.zeros(length, np.bool_)
    if isinstance(tie, tuple) and len(tie) == 2:
        return (_column(frame, tie[0], "the column of tie", length) == tie[1]).to_numpy(dtype=np.bool_, na_value=False)
    return _flags(_column(frame, tie, "tie", length), "tie")


def _plain(items: pd.Index, winner: Codes, loser: Codes, tie: NDArray[np.bool_], home: NDArray[Any]) -> Rows:
    unit = np.empty(0, np.int64)
    return Rows(items, winner, loser, tie, home.astype(np.int8), np.empty(0), unit, len(winner), counted=True)


def _winners_and_losers(frame: pd.DataFrame | None, winner: Any, loser: Any, tie: Any, first: Any) -> Rows:
    won = _column(frame, winner, "winner")
    lost = _column(frame, loser, "loser", len(won))
    a, b, items = _codes(won, lost, frame)
    home = np.zeros(len(a), np.int8)
    if first is not None:
        went = _column(frame, first, "first", len(a))
        code = items.get_indexer(pd.Index(went.astype(object)))
        home = np.where(code == a, 1, np.where(code == b, -1, 0))
        odd = (home == 0) & went.notna().to_numpy()
        if odd.any():
            k = int(np.argmax(odd))
            raise InputError(
                f"first must be one of the two items of its row, or missing where nobody went first; "
                f"{_row(frame, k)} has {shown(went.iloc[k])} for {named(items[a[k]])} and {named(items[b[k]])}."
            )
    return _plain(items, a, b, _tie_flags(frame, tie, len(a)), home)


def _with_outcome(frame: pd.DataFrame | None, winner: Any, loser: Any, tie: Any, first: Any, second: Any) -> Rows:
    """`winner` holds an item, or the name of the column `first` or `second`, or the value (one of the values) `tie`."""
    if loser is not None:
        raise InputError("loser goes with winner alone; with first and second, winner says which of the two won.")
    one, two = _column(frame, first, "first"), _column(frame, second, "second")
    who = _column(frame, winner, "winner", len(one))
    a, b, items = _codes(one, two, frame)
    plain = who.astype(object)
    code = items.get_indexer(pd.Index(plain))
    won, lost = code == a, code == b
    if isinstance(first, str) and isinstance(second, str):
        rest = ~(won | lost)
        won, lost = won | (rest & (plain == first).to_numpy()), lost | (rest & (plain == second).to_numpy())
    if tie is None:
        tied = np.zeros(len(a), np.bool_)
    elif isinstance(tie, (list, set)) or not _is_column(frame, tie):
        tied = plain.isin(tie if isinstance(tie, (list, set)) else [tie]).to_numpy()
    else:
        tied = _tie_flags(frame, tie, len(a))
    odd = ~(won | lost | tied)
    if odd.any():
        k = int(np.argmax(odd))
        columns = f" ({first!r} or {second!r})" if isinstance(first, str) and isinstance(second, str) else ""
        cure = "say with tie=... which values are ties" if tie is None else "recode the others"
        raise InputError(
            f"winner must be an item, or the name of its column{columns}; {_row(frame, k)} has "
            f"{shown(who.iloc[k])} for {named(items[a[k]])} and {named(items[b[k]])}; {cure}."
        )
    turned = lost & ~tied
    return _plain(items, np.where(turned, b, a), np.where(turned, a, b), tied, np.where(turned, -1, 1))


def _counted(
    frame: pd.DataFrame | None,
    winner: Any,
    loser: Any,
    tie: Any,
    weight: Any,
    first: Any,
    second: Any,
    wins: Any,
) -> Rows:
    """Each row has both items and how often each won (and, third, how often they tied)."""
    if any(x is not None for x in (winner, loser, tie, weight)):
        raise InputError("wins says who won and how often, so winner, loser, tie and weight must be left out.")
    if not isinstance(wins, (list, tuple)) or len(wins) not in (2, 3):
        raise InputError(f"wins must be two columns (wins of first, wins of second) or three (ties), got {wins!r}.")
    a, b, items = _codes(_column(frame, first, "first"), _column(frame, second, "second"), frame)
    counts = np.column_stack([as_float(_column(frame, name, "wins", len(a)), "wins") for name in wins])
    bad = ~(np.isfinite(counts) & (counts >= 0.0))
    if bad.any():
        k = np.argwhere(bad)[0]
        raise InputError(f"wins must be finite numbers >= 0, got {counts[tuple(k)]:g} in {_row(frame, k[0])}.")
    unit, outcome = np.nonzero(counts)
    turned = outcome == 1
    return Rows(
        items=items,
        winner=np.where(turned, b[unit], a[unit]),
        loser=np.where(turned, a[unit], b[unit]),
        tie=outcome == 2,
        home=np.where(turned, -1, 1).astype(np.int8),
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
            f"weight must be a finite number >= 0 in each row, got {weight[k]:g} in {_row(frame, k)}; "
            "0 leaves the row out."
        )
    if not weight.any():
        raise InputError("weight is 0 in every row: there is nothing to compare.")
    kept = np.flatnonzero(weight)
    used = np.zeros(len(rows.items), np.bool_)
    used[rows.winner[kept]] = used[rows.loser[kept]] = True
    place = (np.cumsum(used) - 1).astype(np.int32)
    return replace(
        rows,
        items=rows.items[used],
        winner=place[rows.winner[kept]],
        loser=place[rows.loser[kept]],
        tie=rows.tie[kept],
        home=rows.home[kept],
        weight=weight[kept],
        unit=kept,
        counted=False,
    )


def read_groups(data: pd.DataFrame | None, groups: Any, rows: Rows) -> NDArray[np.int64]:
    """The group of each comparison, as a number."""
    if rows.n_units == 0:
        raise InputError("groups are of rows, and a matrix of wins has none; use from_comparisons.")
    column = _column(data, groups, "groups", rows.n_units)
    unit = rows.unit if len(rows.unit) else np.arange(len(rows.winner))
    # Groups of rows that do not count are no groups.
    code, labels = pd.factorize(column.iloc[unit])
    if (code < 0).any():
        row = _row(data, int(unit[int(np.argmax(code < 0))]))
        raise InputError(f"groups is missing in {row}; fill it in, or drop the row.")
    if len(labels) < 2:
        raise InputError("groups must be at least 2 among the rows that count, got 1.")
    return code
