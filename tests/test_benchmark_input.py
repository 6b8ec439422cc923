"""Arguments that `benchmark` cannot use are refused before any fit."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score
from sklearn.model_selection import (
    KFold,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pwcstats.compare.runner import benchmark
from pwcstats.errors import InputError

from .benchmarking import (
    IRIS,
    NB,
    Counting,
    fits,
    halves,
    run,
)

X, Y = IRIS


@pytest.mark.parametrize(
    ("methods", "datasets", "options", "message"),
    [
        ({}, {"a": IRIS}, {}, "methods is empty"),
        ([], {"a": IRIS}, {}, "methods is empty"),
        (GaussianNB(), {"a": IRIS}, {}, "methods must be a dict .* got GaussianNB.*put it into a list"),
        ({"a": GaussianNB}, {"a": IRIS}, {}, "method 'a' is the class GaussianNB; give an instance, GaussianNB()"),
        ([GaussianNB], {"a": IRIS}, {}, "is the class GaussianNB; give an instance"),
        ({"a": "svc"}, {"a": IRIS}, {}, "method 'a' must be a scikit-learn estimator .* got 'svc', which has no fit"),
        ({"a": StandardScaler()}, {"a": IRIS}, {}, "got StandardScaler.*, which has no predict"),
        ([("a", GaussianNB()), ("a", SVC())], {"a": IRIS}, {}, "names of methods must be unique, got 'a' twice"),
        ({1: GaussianNB()}, {"a": IRIS}, {}, "names of methods must be text, got 1"),
        (NB, {}, {}, "datasets is empty"),
        (NB, "iris", {}, "datasets must be a dict .* got str"),
        (NB, ["iris", "iris"], {}, "names of datasets must be unique, got 'iris' twice"),
        (NB, ["irs"], {}, "^datasets must be one of 'arena', .* got 'irs'. Did you mean 'iris'"),
        (NB, [IRIS], {}, "got a list with tuple; use a dict"),
        (NB, {"a": (X,)}, {}, "data set 'a' must be .* got tuple of 1"),
        (NB, {"a": X}, {}, "data set 'a' must be .* got ndarray"),
        (NB, {"a": {"data": X}}, {}, "data set 'a' must be .* got dict"),
        (NB, {"a": (X, Y[:-1])}, {}, "'a': y must have an entry for each of the 150 rows of X, got 149"),
        (NB, {"a": (X, Y, Y[1:])}, {}, "'a': groups must have an entry for each of the 150 rows of X, got 149"),
        (NB, {"a": (X, 3)}, {}, "'a': y must have an entry .* got a single value"),
        (NB, {"a": (X, np.where(Y == 1, np.nan, Y))}, {}, "'a': y is missing in 50 rows, the first one is row 50"),
        (NB, {"a": (X, [None, *"b" * 149])}, {}, "'a': y is missing in 1 rows, the first one is row 0"),
        (NB, {"a": (X[:0], Y[:0])}, {}, "'a': X must have rows, got none"),
        (NB, {"a": ([[1, 2], [3]], [0, 1])}, {}, "'a': X must have rows of the same length"),
        (NB, {"a": (X, X[:, 0])}, {}, "data set 'a' cannot be split by cv=StratifiedKFold.*continuous"),
        (NB, {"a": IRIS}, {"repeats": 0}, "repeats must be a whole number of at least 1, got 0"),
        (NB, {"a": IRIS}, {"repeats": 1.5}, "repeats must be a whole number"),
        (NB, {"a": IRIS}, {"cv": 1}, "cv must be a whole number of at least 2, got 1"),
        (NB, {"a": IRIS}, {"cv": True}, "cv must be a number of folds or a scikit-learn splitter"),
        (NB, {"a": IRIS}, {"cv": "five"}, "cv must be a number of folds or a scikit-learn splitter"),
        (NB, {"a": IRIS}, {"cv": KFold}, "cv must be a number of folds or a scikit-learn splitter"),
        (NB, {"a": IRIS}, {"cv": [(Y, Y)]}, "cv must be a number of folds or a scikit-learn splitter"),
        (NB, {"a": IRIS}, {"cv": 200}, "data set 'before' cannot be split by cv=.*200"),
        (NB, {"a": IRIS}, {"scoring": "acuracy"}, "'acuracy' is not a valid scoring value"),
        (NB, {"a": IRIS}, {"scoring": ["accuracy", "acuracy"]}, "'acuracy' is not a valid scoring value"),
        (NB, {"a": IRIS}, {"scoring": accuracy_score}, "looks like it is a metric function"),
        (NB, {"a": IRIS}, {"scoring": []}, "scoring is empty"),
        (NB, {"a": IRIS}, {"scoring": 3}, "scoring must be the name of a score, .* got 3"),
        (NB, {"a": IRIS}, {"scoring": ["accuracy", "accuracy"]}, "must hold different names"),
        (NB, {"a": IRIS}, {"scoring": [halves]}, "use a dict for callables"),
        (NB, {"a": IRIS}, {"n_jobs": 0}, "n_jobs must be"),
        (NB, {"a": IRIS}, {"progress": "yes"}, "progress must be True or False"),
        (NB, {"a": IRIS}, {"random_state": -1}, "random_state must be a whole number"),
        (NB, {"a": IRIS}, {"random_state": None, "cache": "x"}, "cache needs a whole number as random_state"),
        (NB, {"a": IRIS}, {"cache": 3}, "cache must be a directory"),
        (NB, {"a": IRIS}, {"cache": __file__}, "cache must be a writable directory"),
    ],
)
def test_bad_arguments_are_refused_before_any_fit(methods, datasets, options, message, tmp_path):
    log = tmp_path / "log"
    if isinstance(methods, dict) and "nb" in methods:
        methods = {"log": Counting(str(log)), **methods}
        datasets = {"before": IRIS, **datasets} if isinstance(datasets, dict) and datasets else datasets
    with pytest.raises(InputError, match=message) as caught:
        benchmark(methods, datasets, **{"progress": False} | options)
    assert fits(log) == 0
    assert "\n" not in str(caught.value)


class Unclonable(GaussianNB):
    def __init__(self, priors=None):
        self.priors = [priors]
        self.var_smoothing = 1e-9


class Outside(KFold):
    def split(self, X, y=None, groups=None):
        yield np.arange(10), np.array([len(X)])


class Empty(KFold):
    def __init__(self, n):
        self.n = n

    def split(self, X, y=None, groups=None):
        return iter([(np.arange(10), [])] * self.n)


def test_rarer_nonsense():
    with pytest.raises(InputError, match="method 'a' cannot be cloned"):
        run({"a": Unclonable()}, {"a": IRIS})
    with pytest.raises(InputError, match="indices of rows below 150.*'a'"):
        run(NB, {"a": IRIS}, cv=Outside())
    with pytest.raises(InputError, match="got no test rows of 'a'"):
        run(NB, {"a": IRIS}, cv=Empty(1))
    with pytest.raises(InputError, match="'a' cannot be split .*no splits"):
        run(NB, {"a": IRIS}, cv=Empty(0))
