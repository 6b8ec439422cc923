"""The multinomial likelihood, with or without Firth's penalty, and its maximisation."""

from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from pwcstats._arrays import Array
from pwcstats._kernels import multinomial, newton
from pwcstats._kernels.blas import threads_for
from pwcstats._kernels.separation import multinomial_constraints, overlap
from pwcstats.logit.reading import check_rank

# Tolerances on the scale of the linear predictors. The last Newton step leaves an error of about its square. Firth's
# steps shrink by a factor of about the largest leverage, so the sum of all further steps is bounded.
NEWTON_STEP, FIRTH_ERROR = 1e-6, 2e-8
MAXITER = 200
# Number of steps after which the curvature of the penalty is learned, and after which other maxima are searched for.
PATIENCE = 8
# Leverage of a row from which the penalised likelihood may have several maxima.
HIGH_LEVERAGE = 0.4
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
# If the part of each column that is orthogonal to the columns before it is larger than this share of its length, the
# columns are used without orthogonalisation.
WELL_CONDITIONED = 0.05


@dataclass
class Point:
    """The likelihood and its derivatives at some parameters, in internal coordinates; `value` is maximised."""

    params: Array
    value: float
    llf: float
    score: Array
    information: Array
    slope: Array
    probability: Array
    leverage: float


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
            moved, fall = point.params - self._last.params, self._last.score - point.score
            product = float(moved @ fall)
            # Skip the update where the likelihood is not concave.
            if product > NOT_CONCAVE * float(np.linalg.norm(moved) * np.linalg.norm(fall)):
                turned = self._inverse @ fall
                self._inverse += (1.0 + fall @ turned / product) / product * np.outer(moved, moved)
                self._inverse -= (np.outer(turned, moved) + np.outer(moved, turned)) / product
        self._last = point
        return self._inverse @ point.score


def newton_step(point: Point, basis: Array | None) -> Array:
    """Newton step within the span of a basis; NaN if the information is singular."""
    try:
        if basis is None:
            return np.asarray(np.linalg.solve(point.slope, point.score))
        return np.asarray(basis @ np.linalg.solve(basis.T @ point.slope @ basis, basis.T @ point.score))
    except np.linalg.LinAlgError:
        return np.full(len(point.params), np.nan)


def inverse_slope(point: Point, basis: Array | None) -> Array:
    """Inverse of the curvature within the span of a basis; NaN if it is singular."""
    try:
        if basis is None:
            return np.asarray(np.linalg.inv(point.slope))
        return np.asarray(basis @ np.linalg.inv(basis.T @ point.slope @ basis) @ basis.T)
    except np.linalg.LinAlgError:
        return np.full_like(point.slope, np.nan)


