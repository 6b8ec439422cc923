"""Maps over two parameters: which method is best where, and whether significantly."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import Patch, Rectangle
from numpy.typing import NDArray

from pwcstats import _params
from pwcstats._arrays import Array, as_float
from pwcstats._text import counted, shown
from pwcstats.compare import winners as find_winners
from pwcstats.errors import InputError, arg, code, quoted
from pwcstats.plot.reading import read_axes, read_table
from pwcstats.plot.style import (
    FONT,
    HANDLE,
    add_panels,
    area_colors,
    figure_of,
    fitting_columns,
    inches,
    ink,
    legend_of_figure,
    literal,
    new_figure,
    short_number,
    tinted,
)

# The two panels: the column of the p-values, and the title.
PANELS = (("p_value", "plain p-values"), ("p_adjusted", "adjusted p-values"))
STRONG, PALE = 0.9, 0.22
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# More letters in a row, or more values beside them, would be too small to read.
MOST_LETTERS, MOST_TICKS = 15, 15
# Width of two panels side by side, at most.
WIDEST = 6.0


def significance_map(winners: Any, x: Any, y: Any, *, alpha: float = 0.05, ax: Any = None) -> NDArray[np.object_]:
    """Which method is best at which values of two parameters, and where it is significantly better than the second.

    Like Figure 6 of Szepannek, Bischl and Weihs [1]_: on the left by plain p-values, on the right by p-values adjusted
    for the number of cells. A cell has the colour of its best method. The colour is pale if the method is not
    significantly better than the second, or if there is no p-value. With up to 15 x 15 cells, each shows the letter of
    its method, bold if significant, so the map can be read without colours.

    Parameters
    ----------
    winners : DataFrame
        As :func:`pwcstats.compare.winners` returns it: one row per cell, with the columns `x`, `y`, ``best``,
        ``p_value`` and ``p_adjusted``. A table of scores (higher is better), which has no column ``best``, is passed to
        that function first.
    x, y : str
        Columns of the two parameters. Their values are drawn in increasing order, equally spaced.
    alpha : float
        Significance level: a method is significantly better if the p-value is at most `alpha`.
    ax : sequence of two matplotlib.axes.Axes, optional
        Axes to draw in; by default a new figure.

    Returns
    -------
    array of two matplotlib.axes.Axes
        The legend shows the number of cells that each method wins significantly.

    References
    ----------
    .. [1] Szepannek, G., Bischl, B., & Weihs, C. (2007). On the combination of locally optimal pairwise classifiers.
       In Machine Learning and Data Mining in Pattern Recognition (MLDM 2007), 104-116.

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats import plot
    >>> winners = pd.DataFrame(
    ...     {
    ...         "alpha": [0.1, 0.1, 0.9, 0.9],
    ...         "rho": [0.0, 0.5, 0.0, 0.5],
    ...         "best": ["pwc", "pwc", "nb", "lda"],
    ...         "p_value": [0.001, 0.04, 0.3, 0.01],
    ...         "p_adjusted": [0.004, 0.08, 0.3, 0.03],
    ...     }
    ... )
    >>> axes = plot.significance_map(winners, "alpha", "rho")
    >>> axes[0].figure.savefig("map.png")  # doctest: +SKIP
    """
    frame = _read_winners(winners, x, y, alpha)
    columns, rows = (_values(frame[name]) for name in (x, y))
    at = rows.get_indexer(frame[y]), columns.get_indexer(frame[x])
    names = _methods(frame)
    shape = len(rows), len(columns)
    best = np.full(shape, -1)
    best[at] = pd.Index(names).get_indexer(frame["best"])
    letters = LETTERS if len(names) <= len(LETTERS) else [str(number + 1) for number in range(len(names))]
    lettered = max(shape) <= MOST_LETTERS
    # Large panels are one above the other.
    across = 2 if 2 * _panel_size(shape[1]) <= WIDEST else 1
    panels = add_panels(new_figure(6.0, 4.0), 2, across, sharey=True) if ax is None else read_axes(ax, 2)
    wins = []
    for axes, (column, title) in zip(panels, PANELS, strict=True):
        p = np.full(shape, np.nan)
        p[at] = as_float(frame[column], column)
        significant = (best >= 0) & (p <= alpha)
        wins.append(np.bincount(best[significant], minlength=len(names)))
        _draw_cells(axes, best, significant, len(names))
        if lettered:
            _write(axes, best, significant, letters, len(names))
        axes.set_title(title, fontsize=FONT + 1)
        axes.set_xlabel(literal(x))
    for axes in panels[:: across if ax is None else 2]:
        axes.set_ylabel(literal(y))
    below = _name_cells(panels, columns, rows)
    missing = int((best < 0).sum())
    labels = [
        (f"{letters[index]}  " if lettered else "") + f"{literal(name)}: {plain}, adjusted {adjusted}"
        for index, (name, plain, adjusted) in enumerate(zip(names, *wins, strict=True))
    ]
    _finish(panels, across if ax is None else 0, shape, below, labels, alpha, missing)
    return np.array(panels, dtype=object)


def _read_winners(winners: Any, x: Any, y: Any, alpha: Any) -> pd.DataFrame:
    """A table with one row per cell."""
    alpha = _params.level(alpha, "alpha")
    if x == y:
        raise InputError(f"{arg('x')} and {arg('y')} must be two different columns, got {shown(x)} for both.")
    advice = f"; pass what {code('compare.winners')} returns"
    read_table(winners, [x, y], "significance_map", advice)
    if "best" not in winners:
        winners = _compare(winners, x, y, alpha)
    read_table(winners, ["best", *(column for column, _ in PANELS)], "significance_map", advice)
    double = winners.duplicated([x, y])
    if double.any():
        first = winners.loc[double, [x, y]].iloc[0]
        raise InputError(
            f"{code('significance_map')} needs one row for each cell, got several with {x} = {shown(first[x])} and {y} "
            f"= {shown(first[y])}; select one value of every other parameter."
        )
    if winners[[x, y]].isna().any(axis=None):
        raise InputError(f"the columns {x} and {y} must not have missing values; drop these rows.")
    if winners["best"].isna().all() or ("second" in winners and winners["second"].isna().all()):
        n = int(winners["best"].nunique())
        raise InputError(
            f"{code('significance_map')} compares methods, got {counted(n, 'method')} in all cells; pass the scores of "
            "at least two methods."
        )
    return winners


def _compare(scores: pd.DataFrame, x: Any, y: Any, alpha: float) -> pd.DataFrame:
    try:
        return find_winners(scores, by=[x, y], alpha=alpha)
    except InputError as error:
        # The cure may be an option that only compare.winners has.
        raise InputError(
            f"{code('compare.winners')}: {quoted(error).rstrip('.')} (call it yourself, and pass its result to "
            f"{code('significance_map')})."
        ) from None


def _values(column: pd.Series) -> pd.Index:
    """The values of a parameter in increasing order; a categorical has its own order."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        used = set(column)
        return pd.Index([value for value in column.cat.categories if value in used])
    try:
        return pd.Index(column.unique()).sort_values()
    except TypeError:
        # Numbers and text cannot be sorted together.
        return pd.Index(column.unique())


