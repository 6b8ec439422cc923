"""Continuation ratios."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from scipy.special import expit

from pwcstats import ContinuationRatio, FirthLogit, InputError, SeparationWarning

from . import reference_logit as slow


def make_data(seed=0, n=150, classes=4, slope=1.0):
    rng = np.random.default_rng(seed)
    x = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    score = slope * x["a"] - 0.5 * slope * x["b"] + rng.logistic(size=n)
    return x, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))


def stage_rows(y, stage, direction):
    """Rows and outcome of the stage about class `stage`, as the papers write it."""
    rows = y <= stage if direction == "backward" else y >= stage
    return rows, (y[rows] == stage).astype(int)


@pytest.mark.parametrize("direction", ["backward", "forward"])
@pytest.mark.parametrize("penalty", [None, "firth"])
def test_stages_are_binary_fits(direction, penalty):
    x, y = make_data()
    res = ContinuationRatio(y, x, direction, penalty).fit()
    llf = 0.0
    for stage in (1, 2, 3) if direction == "backward" else (0, 1, 2):
        rows, outcome = stage_rows(y, stage, direction)
        design = sm.add_constant(x[rows])
        binary = FirthLogit(outcome, design).fit() if penalty else sm.Logit(outcome, design).fit(disp=0, tol=1e-12)
        names = [f"const:{stage}", f"a:{stage}", f"b:{stage}"]
        np.testing.assert_allclose(res.params[names], binary.params, rtol=1e-6)
        np.testing.assert_allclose(res.bse[names], binary.bse, rtol=1e-6)
        np.testing.assert_allclose(res.coefs.loc[stage], binary.params, rtol=1e-6)
        llf += binary.llf
    assert res.llf == pytest.approx(llf, abs=1e-7)
    p = np.asarray(res.predict())
    assert res.llf_unpenalized == pytest.approx(np.log(p[np.arange(len(y)), y]).sum(), abs=1e-8)
    assert res.converged
    assert res.df_model == 9


@pytest.mark.parametrize("direction", ["backward", "forward"])
@pytest.mark.parametrize("parallel", [False, True])
def test_probabilities_follow_from_the_stages(direction, parallel):
    """Chang's Theorem A.1: P_k = P'_k, then P_j = P'_j (1 - sum of those above); forward the other way round."""
    x, y = make_data(1)
    res = ContinuationRatio(y, x, direction, parallel=parallel).fit()
    stage = np.asarray(res.predict(x, which="stage"))
    np.testing.assert_allclose(stage, expit(np.asarray(res.predict(x, which="linear"))), rtol=1e-12)
    expected = np.zeros((len(x), 4))
    order = [3, 2, 1] if direction == "backward" else [0, 1, 2]
    for j in order:
        expected[:, j] = stage[:, j - 1 if direction == "backward" else j] * (1 - expected.sum(axis=1))
    expected[:, 0 if direction == "backward" else 3] = 1 - expected.sum(axis=1)
    p = res.predict(x)
    np.testing.assert_allclose(p, expected, atol=1e-14)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-14)
    assert (res.predict(x, which="class") == p.idxmax(axis=1)).all()


def test_turning_the_order_turns_the_direction():
    x, y = make_data(2)
    a = ContinuationRatio(y, x, "backward").fit()
    b = ContinuationRatio(3 - y, x, "forward").fit()
    np.testing.assert_allclose(a.coefs.to_numpy(), b.coefs.to_numpy()[::-1], rtol=1e-9)
    # Two directions are two models.
    assert abs(a.llf - ContinuationRatio(y, x, "forward").fit().llf) > 0.1


@pytest.mark.parametrize("penalty", [None, "firth"])
def test_parallel_slopes(penalty):
    x, y = make_data(3, n=80, classes=3)
    res = ContinuationRatio(y, x, penalty=penalty, parallel=True).fit()
    rows, outcomes = zip(*(stage_rows(y, j, "backward") for j in (1, 2)), strict=True)
    stacked = np.vstack([
        np.column_stack([np.tile(own, (r.sum(), 1)), x[r]]) for own, r in zip(([1, 0], [0, 1]), rows, strict=True)
    ])  # fmt: skip
    outcome = np.concatenate(outcomes)
    assert list(res.params.index) == ["const:1", "const:2", "a", "b"]
    binary = FirthLogit(outcome, stacked).fit() if penalty else sm.Logit(outcome, stacked).fit(disp=0, tol=1e-12)
    np.testing.assert_allclose(res.params, binary.params, rtol=1e-6)
    np.testing.assert_allclose(res.bse, binary.bse, rtol=1e-6)
    # The test: separate slopes against these, in the separate slopes' penalty.
    separate = ContinuationRatio(y, x, penalty=penalty).fit()
    test = res.parallel_test()
    assert test.statistic == pytest.approx(separate.parallel_test().statistic, abs=1e-9)
    assert test.df == 2
    assert test.p_value == pytest.approx(stats.chi2.sf(test.statistic, 2))
    if penalty is None:
        assert test.statistic == pytest.approx(2 * (separate.llf - res.llf), abs=1e-8)
    else:
        more = np.where(stacked[:, 1:2] == 1, stacked[:, 2:], 0.0)
        full = np.column_stack([stacked, more])
        held = np.arange(6) >= 4
        best, null = (slow.maximum(full, outcome, held=h, seeds=3)[1] for h in (None, held))
        assert test.statistic == pytest.approx(2 * (best - null), abs=1e-6)


