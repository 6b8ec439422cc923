"""Learners that fail on a pair, in a fold, or with NaN: the error names them, or other learners are used."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import NuSVC

from pwcstats import InputError, PairwiseClassifier

X, Y = load_iris(return_X_y=True)


class Fails(ClassifierMixin, BaseEstimator):
    """Naive Bayes that fails on classes 1 and 2. It knows them by their long petals: learners see no labels."""

    def fit(self, X, y):
        if X[:, 2].min() > 2.5:
            raise RuntimeError("no")
        self.nb_ = GaussianNB().fit(X, y)
        self.classes_ = self.nb_.classes_
        return self

    def predict(self, X):
        return self.nb_.predict(X)

    def predict_proba(self, X):
        return self.nb_.predict_proba(X)


class Nan(Fails):
    def predict_proba(self, X):
        return np.full((len(X), 2), np.nan)


class NanBeyondSix(Fails):
    def predict_proba(self, X):
        return np.where(X[:, :1] > 6, np.nan, super().predict_proba(X))


class Refuses(Nan):
    def fit(self, X, y):
        raise RuntimeError("never")


def rare(count):
    """Class 2 with a few rows only."""
    rows = np.r_[0:100, 100 : 100 + count]
    return X[rows], Y[rows]


def test_a_learner_that_fails_on_one_pair_is_named():
    with pytest.raises(InputError, match=r"fails failed on the pair \(1, 2\): no .*error_score"):
        PairwiseClassifier(Fails()).fit(X, Y)
    with pytest.raises(InputError, match=r"bad failed on the pair \(1, 2\): no"):
        PairwiseClassifier({"good": GaussianNB(), "bad": Fails()}).fit(X, Y)


def test_too_many_neighbours_are_told_with_the_name_that_users_know():
    message = r"failed on the pair \(0, 1\): n_neighbors must be at most the number of training rows, 100; got 101\."
    with pytest.raises(InputError, match=message):
        PairwiseClassifier(KNeighborsClassifier(101), calibration=None).fit(X, Y)


def test_the_other_candidates_stand_in():
    candidates = {"bad": Fails(), "good": LogisticRegression(max_iter=500)}
    with pytest.warns(
        FitFailedWarning, match=r"candidates failed on 1 of 3 pairs, where others are used: \(1, 2\): bad: no"
    ):
        clf = PairwiseClassifier(candidates, error_score=np.nan).fit(X, Y)
    assert clf.pairs_["learner"].tolist() == ["bad", "bad", "good"]
    assert clf.pairs_["error"].tolist() == ["", "", "bad: no"]
    assert np.isnan(clf.pairs_["cv_score_bad"][2])
    with pytest.warns(FitFailedWarning):
        assert PairwiseClassifier(candidates, error_score=0.25).fit(X, Y).pairs_["cv_score_bad"][2] == 0.25


def test_without_others_the_shares_stand_in():
    x, y = rare(25)
    with pytest.warns(FitFailedWarning, match=r"all candidates failed on 1 of 3 pairs.*\(1, 2\): fails: no"):
        clf = PairwiseClassifier(Fails(), error_score=np.nan, threshold="cv").fit(x, y)
    np.testing.assert_allclose(clf.pairwise_proba(x)[:, 1, 2], 2 / 3)
    assert clf.pairs_["learner"].tolist() == ["fails", "fails", "prior"]
    assert clf.pairs_["threshold"][2] == 0
    with pytest.raises(InputError, match="all candidates failed on all 3 pairs"):
        PairwiseClassifier(Refuses(), error_score=np.nan).fit(X, Y)


class FailsWithoutProbabilities(Fails):
    def decision_function(self, X):
        return np.diff(self.nb_.predict_log_proba(X), axis=1)[:, 0]

    @property
    def predict_proba(self):
        raise AttributeError


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
@pytest.mark.parametrize("learner", [Fails(), FailsWithoutProbabilities()])
def test_the_score_of_a_failure(scoring, learner):
    """The score is the same for candidates with and without calibration."""
    candidates = {"bad": learner, "good": LogisticRegression(max_iter=500)}
    for score in (-7.0, np.nan):
        with pytest.warns(FitFailedWarning):
            clf = PairwiseClassifier(candidates, scoring=scoring, error_score=score).fit(X, Y)
        np.testing.assert_equal(clf.pairs_["cv_score_bad"][2], score)
        assert clf.pairs_["learner"][2] == "good"
        assert clf.pairs_["cv_score_bad"][0] > 0.9


def test_shares_count_weights():
    class Weighted(Fails):
        def fit(self, X, y, sample_weight=None):
            return super().fit(X, y)

    with pytest.warns(FitFailedWarning):
        clf = PairwiseClassifier(Weighted(), error_score=np.nan).fit(X, Y, sample_weight=np.where(Y == 1, 3.0, 1.0))
    np.testing.assert_allclose(clf.pairwise_proba(X)[:, 1, 2], 0.75)


def test_failures_against_the_rest():
    """nu = 0.9 is feasible in each pair, but not for two classes against the third."""
    with pytest.raises(InputError, match=r"nusvc failed on the pair \(0, 1\) against the rest: .*infeasible"):
        PairwiseClassifier(NuSVC(nu=0.9), coupling="bayes").fit(X, Y)
    with pytest.warns(FitFailedWarning, match=r"on 3 of 3 pairs, .*\(0, 1\) against the rest: nusvc: .*infeasible"):
        clf = PairwiseClassifier(NuSVC(nu=0.9), coupling="bayes", temperature=False, error_score=np.nan).fit(X, Y)
    r = clf.pairwise_proba(X)
    # With equal shares of 2/3 for all pairs, Bayes weights are weighted votes.
    r[:, [0, 1, 2], [0, 1, 2]] = 0.0
    np.testing.assert_allclose(clf.predict_proba(X), r.sum(axis=2) / 3, atol=1e-12)


def test_what_fails_in_one_fit_of_all_pairs_is_told_by_pair():
    """NuSVC is infeasible for classes of unequal size; LIBSVM's native fit does not say which."""
    x, y = rare(5)
    with pytest.raises(InputError, match=r"nusvc failed on the pair \(0, 2\): .*infeasible"):
        PairwiseClassifier(NuSVC(nu=0.5)).fit(x, y)
    with pytest.warns(FitFailedWarning, match="failed on 2 of 3 pairs"):
        clf = PairwiseClassifier(NuSVC(nu=0.5), error_score=np.nan).fit(x, y)
    assert clf.pairs_["learner"].tolist() == ["nusvc", "prior", "prior"]


