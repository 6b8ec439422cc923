"""One cell of a benchmark, a method on one split of a data set: how it runs, its key, its file in the cache."""

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
from pwcstats.compare.runner_reading import no_fingerprint, shuffles

_PLAIN = (str, bytes, numbers.Number, tuple, list, dict, set, frozenset, type(None))
# Of an error's message, so much is kept.
LONGEST = 200


@dataclass(frozen=True, eq=False)
class Data:
    """Rows that many cells share."""

    x: Any
    y: NDArray[Any]

    def __sizeof__(self) -> int:
        """More than the kilobyte from which joblib's dask backend keeps an argument on its workers."""
        return 2**20


@dataclass(frozen=True, eq=False)
class Split:
    """Training and test rows of a fold, and the seed of what is random in its fits."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]
    seed: int


@dataclass(frozen=True, eq=False)
class Method:
    """An estimator, which of its parameters want a seed, and which are splitters that want one."""

    estimator: Any
    seeds: tuple[str, ...]
    splitters: Mapping[str, Any]

    def fresh(self, seed: int) -> Any:
        """A copy to be fitted, with a seed in all its parts that have none."""
        changes = dict.fromkeys(self.seeds, seed) | {k: reshuffled(v, seed) for k, v in self.splitters.items()}
        return clone(self.estimator).set_params(**changes) if changes else clone(self.estimator)


@dataclass(frozen=True)
class Outcome:
    """What a cell gives: a score and perhaps an error for each metric, and seconds."""

    scores: list[float]
    errors: list[str] = field(default_factory=list)
    fit_time: float = math.nan
    score_time: float = math.nan

    @property
    def error(self) -> str:
        """The first error, if any."""
        return next(filter(None, self.errors), "")


def prepare(estimator: Any) -> Method:
    """A method whose random parts are known, so that cells need not look for them."""
    params = estimator.get_params(deep=True)
    seeds = (key for key, value in params.items() if value is None and key.rsplit("__", 1)[-1] == "random_state")
    splitters = {key: value for key, value in params.items() if shuffles(value) and value.random_state is None}
    return Method(estimator, tuple(seeds), splitters)


def reshuffled(splitter: Any, seed: int) -> Any:
    """A copy of a splitter that shuffles, with a seed."""
    other = copy.copy(splitter)
    other.random_state = seed
    return other


# How it runs.


def run(
    place: int, data: Data, method: Method, split: Split, scorers: dict[str, Any], file: Path | None
) -> tuple[int, Outcome]:
    """The outcome of a cell, after its place; kept in a file at once, unless it failed.

    A cell has one thread wherever it runs: sums have the same bits, and workers do not crowd each other.
    """
    with one_thread(openmp=True):
        outcome = _measure(data, method, split, scorers)
    if file is not None and not outcome.error:
        _write(file, outcome)
    return place, outcome


def _measure(data: Data, method: Method, split: Split, scorers: dict[str, Any]) -> Outcome:
    try:
        model = method.fresh(split.seed)
        # Of a kernel matrix, this takes the columns of the training rows, too.
        x, y = _safe_split(model, data.x, data.y, split.train)
        start = perf_counter()
        model.fit(x, y)
        fit_time = perf_counter() - start
        x, y = _safe_split(model, data.x, data.y, split.test, split.train)
    except Exception as error:
        return Outcome([math.nan] * len(scorers), [_said(error)] * len(scorers))
    start = perf_counter()
    pairs = _scores(model, x, y, scorers)
    return Outcome([s for s, _ in pairs], [e for _, e in pairs], fit_time, perf_counter() - start)


def _scores(model: Any, x: Any, y: Any, scorers: dict[str, Any]) -> list[tuple[float, str]]:
    """Each score and what went wrong with it."""
    if len(scorers) > 1:
        try:
            # Predicts once for all scores.
            found = check_scoring(scoring=scorers)(model, x, y)
            return [_checked(found[name]) for name in scorers]
        except Exception:  # which of them it was, the next lines tell
            pass
    return [_score(model, x, y, scorer) for scorer in scorers.values()]


def _score(model: Any, x: Any, y: Any, scorer: Any) -> tuple[float, str]:
    try:
        return _checked(scorer(model, x, y))
    except Exception as error:
        return math.nan, _said(error)


def _checked(value: Any) -> tuple[float, str]:
    if not isinstance(value, numbers.Real):
        raise TypeError(f"scoring must give a number, got {type(value).__name__}")
    return float(value), "the score is NaN" if math.isnan(value) else ""


def _said(error: Exception) -> str:
    """The kind of an error and its message, on one line."""
    words = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 3]}..."


# Its key.


def mark_of_rows(split: Split) -> str:
    """A fingerprint of a split."""
    return joblib.hash((split.train, split.test))


def mark_of_method(name: str, estimator: Any) -> str:
    """A fingerprint of an estimator, of all its parameters, and of code that is not scikit-learn's."""
    parts = [estimator, *estimator.get_params(deep=True).values()]
    return _mark(f"method {name!r}", (estimator, [list(_code(part)) for part in parts]))


