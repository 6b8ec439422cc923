"""Chang (2003): the runs of the tables."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.metrics import confusion_matrix, precision_recall_curve, precision_recall_fscore_support
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_predict
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import Bunch

from pwcstats._arrays import Array
from pwcstats._jobs import seed_of
from pwcstats.datasets import chang_clover, chang_ordered, load
from pwcstats.hybrid import HybridClassifier, OrdinalHybridClassifier
from pwcstats.hybrid.cutoff import by_share
from pwcstats.pairwise import PairwiseClassifier
from pwcstats.studies.chang_printed import called_positive
from pwcstats.studies.running import Record, Size, by_size, count_or_default, run_cells

__all__ = [
    "COUNTS", "LINEAR", "OVERFITTED", "SCALINGS", "SCORES", "clover", "clusterer", "ordered", "pen_digits", "radial",
    "wdbc",
]  # fmt: skip

# Results of a run of Study 1, with 800 negative and 200 positive test cases, and of Study 2.
COUNTS = ("true negatives", "false positives", "false negatives", "true positives", "accuracy (%)")
SCORES = ("accuracy", "precision", "recall", "F")
# The machines and clusters of the paper use the columns without scaling.
LINEAR = SVC(kernel="linear")
# The grid of the example of tune.svm in the manual of e1071.
GRID = {"svc__C": (4.0, 8.0, 16.0), "svc__gamma": (0.5, 1.0, 2.0)}
# C and gamma that give about the printed counts where the groups overlap.
OVERFITTED = (8.0, 8.0)
# Where the columns of breast cancer are standardised. The second is the default of svm() in e1071.
SCALINGS = ("all training folds", "each machine")


def clusterer(k: int) -> KMeans:
    """k-means without scaling."""
    return KMeans(k, n_init=10)


def clover(
    size: Size = "quick",
    *,
    distances: Sequence[float] = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 4.5),
    clusters: Sequence[int] = (0, 3, 4, 5),
    layout: Literal["diagonal", "printed"] = "diagonal",
    integrator: str = "multinomial",
    runs: int | None = None,
    **how: Any,
) -> pd.DataFrame:
    """Study 1: a positive group among four negative ones, with known groups or k-means clusters.

    Parameters
    ----------
    size : {"quick", "paper"}
        5 or 50 runs. The paper has one.
    distances : sequence of float
        Distances of the negative groups from the middle.
    clusters : sequence of int
        Numbers of k-means clusters; 0 stands for the four known groups, and adds machines fitted to all rows.
    layout : {"diagonal", "printed"}
        Layout of the negative groups, see :func:`pwcstats.datasets.chang_clover`.
    integrator : str
        Integrator of :class:`~pwcstats.HybridClassifier`.
    runs : int, optional
        Another number of runs, each with its own training and test rows.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        One row per distance, run, method ("hybrid" with known groups, "hybrid k=3", ..., "SVM R", "SVM L") and
        operating point, with counts of test cases and the accuracy. At the operating point "prevalence", the number of
        training cases called positive is the number of positives; at "paper", the number of test cases called positive
        is that of the paper, if it is printed; "own" is the decision of the SVM.
    """
    cells = [
        {"d": float(d), "clusters": k, "layout": layout, "integrator": integrator, "run": run}
        | {"called": called_positive(d, _name(k))}
        for d in distances
        for k in clusters
        for run in range(count_or_default(runs, "runs", by_size(size, 5, 50)))
    ]
    return run_cells(_clover, cells, **how)


def _name(k: int) -> str:
    return f"hybrid k={k}" if k else "hybrid"


def _clover(d: float, clusters: int, layout: Any, integrator: str, run: int, seed: int, called: int) -> list[Record]:
    # The rows differ between distances, and are the same for all methods.
    own = seed_of("clover", seed, d, run)
    sample = chang_clover(d, layout=layout, random_state=own)
    truth = sample.target[~sample.train] == 0
    records = []
    for method, point, positive in _clover_methods(sample, clusters, integrator, called, own):
        records.append({"method": method, "point": point, **_counts(truth, positive)})
    return records


def _counts(truth: NDArray[np.bool_], positive: NDArray[np.bool_]) -> Record:
    tn, fp, fn, tp = confusion_matrix(truth, positive).ravel()
    return dict(zip(COUNTS, (tn, fp, fn, tp, 100.0 * (tn + tp) / len(truth)), strict=True))


def _clover_methods(
    sample: Bunch, k: int, integrator: Any, called: int, seed: int
) -> Iterator[tuple[str, str, NDArray[np.bool_]]]:
    """Which test rows each method calls positive."""
    x, positive, new = sample.data[sample.train], (sample.target == 0)[sample.train], sample.data[~sample.train]
    clf = HybridClassifier(
        LINEAR,
        n_clusters=clusterer(k) if k else "auto",
        integrator=integrator,
        threshold=0.5,
        distance_cv=None,
        random_state=seed,
    )
    clf.fit(x, positive, clusters=None if k else sample.target[sample.train])
    proba = clf.predict_proba(new)[:, 1]
    yield _name(k), "prevalence", proba > by_share(clf.predict_proba(x)[:, 1], positive)
    if called:
        yield _name(k), "paper", _largest(proba, called)
    if not k:
        yield "SVM R", "own", SVC().fit(x, positive).predict(new)
        yield "SVM L", "own", clone(LINEAR).fit(x, positive).predict(new)


def _largest(proba: Array, count: int) -> NDArray[np.bool_]:
    """Which probabilities are among the `count` largest."""
    called = np.zeros(len(proba), np.bool_)
    called[np.argsort(-proba, kind="stable")[:count]] = True
    return called


def radial(
    size: Size = "quick",
    *,
    distances: Sequence[float] = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 4.5),
    runs: int | None = None,
    **how: Any,
) -> pd.DataFrame:
    """Study 1 with radial machines fitted to all rows: C and gamma tuned in each run, or the same everywhere.

    Parameters
    ----------
    size : {"quick", "paper"}
        1 or 10 runs. The paper has one.
    distances : sequence of float
        Distances of the negative groups from the middle.
    runs : int, optional
        Another number of runs, each with its own training and test rows, which are those of :func:`clover`.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        One row per distance, run and machine, with C, gamma, counts of test cases and the accuracy. The machine is
        "tuned", by ten-fold cross-validation on the grid of the example of ``tune.svm`` in e1071; or "overfitted", with
        C = 8 and gamma = 8. Both standardise the columns of their training rows, as ``svm()`` in e1071 does.
    """
    number = count_or_default(runs, "runs", by_size(size, 1, 10))
    cells = [{"d": float(d), "run": run} for d in distances for run in range(number)]
    return run_cells(_radial, cells, **how)


def _radial(d: float, run: int, seed: int) -> list[Record]:
    own = seed_of("clover", seed, d, run)
    sample = chang_clover(d, random_state=own)
    x, positive, train = sample.data, sample.target == 0, sample.train
    tuned = GridSearchCV(_scaled_svm(), GRID, cv=KFold(10, shuffle=True, random_state=own))
    tuned.fit(x[train], positive[train])
    cost, gamma = OVERFITTED
    machines = {"tuned": tuned.best_estimator_, "overfitted": _scaled_svm(C=cost, gamma=gamma)}
    machines["overfitted"].fit(x[train], positive[train])
    return [
        {"machine": name, "C": machine["svc"].C, "gamma": machine["svc"].gamma}
        | _counts(positive[~train], machine.predict(x[~train]))
        for name, machine in machines.items()
    ]


def _scaled_svm(**parameters: Any) -> Pipeline:
    """A machine that standardises the columns of its own training rows."""
    return make_pipeline(StandardScaler(), SVC(**parameters))


def ordered(
    size: Size = "quick",
    *,
    distances: Sequence[float] = (0.5, 2.0, 4.0),
    runs: int | None = None,
    **how: Any,
) -> pd.DataFrame:
    """Study 2: five ordered groups.

    Parameters
    ----------
    size : {"quick", "paper"}
        5 or 50 runs. The paper has one.
    distances : sequence of float
        Distances between neighbouring groups.
    runs : int, optional
        Another number of runs, each with its own training and test rows.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        Accuracy, precision, recall and F of each group by d, run and rule. The rule is "argmax", the most probable
        group; or each group has its own threshold, so that a case may be in several groups or in none: with the best F
        in training ("thresholds"), with as many training cases in the group as there are ("prevalence"), with the best
        sum of sensitivity and specificity in training ("balanced"), with the best accuracy in training ("accuracy"), or
        0.5 ("half").
    """
    number = count_or_default(runs, "runs", by_size(size, 5, 50))
    cells = [{"d": float(d), "run": run} for d in distances for run in range(number)]
    return run_cells(_ordered, cells, **how)


def _ordered(d: float, run: int, seed: int) -> list[Record]:
    sample = chang_ordered(d, random_state=seed_of("ordered", seed, d, run))
    records = []
    for rule, called in _ordered_rules(sample):
        for group in range(5):
            truth = sample.target[~sample.train] == group
            scores = precision_recall_fscore_support(truth, called[:, group], average="binary", zero_division=0.0)
            values = ((truth == called[:, group]).mean(), *scores[:3])
            records.append({"group": group, "rule": rule, **dict(zip(SCORES, values, strict=True))})
    return records


def _ordered_rules(sample: Bunch) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Which test rows each rule assigns to each group."""
    x, y, new = sample.data[sample.train], sample.target[sample.train], sample.data[~sample.train]
    clf = OrdinalHybridClassifier(LINEAR, distance_cv=None).fit(x, y)
    proba = clf.predict_proba(new)
    yield "argmax", clf.predict(new)[:, None] == clf.classes_
    trained = clf.predict_proba(x)
    for name, cut in CUTS.items():
        thresholds = [cut(trained[:, index], y == label) for index, label in enumerate(clf.classes_)]
        yield name, proba >= np.array(thresholds)


