"""Logit models against brglm2, VGAM, MASS and stats, stored and live."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from pwcstats import (
    AdjacentCategories,
    ContinuationRatio,
    FirthLogit,
    FirthMNLogit,
    OrderedLogit,
    detect_separation,
    stepwise,
)

from .conftest import stored
from .parity import LOGIT


@pytest.fixture(params=["stored", pytest.param("live", marks=pytest.mark.against_r)])
def from_r(request, run_r):
    return stored("logit") if request.param == "stored" else run_r("logit")


def close(ours, theirs, name):
    tolerance = LOGIT[name].tolerance
    np.testing.assert_allclose(np.asarray(ours, float), np.asarray(theirs, float), rtol=tolerance, atol=tolerance)


def agrees(res, theirs):
    close(res.params, theirs["coef"], "firth")
    close(res.bse, theirs["se"], "firth")
    close(res.llf_unpenalized, theirs["loglik"], "firth")


def test_endometrial(from_r):
    r = from_r["endometrial"]
    data = pd.DataFrame(r["data"])
    agrees(FirthLogit.from_formula("HG ~ NV + PI + EH", data).fit(), r["firth"])
    # R's standard error of NV grows with every step.
    infinite = np.array(r["se_ratios"]) > 10
    found = detect_separation(data["HG"], sm.add_constant(data[["NV", "PI", "EH"]]))
    assert found.columns == ["NV"] == list(np.array(["const", "NV", "PI", "EH"])[infinite])
    assert found.kind == "quasi-complete"
    assert found.directions.loc["NV", 1] == np.inf
    np.testing.assert_array_equal(found.rows, data["NV"] == 1)


def test_limits_of_a_separated_fit_are_the_finite_rest(from_r):
    """Without the cases of NV = 1, all of which are predicted, the other estimates are those of the rest."""
    from pwcstats import SeparationWarning

    data = pd.DataFrame(from_r["endometrial"]["data"])
    with pytest.warns(SeparationWarning, match=r"quasi-complete separation .*\(NV\)"):
        res = ContinuationRatio(data["HG"], data[["NV", "PI", "EH"]]).fit()
    assert res.params["NV:1"] == np.inf == res.bse["NV:1"]
    ml = np.array(from_r["endometrial"]["ml"])
    rest = sm.Logit.from_formula("HG ~ PI + EH", data[data["NV"] == 0]).fit(disp=0)
    finite = ["const:1", "PI:1", "EH:1"]
    np.testing.assert_allclose(res.params[finite], rest.params, rtol=1e-7)
    np.testing.assert_allclose(res.bse[finite], rest.bse, rtol=1e-6)
    assert res.llf == pytest.approx(rest.llf, abs=1e-9)
    # And this is not what all rows say without NV.
    assert np.abs(res.params[finite].to_numpy() - ml[:, 0]).max() > 0.1


def test_lizards(from_r):
    r = from_r["lizards"]
    wide = pd.DataFrame(r["data"])
    data = pd.concat([wide.assign(y=1, n=wide["grahami"]), wide.assign(y=0, n=wide["opalinus"])])
    formula = (
        "y ~ C(height, levels=['<5ft', '>=5ft']) + C(diameter, levels=['<=2in', '>2in'])"
        " + C(light, levels=['sunny', 'shady']) + C(time, levels=['early', 'midday', 'late'])"
    )
    counts = formula.replace("y ~", "grahami + opalinus ~")
    for res in (
        FirthLogit.from_formula(formula, data, freq_weights=data["n"].to_numpy()).fit(),
        FirthLogit.from_formula(counts, wide).fit(),
    ):
        close(res.params, r["firth"]["coef"], "firth")
        close(res.bse, r["firth"]["se"], "firth")


def test_random_data(from_r):
    """Twelve sets, separated ones among them, each with and without weights and offsets."""
    kinds, lower = [], []
    for case, r in enumerate(from_r["random"]):
        data = pd.DataFrame(r["data"])
        plain = FirthLogit.from_formula("y ~ x1 + x2 + x3", data)
        weighted = FirthLogit.from_formula(
            "y ~ x1 + x2 + x3", data, freq_weights=data["w"].to_numpy(), offset=data["off"].to_numpy()
        )
        kinds.append(detect_separation(data["y"], plain.exog).kind)
        for model, name in ((plain, "plain"), (weighted, "weighted")):
            res = model.fit()
            if res.llf > model.loglike(r[name]["coef"]) + 1e-6:
                # brglm2 ended at a lower maximum.
                lower.append((case, name))
                continue
            close(res.params, r[name]["coef"], "firth")
            close(res.bse, r[name]["se"], "firth")
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {"complete": 4, "quasi-complete": 4, "none": 4}
    assert lower == [(2, "weighted")]


def test_alligators(from_r):
    r = from_r["alligators"]
    data = pd.DataFrame(r["data"])
    data["foodchoice"] = pd.Categorical(data["foodchoice"], ["Fish", *r["classes"]])
    formula = (
        "foodchoice ~ C(size, levels=['<=2.3', '>2.3']) + C(lake, levels=['Hancock', 'Oklawaha', 'Trafford', 'George'])"
    )
    res = FirthMNLogit.from_formula(formula, data, freq_weights=data["freq"].to_numpy()).fit()
    # R's rows are classes, its standard errors go class by class.
    close(np.asarray(res.params).T, r["coef"], "multinomial")
    close(np.asarray(res.bse).ravel(order="F"), r["se"], "multinomial")
    assert res.llf_unpenalized == pytest.approx(r["loglik"], abs=1e-6)


def test_separated_classes(from_r):
    r = from_r["three"]
    data = pd.DataFrame(r["data"])
    assert detect_separation(data["y"], sm.add_constant(data[["x1", "x2"]])).kind == "complete"
    res = FirthMNLogit.from_formula("y ~ x1 + x2", data).fit()
    close(np.asarray(res.params).T, r["coef"], "multinomial")
    close(np.asarray(res.bse).ravel(order="F"), r["se"], "multinomial")


def miners(r):
    wide = pd.DataFrame(r["pneumo"]["data"])
    long = wide.melt("exposure.time", ["normal", "mild", "severe"], "lungs", "n")
    return np.log(long[["exposure.time"]]), long["lungs"], long["n"], wide


@pytest.mark.parametrize("direction", ["backward", "forward"])
@pytest.mark.parametrize("parallel", [False, True])
def test_miners(from_r, direction, parallel):
    x, y, n, wide = miners(from_r)
    r = from_r["pneumo"][direction + ("_parallel" if parallel else "")]
    order = ["normal", "mild", "severe"]
    res = ContinuationRatio(y, x, direction, parallel=parallel, freq_weights=n, categories=order).fit()
    # R's order: the intercepts, then the slopes.
    places = [0, 1, 2] if parallel else [0, 2, 1, 3]
    name = "ratio" if direction == "backward" else "forward"
    close(res.params.iloc[places], r["coef"], name)
    close(res.bse.iloc[places], r["se"], name)
    close(res.predict(np.log(wide[["exposure.time"]])), r["fitted"], name)
    # cratio is about the complements.
    if not parallel:
        other = from_r["pneumo"]["cratio_reverse" if direction == "backward" else "cratio"]
        close(-res.params.iloc[places], other["coef"], name)


def test_parallel_slopes_of_miners(from_r):
    x, y, n, _ = miners(from_r)
    for direction in ("backward", "forward"):
        r = [from_r["pneumo"][direction + which]["loglik"] for which in ("", "_parallel")]
        model = ContinuationRatio(y, x, direction, freq_weights=n, categories=["normal", "mild", "severe"])
        test = model.fit().parallel_test()
        assert test.statistic == pytest.approx(2 * (r[0] - r[1]), abs=1e-6)
        assert test.df == 1


def test_housing(from_r):
    r = from_r["housing"]
    data = pd.DataFrame(r["data"])
    for name, levels in {
        "Sat": ["Low", "Medium", "High"],
        "Infl": ["Low", "Medium", "High"],
        "Type": ["Tower", "Apartment", "Atrium", "Terrace"],
        "Cont": ["Low", "High"],
    }.items():
        data[name] = pd.Categorical(data[name], levels, ordered=name == "Sat")
    res = OrderedLogit.from_formula("Sat ~ Infl + Type + Cont", data).fit()
    close(res.params.iloc[:6], r["coef"], "ordered")
    close(res.thresholds, r["zeta"], "ordered")
    close(res.bse.iloc[:6], r["se"][:6], "ordered")
    assert res.llf == pytest.approx(r["loglik"], abs=1e-7)


def test_weights_and_offsets_of_ordered_classes(from_r):
    r = from_r["odds"]
    data = pd.DataFrame(r["data"])
    data["y"] = pd.Categorical(data["y"], list("abcd"), ordered=True)
    weighted = OrderedLogit.from_formula("y ~ x1 + x2", data, freq_weights=data["w"], offset=data["off"]).fit()
    # R has the thresholds first.
    order = [2, 3, 4, 0, 1]
    close(weighted.params.iloc[order], r["weighted"]["clm"], "clm")
    close(weighted.bse.iloc[order], r["weighted"]["se"], "clm")
    close(weighted.llf, r["weighted"]["loglik"], "clm")
    close(weighted.params.iloc[order], r["weighted"]["polr"], "ordered")


def test_intervals_of_ordered_classes(from_r):
    r = from_r["odds"]["plain"]
    data = pd.DataFrame(from_r["odds"]["data"])
    data["y"] = pd.Categorical(data["y"], list("abcd"), ordered=True)
    res = OrderedLogit.from_formula("y ~ x1 + x2", data).fit()
    found = res.get_prediction(pd.DataFrame(r["new"]))
    close(found.predicted, r["fit"], "clm")
    close(found.se, r["se"], "clm")
    low, high = found.conf_int()
    close(low, r["low"], "clm")
    close(high, r["high"], "clm")
    close(res.conf_int(method="profile").iloc[:2], r["confint"], "clm profile")


@pytest.mark.parametrize("parallel", [False, True])
def test_adjacent_categories(from_r, parallel):
    r = from_r["odds"]["adjacent"]["parallel" if parallel else "separate"]
    data = pd.DataFrame(from_r["odds"]["data"])
    data["y"] = pd.Categorical(data["y"], list("abcd"), ordered=True)
    # R's order: the intercepts, then the slopes.
    order = np.arange(5) if parallel else np.arange(9).reshape(3, 3).T.ravel()
    model = AdjacentCategories.from_formula
    ml = model("y ~ x1 + x2", data, freq_weights="w", offset="off", parallel=parallel).fit()
    close(ml.params.iloc[order], r["ml"]["coef"], "acat")
    close(ml.bse.iloc[order], r["ml"]["se"], "acat")
    close(ml.llf, r["ml"]["loglik"], "acat")
    close(ml.predict(), r["ml"]["fitted"], "acat")
    firth = model("y ~ x1 + x2", data, freq_weights="w", penalty="firth", parallel=parallel).fit()
    close(-firth.params.iloc[order], r["firth"]["coef"], "bracl")
    close(firth.bse.iloc[order], r["firth"]["se"], "bracl")
    close(firth.llf_unpenalized, r["firth"]["loglik"], "bracl")


def test_step(from_r):
    r = from_r["birthwt"]
    data = pd.DataFrame(r["data"])
    formula = "low ~ age + lwt + C(race) + smoke + ptl + ht + ui + ftv"
    found = stepwise(sm.Logit.from_formula(formula, data), "aic")
    # patsy has factors first.
    assert sorted(term.replace("C(", "factor(") for term in found.terms) == sorted(r["terms"])
    assert list(found.path["action"]) == r["path"]
    close(found.path["criterion"], r["path_aic"], "step")
    assert found.results.aic == pytest.approx(r["aic"])
    backward = stepwise(sm.Logit.from_formula(formula, data), "bic", "backward")
    assert [term.replace("C(", "factor(") for term in backward.terms] == r["bic_terms"]
