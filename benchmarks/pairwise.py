"""PairwiseClassifier against its peers: seconds on one thread, best of several, all measured in the same run.

    python benchmarks/pairwise.py [--quick]

- Choice between LDA and naive Bayes on each of letter's 325 pairs, against a plain loop of scikit-learn's
  ``cross_val_score`` over pairs and candidates, which must make the same choices and give the same probabilities.
- Probabilities of an SVC, against ``SVC(probability=True)``, LIBSVM's own, and ``CalibratedClassifierCV``, one-vs-rest.
- Pairwise discriminant analysis, against scikit-learn's K-class learners and its ``OneVsOneClassifier``.
- Predictions of linear learners: probabilities of ours, against the votes of ``OneVsOneClassifier``.
- Growth of the cost with the number of classes, and the memory that prediction needs.
"""

import argparse
import json
import multiprocessing
import resource
import time
import tracemalloc
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from _timing import best
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split
from sklearn.multiclass import OneVsOneClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

from pwcstats import PairwiseClassifier, couple
from pwcstats.datasets import load

CANDIDATES = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}
CLASSES = (5, 10, 20, 50, 100)
ROWS_A_CLASS, COLUMNS, NEW_ROWS = 100, 10, 1000
# Rows, classes and columns of the prediction whose memory is measured.
MANY = (1_000_000, 100, 5)


def halves(name):
    """Training and test rows of a data set, standardised: the published ones, or two thirds and a third."""
    data = load(name)
    x, y = data.data.to_numpy(), data.target.to_numpy()
    train = data.get("train")
    if train is None:
        rows = train_test_split(np.arange(len(y)), test_size=1 / 3, stratify=y, random_state=0)[0]
        train = np.isin(np.arange(len(y)), rows)
    scaler = StandardScaler().fit(x[train])
    return scaler.transform(x[train]), y[train], scaler.transform(x[~train]), y[~train]


def plain_loop(x, y, n_folds=3):
    """What a user would write: for each pair, the candidate that cross_val_score finds best, fitted to the pair."""
    folds = list(StratifiedKFold(n_folds).split(x, y))
    classes = np.unique(y)
    low, high = np.triu_indices(len(classes), 1)
    chosen, learners, n = [], [], []
    for i, j in zip(classes[low], classes[high], strict=True):
        rows = np.flatnonzero((y == i) | (y == j))
        x_pair, y_pair = x[rows], y[rows]
        splits = [tuple(np.flatnonzero(np.isin(rows, part)) for part in fold) for fold in folds]
        scores = {name: cross_val_score(c, x_pair, y_pair, cv=splits).mean() for name, c in CANDIDATES.items()}
        chosen.append(max(scores, key=scores.get))
        learners.append(clone(CANDIDATES[chosen[-1]]).fit(x_pair, y_pair))
        n.append(len(rows))
    return chosen, learners, np.array(n, dtype=float)


def choosing(repeats):
    """Letter: choice of a learner for each pair."""
    data = load("letter")
    x, y = data.data.to_numpy(), data.target.to_numpy()
    fast, slow = (PairwiseClassifier(CANDIDATES, coupling="ht", fast=fast).fit(x, y) for fast in (True, False))
    chosen, learners, n = plain_loop(x, y)
    assert list(fast.pairs_["learner"]) == chosen == list(slow.pairs_["learner"]), "different choices"
    r = np.column_stack([learner.predict_proba(x)[:, 0] for learner in learners])
    expected = couple(r, "ht", condensed=True, n=n)
    gap = max(np.abs(clf.predict_proba(x) - expected).max() for clf in (fast, slow))
    assert gap < 1e-8, f"probabilities differ by {gap}"
    calls = {"ours": fast.fit, "ours, fast=False": slow.fit, "plain loop": plain_loop}
    times = best({name: partial(call, x, y) for name, call in calls.items()}, repeats)
    rows = [{"fit": name, "seconds": t, "times ours": t / times["ours"]} for name, t in times.items()]
    return rows, f"The same {len(chosen)} choices ({chosen.count('nb')} of them nb); probabilities differ by {gap:.1e}."


def machines(repeats):
    """Digits and satimage: probabilities of a support vector machine."""
    rows = []
    for name in ("digits", "satimage"):
        x, y, new, _ = halves(name)
        models = {
            "ours": PairwiseClassifier(SVC()),
            "LIBSVM": SVC(probability=True, random_state=0),
            "one-vs-rest": CalibratedClassifierCV(SVC(), ensemble=False),
        }
        for model in models.values():
            model.fit(x, y).predict_proba(new)
        fits = best({key: partial(model.fit, x, y) for key, model in models.items()}, repeats)
        answers = best({key: partial(model.predict_proba, new) for key, model in models.items()}, 3 * repeats)
        for step, times in (("fit", fits), ("predict_proba", answers)):
            ratios = {f"ours / {peer}": times["ours"] / times[peer] for peer in ("LIBSVM", "one-vs-rest")}
            rows.append({"data": name, "step": step, **times, **ratios})
    return rows


