"""The Plackett–Luce model: against slow references, Bradley–Terry fits, choix, and the published results of R."""

import choix
import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

from pwcstats import BradleyTerry, ConvergenceWarning, InputError, LeftOutWarning, PlackettLuce, SeparationWarning
from pwcstats.bradley_terry.choices import Penalty, RankingLikelihood
from tests.reference_bradley_terry import SlowRankings

ROUNDING = 1e-9
# Of a general optimiser, which gets numerical derivatives.
OPTIMISER = 2e-5
# choix stops when the abilities change by less than 1e-8 per item on average, or by the rules of scipy.
CHOIX = 1e-5
# R prints so many digits.
FOUR_DIGITS, SIX_DIGITS = 5e-5, 5e-7


def random_rankings(rng, n, n_items, ties=0.0, full=False):
    """Lists of tuples of tied items."""
    rankings = []
    for _ in range(n):
        left = list(rng.permutation(n_items)[: n_items if full else rng.integers(2, n_items + 1)])
        ranking = []
        while left:
            size = 1 + (rng.random() < ties) + (rng.random() < ties / 2)
            ranking.append(tuple(int(i) for i in left[:size]))
            left = left[size:]
        rankings.append(ranking)
    return rankings


def connected_rankings(rng, n, n_items, ties=0.0):
    """The same, with rankings of all items in both directions, so that estimates exist."""
    both = [[(i,) for i in range(n_items)], [(i,) for i in reversed(range(n_items))]]
    return both + random_rankings(rng, n, n_items, ties)


def relative(params, n_items):
    """Parameters with the first item as reference."""
    params = np.asarray(params)
    return np.concatenate([params[1:n_items] - params[0], params[n_items:]])


# Against the slow reference


@pytest.mark.parametrize("unranked", ["absent", "last"])
@pytest.mark.parametrize("ties", [0.0, 0.4])
@pytest.mark.parametrize("seed", range(6))
def test_value_score_and_information(seed, ties, unranked):
    rng = np.random.default_rng(seed)
    n_items = int(rng.integers(2, 7))
    rankings = connected_rankings(rng, 8, n_items, ties)
    weight = rng.uniform(0.5, 3, len(rankings))
    slow = SlowRankings(rankings, n_items, weight, unranked=unranked)
    model = PlackettLuce.from_orderings(rankings, weight, unranked=unranked)
    params = np.concatenate([[0.0], rng.normal(size=slow.n_params)])
    likelihood = RankingLikelihood(model._choices, Penalty())
    point = likelihood.evaluate(params)
    np.testing.assert_allclose(point.llf, slow.llf(params[1:]), rtol=1e-12)
    np.testing.assert_allclose(point.score[1:], slow.score(params[1:]), atol=1e-11)
    np.testing.assert_allclose(likelihood.information(point)[1:, 1:], slow.information(params[1:]), atol=1e-11)
    # The slow reference has no derivatives of the penalty.
    penalised = RankingLikelihood(model._choices, Penalty(firth=True)).evaluate(params)
    np.testing.assert_allclose(penalised.value, slow.penalised(params[1:]), rtol=1e-10)
    units = 1e-5 * np.eye(slow.n_params)
    numerical = [(slow.penalised(params[1:] + u) - slow.penalised(params[1:] - u)) / 2e-5 for u in units]
    np.testing.assert_allclose(penalised.score[1:], numerical, atol=1e-6)


@pytest.mark.parametrize("method", ["mle", "firth", "ridge", "ghost"])
@pytest.mark.parametrize("ties", [0.0, 0.4])
def test_derivatives_are_those_of_the_value(method, ties):
    rng = np.random.default_rng(1)
    model = PlackettLuce.from_orderings(connected_rankings(rng, 10, 5, ties))
    penalty = {
        "mle": Penalty(),
        "firth": Penalty(firth=True),
        "ridge": Penalty(precision=0.3),
        "ghost": Penalty(pseudo=0.7),
    }[method]
    likelihood = RankingLikelihood(model._choices, penalty)
    params = rng.normal(size=likelihood.n_params)
    units = 1e-5 * np.eye(len(params))
    up, down = ([likelihood.evaluate(params + sign * u) for u in units] for sign in (1, -1))
    point = likelihood.evaluate(params)
    np.testing.assert_allclose(
        point.score, [(a.value - b.value) / 2e-5 for a, b in zip(up, down, strict=True)], atol=1e-7
    )
    if method != "firth":
        numerical = -np.array([(a.score - b.score) / 2e-5 for a, b in zip(up, down, strict=True)])
        np.testing.assert_allclose(likelihood.information(point), numerical, atol=1e-7)


