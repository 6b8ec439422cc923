"""Inference from clusters of comparisons: use of the t distribution, and coverage by simulation."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from pwcstats import BradleyTerry, FewClustersWarning, InputError
from pwcstats.plot.style import figure_of

# Two solutions of the same equations with different stopping rules.
GLM = 1e-6
# A quantile of 40 000 draws: its standard error is about 1 % here.
DRAWS = 0.03
FEW = "ignore:cov_type='cluster' has only"
CLUSTERS = {"cov_type": "cluster", "cov_kwds": {"groups": "voter"}}


def votes(rng, n_voters, each=30, n_items=4, spread=0.7):
    """Votes of people with individual tastes for items that are equal on average."""
    taste = rng.normal(0.0, spread, (n_voters, n_items))
    voter = np.repeat(np.arange(n_voters), each)
    a = rng.integers(n_items, size=len(voter))
    b = (a + rng.integers(1, n_items, size=len(voter))) % n_items
    first = rng.random(len(voter)) < 1.0 / (1.0 + np.exp(taste[voter, b] - taste[voter, a]))
    return pd.DataFrame({"voter": voter, "winner": np.where(first, a, b), "loser": np.where(first, b, a)})


def clustered(frame, **options):
    return BradleyTerry.from_comparisons(frame, "winner", "loser").fit(**CLUSTERS, **options)


@pytest.mark.filterwarnings(FEW)
def test_t_is_that_of_statsmodels():
    frame = votes(np.random.default_rng(1), 9)
    x = np.stack([(frame["winner"] == k).astype(float) - (frame["loser"] == k) for k in (1, 2, 3)], axis=1)
    # Half of the rows are reversed, else the response would be constant.
    sign = np.where(np.arange(len(x)) % 2, 1.0, -1.0)
    glm = sm.GLM(sign > 0, sign[:, None] * x, family=sm.families.Binomial())
    theirs = glm.fit(cov_type="cluster", cov_kwds={"groups": frame["voter"]}, use_t=True, tol=1e-12)
    ours = clustered(frame, ref=0)
    assert ours.use_t
    assert ours.df_resid_inference == theirs.df_resid_inference == 8
    np.testing.assert_allclose(ours.pvalues, theirs.pvalues, rtol=GLM)
    np.testing.assert_allclose(ours.conf_int(0.1), theirs.conf_int(0.1), rtol=GLM)
    tidy = ours.tidy(0.1)
    np.testing.assert_array_equal(tidy["p_value"], ours.pvalues)
    np.testing.assert_array_equal(tidy["conf_low"], ours.conf_int(0.1)[0])
    np.testing.assert_allclose(ours.abilities(alpha=0.1)["conf_high"].iloc[1:], theirs.conf_int(0.1)[:, 1], rtol=GLM)
    contrast = ours.contrast(2, 3, alpha=0.1)
    test = theirs.t_test([0, 1, -1])
    assert contrast.p_value == pytest.approx(float(test.pvalue), rel=GLM)
    assert contrast.conf_int == pytest.approx(tuple(test.conf_int(0.1)[0]), rel=GLM)
    assert (contrast.df, contrast.statistic_name) == (8, "t")
    assert ours.wald_test([0, 1, -1]).p_value == pytest.approx(contrast.p_value)
    text = str(ours.summary())
    assert "P>|t|" in text
    assert "t distribution with 8 df (9 clusters)" in text
    shown = figure_of(ours.plot("wald")).axes[0].collections[0].get_segments()
    assert sorted(segment[1, 0] for segment in shown) == pytest.approx(sorted(ours.abilities()["conf_high"]))


@pytest.mark.filterwarnings(FEW)
def test_several_parameters_have_hotellings_distribution():
    """Hotelling's statistic by the formula of textbooks."""
    res = clustered(votes(np.random.default_rng(2), 9), ref=0)
    w = float(res.params @ np.linalg.solve(res.cov_params(), res.params))
    test = res.wald_test(np.eye(3))
    assert test.df == (3, 6)
    assert test.statistic == pytest.approx(w * (9 - 3) / (3 * (9 - 1)))
    assert test.p_value == pytest.approx(stats.f.sf(test.statistic, 3, 6))
    few = clustered(votes(np.random.default_rng(3), 3), ref=0)
    with pytest.raises(InputError, match="3 clusters allow a test of at most 2 combinations, got 3"):
        few.wald_test(np.eye(3))


