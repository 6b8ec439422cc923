"""Comparisons to draw, and helpers that read numbers from their figures."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from pwcstats.plot.style import COLORS

LONG = "PairwiseClassifier (LDA or {:02d})"


def comparison(ranks, cliques, name="m{}", cd=None, **change):
    """An artificial result of compare_methods with given mean ranks and cliques."""
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
        "is_simultaneous": True,
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
    frame = pd.DataFrame(gaps + rng.normal(0, spread, (n, k)), columns=[name.format(place) for place in range(k)])
    return frame.rename_axis("dataset")


def boxes(figure):
    """All visible texts of a drawn figure with their bounding boxes."""
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


def drawn(axes):
    """Dots, and ends of intervals by row."""
    dots = [tuple(line.get_xydata()[0]) for line in axes.lines if line.get_marker() == "o"]
    flat = [line.get_xydata() for line in axes.lines if line.get_marker() == "None"]
    lines = {line[0, 1]: (line[0, 0], line[1, 0]) for line in flat if line[0, 1] == line[1, 1]}
    return dots, lines


def cell_colors(axes):
    return np.asarray(axes.images[0].get_array())