@pytest.mark.parametrize("ties", [0.0, 0.4])
@pytest.mark.parametrize("seed", range(3))
def test_estimates_maximise_the_likelihood(seed, ties):
    rng = np.random.default_rng(seed)
    rankings = connected_rankings(rng, 12, 4, ties)
    slow = SlowRankings(rankings, 4)
    model = PlackettLuce.from_orderings(rankings)
    res = model.fit(ref=0)
    assert np.abs(slow.score(res.params.to_numpy())).max() < 1e-9
    np.testing.assert_allclose(res.cov_params(), np.linalg.inv(slow.information(res.params.to_numpy())), rtol=1e-8)
    np.testing.assert_allclose(res.llf, slow.llf(res.params.to_numpy()), rtol=1e-12)
    firth = model.fit(method="firth", ref=0)
    np.testing.assert_allclose(firth.params, slow.maximise(slow.penalised), atol=OPTIMISER)
    np.testing.assert_allclose(firth.llf, slow.penalised(firth.params.to_numpy()), rtol=1e-10)
    sd = 1.5

    def posterior(params):
        ability = np.concatenate([[0.0], params[:3]])
        return slow.llf(params) - 0.5 * np.sum((ability - ability.mean()) ** 2) / sd**2

    ridge = model.fit(method="ridge", prior_sd=sd, ref=0)
    np.testing.assert_allclose(ridge.params, slow.maximise(posterior), atol=OPTIMISER)
    assert ridge.llf_unpenalized == pytest.approx(slow.llf(ridge.params.to_numpy()), rel=1e-10)


@pytest.mark.parametrize("ties", [0.0, 0.4])
def test_the_ghost_is_an_item(ties):
    """Rankings with a further item give the same estimates and standard errors."""
    rankings = random_rankings(np.random.default_rng(3), 9, 4, ties)
    pairs = [pair for i in range(4) for pair in ([(i,), (4,)], [(4,), (i,)])]
    weight = [1.0] * len(rankings) + [0.5] * len(pairs)
    with_ghost = PlackettLuce.from_orderings(rankings + pairs, weight).fit(ref=0)
    res = PlackettLuce.from_orderings(rankings).fit(method="ghost", ref=0)
    kept = [name for name in with_ghost.params.index if name != 4]
    np.testing.assert_allclose(res.params, with_ghost.params[kept], atol=ROUNDING)
    np.testing.assert_allclose(res.bse, with_ghost.bse[kept], rtol=1e-8)
    assert 0 < res.df_model < with_ghost.df_model
    assert res.llf == pytest.approx(with_ghost.llf, rel=1e-12)
    assert res.params.index.equals(pd.Index(kept, dtype=object)) or list(res.params.index) == kept


# Two items


@pytest.mark.parametrize("method", ["mle", "firth", "ridge"])
@pytest.mark.parametrize("ties", ["none", "davidson"])
def test_pairs_are_bradley_terry(method, ties):
    rng = np.random.default_rng(4)
    games = pd.DataFrame(rng.integers(0, 5, (80, 2)), columns=["first", "second"])
    games = games[games["first"] != games["second"]].reset_index(drop=True)
    games["tie"] = (rng.random(len(games)) < 0.3) & (ties == "davidson")
    games["weight"] = rng.uniform(0.5, 2, len(games))
    options = {"prior_sd": 0.8} if method == "ridge" else {}
    expected = BradleyTerry.from_comparisons(games, "first", "second", "weight", "tie").fit(
        method=method, ties=ties, ref=2, **options
    )
    orderings = [[(a, b)] if tie else [a, b] for a, b, tie in games[["first", "second", "tie"]].itertuples(index=False)]
    res = PlackettLuce.from_orderings(orderings, games["weight"]).fit(method=method, ref=2, **options)
    np.testing.assert_allclose(res.params, expected.params, atol=ROUNDING)
    np.testing.assert_allclose(res.bse, expected.bse, rtol=1e-8)
    np.testing.assert_allclose(res.llf, expected.llf, rtol=1e-12)
    np.testing.assert_allclose(res.llf_unpenalized, expected.llf_unpenalized, rtol=1e-12)
    np.testing.assert_allclose([res.aic, res.bic], [expected.aic, expected.bic], rtol=1e-9)
    np.testing.assert_allclose(res.deviance, expected.deviance, rtol=1e-9)
    assert res.df_resid == expected.df_resid
    np.testing.assert_allclose(res.ranks()["rank_low"], expected.ranks()["rank_low"])
    np.testing.assert_allclose(res.quasi_variances(), expected.quasi_variances(), rtol=1e-6)
    for outcome in ("win", "loss", *(["tie"] if ties == "davidson" else [])):
        np.testing.assert_allclose(res.probabilities(outcome), expected.probabilities(outcome), atol=ROUNDING)
    profile, other = res.conf_int(method="profile", terms=[0, 1]), expected.conf_int(method="profile", terms=[0, 1])
    np.testing.assert_allclose(profile, other, atol=1e-6)
    pair, single = res.predict([3, 1], se=True), expected.predict(3, 1, se=True)
    np.testing.assert_allclose(pair.loc[3], np.asarray(single).ravel(), atol=1e-8)


def test_robust_covariances_of_pairs():
    rng = np.random.default_rng(5)
    games = pd.DataFrame(rng.integers(0, 4, (150, 2)), columns=["winner", "loser"])
    games = games[games["winner"] != games["loser"]].reset_index(drop=True)
    groups = rng.integers(0, 30, len(games))
    model = BradleyTerry.from_comparisons(games, "winner", "loser")
    rankings = PlackettLuce.from_orderings(games.to_numpy())
    for options in ({"cov_type": "HC0"}, {"cov_type": "cluster", "cov_kwds": {"groups": groups}}):
        expected, res = model.fit(**options), rankings.fit(**options)
        np.testing.assert_allclose(res.bse, expected.bse, rtol=1e-8)
        np.testing.assert_allclose(res.conf_int(), expected.conf_int(), rtol=1e-8)
    with pytest.raises(InputError, match="assumes independent comparisons"):
        res.conf_int(method="profile")


