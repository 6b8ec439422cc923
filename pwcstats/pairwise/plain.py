"""One fit for each pair, for learners of any kind: tasks that joblib sends anywhere."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.parallel import delayed
from tqdm import tqdm

from pwcstats._arrays import Array
from pwcstats._jobs import in_parallel
from pwcstats._kernels.blas import one_thread
from pwcstats.errors import InputError
from pwcstats.pairwise import learners
from pwcstats.pairwise.checks import cannot_answer
from pwcstats.pairwise.folds import Folds
from pwcstats.pairwise.problem import ClassPairs, Integers, Problem, cut, leveled, take
from pwcstats.pairwise.selection import Labelled, checked


@dataclass(frozen=True)
class Task:
    """One learner on the rows of one pair, to which the classes of the pair are 0 and 1: some take no other labels.

    With `union`, the rows are all rows, and those of either class of the pair are 1.
    """

    pair: int
    learner: Any
    classes: tuple[int, int]
    kind: str
    union: bool = False

    @property
    def label(self) -> int:
        """What high scores favour."""
        return 1 if self.union else 0

    def members(self, code: Integers) -> NDArray[np.bool_]:
        """Which rows are of the pair."""
        return (code == self.classes[0]) | (code == self.classes[1])

    def target(self, code: Integers) -> Integers:
        """What the learner is to tell apart."""
        return (self.members(code) if self.union else code == self.classes[1]).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Shared:
    """What all tasks of a candidate share; sent to a worker once, where tasks are sent many times.

    `code` numbers each row's class among the labels `classes`. `params` go to the learners' fits, arrays of the length
    of the data cut to the rows of a task.
    """

    x: Any
    code: Integers
    classes: NDArray[Any]
    square: bool
    params: dict[str, Any]
    folds: Folds | None = None

    def __sizeof__(self) -> int:
        """More than the kilobyte from which joblib's dask backend keeps an argument on its workers."""
        return 2**20


@dataclass(frozen=True)
class Fit:
    """What a task gives back: the learner, its scores of the pair's rows, or why there are none."""

    learner: Any = None
    trained: Array | None = None
    held_out: Array | None = None
    error: Exception | None = None


def make_task(problem: ClassPairs, pair: int, learner: Any, kind: str, seed: int | None) -> Task:
    """The task of a candidate on a pair."""
    return Task(pair, learners.for_pair(learner, problem, pair, seed), _codes(problem, pair), kind)


def make_union_task(problem: ClassPairs, pair: int, learner: Any, kind: str, seed: int | None) -> Task:
    """The task of telling both classes of a pair from all the others."""
    return Task(pair, learners.for_union(learner, seed), _codes(problem, pair), kind, union=True)


def _codes(problem: ClassPairs, pair: int) -> tuple[int, int]:
    return int(problem.low[pair]), int(problem.high[pair])


def run(
    function: Any, tasks: Sequence[Task], shared: Shared, n_jobs: int | None, verbose: int, words: str, *extra: Any
) -> list[Any]:
    """``function(task, shared, *extra)`` of all tasks, in their order, with a progress bar.

    Every task has one BLAS thread wherever it runs: the answer has the same bits, and workers do not crowd each other.
    """
    with one_thread():
        calls = (delayed(_alone)(function, task, shared, *extra) for task in tasks)
        return list(tqdm(in_parallel(calls, n_jobs), total=len(tasks), desc=words, disable=not verbose))


def _alone(function: Any, *arguments: Any) -> Any:
    with one_thread():
        return function(*arguments)


def cross_validate(task: Task, shared: Shared, scorer: Any, params: dict[str, Any]) -> Any:
    """Scores of the folds; nan where a fold holds out no row of the pair. An error ends it and is given back."""
    values = []
    for train, test in _split(task, shared):
        try:
            values.append(_score(task, shared, train, test, scorer, params) if len(test) else np.nan)
        except Exception as error:
            return values, error
    return values, None


def _score(task: Task, shared: Shared, train: Integers, test: Integers, scorer: Any, params: dict[str, Any]) -> float:
    learner = Labelled(_fit(task, shared, train), shared.classes[list(task.classes)])
    rows = take(shared.x, test, train if shared.square else None)
    return checked(scorer, learner, rows, shared.classes[shared.code[test]], **cut(params, test, len(shared.code)))


def fit(task: Task, shared: Shared, trained: bool) -> Fit:
    """The fit on all rows of the pair; its scores of them if asked, and those of rows that a fold held out."""
    try:
        rows = _rows(task, shared)
        learner = _fit(task, shared, rows)
        # One row is enough to see that a learner has nothing but NaN to say, as naive Bayes of constant columns.
        seen = rows if trained else rows[:1]
        own = _scores(task, shared, learner, seen, rows)
        return Fit(
            learner, leveled(own) if trained else None, None if shared.folds is None else _held_out(task, shared, rows)
        )
    except Exception as error:
        return Fit(error=error)


def held_out(task: Task, shared: Shared) -> Fit:
    """The scores of rows that a fold held out."""
    try:
        return Fit(held_out=_held_out(task, shared, _rows(task, shared)))
    except Exception as error:
        return Fit(error=error)


def _held_out(task: Task, shared: Shared, rows: Integers) -> Array:
    out = np.empty(len(rows))
    for train, test in _split(task, shared):
        if len(test):
            learner = _fit(task, shared, train)
            out[np.searchsorted(rows, test)] = _scores(task, shared, learner, test, train)
    return leveled(out)


def _rows(task: Task, shared: Shared) -> Integers:
    return np.arange(len(shared.code)) if task.union else np.flatnonzero(task.members(shared.code))


def _split(task: Task, shared: Shared) -> Iterator[tuple[Integers, Integers]]:
    """The folds, of the rows of a task."""
    assert shared.folds is not None
    rows = _rows(task, shared)
    for train, test in zip(shared.folds.train, shared.folds.test, strict=True):
        yield rows[train[rows]], rows[test[rows]]


def _fit(task: Task, shared: Shared, rows: Integers) -> Any:
    """The learner on some rows."""
    x = take(shared.x, rows, rows if shared.square else None)
    return clone(task.learner).fit(x, task.target(shared.code[rows]), **cut(shared.params, rows, len(shared.code)))


def _scores(task: Task, shared: Shared, learner: Any, rows: Integers, seen: Integers) -> Array:
    """Scores of some rows by a learner that has seen others."""
    return learners.scores(learner, take(shared.x, rows, seen if shared.square else None), task.kind, task.label)


class PlainPairs:
    """Fitted learners of some pairs."""

    def __init__(self, problem: Problem, tasks: Sequence[Task], fits: Sequence[Fit]) -> None:
        self.pairs = np.array([task.pair for task in tasks])
        self._names = [problem.name(task.pair) for task in tasks]
        self._members = [
            (fit.learner, task.kind, task.label, problem.rows(task.pair) if problem.square and not task.union else None)
            for task, fit in zip(tasks, fits, strict=True)
        ]

    def scores(self, x: Any) -> Array:
        """Scores of all rows, a column for each pair."""
        out = np.empty((x.shape[0] if hasattr(x, "shape") else len(x), len(self._members)))
        for column, (learner, kind, label, seen) in enumerate(self._members):
            try:
                out[:, column] = learners.scores(learner, x if seen is None else x[:, seen], kind, label)
            except InputError:
                raise
            except Exception as error:
                raise cannot_answer(learner, self._names[column], error) from error
        return out

    def learner(self, place: int) -> Any:
        """Fitted learner of a pair."""
        return self._members[place][0]
