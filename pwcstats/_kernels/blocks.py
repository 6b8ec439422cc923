"""Copy samples to and from blocks: ``block[pair, lane]`` holds one number per pair (or class) for `LANES` samples.

Pairwise probabilities are read from the user's array: r_ij of sample s is ``values[s, upper[pair]]``. `lower` holds the
columns of r_ji; it is empty for condensed input. Reading sets ``needs_check[0]`` if a value is missing, outside [0, 1],
or does not add to 1 with its other side. This costs almost nothing. The caller then scans all values to find out what
is wrong. (The four arrays are separate arguments because older versions of numba confuse C and Fortran order in a named
tuple.)
"""

from pwcstats._kernels.lanes import LANES, any_positive, compiled, load, splat, store, where_positive

# r may be outside [0, 1], and r_ij + r_ji may differ from 1, by this much: single precision has about seven digits.
TOLERANCE = 1e-6


@compiled
def read_pairs(values, upper, lower, needs_check, first, block):
    """Copy the pairs of `LANES` samples, starting with `first`; a short block is filled with the last sample."""
    last = values.shape[0] - 1
    for pair in range(upper.shape[0]):
        for lane in range(LANES):
            block[pair, lane] = values[min(first + lane, last), upper[pair]]
    for pair in range(lower.shape[0]):
        for lane in range(LANES):
            r_ji = values[min(first + lane, last), lower[pair]]
            if not abs(block[pair, lane] + r_ji - 1.0) <= TOLERANCE:
                needs_check[0] = True
    least, missing = splat(0.0), splat(0.0)
    for pair in range(upper.shape[0]):
        r = load(block, pair)
        least = min(least, min(r, 1.0 - r))
        # A sum keeps NaN; a comparison would lose it.
        missing = missing + (r - r)
    if any_positive(where_positive(1.0 + missing, 0.0 - least - TOLERANCE, splat(1.0))):
        needs_check[0] = True


@compiled
def read_clipped(values, upper, lower, needs_check, first, clip, block):
    """Copy pairs and clip them to [clip, 1 - clip]."""
    read_pairs(values, upper, lower, needs_check, first, block)
    for pair in range(block.shape[0]):
        store(block, pair, min(max(load(block, pair), clip), 1.0 - clip))


@compiled
def read_weights(weights, first, block):
    """Copy the weights of `LANES` samples; a single row of weights is used for all samples."""
    last = weights.shape[0] - 1
    for pair in range(block.shape[0]):
        for lane in range(LANES):
            block[pair, lane] = weights[min(first + lane, last), pair]


@compiled
def read_top(top, first, keep):
    """Write 1 for each class in the top set and 0 for the others; without rows in `top`, write 1 for all."""
    last = top.shape[0] - 1
    for lane in range(LANES):
        sample = min(first + lane, last)
        for i in range(keep.shape[0]):
            keep[i, lane] = 1.0 if last < 0 or top[sample, i] else 0.0


@compiled
def write(p, first, stop, out):
    """Normalise each lane and write it to its row of `out`; a lane whose sum is 0 becomes NaN."""
    total = load(p, 0)
    for i in range(1, p.shape[0]):
        total = total + load(p, i)
    inverse = 1.0 / total
    for i in range(p.shape[0]):
        store(p, i, load(p, i) * inverse)
    for lane in range(min(LANES, stop - first)):
        for i in range(p.shape[0]):
            out[first + lane, i] = p[i, lane]