# Other packages


def simulate(rng, ability, n, length):
    items = np.array([rng.choice(len(ability), length, replace=False) for _ in range(n)])
    order = np.argsort(-(ability[items] + rng.gumbel(size=items.shape)), axis=1)
    return np.take_along_axis(items, order, axis=1)


@pytest.mark.parametrize("fit", [choix.opt_rankings, choix.ilsr_rankings, choix.mm_rankings])
def test_choix(fit):
    orderings = simulate(np.random.default_rng(6), np.linspace(-1, 1, 8), 150, 4)
    expected = fit(8, orderings.tolist())
    np.testing.assert_allclose(
        PlackettLuce.from_orderings(orderings).fit().params, expected - expected.mean(), atol=CHOIX
    )


def ranks(rows, names):
    """R writes 0 for items that were not ranked."""
    return pd.DataFrame(rows, columns=names, dtype=float).replace(0.0, np.nan)


# Davidson (1970), as in the data `pudding` of R's PlackettLuce: items, wins of the first and the second, ties.
PUDDING = """1 2 19 22 16; 1 3 16 19 12; 2 3 19 19 10; 1 4 18 23 13; 2 4 23 19 9; 3 4 19 20 15; 1 5 13 19 18;
2 5 16 20 12; 3 5 16 15 17; 4 5 17 14 16; 1 6 18 21 12; 2 6 22 20 12; 3 6 13 18 10; 4 6 14 19 18; 5 6 11 21 12"""


def test_pudding():
    """R's vignette stops after 7 iterations, to show the numbers of Davidson (1970)."""
    orderings, weight = [], []
    for row in PUDDING.split(";"):
        i, j, *counts = map(int, row.split())
        orderings += [[i, j], [j, i], [(i, j)]]
        weight += counts
    res = PlackettLuce.from_orderings(orderings, weight).fit(ref=1)
    expected = [0.2202, 0.1530, 0.1753, 0.1339, 0.3771, -0.2919]
    np.testing.assert_allclose(res.params, expected, atol=2e-4)
    np.testing.assert_allclose(res.bse, [0.1872, 0.1935, 0.1882, 0.1927, 0.1924, 0.0825], atol=FOUR_DIGITS)
    assert -2 * res.llf == pytest.approx(1619.4, abs=0.05)
    centred = PlackettLuce.from_orderings(orderings, weight).fit()
    errors = [0.121949, 0.121818, 0.126823, 0.122003, 0.127054, 0.126594, 0.082499]
    np.testing.assert_allclose(centred.bse, errors, atol=2e-6)
    # qvcalc() in the same vignette
    quasi = [0.1328950, 0.1327373, 0.1395740, 0.1330240, 0.1399253, 0.1392047]
    np.testing.assert_allclose(np.sqrt(res.quasi_variances()["quasi_variance"]), quasi, atol=1e-5)


def test_three_fruits():
    """A snapshot in R's tests/testthat/_snaps/S3-methods.md, with the default npseudo = 0.5."""
    table = ranks([[1, 2, 0], [3, 1, 2], [2, 1, 1], [1, 2, 3], [2, 1, 1], [1, 0, 2]], ["apple", "banana", "orange"])
    res = PlackettLuce.from_rankings(table).fit(method="ghost", ref="apple")
    np.testing.assert_allclose(res.params, [0.2867987, -0.4636687, -1.0701129], atol=SIX_DIGITS)
    assert -2 * res.llf_unpenalized == pytest.approx(21.61, abs=0.005)
    # Without the ghost's comparisons, the information at these estimates gives R's standard errors.
    data = RankingLikelihood(res.model._choices, Penalty())
    cov, _ = data.covariance(data.evaluate(np.concatenate([[0.0], res.params.to_numpy()])))
    differences = np.sqrt(np.diagonal(cov)[1:3] + cov[0, 0] - 2 * cov[0, 1:3])
    np.testing.assert_allclose([*differences, np.sqrt(cov[3, 3])], [1.0129, 1.0280, 0.9043], atol=FOUR_DIGITS)


def test_a_small_network():
    """Section "Disconnected networks" of R's vignette: D never ranks above another item."""
    orderings = [["A", "B"], ["C", "A"], ["A", "D"], ["B", "A"], ["B", "C"]]
    model = PlackettLuce.from_orderings(orderings)
    with pytest.raises(InputError, match="D never ranked above any of the others"):
        model.fit()
    np.testing.assert_allclose(
        model.fit(method="ghost", ref="A").params, [0.5184185, 0.1354707, -1.1537565], atol=SIX_DIGITS
    )
    without = PlackettLuce.from_orderings([ordering for ordering in orderings if "D" not in ordering]).fit(ref="A")
    np.testing.assert_allclose(without.params, [0.8392, 0.4196], atol=FOUR_DIGITS)
    np.testing.assert_allclose(without.bse, [1.3596, 1.5973], atol=FOUR_DIGITS)
    assert -2 * without.llf == pytest.approx(5.1356, abs=5e-5)


