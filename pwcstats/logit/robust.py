"""Robust covariances of logit fits: the sandwich, whose units are single rows or clusters of rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._clusters import cluster_correction, effective_number, read_groups_option, warn_if_few
from pwcstats._kernels.separation import overlap
from pwcstats._text import did_you_mean, listed
from pwcstats.errors import InputError, SeparationWarning, arg, code, value, warn
from pwcstats.logit.maximum import MOST_CONSTRAINTS, Likelihood

CovType = Literal["nonrobust", "HC0", "HC1", "cluster"]


@dataclass(frozen=True)
class CovarianceOptions:
    """Checked options of the covariance; `group` has the number of the cluster of each row."""

    cov_type: str
    group: NDArray[np.int64] | None
    use_correction: bool


def read_options(model: Any, cov_type: Any, cov_kwds: Any) -> CovarianceOptions | None:
    """Check the options of the covariance; None if it is the inverse information."""
    cov_type = _params.choice(cov_type, get_args(CovType), "cov_type")
    groups, use_correction = read_groups_option(cov_type, cov_kwds)
    if cov_type == "nonrobust":
        return None
    return CovarianceOptions(cov_type, None if groups is None else _read_groups(model, groups), use_correction)


def _read_groups(model: Any, groups: Any) -> NDArray[np.int64]:
    """Number of the cluster of each row of the fit."""
    n, frame, labels = len(model._weight), getattr(model.data, "frame", None), model.data.row_labels
    if isinstance(groups, str):
        if frame is None or groups not in frame:
            hint = "" if frame is None else did_you_mean(groups, list(map(str, frame)))
            raise InputError(
                f"{arg('groups')} must be a column of the data of a formula, or have a value for each row, got "
                f"{value(groups)}.{hint}"
            )
        groups = frame[groups]
    if isinstance(groups, pd.Series) and labels is not None and not groups.index.equals(labels):
        # Rows with missing values were dropped.
        if not groups.index.is_unique or not labels.isin(groups.index).all():
            raise InputError(
                f"the rows of {arg('groups')} and of the fit have different labels; give {arg('groups')} as an array "
                f"with a value for each of the {n} rows of the fit."
            )
        groups = groups.loc[labels]
    column = pd.Series(np.asarray(groups, dtype=object) if isinstance(groups, list) else groups).reset_index(drop=True)
    if len(column) != n:
        raise InputError(
            f"{arg('groups')} must have a value for each of the {n} rows of the fit, got {len(column)}; rows with "
            "missing values are not in the fit."
        )
    counts = model._weight > 0.0
    codes, found = pd.factorize(column[counts])
    if (codes < 0).any():
        row = int(np.flatnonzero(counts)[np.argmax(codes < 0)])
        raise InputError(f"{arg('groups')} is missing in row {row}; fill it in, or drop the row.")
    if len(found) < 2:
        raise InputError(f"{arg('groups')} must have at least 2 groups among the rows with a weight above 0, got 1.")
    group = np.zeros(n, np.int64)
    group[counts] = codes
    return group


def sandwich(bread: Array, scores: Array, weight: Array, options: CovarianceOptions) -> Array:
    """Robust covariance, given the inverse information and the scores of all rows.

    A row of weight w is w rows, each with a share 1 / w of its score. Coefficients without a variance keep it.
    """
    known = ~np.isnan(np.diagonal(bread))
    nobs, rank = float(weight.sum()), int(known.sum())
    counts = weight > 0.0
    scores, weight = scores[counts][:, known], weight[counts]
    factor = 1.0
    corrected = options.cov_type == "HC1" or (options.group is not None and options.use_correction)
    if corrected and nobs <= rank:
        raise InputError(
            f"{arg('cov_type', options.cov_type)} needs more rows than coefficients, got {nobs:g} and {rank}; leave "
            f"columns out, or use {arg('cov_type', 'nonrobust')}."
        )
    if options.group is None:
        meat = (scores / weight[:, None]).T @ scores
        factor = nobs / (nobs - rank) if corrected else 1.0
    else:
        group = options.group[counts]
        n_groups = int(group.max()) + 1
        sums = np.zeros((n_groups, scores.shape[1]))
        np.add.at(sums, group, scores)
        meat = sums.T @ sums
        factor = cluster_correction(n_groups, nobs, rank) if corrected else 1.0
        warn_if_few(
            n_groups, effective_number(group, weight), "Tests use the normal distribution, which is roughly right"
        )
    cov = bread.copy()
    inside = bread[np.ix_(known, known)]
    cov[np.ix_(known, known)] = factor * inside @ meat @ inside
    return cov


def infinite_coefficients(likelihood: Likelihood) -> NDArray[np.bool_]:
    """Which coefficients have infinite maximum likelihood estimates; none if the data are too large to find out."""
    if likelihood.n_constraints * likelihood.n_params > MOST_CONSTRAINTS:
        return np.zeros(likelihood.n_params, np.bool_)
    return np.asarray(~overlap(likelihood.constraints(), likelihood.contrasts())[1])


def warn_if_infinite(names: Sequence[str]) -> None:
    """Warn that robust standard errors are too small if maximum likelihood estimates are infinite."""
    if names:
        warn(
            SeparationWarning(
                "robust standard errors are far too small if maximum likelihood estimates are infinite, as that of "
                f"{listed(names)}, because the few rows that decide have the same outcome; use "
                f"{arg('cov_type', 'nonrobust')} with {code('lr_test')} and {code('conf_int')}, "
                f"{arg('method', 'profile')}."
            )
        )


def check_nonrobust(results: Any, what: str) -> None:
    """Refuse methods of the likelihood after a robust covariance."""
    if results.cov_type != "nonrobust":
        raise InputError(
            f"{what} assumes independent rows and a model that is right, and ignores "
            f"{arg('cov_type', results.cov_type)}; use {code('wald_test')}, or {code('fit')} with "
            f"{arg('cov_type', 'nonrobust')}."
        )
