"""Hybrids against one machine of all rows: time and accuracy by number of rows, one positive for nine negatives.

    python benchmarks/hybrid.py [--quick]

Positives are a normal cluster in ten dimensions, negatives are nine such clusters around it. "SVC" is
``SVC(kernel="rbf")`` on all rows, "weighted" is the same with ``class_weight="balanced"``, and "probability" is
calibrated, so that it gives probabilities, too. "hybrid" is ``HybridClassifier(threshold=0.5)`` with distances of the
fit: nine linear machines with C = 1, each of a fifth of the rows. "held out" has the default's held-out distances, with
six fits of each machine, and a threshold. Times are seconds for one fit on one thread and for one prediction of 5,000
rows: the best of several runs, in which the methods take turns. Balanced accuracy and log-loss are those of the 5,000
rows.

The second table compares the log-loss of new rows with distances of the fit and with held-out distances. The task is
the rarest class of six data sets against the rest; columns are standardised. Numbers are means of five splits with two
thirds of the rows for training.
"""

import argparse
from functools import partial

import numpy as np
import pandas as pd
from _timing import best
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from pwcstats import HybridClassifier
from pwcstats.datasets import load

SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
N_TEST = 5_000
DIMENSIONS, CLUSTERS, RADIUS = 10, 9, 3.0
# The default machine with C = 1, which is otherwise chosen.
LINEAR = make_pipeline(StandardScaler(), SVC(kernel="linear"))


def sample(n, seed):
    """Rows, and whether they are positive."""
    rng = np.random.default_rng(seed)
    directions = np.random.default_rng(7).normal(size=(CLUSTERS + 1, DIMENSIONS))
    centres = RADIUS * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    centres[0] = 0.0
    group = np.arange(n) % (CLUSTERS + 1)
    return centres[group] + rng.normal(size=(n, DIMENSIONS)), group == 0


def models():
    return {
        "SVC": SVC(),
        "weighted": SVC(class_weight="balanced"),
        "probability": CalibratedClassifierCV(SVC(), ensemble=False),
        "hybrid": HybridClassifier(LINEAR, n_clusters=CLUSTERS, threshold=0.5, distance_cv=None, random_state=0),
        "held out": HybridClassifier(LINEAR, n_clusters=CLUSTERS, threshold="cv", random_state=0),
    }


def rows(sizes):
    new, truth = sample(N_TEST, 1)
    for n in sizes:
        X, y = sample(n, 0)
        fitted = models()
        repeats = 3 if n <= 5_000 else 1
        fit = best({name: partial(clf.fit, X, y) for name, clf in fitted.items()}, repeats)
        predict = best({name: partial(clf.predict, new) for name, clf in fitted.items()}, repeats)
        for name, clf in fitted.items():
            proba = clf.predict_proba(new)[:, 1] if hasattr(clf, "predict_proba") else None
            yield {
                "rows": n,
                "method": name,
                "fit": fit[name],
                "predict": predict[name],
                "fit / SVC": fit[name] / fit["SVC"],
                "balanced accuracy": balanced_accuracy_score(truth, clf.predict(new)),
                "log-loss": np.nan if proba is None else log_loss(truth, proba),
            }


def distances(n_splits):
    """Log-loss of new rows by data set, kernel and kind of distances."""
    for name in ("wdbc", "digits", "satimage", "segment", "vehicle", "vowel"):
        data = load(name)
        X, target = data.data.to_numpy(), data.target.to_numpy()
        labels, counts = np.unique(target, return_counts=True)
        y = target == labels[np.argmin(counts)]
        for kernel in ("linear", "rbf"):
            losses = {"of the fit": [], "held out": []}
            for seed, (train, test) in enumerate(
                StratifiedShuffleSplit(n_splits, test_size=1 / 3, random_state=0).split(X, y)
            ):
                scaler = StandardScaler().fit(X[train])
                for way, cv in (("of the fit", None), ("held out", 5)):
                    clf = HybridClassifier(
                        SVC(kernel=kernel), n_clusters="ratio", distance_cv=cv, threshold=0.5, random_state=seed
                    )
                    clf.fit(scaler.transform(X[train]), y[train])
                    losses[way].append(log_loss(y[test], clf.predict_proba(scaler.transform(X[test]))))
            yield {"data": name, "kernel": kernel} | {way: np.mean(values) for way, values in losses.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="up to 5,000 rows, and one split in the second table")
    quick = parser.parse_args().quick
    with threadpool_limits(1):
        table = pd.DataFrame(rows(SIZES[:3] if quick else SIZES))
    print(table.round(4).to_string(index=False), end="\n\n")
    print(pd.DataFrame(distances(1 if quick else 5)).round(4).to_string(index=False))
