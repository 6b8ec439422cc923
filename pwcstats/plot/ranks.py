"""Critical difference diagrams of mean ranks."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from pwcstats._arrays import Array, as_float
from pwcstats._text import shown
from pwcstats.errors import InputError, arg, code, value
from pwcstats.plot.reading import read_axes
from pwcstats.plot.scores import describe_test, read_result
from pwcstats.plot.style import COLORS, FONT, figure_of, inches, literal, new_axes

# Heights are measured in lines of text; y grows downwards from the axis. A line has this height in inches.
LINE = 0.24
# Room for the numbers and the label above the axis, and for the ruler above these.
OVER_AXIS, OVER_RULER = 2.3, 4.3
RULER = 3.0
FIRST_BAR, NEXT_BAR = 0.65, 0.55
# Bars extend beyond the ranks by this share of the axis, so that methods of the same rank have a bar, too.
PAST = 0.012


def critical_difference(result: Any, *, ax: Axes | None = None) -> Axes:
    """Mean ranks of methods on a line, and bars that join methods that do not differ significantly.

    The diagram of Demšar [1]_. The best method is on the left. Dots on a bar mark the methods that it joins. If the
    test does not use ranks, a bar may pass over a method that does differ; that method has no dot on it. If such a
    method has about the same rank as one on the bar, all methods get letters, too: those that share one do not differ.

    Parameters
    ----------
    result : ComparisonResult
        A comparison of all pairs, as :func:`pwcstats.compare.compare_methods` returns it. A table of scores (higher is
        better) is compared with the Nemenyi test first.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default a new figure. Names are written beside the axes, so the figure needs
        ``layout="constrained"``, or room on both sides.

    Returns
    -------
    matplotlib.axes.Axes
        If the test has a critical difference, a ruler shows it; otherwise a line below names the test.

    References
    ----------
    .. [1] Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine
       Learning Research 7, 1-30.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from pwcstats import compare, plot
    >>> rng = np.random.default_rng(0)
    >>> scores = pd.DataFrame(rng.normal([0.9, 0.8, 0.8], 0.05, (12, 3)), columns=["lda", "svm", "nb"])
    >>> result = compare.compare_methods(scores, test="nemenyi", rows="datasets")
    >>> ax = plot.critical_difference(result)
    >>> ax.figure.savefig("ranks.png")  # doctest: +SKIP
    """
    if result is None or isinstance(result, (str, int, float)):
        raise InputError(
            f"{arg('result')} must be a comparison, as {code('compare_methods')} returns it, or a table of scores, got "
            f"{value(result)}."
        )
    found = read_result(result, "critical_difference", ("rank", "letters"), test="nemenyi")
    if found.control is not None:
        raise InputError(
            f"{code('critical_difference')} needs comparisons of all pairs, got comparisons with the control "
            f"{shown(found.control)}; omit {arg('control')} in {code('compare_methods')}, or use "
            f"{code('score_intervals')}."
        )
    table = found.table.sort_values("rank", kind="stable")
    ranks, k = as_float(table["rank"], "rank"), len(table)
    ruler = found.critical_difference
    # With few data sets, the critical difference may be longer than the axis.
    end = k if ruler is None else max(float(k), 1.0 + ruler)
    past = PAST * (end - 1)
    members = [np.sort(table.index.get_indexer(list(clique))) for clique in found.cliques if len(clique) > 1]
    heights = _bar_heights([(ranks[m[0]] - past, ranks[m[-1]] + past) for m in members], past)
    ambiguous = any(_is_ambiguous(ranks, m, past) for m in members)
    names = [
        f"{literal(name)} [{letters}]" if ambiguous else literal(name) for name, letters in table["letters"].items()
    ]
    first = FIRST_BAR + NEXT_BAR * (1 + max(heights, default=-1)) + 0.45
    # The better half is on the left. On either side the outermost is on top, so that no two lines cross.
    n_left = (k + 1) // 2
    heights_of_names = first + np.concatenate([np.arange(n_left), np.arange(k - n_left)[::-1]])
    note = _note(found, bool(members), ambiguous)
    top, bottom = -(OVER_AXIS if ruler is None else OVER_RULER), heights_of_names.max() + (2.1 if note else 0.6)
    if ax is None:
        axes, font = _new_panel(names, n_left, bottom - top), FONT
    else:
        axes = read_axes(ax, 1)[0]
        font = _font(axes, bottom - top)
    axes.set(xlim=(1, end), ylim=(bottom, top))
    _draw_axis(axes, k, font)
    _draw_names(axes, names, ranks, heights_of_names, n_left, font)
    for m, height in zip(members, heights, strict=True):
        y = FIRST_BAR + NEXT_BAR * height
        ends = [ranks[m[0]] - past, ranks[m[-1]] + past]
        # Bars extend beyond the best rank, which may be 1, the end of the axis.
        style: dict[str, Any] = {"color": COLORS[0], "clip_on": False, "zorder": 3}
        axes.plot(ends, [y, y], linewidth=0.4 * font, solid_capstyle="butt", **style)
        dots: dict[str, Any] = {"markerfacecolor": "white", "markersize": 0.5 * font}
        axes.plot(ranks[m], np.full(len(m), y), "o", **dots, **style)
    if ruler is not None:
        _draw_ruler(axes, ruler, font)
    if note:
        axes.text(
            0.5,
            bottom - 0.6,
            note,
            transform=axes.get_yaxis_transform(),
            ha="center",
            va="center",
            fontsize=0.9 * font,
            color="0.3",
        )
    return axes


def _new_panel(names: list[str], n_left: int, n_lines: float) -> Axes:
    beside = sum(max(inches(f"{name}  1.00") for name in side) for side in (names[:n_left], names[n_left:]))
    return new_axes(3.4 + beside, LINE * n_lines)


def _font(axes: Axes, n_lines: float) -> float:
    """The font size at which lines do not touch; axes in a larger figure may be small."""
    height = axes.get_window_extent().height / figure_of(axes).dpi
    return float(np.clip(72 * 0.62 * height / n_lines, 4.0, FONT))


def _bar_heights(spans: list[tuple[float, float]], gap: float) -> list[int]:
    """The line of each bar: the first that is free over its length."""
    until: list[float] = []
    heights = [0] * len(spans)
    for index in sorted(range(len(spans)), key=lambda index: spans[index]):
        low, high = spans[index]
        free = next((line for line, last in enumerate(until) if last + gap < low), len(until))
        if free == len(until):
            until.append(high)
        until[free] = high
        heights[index] = free
    return heights


def _is_ambiguous(ranks: Array, members: Any, near: float) -> bool:
    """Whether a method that a bar does not join has about the rank of one that it joins."""
    others = np.delete(ranks, members)
    return bool((np.abs(others[:, None] - ranks[members]) <= near).any())


def _note(result: Any, bars: bool, ambiguous: bool) -> str:
    """The meaning of the bars, if there is no ruler."""
    test = "" if result.critical_difference is not None else describe_test(result)
    if ambiguous:
        return f"bars and shared letters join methods that do not differ {test}".strip()
    if not test:
        return ""
    return f"bars join methods that do not differ {test}" if bars else f"all methods differ {test}"


def _draw_axis(axes: Axes, k: int, font: float) -> None:
    """Draw the axis of ranks, with its numbers and its label above it."""
    step = -(-k // 20)
    axes.set_xticks(range(1, k + 1, step))
    axes.set_yticks([])
    axes.xaxis.set_ticks_position("top")
    axes.xaxis.set_label_position("top")
    axes.tick_params(axis="x", labelsize=font, length=0.4 * font, pad=0.15 * font)
    axes.set_xlabel("mean rank (1 is best)", fontsize=font, labelpad=0.3 * font)
    for side in ("left", "right", "bottom"):
        axes.spines[side].set_visible(False)
    axes.spines["top"].set_position(("data", 0.0))
    # For the ruler, the axes may be wider than the ranks.
    axes.spines["top"].set_bounds(1, k)


def _draw_names(axes: Axes, names: list[str], ranks: Array, heights: Array, n_left: int, font: float) -> None:
    """Write the names beside the axes, each with a line to its rank."""
    side = axes.get_yaxis_transform()
    ends = axes.get_xlim()
    for number, (name, rank, y) in enumerate(zip(names, ranks, heights, strict=True)):
        left = number < n_left
        axes.plot([rank, rank, ends[0 if left else 1]], [0.0, y, y], color="0.45", linewidth=0.9, zorder=2)
        text = f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}"
        x = -0.015 if left else 1.015
        axes.text(x, y, text, transform=side, ha="right" if left else "left", va="center", fontsize=font)


def _draw_ruler(axes: Axes, length: float, font: float) -> None:
    """Draw the critical difference to the scale of the axis."""
    style: dict[str, Any] = {"color": "black", "linewidth": 1.4, "clip_on": False}
    axes.plot([1.0, 1.0 + length], [-RULER, -RULER], **style)
    for end in (1.0, 1.0 + length):
        axes.plot([end, end], [-RULER - 0.2, -RULER + 0.2], **style)
    axes.text(1.0, -RULER - 0.7, f"critical difference = {length:.2f}", va="center", fontsize=font)
