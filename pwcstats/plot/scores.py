"""Mean scores of methods, or their differences, with intervals."""

from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from pwcstats import _params
from pwcstats._arrays import Array, as_float
from pwcstats._text import listed, percent
from pwcstats.compare import compare_methods
from pwcstats.errors import InputError, code
from pwcstats.plot.reading import read_panel
from pwcstats.plot.style import COLORS, FONT, figure_of, fitting_columns, inches, legend_of_figure, list_rows, literal

# With more pairs than this, only those with the best method are drawn.
MOST_PAIRS = 15
# Pairs with longer names are written on two lines.
LONGEST = 40


def score_intervals(result: Any, kind: Literal["means", "differences"] = "means", *, ax: Axes | None = None) -> Axes:
    """Mean scores of methods with intervals, or differences of pairs with simultaneous intervals.

    Parameters
    ----------
    result : ComparisonResult
        As :func:`pwcstats.compare.compare_methods` returns it. A table of scores (higher is better) is passed to that
        function first.
    kind : {"means", "differences"}
        ``"means"``: one row per method, the best on top; methods that share a letter on the right do not differ
        significantly. ``"differences"``: one row per pair of methods; significant differences are coloured and filled.
        If there are more than 15 pairs and no control, only those with the best method are drawn.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        An arrow means that the interval extends to infinity. Pairs that could not be tested are marked "no test".

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from pwcstats import compare, plot
    >>> rng = np.random.default_rng(0)
    >>> scores = pd.DataFrame(rng.normal([0.9, 0.8, 0.8], 0.05, (12, 3)), columns=["lda", "svm", "nb"])
    >>> result = compare.compare_methods(scores, rows="datasets")
    >>> ax = plot.score_intervals(result, "differences")
    >>> ax.figure.savefig("differences.png")  # doctest: +SKIP
    """
    _params.choice(kind, ("means", "differences"), "kind")
    found = read_result(result, "score_intervals", ("mean", "conf_low", "conf_high", "letters"))
    return _means(found, ax) if kind == "means" else _differences(found, ax)


def read_result(result: Any, figure: str, columns: tuple[str, ...], **options: Any) -> Any:
    """A comparison of at least two methods; a table of scores is compared here, with `options`."""
    # Columns of a table of scores may have any name, also "table" and "pairs".
    if isinstance(result, pd.DataFrame) or not (hasattr(result, "table") and hasattr(result, "pairs")):
        if hasattr(result, "ranks"):
            needed = code("compare_methods(scores, test='nemenyi')")
            raise InputError(f"{code(figure)} draws what {needed} returns; pass that.")
        result = compare_methods(result, **options)
    missing = [column for column in columns if column not in result.table]
    if missing:
        raise InputError(
            f"{code(figure)} needs the columns {listed(columns)} in the table of the comparison, got none called "
            f"{listed(missing)}; pass what {code('compare_methods')} returns."
        )
    if len(result.table) < 2:
        raise InputError(
            f"{code(figure)} compares methods, got {len(result.table)} of them; pass the scores of at least two."
        )
    return result


def describe_test(result: Any) -> str:
    """Test, adjustment and level in parentheses."""
    parts = [str(part).replace("_", " ") for part in (result.test, result.adjust) if part != "none"]
    return f"({', '.join([*parts, f'{result.alpha:g}'])})"


def _means(result: Any, ax: Axes | None) -> Axes:
    table = result.table
    axes = _panel(ax, [literal(name) for name in table.index], 1, f"mean score, {percent(1 - result.alpha)} interval")
    _draw_lines(axes, _numbers(table, "mean"), [COLORS[0]] * len(table), [True] * len(table), "no score")
    for row, letters in enumerate(table["letters"]):
        # Outside of the axes, so that no interval runs into them.
        axes.text(1.02, row, str(letters), transform=axes.get_yaxis_transform(), va="center", fontsize=FONT)
    # Comparisons with a control have no letters.
    if table["letters"].astype(bool).any():
        note = f"methods that share a letter\ndo not differ {describe_test(result)}"
        if ax is None:
            figure_of(axes).supxlabel(note, fontsize=FONT, color="0.3")
        else:
            axes.set_xlabel(f"{axes.get_xlabel()}\n{note}")
    return axes


