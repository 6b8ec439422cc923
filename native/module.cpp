// The Python module: arrays in, arrays out. Kernels get plain pointers and run without the GIL.
#include "comparisons.hpp"
#include "coupling.hpp"
#include "graphs.hpp"
#include "limits.hpp"
#include "pairwise.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

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

// Define a function whose arguments are positional. It runs without the GIL. Arrays are not converted: the caller would
// never see what is written to a copy.
template <class T>
auto positional() {
    if constexpr (std::is_arithmetic_v<T>)
        return nb::arg();
    else
        return nb::arg().noconvert();
}
template <class F, class R, class... Arguments>
void def_with(nb::module_ &m, const char *name, F f, R (F::*)(Arguments...) const) {
    m.def(name, f, positional<Arguments>()..., nb::call_guard<nb::gil_scoped_release>());
}
template <class F>
void def(nb::module_ &m, const char *name, F f) {
    def_with(m, name, f, &F::operator());
}

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
    def(m, name,
        [](In<double, 2> values, Plain<int64_t, 1> upper, Plain<int64_t, 1> lower, double clip, Plain<double, 2> weights,
           Plain<bool, 2> top, int64_t first, int64_t stop, Out<double, 2> proba, Out<int64_t, 1> n_iter,
           Out<bool, 1> converged, Out<double, 1> kl) {
            Coupling c = make_coupling(values, upper, lower, clip, weights, int64_t(proba.shape(1)), first, stop);
            c.top = top.shape(0) ? top.data() : nullptr;
            c.proba = proba.data();
            c.n_iter = n_iter.data();
            c.converged = converged.data();
            c.kl = kl.shape(0) ? kl.data() : nullptr;
            return (chosen->*KERNEL)(c);
        });
}

void bind_coupling(nb::module_ &m) {
    chosen = targets().back().kernels;
    m.def("targets", [] {
        std::vector<std::string> names;
        for (const Target &target : targets()) names.push_back(target.name);
        return names;
    });
    m.def("choose_target", &choose_target);
    bind_kernel<&Kernels::ht>(m, "ht");
    bind_kernel<&Kernels::wlw1>(m, "wlw1");
    bind_kernel<&Kernels::wlw2>(m, "wlw2");
    bind_kernel<&Kernels::logit>(m, "logit");
    bind_kernel<&Kernels::pkpd>(m, "pkpd");
    bind_kernel<&Kernels::rv>(m, "rv");
    bind_kernel<&Kernels::vote>(m, "vote");
    bind_kernel<&Kernels::sum>(m, "sum");
    bind_kernel<&Kernels::bayes>(m, "bayes");
    def(m, "kl_distance",
        [](In<double, 2> values, Plain<int64_t, 1> upper, double clip, Plain<double, 2> weights, int64_t first, int64_t stop,
           Out<double, 2> proba, Out<double, 1> kl) {
            Coupling c = make_coupling(values, upper, upper, clip, weights, int64_t(proba.shape(1)), first, stop);
            c.proba = proba.data();
            c.kl = kl.data();
            kl_distance(c);
        });
    def(m, "top_sets",
        [](In<double, 2> values, Plain<int64_t, 1> upper, Plain<double, 2> weights, int64_t first, int64_t stop,
           Out<bool, 2> top, Out<bool, 1> exists) {
            Coupling c = make_coupling(values, upper, upper, 0.0, weights, int64_t(top.shape(1)), first, stop);
            top_sets(c, top.data(), exists.data());
        });
    def(m, "connected", [](Plain<double, 2> weights, int64_t n_classes, int64_t first, int64_t stop, Out<bool, 1> out) {
        connected(weights.data(), n_classes, first, stop, out.data());
    });
}

void bind_comparisons(nb::module_ &m) {
    def(m, "find_pairs",
        [](Plain<int32_t, 1> winner, Plain<int32_t, 1> loser, Plain<bool, 1> tie, Plain<int8_t, 1> home, int64_t n_items,
           Out<int32_t, 1> first, Out<int32_t, 1> second, Out<double, 1> ordered, Out<int64_t, 1> cell) {
            Comparisons rows{winner.data(), loser.data(), tie.data(), home.data(), int64_t(winner.shape(0)), n_items};
            return find_pairs(rows, first.data(), second.data(), ordered.data(), cell.data());
        });
    def(m, "evaluate_pairs",
        [](Plain<int32_t, 1> first, Plain<int32_t, 1> second, Plain<double, 1> ordered, Plain<double, 2> counts,
           Plain<double, 1> ability, double order, double log_nu, int64_t begin, int64_t end, Out<double, 1> score,
           Out<double, 1> variance, Out<double, 1> cross, Out<double, 1> sums) {
            PairTable table{first.data(), second.data(), ordered.data(), counts.data(), ability.data(), order, log_nu, begin,
                            end};
            evaluate(table, score.data(), variance.data(), cross.data(), sums.data());
        });
    def(m, "firth_addition",
        [](Plain<double, 1> n, Plain<double, 2> p, Plain<double, 1> var_d, Plain<double, 1> cov_d_tie, double var_tie,
           double most, Out<double, 1> addition, Out<double, 1> leverage) {
            PairMoments pairs{n.data(), p.data(), var_d.data(), cov_d_tie.data(), var_tie, int64_t(n.shape(0))};
            return firth_addition(pairs, most, addition.data(), leverage.data());
        });
}

