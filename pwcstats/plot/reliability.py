"""Reliability diagrams: predicted probabilities against observed shares."""

import textwrap
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from statsmodels.stats.proportion import proportion_confint

from pwcstats import _params
from pwcstats._arrays import Array, as_float
from pwcstats._text import counted, percent, shape_of
from pwcstats.errors import InputError, arg, code, value
from pwcstats.plot.reading import (
    check_fitted,
    check_same_classes,
    final_estimator,
    find_method,
    read_labels,
    read_panel,
)
from pwcstats.plot.style import COLORS, FONT, HANDLE, MARKERS, figure_of, hide_frame, inches, literal

Kind = Literal["classes", "confidence", "pairs"]
# With more classes than colours, the lines of single classes could not be told apart.
MOST_LINES = len(COLORS)
# Bars of the histogram, which is drawn below the diagram, between these shares of its height.
BARS, FLOOR, CEILING = 25, -0.21, -0.06
# Panels of this width in inches have room for text of the usual size; text in narrower ones is smaller.
WIDE, SMALLEST = 3.6, 7.0


class _Forecast(NamedTuple):
    """Predicted probabilities, one column per class, and the classifier that made them, if it is known."""

    name: str
    classes: list[Any]
    p: Array
    clf: Any


class Line(NamedTuple):
    """Predictions `p` of events, which happened or not (`truth`); predictions with the same `row` belong together."""

    label: str
    truth: NDArray[np.bool_]
    p: Array
    row: NDArray[np.intp] | None


def calibration(
    clf: Any,
    X: Any = None,
    y: Any = None,
    *,
    kind: Kind | None = None,
    n_bins: int = 10,
    strategy: Literal["quantile", "uniform"] = "quantile",
    alpha: float = 0.05,
    ax: Axes | None = None,
) -> Axes:
    r"""Reliability diagram: predicted probabilities against observed shares, with confidence intervals.

    The predictions are grouped into bins. A point shows the mean prediction of a bin and the observed share; its bar is
    the Wilson interval of that share. Well-calibrated probabilities are near the diagonal: at most about 5 % of the
    bars should miss it, in the outermost bins up to 10 %. A flatter line means overconfidence, a steeper one
    underconfidence. Histograms of the predictions are at the bottom.

    Parameters
    ----------
    clf : classifier, probabilities, or dict of them
        A fitted classifier with ``predict_proba``, or the predicted probabilities themselves: a DataFrame with a column
        for each class, an array with the columns in the sorted order of the classes, or the probabilities of the second
        of two classes. A dict from names to classifiers or probabilities compares them: each has one line, and its log
        loss is in the legend.
    X : array-like or DataFrame of shape (n_samples, n_features), optional
        Rows, preferably not those of the fit. Probabilities need none.
    y : array-like of shape (n_samples,)
        Classes of the rows.
    kind : {"classes", "confidence", "pairs"}, optional
        "classes": a line for each class against the rest, or for two classes the line of the second one. "confidence":
        one line for the probability of the predicted class, against the share of correct predictions. "pairs": all
        pairs together; among the rows of classes i and j, the probability of i rather than j, as the learners of the
        pairs give it (if `clf` is a :class:`~pwcstats.PairwiseClassifier`) and as :math:`p_i / (p_i + p_j)` after
        coupling. The default is "classes" for one classifier with at most 8 classes and for two classes, otherwise
        "confidence".
    n_bins : int
        Number of bins.
    strategy : {"quantile", "uniform"}
        Bins of equal counts or of equal width, as in :func:`sklearn.calibration.calibration_curve`.
    alpha : float
        Significance level; the bars have level 1 - `alpha`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Brier score is the mean over rows of the sum of squared errors over classes; for two classes, it is half of
        that, as in scikit-learn.

    Notes
    -----
    The Wilson interval [1]_ assumes that the outcomes of a bin are independent. A row belongs to several pairs, so for
    "pairs" the number of outcomes is replaced by the effective number of rows [2]_,
    :math:`(\sum_r m_r)^2 / \sum_r m_r^2`, where row :math:`r` is :math:`m_r` times in the bin. In simulations with
    3 to 26 classes, this was enough: between 1 and 5 % of the bars missed the diagonal, and at most 7 % in any bin.

    References
    ----------
    .. [1] Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the
       American Statistical Association 22, 209-212. https://doi.org/10.1080/01621459.1927.10502953
    .. [2] Kish, L. (1965). Survey Sampling. Wiley.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.svm import SVC
    >>> from pwcstats import PairwiseClassifier, plot
    >>> data = load_breast_cancer()
    >>> X, y = data.data, data.target_names[data.target]
    >>> clfs = {"naive Bayes": GaussianNB(), "SVM": PairwiseClassifier(SVC(), random_state=0)}
    >>> fitted = {name: clf.fit(X[::2], y[::2]) for name, clf in clfs.items()}
    >>> ax = plot.calibration(fitted, X[1::2], y[1::2], n_bins=5)
    >>> ax.figure.savefig("calibration.png")  # doctest: +SKIP
    """
    _params.count(n_bins, "n_bins", 2)
    _params.choice(strategy, ("quantile", "uniform"), "strategy")
    alpha = _params.level(alpha, "alpha")
    forecasts = _read_forecasts(clf, X, y)
    drawn = _read_kind(kind, forecasts)
    codes = [read_labels(forecast.classes, y, len(forecast.p)) for forecast in forecasts]
    lines = _lines(forecasts, codes, drawn, X)
    axes = read_panel(ax, 5.4, 5.2)
    points = [line_points(line, n_bins, strategy, alpha) for line in lines]
    # Confidences are at least 1/K, and often near 1.
    start = 0.0
    if drawn == "confidence":
        # The histogram shows all of them.
        lowest = min(min(line.p.min(), part[:, 2].min()) for line, part in zip(lines, points, strict=True))
        start = float(np.floor(9.9 * lowest) / 10)
    for index, (line, part) in enumerate(zip(lines, points, strict=True)):
        style = {"color": COLORS[index % len(COLORS)], "marker": MARKERS[index % len(MARKERS)]}
        _draw_line(axes, part, line.label, style)
    # Several lines of one classifier share a histogram.
    if len(forecasts) == 1:
        shared = lines[:1] if drawn == "pairs" else lines
        _draw_histogram(axes, np.concatenate([line.p for line in shared]), start, "0.7", True)
    else:
        for index, line in enumerate(lines):
            _draw_histogram(axes, line.p, start, COLORS[index % len(COLORS)], False)
    _finish(axes, start, drawn, forecasts, codes, percent(1 - alpha))
    return axes


