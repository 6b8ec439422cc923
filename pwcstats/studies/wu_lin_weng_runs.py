"""Wu, Lin & Weng (2003): the runs of Figure 1 and Table 1."""

from collections.abc import Mapping, Sequence
from functools import cache as once
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.special import expit
from sklearn.model_selection import KFold
from sklearn.svm import SVC

from pwcstats._arrays import Array
from pwcstats._jobs import seed_of
from pwcstats.coupling import couple
from pwcstats.coupling.methods import MethodName
from pwcstats.datasets import Setting, load, noisy_pairs, wu_lin_weng_probabilities
from pwcstats.errors import InputError
from pwcstats.pairwise.calibration import fit_sigmoid
from pwcstats.studies.running import Record

__all__ = ["METHODS", "noisy", "on_data"]

# delta_HT, delta_1, delta_2 and delta_V of the paper.
METHODS: tuple[MethodName, ...] = ("ht", "wlw1", "wlw2", "vote")
N_TRAIN, N_TEST = 300, 500


def noisy(setting: Setting, n_classes: int, replicates: int, seed: int) -> list[Record]:
    """Numbers of samples by the methods that find the true class (1) or do not (0)."""
    own = seed_of("wu_lin_weng", seed, setting, n_classes)
    r = noisy_pairs(wu_lin_weng_probabilities(setting, n_classes), replicates, random_state=own)
    # A seed of its own, so that ties are broken independently of the errors.
    lots = seed_of("lots", seed, setting, n_classes)
    hits = pd.DataFrame(
        {method: (_most_probable(couple(r, method, condensed=True), lots) == 0).astype(int) for method in METHODS}
    )
    counts = hits.value_counts(sort=False).reset_index(name="count")
    return [{str(key): value for key, value in row.items()} for row in counts.to_dict("records")]


def _most_probable(p: Array, random_state: int) -> NDArray[np.int64]:
    """The most probable class; ties are broken at random."""
    lots = np.random.default_rng(random_state).uniform(size=p.shape)
    # The order of summation changes the last digit.
    is_largest = p >= p.max(axis=1, keepdims=True) * (1 - 1e-12)
    return np.argmax(np.where(is_largest, lots, -1.0), axis=1)


def on_data(dataset: str, path: str | None, step: int, sample: int, repeat: int, seed: int) -> list[Record]:
    """Test errors of each rule in per cent, with C and gamma chosen by cross-validation of this rule."""
    x, y = _scaled(dataset, path)
    if len(y) < N_TRAIN + N_TEST:
        raise InputError(
            f"a sample has {N_TRAIN + N_TEST} rows, but {dataset!r} has {len(y)}; choose a larger data set."
        )
    rows = np.random.default_rng(seed_of("wu_lin_weng", seed, dataset, sample)).permutation(len(y))
    train, test = rows[:N_TRAIN], rows[N_TRAIN : N_TRAIN + N_TEST]
    near, far = (cdist(x[part], x[train], "sqeuclidean") for part in (train, test))
    folds = KFold(5, shuffle=True, random_state=seed_of("wu_lin_weng", seed, dataset, sample, repeat))
    wrong = _cross_validated(near, y[train], list(folds.split(near)), range(-5, 16, step))
    records = []
    for method in METHODS:
        # Of equally good points, choose the smallest C, as in the paper, then the smallest gamma.
        cost, gamma = min(wrong, key=lambda point: (wrong[point][method], point))
        fitted = _fit(np.exp(-(2.0**gamma) * near), y[train], 2.0**cost)
        error = 100.0 * np.mean(_classes(fitted, np.exp(-(2.0**gamma) * far))[method] != y[test])
        records.append({"method": method, "log2_C": cost, "log2_gamma": gamma, "error": error})
    return records


@once
def _scaled(dataset: str, path: str | None) -> tuple[Array, NDArray[np.int64]]:
    """Scaled rows, and classes: features from -1 to 1, pixels of mnist from 0 to 1, as in LIBSVM's files."""
    data = load(dataset, path=path)
    x, y = data.data.to_numpy(), np.unique(data.target.to_numpy(), return_inverse=True)[1]
    if dataset == "mnist":
        return x / 255.0, y
    low, high = x.min(axis=0), x.max(axis=0)
    # A constant feature stays constant.
    return 2.0 * (x - low) / np.where(high > low, high - low, 1.0) - 1.0, y


def _cross_validated(
    distance: Array, y: NDArray[np.int64], folds: list[Any], exponents: Sequence[int]
) -> dict[tuple[int, int], dict[str, int]]:
    """Numbers of misclassified held-out rows of each rule, by the exponents of C and gamma; rules share their fits."""
    wrong = {}
    for gamma in exponents:
        kernel = np.exp(-(2.0**gamma) * distance)
        for cost in exponents:
            total: dict[str, int] = dict.fromkeys(METHODS, 0)
            for train, test in folds:
                fitted = _fit(kernel[np.ix_(train, train)], y[train], 2.0**cost)
                for method, classes in _classes(fitted, kernel[np.ix_(test, train)]).items():
                    total[method] += int(np.sum(classes != y[test]))
            wrong[cost, gamma] = total
    return wrong


class _Fitted(NamedTuple):
    """Machines of all pairs, and parameters of the sigmoids 1 / (1 + exp(A f + B)) of their decision values."""

    machine: SVC
    a: Array
    b: Array


def _fit(kernel: Array, y: NDArray[np.int64], cost: float) -> _Fitted:
    """Fit the machines, and the sigmoids to the decision values of the training rows, as in the paper."""
    machine = SVC(C=cost, kernel="precomputed", decision_function_shape="ovo").fit(kernel, y)
    values, classes = machine.decision_function(kernel), machine.classes_
    sigmoids = []
    for pair, (i, j) in enumerate(zip(*np.triu_indices(len(classes), 1), strict=True)):
        rows = (y == classes[i]) | (y == classes[j])
        first = y[rows] == classes[i]
        sigmoids += fit_sigmoid(values[rows, pair], first, np.ones((1, len(first))), f"{classes[i]}, {classes[j]}")
    a, b = np.array(sigmoids).T
    return _Fitted(machine, a, b)


def _classes(fitted: _Fitted, kernel: Array) -> Mapping[str, NDArray[np.int64]]:
    """Predicted classes of each rule; the first of classes that tie."""
    r = expit(-(fitted.machine.decision_function(kernel) * fitted.a + fitted.b))
    # With equal weights, the probabilities of HT have the same order as the sums, which the paper uses.
    couplings = {method: couple(r, "sum" if method == "ht" else method, condensed=True) for method in METHODS}
    return {method: fitted.machine.classes_[p.argmax(axis=1)] for method, p in couplings.items()}
