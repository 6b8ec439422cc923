"""Colours, markers, labels and panels that the figures share."""

import numbers
from typing import Any, TypeAlias

import numpy as np
from matplotlib import colormaps, pyplot
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pwcstats._text import visible

# What functions return that may draw several panels.
Panels: TypeAlias = Axes | NDArray[np.object_]

# The colours of Okabe and Ito can be told apart with any kind of colour vision; the markers, in print without colours.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#999999")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
# Grey means "no class", so areas use yellow and wine instead of black and grey.
AREAS = (*COLORS[:6], "#F0E442", "#882255")
NOBODY = "#C4C4C4"
# Size of text in points; pictures are about 6 inches wide, so that it can be read on a phone.
FONT = 10.5
# Mean width of a letter, as a share of the size of the font.
LETTER = 0.54
# Inches that the handle of a legend and the gaps around its label take.
HANDLE = 0.65
# A legend with more names than this gets another column.
LEGEND_ROWS = 18


def area_colors(n: int) -> NDArray[np.float64]:
    """Colours of `n` kinds of area, one row of red, green and blue each."""
    if n <= len(AREAS):
        return np.array([to_rgb(color) for color in AREAS[:n]])
    return np.asarray(colormaps["turbo"](np.linspace(0.03, 0.97, n)))[:, :3]


def tinted(colors: Any, strength: Any) -> NDArray[np.float64]:
    """Colours mixed with white; a strength of 1 gives the pure colour."""
    return 1.0 - np.asarray(strength)[..., None] * (1.0 - np.asarray(colors))


def ink(color: Any) -> str:
    """Black or white, whichever is easier to read on a colour."""
    return "black" if np.dot(color, (0.3, 0.59, 0.11)) > 0.6 else "white"


def marker_size(n: int) -> float:
    """Size of the markers of `n` points."""
    return 5.5 if n <= 200 else 4.2 if n <= 1000 else 3.0


def literal(label: Any) -> str:
    """A label from the data as text that matplotlib shows as it is.

    Dollar signs do not start a formula, control characters are escaped, and legends do not omit names that begin with
    an underscore.
    """
    text = visible(str(label)).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def inches(text: str, fontsize: float = FONT) -> float:
    """About the width of a text in inches: that of its longest line."""
    return LETTER * fontsize / 72 * max(map(len, text.split("\n")))


def short_number(value: Any) -> str:
    """A number in a few digits; other values as they are."""
    return f"{value:g}" if isinstance(value, numbers.Real) and not isinstance(value, bool) else str(value)


def new_figure(width: float, height: float, layout: Any = "constrained") -> Figure:
    """A new figure of pyplot, so that notebooks show it; sizes in inches."""
    return pyplot.figure(figsize=(width, height), layout=layout)


def new_axes(width: float, height: float) -> Axes:
    """The only panel of a new figure."""
    return new_figure(width, height).subplots()


def figure_of(axes: Any) -> Figure:
    """The figure of one or several Axes, also of those in a subfigure."""
    figure = np.ravel(np.asarray(axes, dtype=object))[0].figure
    return figure if isinstance(figure, Figure) else figure.figure


def one_or_array(panels: Any) -> Panels:
    """Axes as the functions return them: one by itself, several in an array."""
    return panels[0] if len(panels) == 1 else np.array(list(panels), dtype=object)


def hide_frame(ax: Axes, *, left: bool = False) -> None:
    """Hide the frame above and on the right; with `left`, also the line and the ticks on the left."""
    for side in ("top", "right", *(["left"] if left else [])):
        ax.spines[side].set_visible(False)
    if left:
        ax.tick_params(axis="y", length=0)


def list_rows(ax: Axes, names: list[str], fontsize: float = FONT) -> None:
    """Name the rows 0, 1, ... of the axes, the first on top; faint lines lead the eye from a name to its point."""
    ax.set_yticks(range(len(names)), names, fontsize=fontsize)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(axis="y", color="0.93")
    ax.set_axisbelow(True)
    hide_frame(ax, left=True)


def legend_columns(n: int) -> int:
    """Columns of a legend with `n` names."""
    return 1 + (n - 1) // LEGEND_ROWS


def fitting_columns(handles: list[Any], width: float) -> int:
    """The largest number of columns in which a legend is at most so many inches wide."""
    widths = [inches(str(handle.get_label())) + HANDLE for handle in handles]
    for n in range(len(widths), 1, -1):
        # Legends fill one column after the other.
        if sum(max(column) for column in np.array_split(widths, n)) <= width:
            return n
    return 1


def legend_beside(ax: Axes, handles: list[Any], **options: Any) -> None:
    """Add a legend on the right of the axes, where it hides nothing."""
    ax.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(1.02, 1.0),
        borderaxespad=0.0,
        frameon=False,
        **{"ncols": legend_columns(len(handles)), **options},
    )


def legend_of_figure(panels: Any, handles: list[Any], loc: Any, own: bool, **options: Any) -> None:
    """Add a legend outside of all panels of our own figure; in a figure of the caller, beside the last panel."""
    if own:
        figure_of(panels).legend(handles=handles, loc=loc, frameon=False, **options)
    else:
        legend_beside(panels[-1], handles, **{**options, "ncols": legend_columns(len(handles))})


def add_panels(figure: Figure, n: int, columns: int, **share: Any) -> list[Axes]:
    """Add `n` panels in rows of `columns`; the last row may have fewer."""
    panels = list(figure.subplots(-(-n // columns), columns, squeeze=False, **share).ravel())
    for panel in panels[n:]:
        panel.remove()
    for panel in panels[max(0, n - columns) : n]:
        # With shared axes, only the panels of the last row have numbers below them.
        panel.tick_params(labelbottom=True)
    return panels[:n]
