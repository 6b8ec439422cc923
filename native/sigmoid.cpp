#include "sigmoid.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

namespace pwc {

namespace {

constexpr int MAX_ITER = 100;
// Added to the diagonal of the Hessian, which is singular if all scores are equal.
constexpr double RIDGE = 1e-12;
constexpr double SHORTEST_STEP = 1e-10;
// If a Newton step promises less than this share of the loss, only rounding is left.
constexpr double SMALLEST_GAIN = 1e-15;

// Scores that are more standard deviations from the mean of their class are outliers.
constexpr double FAR = 5.0;

// A loss, its gradient and its Hessian in the parameters (a, b + a * centre). About the `mean` of informative scores the
// Hessian is nearly diagonal, so its determinant keeps its digits; the mean at one step is the centre of the next.
struct Loss {
    double value, g_a, g_b, h_aa, h_ab, h_bb, centre, mean;
};

struct Rows {
    const double *scores, *target, *weight;
    int64_t n;

    // Whether two rows with positive weight have different scores.
    bool differ() const {
        const double *first = nullptr;
        for (int64_t k = 0; k < n; k++) {
            if (weight[k] == 0.0) continue;
            if (!first) first = scores + k;
            if (scores[k] != *first) return true;
        }
        return false;
    }
};

// Of one row at x = a f + b: its part of the cross-entropy, the residual, p (1 - p), and the probability that it is negative.
struct Row {
    double value, residual, curve, p_negative;

    Row(const Rows &rows, int64_t k, double a, double b) {
        const double x = rows.scores[k] * a + b, small = std::exp(-std::fabs(x)), share = 1.0 / (1.0 + small);
        const double target = rows.target[k];
        value = (x >= 0.0 ? target : target - 1.0) * x + std::log1p(small);
        p_negative = x >= 0.0 ? share : small * share;
        residual = target - 1.0 + p_negative;
        curve = small * (share * share);
    }
};

// Weighted cross-entropy.
Loss cross_entropy(const Rows &rows, double a, double b, double) {
    Loss sum{};
    for (int64_t k = 0; k < rows.n; k++) {
        const Row row(rows, k, a, b);
        const double f = rows.scores[k], residual = rows.weight[k] * row.residual, curve = rows.weight[k] * row.curve;
        sum.value += rows.weight[k] * row.value;
        sum.g_a += f * residual;
        sum.g_b += residual;
        sum.h_aa += f * f * curve;
        sum.h_ab += f * curve;
        sum.h_bb += curve;
    }
    return sum;
}

// Cross-entropy less half the logarithm of |I|, where I is the information matrix of (a, b).
//
// With v = p (1 - p) and sums S_k of w v f^k, |I| is S_0 S_2 - S_1^2. Its derivatives are those of the sums:
// dS_k/da = U_(k+1), dS_k/db = U_k with v' = v (1 - 2 p), and the same with v'' = v (1 - 6 v) for the second derivatives.
Loss penalised(const Rows &rows, double a, double b, double centre) {
    Loss sum{};
    sum.centre = centre;
    double s[3] = {}, u[4] = {}, w[5] = {};
    for (int64_t k = 0; k < rows.n; k++) {
        const Row row(rows, k, a, b);
        const double f = rows.scores[k] - sum.centre, weight = rows.weight[k];
        sum.value += weight * row.value;
        sum.g_a += weight * f * row.residual;
        sum.g_b += weight * row.residual;
        double v = weight * row.curve, v1 = v * (1.0 - 2.0 * row.p_negative), v2 = v * (1.0 - 6.0 * row.curve);
        for (int power = 0; power < 5; power++) {
            if (power < 3) s[power] += v;
            if (power < 4) u[power] += v1;
            w[power] += v2;
            v *= f;
            v1 *= f;
            v2 *= f;
        }
    }
    const double det = s[0] * s[2] - s[1] * s[1];
    if (!(det > 0.0)) {
        sum.value = std::numeric_limits<double>::infinity();
        return sum;
    }
    sum.mean = centre + s[1] / s[0];
    const double d_a = (u[1] * s[2] + s[0] * u[3] - 2.0 * s[1] * u[2]) / det;
    const double d_b = (u[0] * s[2] + s[0] * u[2] - 2.0 * s[1] * u[1]) / det;
    const double d_aa = (w[2] * s[2] + s[0] * w[4] + 2.0 * (u[1] * u[3] - u[2] * u[2] - s[1] * w[3])) / det;
    const double d_ab = (w[1] * s[2] + s[0] * w[3] + u[0] * u[3] - u[1] * u[2] - 2.0 * s[1] * w[2]) / det;
    const double d_bb = (w[0] * s[2] + s[0] * w[2] + 2.0 * (u[0] * u[2] - u[1] * u[1] - s[1] * w[1])) / det;
    sum.value -= 0.5 * std::log(det);
    sum.g_a -= 0.5 * d_a;
    sum.g_b -= 0.5 * d_b;
    sum.h_aa = s[2] - 0.5 * (d_aa - d_a * d_a);
    sum.h_ab = s[1] - 0.5 * (d_ab - d_a * d_b);
    sum.h_bb = s[0] - 0.5 * (d_bb - d_b * d_b);
    if (!(sum.h_bb > 0.0 && sum.h_aa * sum.h_bb > sum.h_ab * sum.h_ab)) {
        // Far from its minimum the loss need not be convex; the information matrix always gives a descent.
        sum.h_aa = s[2];
        sum.h_ab = s[1];
        sum.h_bb = s[0];
    }
    return sum;
}

// A minimum of a loss, by Newton's method.
template <class Evaluate>
Sigmoid minimise(Evaluate evaluate, const Rows &rows, double a, double b) {
    Loss here = evaluate(rows, a, b, 0.0);
    if (!std::isfinite(here.value)) return {a, b, here.value, false};
    for (int iteration = 0; iteration < MAX_ITER; iteration++) {
        const double h_aa = here.h_aa + RIDGE, h_bb = here.h_bb + RIDGE, h_ab = here.h_ab;
        const double determinant = h_aa * h_bb - h_ab * h_ab;
        const double d_a = -(h_bb * here.g_a - h_ab * here.g_b) / determinant;
        const double d_centred = -(h_aa * here.g_b - h_ab * here.g_a) / determinant;
        const double d_b = d_centred - here.centre * d_a;
        const double slope = here.g_a * d_a + here.g_b * d_centred, size = 1.0 + std::fabs(here.value);
        if (-slope <= SMALLEST_GAIN * size) return {a + d_a, b + d_b, here.value, true};
        double step = 1.0;
        Loss there{};
        for (; step >= SHORTEST_STEP; step /= 2.0) {
            there = evaluate(rows, a + step * d_a, b + step * d_b, here.mean);
            if (there.value < here.value + 1e-4 * step * slope) break;
        }
        // No step decreases the loss: it is exact to the last digit, or the scores are too far apart or NaN.
        if (step < SHORTEST_STEP) return {a, b, here.value, -slope < 1e-9 * size};
        a += step * d_a;
        b += step * d_b;
        here = there;
    }
    return {a, b, here.value, false};
}

// The lowest minimum that is found from several starting points.
template <class Evaluate>
Sigmoid lowest(Evaluate evaluate, const Rows &rows, std::initializer_list<Sigmoid> starts) {
    Sigmoid best{0.0, 0.0, std::numeric_limits<double>::infinity(), false};
    for (const Sigmoid &start : starts) {
        const Sigmoid fit = minimise(evaluate, rows, start.a, start.b);
        if (fit.converged > best.converged || (fit.converged == best.converged && fit.loss < best.loss)) best = fit;
    }
    return best;
}

// Total weights of both classes.
struct Classes {
    double positive = 0.0, negative = 0.0;

