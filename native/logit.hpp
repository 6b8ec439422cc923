// Coupling by weighted least squares on the log-odds: minimise sum_{i<j} n_ij (log p_i - log p_j - logit r_ij)^2.
#pragma once

#include "blocks.hpp"

namespace pwc::PWC_TARGET {

// An exact 0 or 1 has the logit -L or L, and L tends to infinity. Then log p = L slope + log_p: `slope` solves the problem
// with -1, 0 and 1 in place of the logits, `log_p` the one with the finite logits. In the limit, only the classes with
// the largest slope have a positive probability.
template <class V>
struct Logit {
    // Slopes that differ by less than this for each class are equal: it is a bound for their rounding errors. The
    // difference of slopes may be as small as the ratio of two weights.
    static constexpr double SAME_SLOPE = 1e-14;

    const Coupling &c;
    const bool equal;
    Rows<V> logit, weight, sign, edge, flow, log_p, slope;
    explicit Logit(const Coupling &c)
        : c(c), equal(has_equal_weights(c)), logit(c.n_pairs), weight(c.n_pairs), sign(c.n_pairs),
          edge(equal ? 0 : c.n_classes * c.n_classes), flow(equal ? 0 : c.n_classes * c.n_classes), log_p(c.n_classes),
          slope(c.n_classes) {}

    bool operator()(int64_t start) {
        bool needs_check = read_clipped<V>(c, start, c.clip, logit);
        read_weights<V>(c, start, weight);
        bool has_limits = to_logits();
        equal ? mean_logits(logit, log_p) : least_squares(logit, log_p);
        if (has_limits) equal ? mean_logits(sign, slope) : least_squares(sign, slope);
        for (int lane = 0; lane < width<V>; lane++) exponentiate(lane, has_limits);
        write<V>(c, start, log_p);
        return needs_check;
    }

    // Replace r by its logit, or by 0 and its sign if the logit is infinite; returns whether any is.
    bool to_logits() {
        bool any_infinite = false;
        for (int64_t k = 0; k < c.n_pairs * width<V>; k++) {
            double &x = numbers<V>(logit)[k], &s = numbers<V>(sign)[k];
            double r = x;
            x = s = 0.0;
            if (!(numbers<V>(weight)[k] > 0.0)) continue;
            if (0.0 < r && r < 1.0) {
                x = log(r / (1.0 - r));
            } else {
                s = r >= 1.0 ? 1.0 : -1.0;
                any_infinite = true;
            }
        }
        return any_infinite;
    }

    // Whether one set of weights, all equal, belongs to all samples.
    static bool has_equal_weights(const Coupling &c) {
        bool equal = c.n_weight_rows == 1;
        for (int64_t pair = 0; equal && pair < c.n_pairs; pair++) equal = c.weights[pair] == c.weights[0];
        return equal;
    }

    // The solution for equal weights, log p_i = sum_j l_ij / K.
    void mean_logits(const V *__restrict l, V *__restrict out) {
        const int64_t n = c.n_classes;
        for (int64_t i = 0; i < n; i++) out[i] = V{};
        for (int64_t i = 0, pair = 0; i < n; i++) {
            V own = out[i];
            for (int64_t j = i + 1; j < n; j++, pair++) {
                own = own + l[pair];
                out[j] = out[j] - l[pair];
            }
            out[i] = own / double(n);
        }
    }

    // The solution for any weights, with log_p[0] = 0, by elimination of one class after the other.
    //
    // Write l_ki for what log p_k - log p_i should be. The best log p_k for given others is the mean of log p_i + l_ki with
    // weights n_ki. What is left of the sum of squares is a weighted variance, in which each two neighbours i and j of k
    // have a new edge of weight n_ki n_kj / sum n_k and l_ij = l_ik + l_kj. Weights are only added and divided, so that
    // weights of very different size lose no digits. `flow` is weight times l; both are stored for k > i.
    void least_squares(const V *l, V *out) {
        const int64_t n = c.n_classes;
        for (int64_t i = 0, pair = 0; i < n; i++)
            for (int64_t k = i + 1; k < n; k++, pair++) {
                edge[k * n + i] = weight[pair];
                flow[k * n + i] = -(weight[pair] * l[pair]);
            }
        for (int64_t k = n - 1; k > 0; k--) {
            V *__restrict edge_k = edge + k * n, *__restrict flow_k = flow + k * n;
            V total = edge_k[0];
            for (int64_t i = 1; i < k; i++) total = total + edge_k[i];
            V inverse = 1.0 / total;
            for (int64_t j = 1; j < k; j++) {
                V *__restrict edge_j = edge + j * n, *__restrict flow_j = flow + j * n;
                V share = edge_k[j] * inverse, mean = flow_k[j] * inverse;
                for (int64_t i = 0; i < j; i++) {
                    edge_j[i] = fma(share, edge_k[i], edge_j[i]);
                    flow_j[i] = fma(share, flow_k[i], fma(-mean, edge_k[i], flow_j[i]));
                }
            }
            // From here on row k holds shares of its total weight, and mean differences in place of flows.
            for (int64_t i = 0; i < k; i++) {
                edge_k[i] = edge_k[i] * inverse;
                flow_k[i] = flow_k[i] * inverse;
            }
        }
        for (int64_t k = 0; k < n; k++) {
            V mean{};
            for (int64_t i = 0; i < k; i++) mean = mean + fma(edge[k * n + i], out[i], flow[k * n + i]);
            out[k] = mean;
        }
    }

    void exponentiate(int lane, bool has_limits) {
        const int64_t n = c.n_classes;
        auto log_p_ = [&](int64_t i) -> double & { return numbers(&log_p[i])[lane]; };
        if (has_limits) {
            double steepest = numbers(&slope[0])[lane];
            for (int64_t i = 1; i < n; i++) steepest = greatest(steepest, numbers(&slope[i])[lane]);
            for (int64_t i = 0; i < n; i++)
                if (numbers(&slope[i])[lane] < steepest - SAME_SLOPE * double(n)) log_p_(i) = -INFINITY;
        }
        // Relative to the most probable class, to avoid overflow.
        double largest = log_p_(0);
        for (int64_t i = 1; i < n; i++) largest = greatest(largest, log_p_(i));
        for (int64_t i = 0; i < n; i++) log_p_(i) = exp(log_p_(i) - largest);
    }
};

} // namespace pwc::PWC_TARGET
