"""Several sources of comparisons, with a weight for each."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pwcstats._arrays import Array
from pwcstats._text import listed
from pwcstats.bradley_terry.reading import ADDED_UP, Rows, sorted_order
from pwcstats.errors import InputError, arg, value

# The column that names the source of each row.
SOURCE = "source"


def read_source_weights(weights: Any, names: list[Any]) -> Array:
    """Weights of the sources; by default all are equal."""
    if weights is None:
        return np.ones(len(names))
    if not isinstance(weights, Mapping) or set(weights) != set(names):
        got = listed(weights) if isinstance(weights, Mapping) else value(weights)
        raise InputError(
            f"{arg('weights')} must be a dict with a weight for each of the models {listed(names)}, got {got}."
        )
    for name in names:
        w = weights[name]
        if isinstance(w, bool) or not isinstance(w, (int, float, np.number)) or not (np.isfinite(w) and w > 0):
            raise InputError(
                f"{arg('weights')} must be finite numbers > 0, got {value(w)} for {name}; leave out models without "
                "weight."
            )
    return np.array([float(weights[name]) for name in names])


def source_factors(parts: Mapping[Any, tuple[Rows, pd.DataFrame | None]], weights: Array) -> Array:
    """By which the weights of the comparisons of each source are multiplied.

    The log-likelihood of each source is divided by the total weight of its comparisons and multiplied by its weight.
    All of them are then multiplied by a constant, so that the weights of all rows add up to the number of comparisons.
    """
    totals = np.array([rows.total for rows, _ in parts.values()])
    return np.asarray(weights / weights.sum() * totals.sum() / totals)


def combine_rows(parts: Mapping[Any, tuple[Rows, pd.DataFrame | None]], factors: Array) -> tuple[Rows, pd.DataFrame]:
    """The rows of all sources, their weights multiplied by `factors`, and their data with a column of the sources."""
    sources = [rows for rows, _ in parts.values()]
    items = _union(sources)
    codes = [items.get_indexer(rows.items).astype(np.int32) for rows in sources]
    n_units = [rows.n_units or len(rows.winner) for rows in sources]
    starts = np.cumsum([0, *n_units[:-1]])
    combined = Rows(
        items=items,
        winner=np.concatenate([code[rows.winner] for code, rows in zip(codes, sources, strict=True)]),
        loser=np.concatenate([code[rows.loser] for code, rows in zip(codes, sources, strict=True)]),
        tie=np.concatenate([rows.tie for rows in sources]),
        home=np.concatenate([rows.home for rows in sources]),
        weight=np.concatenate([f * rows.weights for f, rows in zip(factors, sources, strict=True)]),
        unit=np.concatenate([start + rows.units for start, rows in zip(starts, sources, strict=True)]),
        n_units=sum(n_units),
        counted=False,
        n_added=np.concatenate([rows.numbers for rows in sources]),
        side=np.concatenate([rows.sides for rows in sources]),
        squares=np.concatenate([(f * rows.sandwich_weights) ** 2 for f, rows in zip(factors, sources, strict=True)]),
    )
    return combined, _combined_data(parts, n_units)


def _union(sources: list[Rows]) -> pd.Index:
    """All items: in the order of the first source if it has all of them, else sorted if they can be."""
    first = sources[0].items
    others = [rows.items for rows in sources[1:]]
    if all(items.isin(first).all() for items in others):
        return first
    items = first.append(others).unique()
    return items[sorted_order(items)]


def _combined_data(parts: Mapping[Any, tuple[Rows, pd.DataFrame | None]], n_units: list[int]) -> pd.DataFrame:
    frames = []
    for (name, (_, data)), n in zip(parts.items(), n_units, strict=True):
        if data is not None and SOURCE in data.columns:
            raise InputError(
                f"the data of {name} have a column {SOURCE!r}, which is to name the model that a row comes from; "
                "rename it."
            )
        frame = pd.DataFrame(index=pd.RangeIndex(n)) if data is None else data.reset_index(drop=True)
        frames.append(frame.assign(**{SOURCE: name}))
    combined = pd.concat(frames, ignore_index=True)
    if any(data is not None and ADDED_UP in data.attrs for _, data in parts.values()):
        combined.attrs[ADDED_UP] = True
    return combined
