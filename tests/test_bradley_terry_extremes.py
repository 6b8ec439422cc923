"""Undefeated items, huge counts and abilities that are far apart, for which Firth's penalty is recommended."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq, minimize_scalar

from pwcstats import BradleyTerry, ConvergenceWarning, InputError, SeparationWarning

from .reference_bradley_terry import Slow, firth_step

# Closed forms of two items, log((a + 1/2) / (b + 1/2)) with Firth's penalty: rounding of logarithms up to 710.
CLOSED_FORM = 1e-9
# The steps of Firth's method end at 1e-11; rounding of counts up to 1e5 is added to this.
FIRTH = 1e-9
# Rounding of counts up to 1e14 that are added to single comparisons.
LARGE_COUNTS = 1e-5
# Estimates of a chain are log odds of single pairs; after the last Newton step the error is the square of 1e-5.
CHAIN = 1e-9


def difference(res):
    return res.params.iloc[0] - res.params.iloc[1]


def with_zero():
    few, many = range(1, 301), np.unique(np.geomspace(301, 1e6, 300).astype(int))
    return [*few, *map(int, many), *(10.0**k for k in range(7, 309, 7)), 1.7e308]


def test_firth_of_an_undefeated_item():
    for n in with_zero():
        res = BradleyTerry([[0, n], [0, 0]]).fit("firth")
        assert res.converged, n
        assert difference(res) == pytest.approx(np.log(n + 0.5) - np.log(0.5), abs=CLOSED_FORM), n
        assert np.isfinite(res.bse).all()


@pytest.mark.parametrize(("a", "b"), [(50, 1), (100, 3), (3000, 100), (1e300, 1), (1e-300, 1e-305), (1e308, 7e307)])
def test_two_items(a, b):
    firth = BradleyTerry([[0, a], [b, 0]]).fit("firth", cov="none")
    assert difference(firth) == pytest.approx(np.log(a + 0.5) - np.log(b + 0.5), abs=CLOSED_FORM)
    mle = BradleyTerry([[0, a], [b, 0]]).fit(cov="none")
    assert difference(mle) == pytest.approx(np.log(a) - np.log(b), abs=CLOSED_FORM)
    assert firth.converged
    assert mle.converged


@pytest.mark.parametrize(("a", "b"), [(20, 0), (50, 1), (10**6, 0), (10**9, 0), (1e16, 0)])
def test_profile_intervals_of_two_items(a, b):
    """The penalised likelihood of two items is the likelihood with half a win added for each."""

    def fall(d):
        best = np.log(a + 0.5) - np.log(b + 0.5)
        value, top = (-(a + 0.5) * np.logaddexp(0, -x) - (b + 0.5) * np.logaddexp(0, x) for x in (d, best))
        return top - value - 0.5 * stats.chi2.isf(0.05, 1)

    res = BradleyTerry([[0, a], [b, 0]]).fit("firth", ref=1)
    low, high = res.conf_int(method="profile").iloc[0]
    best = res.params.iloc[0]
    assert low == pytest.approx(brentq(fall, best - 20, best), abs=CLOSED_FORM)
    assert high == pytest.approx(brentq(fall, best, best + 40), abs=CLOSED_FORM)


def test_firth_of_one_item_that_won_all_its_games():
    rng = np.random.default_rng(0)
    for _ in range(200):
        k = int(rng.integers(3, 6))
        wins = rng.poisson(5, (k, k)).astype(float)
        wins[0, 1:], wins[1:, 0] = rng.multinomial(500, np.full(k - 1, 1 / (k - 1))), 0
        np.fill_diagonal(wins, 0)
        res = BradleyTerry(wins).fit("firth")
        assert res.converged
        np.testing.assert_allclose(firth_step(wins, res.params), 0, atol=FIRTH)


@pytest.mark.parametrize("seed", range(8))
def test_firth_with_ties_and_order_effect(seed):
    rng = np.random.default_rng(seed)
    rows = [
        (0, j, 1, outcome, w) for j in (1, 2, 3) for outcome, w in (("win", 10.0 ** rng.uniform(1, 5)), ("tie", 2.0))
    ]
    rows += [(j, 0, 1, "loss", 10.0 ** rng.uniform(1, 5)) for j in (1, 2, 3)]
    rows += [(i, j, 1, "win", float(rng.integers(1, 9))) for i in (1, 2, 3) for j in (1, 2, 3) if i != j]
    frame = pd.DataFrame(rows, columns=["first", "second", "ordered", "outcome", "weight"])
    frame["winner"] = np.where(frame["outcome"] == "win", frame["first"], frame["second"])
    frame["tie"] = frame["outcome"] == "tie"
    model = BradleyTerry.from_comparisons(frame, "winner", first="first", second="second", weight="weight", tie="tie")
    res = model.fit("firth", ties="davidson", order_effect=True, ref=0)
    assert res.converged
    slow = Slow(rows, 4, order=True, tie=True)
    step = np.linalg.solve(slow.information(res.params.to_numpy()), slow.penalised_score(res.params.to_numpy()))
    # Central differences of a penalised likelihood of up to 1e6.
    np.testing.assert_allclose(step, 0, atol=1e-4)


@st.composite
def tables(draw, largest):
    """Contradictory counts of very different sizes in a connected graph."""
    k = draw(st.integers(2, 5))
    counts = st.one_of(st.just(0.0), st.floats(0, largest).map(lambda x: float(np.floor(10.0**x))))
    wins = np.array([[draw(counts) for _ in range(k)] for _ in range(k)])
    np.fill_diagonal(wins, 0)
    chain = np.arange(k - 1)
    wins[chain, chain + 1] = np.maximum(wins[chain, chain + 1], 1)
    return wins


@pytest.mark.slow
# An item between two others that met 1e13 times has a finite ability, but a standard error above 100.
@pytest.mark.filterwarnings("ignore:the estimates of .* are practically infinite")
@settings(max_examples=200, deadline=None)
@example(np.array([[0.0, 1.0, 1e13], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))
@given(tables(14))
def test_firth_of_any_counts_that_double_precision_can_add(wins):
    res = BradleyTerry(wins).fit("firth")
    assert res.converged
    np.testing.assert_allclose(firth_step(wins, res.params), 0, atol=LARGE_COUNTS)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(tables(307))
def test_firth_of_any_counts_is_right_or_warns(wins):
    """Counts that differ by hundreds of orders of magnitude: no crash, and no wrong estimate without a warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            res = BradleyTerry(wins).fit("firth")
        except InputError as error:
            assert "singular to working precision" in str(error)  # noqa: PT017
            return
    assert {w.category for w in caught} <= {ConvergenceWarning, SeparationWarning}
    assert res.converged == (ConvergenceWarning not in {w.category for w in caught})
    if res.converged:
        np.testing.assert_allclose(firth_step(wins, res.params, digits=700), 0, atol=LARGE_COUNTS)