class MultinomialLikelihood:
    """Likelihood of classes 1, 2, ... against class 0; with two classes it is the binary logit.

    It works with ``x = q r``, so that neither the units nor the origins of the columns cost precision. The coefficients
    are ``r⁻¹ g`` for the parameters g of q. `beta` converts parameters to the coefficients that users see, class by
    class; `information`, `cov` and `score` are for these coefficients, too.
    """

    def __init__(
        self,
        x: Array,
        code: NDArray[np.int64],
        weight: Array,
        offset: Array,
        n_classes: int,
        firth: bool,
        names: list[str],
        where: str = "",
    ) -> None:
        counts = weight > 0.0
        if not counts.all():
            x, code, weight, offset = x[counts], code[counts], weight[counts], offset[counts]
        self.root, self.r = _well_scaled(x, names, where)
        self.code, self.weight, self.offset = code, weight, offset
        self.n_rest = n_classes - 1
        self.n_columns = x.shape[1]
        self.n_params = self.n_rest * self.n_columns
        self.firth = firth
        self.scale = np.tile(np.maximum(self.root.max(axis=0), -self.root.min(axis=0)), self.n_rest)
        # Rounding error of the sum over rows.
        self._noise = 1e-16 * float(weight.sum())
        # Jeffreys' penalty uses the information of the coefficients, not that of the parameters.
        self.constant = self.n_rest * float(np.log(np.abs(np.diagonal(self.r))).sum()) if firth else 0.0

    # Coordinates

    def beta(self, params: Array) -> Array:
        """Coefficients of some parameters."""
        return solve_triangular(self.r, params.reshape(self.n_rest, -1).T).T.ravel()

    def params(self, beta: Array) -> Array:
        """Parameters of some coefficients; the inverse of `beta`."""
        return (self.r @ np.reshape(beta, (self.n_rest, -1)).T).T.ravel()

    def contrast(self, index: int) -> Array:
        """One coefficient as a linear combination of the parameters."""
        unit = np.zeros((self.n_rest, self.n_columns))
        unit.flat[index] = 1.0
        return solve_triangular(self.r, unit.T, trans="T").T.ravel()

    def information(self, point: Point) -> Array:
        """Fisher information of the coefficients."""
        wide = np.kron(np.eye(self.n_rest), self.r)
        return wide.T @ point.information @ wide

    def cov(self, point: Point) -> Array:
        """Covariance of the coefficients: the inverse information."""
        wide = np.kron(np.eye(self.n_rest), solve_triangular(self.r, np.eye(self.n_columns)))
        return wide @ np.linalg.inv(point.information) @ wide.T

    def score(self, point: Point) -> Array:
        """Score with respect to the coefficients."""
        return (self.r.T @ point.score.reshape(self.n_rest, -1).T).T.ravel()

    # Values

    def at(self, beta: Array) -> Point:
        """Evaluate the likelihood at some coefficients."""
        return self.evaluate(self.params(beta))

    def evaluate(self, params: Array) -> Point:
        """Evaluate the likelihood and its derivatives at some parameters."""
        size = self.n_params
        g = np.ascontiguousarray(params.reshape(self.n_rest, -1).T)
        probability, score = np.empty((len(self.root), self.n_rest)), np.empty(size)
        information = np.empty((size, size))
        slope = np.empty((size, size)) if self.firth else information
        llf, log_determinant, leverage = multinomial.evaluate(
            self.root, self.code, self.weight, self.offset, g, self.firth, probability, score, information, slope
        )
        value = llf + 0.5 * log_determinant
        value = -np.inf if np.isnan(value) else value
        return Point(params, value, llf, score, information, slope, probability, leverage)

    def length(self, step: Array) -> float:
        """Largest change of a linear predictor by a step in one parameter."""
        return float(np.abs(step * self.scale).max(initial=0.0))

    # Maxima

    def fit(self, beta: Array | None = None, maxiter: int = MAXITER) -> newton.Ascent[Point]:
        """Maximise the likelihood, starting at `beta` if it is given.

        With Jeffreys' penalty, small, separated or heavy-tailed data can have several maxima. If the penalty has much
        weight and no start is given, several starts are tried and the highest maximum is returned.
        """
        found = self.maximise(beta, maxiter=maxiter)
        if beta is None and self.hard(found):
            everything = np.eye(self.n_params)
            starts = self._starts(found.point, everything, np.zeros(self.n_params))
            found = self._best_of(starts, everything, maxiter, found)
        return found

    def hard(self, found: newton.Ascent[Point]) -> bool:
        """Whether there may be other maxima: many steps were needed, or single rows have much leverage."""
        return self.firth and (found.n_iter > PATIENCE or found.point.leverage > HIGH_LEVERAGE)

    def _starts(self, point: Point, basis: Array, fixed: Array) -> list[Array]:
        """Starts for a search for other maxima: multiples of a point, limits of maximum likelihood, random points.

        All starts are `fixed` plus a vector in the span of `basis`.
        """
        size = basis.shape[1]
        if len(self.root) * self.n_rest * size > MOST_CONSTRAINTS:
            return [fixed + self.origin(basis, fixed)]
        constraints, _ = multinomial_constraints(self.root, self.code, self.n_rest + 1)
        inside = constraints @ basis
        _, _, u = overlap(inside, np.eye(size))
        starts = []
        if u.any():
            far = np.abs(inside @ u).max()
            starts = [reach / far * basis @ u for reach in (10.0, 20.0, 5.0)]
        elif size == self.n_params:
            plain = copy(self)
            plain.firth = False
            starts = [plain.maximise().point.params]
        if len(self.root) * self.n_params <= MANY:
            starts += [share * (point.params - fixed) for share in (2.0, 4.0, 10.0, 0.3)]
            starts += [self._without_outliers(share) - fixed for share in (1.0, 3.0)] if size == self.n_params else []
            random = np.random.default_rng(0).normal(size=(len(SPREAD), size))
            starts += [spread * basis @ z for spread, z in zip(SPREAD, random, strict=True)]
        return [fixed + start for start in (self.origin(basis, fixed), *starts)]

    def _without_outliers(self, share: float) -> Array:
        """Estimates from columns with clipped outliers, times `share`."""
        clipped = copy(self)
        middle = np.median(self.root, axis=0)
        reach = 2.0 * np.abs(self.root - middle).mean(axis=0)
        clipped.root = np.ascontiguousarray(np.clip(self.root, middle - reach, middle + reach))
        return share * clipped.maximise(maxiter=PATIENCE).point.params

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
        basis = self.free(held)
        found = self.ascend(self.params(beta), basis, MAXITER)
        if basis.shape[1] and (hard or self.hard(found) or not found.converged):
            found = self._best_of(self._starts(found.point, basis, fixed), basis, MAXITER, found)
        return found.point

    def maximise(
        self, beta: Array | None = None, held: NDArray[np.bool_] | None = None, maxiter: int = MAXITER
    ) -> newton.Ascent[Point]:
        """The maximum reached from `beta`; coefficients that are `held` stay fixed, but remain in the penalty."""
        basis = None if held is None else self.free(held)
        start = self.origin(basis, np.zeros(self.n_params)) if beta is None else self.params(beta)
        return self.ascend(start, basis, maxiter)

    def origin(self, basis: Array | None, fixed: Array) -> Array:
        """Parameters that compensate for the offset and for fixed parameters, by least squares."""
        if not self.offset.any() and not fixed.any():
            return np.zeros(self.n_params)
        predictor = self.offset[:, None] + self.root @ fixed.reshape(self.n_rest, -1).T
        blocks = np.eye(self.n_params) if basis is None else basis
        # The normal equations are precise enough, because the columns of `root` are far from aliased. With many classes
        # the full design would be too large.
        products = (self.root.T @ self.root) @ blocks.reshape(self.n_rest, self.n_columns, -1)
        gram = blocks.T @ products.reshape(self.n_params, -1)
        return np.asarray(blocks @ np.linalg.solve(gram, -blocks.T @ (self.root.T @ predictor).T.ravel()))

    def ascend(self, start: Array, basis: Array | None = None, maxiter: int = MAXITER) -> newton.Ascent[Point]:
        """Ascend by Newton steps from some parameters; the steps stay in the span of `basis`."""
        secant = Secant(basis)
        steps = 0

        def direction(point: Point) -> Array:
            nonlocal steps
            steps += 1
            if not np.isfinite(point.value):
                return np.full(self.n_params, np.nan)
            # Newton steps approximate the curvature of the penalty. If they are slow, BFGS learns it.
            return secant.step(point) if self.firth and steps > PATIENCE else newton_step(point, basis)

        with threads_for(0):
            tolerance = FIRTH_ERROR if self.firth else NEWTON_STEP
            found = newton.ascend(
                self.evaluate, direction, self.length, start, tolerance, maxiter, linear=self.firth, noise=self._noise
            )
        if self.firth and not found.converged and self._is_flat(found.point, basis):
            return replace(found, converged=True, reason="")
        return found

    def _is_flat(self, point: Point, basis: Array | None) -> bool:
        """Whether the likelihood cannot increase by more than rounding; steps may still be long there."""
        gain = 0.5 * float(point.score @ newton_step(point, basis))
        return 0.0 <= gain <= FLAT

    def free(self, held: NDArray[np.bool_]) -> Array:
        """Orthonormal basis of the parameters whose held coefficients are 0."""
        wide = np.kron(np.eye(self.n_rest), self.r)
        return np.asarray(np.linalg.qr(wide[:, ~held])[0])


def _well_scaled(x: Array, names: list[str], where: str) -> tuple[Array, Array]:
    """Factors q and r of the columns, where the columns of q have mean square 1; checks that the rank is full.

    q has orthogonal columns unless those of x are well conditioned already.
    """
    length = np.linalg.norm(x, axis=0)
    size = np.sqrt(len(x))
    if length.all():
        scaled = x * (size / length)
        try:
            rest = np.diagonal(np.linalg.cholesky(scaled.T @ scaled)) / size
            if rest.min(initial=1.0) > WELL_CONDITIONED:
                return np.ascontiguousarray(scaled), np.diag(length / size)
        except np.linalg.LinAlgError:
            pass
    q, r = np.linalg.qr(x)
    check_rank(x, names, where, r)
    return np.ascontiguousarray(q * size), r / size
