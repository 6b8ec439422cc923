"""Benchmarks: the same splits for all, the same bits everywhere, and nothing lost when a run is killed."""

import functools
import importlib
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import distributed
import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
import threadpoolctl
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, f1_score, make_scorer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from pwcstats.compare import cells
from pwcstats.compare.benchmark import benchmark
from pwcstats.errors import FailedCellWarning, InputError

IRIS = load_iris(return_X_y=True)
WINE = load_wine(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
NB = {"nb": GaussianNB()}
TIMES = ["fit_time", "score_time"]
COLUMNS = ["method", "dataset", "repeat", "fold", "score", "n_train", "n_test", "fit_time", "score_time", "error"]


def run(methods, datasets, **options):
    return benchmark(methods, datasets, progress=False, **options)


def same(a, b, times=False):
    drop = [] if times else TIMES
    pd.testing.assert_frame_equal(a.drop(columns=drop), b.drop(columns=drop), check_exact=True)


class Counting(ClassifierMixin, BaseEstimator):
    """Naive Bayes that leaves a line for each fit, and stops at one of them if asked."""

    def __init__(self, log, stop_at=None):
        self.log = log
        self.stop_at = stop_at

    def fit(self, X, y):
        with open(self.log, "a") as file:
            file.write("fit\n")
        if fits(self.log) == self.stop_at:
            raise KeyboardInterrupt
        self.bayes_ = GaussianNB().fit(X, y)
        self.classes_ = self.bayes_.classes_
        return self

    def predict(self, X):
        return self.bayes_.predict(X)


class Fussy(ClassifierMixin, BaseEstimator):
    """Fails where and when it is told to."""

    def __init__(self, where="fit", when=lambda X: True):
        self.where = where
        self.when = when

    def fit(self, X, y):
        if self.where == "fit" and self.when(X):
            raise RuntimeError("not these\n   rows")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        if self.where == "predict" and self.when(X):
            raise ArithmeticError
        return np.repeat(self.classes_[:1], len(X))


def fits(log):
    return len(Path(log).read_text().splitlines()) if Path(log).exists() else 0


def nan_score(estimator, X, y):
    return np.nan


def two_numbers(estimator, X, y):
    return {"a": 1.0, "b": 2.0}


def halves(estimator, X, y):
    return accuracy_score(y, estimator.predict(X)) / 2


# Scores and their table.


def test_scores_are_those_of_scikit_learn():
    methods = {"nb": GaussianNB(), "log": make_pipeline(StandardScaler(), LogisticRegression())}
    cv = StratifiedKFold(4, shuffle=True, random_state=3)
    found = run(methods, {"wine": WINE, "cancer": CANCER}, cv=cv)
    assert list(found.columns) == COLUMNS
    for (dataset, method), rows in found.groupby(["dataset", "method"]):
        x, y = {"wine": WINE, "cancer": CANCER}[dataset]
        np.testing.assert_array_equal(rows["score"], cross_val_score(methods[method], x, y, cv=cv))
        assert (rows["n_train"] + rows["n_test"]).eq(len(y)).all()
    assert (found["error"] == "").all()
    assert (found[TIMES] > 0).all(axis=None)


def test_rows_are_in_order_and_plain():
    found = run([("b", GaussianNB()), ("a", DummyClassifier())], {"z": IRIS, "w": WINE}, repeats=2, cv=3)
    keys = [(d, r, f, m) for d in "zw" for r in range(2) for f in range(3) for m in "ba"]
    assert list(zip(found["dataset"], found["repeat"], found["fold"], found["method"], strict=True)) == keys
    assert found.index.equals(pd.RangeIndex(24))
    assert all(type(name) is str for name in [*found["method"], *found["dataset"], *found["error"]])
    assert found.dtypes[["repeat", "fold", "n_train", "n_test"]].eq(np.int64).all()


def test_methods_in_a_list_are_named_by_their_classes():
    methods = [make_pipeline(StandardScaler(), GaussianNB()), SVC(C=1.0), SVC(C=2.0)]
    found = run(methods, {"iris": IRIS}, cv=2)
    assert found["method"].unique().tolist() == ["gaussiannb", "svc-1", "svc-2"]


def test_several_scores_have_a_row_each():
    methods = {"nb": GaussianNB(), "tree": DecisionTreeClassifier()}
    names = ["accuracy", "neg_log_loss", "f1_macro"]
    found = run(methods, {"wine": WINE}, scoring=names, cv=3)
    assert list(found.columns) == [*COLUMNS[:4], "metric", *COLUMNS[4:]]
    assert found["metric"].tolist() == names * 6
    for name in names:
        alone = run(methods, {"wine": WINE}, scoring=name, cv=3)
        np.testing.assert_array_equal(found.loc[found["metric"] == name, "score"], alone["score"])


@pytest.mark.parametrize("scoring", [["accuracy"], {"own": halves}])
def test_a_list_or_dict_of_one_score_has_its_name(scoring):
    assert run({"nb": GaussianNB()}, {"iris": IRIS}, scoring=scoring)["metric"].unique().tolist() == list(scoring)


def test_scores_may_be_callables():
    scoring = {"own": halves, "made": make_scorer(f1_score, average="micro"), "name": "accuracy"}
    found = run({"nb": GaussianNB()}, {"iris": IRIS}, scoring=scoring).pivot(
        index="fold", columns="metric", values="score"
    )
    np.testing.assert_array_equal(2 * found["own"], found["name"])
    np.testing.assert_allclose(found["made"], found["name"], rtol=1e-15)
    np.testing.assert_array_equal(run({"nb": GaussianNB()}, {"iris": IRIS}, scoring=halves)["score"], found["own"])


# What data may be.


def test_data_sets_by_name_and_in_bunches():
    found = run({"nb": GaussianNB()}, ["iris", "wine"])
    assert found["dataset"].unique().tolist() == ["iris", "wine"]
    same(run({"nb": GaussianNB()}, {"iris": "iris", "wine": "wine"}), found)
    bunch = load_iris()
    arrays = run({"nb": GaussianNB()}, {"iris": IRIS})
    same(run({"nb": GaussianNB()}, {"iris": bunch}), arrays)
    same(run({"nb": GaussianNB()}, {"iris": {"data": bunch.data.tolist(), "target": bunch.target.tolist()}}), arrays)
    same(run({"nb": GaussianNB()}, {"iris": (bunch.data, bunch.target[:, None])}), arrays)


def test_frames_stay_frames():
    x, y = load_iris(return_X_y=True, as_frame=True)
    x = x.assign(site=np.where(np.arange(150) % 3, "north", "south")).set_axis(np.arange(150)[::-1] * 7, axis=0)

    def columns(frame):
        return frame[["site"]]

    method = make_pipeline(FunctionTransformer(columns), OneHotEncoder(), MultinomialNB())
    found = run({"nb": method}, {"iris": (x, pd.Series(y.to_numpy(), dtype="category"))})
    assert (found["error"] == "").all()


def test_sparse_rows_and_texts():
    x, y = load_digits(return_X_y=True)
    dense = run({"nb": MultinomialNB()}, {"digits": (x, y)}, cv=3)
    for kind in (sparse.csr_array, sparse.coo_matrix):
        same(run({"nb": MultinomialNB()}, {"digits": (kind(x), y)}, cv=3), dense)
    texts = ["a cat", "the cat", "cat", "a dog", "the dog", "dog"]
    found = run({"nb": make_pipeline(CountVectorizer(), MultinomialNB())}, {"pets": (texts, list("cccddd"))}, cv=3)
    assert found["score"].tolist() == [1.0, 1.0, 1.0]


def test_kernel_matrices_are_cut_both_ways():
    x, y = WINE
    x = StandardScaler().fit_transform(x)
    plain = run({"svc": SVC(gamma=0.1)}, {"wine": (x, y)})
    square = run({"svc": SVC(kernel="precomputed")}, {"wine": (rbf_kernel(x, gamma=0.1), y)})
    np.testing.assert_array_equal(square["score"], plain["score"])


def test_regression_is_not_stratified():
    x, y = load_diabetes(return_X_y=True)
    found = run([Ridge(), LinearRegression()], {"diabetes": (x, y)}, scoring="r2")
    assert found["score"].between(0.2, 0.7).all()


class Places(ClassifierMixin, BaseEstimator):
    """Remembers which rows it was given."""

    def __init__(self, kind="classifier"):
        self.kind = kind

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.rows_ = X[:, 0].astype(int)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))


