"""LDA, QDA and Gaussian naive Bayes of all pairs in all folds, from sums that are computed once per class and fold.

The LDA of a pair needs only the means and scatter matrices of its two classes. In a fold, these are combined from the
sums of the other folds. If a matrix is nearly singular, the sums are not precise enough. Such a pair is not `usable`,
and its learner is fitted to the rows.
"""

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import check_array

from pwcstats import _native
from pwcstats._arrays import Array
from pwcstats.pairwise.calibration import bounded
from pwcstats.pairwise.data import ClassPairs, Integers, Problem
from pwcstats.pairwise.folds import Folds, HeldOut
from pwcstats.pairwise.learners import PROBABILITY, Candidate, for_pair

# Sums of squares keep 16 digits of the largest eigenvalue. Eigenvalues below 1e-13 of it are 0; those above 1e-7 of it
# have at least eight digits. Between these bounds the sums are not precise enough.
NOTHING, ENOUGH = 1e-13, 1e-7
# With more columns, scatter matrices cost more than the rows themselves.
MOST_COLUMNS = 300
# With more folds, combining the sums of the others costs more than fits.
MOST_FOLDS = 20
# Numbers in the matrices of one batch.
BATCH = 2**22


@dataclass(frozen=True)
class Sums:
    """Count, mean and scatter about the mean of each class; for naive Bayes only the diagonal of the scatter."""

    count: Array
    mean: Array
    scatter: Array


class GaussianPath:
    """Fast path: one of the three learners on all pairs. `usable` says for which pairs the sums are exact enough."""

    # At log-odds of 0 scikit-learn predicts the first class.
    tie = 0

    def __init__(self, problem: Problem, candidate: Candidate, n_jobs: int | None, verbose: int) -> None:
        self._problem, self._learner = problem, candidate.learner
        self._bound = candidate.kind == PROBABILITY
        self._kind = _PAIRS[type(candidate.learner)]
        self._fitted = self._kind(problem, candidate.learner, _together(_sums(problem, None, self._kind.full)))
        self.usable = self._fitted.usable.copy()

    @staticmethod
    def supports(learner: Any) -> bool:
        """Whether a learner is one of the three (a derived class may differ)."""
        return type(learner) in _PAIRS

    @staticmethod
    def applies(problem: Problem, candidate: Candidate) -> bool:
        """Whether the sums determine the fit."""
        if candidate.params or sparse.issparse(problem.x) or problem.square:
            return False
        if type(candidate.learner) is GaussianNB:
            return True
        options = candidate.learner.get_params()
        plain = all(options.get(name) is None for name in ("shrinkage", "covariance_estimator", "n_components"))
        return plain and options.get("solver", "svd") == "svd" and problem.x.shape[1] <= MOST_COLUMNS

    def can_use(self, folds: Folds) -> bool:
        """Whether each fold trains on all other folds, and there are few: each needs the sums of all the others."""
        return folds.number is not None and folds.complements and len(folds) <= MOST_FOLDS

    def fit(self, pairs: Integers) -> "GaussianPairs":
        """The learners of some pairs, fitted to all rows."""
        return self._fitted.of(pairs, self._bound)

    def trained(self, fitted: "GaussianPairs") -> Array:
        """Own margins of the training rows."""
        return self._cut(self._fitted.own_margins(self._problem.array, self._problem.code))

    def held_out(self, folds: Folds) -> HeldOut:
        """Scores of held-out rows."""
        problem, number = self._problem, folds.held()
        parts = _sums(problem, folds, self._kind.full)
        margins = np.empty((len(problem.code), problem.n_classes - 1))
        sample = folds.sample
        scores = None if sample is None else np.empty((len(sample), problem.n_pairs))
        for fold in range(len(folds)):
            # If there are more parts than folds, the last one has the rows that are in all training sets.
            rest = _together(parts[:fold] + parts[fold + 1 :])
            model = self._kind(problem, self._learner, rest)
            self.usable &= model.usable
            test = np.flatnonzero(number == fold)
            margins[test] = model.own_margins(problem.array[test], problem.code[test])
            if scores is not None and sample is not None:
                in_fold = number[sample] == fold
                scores[in_fold] = model.of(model.pairs, self._bound).scores(problem.array[sample[in_fold]])
        return HeldOut(self._cut(margins), scores)

    def _cut(self, margins: Array) -> Array:
        return bounded(margins) if self._bound else margins


