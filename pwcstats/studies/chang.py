"""Chang (2003): Tables 1 to 5, Figures 4 and 5."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix, precision_recall_curve, precision_recall_fscore_support
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import Bunch

from pwcstats import plot
from pwcstats._validate.common import Array
from pwcstats.classify import HybridClassifier, OrdinalHybridClassifier, PairwiseClassifier
from pwcstats.classify.cutoff import by_share
from pwcstats.datasets import chang_clover, chang_ordered, load

__all__ = ["PAPER_1", "PAPER_2", "PAPER_3", "clover", "figure4", "figure5", "ordered", "pen_digits", "wdbc"]

# Cases called positive and accuracy (per cent) of the hybrid, by d; Table 1, where the groups are known.
PAPER_1 = {
    0.5: (191, 70.9), 1.0: (143, 76.3), 1.5: (190, 81.0), 2.0: (209, 89.1), 3.0: (199, 97.5), 4.0: (200, 99.6),
    4.5: (199, 99.9),
}  # fmt: skip
# The same by number of k-means clusters and d; Table 2.
PAPER_2 = {
    (3, 0.5): (124, 74.0), (3, 1.0): (181, 74.5), (3, 1.5): (200, 80.8), (3, 2.0): (196, 87.4), (3, 3.0): (200, 95.4),
    (3, 4.0): (201, 98.9), (4, 0.5): (125, 74.7), (4, 1.0): (211, 74.7), (4, 1.5): (199, 82.9), (4, 2.0): (201, 87.9),
    (4, 3.0): (201, 96.9), (4, 4.0): (200, 99.8), (5, 0.5): (150, 73.2), (5, 1.0): (206, 72.2), (5, 1.5): (200, 81.6),
    (5, 2.0): (208, 88.0), (5, 3.0): (201, 97.1), (5, 4.0): (201, 99.9),
}  # fmt: skip
# F of groups 0 to 4, by d; Table 3.
PAPER_3 = {
    0.5: (0.459, 0.405, 0.349, 0.217, 0.459), 2.0: (0.886, 0.711, 0.670, 0.707, 0.856),
    4.0: (0.977, 0.946, 0.951, 0.961, 0.978),
}  # fmt: skip


def clover(
    distances: Sequence[float] = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 4.5),
    clusters: Sequence[int] = (3, 4, 5),
    *,
    layout: Literal["diagonal", "printed"] = "diagonal",
    seeds: int = 20,
    integrator: str = "multinomial",
) -> pd.DataFrame:
    """Study 1: a positive group among four negative ones, with known groups and with k-means (Tables 1 and 2).

    Parameters
    ----------
    distances : sequence of float
        How far the groups are apart.
    clusters : sequence of int
        Numbers of k-means clusters, besides the four known groups.
    layout : {"diagonal", "printed"}
        Where the negative groups are, see :func:`pwcstats.datasets.chang_clover`.
    seeds : int
        Runs, each with its own training and test rows.
    integrator : str
        That of :class:`HybridClassifier`.

    Returns
    -------
    DataFrame
        A row for each distance, method ("hybrid" with known groups, "hybrid k=3", ..., "SVM R", "SVM L") and operating
        point: "prevalence" (as many training cases called positive as are), "paper" (as many test cases called positive
        as in the paper, where it says), or "own" (SVM). Columns tn, fp, fn, tp, accuracy (means over the runs), sd
        (of the accuracy), and paper (its accuracy).
    """

    def rows() -> Iterator[dict[str, Any]]:
        for d in distances:
            for seed in range(seeds):
                sample = chang_clover(d, layout=layout, random_state=seed)
                for method, point, called in _clover_methods(sample, d, clusters, seed, integrator):
                    table = confusion_matrix(sample.target[~sample.train] == 0, called).ravel()
                    yield {"d": d, "method": method, "point": point} | dict(
                        zip(("tn", "fp", "fn", "tp"), table, strict=True)
                    )

    runs = pd.DataFrame(rows())
    runs["accuracy"] = 100.0 * (runs["tn"] + runs["tp"]) / runs[["tn", "fp", "fn", "tp"]].sum(axis=1)
    grouped = runs.groupby(["d", "method", "point"], sort=False)
    found = grouped.mean()
    found["sd"] = grouped["accuracy"].std()
    found["paper"] = [_printed(method, d)[1] for d, method, _ in found.index]
    return found.reset_index()


def figure4(clusters: Sequence[int] = (3, 4, 5), *, d: float = 4.0, runs: int = 10) -> Figure:
    """ROC curves of Study 1: single runs and their mean, a panel for each number of clusters.

    Parameters
    ----------
    clusters : sequence of int
        Numbers of k-means clusters.
    d : float
        How far the groups are apart.
    runs : int
        Runs, each with its own training and test rows.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, panels = _row(len(clusters))
    samples = [chang_clover(d, random_state=seed) for seed in range(runs)]
    for panel, k in zip(panels, clusters, strict=True):
        plot.roc(
            [_hybrid(sample, k, seed) for seed, sample in enumerate(samples)],
            [sample.data[~sample.train] for sample in samples],
            [sample.target[~sample.train] == 0 for sample in samples],
            ax=panel,
        )
        panel.set_title(f"k = {k}", fontsize=11)
    return figure


