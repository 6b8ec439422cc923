"""Scores of methods on data sets, on the same splits for all of them."""

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold
from sklearn.utils.parallel import delayed
from tqdm import tqdm

from pwcstats import _params
from pwcstats._jobs import in_parallel, key_of, seed_of
from pwcstats._kernels.blas import one_thread
from pwcstats.compare import cells
from pwcstats.compare import runner_reading as checks
from pwcstats.compare.cells import Data, Method, Outcome, Split
from pwcstats.datasets import load
from pwcstats.errors import FailedCellWarning

__all__ = ["benchmark"]

# Cells that an older way of running them has left in a cache are not met again.
_FORMAT = 1


def benchmark(
    methods: Mapping[str, Any] | Sequence[Any],
    datasets: Mapping[str, Any] | Sequence[str],
    *,
    repeats: int = 1,
    cv: Any = 5,
    scoring: str | Callable[..., float] | Sequence[str] | Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    progress: bool = True,
    cache: str | os.PathLike[str] | None = None,
    random_state: int | None = 0,
) -> pd.DataFrame:
    """Score every method on every data set, with the same splits for all methods.

    Parameters
    ----------
    methods : dict, or list
        Scikit-learn estimators by name, or a list of them, or of (name, estimator). Without names, they are called by
        their classes in small letters (of a pipeline, by its last step), numbered where these repeat. They are cloned
        for each fit, and so not changed.
    datasets : dict, or list of str
        By name: (X, y), or (X, y, groups), or a Bunch or dict with `data`, `target` and perhaps `groups`, or a name
        for :func:`pwcstats.datasets.load`; or a list of such names. X may be an array, a frame or a sparse matrix.
    repeats : int
        How often each data set is split anew.
    cv : int or splitter
        Folds: stratified if all methods are classifiers, shuffled, and with groups, no group in two of them. Or a
        scikit-learn splitter; if it shuffles, a copy is given a seed of its own in each repeat (in the first, it keeps
        a number that it has as its random_state). One that does not shuffle has nothing to repeat.
    scoring : str, callable, list or dict, optional
        A score that scikit-learn knows, or a callable ``scorer(estimator, X, y)``; or several, as a list of names or a
        dict of names or callables. By default accuracy for classifiers and r2 for regressors.
    n_jobs : int, optional
        Cells that run at the same time, as joblib counts them; :func:`joblib.parallel_config` chooses where, on a dask
        cluster for example.
    progress : bool
        Whether a bar on stderr shows how many cells are done, were found in the cache, and failed.
    cache : str or path-like, optional
        A directory (which all workers see) in which each cell is kept as soon as it is done. A call that was
        interrupted or killed goes on from there when it is made again, and one with further methods, data sets or
        repeats fits these only.
    random_state : int, optional
        What all seeds derive from. None: others each time.

    Returns
    -------
    DataFrame
        A row for each data set, repeat, fold and method, in this order, and then for each metric if `scoring` names
        several. Columns:

        - method, dataset: names.
        - repeat, fold: numbers from 0.
        - metric: only with several scores.
        - score: NaN where the cell failed.
        - n_train, n_test: numbers of rows.
        - fit_time, score_time: seconds; of the scoring, for all metrics together. From the cache, as they were when the
          cell was run.
        - error: what went wrong, as in "ValueError: Input X contains NaN."; empty where nothing did.

    Raises
    ------
    InputError
        If something cannot be run at all; before any fit.

    Warns
    -----
    FailedCellWarning
        If cells failed: a fit, a prediction or a score raised an error, or the score is NaN. The others are not
        touched by it.

    Notes
    -----
    Seeds derive from `random_state`, the name of the data set, the repeat and, for parameters `random_state` that are
    None (at any depth, and in splitters that are parameters), the fold. So a cell gives the same score whatever other
    methods and data sets there are, and whatever `n_jobs` is: each cell has one thread of BLAS and OpenMP, so that even
    the last bits agree. Only a method that is no classifier, put among classifiers, changes the folds of a number `cv`.

    The cache knows a cell by what it depends on: the class and the parameters of the estimator, the data, the rows of
    the split, the scores, the seed, scikit-learn's configuration, and the versions of scikit-learn and pwcstats; names
    do not matter. The lines of classes and functions of your own count, too, but not the lines that they call: empty
    the directory after a change there, or after an update of another package. Cells that failed are not kept, and are
    tried again.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from pwcstats.compare import benchmark
    >>> methods = {"bayes": GaussianNB(), "neighbours": KNeighborsClassifier()}
    >>> scores = benchmark(methods, ["iris", "wine"], repeats=2, progress=False)
    >>> scores.shape
    (40, 10)
    >>> scores.pivot_table(index="dataset", columns="method", values="score").round(2)
    method   bayes  neighbours
    dataset
    iris      0.95        0.96
    wine      0.97        0.68
    """
    seed = _params.seed(random_state)
    place = checks.read_cache(cache, seed)
    n_jobs, repeats = _params.jobs(n_jobs), _params.count(repeats, "repeats")
    _params.flag(progress, "progress")
    estimators = checks.read_methods(methods)
    stratified = all(map(_is_classifier, estimators.values()))
    scorers, several = checks.read_scoring(scoring, stratified, all(map(_is_regressor, estimators.values())))
    splitter = checks.read_cv(cv, repeats)
    tables = checks.read_datasets(datasets)
    seed = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed

    plan = list(_plan(estimators, tables, splitter, repeats, seed, stratified))
    files = [None] * len(plan) if place is None else list(_files(plan, scorers, place))
    outcomes = _outcomes(plan, files, scorers, n_jobs, progress)
    failures = [
        (checks.cell_words(cell.method, cell.dataset, cell.repeat, cell.fold), outcome.error)
        for cell, outcome in zip(plan, outcomes, strict=True)
        if outcome.error
    ]
    if failures:
        warnings.warn(checks.failed_words(failures, len(plan)), FailedCellWarning, stacklevel=2)
    return _frame(plan, outcomes, list(scorers), several)


