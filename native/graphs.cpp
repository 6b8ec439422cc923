#include "graphs.hpp"

#include <algorithm>

namespace pwc {

void find_neighbours(const Pairs &pairs, int32_t *start, int32_t *neighbour, int32_t *pair) {
    std::fill(start, start + pairs.n_items + 1, 0);
    for (int64_t e = 0; e < pairs.n_pairs; e++) {
        start[pairs.first[e] + 1]++;
        start[pairs.second[e] + 1]++;
    }
    for (int64_t i = 0; i < pairs.n_items; i++) start[i + 1] += start[i];
    std::vector<int32_t> slot(start, start + pairs.n_items);
    for (int64_t e = 0; e < pairs.n_pairs; e++) {
        const int32_t i = pairs.first[e], j = pairs.second[e];
        const int32_t at_first = slot[i]++, at_second = slot[j]++;
        neighbour[at_first] = j;
        neighbour[at_second] = i;
        pair[at_first] = pair[at_second] = int32_t(e);
    }
}

void add_to_items(const Pairs &pairs, const double *x, bool subtract, double *out) {
    const double sign = subtract ? -1.0 : 1.0;
    for (int64_t e = 0; e < pairs.n_pairs; e++) {
        out[pairs.first[e]] += x[e];
        out[pairs.second[e]] += sign * x[e];
    }
}

void subtract_weights(const Pairs &pairs, const double *weight, const double *scale, int64_t ground, double *out) {
    const int64_t n = pairs.n_items - 1;
    for (int64_t e = 0; e < pairs.n_pairs; e++) {
        const int64_t i = pairs.first[e], j = pairs.second[e];
        if (i == ground || j == ground) continue;
        const double entry = scale[i] * weight[e] * scale[j];
        const int64_t row = i - (i > ground), column = j - (j > ground);
        out[row * n + column] -= entry;
        out[column * n + row] -= entry;
    }
}

void mirror(double *matrix, int64_t n) {
    // Tiles of this size fit into the cache.
    constexpr int64_t TILE = 64;
    for (int64_t top = 0; top < n; top += TILE)
        for (int64_t left = top; left < n; left += TILE)
            for (int64_t i = top; i < std::min(top + TILE, n); i++)
                for (int64_t j = std::max(left, i + 1); j < std::min(left + TILE, n); j++)
                    matrix[j * n + i] = matrix[i * n + j];
}

namespace {

// Conjugate gradients for M columns; every column has its own step lengths.
template <int M>
bool solve(
    const Neighbours &graph, int64_t n, const double *edge, const double *diagonal, const double *b, double tolerance,
    int64_t max_steps, double *x
) {
    std::vector<double> residual(b, b + n * M), direction(n * M), product(n * M);
    double *r = residual.data(), *p = direction.data(), *q = product.data();
    double before[M] = {}, goal[M], alpha[M], beta[M];
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < M; k++) {
            p[i * M + k] = r[i * M + k] / diagonal[i];
            before[k] += r[i * M + k] * p[i * M + k];
        }
    for (int k = 0; k < M; k++) goal[k] = before[k] * (tolerance * tolerance);
    for (int64_t step = 0; step < max_steps; step++) {
        bool done = true;
        for (int k = 0; k < M; k++) done &= before[k] <= goal[k];
        if (done) return true;
        double curvature[M] = {}, after[M] = {};
        for (int64_t i = 0; i < n; i++) {
            double here[M], total[M] = {};
            for (int k = 0; k < M; k++) here[k] = p[i * M + k];
            for (int32_t slot = graph.start[i]; slot < graph.start[i + 1]; slot++) {
                const double *there = p + int64_t(graph.neighbour[slot]) * M, w = edge[slot];
                for (int k = 0; k < M; k++) total[k] += w * (here[k] - there[k]);
            }
            for (int k = 0; k < M; k++) {
                q[i * M + k] = total[k];
                curvature[k] += here[k] * total[k];
            }
        }
        for (int k = 0; k < M; k++) alpha[k] = curvature[k] > 0.0 ? before[k] / curvature[k] : 0.0;
        for (int64_t i = 0; i < n; i++)
            for (int k = 0; k < M; k++) {
                x[i * M + k] += alpha[k] * p[i * M + k];
                r[i * M + k] -= alpha[k] * q[i * M + k];
                after[k] += r[i * M + k] * r[i * M + k] / diagonal[i];
            }
        for (int k = 0; k < M; k++) {
            beta[k] = before[k] > 0.0 ? after[k] / before[k] : 0.0;
            before[k] = after[k];
        }
        for (int64_t i = 0; i < n; i++)
            for (int k = 0; k < M; k++) p[i * M + k] = r[i * M + k] / diagonal[i] + beta[k] * p[i * M + k];
    }
    return false;
}

} // namespace

bool conjugate_gradients(
    const Neighbours &graph, int64_t n_items, const double *edge, const double *diagonal, const double *b, int64_t n_columns,
    double tolerance, int64_t max_steps, double *x
) {
    constexpr decltype(&solve<1>) by_columns[MOST_COLUMNS] = {solve<1>, solve<2>, solve<3>, solve<4>,
                                                              solve<5>, solve<6>, solve<7>, solve<8>};
    return by_columns[n_columns - 1](graph, n_items, edge, diagonal, b, tolerance, max_steps, x);
}

bool strongly_connected(
    const Neighbours &graph, const int32_t *first, int64_t n_items, const bool *forth, const bool *back
) {
    std::vector<int32_t> stack(n_items);
    for (bool backwards : {false, true}) {
        std::vector<char> seen(n_items, 0);
        seen[0] = 1;
        stack[0] = 0;
        int64_t height = 1, n_seen = 1;
        while (height > 0) {
            const int32_t i = stack[--height];
            for (int32_t slot = graph.start[i]; slot < graph.start[i + 1]; slot++) {
                const int32_t j = graph.neighbour[slot], e = graph.pair[slot];
                const bool is_first = first[e] == i;
                if (seen[j] || !(is_first != backwards ? forth[e] : back[e])) continue;
                seen[j] = 1;
                stack[height++] = j;
                n_seen++;
            }
        }
        if (n_seen < n_items) return false;
    }
    return true;
}

std::vector<int64_t>
negative_cycle(const int64_t *tail, const int64_t *head, const int64_t *length, int64_t n_edges, int64_t n_items) {
    std::vector<int64_t> distance(n_items, 0), parent(n_items, -1), mark(n_items), cycle;
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t e = 0; e < n_edges; e++) {
            const int64_t reach = distance[tail[e]] + length[e];
            if (reach < distance[head[e]]) {
                distance[head[e]] = reach;
                parent[head[e]] = e;
                changed = true;
            }
        }
        // The edges from parents contain a cycle only if its length is negative.
        std::fill(mark.begin(), mark.end(), -1);
        for (int64_t i = 0; changed && i < n_items; i++) {
            int64_t node = i;
            while (mark[node] == -1 && parent[node] != -1) {
                mark[node] = i;
                node = tail[parent[node]];
            }
            if (mark[node] != i) continue;
            for (int64_t start = node; cycle.empty() || node != start; node = tail[parent[node]])
                cycle.push_back(parent[node]);
            return cycle;
        }
    }
    return cycle;
}

} // namespace pwc
