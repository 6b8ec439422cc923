"""Sorted abilities and their profile intervals, simulated comparisons, and fits to further comparisons."""

import pickle

import numpy as np
import pandas as pd
import polars
import pytest

from pwcstats import BradleyTerry, InputError, LeftOutWarning, datasets
from pwcstats._kernels.tails import chi2_isf

WINS = pd.DataFrame(
    [[0, 30, 25, 28], [10, 0, 18, 22], [15, 22, 0, 24], [12, 18, 16, 0]], index=list("abcd"), columns=list("abcd")
)
# Two fits that stop at steps of 1e-5 differ by about the square of that.
SAME_FIT = 1e-8


@pytest.fixture(scope="module")
def votes():
    return datasets.load("arena").frame


def read(votes, **options):
    return BradleyTerry.from_comparisons(
        votes, **{"first": "first", "second": "second", "winner": "winner", "tie": "tie", **options}
    )


class TestAbilities:
    def test_sorted(self):
        res = BradleyTerry(WINS).fit()
        assert res.abilities(sort=True).index.tolist() == ["a", "c", "b", "d"]
        assert res.abilities().index.tolist() == list("abcd")

    def test_profile_intervals_are_those_of_the_parameters(self):
        res = BradleyTerry(WINS).fit()
        found = res.abilities(alpha=0.1, method="profile")
        np.testing.assert_allclose(found[["conf_low", "conf_high"]], res.conf_int(0.1, "profile"))
        assert not np.allclose(found["conf_low"], res.abilities(alpha=0.1)["conf_low"], atol=1e-4)

    def test_profile_of_the_reference(self):
        res = BradleyTerry(WINS).fit(ref="b")
        found = res.abilities(method="profile")
        assert found.loc["b"].tolist() == [0.0, 0.0, 0.0, 0.0]
        np.testing.assert_allclose(found.drop("b")[["conf_low", "conf_high"]], res.conf_int(method="profile"))

    def test_profile_with_one_covariate_is_a_multiple(self):
        z = pd.DataFrame({"size": [3.0, 1.0, 1.5, 0.5]}, index=list("abcd"))
        res = BradleyTerry(WINS).fit(covariates=z)
        low, high = res.conf_int(method="profile").iloc[0]
        found = res.abilities(method="profile")
        centred = z["size"] - z["size"].mean()
        ends = np.outer(centred, [low, high])
        # The third item has the mean of the covariate, so its ability is exactly 0.
        np.testing.assert_allclose(found[["conf_low", "conf_high"]], np.sort(ends, axis=1), atol=1e-7)

    def test_profile_bounds_lower_the_likelihood_by_half_a_quantile(self):
        """By definition: with the ability of an item fixed at its bound, the likelihood falls by 1.92."""
        res = BradleyTerry(WINS.iloc[:2, :2]).fit()
        bound = res.abilities(method="profile").loc["a", "conf_high"]
        p = 1 / (1 + np.exp(-2 * bound))
        np.testing.assert_allclose(res.llf - 30 * np.log(p) - 10 * np.log(1 - p), 0.5 * chi2_isf(0.05, 1), rtol=1e-6)

    def test_errors(self, votes):
        res = read(votes).fit(ties="half", cov_type="HC0")
        with pytest.raises(InputError, match="assumes independent comparisons"):
            res.abilities(method="profile")
        with pytest.raises(InputError, match="method must be one of 'wald', 'profile'"):
            res.abilities(method="exact")
        with pytest.raises(InputError, match="sort must be True or False"):
            res.abilities(sort="yes")