def rows_of(datasets, **options):
    """Training and test rows of all cells."""
    seen = []

    def look(estimator, X, y):
        seen.append((estimator.rows_.tolist(), X[:, 0].astype(int).tolist(), y))
        return 0.0

    run({"places": Places()}, datasets, scoring=look, **options)
    return seen


def numbered(y, *groups):
    return (np.arange(len(y), dtype=float)[:, None], y, *groups)


def test_folds_of_a_number_are_stratified_and_shuffled_anew_each_time():
    seen = rows_of({"iris": numbered(IRIS[1])}, repeats=2)
    tests = [set(test) for _, test, _ in seen]
    assert all(np.bincount(y).tolist() == [10, 10, 10] for _, _, y in seen)
    assert set.union(*tests[:5]) == set.union(*tests[5:]) == set(range(150))
    assert not any(test in tests[5:] for test in tests[:5])
    assert all(set(train).isdisjoint(test) and len(train) + len(test) == 150 for train, test, _ in seen)


def test_groups_stay_together():
    groups = np.arange(150) // 5
    for cv in (5, GroupKFold(5)):
        for train, test, _ in rows_of({"iris": numbered(IRIS[1], groups)}, cv=cv):
            assert set(groups[train]).isdisjoint(groups[test])
    with pytest.raises(InputError, match="data set 'iris' cannot be split by cv=GroupKFold.*'groups'"):
        run([GaussianNB()], {"iris": IRIS}, cv=GroupKFold(5))


