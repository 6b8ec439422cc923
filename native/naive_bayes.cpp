#include "naive_bayes.hpp"

namespace pwc {

namespace {

// Half the difference of squared distances: from the other class minus from the own class.
double half_difference(
    const double *x, const double *mean, const double *precision, const double *other_mean, const double *other_precision,
    int64_t n
) {
    // Independent sums: the compiler must not change the order of additions, and a single sum would wait for each of them.
    constexpr int SUMS = 4;
    double total[SUMS] = {};
    auto add = [&](int64_t k, int sum) {
        const double near = x[k] - mean[k], far = x[k] - other_mean[k];
        total[sum] += far * far * other_precision[k] - near * near * precision[k];
    };
    int64_t k = 0;
    for (; k + SUMS <= n; k += SUMS)
        for (int sum = 0; sum < SUMS; sum++) add(k + sum, sum);
    for (; k < n; k++) add(k, 0);
    return 0.5 * ((total[0] + total[1]) + (total[2] + total[3]));
}

} // namespace

void naive_bayes_log_odds(const NaiveBayes &nb, const int64_t *low, const int64_t *high, int64_t n_pairs, double *out) {
    const int64_t n = nb.n_columns;
    for (int64_t s = 0; s < nb.n_rows; s++)
        for (int64_t pair = 0; pair < n_pairs; pair++) {
            const double *precision = nb.precision + 2 * pair * n;
            out[s * n_pairs + pair] = nb.constant[pair] + half_difference(
                                                              nb.x + s * n, nb.theta + low[pair] * n, precision,
                                                              nb.theta + high[pair] * n, precision + n, n
                                                          );
        }
}

void naive_bayes_own_margins(
    const NaiveBayes &nb, const int64_t *own, const int64_t *pair_of, int64_t n_classes, double *out
) {
    const int64_t n = nb.n_columns;
    for (int64_t s = 0; s < nb.n_rows; s++)
        for (int64_t other = 0; other < n_classes; other++) {
            const int64_t c = own[s], pair = pair_of[c * n_classes + other];
            if (other == c) continue;
            const double *low = nb.precision + 2 * pair * n, *high = low + n;
            const double odds = half_difference(
                nb.x + s * n, nb.theta + c * n, c < other ? low : high, nb.theta + other * n, c < other ? high : low, n
            );
            *out++ = odds + (c < other ? nb.constant[pair] : -nb.constant[pair]);
        }
}

} // namespace pwc
