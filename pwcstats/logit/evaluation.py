"""The logistic likelihood at some parameters: its value, its derivatives, and Firth's penalty."""

import math
from abc import ABC, abstractmethod
from copy import copy
from functools import cached_property
from operator import gt

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dtrtri
from scipy.special import expit

from pwcstats._arrays import Array
from pwcstats.logit.design import Design, pairs

# A pivot of this share of its diagonal entry is due to rounding, so the matrix is singular.
SMALL_PIVOT = 1e-13
# If all leverages are at most this, the curvature of the penalty is neglected; Newton steps then shrink by a factor of
# about the largest leverage.
SMALL_LEVERAGE = 0.03
# Rows times cubed number of columns up to which the curvature of the penalty is computed, not approximated.
MOST_EXACT = 2**17


class Sample(Design):
    """Rows of a design, with outcomes 0, 1, ..., `n_rest`, weights and offsets (None if all are 0).

    The penalty is `tau` times the log determinant of the information; Firth's has tau = 1/2.
    """

    # Classes (rows) that are ruled out for some cases (columns).
    excluded: NDArray[np.bool_] | None = None

    def __init__(
        self, x: Array, code: NDArray[np.int64], weight: Array, offset: Array | None, n_rest: int, tau: float = 0.5
    ) -> None:
        super().__init__(x)
        self.code, self.weight, self.offset, self.n_rest, self.tau = code, weight, offset, n_rest, tau
        # Indicators of the classes but the first.
        self.outcome = (code == np.arange(1, n_rest + 1)[:, None]).astype(np.float64)
        # Whether second derivatives of the penalty take little time.
        self.is_small = x.size * x.shape[1] ** 2 <= MOST_EXACT

    def points(self, params: Array, firth: bool, most_leverage: float = math.inf) -> "Points":
        """The likelihood at some parameters, one row each; with `firth`, it is penalised.

        The curvature of the penalty is approximate if a leverage is larger than `most_leverage`.
        """
        return (_TwoClasses if self.n_rest == 1 else ManyClasses)(self, params, firth, most_leverage)

    @cached_property
    def outcome_sign(self) -> Array:
        """1 for outcome 1, and -1 for outcome 0, of two classes."""
        return 2.0 * self.outcome[0] - 1.0

    @cached_property
    def signed_weight(self) -> Array:
        """Weights with these signs."""
        return self.weight * self.outcome_sign


