"""Run kernels on threads, each on chunks of samples. The kernels release the GIL."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from joblib import effective_n_jobs

from pwcstats._kernels.lanes import LANES

# Work grows with the cube of the number of classes. With smaller chunks a thread costs more than it saves; with larger
# ones Ctrl-C takes long.
SMALLEST_WORK, LARGEST_WORK = 2**20, 2**26


def chunks(n_samples: int, n_classes: int, n_jobs: int | None) -> list[tuple[int, int]]:
    """Bounds of chunks of whole blocks: a few per thread, so that all threads end at about the same time."""
    wanted = -(-n_samples // (4 * effective_n_jobs(n_jobs)))
    size = max(min(max(wanted, SMALLEST_WORK // n_classes**3), LARGEST_WORK // n_classes**3), 1)
    size = -(-size // LANES) * LANES
    return [(first, min(first + size, n_samples)) for first in range(0, n_samples, size)]


def over_samples(
    kernel: Callable[..., None], n_samples: int, n_classes: int, n_jobs: int | None, *outputs: Any
) -> None:
    """Call ``kernel(first, stop, *outputs)`` for all chunks, on `n_jobs` threads as joblib counts them."""
    bounds = chunks(n_samples, n_classes, n_jobs)
    workers = min(effective_n_jobs(n_jobs), len(bounds))
    if workers <= 1:
        for bound in bounds:
            kernel(*bound, *outputs)
        return
    # Starting joblib.Parallel would take longer than most calls take to run.
    pool = ThreadPoolExecutor(workers)
    try:
        for future in [pool.submit(kernel, *bound, *outputs) for bound in bounds]:
            future.result()
    finally:
        # After Ctrl-C or an error, wait only for the chunks that are running.
        pool.shutdown(cancel_futures=True)
