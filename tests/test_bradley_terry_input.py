"""All forms of data, and messages about data and options that cannot be used."""

import numpy as np
import pandas as pd
import pytest

from pwcstats import BradleyTerry, InputError

GAMES = pd.DataFrame(
    {
        "a": ["x", "y", "z", "x", "y", "z", "x"],
        "b": ["y", "z", "x", "z", "x", "y", "y"],
        "winner": ["x", "y", "tie", "z", "y", "z", "both bad"],
    }
)


def expected():
    """The same games as matrices."""
    wins = pd.DataFrame(0.0, index=list("xyz"), columns=list("xyz"))
    for won, lost in (("x", "y"), ("y", "z"), ("z", "x"), ("y", "x"), ("z", "y")):
        wins.loc[won, lost] += 1
    ties = wins * 0
    for i, j in (("z", "x"), ("x", "y")):
        ties.loc[i, j] += 1
        ties.loc[j, i] += 1
    return BradleyTerry(wins, ties).fit(ties="half")


def same(model):
    res, reference = model.fit(ties="half"), expected()
    np.testing.assert_allclose(res.params, reference.params[[str(x) for x in res.params.index]], atol=1e-10)
    assert res.nobs == 7
    return res


def test_winner_by_item():
    same(BradleyTerry.from_comparisons(GAMES, first="a", second="b", winner="winner", tie=["tie", "both bad"]))


def test_winner_by_column():
    who = GAMES["winner"].where(~GAMES["winner"].isin(list("xyz")), np.where(GAMES["winner"] == GAMES["a"], "a", "b"))
    frame = GAMES.assign(who=who.replace("both bad", "tie"))
    same(BradleyTerry.from_comparisons(frame, first="a", second="b", winner="who", tie="tie"))


def winners_and_losers():
    tie = GAMES["winner"].isin(["tie", "both bad"])
    won = GAMES["winner"].where(~tie, GAMES["a"])
    return pd.DataFrame({"w": won, "l": np.where(won == GAMES["a"], GAMES["b"], GAMES["a"]), "tie": tie})


def test_ties_by_flag_or_by_column_and_value():
    frame = winners_and_losers()
    same(BradleyTerry.from_comparisons(frame, "w", "l", tie="tie"))
    same(BradleyTerry.from_comparisons(frame, "w", "l", tie=frame["tie"].to_numpy()))
    frame["how"] = np.where(frame["tie"], "draw", "win")
    same(BradleyTerry.from_comparisons(frame, "w", "l", tie=("how", "draw")))
    same(BradleyTerry.from_comparisons(GAMES.assign(t=frame["tie"]), first="a", second="b", winner="winner", tie="t"))


def test_arrays_and_mappings():
    frame = winners_and_losers()
    same(BradleyTerry.from_comparisons(winner=frame["w"].to_numpy(), loser=list(frame["l"]), tie=frame["tie"]))
    same(BradleyTerry.from_comparisons(frame.to_dict("list"), "w", "l", tie="tie"))


def test_counts_of_wins():
    frame = pd.DataFrame(
        {"a": ["x", "x", "y"], "b": ["y", "z", "z"], "n_a": [1, 0, 1], "n_b": [1, 1, 1], "even": [1, 1, 0]}
    )
    same(BradleyTerry.from_comparisons(frame, first="a", second="b", wins=("n_a", "n_b", "even")))


def test_labels_of_any_type():
    frame = winners_and_losers()
    for names in (
        {"x": 3, "y": 1, "z": 2},
        {"x": pd.Timestamp(2020, 1, 1), "y": pd.Timestamp(2021, 1, 1), "z": pd.Timestamp(2019, 1, 1)},
        {"x": ("p", 1), "y": ("q", 1), "z": ("p", 2)},
        {"x": 1, "y": "one", "z": 2.5},
        {"x": True, "y": "t", "z": "f"},
    ):
        named = frame.assign(w=frame["w"].map(names), l=frame["l"].map(names))
        res = BradleyTerry.from_comparisons(named, "w", "l", tie="tie").fit(ties="half")
        for old, new in names.items():
            index = list(res.model.items).index(new)
            assert res.params.iloc[index] == pytest.approx(expected().params[old])
    numbers = frame.assign(w=frame["w"].map(ord), l=frame["l"].map(ord))
    assert list(BradleyTerry.from_comparisons(numbers, "w", "l").items) == [120, 121, 122]


