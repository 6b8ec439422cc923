// Paired comparisons: aggregation of rows into a table of pairs, and the likelihood of the table.
//
// Let d be the difference of the abilities of a pair, plus an offset. In the model of Davidson, the probabilities that the first
// item wins, that the second wins and that they tie are proportional to exp(d / 2), exp(-d / 2) and nu; the sufficient statistics
// of d and log nu are (win - loss) / 2 and tie. With nu = 0 this is the model of Bradley and Terry. In the model of Rao and Kupper
// the first item wins with probability 1 / (1 + theta exp(-d)), and the second with probability 1 / (1 + theta exp(d)).
#pragma once

#include <stdint.h>

namespace pwc {

// One comparison per row. `home` is 1 if the winner has the order effect, -1 if the loser has it, and 0 if nobody has.
struct Comparisons {
    const int32_t *winner, *loser;
    const bool *tie;
    const int8_t *home;
    int64_t n_rows, n_items;
};

// Find the pairs that met, sorted by their first items; the time is linear in the numbers of rows and items.
//
// Fills `first`, `second` and `ordered` (whether the first item has the order effect) of each pair, and returns the number of
// pairs. A pair without order effect has the lower item first. `cell` receives the index of each row's count in a flattened
// table with the columns win, loss and tie.
int64_t find_pairs(const Comparisons &rows, int32_t *first, int32_t *second, double *ordered, int64_t *cell);

// One comparison per row: its pair, and the values of `n_columns` covariates, none of which is -0 or not a number.
struct Contests {
    const int64_t *pair;
    const double *x;
    int64_t n_rows, n_pairs, n_columns;
};

// Divide pairs by the values of the covariates; the time is linear in the numbers of rows and pairs.
//
// Fills the `group` of each row, and the first row of each group, `source`; returns the number of groups. Groups are sorted by
// pair, and those of a pair by their first rows.
int64_t divide_pairs(const Contests &rows, int64_t *group, int64_t *source);

enum class Ties { none, davidson, rao_kupper };

// Pairs begin..end-1 of a table, and the parameters; `offset` is null if all offsets are 0, and `tie` is log nu or log theta.
struct PairTable {
    const int32_t *first, *second;
    const double *offset, *counts, *ability;
    double tie;
    int64_t begin, end;
};

// Likelihood and derivatives of pairs begin..end-1.
//
// Adds to the `score` of each item's ability, and fills for each pair the derivative by d (`residual`, unless it is null), minus
// the second derivative by d (`variance`) and, in a model with ties, minus the derivative by d and `tie` (`cross`). `sums` receives the
// log-likelihood and, for `tie`, the first derivative and minus the second. Nearly equal numbers are never subtracted from each
// other.
void evaluate(Ties ties, const PairTable &t, double *score, double *residual, double *variance, double *cross, double *sums);

// Covariates of pairs, and weights of the pairs.
struct Weighted {
    const double *x, *weight;
    int64_t n_pairs, n_columns;
};

// X' W X; the output must be 0 before.
void weighted_products(const Weighted &pairs, double *out);

// Add the rows of W X to the rows of `out` of first items, and subtract them from those of second items.
void add_weighted_rows(const Weighted &pairs, const int32_t *first, const int32_t *second, double *out);

// Numbers of comparisons and probabilities of win, loss and tie of each pair, and (co)variances of its d and of log nu.
struct PairMoments {
    const double *n, *p, *var_d, *cov_d_tie;
    double var_tie;
    int64_t n_pairs;
};

// Firth's addition to the scores: half the trace of the covariance times the derivative of the information.
//
// Fills the addition for the d of each pair, and its leverage divided by n; returns the addition for log nu. The derivatives of
// the information are third moments of (win - loss) / 2 and tie. The leverage of a pair is at most `most`, the number of its
// parameters; more is a rounding error, if its variance is small compared with those of other pairs.
double firth_addition(const PairMoments &pairs, double most, double *addition, double *leverage);

} // namespace pwc
