r"""Logit models of contests with a random effect for each item: the Laplace approximation and quasi-likelihood.

The linear predictors are :math:`\eta = X \beta + \sigma Z v`, where each row of Z has 1 for the first item and -1 for
the second, and v is standard normal. The effects of the items are :math:`u = \sigma v`. This form has no singularity at
:math:`\sigma = 0`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize
from scipy.sparse import csr_array
from scipy.special import expit

from pwcstats._kernels.blas import threads_for
from pwcstats._kernels.laplacian import NotDefiniteError, inverse_and_determinant

Array = NDArray[np.float64]

# Standard deviations of this size make almost all contests certain, so they count as infinite.
LARGEST_SIGMA = 15.0
# Smaller standard deviations change no logit by more than 1e-3, and count as 0 if the likelihood falls from 0 on.
SMALLEST_SIGMA = 1e-3
# The profile may have two maxima, one of them at 0, so the search starts at the best of these.
START_SIGMAS = (0.1, 0.3, 0.7, 1.5, 3.0, 6.0)
# How much the profile at the estimates for fixed sigma may fall short of the true profile.
START_SLACK = 1.0
# Newton's method for the mode converges quadratically, so the error is about the square of the last step.
MODE_STEP, MODE_STEPS = 1e-8, 200
# Length of a step of the estimates, in standard errors.
NEWTON_STEP, NEWTON_STEPS = 1e-8, 20
# Step of the differences that make second derivatives of first ones, in standard errors.
DIFFERENCE = 1e-3
# Error of log sigma² in the root of the score of the quasi-likelihood.
SCORE_ROOT = 1e-10
# Error of the bound of a profile-likelihood interval, in standard errors.
BOUND_ERROR = 1e-7


class UnboundedError(ArithmeticError):
    """The likelihood has no maximum at a finite standard deviation."""


@dataclass(frozen=True)
class Contests:
    """Contests as arrays with a row for each distinct contest.

    `x` holds the covariates of the fixed effects; `first` and `second` are the indices of the random effects, -1 for an
    item without one. The first item won `wins` of `trials`.
    """

    x: Array
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    wins: Array
    trials: Array
    n_effects: int

    @cached_property
    def z(self) -> csr_array:
        """The design of the random effects."""
        n = len(self.wins)
        rows = np.concatenate([np.arange(n), np.arange(n)])
        columns = np.concatenate([self.first, self.second])
        signs = np.repeat([1.0, -1.0], n)
        kept = columns >= 0
        return csr_array((signs[kept], (rows[kept], columns[kept])), shape=(n, self.n_effects))

    def cross_product(self, w: Array) -> Array:
        """Z'WZ."""
        size = self.n_effects + 1  # the last row and column collect items without effect
        out = np.zeros(size * size)
        for i, j, sign in ((self.first, self.first, 1), (self.second, self.second, 1), (self.first, self.second, -1)):
            part = np.bincount((i % size) * size + j % size, w, size * size)
            out += sign * part
            if sign < 0:
                out += sign * part.reshape(size, size).T.ravel()
        return np.ascontiguousarray(out.reshape(size, size)[:-1, :-1])

    def quadratic_forms(self, matrix: Array) -> Array:
        """Diagonal of Z M Z'."""
        padded = np.zeros((self.n_effects + 1, self.n_effects + 1))
        padded[:-1, :-1] = matrix
        diagonal = np.diagonal(padded)
        return diagonal[self.first] + diagonal[self.second] - 2.0 * padded[self.first, self.second]

    def log_likelihood(self, eta: Array) -> float:
        """Log-likelihood of the individual contests."""
        return float(self.wins @ eta - self.trials @ np.logaddexp(0.0, eta))


@dataclass
class Mode:
    """The conditional mode for a given sigma: of v alone or, with `schur`, of (beta, v) together."""

    beta: Array
    sigma: float
    v: Array
    eta: Array
    value: float
    residual: Array
    variance: Array
    # Inverse and log determinant of I + sigma² Z'WZ.
    inverse: Array
    log_determinant: float

    @property
    def laplace(self) -> float:
        """Laplace approximation of the marginal log-likelihood."""
        return self.value - 0.5 * self.log_determinant


