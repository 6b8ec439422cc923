"""One fit per pair, for learners of any kind: tasks that joblib can send to any worker."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from pwcstats._arrays import Array
from pwcstats.errors import InputError, code
from pwcstats.pairwise import learners
from pwcstats.pairwise.calibration import checked
from pwcstats.pairwise.data import ClassPairs, Integers, Mask, Problem, cut, leveled, take
from pwcstats.pairwise.folds import Folds

# Why a pipeline of a pair may fail on rows of other classes, and what to do.
PAIR_ROWS = (
    " (It has seen the rows of its two classes only. If it meets unknown categories, encode them in a pipeline around "
    f"{code('PairwiseClassifier')}, or let the encoder ignore them, for example by {code('handle_unknown')}='ignore'.)"
)


@dataclass(frozen=True)
class PairTask:
    """One learner on the rows of one pair, whose classes it knows as 0 and 1: some learners take no other labels.

    With `union`, the learner gets all rows, and those of either class of the pair are 1.
    """

    pair: int
    learner: Any
    classes: tuple[int, int]
    kind: learners.Kind
    union: bool = False

    @property
    def label(self) -> int:
        """The label that high scores favour."""
        return 1 if self.union else 0

    def members(self, code: Integers) -> Mask:
        """Which rows are of the pair."""
        return (code == self.classes[0]) | (code == self.classes[1])

    def target(self, code: Integers) -> Integers:
        """The labels that the learner is fitted to."""
        return (self.members(code) if self.union else code == self.classes[1]).astype(np.int64)

    def rows(self, code: Integers) -> Integers:
        """The rows that the learner is fitted to."""
        return np.arange(len(code)) if self.union else np.flatnonzero(self.members(code))


def make_task(problem: ClassPairs, pair: int, learner: Any, kind: learners.Kind, seed: int | None) -> PairTask:
    """The task of a learner on a pair."""
    return PairTask(pair, learners.for_pair(learner, problem, pair, seed), _classes(problem, pair), kind)


def make_union_task(problem: ClassPairs, pair: int, learner: Any, kind: learners.Kind, seed: int | None) -> PairTask:
    """The task of telling both classes of a pair from all the others."""
    return PairTask(pair, learners.for_union(learner, seed), _classes(problem, pair), kind, union=True)


def _classes(problem: ClassPairs, pair: int) -> tuple[int, int]:
    return int(problem.low[pair]), int(problem.high[pair])


@dataclass(frozen=True, eq=False)
class Shared:
    """What all tasks of a candidate share. It is sent to a worker once, whereas there are many tasks.

    `code` is the index of each row's class in `classes`. `params` go to the fits, arrays of the length of the data cut
    to the rows of a task.
    """

    x: Any
    code: Integers
    classes: NDArray[Any]
    square: bool
    params: dict[str, Any]
    folds: Folds | None = None

    def __sizeof__(self) -> int:
        """More than one kilobyte: joblib's dask backend keeps arguments of that size on its workers."""
        return 2**20


@dataclass(frozen=True)
class Fit:
    """The result of a task: the learner and its scores of the pair's rows, or the error that it failed with."""

    learner: Any = None
    trained: Array | None = None
    held_out: Array | None = None
    sampled: Array | None = None
    error: Exception | None = None


def fit(task: PairTask, shared: Shared, with_scores: bool) -> Fit:
    """Fit to all rows of the pair; compute the scores of these rows if asked, and with folds the held-out scores."""
    try:
        rows = task.rows(shared.code)
        learner = _fit(task, shared, rows)
        # One row is enough to find a learner that returns only NaN, such as naive Bayes of constant columns.
        own = _scores(task, shared, learner, rows if with_scores else rows[:1], rows)
        held_out, sampled = (None, None) if shared.folds is None else _held_out(task, shared, rows, learner)
        return Fit(learner, leveled(own) if with_scores else None, held_out, sampled)
    except Exception as error:
        return Fit(error=error)


def held_out(task: PairTask, shared: Shared) -> Fit:
    """Compute only the held-out scores."""
    try:
        return Fit(held_out=_held_out(task, shared, task.rows(shared.code), None)[0])
    except Exception as error:
        return Fit(error=error)


def cross_validate(task: PairTask, shared: Shared, scorer: Any, params: dict[str, Any]) -> Any:
    """Scores of the folds (NaN if a fold holds out no row of the pair), and the error that ended them, if any."""
    values = []
    for train, test in _split(task, shared):
        try:
            values.append(_score(task, shared, train, test, scorer, params) if len(test) else np.nan)
        except Exception as error:
            return values, error
    return values, None


