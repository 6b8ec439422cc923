"""Bradley–Terry fits compared with BradleyTerry2, brglm, psychotools, VGAM, qvcalc and sandwich."""

import numpy as np
import pandas as pd
import pytest

from pwcstats import BradleyTerry

from .conftest import stored
from .parity import BRADLEY_TERRY

# The stored numbers have all digits; the last ones depend on the BLAS.
SAME_R = 1e-6


@pytest.fixture(params=["stored", pytest.param("live", marks=pytest.mark.against_r)])
def from_r(request, run_r):
    return stored("bradley_terry") if request.param == "stored" else run_r("bradley_terry")


def close(ours, theirs, name):
    tolerance = BRADLEY_TERRY[name].tolerance
    np.testing.assert_allclose(np.asarray(ours, float), np.asarray(theirs, float), rtol=tolerance, atol=tolerance)


def agrees(res, theirs, name, terms=None):
    """Coefficients and standard errors in the order of R, and the deviance if it is based on the same rows."""
    params, bse = res.params, res.bse
    if terms is not None:
        params, bse = params[terms], bse[terms]
    close(params, theirs["coef"], name)
    close(bse, theirs["se"], name)


def baseball(from_r):
    frame = pd.DataFrame(from_r["baseball"]["data"])
    return BradleyTerry.from_comparisons(frame, first="home.team", second="away.team", wins=("home.wins", "away.wins"))


def test_baseball(from_r):
    theirs = from_r["baseball"]
    res = baseball(from_r).fit(ref="Baltimore")
    assert [f"team{name}" for name in res.params.index] == theirs["plain"]["term"]
    agrees(res, theirs["plain"], "baseball")
    close(res.deviance, theirs["plain"]["deviance"], "baseball")
    assert res.df_resid == theirs["plain"]["df_residual"]


def test_home_advantage_and_its_test(from_r):
    theirs = from_r["baseball"]
    model = baseball(from_r)
    res = model.fit(order_effect=True, ref="Baltimore")
    assert res.params.index[-1] == "(order)"
    agrees(res, theirs["home"], "home")
    close(res.deviance, theirs["home"]["deviance"], "home")
    assert res.df_resid == theirs["home"]["df_residual"]
    test = res.lr_test(model.fit())
    close([test.statistic, test.p_value], [theirs["lr"]["statistic"], theirs["lr"]["p"]], "home")
    abilities = res.abilities()
    close(abilities["ability"], theirs["abilities"], "home")
    close(abilities["std_error"], theirs["abilities_se"], "home")


def test_quasi_variances(from_r):
    theirs = from_r["baseball"]
    frame = baseball(from_r).fit(order_effect=True, ref="Baltimore").quasi_variances()
    assert list(frame.index) == theirs["quasi_items"]
    close(frame["quasi_variance"], theirs["quasi_variance"], "quasi")


def test_firth_with_home_advantage(from_r):
    res = baseball(from_r).fit("firth", order_effect=True, ref="Baltimore")
    agrees(res, from_r["baseball"]["firth"], "firth")


def test_citations(from_r):
    theirs = from_r["citations"]
    wins = pd.DataFrame(theirs["wins"], index=theirs["items"], columns=theirs["items"])
    res = BradleyTerry(wins).fit(ref="Biometrika")
    agrees(res, theirs["fit"], "citations")
    close(res.deviance, theirs["fit"]["deviance"], "citations")
    bounds = res.conf_int(method="profile")
    close(bounds[0], theirs["profile_low"], "profile")
    close(bounds[1], theirs["profile_high"], "profile")


def test_ice_hockey(from_r):
    theirs = from_r["icehockey"]
    frame = pd.DataFrame(theirs["data"])
    frame["winner"] = frame["result"].map({1.0: "visitor", 0.0: "opponent", 0.5: "tie"})
    # In R the home team is the second player, and here it is the first.
    columns = {"first": "opponent", "second": "visitor", "winner": "winner", "tie": "tie"}
    model = BradleyTerry.from_comparisons(frame, **columns, neutral=~frame["home.ice"])
    teams = [term.removeprefix("team") for term in theirs["plain"]["term"]]
    (ref,) = set(model.items) - set(teams)
    agrees(model.fit(ties="half", ref=ref), theirs["plain"], "icehockey", terms=teams)
    agrees(model.fit(ties="half", order_effect=True, ref=ref), theirs["home"], "icehockey", terms=[*teams, "(order)"])