def test_intervals_and_tests():
    x, y = make_data(4)
    res = ContinuationRatio(y, x).fit()
    wald = res.conf_int(0.1)
    np.testing.assert_allclose(wald[1] - res.params, stats.norm.isf(0.05) * res.bse)
    profile = res.conf_int(method="profile")
    # With this much data the two are near, and not the same.
    assert 1e-4 < np.abs(profile.to_numpy() - res.conf_int().to_numpy()).max() < 0.2
    drop = stats.chi2.isf(0.05, 1) / 2
    rows, outcome = stage_rows(y, 1, "backward")
    design = sm.add_constant(x[rows]).to_numpy()
    held = np.arange(3) == 1
    _, value = slow.maximum(
        design, outcome, firth=False, held=held, start=np.where(held, profile.loc["a:1", 1], 0.0), seeds=2
    )
    stage_llf = sm.Logit(outcome, design).fit(disp=0).llf
    assert value == pytest.approx(stage_llf - drop, abs=1e-6)
    test = res.lr_test("b")
    assert test.statistic == pytest.approx(2 * (res.llf - ContinuationRatio(y, x[["a"]]).fit().llf), abs=1e-7)
    assert test.df == 3
    z = res.params["a:2"] / res.bse["a:2"]
    assert float(np.squeeze(res.t_test(np.eye(9)[4]).tvalue)) == pytest.approx(z)
    assert res.tvalues["a:2"] == pytest.approx(z)
    assert res.pvalues["a:2"] == pytest.approx(2 * stats.norm.sf(abs(z)))
    with pytest.raises(InputError, match=r"columns \(a, b\), got 'c'"):
        res.lr_test("c")
    assert res.aic == pytest.approx(18 - 2 * res.llf)
    assert res.bic == pytest.approx(9 * np.log(150) - 2 * res.llf)


@pytest.mark.parametrize("parallel", [False, True])
def test_a_column_may_be_called_const(parallel):
    x, y = make_data(10, classes=3)
    a = ContinuationRatio(y, x, parallel=parallel).fit().lr_test("a")
    b = ContinuationRatio(y, x.rename(columns={"a": "const"}), parallel=parallel).fit().lr_test("const")
    assert (a.statistic, a.df) == (b.statistic, b.df)
    assert a.df == (1 if parallel else 2)


def test_input_in_many_forms():
    x, y = make_data(5, classes=3)
    words = pd.Categorical.from_codes(y, ["low", "mid", "high"], ordered=True)
    expected = ContinuationRatio(y, x).fit().params.to_numpy()
    frame = x.assign(pain=words)
    forms = [
        ContinuationRatio(words, x),
        ContinuationRatio(pd.Series(words), x.to_numpy()),
        ContinuationRatio(np.asarray(words), x, categories=["low", "mid", "high"]),
        ContinuationRatio(y * 10.0 - 3, sm.add_constant(x)),
        ContinuationRatio.from_formula("pain ~ a + b", frame),
        ContinuationRatio.from_formula(
            "pain ~ a + b", frame.assign(pain=np.asarray(words)), categories=["low", "mid", "high"]
        ),
    ]
    for model in forms:
        np.testing.assert_allclose(model.fit().params, expected, rtol=1e-10)
    res = forms[4].fit()
    assert list(res.params.index[:3]) == ["Intercept:mid", "a:mid", "b:mid"]
    assert list(forms[0].fit().params.index[:3]) == ["const:mid", "a:mid", "b:mid"]
    assert list(res.predict(frame.head(3)).columns) == ["low", "mid", "high"]
    np.testing.assert_allclose(forms[3].fit().predict(sm.add_constant(x).head(3)), res.predict(frame.head(3)))
    text = str(res.summary())
    assert "P(y = high | y <= high)" in text
    assert "pain" in text
    frame.loc[4, "a"] = np.nan
    assert ContinuationRatio.from_formula("pain ~ a + b", frame).fit().nobs == len(x) - 1


