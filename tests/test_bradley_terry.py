"""Bradley–Terry fits compared with slow reference implementations and other packages."""

import choix
import evalica
import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from pwcstats import BradleyTerry
from pwcstats.bradley_terry.profile import profile_path

from . import reference_bradley_terry as reference
from .reference_bradley_terry import Slow

# The last Newton step is shorter than 1e-5, and the error is about its square; condition numbers are below 100.
ESTIMATE = 1e-8
# Covariances are continuous in the estimates.
COVARIANCE = 1e-7
# Central differences of the penalised likelihood with step 1e-5 have this error.
DIFFERENCES = 1e-6
# Evalica and choix iterate to a tolerance; with 1e-12 they have this error.
PEERS = 1e-6
NAMES = list("abcdef")


def league(seed, n_items=6, n=150, ties=False, order=False, weights=False):
    """A random tournament as a data frame, and as rows of the reference implementation."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(scale=0.7, size=n_items)
    rows = []
    for _ in range(n):
        i, j = rng.choice(n_items, 2, replace=False)
        ordered = int(rng.random() < 0.8) if order else 0
        d = ability[i] - ability[j] + 0.5 * ordered
        weight = np.array([np.exp(d), 1.0, 0.6 * np.exp(d / 2) if ties else 0.0])
        outcome = ("win", "loss", "tie")[rng.choice(3, p=weight / weight.sum())]
        rows.append((int(i), int(j), ordered, outcome, float(rng.gamma(2)) if weights else 1.0))
    names = np.array(NAMES)
    frame = pd.DataFrame(rows, columns=["first", "second", "ordered", "outcome", "weight"])
    frame["first"], frame["second"] = names[frame["first"]], names[frame["second"]]
    frame["winner"] = np.where(frame["outcome"] == "loss", frame["second"], frame["first"])
    frame["loser"] = np.where(frame["outcome"] == "loss", frame["first"], frame["second"])
    frame["tie"] = frame["outcome"] == "tie"
    frame["who"] = np.where(frame["tie"], "draw", frame["winner"])
    frame["neutral"] = frame["ordered"] == 0
    frame["voter"] = rng.integers(12, size=n)
    return frame, rows


def long_model(frame, weights=False):
    return BradleyTerry.from_comparisons(
        frame, first="first", second="second", winner="who", tie="draw", neutral="neutral"
    ) if not weights else BradleyTerry.from_comparisons(
        frame, first="first", second="second", winner="who", tie="draw", neutral="neutral", weight="weight"
    )  # fmt: skip


@pytest.mark.parametrize("ties", ["none", "davidson"])
@pytest.mark.parametrize("order", [False, True])
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_maximum_likelihood_against_the_reference(seed, weights, order, ties):
    frame, rows = league(seed, ties=ties != "none", order=order, weights=weights)
    slow = Slow(rows, 6, order=order, tie=ties == "davidson")
    params = slow.fit()
    res = long_model(frame, weights).fit(ties=ties, order_effect=order, ref="a")
    np.testing.assert_allclose(res.params, params, rtol=0, atol=ESTIMATE)
    np.testing.assert_allclose(res.cov_params(), np.linalg.inv(slow.information(params)), rtol=0, atol=COVARIANCE)
    assert res.llf == pytest.approx(slow.llf(params), rel=1e-12)
    assert res.nobs == pytest.approx(frame["weight"].sum() if weights else len(frame))
    assert res.converged


@pytest.mark.parametrize("ties", ["none", "davidson"])
@pytest.mark.parametrize("order", [False, True])
@pytest.mark.parametrize("n", [13, 25])
def test_firth_maximises_the_penalised_likelihood(n, order, ties):
    """Few comparisons: some items won everything, and the likelihood has no maximum."""
    leagues = (league(seed, n=n, ties=ties != "none", order=order) for seed in range(100))
    frame, rows = next(
        (frame, rows) for frame, rows in leagues if not reference.exists(rows, 6, order=order, tie=ties == "davidson")
    )
    slow = Slow(rows, 6, order=order, tie=ties == "davidson")
    res = long_model(frame).fit("firth", ties=ties, order_effect=order, ref="a")
    np.testing.assert_allclose(slow.penalised_score(res.params.to_numpy()), 0, atol=DIFFERENCES)
    assert res.llf == pytest.approx(slow.penalised(res.params.to_numpy()), rel=1e-10)
    assert res.llf_unpenalized == pytest.approx(slow.llf(res.params.to_numpy()), rel=1e-10)
    information = slow.information(res.params.to_numpy())
    np.testing.assert_allclose(res.cov_params(), np.linalg.inv(information), rtol=1e-7)


@pytest.mark.parametrize("method", ["mle", "firth"])
@pytest.mark.parametrize("ties", ["none", "davidson"])
@pytest.mark.parametrize("order", [False, True])
def test_covariates_against_the_reference(order, ties, method):
    frame, rows = league(6, ties=ties != "none", order=order)
    rng = np.random.default_rng(0)
    items = pd.DataFrame(rng.normal(size=(6, 2)), index=NAMES, columns=["speed", "mass"])
    slow = Slow(rows, 6, order=order, tie=ties == "davidson", z=items)
    res = long_model(frame).fit(method, ties=ties, order_effect=order, covariates=items)
    params = res.params.to_numpy()
    assert list(res.params.index[:2]) == ["speed", "mass"]
    if method == "mle":
        np.testing.assert_allclose(params, slow.fit(), rtol=0, atol=ESTIMATE)
    else:
        np.testing.assert_allclose(slow.penalised_score(params), 0, atol=DIFFERENCES)
    np.testing.assert_allclose(res.cov_params(), np.linalg.inv(slow.information(params)), rtol=1e-6)
    formula = long_model(frame).fit(method, ties=ties, order_effect=order, covariates="speed + mass", item_data=items)
    np.testing.assert_array_equal(formula.params, res.params)
    # Abilities are Z gamma, centred, and their standard errors follow from this.
    z = items.to_numpy() - items.to_numpy().mean(axis=0)
    abilities = res.abilities()
    np.testing.assert_allclose(abilities["ability"], z @ params[:2], atol=1e-12)
    cov = z @ res.cov_params().to_numpy()[:2, :2] @ z.T
    np.testing.assert_allclose(abilities["std_error"], np.sqrt(np.diag(cov)), rtol=1e-9)


def test_ties_as_half_a_win_are_two_half_rows():
    frame, _ = league(7, ties=True)
    halves = pd.concat([frame.assign(w=1.0), frame.assign(w=0.5)[frame["tie"]]])
    swapped = halves["w"] == 0.5
    first = frame.assign(w=np.where(frame["tie"], 0.5, 1.0))
    other = frame[frame["tie"]].assign(w=0.5)
    other[["winner", "loser"]] = other[["loser", "winner"]].to_numpy()
    both = pd.concat([first, other])
    expected = BradleyTerry.from_comparisons(both, winner="winner", loser="loser", weight="w").fit()
    res = BradleyTerry.from_comparisons(frame, winner="winner", loser="loser", tie="tie").fit(ties="half")
    np.testing.assert_allclose(res.params, expected.params, atol=1e-12)
    np.testing.assert_allclose(res.bse, expected.bse, atol=1e-12)
    assert swapped.any()


@pytest.mark.parametrize("seed", range(5))
def test_peers_have_the_same_estimates(seed):
    frame, _ = league(seed, n=400)
    res = BradleyTerry.from_comparisons(frame, winner="winner", loser="loser").fit()
    code = {name: k for k, name in enumerate(NAMES)}
    data = [(code[a], code[b]) for a, b in zip(frame["winner"], frame["loser"], strict=True)]
    for theirs in (
        choix.ilsr_pairwise(6, data, tol=1e-12, max_iter=10_000),
        choix.opt_pairwise(6, data, method="Newton-CG", tol=1e-12),
    ):
        np.testing.assert_allclose(res.params, theirs - theirs.mean(), rtol=0, atol=PEERS)
    winners = [evalica.Winner.X] * len(frame)
    scores = evalica.bradley_terry(frame["winner"], frame["loser"], winners, tolerance=1e-13, limit=100_000).scores
    theirs = np.log(scores[NAMES])
    np.testing.assert_allclose(res.params, theirs - theirs.mean(), rtol=0, atol=PEERS)


def test_sum_to_zero_and_reference_say_the_same():
    frame, _ = league(8, ties=True, order=True)
    model = long_model(frame)
    centred = model.fit(ties="davidson", order_effect=True)
    referred = model.fit(ties="davidson", order_effect=True, ref="c")
    assert centred.params[:6].sum() == pytest.approx(0, abs=1e-12)
    assert "c" not in referred.params.index
    np.testing.assert_allclose(referred.abilities()["ability"], centred.params[:6] - centred.params["c"], atol=1e-12)
    transform = np.delete(np.eye(8), 2, axis=0)
    transform[:5, 2] = -1
    expected = transform @ centred.cov_params().to_numpy() @ transform.T
    np.testing.assert_allclose(referred.cov_params(), expected, atol=1e-12)
    for i, j in (("a", "b"), ("c", "f")):
        one, two = centred.contrast(i, j), referred.contrast(i, j)
        assert one.estimate == pytest.approx(two.estimate)
        assert one.std_error == pytest.approx(two.std_error)
    assert referred.abilities().loc["c", "std_error"] == 0
    np.testing.assert_allclose(centred.probabilities(), referred.probabilities(), atol=1e-12)
    covariance = centred.cov_params()
    variance = covariance.loc["a", "a"] + covariance.loc["b", "b"] - 2 * covariance.loc["a", "b"]
    contrast = centred.contrast("a", "b")
    assert contrast.std_error == pytest.approx(np.sqrt(variance))
    assert contrast.conf_int[0] == pytest.approx(contrast.estimate - stats.norm.ppf(0.975) * contrast.std_error)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mle", "firth"])
@pytest.mark.parametrize(("ties", "order"), [("none", False), ("davidson", True)])
def test_profiles_are_where_the_likelihood_has_fallen(ties, order, method):
    frame, rows = league(9, n=60, ties=ties != "none", order=order)
    slow = Slow(rows, 6, order=order, tie=ties == "davidson")
    res = long_model(frame).fit(method, ties=ties, order_effect=order, ref="a")
    objective = slow.llf if method == "mle" else slow.penalised
    params = res.params.to_numpy()
    drop = stats.chi2.ppf(0.9, 1) / 2
    bounds = res.conf_int(alpha=0.1, method="profile")
    tolerance = 1e-7 if method == "mle" else 1e-5  # the reference has numerical derivatives
    for k in range(0, len(params), 3):
        low, high = (slow.profile(params, k, side, drop, objective) for side in (-1, 1))
        np.testing.assert_allclose(bounds.iloc[k], [low, high], rtol=0, atol=tolerance)


@pytest.mark.parametrize("method", ["mle", "firth"])
def test_paths_of_profiles_pass_through_the_bounds_of_intervals(method):
    frame, rows = league(9, n=60, ties=True, order=True)
    slow = Slow(rows, 6, order=True, tie=True)
    objective = slow.llf if method == "mle" else slow.penalised
    res = long_model(frame).fit(method, ties="davidson", order_effect=True, ref="a")
    for index in (0, len(res.params) - 1):
        z, params = profile_path(res, index, 0.1)
        assert z[6] == 0.0
        assert np.array_equal(params[6], res.params)
        # At the bound of an interval, only the maximum over the other parameters has this value.
        falls = [res.llf - objective(point) for point in params]
        np.testing.assert_allclose(falls, z**2 / 2, rtol=0, atol=1e-7)
        for step in (2, 5):
            alpha = 2 * stats.norm.sf(z[6 + step])
            bounds = res.conf_int(alpha, "profile", [res.params.index[index]]).to_numpy()[0]
            np.testing.assert_allclose(params[[6 - step, 6 + step], index], bounds, rtol=0, atol=1e-7)


def test_profiles_of_centred_abilities_do_not_depend_on_the_parametrisation():
    """The profile of the difference of two items is that of one item if the other is the reference."""
    frame, _ = league(10, n_items=3, n=40)
    model = BradleyTerry.from_comparisons(frame, winner="winner", loser="loser")
    forwards = model.fit(ref="a").conf_int(method="profile", terms=["b"])
    backwards = model.fit(ref="b").conf_int(method="profile", terms=["a"])
    np.testing.assert_allclose(forwards.to_numpy(), -backwards.to_numpy()[:, ::-1], atol=1e-7)
    # With three items, a centred ability is a third of two differences. Compare with a grid of the likelihood.
    res = model.fit()
    low, high = res.conf_int(method="profile").loc["a"]
    table = model._table(res.spec)
    wins = np.zeros((3, 3))
    wins[table.first, table.second] += table.counts[:, 0]
    wins[table.second, table.first] += table.counts[:, 1]

    def llf(ability):
        d = ability[:, None] - ability
        return -np.sum(wins * np.logaddexp(0, -d))

    spread = np.linspace(-3, 3, 20_001)
    for bound in (low, high):
        best = max(llf(np.array([bound, -bound / 2 + x, -bound / 2 - x])) for x in spread)
        assert 2 * (res.llf - best) == pytest.approx(stats.chi2.ppf(0.95, 1), abs=1e-5)


@pytest.mark.filterwarnings("ignore:cov_type='cluster' has only")
@pytest.mark.parametrize("ties", ["none", "davidson", "half"])
def test_sandwich_is_its_definition(ties):
    frame, rows = league(11, n=120, ties=ties != "none", order=True)
    model = long_model(frame)
    slow = Slow(rows, 6, order=True, tie=ties == "davidson")
    res = model.fit(ties=ties, order_effect=True, ref="a")
    for cov_type, groups in (("HC0", range(len(rows))), ("cluster", frame["voter"])):
        kwds = {"groups": "voter", "use_correction": False} if cov_type == "cluster" else None
        robust = model.fit(ties=ties, order_effect=True, ref="a", cov_type=cov_type, cov_kwds=kwds)
        np.testing.assert_array_equal(robust.params, res.params)
        if ties == "half":
            # A tie is one comparison with outcome one half, so logistic regression gives the answer.
            x = slow.features[:, 0]
            y = frame["outcome"].map({"win": 1.0, "loss": 0.0, "tie": 0.5})
            glm = sm.GLM(y, x, family=sm.families.Binomial()).fit(
                cov_type="HC0" if cov_type == "HC0" else "cluster",
                cov_kwds=None if cov_type == "HC0" else {"groups": frame["voter"], "use_correction": False},
            )
            expected = glm.cov_params()
        else:
            expected = slow.sandwich(res.params.to_numpy(), list(groups))
        np.testing.assert_allclose(robust.cov_params(), expected, rtol=1e-6, atol=1e-9)


def test_a_weighted_row_is_one_row_to_the_sandwich():
    frame, rows = league(16, weights=True)
    model = BradleyTerry.from_comparisons(frame, "winner", "loser", weight="weight")
    slow = Slow(rows, 6)
    res = model.fit(ref="a", cov_type="HC0")
    np.testing.assert_allclose(res.cov_params(), slow.sandwich(res.params.to_numpy(), range(len(rows))), rtol=1e-6)
    # A matrix has no rows; its entries are numbers of comparisons.
    wins = np.array([[0, 5, 2.0], [3, 0, 4], [1, 2, 0]])
    games = [(i, j) for i in range(3) for j in range(3) for _ in range(int(wins[i, j]))]
    single = BradleyTerry.from_comparisons(winner=[i for i, _ in games], loser=[j for _, j in games])
    expected = single.fit(ref=0, cov_type="HC0").bse
    np.testing.assert_allclose(BradleyTerry(wins).fit(ref=0, cov_type="HC0").bse, expected)


@pytest.mark.filterwarnings("ignore:cov_type='cluster' has only")
def test_cluster_correction_is_statsmodels():
    frame, rows = league(12)
    x = Slow(rows, 6).features[:, 0]
    y = (frame["outcome"] == "win").astype(float)
    glm = sm.GLM(y, x, family=sm.families.Binomial()).fit(cov_type="cluster", cov_kwds={"groups": frame["voter"]})
    model = BradleyTerry.from_comparisons(frame, winner="winner", loser="loser")
    res = model.fit(ref="a", cov_type="cluster", cov_kwds={"groups": frame["voter"].to_numpy()})
    np.testing.assert_allclose(res.bse, glm.bse, rtol=1e-7)


def test_quasi_variances_are_least_squares_on_logs():
    frame, _ = league(13)
    res = BradleyTerry.from_comparisons(frame, winner="winner", loser="loser").fit()
    frame = res.quasi_variances()
    expected = reference.quasi_variances(res.cov_params().to_numpy())
    np.testing.assert_allclose(frame["quasi_variance"], expected, rtol=1e-6)
    q = frame["quasi_variance"]
    worst = max(abs(np.sqrt(q[i] + q[j]) / res.contrast(i, j).std_error - 1) for i in NAMES for j in NAMES if i < j)
    assert max(map(abs, frame.attrs["relative_error"])) == pytest.approx(worst, rel=1e-9)


def test_deviance_and_goodness_of_fit():
    frame, _ = league(14, n=300, ties=True)
    model = BradleyTerry.from_comparisons(frame, winner="winner", loser="loser", tie="tie")
    res = model.fit(ties="davidson")
    deviance = pearson = 0.0
    for i, j in ((a, b) for a in NAMES for b in NAMES if a < b):
        met = frame[frame["first"].isin([i, j]) & frame["second"].isin([i, j])]
        counts = np.array([(met["who"] == i).sum(), (met["who"] == j).sum(), met["tie"].sum()])
        expected = len(met) * np.array([res.predict(i, j, outcome=o) for o in ("win", "loss", "tie")])
        deviance += 2 * np.sum(counts[counts > 0] * np.log(counts[counts > 0] / expected[counts > 0]))
        pearson += np.sum((counts - expected) ** 2 / expected)
    assert res.deviance == pytest.approx(deviance)
    assert res.pearson_chi2 == pytest.approx(pearson)
    assert res.df_resid == 2 * 15 - 6
    for statistic, value in (("deviance", deviance), ("pearson", pearson)):
        test = res.goodness_of_fit(statistic, "chi2")
        assert test.statistic == pytest.approx(value)
        assert test.p_value == pytest.approx(stats.chi2.sf(value, 24))


def test_predictions():
    frame, rows = league(15, ties=True, order=True)
    res = long_model(frame).fit(ties="davidson", order_effect=True, ref="a")
    slow = Slow([(1, 4, 1, "win", 1.0), (1, 4, 0, "win", 1.0)], 6, order=True, tie=True)
    expected = np.exp(slow.log_p(res.params.to_numpy()))
    for column, outcome in enumerate(("win", "loss", "tie")):
        assert res.predict("b", "e", outcome=outcome) == pytest.approx(expected[0, column])
        assert res.predict("b", "e", outcome=outcome, neutral=True) == pytest.approx(expected[1, column])
        assert res.probabilities(outcome).loc["b", "e"] == pytest.approx(expected[1, column])
    np.testing.assert_allclose(res.predict(["b", "e"], ["e", "b"], outcome="link", neutral=True).sum(), 0, atol=1e-12)
    total = res.probabilities() + res.probabilities("loss") + res.probabilities("tie")
    off = ~np.eye(6, dtype=bool)
    np.testing.assert_allclose(total.to_numpy()[off], 1)
    assert rows


def test_from_pairwise_is_coupling():
    from pwcstats import couple

    rng = np.random.default_rng(3)
    r = rng.uniform(0.1, 0.9, size=(5, 5))
    r = np.triu(r, 1) + np.tril(1 - r.T, -1)
    n = rng.uniform(0.5, 20, size=(5, 5))
    n = np.triu(n, 1) + np.triu(n, 1).T
    n[0, 3] = n[3, 0] = 0.0
    res = BradleyTerry.from_pairwise(r, n).fit()
    worth = np.exp(res.params)
    np.testing.assert_allclose(worth / worth.sum(), couple(r, "ht", n=n), atol=1e-10)
    i, j = np.triu_indices(5, 1)
    again = BradleyTerry.from_pairwise(r[i, j], n[i, j], condensed=True, items=list("vwxyz")).fit()
    np.testing.assert_array_equal(again.params, res.params)
    assert list(again.params.index) == list("vwxyz")
    assert res.nobs == pytest.approx(n.sum() / 2)


def test_large_graphs_take_the_other_road_to_the_same_place(monkeypatch):
    """Conjugate gradients, elimination and the dense factor; exact and projected standard errors."""
    from pwcstats._kernels import laplacian
    from pwcstats.bradley_terry import covariance

    rng = np.random.default_rng(5)
    ability = rng.normal(scale=0.5, size=60)
    a = rng.integers(60, size=3000)
    b = (a + rng.integers(1, 60, size=3000)) % 60
    won = rng.random(3000) < 1 / (1 + np.exp(ability[b] - ability[a]))
    tied = rng.random(3000) < 0.1
    frame = pd.DataFrame({"first": a, "second": b, "winner": np.where(won, a, b)})
    frame["winner"] = frame["winner"].astype(object).where(~tied, "tie")
    model = BradleyTerry.from_comparisons(frame, first="first", second="second", winner="winner", tie="tie")
    asked = {"ties": "davidson", "order_effect": True, "ref": 7}
    dense = model.fit(**asked)
    monkeypatch.setattr(laplacian, "DENSE_ITEMS", 0)
    gradients = model.fit(**asked)
    np.testing.assert_allclose(gradients.params, dense.params, rtol=0, atol=ESTIMATE)
    monkeypatch.setattr(laplacian, "CG_STEPS", 1)
    eliminated = model.fit(**asked)
    np.testing.assert_allclose(eliminated.params, dense.params, rtol=0, atol=ESTIMATE)
    monkeypatch.setattr(laplacian, "CG_STEPS", 1500)
    monkeypatch.setattr(covariance, "EXACT_ITEMS", 0)
    for options in (asked, {**asked, "ref": None}, {"ties": "half"}):
        exact, projected = model.fit(**options), model.fit(**options, cov="diag", n_projections=400)
        error = projected.bse_error
        assert (error[:-2] > 0).all()
        gap = (projected.bse / exact.bse - 1).abs()
        assert (gap <= 5 * error + 1e-8).all()
        # Stated errors are neither far too small nor far too large.
        assert 0.5 < np.sqrt(np.mean((gap / error.where(error > 0, np.inf)) ** 2)) < 2
        assert error.max() < 0.01
        assert projected.contrast(3, 9).std_error == pytest.approx(exact.contrast(3, 9).std_error, rel=1e-7)
    assert "random projections" in str(projected.summary())
