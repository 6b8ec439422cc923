"""Profile-likelihood intervals."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats._arrays import Array
from pwcstats._kernels import profile
from pwcstats._kernels.tails import chi2_isf
from pwcstats._text import listed
from pwcstats.bradley_terry.covariance import SOLVE_TOLERANCE
from pwcstats.errors import ConvergenceWarning, arg, warn

if TYPE_CHECKING:
    from pwcstats.bradley_terry.ability_results import AbilityResults

IntervalMethod = Literal["wald", "profile"]

# Points of a profile on each side of the estimate, evenly spaced on the scale of z. One of them is beyond its end.
N_POINTS = 6


def profile_bounds(results: "AbilityResults", indices: NDArray[np.int64], alpha: float) -> Array:
    """Lower and upper bounds of the reported parameters with these indices."""
    contrasts = [_contrast(results, int(index)) for index in indices]
    return _bounds(results, contrasts, results.params.index[indices], alpha)


def ability_bounds(results: "AbilityResults", alpha: float) -> Array:
    """Lower and upper bounds of the abilities of all items."""
    items, ref, z = results.model.items, results.spec.ref, results.spec.z
    bounds = np.zeros((len(items), 2))
    if z is None:
        # The ability of the reference item is exactly 0.
        others = np.arange(len(items)) if ref is None else np.delete(np.arange(len(items)), ref)
        bounds[others] = profile_bounds(results, np.arange(len(others)), alpha)
        return bounds
    contrasts = np.zeros((len(items), results._likelihood.n_params))
    contrasts[:, : z.shape[1]] = z - z.mean(axis=0)
    # So is the ability of an item whose covariates have the mean values.
    vary = np.flatnonzero(contrasts.any(axis=1))
    bounds[vary] = _bounds(results, contrasts[vary], items[vary], alpha)
    return bounds


def profile_path(results: "AbilityResults", index: int, alpha: float) -> tuple[Array, Array]:
    """The profile of a reported parameter: z and all reported parameters, one row for each point.

    z is the signed root of twice the fall of the (penalised) log-likelihood. It goes a little beyond the two-sided
    quantile of `alpha`.
    """
    contrast, name = _contrast(results, index), results.params.index[index]
    z = np.sqrt(chi2_isf(alpha, 1)) / (N_POINTS - 1) * np.arange(1, N_POINTS + 1)
    ends = [[_end(results, contrast, side, 0.5 * root**2) for root in z] for side in (-1, 1)]
    _warn_if_lost([name for side in ends for end in side if not end.found[0]])
    lower, upper = (np.array([results._reported(end.params[0]) for end in side]) for side in ends)
    return np.concatenate([-z[::-1], [0.0], z]), np.vstack([lower[::-1], results.params.to_numpy(), upper])


def _bounds(results: "AbilityResults", contrasts: "Array | list[Array]", names: pd.Index, alpha: float) -> Array:
    """Lower and upper bounds of linear combinations of the likelihood's parameters."""
    drop = 0.5 * chi2_isf(alpha, 1)
    bounds, failed = np.empty((len(contrasts), 2)), []
    for row, contrast in enumerate(contrasts):
        for column, side in enumerate((-1, 1)):
            end = _end(results, contrast, side, drop)
            bounds[row, column] = end.value[0]
            if not end.found[0]:
                failed.append(names[row])
    _warn_if_lost(failed)
    return bounds


def _end(results: "AbilityResults", contrast: Array, side: int, drop: float) -> profile.Bounds:
    """The point on one side of the estimate at which the profile has fallen by `drop`."""
    return profile.bounds(
        lambda params: _OnePoint(results._likelihood, results._likelihood.evaluate(params[0])),
        lambda step: np.array([results._likelihood.length(step[0])]),
        results._point.params,
        contrast[None],
        np.array([side]),
        drop,
    )


def _warn_if_lost(failed: list[Any]) -> None:
    """Warn about parameters whose profiles did not converge."""
    if failed:
        warn(
            ConvergenceWarning(
                f"the profiles of {listed(dict.fromkeys(failed))} did not converge; use {arg('method', 'wald')} for "
                "these parameters."
            )
        )


def _contrast(results: "AbilityResults", index: int) -> Array:
    """Coefficients of the likelihood's parameters that give the reported parameter with this index."""
    contrast = np.zeros(results._likelihood.n_params)
    ref, likelihood = results.spec.ref, results._likelihood
    n = likelihood.n_reported
    if ref is not None and index >= ref:
        index += 1
    if index >= n:
        # Behind the ghost, if there is one.
        contrast[index + likelihood.n_params - likelihood.n_extra - n] = 1.0
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

    likelihood: Any
    point: Any

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
        return self.likelihood.curvature_solver(self.point, SOLVE_TOLERANCE)(b[0])[None]

    def take(self, which: NDArray[Any]) -> "_OnePoint":
        """Select points of the batch, which has only one."""
        return self
