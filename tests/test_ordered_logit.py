"""Proportional odds: against slow references, statsmodels, FirthLogit for two classes, and by simulation."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from scipy.special import expit
from statsmodels.miscmodels.ordinal_model import OrderedModel

from pwcstats import ContinuationRatio, FirthLogit, InputError, OrderedLogit, SeparationWarning

from . import reference_logit as slow

# Sums in another order, and Newton steps that end at the same maximum.
SAME = 1e-8
# BFGS of statsmodels stops at gradients of 1e-8; its information is by finite differences.
STATSMODELS, STATSMODELS_SE = 1e-6, 1e-4
# Central differences of log-likelihoods of about 100.
DIFFERENCES = 1e-6
# scipy's BFGS differentiates numerically; the likelihood is flat at its maximum, so values have more digits.
OPTIMISER, OPTIMISER_VALUE = 1e-4, 1e-8
# Profile bounds: the tolerance of the fall of the log-likelihood.
FALL = 2e-5


def make_data(seed=0, n=150, classes=4):
    rng = np.random.default_rng(seed)
    x = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    score = x["a"] - 0.5 * x["b"] + rng.logistic(size=n)
    return x, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))


def small(seed):
    """Few rows, weights and offsets; some of the data are separated."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.normal(size=14), rng.integers(0, 2, 14)]).astype(float)
    code = np.r_[0, 1, 2, rng.permutation(np.arange(11) % 3)]
    if seed % 2:
        code = np.argsort(np.argsort(x[:, 0])) // 5
    return x, code, rng.choice([0.5, 1.0, 2.0], 14), 0.3 * rng.normal(size=14)


def separated():
    """Column g is 1 in rows of the highest class only."""
    x, y = make_data(12, classes=3)
    return x.assign(g=((y == 2) & (x["b"] > 0)).astype(float)), y


class TestLikelihood:
    @pytest.mark.parametrize("penalty", [None, "firth"])
    @pytest.mark.parametrize("seed", range(4))
    def test_value_and_score_are_those_of_the_formulas(self, penalty, seed):
        x, code, weight, offset = small(seed)
        model = OrderedLogit(code, x, penalty, weight, offset)
        theta = np.array([0.3, -0.2, -1.0, 0.7])
        reference = lambda at: slow.cumulative_log_likelihood(x, code, at, bool(penalty), weight, offset)  # noqa: E731
        assert model.loglike(theta) == pytest.approx(reference(theta), abs=DIFFERENCES)
        h = 1e-5
        expected = [(reference(theta + step) - reference(theta - step)) / (2 * h) for step in h * np.eye(4)]
        np.testing.assert_allclose(model.score(theta), expected, atol=1e-4 if penalty else DIFFERENCES)
        own = [(model.loglike(theta + step) - model.loglike(theta - step)) / (2 * h) for step in h * np.eye(4)]
        np.testing.assert_allclose(model.score(theta), own, atol=1e-8)

    def test_expected_information(self):
        x, code, weight, offset = small(0)
        theta = np.array([0.3, -0.2, -1.0, 0.7])
        expected = slow.cumulative_information(x, theta[:2], theta[2:], weight, offset)
        np.testing.assert_allclose(
            OrderedLogit(code, x, "firth", weight, offset).information(theta), expected, rtol=1e-7
        )

    def test_observed_information(self):
        x, code, weight, offset = small(0)
        model, theta, h = OrderedLogit(code, x, None, weight, offset), np.array([0.3, -0.2, -1.0, 0.7]), 1e-5
        expected = [(model.score(theta - step) - model.score(theta + step)) / (2 * h) for step in h * np.eye(4)]
        np.testing.assert_allclose(model.information(theta), expected, atol=1e-7)

    def test_thresholds_out_of_order_have_no_likelihood(self):
        x, code, *_ = small(0)
        assert OrderedLogit(code, x).loglike([0.0, 0.0, 1.0, 1.0]) == -np.inf
        with pytest.raises(InputError, match="params must be 4 finite numbers, got 3"):
            OrderedLogit(code, x).loglike([0.0, 0.0, 1.0])


