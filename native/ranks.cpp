#include "ranks.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pwc {

void largest_differences(
    const double *draws, const double *precision, int64_t n_items, int64_t first, int64_t stop, double *out
) {
    // Draws of one item lie side by side, so that the innermost loop works on vectors.
    constexpr int WIDTH = 16;
    std::vector<double> x(n_items * WIDTH, 0.0), largest(n_items * WIDTH);
    for (int64_t start = first; start < stop; start += WIDTH) {
        const int64_t width = std::min<int64_t>(WIDTH, stop - start);
        for (int64_t draw = 0; draw < width; draw++)
            for (int64_t i = 0; i < n_items; i++) x[i * WIDTH + draw] = draws[(start + draw) * n_items + i];
        std::fill(largest.begin(), largest.end(), 0.0);
        for (int64_t i = 0; i < n_items; i++) {
            double here[WIDTH], most[WIDTH] = {};
            std::copy_n(&x[i * WIDTH], WIDTH, here);
            for (int64_t j = 0; j < i; j++) {
                const double *there = &x[j * WIDTH], factor = precision[i * n_items + j];
                double *most_there = &largest[j * WIDTH];
                for (int k = 0; k < WIDTH; k++) {
                    const double gap = std::fabs(here[k] - there[k]) * factor;
                    most[k] = gap > most[k] ? gap : most[k];
                    most_there[k] = gap > most_there[k] ? gap : most_there[k];
                }
            }
            std::copy_n(most, WIDTH, &largest[i * WIDTH]);
        }
        for (int64_t draw = 0; draw < width; draw++)
            for (int64_t i = 0; i < n_items; i++) out[(start + draw) * n_items + i] = largest[i * WIDTH + draw];
    }
}

} // namespace pwc
