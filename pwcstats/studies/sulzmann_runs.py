"""Sulzmann, Fürnkranz & Hüllermeier (2007): the runs of naive Bayes, of its pairs, and of one against all."""

from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from pwcstats._arrays import Array
from pwcstats._jobs import seed_of
from pwcstats.coupling import couple
from pwcstats.coupling.methods import MethodName
from pwcstats.datasets import load, sulzmann_counts
from pwcstats.pairwise import PairwiseClassifier
from pwcstats.studies.running import Record

__all__ = [
    "PLACKETT_LUCE",
    "SIMULATED",
    "TWINS",
    "circles",
    "compared",
    "in_order",
    "intransitive",
    "random_rankings",
    "three_classes",
    "voted",
    "weighted",
]

# Numbers of classes of simulated data, and data with each class duplicated, so that there are ties.
SIMULATED = {
    "simulated, 3 classes": 3,
    "simulated, 5 classes": 5,
    "simulated, 10 classes": 10,
    "simulated, 20 classes": 20,
}
TWINS = "simulated, 4 classes twice"
# Random rankings whose pairs are those of class probabilities.
PLACKETT_LUCE = "Plackett-Luce"
# Number of bins of equal counts into which numbers are discretised for the categorical learner.
PARTS = 5
# Classes tie if their log posteriors, or their votes, differ by less than this; rounding errors are about 1e-12.
TIE = 1e-9


class _Task(NamedTuple):
    """A learner, its training cases, and test cases."""

    learner: Any
    x: Any
    y: Any
    new: Any
    truth: Any


def weighted(data: str, learner: str, most: int, seed: int) -> list[Record]:
    """Theorem 1: largest difference between the weighted sums of pairs and the probabilities of naive Bayes."""
    joint, r = _posteriors(_task(data, learner, most, seed))
    p = softmax(joint, axis=1)
    s = couple(r, "bayes", pair_mass=p[:, :, None] + p[:, None, :])
    return [{"deviation": np.abs(s - p).max(), "cases": len(p), "classes": p.shape[1]}]


def voted(data: str, learner: str, most: int, seed: int, voting: MethodName) -> list[Record]:
    """Theorems 2 and 3: number of cases that votes of the pairs rank differently from naive Bayes."""
    joint, r = _posteriors(_task(data, learner, most, seed))
    # Rounded, so that a pair that ties up to rounding errors is split.
    votes = couple(r.round(12), voting)
    own = in_order(joint)
    ties = (own == 0).sum(axis=(1, 2)) > joint.shape[1]
    differ = (own != in_order(votes)).any(axis=(1, 2))
    return [{"differ": differ.sum(), "ties": ties.sum(), "cases": len(own), "classes": own.shape[1]}]


def circles(data: str, learner: str, most: int, seed: int) -> list[Record]:
    """Shares of cases that violate (5), with a pair that other classes reverse, and that votes rank differently."""
    task = _task(data, "Gaussian", most, seed)
    other = {"QDA": QuadraticDiscriminantAnalysis(tol=1e-9), "LDA": LinearDiscriminantAnalysis()}.get(learner)
    score, r = _posteriors(task if other is None else task._replace(learner=other))
    own, pairs = in_order(score), np.where(np.abs(r - 0.5) > TIE, np.sign(r - 0.5), 0.0)
    votes = in_order(couple(r.round(12), "vote"))
    return [
        {
            "circles": intransitive(r).mean(),
            "reversed": (own != pairs).any(axis=(1, 2)).mean(),
            "voting": (own != votes).any(axis=(1, 2)).mean(),
        }
    ]


def intransitive(r: Array) -> NDArray[np.bool_]:
    """Cases that violate (5): r_ij < 1/2 and r_jk < 1/2, but not r_ik < 1/2."""
    beaten = r < 0.5 - TIE
    two_steps = np.matmul(beaten.astype(np.float64), beaten.astype(np.float64)) > 0.0
    return (two_steps & ~beaten).any(axis=(1, 2))


def compared(data: str, most: int, split: int, seed: int) -> list[Record]:
    """Section 5: shares of cases to which one against all gives another class or ranking, and accuracies."""
    task = _task(data, "categorical", most, seed_of("split", seed, split))
    classes = np.unique(task.y)
    own = task.learner.fit(task.x, task.y).predict_joint_log_proba(task.new)
    rest = _against_all(task)
    predicted, by_rest = classes[own.argmax(axis=1)], classes[rest.argmax(axis=1)]
    return [
        {
            "other": np.mean(predicted != by_rest),
            "ranked": (in_order(own) != in_order(rest)).any(axis=(1, 2)).mean(),
            "right": np.mean(predicted == task.truth),
            "gain": np.mean(by_rest == task.truth) - np.mean(predicted == task.truth),
        }
    ]