@dataclass(frozen=True, eq=False)
class _Cell:
    """A method on a split of a data set, by their names and as they are."""

    method: str
    dataset: str
    repeat: int
    fold: int
    learner: Method
    data: Data
    split: Split


def _is_classifier(estimator: Any) -> bool:
    return _is_kind(estimator, is_classifier, "classifier")


def _is_regressor(estimator: Any) -> bool:
    return _is_kind(estimator, is_regressor, "regressor")


def _is_kind(estimator: Any, ask: Callable[[Any], bool], kind: str) -> bool:
    try:
        return bool(ask(estimator))
    except AttributeError:  # not derived from BaseEstimator, which knows
        return getattr(estimator, "_estimator_type", None) == kind


def _plan(
    estimators: dict[str, Any], tables: dict[str, Any], cv: Any, repeats: int, seed: int, stratified: bool
) -> Iterator[_Cell]:
    """All cells, in the order of the rows of the result."""
    learners = {name: cells.prepare(estimator) for name, estimator in estimators.items()}
    for dataset, value in tables.items():
        x, y, groups = checks.read_table(dataset, load(value) if isinstance(value, str) else value)
        data, rare = Data(x, y), False
        for repeat in range(repeats):
            splitter = _splitter(cv, seed_of("splits", seed, dataset, repeat), repeat, stratified, groups)
            splits, missed = _splits(splitter, x, y, groups, dataset)
            if missed and not rare:
                warnings.warn(checks.rare_words(dataset, y, len(splits)), UserWarning, stacklevel=3)
            rare |= missed
            for fold, (train, test) in enumerate(splits):
                split = Split(train, test, seed_of("fits", seed, dataset, repeat, fold))
                for method, learner in learners.items():
                    yield _Cell(method, dataset, repeat, fold, learner, data, split)


def _splitter(cv: Any, seed: int, repeat: int, stratified: bool, groups: Any) -> Any:
    if isinstance(cv, int):
        if groups is None:
            kind = StratifiedKFold if stratified else KFold
        else:
            kind = StratifiedGroupKFold if stratified else GroupKFold
        return kind(cv, shuffle=True, random_state=seed)
    own = repeat == 0 and isinstance(getattr(cv, "random_state", None), (int, np.integer))
    return cells.reshuffled(cv, seed) if checks.shuffles(cv) and not own else cv


