// Small loops: log-odds of naive Bayes, Platt's sigmoid, and largest differences of simulated abilities.
#pragma once

#include <stdint.h>

namespace pwc {

// Gaussian naive Bayes for pairs of classes, each pair with variances of its own.
//
// `theta` has the means of the classes. `precision` holds the inverse variances of both classes of each pair, `constant` the
// terms of the log-odds that do not depend on x.
struct NaiveBayes {
    const double *x, *theta, *precision, *constant;
    int64_t n_rows, n_columns;
};

// Log-odds of class `low` against class `high`, one column per pair.
void naive_bayes_log_odds(const NaiveBayes &nb, const int64_t *low, const int64_t *high, int64_t n_pairs, double *out);

// Log-odds of each row's own class against every other class; pair_of[i, j] is the index of the pair of classes i and j.
void naive_bayes_own_margins(
    const NaiveBayes &nb, const int64_t *own, const int64_t *pair_of, int64_t n_classes, double *out
);

// P(positive | f) = 1 / (1 + exp(a f + b)), and whether the Newton steps converged.
struct Sigmoid {
    double a, b;
    bool converged;
};

// Platt's sigmoid by the Newton method of Lin, Lin & Weng (2007).
//
// The targets are Platt's, (n + 1) / (n + 2) and 1 / (n + 2) with the total weights n of the two classes, so separated scores
// have finite estimates. Loss and derivatives are written so that no exponential overflows.
Sigmoid fit_sigmoid(const double *scores, const bool *positive, const double *weight, int64_t n);

// For draws first..stop-1 and each item i, the largest |x_i - x_j| times `precision`, the inverse of its standard error.
void largest_differences(
    const double *draws, const double *precision, int64_t n_items, int64_t first, int64_t stop, double *out
);

} // namespace pwc
