// Hastie & Tibshirani's (1998) coupling: a weighted Bradley-Terry model for each sample, by a damped Newton method.
#pragma once

#include "blocks.hpp"
#include "divergence.hpp"
#include "elimination.hpp"

namespace pwc::PWC_TARGET {

// Minimise the weighted Kullback-Leibler distance of r_ij from mu_ij = p_i / (p_i + p_j).
template <class V>
struct Ht {
    static constexpr int MAX_STEPS = 500;
    // The iteration stops when the error in log p that is left after a step is about this, and scores are below 1e-7. It is
    // the square of a Newton step, because Newton's method doubles the digits.
    static constexpr double ERROR_LEFT = 1e-12, LARGEST_SCORE = 1e-7;
    // After a step shorter than this, the factorised information is used again, since it hardly changes. The steps then
    // shrink at a constant rate. If the rate is above SLOW, the information is computed again.
    static constexpr double REUSE_AFTER = 1e-2, SLOW = 0.1;
    // If r or weights differ by many orders of magnitude, rounding can keep the steps longer. If the scores are this small
    // and the steps no longer shrink, the iteration stops; log p is then known to about the last step's length.
    static constexpr double SMALL_SCORE = 1e-10, LONGEST_LAST_STEP = 1e-6;
    // If classes are joined by less than this, rounding errors of the scores may move log p. They must not by more than
    // LARGEST_DOUBT.
    static constexpr double WEAK_LINK = 1e-12, LARGEST_DOUBT = 1e-10;
    // A full step of at most this length always descends; a longer one is shortened to log(1 + length).
    static constexpr double FULL_STEP = 1.0;
    // tanh must stay below 1.
    static constexpr double LONGEST_STEP = 30.0;
    // The starting values need r inside (0, 1).
    static constexpr double START_CLIP = 1e-7;
    // Larger odds would overflow within a step or two.
    static constexpr double LARGEST_ODDS = 1e290;
    // x + GRID - GRID is x rounded to a multiple of 2^-38. Sums of such numbers have no rounding error.
    static constexpr double GRID = 24576.0, EPSILON = 1.2e-16;

    const Coupling &c;
    Rows<V> r, weight, keep, p, inverse_total, information, inverse, step, low;
    // The p at which the information of each lane was computed.
    Rows<V> origin;
    // Of each lane: whether it still iterates, whether its information is computed in this step, and whether it has
    // converged (1 or 0); the number of steps; the range of its last step and of the one before; its largest score as a
    // share of the total weight of the class; and its weakest link.
    V active, fresh, arrived, steps, length, before, residual, weakest;

    explicit Ht(const Coupling &c)
        : c(c), r(c.n_pairs), weight(c.n_pairs), keep(c.n_classes), p(c.n_classes), inverse_total(c.n_classes),
          information(c.n_classes * c.n_classes), inverse(c.n_classes), step(c.n_classes), low(c.n_classes),
          origin(c.n_classes) {}

    bool operator()(int64_t start) {
        bool needs_check = read_clipped<V>(c, start, c.clip, r);
        read_weights<V>(c, start, weight);
        read_top<V>(c, start, keep);
        prepare();
        starting_values();
        active = fresh = splat<V>(1.0);
        steps = arrived = V{};
        before = splat<V>(INFINITY);
        for (int k = 0; any_positive(active) && k < MAX_STEPS; k++) {
            // `step` holds the score first; the solution, the Newton step, overwrites it.
            bool all_fresh = !any_positive(active - fresh);
            all_fresh ? score<true>() : score<false>();
            if (any_positive(fresh)) {
                for (int64_t i = 0; i < c.n_classes; i++) origin[i] = fresh > 0.0 ? p[i] : origin[i];
                if (!all_fresh) fill();
                factorise();
            }
            largest_score();
            solve();
            damp();
            move();
        }
        if (any_positive(WEAK_LINK - weakest)) refuse_doubtful();
        for (int lane = 0; lane < width<V> && start + lane < c.stop; lane++) {
            c.n_iter[start + lane] = int64_t(numbers(&steps)[lane]);
            c.converged[start + lane] = numbers(&arrived)[lane] == 1.0;
            if (c.kl) c.kl[start + lane] = distance(lane);
        }
        for (int64_t i = 0; i < c.n_classes; i++) p[i] = p[i] * keep[i];
        write<V>(c, start, p);
        return needs_check;
    }