def test_separation_at_one_stage():
    """Column c is 1 in no case of class 0: it separates 1 from 0, and not 2 from both."""
    x, y = make_data(6, classes=3)
    x["c"] = np.where(y > 0, x["b"] > 0, False).astype(float)
    with pytest.warns(
        SeparationWarning, match=r"quasi-complete separation at P\(y = 1 \| y <= 1\): .*penalty='firth'"
    ) as seen:
        res = ContinuationRatio(y, x[["a", "c"]]).fit()
    assert len(seen) == 1
    assert "(c)" in str(seen[0].message)
    assert seen[0].filename == __file__
    assert res.params["c:1"] == np.inf == res.bse["c:1"]
    assert np.isnan(res.pvalues["c:1"])
    assert list(res.conf_int().loc["c:1"]) == [-np.inf, np.inf]
    assert np.isfinite(res.params.drop("c:1")).all()
    assert np.isfinite(res.bse.drop("c:1")).all()
    assert not res.converged
    assert "separation" in res.reason
    text = str(res.summary())
    assert "inf" in text
    assert "Not all estimates are finite" in text
    p = res.predict()
    assert np.isfinite(p.to_numpy()).all()
    assert p.loc[x["c"] == 1, 0].max() < 1e-12
    assert res.llf == pytest.approx(np.log(p.to_numpy()[np.arange(len(y)), y]).sum(), abs=1e-8)
    for call in (
        lambda: res.conf_int(method="profile"),
        lambda: res.t_test(np.eye(6)[0]),
        lambda: res.wald_test(np.eye(6)[:1]),
    ):
        with pytest.raises(InputError, match="needs finite estimates"):
            call()
    # A test of what is finite needs no finite start.
    with pytest.warns(SeparationWarning):
        without = ContinuationRatio(y, x[["c"]]).fit().llf
    assert res.lr_test("a").statistic == pytest.approx(2 * (res.llf - without), abs=1e-5)
    firth = ContinuationRatio(y, x[["a", "c"]], penalty="firth").fit()
    assert np.isfinite(firth.params).all()
    assert firth.bse.max() < 5
    assert np.isfinite(firth.conf_int(method="profile").to_numpy()).all()


def test_a_column_that_is_constant_at_one_stage_is_named_with_it():
    x, y = make_data(6, classes=3)
    x["c"] = ((y == 2) & (x["b"] > 0)).astype(float)
    with pytest.raises(InputError, match=r"not of full rank at P\(y = 1 \| y <= 1\); \(c\) is constant"):
        ContinuationRatio(y, x, penalty="firth").fit()


def test_terms_of_a_formula_are_tested_whole():
    x, y = make_data(13, classes=3)
    frame = x.assign(y=y, g=np.random.default_rng(0).choice(list("uvw"), len(y)))
    res = ContinuationRatio.from_formula("y ~ a + C(g)", frame).fit()
    test = res.lr_test("C(g)")
    assert test.df == 4
    assert test.statistic == pytest.approx(
        2 * (res.llf - ContinuationRatio.from_formula("y ~ a", frame).fit().llf), abs=1e-7
    )
    assert res.lr_test().df == 6


class TestAliased:
    """Columns that some stage cannot tell apart."""

    @pytest.fixture
    def data(self):
        rng = np.random.default_rng(0)
        x = pd.DataFrame(rng.normal(size=(90, 3)), columns=["a", "b", "c"])
        y = np.r_[np.repeat([0, 1], 15), np.repeat([2, 3], 30)]
        # Among the two lowest classes, b is constant and c a combination.
        x.loc[y < 2, "b"] = 0.1
        x.loc[y < 2, "c"] = 0.5 * x.loc[y < 2, "a"] + 0.1
        return y, x

    def test_are_an_error_that_names_them(self, data):
        with pytest.raises(InputError, match=r"\(b, c\) are constant or combinations"):
            ContinuationRatio(*data).fit()

    @pytest.mark.parametrize("penalty", [None, "firth"])
    def test_are_left_out_where_they_are(self, data, penalty):
        y, x = data
        res = ContinuationRatio(y, x, penalty=penalty, aliased="drop").fit()
        for stage, columns in ((1, ["a"]), (2, ["a", "b", "c"]), (3, ["a", "b", "c"])):
            rows = y <= stage
            model = (FirthLogit if penalty else sm.Logit)(
                (y[rows] == stage).astype(int), sm.add_constant(x[rows][columns])
            )
            expected = model.fit(disp=0)
            np.testing.assert_allclose(res.coefs.loc[stage, ["const", *columns]], expected.params, rtol=1e-5)
            places = [f"{name}:{stage}" for name in ["const", *columns]]
            np.testing.assert_allclose(res.bse[places], expected.bse, rtol=1e-4)
        assert (res.coefs.loc[1, ["b", "c"]] == 0).all()
        assert res.bse[["b:1", "c:1"]].isna().all()
        assert res.df_model == 10
        proba = res.predict(x)
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)

    def test_tests_and_profiles(self, data):
        y, x = data
        res = ContinuationRatio(y, x, aliased="drop").fit()
        test = res.lr_test("b")
        assert test.df == 2
        expected = 0.0
        for stage in (2, 3):
            rows = y <= stage
            target = (y[rows] == stage).astype(int)
            large, small = (
                sm.Logit(target, sm.add_constant(x[rows][c])).fit(disp=0) for c in (["a", "b", "c"], ["a", "c"])
            )
            expected += 2 * (large.llf - small.llf)
        assert test.statistic == pytest.approx(expected, rel=1e-6)
        with pytest.raises(InputError, match="needs all columns at all stages"):
            res.conf_int(method="profile")
        with pytest.raises(InputError, match="aliased must be one of"):
            ContinuationRatio(y, x, aliased="ignore")
