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
# How many widths of a Wald interval away the bound of a profile-likelihood interval is searched.
MOST_WIDTHS = 50
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
    """Maximiser of the Laplace approximation; the parameters are beta and log sigma.

    The search for each mode starts at the last one, and that for the first at `v`, by default 0.
    """

    def __init__(self, data: Contests, maxiter: int, v: Array | None = None) -> None:
        self.data, self.maxiter = data, maxiter
        self._v = np.zeros(data.n_effects) if v is None else v

    def evaluate(self, params: Array) -> tuple[float, Array, Mode]:
        """The approximation, its gradient, and the mode."""
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

    def climb(self, start: Array, free: NDArray[np.bool_]) -> tuple[Array, Array, int]:
        """Maximise over the free parameters by a quasi-Newton method: parameters, their scales, number of steps."""
        root = self.metric(start)[np.ix_(free, free)]
        if not free.any():
            return start, root, 0

        def objective(t: Array) -> tuple[float, Array]:
            moved = _moved(start, root @ t, free)
            if moved[-1] > np.log(LARGEST_SIGMA) + 1.0:
                return np.inf, np.zeros_like(t)
            try:
                value, gradient, _ = self.evaluate(moved)
            except NotDefiniteError:
                return np.inf, np.zeros_like(t)
            return -value, -(root.T @ gradient[free])

        options = {"gtol": NEAR, "maxiter": self.maxiter}
        found = minimize(objective, np.zeros(len(root)), jac=True, method="BFGS", options=options)
        return _moved(start, root @ found.x, free), root, int(found.nit)

    def maximise(self, start: Array) -> tuple[Array, float, Array, int, bool]:
        """Maximise over all parameters: estimates, value, Hessian, number of steps, and whether they converged.

        After the quasi-Newton method, a few Newton steps make the estimates exact.
        """
        free = np.ones(len(start), np.bool_)
        params, root, n_iter = self.climb(start, free)
        moved = np.inf
        for _ in range(NEWTON_STEPS):
            value, gradient, _ = self.evaluate(params)
            if moved > NEAR:
                # Shorter steps do not change the Hessian by more than their length.
                hessian, moved = self.hessian(params, root), 0.0
                try:
                    factor = cho_factor(-hessian)
                except np.linalg.LinAlgError:
                    return params, value, hessian, n_iter, False
            step = cho_solve(factor, root.T @ gradient)
            size = float(np.linalg.norm(step))
            if size <= NEWTON_STEP:
                back = np.linalg.inv(root)
                return params, value, back.T @ hessian @ back, n_iter, True
            params = params + root @ step / max(1.0, size)
            moved, n_iter = moved + size, n_iter + 1
        return params, value, hessian, n_iter, False

    def hessian(self, params: Array, root: Array) -> Array:
        """Central differences of the gradient, on the scale of `root`."""
        columns = []
        for unit in DIFFERENCE * root.T:
            (_, after, _), (_, before, _) = self.evaluate(params + unit), self.evaluate(params - unit)
            columns.append(root.T @ (after - before) / (2.0 * DIFFERENCE))
        return 0.5 * (np.array(columns) + np.array(columns).T)

    def profile(self, index: int, at: float, start: Array) -> tuple[float, Array]:
        """The maximum with one parameter fixed, and the parameters there."""
        free = np.arange(len(start)) != index
        params, _, _ = self.climb(_moved(start, at - start[[index]], ~free), free)
        return self.evaluate(params)[0], params


def _moved(params: Array, step: Array, free: NDArray[np.bool_]) -> Array:
    out = params.copy()
    out[free] += step
    return out


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
    search = Laplace(data, maxiter, best.v)
    params, value, hessian, n_iter, converged = search.maximise(np.append(best.beta, np.log(best.sigma)))
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

    `index` is that of a coefficient (if sigma is positive), or their number for sigma. Bounds of sigma may be 0; a
    bound is infinite if the profile does not fall that far.
    """
    data, scale = scaled(data)
    search, target = Laplace(data, maxiter), fit.value - drop
    best = np.append(fit.beta * scale, np.log(max(fit.sigma, SMALLEST_SIGMA)))
    with one_thread():
        if index < len(scale):
            width = float(np.sqrt(2.0 * drop * fit.cov[index, index])) * scale[index]
            low, high = (_bound(search, index, target, best, side * width) for side in (-1.0, 1.0))
            return low / scale[index], high / scale[index]
        # Log sigma is far from quadratic if sigma is small.
        width = 1.5 if fit.sigma == 0.0 else min(max(0.5, np.sqrt(2.0 * drop) * fit.se_log_sigma), 1.5)
        low = -np.inf if fit.value_at_zero >= target else _bound(search, index, target, best, -width)
        return float(np.exp(low)), float(np.exp(_bound(search, index, target, best, width)))


def _bound(search: Laplace, index: int, target: float, best: Array, width: float) -> float:
    """The value of a parameter on one side of the maximum at which the profile is `target`."""
    state = {"params": best}

    def excess(at: float) -> float:
        value, state["params"] = search.profile(index, at, state["params"])
        return value - target

    limit = np.log(LARGEST_SIGMA) if index == len(best) - 1 else np.inf
    inside = best[index]
    for _ in range(MOST_WIDTHS):
        at = min(inside + width, limit)
        try:
            is_outside = excess(at) <= 0.0
        except NotDefiniteError:
            break
        if is_outside:
            return float(brentq(excess, inside, at, xtol=BOUND_ERROR * abs(width), rtol=1e-12))
        if at == limit:
            break
        inside = at
    return float(np.copysign(np.inf, width))
