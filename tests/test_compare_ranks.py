"""Tests of mean ranks, adjusted p-values and letters, against slow reference implementations and published figures."""

from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pwcstats import InputError
from pwcstats.compare import (
    adjust,
    cochran_q,
    friedman,
    mcnemar,
    mean_ranks,
    nemenyi,
    rank_tests,
)
from pwcstats.compare.cliques import cliques, letters

# Demšar (2006), Table 6: AUC of C4.5 with parameters m and cf tuned or not. The last two of the last row but one are
# printed alike, 0.975, but have ranks 2 and 3.
DEMSAR = pd.DataFrame(
    [
        (0.763, 0.768, 0.771, 0.798), (0.599, 0.591, 0.590, 0.569), (0.954, 0.971, 0.968, 0.967),
        (0.628, 0.661, 0.654, 0.657), (0.882, 0.888, 0.886, 0.898), (0.936, 0.931, 0.916, 0.931),
        (0.661, 0.668, 0.609, 0.685), (0.583, 0.583, 0.563, 0.625), (0.775, 0.838, 0.866, 0.875),
        (1.000, 1.000, 1.000, 1.000), (0.940, 0.962, 0.965, 0.962), (0.619, 0.666, 0.614, 0.669),
        (0.972, 0.981, 0.975, 0.9749), (0.957, 0.978, 0.946, 0.970),
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)  # fmt: skip
# Figures are printed with two or three decimals.
PRINTED = 0.005 + 1e-9


class TestLetters:
    @given(st.integers(2, 8), st.randoms(use_true_random=False))
    def test_share_a_letter_if_and_only_if_they_do_not_differ(self, k, random):
        differ = np.zeros((k, k), bool)
        for i, j in combinations(range(k), 2):
            differ[i, j] = differ[j, i] = random.random() < 0.4
        groups = cliques(range(k), differ)
        marks = letters(groups, list(range(k)))
        for i, j in combinations(range(k), 2):
            assert bool(set(marks[i]) & set(marks[j])) != differ[i, j]
        # Each group is as large as can be, and none is in another.
        for group in groups:
            assert not any(not differ[list(group), other].any() for other in set(range(k)) - set(group))
        assert len({frozenset(group) for group in groups}) == len(groups)

    def test_letters_go_on(self):
        groups = [(index,) for index in range(60)]
        marks = letters(groups, list(range(60)))
        assert marks[0] == "a"
        assert marks[26] == "A"
        assert len(set(marks)) == 60


class TestRanks:
    def test_demsar(self):
        """Table 6 and Section 3.2 of the paper, which does not correct for ties."""
        np.testing.assert_allclose(mean_ranks(DEMSAR), [3.143, 2.000, 2.893, 1.964], atol=5e-4)
        n, k = DEMSAR.shape
        chi2 = 12 * n / (k * (k + 1)) * ((mean_ranks(DEMSAR) ** 2).sum() - k * (k + 1) ** 2 / 4)
        assert chi2 == pytest.approx(9.28, abs=PRINTED)
        # The mushrooms tie all four: R corrects for ties, and so do we.
        assert friedman(DEMSAR).statistic == pytest.approx(chi2 / (1 - ties(DEMSAR) / (n * k * (k * k - 1))), rel=1e-9)
        assert friedman(DEMSAR, statistic="F").df == (3, 39)
        assert nemenyi(DEMSAR).critical_difference == pytest.approx(1.25, abs=PRINTED)
        assert nemenyi(DEMSAR, alpha=0.1).critical_difference == pytest.approx(1.12, abs=PRINTED)
        dunn = rank_tests(DEMSAR, control="C4.5", adjust="bonferroni")
        assert dunn.critical_difference == pytest.approx(1.16, abs=PRINTED + 0.005)
        holm = rank_tests(DEMSAR, control="C4.5").pairs.set_index("method_b")
        # Printed from z of three digits.
        np.testing.assert_allclose(
            holm.loc[["C4.5+m+cf", "C4.5+m", "C4.5+cf"], "p_value"], [0.016, 0.019, 0.607], atol=2e-3
        )

    def test_two_methods_by_cochran_are_mcnemar(self):
        rng = np.random.default_rng(0)
        right = rng.random((50, 2)) < [0.8, 0.6]
        q = cochran_q(right)
        chi2 = mcnemar(right[:, 0], right[:, 1], method="asymptotic", correction=False)
        assert (q.statistic, q.p_value) == (pytest.approx(chi2.statistic), pytest.approx(chi2.p_value))

    @pytest.mark.parametrize("digits", [0, 8])
    def test_exact_is_all_permutations(self, digits):
        """Against every permutation of the scores within each data set."""
        rng = np.random.default_rng(1)
        for n, k in ((2, 3), (4, 3), (3, 4)):
            wide = (2 * rng.random((n, k))).round(digits)
            seen = friedman(wide).statistic
            rest = [list(permutations(row)) for row in wide[1:]]
            all_of = [friedman(np.array([wide[0], *rows])).statistic for rows in product(*rest)]
            want = np.mean(np.array(all_of) >= seen - 1e-9)
            assert friedman(wide, statistic="exact").p_value == pytest.approx(want, abs=1e-12)
            assert friedman(wide, statistic="auto").p_value == friedman(wide, statistic="exact").p_value

    def test_f_is_too_bold_with_three_data_sets(self):
        wide = [[0.9, 0.8, 0.7], [0.9, 0.8, 0.7], [0.9, 0.7, 0.8]]
        assert friedman(wide, statistic="F").p_value < 0.05 < friedman(wide, statistic="exact").p_value

    def test_too_many_permutations(self):
        wide = np.random.default_rng(0).random((30, 6))
        with pytest.raises(InputError, match="6 methods on 30 data sets have too many permutations; use statistic='F'"):
            friedman(wide, statistic="exact")
        assert friedman(wide, statistic="auto").statistic_name == "F"

    def test_critical_differences_of_steps(self):
        assert rank_tests(DEMSAR).critical_difference is None
        single, family = (rank_tests(DEMSAR, adjust=how).pairs.iloc[0] for how in ("bh", "bonferroni"))
        se = np.sqrt(4 * 5 / (6 * 14))
        assert single["conf_high"] - single["estimate"] == pytest.approx(stats.norm.isf(0.025) * se)
        assert family["conf_high"] - family["estimate"] == pytest.approx(stats.norm.isf(0.025 / 6) * se)
        np.testing.assert_allclose(
            rank_tests(DEMSAR, alpha=0.1).pairs["statistic"], rank_tests(DEMSAR).pairs["statistic"]
        )

    def test_f_where_all_data_sets_agree(self):
        """Permutations: each of the other sets agrees with the first in one of 3! orders."""
        result = friedman([[3, 2, 1], [6, 5, 4], [9, 8, 1]], statistic="F")
        assert result.statistic == np.inf
        assert result.p_value == pytest.approx((1 / 6) ** 2)
        assert "rank the methods in the same order" in result.notes[0]
        # Ties may change places: one of four is ahead.
        tied = [[3, 1, 1, 1], [3, 1, 1, 1], [5, 2, 2, 2], [9, 1, 1, 1]]
        assert friedman(tied, statistic="F").p_value == pytest.approx(1 / 4**3)
        assert friedman(tied, statistic="exact").p_value == pytest.approx(1 / 4**3)

    def test_lower_is_better_turns_the_ranks_round(self):
        up, down = mean_ranks(DEMSAR), mean_ranks(DEMSAR, higher_is_better=False)
        np.testing.assert_allclose(up + down, 5.0)
        assert friedman(DEMSAR).p_value == friedman(DEMSAR, higher_is_better=False).p_value

    def test_means_that_differ_by_rounding_tie(self):
        wide = pd.DataFrame({"a": [0.1 + 0.2, 0.5, 1.0], "b": [0.3, 0.5, 2.0]})
        assert wide["a"][0] != wide["b"][0]
        np.testing.assert_allclose(mean_ranks(wide), [5 / 3, 4 / 3])
        # What is rounding in one data set is a difference in another.
        np.testing.assert_allclose(mean_ranks([[1e12, 1e12], [0.1, 0.2]]), [1.75, 1.25])

    def test_pairs_and_square_table_are_the_same(self):
        result = nemenyi(DEMSAR)
        table = result.p_values
        assert (np.diag(table) == 1.0).all()
        for row in result.pairs.itertuples():
            assert table.loc[row.method_a, row.method_b] == table.loc[row.method_b, row.method_a] == row.p_adjusted
            # The interval and the p-value say the same.
            assert (row.conf_low > 0) == (row.p_adjusted < 0.05)


def ties(wide):
    counts = [np.unique(row, return_counts=True)[1] for row in wide.to_numpy()]
    return sum((c**3 - c).sum() for c in counts)


class TestAdjust:
    def test_shaffer_is_its_definition(self):
        """Against the possible numbers of equal pairs, counted over all partitions into groups."""
        rng = np.random.default_rng(0)
        for k in range(2, 7):
            m = k * (k - 1) // 2
            possible = {sum(a == b for i, a in enumerate(g) for b in g[:i]) for g in product(range(k), repeat=k)}
            p = rng.random(m) ** 3
            order = np.argsort(p)
            factor = [max(s for s in possible if s <= m - i) for i in range(m)]
            want = np.empty(m)
            want[order] = np.minimum(1.0, np.maximum.accumulate(factor * p[order]))
            np.testing.assert_allclose(adjust(p, "shaffer"), want, rtol=1e-14)
            assert (adjust(p, "shaffer") <= adjust(p, "holm") + 1e-15).all()

    def test_shaffer_of_pairs_without_a_test(self):
        """The third hypothesis may be true, and so may then all three be."""
        np.testing.assert_allclose(adjust([0.03, 0.03, np.nan], "shaffer"), [0.06, 0.06, np.nan])

    def test_labels_stay_and_nothing_changes(self):
        p = pd.Series([0.01, np.nan, 0.02], index=["x", "y", "z"], name="p")
        result = adjust(p)
        np.testing.assert_allclose(result, [0.02, np.nan, 0.02])
        assert list(result.index) == ["x", "y", "z"]
        assert p["x"] == 0.01

    def test_aliases(self):
        p = [0.01, 0.02, 0.2]
        np.testing.assert_array_equal(adjust(p, "BH"), adjust(p, "fdr_bh"))
        np.testing.assert_array_equal(adjust(p, "none"), p)


def test_ranks_are_in_the_dict():
    assert friedman(DEMSAR).to_dict()["ranks"]["C4.5+m"] == 2.0


def test_shaffer_with_many_methods():
    """The numbers of hypotheses that can be true together, against an enumeration of partitions; and 300 methods."""

    def pairs(n, largest):
        if n == 0:
            return {0}
        return {s * (s - 1) // 2 + rest for s in range(1, min(n, largest) + 1) for rest in pairs(n - s, s)}

    for k in range(2, 13):
        m = k * (k - 1) // 2
        p = np.full(m, 1e-4)
        p[0] = 1e-5
        factor = [max(x for x in pairs(k, k) if x <= m - rejected) for rejected in range(m)]
        expected = np.maximum.accumulate(np.sort(p) * factor)
        np.testing.assert_allclose(adjust(p, "shaffer"), expected, rtol=1e-12)
    p = np.linspace(1e-9, 1e-6, 300 * 299 // 2)
    assert np.all(adjust(p, "shaffer") <= adjust(p, "holm"))
