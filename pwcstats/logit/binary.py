"""Binary fits, of which continuation ratios and individualized models consist; separated data have limits."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from pwcstats._arrays import Array
from pwcstats._kernels.separation import overlap, row_space, signs
from pwcstats.errors import ConvergenceWarning, PwcWarning, SeparationWarning, arg, warn
from pwcstats.logit.likelihood import MultinomialLikelihood, Point
from pwcstats.logit.reading import aliased_columns
from pwcstats.logit.separation import Kind, separation_message

# A fitted probability this close to 0 or 1 may be due to separation.
EXTREME = 1e-8
# A linear predictor that stands for infinity: its probability is 1 to the last digit.
INFINITY = 40.0


@dataclass
class BinaryFit:
    """Estimates of one binary logit.

    If the data are separated, `beta` has infinite entries (NaN if their sign is not determined), `cov` has infinite
    variances, and `limit` has large numbers instead, which give the limits of the probabilities to the last digit.
    `trouble` is the warning that users should see. `kept` marks the columns of the likelihood; the other columns have
    coefficients 0 and missing variances.
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
    trouble: PwcWarning | None = None
    separation: Kind = "none"

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
    where: str,
    maxiter: int,
    drop: bool = False,
) -> BinaryFit:
    """Fit a binary logit without a warning; `where` names the fit in messages.

    With `drop`, columns that are constant or combinations of the columns before them are left out, as in R's ``glm``.
    """
    kept = np.ones(x.shape[1], np.bool_)
    if drop:
        r = np.asarray(np.linalg.qr(x, mode="r"))
        kept[aliased_columns(r, np.linalg.norm(x, axis=0), x.shape[1])] = False
    if not kept.all():
        names = [name for name, inside in zip(names, kept, strict=True) if inside]
        return _widened(fit_binary(np.ascontiguousarray(x[:, kept]), y, weight, firth, names, where, maxiter), kept)
    likelihood = MultinomialLikelihood(x, y, weight, None, 2, firth, lambda: names, where)
    ascent = likelihood.fit(maxiter=maxiter)
    point = ascent.point
    extreme = np.minimum(point.probability, 1.0 - point.probability).min() < EXTREME
    if not firth and (extreme or not ascent.converged):
        fit = _separated(likelihood, names, where)
        if fit is not None:
            return fit
    trouble = None
    if not ascent.converged:
        cure = f"raise {arg('maxiter')}" if firth else f"raise {arg('maxiter')}, or use {arg('penalty', 'firth')}"
        trouble = ConvergenceWarning(f"the fit{where} did not converge ({ascent.reason}); {cure}.")
    beta = likelihood.beta(point.params)
    value = point.value + likelihood.constant
    how = (ascent.n_iter, ascent.converged, ascent.reason)
    return BinaryFit(likelihood, point, beta, beta, likelihood.cov(point), value, point.llf, *how, kept, trouble)


def _widened(fit: BinaryFit, kept: NDArray[np.bool_]) -> BinaryFit:
    """The fit with entries for the columns that were left out."""
    beta, limit = np.zeros(len(kept)), np.zeros(len(kept))
    beta[kept], limit[kept] = fit.beta, fit.limit
    cov = np.full((len(kept), len(kept)), np.nan)
    cov[np.ix_(kept, kept)] = fit.cov
    return replace(fit, beta=beta, limit=limit, cov=cov, kept=kept)


def _separated(likelihood: MultinomialLikelihood, names: Sequence[str], where: str) -> BinaryFit | None:
    """Limits of the estimates if the data are separated, otherwise None.

    Separated rows carry no information about the finite estimates, which are fitted to the other rows.
    """
    q, y, weight = likelihood.sample.x, likelihood.sample.code, likelihood.sample.weight
    coefficients = solve_triangular(likelihood.r, np.eye(len(names)))
    constraints = np.where(y == 1, 1.0, -1.0)[:, None] * q
    rest, finite, u = overlap(constraints, coefficients)
    if finite.all():
        return None
    kind: Kind = "quasi-complete" if rest.any() else "complete"
    columns = [name for name, is_finite in zip(names, finite, strict=True) if not is_finite]
    cure = f"use {arg('penalty', 'firth')} for finite estimates, or leave a column out"
    limit, cov, llf, n_iter = np.zeros(len(names)), np.zeros((len(names), len(names))), 0.0, 0
    if rest.any():
        basis = row_space(q[rest])
        inner = MultinomialLikelihood(
            q[rest] @ basis, y[rest], weight[rest], None, 2, False, lambda: ["?"] * basis.shape[1]
        )
        ascent = inner.maximise()
        limit, cov = basis @ inner.beta(ascent.point.params), basis @ inner.cov(ascent.point) @ basis.T
        llf, n_iter = ascent.point.llf, ascent.n_iter
    sign = signs(constraints, coefficients[~finite])
    beta = coefficients @ limit
    beta[~finite] = np.where(sign == 0.0, np.nan, np.copysign(np.inf, sign))
    # Move so far along u that the outcomes of all separated rows are certain.
    limit = limit + u * ((INFINITY + np.abs(q @ limit).max()) / np.abs(q @ u)[~rest].min())
    cov = coefficients @ cov @ coefficients.T
    cov[~finite] = cov[:, ~finite] = 0.0
    cov[~finite, ~finite] = np.inf
    return BinaryFit(
        likelihood, None, beta, coefficients @ limit, cov, llf, llf, n_iter, False, f"there is {kind} separation",
        np.ones(len(names), np.bool_), SeparationWarning(separation_message(columns, kind, cure, where)), kind,
    )  # fmt: skip


def warn_about(fits: Iterable[BinaryFit]) -> None:
    """Give the warnings of some fits."""
    for fit in fits:
        if fit.trouble is not None:
            warn(fit.trouble)
