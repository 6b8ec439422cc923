// Graphs of comparisons: lists of neighbours, weighted Laplacians, strong connection, and cycles of negative length.
#pragma once

#include <stdint.h>
#include <vector>

namespace pwc {

struct Pairs {
    const int32_t *first, *second;
    int64_t n_pairs, n_items;
};

// The neighbours of item i are at start[i]..start[i + 1] - 1, together with the pairs in which they met i.
struct Neighbours {
    const int32_t *start, *neighbour, *pair;
};

// Fill the lists of neighbours; items have their neighbours in the order of the pairs.
void find_neighbours(const Pairs &pairs, int32_t *start, int32_t *neighbour, int32_t *pair);

// Add x of each pair to its first item, and add it to its second or subtract it there.
void add_to_items(const Pairs &pairs, const double *x, bool subtract, double *out);

// Subtract the scaled weights of all pairs from `out`, a symmetric matrix without the row and column `ground`.
void subtract_weights(const Pairs &pairs, const double *weight, const double *scale, int64_t ground, double *out);

// Copy the upper triangle of a square matrix to the lower one.
void mirror(double *matrix, int64_t n);

// Columns that conjugate gradients solve at most at a time.
constexpr int MOST_COLUMNS = 8;

// Solve (D - A) x = b by conjugate gradients, preconditioned by the diagonal D, for all `n_columns` columns of b.
//
// `edge` has the entry of A for each neighbour, and x is 0 at first. Returns false if a column needs more than `max_steps`.
bool conjugate_gradients(
    const Neighbours &graph, int64_t n_items, const double *edge, const double *diagonal, const double *b, int64_t n_columns,
    double tolerance, int64_t max_steps, double *x
);

// Whether every item reaches every other, if pairs can be passed from the first item to the second (`forth`) or back (`back`).
bool strongly_connected(const Neighbours &graph, const int32_t *first, int64_t n_items, const bool *forth, const bool *back);

// Edges of a cycle of negative length, found by the algorithm of Bellman and Ford; empty if there is none.
//
// Lengths are whole numbers, so the answer is exact. With typical outcomes, a cycle is found after one or two passes. A system
// of difference constraints x[head] - x[tail] <= length has a solution unless there is such a cycle.
std::vector<int64_t>
negative_cycle(const int64_t *tail, const int64_t *head, const int64_t *length, int64_t n_edges, int64_t n_items);

} // namespace pwc