@dataclass(frozen=True)
class MixedFit:
    """Estimates. `cov` is the covariance of beta, and `se_log_sigma` is missing (NaN) if sigma is 0.

    `joint` is the covariance of (beta, u) as errors of prediction, given sigma.
    """

    beta: Array
    sigma: float
    cov: Array
    se_log_sigma: float
    u: Array
    joint: Array
    value: float
    value_at_zero: float
    n_iter: int
    converged: bool
    reason: str


# Conditional modes


def _evaluate(data: Contests, beta: Array, sigma: float, v: Array) -> tuple[Array, float]:
    eta = data.x @ beta + sigma * (data.z @ v)
    return eta, data.log_likelihood(eta) - 0.5 * float(v @ v)


def find_mode(data: Contests, beta: Array, sigma: float, v: Array, *, with_beta: bool) -> tuple[Mode, int]:
    """Maximise l(eta) - v'v / 2 over v and, if asked for, over beta, by damped Newton steps from the given values."""
    eta, value = _evaluate(data, beta, sigma, v)
    done = False
    for n_iter in range(1, MODE_STEPS + 1):
        p = expit(eta)
        residual, variance = data.wins - data.trials * p, data.trials * p * (1.0 - p)
        matrix = sigma**2 * data.cross_product(variance)
        matrix[np.diag_indices_from(matrix)] += 1.0
        inverse, log_determinant = inverse_and_determinant(matrix) if data.n_effects else (matrix, 0.0)
        mode = Mode(beta, sigma, v, eta, value, residual, variance, inverse, log_determinant)
        if done:
            return mode, n_iter
        score_v = sigma * (data.z.T @ residual) - v
        d_beta = np.zeros_like(beta)
        if with_beta and len(beta):
            border = _border(data, mode)
            through = inverse @ border
            schur, _ = inverse_and_determinant(_cross(data.x, variance) - border.T @ through)
            d_beta = schur @ (data.x.T @ residual - through.T @ score_v)
            d_v = inverse @ (score_v - border @ d_beta)
        else:
            d_v = inverse @ score_v
        change = data.x @ d_beta + sigma * (data.z @ d_v)
        size = max(float(np.abs(change).max(initial=0.0)), float(np.abs(d_v).max(initial=0.0)))
        if not np.isfinite(size):
            raise NotDefiniteError
        factor = 1.0
        while True:
            new = (beta + factor * d_beta, v + factor * d_v)
            new_eta, new_value = _evaluate(data, new[0], sigma, new[1])
            if new_value >= value - 1e-12 * (1.0 + abs(value)) or factor * size < MODE_STEP:
                break
            factor /= 2.0
        (beta, v), eta, value = new, new_eta, new_value
        done = factor * size <= MODE_STEP
    raise NotDefiniteError


def _cross(x: Array, w: Array) -> Array:
    return x.T @ (x * w[:, None])


def _border(data: Contests, mode: Mode) -> Array:
    """Information between v and beta: sigma Z'WX."""
    return np.asarray(mode.sigma * (data.z.T @ (mode.variance[:, None] * data.x)))


def _fixed_information(data: Contests, mode: Mode) -> Array:
    """Information about beta if v is integrated out of the quadratic approximation."""
    border = _border(data, mode)
    return _cross(data.x, mode.variance) - border.T @ mode.inverse @ border


def joint_covariance(data: Contests, mode: Mode) -> Array:
    """Covariance of the errors of beta and u, given sigma: the inverse of Henderson's mixed-model equations."""
    p, n = data.x.shape[1], data.n_effects
    out = np.empty((p + n, p + n))
    through = mode.inverse @ _border(data, mode)
    cov = inverse_and_determinant(_fixed_information(data, mode))[0] if p else np.zeros((0, 0))
    out[:p, :p] = cov
    out[p:, :p] = -mode.sigma * (through @ cov)
    out[:p, p:] = out[p:, :p].T
    out[p:, p:] = mode.sigma**2 * (mode.inverse + through @ cov @ through.T)
    return out


# The Laplace approximation


