"""What learners of pairs see as labels: 0 and 1, whatever the classes are called."""

import numpy as np
import pytest
from lightgbm import LGBMClassifier
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, make_scorer
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from pwcstats import HybridClassifier, InputError, PairwiseClassifier

X, Y = load_iris(return_X_y=True)
# Rows of three classes that overlap.
X = X[:, :2] + np.random.default_rng(0).normal(0, 0.3, (150, 2))
# All in the order of Y, so that the pairs are the same.
LABELS = {
    "numbers": Y,
    "others": np.array([-7, 3, 40])[Y],
    "words": np.array(["a", "b", "c"])[Y],
    "digits": np.array(["1", "2", "3"])[Y],
    "objects": np.array(["a", "b", "c"], dtype=object)[Y],
}
WEIGHTS = np.linspace(0.5, 2.0, 150)


class Strict(ClassifierMixin, BaseEstimator):
    """Logistic regression that takes no labels but 0, ..., k-1, as XGBoost does."""

    def fit(self, X, y, sample_weight=None):
        found = np.unique(y)
        if not np.array_equal(found, np.arange(len(found))):
            raise ValueError(f"Invalid classes inferred from unique values of `y`, got {found}")
        self.inner_ = LogisticRegression().fit(X, y, sample_weight)
        self.classes_ = np.arange(len(found))
        return self

    def predict(self, X):
        return self.inner_.predict(X)

    def predict_proba(self, X):
        return self.inner_.predict_proba(X)


class Deciding(Strict):
    """The same with decision values alone."""

    def decision_function(self, X):
        return self.inner_.decision_function(X)

    @property
    def predict_proba(self):
        raise AttributeError


def boosted():
    return {
        "xgboost": XGBClassifier(n_estimators=5, max_depth=2, n_jobs=1),
        "lightgbm": LGBMClassifier(n_estimators=5, min_child_samples=5, n_jobs=1, verbose=-1),
    }


LEARNERS = {
    "strict": Strict(),
    "deciding": Deciding(),
    **boosted(),
    "pipeline": make_pipeline(StandardScaler(), boosted()["xgboost"]),
    "search": GridSearchCV(boosted()["xgboost"], {"max_depth": [1, 2]}, scoring="f1", cv=2),
}


@pytest.mark.parametrize("labels", ["others", "objects"])
@pytest.mark.parametrize("name", LEARNERS)
def test_labels_do_not_matter(name, labels):
    want, got = (PairwiseClassifier(LEARNERS[name]).fit(X, y, sample_weight=WEIGHTS) for y in (Y, LABELS[labels]))
    np.testing.assert_array_equal(got.predict_proba(X), want.predict_proba(X))
    np.testing.assert_array_equal(got.predict(X), LABELS[labels][[0, 50, 100]][want.predict(X)])
    assert got.score(X, LABELS[labels]) > 0.7
    assert list(got.estimators_) == [(i, j) for i, j in zip(*pairs_of(LABELS[labels]), strict=True)]


def pairs_of(labels):
    classes = np.unique(labels)
    low, high = np.triu_indices(len(classes), 1)
    return classes[low].tolist(), classes[high].tolist()


@pytest.mark.parametrize("name", ["xgboost", "lightgbm"])
def test_pairs_of_boosted_trees_are_their_own_fits(name):
    y = LABELS["words"]
    clf = PairwiseClassifier(LEARNERS[name]).fit(X, y)
    r = clf.pairwise_proba(X)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        rows = np.flatnonzero((Y == i) | (Y == j))
        own = boosted()[name].fit(X[rows], (Y[rows] == j).astype(int))
        # Probabilities in single precision.
        np.testing.assert_allclose(r[:, i, j], own.predict_proba(X)[:, 0], atol=1e-6)


@pytest.mark.parametrize(
    "options",
    [
        {"coupling": "bayes"},
        {"calibration": "sigmoid"},
        {"calibration": "isotonic"},
        {"threshold": "cv"},
        {"threshold": "train"},
        {"random_state": 0},
        {"scoring": "neg_log_loss", "estimator": {"strict": Strict(), "tree": DecisionTreeClassifier(max_depth=2)}},
        {"estimator": {"strict": Strict(), **boosted()}},
        {"estimator": {"deciding": Deciding(), **boosted()}, "scoring": "roc_auc"},
    ],
    ids=lambda options: "-".join(options),
)
def test_nor_do_they_with_any_option(options):
    want, got = (PairwiseClassifier(**{"estimator": Strict(), **options}).fit(X, y) for y in (Y, LABELS["words"]))
    np.testing.assert_array_equal(got.predict_proba(X), want.predict_proba(X))
    numbers = [column for column in want.pairs_ if not column.startswith("class_")]
    assert got.pairs_[numbers].equals(want.pairs_[numbers])