Pairs make_pairs(const Plain<int32_t, 1> &first, const Plain<int32_t, 1> &second, int64_t n_items) {
    return {first.data(), second.data(), int64_t(first.shape(0)), n_items};
}

void bind_graphs(nb::module_ &m) {
    def(m, "find_neighbours",
        [](Plain<int32_t, 1> first, Plain<int32_t, 1> second, Out<int32_t, 1> start, Out<int32_t, 1> neighbour,
           Out<int32_t, 1> pair) {
            Pairs pairs = make_pairs(first, second, int64_t(start.shape(0)) - 1);
            find_neighbours(pairs, start.data(), neighbour.data(), pair.data());
        });
    def(m, "add_to_items",
        [](Plain<int32_t, 1> first, Plain<int32_t, 1> second, Plain<double, 1> x, bool subtract, Out<double, 1> out) {
            Pairs pairs = make_pairs(first, second, int64_t(out.shape(0)));
            add_to_items(pairs, x.data(), subtract, out.data());
        });
    def(m, "subtract_weights",
        [](Plain<int32_t, 1> first, Plain<int32_t, 1> second, Plain<double, 1> weight, Plain<double, 1> scale,
           int64_t ground, Out<double, 2> out) {
            Pairs pairs = make_pairs(first, second, int64_t(scale.shape(0)));
            subtract_weights(pairs, weight.data(), scale.data(), ground, out.data());
        });
    def(m, "mirror", [](Out<double, 2> matrix) { mirror(matrix.data(), int64_t(matrix.shape(0))); });
    def(m, "conjugate_gradients",
        [](Plain<int32_t, 1> start, Plain<int32_t, 1> neighbour, Plain<double, 1> edge, Plain<double, 1> diagonal,
           Plain<double, 2> b, double tolerance, int64_t max_steps, Out<double, 2> x) {
            if (b.shape(1) < 1 || b.shape(1) > MOST_COLUMNS) throw nb::value_error("b has no columns, or too many");
            Neighbours graph{start.data(), neighbour.data(), nullptr};
            return conjugate_gradients(
                graph, int64_t(b.shape(0)), edge.data(), diagonal.data(), b.data(), int64_t(b.shape(1)), tolerance,
                max_steps, x.data()
            );
        });
    def(m, "strongly_connected",
        [](Plain<int32_t, 1> start, Plain<int32_t, 1> neighbour, Plain<int32_t, 1> pair, Plain<int32_t, 1> first,
           Plain<bool, 1> forth, Plain<bool, 1> back) {
            Neighbours graph{start.data(), neighbour.data(), pair.data()};
            Pairs pairs = make_pairs(first, first, int64_t(start.shape(0)) - 1);
            return strongly_connected(graph, pairs, forth.data(), back.data());
        });
    def(m, "negative_cycle", [](Plain<int64_t, 1> tail, Plain<int64_t, 1> head, Plain<int64_t, 1> length, int64_t n_items) {
        return negative_cycle(tail.data(), head.data(), length.data(), int64_t(tail.shape(0)), n_items);
    });
    def(m, "largest_differences",
        [](Plain<double, 2> draws, Plain<double, 2> precision, int64_t first, int64_t stop, Out<double, 2> out) {
            largest_differences(draws.data(), precision.data(), int64_t(draws.shape(1)), first, stop, out.data());
        });
}

NaiveBayes make_naive_bayes(
    const Plain<double, 2> &x, const Plain<double, 2> &theta, const Plain<double, 3> &precision,
    const Plain<double, 1> &constant
) {
    return {x.data(), theta.data(), precision.data(), constant.data(), int64_t(x.shape(0)), int64_t(x.shape(1))};
}

void bind_pairwise(nb::module_ &m) {
    def(m, "naive_bayes_log_odds",
        [](Plain<double, 2> x, Plain<double, 2> theta, Plain<int64_t, 1> low, Plain<int64_t, 1> high,
           Plain<double, 3> precision, Plain<double, 1> constant, Out<double, 2> out) {
            NaiveBayes pairs = make_naive_bayes(x, theta, precision, constant);
            naive_bayes_log_odds(pairs, low.data(), high.data(), int64_t(low.shape(0)), out.data());
        });
    def(m, "naive_bayes_own_margins",
        [](Plain<double, 2> x, Plain<double, 2> theta, Plain<int64_t, 1> own, Plain<int64_t, 2> pair_of,
           Plain<double, 3> precision, Plain<double, 1> constant, Out<double, 2> out) {
            NaiveBayes pairs = make_naive_bayes(x, theta, precision, constant);
            naive_bayes_own_margins(pairs, own.data(), pair_of.data(), int64_t(theta.shape(0)), out.data());
        });
    def(m, "fit_sigmoid", [](Plain<double, 1> scores, Plain<bool, 1> positive, Plain<double, 1> weight) {
        Sigmoid fit = fit_sigmoid(scores.data(), positive.data(), weight.data(), int64_t(scores.shape(0)));
        return std::make_tuple(fit.a, fit.b, fit.converged);
    });
}

} // namespace

} // namespace pwc

NB_MODULE(_native, m) {
    m.doc() = "Compiled loops on plain arrays.";
    pwc::bind_coupling(m);
    pwc::bind_comparisons(m);
    pwc::bind_graphs(m);
    pwc::bind_pairwise(m);
}
