"""FirthClassifier: scikit-learn's checks, and its numbers against the models behind it and against closed forms."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from pwcstats import FirthClassifier, FirthLogit, FirthMNLogit, InputError, PairwiseClassifier, datasets

# The same Newton steps on the same design; other columns only change rounding.
SAME = 1e-9
# The fit stops when linear predictors change by less than 1e-8.
CONVERGED = 1e-7


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, y.map(dict(enumerate(["setosa", "versicolor", "virginica"])))


@pytest.fixture(scope="module")
def endometrial():
    data = datasets.load("endometrial").frame
    return data[["NV", "PI", "EH"]], data["HG"]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize(
    "clf", [FirthClassifier(), FirthClassifier(fit_intercept=False), FirthClassifier(max_iter=500)]
)
def test_check_estimator(clf):
    checks = check_estimator(clf, on_skip=None)
    # It needs an environment variable, and is skipped for every estimator without it.
    assert {check["check_name"] for check in checks if check["status"] == "skipped"} <= {"check_array_api_input"}
    assert len(checks) > 50


@pytest.mark.parametrize("correction", [None, "flic", "flac"])
def test_two_classes_are_those_of_firth_logit(endometrial, correction):
    X, y = endometrial
    clf = FirthClassifier(correction=correction).fit(X, np.where(y == 1, "high", "low"))
    assert clf.classes_.tolist() == ["high", "low"]
    model = FirthLogit(np.where(y == 1, 0, 1), np.column_stack([np.ones(len(X)), X])).fit(correction=correction)
    np.testing.assert_allclose(clf.coef_[0], model.params[1:], rtol=SAME)
    np.testing.assert_allclose(clf.intercept_, model.params[:1], rtol=SAME)
    np.testing.assert_allclose(clf.predict_proba(X)[:, 1], model.predict(), rtol=SAME)
    if correction is not None:
        assert clf.predict_proba(X)[:, 0].mean() == pytest.approx(y.mean(), abs=CONVERGED)
    assert clf.results_.params.index.tolist() == ["const", "NV", "PI", "EH"]


def test_several_classes_are_those_of_firth_mnlogit(flowers):
    X, y = flowers
    clf = FirthClassifier().fit(X, y)
    model = FirthMNLogit(y, np.column_stack([np.ones(len(X)), X])).fit()
    np.testing.assert_allclose(clf.predict_proba(X), model.predict(), rtol=SAME, atol=SAME)
    np.testing.assert_allclose(clf.coef_.sum(axis=0), 0.0, atol=1e-10 * np.abs(clf.coef_).max())
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[clf.predict_proba(X).argmax(axis=1)])
    np.testing.assert_allclose(clf.predict_log_proba(X), np.log(clf.predict_proba(X)), rtol=1e-10)


def test_separated_column_has_half_a_case_in_each_cell():
    """For one binary column, Firth's estimate is the log odds ratio with half a case added to each cell."""
    x = np.repeat([0.0, 1.0], [6, 5])[:, None]
    y = np.repeat([0, 1], [6, 5])
    clf = FirthClassifier().fit(x, y)
    assert clf.intercept_[0] == pytest.approx(np.log(0.5 / 6.5), rel=CONVERGED)
    assert clf.coef_[0, 0] == pytest.approx(np.log(6.5 / 0.5) + np.log(5.5 / 0.5), rel=CONVERGED)


def test_weights_are_repeated_rows(flowers):
    X, y = flowers
    weight = np.tile([0.0, 1.0, 2.0], 50)
    weighted = FirthClassifier().fit(X, y, sample_weight=weight)
    repeated = FirthClassifier().fit(
        np.repeat(X.to_numpy(), weight.astype(int), axis=0), np.repeat(y, weight.astype(int))
    )
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=CONVERGED)


def test_aliased_columns_do_not_change_the_probabilities(flowers):
    X, y = flowers
    plain = FirthClassifier().fit(X, y)
    more = X.assign(constant=3.0, sum=X.sum(axis=1), again=X.iloc[:, 0])
    clf = FirthClassifier().fit(more, y)
    assert clf.aliased_ == [4, 5, 6]
    np.testing.assert_allclose(clf.predict_proba(more), plain.predict_proba(X), rtol=SAME, atol=SAME)
    np.testing.assert_array_equal(clf.coef_[:, 4:], 0.0)


def test_pipelines_with_all_dummies_of_a_factor():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"site": rng.choice(["north", "south", "west"], 60), "dose": rng.normal(size=60)})
    y = np.where((X["site"] == "north") | (X["dose"] > 1.0), "ill", "well")
    columns = make_column_transformer((OneHotEncoder(), ["site"]), remainder=StandardScaler())
    clf = make_pipeline(columns, FirthClassifier()).fit(X, y)
    assert clf[-1].aliased_ == [2]
    proba = cross_val_predict(clf, X, y, method="predict_proba")
    assert np.isfinite(proba).all()
    assert (proba.max(axis=1) < 1.0).all()


def test_candidate_of_a_pairwise_classifier(flowers):
    """With two classes a pair is the whole problem; its probabilities pass through the coupling."""
    X, y = flowers
    two = y != "setosa"
    clf = PairwiseClassifier(FirthClassifier()).fit(X[two], y[two])
    direct = FirthClassifier().fit(X[two], y[two])
    np.testing.assert_allclose(clf.predict_proba(X[two]), direct.predict_proba(X[two]), atol=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"correction": "flick"}, "correction must be"),
        ({"fit_intercept": "yes"}, "fit_intercept must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"correction": "flic"}, "correction needs two classes, got 3; leave it out"),
    ],
)
def test_bad_parameters(flowers, change, message):
    with pytest.raises(InputError, match=message):
        FirthClassifier(**change).fit(*flowers)


def test_one_class_and_columns_of_zeros():
    with pytest.raises(InputError, match="at least two classes with positive weight, got 1 class .'a'."):
        FirthClassifier().fit(np.eye(3), ["a", "a", "b"], sample_weight=[1, 1, 0])
    with pytest.raises(InputError, match="all columns of X are 0"):
        FirthClassifier(fit_intercept=False).fit(np.zeros((4, 2)), [0, 1, 0, 1])
