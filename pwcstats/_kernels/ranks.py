"""Largest standardised differences of simulated abilities."""

from pwcstats._kernels.lanes import compiled


@compiled
def largest_differences(draws, precision, first, stop, out):
    """For draws first..stop-1 and each item i, the largest |x_i - x_j| times `precision` (1 / standard error)."""
    n = draws.shape[1]
    for draw in range(first, stop):
        for i in range(n):
            out[draw, i] = 0.0
        for i in range(n):
            largest = 0.0
            here = draws[draw, i]
            for j in range(i):
                gap = abs(here - draws[draw, j]) * precision[i, j]
                if gap > largest:
                    largest = gap
                if gap > out[draw, j]:
                    out[draw, j] = gap
            if largest > out[draw, i]:
                out[draw, i] = largest
