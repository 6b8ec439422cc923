// The Python module: arrays in, arrays out. Kernels get plain pointers and run without the GIL.
#include "comparisons.hpp"
#include "coupling.hpp"
#include "divergence.hpp"
#include "graphs.hpp"
#include "limits.hpp"
#include "naive_bayes.hpp"
#include "rankings.hpp"
#include "ranks.hpp"
#include "sigmoid.hpp"

#include <atomic>
#include <cmath>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace pwc {

namespace baseline {
extern const Method methods[N_METHODS];
}
#if defined(PWC_X86)
namespace avx2 {
extern const Method methods[N_METHODS];
}
namespace avx512 {
extern const Method methods[N_METHODS];
}
#endif

namespace {

// Arrays that are read: with any strides, or in C order; and arrays that are written, in C order.
template <class T, int N>
using In = nb::ndarray<const T, nb::ndim<N>, nb::device::cpu>;
template <class T, int N>
using Plain = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
template <class T, int N>
using Out = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

// Arrays are not converted: the caller would never see what is written to a copy.
template <class T>
auto positional() {
    if constexpr (std::is_arithmetic_v<T>)
        return nb::arg();
    else
        return nb::arg().noconvert();
}

// Define a function whose arguments are positional. It runs without the GIL.
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
    const Method *methods;
};

// The instruction sets of this machine for which there are kernels, the best one last.
std::vector<Target> find_targets() {
    std::vector<Target> found = {{"baseline", baseline::methods}};
#if defined(PWC_X86)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        found.push_back({"avx2", avx2::methods});
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
            found.push_back({"avx512", avx512::methods});
    }
#endif
    return found;
}

const std::vector<Target> &targets() {
    static const std::vector<Target> found = find_targets();
    return found;
}

std::atomic<const Method *> chosen = nullptr;

void choose_target(const std::string &name) {
    for (const Target &target : targets())
        if (target.name == name) {
            chosen = target.methods;
            return;
        }
    throw nb::value_error(("this machine has no kernels for " + name).c_str());
}

// Python's callers pass arrays that fit together; a mistake there must not reach memory that is not ours.
void require(bool fits, const char *what) {
    if (!fits) throw nb::value_error((std::string("the size of ") + what + " does not fit").c_str());
}

template <class First, class... Others>
void require_same_length(const First &first, const Others &...others) {
    require(((others.shape(0) == first.shape(0)) && ...), "an array");
}

// The input of a coupling kernel; `output` has a row for each sample and a column for each class.
template <class Output>
Coupling make_coupling(
    const In<double, 2> &values, const Plain<int64_t, 1> &upper, double clip, const Plain<double, 2> &weights, int64_t first,
    int64_t stop, const Output &output
) {
    const size_t n_samples = values.shape(0), n_classes = output.shape(1);
    require(output.shape(0) == n_samples && 2 * upper.shape(0) == n_classes * (n_classes - 1), "the output");
    require(weights.shape(1) == upper.shape(0) && (weights.shape(0) == 1 || weights.shape(0) == n_samples), "weights");
    require(0 <= first && first <= stop && size_t(stop) <= n_samples, "the chunk");
    Coupling c{};
    c.values = values.data();
    c.sample_step = values.stride(0);
    c.column_step = values.stride(1);
    c.n_samples = int64_t(n_samples);
    c.upper = upper.data();
    c.n_pairs = int64_t(upper.shape(0));
    c.n_classes = int64_t(n_classes);
    c.clip = clip;
    c.weights = weights.data();
    c.n_weight_rows = int64_t(weights.shape(0));
    c.first = first;
    c.stop = stop;
    return c;
}

