"""Box plots of runs, drawn from their five-number summaries."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D

from pwcstats._arrays import Array, as_float
from pwcstats.plot.reading import read_panel, read_table
from pwcstats.plot.style import COLORS, FONT, hide_frame, inches, legend_of_figure, literal, tinted

NUMBERS = ("lowest", "lower_quartile", "median", "upper_quartile", "highest")
# Half the height of a box; rows are 1 apart.
HALF = 0.29


def boxes(frame: pd.DataFrame, label: str, group: str, *, value: str = "error", ax: Axes | None = None) -> Axes:
    """Box plots, one row per method, in groups.

    Like Figure 3 of Hastie & Tibshirani [1]_. Whiskers reach to the lowest and the highest run.

    Parameters
    ----------
    frame : DataFrame
        One row per box, with the columns ``lowest``, ``lower_quartile``, ``median``, ``upper_quartile`` and
        ``highest``. If there is a column ``paper``, its numbers are drawn as diamonds.
    label, group : str
        Columns with the names of the boxes and of their groups. Boxes of a group share a colour and a heading. Groups
        are drawn in the order in which they first appear.
    value : str
        Label of the axis.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    References
    ----------
    .. [1] Hastie, T. and Tibshirani, R. (1998). Classification by pairwise coupling. Annals of Statistics 26,
       451-471. https://doi.org/10.1214/aos/1028144844

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats import plot
    >>> frame = pd.DataFrame({"learner": ["LDA", "LDA"], "rule": ["all at once", "pairs"], "lowest": [0.2, 0.1],
    ...     "lower_quartile": [0.22, 0.12], "median": [0.25, 0.15], "upper_quartile": [0.27, 0.17],
    ...     "highest": [0.3, 0.2]})
    >>> ax = plot.boxes(frame, "rule", "learner")
    >>> ax.figure.savefig("boxes.png")  # doctest: +SKIP
    """
    frame = read_table(frame, [label, group, *NUMBERS], "boxes")
    groups = list(pd.unique(frame[group]))
    numbers = as_float(frame[list(NUMBERS)], "frame")
    codes = pd.Index(groups).get_indexer(frame[group])
    order = np.argsort(codes, kind="stable")
    # One row for each box, and one above each group for its name.
    rows = np.empty(len(frame))
    rows[order] = np.arange(len(frame)) + codes[order] + 1.0
    n_rows = len(frame) + len(groups)
    names = [literal(name) for name in frame[label]]
    width = 4.2 + max(map(inches, [*names, *map(literal, groups)]))
    axes = read_panel(ax, width, 0.9 + 0.27 * n_rows)
    axes.set_axisbelow(True)
    axes.grid(axis="x", color="0.92")
    for row, five, code in zip(rows, numbers, codes, strict=True):
        _draw_box(axes, float(row), five, COLORS[code % len(COLORS)])
    if "paper" in frame and frame["paper"].notna().any():
        style: dict[str, Any] = {"marker": "D", "color": "0.15", "markerfacecolor": "none", "linestyle": "none"}
        axes.plot(frame["paper"].to_numpy(dtype=np.float64), rows, markersize=6, zorder=5, **style)
        handles = [Line2D([], [], markersize=6, label="paper", **style)]
        legend_of_figure([axes], handles, "outside upper right", ax is None)
    headings = [rows[codes == number].min() - 1.0 for number in range(len(groups))]
    axes.set_yticks([*rows, *headings], [*names, *map(literal, groups)], fontsize=FONT)
    for tick, number in zip(axes.get_yticklabels()[len(frame) :], range(len(groups)), strict=True):
        tick.set(fontweight="bold", color=COLORS[number % len(COLORS)])
    axes.set(xlabel=value, xlim=(min(0.0, float(np.nanmin(numbers))), None), ylim=(n_rows - 0.4, -0.6))
    hide_frame(axes, left=True)
    return axes


def _draw_box(axes: Axes, row: float, five: Array, color: str) -> None:
    lowest, lower, median, upper, highest = five
    axes.hlines(row, lowest, lower, color=color, linewidth=1.2)
    axes.hlines(row, upper, highest, color=color, linewidth=1.2)
    face = tinted(to_rgb(color), 0.3)
    axes.barh(row, upper - lower, 2 * HALF, lower, facecolor=face, edgecolor=color, linewidth=1.2, zorder=2)
    axes.vlines([lowest, highest], row - HALF / 2, row + HALF / 2, color=color, linewidth=1.2)
    axes.vlines(median, row - HALF, row + HALF, color=color, linewidth=2.4, zorder=3)
