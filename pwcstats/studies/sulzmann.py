"""Sulzmann, Fürnkranz & Hüllermeier (2007): Theorems 1 to 3, transitivity, Section 5."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from pwcstats import plot
from pwcstats._jobs import seed_of
from pwcstats._validate.common import counted
from pwcstats.coupling import couple
from pwcstats.studies.running import Record, Size, chosen, run_cells
from pwcstats.studies.sulzmann_runs import (
    SIMULATED,
    TIE,
    TWINS,
    circles,
    compared,
    in_order,
    intransitive,
    three_classes,
    voted,
    weighted,
)
from pwcstats.studies.tables import Exhibit, beside, claim

__all__ = [
    "EXHIBITS",
    "PAPER_5",
    "PAPER_EXAMPLE",
    "example",
    "one_against_all",
    "section5",
    "theorem1",
    "theorem2",
    "theorem3",
    "transitivity",
]

# Of Section 4.2: probabilities, pairs (1,2), (1,3), (2,3), and sums of the pairs.
P_EXAMPLE, R_EXAMPLE = (0.6, 0.3, 0.1), (0.6, 0.6, 0.9)
PAPER_EXAMPLE = {"1": 1.2, "2": 1.3, "3": 0.5}
# Of Section 5: posteriors of A, B and C at X = Y = 1, as fractions.
PAPER_5 = {
    "naive Bayes": {"A": (4, 15), "B": (5, 15), "C": (6, 15)},
    "one against all": {"A": (2, 9), "B": (4, 15), "C": (8, 41)},
}
REAL = ("iris", "wine", "vehicle", "vowel", "digits", "nursery")
LARGE = ("segment", "satimage", "penbased", "letter")
# In these no column is constant within a class, so that normal densities need no smoothing.
GAUSSIAN = ("iris", "wine", "vehicle", "vowel")
# Sets for learners that need more cases than columns in each class, and what is counted of their pairs.
CONTINUOUS = ("iris", "wine", "vowel")
CIRCLES = {
    "circles": "cases against (5)",
    "reversed": "cases with a pair that other classes reverse",
    "voting": "cases that plain voting ranks otherwise",
}
COMPARED = {
    "other": "cases that get another class",
    "ranked": "cases with another ranking",
    "right": "accuracy of naive Bayes",
    "gain": "accuracy that one against all adds",
}


def theorem1(
    size: Size = "quick", *, sets: Sequence[str] | None = None, random_state: int = 0, **how: Any
) -> pd.DataFrame:
    """Pairs of naive Bayes with the weights P(c_i or c_j | x) / (K - 1) give naive Bayes's own probabilities.

    Parameters
    ----------
    size : {"quick", "paper"}
        The paper has no data. "quick" has 4 simulated and 6 real sets and up to 500 test cases of each; "paper" 4 more
        real ones, and up to 2000 cases.
    sets : sequence of str, optional
        Other real data sets, by their names in :func:`pwcstats.datasets.load`.
    random_state : int
        What all seeds derive from.
    **how
        n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        For each set of data and learner the largest difference of any case and class.
    """
    runs = run_cells(weighted, _cells(size, sets, random_state), **how)
    return _none_of(runs, "deviation", "largest difference of probabilities", digits=12)


def theorem2(
    size: Size = "quick", *, sets: Sequence[str] | None = None, random_state: int = 0, **how: Any
) -> pd.DataFrame:
    """Weighted voting of naive Bayes's pairs ranks the classes as naive Bayes does.

    Parameters
    ----------
    size, sets, random_state, **how
        As of :func:`theorem1`.

    Returns
    -------
    DataFrame
        For each set of data and learner the number of test cases whose rankings differ.
    """
    return _rankings("sum", size, sets, random_state, how)


def theorem3(
    size: Size = "quick", *, sets: Sequence[str] | None = None, random_state: int = 0, **how: Any
) -> pd.DataFrame:
    """Unweighted voting of naive Bayes's pairs, half a vote in ties, ranks the classes as naive Bayes does.

    Parameters
    ----------
    size, sets, random_state, **how
        As of :func:`theorem1`.

    Returns
    -------
    DataFrame
        As of :func:`theorem2`.
    """
    return _rankings("vote", size, sets, random_state, how)


def _cells(size: Size, sets: Sequence[str] | None, random_state: int) -> list[Record]:
    """Data and learners of the theorems."""
    real = chosen(size, REAL, REAL + LARGE) if sets is None else sets
    tasks = [(data, "categorical") for data in (*SIMULATED, TWINS, *real)]
    tasks += [(data, "Gaussian") for data in real if data in GAUSSIAN]
    most = chosen(size, 500, 2000)
    return [{"data": data, "learner": learner, "most": most, "seed": random_state} for data, learner in tasks]


def _none_of(runs: pd.DataFrame, column: str, quantity: str, digits: int = 0) -> pd.DataFrame:
    """What should be 0, each with the number of cases that were tried."""
    by = ["data", "learner"]
    keys = [tuple(key) for key in runs[by].to_numpy().tolist()]
    notes = dict(zip(keys, _counts(runs), strict=True))
    return beside(
        runs, by, column, dict.fromkeys(keys, 0.0), quantity=quantity, digits=digits, note=lambda *key: notes[key]
    )


def _counts(runs: pd.DataFrame) -> list[str]:
    """Cases of each run in words, and how many of them have ties."""
    ties = runs["ties"] if "ties" in runs else [0] * len(runs)
    return [
        f"{cases} cases, {classes} classes" + (f"; {counted(tied, 'case')} with ties" if tied else "")
        for cases, classes, tied in zip(runs["cases"], runs["classes"], ties, strict=True)
    ]


def _rankings(voting: str, size: Size, sets: Sequence[str] | None, random_state: int, how: Any) -> pd.DataFrame:
    cells = [cell | {"voting": voting} for cell in _cells(size, sets, random_state)]
    return _none_of(run_cells(voted, cells, **how), "differ", "rankings that differ")


def example(size: Size = "quick", *, random_state: int = 0, **how: Any) -> pd.DataFrame:
    """Weighted voting of pairs that are transitive, yet not those of one set of probabilities (end of Section 4.2).

    Parameters
    ----------
    size : {"quick", "paper"}
        Both are the same here.
    random_state, **how
        As elsewhere; nothing is random, and nothing runs long.

    Returns
    -------
    DataFrame
        A row for the sum of each class, and for what the paper says of them.
    """
    chosen(size, None, None)
    r = np.array(R_EXAMPLE)
    sums = couple(r, "sum", condensed=True) * len(r)
    table = beside(pd.DataFrame({"class": list("123"), "s": sums}), ["class"], "s", PAPER_EXAMPLE, digits=1)
    full = np.array([[0.5, r[0], r[1]], [1 - r[0], 0.5, r[2]], [1 - r[1], 1 - r[2], 0.5]])
    agree = np.array_equal(np.sign(full - 0.5), in_order(np.array([P_EXAMPLE]))[0])
    claims = [
        claim("the pairs are transitive", not intransitive(full[None]).any()),
        claim("the pairs agree with the ranking of p = (0.6, 0.3, 0.1)", agree),
        claim("weighted voting ranks the classes 2, 1, 3", np.argsort(-sums).tolist() == [1, 0, 2]),
    ]
    return pd.concat([table, *claims], ignore_index=True)


def transitivity(size: Size = "quick", *, random_state: int = 0, **how: Any) -> pd.DataFrame:
    """Pairs that go round in a circle, and pairs that are reversed by other classes: naive Bayes, QDA and LDA.

    Parameters
    ----------
    size, random_state, **how
        As of :func:`theorem1`.

    Returns
    -------
    DataFrame
        For each set of data and learner the share of test cases against (5), of those in which a pair of classes is
        ranked in another way by the learner of all classes, and of those which plain voting ranks in another way.
    """
    most = chosen(size, 500, 2000)
    learners = ("naive Bayes", "QDA", "LDA")
    cells = [
        {"data": data, "learner": learner, "most": most, "seed": random_state}
        for data in CONTINUOUS
        for learner in learners
    ]
    runs = run_cells(circles, cells, **how)
    parts = []
    for column, quantity in CIRCLES.items():
        none = {(data, learner): 0.0 for data in CONTINUOUS for learner in learners[:2]}
        parts.append(beside(runs, ["data", "learner"], column, none, quantity=quantity, digits=12))
    linear = runs[runs["learner"] == "LDA"]
    against, reversed_ = float(linear["circles"].max()), float(linear["reversed"].max())
    note = "the largest share of cases, of LDA's pairs"
    parts.append(claim("transitivity is not guaranteed for other learners", against > 0.0, against, note=note))
    parts.append(claim("class-order invariance does not hold for all learners", reversed_ > 0.0, reversed_, note=note))
    return pd.concat(parts, ignore_index=True)


def section5(size: Size = "quick", *, random_state: int = 0, **how: Any) -> pd.DataFrame:
    """Three classes and two attributes: naive Bayes says C, one against all says B.

    Parameters
    ----------
    size : {"quick", "paper"}
        Both are the same here.
    random_state, **how
        As elsewhere; nothing is random, and nothing runs long.

    Returns
    -------
    DataFrame
        Posteriors at X = Y = 1, and the classes that are predicted.
    """
    chosen(size, None, None)
    posteriors = three_classes()
    runs = posteriors.melt(ignore_index=False, var_name="method", value_name="p").reset_index(names="class")
    printed = {
        (method, label): above / below
        for method, fractions in PAPER_5.items()
        for label, (above, below) in fractions.items()
    }
    by = ["method", "class"]
    table = beside(runs, by, "p", printed, quantity="posterior", digits=9, note=_note_5)
    says = {method: str(posteriors[method].idxmax()) for method in posteriors}
    claims = [
        claim("naive Bayes predicts C", says["naive Bayes"] == "C"),
        claim("one against all predicts B", says["one against all"] == "B"),
        claim("pairwise naive Bayes is naive Bayes: coupled, it predicts C", says["pairs"] == "C"),
        claim(
            "the posteriors of one against all do not sum up to 1",
            abs(posteriors["one against all"].sum() - 1.0) > TIE,
            float(posteriors["one against all"].sum()),
            note="their sum",
        ),
    ]
    return pd.concat([table, *claims], ignore_index=True)


def _note_5(method: str, label: str) -> str:
    if method in PAPER_5:
        return "printed as {}/{}".format(*PAPER_5[method][label])
    return "coupled pairs"


def one_against_all(
    size: Size = "quick",
    *,
    sets: Sequence[str] | None = None,
    splits: int | None = None,
    random_state: int = 0,
    **how: Any,
) -> pd.DataFrame:
    """How often one-against-all naive Bayes is not naive Bayes, and which of them is right more often.

    Parameters
    ----------
    size : {"quick", "paper"}
        As of :func:`theorem1`; 5 or 20 random splits, or simulations, of each set.
    sets : sequence of str, optional
        Other real data sets, by their names in :func:`pwcstats.datasets.load`.
    splits : int, optional
        Another number of splits.
    random_state : int
        What all seeds derive from.
    **how
        n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        For each set of data the shares of test cases that get another class and another ranking, naive Bayes's
        accuracy, and what one against all adds to it.
    """
    real = chosen(size, REAL, REAL + LARGE) if sets is None else sets
    n = chosen(size, 5, 20) if splits is None else splits
    most = chosen(size, 500, 2000)
    cells = [
        {"data": data, "most": most, "seed": seed_of("split", random_state, number)}
        for data in (*SIMULATED, *real)
        for number in range(n)
    ]
    runs = run_cells(compared, cells, **how)
    parts = [
        beside(runs, ["data"], column, {}, quantity=quantity, note=_note_split) for column, quantity in COMPARED.items()
    ]
    apart = runs.groupby("data", sort=False)["other"].mean() > 0.0
    words = "one-against-all naive Bayes is not naive Bayes"
    note = f"share of the {len(apart)} sets of data with a case that gets another class; holds above 0"
    return pd.concat([*parts, claim(words, bool(apart.any()), float(apart.mean()), note=note)], ignore_index=True)


def _note_split(data: str) -> str:
    return "" if data in SIMULATED else "splits of the same cases: the standard error is too small"


def _draw_5(frame: Any) -> Figure:
    return plot.posteriors(three_classes())


TITLE = "Sulzmann, Fürnkranz & Hüllermeier (2007): pairwise naive Bayes classifiers"
REFERENCE = (
    "Sulzmann, J.-N., Fürnkranz, J. and Hüllermeier, E. (2007). On pairwise naive Bayes classifiers. ECML 2007, LNCS "
    "4701, 371-381. https://doi.org/10.1007/978-3-540-74958-5_35"
)
_DATA = (
    "The paper proves it and has no data. Here it is tried on simulated data, also with each class twice, and on "
    "real data, two thirds of the cases for training: categorical naive Bayes (numbers are cut into five parts of "
    "equal size) and, where no column is constant within a class, Gaussian naive Bayes. Each pair is a fit of its own. "
)
EXHIBITS = (
    Exhibit(
        "theorem1",
        "Theorem 1: weights that give naive Bayes back",
        _DATA + "With the weights P(c_i or c_j | x) / (m - 1) the sums of the pairs' probabilities are naive Bayes's "
        "own probabilities, up to rounding.",
        theorem1,
    ),
    Exhibit(
        "theorem2",
        "Theorem 2: weighted voting ranks as naive Bayes",
        _DATA + "Classes tie here if their log posteriors are within 1e-9. What is counted are test cases whose "
        "rankings, from the first class to the last, are not the same.",
        theorem2,
    ),
    Exhibit(
        "theorem3",
        "Theorem 3: unweighted voting ranks as naive Bayes",
        _DATA + "Pairs of probability 1/2 give half a vote to each class (Remark 1); the data with each class twice "
        "have such ties in every case.",
        theorem3,
    ),
    Exhibit(
        "example",
        "Section 4.2: transitive pairs that weighted voting ranks otherwise",
        "Three pairs that agree with the ranking of p = (0.6, 0.3, 0.1), but are not p_i / (p_i + p_j). Weighted "
        "voting puts the second class first.",
        example,
    ),
    Exhibit(
        "transitivity",
        "(5) and class-order invariance: naive Bayes, QDA, LDA",
        "The paper says that pairs of naive Bayes are transitive, and that Theorem 3 holds for every learner whose "
        "order of two classes does not depend on the others. QDA is such a learner. LDA is not, for its covariance is "
        "pooled over the classes: its pairs go round in circles, and votes rank otherwise than LDA of all classes.",
        transitivity,
    ),
    Exhibit(
        "section5",
        "Section 5: one against all is not naive Bayes",
        "The paper's example of three classes of ten cases and two attributes, at X = Y = 1. Smoothing is 1e-12 "
        "instead of none, for scikit-learn takes logarithms of the frequencies, some of which are 0.",
        section5,
        _draw_5,
    ),
    Exhibit(
        "one_against_all",
        "Section 5, continued: how often one against all differs",
        "Not in the paper, which has the example only. Categorical naive Bayes on simulated and real data, all classes "
        "at once and one against all, on random splits. The class seldom changes, the whole ranking often, and the "
        "more so the more classes there are. Splits share cases, so the standard errors of real data are too small.",
        one_against_all,
        plot.one_against_all,
    ),
)
