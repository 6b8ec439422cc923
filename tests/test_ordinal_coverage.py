"""Coverage of Wald and profile intervals of penalised ordinal models in small samples, by simulation."""

import numpy as np
import pytest

from pwcstats import AdjacentCategories, ContinuationRatio, OrderedLogit

N = 30


def chain(rng, x, slope):
    """Classes by continuation ratios from the top, with the same slope at both stages."""
    reached = rng.random((2, len(x))) < 1.0 / (1.0 + np.exp(1.0 - slope * x))
    return np.where(reached[0], 2, np.where(reached[1], 1, 0))


def odds(rng, x, slope):
    return np.digitize(slope * x + rng.logistic(size=len(x)), [-1.0, 1.0])


def steps(rng, x, slope):
    odds = np.exp(np.outer(slope * x, [0, 1, 2]))
    return (rng.random((len(x), 1)) > (odds / odds.sum(axis=1, keepdims=True)).cumsum(axis=1)).sum(axis=1)


MODELS = {
    "continuation ratio": (chain, lambda y, x: ContinuationRatio(y, x, penalty="firth"), [1, 3]),
    "proportional odds": (odds, lambda y, x: OrderedLogit(y, x, "firth"), [0]),
    "adjacent categories": (steps, lambda y, x: AdjacentCategories(y, x, "firth", parallel=True), [2]),
}


def coverage(name, slope, size):
    """Shares of 95 % intervals that contain the slope: Wald and profile, in rows, for each slope."""
    draw, model, slopes = MODELS[name]
    rng, found = np.random.default_rng(1), []
    while len(found) < size:
        x = rng.normal(size=N)
        y = draw(rng, x, slope)
        if np.bincount(y, minlength=3).min() < 2:
            continue
        res = model(y, x[:, None]).fit()
        bounds = [np.asarray(res.conf_int(method=method))[slopes] for method in ("wald", "profile")]
        found.append([(b[:, 0] <= slope) & (slope <= b[:, 1]) for b in bounds])
    return np.mean(found, axis=0)


def error(size):
    """Three standard errors of a share of 95 %."""
    return 3.0 * np.sqrt(0.95 * 0.05 / size)


@pytest.mark.slow
@pytest.mark.one_environment
@pytest.mark.parametrize("name", MODELS)
def test_profile_intervals_cover_moderate_slopes(name):
    size = 400
    wald, profile = coverage(name, 1.0, size)
    assert (np.abs(profile - 0.95) < error(size)).all(), profile
    # Wald intervals are symmetric and a little wide here.
    assert (np.abs(wald - 0.96) < error(size)).all(), wald


@pytest.mark.slow
@pytest.mark.one_environment
def test_wald_intervals_of_steep_slopes_cover_too_little():
    """The penalty pulls estimates of steep slopes to 0, and the standard errors with them."""
    size = 1000
    wald, profile = coverage("continuation ratio", 3.0, size)
    assert (profile > 0.95 - error(size)).all(), profile
    assert (np.abs(wald - 0.92) < error(size)).all(), wald
