"""Adjacent categories: against slow references, FirthMNLogit and FirthLogit, and by their limits."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from scipy.optimize import minimize
from scipy.special import expit

from pwcstats import AdjacentCategories, FirthLogit, FirthMNLogit, InputError, SeparationWarning

from . import reference_logit as slow

# Sums in another order, and Newton steps that end at the same maximum.
SAME = 1e-8
# Steps of a penalised fit end when the sum of all further steps is below 1e-9 on the scale of linear predictors.
PENALISED = 1e-7
# Central differences of log-likelihoods of about 20.
DIFFERENCES = 1e-6
# scipy's BFGS differentiates numerically; the likelihood is flat at its maximum, so values have more digits.
OPTIMISER, OPTIMISER_VALUE = 1e-4, 1e-8
# Profile bounds: the tolerance of the fall of the log-likelihood.
FALL = 2e-5

BOTH = pytest.mark.parametrize("parallel", [False, True])
PENALTIES = pytest.mark.parametrize("penalty", [None, "firth"])


def small(seed, n=20):
    """Few rows, weights and offsets; with odd seeds, the data are separated."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.normal(size=n), rng.integers(0, 2, n)]).astype(float)
    code = np.r_[0, 1, 2, rng.permutation(np.arange(n - 3) % 3)]
    if seed % 2:
        code = np.argsort(np.argsort(x[:, 0])) * 3 // n
    return x, code, rng.choice([0.5, 1.0, 2.0], n), 0.3 * rng.normal(size=n)


def make_data(seed=0, n=150, classes=4):
    rng = np.random.default_rng(seed)
    x = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    score = x["a"] - 0.5 * x["b"] + rng.logistic(size=n)
    return x, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))


def some_params(parallel):
    return np.array([0.3, -0.2, 0.5, 0.7] if parallel else [0.3, -0.2, 0.5, 0.7, 0.1, -0.4])


def derivatives(f, at, h=1e-5):
    return np.array([(f(at + step) - f(at - step)) / (2 * h) for step in h * np.eye(len(at))])


class TestLikelihood:
    @BOTH
    @PENALTIES
    def test_value_and_score_are_those_of_the_formulas(self, penalty, parallel):
        x, code, weight, offset = small(0)
        model = AdjacentCategories(code, x, penalty, parallel, weight, offset)
        theta = some_params(parallel)
        value = slow.adjacent_log_likelihood(x, code, theta, parallel, bool(penalty), weight, offset)
        assert model.loglike(theta) == pytest.approx(value, abs=SAME)
        np.testing.assert_allclose(model.score(theta), derivatives(model.loglike, theta), atol=DIFFERENCES)

    @BOTH
    def test_information(self, parallel):
        """The observed information is the expected one, with or without the penalty."""
        x, code, weight, offset = small(0)
        model, theta = AdjacentCategories(code, x, None, parallel, weight, offset), some_params(parallel)
        np.testing.assert_allclose(model.information(theta), -derivatives(model.score, theta), atol=DIFFERENCES)
        penalised = AdjacentCategories(code, x, "firth", parallel, weight, offset)
        np.testing.assert_allclose(penalised.information(theta), model.information(theta), rtol=SAME)