class TestSimulate:
    def test_means_are_the_expected_counts(self, votes):
        res = read(votes).fit(ties="davidson", order_effect=True)
        n = 400
        frame = res.simulate(n, random_state=0)
        counts = frame[["wins_first", "wins_second", "ties"]].to_numpy().reshape(n, -1, 3)
        expected = res._expected
        error = np.sqrt(expected * (1 - expected / expected.sum(axis=1, keepdims=True)) / n)
        z = (counts.mean(axis=0) - expected) / error
        assert np.abs(z).max() < 4.5
        assert abs((z**2).mean() - 1) < 0.2
        np.testing.assert_array_equal(counts.sum(axis=2), np.tile(res._likelihood.table.n, (n, 1)))

    def test_a_draw_can_be_fitted(self, votes):
        res = read(votes).fit(ties="davidson", order_effect=True)
        draws = res.simulate(2, random_state=3)
        assert draws.columns.tolist() == ["draw", "first", "second", "neutral", "wins_first", "wins_second", "ties"]
        fits = [
            BradleyTerry.from_comparisons(
                one, first="first", second="second", wins=["wins_first", "wins_second", "ties"], neutral="neutral"
            ).fit(ties="davidson", order_effect=True)
            for _, one in draws.groupby("draw")
        ]
        for fit in fits:
            assert fit.nobs == res.nobs
            assert (np.abs(fit.params - res.params) < 4 * res.bse).all()
        assert not np.allclose(fits[0].params, fits[1].params)

    def test_seeds(self):
        res = BradleyTerry(WINS).fit()
        one, two = (res.simulate(3, random_state=5) for _ in range(2))
        pd.testing.assert_frame_equal(one, two)
        assert one.columns.tolist() == ["draw", "first", "second", "wins_first", "wins_second", "ties"]
        assert (one["ties"] == 0).all()

    def test_errors(self, votes):
        with pytest.raises(InputError, match="cannot be simulated: ties='half' has no probability of a tie"):
            read(votes).fit(ties="half").simulate()
        with pytest.raises(InputError, match="cannot be simulated: the numbers of comparisons are not whole"):
            BradleyTerry(WINS * 1.31).fit().simulate()
        with pytest.raises(InputError, match="n must be a whole number of at least 1"):
            BradleyTerry(WINS).fit().simulate(0)


