#include "divergence.hpp"

#include <algorithm>

namespace pwc {

void kl_distance(const Coupling &c) {
    const int64_t n = c.n_classes;
    for (int64_t sample = c.first; sample < c.stop; sample++) {
        const double *weight = c.weights + std::min(sample, c.n_weight_rows - 1) * c.n_pairs;
        const double *p = c.proba + sample * n;
        double total = 0.0;
        for (int64_t i = 0, pair = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++, pair++) {
                if (!(p[i] + p[j] > 0.0 && weight[pair] > 0.0)) continue;
                double r = c.values[sample * c.sample_step + c.upper[pair] * c.column_step];
                total += weight[pair] * pair_distance(std::min(std::max(r, c.clip), 1.0 - c.clip), p[i], p[j]);
            }
        // Rounding may give -1e-17 if r and mu agree.
        c.kl[sample] = std::max(total, 0.0);
    }
}

} // namespace pwc
