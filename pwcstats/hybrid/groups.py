"""Groups of the rows, and the machines between them."""

import inspect
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning as SklearnWarning
from sklearn.model_selection import StratifiedKFold

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._kernels.blas import one_thread
from pwcstats.errors import InputError, arg, code, value
from pwcstats.hybrid.machines import MachineRows, Mask
from pwcstats.pairwise.data import Standardizer, take
from pwcstats.pairwise.learners import seeded

Codes = NDArray[np.int64]
# Most clusters that "ratio" makes.
MOST_CLUSTERS = 10
# Numbers of clusters that "auto" tries, after that of "ratio".
TRIED = (1, 2, 3, 4, 5, 6)
# Parts that "auto" makes, as in the paper's table of the breast cancer data.
PARTS = 9
# Up to so many numbers k-means is faster with one thread: on a busy machine, threads wait for each other.
SMALL = 100_000


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of the rows.

    Attributes
    ----------
    code : ndarray of int
        Group of each row, from 0 (the baseline, or the lowest class).
    labels : list of str
        Names of the groups.
    machines : list of MachineRows
        The machines, and the groups that each separates.
    clusters : ndarray of int
        The cluster or part of each row, as users see it.
    """

    code: Codes
    labels: list[str]
    machines: list[MachineRows]
    clusters: Codes


def against_baseline(groups: Codes, labels: list[str], names: Sequence[str]) -> Groups:
    """Group 0 against each other group; `names` are those of the machines."""
    machines = [MachineRows(name, groups == 0, groups == k) for k, name in enumerate(names, 1)]
    return Groups(groups, labels, machines, groups)


# Clusters of the negatives


def _check_clusters(given: Any) -> None:
    if isinstance(given, type):
        name = given.__name__
        raise InputError(f"{arg('n_clusters')} is the class {name}; give an instance, {code(f'{name}()')}.")
    if is_word(given, "auto", "ratio") or hasattr(given, "fit_predict") or is_labels(given):
        return
    if not _params.is_whole(given):
        raise InputError(
            f"{arg('n_clusters')} must be {value('auto')}, {value('ratio')}, a whole number, a clusterer with "
            f"{code('fit_predict')}, or one label for each row, got {value(given)}."
        )
    _params.count(given, "n_clusters")


def _split_negatives(
    x: Any,
    positive: Mask,
    weight: Array | None,
    labels: tuple[str, str],
    n_clusters: Any,
    clusters: Any,
    seed: int | None,
) -> Groups:
    """The positives, and clusters of the negatives."""
    negatives = np.flatnonzero(~positive)
    if clusters is not None:
        numbered, found = pd.factorize(_read_labels(clusters, positive)[negatives], sort=True)
        names = _distinct_names(found)
    else:
        clusterer = _clusterer(n_clusters, positive, weight, seed)
        # The default k-means must not depend on the units of the columns. A clusterer that users give gets them as is.
        columns = x if hasattr(n_clusters, "fit_predict") else Standardizer().fit(x, sample_weight=weight).transform(x)
        numbered = _cluster(take(columns, negatives), clusterer, None if weight is None else weight[negatives])
        names = [str(k + 1) for k in range(numbered.max() + 1)]
    groups = np.zeros(len(positive), np.int64)
    groups[negatives] = numbered + 1
    pos, neg = labels
    group_names = [f"{neg}:{name}" for name in names] if len(names) > 1 else [neg]
    if pos in group_names:
        pos = f"{pos} (positive)"
    return against_baseline(groups, [pos, *group_names], names)


def _clusterer(n_clusters: Any, positive: Mask, weight: Array | None, seed: int | None) -> Any:
    if hasattr(n_clusters, "fit_predict"):
        if weight is not None and "sample_weight" not in inspect.signature(n_clusters.fit_predict).parameters:
            raise InputError(
                f"{arg('n_clusters')} ({type(n_clusters).__name__}) takes no {arg('sample_weight')}; choose a "
                f"clusterer that does, or give {arg('clusters')} of the rows."
            )
        return seeded(n_clusters, seed)
    n_negative = int((~positive).sum())
    if is_word(n_clusters, "ratio"):
        n_clusters = min(_ratio(positive, weight), n_negative)
    elif n_clusters > n_negative:
        raise InputError(
            f"{arg('n_clusters')} is {n_clusters}, but there are {n_negative} negative rows; ask for fewer clusters."
        )
    return KMeans(int(n_clusters), n_init=10, random_state=seed)


def _ratio(positive: Mask, weight: Array | None) -> int:
    """Chang's number of clusters: each has about as many rows as there are positives."""
    n_negative, n_positive = np.bincount(positive, weights=weight)
    return min(max(round(float(n_negative / n_positive)), 1), MOST_CLUSTERS)


def _tried_clusters(positive: Mask, weight: Array | None) -> list[int]:
    """Numbers of clusters that "auto" tries, that of "ratio" first."""
    n_negative = int((~positive).sum())
    usual = min(_ratio(positive, weight), n_negative)
    return [usual, *(k for k in TRIED if k <= n_negative and k != usual)]


