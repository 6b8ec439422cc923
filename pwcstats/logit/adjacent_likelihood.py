"""The likelihood of adjacent-category logits, with or without Jeffreys' penalty.

The model is a multinomial logit whose coefficients are linear functions of the parameters: those of class k against the
lowest class are the sums of the coefficients of the steps up to k.
"""

from collections.abc import Callable, Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pwcstats._arrays import Array
from pwcstats._kernels.separation import multinomial_constraints
from pwcstats.logit.centred import CentredLikelihood, centred, rows_that_count
from pwcstats.logit.evaluation import ManyClasses, Sample
from pwcstats.logit.maximum import EXTREME, Point


def by_step(n_steps: int, n_columns: int, parallel: bool) -> Array:
    """The coefficients of all steps, step by step, as linear combinations of those of the model, one row each.

    There are `n_columns` columns including the constant, which comes first.
    """
    if not parallel:
        return np.eye(n_steps * n_columns)
    identity = np.eye(n_columns)
    return np.column_stack([np.kron(np.eye(n_steps), identity[:, :1]), np.tile(identity[:, 1:], (n_steps, 1))])


def by_class(n_steps: int, n_columns: int, parallel: bool) -> Array:
    """The same for the coefficients of all classes against the lowest class."""
    return np.kron(np.tri(n_steps), np.eye(n_columns)) @ by_step(n_steps, n_columns, parallel)


class AdjacentSample(Sample):
    """Rows of a design; the rows of `classes` are the coefficients by class in terms of the parameters."""

    classes: Array

    def points(self, params: Array, firth: bool, most_leverage: float = np.inf) -> "AdjacentPoints":
        """The likelihood at some parameters, one row each; with `firth`, it is penalised."""
        return AdjacentPoints(self, params, firth, most_leverage)


class AdjacentPoints(ManyClasses):
    """The multinomial logit in terms of the parameters: with coefficients B theta, the information is B'I B."""

    sample: AdjacentSample

    def _by_class(self, params: Array) -> Array:
        return params @ self.sample.classes.T

    def _collect(self, gradient: Array) -> Array:
        return gradient @ self.sample.classes

    def _gram(self, covariance: Array) -> Array:
        return np.asarray(self.sample.classes.T @ super()._gram(covariance) @ self.sample.classes)

    def _penalise(self, cov: Array) -> tuple[Array, Array]:
        return super()._penalise(self.sample.classes @ cov @ self.sample.classes.T)


class AdjacentLikelihood(CentredLikelihood):
    """Likelihood of ordered classes, each against the class below it.

    The coefficients are those of each step, the constant first, or the constants of all steps and then common slopes.
    The parameters are those of centred, orthogonal columns. `names` returns the names of the columns.
    """

    sample: AdjacentSample

    def __init__(
        self,
        x: Array,
        code: NDArray[np.int64],
        weight: Array,
        offset: Array | None,
        n_classes: int,
        parallel: bool,
        firth: bool,
        names: Callable[[], Sequence[str]],
    ) -> None:
        x, code, weight, offset = rows_that_count(x, code, weight, offset)
        m, p = n_classes - 1, x.shape[1]
        root, r, mean = centred(x, names)
        # Each step has the offset, so that of class k against the lowest class is k times as large.
        offset = None if offset is None else np.arange(1.0, n_classes)[:, None] * offset
        self.sample = AdjacentSample(np.column_stack([np.ones(len(x)), root]), code, weight, offset, m)
        self._steps = by_step(m, p + 1, parallel)
        self.sample.classes = by_class(m, p + 1, parallel)
        self.firth = firth
        if parallel:
            wide = np.block([[np.eye(m), np.tile(mean, (m, 1))], [np.zeros((p, m)), r]])
        else:
            wide = np.kron(np.eye(m), np.block([[np.ones((1, 1)), mean[None]], [np.zeros((p, 1)), r]]))
        self._set_coordinates(wide)
        self.n_constraints = m * len(x)
        largest = np.tile(np.abs(self.sample.x).max(axis=0), m)
        self.scale = (largest[:, None] * self.sample.classes).max(axis=0)
        self._noise = 1e-16 * float(weight.sum())

    def row_scores(self, point: Point) -> Array:
        """What each row of positive weight adds to the score with respect to the coefficients; one row each."""
        residual = self.sample.points(point.params[None], self.firth).residual[0]
        by_class = np.column_stack([of_class[:, None] * self.sample.x for of_class in residual])
        return np.asarray(by_class @ self.sample.classes @ self._wide)

    def constraints(self) -> csr_array:
        """Constraints on parameters, one row each: all values are at least 0 in a direction of separation."""
        sample = self.sample
        rows, _ = multinomial_constraints(sample.x, sample.code, sample.n_rest + 1)
        return csr_array(rows @ csr_array(sample.classes))

    def origin(self, basis: Array | None, fixed: Array) -> Array:
        """Parameters that, added to fixed ones, are near those of no effects, by least squares of the steps."""
        sample, m = self.sample, self.sample.n_rest
        share = np.bincount(sample.code, sample.weight)
        wanted = np.tile(np.log(share[1:] / share[:-1]), (len(sample.x), 1))
        if sample.offset is not None:
            wanted -= sample.offset[0][:, None]
        gram = np.kron(np.eye(m), sample.x.T @ sample.x)
        steps = self._steps if basis is None else self._steps @ basis
        goal = (sample.x.T @ wanted).T.ravel() - gram @ self._steps @ fixed
        found = np.linalg.solve(steps.T @ gram @ steps, steps.T @ goal)
        return np.asarray(found if basis is None else basis @ found)

    def is_extreme(self, point: Point) -> bool:
        """Whether a class is almost impossible for a row."""
        proba = point.probability
        return bool(min(proba.min(), (1.0 - proba.sum(axis=1)).min()) < EXTREME)

    def limit(self, rest: NDArray[np.bool_]) -> "AdjacentLikelihood":
        """The limit if all constraints but some, the classes that a row does not have, become certain."""
        inner, sample = copy(self), copy(self.sample)
        other, row = np.nonzero(np.arange(sample.n_rest + 1)[:, None] != sample.code)
        sample.excluded = np.zeros((sample.n_rest + 1, len(sample.x)), np.bool_)
        sample.excluded[other, row] = ~rest
        inner.sample = sample
        return inner
