"""Names in formulas: those of the data, then those of the caller, and never those of our own functions.

This module has neither `np` nor `data` nor `items`: what a formula finds by these names would be ours.
"""

import numpy
import pandas
import pytest
import statsmodels.api as sm
from patsy import EvalEnvironment, PatsyError
from statsmodels.miscmodels.ordinal_model import OrderedModel

from pwcstats import (
    AdjacentCategories,
    BradleyTerry,
    ContinuationRatio,
    FirthLogit,
    FirthMNLogit,
    InputError,
    OrderedLogit,
    stepwise,
)

RESPONSES = {
    FirthLogit: "y",
    FirthMNLogit: "k",
    ContinuationRatio: "o",
    OrderedLogit: "o",
    AdjacentCategories: "o",
    sm.Logit: "y",
    OrderedModel: "o",
}
OURS = [FirthLogit, FirthMNLogit, ContinuationRatio, OrderedLogit, AdjacentCategories]
# Local or global names of the functions between a formula and the caller.
INTERNAL = ["self", "cls", "data", "items", "np", "frame", "kwargs", "rows", "coded", "designs", "spec", "formula"]


@pytest.fixture(scope="module")
def table():
    rng = numpy.random.default_rng(3)
    frame = pandas.DataFrame(rng.normal(size=(90, 2)), columns=["x1", "x2"])
    frame["k"] = numpy.digitize(frame["x1"] + rng.logistic(size=90), [-1, 1])
    frame["y"] = (frame["k"] > 0).astype(int)
    frame["o"] = pandas.Categorical.from_codes(frame["k"], ["low", "mid", "high"], ordered=True)
    return frame


@pytest.fixture
def league():
    return BradleyTerry([[0, 3, 5], [2, 0, 4], [1, 2, 0]], items=["ant", "bee", "cat"])


@pytest.fixture
def sizes():
    return pandas.DataFrame({"size": [1.5, 1.0, 0.2]}, index=["ant", "bee", "cat"])


def test_covariates_see_the_callers_functions(league, sizes):
    def half(x):
        return x / 2

    by = 4.0  # noqa: F841  used by the formula
    one = league.fit(covariates="size", item_data=sizes)
    two = league.fit(covariates="half(size) + 0", item_data=sizes)
    assert two.params["half(size)"] == pytest.approx(2 * one.params["size"])
    three = league.fit(covariates="I(by * size)", item_data=sizes)
    assert three.params.iloc[0] == pytest.approx(one.params["size"] / 4)
    # A column comes before a variable of its name.
    size = "not a number"
    four = league.fit(covariates="size", item_data=sizes)
    assert four.params["size"] == one.params["size"], size


def test_covariates_seen_through_wrappers(league, sizes):
    def wrapper(formula, **options):
        half = None  # noqa: F841  not the one that is meant
        return league.fit(covariates=formula, item_data=sizes, **options)

    def half(x):
        return x / 2

    expected = league.fit(covariates="half(size)", item_data=sizes).params
    pandas.testing.assert_series_equal(wrapper("half(size)", eval_env=1).params, expected)
    pandas.testing.assert_series_equal(wrapper("half(size)", eval_env=EvalEnvironment.capture()).params, expected)
    with pytest.raises(InputError, match="'NoneType' object is not callable"):
        wrapper("half(size)")
    with pytest.raises(InputError, match="'half' is neither"):
        wrapper("half(size)", eval_env=-1)


@pytest.mark.parametrize("name", INTERNAL)
def test_covariates_do_not_see_our_names(name):
    model = BradleyTerry([[0, 3, 5], [2, 0, 4], [1, 2, 0]])
    known = pandas.DataFrame({"size": [1.5, 1.0, 0.2]})
    with pytest.raises(InputError, match=rf": '{name}' is neither one of the columns \(size\) nor a known variable"):
        model.fit(covariates=f"I(size * len(str({name})))", item_data=known)
    with pytest.raises(InputError, match=rf": '{name}' is neither"):
        model.fit(covariates=name, item_data=known)


@pytest.mark.parametrize("eval_env", [-2, 1.5, True, "caller", 100_000])
def test_environments_that_there_are_not(league, sizes, eval_env):
    with pytest.raises(InputError, match="eval_env"):
        league.fit(covariates="size", item_data=sizes, eval_env=eval_env)


@pytest.mark.parametrize("model", OURS)
@pytest.mark.parametrize("options", [{}, {"eval_env": 0}, {"eval_env": 1}])
def test_models_see_the_callers_functions(table, model, options):
    def half(x):
        return x / 2

    by = 3.0  # noqa: F841  used by the formula
    made = model.from_formula(f"{RESPONSES[model]} ~ half(x1) + I(by * x2)", table, **options)
    columns = pandas.DataFrame(made.exog, columns=made.exog_names[: made.exog.shape[1]])
    numpy.testing.assert_array_equal(columns["half(x1)"], table["x1"] / 2)
    numpy.testing.assert_array_equal(columns["I(by * x2)"], 3 * table["x2"])


@pytest.mark.parametrize("model", OURS)
@pytest.mark.parametrize("name", INTERNAL)
def test_models_do_not_see_our_names(model, name):
    known = pandas.DataFrame({"x": [1.0, 2, 3, 4, 5, 6], "y": [0, 1, 0, 1, 1, 0]})
    for options in ({}, {"eval_env": 0}):
        with pytest.raises(PatsyError, match=f"name '{name}' is not defined"):
            model.from_formula(f"y ~ I(x * len(str({name})))", known, **options)


@pytest.mark.parametrize("model", RESPONSES)
def test_stepwise_sees_the_callers_functions(table, model):
    def half(x):
        return x / 2

    constant = "0 + " if model is OrderedModel else ""
    made = model.from_formula(f"{RESPONSES[model]} ~ {constant}half(x1) + x2", table)
    found = stepwise(made, "bic", keep=["half(x1)"])
    assert "half(x1)" in found.terms
    # By the formula, from columns of the data.
    assert len(found.results.predict(table.head(3))) == 3


def test_stepwise_without_the_functions_of_the_formula(table):
    def make():
        def half(x):
            return x / 2

        return FirthLogit.from_formula("y ~ half(x1) + x2", table)

    with pytest.raises(
        InputError, match=r"'y ~ half\(x1\)' of .* cannot be evaluated.*'half' is not defined.*; call stepwise wh"
    ):
        stepwise(make(), "bic", "forward")
