"""Profile likelihoods, their intervals, and likelihood-ratio tests of single coefficients."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import chdtrc, chdtri

from pwcstats._arrays import Array
from pwcstats._kernels import profile
from pwcstats._kernels.blas import threads_for
from pwcstats.logit.evaluation import Points
from pwcstats.logit.maximum import HIGH_LEVERAGE, Likelihood, Point

# Number of threads, rows times points from which they are used, and rows times points that are evaluated together.
THREADS, WORTH_THREADS, LARGEST = 2, 2**15, 2**19
# Rows times parameters up to which each bound is checked from several starts.
SMALL = 3_000
# When a profile is followed: the first stride, as a share of the Wald interval, and the growth of strides.
FIRST_STRIDE, STRIDE_GROWTH = 0.25, 1.3


def fall(alpha: float) -> float:
    """How far the log-likelihood falls from its maximum to the bounds of a profile interval."""
    return 0.5 * float(chdtri(1, alpha))


def single_tests(likelihood: Likelihood, best: Point, hard: bool) -> tuple[Array, Array]:
    """Likelihood-ratio tests that each coefficient is 0: statistics and p-values."""
    beta = likelihood.beta(best.params)
    nulls = [
        likelihood.held_at(np.where(held, 0.0, beta), held, hard).value
        for held in np.eye(likelihood.n_params, dtype=np.bool_)
    ]
    statistic = np.maximum(2.0 * (best.value - np.array(nulls)), 0.0)
    return statistic, np.asarray(chdtrc(1, statistic))


def profile_bounds(likelihood: Likelihood, best: Point, drop: float) -> Array:
    """Lower and upper bounds of each coefficient, where the profile likelihood has fallen by `drop`."""
    bounds, _ = _profile_ends(likelihood, best, drop)
    return bounds.reshape(-1, 2)


def profile_curves(likelihood: Likelihood, best: Point, z: Array) -> Array:
    """All coefficients at points of each coefficient's profile.

    The axes of the array are the profiled coefficient, the signed root of the likelihood-ratio statistic (-z from large
    to small, 0, z from small to large), and the coefficients.
    """
    n = likelihood.n_params
    estimate = likelihood.beta(best.params)
    curves = np.tile(estimate, (n, 2 * len(z) + 1, 1))
    for step, root in enumerate(z, start=1):
        bounds, params = _profile_ends(likelihood, best, 0.5 * root**2)
        for k in range(2 * n):
            coefficients = likelihood.beta(params[k])
            coefficients[k // 2] = bounds[k]
            curves[k // 2, len(z) + (step if k % 2 else -step)] = coefficients
    return curves


def signed_roots(alpha: float, n_points: int) -> Array:
    """Signed roots of the likelihood ratio at which profiles are computed, on the positive side."""
    return float(np.sqrt(chdtri(1, alpha))) * np.arange(1, n_points + 1) / n_points


def profile_table(names: Sequence[str], z: Array, curves: Array) -> pd.DataFrame:
    """Curves of `profile_curves` as a table with one row for each point of each profile."""
    index = pd.MultiIndex.from_product([list(names), [*-z[::-1], 0.0, *z]], names=["coefficient", "z"])
    return pd.DataFrame(curves.reshape(-1, len(names)), index=index, columns=list(names))


def _profile_ends(likelihood: Likelihood, best: Point, drop: float) -> tuple[Array, Array]:
    """Lower and upper bounds of each coefficient in turn, and the parameters there, one row each.

    In small data with rows of high leverage, the other coefficients may have several maxima. A bound is wrong if they
    have a higher maximum there; it is then searched for further out.
    """
    n = likelihood.n_params
    side = np.tile([-1.0, 1.0], n)
    with threads_for(0):
        contrasts = np.repeat(likelihood.contrasts(), 2, axis=0)
        ends = profile.bounds(
            lambda params: _rows(likelihood, params),
            lambda steps: np.abs(steps * likelihood.scale).max(axis=1),
            best.params,
            contrasts,
            side,
            drop,
        )
    bounds, params = ends.value, ends.params
    in_doubt = likelihood.firth and best.leverage > HIGH_LEVERAGE and _is_small(likelihood)
    for k in map(int, np.flatnonzero(~ends.found | in_doubt)):
        search = _Search(likelihood, best, k // 2)
        if not ends.found[k]:
            bounds[k], params[k] = search.follow(side[k], drop, search.estimate)
        else:
            point = search.highest(likelihood.beta(ends.params[k]))
            if point.value > best.value - drop * (1.0 - profile.CLOSE):
                bounds[k], params[k] = search.follow(side[k], drop, likelihood.beta(point.params))
    return bounds, params


def _is_small(likelihood: Likelihood) -> bool:
    return len(likelihood.sample.x) * likelihood.n_params <= SMALL


@dataclass
class Rows:
    """Values of the likelihood at several points, one row each, and a function that returns its scores and slopes."""

    value: Array
    differentiate: Callable[[], tuple[Array, Array]]

    @cached_property
    def _derivatives(self) -> tuple[Array, Array]:
        return self.differentiate()

    @property
    def score(self) -> Array:
        """Scores."""
        return self._derivatives[0]

    @cached_property
    def _inverse(self) -> Array:
        try:
            return np.asarray(np.linalg.inv(self._derivatives[1]), dtype=np.float64)
        except np.linalg.LinAlgError as error:
            raise ArithmeticError(str(error)) from None

    def solve(self, b: Array) -> Array:
        """Solve a linear system with the curvature of each point."""
        return np.asarray((self._inverse @ b[:, :, None])[:, :, 0])

    def take(self, which: NDArray[Any]) -> "Rows":
        """A subset of the points."""
        score, slope = self._derivatives
        return Rows(self.value[which], lambda: (score[which], slope[which]))


def _rows(likelihood: Likelihood, params: Array) -> Rows:
    n, m = len(likelihood.sample.x), len(params)
    parts = max(min(THREADS, m) if n * m >= WORTH_THREADS else 1, n * m // LARGEST)

    def evaluate(part: Array) -> Points:
        # With large leverages there may be several stationary points. Steps that are not damped must then be those of
        # an approximation that ascends.
        with np.errstate(all="ignore"):
            return likelihood.sample.points(part, likelihood.firth, HIGH_LEVERAGE)

    def differentiate(points: Points) -> tuple[Array, Array]:
        with np.errstate(all="ignore"):
            return points.score, points.slope

    def evaluate_all(part: Array) -> tuple[Array, Array, Array]:
        points = evaluate(part)
        return points.value, *differentiate(points)

    if parts == 1:
        # At the bounds, derivatives are not needed.
        points = evaluate(params)
        return Rows(points.value, lambda: differentiate(points))
    with ThreadPoolExecutor(THREADS) as pool:
        found = zip(*pool.map(evaluate_all, np.array_split(params, parts)), strict=True)
        value, score, slope = map(np.concatenate, found)
        return Rows(value, lambda: (score, slope))


class _Search:
    """The profile of one coefficient, by a fit at each value of it. Slow, but reliable."""

    def __init__(self, likelihood: Likelihood, best: Point, index: int) -> None:
        self.likelihood, self.best, self.index = likelihood, best, index
        self.estimate = likelihood.beta(best.params)
        self.held = np.arange(likelihood.n_params) == index

    def highest(self, near: Array) -> Point:
        """The highest maximum with the coefficient fixed as in `near`, from several starts."""
        likelihood, index = self.likelihood, self.index
        basis = likelihood.free(self.held)
        starts = [likelihood.params(near)]
        if _is_small(likelihood):
            fixed = likelihood.params(np.where(self.held, near, 0.0))
            moved = likelihood.params(np.where(self.held, near, self.estimate))
            starts += [fixed + likelihood.origin(basis, fixed), fixed, moved]
            if self.estimate[index] * near[index] > 0.0:
                starts.append(self.best.params * (near[index] / self.estimate[index]))
        points = [likelihood.ascend(start, basis).point for start in starts]
        return max(points, key=lambda point: point.value)

    def follow(self, side: float, drop: float, near: Array) -> tuple[float, Array]:
        """The bound and the parameters there, searched for from `near` outwards; each fit starts at the last one."""
        likelihood, index = self.likelihood, self.index
        unit = side * float(np.sqrt(2.0 * drop * likelihood.cov(self.best)[index, index]))
        target = self.best.value - drop
        start = near[index]

        def at(distance: float, near: Array) -> Point:
            moved = np.where(self.held, start + distance * unit, near)
            scaled = near * (moved[index] / near[index]) if near[index] * moved[index] > 0.0 else moved
            points = self.highest(moved), likelihood.maximise(scaled, self.held).point
            return max(points, key=lambda point: point.value)

        inside, step, above = 0.0, FIRST_STRIDE, likelihood.at(near).value - target
        while (point := at(inside + step, near)).value > target:
            inside, near, step = inside + step, likelihood.beta(point.params), STRIDE_GROWTH * step
            above = point.value - target
        # The values at the ends are known. Computed again, that inside could be below the target by rounding.
        known = {inside: max(above, 0.0), inside + step: point.value - target}
        distance = brentq(
            lambda t: known[t] if t in known else at(t, near).value - target, *known, xtol=1e-9, rtol=1e-9
        )
        return float(start + distance * unit), at(distance, near).params
