"""Run times of the map of Szepannek, Bischl & Weihs (Figures 5 and 6), and the overhead of cells.

    python benchmarks/studies.py [--quick]

The map: seconds for one repeat of one cell (only PWC: LDA or naive Bayes for each of six pairs, 3 folds), with sums
that all fits share, and with a separate fit for each pair, learner and fold, as in the paper; and minutes for all 11 x
11 x 30 repeats. Cells: microseconds for a cell that does nothing, without a cache, stored in it, or found in it.
"""

import argparse
import tempfile
from functools import partial

import pandas as pd
from _timing import best
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_limits

from pwcstats import PairwiseClassifier
from pwcstats.datasets import szepannek_classes
from pwcstats.studies.running import run_cells

MAP = 11 * 11 * 30


def answer(x, y, new, fast):
    candidates = {"LDA": LinearDiscriminantAnalysis(), "NB": GaussianNB()}
    return PairwiseClassifier(candidates, coupling="ht", selection_cv=3, fast=fast).fit(x, y).predict(new)


def maps(repeats):
    x, y = szepannek_classes(0.2, 0.8, random_state=0)
    calls = {
        name: partial(answer, x[::3], y[::3], x[1::3], fast) for name, fast in (("sums", True), ("plain fits", False))
    }
    for name, seconds in best(calls, repeats).items():
        yield {"PWC by": name, "seconds per repeat": seconds, "minutes for the map": seconds * MAP / 60}


def nothing(number, seed):
    return [{"value": number}]


def cells(n, repeats):
    todo = [{"number": number} for number in range(n)]
    with tempfile.TemporaryDirectory() as folder:
        first = best({"stored": lambda: run_cells(nothing, todo, cache=folder)}, 1)
        calls = {
            "no cache": partial(run_cells, nothing, todo),
            "found": partial(run_cells, nothing, todo, cache=folder),
        }
        for name, seconds in (best(calls, repeats) | first).items():
            yield {"cells": n, "state": name, "microseconds per cell": 1e6 * seconds / n}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    repeats = 3 if parser.parse_args().quick else 20
    with threadpool_limits(1):
        print(pd.DataFrame(maps(repeats)).to_string(index=False, float_format="{:.3g}".format), flush=True)
        print(pd.DataFrame(cells(1000, 3)).to_string(index=False, float_format="{:.3g}".format), flush=True)


if __name__ == "__main__":
    main()
