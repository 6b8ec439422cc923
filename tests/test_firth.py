"""FirthLogit: against a slow reference implementation and firthmodels, and as a statsmodels model."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from firthmodels import FirthLogisticRegression
from scipy import stats
from scipy.special import expit

from pwcstats import FirthLogit, InputError

from . import reference_logit as slow

# BFGS with numerical derivatives of the reference likelihood ends within this of the maximum.
REFERENCE = 2e-4
# firthmodels is asked for 1e-6; closer than that, its halved steps do not end on separated data.
SAME = 1e-6


def make_data(seed, n=40, p=3, slope=1.0):
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(n), rng.normal(size=(n, p - 1)), rng.integers(0, 2, n)])
    y = (slope * (x[:, 1] - 0.3) + rng.logistic(size=n) > 0).astype(float)
    return x, y


@pytest.fixture
def endometrial():
    from .conftest import stored

    return pd.DataFrame(stored("logit")["endometrial"]["data"])


@pytest.mark.parametrize(("seed", "slope"), [(1, 1.0), (2, 1.0), (3, 100.0), (4, 100.0)])
def test_equals_the_slow_reference(seed, slope):
    x, y = make_data(seed, slope=slope)
    rng = np.random.default_rng(seed)
    w, offset = rng.integers(1, 4, len(y)) / 2, rng.normal(size=len(y)) / 3
    res = FirthLogit(y, x, offset=offset, freq_weights=w).fit()
    beta, value = slow.maximum(x, y.astype(int), w, offset)
    np.testing.assert_allclose(res.params, beta, rtol=REFERENCE, atol=REFERENCE)
    assert res.llf == pytest.approx(value, abs=1e-9)
    assert res.llf >= value - 1e-12
    p = expit(x @ res.params + offset)
    information = (x * (w * p * (1 - p))[:, None]).T @ x
    np.testing.assert_allclose(res.cov_params(), np.linalg.inv(information), rtol=1e-9)
    assert res.llf_unpenalized == pytest.approx(np.sum(w * np.log(np.where(y == 1, p, 1 - p))), abs=1e-12)
    assert res.llf == pytest.approx(res.llf_unpenalized + 0.5 * np.linalg.slogdet(information)[1], abs=1e-9)


# On the completely separated data of seeds 0, 4 and 6 bounds of firthmodels end on a lower branch of the profile.
@pytest.mark.slow  # firthmodels compiles its kernels in each process
@pytest.mark.parametrize("seed", [1, 2, 3, 5, 7, 8, 10])
def test_equals_firthmodels(seed):
    x, y = make_data(seed, n=60, slope=1.0 if seed % 2 else 30.0)
    res = FirthLogit(y, x).fit()
    peer = FirthLogisticRegression(gtol=1e-7, xtol=1e-6, max_iter=1000).fit(x[:, 1:], y)
    peer_beta = np.append(peer.intercept_, peer.coef_)
    assert res.llf >= peer.loglik_ - 1e-10
    np.testing.assert_allclose(res.params, peer_beta, rtol=SAME, atol=SAME)
    theirs = peer.conf_int(method="pl", max_iter=500, tol=1e-9)
    np.testing.assert_allclose(
        res.conf_int(method="profile"), theirs[[-1, *range(x.shape[1] - 1)]], rtol=1e-6, atol=1e-6
    )
    peer.lrt()
    for k in range(1, x.shape[1]):
        assert res.lr_test(k).p_value == pytest.approx(peer.lrt_pvalues_[k - 1], rel=1e-6)


def test_heinze_and_schemper_2002(endometrial):
    """Estimates and profile intervals of the endometrial data, to the digits that are printed there."""
    res = FirthLogit.from_formula("HG ~ NV + PI + EH", endometrial).fit()
    bounds = res.conf_int(method="profile")
    np.testing.assert_allclose(res.params[["NV", "PI", "EH"]], [2.93, -0.035, -2.60], atol=0.005)
    np.testing.assert_allclose(bounds.loc["NV"], [0.61, 7.85], atol=0.005)
    np.testing.assert_allclose(bounds.loc["PI"], [-0.12, 0.04], atol=0.005)
    np.testing.assert_allclose(bounds.loc["EH"], [-4.37, -1.23], atol=0.0051)


@pytest.mark.parametrize("slope", [1.0, 50.0])
def test_a_profile_ends_where_the_likelihood_has_fallen(slope):
    x, y = make_data(5, slope=slope)
    model = FirthLogit(y, x)
    res = model.fit()
    alpha = 0.1
    drop = stats.chi2.isf(alpha, 1) / 2
    bounds = res.conf_int(alpha, method="profile")
    for k in range(x.shape[1]):
        for bound in bounds[k]:
            held = np.arange(x.shape[1]) == k
            _, value = slow.maximum(x, y.astype(int), held=held, start=np.where(held, bound, res.params), seeds=2)
            assert value == pytest.approx(res.llf - drop, abs=1e-6)
    assert (bounds[:, 0] < res.params).all()
    assert (res.params < bounds[:, 1]).all()


def test_a_profile_with_several_branches_is_followed():
    """Completely separated data: the upper bound lies behind a valley, and Newton alone ends on a lower branch."""
    x, y = make_data(6, n=60, slope=30.0)
    res = FirthLogit(y, x).fit()
    low, high = res.conf_int(method="profile")[1]
    drop = stats.chi2.isf(0.05, 1) / 2
    held = np.arange(4) == 1
    for factor, inside in ((0.97, True), (1.03, False)):
        # Along the profile, and along the ray through it, no other coefficients do better.
        start = res.params * high * factor / res.params[1]
        value = max(slow.maximum(x, y.astype(int), held=held, start=z, seeds=3)[1] for z in (start, start * held))
        assert (value > res.llf - drop) == inside
    assert 0 < low < res.params[1] < 170 < high < 180


def test_where_newton_fails_a_profile_is_searched_for(monkeypatch):
    x, y = make_data(6)
    res = FirthLogit(y, x).fit()
    bounds = res.conf_int(method="profile")
    monkeypatch.setattr("pwcstats._kernels.profile.MAX_STEPS", 1)
    np.testing.assert_allclose(res.conf_int(method="profile"), bounds, rtol=1e-6)


def test_lr_test_keeps_the_penalty_of_the_whole_model():
    x, y = make_data(7)
    res = FirthLogit(y, x).fit()
    held = np.array([False, True, False, True])
    _, value = slow.maximum(x, y.astype(int), held=held)
    test = res.lr_test([1, 3])
    assert test.statistic == pytest.approx(2 * (res.llf - value), abs=1e-7)
    assert test.df == 2
    assert test.p_value == pytest.approx(stats.chi2.sf(test.statistic, 2))
    # Not the difference of two fits, whose penalties differ.
    assert abs(2 * (res.llf - FirthLogit(y, x[:, [0, 2]]).fit().llf) - test.statistic) > 0.1
    assert res.llr == pytest.approx(res.lr_test().statistic)
    assert res.llr_pvalue == pytest.approx(res.lr_test([1, 2, 3]).p_value, abs=1e-9)


def test_terms_of_a_formula_are_tested_whole():
    rng = np.random.default_rng(8)
    df = pd.DataFrame({"g": rng.choice(list("abc"), 60), "x": rng.normal(size=60)})
    df["y"] = (df["x"] + rng.logistic(size=60) > 0).astype(int)
    res = FirthLogit.from_formula("y ~ C(g) + x", df).fit()
    both = res.lr_test("C(g)")
    assert both.df == 2
    assert both.statistic == res.lr_test(["C(g)[T.b]", "C(g)[T.c]"]).statistic
    with pytest.raises(InputError, match=r"one of \(Intercept, C\(g\)\[T.b\].*got 'z'"):
        res.lr_test("z")


def test_weights_are_repeated_rows():
    x, y = make_data(9)
    w = np.random.default_rng(0).integers(0, 4, len(y))
    a = FirthLogit(y, x, freq_weights=w).fit()
    b = FirthLogit(np.repeat(y, w), np.repeat(x, w, axis=0)).fit()
    for name in ("params", "bse", "llf", "aic", "bic", "nobs", "df_resid", "prsquared", "llnull"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-9, err_msg=name)
    np.testing.assert_allclose(a.conf_int(method="profile"), b.conf_int(method="profile"), rtol=1e-7)
    np.testing.assert_array_equal(a.pred_table(), b.pred_table())
    for correction in ("flic", "flac"):
        fits = [model.fit(correction=correction).params for model in (a.model, b.model)]
        np.testing.assert_allclose(*fits, rtol=1e-8)
    for call in (a.get_margeff, lambda: a.get_prediction(average=True)):
        with pytest.raises(InputError, match="leave out freq_weights"):
            call()
    cut = a.predict() > 0.3
    assert a.pred_table(0.3)[1, 1] == w[(y == 1) & cut].sum()


@pytest.mark.parametrize("correction", ["flic", "flac"])
@pytest.mark.parametrize("slope", [1.0, 100.0])
def test_corrected_predictions_are_right_on_average(correction, slope):
    x, y = make_data(10, n=80, slope=slope)
    x[:, 3] = np.random.default_rng(3).random(80) < 0.1
    model = FirthLogit(y, x)
    plain, fit = model.fit(), model.fit(correction=correction)
    assert fit.predict().mean() == pytest.approx(y.mean(), abs=1e-9)
    assert abs(plain.predict().mean() - y.mean()) > 1e-4
    if correction == "flic":
        np.testing.assert_allclose(fit.params[1:], plain.params[1:], atol=1e-12)
    p = fit.predict()
    assert fit.llf_unpenalized == pytest.approx(np.log(np.where(y == 1, p, 1 - p)).sum())
    assert fit.method == f"Firth, {correction.upper()}"


def test_flac_is_maximum_likelihood_on_the_augmented_data():
    x, y = make_data(11)
    offset = np.random.default_rng(1).normal(size=len(y))
    model = FirthLogit(y, x, offset=offset)
    p = expit(x @ model.fit().params + offset)
    root = np.sqrt(p * (1 - p))[:, None] * x
    h = np.einsum("ij,ij->i", root @ np.linalg.inv(root.T @ root), root)
    pseudo = np.repeat([0.0, 1.0, 1.0], len(y))
    glm = sm.GLM(
        np.concatenate([y, y, 1 - y]), np.column_stack([np.tile(x, (3, 1)), pseudo]), sm.families.Binomial(),
        freq_weights=np.concatenate([np.ones(len(y)), h / 2, h / 2]), offset=np.tile(offset, 3),
    ).fit(tol=1e-14)  # fmt: skip
    flac = model.fit(correction="flac")
    np.testing.assert_allclose(flac.params, glm.params[:-1], rtol=1e-7)
    np.testing.assert_allclose(flac.bse, glm.bse[:-1], rtol=1e-6)


def test_the_highest_of_several_maxima():
    """Completely separated data on which steps from 0 end at a lower maximum."""
    from .conftest import stored

    data = pd.DataFrame(stored("logit")["random"][2]["data"])
    model = FirthLogit.from_formula("y ~ x1 + x2 + x3", data)
    local = model._likelihood.maximise()
    assert local.converged
    assert np.abs(local.point.score).max() < 1e-6
    res = model.fit()
    assert res.llf > local.point.value + model._likelihood.constant + 0.5
    beta, value = slow.maximum(model.exog, data["y"].to_numpy(int), seeds=8)
    assert res.llf == pytest.approx(value, abs=1e-8)
    np.testing.assert_allclose(res.params, beta, rtol=1e-3)


MAXIMA = [
    # (x, y): outliers, and very few cases
    ([0, 1, 2, 8, 9, 50], [0, 0, 0, 1, 1, 1]),
    ([0, 7, 8, 9], [0, 1, 1, 1]),
    ([-3, 0, 5, 11, 12], [0, 1, 1, 1, 1]),
    ([-5, -4, 0, 0, 1, 1, 1, 2], [0, 0, 0, 0, 1, 1, 1, 1]),
]


@pytest.mark.parametrize(("column", "y"), MAXIMA)
def test_few_cases_on_a_grid(column, y):
    """One column: the highest maximum, and where the profiles end, by looking at all points of a fine grid."""
    x = np.column_stack([np.ones(len(y)), column])
    model = FirthLogit(y, x)
    res = model.fit()
    best = max(
        model._likelihood.maximise(np.array([a, b])).point.value
        for a in np.linspace(-12, 12, 13)
        for b in np.concatenate([-np.geomspace(0.01, 5, 7), np.geomspace(0.01, 5, 7)])
    )
    assert res.llf - model._likelihood.constant == pytest.approx(best, abs=1e-9)
    drop = stats.chi2.isf(0.05, 1) / 2
    bounds = np.asarray(res.conf_int(method="profile"))
    for k in range(2):
        for bound in bounds[k]:
            other = np.linspace(-60, 60, 30001)
            points = np.column_stack([other, np.full_like(other, bound)] if k else [np.full_like(other, bound), other])
            eta = points @ x.T
            p = expit(eta)
            llf = np.where(np.array(y) == 1, -np.logaddexp(0, -eta), -np.logaddexp(0, eta)).sum(axis=1)
            # The determinant of the information, a sum over pairs of rows.
            w = p * (1 - p)
            determinant = sum(
                w[:, i] * w[:, j] * (x[i, 1] - x[j, 1]) ** 2 for i in range(len(y)) for j in range(i)
            )  # fmt: skip
            height = llf + 0.5 * np.log(np.maximum(determinant, 1e-300))
            # The grid's highest point is a little below the profile.
            assert -2e-3 < height.max() - (res.llf - drop) < 1e-4


def test_held_fits_find_their_highest_maximum():
    rows = [
        [0.5, 0.3, -0.2], [-0.3, 2.1, 2], [0.3, 0.8, 2.5], [-2.1, 0.4, -0.2], [2.2, -0.2, 4.9], [-0.8, 0.4, -0.8],
        [-1, 0.7, 3.3], [6.7, 0.2, -0.3], [-0.1, -0.5, 1.5], [-0.1, 0.2, 0.8], [-1.4, 0.3, -0.5],
    ]  # fmt: skip
    offset = [0.4, -0.7, 0.6, 1.8, -0.9, -1.2, 2, -0.4, 1, 2.6, -4.4]
    x = np.column_stack([np.ones(11), rows])
    model = FirthLogit([1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0], x, offset=offset)
    res = model.fit()
    held = [2.232, 0.0, -13.594, -7.293]
    assert res.lr_test(1).statistic <= 2 * (res.llf - model.loglike(held)) + 1e-3


def test_offsets_far_from_0():
    x, y = make_data(18)
    plain = FirthLogit(y, x).fit()
    far = FirthLogit(y, x, offset=np.full(len(y), 300.0)).fit()
    np.testing.assert_allclose(far.params[1:], plain.params[1:], rtol=1e-7)
    assert far.params[0] == pytest.approx(plain.params[0] - 300, rel=1e-9)


def test_offsets_go_with_the_rows():
    x, y = make_data(19)
    offset = np.random.default_rng(0).normal(size=len(y))
    res = FirthLogit(y, x, offset=offset).fit()
    eta = x @ res.params + offset
    np.testing.assert_allclose(res.fittedvalues, eta)
    np.testing.assert_allclose(res.predict(), expit(eta))
    np.testing.assert_allclose(res.get_prediction().predicted, expit(eta))
    np.testing.assert_allclose(res.get_prediction(x).predicted, expit(eta - offset))


@pytest.mark.slow
def test_rare_events_among_many():
    """One event in 100,000: the rows' rounding must not stop the steps."""
    n = 100_000
    y = np.zeros(n)
    y[5] = 1
    res = FirthLogit(y, np.column_stack([np.ones(n), np.arange(n) % 7])).fit()
    assert res.converged
    assert np.abs(res.model.score(res.params)).max() < 1e-5