def _cluster(x: Any, clusterer: Any, weight: Array | None) -> Codes:
    """Number the clusters from 0 without gaps. Rows that the clusterer calls noise are a cluster too."""
    few = x.shape[0] * x.shape[1] <= SMALL
    with warnings.catch_warnings(), one_thread(openmp=True) if few else nullcontext():
        # Rows that are equal make fewer clusters than asked for; `n_clusters_` says how many.
        warnings.filterwarnings("ignore", message="Number of distinct clusters", category=SklearnWarning)
        labels = clusterer.fit_predict(x, **({} if weight is None else {"sample_weight": weight}))
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _read_labels(clusters: Any, positive: Mask) -> NDArray[Any]:
    """One label for each row; those of the positives can be anything."""
    missing = np.asarray(pd.isna(pd.Series(clusters, dtype=object))) if np.ndim(clusters) == 1 else None
    labels = np.asarray(clusters)
    if labels.shape != positive.shape or missing is None:
        came = " x ".join(map(str, labels.shape)) if labels.ndim else "a single value"
        raise InputError(
            f"{arg('clusters')} must have one label for each of the {len(positive)} rows, got {came}; labels of "
            f"positive rows can be anything. (In a cross-validation pass them to {code('fit(X, y, clusters=...)')}, "
            f"not as {arg('n_clusters')}.)"
        )
    if (missing & ~positive).any():
        row = int(np.argmax(missing & ~positive))
        raise InputError(f"{arg('clusters')} is missing in row {row}, which is negative; give it a label.")
    return labels


def _distinct_names(labels: Any) -> list[str]:
    names = [str(label) for label in labels]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(
            f"two labels of {arg('clusters')} are written {twice!r}; make all of them numbers, or all of them strings."
        )
    return names


# Random parts of all rows


def _check_parts(given: Any) -> None:
    if is_word(given, "auto"):
        return
    if not _params.is_whole(given):
        kind = given if isinstance(given, (str, float)) else type(given).__name__
        raise InputError(
            f"with {arg('split', 'folds')}, {arg('n_clusters')} is the number of parts, {value('auto')} or a whole "
            f"number, got {value(kind)}; for clusters use {arg('split', 'negatives')}."
        )
    _params.count(given, "n_clusters")


def _split_folds(
    x: Any,
    positive: Mask,
    weight: Array | None,
    labels: tuple[str, str],
    n_clusters: Any,
    clusters: Any,
    seed: int | None,
) -> Groups:
    """Two groups, the classes, and random parts of the rows with one machine each."""
    if clusters is not None:
        raise InputError(
            f"{arg('split', 'folds')} makes random parts and uses no {arg('clusters')}; leave one of them out."
        )
    rarest = int(min(positive.sum(), (~positive).sum()))
    number = min(PARTS, rarest) if is_word(n_clusters, "auto") else int(n_clusters)
    if number > rarest:
        raise InputError(
            f"{arg('n_clusters')} asks for {number} parts with both classes, but the rarer class has {rarest} rows; "
            "ask for fewer parts."
        )
    parts = np.ones(len(positive), np.int64)
    if number > 1:
        splitter = StratifiedKFold(number, shuffle=True, random_state=seed)
        for k, (_, rows) in enumerate(splitter.split(positive[:, None], positive), 1):
            parts[rows] = k
    machines = [MachineRows(str(k), positive & (parts == k), ~positive & (parts == k)) for k in range(1, number + 1)]
    return Groups(np.where(positive, 0, 1), list(labels), machines, parts)


def is_word(n_clusters: Any, *words: str) -> bool:
    """Whether `n_clusters` is one of some words."""
    return isinstance(n_clusters, str) and n_clusters in words


def is_labels(n_clusters: Any) -> bool:
    """Whether `n_clusters` holds one label for each row."""
    return not isinstance(n_clusters, str) and not hasattr(n_clusters, "fit_predict") and np.ndim(n_clusters) == 1


@dataclass(frozen=True)
class Split:
    """A way to split the rows of two classes.

    `make` takes the rows, the mask of the positives, weights or None, the names of the positive and the negative class,
    `n_clusters`, `clusters` and a seed. `check` checks `n_clusters` before the rows are known. `multiclass` says if
    there may be more classes, each of which is then a group. `integrator` is the only one that suits the groups, if
    there is only one. `tried` returns the values of `n_clusters` that "auto" compares, the one for few rows first.
    """

    make: Callable[..., Groups]
    check: Callable[[Any], None]
    multiclass: bool
    integrator: str | None = None
    tried: Callable[[Mask, Array | None], Sequence[Any]] = lambda *_: ("auto",)


SPLITS = {
    "negatives": Split(_split_negatives, _check_clusters, multiclass=True, tried=_tried_clusters),
    "folds": Split(_split_folds, _check_parts, multiclass=False, integrator="logit"),
}
