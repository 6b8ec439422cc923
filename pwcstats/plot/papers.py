"""Results of studies: errors over two parameters, and our numbers beside a paper's."""

import numbers
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from pwcstats._arrays import Array, as_float
from pwcstats._text import listed, shown
from pwcstats.errors import InputError
from pwcstats.plot.style import COLORS, bare, ink, literal

# Of a table of a study; what stands before these are parameters.
NUMBERS = ("estimate", "paper", "allowed", "agrees")
# Beyond so many values of a parameter, numbers in the cells could not be read, nor could all values beside them.
MOST_NUMBERS, MOST_TICKS = 12, 12


def error_map(frame: pd.DataFrame, x: str, y: str, value: str = "estimate") -> Figure:
    """Errors over two parameters, a panel for each method.

    Like Figure 5 of Szepannek, Bischl and Weihs [1]_. All panels have one scale of colours.

    Parameters
    ----------
    frame : DataFrame
        A row for each method and each value of the two parameters, with the columns `x`, `y`, `value` and ``method``.
    x, y : str
        Columns of the two parameters.
    value : str
        Column of the errors, as shares.

    Returns
    -------
    matplotlib.figure.Figure
        Up to 12 x 12 cells have the error in per cent.

    References
    ----------
    .. [1] Szepannek, G., Bischl, B., & Weihs, C. (2007). On the combination of locally optimal pairwise classifiers.
       In Machine Learning and Data Mining in Pattern Recognition (MLDM 2007), 104-116.

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats import plot
    >>> frame = pd.DataFrame({"alpha": [0, 1, 0, 1], "rho": 0.5, "method": list("aabb"), "estimate": 0.1})
    >>> figure = plot.error_map(frame, "alpha", "rho")
    >>> figure.savefig("map.png")  # doctest: +SKIP
    """
    _need(frame, [x, y, "method", value], "error_map")
    double = frame.duplicated([x, y, "method"])
    if double.any():
        first = frame.loc[double].iloc[0]
        raise InputError(
            f"error_map needs one row for each cell and method, got several of {first['method']} with {x} = "
            f"{shown(first[x])} and {y} = {shown(first[y])}; average them first."
        )
    methods = list(pd.unique(frame["method"]))
    shares = as_float(frame[value], value)
    # A few cells far above the others would leave these without colours.
    low, high = float(np.nanmin(shares)), float(np.nanquantile(shares, 0.98))
    columns, rows = (np.sort(frame[name].unique()) for name in (x, y))
    figure = Figure(layout="constrained", figsize=(1.2 + 3.7 * len(methods), 4.0))
    panels = figure.subplots(1, len(methods), sharey=True, squeeze=False)[0]
    image: Any = None
    for axes, method in zip(panels, methods, strict=True):
        part = frame[frame["method"] == method].pivot(index=y, columns=x, values=value)
        errors = part.reindex(index=rows, columns=columns).to_numpy(dtype=np.float64)
        image = axes.imshow(errors, origin="lower", aspect="auto", cmap="viridis", vmin=low, vmax=high)
        if max(errors.shape) <= MOST_NUMBERS:
            _write_shares(axes, image, errors)
        axes.set_title(literal(method), fontsize=11)
        axes.set_xlabel(literal(x))
        _name_ticks(axes, columns, rows)
    panels[0].set_ylabel(literal(y))
    extend = "max" if np.nanmax(shares) > high else "neither"
    bar = figure.colorbar(
        image, ax=list(panels), shrink=0.9, extend=extend, label="test error (in the cells: per cent)"
    )
    bar.locator = MaxNLocator(6)
    bar.update_ticks()
    return figure


def _write_shares(axes: Axes, image: Any, errors: Array) -> None:
    size = 8.0 if max(errors.shape) <= 8 else 6.5
    for row, column in np.argwhere(np.isfinite(errors)):
        color = ink(image.cmap(image.norm(errors[row, column]))[:3])
        words = f"{100 * errors[row, column]:.1f}"
        axes.text(column, row, words, ha="center", va="center", fontsize=size, color=color)


