"""Comparisons of methods against scipy, scikit-posthocs, autorank and plain loops, side by side.

    python benchmarks/compare.py [--quick]

Tests: milliseconds per call, the best of several, in turns. "wilcoxon" computes the estimate and the interval, too;
scipy computes only the p-value. Tables: all pairs of K methods on 20 data sets. Runs: the same 10-fold cross-validation
of three fast learners by ``benchmark`` and by ``cross_val_score``, on one thread, and ``benchmark`` again from its
cache.
"""

import argparse
import contextlib
import io
import tempfile
import warnings
from functools import partial

import numpy as np
import pandas as pd
import scikit_posthocs
from _timing import best
from autorank import autorank
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from pwcstats import benchmark, compare_methods
from pwcstats.compare import nemenyi, paired_t, wilcoxon
from pwcstats.datasets import load


def show(title, rows):
    print(f"\n{title}\n{pd.DataFrame(rows).to_string(index=False, float_format='{:.3g}'.format)}", flush=True)


def silently(call, *args, **kwargs):
    """Call a function without its printed output (autorank prints)."""
    with contextlib.redirect_stdout(io.StringIO()):
        return call(*args, **kwargs)


def tests(sizes, repeats):
    rng = np.random.default_rng(0)
    for n in sizes:
        a, b = rng.normal(0.8, 0.05, n).round(2), rng.normal(0.79, 0.05, n).round(2)
        calls = {
            "paired_t": lambda a=a, b=b: paired_t(a, b),
            "scipy ttest_rel": lambda a=a, b=b: stats.ttest_rel(a, b).confidence_interval(),
            "wilcoxon": lambda a=a, b=b: wilcoxon(a, b),
            "scipy wilcoxon": lambda a=a, b=b: stats.wilcoxon(a, b),
        }
        yield {"pairs": n} | {name: 1e3 * seconds for name, seconds in best(calls, repeats).items()}


def tables(numbers, repeats):
    rng = np.random.default_rng(0)
    for k in numbers:
        wide = pd.DataFrame(rng.normal(0.8, 0.05, (20, k)), columns=[f"m{i}" for i in range(k)])
        wide = wide.rename_axis("dataset")
        calls = {
            "nemenyi": lambda wide=wide: nemenyi(wide),
            "scikit-posthocs": lambda wide=wide: scikit_posthocs.posthoc_nemenyi_friedman(wide),
            "compare_methods": lambda wide=wide: compare_methods(wide),
            "compare_methods (nemenyi)": lambda wide=wide: compare_methods(wide, test="nemenyi"),
            "autorank": lambda wide=wide: silently(autorank, wide, force_mode="nonparametric"),
        }
        yield {"methods": k} | {name: 1e3 * seconds for name, seconds in best(calls, repeats).items()}


def runs(names, repeats):
    methods = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
    cv = StratifiedKFold(10, shuffle=True, random_state=0)
    run = partial(benchmark, methods, cv=10, progress=False)

    def loop(data):
        return [cross_val_score(method, data.data, data.target, cv=cv) for method in methods.values()]

    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            run([name], cache=folder)
            calls = {
                "benchmark": partial(run, [name]),
                "cross_val_score": partial(loop, load(name)),
                "from the cache": partial(run, [name], cache=folder),
            }
            seconds = best(calls, repeats)
        yield {"data set": name} | seconds | {"ratio": seconds["benchmark"] / seconds["cross_val_score"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes")
    quick = parser.parse_args().quick
    # autorank and scipy warn about ties and small samples.
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        show("Tests, milliseconds", tests((10, 100) if quick else (10, 40, 100, 1_000, 10_000), 3))
        show("Tables, milliseconds", tables((3, 10) if quick else (3, 5, 10, 15, 30), 2))
        show("Runs, seconds", runs(("iris",) if quick else ("iris", "breast_cancer", "digits", "satimage"), 3))


if __name__ == "__main__":
    main()
