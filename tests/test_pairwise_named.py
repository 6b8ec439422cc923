"""Learners by name: what each option becomes, and what is refused."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from pwcstats import BiasedNeighborsClassifier, InputError, PairwiseClassifier
from pwcstats.pairwise.named import LEARNERS, make_learner

DEFAULTS = {
    "svm": SVC(gamma="auto", max_iter=10_000_000),
    "lda": LinearDiscriminantAnalysis(),
    "qda": QuadraticDiscriminantAnalysis(),
    "nb": GaussianNB(),
    "knn": KNeighborsClassifier(5),
    "biased_knn": BiasedNeighborsClassifier(),
    "logistic": LogisticRegression(tol=1e-8, max_iter=10_000),
    "tree": DecisionTreeClassifier(min_samples_split=20, min_samples_leaf=7, max_depth=30, random_state=0),
}
CHOSEN = [
    ("svm", {"kernel": "polynomial", "degree": 2, "coef0": 1}, {"kernel": "poly", "degree": 2, "coef0": 1.0}),
    ("svm", {"cost": 10, "gamma": 0.5, "tolerance": 1e-6}, {"C": 10.0, "gamma": 0.5, "tol": 1e-6}),
    ("svm", {"gamma": None, "class_weights": {"a": 2}}, {"gamma": "auto", "class_weight": {"a": 2.0}}),
    ("qda", {"reg_param": 1}, {"reg_param": 1.0}),
    ("knn", {"k": 3}, {"n_neighbors": 3}),
    ("biased_knn", {"k": 3, "bias": -0.1}, {"n_neighbors": 3, "bias": -0.1}),
    ("biased_knn", {"k": None, "bias": None}, {"n_neighbors": "auto", "bias": "auto"}),
    ("logistic", {"cost": 0.1}, {"C": 0.1}),
    ("tree", {"minsplit": 10}, {"min_samples_split": 10, "min_samples_leaf": 3}),
    ("tree", {"minbucket": 1, "maxdepth": 2}, {"min_samples_leaf": 1, "max_depth": 2}),
]
REFUSED = [
    (
        "forest",
        {},
        "name must be one of 'svm', 'lda', 'qda', 'nb', 'knn', 'biased_knn', 'logistic', 'tree', got 'forest'",
    ),
    ("lda", {"cost": 1}, "the learner 'lda' has no option cost; it has prior"),
    ("svm", {"cost": 0}, "cost must be a number above 0, got 0"),
    ("svm", {"cost": "a"}, "cost must be a number above 0, got 'a'"),
    ("svm", {"gamma": "scale"}, "gamma must be a number above 0, got 'scale'"),
    ("svm", {"coef0": np.nan}, "coef0 must be a number, got nan"),
    ("svm", {"degree": 1.5}, "degree must be a whole number of at least 1, got 1.5"),
    ("svm", {"kernel": "rbf"}, "kernel must be one of 'linear', 'radial', 'polynomial', 'sigmoid', got 'rbf'"),
    ("svm", {"class_weights": "balanced"}, "class_weights must be a dict of positive numbers by class"),
    ("svm", {"class_weights": {"a": -1}}, "class_weights must be a number above 0, got -1"),
    ("nb", {"prior": ["a", "b"]}, "prior must hold real numbers"),
    ("qda", {"reg_param": 2}, "reg_param must be a number between 0 and 1, got 2"),
    ("biased_knn", {"k": 1.5}, "k must be a whole number of at least 1, got 1.5"),
    ("biased_knn", {"bias": "auto"}, "bias must be a number, got 'auto'"),
    ("logistic", {"cost": True}, "cost must be a number above 0, got True"),
    ("tree", {"minsplit": 1}, "minsplit must be a whole number of at least 2, got 1"),
]


@pytest.mark.parametrize("name", LEARNERS)
def test_defaults_are_those_of_r(name):
    made = make_learner(name)
    assert type(made) is type(DEFAULTS[name])
    assert made.get_params() == DEFAULTS[name].get_params()
    assert list(LEARNERS) == list(DEFAULTS)


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_that_take_weights(name):
    x, y = load_iris(return_X_y=True)
    weight = np.where(np.arange(len(y)) % 2, 1.0, 3.0)
    learner = make_learner(name)
    if LEARNERS[name].takes_weights:
        learner.fit(x, y, sample_weight=weight)
    else:
        with pytest.raises(TypeError, match="sample_weight"):
            learner.fit(x, y, sample_weight=weight)


@pytest.mark.parametrize(("name", "options", "params"), CHOSEN)
def test_options_have_the_names_of_scikit_learn_in_the_end(name, options, params):
    made = make_learner(name, **options).get_params()
    assert made == make_learner(name).get_params() | params


@pytest.mark.parametrize(("name", "options", "message"), REFUSED)
def test_wrong_options(name, options, message):
    with pytest.raises(InputError, match=message):
        make_learner(name, **options)


def test_errors_name_their_arguments():
    with pytest.raises(InputError) as caught:
        make_learner("tree", k=3)
    assert caught.value.arguments == ("k", "minsplit", "minbucket", "maxdepth")


def test_every_option_is_documented():
    text = inspect.getdoc(make_learner)
    for name, learner in LEARNERS.items():
        assert name in text
        assert all(f"`{option}`" in text for option in learner.options)


def test_in_a_classifier():
    x, y = load_iris(return_X_y=True)
    candidates = {name: make_learner(name) for name in LEARNERS}
    clf = PairwiseClassifier(candidates).fit(x, y)
    assert [f"cv_score_{name}" for name in LEARNERS] == [c for c in clf.pairs_ if c.startswith("cv_score")]
    prior = [0.5, 0.3, 0.2]
    named = PairwiseClassifier(make_learner("lda", prior=prior)).fit(x, y)
    given = PairwiseClassifier(LinearDiscriminantAnalysis(priors=prior)).fit(x, y)
    np.testing.assert_array_equal(named.predict_proba(x), given.predict_proba(x))
    assert clone(make_learner("nb", prior=prior)).priors.tolist() == prior
