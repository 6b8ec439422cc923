"""Slow reference implementations of pairwise classifiers: loops over pairs and folds with scikit-learn's functions."""

from itertools import combinations

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, log_expit, logsumexp
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score

from tests.reference import wlw2_kkt


def score_cases():
    """Scores of different sizes, gaps and units, whether they are of the positive class, and weights."""
    rng = np.random.default_rng(3)
    sizes = [(60, 1, 1, 0.5), (400, 3, 1e-3, 0.2), (31, 0, 50, 0.7), (200, 8, 1, 0.5), (12, 2, 1e5, 0.4)]
    for n, gap, unit, share in sizes:
        positive = rng.random(n) < share
        positive[:2] = True, False
        yield (rng.normal(size=n) + gap * positive) * unit, positive, rng.gamma(2.0, size=n)


def platt(scores, positive, weight):
    """A and B that maximise the likelihood of Platt's targets, by a general optimiser on standardised scores."""
    n_positive, n_negative = weight[positive].sum(), weight[~positive].sum()
    target = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    centre, scale = scores.mean(), scores.std() or 1.0
    z = (scores - centre) / scale

    def loss(ab):
        d = -(ab[0] * z + ab[1])
        return -(weight * (target * log_expit(d) + (1 - target) * log_expit(-d))).sum()

    def gradient(ab):
        residual = weight * (target - expit(-(ab[0] * z + ab[1])))
        return np.array([(residual * z).sum(), residual.sum()])

    start = minimize(loss, [0.0, 0.0], jac=gradient, method="BFGS", options={"gtol": 1e-9}).x
    a, b = minimize(loss, start, jac=gradient, method="trust-constr", hess="2-point", options={"gtol": 1e-13}).x
    return a / scale, b - a * centre / scale


def firth(scores, positive, weight):
    """A and B of logistic regression with Jeffreys' penalty, by a general optimiser; A is not positive."""
    centre, scale = scores.mean(), scores.std() or 1.0
    z = (scores - centre) / scale

    def loss(ab):
        d = -(ab[0] * z + ab[1])
        v = weight * expit(d) * expit(-d)
        information = np.array([[(v * z * z).sum(), (v * z).sum()], [(v * z).sum(), v.sum()]])
        return -(weight * log_expit(np.where(positive, d, -d))).sum() - 0.5 * np.linalg.slogdet(information)[1]

    start = minimize(loss, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-9}).x
    a, b = minimize(loss, start, method="BFGS", options={"gtol": 1e-9}).x
    if a > 0:
        # The limit of b for slopes that fall to 0.
        return 0.0, np.log((weight[~positive].sum() + 1) / (weight[positive].sum() + 1))
    return a / scale, b - a * centre / scale


SIGMOIDS = {"firth": firth, "sigmoid": platt}


def temperature(proba, code, weight):
    """1 / T by a search along a line: log loss with one pseudo-case that all classes share."""
    n, k = weight.sum(), proba.shape[1]
    target = np.full(proba.shape, 1 / k / (n + 1))
    target[np.arange(len(code)), code] += n / (n + 1)

    def loss(log_beta):
        z = np.exp(log_beta) * np.log(proba)
        return -(weight[:, None] * target * (z - logsumexp(z, axis=1, keepdims=True))).sum()

    return np.exp(-minimize_scalar(loss, bounds=(-4.6, 4.6), method="bounded", options={"xatol": 1e-10}).x)


