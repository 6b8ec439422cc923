"""How much sensitivity a classifier has at which specificity."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.metrics import auc, roc_curve

from pwcstats._arrays import Array
from pwcstats._text import counted
from pwcstats.plot.reading import core, read_axes, read_names, read_pos_label, read_runs, read_scores, read_truth
from pwcstats.plot.style import COLORS, LEGEND_ROWS, bare, figure_of, legend_beside, literal

# Where the runs' sensitivities are averaged.
GRID = np.linspace(0.0, 1.0, 501)
# Colours are used again with another kind of line.
LINES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))
# More names than this would cover curves.
MOST_INSIDE = 8


def roc(
    clf: Any,
    X: Any,
    y: Any,
    *,
    pos_label: Any = None,
    mean: bool = True,
    names: Any = None,
    ax: Axes | None = None,
) -> Figure:
    """ROC curves: of a classifier, of runs with their mean, or of several methods.

    Like Figure 4 of Chang [1]_. Runs are thin lines, and a thick one is their vertical mean, the average of the
    sensitivities at each specificity. Of a single classifier that has a ``threshold_``, a dot shows where it decides.

    Parameters
    ----------
    clf : classifier or list of classifiers
        Fitted to two classes, with ``predict_proba`` or ``decision_function``; also pipelines and searches.
    X : array-like or DataFrame of shape (n_samples, n_features), or list of them
        Rows, preferably others than those of the fit. A list has the rows of each classifier; otherwise all have the
        same.
    y : array-like of shape (n_samples,), or list of them
        Their classes.
    pos_label : label, optional
        The positive class. Default: the ``pos_label_`` that a classifier in `clf` has, else the second of
        ``classes_``.
    mean : bool
        Whether to draw the mean of several runs.
    names : sequence of str, optional
        The classifiers are different methods of these names: each has a colour, and there is no mean.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; without them there is a new figure.

    Returns
    -------
    matplotlib.figure.Figure
        The legend has the area under the curve; of runs, the mean of their areas and the standard deviation.

    References
    ----------
    .. [1] Chang, Y.-C. I. (2003). Boosting SVM classifiers with logistic regression. Technical report, Institute of
       Statistical Science, Academia Sinica, Taipei.

    Examples
    --------
    >>> from pwcstats import HybridClassifier, datasets, plot
    >>> sample = datasets.chang_clover(2, random_state=0)
    >>> X, y, train = sample.data, sample.target == 0, sample.train
    >>> clf = HybridClassifier(random_state=0).fit(X[train], y[train])
    >>> figure = plot.roc(clf, X[~train], y[~train])
    >>> figure.savefig("roc.png")  # doctest: +SKIP
    """
    runs = read_runs(clf, X, y, "roc")
    place = read_pos_label([one for one, _, _ in runs], pos_label)
    labels = read_names(names, len(runs))
    found = [_read_run(*run, place) for run in runs]
    curves = [_curve(truth, score) for truth, score in found]
    axes = _new_axes(len(runs) if labels else 1) if ax is None else read_axes(ax, 1)[0]
    if labels is not None:
        _draw_named(axes, curves, labels)
    elif len(runs) == 1:
        axes.plot(*curves[0].T, color=COLORS[0], linewidth=1.8, label=f"AUC {auc(*curves[0].T):.3f}")
    else:
        _draw_runs(axes, curves, mean)
    if len(runs) == 1 and getattr(core(runs[0][0]), "threshold_", None) is not None:
        _mark_threshold(axes, *runs[0][:2], found[0][0], place)
    classes = runs[0][0].classes_
    axes.set_title(f"{literal(classes[place])} against {literal(classes[1 - place])}", fontsize=11)
    _finish(axes)
    return figure_of(axes)


def _new_axes(n_names: int) -> Axes:
    width = 5.6 if n_names <= MOST_INSIDE else 5.4 + 2.8 * (1 + (n_names - 1) // LEGEND_ROWS)
    return Figure(figsize=(width, 5.4), layout="constrained").subplots()


def _read_run(clf: Any, X: Any, y: Any, place: int) -> tuple[NDArray[np.bool_], Array]:
    """Which rows are positive, and their scores."""
    score = read_scores(clf, X, place, "roc")
    return read_truth(clf, y, len(score), place, "roc"), score


def _curve(truth: NDArray[np.bool_], score: Array) -> Array:
    """Points of the curve, 1 - specificity and sensitivity."""
    return np.column_stack(roc_curve(truth, score)[:2])


def _vertical_mean(curves: list[Array]) -> Array:
    """The mean curve; it begins in the corner, where the runs begin."""
    height = np.mean([np.interp(GRID, *curve.T) for curve in curves], axis=0)
    return np.vstack([(0.0, 0.0), np.column_stack([GRID, height])])


def _draw_named(axes: Axes, curves: list[Array], labels: list[str]) -> None:
    for number, (curve, name) in enumerate(zip(curves, labels, strict=True)):
        style: dict[str, Any] = {
            "color": COLORS[number % len(COLORS)],
            "linestyle": LINES[number // len(COLORS) % len(LINES)],
        }
        axes.plot(*curve.T, linewidth=1.5, label=f"{literal(name)} (AUC {auc(*curve.T):.3f})", **style)


def _draw_runs(axes: Axes, curves: list[Array], mean: bool) -> None:
    areas = [auc(*curve.T) for curve in curves]
    words = f"AUC {np.mean(areas):.3f}, sd {np.std(areas, ddof=1):.3f}"
    n = counted(len(curves), "run")
    # Many lines on each other are seen as one area, unless they are faint.
    style: dict[str, Any] = {"color": "0.6", "linewidth": 0.8, "alpha": 0.8 if len(curves) <= 20 else 0.4}
    for number, curve in enumerate(curves):
        axes.plot(*curve.T, label=None if number else n if mean else f"{n} ({words})", **style)
    if mean:
        axes.plot(*_vertical_mean(curves).T, color=COLORS[0], linewidth=2.4, label=f"mean ({words})")


def _mark_threshold(axes: Axes, clf: Any, X: Any, truth: NDArray[np.bool_], place: int) -> None:
    """A dot where the classifier decides."""
    called = np.asarray(clf.predict(X)) == clf.classes_[place]
    wrong, right = np.mean(called[~truth]), np.mean(called[truth])
    words = f"as it predicts: sensitivity {right:.3f},\nspecificity {1.0 - wrong:.3f}"
    style: dict[str, Any] = {"markersize": 8, "markeredgecolor": "white", "clip_on": False, "zorder": 4}
    axes.plot([wrong], [right], marker="o", linestyle="none", color=COLORS[1], label=words, **style)


def _finish(axes: Axes) -> None:
    """The diagonal of chance, words and the legend."""
    handles, _ = axes.get_legend_handles_labels()
    axes.plot([0, 1], [0, 1], color="0.6", linestyle=(0, (4, 3)), linewidth=1.0, zorder=0)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal", xlabel="1 - specificity", ylabel="sensitivity")
    bare(axes)
    if len(handles) > MOST_INSIDE:
        legend_beside(axes, handles, fontsize=9)
    else:
        axes.legend(handles=handles, loc="lower right", fontsize=9, edgecolor="none", framealpha=0.7)