def laplace_gradient(data: Contests, mode: Mode) -> Array:
    r"""Derivatives of the approximation with respect to beta and sigma.

    With r the residuals, W the variances, w' their derivatives, :math:`H = I + \sigma^2 Z'WZ` and q the diagonal of
    :math:`Z H^{-1} Z'`, the log determinant changes by :math:`\sigma^2 \sum w'_i q_i \, d\eta_i` plus, for
    :math:`\sigma`, :math:`2 \sigma \sum w_i q_i`. The mode moves with the parameters:
    :math:`dv / d\beta = -\sigma H^{-1} Z'WX` and :math:`dv / d\sigma = H^{-1} (Z'r - \sigma Z'WZv)`. The penalised
    likelihood itself does not change when the mode moves.
    """
    z, sigma, w = data.z, mode.sigma, mode.variance
    q = data.quadratic_forms(mode.inverse)
    c = sigma**2 * w * (1.0 - 2.0 * expit(mode.eta)) * q
    through = mode.inverse @ (z.T @ c)
    moved = c - sigma**2 * w * (z @ through)
    by_beta = data.x.T @ (mode.residual - 0.5 * moved)
    zv = z @ mode.v
    d_eta = zv @ c + sigma * float(through @ (z.T @ mode.residual - sigma * (z.T @ (w * zv))))
    by_sigma = float(mode.residual @ zv) - sigma * float(w @ q) - 0.5 * d_eta
    return np.append(by_beta, by_sigma)


def slope_at_zero(data: Contests, mode: Mode) -> float:
    """Derivative of the marginal log-likelihood with respect to sigma² at 0."""
    score = data.z.T @ mode.residual
    return 0.5 * float(score @ score - mode.variance @ data.quadratic_forms(np.eye(data.n_effects)))


class Laplace:
    """Maximiser of the Laplace approximation; the parameters are beta and log sigma."""

    def __init__(self, data: Contests, maxiter: int) -> None:
        self.data, self.maxiter = data, maxiter
        self._v = np.zeros(data.n_effects)
        self.n_evaluations = 0

    def evaluate(self, params: Array) -> tuple[float, Array, Mode]:
        """The approximation, its gradient, and the mode."""
        self.n_evaluations += 1
        sigma = float(np.exp(params[-1]))
        mode, _ = find_mode(self.data, params[:-1], sigma, self._v, with_beta=False)
        self._v = mode.v
        gradient = laplace_gradient(self.data, mode)
        gradient[-1] *= sigma
        return mode.laplace, gradient, mode

    def metric(self, params: Array) -> Array:
        """Scales of the parameters: a triangular root of their approximate covariance."""
        _, _, mode = self.evaluate(params)
        p = len(params) - 1
        root = np.zeros((p + 1, p + 1))
        if p:
            root[:p, :p] = np.linalg.cholesky(inverse_and_determinant(_fixed_information(self.data, mode))[0])
        shrunk = 1.0 - np.diagonal(mode.inverse)
        root[p, p] = 1.0 / np.sqrt(2.0 * float(shrunk @ shrunk) + 1e-2)
        return root

    def maximise(self, start: Array, free: NDArray[np.bool_]) -> tuple[Array, float, Array, int, bool]:
        """Maximise over the free parameters: the estimates, the value, their Hessian, steps, and convergence.

        A quasi-Newton method comes near, and Newton steps with differences of the gradient as Hessian do the rest.
        """
        params, root = start.copy(), self.metric(start)[np.ix_(free, free)]
        if not free.any():
            value, _, _ = self.evaluate(params)
            return params, value, np.zeros((0, 0)), 0, True

        def at(t: Array) -> Array:
            out = params.copy()
            out[free] += root @ t
            return out

        def objective(t: Array) -> tuple[float, Array]:
            moved = at(t)
            if moved[-1] > np.log(LARGEST_SIGMA) + 1.0:
                return np.inf, np.zeros_like(t)
            try:
                value, gradient, _ = self.evaluate(moved)
            except NotDefiniteError:
                return np.inf, np.zeros_like(t)
            return -value, -(root.T @ gradient[free])

        found = minimize(
            objective, np.zeros(len(root)), jac=True, method="BFGS", options={"gtol": 1e-4, "maxiter": self.maxiter}
        )
        params, n_iter = at(found.x), int(found.nit)
        for _ in range(NEWTON_STEPS):
            value, gradient, _ = self.evaluate(params)
            hessian = self.hessian(params, root, free)
            scaled = root.T @ gradient[free]
            try:
                step = np.linalg.solve(np.linalg.cholesky(-hessian), scaled)
                step = np.linalg.solve(np.linalg.cholesky(-hessian).T, step)
            except np.linalg.LinAlgError:
                return params, value, hessian, n_iter, False
            size = float(np.linalg.norm(step))
            if size <= NEWTON_STEP:
                back = np.linalg.inv(root)
                return params, value, back.T @ hessian @ back, n_iter, True
            params = at(step / max(1.0, size))
            n_iter += 1
        return params, value, hessian, n_iter, False

    def hessian(self, params: Array, root: Array, free: NDArray[np.bool_]) -> Array:
        """Central differences of the gradient, on the scale of `root`."""
        out = np.empty((len(root), len(root)))
        for k in range(len(root)):
            sides = []
            for side in (1.0, -1.0):
                moved = params.copy()
                moved[free] += side * DIFFERENCE * root[:, k]
                sides.append(root.T @ self.evaluate(moved)[1][free])
            out[:, k] = (sides[0] - sides[1]) / (2.0 * DIFFERENCE)
        return 0.5 * (out + out.T)

    def profile(self, index: int, at: float, start: Array) -> tuple[float, Array]:
        """The maximum with one parameter fixed, and the parameters there."""
        free = np.arange(len(start)) != index
        moved = start.copy()
        moved[index] = at
        params, value, _, _, _ = self.maximise(moved, free)
        return value, params


