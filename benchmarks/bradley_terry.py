"""Speed of Bradley–Terry fits compared with other packages, in seconds: the best of several runs.

    python benchmarks/bradley_terry.py [--quick]

All fits start from a data frame of string labels. The other packages are evalica and choix (ilsr_pairwise), which give
point estimates, and BradleyTerry2 (BTm) in R, which gives standard errors. A second table shows time and memory of
pwcstats for a thousand to a hundred thousand items.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import choix
import evalica
import numpy as np
import pandas as pd
from _timing import best

from pwcstats import BradleyTerry

# Numbers of items and games for the second table: twenty games per item.
GROWTH = ((1_000, 20_000), (10_000, 200_000), (100_000, 2_000_000))
REPEATS = 5

BTM = """
suppressPackageStartupMessages(library(BradleyTerry2))
games <- read.csv(commandArgs(TRUE)[1], stringsAsFactors = TRUE)
items <- sort(unique(c(levels(games$winner), levels(games$loser))))
seconds <- system.time({
  games$winner <- factor(games$winner, items)
  games$loser <- factor(games$loser, items)
  counts <- countsToBinomial(xtabs(~ winner + loser, games))
  fit <- BTm(cbind(win1, win2), player1, player2, data = counts)
  errors <- coef(summary(fit))[, 2]
})[["elapsed"]]
cat(seconds, coef(fit)[[1]], errors[[1]])
"""


def make_games(n_items, n_games, spread=1.0, seed=0):
    """Winners and losers of random pairs; abilities are normal with standard deviation `spread`."""
    rng = np.random.default_rng(seed)
    ability = spread * rng.normal(size=n_items)
    a = rng.integers(n_items, size=n_games)
    b = (a + rng.integers(1, n_items, size=n_games)) % n_items
    won = rng.random(n_games) < 1 / (1 + np.exp(ability[b] - ability[a]))
    names = np.array([f"model-{k:06d}" for k in range(n_items)], dtype=object)
    return pd.DataFrame({"winner": names[np.where(won, a, b)], "loser": names[np.where(won, b, a)]})


def ours(games, **options):
    return BradleyTerry.from_comparisons(games, winner="winner", loser="loser").fit(**options)


def by_evalica(games):
    winners = [evalica.Winner.X] * len(games)
    return evalica.bradley_terry(games["winner"], games["loser"], winners)


def by_choix(games):
    codes, items = pd.factorize(pd.concat([games["winner"], games["loser"]]), sort=True)
    half = len(games)
    return choix.ilsr_pairwise(len(items), list(zip(codes[:half], codes[half:], strict=True)))


def btm_seconds(games):
    """Seconds of BTm with counting and summary, measured in R; its first coefficient and standard error."""
    with tempfile.TemporaryDirectory() as folder:
        script, data = Path(folder) / "btm.R", Path(folder) / "games.csv"
        script.write_text(BTM)
        games.to_csv(data, index=False)
        done = subprocess.run(["Rscript", "--vanilla", script, data], capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def thousand_items(repeats):
    games = make_games(1_000, 200_000)
    res = ours(games)
    scores = np.log(evalica.bradley_terry(
        games["winner"], games["loser"], [evalica.Winner.X] * len(games), tolerance=1e-12, limit=10_000
    ).scores[res.params.index])  # fmt: skip
    gap = np.abs(scores - scores.mean() - res.params).max()
    assert gap < 1e-6, f"evalica, asked for 1e-12, differs by {gap}"
    times = best(
        {
            "pwcstats, full covariance": lambda: ours(games),
            "pwcstats, cov='none'": lambda: ours(games, cov="none"),
            "evalica, point estimates": lambda: by_evalica(games),
        },
        repeats,
    )
    return times | best({"choix ilsr_pairwise, point estimates": lambda: by_choix(games)}, min(repeats, 2))


def hundred_items(repeats):
    games = make_games(100, 20_000)
    seconds, coefficient, error = btm_seconds(games)
    res = ours(games, ref="model-000000")
    assert abs(res.params.iloc[0] - coefficient) < 1e-6
    assert abs(res.bse.iloc[0] - error) < 1e-6
    return best({"pwcstats, full covariance": lambda: ours(games)}, repeats) | {"BradleyTerry2::BTm": seconds}


def one_size(n_items, n_games):
    """Seconds, pairs and peak memory in megabytes for one size; run in a process of its own."""
    # If abilities were further apart, some of the items would never win in twenty games.
    games = make_games(n_items, n_games, 0.5)
    ours(make_games(2_100, 40_000, 0.5), cov="diag")  # load what is imported when it is used
    ours(make_games(500, 5_000, 0.5), cov="diag")
    start = time.perf_counter()
    res = ours(games, cov="none")
    bare = time.perf_counter() - start
    pairs = len(res._likelihood.table.first)
    start = time.perf_counter()
    res = ours(games, cov="diag")
    with_errors = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "items": n_items,
        "games": n_games,
        "distinct pairs": pairs,
        "cov='none', s": bare,
        "microseconds a pair": 1e6 * bare / pairs,
        "cov='diag', s": with_errors,
        "largest error of an s.e.": res.bse_error.max(),
        "peak memory, MB": peak,
    }


def growth(sizes):
    rows = []
    for size in sizes:
        command = [sys.executable, __file__, "--one-size", *map(str, size)]
        rows.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    return pd.DataFrame(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repeats, growth to 10,000 items")
    parser.add_argument("--json", type=Path, help="write the tables here too")
    parser.add_argument("--one-size", type=int, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one_size:
        print(json.dumps(one_size(*options.one_size)))
        return
    repeats = 2 if options.quick else REPEATS
    tables = {
        "1,000 items, 200,000 games": thousand_items(repeats),
        "100 items, 20,000 games": hundred_items(repeats),
    }
    for title, times in tables.items():
        first = times["pwcstats, full covariance"]
        table = pd.DataFrame({"seconds": times, "times ours": {name: t / first for name, t in times.items()}})
        print(f"{title}\n\n{table.to_string(float_format='{:.4g}'.format)}\n")
    grown = growth(GROWTH[:2] if options.quick else GROWTH)
    print(f"Growth\n\n{grown.T.to_string(float_format='{:.4g}'.format, header=False)}")
    if options.json:
        options.json.write_text(json.dumps({**tables, "growth": grown.to_dict("records")}, indent=1))


if __name__ == "__main__":
    main()
