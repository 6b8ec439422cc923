r"""Logit models of contests with a random effect for each item: the Laplace approximation and quasi-likelihood.

The linear predictors are :math:`\eta = X \beta + \sigma Z v`, where each row of Z has 1 for the first item and -1 for
the second, and v is standard normal. The effects of the items are :math:`u = \sigma v`. This form has no singularity at
:math:`\sigma = 0`.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array
from scipy.special import expit

from pwcstats._kernels.laplacian import NotDefiniteError, inverse_and_determinant

Array = NDArray[np.float64]

# Standard deviations of this size make almost all contests certain, so they count as infinite.
LARGEST_SIGMA = 15.0
# The search for sigma begins here.
START_SIGMA = 0.1
# Newton's method for the mode converges quadratically, so the error is about the square of the last step.
MODE_STEP, MODE_STEPS = 1e-8, 200


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

    @cached_property
    def _pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Entries of Z'WZ above the diagonal that are not 0, and the entry of each contest of two effects."""
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        both = low >= 0
        return np.unique(low[both] * self.n_effects + high[both], return_inverse=True)

    def cross_product(self, w: Array) -> Array:
        """Z'WZ."""
        n = self.n_effects
        entries, entry = self._pairs
        out = np.zeros((n, n))
        out.ravel()[entries] = -np.bincount(entry, w[(self.first >= 0) & (self.second >= 0)], len(entries))
        out += out.T
        # Items without an effect are counted at the end, and left out.
        out[np.diag_indices(n)] = sum(np.bincount(item % (n + 1), w, n + 1)[:n] for item in (self.first, self.second))
        return out

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
    """The conditional mode of v, or of beta and v together, for a given sigma."""

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
        if done:
            inverse, log_determinant = inverse_and_determinant(matrix)
            return Mode(beta, sigma, v, eta, value, residual, variance, inverse, log_determinant), n_iter
        factor = cho_factor(matrix, overwrite_a=True, check_finite=False)
        score_v = sigma * (data.z.T @ residual) - v
        d_beta = np.zeros_like(beta)
        if with_beta and len(beta):
            edge = _border(data, sigma, variance)
            through = cho_solve(factor, edge, check_finite=False)
            schur, _ = inverse_and_determinant(cross(data.x, variance) - edge.T @ through)
            d_beta = schur @ (data.x.T @ residual - through.T @ score_v)
            score_v = score_v - edge @ d_beta
        d_v = cho_solve(factor, score_v, check_finite=False)
        change = data.x @ d_beta + sigma * (data.z @ d_v)
        size = max(float(np.abs(change).max(initial=0.0)), float(np.abs(d_v).max(initial=0.0)))
        if not np.isfinite(size):
            raise NotDefiniteError
        share = 1.0
        while True:
            new = (beta + share * d_beta, v + share * d_v)
            new_eta, new_value = _evaluate(data, new[0], sigma, new[1])
            if new_value >= value - 1e-12 * (1.0 + abs(value)) or share * size < MODE_STEP:
                break
            share /= 2.0
        (beta, v), eta, value = new, new_eta, new_value
        done = share * size <= MODE_STEP
    raise NotDefiniteError


def cross(x: Array, w: Array) -> Array:
    """X'WX."""
    return x.T @ (x * w[:, None])


def _border(data: Contests, sigma: float, variance: Array) -> Array:
    """Information between v and beta: sigma Z'WX."""
    return np.asarray(sigma * (data.z.T @ (variance[:, None] * data.x)))


def fixed_information(data: Contests, mode: Mode) -> Array:
    """Information about beta if v is integrated out of the quadratic approximation."""
    edge = _border(data, mode.sigma, mode.variance)
    return cross(data.x, mode.variance) - edge.T @ mode.inverse @ edge


def joint_covariance(data: Contests, mode: Mode) -> Array:
    """Covariance of the errors of beta and u, given sigma: the inverse of Henderson's mixed-model equations."""
    p, n = data.x.shape[1], data.n_effects
    out = np.empty((p + n, p + n))
    through = mode.inverse @ _border(data, mode.sigma, mode.variance)
    cov = inverse_and_determinant(fixed_information(data, mode))[0] if p else np.zeros((0, 0))
    out[:p, :p] = cov
    out[p:, :p] = -mode.sigma * (through @ cov)
    out[:p, p:] = out[p:, :p].T
    out[p:, p:] = mode.sigma**2 * (mode.inverse + through @ cov @ through.T)
    return out


def fit_at_zero(data: Contests) -> tuple[Mode, MixedFit]:
    """The fit without random effects: sigma is 0."""
    beta, v = np.zeros(data.x.shape[1]), np.zeros(data.n_effects)
    mode, n_iter = find_mode(data, beta, 0.0, v, with_beta=True)
    joint, p = joint_covariance(data, mode), len(beta)
    value = mode.laplace
    return mode, MixedFit(mode.beta, 0.0, joint[:p, :p], np.nan, v, joint, value, value, n_iter, True, "")


def scaled(data: Contests) -> tuple[Contests, Array]:
    """Contests whose covariates have root mean square 1, and the factors."""
    scale = np.sqrt((data.x**2).mean(axis=0)) if len(data.x) else np.ones(data.x.shape[1])
    return replace(data, x=data.x / scale), scale


def unscaled(fit: MixedFit, scale: Array) -> MixedFit:
    """The fit for the original covariates, from that of `scaled` ones."""
    factor = np.append(1.0 / scale, np.ones(len(fit.u)))
    p = len(scale)
    cov = fit.cov * factor[:p, None] * factor[:p]
    return replace(fit, beta=fit.beta / scale, cov=cov, joint=fit.joint * factor[:, None] * factor)