void bind_coupling(nb::module_ &m) {
    chosen = targets().back().methods;
    m.def("targets", [] {
        std::vector<std::string> names;
        for (const Target &target : targets()) names.push_back(target.name);
        return names;
    });
    m.def("choose_target", &choose_target);
    for (int k = 0; k < N_METHODS; k++)
        def(m, baseline::methods[k].name,
            [k](In<double, 2> values, Plain<int64_t, 1> upper, Plain<int64_t, 1> lower, double clip,
                Plain<double, 2> weights, Plain<bool, 2> top, int64_t first, int64_t stop, Out<double, 2> proba,
                Out<int64_t, 1> n_iter, Out<bool, 1> converged, Out<double, 1> kl) {
                Coupling c = make_coupling(values, upper, clip, weights, first, stop, proba);
                require(lower.shape(0) == 0 || lower.shape(0) == upper.shape(0), "lower");
                require(top.shape(0) == 0 || (top.shape(0) == values.shape(0) && top.shape(1) == proba.shape(1)), "top");
                require(n_iter.shape(0) == values.shape(0) && converged.shape(0) == values.shape(0), "n_iter or converged");
                require(kl.shape(0) == 0 || kl.shape(0) == values.shape(0), "kl");
                c.lower = lower.shape(0) ? lower.data() : nullptr;
                c.top = top.shape(0) ? top.data() : nullptr;
                c.proba = proba.data();
                c.n_iter = n_iter.data();
                c.converged = converged.data();
                c.kl = kl.shape(0) ? kl.data() : nullptr;
                return chosen.load()[k].couple(c);
            });
    def(m, "kl_distance",
        [](In<double, 2> values, Plain<int64_t, 1> upper, double clip, Plain<double, 2> weights, int64_t first, int64_t stop,
           Out<double, 2> proba, Out<double, 1> kl) {
            Coupling c = make_coupling(values, upper, clip, weights, first, stop, proba);
            require(kl.shape(0) == values.shape(0), "kl");
            c.proba = proba.data();
            c.kl = kl.data();
            kl_distance(c);
        });
    def(m, "top_sets",
        [](In<double, 2> values, Plain<int64_t, 1> upper, Plain<double, 2> weights, int64_t first, int64_t stop,
           Out<bool, 2> top, Out<bool, 1> exists) {
            Coupling c = make_coupling(values, upper, 0.0, weights, first, stop, top);
            require(exists.shape(0) == values.shape(0), "exists");
            top_sets(c, top.data(), exists.data());
        });
    def(m, "connected", [](Plain<double, 2> weights, int64_t n_classes, int64_t first, int64_t stop, Out<bool, 1> out) {
        require(int64_t(2 * weights.shape(1)) == n_classes * (n_classes - 1), "weights");
        require(out.shape(0) == weights.shape(0) && 0 <= first && stop <= int64_t(out.shape(0)), "the output");
        connected(weights.data(), n_classes, first, stop, out.data());
    });
}

