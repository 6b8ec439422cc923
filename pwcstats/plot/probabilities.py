"""Class probabilities of one case, by several methods."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray

from pwcstats._arrays import as_float
from pwcstats._text import shape_of
from pwcstats.errors import InputError, arg, code
from pwcstats.plot.reading import read_axes, read_panel
from pwcstats.plot.style import (
    COLORS,
    FONT,
    MARKERS,
    area_colors,
    figure_of,
    hide_frame,
    literal,
    new_figure,
    tinted,
)


def _check_proba(proba: Any, figure: str) -> None:
    if not isinstance(proba, pd.DataFrame) or proba.empty:
        raise InputError(f"{code(figure)} needs a DataFrame with a row for each class and a column for each method.")


def posteriors(proba: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Class probabilities of one case as bars, a group of bars for each method.

    Parameters
    ----------
    proba : DataFrame
        One row per class, one column per method. The largest probability of each method is marked, because the method
        predicts this class.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    Section 5 of Sulzmann, Fürnkranz and Hüllermeier (2007):

    >>> import pandas as pd
    >>> from pwcstats import plot
    >>> proba = pd.DataFrame({"naive Bayes": [4 / 15, 5 / 15, 6 / 15], "one against all": [2 / 9, 4 / 15, 8 / 41]},
    ...     index=list("ABC"))
    >>> ax = plot.posteriors(proba)
    >>> ax.figure.savefig("posteriors.png")  # doctest: +SKIP
    """
    _check_proba(proba, "posteriors")
    values = as_float(proba, "proba")
    k, n = values.shape
    colors = area_colors(k)
    axes = read_panel(ax, 1.6 + n * (0.5 + 0.55 * k), 3.8)
    offsets = (np.arange(k) - (k - 1) / 2) * 0.8 / k
    for index, label in enumerate(proba.index):
        is_largest = values.argmax(axis=0) == index
        at = np.arange(n) + offsets[index]
        face = np.where(is_largest[:, None], colors[index], tinted(colors[index], 0.3))
        axes.bar(at, values[index], 0.72 / k, color=face, edgecolor=colors[index])
        for x, p, predicted in zip(at, values[index], is_largest, strict=True):
            axes.annotate(
                f"{p:.3f}\n{literal(label)}" if predicted else f"{p:.3f}",
                (x, p),
                (0, 3),
                textcoords="offset points",
                ha="center",
                fontsize=FONT,
                fontweight="bold" if predicted else "normal",
            )
    axes.set_xticks(range(n), [literal(name) for name in proba.columns])
    axes.set(ylabel="probability (bold: predicted)", ylim=(0.0, 1.2 * values.max()))
    axes.tick_params(axis="x", length=0)
    handles = [Patch(facecolor=colors[index], label=literal(label)) for index, label in enumerate(proba.index)]
    axes.legend(handles=handles, title="class", frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    hide_frame(axes)
    return axes


def coupling(r: Any, proba: pd.DataFrame, *, ax: Any = None) -> NDArray[np.object_]:
    """Pairwise probabilities of one case as a heat map, above the class probabilities that coupling methods give.

    Parameters
    ----------
    r : array-like of shape (K, K)
        Pairwise probabilities of one case. The diagonal is ignored and drawn grey.
    proba : DataFrame
        One row per class, one column per coupling method, for example
        ``pd.DataFrame({method: couple(r, method) for method in ("wlw2", "ht")})``.
    ax : sequence of two matplotlib.axes.Axes, optional
        Axes to draw in; by default a new figure.

    Returns
    -------
    array of two matplotlib.axes.Axes

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats import couple, plot
    >>> r = [[0, 0.9, 0.4], [0.1, 0, 0.7], [0.6, 0.3, 0]]
    >>> proba = pd.DataFrame({method: couple(r, method) for method in ("wlw2", "ht")}, index=list("ABC"))
    >>> axes = plot.coupling(r, proba)
    >>> axes[0].figure.savefig("coupling.png")  # doctest: +SKIP
    """
    _check_proba(proba, "coupling")
    pairs, k = as_float(r, "r").copy(), len(proba)
    if pairs.shape != (k, k):
        raise InputError(
            f"{arg('r')} must have a row and a column for each of the {k} classes of {arg('proba')}, got "
            f"{shape_of(pairs)}."
        )
    np.fill_diagonal(pairs, np.nan)
    names = [literal(name) for name in proba.index]
    upper, lower = new_figure(5.8, 7.6).subplots(2, 1, height_ratios=[1.3, 1]) if ax is None else read_axes(ax, 2)
    upper.set_facecolor("0.75")  # for the diagonal; white stands for r = 1/2
    image = upper.imshow(pairs, vmin=0, vmax=1, cmap="PuOr")
    figure_of(upper).colorbar(image, ax=upper, shrink=0.85, label="r: row class rather than column class")
    upper.set(xlabel="class", ylabel="class", xticks=range(k), yticks=range(k))
    upper.set_xticklabels(names)
    upper.set_yticklabels(names)
    offsets = np.linspace(-0.3, 0.3, proba.shape[1])
    for index, (method, p) in enumerate(proba.items()):
        style = {"color": COLORS[index % len(COLORS)], "marker": MARKERS[index % len(MARKERS)]}
        lower.plot(np.arange(k) + offsets[index], p, linestyle="none", label=literal(method), **style)
    for boundary in np.arange(k - 1) + 0.5:
        lower.axvline(boundary, color="0.9", linewidth=0.8, zorder=0)
    # The legend is above the points.
    top = 1.3 * float(np.nanmax(as_float(proba, "proba")))
    lower.set(xlabel="class", ylabel="coupled probability", xticks=range(k), ylim=(-0.02, top))
    lower.set_xticklabels(names)
    lower.yaxis.set_major_formatter(PercentFormatter(1.0))
    lower.legend(title="coupling", frameon=False, ncols=2)
    return np.array([upper, lower], dtype=object)
