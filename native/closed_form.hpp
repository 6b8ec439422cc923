// Coupling methods with a closed formula: pkpd, rv, vote, sum, bayes.
#pragma once

#include "blocks.hpp"

namespace pwc::PWC_TARGET {

// p_i = sum_j r_ij.
template <class V>
void row_sums(const V *__restrict r, int64_t n, V *__restrict p) {
    for (int64_t i = 0; i < n; i++) p[i] = V{};
    for (int64_t i = 0, pair = 0; i < n; i++) {
        V own = p[i];
        for (int64_t j = i + 1; j < n; j++, pair++) {
            own = own + r[pair];
            p[j] = p[j] + (1.0 - r[pair]);
        }
        p[i] = own;
    }
}

// Price, Knerr, Personnaz & Dreyfus (1995): p_i = 1 / (sum_j 1/r_ij - (K - 2)), normalised.
template <class V>
struct Pkpd {
    const Coupling &c;
    Rows<V> r, p;
    explicit Pkpd(const Coupling &c) : c(c), r(c.n_pairs), p(c.n_classes) {}

    bool operator()(int64_t start) {
        const int64_t n = c.n_classes;
        bool needs_check = read_clipped<V>(c, start, c.clip, r);
        for (int64_t i = 0; i < n; i++) p[i] = splat<V>(2.0 - double(n));
        for (int64_t i = 0, pair = 0; i < n; i++) {
            V inverse = p[i];
            for (int64_t j = i + 1; j < n; j++, pair++) {
                inverse = inverse + 1.0 / r[pair];
                p[j] = p[j] + 1.0 / (1.0 - r[pair]);
            }
            p[i] = 1.0 / inverse;
        }
        write<V>(c, start, p);
        return needs_check;
    }
};

// Refregier & Vallet (1991): the equations r_hi p_i = r_ih p_h of the class h with the largest sum_j r_hj.
template <class V>
struct Rv {
    const Coupling &c;
    Rows<V> r, p;
    explicit Rv(const Coupling &c) : c(c), r(c.n_pairs), p(c.n_classes) {}

    bool operator()(int64_t start) {
        bool needs_check = read_clipped<V>(c, start, c.clip, r);
        row_sums<V>(r, c.n_classes, p);
        for (int lane = 0; lane < width<V>; lane++) solve(lane);
        write<V>(c, start, p);
        return needs_check;
    }

    void solve(int lane) {
        const int64_t n = c.n_classes;
        auto p_ = [&](int64_t i) -> double & { return numbers(&p[i])[lane]; };
        double largest = p_(0);
        for (int64_t i = 1; i < n; i++) largest = greatest(largest, p_(i));
        // The first of the largest sums. Equal sums may differ in the last digit, by the order of their terms.
        int64_t hub = 0;
        while (hub < n - 1 && !(p_(hub) >= largest * (1.0 - 1e-12))) hub++;
        int infinite = 0;
        for (int64_t i = 0; i < n; i++) {
            if (i == hub) {
                p_(i) = 1.0;
                continue;
            }
            int64_t j = i < hub ? i : hub, k = i < hub ? hub : i;
            double r_jk = numbers(&r[j * (2 * n - j - 1) / 2 + k - j - 1])[lane];
            p_(i) = i < hub ? r_jk / (1.0 - r_jk) : (1.0 - r_jk) / r_jk;
            infinite += p_(i) == INFINITY ? 1 : 0;
        }
        // The limit r -> 0 of one equation. Two such equations do not determine the ratio of their classes; `write` then
        // writes NaN.
        for (int64_t i = 0; infinite == 1 && i < n; i++) p_(i) = p_(i) == INFINITY ? 1.0 : 0.0;
    }
};

// p_i = 2 sum_j r_ij / (K (K - 1)).
template <class V>
struct Sum {
    const Coupling &c;
    Rows<V> r, p;
    explicit Sum(const Coupling &c) : c(c), r(c.n_pairs), p(c.n_classes) {}

    bool operator()(int64_t start) {
        bool needs_check = read_clipped<V>(c, start, 0.0, r);
        row_sums<V>(r, c.n_classes, p);
        write<V>(c, start, p);
        return needs_check;
    }
};

// p_i = 2 wins_i / (K (K - 1)), with half a win for both classes if r = 1/2.
template <class V>
struct Vote {
    const Coupling &c;
    Rows<V> r, p;
    explicit Vote(const Coupling &c) : c(c), r(c.n_pairs), p(c.n_classes) {}

    bool operator()(int64_t start) {
        bool needs_check = read_clipped<V>(c, start, 0.0, r);
        for (int64_t pair = 0; pair < c.n_pairs; pair++) {
            V lost_or_half = r[pair] < 0.5 ? V{} : splat<V>(0.5);
            r[pair] = r[pair] > 0.5 ? splat<V>(1.0) : lost_or_half;
        }
        row_sums<V>(r, c.n_classes, p);
        write<V>(c, start, p);
        return needs_check;
    }
};

// Sulzmann, Fuernkranz & Huellermeier (2007), Theorem 1: p_i = sum_j m_ij r_ij / (K - 1), normalised; m is in `weights`.
template <class V>
struct Bayes {
    const Coupling &c;
    Rows<V> r, mass, p;
    explicit Bayes(const Coupling &c) : c(c), r(c.n_pairs), mass(c.n_pairs), p(c.n_classes) {}

    bool operator()(int64_t start) {
        const int64_t n = c.n_classes;
        bool needs_check = read_clipped<V>(c, start, 0.0, r);
        read_weights<V>(c, start, mass);
        for (int64_t i = 0; i < n; i++) p[i] = V{};
        for (int64_t i = 0, pair = 0; i < n; i++) {
            V own = p[i];
            for (int64_t j = i + 1; j < n; j++, pair++) {
                V won = mass[pair] * r[pair];
                own = own + won;
                p[j] = p[j] + (mass[pair] - won);
            }
            p[i] = own;
        }
        write<V>(c, start, p);
        return needs_check;
    }
};

} // namespace pwc::PWC_TARGET
