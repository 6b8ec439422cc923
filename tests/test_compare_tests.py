"""Tests of two methods, against slow reference implementations, published figures and each other."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from pwcstats import InputError, TestResult
from pwcstats.compare import (
    corrected_resampled_t,
    cv5x2_f,
    cv5x2_t,
    mcnemar,
    paired_t,
    sign,
    wilcoxon,
)

# Figures are printed with two or three decimals.
PRINTED = 0.005 + 1e-9
FOLDS = np.array([[0.82, 0.80], [0.79, 0.83], [0.81, 0.80], [0.84, 0.78], [0.80, 0.82]])
OTHERS = np.array([[0.78, 0.79], [0.78, 0.79], [0.77, 0.80], [0.79, 0.77], [0.79, 0.78]])


def scores(n, seed=0, digits=8, shape=()):
    rng = np.random.default_rng(seed)
    return (rng.normal(0.8, 0.05, (n, *shape))).round(digits), (rng.normal(0.78, 0.05, (n, *shape))).round(digits)


class TestResampledT:
    @pytest.mark.parametrize("fraction", [0.1, 1 / 3, 0.5])
    def test_is_the_formula(self, fraction):
        a, b = scores(30)
        d = a - b
        se = np.sqrt((1 / 30 + fraction / (1 - fraction)) * d.var(ddof=1))
        result = corrected_resampled_t(a, b, test_fraction=fraction)
        assert result.statistic == pytest.approx(d.mean() / se, rel=1e-12)
        assert result.std_error == pytest.approx(se, rel=1e-12)
        assert result.df == 29
        assert result.p_value == pytest.approx(2 * stats.t.sf(abs(d.mean() / se), 29), rel=1e-12)
        np.testing.assert_allclose(result.conf_int, d.mean() + np.array([-1, 1]) * stats.t.isf(0.025, 29) * se)

    def test_tables_tell_their_fraction(self):
        a, b = scores(10, shape=(5,))
        told = corrected_resampled_t(a.ravel(), b.ravel(), test_fraction=0.2)
        table = corrected_resampled_t(a, b)
        assert (table.statistic, table.p_value) == (told.statistic, told.p_value)
        assert "10 x 5-fold" in table.method

    def test_more_repeats_do_not_make_everything_significant(self):
        """Ten copies of the same ten folds: the plain test believes them, the corrected one hardly."""
        a, b = scores(10)
        plain = [paired_t(np.tile(a, n), np.tile(b, n)).p_value for n in (1, 10)]
        corrected = [corrected_resampled_t(np.tile(a, n), np.tile(b, n), test_fraction=0.1).p_value for n in (1, 10)]
        assert plain[1] < plain[0] / 5
        assert corrected[1] > corrected[0] / 5

    def test_one_sided(self):
        a, b = scores(10)
        two, less, greater = (
            corrected_resampled_t(a, b, test_fraction=0.1, alternative=side)
            for side in ("two-sided", "less", "greater")
        )
        assert less.p_value + greater.p_value == pytest.approx(1.0)
        assert two.p_value == pytest.approx(2 * min(less.p_value, greater.p_value))
        assert less.conf_int[0] == -np.inf
        assert greater.conf_int[1] == np.inf


class TestFiveByTwo:
    def test_t_is_the_formula(self):
        d = FOLDS - OTHERS
        s2 = [(row[0] - row.mean()) ** 2 + (row[1] - row.mean()) ** 2 for row in d]
        t = d[0, 0] / np.sqrt(sum(s2) / 5)
        result = cv5x2_t(FOLDS, OTHERS)
        assert result.statistic == pytest.approx(t, rel=1e-12)
        assert (result.df, result.estimate) == (5, pytest.approx(d[0, 0]))
        assert result.p_value == pytest.approx(2 * stats.t.sf(t, 5), rel=1e-12)

    def test_f_is_the_formula(self):
        d = FOLDS - OTHERS
        f = (d**2).sum() / (2 * sum(((row - row.mean()) ** 2).sum() for row in d))
        result = cv5x2_f(FOLDS, OTHERS)
        assert result.statistic == pytest.approx(f, rel=1e-12)
        assert result.df == (10, 5)
        assert result.p_value == pytest.approx(stats.f.sf(f, 10, 5), rel=1e-12)

    @pytest.mark.parametrize("alpha", [0.05, 0.2])
    def test_the_interval_of_f_is_what_is_not_rejected(self, alpha):
        low, high = cv5x2_f(FOLDS, OTHERS, alpha=alpha).conf_int
        for bound in (low, high):
            assert cv5x2_f(FOLDS - bound, OTHERS).p_value == pytest.approx(alpha, abs=1e-9)

    def test_there_may_be_no_interval(self):
        a = np.repeat([0.1, 0.5, 0.9, 0.3, 0.7], 2).reshape(5, 2) + np.array([0.0, 0.001])
        result = cv5x2_f(a, np.zeros((5, 2)))
        assert result.conf_int is None
        assert "no interval" in result.notes[0]

    def test_ten_in_a_row_are_five_rows(self):
        assert cv5x2_f(FOLDS.ravel(), OTHERS.ravel()) == cv5x2_f(FOLDS, OTHERS)


class TestWilcoxon:
    @given(st.lists(st.integers(-4, 4), min_size=1, max_size=9), st.sampled_from(["wilcox", "pratt"]))
    def test_exact_counts_all_changes_of_signs(self, differences, zeros):
        d = np.array(differences, float)
        kept = d if zeros == "pratt" else d[d != 0]
        ranks = stats.rankdata(np.abs(kept))[kept != 0]
        v = ranks[kept[kept != 0] > 0].sum()
        all_v = np.array([np.dot(ranks, signs) for signs in product((0, 1), repeat=len(ranks))])
        less, greater = (all_v <= v + 1e-9).mean(), (all_v >= v - 1e-9).mean()
        for side, p in (("less", less), ("greater", greater), ("two-sided", min(1, 2 * min(less, greater)))):
            result = wilcoxon(d, np.zeros(len(d)), zeros=zeros, alternative=side)
            assert result.p_value == pytest.approx(p, abs=1e-12)
            assert result.statistic == v

    @given(
        st.lists(st.integers(-30, 30), min_size=6, max_size=14),
        st.sampled_from([0.05, 0.2]),
        st.sampled_from(["exact", "asymptotic"]),
        st.sampled_from(["two-sided", "less", "greater"]),
    )
    def test_the_interval_is_what_is_not_rejected(self, differences, alpha, method, side):
        d = np.array(differences, float)
        options = {"method": method, "alternative": side}
        low, high = wilcoxon(d, np.zeros(len(d)), alpha=alpha, **options).conf_int
        for bound, inwards in ((low, 1), (high, -1)):
            if np.isfinite(bound):
                # Ranks change at multiples of 1/2 only.
                inside, outside = (
                    wilcoxon(d - (bound + step * inwards), np.zeros(len(d)), **options).p_value for step in (0.1, -0.1)
                )
                assert outside <= alpha
                assert alpha < inside or high == low

    def test_the_estimate_is_the_median_of_means_of_two(self):
        for n in (7, 8, 1001):
            a, b = scores(n)
            d = a - b
            walsh = (d[:, None] + d)[np.triu_indices(n)] / 2
            assert wilcoxon(a, b).estimate == pytest.approx(np.median(walsh), abs=1e-12)

    def test_many_differences_are_as_few(self, monkeypatch):
        a, b = scores(60, digits=2)
        few = wilcoxon(a, b)
        monkeypatch.setattr("pwcstats.compare.signs.MOST_PAIRED", 0)
        many = wilcoxon(a, b)
        np.testing.assert_allclose([many.estimate, *many.conf_int], [few.estimate, *few.conf_int], atol=1e-12)

    def test_differences_that_are_equal_but_for_rounding_tie(self):
        a, b = np.array([0.9, 0.8, 0.3, 0.7]), np.array([0.8, 0.7, 0.4, 0.7])
        assert len(np.unique(np.abs(a - b))) == 4, "rounding does not show"
        result = wilcoxon(a, b)
        assert result.statistic == 4.0
        assert result.p_value == wilcoxon([1, 1, -1, 0], [0, 0, 0, 0]).p_value

    def test_rounding_is_that_of_each_pair(self):
        """Errors of one data set may be a million times those of another."""
        a, b = [1e12, 0.5, 0.6, 0.7, 0.8, 0.9, 0.4, 0.3], [2e12, 0.49, 0.59, 0.69, 0.79, 0.89, 0.39, 0.29]
        assert wilcoxon(a, b).statistic == 28.0
        assert wilcoxon([1 + 1e-11, 2, 3], [1, 1, 1]).statistic == 6.0
        big, small = np.array([100.3, 100.2]), np.array([100.2, 100.1])
        assert len(np.unique(big - small)) == 2
        assert "equal size" in str(wilcoxon(big, small))

    def test_exact_up_to_49(self):
        a, b = scores(60)
        for n, exact in ((30, True), (49, True), (50, False)):
            assert ("exact" in wilcoxon(a[:n], b[:n]).method) == exact
        # Zeros do not count; the interval of many differences is not exact then, and quick.
        some = np.concatenate([a[:40] - b[:40], np.zeros(60)])
        result = wilcoxon(some, np.zeros(100))
        assert "exact" in result.method
        assert result.conf_int == wilcoxon(some, np.zeros(100), method="asymptotic").conf_int

    @pytest.mark.parametrize("n", [5, 6, 8])
    def test_level_that_is_just_reached(self, n):
        """The smallest two-sided p-value is 2 / 2^n: with that as level, the interval ends at the outermost steps."""
        d = np.arange(1.0, n + 1)
        result = wilcoxon(d, np.zeros(n), alpha=2 / 2**n)
        assert result.conf_int == (1.0, n)
        assert result.p_value == 2 / 2**n
        assert wilcoxon(d, np.zeros(n), alpha=1.9 / 2**n).conf_int == (-np.inf, np.inf)
        assert sign(d, np.zeros(n), alpha=2 / 2**n).conf_int == (1.0, n)
        assert sign(d, np.zeros(n), alpha=1.9 / 2**n).conf_int == (-np.inf, np.inf)

    def test_one_side_is_two_sides_at_twice_the_level(self):
        a, b = scores(12)
        for test in (wilcoxon, sign, paired_t):
            two = test(a, b, alpha=0.2).conf_int
            assert test(a, b, alpha=0.1, alternative="greater").conf_int == (pytest.approx(two[0]), np.inf)
            assert test(a, b, alpha=0.1, alternative="less").conf_int == (-np.inf, pytest.approx(two[1]))

    def test_what_was_done_is_said(self):
        a, b = [3, 5, 4, 1, 2, 6], [3, 1, 1, 3, 1, 2]
        assert "1 of 6 differences are 0 and were dropped (zeros='wilcox')" in str(wilcoxon(a, b))
        assert "ranked, and then dropped" in str(wilcoxon(a, b, zeros="pratt"))
        assert "equal size" in str(wilcoxon(a, b))
        assert "exact" in wilcoxon(a, b).method
        assert "continuity correction" in wilcoxon(a, b, method="asymptotic").method
        assert "correction" not in wilcoxon(a, b, method="asymptotic", correction=False).method

    def test_too_few_for_an_interval(self):
        result = wilcoxon([1, 2, 3], [0, 0, 0])
        assert result.conf_int == (-np.inf, np.inf)
        assert "3 pairs: too few" in result.notes[0]
        assert result.p_value == 0.25


class TestSign:
    def test_is_binomial(self):
        a, b = scores(15, digits=2)
        d = np.round(a - b, 6)
        p = stats.binomtest((d > 0).sum(), (d != 0).sum()).pvalue
        assert sign(a, b).p_value == pytest.approx(p, rel=1e-12)

    @pytest.mark.parametrize("n", [4, 5, 6, 9, 30])
    def test_interval_holds_its_level_and_is_the_shortest(self, n):
        """The k-th and the k-th last of n: P(the median lies outside) is twice P(fewer than k are below it)."""
        d = np.arange(n, dtype=float)
        low, high = sign(d, np.zeros(n)).conf_int
        k = 0 if np.isinf(low) else int(low) + 1
        assert np.isinf(high) if k == 0 else high == n - k
        assert 2 * stats.binom.cdf(k - 1, n, 0.5) <= 0.05
        assert 2 * stats.binom.cdf(k, n, 0.5) > 0.05


class TestMcNemar:
    def test_published(self):
        """Approval ratings (R's help page), and airway hyper-responsiveness (Fagerland et al. 2013)."""
        approval = mcnemar([[794, 86], [150, 570]], method="asymptotic", correction=True)
        assert approval.statistic == pytest.approx(16.82, abs=PRINTED)
        airway = [[1, 1], [7, 12]]
        assert mcnemar(airway).p_value == pytest.approx(0.070, abs=5e-4)
        assert mcnemar(airway, method="mid-p").p_value == pytest.approx(0.039, abs=5e-4)
        assert mcnemar(airway, method="asymptotic", correction=False).p_value == pytest.approx(0.034, abs=5e-4)
        np.testing.assert_allclose(mcnemar(airway).conf_int, [-0.517, -0.026], atol=5e-4)

    @pytest.mark.parametrize(
        ("b", "c", "n"), [(6, 16, 161), (1, 7, 21), (10, 0, 10), (0, 0, 15), (3, 3, 9), (0, 4, 30)]
    )
    def test_interval_is_of_differences_that_the_score_test_does_not_reject(self, b, c, n):
        """Against the likelihood of the share of c, maximised numerically for each difference."""

        def score(delta):
            low, high = max(0.0, -delta), (1.0 - delta) / 2.0

            def loss(q):
                parts = ((b, q + delta), (c, q), (n - b - c, 1.0 - 2.0 * q - delta))
                return -sum(count * np.log(max(share, 1e-300)) for count, share in parts if count)

            q = optimize.minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-13}).x
            return (b - c - n * delta) / np.sqrt(n * (2.0 * q + delta * (1.0 - delta)))

        table = [[n - b - c, b], [c, 0]]
        z = stats.norm.isf(0.025)
        for bound, target in zip(mcnemar(table).conf_int, (z, -z), strict=True):
            if abs(bound) < 1.0:
                assert score(bound) == pytest.approx(target, abs=1e-4)

    def test_mid_p_is_exact_less_half(self):
        for b, c in ((3, 9), (5, 5), (0, 4)):
            exact, mid = mcnemar([[1, b], [c, 1]]), mcnemar([[1, b], [c, 1]], method="mid-p")
            half = stats.binom.pmf(b, b + c, 0.5)
            assert mid.p_value == pytest.approx(min(1.0, exact.p_value - half) if b != c else 1.0, rel=1e-12)

    def test_answers_predictions_and_tables_are_the_same(self):
        rng = np.random.default_rng(1)
        truth = rng.choice(["x", "y", "z"], 60)
        a, b = (np.where(rng.random(60) < share, truth, "x") for share in (0.8, 0.5))
        right = a == truth, b == truth
        table = [[(right[0] & right[1]).sum(), (right[0] & ~right[1]).sum()],
                 [(~right[0] & right[1]).sum(), (~right[0] & ~right[1]).sum()]]  # fmt: skip
        want = mcnemar(table)
        assert mcnemar(*right) == want
        assert mcnemar(a, b, y_true=truth) == want
        assert mcnemar(right[0].astype(int), right[1].astype(float)) == want
        assert want.estimate == pytest.approx(right[0].mean() - right[1].mean())

    def test_labels(self):
        truth = pd.Series(["x", "y", "x", "y", "x", "y"], index=list("abcdef"))
        a, b = truth.where(truth.index != "b", "x"), truth.where(truth.index > "c", "y")
        mixed = [series.sample(frac=1, random_state=seed) for seed, series in enumerate((a, b, truth))]
        assert mcnemar(mixed[0], mixed[1], y_true=mixed[2]) == mcnemar(a, b, y_true=truth)

    @pytest.mark.parametrize("kind", [bool, int])
    def test_tables_with_labels(self, kind):
        """crosstab has False before True."""
        rng = np.random.default_rng(0)
        a, b = (pd.Series(rng.random(60) < share) for share in (0.9, 0.5))
        table = pd.crosstab(a.astype(kind), b.astype(kind))
        assert mcnemar(table) == mcnemar(table.iloc[::-1]) == mcnemar(a, b)
        plain = [[table.loc[kind(i), kind(j)] for j in (1, 0)] for i in (1, 0)]
        assert mcnemar(plain) == mcnemar(pd.DataFrame(plain)) == mcnemar(a, b)
        with pytest.raises(InputError, match="got .x, y.; instead of .* predictions, give the predictions and y_true"):
            mcnemar(pd.DataFrame(plain, index=["x", "y"], columns=["x", "y"]))

    def test_one_side(self):
        table = [[5, 9], [2, 5]]
        two, less, greater = (mcnemar(table, alpha=0.1, alternative=side) for side in ("two-sided", "less", "greater"))
        assert two.conf_level == 0.9
        # A bound of one side is that of two sides at twice the level.
        wide = mcnemar(table, alpha=0.2)
        assert less.conf_int == (-1.0, pytest.approx(wide.conf_int[1]))
        assert greater.conf_int == (pytest.approx(wide.conf_int[0]), 1.0)
        equal = mcnemar([[5, 4], [4, 5]], method="asymptotic")
        assert (equal.statistic, equal.p_value) == (0.0, 1.0)
        # The correction makes every p-value larger, on the far side too.
        for side in ("less", "greater"):
            corrected, plain = (
                mcnemar(table, method="asymptotic", alternative=side, correction=flag).p_value for flag in (True, False)
            )
            assert corrected > plain
            assert corrected == pytest.approx(mcnemar(table, alternative=side).p_value, abs=0.01)

    def test_alternatives(self):
        table = [[5, 9], [2, 5]]
        for method in ("exact", "mid-p", "asymptotic"):
            p = {side: mcnemar(table, method=method, alternative=side).p_value for side in ("less", "greater")}
            assert p["greater"] < 0.05 < p["less"]
        assert mcnemar(table, alternative="greater").conf_int[1] == 1.0


