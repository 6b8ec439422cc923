"""Leaderboards of Bradley–Terry fits: scales, anchors, categories and formats."""

import html
import re

import numpy as np
import pandas as pd
import pytest

from pwcstats import BradleyTerry, InputError, PlackettLuce, datasets, plot
from pwcstats.bradley_terry.leaderboard import ELO, SCALES
from tests.plotting import assert_legible, draw

WINS = [[0, 30, 25, 28], [10, 0, 18, 22], [15, 22, 0, 24], [12, 18, 16, 0]]
AWKWARD = ["a|b_c", "<i>50%</i> & more", r"$x^2$ \ {y}", "#1 ~ *star*"]


@pytest.fixture(scope="module")
def votes():
    return datasets.load("arena").frame


@pytest.fixture(scope="module")
def model(votes):
    return BradleyTerry.from_comparisons(votes, first="first", second="second", winner="winner", tie="tie")


@pytest.fixture(scope="module")
def fit(model):
    return model.fit(ties="davidson", order_effect=True)


def small(**options):
    return BradleyTerry(WINS, items=["ant", "bee", "cat", "dog"]).fit(**options)


class TestScales:
    def test_logit_is_what_abilities_says(self, fit):
        board = fit.leaderboard(alpha=0.1).frame.set_index("item")
        expected = fit.abilities(alpha=0.1).loc[board.index]
        pd.testing.assert_frame_equal(board[expected.columns], expected, check_names=False)
        sets = fit.ranks(0.1)
        assert list(board.index) == list(sets.index)
        np.testing.assert_array_equal(board[["rank", "rank_low", "rank_high"]], sets[["rank", "rank_low", "rank_high"]])

    def test_logit_with_a_reference(self, model):
        res = model.fit(ties="davidson", ref="Elm")
        board = res.leaderboard().frame.set_index("item")
        expected = res.abilities().loc[board.index]
        pd.testing.assert_frame_equal(board[expected.columns], expected, check_names=False)
        assert board.loc["Elm", ["ability", "std_error"]].tolist() == [0.0, 0.0]

    @pytest.mark.parametrize("ref", [None, "Elm"])
    def test_elo(self, model, ref):
        res = model.fit(ties="davidson", ref=ref)
        centred = model.fit(ties="davidson").abilities()
        frame = res.leaderboard("elo").frame.set_index("item").loc[centred.index]
        np.testing.assert_allclose(frame["rating"], 1000 + 400 / np.log(10) * centred["ability"], rtol=1e-9)
        np.testing.assert_allclose(frame["conf_high"], 1000 + ELO * centred["conf_high"], rtol=1e-9)
        np.testing.assert_allclose(frame["std_error"], ELO * centred["std_error"], rtol=1e-7)
        np.testing.assert_allclose(res.leaderboard("elo", 0).frame["rating"].mean(), 0.0, atol=1e-9)

    @pytest.mark.parametrize("anchor", [{"Elm": 1200}, ("Elm", 1200.0)])
    def test_elo_with_an_item(self, fit, anchor):
        frame = fit.leaderboard("elo", anchor).frame.set_index("item")
        assert frame.loc["Elm", ["rating", "std_error", "conf_low", "conf_high"]].tolist() == [1200, 0, 1200, 1200]
        test = fit.contrast("Maple", "Elm")
        maple = frame.loc["Maple"]
        np.testing.assert_allclose(maple["rating"], 1200 + ELO * test.estimate)
        np.testing.assert_allclose(maple["std_error"], ELO * test.std_error)
        np.testing.assert_allclose([maple["conf_low"], maple["conf_high"]], 1200 + ELO * np.array(test.conf_int))

    def test_a_difference_of_400_means_odds_of_10_to_1(self):
        res = BradleyTerry([[0, 10], [1, 0]]).fit()
        rating = res.leaderboard("elo").frame["rating"]
        np.testing.assert_allclose(rating.diff().iloc[1], -400.0)

    def test_win_probability_without_ties(self):
        res = small()
        frame = res.leaderboard("win").frame.set_index("item").loc[res.model.items]
        expected = res.abilities()
        for ours, theirs in (("win_probability", "ability"), ("conf_low", "conf_low"), ("conf_high", "conf_high")):
            np.testing.assert_allclose(frame[ours], 1 / (1 + np.exp(-expected[theirs])))
        p = frame["win_probability"]
        np.testing.assert_allclose(frame["std_error"], p * (1 - p) * expected["std_error"])

    def test_win_probability_counts_a_tie_half(self, fit):
        frame = fit.leaderboard("win").frame.set_index("item").loc[fit.model.items]
        d, nu = fit.abilities()["ability"], np.exp(fit.params["(tie)"])
        total = np.exp(d / 2) + np.exp(-d / 2) + nu
        np.testing.assert_allclose(frame["win_probability"], (np.exp(d / 2) + nu / 2) / total)
        step = 1e-6
        up = np.exp((d + step) / 2), np.exp(-(d + step) / 2)
        slope = ((up[0] + nu / 2) / (up[0] + up[1] + nu) - frame["win_probability"]) / step
        np.testing.assert_allclose(frame["std_error"], slope * fit.abilities()["std_error"], rtol=1e-5)

    def test_the_average_item_does_not_depend_on_the_reference(self):
        one, two = (small(ref=ref).leaderboard("win").frame for ref in (None, "bee"))
        pd.testing.assert_frame_equal(one, two)

    def test_games(self, fit, votes):
        frame = fit.leaderboard().frame.set_index("item")
        games = pd.concat([votes["first"], votes["second"]]).value_counts()
        assert frame["games"].to_dict() == games.to_dict()
        assert frame["games"].dtype == np.int64

    def test_covariates(self):
        z = pd.DataFrame({"size": [3.0, 1.0, 1.0, 0.0]}, index=["ant", "bee", "cat", "dog"])
        frame = small(covariates=z).leaderboard("elo").frame
        assert frame["rank"].tolist() == [1, 2, 2, 4]


