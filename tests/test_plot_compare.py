"""Figures of compared methods: what is drawn against the comparison, and whether it can be read."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from pwcstats import InputError, compare, plot
from pwcstats.plot.style import COLORS, area_colors
from tests.drawing import hue

LONG = "PairwiseClassifier (LDA or {:02d})"


def comparison(ranks, cliques, name="m{}", cd=None, **change):
    """A result of compare_methods with given mean ranks and cliques, both by number."""
    k = len(ranks)
    names = [name.format(place) for place in range(k)]
    letters = [
        "".join(
            letter for letter, clique in zip("abcdefghijklmnopqrstuvwxyz", cliques, strict=False) if place in clique
        )
        for place in range(k)
    ]
    mean = 0.9 - 0.03 * np.asarray(ranks, dtype=float)
    sizes = {"mean": mean, "sd": 0.02, "conf_low": mean - 0.02, "conf_high": mean + 0.02, "rank": ranks}
    table = pd.DataFrame({**sizes, "letters": letters}, index=pd.Index(names, name="method"))
    pairs = []
    for a, b in combinations(range(k), 2):
        gap, same = mean[a] - mean[b], any(a in clique and b in clique for clique in cliques)
        pairs.append((names[a], names[b], gap, gap, gap - 0.04, gap + 0.05, 1.0, 0.5, 0.5 if same else 0.01, not same))
    columns = "method_a method_b mean_difference estimate conf_low conf_high statistic p_value p_adjusted significant"
    known = {
        "table": table,
        "pairs": pd.DataFrame(pairs, columns=columns.split()),
        "cliques": [tuple(names[place] for place in clique) for clique in cliques],
        "critical_difference": cd,
        "test": "wilcoxon" if cd is None else "nemenyi",
        "adjust": "holm" if cd is None else "none",
        "control": None,
        "alpha": 0.05,
        "higher_is_better": True,
        "estimate_name": "mean difference of scores",
    }
    return SimpleNamespace(**{**known, **change})


def chained(k, name="m{}", cd=None, tie=False):
    """Methods at ranks 1.2, ..., each with two cliques of neighbours."""
    ranks = np.linspace(1.2, k - 0.3, k)
    if tie:
        ranks[k // 2] = ranks[k // 2 - 1]
    cliques = [tuple(range(start, min(start + 3, k))) for start in range(max(1, k - 2))]
    return comparison(ranks, cliques, name, cd)


def scores(k, n=20, name="m{}", seed=0, spread=0.03):
    rng = np.random.default_rng(seed)
    gaps = 0.8 - 0.02 * np.arange(k)
    return pd.DataFrame(gaps + rng.normal(0, spread, (n, k)), columns=[name.format(place) for place in range(k)])


def boxes(figure):
    """Places of all texts on a drawn figure, by what they say and where they begin."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    unseen = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not low <= tick.get_loc() <= high:
                    unseen |= {tick.label1, tick.label2}
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text() and text not in unseen]
    return [(text.get_text(), text.get_window_extent(canvas.get_renderer())) for text in texts]


def assert_legible(figure):
    found = boxes(figure)
    assert len(found) > 3
    width, height = figure.bbox.size
    for words, box in found:
        assert box.x0 >= 0, words
        assert box.y0 >= 0, words
        assert box.x1 <= width, words
        assert box.y1 <= height, words
    for (words, box), (others, other) in combinations(found, 2):
        over = min(box.x1, other.x1) - max(box.x0, other.x0), min(box.y1, other.y1) - max(box.y0, other.y0)
        assert min(over) <= 0, f"{words!r} is on {others!r}"
    return found


def test_that_the_check_of_texts_can_fail():
    figure = Figure(figsize=(4, 3))
    for place, words in ((0.3, "some words"), (0.35, "on others"), (0.6, "and"), (0.8, "more")):
        figure.text(place, 0.5, words)
    with pytest.raises(AssertionError, match="'some words' is on 'on others'"):
        assert_legible(figure)
    figure.text(0.95, 0.1, "that are cut off")
    with pytest.raises(AssertionError, match="cut off"):
        assert_legible(figure)


