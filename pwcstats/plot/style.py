"""Colours, markers and words that the figures share."""

from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pwcstats._text import visible

# Okabe & Ito's colours, told apart by every kind of sight; markers tell the lines apart in print.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#999999")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
# Grey stands for no class; so areas have yellow and wine instead of black and grey.
AREAS = (*COLORS[:6], "#F0E442", "#882255")
NOBODY = "#C4C4C4"
# More names than this need another column.
LEGEND_ROWS = 18


def area_colors(n: int) -> NDArray[np.float64]:
    """Colours of `n` kinds of area, a row of red, green and blue for each."""
    if n <= len(AREAS):
        return np.array([to_rgb(color) for color in AREAS[:n]])
    return np.asarray(colormaps["turbo"](np.linspace(0.03, 0.97, n)))[:, :3]


def tinted(colors: Any, strength: Any) -> NDArray[np.float64]:
    """Colours mixed with white; all of the colour at strength 1."""
    return 1.0 - np.asarray(strength)[..., None] * (1.0 - np.asarray(colors))


def ink(color: Any) -> str:
    """Black or white, whichever is read better on a colour."""
    return "black" if np.dot(color, (0.3, 0.59, 0.11)) > 0.6 else "white"


def figure_of(ax: Axes) -> Figure:
    """The figure of some axes, also of those within a part of it."""
    figure = ax.figure
    return figure if isinstance(figure, Figure) else figure.figure


def literal(label: Any) -> str:
    """A label from the data as text that matplotlib shows as it is.

    Dollar signs do not start a formula, control characters are escaped, and legends do not omit names that begin with
    an underscore.
    """
    text = visible(str(label)).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def bare(ax: Axes) -> None:
    """No frame above and on the right."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def legend_beside(ax: Axes, handles: list[Any], **options: Any) -> None:
    """A legend on the right of the axes, where it hides nothing."""
    ax.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(1.02, 1.0),
        borderaxespad=0.0,
        frameon=False,
        ncols=1 + (len(handles) - 1) // LEGEND_ROWS,
        **options,
    )