@pytest.mark.parametrize("learner", [SVC(), LinearDiscriminantAnalysis(), LogisticRegression()], ids=str)
@pytest.mark.parametrize("fast", [True, False])
def test_what_estimators_show(learner, fast):
    """They know class_i as 0 and class_j as 1, on any path."""
    clf = PairwiseClassifier(learner, fast=fast).fit(X, LABELS["words"])
    for (i, j), one in clf.estimators_.items():
        rows = np.isin(LABELS["words"], [i, j])
        np.testing.assert_array_equal(one.classes_, [0, 1])
        np.testing.assert_array_equal(one.predict(X), (one.decision_function(X) > 0).astype(int))
        assert np.mean(one.predict(X[rows]) == (LABELS["words"][rows] == j)) > 0.6


def test_lightgbm_has_the_names_of_columns_in_fit_and_prediction():
    """It warns if only one of fit and predict has them, and warnings are errors here."""
    frame = load_iris(as_frame=True).data
    named, unnamed = (
        PairwiseClassifier(boosted()["lightgbm"]).fit(x, LABELS["words"]) for x in (frame, frame.to_numpy())
    )
    np.testing.assert_array_equal(named.predict_proba(frame), unnamed.predict_proba(frame.to_numpy()))
    assert "sepal" in named.estimators_["a", "b"].feature_names_in_[0]


@pytest.mark.parametrize("learner", boosted().values(), ids=boosted())
def test_local_machines_of_boosted_trees(learner):
    want, got = (HybridClassifier(learner).fit(X, y).predict_proba(X) for y in (Y, LABELS["words"]))
    np.testing.assert_array_equal(got, want)


BY_LABEL = {
    label: {key: w for key, w in zip(np.unique(y).tolist(), (1.0, 5.0, 0.5), strict=True)}
    for label, y in LABELS.items()
}


@pytest.mark.parametrize("labels", ["numbers", "words", "digits"])
@pytest.mark.parametrize(
    "make",
    [
        lambda weight: LogisticRegression(class_weight=weight),
        lambda weight: make_pipeline(StandardScaler(), LogisticRegression(class_weight=weight)),
        lambda weight: GridSearchCV(LogisticRegression(), {"class_weight": [weight]}, cv=2),
        lambda weight: GridSearchCV(LogisticRegression(), [{"C": [1.0]}, {"class_weight": [None, weight]}], cv=2),
        lambda weight: GridSearchCV(
            make_pipeline(LogisticRegression()),
            {"logisticregression": [LogisticRegression(class_weight=weight)]},
            cv=2,
        ),
    ],
    ids=["learner", "pipeline", "grid", "grids", "learner in a grid"],
)
def test_class_weights_are_by_the_labels_of_y(make, labels):
    """This holds for the grid of a search, too. By the labels 0 and 1 of a pair they would refer to other classes."""
    clf = PairwiseClassifier(make(BY_LABEL[labels])).fit(X, LABELS[labels])
    own = BY_LABEL["numbers"]
    for (_, one), (i, j) in zip(clf.estimators_.items(), ((0, 1), (0, 2), (1, 2)), strict=True):
        rows = np.flatnonzero((Y == i) | (Y == j))
        pair = {0: own[i], 1: own[j]}
        want = make(pair).fit(X[rows], (Y[rows] == j).astype(int))
        np.testing.assert_allclose(one.predict_proba(X), want.predict_proba(X), atol=1e-9)


def test_class_weights_of_a_search_name_classes_of_y():
    search = GridSearchCV(LogisticRegression(), {"class_weight": [{"d": 2.0}]}, cv=2)
    with pytest.raises(InputError, match=r"class_weight names \('d'\), but the classes of y are \('a', 'b', 'c'\)"):
        PairwiseClassifier(search).fit(X, LABELS["words"])