def _methods(frame: pd.DataFrame) -> list[Any]:
    """All methods in the table, also those that never win."""
    columns = [column for column in ("best", "second") if column in frame]
    names = pd.unique(pd.concat([frame[column].astype(object) for column in columns]).dropna())
    return sorted(names, key=str)


def _draw_cells(axes: Axes, best: NDArray[np.int64], significant: NDArray[np.bool_], n: int) -> None:
    """Draw the cells in the colours of the best methods, hatched if there is none."""
    picture = _colors(best, significant, n)
    axes.imshow(picture, interpolation="nearest", origin="lower", aspect="auto")
    for row, column in np.argwhere(best < 0):
        axes.add_patch(_missing_patch(xy=(column - 0.5, row - 0.5)))


def _colors(best: NDArray[np.int64], significant: NDArray[np.bool_], n: int) -> Array:
    colors = tinted(area_colors(n)[best], np.where(significant, STRONG, PALE))
    return np.where(best[..., None] < 0, 1.0, colors)


def _missing_patch(xy: tuple[float, float] = (0.0, 0.0), label: str = "") -> Rectangle:
    return Rectangle(xy, 1.0, 1.0, facecolor="white", edgecolor="0.6", hatch="////", linewidth=0.0, label=label)


def _write(axes: Axes, best: NDArray[np.int64], significant: NDArray[np.bool_], letters: Any, n: int) -> None:
    """Write the letter of the best method into each cell, bold if significant."""
    colors = _colors(best, significant, n)
    font = 10 if max(best.shape) <= 11 else 8
    for row, column in np.argwhere(best >= 0):
        weight, color = ("bold", ink(colors[row, column])) if significant[row, column] else ("normal", "0.35")
        style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": font, "weight": weight, "color": color}
        axes.text(column, row, letters[best[row, column]], **style)