class TestMaximum:
    @BOTH
    @pytest.mark.parametrize("seed", range(6))
    def test_penalised_fits_are_the_maximum_that_a_general_optimiser_finds(self, seed, parallel):
        x, code, weight, offset = small(seed)
        res = AdjacentCategories(code, x, "firth", parallel, weight, offset).fit()
        params, value = slow.adjacent_maximum(x, code, parallel, True, weight, offset)
        assert res.converged
        np.testing.assert_allclose(res.params, params, rtol=OPTIMISER, atol=OPTIMISER)
        assert res.llf == pytest.approx(value, abs=OPTIMISER_VALUE)
        assert np.isfinite(res.bse).all()

    def test_separate_slopes_are_the_multinomial_logit(self):
        for seed in range(4):
            x, code, weight, _ = small(seed)
            ours = AdjacentCategories(code, x, "firth", freq_weights=weight).fit()
            theirs = FirthMNLogit(code, sm.add_constant(x), weight).fit()
            np.testing.assert_allclose(np.cumsum(ours.coefs, axis=0), np.asarray(theirs.params).T, atol=PENALISED)
            np.testing.assert_allclose(ours.predict(), theirs.predict(), atol=PENALISED)
            # The parameters of the two are linear functions of each other with determinant 1.
            assert ours.llf == pytest.approx(theirs.llf, abs=SAME)
            step = np.kron([[1.0, 0.0], [-1.0, 1.0]], np.eye(3))
            np.testing.assert_allclose(ours.cov_params(), step @ np.asarray(theirs.cov_params()) @ step.T, rtol=1e-6)
        x, y = make_data(1)
        plain = AdjacentCategories(y, x).fit()
        logit = sm.MNLogit(y, sm.add_constant(x)).fit(disp=0, tol=1e-12)
        np.testing.assert_allclose(np.cumsum(plain.coefs, axis=0), np.asarray(logit.params).T, atol=SAME)
        assert plain.llf == pytest.approx(logit.llf, abs=SAME)

    @BOTH
    def test_two_classes_are_logistic_regression(self, parallel):
        for seed in (0, 1, 2):
            x, code, weight, offset = small(seed)
            code = np.minimum(code, 1)
            ours = AdjacentCategories(code, x, "firth", parallel, weight, offset).fit()
            theirs = FirthLogit(code, sm.add_constant(x), offset, weight).fit()
            np.testing.assert_allclose(ours.params, theirs.params, atol=PENALISED)
            np.testing.assert_allclose(ours.bse, theirs.bse, rtol=PENALISED)
            assert ours.llf == pytest.approx(theirs.llf, abs=SAME)
            np.testing.assert_allclose(
                ours.conf_int(method="profile"), theirs.conf_int(method="profile"), rtol=FALL, atol=FALL
            )

    @BOTH
    @PENALTIES
    def test_weights_repeat_rows(self, penalty, parallel):
        x, y = make_data(3)
        times = np.arange(len(y)) % 3
        weighted = AdjacentCategories(y, x, penalty, parallel, times).fit()
        repeated = AdjacentCategories(np.repeat(y, times), x.loc[np.repeat(x.index, times)], penalty, parallel).fit()
        np.testing.assert_allclose(weighted.params, repeated.params, atol=PENALISED)
        np.testing.assert_allclose(weighted.bse, repeated.bse, rtol=PENALISED)
        assert weighted.nobs == repeated.nobs == times.sum()
        assert weighted.parallel_test().statistic == pytest.approx(repeated.parallel_test().statistic, abs=PENALISED)
        for column in ("estimate", "std_error"):
            np.testing.assert_allclose(
                weighted.get_margeff().table[column], repeated.get_margeff().table[column], rtol=1e-6, atol=SAME
            )

    @PENALTIES
    def test_reversed_classes_change_signs_and_order(self, penalty):
        x, y = make_data(4)
        up, down = (AdjacentCategories(code, x, penalty, parallel=True).fit() for code in (y, 3 - y))
        np.testing.assert_allclose(up.params.iloc[:3], -down.params.iloc[2::-1], atol=PENALISED)
        np.testing.assert_allclose(up.params.iloc[3:], -down.params.iloc[3:], atol=PENALISED)

    @BOTH
    @PENALTIES
    @pytest.mark.parametrize(("scale", "shift"), [(1e-8, 0.0), (1e8, 0.0), (1.0, 1e6)])
    def test_other_units(self, penalty, parallel, scale, shift):
        x, y = make_data(11, classes=3)
        plain, odd = (AdjacentCategories(y, part, penalty, parallel).fit() for part in (x, x * scale + shift))
        assert odd.converged
        np.testing.assert_allclose(odd.coefs[["a", "b"]] * scale, plain.coefs[["a", "b"]], rtol=1e-6)
        np.testing.assert_allclose(odd.predict(), plain.predict(), atol=1e-6)

    def test_names(self):
        x, y = make_data(9, classes=3)
        frame = x.assign(pain=pd.Categorical.from_codes(y, ["low", "mid", "high"], ordered=True))
        res = AdjacentCategories.from_formula("pain ~ a + b", frame).fit()
        steps = [f"{name}:{step}" for step in ("mid", "high") for name in ("Intercept", "a", "b")]
        assert list(res.params.index) == steps
        common = AdjacentCategories.from_formula("pain ~ a + b", frame, parallel=True).fit()
        assert list(common.params.index) == ["Intercept:mid", "Intercept:high", "a", "b"]
        assert list(common.coefs.index) == ["mid", "high"]
        assert (common.coefs["a"] == common.params["a"]).all()
        assert list(res.predict(which="linear").columns) == ["mid", "high"]
        assert list(res.predict().columns) == ["low", "mid", "high"]
        assert set(res.predict(which="class")) <= {"low", "mid", "high"}
        assert "P(y = high) / P(y = mid)" in str(res.summary())
        assert "mid: P(y = mid) / P(y = low)" in str(common.summary())
        with pytest.raises(InputError, match="AdjacentCategories has no option .*direction"):
            AdjacentCategories(y, x, direction="forward")


