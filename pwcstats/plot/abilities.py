"""Abilities and leaderboards with their intervals and rank sets."""

from contextlib import suppress
from typing import Any, get_args

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from pwcstats import _params
from pwcstats._arrays import as_float
from pwcstats._text import percent
from pwcstats.bradley_terry.ability_results import PlotIntervals
from pwcstats.bradley_terry.leaderboard import Leaderboard, rank_set
from pwcstats.errors import InputError, arg, code
from pwcstats.plot.reading import read_panel, read_table
from pwcstats.plot.style import COLORS, FONT, MARKERS, fitting_columns, inches, list_rows, literal

# Names of more items than this are written smaller, and names of still more items are left out.
MOST_LARGE, MOST_NAMED = 150, 1500
# Inches before each column of the margin.
GAP = 0.2
# All comparisons are black, and each category has a colour.
CATEGORY_COLORS = (COLORS[6], *COLORS[:6], COLORS[7])


def abilities(
    result: Any,
    label: str | None = None,
    title: str | None = None,
    *,
    intervals: PlotIntervals | None = None,
    alpha: float = 0.05,
    ranks: bool = False,
    top: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Abilities with their intervals, one row per item, the best on top.

    Parameters
    ----------
    result : BradleyTerryResults or DataFrame
        What :meth:`pwcstats.BradleyTerry.fit` returns. A DataFrame must have one row per item and the columns
        ``ability``, ``conf_low`` and ``conf_high``; for `ranks`, also ``rank_low`` and ``rank_high``.
    label : str, optional
        Label of the axis. The default says which intervals are drawn and what they mean.
    title : str, optional
        Title of the panel.
    intervals : {"comparison", "wald", "quasi"}, optional
        "comparison": :meth:`~pwcstats.BradleyTerryResults.comparison_intervals`; two items differ significantly if
        their intervals do not overlap. "wald": confidence intervals of the abilities; their overlap is not a test.
        "quasi": intervals of level 1 - `alpha` from the quasi standard errors, as in R's qvcalc; their overlap is not
        a test at the level `alpha`. The default is "comparison", or "wald" if comparison intervals do not exist (for
        two items, for items with the same covariates, or without the covariance of all items); a fit without standard
        errors is drawn without intervals. A DataFrame has its own intervals.
    alpha : float
        Significance level: for "comparison", of the test by overlap; otherwise intervals have level 1 - `alpha`. The
        rank sets have level 1 - `alpha`.
    ranks : bool
        Whether to write the set of ranks that each item may hold in the right margin
        (:meth:`~pwcstats.BradleyTerryResults.ranks`), and its number of games.
    top : int, optional
        Number of items to show, the best ones; by default all.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from pwcstats import BradleyTerry, plot
    >>> wins = [[0, 30, 25, 28], [10, 0, 18, 22], [15, 22, 0, 24], [12, 18, 16, 0]]
    >>> res = BradleyTerry(wins, items=["ant", "bee", "cat", "dog"]).fit()
    >>> ax = plot.abilities(res, ranks=True)
    >>> ax.figure.savefig("abilities.png")  # doctest: +SKIP
    """
    alpha, ranks = _params.level(alpha, "alpha"), _params.flag(ranks, "ranks")
    if intervals is not None:
        _params.choice(intervals, get_args(PlotIntervals), "intervals")
    if hasattr(result, "comparison_intervals"):
        frame, described = _read_result(result, intervals, alpha, ranks)
    else:
        frame, described = _read_frame(result, intervals, ranks), "ability"
    n_all = len(frame)
    frame = frame.sort_values("ability", ascending=False, kind="stable")
    if top is not None:
        frame = frame.head(_params.count(top, "top"))
    label = described if label is None else label
    if len(frame) < n_all:
        label += f"\nthe best {len(frame)} of {n_all} items"
    axes = read_panel(ax, 5.6, _height(len(frame), label, ranks))
    _draw(axes, frame)
    axes.set_xlabel(label, fontsize=FONT)
    if ranks:
        _write_margin(axes, frame)
    if title is not None:
        axes.set_title(title)
    return axes


def leaderboard(
    board: Leaderboard, title: str | None = None, *, top: int | None = None, ax: Axes | None = None
) -> Axes:
    """A leaderboard: estimates with intervals, one row per item, the best on top; rank sets and games in the margin.

    Parameters
    ----------
    board : Leaderboard
        What :meth:`pwcstats.BradleyTerryResults.leaderboard` returns. If it has categories, each row has a point for
        each of them, in its own colour; of more than seven, those with the most comparisons are drawn. The rank sets
        and games are those of all comparisons.
    title : str, optional
        Title of the panel.
    top : int, optional
        Number of items to show, the best ones; by default all.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from pwcstats import BradleyTerry, datasets, plot
    >>> votes = datasets.load("arena").frame
    >>> model = BradleyTerry.from_comparisons(
    ...     votes, first="first", second="second", winner="winner", tie="tie"
    ... )
    >>> res = model.fit(ties="davidson", order_effect=True)
    >>> ax = plot.leaderboard(res.leaderboard("elo", by="language"))
    >>> ax.figure.savefig("leaderboard.png")  # doctest: +SKIP
    """
    if not isinstance(board, Leaderboard):
        raise InputError(
            f"{code('plot.leaderboard')} needs what {code('leaderboard')} of a fit returns, got {type(board).__name__}."
        )
    shown = board if top is None else board.head(top)
    series = _series(shown)
    overall = next(iter(series.values()))
    label = _label(board, len(overall), len(series))
    with_ranks = overall["rank_low"].notna().all()
    axes = read_panel(ax, 5.6, _height(len(overall) * (1.0 + 0.45 * (len(series) - 1)), label, True))
    handles = []
    for k, (name, frame) in enumerate(series.items()):
        # The points of one item share its row.
        shift = 0.0 if len(series) == 1 else 0.62 * (k / (len(series) - 1) - 0.5)
        color = COLORS[0] if len(series) == 1 else CATEGORY_COLORS[k]
        rows = np.arange(len(frame)) + shift
        axes.hlines(rows, frame["conf_low"], frame["conf_high"], color=color, linewidth=2.0 if k == 0 else 1.5)
        handles += axes.plot(
            frame["ability"], rows, MARKERS[k], color=color, markersize=5.5 if k == 0 else 4.5, label=literal(name)
        )
    axes.axvline(board.anchor_rating, color="0.7", linewidth=0.8, zorder=0)
    list_rows(axes, [literal(name) for name in overall.index], _font(len(overall)))
    if len(overall) > MOST_NAMED:
        axes.set_yticks([])
    axes.set_xlabel(label, fontsize=FONT)
    _write_margin(axes, overall if with_ranks else overall.drop(columns=["rank_low", "rank_high"]))
    n_lines = 0
    if len(series) > 1:
        columns = fitting_columns(handles, 4.4)
        n_lines = -(-len(handles) // columns)
        axes.legend(
            handles=handles, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns,
            frameon=False, fontsize=FONT, borderaxespad=0.2, handletextpad=0.1, columnspacing=1.0,
        )  # fmt: skip
    if title is not None:
        # Above the legend.
        axes.set_title(title, pad=6.0 + 2.0 * FONT * n_lines)
    return axes


def _series(board: Leaderboard) -> dict[Any, pd.DataFrame]:
    """The rows to draw of each category, in the order of the first; only one if there are no categories."""
    frame = board.frame.rename(columns={board.estimate_name: "ability", "games": "n_games"})
    if board.by is None:
        return {"overall": frame.set_index("item")}
    first, *others = board.categories
    largest = sorted(others, key=lambda name: -board.category_nobs[name])[: len(CATEGORY_COLORS) - 1]
    drawn = [first, *(name for name in others if name in largest)]
    parts = {name: frame[frame["category"] == name].set_index("item") for name in drawn}
    return {name: part.reindex(parts[first].index) for name, part in parts.items()}


def _label(board: Leaderboard, n_shown: int, n_series: int) -> str:
    """Label of the axis: the scale, the intervals and the ranks."""
    lines = [literal(board.about)]
    if board.frame["conf_low"].notna().any():
        lines.append(f"{percent(1 - board.alpha)} confidence intervals (overlap is not a test)")
    if board.frame["rank_low"].notna().any():
        lines.append(f"ranks: simultaneous {percent(1 - board.alpha)} confidence sets")
    if n_series < len(board.categories):
        lines.append(f"the {n_series - 1} largest of {len(board.categories) - 1} categories")
    if n_shown < board.n_items:
        lines.append(f"the best {n_shown} of {board.n_items} items")
    return "\n".join(lines)


def _read_frame(frame: Any, intervals: str | None, ranks: bool) -> pd.DataFrame:
    columns = ["ability", "conf_low", "conf_high", *(["rank_low", "rank_high"] if ranks else [])]
    advice = f"; pass the result of {code('BradleyTerry.fit')}"
    frame = read_table(frame, columns, "abilities", advice)
    if intervals is not None:
        raise InputError(
            f"{arg('intervals')} chooses intervals of a fitted model, got a DataFrame, which has its own{advice}."
        )
    return frame


def _read_result(result: Any, intervals: str | None, alpha: float, ranks: bool) -> tuple[pd.DataFrame, str]:
    """Abilities with intervals, and rank sets if needed; and the label of the axis."""
    frame, kind = _find_intervals(result, intervals, alpha)
    model, ref = result.model, result.spec.ref
    zero = "the abilities sum to 0" if ref is None else f"{literal(model.items[ref])} is 0"
    label = f"ability ({zero})\n{kind}"
    if ranks:
        found = result.ranks(alpha)
        frame = frame.assign(rank_low=found["rank_low"], rank_high=found["rank_high"], n_games=model._n_games())
        label += f"\nranks: simultaneous {percent(1 - alpha)} confidence sets"
    return frame, label


def _find_intervals(result: Any, intervals: str | None, alpha: float) -> tuple[pd.DataFrame, str]:
    """Abilities with intervals, and what these are."""
    if intervals is None:
        for kind in ("comparison", "wald"):
            with suppress(InputError):
                return _find_intervals(result, kind, alpha)
        frame = result.abilities(ci=False).assign(conf_low=np.nan, conf_high=np.nan)
        return frame, "no intervals: the fit has no standard errors"
    if intervals == "comparison":
        meaning = f"no overlap: the two items differ (about {percent(alpha)} level)"
        return result.comparison_intervals(alpha), meaning
    if intervals == "quasi":
        frame = result.quasi_variances()
        half = result._reference.isf(alpha / 2.0) * frame["quasi_se"]
        frame = frame.assign(conf_low=frame["ability"] - half, conf_high=frame["ability"] + half)
        return frame, f"{percent(1 - alpha)} intervals from quasi-variances"
    return result.abilities(alpha=alpha), f"{percent(1 - alpha)} confidence intervals (overlap is not a test)"


def _height(n: float, label: str, ranks: bool) -> float:
    """Height of a figure of `n` items, in inches."""
    height = min(0.021 * _font(n) * n, 100.0) + 0.45 + 0.19 * (label.count("\n") + 1) + (0.25 if ranks else 0.0)
    return max(2.2, height)


def _font(n: float) -> float:
    return FONT if n <= MOST_LARGE else 6.0


def _draw(axes: Axes, frame: pd.DataFrame) -> None:
    """Draw points and intervals, a row for each item; the first is on top."""
    n = len(frame)
    rows = np.arange(n)
    axes.hlines(rows, frame["conf_low"], frame["conf_high"], color=COLORS[0], linewidth=2.0)
    axes.plot(frame["ability"], rows, "o", color=COLORS[0], markersize=5.5)
    axes.axvline(0.0, color="0.7", linewidth=0.8, zorder=0)
    list_rows(axes, [literal(name) for name in frame.index], _font(n))
    if n > MOST_NAMED:
        axes.set_yticks([])


def _write_margin(axes: Axes, frame: pd.DataFrame) -> None:
    """Write the rank sets, and the numbers of games if they are known, at the right; the first row is on top."""
    columns = {}
    if "rank_low" in frame:
        low, high = (as_float(frame[name], name) for name in ("rank_low", "rank_high"))
        columns["rank"] = [rank_set(a, b) for a, b in zip(low, high, strict=True)]
    if "n_games" in frame:
        columns["games"] = [f"{count:,.4g}" if count % 1 else f"{count:,.0f}" for count in frame["n_games"]]
    right, n = 0.0, len(frame)
    for header, texts in columns.items():
        right += 72 * (GAP + max(map(inches, [header, *texts])))
        style: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "annotation_clip": False}
        axes.annotate(
            header, (1.0, 1.0), (right, 2.0), "axes fraction", va="bottom", color="0.35", fontsize=FONT, **style
        )
        if n <= MOST_NAMED:
            for row, text in enumerate(texts):
                across = axes.get_yaxis_transform()
                axes.annotate(text, (1.0, row), (right, 0.0), across, va="center", fontsize=_font(n), **style)
