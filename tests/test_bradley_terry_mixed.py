"""Bradley–Terry models with random effects, and items whose covariates are missing."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import chi2

from pwcstats import BradleyTerry, ConvergenceWarning, InputError, MixedBradleyTerryResults, SeparationWarning

# The estimates are computed twice, by different code.
SAME = 1e-7
# Wald and likelihood-ratio statistics, and their intervals, agree to this in a sample of 600 games.
ASYMPTOTIC, ASYMPTOTIC_BOUND = 0.1, 0.01
# The means of a seeded simulation are recorded with three decimals; this allows two units of the last one.
RECORDED = 0.002


def season(n_items=12, n_games=300, seed=0, *, sigma=0.8, gamma=0.6, order=0.0):
    """Games of items with one covariate and a random effect; `first` is at home."""
    rng = np.random.default_rng(seed)
    names = [f"team{k:02d}" for k in range(n_items)]
    size = rng.normal(size=n_items)
    ability = gamma * size + sigma * rng.normal(size=n_items)
    first = rng.integers(0, n_items, n_games)
    second = (first + rng.integers(1, n_items, n_games)) % n_items
    won = rng.random(n_games) < expit(ability[first] - ability[second] + order)
    games = pd.DataFrame({"home": np.array(names)[first], "away": np.array(names)[second]})
    games["winner"] = np.where(won, games["home"], games["away"])
    return games, pd.DataFrame({"size": size}, index=names)


def fit(games, **options):
    return BradleyTerry.from_comparisons(games, first="home", second="away", winner="winner").fit(**options)


GAMES, ITEMS = season()
LAPLACE = fit(GAMES, covariates=ITEMS, random_effects=True)
PQL = fit(GAMES, covariates=ITEMS, random_effects="pql")


@pytest.mark.parametrize("res", [LAPLACE, PQL], ids=["laplace", "pql"])
def test_results_hang_together(res):
    assert isinstance(res, MixedBradleyTerryResults)
    assert list(res.params.index) == ["size"]
    assert res.df_model == 2
    assert res.aic == pytest.approx(4 - 2 * res.llf)
    assert res.bic == pytest.approx(2 * np.log(res.nobs) - 2 * res.llf)
    effects, abilities = res.random_effects(), res.abilities()
    whole = ITEMS["size"] * res.params["size"] + effects["effect"]
    np.testing.assert_allclose(abilities["ability"], whole - whole.mean(), atol=1e-12)
    assert abilities["ability"].sum() == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(res.bse, np.sqrt(np.diag(res.cov_params())))
    d = abilities["ability"]["team00"] - abilities["ability"]["team01"]
    assert res.predict("team00", "team01") == pytest.approx(expit(d))
    predicted = res.predict(["team00"], ["team01"], outcome="link", se=True).iloc[0]
    assert predicted["std_error"] == pytest.approx(res.contrast("team00", "team01").std_error)
    with pytest.raises(InputError, match="first must be one of the items"):
        res.predict("team99", "team01")


def test_standard_errors_follow_from_hendersons_equations():
    first, second = (ITEMS.index.get_indexer(GAMES[name]) for name in ("home", "away"))
    z = np.eye(len(ITEMS))[first] - np.eye(len(ITEMS))[second]
    both = np.column_stack([z @ ITEMS["size"], z])
    p = LAPLACE.predict(GAMES["home"], GAMES["away"])
    information = both.T @ (both * (p * (1 - p))[:, None])
    information[1:, 1:] += np.eye(len(ITEMS)) / LAPLACE.sigma**2
    cov = np.linalg.inv(information)
    np.testing.assert_allclose(LAPLACE.random_effects()["std_error"], np.sqrt(np.diag(cov))[1:], atol=SAME)
    wide = np.column_stack([ITEMS["size"], np.eye(len(ITEMS))])
    wide -= wide.mean(axis=0)
    np.testing.assert_allclose(LAPLACE.abilities()["std_error"], np.sqrt(np.diag(wide @ cov @ wide.T)), atol=SAME)


def test_abilities_are_shrunken():
    free = fit(GAMES).abilities()["ability"]
    only = fit(GAMES, random_effects=True)
    assert len(only.params) == 0
    shrunken = only.abilities()["ability"]
    assert shrunken.std() < 0.9 * free.std()
    assert np.corrcoef(shrunken, free)[0, 1] > 0.98
    # A random effect with given variance is a Gaussian prior, but for its mean, which is 0 and not estimated.
    ridge = fit(GAMES, method="ridge", prior_sd=only.sigma).abilities()["ability"]
    np.testing.assert_allclose(shrunken, ridge, atol=1e-6)


def test_variance_component():
    found = LAPLACE.variance_component()
    without = fit(GAMES, covariates=ITEMS)
    statistic = 2 * (LAPLACE.llf - without.llf)
    assert found.estimate == LAPLACE.sigma
    assert found.statistic == pytest.approx(statistic, abs=SAME)
    assert found.p_value == pytest.approx(0.5 * chi2.sf(statistic, 1))
    low, high = found.conf_int
    assert 0.0 < low < LAPLACE.sigma < high
    narrow = LAPLACE.variance_component(alpha=0.5).conf_int
    assert low < narrow[0] < narrow[1] < high
    wald = PQL.variance_component()
    assert np.sqrt(wald.conf_int[0] * wald.conf_int[1]) == pytest.approx(PQL.sigma)
    assert "cannot include 0" in wald.notes[0]


@pytest.mark.parametrize("kind", ["laplace", "pql"])
def test_no_variance(kind):
    """All items are equally good, and win half of their games."""
    games = pd.DataFrame({"home": list("abc") * 2, "away": list("bca") * 2, "winner": [*"abc", *"bca"]})
    res = fit(games, random_effects=kind)
    assert res.sigma == 0.0
    assert not res.random_effects().to_numpy().any()
    found = res.variance_component()
    assert (found.statistic, found.p_value) == (0.0, 1.0)
    assert "The estimate is 0" in found.notes[0]
    assert (found.conf_int is None) == (kind == "pql")
    assert "this is the model without random effects" in str(res.summary())
    with pytest.raises(InputError, match=r"standard deviation of the random effects is estimated as 0|has no profile"):
        res.conf_int(method="profile")


def test_interval_that_includes_zero():
    games, items = season(8, 60, seed=0, sigma=0.5)
    res = fit(games, covariates=items, random_effects=True)
    assert 0.0 < res.sigma
    found = res.variance_component()
    assert found.conf_int[0] == 0.0
    assert found.notes == ("The interval includes 0.",)


def test_order_effect_and_contest_covariates():
    games, items = season(seed=1, n_games=600, order=0.5)
    games["rest"] = np.random.default_rng(5).normal(size=len(games))
    model = BradleyTerry.from_comparisons(games, first="home", second="away", winner="winner")
    res = model.fit(order_effect=True, covariates=items, contest="rest", random_effects=True)
    assert list(res.params.index) == ["size", "(order)", "rest"]
    neutral = res.predict("team00", "team01", neutral=True, outcome="link")
    assert res.predict("team00", "team01", outcome="link") == pytest.approx(neutral + res.params["(order)"])
    rested = res.predict("team00", "team01", outcome="link", contest={"rest": 2.0})
    assert rested == pytest.approx(neutral + res.params["(order)"] + 2 * res.params["rest"])
    test = res.lr_test(model.fit(order_effect=True, covariates=items, random_effects=True))
    assert test.df == 1
    assert test.statistic == pytest.approx(res.tvalues["rest"] ** 2, rel=ASYMPTOTIC)
    bounds, wald = res.conf_int(method="profile", terms=["(order)"]), res.conf_int(terms=["(order)"])
    np.testing.assert_allclose(bounds, wald, atol=ASYMPTOTIC_BOUND)


def test_ties_are_half_a_win_for_each():
    games, items = season(seed=2)
    tied = games.copy()
    tied.loc[:20, "winner"] = "tie"
    model = BradleyTerry.from_comparisons(tied, first="home", second="away", winner="winner", tie="tie")
    res = model.fit(ties="half", covariates=items, random_effects=True)
    assert res.converged
    with pytest.raises(InputError, match="are ties, but ties='none' does not allow ties"):
        model.fit(covariates=items, random_effects=True)


def test_disconnected_items_have_predictions():
    games = pd.concat([GAMES, pd.DataFrame({"home": ["x"], "away": ["y"], "winner": ["x"]})])
    res = fit(games, random_effects=True)
    effects = res.random_effects()["effect"]
    assert effects["x"] == pytest.approx(-effects["y"])
    assert 0.0 < effects["x"] < 1.5


def test_separated_fixed_effects_are_refused():
    games = GAMES.assign(sign=np.where(GAMES["winner"] == GAMES["home"], 1.0, -1.0))
    model = BradleyTerry.from_comparisons(games, first="home", second="away", winner="winner")
    with pytest.raises(InputError, match="'sign' is never on the losing side"):
        model.fit(contest=["sign"], random_effects=True)
    with pytest.raises(InputError, match="'double' is not identified"):
        model.fit(covariates=ITEMS.assign(double=2 * ITEMS["size"]), random_effects=True)


def test_unbounded_variance_is_refused():
    first, second = np.triu_indices(8, 1)
    games = pd.DataFrame({"home": first, "away": second, "winner": first})
    games = pd.concat([games] * 5)
    with pytest.raises(InputError, match="standard deviation of the random effects would be infinite"):
        fit(games, random_effects=True)


def test_too_few_iterations():
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        res = fit(GAMES, covariates=ITEMS, random_effects="pql", maxiter=1)
    assert not res.converged


def test_reports():
    summary = str(LAPLACE.summary())
    for text in ("Mixed Bradley-Terry", "Laplace", "Fixed effects", "Random effects", f"{LAPLACE.sigma:.4f}"):
        assert text in summary
    assert "at the estimates" in str(PQL.summary())
    assert json.dumps(LAPLACE.to_dict())
    assert list(LAPLACE.tidy()["term"]) == ["size", "(sigma)"]
    assert LAPLACE.tidy().loc[1, "std_error"] == LAPLACE.variance_component().std_error
    assert LAPLACE.glance().loc[0, "sigma"] == LAPLACE.sigma
    assert LAPLACE.glance().loc[0, "method"] == "laplace"
    board = LAPLACE.leaderboard()
    assert "shrunken by the random effects" in str(board)
    assert list(board.frame["item"]) == list(LAPLACE.abilities(sort=True).index)
    assert len(LAPLACE.plot().get_yticklabels()) == len(ITEMS)
    again = pickle.loads(pickle.dumps(LAPLACE))
    pd.testing.assert_frame_equal(again.abilities(), LAPLACE.abilities())


def test_boards_of_categories_have_random_effects():
    games = GAMES.assign(half=np.where(np.arange(len(GAMES)) < 150, "autumn", "spring"))
    model = BradleyTerry.from_comparisons(games, first="home", second="away", winner="winner")
    items = ITEMS.copy()
    items.iloc[3] = np.nan
    res = model.fit(covariates=items, random_effects="pql")
    board = res.leaderboard(by="half").frame
    some = BradleyTerry.from_comparisons(games[:150], first="home", second="away", winner="winner")
    expected = some.fit(covariates=items, random_effects="pql").abilities()["ability"]
    found = board[board["category"] == "autumn"].set_index("item")["ability"][expected.index]
    np.testing.assert_allclose(found - found.mean(), expected, atol=SAME)


def test_what_is_refused():
    for call, message in (
        (LAPLACE.goodness_of_fit, "no test of goodness of fit"),
        (LAPLACE.bootstrap, "comparisons are not independent"),
        (lambda: LAPLACE.abilities(method="profile"), "predicted abilities have no profile likelihood"),
        (lambda: PQL.conf_int(method="profile"), "does not maximise a likelihood"),
        (lambda: LAPLACE.lr_test(fit(GAMES, covariates=ITEMS)), "needs another fit|with or two without"),
        (lambda: fit(GAMES, covariates=ITEMS).lr_test(LAPLACE), "variance_component"),
        (lambda: PQL.lr_test(fit(GAMES, random_effects="pql")), "does not maximise a likelihood"),
    ):
        with pytest.raises(InputError, match=message):
            call()


def test_updates_are_fits_to_all_comparisons():
    model = BradleyTerry.from_comparisons(GAMES[:200], first="home", second="away", winner="winner")
    res = model.fit(covariates=ITEMS, random_effects=True).update(GAMES[200:])
    assert res.sigma == pytest.approx(LAPLACE.sigma, abs=SAME)
    np.testing.assert_allclose(res.params, LAPLACE.params, atol=SAME)


# Missing covariates


def with_missing(*names):
    items = ITEMS.assign(kind=["p", "q"] * 6)
    items.loc[list(names), "size"] = np.nan
    return items


def test_items_with_missing_covariates_have_their_own_ability():
    """As if they had an indicator variable each."""
    own = ["team03", "team07"]
    res = fit(GAMES, covariates="size + kind", item_data=with_missing(*own))
    assert list(res.params.index) == [*own, "kind[T.q]", "size"]
    items = with_missing()[["size"]].assign(q=[0.0, 1.0] * 6)
    items.loc[own] = 0.0
    for name in own:
        items[name] = (items.index == name).astype(float)
    expected = fit(GAMES, covariates=items)
    np.testing.assert_allclose(res.params, expected.params[[*own, "q", "size"]], atol=SAME)
    np.testing.assert_allclose(res.bse, expected.bse[[*own, "q", "size"]], atol=SAME)
    assert "have an ability of their own: (team03, team07)." in str(res.summary())
    np.testing.assert_allclose(res.abilities(), expected.abilities(), atol=SAME)


@pytest.mark.parametrize("kind", ["laplace", "pql"])
def test_items_with_missing_covariates_have_no_random_effect(kind):
    res = fit(GAMES, covariates=with_missing("team03")[["size"]], random_effects=kind)
    assert list(res.params.index) == ["team03", "size"]
    assert "team03" not in res.random_effects().index
    assert len(res.random_effects()) == len(ITEMS) - 1
    ability = res.abilities()["ability"]
    whole = res.params["size"] * ITEMS["size"] + res.random_effects()["effect"]
    whole["team03"] = res.params["team03"]
    np.testing.assert_allclose(ability, whole - whole.mean(), atol=1e-12)


def test_only_levels_of_complete_items_are_coded():
    items = with_missing()
    items["kind"] = ["p", "q", "r", *["p", "q"] * 4, "p"]
    items.loc["team02", "size"] = np.nan
    res = fit(GAMES, covariates="size + kind", item_data=items)
    assert list(res.params.index) == ["team02", "kind[T.q]", "size"]


@pytest.mark.parametrize("method", ["mle", "firth"])
@pytest.mark.parametrize(("winner", "bound"), [("new", np.inf), ("team00", -np.inf)])
def test_items_with_infinite_ability(method, winner, bound):
    """Games of such an item say nothing about the others."""
    more = pd.DataFrame({"home": ["new", "new"], "away": ["team00", "team00"], "winner": [winner] * 2})
    games = pd.concat([GAMES, more], ignore_index=True)
    items = pd.concat([ITEMS, pd.DataFrame({"size": [np.nan]}, index=["new"])])
    if method == "firth":
        res = fit(games, method=method, covariates=items)
        assert np.isfinite(res.params["new"])
        return
    with pytest.warns(SeparationWarning, match=f"new never {'lost to' if bound > 0 else 'beat'}"):
        res = fit(games, covariates=items, order_effect=True)
    expected = fit(GAMES, covariates=ITEMS, order_effect=True)
    np.testing.assert_allclose(res.params, expected.params, atol=SAME)
    np.testing.assert_allclose(res.bse, expected.bse, atol=SAME)
    assert res.llf == pytest.approx(expected.llf)
    assert res.df_model == expected.df_model + 1
    abilities = res.abilities()
    assert abilities.loc["new", "ability"] == bound
    np.testing.assert_allclose(abilities.drop("new"), expected.abilities(), atol=SAME)
    assert res.predict("new", "team00") == (bound > 0)
    np.testing.assert_allclose(res.resid("response"), [*expected.resid("response"), 0, 0], atol=SAME)
    assert res.deviance == pytest.approx(expected.deviance)
    assert "It is infinite for (new)." in str(res.summary())
    for call in (lambda: res.contrast("new", "team00"), res.ranks, res.quasi_variances, res.leaderboard, res.contrasts):
        with pytest.raises(InputError, match="the ability of new is infinite"):
            call()
    robust = {"covariates": items, "cov_type": "HC0"}
    with pytest.warns(SeparationWarning, match="never"):
        sandwich = fit(games, **robust)
    np.testing.assert_allclose(sandwich.bse, fit(GAMES, covariates=ITEMS, cov_type="HC0").bse, atol=SAME)


def test_infinite_abilities_in_a_chain():
    """Two items with missing covariates: one beat the other, which beat all others."""
    more = pd.DataFrame({"home": ["x", "y"], "away": ["y", "team00"], "winner": ["x", "y"]})
    games = pd.concat([GAMES, more], ignore_index=True)
    items = pd.concat([ITEMS, pd.DataFrame({"size": [np.nan] * 2}, index=["x", "y"])])
    with pytest.warns(SeparationWarning, match="'x', 'y'|x, y"):
        res = fit(games, covariates=items, random_effects=True)
    assert res.llf == pytest.approx(LAPLACE.llf, abs=SAME)
    np.testing.assert_allclose(res.params, LAPLACE.params, atol=1e-6)
    assert np.isinf(res.abilities().loc[["x", "y"], "ability"]).all()


@pytest.mark.filterwarnings("ignore::pwcstats.errors.SeparationWarning")
@pytest.mark.parametrize("seed", range(40))
def test_small_and_hard_data(seed):
    """There is a result without further warnings, or a sentence about why there is none."""
    rng = np.random.default_rng(seed)
    n_items, n, p = (int(rng.integers(*bounds)) for bounds in ((2, 12), (2, 40), (0, 3)))
    first = rng.integers(0, n_items, n)
    second = (first + rng.integers(1, n_items, n)) % n_items
    z = rng.normal(size=(n_items, p)) * 10.0 ** rng.integers(-6, 6)
    if seed % 3 == 0 and p:
        z[rng.integers(0, n_items, 2)] = np.nan
    model = BradleyTerry.from_comparisons(winner=first, loser=second, weight=rng.choice([1, 1, 3, 100], n))
    for kind in ("laplace", "pql"):
        try:
            res = model.fit(covariates=z[model.items] if p else None, random_effects=kind)
        except InputError:
            continue
        assert res.converged
        assert np.isfinite(res.variance_component().estimate)
        assert res.abilities()["ability"].notna().all()
        if kind == "laplace" and res.sigma > 0.0:
            bounds = res.conf_int(method="profile")
            assert (bounds[0] < res.params).all()
            assert (res.params < bounds[1]).all()


# How good the estimates are


@pytest.mark.slow
@pytest.mark.one_environment
def test_coverage():
    """150 samples of 30 items with one covariate and 5 games of each item.

    The standard error of a coverage of 95 % is 1.8 %.
    """
    gamma, sigma = 0.6, 1.0
    found = {"laplace": [], "pql": []}
    for seed in range(150):
        games, items = season(30, 75, seed=1000 + seed, sigma=sigma, gamma=gamma)
        for kind, rows in found.items():
            res = fit(games, covariates=items, random_effects=kind)
            low, high = res.conf_int().loc["size"]
            bounds = res.variance_component().conf_int or (0.0, 0.0)
            rows.append([res.params["size"], res.sigma, low <= gamma <= high, bounds[0] <= sigma <= bounds[1]])
    laplace, pql = (np.mean(rows, axis=0) for rows in found.values())
    np.testing.assert_allclose(laplace[:2], [0.606, 0.876], atol=RECORDED)
    # Quasi-likelihood is biased towards 0, which is why it is not the default.
    np.testing.assert_allclose(pql[:2], [0.491, 0.686], atol=RECORDED)
    assert 0.91 <= laplace[2] <= 0.98
    assert 0.90 <= laplace[3] <= 0.98


def test_zero_standard_deviation_is_the_reason_for_intervals_without_length():
    res = BradleyTerry([[0, 5, 5], [5, 0, 5], [5, 5, 0]], items=list("abc")).fit(random_effects=True)
    assert res.sigma == 0
    reason = "the standard deviation of the random effects is estimated as 0"
    assert f"{reason}, so intervals are too short" in res.leaderboard().notes
    assert res.contrasts().notes == (f"3 pairs without a test: {reason}",)
    with pytest.raises(InputError, match=f"the difference of a and b has no standard error: {reason}"):
        res.contrast("a", "b")
    with pytest.raises(InputError, match=f"have no standard error: {reason}"):
        res.comparison_intervals()
