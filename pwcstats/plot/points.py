"""Scatter plots of samples in the plane."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from pwcstats import _params
from pwcstats._arrays import Array, as_float
from pwcstats._text import shape_of, shown
from pwcstats.errors import InputError, arg, code
from pwcstats.plot.reading import read_axes, read_sample
from pwcstats.plot.style import (
    FONT,
    MARKERS,
    Panels,
    add_panels,
    area_colors,
    figure_of,
    hide_frame,
    legend_columns,
    legend_of_figure,
    literal,
    new_figure,
    one_or_array,
)

# The points of the classes are drawn in turns, in this many layers, so that no class hides another.
LAYERS = 10
# Sizes at which the markers have about the same area, so that no class looks larger than it is.
SIZES = (1.0, 0.89, 1.15, 0.85, 1.15, 1.1, 1.1, 1.3)
# Most panels side by side, unless the caller passes another number.
MOST_COLUMNS = 2


def samples(panels: Mapping[Any, Any], *, columns: int | None = None, ax: Any = None) -> Panels:
    """Points of samples with their classes, a panel for each sample.

    Like Figures 3 and 6 of Chang [1]_ and Figure 4 of Szepannek, Bischl and Weihs [2]_. The panels share their axes,
    and a class has the same colour and marker in all of them.

    Parameters
    ----------
    panels : mapping of titles to tuples (X, y)
        `X` has two columns, whose names become the labels of the axes. `y` has the class of each row.
    columns : int, optional
        Number of panels side by side; by default at most 2.
    ax : matplotlib.axes.Axes or sequence of them, optional
        Axes to draw in, one for each sample; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes or array of them

    References
    ----------
    .. [1] Chang, Y.-C. I. (2003). Boosting SVM classifiers with logistic regression. Technical report, Institute of
       Statistical Science, Academia Sinica, Taipei.
    .. [2] Szepannek, G., Bischl, B., & Weihs, C. (2007). On the combination of locally optimal pairwise classifiers.
       In Machine Learning and Data Mining in Pattern Recognition (MLDM 2007), 104-116.

    Examples
    --------
    >>> from pwcstats import datasets, plot
    >>> panels = {
    ...     f"alpha = {alpha}, rho = {rho}": datasets.szepannek_classes(alpha, rho, random_state=0)
    ...     for alpha, rho in ((0.1, 0.1), (0.9, 0.9))
    ... }
    >>> axes = plot.samples(panels)
    >>> axes[0].figure.savefig("samples.png")  # doctest: +SKIP
    """
    found = {str(title): _read_panel(sample, str(title)) for title, sample in _read_panels(panels).items()}
    n = len(found)
    across = min(n, _columns(n) if columns is None else _params.count(columns, "columns"))
    classes = np.unique(np.concatenate([y for _, y, _ in found.values()]))
    names = next(iter(found.values()))[2]
    axes = _new_panels(n, across, len(classes)) if ax is None else read_axes(ax, n)
    for panel, (title, (points, y, _)) in zip(axes, found.items(), strict=True):
        _draw_classes(panel, points, np.searchsorted(classes, y), len(classes))
        panel.set_title(literal(title), fontsize=FONT + 1)
        hide_frame(panel)
        if ax is not None:
            panel.set(xlabel=literal(names[0]), ylabel=literal(names[1]))
    if ax is None:
        figure_of(axes).supxlabel(literal(names[0]), fontsize=FONT)
        figure_of(axes).supylabel(literal(names[1]), fontsize=FONT)
    handles = [
        Line2D([], [], label=literal(label), **_style(index, len(classes), 7.0)) for index, label in enumerate(classes)
    ]
    legend_of_figure(axes, handles, "outside right upper", ax is None, ncols=legend_columns(len(classes)))
    return one_or_array(axes)


def _read_panels(panels: Any) -> Mapping[Any, Any]:
    if not isinstance(panels, Mapping) or not panels:
        got = "none" if isinstance(panels, Mapping) else type(panels).__name__
        raise InputError(
            f"{arg('panels')} must be a dict of titles and tuples (X, y), got {got}; pass at least one sample."
        )
    return panels


def _read_panel(sample: Any, title: str) -> tuple[Array, Any, list[str]]:
    """Points, their classes, and the names of the two columns."""
    X, y = read_sample(sample, f"the sample {title!r}")
    shape, labels = np.shape(X), np.asarray(y)
    if len(shape) != 2 or shape[1] != 2:
        got = f"{shape[1]} columns" if len(shape) == 2 else f"{len(shape)} dimensions"
        raise InputError(
            f"{code('samples')} draws a plane: the X of {title!r} must have 2 columns, got {got}; choose two."
        )
    if labels.shape != shape[:1]:
        raise InputError(
            f"the y of {title!r} must be one label for each of its {shape[0]} rows, got {shape_of(labels)}."
        )
    missing = pd.isna(labels)
    if missing.any():
        raise InputError(f"the y of {title!r} must not have missing values, got {shown(labels[missing][0])}.")
    points = as_float(X, f"the X of {title!r}")
    if not len(points) or not np.isfinite(points).all():
        got = "no rows" if not len(points) else "NaN or infinite values"
        raise InputError(f"the X of {title!r} must have rows of finite values, got {got}.")
    return points, labels, [str(name) for name in getattr(X, "columns", ("x1", "x2"))]


def _columns(n: int) -> int:
    return min(n, MOST_COLUMNS)


def _new_panels(n: int, across: int, n_classes: int) -> list[Axes]:
    """A new figure with `n` panels that share their axes."""
    rows = -(-n // across)
    size = 4.4 if n == 1 else 2.4
    figure = new_figure(size * across + 1.2 * legend_columns(n_classes), size * rows + 0.4)
    return add_panels(figure, n, across, sharex=True, sharey=True)


def _style(index: int, k: int, size: float) -> dict[str, Any]:
    """Marker and colour of a class; a thin white edge separates neighbours."""
    return {
        "marker": MARKERS[index % len(MARKERS)],
        "markersize": size * SIZES[index % len(SIZES)],
        "markerfacecolor": area_colors(k)[index],
        "markeredgecolor": "white",
        "markeredgewidth": 0.3,
        "linestyle": "none",
    }


def _draw_classes(panel: Any, points: Array, codes: Any, k: int) -> None:
    size = 6.0 if len(points) <= 200 else 4.6 if len(points) <= 1000 else 3.6
    for layer in range(LAYERS):
        for index in range(k):
            part = points[codes == index][layer::LAYERS]
            panel.plot(*part.T, **_style(index, k, size))