def libsvm_sigmoid(scores, positive):
    """Lin, Lin & Weng's pseudo-code with LIBSVM's own constants."""
    prior1, prior0 = positive.sum(), (~positive).sum()
    t = np.where(positive, (prior1 + 1) / (prior1 + 2), 1 / (prior0 + 2))

    def value(a, b):
        x = scores * a + b
        return np.where(x >= 0, t * x + np.log1p(np.exp(-np.abs(x))), (t - 1) * x + np.log1p(np.exp(-np.abs(x)))).sum()

    a, b = 0.0, np.log((prior0 + 1) / (prior1 + 1))
    fval = value(a, b)
    for _ in range(100):
        p = expit(-(scores * a + b))
        d2, d1 = p * (1 - p), t - p
        h11, h22, h21 = 1e-12 + (scores**2 * d2).sum(), 1e-12 + d2.sum(), (scores * d2).sum()
        g1, g2 = (scores * d1).sum(), d1.sum()
        if abs(g1) < 1e-5 and abs(g2) < 1e-5:
            break
        det = h11 * h22 - h21 * h21
        da, db = -(h22 * g1 - h21 * g2) / det, -(-h21 * g1 + h11 * g2) / det
        gd, step = g1 * da + g2 * db, 1.0
        while step >= 1e-10:
            new = value(a + step * da, b + step * db)
            if new < fval + 1e-4 * step * gd:
                a, b, fval = a + step * da, b + step * db, new
                break
            step /= 2
    return a, b


def threshold_errors(d, positive, weight, t):
    """Weight of the rows that the rule d > t gets wrong."""
    return weight[(d > t) != positive].sum()


def folds_of_pair(y, rows, n_folds):
    """Stratified folds of all rows, cut to the rows of a pair; as indices within the pair."""
    for train, test in StratifiedKFold(n_folds).split(np.zeros(len(y)), y):
        yield np.flatnonzero(np.isin(rows, train)), np.flatnonzero(np.isin(rows, test))


def cv_scores(learner, x, y, n_folds, scoring="accuracy"):
    """Mean cross-validated score of each pair."""
    out = []
    for pair in combinations(np.unique(y), 2):
        rows = np.flatnonzero(np.isin(y, pair))
        folds = list(folds_of_pair(y, rows, n_folds))
        out.append(cross_val_score(learner, x[rows], y[rows], cv=folds, scoring=scoring).mean())
    return np.array(out)


def sigmoids(learner, x, y, n_folds):
    """Platt's sigmoid of each pair on held-out decision values."""
    out = []
    for pair in combinations(np.unique(y), 2):
        rows = np.flatnonzero(np.isin(y, pair))
        folds = list(folds_of_pair(y, rows, n_folds))
        held_out = -cross_val_predict(learner, x[rows], y[rows], cv=folds, method="decision_function")
        out.append(platt(held_out, y[rows] == pair[0], np.ones(len(rows))))
    return np.array(out)


def coupled_sigmoids(learner, x, y, new, n_folds):
    """Probabilities of new rows: a binary learner and a sigmoid for each pair, coupled by wlw2."""
    classes = np.unique(y)
    r = np.zeros((len(new), len(classes), len(classes)))
    for (i, j), (a, b) in zip(combinations(range(len(classes)), 2), sigmoids(learner, x, y, n_folds), strict=True):
        rows = np.isin(y, classes[[i, j]])
        fitted = clone(learner).fit(x[rows], y[rows])
        r[:, i, j] = expit(-(a * -fitted.decision_function(new) + b))
        r[:, j, i] = 1 - r[:, i, j]
    return np.array([wlw2_kkt(one) for one in r])


def biased_share(x, is_first, row, j, bias, without=None):
    """Share of the first class among the J nearest; if distances are equal, the mean of both orders of the classes."""
    others = [s for s in range(len(x)) if s != without]
    far = {s: np.sqrt(np.sum((row - x[s]) ** 2)) * (np.exp(bias) if is_first[s] else 1.0) for s in others}
    shares = []
    for favoured in (True, False):
        near = sorted(others, key=lambda s: (far[s], is_first[s] != favoured))[:j]
        shares.append(sum(is_first[s] for s in near) / j)
    return sum(shares) / 2


def biased_errors(x, is_first, n_neighbors, biases):
    """Leave-one-out error of all J and biases, those near 0 first; a tie is half an error."""
    errors = {}
    for bias in sorted(biases, key=abs):
        for j in sorted(n_neighbors):
            wrong = 0.0
            for s in range(len(x)):
                own = biased_share(x, is_first, x[s], j, bias, without=s)
                own = own if is_first[s] else 1 - own
                wrong += 1.0 if own < 0.5 else 0.5 if own == 0.5 else 0.0
            errors[bias, j] = wrong / len(x)
    return errors