    Classes(const bool *is_positive, const double *weight, int64_t n) {
        for (int64_t k = 0; k < n; k++) (is_positive[k] ? positive : negative) += weight[k];
    }
};

double median(std::vector<double> &values) {
    if (values.empty()) return 0.0;
    const auto middle = values.begin() + int64_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// The sigmoid of two normal classes with equal variances, and whether there are outliers. Means and standard deviation are
// estimated by medians, which ignore outliers.
Sigmoid discriminant(const Rows &rows, bool &has_outliers) {
    std::vector<double> of_class[2], distances;
    for (int64_t k = 0; k < rows.n; k++)
        if (rows.weight[k] > 0.0) of_class[rows.target[k] > 0.5].push_back(rows.scores[k]);
    const double negative = median(of_class[0]), positive = median(of_class[1]);
    for (int side = 0; side < 2; side++)
        for (const double score : of_class[side]) distances.push_back(std::fabs(score - (side ? positive : negative)));
    // 1.4826 times the median distance estimates a normal standard deviation; the gap bounds the log-odds of the means.
    const double sd = 1.4826 * median(distances);
    has_outliers = *std::max_element(distances.begin(), distances.end()) > FAR * sd;
    const double gap = std::fabs(positive - negative), spread = std::max(sd, 0.5 * gap);
    const double a = spread > 0.0 ? -gap / (spread * spread) : 0.0;
    return {a, -0.5 * a * (positive + negative), 0.0, true};
}

} // namespace

Sigmoid fit_sigmoid(const double *scores, const bool *positive, const double *weight, int64_t n, const Sigmoid *start) {
    const Classes of(positive, weight, n);
    std::vector<double> target(n);
    for (int64_t k = 0; k < n; k++)
        target[k] = positive[k] ? (of.positive + 1.0) / (of.positive + 2.0) : 1.0 / (of.negative + 2.0);
    const Rows rows{scores, target.data(), weight, n};
    if (start && rows.differ()) {
        const Sigmoid fit = minimise(cross_entropy, rows, start->a, start->b);
        if (fit.converged) return fit;
    }
    return minimise(cross_entropy, rows, 0.0, std::log((of.negative + 1.0) / (of.positive + 1.0)));
}

Sigmoid fit_firth(const double *scores, const bool *positive, const double *weight, int64_t n, const Sigmoid *start) {
    const Classes of(positive, weight, n);
    const std::vector<double> target(positive, positive + n);
    const Rows rows{scores, target.data(), weight, n};
    // The estimate without a slope.
    const Sigmoid level{0.0, std::log((of.negative + 0.5) / (of.positive + 0.5)), 0.0, true};
    if (!rows.differ()) return level;
    Sigmoid fit{};
    if (start) fit = minimise(penalised, rows, start->a, start->b);
    if (!fit.converged) {
        bool has_outliers = false;
        const Sigmoid near = discriminant(rows, has_outliers);
        // With outliers there are several minima: near a slope of 0, and near the slope of the other scores.
        if (!has_outliers) fit = minimise(penalised, rows, near.a, near.b);
        if (!fit.converged) fit = lowest(penalised, rows, {level, near});
    }
    if (!(fit.a > 0.0)) return fit;
    // High scores speak against the class that they favour. This is the limit for slopes that fall to 0.
    return {0.0, std::log((of.negative + 1.0) / (of.positive + 1.0)), 0.0, fit.converged};
}

} // namespace pwc
