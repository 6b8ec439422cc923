// Kullback-Leibler distance of pairwise probabilities from those that follow from class probabilities.
#pragma once

#include "coupling.hpp"

#include <math.h>

namespace pwc {

// r log(r / mu) + (1 - r) log((1 - r) / (1 - mu)) with mu = p_i / (p_i + p_j); mu itself may underflow.
static inline double pair_distance(double r, double p_i, double p_j) {
    double log_both = log(p_i + p_j);
    double first = r > 0.0 ? r * (log(r) - log(p_i) + log_both) : 0.0;
    double second = r < 1.0 ? (1.0 - r) * (log(1.0 - r) - log(p_j) + log_both) : 0.0;
    return first + second;
}

// sum_{i<j} n [r log(r / mu) + (1 - r) log((1 - r) / (1 - mu))] of samples first..stop-1, for probabilities in `proba`.
//
// Pairs of weight 0 are left out, and so are pairs of two classes of probability 0, which have no mu.
void kl_distance(const Coupling &c);

} // namespace pwc
