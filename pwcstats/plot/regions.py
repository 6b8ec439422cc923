"""Where in the plane a classifier decides for which class."""

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._text import counted, listed, shown
from pwcstats.errors import InputError
from pwcstats.plot.reading import (
    as_fitted,
    core,
    method,
    read_labels,
    read_names,
    read_plane,
    read_two,
    refuse_unfitted,
)
from pwcstats.plot.style import MARKERS, NOBODY, area_colors, literal, tinted

# Which classes win a row, more than one where nothing is decided, and how strongly the row's area is coloured.
Rule = Callable[[Any], tuple[NDArray[np.bool_], Array]]
FLAT = 0.42
LEGEND_ROWS = 18


def decision_regions(
    clf: Any,
    X: Any,
    y: Any,
    *,
    test: tuple[Any, Any] | None = None,
    names: Any = None,
    resolution: int = 300,
) -> Figure:
    """Regions of the classes in the plane: by max-wins, by the coupled probabilities, and by other classifiers.

    Like Figures 1 and 2 of Hastie & Tibshirani [1]_. In max-wins, areas where several classes win equally many pairs
    are grey and hatched. Beside it every point goes to its most probable class, the more colour the more probable.

    Parameters
    ----------
    clf : classifier or list of classifiers
        Fitted to two columns: a :class:`~pwcstats.PairwiseClassifier`, also at the end of a pipeline or within a
        search. Of any other scikit-learn classifier there is one panel, with what it predicts. Those of a list stand
        side by side; they must have the same classes.
    X : array-like or DataFrame of shape (n_samples, 2)
        Points to draw on top, usually the training rows. Names of columns become labels of the axes.
    y : array-like of shape (n_samples,)
        Their classes.
    test : tuple (X, y), optional
        Other rows, not drawn, for the errors above the panels; without it the errors are those on the points drawn.
        Where m classes have equally many votes, one of them right, the error of max-wins is 1 - 1/m, as of a fair
        draw.
    names : sequence of str, optional
        What the classifiers are called above their panels.
    resolution : int
        The regions are computed on a grid of this many points each way.

    Returns
    -------
    matplotlib.figure.Figure

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
    >>> figure = plot.decision_regions(clf, X, y, test=(data.data[~data.train], data.target[~data.train]))
    >>> figure.savefig("regions.png")  # doctest: +SKIP
    """
    clfs = _read_classifiers(clf)
    titles = [literal(name) for name in read_names(names, len(clfs)) or []] or [""] * len(clfs)
    _params.count(resolution, "resolution", 2)
    # Each must be one of this plane; names and classes are those of the first.
    (points, labels), *_ = [read_plane(one, X, "decision_regions") for one in clfs]
    code = read_labels(clfs[0], y, len(points))
    rows, frame, truth, words = points, X, code, f"the {counted(len(points), 'row')} shown"
    if test is not None:
        frame, y_test = read_two(test, "test")
        rows, _ = read_plane(clfs[0], frame, "decision_regions", "the X of test")
        truth, words = read_labels(clfs[0], y_test, len(rows), "the y of test"), counted(len(rows), "test row")
    span = np.ptp(points, axis=0)
    margin = np.where(span > 0.0, 0.06 * span, 1.0)
    edges = np.stack([points.min(axis=0) - margin, points.max(axis=0) + margin], axis=1)
    grid = np.stack(np.meshgrid(*[np.linspace(start, stop, resolution) for start, stop in edges]), axis=-1)
    rules = [(one, *rule) for one, name in zip(clfs, titles, strict=True) for rule in _rules(one, name).items()]
    classes = clfs[0].classes_
    columns = 1 + len(classes) // LEGEND_ROWS
    figure, panels = _new_panels(len(rules), labels, 1.3 * columns)
    undecided = False
    for panel, (one, title, rule) in zip(panels, rules, strict=True):
        winners, _ = rule(as_fitted(one, rows, frame))
        error = 1.0 - np.mean(winners[np.arange(len(truth)), truth] / winners.sum(axis=1))
        winners, strength = rule(as_fitted(one, grid.reshape(-1, 2), X))
        undecided |= _draw_regions(panel, grid, winners, strength)
        _draw_points(panel, points, code, len(classes))
        panel.set_title(f"{title}\nerror {error:.3f} on {words}", fontsize=11)
        panel.set(xlim=edges[0], ylim=edges[1])
    _draw_legend(figure, classes, undecided, columns)
    return figure