def _name_cells(panels: Any, columns: pd.Index, rows: pd.Index) -> float:
    """Write the values beside and below the cells; return how many inches those below need if written upwards."""
    names = [[literal(short_number(value)) for value in values] for values in (columns, rows)]
    steps = [-(-len(values) // MOST_TICKS) for values in names]
    longest = max(map(inches, names[0]))
    upwards = longest + inches(" ") > steps[0] * _panel_size(len(columns)) / len(columns)
    for axes in panels:
        axes.set_xticks(range(0, len(columns), steps[0]), names[0][:: steps[0]], fontsize=FONT, rotation=90 * upwards)
        axes.set_yticks(range(0, len(rows), steps[1]), names[1][:: steps[1]], fontsize=FONT)
        axes.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
        axes.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
        axes.grid(which="minor", color="white", linewidth=1.5 if max(len(rows), len(columns)) <= MOST_LETTERS else 0.4)
        axes.tick_params(which="both", length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
    return longest if upwards else 0.0


def _panel_size(n: int) -> float:
    """Size in inches of a panel with `n` cells in a row."""
    return float(np.clip(0.38 * n, 2.6, 4.8))


def _finish(
    panels: list[Axes],
    across: int,
    shape: tuple[int, int],
    below: float,
    labels: list[str],
    alpha: float,
    missing: int,
) -> None:
    """Add the legend below, and set the size of our own figure, which has `across` panels side by side."""
    colors = tinted(area_colors(len(labels)), STRONG)
    handles: list[Patch] = [
        Patch(facecolor=to_hex(color), label=label) for color, label in zip(colors, labels, strict=True)
    ]
    handles.append(Patch(facecolor="0.88", label=f"pale: best, but p > {alpha:g}"))
    if missing:
        handles.append(_missing_patch(label=f"no result ({counted(missing, 'cell')})"))
    width = (across or 2) * _panel_size(shape[1]) + 1.0
    width = max(width, HANDLE + max(inches(str(handle.get_label())) for handle in handles))
    columns = min(fitting_columns(handles, width), 4)
    lines = -(-len(handles) // columns) + 2
    if across:
        height = (_panel_size(shape[0]) + 0.7 + below) * (3 - across)
        figure_of(panels).set_size_inches(width, height + 0.2 + 0.22 * lines)
    title = "method: number of cells that it wins significantly,\nby plain and by adjusted p-values"
    legend_of_figure(
        panels,
        handles,
        "outside lower left",
        across > 0,
        ncols=columns,
        fontsize=FONT,
        title=title,
        title_fontsize=FONT,
        alignment="left",
    )
