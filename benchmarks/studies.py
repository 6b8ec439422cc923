"""The map of Szepannek, Bischl & Weihs (Figures 5 and 6), and what running in cells costs.

    python benchmarks/studies.py [--quick]

The map: seconds of a repeat of one cell (PWC alone: LDA or naive Bayes for each of six pairs, 3 folds) from sums that
are made once, and by a fit for each pair, learner and fold, as the paper has it; and minutes of all 11 x 11 x 30 of
them. Cells: microseconds of one that does nothing, when it is not kept, found, or kept.
"""

import argparse
import tempfile
from functools import partial

import pandas as pd
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_limits
from timing import best

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
        yield {"PWC by": name, "seconds a repeat": seconds, "minutes of the map": seconds * MAP / 60}


def nothing(number):
    return [{"value": number}]


def cells(n, repeats):
    todo = [{"number": number} for number in range(n)]
    with tempfile.TemporaryDirectory() as folder:
        first = best({"kept": lambda: run_cells(nothing, todo, cache=folder)}, 1)
        calls = {"not kept": partial(run_cells, nothing, todo), "found": lambda: run_cells(nothing, todo, cache=folder)}
        for name, seconds in (best(calls, repeats) | first).items():
            yield {"cells": n, "are": name, "microseconds a cell": 1e6 * seconds / n}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    repeats = 3 if parser.parse_args().quick else 20
    with threadpool_limits(1):
        print(pd.DataFrame(maps(repeats)).to_string(index=False, float_format="{:.3g}".format), flush=True)
        print(pd.DataFrame(cells(1000, 3)).to_string(index=False, float_format="{:.3g}".format), flush=True)


if __name__ == "__main__":
    main()