@pytest.mark.filterwarnings(FEW)
def test_tie_parameter_has_t():
    frame = votes(np.random.default_rng(4), 9)
    frame["tie"] = np.arange(len(frame)) % 4 == 0
    res = BradleyTerry.from_comparisons(frame, "winner", "loser", tie="tie").fit(ties="davidson", **CLUSTERS)
    nu = res.tie_parameter()
    assert nu.p_value == pytest.approx(res.pvalues["(tie)"])
    assert nu.p_value == pytest.approx(2 * stats.t.sf(abs(nu.statistic), 8))
    assert nu.conf_int == pytest.approx(tuple(np.exp(res.conf_int().loc["(tie)"])))


@pytest.mark.filterwarnings(FEW)
def test_rank_sets_have_t():
    """Two items have one standardised difference, whose quantile is known."""
    res = clustered(votes(np.random.default_rng(5), 6, n_items=2))
    critical = res.ranks(n_draws=40_000).attrs["critical_value"]
    assert critical == pytest.approx(stats.t.ppf(0.975, 5), rel=DRAWS)


def test_other_covariances_stay_normal():
    frame = votes(np.random.default_rng(6), 9)
    model = BradleyTerry.from_comparisons(frame, "winner", "loser")
    for cov_type in ("nonrobust", "HC0"):
        res = model.fit(ref=0, cov_type=cov_type)
        assert not res.use_t
        assert res.df_resid_inference == res.df_resid
        np.testing.assert_allclose(res.pvalues, 2 * stats.norm.sf(np.abs(res.tvalues)))
        assert res.contrast(1, 2).df is None
        assert res.wald_test(np.eye(3)).df == 3
        assert "P>|z|" in str(res.summary())


def test_few_clusters_are_reported():
    rng = np.random.default_rng(7)
    with pytest.warns(
        FewClustersWarning, match="only 19 clusters: .* 18 degrees of freedom, .* for 20 clusters of equal"
    ):
        clustered(votes(rng, 19))
    res = clustered(votes(rng, 20))
    res.bootstrap(5, groups="voter", random_state=0)
    few = BradleyTerry.from_comparisons(votes(rng, 19), "winner", "loser").fit()
    with pytest.warns(FewClustersWarning, match=r"only 19 groups, .*use conf_int with method='t'"):
        few.bootstrap(5, groups="voter", random_state=0)
    few.bootstrap(5, random_state=0)


