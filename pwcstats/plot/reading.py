"""What figures ask of a fitted classifier and of its rows, and the words where they get something else."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from pwcstats._arrays import Array, as_float
from pwcstats._text import listed, shown
from pwcstats.errors import InputError


def core(clf: Any) -> Any:
    """The classifier itself, out of pipelines and searches."""
    if hasattr(clf, "best_estimator_"):
        return core(clf.best_estimator_)
    return core(clf.steps[-1][1]) if hasattr(clf, "steps") else clf


def method(clf: Any, name: str) -> Callable[[Any], Any] | None:
    """A method by its name, also of the last step of a pipeline and of the best of a search; None without one."""
    if hasattr(clf, name):
        return getattr(clf, name)
    if hasattr(clf, "best_estimator_"):
        return method(clf.best_estimator_, name)
    if not hasattr(clf, "steps"):
        return None
    inner = method(clf.steps[-1][1], name)
    if inner is None or len(clf.steps) == 1:
        return inner
    return lambda X: inner(clf[:-1].transform(X))


def rows_within(clf: Any, X: Any) -> Any:
    """Rows as the classifier itself gets them: after the earlier steps of pipelines."""
    if hasattr(clf, "best_estimator_"):
        return rows_within(clf.best_estimator_, X)
    if not hasattr(clf, "steps"):
        return X
    return rows_within(clf.steps[-1][1], X if len(clf.steps) == 1 else clf[:-1].transform(X))


def steps_before(clf: Any) -> list[Any]:
    """What changes the rows before the classifier itself gets them."""
    if hasattr(clf, "best_estimator_"):
        return steps_before(clf.best_estimator_)
    if not hasattr(clf, "steps"):
        return []
    own = [step for _, step in clf.steps[:-1] if step is not None and step != "passthrough"]
    return [*own, *steps_before(clf.steps[-1][1])]


def refuse_unfitted(clf: Any, figure: str) -> None:
    """Refuse what is no classifier, or none that is fitted."""
    kind = f"the class {clf.__name__}" if isinstance(clf, type) else type(clf).__name__
    try:
        check_is_fitted(clf)
    except NotFittedError:
        raise InputError(
            f"{figure} needs a fitted classifier, got {kind}, not fitted; call its fit(X, y) first."
        ) from None
    except TypeError:
        raise InputError(
            f"{figure} needs a fitted classifier, got {kind}; give one, as fit(X, y) returns it."
        ) from None
    if not hasattr(clf, "classes_"):
        raise InputError(f"{figure} needs a classifier, but {kind} has no classes_; give one that predicts classes.")


def read_labels(clf: Any, y: Any, n: int, name: str = "y") -> NDArray[np.int64]:
    """Places in `classes_` of the labels of `n` rows."""
    labels = np.asarray(y)
    if labels.shape != (n,):
        came = " x ".join(map(str, labels.shape)) if labels.ndim else "a single value"
        raise InputError(f"{name} must be one label for each of the {n} rows of X, got {came}; pass the rows' classes.")
    code = pd.Index(clf.classes_).get_indexer(pd.Index(labels))
    if (code < 0).any():
        unknown = pd.unique(pd.Series(labels[code < 0]))
        raise InputError(
            f"{name} has {listed(map(shown, unknown))}, which clf does not know: its classes are "
            f"{listed(map(shown, clf.classes_))}; pass rows of these, or fit clf to all of the classes."
        )
    return np.asarray(code, dtype=np.int64)


def read_plane(clf: Any, X: Any, figure: str, name: str = "X") -> tuple[Array, list[str]]:
    """Rows of two columns, and the columns' names."""
    shape = np.shape(X)
    if len(shape) != 2 or shape[1] != 2:
        came = f"{shape[1]} columns" if len(shape) == 2 else f"{len(shape)} dimensions"
        raise InputError(
            f"{figure} draws a plane: {name} must have 2 columns, got {came}; choose two, and fit clf to these."
        )
    n_fitted = getattr(clf, "n_features_in_", 2)
    if n_fitted != 2:
        raise InputError(
            f"{figure} draws a plane, but clf was fitted to {n_fitted} columns, and {name} has 2; fit it to these two."
        )
    rows = as_float(X, name)
    if not len(rows) or not np.isfinite(rows).all():
        came = "no rows" if not len(rows) else "NaN or infinite values"
        raise InputError(f"{name} must have rows of finite numbers to be drawn, got {came}; drop or fill them.")
    if hasattr(X, "columns"):
        return rows, [str(column) for column in X.columns]
    names = getattr(clf, "feature_names_in_", ("x1", "x2"))
    return rows, [str(column) for column in names]


