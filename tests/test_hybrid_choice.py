"""What hybrids choose: the number of clusters by held-out log loss, and thresholds that are known."""

import warnings
from functools import partial

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.svm import SVC

from pwcstats import HybridClassifier, InputError
from pwcstats.errors import ConvergenceWarning
from pwcstats.hybrid.choice import simplest, try_each
from pwcstats.hybrid.cutoff import known_threshold

LINEAR = SVC(kernel="linear")
# "auto" may leave the best number of clusters by chance, in some of few samples.
CHANCE = 0.03


def cloud(n_positive, n_negative, centres, seed):
    """Positives around 0, and so many negatives around each centre."""
    centres = np.array([[0.0, 0.0], *centres])
    group = np.repeat(range(len(centres)), [n_positive] + [n_negative] * (len(centres) - 1))
    return centres[group] + np.random.default_rng(seed).normal(size=(len(group), 2)), group == 0


FOUR = [(a, b) for a in (-2.5, 2.5) for b in (-2.5, 2.5)]
LAYOUTS = {
    "four, as many as the ratio": (32, 32, FOUR),
    "four, many positives": (100, 25, FOUR),
    "four, few positives": (20, 80, FOUR),
    "one, many negatives": (40, 160, [(2.0, 0.0)]),
    "two": (50, 50, [(-3.0, 0.0), (3.0, 0.0)]),
}


class TestClusters:
    def test_four_clouds_around_many_positives(self):
        """There is one negative for each positive, so the rule of the paper makes one cluster."""
        (X, y), (new, truth) = (cloud(200, 50, FOUR, seed) for seed in (0, 1))
        auto, ratio = (
            HybridClassifier(LINEAR, n_clusters=n, pos_label=True, random_state=0).fit(X, y) for n in ("auto", "ratio")
        )
        assert ratio.n_clusters_ == 1
        assert ratio.score(new, truth) < 0.65
        assert auto.n_clusters_ >= 4
        assert auto.score(new, truth) > 0.9

    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_auto_is_not_worse_than_the_ratio(self, layout):
        n_positive, n_negative, centres = LAYOUTS[layout]
        losses = {"auto": [], "ratio": []}
        for seed in range(3):
            X, y = cloud(n_positive, n_negative, centres, seed)
            new, truth = cloud(20 * n_positive, 20 * n_negative, centres, 100 + seed)
            for n, found in losses.items():
                clf = HybridClassifier(LINEAR, n_clusters=n, random_state=0, pos_label=True).fit(X, y)
                found.append(log_loss(truth, clf.predict_proba(new)))
        assert np.mean(losses["auto"]) < np.mean(losses["ratio"]) + CHANCE

    def test_the_number_is_that_of_the_held_out_losses(self):
        X, y = cloud(20, 40, FOUR, 2)
        clf = HybridClassifier(LINEAR, random_state=0).fit(X, y)
        loss = {}
        for k in (8, 1, 2, 3, 4, 5, 6):
            one = HybridClassifier(LINEAR, n_clusters=k, threshold="prevalence", random_state=0).fit(X, y)
            loss[k] = one._loss(one._fitted)
        best = min(loss, key=lambda k: loss[k].mean())
        excess = {k: loss[k] - loss[best] for k in loss}
        as_good = [k for k in loss if excess[k].mean() <= excess[k].std(ddof=1) / np.sqrt(len(X))]
        assert clf.n_clusters_ == min(as_good) < 8

    def test_too_few_rows_need_no_choice(self):
        clf = HybridClassifier(distance_cv=None, threshold=0.5).fit([[0.0], [1.0]], [0, 1])
        assert clf.n_clusters_ == 1

    def test_folds_of_users_are_not_ignored(self):
        """The rows are sorted by class, so each fold holds out all rows of a class."""
        X, y = cloud(20, 20, [(2.0, 0.0)], 0)
        with pytest.raises(InputError, match="fold 0 of threshold_cv holds out all rows"):
            HybridClassifier(threshold=0.5, threshold_cv=KFold(2), distance_cv=None).fit(X, y)

    def test_only_the_warnings_of_the_choice_are_shown(self):
        X, y = cloud(20, 20, FOUR, 0)
        with pytest.warns(ConvergenceWarning, match="stopped after 20 steps") as caught:
            HybridClassifier(SVC(kernel="linear", max_iter=20), random_state=0).fit(X, y)
        assert len(caught) == 1