def test_orders_of_ties_that_do_not_occur_have_no_parameter():
    """As in R: ties of 2 and of 4 items, and none of 3 (tests/testthat/test-ties.R)."""
    table = ranks(
        [[1, 2, 0, 0], [4, 1, 2, 3], [2, 1, 1, 0], [1, 2, 3, 0], [2, 1, 3, 0], [1, 0, 3, 2], [1, 1, 1, 1]], list("abcd")
    )
    res = PlackettLuce.from_rankings(table).fit(ref="a")
    assert list(res.params.index) == ["b", "c", "d", "(tie2)", "(tie4)"]
    rankings = [[tuple(np.flatnonzero(row == rank)) for rank in sorted(set(row[row > 0]))] for row in table.to_numpy()]
    slow = SlowRankings(rankings, 4)
    assert slow.orders == [2, 4]
    assert np.abs(slow.score(res.params.to_numpy())).max() < 1e-9


# Existence


@pytest.mark.parametrize("ties", [0.0, 0.3, 0.7])
def test_existence_against_a_linear_program(ties):
    n_finite = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n_items = int(rng.integers(2, 6))
        rankings = random_rankings(rng, int(rng.integers(1, 12)), n_items, ties)
        used = sorted({i for ranking in rankings for tier in ranking for i in tier})
        rankings = [[tuple(used.index(i) for i in tier) for tier in ranking] for ranking in rankings]
        unranked = ("absent", "last")[seed % 2]
        model = PlackettLuce.from_orderings(rankings, unranked=unranked)
        if SlowRankings(rankings, len(used), unranked=unranked).exists():
            n_finite += 1
            assert model.fit().converged
        else:
            with pytest.raises(InputError, match="no maximum likelihood estimate|do not connect"):
                model.fit()
    assert 5 < n_finite < 60


@pytest.mark.parametrize(
    ("orderings", "message"),
    [
        ([["a", "b", "c"], ["a", "c", "b"]], "a never ranked below any of the others"),
        ([["a", "b", "c"], ["b", "a", "c"]], "c never ranked above any of the others"),
        ([["a", "b", "c", "d"], ["b", "a", "d", "c"]], r"\{a, b\} never ranked below"),
        ([["a", "b"], ["b", "a"], ["c", "d"], ["d", "c"]], r"2 groups that no ranking compares.* \{a, b\}, \{c, d\}"),
        ([["a", "b", "c"]], "a never ranked below any of the others, and c never ranked above"),
        ([[("a", "b")], [("b", "c")]], r"the parameter of ties \(tie2\) would be infinite"),
        ([[("a", "b", "c")], ["a", "b"], ["b", "a"], ["b", "c"], ["c", "b"]], r"\(tie3\) would be infinite"),
    ],
)
def test_messages_about_existence(orderings, message):
    model = PlackettLuce.from_orderings(orderings)
    with pytest.raises(InputError, match=message):
        model.fit()
    if "groups" not in message:
        assert np.isfinite(model.fit(method="firth").params).all()
    else:
        with pytest.raises(InputError, match=message):
            model.fit(method="firth")
    if "tie" not in message:
        for options in ({"method": "ridge", "prior_sd": 2.0}, {"method": "ghost"}):
            assert np.isfinite(model.fit(**options).params).all()


def test_a_prior_of_abilities_does_not_hold_tie_parameters():
    model = PlackettLuce.from_orderings([[("a", "b")], [("b", "c")]])
    with pytest.raises(InputError, match=r"\(tie2\) would be infinite"):
        model.fit(method="ridge", prior_sd=1.0)
    assert model.fit(method="ghost").converged
    model = PlackettLuce.from_orderings([[("a", "b", "c")], ["a", "b"], ["b", "a"]])
    with pytest.raises(InputError, match=r"\(tie3\) would be infinite"):
        model.fit(method="ghost")


# Extremes


@pytest.mark.parametrize("n_items", [3, 10, 30])
def test_the_same_ranking_twenty_times(n_items):
    res = PlackettLuce.from_orderings([range(n_items)] * 20).fit(method="firth")
    assert res.converged
    assert (np.diff(res.params) < 0).all()
    # The last choice is a pair: 20:0, whose penalised estimate is log 41.
    assert res.params[n_items - 2] - res.params[n_items - 1] == pytest.approx(np.log(41), abs=1.0)


@pytest.mark.parametrize("weight", [0.01, 1.0, 1e6, 1e12])
def test_the_scale_of_the_weights_does_not_matter(weight):
    rankings = connected_rankings(np.random.default_rng(7), 20, 6, 0.2)
    expected = PlackettLuce.from_orderings(rankings).fit()
    res = PlackettLuce.from_orderings(rankings, np.full(len(rankings), weight)).fit()
    assert res.converged
    np.testing.assert_allclose(res.params, expected.params, atol=ROUNDING)
    np.testing.assert_allclose(res.bse * np.sqrt(weight), expected.bse, rtol=1e-8)


