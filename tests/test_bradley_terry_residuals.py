"""Residuals of Bradley–Terry fits, compared with R and with their definitions."""

import numpy as np
import pandas as pd
import pytest

from pwcstats import BradleyTerry, InputError, datasets

from .conftest import stored
from .parity import BRADLEY_TERRY

KINDS = ["pearson", "deviance", "response", "working"]
WINS = [[0, 30, 25, 28], [10, 0, 18, 22], [15, 22, 0, 24], [12, 18, 16, 0]]


@pytest.fixture(params=["stored", pytest.param("live", marks=pytest.mark.against_r)])
def from_r(request, run_r):
    name = "bradley_terry_reports"
    return stored(name) if request.param == "stored" else run_r(name)


def close(ours, theirs, name="residuals"):
    tolerance = BRADLEY_TERRY[name].tolerance
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def baseball(theirs):
    games = pd.DataFrame(theirs["data"])
    model = BradleyTerry.from_comparisons(games, first="home.team", second="away.team", wins=["home.wins", "away.wins"])
    return model.fit(order_effect=True)


def chameleons(theirs):
    model = BradleyTerry.from_comparisons(winner=theirs["winner"], loser=theirs["loser"])
    z = pd.DataFrame({name: theirs[name] for name in ("ch.res", "prop.main")}, index=theirs["names"])
    return model.fit(covariates=z)


def weighted(theirs):
    games = pd.DataFrame(theirs["data"])
    games["who"] = games["result"].map({1: "first", 0: "second", 0.5: "tie"})
    model = BradleyTerry.from_comparisons(games, "who", first="first", second="second", weight="weight", tie="tie")
    return model.fit(ties="half", covariates=pd.DataFrame({"size": theirs["size"]}, index=list("abcdef")))


@pytest.mark.parametrize("make", [baseball, chameleons, weighted])
class TestAgainstR:
    @pytest.mark.parametrize("kind", KINDS)
    def test_by_comparison(self, from_r, make, kind):
        theirs = from_r[make.__name__]
        close(make(theirs).resid(kind), theirs[kind])

    def test_grouped(self, from_r, make):
        theirs = from_r[make.__name__]
        res = make(theirs)
        labels = theirs["names"] if make is chameleons else res.model.items
        close(res.resid("working", by="item")[labels], theirs["grouped"], "grouped residuals")


@pytest.fixture(scope="module")
def votes():
    return datasets.load("arena").frame


@pytest.fixture(scope="module")
def davidson(votes):
    model = BradleyTerry.from_comparisons(votes, first="first", second="second", winner="winner", tie="tie")
    return model.fit(ties="davidson", order_effect=True)


def test_points_of_davidsons_model(davidson, votes):
    """From predicted probabilities, row by row."""
    win, tie = (davidson.predict(votes["first"], votes["second"], outcome=outcome) for outcome in ("win", "tie"))
    points = votes["winner"].map({"first": 1.0, "tie": 0.5, "second": 0.0}).to_numpy()
    expected = win + tie / 2
    variance = win + tie / 4 - expected**2
    np.testing.assert_allclose(davidson.resid("response"), points - expected, atol=1e-12)
    np.testing.assert_allclose(davidson.resid("pearson"), (points - expected) / np.sqrt(variance), atol=1e-10)
    np.testing.assert_allclose(davidson.resid("working"), (points - expected) / variance, atol=1e-10)
    p = np.where(points == 1.0, win, np.where(points == 0.5, tie, 1 - win - tie))
    sign = np.where(points < expected, -1, 1)
    np.testing.assert_allclose(davidson.resid("deviance"), sign * np.sqrt(-2 * np.log(p)), atol=1e-10)


