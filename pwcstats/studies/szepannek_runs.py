"""Szepannek, Bischl & Weihs (2007): the runs of LDA, naive Bayes, and the better of them for each pair."""

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

from pwcstats._jobs import seed_of
from pwcstats.datasets import load, szepannek_classes
from pwcstats.pairwise import PairwiseClassifier
from pwcstats.studies.running import Record


def simulated(alpha: float, rho: float, repeats: int, seed: int) -> list[Record]:
    """Errors on new samples of four normal classes."""
    records = []
    for repeat in range(repeats):
        own = seed_of("szepannek", seed, alpha, rho, repeat)
        x, y = szepannek_classes(alpha, rho, random_state=own)
        train, test = train_test_split(np.arange(len(y)), test_size=1 / 3, random_state=own)
        errors = _errors(LinearDiscriminantAnalysis(), GaussianNB(), x, y, train, test, own)
        records += [{"repeat": repeat, "method": method, "error": error} for method, error in errors.items()]
    return records


def _errors(
    lda: Any, nb: Any, x: Any, y: Any, train: NDArray[np.intp], test: NDArray[np.intp], seed: int
) -> dict[str, float]:
    """Test errors of each learner on all classes, and of coupled pairs with the better learner by 3-fold CV."""
    pwc = PairwiseClassifier(
        {"LDA": lda, "NB": nb},
        coupling="ht",
        selection_cv=3,
        calibration=None,
        temperature=False,
        random_state=seed,
    )
    methods = {"LDA": lda, "NB": nb, "PWC": pwc}
    return {name: 1.0 - clf.fit(x[train], y[train]).score(x[test], y[test]) for name, clf in methods.items()}


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
