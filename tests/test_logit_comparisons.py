"""Odds ratios, and likelihood-ratio tests between two fits."""

import numpy as np
import pandas as pd
import pytest

from pwcstats import (
    AdjacentCategories,
    ContinuationRatio,
    FirthLogit,
    FirthMNLogit,
    OrderedLogit,
    individualized_mnlogit,
)
from pwcstats.errors import InputError

from . import reference_logit as slow
from .conftest import stored

# logistf stops at changes of 1e-10 of its coefficients and likelihoods.
LOGISTF = 1e-8
# Twice the error of BFGS on the reference likelihood (see test_logit_inference.py).
STATISTIC = 4e-7
# Two parametrisations of one model.
SAME = 1e-8

MODELS = [
    (FirthLogit, "y", {}),
    (FirthMNLogit, "grade", {}),
    (ContinuationRatio, "grade", {}),
    (ContinuationRatio, "grade", {"penalty": "firth", "direction": "forward"}),
    (ContinuationRatio, "grade", {"penalty": "firth", "parallel": True}),
    (OrderedLogit, "grade", {}),
    (OrderedLogit, "grade", {"penalty": "firth"}),
    (AdjacentCategories, "grade", {}),
    (AdjacentCategories, "grade", {"penalty": "firth"}),
    (AdjacentCategories, "grade", {"penalty": "firth", "parallel": True}),
]


@pytest.fixture(scope="module")
def doses():
    rng = np.random.default_rng(1)
    data = pd.DataFrame({"dose": rng.integers(0, 4, 80), "age": rng.normal(size=80), "w": rng.integers(1, 3, 80) / 2})
    latent = 0.6 * data["dose"] + rng.logistic(size=80)
    return data.assign(y=(latent > 1.0).astype(int), grade=np.digitize(latent, [0.5, 2.0]))


def fit(case, terms, data, **more):
    model, response, options = case
    return model.from_formula(f"{response} ~ {terms}", data, freq_weights=data["w"], **options, **more).fit()


@pytest.mark.parametrize("method", ["wald", "profile"])
@pytest.mark.parametrize("case", MODELS)
def test_odds_ratios_are_exponentials_of_slopes(case, method, doses):
    res = fit(case, "age + dose", doses)
    table, exponentials = res.tidy(method=method), res.tidy(method=method, exponentiate=True)
    of_odds = ["estimate", "conf_low", "conf_high"]
    np.testing.assert_array_equal(exponentials[of_odds], np.exp(table[of_odds]))
    pd.testing.assert_frame_equal(exponentials.drop(columns=of_odds), table.drop(columns=of_odds))
    odds = res.odds_ratios(method=method)
    slopes = exponentials[exponentials["term"].astype(str).str.contains("age|dose")]
    assert list(odds.index.get_level_values(-1)) == list(slopes["term"])
    assert list(odds.columns) == ["odds_ratio", "conf_low", "conf_high", "p_value"]
    np.testing.assert_array_equal(odds, slopes[["estimate", "conf_low", "conf_high", "p_value"]])
    half = res.odds_ratios(0.5)
    assert (half["conf_low"] > res.odds_ratios()["conf_low"]).all()


def test_an_odds_ratio_is_the_ratio_of_odds(doses):
    """What the table says is checked on predictions."""
    new = pd.DataFrame({"age": [0.2, 1.2], "dose": [1, 1]})

    def ratio(odds):
        return odds[1] / odds[0]

    res = fit(MODELS[0], "age + dose", doses)
    p = res.predict(new).to_numpy()
    assert ratio(p / (1 - p)) == pytest.approx(res.odds_ratios().loc["age", "odds_ratio"])
    res = fit(MODELS[1], "age + dose", doses)
    p = res.predict(new).to_numpy()
    assert ratio(p[:, 2] / p[:, 0]) == pytest.approx(res.odds_ratios().loc[("2", "age"), "odds_ratio"])
    res = fit(MODELS[2], "age + dose", doses)
    p = res.predict(new).to_numpy()
    assert ratio(p[:, 1] / p[:, 0]) == pytest.approx(res.odds_ratios().loc["age:1", "odds_ratio"])
    res = fit(MODELS[5], "age + dose", doses)
    p = res.predict(new).to_numpy()
    assert ratio((p[:, 1] + p[:, 2]) / p[:, 0]) == pytest.approx(res.odds_ratios().loc["age", "odds_ratio"])


def test_odds_ratios_of_infinite_estimates():
    data = pd.DataFrame({"x": [1, 2, 3, 4, 5, 6], "y": [0, 0, 0, 1, 1, 1]})
    with pytest.warns(Warning, match="infinite"):
        res = OrderedLogit.from_formula("y ~ x", data).fit()
    assert list(res.odds_ratios().loc["x"].iloc[:3]) == [np.inf, 0.0, np.inf]
    # Bounds that overflow are infinite, without a warning of NumPy.
    far = FirthLogit.from_formula("y ~ I(x / 1000)", data).fit().odds_ratios()
    assert far["conf_high"].iloc[0] == np.inf


def test_exponentials_of_individualized_fits(doses):
    res = individualized_mnlogit(doses["grade"], doses[["dose"]].assign(const=1.0), baseline=0)
    table = res.tidy(exponentiate=True)
    np.testing.assert_array_equal(table["estimate"], np.exp(res.tidy()["estimate"]))