@pytest.mark.parametrize(
    "cv", [ShuffleSplit(3), StratifiedShuffleSplit(3), KFold(3, shuffle=True), RepeatedStratifiedKFold(n_splits=3)]
)
def test_splitters_that_shuffle_are_given_seeds(cv):
    data = {"iris": numbered(IRIS[1])}
    first, again = rows_of(data, cv=cv, repeats=2), rows_of(data, cv=cv, repeats=2)
    assert [test for _, test, _ in first] == [test for _, test, _ in again]
    half = len(first) // 2
    assert first[0][1] != first[half][1]
    assert [test for _, test, _ in rows_of(data, cv=cv)] == [test for _, test, _ in first[:half]]
    assert [test for _, test, _ in rows_of(data, cv=cv, random_state=1)] != [test for _, test, _ in first[:half]]
    assert cv.random_state is None


def test_a_splitters_own_seed_is_that_of_the_first_repeat():
    cv = KFold(3, shuffle=True, random_state=4)
    seen = rows_of({"iris": numbered(IRIS[1])}, cv=cv, repeats=2)
    want = [test.tolist() for _, test in cv.split(IRIS[0])]
    assert [test for _, test, _ in seen[:3]] == want
    assert [test for _, test, _ in seen[3:]] != want


@pytest.mark.parametrize(("cv", "cure"), [(KFold(3), "shuffle=True"), (LeaveOneOut(), "ShuffleSplit")])
def test_a_splitter_with_nothing_to_repeat_is_refused(cv, cure):
    with pytest.raises(InputError, match=f"repeats=2.*{cure}.*repeats=1"):
        run([GaussianNB()], {"iris": IRIS}, cv=cv, repeats=2)
    assert len(run([GaussianNB()], {"iris": (IRIS[0][::10], IRIS[1][::10])}, cv=cv)) in (3, 15)


def test_a_small_class_is_warned_of_once():
    x, y = IRIS[0][:103], IRIS[1][:103]
    with pytest.warns(UserWarning, match="'few': class 2 has 3 of the 103 rows, fewer than the 5 folds") as said:
        found = run([GaussianNB()], {"few": (x, y)}, repeats=2)
    assert len(said) == 1
    assert said[0].filename == __file__
    assert found["score"].notna().all()
    with pytest.raises(InputError, match="'few' cannot be split.*members in each class"):
        run([GaussianNB()], {"few": (x[::20], y[::20])})


# Seeds and bits.

RANDOM = {
    "forest": RandomForestClassifier(5),
    "net": make_pipeline(StandardScaler(), MLPClassifier((5,), max_iter=5, tol=10.0, n_iter_no_change=1)),
    "grid": GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 3]}, cv=KFold(3, shuffle=True)),
    "clusters": make_pipeline(KMeans(20, n_init=1), GaussianNB()),
    "fixed": RandomForestClassifier(3, random_state=np.random.RandomState(1)),
}
DATA = {"wine": WINE, "cancer": CANCER}
# Unlike accuracy, a score in which the last bits of probabilities show.
PLAN = {"cv": 3, "repeats": 2, "scoring": "neg_log_loss"}


@pytest.fixture(scope="module")
def here():
    return run(RANDOM, DATA, **PLAN)


def test_the_same_bits_again_and_in_other_processes(here):
    assert (here["error"] == "").all(), here["error"].unique()
    same(run(RANDOM, DATA, **PLAN), here)
    same(run(RANDOM, DATA, **PLAN, n_jobs=2), here)
    with joblib.parallel_config(backend="multiprocessing"):  # which cannot give results as they come
        same(run({"forest": RANDOM["forest"]}, DATA, **PLAN, n_jobs=2), only(here, method="forest"))
    with joblib.parallel_config(backend="threading"):
        same(run({"forest": RANDOM["forest"]}, DATA, **PLAN, n_jobs=2), only(here, method="forest"))


def only(frame, **where):
    for column, value in where.items():
        frame = frame[frame[column] == value]
    return frame.reset_index(drop=True)


def test_other_methods_and_data_sets_change_nothing(here):
    methods = dict(reversed(RANDOM.items())) | {"nb": GaussianNB()}
    more = run(methods, {"iris": IRIS, "cancer": CANCER}, **PLAN | {"repeats": 3})
    order = ["method", "repeat", "fold"]
    a = only(more, dataset="cancer").query("method != 'nb' and repeat < 2").sort_values(order, ignore_index=True)
    same(a, only(here, dataset="cancer").sort_values(order, ignore_index=True))


