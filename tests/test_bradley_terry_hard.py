"""Cases that are numerically hard, or in which rows and weights are easily confused."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csr_array

from pwcstats import BradleyTerry, ConvergenceWarning, InputError, SeparationWarning

from .test_bradley_terry import NAMES, Slow, league, long_model


def two_groups(half, games, seed=0):
    """Two well connected groups of items, and one pair with ten games between them."""
    rng = np.random.default_rng(seed)
    i = rng.integers(half, size=8 * half)
    j = (i + rng.integers(1, half, size=8 * half)) % half
    x, y = np.r_[i, half + i[::-1], 0], np.r_[j, half + j[::-1], half]
    ability = rng.normal(scale=0.5, size=2 * half)
    n = np.full(len(x), games)
    a = np.clip(rng.binomial(n, 1 / (1 + np.exp(ability[y] - ability[x]))), 1, n - 1)
    b = n - a
    a[-1], b[-1] = 9, 1
    frame = pd.DataFrame({"x": x, "y": y, "a": a, "b": b})
    return BradleyTerry.from_comparisons(frame, first="x", second="y", wins=("a", "b"))


@pytest.mark.slow
@pytest.mark.parametrize("games", [6, 1000, 100_000])
def test_projections_hear_a_weak_link(games):
    model = two_groups(1100, games)
    exact, projected = model.fit(), model.fit(cov="diag")
    np.testing.assert_allclose(projected.params, exact.params, rtol=0, atol=1e-7)
    gap = (projected.bse / exact.bse - 1).abs()
    # All errors are mainly that of the link: one number with the error of 64 draws.
    assert gap.max() < 0.3
    assert (gap <= 5 * projected.bse_error).all()
    assert exact.contrast(0, 1100).estimate == pytest.approx(np.log(9), abs=1e-6)


@pytest.mark.slow
def test_projections_near_the_reference():
    """In a chain, differences from a near reference have far smaller errors than centred abilities."""
    n = 2500
    wins = np.full(n - 1, 7.0)
    frame = pd.DataFrame({"x": np.arange(n - 1), "y": np.arange(1, n), "a": wins, "b": wins + np.arange(n - 1) % 3})
    model = BradleyTerry.from_comparisons(frame, first="x", second="y", wins=("a", "b"))
    res = model.fit(cov="diag", ref=1250, n_projections=200)
    step = 1 / frame["a"] + 1 / frame["b"]
    exact = np.sqrt(np.abs(np.concatenate([[0], np.cumsum(step)]) - np.cumsum(step)[1249]))
    gap = np.abs(res.bse / np.delete(exact, 1250) - 1)
    assert np.isfinite(res.bse).all()
    assert gap.max() < 0.3
    assert (gap <= 5 * res.bse_error).all()
    assert (res.bse_error > 0).all()


@pytest.mark.parametrize("n", [1e3, 1e7, 1e9, 1e12])
def test_one_loss_in_a_trillion(n):
    res = BradleyTerry([[0, n], [1, 0]]).fit(ref=1)
    assert res.converged
    assert res.params[0] == pytest.approx(np.log(n), abs=1e-9)
    assert res.bse[0] == pytest.approx(np.sqrt(1 / n + 1), rel=1e-7)


def test_outlying_covariates_do_not_stop_the_fit():
    _, rows = league(31, n=200)
    z = pd.DataFrame({"u": [1.0, 2.0, 0.5, -1.0, 0.3, 1e5]}, index=NAMES)
    rows = [row for row in rows if 5 not in row[:2]] + [(5, 0, 0, "win", 1.0), (0, 5, 0, "win", 1.0)]
    kept = [(NAMES[i], NAMES[j]) if o == "win" else (NAMES[j], NAMES[i]) for i, j, _, o, _ in rows]
    model = BradleyTerry.from_comparisons(winner=[a for a, _ in kept], loser=[b for _, b in kept])
    res = model.fit(covariates=z)
    assert res.converged
    slow = Slow(rows, 6, z=z)
    np.testing.assert_allclose(slow.score(res.params.to_numpy()) / z["u"].max(), 0, atol=1e-8)


def test_one_far_pair_is_no_separation():
    frame, _ = league(32, n=60)
    z = pd.DataFrame({"u": [1.0, 2.0, 0.5, -1.0, 0.3, 0.1], "far": [0, 0, 0, 0, 0, 1e10]}, index=NAMES)
    kept = frame[(frame["first"] != "f") & (frame["second"] != "f")]
    kept = pd.concat([kept, pd.DataFrame({"winner": ["f", "a"], "loser": ["a", "f"]})])
    assert BradleyTerry.from_comparisons(kept, "winner", "loser").fit(covariates=z).converged
    only = pd.concat([kept.iloc[:-1]])
    with pytest.raises(InputError, match="'far' is never on the losing side"):
        BradleyTerry.from_comparisons(only, "winner", "loser").fit(covariates=z)


def test_names_that_parameters_have():
    wins = pd.DataFrame([[0, 3, 2], [1, 0, 2], [2, 3, 0]], index=["(tie)", "b", "c"], columns=["(tie)", "b", "c"])
    ties = wins * 0 + 1
    with pytest.raises(InputError, match=r"name of another parameter, \(\(tie\)\); rename it"):
        BradleyTerry(wins, ties).fit(ties="davidson")
    res = BradleyTerry(wins, ties).fit(ties="half")
    assert res.conf_int().shape == (3, 2)
    twice = pd.DataFrame([[1.0, 2], [3, 4], [0, 5]], index=wins.index, columns=["u", "u"])
    with pytest.raises(InputError, match="different names, got 'u' twice"):
        BradleyTerry(wins).fit(covariates=twice)


def test_items_that_are_true_and_false():
    res = BradleyTerry.from_comparisons(winner=[True, True, False], loser=[False, False, True]).fit()
    assert res.conf_int().shape == (2, 2)
    assert res.contrast(True, False).estimate == pytest.approx(np.log(2))
    assert res.predict([True], [False])[0] == pytest.approx(2 / 3)


def test_results_cannot_be_changed_from_outside():
    frame, _ = league(33)
    res = BradleyTerry.from_comparisons(frame, "winner", "loser").fit()
    before = res.contrast("a", "b").std_error, res.conf_int().loc["a", 0]
    cov, bse = res.cov_params(), res.bse
    cov.iloc[:, :] = 99
    bse["a"] = 99
    assert (res.contrast("a", "b").std_error, res.conf_int().loc["a", 0]) == before


@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.filterwarnings("ignore:cov_type='cluster' has only")
def test_the_users_frame_may_change_afterwards():
    frame, _ = league(34)
    model = BradleyTerry.from_comparisons(frame, "winner", "loser")
    asked = {"cov_type": "cluster", "cov_kwds": {"groups": "voter"}}
    before = model.fit(**asked).bse
    frame.sort_values("winner", inplace=True, ignore_index=True)
    pd.testing.assert_series_equal(model.fit(**asked).bse, before)
    again = BradleyTerry.from_comparisons(league(34)[0].to_dict("list"), "winner", "loser").fit(**asked)
    pd.testing.assert_series_equal(again.bse, before)


@pytest.mark.filterwarnings("ignore:cov_type='cluster' has only")
def test_groups_follow_their_rows_whatever_is_left_out():
    frame, _ = league(35, n=90)
    rng = np.random.default_rng(1)
    frame["weight"] = np.where(rng.random(90) < 0.3, 0.0, 1.0)
    frame["group"] = rng.integers(9, size=90)
    # Groups that only have rows of weight 0 do not count.
    frame.loc[frame["group"] == 4, "weight"] = 0.0
    kept = frame[frame["weight"] > 0]
    asked = {"cov_type": "cluster", "cov_kwds": {"groups": "group"}}
    res = BradleyTerry.from_comparisons(frame, "winner", "loser", weight="weight").fit(**asked)
    same = BradleyTerry.from_comparisons(kept, "winner", "loser").fit(**asked)
    np.testing.assert_allclose(res.bse, same.bse)
    # The sandwich does not change if all weights are multiplied by a constant.
    tenth = BradleyTerry.from_comparisons(
        frame.assign(weight=0.01 * frame["weight"]), "winner", "loser", weight="weight"
    )
    np.testing.assert_allclose(tenth.fit(**asked).bse, same.bse, rtol=1e-6)
    one = frame.assign(group=np.where(frame["weight"] > 0, 1, frame["group"] + 10))
    with pytest.raises(InputError, match="at least 2 groups among the rows with a weight above 0, got 1"):
        BradleyTerry.from_comparisons(one, "winner", "loser", weight="weight").fit(**asked)
    # Rows of weight 0 are not drawn.
    drawn = BradleyTerry.from_comparisons(frame, "winner", "loser", weight="weight").fit("firth")
    alone = BradleyTerry.from_comparisons(kept, "winner", "loser", weight="weight").fit("firth")
    pd.testing.assert_frame_equal(
        drawn.bootstrap(50, random_state=3).params, alone.bootstrap(50, random_state=3).params
    )


def test_few_comparisons_for_the_correction():
    model = BradleyTerry.from_comparisons({"w": ["a", "b"], "l": ["b", "c"]}, "w", "l")
    with pytest.raises(InputError, match="more comparisons than parameters, got 2 and 2"):
        model.fit("firth", cov_type="cluster", cov_kwds={"groups": [0, 1]})


@pytest.mark.filterwarnings("ignore:cov_type='cluster' has only")
def test_wins_in_columns_are_the_long_rows():
    """With order effect, neutral rows, empty rows and groups."""
    rng = np.random.default_rng(4)
    n = 60
    frame = pd.DataFrame({"x": rng.choice(NAMES, n), "y": rng.choice(NAMES, n)})
    frame = frame[frame["x"] != frame["y"]].reset_index(drop=True)
    frame[["a", "b", "t"]] = rng.integers(0, 3, size=(len(frame), 3))
    frame["neutral"], frame["group"] = rng.random(len(frame)) < 0.4, rng.integers(12, size=len(frame))
    rows = []
    for row in frame.itertuples():
        home = None if row.neutral else row.x
        rows += [(row.x, row.y, False, home, row.group)] * row.a
        rows += [(row.y, row.x, False, home, row.group)] * row.b
        rows += [(row.x, row.y, True, home, row.group)] * row.t
    long = pd.DataFrame(rows, columns=["w", "l", "tie", "home", "group"])
    one = BradleyTerry.from_comparisons(frame, first="x", second="y", wins=("a", "b", "t"), neutral="neutral")
    two = BradleyTerry.from_comparisons(long, "w", "l", tie="tie", first="home")
    for options in ({}, {"cov_type": "HC0"}, {"cov_type": "cluster", "cov_kwds": {"groups": "group"}}):
        a, b = (m.fit(ties="davidson", order_effect=True, **options) for m in (one, two))
        np.testing.assert_allclose(a.params, b.params, atol=1e-9)
        np.testing.assert_allclose(a.bse, b.bse, atol=1e-9)
        assert a.nobs == b.nobs


def test_weighted_rows_keep_who_went_first():
    frame, _ = league(36, order=True)
    frame["first_item"] = frame["first"].where(frame["ordered"] == 1)
    extra = frame.iloc[:5].assign(weight=0.0, winner="zz")
    both = pd.concat([extra, frame], ignore_index=True)
    one = BradleyTerry.from_comparisons(frame, "winner", "loser", first="first_item").fit(order_effect=True)
    both.loc[:4, "first_item"] = None
    two = BradleyTerry.from_comparisons(both, "winner", "loser", weight="weight", first="first_item")
    np.testing.assert_allclose(two.fit(order_effect=True).params, one.params, atol=1e-9)


def test_half_ties_in_the_bootstrap():
    frame, _ = league(37, n=300, ties=True)
    model = BradleyTerry.from_comparisons(frame, "winner", "loser", tie="tie")
    drawn = model.fit(ties="half").bootstrap(600, random_state=2)
    # The bootstrap converges to the sandwich; model-based errors are larger, because half wins vary less than wins.
    robust = model.fit(ties="half", cov_type="HC0").bse
    assert (robust < 0.95 * model.fit(ties="half").bse).all()
    np.testing.assert_allclose(drawn.bse, robust, rtol=0.12)
    bounds = drawn.conf_int(0.2)
    np.testing.assert_allclose(bounds[0], np.quantile(drawn.params, 0.1, axis=0))
    np.testing.assert_allclose(bounds[1], np.quantile(drawn.params, 0.9, axis=0))


def test_bootstrap_that_mostly_fails_is_refused():
    res = BradleyTerry.from_comparisons({"w": ["a", "b"], "l": ["b", "a"]}, "w", "l").fit()
    seeds = [seed for seed in range(20) if _failures(res, seed) > 10]
    assert seeds
    with pytest.raises(InputError, match="use method='firth'"):
        res.bootstrap(20, random_state=seeds[0])


def _failures(res, seed):
    draws = [np.random.default_rng(s).multinomial(2, [0.5, 0.5]) for s in np.random.SeedSequence(seed).spawn(20)]
    return sum(draw.min() == 0 for draw in draws)


def test_equal_covariates_make_equal_items():
    frame, _ = league(38)
    z = pd.DataFrame({"u": [1.0, 2.0, 0.5, -1.0, 2.0, 0.1]}, index=NAMES)
    res = long_model(frame).fit(covariates=z)
    with pytest.raises(InputError, match="b and e has no standard error: the items have the same covariates"):
        res.contrast("b", "e")
    with pytest.raises(InputError, match=r"within \(b, e\) have no standard error: the items have the same"):
        res.quasi_variances()
    table = res.ranks()
    assert table.loc["b", "rank_low"] == table.loc["e", "rank_low"]
    assert table.loc["b", "rank_high"] == table.loc["e", "rank_high"]
    diag = long_model(frame).fit(covariates=z, cov="diag")
    pd.testing.assert_frame_equal(diag.abilities(), res.abilities())


def test_missing_strings_are_not_the_base_level():
    model = BradleyTerry([[0, 2, 1], [1, 0, 2], [2, 1, 0]], items=list("abc"))
    for kinds in (["p", None, "q"], pd.Categorical(["p", None, "q"]), pd.array(["p", None, "q"], dtype="string")):
        items = pd.DataFrame({"kind": kinds, "other": [np.nan, 1.0, 2.0]}, index=list("abc"))
        # The item has an ability of its own.
        assert list(model.fit(covariates="kind", item_data=items).params.index) == ["b", "kind[T.q]"]


def test_likelihood_ratio_tests_of_what_is_not_nested():
    frame, _ = league(39, order=True)
    model = long_model(frame)
    items = pd.DataFrame({"u": [1.0, 3, 2, 5, 4, 0], "v": [3.0, 1, 4, 1, 5, 9]}, index=NAMES)
    tiny = pd.DataFrame({"w": [1e-9, -2e-9, 1.5e-9, 0, 3e-9, 1e-10]}, index=NAMES)
    with pytest.raises(InputError, match="not nested"):
        model.fit(covariates=items).lr_test(model.fit(covariates=tiny))
    # The smaller model has an order effect, and in the other data other items went first.
    turned = long_model(frame.assign(neutral=True, ordered=0).assign(neutral=np.arange(len(frame)) % 2 == 0))
    with pytest.raises(InputError, match="the same comparisons, got different ones"):
        turned.fit(order_effect=True).lr_test(model.fit(covariates=items, order_effect=True))
    robust = model.fit(cov_type="HC0")
    for call in (lambda: robust.lr_test(model.fit(order_effect=True)), robust.goodness_of_fit):
        with pytest.raises(InputError, match="assumes independent comparisons and ignores cov_type='HC0'"):
            call()


def test_profiles_that_fail_are_reported():
    res = BradleyTerry([[0, 3], [1, 0]]).fit(ref=1)
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        res.conf_int(1e-30, method="profile")


def test_profiles_of_nearly_separated_items():
    wins = np.array([[0, 400, 3], [1, 0, 2], [2, 1, 0.0]])
    res = BradleyTerry(wins).fit(ref=2)
    rows = [(i, j, 0, "win", wins[i, j]) for i in range(3) for j in range(3) if wins[i, j]]
    slow = Slow([((i + 1) % 3, (j + 1) % 3, h, o, w) for i, j, h, o, w in rows], 3)
    params = res.params.to_numpy()
    bounds = res.conf_int(method="profile")
    for k in range(2):
        expected = [slow.profile(params, k, side, 3.841458820694124 / 2, slow.llf) for side in (-1, 1)]
        np.testing.assert_allclose(bounds.iloc[k], expected, atol=1e-6)


def test_firth_scores_are_zero():
    from pwcstats.bradley_terry.likelihood import Point

    frame, _ = league(40, n=15)
    res = long_model(frame).fit("firth")
    assert isinstance(res._point, Point)
    assert np.abs(res._point.score).max() < 1e-9


def test_solutions_sum_to_zero():
    from pwcstats._kernels.laplacian import Graph

    rng = np.random.default_rng(0)
    for n in (20, 400):
        first = np.r_[np.arange(n - 1), rng.integers(n // 2, size=3 * n)].astype(np.int32)
        second = np.r_[np.arange(1, n), rng.integers(n // 2, n, size=3 * n)].astype(np.int32)
        graph, weight = Graph(first, second, n), rng.random(len(first))
        # The sum of b must not matter, whether it is a rounding error or not.
        b = rng.normal(size=(n, 11))
        x = graph.solver(weight, 1e-12)(b)
        b -= b.mean(axis=0)
        np.testing.assert_allclose(x.sum(axis=0), 0, atol=1e-10)
        laplacian = np.zeros((n, n))
        np.add.at(laplacian, (first, second), -weight)
        laplacian += laplacian.T
        laplacian -= np.diag(laplacian.sum(axis=1))
        np.testing.assert_allclose(laplacian @ x, b, atol=1e-9)


def test_one_item_against_many():
    frame, _ = league(41)
    res = BradleyTerry.from_comparisons(frame, "winner", "loser").fit()
    np.testing.assert_array_equal(res.predict("a", ["b", "c"]), res.predict(["a", "a"], ["b", "c"]))
    np.testing.assert_array_equal(res.predict(["b", "c"], "a"), res.predict(["b", "c"], ["a", "a"]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.fit(order_effect="no"), "order_effect must be True or False"),
        (lambda m: m.fit(cov="diag", n_projections=1), "n_projections must be a whole number of at least 2"),
        (lambda m: m.fit().ranks(random_state="x"), "random_state must be a whole number"),
        (lambda m: m.fit().bootstrap(5, random_state=-1), "random_state must be a whole number"),
        (lambda m: m.fit().wald_test([[np.nan, 1]]), "contrasts must be finite"),
        (lambda m: m.fit().lr_test(3), "needs another fit by BradleyTerry, got int"),
        (lambda m: m.fit(cov_type="cluster", cov_kwds="g"), "cov_kwds must be a dict"),
        (lambda m: m.fit().summary(max_rows=0), "max_rows must be a whole number of at least 2"),
        (lambda m: BradleyTerry(csr_array(np.ones((2, 2)))), "dense matrix, got a sparse one"),
        (lambda m: BradleyTerry(pd.concat({0: pd.DataFrame(np.ones((2, 2)))})), "one level of labels"),
        (lambda m: BradleyTerry.from_comparisons({"x": ["a"]}, first="x", second="x", wins=5), "two columns"),
        (lambda m: BradleyTerry.from_pairwise(np.full((2, 2), np.nan)), "fill it in, or give weight n = 0"),
        (
            lambda m: BradleyTerry([[0, 1], [1, 0]], pd.DataFrame(1, index=[0, 1], columns=["x", "y"])),
            "columns of tied",
        ),
    ],
)
def test_odd_requests(call, message):
    with pytest.raises(InputError, match=message):
        call(BradleyTerry([[0, 2], [1, 0]]))


def test_wald_tests_do_not_depend_on_the_scale_of_a_row():
    frame, _ = league(42)
    res = BradleyTerry.from_comparisons(frame, "winner", "loser").fit()
    rows = np.eye(6)[:3]
    one, two = res.wald_test(rows), res.wald_test(rows * [[1e-9], [1], [1e9]])
    assert one.statistic == pytest.approx(two.statistic)
    assert one.p_value == pytest.approx(two.p_value)
    assert one.df == 3


def test_estimates_that_are_all_but_infinite_are_not_silent():
    with pytest.warns(SeparationWarning, match=r"estimates of \(0, 1\) are practically infinite .* use method='firth'"):
        res = BradleyTerry([[0, 5], [1e-12, 0]]).fit()
    assert res.deviance >= 0
    r = [[0, 1 - 1e-9, 1 - 1e-9], [1e-9, 0, 0.7], [1e-9, 0.3, 0]]
    with pytest.warns(SeparationWarning, match="practically infinite"):
        BradleyTerry.from_pairwise(r).fit()


def test_a_chain_says_what_can_be_fitted():
    wins = np.zeros((12, 12))
    i = np.arange(11)
    wins[i, i + 1] = 1
    wins[4, 3] = wins[5, 4] = 1
    with pytest.raises(InputError, match=r"model.largest\(\) keeps the 3 items that can be fitted together"):
        BradleyTerry(wins).fit()


def test_names_with_blanks_are_quoted():
    model = BradleyTerry.from_comparisons(winner=["a ", "b", "c"], loser=["b", "c", "b"])
    with pytest.raises(InputError, match="'a ' never lost"):
        model.fit()


def test_rows_are_named_by_place_and_label():
    frame = pd.DataFrame({"w": ["a", "b", "c"], "l": ["b", "c", "c"]}, index=[0, 1, 0])
    with pytest.raises(InputError, match=r"row 2 \(labelled 0\) compares c with itself"):
        BradleyTerry.from_comparisons(frame, "w", "l")


def test_codes_of_winners_are_explained():
    frame = pd.DataFrame({"h": ["x", "y", "x"], "a": ["y", "x", "y"], "r": ["H", "D", "A"], "y": [1, 0, 1]})
    with pytest.raises(InputError, match=r"name of its column \('h' or 'a'\); row 0 has 'H' for x and y; recode"):
        BradleyTerry.from_comparisons(frame, first="h", second="a", winner="r", tie="D")
    with pytest.raises(InputError, match="row 0 has 1 for x and y; set tie to the values that are ties"):
        BradleyTerry.from_comparisons(frame, first="h", second="a", winner="y")
    mapped = frame.assign(r=frame["r"].map({"H": "h", "A": "a", "D": "draw"}))
    assert BradleyTerry.from_comparisons(mapped, first="h", second="a", winner="r", tie="draw").nobs == 3


def test_labels_that_are_tuples_in_a_list():
    model = BradleyTerry.from_comparisons(winner=[("a", 1), ("b", 2)], loser=[("b", 2), ("a", 1)])
    assert list(model.items) == [("a", 1), ("b", 2)]


def test_all_ties_and_none():
    tied = BradleyTerry(np.zeros((3, 3)), np.ones((3, 3)))
    with pytest.raises(InputError, match="all comparisons are ties.* ties='half'"):
        tied.fit(ties="davidson")
    assert tied.fit(ties="half").params.abs().max() < 1e-12
    assert tied.fit("firth", ties="davidson").converged


def test_order_that_is_known_is_said():
    frame, _ = league(43, order=True)
    res = long_model(frame).fit()
    assert "by who went first" in res.goodness_of_fit().null
    assert "Pairs, by order:" in str(res.summary())
    plain = BradleyTerry.from_comparisons(frame, "winner", "loser").fit()
    assert "by who went first" not in plain.goodness_of_fit().null
    np.testing.assert_allclose(plain.params, res.params, atol=1e-8)


def test_large_results_are_not_drawn_in_full():
    rng = np.random.default_rng(0)
    res = BradleyTerry(rng.integers(1, 4, size=(60, 60))).fit()
    axes = res.plot(top=10)
    labels = [tick.get_text() for tick in axes.get_yticklabels()]
    assert labels == [str(k) for k in res.params.sort_values(ascending=False).index[:10]]
    assert "the best 10 of 60 items" in axes.get_xlabel()
    names = np.arange(20_001)
    ring = BradleyTerry.from_comparisons(winner=np.r_[names, np.roll(names, 1)], loser=np.r_[np.roll(names, 1), names])
    with pytest.raises(InputError, match="the probabilities of 20001 items would take 3 GB"):
        ring.fit(cov="none").probabilities()


def test_one_term_may_be_a_name():
    frame, _ = league(44)
    res = BradleyTerry.from_comparisons(frame, "winner", "loser").fit()
    pd.testing.assert_frame_equal(res.conf_int(terms="b"), res.conf_int(terms=["b"]))


def test_the_cure_for_sparse_wins_is_one():
    wins = np.array([[0, 3, 0.5], [1, 0, 2], [0, 1.5, 0]])
    c = coo_array(wins)
    res = BradleyTerry.from_comparisons(winner=c.row, loser=c.col, weight=c.data).fit()
    np.testing.assert_allclose(res.params, BradleyTerry(wins).fit().params, atol=1e-9)


def test_kernels_refuse_arrays_of_another_type():
    """A silent copy would lose what a kernel writes."""
    from pwcstats import _native

    first, second, x = np.array([0, 1], np.int32), np.array([1, 2], np.int32), np.array([1.0, 2.0])
    out = np.zeros(3)
    _native.add_to_items(first, second, x, True, out)
    np.testing.assert_array_equal(out, [1.0, 1.0, -2.0])
    for bad in ((first.astype(np.int64), second, x, out), (first, second, x, np.zeros(3, np.float32))):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            _native.add_to_items(*bad[:3], True, bad[3])
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _native.add_to_items(first, second, x, True, np.zeros(6)[::2])
    with pytest.raises(ValueError, match="the size of b does not fit"):
        _native.conjugate_gradients(
            np.array([0, 1, 2], np.int32), np.array([1, 0], np.int32), x, x, np.ones((2, 9)), 1e-8, 5, np.zeros((2, 9))
        )
