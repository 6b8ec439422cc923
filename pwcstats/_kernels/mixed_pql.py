"""Penalised quasi-likelihood for a mixed model of contests."""

import numpy as np
from scipy.optimize import brentq

from pwcstats._kernels.blas import one_thread
from pwcstats._kernels.mixed import (
    LARGEST_SIGMA,
    START_SIGMA,
    Array,
    Contests,
    MixedFit,
    Mode,
    UnboundedError,
    cross,
    find_mode,
    fit_at_zero,
    joint_covariance,
    scaled,
    unscaled,
)

# Error of log sigma² in the root of the score.
SCORE_ROOT = 1e-10
# Relative to the largest eigenvalue of the information.
NO_INFORMATION = 1e-10
# A step of scoring is trusted if it is at most this long.
LONGEST_STEP = 0.1


def fit_pql(data: Contests, maxiter: int) -> MixedFit:
    r"""Penalised quasi-likelihood (Breslow and Clayton 1993), with restricted likelihood for sigma.

    For given sigma, (beta, u) is the conditional mode. For given weights W and working responses y, sigma maximises the
    restricted likelihood of the linear mixed model of y. With S = W - WX(X'WX)⁻¹X'W, its score in
    :math:`\log \sigma^2` is :math:`\sigma^2 (|t|^2 - \mathrm{tr}\, G) / 2`, where
    :math:`G = (I + \sigma^2 Z'SZ)^{-1} Z'SZ` and :math:`t = (I + \sigma^2 Z'SZ)^{-1} Z'Sy`, which is
    :math:`u / \sigma^2` at the mode. Its information is :math:`\sigma^4 \mathrm{tr}(G^2) / 2`.
    """
    data, scale = scaled(data)
    with one_thread():
        return unscaled(_fit(data, maxiter), scale)


def _fit(data: Contests, maxiter: int) -> MixedFit:
    mode, boundary = fit_at_zero(data)
    if _working_log_variance(_projected(data, mode), data.z.T @ mode.residual) is None:
        return boundary
    at, previous, n_iter, converged = 2.0 * np.log(START_SIGMA), None, 0, False
    for _ in range(maxiter):
        sigma = float(np.exp(0.5 * at))
        mode, steps = find_mode(data, mode.beta, sigma, mode.v, with_beta=True)
        n_iter += steps
        zsz, t = _projected(data, mode), mode.v / sigma
        g = np.linalg.solve(np.eye(data.n_effects) + sigma**2 * zsz, zsz)
        information = 0.5 * sigma**4 * float((g * g.T).sum())
        if information < NO_INFORMATION:
            return boundary
        step = 0.5 * sigma**2 * float(t @ t - np.trace(g)) / information
        if abs(step) <= SCORE_ROOT:
            converged = True
            break
        new = at + step
        if abs(step) > LONGEST_STEP:
            # Z'Sy is (I + sigma² Z'SZ) t.
            far = _working_log_variance(zsz, t + sigma**2 * (zsz @ t))
            if far is None:
                return boundary
            if abs(far - new) > LONGEST_STEP:
                new = far
        elif previous is not None and step != previous[1]:
            # The weights change with sigma, so scoring converges linearly; the secant does better.
            secant = at - step * (at - previous[0]) / (step - previous[1])
            new = secant if abs(secant - at) < 10.0 * abs(step) else new
        if new > 2.0 * np.log(LARGEST_SIGMA):
            raise UnboundedError
        previous, at = (at, step), new
    joint, p = joint_covariance(data, mode), len(mode.beta)
    reason = "" if converged else f"stopped after {maxiter} steps of sigma"
    return MixedFit(
        mode.beta, mode.sigma, joint[:p, :p], 0.5 / np.sqrt(information), mode.sigma * mode.v, joint, mode.laplace,
        boundary.value, n_iter, converged, reason,
    )  # fmt: skip


def _projected(data: Contests, mode: Mode) -> Array:
    """Z'SZ."""
    zwz = data.cross_product(mode.variance)
    if not data.x.shape[1]:
        return zwz
    zwx = data.z.T @ (mode.variance[:, None] * data.x)
    return zwz - zwx @ np.linalg.solve(cross(data.x, mode.variance), zwx.T)


def _working_log_variance(zsz: Array, zsy: Array) -> float | None:
    """Log sigma² that maximises the restricted likelihood of the working linear mixed model; None if sigma is 0."""
    eigenvalues, vectors = np.linalg.eigh(zsz)
    squares = (vectors.T @ zsy) ** 2
    # Directions without information are rounding errors; if there are no others, the data say nothing about sigma.
    kept = eigenvalues > NO_INFORMATION * max(float(eigenvalues.max(initial=0.0)), 1.0)
    eigenvalues, squares = eigenvalues[kept], squares[kept]

    def slope(log_variance: float) -> float:
        ratio = float(np.exp(log_variance))
        shrunk = 1.0 + ratio * eigenvalues
        return float((ratio * squares / shrunk**2 - ratio * eigenvalues / shrunk).sum())

    grid = np.linspace(-10.0, 10.0, 81)
    ratio = np.exp(grid)[:, None]
    shrunk = 1.0 + ratio * eigenvalues
    values = 0.5 * (ratio * squares / shrunk - np.log(shrunk)).sum(axis=1)
    k = int(values.argmax())
    if k == 0 or values[k] <= 0.0:
        return None
    if k == len(grid) - 1:
        return float(grid[-1])
    low, high = grid[k - 1], grid[k + 1]
    return float(brentq(slope, low, high)) if slope(low) > 0.0 > slope(high) else float(grid[k])
