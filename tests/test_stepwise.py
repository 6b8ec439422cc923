"""Stepwise selection: against all that it could have done at each step."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.miscmodels.ordinal_model import OrderedModel

from pwcstats import (
    AdjacentCategories,
    ContinuationRatio,
    FirthLogit,
    FirthMNLogit,
    OrderedLogit,
    SeparationWarning,
    stepwise,
)
from pwcstats.errors import InputError
from pwcstats.logit.formulas import columns_by_term


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(2)
    df = pd.DataFrame(rng.normal(size=(120, 4)), columns=["x1", "x2", "x3", "x4"])
    df["g"] = rng.choice(list("abc"), 120)
    score = df["x1"] - 0.8 * df["x2"] + (df["g"] == "b") + rng.logistic(size=120)
    df["y"] = (score > 0).astype(int)
    df["o"] = pd.Categorical.from_codes(np.digitize(score, [-1, 1]), ["lo", "mid", "hi"], ordered=True)
    df["n"] = df["o"].astype(str)
    return df


MODELS = {
    "FirthLogit": ("y", FirthLogit),
    "Logit": ("y", sm.Logit),
    "FirthMNLogit": ("n", FirthMNLogit),
    "ContinuationRatio": ("o", ContinuationRatio),
    "OrderedLogit": ("o", OrderedLogit),
    "AdjacentCategories": ("o", AdjacentCategories),
}


def fitted(name, terms, data):
    response, model = MODELS[name]
    return model.from_formula(f"{response} ~ {' + '.join(terms) or '1'}", data).fit(disp=0)


def criterion(res, which):
    llf = getattr(res, "llf_unpenalized", res.llf)
    return np.size(res.params) * (2.0 if which == "aic" else np.log(res.nobs)) - 2.0 * llf


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("which", ["aic", "bic"])
@pytest.mark.parametrize("direction", ["both", "forward", "backward"])
def test_each_step_is_the_best_there_is(data, name, which, direction):
    terms = ["x1", "x2", "x3", "x4"] + (["g"] if name in ("FirthLogit", "Logit") else [])
    response, model = MODELS[name]
    found = stepwise(model.from_formula(f"{response} ~ {' + '.join(terms)}", data), which, direction)
    inside = set() if direction == "forward" else set(terms)
    for action, value in zip(found.path["action"], found.path["criterion"], strict=True):
        if action:
            sign, term = action.split()
            inside = inside | {term} if sign == "+" else inside - {term}
        assert criterion(fitted(name, sorted(inside), data), which) == pytest.approx(value, abs=1e-5)
        moves = [inside - {t} for t in inside] if direction != "forward" else []
        moves += [inside | {t} for t in set(terms) - inside] if direction != "backward" else []
        best = min(criterion(fitted(name, sorted(m), data), which) for m in moves) if moves else np.inf
        after = found.path["criterion"]
        later = after[after.index > 0] if not action else None
        if later is not None and len(later):
            assert best == pytest.approx(later.iloc[0], abs=1e-5)
    # Nothing is better than the end.
    assert best >= value - 1e-5
    assert set(found.terms) == inside
    np.testing.assert_allclose(
        np.sort(np.ravel(found.results.params)), np.sort(np.ravel(fitted(name, found.terms, data).params)), rtol=1e-4
    )


def test_tests_of_statsmodels_logit(data):
    model = sm.Logit.from_formula("y ~ x1 + x2 + x3 + x4", data)
    found = stepwise(model, "lr", "backward", remove=0.05)
    terms = ["x1", "x2", "x3", "x4"]
    for action, p in zip(found.path["action"][1:], found.path["criterion"][1:], strict=True):
        llf = fitted("Logit", terms, data).llf
        tests = {
            t: stats.chi2.sf(2 * (llf - fitted("Logit", [s for s in terms if s != t], data).llf), 1) for t in terms
        }
        worst = max(tests, key=tests.get)
        assert action == f"- {worst}"
        assert p == pytest.approx(tests[worst], rel=1e-5)
        assert p > 0.05
        terms.remove(worst)
    assert found.terms == terms == ["x1", "x2"]


def test_tests_of_firth_keep_the_penalty_of_the_larger_model(data):
    found = stepwise(FirthLogit.from_formula("y ~ x1 + x2 + x3", data), "lr", "forward")
    first = {t: fitted("FirthLogit", [t], data).lr_test(t).p_value for t in ("x1", "x2", "x3")}
    best = min(first, key=first.get)
    assert found.path["action"][1] == f"+ {best}"
    assert found.path["criterion"][1] == pytest.approx(first[best], rel=1e-6)


def test_interactions_never_without_their_parts(data):
    rng = np.random.default_rng(5)
    df = data.copy()
    df["y"] = (2 * df["x3"] * df["x4"] + rng.logistic(size=120) > 0).astype(int)
    for direction in ("forward", "backward", "both"):
        found = stepwise(FirthLogit.from_formula("y ~ x1 + x3 * x4", df), "aic", direction)
        seen = set(found.terms)
        assert "x3:x4" not in seen or {"x3", "x4"} <= seen
    assert "x3:x4" in stepwise(FirthLogit.from_formula("y ~ x1 + x3 * x4", df), "aic", "backward").terms


def test_formulas_see_the_callers_names(data):
    def half(x):
        return x / 2

    found = stepwise(FirthLogit.from_formula("y ~ half(x1) + x3", data), "bic")
    assert found.terms == ["half(x1)"]
    assert found.results.predict(data.head(2)).shape == (2,)


def test_keep_and_columns(data):
    x = sm.add_constant(data[["x1", "x2", "x3", "x4"]])
    found = stepwise(FirthLogit(data["y"], x), "bic", keep=["x4"])
    assert found.terms == ["x1", "x2", "x4"]
    assert list(found.results.params.index) == ["const", "x1", "x2", "x4"]
    ratio = stepwise(ContinuationRatio(data["o"], x[["x1", "x2", "x3"]]), "bic", "forward")
    assert list(ratio.results.predict().columns) == ["lo", "mid", "hi"]
    plain = stepwise(OrderedModel(data["o"], x[["x1", "x2", "x3"]], distr="logit"), "bic")
    assert plain.terms == stepwise(OrderedLogit(data["o"], x[["x1", "x2", "x3"]]), "bic").terms


def test_weights_and_missing_rows_come_along(data):
    df = data.copy()
    df.loc[df.index[:5], "x3"] = np.nan
    w = np.arange(120) % 3 + 1.0
    found = stepwise(FirthLogit.from_formula("y ~ x1 + x2 + x3", df, freq_weights=w), "bic")
    assert found.terms == ["x1", "x2"]
    assert found.results.nobs == w[5:].sum()
    direct = FirthLogit.from_formula("y ~ x1 + x2", df.iloc[5:], freq_weights=w[5:]).fit()
    np.testing.assert_allclose(found.results.params, direct.params, rtol=1e-9)


@pytest.mark.new_libraries(
    "statsmodels 0.14.2 stops at a singular matrix, so stepwise raises an error with the same words"
)
def test_separated_data_of_statsmodels_are_said(data):
    df = data.assign(sep=data["y"] * 2.0 - 1.0)
    model = sm.Logit.from_formula("y ~ x1 + sep", df)
    with pytest.warns(SeparationWarning, match="complete separation.*use FirthLogit"):
        stepwise(model, "aic", "backward")
    # Quasi-complete separation, of which statsmodels says only that it did not converge.
    quasi = sm.Logit.from_formula(
        "y ~ x1 + sep", data.assign(sep=(data["y"] == 1) & (data["x3"] > 0)).astype({"sep": float})
    )
    with pytest.warns(SeparationWarning, match=r"quasi-complete separation: \(sep\)"):
        stepwise(quasi, "aic", "backward")
    assert "sep" in stepwise(FirthLogit.from_formula("y ~ x1 + sep", df), "aic").terms


def test_without_a_constant_the_path_is_that_of_the_result(data):
    found = stepwise(sm.Logit.from_formula("y ~ 0 + g + x1 + x3", data), "bic", "backward")
    assert found.path["n_params"].iloc[-1] == len(found.results.params)
    assert found.path["log_lik"].iloc[-1] == pytest.approx(found.results.llf)


def test_criteria_and_tests_use_weights_and_offsets(data):
    w = np.arange(120) % 3 + 1.0
    offset = np.linspace(-1, 1, 120)
    model = FirthLogit.from_formula("y ~ x1 + x3", data, freq_weights=w, offset=offset)
    found = stepwise(model, "bic", "backward")
    full = model.fit()
    assert found.path["criterion"].iloc[0] == pytest.approx(full.bic)
    assert found.path["criterion"].iloc[0] == pytest.approx(3 * np.log(w.sum()) - 2 * full.llf_unpenalized)
    assert found.path["criterion"].iloc[-1] == pytest.approx(found.results.bic)


def test_entering_and_removing_have_their_own_levels(data):
    model = FirthLogit.from_formula("y ~ x1 + x2 + x3 + x4 + g", data)
    p = {t: model.fit().lr_test(t).p_value for t in ("x3", "x4")}
    none = stepwise(model, "lr", "forward", enter=1e-30, remove=0.9)
    assert none.terms == []
    every = stepwise(model, "lr", "backward", enter=1e-30, remove=0.999)
    assert len(every.terms) == 5 or max(p.values()) > 0.999


def test_a_kept_interaction_keeps_its_parts(data):
    model = FirthLogit.from_formula("y ~ x1 + x3 * x4", data)
    assert {"x3", "x4", "x3:x4"} <= set(stepwise(model, "bic", "forward", keep=["x3:x4"]).terms)


def test_ordered_models_may_lose_all_terms(data):
    rng = np.random.default_rng(0)
    df = data.assign(noise=rng.normal(size=120), o=rng.permutation(data["o"].to_numpy()))
    df["o"] = pd.Categorical(df["o"], ["lo", "mid", "hi"], ordered=True)
    for model in (OrderedModel, OrderedLogit):
        kwargs = {"distr": "logit"} if model is OrderedModel else {}
        found = stepwise(model.from_formula("o ~ noise", df, **kwargs), "bic", "backward")
        assert found.terms == []
        assert found.results.llf < 0


@pytest.mark.parametrize("criterion", ["aic", "lr"])
@pytest.mark.parametrize("name", MODELS)
def test_columns_with_numbers_for_names(data, name, criterion):
    """Numbers that are other columns' places, too."""
    response, model = MODELS[name]
    x = sm.add_constant(data[["x1", "x2", "x3", "x4"]])
    x = x.drop(columns="const") if name == "OrderedLogit" else x
    endog = data[response] if name != "Logit" else data["y"]
    expected = stepwise(model(endog, x), criterion, "both")
    numbers = {"const": 9, "x1": 3, "x2": 0, "x3": 2, "x4": 1}
    found = stepwise(model(endog, x.rename(columns=numbers)), criterion, "both")
    assert found.terms == [str(numbers[term]) for term in expected.terms]
    np.testing.assert_allclose(found.path["criterion"], expected.path["criterion"], rtol=1e-9)
    assert 0 < len(found.terms) < 4
    if name == "FirthLogit":
        for keep in (2, [2], "2"):
            assert "2" in stepwise(model(endog, x.rename(columns=numbers)), criterion, keep=keep).terms
        assert "2" not in found.terms


