"""The demo: what runs is what the page shows, the page in a real browser, and the advice for the user's own data."""

import contextlib
import io
import json
import re
import runpy
import shlex
import subprocess
import sys
from html import escape, unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import pwcstats
from pwcstats import cli
from pwcstats.datasets import load
from pwcstats.studies import demo, demo_page

# The benchmark of the first example takes some seconds.
pytestmark = [pytest.mark.slow, pytest.mark.one_environment]
CHECK_SITE = Path(__file__).parent.parent / "tools" / "check-site"


@pytest.fixture(scope="module")
def findings():
    return {section.name: demo.run(section) for section in demo.SECTIONS}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("demo") / "out"


@pytest.fixture(scope="module")
def run(findings, folder):
    """Run the command with results that are there; returns what it prints."""

    def command(*arguments):
        out = io.StringIO()
        with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out):
            patch.setattr(demo, "run", lambda section: findings[section.name])
            assert cli.main(["demo", "--out", str(folder), *arguments]) == 0
        return out.getvalue()

    return command


@pytest.fixture(scope="module")
def page(run, folder):
    run()
    return (folder / "demo.html").read_text(encoding="utf-8")


def test_probabilities(findings):
    (table,) = findings["probabilities"].tables.values()
    assert table.index.tolist() == ["PairwiseClassifier", "LIBSVM's method", "CalibratedClassifierCV"]
    assert table["log loss"].is_monotonic_increasing
    for loss in table["log loss"]:
        assert f"{loss:.3f}" in findings["probabilities"].sentence
    assert "PairwiseClassifier is significantly better than LIBSVM's method." in findings["probabilities"].sentence


def test_the_first_example_did_not_choose_the_method():
    """The data sets that chose the calibration would flatter it."""
    sets = runpy.run_path(str(Path(__file__).parents[1] / "benchmarks" / "_probability_sets.py"))
    assert demo.SECTIONS[0].dataset in sets["CONFIRMING"]


def test_leaderboard(findings):
    (table,) = findings["leaderboard"].tables.values()
    assert set(table.index) == set(load("arena").frame["first"])
    assert table["rank"].tolist() == list(range(1, len(table) + 1))
    spans = table["rank interval"].str.split(" to ").tolist()
    assert all(int(span[0]) <= rank <= int(span[-1]) for span, rank in zip(spans, table["rank"], strict=True))


def test_separation(findings):
    plain, firth = findings["separation"].tables.values()
    assert plain.loc["NV", "std_error"] > 1000
    # What R's logistf prints for these data.
    np.testing.assert_allclose(firth.loc["NV", ["estimate", "conf_low", "conf_high"]], [2.929, 0.610, 7.855], atol=6e-4)


def test_comparison(findings):
    (table,) = findings["comparison"].tables.values()
    mean = load("classifier_scores").frame.groupby("method")["score"].mean()
    np.testing.assert_allclose(table["mean accuracy"], mean[table.index], rtol=1e-12)
    assert findings["comparison"].sentence.startswith("svm and forest are significantly better than bayes.")


def test_the_lead_is_significant_if_no_other_can_be_first(findings):
    (table,) = findings["leaderboard"].tables.values()
    is_alone = table["rank interval"].iloc[0] == "1"
    expected = f"Its lead over {table.index[1]} is {'' if is_alone else 'not '}significant at the 5 % level."
    assert expected in findings["leaderboard"].sentence


def test_row_names_are_in_the_data(tmp_path, monkeypatch):
    section = demo.SECTIONS[0]._replace(dataset="citations")
    monkeypatch.setattr(demo_page, "SECTIONS", (section,))
    (file,) = demo_page.write_data(tmp_path)
    frame = load("citations").frame
    assert pd.read_csv(file, index_col=frame.index.name).equals(frame)
    assert b"\r" not in file.read_bytes()


def test_pictures_are_reproducible(findings):
    axes = Figure().subplots()
    axes.plot([1, 2])
    assert demo._svg(axes, 2.0) == demo._svg(axes, 2.0)
    assert all(b"<dc:date>" not in finding.picture for finding in findings.values())


def test_page_shows_what_ran(page, findings):
    text = unescape(page)
    for section in demo.SECTIONS:
        assert section.code.rstrip() in text
        assert section.lines.rstrip() in text
        assert section.command in re.sub(r"</?span>", "", text)
        assert findings[section.name].sentence in text
        assert findings[section.name].alt in text
    pictures = re.findall(r'<img alt="([^"]+)" src="([^"]+)">', page)
    assert [alt for alt, _ in pictures] == [escape(findings[section.name].alt) for section in demo.SECTIONS]
    assert all(source.startswith("data:image/svg+xml;base64,") for _, source in pictures)
    assert "prefers-color-scheme: dark" in page
    # Nothing is loaded from elsewhere.
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    assert "url(" not in page


def test_page_in_a_browser(page, folder):
    assert page
    done = subprocess.run(
        [sys.executable, CHECK_SITE, folder / "demo.html"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_text(run, findings, folder):
    text = run()
    assert text.endswith(f"Pictures, and how to do this with your data: {folder / 'demo.html'}\n")
    assert "\x1b" not in text
    assert max(map(len, text.split("\n")[:-2])) <= 100
    for number, section in enumerate(demo.SECTIONS, 1):
        assert f"{number}. {section.title}\n" in text
        assert all(f"    {line}\n" in text for line in section.code.splitlines() if line)
        assert findings[section.name].sentence in " ".join(text.split())


def test_json(run, findings, folder):
    document = json.loads(run("--json"))
    assert document["page"] == str(folder / "demo.html")
    assert [example["name"] for example in document["examples"]] == [section.name for section in demo.SECTIONS]
    tables = {example["name"]: example["tables"] for example in document["examples"]}
    assert {name: len(found) for name, found in tables.items()} == {
        name: len(finding.tables) for name, finding in findings.items()
    }
    rows = tables["separation"][1]["rows"]
    assert [row["term"] for row in rows] == ["Intercept", "NV", "PI", "EH"]
    assert all(Path(file).is_file() for file in document["files"])


@pytest.mark.parametrize("section", demo.SECTIONS, ids=lambda section: section.name)
def test_advice_for_your_data(section, page, folder, monkeypatch, capsys):
    """The commands and lines of "Now your data" run beside the page."""
    assert page
    monkeypatch.chdir(folder)
    assert f"{section.dataset}.csv" in section.lines
    exec(section.lines, {})
    for line in section.command.splitlines():
        program, *words = shlex.split(line)
        assert program == "pwcstats"
        assert cli.main(words) == 0
    assert capsys.readouterr().err == ""


def test_version_and_module():
    done = subprocess.run([sys.executable, "-m", "pwcstats", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"pwcstats {pwcstats.__version__}"