    // Drop pairs that were not compared, whose r may be NaN, and compute 1 / (total weight) of each class.
    void prepare() {
        const int64_t n = c.n_classes;
        for (int64_t i = 0; i < n; i++) inverse_total[i] = V{};
        for (int64_t i = 0, pair = 0; i < n; i++) {
            V total = inverse_total[i];
            for (int64_t j = i + 1; j < n; j++, pair++) {
                V w = weight[pair] * keep[i] * keep[j];
                weight[pair] = w;
                r[pair] = w > 0.0 ? r[pair] : splat<V>(0.5);
                inverse_total[j] = inverse_total[j] + w;
                total = total + w;
            }
            inverse_total[i] = inverse_or_zero(total);
        }
    }

    // p_i = 1 / (sum_j 1/r_ij - (c_i - 1)) over the c_i classes compared with i: exact if the r are compatible.
    void starting_values() {
        const int64_t n = c.n_classes;
        for (int64_t i = 0; i < n; i++) p[i] = splat<V>(1.0);
        for (int64_t i = 0, pair = 0; i < n; i++) {
            V inverse = p[i];
            for (int64_t j = i + 1; j < n; j++, pair++) {
                V r_ij = least(greatest(r[pair], splat<V>(START_CLIP)), splat<V>(1.0 - START_CLIP));
                V r_ji = 1.0 - r_ij;
                // 1/r_ij - 1 = r_ji / r_ij, and the same for r_ji, with one division; 0 if the pair was not compared.
                V both = weight[pair] > 0.0 ? 1.0 / (r_ij * r_ji) : V{};
                inverse = fma(r_ji * r_ji, both, inverse);
                p[j] = fma(r_ij * r_ij, both, p[j]);
            }
            p[i] = 1.0 / inverse;
        }
    }

    // Score sum_j n_ij (r_ij - mu_ij) and, with FILL, the information n_ij mu_ij mu_ji of each pair.
    //
    // The sums are exact to about 1e-28. If a pair of small weight connects two groups of classes, all other terms must
    // cancel, or the effect of this pair would be lost.
    template <bool FILL>
    void score() {
        const int64_t n = c.n_classes;
        V *__restrict high = step, *__restrict rest = low, *__restrict info = information;
        for (int64_t i = 0; i < n; i++) high[i] = rest[i] = V{};
        for (int64_t i = 0, pair = 0; i < n; i++) {
            V p_i = p[i], high_i = high[i], rest_i = rest[i];
            for (int64_t j = i + 1; j < n; j++, pair++) {
                V p_j = p[j], r_ij = r[pair];
                V inverse_sum = 1.0 / (p_i + p_j), scale = weight[pair] * inverse_sum;
                // If r_ij is near 1, the difference of the other side is more accurate. Both become exactly 0 if r fits.
                V gap = r_ij > 0.5 ? p_j * inverse_sum - (1.0 - r_ij) : r_ij - p_i * inverse_sum;
                V error = weight[pair] * gap;
                V on_grid = error + GRID - GRID, off_grid = error - on_grid;
                high_i = high_i + on_grid;
                rest_i = rest_i + off_grid;
                high[j] = high[j] - on_grid;
                rest[j] = rest[j] - off_grid;
                if (FILL) info[i * n + j] = (scale * p_i) * (inverse_sum * p_j);
            }
            high[i] = high_i + rest_i;
            rest[i] = rest_i;
        }
    }

    // The information again, with the same bits, for lanes in which it was computed at different steps.
    void fill() {
        const int64_t n = c.n_classes;
        for (int64_t i = 0, pair = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++, pair++) {
                V inverse_sum = 1.0 / (origin[i] + origin[j]), scale = weight[pair] * inverse_sum;
                information[i * n + j] = (scale * origin[i]) * (inverse_sum * origin[j]);
            }
    }

    // The largest score, where the score of a class is divided by its total weight.
    void largest_score() {
        residual = V{};
        for (int64_t i = 0; i < c.n_classes; i++) {
            V share = step[i] * inverse_total[i];
            residual = greatest(residual, greatest(share, -share));
        }
    }

    // Eliminate the nodes of the graph whose edges are the information. x = (information)^-1 score is a system of the graph's
    // Laplacian.
    //
    // Eliminating node k adds edge_ki edge_kj / sum edge_k to the edge of its neighbours i and j. All terms are positive, so
    // that no digits are lost if edges differ by orders of magnitude.
    void factorise() {
        const int64_t n = c.n_classes;
        weakest = splat<V>(1.0);
        eliminate<true, V>(information, n, [&](int64_t k) {
            V total = sum_of<V>(information + k * n + k + 1, n - k - 1);
            weakest = least(weakest, total > 0.0 ? total : splat<V>(1.0));
            return inverse[k] = inverse_or_zero(total);
        });
    }

    // Solve for `step`, in place, where the last entry is 0; a node without later neighbours gets the value 0.
    void solve() {
        const int64_t n = c.n_classes;
        carry_forward(step);
        step[n - 1] = V{};
        for (int64_t k = n - 2; k >= 0; k--)
            step[k] = inverse[k] * add_dot<V>(step[k], information + k * n + k + 1, step + k + 1, n - k - 1);
    }