def made_elsewhere(data, formula):
    """A design without its formula: the columns, and the terms that they belong to."""
    model = FirthLogit.from_formula(formula, data)
    columns = [f"c{k}" for k in range(model.exog.shape[1])]
    terms = {name: [columns[k] for k in part] for name, part in columns_by_term(model).items() if name != "Intercept"}
    return pd.DataFrame(model.exog, columns=columns), terms


FORMULAS = {"FirthLogit": "x1 + x2 + x3 * g", "FirthMNLogit": "x1 + x2 + x3 + g", "ContinuationRatio": "x1 * x2 + g"}


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("which", ["aic", "bic", "lr"])
@pytest.mark.parametrize("direction", ["both", "forward", "backward"])
def test_terms_of_a_design_are_those_of_its_formula(data, name, which, direction):
    response, model = MODELS[name]
    by_formula = stepwise(model.from_formula(f"{response} ~ {FORMULAS[name]}", data), which, direction)
    x, terms = made_elsewhere(data, f"y ~ {FORMULAS[name]}")
    found = stepwise(model(data[response], x), which, direction, terms=terms)
    assert found.terms == by_formula.terms
    assert list(found.path["action"]) == list(by_formula.path["action"])
    np.testing.assert_allclose(found.path["criterion"], by_formula.path["criterion"], rtol=1e-7)
    params = np.ravel(found.results.params)
    np.testing.assert_allclose(params, np.ravel(by_formula.results.params), rtol=1e-6)


