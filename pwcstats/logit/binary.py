"""One binary fit among several, as in continuation ratios: estimates, or their limits where the data are separated."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from pwcstats._arrays import Array
from pwcstats._kernels.separation import overlap, row_space, signs
from pwcstats.errors import ConvergenceWarning, SeparationWarning
from pwcstats.logit.likelihood import MultinomialLikelihood, Point
from pwcstats.logit.reading import aliased_columns, separated_words

# A fitted probability so near to 0 or 1 asks for a look at separation.
EXTREME = 1e-8
# In a predictor, what stands for infinity: its probability is 1 to the last digit.
INFINITY = 40.0


@dataclass
class BinaryFit:
    """Estimates of one binary logit.

    `beta` has infinite entries where the data are separated (nan, if their sign is open); `limit` has large ones in
    their place, whose probabilities are the limits to the last digit. `cov` has infinite variances there. `trouble` is
    what the user should be told. `kept` are the columns of the likelihood; of others the coefficients are 0, and their
    variances missing.
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
    kept: NDArray[np.bool_]
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
    drop: bool = False,
) -> BinaryFit:
    """Fit; `where` names the fit in what is said of separation or of a fit that did not converge.

    With `drop`, columns that are constant or combinations of those before are left out, as R's glm does it.
    """
    kept = np.ones(x.shape[1], np.bool_)
    if drop:
        r = np.asarray(np.linalg.qr(x, mode="r"))
        kept[aliased_columns(r, np.linalg.norm(x, axis=0), x.shape[1])] = False
    if not kept.all():
        names = [name for name, inside in zip(names, kept, strict=True) if inside]
        return _widened(fit_binary(np.ascontiguousarray(x[:, kept]), y, weight, firth, names, where, max_iter), kept)
    likelihood = MultinomialLikelihood(x, y, weight, np.zeros(len(x)), 2, firth, list(names), where)
    ascent = likelihood.fit(max_iter=max_iter)
    point = ascent.point
    extreme = np.minimum(point.probability, 1.0 - point.probability).min() < EXTREME
    if not firth and (extreme or not ascent.converged):
        fit = _separated(likelihood, names, where)
        if fit is not None:
            return fit
    trouble = None
    if not ascent.converged:
        words = f"the fit{where} did not converge ({ascent.reason}); raise maxiter, or use penalty='firth'."
        trouble = ConvergenceWarning(words)
    beta = likelihood.beta(point.params)
    value = point.value + likelihood.constant
    how = (ascent.n_iter, ascent.converged, ascent.reason)
    return BinaryFit(likelihood, point, beta, beta, likelihood.cov(point), value, point.llf, *how, kept, trouble)


def _widened(fit: BinaryFit, kept: NDArray[np.bool_]) -> BinaryFit:
    """The fit with places for the columns that were left out."""
    beta, limit = np.zeros(len(kept)), np.zeros(len(kept))
    beta[kept], limit[kept] = fit.beta, fit.limit
    cov = np.full((len(kept), len(kept)), np.nan)
    cov[np.ix_(kept, kept)] = fit.cov
    return replace(fit, beta=beta, limit=limit, cov=cov, kept=kept)


def _separated(likelihood: MultinomialLikelihood, names: Sequence[str], where: str) -> BinaryFit | None:
    """Limits of the estimates, if the data are separated.

    Rows that are separated say nothing of what stays finite: that is fitted to the others.
    """
    q, y, weight = likelihood.root, likelihood.code, likelihood.weight
    coefficients = solve_triangular(likelihood.r, np.eye(len(names)))
    constraints = np.where(y == 1, 1.0, -1.0)[:, None] * q
    rest, finite, u = overlap(constraints, coefficients)
    if finite.all():
        return None
    kind = "quasi-complete" if rest.any() else "complete"
    columns = [name for name, known in zip(names, finite, strict=True) if not known]
    words = separated_words(columns, kind, where, "use penalty='firth' for finite ones, or leave a column out.")
    limit, cov, llf, n_iter = np.zeros(len(names)), np.zeros((len(names), len(names))), 0.0, 0
    if rest.any():
        basis = row_space(q[rest])
        inner = MultinomialLikelihood(
            q[rest] @ basis, y[rest], weight[rest], np.zeros(rest.sum()), 2, False, ["?"] * basis.shape[1]
        )
        ascent = inner.maximise()
        limit, cov = basis @ inner.beta(ascent.point.params), basis @ inner.cov(ascent.point) @ basis.T
        llf, n_iter = ascent.point.llf, ascent.n_iter
    way = signs(constraints, coefficients[~finite])
    beta = coefficients @ limit
    beta[~finite] = np.where(way == 0.0, np.nan, np.copysign(np.inf, way))
    # So far along u that all that it separates is certain.
    limit = limit + u * ((INFINITY + np.abs(q @ limit).max()) / np.abs(q @ u)[~rest].min())
    cov = coefficients @ cov @ coefficients.T
    cov[~finite] = cov[:, ~finite] = 0.0
    cov[~finite, ~finite] = np.inf
    reason = f"there is {kind} separation"
    trouble = SeparationWarning(words)
    return BinaryFit(
        likelihood, None, beta, coefficients @ limit, cov, llf, llf, n_iter, False, reason,
        np.ones(len(names), np.bool_), trouble,
    )  # fmt: skip


def warn_of(fits: Iterable[BinaryFit]) -> None:
    """Say what is wrong with some fits, to the caller of the caller."""
    for fit in fits:
        if fit.trouble is not None:
            warnings.warn(fit.trouble, stacklevel=3)