def test_unequal_clusters_are_reported():
    """One voter of 41 with half of all votes: the effective number is 1 / (1/4 + 40 / 80^2) = 3.9."""
    rng = np.random.default_rng(10)
    frame = votes(rng, 41, each=40)
    frame["voter"] = np.where(np.arange(len(frame)) % 2, 0, 1 + np.arange(len(frame)) // 2 % 40)
    with pytest.warns(FewClustersWarning, match="41 clusters of very unequal size, which count like 4 equal ones: "):
        clustered(frame)
    # Weights count: half a vote of that voter for each other vote makes a third of all, 1 / (1/9 + 4 / 360) = 8.2.
    frame["weight"] = np.where(frame["voter"] == 0, 0.5, 1.0)
    model = BradleyTerry.from_comparisons(frame, "winner", "loser", weight="weight")
    with pytest.warns(FewClustersWarning, match="count like 8 equal ones"):
        model.fit(**CLUSTERS)
    # Votes that are twice as many for one half of the voters do no harm: 25 voters count like 22.4.
    frame = votes(rng, 25)
    clustered(frame[(frame["voter"] < 12) | (frame.index % 2 == 0)])


def test_bootstrap_intervals():
    frame = votes(np.random.default_rng(8), 25)
    res = BradleyTerry.from_comparisons(frame, "winner", "loser").fit()
    drawn = res.bootstrap(50, groups="voter", random_state=1)
    assert drawn.n_units == 25
    assert res.bootstrap(5, random_state=1).n_units == len(frame)
    np.testing.assert_array_equal(drawn.conf_int(0.2), drawn.params.quantile([0.1, 0.9]).T)
    bounds = drawn.conf_int(0.2, method="t")
    half = stats.t.ppf(0.9, 24) * np.sqrt(25 / 24) * drawn.params.std(ddof=1)
    np.testing.assert_allclose(bounds[0], res.params - half)
    np.testing.assert_allclose(bounds[1], res.params + half)
    with pytest.raises(InputError, match="method must be one of"):
        drawn.conf_int(method="bca")


@pytest.mark.slow
@pytest.mark.filterwarnings(FEW)
@pytest.mark.parametrize(("n_voters", "n_items"), [(8, 4), (20, 8), (50, 4)])
def test_coverage(n_voters, n_items):
    """Of 95 % intervals of abilities and differences, and tests of all of them, in 600 samples.

    The standard error of a share is at most 0.009. Normal quantiles would have .91 with 8 voters, and F with G - 1
    degrees of freedom .82 for 8 items and 20 voters.
    """
    rng = np.random.default_rng(n_voters)
    covered = []
    for _ in range(600):
        res = clustered(votes(rng, n_voters, n_items=n_items))
        table = res.abilities()
        inside = (table["conf_low"] < 0.0) & (table["conf_high"] > 0.0)
        joint = res.wald_test(np.eye(n_items)[1:]).p_value > 0.05
        covered.append([inside.mean(), res.contrast(0, 1).p_value > 0.05, joint])
    *single, joint = np.mean(covered, axis=0)
    np.testing.assert_allclose(single, 0.95, rtol=0.0, atol=0.02)
    # The correction for few groups makes the covariance of many parameters slightly too large.
    assert 0.93 < joint < 0.98


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the bootstrap draws only")
def test_coverage_of_the_bootstrap():
    """With 8 voters, percentile intervals are too short and t intervals are not (120 samples)."""
    rng = np.random.default_rng(9)
    covered = []
    for _ in range(120):
        res = BradleyTerry.from_comparisons(votes(rng, 8), "winner", "loser").fit()
        drawn = res.bootstrap(120, groups="voter", random_state=1)
        both = (drawn.conf_int(method=method) for method in ("percentile", "t"))
        covered.append([((bounds[0] < 0.0) & (bounds[1] > 0.0)).mean() for bounds in both])
    percentile, t = np.mean(covered, axis=0)
    assert percentile < 0.92
    assert t == pytest.approx(0.95, abs=0.025)


def test_an_item_whose_comparisons_come_from_one_cluster_is_named():
    """Its standard error would be far too small; all items in several clusters give no warning."""
    rng = np.random.default_rng(4)
    a = rng.integers(0, 4, 400)
    b = (a + rng.integers(1, 4, 400)) % 4
    won = rng.random(400) < 0.5
    frame = pd.DataFrame({"winner": np.where(won, a, b), "loser": np.where(won, b, a), "user": np.arange(400) % 40})
    options = {"cov_type": "cluster", "cov_kwds": {"groups": "user"}}
    model = BradleyTerry.from_comparisons(frame, winner="winner", loser="loser")
    model.fit(**options)
    alone = pd.DataFrame({"winner": [9, 0, 9, 1], "loser": [0, 9, 1, 9], "user": 7})
    model = BradleyTerry.from_comparisons(pd.concat([frame, alone]), winner="winner", loser="loser")
    with pytest.warns(FewClustersWarning, match=r"all comparisons of \(9\) come from one cluster"):
        res = model.fit(**options)
    assert res.bse[9] < 0.5 * model.fit().bse[9]
