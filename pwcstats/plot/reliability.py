"""Whether what is predicted with probability p happens in a share p of the cases."""

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from numpy.typing import NDArray
from sklearn.calibration import calibration_curve
from sklearn.utils import _safe_indexing

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats.errors import InputError
from pwcstats.plot.reading import core, method, read_labels, refuse_unfitted
from pwcstats.plot.style import COLORS, MARKERS, literal

# With more classes than there are colours, the classes share one line.
MOST_LINES = len(COLORS)
BARS = 20


def calibration(clf: Any, X: Any, y: Any, *, n_bins: int = 10, strategy: str = "uniform") -> Figure:
    r"""Reliability of the probabilities: of the classes, and within the pairs.

    On the left each class against the rest: where it was predicted with probability p, what was its share? With more
    than 8 classes there is one line for all of them, and a faint one for each. On the right the pairs: of the rows of
    classes i and j, the probability of i rather than j against the share of i, for all pairs together; as the learners
    of the pairs give it, and as :math:`p_i / (p_i + p_j)` after coupling. Below are the numbers of predictions. What is
    well calibrated is near the diagonal; a line that is flatter means too sure, a steeper one too careful.

    Parameters
    ----------
    clf : classifier
        Fitted, with ``predict_proba``. Of a :class:`~pwcstats.PairwiseClassifier`, also at the end of a pipeline or
        within a search, the pairs have both lines, of others the one from ``predict_proba``.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Rows, preferably others than it was fitted to.
    y : array-like of shape (n_samples,)
        Their classes.
    n_bins : int
        Number of points of a line.
    strategy : {"uniform", "quantile"}
        Bins of equal width, or of equal counts, as in :func:`sklearn.calibration.calibration_curve`. Of many classes
        most are improbable, and most bins of equal counts lie near 0.

    Returns
    -------
    matplotlib.figure.Figure
        The Brier score of the classes is the mean over rows of the sum over classes of squared errors; for two classes
        half of that, as in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from pwcstats import PairwiseClassifier, plot
    >>> X, y = load_digits(n_class=4, return_X_y=True)
    >>> clf = PairwiseClassifier(GaussianNB(var_smoothing=1e-3)).fit(X[::2], y[::2])
    >>> figure = plot.calibration(clf, X[1::2], y[1::2])
    >>> figure.savefig("calibration.png")  # doctest: +SKIP
    """
    refuse_unfitted(clf, "calibration")
    _params.count(n_bins, "n_bins", 2)
    _params.choice(strategy, ("uniform", "quantile"), "strategy")
    proba = method(clf, "predict_proba")
    if proba is None:
        raise InputError(
            f"calibration needs probabilities, but {type(core(clf)).__name__} has no predict_proba; put it into a "
            "PairwiseClassifier, which makes them of decision values."
        )
    p = np.clip(np.asarray(proba(X), dtype=np.float64), 0.0, 1.0)
    code = read_labels(clf, y, len(p))
    # Half of the last tick's number is beyond its axis, hence the padding.
    figure = Figure(figsize=(10.4, 5.6), layout=ConstrainedLayoutEngine(w_pad=0.1))
    panels = figure.subplots(2, 2, sharex=True, height_ratios=[4, 1])
    options = {"n_bins": n_bins, "strategy": strategy}
    _draw_classes(panels[:, 0], clf.classes_, p, code, options)
    _draw_pairs(panels[:, 1], method(clf, "pairwise_proba"), X, p, code, options)
    return figure


