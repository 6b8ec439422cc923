"""Find out what is wrong with pairwise probabilities, and where."""

import numpy as np

from pwcstats._kernels.blocks import TOLERANCE
from pwcstats._kernels.lanes import compiled

# Entries of a report: sample and pair of the first NaN, of the first value outside [0, 1], and of the worst
# r_ij + r_ji, with its distance from 1. They are -1 if there is none.
NAN_SAMPLE, NAN_PAIR, RANGE_SAMPLE, RANGE_PAIR, SUM_SAMPLE, SUM_PAIR, SUM_GAP = range(7)
REPORT_SIZE = 7


@compiled
def scan(values, upper, lower, weights, first, stop, report):
    """Fill the report on samples first..stop-1. Pairs of weight 0 are skipped."""
    report[:] = -1.0
    for sample in range(first, stop):
        row = min(sample, weights.shape[0] - 1)
        for pair in range(upper.shape[0]):
            if weights[row, pair] == 0.0:
                continue
            r = values[sample, upper[pair]]
            s = values[sample, lower[pair]] if lower.shape[0] > 0 else 1.0 - r
            if np.isnan(r) or np.isnan(s):
                if report[NAN_SAMPLE] < 0.0:
                    report[NAN_SAMPLE], report[NAN_PAIR] = sample, pair
            elif min(r, s) < -TOLERANCE or max(r, s) > 1.0 + TOLERANCE:
                if report[RANGE_SAMPLE] < 0.0:
                    report[RANGE_SAMPLE], report[RANGE_PAIR] = sample, pair
            elif abs(r + s - 1.0) > report[SUM_GAP]:
                report[SUM_SAMPLE], report[SUM_PAIR], report[SUM_GAP] = sample, pair, abs(r + s - 1.0)
