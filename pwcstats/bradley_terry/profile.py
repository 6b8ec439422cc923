"""Profile-likelihood intervals."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pwcstats._arrays import Array
from pwcstats._kernels import profile
from pwcstats._kernels.tails import chi2_isf
from pwcstats._text import listed
from pwcstats.bradley_terry.covariance import SOLVE_TOLERANCE
from pwcstats.bradley_terry.likelihood import Likelihood, Point
from pwcstats.errors import ConvergenceWarning, arg, warn

if TYPE_CHECKING:
    from pwcstats.bradley_terry.ability_results import AbilityResults


def profile_bounds(results: "AbilityResults", indices: NDArray[np.int64], alpha: float) -> Array:
    """Lower and upper bounds of the reported parameters with these indices."""
    drop = 0.5 * chi2_isf(alpha, 1)
    bounds, failed = np.empty((len(indices), 2)), []
    for row, index in enumerate(indices):
        contrast = _contrast(results, int(index))
        for column, side in enumerate((-1, 1)):
            end = profile.bounds(
                lambda params: _OnePoint(results._likelihood, results._likelihood.evaluate(params[0])),
                lambda step: np.array([results._likelihood.length(step[0])]),
                results._point.params,
                contrast[None],
                np.array([side]),
                drop,
            )
            bounds[row, column] = end.value[0]
            if not end.found[0]:
                failed.append(results.params.index[index])
    if failed:
        warn(
            ConvergenceWarning(
                f"the profiles of {listed(dict.fromkeys(failed))} did not converge; use {arg('method', 'wald')} for "
                "these parameters."
            )
        )
    return bounds


def _contrast(results: "AbilityResults", index: int) -> Array:
    """Coefficients of the likelihood's parameters that give the reported parameter with this index."""
    contrast = np.zeros(results._likelihood.n_params)
    ref, likelihood = results.spec.ref, results._likelihood
    n = likelihood.n_reported
    if ref is not None and index >= ref:
        index += 1
    if index >= n:
        # Behind the ghost, if there is one.
        contrast[index + likelihood.design.size - n] = 1.0
        return contrast
    if results.spec.z is None:
        if ref is None:
            contrast[:n] = -1.0 / n
        else:
            contrast[ref] = -1.0
    contrast[index] += 1.0
    return contrast


@dataclass
class _OnePoint:
    """A point in the form that the kernel asks for: as a batch of one, because a point takes much memory."""

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
        """Solve the equations with the information as matrix."""
        return self.likelihood.solve(self.point.slope or self.point, SOLVE_TOLERANCE)(b[0])[None]

    def take(self, which: NDArray[Any]) -> "_OnePoint":
        """Select points of the batch, which has only one."""
        return self
