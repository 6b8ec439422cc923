"""Where a pairwise classifier is easily wrong: certain learners, odd folds and scorers, kernels, pieces, backends."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from pwcstats import PairwiseClassifier

X, Y = load_wine(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
NEW = X[::5]


CERTAIN = {"tree": DecisionTreeClassifier(random_state=0), "knn": KNeighborsClassifier(1), "nb": GaussianNB()}


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 4))
    return x, (x[:, 0] + 1.5 * rng.normal(size=600) > 0).astype(int) + (x[:, 1] > 1)


@pytest.mark.parametrize("learner", CERTAIN.values(), ids=CERTAIN)
@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic"])
def test_learners_that_are_certain_are_calibrated(noisy, learner, calibration):
    """Probabilities of 0 and 1 have infinite log-odds; what is learned of them must hold in prediction, too."""
    x, y = noisy
    clf = PairwiseClassifier(learner, calibration=calibration).fit(x[:400], y[:400])
    r = clf.pairwise_proba(x[400:])[:, 0, 1]
    if calibration == "sigmoid":
        assert 0.02 < r.min() < r.max() < 0.98
        a, b = clf.pairs_.loc[0, ["sigmoid_a", "sigmoid_b"]]
        scores = clf.pairwise_scores(x[400:])[:, 0]
        np.testing.assert_allclose(r, 1 / (1 + np.exp(a * scores + b)), rtol=1e-9)
    one_by_one = np.vstack([clf.predict_proba(x[k : k + 1]) for k in range(400, 450)])
    np.testing.assert_allclose(clf.predict_proba(x[400:450]), one_by_one, atol=1e-12)


def test_thresholds_of_learners_that_are_certain():
    """Best is to call all rows by the name of the larger class, and so it does."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(1000, 3)), (rng.random(1000) < 0.2).astype(int)
    clf = PairwiseClassifier(DecisionTreeClassifier(random_state=0), threshold="cv").fit(x[:500], y[:500])
    assert (clf.predict(x[500:]) == 0).all()


@pytest.mark.parametrize("options", [{"calibration": "sigmoid"}, {"calibration": "isotonic"}, {"threshold": "train"}])
def test_log_odds_beyond_all_bounds(options):
    """Naive Bayes on digits, whose log-odds go to 1e9: the fast path and the plain one, and sense."""
    x, y = load_digits(return_X_y=True)
    fast, slow = (PairwiseClassifier(GaussianNB(), fast=f, **options).fit(x[:900], y[:900]) for f in (True, False))
    np.testing.assert_allclose(fast.predict_proba(x[900:]), slow.predict_proba(x[900:]), atol=1e-6)
    assert fast.score(x[900:], y[900:]) > 0.75


def test_scorers_that_look_at_the_rows():
    def cost(clf, x, y):
        return -np.mean((clf.predict(x) != y) * np.abs(x[:, 0]))

    candidates = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}
    fast, slow = (PairwiseClassifier(candidates, scoring=cost, fast=f).fit(X, Y) for f in (True, False))
    np.testing.assert_allclose(fast.pairs_["cv_score_nb"], slow.pairs_["cv_score_nb"], atol=1e-12)
    np.testing.assert_allclose(fast.pairs_["cv_score_lda"], slow.pairs_["cv_score_lda"], atol=1e-12)


@pytest.mark.parametrize("fast", [True, False])
def test_rows_of_weight_0_in_a_kernel_matrix(fast):
    weight = np.random.default_rng(0).integers(0, 3, len(Y)).astype(float)
    kernel = X @ X.T
    got = PairwiseClassifier(SVC(kernel="precomputed"), fast=fast).fit(kernel, Y, sample_weight=weight)
    want = PairwiseClassifier(SVC(kernel="linear")).fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(got.predict_proba(kernel), want.predict_proba(X), atol=1e-9)
    framed = PairwiseClassifier(SVC(kernel="precomputed"), fast=fast).fit(pd.DataFrame(kernel), Y, sample_weight=weight)
    np.testing.assert_array_equal(framed.predict_proba(kernel), got.predict_proba(kernel))


