"""The kernels of random effects: against slow references, by their derivatives, and at the boundary."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from pwcstats._kernels import mixed
from pwcstats._kernels.mixed_laplace import Laplace, fit_laplace, profile_interval, slope_at_zero
from pwcstats._kernels.mixed_pql import fit_pql

from . import reference_mixed

# Nelder and Mead's method finds the maximum to about the root of the rounding error of its value.
DIRECT = 1e-5
# Central differences of steps 1e-5: the rounding error of the value divided by the step.
DIFFERENCES = 1e-6
EXACT = 1e-9

METHODS = {"laplace": fit_laplace, "pql": fit_pql}


def contests(n_items=8, n=60, seed=0, *, p=2, sigma=1.0, trials=1, own=()):
    """Random contests; items in `own` have no random effect."""
    rng = np.random.default_rng(seed)
    z, u = rng.normal(size=(n_items, p)), sigma * rng.normal(size=n_items)
    first = rng.integers(0, n_items, n)
    second = (first + rng.integers(1, n_items, n)) % n_items
    x = z[first] - z[second]
    eta = x @ np.linspace(0.5, -0.5, p) + u[first] - u[second]
    count = np.full(n, float(trials))
    wins = rng.binomial(trials, expit(eta)).astype(float)
    effect = np.full(n_items, -1)
    kept = np.setdiff1d(np.arange(n_items), own)
    effect[kept] = np.arange(len(kept))
    return mixed.Contests(x, effect[first], effect[second], wins, count, len(kept))


def dense(data):
    return data.x, reference_mixed.design(data.first, data.second, data.n_effects), data.wins, data.trials


@pytest.mark.parametrize("own", [(), (2,), (0, 5)])
def test_designs_are_the_dense_ones(own):
    data = contests(own=own)
    _, z, _, _ = dense(data)
    w = np.random.default_rng(1).random(len(z))
    matrix = z.T @ z
    np.testing.assert_allclose(data.z.toarray(), z)
    np.testing.assert_allclose(data.cross_product(w), z.T @ (z * w[:, None]), atol=1e-14)
    np.testing.assert_allclose(data.quadratic_forms(matrix), np.diag(z @ matrix @ z.T), atol=1e-12)


@pytest.mark.parametrize("sigma", [0.01, 0.7, 3.0])
@pytest.mark.parametrize("own", [(), (2,)])
def test_value_is_the_formula(sigma, own):
    data, beta = contests(own=own, trials=3), np.array([0.3, -0.2])
    mode, _ = mixed.find_mode(data, beta, sigma, np.zeros(data.n_effects), with_beta=False)
    assert mode.laplace == pytest.approx(reference_mixed.laplace(*dense(data), beta, sigma), abs=1e-10)


@pytest.mark.parametrize("sigma", [0.05, 0.7, 3.0])
@pytest.mark.parametrize("own", [(), (0, 5)])
def test_gradient_is_the_limit_of_differences(sigma, own):
    data = contests(own=own)
    search = Laplace(data, 100)
    params = np.array([0.3, -0.2, np.log(sigma)])
    _, gradient, _ = search.evaluate(params)
    step = 1e-5 * np.eye(3)
    numeric = [(search.evaluate(params + h)[0] - search.evaluate(params - h)[0]) / 2e-5 for h in step]
    np.testing.assert_allclose(gradient, numeric, atol=DIFFERENCES)


def test_slope_at_zero_is_the_limit_of_differences():
    data = contests()
    at_zero, _ = mixed.find_mode(data, np.array([0.3, -0.2]), 0.0, np.zeros(8), with_beta=False)
    near, _ = mixed.find_mode(data, np.array([0.3, -0.2]), 1e-3, np.zeros(8), with_beta=False)
    assert slope_at_zero(data, at_zero) == pytest.approx((near.laplace - at_zero.laplace) / 1e-6, rel=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_laplace_is_the_direct_maximum(seed):
    data = contests(seed=seed, n=120, own=(3,) if seed else ())
    fit = fit_laplace(data, 100)
    beta, sigma, value = reference_mixed.fit_laplace(*dense(data))
    assert fit.converged
    assert fit.value >= value - EXACT
    np.testing.assert_allclose(fit.beta, beta, atol=DIRECT)
    assert fit.sigma == pytest.approx(sigma, abs=DIRECT)


def test_covariance_is_minus_the_inverse_of_second_differences():
    data = contests(n=200, seed=4)
    fit = fit_laplace(data, 100)
    best, h = np.append(fit.beta, np.log(fit.sigma)), 1e-3

    def value(params):
        return reference_mixed.laplace(*dense(data), params[:-1], np.exp(params[-1]))

    hessian = np.empty((3, 3))
    for i, a in enumerate(h * np.eye(3)):
        for j, b in enumerate(h * np.eye(3)):
            corners = value(best + a + b) - value(best + a - b) - value(best - a + b) + value(best - a - b)
            hessian[i, j] = corners / (4 * h**2)
    cov = np.linalg.inv(-hessian)
    np.testing.assert_allclose(fit.cov, cov[:-1, :-1], rtol=1e-4, atol=1e-6)
    assert fit.se_log_sigma == pytest.approx(np.sqrt(cov[-1, -1]), rel=1e-4)


@pytest.mark.parametrize(
    ("n_items", "trials", "n_nodes", "error"), [(2, 30, 1000, 3e-3), (2, 300, 1000, 3e-4), (3, 30, 120, 8e-3)]
)
def test_laplace_is_near_the_integral(n_items, trials, n_nodes, error):
    """The error of the approximation is of the order of one over the number of contests of an item."""
    data = contests(n_items=n_items, n=6, p=1, trials=trials, seed=2, sigma=0.5)
    for sigma in (0.3, 0.8):
        mode, _ = mixed.find_mode(data, np.array([0.4]), sigma, np.zeros(n_items), with_beta=False)
        exact = reference_mixed.marginal(*dense(data), np.array([0.4]), sigma, n_nodes)
        assert mode.laplace == pytest.approx(exact, abs=error)


@pytest.mark.parametrize("seed", range(3))
def test_quasi_likelihood_is_the_slow_one(seed):
    data = contests(seed=seed + 10, n=60, trials=5, own=(3,) if seed else ())
    fit = fit_pql(data, 100)
    beta, cov, sigma, se, u = reference_mixed.fit_pql(*dense(data))
    assert fit.converged
    np.testing.assert_allclose(fit.beta, beta, atol=EXACT)
    np.testing.assert_allclose(fit.cov, cov, atol=EXACT)
    np.testing.assert_allclose(fit.u, u, atol=EXACT)
    assert fit.sigma == pytest.approx(sigma, abs=EXACT)
    assert fit.sigma * fit.se_log_sigma == pytest.approx(se, abs=EXACT)


@pytest.mark.parametrize("method", METHODS)
def test_joint_covariance_solves_hendersons_equations(method):
    data = contests(n=150, own=(3,))
    fit = METHODS[method](data, 100)
    x, z, _, trials = dense(data)
    p = expit(x @ fit.beta + z @ fit.u)
    both = np.hstack([x, z])
    information = both.T @ (both * (trials * p * (1 - p))[:, None])
    information[2:, 2:] += np.eye(data.n_effects) / fit.sigma**2
    np.testing.assert_allclose(fit.joint, np.linalg.inv(information), atol=EXACT)


@pytest.mark.parametrize("method", METHODS)
def test_scales_of_covariates_do_not_matter(method):
    data, scale = contests(n=150), np.array([1e8, 1e-7])
    fit = METHODS[method](data, 100)
    other = METHODS[method](replace(data, x=data.x * scale), 100)
    np.testing.assert_allclose(other.beta * scale, fit.beta, rtol=1e-7)
    np.testing.assert_allclose(other.cov * np.outer(scale, scale), fit.cov, rtol=1e-6)
    assert other.sigma == pytest.approx(fit.sigma, rel=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_sides_do_not_matter(method):
    data = contests(n=150, trials=3)
    swapped = replace(data, x=-data.x, first=data.second, second=data.first, wins=data.trials - data.wins)
    fit, other = METHODS[method](data, 100), METHODS[method](swapped, 100)
    np.testing.assert_allclose(other.beta, fit.beta, atol=EXACT)
    assert other.sigma == pytest.approx(fit.sigma, abs=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_no_variance_is_the_fixed_model(method):
    """Items that differ less than chance would have it have no variance between them."""
    first, second = np.array([0, 1, 2, 0, 1, 3]), np.array([1, 2, 3, 2, 3, 0])
    x = np.array([0.5, -1.0, 0.3, 0.2, 1.0, -0.4])[:, None]
    data = mixed.Contests(x, first, second, np.full(6, 5.0), np.full(6, 10.0), 4)
    fit = METHODS[method](data, 100)
    assert fit.sigma == 0.0
    assert np.isnan(fit.se_log_sigma)
    assert not fit.u.any()
    assert fit.value == fit.value_at_zero
    information = x.T @ (x * (10.0 * expit(x @ fit.beta) * expit(-x @ fit.beta))[:, None])
    np.testing.assert_allclose(fit.cov, np.linalg.inv(information), atol=1e-12)
    assert x[:, 0] @ (5.0 - 10.0 * expit(x @ fit.beta)) == pytest.approx(0.0, abs=1e-9)
    low, high = profile_interval(data, fit, 1, 1.92, 100)
    assert low == 0.0
    assert 0.1 < high < 2.0


def test_profile_bounds_are_where_the_likelihood_has_fallen():
    data = contests(n=200, seed=4)
    fit = fit_laplace(data, 100)
    best = np.append(fit.beta, np.log(fit.sigma))
    search = Laplace(data, 100)
    for index in range(3):
        for bound in profile_interval(data, fit, index, 1.92, 100):
            value, _ = search.profile(index, np.log(bound) if index == 2 else bound, best)
            assert fit.value - value == pytest.approx(1.92, abs=1e-5)


def test_infinite_standard_deviation():
    """Every item beats all those after it ten times: there is no limit to the differences of their abilities."""
    first, second = np.triu_indices(8, 1)
    data = mixed.Contests(np.zeros((28, 0)), first, second, np.full(28, 10.0), np.full(28, 10.0), 8)
    with pytest.raises(mixed.UnboundedError):
        fit_laplace(data, 100)


def test_one_contest_each():
    """Contests between different items say nothing about the variance, and the estimate is 0."""
    data = mixed.Contests(np.zeros((5, 0)), np.arange(0, 10, 2), np.arange(1, 10, 2), np.ones(5), np.ones(5), 10)
    fit = fit_pql(data, 100)
    assert fit.sigma == 0.0
