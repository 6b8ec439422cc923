"""Confusion matrices."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from pwcstats._arrays import Array, as_float
from pwcstats._text import shape_of
from pwcstats.errors import InputError, arg
from pwcstats.plot.reading import read_axes
from pwcstats.plot.style import COLORS, FONT, Panels, add_panels, ink, literal, new_figure, one_or_array, tinted

RIGHT, WRONG = COLORS[0], COLORS[1]
# With more classes than this, numbers in the cells would be too small to read.
MOST_NUMBERS = 30
WIDEST = 6.0


def confusion(matrices: Mapping[Any, Any], *, ax: Any = None) -> Panels:
    """Confusion matrices side by side, like Table 5 of Chang [1]_.

    Correct predictions are blue and wrong ones orange; a stronger colour means more cases. Cells without cases are
    empty.

    Parameters
    ----------
    matrices : mapping of titles to matrices
        Counts, with true classes in rows and predicted classes in columns. The index of a DataFrame names the classes.
    ax : matplotlib.axes.Axes or sequence of them, optional
        Axes to draw in, one for each matrix; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes or array of them
        The accuracy is below each title. For the rows of the fit, it is the training accuracy; say so in the title. All
        panels have the same scale of colours.

    References
    ----------
    .. [1] Chang, Y.-C. I. (2003). Boosting SVM classifiers with logistic regression. Technical report, Institute of
       Statistical Science, Academia Sinica, Taipei.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.metrics import confusion_matrix
    >>> from sklearn.model_selection import cross_val_predict
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from pwcstats import plot
    >>> X, y = load_iris(return_X_y=True)
    >>> predicted = cross_val_predict(GaussianNB(), X, y, cv=10)
    >>> ax = plot.confusion({"naive Bayes, cross-validated": confusion_matrix(y, predicted)})
    >>> ax.figure.savefig("confusion.png")  # doctest: +SKIP
    """
    if not isinstance(matrices, Mapping) or not matrices:
        got = "none" if isinstance(matrices, Mapping) else type(matrices).__name__
        raise InputError(f"{arg('matrices')} must be a dict of titles and matrices, got {got}; pass at least one.")
    found = {str(title): _read_counts(counts, str(title)) for title, counts in matrices.items()}
    most = [max(float(_part(counts, own).max()) for counts in found.values()) for own in (True, False)]
    k = max(len(counts) for counts in found.values())
    side = max(2.6, 0.4 * k + 0.8)
    if ax is None:
        # Pictures are at most as wide as two small panels, or one large one.
        across = min(len(found), max(1, int(WIDEST / side)))
        figure = new_figure(side * across + 0.4, (side + 1.0) * -(-len(found) // across))
        panels = add_panels(figure, len(found), across)
    else:
        panels = read_axes(ax, len(found))
    for panel, (title, counts), given in zip(panels, found.items(), matrices.values(), strict=True):
        _draw(panel, counts, most)
        names = [literal(name) for name in (given.index if isinstance(given, pd.DataFrame) else range(len(counts)))]
        panel.set_xticks(range(len(names)), names, fontsize=FONT, rotation=90 if max(map(len, names)) > 2 else 0)
        panel.set_yticks(range(len(names)), names, fontsize=FONT)
        panel.tick_params(length=0)
        panel.set_title(
            f"{literal(title)}\n{np.trace(counts) / counts.sum():.2%} of {counts.sum():g} right", fontsize=FONT
        )
        panel.set_xlabel("predicted class")
    panels[0].set_ylabel("true class")
    return one_or_array(panels)


def _read_counts(matrix: Any, title: str) -> Array:
    counts = as_float(matrix, f"the matrix {title!r}")
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not counts.size:
        raise InputError(
            f"the matrix {title!r} must have a row and a column for each class, got {shape_of(counts)}; pass counts "
            "with true classes in rows and predicted classes in columns."
        )
    if not np.isfinite(counts).all() or (counts < 0).any() or counts.sum() == 0:
        raise InputError(f"the matrix {title!r} must have counts of at least 0, some above 0.")
    return counts


def _part(counts: Array, own: bool) -> Array:
    """The diagonal, or all except the diagonal; 0 elsewhere."""
    diagonal = np.eye(len(counts), dtype=bool)
    return np.where(diagonal if own else ~diagonal, counts, 0.0)


def _draw(panel: Axes, counts: Array, most: list[float]) -> None:
    colors = np.ones((*counts.shape, 3))
    for own, base, top in zip((True, False), (RIGHT, WRONG), most, strict=True):
        part = _part(counts, own)
        # A few cases must be visible, too.
        strength = np.where(part > 0, 0.15 + 0.85 * part / (top or 1.0), 0.0)
        colors = np.where((part > 0)[..., None], tinted(to_rgb(base), strength), colors)
    panel.imshow(colors)
    if len(counts) > MOST_NUMBERS:
        return
    for row, column in np.argwhere(counts > 0):
        text = f"{counts[row, column]:g}"
        panel.text(column, row, text, ha="center", va="center", fontsize=FONT, color=ink(colors[row, column]))
