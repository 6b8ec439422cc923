// Connected designs, and classes that keep a probability in the limit of exact zeros and ones.
#pragma once

#include "coupling.hpp"

namespace pwc {

// Find the top set of samples first..stop-1: the classes that no class outside can beat.
//
// An arrow leads from i to j if r_ij > 0 and the pair was compared. If all classes can be reached from some class, the top set
// is the strongly connected component of this class: as r tends to its zeros and ones, the probabilities of all other
// classes tend to 0. If there is no such class, two sets are unbeaten and were never compared. Then there is no limit, and
// `exists` is false.
void top_sets(const Coupling &c, bool *top, bool *exists);

// Whether the pairs of positive weight connect all classes, for rows first..stop-1 of the weights.
void connected(const double *weights, int64_t n_classes, int64_t first, int64_t stop, bool *out);

} // namespace pwc
