"""Bradley–Terry fits with random effects compared with BradleyTerry2 (quasi-likelihood) and lme4 (Laplace)."""

import numpy as np
import pandas as pd
import pytest

from pwcstats import BradleyTerry, InputError, SeparationWarning

from .conftest import stored
from .parity import BRADLEY_TERRY_MIXED

# The stored numbers have all digits; the last ones depend on the BLAS.
SAME_R = 1e-6
SHAPE = "Q('throat.PC1') + Q('throat.PC3') + Q('head.length') + SVL"


@pytest.fixture(params=["stored", pytest.param("live", marks=pytest.mark.against_r)])
def from_r(request, run_r):
    name = "bradley_terry_mixed"
    return stored(name) if request.param == "stored" else run_r(name)


def close(ours, theirs, name):
    tolerance = BRADLEY_TERRY_MIXED[name].tolerance
    np.testing.assert_allclose(np.asarray(ours, float), np.asarray(theirs, float), rtol=tolerance, atol=tolerance)


def agrees(res, theirs, name, se_name=None):
    """Coefficients, sigma and predictions; standard errors with a tolerance of their own."""
    assert res.converged
    close(res.params, np.atleast_1d(theirs["coef"]), name)
    close(res.sigma, theirs["sigma"], name)
    close(res.random_effects()["effect"], theirs["random"], name)
    close(res.bse, np.atleast_1d(theirs["se"]), se_name or name)
    if res.sigma > 0.0:
        close(res.variance_component().std_error, theirs["sigma_se"], se_name or name)
    if "loglik" in theirs:
        close(res.llf, theirs["loglik"], "loglik")


def flatlizards(from_r):
    theirs = from_r["flatlizards"]
    model = BradleyTerry.from_comparisons(winner=theirs["winner"], loser=theirs["loser"])
    columns = {name: [np.nan if x == "NA" else x for x in column] for name, column in theirs["covariates"].items()}
    return model, pd.DataFrame(columns, index=theirs["items"]).astype(float), theirs


def test_flat_lizards_as_published_without_random_effects(from_r):
    """Lizard 96 never lost, so R stops on the way to infinity."""
    model, lizards, theirs = flatlizards(from_r)
    with pytest.warns(SeparationWarning, match="lizard096.* never lost"):
        res = model.fit(covariates=SHAPE, item_data=lizards)
    assert res.params.index[0] == "lizard099"
    close(res.params, theirs["fixed"]["coef"][1:], "flatlizards")
    close(res.bse, theirs["fixed"]["se"][1:], "flatlizards")
    close(res.aic, theirs["fixed"]["aic"], "flatlizards")
    assert res.abilities().loc["lizard096", "ability"] == np.inf


def test_flat_lizards_as_published(from_r):
    model, lizards, theirs = flatlizards(from_r)
    with pytest.warns(SeparationWarning, match="lizard096"):
        res = model.fit(covariates=SHAPE, item_data=lizards, random_effects="pql")
    pql = theirs["pql"]
    agrees(res, {**pql, "coef": pql["coef"][1:], "se": pql["se"][1:]}, "pql")
    # As printed in the vignette of BradleyTerry2.
    np.testing.assert_allclose(res.params.iloc[1:], [-8.689e-02, 3.735e-01, -1.382, 1.722e-01], rtol=1e-3)
    np.testing.assert_allclose(res.bse.iloc[1:], [4.120e-02, 1.527e-01, 7.390e-01, 1.373e-01], rtol=1e-3)
    assert res.sigma == pytest.approx(1.110, abs=5e-4)
    assert res.predict("lizard096", "lizard003") == 1.0


@pytest.mark.filterwarnings("ignore::pwcstats.errors.SeparationWarning")
def test_flat_lizards_have_no_likelihood_estimate(from_r):
    """Wins never form a cycle, so the likelihood rises as far as the approximation can be trusted."""
    model, lizards, _ = flatlizards(from_r)
    with pytest.raises(InputError, match="standard deviation of the random effects would be infinite"):
        model.fit(covariates=SHAPE, item_data=lizards, random_effects=True)


def test_chameleons(from_r):
    theirs = from_r["chameleons"]
    frame = pd.DataFrame({name: theirs[name] for name in ("winner", "loser", "winner_wins", "loser_wins")})
    model = BradleyTerry.from_comparisons(frame, "winner", "loser")
    items = pd.DataFrame(theirs["covariates"], index=theirs["items"])
    agrees(model.fit(covariates=items, random_effects="pql"), theirs["pql"], "pql")
    agrees(model.fit(covariates=items, random_effects="laplace"), theirs["laplace"], "laplace", "laplace_se")
    # With the wins in the two contests before, nothing is left to the random effects.
    contest = {"prev.wins.2": ("winner_wins", "loser_wins")}
    terms = ["prev.wins.2", "ch.res", "prop.main"]
    for kind, name in (("pql", "published"), ("laplace", "contest")):
        res = model.fit(covariates=items, contest=contest, random_effects=kind)
        assert res.sigma == theirs[name]["sigma"] == 0.0
        close(res.params[terms], theirs[name]["coef"], "pql")
        close(res.bse[terms], theirs["published"]["se"], "pql")
    close(res.llf, theirs["contest"]["loglik"], "loglik")


def test_baseball_with_home_advantage(from_r):
    theirs = from_r["baseball"]
    frame = pd.DataFrame(theirs["data"])
    model = BradleyTerry.from_comparisons(frame, first="home.team", second="away.team", wins=("home.wins", "away.wins"))
    for kind in ("pql", "laplace"):
        res = model.fit(order_effect=True, random_effects=kind)
        assert list(res.params.index) == ["(order)"]
        agrees(res, theirs[kind], kind, f"{kind}_se" if kind == "laplace" else None)


def test_simulated_items(from_r):
    theirs = from_r["simulated"]
    frame = pd.DataFrame({name: theirs[name] for name in ("first", "second", "result")})
    frame["winner"] = np.where(frame["result"] == 1, frame["first"], frame["second"])
    model = BradleyTerry.from_comparisons(frame, first="first", second="second", winner="winner")
    items = pd.DataFrame(theirs["covariates"], index=theirs["items"])
    agrees(model.fit(covariates=items, random_effects="pql"), theirs["pql"], "pql")
    agrees(model.fit(covariates=items, random_effects="laplace"), theirs["laplace"], "laplace", "laplace_se")
    agrees(model.fit(random_effects="pql"), theirs["only"], "pql")


@pytest.mark.against_r
def test_stored_answers_are_what_r_says_now(run_r):
    now, then = run_r("bradley_terry_mixed"), stored("bradley_terry_mixed")
    for name, kind in (("chameleons", "pql"), ("chameleons", "laplace"), ("baseball", "laplace"), ("simulated", "pql")):
        np.testing.assert_allclose(now[name][kind]["coef"], then[name][kind]["coef"], rtol=0, atol=SAME_R)
        np.testing.assert_allclose(now[name][kind]["sigma"], then[name][kind]["sigma"], rtol=0, atol=SAME_R)