void bind_comparisons(nb::module_ &m) {
    def(m, "find_pairs",
        [](Plain<int32_t, 1> winner, Plain<int32_t, 1> loser, Plain<bool, 1> tie, Plain<int8_t, 1> home, int64_t n_items,
           Out<int32_t, 1> first, Out<int32_t, 1> second, Out<double, 1> ordered, Out<int64_t, 1> cell) {
            require_same_length(winner, loser, tie, home, first, second, ordered, cell);
            Comparisons rows{winner.data(), loser.data(), tie.data(), home.data(), int64_t(winner.shape(0)), n_items};
            return find_pairs(rows, first.data(), second.data(), ordered.data(), cell.data());
        });
    def(m, "divide_pairs",
        [](Plain<int64_t, 1> pair, Plain<double, 2> x, int64_t n_pairs, Out<int64_t, 1> group, Out<int64_t, 1> source) {
            require_same_length(pair, x, group, source);
            Contests rows{pair.data(), x.data(), int64_t(pair.shape(0)), n_pairs, int64_t(x.shape(1))};
            return divide_pairs(rows, group.data(), source.data());
        });
    nb::enum_<Ties>(m, "Ties")
        .value("none", Ties::none)
        .value("davidson", Ties::davidson)
        .value("rao_kupper", Ties::rao_kupper);
    def(m, "evaluate_pairs",
        [](Ties ties, Plain<int32_t, 1> first, Plain<int32_t, 1> second, Plain<double, 1> offset, Plain<double, 2> counts,
           Plain<double, 1> ability, double tie, int64_t begin, int64_t end, Out<double, 1> score, Out<double, 1> residual,
           Out<double, 1> variance, Out<double, 1> cross, Out<double, 1> sums) {
            require_same_length(first, second, counts, variance);
            require_same_length(ability, score);
            require(residual.shape(0) == first.shape(0) || residual.shape(0) == 0, "residual");
            require(offset.shape(0) == first.shape(0) || offset.shape(0) == 0, "offset");
            require(counts.shape(1) == 3 && sums.shape(0) == 3, "counts or sums");
            require(cross.shape(0) == first.shape(0) || ties == Ties::none, "cross");
            require(0 <= begin && end <= int64_t(first.shape(0)), "the chunk");
            PairTable table{first.data(),
                            second.data(),
                            offset.shape(0) ? offset.data() : nullptr,
                            counts.data(),
                            ability.data(),
                            tie,
                            begin,
                            end};
            double *residuals = residual.shape(0) ? residual.data() : nullptr;
            evaluate(ties, table, score.data(), residuals, variance.data(), cross.data(), sums.data());
        });
    def(m, "weighted_products", [](Plain<double, 2> x, Plain<double, 1> weight, Out<double, 2> out) {
        require_same_length(x, weight);
        require(out.shape(0) == x.shape(1) && out.shape(1) == x.shape(1), "the output");
        weighted_products({x.data(), weight.data(), int64_t(x.shape(0)), int64_t(x.shape(1))}, out.data());
    });
    def(m, "add_weighted_rows",
        [](Plain<int32_t, 1> first, Plain<int32_t, 1> second, Plain<double, 2> x, Plain<double, 1> weight,
           Out<double, 2> out) {
            require_same_length(first, second, x, weight);
            require(out.shape(1) == x.shape(1), "the output");
            Weighted pairs{x.data(), weight.data(), int64_t(x.shape(0)), int64_t(x.shape(1))};
            add_weighted_rows(pairs, first.data(), second.data(), out.data());
        });
    def(m, "firth_addition",
        [](Plain<double, 1> n, Plain<double, 2> p, Plain<double, 1> var_d, Plain<double, 1> cov_d_tie, double var_tie,
           double most, Out<double, 1> addition, Out<double, 1> leverage) {
            require_same_length(n, p, var_d, cov_d_tie, addition, leverage);
            require(p.shape(1) == 3, "p");
            PairMoments pairs{n.data(), p.data(), var_d.data(), cov_d_tie.data(), var_tie, int64_t(n.shape(0))};
            return firth_addition(pairs, most, addition.data(), leverage.data());
        });
    def(m, "largest_differences",
        [](Plain<double, 2> draws, Plain<double, 2> precision, int64_t first, int64_t stop, Out<double, 2> out) {
            const size_t n_items = draws.shape(1);
            require_same_length(draws, out);
            require(precision.shape(0) == n_items && precision.shape(1) == n_items && out.shape(1) == n_items, "precision");
            require(0 <= first && stop <= int64_t(draws.shape(0)), "the chunk");
            largest_differences(draws.data(), precision.data(), int64_t(n_items), first, stop, out.data());
        });
}

// Sets of items in rows of varying length, of which a kernel works on begin..end-1.
ChoiceSets make_choice_sets(
    const Plain<int64_t, 1> &start, const Plain<int32_t, 1> &item, const Plain<double, 1> &weight,
    const Plain<double, 1> &ability, const Plain<int32_t, 1> &order, const Plain<double, 1> &log_delta, int64_t begin,
    int64_t end
) {
    const int64_t n_sets = int64_t(weight.shape(0));
    require_same_length(order, log_delta);
    require(int64_t(start.shape(0)) == n_sets + 1 && start(0) == 0 && start(n_sets) == int64_t(item.shape(0)), "start");
    require(0 <= begin && begin <= end && end <= n_sets, "the chunk");
    return {
        start.data(),
        item.data(),
        weight.data(),
        ability.data(),
        order.data(),
        log_delta.data(),
        int64_t(ability.shape(0)),
        int64_t(order.shape(0)),
        begin,
        end};
}

template <class Items, class Ties>
void require_statistics(
    const Plain<int32_t, 1> &item, const Plain<double, 1> &weight, const Plain<int32_t, 1> &order, const Items &items,
    const Ties &ties
) {
    require_same_length(item, items);
    require_same_length(weight, ties);
    require(ties.shape(1) == order.shape(0), "the statistics of ties");
}

