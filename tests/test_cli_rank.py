"""``pwcstats rank`` gives the same results as `BradleyTerry`."""

import numpy as np
import pandas as pd
import pytest

from pwcstats import BradleyTerry
from pwcstats.datasets import load
from tests.commanding import Shell

NAMES = ["owl", "cat", "dog"]
WINS = pd.DataFrame([[0, 7, 9], [3, 0, 6], [1, 4, 0]], index=NAMES, columns=NAMES)
GAMES = pd.DataFrame(
    [
        ("01", "1", "no", "01"),
        ("1", "b", "no", "b"),
        ("b", "01", "no", "b"),
        ("01", "b", "yes", "01"),
        ("1", "01", "no", "1"),
    ]
    * 2
    + [("b", "1", "no", "1"), ("01", "1", "no", "1"), ("01", "b", "yes", "b")],
    columns=["winner", "loser", "draw", "home"],
)


@pytest.fixture
def shell(tmp_path, capsys, monkeypatch):
    return Shell(tmp_path, capsys, monkeypatch)


def check(document, res, alpha=0.05):
    expected = res.abilities(alpha=alpha).sort_values("ability", ascending=False)
    found = pd.DataFrame(document["items"]).set_index("item")
    assert list(found.index) == list(expected.index)
    # The leaderboard centres the abilities again.
    np.testing.assert_allclose(found[expected.columns].astype(float), expected, rtol=1e-9, atol=1e-12)
    assert document["log_likelihood"] == res.llf


def test_a_table_of_wins(shell):
    file = shell.write("wins.csv", WINS.to_csv())
    document = shell.document("rank", file)
    check(document, BradleyTerry(WINS).fit())
    assert (document["n_items"], document["n_comparisons"], document["converged"]) == (3, 30, True)
    text = shell.ok("rank", file)
    lines = text.splitlines()
    assert lines[0] == "Leaderboard of 3 items, 30 comparisons: ability (sum 0)"
    assert [line.split()[2] for line in lines[2:5]] == ["owl", "cat", "dog"]
    assert f"{document['items'][0]['ability']:.2f}" in text
    assert f"log-likelihood: {document['log_likelihood']:.4f}" in lines


def test_proportions_and_counts(shell):
    counts = (WINS + WINS.T).astype(float)
    r = (WINS / counts).where(counts > 0)
    n = shell.write("n.csv", counts.loc[["dog", "owl", "cat"]].to_csv())
    expected = BradleyTerry(WINS).fit()
    document = shell.document("rank", shell.write("r.csv", r.to_csv()), "--counts", n)
    assert [row["item"] for row in document["items"]] == ["owl", "cat", "dog"]
    assert document["n_comparisons"] == 30
    # Proportions times counts are wins up to rounding.
    found = [row["ability"] for row in document["items"]]
    np.testing.assert_allclose(found, expected.abilities()["ability"], rtol=0, atol=1e-12)
    row = shell.write("row.csv", "owl/cat,owl/dog,cat/dog\n0.7,0.9,0.6\n")
    ns = shell.write("ns.csv", "owl/cat,owl/dog,cat/dog\n10,10,10\n")
    condensed = shell.document("rank", row, "--counts", ns)
    np.testing.assert_allclose([item["ability"] for item in condensed["items"]], found, rtol=0, atol=1e-12)
    # The pair of dog and owl was not compared.
    n0 = shell.write("n0.csv", counts.where(r.notna() & ~r.isin([0.9, 0.1]), 0).to_csv())
    r0 = shell.write("r0.csv", r.mask(r.isin([0.9, 0.1])).to_csv())
    chain = {item["item"]: item["ability"] for item in shell.document("rank", r0, "--counts", n0)["items"]}
    assert chain["owl"] - chain["cat"] == pytest.approx(np.log(7 / 3), abs=1e-9)


