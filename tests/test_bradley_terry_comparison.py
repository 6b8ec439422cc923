"""Comparison intervals: the test by overlap has the requested level."""

import numpy as np
import pytest
from scipy import optimize, stats

from pwcstats import BradleyTerry, InputError
from pwcstats.plot.style import figure_of

# The multiplier is a root to 1e-12, and sums over pairs in another order round differently.
ROOT = 1e-9
# Games of each pair, such that abilities have very different standard errors.
GAMES = np.array([[0, 60, 40, 20, 15], [0, 0, 50, 20, 15], [0, 0, 0, 25, 20], [0, 0, 0, 0, 10], [0, 0, 0, 0, 0]])


def draw(rng, games=GAMES):
    won = rng.binomial(games, 0.5)
    return BradleyTerry(won + (games - won).T)


def share_apart(table):
    """Share of pairs whose intervals do not overlap."""
    low, high = table["conf_low"].to_numpy(), table["conf_high"].to_numpy()
    apart = low[:, None] > high
    return (apart | apart.T)[np.triu_indices(len(low), 1)].mean()


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_multiplier_is_goldstein_and_healys(alpha):
    res = draw(np.random.default_rng(1)).fit()
    found = res.comparison_intervals(alpha)
    assert list(found.columns) == ["ability", "quasi_se", "conf_low", "conf_high"]
    q = res.quasi_variances()["quasi_se"]
    pairs = [(i, j) for i in range(5) for j in range(i)]

    def level(c, i, j):
        return 2 * stats.norm.sf(c * (q[i] + q[j]) / res.contrast(i, j).std_error)

    c = optimize.bisect(lambda c: np.mean([level(c, *pair) for pair in pairs]) - alpha, 0.1, 4.0, xtol=1e-13)
    assert found.attrs["multiplier"] == pytest.approx(c, rel=ROOT)
    assert found.attrs["level"] == pytest.approx(1 - 2 * stats.norm.sf(c), rel=ROOT)
    levels = [level(c, *pair) for pair in pairs]
    assert found.attrs["pair_alpha"] == pytest.approx((min(levels), max(levels)), rel=ROOT)
    np.testing.assert_allclose(found["conf_high"] - found["ability"], c * q, rtol=ROOT)
    np.testing.assert_allclose(found["ability"] - found["conf_low"], c * q, rtol=ROOT)


def test_equal_precision_has_the_textbook_level():
    """If all pairs met and won equally often, intervals have 1.96 / sqrt(2) quasi standard errors and level 83.4 %."""
    res = BradleyTerry(np.full((4, 4), 10.0)).fit()
    found = res.comparison_intervals()
    assert found.attrs["multiplier"] == pytest.approx(stats.norm.isf(0.025) / np.sqrt(2))
    assert found.attrs["level"] == pytest.approx(0.8342, abs=1e-4)
    assert found.attrs["pair_alpha"] == pytest.approx((0.05, 0.05))


@pytest.mark.filterwarnings("ignore:cov_type='cluster' has only")
def test_clusters_have_t_quantiles():
    rng = np.random.default_rng(2)
    n = 300
    first, second = rng.integers(4, size=n), rng.integers(1, 4, size=n)
    model = BradleyTerry.from_comparisons(
        {"w": first, "l": (first + second) % 4, "g": rng.integers(7, size=n)}, "w", "l"
    )
    res = model.fit(cov_type="cluster", cov_kwds={"groups": "g"})
    found = res.comparison_intervals()
    assert found.attrs["level"] == pytest.approx(1 - 2 * stats.t.sf(found.attrs["multiplier"], 6))
    assert np.mean(found.attrs["pair_alpha"]) == pytest.approx(0.05, abs=0.02)


def test_what_cannot_be_compared():
    res = draw(np.random.default_rng(5)).fit()
    with pytest.raises(InputError, match="alpha must be a number between 0 and 1"):
        res.comparison_intervals(5)
    with pytest.raises(InputError, match="at least 3 items"):
        BradleyTerry([[0, 3], [2, 0]]).fit().comparison_intervals()


def test_plots_say_what_overlap_means():
    res = draw(np.random.default_rng(3)).fit()

    def drawn(intervals, **options):
        axes = figure_of(res.plot(intervals, **options)).axes[0]
        return sorted(segment[1, 0] for segment in axes.collections[0].get_segments()), axes.get_xlabel()

    ends, label = drawn("comparison", alpha=0.1)
    table = res.comparison_intervals(0.1)
    assert ends == pytest.approx(sorted(table["conf_high"]))
    assert 0.5 < table.attrs["level"] < 0.9
    assert label == "ability (the abilities sum to 0)\nno overlap: the two items differ (about 10 % level)"
    assert drawn(None, alpha=0.1) == (ends, label)
    ends, label = drawn("quasi")
    quasi = res.quasi_variances()
    assert ends == pytest.approx(sorted(quasi["ability"] + stats.norm.isf(0.025) * quasi["quasi_se"]))
    assert label == "ability (the abilities sum to 0)\n95 % intervals from quasi-variances"
    assert drawn("wald")[1] == ("ability (the abilities sum to 0)\n95 % confidence intervals (overlap is not a test)")


@pytest.mark.slow
def test_overlap_is_a_test_at_the_level():
    """For equal items, 5 % of pairs do not overlap, but only 0.6 % with 95 % intervals (1000 samples)."""
    rng = np.random.default_rng(4)
    shares = []
    for _ in range(1000):
        res = draw(rng, 2 * GAMES).fit()
        table = res.comparison_intervals()
        half = stats.norm.isf(0.025) * table["quasi_se"]
        wide = table.assign(conf_low=table["ability"] - half, conf_high=table["ability"] + half)
        shares.append([share_apart(table), share_apart(wide)])
    overlap, wide = np.mean(shares, axis=0)
    assert overlap == pytest.approx(0.05, abs=0.01)
    assert wide < 0.012