class Points(ABC):
    """The likelihood at some parameters, one row each. Derivatives are computed when they are first needed.

    Let p be the probabilities of a row of weight w for the classes but the first, S the covariance of their indicators,
    and V = x'C x the covariance of its linear predictors, where C is the inverse of the information I.

    Attributes
    ----------
    value, llf : ndarray
        What is maximised, NaN if the information is singular; and the log-likelihood without a penalty.
    probability : ndarray
        Probabilities of the classes but the first: points x classes x rows.
    information : ndarray
        Fisher information of each point.
    is_exact : ndarray of bool
        Whether `slope` is exact; False before it is needed, if there is a penalty.
    """

    def __init__(self, sample: Sample, params: Array, firth: bool, most_leverage: float) -> None:
        self.sample, self.firth, self.params, self._most_leverage = sample, firth, params, most_leverage
        n_points, m = len(params), sample.n_rest
        self.is_exact = np.full(n_points, not firth)
        eta = (self._by_class(params).reshape(n_points * m, -1) @ sample.x.T).reshape(n_points, m, -1)
        if sample.offset is not None:
            eta += sample.offset
        log_proba, self.probability, covariance = self._moments(eta)
        self.llf = self.value = log_proba @ sample.weight
        self._covariance = covariance * sample.weight
        self.information = self._gram(self._covariance)
        if firth:
            log_determinant, self._root = _inverse_roots(self.information)
            self.value = self.llf + self.sample.tau * log_determinant

    def _by_class(self, params: Array) -> Array:
        """Coefficients of the columns for each class but the first."""
        return params

    def _collect(self, gradient: Array) -> Array:
        """Derivatives with respect to the parameters, given those with respect to the coefficients by class."""
        return gradient

    @abstractmethod
    def _moments(self, eta: Array) -> tuple[Array, Array, Array]:
        """Log-likelihood of each row, probabilities, and S for each pair of classes."""

    @abstractmethod
    def _gram(self, covariance: Array) -> Array:
        """The sum of w S times xx' over the rows, for w S given by pairs of classes."""

    @abstractmethod
    def _penalise(self, cov: Array) -> tuple[Array, Array]:
        """Firth's additions to the residuals, and the leverages of the rows for weight 1; `cov` is C.

        Let d_o be the residuals of the indicators if the outcome is o, and s_o = d_o'V d_o. The leverage is the mean of
        s_o over the outcomes, and the addition is half the mean of w d_o s_o. Both are multiplied by 2 tau.
        """

    @cached_property
    def _penalty(self) -> tuple[Array, Array]:
        return self._penalise(self._root.swapaxes(1, 2) @ self._root)

    @cached_property
    def residual(self) -> Array:
        """Derivatives of the value by the linear predictors: points x classes x rows.

        The part of the penalty is that of rows whose leverages are known.
        """
        residual = self.sample.weight * (self.sample.outcome - self.probability)
        if self.firth:
            residual += self._penalty[0]
        return residual

    @cached_property
    def score(self) -> Array:
        """Derivatives of the value."""
        gradient = self.residual.reshape(-1, self.sample.x.shape[0]) @ self.sample.x
        return self._collect(gradient.reshape(len(self.params), -1))

    @cached_property
    def slope(self) -> Array:
        """Minus the second derivatives of the value; those of the penalty are approximate unless `is_exact`."""
        if not self.firth:
            return self.information
        leverage = self._penalty[1]
        if leverage.max() <= SMALL_LEVERAGE:
            return self.information
        exact = self._exact_slope() if leverage.max() <= self._most_leverage else None
        if exact is not None:
            self.is_exact = np.array([dpotrf(one.T)[1] == 0 for one in exact])
            if self.is_exact.all():
                return exact
        # The penalty acts as if the weight of each row were larger by its leverage, half of it for either outcome.
        heavier = self._gram(self._covariance * (1.0 + leverage[:, None]))
        return heavier if exact is None else np.where(self.is_exact[:, None, None], exact, heavier)

    def _exact_slope(self) -> Array | None:
        """The exact `slope`, which need not be positive definite; None if it is not computed."""
        return None

    @cached_property
    def leverage(self) -> Array:
        """The largest leverage of a row, 0 without a penalty."""
        return (self.sample.weight * self._penalty[1]).max(axis=1) if self.firth else np.zeros(len(self.params))

    def without_rows(self) -> "Points":
        """A copy without derivatives, and without arrays of the length of the data."""
        kept = copy(self)
        for name in ("sample", "_covariance", "_penalty", "residual", "score", "slope"):
            vars(kept).pop(name, None)
        kept.probability = np.empty((len(self.params), 0, 0))
        return kept


class _TwoClasses(Points):
    """The binary logit: S is v = p (1 - p), the leverage h = w v V, and the addition h (1/2 - p)."""

    def _moments(self, eta: Array) -> tuple[Array, Array, Array]:
        # Since exp(-|eta|) is small, small probabilities and variances keep their digits.
        small = np.exp(-np.abs(eta))
        total = 1.0 + small
        is_positive = eta > 0.0
        log_proba = np.where(self.sample.outcome == is_positive, 0.0, -np.abs(eta)) - np.log1p(small)
        return log_proba[:, 0], np.where(is_positive, 1.0, small) / total, small / (total * total)

    def _gram(self, covariance: Array) -> Array:
        return self.sample.gram(covariance[:, 0])

    def _penalise(self, cov: Array) -> tuple[Array, Array]:
        leverage = self.sample.forms(cov)[:, None] * (2.0 * self.sample.tau * self._covariance)
        return leverage * (0.5 - self.probability), leverage[:, 0] / self.sample.weight

    def _exact_slope(self) -> Array | None:
        """The second derivatives of the penalty are half the sum of h (1 - 6 v) x_r x_s, less tau tr(C D_r C D_s).

        D_r = X' diag(w v (1 - 2 p) x_r) X is the derivative of I.
        """
        sample, variance = self.sample, self._covariance
        if not sample.is_small:
            return None
        (n, p), n_points = sample.x.shape, len(self.params)
        second = variance - self._penalty[1][:, None] * (0.5 * sample.weight - 3.0 * variance)
        third = variance * (1.0 - 2.0 * self.probability) * sample.x.T
        sums = sample.gram(np.concatenate([second, third], axis=1).reshape(-1, n)).reshape(n_points, p + 1, p, p)
        root = self._root[:, None]
        turned = (root @ sums[:, 1:] @ root.swapaxes(2, 3)).reshape(n_points, p, p * p)
        return sums[:, 0] + sample.tau * turned @ turned.swapaxes(1, 2)


