"""Votes of users with tastes, ties and an order effect: coverage of rank sets and level of comparison by eye."""

from math import sqrt

import numpy as np
import pandas as pd
import pytest

from pwcstats import BradleyTerry

pytestmark = [
    pytest.mark.slow,
    pytest.mark.one_environment,
    pytest.mark.filterwarnings("ignore:cov_type='cluster' has .* clusters of very unequal size"),
    # In a few samples of few users, a model has no comparison interval. Then it is apart from none.
    pytest.mark.filterwarnings("ignore:the quasi-variance"),
]

N_MODELS = 6
VOTES_PER_USER = 20
PROMISED = 0.95
# Models in a definite order, but practically equal: of five patterns, rank sets were wrong most often for this one.
ABILITY = 1e-3 * np.arange(N_MODELS)
PAIRS = np.triu_indices(N_MODELS, 1)
# Number of standard errors of the simulation.
TOLERANCE = 3.0
CLUSTERS = {"cov_type": "cluster", "cov_kwds": {"groups": "user"}}


def votes(rng, n_users, unequal):
    """Votes as in the data set arena: Davidson's model, in which each user has a taste for each model.

    The activity of users is lognormal, as in arena, or the same for all.
    """
    ability = ABILITY + rng.normal(0.0, 0.9, (n_users, N_MODELS))
    n = n_users * VOTES_PER_USER
    user = np.repeat(np.arange(n_users), VOTES_PER_USER)
    if unequal:
        activity = rng.lognormal(size=n_users)
        user = np.concatenate([np.arange(n_users), rng.choice(n_users, n - n_users, p=activity / activity.sum())])
    first = rng.integers(N_MODELS, size=n)
    second = (first + rng.integers(1, N_MODELS, size=n)) % N_MODELS
    difference = 0.3 + ability[user, first] - ability[user, second]
    odds = np.exp([difference / 2, -difference / 2, np.full(n, -0.6)])
    outcome = (rng.random(n) > np.cumsum(odds, axis=0) / odds.sum(axis=0)).sum(axis=0)
    winner = np.array(["first", "second", "tie"])[outcome]
    return pd.DataFrame({"user": user, "first": first, "second": second, "winner": winner})


def judged(model, **options):
    """Whether all rank sets contain the true rank, whether no order is claimed, and the share of intervals apart."""
    res = model.fit(ties="davidson", order_effect=True, **options)
    sets = res.ranks(n_draws=2000).sort_index()
    true = N_MODELS - np.arange(N_MODELS)
    shown = res.comparison_intervals().sort_index()
    apart = shown["conf_low"].to_numpy()[:, None] > shown["conf_high"].to_numpy()
    right = ((sets["rank_low"] <= true) & (true <= sets["rank_high"])).all()
    return right, sets["rank_low"].max() == 1, (apart | apart.T)[PAIRS].mean()


def simulated(n_users, unequal, samples):
    """Means and standard errors of what `judged` returns, with clusters and without."""
    rng = np.random.default_rng(20)
    found = []
    for _ in range(samples):
        frame = votes(rng, n_users, unequal)
        model = BradleyTerry.from_comparisons(frame, first="first", second="second", winner="winner", tie="tie")
        found.append([judged(model, **CLUSTERS), judged(model)])
    found = np.array(found, dtype=float)
    return found.mean(axis=0), found.std(axis=0, ddof=1) / sqrt(samples)


def test_all_ranks_together_and_overlap():
    """For 160 users, as many as in arena. Without clusters, both promises are broken.

    In 2000 samples, all rank sets are right in 97 % (without clusters in 68 %), and the level of comparison by eye is
    5.4 % (25 %).
    """
    (clustered, plain), (errors, _) = simulated(160, unequal=True, samples=600)
    right, nothing_claimed, level = clustered
    assert right >= PROMISED - TOLERANCE * sqrt(PROMISED * (1 - PROMISED) / 600)
    assert level == pytest.approx(1 - PROMISED, abs=TOLERANCE * errors[2])
    # Rank sets are right more often than all differences: here, a pair in the wrong order seldom makes them wrong. In
    # 2000 samples, no order was claimed in 92 %, less than 95 %: standard errors are still somewhat too small.
    assert nothing_claimed == pytest.approx(0.92, abs=TOLERANCE * errors[1])
    assert plain[0] < 0.8
    assert plain[2] > 0.2


def test_twenty_users():
    """Twenty clusters are nearly enough if they have the same size, and else not."""
    (equal, _), (errors, _) = simulated(20, unequal=False, samples=300)
    assert equal[0] >= PROMISED - TOLERANCE * sqrt(PROMISED * (1 - PROMISED) / 300)
    assert equal[2] == pytest.approx(1 - PROMISED, abs=TOLERANCE * errors[2])
    (unequal, _), (errors, _) = simulated(20, unequal=True, samples=300)
    # In 2000 samples, the level of comparison by eye is 7.2 % (equal sizes: 4.5 %), and an order is claimed in 19 %.
    assert unequal[2] > equal[2]
    assert unequal[1] < PROMISED - TOLERANCE * errors[1]
