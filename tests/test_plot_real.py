"""Figures of real comparisons."""

import numpy as np
import pandas as pd
import pytest

from pwcstats import InputError, compare, plot
from pwcstats.plot.style import COLORS, figure_of
from tests.plotting import LONG, assert_legible, bars, boxes, cell_colors, drawn, elbows, scores

pytestmark = pytest.mark.one_environment


class TestRealComparisons:
    @pytest.mark.parametrize("k", [2, 5, 15])
    def test_ranks(self, k):
        wide = scores(k, name=LONG)
        result = compare.compare_methods(wide, test="nemenyi")
        figure = figure_of(plot.critical_difference(result))
        assert_legible(figure)
        axes = figure.axes[0]
        ranks = wide.rank(axis=1, ascending=False).mean().sort_values()
        np.testing.assert_allclose([line[0, 0] for line in elbows(axes)], ranks)
        # Nemenyi's cliques are the longest runs within the critical difference.
        reach = result.critical_difference
        runs = {tuple(np.flatnonzero((ranks >= low) & (ranks <= low + reach))) for low in ranks}
        longest = [r for r in runs if len(r) > 1 and not any(set(r) < set(other) for other in runs)]
        found = sorted(members for *_, members in bars(axes))
        assert len(found) == len(longest)
        for members, run in zip(found, sorted(longest), strict=True):
            np.testing.assert_allclose(members, ranks.iloc[list(run)])
        # Scores are compared on the way.
        again = figure_of(plot.critical_difference(wide)).axes[0]
        assert [text.get_text() for text in again.texts] == [text.get_text() for text in axes.texts]
        assert any("critical difference = " in text.get_text() for text in again.texts)

    def test_other_tests(self):
        result = compare.compare_methods(scores(6), test="wilcoxon")
        figure = figure_of(plot.critical_difference(result))
        assert_legible(figure)
        joined = [clique for clique in result.cliques if len(clique) > 1]
        assert joined
        expected = sorted(sorted(result.table.loc[list(clique), "rank"]) for clique in joined)
        assert sorted(members for *_, members in bars(figure.axes[0])) == expected
        assert any("(wilcoxon, holm, 0.05)" in text.get_text() for text in figure.axes[0].texts)

    @pytest.mark.parametrize("k", [2, 5])
    def test_means(self, k):
        wide = scores(k, name=LONG)
        result = compare.compare_methods(wide)
        figure = figure_of(plot.score_intervals(result))
        assert_legible(figure)
        axes = figure.axes[0]
        names = [label.get_text() for label in axes.get_yticklabels()]
        assert names == list(result.table.index)
        np.testing.assert_allclose([x for x, _ in drawn(axes)[0]], wide[names].mean())
        again = figure_of(plot.score_intervals(wide)).axes[0]
        assert drawn(again) == drawn(axes)

    @pytest.mark.parametrize(
        ("k", "test"), [(2, "auto"), (5, "auto"), (5, "nemenyi"), (15, "nemenyi"), (15, "paired_t")]
    )
    def test_differences(self, k, test):
        result = compare.compare_methods(scores(k, name=LONG), test=test)
        figure = figure_of(plot.score_intervals(result, "differences"))
        assert_legible(figure)
        axes = figure.axes[0]
        first = result.pairs.iloc[: 10 if k == 5 else k - 1]
        dots, lines = drawn(axes)
        assert dots == [(gap, row) for row, gap in enumerate(first["estimate"])]
        faces = [line.get_markerfacecolor() for line in axes.lines if line.get_marker() == "o"]
        assert faces == [COLORS[1] if differ else "white" for differ in first["significant"]]
        finite = {row: (a, b) for row, (a, b) in enumerate(zip(first["conf_low"], first["conf_high"], strict=True))}
        assert {row: ends for row, ends in lines.items() if np.isfinite(finite[row]).all()} == {
            row: ends for row, ends in finite.items() if np.isfinite(ends).all()
        }
        assert "simultaneous 95 % intervals" in axes.get_xlabel()
        assert ("above 0 where the first method is better" in axes.get_xlabel()) == (test == "nemenyi")

    def test_intervals_one_by_one(self):
        result = compare.compare_methods(scores(4), adjust="bh")
        label = figure_of(plot.score_intervals(result, "differences")).axes[0].get_xlabel()
        assert label == "pseudomedian, 95 % intervals"

    def test_pairs_without_a_test(self):
        wide = scores(3)
        wide["m1"] = wide["m0"] - 0.125
        result = compare.compare_methods(wide, test="paired_t")
        row = int(np.flatnonzero(result.pairs["estimate"].isna())[0])
        figure = figure_of(plot.score_intervals(result, "differences"))
        assert_legible(figure)
        assert [(t.get_text(), t.get_position()[1]) for t in figure.axes[0].texts] == [("no test", row)]
        assert sorted(place for _, place in drawn(figure.axes[0])[0]) == sorted({0, 1, 2} - {row})

    @pytest.mark.parametrize("k", [4, 20])
    def test_control(self, k):
        result = compare.compare_methods(scores(k), test="paired_t", control="m2")
        figure = figure_of(plot.score_intervals(result, "differences"))
        assert_legible(figure)
        axes = figure.axes[0]
        assert "m2 (control) – each of these methods" in axes.get_xlabel()
        assert [label.get_text() for label in axes.get_yticklabels()] == result.pairs["method_b"].tolist()
        assert drawn(axes)[0] == [(gap, row) for row, gap in enumerate(result.pairs["estimate"])]
        assert not any("letter" in words for words, _ in boxes(figure_of(plot.score_intervals(result))))
        with pytest.raises(
            InputError, match="needs comparisons of all pairs, got comparisons with the control 'm2'; omit"
        ):
            plot.critical_difference(result)

    def test_map(self):
        rng = np.random.default_rng(0)
        tidy = pd.DataFrame(
            [
                {"alpha": a, "rho": r, "method": m, "repeat": i, "fold": f, "score": rng.normal(0.7 + lift, 0.02)}
                for a in (0.1, 0.5, 0.9)
                for r in (0.0, 0.4)
                for m, lift in (("lda", 0.1 * a), ("nb", 0.07 * (1 - r)), ("pwc", 0.0))
                for i in range(5)
                for f in range(4)
            ]
        )
        table = compare.winners(tidy, by=["alpha", "rho"])
        figure = figure_of(plot.significance_map(table, "alpha", "rho"))
        assert_legible(figure)
        best = tidy.groupby(["rho", "alpha", "method"])["score"].mean().unstack().idxmax(axis=1).unstack()
        assert set(best.to_numpy().ravel()) == {"lda", "nb"}
        names = sorted(set(table["best"]) | set(table["second"]))
        sure = table.pivot(index="rho", columns="alpha", values="p_adjusted").to_numpy() <= 0.05
        assert 0 < sure.sum() < 6
        letters = {text.get_position(): text for text in figure.axes[1].texts}
        for i, j in np.ndindex(2, 3):
            assert letters[j, i].get_text() == "ABC"[names.index(best.iloc[i, j])]
            assert letters[j, i].get_weight() == ("bold" if sure[i, j] else "normal")
        again = figure_of(plot.significance_map(tidy, "alpha", "rho"))
        for one, other in zip(figure.axes, again.axes, strict=True):
            np.testing.assert_array_equal(cell_colors(one), cell_colors(other))
        with pytest.raises(InputError, match=r"test='paired_t' .* \(call it yourself, and pass its result to"):
            plot.significance_map(tidy[tidy["fold"] == 0].drop(columns="fold"), "alpha", "rho")
        with pytest.raises(InputError, match="two methods or more"):
            plot.significance_map(tidy[tidy["method"] == "nb"], "alpha", "rho")

    def test_what_is_refused(self):
        for figure in (plot.critical_difference, plot.score_intervals):
            with pytest.raises(InputError, match="two methods or more, got 20 x 1"):
                figure(scores(1))
            with pytest.raises(InputError, match="two methods or more, got 0 x 0"):
                figure(pd.DataFrame())