def test_categories_keep_their_order_and_drop_what_is_unused():
    frame = winners_and_losers()
    kind = pd.CategoricalDtype(["z", "unused", "y", "x"])
    model = BradleyTerry.from_comparisons(frame.astype({"w": kind, "l": kind}), "w", "l", tie="tie")
    assert list(model.items) == ["z", "y", "x"]
    same(model)
    other = pd.CategoricalDtype(["y", "x", "z"])
    assert list(BradleyTerry.from_comparisons(frame.astype({"w": kind, "l": other}), "w", "l").items) == ["z", "y", "x"]
    same(BradleyTerry.from_comparisons(frame.astype({"w": kind}), "w", "l", tie="tie"))


def test_who_went_first_beside_winner_and_loser():
    frame = winners_and_losers().assign(home=GAMES["a"])
    by_first = BradleyTerry.from_comparisons(frame, "w", "l", tie="tie", first="home")
    by_second = BradleyTerry.from_comparisons(GAMES, first="a", second="b", winner="winner", tie=["tie", "both bad"])
    one, two = (m.fit("firth", ties="half", order_effect=True) for m in (by_first, by_second))
    np.testing.assert_allclose(one.params, two.params, atol=1e-9)
    frame.loc[2, "home"] = None
    neutral = BradleyTerry.from_comparisons(
        GAMES, first="a", second="b", winner="winner", tie=["tie", "both bad"], neutral=np.arange(7) == 2
    )
    one = BradleyTerry.from_comparisons(frame, "w", "l", tie="tie", first="home").fit(
        "firth", ties="half", order_effect=True
    )
    two = neutral.fit("firth", ties="half", order_effect=True)
    np.testing.assert_allclose(one.params, two.params, atol=1e-9)


@pytest.mark.filterwarnings("ignore:cov_type='cluster' has only")
def test_weight_zero_leaves_a_row_out():
    frame = winners_and_losers().assign(weight=1.0)
    extra = pd.DataFrame({"w": ["nobody"], "l": ["x"], "tie": [False], "weight": [0.0]})
    model = BradleyTerry.from_comparisons(
        pd.concat([extra, frame], ignore_index=True), "w", "l", weight="weight", tie="tie"
    )
    assert "nobody" not in model.items
    same(model)
    groups = {"groups": np.arange(8) % 3}
    robust = model.fit(ties="half", cov_type="cluster", cov_kwds=groups)
    again = BradleyTerry.from_comparisons(frame, "w", "l", tie="tie").fit(
        ties="half", cov_type="cluster", cov_kwds={"groups": np.arange(1, 8) % 3}
    )
    np.testing.assert_allclose(robust.bse, again.bse)


def test_frames_are_aligned_by_their_labels():
    wins = pd.DataFrame([[0, 3, 1], [2, 0, 4], [2, 1, 0]], index=list("abc"), columns=list("abc"))
    shuffled = wins.loc[["c", "a", "b"], ["b", "c", "a"]]
    one, two = BradleyTerry(wins).fit(), BradleyTerry(shuffled).fit()
    assert list(two.model.items) == ["b", "c", "a"]
    np.testing.assert_allclose(one.params, two.params[["a", "b", "c"]], atol=1e-12)
    ties = pd.DataFrame(np.ones((3, 3)), index=list("abc"), columns=list("abc"))
    ties.loc["a", "b"] = ties.loc["b", "a"] = 5
    one = BradleyTerry(wins, ties).fit(ties="davidson")
    two = BradleyTerry(wins, ties.loc[["c", "a", "b"], ["b", "c", "a"]]).fit(ties="davidson")
    np.testing.assert_allclose(one.params, two.params, atol=1e-12)