def _best_f(proba: Array, truth: NDArray[np.bool_]) -> float:
    """The threshold with the largest F."""
    precision, recall, threshold = precision_recall_curve(truth, proba)
    # The last point of the curve is not a threshold.
    f = 2.0 * precision * recall / np.maximum(precision + recall, 1e-300)
    return float(threshold[np.argmax(f[:-1])])


def _best_weighted(proba: Array, truth: NDArray[np.bool_], weight: float) -> float:
    """The threshold with the largest number of true positives less `weight` times that of false ones."""
    order = np.argsort(-proba, kind="stable")
    gain = np.cumsum(np.where(truth[order], 1.0, -weight))
    return float(proba[order][np.argmax(gain)])


# Rules for the threshold of a group, from probabilities of the training rows.
CUTS: dict[str, Callable[[Array, NDArray[np.bool_]], float]] = {
    "thresholds": _best_f,
    "prevalence": by_share,
    "balanced": lambda proba, truth: _best_weighted(proba, truth, truth.sum() / (~truth).sum()),
    "accuracy": lambda proba, truth: _best_weighted(proba, truth, 1.0),
    "half": lambda *_: 0.5,
}


def wdbc(
    size: Size = "quick",
    *,
    costs: Sequence[float] = (0.1, 1.0),
    runs: int | None = None,
    **how: Any,
) -> pd.DataFrame:
    """Breast cancer in ten folds: a linear machine for each of the nine training folds, integrated by a binary logit.

    Parameters
    ----------
    size : {"quick", "paper"}
        5 or 20 runs. The paper has one.
    costs : sequence of float
        C of the machines, which have about 57 cases in 30 columns; the paper does not give it.
    runs : int, optional
        Another number of runs, each with its own folds.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        Mean and standard deviation of the accuracies of the folds by C, scaling and run, and how many of the 357 benign
        and 212 malignant cases were misclassified. Columns are standardised with all training folds, or by each machine
        with its own training cases, as ``svm()`` in e1071 does.
    """
    number = count_or_default(runs, "runs", by_size(size, 5, 20))
    cells = [
        {"C": float(C), "scaling": scaling, "run": run} for C in costs for scaling in SCALINGS for run in range(number)
    ]
    return run_cells(_wdbc, cells, **how)