def test_names_go_before_places():
    x, y = make_data(20)
    frame = pd.DataFrame(x, columns=["const", 2, 0, 1])
    res = FirthLogit(y, frame).fit()
    assert res.lr_test(0).statistic == pytest.approx(FirthLogit(y, x).fit().lr_test(2).statistic)


def test_units_and_origins_do_not_matter():
    x, y = make_data(12)
    plain = FirthLogit(y, x).fit()
    odd = x.copy()
    odd[:, 1] = x[:, 1] * 1e-6 + 1e3
    odd[:, 2] = x[:, 2] * 1e5 - 3e9
    res = FirthLogit(y, odd).fit()
    np.testing.assert_allclose(res.params[1:3], plain.params[1:3] / [1e-6, 1e5], rtol=1e-5)
    np.testing.assert_allclose(res.predict(), plain.predict(), atol=1e-6)
    np.testing.assert_allclose(res.bse[1:], plain.bse[1:] / [1e-6, 1e5, 1], rtol=1e-5)


def test_many_columns_of_high_correlation():
    """Columns so alike that the plain information would lose half its digits."""
    rng = np.random.default_rng(13)
    base = rng.normal(size=200)
    x = np.column_stack([np.ones(200), base, base + 1e-5 * rng.normal(size=200)])
    y = (base + rng.logistic(size=200) > 0).astype(float)
    # The same model in other columns: the difference of the two, scaled.
    z = np.column_stack([np.ones(200), base, (x[:, 2] - base) * 1e5])
    a, b = FirthLogit(y, x).fit(), FirthLogit(y, z).fit()
    np.testing.assert_allclose(a.predict(), b.predict(), atol=1e-9)
    assert a.params[2] == pytest.approx(b.params[2] * 1e5, rel=1e-6)