def _splits(splitter: Any, x: Any, y: NDArray[Any], groups: Any, dataset: str) -> tuple[list[Any], bool]:
    """Training and test rows; and whether a class has fewer rows than there are folds."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            splits = list(splitter.split(x, y, groups))
        except (ValueError, TypeError) as error:
            raise checks.cannot_split(dataset, splitter, error) from error
    # scikit-learn's words do not tell which data set it is, nor which class.
    rare = [each for each in said if "least populated class" in str(each.message)]
    for each in said:
        if each not in rare:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    if not splits:
        raise checks.cannot_split(dataset, splitter)
    return [checks.read_split(dataset, split, len(y)) for split in splits], bool(rare)


def _files(plan: Sequence[_Cell], scorers: dict[str, Any], place: Path) -> Iterator[Path]:
    """The file of each cell in the cache. Everything that many cells share is looked at once."""
    versions = [_FORMAT, version("pwcstats"), sklearn.__version__, sys.version_info[:2]]
    common = [versions, repr(sklearn.get_config()), cells.mark_of_scorers(scorers)]
    marks: dict[int, str] = {}

    def mark(thing: Any, function: Callable[..., str], *arguments: Any) -> str:
        if id(thing) not in marks:
            marks[id(thing)] = function(*arguments)
        return marks[id(thing)]

    for cell in plan:
        method = mark(cell.learner, cells.mark_of_method, cell.method, cell.learner.estimator)
        data = mark(cell.data, cells.mark_of_data, cell.dataset, cell.data)
        rows = mark(cell.split, cells.mark_of_rows, cell.split)
        yield place / f"{key_of(common, method, data, rows, cell.split.seed)}.json"


def _outcomes(
    plan: Sequence[_Cell], files: Sequence[Path | None], scorers: dict[str, Any], n_jobs: int | None, progress: bool
) -> list[Outcome]:
    """What the cells give, from the cache or run now, in the order of the plan."""
    outcomes = [None if file is None else cells.read(file, len(scorers)) for file in files]
    todo = [number for number, outcome in enumerate(outcomes) if outcome is None]
    found, failed = len(plan) - len(todo), 0
    calls = (delayed(cells.run)(k, plan[k].data, plan[k].learner, plan[k].split, scorers, files[k]) for k in todo)
    bar = tqdm(total=len(plan), initial=found, desc="benchmark", unit="cell", disable=not progress)
    # Threads have what this one sets; other processes see to it themselves.
    with bar, one_thread(openmp=True):
        bar.set_postfix(cached=found, failed=failed)
        for number, outcome in in_parallel(calls, n_jobs, ordered=False):
            outcomes[number] = outcome
            failed += bool(outcome.error)
            bar.set_postfix(cached=found, failed=failed, refresh=False)
            bar.update()
    return [outcome for outcome in outcomes if outcome is not None]


def _frame(plan: Sequence[_Cell], outcomes: Sequence[Outcome], metrics: Sequence[str], several: bool) -> pd.DataFrame:
    n = len(metrics)
    each = [cell for cell in plan for _ in metrics]
    columns: dict[str, Any] = {
        "method": [cell.method for cell in each],
        "dataset": [cell.dataset for cell in each],
        "repeat": [cell.repeat for cell in each],
        "fold": [cell.fold for cell in each],
        "metric": list(metrics) * len(plan),
        "score": [score for outcome in outcomes for score in outcome.scores],
        "n_train": [len(cell.split.train) for cell in each],
        "n_test": [len(cell.split.test) for cell in each],
        "fit_time": np.repeat([outcome.fit_time for outcome in outcomes], n),
        "score_time": np.repeat([outcome.score_time for outcome in outcomes], n),
        "error": [error for outcome in outcomes for error in outcome.errors],
    }
    if not several:
        del columns["metric"]
    return pd.DataFrame(columns)
