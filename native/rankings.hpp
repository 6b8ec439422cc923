// Choices from sets of items, the stages of rankings: the model of Plackett and Luce, extended to ties by Davidson and Luce.
//
// From a set A, one item or several tied items S are chosen, with a probability proportional to
// exp(log_delta(|S|) + mean of the abilities of S), where log_delta(1) = 0. The sufficient statistics of a choice are T_i =
// 1/|S| for each item i of S, and 1 for the parameter of ties of |S| items. All sums over choices are explicit.
#pragma once

#include <stdint.h>

namespace pwc {

// Sets begin..end-1 and the parameters. The items of set s are item[start[s]..start[s+1]-1], in ascending order, and weight[s]
// is the number of choices from it. Ties may have the sizes order[0..n_orders-1], which are at least 2.
struct ChoiceSets {
    const int64_t *start;
    const int32_t *item;
    const double *weight, *ability;
    const int32_t *order;
    const double *log_delta;
    int64_t n_items, n_orders, begin, end;

    int64_t n_params() const { return n_items + n_orders; }
};

// Log-likelihood of the choices, whose T add up to `chosen` for the items of each set, parallel to `item`, and to `tie_chosen`,
// which has n_orders columns.
//
// Fills the expectation of T for a choice from each set, `mean` and `tie_mean`, in the same layout. Adds to `score`, which has
// an entry for each parameter. Nearly equal numbers are not subtracted from each other to get it: T of the items adds up to 1,
// so chosen - n mean is chosen times the mean of the other items minus mean times what was chosen of them.
double evaluate_choices(
    const ChoiceSets &sets, const double *chosen, const double *tie_chosen, double *mean, double *tie_mean, double *score
);

// Adds weight times the covariance of T to the lower triangle of `information`, a square matrix of all parameters.
//
// The diagonal of the items is left out: the T of the items add up to 1, so each of these entries is minus the sum of the
// others in its row. That is more accurate if an item is almost always chosen.
void choice_information(const ChoiceSets &sets, const double *mean, const double *tie_mean, double *information);

// Firth's addition to the scores: half the trace of the covariance of the estimates times the derivative of the information.
//
// Adds to `addition`, which has an entry for each parameter, and fills the leverage of each set divided by its weight. The
// leverage of a set is at most its number of free parameters; more is a rounding error.
void firth_choices(
    const ChoiceSets &sets, const double *mean, const double *tie_mean, const double *cov, double *addition, double *leverage
);

} // namespace pwc