def fit_laplace(data: Contests, maxiter: int) -> MixedFit:
    """Maximise the Laplace approximation over beta and sigma."""
    data, scale = _scaled(data)
    with threads_for(data.n_effects):
        return _unscaled(_fit_laplace(data, maxiter), scale)


def _fit_laplace(data: Contests, maxiter: int) -> MixedFit:
    at_zero, n_zero = find_mode(data, np.zeros(data.x.shape[1]), 0.0, np.zeros(data.n_effects), with_beta=True)
    slope = slope_at_zero(data, at_zero)
    boundary = _at_zero(data, at_zero, n_zero)
    tried = _start_modes(data, at_zero)
    best = max(tried, key=lambda mode: mode.laplace)
    if slope <= 0.0 and best.laplace < at_zero.laplace - START_SLACK:
        return boundary
    if best.sigma == max(START_SIGMAS):
        # The likelihood may still rise.
        far, _ = find_mode(data, best.beta, LARGEST_SIGMA, best.v, with_beta=True)
        if far.laplace > best.laplace:
            raise UnboundedError
    search = Laplace(data, maxiter)
    search._v = best.v
    free = np.ones(data.x.shape[1] + 1, np.bool_)
    params, value, hessian, n_iter, converged = search.maximise(np.append(best.beta, np.log(best.sigma)), free)
    sigma = float(np.exp(params[-1]))
    if sigma >= LARGEST_SIGMA:
        raise UnboundedError
    if slope <= 0.0 and (value <= at_zero.laplace or sigma < SMALLEST_SIGMA):
        return boundary
    _, _, mode = search.evaluate(params)
    reason = "" if converged else "the maximum of the Laplace approximation was not found"
    cov = np.full((len(params), len(params)), np.nan)
    if converged:
        cov = np.linalg.inv(-hessian)
    return MixedFit(
        mode.beta, sigma, cov[:-1, :-1], float(np.sqrt(cov[-1, -1])), sigma * mode.v, joint_covariance(data, mode),
        value, at_zero.laplace, n_iter, converged, reason,
    )  # fmt: skip


def _start_modes(data: Contests, at_zero: Mode) -> list[Mode]:
    """The conditional modes of (beta, v) for several sigmas."""
    out, beta, v = [], at_zero.beta, at_zero.v
    for sigma in START_SIGMAS:
        mode, _ = find_mode(data, beta, sigma, v, with_beta=True)
        beta, v = mode.beta, mode.v
        out.append(mode)
    return out


def _at_zero(data: Contests, mode: Mode, n_iter: int) -> MixedFit:
    """The fit without random effects."""
    joint = joint_covariance(data, mode)
    p = len(mode.beta)
    return MixedFit(
        mode.beta, 0.0, joint[:p, :p], np.nan, np.zeros(data.n_effects), joint, mode.laplace, mode.laplace, n_iter,
        True, "",
    )  # fmt: skip


