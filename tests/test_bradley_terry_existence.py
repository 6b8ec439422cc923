"""Existence of the estimates is decided before the fit, always correctly, and errors name the items."""

import warnings

import numpy as np
import pandas as pd
import pytest

from pwcstats import BradleyTerry, InputError
from pwcstats.bradley_terry.existence import find_obstacle
from pwcstats.bradley_terry.likelihood import make_likelihood
from pwcstats.bradley_terry.spec import read_spec
from pwcstats.errors import Message

from . import reference_bradley_terry as reference
from .test_bradley_terry import NAMES, league, long_model

DEFAULTS = {
    "method": "mle",
    "ties": "none",
    "order_effect": False,
    "covariates": None,
    "item_data": None,
    "contest": None,
    "random_effects": None,
    "prior_sd": None,
    "pseudo": 0.5,
    "environment": None,
    "ref": None,
    "maxiter": 500,
}


def fits(model, **options):
    """Whether the fit succeeds; if so, it must have found a maximum without a warning."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            res = model.fit(**options)
    except InputError as error:
        if not any(part in str(error) for part in ("no maximum likelihood", "cannot be told", "not connected")):
            raise
        return False
    assert res.converged
    assert res.params.abs().max() < 50
    return True


@pytest.mark.parametrize("seed", range(60))
def test_ford_by_every_split(seed):
    rng = np.random.default_rng(seed)
    wins = (rng.random((5, 5)) < 0.35) * rng.integers(1, 4, size=(5, 5))
    np.fill_diagonal(wins, 0)
    wins[0, 1] = max(wins[0, 1], 1)
    assert fits(BradleyTerry(wins)) == reference.ford(wins)


def small_leagues(n_seeds, least, range_of_n, ties, order):
    """Leagues of four items with so few comparisons that a maximum may not exist; without trivial cases."""
    for seed in range(n_seeds):
        n = least + seed % range_of_n
        frame, rows = league(seed, n_items=4, n=n, ties=ties != "none", order=order)
        all_met = len(set(frame["first"]) | set(frame["second"])) == 4
        some_first = not order or frame["ordered"].any()
        some_tied = ties == "none" or 0 < frame["tie"].sum() < n
        if all_met and some_first and some_tied:
            yield seed, frame, rows


@pytest.mark.parametrize("ties", ["none", "davidson"])
@pytest.mark.parametrize("order", [False, True])
def test_order_and_ties_by_a_linear_programme(ties, order):
    """Cycles of the graph and the definition agree on tournaments for which both answers are common."""
    answers = []
    for seed, frame, rows in small_leagues(120, 6, 20, ties, order):
        expected = reference.exists(rows, 4, order=order, tie=ties == "davidson")
        assert fits(long_model(frame), ties=ties, order_effect=order) == expected, seed
        answers.append(expected)
    assert 0.15 < np.mean(answers) < 0.85


@pytest.mark.parametrize("ties", ["none", "davidson"])
@pytest.mark.parametrize("order", [False, True])
def test_covariates_by_a_linear_programme(ties, order):
    answers = []
    for seed, frame, rows in small_leagues(60, 4, 12, ties, order):
        z = np.random.default_rng(seed).normal(size=(4, 2))
        items = pd.DataFrame(z, index=NAMES[:4], columns=["u", "v"])
        expected = reference.exists(rows, 4, order=order, tie=ties == "davidson", z=z)
        assert fits(long_model(frame), ties=ties, order_effect=order, covariates=items) == expected, seed
        answers.append(expected)
    assert 0.15 < np.mean(answers) < 0.95


def long(*pairs):
    return BradleyTerry.from_comparisons(winner=[a for a, _ in pairs], loser=[b for _, b in pairs])


TIED = BradleyTerry.from_comparisons(winner=["a", "b"], loser=["b", "c"], tie=[True, True])


def test_obstacles_are_found_without_exceptions():
    for model, options, message in (
        (long(("a", "b"), ("b", "a")), {}, None),
        (long(("a", "b")), {}, "a never lost"),
        (long(("a", "b"), ("c", "d")), {"method": "firth"}, "not connected"),
        (TIED, {"ties": "davidson"}, "all comparisons are ties"),
        (TIED, {"ties": "davidson", "method": "firth"}, None),
        (long(("a", "b"), ("b", "a")), {"ties": "davidson"}, "no comparison is a tie"),
        (long(("a", "b"), ("b", "a")), {"ties": "davidson", "method": "firth"}, None),
    ):
        spec = read_spec(model._rows, None, **{**DEFAULTS, **options})
        obstacle = find_obstacle(spec, make_likelihood(spec, model._table(spec)))
        assert (obstacle is None) == (message is None)
        if obstacle is not None:
            assert message in Message(obstacle())


def test_undefeated_item_is_named_with_the_cure():
    model = long(("ace", "b"), ("ace", "c"), ("b", "c"), ("c", "b"))
    with pytest.raises(InputError, match="ace never lost .* method='firth'") as caught:
        model.fit()
    assert "{b, c}" not in str(caught.value)
    with pytest.raises(InputError, match=r"\{a, b\} never lost to any of the others, and zero never beat any"):
        long(("a", "b"), ("b", "a"), ("a", "c"), ("c", "d"), ("d", "c"), ("d", "zero")).fit()
    res = model.fit("firth")
    assert res.converged
    assert res.params.idxmax() == "ace"
    assert res.bse.max() < 5


def test_unconnected_items_are_named_and_firth_does_not_help():
    model = long(("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"))
    for method in ("mle", "firth"):
        with pytest.raises(InputError, match=r"2 groups .* \{a, b\}, \{c, d\}; add comparisons"):
            model.fit(method)


def test_many_items_are_named_by_the_first_few():
    wins = np.zeros((60, 60))
    wins[np.triu_indices(60, 1)] = 1
    with pytest.raises(InputError, match="never lost") as caught:
        BradleyTerry(wins).fit()
    assert len(str(caught.value)) < 500


def test_two_items_that_tie_and_one_wins_have_no_davidson_estimate():
    """The graph is strongly connected by the tie, but the likelihood has no maximum."""
    model = BradleyTerry.from_comparisons({"w": ["a", "a"], "l": ["b", "b"], "t": [0, 1]}, "w", "l", tie="t")
    with pytest.raises(InputError, match="tie parameter would be infinite"):
        model.fit(ties="davidson")
    assert model.fit("firth", ties="davidson").converged
    assert model.fit(ties="half").converged


def test_order_effect_that_only_ever_helps():
    frame = pd.DataFrame({"f": list("abcacb"), "s": list("bcabac"), "w": list("abcacb")})
    model = BradleyTerry.from_comparisons(frame, first="f", second="s", winner="w")
    with pytest.raises(InputError, match="order effect would be infinite"):
        model.fit(order_effect=True)
    assert model.fit("firth", order_effect=True).params["(order)"] > 1


def test_order_effect_that_is_the_same_as_an_item():
    frame = pd.DataFrame({"f": ["a", "a", "a"], "s": ["b", "b", "b"], "w": ["a", "b", "a"]})
    model = BradleyTerry.from_comparisons(frame, first="f", second="s", winner="w")
    for method in ("mle", "firth"):
        with pytest.raises(InputError, match="cannot be told from the abilities"):
            model.fit(method, order_effect=True)
    assert model.fit().converged


def test_order_effect_needs_somebody_to_go_first():
    with pytest.raises(InputError, match="one item went first; pass first to from_comparisons"):
        BradleyTerry([[0, 2], [1, 0]]).fit(order_effect=True)


def test_covariate_that_adds_nothing():
    model = long(("a", "b"), ("b", "c"), ("c", "a"), ("a", "c"))
    items = pd.DataFrame({"u": [1.0, 2.0, 4.0], "same": [5.0, 5.0, 5.0]}, index=list("abc"))
    with pytest.raises(InputError, match="covariate 'same' is not identified"):
        model.fit(covariates=items)
    with pytest.raises(InputError, match="covariate 'twice' is not identified"):
        model.fit("firth", covariates=items[["u"]].assign(twice=2 * items["u"] + 1))


def test_covariate_that_predicts_everything():
    model = long(("a", "b"), ("b", "c"), ("a", "c"))
    items = pd.DataFrame({"u": [3.0, 2.0, 1.0]}, index=list("abc"))
    with pytest.raises(InputError, match="'u' is never on the losing side"):
        model.fit(covariates=items)
    assert np.isfinite(model.fit("firth", covariates=items).bse["u"])


def test_a_steep_but_finite_league_converges():
    """A chain in which each item beats the next 10,000 times and loses once."""
    wins = np.zeros((30, 30))
    i = np.arange(29)
    wins[i, i + 1], wins[i + 1, i] = 10_000, 1
    res = BradleyTerry(wins).fit()
    np.testing.assert_allclose(-np.diff(res.params), np.log(10_000), rtol=1e-9)
    variance = (1 + 1e-4) ** 2 / 1e-4 / 10_001
    assert res.contrast(0, 29).std_error == pytest.approx(np.sqrt(29 * variance), rel=1e-6)


def test_long_thin_graphs_are_no_obstacle():
    """A chain of 3000 items, for which conjugate gradients would need thousands of steps."""
    n = 3000
    rng = np.random.default_rng(0)
    down, up = rng.integers(1, 9, size=n - 1), rng.integers(1, 9, size=n - 1)
    names = [f"i{k:04d}" for k in range(n)]
    frame = pd.DataFrame({"x": names[:-1], "y": names[1:], "a": down, "b": up})
    model = BradleyTerry.from_comparisons(frame, first="x", second="y", wins=("a", "b"))
    res = model.fit(cov="none")
    np.testing.assert_allclose(-np.diff(res.params), np.log(down / up), rtol=0, atol=1e-6)
    total = (1 / down + 1 / up).sum()
    assert res.contrast("i0000", "i2999").std_error == pytest.approx(np.sqrt(total), rel=1e-6)


def test_convergence_is_reported():
    from pwcstats import ConvergenceWarning

    frame, _ = league(1)
    model = BradleyTerry.from_comparisons(frame, winner="winner", loser="loser")
    with pytest.warns(ConvergenceWarning, match=r"did not converge \(stopped after 1 step\), .*raise maxiter"):
        res = model.fit(maxiter=1)
    assert not res.converged
    assert "stopped after 1 step" in res.reason
