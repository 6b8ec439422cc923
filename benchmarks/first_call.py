"""Time to the first result in a new process, in milliseconds: the best of several processes, taken in turns.

    python benchmarks/first_call.py [--quick]

Each row is a process of its own. "import" is the time of the import statements; "first call" and "second call" are the
times of the same call, and a difference between them is work that is done once per process, such as imports on demand
and compilation. Folders for caches are empty. The other packages are scikit-learn, statsmodels, firthmodels and
evalica. Two lines below the table compare imports.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

REPEATS = 7

CLASSES = """
import numpy as np
y = np.repeat([0, 1, 2], 50)
X = np.random.default_rng(0).normal(size=(150, 4)) + y[:, None]
"""
GAMES = """
import numpy as np
import pandas as pd
rng = np.random.default_rng(0)
a = rng.integers(20, size=2_000)
b = (a + rng.integers(1, 20, size=2_000)) % 20
games = pd.DataFrame({"winner": a, "loser": b}).astype(str)
"""
ROWS_OF_TABLE = """
import numpy as np
rng = np.random.default_rng(0)
x = rng.normal(size=(100, 5))
y = (x[:, 0] + rng.logistic(size=100) > 0).astype(int)
full = np.column_stack([np.ones(100), x])
"""
PAIRS = """
import numpy as np
r = np.random.default_rng(0).uniform(0.1, 0.9, size=(100, 45))
"""
# For each row: import statements, data that are made while the clock is stopped, and the call.
ROWS = {
    "numpy and pandas": ("import numpy, pandas", "", ""),
    "sklearn.svm": ("import sklearn.svm", "", ""),
    "statsmodels.api": ("import statsmodels.api", "", ""),
    "pwcstats": ("import pwcstats", "", ""),
    "couple": ("from pwcstats import couple", PAIRS, "couple(r, condensed=True)"),
    'couple, method="ht"': ("from pwcstats import couple", PAIRS, 'couple(r, "ht", condensed=True)'),
    "PairwiseClassifier(SVC())": (
        "from sklearn.svm import SVC; from pwcstats import PairwiseClassifier",
        CLASSES,
        "PairwiseClassifier(SVC()).fit(X, y).predict_proba(X)",
    ),
    "HybridClassifier": (
        "from pwcstats import HybridClassifier",
        CLASSES,
        "HybridClassifier().fit(X, y).predict_proba(X)",
    ),
    "BradleyTerry": (
        "from pwcstats import BradleyTerry",
        GAMES,
        'BradleyTerry.from_comparisons(games, winner="winner", loser="loser").fit().bse',
    ),
    "FirthLogit": ("from pwcstats import FirthLogit", ROWS_OF_TABLE, "FirthLogit(y, full).fit().params"),
    "scikit-learn SVC": ("from sklearn.svm import SVC", CLASSES, "SVC().fit(X, y).decision_function(X)"),
    "evalica bradley_terry": (
        "import evalica",
        GAMES,
        'evalica.bradley_terry(games["winner"], games["loser"], [evalica.Winner.X] * len(games))',
    ),
    "statsmodels Logit": ("from statsmodels.api import Logit", ROWS_OF_TABLE, "Logit(y, full).fit(disp=0).params"),
    "firthmodels": (
        "from firthmodels import FirthLogisticRegression",
        ROWS_OF_TABLE,
        "FirthLogisticRegression().fit(x, y).coef_",
    ),
}
SCRIPT = """
from time import perf_counter
times = [perf_counter()]
{imports}
times.append(perf_counter())
{data}
for _ in range(2):
    times.append(perf_counter())
    {call}
    times.append(perf_counter())
print([times[k + 1] - times[k] for k in (0, 2, 4)])
"""


def in_new_process(imports, data, call):
    """Seconds of the imports, of the first call and of the second."""
    script = SCRIPT.format(imports=imports, data=data, call=call or "pass")
    with tempfile.TemporaryDirectory() as empty:
        caches = {name: empty for name in ("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR", "MPLCONFIGDIR")}
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, env=os.environ | caches, cwd=empty, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer processes")
    parser.add_argument("--json", type=Path, help="write the table here too")
    options = parser.parse_args()
    repeats = 2 if options.quick else REPEATS
    runs = np.array([[in_new_process(*row) for row in ROWS.values()] for _ in range(repeats)])
    table = pd.DataFrame(1e3 * runs.min(axis=0), index=list(ROWS), columns=["import", "first call", "second call"])
    table["import and first call"] = 1e3 * runs[:, :, :2].sum(axis=2).min(axis=0)
    table.loc[[name for name, row in ROWS.items() if not row[2]], ["first call", "second call"]] = np.nan
    print("milliseconds\n")
    print(table.to_string(float_format="{:.1f}".format, na_rep=""))
    total = table["import and first call"]
    print(f"\ncouple, with its import / import sklearn.svm: {total['couple'] / total['sklearn.svm']:.2f}")
    print(f"import pwcstats - import numpy, pandas: {total['pwcstats'] - total['numpy and pandas']:.0f} ms")
    if options.json:
        options.json.write_text(json.dumps(table.to_dict("index"), indent=1))


if __name__ == "__main__":
    main()