def test_seeds_differ_between_cells_and_random_states(here):
    tree = {"tree": DecisionTreeClassifier(max_features=1)}
    twice = {"a": numbered(CANCER[1]), "b": numbered(CANCER[1])}
    seen = [test for _, test, _ in rows_of(twice)]
    assert seen[:5] != seen[5:]
    one = run(tree, DATA, repeats=3)
    assert not run(tree, DATA, repeats=3, random_state=1)["score"].equals(one["score"])
    fresh = [run(tree, DATA, repeats=3, random_state=None)["score"].tolist() for _ in range(2)]
    assert fresh[0] != fresh[1]
    seeds = {cells.seed_of("fits", 0, d, r, f) for d in ("a", "b") for r in range(20) for f in range(10)}
    assert len(seeds) == 400
    assert max(seeds) < 2**31


def most_threads(estimator, X, y):
    return max(pool["num_threads"] for pool in threadpoolctl.threadpool_info())


@pytest.mark.skipif(os.cpu_count() == 1, reason="one core has one thread anyway")
@pytest.mark.parametrize(
    ("n_jobs", "options"),
    [(1, {}), pytest.param(2, {"backend": "loky", "inner_max_num_threads": 2}, marks=pytest.mark.slow)],
)
def test_each_cell_has_one_thread(n_jobs, options):
    with joblib.parallel_config(**options):
        assert set(run(NB, {"iris": IRIS}, scoring=most_threads, n_jobs=n_jobs)["score"]) == {1.0}


def test_methods_are_not_changed():
    methods = {name: clone(method) for name, method in RANDOM.items()}
    before = {name: repr(method.get_params()) for name, method in methods.items()}
    fitted = GaussianNB().fit(*WINE)
    run(methods | {"fitted": fitted}, {"wine": WINE}, cv=2)
    assert {name: repr(method.get_params()) for name, method in methods.items()} == before
    assert not any(hasattr(method, "n_features_in_") for method in methods.values())
    assert fitted.theta_.shape == (3, 13)


@pytest.mark.slow
def test_a_cluster_gives_the_same_bits(here, tmp_path, monkeypatch):
    sent = []

    def count(self, protocol):
        sent.append(self)
        return object.__reduce_ex__(self, protocol)

    monkeypatch.setattr(cells.Data, "__reduce_ex__", count)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        tasks = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.transition_log))
        with joblib.parallel_config(backend="dask"):
            there = run(RANDOM, DATA, **PLAN, cache=tmp_path)
        done = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.transition_log))
    assert done > tasks, "nothing ran on the cluster"
    assert len(sent) == len(DATA)
    same(there, here)
    same(run(RANDOM, DATA, **PLAN, cache=tmp_path), there, times=True)


# Failures.


def first_flower(X):
    return bool((X == IRIS[0][0]).all(axis=1).any())


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize(
    ("where", "cells_failed", "error"),
    [("fit", 4, "RuntimeError: not these rows"), ("predict", 1, "ArithmeticError")],
)
def test_cells_that_fail_leave_the_others_alone(where, cells_failed, error, n_jobs):
    methods = {"fussy": Fussy(where, first_flower), "nb": GaussianNB()}
    with pytest.warns(FailedCellWarning) as said:
        found = run(methods, {"iris": IRIS}, n_jobs=n_jobs)
    assert len(said) == 1
    assert said[0].filename == __file__
    words = str(said[0].message)
    assert words.startswith(f"{cells_failed} of 10 cells failed")
    first = found.index[found["error"] != ""][0] // 2
    # Cells with the same error are counted, not listed.
    assert f"fussy on iris (repeat 0, fold {first}){' and 3 more' * (cells_failed == 4)}: {error}" in words
    bad = found["error"] != ""
    assert bad.sum() == cells_failed
    assert (found.loc[bad, "method"] == "fussy").all()
    assert set(found.loc[bad, "error"]) == {error}
    assert found.loc[bad, "score"].isna().all()
    assert found.loc[bad, "fit_time"].isna().all() == (where == "fit")
    same(only(found, method="nb"), run({"nb": GaussianNB()}, {"iris": IRIS}))


def test_one_of_several_scores_may_fail():
    scoring = {"accuracy": "accuracy", "loss": "neg_log_loss", "f1": "f1_macro", "nan": nan_score, "two": two_numbers}
    with pytest.warns(FailedCellWarning, match="5 of 5 cells failed"):
        found = run({"svm": LinearSVC()}, {"iris": IRIS}, scoring=scoring)
    errors = found.groupby("metric")["error"].first()
    assert errors[["accuracy", "f1"]].tolist() == ["", ""]
    assert "predict_proba" in errors["loss"]
    assert errors["nan"] == "the score is NaN"
    assert errors["two"] == "TypeError: scoring must give a number, got dict"
    assert found.loc[found["error"] == "", "score"].notna().all()
    assert found.loc[found["error"] != "", "score"].isna().all()


