"""The threshold T above which a probability is called positive."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer

from pwcstats._arrays import Array
from pwcstats.hybrid import checks
from pwcstats.pairwise.calibration import best_threshold, bounded

# Thresholds that are tried, where each costs a call of the scorer.
TRIALS = 200
# Standard errors, over folds, by which a score must be better to be called so.
CLEAR = 2.0


class Cut(ClassifierMixin, BaseEstimator):
    """A classifier of probabilities, for scorers to call."""

    def __init__(self, threshold: float, classes: Any) -> None:
        self.threshold = threshold
        self.classes = classes
        self.classes_ = np.sort(classes)

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of some probabilities of the first of the classes."""
        return np.where(np.ravel(X) > self.threshold, *self.classes)


def by_share(proba: Array, positive: NDArray[np.bool_]) -> float:
    """The threshold that calls as many rows positive as there are."""
    falling = np.append(np.sort(proba)[::-1], 0.0)
    last = int(positive.sum()) - 1
    return float(falling[last : last + 2].mean())


def by_score(proba: Array, positive: NDArray[np.bool_], fold: NDArray[np.int64], scoring: Any, classes: Any) -> float:
    """The threshold of the highest score; 1/2 where the folds do not say clearly that it is better.

    `classes` are the labels of positive and negative rows.
    """
    scorer = get_scorer(scoring)
    if isinstance(scoring, str):
        # Scores such as "f1" take 1 for the positive class.
        classes = (1, 0)
    truth = np.where(positive, *classes)

    def score(threshold: float, rows: Any) -> float:
        try:
            return float(scorer(Cut(threshold, classes), proba[rows, None], truth[rows]))
        except AttributeError as error:
            raise checks.no_score_of_classes(scoring) from error

    if scoring == "balanced_accuracy":
        best = _most_balanced(proba, positive)
    else:
        trials = _trials(proba)
        best = float(trials[int(np.argmax([score(trial, slice(None)) for trial in trials]))])
    with warnings.catch_warnings():
        # A fold may lack one of the classes.
        warnings.simplefilter("ignore", UserWarning)
        gains = [score(best, fold == f) - score(0.5, fold == f) for f in np.unique(fold)]
    # The best of many is better than 1/2 on the same rows in any case.
    clear = np.mean(gains) > CLEAR * np.std(gains, ddof=1) / np.sqrt(len(gains))
    return best if clear else 0.5


def _most_balanced(proba: Array, positive: NDArray[np.bool_]) -> float:
    """The threshold of the fewest errors, if either class weighs one half."""
    weight = np.where(positive, 0.5 / positive.sum(), 0.5 / (~positive).sum())
    with np.errstate(divide="ignore"):
        log_odds = bounded(logit(proba))
    return float(expit(best_threshold(log_odds, positive, weight)))


def _trials(proba: Array) -> Array:
    """Thresholds between probabilities, those nearest to 1/2 first; where there are many, some."""
    values = np.unique(proba)
    gaps = 0.5 * (values[1:] + values[:-1])
    if len(gaps) > TRIALS:
        gaps = np.quantile(gaps, np.linspace(0.0, 1.0, TRIALS))
    # All rows, or none, may be called positive.
    gaps = np.concatenate([[0.5 * values[0]], gaps, values[-1:]])
    return np.concatenate([[0.5], gaps[np.argsort(np.abs(gaps - 0.5), kind="stable")]])