void bind_rankings(nb::module_ &m) {
    def(m, "evaluate_choices",
        [](Plain<int64_t, 1> start, Plain<int32_t, 1> item, Plain<double, 1> weight, Plain<double, 1> ability,
           Plain<int32_t, 1> order, Plain<double, 1> log_delta, int64_t begin, int64_t end, Plain<double, 1> chosen,
           Plain<double, 2> tie_chosen, Out<double, 1> mean, Out<double, 2> tie_mean, Out<double, 1> score) {
            const ChoiceSets sets = make_choice_sets(start, item, weight, ability, order, log_delta, begin, end);
            require_statistics(item, weight, order, chosen, tie_chosen);
            require_statistics(item, weight, order, mean, tie_mean);
            require(int64_t(score.shape(0)) == sets.n_params(), "score");
            return evaluate_choices(sets, chosen.data(), tie_chosen.data(), mean.data(), tie_mean.data(), score.data());
        });
    def(m, "choice_information",
        [](Plain<int64_t, 1> start, Plain<int32_t, 1> item, Plain<double, 1> weight, Plain<double, 1> ability,
           Plain<int32_t, 1> order, Plain<double, 1> log_delta, int64_t begin, int64_t end, Plain<double, 1> mean,
           Plain<double, 2> tie_mean, Out<double, 2> information) {
            const ChoiceSets sets = make_choice_sets(start, item, weight, ability, order, log_delta, begin, end);
            require_statistics(item, weight, order, mean, tie_mean);
            require(
                int64_t(information.shape(0)) == sets.n_params() && information.shape(1) == information.shape(0),
                "information"
            );
            choice_information(sets, mean.data(), tie_mean.data(), information.data());
        });
    def(m, "firth_choices",
        [](Plain<int64_t, 1> start, Plain<int32_t, 1> item, Plain<double, 1> weight, Plain<double, 1> ability,
           Plain<int32_t, 1> order, Plain<double, 1> log_delta, int64_t begin, int64_t end, Plain<double, 1> mean,
           Plain<double, 2> tie_mean, Plain<double, 2> cov, Out<double, 1> addition, Out<double, 1> leverage) {
            const ChoiceSets sets = make_choice_sets(start, item, weight, ability, order, log_delta, begin, end);
            require_statistics(item, weight, order, mean, tie_mean);
            require(int64_t(cov.shape(0)) == sets.n_params() && cov.shape(1) == cov.shape(0), "cov");
            require(int64_t(addition.shape(0)) == sets.n_params(), "addition");
            require_same_length(weight, leverage);
            firth_choices(sets, mean.data(), tie_mean.data(), cov.data(), addition.data(), leverage.data());
        });
}

Pairs make_pairs(const Plain<int32_t, 1> &first, const Plain<int32_t, 1> &second, int64_t n_items) {
    require_same_length(first, second);
    return {first.data(), second.data(), int64_t(first.shape(0)), n_items};
}

void bind_graphs(nb::module_ &m) {
    def(m, "find_neighbours",
        [](Plain<int32_t, 1> first, Plain<int32_t, 1> second, Out<int32_t, 1> start, Out<int32_t, 1> neighbour,
           Out<int32_t, 1> pair) {
            Pairs pairs = make_pairs(first, second, int64_t(start.shape(0)) - 1);
            require_same_length(neighbour, pair);
            require(neighbour.shape(0) == 2 * first.shape(0), "neighbour");
            find_neighbours(pairs, start.data(), neighbour.data(), pair.data());
        });
    def(m, "add_to_items",
        [](Plain<int32_t, 1> first, Plain<int32_t, 1> second, Plain<double, 1> x, bool subtract, Out<double, 1> out) {
            Pairs pairs = make_pairs(first, second, int64_t(out.shape(0)));
            require_same_length(first, x);
            add_to_items(pairs, x.data(), subtract, out.data());
        });
    def(m, "subtract_weights",
        [](Plain<int32_t, 1> first, Plain<int32_t, 1> second, Plain<double, 1> weight, Plain<double, 1> scale,
           int64_t ground, Out<double, 2> out) {
            Pairs pairs = make_pairs(first, second, int64_t(scale.shape(0)));
            require_same_length(first, weight);
            require(out.shape(0) + 1 == scale.shape(0) && out.shape(1) == out.shape(0), "the output");
            subtract_weights(pairs, weight.data(), scale.data(), ground, out.data());
        });
    def(m, "mirror", [](Out<double, 2> matrix) {
        require(matrix.shape(0) == matrix.shape(1), "the matrix");
        mirror(matrix.data(), int64_t(matrix.shape(0)));
    });
    def(m, "conjugate_gradients",
        [](Plain<int32_t, 1> start, Plain<int32_t, 1> neighbour, Plain<double, 1> edge, Plain<double, 1> diagonal,
           Plain<double, 2> b, double tolerance, int64_t max_steps, Out<double, 2> x) {
            require(b.shape(1) >= 1 && b.shape(1) <= MOST_COLUMNS && b.shape(1) == x.shape(1), "b");
            require_same_length(diagonal, b, x);
            require_same_length(neighbour, edge);
            require(start.shape(0) == diagonal.shape(0) + 1, "start");
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
            require_same_length(first, forth, back);
            require_same_length(neighbour, pair);
            return strongly_connected(graph, first.data(), int64_t(start.shape(0)) - 1, forth.data(), back.data());
        });
    def(m, "negative_cycle", [](Plain<int64_t, 1> tail, Plain<int64_t, 1> head, Plain<int64_t, 1> length, int64_t n_items) {
        require_same_length(tail, head, length);
        return negative_cycle(tail.data(), head.data(), length.data(), int64_t(tail.shape(0)), n_items);
    });
}

