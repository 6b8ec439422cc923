"""Priors for sparse data (ridge, ghost item), and Rao and Kupper's model of ties."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import optimize
from scipy.special import expit

from pwcstats import BradleyTerry, InputError, PlackettLuce
from pwcstats.bradley_terry.ties import TIE_MODELS

# BFGS with numerical derivatives stops at 1e-6.
OPTIMISER = 2e-6
WINS = np.array([[0, 8, 3, 5], [2, 0, 4, 6], [3, 3, 0, 1], [1, 0, 2, 0]], float)
TIED = np.array([[0, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2], [0, 1, 2, 0]], float)


def games(pairs):
    return BradleyTerry.from_comparisons(winner=[a for a, _ in pairs], loser=[b for _, b in pairs])


def log_likelihood(ability):
    d = ability[:, None] - ability
    return -(WINS * np.logaddexp(0.0, -d)).sum()


def maximised(function, n):
    best = optimize.minimize(lambda x: -function(x), np.zeros(n), method="BFGS", options={"gtol": 1e-9})
    return best.x, -best.fun


# Priors


def ridge_penalty(ability, sd):
    return -((ability - ability.mean()) ** 2).sum() / (2 * sd**2)


def ghost_penalty(ability, ghost, pseudo):
    d = ability - ghost
    return -pseudo * (np.logaddexp(0, d) + np.logaddexp(0, -d)).sum()


@pytest.mark.parametrize("sd", [0.1, 1.0, 50.0])
def test_ridge_maximises_the_penalised_likelihood(sd):
    res = BradleyTerry(WINS).fit("ridge", prior_sd=sd)
    best, value = maximised(lambda x: log_likelihood(x) + ridge_penalty(x, sd), 4)
    np.testing.assert_allclose(res.params, best - best.mean(), rtol=0, atol=OPTIMISER)
    assert res.llf == pytest.approx(value, abs=1e-8)
    assert res.llf_unpenalized == pytest.approx(log_likelihood(res.params.to_numpy()), abs=1e-10)


@pytest.mark.parametrize("pseudo", [0.01, 0.5, 3.0])
def test_ghost_maximises_the_likelihood_with_pseudo_comparisons(pseudo):
    res = BradleyTerry(WINS).fit("ghost", pseudo=pseudo)
    best, value = maximised(lambda x: log_likelihood(x[:4]) + ghost_penalty(x[:4], x[4], pseudo), 5)
    np.testing.assert_allclose(res.params, best[:4] - best[:4].mean(), rtol=0, atol=OPTIMISER)
    assert res.llf == pytest.approx(value, abs=1e-8)


def test_ghost_is_one_more_item():
    """The ghost as an ordinary item gives the same abilities and covariances of the others."""
    wins = np.zeros((5, 5))
    wins[:4, :4] = WINS
    wins[:4, 4] = wins[4, :4] = 0.5
    plain, ghost = BradleyTerry(wins).fit(ref=0), BradleyTerry(WINS).fit("ghost", ref=0)
    np.testing.assert_allclose(ghost.params, plain.params[:3], rtol=0, atol=1e-9)
    np.testing.assert_allclose(ghost.cov_params(), plain.cov_params().iloc[:3, :3], rtol=0, atol=1e-9)


def test_covariance_of_ridge_is_that_of_the_posterior():
    sd = 0.8
    res = BradleyTerry(WINS).fit("ridge", prior_sd=sd)
    ability = res.params.to_numpy()
    n = WINS + WINS.T
    p = expit(ability[:, None] - ability)
    weight = n * p * (1 - p)
    centre = np.eye(4) - 0.25
    information = np.diag(weight.sum(axis=1)) - weight + centre / sd**2
    np.testing.assert_allclose(res.cov_params(), np.linalg.pinv(information), rtol=0, atol=1e-10)
    laplacian = np.diag(weight.sum(axis=1)) - weight
    assert res.df_model == pytest.approx(np.trace(np.linalg.pinv(information) @ laplacian), abs=1e-9)
    assert res.aic == pytest.approx(2 * (res.df_model - res.llf_unpenalized))


@pytest.mark.parametrize(("method", "options"), [("ridge", {"prior_sd": 2.0}), ("ghost", {})])
class TestSparse:
    def test_unbeaten_and_disconnected_items_have_abilities(self, method, options):
        model = games([("a", "b"), ("a", "b"), ("c", "d"), ("d", "c"), ("d", "c")])
        with pytest.raises(InputError, match="not connected"):
            model.fit()
        res = model.fit(method, **options)
        assert np.isfinite(res.abilities().to_numpy()).all()
        assert res.params["a"] == pytest.approx(-res.params["b"])
        assert res.params["a"] > res.params["d"] > 0 > res.params["c"]

    def test_a_thousand_to_nothing(self, method, options):
        res = games([("a", "b")] * 1000 + [("b", "c")]).fit(method, **options)
        assert np.isfinite(res.abilities().to_numpy()).all()
        assert res.converged
        assert res.params["a"] > 2 > res.params["b"]

    def test_reference_and_profile(self, method, options):
        res = BradleyTerry(WINS).fit(method, ref=2, **options)
        low, high = res.conf_int(method="profile", terms=[0]).iloc[0]
        free = BradleyTerry(WINS).fit(method, **options)
        assert res.params[0] == pytest.approx(free.params[0] - free.params[2], abs=1e-9)
        assert low < res.params[0] < high
        assert res.contrast(0, 2).estimate == pytest.approx(res.params[0])

    def test_order_effect_and_ties(self, method, options):
        frame = pd.DataFrame(
            {"a": list("xyzxyzxy"), "b": list("yzxzxyyx"), "w": ["a", "b", "tie", "a", "a", "b", "tie", "a"]}
        )
        model = BradleyTerry.from_comparisons(frame, first="a", second="b", winner="w", tie="tie")
        for ties in ("davidson", "rao-kupper", "half"):
            res = model.fit(method, ties=ties, order_effect=True, **options)
            assert np.isfinite(res.bse).all()
            gradient = res._likelihood.evaluate(res._point.params).score
            np.testing.assert_allclose(gradient, 0.0, atol=1e-7)

    def test_an_order_effect_that_no_outcome_contradicts(self, method, options):
        frame = pd.DataFrame({"a": list("xyz"), "b": list("yzx"), "w": "a"})
        model = BradleyTerry.from_comparisons(frame, first="a", second="b", winner="w")
        with pytest.raises(InputError, match=r"'\(order\)' is never on the losing side"):
            model.fit(method, order_effect=True, **options)

    def test_pickle_rank_sets_and_bootstrap(self, method, options):
        res = BradleyTerry(WINS).fit(method, **options)
        again = pickle.loads(pickle.dumps(res))
        pd.testing.assert_frame_equal(again.abilities(), res.abilities())
        assert list(res.ranks().columns) == ["ability", "rank", "rank_low", "rank_high"]
        assert res.bootstrap(20, random_state=0).n_failed == 0

    def test_standard_errors_of_many_items_are_close_to_exact_ones(self, method, options):
        rng = np.random.default_rng(0)
        n = 2500
        a = rng.integers(0, n, 20_000)
        b = (a + rng.integers(1, 40, 20_000)) % n
        model = BradleyTerry.from_comparisons(winner=a, loser=b)
        for ref in (None, 7):
            exact = model.fit(method, ref=ref, **options).bse
            rough = model.fit(method, ref=ref, cov="diag", n_projections=256, **options)
            np.testing.assert_allclose(rough.bse / exact, 1.0, atol=0.1)
            off = (rough.bse / exact - 1.0) / np.maximum(rough.bse_error, 1e-12)
            assert np.std(off) < 2.0
        assert np.isnan(rough.df_model)

    def test_what_does_not_go_together(self, method, options):
        model = BradleyTerry(WINS)
        with pytest.raises(InputError, match="goodness of fit needs unshrunken estimates"):
            model.fit(method, **options).goodness_of_fit()
        with pytest.raises(InputError, match="needs maximum likelihood fits"):
            model.fit(method, **options).lr_test(model.fit())
        with pytest.raises(InputError, match="is a prior for abilities, but with covariates"):
            model.fit(method, covariates=np.arange(4.0), **options)

    def test_the_summary_states_the_prior(self, method, options):
        text = str(BradleyTerry(WINS).fit(method, **options).summary())
        assert {"ridge": "normal prior with standard deviation 2", "ghost": "lost 0.5 comparisons"}[method] in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "ridge"}, "method='ridge' needs prior_sd"),
        ({"method": "ridge", "prior_sd": 0}, "prior_sd must be a number above 0, got 0"),
        ({"method": "ridge", "prior_sd": "1"}, "prior_sd must be a number above 0"),
        ({"method": "ghost", "prior_sd": 1}, "prior_sd is for method='ridge', got method='ghost'"),
        ({"method": "ghost", "pseudo": -1}, "pseudo must be a number above 0"),
        ({"method": "firth", "ties": "rao-kupper"}, "method='firth' does not support ties='rao-kupper'"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(InputError, match=message):
        BradleyTerry(WINS, TIED).fit(**{"ties": "half", **options})


def test_ridge_shrinks_from_equality_to_maximum_likelihood():
    spread = [np.ptp(BradleyTerry(WINS).fit("ridge", prior_sd=sd).params) for sd in (1e-3, 0.3, 1.0, 10.0, 1e4)]
    assert spread == sorted(spread)
    assert spread[0] < 1e-4
    assert spread[-1] == pytest.approx(np.ptp(BradleyTerry(WINS).fit().params), abs=1e-6)


@pytest.mark.slow
@pytest.mark.one_environment
def test_posterior_intervals_cover_abilities_that_are_drawn_from_the_prior():
    """If abilities are drawn from the prior, intervals of level 95 % contain 95 % of them; 2000 samples of 8 items.

    The posterior is nearly normal with 40 games of each pair. With 3 games, intervals contain 93.9 %.
    """
    rng = np.random.default_rng(3)
    covered = []
    i, j = np.triu_indices(8, 1)
    for _ in range(2000):
        ability = rng.normal(size=8)
        wins = np.zeros((8, 8))
        wins[i, j] = rng.binomial(40, expit(ability[i] - ability[j]))
        wins[j, i] = 40 - wins[i, j]
        frame = BradleyTerry(wins).fit("ridge", prior_sd=1.0).abilities()
        true = ability - ability.mean()
        covered.append(((frame["conf_low"] < true) & (true < frame["conf_high"])).mean())
    assert 0.94 < np.mean(covered) < 0.96


# Rao and Kupper


def test_rao_kupper_maximises_the_likelihood():
    res = BradleyTerry(WINS, TIED).fit(ties="rao-kupper")

    def value(x):
        ability, theta = x[:4], np.exp(np.exp(x[4]))
        pi = np.exp(ability)
        win = pi[:, None] / (pi[:, None] + theta * pi)
        tie = (theta**2 - 1) * pi[:, None] * pi / ((pi[:, None] + theta * pi) * (pi + theta * pi[:, None]))
        return (WINS * np.log(win)).sum() + np.triu(TIED * np.log(tie), 1).sum()

    best, top = maximised(value, 5)
    np.testing.assert_allclose(res.params[:-1], best[:4] - best[:4].mean(), rtol=0, atol=OPTIMISER)
    assert res.params["(tie)"] == pytest.approx(np.exp(best[4]), abs=OPTIMISER)
    assert res.llf == pytest.approx(top, abs=1e-8)
    assert res.tie_parameter().estimate == pytest.approx(np.exp(np.exp(best[4])), abs=1e-5)
    p = sum(res.probabilities(outcome) for outcome in ("win", "loss", "tie"))
    np.testing.assert_allclose(p.to_numpy()[~np.eye(4, dtype=bool)], 1.0, atol=1e-12)


@pytest.mark.parametrize("name", ["davidson", "rao-kupper"])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 40.0])
def test_derivatives_of_the_tie_models(name, scale):
    """Scores, information and shares of points against finite differences."""
    res = BradleyTerry(WINS, TIED).fit(ties=name)
    likelihood = res._likelihood
    rng = np.random.default_rng(0)
    params = np.append(scale * rng.normal(size=4), 0.7)
    point, step = likelihood.evaluate(params), 1e-6 * max(scale, 1.0)
    moved = [[likelihood.evaluate(params + s * step * e) for s in (-1, 1)] for e in np.eye(5)]
    score = [(up.value - down.value) / (2 * step) for down, up in moved]
    np.testing.assert_allclose(point.score, score, rtol=2e-5, atol=2e-5)
    hessian = [(up.score - down.score) / (2 * step) for down, up in moved]
    np.testing.assert_allclose(np.diag(hessian)[-1], -point.extra_information[-1, -1], rtol=1e-4, atol=1e-6)
    model = TIE_MODELS[name]
    d = scale * np.array([-1.0, -0.1, 0.3, 2.0])
    p = model.probabilities(d, 0.7)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    share = p[:, 0] + p[:, 2] / 2
    if scale < 10:
        np.testing.assert_allclose(model.own_estimate(share, 1 - share, 0.7), d, rtol=1e-6, atol=1e-9)
        up, down = (model.probabilities(d + e, 0.7) for e in (1e-6, -1e-6))
        slope = ((up - down)[:, 0] + (up - down)[:, 2] / 2) / 2e-6
        np.testing.assert_allclose(model.slope(p), slope, rtol=1e-5, atol=1e-8)
        for_d, for_tie = model.scores(p, 0.7)
        np.testing.assert_allclose(for_d, (np.log(up) - np.log(down)) / 2e-6, rtol=1e-5, atol=1e-6)
        up, down = (model.probabilities(d, 0.7 + e) for e in (1e-6, -1e-6))
        np.testing.assert_allclose(for_tie, (np.log(up) - np.log(down)) / 2e-6, rtol=1e-5, atol=1e-6)


def test_rao_kupper_without_ties_or_wins_says_so():
    with pytest.raises(InputError, match="no comparison is a tie, .* leave out ties='rao-kupper'.$"):
        BradleyTerry(WINS).fit(ties="rao-kupper")
    with pytest.raises(InputError, match="all comparisons are ties"):
        BradleyTerry(np.zeros((4, 4)) + 0 * WINS, TIED).fit(ties="rao-kupper")


def test_rao_kupper_with_almost_only_ties_and_almost_none():
    for wins, tied in ((WINS, TIED * 1e6), (WINS * 1e6, TIED)):
        res = BradleyTerry(wins, tied).fit(ties="rao-kupper")
        assert res.converged
        # The mean of the scores of all comparisons; at most 5e-13 with both versions of NumPy.
        np.testing.assert_allclose(res._likelihood.evaluate(res._point.params).score / res.nobs, 0.0, atol=5e-12)


@pytest.mark.slow
@pytest.mark.one_environment
def test_coverage_of_rao_kupper_intervals():
    """2000 samples; Wald intervals of log theta and of an ability."""
    rng = np.random.default_rng(2)
    ability, log_theta = np.array([0.6, 0.2, -0.2, -0.6]), 0.4
    i, j = np.triu_indices(4, 1)
    p = TIE_MODELS["rao-kupper"].probabilities(ability[i] - ability[j], log_theta)
    covered = []
    for _ in range(2000):
        counts = rng.multinomial(20, p)
        wins, tied = np.zeros((4, 4)), np.zeros((4, 4))
        wins[i, j], wins[j, i] = counts[:, 0], counts[:, 1]
        tied[i, j] = tied[j, i] = counts[:, 2]
        bounds = BradleyTerry(wins, tied).fit(ties="rao-kupper").conf_int()
        true = np.append(ability, log_theta)
        covered.append((bounds[0] < true) & (true < bounds[1]))
    share = np.mean(covered, axis=0)
    assert 0.935 < share.min()
    assert share.max() < 0.965


def test_ghost_is_that_of_rankings_without_ties_only():
    """With ties, comparisons with the ghost of a Plackett–Luce model reduce the tie parameter, as in R."""
    orders = [["a", "b"], ["b", "c"], ["c", "a"], ["a", "c"], ["b", "a"]]
    games = pd.DataFrame(orders, columns=["winner", "loser"])
    pairs = BradleyTerry.from_comparisons(games).fit("ghost")
    np.testing.assert_allclose(PlackettLuce.from_orderings(orders).fit("ghost").params, pairs.params, atol=1e-9)
    tied = games.assign(tie=[False] * 4 + [True])
    pairs = BradleyTerry.from_comparisons(tied, "winner", "loser", tie="tie").fit("ghost", ties="davidson")
    rankings = PlackettLuce.from_orderings([*orders[:4], [("b", "a")]]).fit("ghost")
    assert rankings.params["(tie2)"] < pairs.params["(tie)"] - 0.2


@pytest.mark.parametrize("method", ["mle", "firth"])
def test_pseudo_is_for_the_ghost(method):
    with pytest.raises(InputError, match=f"pseudo is for method='ghost', got method='{method}'"):
        BradleyTerry(WINS).fit(method, pseudo=1)


def test_only_ties_of_rao_and_kupper():
    """Firth's method, which is a cure for Davidson's ties, does not exist for these."""
    games = {"winner": list("abc"), "loser": list("bca"), "tie": [True] * 3}
    model = BradleyTerry.from_comparisons(games, "winner", "loser", tie="tie")
    with pytest.raises(InputError, match=r"would be infinite; use ties='half'\.$"):
        model.fit(ties="rao-kupper")
    with pytest.raises(InputError, match=r"would be infinite; use ties='half' or method='firth'\.$"):
        model.fit(ties="davidson")
