"""Folds: made once on all rows and shared by all pairs, so that one fit of all classes can serve every pair."""

import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, check_cv

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._text import listed, shown
from pwcstats.errors import InputError, PwcWarning, arg, code, value, warn
from pwcstats.pairwise.data import Integers, Mask, Problem


class Folds:
    """Training and test rows of each fold, as masks.

    `number` holds the fold in which each row is held out; it is None if some row is held out never or twice.
    `complements` says whether each fold trains on all rows that it does not hold out. The rows `kept` are in all
    training sets; their number is -1. If there is a `sample` of rows, the learners of all pairs score these when they
    are held out, whatever their classes are.
    """

    def __init__(self, splits: Any, n_rows: int, name: str, kept: Mask | None = None) -> None:
        self.kept: Mask = np.zeros(n_rows, np.bool_) if kept is None else kept
        self.sample: Integers | None = None
        self.train: list[Mask] = []
        self.test: list[Mask] = []
        held = np.full(n_rows, -1, np.int64)
        for number, (train, test) in enumerate(splits):
            self.train.append(_mask(train, n_rows, number, name) | self.kept)
            self.test.append(_mask(test, n_rows, number, name) & ~self.kept)
            held[self.test[-1]] = number
            if (self.train[-1] & self.test[-1]).any():
                raise InputError(
                    f"fold {number} of {arg(name)} trains on rows that it holds out; give folds whose training and "
                    "test rows differ."
                )
        once = bool((np.sum(self.test, axis=0)[~self.kept] == 1).all()) if self.test else bool(self.kept.all())
        self.number: Integers | None = held if once else None
        self.complements = all((train != test).all() for train, test in zip(self.train, self.test, strict=True))

    def held(self) -> Integers:
        """The fold in which each row is held out, if each row is held out once; -1 for rows that are kept."""
        assert self.number is not None
        return self.number

    @cached_property
    def sample_of_folds(self) -> list[Integers]:
        """Which rows of the sample each fold holds out."""
        assert self.sample is not None
        return self.rows_of_folds(self.sample)

    def rows_of_folds(self, rows: Integers) -> list[Integers]:
        """Which of some rows each fold holds out."""
        return [np.flatnonzero(self.held()[rows] == number) for number in range(len(self))]

    def __len__(self) -> int:
        return len(self.test)


class HeldOut(NamedTuple):
    """Scores of held-out rows: own margins, and for the rows of the folds' sample the scores of all pairs."""

    margins: Array
    sampled: Array | None


def _mask(rows: Any, n_rows: int, fold: int, name: str) -> Mask:
    """Rows, given by their indices or by a mask, as a mask."""
    rows = np.asarray(rows)
    if rows.dtype == np.bool_:
        rows = np.flatnonzero(rows)
    if len(rows) and rows.max() >= n_rows:
        raise InputError(
            f"fold {fold} of {arg(name)} has the row {rows.max()}, but {arg('X')} has {n_rows} rows; give a splitter "
            "or a number of folds, which adapts to the rows (for example inside a cross-validation)."
        )
    if len(np.unique(rows)) < len(rows):
        raise InputError(
            f"fold {fold} of {arg(name)} has rows more than once, as in a bootstrap; give folds without repetitions."
        )
    mask = np.zeros(n_rows, np.bool_)
    mask[rows] = True
    return mask


def make_folds(
    cv: Any, problem: Problem, name: str, random_state: int | None, why: tuple[str, str], **split_params: Any
) -> Folds:
    """Folds from a number, a splitter or a list, with every class in all training sets.

    A number means stratified folds, shuffled if there is a seed. The row of a class that has no other is then in all
    training sets. `why` says, for a warning of this, what follows from it, and how to avoid it.
    """
    kept = None
    if _params.is_whole(cv):
        alone = np.bincount(problem.code, minlength=problem.n_classes) == 1
        if _params.count(cv, name, least=2) and alone.any():
            kept = alone[problem.code]
            effect, instead = why
            few = [shown(label) for label in problem.classes[alone]]
            subject = f"the classes {listed(few)} have one row each" if len(few) > 1 else f"class {few[0]} has one row"
            warning = PwcWarning(
                f"{subject}, which {arg(name)} cannot hold out, so {effect}; give more rows, drop or merge "
                f"{'the classes' if len(few) > 1 else 'the class'}, or {instead}."
            )
            warn(warning)
    folds = _split(cv, problem.x, problem.y, name, random_state, kept, **split_params)
    for number, train in enumerate(folds.train):
        present = np.bincount(problem.code[train], minlength=problem.n_classes)
        if present.min() == 0:
            raise InputError(
                f"class {shown(problem.classes[np.argmin(present)])} has no row to train on in fold {number} of "
                f"{arg(name)}; use a stratified splitter, shuffle the rows, or give the number of folds."
            )
    return folds


def make_group_folds(
    cv: Any, x: Any, groups: Integers, labels: Sequence[str], name: str, random_state: int | None
) -> Folds:
    """Folds that hold out each row once. A group of one row stays in training; no group is held out as a whole."""
    counts = np.bincount(groups)
    if _params.is_whole(cv) and counts.max() < 2:
        raise InputError(
            f"{arg(name)} cannot hold out rows, because every group has only one row; give more rows, or set it to "
            f"{value(None)}."
        )
    folds = _split(cv, x, groups, name, random_state, None)
    check_held_out_once(folds, name)
    for number, train in enumerate(folds.train):
        absent = (counts > 1) & (np.bincount(groups[train], minlength=len(counts)) == 0)
        if absent.any():
            raise InputError(
                f"fold {number} of {arg(name)} holds out all rows of {labels[int(np.argmax(absent))]}, so none is left "
                "to train on; use a stratified splitter, shuffle the rows, or give the number of folds."
            )
    return folds


def check_held_out_once(folds: Folds, name: str, why: str = "to give each row its score") -> None:
    """Refuse folds that hold out some row never or twice."""
    if folds.number is None:
        raise InputError(
            f"{arg(name)} must hold out every row exactly once, as {code('KFold')} does, {why}; choose "
            "another splitter."
        )


def _split(
    cv: Any, x: Any, y: NDArray[Any], name: str, random_state: int | None, kept: Mask | None, **split_params: Any
) -> Folds:
    """Folds of a splitter; a number means stratified folds, at most as many as the largest class has rows."""
    if kept is not None and kept.all():
        return Folds([], len(y), name, kept)
    if _params.is_whole(cv):
        most = int(np.unique(y, return_counts=True)[1].max())
        cv = StratifiedKFold(min(int(cv), most), shuffle=random_state is not None, random_state=random_state)
        split_params = {}  # groups are for a splitter that asks for them
    with warnings.catch_warnings():
        # A class with fewer rows than folds is missing from some test sets, but from no training set.
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        splits = list(check_cv(cv, y, classifier=True).split(x, y, **split_params))
    return Folds(splits, len(y), name, kept)