def discriminants(repeats):
    """Letter: pairwise discriminant analysis, and scikit-learn's of all classes at once."""
    x, y, new, truth = halves("letter")
    lda, qda, nb = LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB()
    models = {
        "pairwise LDA": PairwiseClassifier(lda),
        "pairwise LDA or nb": PairwiseClassifier(CANDIDATES),
        "pairwise QDA": PairwiseClassifier(qda),
        "pairwise LDA, fast=False": PairwiseClassifier(lda, fast=False),
        "OneVsOneClassifier(LDA)": OneVsOneClassifier(lda),
        "LDA": lda,
        "QDA": qda,
        "GaussianNB": nb,
    }
    for model in models.values():
        model.fit(x, y).predict(new[:50])
    fits = best({name: partial(model.fit, x, y) for name, model in models.items()}, repeats)
    answers = best({name: partial(model.predict, new) for name, model in models.items()}, repeats)
    rows = []
    for name, model in models.items():
        row = {"model": name, "fit": fits[name], "predict": answers[name], "accuracy": model.score(new, truth)}
        known = hasattr(model, "predict_proba")
        rows.append({**row, "log-loss": log_loss(truth, model.predict_proba(new)) if known else None})
    return rows


def linear_learners(repeats):
    """Twenty classes: one matrix product for all pairs, against two predictions of each pair."""
    x, y, new = normal_classes(20, 50, 100, 20_000)
    texts = sparse.random(5000, 10_000, 0.01, "csr", random_state=0)
    topics = np.random.default_rng(0).integers(20, size=5000)
    cases = {
        "LogisticRegression": (LogisticRegression(), x, y, new),
        "LinearSVC": (LinearSVC(), x, y, new),
        "scaled LogisticRegression": (make_pipeline(StandardScaler(), LogisticRegression()), x, y, new),
        "LogisticRegression, sparse": (LogisticRegression(), texts, topics, texts),
        "LinearSVC, sparse": (LinearSVC(), texts, topics, texts),
    }
    rows = []
    for name, (learner, rows_in, classes, rows_out) in cases.items():
        models = {
            "ours": PairwiseClassifier(learner).fit(rows_in, classes),
            "ours, fast=False": PairwiseClassifier(learner, fast=False).fit(rows_in, classes),
            "OneVsOneClassifier": OneVsOneClassifier(learner).fit(rows_in, classes),
        }
        for n in (1, 5000, 20_000):
            if n > rows_out.shape[0]:
                break
            calls = {
                key: model.predict_proba if key.startswith("ours") else model.predict for key, model in models.items()
            }
            times = best({key: partial(call, rows_out[:n]) for key, call in calls.items()}, repeats)
            ratio = times["ours"] / times["OneVsOneClassifier"]
            rows.append({"learner": name, "columns": rows_in.shape[1], "new rows": n, **times, "ratio": ratio})
    return rows