def test_too_few_comparisons_for_firth_are_said():
    with pytest.warns(SeparationWarning, match=r"estimates of \(0, 1\) are practically infinite .*too few comparisons"):
        BradleyTerry([[0, 1e-9], [0, 0]]).fit("firth")


def test_counts_beyond_the_largest_number_are_refused():
    with pytest.raises(InputError, match="add up to more than the largest number"):
        BradleyTerry([[0, 1e308], [1e308, 0]])


def test_advice_on_convergence_applies():
    wins = [[0, 5, 0, 5], [6e196, 0, 2e106, 0], [5, 5, 0, 5], [0, 0, 1e219, 0]]
    with pytest.warns(ConvergenceWarning, match="differ by too many orders of magnitude.*leave out pairs"):
        BradleyTerry(wins).fit("firth")
    with pytest.warns(ConvergenceWarning, match=r"\(stopped after 1 step\), so .*; raise maxiter"):
        BradleyTerry([[0, 50], [1, 0]]).fit(maxiter=1)


def chain(n, spread, seed=0):
    rng = np.random.default_rng(seed)
    d = rng.normal(scale=spread, size=n - 1)
    games, p = 10 ** rng.uniform(1, 4, n - 1), 1 / (1 + np.exp(-d))
    a, b = np.maximum(np.round(games * p), 1), np.maximum(np.round(games * (1 - p)), 1)
    frame = pd.DataFrame({"x": np.arange(n - 1), "y": np.arange(1, n), "a": a, "b": b})
    return frame, BradleyTerry.from_comparisons(frame, first="x", second="y", wins=("a", "b"))


@pytest.mark.parametrize("spread", [0.1, 1, 3, 8])
def test_a_chain_of_abilities_that_are_far_apart(spread):
    frame, model = chain(2000, spread)
    res = model.fit(cov="none")
    assert res.converged
    assert res.n_iter < 20
    np.testing.assert_allclose(-np.diff(res.params), np.log(frame["a"] / frame["b"]), rtol=0, atol=CHAIN)


