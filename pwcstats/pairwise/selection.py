"""Scores of candidates from margins that are known already."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin

from pwcstats._arrays import Array
from pwcstats.pairwise.checks import ScoringError
from pwcstats.pairwise.folds import Folds
from pwcstats.pairwise.platt import fit_isotonic, fit_sigmoid, isotonic_log_odds
from pwcstats.pairwise.problem import Problem, cut, take


def accuracy(problem: Problem, margins: Array, folds: Folds, tie: int) -> Array:
    """Share of right answers, for each pair and fold; nan where a fold holds out no row of the pair.

    At a score of 0 a learner calls the first class of a pair (`tie` is 0), or the second (1).
    """
    k = problem.n_classes
    cell = problem.code + k * folds.held()
    rows = np.bincount(cell, minlength=k * len(folds)).reshape(len(folds), k).T
    right = np.empty((k, k - 1, len(folds)))
    for column in range(k - 1):
        first = problem.code <= column
        won = (margins[:, column] > 0.0) | ((margins[:, column] == 0.0) & (first if tie == 0 else ~first))
        right[:, column] = np.bincount(cell[won], minlength=k * len(folds)).reshape(len(folds), k).T
    i, j = problem.low, problem.high
    with np.errstate(invalid="ignore"):
        return (right[i, j - 1] + right[j, i]) / (rows[i] + rows[j])


def scored(problem: Problem, pair: int, scores: Array, folds: Folds, scorer: Any, known: Any, params: Any) -> Array:
    """Any of scikit-learn's scores of a pair's held-out scores, for each fold; `known` is one of the classes below."""
    values = np.full(len(folds), np.nan)
    rows = problem.rows(pair)
    classes = problem.classes[[problem.low[pair], problem.high[pair]]]
    for fold, test in enumerate(folds.test):
        held = test[rows]
        if held.any():
            own = cut(params, rows[held], len(problem.y))
            answers = known(classes, scores[held])
            values[fold] = checked(scorer, answers, take(problem.x, rows[held]), problem.y[rows[held]], **own)
    return values


def checked(scorer: Any, *args: Any, **params: Any) -> float:
    """What a scorer says; that it is the scorer that fails, if it does."""
    try:
        return scorer(*args, **params)
    except Exception as error:
        raise ScoringError(str(error)) from error


def right(known: Any, _: Any, y: NDArray[Any]) -> float:
    """Accuracy without the checks of scikit-learn's, which take longer than all the rest."""
    return float(np.mean(known.predict(None) == y))


def calibrated(problem: Problem, pair: int, scores: Array, folds: Folds, method: str) -> Array:
    """Log-odds of a pair's held-out scores, each fold calibrated by the others."""
    rows, out = problem.rows(pair), np.empty(len(scores))
    positive, weight = problem.code[rows] == problem.low[pair], problem.weight_of(rows)
    for test in folds.test:
        held = test[rows]
        rest = scores[~held], positive[~held], weight[~held]
        if method == "isotonic":
            out[held] = isotonic_log_odds(fit_isotonic(*rest), scores[held])
        else:
            a, b = fit_sigmoid(*rest, problem.name(pair))
            out[held] = -(a * scores[held] + b)
    return out


class Labelled:
    """A fitted learner of 0 and 1 that gives scorers the labels of its pair; all else is the learner's own."""

    def __init__(self, learner: Any, classes: NDArray[Any]) -> None:
        self.learner, self.classes_ = learner, classes

    def __getattr__(self, name: str) -> Any:
        return getattr(self.learner, name)

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row."""
        return self.classes_[np.asarray(self.learner.predict(X)).astype(np.int64)]

    def score(self, X: Any, y: NDArray[Any], **params: Any) -> float:
        """What the learner's own score is."""
        return self.learner.score(X, (y == self.classes_[1]).astype(np.int64), **params)


class Known(ClassifierMixin, BaseEstimator):
    """A classifier of two classes whose answers are known; scorers ask it."""

    def __init__(self, classes: NDArray[Any], scores: Array) -> None:
        self.classes_, self.scores = classes, scores

    def predict(self, _: Any) -> NDArray[Any]:
        """Class of each row."""
        return self.classes_[(self.scores < 0.0).astype(np.int64)]


class KnownDecisions(Known):
    """Decision values, positive for the second class; at 0 LIBSVM calls that."""

    def predict(self, _: Any) -> NDArray[Any]:
        """Class of each row."""
        return self.classes_[(self.scores <= 0.0).astype(np.int64)]

    def decision_function(self, _: Any) -> Array:
        """The scores, as scikit-learn has them."""
        return -self.scores


class KnownProbabilities(Known):
    """Log-odds, from which there are probabilities."""

    def decision_function(self, _: Any) -> Array:
        """The log-odds, as scikit-learn has them."""
        return -self.scores

    def predict_proba(self, _: Any) -> Array:
        """Probabilities of both classes."""
        return np.column_stack([expit(self.scores), expit(-self.scores)])
