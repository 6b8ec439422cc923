// Vectors with one number per sample, called lanes: kernels couple WIDTH samples at once.
//
// `Lanes` is one vector register of the target, so that one kernel source serves SSE2, AVX2, AVX-512 and NEON. Kernels are
// templates over V, which is `Lanes` for whole blocks of samples and `double` for single ones. Operators work lane by lane,
// and products are fused with sums only where `fma` says so. A sample therefore has the same bits in every lane, alone
// or beside others.
//
// The files for coupling are compiled once for each target, in a namespace of its own (PWC_TARGET): the linker must not
// merge their functions. For the same reason they call only C functions of the standard library.
#pragma once

#include <math.h>
#include <stdint.h>

#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace pwc::PWC_TARGET {

#if !defined(__GNUC__)
constexpr int WIDTH = 1;
#elif defined(__AVX512F__)
constexpr int WIDTH = 8;
#elif defined(__AVX__)
constexpr int WIDTH = 4;
#else
constexpr int WIDTH = 2;
#endif

// Results that an elimination keeps in registers at a time: there are 16 vector registers, or 32.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int TILE_ROWS = 4;
#else
constexpr int TILE_ROWS = 2;
#endif
constexpr int TILE_COLUMNS = 4;

#if defined(__GNUC__)
typedef double Lanes __attribute__((vector_size(WIDTH * sizeof(double))));
#else
typedef double Lanes;
#endif

template <class V>
constexpr int width = sizeof(V) / sizeof(double);

// x * y + z, rounded once if the target can do this.
inline double fma(double x, double y, double z) {
#if defined(__FMA__) || defined(__aarch64__)
    return __builtin_fma(x, y, z);
#else
    return x * y + z;
#endif
}

#if defined(__GNUC__)
inline Lanes fma(Lanes x, Lanes y, Lanes z) {
#if defined(__AVX512F__)
    return (Lanes)_mm512_fmadd_pd((__m512d)x, (__m512d)y, (__m512d)z);
#elif defined(__FMA__)
    return (Lanes)_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)z);
#elif defined(__aarch64__)
    return (Lanes)vfmaq_f64((float64x2_t)z, (float64x2_t)x, (float64x2_t)y);
#else
    return x * y + z;
#endif
}
#endif

template <class V>
inline V splat(double x) {
    return V{} + x;
}

template <class V>
inline V least(V x, V y) {
    return x < y ? x : y;
}

template <class V>
inline V greatest(V x, V y) {
    return x > y ? x : y;
}

// 1 / x where x > 0, else 0.
template <class V>
inline V inverse_or_zero(V x) {
    return x > 0.0 ? 1.0 / x : V{};
}

// The numbers of some rows of lanes: number `lane` of row i is at i * width<V> + lane.
template <class V>
inline double *numbers(V *rows) {
    return reinterpret_cast<double *>(rows);
}

template <class V>
inline const double *numbers(const V *rows) {
    return reinterpret_cast<const double *>(rows);
}

template <class V>
inline bool any_positive(V x) {
    bool found = false;
    for (int lane = 0; lane < width<V>; lane++) found |= numbers(&x)[lane] > 0.0;
    return found;
}

} // namespace pwc::PWC_TARGET
