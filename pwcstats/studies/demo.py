"""The demo: compare the probabilities of five classifiers on three data sets of scikit-learn."""

from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import pyplot
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pwcstats import plot
from pwcstats._files import write_figure
from pwcstats.compare import ComparisonResult, benchmark, compare_methods
from pwcstats.coupling import METHODS as COUPLING_METHODS
from pwcstats.coupling import couple
from pwcstats.datasets import load
from pwcstats.pairwise import PairwiseClassifier
from pwcstats.plot.style import figure_of
from pwcstats.studies import html

__all__ = ["DATASETS", "METHODS", "compared", "coupled_digit", "scores", "table", "write_page"]

LDA, NB = LinearDiscriminantAnalysis(), GaussianNB()
METHODS = {
    "SVM, coupled pairs": make_pipeline(StandardScaler(), PairwiseClassifier(SVC())),
    # scikit-learn 1.9 recommends this instead of SVC(probability=True).
    "SVM, one vs. rest": make_pipeline(StandardScaler(), CalibratedClassifierCV(SVC(), ensemble=False)),
    "LDA or NB by pair": PairwiseClassifier({"lda": LDA, "nb": NB}, coupling="ht"),
    "LDA": LDA,
    "NB": NB,
}
DATASETS = ("iris", "wine", "digits")
# "bayes" needs the probabilities of the pairs, too.
COUPLINGS = [method for method in COUPLING_METHODS if method != "bayes"]
ABOUT_TABLE = (
    "Five classifiers on ten splits of each data set (2 x 5 folds). Log loss is the mean of -log p(true class); lower "
    "is better. Methods that share a letter do not differ significantly on this data set, by corrected resampled "
    "t-tests with Holm's adjustment."
)
ABOUT_RANKS = (
    "Mean ranks of the five classifiers by log loss. Bars join methods that do not differ significantly; three data "
    "sets are few, so the test has little power."
)
ABOUT_DIGIT = (
    "Each pair of digits has its own calibrated classifier, so the 45 pairwise probabilities of a case need not be "
    "compatible with any probabilities of the ten classes. This is the least compatible test case. On the right are "
    f"the class probabilities that {len(COUPLINGS)} coupling methods give."
)


def scores(*, n_jobs: int | None = None, progress: bool = False) -> pd.DataFrame:
    """Accuracy and log loss of every method on every split of every data set.

    Parameters
    ----------
    n_jobs : int, optional
        Number of parallel jobs.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    DataFrame
        As :func:`pwcstats.compare.benchmark` returns it, with the metrics accuracy and neg_log_loss.
    """
    metrics = ["accuracy", "neg_log_loss"]
    return benchmark(METHODS, list(DATASETS), repeats=2, cv=5, scoring=metrics, n_jobs=n_jobs, progress=progress)


def compared(scores: pd.DataFrame, dataset: str | None = None) -> ComparisonResult:
    """Compare the methods by log loss, on one data set or across all of them."""
    rows = scores[scores["metric"] == "neg_log_loss"].drop(columns="metric")
    rows = rows.assign(score=-rows["score"])
    return compare_methods(rows if dataset is None else rows[rows["dataset"] == dataset], higher_is_better=False)


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """Accuracy, log loss and letters: one row per method, three columns per data set."""
    parts = {}
    for dataset in DATASETS:
        rows = scores[scores["dataset"] == dataset]
        mean = rows.pivot_table(index="method", columns="metric", values="score")
        letters = compared(scores, dataset).table["letters"]
        parts[dataset] = pd.DataFrame(
            {"accuracy": mean["accuracy"], "log loss": -mean["neg_log_loss"], "letters": letters}
        ).loc[list(METHODS)]
    return pd.concat(parts, axis=1).rename_axis(index=None)


def coupled_digit() -> Any:
    """Plot the digit whose pairs are the least compatible: its r, and p by each coupling method."""
    digits = load("digits")
    x, y = digits.data.to_numpy(), digits.target.to_numpy()
    train, test = next(StratifiedKFold(5, shuffle=True, random_state=0).split(x, y))
    machine: Any = METHODS["SVM, coupled pairs"].fit(x[train], y[train])
    r = machine[-1].pairwise_proba(machine[:-1].transform(x[test]))
    worst = int(couple(r, "ht", return_info=True).kl.argmax())
    proba = pd.DataFrame({method: couple(r[worst], method, classes=list(machine.classes_)) for method in COUPLINGS})
    axes = plot.coupling(r[worst], proba)
    axes[0].figure.suptitle(f"A handwritten {y[test][worst]}: its pairs and its coupled probabilities")
    return axes


def _losses(scores: pd.DataFrame, dataset: str) -> Any:
    ax = plot.score_intervals(compared(scores, dataset))
    ax.set_xlabel("log loss, mean and 95 % interval")
    return ax


def write_page(folder: Path, scores: pd.DataFrame) -> Path:
    """Write the pictures and the page that shows them.

    Parameters
    ----------
    folder : Path
        An existing folder.
    scores : DataFrame
        As :func:`scores` returns them.

    Returns
    -------
    Path
        The page; it contains the pictures.
    """
    pictures = {
        "ranks.png": plot.critical_difference(compared(scores)),
        "coupling.png": coupled_digit(),
        **{f"{name}.png": _losses(scores, name) for name in DATASETS},
    }
    for name, axes in pictures.items():
        figure = figure_of(axes)
        write_figure(folder / name, figure, dpi=110)
        pyplot.close(figure)
    wide = table(scores)
    flat = wide.set_axis([": ".join(names) for names in wide.columns.to_list()], axis=1)
    page = folder / "demo.html"
    parts = [
        f"<p>{escape(ABOUT_TABLE)}</p>",
        html.table(flat.rename_axis(index="method").reset_index()),
        *(
            f"<h2>{name}</h2>"
            + html.picture(folder / f"{name}.png", f"{name}: log loss of each method with its interval")
            for name in DATASETS
        ),
        f"<h2>All data sets</h2><p>{escape(ABOUT_RANKS)}</p>",
        html.picture(folder / "ranks.png", "Mean ranks of five methods on three data sets"),
        f"<h2>Incompatible pairs</h2><p>{escape(ABOUT_DIGIT)}</p>",
        html.picture(
            folder / "coupling.png",
            "Pairwise and coupled probabilities of a digit",
        ),
    ]
    html.page(page, "pwcstats: five classifiers, three data sets", parts)
    return page
