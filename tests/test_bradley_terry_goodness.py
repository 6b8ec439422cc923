"""Goodness of fit: the statistics, when p-values are simulated, and whether the tests keep their level."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pwcstats import BradleyTerry, InputError
from pwcstats.bradley_terry import goodness

from .reference_bradley_terry import Slow

FEW = np.array([[0, 3, 2], [1, 0, 2], [2, 3, 0]])


def everybody(n_items, games):
    """Numbers of games if all items meet each other equally often."""
    return np.triu(np.full((n_items, n_items), games), 1)


def ring(n_items, games):
    n = np.zeros((n_items, n_items), int)
    i = np.arange(n_items)
    n[i, (i + 1) % n_items] = games
    return np.triu(n + n.T, 1)


def draw(n, ability, rng):
    """Wins simulated from a Bradley–Terry model."""
    wins = rng.binomial(n, 1 / (1 + np.exp(ability[None] - ability[:, None])))
    return wins + (n - wins).T


def slow_p_value(wins, n_draws, rng):
    """Draw tables from the model, fit each by a plain Newton method, and compute Pearson's statistic by definition."""
    k = len(wins)
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k) if wins[i, j] + wins[j, i]]

    def fit(wins):
        rows = [(i, j, 0, "win", float(wins[i, j])) for i, j in pairs]
        rows += [(i, j, 0, "loss", float(wins[j, i])) for i, j in pairs]
        ability = np.r_[0, Slow(rows, k).fit()]
        n = np.array([wins[i, j] + wins[j, i] for i, j in pairs])
        p = np.array([1 / (1 + np.exp(ability[j] - ability[i])) for i, j in pairs])
        won = np.array([wins[i, j] for i, j in pairs])
        return n, p, float(np.sum((won - n * p) ** 2 / (n * p * (1 - p))))

    n, p, observed = fit(wins)
    larger = 0
    for _ in range(n_draws):
        new = np.zeros((k, k))
        for (i, j), games, chance in zip(pairs, n, p, strict=True):
            new[i, j] = rng.binomial(int(games), chance)
            new[j, i] = games - new[i, j]
        larger += fit(new)[2] >= observed
    return observed, larger / n_draws


def test_simulated_p_values_are_those_of_a_plain_loop():
    wins = draw(everybody(4, 12), np.array([0.6, 0.0, -0.2, -0.4]), np.random.default_rng(3))
    # A cycle that the model cannot explain completely.
    wins[0, 1], wins[1, 0], wins[1, 2], wins[2, 1], wins[2, 0], wins[0, 2] = 8, 4, 8, 4, 6, 6
    test = BradleyTerry(wins).fit().goodness_of_fit(p_value="bootstrap", n_draws=1999)
    observed, p = slow_p_value(wins, 1000, np.random.default_rng(1))
    assert test.statistic == pytest.approx(observed, rel=1e-7)
    # Four standard errors of the difference of two simulated shares.
    assert 0.05 < p < 0.95
    assert test.p_value == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) * (1 / 1000 + 1 / 1999)))


def test_small_expected_counts_are_simulated():
    test = BradleyTerry(FEW).fit().goodness_of_fit(n_draws=99)
    assert test.method == "Pearson's goodness of fit with simulated p-value (based on 99 draws)"
    assert test.df is None
    assert test.notes[0] == "the p-value was simulated because 100% of the expected counts are below 5"
    large = BradleyTerry(8 * FEW).fit().goodness_of_fit()
    assert large.method == "Pearson's goodness of fit"
    assert large.df == 1
    assert large.notes == ()
    assert large.p_value == pytest.approx(stats.chi2.sf(large.statistic, 1))
    # Few pairs are sparse, but one has an expected count below 1.
    rare = 100 * everybody(6, 1) + 100 * everybody(6, 1).T
    rare[0, 5], rare[5, 0] = 1, 0
    assert "the smallest expected count is 0.5" in BradleyTerry(rare).fit().goodness_of_fit(n_draws=19).notes[0]


def test_chi_squared_on_request_says_what_is_wrong_with_it():
    test = BradleyTerry(FEW).fit().goodness_of_fit("deviance", "chi2")
    assert test.notes == ("the p-value is not reliable: 100% of the expected counts are below 5",)
    assert "not reliable" in str(test)


