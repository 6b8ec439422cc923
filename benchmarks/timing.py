"""Timing that the benchmarks share."""

import time

import numpy as np


def best(calls, repeats):
    """Shortest time of each call, taken in turns so that a busy moment of the machine hits all alike."""
    times = {name: np.inf for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            times[name] = min(times[name], time.perf_counter() - start)
    return times
