"""The cut-off: the probability above which a row is predicted positive."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer

from pwcstats._arrays import Array
from pwcstats.errors import InputError, arg, value

# Scores whose best threshold of true probabilities is known, from the share of positives.
KNOWN: dict[str, Callable[[float], float]] = {"accuracy": lambda _: 0.5, "balanced_accuracy": lambda share: share}
# Most thresholds that are tried if each costs a call of the scorer.
TRIALS = 200
# Sums of weights that differ by less than this share of them are equal.
ROUNDING = 1e-9
# A score is clearly better if the difference is more than so many standard errors over the folds.
CLEAR = 2.0


def known_threshold(rule: Any, scoring: Any, positive: NDArray[np.bool_], weight: Array | None = None) -> float | None:
    """The threshold, if it is known without held-out probabilities: a number, or the best one for a known score."""
    if not isinstance(rule, str):
        return float(rule)
    if rule == "cv" and isinstance(scoring, str) and scoring in KNOWN:
        return KNOWN[scoring](float(np.average(positive, weights=weight)))
    return None


def by_share(proba: Array, positive: NDArray[np.bool_], weight: Array | None = None) -> float:
    """The threshold that predicts as many positives as there are."""
    weight = np.ones(len(proba)) if weight is None else weight
    order = np.argsort(-proba, kind="stable")
    falling, total = np.append(proba[order], 0.0), np.cumsum(weight[order])
    share = weight[positive].sum()
    last = int(np.searchsorted(total, share * (1.0 - ROUNDING)))
    # A row of a large weight may exceed the share. It is then not predicted positive.
    within = total[last] <= share * (1.0 + ROUNDING)
    return float(falling[last : last + 2].mean() if within else falling[last])


def by_score(
    proba: Array,
    positive: NDArray[np.bool_],
    fold: NDArray[np.int64],
    scoring: Any,
    classes: Any,
    weight: Array | None = None,
) -> float:
    """The threshold with the highest score, or 1/2 if the folds do not clearly show that it is better.

    Parameters
    ----------
    proba : ndarray
        Held-out probabilities of the positive class.
    positive : ndarray of bool
        Whether each row is positive.
    fold : ndarray of int
        The fold that held out each row.
    scoring : str or callable
        As in scikit-learn.
    classes : pair of labels
        Labels of the positive and the negative class.
    weight : ndarray or None
        Weights of the rows; None if all are 1.

    Returns
    -------
    float
    """
    best, at_best, at_half = _best_trial(proba, positive, fold, scoring, classes, weight)
    gains = [a - b for a, b in zip(at_best, at_half, strict=True)]
    # On the same rows, the best of many thresholds is always better than 1/2.
    clear = np.mean(gains) > CLEAR * np.std(gains, ddof=1) / np.sqrt(len(gains))
    return best if clear else 0.5


# Rules by name, with the arguments of `by_score`. A threshold can also be a number.
THRESHOLDS: dict[str, Callable[..., float]] = {
    "cv": by_score,
    "prevalence": lambda proba, positive, fold, scoring, classes, weight: by_share(proba, positive, weight),
}


class FixedThreshold(ClassifierMixin, BaseEstimator):
    """A classifier whose X are probabilities of the first class, for scorers to call."""

    def __init__(self, threshold: float, classes: Any) -> None:
        self.threshold = threshold
        self.classes = classes
        self.classes_ = np.sort(classes)

    def predict(self, X: Any) -> NDArray[Any]:
        """The first class if its probability exceeds the threshold, else the second."""
        return np.where(np.ravel(X) > self.threshold, *self.classes)


def _best_trial(
    proba: Array,
    positive: NDArray[np.bool_],
    fold: NDArray[np.int64],
    scoring: Any,
    classes: Any,
    weight: Array | None,
) -> tuple[float, list[float], list[float]]:
    """The threshold with the highest score, and the scores of the folds with it and with 1/2."""
    scorer = get_scorer(scoring)
    if isinstance(scoring, str):
        # Scores such as "f1" expect the positive class to be 1.
        classes = (1, 0)
    truth = np.where(positive, *classes)

    def score(threshold: float, rows: Any) -> float:
        weights = {} if weight is None else {"sample_weight": weight[rows]}
        try:
            return float(scorer(FixedThreshold(threshold, classes), proba[rows, None], truth[rows], **weights))
        except AttributeError as error:
            raise InputError(
                f"{arg('scoring')} must be a score of predicted classes, such as {value('f1')} or {value('accuracy')}, "
                f"which depends on the threshold, got {value(scoring)}."
            ) from error
        except TypeError as error:
            if not weights or "sample_weight" not in str(error):
                raise
            raise InputError(
                f"{arg('scoring')} takes no {arg('sample_weight')}; choose a score that does, or give the threshold as "
                "a number."
            ) from error

    trials = _trials(proba)
    best = float(trials[int(np.argmax([score(trial, slice(None)) for trial in trials]))])
    with warnings.catch_warnings():
        # scikit-learn warns if a fold lacks one of the classes.
        warnings.simplefilter("ignore", UserWarning)
        scores = [[score(t, fold == f) for f in np.unique(fold)] for t in (best, 0.5)]
    return best, scores[0], scores[1]


def _trials(proba: Array) -> Array:
    """Thresholds between the probabilities, or some of them if there are many; those nearest to 1/2 come first."""
    values = np.unique(proba)
    gaps = 0.5 * (values[1:] + values[:-1])
    if len(gaps) > TRIALS:
        gaps = np.quantile(gaps, np.linspace(0.0, 1.0, TRIALS))
    # With the outer two, all rows or none are predicted positive.
    gaps = np.concatenate([[0.5 * values[0]], gaps, values[-1:]])
    return np.concatenate([[0.5], gaps[np.argsort(np.abs(gaps - 0.5), kind="stable")]])
