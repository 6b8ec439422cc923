"""`benchmark`: scores of methods on data sets, with the same splits for all methods."""

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
from pwcstats._text import named, shown
from pwcstats.compare import benchmark_arguments as arguments
from pwcstats.compare import cells
from pwcstats.compare.cells import Data, Method, Outcome, Split
from pwcstats.datasets import load
from pwcstats.datasets.real import read_name
from pwcstats.errors import FailedCellWarning, InputError, PwcWarning, arg, warn

__all__ = ["benchmark"]

# To be increased if cells are run in another way, so that older files in a cache are not used.
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
        Scikit-learn estimators by name, or a list of them, or of (name, estimator). Without names, they are named after
        their classes in lower case (a pipeline after its last step), numbered if there are several of a class. They are
        cloned for each fit, and thus not changed.
    datasets : dict, or list of str
        By name: (X, y), or (X, y, groups), or a Bunch or dict with `data`, `target` and possibly `groups`, or a name
        for :func:`pwcstats.datasets.load`; or a list of such names. X may be an array, a frame or a sparse matrix.
    repeats : int
        Number of times that each data set is split.
    cv : int or splitter
        Number of folds: these are shuffled, stratified if all methods are classifiers, and with groups, no group is in
        two of them. Or a scikit-learn splitter. If it shuffles, a copy of it gets a new seed in each repeat, except
        that the first repeat uses a seed that the splitter has. One that does not shuffle allows only one repeat.
    scoring : str, callable, list or dict, optional
        The name of a scikit-learn score, or a callable ``scorer(estimator, X, y)``; or several, as a list of names or a
        dict of names or callables. By default accuracy for classifiers and r2 for regressors.
    n_jobs : int, optional
        Number of cells that run in parallel, as in joblib; :func:`joblib.parallel_config` chooses where, for example on
        a dask cluster.
    progress : bool
        Whether a bar on stderr shows how many cells are done, were found in the cache, and failed.
    cache : str or path-like, optional
        A directory (visible to all workers) in which the outcome of each cell is saved as soon as it is done. If a call
        is interrupted or killed, the same call resumes from there. A call with further methods, data sets or repeats
        fits only these.
    random_state : int, optional
        Seed from which all other seeds are derived. None: a random one.

    Returns
    -------
    DataFrame
        One row per data set, repeat, fold and method, in this order, and per metric if `scoring` names several.
        Columns:

        - method, dataset: names.
        - repeat, fold: numbers from 0.
        - metric: only with several scores.
        - score: NaN if the cell failed.
        - n_train, n_test: numbers of rows.
        - fit_time, score_time: seconds; the time of scoring is for all metrics together. Cells from the cache have
          their original times.
        - error: the error, as in "ValueError: Input X contains NaN."; empty if there was none.

    Raises
    ------
    InputError
        If something cannot be run at all; before any fit.

    Warns
    -----
    FailedCellWarning
        If cells failed: a fit, a prediction or a score raised an error, or the score is NaN. Other cells are not
        affected.

    Notes
    -----
    Seeds of splits are derived from `random_state`, the name of the data set and the repeat. Seeds of fits depend on
    the fold, too; they are used for all parameters `random_state` that are None (at any depth, and in splitters that
    are parameters). The score of a cell therefore does not depend on the other methods and data sets, nor on `n_jobs`:
    each cell uses one thread of BLAS and OpenMP, so that scores are bit-identical. There is one exception: if `cv` is a
    number and one method is not a classifier, the folds are not stratified.

    The key of a cell in the cache depends on the class and the parameters of the estimator, the data, the rows of the
    split, the scores, the seed, scikit-learn's configuration, and the versions of scikit-learn and pwcstats, but not on
    names. It also depends on the code of your own classes and functions, but not on the code that they call: empty the
    directory after a change there, or after an update of another package. Cells that failed are not saved, and are run
    again.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from pwcstats import benchmark
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
    folder = arguments.read_cache(cache, seed)
    n_jobs, repeats = _params.jobs(n_jobs), _params.count(repeats, "repeats")
    _params.flag(progress, "progress")
    splitter = arguments.read_cv(cv, repeats)
    estimators = arguments.read_methods(methods)
    stratified = all(map(_is_classifier, estimators.values()))
    scorers, several = arguments.read_scoring(scoring, stratified, all(map(_is_regressor, estimators.values())))
    tables = arguments.read_datasets(datasets)
    seed = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed

    plan = list(_plan(estimators, tables, splitter, repeats, seed, stratified))
    files = [None] * len(plan) if folder is None else list(_files(plan, scorers, folder))
    outcomes = _outcomes(plan, files, scorers, n_jobs, progress)
    failures = [(cell, outcome.error) for cell, outcome in zip(plan, outcomes, strict=True) if outcome.error]
    if failures:
        warn(FailedCellWarning(_describe_failures(failures, len(plan))))
    return _frame(plan, outcomes, list(scorers), several)


