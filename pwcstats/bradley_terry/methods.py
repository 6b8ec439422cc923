"""Methods of estimation: one row of the table for each.

Each method maximises the log-likelihood plus a penalty. Priors join every item to a "ghost" item of average ability,
so that abilities exist even if some items only won, only lost, or never met.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import numpy as np
from scipy.special import expit

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats.errors import InputError, arg

Method = Literal["mle", "firth", "ridge", "ghost"]
# The default number of wins, and of losses, against the ghost.
PSEUDO = 0.5


class Prior(Protocol):
    """A penalty for each item's difference d from the ghost."""

    @property
    def note(self) -> str:
        """The prior in a summary."""
        ...

    def value(self, d: Array) -> float:
        """The penalty, which is added to the log-likelihood."""
        ...

    def score(self, d: Array) -> Array:
        """Its derivatives."""
        ...

    def variance(self, d: Array) -> Array:
        """Minus its second derivatives."""
        ...


@dataclass(frozen=True)
class GaussianPrior:
    """Abilities are normal around a common mean, with this standard deviation."""

    sd: float

    @property
    def note(self) -> str:
        """The prior in a summary."""
        return f"Abilities have a normal prior with standard deviation {self.sd:g}."

    def value(self, d: Array) -> float:
        """Minus half the sum of squares, in units of the variance."""
        return -0.5 * float(d @ d) / self.sd**2

    def score(self, d: Array) -> Array:
        """The derivatives."""
        return -d / self.sd**2

    def variance(self, d: Array) -> Array:
        """The precision."""
        return np.full(len(d), self.sd**-2)


@dataclass(frozen=True)
class GhostItem:
    """Every item won and lost this many comparisons against the ghost."""

    pseudo: float

    @property
    def note(self) -> str:
        """The prior in a summary."""
        return f"Every item won and lost {self.pseudo:g} comparisons against a ghost item."

    def value(self, d: Array) -> float:
        """Log-likelihood of these comparisons."""
        return -self.pseudo * float((np.logaddexp(0.0, d) + np.logaddexp(0.0, -d)).sum())

    def score(self, d: Array) -> Array:
        """The derivatives."""
        return -self.pseudo * np.tanh(0.5 * d)

    def variance(self, d: Array) -> Array:
        """Variance of the number of wins."""
        return 2.0 * self.pseudo * expit(d) * expit(-d)


def _make_gaussian(prior_sd: float | None, pseudo: float) -> Prior:
    if prior_sd is None:
        raise InputError(
            f"{arg('method', 'ridge')} needs {arg('prior_sd')}, the standard deviation of the abilities; with "
            f"{arg('prior_sd', 1)}, about two thirds of the items beat an average one with probability 0.27 to 0.73."
        )
    return GaussianPrior(prior_sd)


@dataclass(frozen=True)
class Estimation:
    """A row of the table.

    `title` is for summaries. `jeffreys` tells whether there is Jeffreys' penalty (Firth). `make_prior` takes the
    parameters `prior_sd` and `pseudo` of a fit.
    """

    title: str
    jeffreys: bool = False
    make_prior: Callable[[float | None, float], Prior | None] = lambda prior_sd, pseudo: None


METHODS: dict[str, Estimation] = {
    "mle": Estimation("MLE"),
    "firth": Estimation("Firth", jeffreys=True),
    "ridge": Estimation("Gaussian prior", make_prior=_make_gaussian),
    "ghost": Estimation("Ghost item", make_prior=lambda prior_sd, pseudo: GhostItem(pseudo)),
}
assert tuple(METHODS) == get_args(Method)


def read_prior(method: str, prior_sd: Any, pseudo: Any) -> Prior | None:
    """Check the options of the priors, and make the prior of the method, if it has one."""
    pseudo = _positive(pseudo, "pseudo")
    if pseudo != PSEUDO and method != "ghost":
        raise InputError(f"{arg('pseudo')} is for {arg('method', 'ghost')}, got {arg('method', method)}.")
    if prior_sd is not None:
        prior_sd = _positive(prior_sd, "prior_sd")
        if method != "ridge":
            raise InputError(f"{arg('prior_sd')} is for {arg('method', 'ridge')}, got {arg('method', method)}.")
    return METHODS[method].make_prior(prior_sd, pseudo)


def _positive(given: Any, name: str) -> float:
    return _params.number(given, name, "a number above 0", lambda x: 0.0 < x < np.inf)
