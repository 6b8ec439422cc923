"""Errors about rows of comparisons that cannot be used, for data in memory and for data that an engine adds up."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from pwcstats._text import named, shown
from pwcstats.errors import InputError, arg, code, value

# Rows of a lazy frame have no number.
SOME_ROW = "a row"


def number(x: float) -> str:
    """A number that is not allowed, in few digits."""
    return f"{x:g}" if np.isfinite(x) else value(x)


def no_comparison() -> InputError:
    """The data are empty."""
    return InputError("there is no comparison in the data: it has no rows, or no wins.")


def no_label(row: str) -> InputError:
    """The label of an item is missing."""
    return InputError(f"{row} has no label for an item; fill it in, or drop the row.")


def against_itself(row: str, item: Any) -> InputError:
    """Both items are the same."""
    return InputError(f"{row} compares {item} with itself; drop such rows.")


def first_is_neither(row: str, first: Any, winner: Any, loser: Any) -> InputError:
    """The item that went first is neither the winner nor the loser."""
    return InputError(
        f"{arg('first')} must be one of the two items of its row, or missing if nobody went first; "
        f"{row} has {shown(first)} for {named(winner)} and {named(loser)}."
    )


def unknown_winner(row: str, winner: Any, one: Any, two: Any, first: Any, second: Any, tie: Any) -> InputError:
    """The winner is neither of the items, and no tie; `first`, `second` and `tie` are what the user gave."""
    if pd.isna(winner):
        return InputError(f"{arg('winner')} is missing in {row}; fill it in, or drop the row.")
    columns = f" ({first!r} or {second!r})" if isinstance(first, str) and isinstance(second, str) else ""
    if tie is None:
        cure = f"set {arg('tie')} to the values that are ties, and recode the others"
    else:
        cure = f"recode it, or name it in {arg('tie')}, too, if it is a tie"
    return InputError(
        f"{arg('winner')} must be an item, or the name of its column{columns}; {row} has "
        f"{shown(winner)} for {named(one)} and {named(two)}; {cure}."
    )


def not_a_flag(name: str, given: Any) -> InputError:
    """A column of true and false has another value."""
    return InputError(f"{arg(name)} must be true or false (1 or 0) in each row, got {value(given)}.")


def not_a_count(row: str, x: float) -> InputError:
    """A number of wins is missing, infinite or negative."""
    return InputError(f"{arg('wins')} must be finite numbers >= 0, got {number(x)} in {row}.")


def not_a_weight(row: str, x: float) -> InputError:
    """A weight is missing, infinite or negative."""
    return InputError(
        f"{arg('weight')} must be a finite number >= 0 in each row, got {number(x)} in {row}; 0 leaves the row out."
    )


def no_weight() -> InputError:
    """All weights are 0."""
    return InputError(f"{arg('weight')} is 0 in every row, so no comparison is left.")


def column_is_gone(name: str, given: Any) -> InputError:
    """A column, or an array, is needed for comparisons that were added up."""
    if isinstance(given, Hashable):
        return InputError(
            f"the comparisons were added up by pair, so the column {shown(given)} is gone; pass "
            f"{arg('keep', [given])} to {code('from_comparisons')}."
        )
    return InputError(
        f"the comparisons were added up by pair, so {arg(name)} cannot be an array with one entry for each of them; "
        f"make it a column of the data, and name it in {arg('keep')}."
    )