def test_as_a_model_of_statsmodels(endometrial):
    res = FirthLogit.from_formula("HG ~ NV + PI + EH", endometrial).fit()
    assert isinstance(res.params, pd.Series)
    assert list(res.params.index) == ["Intercept", "NV", "PI", "EH"]
    assert list(res.cov_params().columns) == list(res.params.index)
    text = str(res.summary())
    for word in ("FirthLogit", "Firth", "converged:", "True", "79", "prefer"):
        assert word in text
    assert "Separation" not in text
    z = res.params["NV"] / res.bse["NV"]
    test = res.t_test("NV = 0")
    assert float(np.squeeze(test.tvalue)) == pytest.approx(z)
    assert float(res.wald_test("NV = 0", scalar=True).statistic) == pytest.approx(z**2)
    new = pd.DataFrame({"NV": [0, 1], "PI": [10, 20], "EH": [1.5, 2.0]})
    eta = res.params["Intercept"] + new @ res.params[["NV", "PI", "EH"]]
    np.testing.assert_allclose(res.predict(new), expit(eta), rtol=1e-12)
    frame = res.get_prediction(new).summary_frame()
    np.testing.assert_allclose(frame["predicted"], expit(eta), rtol=1e-12)
    rows = np.column_stack([[1, 1], new])
    se = np.sqrt(np.einsum("ij,jk,ik->i", rows, res.cov_params(), rows)) * expit(eta) * (1 - expit(eta))
    np.testing.assert_allclose(frame["se"], se, rtol=1e-9)
    tidy = res.tidy(method="profile")
    assert list(tidy.columns) == ["term", "estimate", "std_error", "statistic", "p_value", "conf_low", "conf_high"]
    np.testing.assert_allclose(tidy[["conf_low", "conf_high"]], res.conf_int(method="profile"))
    # The tests of the same likelihood as the intervals.
    np.testing.assert_allclose(tidy["p_value"], [res.lr_test(k).p_value for k in range(4)])
    np.testing.assert_allclose(res.tidy(0.5)["conf_high"] - tidy["estimate"], 0.6744898 * tidy["std_error"], rtol=1e-6)
    glance = res.glance().iloc[0]
    assert glance["log_lik"] == res.llf_unpenalized
    assert glance["nobs"] == 79
    assert res.aic == pytest.approx(2 * 4 - 2 * res.llf_unpenalized)
    assert res.info_criteria("bic") == pytest.approx(res.bic)
    assert res.info_criteria("aic", 2) == pytest.approx(res.aic + 4)
    assert res.reason == ""