@pytest.mark.parametrize("method", ["mle", "firth"])
@pytest.mark.parametrize("weight", [1e3, 1e6, 1e9, 1e12])
@pytest.mark.parametrize("n_items", [2, 5, 40])
def test_one_ranking_against_many(n_items, weight, method):
    """Abilities are far apart, and one ranking in the other direction keeps them finite."""
    orderings = [list(range(n_items)), list(range(n_items))[::-1]]
    res = PlackettLuce.from_orderings(orderings, [weight, 1.0]).fit(method=method)
    assert res.converged
    slow = SlowRankings([[(i,) for i in ordering] for ordering in orderings], n_items, [weight, 1.0])
    if method == "mle":
        # A Newton step of the reference does not move.
        params = relative(res.params, n_items)
        step = np.linalg.solve(slow.information(params), slow.score(params))
        assert np.abs(step).max() < 1e-3 or weight > 1e6
    if n_items == 2 and method == "mle":
        assert res.params[0] - res.params[1] == pytest.approx(np.log(weight), rel=1e-9)


def test_weights_of_very_different_sizes():
    rng = np.random.default_rng(8)
    rankings = connected_rankings(rng, 40, 7, 0.2)
    weight = 10 ** rng.uniform(-4, 5, len(rankings))
    res = PlackettLuce.from_orderings(rankings, weight).fit(ref=0)
    assert res.converged
    slow = SlowRankings(rankings, 7, weight)
    step = np.linalg.solve(slow.information(res.params.to_numpy()), slow.score(res.params.to_numpy()))
    assert np.abs(step).max() < 1e-8


def test_ties_only():
    """Firth: the same numbers as Davidson's model of two items."""
    model = PlackettLuce.from_orderings([[("a", "b")]] * 10)
    expected = BradleyTerry([[0, 0], [0, 0]], [[0, 10], [10, 0]]).fit(method="firth", ties="davidson")
    res = model.fit(method="firth")
    np.testing.assert_allclose(res.params, expected.params, atol=1e-8)


def test_an_estimate_that_is_practically_infinite():
    orderings = [["a", "b"], ["b", "a"]]
    with pytest.warns(SeparationWarning, match=r"\(a, b\) are practically infinite"):
        PlackettLuce.from_orderings(orderings, [1.0, 1e-12]).fit()


def test_too_few_steps():
    model = PlackettLuce.from_orderings(connected_rankings(np.random.default_rng(9), 20, 5))
    with pytest.warns(ConvergenceWarning, match="Plackett–Luce fit did not converge .*raise maxiter"):
        model.fit(maxiter=1)


def test_parts_do_not_change_the_bits(monkeypatch):
    """Parts depend on the data only, and each has its own sums."""
    rng = np.random.default_rng(10)
    model = PlackettLuce.from_orderings(simulate(rng, np.zeros(60), 4000, 12))
    first = model.fit()
    assert len(RankingLikelihood(model._choices, Penalty())._parts) > 1
    assert (model.fit().params == first.params).all()
    monkeypatch.setattr("pwcstats.bradley_terry.choices.PARTS", 1)
    np.testing.assert_allclose(model.fit().params, first.params, atol=1e-11)


# Reading


def test_the_three_forms_agree():
    orderings = [["a", "b", "c"], [("b", "c"), "a"], ["c", "a"], ["b", "a", "c"]]
    expected = PlackettLuce.from_orderings(orderings, [1, 2, 3, 4]).fit()
    long = pd.DataFrame(
        {
            "race": list("wwwxxxyyzzz"),
            "who": list("abcbcacabac"),
            "place": [1, 2, 3, 1, 1, 3, 1, 2, 1.5, 2.5, 10],
            "n": [1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4],
        }
    )
    names = {"ranking": "race", "item": "who", "position": "place"}
    shuffled = long.sample(frac=1, random_state=0)
    wide = pd.DataFrame([[1, 2, 3], [2, 1, 1], [2, np.nan, 1], [2, 1, 3]], columns=list("abc"))
    for model in (
        PlackettLuce.from_orderings(long, "n", **names),
        PlackettLuce.from_orderings(shuffled, "n", **names),
        PlackettLuce.from_orderings(long.to_dict("list"), "n", **names),
        PlackettLuce.from_orderings(long.astype({"who": "category"}), "n", **names),
        PlackettLuce.from_rankings(wide, [1, 2, 3, 4]),
        PlackettLuce.from_rankings(wide.assign(n=[1, 2, 3, 4]), "n"),
    ):
        np.testing.assert_allclose(model.fit().params, expected.params, atol=ROUNDING)
        assert list(model.items) == list("abc")
        assert model.nobs == 10


def test_weights_and_repeated_rankings():
    rankings = connected_rankings(np.random.default_rng(11), 6, 4, 0.3)
    weight = [2] * len(rankings)
    np.testing.assert_allclose(
        PlackettLuce.from_orderings(rankings, weight).fit().bse, PlackettLuce.from_orderings(rankings * 2).fit().bse
    )
    left_out = PlackettLuce.from_orderings([*rankings, [(9,), (8,)]], [*weight, 0])
    assert left_out.n_items == 4
    assert left_out.nobs == 2 * len(rankings)


def test_rankings_of_one_item_say_nothing():
    rankings = [["a", "b"], ["b", "a"], ["a"], ["c"]]
    model = PlackettLuce.from_orderings(rankings)
    assert list(model.items) == ["a", "b"]
    assert model.nobs == 2
    # But the first of a list tells who was best of all.
    top = PlackettLuce.from_orderings(rankings, unranked="last")
    assert list(top.items) == ["a", "b", "c"]
    assert top.nobs == 4


