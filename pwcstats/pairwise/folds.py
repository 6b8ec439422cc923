"""Folds: made once on all rows and shared by all pairs, so that one fit of all classes can serve them."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, check_cv

from pwcstats import _params
from pwcstats.pairwise import checks
from pwcstats.pairwise.problem import Integers, Problem


class Folds:
    """Training and test rows of each fold, as masks.

    `number` holds the fold in which each row is held out; None where a row is held out never or twice.
    """

    def __init__(self, splits: Any, n_rows: int, name: str) -> None:
        self.train: list[NDArray[np.bool_]] = []
        self.test: list[NDArray[np.bool_]] = []
        held = np.full(n_rows, -1, np.int64)
        for number, (train, test) in enumerate(splits):
            self.train.append(_mask(train, n_rows, number, name))
            self.test.append(_mask(test, n_rows, number, name))
            held[test] = len(self.test) - 1
        once = bool((np.sum(self.test, axis=0) == 1).all()) if self.test else False
        self.number: Integers | None = held if once else None
        # Rows around the held-out ones may be left out of training, too.
        self.complements = all((train != test).all() for train, test in zip(self.train, self.test, strict=True))

    def held(self) -> Integers:
        """The fold in which each row is held out, where there is one."""
        assert self.number is not None
        return self.number

    def __len__(self) -> int:
        return len(self.test)


def _mask(rows: Any, n_rows: int, number: int, name: str) -> NDArray[np.bool_]:
    """Rows, given by their places or by a mask, as a mask."""
    rows = np.asarray(rows)
    if rows.dtype == np.bool_:
        rows = np.flatnonzero(rows)
    checks.refuse_other_rows(rows, n_rows, number, name)
    mask = np.zeros(n_rows, np.bool_)
    mask[rows] = True
    return mask


def make_folds(
    cv: Any, problem: Problem, name: str, random_state: int | None, why: tuple[str, str], **split_params: Any
) -> Folds:
    """Folds of a number, a splitter or a list; every class is in all training sets, or an error says which is not.

    A number of folds is stratified, and shuffled where there is a seed. `why` says what they are for, and how to do
    without them.
    """
    if _is_number(cv):
        counts = np.bincount(problem.code, minlength=problem.n_classes)
        if _params.count(cv, name, least=2) and counts.min() < 2:
            rare = int(np.argmin(counts))
            checks.refuse_rare_class(problem.classes[rare], counts[rare], name, *why)
    folds = _split(cv, problem.x, problem.y, name, random_state, **split_params)
    for number, train in enumerate(folds.train):
        present = np.bincount(problem.code[train], minlength=problem.n_classes)
        if present.min() == 0:
            checks.refuse_absent_class(problem.classes[np.argmin(present)], number, name)
    return folds


def make_group_folds(
    cv: Any, x: Any, groups: Integers, labels: Sequence[str], name: str, random_state: int | None
) -> Folds:
    """Folds in which each row is held out once. A group of one row stays in training, others are not held out whole."""
    counts = np.bincount(groups)
    if _is_number(cv) and counts.max() < 2:
        checks.refuse_alone(name)
    folds = _split(cv, x, groups, name, random_state)
    if folds.number is None:
        checks.refuse_overlap(name)
    for number, train in enumerate(folds.train):
        absent = (counts > 1) & (np.bincount(groups[train], minlength=len(counts)) == 0)
        if absent.any():
            checks.refuse_absent_group(labels[int(np.argmax(absent))], number, name)
    return folds


def _is_number(cv: Any) -> bool:
    return isinstance(cv, (int, np.integer)) and not isinstance(cv, bool)


def _split(cv: Any, x: Any, y: NDArray[Any], name: str, random_state: int | None, **split_params: Any) -> Folds:
    """Folds of a splitter; a number of them is stratified, no more than the largest class, shuffled by a seed."""
    if _is_number(cv):
        most = int(np.unique(y, return_counts=True)[1].max())
        cv = StratifiedKFold(min(int(cv), most), shuffle=random_state is not None, random_state=random_state)
        split_params = {}  # groups are for a splitter that asks for them
    with warnings.catch_warnings():
        # A class smaller than the number of folds is missing from some test sets, but from no training set.
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        splits = list(check_cv(cv, y, classifier=True).split(x, y, **split_params))
    return Folds(splits, len(y), name)
