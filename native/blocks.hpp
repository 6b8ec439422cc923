// Blocks of samples: row k of a block has one number per sample, for pair or class k.
#pragma once

#include "coupling.hpp"
#include "lanes.hpp"

namespace pwc::PWC_TARGET {

// Rows of lanes that begin at a cache line, filled with zeros.
template <class V>
class Rows {
  public:
    explicit Rows(int64_t n) : rows_(reinterpret_cast<V *>(allocate(n * width<V>))) {
        for (int64_t i = 0; i < n; i++) rows_[i] = V{};
    }
    ~Rows() { release(numbers(rows_)); }
    Rows(const Rows &) = delete;
    Rows &operator=(const Rows &) = delete;
    operator V *() { return rows_; }

  private:
    V *rows_;
};

// Position of a lane's sample in an array with `n` rows: short blocks repeat the last sample.
inline int64_t sample_of(int64_t first, int lane, int64_t n) {
    return first + lane < n ? first + lane : n - 1;
}

// Copy r of the samples from `first` on. Returns whether some value needs a check.
template <class V>
bool read_pairs(const Coupling &c, int64_t first, V *__restrict block) {
    const double *sample[width<V>];
    for (int lane = 0; lane < width<V>; lane++)
        sample[lane] = c.values + sample_of(first, lane, c.n_samples) * c.sample_step;
    for (int64_t pair = 0; pair < c.n_pairs; pair++)
        for (int lane = 0; lane < width<V>; lane++)
            numbers(&block[pair])[lane] = sample[lane][c.upper[pair] * c.column_step];
    V gap{}, lowest{}, missing{};
    for (int64_t pair = 0; c.lower && pair < c.n_pairs; pair++) {
        V other{};
        for (int lane = 0; lane < width<V>; lane++) numbers(&other)[lane] = sample[lane][c.lower[pair] * c.column_step];
        V excess = block[pair] + other - 1.0;
        gap = greatest(gap, greatest(excess, -excess));
        missing = missing + (excess - excess);
    }
    for (int64_t pair = 0; pair < c.n_pairs; pair++) {
        V r = block[pair];
        lowest = least(lowest, least(r, 1.0 - r));
        // A sum keeps NaN; a comparison would lose it.
        missing = missing + (r - r);
    }
    V within = least(TOLERANCE - gap, lowest + TOLERANCE);
    V good = within >= 0.0 ? missing : splat<V>(1.0);
    return any_positive(good == 0.0 ? V{} : splat<V>(1.0));
}

template <class V>
bool read_clipped(const Coupling &c, int64_t first, double clip, V *__restrict block) {
    bool needs_check = read_pairs(c, first, block);
    for (int64_t pair = 0; pair < c.n_pairs; pair++)
        block[pair] = least(greatest(block[pair], splat<V>(clip)), splat<V>(1.0 - clip));
    return needs_check;
}

template <class V>
void read_weights(const Coupling &c, int64_t first, V *__restrict block) {
    if (c.n_weight_rows == 1) {
        for (int64_t pair = 0; pair < c.n_pairs; pair++) block[pair] = splat<V>(c.weights[pair]);
        return;
    }
    for (int lane = 0; lane < width<V>; lane++) {
        const double *weight = c.weights + sample_of(first, lane, c.n_weight_rows) * c.n_pairs;
        for (int64_t pair = 0; pair < c.n_pairs; pair++) numbers(&block[pair])[lane] = weight[pair];
    }
}

// 1 for each class that keeps a probability, 0 for the others.
template <class V>
void read_top(const Coupling &c, int64_t first, V *__restrict keep) {
    for (int64_t i = 0; i < c.n_classes; i++)
        for (int lane = 0; lane < width<V>; lane++)
            numbers(&keep[i])[lane] = !c.top || c.top[sample_of(first, lane, c.n_samples) * c.n_classes + i] ? 1.0 : 0.0;
}

// Normalise each lane and write it to its row of the result; a lane whose sum is 0 or infinite becomes NaN.
template <class V>
void write(const Coupling &c, int64_t first, V *__restrict p) {
    V total = p[0];
    for (int64_t i = 1; i < c.n_classes; i++) total = total + p[i];
    V inverse = total < INFINITY ? 1.0 / total : splat<V>(NAN);
    for (int64_t i = 0; i < c.n_classes; i++) p[i] = p[i] * inverse;
    for (int lane = 0; lane < width<V> && first + lane < c.stop; lane++)
        for (int64_t i = 0; i < c.n_classes; i++) c.proba[(first + lane) * c.n_classes + i] = numbers(&p[i])[lane];
}

// Couple all samples: whole blocks of lanes first, then what is left. One or two samples are faster without lanes.
template <template <class> class Method>
bool couple(const Coupling &c) {
    bool needs_check = false;
    int64_t start = c.first;
    if (c.stop - start > WIDTH / 4) {
        Method<Lanes> block(c);
        for (; c.stop - start > WIDTH / 4; start += WIDTH) needs_check |= block(start);
    }
    if (start < c.stop) {
        Method<double> single(c);
        for (; start < c.stop; start++) needs_check |= single(start);
    }
    return needs_check;
}

} // namespace pwc::PWC_TARGET