def test_long_messages_are_cut():
    x = IRIS[0].astype(object)
    x[:] = "a word that is no number " * 20
    with pytest.warns(FailedCellWarning, match="5 of 5 cells failed"):
        found = run([GaussianNB()], {"iris": (x, IRIS[1])})
    assert found["error"].str.startswith("ValueError: could not convert").all()
    assert (found["error"].str.len() == cells.LONGEST).all()


def test_warnings_of_estimators_pass():
    lazy = {"log": LogisticRegression(max_iter=1)}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = run(lazy, {"wine": WINE}, cv=2)
    assert {each.category.__name__ for each in said} == {"ConvergenceWarning"}
    assert found["score"].notna().all()
    # As errors they are errors of the cells, and in other processes, too.
    for n_jobs in (1, 2):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("error")
            warnings.simplefilter("always", FailedCellWarning)
            run(lazy, {"wine": WINE}, cv=2, n_jobs=n_jobs)
        assert "2 of 2 cells failed" in str(said[0].message)
        assert "ConvergenceWarning: lbfgs failed" in str(said[0].message)


def test_the_bar(capsys):
    run([GaussianNB()], {"iris": IRIS})
    assert capsys.readouterr() == ("", "")
    with pytest.warns(FailedCellWarning):
        benchmark([Fussy("fit", first_flower)], {"iris": IRIS})
    out, err = capsys.readouterr()
    assert out == ""
    assert "5/5" in err
    assert "cached=0, failed=4" in err


# The cache.


def test_finished_cells_are_not_fitted_again(tmp_path, capsys):
    log, cache = tmp_path / "log", tmp_path / "new" / "cache"
    methods = {"a": Counting(str(log)), "nb": GaussianNB()}
    first = run(methods, {"iris": IRIS}, cache=cache)
    assert fits(log) == 5
    assert len(list(cache.iterdir())) == 10
    again = benchmark(methods, {"iris": IRIS}, cache=str(cache))
    assert fits(log) == 5
    same(again, first, times=True)
    assert "10/10" in (bar := capsys.readouterr().err)
    assert "cached=10, failed=0" in bar
    # Names of methods do not matter; another data set, and another repeat, are all there is to do.
    renamed = run({"b": Counting(str(log))}, {"iris": IRIS, "wine": WINE}, repeats=2, cache=cache)
    assert fits(log) == 20
    assert only(renamed, dataset="iris", repeat=0)["score"].tolist() == only(first, method="a")["score"].tolist()


def test_scores_from_the_cache_have_the_same_bits(tmp_path, here):
    first = run(RANDOM, DATA, **PLAN, cache=tmp_path, n_jobs=2)
    same(first, here)
    same(run(RANDOM, DATA, **PLAN, cache=tmp_path), first, times=True)
    scoring = ["neg_log_loss", "roc_auc"]
    first = run([GaussianNB()], {"cancer": CANCER}, scoring=scoring, cache=tmp_path)
    same(run([GaussianNB()], {"cancer": CANCER}, scoring=scoring, cache=tmp_path), first, times=True)


def keys(folder):
    return {file.stem for file in Path(folder).iterdir() if file.suffix == ".json"}


def new_keys(folder, methods, data, **options):
    """How many of the cells are not among those in the cache."""
    before = keys(folder)
    run(methods, {"data": data}, **{"cv": 2, "cache": folder} | options)
    return len(keys(folder) - before)


def shift(X):
    return X + 1.0


def test_the_key_depends_on_all_that_counts(tmp_path):
    x, y = WINE
    frame = pd.DataFrame(x).add_prefix("x").assign(kind=pd.Categorical.from_codes(y % 2, ["a", "b"]))
    one_hot = make_pipeline(OneHotEncoder(handle_unknown="ignore"), MultinomialNB())
    assert new_keys(tmp_path, [KNeighborsClassifier()], (x, y)) == 2
    assert new_keys(tmp_path, [KNeighborsClassifier()], (x, y)) == 0
    assert new_keys(tmp_path, [KNeighborsClassifier(3)], (x, y)) == 2
    assert new_keys(tmp_path, [make_pipeline(FunctionTransformer(shift), KNeighborsClassifier())], (x, y)) == 2
    assert new_keys(tmp_path, [KNeighborsClassifier()], (x + np.eye(*x.shape), y)) == 2
    assert new_keys(tmp_path, [KNeighborsClassifier()], (x.astype(np.float32), y)) == 2
    assert new_keys(tmp_path, [KNeighborsClassifier()], (x.reshape(89, 26), y[:89] % 2)) == 2
    # Other rows; and of the same rows, other classes.
    assert new_keys(tmp_path, [KNeighborsClassifier()], (x, y), cv=KFold(2, shuffle=True)) == 2
    assert new_keys(tmp_path, [KNeighborsClassifier()], (x, 2 - y), cv=KFold(2, shuffle=True)) == 2
    assert new_keys(tmp_path, [KNeighborsClassifier()], (x, y), random_state=1) == 2
    assert new_keys(tmp_path, [KNeighborsClassifier()], (x, y), scoring="f1_macro") == 2
    assert new_keys(tmp_path, [KNeighborsClassifier()], (x, y), scoring=["accuracy", "f1_macro"]) == 2
    assert new_keys(tmp_path, [one_hot], (frame, y)) == 2
    assert new_keys(tmp_path, [one_hot], (frame.copy(), y)) == 0
    other = frame.assign(kind=frame["kind"].cat.rename_categories(["a", "c"]))
    assert new_keys(tmp_path, [one_hot], (other, y)) == 2
    assert new_keys(tmp_path, [KNeighborsClassifier()], (sparse.csr_array(x), y)) == 2
    assert new_keys(tmp_path, [KNeighborsClassifier()], (sparse.csr_array(x[:, ::-1]), y)) == 2


