"""Intervals of scores and of differences."""

import numpy as np
import pandas as pd
import pytest

from pwcstats import InputError, plot
from pwcstats.plot.style import COLORS, figure_of
from tests.plotting import LONG, assert_legible, boxes, chained, comparison, drawn

pytestmark = pytest.mark.one_environment


class TestScoreIntervals:
    @pytest.mark.parametrize("k", [2, 3, 6, 7, 15])
    @pytest.mark.parametrize("name", ["m{}", LONG])
    @pytest.mark.parametrize("kind", ["means", "differences"])
    def test_legible(self, k, name, kind):
        assert_legible(figure_of(plot.score_intervals(chained(k, name), kind)))

    def test_means(self):
        result = chained(4)
        figure = figure_of(plot.score_intervals(result))
        axes = figure.axes[0]
        assert axes.get_xlabel() == "mean score, 95 % interval"
        assert [label.get_text() for label in axes.get_yticklabels()] == ["m0", "m1", "m2", "m3"]
        # The best is on top.
        assert axes.get_ylim()[0] > axes.get_ylim()[1]
        dots, lines = drawn(axes)
        table = result.table
        assert dots == [(mean, row) for row, mean in enumerate(table["mean"])]
        assert lines == {row: pair for row, pair in enumerate(zip(table["conf_low"], table["conf_high"], strict=True))}
        letters = [text for text in axes.texts if text.get_position()[0] > 1]
        assert [(text.get_text(), text.get_position()[1]) for text in letters] == [
            (word, row) for row, word in enumerate(table["letters"])
        ]
        assert "methods that share a letter\ndo not differ (wilcoxon, holm, 0.05)" in [w for w, _ in boxes(figure)]

    def test_level_of_the_intervals(self):
        result = comparison([1, 2], [(0,), (1,)], alpha=0.1)
        assert figure_of(plot.score_intervals(result)).axes[0].get_xlabel() == "mean score, 90 % interval"
        assert "simultaneous 90 %" in figure_of(plot.score_intervals(result, "differences")).axes[0].get_xlabel()

    def test_differences(self):
        result = comparison([1.0, 2.0, 4.0], [(0, 1), (2,)])
        figure = figure_of(plot.score_intervals(result, "differences"))
        axes = figure.axes[0]
        assert axes.get_xlabel() == "mean difference of scores, simultaneous 95 % intervals"
        assert [label.get_text() for label in axes.get_yticklabels()] == ["m0 – m1", "m0 – m2", "m1 – m2"]
        dots, lines = drawn(axes)
        pairs = result.pairs
        assert dots == [(gap, row) for row, gap in enumerate(pairs["estimate"])]
        assert lines == {row: pair for row, pair in enumerate(zip(pairs["conf_low"], pairs["conf_high"], strict=True))}
        faces = [line.get_markerfacecolor() for line in axes.lines if line.get_marker() == "o"]
        assert faces == ["white", COLORS[1], COLORS[1]]
        inks = [line.get_color() for line in axes.lines if line.get_marker() == "o"]
        assert inks == ["0.4", COLORS[1], COLORS[1]]
        assert any(list(line.get_xdata()) == [0.0, 0.0] for line in axes.lines)
        words = [text.get_text() for text in figure.legends[0].get_texts()]
        assert words == ["significant (wilcoxon, holm, 0.05)", "not significant"]

    def test_many_pairs_are_those_of_the_best(self):
        assert len(drawn(figure_of(plot.score_intervals(chained(6), "differences")).axes[0])[0]) == 15
        result = chained(7)
        axes = figure_of(plot.score_intervals(result, "differences")).axes[0]
        assert [label.get_text() for label in axes.get_yticklabels()] == [f"m{place}" for place in range(1, 7)]
        assert axes.get_xlabel().endswith("m0 (best) – each of these methods, 6 of 21 pairs")
        assert drawn(axes)[0] == [(gap, row) for row, gap in enumerate(result.pairs["estimate"][:6])]

    def test_zero_is_within(self):
        result = comparison([1.0, 5.0, 9.0], [(0,), (1,), (2,)])
        result.pairs[["estimate", "conf_low", "conf_high"]] += 3.0
        low, high = figure_of(plot.score_intervals(result, "differences")).axes[0].get_xlim()
        assert low < 0.0 < high

    def test_infinite_ends_are_arrows(self):
        result = comparison([1.0, 2.0, 4.0], [(0, 1), (2,)])
        result.pairs["conf_high"] = [np.inf, 0.2, np.inf]
        result.pairs["conf_low"] = [0.01, 0.1, -np.inf]
        figure = figure_of(plot.score_intervals(result, "differences"))
        assert_legible(figure)
        axes = figure.axes[0]
        arrows = {(line.get_marker(), *line.get_xydata()[0]) for line in axes.lines if line.get_marker() in "<>"}
        low, high = axes.get_xlim()
        assert arrows == {(">", high, 0), (">", high, 2), ("<", low, 2)}
        assert drawn(axes)[1] == {0: (0.01, high), 1: (0.1, 0.2), 2: (low, high)}

    def test_pairs_without_a_test_stay(self):
        result = comparison([1.0, 2.0, 4.0], [(0, 1), (2,)])
        # With what cannot be said there is neither an interval nor, maybe, a verdict.
        result.pairs["significant"] = result.pairs["significant"].astype("boolean")
        result.pairs.loc[1, ["estimate", "conf_low", "conf_high", "p_value"]] = np.nan
        result.pairs.loc[1, "significant"] = pd.NA
        result.pairs.loc[2, ["conf_low", "conf_high"]] = np.nan
        figure = figure_of(plot.score_intervals(result, "differences"))
        assert_legible(figure)
        axes = figure.axes[0]
        assert len(axes.get_yticklabels()) == 3
        assert [(text.get_text(), text.get_position()[1]) for text in axes.texts] == [("no test", 1)]
        dots, lines = drawn(axes)
        assert [row for _, row in dots] == [0, 2]
        assert set(lines) == {0}

    def test_nothing_but_missing_estimates(self):
        result = comparison([1.0, 2.0], [(0, 1)])
        result.pairs[["estimate", "conf_low", "conf_high"]] = np.nan
        assert [t.get_text() for t in figure_of(plot.score_intervals(result, "differences")).axes[0].texts] == [
            "no test"
        ]

    def test_what_is_refused(self):
        with pytest.raises(InputError, match="kind must be one of 'means', 'differences', got 'ranks'"):
            plot.score_intervals(chained(3), "ranks")
        with pytest.raises(
            InputError, match="score_intervals compares methods, got 1 of them; pass the scores of at least two"
        ):
            plot.score_intervals(comparison([1.0], [(0,)]))
