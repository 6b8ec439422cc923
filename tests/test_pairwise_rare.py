"""Classes with a single row, which cannot be held out."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC

from pwcstats import InputError, PairwiseClassifier
from pwcstats.errors import PwcWarning
from pwcstats.pairwise.calibration import calibrate

X, Y = load_iris(return_X_y=True)
# Sums and solutions in another order.
ROUNDING = 1e-12
# A single row has no variance: with little smoothing its class has none of the density anywhere else.
SMOOTH = GaussianNB(var_smoothing=0.1)
ROWS = {
    "one of three classes": np.r_[0:101],
    "two of three classes": np.r_[0:51, 100],
    "all classes": np.array([0, 50, 100]),
    "one of two classes": np.r_[0:51],
    "both classes": np.array([0, 50]),
}
OPTIONS = {
    "default": {},
    "isotonic": {"estimator": SVC(), "calibration": "isotonic"},
    "threshold": {"estimator": SVC(), "threshold": "cv"},
    "threshold of probabilities": {"estimator": SMOOTH, "threshold": "cv"},
    "training threshold": {"estimator": SMOOTH, "threshold": "train", "calibration": "sigmoid"},
    "candidates": {"estimator": [SVC(), SMOOTH]},
    "another score": {"estimator": [SMOOTH, SVC()], "scoring": "neg_log_loss"},
    "pairs against the rest": {"estimator": LinearSVC(random_state=0), "coupling": "bayes"},
    "shuffled": {"estimator": SVC(kernel="linear"), "random_state": 0},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
def test_fast_and_plain_fits_agree(rows, options):
    x, y = X[rows], Y[rows]
    with pytest.warns(PwcWarning, match=" one row( each)?, which"):
        fast, plain = (PairwiseClassifier(**options, fast=fast).fit(x, y) for fast in (True, False))
    np.testing.assert_allclose(fast.predict_proba(X), plain.predict_proba(X), atol=ROUNDING)
    np.testing.assert_allclose(fast.predict_proba(X).sum(axis=1), 1.0, atol=ROUNDING)
    assert list(fast.pairs_["learner"]) == list(plain.pairs_["learner"])
    # The rows of the large classes, and the single ones, are mostly where they belong.
    assert fast.score(x, y) > 0.95


def test_the_warning_names_the_classes_and_what_follows():
    y = np.array(["a", "b", "c"])[Y]
    with pytest.warns(PwcWarning, match=" one row( each)?, which") as caught:
        PairwiseClassifier([SVC(), SMOOTH]).fit(X[:101], y[:101])
    messages = [str(each.message) for each in caught]
    assert len(messages) == 2
    assert messages[0].startswith("class 'c' has one row, which selection_cv cannot hold out, so candidates are not")
    assert "drop or merge the class, or" in messages[0]
    assert "which calibration_cv cannot hold out, so training scores stand in for held-out ones" in messages[1]
    with pytest.warns(PwcWarning, match="or use threshold='train'"):
        PairwiseClassifier(SMOOTH, threshold="cv").fit(X[:101], y[:101])


@pytest.mark.parametrize("fast", [True, False])
def test_the_training_score_of_the_row_stands_in(fast):
    x, y = X[:101], Y[:101]
    machine = SVC(kernel="linear")
    with pytest.warns(PwcWarning, match=" one row( each)?, which"):
        clf = PairwiseClassifier(machine, fast=fast).fit(x, y)
    # Classes 1 and 2: rows of class 1 are held out by the folds of all rows, row 100 by none.
    rows = np.r_[50:101]
    scores = np.empty(101)
    for train, test in StratifiedKFold(5).split(x[:100], y[:100]):
        train, test = np.append(train[train >= 50], 100), test[test >= 50]
        scores[test] = -machine.fit(x[train], y[train]).decision_function(x[test])
    scores[100] = -machine.fit(x[rows], y[rows]).decision_function(x[[100]])[0]
    (want,) = calibrate("firth", scores[rows], y[rows] == 1, np.ones((1, 51)), "")
    # LIBSVM stops at a tolerance of 1e-3.
    np.testing.assert_allclose(clf.pairs_.loc[2, ["sigmoid_a", "sigmoid_b"]].astype(float), want, rtol=1e-3)


def test_candidates_are_not_compared_where_a_class_cannot_be_held_out():
    """On the rows of the other class alone, a learner that always predicts it would be the best."""
    with pytest.warns(PwcWarning, match=" one row( each)?, which"):
        clf = PairwiseClassifier({"first": SMOOTH, "second": LogisticRegression()}).fit(X[:101], Y[:101])
    scores = clf.pairs_[["cv_score_first", "cv_score_second"]].to_numpy()
    assert np.isnan(scores).tolist() == [[False, False], [True, True], [True, True]]
    assert clf.pairs_["learner"].tolist()[1:] == ["first", "first"]
    assert "error" not in clf.pairs_
    both = PairwiseClassifier({"first": LinearDiscriminantAnalysis(), "second": SMOOTH}, error_score=np.nan)
    with pytest.warns(PwcWarning, match="one row"), pytest.warns(FitFailedWarning, match="number of samples must be"):
        both.fit(X[[0, 50, 100]], Y[[0, 50, 100]])
    assert set(both.pairs_["learner"]) == {"second"}


def test_weights_may_leave_one_row():
    weight = np.r_[np.ones(101), np.zeros(49)]
    with pytest.warns(PwcWarning, match=" one row( each)?, which"):
        weighted = PairwiseClassifier(SVC(gamma=0.5)).fit(X, Y, sample_weight=weight)
    with pytest.warns(PwcWarning, match=" one row( each)?, which"):
        want = PairwiseClassifier(SVC(gamma=0.5)).fit(X[:101], Y[:101])
    np.testing.assert_allclose(weighted.predict_proba(X), want.predict_proba(X), atol=ROUNDING)


def test_splitters_must_leave_a_row_to_train_on():
    with pytest.raises(InputError, match="class 2 has no row to train on in fold 100 of calibration_cv; .*number of"):
        PairwiseClassifier(SVC(), calibration_cv=LeaveOneOut()).fit(X[:101], Y[:101])
