"""Compilation of kernels by numba."""

from typing import Any

from numba import njit


def compiled(function: Any) -> Any:
    """Compile a function without the GIL and with IEEE division; cache it on disk if possible."""
    try:
        return njit(nogil=True, cache=True, error_model="numpy")(function)
    except RuntimeError:  # numba has no writable folder
        return njit(nogil=True, error_model="numpy")(function)
