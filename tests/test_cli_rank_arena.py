"""``pwcstats rank`` on battles of an arena: Parquet files, patterns, column habits and the options of the fit."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pwcstats import BradleyTerry
from pwcstats.datasets import load
from tests.commanding import Shell

NAMES = {"first": "model_a", "second": "model_b"}
COLUMNS = ("--first", "model_a", "--second", "model_b", "--winner", "winner", "--tie", "tie")


@pytest.fixture
def shell(tmp_path, capsys, monkeypatch):
    return Shell(tmp_path, capsys, monkeypatch)


@pytest.fixture(scope="module")
def battles():
    """The votes with the column names of arenas, and a covariate."""
    votes = load("arena").frame.rename(columns=NAMES)
    rng = np.random.default_rng(1)
    return votes.assign(
        winner=votes["winner"].astype(str).replace(NAMES), length=rng.normal(size=len(votes)).round(1)
    ).astype({"model_a": str, "model_b": str, "user": str, "language": str})


@pytest.fixture(scope="module")
def parquet(battles, tmp_path_factory):
    file = tmp_path_factory.mktemp("arena") / "battles.parquet"
    pl.DataFrame(battles.to_dict("list")).write_parquet(file)
    return str(file)


@pytest.fixture(scope="module")
def model(battles):
    return BradleyTerry.from_comparisons(battles)


def write(frame, path):
    pl.DataFrame(frame.to_dict("list")).write_parquet(path)
    return str(path)


def check(document, board):
    """The items of a document are those of a leaderboard; an engine may add up in another order."""
    found, expected = pd.DataFrame(document["items"]), board.frame.reset_index(drop=True)
    assert list(found) == list(expected)
    texts = [name for name in ("category", "item") if name in expected]
    assert found[texts].to_numpy().tolist() == expected[texts].to_numpy().tolist()
    numbers = expected.columns.drop(texts)
    np.testing.assert_allclose(
        found[numbers].astype(float), expected[numbers].astype(float), rtol=1e-7, atol=1e-9, equal_nan=True
    )


class TestTheWholeCommand:
    WORDS = (*COLUMNS, "--order-effect", "--cluster", "user", "--scale", "elo", "--by", "language")

    @pytest.fixture
    def fit(self, model):
        return model.fit(ties="davidson", order_effect=True, cov_type="cluster", cov_kwds={"groups": "user"})

    def test_document(self, shell, parquet, fit):
        document = shell.document("rank", parquet, *self.WORDS)
        check(document, fit.leaderboard("elo", by="language"))
        assert document["categories"] == ["overall", "English", "German", "Spanish"]
        assert (document["cluster"], document["n_clusters"]) == ("user", 160)
        assert (document["scale"], document["anchor"], document["anchor_rating"]) == ("elo", None, 1000)
        assert document["order_effect"]["estimate"] == pytest.approx(fit.params["(order)"])
        assert document["log_tie_parameter"]["std_error"] == pytest.approx(fit.bse["(tie)"])
        assert document["log_likelihood"] == pytest.approx(fit.llf)
        assert (document["ties"], document["left_out"], document["contest"]) == ("davidson", [], [])

    def test_text(self, shell, parquet):
        lines = shell.ok("rank", parquet, *self.WORDS).splitlines()
        assert lines[0] == "Leaderboard of 12 items, 3000 comparisons: rating (Elo's scale, mean 1000)"
        assert lines[1].split() == ["overall", "English", "German", "Spanish"]
        assert lines[3].split()[:4] == ["Maple", "1", "(1–2)", "1235"]
        assert lines[15] == "order effect: 0.2804 (standard error 0.0479)"
        assert lines[16] == "log tie parameter: -0.7167 (standard error 0.0530)"
        assert "note: standard errors: clustered (160 groups)" in lines
        # Warnings about one category are notes, in the words of the program.
        assert any(line.startswith("note: Spanish: --cluster has 23 clusters of very unequal size") for line in lines)

    def test_csv_files_give_the_same(self, shell, battles, parquet):
        file = shell.write("battles.csv", battles.to_csv(index=False))
        one, other = (shell.document("rank", path, *self.WORDS) for path in (file, parquet))
        ratings = [[row["rating"] for row in document["items"]] for document in (one, other)]
        np.testing.assert_allclose(*ratings, rtol=1e-9)


class TestFiles:
    def test_patterns_and_several_files(self, shell, battles, model):
        board = model.fit(ties="davidson").leaderboard()
        (shell.folder / "more").mkdir()
        # Files may have further columns, and another order of them.
        frames = (battles[:1000], battles[1000:1500], battles[1500:].assign(year=2026)[["year", *battles]])
        files = [
            write(frame, shell.folder / name)
            for frame, name in zip(frames, ("a.parquet", "b.PQ", "more/c.parquet"), strict=True)
        ]
        check(shell.document("rank", *files), board)
        check(shell.document("rank", shell.path("**/*.parquet"), shell.path("*.PQ")), board)
        tables = [shell.write(f"{k}.csv", frame.to_csv(index=False)) for k, frame in enumerate(frames)]
        check(shell.document("rank", *tables), board)
        check(shell.document("rank", shell.path("[0-9].csv")), board)

    def test_a_file_whose_name_looks_like_a_pattern(self, shell, battles):
        file = write(battles, shell.folder / "battles[1].parquet")
        assert shell.document("rank", file)["n_comparisons"] == 3000

    def test_a_parquet_file_without_extension(self, shell, battles):
        assert shell.document("rank", write(battles, shell.folder / "battles"))["n_comparisons"] == 3000

    def test_numbers_of_different_types(self, shell):
        one = pd.DataFrame({"winner": [1, 2, 10], "loser": [2, 10, 1], "weight": [1, 2, 1]})
        files = [
            write(frame, shell.folder / f"{k}.parquet") for k, frame in enumerate((one, one.astype({"weight": float})))
        ]
        document = shell.document("rank", *files, "--weight", "weight", "--scale", "elo", "--anchor", "10=1500")
        assert document["n_comparisons"] == 8
        assert [row["rating"] for row in document["items"] if row["item"] == 10] == [1500]
        assert document["anchor"] == 10

    def test_without_polars(self, shell, parquet, monkeypatch):
        monkeypatch.setitem(sys.modules, "polars", None)
        assert shell.refused("rank", parquet) == (
            "pwcstats: Parquet files need polars; install it with pip install 'pwcstats[parquet]'.\n"
        )

    def test_bad_files(self, shell, battles, parquet):
        csv = shell.write("a.csv", battles.to_csv(index=False))
        assert shell.refused("rank", csv, parquet).endswith(
            f"must all be Parquet or all be CSV, got {parquet} and {csv}; convert one of them.\n"
        )
        assert "no file matches the pattern" in shell.refused("rank", shell.path("*.none"))
        missing = shell.path("none.parquet")
        assert shell.refused("rank", missing) == f"pwcstats: No such file or directory: {missing}\n"
        assert f"No such file or directory: {missing}" in shell.refused("rank", parquet, missing)
        assert f"{csv} was given twice" in shell.refused("rank", csv, shell.path("*.csv"))
        no_parquet = shell.write("text.parquet", "winner,loser\na,b\n")
        assert f"{no_parquet} cannot be read as Parquet (" in shell.refused("rank", no_parquet)
        empty = write(battles[:0].astype(object), shell.folder / "empty.parquet")
        assert "there is no comparison in the data" in shell.refused("rank", empty, *COLUMNS)
        assert "--sep is for CSV files" in shell.refused("rank", parquet, "--sep", ";")

    def test_files_with_other_columns(self, shell, battles, parquet):
        other = write(battles.rename(columns={"winner": "Winner"}), shell.folder / "other.parquet")
        message = shell.refused("rank", parquet, other)
        assert f"{other} must have the columns (winner), got (user, language, " in message
        assert message.endswith("Rename 'Winner' to 'winner'.\n")
        texts = write(battles.assign(length="long"), shell.folder / "texts.parquet")
        message = shell.refused("rank", parquet, texts, "--contest", "length")
        assert f"column length must have the same type in all files, got Float64 in {parquet} and String in" in message

    def test_types_of_text(self, shell, battles, parquet):
        frame = pl.DataFrame(battles.to_dict("list")).with_columns(pl.col("model_a").cast(pl.Categorical))
        frame.write_parquet(shell.folder / "other.parquet")
        assert shell.document("rank", parquet, shell.path("other.parquet"))["n_comparisons"] == 6000

    def test_rows_of_several_csv_files(self, shell):
        one = shell.write("one.csv", "winner,loser,n\na,b,1\nb,a,1\n")
        two = shell.write("two.csv", "winner,loser,n\na,b,1\nb,b,x\n")
        assert f"row 2 of {two} compares b with itself" in shell.refused("rank", one, two)
        message = shell.refused("rank", one, two, "--weight", "n")
        assert f"{two}: column n must hold numbers, got 'x' in row 2" in message
        shell.stdin("winner,loser,n\na,b,1\nb,a,1\n")
        assert shell.document("rank", one, "-")["n_comparisons"] == 4

    def test_tables_of_wins_are_one_file(self, shell):
        one, two = (shell.write(f"{name}.csv", ",a,b\na,0,3\nb,1,0\n") for name in ("one", "two"))
        assert "a K x K table of wins must be one file, got 2 files" in shell.refused("rank", one, two)
        assert "a table of proportions must be one file" in shell.refused("rank", one, two, "--counts", two)


class TestColumns:
    def test_habits(self, shell, battles, parquet, model):
        board = model.fit(ties="davidson").leaderboard()
        check(shell.document("rank", parquet), board)
        check(shell.document("rank", shell.write("battles.csv", battles.to_csv(index=False))), board)

    def test_flags_of_ties_are_found_in_text(self, shell):
        file = shell.write("games.csv", "winner,loser,tie\na,b,no\nb,a,no\na,b,yes\n")
        assert shell.document("rank", file)["ties"] == "davidson"

    def test_numbers_of_wins(self, shell):
        frame = pd.DataFrame({"player1": list("aab"), "player2": list("bcc"), "win1": [3, 1, 2], "win2": [1, 2, 2]})
        board = BradleyTerry.from_comparisons(frame).fit().leaderboard()
        file = shell.write("wins.csv", frame.to_csv(index=False))
        check(shell.document("rank", file), board)
        renamed = frame.set_axis(["i", "j", "x", "y"], axis=1).assign(z=[0, 1, 0])
        file = write(renamed, shell.folder / "wins.parquet")
        words = ("rank", file, "--first", "i", "--second", "j")
        check(shell.document(*words, "--wins", "x,y"), board)
        assert shell.document(*words, "--wins", "x,y,z")["ties"] == "davidson"
        assert "--wins must be one of the columns" in shell.refused(*words, "--wins", "x,w")
        assert "two or three columns" in shell.misused(*words, "--wins", "x")
        assert "--wins needs --first and --second" in shell.misused("rank", file, "--wins", "x,y")
        assert "--wins holds the numbers of wins and ties" in shell.refused(*words, "--wins", "x,y", "--winner", "x")

    def test_several_words_for_ties(self, shell, battles):
        words = battles["winner"].where(battles["winner"] != "tie", np.where(battles["length"] > 0, "tie", "both bad"))
        file = write(battles.assign(winner=words), shell.folder / "battles.parquet")
        both = shell.document("rank", file, *COLUMNS, "--tie", "both bad")
        assert both["log_tie_parameter"]["estimate"] == pytest.approx(-0.7265, abs=1e-4)
        assert "--winner must be an item, or the name of its column" in shell.refused("rank", file, *COLUMNS)
        games = shell.write("games.csv", "winner,loser\na,b\nb,a\n")
        assert "--tie must be one column, got (x, y)" in shell.refused("rank", games, "--tie", "x", "--tie", "y")

    @pytest.mark.parametrize("option", ["--cluster", "--by", "--weight", "--first"])
    def test_unknown_columns(self, shell, parquet, option):
        words = ("--second", "model_b") if option == "--first" else ()
        message = shell.refused("rank", parquet, option, "languge", *words)
        assert message.startswith(f"pwcstats: {option} must be one of the columns of {parquet}, (user, ")
        assert message.endswith("got 'languge'. Did you mean 'language'?\n")

    def test_no_habit_fits(self, shell):
        file = write(pd.DataFrame({"won": ["a"], "lost": ["b"]}), shell.folder / "games.parquet")
        assert "must have the columns (winner, loser), got (won, lost)" in shell.refused("rank", file)
        both = shell.write("both.csv", "model_a,model_b,left,right,winner\na,b,a,b,a\n")
        message = shell.refused("rank", both)
        assert "can be read in several ways; give one of them: --winner winner, --first model_a" in message


class TestModel:
    @pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half"])
    def test_ties(self, shell, parquet, model, ties):
        check(shell.document("rank", parquet, "--ties", ties), model.fit(ties=ties).leaderboard())

    def test_no_ties(self, shell, battles, parquet):
        assert "does not allow ties; set --ties davidson" in shell.refused("rank", parquet, "--ties", "none")
        file = write(battles[battles["winner"] != "tie"], shell.folder / "battles.parquet")
        assert shell.document("rank", file, *COLUMNS)["ties"] == "none"
        assert "leave out --ties davidson" in shell.refused("rank", file, "--ties", "davidson")

    @pytest.mark.parametrize(
        ("method", "words", "options"),
        [
            ("firth", (), {}),
            ("ridge", ("--prior-sd", "0.5"), {"prior_sd": 0.5}),
            ("ghost", (), {}),
            ("ghost", ("--pseudo", "3"), {"pseudo": 3}),
        ],
    )
    def test_methods(self, shell, parquet, model, method, words, options):
        res = model.fit(method, ties="davidson", **options)
        document = shell.document("rank", parquet, "--method", method, *words)
        check(document, res.leaderboard())
        assert document["method"] == method
        assert "\npenalised log-likelihood: " in shell.ok("rank", parquet, "--method", method, *words)

    def test_options_of_other_methods(self, shell, parquet):
        assert "--method ridge needs --prior-sd, " in shell.refused("rank", parquet, "--method", "ridge")
        assert "--prior-sd is for --method ridge, got --method mle" in shell.refused("rank", parquet, "--prior-sd", "1")
        assert "--pseudo is for --method ghost" in shell.misused("rank", parquet, "--pseudo", "1")
        assert "must be a number above 0, got '-1'" in shell.misused("rank", parquet, "--prior-sd", "-1")
        message = shell.refused("rank", parquet, "--method", "firth", "--ties", "rao-kupper")
        assert "--method firth does not support --ties rao-kupper; use --ties davidson" in message

    def test_clusters(self, shell, battles, parquet, model):
        res = model.fit(ties="davidson", cov_type="cluster", cov_kwds={"groups": "user"})
        check(shell.document("rank", parquet, "--cluster", "user"), res.leaderboard())
        few = write(battles.assign(user=[f"u{k % 5}" for k in range(3000)]), shell.folder / "few.parquet")
        code, out, err = shell.run("rank", few, "--cluster", "user")
        assert code == 0
        assert "clustered (5 groups)" in out
        assert err.startswith("pwcstats: warning: --cluster has only 5 clusters: ")
        assert err.count("\n") == 1
        assert "--cluster needs --cov full, got --cov diag" in shell.refused(
            "rank", parquet, "--cluster", "user", "--cov", "diag"
        )

    def test_labels_of_clusters_stay_text(self, shell):
        rows = [f"{'ab'[k % 2]},{'ba'[k % 2]},{g}" for k in range(40) for g in ("01", "1")]
        file = shell.write("games.csv", "\n".join(["winner,loser,g", *rows]) + "\n")
        code, out, _ = shell.run("rank", file, "--cluster", "g")
        assert code == 0
        assert "clustered (2 groups)" in out

    def test_contest_covariates(self, shell, battles, parquet, model):
        res = model.fit(ties="davidson", order_effect=True, contest="length + C(language)")
        words = ("--order-effect", "--contest", "length + C(language)")
        document = shell.document("rank", parquet, *words)
        check(document, res.leaderboard())
        terms = ["C(language)[T.German]", "C(language)[T.Spanish]", "length"]
        assert [row["term"] for row in document["contest"]] == terms
        for row in document["contest"]:
            assert row["estimate"] == pytest.approx(res.params[row["term"]], abs=1e-9)
            assert row["std_error"] == pytest.approx(res.bse[row["term"]], rel=1e-7)
        csv = shell.write("battles.csv", battles.to_csv(index=False))
        repeated = shell.document("rank", csv, "--order-effect", "--contest", "length", "--contest", "C(language)")
        assert repeated["log_likelihood"] == pytest.approx(document["log_likelihood"])
        assert "\nlength: " in shell.ok("rank", parquet, "--contest", "length")
        logs = [shell.document("rank", csv, "--contest", f"{name}(abs(length) + 1)") for name in ("log", "np.log")]
        assert logs[0]["contest"][0]["estimate"] == logs[1]["contest"][0]["estimate"]

    def test_bad_contest_covariates(self, shell, battles, parquet):
        message = shell.refused("rank", parquet, "--contest", "lenght")
        assert message.startswith(f"pwcstats: --contest must use columns of {parquet}, (user, ")
        assert message.endswith("got 'lenght'. Did you mean 'length'?\n")
        assert "the formula of --contest cannot be used" in shell.refused("rank", parquet, "--contest", "length +")
        gaps = battles.assign(length=battles["length"].where(battles.index != 4))
        message = shell.refused("rank", shell.write("gaps.csv", gaps.to_csv(index=False)), "--contest", "length")
        assert "'length', which --contest uses, is missing in 1 of 3000 rows (the first is row 5)" in message

    def test_largest(self, shell, parquet, battles):
        extra = pd.DataFrame({"model_a": ["Yew"], "model_b": ["Maple"], "winner": ["model_a"]})
        file = write(pd.concat([battles[list(extra)], extra]), shell.folder / "battles.parquet")
        message = shell.refused("rank", file)
        assert "drop these items (--largest keeps the 12 items that can be fitted together)" in message
        code, out, err = shell.run("rank", file, "--largest")
        assert code == 0
        assert err.startswith("pwcstats: warning: 1 item of 13 and 1 of 3001 comparisons are left out: ")
        assert "\nnote: without (Yew)\n" in out
        assert shell.document("rank", parquet, "--largest")["left_out"] == []

    def test_covariance(self, shell, parquet, model):
        document = shell.document("rank", parquet, "--cov", "diag")
        check(document, model.fit(ties="davidson", cov="diag").leaderboard())
        assert document["items"][0]["rank_low"] is None
        assert "no rank sets: they need the covariance of all items; fit with --cov full" in document["notes"]
        anchored = shell.document("rank", parquet, "--cov", "diag", "--scale", "elo", "--anchor", "Elm=1000")
        full = shell.document("rank", parquet, "--scale", "elo", "--anchor", "Elm=1000")
        for one, other in zip(anchored["items"], full["items"], strict=True):
            assert one["std_error"] == pytest.approx(other["std_error"], abs=1e-6)
        text = shell.ok("rank", parquet, "--cov", "none", "--order-effect")
        assert "\norder effect: 0.2804\n" in text
        assert "interval" not in text.split("\n")[1]
        assert "--ranks needs --cov full" in shell.misused("rank", parquet, "--ranks", "--cov", "diag")


class TestOutput:
    @pytest.mark.parametrize("scale", ["logit", "elo", "win"])
    def test_scales(self, shell, parquet, model, scale):
        board = model.fit(ties="davidson").leaderboard(scale, alpha=0.1)
        check(shell.document("rank", parquet, "--scale", scale, "--alpha", "0.1"), board)

    def test_anchors(self, shell, parquet, model):
        res = model.fit(ties="davidson")
        words = ("rank", parquet, "--scale", "elo", "--anchor")
        check(shell.document(*words, "1500"), res.leaderboard("elo", 1500))
        check(shell.document(*words, "Maple=1200"), res.leaderboard("elo", {"Maple": 1200}))
        assert "--anchor must be one of the items" in shell.refused(*words, "Mapel=1200")
        assert "Did you mean 'Maple'?" in shell.refused(*words, "Mapel=1200")
        for wrong in ("Maple", "Maple=", "Maple=inf", "nan"):
            assert "must be a rating, or an item and its rating as in a=1200" in shell.misused(*words, wrong)
        message = shell.refused("rank", parquet, "--anchor", "1500")
        assert "--anchor is a rating, so it needs --scale elo, got --scale logit" in message

    def test_categories(self, shell, battles, parquet):
        one = write(battles.assign(language="English"), shell.folder / "one.parquet")
        message = shell.refused("rank", one, "--by", "language")
        assert "--by must have at least 2 categories, got 'English' in every row" in message
        wins = shell.write("wins.csv", ",a,b\na,0,3\nb,1,0\n")
        assert "--by must be one of the columns" in shell.refused("rank", wins, "--by", "language")

    def test_top(self, shell, parquet):
        document = shell.document("rank", parquet, "--top", "3")
        assert [row["item"] for row in document["items"]] == ["Maple", "Willow", "Birch"]
        assert document["n_items"] == 12
        assert "note: the best 3 of 12 items" in shell.ok("rank", parquet, "--top", "3")
        assert "whole number of at least 1, got '0'" in shell.misused("rank", parquet, "--top", "0")

    def test_all_rows_are_printed(self, shell):
        rng = np.random.default_rng(0)
        pairs = [rng.choice(150, 2, replace=False) for _ in range(6000)]
        file = shell.write("games.csv", "winner,loser\n" + "".join(f"i{a},i{b}\n" for a, b in pairs))
        lines = shell.ok("rank", file).splitlines()
        assert sum(" i" in line for line in lines[2:152]) == 150

    @pytest.mark.parametrize(
        ("name", "extension", "start"),
        [
            ("text", "txt", "Leaderboard of 12 items"),
            ("markdown", "md", "| rank | ranks | item |"),
            ("html", "html", "<p>Leaderboard of 12 items"),
            ("latex", "tex", "\\begin{tabular}"),
            ("csv", "csv", "rank,rank_low,rank_high,item,games,ability,"),
        ],
    )
    def test_formats(self, shell, parquet, name, extension, start):
        text = shell.ok("rank", parquet, "--format", name)
        assert text.startswith(start)
        file = shell.path(f"board.{extension}")
        assert shell.ok("rank", parquet, "--out", file) == ""
        with open(file, encoding="utf-8", newline="") as stream:
            assert stream.read() == text
        shell.ok("rank", parquet, "--out", file, "--format", "html")
        with open(file, encoding="utf-8") as stream:
            assert stream.read().startswith("<p>")
        if name != "csv":
            assert "log tie parameter: -0.7265 (standard error 0.0502)" in text.replace("$-$", "-")

    def test_json_by_extension(self, shell, parquet):
        shell.ok("rank", parquet, "--out", shell.path("board.json"))
        assert (shell.folder / "board.json").read_text().startswith('{\n  "method": "mle"')
        assert "--json and --format exclude each other" in shell.misused("rank", parquet, "--json", "--format", "csv")

    def test_formulas_of_spreadsheets(self, shell):
        file = shell.write("games.csv", "winner,loser,by\n=a,b,+x\nb,=a,+x\n=a,b,y\nb,=a,y\n")
        assert "\n'+x,1,1,2,'=a," in shell.ok("rank", file, "--format", "csv", "--guard-formulas", "--by", "by")
        assert ",'=a," in shell.ok("rank", file, "--format", "csv", "--guard-formulas")
        assert ",=a," in shell.ok("rank", file, "--format", "csv")
        assert "--guard-formulas needs --format csv" in shell.misused("rank", file, "--guard-formulas")

    def test_picture(self, shell, parquet):
        shell.ok("rank", parquet, "--scale", "elo", "--by", "language", "--top", "5", "--plot", shell.path("a.svg"))
        picture = (shell.folder / "a.svg").read_text()
        assert "Birch" in picture or "svg" in picture


def test_counts_and_options_of_rows(shell):
    used = shell.misused("rank", "r.csv", "--counts", "n.csv", "--order-effect")
    assert "--counts needs a table of proportions, and --order-effect a table with one row" in used
