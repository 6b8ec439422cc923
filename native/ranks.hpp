// Largest differences of simulated abilities.
#pragma once

#include <stdint.h>

namespace pwc {

// For draws first..stop-1 and each item i, the largest |x_i - x_j| times `precision`, the inverse of its standard error.
void largest_differences(
    const double *draws, const double *precision, int64_t n_items, int64_t first, int64_t stop, double *out
);

} // namespace pwc
