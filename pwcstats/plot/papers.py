"""Results of studies: numbers beside those of a paper, error maps, accuracies."""

import numbers
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, PercentFormatter
from numpy.typing import NDArray

from pwcstats._arrays import Array, as_float
from pwcstats._text import shown
from pwcstats.errors import InputError, code
from pwcstats.plot.reading import read_axes, read_table
from pwcstats.plot.style import (
    COLORS,
    FONT,
    MARKERS,
    Panels,
    add_panels,
    figure_of,
    fitting_columns,
    inches,
    ink,
    legend_of_figure,
    list_rows,
    literal,
    new_figure,
    one_or_array,
    short_number,
    tinted,
)

# Columns of the table of a study.
NUMBERS = ("estimate", "paper", "allowed", "verdict")
# More numbers in a row, or more values beside them, would be too small to read.
MOST_NUMBERS, MOST_TICKS = 6, 6
# Rows of the table of one against all.
SHARES = ("cases that get another class", "cases with another ranking")
GAIN = "accuracy that one against all adds"


def error_map(
    frame: pd.DataFrame, x: str, y: str, value: str = "estimate", *, label: str = "error", ax: Any = None
) -> Panels:
    """Errors over two parameters, a panel for each method.

    Like Figure 5 of Szepannek, Bischl and Weihs [1]_. All panels have the same scale of colours.

    Parameters
    ----------
    frame : DataFrame
        One row per method and values of the two parameters, with the columns `x`, `y`, `value` and ``method``.
    x, y : str
        Columns of the two parameters.
    value : str
        Column of the errors, as shares from 0 to 1.
    label : str
        What the errors are, for example "test error".
    ax : matplotlib.axes.Axes or sequence of them, optional
        Axes to draw in, one for each method; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes or array of them
        With up to 6 x 6 cells, each shows its error in per cent.

    References
    ----------
    .. [1] Szepannek, G., Bischl, B., & Weihs, C. (2007). On the combination of locally optimal pairwise classifiers.
       In Machine Learning and Data Mining in Pattern Recognition (MLDM 2007), 104-116.

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats import plot
    >>> frame = pd.DataFrame({"alpha": [0, 1] * 4, "rho": [0, 0, 0.5, 0.5] * 2, "method": ["lda"] * 4 + ["qda"] * 4,
    ...     "estimate": [0.10, 0.12, 0.15, 0.21, 0.13, 0.12, 0.11, 0.09]})
    >>> axes = plot.error_map(frame, "alpha", "rho")
    >>> axes[0].figure.savefig("map.png")  # doctest: +SKIP
    """
    frame = read_table(frame, [x, y, "method", value], "error_map")
    double = frame.duplicated([x, y, "method"])
    if double.any():
        first = frame.loc[double].iloc[0]
        raise InputError(
            f"{code('error_map')} needs one row for each cell and method, got several of {first['method']} with {x} = "
            f"{shown(first[x])} and {y} = {shown(first[y])}; average them first."
        )
    methods = list(pd.unique(frame["method"]))
    shares = as_float(frame[value], value)
    # A few cells far above the others would make these all look alike.
    low, high = float(np.nanmin(shares)), float(np.nanquantile(shares, 0.98))
    columns, rows = (np.sort(frame[name].unique()) for name in (x, y))
    across = min(len(methods), 2)
    height = 0.4 + 2.7 * -(-len(methods) // across)
    panels = _panels_beside(ax, len(methods), 1.2 + 2.6 * across, height, across)
    image: Any = None
    for axes, method in zip(panels, methods, strict=True):
        part = frame[frame["method"] == method].pivot(index=y, columns=x, values=value)
        errors = part.reindex(index=rows, columns=columns).to_numpy(dtype=np.float64)
        image = axes.imshow(errors, origin="lower", aspect="auto", cmap="viridis", vmin=low, vmax=high)
        if max(errors.shape) <= MOST_NUMBERS:
            _write_shares(axes, image, errors)
        axes.set_title(literal(method), fontsize=FONT + 1)
        axes.set_xlabel(literal(x))
        _name_ticks(axes, columns, rows)
    for axes in panels[:: 2 if ax is None else len(panels)]:
        axes.set_ylabel(literal(y))
    extend = "max" if np.nanmax(shares) > high else "neither"
    bar = figure_of(panels).colorbar(
        image,
        ax=list(panels),
        shrink=0.9,
        extend=extend,
        label=label + (" (in the cells: per cent)" if max(len(rows), len(columns)) <= MOST_NUMBERS else ""),
    )
    bar.locator = MaxNLocator(6)
    bar.update_ticks()
    return one_or_array(panels)


def _panels_beside(ax: Any, n: int, width: float, height: float, across: int | None = None) -> list[Axes]:
    """Panels side by side, or in rows of `across`; they share the vertical axis if they are in a new figure."""
    return add_panels(new_figure(width, height), n, across or n, sharey=True) if ax is None else read_axes(ax, n)


def _write_shares(axes: Axes, image: Any, errors: Array) -> None:
    for row, column in np.argwhere(np.isfinite(errors)):
        color = ink(image.cmap(image.norm(errors[row, column]))[:3])
        text = f"{100 * errors[row, column]:.1f}"
        axes.text(column, row, text, ha="center", va="center", fontsize=FONT, color=color)


def _name_ticks(axes: Axes, columns: Any, rows: Any) -> None:
    for values, name in ((columns, axes.set_xticks), (rows, axes.set_yticks)):
        step = -(-len(values) // MOST_TICKS)
        name(range(0, len(values), step), [literal(short_number(value)) for value in values[::step]], fontsize=FONT)
    axes.tick_params(length=0)


def beside_paper(frame: pd.DataFrame, *, ax: Any = None) -> Panels:
    """Our numbers beside those printed in a paper, one row each.

    Parameters
    ----------
    frame : DataFrame
        The table of a study: columns of parameters, then ``quantity``, ``estimate``, ``paper``, ``allowed`` (the
        difference that is still agreement) and ``verdict`` ("agree", "disagree", "open", "no power" or ""). Rows
        without a printed number are not drawn.
    ax : matplotlib.axes.Axes or sequence of them, optional
        Axes to draw in, one for each quantity; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes or array of them
        A panel for each quantity. Dots are our numbers; a number of the paper within the bars agrees. The numbers of
        the paper are diamonds (pale if they are not counted), or crosses if they do not agree.

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats import plot
    >>> frame = pd.DataFrame({"method": ["LDA", "NB"], "quantity": "error", "estimate": [0.15, 0.21],
    ...     "paper": [0.16, 0.30], "allowed": [0.03, 0.05], "verdict": ["agree", "open"]})
    >>> ax = plot.beside_paper(frame)
    >>> ax.figure.savefig("paper.png")  # doctest: +SKIP
    """
    frame = read_table(frame, ["quantity", *NUMBERS], "beside_paper")
    frame = frame[frame["paper"].notna()]
    if frame.empty:
        raise InputError(f"{code('beside_paper')} needs rows with a printed number (column paper), got none.")
    quantities = list(pd.unique(frame["quantity"]))
    parameters = list(frame.columns[: list(frame.columns).index("quantity")])
    labels = [literal(", ".join(_settings(row, parameters))) for row in frame[parameters].to_dict("records")]
    frame = frame.assign(label=labels)
    names = list(pd.unique(frame["label"]))
    width = 0.6 + max(map(inches, names)) + 2.7 * len(quantities)
    panels = _panels_beside(ax, len(quantities), max(width, 5.6), 1.4 + 0.25 * len(names))
    for axes, quantity in zip(panels, quantities, strict=True):
        _draw_beside(axes, frame[frame["quantity"] == quantity], names)
        axes.set_xlabel(literal(quantity))
    styles = {"ours ± allowed difference": _OURS} | {
        label: style for label, rows, style in _of_paper(frame) if label == "paper" or rows.any()
    }
    handles = [Line2D([], [], linestyle="none", label=key, **style) for key, style in styles.items()]
    ncols = fitting_columns(handles, figure_of(panels).get_figwidth())
    legend_of_figure(panels, handles, "outside upper left", ax is None, ncols=ncols, fontsize=FONT)
    return one_or_array(panels)


_OURS: dict[str, Any] = {"marker": "o", "color": COLORS[0], "markersize": 5}
_PAPER: dict[str, Any] = {"marker": "D", "color": "0.15", "markerfacecolor": "none", "markersize": 6}
_PALE: dict[str, Any] = _PAPER | {"color": "0.65"}
_APART: dict[str, Any] = {"marker": "X", "color": COLORS[1], "markersize": 7}


def _draw_beside(axes: Axes, part: pd.DataFrame, names: list[str]) -> None:
    at = pd.Index(names).get_indexer(pd.Index(part["label"]))
    ours, paper = part["estimate"].to_numpy(dtype=np.float64), part["paper"].to_numpy(dtype=np.float64)
    bars = part["allowed"].where(part["verdict"] != "").to_numpy(dtype=np.float64)
    axes.errorbar(ours, at, xerr=bars, linestyle="none", linewidth=1.4, zorder=3, **_OURS)
    for _, rows, style in _of_paper(part):
        axes.plot(paper[rows], at[rows], linestyle="none", zorder=4, **style)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    list_rows(axes, names)


def _of_paper(part: pd.DataFrame) -> list[tuple[str, Any, dict[str, Any]]]:
    """Label, rows and style of the printed numbers that agree, that do not, and that are not counted."""
    agree, apart = (part["verdict"].isin(names).to_numpy() for names in (["agree"], ["disagree", "open"]))
    return [
        ("paper", agree, _PAPER),
        ("paper, does not agree", apart, _APART),
        ("paper, not counted", ~agree & ~apart, _PALE),
    ]


def _settings(row: dict[Any, Any], parameters: list[Any]) -> list[str]:
    """Parameters as text; numbers have their names, too."""
    return [
        f"{name} = {short_number(row[name])}" if isinstance(row[name], numbers.Real) else str(row[name])
        for name in parameters
        if not pd.isna(row[name])
    ]


def accuracy_by_classes(accuracy: pd.DataFrame, *, ax: Any = None) -> Panels:
    """Accuracy against the number of classes, a panel for each setting (Figure 1 of Wu, Lin and Weng [1]_).

    Parameters
    ----------
    accuracy : DataFrame
        With the columns ``setting``, ``n_classes``, ``method``, ``accuracy`` and ``std_error``.
    ax : matplotlib.axes.Axes or sequence of them, optional
        Axes to draw in, one for each setting; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes or array of them

    References
    ----------
    .. [1] Wu, T.-F., Lin, C.-J. and Weng, R. C. (2003). Probability estimates for multi-class classification by
       pairwise coupling. Advances in Neural Information Processing Systems 16.

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats import plot
    >>> accuracy = pd.DataFrame({"setting": "balanced", "n_classes": [4, 8, 16] * 2, "std_error": 0.01,
    ...     "method": ["ht"] * 3 + ["wlw2"] * 3, "accuracy": [0.90, 0.81, 0.70, 0.91, 0.84, 0.76]})
    >>> ax = plot.accuracy_by_classes(accuracy)
    >>> ax.figure.savefig("accuracy.png")  # doctest: +SKIP
    """
    columns = ["setting", "n_classes", "method", "accuracy", "std_error"]
    accuracy = read_table(accuracy, columns, "accuracy_by_classes")
    settings = accuracy["setting"].unique()
    across = min(len(settings), 2)
    width = 6.0 if across > 1 else 4.4
    panels = _panels_beside(ax, len(settings), width, 3.2 * -(-len(settings) // across), across)
    for panel, setting, letter in zip(panels, settings, "abcdefgh", strict=False):
        rows = accuracy[accuracy["setting"] == setting]
        for index, (method, line) in enumerate(rows.groupby("method", sort=False)):
            panel.errorbar(
                line["n_classes"],
                line["accuracy"],
                yerr=2 * line["std_error"],
                color=COLORS[index % len(COLORS)],
                marker=MARKERS[index % len(MARKERS)],
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
    for panel in panels[:: across if ax is None else len(panels)]:
        panel.set_ylabel("accuracy (bars: 2 s.e.)")
    handles, _ = panels[0].get_legend_handles_labels()
    ncols = fitting_columns(handles, width)
    legend_of_figure(panels, handles, "outside upper left", ax is None, ncols=ncols, fontsize=FONT)
    return one_or_array(panels)


def one_against_all(frame: pd.DataFrame, *, ax: Any = None) -> NDArray[np.object_]:
    """How often one-against-all naive Bayes differs from naive Bayes, and which is more accurate.

    Parameters
    ----------
    frame : DataFrame
        As :func:`pwcstats.studies.sulzmann.one_against_all` returns it.
    ax : sequence of two matplotlib.axes.Axes, optional
        Axes to draw in; by default a new figure.

    Returns
    -------
    array of two matplotlib.axes.Axes
        One row per data set. On the left are the shares of cases that get another class, or another ranking of the
        classes; on the right the differences in accuracy, with two standard errors.

    Examples
    --------
    >>> from pwcstats import plot
    >>> from pwcstats.studies import sulzmann
    >>> frame = sulzmann.one_against_all(sets=["iris", "wine"], splits=3)
    >>> axes = plot.one_against_all(frame)
    >>> axes[0].figure.savefig("against_all.png")  # doctest: +SKIP
    """
    frame = read_table(frame, ["data", "quantity", "estimate", "std_error"], "one_against_all")
    rows = frame.dropna(subset=["data"])
    names = list(pd.unique(rows["data"]))
    wide = rows.pivot(index="data", columns="quantity", values=["estimate", "std_error"]).loc[names]
    left, right = _panels_beside(ax, 2, 6.4, 1.8 + 0.3 * len(names))
    at = np.arange(len(names))
    for quantity, strength, height in ((SHARES[1], 0.3, 0.72), (SHARES[0], 1.0, 0.36)):
        color = tinted(to_rgb(COLORS[0]), strength)
        left.barh(at, wide["estimate", quantity], height, color=color, label=quantity.removeprefix("cases "))
    left.set(xlabel="share of cases", xlim=(0.0, None))
    handles, _ = left.get_legend_handles_labels()
    legend_of_figure([left, right], handles[::-1], "outside upper left", ax is None, ncols=2, fontsize=FONT)
    right.axvline(0.0, color="0.5", linewidth=0.8, zorder=1)
    right.errorbar(
        wide["estimate", GAIN], at, xerr=2.0 * wide["std_error", GAIN], fmt="o", color=COLORS[1], markersize=5
    )
    right.set(xlabel=f"{GAIN.replace(' one', chr(10) + 'one')}\n(bars: 2 s.e.)")
    for axes in (left, right):
        list_rows(axes, [literal(name) for name in names])
        axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    return np.array([left, right], dtype=object)
