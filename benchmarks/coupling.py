"""Compare the speed of coupling with that of other packages: microseconds per sample, the best of several runs.

    python benchmarks/coupling.py [--quick]

All rows are measured in the same run. The others are a batched numpy.linalg.solve of the system of wlw2, the coupling
of LIBSVM (predict_proba minus the decision values of scikit-learn's SVC(probability=True)), and R's kernlab::couple,
which is wrong for K >= 4, so that only its time matters here.
"""

import argparse
import json
import subprocess
import tempfile
import time
import tracemalloc
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from _timing import best
from sklearn.svm import SVC

from pwcstats import couple

# Number of samples by number of classes; the slow packages get fewer.
SIZES = {3: 400_000, 10: 100_000, 26: 12_000, 100: 800}
SLOW_SIZES = {3: 4000, 10: 2000, 26: 500, 100: 64}
REPEATS = 5

KERNLAB = """
suppressPackageStartupMessages(library(kernlab))
given <- commandArgs(TRUE)
r <- matrix(readBin(given[1], "double", 1e8), ncol = as.integer(given[2]))
seconds <- replicate(3, system.time(couple(r, "minpair"))[["elapsed"]])
cat(min(seconds) / nrow(r))
"""


def make_pairs(n_classes, n_samples, seed=0):
    """Condensed r: random class probabilities with noise on the log-odds of each pair, like those of learners."""
    rng = np.random.default_rng(seed)
    b = np.log(rng.dirichlet(np.ones(n_classes), n_samples))
    i, j = np.triu_indices(n_classes, 1)
    r = 1 / (1 + np.exp(b[:, j] - b[:, i] + rng.normal(scale=0.7, size=(n_samples, len(i)))))
    return np.ascontiguousarray(r)


def batched_solve(r, n_classes):
    """Couple by wlw2 with one call of LAPACK for all samples."""
    i, j = np.triu_indices(n_classes, 1)
    full = np.zeros((len(r), n_classes, n_classes))
    full[:, i, j], full[:, j, i] = r, 1 - r
    q = -full * np.swapaxes(full, 1, 2)
    q[:, range(n_classes), range(n_classes)] = (full**2).sum(axis=1)
    p = np.linalg.solve(q, np.ones((len(r), n_classes, 1)))[:, :, 0]
    return p / p.sum(axis=1, keepdims=True)


def libsvm_seconds(n_classes, n_samples, clock=time.perf_counter):
    """Seconds per sample of LIBSVM's coupling, with its sigmoids."""
    rng = np.random.default_rng(0)
    centres = rng.normal(scale=2, size=(n_classes, 2))
    y = np.repeat(np.arange(n_classes), 10)
    x = centres[y] + rng.normal(size=(len(y), 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # scikit-learn 1.9 deprecates probability=True
        machine = SVC(kernel="linear", probability=True, decision_function_shape="ovo", random_state=0).fit(x, y)
    test = centres[rng.integers(n_classes, size=n_samples)] + rng.normal(size=(n_samples, 2))
    calls = {"both": lambda: machine.predict_proba(test), "values": lambda: machine.decision_function(test)}
    times = best(calls, REPEATS, clock)
    return (times["both"] - times["values"]) / n_samples


def kernlab_seconds(r):
    """Seconds per sample of kernlab::couple, measured in R."""
    with tempfile.TemporaryDirectory() as folder:
        script, data = Path(folder) / "kernlab.R", Path(folder) / "r.bin"
        script.write_text(KERNLAB)
        np.asfortranarray(r).ravel(order="F").tofile(data)
        done = subprocess.run(
            ["Rscript", "--vanilla", script, data, str(r.shape[1])], capture_output=True, text=True, check=True
        )
    return float(done.stdout)


def peak_share(r, n_classes, method):
    """Peak memory of a condensed call, as a multiple of input plus output."""
    couple(r[:16], method, condensed=True, n_jobs=2)
    tracemalloc.start()
    couple(r, method, condensed=True, n_jobs=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return (peak + r.nbytes) / (r.nbytes + len(r) * n_classes * 8)


def measure(n_classes, n_samples, n_slow):
    r = make_pairs(n_classes, n_samples)
    gap = np.abs(couple(r, condensed=True) - batched_solve(r, n_classes)).max()
    assert gap < 1e-9, f"wlw2 and the batched solve differ by {gap}"
    couple(r[:16], "ht", condensed=True)
    calls = {
        "wlw2, 1 thread": lambda: couple(r, "wlw2", condensed=True, n_jobs=1),
        "wlw2, 2 threads": lambda: couple(r, "wlw2", condensed=True, n_jobs=2),
        "wlw1, 2 threads": lambda: couple(r, "wlw1", condensed=True, n_jobs=2),
        "ht, 1 thread": lambda: couple(r, "ht", condensed=True, n_jobs=1),
        "ht, 2 threads": lambda: couple(r, "ht", condensed=True, n_jobs=2),
        "numpy.linalg.solve": lambda: batched_solve(r, n_classes),
    }
    times = {name: seconds / n_samples for name, seconds in best(calls, REPEATS).items()}
    times["LIBSVM"] = libsvm_seconds(n_classes, n_slow)
    times["kernlab::couple"] = kernlab_seconds(r[:n_slow])
    return {name: 1e6 * seconds for name, seconds in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="use a tenth of the samples")
    parser.add_argument("--json", type=Path, help="also write the table to this file")
    options = parser.parse_args()
    share = 10 if options.quick else 1
    table = pd.DataFrame({f"K = {k}": measure(k, n // share, SLOW_SIZES[k]) for k, n in SIZES.items()})
    print("Microseconds per sample\n")
    print(table.to_string(float_format="{:.3f}".format))
    ours = table.loc["wlw2, 2 threads"]
    ratios = pd.DataFrame(
        {
            "numpy.linalg.solve / wlw2": table.loc["numpy.linalg.solve"] / ours,
            "LIBSVM / wlw2": table.loc["LIBSVM"] / ours,
            "kernlab / wlw2": table.loc["kernlab::couple"] / ours,
            "kernlab / ht": table.loc["kernlab::couple"] / table.loc["ht, 2 threads"],
            "ht / wlw2": table.loc["ht, 2 threads"] / ours,
            "wlw1 / wlw2": table.loc["wlw1, 2 threads"] / ours,
        }
    ).T
    print("\nRatios, on two threads\n")
    print(ratios.to_string(float_format="{:.1f}".format))
    one = make_pairs(1_000, 1)
    single = best({method: partial(couple, one, method, condensed=True) for method in ("wlw2", "wlw1", "ht")}, REPEATS)
    print("\nMilliseconds for one sample of 1,000 classes\n")
    print(
        pd.Series({method: 1e3 * seconds for method, seconds in single.items()}).to_string(float_format="{:.0f}".format)
    )
    r = make_pairs(10, SIZES[10] // share)
    for method in ("wlw2", "ht"):
        print(f"\nPeak memory of a condensed {method} call, K = 10: {peak_share(r, 10, method):.2f} x (input + output)")
    if options.json:
        options.json.write_text(json.dumps({"microseconds": table.to_dict(), "ratios": ratios.to_dict()}, indent=1))


if __name__ == "__main__":
    main()
