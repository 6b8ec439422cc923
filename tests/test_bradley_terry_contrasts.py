"""Contrasts of all pairs of items, with adjustment for their number."""

import numpy as np
import pandas as pd
import pytest

from pwcstats import BradleyTerry, InputError, compare
from pwcstats._multiplicity import ADJUSTMENTS

from .conftest import stored
from .parity import BRADLEY_TERRY

WINS = [[0, 30, 25, 28], [10, 0, 18, 22], [15, 22, 0, 24], [12, 18, 16, 0]]
ITEMS = ["ant", "bee", "cat", "dog"]
# The standard error of a p-value of at most 1/2 from 200 000 draws is below 0.0012.
DRAWS = 2e-3
# Names of the adjustments in multcomp.
IN_R = {"holm": "holm", "bonferroni": "bonferroni", "hochberg": "hochberg", "hommel": "hommel", "bh": "BH", "by": "BY",
        "none": "none"}  # fmt: skip


@pytest.fixture
def fit():
    return BradleyTerry(WINS, items=ITEMS).fit()


@pytest.fixture(params=["stored", pytest.param("live", marks=pytest.mark.against_r)])
def from_r(request, run_r):
    name = "bradley_terry_reports"
    return (stored(name) if request.param == "stored" else run_r(name))["contrasts"]


def fits(from_r):
    """The fit of each part of the answer, and the options of its contrasts."""
    cited = BradleyTerry(pd.DataFrame(from_r["wins"], index=from_r["items"], columns=from_r["items"])).fit()
    games = pd.DataFrame(stored("bradley_terry_reports")["baseball"]["data"])
    league = BradleyTerry.from_comparisons(
        games, first="home.team", second="away.team", wins=["home.wins", "away.wins"]
    ).fit(order_effect=True)
    return {"all_pairs": (cited, {}), "versus": (league, {"ref": "Baltimore"})}


@pytest.mark.parametrize("part", ["all_pairs", "versus"])
@pytest.mark.parametrize("adjust", IN_R)
def test_multcomp(from_r, part, adjust):
    theirs, (res, options) = from_r[part], fits(from_r)[part]
    ours = res.contrasts(adjust, **options).tidy()
    tolerance = BRADLEY_TERRY["contrasts"].tolerance
    for name, expected in (("estimate", theirs["estimate"]), ("std_error", theirs["se"])):
        np.testing.assert_allclose(ours[name], expected, rtol=tolerance)
    np.testing.assert_allclose(ours["p_adjusted"], theirs["p"][IN_R[adjust]], rtol=1e-6, atol=1e-14)


@pytest.mark.parametrize("part", ["all_pairs", "versus"])
def test_single_step(from_r, part):
    theirs, (res, options) = from_r[part], fits(from_r)[part]
    ours = res.contrasts("max-t", n_draws=100_000, **options)
    tolerance = BRADLEY_TERRY["max-t"].tolerance
    np.testing.assert_allclose(ours.pairs["p_adjusted"], theirs["p"]["single-step"], atol=tolerance)
    np.testing.assert_allclose(ours.pairs["conf_low"], theirs["low"], atol=2 * tolerance)
    np.testing.assert_allclose(ours.pairs["conf_high"], theirs["high"], atol=2 * tolerance)


def test_each_row_is_a_contrast(fit):
    found = fit.contrasts("none", alpha=0.1)
    assert not found.is_simultaneous
    for row in found.tidy().itertuples():
        one = fit.contrast(row.item_1, row.item_2, alpha=0.1)
        np.testing.assert_allclose([row.estimate, row.std_error], [one.estimate, one.std_error])
        np.testing.assert_allclose([row.statistic, row.p_value], [one.statistic, one.p_value])
        np.testing.assert_allclose([row.conf_low, row.conf_high], one.conf_int)


@pytest.mark.parametrize("adjust", ADJUSTMENTS)
def test_adjustments(fit, adjust):
    found = fit.contrasts(adjust)
    np.testing.assert_allclose(found.pairs["p_adjusted"], compare.adjust(found.pairs["p_value"], adjust))
    level = 0.05 / 6 if found.is_simultaneous else 0.05
    np.testing.assert_allclose(found.critical_value, fit._reference.isf(level / 2))


def test_max_t_lies_between_none_and_bonferroni(fit):
    found = {name: fit.contrasts(name) for name in ("none", "max-t", "bonferroni")}
    p = np.array([one.pairs["p_adjusted"] for one in found.values()])
    assert (np.diff(p, axis=0) >= -0.005).all()
    values = [one.critical_value for one in found.values()]
    assert values == sorted(values)
    # It is the critical value of the rank sets.
    assert values[1] == fit.ranks().attrs["critical_value"]


def test_max_t_with_two_items_is_one_test():
    res = BradleyTerry([[0, 12], [5, 0]]).fit()
    row = res.contrasts("max-t", n_draws=200_000).pairs.iloc[0]
    np.testing.assert_allclose(row["p_adjusted"], row["p_value"], atol=DRAWS)


