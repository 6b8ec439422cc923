"""Read what several figures take: fitted classifiers, labels, names, tables and axes."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from pwcstats._text import listed, shown
from pwcstats.errors import InputError, arg, code
from pwcstats.plot.style import new_axes


def final_estimator(clf: Any) -> Any:
    """The classifier itself: the last step of a pipeline, the best estimator of a search."""
    if hasattr(clf, "best_estimator_"):
        return final_estimator(clf.best_estimator_)
    return final_estimator(clf.steps[-1][1]) if hasattr(clf, "steps") else clf


def find_method(clf: Any, name: str) -> Callable[[Any], Any] | None:
    """A method of the classifier, also of the last step of a pipeline or the best of a search; None if it has none."""
    if hasattr(clf, name):
        return getattr(clf, name)
    if hasattr(clf, "best_estimator_"):
        return find_method(clf.best_estimator_, name)
    if not hasattr(clf, "steps"):
        return None
    inner = find_method(clf.steps[-1][1], name)
    if inner is None or len(clf.steps) == 1:
        return inner
    return lambda X: inner(clf[:-1].transform(X))


def check_fitted(clf: Any, figure: str) -> None:
    """Raise an error unless `clf` is a fitted classifier."""
    kind = f"the class {clf.__name__}" if isinstance(clf, type) else type(clf).__name__
    try:
        check_is_fitted(clf)
    except NotFittedError:
        raise InputError(
            f"{code(figure)} needs a fitted classifier, got {kind}, not fitted; call its {code('fit(X, y)')} first."
        ) from None
    except TypeError:
        raise InputError(
            f"{code(figure)} needs a fitted classifier, got {kind}; pass what {code('fit(X, y)')} returns."
        ) from None
    if not hasattr(clf, "classes_"):
        raise InputError(
            f"{code(figure)} needs a classifier, but {kind} has no {code('classes_')}; pass one that predicts classes."
        )


def read_classifiers(clf: Any, figure: str) -> list[Any]:
    """One or several fitted classifiers of the same classes."""
    clfs = list(clf) if isinstance(clf, (list, tuple)) else [clf]
    if not clfs:
        raise InputError(f"{code(figure)} needs a fitted classifier or a list of them, got an empty list.")
    for one in clfs:
        check_fitted(one, figure)
    check_same_classes([one.classes_ for one in clfs], figure)
    return clfs


def check_same_classes(classes: Sequence[Any], figure: str) -> None:
    """Raise an error unless all classifiers have the same classes."""
    first = classes[0]
    for other in classes[1:]:
        if not np.array_equal(other, first):
            raise InputError(
                f"{code(figure)} needs classifiers of the same classes, got {listed(map(shown, first))} and "
                f"{listed(map(shown, other))}; fit them to the same labels."
            )


def read_labels(classes: Any, y: Any, n: int, name: str = "") -> NDArray[np.int64]:
    """Indices in `classes` of the labels of `n` rows; errors call them `name`, by default the parameter y."""
    name, labels = name or arg("y"), np.asarray(y)
    if labels.shape != (n,):
        got = " x ".join(map(str, labels.shape)) if labels.ndim else "a single value"
        raise InputError(f"{name} must be one label for each of the {n} rows, got {got}; pass the classes of the rows.")
    codes = pd.Index(classes).get_indexer(pd.Index(labels))
    if (codes < 0).any():
        unknown = pd.unique(pd.Series(labels[codes < 0]))
        raise InputError(
            f"{name} has {listed(map(shown, unknown))}, which {arg('clf')} does not know: its classes are "
            f"{listed(map(shown, classes))}; pass rows of these, or fit it to all of the classes."
        )
    return np.asarray(codes, dtype=np.int64)


def read_sample(sample: Any, name: str) -> tuple[Any, Any]:
    """Rows and their classes, given as a tuple (X, y)."""
    if not isinstance(sample, (tuple, list)) or len(sample) != 2:
        raise InputError(f"{name} must be a tuple (X, y), got {type(sample).__name__}.")
    return sample[0], sample[1]


def read_names(names: Any, n: int) -> list[str] | None:
    """A name for each of `n` classifiers."""
    if names is None:
        return None
    given = [names] if isinstance(names, str) else list(names)
    if len(given) != n:
        raise InputError(
            f"{arg('names')} must be one for each classifier, got {len(given)} of them and {n} in {arg('clf')}."
        )
    return [str(name) for name in given]


def read_table(table: Any, columns: Sequence[Any], figure: str, advice: str = "") -> pd.DataFrame:
    """A DataFrame that has rows and all of the columns; `advice` ends the message, as "; average them first"."""
    if not isinstance(table, pd.DataFrame) or table.empty:
        got = "no rows" if isinstance(table, pd.DataFrame) else type(table).__name__
        raise InputError(f"{code(figure)} needs a DataFrame with rows, got {got}{advice}.")
    missing = [column for column in columns if column not in table]
    if missing:
        raise InputError(
            f"{code(figure)} needs the columns {listed(columns)}, got none called {listed(missing)} among "
            f"{listed(table.columns)}{advice}."
        )
    return table


def read_axes(ax: Any, n: int) -> list[Any]:
    """One of matplotlib's Axes for each of `n` panels."""
    # subplots() returns an array of Axes in rows and columns.
    given = list(np.ravel(np.asarray(ax, dtype=object))) if isinstance(ax, (list, tuple, np.ndarray)) else [ax]
    wrong = next((one for one in given if not hasattr(one, "transData")), None)
    if wrong is not None:
        raise InputError(f"{arg('ax')} must be matplotlib's Axes, got {type(wrong).__name__}.")
    if len(given) != n:
        raise InputError(f"{arg('ax')} must be one of matplotlib's Axes for each of the {n} panels, got {len(given)}.")
    return given


def read_panel(ax: Any, width: float, height: float) -> Any:
    """The Axes of the caller, or the only panel of a new figure; sizes in inches."""
    return new_axes(width, height) if ax is None else read_axes(ax, 1)[0]
