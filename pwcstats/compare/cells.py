"""One cell of a benchmark, a method on one split of a data set: how it is run, its key and its file in the cache."""

import copy
import functools
import inspect
import math
import numbers
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from types import CodeType
from typing import Any

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.utils.metaestimators import _safe_split

from pwcstats._jobs import keep, read_kept
from pwcstats._kernels.blas import one_thread
from pwcstats.compare.benchmark_arguments import one_line, shuffles
from pwcstats.errors import InputError, arg

_PLAIN = (str, bytes, numbers.Number, tuple, list, dict, set, frozenset, type(None))
# Longer error messages are cut.
LONGEST = 200


@dataclass(frozen=True, eq=False)
class Data:
    """A data set, which many cells share."""

    x: Any
    y: NDArray[Any]

    def __sizeof__(self) -> int:
        """A megabyte: joblib's dask backend keeps arguments of more than a kilobyte on its workers."""
        return 2**20


@dataclass(frozen=True, eq=False)
class Split:
    """Training and test rows of a fold, and the seed of its fits."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]
    seed: int


@dataclass(frozen=True, eq=False)
class Method:
    """An estimator, its parameters that need a seed, and its parameters that are splitters without a seed."""

    estimator: Any
    seeds: tuple[str, ...]
    splitters: Mapping[str, Any]

    def fresh(self, seed: int) -> Any:
        """An unfitted copy, in which all parts without a seed get this one."""
        changes = dict.fromkeys(self.seeds, seed) | {k: reshuffled(v, seed) for k, v in self.splitters.items()}
        return clone(self.estimator).set_params(**changes) if changes else clone(self.estimator)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a cell: a score and possibly an error for each metric, and times in seconds."""

    scores: list[float]
    errors: list[str] = field(default_factory=list)
    fit_time: float = math.nan
    score_time: float = math.nan

    @property
    def error(self) -> str:
        """The first error, or an empty text."""
        return next(filter(None, self.errors), "")


def prepare(estimator: Any) -> Method:
    """Find the random parts of an estimator once, for all its cells."""
    params = estimator.get_params(deep=True)
    seeds = (key for key, value in params.items() if value is None and key.rsplit("__", 1)[-1] == "random_state")
    splitters = {key: value for key, value in params.items() if shuffles(value) and value.random_state is None}
    return Method(estimator, tuple(seeds), splitters)


def reshuffled(splitter: Any, seed: int) -> Any:
    """A copy of a splitter, with a seed."""
    other = copy.copy(splitter)
    other.random_state = seed
    return other


# Running a cell.


def run(
    index: int, data: Data, method: Method, split: Split, scorers: dict[str, Any], file: Path | None
) -> tuple[int, Outcome]:
    """The index of a cell and its outcome, which is written to a file at once, unless the cell failed.

    A cell always uses one thread, so that results are bit-identical and workers do not compete.
    """
    with one_thread(openmp=True):
        outcome = _measure(data, method, split, scorers)
    if file is not None and not outcome.error:
        _write(file, outcome)
    return index, outcome


def _measure(data: Data, method: Method, split: Split, scorers: dict[str, Any]) -> Outcome:
    try:
        model = method.fresh(split.seed)
        # For a kernel matrix, this selects the columns of the training rows, too.
        x, y = _safe_split(model, data.x, data.y, split.train)
        start = perf_counter()
        model.fit(x, y)
        fit_time = perf_counter() - start
        x, y = _safe_split(model, data.x, data.y, split.test, split.train)
    except Exception as error:
        return Outcome([math.nan] * len(scorers), [_describe(error)] * len(scorers))
    start = perf_counter()
    pairs = _scores(model, x, y, scorers)
    return Outcome([s for s, _ in pairs], [e for _, e in pairs], fit_time, perf_counter() - start)


def _scores(model: Any, x: Any, y: Any, scorers: dict[str, Any]) -> list[tuple[float, str]]:
    """Each score, and its error or an empty text."""
    if len(scorers) > 1:
        try:
            # This predicts once for all scores.
            found = check_scoring(scoring=scorers)(model, x, y)
            return [_checked(found[name]) for name in scorers]
        except Exception:  # scored one by one below, to find out which scores fail
            pass
    return [_score(model, x, y, scorer) for scorer in scorers.values()]


def _score(model: Any, x: Any, y: Any, scorer: Any) -> tuple[float, str]:
    try:
        return _checked(scorer(model, x, y))
    except Exception as error:
        return math.nan, _describe(error)


def _checked(score: Any) -> tuple[float, str]:
    if not isinstance(score, numbers.Real):
        raise TypeError(f"scoring must return a number, got {type(score).__name__}")
    return float(score), "the score is NaN" if math.isnan(score) else ""


def _describe(error: Exception) -> str:
    """The type of an error and its message, on one line."""
    text = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


# The key of a cell: fingerprints of everything that its outcome depends on.


