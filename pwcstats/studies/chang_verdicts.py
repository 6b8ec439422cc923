"""Chang (2003): which numbers are judged, by what rule, and remarks on the others."""

import numpy as np
import pandas as pd

from pwcstats.studies.chang_printed import OVERLAP, PAPER_3, called_positive
from pwcstats.studies.tables import claim, margin_factor

__all__ = ["claim_similar", "free_counts", "free_scores", "note_counts", "note_scores"]


def free_counts(d: float, method: str) -> tuple[str, ...]:
    """The counts in a row of Tables 1 and 2 that are judged; the others follow, because the group sizes are fixed."""
    if (d, method) == (1.5, "SVM R"):
        # The counts of this row do not add up; the accuracy matches the true positives.
        return "false positives", "true positives"
    return "false positives", "false negatives"


def free_scores(d: float, group: int) -> tuple[str, ...]:
    """The scores of a group of Table 3 that are judged; the others follow, because it has 200 of 1000 cases.

    Any two would do. Accuracy and F depend less on the threshold than precision and recall, fewer of which would agree
    at d = 0.5; the text of the table says so.
    """
    # The other printed scores of this group are those of another one.
    return ("accuracy",) if (d, group) == (0.5, 4) else ("accuracy", "F")


def claim_similar(statement: str, differences: pd.DataFrame, printed: float, note: str = "") -> pd.DataFrame:
    """The claim that accuracies are similar: they differ by no more than in the paper.

    The differences have one row per run and one column per comparison. The largest one, with its noise, is judged.
    """
    mean, error, runs = differences.mean().abs(), differences.sem(), len(differences)
    index = int(np.argmax((mean + margin_factor(runs) * error).to_numpy()))
    note = f"largest difference of mean accuracies; in print {printed:.1f}{note}"
    return claim(statement, float(mean.iloc[index]), float(error.iloc[index]), note, below=printed, runs=runs)


def note_counts(d: float, method: str, point: str) -> str:
    """A remark on a row of Tables 1 and 2."""
    if d <= OVERLAP and point == "prevalence":
        called = called_positive(d, method)
        return f"the groups overlap, and the threshold decides: in print {called} of 1000 are called positive"
    if d <= OVERLAP and method == "SVM R":
        return "its C and gamma are not in print; with C = 1 and gamma about as in e1071 nothing is called positive"
    if (d, method) == (1.5, "SVM R"):
        return "in print the counts add to 973; the accuracy goes with 26 true positives, not with 147 false negatives"
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
