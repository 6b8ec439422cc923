"""Timing that the benchmarks share."""

import time

import numpy as np


def best(calls, repeats, clock=time.perf_counter):
    """Shortest time of each call, taken in turns so that a busy moment of the machine hits all alike."""
    times = {name: np.inf for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            start = clock()
            call()
            times[name] = min(times[name], clock() - start)
    return times
