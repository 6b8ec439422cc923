#include "sigmoid.hpp"

#include <cmath>
#include <vector>

namespace pwc {

namespace {

constexpr int MAX_ITER = 100;
// Added to the diagonal of the Hessian, which is singular if all scores are equal.
constexpr double RIDGE = 1e-12;
constexpr double SHORTEST_STEP = 1e-10;
// If a Newton step promises less than this share of the loss, only rounding is left.
constexpr double SMALLEST_GAIN = 1e-15;

// Weighted cross-entropy, its gradient and its Hessian.
struct Loss {
    double value, g_a, g_b, h_aa, h_ab, h_bb;
};

Loss evaluate(const double *scores, const double *target, const double *weight, int64_t n, double a, double b) {
    Loss sum{};
    for (int64_t k = 0; k < n; k++) {
        const double x = scores[k] * a + b, small = std::exp(-std::fabs(x)), share = 1.0 / (1.0 + small);
        const bool is_positive = x >= 0.0;
        sum.value += weight[k] * ((is_positive ? target[k] : target[k] - 1.0) * x + std::log1p(small));
        const double residual = weight[k] * (target[k] - 1.0 + (is_positive ? share : small * share));
        const double curve = weight[k] * small * (share * share);
        sum.g_a += scores[k] * residual;
        sum.g_b += residual;
        sum.h_aa += scores[k] * scores[k] * curve;
        sum.h_ab += scores[k] * curve;
        sum.h_bb += curve;
    }
    return sum;
}

} // namespace

Sigmoid fit_sigmoid(const double *scores, const bool *positive, const double *weight, int64_t n) {
    double n_positive = 0.0, n_negative = 0.0;
    for (int64_t k = 0; k < n; k++) (positive[k] ? n_positive : n_negative) += weight[k];
    std::vector<double> target(n);
    for (int64_t k = 0; k < n; k++)
        target[k] = positive[k] ? (n_positive + 1.0) / (n_positive + 2.0) : 1.0 / (n_negative + 2.0);
    double a = 0.0, b = std::log((n_negative + 1.0) / (n_positive + 1.0));
    Loss here = evaluate(scores, target.data(), weight, n, a, b);
    for (int iteration = 0; iteration < MAX_ITER; iteration++) {
        const double h_aa = here.h_aa + RIDGE, h_bb = here.h_bb + RIDGE, h_ab = here.h_ab;
        const double determinant = h_aa * h_bb - h_ab * h_ab;
        const double d_a = -(h_bb * here.g_a - h_ab * here.g_b) / determinant;
        const double d_b = -(h_aa * here.g_b - h_ab * here.g_a) / determinant;
        const double slope = here.g_a * d_a + here.g_b * d_b;
        if (-slope <= SMALLEST_GAIN * (1.0 + here.value)) return {a, b, true};
        double step = 1.0;
        Loss there{};
        for (; step >= SHORTEST_STEP; step /= 2.0) {
            there = evaluate(scores, target.data(), weight, n, a + step * d_a, b + step * d_b);
            if (there.value < here.value + 1e-4 * step * slope) break;
        }
        // No step decreases the loss: it is exact to the last digit, or the scores are too far apart or NaN.
        if (step < SHORTEST_STEP) return {a, b, -slope < 1e-9 * (1.0 + here.value)};
        a += step * d_a;
        b += step * d_b;
        here = there;
    }
    return {a, b, false};
}

} // namespace pwc
