"""Work in cells: side by side, each kept in a file of its own as soon as it is done."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sklearn.utils.parallel import Parallel

from pwcstats._files import write_file


def key_of(*parts: Any) -> str:
    """A name for a cell that depends on everything in the parts."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:40]


def seed_of(*parts: Any) -> int:
    """A seed that depends on all parts and on nothing else."""
    return int.from_bytes(hashlib.sha256(json.dumps(parts).encode()).digest()[:4], "big") >> 1


def read_kept(file: Path) -> Any:
    """What is kept in the file of a cell; None where there is no file, or another's, or what a crash left of one."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return content if content["key"] == file.stem else None
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return None


def keep(file: Path, content: dict[str, Any]) -> None:
    """Write the file of a cell."""
    write_file(file, json.dumps({"key": file.stem} | content))


def digest(content: bytes) -> str:
    """A fingerprint of some content."""
    return hashlib.sha256(content).hexdigest()


def in_parallel(calls: Iterable[Any], n_jobs: int | None, *, ordered: bool = True, **options: Any) -> Iterable[Any]:
    """Results as they come, if `ordered` in the order of the calls; all at the end if the backend cannot do that."""
    try:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator" if ordered else "generator_unordered", **options)
    except ValueError:
        parallel = Parallel(n_jobs=n_jobs, **options)
    return parallel(calls)
