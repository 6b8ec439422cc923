"""Ranks, bootstrap, tests, reports and figures of a Bradley–Terry fit."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import stats

from pwcstats import BradleyTerry, ConvergenceWarning, InputError
from pwcstats._results import Result
from pwcstats.plot.style import figure_of

from .test_bradley_terry import NAMES, league, long_model


def check_contract(result):
    """Check the contract of all results."""
    plain = result.to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert isinstance(result, Result)
    assert len(result.glance()) == 1
    assert list(result.tidy())[:2] == ["term", "estimate"]
    assert "<table" in result._repr_html_()
    assert len(repr(result).splitlines()) >= 3


@pytest.fixture
def model():
    frame, _ = league(21, n=400)
    return BradleyTerry.from_comparisons(frame, winner="winner", loser="loser")


@pytest.fixture
def res(model):
    return model.fit()


@pytest.mark.parametrize("simultaneous", [True, False])
def test_rank_sets_are_what_significant_differences_leave(res, simultaneous):
    table = res.ranks(0.1, simultaneous=simultaneous, random_state=3)
    # The same by brute force: draws from the singular covariance, and all pairs.
    rng = np.random.default_rng(11)
    values, vectors = np.linalg.eigh(res.cov_params().to_numpy())
    root = vectors * np.sqrt(np.maximum(values, 0))
    draws = rng.standard_normal((40_000, 6)) @ root.T
    error = np.array([[1.0 if i == j else res.contrast(i, j).std_error for j in NAMES] for i in NAMES])
    largest = (np.abs(draws[:, :, None] - draws[:, None]) / error).max(axis=2)
    for k, name in enumerate(NAMES):
        critical = np.quantile(largest.max(axis=1) if simultaneous else largest[:, k], 0.9)
        z = np.array(
            [0 if j == name else (res.params[name] - res.params[j]) / res.contrast(name, j).std_error for j in NAMES]
        )
        # No difference is so near the critical value that the draws would decide the test.
        assert np.abs(np.abs(z) - critical).min() > 0.03
        assert table.loc[name, "rank_low"] == 1 + np.sum(z < -critical)
        assert table.loc[name, "rank_high"] == 6 - np.sum(z > critical)
    if simultaneous:
        assert table.attrs["critical_value"] == pytest.approx(np.quantile(largest.max(axis=1), 0.9), abs=0.03)
    assert list(table["rank"]) == [1, 2, 3, 4, 5, 6]
    assert table["ability"].is_monotonic_decreasing
    assert ((table["rank_low"] <= table["rank"]) & (table["rank"] <= table["rank_high"])).all()


def test_rank_sets_cover():
    """All sets contain the true ranks in at least 90% of leagues, up to the error of 200 leagues."""
    rng = np.random.default_rng(2)
    ability = np.array([0.0, 0.0, 0.3, 0.6, 1.2])
    rank = stats.rankdata(-ability, method="min"), stats.rankdata(-ability, method="max")
    i, j = np.triu_indices(5, 1)
    p = 1 / (1 + np.exp(ability[j] - ability[i]))
    hits = 0
    for _ in range(200):
        wins = np.zeros((5, 5))
        wins[i, j] = rng.binomial(60, p)
        wins[j, i] = 60 - wins[i, j]
        table = BradleyTerry(wins).fit().ranks(0.1, n_draws=2000).sort_index()
        # Equal items share ranks, and the sets must contain all of these.
        hits += bool(np.all((table["rank_low"] <= rank[0]) & (table["rank_high"] >= rank[1])))
    assert hits >= 200 * 0.9 - 3 * np.sqrt(200 * 0.09)


@pytest.mark.slow
def test_bootstrap_agrees_with_theory_and_itself(res):
    one = res.bootstrap(400, random_state=5)
    two = res.bootstrap(400, n_jobs=2, random_state=5)
    pd.testing.assert_frame_equal(one.params, two.params)
    assert one.n_failed == 0
    # A standard error from 400 draws has a relative error of 3.5%.
    np.testing.assert_allclose(one.bse, res.bse, rtol=0.15)
    np.testing.assert_allclose(one.conf_int(), res.conf_int(), atol=0.12)
    assert not one.params.equals(res.bootstrap(400, random_state=6).params)
    with parallel_config(backend="loky", n_jobs=2):
        pd.testing.assert_frame_equal(res.bootstrap(400, random_state=5).params, one.params)


@pytest.mark.slow
def test_bootstrap_draws_comparisons_rows_or_groups():
    rng = np.random.default_rng(0)
    n = 300
    frame = pd.DataFrame({"w": rng.choice(list("ab"), n, p=[0.6, 0.4])})
    frame["l"] = frame["w"].map({"a": "b", "b": "a"})
    frame["one"], frame["group"] = 1.0, np.arange(n) // 10
    frame["heavy"] = 1.0 + 4.0 * (np.arange(n) % 2)
    p = (frame["w"] == "a").mean()
    by_row = BradleyTerry.from_comparisons(frame, "w", "l", weight="one").fit(ref="b")
    single = BradleyTerry.from_comparisons(frame, "w", "l").fit(ref="b")
    theory = np.sqrt(1 / (n * p * (1 - p)))
    for res in (by_row, single):
        assert res.bootstrap(1500, random_state=1).bse["a"] == pytest.approx(theory, rel=0.08)
    # The bootstrap converges to the sandwich, for weighted rows and for groups.
    weighted = BradleyTerry.from_comparisons(frame, "w", "l", weight="heavy")
    groups = {"groups": np.arange(n), "use_correction": False}
    expected = weighted.fit(ref="b", cov_type="cluster", cov_kwds=groups).bse["a"]
    assert weighted.fit(ref="b").bootstrap(1500, random_state=1).bse["a"] == pytest.approx(expected, rel=0.08)
    # If the members of a group agree, only the number of groups matters.
    frame["w"] = np.where(frame["group"] % 3 == 0, "b", "a")
    frame["l"] = frame["w"].map({"a": "b", "b": "a"})
    model = BradleyTerry.from_comparisons(frame, "w", "l")
    robust = model.fit(ref="b", cov_type="cluster", cov_kwds={"groups": "group", "use_correction": False})
    drawn = model.fit(ref="b").bootstrap(1500, random_state=1, groups="group")
    assert drawn.bse["a"] == pytest.approx(robust.bse["a"], rel=0.12)
    assert robust.bse["a"] > 2.5 * model.fit(ref="b").bse["a"]


def test_bootstrap_says_how_many_draws_failed():
    res = BradleyTerry([[0, 3, 1], [1, 0, 3], [3, 1, 0]]).fit()
    with pytest.warns(ConvergenceWarning, match="of 200 bootstrap draws have no finite estimate"):
        drawn = res.bootstrap(200, random_state=1)
    assert 0 < drawn.n_failed < 200
    assert drawn.params.isna().any(axis=1).sum() == drawn.n_failed
    assert np.isfinite(drawn.bse).all()


def rarely_compared(*rare):
    """Three items that all met, and others with a single comparison; a draw without it is not connected."""
    rows = [*zip("abcabc", "bcacab", strict=True), *((name, "a") for name in rare)]
    return BradleyTerry.from_comparisons(pd.DataFrame(rows, columns=["w", "l"]), "w", "l")


def test_bootstrap_by_firth_does_not_advise_firth():
    res = rarely_compared("d").fit("firth")
    with pytest.warns(ConvergenceWarning, match="of 100 bootstrap draws .*leave out items with few comp") as caught:
        drawn = res.bootstrap(100, random_state=1)
    assert "firth" not in str(caught[0].message)
    # The comparison of d is missing in a draw of seven with probability 0.34.
    assert 20 < drawn.n_failed < 50
    with pytest.raises(InputError, match="more than half; leave out items with few comparisons") as refused:
        rarely_compared("d", "e", "f", "g").fit("firth").bootstrap(100, random_state=1)
    assert "firth" not in str(refused.value)


def test_bootstrap_result_keeps_the_contract(res):
    drawn = res.bootstrap(50, random_state=2)
    check_contract(drawn)
    tidy = drawn.tidy(0.2, "t")
    assert list(tidy) == ["term", "estimate", "std_error", "conf_low", "conf_high"]
    np.testing.assert_array_equal(tidy["estimate"], res.params)
    np.testing.assert_array_equal(tidy["std_error"], drawn.bse)
    np.testing.assert_array_equal(tidy["conf_high"], drawn.conf_int(0.2, "t")[1])
    assert drawn.glance().iloc[0].to_dict() == {"n_draws": 50, "n_failed": 0, "n_units": 400}
    assert repr(drawn).startswith("BootstrapResult: n_draws = 50, n_failed = 0, n_units = 400\n")


def test_bootstrap_of_fractions_is_refused():
    res = BradleyTerry([[0, 3.5], [1, 0]]).fit()
    with pytest.raises(InputError, match="not whole numbers"):
        res.bootstrap(10)


def test_likelihood_ratio_test(model):
    frame, _ = league(22, order=True)
    model = long_model(frame)
    small, large = model.fit(), model.fit(order_effect=True)
    test = large.lr_test(small)
    assert test.statistic == pytest.approx(2 * (large.llf - small.llf))
    assert test.statistic == pytest.approx(small.deviance - large.deviance)
    assert test.df == 1
    assert test.p_value == pytest.approx(stats.chi2.sf(test.statistic, 1))
    assert small.lr_test(large) == test
    items = pd.DataFrame({"u": range(6), "v": [3.0, 1, 4, 1, 5, 9]}, index=NAMES)
    linear = model.fit(covariates=items)
    assert small.lr_test(linear).df == 3
    assert linear.lr_test(model.fit(covariates=items[["v"]])).df == 1
    for pair, message in (
        ((small, model.fit("firth")), "penalties"),
        ((small, BradleyTerry(np.ones((6, 6))).fit()), "different ones"),
        ((small, model.fit(ref="a")), "both fits have"),
        ((model.fit(covariates=items[["u"]], order_effect=True), small), "not nested"),
        (
            (model.fit(covariates=items), model.fit(covariates=items[["u"]].assign(q=items["u"] ** 2)[["q"]])),
            "not nested",
        ),
    ):
        with pytest.raises(InputError, match=message):
            pair[0].lr_test(pair[1])


def test_wald_test(res):
    contrast = np.zeros((1, 6))
    contrast[0, :2] = 1, -1
    test = res.wald_test(contrast)
    one = res.contrast("a", "b")
    assert test.statistic == pytest.approx(one.statistic**2)
    assert test.p_value == pytest.approx(one.p_value)
    every = res.wald_test(np.eye(6)[:5])
    params, cov = res.params.to_numpy()[:5], res.cov_params().to_numpy()[:5, :5]
    assert every.statistic == pytest.approx(params @ np.linalg.inv(cov) @ params)
    assert every.p_value == pytest.approx(stats.chi2.sf(every.statistic, 5))
    with pytest.raises(InputError, match="linearly independent"):
        res.wald_test(np.eye(6))


def test_wald_statistics(res):
    np.testing.assert_allclose(res.tvalues, res.params / res.bse)
    np.testing.assert_allclose(res.pvalues, 2 * stats.norm.sf(np.abs(res.params / res.bse)))
    bounds = res.conf_int(0.2)
    np.testing.assert_allclose(bounds[1] - bounds[0], 2 * stats.norm.ppf(0.9) * res.bse)
    assert list(res.conf_int(terms=["c", "a"]).index) == ["c", "a"]


def test_criteria(res):
    assert res.aic == pytest.approx(2 * 5 - 2 * res.llf)
    assert res.bic == pytest.approx(5 * np.log(400) - 2 * res.llf)


def test_tidy_glance_and_dict(res):
    tidy = res.tidy()
    assert list(tidy) == ["term", "estimate", "std_error", "statistic", "p_value", "conf_low", "conf_high"]
    np.testing.assert_array_equal(tidy["estimate"], res.params)
    np.testing.assert_array_equal(tidy["conf_low"], res.conf_int()[0])
    glance = res.glance()
    assert glance.loc[0, "nobs"] == 400
    assert glance.loc[0, "df_residual"] == 10
    plain = res.to_dict()
    assert plain["log_lik"] == res.llf
    assert plain["params"][2]["term"] == "c"
    assert plain["params"][2]["estimate"] == res.params["c"]


def test_results_keep_the_contract(model):
    for options in ({}, {"method": "firth", "ref": "b"}, {"cov": "diag"}, {"cov": "none"}):
        res = model.fit(**options)
        check_contract(res)
        assert type(res.converged) is bool
        assert repr(res).startswith("Bradley-Terry fit: n_items = 6, nobs = 400, log_lik = ")
    tidy = model.fit(cov="none").tidy()
    assert list(tidy) == list(model.fit().tidy())
    assert tidy.iloc[:, 2:].isna().all(axis=None)
    labelled = BradleyTerry([[0, 3], [1, 0]], items=[("p", 1), pd.Timestamp(2020, 1, 1)]).fit(method="firth")
    check_contract(labelled)


def test_summary_prints_the_numbers():
    frame, _ = league(23, ties=True, order=True)
    res = long_model(frame).fit(ties="davidson", order_effect=True, ref="b")
    text = str(res.summary())
    lines = text.splitlines()
    assert lines[0].strip() == "Bradley-Terry Results"
    for part in ("Davidson", f"{res.deviance:.5g}", f"{res.aic:.5g}", "are relative to b", "converged:"):
        assert part in text
    for term in res.params.index:
        (line,) = (line for line in lines[11:-3] if line.startswith(f"{term} "))
        numbers = [float(x) for x in line.removeprefix(term).split()]
        assert numbers == pytest.approx(
            [res.params[term], res.bse[term], res.tvalues[term], res.pvalues[term], *res.conf_int().loc[term]], abs=6e-4
        )
    assert len({len(line) for line in lines[1:12]}) == 1
    assert "<table" in res.summary().as_html()
    (line,) = (line for line in str(res.summary(alpha=0.2)).splitlines()[11:-3] if line.startswith("c "))
    assert [float(x) for x in line.split()[-2:]] == pytest.approx(list(res.conf_int(0.2).loc["c"]), abs=6e-4)
    assert "[0.1 " in str(res.summary(alpha=0.2))


def test_long_summaries_show_the_ends():
    rng = np.random.default_rng(0)
    wins = rng.integers(1, 5, size=(150, 150))
    res = BradleyTerry(wins).fit()
    text = str(res.summary(max_rows=10))
    shown = [line.split()[0] for line in text.splitlines()[:-1] if line[:1].isdigit()]
    ranked = [str(k) for k in res.params.sort_values(ascending=False).index]
    assert shown == ranked[:5] + ranked[-5:]
    assert "140 abilities" in text


def test_tie_parameter():
    frame, _ = league(24, ties=True)
    res = BradleyTerry.from_comparisons(frame, "winner", "loser", tie="tie").fit(ties="davidson")
    nu = res.tie_parameter()
    assert nu.estimate == pytest.approx(np.exp(res.params["(tie)"]))
    assert nu.std_error == pytest.approx(nu.estimate * res.bse["(tie)"])
    np.testing.assert_allclose(nu.conf_int, np.exp(res.conf_int().loc["(tie)"]))
    assert nu.p_value == pytest.approx(res.pvalues["(tie)"])
    with pytest.raises(InputError, match="no tie parameter"):
        BradleyTerry([[0, 1], [1, 0]]).fit().tie_parameter()


def test_without_a_covariance(model):
    res = model.fit(cov="none")
    full = model.fit()
    np.testing.assert_array_equal(res.params, full.params)
    for call in (lambda: res.bse, lambda: res.abilities(), lambda: res.bse_error):
        with pytest.raises(InputError, match="cov='none'"):
            call()
    for call in (res.cov_params, res.ranks, res.quasi_variances):
        with pytest.raises(InputError, match="cov='full'"):
            call()
    assert res.contrast("a", "b").std_error == pytest.approx(full.contrast("a", "b").std_error, rel=1e-7)
    assert list(res.abilities(ci=False)) == ["ability"]
    assert "coef" in str(res.summary())
    assert res.to_dict()["params"][0]["term"] == "a"
    exact = model.fit(cov="diag")
    np.testing.assert_allclose(exact.bse, full.bse, rtol=1e-9)
    assert (exact.bse_error == 0).all()


def test_results_survive_pickle(res):
    again = pickle.loads(pickle.dumps(res))
    pd.testing.assert_frame_equal(again.conf_int(method="profile"), res.conf_int(method="profile"))
    assert again.predict("a", "b") == res.predict("a", "b")


@pytest.mark.parametrize("intervals", ["wald", "comparison", "quasi"])
def test_plot_shows_every_item_once_best_on_top(res, intervals):
    figure = figure_of(res.plot(intervals))
    (axes,) = figure.axes
    labels = [tick.get_text() for tick in axes.get_yticklabels()]
    order = res.params.sort_values(ascending=False).index
    assert labels == [str(name) for name in order]
    points = axes.lines[0].get_xdata()
    np.testing.assert_array_equal(points, res.params[order])
    segments = np.array([path for path in axes.collections[0].get_segments()])
    low = segments[:, 0, 0]
    error = res.bse if intervals == "wald" else res.quasi_variances()["quasi_se"]
    multiplier = stats.norm.ppf(0.975)
    if intervals == "comparison":
        multiplier = res.comparison_intervals().attrs["multiplier"]
    np.testing.assert_allclose(points - low, multiplier * error[order])
    multiplier, label = stats.norm.ppf(0.9), "80 %"
    if intervals == "comparison":
        multiplier, label = (
            res.comparison_intervals(0.2).attrs["multiplier"],
            "no overlap: the two items differ (about 20 % level)",
        )
    figure = figure_of(res.plot(intervals, alpha=0.2))
    segments = np.array(figure.axes[0].collections[0].get_segments())
    np.testing.assert_allclose(points - segments[:, 0, 0], multiplier * error[order])
    assert label in figure.axes[0].get_xlabel()


def test_negative_quasi_variances_are_reported():
    """All voters put a between b and c, so the variance of b - c is larger than those of b - a and a - c together."""
    rows = [
        (*pair, voter)
        for voter in range(40)
        for pair in ([("b", "a"), ("a", "c")] if voter % 2 else [("a", "b"), ("c", "a")])
    ]
    frame = pd.DataFrame(rows, columns=["winner", "loser", "voter"])
    model = BradleyTerry.from_comparisons(frame, "winner", "loser")
    res = model.fit(cov_type="cluster", cov_kwds={"groups": "voter"})
    with pytest.warns(ConvergenceWarning, match=r"quasi-variance of \(a\) is negative"):
        q = res.quasi_variances()["quasi_variance"]
    for i, j in (("a", "b"), ("a", "c"), ("b", "c")):
        assert q[i] + q[j] == pytest.approx(res.contrast(i, j).std_error ** 2, rel=1e-8)
    # The other two items still have intervals.
    with pytest.warns(ConvergenceWarning, match="no comparison interval"):
        shown = res.comparison_intervals()
    assert shown["conf_low"].isna().tolist() == [True, False, False]
    assert shown.attrs["pair_alpha"] == pytest.approx((0.05, 0.05))
    with pytest.raises(InputError, match="at least 3"):
        BradleyTerry([[0, 1], [1, 0]]).fit().quasi_variances()


def test_each_item_has_its_own_critical_value():
    """Marginal sets, if items are compared often with some items and rarely with others."""
    rng = np.random.default_rng(8)
    wins = rng.integers(1, 4, size=(6, 6)).astype(float)
    wins[:3, :3] *= 200
    res = BradleyTerry(wins, items=NAMES).fit()
    table = res.ranks(0.3, simultaneous=False, n_draws=40_000)
    values, vectors = np.linalg.eigh(res.cov_params().to_numpy())
    draws = np.random.default_rng(1).standard_normal((40_000, 6)) @ (vectors * np.sqrt(np.maximum(values, 0))).T
    error = np.array([[1.0 if i == j else res.contrast(i, j).std_error for j in NAMES] for i in NAMES])
    critical = np.quantile((np.abs(draws[:, :, None] - draws[:, None]) / error).max(axis=2), 0.7, axis=0)
    assert np.ptp(critical) > 0.05
    z = (res.params.to_numpy()[:, None] - res.params.to_numpy()) / error
    np.testing.assert_array_equal(table.loc[NAMES, "rank_low"], 1 + (z < -critical[:, None]).sum(axis=1))
    np.testing.assert_array_equal(table.loc[NAMES, "rank_high"], 6 - (z > critical[:, None]).sum(axis=1))


def test_a_p_value_that_underflows_is_not_printed_as_0():
    res = BradleyTerry([[0, 90_000], [10_000, 0]]).fit()
    assert "p-value < 1e-300" in str(res.contrast(0, 1))
    assert "p-value = 0.3" in str(BradleyTerry([[0, 3], [1, 0]]).fit().contrast(0, 1))
