// The Python module: arrays in, arrays out. Kernels get plain pointers and run without the GIL.
#include "coupling.hpp"
#include "limits.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace pwc {

namespace baseline {
extern const Kernels kernels;
}
#if defined(PWC_X86)
namespace avx2 {
extern const Kernels kernels;
}
namespace avx512 {
extern const Kernels kernels;
}
#endif

namespace {

// Arrays that are read may have any strides; arrays that are written are in C order.
template <class T, int N>
using In = nb::ndarray<const T, nb::ndim<N>, nb::device::cpu>;
template <class T, int N>
using Plain = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
template <class T, int N>
using Out = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

struct Target {
    std::string name;
    const Kernels *kernels;
};

// The instruction sets of this machine for which there are kernels, the best one last.
std::vector<Target> find_targets() {
    std::vector<Target> found = {{"baseline", &baseline::kernels}};
#if defined(PWC_X86)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        found.push_back({"avx2", &avx2::kernels});
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
            found.push_back({"avx512", &avx512::kernels});
    }
#endif
    return found;
}

const std::vector<Target> &targets() {
    static const std::vector<Target> found = find_targets();
    return found;
}

const Kernels *chosen = nullptr;

void choose_target(const std::string &name) {
    for (const Target &target : targets())
        if (target.name == name) {
            chosen = target.kernels;
            return;
        }
    throw nb::value_error(("this machine has no kernels for " + name).c_str());
}

Coupling make_coupling(
    const In<double, 2> &values, const Plain<int64_t, 1> &upper, const Plain<int64_t, 1> &lower, double clip,
    const Plain<double, 2> &weights, int64_t n_classes, int64_t first, int64_t stop
) {
    Coupling c{};
    c.values = values.data();
    c.sample_step = values.stride(0);
    c.column_step = values.stride(1);
    c.n_samples = int64_t(values.shape(0));
    c.upper = upper.data();
    c.lower = lower.shape(0) ? lower.data() : nullptr;
    c.n_pairs = int64_t(upper.shape(0));
    c.n_classes = n_classes;
    c.clip = clip;
    c.weights = weights.data();
    c.n_weight_rows = int64_t(weights.shape(0));
    c.first = first;
    c.stop = stop;
    return c;
}

template <Kernel Kernels::*KERNEL>
void bind_kernel(nb::module_ &m, const char *name) {
    m.def(
        name,
        [](In<double, 2> values, Plain<int64_t, 1> upper, Plain<int64_t, 1> lower, double clip, Plain<double, 2> weights,
           Plain<bool, 2> top, int64_t first, int64_t stop, Out<double, 2> proba, Out<int64_t, 1> n_iter,
           Out<bool, 1> converged, Out<double, 1> kl) {
            Coupling c = make_coupling(values, upper, lower, clip, weights, int64_t(proba.shape(1)), first, stop);
            c.top = top.shape(0) ? top.data() : nullptr;
            c.proba = proba.data();
            c.n_iter = n_iter.data();
            c.converged = converged.data();
            c.kl = kl.shape(0) ? kl.data() : nullptr;
            nb::gil_scoped_release release;
            return (chosen->*KERNEL)(c);
        },
        "values"_a.noconvert(), "upper"_a.noconvert(), "lower"_a.noconvert(), "clip"_a, "weights"_a.noconvert(),
        "top"_a.noconvert(), "first"_a, "stop"_a, "proba"_a.noconvert(), "n_iter"_a.noconvert(), "converged"_a.noconvert(),
        "kl"_a.noconvert()
    );
}

void bind_coupling(nb::module_ &m) {
    chosen = targets().back().kernels;
    m.def("targets", [] {
        std::vector<std::string> names;
        for (const Target &target : targets()) names.push_back(target.name);
        return names;
    });
    m.def("choose_target", &choose_target, "name"_a);
    bind_kernel<&Kernels::ht>(m, "ht");
    bind_kernel<&Kernels::wlw1>(m, "wlw1");
    bind_kernel<&Kernels::wlw2>(m, "wlw2");
    bind_kernel<&Kernels::logit>(m, "logit");
    bind_kernel<&Kernels::pkpd>(m, "pkpd");
    bind_kernel<&Kernels::rv>(m, "rv");
    bind_kernel<&Kernels::vote>(m, "vote");
    bind_kernel<&Kernels::sum>(m, "sum");
    bind_kernel<&Kernels::bayes>(m, "bayes");
    m.def(
        "kl_distance",
        [](In<double, 2> values, Plain<int64_t, 1> upper, double clip, Plain<double, 2> weights, int64_t first, int64_t stop,
           Out<double, 2> proba, Out<double, 1> kl) {
            Coupling c = make_coupling(values, upper, upper, clip, weights, int64_t(proba.shape(1)), first, stop);
            c.proba = proba.data();
            c.kl = kl.data();
            nb::gil_scoped_release release;
            kl_distance(c);
        },
        "values"_a.noconvert(), "upper"_a.noconvert(), "clip"_a, "weights"_a.noconvert(), "first"_a, "stop"_a,
        "proba"_a.noconvert(), "kl"_a.noconvert()
    );
    m.def(
        "top_sets",
        [](In<double, 2> values, Plain<int64_t, 1> upper, Plain<double, 2> weights, int64_t first, int64_t stop,
           Out<bool, 2> top, Out<bool, 1> exists) {
            Coupling c = make_coupling(values, upper, upper, 0.0, weights, int64_t(top.shape(1)), first, stop);
            nb::gil_scoped_release release;
            top_sets(c, top.data(), exists.data());
        },
        "values"_a.noconvert(), "upper"_a.noconvert(), "weights"_a.noconvert(), "first"_a, "stop"_a, "top"_a.noconvert(),
        "exists"_a.noconvert()
    );
    m.def(
        "connected",
        [](Plain<double, 2> weights, int64_t n_classes, int64_t first, int64_t stop, Out<bool, 1> out) {
            nb::gil_scoped_release release;
            connected(weights.data(), n_classes, first, stop, out.data());
        },
        "weights"_a.noconvert(), "n_classes"_a, "first"_a, "stop"_a, "out"_a.noconvert()
    );
}

} // namespace

} // namespace pwc

NB_MODULE(_native, m) {
    m.doc() = "Compiled loops on plain arrays.";
    pwc::bind_coupling(m);
}
