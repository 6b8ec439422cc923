"""How far the classes are from the borders of local machines."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from pwcstats._arrays import Array
from pwcstats._text import counted
from pwcstats.plot.reading import core, read_axes, read_distances, read_labels, refuse_unfitted
from pwcstats.plot.style import area_colors, bare, figure_of, literal, tinted

# Bars over the range of all distances.
BARS = 40
# Of more classes than this, areas on each other could not be told apart: those that the machine is for have them.
MOST_FILLED = 5
# How the classifiers call the distance from a machine.
PREFIX = "d_"
LONGEST = 22
MOST_COLUMNS = 4
# Machines that differ more than this in the range of their distances have an axis each.
ALIKE = 10.0
# Names beside a panel.
ROWS_A_PANEL = 8


def distances(clf: Any, X: Any, y: Any, *, ax: Any = None) -> Figure:
    """Signed distances from the borders of the local machines, a panel for each machine.

    Each class has a histogram of its own, in shares of its rows, so that rare classes are seen too. The line at 0 is
    the machine's border; on the right of it is the machine's positive side. With more than 5 classes, those that a
    machine is named by and the positive (or baseline) class stand out. The panels share an axis, unless the distances
    from one machine range 10 times as wide as those from another.

    Parameters
    ----------
    clf : HybridClassifier or OrdinalHybridClassifier
        Fitted; also at the end of a pipeline or within a search.
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        Rows. Those of the fit are further from the borders than others.
    y : array-like of shape (n_samples,)
        Their classes.
    ax : matplotlib.axes.Axes or sequence of them, optional
        Axes to draw in, one for each machine; without them there is a new figure.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from pwcstats import OrdinalHybridClassifier, datasets, plot
    >>> sample = datasets.chang_ordered(2, random_state=0)
    >>> X, y, train = sample.data, sample.target, sample.train
    >>> clf = OrdinalHybridClassifier().fit(X[train], y[train])
    >>> figure = plot.distances(clf, X[~train], y[~train])
    >>> figure.savefig("distances.png")  # doctest: +SKIP
    """
    refuse_unfitted(clf, "distances")
    frame = read_distances(clf, X, "distances")
    code = read_labels(clf, y, len(frame))
    # Classes without rows have no histogram.
    order = [place for place in _in_order(clf) if (code == place).any()]
    colors = area_colors(len(clf.classes_))[order]
    bins = _bins(frame.to_numpy())
    panels = _new_panels(bins) if ax is None else read_axes(ax, len(bins))
    positive = getattr(core(clf), "pos_label_", None)
    tallest = []
    for panel, column, values, edges in zip(panels, frame.columns, frame.to_numpy().T, bins, strict=True):
        name = str(column).removeprefix(PREFIX)
        shares = _shares(values, code, order, edges)
        told = [str(clf.classes_[place]) in (name, str(positive)) for place in order]
        _draw_classes(panel, shares, edges, colors, told)
        panel.set_title(f"machine {literal(_short(name))}", fontsize=10)
        tallest.append(shares.max())
    for panel, own in zip(panels, tallest, strict=True):
        # Panels of a new figure share their height.
        panel.set_ylim(0.0, 1.05 * (max(tallest) if ax is None else own))
    names = [f"{literal(clf.classes_[place])} ({counted(int((code == place).sum()), 'row')})" for place in order]
    handles = [
        Patch(facecolor=to_hex(tuple(tinted(color, 0.35))), edgecolor=to_hex(color), label=name)
        for color, name in zip(colors, names, strict=True)
    ]
    _finish(panels, _words(core(clf)), handles, ax is None)
    return figure_of(panels[0])


def _finish(panels: list[Axes], words: str, handles: list[Patch], own: bool) -> None:
    """Labels and the legend: once for a figure of our own, on the panels where it is another's."""
    heights = "share of the class's rows"
    if own:
        figure = figure_of(panels[0])
        figure.supxlabel(words, fontsize=10)
        figure.supylabel(heights, fontsize=10)
        # Beside few panels there is no room for many names on top of each other.
        room = ROWS_A_PANEL * int(np.ceil(len(panels) / _columns(len(panels))))
        figure.legend(handles=handles, loc="outside right upper", frameon=False, ncols=1 + (len(handles) - 1) // room)
        return
    panels[0].set_ylabel(heights)
    panels[0].legend(handles=handles, loc="best", fontsize=9, edgecolor="none", framealpha=0.7)
    for panel in panels:
        panel.set_xlabel(words)


def _columns(n: int) -> int:
    """Panels side by side."""
    return min(MOST_COLUMNS, int(np.ceil(np.sqrt(n))))


def _in_order(clf: Any) -> list[int]:
    """Places of the classes from the lowest to the highest; those without an order as they are sorted."""
    ordered = getattr(core(clf), "categories_", clf.classes_)
    return [int(place) for place in pd.Index(clf.classes_).get_indexer(pd.Index(ordered))]


def _words(inner: Any) -> str:
    """Label of the axis: which class is on the right."""
    side = inner.pos_label_ if hasattr(inner, "pos_label_") else "the machine's class"
    return f"signed distance from the border, positive on the side of {literal(side)}"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def _new_panels(bins: list[Array]) -> list[Axes]:
    """Panels of a new figure in rows of equal length, of which the last may have gaps."""
    n, columns = len(bins), _columns(len(bins))
    rows = int(np.ceil(n / columns))
    width, height = (5.6, 3.8) if n == 1 else (3.1 * columns + 1.6, 2.2 * rows + 0.6)
    figure = Figure(figsize=(width, height), layout="constrained")
    shared = all(edges is bins[0] for edges in bins)
    panels = list(figure.subplots(rows, columns, sharex=shared, sharey=True, squeeze=False).ravel())
    for panel in panels[n:]:
        panel.remove()
    for panel in panels[max(0, n - columns) : n]:
        # Below some of these there are gaps, not panels that have the numbers.
        panel.tick_params(labelbottom=True)
    return panels[:n]


def _bins(values: Array) -> list[Array]:
    """Edges of the bars of each machine: the same, unless their distances are of other sizes."""
    low, high = np.minimum(values.min(axis=0), 0.0), np.maximum(values.max(axis=0), 0.0)
    # A machine without a border has no distances but 0, which are at home on any scale.
    span = (high - low)[high > low]
    if len(span) and span.max() > ALIKE * span.min():
        return [_edges(*ends) for ends in zip(low, high, strict=True)]
    return [_edges(low.min(), high.max())] * values.shape[1]


def _edges(low: float, high: float) -> Array:
    """Edges of bars of equal width, one of them at 0, so that no bar is on both sides of the border."""
    width = (high - low) / BARS or 1.0
    return width * np.arange(np.floor(low / width), np.floor(high / width) + 2)


def _shares(values: Array, code: NDArray[np.int64], order: list[int], edges: Array) -> Array:
    """Heights of the bars, a row for each class: shares of its rows."""
    inside = np.clip(values, edges[0], edges[-1])  # the outermost edges may have been rounded inwards
    return np.array([np.histogram(inside[code == place], edges)[0] / np.sum(code == place) for place in order])


def _draw_classes(panel: Axes, shares: Array, edges: Array, colors: Array, told: list[bool]) -> None:
    """A histogram for each class, and the border."""
    few = len(shares) <= MOST_FILLED
    for share, color, own in zip(shares, colors, told, strict=True):
        line: dict[str, Any] = {"linewidth": 1.2}
        if not few:
            line = {"linewidth": 1.5, "zorder": 3} if own else {"linewidth": 0.6, "alpha": 0.6}
        panel.stairs(share, edges, color=color, **line)
        if few or own:
            panel.stairs(share, edges, fill=True, color=color, alpha=0.18 if few else 0.4)
    panel.axvline(0.0, color="0.25", linestyle=(0, (4, 3)), linewidth=1.0, zorder=4)
    bare(panel)