def test_columns_in_no_term_are_always_in(data):
    x = sm.add_constant(data[["x1", "x2", "x3", "x4"]])
    found = stepwise(FirthLogit(data["y"], x), "bic", terms={"pair": ["x1", "x2"], "x3": "x3"})
    assert found.terms == ["pair"]
    assert list(found.results.params.index) == ["const", "x1", "x2", "x4"]
    alone = stepwise(FirthLogit(data["y"], x.drop(columns="const")), "bic", "forward", terms={"x3": ["x3"]}).results
    assert list(alone.params.index) == ["x1", "x2", "x4"]
    # Of a formula too, which then says nothing of terms.
    model = FirthLogit.from_formula("y ~ x1 + x3", data)
    assert list(stepwise(model, "bic", terms={"only": "x3"}).results.params.index) == ["Intercept", "x1"]


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        (["x1"], r"^terms must map names of terms to lists of columns, got list\.$"),
        ({"a": ["x1", "z"]}, r"^each of terms must be some of the columns \(const, x1, x2\); 'a' is \(x1, z\)\.$"),
        ({"a": []}, r"; 'a' is \(\)\.$"),
        ({"a": ["x1"], "b": ["x2", "x1"]}, r"^terms has the column 'x1' twice, in 'a' and 'b'; leave one\.$"),
        ({"a": ["x1", "x1"]}, r"'x1' twice, in 'a' and 'a'"),
        ({"a": 3.5}, r"'a' is \(3\.5\)"),
    ],
)
def test_terms_that_are_none_are_refused(data, terms, message):
    model = FirthLogit(data["y"], sm.add_constant(data[["x1", "x2"]]))
    with pytest.raises(InputError, match=message):
        stepwise(model, terms=terms)


def test_a_parameter_has_its_price(data):
    model = FirthLogit.from_formula("y ~ x1 + x2 + x3 + x4", data)
    pd.testing.assert_frame_equal(stepwise(model, 2).path, stepwise(model, "aic").path)
    pd.testing.assert_frame_equal(stepwise(model, np.log(120)).path, stepwise(model, "bic").path)
    assert len(stepwise(model, 0).terms) == 4
    assert stepwise(model, 1e6).terms == []
    for odd in (-1, np.nan, np.inf):
        with pytest.raises(InputError, match="criterion, if it is a number, must be finite and at least 0, got"):
            stepwise(model, odd)
    for odd in ("cp", True, None):
        with pytest.raises(InputError, match="criterion must be one of"):
            stepwise(model, odd)
