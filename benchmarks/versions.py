"""Compare the speed of two installed versions of pwcstats, such as the last release and this one.

    python benchmarks/versions.py OTHER_PYTHON [--quick] [--json FILE]

OTHER_PYTHON is the interpreter of an environment with the other version; both need the extra `test`. The versions run
in processes of their own, in turns, and the best time of each counts. The table shows the ratio of times, this version
over the other: coupling with all methods on 1 and 2 threads, Bradley-Terry models, and logits.
"""

import argparse
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from _timing import best

ROUNDS, REPEATS = 4, 4
# Number of samples by number of classes.
SIZES = {3: 100_000, 10: 20_000, 26: 3_000, 100: 200}


def couplings():
    """Calls of all methods."""
    from coupling import make_pairs

    from pwcstats import couple
    from pwcstats.coupling.methods import TABLE

    for n_classes, n_samples in SIZES.items():
        r = make_pairs(n_classes, n_samples)
        mass = np.full(r.shape[1], 2.0 / n_classes)
        for row in TABLE.values():
            extra = {"pair_mass": mass} if row.uses_pair_mass else {}
            for n_jobs in (1, 2):
                call = partial(couple, r, row.name, condensed=True, n_jobs=n_jobs, **extra)
                yield f"couple {row.name}, K = {n_classes}, {n_jobs} threads", call


def rankings():
    """Fits of Bradley-Terry models from rows of comparisons, with standard errors."""
    from bradley_terry import make_games, ours

    for n_items, n_games, cov in (
        (20, 1_000, "full"),
        (100, 100_000, "full"),
        (1_000, 200_000, "full"),
        (10_000, 400_000, "none"),
    ):
        games = make_games(n_items, n_games, 0.5)
        yield f"Bradley-Terry, {n_items} items, {n_games} games", partial(ours, games, cov=cov)
        if n_items <= 100:
            yield f"Firth's Bradley-Terry, {n_items} items", partial(ours, games, method="firth")


def logits():
    """Models and fits."""
    from firth import make_data

    from pwcstats import FirthLogit, FirthMNLogit

    for n, p in ((100, 5), (1_000, 10), (5_000, 20)):
        x, y = make_data(n, p)
        full = np.column_stack([np.ones(n), x])
        yield f"Firth, {n} x {p}", lambda y=y, full=full: FirthLogit(y, full).fit()
        res = FirthLogit(y, full).fit()
        yield f"Firth profiles, {n} x {p}", partial(res.conf_int, method="profile")
    x, y = make_data(300, 4, 4)
    full = np.column_stack([np.ones(300), x])
    yield "multinomial Firth, 300 x 4", lambda: FirthMNLogit(y, full).fit()


def measure(quick):
    """Print the times of this environment's version."""
    calls = {**dict(couplings()), **dict(rankings()), **dict(logits())}
    for call in calls.values():
        call()
    print(json.dumps(best(calls, 1 if quick else REPEATS)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", nargs="?", help="interpreter of the other version's environment")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    parser.add_argument("--json", type=Path, help="write the table here too")
    options = parser.parse_args()
    if options.measure:
        measure(options.quick)
        return
    if options.other is None:
        parser.error("name the interpreter of an environment with another version of pwcstats")
    times = {"other": {}, "this": {}}
    for _ in range(1 if options.quick else ROUNDS):
        for name, python in (("other", options.other), ("this", sys.executable)):
            command = [python, __file__, "--measure", *(["--quick"] if options.quick else [])]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            for call, seconds in json.loads(done.stdout.splitlines()[-1]).items():
                times[name][call] = min(seconds, times[name].get(call, np.inf))
    table = 1e3 * pd.DataFrame(times)
    table["ratio"] = table["this"] / table["other"]
    print(f"milliseconds\n\n{table.to_string(float_format='{:.3g}'.format)}")
    if options.json:
        options.json.write_text(table.to_json(orient="index", indent=1))


if __name__ == "__main__":
    main()
