"""What is learned from held-out scores: calibrations, thresholds, and which candidate is better.

A new calibration is a function like `fit_sigmoid` and a row in `CALIBRATIONS`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.isotonic import IsotonicRegression
from sklearn.utils import check_random_state

from pwcstats import _native
from pwcstats._arrays import Array
from pwcstats.errors import ConvergenceWarning, InputError, arg, value, warn
from pwcstats.pairwise.data import Integers, Mask, Problem, cut, take
from pwcstats.pairwise.folds import Folds

# Log-odds of probabilities are cut here, where 1 - p is 0 in double precision. Those of 0 and 1 would be infinite, and
# no calibration or threshold could change them.
FARTHEST = 36.0


def bounded(log_odds: Array) -> Array:
    """Log-odds, cut to the range in which probabilities can differ from 0 and 1."""
    return np.clip(log_odds, -FARTHEST, FARTHEST)


def log_odds_of(proba: Array, others: Array) -> Array:
    """Bounded log-odds of probabilities against those of all other classes."""
    with np.errstate(divide="ignore"):
        return bounded(np.log(proba) - np.log(others))


# Calibrations


class Calibrator(Protocol):
    """What turns the scores of a pair into log-odds of its first class."""

    def log_odds(self, scores: Array) -> Array:
        """Log-odds of some scores."""


class Sigmoid(NamedTuple):
    """P(positive | f) = 1 / (1 + exp(a f + b))."""

    a: float
    b: float

    def log_odds(self, scores: Array) -> Array:
        """Log-odds of some scores."""
        return -(self.a * scores + self.b)


class Isotonic(NamedTuple):
    """An increasing step function."""

    step: IsotonicRegression

    def log_odds(self, scores: Array) -> Array:
        """Log-odds of some scores."""
        with np.errstate(divide="ignore"):
            return bounded(logit(self.step.predict(scores)))


def fit_sigmoid(scores: Array, positive: Mask, weights: Array, pair: str) -> list[Sigmoid]:
    r"""Platt's sigmoids by Lin, Lin & Weng's Newton method.

    :math:`P(\text{positive} \mid f) = 1 / (1 + \exp(a f + b))`, where the targets are :math:`(n_+ + 1) / (n_+ + 2)` and
    :math:`1 / (n_- + 2)`.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        Cross-validated scores.
    positive : ndarray of bool, shape (n,)
        Whether a row is of the class that high scores favour.
    weights : ndarray of shape (m, n)
        Weights of the rows, for each of m fits. Rows of weight 0 do not matter; all others may be of one class.
    pair : str
        How a warning names the pair.

    Returns
    -------
    list of Sigmoid
        For each row of weights a named tuple of a and b.

    References
    ----------
    .. [1] Platt, J. (2000). Probabilistic outputs for support vector machines and comparison to regularized likelihood
       methods. In: Advances in Large Margin Classifiers, MIT Press, 61-74.
    .. [2] Lin, H.-T., Lin, C.-J. and Weng, R. C. (2007). A note on Platt's probabilistic outputs for support vector
       machines. Machine Learning 68, 267-276. https://doi.org/10.1007/s10994-007-5018-6
    """
    return _fit_scaled(_native.fit_sigmoid, scores, positive, weights, pair)


def fit_firth(scores: Array, positive: Mask, weights: Array, pair: str) -> list[Sigmoid]:
    r"""Logistic regression of the class on the score, with Jeffreys' penalty; parameters as in `fit_sigmoid`.

    It maximises :math:`\sum_s w_s \log P(y_s \mid f_s) + \frac12 \log |I(a, b)|` with the information matrix I [1]_.
    The estimates are finite for separated scores, too. Platt's targets limit the odds to the number of rows; here they
    grow with the distance of the scores from the border. If held-out scores speak against the class which they favour,
    a is 0.

    References
    ----------
    .. [1] Firth, D. (1993). Bias reduction of maximum likelihood estimates. Biometrika 80, 27-38.
       https://doi.org/10.1093/biomet/80.1.27
    """
    return _fit_scaled(_native.fit_firth, scores, positive, weights, pair)


def _fit_scaled(fit: Callable[..., None], scores: Array, positive: Mask, weights: Array, pair: str) -> list[Sigmoid]:
    """Sigmoids fitted to scaled scores, with a warning if one does not converge."""
    # Scaled scores make the result independent of their unit and origin, which otherwise matter because of the ridge
    # and of rounding. The midrange of equal scores is exactly their value; their mean may be rounded.
    low, high = float(scores.min()), float(scores.max())
    centre, unit = 0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low or 1.0
    out = np.empty((len(weights), 3))
    fit((scores - centre) / unit, positive, weights, out)
    if not out[:, 2].all():
        warning = ConvergenceWarning(
            f"the sigmoid of the pair {pair} did not converge, because its scores or weights differ by too many orders "
            f"of magnitude; scale the columns of {arg('X')}, or use {arg('calibration', 'isotonic')}."
        )
        warn(warning)
    return [Sigmoid(a / unit, b - a / unit * centre) for a, b, _ in out.tolist()]


def fit_isotonic(scores: Array, positive: Mask, weights: Array, pair: str) -> list[Isotonic]:
    """The increasing step functions that are closest to the outcomes; parameters as in `fit_sigmoid`."""
    step = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    outcome = positive.astype(np.float64)
    return [Isotonic(clone(step).fit(scores, outcome, sample_weight=weight)) for weight in weights]


@dataclass(frozen=True)
class Calibration:
    """A way to calibrate: its function, whether it has a and b, and whether temperature="auto" follows it."""

    fit: Callable[[Array, Mask, Array, str], Sequence[Calibrator]]
    has_coefficients: bool = False
    auto_temperature: bool = True


CALIBRATIONS = {
    "firth": Calibration(fit_firth, has_coefficients=True),
    # As LIBSVM does it, without a temperature.
    "sigmoid": Calibration(fit_sigmoid, has_coefficients=True, auto_temperature=False),
    "isotonic": Calibration(fit_isotonic),
}
# What calibration="auto" means, by the kind of a learner's scores.
AUTO = {"decision": "firth", "probability": None}


def method_of(calibration: str | None, kind: str) -> str | None:
    """The row of `CALIBRATIONS` that a choice of the user means for a learner, or None."""
    return AUTO[kind] if calibration == "auto" else calibration


def calibrate(method: str, scores: Array, positive: Mask, weights: Array, pair: str) -> Sequence[Calibrator]:
    """Fit a calibration to held-out scores for each row of weights, with a warning if the scores are all equal."""
    if np.ptp(scores) == 0.0:
        warning = ConvergenceWarning(
            f"the scores of the pair {pair} are equal to 11 digits, so its probabilities are the classes' shares of "
            f"the rows; if the columns of {arg('X')} are tiny, scale them."
        )
        warn(warning)
    return CALIBRATIONS[method].fit(scores, positive, weights, pair)


def by_fold(calibrators: Sequence[Calibrator], scores: Array, rows_of_folds: Sequence[Integers]) -> Array:
    """Log-odds of held-out scores, by the calibrator of the fold in which a row is held out."""
    out = scores.copy()
    for calibrator, rows in zip(calibrators, rows_of_folds, strict=True):
        out[rows] = calibrator.log_odds(scores[rows])
    return out


# Thresholds, and the most probable class

# The scores of its rows by which the threshold of a pair is chosen.
THRESHOLDS = {"train": "trained", "cv": "held_out"}


def best_threshold(log_odds: Array, positive: Mask, weight: Array) -> float:
    """Hastie & Tibshirani's threshold: the t for which the rule "positive if d > t" makes the fewest errors.

    All t between two neighbouring d make the same errors, and several such gaps may be equally good. 0 is kept unless
    another t is better. Otherwise t is the middle of a best gap, and of several the one nearest to 0. If it is best to
    assign all rows to one class, t is one unit beyond the outermost d.
    """
    order = np.argsort(log_odds, kind="stable")
    d, gain = log_odds[order], np.where(positive[order], weight[order], -weight[order])
    # Errors, minus a constant, of a threshold just below the first d, and then just above each d.
    errors = np.concatenate([[0.0], np.cumsum(gain)])
    possible = np.concatenate([[True], d[1:] > d[:-1], [True]])
    least = errors[possible].min()
    # Sums of weights in another order differ in the last digit.
    slack = 1e-12 * float(np.sum(weight))
    if errors[np.searchsorted(d, 0.0, side="right")] <= least + slack:
        return 0.0
    middles = np.concatenate([[d[0] - 1.0], 0.5 * (d[1:] + d[:-1]), [d[-1] + 1.0]])
    best = middles[possible & (errors <= least + slack)]
    return float(best[np.argmin(np.abs(best))])


def likeliest(proba: Array, random_state: Any) -> Integers:
    """Index of the largest probability in each row: the first of several, or with a `random_state` a random one."""
    best = proba.argmax(axis=1)
    if random_state is not None:
        equal = proba == proba.max(axis=1, keepdims=True)
        tied = np.flatnonzero(equal.sum(axis=1) > 1)
        draws = check_random_state(random_state).random_sample((len(tied), proba.shape[1]))
        best[tied] = (equal[tied] * (1.0 + draws)).argmax(axis=1)
    return best


# Calibrated pairs


class Members(Protocol):
    """Fitted learners of some pairs, which give their scores together."""

    pairs: Integers

    def scores(self, x: Any) -> Array:
        """Scores in favour of the first class, one column per pair."""

    def learner(self, index: int) -> Any:
        """The learner of one of the pairs."""


class CalibratedPairs:
    """Fitted learners of all pairs, and what turns their scores into probabilities.

    Parameters
    ----------
    members : sequence of Members
        Together they have every pair once.
    calibrators : dict
        Calibrators of pairs; the scores of the others are log-odds already.
    threshold : ndarray
        What is subtracted from the log-odds of each pair.
    """

    def __init__(self, members: Sequence[Members], calibrators: Mapping[int, Calibrator], threshold: Array) -> None:
        self.members, self.threshold = members, threshold
        # Sigmoids of all pairs are applied at once; this one leaves log-odds as they are.
        self.a, self.b = np.full(len(threshold), -1.0), np.zeros(len(threshold))
        self._as_given = not calibrators and not threshold.any()
        self._others: dict[int, Calibrator] = {}
        for pair, calibrator in calibrators.items():
            if isinstance(calibrator, Sigmoid):
                self.a[pair], self.b[pair] = calibrator
            else:
                self._others[pair] = calibrator

    def scores(self, x: Any) -> Array:
        """Raw scores, one column per pair."""
        if len(self.members) == 1:
            return self.members[0].scores(x)
        out = np.empty((x.shape[0], len(self.threshold)))
        for member in self.members:
            out[:, member.pairs] = member.scores(x)
        return out

    def probabilities(self, x: Any) -> Array:
        """r_ij of the pairs i < j, one column per pair."""
        log_odds = self._log_odds(x)
        return expit(log_odds, out=log_odds)

    def both(self, x: Any) -> Array:
        """Probabilities of both classes of a single pair; if nothing changes those of a learner, its own."""
        own = getattr(self.members[0], "probabilities", None) if self._as_given else None
        proba = None if own is None else own(x)
        if proba is None:
            log_odds = self._log_odds(x)
            proba = expit(np.hstack([log_odds, -log_odds]))
        return proba

    def _log_odds(self, x: Any) -> Array:
        """Log-odds of the pairs, calibrated and moved by the thresholds."""
        scores = self.scores(x)
        log_odds = scores * -self.a
        log_odds -= self.b
        for pair, calibrator in self._others.items():
            log_odds[:, pair] = calibrator.log_odds(scores[:, pair])
        log_odds -= self.threshold
        return log_odds

    def learners(self) -> list[Any]:
        """The learner of each pair."""
        found = {int(pair): member.learner(k) for member in self.members for k, pair in enumerate(member.pairs)}
        return [found[pair] for pair in range(len(self.threshold))]


# Scores of candidates


def check_one_score(scoring: Any) -> None:
    """Refuse several scores: candidates are compared by one."""
    if scoring is not None and not isinstance(scoring, str) and not callable(scoring):
        raise InputError(f"{arg('scoring')} must be the name of one score, or a callable, got {value(scoring)}.")


class ScoringError(Exception):
    """A scorer failed, not the learner that it was to score."""


def checked(scorer: Any, *args: Any, **params: Any) -> float:
    """The result of a scorer; its errors become a `ScoringError`."""
    try:
        return scorer(*args, **params)
    except Exception as error:
        raise ScoringError(str(error)) from error


def accuracy(problem: Problem, margins: Array, folds: Folds, tie: int) -> Array:
    """Accuracy of own margins, for each pair and fold; NaN if a fold holds out no row of the pair.

    At a score of 0 a learner predicts the first class of a pair (`tie` is 0) or the second (1).
    """
    k, held = problem.n_classes, ~folds.kept
    margins, code = margins[held], problem.code[held]
    cell = code + k * folds.held()[held]
    rows = np.bincount(cell, minlength=k * len(folds)).reshape(len(folds), k).T
    right = np.empty((k, k - 1, len(folds)))
    for column in range(k - 1):
        first = code <= column
        won = (margins[:, column] > 0.0) | ((margins[:, column] == 0.0) & (first if tie == 0 else ~first))
        right[:, column] = np.bincount(cell[won], minlength=k * len(folds)).reshape(len(folds), k).T
    i, j = problem.low, problem.high
    with np.errstate(invalid="ignore"):
        return (right[i, j - 1] + right[j, i]) / (rows[i] + rows[j])


def scored(problem: Problem, pair: int, scores: Array, folds: Folds, scorer: Any, known: Any, params: Any) -> Array:
    """Any of scikit-learn's scores of a pair's held-out scores, per fold; `known` is one of the classes below."""
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


def simple_accuracy(known: Any, _: Any, y: NDArray[Any]) -> float:
    """Accuracy without the input checks of scikit-learn's scorer, which take most of its time."""
    return float(np.mean(known.predict(None) == y))


class Known(ClassifierMixin, BaseEstimator):
    """A classifier of two classes whose scores are known, for scorers to call."""

    def __init__(self, classes: NDArray[Any], scores: Array) -> None:
        self.classes_, self.scores = classes, scores

    def decision_function(self, _: Any) -> Array:
        """The scores, with the sign that scikit-learn gives them."""
        return -self.scores


class KnownDecisions(Known):
    """Decision values, positive for the first class; at 0 LIBSVM predicts the second."""

    def predict(self, _: Any) -> NDArray[Any]:
        """Class of each row."""
        return self.classes_[(self.scores <= 0.0).astype(np.int64)]


class KnownProbabilities(Known):
    """Log-odds, from which there are probabilities."""

    def predict(self, _: Any) -> NDArray[Any]:
        """Class of each row."""
        return self.classes_[(self.scores < 0.0).astype(np.int64)]

    def predict_proba(self, _: Any) -> Array:
        """Probabilities of both classes."""
        return np.column_stack([expit(self.scores), expit(-self.scores)])
