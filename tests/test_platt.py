import numpy as np
import pytest
from sklearn.isotonic import isotonic_regression

from pwcstats._native import fit_sigmoid as sigmoid
from pwcstats.errors import ConvergenceWarning
from pwcstats.pairwise.calibration import best_threshold, fit_isotonic
from pwcstats.pairwise.calibration import fit_sigmoid as fit_sigmoids
from tests import reference_pairwise as reference

# The reference optimiser stops at a gradient of 1e-13 of a sum; near its minimum the loss is quadratic.
REFERENCE = 1e-6
# LIBSVM stops at a gradient of 1e-5.
LIBSVM = 1e-4


def fit_sigmoid(scores, positive, weight, pair):
    (sigmoid,) = fit_sigmoids(scores, positive, weight[None], pair)
    return sigmoid


@pytest.mark.parametrize("case", list(reference.score_cases()))
def test_sigmoid_is_the_maximum_of_its_likelihood(case):
    scores, positive, weight = case
    a, b = fit_sigmoid(scores, positive, weight, "")
    want = reference.platt(scores, positive, weight)
    np.testing.assert_allclose(a, want[0], rtol=REFERENCE, atol=REFERENCE / np.abs(scores).max())
    np.testing.assert_allclose(b, want[1], rtol=REFERENCE, atol=REFERENCE)


@pytest.mark.parametrize("case", list(reference.score_cases()))
def test_sigmoid_is_where_libsvm_stops(case):
    scores, positive, _ = case
    a, b = fit_sigmoid(scores, positive, np.ones(len(scores)), "")
    unit = np.abs(scores).max()
    want = reference.libsvm_sigmoid(scores / unit, positive)
    np.testing.assert_allclose([a * unit, b], want, rtol=LIBSVM, atol=LIBSVM)


def test_whole_weights_are_repeated_rows():
    scores, positive, _ = next(iter(reference.score_cases()))
    weight = np.random.default_rng(0).integers(1, 4, len(scores))
    once = fit_sigmoid(scores, positive, weight.astype(float), "")
    repeated = fit_sigmoid(np.repeat(scores, weight), np.repeat(positive, weight), np.ones(weight.sum()), "")
    np.testing.assert_allclose(once, repeated, rtol=1e-9)


def test_separated_scores_have_a_finite_sigmoid():
    scores = np.r_[np.linspace(1, 2, 30), np.linspace(-2, -1, 50)]
    a, b = fit_sigmoid(scores, scores > 0, np.ones(80), "")
    np.testing.assert_allclose([a, b], reference.platt(scores, scores > 0, np.ones(80)), rtol=REFERENCE)


@pytest.mark.parametrize(("origin", "unit"), [(0.0, 1e-9), (0.0, 1e9), (1.0, 1e-9), (-1e6, 1.0)])
def test_unit_and_origin_of_the_scores_do_not_matter(origin, unit):
    """Machines on small or unscaled columns have scores that hardly differ."""
    scores, positive, weight = next(iter(reference.score_cases()))
    a, b = fit_sigmoid(scores, positive, weight, "")
    moved = origin + unit * scores
    c, d = fit_sigmoid(moved, positive, weight, "")
    # A score far from 0 has fewer digits left.
    np.testing.assert_allclose(c * moved + d, a * scores + b, rtol=0, atol=1e-9 + 1e-14 * abs(origin) / unit)


def test_scores_that_say_nothing_give_the_shares():
    """All scores equal: the slope stays 0, and the probability is near the class's share."""
    positive = np.arange(40) < 30
    a, b = fit_sigmoid(np.full(40, 0.3), positive, np.ones(40), "")
    target = 30 * 31 / 32 + 10 / 12
    np.testing.assert_allclose(1 / (1 + np.exp(a * 0.3 + b)), target / 40, rtol=1e-6)
    assert a == 0.0


def test_no_convergence_is_said():
    with pytest.warns(ConvergenceWarning, match=r"sigmoid of the pair \('a', 'b'\) did not converge"):
        fit_sigmoid(np.array([np.nan, 1.0, -1.0]), np.array([True, True, False]), np.ones(3), "('a', 'b')")


def test_the_kernel_ends_by_the_size_of_its_steps():
    scores, positive, weight = next(iter(reference.score_cases()))
    out = np.empty((1, 3))
    sigmoid(scores, positive, weight[None], out)
    a, b, converged = out[0]
    assert converged
    n_positive, n_negative = weight[positive].sum(), weight[~positive].sum()
    target = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    residual = weight * (target - 1 / (1 + np.exp(a * scores + b)))
    assert abs(residual.sum()) < 1e-6
    assert abs((residual * scores).sum()) < 1e-6


def test_isotonic_is_scikit_learns_step():
    rng = np.random.default_rng(1)
    scores, weight = rng.normal(size=50), rng.gamma(2.0, size=50)
    positive = rng.random(50) < 1 / (1 + np.exp(-scores))
    (step,) = fit_isotonic(scores, positive, weight[None], "")
    order = np.argsort(scores)
    want = isotonic_regression(positive[order].astype(float), sample_weight=weight[order])
    np.testing.assert_allclose(1 / (1 + np.exp(-step.log_odds(scores[order]))), want, atol=1e-12)


def random_rows(rng):
    n = rng.integers(1, 12)
    return rng.integers(-3, 4, n) / 2, rng.random(n) < 0.5, rng.choice([1.0, 0.5, 2.0], n)


@pytest.mark.parametrize("seed", range(200))
def test_threshold_is_the_best_of_all_and_the_nearest_to_0(seed):
    d, positive, weight = random_rows(np.random.default_rng(seed))
    t = best_threshold(d, positive, weight)
    values = np.unique(d)
    middles = (values[1:] + values[:-1]) / 2
    tried = np.r_[values[0] - 1, values, middles, values[-1] + 1]
    errors = np.array([reference.threshold_errors(d, positive, weight, each) for each in tried])
    mine = reference.threshold_errors(d, positive, weight, t)
    assert mine == errors.min()
    if reference.threshold_errors(d, positive, weight, 0.0) == errors.min():
        assert t == 0.0
    else:
        inner = middles[[reference.threshold_errors(d, positive, weight, each) == errors.min() for each in middles]]
        ends = [values[0] - 1, values[-1] + 1]
        inner = np.r_[inner, [each for each in ends if reference.threshold_errors(d, positive, weight, each) == mine]]
        assert abs(t) == np.abs(inner).min()


def test_sums_of_weights_are_equal_but_for_rounding():
    """0.1 + 0.2 - 0.3 is not 0, but the threshold stays at 0."""
    d, positive = np.array([-3.0, -2.0, -1.0, 1.0]), np.array([True, True, False, True])
    assert best_threshold(d, positive, np.array([0.1, 0.2, 0.3, 1.0])) == 0.0
