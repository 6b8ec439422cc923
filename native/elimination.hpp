// Gaussian elimination of many small matrices, one per lane. Entry (i, j) of a K x K matrix is a[i * K + j].
//
// When step k is done, the row to the right of the diagonal holds the eliminated equation, and the column below it holds the
// multipliers. No rows are exchanged: all matrices are definite, or are never subtracted from.
#pragma once

#include "lanes.hpp"

namespace pwc::PWC_TARGET {

// a[r][c] += sum_{m < terms} a[r][m] a[m][c] for R rows and C columns, held in registers.
template <int R, int C, class V>
inline void add_tile(V *a, int64_t n, int64_t row, int64_t column, int64_t terms) {
    V sum[R][C];
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++) sum[r][c] = a[(row + r) * n + column + c];
    for (int64_t m = 0; m < terms; m++) {
        const V *term = a + m * n + column;
        for (int r = 0; r < R; r++) {
            V factor = a[(row + r) * n + m];
            for (int c = 0; c < C; c++) sum[r][c] = fma(factor, term[c], sum[r][c]);
        }
    }
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++) a[(row + r) * n + column + c] = sum[r][c];
}

template <int R, class V>
inline void add_rows(V *a, int64_t n, int64_t row, int64_t column, int64_t last_column, int64_t terms) {
    for (; column + TILE_COLUMNS <= last_column; column += TILE_COLUMNS) add_tile<R, TILE_COLUMNS>(a, n, row, column, terms);
    for (; column < last_column; column++) add_tile<R, 1>(a, n, row, column, terms);
}

// The same for rows row..last_row-1 and columns column..last_column-1.
template <class V>
void add_products(V *a, int64_t n, int64_t row, int64_t last_row, int64_t column, int64_t last_column, int64_t terms) {
    if (terms == 0) return;
    for (; row + TILE_ROWS <= last_row; row += TILE_ROWS) add_rows<TILE_ROWS>(a, n, row, column, last_column, terms);
    for (; row < last_row; row++) add_rows<1>(a, n, row, column, last_column, terms);
}

// Eliminate all classes. pivot(k), called when row k is complete, returns what its column is multiplied by. The matrix is
// symmetric, and only its upper triangle is given; or both triangles are.
template <bool SYMMETRIC, class V, class Pivot>
void eliminate(V *a, int64_t n, Pivot pivot) {
    for (int64_t begin = 0; begin < n; begin += TILE_ROWS) {
        int64_t end = begin + TILE_ROWS < n ? begin + TILE_ROWS : n;
        // First all steps before this group of rows, then those within it.
        add_products(a, n, begin, end, begin, n, begin);
        if (!SYMMETRIC) add_products(a, n, end, n, begin, end, begin);
        for (int64_t k = begin; k < end; k++) {
            for (int64_t m = begin; m < k; m++) {
                V factor = a[k * n + m];
                for (int64_t c = k; c < n; c++) a[k * n + c] = fma(factor, a[m * n + c], a[k * n + c]);
            }
            if (!SYMMETRIC)
                for (int64_t m = begin; m < k; m++) {
                    V factor = a[m * n + k];
                    for (int64_t i = k + 1; i < n; i++) a[i * n + k] = fma(a[i * n + m], factor, a[i * n + k]);
                }
            V multiplier = pivot(k);
            for (int64_t i = k + 1; i < n; i++) a[i * n + k] = (SYMMETRIC ? a[k * n + i] : a[i * n + k]) * multiplier;
        }
    }
}

// x + sum_{i < n} a[i] b[i], as four sums that do not wait for each other.
template <class V>
inline V add_dot(V x, const V *a, const V *b, int64_t n) {
    V sum[4] = {x, V{}, V{}, V{}};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) sum[k] = fma(a[i + k], b[i + k], sum[k]);
    for (; i < n; i++) sum[0] = fma(a[i], b[i], sum[0]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// sum_{i < n} a[i].
template <class V>
inline V sum_of(const V *a, int64_t n) {
    V sum[4] = {V{}, V{}, V{}, V{}};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) sum[k] = sum[k] + a[i + k];
    for (; i < n; i++) sum[0] = sum[0] + a[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

} // namespace pwc::PWC_TARGET
