"""Clusters of rows, for robust covariances: their options, the correction for few of them, and the warning."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pwcstats._arrays import Array
from pwcstats._text import listed
from pwcstats.errors import FewClustersWarning, InputError, arg, value, warn

# With fewer clusters, robust standard errors are imprecise. Clusters of unequal size count by their effective number.
FEW_CLUSTERS = 20
# So many clusters are enough if their sizes are lognormal with sigma = 1, which makes the effective number about 30.
ENOUGH_UNEQUAL_CLUSTERS = 80


def read_groups_option(cov_type: str, cov_kwds: Any) -> tuple[Any, bool]:
    """The groups, None unless there are clusters, and whether to correct for their number."""
    if cov_kwds is not None and not isinstance(cov_kwds, Mapping):
        raise InputError(f"{arg('cov_kwds')} must be a dict such as {{'groups': ...}}, got {value(cov_kwds)}.")
    options = {} if cov_kwds is None else dict(cov_kwds)
    known = {"groups", "use_correction"} if cov_type == "cluster" else set()
    if set(options) - known:
        raise InputError(
            f"{arg('cov_kwds')} of {arg('cov_type', cov_type)} may have the keys {listed(sorted(known))}, got "
            f"{listed(sorted(options, key=str))}."
        )
    if cov_type == "cluster" and options.get("groups") is None:
        raise InputError(
            f"{arg('cov_type', 'cluster')} needs {arg('cov_kwds')} with the key 'groups': a column of the data or an "
            "array."
        )
    return options.get("groups"), bool(options.get("use_correction", True))


def effective_number(group: NDArray[np.int64], weight: Array) -> float:
    """Effective number of groups: equal to their number if all have the same weight, and else smaller."""
    size = np.bincount(group, weight)
    share = size / size.sum()
    # Rounding must not make 20 equal groups fewer than 20.
    return round(float(1.0 / (share @ share)), 6)


def cluster_correction(n_groups: int, nobs: float, rank: int) -> float:
    """The usual factor for few groups, as in statsmodels."""
    return n_groups / (n_groups - 1.0) * (nobs - 1.0) / (nobs - rank)


def warn_if_few(n_groups: int, n_effective: float, tests: str) -> None:
    """Warn about clusters that are few, or of very unequal size; `tests` says which tests are used."""
    if n_effective >= FEW_CLUSTERS:
        return
    if n_groups < FEW_CLUSTERS:
        lead = f"has only {n_groups} clusters"
    else:
        lead = f"has {n_groups} clusters of very unequal size, which count like {n_effective:.0f} equal ones"
    warn(
        FewClustersWarning(
            f"{arg('cov_type', 'cluster')} {lead}: standard errors are imprecise and often too small. {tests} for "
            f"{FEW_CLUSTERS} clusters of equal size; if sizes are very unequal, it takes about "
            f"{ENOUGH_UNEQUAL_CLUSTERS}."
        )
    )