class TestUpdate:
    @pytest.mark.parametrize(
        "options",
        [
            {"ties": "half"},
            {"ties": "davidson", "order_effect": True},
            {"ties": "davidson", "ref": "Oak"},
            {"method": "firth", "ties": "half"},
            {"ties": "half", "cov_type": "cluster", "cov_kwds": {"groups": "user"}},
            {"ties": "half", "cov": "diag"},
        ],
    )
    def test_is_the_fit_to_all_comparisons(self, votes, options):
        whole = read(votes).fit(**options)
        updated = read(votes[:2900]).fit(**options).update(votes[2900:])
        np.testing.assert_allclose(updated.params, whole.params, atol=SAME_FIT)
        np.testing.assert_allclose(updated.bse, whole.bse, rtol=1e-6)
        assert updated.params.index.equals(whole.params.index)
        assert updated.n_iter < whole.n_iter
        assert updated.nobs == 3000
        np.testing.assert_allclose(updated.llf, whole.llf)

    def test_twice(self, votes):
        one = read(votes[:1500]).fit(ties="davidson")
        twice = one.update(votes[1500:2500]).update(votes[2500:])
        np.testing.assert_allclose(twice.params, read(votes).fit(ties="davidson").params, atol=SAME_FIT)
        assert one.nobs == 1500

    def test_new_items(self, votes):
        late = votes["first"].isin(["Birch", "Yew"]) | votes["second"].isin(["Birch", "Alder"])
        res = read(votes[~late]).fit(ties="half")
        assert "Birch" not in res.params.index
        updated = res.update(votes[late])
        whole = read(votes).fit(ties="half")
        assert updated.params.index.equals(whole.params.index)
        np.testing.assert_allclose(updated.params, whole.params, atol=SAME_FIT)

    def test_rows_stay_in_order(self, votes):
        updated = read(votes[:2000]).fit(ties="davidson").update(votes[2000:])
        whole = read(votes).fit(ties="davidson")
        pd.testing.assert_series_equal(updated.resid(), whole.resid(), atol=1e-6)
        board, expected = (res.leaderboard(by="language").frame for res in (updated, whole))
        pd.testing.assert_frame_equal(board, expected, atol=1e-6)

    def test_weights_and_counts(self, votes):
        weighted = votes.assign(w=np.linspace(0.0, 2.0, len(votes)))
        updated = read(weighted[:2000], weight="w").fit(ties="half").update(weighted[2000:])
        whole = read(weighted, weight="w").fit(ties="half")
        np.testing.assert_allclose(updated.params, whole.params, atol=SAME_FIT)
        pd.testing.assert_series_equal(updated.resid(), whole.resid(), atol=1e-6)
        counts = BradleyTerry(WINS).fit().simulate(2, random_state=0)
        options = {"first": "first", "second": "second", "wins": ["wins_first", "wins_second"]}
        parts = [counts[counts["draw"] == k] for k in (0, 1)]
        updated = BradleyTerry.from_comparisons(parts[0], **options).fit().update(parts[1])
        whole = BradleyTerry.from_comparisons(counts, **options).fit()
        np.testing.assert_allclose(updated.params, whole.params, atol=SAME_FIT)
        pd.testing.assert_series_equal(updated.resid(), whole.resid(), atol=1e-6)

    def test_matrices(self):
        res = BradleyTerry(WINS).fit()
        for more in (WINS, WINS.to_numpy(), BradleyTerry(WINS), WINS.iloc[::-1, ::-1]):
            np.testing.assert_allclose(res.update(more).params, res.params, atol=SAME_FIT)
            assert res.update(more).nobs == 2 * res.nobs

    def test_a_model_of_new_comparisons(self, votes):
        arrays = {name: votes[name][:2900].to_numpy() for name in ("first", "second", "winner")}
        rest = read(votes[2900:])
        res = BradleyTerry.from_comparisons(
            first=arrays["first"],
            second=arrays["second"],
            winner=np.where(arrays["winner"] == "tie", "tie", np.where(arrays["winner"] == "first", *_sides(arrays))),
            tie=["tie"],
        ).fit(ties="half")
        np.testing.assert_allclose(res.update(rest).params, read(votes).fit(ties="half").params, atol=SAME_FIT)
        with pytest.raises(InputError, match="update reads columns by their names, but the model was made from arrays"):
            res.update(votes[2900:])

    def test_formulas_and_covariates(self, votes):
        items = sorted(set(votes["first"]))
        data = pd.DataFrame({"size": np.arange(12.0) ** 0.5, "age": np.cos(np.arange(12))}, index=items)

        def fit(rows):
            shift = 2.0  # noqa: F841 - the formula looks it up here
            return read(rows).fit(ties="half", covariates="size + I(age * shift)", item_data=data)

        np.testing.assert_allclose(fit(votes[:2000]).update(votes[2000:]).params, fit(votes).params, atol=SAME_FIT)

    def test_after_pickle(self, votes):
        items = sorted(set(votes["first"]))
        data = pd.DataFrame({"size": np.arange(12.0) ** 0.5}, index=items)
        res = read(votes[:2000]).fit(ties="half", covariates="np.square(size)", item_data=data)
        again = pickle.loads(pickle.dumps(res))
        # A formula that needs variables around it cannot be evaluated again.
        with pytest.raises(InputError, match="'np' is neither one of the columns"):
            again.update(votes[2000:])
        res = read(votes[:2000]).fit(ties="half", covariates="size", item_data=data)
        again = pickle.loads(pickle.dumps(res)).update(votes[2000:])
        np.testing.assert_allclose(again.params, res.update(votes[2000:]).params, atol=SAME_FIT)

    def test_unknown_columns(self, votes):
        with pytest.raises(InputError, match="winner must be one of the columns of the data"):
            read(votes[:2900]).fit(ties="half").update(votes[2900:].drop(columns="winner"))


def _sides(arrays):
    return arrays["first"], arrays["second"]


# Models with contest covariates, other ties and priors.
RICH = {
    "contest": {"ties": "half", "contest": ["longer"]},
    "contest and order": {"ties": "davidson", "contest": ["longer"], "order_effect": True},
    "rao-kupper": {"ties": "rao-kupper", "order_effect": True},
    "ridge": {"method": "ridge", "ties": "half", "prior_sd": 1.0},
    "ghost": {"method": "ghost", "ties": "davidson", "order_effect": True},
}


@pytest.fixture(scope="module")
def rich(votes):
    return votes.assign(longer=np.random.default_rng(0).integers(-2, 3, len(votes)).astype(float))