def test_qda_without_enough_rows_is_told_by_pair():
    x, y = rare(1)
    with pytest.raises(InputError, match=r"quadraticdiscriminantanalysis failed on the pair \(0, 2\)"):
        PairwiseClassifier(QuadraticDiscriminantAnalysis()).fit(x, y)


def test_scores_that_are_no_numbers():
    with pytest.raises(InputError, match=r"nan failed on the pair \(0, 1\): Nan gave NaN for 1 of 1 rows"):
        PairwiseClassifier(Nan()).fit(X[:100], Y[:100])
    with pytest.raises(InputError, match=r"nan failed on the pair \(0, 1\): Nan gave NaN"):
        PairwiseClassifier(Nan(), calibration="sigmoid").fit(X[:100], Y[:100])
    clf = PairwiseClassifier(NanBeyondSix()).fit(X[:100], Y[:100])
    long = int((X[:100, 0] > 6).sum())
    with pytest.raises(InputError, match=f"NanBeyondSix gave NaN for {long} of 100 rows"):
        clf.predict_proba(X[:100])


def test_scores_that_are_nan_in_every_fold():
    def nothing(clf, x, y):
        return np.nan

    with pytest.raises(InputError, match="its score is NaN in every fold"):
        PairwiseClassifier([GaussianNB(), LinearDiscriminantAnalysis()], scoring=nothing).fit(X, Y)


def test_after_a_fit_that_failed():
    clf = PairwiseClassifier(Refuses())
    with pytest.raises(InputError):
        clf.fit(X, Y)
    with pytest.raises(NotFittedError):
        clf.predict(X)