class TestMissingCovariance:
    @pytest.mark.parametrize("cov", ["diag", "none"])
    def test_no_rank_sets(self, cov):
        board = small(cov=cov).leaderboard("elo")
        assert board.frame["rank_low"].isna().all()
        assert board.frame["rank"].tolist() == [1, 2, 3, 4]
        assert any("no rank sets" in note for note in board.notes)
        assert "ranks" not in repr(board).splitlines()[1]
        assert board.frame["conf_low"].isna().all() == (cov == "none")
        draw(board.plot())

    def test_intervals_of_differences_need_all_covariances(self):
        board = small(cov="diag").leaderboard("elo", {"ant": 0})
        assert board.frame["std_error"].isna().all()
        assert any("no intervals" in note for note in board.notes)
        same = small(cov="diag", ref="ant").leaderboard("elo", {"ant": 0}).frame
        full = small().leaderboard("elo", {"ant": 0}).frame
        np.testing.assert_allclose(same["std_error"], full["std_error"])


class TestCategories:
    def test_each_category_is_a_fit_of_its_own(self, fit, votes):
        board = fit.leaderboard("elo", by="language")
        assert board.categories == ["overall", "English", "German", "Spanish"]
        for language in ("English", "Spanish"):
            part = BradleyTerry.from_comparisons(
                votes[votes["language"] == language], first="first", second="second", winner="winner", tie="tie"
            )
            alone = part.fit(ties="davidson", order_effect=True).leaderboard("elo").frame
            found = board.frame[board.frame["category"] == language].drop(columns="category").reset_index(drop=True)
            pd.testing.assert_frame_equal(found, alone)
        overall = board.frame[board.frame["category"] == "overall"].drop(columns="category")
        pd.testing.assert_frame_equal(overall, fit.leaderboard("elo").frame)

    def test_clusters_and_an_array_of_categories(self, model, votes):
        by_name, by_array = (
            model.fit(ties="half", cov_type="cluster", cov_kwds={"groups": groups}).leaderboard(by=by)
            for groups, by in (("user", "language"), (votes["user"].to_numpy(), votes["language"]))
        )
        pd.testing.assert_frame_equal(by_name.frame, by_array.frame)
        assert by_array.by == "language"
        assert any("160 groups" in note for note in by_name.notes)
        # A warning about one category is a note.
        assert any(note.startswith("Spanish: ") and "clusters" in note for note in by_name.notes)

    def test_rows_with_counts_and_weights(self):
        frame = pd.DataFrame(
            [(*pair, *wins, kind) for kind in "xy" for pair, wins in (("ab", (3, 2)), ("bc", (4, 1)), ("ac", (5, 5)))],
            columns=["i", "j", "wi", "wj", "kind"],
        )
        board = (
            BradleyTerry.from_comparisons(frame, first="i", second="j", wins=["wi", "wj"]).fit().leaderboard(by="kind")
        )
        parts = [part.drop(columns="category").reset_index(drop=True) for _, part in board.frame.groupby("category")]
        pd.testing.assert_frame_equal(parts[1], parts[2])
        np.testing.assert_allclose(parts[0]["ability"], parts[1]["ability"])
        assert (parts[0]["games"] == 2 * parts[1]["games"]).all()

    def test_items_that_cannot_be_rated_in_a_category_are_named(self):
        rows = [(a, b, "all") for a in "abcd" for b in "abcd" if a != b] * 10
        rows += [(a, b, "part") for a in "abc" for b in "abc" if a != b] * 10 + [("d", "a", "part")] * 3
        rows += [("a", "b", "poor")] * 4
        frame = pd.DataFrame(rows, columns=["won", "lost", "kind"])
        board = BradleyTerry.from_comparisons(frame, "won", "lost").fit().leaderboard("elo", by="kind")
        assert "part: without (d)" in board.notes
        assert any(note.startswith("poor: left out, because ") for note in board.notes)
        assert board.categories == ["overall", "all", "part"]
        part = board.frame[board.frame["category"] == "part"]
        whole = board.frame[(board.frame["category"] == "overall") & (board.frame["item"] != "d")]
        # The items of a category have the mean that they have overall.
        np.testing.assert_allclose(part["rating"].mean(), whole["rating"].mean())
        line = next(line for line in repr(board).splitlines() if line.startswith("d"))
        assert len(line.split()) == 7  # item, and rank, set and rating of two categories
        anchored = BradleyTerry.from_comparisons(frame, "won", "lost").fit().leaderboard("elo", {"d": 1}, by="kind")
        assert anchored.categories == ["overall", "all"]
        assert any("the anchor, is not in it" in note for note in anchored.notes)

    def test_firth_needs_connected_items_only(self):
        rows = [(a, b, "all") for a in "abcde" for b in "abcde" if a != b]
        rows += [("a", "b", "part"), ("b", "c", "part"), ("d", "e", "part"), ("e", "d", "part")]
        model = BradleyTerry.from_comparisons(pd.DataFrame(rows, columns=["won", "lost", "kind"]), "won", "lost")
        board = model.fit("firth").leaderboard(by="kind")
        assert "part: without (d, e)" in board.notes
        # Maximum likelihood cannot rate an item that won everything.
        assert "part: without (a, b, c)" in model.fit().leaderboard(by="kind").notes

    def test_few_comparisons_and_missing_categories(self):
        frame = pd.DataFrame([(a, b) for a in "abc" for b in "abc" if a != b] * 5, columns=["won", "lost"])
        frame["kind"] = ["few"] * 6 + ["many"] * 23 + [None]
        board = BradleyTerry.from_comparisons(frame, "won", "lost").fit().leaderboard(by="kind")
        assert "few: only 6 comparisons of 3 items, so intervals and rank sets are rough" in board.notes
        assert "1 row without a category: only in overall" in board.notes
        assert board.category_nobs == {"overall": 30, "few": 6, "many": 23}

    def test_covariates_and_firth(self, votes):
        items = sorted(set(votes["first"]))
        z = np.random.default_rng(0).normal(size=(len(items), 2))
        model = BradleyTerry.from_comparisons(votes, first="first", second="second", winner="winner", tie="tie")
        board = model.fit("firth", ties="half", covariates=z).leaderboard(by="language")
        assert len(board.frame) == 4 * len(items)
        assert "the abilities are penalised (method='firth')" in board.notes