def bars(axes):
    """Ends and height of each bar, and the dots on it."""
    blue = [line for line in axes.lines if line.get_color() == COLORS[0]]
    found = [line.get_xydata() for line in blue if line.get_marker() == "None"]
    dots = [line.get_xydata() for line in blue if line.get_marker() == "o"]
    assert len(found) == len(dots)
    for bar, members in zip(found, dots, strict=True):
        assert (members[:, 1] == bar[0, 1]).all()
        assert bar[0, 1] == bar[1, 1]
    return [(bar[0, 0], bar[1, 0], bar[0, 1], members[:, 0].tolist()) for bar, members in zip(found, dots, strict=True)]


def elbows(axes):
    return [line.get_xydata() for line in axes.lines if len(line.get_xdata()) == 3 and line.get_marker() == "None"]


class TestCriticalDifference:
    @pytest.mark.parametrize("k", [2, 3, 5, 15, 24])
    @pytest.mark.parametrize("name", ["m{}", LONG])
    @pytest.mark.parametrize("cd", [None, 2.34])
    def test_legible(self, k, name, cd):
        for tie in (False, True):
            result = chained(k, name, cd, tie)
            found = assert_legible(plot.critical_difference(result))
            assert sum(name.format(place) in words for place in range(k) for words, _ in found) >= k

    def test_names_lead_to_their_ranks(self):
        result = chained(7)
        axes = plot.critical_difference(result).axes[0]
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
        axes = plot.critical_difference(result).axes[0]
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
        axes = plot.critical_difference(result).axes[0]
        assert sorted(members for *_, members in bars(axes)) == [[1.0, 3.0], [2.0, 4.0]]
        ends = {text.get_text() for text in axes.texts}
        assert {"m1  1.00", "m2  2.00", "3.00  m0", "4.00  m3"} <= ends

    @pytest.mark.parametrize("seed", range(5))
    def test_bars_do_not_cover_each_other(self, seed):
        rng = np.random.default_rng(seed)
        ranks = np.sort(rng.uniform(1, 12, 12))
        cliques = [tuple(sorted(rng.choice(12, 3, replace=False))) for _ in range(14)]
        figure = plot.critical_difference(comparison(ranks, cliques))
        assert_legible(figure)
        found = bars(figure.axes[0])
        assert [members for *_, members in found] == [ranks[list(clique)].tolist() for clique in cliques]
        for one, other in combinations(found, 2):
            assert one[2] != other[2] or one[1] < other[0] or other[1] < one[0]

    def test_ruler(self):
        axes = plot.critical_difference(chained(5, cd=1.234)).axes[0]
        lines = [line.get_xydata() for line in axes.lines if line.get_color() == "black"]
        ruler = max(lines, key=lambda line: np.ptp(line[:, 0]))
        assert ruler[:, 0].tolist() == [1.0, 2.234]
        assert ruler[0, 1] == ruler[1, 1] < 0
        words = [text.get_text() for text in axes.texts]
        assert "critical difference = 1.23" in words
        assert not any("bars" in text for text in words)

    def test_ruler_longer_than_the_axis(self):
        figure = plot.critical_difference(chained(2, LONG, cd=1.5))
        assert_legible(figure)
        axes = figure.axes[0]
        assert axes.get_xlim() == (1, 2.5)
        assert axes.spines["top"].get_bounds() == (1, 2)

    def test_ties_that_a_bar_tells_apart_have_letters(self):
        # m1 and m2 have the same place, and only m1 is like m0.
        result = comparison([1.5, 2.0, 2.0, 3.5], [(0, 1), (1, 2), (3,)])
        figure = plot.critical_difference(result)
        assert_legible(figure)
        words = [text.get_text() for text in figure.axes[0].texts]
        assert {"m0 [a]  1.50", "m1 [ab]  2.00", "2.00  m2 [b]", "3.50  m3 [c]"} <= set(words)
        assert "bars and shared letters join methods that do not differ (wilcoxon, holm, 0.05)" in words
        tied = comparison([1.5, 2.0, 2.0, 3.5], [(0, 1, 2), (3,)])
        assert not any("[" in text.get_text() for text in plot.critical_difference(tied).axes[0].texts)

    def test_methods_of_the_same_rank_have_a_bar(self):
        found = bars(plot.critical_difference(comparison([1.5, 1.5], [(0, 1)])).axes[0])
        assert found[0][3] == [1.5, 1.5]
        assert found[0][0] < 1.5 < found[0][1]

    def test_all_differ(self):
        axes = plot.critical_difference(comparison([1, 2, 3], [(0,), (1,), (2,)])).axes[0]
        assert bars(axes) == []
        assert "all methods differ (wilcoxon, holm, 0.05)" in [text.get_text() for text in axes.texts]

    def test_axes_of_a_larger_figure(self):
        # Lower than the first would be by itself: its text must be smaller.
        figure = Figure(figsize=(11, 3.6), layout="constrained")
        panels = figure.subplots(2, 1)
        assert plot.critical_difference(chained(12, LONG, cd=2.0), ax=panels[0]) is figure
        assert plot.critical_difference(chained(3, LONG), ax=panels[1]) is figure
        assert_legible(figure)
        assert [len(elbows(axes)) for axes in panels] == [12, 3]

    def test_what_is_refused(self):
        with pytest.raises(InputError, match="critical_difference compares methods, got 1 of them; pass the scores"):
            plot.critical_difference(comparison([1.0], [(0,)]))
        result = chained(3)
        with pytest.raises(InputError, match=r"needs the columns \(rank, letters\) in .* none called \(rank\); pass"):
            plot.critical_difference(SimpleNamespace(table=result.table.drop(columns="rank"), pairs=result.pairs))
        with pytest.raises(InputError, match="ax must be matplotlib's Axes, got str"):
            plot.critical_difference(result, ax="here")


