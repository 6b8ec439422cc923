"""The default learner: columns are standardised once for all pairs, as by e1071, with the divisor n - 1."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

from pwcstats import PairwiseClassifier

X, Y = load_iris(return_X_y=True)
# LIBSVM stops within its tolerance of 1e-3, at another point if columns differ in the last digit.
SOLVER = 1e-2


def test_against_standardised_columns():
    # Columns with other units and other origins.
    units = np.array([1.0, 1000.0, 0.01, 1.0])
    z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    expected = PairwiseClassifier(SVC(gamma="auto")).fit(z, Y)
    for fast in (True, False):
        clf = PairwiseClassifier(fast=fast).fit(X * units + units, Y)
        np.testing.assert_allclose(clf.pairwise_scores(X * units + units), expected.pairwise_scores(z), atol=SOLVER)
        np.testing.assert_allclose(clf.predict_proba(X * units + units), expected.predict_proba(z), atol=SOLVER)
        np.testing.assert_allclose(clf.scaler_.scale_, X.std(axis=0, ddof=1) * units, rtol=1e-9)
    assert expected.scaler_ is None


def test_a_column_of_another_size_hides_nothing():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    x = rng.normal(size=(80, 2)) * [1.0, 1000.0]
    x[:, 0] += 2.0 * y
    assert cross_val_score(PairwiseClassifier(), x, y).mean() > 0.8


def test_frames_sparse_rows_and_weights():
    frame = pd.DataFrame(X, columns=list("abcd"))
    expected = PairwiseClassifier().fit(X, Y).predict_proba(X)
    for fast in (True, False):
        clf = PairwiseClassifier(fast=fast).fit(frame, Y)
        np.testing.assert_allclose(clf.predict_proba(frame), expected, atol=SOLVER)
        assert list(clf.feature_names_in_) == list("abcd")
    thin = PairwiseClassifier().fit(sparse.csr_array(X), Y)
    np.testing.assert_allclose(thin.predict_proba(sparse.csr_array(X)), expected, atol=SOLVER)
    weight = 1.0 + np.arange(150) % 3
    clf = PairwiseClassifier().fit(X, Y, sample_weight=np.where(np.arange(150) < 5, 0.0, weight))
    repeated = np.repeat(X[5:], weight[5:].astype(int), axis=0)
    np.testing.assert_allclose(clf.scaler_.center_, repeated.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(clf.scaler_.scale_, repeated.std(axis=0, ddof=1), rtol=1e-12)


def test_it_has_a_limit():
    assert PairwiseClassifier(fast=False).fit(X, Y).estimators_[(0, 1)].max_iter == 1_000_000


@pytest.mark.against_r
def test_default_machines_are_those_of_e1071():
    from pwcstats.r import E1071SVC

    clf, peer = PairwiseClassifier().fit(X, Y), E1071SVC(decision_function_shape="ovo").fit(X, Y)
    np.testing.assert_allclose(clf.pairwise_scores(X), peer.decision_function(X), atol=SOLVER)


@pytest.mark.parametrize("total", [1 - 1e-15, 1.0, 1 + 4e-16, 1.1, 50.0])
def test_the_scale_does_not_depend_on_the_unit_of_normalised_weights(total):
    X, y = load_wine(return_X_y=True)
    weight = np.full(len(y), total / len(y))
    clf = PairwiseClassifier(random_state=0).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(clf.scaler_.scale_, X.std(axis=0, ddof=1), rtol=1e-12)
