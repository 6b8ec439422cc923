"""Chang (2003): Tables 1 to 5, Figures 3 to 6."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from pwcstats import plot
from pwcstats.studies.chang_figures import draw_confusions, figure3, figure4, figure5, figure6
from pwcstats.studies.chang_judged import (
    alike,
    free_counts,
    free_scores,
    judged,
    note_counts,
    note_scores,
)
from pwcstats.studies.chang_printed import OVERLAP, PAPER_1, PAPER_2, PAPER_3, PAPER_4, PAPER_5
from pwcstats.studies.chang_runs import COUNTS, SCORES, clover, ordered, pen_digits, wdbc
from pwcstats.studies.running import Size
from pwcstats.studies.tables import COLUMNS, Exhibit, beside, claim, everywhere

__all__ = [
    "EXHIBITS", "PAPER_1", "PAPER_2", "PAPER_3", "PAPER_4", "PAPER_5", "clover", "figure3", "figure4", "figure5",
    "figure6", "ordered", "pen_digits", "table1", "table2", "table3", "table4", "table5", "wdbc",
]  # fmt: skip

POINTS = ("prevalence", "paper", "own")
RULES = ("argmax", "thresholds")
# d of Table 2.
DISTANCES = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
# In the description of the breast cancer data.
KNOWN = 0.975
# The paper has no C for its real data; that of e1071, its package, is judged.
DEFAULT_C = 1.0


def table1(size: Size = "quick", *, runs: int | None = None, **how: Any) -> pd.DataFrame:
    """Study 1 with known groups: the hybrid, and machines of all rows with a radial and a linear kernel.

    Parameters
    ----------
    size : {"quick", "paper"}
        5 or 50 runs. The paper has one.
    runs : int, optional
        Another number of runs.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        A row for each d, method, operating point (see :func:`clover`) and count, then what the text says of them.
    """
    how |= {"runs": runs}
    found = clover(size, clusters=(0,), **how)
    apart = [d for d in DISTANCES if OVERLAP < d < 4.0]
    elsewhere = clover(size, distances=apart, clusters=(0,), layout="printed", **how)
    return pd.concat([_counts(found, PAPER_1), *_claims_1(found, elsewhere)], ignore_index=True)


def _counts(runs: pd.DataFrame, printed: Mapping[tuple[float, str], tuple[float, ...]]) -> pd.DataFrame:
    """All counts and the accuracy, which comes first, beside the paper's; the two that are free are judged."""
    parts = []
    for place, quantity in sorted(enumerate(COUNTS), reverse=True):
        paper = {(*key, point): values[place] for key, values in printed.items() for point in POINTS}
        digits = 1 if quantity == COUNTS[-1] else 0
        part = beside(runs, ["d", "method", "point"], quantity, paper, digits=digits, note=note_counts)
        # A point that is taken from the print is no evidence.
        keys: Any = part[["d", "method", "point"]].itertuples(index=False)
        parts.append(judged(part, [quantity in free_counts(d, how) and point != "paper" for d, how, point in keys]))
    return pd.concat(parts, ignore_index=True)


def _by_run(runs: pd.DataFrame, column: str) -> dict[Any, Any]:
    """Of each method a row for each run, and a column for each d; hybrids at their own operating point."""
    wide = runs[runs["point"] != "paper"].pivot(index="run", columns=["method", "d"], values=column)
    return {method: wide[method] for method in wide.columns.unique("method")}


def _printed_accuracy() -> Any:
    """A row for each d, a column for each method."""
    return pd.Series({key: row[-1] for key, row in (PAPER_1 | PAPER_2).items()}).unstack()


