"""ROC curves."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray
from sklearn.metrics import auc, roc_curve

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._text import counted, listed, shown
from pwcstats.errors import InputError, arg, code
from pwcstats.plot.reading import (
    final_estimator,
    find_method,
    read_classifiers,
    read_labels,
    read_names,
    read_panel,
)
from pwcstats.plot.style import COLORS, FONT, hide_frame, legend_beside, legend_columns, literal

# Points at which the sensitivities of runs are averaged.
GRID = np.linspace(0.0, 1.0, 501)
# When all colours are used, they start again with the next line style.
LINES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))
# A legend with more names than this would cover the curves.
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
) -> Axes:
    """ROC curves of one classifier, of several runs with their mean, or of several methods.

    Like Figure 4 of Chang [1]_. Runs are thin lines; a thick line is their vertical mean, the average of the
    sensitivities at each specificity. If a single classifier has a ``threshold_``, a dot shows its sensitivity and
    specificity there.

    Parameters
    ----------
    clf : classifier or list of classifiers
        Fitted to two classes, with ``predict_proba`` or ``decision_function``; pipelines and searches, too.
    X : array-like or DataFrame of shape (n_samples, n_features), or list of them
        Rows, preferably not those of the fit. A list has one element for each classifier; otherwise all classifiers
        get the same rows.
    y : array-like of shape (n_samples,), or list of them
        Their classes.
    pos_label : label, optional
        The positive class. The default is the ``pos_label_`` of the classifiers if they have one, otherwise the second
        of their ``classes_``.
    mean : bool
        Whether to draw the mean of several runs.
    names : sequence of str, optional
        Names of the classifiers, which are then drawn as different methods: each in its own colour, without a mean.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The legend shows the area under the curve; for runs, the mean and the standard deviation of their areas.

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
    >>> ax = plot.roc(clf, X[~train], y[~train])
    >>> ax.figure.savefig("roc.png")  # doctest: +SKIP
    """
    _params.flag(mean, "mean")
    runs = _read_runs(clf, X, y)
    positive = _read_pos_label([one for one, _, _ in runs], pos_label)
    labels = read_names(names, len(runs))
    found = [_read_run(*run, positive) for run in runs]
    curves = [_curve(truth, score) for truth, score in found]
    axes = read_panel(ax, _width(len(runs) if labels else 1), 5.4)
    if labels is not None:
        _draw_named(axes, curves, labels)
    elif len(runs) == 1:
        axes.plot(*curves[0].T, color=COLORS[0], linewidth=1.8, label=f"AUC {auc(*curves[0].T):.3f}")
    else:
        _draw_runs(axes, curves, mean)
    if len(runs) == 1 and getattr(final_estimator(runs[0][0]), "threshold_", None) is not None:
        _mark_threshold(axes, *runs[0][:2], found[0][0], positive)
    classes = runs[0][0].classes_
    axes.set_title(f"{literal(classes[positive])} against {literal(classes[1 - positive])}", fontsize=FONT + 1)
    _finish(axes)
    return axes


def _read_runs(clf: Any, X: Any, y: Any) -> list[tuple[Any, Any, Any]]:
    """Fitted classifiers of the same two classes, each with its rows and their labels."""
    clfs = read_classifiers(clf, "roc")
    classes = clfs[0].classes_
    if len(classes) != 2:
        raise InputError(
            f"{code('roc')} needs two classes, but {arg('clf')} has {len(classes)}: {listed(map(shown, classes))}; fit "
            "it to one of them against the rest."
        )
    return list(zip(clfs, _for_each(X, len(clfs), 2, "X"), _for_each(y, len(clfs), 1, "y"), strict=True))


def _for_each(given: Any, n: int, n_dims: int, name: str) -> list[Any]:
    """What each of `n` classifiers gets: one item of a list each, or all of them the same."""
    if not isinstance(given, (list, tuple)) or not given or np.ndim(given[0]) < n_dims:
        return [given] * n
    if len(given) != n:
        raise InputError(
            f"{arg(name)} is a list for {len(given)} classifiers, got {n} of them; pass one {arg(name)} for each "
            "classifier, or the same for all."
        )
    return list(given)


def _read_pos_label(clfs: list[Any], pos_label: Any) -> int:
    """Index in `classes_` of the positive class: as given, as the classifiers have it, or the second."""
    classes = clfs[0].classes_
    if pos_label is None:
        own = [final_estimator(clf).pos_label_ for clf in clfs if hasattr(final_estimator(clf), "pos_label_")]
        own = list(pd.unique(pd.Series(own)))
        if len(own) > 1:
            raise InputError(
                f"the classifiers differ in their positive class: {listed(map(shown, own))}; choose one with "
                f"{arg('pos_label')}."
            )
        pos_label = own[0] if own else classes[1]
    return _params.index_of(pos_label, pd.Index(classes), "pos_label", "classes")


def _read_run(clf: Any, X: Any, y: Any, positive: int) -> tuple[NDArray[np.bool_], Array]:
    """Which rows are positive, and their scores."""
    score = _read_scores(clf, X, positive)
    truth = read_labels(clf.classes_, y, len(score)) == positive
    if truth.all() or not truth.any():
        only = clf.classes_[positive if len(truth) and truth.all() else 1 - positive]
        raise InputError(
            f"{code('roc')} needs rows of both classes, got only {shown(only)} in {arg('y')}; pass rows of both."
        )
    return truth, score


def _read_scores(clf: Any, X: Any, positive: int) -> Array:
    """Scores in favour of the positive class: probabilities, or decision values."""
    proba, decision = find_method(clf, "predict_proba"), find_method(clf, "decision_function")
    if proba is not None:
        return np.asarray(proba(X), dtype=np.float64)[:, positive]
    if decision is None:
        raise InputError(
            f"{code('roc')} needs scores, but {type(final_estimator(clf)).__name__} has neither "
            f"{code('predict_proba')} nor {code('decision_function')}; pass a classifier that has one of them."
        )
    values = np.asarray(decision(X), dtype=np.float64)
    return values if positive == 1 else -values


def _width(n_names: int) -> float:
    """Width of a figure in inches, with room for a legend of many names."""
    return 5.4 if n_names <= MOST_INSIDE else 5.4 + 2.8 * legend_columns(n_names)


def _curve(truth: NDArray[np.bool_], score: Array) -> Array:
    """Points of the curve, 1 - specificity and sensitivity."""
    return np.column_stack(roc_curve(truth, score)[:2])


def _vertical_mean(curves: list[Array]) -> Array:
    """The mean curve; like the runs, it begins in the corner (0, 0)."""
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
    area = f"AUC {np.mean(areas):.3f}, sd {np.std(areas, ddof=1):.3f}"
    n = counted(len(curves), "run")
    # Many overlapping lines would look like an area, so they are fainter.
    style: dict[str, Any] = {"color": "0.6", "linewidth": 0.8, "alpha": 0.8 if len(curves) <= 20 else 0.4}
    for number, curve in enumerate(curves):
        axes.plot(*curve.T, label=None if number else n if mean else f"{n} ({area})", **style)
    if mean:
        axes.plot(*_vertical_mean(curves).T, color=COLORS[0], linewidth=2.4, label=f"mean ({area})")


def _mark_threshold(axes: Axes, clf: Any, X: Any, truth: NDArray[np.bool_], positive: int) -> None:
    """Mark the point that belongs to the predictions of the classifier."""
    predicted = np.asarray(clf.predict(X)) == clf.classes_[positive]
    wrong, right = np.mean(predicted[~truth]), np.mean(predicted[truth])
    label = f"its predictions: sensitivity {right:.3f},\nspecificity {1.0 - wrong:.3f}"
    style: dict[str, Any] = {"markersize": 8, "markeredgecolor": "white", "clip_on": False, "zorder": 4}
    axes.plot([wrong], [right], marker="o", linestyle="none", color=COLORS[1], label=label, **style)


def _finish(axes: Axes) -> None:
    """Add the diagonal, the labels and the legend."""
    handles, _ = axes.get_legend_handles_labels()
    axes.plot([0, 1], [0, 1], color="0.6", linestyle=(0, (4, 3)), linewidth=1.0, zorder=0)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal", xlabel="1 - specificity", ylabel="sensitivity")
    hide_frame(axes)
    if len(handles) > MOST_INSIDE:
        legend_beside(axes, handles, fontsize=FONT)
    else:
        axes.legend(handles=handles, loc="lower right", fontsize=FONT, edgecolor="none", framealpha=0.7)
