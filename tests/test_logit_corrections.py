"""Intervals and tests after FLIC and FLAC: against logistf 1.26.1 and statsmodels on the augmented data."""

import pickle

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from scipy.special import expit

from pwcstats import FirthLogit, InputError

from .conftest import stored

# logistf stops at changes of 1e-10 of its coefficients and likelihoods.
LOGISTF = 1e-8
# statsmodels' GLM is asked for changes of 1e-14 of the deviance.
GLM = 1e-7
# Our search for a bound allows an error of 1e-5 of the fall of the likelihood.
BOUND = 1e-5
FORMULA = "HG ~ NV + PI + EH"


@pytest.fixture(scope="module")
def said():
    return stored("logistf")


def fitted(said, correction, tau=0.5, formula=FORMULA):
    return FirthLogit.from_formula(formula, pd.DataFrame(said["endometrial"]), tau=tau).fit(correction=correction)


@pytest.mark.parametrize(("key", "tau"), [("flac", 0.5), ("flac_tau", 0.2)])
def test_flac_equals_logistf(said, key, tau):
    """All coefficients, and the test of all slopes."""
    theirs, res = said[key], fitted(said, "flac", tau)
    table = res.tidy(method="profile")
    np.testing.assert_allclose(table["conf_low"], theirs["low"], atol=LOGISTF)
    np.testing.assert_allclose(table["conf_high"], theirs["high"], atol=LOGISTF)
    np.testing.assert_allclose(table["p_value"], theirs["p"], atol=LOGISTF)
    full, null = theirs["loglik"]
    assert res.lr_test().statistic == pytest.approx(2 * (full - null), abs=LOGISTF)
    assert res.llr == res.lr_test().statistic
    assert res.llr_pvalue == pytest.approx(res.lr_test().p_value, rel=1e-9)
    # Its likelihood is not the penalised one.
    assert abs(res.llf - full) > 1
    for name in ("NV", "PI", "EH"):
        test = res.lr_test(name)
        assert test.p_value == pytest.approx(table.set_index("term").loc[name, "p_value"], rel=1e-7)
        assert test.method == "Likelihood-ratio test of the augmented data"


def test_flic_equals_logistf(said):
    theirs, res = said["flic"], fitted(said, "flic")
    table = res.tidy(method="profile")
    np.testing.assert_allclose(table["conf_low"][1:], theirs["low"][1:], atol=LOGISTF)
    np.testing.assert_allclose(table["conf_high"][1:], theirs["high"][1:], atol=LOGISTF)
    np.testing.assert_allclose(table["p_value"][1:], theirs["p"][1:], atol=LOGISTF)
    assert res.llf == pytest.approx(theirs["loglik"][0], abs=LOGISTF)
    assert res.llnull == pytest.approx(theirs["loglik"][1], abs=LOGISTF)
    # logistf takes 1.96 for the quantile of the intercept's Wald interval; its p-value ignores the slopes.
    intercept, se = res.params["Intercept"], res.bse["Intercept"]
    assert table["conf_low"][0] == pytest.approx(intercept - stats.norm.isf(0.025) * se)
    assert theirs["low"][0] == pytest.approx(intercept - 1.96 * se, abs=LOGISTF)
    assert table["statistic"][0] == pytest.approx((intercept / se) ** 2)
    assert table["p_value"][0] == pytest.approx(2 * stats.norm.sf(intercept / se))


def make_data(slope=1.0, n=60):
    rng = np.random.default_rng(5)
    x = np.column_stack([rng.normal(size=n), np.ones(n), rng.random(n) < 0.15])
    y = (slope * (x[:, 0] - 0.8) + rng.logistic(size=n) > 0).astype(float)
    return x, y, rng.integers(1, 4, n) / 2, rng.normal(size=n) / 2


def augmented(x, y, w, offset, tau, at):
    """The data of FLAC, the last column of which is the indicator of pseudo-observations."""
    p = expit(x @ at + offset)
    v = w * p * (1 - p)
    h = tau * v * np.einsum("ij,jk,ik->i", x, np.linalg.inv((x * v[:, None]).T @ x), x)
    columns = np.column_stack([np.tile(x, (3, 1)), np.repeat([0.0, 1.0, 1.0], len(y))])
    return columns, np.concatenate([y, y, 1 - y]), np.concatenate([w, h, h]), np.tile(offset, 3)


def glm(columns, y, w, offset):
    """A fit to some columns of the augmented data."""
    return sm.GLM(y, columns, sm.families.Binomial(), freq_weights=w, offset=offset).fit(tol=1e-14, maxiter=200)


