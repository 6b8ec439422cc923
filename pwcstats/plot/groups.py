"""The clusters into which a hybrid classifier splits the negatives."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy import sparse
from sklearn.decomposition import PCA

from pwcstats._arrays import Array, as_float
from pwcstats._text import counted
from pwcstats.errors import InputError, arg, code
from pwcstats.plot.reading import check_fitted, final_estimator, read_panel
from pwcstats.plot.style import (
    FONT,
    MARKERS,
    area_colors,
    figure_of,
    fitting_columns,
    ink,
    legend_of_figure,
    literal,
    marker_size,
)

# Inches of a figure.
WIDTH, HEIGHT = 5.2, 4.6
# Centres of clusters with longer names show a number, because the names would overlap.
LONGEST = 3


def clusters(clf: Any, X: Any, *, ax: Axes | None = None) -> Axes:
    """Clusters of the negatives, with the borders of the local machines.

    Like Figure 5 of Chang [1]_. The positives are small hollow points. The negatives have the colour of their cluster,
    and the name of the cluster (or a number, if names are long) is at its centre. With more than two classes, the
    clusters are the classes, and the points of the baseline are hollow. With ``split="folds"``, the colours are the
    parts, and centres are not marked.

    Parameters
    ----------
    clf : HybridClassifier
        A fitted classifier, or a pipeline or a search that ends in one. The rows are drawn as the earlier steps of a
        pipeline transform them.
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        The rows of the fit. If they have more than two columns, the first two principal components are drawn. If they
        have two, the border of each linear machine is a line in the colour of its cluster, unless it is far from all
        rows.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    References
    ----------
    .. [1] Chang, Y.-C. I. (2003). Boosting SVM classifiers with logistic regression. Technical report, Institute of
       Statistical Science, Academia Sinica, Taipei.

    Examples
    --------
    >>> from pwcstats import HybridClassifier, datasets, plot
    >>> sample = datasets.chang_clover(3, random_state=0)
    >>> X, y = sample.data[sample.train], sample.target[sample.train] == 0
    >>> clf = HybridClassifier(random_state=0).fit(X, y)
    >>> ax = plot.clusters(clf, X)
    >>> ax.figure.savefig("clusters.png")  # doctest: +SKIP
    """
    check_fitted(clf, "clusters")
    rows = _read_rows(clf, X)
    inner = final_estimator(clf)
    groups, names = np.asarray(inner.clusters_), [str(name) for name in inner.machines_]
    colors = area_colors(len(names))
    points, labels = _plane(rows, _column_names(clf, X, rows.shape[1]))
    axes = read_panel(ax, WIDTH, HEIGHT)
    marks = names if max(map(len, names)) <= LONGEST else [str(number + 1) for number in range(len(names))]
    handles = _draw_groups(axes, points, groups, _legend_names(inner, names, marks), colors)
    edges = _edges(points)
    axes.set(xlabel=literal(labels[0]), ylabel=literal(labels[1]), xlim=edges[0], ylim=edges[1])
    if rows.shape[1] == 2:
        _draw_borders(axes, inner.machines_.values(), edges, colors)
    # Random parts of the rows all have about the same centre.
    if _has_positives(groups):
        _mark_centres(axes, points, groups, marks, colors)
    # Below the panel, names of any length leave it its width.
    ncols = fitting_columns(handles, WIDTH)
    if ax is None:
        figure_of(axes).set_figheight(HEIGHT + 0.22 * -(-len(handles) // ncols))
    legend_of_figure([axes], handles, "outside lower left", ax is None, ncols=ncols, fontsize=FONT, markerscale=1.6)
    return axes


def _read_rows(clf: Any, X: Any) -> Any:
    """The rows of the fit as the classifier itself got them, with two or more columns; they may be sparse."""
    inner = final_estimator(clf)
    if not hasattr(inner, "clusters_") or not hasattr(inner, "machines_"):
        raise InputError(
            f"{code('clusters')} shows the groups of a {code('HybridClassifier')}, got {type(inner).__name__}; pass "
            f"one that {code('fit(X, y)')} returned."
        )
    shape, n = np.shape(X), len(inner.clusters_)
    if len(shape) != 2 or shape[0] != n:
        got = f"{shape[0]} rows" if len(shape) == 2 else f"{len(shape)} dimensions"
        raise InputError(
            f"{code('clusters')} shows the rows of the fit: {arg('X')} must be the {n} rows that {arg('clf')} was "
            f"fitted to, got {got}; pass the {arg('X')} of the fit."
        )
    if hasattr(clf, "n_features_in_") and shape[1] != clf.n_features_in_:
        raise InputError(
            f"{code('clusters')} shows the rows of the fit: {arg('X')} must have the {clf.n_features_in_} columns that "
            f"{arg('clf')} was fitted to, got {shape[1]}; pass the {arg('X')} of the fit."
        )
    rows = _transform(clf, X)
    if not sparse.issparse(rows):
        rows = as_float(rows, "X")
    if rows.shape[1] < 2:
        raise InputError(f"{code('clusters')} draws a plane: {arg('X')} must have at least 2 columns, got 1.")
    if not np.isfinite(rows.data if sparse.issparse(rows) else rows).all():
        raise InputError(
            f"{arg('X')} must have finite values, got NaN or infinite values; pass the {arg('X')} of the fit."
        )
    return rows


def _transform(clf: Any, X: Any) -> Any:
    """Rows as the classifier itself gets them: after the earlier steps of pipelines."""
    if hasattr(clf, "best_estimator_"):
        return _transform(clf.best_estimator_, X)
    if not hasattr(clf, "steps"):
        return X
    return _transform(clf.steps[-1][1], X if len(clf.steps) == 1 else clf[:-1].transform(X))


def _transformers(clf: Any) -> list[Any]:
    """The steps that transform the rows before the classifier itself gets them."""
    if hasattr(clf, "best_estimator_"):
        return _transformers(clf.best_estimator_)
    if not hasattr(clf, "steps"):
        return []
    own = [step for _, step in clf.steps[:-1] if step is not None and step != "passthrough"]
    return [*own, *_transformers(clf.steps[-1][1])]


def _has_positives(groups: NDArray[np.int64]) -> bool:
    """Whether there is a group of positives; with ``split="folds"`` there is none."""
    return bool((groups == 0).any())


def _legend_names(inner: Any, names: list[str], marks: list[str]) -> list[str]:
    """Names of the groups 0, 1, ... in the legend, with the number at the centre if that is not the name."""
    numbered = names if marks == names else [f"{mark}: {name}" for mark, name in zip(marks, names, strict=True)]
    if len(inner.classes_) > 2:
        return [f"{inner.pos_label_}, baseline", *numbered]
    if not _has_positives(inner.clusters_):
        return ["", *(f"part {name}" for name in names)]
    negative = next(label for label in inner.classes_ if label != inner.pos_label_)
    return [f"{inner.pos_label_}", *(f"{negative}, cluster {name}" for name in numbered)]


def _column_names(clf: Any, X: Any, n: int) -> list[str]:
    """Names of the columns that the classifier itself gets, and the steps that made them."""
    steps = _transformers(clf)
    names = list(X.columns) if hasattr(X, "columns") else getattr(clf, "feature_names_in_", None)
    for step in steps:
        known = names is not None and hasattr(step, "get_feature_names_out")
        names = step.get_feature_names_out(names) if known else None
    if names is None:
        names = [f"x{i + 1}" for i in range(n)]
    made = f", after {', '.join(type(step).__name__ for step in steps)}" if steps else ""
    return [f"{name}{made}" for name in names]


def _plane(rows: Any, names: list[str]) -> tuple[Array, list[str]]:
    """Coordinates of the points, and labels of the two axes."""
    if rows.shape[1] == 2:
        return rows.toarray() if sparse.issparse(rows) else rows, names
    pca = PCA(2, random_state=0)
    points = pca.fit_transform(rows)
    shares = pca.explained_variance_ratio_
    return points, [f"principal component {i + 1} ({shares[i]:.0%} of the variance)" for i in range(2)]


def _edges(points: Array) -> Array:
    """Limits of the two axes, with a margin around the points."""
    span = np.ptp(points, axis=0)
    margin = np.where(span > 0.0, 0.05 * span, 1.0)
    return np.stack([points.min(axis=0) - margin, points.max(axis=0) + margin], axis=1)


def _draw_groups(axes: Axes, points: Array, groups: NDArray[np.int64], names: list[str], colors: Array) -> list[Any]:
    """Draw the points of each group; return the handles of the legend."""
    size = marker_size(len(points))
    handles = []
    for group in np.unique(groups):
        style: dict[str, Any] = {"marker": "o", "markerfacecolor": "none", "markeredgecolor": "0.5"}
        if group:
            style = {"marker": MARKERS[(group - 1) % len(MARKERS)], "color": colors[group - 1], "markeredgewidth": 0.0}
        members = groups == group
        label = f"{literal(names[group])} ({counted(int(members.sum()), 'row')})"
        handles += axes.plot(
            *points[members].T, linestyle="none", label=label, markersize=size if group else 0.8 * size, **style
        )
    return handles


def _mark_centres(axes: Axes, points: Array, groups: NDArray[np.int64], marks: list[str], colors: Array) -> None:
    """Mark the centre of each cluster."""
    style: dict[str, Any] = {"fontsize": FONT, "fontweight": "bold", "ha": "center", "va": "center", "zorder": 5}
    for number, (mark, color) in enumerate(zip(marks, colors, strict=True), start=1):
        x, y = points[groups == number].mean(axis=0)
        box = {"boxstyle": "circle,pad=0.2", "facecolor": color, "edgecolor": "white"}
        axes.text(x, y, literal(mark), color=ink(color), bbox=box, **style)


def _draw_borders(axes: Axes, machines: Any, edges: Array, colors: Array) -> None:
    """Draw the lines where the distances from linear machines are 0."""
    for machine, color in zip(machines, colors, strict=True):
        line = _line(machine)
        segment = None if line is None else _segment(*line, edges)
        if segment is not None:
            # A white line below sets it apart from points of the same colour.
            axes.plot(*segment.T, color="white", linewidth=3.4, zorder=3)
            axes.plot(*segment.T, color=color, linewidth=1.8, zorder=3.1)


def _line(machine: Any) -> tuple[Array, float] | None:
    """Coefficients and intercept of a linear machine on the original columns; None if they are not known."""
    scaler, last = None, machine
    if len(getattr(machine, "steps", ())) == 2:
        # Other first steps may transform the columns so that the border is not a line.
        (_, scaler), (_, last) = machine.steps
        if not (hasattr(scaler, "center_") or hasattr(scaler, "mean_")) or not hasattr(scaler, "scale_"):
            return None
    if not hasattr(last, "coef_"):
        return None
    coef = np.ravel(last.coef_.toarray() if sparse.issparse(last.coef_) else last.coef_)
    intercept = float(np.ravel(last.intercept_)[0])
    if scaler is None:
        return coef, intercept
    center = getattr(scaler, "center_", getattr(scaler, "mean_", None))
    # Scalers of scikit-learn have None for a step that they do not do.
    coef = coef if scaler.scale_ is None else coef / scaler.scale_
    return coef, intercept if center is None else intercept - float(coef @ center)


def _segment(weights: Array, intercept: float, edges: Array) -> Array | None:
    """The part of the line w'x + b = 0 within the edges; None if there is none."""
    square = float(weights @ weights)
    if square == 0.0:
        return None
    foot, along = -intercept * weights / square, np.array([-weights[1], weights[0]])
    start, stop = -np.inf, np.inf
    for at, step, (low, high) in zip(foot, along, edges, strict=True):
        if step == 0.0:
            if not low <= at <= high:
                return None
            continue
        first, last = sorted(((low - at) / step, (high - at) / step))
        start, stop = max(start, first), min(stop, last)
    return foot + np.array([[start], [stop]]) * along if start < stop else None
