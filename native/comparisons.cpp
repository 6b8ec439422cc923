#include "comparisons.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace pwc {

namespace {

// The first item of a row's pair; and twice the second item, plus 1 if the first has the order effect.
struct Oriented {
    int32_t first, second;
};

inline Oriented oriented(int32_t winner, int32_t loser, int8_t home) {
    if (home == 1) return {winner, 2 * loser + 1};
    if (home == -1) return {loser, 2 * winner + 1};
    return {std::min(winner, loser), 2 * std::max(winner, loser)};
}

// The likelihood of one pair and its derivatives, by d and by the tie parameter.
struct Terms {
    double llf, residual, variance, cross, score_tie, info_tie;
};

template <bool TIES>
inline Terms davidson(const double *count, double d, double log_nu) {
    const double n_win = count[0], n_loss = count[1], decisions = n_win + n_loss, distance = std::fabs(d);
    const double other = std::exp(-distance), even = TIES ? std::exp(log_nu - 0.5 * distance) : 0.0;
    const double others = other + even, favourite = 1.0 / (1.0 + others), outsider = other * favourite;
    const double win = d >= 0.0 ? favourite : outsider, loss = d >= 0.0 ? outsider : favourite;
    Terms out{};
    out.residual = n_win * loss - n_loss * win;
    out.variance = win * loss;
    // log1p takes twice as long as log, and is only needed if adding 1 would lose digits.
    out.llf =
        -(d >= 0.0 ? n_loss : n_win) * distance - decisions * (others > 0.01 ? std::log(1.0 + others) : std::log1p(others));
    if (!TIES) {
        out.variance *= decisions;
        return out;
    }
    const double n_tie = count[2], n = decisions + n_tie, tie = even * favourite, decided = win + loss;
    out.residual += 0.5 * (tie * (n_win - n_loss) + n_tie * (loss - win));
    out.variance = (out.variance + 0.25 * tie * decided) * n;
    out.score_tie = n_tie * decided - decisions * tie;
    out.cross = 0.5 * n * tie * (loss - win);
    out.info_tie = n * tie * decided;
    const double reach = log_nu - 0.5 * distance;
    // If ties are likely, the log of their probability is a small difference of large terms; avoid that.
    if (reach > 0.0)
        out.llf -= n_tie * std::log1p((1.0 + other) * std::exp(-reach));
    else
        out.llf += n_tie * (reach - std::log1p(others));
    return out;
}

// 1 / (1 + exp(-x)), its complement, and its log.
struct Logistic {
    double p, q, log_p;

