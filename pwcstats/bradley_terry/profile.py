"""Profile-likelihood intervals of a Bradley–Terry fit."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pwcstats._arrays import Array
from pwcstats._kernels import profile
from pwcstats.bradley_terry.covariance import SOLVE_TOLERANCE
from pwcstats.bradley_terry.likelihood import Likelihood, Point


@dataclass
class OnePoint:
    """A point as a row: each takes so much memory that they go one by one."""

    likelihood: Likelihood
    point: Point

    @property
    def value(self) -> Array:
        """Log-likelihood."""
        return np.array([self.point.value])

    @property
    def score(self) -> Array:
        """Its derivatives."""
        return self.point.score[None]

    def solve(self, b: Array) -> Array:
        """Solve the information's equations."""
        return self.likelihood.solve(self.point.slope or self.point, SOLVE_TOLERANCE)(b[0])[None]

    def take(self, which: NDArray[Any]) -> "OnePoint":
        """There is no choice."""
        return self


def bound(likelihood: Likelihood, best: Point, contrast: Array, side: int, drop: float) -> tuple[float, bool]:
    """The largest (side 1) or least (side -1) ``contrast @ params`` with log-likelihood >= the best less `drop`."""
    end = profile.bounds(
        lambda params: OnePoint(likelihood, likelihood.evaluate(params[0])),
        lambda step: np.array([likelihood.length(step[0])]),
        best.params,
        contrast[None],
        np.array([side]),
        drop,
    )
    return float(end.value[0]), bool(end.found[0])