class TestScoreIntervals:
    @pytest.mark.parametrize("k", [2, 3, 6, 7, 15])
    @pytest.mark.parametrize("name", ["m{}", LONG])
    @pytest.mark.parametrize("kind", ["means", "differences"])
    def test_legible(self, k, name, kind):
        assert_legible(plot.score_intervals(chained(k, name), kind))

    def test_means(self):
        result = chained(4)
        figure = plot.score_intervals(result)
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
        assert "methods that share a letter do not differ (wilcoxon, holm, 0.05)" in [w for w, _ in boxes(figure)]

    def test_level_of_the_intervals(self):
        result = comparison([1, 2], [(0,), (1,)], alpha=0.1)
        assert plot.score_intervals(result).axes[0].get_xlabel() == "mean score, 90 % interval"
        assert "simultaneous 90 %" in plot.score_intervals(result, "differences").axes[0].get_xlabel()

    def test_differences(self):
        result = comparison([1.0, 2.0, 4.0], [(0, 1), (2,)])
        figure = plot.score_intervals(result, "differences")
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
        assert len(drawn(plot.score_intervals(chained(6), "differences").axes[0])[0]) == 15
        result = chained(7)
        axes = plot.score_intervals(result, "differences").axes[0]
        assert [label.get_text() for label in axes.get_yticklabels()] == [f"m{place}" for place in range(1, 7)]
        assert axes.get_xlabel().endswith("m0 (best) – each of these methods, 6 of 21 pairs")
        assert drawn(axes)[0] == [(gap, row) for row, gap in enumerate(result.pairs["estimate"][:6])]

    def test_zero_is_within(self):
        result = comparison([1.0, 5.0, 9.0], [(0,), (1,), (2,)])
        result.pairs[["estimate", "conf_low", "conf_high"]] += 3.0
        low, high = plot.score_intervals(result, "differences").axes[0].get_xlim()
        assert low < 0.0 < high

    def test_infinite_ends_are_arrows(self):
        result = comparison([1.0, 2.0, 4.0], [(0, 1), (2,)])
        result.pairs["conf_high"] = [np.inf, 0.2, np.inf]
        result.pairs["conf_low"] = [0.01, 0.1, -np.inf]
        figure = plot.score_intervals(result, "differences")
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
        figure = plot.score_intervals(result, "differences")
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
        assert [t.get_text() for t in plot.score_intervals(result, "differences").axes[0].texts] == ["no test"]

    def test_what_is_refused(self):
        with pytest.raises(InputError, match="kind must be one of 'means', 'differences', got 'ranks'"):
            plot.score_intervals(chained(3), "ranks")
        with pytest.raises(InputError, match="score_intervals compares methods, got 1 of them; pass the scores of two"):
            plot.score_intervals(comparison([1.0], [(0,)]))


def drawn(axes):
    """Dots, and ends of intervals by row."""
    dots = [tuple(line.get_xydata()[0]) for line in axes.lines if line.get_marker() == "o"]
    flat = [line.get_xydata() for line in axes.lines if line.get_marker() == "None"]
    lines = {line[0, 1]: (line[0, 0], line[1, 0]) for line in flat if line[0, 1] == line[1, 1]}
    return dots, lines


