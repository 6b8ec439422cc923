"""Contexts that limit BLAS to one thread.

OpenBLAS splits every matrix among all cores, which then wait for each other. On a busy machine, or with parallel fits,
a matrix of a hundred rows takes a hundred times as long as on one thread.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from threading import current_thread, main_thread
from typing import Any

from threadpoolctl import ThreadpoolController

# Number of rows from which a second thread pays.
SMALL = 500


@cache
def _libraries() -> list[Any]:
    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


# Whether the context below is active, so that contexts inside it need not ask the libraries. Only the main thread
# enters it.
_is_limited = False


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    """What threadpoolctl's `limit` does, in a fifth of its time, which is that of a product of small matrices."""
    global _is_limited
    before = [(library, library.num_threads) for library in _libraries()]
    changed = [(library, number) for library, number in before if number != 1]
    for library, _ in changed:
        library.set_num_threads(1)
    _is_limited = True
    try:
        yield
    finally:
        _is_limited = False
        for library, number in changed:
            library.set_num_threads(number)


def threads_for(n_rows: int) -> Any:
    """A context with one BLAS thread if matrices have few rows; otherwise the user's setting is kept."""
    return nullcontext() if n_rows > SMALL else one_thread()


def one_thread(openmp: bool = False) -> Any:
    """A context with one BLAS thread (and, with `openmp`, one OpenMP thread); it has an effect on the main thread only.

    The setting belongs to the process. If two threads changed it, each would restore the value of the other.
    """
    if current_thread() is not main_thread():
        return nullcontext()
    if openmp:
        # Libraries that use OpenMP, such as LightGBM, may have been loaded since the last call.
        return ThreadpoolController().limit(limits=1)
    return nullcontext() if _is_limited else _one_blas_thread()