def test_bad_proportions_and_counts(shell):
    r = shell.write("r.csv", ",a,b\na,,0.7\nb,0.3,\n")
    n = shell.write("n.csv", ",a,b\na,,4\nb,5,\n")
    assert "--counts must be symmetric, got 4.0 and 5.0 for the pair a/b" in shell.refused("rank", r, "--counts", n)
    wins = shell.write("wins.csv", ",a,b\na,0,3\nb,1,0\n")
    n = shell.write("n.csv", ",a,b\na,,4\nb,4,\n")
    assert "r must be within [0, 1], got 3" in shell.refused("rank", wins, "--counts", n)
    assert "only one of FILE and --counts can be stdin" in shell.refused("rank", "-", "--counts", "-")
    samples = shell.write("samples.csv", "a/b\n0.7\n0.6\n")
    assert "r must be the pairs of one sample, got 2 samples" in shell.refused("rank", samples, "--counts", n)
    used = shell.misused("rank", r, "--counts", n, "--winner", "w")
    assert "--counts needs a table of proportions, and --winner a table with one row per comparison" in used


def test_an_empty_diagonal(shell):
    text = WINS.astype(object).mask(np.eye(3, dtype=bool)).to_csv()
    check(shell.document("rank", shell.write("wins.csv", text)), BradleyTerry(WINS).fit())


def test_comparisons_keep_labels_as_they_are(shell):
    games = GAMES[GAMES["draw"] == "no"]
    file = shell.write("games.csv", games.to_csv(index=False))
    res = BradleyTerry.from_comparisons(games, winner="winner", loser="loser").fit()
    document = shell.document("rank", file)
    check(document, res)
    assert sorted(row["item"] for row in document["items"]) == ["01", "1", "b"]
    check(shell.document("rank", file, "--alpha", "0.2", "--method", "firth"), _firth(games), 0.2)
    renamed = shell.write("renamed.csv", games.rename(columns={"winner": "w", "loser": "l"}).to_csv(index=False))
    check(shell.document("rank", renamed, "--winner", "w", "--loser", "l"), res)
    assert "must have the columns (winner, loser)" in shell.refused("rank", renamed)
    shell.stdin("x,y\na,b\n")
    assert "stdin must have the columns (winner, loser)" in shell.refused("rank", "-")


def _firth(games):
    return BradleyTerry.from_comparisons(games, winner="winner", loser="loser").fit("firth")


@pytest.mark.parametrize("ties", ["davidson", "half"])
def test_ties(shell, ties):
    file = shell.write("games.csv", GAMES.to_csv(index=False))
    model = BradleyTerry.from_comparisons(GAMES, winner="winner", loser="loser", tie=("draw", "yes"))
    res = model.fit(ties=ties)
    document = shell.document("rank", file, "--tie", "draw", "--ties", ties)
    check(document, res)
    assert ("log_tie_parameter" in document) == (ties == "davidson")
    if ties == "davidson":
        assert document["log_tie_parameter"] == {"estimate": res.params["(tie)"], "std_error": res.bse["(tie)"]}
        assert document == shell.document("rank", file, "--tie", "draw")
        assert "log tie parameter: " in shell.ok("rank", file, "--tie", "draw")


def test_order_effect_and_weights(shell):
    games = GAMES[GAMES["draw"] == "no"].assign(n=lambda frame: np.arange(1.0, len(frame) + 1.0))
    file = shell.write("games.csv", games.to_csv(index=False))
    model = BradleyTerry.from_comparisons(games, winner="winner", loser="loser", weight="n", first="home")
    res = model.fit(order_effect=True)
    document = shell.document("rank", file, "--weight", "n", "--first", "home", "--order-effect")
    check(document, res)
    assert document["order_effect"]["estimate"] == res.params["(order)"]


