"""Parallel work, and cells of long computations: each is saved to its own file as soon as it is done."""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from sklearn.utils.parallel import Parallel, delayed
from tqdm import tqdm

from pwcstats._files import write_file
from pwcstats._kernels.blas import one_thread


def key_of(*parts: Any) -> str:
    """A file name for a cell, which depends on all parts."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:40]


def seed_of(*parts: Any) -> int:
    """A seed that depends on all parts and on nothing else."""
    return int.from_bytes(hashlib.sha256(json.dumps(parts).encode()).digest()[:4], "big") >> 1


def read_kept(file: Path) -> Any:
    """The content of a cell's file; None if the file is missing, foreign or corrupt."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return content if content["key"] == file.stem else None
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return None


def keep(file: Path, content: dict[str, Any]) -> None:
    """Write the file of a cell."""
    write_file(file, json.dumps({"key": file.stem} | content))


def digest(content: bytes) -> str:
    """A hash of some content."""
    return hashlib.sha256(content).hexdigest()


def in_parallel(calls: Iterable[Any], n_jobs: int | None, *, ordered: bool = True, **options: Any) -> Iterable[Any]:
    """Results as they arrive, in the order of the calls if `ordered`; all at the end if the backend has no generators.

    `options` go to joblib's ``Parallel``.
    """
    try:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator" if ordered else "generator_unordered", **options)
    except ValueError:
        parallel = Parallel(n_jobs=n_jobs, **options)
    return parallel(calls)


def run_tasks(
    function: Callable[..., Any],
    arguments: Sequence[tuple[Any, ...]],
    n_jobs: int | None,
    *,
    description: str = "",
    verbose: int = 0,
    **options: Any,
) -> list[Any]:
    """``function(*each)`` for each of the arguments, in their order, with a progress bar if `verbose`.

    Every call has one BLAS thread wherever it runs, so that results are bit-identical for any `n_jobs`, and workers do
    not compete for cores. `options` go to joblib's ``Parallel``.
    """
    with one_thread():
        calls = (delayed(_on_one_thread)(function, *each) for each in arguments)
        done = in_parallel(calls, n_jobs, **options)
        return list(tqdm(done, total=len(arguments), desc=description, disable=not verbose))


def _on_one_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    with one_thread():
        return function(*arguments)
