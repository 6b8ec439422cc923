"""The weight of the penalty: against logistf 1.26.1, statsmodels without a penalty, and a slow reference."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from scipy.special import expit

from pwcstats import FirthLogit, FirthMNLogit, InputError, stepwise

from . import reference_logit as slow
from .conftest import stored

# logistf stops at changes of 1e-10 of its coefficients and likelihoods.
LOGISTF = 1e-8
# Our search for a bound allows an error of 1e-5 of the fall of the likelihood; the largest bound is 33.
BOUND = 1e-5
# statsmodels is asked for steps of 1e-12.
STATSMODELS = 1e-7
# BFGS with numerical derivatives of the reference likelihood ends within this of the maximum.
REFERENCE, VALUE = 2e-4, 1e-7
# Two ways to the same number.
SAME = 1e-9
FORMULA = "HG ~ NV + PI + EH"


@pytest.fixture(scope="module")
def from_logistf():
    return stored("logistf")


def cases(from_r):
    """Their answer, and our fit to the same data."""
    data = pd.DataFrame(from_r["endometrial"])
    for theirs in from_r["tau"]:
        yield theirs, FirthLogit.from_formula(FORMULA, data, tau=theirs["tau"]).fit()
    data = data.assign(w=from_r["weight"], shift=data["PI"] / 50)
    model = FirthLogit.from_formula(FORMULA, data, tau=0.2, freq_weights="w", offset="shift")
    yield from_r["weighted_tau"], model.fit()


def test_equals_logistf(from_logistf):
    """Estimates, likelihoods, tests and profile intervals; also for a separated column (NV)."""
    seen = 0
    for theirs, res in cases(from_logistf):
        table = res.tidy(method="profile")
        np.testing.assert_allclose(res.params, theirs["coef"], atol=LOGISTF)
        np.testing.assert_allclose([res.llf, res.llnull], theirs["loglik"], atol=LOGISTF)
        np.testing.assert_allclose(table["p_value"], theirs["p"], atol=LOGISTF)
        np.testing.assert_allclose(table["conf_low"], theirs["low"], atol=BOUND)
        np.testing.assert_allclose(table["conf_high"], theirs["high"], atol=BOUND)
        seen += 1
    assert seen == 4


def test_standard_errors_are_those_of_the_information(from_logistf):
    """logistf takes the weights of the augmented data, which have 2 tau h more; its errors differ by that only."""
    for theirs, res in cases(from_logistf):
        model = res.model
        x, w, tau = model.exog, model._weight, model.tau
        p = res.predict()
        v = np.asarray(w * p * (1 - p))
        cov = np.linalg.inv((x * v[:, None]).T @ x)
        np.testing.assert_allclose(res.cov_params(), cov, rtol=1e-7)
        hat = v * np.einsum("ij,jk,ik->i", x, cov, x)
        augmented = np.linalg.inv((x * (v * (1 + 2 * tau * hat / w))[:, None]).T @ x)
        if (w == 1).all():
            np.testing.assert_allclose(np.sqrt(np.diag(augmented)), theirs["se"], rtol=1e-7)
        assert (res.bse > theirs["se"]).all()


def test_flac_equals_logistf(from_logistf):
    """Pseudo-observations have tau times the leverage as weight; FLIC has only the slopes from the penalty."""
    theirs = from_logistf["flac_tau"]
    model = FirthLogit.from_formula(FORMULA, pd.DataFrame(from_logistf["endometrial"]), tau=0.2)
    res = model.fit(correction="flac")
    np.testing.assert_allclose(res.params, theirs["coef"], atol=LOGISTF)
    np.testing.assert_allclose(res.bse, theirs["se"], rtol=1e-7)
    flic, plain = model.fit(correction="flic"), model.fit()
    np.testing.assert_array_equal(flic.params[1:], plain.params[1:])
    assert flic.predict().mean() == pytest.approx(model.endog.mean(), abs=SAME)
    assert res.predict().mean() == pytest.approx(model.endog.mean(), abs=SAME)


def make_data(seed, classes, n=40):
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(n), rng.normal(size=(n, 2))])
    return x, np.digitize(x[:, 1] + rng.logistic(size=n), [0.0, 1.0][: classes - 1])


@pytest.mark.parametrize("tau", [0.15, 2.0])
@pytest.mark.parametrize(("kind", "classes"), [(FirthLogit, 2), (FirthMNLogit, 3)])
def test_equals_the_slow_reference(kind, classes, tau):
    x, y = make_data(1, classes)
    w = np.random.default_rng(2).integers(1, 4, len(y)) / 2
    res = kind(y, x, freq_weights=w, tau=tau).fit()
    beta, value = slow.maximum(x, y, w, tau=tau, seeds=3)
    np.testing.assert_allclose(np.ravel(res.params, order="F"), beta, rtol=REFERENCE, atol=REFERENCE)
    assert res.llf == pytest.approx(value, abs=VALUE)
    held = np.tile([False, True, False], classes - 1)
    _, null = slow.maximum(x, y, w, held=held, tau=tau, seeds=3)
    test = res.lr_test(1)
    assert test.statistic == pytest.approx(2 * (res.llf - null), abs=10 * VALUE)
    assert test.method == "Penalised likelihood-ratio test"
    # Profiles end where the likelihood has fallen.
    bounds = np.asarray(res.conf_int(method="profile")).reshape(-1, 2)
    fixed = np.arange(len(bounds)) == 1
    flat = np.ravel(res.params, order="F")
    _, value = slow.maximum(x, y, w, held=fixed, start=np.where(fixed, bounds[1, 0], flat), tau=tau, seeds=2)
    assert 2 * (res.llf - value) == pytest.approx(stats.chi2.isf(0.05, 1), abs=1e-5)


@pytest.mark.parametrize("classes", [2, 3])
def test_no_weight_is_maximum_likelihood(classes):
    x, y = make_data(3, classes, 80)
    kind, theirs = ((FirthLogit, sm.Logit), (FirthMNLogit, sm.MNLogit))[classes - 2]
    res = kind(y, x, tau=0).fit()
    ml = theirs(y, x).fit(disp=0, tol=1e-12, maxiter=100)
    for name in ("params", "bse", "llf", "llnull", "llr", "llr_pvalue", "aic", "bic", "prsquared"):
        np.testing.assert_allclose(getattr(res, name), getattr(ml, name), rtol=STATSMODELS, err_msg=name)
    assert res.llf == res.llf_unpenalized
    smaller = theirs(y, x[:, :2]).fit(disp=0, tol=1e-12, maxiter=100)
    test = res.lr_test(2)
    assert test.statistic == pytest.approx(2 * (ml.llf - smaller.llf), abs=STATSMODELS)
    assert test.method == "Likelihood-ratio test"
    # Without a penalty, models with other columns can be compared.
    assert test.statistic == pytest.approx(2 * (res.llf - kind(y, x[:, :2], tau=0).fit().llf), abs=SAME)
    assert "penalised" not in str(res.summary())
    assert res.method == "MLE"


@pytest.mark.parametrize("kind", [FirthLogit, FirthMNLogit])
def test_small_weights_approach_maximum_likelihood(kind):
    x, y = make_data(4, 2 if kind is FirthLogit else 3, 80)
    distance = [
        np.abs(np.asarray(kind(y, x, tau=tau).fit().params) - np.asarray(kind(y, x, tau=0).fit().params)).max()
        for tau in (0.5, 0.05, 0.005)
    ]
    assert distance[0] > 5 * distance[1] > 25 * distance[2] > 0


@pytest.mark.parametrize("tau", [0.01, 0.1, 0.5, 3.0])
def test_separated_data_have_finite_estimates(tau):
    """The score is 0, and more weight shrinks more."""
    x = np.column_stack([np.ones(8), [1.0, 2, 3, 4, 6, 7, 8, 9]])
    y = np.repeat([0, 1], 4)
    res = FirthLogit(y, x, tau=tau).fit()
    p = expit(x @ res.params)
    v = p * (1 - p)
    hat = v * np.einsum("ij,jk,ik->i", x, np.linalg.inv((x * v[:, None]).T @ x), x)
    np.testing.assert_allclose(x.T @ (y - p + 2 * tau * hat * (0.5 - p)), 0, atol=1e-7)
    assert res.converged
    more = FirthLogit(y, x, tau=2 * tau).fit()
    assert 0 < more.params[1] < res.params[1]


@pytest.mark.parametrize("outcomes", [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]])
def test_separated_data_have_no_maximum_without_penalty(outcomes):
    data = pd.DataFrame({"x": range(6), "y": outcomes})
    kind = FirthMNLogit if 2 in outcomes else FirthLogit
    message = r"complete separation: .*x.* without error, so .* infinite; use tau=0.5 for finite estimates"
    with pytest.raises(InputError, match=message):
        kind.from_formula("y ~ x", data, tau=0).fit()
    assert kind.from_formula("y ~ x", data, tau=0.5).fit().converged


def test_quasi_separation_names_the_column(from_logistf):
    with pytest.raises(InputError, match=r"quasi-complete separation: \(NV\) predicts some outcomes"):
        FirthLogit.from_formula(FORMULA, pd.DataFrame(from_logistf["endometrial"]), tau=0).fit()


@pytest.mark.parametrize("tau", [-0.1, np.nan, np.inf, "0.5", None, True])
def test_other_weights_are_refused(tau):
    x, y = make_data(1, 2)
    with pytest.raises(InputError, match="tau must be a finite number of at least 0, got"):
        FirthLogit(y, x, tau=tau)


def test_options_that_need_a_penalty():
    x, y = make_data(1, 2)
    for correction in ("flic", "flac"):
        with pytest.raises(InputError, match=f"'{correction}' corrects for the penalty, of which tau=0 has none"):
            FirthLogit(y, x, tau=0).fit(correction=correction)
    with pytest.raises(InputError, match="both fits must have the same tau, got 0.5 and 0.2"):
        FirthLogit(y, x).fit().lr_test(FirthLogit(y, x[:, :2], tau=0.2).fit())


def test_the_weight_stays_with_the_model():
    """In the selection of terms, and in summaries."""
    x, y = make_data(4, 2, 80)
    data = pd.DataFrame({"a": x[:, 1], "b": x[:, 2], "y": y})
    selected = stepwise(FirthLogit.from_formula("y ~ a + b", data, tau=0.2), "bic").results
    assert selected.model.tau == 0.2
    np.testing.assert_allclose(selected.params, FirthLogit.from_formula("y ~ a", data, tau=0.2).fit().params)
    assert "Firth, tau=0.2" in str(selected.summary())
    assert FirthLogit(y, x).fit().method == "Firth"