def test_a_memory_map_or_a_fitted_method_is_the_same(tmp_path):
    x, y = WINE
    joblib.dump(x, tmp_path / "x")
    assert new_keys(tmp_path, [GaussianNB()], (x, y)) == 2
    assert new_keys(tmp_path, [GaussianNB()], (joblib.load(tmp_path / "x", mmap_mode="r"), y)) == 0
    assert new_keys(tmp_path, [GaussianNB().fit(x, y)], (x, y)) == 0


def test_versions_and_settings_are_in_the_key(tmp_path, monkeypatch):
    assert new_keys(tmp_path, [GaussianNB()], WINE) == 2
    monkeypatch.setattr("sklearn.__version__", "0.1")
    assert new_keys(tmp_path, [GaussianNB()], WINE) == 2
    monkeypatch.setattr(sys.modules[benchmark.__module__], "version", lambda name: "0.0")
    assert new_keys(tmp_path, [GaussianNB()], WINE) == 2
    with sklearn.config_context(assume_finite=True):
        assert new_keys(tmp_path, [GaussianNB()], WINE) == 2


OWN = """
from sklearn.naive_bayes import GaussianNB

class Own(GaussianNB):
    def fit(self, X, y):
        return super().fit(X * {factor}, y)

def half(estimator, X, y):
    return estimator.score(X, y) * {factor}
"""


def test_lines_of_ones_own_are_in_the_key(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def own(factor):
        (tmp_path / "own_lines.py").write_text("#" * factor + OWN.format(factor=factor))
        monkeypatch.delitem(sys.modules, "own_lines", raising=False)
        return importlib.import_module("own_lines")

    assert new_keys(tmp_path, [own(1).Own()], WINE) == 2
    assert new_keys(tmp_path, [own(1).Own()], WINE) == 0
    assert new_keys(tmp_path, [own(2).Own()], WINE) == 2
    assert new_keys(tmp_path, [GaussianNB()], WINE, scoring=own(1).half) == 2
    assert new_keys(tmp_path, [GaussianNB()], WINE, scoring=own(2).half) == 2
    assert new_keys(tmp_path, [GaussianNB()], WINE, scoring=own(2).half) == 0


def test_default_scores():
    x, y = load_diabetes(return_X_y=True)
    found = run({"ols": LinearRegression(), "ridge": Ridge()}, {"diabetes": (x, y)}, cv=3)
    same(found, run({"ols": LinearRegression(), "ridge": Ridge()}, {"diabetes": (x, y)}, cv=3, scoring="r2"))
    with pytest.raises(InputError, match="say what to score by, scoring="):
        run({"ols": LinearRegression(), "nb": GaussianNB()}, {"iris": IRIS})


PARTS = """
import functools
from sklearn.naive_bayes import GaussianNB

def plain(x):
    return x * {factor}

class Attribute(GaussianNB):
    factor = {factor}

class Cached(GaussianNB):
    @functools.cached_property
    def shift(self):
        return {factor}

class Wrapped(GaussianNB):
    @functools.lru_cache
    def shift(self):
        return {factor}

class Setter(GaussianNB):
    @property
    def shift(self):
        return 1

    @shift.setter
    def shift(self, value):
        self.other = {factor}
"""


@pytest.mark.parametrize(
    "make",
    [
        lambda module: module.Attribute(),
        lambda module: module.Cached(),
        lambda module: module.Wrapped(),
        lambda module: module.Setter(),
        lambda module: make_pipeline(FunctionTransformer(functools.partial(module.plain)), GaussianNB()),
        lambda module: make_pipeline(FunctionTransformer(np.abs, kw_args={"out": None}), GaussianNB()),
    ],
    ids=["attribute", "cached", "wrapped", "setter", "partial", "none"],
)
def test_parts_of_ones_own_are_in_the_key(tmp_path, monkeypatch, request, make):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def own(factor):
        (tmp_path / "own_parts.py").write_text("#" * factor + PARTS.format(factor=factor))
        monkeypatch.delitem(sys.modules, "own_parts", raising=False)
        return make(importlib.import_module("own_parts"))

    assert new_keys(tmp_path, [own(1)], WINE) == 2
    assert new_keys(tmp_path, [own(1)], WINE) == 0
    assert new_keys(tmp_path, [own(2)], WINE) == (0 if request.node.callspec.id == "none" else 2)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda file: file.write_text(""),
        lambda file: file.write_text(file.read_text()[:-9]),
        lambda file: file.write_text("[" * 100_000),
        lambda file: file.write_text("[1, 2]"),
        lambda file: file.write_bytes(b"\xff\xfe"),
        lambda file: file.write_text(json.dumps(json.loads(file.read_text()) | {"key": "another"})),
        lambda file: file.write_text(json.dumps(json.loads(file.read_text()) | {"scores": [0.5, 0.5]})),
        lambda file: file.write_text(json.dumps(json.loads(file.read_text()) | {"scores": [None]})),
        lambda file: file.write_text(json.dumps(json.loads(file.read_text()) | {"scores": [float("nan")]})),
        lambda file: file.write_text('{"scores": [0.5]}'),
    ],
)
def test_files_that_are_no_cells_are_replaced(tmp_path, spoil):
    log = tmp_path / "log"
    first = run([Counting(str(log))], {"iris": IRIS}, cache=tmp_path)
    (tmp_path / "notes.json").write_text("what else is here")
    spoil(next(file for file in tmp_path.glob("*.json") if len(file.stem) == 40))
    same(run([Counting(str(log))], {"iris": IRIS}, cache=tmp_path), first)
    assert fits(log) == 6
    run([Counting(str(log))], {"iris": IRIS}, cache=tmp_path)
    assert fits(log) == 6
    assert (tmp_path / "notes.json").exists()