def _differences(result: Any, ax: Axes | None) -> Axes:
    pairs, control, n_pairs = result.pairs, result.control, len(result.pairs)
    label = str(result.estimate_name)
    label += f"{_gap(label)}{'simultaneous ' if result.is_simultaneous else ''}{percent(1 - result.alpha)} intervals"
    n_lines = 1
    if control is not None:
        label += f"\n{literal(control)} (control) – each of these methods"
        names = [literal(name) for name in pairs["method_b"]]
    elif n_pairs > MOST_PAIRS:
        best = result.table.index[0]
        # The best method is the first in all of its pairs.
        pairs = pairs[pairs["method_a"] == best]
        label += f"\n{literal(best)} (best) – each of these methods, {len(pairs)} of {n_pairs} pairs"
        names = [literal(name) for name in pairs["method_b"]]
    else:
        both = [
            (literal(first), literal(second))
            for first, second in zip(pairs["method_a"], pairs["method_b"], strict=True)
        ]
        n_lines = 1 if max(len(first) + len(second) for first, second in both) <= LONGEST else 2
        names = [f"{first} –{' ' if n_lines == 1 else chr(10)}{second}" for first, second in both]
    axes = _panel(ax, names, n_lines, label)
    differ = pairs["significant"].fillna(False).to_numpy(dtype=bool)
    colors = np.where(differ, COLORS[1], "0.4")
    _draw_lines(axes, _numbers(pairs, "estimate"), colors, differ, "no test")
    axes.axvline(0.0, color="0.6", linewidth=0.9, zorder=0.5)
    kinds = ((COLORS[1], COLORS[1], f"significant {describe_test(result)}"), ("0.4", "white", "not significant"))
    handles = [
        Line2D([], [], marker="o", color=color, markerfacecolor=face, label=label) for color, face, label in kinds
    ]
    ncols = fitting_columns(handles, figure_of(axes).get_figwidth())
    legend_of_figure([axes], handles, "outside upper left", ax is None, ncols=ncols, fontsize=FONT)
    return axes


def _gap(label: str) -> str:
    """The separator after a label: a new line if the label is long."""
    return ",\n" if len(label) > LONGEST else ", "


def _numbers(frame: pd.DataFrame, middle: str) -> Array:
    """Estimates and the ends of their intervals, one row of three each."""
    return as_float(frame[[middle, "conf_low", "conf_high"]], "result")


def _panel(ax: Axes | None, names: list[str], n_lines: int, label: str) -> Axes:
    """Axes with a row for each name, the first on top."""
    # The label must not be longer than the axis.
    width = max(3.9, inches(label)) + 0.4 + max(map(inches, names))
    axes = read_panel(ax, width, 1.45 + len(names) * (0.26 if n_lines == 1 else 0.38))
    axes.set_xlabel(label)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    list_rows(axes, names)
    return axes


def _draw_lines(axes: Axes, values: Array, colors: Any, filled: Any, without: str) -> None:
    """Draw a dot and its interval in each row: arrows if it is infinite, the text `without` if there is no estimate."""
    finite = values[np.isfinite(values)]
    # The line at 0 of differences must be visible.
    low, high = (finite.min(), finite.max()) if finite.size else (-1.0, 1.0)
    if without == "no test":
        low, high = min(low, 0.0), max(high, 0.0)
    room = 0.06 * (high - low) or 0.5
    low, high = float(low - room), float(high + room)
    axes.set_xlim(low, high)
    for row, (middle, left, right) in enumerate(values):
        color = colors[row]
        if np.isnan(middle):
            style: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
            axes.text((low + high) / 2, row, without, va="center", ha="center", fontsize=FONT, color="0.35", bbox=style)
            continue
        if not np.isnan(left) and not np.isnan(right):
            axes.plot(np.clip([left, right], low, high), [row, row], color=color, linewidth=1.6)
        for end, marker, limit in ((left, "<", low), (right, ">", high)):
            if np.isinf(end):
                axes.plot([limit], [row], marker, color=color, markersize=6, clip_on=False, zorder=4)
        if np.isfinite(middle):
            face = color if filled[row] else "white"
            axes.plot([middle], [row], "o", color=color, markerfacecolor=face, markersize=5.5, zorder=3)