def grid(k, nx=11, ny=11, seed=0, name="m{}"):
    """Winners at random, with p-values of which a third is small."""
    rng = np.random.default_rng(seed)
    x, y = (values.ravel() for values in np.meshgrid(np.geomspace(0.01, 1, nx).round(3), np.arange(ny) / 10))
    best = rng.integers(k, size=nx * ny)
    second = (best + rng.integers(1, k, size=nx * ny)) % k
    p = rng.choice([0.001, 0.04, 0.3], size=nx * ny)
    names = np.array([name.format(place) for place in range(k)])
    sides = {"alpha": x, "rho": y, "best": names[best], "second": names[second]}
    frame = pd.DataFrame({**sides, "p_value": p, "p_adjusted": np.minimum(1, 20 * p)})
    return frame.sample(frac=1, random_state=seed)


def cell_colors(axes):
    return np.asarray(axes.images[0].get_array())


class TestSignificanceMap:
    @pytest.mark.parametrize(("k", "nx", "ny"), [(2, 2, 2), (3, 11, 11), (8, 11, 11), (8, 15, 4), (4, 3, 40)])
    @pytest.mark.parametrize("name", ["m{}", LONG])
    def test_legible(self, k, nx, ny, name):
        frame = grid(k, nx, ny, name=name).iloc[1:]
        figure = plot.significance_map(frame, "alpha", "rho")
        assert_legible(figure)
        legend = figure.legends[0].get_window_extent()
        assert legend.x1 <= figure.bbox.x1
        assert all(legend.y1 <= axes.get_tightbbox().y0 for axes in figure.axes)

    def test_colours_and_letters_are_those_of_the_winners(self):
        frame = grid(3, 5, 4)
        figure = plot.significance_map(frame, "alpha", "rho")
        xs, ys = np.sort(frame["alpha"].unique()), np.sort(frame["rho"].unique())
        assert [axes.get_title() for axes in figure.axes] == ["plain p-values", "adjusted p-values"]
        assert figure.axes[0].get_ylabel() == "rho"
        counts = {}
        for axes, column in zip(figure.axes, ("p_value", "p_adjusted"), strict=True):
            assert axes.get_xlabel() == "alpha"
            # Larger values are higher up.
            assert axes.get_ylim() == (-0.5, 3.5)
            picture = cell_colors(axes)
            assert picture.shape == (4, 5, 3)
            letters = {text.get_position(): text for text in axes.texts}
            assert len(letters) == 20
            for _, row in frame.iterrows():
                place = int(row["best"][1:])
                i, j = np.searchsorted(ys, row["rho"]), np.searchsorted(xs, row["alpha"])
                found, strength = hue(picture[i, j][None], 3)
                sure = row[column] <= 0.05
                counts[place, column] = counts.get((place, column), 0) + sure
                assert found[0] == place
                assert strength[0, place] == pytest.approx(0.9 if sure else 0.22)
                text = letters[j, i]
                assert text.get_text() == "ABC"[place]
                assert text.get_weight() == ("bold" if sure else "normal")
        words = [text.get_text() for text in figure.legends[0].get_texts()]
        assert words == [
            f"{letter}  m{place}: {counts[place, 'p_value']}, adjusted {counts[place, 'p_adjusted']}"
            for place, letter in enumerate("ABC")
        ] + ["pale: best, but p > 0.05"]
        patches = figure.legends[0].get_patches()
        for place in range(3):
            np.testing.assert_allclose(
                patches[place].get_facecolor()[:3], 1 - 0.9 * (1 - area_colors(3)[place]), atol=1 / 255
            )

    def test_values_beside_the_cells(self):
        figure = plot.significance_map(grid(3, 4, 3), "alpha", "rho")
        axes = figure.axes[0]
        assert [label.get_text() for label in axes.get_xticklabels()] == ["0.01", "0.046", "0.215", "1"]
        assert [label.get_text() for label in axes.get_yticklabels()] == ["0", "0.1", "0.2"]
        many = plot.significance_map(grid(3, 32, 3), "alpha", "rho").axes[0]
        assert many.get_xticks().tolist() == list(range(0, 32, 3))
        assert not many.texts

    def test_letters_only_where_they_can_be_read(self):
        figure = plot.significance_map(grid(2, 16, 2), "alpha", "rho")
        assert not figure.axes[0].texts
        assert not figure.legends[0].get_texts()[0].get_text().startswith("A  ")
        assert len(plot.significance_map(grid(2, 15, 2), "alpha", "rho").axes[0].texts) == 30

    def test_alpha_is_the_limit(self):
        frame = grid(2, 2, 1)
        frame["p_value"] = [0.1, 0.1001]
        picture = cell_colors(plot.significance_map(frame, "alpha", "rho", alpha=0.1).axes[0])
        sure = hue(picture[0], 2)[1].max(axis=1) > 0.5
        assert sure.tolist() == (frame.sort_values("alpha")["p_value"] <= 0.1).tolist()
        assert sure.sum() == 1

    def test_missing_cells_and_p_values(self):
        frame = grid(3, 3, 3).sort_values(["rho", "alpha"]).reset_index(drop=True)
        frame[["p_value", "p_adjusted"]] = 0.001
        frame.loc[0, ["p_value", "p_adjusted"]] = np.nan
        frame["best"] = frame["best"].astype(object)
        frame.loc[4, "best"] = None
        frame = frame.drop(index=8)
        figure = plot.significance_map(frame, "alpha", "rho")
        for axes in figure.axes:
            hatched = {(p.get_x() + 0.5, p.get_y() + 0.5) for p in axes.patches if isinstance(p, Rectangle)}
            assert hatched == {(1, 1), (2, 2)}
            picture = cell_colors(axes)
            assert (picture[[1, 2], [1, 2]] == 1).all()
            assert hue(picture[0, :2], 3)[1].max(axis=1) == pytest.approx([0.22, 0.9], abs=0.08)
            assert len(axes.texts) == 7
        assert figure.legends[0].get_texts()[-1].get_text() == "no result (2 cells)"

    def test_methods_that_never_win_are_named(self):
        frame = grid(2, 3, 2).assign(best="m0", second="m1", p_value=0.01)
        words = [text.get_text() for text in plot.significance_map(frame, "alpha", "rho").legends[0].get_texts()]
        assert words[:2] == ["A  m0: 6, adjusted " + words[0].split()[-1], "B  m1: 0, adjusted 0"]
        alone = plot.significance_map(frame.drop(columns="second"), "alpha", "rho")
        assert len(alone.legends[0].get_texts()) == 2

    def test_words_as_values(self):
        frame = grid(2, 3, 2)
        frame["alpha"] = frame["alpha"].map(
            dict(zip(np.sort(frame["alpha"].unique()), ("low", "mid", "top"), strict=True))
        )
        frame["alpha"] = pd.Categorical(frame["alpha"], ["top", "mid", "low", "never"])
        axes = plot.significance_map(frame, "alpha", "rho").axes[0]
        assert [label.get_text() for label in axes.get_xticklabels()] == ["top", "mid", "low"]
        mixed = frame.assign(alpha=frame["alpha"].map({"top": 1, "mid": "auto", "low": 0.5}).astype(object))
        labels = plot.significance_map(mixed, "alpha", "rho").axes[0].get_xticklabels()
        assert {label.get_text() for label in labels} == {"1", "auto", "0.5"}

    def test_many_methods(self):
        figure = plot.significance_map(grid(30, 9, 9), "alpha", "rho")
        assert {text.get_text() for text in figure.axes[0].texts} <= {str(number + 1) for number in range(30)}
        assert_legible(figure)

    @pytest.mark.parametrize(
        ("change", "options", "message"),
        [
            (lambda f: f.iloc[:0], {}, "needs a row for each cell, got an empty frame; pass the winners"),
            (lambda f: f.drop(columns="rho"), {}, r"needs the columns \(alpha, rho\), got none called \(rho\) among"),
            (lambda f: f.drop(columns="p_value"), {}, r"got none called \(p_value\) among .*; name x and y as"),
            (lambda f: f, {"y": "alpha"}, "x and y must be two different columns, got 'alpha' for both; name another"),
            (
                lambda f: pd.concat([f, f.iloc[[3]]]),
                {},
                "one row for each cell, got several with alpha = .* and rho = ",
            ),
            (lambda f: f.assign(rho=np.where(f.index == 0, np.nan, f["rho"])), {}, "must have a value in each row"),
            (
                lambda f: f.assign(best="m0", second=None),
                {},
                "compares methods, got 1 method in all of the cells; pass",
            ),
            (lambda f: f.to_numpy(), {}, "needs a DataFrame, got ndarray; pass what compare.winners returns"),
            (lambda f: f, {"alpha": 5}, "alpha must be"),
        ],
    )
    def test_what_is_refused(self, change, options, message):
        with pytest.raises(InputError, match=message):
            plot.significance_map(change(grid(3, 3, 3)), **{"x": "alpha", "y": "rho", **options})