def _read_forecasts(clf: Any, X: Any, y: Any) -> list[_Forecast]:
    if y is None:
        raise InputError(f"{code('calibration')} needs the classes of the rows; pass {arg('y')}.")
    given = clf if isinstance(clf, Mapping) else {"": clf}
    if not given:
        raise InputError(f"{code('calibration')} needs a classifier or probabilities, got an empty dict.")
    found = [_read_forecast(str(name), one, X, y) for name, one in given.items()]
    check_same_classes([forecast.classes for forecast in found], "calibration")
    return found


def _read_forecast(name: str, given: Any, X: Any, y: Any) -> _Forecast:
    """Probabilities as given, or as a classifier predicts them."""
    if isinstance(given, (pd.DataFrame, pd.Series, np.ndarray, list, tuple)):
        classes, p = _read_proba(given, y)
        return _Forecast(name, classes, p, None)
    check_fitted(given, "calibration")
    proba = find_method(given, "predict_proba")
    if proba is None:
        raise InputError(
            f"{code('calibration')} needs probabilities, but {type(final_estimator(given)).__name__} has no "
            f"{code('predict_proba')}; use it in a {code('PairwiseClassifier')}, which calibrates decision values."
        )
    if X is None:
        raise InputError(f"{code('calibration')} needs the rows to predict; pass {arg('X')}.")
    p = np.clip(np.asarray(proba(X), dtype=np.float64), 0.0, 1.0)
    return _Forecast(name, list(given.classes_), p, given)


def _read_proba(given: Any, y: Any) -> tuple[list[Any], Array]:
    p = as_float(given, "clf")
    classes = list(given.columns) if isinstance(given, pd.DataFrame) else list(np.unique(np.asarray(y)))
    if p.ndim == 1 and len(classes) == 2:
        p = np.column_stack([1.0 - p, p])
    if p.ndim != 2 or p.shape[1] != len(classes):
        raise InputError(
            f"the probabilities must have a column for each of the {len(classes)} classes in {arg('y')}, got "
            f"{shape_of(p)}; pass a DataFrame whose columns are named like the classes."
        )
    if not (np.isfinite(p).all() and (p >= 0.0).all() and (p <= 1.0).all()):
        raise InputError("the probabilities must be numbers between 0 and 1.")
    return classes, p


def _read_kind(kind: Any, forecasts: list[_Forecast]) -> str:
    n, k = len(forecasts), len(forecasts[0].classes)
    if kind is None:
        return "classes" if k == 2 or (n == 1 and k <= MOST_LINES) else "confidence"
    _params.choice(kind, ("classes", "confidence", "pairs"), "kind")
    if kind == "classes" and k > MOST_LINES:
        raise InputError(
            f"{arg('kind', 'classes')} draws a line for each class, got {k} classes (at most {MOST_LINES}); use "
            f"{arg('kind', 'confidence')}."
        )
    if n > 1 and (kind == "pairs" or (kind == "classes" and k > 2)):
        raise InputError(
            f"several classifiers with more than two classes need {arg('kind', 'confidence')}, which has one line for "
            f"each of them, got {value(kind)}."
            if k > 2
            else f"{arg('kind', 'pairs')} draws one classifier, got {n}."
        )
    return str(kind)


