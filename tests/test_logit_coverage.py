"""Simulations of the coverage of intervals: by clusters, and by profiles after FLIC and FLAC."""

import numpy as np
import pytest
from scipy import stats

from pwcstats import FirthLogit

pytestmark = [pytest.mark.slow, pytest.mark.one_environment]

LEVEL = 0.95
# Chance moves a coverage by more than this many standard errors in one of 30,000 simulations.
SIGMAS = 4.0


def noise(n, level=LEVEL):
    return SIGMAS * np.sqrt(level * (1.0 - level) / n)


def test_clustered_intervals_cover():
    """The rows of a cluster are copies of one row: plain intervals are too short, clustered ones are not."""
    rng = np.random.default_rng(1)
    n, n_clusters, copies, slope = 400, 60, 4, 0.8
    groups = np.repeat(np.arange(n_clusters), copies)
    covered = {"nonrobust": 0, "cluster": 0}
    for _ in range(n):
        z = rng.normal(size=n_clusters)
        y = (slope * z + rng.logistic(size=n_clusters) > 0).astype(float)
        model = FirthLogit(y[groups], np.column_stack([np.ones(len(groups)), z[groups]]))
        for cov_type, kwds in (("nonrobust", None), ("cluster", {"groups": groups})):
            low, high = model.fit(cov_type=cov_type, cov_kwds=kwds).conf_int()[1]
            covered[cov_type] += low < slope < high
    # Copies quadruple the information, so that plain intervals have half the length.
    half = 1.0 - 2.0 * stats.norm.sf(stats.norm.isf(0.025) / 2.0)
    assert abs(covered["nonrobust"] / n - half) < noise(n, half) + 0.03
    # With 60 clusters, the sandwich is a little too small.
    assert LEVEL - 0.04 - noise(n) < covered["cluster"] / n < LEVEL + noise(n)


@pytest.mark.parametrize("correction", ["flic", "flac"])
def test_profile_intervals_after_corrections_cover(correction):
    """Slopes and intercepts with rare events."""
    rng = np.random.default_rng(2)
    n, rows, beta = 1000, 80, np.array([-1.5, 0.8])
    covered = np.zeros(2)
    for _ in range(n):
        x = np.column_stack([np.ones(rows), rng.normal(size=rows)])
        y = (x @ beta + rng.logistic(size=rows) > 0).astype(float)
        bounds = FirthLogit(y, x).fit(correction=correction).conf_int(method="profile")
        covered += (bounds[:, 0] < beta) & (beta < bounds[:, 1])
    assert (np.abs(covered / n - LEVEL) < noise(n) + 0.02).all()