def mark_of_scorers(scorers: dict[str, Any]) -> str:
    """A fingerprint of scorers; their names do not count, their order does."""
    parts = list(scorers.values())
    return _mark("scoring", (parts, [list(_code(getattr(part, "_score_func", part))) for part in parts]))


def mark_of_data(name: str, data: Data) -> str:
    """A fingerprint of rows. Of frames and sparse matrices, what counts is what they hold, not how."""
    x, kind = data.x, ""
    if isinstance(x, pd.DataFrame):
        kind = "frame"
        x = [list(x.columns), _values(x.index.to_series()), *(_values(x.iloc[:, i]) for i in range(x.shape[1]))]
    elif sparse.issparse(x):
        kind = "sparse"
        x = [x.shape, x.data, x.indices, x.indptr]
    return _mark(f"data set {name!r}", (kind, x, data.y))


def _values(column: pd.Series) -> list[Any]:
    kind = str(column.dtype)
    if isinstance(column.dtype, pd.CategoricalDtype):
        return [kind, column.cat.ordered, column.cat.codes.to_numpy(), column.cat.categories.to_numpy()]
    return [kind, column.to_numpy() if isinstance(column.dtype, np.dtype) else column.to_numpy(dtype=object)]


def _mark(what: str, value: Any) -> str:
    try:
        return joblib.hash(value, coerce_mmap=True)
    except Exception as error:  # pickle's errors are of many kinds
        raise no_fingerprint(what, error) from error


def _code(thing: Any) -> Iterator[str]:
    """What a function, or the class of an object, does, as far as its own lines and attributes tell.

    Who works on a method and runs a benchmark again must not get scores of the lines as they were. The version stands
    for scikit-learn's own lines.
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
    """Functions and attributes of a class of one's own."""
    for name, member in sorted(vars(kind).items()):
        # Properties have several functions; cached ones, static ones and those with a wrapper hide theirs.
        hidden = [getattr(member, part, None) for part in ("fget", "fset", "fdel", "func", "__func__")]
        functions = [part for part in (*hidden, member) if callable(part)]
        found = [part for part in functions if hasattr(inspect.unwrap(part), "__code__")]
        for function in found:
            yield name
            yield from _lines(function)
        # What Python itself notes there is no attribute of one's own.
        if not found and isinstance(member, _PLAIN) and not (name.startswith("__") and name.endswith("__")):
            yield f"{name} = {member!r}"


def _lines(function: Any) -> Iterator[str]:
    function = inspect.unwrap(function)
    # Addresses are different in each process.
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


# Its file.


def read(file: Path, n_scores: int) -> Outcome | None:
    """The outcome that is kept in a file; None where there is none that can be used."""
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