def test_the_diagonal_is_nobodys_win():
    wins = np.array([[714.0, 3, 1], [2, np.nan, 4], [2, 1, 9]])
    np.testing.assert_array_equal(
        BradleyTerry(wins).fit().params, BradleyTerry(wins - np.diag([714, 0, 9])).fit().params
    )


COMPARISONS = {"w": ["a", "b", "c"], "l": ["b", "c", "a"]}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: BradleyTerry([[0, 1, 2], [1, 0, 1]]), "wins must be a K x K matrix, row over column, got 2 x 3"),
        (lambda: BradleyTerry([[0, -1], [1, 0]]), "finite numbers >= 0, got -1 for 0 over 1"),
        (lambda: BradleyTerry([[0, np.nan], [1, 0]]), "got nan for 0 over 1"),
        (lambda: BradleyTerry([[0, 0], [0, 0]]), "wins holds no comparison"),
        (lambda: BradleyTerry([[3.0]]), "at least 2 items, got 1"),
        (lambda: BradleyTerry([["a", "b"], ["c", "d"]]), "wins must hold real numbers"),
        (lambda: BradleyTerry([[0, 1], [1, 0]], items=["a"]), "2 different names, got 1"),
        (lambda: BradleyTerry([[0, 1], [1, 0]], items="ab"), "items must be a list"),
        (lambda: BradleyTerry([[0, 1], [1, 0]], [[0, 1], [2, 0]]), "tied must be symmetric, got 1 and 2 for 0 and 1"),
        (lambda: BradleyTerry([[0, 1], [1, 0]], np.ones((3, 3))), "tied must be 2 x 2"),
        (lambda: BradleyTerry(pd.DataFrame([[0, 1], [1, 0]], index=list("ab"), columns=list("ac"))), "the same items"),
        (lambda: BradleyTerry.from_comparisons(COMPARISONS, "w", "x"), "loser must be one of the columns .* got 'x'"),
        (lambda: BradleyTerry.from_comparisons(COMPARISONS, "w"), "loser is missing"),
        (lambda: BradleyTerry.from_comparisons(7, "w", "l"), "data must be a data frame"),
        (lambda: BradleyTerry.from_comparisons({"w": ["a", None], "l": ["b", "a"]}, "w", "l"), "row 1 has no label"),
        (
            lambda: BradleyTerry.from_comparisons({"w": ["a", "b"], "l": ["b", "b"]}, "w", "l"),
            "row 1 compares b with it",
        ),
        (lambda: BradleyTerry.from_comparisons({"w": [], "l": []}, "w", "l"), "no comparison"),
        (lambda: BradleyTerry.from_comparisons(COMPARISONS, "w", "l", weight=[1, -1, 1]), "got -1 in row 1"),
        (
            lambda: BradleyTerry.from_comparisons(COMPARISONS, "w", "l", weight=[1, 1]),
            "each of the 3 comparisons, got 2",
        ),
        (lambda: BradleyTerry.from_comparisons(COMPARISONS, "w", "l", weight=[0, 0, 0]), "0 in every row"),
        (
            lambda: BradleyTerry.from_comparisons(COMPARISONS, "w", "l", tie=[0, 2, 0]),
            "tie must be true or false .* got 2",
        ),
        (
            lambda: BradleyTerry.from_comparisons(COMPARISONS, "w", "l", first=["a", "a", "c"]),
            "row 1 has 'a' for b and c",
        ),
        (lambda: BradleyTerry.from_comparisons(COMPARISONS, "w", "l", neutral=[0, 0, 1]), "first is needed too"),
        (
            lambda: BradleyTerry.from_comparisons(GAMES, first="a", second="b", winner="winner", tie="tie"),
            "row 6 has 'both bad' for x and y; recode it, or name it in tie, too, if it is a tie",
        ),
        (
            lambda: BradleyTerry.from_comparisons(GAMES, "winner", "a", second="b"),
            "loser cannot be combined with second",
        ),
        (lambda: BradleyTerry.from_comparisons(GAMES, first="a", second="b", wins=("winner",)), "two columns"),
        (
            lambda: BradleyTerry.from_comparisons(GAMES, "winner", first="a", second="b", wins=("u", "v")),
            "must be left out",
        ),
        (lambda: BradleyTerry.from_pairwise(np.full((2, 3, 3), 0.5)), "one sample, got 2"),
        (lambda: BradleyTerry.from_pairwise([[0, 0.7], [0.7, 0]]), "must be 1 for each pair"),
        (lambda: BradleyTerry.from_pairwise([[0, np.nan], [0.7, 0]]), "missing on one side"),
        (lambda: BradleyTerry.from_pairwise([[0, 1.5], [-0.5, 0]]), "within"),
    ],
)
def test_input_errors(call, message):
    with pytest.raises(InputError, match=message):
        call()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "ml"}, "method must be one of 'mle', 'firth', 'ridge', 'ghost', got 'ml'"),
        ({"ties": "yes"}, "ties must be one of"),
        ({"cov": True}, "cov must be one of"),
        ({"cov_type": "HC3"}, "cov_type must be one of"),
        ({"cov_type": "HC0", "cov": "diag"}, "needs cov='full'"),
        ({"cov_type": "cluster"}, "needs cov_kwds"),
        ({"cov_type": "cluster", "cov_kwds": {"groups": [1, 2]}}, "one entry for each of the 4 comparisons, got 2"),
        ({"cov_type": "cluster", "cov_kwds": {"groups": [1, 1, 1, 1]}}, "at least 2 groups among the rows"),
        ({"cov_type": "cluster", "cov_kwds": {"groups": [1, None, 1, 1]}}, "groups is missing in row 1"),
        (
            {"cov_type": "cluster", "cov_kwds": {"group": [1]}},
            r"may have the keys \(groups, use_correction\), got \(group\)",
        ),
        ({"ref": "q"}, r"ref must be one of the items \(a, b, c\), got 'q'"),
        ({"maxiter": 0}, "maxiter must be a whole number"),
        ({"ties": "davidson"}, "no comparison is a tie"),
        ({"covariates": "u"}, "item_data is needed"),
        (
            {"covariates": "u", "item_data": pd.DataFrame({"v": [1, 2, 3]}, index=list("abc"))},
            "formula of covariates cannot be used",
        ),
        ({"covariates": pd.DataFrame({"v": [1, 2]}, index=list("ab"))}, r"index lacks \(c\)"),
        ({"covariates": [[1], [2]]}, "one row for each of the 3 items, got 2 x 1"),
        ({"covariates": pd.DataFrame({"v": [1, np.inf, 2]}, index=list("abc"))}, "got inf in 'v' of item b"),
        ({"covariates": pd.DataFrame({"v": [np.nan] * 3}, index=list("abc"))}, "'v' is missing in covariates for all"),
        ({"covariates": [[1, np.nan], [np.nan, 1], [np.nan, np.nan]]}, "every item has a missing value in covariates"),
        (
            {"covariates": "v", "item_data": pd.DataFrame({"v": [None] * 3}, index=list("abc"))},
            "'v' is missing in item_data for all",
        ),
        ({"random_effects": "reml"}, "random_effects must be"),
        ({"random_effects": True, "method": "firth"}, "random_effects are fitted by method='mle', got method='firth'"),
        ({"random_effects": True, "ties": "davidson"}, "random_effects do not support ties='davidson'"),
        ({"random_effects": True, "ref": "a"}, "no item is the reference"),
        ({"random_effects": True, "cov": "diag"}, "random_effects do not support cov='diag'"),
        ({"random_effects": True, "cov_type": "HC0"}, "random_effects do not support cov_type='HC0'"),
        ({"covariates": [1, 2, 4], "ref": "a"}, "leave ref out"),
        ({"item_data": pd.DataFrame()}, "give the formula"),
    ],
)
def test_option_errors(options, message):
    model = BradleyTerry.from_comparisons({"w": list("abca"), "l": list("bcac")}, "w", "l")
    with pytest.raises(InputError, match=message):
        model.fit(**options)