@dataclass(frozen=True, eq=False)
class _Cell:
    """A method on a split of a data set: their names, and the objects."""

    method: str
    dataset: str
    repeat: int
    fold: int
    learner: Method
    data: Data
    split: Split

    def __str__(self) -> str:
        return f"{named(self.method)} on {named(self.dataset)} (repeat {self.repeat}, fold {self.fold})"


def _describe_failures(failures: Sequence[tuple[_Cell, str]], n_cells: int) -> str:
    """How many cells failed, and the first ones with each error."""
    cells_by_error: dict[str, list[_Cell]] = {}
    for cell, error in failures:
        cells_by_error.setdefault(error.rstrip("."), []).append(cell)
    kinds = [
        f"{failed[0]}{f' and {len(failed) - 1} more' if len(failed) > 1 else ''}: {error}"
        for error, failed in list(cells_by_error.items())[:3]
    ]
    more = "; and others, see the column error" if len(cells_by_error) > 3 else ""
    return f"{len(failures)} of {n_cells} cells failed and have the score NaN: {'; '.join(kinds)}{more}."


def _is_classifier(estimator: Any) -> bool:
    return _is_kind(estimator, is_classifier, "classifier")


def _is_regressor(estimator: Any) -> bool:
    return _is_kind(estimator, is_regressor, "regressor")


def _is_kind(estimator: Any, ask: Callable[[Any], bool], kind: str) -> bool:
    try:
        return bool(ask(estimator))
    except AttributeError:  # an estimator that is not derived from BaseEstimator
        return getattr(estimator, "_estimator_type", None) == kind


def _plan(
    estimators: dict[str, Any], tables: dict[str, Any], cv: Any, repeats: int, seed: int, stratified: bool
) -> Iterator[_Cell]:
    """All cells, in the order of the rows of the result."""
    learners = {name: cells.prepare(estimator) for name, estimator in estimators.items()}
    for dataset, value in tables.items():
        table = load(read_name(value, "datasets")) if isinstance(value, str) else value
        x, y, groups = arguments.read_table(dataset, table)
        data, has_warned = Data(x, y), False
        for repeat in range(repeats):
            splitter = _splitter(cv, seed_of("splits", seed, dataset, repeat), repeat, stratified, groups)
            splits, has_rare_class = _splits(splitter, x, y, groups, dataset)
            if has_rare_class and not has_warned:
                warn(PwcWarning(_describe_rare_class(dataset, y, len(splits))))
                has_warned = True
            for fold, (train, test) in enumerate(splits):
                split = Split(train, test, seed_of("fits", seed, dataset, repeat, fold))
                for method, learner in learners.items():
                    yield _Cell(method, dataset, repeat, fold, learner, data, split)


def _describe_rare_class(dataset: str, y: NDArray[Any], n_folds: int) -> str:
    """A warning of a class that is not in every test set."""
    classes, counts = np.unique(y, return_counts=True)
    rare = int(np.argmin(counts))
    return (
        f"data set {dataset!r}: class {shown(classes[rare])} has {counts[rare]} of the {len(y)} rows, fewer than the "
        f"{n_folds} folds, so that some folds are scored without it; use fewer folds, or merge the class with another."
    )


