"""The data sets that ship with both packages: what they contain, where they come from, and what they show."""

import re
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pwcstats import BradleyTerry, compare_methods, detect_separation
from pwcstats.datasets import catalogue, load, shipped

ROOT = Path(__file__).parents[1]
TOOLS = ROOT / "tools"


@pytest.fixture
def make_data(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    import make_data

    yield make_data
    del sys.modules["make_data"]


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("docs/data.rst", r"^(\w+): .*\n-+$"),
        ("R/R/data.R", r'^"(\w+)"$'),
    ],
)
def test_every_set_is_documented(path, pattern):
    assert re.findall(pattern, (ROOT / path).read_text(encoding="utf-8"), flags=re.M) == list(shipped.SOURCES)


@pytest.mark.parametrize("pattern", ["pwcstats/datasets/data/*.csv", "pwcstats/datasets/data/*.rst", "R/data/*.rda"])
def test_every_set_has_its_files(pattern):
    assert sorted(path.stem for path in ROOT.glob(pattern)) == list(shipped.SOURCES)


@pytest.mark.parametrize("name", shipped.SOURCES)
def test_no_other_package_and_no_r(monkeypatch, tmp_path, name):
    monkeypatch.setenv("PATH", str(tmp_path))
    bunch = load(name)
    row = catalogue().set_index("name").loc[name]
    assert (row["package"], row["installed"]) == ("pwcstats", True)
    assert len(bunch.frame) == row["rows"]
    assert not bunch.frame.isna().to_numpy().any()


@pytest.mark.parametrize("name", shipped.SOURCES)
def test_descriptions(name):
    bunch = load(name)
    rows, columns = bunch.frame.shape
    sizes = (f"{rows} rows, {columns} columns", f"{rows} rows and {columns} columns")
    assert any(size in bunch.DESCR for size in sizes)
    assert "\nSource: " in bunch.DESCR
    assert "\nLicence: " in bunch.DESCR
    if name != "citations":
        assert all(f"\n{column} " in bunch.DESCR for column in bunch.frame)


@pytest.mark.parametrize("name", shipped.SOURCES)
def test_every_number_is_read_exactly(name):
    text = pd.read_csv(files("pwcstats.datasets") / "data" / f"{name}.csv", dtype=str)
    for column, values in load(name).frame.reset_index().items():
        if column in shipped.SOURCES[name].text:
            assert values.tolist() == text[column].tolist()
        elif column in text:
            assert values.tolist() == [float(value) for value in text[column]]


def test_types():
    assert {dtype.kind for dtype in load("arena").frame.dtypes} == {"O"}
    assert [dtype.kind for dtype in load("classifier_scores").frame.dtypes] == ["O", "O", "i", "i", "f"]
    assert {dtype.kind for dtype in load("citations").frame.dtypes} == {"i"}
    assert [dtype.kind for dtype in load("endometrial").frame.dtypes] == ["i", "i", "f", "i"]


def test_citations_are_wins_of_the_row():
    bunch = load("citations")
    assert bunch.counts is bunch.frame
    assert [bunch.frame.index.name, bunch.frame.columns.name] == ["cited", "citing"]
    assert bunch.frame.loc["Biometrika", "Comm Statist"] == 730
    # Agresti (2002), page 448, has the same order.
    params = BradleyTerry(bunch.frame).fit().params
    assert params.sort_values(ascending=False).index.tolist() == ["JRSS-B", "Biometrika", "JASA", "Comm Statist"]


def test_endometrial_has_features_and_classes():
    bunch = load("endometrial")
    assert bunch.feature_names == bunch.data.columns.tolist() == ["NV", "PI", "EH"]
    pd.testing.assert_frame_equal(pd.concat([bunch.data, bunch.target], axis=1), bunch.frame)
    assert bunch.target_names.tolist() == [0, 1]
    assert bunch.target.value_counts().to_dict() == {0: 49, 1: 30}
    row = catalogue().set_index("name").loc["endometrial"]
    assert row[["rows", "features", "classes"]].tolist() == [79, 3, 2]
    # Heinze and Schemper's: quasi-complete separation in NV.
    found = detect_separation(bunch.target, bunch.data.assign(const=1.0))
    assert (found.kind, found.columns) == ("quasi-complete", ["NV"])
    assert bunch.frame.query("NV == 1")["HG"].tolist() == [1] * 13


def test_arena_is_made_again(make_data):
    text = make_data.arena().to_csv(index=False, lineterminator="\n")
    assert text == (files("pwcstats.datasets") / "data" / "arena.csv").read_text(encoding="utf-8")


def test_arena_is_described(make_data):
    bunch = load("arena")
    text = " ".join(bunch.DESCR.split())
    best_first = sorted(make_data.ABILITIES.items(), key=lambda item: -item[1])
    assert ", ".join(f"{item} {ability:.2f}" for item, ability in best_first) in text
    assert f"an advantage of {make_data.ORDER_EFFECT:g}, " in text
    assert f"log(nu) is {make_data.TIE:g}." in text
    assert f"standard deviation {make_data.TASTE:g}." in text
    assert f"seed {make_data.SEED}." in text
    votes = bunch.frame["user"].value_counts()
    assert (len(votes), votes.min(), votes.max()) == (160, 1, 94)
    assert set(bunch.frame["first"]) == set(bunch.frame["second"]) == set(make_data.ABILITIES)
    assert set(bunch.frame["winner"]) == {"first", "second", "tie"}
    assert (bunch.frame.groupby("user")["language"].nunique() == 1).all()


def test_arena_shows_what_it_should(make_data):
    """The truth is found, clusters matter, and the sets of ranks overlap in part."""
    model = BradleyTerry.from_comparisons(
        load("arena").frame, first="first", second="second", winner="winner", tie="tie"
    )
    plain = model.fit(ties="davidson", order_effect=True)
    res = model.fit(ties="davidson", order_effect=True, cov_type="cluster", cov_kwds={"groups": "user"})
    truth = pd.Series(make_data.ABILITIES)
    assert np.corrcoef(res.params[truth.index], truth)[0, 1] > 0.98
    low, high = res.conf_int().loc["(order)"]
    assert 0 < low < make_data.ORDER_EFFECT < high
    assert (res.bse / plain.bse)[truth.index].mean() > 1.15
    ranks = res.ranks()
    true_ranks = truth.rank(ascending=False)[ranks.index]
    assert ((ranks["rank_low"] <= true_ranks) & (true_ranks <= ranks["rank_high"])).all()
    width = ranks["rank_high"] - ranks["rank_low"]
    assert 1 <= width.min() < width.max() < 11


def test_scores_are_complete():
    frame = load("classifier_scores").frame
    assert frame.groupby(["method", "dataset", "repeat", "fold"]).size().tolist() == [1] * 500
    assert [frame[column].nunique() for column in frame.columns[:-1]] == [5, 10, 2, 5]
    assert frame["score"].between(0.4, 1).all()


def test_scores_give_a_verdict():
    frame = load("classifier_scores").frame
    all_sets = compare_methods(frame)
    assert all_sets.test == "wilcoxon"
    assert 0 < all_sets.pairs["significant"].sum() < len(all_sets.pairs)
    one = compare_methods(frame[frame["dataset"] == "vehicle"])
    assert one.test == "corrected_resampled_t"
    assert one.table["letters"].to_dict() == {"lda": "a", "svm": "ab", "forest": "ab", "neighbours": "b", "bayes": "c"}