def test_items_that_are_never_ranked_come_last():
    wide = pd.DataFrame([[1, 2, np.nan], [2, 1, np.nan]], columns=list("abc"))
    assert list(PlackettLuce.from_rankings(wide).items) == ["a", "b"]
    with pytest.raises(InputError, match="c never ranked above"):
        PlackettLuce.from_rankings(wide, unranked="last").fit()


@pytest.mark.parametrize(
    ("orderings", "message"),
    [
        ([["a", "b"], ["a", "b", "a"]], "ordering 1 names a twice"),
        ([["a", ("b", "a")]], "ordering 0 names a twice"),
        ([["a", "b"], []], "ordering 1 is empty"),
        ([], "orderings is empty"),
        ("abc", "must be a list of orderings"),
        (["abc", "acb"], "ordering 0 must be a list of items"),
        ([["a", None]], "ordering 0 has None among its items"),
        ([["a", {"b": 1}]], "ordering 0 has .* among its items"),
        ([["a"], ["b"]], "no ranking has two items or more"),
        (3, "must be a list of orderings"),
    ],
)
def test_wrong_lists(orderings, message):
    with pytest.raises(InputError, match=message):
        PlackettLuce.from_orderings(orderings)


def test_wrong_frames():
    long = pd.DataFrame({"ranking": [1, 1, 2, 2], "item": list("abba"), "position": [1.0, 2, 1, 2]})
    with pytest.raises(InputError, match=r"row 1 has no value in 'position'"):
        PlackettLuce.from_orderings(long.assign(position=[1.0, np.nan, 1, 2]))
    with pytest.raises(InputError, match="ranking 2 names b twice"):
        PlackettLuce.from_orderings(long.assign(item=list("abbb")))
    with pytest.raises(InputError, match="long data need a column for position"):
        PlackettLuce.from_orderings(long.drop(columns="position"))
    with pytest.raises(InputError, match=r"item must be one of the columns.*Did you mean 'item'"):
        PlackettLuce.from_orderings(long, item="items")
    with pytest.raises(InputError, match="the same in all rows of a ranking, got 1 and 2 for ranking 1"):
        PlackettLuce.from_orderings(long.assign(weight=[1, 2, 1, 1]), "weight")
    with pytest.raises(InputError, match="item is a column of long data"):
        PlackettLuce.from_orderings([["a", "b"]], item="item")


def test_wrong_ranks_and_weights():
    with pytest.raises(InputError, match=r"row 1 has 0 for b. Leave items that were not ranked empty"):
        PlackettLuce.from_rankings(pd.DataFrame([[1, 2], [1, 0]], columns=["a", "b"]))
    with pytest.raises(InputError, match="row 1 ranks no item"):
        PlackettLuce.from_rankings([[1, 2], [np.nan, np.nan]])
    with pytest.raises(InputError, match="a row for each ranking"):
        PlackettLuce.from_rankings([1, 2, 3])
    pairs = [["a", "b"], ["b", "a"]]
    with pytest.raises(InputError, match=r"weight must be a finite number >= 0, got -1 for ordering 1"):
        PlackettLuce.from_orderings(pairs, [1, -1])
    with pytest.raises(InputError, match="weight is 0 for every ranking"):
        PlackettLuce.from_orderings(pairs, [0, 0])
    with pytest.raises(InputError, match=r"weight .* got -1 for row 0"):
        PlackettLuce.from_rankings([[1, 2], [2, 1]], [-1, 1])
    with pytest.raises(InputError, match="weight must have a number for each of the 2 rankings, got 3"):
        PlackettLuce.from_orderings(pairs, [1, 1, 1])
    with pytest.raises(InputError, match="unranked must be one of"):
        PlackettLuce.from_orderings(pairs, unranked="first")
    with pytest.raises(InputError, match="from_orderings or from_rankings"):
        PlackettLuce(pairs)


def test_sizes():
    with pytest.raises(InputError, match="at most 5000 items, got 5001"):
        PlackettLuce.from_orderings([[i, i + 1] for i in range(5000)])
    tied = [[tuple(range(20)), *range(20, 40)], list(range(40))]
    with pytest.raises(InputError, match=r"ties of up to 20 of 40 items make .* unranked='last'"):
        PlackettLuce.from_orderings(tied)
    with pytest.raises(InputError, match="make more than 1e308 different choices possible"):
        PlackettLuce.from_orderings([[tuple(range(2000)), *range(2000, 4000)]])
    # 40,000 different lists of three of 4,000 items, each with three choices from almost all items.
    lists = np.random.default_rng(0).integers(0, 4000, (40_000, 3))
    lists = lists[(lists[:, 0] != lists[:, 1]) & (lists[:, 1] != lists[:, 2]) & (lists[:, 0] != lists[:, 2])]
    with pytest.raises(InputError, match="different sets of items that are left, .* shorten the rankings"):
        PlackettLuce.from_orderings(lists, unranked="last")


def test_labels_that_are_parameters():
    with pytest.raises(InputError, match=r"an item has the name of a parameter, \(\(tie2\)\)"):
        PlackettLuce.from_orderings([["(tie2)", "b"], ["b", "(tie2)"], [("b", "(tie2)")]]).fit()


# Results


