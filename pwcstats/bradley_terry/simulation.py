"""Comparisons that are drawn from a fitted model."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._kernels.comparisons import LOSS, TIE, WIN
from pwcstats._text import listed
from pwcstats.bradley_terry.resampling import LARGEST_COUNT
from pwcstats.errors import InputError, arg

if TYPE_CHECKING:
    from pwcstats.bradley_terry.results import BradleyTerryResults


def find_obstacle(results: "BradleyTerryResults") -> str:
    """Why tables cannot be simulated from the fit; empty if they can."""
    if results.spec.tie_model.halves and results.model._rows.tie.any():
        return f"{arg('ties', results.spec.ties)} has no probability of a tie"
    n = results._likelihood.table.n
    if np.any(n != np.round(n)) or n.sum() > LARGEST_COUNT:
        return "the numbers of comparisons are not whole numbers below 2^53"
    return ""


def count_sampler(results: "BradleyTerryResults") -> Callable[[np.random.SeedSequence], Array]:
    """A function that draws wins, losses and ties of each pair from the fitted probabilities."""
    p = results._likelihood.probabilities(results._point.params)
    n = results._likelihood.table.n.astype(np.int64)
    return lambda seed: np.random.default_rng(seed).multinomial(n, p).astype(np.float64)


def simulate(results: "BradleyTerryResults", n: int = 1, random_state: int | None = None) -> pd.DataFrame:
    """Draw new results of all comparisons from the fitted model (parametric bootstrap).

    Parameters
    ----------
    n : int
        Number of draws.
    random_state : int, optional
        Seed. If None, the results differ from call to call.

    Returns
    -------
    DataFrame
        `draw` (0, 1, ...), `first`, `second`, `wins_first`, `wins_second` and `ties`, one row for each draw and pair;
        each pair meets as often as in the data. If it is known in some comparisons who went first, there is also the
        column `neutral`, which is true in the others. Contest covariates have their own columns. See the example for
        how to fit a model to a draw.

    Examples
    --------
    >>> from pwcstats import BradleyTerry
    >>> wins = [[0, 30, 25, 28], [10, 0, 18, 22], [15, 22, 0, 24], [12, 18, 16, 0]]
    >>> res = BradleyTerry(wins, items=["ant", "bee", "cat", "dog"]).fit()
    >>> games = res.simulate(random_state=1)
    >>> games.head(2)
       draw first second  wins_first  wins_second  ties
    0     0   ant    bee          27           13     0
    1     0   ant    cat          25           15     0
    >>> counts = ["wins_first", "wins_second", "ties"]
    >>> again = BradleyTerry.from_comparisons(games, first="first", second="second", wins=counts)
    >>> again.nobs == res.nobs
    True
    """
    n, seed = _params.count(n, "n"), _params.seed(random_state)
    obstacle = find_obstacle(results)
    if obstacle:
        raise InputError(f"the fit cannot be simulated: {obstacle}.")
    table, items, draw = results._likelihood.table, results.model.items, count_sampler(results)
    counts = np.concatenate([draw(one) for one in np.random.SeedSequence(seed).spawn(n)]).astype(np.int64)
    frame = pd.DataFrame(
        {
            "draw": np.repeat(np.arange(n), len(table.first)),
            "first": items[np.tile(table.first, n)],
            "second": items[np.tile(table.second, n)],
            "wins_first": counts[:, WIN],
            "wins_second": counts[:, LOSS],
            "ties": counts[:, TIE],
        }
    )
    if table.ordered.any():
        frame.insert(3, "neutral", np.tile(table.ordered == 0.0, n))
    if results.spec.contest is not None:
        covariates = pd.DataFrame(np.tile(table.x, (n, 1)), columns=results.spec.contest.names)
        taken = [name for name in covariates if name in frame]
        if taken:
            raise InputError(f"a contest covariate has the name of another column, {listed(taken)}; rename it.")
        frame = pd.concat([frame, covariates], axis=1)
    return frame