class TestMaximum:
    @pytest.mark.parametrize("seed", range(6))
    def test_penalised_fits_are_the_maximum_that_a_general_optimiser_finds(self, seed):
        x, code, weight, offset = small(seed)
        res = OrderedLogit(code, x, "firth", weight, offset).fit()
        params, value = slow.cumulative_maximum(x, code, True, weight, offset)
        assert res.converged
        np.testing.assert_allclose(res.params, params, atol=OPTIMISER)
        assert res.llf == pytest.approx(value, abs=OPTIMISER_VALUE)
        assert np.isfinite(res.bse).all()

    def test_a_middle_class_of_little_weight_is_refused(self):
        """If its thresholds meet, the penalised likelihood rises without limit."""
        rng = np.random.default_rng(0)
        data = pd.DataFrame({"x": rng.normal(size=30)})
        code = np.where(data["x"] + rng.logistic(size=30) > 0, 2, 0)
        code[3] = 1
        data["grade"] = pd.Categorical.from_codes(code, ["low", "mid", "high"], ordered=True)
        theta = lambda gap: [0.5, -0.6, -0.6 + gap]  # noqa: E731
        for weight, rises in ((0.45, True), (0.55, False)):
            w = np.where(code == 1, weight, 1.0)
            model = OrderedLogit.from_formula("grade ~ x", data, penalty="firth", freq_weights=w)
            assert (model.loglike(theta(1e-12)) > model.loglike(theta(1e-9))) == rises
            if rises:
                with pytest.raises(InputError, match=r"those of class mid add up to 0.45\. Use weights that count"):
                    model.fit()
                assert OrderedLogit.from_formula("grade ~ x", data, freq_weights=w).fit().converged
            else:
                assert model.fit().converged

    @pytest.mark.parametrize("seed", [0, 2, 4])
    def test_maximum_likelihood_is_statsmodels(self, seed):
        x, y = make_data(seed, classes=3 + seed // 2)
        offset = np.linspace(-1, 1, len(y))
        ours = OrderedLogit(y, x, offset=offset).fit()
        theirs = OrderedModel(y, x, offset=offset, distr="logit").fit(method="bfgs", disp=0, gtol=1e-8)
        np.testing.assert_allclose(ours.slopes, theirs.params[:2], rtol=STATSMODELS)
        thresholds = theirs.model.transform_threshold_params(np.asarray(theirs.params))[1:-1]
        np.testing.assert_allclose(ours.thresholds, thresholds, rtol=STATSMODELS, atol=STATSMODELS)
        np.testing.assert_allclose(ours.bse.iloc[:3], theirs.bse[:3], rtol=STATSMODELS_SE)
        assert ours.llf == pytest.approx(theirs.llf, abs=1e-9)
        assert np.abs(ours.model.score(ours.params)).max() < 1e-9

    # With seed 3, the profile has two ridges, and the search of FirthLogit ends on the lower one at one bound.
    @pytest.mark.parametrize("seed", [0, 1, 2, 4])
    def test_two_classes_are_logistic_regression(self, seed):
        x, code, weight, offset = small(seed)
        code = np.minimum(code, 1)
        ours = OrderedLogit(code, x, "firth", weight, offset).fit()
        theirs = FirthLogit(code, sm.add_constant(x), offset, weight).fit()
        order = [1, 2, 0]
        sign = np.array([1.0, 1.0, -1.0])
        np.testing.assert_allclose(ours.params, sign * np.asarray(theirs.params)[order], atol=SAME)
        np.testing.assert_allclose(ours.bse, np.asarray(theirs.bse)[order], rtol=SAME)
        assert ours.llf == pytest.approx(theirs.llf, abs=SAME)
        bounds = np.asarray(theirs.conf_int(method="profile"))[order]
        bounds[2] = -bounds[2, ::-1]
        np.testing.assert_allclose(ours.conf_int(method="profile"), bounds, rtol=FALL, atol=FALL)
        for term, columns in (("x1", [1]), (None, [1, 2])):
            ours_test, theirs_test = ours.lr_test(term), theirs.lr_test(columns)
            assert ours_test.statistic == pytest.approx(theirs_test.statistic, abs=SAME)
            assert ours_test.df == theirs_test.df
        plain = OrderedLogit(*make_data(seed, classes=2)[::-1]).fit()
        logit = sm.Logit(*[np.asarray(part) for part in (plain.model.endog, sm.add_constant(plain.model.exog))])
        np.testing.assert_allclose(plain.params, sign * logit.fit(disp=0, tol=1e-12).params[order], atol=SAME)

    def test_weights_repeat_rows(self):
        x, y = make_data(3)
        times = np.arange(len(y)) % 3
        for penalty in (None, "firth"):
            weighted = OrderedLogit(y, x, penalty, freq_weights=times).fit()
            repeated = OrderedLogit(np.repeat(y, times), np.repeat(x.to_numpy(), times, axis=0), penalty).fit()
            np.testing.assert_allclose(weighted.params, repeated.params, atol=SAME)
            np.testing.assert_allclose(weighted.bse, repeated.bse, rtol=SAME)
            assert weighted.nobs == repeated.nobs == times.sum()
            assert weighted.parallel_test().statistic == pytest.approx(repeated.parallel_test().statistic, abs=SAME)
            np.testing.assert_allclose(
                weighted.get_margeff().table["estimate"], repeated.get_margeff().table["estimate"]
            )
            np.testing.assert_allclose(
                weighted.get_margeff().table["std_error"], repeated.get_margeff().table["std_error"]
            )

    def test_reversed_classes_change_the_signs_only(self):
        x, y = make_data(4)
        for penalty in (None, "firth"):
            up, down = OrderedLogit(y, x, penalty).fit(), OrderedLogit(3 - y, x, penalty).fit()
            np.testing.assert_allclose(up.slopes, -down.slopes, atol=SAME)
            np.testing.assert_allclose(up.thresholds, -down.thresholds[::-1], atol=SAME)
            assert up.llf == pytest.approx(down.llf, abs=SAME)

    @pytest.mark.parametrize("penalty", [None, "firth"])
    @pytest.mark.parametrize(("scale", "shift"), [(1e-8, 0.0), (1e8, 0.0), (1.0, 1e6), (1e-5, -30.0)])
    def test_other_units(self, penalty, scale, shift):
        x, y = make_data(11, classes=3)
        plain, odd = OrderedLogit(y, x, penalty).fit(), OrderedLogit(y, x * scale + shift, penalty).fit()
        assert odd.converged
        np.testing.assert_allclose(odd.slopes * scale, plain.slopes, rtol=1e-6)
        np.testing.assert_allclose(odd.bse.iloc[:2] * scale, plain.bse.iloc[:2], rtol=1e-6)
        np.testing.assert_allclose(odd.predict(), plain.predict(), atol=1e-6)
        assert odd.llf_unpenalized == pytest.approx(plain.llf_unpenalized, abs=1e-6)

    def test_labels_and_constant(self):
        x, y = make_data(9, classes=3)
        words = pd.Series(pd.Categorical.from_codes(y, ["low", "mid", "high"], ordered=True), name="pain")
        plain = OrderedLogit(y, x).fit()
        for model in (
            OrderedLogit(words, sm.add_constant(x)),
            OrderedLogit.from_formula("pain ~ a + b", x.assign(pain=words)),
            OrderedLogit.from_formula(
                "pain ~ a + b", x.assign(pain=words.astype(str)), categories=["low", "mid", "high"]
            ),
        ):
            res = model.fit()
            np.testing.assert_allclose(res.params, plain.params, atol=SAME)
            assert list(res.params.index) == ["a", "b", "low/mid", "mid/high"]
            assert list(res.thresholds.index) == ["low/mid", "mid/high"]
            new = x.head(2).assign(const=1.0)[["const", "a", "b"]]
            assert list(res.predict(new).columns) == ["low", "mid", "high"]
            assert list(res.predict(new, which="cumulative").columns) == ["low/mid", "mid/high"]
            assert set(res.predict(which="class")) <= {"low", "mid", "high"}
        text = str(res.summary())
        assert "low/mid" in text
        assert "thresholds" in text


class TestSeparation:
    def test_is_told_with_names_and_a_cure(self):
        y = np.repeat([0, 1, 2], 5)
        x = pd.DataFrame({"a": np.arange(15.0), "b": np.tile([1.0, 0.0, 2.0], 5)})
        with pytest.warns(SeparationWarning, match=r"complete separation.*use penalty='firth'") as seen:
            res = OrderedLogit(y, x).fit()
        assert seen[0].filename == __file__
        assert res.separated
        assert not res.converged
        assert np.isinf(res.bse["a"])
        np.testing.assert_allclose(res.predict(), np.eye(3)[y], atol=1e-12)
        assert res.llf == 0.0

    @pytest.mark.parametrize("unit", [1.0, 1e-7])
    def test_limits_are_those_of_a_far_slope(self, unit):
        x, y = separated()
        with pytest.warns(SeparationWarning, match=r"\(g\) predicts some outcomes"):
            res = OrderedLogit(y, x.assign(g=x["g"] * unit)).fit()
        assert res.params["g"] == np.inf == res.bse["g"]
        assert np.isnan(res.pvalues["g"])
        # With g at a slope of 30, its rows are certain; the rest is estimated from the other rows.
        rest = OrderedLogit(y, x[["a", "b"]], offset=30.0 * x["g"]).fit()
        np.testing.assert_allclose(res.params.drop("g"), rest.params, atol=SAME)
        np.testing.assert_allclose(res.bse.drop("g"), rest.bse, rtol=SAME)
        np.testing.assert_allclose(res.predict(), rest.predict(), atol=SAME)
        assert res.llf == pytest.approx(rest.llf, abs=SAME)
        for call in (
            lambda: res.conf_int(method="profile"), lambda: res.t_test(np.eye(5)[0]), lambda: res.parallel_test(),
            lambda: res.get_margeff(), lambda: res.get_prediction(),
        ):  # fmt: skip
            with pytest.raises(InputError, match="needs finite estimates"):
                call()
        assert "Not all estimates are finite" in str(res.summary())

    def test_a_threshold_may_be_infinite(self):
        """Class 0 lies apart, so that the lowest threshold and the slope of its column are infinite."""
        x, y = make_data(5, classes=3)
        x["c"] = (y > 0).astype(float)
        with pytest.warns(SeparationWarning, match=r"\(c\) predicts some outcomes"):
            res = OrderedLogit(y, x).fit()
        assert np.isinf(res.params["c"])
        rest = OrderedLogit(y[y > 0], x.loc[y > 0, ["a", "b"]]).fit()
        np.testing.assert_allclose(res.slopes[["a", "b"]], rest.slopes, atol=SAME)
        np.testing.assert_allclose(res.predict()[y > 0][[1, 2]], rest.predict(), atol=SAME)
        assert res.llf == pytest.approx(rest.llf, abs=SAME)

    def test_the_penalty_gives_finite_estimates_and_intervals(self):
        x, y = separated()
        res = OrderedLogit(y, x, "firth").fit()
        assert res.converged
        assert not res.separated
        assert np.isfinite(res.conf_int(method="profile").to_numpy()).all()
        assert res.conf_int(method="profile").loc["g", 1] > res.conf_int().loc["g", 1]


class TestInference:
    @pytest.mark.parametrize("penalty", [None, "firth"])
    def test_profiles_and_tests_by_their_definitions(self, penalty):
        x, code, weight, offset = small(2)
        res = OrderedLogit(code, x, penalty, weight, offset).fit()
        bounds = res.conf_int(0.1, "profile").to_numpy()
        tidy = res.tidy(method="profile")
        for k in (0, 3):
            held = np.arange(4) == k
            for side in (0, 1):
                start = np.asarray(res.params) + (bounds[k, side] - np.asarray(res.params)[k]) * (
                    held | (np.arange(4) > 1)
                )
                start[k] = bounds[k, side]
                _, value = slow.cumulative_maximum(x, code, bool(penalty), weight, offset, held, start)
                assert value == pytest.approx(res.llf - stats.chi2.isf(0.1, 1) / 2, abs=FALL)
        _, null = slow.cumulative_maximum(
            x, code, bool(penalty), weight, offset, np.arange(4) == 0, np.where(np.arange(4) == 0, 0.0, res.params)
        )
        assert tidy["statistic"][0] == pytest.approx(2 * (res.llf - null), abs=1e-6)

    def test_likelihood_ratio_tests(self):
        x, y = make_data(6)
        frame = x.assign(y=y, g=np.random.default_rng(0).choice(list("uvw"), len(y)))
        res = OrderedLogit.from_formula("y ~ a + C(g)", frame).fit()
        small_fit = OrderedLogit.from_formula("y ~ a", frame).fit()
        test = res.lr_test("C(g)")
        assert test.df == 2
        assert test.statistic == pytest.approx(2 * (res.llf - small_fit.llf), abs=SAME)
        assert res.lr_test(small_fit).statistic == test.statistic
        assert res.lr_test().df == 3
        for other, why in (
            (OrderedLogit.from_formula("y ~ b", frame).fit(), r"\(b\) of the smaller fit cannot be written as a comb"),
            (
                OrderedLogit.from_formula("y ~ a", frame, penalty="firth").fit(),
                "same penalty",
            ),
            (OrderedLogit.from_formula("y ~ a", frame.assign(a=frame["a"] ** 2)).fit(), "not nested"),
        ):
            with pytest.raises(InputError, match=why):
                res.lr_test(other)
        with pytest.raises(InputError, match=r"must be one or some of the columns .*got 'c'"):
            res.lr_test("c")
        table = res.wald_test_terms().table
        assert list(table.index) == ["C(g)", "a"]

    @pytest.mark.parametrize("penalty", [None, "firth"])
    def test_parallel_test_by_the_formulas(self, penalty):
        """Score and information of separate slopes by differences, with the formula of the score test."""
        x, y = make_data(7)
        res = OrderedLogit(y, x, penalty).fit()
        z = x.to_numpy()
        w, m, p = np.ones(len(y)), 3, 2
        theta = np.concatenate([np.r_[threshold, res.slopes] for threshold in res.thresholds])

        def proba(theta):
            below = [expit(part[0] - z @ part[1:]) for part in theta.reshape(m, -1)]
            return np.diff(np.column_stack([np.zeros(len(z)), *below, np.ones(len(z))]), axis=1)

        h = 1e-6
        jacobian = np.array([(proba(theta + step) - proba(theta - step)) / (2 * h) for step in h * np.eye(len(theta))])
        at = proba(theta)
        information = np.einsum("i,aij,bij,ij->ab", w, jacobian, jacobian, 1 / at)
        score = (jacobian[:, np.arange(len(y)), y] / at[np.arange(len(y)), y]).sum(axis=1)
        design = np.zeros((len(theta), m + p))
        for k in range(m):
            design[k * 3, k] = 1.0
            design[k * 3 + 1 : k * 3 + 3, m:] = np.eye(p)
        null = design.T @ score
        expected = score @ np.linalg.solve(information, score)
        expected -= null @ np.linalg.solve(design.T @ information @ design, null)
        test = res.parallel_test()
        assert test.statistic == pytest.approx(expected, rel=1e-6)
        assert test.df == 4
        # One column: the slope of a is common, that of b is not.
        of_b = np.zeros((len(theta), m + p + 2))
        of_b[:, : m + p] = design
        of_b[5, m + p] = of_b[8, m + p + 1] = 1.0
        part = of_b.T @ score
        expected = part @ np.linalg.solve(of_b.T @ information @ of_b, part)
        expected -= null @ np.linalg.solve(design.T @ information @ design, null)
        one = res.parallel_test("b")
        assert one.statistic == pytest.approx(expected, rel=1e-6)
        assert one.df == 2
        with pytest.raises(InputError, match="this model has 2 classes and 2 columns"):
            OrderedLogit(np.minimum(y, 1), x).fit().parallel_test()

    def test_predictions_have_the_standard_errors_of_the_delta_method(self):
        x, y = make_data(8)
        res = OrderedLogit(y, x, offset=0.1 * y).fit()
        params, cov, h = res.params.to_numpy(), res.cov_params().to_numpy(), 1e-6
        for which in ("prob", "cumulative", "linear"):
            found = res.get_prediction(x.head(3), which=which, offset=[0.0, 0.5, 1.0])
            at = lambda theta: res.model.predict(theta, x.head(3), which, [0.0, 0.5, 1.0]).reshape(3, -1)  # noqa: E731, B023
            jacobian = np.array([(at(params + step) - at(params - step)) / (2 * h) for step in h * np.eye(5)])
            expected = np.sqrt(np.einsum("aij,bij,ab->ij", jacobian, jacobian, cov))
            np.testing.assert_allclose(found.se, expected, rtol=1e-6)
            np.testing.assert_allclose(found.predicted, at(params), rtol=1e-12)
            low, high = found.conf_int(0.1)
            assert (low < found.predicted).all(axis=None)
            assert (high > found.predicted).all(axis=None)
        assert list(found.summary_frame().columns) == ["predicted", "se", "ci_lower", "ci_upper"]

    def test_marginal_effects(self):
        x, y = make_data(10)
        x["d"] = (np.arange(len(y)) % 2).astype(float)
        offset = np.linspace(-1, 1, len(y))
        res = OrderedLogit(y, x, offset=offset).fit()
        params, cov, h = res.params.to_numpy(), res.cov_params().to_numpy(), 1e-5
        model = res.model

        def effects(theta, rows, added, dummy):
            out = []
            for name in x:
                up, down, width = rows.copy(), rows.copy(), 2 * h
                if dummy and name == "d":
                    up["d"], down["d"], width = 1.0, 0.0, 1.0
                else:
                    up[name], down[name] = rows[name] + h, rows[name] - h
                change = model.predict(theta, up, offset=added) - model.predict(theta, down, offset=added)
                out.append(change.mean(axis=0) / width)
            return np.concatenate(out)

        for at, rows, added in (("overall", x, offset), ("mean", x.mean().to_frame().T, [offset.mean()])):
            for dummy in (False, True):
                found = res.get_margeff(at, dummy)
                np.testing.assert_allclose(found.table["estimate"], effects(params, rows, added, dummy), atol=1e-9)
                step = 1e-4
                jacobian = np.array([
                    (effects(params + e, rows, added, dummy) - effects(params - e, rows, added, dummy)) / (2 * step)
                    for e in step * np.eye(6)
                ])  # fmt: skip
                np.testing.assert_allclose(found.cov, jacobian.T @ cov @ jacobian, rtol=1e-4, atol=1e-8)
                assert found.margeff.loc["a"].sum() == pytest.approx(0.0, abs=1e-12)
        two = OrderedLogit(np.minimum(y, 1), x[["a", "d"]]).fit().get_margeff(dummy=True)
        theirs = (
            sm.Logit(np.minimum(y, 1), sm.add_constant(x[["a", "d"]])).fit(disp=0, tol=1e-12).get_margeff(dummy=True)
        )
        of_1 = two.table[two.table["y_level"] == 1]
        np.testing.assert_allclose(of_1["estimate"], theirs.margeff, rtol=1e-7)
        np.testing.assert_allclose(of_1["std_error"], theirs.margeff_se, rtol=1e-6)

    def test_far_rows_have_intervals_although_probabilities_round_to_0_and_1(self):
        x, y = np.arange(30.0)[:, None], np.repeat([0, 1, 2], 10)
        res = OrderedLogit(y, x, penalty="firth").fit()
        rows, z = [[60.0], [1000.0]], stats.norm.isf(0.025)
        found = res.get_prediction(rows)
        np.testing.assert_array_equal(found.predicted.iloc[1], [0, 0, 1])
        low, high = found.conf_int()
        # The highest class is the complement of those up to the last threshold, whose logit is linear.
        gradient = np.column_stack([np.negative(rows), np.zeros(2), np.ones(2)])
        logit = gradient @ res.params
        half = z * np.sqrt(np.einsum("ij,jk,ik->i", gradient, res.cov_params(), gradient))
        np.testing.assert_allclose(low[2], expit(-logit - half), rtol=1e-9)
        np.testing.assert_allclose(high[2], expit(-logit + half), rtol=1e-9)
        below = res.get_prediction(rows, which="cumulative").conf_int()
        np.testing.assert_allclose(below[1].iloc[:, 1], expit(logit + half), rtol=1e-9)


def test_an_ordered_logit_is_not_a_chain():
    """The two ordinal models are different models."""
    x, y = make_data(2)
    assert abs(OrderedLogit(y, x).fit().llf - ContinuationRatio(y, x, parallel=True).fit().llf) > 0.1


def simulated(n, size, seed=0):
    rng = np.random.default_rng(seed)
    slope = np.array([1.0, 1.5])
    for _ in range(size):
        x = np.column_stack([rng.normal(size=n), rng.integers(0, 2, n)])
        y = np.digitize(x @ slope + rng.logistic(size=n), [-1.0, 0.5, 2.0])
        if len(np.unique(y)) == 4:
            yield x, y, np.r_[slope, -1.0, 0.5, 2.0]


@pytest.mark.slow
@pytest.mark.one_environment
def test_coverage_of_intervals():
    """Intervals of level 95 % cover in 95 % of 400 data sets of 200 rows, up to three standard errors of the share."""
    covered = {(penalty, method): [] for penalty in (None, "firth") for method in ("wald", "profile")}
    for x, y, truth in simulated(200, 400):
        for penalty, method in covered:
            res = OrderedLogit(y, x, penalty).fit(warn_convergence=False)
            if not res.separated:
                bounds = res.conf_int(method=method).to_numpy()
                covered[penalty, method].append((bounds[:, 0] <= truth) & (truth <= bounds[:, 1]))
    for rows in covered.values():
        assert len(rows) == 400
        share = np.mean(rows, axis=0)
        assert (np.abs(share - 0.95) < 3 * np.sqrt(0.95 * 0.05 / len(rows))).all(), share


@pytest.mark.slow
@pytest.mark.one_environment
def test_level_of_the_parallel_test():
    p = [OrderedLogit(y, x).fit(warn_convergence=False).parallel_test().p_value for x, y, _ in simulated(120, 600, 1)]
    for level in (0.05, 0.1):
        assert abs(np.mean(np.array(p) < level) - level) < 3 * np.sqrt(level * (1 - level) / len(p))
