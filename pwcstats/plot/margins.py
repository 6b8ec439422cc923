"""Distances of the classes from the borders of local machines."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import Patch
from numpy.typing import NDArray

from pwcstats._arrays import Array
from pwcstats._text import counted
from pwcstats.errors import InputError, code
from pwcstats.plot.reading import check_fitted, final_estimator, find_method, read_axes, read_labels
from pwcstats.plot.style import (
    FONT,
    Panels,
    add_panels,
    area_colors,
    figure_of,
    hide_frame,
    literal,
    new_figure,
    one_or_array,
    tinted,
)

# Number of bars over the range of all distances.
BARS = 40
# With more classes than this, filled histograms would overlap too much; only those of the machine's classes are filled.
MOST_FILLED = 5
# Prefix of the columns of `distances`.
PREFIX = "d_"
LONGEST = 22
MOST_COLUMNS = 2
# If the ranges of the distances differ by more than this factor, each machine has its own axis.
ALIKE = 10.0
# Rows of the legend for each row of panels.
ROWS_A_PANEL = 8


def distances(clf: Any, X: Any, y: Any, *, ax: Any = None) -> Panels:
    """Signed distances from the borders of the local machines, a panel for each machine.

    Each class has its own histogram, in shares of its rows, so that rare classes are visible, too. The line at 0 is the
    border of the machine; its positive side is on the right. With more than 5 classes, the class that the machine is
    named after and the positive (or baseline) class are highlighted. The panels share an axis, unless the range of the
    distances from one machine is more than 10 times that of another.

    Parameters
    ----------
    clf : HybridClassifier or OrdinalHybridClassifier
        A fitted classifier, or a pipeline or a search that ends in one.
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        Rows. The rows of the fit tend to be further from the borders than new ones.
    y : array-like of shape (n_samples,)
        Their classes.
    ax : matplotlib.axes.Axes or sequence of them, optional
        Axes to draw in, one for each machine; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes or array of them

    Examples
    --------
    >>> from pwcstats import OrdinalHybridClassifier, datasets, plot
    >>> sample = datasets.chang_ordered(2, random_state=0)
    >>> X, y, train = sample.data, sample.target, sample.train
    >>> clf = OrdinalHybridClassifier().fit(X[train], y[train])
    >>> axes = plot.distances(clf, X[~train], y[~train])
    >>> axes[0].figure.savefig("distances.png")  # doctest: +SKIP
    """
    check_fitted(clf, "distances")
    method, inner = find_method(clf, "distances"), final_estimator(clf)
    if method is None:
        raise InputError(
            f"{code('distances')} shows the machines of a {code('HybridClassifier')} or "
            f"{code('OrdinalHybridClassifier')}, got {type(inner).__name__}, which has no {code('distances')}; pass "
            "one of them."
        )
    frame: pd.DataFrame = method(X)
    codes = read_labels(clf.classes_, y, len(frame))
    # Classes without rows have no histogram.
    order = [index for index in _in_order(clf) if (codes == index).any()]
    colors = area_colors(len(clf.classes_))[order]
    bins = _bins(frame.to_numpy())
    panels = _new_panels(bins) if ax is None else read_axes(ax, len(bins))
    positive = getattr(inner, "pos_label_", None)
    tallest = []
    for panel, column, values, edges in zip(panels, frame.columns, frame.to_numpy().T, bins, strict=True):
        name = str(column).removeprefix(PREFIX)
        shares = _shares(values, codes, order, edges)
        highlighted = [str(clf.classes_[index]) in (name, str(positive)) for index in order]
        _draw_classes(panel, shares, edges, colors, highlighted)
        panel.set_title(f"machine {literal(_short(name))}", fontsize=FONT)
        tallest.append(shares.max())
    for panel, own in zip(panels, tallest, strict=True):
        # The panels of a new figure have the same height.
        panel.set_ylim(0.0, 1.05 * (max(tallest) if ax is None else own))
    names = [f"{literal(clf.classes_[index])} ({counted(int((codes == index).sum()), 'row')})" for index in order]
    handles = [
        Patch(facecolor=to_hex(tuple(tinted(color, 0.35))), edgecolor=to_hex(color), label=name)
        for color, name in zip(colors, names, strict=True)
    ]
    _finish(panels, inner, handles, ax is None)
    return one_or_array(panels)


def _finish(panels: list[Axes], inner: Any, handles: list[Patch], own: bool) -> None:
    """Add labels and the legend: to the figure if it is our own, otherwise to the panels."""
    side = inner.pos_label_ if hasattr(inner, "pos_label_") else "the machine's class"
    label = f"signed distance from the border, positive on the side of {literal(side)}"
    heights = "share of the class's rows"
    if own:
        figure = figure_of(panels)
        figure.supxlabel(label, fontsize=FONT)
        figure.supylabel(heights, fontsize=FONT)
        # A figure with few panels is too low for many names in one column.
        room = ROWS_A_PANEL * int(np.ceil(len(panels) / _columns(len(panels))))
        figure.legend(handles=handles, loc="outside right upper", frameon=False, ncols=1 + (len(handles) - 1) // room)
        return
    panels[0].set_ylabel(heights)
    panels[0].legend(handles=handles, loc="best", fontsize=FONT, edgecolor="none", framealpha=0.7)
    for panel in panels:
        panel.set_xlabel(label)


def _columns(n: int) -> int:
    """Number of panels side by side."""
    return min(MOST_COLUMNS, int(np.ceil(np.sqrt(n))))


def _in_order(clf: Any) -> list[int]:
    """Indices of ordered classes from the lowest to the highest; of other classes in their sorted order."""
    ordered = getattr(final_estimator(clf), "categories_", clf.classes_)
    return [int(index) for index in pd.Index(clf.classes_).get_indexer(pd.Index(ordered))]


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def _new_panels(bins: list[Array]) -> list[Axes]:
    """Panels of a new figure."""
    n, columns = len(bins), _columns(len(bins))
    rows = int(np.ceil(n / columns))
    width, height = (5.6, 3.8) if n == 1 else (2.4 * columns + 1.6, 2.1 * rows + 0.6)
    figure = new_figure(width, height)
    shared = all(edges is bins[0] for edges in bins)
    return add_panels(figure, n, columns, sharex=shared, sharey=True)


def _bins(values: Array) -> list[Array]:
    """Edges of the bars of each machine: the same for all, unless the ranges of their distances differ much."""
    low, high = np.minimum(values.min(axis=0), 0.0), np.maximum(values.max(axis=0), 0.0)
    # A machine without a border has only distances of 0, which fit any scale.
    span = (high - low)[high > low]
    if len(span) and span.max() > ALIKE * span.min():
        return [_edges(*ends) for ends in zip(low, high, strict=True)]
    return [_edges(low.min(), high.max())] * values.shape[1]


def _edges(low: float, high: float) -> Array:
    """Edges of bars of equal width, one of them at 0, so that no bar is on both sides of the border."""
    width = (high - low) / BARS or 1.0
    return width * np.arange(np.floor(low / width), np.floor(high / width) + 2)


def _shares(values: Array, codes: NDArray[np.int64], order: list[int], edges: Array) -> Array:
    """Heights of the bars: one row per class, with the shares of its rows."""
    inside = np.clip(values, edges[0], edges[-1])  # rounding may have moved the outermost edges inwards
    return np.array([np.histogram(inside[codes == index], edges)[0] / np.sum(codes == index) for index in order])


def _draw_classes(panel: Axes, shares: Array, edges: Array, colors: Array, highlighted: list[bool]) -> None:
    """Draw a histogram for each class, and the border."""
    few = len(shares) <= MOST_FILLED
    for share, color, own in zip(shares, colors, highlighted, strict=True):
        line: dict[str, Any] = {"linewidth": 1.2}
        if not few:
            line = {"linewidth": 1.5, "zorder": 3} if own else {"linewidth": 0.6, "alpha": 0.6}
        panel.stairs(share, edges, color=color, **line)
        if few or own:
            panel.stairs(share, edges, fill=True, color=color, alpha=0.18 if few else 0.4)
    panel.axvline(0.0, color="0.25", linestyle=(0, (4, 3)), linewidth=1.0, zorder=4)
    hide_frame(panel)
