"""Sulzmann, Fürnkranz & Hüllermeier (2007): Theorems 1 to 3, transitivity, Section 5."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from pwcstats import plot
from pwcstats._text import counted
from pwcstats.coupling import couple
from pwcstats.studies.running import Record, Size, chosen, count_of, names_of, run_cells
from pwcstats.studies.sulzmann_runs import (
    SIMULATED,
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
    "EXHIBITS", "PAPER_5", "PAPER_EXAMPLE", "example", "one_against_all", "section5", "theorem1", "theorem2",
    "theorem3", "transitivity",
]  # fmt: skip

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
# What rounding makes of probabilities that are the same.
ROUNDING = 1e-12
# Sets for learners that need more cases than columns in each class, these learners, and what is counted of their pairs.
CONTINUOUS = ("iris", "wine", "vowel")
LEARNERS = ("naive Bayes", "QDA", "LDA")
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


def theorem1(size: Size = "quick", *, sets: Sequence[str] | None = None, **how: Any) -> pd.DataFrame:
    """Pairs of naive Bayes with the weights P(c_i or c_j | x) / (K - 1) give naive Bayes's own probabilities.

    Parameters
    ----------
    size : {"quick", "paper"}
        The paper has no data. "quick" has 5 simulated and 6 real sets and up to 500 test cases of each; "paper" 4 more
        real ones, and up to 2000 cases.
    sets : sequence of str, optional
        Other real data sets, by their names in :func:`pwcstats.datasets.load`.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        For each set of data and learner the largest difference of any case and class, and whether the theorem holds.
    """
    runs = run_cells(weighted, _cells(size, sets), **how)
    words = "weighted pairs give naive Bayes's own probabilities"
    return _proved(runs, "deviation", "largest difference of probabilities", words, runs["deviation"].max())


def theorem2(size: Size = "quick", *, sets: Sequence[str] | None = None, **how: Any) -> pd.DataFrame:
    """Weighted voting of naive Bayes's pairs ranks the classes as naive Bayes does.

    Parameters
    ----------
    size, sets, **how
        As of :func:`theorem1`.

    Returns
    -------
    DataFrame
        For each set of data and learner the number of test cases whose rankings differ, and whether the theorem holds.
    """
    return _rankings("sum", "weighted voting ranks the classes as naive Bayes", size, sets, how)


def theorem3(size: Size = "quick", *, sets: Sequence[str] | None = None, **how: Any) -> pd.DataFrame:
    """Unweighted voting of naive Bayes's pairs, half a vote in ties, ranks the classes as naive Bayes does.

    Parameters
    ----------
    size, sets, **how
        As of :func:`theorem1`.

    Returns
    -------
    DataFrame
        As of :func:`theorem2`.
    """
    return _rankings("vote", "unweighted voting ranks the classes as naive Bayes", size, sets, how)


def _cells(size: Size, sets: Sequence[str] | None) -> list[Record]:
    """Data and learners of the theorems."""
    real = names_of(sets, chosen(size, REAL, REAL + LARGE))
    tasks = [(data, "categorical") for data in (*SIMULATED, TWINS, *real)]
    tasks += [(data, "Gaussian") for data in real if data in GAUSSIAN]
    most = chosen(size, 500, 2000)
    return [{"data": data, "learner": learner, "most": most} for data, learner in tasks]


def _proved(runs: pd.DataFrame, column: str, quantity: str, words: str, most: float) -> pd.DataFrame:
    """Each set of data and learner, none of which is in print, and by all of them at once what the paper proves."""
    by = ["data", "learner"]
    notes = dict(zip((tuple(key) for key in runs[by].to_numpy().tolist()), _counts(runs), strict=True))
    table = beside(runs, by, column, {}, quantity=quantity, note=lambda *key: notes[key])
    sets = counted(runs["data"].nunique(), "set")
    note = f"{quantity} in {runs['cases'].sum()} cases, of {sets} of data with one or two learners"
    return pd.concat([table, claim(words, most < ROUNDING, most, note=note)], ignore_index=True)


def _counts(runs: pd.DataFrame) -> list[str]:
    """Cases of each run in words, and how many of them have ties."""
    ties = runs["ties"] if "ties" in runs else [0] * len(runs)
    return [
        f"{cases} cases, {classes} classes" + (f"; {counted(tied, 'case')} with ties" if tied else "")
        for cases, classes, tied in zip(runs["cases"], runs["classes"], ties, strict=True)
    ]


def _rankings(voting: str, words: str, size: Size, sets: Sequence[str] | None, how: Any) -> pd.DataFrame:
    cells = [cell | {"voting": voting} for cell in _cells(size, sets)]
    runs = run_cells(voted, cells, **how)
    return _proved(runs, "differ", "rankings that differ", words, runs["differ"].sum())


def example(size: Size = "quick", **how: Any) -> pd.DataFrame:
    """Weighted voting of pairs that are transitive, yet not those of one set of probabilities (end of Section 4.2).

    Parameters
    ----------
    size : {"quick", "paper"}
        Both are the same here.
    **how
        As elsewhere; nothing is random, and nothing runs long.

    Returns
    -------
    DataFrame
        A row for the sum of each class, and for what the paper says of them.
    """
    chosen(size, None, None)
    r = np.array(R_EXAMPLE)
    sums = couple(r, "sum", condensed=True) * len(r)
    table = beside(pd.DataFrame({"class": list("123"), "s": sums}), ["class"], "s", PAPER_EXAMPLE, digits=1, exact=True)
    # With two of them all are known, for they sum up to 3.
    table["agrees"] = table["agrees"].where(table["class"] != "3")
    full = np.array([[0.5, r[0], r[1]], [1 - r[0], 0.5, r[2]], [1 - r[1], 1 - r[2], 0.5]])
    agree = np.array_equal(np.sign(full - 0.5), in_order(np.array([P_EXAMPLE]))[0])
    circle = "against (5)" if intransitive(full[None]).any() else "not against (5)"
    ranking = ", ".join(str(place + 1) for place in np.argsort(-sums))
    claims = [
        claim("the pairs agree with the ranking of p = (0.6, 0.3, 0.1)", agree),
        claim("the pairs are transitive", None, note=f"{circle}; follows from the ranking"),
        claim("weighted voting ranks the classes 2, 1, 3", None, note=f"here {ranking}; follows from the sums"),
    ]
    return pd.concat([table, *claims], ignore_index=True)


def transitivity(size: Size = "quick", **how: Any) -> pd.DataFrame:
    """Pairs that go round in a circle, and pairs that are reversed by other classes: naive Bayes, QDA and LDA.

    Parameters
    ----------
    size, **how
        As of :func:`theorem1`.

    Returns
    -------
    DataFrame
        For each set of data and learner the share of test cases against (5), of those in which a pair of classes is
        ranked in another way by the learner of all classes, and of those which plain voting ranks in another way.
    """
    most = chosen(size, 500, 2000)
    cells = [{"data": data, "learner": learner, "most": most} for data in CONTINUOUS for learner in LEARNERS]
    runs = run_cells(circles, cells, **how)
    parts = [beside(runs, ["data", "learner"], column, {}, quantity=quantity) for column, quantity in CIRCLES.items()]
    return pd.concat([*parts, *_claims(runs)], ignore_index=True)


def _claims(runs: pd.DataFrame) -> list[pd.DataFrame]:
    """What the paper says of transitivity and of the order of classes, each by the largest share of cases."""
    bayes, quadratic, linear = (runs[runs["learner"] == learner] for learner in LEARNERS)
    steady = quadratic[quadratic["reversed"] == 0.0]
    reversed_, voting = CIRCLES["reversed"], CIRCLES["voting"]
    rows: list[tuple[str, bool | None, Any, str]] = [
        ("naive Bayes is class-order-invariant", not bayes["reversed"].any(), bayes["reversed"], reversed_),
        ("its pairs are transitive, (5)", None, bayes["circles"], "cases against (5); follows from the above"),
        (
            "Theorem 3 holds for all class-order-invariant learners",
            None,
            steady["voting"],
            f"{voting}, of QDA, which is such a learner on {counted(len(steady), 'set')} of data; follows from that",
        ),
        (
            "transitivity is not guaranteed for other learners",
            bool(linear["circles"].any()),
            linear["circles"],
            f"cases against (5), of LDA's pairs: {_sets(linear, 'circles')}",
        ),
        (
            "class-order invariance does not hold for all learners",
            None,
            linear["reversed"],
            f"{reversed_}, of LDA's: {_sets(linear, 'reversed')}; follows from the above",
        ),
    ]
    return [claim(words, holds, shares.max(), note=f"largest share of {what}") for words, holds, shares, what in rows]


def _sets(runs: pd.DataFrame, column: str) -> str:
    """The sets of data where there is any such case."""
    found = runs.loc[runs[column] > 0.0, "data"]
    return f"on {', '.join(found)}, of {len(runs)} sets of data" if len(found) else "none"


def section5(size: Size = "quick", **how: Any) -> pd.DataFrame:
    """Three classes and two attributes: naive Bayes says C, one against all says B.

    Parameters
    ----------
    size : {"quick", "paper"}
        Both are the same here.
    **how
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
    table = beside(runs, by, "p", printed, quantity="posterior", digits=9, exact=True, note=_note_5)
    # Of naive Bayes they sum up to 1.
    table["agrees"] = table["agrees"].where((table["method"] != "naive Bayes") | (table["class"] != "C"))
    total = float(posteriors["one against all"].sum())
    says = {method: f"here {posteriors[method].idxmax()}; follows from the posteriors" for method in posteriors}
    claims = [
        claim("naive Bayes predicts C", None, note=says["naive Bayes"]),
        claim("one against all predicts B", None, note=says["one against all"]),
        claim("the posteriors of one against all do not sum up to 1", None, total, note="their sum; follows from them"),
    ]
    return pd.concat([table, *claims], ignore_index=True)


