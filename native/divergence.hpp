// Kullback-Leibler distance between a pairwise probability and the one that follows from class probabilities.
#pragma once

#include <math.h>

namespace pwc {

// r log(r / mu) + (1 - r) log((1 - r) / (1 - mu)) with mu = p_i / (p_i + p_j); mu itself may underflow.
static inline double pair_distance(double r, double p_i, double p_j) {
    double log_both = log(p_i + p_j);
    double first = r > 0.0 ? r * (log(r) - log(p_i) + log_both) : 0.0;
    double second = r < 1.0 ? (1.0 - r) * (log(1.0 - r) - log(p_j) + log_both) : 0.0;
    return first + second;
}

} // namespace pwc
