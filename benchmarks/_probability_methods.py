"""Candidates for the probabilities of pairwise machines, computed from held-out scores of all pairs.

A candidate calibrates the scores of each pair, couples the pairs, and may then adjust the coupled probabilities.
`PairwiseClassifier` does what "Firth, T" does here.
"""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, log_softmax, softmax
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pwcstats import PairwiseClassifier, couple
from pwcstats.coupling.methods import find_method
from pwcstats.pairwise import calibration

N_FOLDS = 5
# Probabilities below it count as this in logarithms.
SMALLEST = 1e-300


class Scores(NamedTuple):
    """Scores of all pairs, one column each: held-out scores of the training rows, and those of the test rows."""

    y: np.ndarray
    fold: np.ndarray
    held: np.ndarray
    new: np.ndarray

    @property
    def n_classes(self):
        return self.y.max() + 1

    @property
    def pairs(self):
        """Classes of each column."""
        return np.column_stack(np.triu_indices(self.n_classes, 1))


def pair_scores(learner, problem):
    """Fit the machines of all pairs to all rows, and to the rows outside of each fold."""

    def scores(rows, new):
        machines = PairwiseClassifier(learner, coupling="vote", calibration=None)
        return machines.fit(problem.x[rows], problem.y[rows]).pairwise_scores(new)

    fold = np.empty(len(problem.y), int)
    held = None
    for k, (train, test) in enumerate(StratifiedKFold(N_FOLDS).split(problem.x, problem.y)):
        found = scores(train, problem.x[test])
        held = np.empty((len(fold), found.shape[1])) if held is None else held
        fold[test], held[test] = k, found
    return Scores(problem.y, fold, held, scores(slice(None), problem.new))


# Calibrations of a pair: functions of its scores and of whether a row is of its first class. They return the log-odds
# as a function of the score.


def of_package(method):
    def fit(scores, positive):
        return calibration.calibrate(method, scores, positive, np.ones(len(scores)), "").log_odds

    return fit


def beta(scores, positive):
    """Beta calibration of Firth's sigmoid (Kull, Silva Filho and Flach 2017), with a weak ridge for separated pairs."""
    first = of_package("firth")(scores, positive)

    def columns(f):
        log_odds = calibration.bounded(first(f))
        return np.column_stack([-np.logaddexp(0, -log_odds), np.logaddexp(0, log_odds), np.ones(len(f))])

    x, start = columns(scores), np.array([1.0, 1.0, 0.0])

    def loss(b):
        z, moved = x @ b, b - start
        value = (np.logaddexp(0, z) - positive * z).sum() + 0.05 * moved @ moved
        return value, x.T @ (expit(z) - positive) + 0.1 * moved

    b = minimize(loss, start, jac=True, bounds=[(0, None), (0, None), (None, None)]).x
    return lambda f: columns(f) @ b


def calibrate(method, scores, rows):
    """The probabilities of all pairs as a function of their scores; calibrated by some of the held-out scores."""
    y, held = scores.y[rows], scores.held[rows]
    of_pair = [np.isin(y, pair) for pair in scores.pairs]
    first = [y[mask] == pair[0] for mask, pair in zip(of_pair, scores.pairs, strict=True)]
    own = [held[mask, column] for column, mask in enumerate(of_pair)]
    if method == "pooled":
        # One slope for all pairs, without an intercept.
        margins = np.concatenate([np.where(up, f, -f) for up, f in zip(first, own, strict=True)])
        unit = margins.std()
        slope = minimize_scalar(
            lambda a: np.logaddexp(0, -a * margins / unit).sum(), bounds=(0, 100), method="bounded"
        ).x
        return lambda f: expit(slope / unit * f)
    fit = beta if method == "beta" else of_package(method)
    log_odds = [fit(f, up) if up.any() and not up.all() else np.zeros_like for f, up in zip(own, first, strict=True)]
    return lambda f: expit(np.column_stack([each(f[:, column]) for column, each in enumerate(log_odds)]))


# Adjustments of coupled probabilities: functions of their logarithms and the classes. They return the probabilities as
# a function of the logarithms.


def smoothed(y, n_classes, pseudo):
    """Targets with so many pseudo-cases, which the classes share equally."""
    targets = np.full((len(y), n_classes), pseudo / n_classes)
    targets[np.arange(len(y)), y] += len(y)
    return targets / (len(y) + pseudo)


def temperature(log_p, y, pseudo):
    """One exponent for all probabilities (Guo et al. 2017)."""
    targets = smoothed(y, log_p.shape[1], pseudo)
    slope = minimize_scalar(
        lambda b: -(targets * log_softmax(np.exp(b) * log_p, axis=1)).sum(), bounds=(-4, 4), method="bounded"
    ).x
    return lambda new: softmax(np.exp(slope) * new, axis=1)


