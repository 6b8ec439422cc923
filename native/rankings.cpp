#include "rankings.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace pwc {

namespace {

// One set, and the choices from it.
class Set {
  public:
    explicit Set(const ChoiceSets &sets) : sets(sets), chosen(1), part(2) {
        for (int64_t k = 0; k < sets.n_orders; k++) {
            chosen.resize(std::max<size_t>(chosen.size(), sets.order[k]));
            part.resize(chosen.size() + 1);
        }
    }

    const int32_t *item = nullptr;
    int64_t size = 0;
    // The abilities minus the largest; and the largest exponent of a choice, at least 0.
    std::vector<double> x;
    double shift = 0.0;

    void read(int64_t s) {
        item = sets.item + sets.start[s];
        size = sets.start[s + 1] - sets.start[s];
        x.resize(size);
        double highest = sets.ability[item[0]];
        for (int64_t a = 1; a < size; a++) highest = std::max(highest, sets.ability[item[a]]);
        for (int64_t a = 0; a < size; a++) x[a] = sets.ability[item[a]] - highest;
        shift = sets.n_orders ? largest_exponent() : 0.0;
    }

    // Call visit(members, number of members, index of the tie parameter or -1, weight) for each choice. Weights are relative to
    // the largest, so that none overflows.
    template <class Visit>
    void each_choice(Visit visit) {
        for (int64_t a = 0; a < size; a++) visit(&a, int64_t(1), int64_t(-1), std::exp(x[a] - shift));
        for (int64_t k = 0; k < sets.n_orders; k++) {
            const int64_t order = sets.order[k];
            if (order > size) continue;
            // A weight is a product of factors of its members. If abilities are so far apart that a factor could overflow, it
            // is computed from the sum of their logarithms.
            const bool is_far = *std::min_element(x.begin(), x.end()) < -1000.0;
            factor.resize(size);
            for (int64_t a = 0; a < size; a++) {
                const double exponent = (x[a] + sets.log_delta[k] - shift) / double(order);
                factor[a] = is_far ? exponent : std::exp(exponent);
            }
            // Members ascend; part[d] is the product or sum of the first d members.
            int64_t depth = 0;
            chosen[0] = 0;
            part[0] = is_far ? 0.0 : 1.0;
            while (depth >= 0) {
                if (chosen[depth] > size - order + depth) {
                    depth--;
                    if (depth >= 0) chosen[depth]++;
                    continue;
                }
                const double here = factor[chosen[depth]];
                part[depth + 1] = is_far ? part[depth] + here : part[depth] * here;
                if (depth == order - 1) {
                    visit(chosen.data(), order, k, is_far ? std::exp(part[order]) : part[order]);
                    chosen[depth]++;
                } else {
                    chosen[depth + 1] = chosen[depth] + 1;
                    depth++;
                }
            }
        }
    }

  private:
    const ChoiceSets &sets;
    std::vector<int64_t> chosen;
    std::vector<double> part, factor, sorted;

    double largest_exponent() {
        sorted = x;
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        double largest = 0.0;
        for (int64_t k = 0; k < sets.n_orders; k++) {
            const int64_t order = sets.order[k];
            if (order > size) continue;
            double total = 0.0;
            for (int64_t a = 0; a < order; a++) total += sorted[a];
            largest = std::max(largest, sets.log_delta[k] + total / double(order));
        }
        return largest;
    }
};

} // namespace

double evaluate_choices(
    const ChoiceSets &sets, const double *chosen, const double *tie_chosen, double *mean, double *tie_mean, double *score
) {
    Set set(sets);
    double llf = 0.0;
    // For each item, sums of the expectations and of what was chosen of the items behind it.
    std::vector<double> p_behind, c_behind;
    for (int64_t s = sets.begin; s < sets.end; s++) {
        set.read(s);
        const int64_t size = set.size;
        const double n = sets.weight[s], *c = chosen + sets.start[s], *c_tie = tie_chosen + s * sets.n_orders;
        double *p = mean + sets.start[s], *p_tie = tie_mean + s * sets.n_orders;
        double total = 0.0, others = 0.0, single = 0.0;
        bool is_found = false;
        std::fill_n(p, size, 0.0);
        std::fill_n(p_tie, sets.n_orders, 0.0);
        set.each_choice([&](const int64_t *members, int64_t n_members, int64_t k, double weight) {
            total += weight;
            // The largest weight is 1, up to rounding.
            others += weight > 0.999 && !is_found ? weight - 1.0 : weight;
            is_found = is_found || weight > 0.999;
            const double share = weight / double(n_members);
            for (int64_t a = 0; a < n_members; a++) p[members[a]] += share;
            if (k >= 0)
                p_tie[k] += weight;
            else
                single += weight;
        });
        llf -= n * std::log1p(others);
        p_behind.assign(size + 1, 0.0);
        c_behind.assign(size + 1, 0.0);
        for (int64_t a = size - 1; a >= 0; a--) {
            p[a] /= total;
            p_behind[a] = p_behind[a + 1] + p[a];
            c_behind[a] = c_behind[a + 1] + c[a];
            llf += c[a] * set.x[a];
        }
        double p_before = 0.0, c_before = 0.0;
        for (int64_t a = 0; a < size; a++) {
            score[set.item[a]] += c[a] * (p_before + p_behind[a + 1]) - p[a] * (c_before + c_behind[a + 1]);
            p_before += p[a];
            c_before += c[a];
        }
        double n_single = n;
        for (int64_t k = 0; k < sets.n_orders; k++) {
            p_tie[k] /= total;
            n_single -= c_tie[k];
        }
        llf -= n_single * set.shift;
        for (int64_t k = 0; k < sets.n_orders; k++) {
            // What has another number of members than ties of this order.
            double p_other = single / total, c_other = n_single;
            for (int64_t l = 0; l < sets.n_orders; l++)
                if (l != k) {
                    p_other += p_tie[l];
                    c_other += c_tie[l];
                }
            llf += c_tie[k] * (sets.log_delta[k] - set.shift);
            score[sets.n_items + k] += c_tie[k] * p_other - p_tie[k] * c_other;
        }
    }
    return llf;
}

