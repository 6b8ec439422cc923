"""PairwiseClassifier with the tools and checks of scikit-learn."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
import skops.io
from scipy import sparse
from scipy.special import logit
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import SelectFromModel, SelectKBest, SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import CategoricalNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from pwcstats import InputError, PairwiseClassifier
from pwcstats.coupling.methods import METHODS

X, Y = load_wine(return_X_y=True)

CONFIGURATIONS = {
    "default": PairwiseClassifier(),
    "candidates": PairwiseClassifier([LinearDiscriminantAnalysis(), GaussianNB()]),
    "plain": PairwiseClassifier({"log": LogisticRegression(), "nb": GaussianNB()}, fast=False, coupling="ht"),
    "thresholds": PairwiseClassifier(LinearSVC(), threshold="cv", calibration="isotonic"),
}
# scikit-learn skips these for SVC, NuSVC, LinearSVC, and among its meta-estimators for Bagging, AdaBoost and
# FixedThresholdClassifier: folds of repeated rows are not folds of weighted rows. What can be equal is tested in
# test_pairwise.py, with folds that keep copies together.
FOLDS = {
    "check_sample_weight_equivalence_on_dense_data": "folds of repeated rows are not folds of weighted rows",
    "check_sample_weight_equivalence_on_sparse_data": "folds of repeated rows are not folds of weighted rows",
}


@pytest.mark.filterwarnings("ignore:.*takes no sample_weight:UserWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("clf", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_check_estimator(clf):
    checks = check_estimator(clf, expected_failed_checks=FOLDS, on_skip=None)
    skipped = {check["check_name"] for check in checks if check["status"] == "skipped"}
    # It needs an environment variable, and is skipped for every estimator without it.
    assert skipped <= {"check_array_api_input"}
    assert len(checks) > 50


def test_in_a_pipeline_and_a_grid():
    pipe = make_pipeline(StandardScaler(), PairwiseClassifier(SVC()))
    grid = GridSearchCV(
        pipe, {"pairwiseclassifier__estimator__C": [0.01, 1], "pairwiseclassifier__coupling": ["ht", "wlw2"]}, cv=3
    )
    grid.fit(X, Y)
    assert grid.best_params_["pairwiseclassifier__estimator__C"] == 1
    assert grid.score(X, Y) > 0.97


def test_candidates_in_a_grid():
    clf = PairwiseClassifier([("nb", GaussianNB()), ("svc", SVC())])
    grid = GridSearchCV(
        clf, {"estimator__svc__C": [0.1, 10], "estimator__nb": [GaussianNB(), GaussianNB(var_smoothing=0.1)]}, cv=3
    )
    assert grid.fit(X, Y).score(X, Y) > 0.9
    for given in ({"a": SVC(), "b": GaussianNB()}, [SVC(), GaussianNB()]):
        clf = PairwiseClassifier(given)
        name = "a" if isinstance(given, dict) else "svc"
        clf.set_params(**{f"estimator__{name}__C": 3.0})
        assert clf.get_params()[f"estimator__{name}__C"] == 3.0
    with pytest.raises(InputError, match=r"no candidate 'c'; the candidates are \(a, b\)"):
        PairwiseClassifier({"a": SVC(), "b": GaussianNB()}).set_params(estimator__c__C=1)


SEARCHES = {
    "grid": GridSearchCV(SVC(), {"C": [0.1, 1, 10], "gamma": [0.01, 1]}, cv=3),
    "random": RandomizedSearchCV(SVC(), {"C": [0.1, 1, 10, 100]}, n_iter=3, cv=3, random_state=1),
    "halving": HalvingGridSearchCV(SVC(), {"C": [0.1, 1, 10]}, cv=3, random_state=1, scoring="roc_auc"),
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_each_pair_is_tuned(search):
    """A search as the learner finds on each pair what it finds on the rows of this pair alone."""
    x = StandardScaler().fit_transform(X)
    y = np.array(["red", "white", "rose"])[Y]
    clf = PairwiseClassifier(search).fit(x, y)
    assert clf.score(x, y) > 0.97
    for (first, second), fitted in clf.estimators_.items():
        rows = np.isin(y, (first, second))
        alone = clone(search).fit(x[rows], (y[rows] == second).astype(int))
        assert fitted.best_params_ == alone.best_params_
        np.testing.assert_array_equal(fitted.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"])
        np.testing.assert_array_equal(fitted.decision_function(x), alone.decision_function(x))


def test_pairs_are_tuned_differently():
    """Two classes that a line divides, and a ring around both: the kernels are chosen by pair."""
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 60)
    ring = 4 * np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(scale=0.2, size=(60, 2))
    x = np.vstack([rng.normal((-1, 0), 0.2, (60, 2)), rng.normal((1, 0), 0.2, (60, 2)), ring])
    y = np.repeat(["left", "right", "ring"], 60)
    search = GridSearchCV(SVC(), {"kernel": ["linear", "rbf"]}, cv=3)
    # Of equally good candidates, and of equally good parameters, the first is kept.
    clf = PairwiseClassifier({"tuned": search, "lda": LinearDiscriminantAnalysis()}, random_state=0).fit(x, y)
    assert clf.pairs_["learner"].tolist() == ["tuned"] * 3
    assert [fitted.best_params_["kernel"] for fitted in clf.estimators_.values()] == ["linear", "rbf", "rbf"]
    assert (clf.pairs_["cv_score_tuned"] > clf.pairs_["cv_score_lda"]).tolist() == [False, True, True]


SELECTORS = {
    "best": SelectKBest(k=2),
    "forward": SequentialFeatureSelector(LinearDiscriminantAnalysis(), n_features_to_select=2, cv=3),
    "from a model": SelectFromModel(LogisticRegression(C=0.5), max_features=2),
}


@pytest.mark.parametrize("selector", SELECTORS.values(), ids=SELECTORS)
def test_each_pair_has_its_own_columns(selector):
    frame = load_wine(as_frame=True).data
    frame = (frame - frame.mean()) / frame.std()
    clf = PairwiseClassifier(make_pipeline(selector, LinearDiscriminantAnalysis())).fit(frame, Y)
    columns = {pair: list(fitted[0].get_feature_names_out()) for pair, fitted in clf.estimators_.items()}
    assert len({tuple(names) for names in columns.values()}) > 1
    for pair, names in columns.items():
        rows = np.isin(Y, pair)
        assert list(clone(selector).fit(frame[rows], Y[rows] == pair[1]).get_feature_names_out()) == names
        alone = LinearDiscriminantAnalysis().fit(frame.loc[rows, names], Y[rows]).predict_proba(frame[names])[:, 0]
        np.testing.assert_allclose(clf.pairwise_proba(frame)[:, pair[0], pair[1]], alone, rtol=0, atol=1e-12)


@pytest.mark.parametrize("scoring", ["roc_auc_ovo", "roc_auc_ovr", "neg_log_loss", "accuracy"])
def test_cross_val_score(scoring):
    scores = cross_val_score(make_pipeline(StandardScaler(), PairwiseClassifier()), X, Y, scoring=scoring, cv=3)
    proba = np.vstack(
        [make_pipeline(StandardScaler(), PairwiseClassifier()).fit(X[::2], Y[::2]).predict_proba(X[1::2])]
    )
    assert np.isfinite(scores).all()
    assert proba.shape == (89, 3)


def test_clone_pickle_and_joblib(tmp_path):
    x, y = load_iris(return_X_y=True)
    for estimator in (None, [LinearDiscriminantAnalysis(), GaussianNB(), LogisticRegression(max_iter=500)]):
        clf = PairwiseClassifier(estimator, threshold="cv", calibration="isotonic").fit(x, y)
        copies = [pickle.loads(pickle.dumps(clf)), clone(clf).fit(x, y)]
        joblib.dump(clf, tmp_path / "clf")
        copies.append(joblib.load(tmp_path / "clf"))
        for copy in copies:
            np.testing.assert_array_equal(copy.predict_proba(x), clf.predict_proba(x))
            assert list(copy.estimators_) == list(clf.estimators_)
        assert not hasattr(clone(clf), "estimators_")


SAVED = {
    "default": {},
    "svc": {"estimator": SVC(), "random_state": np.random.RandomState(0)},
    "fast": {"estimator": [LinearDiscriminantAnalysis(), GaussianNB()], "threshold": "cv"},
    "pipeline": {"estimator": make_pipeline(StandardScaler(), LogisticRegression())},
    "isotonic": {"estimator": LinearSVC(random_state=0), "calibration": "isotonic"},
    "bayes": {"estimator": GaussianNB(), "coupling": "bayes"},
    "counts": {"estimator": QuadraticDiscriminantAnalysis(), "coupling": "ht"},
}


@pytest.mark.parametrize("labels", [[0, 1, 2], ["a", "b", "c"]], ids=["numbers", "words"])
@pytest.mark.parametrize("options", SAVED.values(), ids=SAVED)
def test_skops(options, labels):
    """It saves attributes, not code, and loads only types that the user trusts."""
    x, y = load_iris(return_X_y=True, as_frame=True)
    clf = PairwiseClassifier(**options).fit(x, np.array(labels)[y])
    assert len(clf.estimators_) == 3
    saved = skops.io.dumps(clf)
    types = skops.io.get_untrusted_types(data=saved)
    assert all(name.startswith("pwcstats.") for name in types)
    again = skops.io.loads(saved, trusted=types)
    np.testing.assert_array_equal(again.predict_proba(x), clf.predict_proba(x))
    np.testing.assert_array_equal(again.pairwise_scores(x), clf.pairwise_scores(x))
    pd.testing.assert_frame_equal(again.pairs_, clf.pairs_)
    assert list(again.estimators_) == list(clf.estimators_)
    assert list(again.feature_names_in_) == list(x.columns)


def test_the_table_of_pairs_is_made_on_demand():
    x, y = load_iris(return_X_y=True)
    clf = PairwiseClassifier(SVC())
    assert not hasattr(clf, "pairs_")
    table = clf.fit(x, y).pairs_
    table["n"] = 0
    # A change of the user's copy does not change the classifier.
    assert clf.pairs_["n"].tolist() == [100, 100, 100]


@pytest.mark.parametrize("coupling", METHODS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_decision_function(coupling, n_classes):
    x, y = load_iris(return_X_y=True)
    x, y = x[:, :2][y < n_classes], np.array(["a", "b", "c"])[y[y < n_classes]]
    clf = PairwiseClassifier(LinearDiscriminantAnalysis(), coupling=coupling, random_state=0).fit(x, y)
    proba, values = clf.predict_proba(x), clf.decision_function(x)
    log_odds = logit(np.clip(proba, 1e-15, 1 - 1e-15))
    if n_classes == 2:
        assert values.shape == (100,)
        np.testing.assert_array_equal(clf.classes_[(values > 0).astype(int)], clf.predict(x))
        log_odds = log_odds[:, 1]
    else:
        assert values.shape == (150, 3)
        # Ties, which votes have, are drawn in the same way.
        np.testing.assert_array_equal(clf.classes_[values.argmax(axis=1)], clf.predict(x))
    inside = (proba > 1e-6) & (proba < 1 - 1e-6)
    inside = inside.all(axis=1) if n_classes == 2 else inside
    np.testing.assert_allclose(values[inside], log_odds[inside], atol=1e-9)
    assert np.abs(values).max() <= 36.0 + 1e-9


def test_the_classes_of_tied_votes():
    """Where each class wins one of three pairs, the drawn class has the largest value."""
    x = np.random.default_rng(0).normal(size=(3000, 2))
    y = np.repeat([0, 1, 2], 1000)
    clf = PairwiseClassifier(DecisionTreeClassifier(max_depth=4), coupling="vote", random_state=1).fit(x, y)
    tied = np.ptp(clf.predict_proba(x), axis=1) == 0.0
    assert tied.sum() > 20
    predicted = clf.predict(x)
    assert len(np.unique(predicted[tied])) == 3
    np.testing.assert_array_equal(clf.decision_function(x).argmax(axis=1), predicted)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration_uses_the_decision_function(method):
    x, y = load_iris(return_X_y=True)
    clf = PairwiseClassifier(SVC())
    calibrated = CalibratedClassifierCV(clf, method=method, ensemble=False, cv=3).fit(x, y)
    assert calibrated.score(x, y) > 0.9
    inner = calibrated.calibrated_classifiers_[0]
    assert inner.estimator.decision_function(x).shape == (150, 3)
    held_out = cross_val_predict(clf, x, y, cv=3, method="decision_function")
    first = inner.calibrators[0].predict(held_out[:, 0])
    assert np.mean(first[y == 0]) > 0.8 > 0.2 > np.mean(first[y != 0])
    binary = get_scorer("roc_auc")(PairwiseClassifier(SVC()).fit(x[50:], y[50:]), x[50:], y[50:])
    assert binary > 0.95


def test_inside_other_meta_estimators():
    x, y = load_iris(return_X_y=True)
    assert BaggingClassifier(PairwiseClassifier(SVC()), n_estimators=3, random_state=0).fit(x, y).score(x, y) > 0.9
    assert (
        AdaBoostClassifier(PairwiseClassifier(GaussianNB()), n_estimators=3, random_state=0).fit(x, y).score(x, y) > 0.9
    )
    assert CalibratedClassifierCV(PairwiseClassifier(SVC())).fit(x, y).score(x, y) > 0.9
    assert PairwiseClassifier(PairwiseClassifier(SVC())).fit(x, y).score(x, y) > 0.9
    nested = cross_val_predict(PairwiseClassifier(CalibratedClassifierCV(LinearSVC())), x, y, method="predict_proba")
    np.testing.assert_allclose(nested.sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array])
def test_sparse_rows(form):
    counts = np.random.default_rng(0).poisson(1.0 + Y[:, None] * np.arange(6), size=(len(Y), 6))
    for learner in (MultinomialNB(), SVC(), LogisticRegression(max_iter=2000), LinearSVC()):
        dense = PairwiseClassifier(learner, random_state=0).fit(counts, Y).predict_proba(counts)
        thin = PairwiseClassifier(learner, random_state=0).fit(form(counts), Y).predict_proba(form(counts))
        np.testing.assert_allclose(thin, dense, atol=1e-3)
    with pytest.raises(TypeError, match="[Ss]parse"):
        PairwiseClassifier(GaussianNB()).fit(form(counts), Y)


def test_categories_are_naive_bayes_own():
    codes = np.random.default_rng(0).integers(0, 3, size=(len(Y), 4))
    clf = PairwiseClassifier(CategoricalNB(min_categories=3)).fit(codes, Y)
    rows = Y < 2
    want = CategoricalNB(min_categories=3).fit(codes[rows], Y[rows]).predict_proba(codes)[:, 0]
    np.testing.assert_allclose(clf.pairwise_proba(codes)[:, 0, 1], want, atol=1e-12)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
class TestRouting:
    weight = np.random.default_rng(0).gamma(1.0, size=len(Y))

    def test_weights_go_to_learners_that_ask_for_them(self):
        asked = PairwiseClassifier(LogisticRegression(max_iter=9000).set_fit_request(sample_weight=True))
        got = asked.fit(X, Y, sample_weight=self.weight).predict_proba(X)
        with sklearn.config_context(enable_metadata_routing=False):
            want = PairwiseClassifier(LogisticRegression(max_iter=9000)).fit(X, Y, sample_weight=self.weight)
        np.testing.assert_array_equal(got, want.predict_proba(X))
        refused = PairwiseClassifier(LogisticRegression(max_iter=9000).set_fit_request(sample_weight=False))
        unweighted = PairwiseClassifier(LogisticRegression(max_iter=9000)).fit(X, Y)
        np.testing.assert_array_equal(
            refused.fit(X, Y, sample_weight=self.weight).pairwise_proba(X), unweighted.pairwise_proba(X)
        )

    def test_what_nobody_asked_for_is_an_error(self):
        with pytest.raises(ValueError, match="sample_weight.*not explicitly set"):
            PairwiseClassifier(LogisticRegression()).fit(X, Y, sample_weight=self.weight)

    def test_each_candidate_for_itself(self):
        candidates = {
            "a": GaussianNB().set_fit_request(sample_weight=True),
            "b": GaussianNB().set_fit_request(sample_weight=False),
        }
        clf = PairwiseClassifier(candidates).fit(X, Y, sample_weight=self.weight)
        with sklearn.config_context(enable_metadata_routing=False):
            want = [
                PairwiseClassifier([GaussianNB(), GaussianNB()]).fit(X, Y, sample_weight=w) for w in (self.weight, None)
            ]
        np.testing.assert_allclose(clf.pairs_["cv_score_a"], want[0].pairs_["cv_score_gaussiannb-1"], atol=1e-12)
        np.testing.assert_allclose(clf.pairs_["cv_score_b"], want[1].pairs_["cv_score_gaussiannb-1"], atol=1e-12)

    def test_groups_and_weighted_scores(self):
        groups = np.arange(len(Y)) % 6
        scorer = get_scorer("accuracy").set_score_request(sample_weight=True)
        candidates = [LogisticRegression(max_iter=9000), GaussianNB()]
        candidates = [learner.set_fit_request(sample_weight=False) for learner in candidates]
        clf = PairwiseClassifier(candidates, selection_cv=GroupKFold(3), scoring=scorer, fast=False)
        clf.fit(X, Y, sample_weight=self.weight, groups=groups)
        scores = []
        for train, test in GroupKFold(3).split(X, Y, groups):
            train, test = train[Y[train] < 2], test[Y[test] < 2]
            right = GaussianNB().fit(X[train], Y[train]).predict(X[test]) == Y[test]
            scores.append(np.average(right, weights=self.weight[test]))
        np.testing.assert_allclose(clf.pairs_["cv_score_gaussiannb"][0], np.mean(scores), atol=1e-12)
        fast = clone(clf).set_params(fast=True).fit(X, Y, sample_weight=self.weight, groups=groups)
        np.testing.assert_allclose(fast.pairs_["cv_score_gaussiannb"], clf.pairs_["cv_score_gaussiannb"], atol=1e-12)

    @pytest.mark.new_libraries("the pipelines of scikit-learn 1.6 do not pass weights to score")
    def test_in_a_search(self):
        clf = PairwiseClassifier(SVC().set_fit_request(sample_weight=True))
        clf.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        grid = GridSearchCV(
            make_pipeline(StandardScaler().set_fit_request(sample_weight=False), clf),
            {"pairwiseclassifier__estimator__C": [1, 10]},
            cv=3,
        )
        assert grid.fit(X, Y, sample_weight=self.weight).score(X, Y) > 0.9
