"""Models of ties: one row of the table for each.

Let d be the difference of the abilities of two items (plus the order effect and contest covariates). A model gives the
probabilities of a win, a loss and a tie as functions of d and, if it has one, of its tie parameter.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from pwcstats import _native
from pwcstats._arrays import Array
from pwcstats._kernels import comparisons

Ties = Literal["none", "davidson", "rao-kupper", "half"]


@dataclass(frozen=True)
class TieModel:
    """A model of ties.

    `symbol` is the name of the tie parameter, whose log is estimated; it is empty if there is none. `own_estimate`
    gives the d at which a pair is expected to have given shares of points (a tie is half a point), and `slope` the
    derivative of the expected share by d. `scores` gives the derivatives of one comparison's log-likelihood by d and by
    the tie parameter, for each outcome. `start` gives a starting value from the share of ties.
    """

    name: str
    title: str
    kernel: _native.Ties
    probabilities: Callable[[Array, float], Array]
    own_estimate: Callable[[Array, Array, float], Array]
    slope: Callable[[Array], Array]
    scores: Callable[[Array, float], tuple[Array, Array]]
    start: Callable[[float], float]
    symbol: str = ""
    # Whether half a win for each item replaces a tie before the fit.
    halves: bool = False
    # Whether (win - loss) / 2 and tie are sufficient statistics, so that Jeffreys' penalty removes the bias.
    exponential: bool = True

    @property
    def has_parameter(self) -> bool:
        """Whether there is a tie parameter."""
        return bool(self.symbol)

    def __reduce__(self) -> tuple[Any, ...]:
        # Functions of the table cannot be pickled.
        return _tie_model, (self.name,)


def _tie_model(name: str) -> TieModel:
    return TIE_MODELS[name]


def _own_davidson(win: Array, loss: Array, log_nu: float) -> Array:
    ahead, behind = np.maximum(win, loss), np.minimum(win, loss)
    half = 0.5 * np.exp(log_nu) * (ahead - behind)
    return np.sign(win - loss) * 2.0 * np.log((half + np.sqrt(half**2 + 4.0 * ahead * behind)) / (2.0 * behind))


def _own_rao_kupper(win: Array, loss: Array, log_theta: float) -> Array:
    # With y = exp(d), the expected shares differ by c if theta (1 - c) y² - c (1 + theta²) y - theta (1 + c) = 0.
    ahead, behind = np.maximum(win, loss), np.minimum(win, loss)
    half = 0.5 * (ahead - behind) * (np.exp(log_theta) + np.exp(-log_theta))
    return np.sign(win - loss) * np.log((half + np.sqrt(half**2 + 4.0 * ahead * behind)) / (2.0 * behind))


def _slope_davidson(p: Array) -> Array:
    return np.asarray(p[:, 0] * p[:, 1] + 0.25 * p[:, 2] * (p[:, 0] + p[:, 1]))


def _slope_rao_kupper(p: Array) -> Array:
    return np.asarray(0.5 * (p[:, 0] * (1.0 - p[:, 0]) + p[:, 1] * (1.0 - p[:, 1])))


def _scores_davidson(p: Array, _: float) -> tuple[Array, Array]:
    mean = 0.5 * (p[:, :1] - p[:, 1:2])
    return np.array([[0.5, -0.5, 0.0]]) - mean, np.array([[0.0, 0.0, 1.0]]) - p[:, 2:]


def _scores_rao_kupper(p: Array, log_theta: float) -> tuple[Array, Array]:
    not_win, not_loss = 1.0 - p[:, 0], 1.0 - p[:, 1]
    for_d = np.column_stack([not_win, -not_loss, not_win - not_loss])
    for_tie = np.column_stack([-not_win, -not_loss, -2.0 / np.expm1(-2.0 * log_theta) - not_win - not_loss])
    return for_d, for_tie


def _probabilities_without_ties(d: Array, _: float) -> Array:
    return comparisons.davidson(d, -np.inf)


NO_TIES = TieModel(
    name="none",
    title="Bradley-Terry",
    kernel=_native.Ties.none,
    probabilities=_probabilities_without_ties,
    own_estimate=lambda win, loss, _: _own_davidson(win, loss, -np.inf),
    slope=_slope_davidson,
    scores=_scores_davidson,
    start=lambda share: -np.inf,
)

# How ties are treated, by name.
TIE_MODELS: dict[str, TieModel] = {
    "none": NO_TIES,
    "davidson": TieModel(
        name="davidson",
        title="Davidson",
        kernel=_native.Ties.davidson,
        probabilities=comparisons.davidson,
        own_estimate=_own_davidson,
        slope=_slope_davidson,
        scores=_scores_davidson,
        start=lambda share: float(np.log(2.0 * share / (1.0 - share))),
        symbol="nu",
    ),
    "rao-kupper": TieModel(
        name="rao-kupper",
        title="Rao-Kupper",
        kernel=_native.Ties.rao_kupper,
        probabilities=comparisons.rao_kupper,
        own_estimate=_own_rao_kupper,
        slope=_slope_rao_kupper,
        scores=_scores_rao_kupper,
        start=lambda share: float(2.0 * np.arctanh(share)),
        symbol="theta",
        exponential=False,
    ),
    "half": replace(NO_TIES, name="half", halves=True),
}
assert tuple(TIE_MODELS) == get_args(Ties)