def test_rows_keep_their_index_and_order(davidson, votes):
    assert davidson.resid().index.equals(votes.index)
    shuffled = votes.sample(frac=1, random_state=0)
    model = BradleyTerry.from_comparisons(shuffled, first="first", second="second", winner="winner", tie="tie")
    again = model.fit(ties="davidson", order_effect=True).resid()
    assert again.index.equals(shuffled.index)
    np.testing.assert_allclose(again[votes.index], davidson.resid(), atol=1e-7)


def test_neutral_rows_keep_their_sides(votes):
    """Who wins in a neutral row does not change the side that the residual describes."""
    neutral = np.arange(len(votes)) % 3 == 0
    model = BradleyTerry.from_comparisons(
        votes.assign(neutral=neutral), first="first", second="second", winner="winner", tie="tie", neutral="neutral"
    )
    found = model.fit(ties="half", order_effect=True).resid("response")
    assert (found[votes["winner"] == "first"] > 0).all()
    assert (found[votes["winner"] == "second"] < 0).all()


def test_counts_are_sums_of_rows():
    games = pd.DataFrame({"i": list("aabbc"), "j": list("bbcca"), "n1": [3, 1, 2, 0, 4], "n2": [2, 2, 1, 2, 3]})
    counts = BradleyTerry.from_comparisons(games, first="i", second="j", wins=["n1", "n2"]).fit()
    rows = [(r.i, r.j, side) for r in games.itertuples() for side, n in (("i", r.n1), ("j", r.n2)) for _ in range(n)]
    single = BradleyTerry.from_comparisons(
        pd.DataFrame(rows, columns=["i", "j", "who"]), "who", first="i", second="j"
    ).fit()
    for by in ("pair", "item"):
        for kind in KINDS:
            np.testing.assert_allclose(counts.resid(kind, by), single.resid(kind, by), atol=1e-7)
    mean = single.resid("response").groupby(np.repeat(np.arange(5), games["n1"] + games["n2"])).mean()
    np.testing.assert_allclose(counts.resid("response"), mean, atol=1e-8)


def test_squares_add_up(davidson):
    np.testing.assert_allclose((davidson.resid("deviance", by="pair") ** 2).sum(), davidson.deviance)
    res = BradleyTerry(WINS).fit()
    np.testing.assert_allclose((res.resid("deviance", by="pair") ** 2).sum(), res.deviance)
    np.testing.assert_allclose((res.resid("pearson", by="pair") ** 2).sum(), res.pearson_chi2)


def test_free_abilities_leave_no_residual_of_items():
    res = BradleyTerry(WINS, items=list("abcd")).fit()
    for kind in ("pearson", "response", "working"):
        np.testing.assert_allclose(res.resid(kind, by="item"), 0.0, atol=1e-8)
    assert res.resid(by="item").index.tolist() == list("abcd")
    assert res.resid(by="item").name == "pearson"


def test_pairs_by_order():
    games = pd.DataFrame({"i": list("aabbcc"), "j": list("bbccaa"), "who": list("abbcca"), "n": [0, 1, 0, 1, 0, 1]})
    model = BradleyTerry.from_comparisons(games, "who", first="i", second="j", neutral="n")
    found = model.fit().resid(by="pair")
    assert found.index.names == ["first", "second", "neutral"]
    assert found.index.is_unique


def test_rows_without_weight_are_missing():
    games = pd.DataFrame({"won": list("abcab"), "lost": list("bcabz"), "w": [1.0, 2.0, 1.0, 0.5, 0.0]})
    found = BradleyTerry.from_comparisons(games, "won", "lost", "w").fit().resid()
    assert found.isna().tolist() == [False] * 4 + [True]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "raw"}, "kind must be one of 'pearson', 'deviance', 'response', 'working'"),
        ({"by": "row"}, "by must be one of 'comparison', 'pair', 'item'"),
        ({}, "by='comparison' needs data with one row per comparison, got a matrix of wins; use by='pair'"),
    ],
)
def test_errors(options, message):
    with pytest.raises(InputError, match=message):
        BradleyTerry(WINS).fit().resid(**options)