def _lines(forecasts: list[_Forecast], codes: list[NDArray[np.int64]], kind: str, X: Any) -> list[Line]:
    """The lines to draw, with their labels."""
    if kind == "pairs":
        return _pair_lines(forecasts[0], codes[0], X)
    lines = []
    for forecast, own_codes in zip(forecasts, codes, strict=True):
        k = len(forecast.classes)
        if kind == "confidence":
            best = forecast.p.argmax(axis=1)
            label = _named(forecast, own_codes, "predicted class")
            lines.append(Line(label, best == own_codes, forecast.p.max(axis=1), None))
            continue
        for index in range(k) if k > 2 else [1]:
            label = _named(forecast, own_codes, literal(forecast.classes[index]))
            lines.append(Line(label, own_codes == index, forecast.p[:, index], None))
    return lines


def _named(forecast: _Forecast, codes: NDArray[np.int64], alone: str) -> str:
    """Label of the line of one of several classifiers; the label `alone` if there is only one."""
    if not forecast.name:
        return alone
    return f"{literal(forecast.name)}: log loss {mean_log_loss(forecast.p, codes):.3f}"


def mean_log_loss(p: Array, codes: NDArray[np.int64]) -> float:
    """Mean over rows of -log of the probability of their own class."""
    return float(-np.mean(np.log(np.maximum(p[np.arange(len(p)), codes], np.finfo(float).eps))))


def _brier(p: Array, codes: NDArray[np.int64]) -> float:
    truth = codes[:, None] == np.arange(p.shape[1])
    return float(np.mean(np.sum((p - truth) ** 2, axis=1)) / (2 if p.shape[1] == 2 else 1))


def _pair_lines(forecast: _Forecast, codes: NDArray[np.int64], X: Any) -> list[Line]:
    """All pairs together, before and after coupling."""
    p = forecast.p
    first, counts = _orient(codes, p.shape[1])
    own = p[np.arange(len(p)), codes][:, None]
    both = own + p
    after = np.divide(np.where(first, own, p), both, out=np.full_like(p, 0.5), where=both > 0.0)
    ratio = "$p_i / (p_i + p_j)$"
    values = {ratio: after}
    pairwise = None if forecast.clf is None else find_method(forecast.clf, "pairwise_proba")
    if pairwise is not None:
        values = {"$r_{ij}$, before coupling": _pairwise_values(pairwise, X, codes, first), f"{ratio}, coupled": after}
    truth, row = first[counts], np.nonzero(counts)[0]
    lines = []
    for name, table in values.items():
        r = np.clip(table[counts], 0.0, 1.0)
        brier = np.mean((r - truth) ** 2)
        loss = -np.mean(np.log(np.maximum(np.where(truth, r, 1.0 - r), np.finfo(float).eps)))
        lines.append(Line(f"{name}\n(log loss {loss:.3f}, Brier {brier:.3f})", truth, r, row))
    return lines


