"""Maximisation of a likelihood with or without Jeffreys' penalty, which may have several maxima."""

import math
from abc import ABC, abstractmethod
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv

from pwcstats._arrays import Array
from pwcstats._kernels import newton
from pwcstats._kernels.blas import threads_for
from pwcstats._kernels.separation import overlap
from pwcstats.logit.evaluation import BinaryPoint

# Tolerances on the scale of the linear predictors. The last Newton step leaves an error of about its square. Firth's
# steps shrink by a factor of about the largest leverage, so the sum of all further steps is bounded.
NEWTON_STEP, FIRTH_ERROR = 1e-5, 1e-9
MAXITER = 200
# Number of steps after which the curvature of the penalty is learned, and after which other maxima are searched for.
PATIENCE = 8
# Leverage of a row from which the penalised likelihood may have several maxima.
HIGH_LEVERAGE = 0.4
# A fitted probability this close to 0 or 1 may be due to separation.
EXTREME = 1e-8
# Rows times parameters from which a search from many starts would take too long.
MANY = 200_000
# Size of the constraints, 200 MB, from which a linear program would take too much time and memory.
MOST_CONSTRAINTS = 25_000_000
# Standard deviations of random starts, in logits.
SPREAD = (1.0, 3.0, 10.0) * 3
# BFGS updates need a positive product of step and score change; this is the smallest, relative to their lengths.
NOT_CONCAVE = 1e-10
# An increase of the likelihood this small corresponds to a step of 1e-4 standard errors. Rounding hides it if the
# information is almost singular.
FLAT = 1e-8
# Another maximum must be higher by more than rounding.
SMALL_RISE = 1e-8


class SinglePoint:
    """The likelihood and its derivatives at one vector of parameters; `value` is maximised.

    `points` has the attributes of `Points`, for one row of parameters.
    """

    def __init__(self, points: Any) -> None:
        self._points = points
        self.params: Array = points.params[0]
        self.value = float(points.value[0])
        if math.isnan(self.value):
            self.value = -math.inf

    @property
    def llf(self) -> float:
        """Log-likelihood without the penalty."""
        return float(self._points.llf[0])

    @property
    def probability(self) -> Array:
        """Probabilities of the classes but the first, in columns."""
        return self._points.probability[0].T

    @property
    def information(self) -> Array:
        """Fisher information."""
        return self._points.information[0]

    @property
    def score(self) -> Array:
        """Derivatives of the value."""
        return self._points.score[0]

    @property
    def slope(self) -> Array:
        """Minus the second derivatives, or an approximation."""
        return self._points.slope[0]

    @property
    def is_exact(self) -> bool:
        """Whether `slope` has been computed without an approximation."""
        return bool(self._points.is_exact[0])

    @property
    def leverage(self) -> float:
        """The largest leverage of a row."""
        return float(self._points.leverage[0])

    @leverage.setter
    def leverage(self, leverage: float) -> None:
        self._points.leverage = np.array([leverage])

    def without_rows(self) -> "SinglePoint":
        """A copy without derivatives, and without arrays of the length of the data."""
        return SinglePoint(self._points.without_rows())


Point = BinaryPoint | SinglePoint


class Secant:
    """Quasi-Newton steps (BFGS) within the span of a basis."""

    def __init__(self, basis: Array | None) -> None:
        self._basis = basis
        self._last: Point | None = None
        self._inverse = np.empty((0, 0))

    def step(self, point: Point) -> Array:
        """Step from a point that was reached by the last step, or by a part of it."""
        if self._last is None:
            self._inverse = inverse_slope(point, self._basis)
        else:
            moved = self._within(point.params - self._last.params)
            fall = self._within(self._last.score - point.score)
            product = float(moved @ fall)
            # Skip the update where the likelihood is not concave.
            if product > NOT_CONCAVE * math.sqrt((moved @ moved) * (fall @ fall)):
                turned = self._inverse @ fall
                # (1 + y'Hy / y's) ss' / y's - (Hy s' + s y'H) / y's, where s has moved, y has fallen, and Hy is turned.
                half = np.outer(moved, (0.5 + 0.5 * fall @ turned / product) * moved - turned) / product
                self._inverse += half + half.T
        self._last = point
        step = self._inverse @ self._within(point.score)
        return step if self._basis is None else self._basis @ step

    def _within(self, x: Array) -> Array:
        """Coordinates in the basis. In other coordinates, rounding errors would leave the span and grow."""
        return x if self._basis is None else x @ self._basis