    explicit Logistic(double x) {
        const double small = std::exp(-std::fabs(x)), large = 1.0 / (1.0 + small);
        p = x >= 0.0 ? large : small * large;
        q = x >= 0.0 ? small * large : large;
        log_p = std::min(x, 0.0) - std::log1p(small);
    }
};

// The probability of a tie is (theta^2 - 1) times those of a win and of a loss. So a tie counts as a win and a loss, and adds
// log(theta^2 - 1).
inline Terms rao_kupper(const double *count, double d, double log_theta) {
    const Logistic win(d - log_theta), loss(-d - log_theta);
    const double n_tie = count[2], n_win = count[0] + n_tie, n_loss = count[1] + n_tie;
    const double for_win = n_win * win.p * win.q, for_loss = n_loss * loss.p * loss.q;
    // theta^-2, and 1 minus it.
    const double inverse = std::exp(-2.0 * log_theta), rest = -std::expm1(-2.0 * log_theta);
    Terms out{};
    out.llf = n_win * win.log_p + n_loss * loss.log_p;
    if (n_tie > 0.0) out.llf += n_tie * (2.0 * log_theta + std::log(rest));
    out.residual = n_win * win.q - n_loss * loss.q;
    out.variance = for_win + for_loss;
    out.cross = for_loss - for_win;
    out.score_tie = 2.0 * n_tie / rest - n_win * win.q - n_loss * loss.q;
    out.info_tie = for_win + for_loss + 4.0 * n_tie * inverse / (rest * rest);
    return out;
}

// Twice as many places as entries, so that collisions are rare; a power of 2.
inline int64_t table_size(int64_t n_entries) {
    int64_t size = 2;
    while (size < 2 * n_entries) size *= 2;
    return size;
}

inline uint64_t hash(const double *x, int64_t n) {
    uint64_t out = 0;
    for (int64_t k = 0; k < n; k++) {
        uint64_t bits;
        std::memcpy(&bits, x + k, sizeof bits);
        // The multiplier is 2^64 divided by the golden ratio.
        out = (out ^ bits) * 0x9e3779b97f4a7c15u;
        out ^= out >> 32;
    }
    return out;
}

using Model = Terms (*)(const double *count, double d, double tie);

template <Model model>
void evaluate_pairs(const PairTable &t, double *score, double *residual, double *variance, double *cross, double *sums) {
    double llf = 0.0, score_tie = 0.0, info_tie = 0.0;
    for (int64_t pair = t.begin; pair < t.end; pair++) {
        const int32_t i = t.first[pair], j = t.second[pair];
        const double d = t.ability[i] - t.ability[j] + (t.offset ? t.offset[pair] : 0.0);
        const Terms terms = model(t.counts + 3 * pair, d, t.tie);
        llf += terms.llf;
        score_tie += terms.score_tie;
        info_tie += terms.info_tie;
        score[i] += terms.residual;
        score[j] -= terms.residual;
        if (residual) residual[pair] = terms.residual;
        variance[pair] = terms.variance;
        if (cross) cross[pair] = terms.cross;
    }
    sums[0] = llf;
    sums[1] = score_tie;
    sums[2] = info_tie;
}

} // namespace

int64_t find_pairs(const Comparisons &rows, int32_t *first, int32_t *second, double *ordered, int64_t *cell) {
    // Sort the rows by their first items, and keep what is needed of each row beside its index.
    struct Row {
        int32_t index, second;
    };
    std::vector<int64_t> slot(rows.n_items + 1, 0);
    for (int64_t row = 0; row < rows.n_rows; row++)
        slot[oriented(rows.winner[row], rows.loser[row], rows.home[row]).first + 1]++;
    for (int64_t i = 0; i < rows.n_items; i++) slot[i + 1] += slot[i];
    std::vector<Row> sorted(rows.n_rows);
    for (int64_t row = 0; row < rows.n_rows; row++) {
        const Oriented pair = oriented(rows.winner[row], rows.loser[row], rows.home[row]);
        sorted[slot[pair.first]++] = {int32_t(row), pair.second};
    }
    // The last pair with each second item; separately with and without the order effect.
    std::vector<int32_t> last(2 * rows.n_items, -1);
    int64_t n_pairs = 0;
    for (int64_t i = 0, k = 0; i < rows.n_items; i++)
        for (const int64_t before = n_pairs; k < slot[i]; k++) {
            const Row &row = sorted[k];
            int32_t &pair = last[row.second];
            if (pair < before) {
                pair = int32_t(n_pairs++);
                first[pair] = int32_t(i);
                second[pair] = row.second / 2;
                ordered[pair] = row.second % 2;
            }
            const int outcome = rows.tie[row.index] ? 2 : rows.winner[row.index] == i ? 0 : 1;
            cell[row.index] = 3 * int64_t(pair) + outcome;
        }
    return n_pairs;
}

