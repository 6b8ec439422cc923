// Log-odds of naive Bayes for pairs of classes.
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

} // namespace pwc
