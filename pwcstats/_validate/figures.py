"""What figures ask of a fitted classifier and of its rows, and the words where they get something else."""

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from pwcstats._validate.common import Array, as_float, listed, shown
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


def read_count(value: Any, least: int, name: str) -> int:
    """A whole number that is not too small."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise InputError(f"{name} must be a whole number from {least} on, got {value!r}.")
    return int(value)


def read_two(value: Any, name: str) -> tuple[Any, Any]:
    """Rows and their classes, given together."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise InputError(f"{name} must be a tuple (X, y), got {type(value).__name__}; put both into brackets.")
    return value[0], value[1]
