"""Figures of tables: couplings, accuracies, abilities."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from pwcstats.plot.style import COLORS, MARKERS, literal


def coupling(r: Any, proba: pd.DataFrame) -> Figure:
    """Pairwise probabilities as a heat map, and beside it the class probabilities that couplings make of them.

    Parameters
    ----------
    r : array-like of shape (K, K)
        Pairwise probabilities of one sample; the diagonal is left grey.
    proba : DataFrame
        One row per class, one column per coupling, as ``pd.DataFrame({m: couple(r, m) for m in methods})`` makes it.

    Returns
    -------
    matplotlib.figure.Figure
    """
    r = np.array(r, dtype=float)
    k = len(r)
    np.fill_diagonal(r, np.nan)
    names = [literal(name) for name in proba.index]
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.5])
    left.set_facecolor("0.75")  # the diagonal: no white, which stands for r = 1/2
    image = left.imshow(r, vmin=0, vmax=1, cmap="PuOr")
    figure.colorbar(image, ax=left, shrink=0.85, label="r: row class rather than column class")
    left.set(xlabel="class", ylabel="class", xticks=range(k), yticks=range(k))
    left.set_xticklabels(names)
    left.set_yticklabels(names)
    offsets = np.linspace(-0.3, 0.3, proba.shape[1])
    for position, (method, p) in enumerate(proba.items()):
        style = {"color": COLORS[position % 8], "marker": MARKERS[position % 8]}
        right.plot(np.arange(k) + offsets[position], p, linestyle="none", label=literal(method), **style)
    for boundary in np.arange(k - 1) + 0.5:
        right.axvline(boundary, color="0.9", linewidth=0.8, zorder=0)
    right.set(xlabel="class", ylabel="coupled probability", xticks=range(k), ylim=(-0.02, None))
    right.set_xticklabels(names)
    right.yaxis.set_major_formatter(PercentFormatter(1.0))
    right.legend(title="coupling", frameon=False, ncols=2)
    return figure


def accuracy_by_classes(accuracy: pd.DataFrame) -> Figure:
    """Accuracy against the number of classes, a panel for each setting (Wu, Lin & Weng's Figure 1).

    Parameters
    ----------
    accuracy : DataFrame
        The columns ``setting``, ``n_classes``, ``method``, ``accuracy`` and ``std_error``.

    Returns
    -------
    matplotlib.figure.Figure
    """
    settings = accuracy["setting"].unique()
    figure = Figure(figsize=(3.6 * len(settings), 3.6), layout="constrained")
    panels = figure.subplots(1, len(settings), sharey=True, squeeze=False)[0]
    for panel, setting, letter in zip(panels, settings, "abcdefgh", strict=False):
        rows = accuracy[accuracy["setting"] == setting]
        for position, (method, line) in enumerate(rows.groupby("method", sort=False)):
            panel.errorbar(
                line["n_classes"],
                line["accuracy"],
                yerr=2 * line["std_error"],
                color=COLORS[position % 8],
                marker=MARKERS[position % 8],
                markersize=5,
                linewidth=1.2,
                capsize=2,
                label=literal(method),
            )
        ticks = sorted(rows["n_classes"].unique())
        panel.set_xscale("log", base=2)
        panel.set_xticks(ticks, [str(tick) for tick in ticks], minor=False)
        panel.minorticks_off()
        panel.set(title=f"({letter}) {literal(setting)}", xlabel="number of classes")
    panels[0].set_ylabel("share of true class found (bars: 2 s.e.)")
    panels[0].legend(frameon=False)
    return figure


def abilities(frame: pd.DataFrame, label: str = "ability", title: str | None = None) -> Figure:
    """Abilities with intervals, one line an item, the best on top.

    Parameters
    ----------
    frame : DataFrame
        Indexed by item, with the columns `ability`, `conf_low` and `conf_high`, as
        :meth:`pwcstats.BradleyTerryResults.abilities` returns it.
    label : str
        Label of the axis.
    title : str, optional
        Title of the figure.

    Returns
    -------
    matplotlib.figure.Figure
    """
    frame = frame.sort_values("ability", kind="stable")
    n = len(frame)
    names = [literal(name) for name in frame.index]
    size = 9 if n <= 60 else 6
    figure = Figure(figsize=(7, max(2.2, 0.9 + n * size / 48)), layout="constrained")
    axes = figure.subplots()
    rows = np.arange(n)
    axes.hlines(rows, frame["conf_low"], frame["conf_high"], color=COLORS[0], linewidth=1.6)
    axes.plot(frame["ability"], rows, "o", color=COLORS[0], markersize=4.5)
    # Faint lines lead the eye from a name to its point.
    axes.grid(axis="y", color="0.93")
    axes.axvline(0.0, color="0.7", linewidth=0.8, zorder=0)
    axes.set_axisbelow(True)
    axes.set_yticks(rows, names, fontsize=size)
    axes.set_xlabel(label, wrap=True)
    axes.set_ylim(-0.8, n - 0.2)
    if title is not None:
        axes.set_title(title)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    return figure
