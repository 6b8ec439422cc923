"""The Laplace approximation of the likelihood of a mixed model of contests."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import brentq, minimize
from scipy.special import expit

from pwcstats._kernels.blas import one_thread
from pwcstats._kernels.laplacian import NotDefiniteError, inverse_and_determinant
from pwcstats._kernels.mixed import (
    LARGEST_SIGMA,
    START_SIGMA,
    Array,
    Contests,
    MixedFit,
    Mode,
    UnboundedError,
    find_mode,
    fit_at_zero,
    fixed_information,
    joint_covariance,
    scaled,
    unscaled,
)

# Smaller standard deviations change no logit by more than 1e-3, and count as 0 if the likelihood falls from 0 on.
SMALLEST_SIGMA = 1e-3
# The profile may have two maxima, one of them at 0, so the search starts at the best of these.
START_SIGMAS = (START_SIGMA, 0.3, 0.7, 1.5, 3.0, 6.0)
# How much the profile at the estimates for fixed sigma may fall short of the true profile.
START_SLACK = 1.0
# Length of a step of the estimates, in standard errors.
NEWTON_STEP, NEWTON_STEPS = 1e-8, 20
# Steps of this length, in standard errors, hardly change second derivatives.
NEAR = 1e-6
# Step of the differences that make second derivatives of first ones, in standard errors.
DIFFERENCE = 1e-3
# Error of the bound of a profile-likelihood interval, in standard errors.
BOUND_ERROR = 1e-7


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
            root[:p, :p] = np.linalg.cholesky(inverse_and_determinant(fixed_information(self.data, mode))[0])
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
            objective, np.zeros(len(root)), jac=True, method="BFGS", options={"gtol": NEAR, "maxiter": self.maxiter}
        )
        params, n_iter = at(found.x), int(found.nit)
        moved = np.inf
        for _ in range(NEWTON_STEPS):
            value, gradient, _ = self.evaluate(params)
            if moved > NEAR:
                # Shorter steps do not change the Hessian by more than their length.
                hessian, moved = self.hessian(params, root, free), 0.0
                try:
                    factor = cho_factor(-hessian)
                except np.linalg.LinAlgError:
                    return params, value, hessian, n_iter, False
            step = cho_solve(factor, root.T @ gradient[free])
            size = float(np.linalg.norm(step))
            if size <= NEWTON_STEP:
                back = np.linalg.inv(root)
                return params, value, back.T @ hessian @ back, n_iter, True
            params = at(step / max(1.0, size))
            moved, n_iter = moved + size, n_iter + 1
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
    data, scale = scaled(data)
    with one_thread():
        return unscaled(_fit(data, maxiter), scale)


def _fit(data: Contests, maxiter: int) -> MixedFit:
    at_zero, boundary = fit_at_zero(data)
    slope = slope_at_zero(data, at_zero)
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


def profile_interval(data: Contests, fit: MixedFit, index: int, drop: float, maxiter: int) -> tuple[float, float]:
    """Where the Laplace approximation, maximised over all other parameters, has fallen by `drop`.

    `index` is that of a coefficient, or their number for sigma; a bound of sigma may be 0 or infinite.
    """
    data, scale = scaled(data)
    search = Laplace(data, maxiter)
    best = np.append(fit.beta * scale, np.log(fit.sigma) if fit.sigma > 0.0 else np.log(SMALLEST_SIGMA))
    with one_thread():
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