def _splitter(cv: Any, seed: int, repeat: int, stratified: bool, groups: Any) -> Any:
    if isinstance(cv, int):
        if groups is None:
            kind = StratifiedKFold if stratified else KFold
        else:
            kind = StratifiedGroupKFold if stratified else GroupKFold
        return kind(cv, shuffle=True, random_state=seed)
    keeps_seed = repeat == 0 and isinstance(getattr(cv, "random_state", None), (int, np.integer))
    return cells.reshuffled(cv, seed) if arguments.shuffles(cv) and not keeps_seed else cv


def _splits(splitter: Any, x: Any, y: NDArray[Any], groups: Any, dataset: str) -> tuple[list[Any], bool]:
    """Training and test rows; and whether a class has fewer rows than there are folds."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            splits = list(splitter.split(x, y, groups))
        except (ValueError, TypeError) as error:
            raise _cannot_split(dataset, splitter, arguments.one_line(error)) from error
    # scikit-learn's message names neither the data set nor the class.
    rare = [each for each in caught if "least populated class" in str(each.message)]
    for each in caught:
        if each not in rare:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    if not splits:
        raise _cannot_split(dataset, splitter, "it returned no splits")
    return [_read_split(dataset, split, len(y)) for split in splits], bool(rare)


def _cannot_split(dataset: str, splitter: Any, reason: str) -> InputError:
    return InputError(f"data set {dataset!r} cannot be split by {arg('cv')}={arguments.brief(splitter)}: {reason}")


def _read_split(dataset: str, split: Any, n_rows: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Indices of the training and of the test rows."""
    train, test = (np.asarray(rows) for rows in split)
    train, test = (np.flatnonzero(rows) if rows.dtype == np.bool_ else rows for rows in (train, test))
    for rows, part in ((train, "training"), (test, "test")):
        if len(rows) == 0:
            raise InputError(f"{arg('cv')} must return training and test rows, got no {part} rows of {dataset!r}.")
        if rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n_rows:
            raise InputError(
                f"{arg('cv')} must return indices of rows below {n_rows}, got others for data set {dataset!r}; use a "
                "splitter that adapts to the number of rows."
            )
    return train.astype(np.intp, copy=False), test.astype(np.intp, copy=False)


def _files(plan: Sequence[_Cell], scorers: dict[str, Any], folder: Path) -> Iterator[Path]:
    """The file of each cell in the cache. What many cells share is hashed once."""
    versions = [_FORMAT, version("pwcstats"), sklearn.__version__, sys.version_info[:2]]
    common = [versions, repr(sklearn.get_config()), cells.hash_of_scorers(scorers)]
    hashes: dict[int, str] = {}

    def hashed(thing: Any, function: Callable[..., str], *inputs: Any) -> str:
        if id(thing) not in hashes:
            hashes[id(thing)] = function(*inputs)
        return hashes[id(thing)]

    for cell in plan:
        method = hashed(cell.learner, cells.hash_of_method, cell.method, cell.learner.estimator)
        data = hashed(cell.data, cells.hash_of_data, cell.dataset, cell.data)
        rows = hashed(cell.split, cells.hash_of_rows, cell.split)
        yield folder / f"{key_of(common, method, data, rows, cell.split.seed)}.json"


def _outcomes(
    plan: Sequence[_Cell], files: Sequence[Path | None], scorers: dict[str, Any], n_jobs: int | None, progress: bool
) -> list[Outcome]:
    """The outcomes of the cells, from the cache or run now, in the order of the plan."""
    outcomes = [None if file is None else cells.read(file, len(scorers)) for file in files]
    todo = [index for index, outcome in enumerate(outcomes) if outcome is None]
    found, failed = len(plan) - len(todo), 0
    calls = (delayed(cells.run)(k, plan[k].data, plan[k].learner, plan[k].split, scorers, files[k]) for k in todo)
    bar = tqdm(total=len(plan), initial=found, desc="benchmark", unit="cell", disable=not progress)
    # Threads inherit this limit; other processes set it themselves.
    with bar, one_thread(openmp=True):
        bar.set_postfix(cached=found, failed=failed)
        for index, outcome in in_parallel(calls, n_jobs, ordered=False):
            outcomes[index] = outcome
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