@pytest.mark.parametrize("slope", [1.0, 0.2])
@pytest.mark.parametrize("tau", [0.5, 0.1])
def test_flac_tests_the_augmented_data(slope, tau):
    """With weights, offsets, and a constant that is not the first column."""
    x, y, w, offset = make_data(slope)
    model = FirthLogit(y, x, freq_weights=w, offset=offset, tau=tau)
    res = model.fit(correction="flac")
    columns, *rest = augmented(x, y, w, offset, tau, model.fit().params)
    full = glm(columns, *rest)
    np.testing.assert_allclose(res.params, full.params[:-1], rtol=GLM, atol=GLM)
    for held in ([0], [2], [0, 2], [1]):
        kept = [k for k in range(4) if k not in held]
        null = glm(columns[:, kept], *rest)
        assert res.lr_test(held).statistic == pytest.approx(2 * (full.llf - null.llf), abs=GLM)
    np.testing.assert_allclose(res.lr_test().statistic, res.lr_test([0, 2]).statistic)
    # Profiles end where the likelihood of the augmented data has fallen.
    bounds, y_all, w_all, offset_all = res.conf_int(0.1, method="profile"), *rest
    for k in range(3):
        others = np.delete(np.arange(4), k)
        for bound in bounds[k]:
            held = glm(columns[:, others], y_all, w_all, offset_all + bound * columns[:, k])
            assert 2 * (full.llf - held.llf) == pytest.approx(stats.chi2.isf(0.1, 1), rel=2 * BOUND)
    curves = res.profile(0.1, n_points=1)
    assert list(curves.columns) == ["x1", "const", "x2"]
    np.testing.assert_allclose(curves.loc["x1"]["x1"].iloc[[0, 2]], bounds[0])
    np.testing.assert_allclose(curves.loc["x1"].iloc[1], res.params)


def test_flic_keeps_the_slopes():
    x, y, w, offset = make_data()
    model = FirthLogit(y, x, freq_weights=w, offset=offset)
    plain, res = model.fit(), model.fit(correction="flic")
    tables = [fit.tidy(method="profile").set_index("term") for fit in (plain, res)]
    slopes = ["x1", "x2"]
    pd.testing.assert_frame_equal(
        tables[0].loc[slopes].drop(columns="std_error"), tables[1].loc[slopes].drop(columns="std_error")
    )
    np.testing.assert_allclose(tables[1].loc["const", ["conf_low", "conf_high"]].astype(float), res.conf_int()[1])
    for term in ("x1", ["x1", "x2"], None):
        assert res.lr_test(term).statistic == plain.lr_test(term).statistic
    curves = res.profile(n_points=2)
    assert list(curves.index.unique("coefficient")) == slopes
    pd.testing.assert_frame_equal(curves, plain.profile(n_points=2).drop(index="const", level=0))
    with pytest.raises(InputError, match=r"FLIC's intercept const has no likelihood-ratio test: .* Use t_test"):
        res.lr_test("const")


@pytest.mark.parametrize("correction", ["flic", "flac"])
def test_tests_between_fits(correction, said):
    """Of columns that are left out, and of columns that are combinations of others."""
    full, small = fitted(said, correction), fitted(said, correction, formula="HG ~ PI + EH")
    assert full.lr_test(small) == full.lr_test("NV") == small.lr_test(full)
    combined = fitted(said, correction, formula="HG ~ I(NV + PI) + EH")
    test = full.lr_test(combined)
    data = pd.DataFrame(said["endometrial"])
    if correction == "flac":
        x, y = full.model.exog, data["HG"].to_numpy(float)
        columns, *rest = augmented(x, y, np.ones(len(y)), np.zeros(len(y)), 0.5, fitted(said, None).params.to_numpy())
        summed = np.column_stack([columns[:, 0], columns[:, 1] + columns[:, 2], columns[:, 3:]])
        expected = 2 * (glm(columns, *rest).llf - glm(summed, *rest).llf)
    else:
        expected = fitted(said, None).lr_test(fitted(said, None, formula="HG ~ I(NV + PI) + EH")).statistic
    assert test.statistic == pytest.approx(expected, abs=GLM)
    assert test.df == 1
    with pytest.raises(InputError, match="same correction"):
        full.lr_test(fitted(said, None, formula="HG ~ PI + EH"))


@pytest.mark.parametrize("correction", ["flic", "flac"])
def test_without_data(correction, said):
    res = fitted(said, correction)
    bounds = res.conf_int(method="profile")
    copy = pickle.loads(pickle.dumps(res))
    pd.testing.assert_frame_equal(copy.conf_int(method="profile"), bounds)
    statistic = res.llr
    res.remove_data()
    with pytest.raises(InputError, match="needs the data, which remove_data has removed"):
        res.conf_int(method="profile")
    assert copy.llr == statistic
    assert len(pickle.dumps(res)) < len(pickle.dumps(copy))
