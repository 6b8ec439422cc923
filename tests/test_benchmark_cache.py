"""The cache of benchmarks: what is kept, by which key, and what a kill leaves."""

import functools
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.model_selection import (
    KFold,
)
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from pwcstats.compare.runner import benchmark
from pwcstats.errors import FailedCellWarning, InputError

from .benchmarking import (
    IRIS,
    WINE,
    Counting,
    Fussy,
    first_flower,
    fits,
    only,
    run,
    same,
)

pytestmark = pytest.mark.one_environment


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
    from pwcstats.compare.runner import benchmark
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
    # Python hashes strings differently there.
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
    ("methods", "scoring", "message"),
    [
        (
            {"log": make_pipeline(FunctionTransformer(lambda x: x + 1), GaussianNB())},
            "accuracy",
            "method 'log' cannot be identified in the cache",
        ),
        ({"nb": GaussianNB()}, lambda estimator, x, y: 0.5, "scoring cannot be identified in the cache"),
    ],
)
def test_the_cache_wants_names(tmp_path, methods, scoring, message):
    with pytest.raises(InputError, match=f"{message}.*not a lambda, or leave cache out"):
        run(methods, {"iris": IRIS}, scoring=scoring, cache=tmp_path)
    for n_jobs in (1, 2):
        assert run(methods, {"iris": IRIS}, scoring=scoring, n_jobs=n_jobs)["score"].notna().all()