def matrix(log_p, y, ridge, diagonal=False):
    """One exponent and, with a ridge, an intercept for each class and, if not `diagonal`, a matrix of weights."""
    k = log_p.shape[1]
    targets = smoothed(y, k, 1)
    log_p = log_p - log_p.mean(axis=1, keepdims=True)
    unit = np.sqrt((log_p**2).mean())
    z = log_p / unit

    def linear(b, z):
        return b[0] * z + b[1 : k + 1] + (0.0 if diagonal else z @ b[k + 1 :].reshape(k, k))

    def loss(b):
        log_q = log_softmax(linear(b, z), axis=1)
        error = np.exp(log_q) - targets
        slopes = [[(error * z).sum()], error.sum(axis=0), *([] if diagonal else [(z.T @ error).ravel()])]
        slope = np.concatenate(slopes)
        slope[1:] += ridge * b[1:]
        return -(targets * log_q).sum() + 0.5 * ridge * (b[1:] @ b[1:]), slope

    start = np.zeros(1 + k if diagonal else 1 + k + k * k)
    start[0] = unit
    b = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
    return lambda new: softmax(linear(b, (new - new.mean(axis=1, keepdims=True)) / unit), axis=1)


class Candidate(NamedTuple):
    """How scores become probabilities."""

    calibration: str
    coupling: str = "wlw2"
    adjust: Callable[[Any, Any], Any] | None = None
    # Whether the probabilities by which the adjustment is fitted have calibrations that have not seen their fold.
    nested: bool = True


def tempered(pseudo):
    return lambda log_p, y: temperature(log_p, y, pseudo)


ONE = tempered(1)
CANDIDATES = {
    "Platt": Candidate("sigmoid"),
    "Platt, T": Candidate("sigmoid", adjust=ONE),
    "Firth": Candidate("firth"),
    "Firth, T": Candidate("firth", adjust=ONE),
    "Firth, T, one pseudo-case per class": Candidate(
        "firth", adjust=lambda log_p, y: temperature(log_p, y, log_p.shape[1])
    ),
    "Firth, T, unsmoothed": Candidate("firth", adjust=tempered(0)),
    "Firth, T, not nested": Candidate("firth", adjust=ONE, nested=False),
    "Firth, ht": Candidate("firth", "ht"),
    "Firth, ht, T": Candidate("firth", "ht", ONE),
    "Firth, logit, T": Candidate("firth", "logit", ONE),
    "Firth, vector scaling": Candidate("firth", adjust=lambda log_p, y: matrix(log_p, y, 1.0, diagonal=True)),
    "Firth, matrix scaling, ridge 1": Candidate("firth", adjust=lambda log_p, y: matrix(log_p, y, 1.0)),
    "Firth, matrix scaling, ridge 10": Candidate("firth", adjust=lambda log_p, y: matrix(log_p, y, 10.0)),
    "beta": Candidate("beta"),
    "beta, T": Candidate("beta", adjust=ONE),
    "isotonic, T": Candidate("isotonic", adjust=ONE),
    "one slope for all pairs": Candidate("pooled"),
    "one slope for all pairs, T": Candidate("pooled", adjust=ONE),
}
LOGIT = "multinomial logit of the scores"


def logit_of_scores(scores):
    """Chang's integrator: a multinomial logit on the scores of all pairs, with a ridge chosen by cross-validation."""
    logit = LogisticRegressionCV(
        Cs=[1e-3, 3e-2, 1.0],
        cv=StratifiedKFold(3),
        l1_ratios=(0,),
        scoring="neg_log_loss",
        max_iter=200,
        use_legacy_attributes=False,
    )
    return make_pipeline(StandardScaler(), logit).fit(scores.held, scores.y).predict_proba(scores.new)


def probabilities(scores):
    """Probabilities of the test rows by each candidate."""
    everyone = np.ones(len(scores.y), bool)
    counts = np.bincount(scores.y)[scores.pairs].sum(axis=1).astype(float)
    pairs_of, coupled_of = {}, {}

    def pairs(method):
        """Probabilities of the pairs of the training rows, nested and not, and of the test rows."""
        if method not in pairs_of:
            known = calibrate(method, scores, everyone)
            nested = np.empty_like(scores.held)
            for k in range(N_FOLDS):
                out = scores.fold == k
                nested[out] = calibrate(method, scores, ~out)(scores.held[out])
            pairs_of[method] = nested, known(scores.held), known(scores.new)
        return pairs_of[method]

    def coupled(method, coupling):
        if (method, coupling) not in coupled_of:
            row = find_method(coupling)
            options = {"n": counts} if row.uses_weights else {}
            coupled_of[method, coupling] = [
                couple(r, coupling, condensed=True, clip=row.classifier_clip, **options) for r in pairs(method)
            ]
        return coupled_of[method, coupling]

    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, candidate in CANDIDATES.items():
            nested, seen, new = coupled(candidate.calibration, candidate.coupling)
            if candidate.adjust is not None:
                trained = np.log(np.maximum(nested if candidate.nested else seen, SMALLEST))
                new = candidate.adjust(trained, scores.y)(np.log(np.maximum(new, SMALLEST)))
            found[name] = new
        # Fails if a class has fewer rows than folds.
        if np.bincount(scores.y).min() >= 3:
            found[LOGIT] = logit_of_scores(scores)
    return found