def test_what_cannot_be_simulated():
    halves = BradleyTerry(FEW / 2).fit()
    assert "not whole numbers" in halves.goodness_of_fit().notes[0]
    with pytest.raises(InputError, match="cannot be simulated: .* not whole numbers .*; use p_value='chi2'"):
        halves.goodness_of_fit(p_value="bootstrap")
    tied = BradleyTerry(FEW, tied=[[0, 1, 0], [1, 0, 2], [0, 2, 0]]).fit(ties="half")
    with pytest.raises(InputError, match="no probability of a tie"):
        tied.goodness_of_fit(p_value="bootstrap")
    with pytest.raises(InputError, match="statistic"):
        halves.goodness_of_fit("chi2")
    with pytest.raises(InputError, match="p_value"):
        halves.goodness_of_fit(p_value="exact")
    with pytest.raises(InputError, match="n_draws"):
        halves.goodness_of_fit(n_draws=1)


@pytest.mark.parametrize("method", ["mle", "firth"])
def test_too_few_tables_with_estimates(method, monkeypatch):
    monkeypatch.setattr(goodness, "refit", lambda *_: None)
    res = BradleyTerry(FEW).fit(method)
    with pytest.raises(InputError, match="only 0 of 380 simulated tables have finite .* p_value='chi2'") as caught:
        res.goodness_of_fit(p_value="bootstrap", n_draws=19)
    assert ("method='firth'" in str(caught.value)) == (method == "mle")


def test_tables_without_estimates_are_drawn_again():
    wins = np.array([[0, 1, 1], [1, 0, 2], [0, 1, 0]])
    test = BradleyTerry(wins).fit().goodness_of_fit(n_draws=50)
    assert "based on 50 draws" in test.method
    assert any("no finite estimates" in note for note in test.notes)
    firth = BradleyTerry(wins).fit("firth").goodness_of_fit(n_draws=50)
    assert not any("no finite estimates" in note for note in firth.notes)


@pytest.mark.parametrize("options", [{}, {"ties": "davidson"}, {"ties": "davidson", "order_effect": True}])
def test_simulated_p_values_do_not_depend_on_jobs(options):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"a": rng.integers(4, size=150)})
    frame["b"] = (frame["a"] + rng.integers(1, 4, size=150)) % 4
    frame["who"] = rng.choice(["a", "b", "tie"] if options else ["a", "b"], size=150)
    model = BradleyTerry.from_comparisons(frame, "who", first="a", second="b", tie="tie")
    res = model.fit(**options)
    one, two = (res.goodness_of_fit(p_value="bootstrap", n_draws=60, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert one == two
    assert res.goodness_of_fit(p_value="bootstrap", n_draws=60, random_state=1) != one


def test_cycles_are_found():
    """Rock, paper, scissors."""
    wins = np.array([[0, 20, 1], [1, 0, 20], [20, 1, 0]])
    assert BradleyTerry(wins).fit().goodness_of_fit().p_value < 1e-9
    assert BradleyTerry(wins).fit().goodness_of_fit(p_value="bootstrap", n_draws=199).p_value == 1 / 200


def rejections(n, ability, n_samples, seed, **how):
    """Share of samples from a true model that are rejected at the level 0.05; samples without estimates are skipped."""
    rng = np.random.default_rng(seed)
    rejected = done = 0
    while done < n_samples:
        try:
            res = BradleyTerry(draw(n, ability, rng)).fit(cov="none")
        except InputError:
            continue
        done += 1
        rejected += res.goodness_of_fit(**how).p_value <= 0.05
    return rejected / n_samples


ABILITY = np.random.default_rng(1).normal(scale=0.5, size=12)


@pytest.mark.slow
@pytest.mark.parametrize(("games", "deviance"), [(5, 0.2), (10, 0.09)])
def test_level_of_chi_squared(games, deviance):
    """Pearson's statistic keeps its level, and the deviance rejects far too often."""
    n = everybody(12, games)
    assert rejections(n, ABILITY, 1000, 0, statistic="deviance", p_value="chi2") > deviance
    # Four standard errors of a share of 1000 samples.
    assert rejections(n, ABILITY, 1000, 0, p_value="chi2") == pytest.approx(0.05, abs=0.028)


@pytest.mark.slow
def test_level_of_simulated_p_values():
    """A ring in which neighbours met three times: chi-squared fails for Pearson's statistic too."""
    n = ring(6, 3)
    assert rejections(n, np.zeros(6), 1000, 2, p_value="chi2") > 0.08
    # Three standard errors of a share of 250 samples above 0.05. Less is possible, because the statistic is discrete.
    assert 0.01 < rejections(n, np.zeros(6), 250, 2, n_draws=39) < 0.091