def test_ties_need_a_model():
    model = BradleyTerry([[0, 1], [1, 0]], [[0, 3], [3, 0]])
    with pytest.raises(InputError, match="3 of 5 comparisons are ties.* ties='davidson' .* ties='half'"):
        model.fit()


def test_too_many_items_are_refused_before_the_work():
    n = 20_001
    names = np.arange(n)
    model = BradleyTerry.from_comparisons(winner=np.r_[names, np.roll(names, 1)], loser=np.r_[np.roll(names, 1), names])
    with pytest.raises(InputError, match="would take 3 GB; set cov='diag'"):
        model.fit()
    with pytest.raises(InputError, match="method='firth' needs the covariance"):
        model.fit("firth", cov="none")


def test_asking_for_unknown_items():
    res = BradleyTerry([[0, 2], [1, 0]], items=["a", "b"]).fit()
    for call, message in (
        (lambda: res.predict("a", "z"), "second must be one of the items .* got 'z'"),
        (lambda: res.predict(["a", "z"], ["b", "b"]), "first must be one of the items"),
        (lambda: res.predict(["a"], ["b", "b"]), "same length"),
        (lambda: res.contrast("a", "a"), "two different items"),
        (lambda: res.conf_int(terms=["z"]), "terms must be one of the parameters"),
        (lambda: res.conf_int(2), "alpha must be a number between 0 and 1"),
        (lambda: res.conf_int(method="likelihood"), "method must be one of"),
        (lambda: res.ranks(95), "alpha must be a number between"),
        (lambda: res.bootstrap(0), "n must be a whole number"),
        (lambda: res.goodness_of_fit(), "no degree of freedom is left for a test"),
    ):
        with pytest.raises(InputError, match=message):
            call()


