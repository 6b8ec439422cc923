"""Benchmarks give the same bits wherever they run, and other methods change nothing."""

import os

import distributed
import joblib
import numpy as np
import pytest
import threadpoolctl
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from pwcstats._jobs import seed_of
from pwcstats.compare import cells

from .benchmarking import (
    CANCER,
    IRIS,
    NB,
    WINE,
    numbered,
    only,
    rows_of,
    run,
    same,
)

pytestmark = pytest.mark.one_environment

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
    seeds = {seed_of("fits", 0, d, r, f) for d in ("a", "b") for r in range(20) for f in range(10)}
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


def test_scores_from_the_cache_have_the_same_bits(tmp_path, here):
    first = run(RANDOM, DATA, **PLAN, cache=tmp_path, n_jobs=2)
    same(first, here)
    same(run(RANDOM, DATA, **PLAN, cache=tmp_path), first, times=True)
    scoring = ["neg_log_loss", "roc_auc"]
    first = run([GaussianNB()], {"cancer": CANCER}, scoring=scoring, cache=tmp_path)
    same(run([GaussianNB()], {"cancer": CANCER}, scoring=scoring, cache=tmp_path), first, times=True)
