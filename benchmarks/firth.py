"""Benchmark Firth's logistic regression against other packages: milliseconds, best of several runs in turns.

    python benchmarks/firth.py [--quick]

The other packages are firthmodels and R's brglm2. The default tolerance of firthmodels is 1e-4; our estimates are
within 1e-7 of the maximum. firthmodels has a numba backend, its default if numba is installed, and a NumPy backend.
"model and fit" starts from two arrays, as firthmodels does; "fit" starts from an existing model; "ratio" is the time of
"model and fit" over that of firthmodels' default. The time of brglm2 is that of ``glm``. Other tables compare profile
intervals of all coefficients, and the multinomial model.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from _timing import best
from firthmodels import FirthLogisticRegression

from pwcstats import FirthLogit, FirthMNLogit

SIZES = ((100, 5), (1_000, 10), (5_000, 20), (50_000, 20))
REPEATS = 10

BRGLM2 = """
suppressPackageStartupMessages(library(brglm2))
data <- read.csv(commandArgs(TRUE)[1])
repeats <- as.integer(commandArgs(TRUE)[2])
times <- sapply(seq_len(repeats), function(k) system.time(
  fit <<- glm(y ~ ., binomial, data, method = "brglmFit", type = "AS_mean")
)[["elapsed"]])
cat(min(times), coef(fit)[[2]])
"""
BRMULTINOM = """
suppressPackageStartupMessages(library(brglm2))
data <- read.csv(commandArgs(TRUE)[1])
data$y <- factor(data$y)
seconds <- system.time(fit <- brmultinom(y ~ ., data, type = "AS_mean", ref = 1))[["elapsed"]]
cat(seconds, coef(fit)[1, 2])
"""


def make_data(n, p, classes=2, seed=0):
    """Normal columns; only the first one has an effect."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    eta = np.column_stack([np.zeros(n), 0.5 * x[:, :1] * np.arange(1, classes)])
    p_class = np.exp(eta) / np.exp(eta).sum(axis=1, keepdims=True)
    return x, (p_class.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)


def in_r(script, x, y, *arguments):
    """Run a script in R; return the seconds it measured and a coefficient."""
    with tempfile.TemporaryDirectory() as folder:
        file, data = Path(folder) / "peer.R", Path(folder) / "data.csv"
        file.write_text(script)
        pd.DataFrame(x).add_prefix("x").assign(y=y).set_index("y").reset_index().to_csv(data, index=False)
        command = ["Rscript", "--vanilla", file, data, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def one_size(n, p, repeats):
    x, y = make_data(n, p)
    full = np.column_stack([np.ones(n), x])
    model = FirthLogit(y, full)
    res = model.fit()
    peer = FirthLogisticRegression(gtol=1e-8, xtol=1e-8, max_iter=200).fit(x, y)
    assert np.abs(res.params[1:] - peer.coef_).max() < 1e-7
    seconds, coefficient = in_r(BRGLM2, x, y, 3 if n < 10_000 else 1)
    assert abs(res.params[1] - coefficient) < 1e-5
    times = best(
        {
            "fit": model.fit,
            "model and fit": lambda: FirthLogit(y, full).fit(),
            "firthmodels": lambda: FirthLogisticRegression().fit(x, y),
            "firthmodels (NumPy)": lambda: FirthLogisticRegression(backend="numpy").fit(x, y),
        },
        # Short runs vary more.
        repeats if n >= 10_000 else repeats * 20_000 // n,
    )
    ratio = times["model and fit"] / times["firthmodels"]
    return {"n": n, "p": p, **{name: 1e3 * t for name, t in times.items()}, "ratio": ratio, "brglm2": 1e3 * seconds}


def profiles(n, p, repeats):
    x, y = make_data(n, p)
    res = FirthLogit(y, np.column_stack([np.ones(n), x])).fit()
    peer = FirthLogisticRegression().fit(x, y)
    gap = np.abs(res.conf_int(method="profile")[1:] - peer.conf_int(method="pl")[:-1]).max()
    assert gap < 1e-6, gap

    def theirs():
        # firthmodels caches its results, so fit again.
        return FirthLogisticRegression().fit(x, y).conf_int(method="pl")

    times = best(
        {
            "profiles": lambda: res.conf_int(method="profile"),
            "fit and firthmodels' profiles": theirs,
            "firthmodels' fit": lambda: FirthLogisticRegression().fit(x, y),
        },
        repeats,
    )
    theirs_alone = times["fit and firthmodels' profiles"] - times["firthmodels' fit"]
    ratio = times["profiles"] / theirs_alone
    return {"n": n, "p": p, "profiles": 1e3 * times["profiles"], "firthmodels": 1e3 * theirs_alone, "ratio": ratio}


def multinomial(n, p, classes, repeats):
    x, y = make_data(n, p, classes)
    model = FirthMNLogit(y, np.column_stack([np.ones(n), x]))
    res = model.fit()
    seconds, coefficient = in_r(BRMULTINOM, x, y)
    assert abs(np.asarray(res.params)[1, 0] - coefficient) < 1e-4
    times = best({"fit": model.fit}, repeats)
    return {"n": n, "p": p, "classes": classes, "fit": 1e3 * times["fit"], "brmultinom": 1e3 * seconds}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repeats, up to 5,000 rows")
    parser.add_argument("--json", type=Path, help="write the tables here too")
    options = parser.parse_args()
    repeats = 3 if options.quick else REPEATS
    sizes = SIZES[:3] if options.quick else SIZES
    tables = {
        "Fits": [one_size(n, p, repeats) for n, p in sizes],
        "Profile intervals": [profiles(n, p, repeats) for n, p in sizes[:3]],
        "Multinomial fits": [multinomial(300, 4, 4, repeats)],
    }
    for title, rows in tables.items():
        print(f"{title}, milliseconds\n\n{pd.DataFrame(rows).to_string(index=False, float_format='{:.3g}'.format)}\n")
    if options.json:
        options.json.write_text(json.dumps(tables, indent=1))


if __name__ == "__main__":
    main()