def _claims_1(runs: pd.DataFrame, elsewhere: pd.DataFrame) -> list[pd.DataFrame]:
    ours, printed = _by_run(runs, COUNTS[-1]), _printed_accuracy()
    # Of d = 0.5 the text says that the hybrid has the lowest accuracy, of the rest that both are comparable.
    apart, printed_apart = (table["hybrid"] - table["SVM R"] for table in (ours, printed))
    clear = apart.loc[:, apart.columns > OVERLAP].mean().abs().max()
    positives, negatives = (_by_run(runs, f"false {kind}") for kind in ("positives", "negatives"))
    uneven = {method: (negatives[method] / 200.0 - positives[method] / 800.0).abs() for method in ("hybrid", "SVM R")}
    hybrid = elsewhere[(elsewhere["method"] == "hybrid") & (elsewhere["point"] == "prevalence")]
    places = beside(hybrid, ["d"], COUNTS[-1], printed["hybrid"].to_dict(), digits=1)
    same = (ours["hybrid"].mean() - printed["hybrid"])[places["d"]]
    return [
        alike(
            "from d = 1 on the hybrid is very comparable to SVM R",
            apart.loc[:, apart.columns >= 1.0],
            printed_apart[printed_apart.index >= 1.0].abs().max(),
            f"; from d = 1.5 on {clear:.1f}. At d = 1 the threshold decides, and our SVM R calls nothing positive",
        ),
        everywhere(
            "the hybrid has more balanced rates of false positives and false negatives than SVM R",
            uneven["SVM R"] - uneven["hybrid"],
            "least of all d: |false negative rate - false positive rate| of SVM R less that of the hybrid, whose "
            "threshold here makes for balance; from d = 4 on all rates are about 1 % or less",
        ),
        claim(
            "the negative groups are at (±d, 0) and (0, ±d)",
            None if places["agrees"].isna().any() else bool(places["agrees"].all()),
            places["difference"].mean(),
            note=f"mean difference of our accuracy from the printed one, d from {places['d'].min():g} to "
            f"{places['d'].max():g}; with groups at (±d, ±d), as everywhere else here, {same.mean():.1f}",
        ),
    ]


def table2(size: Size = "quick", *, runs: int | None = None, **how: Any) -> pd.DataFrame:
    """Study 1 with k-means clusters in place of the known groups.

    Parameters
    ----------
    size : {"quick", "paper"}
        5 or 50 runs. The paper has one.
    runs : int, optional
        Another number of runs.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        A row for each d, number of clusters, operating point (see :func:`clover`) and count, then what the text says of
        them.
    """
    how |= {"runs": runs}
    found = clover(size, distances=DISTANCES, **how)
    clustered = found[found["clusters"] > 0]
    return pd.concat([_counts(clustered, PAPER_2), *_claims_2(found)], ignore_index=True)


def _claims_2(runs: pd.DataFrame) -> list[pd.DataFrame]:
    ours, printed = _by_run(runs, COUNTS[-1]), _printed_accuracy().loc[list(DISTANCES)]
    names = sorted({method for _, method in PAPER_2})

    def claimed(words: str, pairs: Sequence[tuple[str, str]]) -> pd.DataFrame:
        differences = pd.concat([ours[one] - ours[other] for one, other in pairs], axis=1)
        return alike(words, differences, max((printed[one] - printed[other]).abs().max() for one, other in pairs))

    return [
        claimed("the results are very similar to those of known groups", [("hybrid", name) for name in names]),
        claimed("the performances are very stable for different k", list(combinations(names, 2))),
    ]


def table3(size: Size = "quick", *, runs: int | None = None, **how: Any) -> pd.DataFrame:
    """Study 2: accuracy, precision, recall and F of five ordered groups.

    Parameters
    ----------
    size : {"quick", "paper"}
        5 or 50 runs. The paper has one.
    runs : int, optional
        Another number of runs.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        A row for each d, group, rule (see :func:`ordered`) and score, then what the text says of them.
    """
    found = ordered(size, runs=runs, **how)
    parts = []
    for place, quantity in enumerate(SCORES):
        paper = {(*key, rule): values[place] for key, values in PAPER_3.items() for rule in RULES}
        part = beside(found, ["d", "group", "rule"], quantity, paper, digits=3, note=note_scores)
        keys: Any = part[["d", "group", "rule"]].itertuples(index=False)
        parts.append(judged(part, [quantity in free_scores(d, at) and rule == "thresholds" for d, at, rule in keys]))
    cut: Any = found[found["rule"] == "thresholds"].pivot(index="run", columns=["group", "d"], values="accuracy")
    ahead = [cut[end] - cut[middle] for end in (0, 4) for middle in (1, 2, 3)]
    gains = [cut[group].diff(axis=1).dropna(axis=1) for group in range(5)]
    claims = [
        everywhere(
            "the middle groups are less accurate than those at the ends",
            pd.concat(ahead, axis=1),
            "least lead of an end over a group of the middle, at any d, with thresholds",
        ),
        everywhere(
            "all accuracies increase with d",
            pd.concat(gains, axis=1),
            "least gain of a group from one d to the next, with thresholds",
        ),
    ]
    return pd.concat([*parts, *claims], ignore_index=True).astype({"group": "Int64"})


