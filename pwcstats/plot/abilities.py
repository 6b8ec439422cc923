"""Abilities of a Bradley–Terry model with their intervals."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from pwcstats.plot.reading import read_table
from pwcstats.plot.style import COLORS, hide_frame, literal

# Names of more items than this are written smaller.
MOST_LARGE = 60


def abilities(frame: pd.DataFrame, label: str = "ability", title: str | None = None) -> Figure:
    """Abilities with their intervals, one row per item, the best on top.

    Parameters
    ----------
    frame : DataFrame
        One row per item, with the columns `ability`, `conf_low` and `conf_high`, as
        :meth:`pwcstats.BradleyTerryResults.abilities` returns it.
    label : str
        Label of the axis.
    title : str, optional
        Title of the figure.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from pwcstats import BradleyTerry, plot
    >>> res = BradleyTerry([[0, 3, 4], [1, 0, 2], [1, 3, 0]]).fit()
    >>> figure = plot.abilities(res.abilities())
    >>> figure.savefig("abilities.png")  # doctest: +SKIP
    """
    frame = read_table(frame, ["ability", "conf_low", "conf_high"], "abilities")
    frame = frame.sort_values("ability", kind="stable")
    n = len(frame)
    fontsize = 9 if n <= MOST_LARGE else 6
    figure = Figure(figsize=(7, max(2.2, 0.9 + n * fontsize / 48)), layout="constrained")
    axes = figure.subplots()
    rows = np.arange(n)
    axes.hlines(rows, frame["conf_low"], frame["conf_high"], color=COLORS[0], linewidth=1.6)
    axes.plot(frame["ability"], rows, "o", color=COLORS[0], markersize=4.5)
    # Faint lines lead the eye from a name to its point.
    axes.grid(axis="y", color="0.93")
    axes.axvline(0.0, color="0.7", linewidth=0.8, zorder=0)
    axes.set_axisbelow(True)
    axes.set_yticks(rows, [literal(name) for name in frame.index], fontsize=fontsize)
    axes.set_xlabel(label, wrap=True)
    axes.set_ylim(-0.8, n - 0.2)
    if title is not None:
        axes.set_title(title)
    hide_frame(axes, left=True)
    return figure