class TestFormats:
    @pytest.fixture
    def awkward(self):
        return BradleyTerry(WINS, items=AWKWARD).fit().leaderboard("elo")

    def test_text_is_aligned(self, fit):
        lines = repr(fit.leaderboard()).splitlines()
        assert lines[0] == "Leaderboard of 12 items, 3000 comparisons: ability (sum 0)"
        assert lines[1].split() == ["rank", "ranks", "item", "games", "ability", "95", "%", "interval"]
        assert len({line.rindex("]") for line in lines[2:14]}) == 1
        assert lines[14] == "note: ranks: simultaneous 95 % confidence sets"

    def test_wide_letters_are_aligned(self):
        text = repr(BradleyTerry(WINS, items=["通义", "bee", "é", "a\nb"]).fit().leaderboard()).splitlines()
        assert len(text) == 7
        assert "通义" in text[2]
        assert len(text[2]) == len(text[3]) - 2
        assert "a b" in text[-2] or "a b" in "".join(text)

    def test_markdown(self, awkward):
        lines = awkward.to_markdown().splitlines()
        # Each row has as many cells as the first.
        assert {len(re.split(r"(?<!\\)\|", line)) for line in lines[:6]} == {8}
        assert r"a\|b\_c" in lines[2]

    def test_html(self, awkward):
        text = awkward.to_html()
        assert html.escape(AWKWARD[1]) in text
        assert AWKWARD[1] not in text
        assert text == awkward._repr_html_()

    def test_latex(self, awkward):
        text = awkward.to_latex()
        assert r"a\textbar{}b\_c" in text
        assert r"\textless{}i\textgreater{}50\%\textless{}/i\textgreater{} \& more" in text
        assert r"\$x\textasciicircum{}2\$ \textbackslash{} \{y\}" in text
        assert r"\#1 \textasciitilde{} *star*" in text
        body = [line for line in text.splitlines() if line.endswith(r"\\")]
        assert {len(re.split(r"(?<!\\)&", line)) for line in body} == {6}

    def test_latex_has_minus_signs(self):
        text = small().leaderboard().to_latex()
        assert "$-$0.3" in text
        assert " -0.3" not in text

    def test_headings_of_categories(self, fit):
        board = fit.leaderboard("elo", by="language").head(2)
        assert r"\multicolumn{2}{c}{English}" in board.to_latex()
        assert '<th colspan="2">German</th>' in board.to_html()
        assert "| Spanish rank | Spanish rating |" in board.to_markdown()
        first, second = repr(board).splitlines()[1:3]
        assert first.split() == ["overall", "English", "German", "Spanish"]
        assert second.split() == ["item", *["rank", "rating"] * 4]

    def test_head(self, fit):
        board = fit.leaderboard(by="language")
        best = board.head(3)
        assert set(best.frame["item"]) == {"Maple", "Willow", "Birch"}
        assert best.notes[-1] == "the best 3 of 12 items"
        assert board.head(12) is board

    def test_long_tables_are_cut_in_the_console_only(self):
        rng = np.random.default_rng(0)
        board = BradleyTerry(rng.integers(1, 9, (30, 30))).fit().leaderboard()
        assert "... 10 more rows; frame has all." in repr(board)
        assert len(board.to_markdown().splitlines()) > 30

    def test_no_negative_zero(self):
        board = BradleyTerry([[0, 100001], [100000, 0]]).fit().leaderboard()
        assert "-0.00" not in repr(board).splitlines()[3].split("[")[0]


