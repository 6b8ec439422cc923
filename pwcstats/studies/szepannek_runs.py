"""Szepannek, Bischl & Weihs (2007): the runs of LDA, naive Bayes, and the better of them for each pair."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils import Bunch

from pwcstats._arrays import Array
from pwcstats._jobs import seed_of
from pwcstats.datasets import load, szepannek_classes
from pwcstats.pairwise import PairwiseClassifier
from pwcstats.studies.running import Record

# Section 4.2: standard deviation of the first coordinate of the first two classes, and its means.
SIGMA_1, MEANS_1 = 5.0, {1: 50.0, 2: 65.0}
# The classes of Satellite in the order of their codes in Statlog: 1, 2, 3, 4, 5 and 7.
SOILS = ("red soil", "cotton crop", "grey soil", "damp grey soil", "vegetation stubble", "very damp grey soil")


def simulated(alpha: float, rho: float, repeats: int, seed: int) -> list[Record]:
    """Errors on new samples of four normal classes."""
    seeds = [seed_of("szepannek", seed, alpha, rho, repeat) for repeat in range(repeats)]
    return _on_samples(lambda own: szepannek_classes(alpha, rho, random_state=own), seeds)


def introductory(sigma_1: float, rho: float, repeats: int, seed: int) -> list[Record]:
    """Errors on new samples like that of Figure 3."""
    seeds = [seed_of("szepannek", seed, 0.0, rho, repeat) for repeat in range(repeats)]
    return _on_samples(partial(example, sigma_1, rho), seeds)


def example(sigma_1: float, rho: float, random_state: int) -> tuple[Array, NDArray[np.int64]]:
    """Four classes with different covariances (alpha = 0), the first two with this standard deviation."""
    x, y = szepannek_classes(0.0, rho, random_state=random_state)
    for label, mean in MEANS_1.items():
        x[y == label, 0] = mean + sigma_1 / SIGMA_1 * (x[y == label, 0] - mean)
    return x, y


def _on_samples(draw: Callable[[int], tuple[Array, NDArray[np.int64]]], seeds: list[int]) -> list[Record]:
    """Errors on a sample for each seed, two thirds for training."""
    records = []
    for repeat, own in enumerate(seeds):
        x, y = draw(own)
        train, test = train_test_split(np.arange(len(y)), test_size=1 / 3, random_state=own)
        errors = _errors(LinearDiscriminantAnalysis(), GaussianNB(), x, y, train, test, own)
        records += [{"repeat": repeat, "method": method, "error": error} for method, error in errors.items()]
    return records


def _errors(
    lda: Any, nb: Any, x: Any, y: Any, train: NDArray[np.intp], test: NDArray[np.intp], seed: int
) -> dict[str, float]:
    """Test errors of each learner on all classes, and of coupled pairs with the better learner by 3-fold CV."""
    methods = _methods(lda, nb, seed)
    return {name: 1.0 - clf.fit(x[train], y[train]).score(x[test], y[test]) for name, clf in methods.items()}


def _methods(lda: Any, nb: Any, seed: int) -> dict[str, Any]:
    """Both learners, and coupled pairs with the better one."""
    pwc = PairwiseClassifier(
        {"LDA": lda, "NB": nb},
        coupling="ht",
        selection_cv=3,
        calibration=None,
        temperature=False,
        random_state=seed,
    )
    return {"LDA": lda, "NB": nb, "PWC": pwc}


def on_data(dataset: str, repeat: int, seed: int) -> list[Record]:
    """Errors on a split of a real data set."""
    data, own = load(dataset), seed_of("szepannek", seed, dataset, repeat)
    y = data.target.to_numpy()
    counts = [len(column.cat.categories) if column.dtype == "category" else 0 for _, column in data.data.items()]
    # An array of codes, because rows of a frame would be copied for each pair.
    x = np.column_stack([c.cat.codes if n else c for n, (_, c) in zip(counts, data.data.items(), strict=True)])
    lda, nb = (_dummies_lda(counts), MixedNB(counts)) if any(counts) else (LinearDiscriminantAnalysis(), GaussianNB())
    errors = _errors(lda, nb, x, y, *_split(data, y, own), own)
    return [{"method": method, "error": error} for method, error in errors.items()]


def _dummies_lda(counts: list[int]) -> Any:
    """LDA with dummy variables for categories, as in R's formulas."""
    categorical = [index for index, count in enumerate(counts) if count]
    codes = [np.arange(counts[index]) for index in categorical]
    dummies = OneHotEncoder(categories=codes, drop="first", sparse_output=False)
    return make_pipeline(
        ColumnTransformer([("dummies", dummies, categorical)], remainder="passthrough"), LinearDiscriminantAnalysis()
    )


