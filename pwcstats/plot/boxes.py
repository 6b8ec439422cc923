"""Box plots of runs, from their five numbers."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pwcstats._arrays import Array, as_float
from pwcstats._text import listed
from pwcstats.errors import InputError
from pwcstats.plot.style import COLORS, bare, literal, tinted

NUMBERS = ("lowest", "lower_quartile", "median", "upper_quartile", "highest")
# Half the height of a box, where lines are 1 apart.
HALF = 0.29


def boxes(frame: pd.DataFrame, label: str, group: str, *, value: str = "test error") -> Figure:
    """Box plots, a line for each method, in groups.

    Like Figure 3 of Hastie & Tibshirani [1]_. Whiskers reach to the lowest and the highest run.

    Parameters
    ----------
    frame : DataFrame
        A row for each box, with the columns ``lowest``, ``lower_quartile``, ``median``, ``upper_quartile`` and
        ``highest`` of its runs. Where there is a column ``paper`` with a number, it is drawn as a diamond.
    label, group : str
        Columns: what a line is called, and which lines share a colour and a heading. Groups come in the order in which
        they first appear.
    value : str
        What the numbers are, below the axis.

    Returns
    -------
    matplotlib.figure.Figure

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
    >>> figure = plot.boxes(frame, "rule", "learner")
    >>> figure.savefig("boxes.png")  # doctest: +SKIP
    """
    missing = [column for column in (label, group, *NUMBERS) if column not in frame]
    if missing or frame.empty:
        came = f"none called {listed(missing)}" if missing else "no rows"
        raise InputError(f"boxes needs rows with the columns {listed([label, group, *NUMBERS])}, got {came}.")
    groups = list(pd.unique(frame[group]))
    numbers = as_float(frame[list(NUMBERS)], "the five numbers")
    code = pd.Index(groups).get_indexer(frame[group])
    order = np.argsort(code, kind="stable")
    # A line for each box, and one above each group for its name.
    place = np.empty(len(frame))
    place[order] = np.arange(len(frame)) + code[order] + 1.0
    lines = len(frame) + len(groups)
    names = [literal(name) for name in frame[label]]
    # About 13 letters of the names an inch.
    width = 5.2 + max(map(len, [*names, *map(literal, groups)])) / 13
    figure = Figure(figsize=(width, 0.9 + 0.27 * lines), layout="constrained")
    axes = figure.subplots()
    axes.set_axisbelow(True)
    axes.grid(axis="x", color="0.92")
    for number, row in enumerate(numbers):
        _draw_box(axes, float(place[number]), row, COLORS[code[number] % len(COLORS)])
    if "paper" in frame and frame["paper"].notna().any():
        style: dict[str, Any] = {"marker": "D", "color": "0.15", "markerfacecolor": "none", "linestyle": "none"}
        axes.plot(frame["paper"].to_numpy(dtype=np.float64), place, markersize=6, zorder=5, **style)
        figure.legend(
            handles=[Line2D([], [], markersize=6, label="paper", **style)], loc="outside upper right", frameon=False
        )
    headings = [place[code == number].min() - 1.0 for number in range(len(groups))]
    axes.set_yticks([*place, *headings], [*names, *map(literal, groups)], fontsize=9)
    for tick, number in zip(axes.get_yticklabels()[len(frame) :], range(len(groups)), strict=True):
        tick.set(fontweight="bold", color=COLORS[number % len(COLORS)])
    axes.set(xlabel=value, xlim=(min(0.0, float(np.nanmin(numbers))), None), ylim=(lines - 0.4, -0.6))
    bare(axes)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    return figure


def _draw_box(axes: Axes, place: float, numbers: Array, color: str) -> None:
    lowest, lower, median, upper, highest = numbers
    axes.hlines(place, lowest, lower, color=color, linewidth=1.2)
    axes.hlines(place, upper, highest, color=color, linewidth=1.2)
    face = tinted(to_rgb(color), 0.3)
    axes.barh(place, upper - lower, 2 * HALF, lower, facecolor=face, edgecolor=color, linewidth=1.2, zorder=2)
    axes.vlines([lowest, highest], place - HALF / 2, place + HALF / 2, color=color, linewidth=1.2)
    axes.vlines(median, place - HALF, place + HALF, color=color, linewidth=2.4, zorder=3)
