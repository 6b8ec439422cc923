"""Hybrids with scikit-learn's tools."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from pwcstats import HybridClassifier, OrdinalHybridClassifier
from pwcstats.datasets import chang_clover

SAMPLE = chang_clover(2.5, 40, random_state=0)
X, GROUP = SAMPLE.data[SAMPLE.train], SAMPLE.target[SAMPLE.train]
Y = np.where(GROUP == 0, "in", "out")

CONFIGURATIONS = {
    "default": HybridClassifier(),
    "plain": HybridClassifier(SVC(kernel="linear"), n_clusters="ratio"),
    "parts": HybridClassifier(split="folds"),
    "individualized": HybridClassifier(SVC(), integrator="individualized", distance_cv=None, threshold="prevalence"),
    "default ordinal": OrdinalHybridClassifier(),
    "ordinal": OrdinalHybridClassifier(SVC(kernel="linear")),
    "ordinal rbf": OrdinalHybridClassifier(SVC(), distance_cv=None, penalty="firth"),
}
# tests/test_hybrid_weights.py compares weights with repeated rows where folds and clusters are given.
WEIGHTS = {
    f"check_sample_weight_equivalence_on_{kind}_data": "folds, clusters and SVC's gamma differ for repeated rows"
    for kind in ("dense", "sparse")
}
# scikit-learn has the same exception for its FixedThresholdClassifier and TunedThresholdClassifierCV.
THRESHOLD = {
    "individualized": {"check_classifiers_train": "predicts as many positives as there are, not the likelier class"}
}


@pytest.mark.filterwarnings("ignore:the classes are strings:UserWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize(
    "name",
    [name if name in ("plain", "ordinal") else pytest.param(name, marks=pytest.mark.slow) for name in CONFIGURATIONS],
)
def test_check_estimator(name):
    checks = check_estimator(
        CONFIGURATIONS[name], expected_failed_checks=WEIGHTS | THRESHOLD.get(name, {}), on_skip=None
    )
    skipped = {check["check_name"] for check in checks if check["status"] == "skipped"}
    # It needs an environment variable, and is skipped for all estimators without it.
    assert skipped <= {"check_array_api_input"}
    assert len(checks) > 45


def test_in_a_pipeline_and_a_grid():
    pipe = make_pipeline(StandardScaler(), HybridClassifier(random_state=0, threshold=0.5))
    grid = GridSearchCV(
        pipe, {"hybridclassifier__n_clusters": [1, 4], "hybridclassifier__estimator": [SVC(kernel="linear"), SVC()]},
        cv=StratifiedKFold(3, shuffle=True, random_state=0), scoring="roc_auc",
    )  # fmt: skip
    grid.fit(X, Y)
    assert grid.best_score_ > 0.9
    table = pd.DataFrame(grid.cv_results_)
    one = table.loc[[str(e).startswith("SVC(kernel") for e in table["param_hybridclassifier__estimator"]]]
    scores = one.set_index("param_hybridclassifier__n_clusters")["mean_test_score"]
    # One line that negatives surround is useless; four are not.
    assert scores[4] > scores[1] + 0.2


def test_clusters_by_metadata_routing():
    clf = HybridClassifier(threshold=0.5, random_state=0)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        clf.set_fit_request(clusters=True)
        found = cross_validate(clf, X, Y, cv=folds, params={"clusters": GROUP}, return_estimator=True)
    assert all(list(each.machines_) == ["1", "2", "3", "4"] for each in found["estimator"])
    assert found["test_score"].mean() > 0.85


@pytest.mark.parametrize(
    "clf", [HybridClassifier(SVC(), random_state=3), HybridClassifier(split="folds", random_state=3)]
)
def test_results_are_bit_identical_for_any_n_jobs(clf):
    one = clone(clf).fit(X, Y)
    two = clone(clf).set_params(n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    assert one.threshold_ == two.threshold_


def test_the_same_seed_gives_the_same_fit():
    fits = [HybridClassifier(random_state=seed).fit(X, Y) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(fits[0].predict_proba(X), fits[1].predict_proba(X))
    assert (fits[0].predict_proba(X) != fits[2].predict_proba(X)).any()


@pytest.mark.parametrize("integrator", ["multinomial", "individualized", "logit"])
def test_pickle(integrator):
    clf = HybridClassifier(integrator=integrator, random_state=0).fit(X, Y)
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.predict_proba(X), clf.predict_proba(X))
    texts = [each.summary().as_text().split("\n") for each in (again, clf)]
    # Summaries of statsmodels contain the time.
    assert [line for line in texts[0] if "Time:" not in line] == [line for line in texts[1] if "Time:" not in line]


@pytest.mark.parametrize("integrator", ["cratio", "ordered"])
def test_pickle_of_ordinal(integrator):
    clf = OrdinalHybridClassifier(integrator=integrator).fit(
        X[:, :1], (X[:, 0] > -1).astype(int) + (X[:, 0] + X[:, 1] > 1)
    )
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.predict_proba(X[:, :1]), clf.predict_proba(X[:, :1]))


def test_frames():
    frame = pd.DataFrame(X, columns=["a", "b"])
    clf = HybridClassifier(random_state=0).fit(frame, pd.Series(Y))
    assert list(clf.feature_names_in_) == ["a", "b"]
    with pytest.raises(ValueError, match="feature names should match"):
        clf.predict(frame[["b", "a"]])


def test_scores():
    machine = SVC(kernel="linear")
    assert cross_val_score(HybridClassifier(machine, random_state=0), X, Y, scoring="balanced_accuracy").mean() > 0.85
    assert cross_val_score(OrdinalHybridClassifier(machine), X, GROUP, scoring="neg_log_loss").mean() > -1.2


def test_seeds_reach_learners_in_pipelines():
    learner = make_pipeline(StandardScaler(), SGDClassifier())
    fits = [HybridClassifier(learner, random_state=0, threshold=0.5).fit(X, Y) for _ in range(2)]
    np.testing.assert_array_equal(fits[0].predict_proba(X), fits[1].predict_proba(X))


def test_a_seed_shuffles_the_folds():
    clf = HybridClassifier(threshold=0.5)
    plain = clf.fit(X, Y, clusters=GROUP).predict_proba(X)
    shuffled = clone(clf).set_params(random_state=1).fit(X, Y, clusters=GROUP).predict_proba(X)
    assert (plain != shuffled).any()


def test_progress(capsys):
    HybridClassifier(verbose=1, random_state=0, threshold=0.5).fit(X, Y)
    assert "local machines: 100%" in capsys.readouterr().err