def test_chameleons_by_covariates(from_r):
    theirs = from_r["chameleons"]
    items = pd.DataFrame({"ch.res": theirs["ch.res"], "prop.main": theirs["prop.main"]}, index=theirs["items"])
    model = BradleyTerry.from_comparisons(winner=theirs["winner"], loser=theirs["loser"])
    for res in (
        model.fit(covariates=items),
        model.fit(covariates="Q('ch.res') + Q('prop.main')", item_data=items.sample(frac=1, random_state=0)),
    ):
        agrees(res, theirs["fit"], "chameleons")
    agrees(model.fit("firth", covariates=items), theirs["firth"], "firth")


# The groups have different sizes, of which the fit warns.
@pytest.mark.filterwarnings("ignore::pwcstats.errors.FewClustersWarning")
def test_sandwich(from_r):
    theirs = from_r["sandwich"]
    frame = pd.DataFrame(theirs["data"])
    frame["winner"] = np.where(frame["won"] == 1, frame["first"], frame["second"])
    model = BradleyTerry.from_comparisons(frame, first="first", second="second", winner="winner")
    close(model.fit(ref="a").params, theirs["coef"], "sandwich")
    close(model.fit(ref="a", cov_type="HC0").bse, theirs["hc0"], "sandwich")
    kwds = {"groups": "voter", "use_correction": False}
    close(model.fit(ref="a", cov_type="cluster", cov_kwds=kwds).bse, theirs["cluster"], "sandwich")


def test_psychotools_without_ties(from_r):
    theirs = from_r["sound"]
    items = theirs["items"]
    wins = pd.DataFrame(0.0, index=items, columns=items)
    for pair, (a, b) in zip(theirs["pairs"], theirs["counts"], strict=True):
        i, j = (name.strip() for name in pair.split(":"))
        wins.loc[i, j], wins.loc[j, i] = a, b
    res = BradleyTerry(wins).fit(ref=items[-1])
    assert list(res.params.index) == theirs["term"]
    agrees(res, theirs, "psychotools")
    close(res.llf, theirs["loglik"], "psychotools")


def test_davidson_is_psychotools_with_ties(from_r):
    theirs = from_r["schools"]
    frame = pd.DataFrame(theirs["data"])
    model = BradleyTerry.from_comparisons(frame, first="school1", second="school2", wins=("win1", "win2", "tied"))
    res = model.fit(ties="davidson", ref="Stockholm")
    agrees(res, theirs, "davidson", terms=[*theirs["items"][:-1], "(tie)"])
    close(res.llf, theirs["loglik"], "davidson")


def test_vgam(from_r):
    theirs = from_r["brat"]
    wins = np.array([[np.nan if x == "NA" else x for x in row] for row in theirs["wins"]], float)
    res = BradleyTerry(np.nan_to_num(wins)).fit(ref=0)
    close(np.exp(res.params), theirs["worth"], "brat")
    theirs = from_r["bratt"]
    wins, ties = (
        np.array([[0 if x == "NA" else x for x in row] for row in theirs[name]], float) for name in ("wins", "ties")
    )
    res = BradleyTerry(wins, ties).fit(ties="davidson", ref=0)
    close([*np.exp(res.params[:2]), res.tie_parameter().estimate], theirs["worth"], "bratt")


@pytest.mark.against_r
def test_stored_answers_are_what_r_says_now(run_r):
    now, then = run_r("bradley_terry"), stored("bradley_terry")
    for path in (
        ("baseball", "home"),
        ("baseball", "firth"),
        ("icehockey", "home"),
        ("chameleons", "fit"),
        ("schools",),
    ):
        a, b = now, then
        for name in path:
            a, b = a[name], b[name]
        np.testing.assert_allclose(a["coef"], b["coef"], rtol=0, atol=SAME_R)
        np.testing.assert_allclose(a["se"], b["se"], rtol=0, atol=SAME_R)