class TestSeparation:
    @BOTH
    def test_complete_separation(self, parallel):
        y = np.repeat([0, 1, 2], 5)
        x = pd.DataFrame({"a": np.arange(15.0), "b": np.tile([1.0, 0.0, 2.0], 5)})
        with pytest.warns(SeparationWarning, match=r"complete separation.*use penalty='firth'") as seen:
            res = AdjacentCategories(y, x, parallel=parallel).fit()
        assert seen[0].filename == __file__
        assert res.separated
        assert not res.converged
        np.testing.assert_allclose(res.predict(), np.eye(3)[y], atol=1e-12)
        assert res.llf == 0.0
        cured = AdjacentCategories(y, x, "firth", parallel).fit()
        assert cured.converged
        assert np.isfinite(cured.conf_int(method="profile")).all(axis=None)

    def test_limits_with_parallel_slopes_are_those_of_a_far_slope(self):
        x, y = make_data(12, classes=3)
        x["g"] = ((y == 2) & (x["b"] > 0)).astype(float)
        with pytest.warns(SeparationWarning, match=r"\(g\) predicts some outcomes"):
            res = AdjacentCategories(y, x, parallel=True).fit()
        assert res.params["g"] == np.inf == res.bse["g"]
        rest = AdjacentCategories(y, x[["a", "b"]], parallel=True, offset=40.0 * x["g"]).fit()
        np.testing.assert_allclose(res.params.drop("g"), rest.params, atol=SAME)
        np.testing.assert_allclose(res.bse.drop("g"), rest.bse, rtol=SAME)
        np.testing.assert_allclose(res.predict(), rest.predict(), atol=SAME)
        assert res.llf == pytest.approx(rest.llf, abs=SAME)
        smaller = AdjacentCategories(y, x[["a", "b"]], parallel=True).fit()
        assert res.lr_test("g").statistic == pytest.approx(2 * (res.llf - smaller.llf), abs=SAME)
        without_a = AdjacentCategories(y, x[["b"]], parallel=True, offset=40.0 * x["g"]).fit()
        assert res.lr_test("a").statistic == pytest.approx(2 * (res.llf - without_a.llf), abs=1e-6)
        for call in (
            lambda: res.conf_int(method="profile"),
            lambda: res.get_margeff(),
            lambda: res.get_prediction(),
        ):
            with pytest.raises(InputError, match="needs finite estimates"):
                call()

    def test_limits_with_separate_slopes_are_those_of_the_other_classes(self):
        """In rows of g only the highest class is ruled out, so that one step has an infinite slope."""
        x, y = make_data(5, n=300, classes=3)
        x["g"] = ((y < 2) & (x["b"] > 0.3)).astype(float)
        with pytest.warns(SeparationWarning, match=r"\(g:2\) predicts some outcomes"):
            res = AdjacentCategories(y, x).fit()
        assert list(res.params.index[np.isinf(res.params)]) == ["g:2"]
        assert res.params["g:2"] == -np.inf
        far = slow.adjacent_log_likelihood(
            x.to_numpy(), y, np.where(np.isinf(res.params), -30.0, res.params), False, False
        )
        assert res.llf == pytest.approx(far, abs=SAME)
        theirs = sm.MNLogit(y, sm.add_constant(x)).fit(disp=0, method="newton", maxiter=25, warn_convergence=False)
        finite = np.isfinite(res.params)
        steps = np.diff(np.column_stack([np.zeros(4), theirs.params]), axis=1).T.ravel()
        np.testing.assert_allclose(res.params[finite], steps[finite], atol=1e-6)
        np.testing.assert_allclose(res.predict(), theirs.predict(), atol=1e-6)
        assert np.isfinite(res.bse[finite]).all()
        # The test against parallel slopes needs the limit of the likelihood only.
        common = AdjacentCategories(y, x, parallel=True).fit()
        assert common.parallel_test().statistic == pytest.approx(2 * (res.llf - common.llf), abs=SAME)


