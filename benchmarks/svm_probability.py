"""Probabilities of support vector machines: log-loss and accuracy of four ways to get them, on the same splits.

    python benchmarks/svm_probability.py [--quick]

Ours is ``PairwiseClassifier(SVC())``; LIBSVM's is ``SVC(probability=True)``; one-vs-rest is
``CalibratedClassifierCV(SVC(), ensemble=False)``, whose sigmoids, one for each class, see the votes of the pairwise
machines, which SVC turns into one column per class; "OvR machines" is the same around ``OneVsRestClassifier(SVC())``,
whose machines also tell one class from the rest. Columns are standardised by the training rows. Each split has two
thirds of the rows for training, stratified. Differences are tested by the resampled t-test with the correction of
Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52: the variance of J differences
times 1/J + n_test/n_train. "Within noise" means a two-sided p of at least 0.05.
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pwcstats import PairwiseClassifier
from pwcstats.datasets import load

SETS = ("iris", "wine", "digits", "vehicle", "vowel", "segment")
PEERS = ("LIBSVM", "one-vs-rest", "OvR machines")
REPEATS = 10
# As the columns are standardised, gamma="scale" is one over their number; 0.01 is a wider kernel for all sets.
SETTINGS = {"SVC()": {}, "SVC(C=10)": {"C": 10}, "SVC(C=100, gamma=0.01)": {"C": 100, "gamma": 0.01}}
SIGNIFICANT = 0.05


def models(options, seed):
    """The four estimators, for standardised columns."""
    return {
        "ours": PairwiseClassifier(SVC(**options)),
        "LIBSVM": SVC(**options, probability=True, random_state=seed),
        "one-vs-rest": CalibratedClassifierCV(SVC(**options), ensemble=False),
        "OvR machines": CalibratedClassifierCV(OneVsRestClassifier(SVC(**options)), ensemble=False),
    }


def scores(name, options, repeats):
    """Log-loss and accuracy of each way on each split, and the ratio of test to training rows."""
    data = load(name)
    x, y = data.data.to_numpy(), data.target.to_numpy()
    found = {}
    splits = StratifiedShuffleSplit(repeats, test_size=1 / 3, random_state=0)
    for seed, (train, test) in enumerate(splits.split(x, y)):
        for way, model in models(options, seed).items():
            with warnings.catch_warnings():
                # scikit-learn 1.9 deprecates probability=True.
                warnings.filterwarnings("ignore", message=".*probability", category=FutureWarning)
                proba = make_pipeline(StandardScaler(), model).fit(x[train], y[train]).predict_proba(x[test])
            loss = log_loss(y[test], proba, labels=model.classes_)
            found.setdefault(("log-loss", way), []).append(loss)
            right = accuracy_score(y[test], model.classes_[proba.argmax(axis=1)])
            found.setdefault(("accuracy", way), []).append(right)
    return {key: np.array(values) for key, values in found.items()}, len(test) / len(train)


def corrected_test(differences, ratio):
    """Mean difference and two-sided p of Nadeau and Bengio's corrected resampled t-test."""
    n = len(differences)
    variance = differences.var(ddof=1) * (1 / n + ratio)
    mean = differences.mean()
    if variance == 0.0:
        return mean, 1.0 if mean == 0.0 else 0.0
    return mean, 2 * stats.t.sf(abs(mean) / np.sqrt(variance), n - 1)


def compare(options, repeats):
    """A row of means and standard deviations for each set, and a row of tests for each set, score and peer."""
    means, tests = [], []
    for name in SETS:
        found, ratio = scores(name, options, repeats)
        means.append({"data": name, **{f"{score}, {way}": v for (score, way), v in found.items()}})
        for score in ("log-loss", "accuracy"):
            for peer in PEERS:
                gap, p = corrected_test(found[score, "ours"] - found[score, peer], ratio)
                better = gap < 0 if score == "log-loss" else gap > 0
                verdict = "within noise" if p >= SIGNIFICANT else "better" if better else "worse"
                row = {"data": name, "score": score, "ours -": peer, "difference": gap, "p": p}
                tests.append({**row, "ahead": bool(better), "ours is": verdict})
    return means, tests


def summary(tests):
    """On how many sets ours is better, worse, or neither."""
    lines = []
    for score in ("log-loss", "accuracy"):
        for peer in PEERS:
            rows = [row for row in tests if row["score"] == score and row["ours -"] == peer]
            counts = {kind: sum(row["ours is"] == kind for row in rows) for kind in ("better", "worse", "within noise")}
            ahead = sum(row["ahead"] for row in rows)
            said = ", ".join(f"{kind} on {count}" for kind, count in counts.items())
            lines.append(f"{score}, ours against {peer}: {said} of {len(rows)} sets; its mean is ahead on {ahead}.")
    return lines


def show(setting, repeats, means, tests):
    print(f"{setting}, mean (sd) of {repeats} splits\n")
    cells = [
        {key: v if isinstance(v, str) else f"{v.mean():.3f} ({v.std(ddof=1):.3f})" for key, v in row.items()}
        for row in means
    ]
    for score in ("log-loss", "accuracy"):
        table = pd.DataFrame(cells).set_index("data").filter(like=f"{score}, ")
        print(table.rename(columns=lambda name: name.split(", ")[1]).rename_axis(score).to_string(), end="\n\n")
    print("Corrected resampled t-tests of ours less a peer's\n")
    print(pd.DataFrame(tests).drop(columns="ahead").to_string(index=False, float_format="{:.4f}".format), end="\n\n")
    print("\n".join(summary(tests)), end="\n\n", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="three splits, default settings only")
    parser.add_argument("--json", type=Path, help="write the tables here too")
    options = parser.parse_args()
    repeats = 3 if options.quick else REPEATS
    written = {}
    for setting in list(SETTINGS)[:1] if options.quick else SETTINGS:
        means, tests = compare(SETTINGS[setting], repeats)
        show(setting, repeats, means, tests)
        splits = [{key: v if isinstance(v, str) else v.tolist() for key, v in row.items()} for row in means]
        written[setting] = {"splits": splits, "tests": tests}
    if options.json:
        options.json.write_text(json.dumps(written, indent=1))


if __name__ == "__main__":
    main()
