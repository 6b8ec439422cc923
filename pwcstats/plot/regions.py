"""Decision regions of classifiers in the plane."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from pwcstats import _params
from pwcstats._arrays import Array, as_float
from pwcstats._text import counted
from pwcstats.errors import InputError, arg, code
from pwcstats.plot.reading import (
    final_estimator,
    find_method,
    read_axes,
    read_classifiers,
    read_labels,
    read_names,
    read_sample,
)
from pwcstats.plot.style import (
    FONT,
    HANDLE,
    MARKERS,
    NOBODY,
    Panels,
    add_panels,
    area_colors,
    inches,
    legend_of_figure,
    literal,
    marker_size,
    new_figure,
    one_or_array,
    tinted,
)

# From rows, a rule computes which classes win each row (several in a tie), and the strength of the colour there.
Rule = Callable[[Any], tuple[NDArray[np.bool_], Array]]
# Strength of the colour without probabilities.
FLAT = 0.42


def decision_regions(
    clf: Any,
    X: Any,
    y: Any,
    *,
    test: tuple[Any, Any] | None = None,
    names: Any = None,
    resolution: int = 300,
    ax: Any = None,
) -> Panels:
    """Regions in which the classes are predicted: by max-wins, by coupled probabilities, and by other classifiers.

    Like Figures 1 and 2 of Hastie & Tibshirani [1]_. A :class:`~pwcstats.PairwiseClassifier` has two panels. With
    max-wins, areas where several classes win the same number of pairs are grey and hatched. With coupled
    probabilities, each point is assigned to its most probable class; a stronger colour means a higher probability.

    Parameters
    ----------
    clf : classifier or list of classifiers
        Fitted to two columns: a :class:`~pwcstats.PairwiseClassifier`, or a pipeline or a search that ends in one. Any
        other scikit-learn classifier has one panel with its predictions. The classifiers of a list are drawn side by
        side; they must have the same classes.
    X : array-like or DataFrame of shape (n_samples, 2)
        Points to draw, usually the training rows. The names of the columns become the labels of the axes.
    y : array-like of shape (n_samples,)
        Their classes.
    test : tuple (X, y), optional
        Test rows, which are not drawn, for the test errors above the panels; by default the
        errors are those of the rows of `X`, which are training errors if `clf` was fitted to these rows. If m
        classes tie in max-wins and one of them is right, the error is 1 - 1/m, as if one of them was drawn at random.
    names : sequence of str, optional
        Names of the classifiers, for the titles of the panels.
    resolution : int
        The regions are computed on a grid of `resolution` x `resolution` points.
    ax : matplotlib.axes.Axes or sequence of them, optional
        Axes to draw in, one for each panel; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes or array of them

    References
    ----------
    .. [1] Hastie, T. and Tibshirani, R. (1998). Classification by pairwise coupling. Annals of Statistics 26,
       451-471. https://doi.org/10.1214/aos/1028144844

    Examples
    --------
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> from pwcstats import PairwiseClassifier, datasets, plot
    >>> data = datasets.hastie_tibshirani_mixtures(figure=1, random_state=0)
    >>> X, y = data.data[data.train], data.target[data.train]
    >>> clf = PairwiseClassifier(LinearDiscriminantAnalysis(), coupling="ht").fit(X, y)
    >>> axes = plot.decision_regions(clf, X, y, test=(data.data[~data.train], data.target[~data.train]))
    >>> axes[0].figure.savefig("regions.png")  # doctest: +SKIP
    """
    resolution = _params.count(resolution, "resolution", 2)
    clfs = read_classifiers(clf, "decision_regions")
    titles = [literal(name) for name in read_names(names, len(clfs)) or []] or [""] * len(clfs)
    # All classifiers are checked; the labels of the axes and the classes are those of the first.
    (points, labels), *_ = [_read_plane(one, X) for one in clfs]
    codes = read_labels(clfs[0].classes_, y, len(points))
    rows, frame, truth, where = points, X, codes, f"error on these {counted(len(points), 'row')}: "
    if test is not None:
        frame, y_test = read_sample(test, arg("test"))
        rows, _ = _read_plane(clfs[0], frame, "test")
        truth = read_labels(clfs[0].classes_, y_test, len(rows), f"the y of {arg('test')}")
        where = f"test error ({counted(len(rows), 'row')}): "
    span = np.ptp(points, axis=0)
    margin = np.where(span > 0.0, 0.06 * span, 1.0)
    edges = np.stack([points.min(axis=0) - margin, points.max(axis=0) + margin], axis=1)
    grid = np.stack(np.meshgrid(*[np.linspace(start, stop, resolution) for start, stop in edges]), axis=-1)
    rules = [(one, *rule) for one, name in zip(clfs, titles, strict=True) for rule in _rules(one, name).items()]
    classes = clfs[0].classes_
    # The legend is below the panels.
    longest = max(inches(literal(label)) for label in [*classes, "no decision"])
    columns = max(1, int(_width(len(rules)) / (longest + HANDLE)))
    height = 0.25 * -(-(len(classes) + 1) // columns)
    panels = _new_panels(len(rules), labels, height) if ax is None else read_axes(ax, len(rules))
    undecided = False
    for panel, (one, title, rule) in zip(panels, rules, strict=True):
        winners, _ = rule(_as_fitted(one, rows, frame))
        error = 1.0 - np.mean(winners[np.arange(len(truth)), truth] / winners.sum(axis=1))
        winners, strength = rule(_as_fitted(one, grid.reshape(-1, 2), X))
        undecided |= _draw_regions(panel, grid, winners, strength)
        _draw_points(panel, points, codes, len(classes))
        panel.set_title(f"{title}\n{where}{error:.3f}", fontsize=FONT + 1)
        panel.set(xlim=edges[0], ylim=edges[1])
        if ax is not None:
            panel.set(xlabel=literal(labels[0]), ylabel=literal(labels[1]))
    legend_of_figure(panels, _handles(classes, undecided), "outside lower center", ax is None, ncols=columns)
    return one_or_array(panels)


def _read_plane(clf: Any, X: Any, param: str = "X") -> tuple[Array, list[str]]:
    """Rows with two columns, and the names of the columns; `param` is X, or test for the X of it."""
    name = arg(param) if param == "X" else f"the X of {arg(param)}"
    shape = np.shape(X)
    if len(shape) != 2 or shape[1] != 2:
        got = f"{shape[1]} columns" if len(shape) == 2 else f"{len(shape)} dimensions"
        raise InputError(
            f"{code('decision_regions')} draws a plane: {name} must have 2 columns, got {got}; choose two, and fit "
            f"{arg('clf')} to these."
        )
    n_fitted = getattr(clf, "n_features_in_", 2)
    if n_fitted != 2:
        raise InputError(
            f"{code('decision_regions')} draws a plane, but {arg('clf')} was fitted to {n_fitted} columns, and {name} "
            "has 2; fit it to these two."
        )
    rows = as_float(X, param)
    if not len(rows) or not np.isfinite(rows).all():
        got = "no rows" if not len(rows) else "NaN or infinite values"
        raise InputError(f"{name} must have rows of finite values, got {got}; drop or fill them.")
    columns = X.columns if hasattr(X, "columns") else getattr(clf, "feature_names_in_", ("x1", "x2"))
    return rows, [str(column) for column in columns]


def _as_fitted(clf: Any, rows: Array, X: Any) -> Any:
    """Rows as `clf` was fitted: if it knows names of columns, a frame with the names of `X`, or else with its own."""
    names = getattr(clf, "feature_names_in_", None)
    if names is None:
        return rows
    return pd.DataFrame(rows, columns=X.columns if hasattr(X, "columns") else names)


def _width(n: int) -> float:
    """Width of a figure of `n` panels in inches."""
    return 4.6 if n == 1 else 6.2


def _new_panels(n: int, labels: list[str], legend: float) -> list[Axes]:
    """Up to two panels side by side; with room for a legend of this height."""
    across = min(n, 2)
    figure = new_figure(_width(n), (_width(n) / across + 0.1) * -(-n // across) + legend)
    panels = add_panels(figure, n, across, sharex=True, sharey=True)
    for panel in panels[max(n - across, 0) :]:
        panel.set_xlabel(literal(labels[0]))
    for panel in panels[::across]:
        panel.set_ylabel(literal(labels[1]))
    return panels


def _rules(clf: Any, name: str) -> dict[str, Rule]:
    """The rules to draw, by their titles."""
    k = len(clf.classes_)
    votes, proba = find_method(clf, "votes"), find_method(clf, "predict_proba")

    def most_votes(rows: Any) -> tuple[NDArray[np.bool_], Array]:
        count = votes(rows)  # type: ignore[misc]
        return count == count.max(axis=1, keepdims=True), np.full(len(count), FLAT)

    def decided(rows: Any) -> tuple[NDArray[np.bool_], Array]:
        p = None if proba is None else np.asarray(proba(rows))
        # Other classifiers need not predict the most probable class.
        index: NDArray[np.signedinteger]
        if p is None or votes is None:
            index = read_labels(clf.classes_, clf.predict(rows), len(rows))
        else:
            index = p.argmax(axis=1)
        winners = index[:, None] == np.arange(k)
        return winners, np.full(len(index), FLAT) if p is None else _shade(p[winners], k)

    inner = final_estimator(clf)
    if votes is None:
        return {name or type(inner).__name__: decided}
    before = f"{name}, " if name else ""
    return {f"{before}max-wins": most_votes, f"{before}coupled by {inner.coupling}": decided}


def _shade(p: Array, k: int) -> Array:
    """Strength of the colour: faint for p = 1/k, but not full for p = 1, so that points stand out."""
    return 0.12 + 0.5 * np.clip((p - 1.0 / k) / (1.0 - 1.0 / k), 0.0, 1.0)


def _draw_regions(panel: Axes, grid: Array, winners: NDArray[np.bool_], strength: Array) -> bool:
    """Colour the grid and draw the borders; return whether there are ties."""
    shape, k = grid.shape[:2], winners.shape[1]
    tie = winners.sum(axis=1) > 1
    color = tinted(area_colors(k)[winners.argmax(axis=1)], strength)
    color[tie] = to_rgb(NOBODY)
    # The points of the grid are the centres of the pixels.
    (x0, y0), (x1, y1) = grid[0, 0], grid[-1, -1]
    dx, dy = (x1 - x0) / (shape[1] - 1) / 2, (y1 - y0) / (shape[0] - 1) / 2
    panel.imshow(
        color.reshape(*shape, 3),
        origin="lower",
        aspect="auto",
        interpolation="nearest",
        extent=(x0 - dx, x1 + dx, y0 - dy, y1 + dy),
    )
    area = np.where(tie, k, winners.argmax(axis=1)).reshape(shape)
    if tie.any():
        hatched = panel.contourf(
            grid[..., 0], grid[..., 1], tie.reshape(shape) * 1.0, [0.5, 1.5], colors="none", hatches=["////"]
        )
        hatched.set(edgecolor="0.55", linewidth=0.0)
    for index in np.unique(area)[1:]:
        panel.contour(grid[..., 0], grid[..., 1], area == index, [0.5], colors="0.25", linewidths=0.8)
    return bool(tie.any())


def _style(index: int, k: int) -> dict[str, Any]:
    """Marker and colour of the points of a class."""
    return {
        "marker": MARKERS[index % len(MARKERS)],
        "markerfacecolor": area_colors(k)[index],
        "markeredgecolor": "0.15",
        "markeredgewidth": 0.4,
        "linestyle": "none",
    }


def _draw_points(panel: Axes, points: Array, codes: NDArray[np.int64], k: int) -> None:
    for index in range(k):
        x, y = points[codes == index].T
        panel.plot(x, y, markersize=marker_size(len(points)), **_style(index, k))


def _handles(classes: Any, undecided: bool) -> list[Any]:
    """Handles of the legend."""
    k = len(classes)
    handles: list[Any] = [
        Line2D([], [], markersize=7, label=literal(label), **_style(index, k)) for index, label in enumerate(classes)
    ]
    if undecided:
        handles.append(Patch(facecolor=NOBODY, edgecolor="0.55", hatch="////", linewidth=0.0, label="no decision"))
    return handles