class TestOutcomes:
    """Tables of both items and who won."""

    def test_as_in_python(self, shell):
        votes = load("arena").frame
        file = shell.write("votes.csv", votes.to_csv(index=False))
        model = BradleyTerry.from_comparisons(votes, first="first", second="second", winner="winner", tie="tie")
        words = ("rank", file, "--first", "first", "--second", "second", "--tie", "tie")
        res = model.fit(ties="davidson", order_effect=True)
        check(shell.document(*words, "--order-effect"), res)
        # Who went first matters only if the order effect is estimated.
        res = model.fit(ties="half")
        document = shell.document(*words, "--ties", "half", "--ranks", "--alpha", "0.1")
        ranks = res.ranks(alpha=0.1)
        assert [row["item"] for row in document["items"]] == ranks.index.tolist()
        for name in ("rank", "rank_low", "rank_high"):
            assert [row[name] for row in document["items"]] == ranks[name].tolist()
        assert shell.ok(*words, "--ranks").split("\n")[1].split()[:3] == ["rank", "ranks", "item"]

    def test_a_column_of_ties_weights_and_names_of_items(self, shell):
        file = shell.write("votes.csv", "a,b,won,drawn,n\nx,y,x,no,2\ny,x,y,no,1\nx,y,,yes,1\nx,y,x,yes,3\n")
        words = ("rank", file, "--first", "a", "--second", "b", "--winner", "won")
        assert "column won must not have missing values" in shell.refused(*words)
        frame = pd.DataFrame({"a": ["x", "y", "x"], "b": ["y", "x", "y"], "won": ["x", "y", "x"], "n": [2.0, 1.0, 3.0]})
        file = shell.write("votes.csv", frame.assign(drawn=["no", "no", "yes"]).to_csv(index=False))
        model = BradleyTerry.from_comparisons(
            frame, "won", first="a", second="b", tie=np.array([False, False, True]), weight="n"
        )
        check(shell.document(*words, "--tie", "drawn", "--weight", "n"), model.fit(ties="davidson"))

    def test_other_names(self, shell):
        file = shell.write("votes.csv", "a,b,winer\nx,y,a\ny,x,draw\n")
        words = ("rank", file, "--first", "a", "--second", "b")
        assert shell.refused(*words).endswith("Rename 'winer' to 'winner'. Or name the column with --winner.\n")
        assert "set --tie to the values that are ties" in shell.refused(*words, "--winner", "winer")


def test_wrong_usage(shell):
    games = shell.write("games.csv", "winner,loser\na,b\nb,a\n")
    assert "--ties needs --tie" in shell.refused("rank", games, "--ties", "half")
    assert "--order-effect needs --first" in shell.refused("rank", games, "--order-effect")
    assert "--first needs --second" in shell.misused("rank", "games.csv", "--first", "a")
    assert "--second needs --first" in shell.misused("rank", "games.csv", "--second", "a")
    words = ("--first", "a", "--second", "b", "--loser", "c")
    assert "--loser and --second exclude each other" in shell.misused("rank", "games.csv", *words)
    assert "between 0 and 1" in shell.misused("rank", "games.csv", "--alpha", "5")


def test_picture(shell):
    file = shell.write("wins.csv", WINS.to_csv())
    shell.ok("rank", file, "--plot", shell.path("a.png"))
    assert (shell.folder / "a.png").read_bytes().startswith(b"\x89PNG")
    assert ".png" in shell.refused("rank", file, "--plot", shell.path("a.doc"))


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("winner,loser\na,b\n", (), "a"),  # no finite estimate
        ("winner,loser\na,a\n", (), "a"),
        ("winner,loser\na,\nb,a\n", (), "column loser must not have missing values, got 1, the first in row 1"),
        ("winner,loser,n\na,b,x\nb,a,1\n", ("--weight", "n"), "column n must hold numbers, got 'x' in row 1"),
        ("winner,loser,n\na,b,-1\nb,a,1\n", ("--weight", "n"), "-1"),
        ("winner,loser,t\na,b,maybe\nb,a,no\n", ("--tie", "t"), "true or false (or 1 or 0), got 'maybe' in row 1"),
        ("winner,loser,t\na,b,no\nb,a,\n", ("--tie", "t"), "got nothing in row 2"),
        (",a,b\na,0,x\nb,1,0\n", (), "column b must hold numbers"),
        (",a,b\na,0,-1\nb,1,0\n", (), "-1"),
    ],
)
def test_bad_comparisons(shell, text, options, message):
    assert message in shell.refused("rank", shell.write("games.csv", text), *options)


@pytest.mark.parametrize("option", ["--winner", "--loser", "--tie", "--weight"])
def test_unknown_columns(shell, option):
    file = shell.write("games.csv", "winner,loser\na,b\nb,a\n")
    expected = f"{option} must be one of the columns of {file}, (winner, loser), got 'n'."
    assert expected in shell.refused("rank", file, option, "n")


def test_two_items(shell):
    document = shell.document("rank", shell.write("wins.csv", ",a,b\na,0,3\nb,1,0\n"))
    assert document["items"][0]["ability"] - document["items"][1]["ability"] == pytest.approx(np.log(3), abs=1e-8)


def test_warnings_are_lines(shell):
    file = shell.write("wins.csv", ",a,b\na,0,1e9\nb,1e-9,0\n")
    code, _, err = shell.run("rank", file)
    assert code == 0
    assert err.startswith("pwcstats: warning: ")
    assert err.count("\n") == 1
