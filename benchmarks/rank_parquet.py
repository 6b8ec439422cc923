"""Time and peak memory of a ranking of 100 million games in a Parquet file.

    python benchmarks/rank_parquet.py [--games N] [--items N] [--opponents N] [--quick]

A polars LazyFrame and a DuckDB relation count the comparisons of each pair; the fit needs only these counts. Each
engine runs in a process of its own, whose peak memory includes the group-by, the fit and all imports.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

CHUNK = 5_000_000
TIES = 0.1
LIMIT = 4.0


def write_games(path, n_items, n_games, n_opponents, seed=0):
    """Games of items with string labels; each item goes first against `n_opponents` others."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(seed)
    ability = 0.5 * rng.normal(size=n_items)
    names = pa.array([f"model-{k:06d}" for k in range(n_items)])
    outcomes = pa.array(["model_a", "model_b", "tie"])
    writer = None
    for start in range(0, n_games, CHUNK):
        n = min(CHUNK, n_games - start)
        a = rng.integers(n_items, size=n)
        # Distances are spread out, so that all items are connected by short chains.
        b = (a + rng.integers(1, n_opponents + 1, size=n) ** 2) % n_items
        lost = rng.random(n) > 1 / (1 + np.exp(ability[b] - ability[a]))
        outcome = np.where(rng.random(n) < TIES, 2, lost)
        table = pa.table(
            {
                "model_a": names.take(pa.array(a)),
                "model_b": names.take(pa.array(b)),
                "winner": outcomes.take(pa.array(outcome)),
            }
        )
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table, row_group_size=1_000_000)
    writer.close()


def by_polars(path):
    import polars as pl

    return pl.scan_parquet(path)


def by_duckdb(path):
    import duckdb

    return duckdb.connect().sql(f"select * from '{path}'")


ENGINES = {"polars": by_polars, "duckdb": by_duckdb}


def peak():
    """Peak memory of this process in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def one_engine(name, path):
    """Seconds and peak memory; run in a process of its own."""
    from pwcstats import BradleyTerry

    start = time.perf_counter()
    model = BradleyTerry.from_comparisons(ENGINES[name](path))
    counted, counted_peak = time.perf_counter() - start, peak()
    start = time.perf_counter()
    res = model.fit(ties="davidson", cov="diag")
    return {
        "engine": name,
        "items": model.n_items,
        "games": model.nobs,
        "groups": len(model._rows.winner),
        "distinct pairs": len(res._likelihood.table.first),
        "group-by, s": counted,
        "fit with cov='diag', s": time.perf_counter() - start,
        "largest error of an s.e.": res.bse_error.max(),
        "peak memory of the group-by, GiB": counted_peak,
        "peak memory, GiB": peak(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=100_000_000)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--opponents", type=int, default=50, help="each item also goes second against as many others")
    parser.add_argument("--engine", choices=ENGINES, action="append", help="by default all")
    parser.add_argument("--quick", action="store_true", help="a million games of 2,000 items")
    parser.add_argument("--json", type=Path, help="write the table here too")
    parser.add_argument("--one-engine", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one_engine:
        print(json.dumps(one_engine(*options.one_engine)))
        return
    n_items, n_games = (2_000, 1_000_000) if options.quick else (options.items, options.games)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.parquet"
        write_games(path, n_items, n_games, options.opponents)
        rows = []
        for name in options.engine or ENGINES:
            command = [sys.executable, __file__, "--one-engine", name, str(path)]
            rows.append(json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout))
        size = path.stat().st_size / 2**20
    table = pd.DataFrame(rows)
    print(f"Parquet file of {size:.0f} MiB\n\n{table.T.to_string(float_format='{:.4g}'.format, header=False)}")
    assert table["peak memory, GiB"].max() < LIMIT, f"more than {LIMIT} GiB"
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
