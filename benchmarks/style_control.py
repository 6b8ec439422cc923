"""Speed of Bradley–Terry fits with covariates of the single comparisons ("style control"), in seconds.

    python benchmarks/style_control.py [--quick] [--cpu] [--arena PYTHON] [--json FILE]

The data are battles of language models with four differences of style. All fits start from a data frame of labels. The
other packages that fit this model are arena-rank, and scikit-learn and statsmodels as a logistic regression with one
column for each model. evalica and choix fit the abilities without the covariates. The estimates of all fits of the same
model are compared. A second table shows how the time of pwcstats grows with the number of battles.

arena-rank needs fixed versions of NumPy and JAX. PYTHON is the interpreter of an environment that has it; the default
is the environment variable ARENA_PYTHON. Without it, arena-rank is left out. JAX compiles in every call of arena-rank.
The first call takes longer still, and has a line of its own.

With --cpu, seconds are processor time, summed over all cores; use it on a busy machine.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import choix
import evalica
import numpy as np
import pandas as pd
import statsmodels.api as sm
from _timing import best
from sklearn.linear_model import LogisticRegression

from pwcstats import BradleyTerry

N_MODELS, N_BATTLES = 100, 100_000
STYLE = {"length": 0.5, "headers": 0.1, "bold": 0.05, "lists": -0.05}
# Numbers of battles for the second table.
GROWTH = (10_000, 100_000, 1_000_000)
REPEATS = 7
SLOW_REPEATS = 2
# Calls of arena-rank, and whether they have intervals.
ARENA = {"arena-rank, estimates": False, "arena-rank, sandwich": True}
# Tolerances of arena-rank: its default, and one for comparing the estimates.
ARENA_DEFAULT, ARENA_TIGHT = 1e-9, 1e-15


def make_battles(n_battles, n_models=N_MODELS, seed=0):
    """Battles of random pairs; a style is (a - b) / (a + b) of the answers' lengths or of their numbers of elements."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(size=n_models)
    a = rng.integers(n_models, size=n_battles)
    b = (a + rng.integers(1, n_models, size=n_battles)) % n_models
    amounts = {"length": rng.lognormal(6.0, 0.8, (2, n_battles)).round() + 1.0}
    amounts |= {name: rng.poisson(rng.gamma(0.5, 6.0, (2, n_battles))) for name in ("headers", "bold", "lists")}
    style = {name: (x[0] - x[1]) / np.maximum(x[0] + x[1], 1) for name, x in amounts.items()}
    d = ability[a] - ability[b] + sum(STYLE[name] * x for name, x in style.items())
    won = rng.random(n_battles) < 1 / (1 + np.exp(-d))
    names = np.array([f"model-{k:03d}" for k in range(n_models)], dtype=object)
    winner = np.where(won, "model_a", "model_b").astype(object)
    judge = rng.integers(max(n_battles // 10, 100), size=n_battles)
    return pd.DataFrame({"model_a": names[a], "model_b": names[b], "winner": winner, **style, "judge": judge})


def ours(battles, contest=tuple(STYLE), **options):
    model = BradleyTerry.from_comparisons(battles, first="model_a", second="model_b", winner="winner")
    return model.fit(contest=contest, **options)


def by_cluster(battles):
    return ours(battles, cov_type="cluster", cov_kwds={"groups": "judge"})


def codes_of(battles):
    both = pd.concat([battles["model_a"], battles["model_b"]])
    codes, items = pd.factorize(both, sort=True)
    return codes[: len(battles)], codes[len(battles) :], items


def dense_design(battles):
    """A column for each model but the first, and the styles; and whether the first model won."""
    a, b, items = codes_of(battles)
    rows = np.arange(len(battles))
    x = np.zeros((len(battles), len(items) + len(STYLE)))
    x[rows, a], x[rows, b] = 1.0, -1.0
    x[:, len(items) :] = battles[list(STYLE)]
    return x[:, 1:], (battles["winner"] == "model_a").to_numpy(dtype=float)


def by_sklearn(battles):
    x, y = dense_design(battles)
    model = LogisticRegression(C=np.inf, fit_intercept=False, solver="newton-cholesky", tol=1e-8)
    return model.fit(x, y).coef_.ravel()


def by_statsmodels(battles):
    x, y = dense_design(battles)
    return sm.GLM(y, x, family=sm.families.Binomial()).fit()


def by_evalica(battles):
    outcomes = np.where(battles["winner"] == "model_a", evalica.Winner.X, evalica.Winner.Y).tolist()
    return evalica.bradley_terry(battles["model_a"], battles["model_b"], outcomes)


def by_choix(battles):
    a, b, items = codes_of(battles)
    won = (battles["winner"] == "model_a").to_numpy()
    games = list(zip(np.where(won, a, b), np.where(won, b, a), strict=True))
    return choix.ilsr_pairwise(len(items), games)


class Arena:
    """arena-rank in a process of its own."""

    def __init__(self, python, battles, cpu):
        self.cpu = cpu
        self.folder = tempfile.TemporaryDirectory()
        data = Path(self.folder.name) / "battles.pkl"
        # Plain objects can be read by any version of pandas.
        battles.astype({name: object for name in ("model_a", "model_b", "winner")}).to_pickle(data, protocol=4)
        command = [python, Path(__file__).with_name("_arena_rank.py"), data]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def fit(self, intervals, tolerance=ARENA_DEFAULT):
        options = {"features": list(STYLE), "intervals": intervals, "tolerance": tolerance, "cpu": self.cpu}
        print(json.dumps(options), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("arena-rank failed; its message is above.")
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()


def from_first(res):
    """Estimates relative to the first model, without it."""
    abilities = res.params.to_numpy()[:-4]
    return np.concatenate([abilities[1:] - abilities[0], res.params.to_numpy()[-4:]])


def check_logistic(battles, res):
    """Compare estimates and standard errors with those of the logistic regressions."""
    assert np.abs(by_sklearn(battles) - from_first(res)).max() < 1e-6
    glm, own = by_statsmodels(battles), ours(battles, ref="model-000")
    assert np.abs(glm.params - own.params).max() < 1e-6
    assert np.abs(glm.bse - own.bse).max() < 1e-6


def check_arena(arena, battles, res):
    """Compare results with those of arena-rank; return the largest error of its estimates with its own tolerance."""
    tight = arena.fit(True, ARENA_TIGHT)
    gap = np.abs(tight["estimates"] - res.params).max()
    assert gap < 1e-5, f"arena-rank differs by {gap}"
    # It adds 1e-5 to the diagonal of the information about one battle.
    ratio = tight["errors"] / ours(battles, cov_type="HC0").bse[: len(res.model.items)]
    assert np.abs(ratio - 1.0).max() < 0.01, f"standard errors of arena-rank differ by {ratio.min()} to {ratio.max()}"
    return np.abs(arena.fit(False)["estimates"] - res.params).max()


def side_by_side(repeats, python, clock):
    """Shortest time of each package, and the largest error of arena-rank's estimates."""
    battles = make_battles(N_BATTLES)
    res = ours(battles)
    check_logistic(battles, res)
    calls = {
        "pwcstats, standard errors": lambda: ours(battles),
        "pwcstats, cov='none'": lambda: ours(battles, cov="none"),
        "pwcstats, robust (HC0)": lambda: ours(battles, cov_type="HC0"),
        "pwcstats, clusters": lambda: by_cluster(battles),
        "scikit-learn newton-cholesky, estimates": lambda: by_sklearn(battles),
        "pwcstats, estimates without styles": lambda: ours(battles, None, cov="none"),
        "evalica, estimates without styles": lambda: by_evalica(battles),
    }
    slow = {
        "statsmodels GLM, standard errors": lambda: by_statsmodels(battles),
        "choix ilsr_pairwise, estimates without styles": lambda: by_choix(battles),
    }
    arena, first, gap = None, {}, None
    if python:
        arena = Arena(python, battles, clock is time.process_time)
        first = {f"{name}, first call": arena.fit(intervals)["seconds"] for name, intervals in ARENA.items()}
        gap = check_arena(arena, battles, res)
    times = {}
    for k in range(repeats):
        new = best(calls | slow if k < SLOW_REPEATS else calls, 1, clock)
        if arena:
            new |= {name: arena.fit(intervals)["seconds"] for name, intervals in ARENA.items()}
        times |= {name: min(t, times.get(name, np.inf)) for name, t in new.items()}
    if arena:
        arena.close()
    return times | first, gap


def one_size(n_battles, clock):
    """Seconds for one size; run in a process of its own."""
    battles = make_battles(n_battles)
    by_cluster(make_battles(5_000))  # load what is imported when it is used
    calls = {"fit, s": lambda: ours(battles), "clusters, s": lambda: by_cluster(battles)}
    times = best(calls, 3, clock)
    per_battle = {f"microseconds a battle, {name[:-3]}": 1e6 * t / n_battles for name, t in times.items()}
    return {"battles": n_battles, **times, **per_battle}


def growth(sizes, options):
    rows = []
    for size in sizes:
        command = [sys.executable, __file__, "--one-size", str(size), *options]
        rows.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    return pd.DataFrame(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repeats, growth to 100,000 battles")
    parser.add_argument("--cpu", action="store_true", help="measure processor time")
    parser.add_argument("--arena", default=os.environ.get("ARENA_PYTHON"), help="interpreter that has arena-rank")
    parser.add_argument("--json", type=Path, help="write the tables here too")
    parser.add_argument("--one-size", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore", FutureWarning)
    clock = time.process_time if options.cpu else time.perf_counter
    if options.one_size:
        print(json.dumps(one_size(options.one_size, clock)))
        return
    times, gap = side_by_side(2 if options.quick else REPEATS, options.arena, clock)
    first = times["pwcstats, standard errors"]
    table = pd.DataFrame({"seconds": times, "times ours": {name: t / first for name, t in times.items()}})
    title = f"{N_MODELS} models, {N_BATTLES:,} battles, {len(STYLE)} styles"
    print(f"{title}\n\n{table.to_string(float_format='{:.4g}'.format)}\n")
    if gap is None:
        print("arena-rank was left out: name its interpreter by --arena or ARENA_PYTHON.\n")
    else:
        print(f"largest error of arena-rank's estimates: {gap:.2g}\n")
    grown = growth(GROWTH[:2] if options.quick else GROWTH, ["--cpu"] * options.cpu)
    print(f"Growth\n\n{grown.T.to_string(float_format='{:.4g}'.format, header=False)}")
    if options.json:
        options.json.write_text(json.dumps({title: times, "growth": grown.to_dict("records")}, indent=1))


if __name__ == "__main__":
    main()