def test_breast_cancer():
    """One machine suffices there. A logistic regression has 0.074."""
    X, y = load_breast_cancer(return_X_y=True)
    losses = {"auto": [], "ratio": []}
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        for n, found in losses.items():
            clf = HybridClassifier(n_clusters=n, random_state=0, threshold=0.5).fit(X[train], y[train])
            found.append(log_loss(y[test], clf.predict_proba(X[test])))
    assert np.mean(losses["auto"]) <= np.mean(losses["ratio"])
    assert np.mean(losses["auto"]) < 0.0915


def fit_with(loss, text=None, error=None):
    """A fit that may warn or fail."""
    if text:
        warnings.warn(text, UserWarning, stacklevel=1)
    if error:
        raise InputError(error)
    return loss


class TestTrials:
    BAD, GOOD, SAME = np.full(4, 2.0), np.array([1.0, 1.1, 0.9, 1.0]), np.array([0.0, 4.0, 0.0, 3.9])

    def trials(self, *fits):
        return try_each((partial(fit_with, *fit) for fit in fits), lambda loss: loss)

    def choose(self, *fits, sizes=(1, 2, 3)):
        """The chosen fit, if the fits have these sizes."""
        size = {id(fit[0]): size for fit, size in zip(fits, sizes, strict=False)}
        return simplest(self.trials(*fits), lambda fit: size.get(id(fit), 0))

    def test_the_smallest_that_is_not_clearly_worse(self):
        assert self.choose([self.BAD], [self.GOOD]).fit is self.GOOD
        assert self.choose([self.BAD], [self.GOOD], sizes=(2, 1)).fit is self.GOOD
        # The mean is smaller, but by less than its standard error.
        assert self.SAME.mean() < self.BAD.mean()
        assert self.choose([self.BAD], [self.SAME]).fit is self.BAD
        assert self.choose([self.BAD], [self.SAME], sizes=(2, 1)).fit is self.SAME
        assert self.choose([self.GOOD], [self.BAD]).fit is self.GOOD

    def test_warnings_of_rejected_trials_are_not_shown(self):
        best = self.choose([self.BAD, "rejected"], [self.GOOD, "chosen"])
        with pytest.warns(UserWarning, match="chosen") as caught:
            assert best.accept() is self.GOOD
        assert len(caught) == 1
        assert caught[0].filename == __file__

    def test_trials_that_fail_are_left_out(self):
        found = list(self.trials([self.BAD, None, "first"], [self.GOOD], [self.BAD, None, "last"]))
        assert [trial.fit is self.GOOD for trial in found] == [True]

    def test_if_all_fail_the_first_error_is_raised(self):
        with pytest.raises(InputError, match="first"):
            self.choose([self.BAD, None, "first"], [self.BAD, None, "last"])


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy"])
def test_known_thresholds_are_the_best_of_true_probabilities(scoring):
    rng = np.random.default_rng(0)
    proba = np.sort(expit(1.5 * rng.normal(size=200_000) - 2))
    truth = rng.random(len(proba)) < proba
    # Expected positives and negatives above the threshold before each row.
    true, false = (np.append(np.cumsum(p[::-1])[::-1], 0.0) for p in (proba, 1 - proba))
    recall, specificity = true / true[0], 1 - false / false[0]
    share = proba.mean() if scoring == "accuracy" else 0.5
    score = share * recall + (1 - share) * specificity
    found = known_threshold("cv", scoring, truth)
    assert score[np.searchsorted(proba, found)] > score.max() - 1e-5
    # Thresholds that are a little larger or smaller are worse.
    for wrong in (0.8 * found, 1.25 * found):
        assert score[np.searchsorted(proba, wrong)] < score.max() - 1e-4


def test_other_thresholds_are_not_known():
    positive = np.array([True, False, False, False])
    assert known_threshold(0.3, "f1", positive) == 0.3
    assert known_threshold("cv", "balanced_accuracy", positive) == 0.25
    assert known_threshold("cv", "f1", positive) is None
    assert known_threshold("prevalence", "balanced_accuracy", positive) is None