def random_rankings(rankings: str, n_classes: int, samples: int, seed: int) -> list[Record]:
    """How far votings of the true pairs stay below the largest expected Spearman correlation with a random ranking.

    Each sample has a probability for each ranking, so that the pairs and the expected correlations are exact.
    """
    rng = np.random.default_rng(seed_of("spearman", rankings, n_classes, seed))
    # A row for each ranking: the ranks of the classes, 0 for the best.
    ranks = np.array(list(permutations(range(n_classes))), dtype=np.float64)
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    spearman = centred @ centred.T / (centred[0] @ centred[0])
    before = (ranks[:, :, None] < ranks[:, None, :]).astype(np.float64)
    worst: dict[str, float] = {}
    for _ in range(samples):
        p = rng.dirichlet(np.ones(n_classes))
        # Of any rankings few are probable, so that pairs may be intransitive.
        given = rankings == PLACKETT_LUCE
        weights = _plackett_luce(ranks, p) if given else rng.dirichlet(np.full(len(ranks), 5.0 / len(ranks)))
        r = np.tensordot(weights, before, axes=1) + 0.5 * np.eye(n_classes)
        scores = {"weighted": couple(r, "sum", clip=0.0), "plain": couple(r, "vote", clip=0.0)}
        scores |= {"none, class probabilities": p} if given else {}
        expected = spearman @ weights
        for voting, score in scores.items():
            voted = np.argsort(np.argsort(-score, kind="stable"))
            below = expected.max() - expected[(ranks == voted).all(axis=1)]
            worst[voting] = max(worst.get(voting, 0.0), float(below[0]))
    return [{"voting": voting, "below": below} for voting, below in worst.items()]


def _plackett_luce(ranks: Array, p: Array) -> Array:
    """Probabilities of rankings in which each next class is drawn from the remaining ones."""
    drawn = p[ranks.argsort(axis=1)]
    return (drawn / drawn[:, ::-1].cumsum(axis=1)[:, ::-1]).prod(axis=1)


def three_classes() -> pd.DataFrame:
    """Section 5: posteriors at X = Y = 1, one row per class."""
    x, y = sulzmann_counts()
    # Almost no smoothing; frequencies of 0 are not needed at X = Y = 1.
    task = _Task(CategoricalNB(alpha=1e-12, force_alpha=True), x, y, np.array([[1, 1]]), y[:1])
    joint, r = _posteriors(task)
    found = {
        "naive Bayes": softmax(joint, axis=1)[0],
        "pairs": couple(r, "ht")[0],
        "one against all": expit(_against_all(task))[0],
    }
    return pd.DataFrame(found, index=np.unique(y))


def _against_all(task: _Task) -> Array:
    """Log-odds of each class against all others, by naive Bayes of these two."""
    odds = []
    for label in np.unique(task.y):
        joint = task.learner.fit(task.x, task.y == label).predict_joint_log_proba(task.new)
        odds.append(joint[:, 1] - joint[:, 0])
    return np.column_stack(odds)


def in_order(score: Array) -> Array:
    """For each pair of classes, 1 if the first has the larger score, -1 if the smaller, 0 in a tie."""
    gap = score[:, :, None] - score[:, None, :]
    return np.where(np.abs(gap) > TIE, np.sign(gap), 0.0)


def _posteriors(task: _Task) -> tuple[Array, Array]:
    """Log posteriors of all classes, up to a constant, and pairwise probabilities, each from a separate fit."""
    learner = task.learner.fit(task.x, task.y)
    bayes = hasattr(learner, "predict_joint_log_proba")
    joint = learner.predict_joint_log_proba(task.new) if bayes else learner.decision_function(task.new)
    pairs = PairwiseClassifier(task.learner, calibration=None, fast=False).fit(task.x, task.y)
    return joint, pairs.pairwise_proba(task.new)


def _task(data: str, learner: str, most: int, seed: int) -> _Task:
    """Training cases, test cases, and naive Bayes for them."""
    rng = np.random.default_rng(seed_of("sulzmann", data, seed))
    if data in SIMULATED or data == TWINS:
        x, y = _simulated(SIMULATED.get(data, 4), rng)
    else:
        found = load(data)
        x, y = found.data, found.target.to_numpy()
    order = rng.permutation(len(y))
    train, test = np.split(order, [2 * len(y) // 3])
    test = test[:most]
    if learner == "Gaussian":
        values = np.asarray(x, dtype=np.float64)
        # Smoothing of the variances would depend on all rows of a fit, also on those of other classes.
        return _Task(GaussianNB(var_smoothing=0.0), values[train], y[train], values[test], y[test])
    codes, sizes = _codes(x, train)
    task = _Task(CategoricalNB(min_categories=sizes), codes[train], y[train], codes[test], y[test])
    if data == TWINS:
        return task._replace(x=np.vstack([task.x, task.x]), y=np.concatenate([task.y, task.y + 4]))
    return task


def _simulated(n_classes: int, rng: np.random.Generator) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Eight attributes with three values, independent within classes; on average 200 cases per class."""
    y = rng.choice(n_classes, size=200 * n_classes, p=rng.dirichlet(np.full(n_classes, 5.0)))
    shares = rng.dirichlet(np.ones(3), size=(n_classes, 8)).cumsum(axis=2)
    codes = (rng.random((len(y), 8, 1)) > shares[y]).sum(axis=2)
    return pd.DataFrame(codes.clip(max=2)).astype("category"), y


def _codes(x: pd.DataFrame, train: NDArray[np.intp]) -> tuple[NDArray[np.int64], list[int]]:
    """Codes of the columns (numbers are discretised into bins of equal counts), and the number of codes of each."""
    codes, sizes = [], []
    for _, column in x.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            codes.append(column.cat.codes.to_numpy(dtype=np.int64))
            sizes.append(len(column.cat.categories))
        else:
            values = column.to_numpy(dtype=np.float64)
            cuts = np.unique(np.quantile(values[train], np.arange(1, PARTS) / PARTS))
            codes.append(np.searchsorted(cuts, values, side="right"))
            sizes.append(len(cuts) + 1)
    return np.column_stack(codes), sizes