def figure5(clusters: Sequence[int] = (3, 4, 5), *, d: float = 1.5, random_state: int = 0) -> Figure:
    """Clusters of the negatives of Study 1 and the borders of the local machines.

    Parameters
    ----------
    clusters : sequence of int
        Numbers of k-means clusters, a panel each.
    d : float
        How far the groups are apart.
    random_state : int
        Seed.

    Returns
    -------
    matplotlib.figure.Figure
    """
    # Legends stand beside the panels.
    figure, panels = _row(len(clusters), width=6.2)
    sample = chang_clover(d, random_state=random_state)
    for panel, k in zip(panels, clusters, strict=True):
        plot.clusters(_hybrid(sample, k, random_state), sample.data[sample.train], ax=panel)
        panel.set_title(f"k = {k}", fontsize=11)
    return figure


def _row(n: int, width: float = 4.2) -> tuple[Figure, Any]:
    figure = Figure(figsize=(width * n, 4.2), layout="constrained")
    return figure, figure.subplots(1, n, squeeze=False)[0]


def _hybrid(sample: Bunch, k: int, seed: int) -> HybridClassifier:
    """Procedure I on the training rows, as the paper has it."""
    clf = HybridClassifier(n_clusters=k, threshold=0.5, distance_cv=None, random_state=seed)
    return clf.fit(sample.data[sample.train], sample.target[sample.train] == 0)


def _clover_methods(
    sample: Bunch, d: float, clusters: Sequence[int], seed: int, integrator: str
) -> Iterator[tuple[str, str, NDArray[np.bool_]]]:
    """What each method calls positive among the test rows."""
    x, positive, new = sample.data[sample.train], (sample.target == 0)[sample.train], sample.data[~sample.train]
    for k in (None, *clusters):
        method = "hybrid" if k is None else f"hybrid k={k}"
        clf = HybridClassifier(
            n_clusters=k or "auto", integrator=integrator, threshold=0.5, distance_cv=None, random_state=seed
        )
        clf.fit(x, positive, clusters=sample.target[sample.train] if k is None else None)
        proba = clf.predict_proba(new)[:, 1]
        yield method, "prevalence", proba > by_share(clf.predict_proba(x)[:, 1], positive)
        count, _ = _printed(method, d)
        if count:
            yield method, "paper", _largest(proba, count)
    yield "SVM R", "own", SVC().fit(x, positive).predict(new)
    yield "SVM L", "own", SVC(kernel="linear").fit(x, positive).predict(new)


def _printed(method: str, d: float) -> tuple[int, float]:
    """Cases called positive, and the accuracy, in the paper; 0 and nan where it has none."""
    if method == "hybrid":
        return PAPER_1.get(d, (0, np.nan))
    if method.startswith("hybrid k="):
        return PAPER_2.get((int(method.removeprefix("hybrid k=")), d), (0, np.nan))
    return 0, np.nan


def _largest(proba: Array, count: int) -> NDArray[np.bool_]:
    """The given number of largest probabilities."""
    called = np.zeros(len(proba), np.bool_)
    called[np.argsort(-proba, kind="stable")[:count]] = True
    return called


