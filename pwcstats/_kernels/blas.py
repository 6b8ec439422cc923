"""Small matrices on one BLAS thread.

OpenBLAS gives every matrix to all cores and lets them wait for each other; on a busy machine, and in fits that run side
by side, a matrix of a hundred rows then takes a hundred times as long as it would alone.
"""

from contextlib import nullcontext
from functools import cache
from threading import current_thread, main_thread
from typing import Any

from threadpoolctl import ThreadpoolController

# Rows from which a second thread saves more than it may cost.
SMALL = 500


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def threads_for(n_rows: int) -> Any:
    """A context with one BLAS thread for matrices of few rows, and with what the user set for larger ones.

    The number is the process's, so other threads than the main one leave it alone: two that change it would restore
    each other's.
    """
    return nullcontext() if n_rows > SMALL else one_thread()


def one_thread(openmp: bool = False) -> Any:
    """A context with one BLAS thread (and one of OpenMP's), on the main thread; elsewhere as it was."""
    if current_thread() is not main_thread():
        return nullcontext()
    if openmp:
        # Libraries with OpenMP, such as LightGBM, may have been loaded since the last call.
        return ThreadpoolController().limit(limits=1)
    return _controller().limit(limits=1, user_api="blas")