class MixedNB(ClassifierMixin, BaseEstimator):
    """Naive Bayes with frequencies for categories and normal densities for numbers, as in R.

    Parameters
    ----------
    counts : list of int
        The number of categories of each column, which are coded 0, 1, ...; 0 for a column of numbers.
    """

    def __init__(self, counts: list[int]) -> None:
        self.counts = counts

    def fit(self, X: Any, y: Any) -> "MixedNB":
        """Fit both kinds of columns."""
        categorical, self.classes_ = np.asarray(self.counts) > 0, np.unique(y)
        parts = {True: CategoricalNB(min_categories=np.asarray(self.counts)[categorical]), False: GaussianNB()}
        kinds = {kind: categorical == kind for kind in parts if (categorical == kind).any()}
        self.parts_ = [(columns, parts[kind].fit(X[:, columns], y)) for kind, columns in kinds.items()]
        self.log_prior_ = np.log(np.unique(y, return_counts=True)[1] / len(y))
        return self

    def predict_proba(self, X: Any) -> Any:
        """Class probabilities."""
        log = self.log_prior_ + sum(
            part.predict_joint_log_proba(X[:, columns]) - self.log_prior_ for columns, part in self.parts_
        )
        return softmax(log, axis=1)

    def predict(self, X: Any) -> Any:
        """The most probable class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _split(data: Bunch, y: NDArray[Any], seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The published split, or else a random one; classes with fewer than three rows are used for training only."""
    if "train" in data:
        return np.flatnonzero(data.train), np.flatnonzero(~data.train)
    label, count = np.unique(y, return_counts=True)
    # A class with one training row could not be cross-validated.
    rare = np.isin(y, label[count < 3])
    train, test = train_test_split(np.flatnonzero(~rare), test_size=1 / 3, random_state=seed)
    return np.concatenate([train, np.flatnonzero(rare)]), test


def on_satellite(repeat: int, seed: int) -> list[Record]:
    """Errors on both parts of Satellite, also of coupled pairs after one sweep of the coupling."""
    data, own = load("satellite"), seed_of("szepannek", seed, "satellite", repeat)
    x, y, train = data.data.to_numpy(), data.target.to_numpy(), data.train
    methods = _methods(LinearDiscriminantAnalysis(), GaussianNB(), own)
    fitted = {name: clf.fit(x[train], y[train]) for name, clf in methods.items()}
    classes, sizes = np.unique(y[train], return_counts=True)
    orders = {"Statlog": np.searchsorted(classes, SOILS), "alphabetical": np.arange(len(classes))}
    records = []
    for name, rows in (("training", train), ("test", ~train)):
        errors = {
            (method, "converged" if method == "PWC" else "none"): 1.0 - clf.score(x[rows], y[rows])
            for method, clf in fitted.items()
        }
        r = fitted["PWC"].pairwise_proba(x[rows])
        for order, indices in orders.items():
            predicted = classes[one_sweep(r, sizes, indices).argmax(axis=1)]
            errors["PWC", f"one sweep, {order}"] = float(np.mean(predicted != y[rows]))
        records += [
            {"method": method, "coupling": coupling, "rows": name, "error": error}
            for (method, coupling), error in errors.items()
        ]
    return records


def one_sweep(r: Array, sizes: NDArray[np.int64], order: Sequence[int] | NDArray[np.intp]) -> Array:
    """Step 2 of the paper's algorithm, once for each class in this order, from equal probabilities."""
    p, n = np.full(r.shape[:2], 1.0 / len(sizes)), (sizes[:, None] + sizes).astype(np.float64)
    for i in order:
        others = np.arange(len(sizes)) != i
        mu = p[:, [i]] / (p[:, [i]] + p[:, others])
        p[:, i] *= (r[:, i, others] @ n[i, others]) / (mu @ n[i, others])
        p /= p.sum(axis=1, keepdims=True)
    return p
