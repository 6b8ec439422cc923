"""Columns of a table as numbers for the learners.

A numeric column stays as it is. Any other becomes one column of 0 and 1 for each of its values except the first in
alphabetical order: with all values, the columns would sum to 1, which LDA and QDA cannot use.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pwcstats._arrays import Array
from pwcstats._text import listed
from pwcstats.cli import reading
from pwcstats.errors import InputError


class Column(NamedTuple):
    """A column that a model uses; `categories` are its values, or None if it is numeric."""

    name: str
    categories: list[str] | None


def describe(frame: pd.DataFrame, categorical: Collection[str] = ()) -> list[Column]:
    """The kinds of the columns; `categorical` names those that hold codes although they look numeric."""
    columns = []
    for name in frame.columns:
        reading.refuse_missing(frame[name])
        has_categories = name in categorical or not reading.is_numeric(frame[name])
        columns.append(Column(name, sorted(set(frame[name])) if has_categories else None))
    return columns


def encode(frame: pd.DataFrame, columns: Sequence[Column]) -> Array:
    """The numbers of a table that has these columns in any order, and possibly others."""
    parts: list[Any] = []
    for name, categories in columns:
        cells = frame[name]
        reading.refuse_missing(cells)
        if categories is None:
            numbers = reading.as_numbers(cells)
            if not np.isfinite(numbers).all():
                raise InputError(f"column {name} must hold finite numbers, got infinity; correct or drop these rows.")
            parts.append(numbers)
            continue
        unknown = sorted(set(cells) - set(categories))
        if unknown:
            raise InputError(
                f"column {name} must hold values of the training rows, {listed(categories)}, got {unknown[0]!r}."
            )
        parts += [(cells == value).to_numpy(dtype=np.float64) for value in categories[1:]]
    if not parts:
        raise InputError("there is nothing to learn from: every column has only one value.")
    return np.column_stack(parts)