    // Add what the elimination of earlier nodes adds to each entry of a right-hand side.
    void carry_forward(V *x) {
        const int64_t n = c.n_classes;
        for (int64_t k = 1; k < n; k++) x[k] = add_dot<V>(x[k], information + k * n, x, k);
    }

    // A result is not accepted if rounding errors of the scores could move log p: groups of classes may be joined by a
    // link that is no stronger than these errors.
    void refuse_doubtful() {
        const int64_t n = c.n_classes;
        score<false>();
        for (int64_t i = 0; i < n; i++) {
            V size = greatest(step[i], -step[i]) + greatest(low[i], -low[i]);
            step[i] = EPSILON * size;
        }
        carry_forward(step);
        for (int64_t i = 0; i < n; i++) {
            V doubt = step[i] * inverse[i];
            arrived = ((weakest >= WEAK_LINK) | (doubt <= LARGEST_DOUBT)) ? arrived : V{};
        }
    }

    // Centre the Newton step, and shorten it if it is long.
    //
    // Along a direction of range d the objective satisfies |f'''| <= d f'', so that a step of log(1 + d) / d always descends
    // (Sun & Tran-Dinh 2019). This gives global convergence without a line search.
    void damp() {
        const int64_t n = c.n_classes;
        V lowest = step[0], highest = step[0], nothing{};
        for (int64_t i = 0; i < n; i++) {
            lowest = least(lowest, step[i]);
            highest = greatest(highest, step[i]);
            // A sum keeps NaN; a comparison would lose it.
            nothing = nothing + (step[i] - step[i]);
        }
        V middle = 0.5 * (lowest + highest);
        for (int64_t i = 0; i < n; i++) step[i] = step[i] - middle;
        length = highest - lowest + nothing;
        for (int lane = 0; lane < width<V>; lane++) {
            double size = numbers(&length)[lane];
            if (!(size < LARGEST_ODDS)) {
                // The step has overflowed: keep the last p.
                numbers(&active)[lane] = 0.0;
                for (int64_t i = 0; i < n; i++) numbers(&step[i])[lane] = 0.0;
            } else if (size > FULL_STEP) {
                double share = least(log1p(size), LONGEST_STEP) / size;
                // The x for which (2 + x) / (2 - x) is the exponential of the shortened step.
                for (int64_t i = 0; i < n; i++) {
                    double &x = numbers(&step[i])[lane];
                    x = 2.0 * tanh(0.5 * share * x);
                }
            }
        }
    }

    // Take the step in the lanes that iterate, and find out which of them must go on.
    void move() {
        const V one = splat<V>(1.0);
        V lowest = one, highest = one;
        for (int64_t i = 0; i < c.n_classes; i++) {
            // (2 + x) / (2 - x) is exp(x) up to x^3 / 12, which suffices here and needs no call.
            V x = active * step[i];
            p[i] = p[i] * ((2.0 + x) / (2.0 - x));
            lowest = least(lowest, p[i]);
            highest = greatest(highest, p[i]);
        }
        steps = steps + active;
        // In exact arithmetic no score exceeds the step; if one does, rounding has spoilt the step.
        V left = ERROR_LEFT * (fresh > 0.0 ? one : before);
        // The scores are rounded before the step is computed. If a link is weak, go on until they are small enough.
        auto certain = EPSILON * residual <= LARGEST_DOUBT * weakest;
        auto stops = certain & (residual <= LARGEST_SCORE) & (length * length <= left);
        auto stalls = (fresh > 0.0) & (residual <= SMALL_SCORE) & (length >= before);
        auto overflows = (lowest <= 1.0 / LARGEST_ODDS) | (highest >= LARGEST_ODDS);
        auto good = (stops | stalls) & (greatest(length, residual) <= LONGEST_LAST_STEP);
        arrived = arrived + (good ? active : V{});
        active = (stops | stalls | overflows) ? V{} : active;
        auto slow = (length > REUSE_AFTER) | ((fresh == 0.0) & (length > SLOW * before));
        fresh = slow ? active : V{};
        before = length;
    }

    // Weighted distance. p must not be normalised, which may make small entries underflow.
    double distance(int lane) {
        double total = 0.0;
        for (int64_t i = 0, pair = 0; i < c.n_classes; i++)
            for (int64_t j = i + 1; j < c.n_classes; j++, pair++) {
                double w = numbers(&weight[pair])[lane];
                if (w > 0.0) total += w * pair_distance(numbers(&r[pair])[lane], numbers(&p[i])[lane], numbers(&p[j])[lane]);
            }
        return greatest(total, 0.0);
    }
};

} // namespace pwc::PWC_TARGET
