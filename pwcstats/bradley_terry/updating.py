"""Fits that begin where an earlier fit ended: the model of old and new comparisons."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pwcstats._arrays import Array
from pwcstats.bradley_terry.likelihood import Likelihood
from pwcstats.bradley_terry.reading import Rows, sorted_order
from pwcstats.errors import InputError, code

if TYPE_CHECKING:
    from pwcstats.bradley_terry.model import BradleyTerry
    from pwcstats.bradley_terry.results import BradleyTerryResults


def update(results: "BradleyTerryResults", comparisons: Any) -> "BradleyTerryResults":
    """Fit the model to the old and to new comparisons, with the same options.

    The iteration starts from the estimates of this fit, so that a few new comparisons take only a few steps. The result
    is that of a fit to all comparisons.

    Parameters
    ----------
    comparisons : DataFrame or BradleyTerry
        New comparisons in the form in which the model read the old ones, with the same columns; or a model of them.
        They may have new items.

    Returns
    -------
    BradleyTerryResults

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats import BradleyTerry
    >>> games = pd.DataFrame({"won": list("abcab"), "lost": list("bcaca")})
    >>> res = BradleyTerry.from_comparisons(games, "won", "lost").fit()
    >>> res.update(pd.DataFrame({"won": ["d", "a"], "lost": ["a", "d"]})).params.round(3)
    a    0.000
    b    0.528
    c   -0.528
    d    0.000
    Name: params, dtype: float64
    """
    old: BradleyTerry = results.model
    new = comparisons if isinstance(comparisons, type(old)) else _read(old, comparisons)
    both = type(old).__new__(type(old))
    known = old._data is not None and new._data is not None
    both._set_rows(_join(old._rows, new._rows), pd.concat([old._data, new._data]) if known else None)
    both._columns, both._previous = old._columns, results
    return both.fit(**results._arguments)


def _read(model: "BradleyTerry", comparisons: Any) -> "BradleyTerry":
    """The model of new comparisons, read as the old ones were."""
    if model._columns is None:
        is_labelled = isinstance(comparisons, pd.DataFrame)
        return type(model)(comparisons, items=None if is_labelled else model.items)
    is_array = [isinstance(given, (np.ndarray, pd.Series, pd.Index)) for given in model._columns.values()]
    if model._data is None or any(is_array):
        raise InputError(
            f"{code('update')} reads columns by their names, but the model was made from arrays; pass a model of the "
            f"new comparisons, made by {code('from_comparisons')}."
        )
    return type(model).from_comparisons(comparisons, **model._columns)


def _join(old: Rows, new: Rows) -> Rows:
    """The comparisons of both, one after the other."""
    items = old.items.append(new.items[~new.items.isin(old.items)])
    if old.items.dtype == new.items.dtype:
        # pandas may have inferred another one.
        items = items.astype(old.items.dtype)
    order = sorted_order(old.items)
    if np.array_equal(order, np.arange(len(order))):
        # Labels that are not sorted, such as categories, keep their order.
        items = items[sorted_order(items)]
    codes = [items.get_indexer(rows.items).astype(np.int32) for rows in (old, new)]
    is_long = bool(old.n_units and new.n_units)
    has_units = is_long and bool(len(old.unit) or len(new.unit))
    units = [rows.unit if len(rows.unit) else np.arange(len(rows.winner)) for rows in (old, new)]
    weighted = len(old.weight) or len(new.weight)
    sided = len(old.side) or len(new.side)
    return Rows(
        items=items,
        winner=np.concatenate([codes[0][old.winner], codes[1][new.winner]]),
        loser=np.concatenate([codes[0][old.loser], codes[1][new.loser]]),
        tie=np.concatenate([old.tie, new.tie]),
        home=np.concatenate([old.home, new.home]),
        weight=np.concatenate([_filled(rows.weight, rows) for rows in (old, new)]) if weighted else np.empty(0),
        unit=np.concatenate([units[0], units[1] + old.n_units]) if has_units else np.empty(0, np.int64),
        n_units=old.n_units + new.n_units if is_long else 0,
        counted=old.counted and new.counted,
        side=np.concatenate([_filled(rows.side, rows) for rows in (old, new)]) if sided else old.side,
    )


def _filled(x: Any, rows: Rows) -> Any:
    """The entries of all rows, also if they are empty because all are 1."""
    return x if len(x) else np.ones(len(rows.winner), x.dtype)


def warm_start(previous: "BradleyTerryResults", likelihood: Likelihood, items: pd.Index) -> Array:
    """Starting values from an earlier fit of the same specification; new items have the usual ones."""
    old, n_old = previous._point.params, previous._likelihood.design.size
    if previous.spec.z is not None:
        return old.copy()
    start, size = likelihood.start(), likelihood.design.size
    start[items.get_indexer(previous.model.items)] = old[: previous.model.n_items]
    # A ghost item is behind the others.
    start[len(items) : size] = old[previous.model.n_items : n_old]
    start[:size] -= start[:size].mean()
    start[size:] = old[n_old:]
    return start