class ManyClasses(Points):
    """The multinomial logit: S_jk = p_j (1[j=k] - p_k). Blocks of matrices belong to pairs of classes."""

    def _moments(self, eta: Array) -> tuple[Array, Array, Array]:
        full = np.concatenate([np.zeros((len(eta), 1, eta.shape[2])), eta], axis=1)
        if self.sample.excluded is not None:
            full[:, self.sample.excluded] = -math.inf
        full -= full.max(axis=1, keepdims=True)
        terms = np.exp(full)
        # The largest term is 1. Without it, small terms keep their digits.
        is_one = terms == 1.0
        rest = np.where(is_one, 0.0, terms).sum(axis=1) + (is_one.sum(axis=1) - 1.0)
        log_proba = full[:, self.sample.code, np.arange(full.shape[2])] - np.log1p(rest)
        proba = terms[:, 1:] / (1.0 + rest)[:, None]
        first, second, _ = pairs(self.sample.n_rest)
        return log_proba, proba, proba[:, first] * ((first == second)[:, None] - proba[:, second])

    def _gram(self, covariance: Array) -> Array:
        n_points, n_pairs, n = covariance.shape
        m, p = self.sample.n_rest, self.sample.x.shape[1]
        blocks = self.sample.gram(covariance.reshape(-1, n)).reshape(n_points, n_pairs, p, p)
        return blocks[:, pairs(m)[2]].swapaxes(2, 3).reshape(n_points, m * p, m * p)

    def _penalise(self, cov: Array) -> tuple[Array, Array]:
        sample, proba = self.sample, self.probability
        (n_points, m, n), p = proba.shape, sample.x.shape[1]
        first, second, pair = pairs(m)
        blocks = cov.reshape(n_points, m, p, m, p).swapaxes(2, 3)[:, first, second]
        v = 2.0 * sample.tau * sample.forms(blocks.reshape(-1, p, p)).reshape(n_points, -1, n)
        # With d_j the indicator of j less p, s_j = V_jj - 2 (Vp)_j + p'Vp.
        own, with_mean = v[:, pair.diagonal()], (v[:, pair] * proba[:, None]).sum(axis=2)
        of_mean = (with_mean * proba).sum(axis=1)
        leverage = (own * proba).sum(axis=1) - of_mean
        addition = 0.5 * sample.weight * proba * (own - 2.0 * with_mean + (of_mean - leverage)[:, None])
        return addition, leverage