def test_cells_that_failed_are_tried_again(tmp_path):
    for _ in range(2):
        with pytest.warns(FailedCellWarning, match="4 of 5 cells failed"):
            run([Fussy("fit", first_flower)], {"iris": IRIS}, cache=tmp_path)
        assert len(keys(tmp_path)) == 1


def test_an_interrupt_passes_and_loses_nothing(tmp_path):
    log = tmp_path / "log"
    with pytest.raises(KeyboardInterrupt):
        run([Counting(str(log), stop_at=4)], {"iris": IRIS}, cache=tmp_path)
    assert len(keys(tmp_path)) == 3
    found = run([Counting(str(log), stop_at=4)], {"iris": IRIS}, cache=tmp_path)
    assert fits(log) == 6
    assert found["score"].tolist() == run([GaussianNB()], {"iris": IRIS})["score"].tolist()


KILLED = """
import time
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

class Slow(RandomForestClassifier):
    def __init__(self, n_estimators=2, log=None, class_weight=None, random_state=None):
        super().__init__(n_estimators, class_weight=class_weight, random_state=random_state)
        self.log = log

    def fit(self, X, y):
        with open(self.log, "a") as file:
            file.write("fit ")
        time.sleep(0.05)
        return super().fit(X, y)

def numbers(frame, drop):
    return frame.drop(columns=list(drop))

def work(log, **options):
    from pwcstats.compare.benchmark import benchmark
    x, y = load_wine(return_X_y=True, as_frame=True)
    x = x.assign(word=["w%d" % i for i in y], kind=pd.Categorical(y.map(str)), gap=pd.array([None] * 178, "Int64"))
    parts = FunctionTransformer(numbers, kw_args={"drop": {"word", "kind", "gap"}})
    method = make_pipeline(parts, Slow(3, log, {0: 1.0, 2: 2.0, 1: 1.0}))
    return benchmark([method], {"wine": (x, y)}, repeats=4, progress=False, **options)
"""


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_a_killed_run_goes_on_in_another_process(tmp_path, monkeypatch, backend):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "killed_run", raising=False)
    (tmp_path / "killed_run.py").write_text(KILLED)
    log, cache = tmp_path / "log", tmp_path / "cache"
    call = f"""
import joblib, killed_run
with joblib.parallel_config({backend!r}):
    killed_run.work({str(log)!r}, cache={str(cache)!r}, n_jobs=2)
"""
    # Hashes of words are other than here.
    env = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONHASHSEED": "1", "JOBLIB_TEMP_FOLDER": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", call], start_new_session=True, env=env) as process:
        while process.poll() is None and not (cache.exists() and len(keys(cache)) >= 4):
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)  # with its workers
    assert process.returncode == -signal.SIGKILL
    kept, begun = len(keys(cache)), len(log.read_text().split())
    assert 4 <= kept < 20
    assert begun <= kept + 2
    resumed = importlib.import_module("killed_run").work(str(log), cache=cache)
    assert len(log.read_text().split()) - begun == 20 - kept
    same(resumed, importlib.import_module("killed_run").work(str(log)))