def ordered(distances: Sequence[float] = (0.5, 2.0, 4.0), *, seeds: int = 20) -> pd.DataFrame:
    """Study 2: five ordered groups (Table 3).

    Parameters
    ----------
    distances : sequence of float
        How far neighbouring groups are apart.
    seeds : int
        Runs, each with its own training and test rows.

    Returns
    -------
    DataFrame
        Mean accuracy, precision, recall and F of each group by d and rule: "argmax", a partition of the cases; or
        "thresholds", where each group is cut at the probability that is best for its F in training, so that a case
        may be in several groups or in none. The latter is what the paper's counts say that it did. Column paper
        has its F.
    """

    def rows() -> Iterator[dict[str, Any]]:
        for d in distances:
            for seed in range(seeds):
                sample = chang_ordered(d, random_state=seed)
                for rule, called in _ordered_rules(sample):
                    for group in range(5):
                        truth = sample.target[~sample.train] == group
                        scores = precision_recall_fscore_support(
                            truth, called[:, group], average="binary", zero_division=0.0
                        )
                        yield {
                            "d": d,
                            "group": group,
                            "rule": rule,
                            "accuracy": (truth == called[:, group]).mean(),
                        } | dict(zip(("precision", "recall", "f"), scores, strict=False))

    found = pd.DataFrame(rows()).groupby(["rule", "d", "group"], sort=False).mean().reset_index()
    printed = {(d, group): f for d, row in PAPER_3.items() for group, f in enumerate(row)}
    return found.assign(paper=[printed.get(key, np.nan) for key in zip(found["d"], found["group"], strict=True)])


def _ordered_rules(sample: Bunch) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Which test rows each rule puts into each group."""
    x, y, new = sample.data[sample.train], sample.target[sample.train], sample.data[~sample.train]
    clf = OrdinalHybridClassifier(distance_cv=None).fit(x, y)
    proba = clf.predict_proba(new)
    yield "argmax", clf.predict(new)[:, None] == clf.classes_
    trained = clf.predict_proba(x)
    cuts = [_best_f(trained[:, place], y == label) for place, label in enumerate(clf.classes_)]
    yield "thresholds", proba >= np.array(cuts)


def _best_f(proba: Array, truth: NDArray[np.bool_]) -> float:
    """The least probability to call by which F is largest."""
    precision, recall, threshold = precision_recall_curve(truth, proba)
    # The last point of the curve is not a threshold.
    f = 2.0 * precision * recall / np.maximum(precision + recall, 1e-300)
    return float(threshold[np.argmax(f[:-1])])


def wdbc(*, C: float = 0.1, folds: int = 10, random_state: int = 0) -> Array:
    """Accuracy on each fold of the breast cancer data, by the scheme of Table 4.

    Of ten folds nine train, and each of nine parts of them trains a linear machine of its own; a binary logit
    integrates their distances.

    Parameters
    ----------
    C : float
        Cost of the machines, which see some 57 cases in 30 columns; the paper does not say which it had.
    folds : int
        Folds, and one more than the machines.
    random_state : int
        Seed.

    Returns
    -------
    ndarray of shape (folds,)
    """
    data = load("wdbc")
    machine = SVC(kernel="linear", C=C)
    hybrid = HybridClassifier(
        machine, split="folds", n_clusters=folds - 1, threshold=0.5, distance_cv=None, random_state=random_state
    )
    splitter = StratifiedKFold(folds, shuffle=True, random_state=random_state)
    return np.asarray(cross_val_score(make_pipeline(StandardScaler(), hybrid), data.data, data.target, cv=splitter))


def pen_digits(*, C: float = 10.0, n_jobs: int | None = None) -> pd.Series:
    """Accuracy on the 3498 test cases of the pen digits (Table 5): nine machines in order, and one for each pair.

    Parameters
    ----------
    C : float
        Cost of the machines, whose kernel is radial: linear ones get 87 % here.
    n_jobs : int, optional
        Parallel fits.

    Returns
    -------
    Series
        By method; "one-vs-one" are LIBSVM's votes, "coupled" the classes of :class:`PairwiseClassifier`.
    """
    data = load("pendigits")
    x, y, train = data.data.to_numpy(), data.target.to_numpy(), data.train
    machine = SVC(C=C)
    methods = {
        "hybrid": OrdinalHybridClassifier(machine, distance_cv=None, n_jobs=n_jobs),
        "hybrid, held-out distances": OrdinalHybridClassifier(machine, n_jobs=n_jobs, random_state=0),
        "one-vs-one": machine,
        "coupled": PairwiseClassifier(machine, n_jobs=n_jobs),
    }
    return pd.Series({name: clf.fit(x[train], y[train]).score(x[~train], y[~train]) for name, clf in methods.items()})