def _draw_classes(panels: Any, classes: Any, p: Array, code: NDArray[np.int64], options: dict[str, Any]) -> None:
    """Each class against the rest."""
    top, k = panels[0], p.shape[1]
    truth = code[:, None] == np.arange(k)
    pooled = k > MOST_LINES
    for place, label in enumerate(classes):
        style: dict[str, Any] = {
            "color": COLORS[place % MOST_LINES],
            "marker": MARKERS[place % MOST_LINES],
            "label": literal(label),
        }
        if pooled:
            style = {"color": "0.82", "linewidth": 0.7, "label": "each class" if place == 0 else None}
        _draw_curve(top, truth[:, place], p[:, place], options, **style)
    if pooled:
        style = {"color": COLORS[0], "marker": MARKERS[0], "linewidth": 1.8}
        _draw_curve(top, truth.ravel(), p.ravel(), options, label="all classes together", **style)
    brier = np.mean(np.sum((p - truth) ** 2, axis=1)) / (2 if k == 2 else 1)
    loss = -np.mean(np.log(np.maximum(p[np.arange(len(p)), code], np.finfo(float).eps)))
    _finish(panels, f"classes, each against the rest\nBrier score {brier:.3f}, log loss {loss:.3f}", p.ravel())
    top.set_ylabel("observed share")
    panels[1].set_ylabel("count")


def _draw_pairs(panels: Any, pairwise: Any, X: Any, p: Array, code: NDArray[np.int64], options: dict[str, Any]) -> None:
    """All pairs together."""
    first, counts = _orient(code, p.shape[1])
    mine = p[np.arange(len(p)), code][:, None]
    both = mine + p
    after = np.divide(np.where(first, mine, p), both, out=np.full_like(p, 0.5), where=both > 0.0)
    ratio = "$p_i / (p_i + p_j)$"
    lines = {ratio: after}
    if pairwise is not None:
        lines = {"$r_{ij}$, before coupling": _within(pairwise, X, code, first), f"{ratio}, coupled": after}
    truth = first[counts]
    for place, (name, values) in enumerate(lines.items()):
        r = np.clip(values[counts], 0.0, 1.0)
        brier = np.mean((r - truth) ** 2)
        loss = -np.mean(np.log(np.maximum(np.where(truth, r, 1.0 - r), np.finfo(float).eps)))
        label = f"{name}\n(Brier {brier:.3f}, log loss {loss:.3f})"
        _draw_curve(panels[0], truth, r, options, color=COLORS[place], marker=MARKERS[place], label=label)
    _finish(panels, "classes i and j, all pairs together", next(iter(lines.values()))[counts])
    panels[1].set_xlabel("predicted probability of i rather than j")


def _orient(code: NDArray[np.int64], k: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """For each row and each class: whether the row's own class is the first of the two, and whether they are two."""
    other = np.arange(k)
    return code[:, None] < other, code[:, None] != other


def _within(pairwise: Callable[[Any], Array], X: Any, code: NDArray[np.int64], first: NDArray[np.bool_]) -> Array:
    """r_ij, i < j, of each row's own class and each other; from the rows of a class at a time, which saves memory."""
    out = np.empty(first.shape)
    for place in np.unique(code):
        rows = np.flatnonzero(code == place)
        r = pairwise(_safe_indexing(X, rows))
        out[rows] = np.where(first[rows], r[:, place, :], r[:, :, place])
    return out


def _draw_curve(panel: Axes, truth: Any, p: Array, options: dict[str, Any], **style: Any) -> None:
    share, mean = calibration_curve(truth.astype(np.int64), p, pos_label=1, **options)
    panel.plot(mean, share, **{"markersize": 5, "linewidth": 1.2, **style})


def _finish(panels: Any, title: str, p: Array) -> None:
    """The diagonal, the counts below, the title and the legend."""
    top, bottom = panels
    top.plot([0, 1], [0, 1], color="0.6", linestyle=(0, (4, 3)), linewidth=1.0, zorder=0)
    top.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    top.set_title(title, fontsize=11)
    # Lines of few rows go anywhere, under the legend too.
    top.legend(loc="best", fontsize=9, edgecolor="none", framealpha=0.7)
    bottom.hist(p, bins=BARS, range=(0.0, 1.0), color="0.6")
    bottom.set_yscale("log")
    bottom.set_ylim(bottom=0.5)  # so that a single prediction is seen
    bottom.set_xlabel("predicted probability")
    for panel in panels:
        for side in ("top", "right"):
            panel.spines[side].set_visible(False)
