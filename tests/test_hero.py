"""The picture of the README and of the first page is up to date, and its descriptions repeat its numbers."""

import importlib.util
import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import log_loss

from pwcstats.plot.reliability import Line, line_points

ROOT = Path(__file__).parents[1]
STATIC = ROOT / "docs" / "_static"
PICTURES = ("hero", "hero-narrow")

pytestmark = pytest.mark.one_environment


def labels(file):
    """All texts of a picture; matplotlib draws them as paths, and names each in a comment."""
    return sorted(re.findall(r"<!-- (.*?) -->", file.read_text(encoding="utf-8"), re.S))


def off_the_diagonal(y, p):
    """How many bars miss the diagonal."""
    correct = np.unique(y)[p.argmax(axis=1)] == y
    mean, _, low, high, _ = line_points(Line("", correct, p.max(axis=1), None), 10, "quantile", 0.05).T
    return np.sum((low > mean) | (mean > high))


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_is_small_and_white(name):
    """It has a white background on dark pages, too."""
    text = (STATIC / f"{name}.svg").read_text(encoding="utf-8")
    assert len(text) < 200 * 1024
    background = text[text.index('<g id="patch_1">') :].split("/>")[0]
    assert "fill: #ffffff" in background
    # Text as paths looks the same everywhere.
    assert "<text" not in text


@pytest.mark.slow
def test_pictures_and_texts_are_up_to_date(tmp_path, monkeypatch):
    """If this fails, run tools/hero.py, and correct the texts."""
    spec = importlib.util.spec_from_file_location("hero", ROOT / "tools" / "hero.py")
    hero = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hero)
    # The data sets that chose the calibration would flatter it.
    assert hero.VEHICLES in runpy.run_path(str(ROOT / "benchmarks" / "_probability_sets.py"))["CONFIRMING"]
    y, proba = hero.predict_vehicles()
    monkeypatch.setattr(hero, "predict_vehicles", lambda: (y, proba))
    hero.main(tmp_path)
    for name in PICTURES:
        assert labels(STATIC / f"{name}.svg") == labels(tmp_path / f"{name}.svg")
    loss = {name: f"{log_loss(y, p):.3f}" for name, p in proba.items()}
    assert off_the_diagonal(y, proba["PairwiseClassifier"]) == 0
    expected = [
        f"a log loss of {loss['PairwiseClassifier']} against {loss['SVC(probability=True)']} for SVC(probability=True)",
        f"and {loss['CalibratedClassifierCV']} for CalibratedClassifierCV",
        f"{len(y):,} vehicles",
        "those of pwcstats are consistent with the diagonal",
    ]
    (readme,) = re.findall(r'<img src="docs/_static/hero.svg" alt="([^"]*)"', (ROOT / "README.md").read_text("utf-8"))
    page = (ROOT / "docs" / "index.rst").read_text("utf-8")
    described = re.findall(r":alt: (.*?)\n(?=\s*(?::\w|\n))", page, re.S)
    texts = [readme, *(" ".join(text.split()) for text in described if "log loss" in text)]
    assert len(texts) == 1 + len(PICTURES)
    for text in texts:
        for part in expected:
            assert part in text