class TestErrors:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"scale": "ello"}, "scale must be one of 'logit', 'elo', 'win'.*Did you mean 'elo'"),
            ({"anchor": 1000}, "anchor is a rating, so it needs scale='elo', got scale='logit'"),
            ({"scale": "elo", "anchor": {"eel": 1}}, "anchor must be one of the items"),
            ({"scale": "elo", "anchor": {"ant": 1, "bee": 2}}, "one item and its rating, got 2 items"),
            ({"scale": "elo", "anchor": "ant"}, "anchor must be the mean rating, a finite number, or one item"),
            ({"scale": "elo", "anchor": ("ant", np.inf)}, "a finite number, got inf"),
            ({"by": "kind"}, "a matrix of wins has no rows"),
            ({"alpha": 2}, "alpha must be a number between 0 and 1"),
        ],
    )
    def test_arguments(self, options, message):
        with pytest.raises(InputError, match=message):
            small().leaderboard(**options)

    def test_categories(self, fit, votes):
        with pytest.raises(InputError, match="by must be one of the columns.*Did you mean 'language'"):
            fit.leaderboard(by="langage")
        with pytest.raises(InputError, match="one entry for each of the 3000 comparisons, got 2"):
            fit.leaderboard(by=["a", "b"])
        with pytest.raises(InputError, match="missing in every row"):
            fit.leaderboard(by=[None] * 3000)
        with pytest.raises(InputError, match="has the category 'overall'"):
            fit.leaderboard(by=["overall", "other"] * 1500)

    def test_plot_of_something_else(self):
        with pytest.raises(InputError, match="needs what leaderboard of a fit returns, got DataFrame"):
            plot.leaderboard(pd.DataFrame())


