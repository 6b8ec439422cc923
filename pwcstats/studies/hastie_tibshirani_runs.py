"""Hastie & Tibshirani (1998): the runs of Figures 1 to 3, one sample each."""

import math
from typing import Any, Literal

import numpy as np
from scipy import stats
from scipy.special import expit
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import Bunch

from pwcstats._arrays import Array
from pwcstats._jobs import seed_of
from pwcstats.coupling import couple
from pwcstats.coupling.methods import MethodName
from pwcstats.datasets import hastie_tibshirani_gaussians, hastie_tibshirani_mixtures
from pwcstats.pairwise import BiasedNeighborsClassifier, PairwiseClassifier
from pwcstats.studies.running import Record

__all__ = ["gaussians", "mixture", "plane", "plane_rules"]

# As in the paper: probabilities of the pairs as the learners give them, and as coupling gives them.
PLAIN: dict[str, Any] = {"calibration": None, "temperature": False}
# Candidates for J of the nearest-neighbour rules, and the number of folds to choose one; the paper gives neither.
NEIGHBOURS = (1, 3, 5, 7, 9, 11, 15, 21)
FOLDS = 5


def plane(figure: Literal[1, 2], number: int, seed: int) -> Bunch:
    """A sample of Figure 1 or 2."""
    return hastie_tibshirani_mixtures(figure, random_state=seed_of("mixtures", figure, seed, number))


def mixture(figure: Literal[1, 2], number: int, seed: int) -> list[Record]:
    """Errors of the rules on one sample."""
    sample = plane(figure, number, seed)
    new, truth = sample.data[~sample.train], sample.target[~sample.train]
    pairs, lda, qda = plane_rules(sample)
    votes = pairs.votes(new)
    tied = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1
    predicted = pairs.predict(new)
    return [
        {
            "max-wins": _error(votes, truth),
            "coupled": np.mean(predicted != truth),
            "LDA": np.mean(lda.predict(new) != truth),
            "QDA": np.mean(qda.predict(new) != truth),
            "same": np.mean(predicted == lda.predict(new)),
            "undecided": tied.mean(),
            "to_first": np.mean(predicted[tied] == 0) if tied.any() else math.nan,
        }
    ]


def plane_rules(sample: Bunch) -> list[Any]:
    """Fitted classifiers: coupled pairs of LDA, LDA, and QDA."""
    lda = LinearDiscriminantAnalysis()
    rules = [PairwiseClassifier(lda, coupling="ht", **PLAIN), lda, QuadraticDiscriminantAnalysis()]
    return [rule.fit(sample.data[sample.train], sample.target[sample.train]) for rule in rules]


def _error(score: Array, truth: Any) -> float:
    """Expected error of the largest score, if ties are broken at random."""
    # The order of summation changes the last digit.
    best = score >= score.max(axis=1, keepdims=True) * (1.0 - 1e-12)
    return float(1.0 - np.mean(best[np.arange(len(truth)), truth] / best.sum(axis=1)))


def gaussians(simulation: int, seed: int) -> list[Record]:
    """Errors of all rules in one simulation, and the chosen numbers of neighbours."""
    own = seed_of("gaussians", seed, simulation)
    sample = hastie_tibshirani_gaussians(random_state=own)
    x, y = sample.data[sample.train], sample.target[sample.train]
    new, truth = sample.data[~sample.train], sample.target[~sample.train]
    normal = [stats.multivariate_normal(*one) for one in zip(sample.means, sample.covariances, strict=True)]
    density = np.column_stack([one.logpdf(new) for one in normal])
    bayes = np.mean(density.argmax(axis=1) != truth)
    records: list[Record] = [{"learner": "Bayes", "rule": "true densities", "error": bayes}]
    neighbours = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": list(NEIGHBOURS)}, cv=FOLDS)
    learners = {
        # The smallest variances are near 1e-4, at which scikit-learn warns of collinear columns.
        "QDA": QuadraticDiscriminantAnalysis(tol=1e-9),
        "LDA": LinearDiscriminantAnalysis(),
        "J-NN": neighbours,
    }
    for name, learner in learners.items():
        records.append({"learner": name, "rule": "all classes", "error": 1.0 - learner.fit(x, y).score(new, truth)})
    records.append({"learner": "J-NN", "rule": "all classes", "neighbours": neighbours.best_params_["n_neighbors"]})

    one_j = {str(j): KNeighborsClassifier(j) for j in NEIGHBOURS}
    for name, learner in (("LDA", learners["LDA"]), ("J-NN", one_j)):
        pairs = PairwiseClassifier(
            learner, selection_cv=FOLDS, threshold="cv", calibration_cv=FOLDS, random_state=own, **PLAIN
        )
        d, t = pairs.fit(x, y).pairwise_scores(new), pairs.pairs_["threshold"].to_numpy()
        # The pairs are the same with and without thresholds.
        records += _paired(name, "none", d, truth) + _paired(name, "cv", d - t, truth)
    chosen_j = pairs.pairs_["learner"].astype(int)
    biased = PairwiseClassifier(BiasedNeighborsClassifier(NEIGHBOURS), **PLAIN).fit(x, y)
    records += _paired("J-NN", "distances", biased.pairwise_scores(new), truth)
    machines = biased.estimators_.values()
    # The neighbours of a pair are from two classes.
    records += [
        {"learner": "J-NN", "rule": "pairs", "neighbours": chosen_j.mean() / 2.0},
        {
            "learner": "J-NN",
            "rule": "pairs",
            "threshold": "distances",
            "neighbours": np.mean([one.n_neighbors_ for one in machines]) / 2.0,
            "bias": np.mean([abs(one.bias_) for one in machines]),
        },
    ]
    empty = {"threshold": "none"} | dict.fromkeys(("error", "neighbours", "bias"), math.nan)
    return [empty | record for record in records]


def _paired(learner: str, threshold: str, log_odds: Array, truth: Any) -> list[Record]:
    """Errors of max-wins and of coupling; all pairs have the same number of cases, so weights do not matter."""
    rules: dict[str, MethodName] = {"max-wins": "vote", "coupled": "ht"}
    return [
        {
            "learner": learner,
            "rule": rule,
            "threshold": threshold,
            "error": _error(couple(expit(log_odds), method, condensed=True), truth),
        }
        for rule, method in rules.items()
    ]