class BinaryPoint:
    """The binary logit at one vector of parameters: `Points` with fewer calls, on which small fits spend their time.

    Let z be the linear predictor, with a minus sign if the outcome is 0, q = 1 / (1 + exp(z)) the probability of the
    other outcome, v = q (1 - q), and h = 2 tau v x'C x, for tau = 1/2 the leverage of a row for weight 1.
    """

    def __init__(self, sample: Sample, params: Array, firth: bool) -> None:
        self.sample, self.params, self.firth = sample, params, firth
        self.is_exact = not firth
        self._score: Array | None = None
        self._slope: Array | None = None
        self._leverage: float | None = None if firth else 0.0
        z = sample.x @ params
        if sample.offset is not None:
            z += sample.offset
        z *= sample.outcome_sign
        # Since exp(-|z|) is small, small probabilities and variances keep their digits.
        small = np.exp(np.copysign(z, -1.0))
        log_proba = np.minimum(z, 0.0)
        log_proba -= np.log1p(small)
        self.llf = self.value = float(log_proba @ sample.weight)
        large = 1.0 / (1.0 + small)
        small *= large
        self._z, self._q, self._v = z, np.where(z > 0.0, small, large), small * large
        self.information = sample.single_gram(self._v * sample.weight)
        if firth:
            log_determinant, self._root = inverse_root(self.information)
            self.value += sample.tau * log_determinant
        if math.isnan(self.value):
            self.value = -math.inf

    @property
    def probability(self) -> Array:
        """Probabilities of outcome 1, in a column."""
        return np.asarray(expit(self.sample.outcome_sign * self._z))[:, None]

    @property
    def score(self) -> Array:
        """Derivatives of the value."""
        if self._score is None:
            self._score = self._compute_score()
        return self._score

    def _compute_score(self) -> Array:
        """The sum of w (q + h (q - 1/2)) x, with the sign of z."""
        residual = self._q
        if self.firth:
            self._h = self.sample.squares(self._root)
            self._h *= 2.0 * self.sample.tau * self._v
            self._excess = self._q - 0.5
            residual = self._h * self._excess
            residual += self._q
        return (residual * self.sample.signed_weight) @ self.sample.x

    @property
    def slope(self) -> Array:
        """Minus the second derivatives of the value; those of the penalty are approximate unless `is_exact`."""
        if self._slope is None:
            self._slope = self._compute_slope() if self.firth else self.information
        return self._slope

    def _compute_slope(self) -> Array:
        """The formulas are those of `Points.slope` and `_TwoClasses`."""
        _ = self.score  # The leverages of all rows are computed with the score.
        sample, h, v = self.sample, self._h, self._v
        if h.max() <= SMALL_LEVERAGE:
            return self.information
        if sample.is_small:
            weights = np.empty((sample.x.shape[1] + 1, len(h)))
            weights[0] = sample.weight * (v - h * (0.5 - 3.0 * v))
            np.multiply(sample.x.T, sample.signed_weight * v * self._excess, out=weights[1:])
            sums = (weights @ sample.products.T).take(pairs(sample.x.shape[1])[2], axis=1)
            # These are D_r / 2, turned.
            turned = (self._root @ sums[1:] @ self._root.T).reshape(len(self.params), -1)
            slope = 4.0 * sample.tau * (turned @ turned.T) + sums[0]
            self.is_exact = dpotrf(slope.T)[1] == 0
            if self.is_exact:
                return slope
        return sample.single_gram(sample.weight * v * (1.0 + h))

    @property
    def leverage(self) -> float:
        """The largest leverage of a row, 0 without a penalty."""
        if self._leverage is None:
            _ = self.score  # The leverages of all rows are computed with the score.
            self._leverage = float((self.sample.weight * self._h).max())
        return self._leverage

    @leverage.setter
    def leverage(self, leverage: float) -> None:
        self._leverage = leverage

    def without_rows(self) -> "BinaryPoint":
        """A copy without derivatives, and without arrays of the length of the data."""
        kept = copy(self)
        kept._score = kept._slope = None
        for name in ("sample", "_z", "_q", "_v", "_h", "_excess"):
            vars(kept).pop(name, None)
        return kept


def inverse_root(a: Array) -> tuple[float, Array]:
    """Log determinant of a matrix and inverse of its Cholesky factor; NaN if it is numerically singular."""
    # LAPACK expects columns; the matrix is symmetric.
    factor, failed = dpotrf(a.T, lower=1)
    # For few numbers, Python is faster than NumPy.
    pivots = [root * root for root in factor.diagonal().tolist()]
    if failed or not all(map(gt, pivots, (SMALL_PIVOT * a.diagonal()).tolist())):
        return math.nan, np.full_like(a, math.nan)
    return sum(map(math.log, pivots)), dtrtri(factor, lower=1, overwrite_c=1)[0]


def _inverse_roots(matrices: Array) -> tuple[Array, Array]:
    """`inverse_root` of several matrices."""
    if len(matrices) == 1:
        log_determinant, root = inverse_root(matrices[0])
        return np.array([log_determinant]), root[None]
    try:
        factor = np.linalg.cholesky(matrices)
        pivots = factor.diagonal(axis1=1, axis2=2) ** 2
        if (pivots > SMALL_PIVOT * matrices.diagonal(axis1=1, axis2=2)).all():
            return np.log(pivots).sum(axis=1), np.linalg.inv(factor)
    except np.linalg.LinAlgError:
        pass
    # Some are singular.
    log_determinants, roots = zip(*map(inverse_root, matrices), strict=True)
    return np.array(log_determinants), np.array(roots)
