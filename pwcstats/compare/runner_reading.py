"""Methods, data sets, splitters and scores of a benchmark, checked; the wording of what stands in the way of one."""

import numbers
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import check_scoring, get_scorer

from pwcstats import _params
from pwcstats._text import named, shown
from pwcstats.errors import InputError

_METHODS = "methods must be a dict of names and scikit-learn estimators, or a list of estimators"
_TABLES = "datasets must be a dict of names and (X, y), or a list of names of data sets"
_TABLE = "(X, y), (X, y, groups), a Bunch with data and target, or the name of a data set"
_SCORING = "scoring must be the name of a score, a callable, a list of names, or a dict"


def read_methods(methods: Any) -> dict[str, Any]:
    """Fresh copies of the estimators, by name."""
    if isinstance(methods, Mapping):
        pairs = list(methods.items())
    elif isinstance(methods, (list, tuple)):
        pairs = list(methods)
        if not pairs or not all(isinstance(item, tuple) and len(item) == 2 for item in pairs):
            pairs = list(zip(_names(pairs), pairs, strict=True))
    else:
        raise InputError(f"{_METHODS}, got {_brief(methods)}; put it into a list.")
    if not pairs:
        raise InputError("methods is empty; give an estimator at least.")
    _refuse_names([name for name, _ in pairs], "methods")
    return {name: _copy(name, estimator) for name, estimator in pairs}


def _names(estimators: Sequence[Any]) -> list[str]:
    """Names of classes in small letters, of a pipeline's last step, numbered where they repeat."""
    last = [each.steps[-1][1] if hasattr(each, "steps") else each for each in estimators]
    names = [(each if isinstance(each, type) else type(each)).__name__.lower() for each in last]
    total, seen = Counter(names), Counter[str]()
    for place, name in enumerate(names):
        if total[name] > 1:
            seen[name] += 1
            names[place] = f"{name}-{seen[name]}"
    return names


def _refuse_names(names: Sequence[Any], what: str) -> None:
    for name in names:
        if not isinstance(name, str) or not name:
            raise InputError(f"names of {what} must be words, got {shown(name)}; use a str.")
        if names.count(name) > 1:
            raise InputError(f"names of {what} must differ, got {name!r} twice; rename one.")


def _copy(name: str, estimator: Any) -> Any:
    if isinstance(estimator, type):
        kind = estimator.__name__
        raise InputError(f"method {name!r} is the class {kind}; give an instance, {kind}().")
    missing = [part for part in ("fit", "predict", "get_params") if not hasattr(estimator, part)]
    if missing:
        raise InputError(
            f"method {name!r} must be a scikit-learn estimator with fit, predict and get_params, got "
            f"{_brief(estimator)}, which has no {missing[0]}."
        )
    try:
        return clone(estimator)
    except Exception as error:
        raise InputError(f"method {name!r} cannot be cloned, as each of its fits needs: {_plain(error)}") from error


def read_datasets(datasets: Any) -> dict[str, Any]:
    """Data sets by name, as they came; a name stands for itself."""
    if isinstance(datasets, Mapping):
        pairs = list(datasets.items())
    elif isinstance(datasets, (list, tuple)):
        unnamed = [item for item in datasets if not isinstance(item, str)]
        if unnamed:
            raise InputError(
                f"{_TABLES}, got a list with {type(unnamed[0]).__name__}; use a dict to name your own data."
            )
        pairs = [(name, name) for name in datasets]
    else:
        raise InputError(f"{_TABLES}, got {type(datasets).__name__}.")
    if not pairs:
        raise InputError("datasets is empty; give a data set at least.")
    _refuse_names([name for name, _ in pairs], "datasets")
    return dict(pairs)


def read_table(name: str, value: Any) -> tuple[Any, NDArray[Any], NDArray[Any] | None]:
    """X with rows that can be picked, y and groups as arrays."""
    if isinstance(value, Mapping) and "data" in value and "target" in value:
        parts = [value["data"], value["target"], value.get("groups")]
    elif isinstance(value, (tuple, list)) and len(value) in (2, 3):
        parts = [*value, None][:3]
    else:
        size = f" of {len(value)}" if isinstance(value, (tuple, list)) else ""
        raise InputError(f"data set {name!r} must be {_TABLE}, got {type(value).__name__}{size}.")
    x = _rows(name, parts[0])
    y = _column(name, "y", parts[1], x)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    return x, y, None if parts[2] is None else _column(name, "groups", parts[2], x)


def _rows(name: str, x: Any) -> Any:
    if sparse.issparse(x):
        x = x.tocsr()
    elif not hasattr(x, "shape"):
        try:
            x = np.asarray(x)
        except ValueError as error:
            raise InputError(f"data set {name!r}: X must have rows of the same length ({_plain(error)}).") from None
    if len(x.shape) == 0 or x.shape[0] == 0:
        raise InputError(f"data set {name!r}: X must have rows, got none.")
    return x


def _column(name: str, what: str, values: Any, x: Any) -> NDArray[Any]:
    column = np.asarray(values)
    if column.ndim not in (1, 2) or len(column) != x.shape[0]:
        found = f"{len(column)}" if column.ndim else "a single value"
        raise InputError(
            f"data set {name!r}: {what} must have an entry for each of the {x.shape[0]} rows of X, got {found}."
        )
    missing = np.asarray(pd.isna(column)).reshape(len(column), -1).any(axis=1)
    if missing.any():
        raise InputError(
            f"data set {name!r}: {what} is missing in {int(missing.sum())} rows, first in row "
            f"{int(np.argmax(missing))}; fill them in, or drop the rows."
        )
    return column