def profile_interval(data: Contests, fit: MixedFit, index: int, drop: float, maxiter: int) -> tuple[float, float]:
    """Where the Laplace approximation, maximised over all other parameters, has fallen by `drop`.

    `index` is that of a coefficient, or their number for sigma; a bound of sigma may be 0 or infinite.
    """
    data, scale = _scaled(data)
    search = Laplace(data, maxiter)
    best = np.append(fit.beta * scale, np.log(fit.sigma) if fit.sigma > 0.0 else np.log(SMALLEST_SIGMA))
    with threads_for(data.n_effects):
        if index == len(fit.beta):
            return _sigma_interval(search, fit, best, drop)
        if fit.sigma == 0.0:
            raise ValueError("the profile of a coefficient needs a positive sigma")
        width = float(np.sqrt(fit.cov[index, index])) * scale[index] * np.sqrt(2.0 * drop)
        low, high = (_bound(search, index, fit.value - drop, best, side * width) for side in (-1.0, 1.0))
        return low / scale[index], high / scale[index]


def _sigma_interval(search: Laplace, fit: MixedFit, best: Array, drop: float) -> tuple[float, float]:
    # Log sigma is far from quadratic if sigma is small, so the steps are at least this long.
    width = max(0.5, np.sqrt(2.0 * drop) * fit.se_log_sigma) if fit.sigma > 0.0 else 1.0
    target = fit.value - drop
    low = 0.0 if fit.value_at_zero >= target else float(np.exp(_bound(search, len(best) - 1, target, best, -width)))
    try:
        start = best if fit.sigma > 0.0 else np.append(best[:-1], np.log(0.1))
        return low, float(np.exp(_bound(search, len(best) - 1, target, start, width)))
    except UnboundedError:
        return low, np.inf


def _bound(search: Laplace, index: int, target: float, best: Array, width: float) -> float:
    """The value of a parameter on one side of the maximum at which the profile is `target`."""
    state = {"params": best}

    def excess(at: float) -> float:
        value, state["params"] = search.profile(index, at, state["params"])
        return value - target

    inside, at = best[index], best[index] + width
    above = excess(inside)
    if above < 0.0:
        raise UnboundedError
    while excess(at) > 0.0:
        if index == len(best) - 1 and at > np.log(LARGEST_SIGMA):
            raise UnboundedError
        if abs(at - best[index]) > 1e3 * abs(width):
            raise UnboundedError
        inside, at = at, at + width
    return float(brentq(excess, inside, at, xtol=BOUND_ERROR * abs(width), rtol=1e-12))


# Penalised quasi-likelihood


def fit_pql(data: Contests, maxiter: int) -> MixedFit:
    r"""Penalised quasi-likelihood (Breslow and Clayton 1993), with restricted likelihood for sigma.

    For given sigma, (beta, u) is the conditional mode. For given weights W and working responses y, sigma maximises the
    restricted likelihood of the linear mixed model of y. With S = W - WX(X'WX)⁻¹X'W, its score in
    :math:`\log \sigma^2` is :math:`\sigma^2 (|t|^2 - \mathrm{tr}\, G) / 2`, where
    :math:`G = (I + \sigma^2 Z'SZ)^{-1} Z'SZ` and :math:`t = (I + \sigma^2 Z'SZ)^{-1} Z'Sy`, which is
    :math:`u / \sigma^2` at the mode. Its information is :math:`\sigma^4 \mathrm{tr}(G^2) / 2`.
    """
    data, scale = _scaled(data)
    with threads_for(data.n_effects):
        return _unscaled(_fit_pql(data, maxiter), scale)