@pytest.mark.parametrize(
    ("methods", "scoring", "words"),
    [
        (
            {"log": make_pipeline(FunctionTransformer(lambda x: x + 1), GaussianNB())},
            "accuracy",
            "method 'log' cannot be told from others in the cache",
        ),
        ({"nb": GaussianNB()}, lambda estimator, x, y: 0.5, "scoring cannot be told from others in the cache"),
    ],
)
def test_the_cache_wants_names(tmp_path, methods, scoring, words):
    with pytest.raises(InputError, match=f"{words}.*no lambda, or leave cache out"):
        run(methods, {"iris": IRIS}, scoring=scoring, cache=tmp_path)
    for n_jobs in (1, 2):
        assert run(methods, {"iris": IRIS}, scoring=scoring, n_jobs=n_jobs)["score"].notna().all()


# What cannot be run.

X, Y = IRIS


@pytest.mark.parametrize(
    ("methods", "datasets", "options", "words"),
    [
        ({}, {"a": IRIS}, {}, "methods is empty"),
        ([], {"a": IRIS}, {}, "methods is empty"),
        (GaussianNB(), {"a": IRIS}, {}, "methods must be a dict .* got GaussianNB.*put it into a list"),
        ({"a": GaussianNB}, {"a": IRIS}, {}, "method 'a' is the class GaussianNB; give an instance, GaussianNB()"),
        ([GaussianNB], {"a": IRIS}, {}, "is the class GaussianNB; give an instance"),
        ({"a": "svc"}, {"a": IRIS}, {}, "method 'a' must be a scikit-learn estimator .* got 'svc', which has no fit"),
        ({"a": StandardScaler()}, {"a": IRIS}, {}, "got StandardScaler.*, which has no predict"),
        ([("a", GaussianNB()), ("a", SVC())], {"a": IRIS}, {}, "names of methods must differ, got 'a' twice"),
        ({1: GaussianNB()}, {"a": IRIS}, {}, "names of methods must be words, got 1"),
        (NB, {}, {}, "datasets is empty"),
        (NB, "iris", {}, "datasets must be a dict .* got str"),
        (NB, ["iris", "iris"], {}, "names of datasets must differ, got 'iris' twice"),
        (NB, ["irs"], {}, "must be one of 'iris', .* got 'irs'"),
        (NB, [IRIS], {}, "got a list with tuple; use a dict"),
        (NB, {"a": (X,)}, {}, "data set 'a' must be .* got tuple of 1"),
        (NB, {"a": X}, {}, "data set 'a' must be .* got ndarray"),
        (NB, {"a": {"data": X}}, {}, "data set 'a' must be .* got dict"),
        (NB, {"a": (X, Y[:-1])}, {}, "'a': y must have an entry for each of the 150 rows of X, got 149"),
        (NB, {"a": (X, Y, Y[1:])}, {}, "'a': groups must have an entry for each of the 150 rows of X, got 149"),
        (NB, {"a": (X, 3)}, {}, "'a': y must have an entry .* got a single value"),
        (NB, {"a": (X, np.where(Y == 1, np.nan, Y))}, {}, "'a': y is missing in 50 rows, first in row 50"),
        (NB, {"a": (X, [None, *"b" * 149])}, {}, "'a': y is missing in 1 rows, first in row 0"),
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
        (NB, {"a": IRIS}, {"scoring": ["accuracy", "accuracy"]}, "must be different names"),
        (NB, {"a": IRIS}, {"scoring": [halves]}, "name callables in a dict"),
        (NB, {"a": IRIS}, {"n_jobs": 0}, "n_jobs must be"),
        (NB, {"a": IRIS}, {"progress": "yes"}, "progress must be True or False"),
        (NB, {"a": IRIS}, {"random_state": -1}, "random_state must be a whole number"),
        (NB, {"a": IRIS}, {"random_state": None, "cache": "x"}, "cache needs a whole number as random_state"),
        (NB, {"a": IRIS}, {"cache": 3}, "cache must be a directory"),
        (NB, {"a": IRIS}, {"cache": __file__}, "cache must be a directory that can be written to"),
    ],
)
def test_what_cannot_be_run_is_said_before_any_fit(methods, datasets, options, words, tmp_path):
    log = tmp_path / "log"
    if isinstance(methods, dict) and "nb" in methods:
        methods = {"log": Counting(str(log)), **methods}
        datasets = {"before": IRIS, **datasets} if isinstance(datasets, dict) and datasets else datasets
    with pytest.raises(InputError, match=words) as said:
        benchmark(methods, datasets, **{"progress": False} | options)
    assert fits(log) == 0
    assert "\n" not in str(said.value)


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
    with pytest.raises(InputError, match="places of rows below 150.*'a'"):
        run(NB, {"a": IRIS}, cv=Outside())
    with pytest.raises(InputError, match="no test rows of data set 'a'"):
        run(NB, {"a": IRIS}, cv=Empty(1))
    with pytest.raises(InputError, match="'a' cannot be split .*no splits"):
        run(NB, {"a": IRIS}, cv=Empty(0))