def read_scoring(scoring: Any, classifiers: bool, regressors: bool) -> tuple[dict[str, Any], bool]:
    """Scorers by name, and whether several were asked for; by default, what the score method of all would give."""
    if scoring is None:
        if not (classifiers or regressors):
            raise InputError("the methods are not all classifiers, nor all regressors; say what to score by, scoring=.")
        scoring = "accuracy" if classifiers else "r2"
    several = isinstance(scoring, (list, tuple, dict))
    if several:
        if not scoring:
            raise InputError("scoring is empty; give the name of a score at least.")
        scorers = scoring if isinstance(scoring, dict) else {name: name for name in scoring if isinstance(name, str)}
        if len(scorers) < len(scoring):
            raise InputError(
                f"a list of scoring must be different names, got {_brief(scoring)}; name callables in a dict."
            )
        _refuse_names(list(scorers), "scoring")
    else:
        scorers = {"score": scoring}
    return {name: _scorer(value) for name, value in scorers.items()}, several


def _scorer(value: Any) -> Any:
    if not isinstance(value, str) and not callable(value):
        raise InputError(f"{_SCORING}, got {_brief(value)}.")
    try:
        # Of a callable, this sees whether it is a metric, which scores no estimators.
        return get_scorer(value) if isinstance(value, str) else check_scoring(scoring=value)
    except ValueError as error:
        raise InputError(f"{_SCORING}: {_plain(error)}") from None


def read_cv(cv: Any, repeats: int) -> Any:
    """A number of folds, or a splitter that can do all repeats."""
    if isinstance(cv, numbers.Integral) and not isinstance(cv, bool):
        return _params.count(cv, "cv", least=2)
    if isinstance(cv, (str, type)) or not hasattr(cv, "split") or not hasattr(cv, "get_n_splits"):
        raise InputError(
            f"cv must be a number of folds or a scikit-learn splitter, such as KFold(5), got {_brief(cv)}."
        )
    if repeats > 1 and not shuffles(cv):
        flag = "set shuffle=True" if hasattr(cv, "shuffle") else "choose one that shuffles, such as ShuffleSplit()"
        raise InputError(
            f"repeats={repeats} needs other splits each time, and {_brief(cv)} gives the same; {flag}, or repeats=1."
        )
    return cv


def shuffles(splitter: Any) -> bool:
    """Whether a splitter's splits depend on a random state."""
    return hasattr(splitter, "split") and hasattr(splitter, "random_state") and bool(getattr(splitter, "shuffle", True))


def read_split(name: str, split: Any, n_rows: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Places of the training and of the test rows."""
    train, test = (np.asarray(rows) for rows in split)
    train, test = (np.flatnonzero(rows) if rows.dtype == np.bool_ else rows for rows in (train, test))
    for rows, part in ((train, "training"), (test, "test")):
        if len(rows) == 0:
            raise InputError(f"cv must give training and test rows, got no {part} rows of data set {name!r}.")
        if rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n_rows:
            raise InputError(
                f"cv must give places of rows below {n_rows}, got others for data set {name!r}; use a splitter that "
                "adapts to the rows."
            )
    return train.astype(np.intp, copy=False), test.astype(np.intp, copy=False)


def cannot_split(name: str, cv: Any, error: Exception | None = None) -> InputError:
    """What to say where a splitter gives no splits."""
    why = "it gave no splits" if error is None else _plain(error)
    return InputError(f"data set {name!r} cannot be split by cv={_brief(cv)}: {why}")


def rare_words(name: str, y: NDArray[Any], folds: int) -> str:
    """Account of a class that is not in every test set."""
    classes, counts = np.unique(y, return_counts=True)
    rare = int(np.argmin(counts))
    return (
        f"data set {name!r}: class {shown(classes[rare])} has {counts[rare]} of the {len(y)} rows, fewer than the "
        f"{folds} folds, so that some are scored without it; use fewer folds, or merge the class with another."
    )


def read_cache(cache: Any, random_state: int | None) -> Path | None:
    """The directory of the cache, made if need be."""
    if cache is None:
        return None
    if not isinstance(cache, (str, os.PathLike)):
        raise InputError(f"cache must be a directory, or left out, got {cache!r}.")
    if random_state is None:
        raise InputError("cache needs a whole number as random_state, got None, with which no cell is met again.")
    place = Path(cache).resolve()
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cache must be a directory that can be written to, got {str(place)!r} ({error}).") from None
    return place


def no_fingerprint(what: str, error: Exception) -> InputError:
    """What to say where it cannot be known whether a cell in the cache is of the same thing."""
    return InputError(
        f"{what} cannot be told from others in the cache ({_plain(error)}); use functions and classes that a module "
        "defines by name, no lambda, or leave cache out."
    )


def failed_words(failures: Sequence[tuple[str, str]], n_cells: int) -> str:
    """Account of the cells that failed."""
    cells: dict[str, list[str]] = {}
    for cell, said in failures:
        cells.setdefault(said.rstrip("."), []).append(cell)
    kinds = [
        f"{places[0]}{f' and {len(places) - 1} more' if len(places) > 1 else ''}: {said}"
        for said, places in list(cells.items())[:3]
    ]
    more = "; and others, see the column error" if len(cells) > 3 else ""
    return f"{len(failures)} of {n_cells} cells failed, where the score is NaN: {'; '.join(kinds)}{more}."


def cell_words(method: str, dataset: str, repeat: int, fold: int) -> str:
    """A cell's place, in words."""
    return f"{named(method)} on {named(dataset)} (repeat {repeat}, fold {fold})"


def _plain(error: Exception) -> str:
    return " ".join(str(error).split())


def _brief(value: Any) -> str:
    """A value as Python writes it, on one line and not too long."""
    words = " ".join(repr(value).split())
    return words if len(words) <= 100 else f"{words[:97]}..."