@pytest.mark.parametrize("name", RICH)
class TestRichModels:
    def test_update(self, rich, name):
        whole = read(rich).fit(**RICH[name])
        updated = read(rich[:2900]).fit(**RICH[name]).update(rich[2900:])
        np.testing.assert_allclose(updated.params, whole.params, atol=SAME_FIT)
        assert updated.n_iter < whole.n_iter

    def test_update_with_new_items(self, rich, name):
        late = (rich["first"] == "Birch") | (rich["second"] == "Birch")
        whole = read(rich).fit(**RICH[name])
        updated = read(rich[~late]).fit(**RICH[name]).update(rich[late])
        np.testing.assert_allclose(updated.params, whole.params, atol=SAME_FIT)

    def test_residuals(self, rich, name):
        res = read(rich).fit(**RICH[name])
        has_contest = "contest" in RICH[name]
        new = {"contest": rich[["longer"]]} if has_contest else {}
        win, tie = (res.predict(rich["first"], rich["second"], outcome=outcome, **new) for outcome in ("win", "tie"))
        points = rich["winner"].map({"first": 1.0, "tie": 0.5, "second": 0.0}).to_numpy()
        expected = win + tie / 2
        np.testing.assert_allclose(res.resid("response"), points - expected, atol=1e-10)
        # Points of half a win are no outcome of their own.
        variance = win * (1 - win) if RICH[name]["ties"] == "half" else win + tie / 4 - expected**2
        np.testing.assert_allclose(res.resid("pearson"), (points - expected) / np.sqrt(variance), atol=1e-8)
        by_pair = res.resid("response", by="pair")
        assert len(by_pair) == len(rich[["first", "second"]].drop_duplicates())
        mean = pd.Series(points - expected).groupby([rich["first"].astype(str), rich["second"].astype(str)]).mean()
        np.testing.assert_allclose(by_pair[mean.index], mean, atol=1e-10)
        if name in ("contest", "contest and order"):
            np.testing.assert_allclose(res.resid(by="item"), 0.0, atol=1e-6)

    def test_working_residuals_use_the_derivative(self, rich, name):
        res = read(rich).fit(**RICH[name])
        d = res.predict(rich["first"], rich["second"], outcome="link", **self._new(rich, name))
        tie = res._likelihood.split(res._point.params)[2]
        step = 1e-6
        points = [p[:, 0] + p[:, 2] / 2 for p in (res.spec.tie_model.probabilities(d + s, tie) for s in (-step, step))]
        slope = (points[1] - points[0]) / (2 * step)
        np.testing.assert_allclose(res.resid("working"), res.resid("response") / slope, rtol=1e-6)

    def test_simulate(self, rich, name):
        res = read(rich).fit(**RICH[name])
        if RICH[name]["ties"] == "half":
            with pytest.raises(InputError, match="has no probability of a tie"):
                res.simulate()
            return
        n = 200
        frame = res.simulate(n, random_state=0)
        counts = frame[["wins_first", "wins_second", "ties"]].to_numpy().reshape(n, -1, 3)
        assert abs(counts.mean(axis=0) - res._expected).max() < 5 * np.sqrt(res._expected.max() / n)
        if "contest" in RICH[name]:
            again = BradleyTerry.from_comparisons(
                frame[frame["draw"] == 0],
                first="first",
                second="second",
                wins=["wins_first", "wins_second", "ties"],
                neutral="neutral",
            ).fit(**RICH[name])
            assert (np.abs(again.params - res.params) < 4 * res.bse).all()

    def test_leaderboard(self, rich, name):
        res = read(rich).fit(**RICH[name])
        board = res.leaderboard("win", by="language")
        assert len(board.frame) == 48
        german = read(rich[rich["language"] == "German"]).fit(**RICH[name]).leaderboard("win").frame
        found = board.frame[board.frame["category"] == "German"].drop(columns="category").reset_index(drop=True)
        pd.testing.assert_frame_equal(found, german)
        if name == "ridge":
            assert "Abilities have a normal prior with standard deviation 1" in board.notes

    def test_profile(self, rich, name):
        res = read(rich).fit(**RICH[name])
        found = res.abilities(method="profile")
        assert (found["conf_low"] < found["ability"]).all()
        assert (found["conf_high"] > found["ability"]).all()

    @staticmethod
    def _new(rich, name):
        return {"contest": rich[["longer"]]} if "contest" in RICH[name] else {}