@pytest.fixture(scope="module")
def fitted():
    return PlackettLuce.from_orderings(connected_rankings(np.random.default_rng(12), 40, 6, 0.2)).fit()


def test_predictions(fitted):
    """The probability to be first alone, by enumeration; its standard error by numerical derivatives."""
    p = fitted.predict([4, 0, 2])
    ability, ties = fitted.params.iloc[:6], fitted.params.iloc[6:]
    weights = {(i,): np.exp(ability[i]) for i in (0, 2, 4)}
    for size in (2, 3):
        if f"(tie{size})" in ties.index:
            for subset in [s for s in [(0, 2), (0, 4), (2, 4), (0, 2, 4)] if len(s) == size]:
                weights[subset] = np.exp(ties[f"(tie{size})"] + ability[list(subset)].mean())
    total = sum(weights.values())
    np.testing.assert_allclose(p, [weights[4,] / total, weights[0,] / total, weights[2,] / total], rtol=1e-10)
    assert list(p.index) == [4, 0, 2]
    table = fitted.predict([4, 0, 2], se=True)
    likelihood, cov, x = fitted._likelihood, fitted.cov_params().to_numpy(), fitted.params.to_numpy()
    items = np.array([0, 2, 4], np.int32)
    units = 1e-6 * np.eye(len(x))
    slope = np.array(
        [(likelihood.first_places(x + u, items)[0] - likelihood.first_places(x - u, items)[0]) / 2e-6 for u in units]
    )
    expected = np.sqrt(np.einsum("ki,kl,li->i", slope, cov, slope))
    np.testing.assert_allclose(table["std_error"], expected[[2, 0, 1]], rtol=1e-6)
    assert ((table["conf_low"] < p) & (p < table["conf_high"])).all()
    assert len(fitted.predict()) == 6
    with pytest.raises(InputError, match="at least 2 different items"):
        fitted.predict([1, 1])
    with pytest.raises(InputError, match="7"):
        fitted.predict([1, 7])


def test_pairwise_probabilities(fitted):
    win, loss, tie = (fitted.probabilities(outcome) for outcome in ("win", "loss", "tie"))
    np.testing.assert_allclose((win + loss + tie).to_numpy()[~np.eye(6, dtype=bool)], 1.0)
    np.testing.assert_allclose(win.loc[1, 3], fitted.predict([1, 3])[1], rtol=1e-12)


def test_profile_intervals(fitted):
    """At a bound, the likelihood with this parameter held fixed has fallen by 1.92."""
    low, high = fitted.conf_int(method="profile", terms=["(tie2)"]).loc["(tie2)"]
    likelihood = fitted._likelihood
    k = list(fitted.params.index).index("(tie2)")
    for bound in (low, high):

        def negative(others, bound=bound):
            return -likelihood.evaluate(np.insert(others, k, bound)).llf

        start = np.delete(fitted.params.to_numpy(), k)
        found = minimize(negative, start, method="BFGS", options={"gtol": 1e-7})
        assert fitted.llf + found.fun == pytest.approx(0.5 * 3.841458820694124, abs=1e-5)


def test_lr_test(fitted):
    test = fitted.lr_test()
    slow_llf = RankingLikelihood(fitted.model._choices, Penalty())
    null = minimize(lambda t: -slow_llf.evaluate(np.concatenate([np.zeros(6), t])).llf, fitted.params.iloc[6:])
    assert test.statistic == pytest.approx(2 * (fitted.llf + null.fun), abs=1e-6)
    assert test.df == 5
    with pytest.raises(InputError, match="leave other out"):
        fitted.lr_test(fitted)
    with pytest.raises(InputError, match="maximum likelihood fit"):
        fitted.model.fit(method="firth").lr_test()


def test_reports(fitted):
    text = str(fitted.summary())
    assert "Plackett-Luce Results" in text
    assert "Davidson-Luce" in text
    assert "(tie2)" in text
    assert list(fitted.glance()["n_items"]) == [6]
    assert list(fitted.tidy()["term"]) == list(fitted.params.index)
    assert set(fitted.to_dict()) > {"params", "log_lik"}
    assert fitted.contrast(0, 1).estimate == pytest.approx(fitted.params[0] - fitted.params[1])
    assert fitted.comparison_intervals().shape[0] == 6
    assert fitted.wald_test(np.eye(len(fitted.params))[:2]).df == 2
    assert repr(fitted.model) == "<PlackettLuce: 6 items, 42 rankings>"
    for method, note in (("ridge", "normal prior"), ("ghost", "ghost item")):
        options = {"prior_sd": 1.0} if method == "ridge" else {}
        assert note in str(fitted.model.fit(method=method, **options).summary())


def test_leaderboard_and_plot(fitted):
    board = fitted.leaderboard("elo")
    assert repr(board).startswith("Leaderboard of 6 items, 42 rankings")
    assert board.frame["item"].iloc[0] == fitted.params.iloc[:6].idxmax()
    win = fitted.leaderboard("win").frame["win_probability"]
    assert ((win > 0) & (win < 1)).all()
    with pytest.raises(InputError, match="by needs paired comparisons"):
        fitted.leaderboard(by="judge")
    axes = fitted.plot(ranks=True)
    assert len(axes.get_yticklabels()) == 6


