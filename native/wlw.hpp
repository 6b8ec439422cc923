// The two coupling methods of Wu, Lin & Weng (2003): one direct solution per sample.
#pragma once

#include "blocks.hpp"
#include "elimination.hpp"

namespace pwc::PWC_TARGET {

// sum_j r_ji p_i = sum_j r_ij p_j for each i: the stationary distribution of a Markov chain with rates r_ij from j to i.
//
// The elimination of Grassmann, Taksar & Heyman (1985) never subtracts, so that even the smallest probabilities are
// accurate. A state that leads to no later state starts a chain of its own; those of classes outside the top set are dropped.
template <class V>
struct Wlw1 {
    const Coupling &c;
    Rows<V> r, keep, rate, p;
    explicit Wlw1(const Coupling &c)
        : c(c), r(c.n_pairs), keep(c.n_classes), rate(c.n_classes * c.n_classes), p(c.n_classes) {}

    bool operator()(int64_t start) {
        const int64_t n = c.n_classes;
        bool needs_check = read_clipped<V>(c, start, c.clip, r);
        read_top<V>(c, start, keep);
        for (int64_t i = 0, pair = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++, pair++) {
                V both = keep[i] * keep[j];
                rate[j * n + i] = r[pair] * both;
                rate[i * n + j] = (1.0 - r[pair]) * both;
            }
        eliminate<false, V>(rate, n, [&](int64_t k) {
            V total = sum_of<V>(rate + k * n + k + 1, n - k - 1);
            p[k] = total > 0.0 ? V{} : splat<V>(1.0);
            return inverse_or_zero(total);
        });
        for (int64_t i = n - 1; i > 0; i--)
            for (int64_t k = 0; k < i; k++) p[k] = fma(p[i], rate[i * n + k], p[k]);
        for (int64_t i = 0; i < n; i++) p[i] = p[i] * keep[i];
        write<V>(c, start, p);
        return needs_check;
    }
};

// Minimise sum_{i<j} (r_ji p_i - r_ij p_j)^2 = p'Qp / 2 subject to sum p = 1.
//
// Q p = b e has the same solutions as (Q + ee') p = (b + sum p) e, so that the shift does not change the direction of p. Q is
// singular if the r are compatible. The shifted matrix is positive definite for every r, also with zeros and ones.
template <class V>
struct Wlw2 {
    // If a class has less than this share of the total, one more sweep makes its small probability accurate.
    static constexpr double SMALL_SHARE = 1e-8;

    const Coupling &c;
    Rows<V> r, matrix, p, swept, diagonal;
    explicit Wlw2(const Coupling &c)
        : c(c), r(c.n_pairs), matrix(c.n_classes * c.n_classes), p(c.n_classes), swept(c.n_classes), diagonal(c.n_classes) {}

    bool operator()(int64_t start) {
        bool needs_check = read_clipped<V>(c, start, c.clip, r);
        fill();
        solve();
        sweep_small();
        write<V>(c, start, p);
        return needs_check;
    }

    // Upper triangle of Q + ee'.
    void fill() {
        const int64_t n = c.n_classes;
        for (int64_t i = 0; i < n; i++) diagonal[i] = splat<V>(1.0);
        for (int64_t i = 0, pair = 0; i < n; i++) {
            V own = diagonal[i];
            for (int64_t j = i + 1; j < n; j++, pair++) {
                V r_ij = r[pair], r_ji = 1.0 - r_ij;
                matrix[i * n + j] = fma(-r_ij, r_ji, splat<V>(1.0));
                diagonal[j] = fma(r_ij, r_ij, diagonal[j]);
                own = fma(r_ji, r_ji, own);
            }
            matrix[i * n + i] = own;
        }
    }

    // matrix p = e, by an LDL' factorisation.
    void solve() {
        const int64_t n = c.n_classes;
        eliminate<true, V>(matrix, n, [&](int64_t k) {
            diagonal[k] = 1.0 / matrix[k * n + k];
            return -diagonal[k];
        });
        for (int64_t i = 0; i < n; i++) p[i] = add_dot<V>(splat<V>(1.0), matrix + i * n, p, i);
        for (int64_t i = n - 1; i >= 0; i--) {
            V others = add_dot<V>(V{}, matrix + i * n + i + 1, p + i + 1, n - i - 1);
            p[i] = (p[i] - others) * diagonal[i];
        }
    }

    // Compute p_i = (b + sum_j r_ij r_ji p_j) / Q_ii once, in the lanes that hold a small probability.
    //
    // The solution is a fixed point of this sweep, which does not subtract. A small probability that rounding has made
    // inaccurate, or even negative, becomes positive and more accurate. b = p'Qp / sum p is a sum of squares.
    void sweep_small() {
        const int64_t n = c.n_classes;
        V total = p[0], lowest = p[0];
        for (int64_t i = 1; i < n; i++) {
            total = total + p[i];
            lowest = least(lowest, p[i]);
        }
        V small = SMALL_SHARE * total - lowest;
        if (!any_positive(small)) return;
        V excess{};
        for (int64_t i = 0; i < n; i++) swept[i] = diagonal[i] = V{};
        for (int64_t i = 0, pair = 0; i < n; i++) {
            V p_i = greatest(p[i], V{});
            for (int64_t j = i + 1; j < n; j++, pair++) {
                V p_j = greatest(p[j], V{});
                V r_ij = r[pair], r_ji = 1.0 - r_ij;
                V gap = r_ji * p_i - r_ij * p_j;
                excess = fma(gap, gap, excess);
                swept[i] = fma(r_ij * r_ji, p_j, swept[i]);
                swept[j] = fma(r_ij * r_ji, p_i, swept[j]);
                diagonal[i] = fma(r_ji, r_ji, diagonal[i]);
                diagonal[j] = fma(r_ij, r_ij, diagonal[j]);
            }
        }
        for (int64_t i = 0; i < n; i++) {
            // Q_ii is 0 for a class that surely beats all others; its probability is not small.
            V again = (excess / total + swept[i]) / diagonal[i];
            V better = diagonal[i] > 0.0 ? again : p[i];
            p[i] = small > 0.0 ? better : p[i];
        }
    }
};

} // namespace pwc::PWC_TARGET
