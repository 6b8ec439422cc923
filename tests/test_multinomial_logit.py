"""FirthMNLogit and individualized fits: against slow reference implementations, binary fits and other baselines."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from pwcstats import FirthLogit, FirthMNLogit, InputError, SeparationWarning, individualized_mnlogit
from pwcstats.logit.evaluation import inverse_root
from pwcstats.logit.multinomial import StableMNLogit

from . import reference_logit as slow

# BFGS with numerical derivatives of the reference likelihood ends within this of the maximum.
REFERENCE = 2e-4


def make_data(seed, n=60, spread=1.0, classes=3):
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(n), rng.normal(size=(n, 2))])
    beta = rng.normal(size=(3, classes - 1)) * spread
    p = slow.probabilities(x, beta)
    return x, (p.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)


@pytest.mark.parametrize(("seed", "spread", "classes"), [(0, 1.0, 3), (1, 30.0, 3), (2, 1.0, 4)])
def test_equals_the_slow_reference(seed, spread, classes):
    x, y = make_data(seed, spread=spread, classes=classes)
    w = np.random.default_rng(seed).integers(1, 4, len(y)) / 2
    res = FirthMNLogit(y, x, freq_weights=w).fit()
    beta, value = slow.maximum(x, y, w, seeds=4)
    np.testing.assert_allclose(np.ravel(res.params, order="F"), beta, rtol=10 * REFERENCE, atol=REFERENCE)
    assert res.llf == pytest.approx(value, abs=1e-7)
    assert res.llf >= value - 1e-10
    p = slow.probabilities(x, np.asarray(res.params))
    np.testing.assert_allclose(res.predict(), p, rtol=1e-10)
    cov = np.linalg.inv(slow.information(x, p, w))
    np.testing.assert_allclose(res.cov_params(), cov, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(np.ravel(res.bse, order="F"), np.sqrt(np.diag(cov)), rtol=1e-8)


def test_two_classes_are_the_binary_fit():
    x, y = make_data(3, classes=2)
    a, b = FirthMNLogit(y, x).fit(), FirthLogit(y, x).fit()
    np.testing.assert_allclose(np.ravel(a.params), b.params, rtol=1e-10)
    assert a.llf == pytest.approx(b.llf, abs=1e-10)
    np.testing.assert_allclose(
        np.reshape(a.conf_int(method="profile"), (-1, 2)), b.conf_int(method="profile"), rtol=1e-7
    )
    assert a.lr_test(1).p_value == pytest.approx(b.lr_test(1).p_value)


@pytest.mark.parametrize("spread", [1.0, 30.0])
def test_probabilities_do_not_depend_on_the_baseline(spread):
    x, y = make_data(4, spread=spread)
    a = FirthMNLogit(y, x).fit()
    b = FirthMNLogit((y + 1) % 3, x).fit()
    np.testing.assert_allclose(np.asarray(a.predict()), np.asarray(b.predict())[:, [1, 2, 0]], atol=1e-8)
    assert a.llf == pytest.approx(b.llf, abs=1e-8)


def test_profiles_and_tests_hold_all_classes():
    x, y = make_data(5)
    res = FirthMNLogit(y, x).fit()
    held = np.tile([False, True, False], 2)
    _, value = slow.maximum(x, y, held=held, seeds=3)
    test = res.lr_test(1)
    assert test.df == 2
    assert test.statistic == pytest.approx(2 * (res.llf - value), abs=1e-6)
    bounds = np.asarray(res.conf_int(method="profile"))
    assert bounds.shape == (2, 3, 2)
    drop = stats.chi2.isf(0.05, 1) / 2
    one = np.arange(6) == 4
    _, value = slow.maximum(x, y, held=one, start=np.where(one, bounds[1, 1, 1], 0.0), seeds=3)
    assert value == pytest.approx(res.llf - drop, abs=1e-5)


def test_weights_are_repeated_rows():
    x, y = make_data(6)
    w = np.random.default_rng(0).integers(0, 4, len(y))
    a = FirthMNLogit(y, x, freq_weights=w).fit()
    b = FirthMNLogit(np.repeat(y, w), np.repeat(x, w, axis=0)).fit()
    for name in ("params", "bse", "llf", "aic", "bic", "llnull", "nobs", "df_resid", "df_model"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-8, err_msg=name)
    np.testing.assert_array_equal(a.pred_table(), b.pred_table())
    fits = [individualized_mnlogit(yy, xx, freq_weights=ww) for yy, xx, ww in (
        (y, x, w), (np.repeat(y, w), np.repeat(x, w, axis=0), None)
    )]  # fmt: skip
    np.testing.assert_allclose(fits[0].params, fits[1].params, rtol=1e-8)
    assert fits[0].llf == pytest.approx(fits[1].llf)


def test_classes_keep_their_names_and_order():
    x, y = make_data(7)
    frame = pd.DataFrame(x, columns=["const", "a", "b"], index=[f"r{k}" for k in range(len(y))])
    words = np.array(["zebra", "ant", "cow"])[y]
    by_name = FirthMNLogit(words, frame).fit()
    assert list(by_name.predict().columns) == ["ant", "cow", "zebra"]
    ordered = pd.Series(pd.Categorical(words, ["zebra", "ant", "cow"]), index=frame.index, name="animal")
    given = FirthMNLogit(ordered, frame).fit()
    assert list(given.predict(frame.head(2)).columns) == ["zebra", "ant", "cow"]
    assert list(given.predict().index) == list(frame.index)
    assert FirthMNLogit(ordered.array, frame).class_labels == ["zebra", "ant", "cow"]
    np.testing.assert_allclose(given.params, FirthMNLogit(y, frame).fit().params)
    formula = FirthMNLogit.from_formula("animal ~ a + b", frame.assign(animal=ordered)).fit()
    np.testing.assert_allclose(formula.params, given.params)
    assert "animal=ant" in str(formula.summary())
    tidy = formula.tidy()
    assert list(tidy["y_level"]) == ["ant"] * 3 + ["cow"] * 3
    assert list(tidy["term"][:3]) == ["Intercept", "a", "b"]
    np.testing.assert_allclose(tidy["estimate"], np.ravel(formula.params, order="F"))
    np.testing.assert_allclose(
        formula.tidy(0.5)["conf_high"] - tidy["estimate"], 0.6744898 * tidy["std_error"], rtol=1e-6
    )
    profile = formula.tidy(method="profile")
    np.testing.assert_allclose(profile[["conf_low", "conf_high"]], np.asarray(formula.conf_int(method="profile")))
    assert ((profile["p_value"] < 0.05) == (profile["conf_low"] * profile["conf_high"] > 0)).all()
    new = pd.DataFrame({"a": [0.0, 1.0], "b": [1.0, 0.0]})
    np.testing.assert_allclose(
        formula.predict(new), slow.probabilities(np.column_stack([[1, 1], new]), np.asarray(formula.params))
    )


def test_individualized_fits_are_binary_fits():
    x, y = make_data(8, n=150)
    frame = pd.DataFrame(x, columns=["const", "a", "b"])
    for penalty in (None, "firth"):
        res = individualized_mnlogit(y, frame, baseline=1, penalty=penalty)
        for label in (0, 2):
            rows = (y == label) | (y == 1)
            outcome = (y[rows] == label).astype(int)
            binary = (
                sm.Logit(outcome, x[rows]).fit(disp=0, tol=1e-12)
                if penalty is None
                else FirthLogit(outcome, x[rows]).fit()
            )
            np.testing.assert_allclose(res.params[label], binary.params, rtol=1e-6)
            np.testing.assert_allclose(res.bse[label], binary.bse, rtol=1e-6)
            np.testing.assert_allclose(res.cov_params(label), binary.cov_params(), rtol=1e-5)
        beta = np.column_stack([res.params[0], res.params[2]])
        p = slow.probabilities(x, beta)[:, [1, 0, 2]]
        np.testing.assert_allclose(res.predict(frame), p, rtol=1e-9)
        np.testing.assert_allclose(res.predict(), p, rtol=1e-9)
        assert res.llf == pytest.approx(np.log(p[np.arange(len(y)), y]).sum(), abs=1e-8)
        assert res.converged
        assert res.converged_by_class.all()
        assert "0 against 1" in str(res.summary())


def test_individualized_is_near_the_joint_fit_and_not_it():
    x, y = make_data(9, n=4000)
    joint = sm.MNLogit(y, x).fit(disp=0, tol=1e-10)
    res = individualized_mnlogit(y, x)
    gap = np.abs(np.asarray(res.params) - np.asarray(joint.params))
    assert 1e-4 < gap.max() < 0.15
    # Begg and Gray: nearly as efficient; never better.
    assert joint.llf - 2.0 < res.llf < joint.llf


def test_individualized_by_label_or_place():
    x, y = make_data(10)
    words = np.array(["c", "a", "b"])[y]
    a, b = individualized_mnlogit(words, x, baseline="b"), individualized_mnlogit(words, x, baseline=1)
    pd.testing.assert_frame_equal(a.params, b.params)
    assert a.baseline == "b"
    # A label goes before a place.
    assert individualized_mnlogit(y + 1, x, baseline=1).baseline == 1
    tidy = a.tidy()
    np.testing.assert_allclose(tidy["conf_high"] - tidy["estimate"], 1.959964 * tidy["std_error"], rtol=1e-6)
    wide = a.conf_int(0.5)
    np.testing.assert_allclose(wide[1] - wide[0], 2 * 0.6744898 * tidy["std_error"].to_numpy(), rtol=1e-6)
    np.testing.assert_allclose(tidy["p_value"], 2 * stats.norm.sf(np.abs(tidy["statistic"])))
    with pytest.raises(InputError, match="must have the 3 columns of the fit, .*got 2 x 2"):
        a.predict(np.ones((2, 2)))


def test_individualized_says_which_class_is_separated():
    x, y = make_data(11, n=60)
    x[:, 1] = np.where(y == 2, 3.0, x[:, 1].clip(-2, 2))
    frame = pd.DataFrame(x, columns=["const", "a", "b"])
    with pytest.warns(
        SeparationWarning, match=r"complete separation in class 2 against 0: .*use penalty='firth'"
    ) as seen:
        res = individualized_mnlogit(y, frame)
    assert len(seen) == 1
    assert np.isinf(res.bse[2]).all()
    assert np.isfinite(res.params[1]).all()
    assert not res.converged
    assert not res.converged_by_class[2]
    assert res.reason[2] == "there is complete separation"
    p = res.predict()
    assert np.isfinite(p.to_numpy()).all()
    # Against 0, class 2 is certain.
    assert (p[2] / (p[0] + p[2]))[y == 2].min() > 1 - 1e-12
    assert np.isfinite(individualized_mnlogit(y, frame, penalty="firth").params.to_numpy()).all()


def test_two_infinite_classes_have_no_probabilities():
    """Nothing says which of b and c is the likelier."""
    x = np.column_stack([np.ones(9), np.arange(9.0)])
    with pytest.warns(SeparationWarning):
        res = individualized_mnlogit(list("aaabcbcbc"), x)
    assert np.isnan(res.llf)
    with pytest.raises(InputError, match=r"coefficients of \(b, c\) are infinite, .* use penalty='firth'"):
        res.predict()
    assert np.isfinite(individualized_mnlogit(list("aaabcbcbc"), x, penalty="firth").llf)


def test_rows_and_columns_by_name():
    x, y = make_data(12)
    frame = pd.DataFrame(x, columns=["const", "a", "b"], index=[f"r{k}" for k in range(len(y))])
    res = individualized_mnlogit(y, frame)
    assert list(res.predict().index) == list(frame.index)
    pd.testing.assert_frame_equal(res.predict(frame[["b", "const", "a"]].assign(z=1)), res.predict())


def test_refused_with_a_reason():
    x, y = make_data(13)
    res = FirthMNLogit(y, x).fit()
    for call in (lambda: res.get_prediction(), lambda: res.model.fit(correction="flic")):
        with pytest.raises(InputError) as error:
            call()
        assert len(str(error.value)) > 30


class TestStableMNLogit:
    def test_is_statsmodels(self):
        x, y = make_data(3, n=80, classes=4)
        ours, theirs = StableMNLogit(y, x), sm.MNLogit(y, x)
        params = np.random.default_rng(0).normal(size=9)
        # Those of statsmodels have a column for each class, 0 but for the one that was seen.
        np.testing.assert_allclose(ours.loglikeobs(params), theirs.loglikeobs(params).sum(axis=1), rtol=1e-12)
        assert ours.loglike(params) == pytest.approx(theirs.loglike(params), rel=1e-12)
        np.testing.assert_allclose(ours.score(params), theirs.score(params), rtol=1e-10)
        np.testing.assert_allclose(ours.hessian(params), theirs.hessian(params), rtol=1e-10)
        np.testing.assert_allclose(ours.fit(disp=0).params, theirs.fit(disp=0).params, rtol=1e-8)

    def test_does_not_overflow(self):
        x, y = make_data(3, n=80, classes=4)
        params = np.full((3, 3), 1e5)
        model = StableMNLogit(y, x)
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            assert np.isfinite(model.loglike(params.ravel(order="F")))
            assert np.isfinite(model.predict(params, x)).all()


def test_individualized_fits_leave_aliased_columns_out_where_they_are():
    """Among the rows of two classes a column may be constant."""
    x, y = make_data(5, n=90, classes=3)
    x = pd.DataFrame(x, columns=["const", "a", "b"])
    x.loc[y != 2, "b"] = 1.5
    with pytest.raises(InputError, match=r"\(b\) is constant"):
        individualized_mnlogit(y, x)
    res = individualized_mnlogit(y, x, aliased="drop")
    first, second = (
        sm.Logit((y[rows] == k).astype(int), x.loc[rows, columns]).fit(disp=0)
        for k, columns in ((1, ["const", "a"]), (2, ["const", "a", "b"]))
        for rows in [(y == 0) | (y == k)]
    )
    np.testing.assert_allclose(res.params[1], [*first.params, 0.0], rtol=1e-6)
    np.testing.assert_allclose(res.params[2], second.params, rtol=1e-6)
    assert np.isnan(res.bse.loc["b", 1])
    assert res.aic == pytest.approx(2 * (5 - res.llf))


@pytest.mark.parametrize("n", [2, 65])
def test_the_inverse_root_of_few_and_of_many(n):
    """It says where there is none."""
    a = np.random.default_rng(0).normal(size=(3 * n, n))
    a = a.T @ a
    log_determinant, root = inverse_root(a)
    assert log_determinant == pytest.approx(np.linalg.slogdet(a)[1], rel=1e-12)
    np.testing.assert_allclose(root.T @ root, np.linalg.inv(a), rtol=1e-8, atol=1e-12)
    for singular in (np.ones((n, n)), np.diag(np.arange(n) - 1.0)):
        assert np.isnan(inverse_root(singular)[0])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("value", [-5.0, 5.0])
def test_held_coefficients_stay_where_they_are(seed, value):
    """With nearly equal columns the search is long, and rounding errors must not move a coefficient that is held."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=13)
    X = np.column_stack([np.ones(13), x, x + 1e-5 * rng.normal(size=13)])
    y = np.concatenate([[0, 1, 2], rng.integers(0, 3, 10)])
    likelihood = FirthMNLogit(y, X)._likelihood
    held = np.arange(6) == 0
    found = likelihood.ascend(likelihood.params(np.where(held, value, 0.0)), likelihood.free(held))
    assert likelihood.beta(found.point.params)[0] == pytest.approx(value, abs=1e-6)