def _score(
    task: PairTask, shared: Shared, train: Integers, test: Integers, scorer: Any, params: dict[str, Any]
) -> float:
    learner = Labelled(_fit(task, shared, train), shared.classes[list(task.classes)])
    rows = take(shared.x, test, train if shared.square else None)
    return checked(scorer, learner, rows, shared.classes[shared.code[test]], **cut(params, test, len(shared.code)))


def _held_out(task: PairTask, shared: Shared, rows: Integers, fitted: Any) -> tuple[Array, Array | None]:
    """Scores of held-out rows of the task, and of the sampled rows, if there is a sample.

    Rows that no fold holds out are scored by the learner that was fitted to all rows.
    """
    assert shared.folds is not None
    out, kept, sample = np.empty(len(shared.code)), rows[shared.folds.kept[rows]], shared.folds.sample
    if len(kept):
        out[kept] = _scores(task, shared, fitted, kept, rows)
    wanted = np.zeros(len(shared.code), np.bool_)
    wanted[rows] = True
    if sample is not None:
        wanted[sample] = True
    for (train, _), test in zip(_split(task, shared), shared.folds.test, strict=True):
        held = np.flatnonzero(test & wanted)
        if len(held):
            out[held] = _scores(task, shared, _fit(task, shared, train), held, train)
    return leveled(out[rows]), None if sample is None else out[sample]


def _split(task: PairTask, shared: Shared) -> Iterator[tuple[Integers, Integers]]:
    """The folds of the rows of a task."""
    assert shared.folds is not None
    rows = task.rows(shared.code)
    for train, test in zip(shared.folds.train, shared.folds.test, strict=True):
        yield rows[train[rows]], rows[test[rows]]


def _fit(task: PairTask, shared: Shared, rows: Integers) -> Any:
    """The learner, fitted to some rows."""
    x = take(shared.x, rows, rows if shared.square else None)
    return clone(task.learner).fit(x, task.target(shared.code[rows]), **cut(shared.params, rows, len(shared.code)))


def _scores(task: PairTask, shared: Shared, learner: Any, rows: Integers, seen: Integers) -> Array:
    """Scores of some rows by a learner that was fitted to the rows `seen`."""
    return learners.scores(learner, take(shared.x, rows, seen if shared.square else None), task.kind, task.label)


class Labelled:
    """A fitted learner of 0 and 1 that shows scorers the labels of its pair; all else is the learner's own."""

    def __init__(self, learner: Any, classes: NDArray[Any]) -> None:
        self.learner, self.classes_ = learner, classes

    def __getattr__(self, name: str) -> Any:
        return getattr(self.learner, name)

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row."""
        return self.classes_[np.asarray(self.learner.predict(X)).astype(np.int64)]

    def score(self, X: Any, y: NDArray[Any], **params: Any) -> float:
        """The learner's own score."""
        return self.learner.score(X, (y == self.classes_[1]).astype(np.int64), **params)


class PlainPairs:
    """Fitted learners of some pairs."""

    def __init__(self, problem: Problem, done: Sequence[tuple[PairTask, Fit]]) -> None:
        self.pairs = np.array([task.pair for task, _ in done])
        self._names = [problem.name(task.pair) for task, _ in done]
        self._members = [
            (fit.learner, task.kind, task.label, problem.rows(task.pair) if problem.square and not task.union else None)
            for task, fit in done
        ]

    def scores(self, x: Any) -> Array:
        """Scores of all rows, one column per pair."""
        out = np.empty((x.shape[0] if hasattr(x, "shape") else len(x), len(self._members)))
        for column, (learner, kind, label, seen) in enumerate(self._members):
            with self._explained(column):
                out[:, column] = learners.scores(learner, x if seen is None else x[:, seen], kind, label)
        return out

    def probabilities(self, x: Any) -> Array | None:
        """Probabilities of both classes of the first pair; None if its learner gives decision values."""
        learner, kind, label, seen = self._members[0]
        if kind != learners.PROBABILITY:
            return None
        with self._explained(0):
            return learners.probabilities(learner, x if seen is None else x[:, seen], label)

    @contextmanager
    def _explained(self, index: int) -> Iterator[None]:
        """Say which learner fails to predict."""
        try:
            yield
        except InputError:
            raise
        except Exception as error:
            learner = self._members[index][0]
            raise InputError(
                f"the {code(type(learner).__name__)} of the pair {self._names[index]} cannot predict: "
                f"{str(error).strip()}{PAIR_ROWS if hasattr(learner, 'steps') else ''}"
            ) from error

    def learner(self, index: int) -> Any:
        """The learner of one of the pairs."""
        return self._members[index][0]