def _fit_pql(data: Contests, maxiter: int) -> MixedFit:
    at_zero, n_zero = find_mode(data, np.zeros(data.x.shape[1]), 0.0, np.zeros(data.n_effects), with_beta=True)
    zsz = _projected_cross_product(data, at_zero)
    score = data.z.T @ at_zero.residual
    if _working_log_variance(zsz, score) is None:
        return _at_zero(data, at_zero, n_zero)
    state = {"mode": at_zero, "n_iter": 0}

    def scoring(log_variance: float) -> tuple[float, float, float | None]:
        """Step of Fisher scoring, the information, and the maximum of the working likelihood if it is far away."""
        sigma = float(np.exp(0.5 * log_variance))
        mode, steps = find_mode(data, state["mode"].beta, sigma, state["mode"].v, with_beta=True)
        state["mode"], state["n_iter"] = mode, state["n_iter"] + steps
        zsz = _projected_cross_product(data, mode)
        t = mode.v / sigma
        g = np.linalg.solve(np.eye(data.n_effects) + sigma**2 * zsz, zsz)
        score, information = 0.5 * sigma**2 * float(t @ t - np.trace(g)), 0.5 * sigma**4 * float((g * g.T).sum())
        step = score / information
        # Z'Sy, from (I + sigma² Z'SZ) t.
        far = _working_log_variance(zsz, t + sigma**2 * (zsz @ t)) if abs(step) > 0.1 else log_variance + step
        return step, information, far

    at, previous, converged = np.log(START_SIGMAS[0] ** 2), None, False
    for _ in range(maxiter):
        step, information, far = scoring(at)
        if far is None:
            return _at_zero(data, at_zero, n_zero)
        if far > 2.0 * np.log(LARGEST_SIGMA):
            raise UnboundedError
        if abs(step) <= SCORE_ROOT:
            converged = True
            break
        new = far if abs(far - (at + step)) > 0.1 else at + step
        if previous is not None and abs(step) < 0.1 and step != previous[1]:
            # The weights change with sigma, so scoring converges linearly; the secant does better.
            secant = at - step * (at - previous[0]) / (step - previous[1])
            new = secant if abs(secant - at) < 10.0 * abs(step) else new
        previous, at = (at, step), new
    mode = state["mode"]
    joint, p = joint_covariance(data, mode), len(mode.beta)
    reason = "" if converged else f"stopped after {maxiter} steps of sigma"
    return MixedFit(
        mode.beta, mode.sigma, joint[:p, :p], 0.5 / np.sqrt(information), mode.sigma * mode.v, joint, mode.laplace,
        at_zero.laplace, state["n_iter"], converged, reason,
    )  # fmt: skip


def _projected_cross_product(data: Contests, mode: Mode) -> Array:
    """Z'SZ."""
    zwz = data.cross_product(mode.variance)
    if not data.x.shape[1]:
        return zwz
    zwx = data.z.T @ (mode.variance[:, None] * data.x)
    return zwz - zwx @ np.linalg.solve(_cross(data.x, mode.variance), zwx.T)


def _working_log_variance(zsz: Array, zsy: Array) -> float | None:
    """Log sigma² that maximises the restricted likelihood of the working linear mixed model; None if sigma is 0."""
    eigenvalues, vectors = np.linalg.eigh(zsz)
    eigenvalues, squares = np.maximum(eigenvalues, 0.0), (vectors.T @ zsy) ** 2

    def value(log_variance: Any) -> Array:
        ratio = np.exp(np.atleast_1d(log_variance))[:, None]
        shrunk = 1.0 + ratio * eigenvalues
        return 0.5 * (ratio * squares / shrunk - np.log(shrunk)).sum(axis=1)

    def slope(log_variance: float) -> float:
        ratio = float(np.exp(log_variance))
        shrunk = 1.0 + ratio * eigenvalues
        return float((ratio * squares / shrunk**2 - ratio * eigenvalues / shrunk).sum())

    grid = np.linspace(-10.0, 10.0, 81)
    values = value(grid)
    k = int(values.argmax())
    if k == 0 or values[k] <= 0.0:
        return None
    if k == len(grid) - 1:
        return float(grid[-1])
    return float(brentq(slope, grid[k - 1], grid[k + 1])) if slope(grid[k - 1]) * slope(grid[k + 1]) < 0 else grid[k]


# Scales


def _scaled(data: Contests) -> tuple[Contests, Array]:
    """Contests whose covariates have root mean square 1, and the factors."""
    scale = np.sqrt((data.x**2).mean(axis=0)) if len(data.x) else np.ones(data.x.shape[1])
    return replace(data, x=data.x / scale), scale


def _unscaled(fit: MixedFit, scale: Array) -> MixedFit:
    factor = np.append(1.0 / scale, np.ones(len(fit.u)))
    p = len(scale)
    cov = fit.cov * factor[:p, None] * factor[:p]
    return replace(fit, beta=fit.beta / scale, cov=cov, joint=fit.joint * factor[:, None] * factor)


FIT: dict[str, Callable[[Contests, int], MixedFit]] = {"laplace": fit_laplace, "pql": fit_pql}