def normal_classes(n_classes, n_columns, rows_a_class, n_new, seed=0):
    """Normal classes with random centres, and new rows of them."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=1.5, size=(n_classes, n_columns))
    y = np.repeat(np.arange(n_classes), rows_a_class)
    x = centres[y] + rng.normal(size=(len(y), n_columns))
    return x, y, centres[rng.integers(n_classes, size=n_new)] + rng.normal(size=(n_new, n_columns))


# Growth in K for a fixed number of rows of each class; new rows are as many for all K.
GROWTH = {
    ("SVC", "fit"): "K^2 small machines, each six times",
    ("SVC", "predict"): "K^2; wlw2: K^3 with a small constant",
    ("SVC(probability=True)", "fit"): "K^2 small machines, each six times",
    ("SVC(probability=True)", "predict"): "K^2 a step of its coupling",
    ("LDA or nb", "fit"): "K^2: covariances of pairs; K n rows in K pairs each",
    ("LDA or nb", "predict"): "K^2; wlw2: K^3 with a small constant",
    ("logistic regression", "fit"): "K^2 small fits",
    ("logistic regression", "predict"): "K^2; wlw2: K^3 with a small constant",
}


def growth(classes, repeats):
    """Cost as the number of classes grows."""
    table = {key: {} for key in GROWTH}
    for k in classes:
        x, y, new = normal_classes(k, COLUMNS, ROWS_A_CLASS, NEW_ROWS)
        models = {
            "SVC": PairwiseClassifier(SVC()),
            "SVC(probability=True)": SVC(probability=True, random_state=0),
            "LDA or nb": PairwiseClassifier(CANDIDATES),
            "logistic regression": PairwiseClassifier(LogisticRegression()),
        }
        turns = repeats if k <= 20 else 1
        fits = best({name: partial(model.fit, x, y) for name, model in models.items()}, turns)
        answers = best({name: partial(model.predict_proba, new) for name, model in models.items()}, turns + 1)
        for name in models:
            table[name, "fit"][k], table[name, "predict"][k] = fits[name], answers[name]
    first, last = classes[-3], classes[-1]
    rows = []
    for (name, step), seconds in table.items():
        power = np.log(seconds[last] / seconds[first]) / np.log(last / first)
        columns = {f"K = {k}": seconds[k] for k in classes}
        row = {"learner": name, "step": step, **columns, f"power, {first} to {last}": power}
        rows.append({**row, "in theory": GROWTH[name, step]})
    return rows


def predict_many(n, n_classes, n_columns, traced):
    """Seconds and peak bytes of one prediction: what numpy asked for in it, or what the process ever had."""
    x, y, _ = normal_classes(n_classes, n_columns, 50, 0)
    clf = PairwiseClassifier(CANDIDATES, n_jobs=2).fit(x, y)
    new = np.resize(x, (n, n_columns))
    clf.predict_proba(new[:100])
    if traced:
        tracemalloc.start()
    start = time.perf_counter()
    proba = clf.predict_proba(new)
    seconds = time.perf_counter() - start
    assert np.abs(proba.sum(axis=1) - 1.0).max() < 1e-9
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return seconds, tracemalloc.get_traced_memory()[1] if traced else 1024 * kilobytes


def memory(n):
    """Peak memory of a large prediction, in processes of their own."""
    _, n_classes, n_columns = MANY
    context = multiprocessing.get_context("spawn")
    found = []
    for traced in (True, False):
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            found.append(pool.submit(predict_many, n, n_classes, n_columns, traced).result())
    (_, traced), (seconds, resident) = found
    return [
        {
            "rows": n,
            "K": n_classes,
            "seconds, 2 threads": seconds,
            "input + output, GB": 8e-9 * n * (n_columns + n_classes),
            "allocated in the call, GB": 1e-9 * traced,
            "resident, GB": 1e-9 * resident,
            "an (n, K, K) array, GB": 8e-9 * n * n_classes**2,
        }
    ]


def show(title, rows, *remarks):
    print(f"{title}\n\n{pd.DataFrame(rows).to_string(index=False, float_format='{:.3g}'.format)}\n", flush=True)
    for remark in remarks:
        print(f"{remark}\n", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repeats, up to 20 classes, 100,000 rows")
    parser.add_argument("--json", type=Path, help="write the tables here too")
    options = parser.parse_args()
    repeats = 1 if options.quick else 3
    # scikit-learn 1.9 deprecates probability=True.
    warnings.filterwarnings("ignore", message=".*probability", category=FutureWarning)
    tables = {}
    with threadpool_limits(1):
        tables["choosing"], remark = choosing(repeats)
        show("Choosing LDA or naive Bayes on each pair of letter, 3 folds", tables["choosing"], remark)
        tables["machines"] = machines(5 * repeats)
        show("Probabilities of SVC(), seconds", tables["machines"])
        tables["discriminants"] = discriminants(repeats)
        show("Discriminant analysis on letter, seconds", tables["discriminants"])
        tables["linear"] = linear_learners(3 * repeats)
        show("Linear learners of 20 classes: predict_proba of ours, predict of OneVsOneClassifier", tables["linear"])
        tables["growth"] = growth(CLASSES[:3] if options.quick else CLASSES, repeats)
        title = f"Normal classes, {ROWS_A_CLASS} rows each, {COLUMNS} columns, {NEW_ROWS} new rows: seconds"
        ours, theirs = (row for row in tables["growth"] if row["step"] == "fit" and row["learner"].startswith("SVC"))
        ratios = ", ".join(f"{ours[key] / theirs[key]:.2f} at {key}" for key in ours if key.startswith("K = "))
        show(title, tables["growth"], f"Fit of SVC, ours / LIBSVM's: {ratios}.")
    tables["memory"] = memory(MANY[0] // 10 if options.quick else MANY[0])
    show("Memory of predict_proba, LDA or naive Bayes on each pair", tables["memory"])
    if options.json:
        options.json.write_text(json.dumps(tables, indent=1))


if __name__ == "__main__":
    main()
