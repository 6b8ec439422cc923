"""Kernels on threads over chunks of samples; they release the GIL."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from joblib import effective_n_jobs

from pwcstats._kernels.lanes import LANES

# Work grows with the cube of the number of classes. A chunk has at least so much, or a thread costs more than it saves,
# and at most so much, or Ctrl-C is noticed late.
SMALLEST_WORK, LARGEST_WORK = 2**20, 2**26


def chunks(n_samples: int, n_classes: int, n_jobs: int | None) -> list[tuple[int, int]]:
    """Bounds of chunks of whole blocks, a few for each thread so that they end together."""
    wanted = -(-n_samples // (4 * effective_n_jobs(n_jobs)))
    size = max(min(max(wanted, SMALLEST_WORK // n_classes**3), LARGEST_WORK // n_classes**3), 1)
    size = -(-size // LANES) * LANES
    return [(first, min(first + size, n_samples)) for first in range(0, n_samples, size)]


def over_samples(
    kernel: Callable[..., None], n_samples: int, n_classes: int, n_jobs: int | None, *outputs: Any
) -> None:
    """Call ``kernel(first, stop, *outputs)`` for all chunks, on as many threads as joblib reads in `n_jobs`."""
    bounds = chunks(n_samples, n_classes, n_jobs)
    workers = min(effective_n_jobs(n_jobs), len(bounds))
    if workers <= 1:
        for bound in bounds:
            kernel(*bound, *outputs)
        return
    # Plain threads: a joblib.Parallel of threads would take longer to start than most calls take to run.
    pool = ThreadPoolExecutor(workers)
    try:
        for done in [pool.submit(kernel, *bound, *outputs) for bound in bounds]:
            done.result()
    finally:
        # After Ctrl-C or an error, wait only for the chunks at work.
        pool.shutdown(cancel_futures=True)
