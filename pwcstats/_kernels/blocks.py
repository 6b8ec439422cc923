"""Samples in blocks: the innermost loop of every kernel runs over `LANES` samples at once.

A block holds one number per pair (or class) and lane, ``block[pair, lane]``, so that the compiler turns the innermost
loop into vector instructions. No lane looks at another: a sample's answer has the same bits whatever stands beside
it.
"""

from typing import Any

import numpy as np
from numba import njit

LANES = 16


def compiled(function: Any) -> Any:
    """Compile for threads: no GIL, kept on disk, IEEE division (a test for zero would stop vectorisation)."""
    return njit(nogil=True, cache=True, error_model="numpy")(function)


@compiled
def load(values, upper, first, block):
    """Copy the pairs of `LANES` samples from `first` on; the last sample fills the lanes of a short block."""
    last = values.shape[0] - 1
    for lane in range(LANES):
        sample = min(first + lane, last)
        for pair in range(upper.shape[0]):
            block[pair, lane] = values[sample, upper[pair]]


@compiled
def load_clipped(values, upper, first, clip, block):
    """Load pairs and keep them within [clip, 1 - clip]."""
    load(values, upper, first, block)
    for pair in range(block.shape[0]):
        for lane in range(LANES):
            block[pair, lane] = min(max(block[pair, lane], clip), 1.0 - clip)


@compiled
def load_weights(weights, first, block):
    """Copy the weights of `LANES` samples; a single row of weights serves all samples."""
    last = weights.shape[0] - 1
    for lane in range(LANES):
        sample = min(first + lane, last)
        for pair in range(block.shape[0]):
            block[pair, lane] = weights[sample, pair]


@compiled
def load_top(top, first, keep):
    """Write 1 for each class that keeps its place and 0 for the others; a `top` without rows keeps all."""
    last = top.shape[0] - 1
    for lane in range(LANES):
        sample = min(first + lane, last)
        for i in range(keep.shape[0]):
            keep[i, lane] = 1.0 if last < 0 or top[sample, i] else 0.0


@compiled
def store(p, first, stop, out):
    """Normalise each lane and write it to its row; a lane without mass becomes NaN, for the caller to see."""
    n_classes = p.shape[0]
    total = np.zeros(LANES)
    for i in range(n_classes):
        for lane in range(LANES):
            total[lane] += p[i, lane]
    for lane in range(min(LANES, stop - first)):
        for i in range(n_classes):
            out[first + lane, i] = p[i, lane] / total[lane]