int64_t divide_pairs(const Contests &rows, int64_t *group, int64_t *source) {
    std::vector<int64_t> slot(rows.n_pairs + 1, 0);
    for (int64_t row = 0; row < rows.n_rows; row++) slot[rows.pair[row] + 1]++;
    const int64_t most = *std::max_element(slot.begin(), slot.end());
    for (int64_t pair = 0; pair < rows.n_pairs; pair++) slot[pair + 1] += slot[pair];
    std::vector<int64_t> sorted(rows.n_rows);
    for (int64_t row = 0; row < rows.n_rows; row++) sorted[slot[rows.pair[row]]++] = row;
    // A hash table of the groups of one pair; -1 is an empty place.
    std::vector<int64_t> table(table_size(most));
    int64_t n_groups = 0;
    for (int64_t pair = 0, k = 0; pair < rows.n_pairs; pair++) {
        const int64_t size = table_size(slot[pair] - k);
        std::fill(table.begin(), table.begin() + size, -1);
        for (; k < slot[pair]; k++) {
            const int64_t row = sorted[k];
            const double *x = rows.x + row * rows.n_columns;
            int64_t place = int64_t(hash(x, rows.n_columns) & uint64_t(size - 1));
            while (table[place] >= 0 && !std::equal(x, x + rows.n_columns, rows.x + source[table[place]] * rows.n_columns))
                place = (place + 1) & (size - 1);
            if (table[place] < 0) {
                table[place] = n_groups;
                source[n_groups++] = row;
            }
            group[row] = table[place];
        }
    }
    return n_groups;
}

void evaluate(
    Ties ties, const PairTable &t, double *score, double *residual, double *variance, double *cross, double *sums
) {
    switch (ties) {
    case Ties::none:
        return evaluate_pairs<davidson<false>>(t, score, residual, variance, nullptr, sums);
    case Ties::davidson:
        return evaluate_pairs<davidson<true>>(t, score, residual, variance, cross, sums);
    case Ties::rao_kupper:
        return evaluate_pairs<rao_kupper>(t, score, residual, variance, cross, sums);
    }
}

void weighted_products(const Weighted &pairs, double *out) {
    const int64_t n = pairs.n_columns;
    for (int64_t pair = 0; pair < pairs.n_pairs; pair++) {
        const double *x = pairs.x + pair * n;
        for (int64_t k = 0; k < n; k++) {
            const double weighted = pairs.weight[pair] * x[k];
            for (int64_t l = 0; l <= k; l++) out[k * n + l] += weighted * x[l];
        }
    }
    for (int64_t k = 0; k < n; k++)
        for (int64_t l = 0; l < k; l++) out[l * n + k] = out[k * n + l];
}

void add_weighted_rows(const Weighted &pairs, const int32_t *first, const int32_t *second, double *out) {
    const int64_t n = pairs.n_columns;
    for (int64_t pair = 0; pair < pairs.n_pairs; pair++) {
        const double *x = pairs.x + pair * n;
        double *plus = out + first[pair] * n, *minus = out + second[pair] * n;
        for (int64_t k = 0; k < n; k++) {
            const double weighted = pairs.weight[pair] * x[k];
            plus[k] += weighted;
            minus[k] -= weighted;
        }
    }
}

double firth_addition(const PairMoments &pairs, double most, double *addition, double *leverage) {
    double for_tie = 0.0;
    for (int64_t pair = 0; pair < pairs.n_pairs; pair++) {
        const double *p = pairs.p + 3 * pair, n = pairs.n[pair], mean = 0.5 * (p[0] - p[1]);
        // Deviations of (win - loss) / 2 and of tie from their means, for each outcome.
        const double x[] = {0.5 - mean, -0.5 - mean, -mean}, y[] = {-p[2], -p[2], 1.0 - p[2]};
        double sum_d = 0.0, sum_tie = 0.0, total = 0.0;
        for (int k = 0; k < 3; k++) {
            const double both = 2.0 * x[k] * y[k] * pairs.cov_d_tie[pair];
            const double spread = p[k] * (x[k] * x[k] * pairs.var_d[pair] + both + y[k] * y[k] * pairs.var_tie);
            total += spread;
            sum_d += x[k] * spread;
            sum_tie += y[k] * spread;
        }
        const double excess = std::max(n * total / most, 1.0);
        addition[pair] = 0.5 * n * sum_d / excess;
        leverage[pair] = total / excess;
        for_tie += 0.5 * n * sum_tie / excess;
    }
    return for_tie;
}

} // namespace pwc
