// Sigmoids of scores: Platt's, and those with Jeffreys' penalty.
#pragma once

#include <stdint.h>

namespace pwc {

// P(positive | f) = 1 / (1 + exp(a f + b)), the loss, and whether the Newton steps converged.
struct Sigmoid {
    double a, b, loss;
    bool converged;
};

// Platt's sigmoid by the Newton method of Lin, Lin & Weng (2007).
//
// The targets are Platt's, (n + 1) / (n + 2) and 1 / (n + 2) with the total weights n of the two classes, so separated scores
// have finite estimates. Loss and derivatives are written so that no exponential overflows. `start` may be null.
Sigmoid fit_sigmoid(const double *scores, const bool *positive, const double *weight, int64_t n, const Sigmoid *start);

// Logistic regression with Jeffreys' penalty (Firth 1993): maximises log-likelihood + log|I(a, b)| / 2, which has a finite
// maximum for separated scores, too. Of several maxima it is the highest that is found. If the scores are equal, or higher for the other class, a is 0.
Sigmoid fit_firth(const double *scores, const bool *positive, const double *weight, int64_t n, const Sigmoid *start);

} // namespace pwc
