"""Sulzmann, Fürnkranz & Hüllermeier (2007): Theorems 1 to 3, rank correlation, transitivity, Section 5."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pwcstats import plot
from pwcstats._text import counted
from pwcstats.coupling import couple
from pwcstats.plot.papers import GAIN, SHARES
from pwcstats.plot.style import Panels
from pwcstats.studies.running import Record, Size, by_size, count_or_default, names_or_default, run_cells
from pwcstats.studies.sulzmann_runs import (
    PLACKETT_LUCE,
    SIMULATED,
    TWINS,
    circles,
    compared,
    in_order,
    intransitive,
    random_rankings,
    three_classes,
    voted,
    weighted,
)
from pwcstats.studies.tables import Exhibit, claim, compare_with_paper, keep_verdicts

__all__ = [
    "EXHIBITS", "PAPER_5", "PAPER_EXAMPLE", "example", "one_against_all", "section5", "spearman", "theorem1",
    "theorem2", "theorem3", "transitivity",
]  # fmt: skip

# Section 4.2: probabilities, pairs (1,2), (1,3), (2,3), and sums of the pairs.
P_EXAMPLE, R_EXAMPLE = (0.6, 0.3, 0.1), (0.6, 0.6, 0.9)
PAPER_EXAMPLE = {"1": 1.2, "2": 1.3, "3": 0.5}
# Section 5: posteriors of A, B and C at X = Y = 1, as fractions.
PAPER_5 = {
    "naive Bayes": {"A": (4, 15), "B": (5, 15), "C": (6, 15)},
    "one against all": {"A": (2, 9), "B": (4, 15), "C": (8, 41)},
}
REAL = ("iris", "wine", "vehicle", "vowel", "digits", "nursery")
LARGE = ("segment", "satimage", "penbased", "letter")
# In these data sets no column is constant within a class, so normal densities need no smoothing.
GAUSSIAN = ("iris", "wine", "vehicle", "vowel")
# Difference of equal probabilities due to rounding.
ROUNDING = 1e-12
# A count is 0 if it is below this.
ANY = 0.5
# A share is 0 if it is below this: the data sets have fewer cases.
ONE_CASE = 1e-5
# Data sets with more cases than columns in each class, learners that need these, and what is counted.
CONTINUOUS = ("iris", "wine", "vowel")
LEARNERS = ("naive Bayes", "QDA", "LDA")
CIRCLES = {
    "circles": "cases against (5)",
    "reversed": "cases with a pair that other classes reverse",
    "voting": "cases that plain voting ranks otherwise",
}
# Distributions of random rankings, and numbers of classes.
RANKINGS, CLASSES = ("any", PLACKETT_LUCE), (3, 4, 5, 6)
COMPARED = {
    "other": SHARES[0],
    "ranked": SHARES[1],
    "right": "accuracy of naive Bayes",
    "gain": GAIN,
}


def theorem1(size: Size = "quick", *, sets: Sequence[str] | None = None, **how: Any) -> pd.DataFrame:
    """Pairs of naive Bayes with the weights P(c_i or c_j | x) / (K - 1) give the probabilities of naive Bayes.

    Parameters
    ----------
    size : {"quick", "paper"}
        The paper has no data. "quick" uses 5 simulated and 6 real data sets with up to 500 test cases each; "paper"
        uses 4 more real ones, and up to 2000 test cases.
    sets : sequence of str, optional
        Other real data sets, by their names in :func:`pwcstats.datasets.load`.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        The largest difference over cases and classes for each data set and learner, and whether the theorem holds.
    """
    runs = run_cells(weighted, _cells(size, sets), **how)
    theorem = "weighted pairs give naive Bayes's own probabilities"
    return _proved(runs, "deviation", "largest difference of probabilities", theorem, runs["deviation"].max(), ROUNDING)


def theorem2(size: Size = "quick", *, sets: Sequence[str] | None = None, **how: Any) -> pd.DataFrame:
    """Weighted voting of pairs of naive Bayes ranks the classes as naive Bayes does.

    Parameters
    ----------
    size, sets, **how
        As in :func:`theorem1`.

    Returns
    -------
    DataFrame
        The number of test cases with different rankings for each data set and learner, and whether the theorem holds.
    """
    return _rankings("sum", "weighted voting ranks the classes as naive Bayes", size, sets, how)


def theorem3(size: Size = "quick", *, sets: Sequence[str] | None = None, **how: Any) -> pd.DataFrame:
    """Unweighted voting of pairs of naive Bayes, half a vote in ties, ranks the classes as naive Bayes does.

    Parameters
    ----------
    size, sets, **how
        As in :func:`theorem1`.

    Returns
    -------
    DataFrame
        As :func:`theorem2` returns it.
    """
    return _rankings("vote", "unweighted voting ranks the classes as naive Bayes", size, sets, how)


def _cells(size: Size, sets: Sequence[str] | None) -> list[Record]:
    """Data sets and learners of the theorems."""
    real = names_or_default(sets, by_size(size, REAL, REAL + LARGE))
    tasks = [(data, "categorical") for data in (*SIMULATED, TWINS, *real)]
    tasks += [(data, "Gaussian") for data in real if data in GAUSSIAN]
    most = by_size(size, 500, 2000)
    return [{"data": data, "learner": learner, "most": most} for data, learner in tasks]


def _proved(runs: pd.DataFrame, column: str, quantity: str, theorem: str, most: float, cut: float) -> pd.DataFrame:
    """The results of each data set and learner, which the paper does not have, and one verdict on the theorem."""
    by = ["data", "learner"]
    notes = dict(zip((tuple(key) for key in runs[by].to_numpy().tolist()), _counts(runs), strict=True))
    table = compare_with_paper(runs, by, column, {}, quantity=quantity, note=lambda *key: notes[key])
    sets = counted(runs["data"].nunique(), "set")
    note = f"{quantity} in {runs['cases'].sum()} cases, of {sets} of data with one or two learners"
    return pd.concat([table, claim(theorem, most, 0.0, note, below=cut)], ignore_index=True)


def _counts(runs: pd.DataFrame) -> list[str]:
    """Notes on the numbers of cases and classes of each run, and of cases with ties."""
    ties = runs["ties"] if "ties" in runs else [0] * len(runs)
    return [
        f"{cases} cases, {classes} classes" + (f"; {counted(tied, 'case')} with ties" if tied else "")
        for cases, classes, tied in zip(runs["cases"], runs["classes"], ties, strict=True)
    ]


def _rankings(voting: str, theorem: str, size: Size, sets: Sequence[str] | None, how: Any) -> pd.DataFrame:
    cells = [cell | {"voting": voting} for cell in _cells(size, sets)]
    runs = run_cells(voted, cells, **how)
    return _proved(runs, "differ", "rankings that differ", theorem, runs["differ"].sum(), ANY)


def spearman(size: Size = "quick", *, samples: int | None = None, **how: Any) -> pd.DataFrame:
    """Weighted voting of the true pairs has the largest expected Spearman correlation with the true ranking.

    Parameters
    ----------
    size : {"quick", "paper"}
        The paper has no data. "quick" uses 100, "paper" 1000 random distributions of rankings for each number of
        classes, from 3 to 6.
    samples : int, optional
        Another number of distributions.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        How far the ranking of each kind of voting stays below the best of all rankings at most, for any distributions
        and for those of Plackett and Luce, whose pairs are p_i / (p_i + p_j); then the statements of the paper.
    """
    n = count_or_default(samples, "samples", by_size(size, 100, 1000))
    cells = [{"rankings": name, "n_classes": k, "samples": n} for name in RANKINGS for k in CLASSES]
    runs = run_cells(random_rankings, cells, **how)
    quantity = "expected Spearman correlation below the largest"
    table = compare_with_paper(runs, ["rankings", "n_classes", "voting"], "below", {}, quantity=quantity)
    table = table.assign(note=f"largest of {counted(n, 'distribution')} of rankings").astype({"n_classes": "Int64"})
    most = runs.groupby("voting")["below"].max()
    return pd.concat(
        [
            table,
            claim(
                "weighted voting optimizes the Spearman rank correlation",
                most["weighted"],
                0.0,
                f"largest shortfall of {counted(n * len(cells), 'distribution')}; that of plain voting is "
                f"{most['plain']:.2f}",
                below=ROUNDING,
            ),
            claim(
                "the regular naive Bayes also optimizes the Spearman rank correlation",
                most["none, class probabilities"],
                note="largest shortfall of the order of p, Plackett-Luce; follows from the above and Theorem 2",
            ),
        ],
        ignore_index=True,
    )


def example(size: Size = "quick", **how: Any) -> pd.DataFrame:
    """Weighted voting of transitive pairs that no class probabilities give (end of Section 4.2).

    Parameters
    ----------
    size : {"quick", "paper"}
        Both are the same here.
    **how
        As elsewhere; nothing is random, and nothing runs long.

    Returns
    -------
    DataFrame
        One row for the sum of each class, then the statements of the paper.
    """
    by_size(size, None, None)
    r = np.array(R_EXAMPLE)
    sums = couple(r, "sum", condensed=True) * len(r)
    table = compare_with_paper(
        pd.DataFrame({"class": list("123"), "s": sums}), ["class"], "s", PAPER_EXAMPLE, digits=1, exact=True
    )
    # The third follows from the first two, because they sum to 3.
    table = keep_verdicts(table, table["class"] != "3")
    full = np.array([[0.5, r[0], r[1]], [1 - r[0], 0.5, r[2]], [1 - r[1], 1 - r[2], 0.5]])
    differ = int((np.sign(full - 0.5) != in_order(np.array([P_EXAMPLE]))[0]).sum()) // 2
    violation = "against (5)" if intransitive(full[None]).any() else "not against (5)"
    ranking = ", ".join(str(index + 1) for index in np.argsort(-sums))
    claims = [
        claim("the pairs agree with the ranking of p = (0.6, 0.3, 0.1)", differ, 0.0, "pairs that do not", below=ANY),
        claim("the pairs are transitive", note=f"{violation}; follows from the ranking"),
        claim("weighted voting ranks the classes 2, 1, 3", note=f"here {ranking}; follows from the sums"),
    ]
    return pd.concat([table, *claims], ignore_index=True)


def transitivity(size: Size = "quick", **how: Any) -> pd.DataFrame:
    """Intransitive pairs, and pairs whose order depends on other classes, for naive Bayes, QDA and LDA.

    Parameters
    ----------
    size, **how
        As in :func:`theorem1`.

    Returns
    -------
    DataFrame
        For each data set and learner, the shares of test cases that violate (5), in which the learner of all classes
        ranks a pair of classes differently, and that plain voting ranks differently.
    """
    most = by_size(size, 500, 2000)
    cells = [{"data": data, "learner": learner, "most": most} for data in CONTINUOUS for learner in LEARNERS]
    runs = run_cells(circles, cells, **how)
    parts = [
        compare_with_paper(runs, ["data", "learner"], column, {}, quantity=quantity)
        for column, quantity in CIRCLES.items()
    ]
    return pd.concat([*parts, *_claims(runs)], ignore_index=True)


def _claims(runs: pd.DataFrame) -> list[pd.DataFrame]:
    """The statements on transitivity and on the order of classes, each with the largest share of cases."""
    bayes, quadratic, linear = (runs[runs["learner"] == learner] for learner in LEARNERS)
    steady = quadratic[quadratic["reversed"] == 0.0]
    reversed_, voting = CIRCLES["reversed"], CIRCLES["voting"]
    none, some = {"below": ONE_CASE}, {"above": ONE_CASE}
    rows: list[tuple[str, Any, Any, str]] = [
        ("naive Bayes is class-order-invariant", none, bayes["reversed"], reversed_),
        ("its pairs are transitive, (5)", {}, bayes["circles"], "cases against (5); follows from the above"),
        (
            "Theorem 3 holds for all class-order-invariant learners",
            {},
            steady["voting"],
            f"{voting}, of QDA, which is such a learner on {counted(len(steady), 'set')} of data; follows from that",
        ),
        (
            "transitivity is not guaranteed for other learners",
            some,
            linear["circles"],
            f"cases against (5), of LDA's pairs: {_sets(linear, 'circles')}",
        ),
        (
            "class-order invariance does not hold for all learners",
            {},
            linear["reversed"],
            f"{reversed_}, of LDA's: {_sets(linear, 'reversed')}; follows from the above",
        ),
    ]
    return [claim(text, shares.max(), 0.0, f"largest share of {what}", **cut) for text, cut, shares, what in rows]


def _sets(runs: pd.DataFrame, column: str) -> str:
    """The data sets with any such case."""
    found = runs.loc[runs[column] > 0.0, "data"]
    return f"on {', '.join(found)}, of {len(runs)} sets of data" if len(found) else "none"


def section5(size: Size = "quick", **how: Any) -> pd.DataFrame:
    """Three classes and two attributes: naive Bayes predicts C, one against all predicts B.

    Parameters
    ----------
    size : {"quick", "paper"}
        Both are the same here.
    **how
        As elsewhere; nothing is random, and nothing runs long.

    Returns
    -------
    DataFrame
        Posteriors at X = Y = 1, and the predicted classes.
    """
    by_size(size, None, None)
    posteriors = three_classes()
    runs = posteriors.melt(ignore_index=False, var_name="method", value_name="p").reset_index(names="class")
    printed = {
        (method, label): above / below
        for method, fractions in PAPER_5.items()
        for label, (above, below) in fractions.items()
    }
    by = ["method", "class"]
    table = compare_with_paper(
        runs, by, "p", printed, quantity="posterior", digits=9, exact=True, plausible=(0.0, 1.0), note=_note_5
    )
    # The posteriors of naive Bayes sum to 1, so the last one follows.
    table = keep_verdicts(table, (table["method"] != "naive Bayes") | (table["class"] != "C"))
    total = float(posteriors["one against all"].sum())
    predicted = {method: f"here {posteriors[method].idxmax()}; follows from the posteriors" for method in posteriors}
    claims = [
        claim("naive Bayes predicts C", note=predicted["naive Bayes"]),
        claim("one against all predicts B", note=predicted["one against all"]),
        claim("the posteriors of one against all do not sum up to 1", total, note="their sum; follows from them"),
    ]
    return pd.concat([table, *claims], ignore_index=True)


def _note_5(method: str, label: str) -> str:
    if method in PAPER_5:
        return "printed as {}/{}".format(*PAPER_5[method][label])
    return "coupled pairs"


def one_against_all(
    size: Size = "quick", *, sets: Sequence[str] | None = None, splits: int | None = None, **how: Any
) -> pd.DataFrame:
    """How often one-against-all naive Bayes differs from naive Bayes, and which is more accurate.

    Parameters
    ----------
    size : {"quick", "paper"}
        As in :func:`theorem1`, without the data with duplicated classes; 5 or 20 random splits (or simulations) of each
        data set.
    sets : sequence of str, optional
        Other real data sets, by their names in :func:`pwcstats.datasets.load`.
    splits : int, optional
        Another number of splits.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        For each data set, the shares of test cases that get another class and another ranking, the accuracy of naive
        Bayes, and the difference to that of one against all.
    """
    real = names_or_default(sets, by_size(size, REAL, REAL + LARGE))
    n = count_or_default(splits, "splits", by_size(size, 5, 20))
    most = by_size(size, 500, 2000)
    cells = [{"data": data, "most": most, "split": number} for data in (*SIMULATED, *real) for number in range(n)]
    runs = run_cells(compared, cells, **how)
    parts = [
        compare_with_paper(runs, ["data"], column, {}, quantity=quantity, note=_note_split)
        for column, quantity in COMPARED.items()
    ]
    apart = runs.groupby("data", sort=False)["other"].mean() > 0.0
    statement = "one-against-all naive Bayes is not naive Bayes"
    note = f"share of the {len(apart)} sets of data with a case that gets another class; follows from the example"
    return pd.concat([*parts, claim(statement, float(apart.mean()), note=note)], ignore_index=True)


def _note_split(data: str) -> str:
    return "" if data in SIMULATED else "splits of the same cases: the standard error is too small"


def _draw_5(frame: Any) -> Panels:
    return plot.posteriors(three_classes())


TITLE = "Sulzmann, Fürnkranz & Hüllermeier (2007): pairwise naive Bayes classifiers"
# What we found while its tables were recomputed.
FINDING = "One against all changes the class of up to 4.4 % of the cases."
REFERENCE = (
    "Sulzmann, J.-N., Fürnkranz, J. and Hüllermeier, E. (2007). On pairwise naive Bayes classifiers. ECML 2007, LNCS "
    "4701, 371-381. https://doi.org/10.1007/978-3-540-74958-5_35"
)
_DATA = (
    "The paper has a proof and no data. Here, the theorem is checked on simulated data (also with each class "
    "duplicated) and on real data, with two thirds of the cases for training. The learners are categorical naive Bayes "
    "(numbers are discretised into five bins of equal counts) and, if no column is constant within a class, Gaussian "
    "naive Bayes. Each pair is fitted separately. There is one verdict for all data sets. "
)
OPTIONS = (
    "Pairs of scikit-learn's naive Bayes (QDA and LDA in (5)), each fitted separately, with the probabilities that "
    'these learners give (calibration=None), coupled by "bayes", "sum" and "vote".'
)
EXHIBITS = (
    Exhibit(
        "theorem1",
        "Theorem 1: weighted pairs give naive Bayes",
        _DATA + "With the weights P(c_i or c_j | x) / (m - 1), the sums of the pairwise probabilities are the "
        "probabilities of naive Bayes, up to rounding.",
        theorem1,
    ),
    Exhibit(
        "theorem2",
        "Theorem 2: weighted voting ranks as naive Bayes",
        _DATA + "Classes tie if their log posteriors differ by less than 1e-9. The table counts the test cases whose "
        "complete rankings differ.",
        theorem2,
    ),
    Exhibit(
        "theorem3",
        "Theorem 3: unweighted voting ranks as naive Bayes",
        _DATA + "A pair with probability 1/2 gives half a vote to each class (Remark 1). The data with duplicated "
        "classes have such ties in every case.",
        theorem3,
    ),
    Exhibit(
        "spearman",
        "Section 4.2: weighted voting and the Spearman rank correlation",
        "The paper says that weighted voting optimizes the expected Spearman correlation of its ranking with the true "
        "one, if the pairwise probabilities are true, and concludes that naive Bayes does so, too. It cites a proof "
        "and has no data. Here, we draw distributions over all rankings of 3 to 6 classes, and compute their pairs. "
        "The expected correlation of the ranking by votes is compared with that of every other ranking. For naive "
        "Bayes, the rankings have the distribution of Plackett and Luce, whose pairs are p_i / (p_i + p_j). Plain "
        "voting, with ties in the order of the classes, is shown for comparison. The paper says nothing about it here.",
        spearman,
    ),
    Exhibit(
        "example",
        "Section 4.2: transitive pairs that weighted voting ranks differently",
        "Three pairs that agree with the ranking of p = (0.6, 0.3, 0.1), but are not p_i / (p_i + p_j). Weighted "
        "voting ranks the second class first. Two of the sums and the order of the pairs are judged; the rest follows.",
        example,
    ),
    Exhibit(
        "transitivity",
        "(5) and class-order invariance: naive Bayes, QDA, LDA",
        "The paper says that pairs of naive Bayes are transitive, and that Theorem 3 holds for every learner whose "
        "order of two classes does not depend on the other classes. QDA is such a learner. LDA is not, because it "
        "pools the covariance over the classes: on all three data sets, the votes of its pairs rank differently from "
        "LDA of all classes. Its pairs are intransitive only for the eleven vowels, not for the three classes of the "
        "other data sets. The paper has no numbers for single data sets. Statements that follow from "
        "others have no verdict.",
        transitivity,
    ),
    Exhibit(
        "section5",
        "Section 5: one against all is not naive Bayes",
        "The example of the paper with three classes of ten cases and two attributes, at X = Y = 1. We use a smoothing "
        "of 1e-12 instead of none, because scikit-learn takes logarithms of the frequencies, some of which are 0. All "
        "posteriors are judged except the last of naive Bayes, which follows because they sum to 1. The predicted "
        "classes follow from them, too.",
        section5,
        _draw_5,
    ),
    Exhibit(
        "one_against_all",
        "Section 5, continued: how often one against all differs",
        "Not in the paper, which has only the example. Categorical naive Bayes on simulated and real data, all classes "
        "at once and one against all, on random splits. The predicted class seldom changes. The ranking often changes, "
        "and more often with more classes. Splits share cases, so the standard errors for real data are too small.",
        one_against_all,
        plot.one_against_all,
    ),
)
