"""Null models, tests, marginal effects and corrected intercepts of the logit models, each worked out in another way."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from scipy.special import expit

from pwcstats import ContinuationRatio, FirthLogit, FirthMNLogit
from pwcstats.errors import InputError

from . import reference_logit as slow

# BFGS on the reference likelihood ends within 2e-4 of the parameters; likelihoods differ by the square of that.
VALUE = 1e-7
# Of p-values, as a share: statistics differ by a few times that.
P_VALUE = 1e-6
# The penalised null fit does not maximise the plain likelihood, so its error is that of the parameters.
NOT_MAXIMAL = 1e-6
# Central differences with steps of 1e-4 err by about 1e-8.
DIFFERENCES = 1e-7
# Bounds of profiles: 1e-5 of the fall of the likelihood.
PROFILE = 1e-4
# The minimiser of the slow reference stops this close to the other coefficients.
MINIMISER = 2e-4
# Differences, with steps of 1e-5, of such differences.
TWICE = 1e-6
# statsmodels' GLM is asked to stop at a relative change of the deviance of 1e-14.
GLM = 1e-8


def make_data(seed, classes, n=50, slope=1.0):
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(n), rng.normal(size=(n, 2))])
    score = slope * (x[:, 1] - 0.5 * x[:, 2]) + rng.logistic(size=n)
    return x, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))


def held_columns(x, classes, columns):
    held = np.zeros((classes - 1, x.shape[1]), bool)
    held[:, columns] = True
    return held.ravel()


@pytest.mark.parametrize("slope", [1.0, 50.0])
@pytest.mark.parametrize(("model", "classes"), [(FirthLogit, 2), (FirthMNLogit, 3)])
def test_null_models_against_the_slow_reference(model, classes, slope):
    """All coefficients but the constants at 0, in the penalty of the whole model."""
    x, y = make_data(3, classes, slope=slope)
    w = np.random.default_rng(0).integers(1, 4, len(y)) / 2
    res = model(y, x, freq_weights=w).fit()
    _, best = slow.maximum(x, y, w, seeds=4)
    null_beta, null = slow.maximum(x, y, w, held=held_columns(x, classes, [1, 2]), seeds=4)
    df = 2 * (classes - 1)
    assert res.llnull == pytest.approx(null, abs=VALUE)
    assert res.llr == pytest.approx(2 * (best - null), abs=4 * VALUE)
    assert res.df_model == df
    assert res.llr_pvalue == pytest.approx(stats.chi2.sf(2 * (best - null), df), rel=P_VALUE)
    # McFadden's measure is of the likelihoods without penalty.
    llf = slow.log_likelihood(x, y, w, np.zeros(len(y)), np.ravel(res.params, order="F"), False)
    null_llf = slow.log_likelihood(x, y, w, np.zeros(len(y)), null_beta, False)
    assert res.prsquared == pytest.approx(1 - llf / null_llf, abs=NOT_MAXIMAL)
    assert res.prsquared == pytest.approx(1 - res.llf_unpenalized / res._null.llf, abs=1e-12)


def by_differences(function, params, step=1e-5):
    columns = [
        (np.ravel(function(params + h)) - np.ravel(function(params - h))) / (2 * step)
        for h in step * np.eye(len(params))
    ]
    return np.column_stack(columns)


@pytest.mark.parametrize(("model", "classes"), [(FirthLogit, 2), (FirthMNLogit, 3)])
def test_marginal_effects_by_the_delta_method(model, classes):
    x, y = make_data(5, classes)
    res = model(y, x).fit()

    def effects(flat):
        """Mean derivatives of the probabilities for the two columns, columns x classes."""
        beta = flat.reshape(classes - 1, -1).T

        def probability(shift, column):
            moved = x.copy()
            moved[:, column] += shift
            return slow.probabilities(moved, beta)

        step = 1e-4
        return np.array([((probability(step, k) - probability(-step, k)) / (2 * step)).mean(axis=0) for k in (1, 2)])

    flat = np.ravel(res.params, order="F")
    found = res.get_margeff()
    expected, jacobian = effects(flat), by_differences(effects, flat)
    p = slow.probabilities(x, flat.reshape(classes - 1, -1).T)
    cov = np.linalg.inv(slow.information(x, p, np.ones(len(y))))
    se = np.sqrt(np.diag(jacobian @ cov @ jacobian.T)).reshape(expected.shape)
    if classes == 2:
        # Of two classes, statsmodels gives the second one's.
        expected, se = expected[:, 1], se[:, 1]
    np.testing.assert_allclose(found.margeff, expected, atol=DIFFERENCES)
    np.testing.assert_allclose(found.margeff_se, se, rtol=TWICE)


@pytest.mark.parametrize("slope", [1.0, 50.0])
def test_flic_is_a_logit_of_a_constant_with_the_rest_as_offset(slope):
    x, y = make_data(7, 2, slope=slope)
    x[:, 1] += 3.0
    w = np.random.default_rng(0).integers(1, 4, len(y)) / 2
    offset = np.linspace(-1, 1, len(y))
    model = FirthLogit(y, x, freq_weights=w, offset=offset)
    plain, corrected = model.fit(), model.fit(correction="flic")
    rest = x[:, 1:] @ plain.params[1:] + offset
    glm = sm.GLM(y, np.ones(len(y)), family=sm.families.Binomial(), offset=rest, freq_weights=w)
    intercept = glm.fit(tol=1e-14, maxiter=200).params[0]
    np.testing.assert_allclose(corrected.params[0], intercept, rtol=GLM)
    np.testing.assert_array_equal(corrected.params[1:], plain.params[1:])
    assert abs(corrected.params[0] - plain.params[0]) > 1e-3
    # And the covariance is that of a logit at these coefficients.
    p = expit(x @ corrected.params + offset)
    np.testing.assert_allclose(corrected.cov_params(), np.linalg.inv((x * (w * p * (1 - p))[:, None]).T @ x), rtol=GLM)


def stages_of(y, direction):
    """Rows and outcomes of each stage."""
    for stage in (1, 2) if direction == "backward" else (0, 1):
        rows = y <= stage if direction == "backward" else y >= stage
        yield rows, (y[rows] == stage).astype(int)


@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_penalised_tests_of_continuation_ratios_against_the_slow_reference(direction):
    x, y = make_data(11, 3, n=60)
    frame = pd.DataFrame(x[:, 1:], columns=["a", "b"])
    res = ContinuationRatio(y, frame, direction, "firth").fit()
    for term, columns in (("a", [1]), ("b", [2]), (["a", "b"], [1, 2]), (None, [1, 2])):
        expected = 0.0
        for rows, outcome in stages_of(y, direction):
            held = held_columns(x, 2, columns)
            expected += 2 * (slow.maximum(x[rows], outcome)[1] - slow.maximum(x[rows], outcome, held=held)[1])
        test = res.lr_test(term)
        assert test.statistic == pytest.approx(expected, abs=10 * VALUE)
        assert test.df == 2 * len(columns)
        assert test.p_value == pytest.approx(stats.chi2.sf(expected, test.df), rel=P_VALUE)


@pytest.mark.parametrize("penalty", [None, "firth"])
@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_profile_p_values_of_continuation_ratios(direction, penalty):
    """Stages are fits of their own: over the stages, the statistics of a column add up to that of its test."""
    x, y = make_data(13, 3, n=80)
    frame = pd.DataFrame(x[:, 1:], columns=["a", "b"])
    res = ContinuationRatio(y, frame, direction, penalty).fit()
    table = res.tidy(method="profile").set_index("term")
    for column in ("a", "b"):
        those = [f"{column}:{label}" for label in res.model.stages]
        assert table.loc[those, "statistic"].sum() == pytest.approx(res.lr_test(column).statistic, abs=1e-8)
    np.testing.assert_allclose(table["p_value"], stats.chi2.sf(table["statistic"], 1), rtol=1e-12)
    # Constants too have a test, and p-values go with the intervals.
    for stage, (rows, outcome) in enumerate(stages_of(y, direction)):
        _, best = slow.maximum(x[rows], outcome, firth=penalty is not None)
        _, null = slow.maximum(x[rows], outcome, firth=penalty is not None, held=held_columns(x, 2, [0]))
        name = f"const:{res.model.stages[stage]}"
        assert table.loc[name, "statistic"] == pytest.approx(2 * (best - null), abs=10 * VALUE)
    outside = (table["conf_low"] > 0) | (table["conf_high"] < 0)
    np.testing.assert_array_equal(table["p_value"] < 0.05, outside)
    assert 0 < outside.sum() < len(outside)
    wald = res.tidy().set_index("term")
    np.testing.assert_allclose(wald["p_value"], 2 * stats.norm.sf(np.abs(res.params / res.bse)), rtol=1e-9)


@pytest.mark.parametrize("penalty", [None, "firth"])
def test_profile_p_values_of_parallel_slopes_are_those_of_the_tests(penalty):
    x, y = make_data(17, 3, n=80)
    frame = pd.DataFrame(x[:, 1:], columns=["a", "b"])
    res = ContinuationRatio(y, frame, parallel=True, penalty=penalty).fit()
    table = res.tidy(method="profile").set_index("term")
    for column in ("a", "b"):
        test = res.lr_test(column)
        assert test.df == 1
        assert table.loc[column, "p_value"] == pytest.approx(test.p_value, rel=1e-8)
        assert table.loc[column, "statistic"] == pytest.approx(test.statistic, abs=1e-8)


@pytest.mark.parametrize(("model", "classes"), [(FirthLogit, 2), (FirthMNLogit, 3)])
def test_profile_p_values_of_penalised_models_against_the_slow_reference(model, classes):
    x, y = make_data(19, classes)
    res = model(y, x).fit()
    table = res.tidy(method="profile")
    _, best = slow.maximum(x, y, seeds=4)
    for place, held in enumerate(np.eye(3 * (classes - 1), dtype=bool)):
        _, null = slow.maximum(x, y, held=held, seeds=4)
        assert table["statistic"][place] == pytest.approx(2 * (best - null), abs=10 * VALUE)
    np.testing.assert_allclose(table["p_value"], stats.chi2.sf(table["statistic"], 1), rtol=1e-12)


@pytest.mark.parametrize(("model", "classes"), [(FirthLogit, 2), (FirthMNLogit, 3)])
def test_profiles_against_the_slow_reference(model, classes):
    """At each point of a profile, the other coefficients maximise the likelihood, which has fallen by z squared / 2."""
    x, y = make_data(3, classes)
    res = model(y, x).fit()
    table = res.profile(alpha=0.05, n_points=2)
    names = list(table.columns)
    z = np.sqrt(stats.chi2.isf(0.05, 1)) * np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
    bounds = np.asarray(res.conf_int(method="profile")).reshape(-1, 2)
    for k, name in enumerate(names):
        curve = table.loc[name]
        assert curve.index.to_numpy() == pytest.approx(z)
        assert curve[name].iloc[[0, 4]].to_numpy() == pytest.approx(bounds[k])
        assert curve.iloc[2].to_numpy() == pytest.approx(np.ravel(res.params, order="F"))
        held = np.arange(len(names)) == k
        for root, beta in zip(z[[0, 3]], curve.to_numpy()[[0, 3]], strict=True):
            near, highest = slow.maximum(x, y, held=held, start=np.where(held, beta, 0.0), seeds=1)
            assert 2 * (res.llf - highest) == pytest.approx(root**2, abs=PROFILE)
            assert beta == pytest.approx(near, abs=MINIMISER)


@pytest.mark.parametrize("parallel", [False, True])
def test_profiles_of_continuation_ratios(parallel):
    """They end at the profile intervals; the coefficients of other stages do not change."""
    x, y = make_data(5, 3)
    res = ContinuationRatio(y, x, penalty="firth", parallel=parallel).fit()
    table = res.profile(alpha=0.1, n_points=1)
    bounds = np.asarray(res.conf_int(0.1, method="profile"))
    for k, name in enumerate(table.columns):
        assert table.loc[name][name].to_numpy()[[0, 2]] == pytest.approx(bounds[k])
    changed = (table.iloc[0] != table.iloc[1]).to_numpy()
    assert changed.tolist() == ([True] * 4 if parallel else [True] * 3 + [False] * 3)
    with pytest.raises(InputError, match="n_points"):
        res.profile(n_points=0)
