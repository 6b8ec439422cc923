"""Run kernels on threads, each on chunks of samples. The kernels release the GIL."""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

# Work grows with the cube of the number of classes. With smaller chunks a thread costs more than it saves; with larger
# ones Ctrl-C takes long.
SMALLEST_WORK, LARGEST_WORK = 2**20, 2**26
# Chunks are whole blocks of this many samples, a multiple of what any machine couples at once.
BLOCK = 16


def count(n_jobs: int | None) -> int:
    """Number of threads, as joblib counts jobs; None means 1, or what a context of joblib says."""
    if n_jobs is None:
        # A context needs joblib, whose import takes longer than most calls.
        joblib = sys.modules.get("joblib")
        return 1 if joblib is None else int(joblib.effective_n_jobs())
    if n_jobs > 0:
        return n_jobs
    from joblib import cpu_count

    return max(int(cpu_count()) + 1 + n_jobs, 1)


def chunks(n_samples: int, n_classes: int, n_threads: int) -> list[tuple[int, int]]:
    """Bounds of chunks of whole blocks: a few per thread, so that all threads end at about the same time."""
    wanted = -(-n_samples // (4 * n_threads))
    size = max(min(max(wanted, SMALLEST_WORK // n_classes**3), LARGEST_WORK // n_classes**3), 1)
    size = -(-size // BLOCK) * BLOCK
    return [(first, min(first + size, n_samples)) for first in range(0, n_samples, size)]


def over_samples(
    kernel: Callable[..., Any], n_samples: int, n_classes: int, n_jobs: int | None, *outputs: Any
) -> list[Any]:
    """Call ``kernel(first, stop, *outputs)`` for all chunks, on `n_jobs` threads as joblib counts them."""
    n_threads = count(n_jobs)
    bounds = chunks(n_samples, n_classes, n_threads)
    if min(n_threads, len(bounds)) <= 1:
        return [kernel(*bound, *outputs) for bound in bounds]
    # Starting joblib.Parallel would take longer than most calls take to run.
    pool = ThreadPoolExecutor(min(n_threads, len(bounds)))
    try:
        return [future.result() for future in [pool.submit(kernel, *bound, *outputs) for bound in bounds]]
    finally:
        # After Ctrl-C or an error, wait only for the chunks that are running.
        pool.shutdown(cancel_futures=True)
