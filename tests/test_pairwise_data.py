"""Classes, weights and rows of all kinds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pwcstats import PairwiseClassifier

X, Y = load_wine(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
NEW = X[::5]


def test_classes_of_any_kind():
    names = np.array(["Merlot", "barbera", "Änne"])
    numbers = np.array([-3, 7, 100])
    want = PairwiseClassifier(SVC()).fit(X, Y).predict_proba(NEW)
    for labels in (numbers, numbers.astype(float), np.sort(names), np.sort(names).astype(object)):
        clf = PairwiseClassifier(SVC()).fit(X, labels[Y])
        np.testing.assert_array_equal(clf.predict_proba(NEW), want)
        assert set(clf.predict(NEW)) <= set(labels)
        first = labels[[0, 1]].tolist()
        assert tuple(first) in clf.estimators_
    series = pd.Series(np.sort(names)[Y], dtype="category")
    assert list(PairwiseClassifier(SVC()).fit(X, series).classes_) == sorted(names)


def test_two_classes():
    rows = Y < 2
    clf = PairwiseClassifier(LogisticRegression()).fit(X[rows], Y[rows])
    want = LogisticRegression().fit(X[rows], Y[rows]).predict_proba(X[rows])
    np.testing.assert_array_equal(clf.predict_proba(X[rows]), want)
    svm = PairwiseClassifier(SVC()).fit(X[rows], Y[rows])
    np.testing.assert_allclose(
        svm.pairwise_scores(X)[:, 0], -SVC().fit(X[rows], Y[rows]).decision_function(X), atol=1e-12
    )
    for coupling in ("bayes", "vote", "ht"):
        assert PairwiseClassifier(GaussianNB(), coupling=coupling).fit(X[rows], Y[rows]).score(X[rows], Y[rows]) > 0.95


def test_priors_and_class_weights_are_those_of_all_classes():
    priors = np.array([0.7, 0.2, 0.1])
    for learner in (GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis):
        clf = PairwiseClassifier(learner(priors=priors), fast=False).fit(X, Y)
        rows = Y > 0
        want = learner(priors=[2 / 3, 1 / 3]).fit(X[rows], Y[rows]).predict_proba(NEW)[:, 0]
        np.testing.assert_allclose(clf.pairwise_proba(NEW)[:, 1, 2], want, atol=1e-9)
    coarse = (X > 0).astype(int)
    clf = PairwiseClassifier(BernoulliNB(class_prior=priors)).fit(coarse, Y)
    want = BernoulliNB(class_prior=[2 / 3, 1 / 3]).fit(coarse[rows], Y[rows]).predict_proba(coarse)[:, 0]
    np.testing.assert_allclose(clf.pairwise_proba(coarse)[:, 1, 2], want, atol=1e-12)
    balanced = {c: len(Y) / (3 * (c == Y).sum()) for c in range(3)}
    for learner in (LogisticRegression, SVC):
        clf = PairwiseClassifier(learner(class_weight="balanced"), fast=False).fit(X, Y)
        given = PairwiseClassifier(learner(class_weight=balanced)).fit(X, Y)
        np.testing.assert_allclose(clf.pairwise_scores(NEW), given.pairwise_scores(NEW), atol=1e-4)
    want = (
        LogisticRegression(class_weight={1: balanced[1], 2: balanced[2]}).fit(X[rows], Y[rows]).predict_proba(NEW)[:, 0]
    )
    clf = PairwiseClassifier(LogisticRegression(class_weight="balanced")).fit(X, Y)
    np.testing.assert_allclose(clf.pairwise_proba(NEW)[:, 1, 2], want, atol=1e-4)


def test_balanced_weights_of_labels_that_look_like_numbers():
    """scikit-learn does not find such labels in a dict."""
    want = PairwiseClassifier(LogisticRegression(class_weight="balanced")).fit(X, Y).predict_proba(NEW)
    got = PairwiseClassifier(LogisticRegression(class_weight="balanced")).fit(X, Y.astype(str)).predict_proba(NEW)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("learner", [SVC, LogisticRegression])
def test_class_weights_of_labels_that_read_as_numbers(learner):
    want = PairwiseClassifier(learner(class_weight={1: 5.0})).fit(X, Y)
    got = PairwiseClassifier(learner(class_weight={"1": 5.0})).fit(X, Y.astype(str))
    np.testing.assert_allclose(got.predict_proba(NEW), want.predict_proba(NEW), rtol=1e-6)
    plain = PairwiseClassifier(learner()).fit(X, Y)
    assert np.abs(plain.predict_proba(NEW) - want.predict_proba(NEW)).max() > 1e-3


def test_weights_of_rows_reach_learners_sigmoids_and_counts():
    weight = np.random.default_rng(0).integers(0, 3, len(Y)).astype(float)
    clf = PairwiseClassifier(LogisticRegression()).fit(X, Y, sample_weight=weight)
    again = np.repeat(np.arange(len(Y)), weight.astype(int))
    repeated = PairwiseClassifier(LogisticRegression()).fit(X[again], Y[again])
    np.testing.assert_allclose(clf.predict_proba(NEW), repeated.predict_proba(NEW), atol=1e-5)
    np.testing.assert_array_equal(clf.pairs_["n"], repeated.pairs_["n"])
    # With folds that keep copies together, calibrated fits are the same too.
    fold = np.arange(len(Y)) % 4
    kept = weight > 0
    cv = [(np.flatnonzero(fold[kept] != f), np.flatnonzero(fold[kept] == f)) for f in range(4)]
    cv_again = [(np.flatnonzero(fold[again] != f), np.flatnonzero(fold[again] == f)) for f in range(4)]
    machine = SVC(tol=1e-9, gamma=0.1)
    one = PairwiseClassifier(machine, calibration_cv=cv, threshold="cv").fit(X, Y, sample_weight=weight)
    two = PairwiseClassifier(machine, calibration_cv=cv_again, threshold="cv").fit(X[again], Y[again])
    np.testing.assert_allclose(one.predict_proba(NEW), two.predict_proba(NEW), atol=1e-6)


def test_rows_of_weight_0_are_as_if_they_were_not_there():
    weight = np.ones(len(Y))
    weight[::3] = 0
    clf = PairwiseClassifier(SVC()).fit(X, Y, sample_weight=weight)
    without = PairwiseClassifier(SVC()).fit(X[weight > 0], Y[weight > 0])
    np.testing.assert_allclose(clf.predict_proba(NEW), without.predict_proba(NEW), atol=1e-9)


def test_weights_that_a_learner_cannot_take_are_said():
    with pytest.warns(
        UserWarning, match=r"lineardiscriminantanalysis \(LinearDiscriminantAnalysis\) takes no sample_weight"
    ):
        PairwiseClassifier(LinearDiscriminantAnalysis()).fit(X, Y, sample_weight=np.ones(len(Y)))
    weight = np.random.default_rng(0).gamma(1.0, size=len(Y))
    piped = PairwiseClassifier(make_pipeline(StandardScaler(), SVC(gamma=0.1))).fit(X, Y, svc__sample_weight=weight)
    rows = Y < 2
    one = make_pipeline(StandardScaler(), SVC(gamma=0.1)).fit(X[rows], Y[rows], svc__sample_weight=weight[rows])
    np.testing.assert_allclose(piped.pairwise_scores(NEW)[:, 0], -one.decision_function(NEW), atol=1e-12)


def test_frames_keep_their_columns():
    from sklearn.compose import make_column_transformer

    frame = load_wine(as_frame=True).data
    chosen = make_column_transformer((StandardScaler(), ["alcohol", "ash", "hue"]))
    clf = PairwiseClassifier(make_pipeline(chosen, LogisticRegression())).fit(frame, Y)
    assert list(clf.feature_names_in_) == list(frame.columns)
    assert clf.n_features_in_ == 13
    arrays = PairwiseClassifier(make_pipeline(StandardScaler(), LogisticRegression())).fit(
        frame[["alcohol", "ash", "hue"]].to_numpy(), Y
    )
    np.testing.assert_allclose(
        clf.predict_proba(frame), arrays.predict_proba(frame[["alcohol", "ash", "hue"]].to_numpy()), atol=1e-12
    )
    for learner in (SVC(), LogisticRegression(max_iter=5000), GaussianNB()):
        framed = PairwiseClassifier(learner).fit(frame[["alcohol", "hue"]], Y)
        np.testing.assert_array_equal(
            framed.predict(frame[["alcohol", "hue"]]),
            PairwiseClassifier(learner)
            .fit(frame[["alcohol", "hue"]].to_numpy(), Y)
            .predict(frame[["alcohol", "hue"]].to_numpy()),
        )
        with pytest.warns(UserWarning, match="valid feature names"):
            framed.predict(frame[["alcohol", "hue"]].to_numpy())


def test_texts():
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = {"a": "ant apple acorn", "b": "bee bear bread", "c": "cat crow cake"}
    rng = np.random.default_rng(0)
    y = np.repeat(list(words), 20)
    texts = [" ".join(rng.choice(words[label].split(), 3)) + " and more" for label in y]
    clf = PairwiseClassifier(make_pipeline(TfidfVectorizer(), SVC(kernel="linear"))).fit(texts, y)
    assert clf.score(texts, y) == 1.0
    assert clf.predict(pd.Series(["a bear and bread"])).tolist() == ["b"]


def test_missing_values_where_learners_take_them():
    from sklearn.ensemble import HistGradientBoostingClassifier

    x = X.copy()
    x[::4, 2] = np.nan
    clf = PairwiseClassifier(HistGradientBoostingClassifier(max_iter=5)).fit(x, Y)
    assert clf.score(x, Y) > 0.9
