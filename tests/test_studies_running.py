"""How studies run: cells, resuming, tables beside the paper's numbers, records."""

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pwcstats import studies
from pwcstats.errors import InputError
from pwcstats.studies import running
from pwcstats.studies.recorded import read_record, record, recorded
from pwcstats.studies.running import chosen, run_cells
from pwcstats.studies.tables import COLUMNS, beside, claim

# Sums in another order.
ROUNDING = 1e-12


def noted(folder, number, wait=0.0):
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
    assert list(found.columns) == ["folder", "number", "value", "half"]
    assert found["number"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert found["value"].tolist() == [number**2 for number in found["number"]]


def test_kept_cells_are_not_run_again(tmp_path):
    cache = tmp_path / "cells"
    first = run_cells(noted, cells_in(tmp_path, 4), cache=cache)
    again = run_cells(noted, cells_in(tmp_path, 6), cache=cache)
    assert notes_in(tmp_path) == [0, 1, 2, 3, 4, 5]
    pd.testing.assert_frame_equal(again.head(8), first)


def test_without_a_cache_everything_is_run(tmp_path):
    for _ in range(2):
        run_cells(noted, cells_in(tmp_path, 2))
    assert notes_in(tmp_path) == [0, 1, 0, 1]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"key": "another"}', '{"key": 1, "records": 3}'])
def test_what_a_crash_leaves_is_run_again(tmp_path, content):
    cache = tmp_path / "cells"
    whole = run_cells(noted, cells_in(tmp_path, 2), cache=cache)
    for file in cache.iterdir():
        file.write_text(content)
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


@pytest.mark.parametrize("what", ["version", "getsource"])
def test_another_version_or_other_lines_are_other_cells(tmp_path, monkeypatch, what):
    run_cells(noted, cells_in(tmp_path, 1), cache=tmp_path / "cells")
    running._lines_of.cache_clear()
    before = {"version": running.version, "getsource": running.inspect.getsource}[what]
    place = running if what == "version" else running.inspect
    changed = "statsmodels" if what == "version" else running.inspect.getmodule(noted)
    monkeypatch.setattr(place, what, lambda thing: f"{before(thing)}{' ' * (thing == changed)}")
    run_cells(noted, cells_in(tmp_path, 1), cache=tmp_path / "cells")
    running._lines_of.cache_clear()
    assert notes_in(tmp_path) == [0, 0]


def test_numbers_of_numpy_are_kept_as_numbers(tmp_path):
    found = run_cells(of_numpy, [{"seed": 0}], cache=tmp_path)
    pd.testing.assert_frame_equal(run_cells(of_numpy, [{"seed": 0}], cache=tmp_path), found)
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
    with pytest.raises(InputError, match="there is nothing to run: ask for one repeat"):
        run_cells(noted, [])
    with pytest.raises(InputError, match="random_state must be a whole number of at least 0, got 'x'"):
        run_cells(of_numpy, [{"seed": "x"}])
    with pytest.raises(InputError, match="repeats must be a whole number of at least 1, got 0"):
        run_cells(of_numpy, [{"seed": 0, "repeats": 0}])


def test_studies_are_attributes():
    assert studies.szepannek.table3.__module__ == "pwcstats.studies.szepannek"
    with pytest.raises(AttributeError, match="no attribute 'einstein'"):
        _ = studies.einstein


def test_sizes():
    assert chosen("quick", 1, 2) == 1
    assert chosen("paper", 1, 2) == 2
    with pytest.raises(InputError, match="size must be one of 'quick', 'paper', got 'large'"):
        chosen("large", 1, 2)


