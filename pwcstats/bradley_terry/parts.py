"""Parts of a set of comparisons: some of the rows, or the items whose abilities exist."""

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats._summary import number
from pwcstats._text import counted, listed
from pwcstats.bradley_terry.existence import strong_components, weak_components
from pwcstats.bradley_terry.likelihood import LARGEST_FIRTH
from pwcstats.bradley_terry.reading import Rows
from pwcstats.bradley_terry.table import Table
from pwcstats.errors import InputError, LeftOutWarning, arg


def some_units(rows: Rows, data: pd.DataFrame | None, chosen: NDArray[np.bool_]) -> tuple[Rows, pd.DataFrame | None]:
    """The comparisons of some rows of the user's data; for a matrix, of some rows of `rows`."""
    part = rows.take(np.flatnonzero(chosen[rows.units]))
    if rows.n_units == 0:
        return part, data
    new_unit = np.cumsum(chosen) - 1
    part = replace(part, unit=new_unit[part.unit], n_units=int(chosen.sum()))
    return part, None if data is None else data[chosen]


def largest_part(rows: Rows, table: Table) -> tuple[Rows, pd.Index]:
    """The comparisons among the largest set of items whose abilities exist, and the items that are left out.

    In this set, a chain of wins or ties leads from every item to every other. Among sets of the same size, the one with
    the most comparisons is chosen.
    """
    n, component = strong_components(table)
    size = np.bincount(component)
    if size.max() == 1:
        raise InputError(_nothing_left(table))
    inside = component[table.first] == component[table.second]
    n_games = np.bincount(component[table.first[inside]], table.n[inside], n)
    chosen = np.lexsort((n_games, size))[-1]
    is_in = component == chosen
    kept = np.flatnonzero(is_in[rows.winner] & is_in[rows.loser])
    return rows.take(kept), rows.items[~is_in]


def left_out_warning(left_out: pd.Index, n_items: int, nobs: float, nobs_kept: float, what: str) -> LeftOutWarning:
    """What the largest part leaves out of a model of `n_items` and `nobs` observations; `what` is their plural."""
    return LeftOutWarning(
        f"{counted(len(left_out), 'item')} of {n_items} and {number(nobs - nobs_kept)} of {number(nobs)} {what} are "
        f"left out: the abilities of {listed(left_out)} relative to the other items would be infinite, or are unknown."
    )


def _nothing_left(table: Table) -> str:
    """Why there is no part, and which method has finite estimates instead."""
    if weak_components(table)[0] == 1 and table.n_items <= LARGEST_FIRTH:
        cure = arg("method", "firth")
    else:
        cure = f"{arg('method', 'ridge')} or {arg('method', 'ghost')}"
    return (
        "no two items have finite abilities by themselves, because no chain of wins or ties leads from an item to "
        f"another and back; use {cure} for finite estimates of all items."
    )