def _orient(codes: NDArray[np.int64], k: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """For each row and each class: whether the row's own class comes first, and whether it is a different one."""
    other = np.arange(k)
    return codes[:, None] < other, codes[:, None] != other


def _pairwise_values(
    pairwise: Callable[[Any], Array], X: Any, codes: NDArray[np.int64], first: NDArray[np.bool_]
) -> Array:
    """r_ij, i < j, of each row's own class and each other class; one class at a time, which saves memory."""
    out = np.empty(first.shape)
    for index in np.unique(codes):
        rows = np.flatnonzero(codes == index)
        r = pairwise(_safe_indexing(X, rows))
        out[rows] = np.where(first[rows], r[:, index, :], r[:, :, index])
    return out


def line_points(line: Line, n_bins: int, strategy: str, alpha: float) -> Array:
    """Mean prediction, observed share, ends of its Wilson interval, and number of predictions.

    There is one row per bin that has predictions.
    """
    # As scikit-learn's calibration_curve does it.
    points = np.linspace(0.0, 1.0, n_bins + 1)
    edges = np.quantile(line.p, points) if strategy == "quantile" else points
    bins = np.searchsorted(edges[1:-1], line.p)
    if strategy == "quantile":
        bins = _merge_small(bins, n_bins)
    n = np.bincount(bins, minlength=n_bins)
    used = n > 0
    share = np.bincount(bins, line.truth, n_bins)[used] / n[used]
    mean = np.bincount(bins, line.p, n_bins)[used] / n[used]
    size = (n if line.row is None else _effective_size(bins, line.row, n_bins))[used]
    low, high = proportion_confint(share * size, size, alpha, method="wilson")
    return np.column_stack([mean, share, low, high, n[used]])


def _effective_size(bins: NDArray[np.intp], row: NDArray[np.intp], n_bins: int) -> Array:
    """Effective number of rows in each bin, by Kish's formula; 0 if there are none."""
    cells, times = np.unique(np.column_stack([bins, row]), axis=0, return_counts=True)
    total, squares = (np.bincount(cells[:, 0], times**power, n_bins) for power in (1, 2))
    return np.divide(total**2, squares, out=np.zeros(n_bins), where=squares > 0)


def _merge_small(bins: NDArray[np.intp], n_bins: int) -> NDArray[np.intp]:
    """Join bins of less than half of the intended size to the next one; ties cause such bins."""
    counts = np.bincount(bins, minlength=n_bins)
    joined, size = np.arange(n_bins), 0
    start = 0
    for index, count in enumerate(counts):
        size += count
        joined[start : index + 1] = index
        if 2 * size * n_bins >= len(bins):
            start, size = index + 1, 0
    if 0 < size and start > 0:
        joined[start:] = joined[start - 1]
    return joined[bins]


def _draw_line(axes: Axes, points: Array, label: str, style: dict[str, Any]) -> None:
    mean, share, low, high, _ = points.T
    axes.vlines(mean, low, high, color=style["color"], linewidth=1.4, alpha=0.7)
    axes.plot(mean, share, label=label, markersize=6, linewidth=1.6, **style)


def _draw_histogram(axes: Axes, p: Array, start: float, color: str, filled: bool) -> None:
    counts, edges = np.histogram(p, bins=BARS, range=(start, 1.0))
    floor, ceiling = (start + (1.0 - start) * share for share in (FLOOR, CEILING))
    tops = floor + (ceiling - floor) * counts / max(counts.max(), 1)
    axes.stairs(tops, edges, baseline=floor, color=color, fill=filled, linewidth=1.2)


def _finish(
    axes: Axes, start: float, kind: str, forecasts: list[_Forecast], codes: list[NDArray[np.int64]], level: str
) -> None:
    """Add the diagonal, the title, the labels and the legend; the axes are from `start` to 1."""
    span = 1.0 - start
    axes.plot([start, 1], [start, 1], color="0.6", linestyle=(0, (4, 3)), linewidth=1.0, zorder=0)
    axes.axhline(start + span * (CEILING - 0.02) / 2, color="0.8", linewidth=0.8)
    axes.set(xlim=(start - 0.02 * span, 1.0 + 0.02 * span), ylim=(start + (FLOOR - 0.01) * span, 1.0 + 0.02 * span))
    axes.set_yticks(np.arange(start, 1.05, 0.2 if span > 0.6 else 0.1 if span > 0.2 else 0.05))
    axes.spines["left"].set_bounds(start, 1.0)
    classes, n = forecasts[0].classes, counted(len(codes[0]), "row")
    of, share = "", f"observed share ({level} intervals)"
    if kind == "pairs":
        of = " of i rather than j"
    elif kind == "confidence":
        of, share = " of the predicted class", f"share correct ({level} intervals)"
    elif len(classes) == 2:
        of = f" of {literal(classes[1])}"
    title = f"calibration on these {n}"
    if len(forecasts) == 1:
        loss, brier = mean_log_loss(forecasts[0].p, codes[0]), _brier(forecasts[0].p, codes[0])
        title = f"log loss {loss:.3f}, Brier score {brier:.3f} on these {n}"
    width = axes.get_window_extent().width / figure_of(axes).dpi
    font = float(np.clip(FONT * width / WIDE, SMALLEST, FONT))
    # The title and the label may be a little wider than the panel.
    axes.set_xlabel(
        f"{_wrap(f'predicted probability{of}', 1.1 * width, font)}\n(histogram at the bottom)", fontsize=font
    )
    axes.set_ylabel(share, fontsize=font, y=0.58)
    axes.set_title(_wrap(title, 1.1 * width, font + 1), fontsize=font + 1)
    hide_frame(axes)
    # Lines based on few rows go anywhere, also below the legend, but the histogram is free.
    low, high = axes.get_ylim()
    free = (start - low) / (high - low)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(
        handles,
        # Formulas of pairs must not be broken.
        [label if kind == "pairs" else _wrap(label, width - HANDLE * font / FONT, font) for label in labels],
        loc="best",
        bbox_to_anchor=(0.0, free, 1.0, 1.0 - free),
        fontsize=font,
        edgecolor="none",
        framealpha=0.7,
    )


def _wrap(text: str, width: float, font: float) -> str:
    """A text in lines of at most so many inches."""
    return textwrap.fill(text, max(12, int(width / inches("x", font))))