class TestRealComparisons:
    @pytest.mark.parametrize("k", [2, 5, 15])
    def test_ranks(self, k):
        wide = scores(k, name=LONG)
        result = compare.compare_methods(wide, test="nemenyi")
        figure = plot.critical_difference(result)
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
        again = plot.critical_difference(wide).axes[0]
        assert [text.get_text() for text in again.texts] == [text.get_text() for text in axes.texts]
        assert any("critical difference = " in text.get_text() for text in again.texts)

    def test_other_tests(self):
        result = compare.compare_methods(scores(6), test="wilcoxon")
        figure = plot.critical_difference(result)
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
        figure = plot.score_intervals(result)
        assert_legible(figure)
        axes = figure.axes[0]
        names = [label.get_text() for label in axes.get_yticklabels()]
        assert names == list(result.table.index)
        np.testing.assert_allclose([x for x, _ in drawn(axes)[0]], wide[names].mean())
        again = plot.score_intervals(wide).axes[0]
        assert drawn(again) == drawn(axes)

    @pytest.mark.parametrize(
        ("k", "test"), [(2, "auto"), (5, "auto"), (5, "nemenyi"), (15, "nemenyi"), (15, "paired_t")]
    )
    def test_differences(self, k, test):
        result = compare.compare_methods(scores(k, name=LONG), test=test)
        figure = plot.score_intervals(result, "differences")
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
        assert ("above 0 where the first is better" in axes.get_xlabel()) == (test == "nemenyi")

    def test_intervals_one_by_one(self):
        result = compare.compare_methods(scores(4), adjust="bh")
        label = plot.score_intervals(result, "differences").axes[0].get_xlabel()
        assert label == "pseudomedian, 95 % intervals"

    def test_pairs_without_a_test(self):
        wide = scores(3)
        wide["m1"] = wide["m0"] - 0.125
        result = compare.compare_methods(wide, test="paired_t")
        row = int(np.flatnonzero(result.pairs["estimate"].isna())[0])
        figure = plot.score_intervals(result, "differences")
        assert_legible(figure)
        assert [(t.get_text(), t.get_position()[1]) for t in figure.axes[0].texts] == [("no test", row)]
        assert sorted(place for _, place in drawn(figure.axes[0])[0]) == sorted({0, 1, 2} - {row})

    @pytest.mark.parametrize("k", [4, 20])
    def test_control(self, k):
        result = compare.compare_methods(scores(k), test="paired_t", control="m2")
        figure = plot.score_intervals(result, "differences")
        assert_legible(figure)
        axes = figure.axes[0]
        assert "m2 (control) – each of these methods" in axes.get_xlabel()
        assert [label.get_text() for label in axes.get_yticklabels()] == result.pairs["method_b"].tolist()
        assert drawn(axes)[0] == [(gap, row) for row, gap in enumerate(result.pairs["estimate"])]
        assert not any("letter" in words for words, _ in boxes(plot.score_intervals(result)))
        with pytest.raises(InputError, match="which needs all pairs, got comparisons with the control 'm2'; leave"):
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
        figure = plot.significance_map(table, "alpha", "rho")
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
        again = plot.significance_map(tidy, "alpha", "rho")
        for one, other in zip(figure.axes, again.axes, strict=True):
            np.testing.assert_array_equal(cell_colors(one), cell_colors(other))
        with pytest.raises(InputError, match=r"test='paired_t' .* \(call it, and pass what it returns to"):
            plot.significance_map(tidy[tidy["fold"] == 0].drop(columns="fold"), "alpha", "rho")
        with pytest.raises(InputError, match="two methods or more"):
            plot.significance_map(tidy[tidy["method"] == "nb"], "alpha", "rho")

    def test_what_is_refused(self):
        for figure in (plot.critical_difference, plot.score_intervals):
            with pytest.raises(InputError, match="two methods or more, got 20 x 1"):
                figure(scores(1))
            with pytest.raises(InputError, match="two methods or more, got 0 x 0"):
                figure(pd.DataFrame())
