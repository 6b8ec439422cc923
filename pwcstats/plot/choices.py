"""Which learner was chosen for which pair of classes."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import Patch, Rectangle
from numpy.typing import NDArray

from pwcstats._arrays import Array
from pwcstats._text import counted, shown
from pwcstats.errors import InputError, arg, code
from pwcstats.plot.reading import check_fitted, final_estimator, read_panel
from pwcstats.plot.style import (
    FONT,
    NOBODY,
    area_colors,
    figure_of,
    fitting_columns,
    inches,
    ink,
    legend_of_figure,
    literal,
    tinted,
)

# The name in `pairs_` of the class frequencies, which are used where every candidate failed.
FALLBACK = "prior"
SCORE = "cv_score_"
# With more classes than this, numbers in the cells would be too small to read.
MOST_NUMBERS = 12


def pair_choice(clf: Any, *, ax: Axes | None = None) -> Axes:
    """Which candidate was chosen for which pair of classes, and by what margin.

    Above the diagonal, the colour shows the learner that was chosen for the pair; with up to 12 classes, the number is
    its score in cross-validation. Below the diagonal is its lead over the second best. A lead of 0 is a tie; then the
    first of the candidates is chosen. Pairs for which all candidates failed are hatched; they use the class
    frequencies.

    Parameters
    ----------
    clf : PairwiseClassifier
        A classifier fitted with several candidates, or a pipeline or a search that ends in one.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from pwcstats import PairwiseClassifier, plot
    >>> X, y = load_wine(return_X_y=True)
    >>> clf = PairwiseClassifier({"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}).fit(X, y)
    >>> ax = plot.pair_choice(clf)
    >>> ax.figure.savefig("choice.png")  # doctest: +SKIP
    """
    check_fitted(clf, "pair_choice")
    inner = final_estimator(clf)
    names = _candidates(inner)
    pairs, classes, k = inner.pairs_, [literal(label) for label in inner.classes_], len(inner.classes_)
    low, high = np.triu_indices(k, 1)
    chosen = pd.Index(names).get_indexer(pairs["learner"])
    best, lead = _leads(pairs, names, chosen)
    size = max(4.2, min(9.5, 0.55 * k + 1.5))
    longest = max(inches(name, _font(k)) for name in classes)
    # The cells take 80 % of the width. Long names are written upwards.
    upwards = longest > 0.8 * size / k
    width = size + 1.2 + longest
    axes = read_panel(ax, width, size + (longest if upwards else 0.0))
    colors = tinted(area_colors(len(names)), 0.85)
    # Grey cells have nothing to show: the diagonal, and leads without a second candidate.
    picture = np.full((k, k, 3), 0.88)
    picture[low, high] = colors[chosen]
    axes.imshow(picture, interpolation="nearest")
    below = np.full((k, k), np.nan)
    below[high, low] = lead
    # If all leads are 0, the colour bar still needs a range.
    top = float(np.nanmax(lead, initial=0.0)) or 0.01
    image = axes.imshow(below, cmap="Purples", vmin=0.0, vmax=top)
    scoring = getattr(inner, "scoring", None)
    score = scoring if isinstance(scoring, str) else "score"
    figure_of(axes).colorbar(
        image, ax=axes, shrink=0.6, pad=0.02, label=f"lead in {literal(score)} (below the diagonal)"
    )
    if k <= MOST_NUMBERS:
        _write(axes, low, high, best, np.array([ink(color) for color in colors])[chosen], np.isfinite(best))
        _write(axes, high, low, lead, np.where(lead > 0.55 * top, "white", "black"), np.isfinite(lead))
    failed = chosen < 0
    for i, j in zip(low[failed], high[failed], strict=True):
        for x, y in ((j, i), (i, j)):
            axes.add_patch(_failed_patch(xy=(x - 0.5, y - 0.5)))
    handles: list[Patch] = [
        Patch(facecolor=to_hex(color), label=f"{literal(name)} ({counted(int((chosen == index).sum()), 'pair')})")
        for index, (name, color) in enumerate(zip(names, colors, strict=True))
    ]
    if failed.any():
        handles.append(_failed_patch(label=f"all failed ({counted(int(failed.sum()), 'pair')})"))
    columns = fitting_columns(handles, width)
    legend_of_figure([axes], handles, "outside upper left", ax is None, ncols=columns)
    _name_cells(axes, classes, upwards)
    return axes


def _font(k: int) -> float:
    """Size of the names of `k` classes."""
    return FONT if k <= MOST_NUMBERS else 8.0 if k <= 40 else 5.0


def _name_cells(axes: Axes, classes: list[str], upwards: bool) -> None:
    """Write the classes beside and below the cells, and draw white lines between cells."""
    k, font = len(classes), _font(len(classes))
    axes.set_xticks(range(k), classes, fontsize=font, rotation=90 if upwards else 0)
    axes.set_yticks(range(k), classes, fontsize=font)
    axes.tick_params(length=0)
    axes.set(xlabel="class", ylabel="class")
    axes.set_xticks(np.arange(k + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(k + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=2.0 if k <= MOST_NUMBERS else 0.8)
    axes.tick_params(which="minor", length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _candidates(inner: Any) -> list[str]:
    """Names of the candidates."""
    if not hasattr(inner, "pairs_"):
        raise InputError(
            f"{code('pair_choice')} shows the pairs of a {code('PairwiseClassifier')}, got {type(inner).__name__}; "
            "pass one fitted with several candidates."
        )
    names = [str(column).removeprefix(SCORE) for column in inner.pairs_.columns if str(column).startswith(SCORE)]
    if not names:
        learner = next((name for name in inner.pairs_["learner"] if name != FALLBACK), FALLBACK)
        raise InputError(
            f"{code('pair_choice')} shows which candidate was chosen for each pair, but {arg('clf')} had one learner, "
            f"{shown(learner)}; fit a {code('PairwiseClassifier')} with a list or a dict of learners."
        )
    return names


def _leads(pairs: pd.DataFrame, names: list[str], chosen: NDArray[np.intp]) -> tuple[Array, Array]:
    """Score of each pair's learner, and its lead over the best of the others; NaN if there is none."""
    scores = pairs[[SCORE + name for name in names]].to_numpy(dtype=np.float64)
    is_chosen = np.arange(len(names)) == chosen[:, None]
    best = np.where(chosen >= 0, scores[np.arange(len(scores)), chosen], np.nan)
    rest = np.where(is_chosen | np.isnan(scores), -np.inf, scores).max(axis=1)
    return best, np.where(np.isfinite(rest), best - np.where(np.isfinite(rest), rest, 0.0), np.nan)


def _failed_patch(xy: tuple[float, float] = (0.0, 0.0), label: str = "") -> Rectangle:
    """The cell of a pair without a learner."""
    return Rectangle(xy, 1.0, 1.0, facecolor=NOBODY, edgecolor="0.4", hatch="////", linewidth=0.0, label=label)


def _write(axes: Axes, rows: Any, columns: Any, values: Any, color: Any, where: Any) -> None:
    """Write numbers into the cells."""
    for index in np.flatnonzero(where):
        text = f"{values[index]:.3f}"
        axes.text(columns[index], rows[index], text, color=color[index], ha="center", va="center", fontsize=FONT)
