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
# In standard errors. None of 14 estimates was so far off in 200 samples; the largest error was 3.7.
FAR = 5.0


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
    assert [dtype.kind for dtype in load("battles").frame.dtypes] == ["O"] * 5 + ["i"] * 2
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
    assert f"standard deviation {make_data.TASTE:g}." in text
    assert f"seed {make_data.SEED}." in text
    votes = bunch.frame["user"].value_counts()
    assert (len(votes), votes.min(), votes.max()) == (160, 1, 94)
    assert set(bunch.frame["first"]) == set(bunch.frame["second"]) == set(make_data.ABILITIES)
    assert set(bunch.frame["winner"]) == {"first", "second", "tie"}
    assert (bunch.frame.groupby("user")["language"].nunique() == 1).all()


def test_arena_table_of_parameters(make_data):
    """The descriptions print the same table of parameters, averages over the users, and estimated values."""
    english = {**make_data.ABILITIES, "order effect": make_data.ORDER_EFFECT, "log(nu)": make_data.TIE}
    everyone = dict(english)
    for (item, language), effect in make_data.BY_LANGUAGE.items():
        everyone[item] += make_data.LANGUAGES[language] * effect
    estimated = make_data.arena_population().rename({"(order)": "order effect", "(tie)": "log(nu)"})
    expected = {name: [english[name], everyone[name], estimated[name]] for name in english}
    for path in ("pwcstats/datasets/data/arena.rst", "docs/data.rst", "R/R/data.R", "R/man/arena.Rd"):
        text = (ROOT / path).read_text(encoding="utf-8").replace("\\tab", " ").replace("|", " ")
        for name, values in expected.items():
            (found,) = re.findall(rf"^[#' ]*{re.escape(name)} +(-?\d\.\d\d) +(-?\d\.\d\d) +(-?\d\.\d\d)", text, re.M)
            # Two decimals are printed.
            np.testing.assert_allclose(np.array(found, float), values, rtol=0, atol=0.005 + 1e-9)


def fit_arena(votes):
    model = BradleyTerry.from_comparisons(votes, first="first", second="second", winner="winner", tie="tie")
    plain = model.fit(ties="davidson", order_effect=True)
    return plain, model.fit(ties="davidson", order_effect=True, cov_type="cluster", cov_kwds={"groups": "user"})


def test_arena_population(make_data, monkeypatch):
    """What is estimated from very many votes, in a sample of 300 000 votes of 30 000 users."""
    monkeypatch.setattr(make_data, "N_USERS", 30_000)
    monkeypatch.setattr(make_data, "N_VOTES", 300_000)
    population = make_data.arena_population()
    _, res = fit_arena(make_data.arena(seed=1))
    assert ((res.params - population).abs() < FAR * res.bse).all()
    # The sample is large enough to tell these values from the parameters of the simulation.
    assert res.bse.max() < 0.02
    assert abs(res.params["(order)"] - make_data.ORDER_EFFECT) > FAR * res.bse["(order)"]


def test_arena_shows_what_it_should(make_data):
    """What a model can estimate is found, clusters matter, and the sets of ranks overlap in part.

    These statements held for each of the seeds 0 to 199.
    """
    plain, res = fit_arena(load("arena").frame)
    population = make_data.arena_population()
    assert ((res.params - population).abs() < FAR * res.bse).all()
    models = population[list(make_data.ABILITIES)]
    assert np.corrcoef(res.params[models.index], models)[0, 1] > 0.95
    assert res.conf_int().loc["(order)", 0] > 0
    assert (res.bse / plain.bse)[models.index].mean() > 1.05
    ranks = res.ranks()
    true_ranks = models.rank(ascending=False)[ranks.index]
    assert ((ranks["rank_low"] <= true_ranks) & (true_ranks <= ranks["rank_high"])).all()
    assert 2 < (ranks["rank_high"] - ranks["rank_low"]).max() < 10


def test_arena_seed_gives_the_order_of_the_parameters(make_data):
    """As its description says; few other seeds do."""
    _, res = fit_arena(load("arena").frame)
    assert res.ranks().index.tolist() == sorted(make_data.ABILITIES, key=make_data.ABILITIES.get, reverse=True)


def test_battles_are_made_again(make_data):
    text = make_data.battles().to_csv(index=False, lineterminator="\n")
    assert text == (files("pwcstats.datasets") / "data" / "battles.csv").read_text(encoding="utf-8")


def test_battles_are_described(make_data):
    bunch = load("battles")
    text = " ".join(bunch.DESCR.split())
    assert f"standard deviation {make_data.BATTLES_TASTE:g}." in text
    assert f"seed {make_data.BATTLES_SEED}." in text
    votes = bunch.frame["user"].value_counts()
    assert (len(votes), votes.min(), votes.max()) == (250, 1, 90)
    assert set(bunch.frame["winner"]) == {"model_a", "model_b", "tie", "tie (bothbad)"}
    expected = {
        **make_data.STRENGTHS,
        "order effect": make_data.POSITION_EFFECT,
        "length effect": make_data.LENGTH_EFFECT,
        "log(nu)": make_data.BATTLES_TIE,
    }
    for path in ("pwcstats/datasets/data/battles.rst", "docs/data.rst", "R/R/data.R", "R/man/battles.Rd"):
        table = (ROOT / path).read_text(encoding="utf-8").replace("\\tab", " ").replace("|", " ")
        # Other data sets of the same file come before and after it.
        table = table[re.search(r"(^#' )?Battles|^battles:", table, re.M).start() :]
        for name, value in expected.items():
            found = re.findall(rf"^[#' ]*{re.escape(name)} +(-?\d\.\d\d)", table, re.M)
            assert float(found[0]) == value, (path, name)


def test_battles_show_what_they_should(make_data):
    """The verbose model leads until the lengths are taken into account; then the order is the true one."""
    model = BradleyTerry.from_comparisons(load("battles").frame)
    options = {"ties": "davidson", "order_effect": True, "cov_type": "cluster", "cov_kwds": {"groups": "user"}}
    assert model.fit(**options).ranks().drop("Wren").index[0] == "Parrot"
    res = model.fit(contest="np.log(length_a / length_b)", **options)
    ranks = res.ranks()
    order = sorted(make_data.STRENGTHS, key=make_data.STRENGTHS.get, reverse=True)
    assert ranks.drop("Wren").index.tolist() == [item for item in order if item != "Wren"]
    true = ranks.index.map({item: rank for rank, item in enumerate(order, 1)})
    assert ((ranks["rank_low"] <= true) & (true <= ranks["rank_high"])).all()
    low, high = res.conf_int().loc["np.log(length_a / length_b)"]
    assert low < make_data.LENGTH_EFFECT < high


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
