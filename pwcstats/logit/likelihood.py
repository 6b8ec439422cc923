"""The multinomial likelihood that the models of this package maximise, with Firth's penalty or without."""

from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from pwcstats._arrays import Array
from pwcstats._kernels import multinomial, newton
from pwcstats._kernels.blas import threads_for
from pwcstats._kernels.separation import multinomial_constraints, overlap
from pwcstats.logit.reading import refuse_aliased

# On the scale of the predictors: Newton's last step, which leaves an error of about its square, and what is left after
# Firth's, which shrink by a factor of about the largest leverage.
NEWTON_STEP, FIRTH_ERROR = 1e-6, 2e-8
MAX_ITER = 200
# Steps after which the penalty's own curvature is learned, and other maxima are worth a search.
PATIENCE = 8
# A row's leverage from which the penalty may make several maxima.
HIGH_LEVERAGE = 0.4
# Rows times parameters from which many beginnings would take too long.
MANY = 200_000
# Numbers in the constraints of a linear programme, 200 MB, from which it would take too long and too much memory.
MOST_CONSTRAINTS = 25_000_000
# Beginnings here and there, in logits.
SPREAD = (1.0, 3.0, 10.0) * 3
# Of the product of their lengths, the product of a step and the score's fall along it.
NOT_CONCAVE = 1e-10
# A gain of likelihood so small is a step of 1e-4 standard errors; rounding hides it where the information is all but
# singular.
FLAT = 1e-8
# Another maximum is higher by more than rounding.
SMALL_RISE = 1e-8
# What is left of a column after those before it, as a share: above this, the columns may be used as they are.
WELL_CONDITIONED = 0.05


@dataclass
class Point:
    """The likelihood at some parameters, in the coordinates that it works in; `value` is what is maximised."""

    params: Array
    value: float
    llf: float
    score: Array
    information: Array
    slope: Array
    probability: Array
    leverage: float


class Secant:
    """Quasi-Newton steps (BFGS) within the span of a basis: changes of the score tell the curvature."""

    def __init__(self, basis: Array | None) -> None:
        self._basis = basis
        self._last: Point | None = None
        self._inverse = np.empty((0, 0))

    def step(self, point: Point) -> Array:
        """The step from a point that the last step, or a part of it, led to."""
        if self._last is None:
            self._inverse = inverse_slope(point, self._basis)
        else:
            moved, fall = point.params - self._last.params, self._last.score - point.score
            product = float(moved @ fall)
            # Where the likelihood is not concave, nothing is learned.
            if product > NOT_CONCAVE * float(np.linalg.norm(moved) * np.linalg.norm(fall)):
                turned = self._inverse @ fall
                self._inverse += (1.0 + fall @ turned / product) / product * np.outer(moved, moved)
                self._inverse -= (np.outer(turned, moved) + np.outer(moved, turned)) / product
        self._last = point
        return self._inverse @ point.score


def newton_step(point: Point, basis: Array | None) -> Array:
    """The step within the span of a basis; nan where the information is singular."""
    try:
        if basis is None:
            return np.asarray(np.linalg.solve(point.slope, point.score))
        return np.asarray(basis @ np.linalg.solve(basis.T @ point.slope @ basis, basis.T @ point.score))
    except np.linalg.LinAlgError:
        return np.full(len(point.params), np.nan)


def inverse_slope(point: Point, basis: Array | None) -> Array:
    """Inverse of the curvature within the span of a basis; nan where it is singular."""
    try:
        if basis is None:
            return np.asarray(np.linalg.inv(point.slope))
        return np.asarray(basis @ np.linalg.inv(basis.T @ point.slope @ basis) @ basis.T)
    except np.linalg.LinAlgError:
        return np.full_like(point.slope, np.nan)


