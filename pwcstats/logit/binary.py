"""Binary fits, of which continuation ratios and individualized models consist; separated data have limits."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pwcstats._arrays import Array
from pwcstats._kernels.newton import Ascent
from pwcstats._kernels.separation import overlap, row_space, signs
from pwcstats.errors import ConvergenceWarning, PwcWarning, SeparationWarning, arg, warn
from pwcstats.logit.likelihood import MultinomialLikelihood
from pwcstats.logit.maximum import EXTREME, Likelihood, Point
from pwcstats.logit.reading import aliased_columns
from pwcstats.logit.separation import Kind, separation_message

# A linear predictor that stands for infinity: its probability is 1 to the last digit.
INFINITY = 40.0

# Parameters, their covariance, the log-likelihood and the number of steps of a fit to the rows that are not separated.
Limit = tuple[Array, Array, float, int]


@dataclass
class Fit:
    """Estimates of one binary or ordered logit.

    If the data are separated, `beta` has infinite entries (NaN if their sign is not determined), `cov` has infinite
    variances, and `limit` has large numbers instead, which give the limits of the probabilities to the last digit.
    `trouble` is the warning that users should see. `kept` marks the columns of the likelihood; the other columns have
    coefficients 0 and missing variances.
    """

    likelihood: Likelihood
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
) -> Fit:
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
    return finite_fit(likelihood, ascent, where)


def cure_of(ascent: Ascent[Point], or_else: str = "", started: bool = False) -> str:
    """What helps if an ascent did not converge; `or_else` is further advice, `started` tells of a start by the user."""
    if ascent.reason.startswith("stopped"):
        return f"raise {arg('maxiter')}"
    if started:
        return f"leave out {arg('start_params')}, or start nearer to 0"
    return f"look for extreme numbers in {arg('exog')}, the weights and the offset{or_else}"


def finite_fit(likelihood: Likelihood, ascent: Ascent[Point], where: str = "") -> Fit:
    """The fit of a likelihood that has a maximum."""
    point, trouble = ascent.point, None
    if not ascent.converged:
        cure = cure_of(ascent, "" if likelihood.firth else f", or use {arg('penalty', 'firth')}")
        trouble = ConvergenceWarning(f"the fit{where} did not converge ({ascent.reason}); {cure}.")
    beta = likelihood.beta(point.params)
    value, kept = point.value + likelihood.constant, np.ones(len(beta), np.bool_)
    how = (ascent.n_iter, ascent.converged, ascent.reason)
    return Fit(likelihood, point, beta, beta, likelihood.cov(point), value, point.llf, *how, kept, trouble)


def _widened(fit: Fit, kept: NDArray[np.bool_]) -> Fit:
    """The fit with entries for the columns that were left out."""
    beta, limit = np.zeros(len(kept)), np.zeros(len(kept))
    beta[kept], limit[kept] = fit.beta, fit.limit
    cov = np.full((len(kept), len(kept)), np.nan)
    cov[np.ix_(kept, kept)] = fit.cov
    return replace(fit, beta=beta, limit=limit, cov=cov, kept=kept)


def _separated(likelihood: MultinomialLikelihood, names: Sequence[str], where: str) -> Fit | None:
    """Limits of the estimates if the data are separated, otherwise None."""
    q, y, weight = likelihood.sample.x, likelihood.sample.code, likelihood.sample.weight

    def fit_rest(rest: NDArray[np.bool_], basis: Array) -> Limit:
        inner = MultinomialLikelihood(
            q[rest] @ basis, y[rest], weight[rest], None, 2, False, lambda: ["?"] * basis.shape[1]
        )
        ascent = inner.maximise()
        params, cov = basis @ inner.beta(ascent.point.params), basis @ inner.cov(ascent.point) @ basis.T
        return params, cov, ascent.point.llf, ascent.n_iter

    constraints = np.where(y == 1, 1.0, -1.0)[:, None] * q
    return limit_fit(likelihood, constraints, fit_rest, names, where)


def limit_fit(
    likelihood: Likelihood,
    constraints: Any,
    fit_rest: Callable[[NDArray[np.bool_], Array], Limit],
    names: Sequence[str],
    where: str = "",
) -> Fit | None:
    """Limits of the estimates if some direction satisfies the constraints, otherwise None.

    Separated rows carry no information about the finite estimates, which are fitted to the other rows. `fit_rest` takes
    the mask of their constraints and a basis of the span of these.
    """
    coefficients = likelihood.contrasts()
    rest, finite, u = overlap(constraints, coefficients)
    if finite.all():
        return None
    kind: Kind = "quasi-complete" if rest.any() else "complete"
    # Names of thresholds, which follow the columns, are not given.
    columns = [name for name, is_finite in zip(names, finite, strict=False) if not is_finite]
    cure = f"use {arg('penalty', 'firth')} for finite estimates, or leave a column out"
    limit, cov, llf, n_iter = np.zeros(len(u)), np.zeros((len(u), len(u))), 0.0, 0
    if rest.any():
        limit, cov, llf, n_iter = fit_rest(rest, row_space(constraints[rest]))
    sign = signs(constraints, coefficients[~finite])
    beta = coefficients @ limit
    beta[~finite] = np.where(sign == 0.0, np.nan, np.copysign(np.inf, sign))
    # Move so far along u that the outcomes of all separated rows are certain.
    offset = likelihood.sample.offset
    far = INFINITY + np.abs(constraints @ limit).max() + (0.0 if offset is None else np.abs(offset).max())
    limit = limit + u * (far / np.abs(constraints @ u)[~rest].min())
    cov = coefficients @ cov @ coefficients.T
    cov[~finite] = cov[:, ~finite] = 0.0
    cov[~finite, ~finite] = np.inf
    return Fit(
        likelihood, None, beta, coefficients @ limit, cov, llf, llf, n_iter, False, f"there is {kind} separation",
        np.ones(len(finite), np.bool_), SeparationWarning(separation_message(columns, kind, cure, where)), kind,
    )  # fmt: skip


def warn_about(fits: Iterable[Fit]) -> None:
    """Give the warnings of some fits."""
    for fit in fits:
        if fit.trouble is not None:
            warn(fit.trouble)