def test_items_and_reference(fit):
    found = fit.contrasts(items=["dog", "ant", "cat"]).pairs
    assert found[["item_1", "item_2"]].to_numpy().tolist() == [["dog", "ant"], ["dog", "cat"], ["ant", "cat"]]
    found = fit.contrasts(items=["dog", "cat"], ref="cat").pairs
    assert found[["item_1", "item_2"]].to_numpy().tolist() == [["dog", "cat"]]
    found = fit.contrasts(ref="bee").pairs
    assert found["item_1"].tolist() == ["ant", "cat", "dog"]
    # The reference item of the fit does not matter.
    pd.testing.assert_frame_equal(BradleyTerry(WINS, items=ITEMS).fit(ref="cat").contrasts(ref="bee").pairs, found)


def test_clusters_use_the_t_distribution():
    rng = np.random.default_rng(0)
    games = pd.DataFrame(
        [(a, b, k) for k in range(25) for a, b in rng.permutation([("x", "y"), ("y", "z"), ("z", "x"), ("y", "x")])],
        columns=["won", "lost", "voter"],
    )
    model = BradleyTerry.from_comparisons(games, "won", "lost")
    robust = model.fit(cov_type="cluster", cov_kwds={"groups": rng.permutation(games["voter"])})
    found = robust.contrasts("max-t")
    assert found.df == 24
    assert "df = 24" in repr(found)
    normal = robust.contrasts("none").critical_value
    np.testing.assert_allclose(normal, 2.0638986, rtol=1e-6)
    assert found.critical_value > normal


def test_items_with_the_same_covariates_have_no_test():
    z = pd.DataFrame({"size": [3.0, 1.0, 1.0, 0.0]}, index=ITEMS)
    found = BradleyTerry(WINS, items=ITEMS).fit(covariates=z).contrasts()
    same = found.pairs.set_index(["item_1", "item_2"]).loc[("bee", "cat")]
    assert np.isnan(same["p_adjusted"])
    assert same["std_error"] == 0.0
    assert found.notes == ("1 pair without a test: the items have the same covariates",)
    assert found.pairs["p_adjusted"].notna().sum() == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"adjust": "tukey"}, "adjust must be one of 'holm', .*'max-t', got 'tukey'"),
        ({"adjust": "shaffer", "ref": "ant"}, "adjust='shaffer' needs all pairs, and ref leaves pairs out; use 'holm'"),
        ({"items": "ant"}, "items must be a list of items, got 'ant'"),
        ({"items": ["ant", "eel"]}, "items must be one of the items"),
        ({"items": ["ant", "bee", "ant"]}, "items must be different, got 'ant' twice"),
        ({"items": ["ant"]}, "items must be at least 2 items, got 1"),
        ({"items": ["ant"], "ref": "ant"}, "items must have an item other than ref, 'ant'"),
        ({"ref": "eel"}, "ref must be one of the items"),
        ({"n_draws": 0}, "n_draws must be a whole number of at least 1"),
    ],
)
def test_errors(fit, options, message):
    with pytest.raises(InputError, match=message):
        fit.contrasts(**options)


def test_needs_all_covariances():
    with pytest.raises(InputError, match="fit with cov='full'"):
        BradleyTerry(WINS).fit(cov="diag").contrasts()


@pytest.mark.slow
@pytest.mark.parametrize("adjust", ["holm", "max-t", "shaffer"])
def test_probability_of_any_false_rejection(adjust):
    """Six equal items: in about 5 % of the samples, at least one difference is significant."""
    rng, n, n_samples = np.random.default_rng(7), 40, 600
    wrong = uncovered = 0
    for _ in range(n_samples):
        wins = np.zeros((6, 6))
        upper = np.triu_indices(6, 1)
        wins[upper] = rng.binomial(n, 0.5, 15)
        wins += np.tril(n - wins.T, -1)
        found = BradleyTerry(wins).fit().contrasts(adjust, n_draws=2000)
        wrong += (found.pairs["p_adjusted"] <= 0.05).any()
        uncovered += ((found.pairs["conf_low"] > 0) | (found.pairs["conf_high"] < 0)).any()
    margin = 3 * np.sqrt(0.05 * 0.95 / n_samples)
    assert wrong / n_samples < 0.05 + margin
    assert uncovered / n_samples < 0.05 + margin
    if adjust == "max-t":
        assert wrong / n_samples > 0.05 - margin


def test_no_standard_error_without_residuals():
    """If all comparisons are ties, all scores are 0, and so is the sandwich."""
    games = {"winner": list("abc"), "loser": list("bca"), "tie": [True] * 3}
    model = BradleyTerry.from_comparisons(games, "winner", "loser", tie="tie")
    res = model.fit(ties="half", cov_type="HC0")
    with pytest.raises(InputError, match="the difference of a and b has no standard error: the scores are all 0"):
        res.contrast("a", "b")
    assert res.contrasts().notes == ("3 pairs without a test: the scores are all 0",)
