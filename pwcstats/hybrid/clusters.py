"""The negatives in groups."""

import warnings
from contextlib import nullcontext
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning as SklearnWarning

from pwcstats import _params
from pwcstats._kernels.blas import one_thread
from pwcstats.hybrid import checks
from pwcstats.pairwise.data import Standardizer, take
from pwcstats.pairwise.learners import seeded

# Unless more are asked for.
MOST = 10
# Numbers up to which k-means is done sooner by one thread: on a busy machine, threads wait for each other.
SMALL = 100_000


def split_negatives(
    x: Any, positive: NDArray[np.bool_], how: Any, given: Any, seed: int | None
) -> tuple[NDArray[np.int64], list[str]]:
    """Group of each row, 0 for the positives, and the names of groups 1, 2, ...

    `how` is "auto", a number, a clusterer, or a label for each row; so is `given`, which goes first.
    """
    negatives = np.flatnonzero(~positive)
    if given is None and not isinstance(how, str) and not hasattr(how, "fit_predict") and np.ndim(how) == 1:
        given = how
    if given is not None:
        labels = checks.read_sub_labels(given, positive)
        code, names = pd.factorize(labels[negatives], sort=True)
        named = checks.read_names(names)
    else:
        clusterer = _clusterer(how, len(negatives), int(positive.sum()), seed)
        # A clusterer of the user's gets the columns as they are; k-means of ours must not depend on their units.
        columns = x if hasattr(how, "fit_predict") else Standardizer().fit_transform(x)
        code = _clustered(take(columns, negatives), clusterer)
        named = [str(number + 1) for number in range(code.max() + 1)]
    groups = np.zeros(len(positive), np.int64)
    groups[negatives] = code + 1
    return groups, named


def _clusterer(how: Any, n_negative: int, n_positive: int, seed: int | None) -> Any:
    checks.refuse_class(how)
    if hasattr(how, "fit_predict"):
        return seeded(how, seed)
    if isinstance(how, str) and how == "auto":
        number = min(max(round(n_negative / n_positive), 1), MOST)
    else:
        number = _params.count(checks.one_number(how), "n_clusters")
        checks.refuse_many_clusters(number, n_negative)
    return KMeans(number, n_init=10, random_state=seed)


def _clustered(x: Any, clusterer: Any) -> NDArray[np.int64]:
    """Numbers of clusters from 0 on, without gaps; what a clusterer calls noise is a cluster."""
    few = x.shape[0] * x.shape[1] <= SMALL
    with warnings.catch_warnings(), one_thread(openmp=True) if few else nullcontext():
        # Of equal rows there are fewer clusters than asked for; `n_clusters_` says how many.
        warnings.filterwarnings("ignore", message="Number of distinct clusters", category=SklearnWarning)
        labels = clusterer.fit_predict(x)
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