def test_null_model_without_a_constant():
    x, y = make_data(14)
    res = FirthLogit(y, x[:, 1:]).fit()
    assert res.df_model == 3
    assert res.llnull == pytest.approx(slow.log_likelihood(
        x[:, 1:], y.astype(int), np.ones(len(y)), np.zeros(len(y)), np.zeros(3), True
    ))  # fmt: skip


def test_formulas_see_the_callers_names(endometrial):
    def half(x):
        return x / 2

    res = FirthLogit.from_formula("HG ~ half(PI)", endometrial).fit()
    assert res.params.iloc[1] == pytest.approx(2 * FirthLogit.from_formula("HG ~ PI", endometrial).fit().params["PI"])
    part = FirthLogit.from_formula("HG ~ PI", endometrial, subset=endometrial["NV"] == 0).fit()
    assert part.nobs == (endometrial["NV"] == 0).sum()


@pytest.mark.new_libraries("statsmodels 0.14.2 makes no summary after remove_data")
def test_copies_and_removed_data(endometrial):
    import pickle

    res = FirthLogit(endometrial["HG"], sm.add_constant(endometrial[["NV", "PI"]])).fit()
    again = pickle.loads(pickle.dumps(res))
    np.testing.assert_array_equal(again.conf_int(method="profile"), res.conf_int(method="profile"))
    res.remove_data()
    assert "FirthLogit" in str(res.summary())
    with pytest.raises(InputError, match="remove_data"):
        res.lr_test("NV")