class MultinomialLikelihood:
    """Classes 1, 2, ... against class 0, all with the same columns; two classes are the binary logit.

    It works with combinations of the columns of which neither units nor a far-off origin cost digits: ``x = q r``, and
    the coefficients b are ``r⁻¹ g`` for the parameters g of q. `beta` (class after class) is what users see;
    `information` and `cov` are for them too.
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
        # Rounding of the rows' terms.
        self._noise = 1e-16 * float(weight.sum())
        # Jeffreys' penalty is of the information on the coefficients.
        self.constant = self.n_rest * float(np.log(np.abs(np.diagonal(self.r))).sum()) if firth else 0.0

    # Coordinates

    def beta(self, params: Array) -> Array:
        """Coefficients."""
        return solve_triangular(self.r, params.reshape(self.n_rest, -1).T).T.ravel()

    def params(self, beta: Array) -> Array:
        """The inverse of `beta`."""
        return (self.r @ np.reshape(beta, (self.n_rest, -1)).T).T.ravel()

    def contrast(self, place: int) -> Array:
        """The combination of parameters that one coefficient is."""
        unit = np.zeros((self.n_rest, self.n_columns))
        unit.flat[place] = 1.0
        return solve_triangular(self.r, unit.T, trans="T").T.ravel()

    def information(self, point: Point) -> Array:
        """Fisher information on the coefficients."""
        wide = np.kron(np.eye(self.n_rest), self.r)
        return wide.T @ point.information @ wide

    def cov(self, point: Point) -> Array:
        """Its inverse."""
        wide = np.kron(np.eye(self.n_rest), solve_triangular(self.r, np.eye(self.n_columns)))
        return wide @ np.linalg.inv(point.information) @ wide.T

    def score(self, point: Point) -> Array:
        """Derivatives for the coefficients."""
        return (self.r.T @ point.score.reshape(self.n_rest, -1).T).T.ravel()

    # Values

    def at(self, beta: Array) -> Point:
        """Everything about some coefficients."""
        return self.evaluate(self.params(beta))

    def evaluate(self, params: Array) -> Point:
        """Everything about one point, computed once."""
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
        """The largest change of a predictor that one parameter's step can make."""
        return float(np.abs(step * self.scale).max(initial=0.0))

    # Maxima

    def fit(self, beta: Array | None = None, max_iter: int = MAX_ITER) -> newton.Ascent[Point]:
        """The maximum; from `beta` if given.

        Jeffreys' penalty makes small, separated or heavy-tailed data have several maxima now and then. Where it weighs
        much, the highest of those from several beginnings is taken.
        """
        found = self.maximise(beta, max_iter=max_iter)
        if beta is None and self.hard(found):
            everything = np.eye(self.n_params)
            starts = self._beginnings(found.point, everything, np.zeros(self.n_params))
            found = self._best_of(starts, everything, max_iter, found)
        return found

    def hard(self, found: newton.Ascent[Point]) -> bool:
        """Whether there may be other maxima: steps were many, or single rows weigh much."""
        return self.firth and (found.n_iter > PATIENCE or found.point.leverage > HIGH_LEVERAGE)

    def _beginnings(self, point: Point, basis: Array, fixed: Array) -> list[Array]:
        """Nearer and further out than a point, where maximum likelihood would go, and here and there.

        Parameters are `fixed` and something in the span of `basis`.
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
        """Estimates from columns whose far ends are brought nearer, times `share`."""
        clipped = copy(self)
        middle = np.median(self.root, axis=0)
        reach = 2.0 * np.abs(self.root - middle).mean(axis=0)
        clipped.root = np.ascontiguousarray(np.clip(self.root, middle - reach, middle + reach))
        return share * clipped.maximise(max_iter=PATIENCE).point.params

    def _best_of(
        self, starts: list[Array], basis: Array | None, max_iter: int, found: newton.Ascent[Point]
    ) -> newton.Ascent[Point]:
        """The highest maximum from some starts, `found` among them."""
        for start in starts:
            other = self.ascend(start, basis, max_iter)
            if other.converged and (not found.converged or other.point.value > found.point.value + SMALL_RISE):
                found = other
        return found

    def held_at(self, beta: Array, held: NDArray[np.bool_], hard: bool) -> Point:
        """The maximum with coefficients that are `held` as in `beta`; where it is `hard`, from several beginnings."""
        fixed = self.params(np.where(held, beta, 0.0))
        basis = self.free(held)
        found = self.ascend(self.params(beta), basis, MAX_ITER)
        if basis.shape[1] and (hard or self.hard(found) or not found.converged):
            found = self._best_of(self._beginnings(found.point, basis, fixed), basis, MAX_ITER, found)
        return found.point

    def maximise(
        self, beta: Array | None = None, held: NDArray[np.bool_] | None = None, max_iter: int = MAX_ITER
    ) -> newton.Ascent[Point]:
        """Ascend from `beta`; coefficients that are `held` stay as they are (their columns stay in the penalty)."""
        basis = None if held is None else self.free(held)
        start = self.origin(basis, np.zeros(self.n_params)) if beta is None else self.params(beta)
        return self.ascend(start, basis, max_iter)

    def origin(self, basis: Array | None, fixed: Array) -> Array:
        """What makes up for the offset and for fixed parameters as well as it can."""
        if not self.offset.any() and not fixed.any():
            return np.zeros(self.n_params)
        there = self.offset[:, None] + self.root @ fixed.reshape(self.n_rest, -1).T
        blocks = np.eye(self.n_params) if basis is None else basis
        # Least squares by the normal equations: the columns of `root` are far from aliased, and with many classes the
        # design is too large to write out.
        products = (self.root.T @ self.root) @ blocks.reshape(self.n_rest, self.n_columns, -1)
        gram = blocks.T @ products.reshape(self.n_params, -1)
        return np.asarray(blocks @ np.linalg.solve(gram, -blocks.T @ (self.root.T @ there).T.ravel()))

    def ascend(self, start: Array, basis: Array | None = None, max_iter: int = MAX_ITER) -> newton.Ascent[Point]:
        """Newton's steps from some parameters; they stay in the span of `basis`."""
        secant = Secant(basis)
        steps = 0

        def direction(point: Point) -> Array:
            nonlocal steps
            steps += 1
            if not np.isfinite(point.value):
                return np.full(self.n_params, np.nan)
            # A Newton step in which the penalty's own curvature is guessed; where that is bad, it is learned.
            return secant.step(point) if self.firth and steps > PATIENCE else newton_step(point, basis)

        with threads_for(0):
            tolerance = FIRTH_ERROR if self.firth else NEWTON_STEP
            found = newton.ascend(
                self.evaluate, direction, self.length, start, tolerance, max_iter, linear=self.firth, noise=self._noise
            )
        if self.firth and not found.converged and self._is_flat(found.point, basis):
            return replace(found, converged=True, reason="")
        return found

    def _is_flat(self, point: Point, basis: Array | None) -> bool:
        """Whether no more of the likelihood is to be gained than rounding hides; steps need not be short there."""
        gain = 0.5 * float(point.score @ newton_step(point, basis))
        return 0.0 <= gain <= FLAT

    def free(self, held: NDArray[np.bool_]) -> Array:
        """Orthonormal columns that span the parameters of the coefficients that are not held."""
        wide = np.kron(np.eye(self.n_rest), self.r)
        return np.asarray(np.linalg.qr(wide[:, ~held])[0])


def _well_scaled(x: Array, names: list[str], where: str) -> tuple[Array, Array]:
    """The columns as q r, q with columns of mean square 1; refuses columns that are combinations of others.

    q has orthogonal columns where those of x are far from it.
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
    refuse_aliased(r, length, x.shape, names, where)
    return np.ascontiguousarray(q * size), r / size