def _wdbc(C: float, scaling: str, run: int, seed: int) -> list[Record]:
    data, own = load("wdbc"), seed_of("wdbc", seed, run)
    by_machine = scaling == SCALINGS[1]
    machine = _scaled_svm(kernel="linear", C=C) if by_machine else SVC(kernel="linear", C=C)
    hybrid = HybridClassifier(machine, split="folds", n_clusters=9, threshold=0.5, distance_cv=None, random_state=own)
    x, benign = data.data.to_numpy(), data.target.to_numpy() == "benign"
    splitter = StratifiedKFold(10, shuffle=True, random_state=own)
    clf = hybrid if by_machine else make_pipeline(StandardScaler(), hybrid)
    found = cross_val_predict(clf, x, benign, cv=splitter)
    shares = np.array([np.mean(found[test] == benign[test]) for _, test in splitter.split(x, benign)])
    return [
        {
            "mean accuracy": shares.mean(),
            "sd of the accuracy": shares.std(ddof=1),
            "false positives": np.sum(found & ~benign),
            "false negatives": np.sum(~found & benign),
        }
    ]


def pen_digits(
    size: Size = "quick",
    *,
    costs: Sequence[float] | None = None,
    **how: Any,
) -> pd.DataFrame:
    """Pen digits, with the published training and test sets: nine machines in order, or one for each pair.

    Parameters
    ----------
    size : {"quick", "paper"}
        The hybrid and LIBSVM's votes with C = 1; or all methods with C = 1 and 10.
    costs : sequence of float, optional
        Other values of C of the machines, whose kernel is radial.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        Confusion matrices of the test cases by C and method: "hybrid", "one-vs-one" (LIBSVM's votes), "coupled"
        (:class:`~pwcstats.PairwiseClassifier`), and "hybrid, held-out distances".
    """
    methods = ("hybrid", "one-vs-one", "coupled", "hybrid, held-out distances")
    cells = [
        {"C": float(C), "method": method}
        for C in (by_size(size, (1.0,), (1.0, 10.0)) if costs is None else costs)
        for method in by_size(size, methods[:2], methods)
    ]
    return run_cells(_pen_digits, cells, **how)


def _pen_digits(C: float, method: str, seed: int) -> list[Record]:
    data, machine = load("pendigits"), SVC(C=C)
    x, y, train = data.data.to_numpy(), data.target.to_numpy(), data.train
    match method:
        case "hybrid":
            clf: Any = OrdinalHybridClassifier(machine, distance_cv=None)
        case "one-vs-one":
            clf = machine
        case "coupled":
            clf = PairwiseClassifier(machine, calibration="sigmoid")
        case "hybrid, held-out distances":
            clf = OrdinalHybridClassifier(machine, random_state=seed)
        case _:
            raise ValueError(f"there is no method {method!r}")
    predicted = clf.fit(x[train], y[train]).predict(x[~train])
    table = confusion_matrix(y[~train], predicted, labels=range(10))
    return [{"true": i, "predicted": j, "cases": table[i, j]} for i in range(10) for j in range(10)]
