"""Read and check the arguments of `benchmark`: methods, data sets, scores, splitters, the cache."""

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
from pwcstats._text import shown
from pwcstats.errors import InputError, arg, code, quoted, value

_DATASETS = f"{arg('datasets')} must be a dict of names and (X, y), or a list of names of data sets"
_SCORING = f"{arg('scoring')} must be the name of a score, a callable, a list of names, or a dict"


def read_methods(methods: Any) -> dict[str, Any]:
    """Fresh copies of the estimators, by name."""
    if isinstance(methods, Mapping):
        pairs = list(methods.items())
    elif isinstance(methods, (list, tuple)):
        pairs = list(methods)
        if not pairs or not all(isinstance(item, tuple) and len(item) == 2 for item in pairs):
            pairs = list(zip(_names(pairs), pairs, strict=True))
    else:
        raise InputError(
            f"{arg('methods')} must be a dict of names and scikit-learn estimators, or a list of estimators, got "
            f"{brief(methods)}; put it into a list."
        )
    if not pairs:
        raise InputError(f"{arg('methods')} is empty; give at least one estimator.")
    _check_names([name for name, _ in pairs], "methods")
    return {name: _copy(name, estimator) for name, estimator in pairs}


def _names(estimators: Sequence[Any]) -> list[str]:
    """Names of classes in lower case, for a pipeline that of its last step; numbered if there are several."""
    last = [each.steps[-1][1] if hasattr(each, "steps") else each for each in estimators]
    names = [(each if isinstance(each, type) else type(each)).__name__.lower() for each in last]
    total, seen = Counter(names), Counter[str]()
    for index, name in enumerate(names):
        if total[name] > 1:
            seen[name] += 1
            names[index] = f"{name}-{seen[name]}"
    return names


def _check_names(names: Sequence[Any], parameter: str) -> None:
    for name in names:
        if not isinstance(name, str) or not name:
            raise InputError(f"names of {arg(parameter)} must be text, got {shown(name)}; use a {code('str')}.")
        if names.count(name) > 1:
            raise InputError(f"names of {arg(parameter)} must be unique, got {name!r} twice; rename one.")


def _copy(name: str, estimator: Any) -> Any:
    if isinstance(estimator, type):
        kind = estimator.__name__
        raise InputError(f"method {name!r} is the class {kind}; give an instance, {code(f'{kind}()')}.")
    missing = [part for part in ("fit", "predict", "get_params") if not hasattr(estimator, part)]
    if missing:
        raise InputError(
            f"method {name!r} must be a scikit-learn estimator with fit, predict and get_params, got "
            f"{brief(estimator)}, which has no {missing[0]}."
        )
    try:
        return clone(estimator)
    except Exception as error:
        raise InputError(f"method {name!r} cannot be cloned, which each fit needs: {one_line(error)}") from error


def read_datasets(datasets: Any) -> dict[str, Any]:
    """Data sets by name; those that are given by a name alone are loaded later."""
    if isinstance(datasets, Mapping):
        pairs = list(datasets.items())
    elif isinstance(datasets, (list, tuple)):
        unnamed = [item for item in datasets if not isinstance(item, str)]
        if unnamed:
            raise InputError(
                f"{_DATASETS}, got a list with {type(unnamed[0]).__name__}; use a dict to name your own data."
            )
        pairs = [(name, name) for name in datasets]
    else:
        raise InputError(f"{_DATASETS}, got {type(datasets).__name__}.")
    if not pairs:
        raise InputError(f"{arg('datasets')} is empty; give at least one data set.")
    _check_names([name for name, _ in pairs], "datasets")
    return dict(pairs)


