"""All classes at once against one class and all others."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from pwcstats._arrays import as_float
from pwcstats._text import listed
from pwcstats.errors import InputError
from pwcstats.plot.style import COLORS, area_colors, bare, literal, tinted

# Rows of the table that the second figure shows.
SHARES = ("cases that get another class", "cases with another ranking")
GAIN = "accuracy that one against all adds"


def posteriors(proba: pd.DataFrame) -> Figure:
    """Probabilities of the classes for one case, by several methods side by side.

    Parameters
    ----------
    proba : DataFrame
        One row per class, one column per method. The largest of each method is marked: this class is predicted.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    Section 5 of Sulzmann, Fürnkranz and Hüllermeier (2007):

    >>> import pandas as pd
    >>> from pwcstats import plot
    >>> proba = pd.DataFrame({"naive Bayes": [4 / 15, 5 / 15, 6 / 15], "one against all": [2 / 9, 4 / 15, 8 / 41]},
    ...     index=list("ABC"))
    >>> figure = plot.posteriors(proba)
    >>> figure.savefig("posteriors.png")  # doctest: +SKIP
    """
    if not isinstance(proba, pd.DataFrame) or proba.empty:
        raise InputError("posteriors needs a DataFrame with a row for each class and a column for each method.")
    values = as_float(proba, "proba")
    k, n = values.shape
    colors = area_colors(k)
    figure = Figure(figsize=(1.6 + n * (0.5 + 0.55 * k), 3.8), layout="constrained")
    axes = figure.subplots()
    offsets = (np.arange(k) - (k - 1) / 2) * 0.8 / k
    for place, label in enumerate(proba.index):
        best = values.argmax(axis=0) == place
        at = np.arange(n) + offsets[place]
        face = np.where(best[:, None], colors[place], tinted(colors[place], 0.3))
        axes.bar(at, values[place], 0.72 / k, color=face, edgecolor=colors[place])
        for x, value, chosen in zip(at, values[place], best, strict=True):
            words = f"{value:.3f}\n{literal(label)}" if chosen else f"{value:.3f}"
            axes.annotate(
                words,
                (x, value),
                (0, 3),
                textcoords="offset points",
                ha="center",
                fontsize=9,
                fontweight="bold" if chosen else "normal",
            )
    axes.set_xticks(range(n), [literal(name) for name in proba.columns])
    axes.set(ylabel="probability (bold: predicted)", ylim=(0.0, 1.2 * values.max()))
    axes.tick_params(axis="x", length=0)
    handles = [Patch(facecolor=colors[place], label=literal(label)) for place, label in enumerate(proba.index)]
    axes.legend(handles=handles, title="class", frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    bare(axes)
    return figure


def one_against_all(frame: pd.DataFrame) -> Figure:
    """How often one-against-all naive Bayes differs from naive Bayes, and whether it is right more often.

    Parameters
    ----------
    frame : DataFrame
        As :func:`pwcstats.studies.sulzmann.one_against_all` returns it.

    Returns
    -------
    matplotlib.figure.Figure
        On the left shares of cases that get another class, or another ranking of the classes; on the right differences
        of the accuracies, with two standard errors. A line for each set of data.

    Examples
    --------
    >>> from pwcstats import plot
    >>> from pwcstats.studies import sulzmann
    >>> frame = sulzmann.one_against_all(sets=["iris", "wine"], splits=3)
    >>> figure = plot.one_against_all(frame)
    >>> figure.savefig("against_all.png")  # doctest: +SKIP
    """
    columns = ["data", "quantity", "estimate", "std_error"]
    missing = [column for column in columns if column not in frame]
    if missing:
        raise InputError(f"one_against_all needs the columns {listed(columns)}, got none called {listed(missing)}.")
    rows = frame.dropna(subset=["data"])
    names = list(pd.unique(rows["data"]))
    wide = rows.pivot(index="data", columns="quantity", values=["estimate", "std_error"]).loc[names]
    figure = Figure(figsize=(9.0, 1.5 + 0.3 * len(names)), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[1.3, 1.0])
    place = np.arange(len(names))
    for quantity, strength, height in ((SHARES[1], 0.3, 0.72), (SHARES[0], 1.0, 0.36)):
        color = tinted(to_rgb(COLORS[0]), strength)
        left.barh(place, wide["estimate", quantity], height, color=color, label=quantity.removeprefix("cases "))
    left.set(xlabel="share of cases", xlim=(0.0, None))
    left.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, fontsize=9, reverse=True)
    right.axvline(0.0, color="0.5", linewidth=0.8, zorder=1)
    right.errorbar(
        wide["estimate", GAIN], place, xerr=2.0 * wide["std_error", GAIN], fmt="o", color=COLORS[1], markersize=5
    )
    right.set(xlabel=f"{GAIN}\n(bars: 2 s.e.)")
    for axes in (left, right):
        _finish(axes, names)
    return figure


def _finish(axes: Axes, names: list[Any]) -> None:
    axes.set_yticks(range(len(names)), [literal(name) for name in names], fontsize=9)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(axis="y", color="0.93")
    axes.set_axisbelow(True)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    axes.tick_params(axis="y", length=0)
    bare(axes)
    axes.spines["left"].set_visible(False)