def test_standard_errors_of_a_chain():
    frame, model = chain(200, 3)
    res = model.fit(ref=0)
    exact = np.sqrt(np.cumsum(1 / frame["a"] + 1 / frame["b"]))
    np.testing.assert_allclose(res.bse, exact, rtol=1e-7)


@pytest.mark.parametrize("spread", [1, 3])
def test_a_ring_that_contradicts_itself(spread):
    n, rng = 2000, np.random.default_rng(3)
    games = 10 ** rng.uniform(1, 4, n)
    p = 1 / (1 + np.exp(-rng.normal(scale=spread, size=n)))
    a, b = np.maximum(np.round(games * p), 1), np.maximum(np.round(games * (1 - p)), 1)
    i, j = np.arange(n), (np.arange(n) + 1) % n
    frame = pd.DataFrame({"x": i, "y": j, "a": a, "b": b})
    res = BradleyTerry.from_comparisons(frame, first="x", second="y", wins=("a", "b")).fit(cov="none")
    assert res.converged
    ability = res.params.to_numpy()
    residual = a - (a + b) / (1 + np.exp(ability[j] - ability[i]))
    np.testing.assert_allclose(np.bincount(i, residual) - np.bincount(j, residual), 0, atol=1e-7)


def test_a_weak_link_between_strong_groups():
    """A Cholesky factor would lose the one comparison that joins two pairs of 1e20 games."""
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[1, 0] = wins[2, 3] = wins[3, 2] = 1e20
    wins[1, 2], wins[2, 1] = 3, 1
    with pytest.warns(ConvergenceWarning, match="differ by too many orders of magnitude.*leave out pairs"):
        res = BradleyTerry(wins).fit()
    np.testing.assert_allclose(res.params, np.array([1, 1, -1, -1]) * np.log(3) / 2, atol=CLOSED_FORM)
    assert res.contrast(1, 2).std_error == pytest.approx(np.sqrt(1 / 3 + 1), rel=1e-9)
    with pytest.warns(ConvergenceWarning):
        firth = BradleyTerry(wins).fit("firth")
    np.testing.assert_allclose(firth.params, np.array([1, 1, -1, -1]) * np.log(3.5 / 1.5) / 2, atol=CLOSED_FORM)


@pytest.mark.parametrize("n", [50, 1000, 1e6, 1e12])
def test_firth_where_all_results_are_ties(n):
    """Equal items; for two items log nu maximises n log p + log det / 2, which a general optimiser does too."""
    tied = n * (np.ones((2, 2)) - np.eye(2))
    res = BradleyTerry(np.zeros((2, 2)), tied).fit("firth", ties="davidson")
    assert res.converged
    assert res.params.iloc[0] == pytest.approx(0, abs=1e-9)

    def loss(log_nu):
        tie = 1 / (1 + 2 * np.exp(-log_nu))
        decided = 2 * np.exp(-log_nu) * tie
        return n * np.log1p(2 * np.exp(-log_nu)) - 0.5 * (np.log(n * decided / 4) + np.log(n * tie * decided))

    best = minimize_scalar(loss, bracket=(np.log(n) - 2, np.log(n) + 3), options={"xtol": 1e-10})
    # The optimiser compares values, so its error is the root of their rounding error.
    assert res.params.iloc[-1] == pytest.approx(best.x, abs=1e-6)


def test_a_weak_link_between_groups_of_many_items():
    """Too many items for elimination without subtraction, and too few digits for a Cholesky factor: an error."""
    half = np.arange(501)
    pairs = [(i, i + 1, 1e13, 1e13) for i in [*half[:-1], *(half[:-1] + 501)]] + [(0, 501, 3, 1)]
    frame = pd.DataFrame(pairs, columns=["x", "y", "a", "b"])
    model = BradleyTerry.from_comparisons(frame, first="x", second="y", wins=("a", "b"))
    with pytest.raises(InputError, match="singular to working precision"):
        model.fit()
    few = frame[(frame["x"] % 501 < 100)]
    res = BradleyTerry.from_comparisons(few, first="x", second="y", wins=("a", "b")).fit()
    assert res.contrast(0, 501).std_error == pytest.approx(np.sqrt(1 / 3 + 1), rel=1e-9)