class TestInference:
    @BOTH
    @PENALTIES
    def test_profiles_and_tests_by_their_definitions(self, penalty, parallel):
        x, code, weight, offset = small(2)
        res = AdjacentCategories(code, x, penalty, parallel, weight, offset).fit()
        bounds, params = res.conf_int(0.1, "profile").to_numpy(), res.params.to_numpy()
        tidy = res.tidy(method="profile")

        def profile(k, value):
            held = np.arange(len(params)) == k
            start = np.where(held, value, params)
            return slow.adjacent_maximum(x, code, parallel, bool(penalty), weight, offset, held, start)[1]

        for k in (0, len(params) - 1):
            for bound in bounds[k]:
                assert profile(k, bound) == pytest.approx(res.llf - stats.chi2.isf(0.1, 1) / 2, abs=FALL)
            assert tidy["statistic"][k] == pytest.approx(2 * (res.llf - profile(k, 0.0)), abs=1e-6)

    @BOTH
    def test_likelihood_ratio_tests(self, parallel):
        x, y = make_data(6)
        frame = x.assign(
            y=y, g=np.random.default_rng(0).choice(list("uvw"), len(y)), d=np.round(x["a"].clip(-1.4, 1.4))
        )
        fit = lambda terms, **more: AdjacentCategories.from_formula(f"y ~ {terms}", frame, **more).fit()  # noqa: E731
        res, smaller = fit("a + C(g)", parallel=parallel), fit("a", parallel=parallel)
        test = res.lr_test("C(g)")
        assert test.df == (2 if parallel else 6)
        assert test.statistic == pytest.approx(2 * (res.llf - smaller.llf), abs=SAME)
        assert res.lr_test(smaller).statistic == test.statistic
        # A column that is a combination of others.
        factor, linear = fit("C(d)", parallel=parallel), fit("d", parallel=parallel)
        nested = factor.lr_test(linear)
        assert nested.statistic == pytest.approx(2 * (factor.llf - linear.llf), abs=1e-6)
        assert nested.df == factor.df_model - linear.df_model

    def test_parallel_test(self):
        x, code, weight, offset = small(4, 30)
        plain = [AdjacentCategories(code, x, None, one, weight, offset).fit() for one in (False, True)]
        test = plain[0].parallel_test()
        assert test.statistic == pytest.approx(2 * (plain[0].llf - plain[1].llf), abs=SAME)
        assert test.df == 2
        assert plain[1].parallel_test().statistic == pytest.approx(test.statistic, abs=SAME)
        assert plain[0].lr_test(plain[1]).statistic == test.statistic
        firth = [AdjacentCategories(code, x, "firth", one, weight, offset).fit() for one in (False, True)]

        def common(theta):
            whole = np.r_[theta[0], theta[2:], theta[1], theta[2:]]
            return -slow.adjacent_log_likelihood(x, code, whole, False, True, weight, offset)

        null = minimize(common, firth[1].params, method="BFGS", options={"gtol": 1e-7}).fun
        for res in firth:
            assert res.parallel_test().statistic == pytest.approx(2 * (firth[0].llf + null), abs=1e-6)
        with pytest.raises(InputError, match="two steps and one column.*this model has 1 step and 2 columns"):
            AdjacentCategories(np.minimum(code, 1), x).fit().parallel_test()

    @BOTH
    def test_predictions_have_the_standard_errors_of_the_delta_method(self, parallel):
        x, y = make_data(8)
        res = AdjacentCategories(y, x, None, parallel, offset=0.1 * y).fit()
        params, cov = res.params.to_numpy(), res.cov_params().to_numpy()
        for which in ("prob", "linear"):
            found = res.get_prediction(x.head(3), which=which, offset=[0.0, 0.5, 1.0])
            at = lambda theta: res.model.predict(theta, x.head(3), which, [0.0, 0.5, 1.0])  # noqa: E731, B023
            jacobian = derivatives(at, params)
            expected = np.sqrt(np.einsum("aij,bij,ab->ij", jacobian, jacobian, cov))
            np.testing.assert_allclose(found.se, expected, rtol=1e-6)
            np.testing.assert_allclose(found.predicted, at(params), rtol=1e-12)
        with pytest.raises(InputError, match="which must be"):
            res.get_prediction(which="cumulative")

    def test_far_rows_have_intervals_although_probabilities_round_to_0_and_1(self):
        x, y = sm.add_constant(np.arange(30.0)), np.repeat([0, 1, 2], 10)
        res = AdjacentCategories(y, x, "firth").fit()
        found = res.get_prediction([[1.0, 100.0], [1.0, 1000.0]])
        low, high = (bounds.to_numpy() for bounds in found.conf_int())
        # The lowest class is impossible here, so the others are those of the last step, whose logit is linear.
        step = [
            bounds.to_numpy()[:, 1]
            for bounds in res.get_prediction([[1.0, 100.0], [1.0, 1000.0]], which="linear").conf_int()
        ]
        np.testing.assert_allclose(found.predicted.iloc[:, 2], 1.0, rtol=1e-15)
        np.testing.assert_allclose(low[:, 2], expit(step[0]), rtol=1e-9)
        np.testing.assert_allclose(high[:, 1], expit(-step[0]), rtol=1e-9)
        assert low[0, 2] < 0.5

    @BOTH
    @pytest.mark.parametrize("dummy", [False, True])
    @pytest.mark.parametrize("at", ["overall", "mean"])
    def test_marginal_effects(self, parallel, dummy, at):
        x, y = make_data(10)
        x["d"] = (np.arange(len(y)) % 2).astype(float)
        offset = np.linspace(-1, 1, len(y))
        res = AdjacentCategories(y, x, None, parallel, offset=offset).fit()
        rows, added = (x, offset) if at == "overall" else (x.mean().to_frame().T, [offset.mean()])
        h = 1e-5

        def effects(theta):
            out = []
            for name in x:
                up, down, width = rows.copy(), rows.copy(), 2 * h
                if dummy and name == "d":
                    up["d"], down["d"], width = 1.0, 0.0, 1.0
                else:
                    up[name], down[name] = rows[name] + h, rows[name] - h
                change = [res.model.predict(theta, part, offset=added) for part in (up, down)]
                out.append((change[0] - change[1]).mean(axis=0) / width)
            return np.concatenate(out)

        found = res.get_margeff(at, dummy)
        np.testing.assert_allclose(found.table["estimate"], effects(res.params.to_numpy()), atol=1e-9)
        jacobian = derivatives(effects, res.params.to_numpy(), 1e-4)
        np.testing.assert_allclose(found.cov, jacobian.T @ res.cov_params() @ jacobian, rtol=1e-4, atol=1e-8)