void choice_information(const ChoiceSets &sets, const double *mean, const double *tie_mean, double *information) {
    Set set(sets);
    const int64_t n_params = sets.n_params();
    // Sums of weight times T_a T_b of pairs of items below the diagonal, and of T by the number of chosen items.
    std::vector<double> both, by_order;
    for (int64_t s = sets.begin; s < sets.end; s++) {
        set.read(s);
        const double *p = mean + sets.start[s], *tie = tie_mean + s * sets.n_orders, n = sets.weight[s];
        const int64_t size = set.size;
        for (int64_t a = 1; a < size; a++) {
            double *row = information + set.item[a] * n_params;
            const double factor = n * p[a];
            for (int64_t b = 0; b < a; b++) row[set.item[b]] -= factor * p[b];
        }
        if (!sets.n_orders) continue;
        both.assign(size * size, 0.0);
        // The last row is of choices of single items.
        by_order.assign((sets.n_orders + 1) * size, 0.0);
        double total = 0.0, single = 0.0;
        set.each_choice([&](const int64_t *members, int64_t n_members, int64_t k, double weight) {
            total += weight;
            if (k < 0) {
                single += weight;
                by_order[sets.n_orders * size + members[0]] += weight;
                return;
            }
            const double share = weight / double(n_members), square = share / double(n_members);
            for (int64_t a = 0; a < n_members; a++) {
                by_order[k * size + members[a]] += share;
                for (int64_t b = 0; b < a; b++) both[members[a] * size + members[b]] += square;
            }
        });
        const double scale = n / total;
        for (int64_t a = 1; a < size; a++) {
            double *row = information + set.item[a] * n_params;
            for (int64_t b = 0; b < a; b++) row[set.item[b]] += scale * both[a * size + b];
        }
        for (int64_t k = 0; k < sets.n_orders; k++) {
            double *row = information + (sets.n_items + k) * n_params, other = single / total;
            for (int64_t l = 0; l < sets.n_orders; l++)
                if (l != k) other += tie[l];
            for (int64_t a = 0; a < size; a++) {
                double without = 0.0;
                for (int64_t l = 0; l <= sets.n_orders; l++)
                    if (l != k) without += by_order[l * size + a];
                row[set.item[a]] += scale * (by_order[k * size + a] * other - without * tie[k]);
            }
            for (int64_t l = 0; l < k; l++) row[sets.n_items + l] -= n * tie[k] * tie[l];
            row[sets.n_items + k] += n * tie[k] * other;
        }
    }
}

void firth_choices(
    const ChoiceSets &sets, const double *mean, const double *tie_mean, const double *cov, double *addition, double *leverage
) {
    Set set(sets);
    const int64_t n_params = sets.n_params(), n_orders = sets.n_orders;
    // Of the parameters of one set, first those of its items: their indices, expectations of T, cov times these, and sums of
    // probability times spread times T, where the spread of a choice is (T - mean)' cov (T - mean).
    std::vector<int64_t> index;
    std::vector<double> mu, through, moment;
    for (int64_t s = sets.begin; s < sets.end; s++) {
        set.read(s);
        const int64_t size = set.size, local = size + n_orders;
        index.resize(local);
        mu.resize(local);
        through.assign(local, 0.0);
        moment.assign(local, 0.0);
        for (int64_t a = 0; a < size; a++) {
            index[a] = set.item[a];
            mu[a] = mean[sets.start[s] + a];
        }
        for (int64_t k = 0; k < n_orders; k++) {
            index[size + k] = sets.n_items + k;
            mu[size + k] = tie_mean[s * n_orders + k];
        }
        double centre = 0.0;
        for (int64_t a = 0; a < local; a++) {
            const double *row = cov + index[a] * n_params;
            for (int64_t b = 0; b < local; b++) through[a] += row[index[b]] * mu[b];
            centre += mu[a] * through[a];
        }
        double total = 0.0, trace = 0.0;
        set.each_choice([&](const int64_t *members, int64_t n_members, int64_t k, double weight) {
            // T' cov T and T' cov mean
            double square = 0.0, cross = 0.0;
            for (int64_t a = 0; a < n_members; a++) {
                const double *row = cov + index[members[a]] * n_params;
                square += row[index[members[a]]];
                for (int64_t b = 0; b < a; b++) square += 2.0 * row[index[members[b]]];
                cross += through[members[a]];
            }
            square /= double(n_members * n_members);
            cross /= double(n_members);
            if (k >= 0) {
                const double *row = cov + (sets.n_items + k) * n_params;
                double with_items = 0.0;
                for (int64_t a = 0; a < n_members; a++) with_items += row[index[members[a]]];
                square += 2.0 * with_items / double(n_members) + row[sets.n_items + k];
                cross += through[size + k];
            }
            const double spread = weight * (square - 2.0 * cross + centre);
            total += weight;
            trace += spread;
            for (int64_t a = 0; a < n_members; a++) moment[members[a]] += spread / double(n_members);
            if (k >= 0) moment[size + k] += spread;
        });
        trace /= total;
        const double n = sets.weight[s], excess = std::max(n * trace / double(local - 1), 1.0);
        for (int64_t a = 0; a < local; a++) addition[index[a]] += 0.5 * n * (moment[a] / total - trace * mu[a]) / excess;
        leverage[s] = trace / excess;
    }
}

} // namespace pwc