@pytest.mark.parametrize("case", MODELS)
def test_a_smaller_fit_is_a_test_of_the_other_columns(case, doses):
    small, large = fit(case, "dose", doses), fit(case, "age + dose", doses)
    test = large.lr_test(small)
    assert test == large.lr_test("age") == small.lr_test(large)
    assert "age" in test.null


@pytest.mark.parametrize("case", MODELS)
def test_columns_may_be_combinations_of_those_of_the_larger_fit(case, doses):
    """A linear effect within a factor; in other coordinates, the same test is that of some columns."""
    linear, factor = fit(case, "dose", doses), fit(case, "C(dose)", doses)
    other = fit(case, "dose + I(dose == 2) + I(dose == 3)", doses)
    columns = [name for name in other.model.exog_names if "==" in name]
    test, expected = factor.lr_test(linear), other.lr_test(columns)
    assert test.statistic == pytest.approx(expected.statistic, abs=SAME)
    assert test.df == expected.df
    assert linear.lr_test(factor) == test
    if not case[2].get("penalty") and case[0] in (ContinuationRatio, OrderedLogit):
        assert test.statistic == pytest.approx(2 * (factor.llf - linear.llf), abs=SAME)


@pytest.mark.parametrize(("case", "classes"), [(MODELS[0], 2), (MODELS[1], 3)])
def test_the_penalty_is_that_of_the_larger_fit(case, classes, doses):
    """Columns of the smaller fit, and others that complete them, in the slow reference."""
    x = np.column_stack([np.ones(80), doses["dose"], doses["dose"] == 2, doses["dose"] == 3]).astype(float)
    held = np.tile([False, False, True, True], classes - 1)
    y, w = doses[case[1]].to_numpy(), doses["w"].to_numpy()
    best, null = (slow.maximum(x, y, w, held=which, seeds=3)[1] for which in (None, held))
    test = fit(case, "C(dose)", doses).lr_test(fit(case, "dose", doses))
    assert test.statistic == pytest.approx(2 * (best - null), abs=STATISTIC)
    assert test.df == 2 * (classes - 1)


def test_tests_between_fits_are_those_of_logistf():
    """The default of its anova(), method = "nested"; a difference of its likelihoods would be another test."""
    from_r = stored("logistf")
    data = pd.DataFrame(from_r["endometrial"])
    full = FirthLogit.from_formula("HG ~ NV + PI + EH", data).fit()
    for terms, theirs in from_r["anova"].items():
        test = full.lr_test(FirthLogit.from_formula(f"HG ~ {terms.replace('_', ' + ')}", data).fit())
        assert test.statistic == pytest.approx(theirs["statistic"], abs=LOGISTF)
        assert test.df == theirs["df"]
        assert test.p_value == pytest.approx(theirs["p"], abs=LOGISTF)


def test_parallel_slopes_within_separate_ones(doses):
    separate, parallel = (fit((ContinuationRatio, "grade", {"parallel": one}), "age", doses) for one in (False, True))
    assert separate.lr_test(parallel) == parallel.lr_test(separate) == separate.parallel_test()
    smaller = fit((ContinuationRatio, "grade", {"parallel": True}), "1", doses)
    with pytest.raises(InputError, match="differ in parallel and in their columns"):
        separate.lr_test(smaller)


def test_a_separated_fit_without_penalty_has_a_test():
    data = pd.DataFrame({"x": [1, 2, 3, 4, 5, 6, 7], "z": [0, 1, 0, 1, 1, 0, 1], "y": [0, 0, 0, 1, 1, 1, 1]})
    with pytest.warns(Warning, match="infinite"):
        large = OrderedLogit.from_formula("y ~ x + z", data).fit()
    small = OrderedLogit.from_formula("y ~ z", data).fit()
    assert large.lr_test(small).statistic == pytest.approx(2 * (large.llf - small.llf), abs=SAME)


def refusals(data):
    base = FirthLogit.from_formula("y ~ age + dose", data).fit()
    fewer = data.iloc[1:]
    moved = data.set_axis(data.index[::-1])
    yield base, FirthLogit.from_formula("y ~ age", fewer).fit(), "have 80 and 79 rows"
    yield base, FirthLogit.from_formula("y ~ age", data, freq_weights=data["w"]).fit(), "the weights of the two fits"
    yield base, FirthLogit.from_formula("y ~ age", data, offset=data["dose"]).fit(), "the offset of the two fits"
    yield base, FirthLogit.from_formula("y ~ age", data.assign(y=1 - data["y"])).fit(), "the response of the two fits"
    yield base, FirthLogit.from_formula("y ~ age", moved).fit(), "the rows of the two fits"
    yield base, FirthLogit.from_formula("y ~ age + w", data).fit(), "both fits have 3 coefficients"
    yield base, FirthLogit.from_formula("y ~ w", data).fit(), r"\(w\) of the smaller fit cannot be written"
    yield base, FirthMNLogit.from_formula("y ~ age", data).fit(), "got FirthLogit and FirthMNLogit"
    plain = OrderedLogit.from_formula("grade ~ age", data).fit()
    yield plain, OrderedLogit.from_formula("grade ~ 1", data, penalty="firth").fit(), "same penalty, got None and"
    back = ContinuationRatio.from_formula("grade ~ age", data).fit()
    forward = ContinuationRatio.from_formula("grade ~ 1", data, direction="forward").fit()
    yield back, forward, "same direction"
    yield plain, forward, "got OrderedLogit and ContinuationRatio"


def test_fits_that_cannot_be_compared(doses):
    for one, other, message in refusals(doses):
        with pytest.raises(InputError, match=message):
            one.lr_test(other)