NaiveBayes make_naive_bayes(
    const Plain<double, 2> &x, const Plain<double, 2> &theta, const Plain<double, 3> &precision,
    const Plain<double, 1> &constant
) {
    require(x.shape(1) == theta.shape(1) && precision.shape(1) == 2 && precision.shape(2) == x.shape(1), "precision");
    require_same_length(precision, constant);
    return {x.data(), theta.data(), precision.data(), constant.data(), int64_t(x.shape(0)), int64_t(x.shape(1))};
}

void bind_pairwise(nb::module_ &m) {
    def(m, "naive_bayes_log_odds",
        [](Plain<double, 2> x, Plain<double, 2> theta, Plain<int64_t, 1> low, Plain<int64_t, 1> high,
           Plain<double, 3> precision, Plain<double, 1> constant, Out<double, 2> out) {
            NaiveBayes pairs = make_naive_bayes(x, theta, precision, constant);
            require_same_length(low, high, constant);
            require(out.shape(0) == x.shape(0) && out.shape(1) == low.shape(0), "the output");
            naive_bayes_log_odds(pairs, low.data(), high.data(), int64_t(low.shape(0)), out.data());
        });
    def(m, "naive_bayes_own_margins",
        [](Plain<double, 2> x, Plain<double, 2> theta, Plain<int64_t, 1> own, Plain<int64_t, 2> pair_of,
           Plain<double, 3> precision, Plain<double, 1> constant, Out<double, 2> out) {
            NaiveBayes pairs = make_naive_bayes(x, theta, precision, constant);
            require_same_length(x, own, out);
            require_same_length(theta, pair_of);
            require(pair_of.shape(1) == theta.shape(0) && out.shape(1) + 1 == theta.shape(0), "the output");
            naive_bayes_own_margins(pairs, own.data(), pair_of.data(), int64_t(theta.shape(0)), out.data());
        });
    // One fit for each row of weights; if the first converges, the others start from it. A row of the output is a, b and
    // whether the steps converged.
    for (const auto &[name, fit] : {std::pair{"fit_sigmoid", fit_sigmoid}, std::pair{"fit_firth", fit_firth}})
        def(m, name,
            [fit = fit](Plain<double, 1> scores, Plain<bool, 1> positive, Plain<double, 2> weights, Out<double, 2> out) {
                require_same_length(scores, positive);
                require_same_length(weights, out);
                require(weights.shape(1) == scores.shape(0) && out.shape(1) == 3, "the weights or the output");
                const int64_t n = int64_t(scores.shape(0));
                Sigmoid first{};
                for (int64_t k = 0; k < int64_t(weights.shape(0)); k++) {
                    const Sigmoid found =
                        fit(scores.data(), positive.data(), weights.data() + k * n, n, first.converged ? &first : nullptr);
                    if (k == 0) first = found;
                    double *row = out.data() + 3 * k;
                    row[0] = found.a;
                    row[1] = found.b;
                    row[2] = found.converged;
                }
            });
}

} // namespace

} // namespace pwc

NB_MODULE(_native, m) {
    m.doc() = "Compiled loops on plain arrays.";
    m.attr("TOLERANCE") = pwc::TOLERANCE;
    m.attr("MOST_COLUMNS") = pwc::MOST_COLUMNS;
    pwc::bind_coupling(m);
    pwc::bind_comparisons(m);
    pwc::bind_rankings(m);
    pwc::bind_graphs(m);
    pwc::bind_pairwise(m);
}