class TestBeside:
    runs = pd.DataFrame({"method": list("aaabbbbb"), "error": [0.10, 0.12, 0.14, 0.3, 0.3, 0.3, 0.3, 0.3]})

    def test_numbers(self):
        found = beside(self.runs, ["method"], "error", {"a": 0.13}).set_index("method")
        assert list(found.columns) == list(COLUMNS)
        row = found.loc["a"]
        assert row["estimate"] == pytest.approx(0.12, abs=ROUNDING)
        assert row["std_error"] == pytest.approx(0.02 / math.sqrt(3), abs=ROUNDING)
        assert (row["runs"], row["paper"]) == (3, 0.13)
        assert row["difference"] == pytest.approx(-0.01, abs=ROUNDING)
        assert pd.isna(found.loc["b", "agrees"])

    @pytest.mark.parametrize("paper_runs", [1, 30])
    def test_agreement_is_a_prediction_interval_and_the_rounding(self, paper_runs):
        runs = pd.DataFrame({"method": "a", "error": [0.08, 0.1, 0.12, 0.14, 0.16]})
        width = stats.t.ppf(0.995, 4) * math.sqrt(0.001) * math.sqrt(1 / 5 + 1 / paper_runs) + 0.005
        for sign in (-1, 1):
            for factor, agrees in ((0.999, True), (1.001, False)):
                paper = {"a": 0.12 + sign * factor * width}
                found = beside(runs, ["method"], "error", paper, paper_runs=paper_runs)
                assert found["agrees"][0] == agrees

    @pytest.mark.parametrize("n", [2, 4])
    def test_few_runs_tell_nothing(self, n):
        runs = pd.DataFrame({"method": "a", "error": np.arange(n)})
        assert beside(runs, ["method"], "error", {"a": 0.5})["agrees"].isna().all()

    @pytest.mark.parametrize(("paper", "agrees"), [(0.305, True), (0.295, True), (0.306, False), (0.294, False)])
    def test_where_runs_do_not_vary_only_rounding_counts(self, paper, agrees):
        assert beside(self.runs, ["method"], "error", {"b": paper})["agrees"][1] == agrees

    def test_one_run(self):
        found = beside(self.runs.head(1), ["method"], "error", {"a": 0.1})
        assert found["agrees"][0]
        assert math.isnan(found["std_error"][0])

    def test_intervals_hold_what_they_promise(self):
        """The paper's and our runs from one distribution: 99 % of the pairs agree."""
        rng, n = np.random.default_rng(0), 2000
        ours = pd.DataFrame({"method": np.repeat(np.arange(n), 10), "error": rng.normal(size=10 * n)})
        hits = beside(ours, ["method"], "error", dict(enumerate(rng.normal(size=n))), digits=12)["agrees"]
        # Three standard errors of a share of 0.99.
        assert hits.mean() == pytest.approx(0.99, abs=3 * math.sqrt(0.99 * 0.01 / n))

    def test_several_columns_and_notes(self):
        runs = self.runs.assign(d=[1, 1, 1, 2, 2, 2, 2, 2])
        found = beside(runs, ["d", "method"], "error", {(2, "b"): 0.12}, quantity="wrong", note="{}{}".format)
        assert found["note"].tolist() == ["1a", "2b"]
        assert found["quantity"].unique().tolist() == ["wrong"]
        assert found["agrees"].isna().tolist() == [True, False]


def test_claims_are_rows_like_others():
    found = pd.concat([TestBeside.runs.pipe(beside, ["method"], "error", {}), claim("it is so", False, 3.0)])
    assert list(found.columns) == ["method", *COLUMNS]
    assert found["agrees"].tolist()[-1] is False
    assert found["agrees"].dtype == "boolean"


class TestRecords:
    def test_round_trip(self, tmp_path):
        frame = pd.concat([beside(TestBeside.runs, ["method"], "error", {"a": 0.13}), claim("so", True)])
        record(frame, tmp_path / "a.csv", date="2026-01-02", size="paper", seconds=3)
        found = read_record(tmp_path / "a.csv")
        assert (found.attrs["date"], found.attrs["size"], found.attrs["seconds"]) == ("2026-01-02", "paper", 3)
        assert "numpy" in found.attrs["versions"]
        found.attrs = {}
        # Six digits are written.
        pd.testing.assert_frame_equal(found, frame.reset_index(drop=True), rtol=1e-5, check_dtype=False)
        assert found["agrees"].dtype == "boolean"

    def test_unknown_names(self):
        with pytest.raises(InputError, match="study must be one of"):
            recorded("einstein", "table1")
        with pytest.raises(InputError, match=r"exhibit must be one of .*'table3'"):
            recorded("szepannek", "table9")


def test_json_has_no_objects(tmp_path):
    """What is kept can be read by anything."""
    run_cells(of_numpy, [{"seed": 0}], cache=tmp_path)
    (file,) = tmp_path.glob("*.json")
    kept = json.loads(file.read_text())
    assert kept["records"][0]["count"] == 3