def newton_step(point: Point, basis: Array | None) -> Array:
    """Newton step within the span of a basis; NaN if the information is singular."""
    slope, score = point.slope, point.score
    if basis is not None:
        if not basis.shape[1]:
            return np.zeros(len(point.params))
        slope, score = basis.T @ slope @ basis, score @ basis
    _, step, failed = dposv(slope.T, score, lower=1)
    if failed:
        try:
            step = np.linalg.solve(slope, score)
        except np.linalg.LinAlgError:
            return np.full(len(point.params), np.nan)
    return np.asarray(step if basis is None else basis @ step)


def inverse_slope(point: Point, basis: Array | None) -> Array:
    """Inverse of the curvature in the coordinates of a basis; NaN if it is singular."""
    slope = point.slope if basis is None else basis.T @ point.slope @ basis
    try:
        return np.asarray(np.linalg.inv(slope))
    except np.linalg.LinAlgError:
        return np.full_like(slope, np.nan)


class Likelihood(ABC):
    """A likelihood whose `parameters` are well scaled; the coefficients that users see are linear functions of them.

    Attributes
    ----------
    sample : object
        The rows, of which `x` is the design.
    firth : bool
        Whether Jeffreys' penalty is added.
    n_params, n_constraints : int
        Number of parameters, and of constraints that a direction of separation satisfies.
    scale : ndarray
        Largest change of a linear predictor by a change of 1 in each parameter.
    constant : float
        What must be added to the values of points for the (penalised) log-likelihood of the coefficients.
    """

    sample: Any
    firth: bool
    n_params: int
    n_constraints: int
    scale: Array
    constant: float
    _noise: float

    @abstractmethod
    def beta(self, params: Array) -> Array:
        """Coefficients of some parameters."""

    @abstractmethod
    def params(self, beta: Array) -> Array:
        """Parameters of some coefficients; the inverse of `beta`."""

    @abstractmethod
    def contrasts(self) -> Array:
        """The coefficients as linear combinations of the parameters, one row each."""

    @abstractmethod
    def cov(self, point: Point) -> Array:
        """Covariance of the coefficients: the inverse information."""

    @abstractmethod
    def row_scores(self, point: Point) -> Array:
        """What each row of positive weight adds to the score with respect to the coefficients; one row each."""

    @abstractmethod
    def evaluate(self, params: Array) -> Point:
        """Evaluate the likelihood and its derivatives at some parameters."""

    @abstractmethod
    def free(self, held: NDArray[np.bool_]) -> Array:
        """Orthonormal basis of the parameters whose held coefficients are 0."""

    @abstractmethod
    def origin(self, basis: Array | None, fixed: Array) -> Array:
        """A vector in the span of `basis` that, added to fixed parameters, gives a start without large predictors."""

    @abstractmethod
    def constraints(self) -> Any:
        """Constraints on parameters, one row each: all values are at least 0 in a direction of separation."""

    @abstractmethod
    def first_step(self) -> Array:
        """The start of an ascent, if there is no offset and no coefficient is fixed."""

    def more_starts(self) -> list[Array]:
        """Further parameters from which another maximum may be reached."""
        return []

    def at(self, beta: Array) -> Point:
        """Evaluate the likelihood at some coefficients."""
        return self.evaluate(self.params(beta))

    def length(self, step: Array) -> float:
        """Largest change of a linear predictor by a step in one parameter."""
        return float(np.abs(step * self.scale).max(initial=0.0))

    def fit(self, beta: Array | None = None, maxiter: int = MAXITER) -> newton.Ascent[Point]:
        """Maximise the likelihood, starting at `beta` if it is given.

        With Jeffreys' penalty, small, separated or heavy-tailed data can have several maxima. If the penalty has much
        weight and no start is given, several starts are tried and the highest maximum is returned.
        """
        found = self.maximise(beta, maxiter=maxiter)
        if beta is None and self.hard(found):
            everything = np.eye(self.n_params)
            starts = self._starts(found.point, everything, np.zeros(self.n_params))
            found = self._best_of(starts, None, maxiter, found)
        return found

    def hard(self, found: newton.Ascent[Point]) -> bool:
        """Whether there may be other maxima: many steps were needed, or single rows have much leverage."""
        return self.firth and (found.n_iter > PATIENCE or found.point.leverage > HIGH_LEVERAGE)

    def _starts(self, point: Point, basis: Array, fixed: Array) -> list[Array]:
        """Starts for a search for other maxima: multiples of a point, limits of maximum likelihood, random points.

        All starts are `fixed` plus a vector in the span of `basis`.
        """
        size = basis.shape[1]
        if self.n_constraints * size > MOST_CONSTRAINTS:
            return [fixed + self.origin(basis, fixed)]
        inside = self.constraints() @ basis
        _, _, u = overlap(inside, np.eye(size))
        starts = []
        if u.any():
            far = np.abs(inside @ u).max()
            starts = [reach / far * basis @ u for reach in (10.0, 20.0, 5.0)]
        elif size == self.n_params:
            plain = copy(self)
            plain.firth = False
            starts = [plain.maximise().point.params]
        if len(self.sample.x) * self.n_params <= MANY:
            starts += [share * (point.params - fixed) for share in (2.0, 4.0, 10.0, 0.3)]
            starts += [start - fixed for start in self.more_starts()] if size == self.n_params else []
            random = np.random.default_rng(0).normal(size=(len(SPREAD), size))
            starts += [spread * basis @ z for spread, z in zip(SPREAD, random, strict=True)]
        return [fixed + start for start in (self.origin(basis, fixed), *starts)]

    def _best_of(
        self, starts: list[Array], basis: Array | None, maxiter: int, found: newton.Ascent[Point]
    ) -> newton.Ascent[Point]:
        """The highest of `found` and the maxima from some starts."""
        for start in starts:
            other = self.ascend(start, basis, maxiter)
            if other.converged and (not found.converged or other.point.value > found.point.value + SMALL_RISE):
                found = other
        return found

    def held_at(self, beta: Array, held: NDArray[np.bool_], hard: bool) -> Point:
        """The maximum with the coefficients that are `held` fixed as in `beta`; if `hard`, from several starts."""
        fixed = self.params(np.where(held, beta, 0.0))
        return self._within(self.free(held), self.params(beta), fixed, hard)

    def nested_at(self, beta: Array, span: Array, hard: bool) -> Point:
        """The maximum over coefficients in a span, from `beta` in it; if `hard`, from several starts."""
        basis = np.linalg.qr(np.column_stack([self.params(column) for column in span.T]))[0]
        return self._within(np.asarray(basis), self.params(beta), np.zeros(self.n_params), hard)

    def _within(self, basis: Array, start: Array, fixed: Array, hard: bool) -> Point:
        """The maximum over `fixed` plus the span of a basis."""
        found = self.ascend(start, basis, MAXITER)
        if basis.shape[1] and (hard or self.hard(found) or not found.converged):
            found = self._best_of(self._starts(found.point, basis, fixed), basis, MAXITER, found)
        return found.point

    def maximise(
        self, beta: Array | None = None, held: NDArray[np.bool_] | None = None, maxiter: int = MAXITER
    ) -> newton.Ascent[Point]:
        """The maximum reached from `beta`; coefficients that are `held` stay fixed, but remain in the penalty."""
        basis = None if held is None else self.free(held)
        if beta is not None:
            start = self.params(beta)
        elif basis is None and self.sample.offset is None:
            start = self.first_step()
        else:
            start = self.origin(basis, np.zeros(self.n_params))
        return self.ascend(start, basis, maxiter)

    def ascend(self, start: Array, basis: Array | None = None, maxiter: int = MAXITER) -> newton.Ascent[Point]:
        """Ascend by Newton steps from some parameters; the steps stay in the span of `basis`."""
        secant = Secant(basis)
        steps, is_slow, last = 0, False, None

        def direction(point: Point) -> Array:
            nonlocal steps, is_slow, last
            steps, last = steps + 1, point
            if not math.isfinite(point.value):
                return np.full(self.n_params, np.nan)
            if is_slow:
                return secant.step(point)
            step = newton_step(point, basis)
            # Newton steps may approximate the curvature of the penalty. If they are slow, BFGS learns it.
            is_slow = steps > PATIENCE and not point.is_exact
            return secant.step(point) if is_slow else step

        with threads_for(0), np.errstate(all="ignore"):
            found = newton.ascend(
                self.evaluate, direction, self.length, start, NEWTON_STEP, maxiter,
                linear=lambda point: not point.is_exact, error=FIRTH_ERROR, noise=self._noise,
            )  # fmt: skip
        if found.converged and last is not None:
            # The last step was so short that leverages are the same.
            found.point.leverage = last.leverage
        if self.firth and not found.converged and self._is_flat(found.point, basis):
            return replace(found, converged=True, reason="")
        return found

    def _is_flat(self, point: Point, basis: Array | None) -> bool:
        """Whether the likelihood cannot increase by more than rounding; steps may still be long there."""
        gain = 0.5 * float(point.score @ newton_step(point, basis))
        return 0.0 <= gain <= FLAT
