// Memory of the coupling kernels. It is outside of the files that are compiled for one instruction set.
#include "coupling.hpp"

#include <new>

namespace pwc {

constexpr std::align_val_t CACHE_LINE{64};

double *allocate(size_t n) {
    return static_cast<double *>(::operator new(n * sizeof(double), CACHE_LINE));
}

void release(double *memory) {
    ::operator delete(memory, CACHE_LINE);
}

} // namespace pwc
