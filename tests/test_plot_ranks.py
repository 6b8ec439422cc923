"""Critical difference diagrams."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure

from pwcstats import InputError, plot
from pwcstats.plot.style import figure_of
from tests.plotting import LONG, assert_legible, bars, chained, comparison, elbows

pytestmark = pytest.mark.one_environment


def test_that_the_check_of_texts_can_fail():
    figure = Figure(figsize=(4, 3))
    for place, words in ((0.3, "some words"), (0.35, "on others"), (0.6, "and"), (0.8, "more")):
        figure.text(place, 0.5, words)
    with pytest.raises(AssertionError, match="'some words' is on 'on others'"):
        assert_legible(figure)
    figure.text(0.95, 0.1, "that are cut off")
    with pytest.raises(AssertionError, match="cut off"):
        assert_legible(figure)


class TestCriticalDifference:
    @pytest.mark.parametrize("k", [2, 3, 5, 15, 24])
    @pytest.mark.parametrize("name", ["m{}", LONG])
    @pytest.mark.parametrize("cd", [None, 2.34])
    def test_legible(self, k, name, cd):
        for tie in (False, True):
            result = chained(k, name, cd, tie)
            found = assert_legible(figure_of(plot.critical_difference(result)))
            assert sum(name.format(place) in words for place in range(k) for words, _ in found) >= k

    def test_names_lead_to_their_ranks(self):
        result = chained(7)
        axes = figure_of(plot.critical_difference(result)).axes[0]
        assert axes.get_xlabel() == "mean rank (1 is best)"
        assert axes.get_xlim() == (1, 7)
        assert axes.get_xticks().tolist() == list(range(1, 8))
        ranks = result.table["rank"].to_numpy()
        lines = elbows(axes)
        np.testing.assert_array_equal([line[0] for line in lines], [(rank, 0.0) for rank in ranks])
        np.testing.assert_array_equal([line[1, 0] for line in lines], ranks)
        # Names are at the ends of the lines, the better ones on the left.
        by_place = {text.get_position(): text.get_text() for text in axes.texts}
        for number, line in enumerate(lines):
            left = number < 4
            assert line[2, 0] == (1 if left else 7)
            words = by_place[-0.015 if left else 1.015, line[2, 1]]
            assert words == (f"m{number}  {ranks[number]:.2f}" if left else f"{ranks[number]:.2f}  m{number}")
        # On either side, the outermost is nearest to the axis: no line crosses another.
        depth = np.array([line[2, 1] for line in lines])
        assert (np.diff(depth[:4]) > 0).all()
        assert (np.diff(depth[4:]) < 0).all()

    def test_bars_join_the_members_of_cliques(self):
        # The second clique passes over m2; the last is of one method alone.
        result = comparison([1.0, 2.0, 2.5, 4.0, 5.5], [(0, 1), (1, 3), (2, 3), (4,)])
        axes = figure_of(plot.critical_difference(result)).axes[0]
        found = bars(axes)
        assert [members for *_, members in found] == [[1.0, 2.0], [2.0, 4.0], [2.5, 4.0]]
        for low, high, height, members in found:
            assert members[0] - 0.1 < low < members[0]
            assert members[-1] < high < members[-1] + 0.1
            assert 0 < height < min(line[2, 1] for line in elbows(axes))
        # The first and the last are not above each other, and may share a line.
        assert found[0][2] != found[1][2] != found[2][2]
        words = [text.get_text() for text in axes.texts]
        assert "bars join methods that do not differ (wilcoxon, holm, 0.05)" in words

    def test_members_need_not_be_in_the_order_of_ranks(self):
        result = comparison([3.0, 1.0, 2.0, 4.0], [(0, 1), (3, 2)])
        axes = figure_of(plot.critical_difference(result)).axes[0]
        assert sorted(members for *_, members in bars(axes)) == [[1.0, 3.0], [2.0, 4.0]]
        ends = {text.get_text() for text in axes.texts}
        assert {"m1  1.00", "m2  2.00", "3.00  m0", "4.00  m3"} <= ends

    @pytest.mark.parametrize("seed", range(5))
    def test_bars_do_not_cover_each_other(self, seed):
        rng = np.random.default_rng(seed)
        ranks = np.sort(rng.uniform(1, 12, 12))
        cliques = [tuple(sorted(rng.choice(12, 3, replace=False))) for _ in range(14)]
        figure = figure_of(plot.critical_difference(comparison(ranks, cliques)))
        assert_legible(figure)
        found = bars(figure.axes[0])
        assert [members for *_, members in found] == [ranks[list(clique)].tolist() for clique in cliques]
        for one, other in combinations(found, 2):
            assert one[2] != other[2] or one[1] < other[0] or other[1] < one[0]

    def test_ruler(self):
        axes = figure_of(plot.critical_difference(chained(5, cd=1.234))).axes[0]
        lines = [line.get_xydata() for line in axes.lines if line.get_color() == "black"]
        ruler = max(lines, key=lambda line: np.ptp(line[:, 0]))
        assert ruler[:, 0].tolist() == [1.0, 2.234]
        assert ruler[0, 1] == ruler[1, 1] < 0
        words = [text.get_text() for text in axes.texts]
        assert "critical difference = 1.23" in words
        assert not any("bars" in text for text in words)

    def test_ruler_longer_than_the_axis(self):
        figure = figure_of(plot.critical_difference(chained(2, LONG, cd=1.5)))
        assert_legible(figure)
        axes = figure.axes[0]
        assert axes.get_xlim() == (1, 2.5)
        assert axes.spines["top"].get_bounds() == (1, 2)

    def test_ties_that_a_bar_tells_apart_have_letters(self):
        # m1 and m2 have the same place, and only m1 is like m0.
        result = comparison([1.5, 2.0, 2.0, 3.5], [(0, 1), (1, 2), (3,)])
        figure = figure_of(plot.critical_difference(result))
        assert_legible(figure)
        words = [text.get_text() for text in figure.axes[0].texts]
        assert {"m0 [a]  1.50", "m1 [ab]  2.00", "2.00  m2 [b]", "3.50  m3 [c]"} <= set(words)
        assert "bars and shared letters join methods that do not differ (wilcoxon, holm, 0.05)" in words
        tied = comparison([1.5, 2.0, 2.0, 3.5], [(0, 1, 2), (3,)])
        assert not any("[" in text.get_text() for text in figure_of(plot.critical_difference(tied)).axes[0].texts)

    def test_methods_of_the_same_rank_have_a_bar(self):
        found = bars(figure_of(plot.critical_difference(comparison([1.5, 1.5], [(0, 1)]))).axes[0])
        assert found[0][3] == [1.5, 1.5]
        assert found[0][0] < 1.5 < found[0][1]

    def test_all_differ(self):
        axes = figure_of(plot.critical_difference(comparison([1, 2, 3], [(0,), (1,), (2,)]))).axes[0]
        assert bars(axes) == []
        assert "all methods differ (wilcoxon, holm, 0.05)" in [text.get_text() for text in axes.texts]

    def test_axes_of_a_larger_figure(self):
        # Lower than the first would be by itself: its text must be smaller.
        figure = Figure(figsize=(11, 3.6), layout="constrained")
        panels = figure.subplots(2, 1)
        assert plot.critical_difference(chained(12, LONG, cd=2.0), ax=panels[0]) is panels[0]
        assert plot.critical_difference(chained(3, LONG), ax=panels[1]) is panels[1]
        assert_legible(figure)
        assert [len(elbows(axes)) for axes in panels] == [12, 3]

    def test_what_is_refused(self):
        with pytest.raises(InputError, match="result must be a comparison, as compare_methods returns it, .* got None"):
            plot.critical_difference(None)
        with pytest.raises(InputError, match="critical_difference compares methods, got 1 of them; pass the scores"):
            plot.critical_difference(comparison([1.0], [(0,)]))
        result = chained(3)
        with pytest.raises(InputError, match=r"needs the columns \(rank, letters\) in .* none called \(rank\); pass"):
            plot.critical_difference(SimpleNamespace(table=result.table.drop(columns="rank"), pairs=result.pairs))
        with pytest.raises(InputError, match="ax must be matplotlib's Axes, got str"):
            plot.critical_difference(result, ax="here")
