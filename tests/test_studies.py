"""Simulators, Figure 1 of Wu, Lin & Weng, its picture, the demo and the command line."""

import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import pwcstats
from pwcstats import cli, couple, plot
from pwcstats.datasets import noisy_pairs, wu_lin_weng_probabilities
from pwcstats.studies import demo
from pwcstats.studies.wu_lin_weng import _first_place, figure1

# Accuracies at 20 classes that a thousand replicates gave in independent code; ours are from 400. So many standard
# errors of the difference are allowed.
FIGURE1_ERRORS = 3
FIGURE1 = {
    ("balanced", "ht"): 0.996,
    ("balanced", "wlw1"): 0.997,
    ("balanced", "wlw2"): 0.993,
    ("balanced", "vote"): 0.93,
    ("highly unbalanced", "ht"): 0.83,
    ("highly unbalanced", "wlw1"): 0.91,
    ("highly unbalanced", "wlw2"): 0.95,
    ("highly unbalanced", "vote"): 0.92,
}


class TestSimulators:
    @pytest.mark.parametrize("setting", ["balanced", "unbalanced", "highly unbalanced"])
    @pytest.mark.parametrize("n_classes", [3, 4, 5, 8, 20])
    def test_probabilities_are_those_of_the_paper(self, setting, n_classes):
        p = wu_lin_weng_probabilities(setting, n_classes)
        assert len(p) == n_classes
        assert p.sum() == pytest.approx(1)
        assert p.argmax() == 0
        if setting == "unbalanced":
            half = (n_classes + 1) // 2
            assert p[0] == pytest.approx(0.95 * 1.5 / half)
            assert p[half:].sum() == pytest.approx(0.05)
        if setting == "highly unbalanced" and n_classes > 3:
            np.testing.assert_allclose(p[:3], [0.475, 0.2375, 0.2375])

    def test_noise(self):
        p = np.array([0.5, 0.3, 0.2])
        r = noisy_pairs(p, 20_000, noise=0.1, random_state=1)
        np.testing.assert_allclose(r.mean(axis=0), [5 / 8, 5 / 7, 3 / 5], atol=4 * 0.1 / np.sqrt(20_000))
        np.testing.assert_allclose(r.std(axis=0), 0.1, rtol=0.03)
        np.testing.assert_array_equal(noisy_pairs(p, 5, noise=0, random_state=1)[:, 0], 5 / 8)
        assert noisy_pairs(p, 1000, noise=9, random_state=1).min() == 1e-5


class TestFigure1:
    def test_accuracies(self):
        found = figure1(n_classes=(20,), replicates=400).set_index(["setting", "method"])["accuracy"]
        for key, expected in FIGURE1.items():
            error = np.sqrt(expected * (1 - expected) * (1 / 400 + 1 / 1000))
            assert found[key] == pytest.approx(expected, abs=FIGURE1_ERRORS * error)
        assert found["highly unbalanced", "wlw2"] > found["highly unbalanced", "ht"] + 0.05

    def test_ties_are_broken_by_lot(self):
        """Three classes of which each wins once: a third of the lots falls on the first."""
        p = np.repeat(couple([[0.9, 0.1, 0.9]], "vote", condensed=True), 3000, axis=0)
        assert np.bincount(_first_place(p, 0)) / 3000 == pytest.approx(1 / 3, abs=0.03)

    def test_the_same_seed_gives_the_same_frame(self):
        pd.testing.assert_frame_equal(figure1((3,), replicates=50), figure1((3,), replicates=50))

    def test_picture(self):
        accuracy = figure1((3, 5), replicates=50)
        panels = plot.accuracy_by_classes(accuracy).axes
        assert [panel.get_title() for panel in panels] == ["(a) balanced", "(b) unbalanced", "(c) highly unbalanced"]
        line = panels[2].containers[0].lines[0]
        rows = accuracy[(accuracy.setting == "highly unbalanced") & (accuracy.method == "ht")]
        np.testing.assert_array_equal(line.get_xydata(), rows[["n_classes", "accuracy"]])


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
