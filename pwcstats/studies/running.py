"""How studies run: in cells that can be stopped and resumed."""

import hashlib
import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache as once
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from sklearn.utils.parallel import delayed
from tqdm import tqdm

from pwcstats._jobs import in_parallel, keep, key_of, read_kept
from pwcstats._kernels.blas import one_thread
from pwcstats._validate.benchmarks import read_cache
from pwcstats._validate.classifiers import refuse_flag
from pwcstats._validate.common import choice, read_n_jobs
from pwcstats._validate.fits import read_count
from pwcstats.errors import InputError

__all__ = ["Size", "chosen", "run_cells"]

Size = Literal["quick", "paper"]
Record = dict[str, Any]
# What the numbers of a cell depend on, besides its parameters and the lines of its study.
PACKAGES = ("pwcstats", "numpy", "scipy", "scikit-learn", "statsmodels")


def chosen(size: Any, quick: Any, paper: Any) -> Any:
    """What belongs to a size."""
    return quick if choice(size, ("quick", "paper"), "size") == "quick" else paper


def run_cells(
    function: Callable[..., list[Record]],
    cells: Sequence[Mapping[str, Any]],
    *,
    n_jobs: int | None = None,
    progress: bool = False,
    cache: str | os.PathLike[str] | None = None,
) -> pd.DataFrame:
    """Run a function once for each cell of a study.

    Parameters
    ----------
    function : callable
        A function of a module, by its name: takes the parameters of a cell and returns records, dicts of words and
        numbers.
    cells : sequence of dict
        Parameters, as words and numbers. The seed is one of them, so that a cell does not depend on the others.
    n_jobs : int, optional
        Cells that run at the same time, as joblib counts them; :func:`joblib.parallel_config` chooses where.
    progress : bool
        Whether a bar on stderr shows how many cells are done, and how many of them were there before.
    cache : str or path-like, optional
        A directory in which each cell is kept as soon as it is done. A study that was stopped or killed goes on from
        there when it is started again. A cell is known by its parameters, the lines of the study's module, and the
        versions of what it runs on.

    Returns
    -------
    DataFrame
        A row for each record, in the order of the cells: the cell's parameters, then the record.
    """
    n_jobs, place = read_n_jobs(n_jobs), read_cache(cache, 0)
    refuse_flag(progress, "progress")
    if not cells:
        raise InputError("there is nothing to run: ask for one repeat, run or sample at least.")
    for cell in cells:
        read_count(cell.get("seed", 0), "random_state", 0)
        for key in ("repeats", "replicates"):
            read_count(cell.get(key, 1), key)
    name = f"{function.__module__.rsplit('.', 1)[-1]}.{function.__name__}"
    files = [
        None if place is None else place / f"{key_of(_lines_of(function), name, dict(cell))}.json" for cell in cells
    ]
    records = [None if file is None else (read_kept(file) or {}).get("records") for file in files]
    todo = [number for number, found in enumerate(records) if found is None]
    calls = (delayed(_run)(number, function, dict(cells[number]), files[number]) for number in todo)
    bar = tqdm(total=len(cells), initial=len(cells) - len(todo), desc=name, unit="cell", disable=not progress)
    # Threads have what this one sets; other processes see to it themselves.
    with bar, one_thread(openmp=True):
        for number, found in in_parallel(calls, n_jobs):
            records[number] = found
            bar.update()
    rows = [{**cell, **record} for cell, found in zip(cells, records, strict=True) for record in found or []]
    return pd.DataFrame(rows)


def _run(
    number: int, function: Callable[..., list[Record]], cell: Record, file: Path | None
) -> tuple[int, list[Record]]:
    """The records of a cell, after its number; one thread, so that sums have the same bits wherever it runs."""
    with one_thread(openmp=True):
        records = [{key: _plain(value) for key, value in record.items()} for record in function(**cell)]
    if file is not None:
        keep(file, {"records": records})
    return number, records


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


@once
def _lines_of(function: Callable[..., Any]) -> str:
    """A fingerprint of the lines of a study and of what it runs on."""
    lines = inspect.getsource(inspect.getmodule(function) or function)
    versions = [*map(version, PACKAGES), sys.version_info[:2]]
    return hashlib.sha256(repr((lines, versions)).encode()).hexdigest()