@pytest.mark.parametrize("test", [paired_t, wilcoxon, sign])
def test_series_are_joined_by_their_labels(test):
    a = pd.Series([3.0, 5.0, 4.0, 7.0, 5.5], index=list("vwxyz"), name="svm")
    b = pd.Series([1.0, 2.0, 2.5, 6.5, 1.5], index=list("vwxyz"), name="lda")
    result = test(a, b.sample(frac=1, random_state=0))
    assert result == test(a, b)
    assert "svm" in result.null
    assert "lda" in result.null
    assert result.p_value == test(a.to_numpy(), b.to_numpy()).p_value


def test_tables_are_joined_by_their_labels():
    a, b = (pd.DataFrame(x, columns=["first", "second"]) for x in (FOLDS, OTHERS))
    turned = b.loc[[3, 1, 0, 4, 2], ["second", "first"]]
    assert cv5x2_f(a, turned) == cv5x2_f(a, b) == cv5x2_f(FOLDS, OTHERS)


@pytest.mark.parametrize("test", [paired_t, wilcoxon, sign, cv5x2_t])
def test_swapping_the_methods_swaps_the_sides(test):
    a, b = scores(10)
    one, other = test(a, b, alternative="less"), test(b, a, alternative="greater")
    assert one.p_value == pytest.approx(other.p_value, rel=1e-12)
    np.testing.assert_allclose(one.conf_int, [-other.conf_int[1], -other.conf_int[0]], atol=1e-15)


def test_results_print_and_become_frames():
    result = cv5x2_f(FOLDS, OTHERS)
    assert isinstance(result, TestResult)
    assert "F = 1.576, df = 10 and 5, p-value = 0.3213" in str(result)
    assert list(result.tidy().columns) == [
        "estimate", "statistic", "p_value", "df", "df_resid", "conf_low", "conf_high", "method"
    ]  # fmt: skip
    assert result.to_dict()["df"] == [10, 5]