def as_fitted(clf: Any, rows: Array, X: Any = None) -> Any:
    """Rows as `clf` was fitted: with names where it knows names, those of the frame `X` if it is one."""
    names = getattr(clf, "feature_names_in_", None)
    if names is None:
        return rows
    return pd.DataFrame(rows, columns=X.columns if hasattr(X, "columns") else names)


def read_two(value: Any, name: str) -> tuple[Any, Any]:
    """Rows and their classes, given together."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise InputError(f"{name} must be a tuple (X, y), got {type(value).__name__}; put both into brackets.")
    return value[0], value[1]


def read_runs(clf: Any, X: Any, y: Any, figure: str) -> list[tuple[Any, Any, Any]]:
    """Fitted classifiers of the same two classes, each with its rows and their labels."""
    several = isinstance(clf, (list, tuple))
    clfs = list(clf) if several else [clf]
    if not clfs:
        raise InputError(f"{figure} needs a fitted classifier or a list of them, got an empty list.")
    for one in clfs:
        refuse_unfitted(one, figure)
        if len(one.classes_) != 2:
            raise InputError(
                f"{figure} is of two classes, but clf has {len(one.classes_)}: {listed(map(shown, one.classes_))}; fit "
                "it to one of them against the rest."
            )
        if not np.array_equal(one.classes_, clfs[0].classes_):
            raise InputError(
                f"{figure} needs classifiers of the same classes, got {listed(map(shown, clfs[0].classes_))} and "
                f"{listed(map(shown, one.classes_))}; fit them to the same labels."
            )
    return list(zip(clfs, _for_each(X, len(clfs), 2, "X"), _for_each(y, len(clfs), 1, "y"), strict=True))


def _for_each(value: Any, n: int, n_dims: int, name: str) -> list[Any]:
    """What each of `n` classifiers gets: its own of a list, or all of them the same."""
    if not isinstance(value, (list, tuple)) or not value or np.ndim(value[0]) < n_dims:
        return [value] * n
    if len(value) != n:
        raise InputError(
            f"{name} is a list for {len(value)} classifiers, got {n} of them; give one {name} for each classifier, or "
            "the same for all."
        )
    return list(value)


def read_pos_label(clfs: list[Any], pos_label: Any) -> int:
    """Place in `classes_` of the positive class: as asked, as the classifiers have it, or the second."""
    classes = clfs[0].classes_
    if pos_label is None:
        own = pd.unique(pd.Series([core(clf).pos_label_ for clf in clfs if hasattr(core(clf), "pos_label_")]))
        if len(own) > 1:
            raise InputError(
                f"the classifiers differ in their positive class: {listed(map(shown, own))}; say which is meant by "
                "pos_label."
            )
        pos_label = own[0] if len(own) else classes[1]
    place = int(pd.Index(classes).get_indexer(pd.Index([pos_label]))[0])
    if place < 0:
        raise InputError(f"pos_label must be one of the classes {listed(map(shown, classes))}, got {shown(pos_label)}.")
    return place


def read_scores(clf: Any, X: Any, place: int, figure: str) -> Array:
    """What a classifier of two classes says in favour of one: its probability, or the decision value."""
    proba, decision = method(clf, "predict_proba"), method(clf, "decision_function")
    if proba is not None:
        return np.asarray(proba(X), dtype=np.float64)[:, place]
    if decision is None:
        raise InputError(
            f"{figure} needs scores, but {type(core(clf)).__name__} has neither predict_proba nor decision_function; "
            "give a classifier that has one of them."
        )
    values = np.asarray(decision(X), dtype=np.float64)
    return values if place == 1 else -values


def read_truth(clf: Any, y: Any, n: int, place: int, figure: str) -> NDArray[np.bool_]:
    """Which of `n` rows are of the positive class; both classes must be there."""
    truth = read_labels(clf, y, n) == place
    if truth.all() or not truth.any():
        only = clf.classes_[place if n and truth.all() else 1 - place]
        raise InputError(f"{figure} needs rows of both classes, got only {shown(only)} in y; pass rows of both.")
    return truth


def read_names(names: Any, n: int) -> list[str] | None:
    """A name for each of `n` classifiers."""
    if names is None:
        return None
    given = [names] if isinstance(names, str) else list(names)
    if len(given) != n:
        raise InputError(f"names must be one for each classifier, got {len(given)} of them and {n} in clf.")
    return [str(name) for name in given]


def read_clustered(clf: Any, X: Any, figure: str) -> Any:
    """The rows of the fit as the classifier itself got them, in two columns or more; a sparse matrix stays one."""
    inner = core(clf)
    if not hasattr(inner, "clusters_") or not hasattr(inner, "machines_"):
        raise InputError(
            f"{figure} shows the groups of a HybridClassifier, got {type(inner).__name__}; give one, as fit(X, y) "
            "returns it."
        )
    shape, n = np.shape(X), len(inner.clusters_)
    if len(shape) != 2 or shape[0] != n:
        came = f"{shape[0]} rows" if len(shape) == 2 else f"{len(shape)} dimensions"
        raise InputError(
            f"{figure} shows the rows of the fit: X must be the {n} rows that clf was fitted to, got {came}; pass the "
            "X of fit."
        )
    if hasattr(clf, "n_features_in_") and shape[1] != clf.n_features_in_:
        raise InputError(
            f"{figure} shows the rows of the fit: X must have the {clf.n_features_in_} columns that clf was fitted to, "
            f"got {shape[1]}; pass the X of fit."
        )
    rows = rows_within(clf, X)
    if not sparse.issparse(rows):
        rows = as_float(rows, "X")
    if rows.shape[1] < 2:
        raise InputError(f"{figure} draws a plane: X must have 2 columns or more, got 1.")
    if not np.isfinite(rows.data if sparse.issparse(rows) else rows).all():
        raise InputError(
            "X must have rows of finite numbers to be drawn, got NaN or infinite values; pass the X of fit."
        )
    return rows


def read_distances(clf: Any, X: Any, figure: str) -> pd.DataFrame:
    """Distances of some rows from the machines of a classifier, a column each."""
    distances = method(clf, "distances")
    if distances is None:
        raise InputError(
            f"{figure} shows the machines of a HybridClassifier or OrdinalHybridClassifier, got "
            f"{type(core(clf)).__name__}, which has no distances; give one of them."
        )
    frame: pd.DataFrame = distances(X)
    return frame


def read_axes(ax: Any, n: int) -> list[Any]:
    """As many axes as there are panels."""
    # An array of axes comes from subplots, in rows and columns.
    given = list(np.ravel(np.asarray(ax, dtype=object))) if isinstance(ax, (list, tuple, np.ndarray)) else [ax]
    wrong = next((one for one in given if not hasattr(one, "transData")), None)
    if wrong is not None:
        raise InputError(f"ax must be matplotlib's Axes, got {type(wrong).__name__}.")
    if len(given) != n:
        raise InputError(f"ax must have one of matplotlib's Axes for each of the {n} panels, got {len(given)}.")
    return given