def hash_of_rows(split: Split) -> str:
    """A fingerprint of a split."""
    return joblib.hash((split.train, split.test))


def hash_of_method(name: str, estimator: Any) -> str:
    """A fingerprint of an estimator, its parameters, and the user's own code in them."""
    parts = [estimator, *estimator.get_params(deep=True).values()]
    return _hash(f"method {name!r}", (estimator, [list(_code(part)) for part in parts]))


def hash_of_scorers(scorers: dict[str, Any]) -> str:
    """A fingerprint of scorers, which depends on their order but not on their names."""
    parts = list(scorers.values())
    return _hash("scoring", (parts, [list(_code(getattr(part, "_score_func", part))) for part in parts]))


def hash_of_data(name: str, data: Data) -> str:
    """A fingerprint of a data set, which depends on the content of frames and sparse matrices, not on their layout."""
    x, kind = data.x, ""
    if isinstance(x, pd.DataFrame):
        kind = "frame"
        x = [list(x.columns), _values(x.index.to_series()), *(_values(x.iloc[:, i]) for i in range(x.shape[1]))]
    elif sparse.issparse(x):
        kind = "sparse"
        x = [x.shape, x.data, x.indices, x.indptr]
    return _hash(f"data set {name!r}", (kind, x, data.y))


def _values(column: pd.Series) -> list[Any]:
    kind = str(column.dtype)
    if isinstance(column.dtype, pd.CategoricalDtype):
        return [kind, column.cat.ordered, column.cat.codes.to_numpy(), column.cat.categories.to_numpy()]
    return [kind, column.to_numpy() if isinstance(column.dtype, np.dtype) else column.to_numpy(dtype=object)]


def _hash(what: str, value: Any) -> str:
    try:
        return joblib.hash(value, coerce_mmap=True)
    except Exception as error:  # pickle raises errors of many types
        raise InputError(
            f"{what} cannot be identified in the cache ({one_line(error)}); use functions and classes that are defined "
            f"by name in a module, not a lambda, or leave {arg('cache')} out."
        ) from error


def _code(thing: Any) -> Iterator[str]:
    """The code of a function, or of the class of an object, with its attributes.

    If users change the code of a method, cached scores of the old code must not be used. For scikit-learn's own code,
    its version is part of the key.
    """
    if isinstance(thing, (list, tuple, set, frozenset)):
        for part in thing:
            yield from _code(part)
    elif isinstance(thing, Mapping):
        for part in thing.values():
            yield from _code(part)
    elif isinstance(thing, functools.partial):
        yield from _code([thing.func, thing.args, thing.keywords])
    elif hasattr(inspect.unwrap(thing) if callable(thing) else thing, "__code__"):
        yield from _lines(thing)
    else:
        for kind in (thing if isinstance(thing, type) else type(thing)).__mro__:
            if kind.__module__.partition(".")[0] not in ("builtins", "numpy", "pandas", "scipy", "sklearn"):
                yield from _class(kind)


def _class(kind: type) -> Iterator[str]:
    """Functions and attributes of a user's class."""
    for name, member in sorted(vars(kind).items()):
        # Properties have several functions; cached properties, static methods and wrappers hide theirs.
        hidden = [getattr(member, part, None) for part in ("fget", "fset", "fdel", "func", "__func__")]
        functions = [part for part in (*hidden, member) if callable(part)]
        found = [part for part in functions if hasattr(inspect.unwrap(part), "__code__")]
        for function in found:
            yield name
            yield from _lines(function)
        # Names with double underscores are set by Python itself.
        if not found and isinstance(member, _PLAIN) and not (name.startswith("__") and name.endswith("__")):
            yield f"{name} = {member!r}"


def _lines(function: Any) -> Iterator[str]:
    function = inspect.unwrap(function)
    # Addresses differ between processes.
    yield re.sub(r" at 0x\w+", "", repr((function.__defaults__, function.__kwdefaults__)))
    todo = [function.__code__]
    while todo:
        code = todo.pop()
        yield repr((code.co_code, code.co_names, code.co_varnames, code.co_freevars))
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                todo.append(constant)
            else:
                yield repr(sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant)


# The file of a cell.


def read(file: Path, n_scores: int) -> Outcome | None:
    """The outcome in a file; None if the file is missing or unusable."""
    try:
        kept = read_kept(file) or {}
        outcome = Outcome(
            [float(score) for score in kept["scores"]],
            [""] * n_scores,
            float(kept["fit_time"]),
            float(kept["score_time"]),
        )
    except (ValueError, TypeError, LookupError):
        return None
    return None if len(outcome.scores) != n_scores or any(map(math.isnan, outcome.scores)) else outcome


def _write(file: Path, outcome: Outcome) -> None:
    keep(file, {"scores": outcome.scores, "fit_time": outcome.fit_time, "score_time": outcome.score_time})
