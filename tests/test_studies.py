"""The demo and the command line."""

import re
import subprocess
import sys

import numpy as np
import pandas as pd

import pwcstats
from pwcstats import cli, couple, plot
from pwcstats.studies import demo


class TestDemo:
    def test_command(self, tmp_path, capsys):
        assert cli.main(["demo", "--out", str(tmp_path / "out")]) == 0
        table = capsys.readouterr().out
        for word in ("iris", "wine", "digits", *demo.METHODS, "one-vs-rest"):
            assert re.search(rf"\b{word}\b", table)
        assert (tmp_path / "out" / "coupling.png").read_bytes().startswith(b"\x89PNG")

    def test_scores_are_those_of_a_good_classifier(self):
        scores = demo.scores(["iris"]).set_index("method")
        assert list(scores.index) == [*demo.METHODS, "one-vs-rest"]
        assert scores["accuracy"].between(0.93, 0.98).all()
        assert scores.loc["wlw2", "log loss"] < 0.2

    def test_picture_of_a_coupling(self):
        r = np.array([[0, 0.9, 0.4], [0.1, 0, 0.7], [0.6, 0.3, 0]])
        proba = pd.DataFrame({m: couple(r, m, classes=list("abc")) for m in ("ht", "vote")})
        figure = plot.coupling(r, proba)
        left, right = figure.axes[:2]
        assert [label.get_text() for label in left.get_xticklabels()] == list("abc")
        np.testing.assert_array_equal(right.lines[0].get_ydata(), proba["ht"])
        assert r[0, 0] == 0  # the caller's matrix keeps its diagonal

    def test_version_and_module(self):
        done = subprocess.run(
            [sys.executable, "-m", "pwcstats", "--version"], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == f"pwcstats {pwcstats.__version__}"