def table4(size: Size = "quick", *, runs: int | None = None, **how: Any) -> pd.DataFrame:
    """Breast cancer: accuracy in ten folds, by nine machines of the other folds.

    Parameters
    ----------
    size : {"quick", "paper"}
        5 or 20 runs. The paper has one.
    runs : int, optional
        Another number of runs.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        A row for each C of the machines and each number, then what the text says of them.
    """
    found = wdbc(size, runs=runs, **how)
    folds = np.array(PAPER_4)
    printed = {
        "mean accuracy": (0.982, 3),
        "sd of the accuracy": (0.023, 3),
        "false positives": (folds[:, 1].sum(), 0),
        "false negatives": (folds[:, 2].sum(), 0),
    }
    costs = found["C"].unique()
    parts = [
        # The mean follows from the false ones.
        judged(part, (part["C"] == DEFAULT_C) & (quantity != "mean accuracy"))
        for quantity, (paper, digits) in printed.items()
        for part in [beside(found, ["C"], quantity, dict.fromkeys(costs, paper), digits=digits)]
    ]
    lead = found.loc[found["C"] == DEFAULT_C, ["mean accuracy"]] - KNOWN
    better = everywhere(
        f"slightly better than {KNOWN:.1%}, the accuracy in the description of the data",
        lead,
        f"mean accuracy of the runs less {KNOWN}; the paper has one run, and its C is not in print",
    )
    return pd.concat([*parts, better.assign(C=DEFAULT_C)], ignore_index=True)


def table5(size: Size = "quick", *, costs: Sequence[float] | None = None, **how: Any) -> pd.DataFrame:
    """Pen digits: accuracy on the 3498 test cases, and which digits are taken for which.

    Parameters
    ----------
    size : {"quick", "paper"}
        As of :func:`pen_digits`.
    costs : sequence of float, optional
        Other C of the machines.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        A row for each method and C, then the cells of the hybrid's confusion matrix.
    """
    found = pen_digits(size, costs=costs, **how)
    cases = found["cases"].where(found["true"] == found["predicted"], 0)
    right = cases.groupby([found["method"], found["C"]], sort=False).sum() / PAPER_5.sum()
    # The matrix in print has 3423 of 3498 right, 0.9786; the text says 0.978.
    paper = {("hybrid", C): np.trace(PAPER_5) / PAPER_5.sum() for C in found["C"].unique()}
    shares = right.rename("accuracy").reset_index()
    accuracy = beside(shares, ["method", "C"], "accuracy", paper, digits=3, exact=True, note=_note_5)
    accuracy = judged(accuracy, accuracy["C"] == DEFAULT_C)
    first = found[(found["method"] == "hybrid") & (found["C"] == found["C"].iloc[0])]
    printed = {(i, j): PAPER_5[i, j] for i in range(10) for j in range(10)}
    cells = beside(first, ["true", "predicted"], "cases", printed, digits=0, note=_note_cell)
    cells = cells.assign(method="hybrid", C=first["C"].iloc[0])
    order = ["method", "C", "true", "predicted", *COLUMNS]
    return pd.concat([accuracy, cells], ignore_index=True)[order].astype({"true": "Int64", "predicted": "Int64"})


def _note_5(method: str, C: float) -> str:
    return "the kernel and C are not in print; linear ones get 87 %" if method == "hybrid" else "not in the paper"


def _note_cell(true: int, predicted: int) -> str:
    return "no verdict: machines with another kernel and C, which are not in print, move single cases"