def test_scorers_see_the_labels_of_y():
    seen = []

    def score(clf, x, y):
        seen.append((tuple(clf.classes_), set(y), set(clf.predict(x)), clf.inner_.C))
        return accuracy_score(y, clf.predict(x))

    candidates = {"one": Strict(), "two": Strict()}
    clf = PairwiseClassifier(candidates, scoring=score).fit(X, LABELS["words"])
    want = PairwiseClassifier(candidates).fit(X, LABELS["words"])
    np.testing.assert_allclose(clf.pairs_["cv_score_one"], want.pairs_["cv_score_one"])
    assert {classes for classes, *_ in seen} == {("a", "b"), ("a", "c"), ("b", "c")}
    assert all(set(classes) >= truth | called and inner == 1.0 for classes, truth, called, inner in seen)


@pytest.mark.parametrize("positive", ["a", "b"])
def test_a_scorer_may_name_a_label(positive):
    rows = Y < 2
    x, y = X[rows], LABELS["words"][rows]
    scorer = make_scorer(f1_score, pos_label=positive)
    clf = PairwiseClassifier({"one": Strict(), "two": Deciding()}, scoring=scorer, selection_cv=3).fit(x, y)
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]}, scoring=scorer, cv=3).fit(x, y)
    assert clf.pairs_["cv_score_one"][0] == pytest.approx(search.best_score_)


def test_scoring_none_is_the_learners_own_score():
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]}, scoring="neg_log_loss", cv=2)
    own, named = (
        PairwiseClassifier({"one": search, "two": Strict()}, scoring=scoring).fit(X, LABELS["words"]).pairs_
        for scoring in (None, "neg_log_loss")
    )
    np.testing.assert_allclose(own["cv_score_one"], named["cv_score_one"])


def test_a_positive_class_of_a_learner():
    rows = Y < 2
    x, y = X[rows], LABELS["words"][rows]

    def learner(positive):
        return FixedThresholdClassifier(LogisticRegression(), threshold=0.8, pos_label=positive)

    for positive in ("a", "b"):
        clf = PairwiseClassifier(learner(positive)).fit(x, y)
        want = learner(positive).fit(x, y).predict(x)
        np.testing.assert_array_equal(np.array(["a", "b"])[clf.estimators_["a", "b"].predict(x)], want)
    with pytest.raises(InputError, match=r"pos_label='a' needs two classes, got 3"):
        PairwiseClassifier(learner("a")).fit(X, LABELS["words"])
    with pytest.raises(InputError, match="pos_label='z' must be one of the classes"):
        PairwiseClassifier(learner("z")).fit(x, y)


def test_scorers_within_a_learner_name_no_labels_of_y():
    def search(positive):
        return GridSearchCV(Strict(), {}, scoring=make_scorer(f1_score, pos_label=positive), cv=2)

    for positive in (0, 1):
        PairwiseClassifier(search(positive)).fit(X, LABELS["words"])
    for positive, y in (("a", LABELS["words"]), (3, LABELS["others"])):
        with pytest.raises(InputError, match=f"scoring names the label {positive!r}, but to the learner of a pair"):
            PairwiseClassifier(search(positive)).fit(X, y)
    # 1 was the first class, and would be the second.
    with pytest.raises(InputError, match="scoring names the label 1, but"):
        PairwiseClassifier(search(1)).fit(X[Y < 2], Y[Y < 2] + 1)


def test_class_weights_in_a_grid_are_refused_with_bayes_weights():
    weights = {0: 0.5, 1: 1.0, 2: 4.0}
    for grid in ({"class_weight": [weights, None]}, [{"C": [1]}, {"class_weight": [weights]}]):
        with pytest.raises(InputError, match="coupling='bayes' cannot use class_weight"):
            PairwiseClassifier(GridSearchCV(SVC(), grid, cv=3), coupling="bayes").fit(*load_iris(return_X_y=True))


def test_scorers_with_arrays_of_labels():
    scorer = make_scorer(f1_score, labels=np.array([0, 1]), average="macro")
    search = GridSearchCV(SVC(), {"C": [1]}, cv=3, scoring=scorer)
    X, y = load_iris(return_X_y=True)
    assert PairwiseClassifier(search).fit(X, y).score(X, y) > 0.9