def _read_classifiers(clf: Any) -> list[Any]:
    """Fitted classifiers of the same classes."""
    clfs = list(clf) if isinstance(clf, (list, tuple)) else [clf]
    if not clfs:
        raise InputError("decision_regions needs a fitted classifier or a list of them, got an empty list.")
    for one in clfs:
        refuse_unfitted(one, "decision_regions")
        if not np.array_equal(one.classes_, clfs[0].classes_):
            raise InputError(
                f"decision_regions needs classifiers of the same classes, got {listed(map(shown, clfs[0].classes_))} "
                f"and {listed(map(shown, one.classes_))}; fit them to the same labels."
            )
    return clfs


def _new_panels(n: int, labels: list[str], legend: float) -> tuple[Figure, list[Axes]]:
    """Panels side by side, four in a square and more in rows of three, with room for a legend."""
    across = n if n <= 3 else 2 if n == 4 else 3
    down = -(-n // across)
    figure = Figure(figsize=(4.9 * across + legend, 4.9 * down), layout="constrained")
    panels = list(figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).flat)
    for panel in panels[n:]:
        panel.remove()
    # The lowest panel of each column has the axis.
    for panel in panels[max(n - across, 0) : n]:
        panel.set_xlabel(literal(labels[0]))
        panel.tick_params(labelbottom=True)
    for panel in panels[:n:across]:
        panel.set_ylabel(literal(labels[1]))
    return figure, panels[:n]


def _rules(clf: Any, name: str) -> dict[str, Rule]:
    """The rules to draw, by their titles."""
    k = len(clf.classes_)
    votes, proba = method(clf, "votes"), method(clf, "predict_proba")

    def most_votes(rows: Any) -> tuple[NDArray[np.bool_], Array]:
        count = votes(rows)  # type: ignore[misc]
        return count == count.max(axis=1, keepdims=True), np.full(len(count), FLAT)

    def decided(rows: Any) -> tuple[NDArray[np.bool_], Array]:
        p = None if proba is None else np.asarray(proba(rows))
        # Other classifiers may have rules of their own, which need not be the greatest probability.
        place = read_labels(clf, clf.predict(rows), len(rows)) if p is None or votes is None else p.argmax(axis=1)
        winners = place[:, None] == np.arange(k)
        return winners, np.full(len(place), FLAT) if p is None else _shade(p[winners], k)

    inner = core(clf)
    if votes is None:
        return {name or type(inner).__name__: decided}
    before = f"{name}, " if name else ""
    return {f"{before}max-wins": most_votes, f"{before}coupled by {inner.coupling}": decided}


def _shade(p: Array, k: int) -> Array:
    """Strength of the colour: from a trace for 1/k to not quite all of it for 1, so that points are seen."""
    return 0.12 + 0.5 * np.clip((p - 1.0 / k) / (1.0 - 1.0 / k), 0.0, 1.0)


def _draw_regions(panel: Axes, grid: Array, winners: NDArray[np.bool_], strength: Array) -> bool:
    """Colour the grid and draw borders; says whether there are places without a decision."""
    shape, k = grid.shape[:2], winners.shape[1]
    tie = winners.sum(axis=1) > 1
    color = tinted(area_colors(k)[winners.argmax(axis=1)], strength)
    color[tie] = to_rgb(NOBODY)
    # The image's pixels have the grid's points in their middle.
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
    for place in np.unique(area)[1:]:
        panel.contour(grid[..., 0], grid[..., 1], area == place, [0.5], colors="0.25", linewidths=0.8)
    return bool(tie.any())


def _style(place: int, k: int) -> dict[str, Any]:
    """Marker and colour of a class's points."""
    return {
        "marker": MARKERS[place % len(MARKERS)],
        "markerfacecolor": area_colors(k)[place],
        "markeredgecolor": "0.15",
        "markeredgewidth": 0.4,
        "linestyle": "none",
    }


def _draw_points(panel: Axes, points: Array, code: NDArray[np.int64], k: int) -> None:
    size = 5.5 if len(points) <= 200 else 4.2 if len(points) <= 1000 else 3.0
    for place in range(k):
        x, y = points[code == place].T
        panel.plot(x, y, markersize=size, **_style(place, k))


def _draw_legend(figure: Figure, classes: Any, undecided: bool, columns: int) -> None:
    k = len(classes)
    handles: list[Any] = [
        Line2D([], [], markersize=7, label=literal(classes[place]), **_style(place, k)) for place in range(k)
    ]
    if undecided:
        handles.append(Patch(facecolor=NOBODY, edgecolor="0.55", hatch="////", linewidth=0.0, label="no decision"))
    figure.legend(handles=handles, loc="outside right upper", frameon=False, ncols=columns)