def _draw_counts(frame: pd.DataFrame) -> Figure:
    """The accuracy and what is judged; the other counts would repeat these."""
    return plot.beside_paper(frame[frame["quantity"].isin([COUNTS[-1], *COUNTS[1:3]])])


TITLE = "Chang (2003): local machines integrated by logistic regression"
REFERENCE = (
    "Chang, Y.-C. I. (2003). Boosting SVM classifiers with logistic regression. Technical report, Institute of "
    "Statistical Science, Academia Sinica, Taipei."
)
EXHIBITS = (
    Exhibit(
        "table1",
        "Table 1: a group among four others that are known",
        "200 cases of each group train and 200 test. A linear machine tells the positives from each negative group, "
        "and a multinomial model of the distances gives probabilities; a binary model would be linear in x, and cannot"
        " reach these accuracies, nor can groups at (±d, 0) and (0, ±d), as printed: ours are at (±d, ±d), which was "
        "chosen by the accuracies themselves. The paper does not say which threshold it has; here as many training "
        "cases are called positive as there are (prevalence). Of each printed row the false positives and the false "
        "negatives are judged, since all else follows from these. As many positive calls as in print (paper) would "
        "tell whether the cases are ranked as well, but this point is chosen by the print, and has no verdict. The "
        "paper has one run.",
        table1,
        _draw_counts,
    ),
    Exhibit(
        "table2",
        "Table 2: the same with clusters in place of known groups",
        "As Table 1, with the negatives split by k-means into 3, 4 or 5 clusters, and judged in the same way. Where "
        "groups overlap, at d = 0.5 and 1, the counts are a choice of threshold and little else.",
        table2,
        _draw_counts,
    ),
    Exhibit(
        "table3",
        "Table 3: five ordered groups",
        "A linear machine tells each group from those before it, and continuation ratios of the distances give "
        "probabilities. The groups in print do not add up to the 1000 test cases, so each was cut at a threshold of "
        "its own. Which one is not said; here it is the one that is best for F in training (thresholds). Only these "
        "are judged, by accuracy and F, from which precision and recall follow. These would be as good a pair, but "
        "hang more on where a group is cut: at d = 0.5 also the precision of group 0 would not agree. Beside them is "
        "the likeliest group (argmax), as Procedure II says.",
        table3,
        plot.beside_paper,
    ),
    Exhibit(
        "table4",
        "Table 4: breast cancer (WDBC), ten folds",
        "Not Procedure I: each of the nine training folds trains a machine of its own for both classes, and a binary "
        "logit integrates the nine distances. Columns are standardised. The cost C of the machines is not in print: "
        "judged is C = 1, e1071's default, and another is shown. The mean accuracy follows from the false positives "
        "and negatives. The paper's precision is the accuracy of a fold, and its positives are benign.",
        table4,
        plot.beside_paper,
    ),
    Exhibit(
        "table5",
        "Table 5: pen digits",
        "Nine machines, each digit against those before it, trained on the published 7494 cases and tested on 3498. "
        "The paper does not say which machines: it takes radial kernels to reach its accuracy (linear ones get 87 %), "
        "here with C = 1, e1071's default, which is judged. One machine for each pair, 45 of them, is a little better.",
        table5,
        draw_confusions,
    ),
    Exhibit(
        "figure3",
        "Figure 3: the cloverleaf",
        "Training cases of Study 1. The text puts the negative groups at (±d, 0) and (0, ±d); the paper's accuracies "
        "are those of groups at (±d, ±d).",
        picture=figure3,
    ),
    Exhibit(
        "figure4",
        "Figure 4: ROC curves with clusters",
        "Ten runs at d = 4 for 3, 4 and 5 clusters, and their mean. The curves are so near to the corner that it is "
        "shown again below.",
        picture=lambda seed: figure4(random_state=seed),
    ),
    Exhibit(
        "figure5",
        "Figure 5: clusters of the negatives",
        "k-means at d = 1.5, with the borders of the local machines, which the paper does not draw.",
        picture=lambda seed: figure5(random_state=seed),
    ),
    Exhibit(
        "figure6",
        "Figure 6: ordered groups",
        "Training cases of Study 2, with means at (0, 0), (d, 0), ..., (4 d, 0).",
        picture=figure6,
    ),
)