def read_table(name: str, table: Any) -> tuple[Any, NDArray[Any], NDArray[Any] | None]:
    """X, with rows that can be selected, and y and groups as arrays."""
    if isinstance(table, Mapping) and "data" in table and "target" in table:
        parts = [table["data"], table["target"], table.get("groups")]
    elif isinstance(table, (tuple, list)) and len(table) in (2, 3):
        parts = [*table, None][:3]
    else:
        size = f" of {len(table)}" if isinstance(table, (tuple, list)) else ""
        raise InputError(
            f"data set {name!r} must be (X, y), (X, y, groups), a Bunch with data and target, or the name of a data "
            f"set, got {type(table).__name__}{size}."
        )
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
            raise InputError(f"data set {name!r}: X must have rows of the same length ({one_line(error)}).") from None
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
            f"data set {name!r}: {what} is missing in {int(missing.sum())} rows, the first one is row "
            f"{int(np.argmax(missing))}; fill in the values, or drop the rows."
        )
    return column


def read_scoring(scoring: Any, classifiers: bool, regressors: bool) -> tuple[dict[str, Any], bool]:
    """Scorers by name, and whether several were requested; by default, what the `score` methods return."""
    if scoring is None:
        if not (classifiers or regressors):
            raise InputError(
                f"the methods are not all classifiers, nor all regressors; set {arg('scoring')} to say what to score."
            )
        scoring = "accuracy" if classifiers else "r2"
    several = isinstance(scoring, (list, tuple, dict))
    if several:
        if not scoring:
            raise InputError(f"{arg('scoring')} is empty; give at least the name of one score.")
        scorers = scoring if isinstance(scoring, dict) else {name: name for name in scoring if isinstance(name, str)}
        if len(scorers) < len(scoring):
            raise InputError(
                f"a list as {arg('scoring')} must hold different names, got {brief(scoring)}; use a dict for callables."
            )
        _check_names(list(scorers), "scoring")
    else:
        scorers = {"score": scoring}
    return {name: _read_scorer(scorer) for name, scorer in scorers.items()}, several


def _read_scorer(scorer: Any) -> Any:
    if not isinstance(scorer, str) and not callable(scorer):
        raise InputError(f"{_SCORING}, got {brief(scorer)}.")
    try:
        # check_scoring refuses a callable that is a metric, which does not take an estimator.
        return get_scorer(scorer) if isinstance(scorer, str) else check_scoring(scoring=scorer)
    except ValueError as error:
        raise InputError(f"{_SCORING}: {one_line(error)}") from None


def read_cv(cv: Any, repeats: int) -> Any:
    """A number of folds, or a splitter that can do all repeats."""
    if isinstance(cv, numbers.Integral) and not isinstance(cv, bool):
        return _params.count(cv, "cv", least=2)
    if isinstance(cv, (str, type)) or not hasattr(cv, "split") or not hasattr(cv, "get_n_splits"):
        raise InputError(
            f"{arg('cv')} must be a number of folds or a scikit-learn splitter, such as {code('KFold(5)')}, got "
            f"{brief(cv)}."
        )
    if repeats > 1 and not shuffles(cv):
        cure = "set shuffle=True" if hasattr(cv, "shuffle") else "choose one that shuffles, such as ShuffleSplit()"
        raise InputError(
            f"{arg('repeats', repeats)} needs different splits in each repeat, but {brief(cv)} always gives the same; "
            f"{cure}, or {arg('repeats', 1)}."
        )
    return cv


def shuffles(splitter: Any) -> bool:
    """Whether a splitter's splits depend on a random state."""
    return hasattr(splitter, "split") and hasattr(splitter, "random_state") and bool(getattr(splitter, "shuffle", True))


def read_cache(cache: Any, random_state: int | None) -> Path | None:
    """The directory of the cache, created if necessary."""
    if cache is None:
        return None
    if not isinstance(cache, (str, os.PathLike)):
        raise InputError(f"{arg('cache')} must be a directory, or left out, got {value(cache)}.")
    if random_state is None:
        raise InputError(
            f"{arg('cache')} needs a whole number as {arg('random_state')}, got {value(None)}, with which no cell is "
            "repeated."
        )
    folder = Path(cache).resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{arg('cache')} must be a writable directory, got {str(folder)!r} ({error}).") from None
    return folder


def one_line(error: BaseException) -> str:
    """The message of an error on one line."""
    return " ".join(quoted(error).split())


def brief(x: Any) -> str:
    """A value as Python writes it, on one line and not too long."""
    text = " ".join(repr(x).split())
    return text if len(text) <= 100 else f"{text[:97]}..."
