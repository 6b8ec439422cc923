"""The demo: one-vs-one SVMs on data that ships with scikit-learn, coupled in every way."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pwcstats import plot
from pwcstats.classify import PairwiseClassifier
from pwcstats.coupling import couple

METHODS = ("wlw2", "ht", "wlw1", "pkpd", "rv", "sum", "vote")
LOADERS = {"iris": load_iris, "wine": load_wine, "digits": load_digits}
SEED = 0

Array = NDArray[np.float64]


def pairwise_probabilities(train: Array, labels: Array, test: Array) -> Array:
    """R of the test cases: a one-vs-one SVM, and for each pair a sigmoid on held-out decision values."""
    scaler = StandardScaler().fit(train)
    machine = PairwiseClassifier(SVC()).fit(scaler.transform(train), labels)
    return machine.pairwise_proba(scaler.transform(test))


def one_vs_rest(train: Array, labels: Array, test: Array) -> Array:
    """What scikit-learn 1.9 advises in place of ``SVC(probability=True)``."""
    machine = make_pipeline(StandardScaler(), CalibratedClassifierCV(SVC(), ensemble=False))
    return machine.fit(train, labels).predict_proba(test)


def scores(datasets: Sequence[str] = tuple(LOADERS)) -> pd.DataFrame:
    """Log loss and accuracy of every method on every data set, a row for each."""
    rows = []
    for name in datasets:
        x, y = LOADERS[name](return_X_y=True)
        proba = {method: np.empty((len(y), len(np.unique(y)))) for method in (*METHODS, "one-vs-rest")}
        for train, test in StratifiedKFold(5, shuffle=True, random_state=SEED).split(x, y):
            r = pairwise_probabilities(x[train], y[train], x[test])
            for method in METHODS:
                proba[method][test] = couple(r, method)
            proba["one-vs-rest"][test] = one_vs_rest(x[train], y[train], x[test])
        for method, p in proba.items():
            with np.errstate(divide="ignore"):
                log_loss = -np.log(p[np.arange(len(y)), y]).mean()
            accuracy = (p.argmax(axis=1) == y).mean()
            rows.append({"data": name, "method": method, "log loss": log_loss, "accuracy": accuracy})
    return pd.DataFrame(rows)


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """Methods below each other, data sets side by side."""
    wide = scores.pivot(index="method", columns="data", values=["log loss", "accuracy"])
    wide = wide.swaplevel(axis=1).reindex(index=[*METHODS, "one-vs-rest"], columns=list(LOADERS), level=0)
    wide.index.name, wide.columns.names = None, ["", ""]
    return wide


def picture() -> Figure:
    """The digit whose pairs are the least compatible: its r, and p by each method."""
    x, y = load_digits(return_X_y=True)
    train, test = next(StratifiedKFold(5, shuffle=True, random_state=SEED).split(x, y))
    r = pairwise_probabilities(x[train], y[train], x[test])
    worst = int(couple(r, "ht", return_info=True).kl.argmax())
    proba = pd.DataFrame({method: couple(r[worst], method) for method in METHODS})
    figure = plot.coupling(r[worst], proba)
    figure.suptitle(f"A handwritten {y[test][worst]}: its pairs, and its coupled probabilities")
    return figure
