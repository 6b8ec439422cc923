"""Samples in and out of blocks: ``block[pair, lane]`` holds one number per pair (or class) for `LANES` samples."""

from pwcstats._kernels.lanes import LANES, compiled, load, store


@compiled
def read_pairs(values, upper, first, block):
    """Copy the pairs of `LANES` samples from `first` on; the last sample fills the lanes of a short block."""
    last = values.shape[0] - 1
    for lane in range(LANES):
        sample = min(first + lane, last)
        for pair in range(upper.shape[0]):
            block[pair, lane] = values[sample, upper[pair]]


@compiled
def read_clipped(values, upper, first, clip, block):
    """Copy pairs and keep them within [clip, 1 - clip]."""
    read_pairs(values, upper, first, block)
    for pair in range(block.shape[0]):
        store(block, pair, min(max(load(block, pair), clip), 1.0 - clip))


@compiled
def read_weights(weights, first, block):
    """Copy the weights of `LANES` samples; a single row of weights serves all samples."""
    last = weights.shape[0] - 1
    for lane in range(LANES):
        sample = min(first + lane, last)
        for pair in range(block.shape[0]):
            block[pair, lane] = weights[sample, pair]


@compiled
def read_top(top, first, keep):
    """Write 1 for each class that keeps its place and 0 for the others; a `top` without rows keeps all."""
    last = top.shape[0] - 1
    for lane in range(LANES):
        sample = min(first + lane, last)
        for i in range(keep.shape[0]):
            keep[i, lane] = 1.0 if last < 0 or top[sample, i] else 0.0


@compiled
def write(p, first, stop, out):
    """Normalise each lane and write it to its row; a lane without mass becomes NaN, for the caller to see."""
    total = load(p, 0)
    for i in range(1, p.shape[0]):
        total = total + load(p, i)
    for i in range(p.shape[0]):
        store(p, i, load(p, i) / total)
    for lane in range(min(LANES, stop - first)):
        for i in range(p.shape[0]):
            out[first + lane, i] = p[i, lane]
