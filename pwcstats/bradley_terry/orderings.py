"""Reading of rankings: lists of items, long data or wide tables of ranks become checked arrays."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats import _params
from pwcstats._arrays import Array, as_float
from pwcstats._text import did_you_mean, listed, named, shape_of, shown
from pwcstats.bradley_terry.frames import load_frame
from pwcstats.errors import InputError, arg, code, value

Unranked = Literal["absent", "last"]

# Names of the columns of long data, if the user gives none.
COLUMNS = ("ranking", "item", "position")


@dataclass(frozen=True)
class Orderings:
    """Rankings with items as integer codes, the best first.

    The items of ranking r are ``item[start[r]:start[r + 1]]``. `tier` counts from 0 in each ranking; tied items have
    the same tier. If `is_open`, all items that a ranking does not name come behind those that it names. `unit` is the
    index of a ranking among the `n_units` rankings of the user's data. For long data, `row_ranking` is the index of the
    ranking of each row.
    """

    items: pd.Index
    start: NDArray[np.int64]
    item: NDArray[np.int32]
    tier: NDArray[np.int32]
    weight: Array
    is_open: bool
    unit: NDArray[np.int64]
    n_units: int
    row_ranking: NDArray[np.int64] | None = None

    @property
    def n(self) -> int:
        """Number of rankings."""
        return len(self.weight)


@dataclass(frozen=True)
class _Entries:
    """An entry for each item of each ranking: the ranking, the item and its position; lower positions are better.

    `describe` names a ranking in messages.
    """

    items: pd.Index
    ranking: NDArray[np.int64]
    item: NDArray[np.int32]
    position: Array
    n_rankings: int
    describe: Callable[[int], str]


def read_orderings(
    orderings: Any, weight: Any, ranking: Any, item: Any, position: Any, unranked: Any
) -> tuple[Orderings, pd.DataFrame | None]:
    """Read a list of orderings, or long data; returns the rankings, and the long data as a pandas data frame."""
    is_open = _params.choice(unranked, get_args(Unranked), "unranked") == "last"
    frame = load_frame(orderings)
    if frame is not None:
        names = [
            _column_name(frame, given, name) for given, name in zip((ranking, item, position), COLUMNS, strict=True)
        ]
        entries = _from_long(frame, *names)
        weights = None if weight is None else _long_weights(frame, weight, entries)
        # A shallow copy does not change if the user sorts the data frame or adds columns.
        return replace(_assemble(entries, weights, is_open), row_ranking=entries.ranking), frame.copy(deep=False)
    for given, name in zip((ranking, item, position), COLUMNS, strict=True):
        if given is not None:
            raise InputError(
                f"{arg(name)} is a column of long data, but {arg('orderings')} is not a data frame; leave {arg(name)} "
                "out."
            )
    entries = _from_lists(orderings)
    return _assemble(entries, _weights(weight, entries.n_rankings, _ordering_name), is_open), None


def read_rankings(ranks: Any, weight: Any, unranked: Any) -> Orderings:
    """Read a table of ranks with a row for each ranking and a column for each item."""
    is_open = _params.choice(unranked, get_args(Unranked), "unranked") == "last"
    frame = load_frame(ranks)
    ranks = ranks if frame is None else frame
    weights = None
    if frame is not None and isinstance(weight, Hashable) and weight in frame.columns:
        weights = _checked_weights(as_float(frame[weight], "weight"), lambda k: _ranking_name(frame.index, k))
        ranks = frame.drop(columns=[weight])
    items: pd.Index = ranks.columns.rename(None) if isinstance(ranks, pd.DataFrame) else pd.Index([])
    values = as_float(ranks, "ranks")
    if values.ndim != 2:
        raise InputError(
            f"{arg('ranks')} must have a row for each ranking and a column for each item, got {shape_of(values)}; for "
            f"lists of items use {code('from_orderings')}."
        )
    if frame is None:
        items = pd.RangeIndex(values.shape[1])
    elif not items.is_unique:
        raise InputError(f"the items must be different, got {shown(items[items.duplicated()][0])} twice.")
    labels: pd.Index = pd.RangeIndex(len(values)) if frame is None else frame.index

    def describe(k: int) -> str:
        return _ranking_name(labels, k)

    bad = ~(np.isnan(values) | (np.isfinite(values) & (values > 0.0)))
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise InputError(
            f"{arg('ranks')} must be finite numbers above 0, where 1 is the best; {describe(int(row))} has "
            f"{values[row, column]:g} for {named(items[column])}. Leave items that were not ranked empty (NaN)."
        )
    who, which = np.nonzero(~np.isnan(values))
    entries = _Entries(items, who, which.astype(np.int32), values[who, which], len(values), describe)
    if weights is None:
        weights = _weights(weight, len(values), describe)
    return _assemble(entries, weights, is_open)


# Forms of the data


def _column_name(frame: pd.DataFrame, given: Any, name: str) -> Hashable:
    wanted = name if given is None else given
    if isinstance(wanted, Hashable) and wanted in frame.columns:
        if isinstance(frame[wanted], pd.DataFrame):
            raise InputError(f"the data have more than one column {shown(wanted)}; give the columns different names.")
        return wanted
    if given is None:
        raise InputError(
            f"long data need a column for {arg(name)}, got the columns {listed(frame.columns)}; name it with "
            f"{arg(name)}, or use {code('from_rankings')} for a table with a column for each item."
        )
    raise InputError(
        f"{arg(name)} must be one of the columns of the data, which are {listed(frame.columns)}, got {value(given)}."
        f"{did_you_mean(given, frame.columns)}"
    )


def _from_long(frame: pd.DataFrame, ranking: Hashable, item: Hashable, position: Hashable) -> _Entries:
    """Read data with a row for each item of each ranking."""
    for name in (ranking, item, position):
        missing = frame[name].isna().to_numpy()
        if missing.any():
            raise InputError(
                f"row {shown(frame.index[int(np.argmax(missing))])} has no value in {shown(name)}; fill it in, or drop "
                "the row."
            )
    who, labels = pd.factorize(frame[ranking])
    column = frame[item]
    if isinstance(column.dtype, pd.CategoricalDtype):
        which, items = column.cat.codes.to_numpy(), column.cat.categories
    else:
        which, items = _sorted_codes(column)
    positions = as_float(frame[position], str(position))
    if not np.isfinite(positions).all():
        raise InputError(f"{shown(position)} must hold finite numbers; the smallest position is the best.")
    names: pd.Index = pd.Index(labels)
    return _Entries(
        pd.Index(items).rename(None),
        who.astype(np.int64),
        which.astype(np.int32),
        positions,
        len(names),
        lambda k: f"ranking {shown(names[k])}",
    )


def _from_lists(orderings: Any) -> _Entries:
    """Read lists of items, the best first; a list, tuple or set within a list holds tied items."""
    if isinstance(orderings, (str, bytes)) or not isinstance(orderings, Iterable):
        raise InputError(
            f"{arg('orderings')} must be a list of orderings such as [['a', 'b'], ['b', 'c', 'a']], or a data frame, "
            f"got {value(orderings)}."
        )
    flat: list[Any] = []
    lengths: list[int] = []
    # Numbers of the tiers, counted over all orderings.
    position: list[int] = []
    n_tiers = 0
    for k, ordering in enumerate(orderings):
        if isinstance(ordering, (str, bytes, set, frozenset, Mapping)) or not isinstance(ordering, Iterable):
            raise InputError(f"{_ordering_name(k)} must be a list of items, the best first, got {value(ordering)}.")
        before = len(flat)
        for tier in ordering:
            if isinstance(tier, (list, tuple, set, frozenset)):
                flat.extend(tier)
                position.extend([n_tiers] * len(tier))
            else:
                flat.append(tier)
                position.append(n_tiers)
            n_tiers += 1
        lengths.append(len(flat) - before)
        if not lengths[-1]:
            raise InputError(f"{_ordering_name(k)} is empty; leave it out.")
    if not lengths:
        raise InputError(f"{arg('orderings')} is empty; give at least one ordering.")
    who = np.repeat(np.arange(len(lengths)), lengths)
    column = pd.Series(flat, dtype=object)
    bad = np.flatnonzero(column.isna())
    if not len(bad):
        try:
            which, items = _sorted_codes(column.infer_objects())
        except TypeError:
            bad = np.array([k for k, label in enumerate(flat) if not isinstance(label, Hashable)])
    if len(bad):
        raise InputError(
            f"{_ordering_name(int(who[bad[0]]))} has {value(flat[bad[0]])} among its items; leave missing items out."
        )
    return _Entries(items, who, which, np.array(position, np.float64), len(lengths), _ordering_name)


def _sorted_codes(column: pd.Series) -> tuple[NDArray[np.int32], pd.Index]:
    """Codes of items and the items, sorted; items of several types keep the order of appearance."""
    codes, labels = pd.factorize(column)
    items: pd.Index = pd.Index(labels)
    try:
        order = items.argsort()
    except TypeError:
        order = np.arange(len(items))
    new_code = np.empty(len(items), np.int32)
    new_code[order] = np.arange(len(items))
    return new_code[codes], items[order]


def _ordering_name(k: int) -> str:
    return f"ordering {k}"


def _ranking_name(labels: pd.Index, k: int) -> str:
    return f"row {labels[k]}" if labels.is_unique else f"row {k}"


# Weights


def _weights(weight: Any, n: int, describe: Callable[[int], str]) -> Array | None:
    """Weights of the rankings, from an array."""
    if weight is None:
        return None
    if isinstance(weight, str) or np.ndim(weight) != 1 or len(weight) != n:
        got = value(weight) if isinstance(weight, str) or np.ndim(weight) == 0 else shape_of(np.asarray(weight))
        raise InputError(f"{arg('weight')} must have a number for each of the {n} rankings, got {got}.")
    return _checked_weights(as_float(weight, "weight"), describe)


def _long_weights(frame: pd.DataFrame, weight: Any, entries: _Entries) -> Array:
    """Weights of the rankings, from a column with the same weight in all rows of a ranking."""
    values = as_float(frame[_column_name(frame, weight, "weight")], "weight")
    _checked_weights(values, lambda k: entries.describe(int(entries.ranking[k])))
    first = np.empty(entries.n_rankings)
    # The first row of each ranking.
    first[entries.ranking[::-1]] = values[::-1]
    unequal = values != first[entries.ranking]
    if unequal.any():
        k = int(np.argmax(unequal))
        who = int(entries.ranking[k])
        raise InputError(
            f"{arg('weight')} must be the same in all rows of a ranking, got {first[who]:g} and {values[k]:g} for "
            f"{entries.describe(who)}."
        )
    return first


def _checked_weights(weight: Array, describe: Callable[[int], str]) -> Array:
    bad = ~(np.isfinite(weight) & (weight >= 0.0))
    if bad.any():
        k = int(np.argmax(bad))
        number = f"{weight[k]:g}" if np.isfinite(weight[k]) else value(float(weight[k]))
        raise InputError(
            f"{arg('weight')} must be a finite number >= 0, got {number} for {describe(k)}; 0 leaves the ranking out."
        )
    if not weight.any():
        raise InputError(f"{arg('weight')} is 0 for every ranking, so none is left.")
    return weight


# All forms


def _assemble(entries: _Entries, weight: Array | None, is_open: bool) -> Orderings:
    """Sort the entries of each ranking by position; leave out rankings without weight or information."""
    _check_repeated(entries)
    n = entries.n_rankings
    weight = np.ones(n) if weight is None else weight
    length = np.bincount(entries.ranking, minlength=n)
    if not length.all():
        raise InputError(f"{entries.describe(int(np.argmin(length)))} ranks no item; leave it out.")
    # The order of a single item says nothing about it, unless all other items were available, too.
    kept = (weight > 0.0) & (is_open | (length > 1))
    if not kept.any():
        raise InputError("no ranking has two items or more, so there is nothing to compare.")
    inside = kept[entries.ranking]
    who, item, position = entries.ranking[inside], entries.item[inside], entries.position[inside]
    # In an open ranking, items that no ranking names were available, too.
    used = np.full(len(entries.items), is_open)
    used[item] = True
    if used.sum() < 2:
        raise InputError(f"rankings need at least 2 items, got {used.sum()}.")
    order = np.lexsort((item, position, who))
    who, item, position = who[order], item[order], position[order]
    start = np.concatenate([[0], np.cumsum(length[kept])]).astype(np.int64)
    # A new tier begins where the position changes; count them from the first of each ranking.
    steps = np.cumsum((np.diff(position, prepend=position[:1]) != 0.0) | (np.diff(who, prepend=who[:1]) != 0))
    tier = steps - np.repeat(steps[start[:-1]], np.diff(start))
    unit = np.flatnonzero(kept)
    return Orderings(
        items=entries.items[used],
        start=start,
        item=(np.cumsum(used) - 1).astype(np.int32)[item],
        tier=tier.astype(np.int32),
        weight=weight[kept],
        is_open=is_open,
        unit=unit,
        n_units=n,
    )


def _check_repeated(entries: _Entries) -> None:
    """No ranking may name an item twice."""
    key = entries.ranking * len(entries.items) + entries.item
    repeated = pd.Series(key).duplicated().to_numpy()
    if repeated.any():
        k = int(np.argmax(repeated))
        raise InputError(
            f"{entries.describe(int(entries.ranking[k]))} names {named(entries.items[entries.item[k]])} twice; an item "
            "has one position in a ranking."
        )


def restrict(rankings: Orderings, kept: NDArray[np.bool_]) -> Orderings:
    """The same rankings with some of the items only; rankings that compare none of them are left out."""
    inside = kept[rankings.item]
    who = np.repeat(np.arange(rankings.n), np.diff(rankings.start))[inside]
    length = np.bincount(who, minlength=rankings.n)
    informative = length > (0 if rankings.is_open else 1)
    inside[inside] = informative[who]
    return replace(
        rankings,
        items=rankings.items[kept],
        start=np.concatenate([[0], np.cumsum(length[informative])]).astype(np.int64),
        item=(np.cumsum(kept) - 1).astype(np.int32)[rankings.item[inside]],
        tier=rankings.tier[inside],
        weight=rankings.weight[informative],
        unit=rankings.unit[informative],
    )
