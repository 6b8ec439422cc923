"""One binary fit among several, as in continuation ratios: estimates, or their limits where the data are separated."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pwcstats._kernels.separation import overlap, row_space
from pwcstats._validate.common import Array
from pwcstats._validate.designs import separated_words
from pwcstats.errors import ConvergenceWarning, SeparationWarning
from pwcstats.logit.likelihood import MultinomialLikelihood, Point

# A fitted probability so near to 0 or 1 asks for a look at separation.
EXTREME = 1e-8
# In a predictor, what stands for infinity: its probability is 1 to the last digit.
INFINITY = 40.0


@dataclass
class BinaryFit:
    """Estimates of one binary logit.

    `beta` has infinite entries where the data are separated; `limit` has large ones in their place, whose probabilities
    are the limits to the last digit. `cov` has infinite variances there. `trouble` is what the user should be told.
    """

    likelihood: MultinomialLikelihood
    point: Point | None
    beta: Array
    limit: Array
    cov: Array
    value: float
    llf: float
    n_iter: int
    converged: bool
    reason: str
    trouble: Warning | None = None

    @property
    def infinite(self) -> NDArray[np.bool_]:
        """Which coefficients have no finite estimate."""
        return ~np.isfinite(self.beta)


def fit_binary(
    x: Array,
    y: NDArray[np.int64],
    weight: Array,
    firth: bool,
    names: Sequence[str],
    where: str = "",
    max_iter: int = 200,
) -> BinaryFit:
    """Fit; `where` names the fit in what is said of separation or of a fit that did not converge."""
    likelihood = MultinomialLikelihood(x, y, weight, np.zeros(len(x)), 2, firth, list(names), where)
    ascent = likelihood.fit(max_iter=max_iter)
    point = ascent.point
    extreme = np.minimum(point.probability, 1.0 - point.probability).min() < EXTREME
    if not firth and (extreme or not ascent.converged):
        fit = _separated(likelihood, x, y, weight, names, where)
        if fit is not None:
            return fit
    trouble = None
    if not ascent.converged:
        words = f"the fit{where} did not converge ({ascent.reason}); raise maxiter, or use penalty='firth'."
        trouble = ConvergenceWarning(words)
    beta = likelihood.beta(point.params)
    value = point.value + likelihood.constant
    how = (ascent.n_iter, ascent.converged, ascent.reason)
    return BinaryFit(likelihood, point, beta, beta, likelihood.cov(point), value, point.llf, *how, trouble)


def _separated(
    likelihood: MultinomialLikelihood, x: Array, y: NDArray[np.int64], weight: Array, names: Sequence[str], where: str
) -> BinaryFit | None:
    """Limits of the estimates, if the data are separated.

    Rows that are separated say nothing of what stays finite: that is fitted to the others.
    """
    x, y, weight = x[weight > 0.0], y[weight > 0.0], weight[weight > 0.0]
    rest, finite, direction = overlap(np.where(y == 1, 1.0, -1.0)[:, None] * x)
    if not direction.any():
        return None
    kind = "quasi-complete" if rest.any() else "complete"
    columns = [name for name, known in zip(names, finite, strict=True) if not known]
    words = separated_words(columns, kind, where, "use penalty='firth' for finite ones, or leave a column out.")
    limit, cov, llf, n_iter = np.zeros(x.shape[1]), np.zeros((x.shape[1], x.shape[1])), 0.0, 0
    if rest.any():
        basis = row_space(x[rest])
        inner = MultinomialLikelihood(
            x[rest] @ basis, y[rest], weight[rest], np.zeros(rest.sum()), 2, False, ["?"] * basis.shape[1]
        )
        ascent = inner.maximise()
        limit, cov = basis @ inner.beta(ascent.point.params), basis @ inner.cov(ascent.point) @ basis.T
        llf, n_iter = ascent.point.llf, ascent.n_iter
    margin = np.abs(x @ direction)[~rest].min()
    reach = INFINITY + np.abs(x @ limit).max()
    beta = np.where(finite, limit, np.where(direction == 0.0, np.nan, np.copysign(np.inf, direction)))
    limit = limit + direction * (reach / margin)
    cov[~finite] = cov[:, ~finite] = 0.0
    cov[~finite, ~finite] = np.inf
    reason = f"there is {kind} separation"
    return BinaryFit(likelihood, None, beta, limit, cov, llf, llf, n_iter, False, reason, SeparationWarning(words))


def warn_of(fits: Iterable[BinaryFit]) -> None:
    """Say what is wrong with some fits, to the caller of the caller."""
    for fit in fits:
        if fit.trouble is not None:
            warnings.warn(fit.trouble, stacklevel=3)