def _sums(problem: Problem, folds: Folds | None, full: bool) -> list[Sums]:
    """The sums of all rows; with folds, of those that each holds out, and of those that none does, if any."""
    n_parts = 1 if folds is None else len(folds) + int(folds.kept.any())
    k, p = problem.n_classes, problem.array.shape[1]
    parts = [Sums(np.zeros(k), np.zeros((k, p)), np.zeros((k, p, p) if full else (k, p))) for _ in range(n_parts)]
    number = np.zeros(len(problem.code), np.int64) if folds is None else folds.held() % n_parts
    for c, rows in enumerate(problem.rows_of_class):
        of_class = problem.array[rows]
        for fold, part in enumerate(parts):
            x = of_class[number[rows] == fold]
            if len(x):
                part.count[c], part.mean[c] = len(x), x.mean(axis=0)
                centred = x - part.mean[c]
                part.scatter[c] = centred.T @ centred if full else (centred**2).sum(axis=0)
    return parts


def _together(parts: list[Sums]) -> Sums:
    """The sums of several folds combined; they are only added, never subtracted, so no digits are lost."""
    if len(parts) == 1:
        return parts[0]
    count = np.sum([part.count for part in parts], axis=0)
    mean = np.sum([part.count[:, None] * part.mean for part in parts], axis=0) / count[:, None]
    scatter = np.zeros_like(parts[0].scatter)
    for part in parts:
        gap = part.mean - mean
        if scatter.ndim == 3:
            scatter += part.scatter + part.count[:, None, None] * gap[:, :, None] * gap[:, None, :]
        else:
            scatter += part.scatter + part.count[:, None] * gap**2
    return Sums(count, mean, scatter)


class GaussianPairs(ABC):
    """Pairs of classes with normal densities, determined by their sums."""

    full = True
    bound = False

    def __init__(self, problem: ClassPairs, learner: Any, sums: Sums) -> None:
        self.problem = ClassPairs(problem.classes)
        self.blank, self.sums = learner, sums
        self.pairs = np.arange(problem.n_pairs)
        self.usable = np.ones(problem.n_pairs, np.bool_)
        size = sums.count if learner.priors is None else np.asarray(learner.priors, dtype=np.float64)
        self.log_prior = np.log(size)

    def of(self, pairs: Integers, bound: bool) -> "GaussianPairs":
        """The same for some pairs only; `bound` says that scores represent probabilities and are bounded as such."""
        part = copy(self)
        part.pairs, part.bound = pairs, bound
        return part

    @abstractmethod
    def own_margins(self, x: Array, code: Integers) -> Array:
        """Log-odds of each row's own class against each other class."""

    def scores(self, x: Any) -> Array:
        """Log-odds of the first class of each pair."""
        values = self._scores(check_array(x, dtype=np.float64, order="C"))
        return bounded(values) if self.bound else values

    @abstractmethod
    def _scores(self, x: Array) -> Array:
        """Log-odds without bounds."""

    def learner(self, index: int) -> Any:
        """The learner of one of the pairs, as scikit-learn would have fitted it."""
        pair = int(self.pairs[index])
        both = np.array([self.problem.low[pair], self.problem.high[pair]])
        fitted = for_pair(self.blank, self.problem, pair, None)
        fitted.classes_ = np.arange(2)
        fitted.n_features_in_ = self.sums.mean.shape[1]
        self._fill(fitted, pair, both)
        return fitted

    @abstractmethod
    def _fill(self, fitted: Any, pair: int, both: Integers) -> None:
        """Set the attributes that `fit` of the learner sets, as if it had been fitted to the rows of the pair."""

    def _priors(self, both: Integers) -> Array:
        share = np.exp(self.log_prior[both])
        return share / share.sum()


