"""Reliability diagrams: predicted probabilities against observed shares."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.layout_engine import ConstrainedLayoutEngine
from numpy.typing import NDArray
from sklearn.calibration import calibration_curve
from sklearn.utils import _safe_indexing

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats.errors import InputError, code
from pwcstats.plot.reading import check_fitted, final_estimator, find_method, read_axes, read_labels
from pwcstats.plot.style import COLORS, MARKERS, hide_frame, literal, new_figure

# With more classes than colours, there is one line for all classes.
MOST_LINES = len(COLORS)
BARS = 20


def calibration(
    clf: Any, X: Any, y: Any, *, n_bins: int = 10, strategy: Literal["uniform", "quantile"] = "uniform", ax: Any = None
) -> NDArray[np.object_]:
    r"""Reliability diagrams of the class probabilities and of the pairwise probabilities.

    On the left is each class against the rest: the predicted probability against the observed share. With more than 8
    classes there is one line for all of them, and a faint one for each. On the right are all pairs together: among the
    rows of classes i and j, the probability of i rather than j against the share of i, both as the learners of the
    pairs give it and as :math:`p_i / (p_i + p_j)` after coupling. Histograms of the predictions are below.
    Well-calibrated probabilities are near the diagonal; a flatter line means overconfidence, a steeper one
    underconfidence.

    Parameters
    ----------
    clf : classifier
        Fitted, with ``predict_proba``. The pairs have both lines for a :class:`~pwcstats.PairwiseClassifier` (or a
        pipeline or a search that ends in one), and the line from ``predict_proba`` for other classifiers.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Rows, preferably not those of the fit.
    y : array-like of shape (n_samples,)
        Their classes.
    n_bins : int
        Number of bins.
    strategy : {"uniform", "quantile"}
        Bins of equal width, or of equal counts, as in :func:`sklearn.calibration.calibration_curve`. With many classes,
        most probabilities are small, and most bins of equal counts are near 0.

    Returns
    -------
    array of four matplotlib.axes.Axes
        The Brier score of the classes is the mean over rows of the sum of squared errors over classes; for two classes,
        it is half of that, as in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from pwcstats import PairwiseClassifier, plot
    >>> X, y = load_digits(n_class=4, return_X_y=True)
    >>> clf = PairwiseClassifier(GaussianNB(var_smoothing=1e-3)).fit(X[::2], y[::2])
    >>> axes = plot.calibration(clf, X[1::2], y[1::2])
    >>> axes[0, 0].figure.savefig("calibration.png")  # doctest: +SKIP
    """
    _params.count(n_bins, "n_bins", 2)
    _params.choice(strategy, ("uniform", "quantile"), "strategy")
    check_fitted(clf, "calibration")
    proba = find_method(clf, "predict_proba")
    if proba is None:
        raise InputError(
            f"{code('calibration')} needs probabilities, but {type(final_estimator(clf)).__name__} has no "
            f"{code('predict_proba')}; use it in a {code('PairwiseClassifier')}, which calibrates decision values."
        )
    p = np.clip(np.asarray(proba(X), dtype=np.float64), 0.0, 1.0)
    codes = read_labels(clf, y, len(p))
    # The number of the last tick extends beyond the axis, hence the padding.
    if ax is None:
        figure = new_figure(10.4, 5.6, ConstrainedLayoutEngine(w_pad=0.1))
        panels = figure.subplots(2, 2, sharex=True, height_ratios=[4, 1])
    else:
        panels = np.array(read_axes(ax, 4), dtype=object).reshape(2, 2)
    options = {"n_bins": n_bins, "strategy": strategy}
    _draw_classes(panels[:, 0], clf.classes_, p, codes, options)
    _draw_pairs(panels[:, 1], find_method(clf, "pairwise_proba"), X, p, codes, options)
    return panels


def _draw_classes(panels: Any, classes: Any, p: Array, codes: NDArray[np.int64], options: dict[str, Any]) -> None:
    """Draw each class against the rest."""
    top, k = panels[0], p.shape[1]
    truth = codes[:, None] == np.arange(k)
    pooled = k > MOST_LINES
    for index, label in enumerate(classes):
        style: dict[str, Any] = {
            "color": COLORS[index % MOST_LINES],
            "marker": MARKERS[index % MOST_LINES],
            "label": literal(label),
        }
        if pooled:
            style = {"color": "0.82", "linewidth": 0.7, "label": "each class" if index == 0 else None}
        _draw_curve(top, truth[:, index], p[:, index], options, **style)
    if pooled:
        style = {"color": COLORS[0], "marker": MARKERS[0], "linewidth": 1.8}
        _draw_curve(top, truth.ravel(), p.ravel(), options, label="all classes together", **style)
    brier = np.mean(np.sum((p - truth) ** 2, axis=1)) / (2 if k == 2 else 1)
    loss = -np.mean(np.log(np.maximum(p[np.arange(len(p)), codes], np.finfo(float).eps)))
    _finish(panels, f"classes, each against the rest\nBrier score {brier:.3f}, log loss {loss:.3f}", p.ravel())
    top.set_ylabel("observed share")
    panels[1].set_ylabel("count")


def _draw_pairs(
    panels: Any, pairwise: Any, X: Any, p: Array, codes: NDArray[np.int64], options: dict[str, Any]
) -> None:
    """Draw all pairs together."""
    first, counts = _orient(codes, p.shape[1])
    own = p[np.arange(len(p)), codes][:, None]
    both = own + p
    after = np.divide(np.where(first, own, p), both, out=np.full_like(p, 0.5), where=both > 0.0)
    ratio = "$p_i / (p_i + p_j)$"
    lines = {ratio: after}
    if pairwise is not None:
        lines = {"$r_{ij}$, before coupling": _pairwise_values(pairwise, X, codes, first), f"{ratio}, coupled": after}
    truth = first[counts]
    for index, (name, values) in enumerate(lines.items()):
        r = np.clip(values[counts], 0.0, 1.0)
        brier = np.mean((r - truth) ** 2)
        loss = -np.mean(np.log(np.maximum(np.where(truth, r, 1.0 - r), np.finfo(float).eps)))
        label = f"{name}\n(Brier {brier:.3f}, log loss {loss:.3f})"
        _draw_curve(panels[0], truth, r, options, color=COLORS[index], marker=MARKERS[index], label=label)
    _finish(panels, "classes i and j, all pairs together", next(iter(lines.values()))[counts])
    panels[1].set_xlabel("predicted probability of i rather than j")


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


def _draw_curve(panel: Axes, truth: Any, p: Array, options: dict[str, Any], **style: Any) -> None:
    share, mean = calibration_curve(truth.astype(np.int64), p, pos_label=1, **options)
    panel.plot(mean, share, **{"markersize": 5, "linewidth": 1.2, **style})


def _finish(panels: Any, title: str, p: Array) -> None:
    """Add the diagonal, the histogram below, the title and the legend."""
    top, bottom = panels
    top.plot([0, 1], [0, 1], color="0.6", linestyle=(0, (4, 3)), linewidth=1.0, zorder=0)
    top.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    top.set_title(title, fontsize=11)
    # Lines based on few rows go anywhere, also below the legend.
    top.legend(loc="best", fontsize=9, edgecolor="none", framealpha=0.7)
    bottom.hist(p, bins=BARS, range=(0.0, 1.0), color="0.6")
    bottom.set_yscale("log")
    bottom.set_ylim(bottom=0.5)  # so that a single prediction is visible
    bottom.set_xlabel("predicted probability")
    for panel in panels:
        hide_frame(panel)
