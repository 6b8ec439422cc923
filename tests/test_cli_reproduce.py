"""``pwcstats reproduce``: files, the page (in a real browser), names, missing data sets, resuming."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from pwcstats.errors import InputError, arg
from pwcstats.studies import html, reproduction, szepannek, szepannek_runs
from pwcstats.studies.recorded import FOLDER, read_record, recorded
from pwcstats.studies.reproduction import STUDIES, Outcome, reproduce, selected, summary
from pwcstats.studies.tables import COLUMNS, COUNTED, POWER, Exhibit, claim, compare_with_paper
from tests.commanding import Shell

# Recorded numbers have six digits.
SIX_DIGITS = 1e-5
EXHIBITS = {exhibit.name: exhibit for exhibit in szepannek.EXHIBITS}

pytestmark = pytest.mark.one_environment

CHECK_SITE = Path(__file__).parent.parent / "tools" / "check-site"


@pytest.fixture
def shell(tmp_path, capsys, monkeypatch):
    return Shell(tmp_path, capsys, monkeypatch)


@pytest.fixture
def few(monkeypatch):
    """Two repeats, so that the studies take a second."""
    monkeypatch.setattr(szepannek, "by_size", lambda size, quick, paper: 2)


class TestFiles:
    @pytest.fixture
    def out(self, shell, few):
        shell.ok("reproduce", "szepannek.table1", "szepannek.figure4", "szepannek.figure6", "--out", shell.path("out"))
        return shell.folder / "out"

    def test_each_exhibit_has_its_files(self, out):
        names = {file.name for file in out.iterdir()}
        ends = ("csv", "json", "txt", "png")
        tables = {f"szepannek.{name}.{end}" for name in ("table1", "figure6") for end in ends}
        assert names == {*tables, "szepannek.figure4.png", "szepannek.figure4.json", "report.html", "cells"}
        assert (out / "szepannek.table1.json").stat().st_size > 100
        for file in out.glob("*.png"):
            assert file.read_bytes().startswith(b"\x89PNG")

    def test_tables_are_those_of_the_study(self, out):
        found = read_record(out / "szepannek.table1.csv")
        assert found.attrs["size"] == "quick"
        expected = szepannek.table1(cache=out / "cells")
        pd.testing.assert_series_equal(found["estimate"], expected["estimate"], rtol=1e-5)
        text = (out / "szepannek.table1.txt").read_text()
        assert "Table 1: " in text
        assert re.search(r"NB +test error +0\.0\d+ .* open ", text)
        assert "0 of 1 agree with the paper, 1 open, 2 without power" in text
        assert "\n\nOptions: PairwiseClassifier(" in text
        assert re.search(r"\nSize quick, seed 0, 20\d\d-\d\d-\d\d, pwcstats ", text)

    def test_the_page_has_everything(self, out):
        page = (out / "report.html").read_text()
        assert page.count("data:image/png;base64,") == 3
        for name in ("table1", "figure4"):
            assert EXHIBITS[name].title in page
        assert "? open" in page
        assert "– no power" in page
        assert "<td>0 of 1</td>" in page
        verdicts = pd.concat([read_record(file)["verdict"] for file in out.glob("*.csv")])
        assert f"<td>{(verdicts == 'agree').sum()} of {verdicts.isin(COUNTED).sum()}</td>" in page
        assert len(re.findall(r"Size quick, seed 0, 20\d\d-\d\d-\d\d, pwcstats ", page)) == 3

    @pytest.mark.slow
    def test_the_page_in_a_browser(self, out):
        done = subprocess.run(
            [sys.executable, CHECK_SITE, out / "report.html"], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (0, "")

    def test_a_second_command_keeps_what_the_first_wrote(self, out, shell):
        shell.ok("reproduce", "hastie-tibshirani.example", "--out", str(out))
        page = (out / "report.html").read_text()
        assert page.index("Example (1)") < page.index("Table 1: four classes") < page.index("Figure 6")
        assert "<td>0 of 1</td><td>quick</td>" in page

    def test_the_page_tells_how_each_exhibit_was_made(self, out, shell):
        about = out / "szepannek.table1.json"
        about.write_text(about.read_text().replace('"seed": 0', '"seed": 8').replace('"quick"', '"paper"'))
        shell.ok("reproduce", "szepannek.figure4", "--out", str(out), "--seed", "5")
        shell.ok("reproduce", "szepannek.figure6", "--out", str(out))
        page = (out / "report.html").read_text()
        assert "Size paper, seed 8, " in page
        assert "Size quick, seed 0, " in page
        assert "Size quick, seed 5, " in page
        assert "<td>0 of 1</td><td>paper</td>" in page

    def test_what_was_run_now_takes_the_place_of_what_was_there(self, out, shell, monkeypatch):
        before = (out / "szepannek.table1.csv").read_text()
        shell.ok("reproduce", "szepannek.table1", "--out", str(out), "--seed", "5")
        assert (out / "szepannek.table1.csv").read_text() != before
        page = (out / "report.html").read_text()
        assert "Size quick, seed 5, " in page
        assert f"{read_record(out / 'szepannek.table1.csv')['estimate'][1]:.3g}</td>" in page

    def test_a_record_that_was_cut_is_named(self, out, shell):
        file = out / "szepannek.table1.csv"
        file.write_text("\n".join(file.read_text().splitlines()[:-1]) + "\n")
        said = shell.ok("reproduce", "hastie-tibshirani.example", "--out", str(out))
        assert "\nszepannek.table1: not run: " in said
        assert said.count("szepannek.table1.csv does not match") == 1
        page = (out / "report.html").read_text()
        assert "<td>not run</td>" in page
        assert "szepannek.table1.csv does not match szepannek.table1.json beside it" in page

    def test_what_is_told_of_a_record_is_no_html(self, out, shell):
        file = out / "szepannek.table1.json"
        file.write_text(file.read_text().replace('"quick"', '"<script>"'))
        shell.ok("reproduce", "hastie-tibshirani.example", "--out", str(out))
        page = (out / "report.html").read_text()
        assert "<script" not in page
        assert page.count("&lt;script&gt;") == 2

    def test_csv_is_read_by_anything(self, out):
        found = pd.read_csv(out / "szepannek.table1.csv")
        assert found.columns.tolist() == ["sigma_1", "rho", "method", *COLUMNS]

    def test_a_second_start_computes_nothing(self, out, shell, monkeypatch):
        def refuse(*_):
            raise AssertionError("computed again")

        monkeypatch.setattr(szepannek_runs, "_errors", refuse)
        before = {file: file.stat().st_mtime_ns for file in (out / "cells").iterdir()}
        shell.ok("reproduce", "szepannek.table1", "--out", str(out))
        assert {file: file.stat().st_mtime_ns for file in (out / "cells").iterdir()} == before


def test_lines_and_json(shell, few):
    arguments = ("reproduce", "szepannek.table1", "--out", shell.path("out"))
    lines = shell.ok(*arguments).splitlines()
    assert re.fullmatch(r"szepannek\.table1: 0 of 1 agree with the paper, 1 open, 2 without power \(\d+ s\)", lines[0])
    said = "0 of 1 numbers and statements agree with the papers, 1 open, 2 without power"
    assert lines[1] == f"{said}: {shell.path('out')}/report.html"
    found = shell.document(*arguments)
    assert [row["method"] for row in found["exhibits"][0]["rows"]] == ["LDA", "NB", "PWC"] * 2
    assert found["exhibits"][0]["error"] is None


def test_a_data_set_that_is_not_installed_stops_nothing_else(shell, few, monkeypatch):
    def missing(name):
        raise InputError(f"{name!r} is in the package x, which is not installed: pip install x.")

    monkeypatch.setattr(szepannek_runs, "load", missing)
    code, out, err = shell.run(
        "reproduce", "szepannek.table3", "szepannek.table1", "--out", shell.path("out"), "--jobs", 1
    )
    assert code == 1
    assert "szepannek.table3: not run: 'satellite' is in the package x" in out
    assert "szepannek.table1: 0 of 1 agree" in out
    assert err.endswith("; 1 exhibit could not be run.\n")
    page = (shell.folder / "out" / "report.html").read_text()
    assert "<td>not run</td>" in page
    assert "Not run: &#x27;satellite&#x27; is in the package x" in page


def test_verdicts_and_folded_rows():
    runs = pd.DataFrame({"method": range(40), "error": 0.1})
    long = pd.concat(
        [
            compare_with_paper(runs, ["method"], "error", {}),
            claim("it is so", 1, 0, above=0),
            claim("it is not", 1, 0, below=0, cause="known"),
        ]
    )
    page = html.table(long)
    above, below = page.split("<details>")
    assert re.search(r"it is so</td>.*?✓ agree", above)
    assert re.search(r"it is not</td>.*?✗ disagree", above)
    assert above.count("<tr>") == 3
    assert below.count("<tr>") == 43
    assert "<details>" not in html.table(long.tail(30))


def test_of_many_verdicts_those_that_do_not_agree_are_shown():
    runs = pd.DataFrame({"method": range(40), "error": 0.1})
    many = compare_with_paper(runs, ["method"], "error", {k: 0.1 if k % 8 else 0.5 for k in range(40)}, exact=True)
    above, _ = html.table(many).split("<details>")
    assert above.count("? open") == 5
    assert "✓ agree" not in above


def test_a_picture_that_fails_takes_nothing_from_the_table(shell, few, monkeypatch):
    def fails(_):
        raise InputError("nothing to draw.")

    exhibit = EXHIBITS["table1"]._replace(figure=fails)
    monkeypatch.setattr(reproduction, "selected", lambda names: [("szepannek", szepannek, exhibit)])
    code, out, err = shell.run("reproduce", "szepannek.table1", "--out", shell.path("out"))
    assert code == 1
    assert re.search(r"szepannek\.table1: 0 of 1 .* without power \(\d+ s\); no picture: nothing to draw\.", out)
    assert err.endswith("agree with the papers, 1 open, 2 without power; 1 picture could not be drawn.\n")
    page = (shell.folder / "out" / "report.html").read_text()
    assert "No picture: nothing to draw." in page
    assert "<td>0 of 1</td>" in page
    found = read_record(shell.folder / "out" / "szepannek.table1.csv")
    assert found["verdict"].tolist() == ["no power", "open", "no power", "", "", ""]


def test_no_picture_of_another_table(few, tmp_path, monkeypatch):
    """Of a seed that cannot be drawn there is no picture, also in later calls."""
    exhibit = EXHIBITS["table1"]
    chosen_ones = [("szepannek", szepannek, exhibit)]
    monkeypatch.setattr(reproduction, "selected", lambda names: chosen_ones)
    (first,) = reproduce(["szepannek.table1"], out=tmp_path)
    assert [file.suffix for file in first.files] == [".csv", ".txt", ".png"]
    assert first.seconds > 0.0

    def fails(_):
        raise ValueError("no ink.")

    chosen_ones[0] = ("szepannek", szepannek, exhibit._replace(figure=fails))
    (second,) = reproduce(["szepannek.table1"], out=tmp_path, random_state=5)
    assert second.trouble == "no ink."
    assert not (tmp_path / "szepannek.table1.png").exists()
    (found,) = reproduction._in_folder(tmp_path, [])
    assert [file.suffix for file in found.files] == [".csv", ".txt"]
    assert found.about["seed"] == 5
    (tmp_path / "szepannek.table1.csv").unlink()
    (found,) = reproduction._in_folder(tmp_path, [])
    assert "szepannek.table1.csv does not match szepannek.table1.json beside it" in found.error


def test_seeds_of_numpy_and_words(tmp_path):
    (outcome,) = reproduce(["hastie_tibshirani.example"], out=tmp_path, random_state=np.int64(3))
    assert outcome.about["seed"] == 3
    with pytest.raises(InputError, match="random_state must be a whole number of at least 0, got 'x'"):
        reproduce(["hastie_tibshirani.example"], out=tmp_path, random_state="x")


def test_size_and_seed_go_to_the_study(tmp_path, monkeypatch):
    asked = []

    def table(size, **how):
        asked.append((size, how["random_state"], how["cache"]))
        return claim("so", True)

    def picture(seed):
        asked.append(seed)
        return Figure()

    exhibit = Exhibit("table1", "Table 1: x", "About.", table, picture=picture)
    monkeypatch.setattr(reproduction, "selected", lambda names: [("szepannek", szepannek, exhibit)])
    reproduce(["szepannek"], size="paper", out=tmp_path, random_state=7)
    assert asked == [("paper", 7, tmp_path / "cells"), 7]
    about = read_record(tmp_path / "szepannek.table1.csv").attrs
    assert (about["size"], about["seed"]) == ("paper", 7)


class TestNames:
    def test_all_studies(self):
        found = selected(["all"])
        assert list(dict.fromkeys(study for study, _, _ in found)) == list(STUDIES)
        names = [(study, exhibit.name) for study, _, exhibit in found]
        assert len(set(names)) == len(names)
        for _, module, exhibit in found:
            assert exhibit.table is not None or exhibit.picture is not None
            assert ": " in exhibit.title
            assert exhibit.about.endswith(".")
            assert "https://" in module.REFERENCE or "Technical report" in module.REFERENCE

    def test_one_word_and_none(self):
        assert [exhibit.name for _, _, exhibit in selected("szepannek.table3")] == ["table3"]
        with pytest.raises(InputError, match="names is empty; choose all, or some of"):
            selected([])

    def test_hyphens_capitals_and_names_given_twice(self):
        found = selected(["wu-lin-weng.figure1", "Wu_Lin_Weng.Figure1"])
        assert [exhibit.name for _, _, exhibit in found] == ["figure1"]
        assert len(selected(["szepannek", "all"])) == len(selected(["all"]))

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("einstein", "there is no study 'einstein'; choose all, or some of (hastie_tibshirani"),
            ("szepannek.table9", "szepannek has no 'table9'; choose from (figure1, figure2"),
        ],
    )
    def test_unknown(self, shell, name, words):
        assert words in shell.misused("reproduce", name, "--out", shell.path("out"))

    def test_errors_name_the_options(self, shell, monkeypatch):
        def refuse(names):
            raise InputError(f"{arg('names')} needs {arg('n_jobs', 1)}, got {names[0]}.")

        monkeypatch.setattr("pwcstats.studies.reproduction.selected", refuse)
        assert "NAME needs --jobs 1, got all." in shell.misused("reproduce", "all")

    def test_a_file_in_place_of_the_folder(self, shell):
        (shell.folder / "out").write_text("")
        code, _, err = shell.run("reproduce", "hastie-tibshirani.example", "--out", shell.path("out"))
        assert code == 1
        assert re.fullmatch(r"pwcstats: .*out must be a folder, got the file .*out\.\n", err)

    def test_wrong_usage(self, shell):
        assert "invalid choice: 'large'" in shell.misused("reproduce", "all", "--size", "large")
        assert "must be a whole number of at least 1, got '0'" in shell.misused("reproduce", "all", "--jobs", "0")
        assert "NAME" in shell.misused("reproduce")

    def test_size(self, tmp_path):
        with pytest.raises(InputError, match="size must be one of"):
            reproduce(["all"], size="large", out=tmp_path)


class TestRecorded:
    def test_every_table_is_recorded_at_the_size_of_the_paper(self):
        tables = {f"{study}.{exhibit.name}" for study, _, exhibit in selected(["all"]) if exhibit.table is not None}
        assert {file.stem for file in FOLDER.glob("*.csv")} == tables
        for name in sorted(tables):
            found = recorded(*name.split("."))
            assert found.attrs["size"] == "paper", name
            assert list(found.columns[-len(COLUMNS) :]) == list(COLUMNS), name

    def test_verdicts_follow_the_rule(self):
        """From the recorded numbers; only the plausible range is not recorded."""
        for file in FOLDER.glob("*.csv"):
            found = read_record(file)
            judged = found[found["verdict"].isin(COUNTED)]
            number = judged["paper"].notna()
            apart, allowed = judged["difference"], judged["allowed"]
            agree = (apart.abs() <= allowed * (1 + SIX_DIGITS)).where(number, apart > allowed)
            assert ((judged["verdict"] == "agree") == agree).all(), file.name
            against = (apart.abs() > allowed).where(number, -apart > allowed)
            assert (against | (judged["verdict"] != "disagree")).all(), file.name
            assert (allowed[number] <= POWER * judged["paper"][number]).all(), file.name
            assert set(found["verdict"]) <= {*COUNTED, "no power", ""}, file.name

    def test_each_disagreement_has_a_cause_and_a_command_that_shows_it(self):
        names = {f"{study}.{exhibit.name}" for study, _, exhibit in selected(["all"])}
        for file in FOLDER.glob("*.csv"):
            found = read_record(file)
            assert ((found["cause"] != "") == (found["verdict"] == "disagree")).all(), file.name
            for cause in found["cause"][found["cause"] != ""]:
                commands = re.findall(r"`pwcstats reproduce ([\w.]+)(?: --size paper)?`", cause)
                assert commands, cause
                assert set(commands) <= names, cause

    def test_options_are_those_of_the_study(self):
        for study, module, exhibit in selected(["all"]):
            if exhibit.table is not None:
                assert recorded(study, exhibit.name).attrs["options"] == module.OPTIONS, (study, exhibit.name)


def test_words_of_outcomes():
    runs = pd.DataFrame({"method": list("ab"), "error": [0.1, 0.2]})
    table = pd.concat(
        [compare_with_paper(runs, ["method"], "error", {"a": 0.1, "b": 0.5}, exact=True), claim("so", 1, 0, above=0)]
    )
    exhibit = Exhibit("table1", "Table 1: x", "About.")
    done, empty = Outcome("s", exhibit, {"seconds": 1.2}, table), Outcome("s", exhibit)
    failed, bare = Outcome("s", exhibit, error="no data"), Outcome("s", exhibit, {}, table, trouble="no ink")
    assert done.describe() == "s.table1: 2 of 3 agree with the paper, 1 open (1 s)"
    assert empty.describe() == "s.table1: no printed numbers (0 s)"
    assert failed.describe() == "s.table1: not run: no data"
    assert bare.describe() == "s.table1: 2 of 3 agree with the paper, 1 open (0 s); no picture: no ink"
    assert summary([done, empty]) == "2 of 3 numbers and statements agree with the papers, 1 open"
    assert summary([done, failed]).endswith("; 1 exhibit could not be run")
    assert summary([done, bare]) == (
        "4 of 6 numbers and statements agree with the papers, 2 open; 1 picture could not be drawn"
    )
