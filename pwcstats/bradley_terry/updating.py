"""Fits that begin where an earlier fit ended: the model of old and new comparisons."""

from dataclasses import replace
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
    if old._weighted_sources or new._weighted_sources:
        raise InputError(
            f"a model of several sources cannot be updated, because their weights depend on all comparisons; use "
            f"{code('combine')} again."
        )
    both = old._from_rows(_join(old._rows, new._rows), _join_data(old._data, new._data))
    both._columns, both._previous = old._columns, results
    fit = both.fit(**results._arguments)
    # The old comparisons are in the new model.
    both._previous = None
    return fit


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
    rows = Rows(
        items=items,
        winner=np.concatenate([codes[0][old.winner], codes[1][new.winner]]),
        loser=np.concatenate([codes[0][old.loser], codes[1][new.loser]]),
        tie=np.concatenate([old.tie, new.tie]),
        home=np.concatenate([old.home, new.home]),
        weight=np.concatenate([old.weights, new.weights]) if len(old.weight) or len(new.weight) else old.weight,
        unit=np.empty(0, np.int64),
        n_units=old.n_units + new.n_units if is_long else 0,
        counted=old.counted and new.counted,
        side=np.concatenate([old.sides, new.sides]) if len(old.side) or len(new.side) else old.side,
    )
    if is_long and (len(old.unit) or len(new.unit)):
        rows = replace(rows, unit=np.concatenate([old.units, new.units + old.n_units]))
    if old.counted != new.counted or len(old.n_added) or len(new.n_added):
        squares = np.concatenate([part.sandwich_weights**2 for part in (old, new)])
        rows = replace(rows, n_added=np.concatenate([old.numbers, new.numbers]), squares=squares)
    return rows


def _join_data(old: pd.DataFrame | None, new: pd.DataFrame | None) -> pd.DataFrame | None:
    if old is None or new is None:
        return None
    both = pd.concat([old, new])
    both.attrs = {**old.attrs, **new.attrs}
    return both


def warm_start(previous: "BradleyTerryResults", likelihood: Likelihood, items: pd.Index) -> Array:
    """Starting values from an earlier fit of the same specification; new items have the usual ones."""
    old, n_old = previous._point.params, previous._likelihood.design.size
    if previous.spec.z is not None:
        # New comparisons may make the ability of an item with missing covariates finite.
        return old.copy() if len(old) == likelihood.n_params else likelihood.start()
    start, size = likelihood.start(), likelihood.design.size
    start[items.get_indexer(previous.model.items)] = old[: previous.model.n_items]
    # A ghost item is behind the others.
    start[len(items) : size] = old[previous.model.n_items : n_old]
    start[:size] -= start[:size].mean()
    start[size:] = old[n_old:]
    return start
