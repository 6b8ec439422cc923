"""Speed of Plackett–Luce fits compared with choix, in seconds: the best of several runs.

    python benchmarks/plackett_luce.py [--quick]

All fits start from lists of integers, because choix takes nothing else. pwcstats checks that the estimates exist, and
computes the full covariance; choix gives point estimates. A second table shows fits of pwcstats with ties.
"""

import argparse
import json
from functools import partial
from pathlib import Path

import choix
import numpy as np
import pandas as pd
from _timing import best

from pwcstats import PlackettLuce

# Numbers of rankings, of items, and of items in each ranking.
SIZES = ((1_000, 20, 5), (1_000, 100, 20), (2_000, 1_000, 10), (20_000, 50, 10), (500, 100, 100))
# The last two take opt_rankings minutes.
SLOW_FROM = 2_000 * 10
REPEATS = 3
# choix stops before it is this close.
AGREEMENT = 1e-3


def make_rankings(n, n_items, length, seed=0):
    """Rankings of random items, whose abilities are standard normal."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(size=n_items)
    items = np.array([rng.choice(n_items, length, replace=False) for _ in range(n)])
    order = np.argsort(-(ability[items] + rng.gumbel(size=items.shape)), axis=1)
    return np.take_along_axis(items, order, axis=1).tolist()


def tie(rankings, share, seed=0):
    """The same rankings, in which neighbours share a place with this probability."""
    rng = np.random.default_rng(seed)
    tied = []
    for ranking in rankings:
        tiers = [[ranking[0]]]
        for item in ranking[1:]:
            if rng.random() < share and len(tiers[-1]) < 3:
                tiers[-1].append(item)
            else:
                tiers.append([item])
        tied.append([tuple(tier) for tier in tiers])
    return tied


def one_size(n, n_items, length, repeats, quick):
    rankings = make_rankings(n, n_items, length)
    res = PlackettLuce.from_orderings(rankings).fit()
    peers = {"choix ilsr_rankings": choix.ilsr_rankings, "choix mm_rankings": choix.mm_rankings}
    if n * length < SLOW_FROM and not quick:
        peers["choix opt_rankings"] = choix.opt_rankings
    times = best({"pwcstats": lambda: PlackettLuce.from_orderings(rankings).fit()}, repeats)
    gaps = {"pwcstats": 0.0}
    for name, fit in peers.items():
        times |= best({name: lambda fit=fit: fit(n_items, rankings)}, 1 if "opt" in name else min(repeats, 2))
        found = fit(n_items, rankings)
        gaps[name] = np.abs(found - found.mean() - res.params.to_numpy()).max()
        assert gaps[name] < AGREEMENT, f"{name} differs by {gaps[name]}"
    return pd.DataFrame(
        {
            "seconds": times,
            "times ours": {name: t / times["pwcstats"] for name, t in times.items()},
            "largest gap": gaps,
        }
    )


def with_ties(repeats):
    rows = []
    for n, n_items, length in ((1_000, 20, 5), (1_000, 100, 20), (5_000, 20, 10)):
        rankings = tie(make_rankings(n, n_items, length), 0.15)
        fit = PlackettLuce.from_orderings(rankings).fit
        times = best({method: partial(fit, method) for method in ("mle", "firth", "ghost")}, repeats)
        rows.append({"rankings": n, "items": n_items, "length": length, **times})
    return pd.DataFrame(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one run each, without opt_rankings and the last size")
    parser.add_argument("--json", type=Path, help="write the tables here too")
    options = parser.parse_args()
    repeats = 1 if options.quick else REPEATS
    tables = {}
    for n, n_items, length in SIZES[:-1] if options.quick else SIZES:
        title = f"{n:,} rankings of {length} of {n_items:,} items"
        tables[title] = one_size(n, n_items, length, repeats, options.quick)
        print(f"{title}\n\n{tables[title].to_string(float_format='{:.3g}'.format)}\n", flush=True)
    title = "Ties of up to 3 items, seconds"
    tables[title] = with_ties(repeats)
    print(f"{title}\n\n{tables[title].to_string(index=False, float_format='{:.3g}'.format)}")
    if options.json:
        options.json.write_text(json.dumps({k: table.to_dict() for k, table in tables.items()}, indent=1))


if __name__ == "__main__":
    main()