def test_parameters_are_checked_before_data():
    tied = BradleyTerry([[0, 1], [0, 0]], [[0, 3], [3, 0]])
    for options, message in (
        ({"maxiter": 0}, "maxiter must be"),
        ({"cov_type": "HC0", "cov": "none"}, "needs cov='full'"),
        ({"cov_type": "cluster"}, "needs cov_kwds"),
        ({"n_projections": 1}, "n_projections must be"),
        ({"random_state": -1}, "random_state must be"),
        ({"ref": "q", "covariates": "u"}, "no item is the reference"),
        ({"ties": "half", "cov_type": "cluster", "cov_kwds": {"groups": [1]}}, "groups are groups of rows"),
    ):
        with pytest.raises(InputError, match=message):
            tied.fit(**options)
    with pytest.raises(InputError, match="wins must be two columns"):
        BradleyTerry.from_comparisons("no data", first="a", second="b", wins="c")
    with pytest.raises(InputError, match="first is needed too"):
        BradleyTerry.from_comparisons("no data", "w", "l", neutral="n")
    with pytest.raises(InputError, match="condensed must be True or False"):
        BradleyTerry.from_pairwise("no data", condensed="yes")


def test_errors_know_the_arguments_they_speak_of():
    model = BradleyTerry([[0, 1], [0, 0]])
    for call, arguments in (
        (lambda: model.fit(maxiter=0), ("maxiter",)),
        (lambda: model.fit(), ("method",)),
        (lambda: model.fit(order_effect=True), ("order_effect", "first", "neutral")),
        (lambda: BradleyTerry([[0, -1], [1, 0]]), ("wins",)),
        (lambda: BradleyTerry.from_comparisons(COMPARISONS, "w", "l", weight=[1, -1, 1]), ("weight",)),
        (lambda: BradleyTerry([[0, 1], [1, 0]]).fit(cov="none").bse, ("cov",)),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert caught.value.arguments == arguments


def test_a_frame_of_games_leads_to_from_comparisons():
    games = pd.DataFrame({"winner": ["a", "b", "a"], "loser": ["b", "a", "c"]})
    with pytest.raises(
        InputError, match=r"labels in \(winner, loser\); for one row per comparison, use from_comparisons"
    ):
        BradleyTerry(games)
