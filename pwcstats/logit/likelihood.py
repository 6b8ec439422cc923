"""The multinomial likelihood, with or without Firth's penalty."""

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv, dpotrf, dtrtri, dtrtrs

from pwcstats._arrays import Array
from pwcstats._kernels.separation import multinomial_constraints
from pwcstats.logit.evaluation import BinaryPoint, Sample
from pwcstats.logit.maximum import PATIENCE, Likelihood, Point, SinglePoint
from pwcstats.logit.reading import check_rank

# If the part of each column that is orthogonal to the columns before it is larger than this share of its length, the
# columns are used without orthogonalisation.
WELL_CONDITIONED = 0.05


class MultinomialLikelihood(Likelihood):
    """Likelihood of classes 1, 2, ... against class 0; with two classes it is the binary logit.

    It works with ``x = q r``, so that neither the units nor the origins of the columns cost precision. The coefficients
    are ``r⁻¹ g`` for the parameters g of q. `beta` converts parameters to the coefficients that users see, class by
    class; `information`, `cov` and `score` are for these coefficients, too. `names` returns the names of the columns.
    With `firth`, the penalty is `tau` times the log determinant of the information.
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
        tau: float = 0.5,
    ) -> None:
        counts = weight > 0.0
        if not counts.all():
            x, code, weight = x[counts], code[counts], weight[counts]
            offset = None if offset is None else offset[counts]
        root, self.r, gram = well_scaled(x, names, where)
        self.n_rest = n_classes - 1
        self.sample = Sample(root, code, weight, offset, self.n_rest, tau)
        self._gram = gram if (weight == 1.0).all() else self.sample.single_gram(weight)
        self.n_columns = x.shape[1]
        self.n_params = self.n_rest * self.n_columns
        self.n_constraints = self.n_rest * len(root)
        self.firth = firth
        self.scale = np.concatenate([np.maximum(root.max(axis=0), -root.min(axis=0))] * self.n_rest)
        # Rounding error of the sum over rows.
        self._noise = 1e-16 * float(weight.sum())
        # Jeffreys' penalty uses the information of the coefficients, not that of the parameters.
        size = float(np.log(np.abs(np.diagonal(self.r))).sum())
        self.constant = 2.0 * tau * self.n_rest * size if firth else 0.0

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

    def row_scores(self, point: Point) -> Array:
        """What each row of positive weight adds to the score with respect to the coefficients; one row each."""
        residual = self.sample.points(point.params[None], self.firth).residual[0]
        x = self.sample.x @ self.r
        return np.column_stack([of_class[:, None] * x for of_class in residual])

    # Values

    def evaluate(self, params: Array) -> Point:
        """Evaluate the likelihood and its derivatives at some parameters."""
        if self.n_rest == 1:
            return BinaryPoint(self.sample, params, self.firth)
        return SinglePoint(self.sample.points(params[None], self.firth))

    def constraints(self) -> Any:
        """Constraints on parameters, one row each: all values are at least 0 in a direction of separation."""
        return multinomial_constraints(self.sample.x, self.sample.code, self.n_rest + 1)[0]

    def more_starts(self) -> list[Array]:
        """Multiples of the estimates from columns with clipped outliers."""
        clipped, x, sample = copy(self), self.sample.x, self.sample
        middle = np.median(x, axis=0)
        reach = 2.0 * np.abs(x - middle).mean(axis=0)
        x = np.clip(x, middle - reach, middle + reach)
        clipped.sample = Sample(x, sample.code, sample.weight, sample.offset, self.n_rest, sample.tau)
        estimates = clipped.maximise(maxiter=PATIENCE).point.params
        return [estimates, 3.0 * estimates]

    def first_step(self) -> Array:
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

    def free(self, held: NDArray[np.bool_]) -> Array:
        """Orthonormal basis of the parameters whose held coefficients are 0."""
        wide = np.kron(np.eye(self.n_rest), self.r)
        return np.asarray(np.linalg.qr(wide[:, ~held])[0])


def well_scaled(x: Array, names: Callable[[], Sequence[str]], where: str) -> tuple[Array, Array, Array]:
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