class LinearPairs(GaussianPairs):
    """Linear discriminant analysis, with the pooled covariance of two classes."""

    def __init__(self, problem: ClassPairs, learner: Any, sums: Sums) -> None:
        super().__init__(problem, learner, sums)
        low, high, p = self.problem.low, self.problem.high, sums.mean.shape[1]
        self.coef = np.empty((self.problem.n_pairs, p))
        for start in range(0, len(low), max(BATCH // p**2, 1)):
            batch = slice(start, start + max(BATCH // p**2, 1))
            self._solve(batch, low[batch], high[batch])
        middle = 0.5 * (sums.mean[low] + sums.mean[high])
        self.intercept = self.log_prior[low] - self.log_prior[high] - (middle * self.coef).sum(axis=1)

    def _solve(self, batch: slice, low: Integers, high: Integers) -> None:
        """Coefficients from the eigenvalues of the pooled correlations, truncated as scikit-learn does."""
        sums = self.sums
        n = sums.count[low] + sums.count[high]
        scatter = sums.scatter[low] + sums.scatter[high]
        sd = np.sqrt(np.diagonal(scatter, axis1=1, axis2=2) / n[:, None])
        size = np.maximum(np.abs(sums.mean[low]), np.abs(sums.mean[high]))
        # A column that is constant except for rounding: scikit-learn inflates it, so the pair is left to scikit-learn.
        noise = ((sd > 0.0) & (sd < 1e-10 * size)).any(axis=1)
        sd[sd == 0.0] = 1.0
        freedom = np.maximum(n - _lda_lost(), 1.0)
        scatter /= sd[:, :, None] * sd[:, None, :] * freedom[:, None, None]
        value, vector = np.linalg.eigh(scatter)
        doubtful = ((value > NOTHING * value[:, -1:]) & (value < ENOUGH * value[:, -1:])).any(axis=1)
        self.usable[batch] = ~noise & ~doubtful & (n > 2)
        # A smaller tolerance would keep rounding errors.
        kept = value > np.maximum(self.blank.tol**2, NOTHING * value[:, -1:])
        gap = (sums.mean[low] - sums.mean[high]) / sd
        inverse = np.where(kept, 1.0, 0.0) / np.where(kept, value, 1.0)
        along = np.einsum("bji,bj->bi", vector, gap) * inverse
        self.coef[batch] = np.einsum("bij,bj->bi", vector, along) / sd

    def own_margins(self, x: Array, code: Integers) -> Array:
        """Log-odds of each row's own class against each other class."""
        out = np.empty((len(x), self.problem.n_classes - 1))
        for c, rivals in enumerate(self.problem.others):
            rows, pairs = code == c, self.problem.number[c, rivals]
            sign = np.where(rivals > c, 1.0, -1.0)
            out[rows] = (x[rows] @ self.coef[pairs].T + self.intercept[pairs]) * sign
        return out

    def _scores(self, x: Array) -> Array:
        return x @ self.coef[self.pairs].T + self.intercept[self.pairs]

    def _fill(self, fitted: Any, pair: int, both: Integers) -> None:
        coef, mean = self.coef[pair], self.sums.mean[both]
        fitted.coef_, fitted.intercept_ = -coef[None, :], -self.intercept[[pair]]
        fitted.means_, fitted.priors_ = mean, self._priors(both)
        fitted.xbar_ = fitted.priors_ @ mean
        distance = np.sqrt(max(float((mean[0] - mean[1]) @ coef), 0.0))
        fitted.scalings_ = coef[:, None] / distance if distance > 0.0 else np.zeros((len(coef), 0))
        fitted.explained_variance_ratio_ = np.ones(1)
        fitted._max_components = fitted._n_features_out = 1
        if fitted.store_covariance:
            n = self.sums.count[both]
            each = self.sums.scatter[both] / n[:, None, None]
            fitted.covariance_ = np.tensordot(fitted.priors_, each, axes=1)


class QuadraticPairs(GaussianPairs):
    """Quadratic discriminant analysis, in which the covariance of a class does not depend on the other class."""

    def __init__(self, problem: ClassPairs, learner: Any, sums: Sums) -> None:
        super().__init__(problem, learner, sums)
        p = sums.mean.shape[1]
        freedom = np.maximum(sums.count - _qda_lost(), 1.0)
        covariance = (1.0 - learner.reg_param) * sums.scatter / freedom[:, None, None] + learner.reg_param * np.eye(p)
        sd = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
        good = (sd > 0.0).all(axis=1) & (sums.count > p)
        covariance[~good], sd[~good] = np.eye(p), 1.0
        correlation = covariance / (sd[:, :, None] * sd[:, None, :])
        value = np.linalg.eigvalsh(correlation)
        good &= value[:, 0] > ENOUGH * value[:, -1]
        correlation[~good] = np.eye(p)
        # With different units, singular values of a root of the covariance keep digits that its eigenvalues lose.
        self.rotation, root, _ = np.linalg.svd(sd[:, :, None] * np.linalg.cholesky(correlation))
        self.scaling = root**2
        good &= self.scaling[:, -1] > learner.tol
        self.usable = good[self.problem.low] & good[self.problem.high]

    def _log_posterior(self, x: Array) -> Array:
        """Log density of each class plus its log prior."""
        out = np.empty((len(x), self.problem.n_classes))
        for c in range(self.problem.n_classes):
            z = (x - self.sums.mean[c]) @ (self.rotation[c] / np.sqrt(self.scaling[c]))
            out[:, c] = -0.5 * ((z**2).sum(axis=1) + np.log(self.scaling[c]).sum()) + self.log_prior[c]
        return out

    def own_margins(self, x: Array, code: Integers) -> Array:
        """Log-odds of each row's own class against each other class."""
        value = self._log_posterior(x)
        return np.take_along_axis(value, code[:, None], axis=1) - np.take_along_axis(
            value, self.problem.others[code], axis=1
        )

    def _scores(self, x: Array) -> Array:
        value = self._log_posterior(x)
        return value[:, self.problem.low[self.pairs]] - value[:, self.problem.high[self.pairs]]

    def _fill(self, fitted: Any, pair: int, both: Integers) -> None:
        fitted.means_, fitted.priors_ = self.sums.mean[both], self._priors(both)
        fitted.rotations_ = [self.rotation[c] for c in both]
        fitted.scalings_ = [self.scaling[c] for c in both]
        if fitted.store_covariance:
            fitted.covariance_ = [
                scaling * rotation @ rotation.T
                for scaling, rotation in zip(fitted.scalings_, fitted.rotations_, strict=True)
            ]


class NaivePairs(GaussianPairs):
    """Gaussian naive Bayes, in which smoothing makes the variances of a class depend on the other class."""

    full = False

    def __init__(self, problem: ClassPairs, learner: Any, sums: Sums) -> None:
        super().__init__(problem, learner, sums)
        low, high = self.problem.low, self.problem.high
        n = sums.count[low] + sums.count[high]
        between = (sums.count[low] * sums.count[high] / n)[:, None] * (sums.mean[low] - sums.mean[high]) ** 2
        total = (sums.scatter[low] + sums.scatter[high] + between) / n[:, None]
        self.epsilon = learner.var_smoothing * total.max(axis=1)
        each = sums.scatter / sums.count[:, None]
        variance = np.stack([each[low], each[high]], axis=1) + self.epsilon[:, None, None]
        self.usable = variance.min(axis=(1, 2)) > 0.0
        variance[~self.usable] = 1.0
        self.precision = 1.0 / variance
        log_variance = np.log(variance).sum(axis=2)
        self.constant = self.log_prior[low] - self.log_prior[high] + 0.5 * (log_variance[:, 1] - log_variance[:, 0])

    def own_margins(self, x: Array, code: Integers) -> Array:
        """Log-odds of each row's own class against each other class."""
        out = np.empty((len(x), self.problem.n_classes - 1))
        _native.naive_bayes_own_margins(
            x, self.sums.mean, code, self.problem.number, self.precision, self.constant, out
        )
        return out

    def _scores(self, x: Array) -> Array:
        out = np.empty((len(x), len(self.pairs)))
        low, high = self.problem.low[self.pairs], self.problem.high[self.pairs]
        precision, constant = self.precision[self.pairs], self.constant[self.pairs]
        _native.naive_bayes_log_odds(x, self.sums.mean, low, high, precision, constant, out)
        return out

    def _fill(self, fitted: Any, pair: int, both: Integers) -> None:
        fitted.theta_, fitted.var_ = self.sums.mean[both], 1.0 / self.precision[pair]
        fitted.epsilon_ = self.epsilon[pair]
        fitted.class_count_, fitted.class_prior_ = self.sums.count[both], self._priors(both)


_PAIRS: dict[type, type[GaussianPairs]] = {
    LinearDiscriminantAnalysis: LinearPairs,
    QuadraticDiscriminantAnalysis: QuadraticPairs,
    GaussianNB: NaivePairs,
}


@cache
def _lda_lost() -> float:
    """What scikit-learn's LDA subtracts from n in a pooled covariance: 2 before version 1.9, then 0."""
    fitted = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [2.0], [5.0], [6.0], [7.0]], [0, 0, 0, 1, 1, 1])
    return round(6.0 - 4.0 * float(fitted.coef_[0, 0]) / 5.0)


@cache
def _qda_lost() -> float:
    """What scikit-learn's QDA subtracts from n in a covariance: 1 before version 1.9, then 0."""
    fitted = QuadraticDiscriminantAnalysis().fit([[0.0], [1.0], [2.0], [5.0], [6.0], [7.0]], [0, 0, 0, 1, 1, 1])
    return round(3.0 - 2.0 / float(fitted.scalings_[0][0]))
