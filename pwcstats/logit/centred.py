"""Likelihoods of ordinal models, whose parameters belong to centred columns."""

from abc import abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pwcstats._arrays import Array
from pwcstats.logit.likelihood import well_scaled
from pwcstats.logit.maximum import Likelihood, Point, SinglePoint
from pwcstats.logit.reading import RankError, check_rank


class CentredLikelihood(Likelihood):
    """A likelihood whose coefficients times a matrix are its parameters."""

    _wide: Array
    _narrow: Array

    def _set_coordinates(self, wide: Array) -> None:
        self._wide = wide
        self._narrow = np.asarray(np.linalg.inv(wide), dtype=np.float64)
        self.n_params = len(wide)
        # Jeffreys' penalty uses the information of the coefficients, not that of the parameters.
        self.constant = float(np.linalg.slogdet(wide)[1]) if self.firth else 0.0

    def beta(self, params: Array) -> Array:
        """Coefficients of some parameters."""
        return np.asarray(self._narrow @ params)

    def params(self, beta: Array) -> Array:
        """Parameters of some coefficients; the inverse of `beta`."""
        return np.asarray(self._wide @ beta)

    def contrasts(self) -> Array:
        """The coefficients as linear combinations of the parameters, one row each."""
        return self._narrow

    def cov(self, point: Point) -> Array:
        """Covariance of the coefficients: the inverse information."""
        return np.asarray(self._narrow @ np.linalg.inv(point.information) @ self._narrow.T)

    def score(self, point: Point) -> Array:
        """Score with respect to the coefficients."""
        return np.asarray(self._wide.T @ point.score)

    def evaluate(self, params: Array) -> Point:
        """Evaluate the likelihood and its derivatives at some parameters."""
        with np.errstate(all="ignore"):
            return SinglePoint(self.sample.points(params[None], self.firth))

    def free(self, held: NDArray[np.bool_]) -> Array:
        """Orthonormal basis of the parameters whose held coefficients are 0."""
        return np.asarray(np.linalg.qr(self._wide[:, ~held])[0])

    @abstractmethod
    def is_extreme(self, point: Point) -> bool:
        """Whether an outcome is almost certain, which may be due to separation."""

    @abstractmethod
    def limit(self, rest: NDArray[np.bool_]) -> "CentredLikelihood":
        """The limit if all constraints but some become certain."""

    def first_step(self) -> Array:
        """The start of an ascent: no effects."""
        return self.origin(None, np.zeros(self.n_params))


def rows_that_count(
    x: Array, code: NDArray[np.int64], weight: Array, offset: Array | None
) -> tuple[Array, NDArray[np.int64], Array, Array | None]:
    """Rows of positive weight."""
    counts = weight > 0.0
    if counts.all():
        return x, code, weight, offset
    return x[counts], code[counts], weight[counts], None if offset is None else offset[counts]


def centred(x: Array, names: Callable[[], Sequence[str]]) -> tuple[Array, Array, Array]:
    """Factors q and r of the centred columns, with q as in `well_scaled`, and the means; checks that the rank is full.

    `names` returns the names of the columns.
    """
    mean = x.mean(axis=0)
    if not x.shape[1]:
        return x, np.zeros((0, 0)), mean
    with_constant = np.column_stack([np.ones(len(x)), x])
    try:
        check_rank(with_constant, ["the constant", *names()], r=np.asarray(np.linalg.qr(with_constant, mode="r")))
    except RankError as error:
        error.columns = [column - 1 for column in error.columns]
        raise
    root, r, _ = well_scaled(x - mean, names, "")
    return root, r, mean
