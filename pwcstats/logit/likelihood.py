"""The multinomial likelihood, with or without Firth's penalty, and its maximisation."""

import math
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv, dpotrf, dtrtri, dtrtrs

from pwcstats._arrays import Array
from pwcstats._kernels import newton
from pwcstats._kernels.blas import threads_for
from pwcstats._kernels.separation import multinomial_constraints, overlap
from pwcstats.logit.evaluation import BinaryPoint, Points, Sample
from pwcstats.logit.reading import check_rank

# Tolerances on the scale of the linear predictors. The last Newton step leaves an error of about its square. Firth's
# steps shrink by a factor of about the largest leverage, so the sum of all further steps is bounded.
NEWTON_STEP, FIRTH_ERROR = 1e-5, 1e-9
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


class MultinomialPoint:
    """The likelihood and its derivatives at one vector of parameters; `value` is maximised."""

    def __init__(self, points: Points) -> None:
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

    def without_rows(self) -> "MultinomialPoint":
        """A copy without derivatives, and without arrays of the length of the data."""
        return MultinomialPoint(self._points.without_rows())


Point = BinaryPoint | MultinomialPoint


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


class MultinomialLikelihood:
    """Likelihood of classes 1, 2, ... against class 0; with two classes it is the binary logit.

    It works with ``x = q r``, so that neither the units nor the origins of the columns cost precision. The coefficients
    are ``r⁻¹ g`` for the parameters g of q. `beta` converts parameters to the coefficients that users see, class by
    class; `information`, `cov` and `score` are for these coefficients, too. `names` returns the names of the columns.
    """

    def __init__(
        self,
        x: Array,
        code: NDArray[np.int64],
        weight: Array,
        offset: Array | None,
        n_classes: int,
        firth: bool,
        names: Callable[[], Sequence[str]],
        where: str = "",
    ) -> None:
        counts = weight > 0.0
        if not counts.all():
            x, code, weight = x[counts], code[counts], weight[counts]
            offset = None if offset is None else offset[counts]
        root, self.r, gram = _well_scaled(x, names, where)
        self.n_rest = n_classes - 1
        self.sample = Sample(root, code, weight, offset, self.n_rest)
        self._gram = gram if (weight == 1.0).all() else self.sample.single_gram(weight)
        self.n_columns = x.shape[1]
        self.n_params = self.n_rest * self.n_columns
        self.firth = firth
        self.scale = np.concatenate([np.maximum(root.max(axis=0), -root.min(axis=0))] * self.n_rest)
        # Rounding error of the sum over rows.
        self._noise = 1e-16 * float(weight.sum())
        # Jeffreys' penalty uses the information of the coefficients, not that of the parameters.
        self.constant = self.n_rest * float(np.log(np.abs(np.diagonal(self.r))).sum()) if firth else 0.0

    # Coordinates

    def beta(self, params: Array) -> Array:
        """Coefficients of some parameters."""
        return dtrtrs(self.r, params.reshape(self.n_rest, -1).T)[0].T.ravel()

    def params(self, beta: Array) -> Array:
        """Parameters of some coefficients; the inverse of `beta`."""
        return (self.r @ np.reshape(beta, (self.n_rest, -1)).T).T.ravel()

    def contrasts(self) -> Array:
        """The coefficients as linear combinations of the parameters, one row each."""
        return np.kron(np.eye(self.n_rest), dtrtri(self.r)[0])

    def information(self, point: Point) -> Array:
        """Fisher information of the coefficients."""
        wide = np.kron(np.eye(self.n_rest), self.r)
        return wide.T @ point.information @ wide

    def cov(self, point: Point) -> Array:
        """Covariance of the coefficients: the inverse information."""
        inverse = np.linalg.inv(point.information)
        root, _ = dtrtri(self.r)
        blocks = inverse.reshape(self.n_rest, self.n_columns, self.n_rest, -1).swapaxes(1, 2)
        return (root @ blocks @ root.T).swapaxes(1, 2).reshape(inverse.shape)

    def score(self, point: Point) -> Array:
        """Score with respect to the coefficients."""
        return (self.r.T @ point.score.reshape(self.n_rest, -1).T).T.ravel()

    # Values

    def at(self, beta: Array) -> Point:
        """Evaluate the likelihood at some coefficients."""
        return self.evaluate(self.params(beta))

    def evaluate(self, params: Array) -> Point:
        """Evaluate the likelihood and its derivatives at some parameters."""
        if self.n_rest == 1:
            return BinaryPoint(self.sample, params, self.firth)
        return MultinomialPoint(self.sample.points(params[None], self.firth))

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
        if len(self.sample.x) * self.n_rest * size > MOST_CONSTRAINTS:
            return [fixed + self.origin(basis, fixed)]
        constraints, _ = multinomial_constraints(self.sample.x, self.sample.code, self.n_rest + 1)
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
        if len(self.sample.x) * self.n_params <= MANY:
            starts += [share * (point.params - fixed) for share in (2.0, 4.0, 10.0, 0.3)]
            starts += [self._without_outliers(share) - fixed for share in (1.0, 3.0)] if size == self.n_params else []
            random = np.random.default_rng(0).normal(size=(len(SPREAD), size))
            starts += [spread * basis @ z for spread, z in zip(SPREAD, random, strict=True)]
        return [fixed + start for start in (self.origin(basis, fixed), *starts)]

    def _without_outliers(self, share: float) -> Array:
        """Estimates from columns with clipped outliers, times `share`."""
        clipped, x, sample = copy(self), self.sample.x, self.sample
        middle = np.median(x, axis=0)
        reach = 2.0 * np.abs(x - middle).mean(axis=0)
        x = np.clip(x, middle - reach, middle + reach)
        clipped.sample = Sample(x, sample.code, sample.weight, sample.offset, self.n_rest)
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
        if beta is not None:
            start = self.params(beta)
        elif basis is None and self.sample.offset is None:
            start = self._first_step()
        else:
            start = self.origin(basis, np.zeros(self.n_params))
        return self.ascend(start, basis, maxiter)

    def _first_step(self) -> Array:
        """Newton step from 0, where the K classes have equal probabilities, and Firth's penalty has no slope.

        With G = X' diag(w) X, the information is the Kronecker product of (1 - 1/K) / K on and -1 / K² off the diagonal
        with G, and its inverse that of 2K and K with the inverse of G.
        """
        n_classes, sample = self.n_rest + 1, self.sample
        score = (sample.weight * (sample.outcome - 1.0 / n_classes)) @ sample.x
        steps = n_classes * dposv(self._gram, (score + score.sum(axis=0)).T, lower=1)[1]
        return steps.T.ravel()

    def origin(self, basis: Array | None, fixed: Array) -> Array:
        """Parameters that compensate for the offset and for fixed parameters, by least squares."""
        x, offset = self.sample.x, self.sample.offset
        if offset is None and not fixed.any():
            return np.zeros(self.n_params)
        predictor = x @ fixed.reshape(self.n_rest, -1).T
        predictor += 0.0 if offset is None else offset[:, None]
        blocks = np.eye(self.n_params) if basis is None else basis
        # The normal equations are precise enough, because the columns of `root` are far from aliased. With many classes
        # the full design would be too large.
        products = (x.T @ x) @ blocks.reshape(self.n_rest, self.n_columns, -1)
        gram = blocks.T @ products.reshape(self.n_params, -1)
        return np.asarray(blocks @ np.linalg.solve(gram, -blocks.T @ (x.T @ predictor).T.ravel()))

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

    def free(self, held: NDArray[np.bool_]) -> Array:
        """Orthonormal basis of the parameters whose held coefficients are 0."""
        wide = np.kron(np.eye(self.n_rest), self.r)
        return np.asarray(np.linalg.qr(wide[:, ~held])[0])


def _well_scaled(x: Array, names: Callable[[], Sequence[str]], where: str) -> tuple[Array, Array, Array]:
    """Factors q and r of the columns, where the columns of q have mean square 1, and q'q; checks that the rank is full.

    q has orthogonal columns unless those of x are well conditioned already.
    """
    n, p = x.shape
    size = np.sqrt(n)
    with np.errstate(all="ignore"):
        gram = x.T @ x
        length = np.sqrt(gram.diagonal())
        gram *= size / length * (size / length)[:, None]
    factor, failed = dpotrf(gram, lower=1)
    # Squares of columns in extreme units overflow or vanish.
    if not failed and factor.diagonal().min() > WELL_CONDITIONED * size:
        return (x.T.copy() * (size / length)[:, None]).T, np.diag(length / size), gram
    q, r = np.linalg.qr(x)
    check_rank(x, names(), where, r)
    return q * size, r / size, n * np.eye(p)
