"""The demo: its table, its page (in a real browser) and its output."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pwcstats
from pwcstats import cli
from pwcstats.studies import demo

# Each fit of an SVM to the digits takes a second.
pytestmark = [pytest.mark.slow, pytest.mark.one_environment]
CHECK_SITE = Path(__file__).parent.parent / "tools" / "check-site"


@pytest.fixture(scope="module")
def scores():
    return demo.scores(n_jobs=2)


@pytest.fixture
def run(scores, monkeypatch, tmp_path, capsys):
    """Run the command on scores that are there; returns what it prints."""
    monkeypatch.setattr(demo, "scores", lambda **_: scores)

    def command(*arguments):
        assert cli.main(["demo", "--out", str(tmp_path / "out"), *arguments]) == 0
        return capsys.readouterr().out

    return command


def test_three_data_sets_and_five_methods(scores):
    table = demo.table(scores)
    assert table.index.tolist() == list(demo.METHODS)
    assert table.columns.get_level_values(0).unique().tolist() == list(demo.DATASETS)
    mean = scores[scores["metric"] == "accuracy"].groupby(["dataset", "method"])["score"].mean()
    for dataset in demo.DATASETS:
        np.testing.assert_allclose(table[dataset, "accuracy"], mean[dataset].loc[table.index], rtol=1e-12)
    # On ten classes, coupled pairs have better probabilities than each class against the rest.
    letters = table["digits", "letters"]
    assert table["digits", "log loss"]["SVM, coupled pairs"] < table["digits", "log loss"]["SVM, one vs. rest"]
    assert not set(letters["SVM, coupled pairs"]) & set(letters["SVM, one vs. rest"])


def test_command(run, tmp_path):
    text = run()
    for word in (*demo.DATASETS, *map(re.escape, demo.METHODS), "letters", "log loss"):
        assert re.search(rf"\b{word}\b", text)
    page = tmp_path / "out" / "demo.html"
    assert page.read_text().count("data:image/png;base64,") == 5
    done = subprocess.run([sys.executable, CHECK_SITE, page], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    found = json.loads(run("--json"))
    assert len(found["methods"]) == 15
    assert found["page"] == str(page)


def test_the_digit_is_the_least_compatible():
    figure = demo.coupled_digit()
    assert re.search(r"A handwritten \d: its pairs", figure.get_suptitle())
    proba = pd.DataFrame({line.get_label(): line.get_ydata() for line in figure.axes[1].lines[: len(demo.COUPLINGS)]})
    np.testing.assert_allclose(proba.sum(), 1.0)


def test_version_and_module():
    done = subprocess.run([sys.executable, "-m", "pwcstats", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"pwcstats {pwcstats.__version__}"
