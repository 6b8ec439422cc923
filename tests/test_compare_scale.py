"""Tests do not depend on the unit of the scores, however large or small these are."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwcstats import InputError
from pwcstats.compare import (
    bayes_correlated_t,
    bayes_signed_rank,
    compare_methods,
    corrected_resampled_t,
    cv5x2_f,
    cv5x2_t,
    friedman,
    nemenyi,
    paired_t,
    rank_tests,
    sign,
    wilcoxon,
    winners,
)

pytestmark = pytest.mark.one_environment

TESTS = {
    "paired_t": paired_t,
    "corrected_resampled_t": lambda a, b: corrected_resampled_t(a, b, test_fraction=0.1),
    "cv5x2_t": cv5x2_t,
    "cv5x2_f": cv5x2_f,
    "wilcoxon": wilcoxon,
    "wilcoxon, asymptotic": lambda a, b: wilcoxon(a, b, method="asymptotic"),
    "sign": sign,
}
# Multiplied by these powers of two, scores of 2^-16 to 1 and their differences are exact, from 1e-296 to 1e301.
EXPONENTS = st.integers(-980, 1000)
SCORES = st.lists(st.integers(-(2**16), 2**16), min_size=10, max_size=10).map(lambda x: np.array(x) / 2**16)
A = np.array([0.82, 0.80, 0.79, 0.83, 0.81, 0.80, 0.84, 0.78, 0.80, 0.82])
B = np.array([0.78, 0.79, 0.78, 0.79, 0.77, 0.80, 0.79, 0.77, 0.79, 0.78])


def found(test, a, b, exponent=0):
    """Numbers of a test, those that have the unit of the scores without it; or what it says."""
    try:
        result = test(np.ldexp(a, exponent), np.ldexp(b, exponent))
    except InputError as error:
        return str(error).split(":")[0].split(" are ")[0]
    sized = [result.estimate, *(result.conf_int or ()), *([] if result.std_error is None else [result.std_error])]
    return [result.statistic, result.p_value, *np.ldexp(np.array(sized), -exponent)]


@pytest.mark.parametrize("name", TESTS)
@given(a=SCORES, b=SCORES, exponent=EXPONENTS)
def test_the_unit_does_not_matter(name, a, b, exponent):
    assert found(TESTS[name], a, b, exponent) == found(TESTS[name], a, b)


@given(a=SCORES, b=SCORES, exponent=EXPONENTS, rope=st.integers(0, 2**10))
def test_nor_does_it_for_posterior_probabilities(a, b, exponent, rope):
    def both(exponent):
        size = float(np.ldexp(rope / 2**16, exponent))
        a_, b_ = np.ldexp(a, exponent), np.ldexp(b, exponent)
        t = bayes_correlated_t(a_, b_, rope=size, test_fraction=0.1)
        ranks = bayes_signed_rank(a_, b_, rope=size, n_samples=50, random_state=0)
        sized = [t.estimate, ranks.estimate, *t.cred_int]
        return [t.p_less, t.p_rope, t.p_greater, ranks.p_less, ranks.p_greater, *np.ldexp(sized, -exponent)]

    assert both(exponent) == both(0)


@given(columns=st.lists(SCORES, min_size=3, max_size=3), exponent=EXPONENTS)
def test_nor_does_it_for_many_methods(columns, exponent):
    def numbers(exponent):
        wide = pd.DataFrame(dict(zip("abc", np.ldexp(columns, exponent), strict=True))).rename_axis("dataset")
        folds = wide.rename_axis("fold")
        of_sets, of_folds = compare_methods(wide), compare_methods(folds)
        sized = [*of_folds.table[["mean", "sd", "conf_low", "conf_high"]].to_numpy().ravel()]
        tidy = folds.melt(ignore_index=False, var_name="method", value_name="score").reset_index().assign(dataset=1)
        return np.concatenate(
            [
                of_sets.pairs["p_value"],
                of_folds.pairs["p_value"],
                winners(tidy)["p_value"],
                [friedman(wide).p_value],
                nemenyi(wide).pairs["p_value"],
                rank_tests(wide).pairs["p_value"],
                np.ldexp(sized, -exponent),
            ]
        )

    np.testing.assert_array_equal(numbers(exponent), numbers(0))


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_sizes_that_users_met(size):
    """NaN, 1, or "no spread", before the differences were scaled."""
    for name, test in TESTS.items():
        assert test(size * A, size * B).p_value == pytest.approx(test(A, B).p_value, rel=1e-9), name
    rope = bayes_correlated_t(A, B, rope=0.0, test_fraction=0.1).p_greater
    assert bayes_correlated_t(size * A, size * B, rope=0.0, test_fraction=0.1).p_greater == pytest.approx(rope)


def test_large_and_small_scores_together():
    """Where the unit is that of the largest score, small ones still have a sign, and count as what they are."""
    a, b = np.full(8, 1e-300), np.zeros(8)
    a[0] = 1e300
    assert sign(a, b).p_value == wilcoxon(a, b).p_value == 2 / 2**8
    assert paired_t(a, b).statistic == pytest.approx(paired_t([1.0] + [0.0] * 7, b).statistic)
    table = compare_methods(pd.DataFrame({"a": a, "b": 1e-300 * A[:8]}).rename_axis("fold")).table
    assert table.loc["b", "sd"] == pytest.approx(1e-300 * A[:8].std(ddof=1))


def test_an_interval_of_large_equal_differences():
    """A margin of 1 about them is no margin."""
    found = wilcoxon(np.full(8, 3e20), np.zeros(8))
    assert found.conf_int == (3e20, 3e20)


def test_a_rope_beyond_all_numbers_in_units_of_the_scores():
    found = bayes_correlated_t(1e-300 * A, 1e-300 * B, rope=1e300, test_fraction=0.1)
    assert (found.p_less, found.p_rope, found.p_greater) == (0.0, 1.0, 0.0)


def test_scores_that_are_too_large_are_refused():
    huge = np.full(10, 1e307)
    for test in TESTS.values():
        with pytest.raises(InputError, match="between -1e\\+304 and 1e\\+304, got one of size 1e\\+307; divide"):
            test(huge, -huge)
    wide = pd.DataFrame({"a": huge, "b": -huge, "c": 0.0}).rename_axis("dataset")
    tidy = wide.melt(ignore_index=False, var_name="method", value_name="score").reset_index()
    for test in (compare_methods, friedman, nemenyi):
        for scores in (wide, tidy):
            with pytest.raises(InputError, match="divide all scores by the same number"):
                test(scores)
