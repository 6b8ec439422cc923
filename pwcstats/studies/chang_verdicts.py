"""Chang (2003): which numbers are judged, by what rule, and remarks on the others."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pwcstats.studies.chang_printed import OVERLAP, PAPER_3, called_positive
from pwcstats.studies.chang_runs import COUNTS
from pwcstats.studies.tables import FROM_ZERO, claim, compare_with_paper, margin_factor

__all__ = [
    "claim_similar", "compare_counts", "free_counts", "free_scores", "is_judged", "note_counts", "note_scores",
]  # fmt: skip


def free_counts(d: float, method: str) -> tuple[str, ...]:
    """The counts in a row of Tables 1 and 2 that are judged; the others follow, because the group sizes are fixed."""
    if (d, method) == (1.5, "SVM R"):
        # The counts of this row do not add up; the accuracy matches the true positives.
        return "false positives", "true positives"
    if d <= OVERLAP and method.startswith("hybrid"):
        # The paper does not give the threshold, which decides here. With the printed number of calls, one count is
        # left, and the accuracy follows from it.
        return (COUNTS[-1],)
    return "false positives", "false negatives"


def is_judged(d: float, method: str, point: str, quantity: str) -> bool:
    """Whether a row of Tables 1 and 2 is judged; SVM R is judged in another exhibit."""
    if method == "SVM R":
        return False
    of_paper = d <= OVERLAP and method.startswith("hybrid")
    return quantity in free_counts(d, method) and (point == "paper") == of_paper


def compare_counts(runs: pd.DataFrame, by: list[str], paper: Mapping[Any, Sequence[float]], **how: Any) -> pd.DataFrame:
    """The accuracy and all counts beside those of the paper, which has one row of these for each setting."""
    parts = []
    for index, quantity in sorted(enumerate(COUNTS), reverse=True):
        digits, plausible = (1, (0.0, 100.0)) if quantity == COUNTS[-1] else (0, FROM_ZERO)
        printed = {key: values[index] for key, values in paper.items()}
        parts.append(compare_with_paper(runs, by, quantity, printed, digits=digits, plausible=plausible, **how))
    return pd.concat(parts, ignore_index=True)


def free_scores(d: float, group: int) -> tuple[str, ...]:
    """The scores of a group of Table 3 that are judged; the others follow, because it has 200 of 1000 cases.

    Any two would do. Accuracy and F depend less on the threshold than precision and recall, fewer of which would agree
    at d = 0.5; the text of the table says so.
    """
    # The other printed scores of this group are those of another one.
    return ("accuracy",) if (d, group) == (0.5, 4) else ("accuracy", "F")


def claim_similar(
    statement: str, differences: pd.DataFrame, printed: float, note: str = "", causes: Mapping[Any, str] | None = None
) -> pd.DataFrame:
    """The claim that accuracies are similar: they differ by no more than in the paper.

    The differences have one row per run and one column per comparison. The largest one, with its noise, is judged.
    The causes are those of columns.
    """
    mean, error, runs = differences.mean().abs(), differences.sem(), len(differences)
    index = int(np.argmax((mean + margin_factor(runs) * error).to_numpy()))
    note = f"largest difference of mean accuracies; in print {printed:.1f}{note}"
    cause = "" if causes is None else causes.get(mean.index[index], "")
    return claim(
        statement, float(mean.iloc[index]), float(error.iloc[index]), note, below=printed, runs=runs, cause=cause
    )


def note_counts(d: float, method: str, point: str) -> str:
    """A remark on a row of Tables 1 and 2."""
    if d <= OVERLAP and point == "prevalence":
        called = called_positive(d, method)
        return f"the groups overlap, and the threshold decides: in print {called} of 1000 are called positive"
    if d <= OVERLAP and point == "paper":
        return "the threshold is not in print; here the number of calls is that of the paper, and one count is left"
    if method == "SVM R":
        return "C = 1 and gamma about as in e1071 by default; no verdict, because chang.svm judges tuned machines"
    return ""


def note_scores(d: float, group: int, rule: str) -> str:
    """A remark on a row of Table 3."""
    if (d, group) == (0.5, 4):
        return "precision, recall and F in print are those of group 0, and do not go with the accuracy"
    if (d, group) == (2.0, 0):
        return (
            "a lucky run in print: with these densities no rule can expect an F above 0.843, or an accuracy above 0.936"
        )
    called = sum(round(200 * values[2] / values[1]) for (at, _), values in PAPER_3.items() if at == d)
    if d <= OVERLAP:
        return f"the groups overlap, and the thresholds decide: those in print put {called} cases into groups, of 1000"
    if rule == "argmax":
        return f"no partition in print: {called} cases are put into groups, of 1000"
    return ""
