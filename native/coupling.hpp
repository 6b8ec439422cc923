// What the coupling kernels take and return.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace pwc {

// r may be outside [0, 1], and r_ij + r_ji may differ from 1, by this much: single precision has about seven digits.
constexpr double TOLERANCE = 1e-6;

// Pairwise probabilities of all samples, and where to write the results of samples first..stop-1.
struct Coupling {
    // r_ij of sample s is values[s * sample_step + upper[pair] * column_step]; `lower` has the columns of r_ji, or is null.
    const double *values;
    ptrdiff_t sample_step, column_step;
    const int64_t *upper, *lower;
    int64_t n_samples, n_pairs, n_classes;
    // r is clipped to [clip, 1 - clip].
    double clip;
    // Weights n_ij or pair masses, one row for each sample or one for all of them. A pair of weight 0 was not compared.
    const double *weights;
    int64_t n_weight_rows;
    // Whether each class keeps a probability in the limit of exact zeros and ones; null if all do.
    const bool *top;
    int64_t first, stop;
    // Class probabilities; and for methods that iterate, numbers of steps, convergence, and distances (or null).
    double *proba;
    int64_t *n_iter;
    bool *converged;
    double *kl;
};

// Couples samples, and returns whether some r may be missing, outside [0, 1], or differ from 1 - r_ji.
using Kernel = bool (*)(const Coupling &);

// A coupling method; coupling.cpp has the table of all methods.
struct Method {
    const char *name;
    Kernel couple;
};
constexpr int N_METHODS = 9;

// Memory for `n` doubles, aligned to a cache line.
double *allocate(size_t n);
void release(double *memory);

} // namespace pwc