def test_games_are_rankings():
    model = PlackettLuce.from_orderings([["a", "b"], ["b", "c", "a"], ["c"]], [2, 1, 5])
    np.testing.assert_array_equal(model._n_games(), [3, 3, 1])


def test_largest():
    orderings = [["a", "b", "d", "c"], ["b", "a", "c", "d"], [("a", "x"), "b"], ["b", "y"], ["y", "z"], ["b", "a"]]
    model = PlackettLuce.from_orderings(orderings)
    with pytest.raises(InputError, match=r"model.largest\(\)"):
        model.fit()
    with pytest.warns(LeftOutWarning, match=r"4 items of 7 and 2 of 6 rankings are left out: .* \(c, d, y, z\)"):
        part = model.largest()
    assert list(part.items) == ["a", "b", "x"]
    assert list(part.left_out) == ["c", "d", "y", "z"]
    without = PlackettLuce.from_orderings([["a", "b"], ["b", "a"], [("a", "x"), "b"], ["b", "a"]])
    np.testing.assert_allclose(part.fit(method="firth").params, without.fit(method="firth").params, atol=ROUNDING)
    with pytest.raises(InputError, match="no two items have finite abilities"):
        PlackettLuce.from_orderings([["a", "b", "c"]]).largest()


@pytest.mark.parametrize("library", ["polars", "lazy", "pyarrow"])
def test_frames_of_other_libraries(library):
    long = pd.DataFrame({"ranking": [1, 1, 2, 2, 2], "item": list("abcba"), "position": [1, 2, 1, 2, 3]})
    if library == "pyarrow":
        frame = pytest.importorskip("pyarrow").Table.from_pandas(long)
    else:
        polars = pytest.importorskip("polars")
        frame = polars.DataFrame(long.to_dict("list"))
        frame = frame.lazy() if library == "lazy" else frame
    np.testing.assert_array_equal(
        PlackettLuce.from_orderings(frame).fit(method="firth").params,
        PlackettLuce.from_orderings(long).fit(method="firth").params,
    )


def test_groups_of_long_data():
    rng = np.random.default_rng(13)
    orderings = simulate(rng, np.zeros(5), 120, 3)
    long = pd.DataFrame(
        {
            "ranking": np.repeat(np.arange(120), 3),
            "item": orderings.ravel(),
            "position": np.tile([1, 2, 3], 120),
            "judge": np.repeat(np.arange(120) // 4, 3),
        }
    )
    by_column = PlackettLuce.from_orderings(long).fit(cov_type="cluster", cov_kwds={"groups": "judge"})
    by_array = PlackettLuce.from_orderings(orderings).fit(cov_type="cluster", cov_kwds={"groups": np.arange(120) // 4})
    np.testing.assert_allclose(by_column.bse, by_array.bse, rtol=1e-12)
    assert by_column.use_t
    assert by_column.df_resid_inference == 29
    # By definition: scores of each group are numerical derivatives of its log-likelihood.
    x = by_array.params.to_numpy()
    units = 1e-6 * np.eye(5)
    scores = []
    for group in range(30):
        rows = [[(int(i),) for i in ordering] for ordering in orderings[4 * group : 4 * group + 4]]
        slow = SlowRankings(rows, 5)
        llf = [[slow.llf(relative(x + sign * u, 5)) for u in units] for sign in (1, -1)]
        scores.append((np.array(llf[0]) - llf[1]) / 2e-6)
    bread = PlackettLuce.from_orderings(orderings).fit().cov_params().to_numpy()
    meat = np.array(scores).T @ np.array(scores)
    factor = 30 / 29 * 119 / (120 - 4)
    np.testing.assert_allclose(by_array.cov_params(), factor * bread @ meat @ bread, rtol=1e-5, atol=1e-9)
    wrong = long.assign(judge=np.arange(360))
    with pytest.raises(InputError, match="the same in all rows of a ranking"):
        PlackettLuce.from_orderings(wrong).fit(cov_type="cluster", cov_kwds={"groups": "judge"})


# Coverage


@pytest.mark.slow
@pytest.mark.one_environment
def test_coverage():
    """Intervals and rank sets hold their level, with a margin of three standard errors of the simulation."""
    rng = np.random.default_rng(14)
    ability = np.linspace(-1.2, 1.2, 6)
    n_runs = 400
    wald, profile, ranks_hold = np.zeros(n_runs), np.zeros(n_runs), np.zeros(n_runs, bool)
    for run in range(n_runs):
        res = PlackettLuce.from_orderings(simulate(rng, ability, 60, 3)).fit()
        low, high = res.conf_int().to_numpy().T
        wald[run] = ((low < ability) & (ability < high)).mean()
        low, high = res.conf_int(method="profile", terms=[0, 3]).to_numpy().T
        profile[run] = ((low < ability[[0, 3]]) & (ability[[0, 3]] < high)).mean()
        sets = res.ranks(n_draws=1000).sort_index()
        truth = np.arange(6, 0, -1)
        ranks_hold[run] = ((sets["rank_low"] <= truth) & (truth <= sets["rank_high"])).all()
    margin = 3 * np.sqrt(0.95 * 0.05 / n_runs)
    assert abs(wald.mean() - 0.95) < margin
    assert abs(profile.mean() - 0.95) < margin
    assert ranks_hold.mean() > 0.95 - margin