@pytest.mark.one_environment
class TestPlot:
    @pytest.mark.parametrize("scale", SCALES)
    def test_shows_the_estimates(self, scale):
        board = small().leaderboard(scale)
        axes = board.plot("title")
        assert_legible(axes.figure)
        np.testing.assert_allclose(axes.lines[0].get_xdata(), board.frame[board.estimate_name])
        words = [text.get_text() for text in axes.texts]
        assert words[:5] == ["rank", "1–2", "1–4", "2–4", "2–4"]
        assert words[5:] == ["games", *map(str, board.frame["games"])]

    def test_categories(self, fit):
        board = fit.leaderboard("elo", by="language")
        axes = board.plot("title", top=5)
        assert_legible(axes.figure)
        labels = [text.get_text() for text in axes.get_legend().get_texts()]
        assert labels == board.categories
        assert "the best 5 of 12 items" in axes.get_xlabel()
        english = board.frame[board.frame["category"] == "English"].set_index("item")
        best = board.frame["item"][:5]
        np.testing.assert_allclose(axes.lines[1].get_xdata(), english.loc[best, "rating"])

    def test_many_categories(self, fit, votes):
        kind = np.arange(len(votes)) % 9
        axes = fit.leaderboard(by=kind).plot()
        assert len(axes.get_legend().get_texts()) == 8
        assert "the 7 largest of 9 categories" in axes.get_xlabel()
        assert_legible(axes.figure)


class TestRankings:
    """Leaderboards of Plackett–Luce fits."""

    def orderings(self):
        rng = np.random.default_rng(4)
        worth = np.array([3.0, 2.0, 1.5, 1.0, 0.7])
        rows = [rng.choice(5, 4, replace=False, p=worth / worth.sum()) for _ in range(80)]
        return [[f"item {k}" for k in row] for row in rows]

    def test_is_that_of_the_abilities(self):
        res = PlackettLuce.from_orderings(self.orderings()).fit()
        board = res.leaderboard("elo")
        expected = res.abilities(sort=True)
        assert board.frame["item"].tolist() == expected.index.tolist()
        np.testing.assert_allclose(board.frame["rating"], 1000 + ELO * expected["ability"])
        assert repr(board).startswith("Leaderboard of 5 items, 80 rankings: rating")
        assert board.frame["games"].sum() == 320
        draw(board.plot())
        with pytest.raises(InputError, match="by needs paired comparisons, got rankings"):
            res.leaderboard(by=["x"] * 80)

    def test_pairs_are_a_bradley_terry_model(self):
        """Rankings of two items, with ties."""
        rng = np.random.default_rng(5)
        pairs = [tuple(rng.choice(list("abcd"), 2, replace=False)) for _ in range(200)]
        tied = rng.random(200) < 0.2
        rankings = [[list(pair)] if tie else list(pair) for pair, tie in zip(pairs, tied, strict=True)]
        games = pd.DataFrame(pairs, columns=["won", "lost"]).assign(tied=tied)
        one = PlackettLuce.from_orderings(rankings).fit()
        two = BradleyTerry.from_comparisons(games, "won", "lost", tie="tied").fit(ties="davidson")
        for scale in SCALES:
            ours, theirs = (res.leaderboard(scale).frame for res in (one, two))
            numbers = [name for name in ours if name != "item"]
            np.testing.assert_allclose(ours[numbers].astype(float), theirs[numbers].astype(float), rtol=1e-6)
        pairs = [res.contrasts("max-t").pairs.drop(columns=["item_1", "item_2"]) for res in (one, two)]
        np.testing.assert_allclose(*pairs, rtol=1e-6, atol=1e-8)