def _note_5(method: str, label: str) -> str:
    if method in PAPER_5:
        return "printed as {}/{}".format(*PAPER_5[method][label])
    return "coupled pairs"


def one_against_all(
    size: Size = "quick", *, sets: Sequence[str] | None = None, splits: int | None = None, **how: Any
) -> pd.DataFrame:
    """How often one-against-all naive Bayes is not naive Bayes, and which of them is right more often.

    Parameters
    ----------
    size : {"quick", "paper"}
        As of :func:`theorem1`, but for classes that are there twice; 5 or 20 random splits, or simulations, of each
        set.
    sets : sequence of str, optional
        Other real data sets, by their names in :func:`pwcstats.datasets.load`.
    splits : int, optional
        Another number of splits.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        For each set of data the shares of test cases that get another class and another ranking, naive Bayes's
        accuracy, and what one against all adds to it.
    """
    real = names_of(sets, chosen(size, REAL, REAL + LARGE))
    n = count_of(splits, "splits", chosen(size, 5, 20))
    most = chosen(size, 500, 2000)
    cells = [{"data": data, "most": most, "split": number} for data in (*SIMULATED, *real) for number in range(n)]
    runs = run_cells(compared, cells, **how)
    parts = [
        beside(runs, ["data"], column, {}, quantity=quantity, note=_note_split) for column, quantity in COMPARED.items()
    ]
    apart = runs.groupby("data", sort=False)["other"].mean() > 0.0
    words = "one-against-all naive Bayes is not naive Bayes"
    note = f"share of the {len(apart)} sets of data with a case that gets another class; follows from the example"
    return pd.concat([*parts, claim(words, None, float(apart.mean()), note=note)], ignore_index=True)


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
    "All sets of data together are one verdict. "
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
        "voting puts the second class first. Two of the sums and the order of the pairs are judged; the rest follows.",
        example,
    ),
    Exhibit(
        "transitivity",
        "(5) and class-order invariance: naive Bayes, QDA, LDA",
        "The paper says that pairs of naive Bayes are transitive, and that Theorem 3 holds for every learner whose "
        "order of two classes does not depend on the others. QDA is such a learner. LDA is not, for its covariance is "
        "pooled over the classes: votes of its pairs rank otherwise than LDA of all classes, on all three sets of "
        "data. They go round in circles with the eleven vowels only, and not with the three classes of the other sets. "
        "The rows of single sets are not in print, and what follows from another statement has no verdict.",
        transitivity,
    ),
    Exhibit(
        "section5",
        "Section 5: one against all is not naive Bayes",
        "The paper's example of three classes of ten cases and two attributes, at X = Y = 1. Smoothing is 1e-12 "
        "instead of none, for scikit-learn takes logarithms of the frequencies, some of which are 0. Judged are the "
        "posteriors but one of naive Bayes's, which sum up to 1; which class is predicted follows from them.",
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
