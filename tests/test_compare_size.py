"""Tests keep their level where there is nothing to find; those that do not are the ones that we warn of."""

import numpy as np
import pytest

from pwcstats.studies.null_rates import one_data_set, several_data_sets

pytestmark = pytest.mark.one_environment

# Three standard errors above the level: of 30 rates one in a thousand runs of the tests, were it not for the seeds.
MARGIN = 3.0


def too_often(rates):
    return set(
        rates.loc[rates["rate"] > rates["level"] + MARGIN * rates["std_error"], ["test", "scores"]].agg(", ".join, 1)
    )


@pytest.mark.slow
def test_one_data_set():
    rates = one_data_set(500)
    # The t-test of repeated splits takes chance for difference in half of all cases.
    assert too_often(rates) == {"paired_t, 10 x 10 folds", "paired_t, 30 random splits"}
    by_name = rates.set_index(["test", "scores"])["rate"]
    assert by_name["paired_t", "10 x 10 folds"] > 0.4
    assert by_name["paired_t", "30 random splits"] > 0.4
    assert by_name["corrected_resampled_t", "10 x 10 folds"] > 0.01


@pytest.mark.slow
def test_weak_signals():
    """Methods that hardly learn: no test of resampled scores keeps its level, but the corrected one is not far off."""
    by_name = one_data_set(300, n_cases=100, n_features=1, shift=0.3).set_index(["test", "scores"])["rate"]
    assert by_name["paired_t", "10 x 10 folds"] > 0.5
    assert 0.05 < by_name["corrected_resampled_t", "10 x 10 folds"] < 0.2
    assert by_name["cv5x2_f", "5 x 2 folds"] > 0.07


@pytest.mark.slow
def test_several_data_sets():
    rates = several_data_sets(200)
    assert too_often(rates) == {"wilcoxon, all pairs (none), 12 data sets"}
    # A test that never rejects keeps its level, too.
    assert (rates["rate"] > 0.005).all()
    assert rates.set_index("test").loc["wilcoxon, all pairs (none)", "rate"] > 0.15


def test_the_same_seed_gives_the_same_rates():
    one, other = one_data_set(5, random_state=3), one_data_set(5, random_state=3)
    np.testing.assert_array_equal(one["rate"], other["rate"])