@pytest.mark.parametrize(
    "call",
    [
        lambda res: res.model.fit_regularized(),
        lambda res: res.model.fit_constrained("x1 = 0"),
        lambda res: res.model.loglikeobs(res.params),
        lambda res: res.model.score_obs(res.params),
        lambda res: res.get_influence(),
        lambda res: res.score_test(),
        lambda res: res.im_ratio,
        lambda res: res.set_null_options(),
        lambda res: res.info_criteria("tic"),
        lambda res: res.model.fit(method="bfgs"),
        lambda res: res.model.fit(cov_type="HC3"),
        lambda res: res.model.fit(correction="fli"),
        lambda res: res.model.fit(start_params=[1.0]),
        lambda res: res.model.fit(maxiter=0),
        lambda res: res.conf_int(method="score"),
        lambda res: res.conf_int(alpha=95),
        lambda res: res.lr_test(9),
        lambda res: res.lr_test([]),
    ],
)
def test_what_would_be_wrong_is_refused(call):
    x, y = make_data(15)
    with pytest.raises(InputError) as error:
        call(FirthLogit(y, x).fit())
    assert len(str(error.value)) > 25


def test_score_and_hessian_are_those_of_the_penalised_likelihood():
    from statsmodels.tools.numdiff import approx_fprime

    x, y = make_data(16)
    model = FirthLogit(y, x, freq_weights=np.arange(len(y)) % 3 + 0.5)
    beta = np.array([0.3, -0.5, 0.2, 0.1])
    np.testing.assert_allclose(model.score(beta), approx_fprime(beta, model.loglike, centered=True), rtol=1e-6)
    p = expit(x @ beta)
    expected = -(x * (model.freq_weights * p * (1 - p))[:, None]).T @ x
    np.testing.assert_allclose(model.hessian(beta), expected, rtol=1e-10)


def test_too_few_steps_are_said():
    from pwcstats import ConvergenceWarning

    x, y = make_data(17, slope=100.0)
    with pytest.warns(ConvergenceWarning, match=r"did not converge \(stopped after 2 steps\); raise maxiter\.$"):
        res = FirthLogit(y, x).fit(maxiter=2)
    assert not res.converged
    assert res.reason == "stopped after 2 steps"
