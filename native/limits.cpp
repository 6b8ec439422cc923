#include "limits.hpp"

#include <algorithm>
#include <vector>

namespace pwc {

namespace {

// A directed graph of classes.
class Arrows {
  public:
    explicit Arrows(int64_t n) : n_(n), arrow_(n * n, 0), seen_(n), stack_(n) {}

    void set(int64_t from, int64_t to, bool present) { arrow_[from * n_ + to] = present; }
    bool seen(int64_t i) const { return seen_[i]; }
    bool all_seen() const {
        return std::all_of(seen_.begin(), seen_.end(), [](char x) { return x; });
    }
    void forget() { std::fill(seen_.begin(), seen_.end(), char(0)); }

    // Mark every class that can be reached from `start` through classes not yet seen, along the arrows or against them.
    void reach(int64_t start, bool backwards = false) {
        const int64_t step_from = backwards ? 1 : n_, step_to = backwards ? n_ : 1;
        seen_[start] = 1;
        stack_[0] = start;
        for (int64_t height = 1; height > 0;) {
            int64_t i = stack_[--height];
            for (int64_t j = 0; j < n_; j++)
                if (arrow_[i * step_from + j * step_to] && !seen_[j]) {
                    seen_[j] = 1;
                    stack_[height++] = j;
                }
        }
    }

  private:
    int64_t n_;
    std::vector<char> arrow_, seen_;
    std::vector<int64_t> stack_;
};

} // namespace

void top_sets(const Coupling &c, bool *top, bool *exists) {
    const int64_t n = c.n_classes;
    Arrows arrows(n);
    for (int64_t sample = c.first; sample < c.stop; sample++) {
        const double *weight = c.weights + std::min(sample, c.n_weight_rows - 1) * c.n_pairs;
        for (int64_t i = 0, pair = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++, pair++) {
                double r = c.values[sample * c.sample_step + c.upper[pair] * c.column_step];
                arrows.set(i, j, weight[pair] > 0.0 && r > 0.0);
                arrows.set(j, i, weight[pair] > 0.0 && r < 1.0);
            }
        // If some class reaches all others, then so does the last class from which this search has to start again.
        int64_t source = 0;
        arrows.forget();
        for (int64_t i = 0; i < n; i++)
            if (!arrows.seen(i)) {
                source = i;
                arrows.reach(i);
            }
        arrows.forget();
        arrows.reach(source);
        exists[sample] = arrows.all_seen();
        arrows.forget();
        arrows.reach(source, true);
        for (int64_t i = 0; i < n; i++) top[sample * n + i] = arrows.seen(i);
    }
}

void connected(const double *weights, int64_t n_classes, int64_t first, int64_t stop, bool *out) {
    Arrows links(n_classes);
    for (int64_t row = first; row < stop; row++) {
        const double *weight = weights + row * (n_classes * (n_classes - 1) / 2);
        for (int64_t i = 0; i < n_classes; i++)
            for (int64_t j = i + 1; j < n_classes; j++, weight++) {
                links.set(i, j, *weight > 0.0);
                links.set(j, i, *weight > 0.0);
            }
        links.forget();
        links.reach(0);
        out[row] = links.all_seen();
    }
}

} // namespace pwc