def test_contest_as_an_array(rich):
    """The rows of an array are those of the category."""
    by_name, by_array = (read(rich).fit(ties="half", contest=x) for x in (["longer"], rich[["longer"]].to_numpy()))
    pd.testing.assert_frame_equal(by_name.leaderboard(by="language").frame, by_array.leaderboard(by="language").frame)
    with pytest.raises(InputError, match="contest must have one row for each of the 3001 comparisons"):
        by_array.update(rich[:1])


def test_contest_with_the_name_of_a_column(rich):
    res = read(rich.assign(draw=rich["longer"])).fit(ties="davidson", contest=["draw"])
    with pytest.raises(InputError, match=r"a contest covariate has the name of another column, \(draw\)"):
        res.simulate()


class TestSources:
    def test_lazy_frames(self, votes):
        text = votes.astype(str)
        columns = {"first": "first", "second": "second", "winner": "winner", "tie": "tie", "keep": ["user", "language"]}
        parts = [polars.DataFrame(part.to_dict("list")).lazy() for part in (text[:2500], text[2500:])]
        options = {"ties": "half", "cov_type": "cluster", "cov_kwds": {"groups": "user"}}
        updated = BradleyTerry.from_comparisons(parts[0], **columns).fit(**options).update(parts[1])
        whole = read(votes).fit(**options)
        np.testing.assert_allclose(updated.params, whole.params, atol=SAME_FIT)
        np.testing.assert_allclose(updated.bse, whole.bse, rtol=1e-7)
        board, expected = (res.leaderboard("elo", by="language").frame for res in (updated, whole))
        numbers = ["rank", "rank_low", "rank_high", "games", "rating", "conf_low", "conf_high"]
        np.testing.assert_allclose(board[numbers].astype(float), expected[numbers].astype(float), rtol=1e-6)
        with pytest.raises(InputError, match="keep"):
            BradleyTerry.from_comparisons(parts[0], **{**columns, "keep": None}).fit(ties="half").leaderboard(
                by="language"
            )

    def test_weighted_and_counted_rows(self, votes):
        """Robust standard errors know which rows are single observations."""
        counted = BradleyTerry(WINS).fit().simulate(random_state=1)
        columns = {"first": "first", "second": "second", "wins": ["wins_first", "wins_second"]}
        fractions = counted.assign(wins_first=counted["wins_first"] / 2, wins_second=counted["wins_second"] / 2)
        old = BradleyTerry.from_comparisons(counted, **columns).fit(cov_type="HC0")
        updated = old.update(fractions)
        # The sum of squares of the weights is what it is if the counted games have a row each.
        single = counted.loc[counted.index.repeat(counted["wins_first"] + counted["wins_second"])]
        n = single.groupby(level=0).cumcount()
        single = single.assign(
            wins_first=(n < single["wins_first"]).astype(float), wins_second=(n >= single["wins_first"]).astype(float)
        )
        whole = BradleyTerry.from_comparisons(pd.concat([single, fractions]), **columns).fit(cov_type="HC0")
        np.testing.assert_allclose(updated.params, whole.params, atol=SAME_FIT)
        np.testing.assert_allclose(updated.bse, whole.bse, rtol=1e-7)

    def test_columns_that_were_found(self, votes):
        arena = votes.rename(columns={"first": "model_a", "second": "model_b"})
        arena["winner"] = arena["winner"].map({"first": "model_a", "second": "model_b", "tie": "tie"}).astype(str)
        updated = BradleyTerry.from_comparisons(arena[:2900]).fit(ties="half").update(arena[2900:])
        np.testing.assert_allclose(updated.params, read(votes).fit(ties="half").params, atol=SAME_FIT)

    def test_the_largest_part(self):
        games = pd.DataFrame({"won": list("abcad"), "lost": list("bcaca")})
        with pytest.warns(LeftOutWarning):
            part = BradleyTerry.from_comparisons(games, "won", "lost").largest()
        updated = part.fit().update(pd.DataFrame({"won": ["d", "a"], "lost": ["a", "d"]}))
        assert updated.params.index.tolist() == list("abcd")
        assert updated.nobs == 6

    def test_several_sources(self):
        model = BradleyTerry(WINS)
        both = BradleyTerry.combine({"x": model, "y": model}).fit(cov_type="HC0")
        with pytest.raises(InputError, match="a model of several sources cannot be updated"):
            both.update(model)
        board = both.leaderboard("elo", by="source")
        assert board.categories == ["overall", "x", "y"]