@pytest.mark.filterwarnings("ignore:.*probability.*:FutureWarning")
def test_probability_of_machines_inside_others_is_left_alone():
    from sklearn.ensemble import VotingClassifier

    voting = VotingClassifier([("svc", SVC(probability=True, random_state=0)), ("nb", GaussianNB())], voting="soft")
    clf = PairwiseClassifier(voting).fit(X, Y)
    rows = Y < 2
    want = clone(voting).fit(X[rows], Y[rows]).predict_proba(NEW)[:, 0]
    np.testing.assert_allclose(clf.pairwise_proba(NEW)[:, 0, 1], want, atol=1e-12)


def test_a_tolerance_below_rounding():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 20)
    x = rng.normal(size=(60, 80)) + y[:, None]
    fast, slow = (PairwiseClassifier(LinearDiscriminantAnalysis(tol=1e-8), fast=f).fit(x, y) for f in (True, False))
    np.testing.assert_allclose(fast.predict_proba(x), slow.predict_proba(x), atol=1e-8)


def test_decision_values_of_0_are_called_as_libsvm_calls_them():
    x, y = np.arange(30.0)[:, None], np.repeat([0, 1], [10, 20])
    tests = [np.r_[20:30], np.r_[5:15], np.r_[0:5, 15:20]]
    cv = [(np.setdiff1d(np.arange(30), test), test) for test in tests]
    candidates = {"a": SVC(gamma=1e6), "b": GaussianNB()}
    fast, slow = (PairwiseClassifier(candidates, selection_cv=cv, fast=f).fit(x, y) for f in (True, False))
    np.testing.assert_array_equal(fast.pairs_["cv_score_a"], slow.pairs_["cv_score_a"])


def test_folds_that_leave_rows_out_of_training_and_folds_of_one_row():
    from sklearn.model_selection import LeaveOneOut

    splits = [(train[3:], test) for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, Y)]
    for estimator in (SVC(), LinearDiscriminantAnalysis()):
        options = {"calibration_cv": splits, "threshold": "cv"}
        fast, slow = (PairwiseClassifier(estimator, fast=f, **options).fit(X, Y) for f in (True, False))
        np.testing.assert_allclose(fast.predict_proba(X), slow.predict_proba(X), atol=1e-8)
    candidates = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}
    rows = slice(None, None, 4)
    clf = PairwiseClassifier(candidates, selection_cv=LeaveOneOut()).fit(X[rows], Y[rows])
    assert clf.score(X, Y) > 0.9


def test_backends_without_generators():
    import joblib

    want = PairwiseClassifier(LogisticRegression()).fit(X, Y).predict_proba(X)
    with joblib.parallel_config(backend="multiprocessing", n_jobs=2):
        got = PairwiseClassifier(LogisticRegression(), n_jobs=2).fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(got, want)


def test_a_seed_shuffles_both_sets_of_folds_differently():
    def folds(seed):
        clf = PairwiseClassifier(SVC(), random_state=seed).fit(X, Y)
        return clf.pairs_["sigmoid_a"].tolist(), clf._fold_seeds

    assert folds(0) == folds(0)
    assert folds(0)[0] != folds(1)[0]
    assert folds(0)[1][0] != folds(0)[1][1]


def test_margins_in_pieces_are_the_same(monkeypatch):
    from pwcstats.classify import svm

    for machine in (SVC(), SVC(kernel=lambda a, b: a @ b.T)):
        want = PairwiseClassifier(machine, threshold="train").fit(X, Y)
        monkeypatch.setattr(svm, "PIECE", 300)
        got = PairwiseClassifier(machine, threshold="train").fit(X, Y)
        np.testing.assert_allclose(got.pairs_["sigmoid_a"], want.pairs_["sigmoid_a"], rtol=1e-9)
        np.testing.assert_allclose(got.predict_proba(NEW), want.predict_proba(NEW), atol=1e-12)
