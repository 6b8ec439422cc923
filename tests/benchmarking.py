"""Data and estimators for the tests of `benchmark`."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.metrics import accuracy_score
from sklearn.naive_bayes import GaussianNB

from pwcstats.compare.runner import benchmark

IRIS = load_iris(return_X_y=True)
WINE = load_wine(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
NB = {"nb": GaussianNB()}
TIMES = ["fit_time", "score_time"]
COLUMNS = ["method", "dataset", "repeat", "fold", "score", "n_train", "n_test", "fit_time", "score_time", "error"]


def run(methods, datasets, **options):
    return benchmark(methods, datasets, progress=False, **options)


def same(a, b, times=False):
    drop = [] if times else TIMES
    pd.testing.assert_frame_equal(a.drop(columns=drop), b.drop(columns=drop), check_exact=True)


class Counting(ClassifierMixin, BaseEstimator):
    """Naive Bayes that logs a line for each fit, and can be interrupted at one of them."""

    def __init__(self, log, stop_at=None):
        self.log = log
        self.stop_at = stop_at

    def fit(self, X, y):
        with open(self.log, "a") as file:
            file.write("fit\n")
        if fits(self.log) == self.stop_at:
            raise KeyboardInterrupt
        self.bayes_ = GaussianNB().fit(X, y)
        self.classes_ = self.bayes_.classes_
        return self

    def predict(self, X):
        return self.bayes_.predict(X)


class Fussy(ClassifierMixin, BaseEstimator):
    """Fails in `fit` or `predict`, for rows that meet a condition."""

    def __init__(self, where="fit", when=lambda X: True):
        self.where = where
        self.when = when

    def fit(self, X, y):
        if self.where == "fit" and self.when(X):
            raise RuntimeError("not these\n   rows")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        if self.where == "predict" and self.when(X):
            raise ArithmeticError
        return np.repeat(self.classes_[:1], len(X))


def fits(log):
    return len(Path(log).read_text().splitlines()) if Path(log).exists() else 0


def nan_score(estimator, X, y):
    return np.nan


def two_numbers(estimator, X, y):
    return {"a": 1.0, "b": 2.0}


def halves(estimator, X, y):
    return accuracy_score(y, estimator.predict(X)) / 2


def only(frame, **where):
    for column, value in where.items():
        frame = frame[frame[column] == value]
    return frame.reset_index(drop=True)


def first_flower(X):
    return bool((X == IRIS[0][0]).all(axis=1).any())


class Places(ClassifierMixin, BaseEstimator):
    """Stores the rows that it was fitted on."""

    def __init__(self, kind="classifier"):
        self.kind = kind

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.rows_ = X[:, 0].astype(int)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))


def rows_of(datasets, **options):
    """Training and test rows of all cells."""
    seen = []

    def look(estimator, X, y):
        seen.append((estimator.rows_.tolist(), X[:, 0].astype(int).tolist(), y))
        return 0.0

    run({"places": Places()}, datasets, scoring=look, **options)
    return seen


def numbered(y, *groups):
    return (np.arange(len(y), dtype=float)[:, None], y, *groups)