def _name_ticks(axes: Axes, columns: Any, rows: Any) -> None:
    for values, name in ((columns, axes.set_xticks), (rows, axes.set_yticks)):
        step = -(-len(values) // MOST_TICKS)
        name(range(0, len(values), step), [literal(_word(value)) for value in values[::step]], fontsize=9)
    axes.tick_params(length=0)


def beside_paper(frame: pd.DataFrame) -> Figure:
    """Our numbers beside those that a paper prints, a line for each.

    Parameters
    ----------
    frame : DataFrame
        A table of a study: parameters, then the columns ``quantity``, ``estimate``, ``paper``, ``allowed`` (how far
        they may be apart) and ``agrees``. Rows without a printed number are left out.

    Returns
    -------
    matplotlib.figure.Figure
        A panel for each quantity. Dots are ours, with bars in which the paper's number agrees, where there is a
        verdict; diamonds are the paper's, pale where there is none, crosses where it does not agree.

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats import plot
    >>> frame = pd.DataFrame({"method": ["LDA", "NB"], "quantity": "error", "estimate": [0.15, 0.21],
    ...     "paper": [0.16, 0.30], "allowed": [0.03, 0.05], "agrees": [True, False]})
    >>> figure = plot.beside_paper(frame)
    >>> figure.savefig("paper.png")  # doctest: +SKIP
    """
    _need(frame, ["quantity", *NUMBERS], "beside_paper")
    frame = frame[frame["paper"].notna()]
    if frame.empty:
        raise InputError("beside_paper needs rows with a printed number (column paper), got none.")
    quantities = list(pd.unique(frame["quantity"]))
    parameters = list(frame.columns[: list(frame.columns).index("quantity")])
    labels = [literal(", ".join(_setting(row, parameters))) for row in frame[parameters].to_dict("records")]
    frame = frame.assign(label=labels)
    names = list(pd.unique(frame["label"]))
    # About 13 letters an inch.
    width = 0.6 + max(map(len, names)) / 13 + 3.4 * len(quantities)
    figure = Figure(figsize=(max(width, 6.0), 1.3 + 0.24 * len(names)), layout="constrained")
    panels = figure.subplots(1, len(quantities), sharey=True, squeeze=False)[0]
    for axes, quantity in zip(panels, quantities, strict=True):
        _draw_beside(axes, frame[frame["quantity"] == quantity], names)
        axes.set_xlabel(literal(quantity))
    panels[0].set_yticks(range(len(names)), names, fontsize=9)
    panels[0].set_ylim(len(names) - 0.4, -0.6)
    styles = {"ours ± what is allowed": _OURS} | {
        words: style for words, rows, style in _of_paper(frame) if words == "paper" or rows.any()
    }
    handles = [Line2D([], [], linestyle="none", label=key, **style) for key, style in styles.items()]
    # All of them take eight inches in one line.
    ncols = 4 if figure.get_figwidth() > 8.0 else 2
    figure.legend(handles=handles, loc="outside upper left", ncols=ncols, frameon=False, fontsize=9)
    return figure


_OURS: dict[str, Any] = {"marker": "o", "color": COLORS[0], "markersize": 5}
_PAPER: dict[str, Any] = {"marker": "D", "color": "0.15", "markerfacecolor": "none", "markersize": 6}
_OPEN: dict[str, Any] = _PAPER | {"color": "0.65"}
_APART: dict[str, Any] = {"marker": "X", "color": COLORS[1], "markersize": 7}


def _draw_beside(axes: Axes, part: pd.DataFrame, names: list[str]) -> None:
    place = pd.Index(names).get_indexer(pd.Index(part["label"]))
    ours, paper = part["estimate"].to_numpy(dtype=np.float64), part["paper"].to_numpy(dtype=np.float64)
    bars = part["allowed"].where(part["agrees"].notna()).to_numpy(dtype=np.float64)
    axes.grid(axis="y", color="0.93")
    axes.set_axisbelow(True)
    axes.errorbar(ours, place, xerr=bars, linestyle="none", linewidth=1.4, zorder=3, **_OURS)
    for _, rows, style in _of_paper(part):
        axes.plot(paper[rows], place[rows], linestyle="none", zorder=4, **style)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    bare(axes)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _of_paper(part: pd.DataFrame) -> list[tuple[str, Any, dict[str, Any]]]:
    """Rows that agree, that do not, and those without a verdict: what they are called, which, and how they look."""
    agrees = part["agrees"].astype("boolean")
    open_, yes = agrees.isna().to_numpy(), agrees.fillna(False).to_numpy(dtype=bool)
    return [
        ("paper", yes, _PAPER),
        ("paper, does not agree", ~yes & ~open_, _APART),
        ("paper, no verdict", open_, _OPEN),
    ]


def _setting(row: dict[Any, Any], parameters: list[Any]) -> list[str]:
    """Parameters in words: names only before numbers, which would say nothing alone."""
    return [
        f"{name} = {_word(row[name])}" if isinstance(row[name], numbers.Real) else str(row[name])
        for name in parameters
        if not pd.isna(row[name])
    ]


def _word(value: Any) -> str:
    return f"{value:g}" if isinstance(value, numbers.Real) else str(value)


def _need(frame: Any, columns: list[Any], figure: str) -> None:
    if not isinstance(frame, pd.DataFrame) or frame.empty:
        raise InputError(f"{figure} needs a DataFrame with rows, got {type(frame).__name__}.")
    missing = [column for column in columns if column not in frame]
    if missing:
        raise InputError(f"{figure} needs the columns {listed(columns)}, got none called {listed(missing)}.")
