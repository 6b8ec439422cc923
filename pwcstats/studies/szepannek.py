"""Szepannek, Bischl & Weihs (2007): Table 1, Figures 4 to 6, Table 3."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from pwcstats import plot
from pwcstats.compare import winners
from pwcstats.datasets import szepannek_classes
from pwcstats.plot.style import Panels
from pwcstats.studies.running import Size, by_size, count_or_default, run_cells
from pwcstats.studies.szepannek_runs import on_data, simulated
from pwcstats.studies.tables import COLUMNS, Exhibit, claim, compare_with_paper, keep_verdicts

__all__ = ["EXHIBITS", "PAPER_1", "PAPER_3", "figure4", "figure5", "figure6", "simulation", "table1", "table3"]

# Test errors, two decimal places.
PAPER_1 = {"LDA": 0.07, "NB": 0.14, "PWC": 0.01}
PAPER_3 = {
    ("satellite", "LDA"): 0.15, ("satellite", "NB"): 0.20, ("satellite", "PWC"): 0.18,
    ("vehicle", "LDA"): 0.26, ("vehicle", "NB"): 0.57, ("vehicle", "PWC"): 0.23,
    ("nursery", "LDA"): 0.47, ("nursery", "NB"): 0.10, ("nursery", "PWC"): 0.08,
    ("vowel", "LDA"): 0.42, ("vowel", "NB"): 0.52, ("vowel", "PWC"): 0.17,
}  # fmt: skip
# The paper may have used either version of the vowels.
DATASETS = ("satellite", "vehicle", "nursery", "vowel", "vowel_mlbench")
# The paper does not give the parameters of Table 1; with these, two classes suit LDA and two suit naive Bayes.
ALPHA_1, RHO_1 = 0.0, 0.9
# alpha and rho of the panels of Figure 4.
FIGURE_4 = ((0.1, 0.1), (0.5, 0.0), (0.0, 0.5), (0.9, 0.9))
# PWC is a compromise if its error is at most this much above that of the better of the two.
CLOSE = 0.01


def table1(size: Size = "quick", *, repeats: int = 30, **how: Any) -> pd.DataFrame:
    """Test errors of LDA, naive Bayes, and the better of them for each pair, on one simulated example.

    Parameters
    ----------
    size : {"quick", "paper"}
        Both are the same here.
    repeats : int
        Number of samples; the paper has one.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        One row per method.
    """
    by_size(size, None, None)
    runs = simulation(size, grid=([ALPHA_1], [RHO_1]), repeats=repeats, **how)
    return compare_with_paper(runs, ["method"], "error", PAPER_1, quantity="test error", note=_note_1)


def _note_1(method: str) -> str:
    note = "alpha and rho of the example are not printed; here 0 and 0.9"
    return f"{note}; no cell of Figure 5 has all three printed errors" if method == "NB" else note


def simulation(
    size: Size = "quick",
    *,
    grid: tuple[Any, Any] | None = None,
    repeats: int | None = None,
    **how: Any,
) -> pd.DataFrame:
    """Test errors on four normal classes for all alpha and rho, the data of Figures 5 and 6.

    Parameters
    ----------
    size : {"quick", "paper"}
        6 x 6 values of alpha and rho and 10 repeats, or 11 x 11 values and 30 repeats, as in the paper.
    grid : tuple of two sequences, optional
        Other values of alpha and of rho.
    repeats : int, optional
        Another number of samples for each alpha and rho.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        alpha, rho, repeat, method, error. Each repeat has 400 cases of each class, two thirds of them for training.
    """
    axis = [round(value, 10) for value in np.linspace(0.0, 1.0, by_size(size, 6, 11))]
    alphas, rhos = (axis, axis) if grid is None else grid
    n = count_or_default(repeats, "repeats", by_size(size, 10, 30))
    cells = [{"alpha": float(alpha), "rho": float(rho), "repeats": n} for alpha in alphas for rho in rhos]
    return run_cells(simulated, cells, **how).drop(columns=["repeats", "seed"])


def figure4(random_state: int = 0) -> Panels:
    """Simulated data for the four settings of Figure 4.

    Parameters
    ----------
    random_state : int
        Seed.

    Returns
    -------
    matplotlib.axes.Axes or array of them
    """
    panels = {
        f"alpha = {alpha:g}, rho = {rho:g}": szepannek_classes(alpha, rho, random_state=random_state)
        for alpha, rho in FIGURE_4
    }
    return plot.samples(panels)


def figure5(size: Size = "quick", **how: Any) -> pd.DataFrame:
    """Maps of the test errors of LDA, naive Bayes and PWC over alpha and rho.

    Parameters
    ----------
    size : {"quick", "paper"}
        As of :func:`simulation`.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        One row per alpha, rho and method (the paper has a picture without numbers), then the statements of the text.
    """
    runs = simulation(size, **how)
    found = compare_with_paper(runs, ["alpha", "rho", "method"], "error", {}, quantity="test error")
    mean = found.pivot(index=["alpha", "rho"], columns="method", values="estimate")
    behind, error, repeats = _behind(runs, mean)
    alpha, rho = (mean.index.get_level_values(name) for name in ("alpha", "rho"))
    gain = (alpha <= 0.3) & (rho >= 0.7) & (rho < 1.0)
    equal = (alpha == 1.0) & (rho <= 0.3)
    far = ", ".join(f"({a:g}, {r:g})" for a, r in behind.index[behind > CLOSE]) or "none"
    # How probable it is that a new simulation finds a cell on the other side of the cut.
    change = stats.norm.sf(((behind - CLOSE).abs() / error).fillna(np.inf))
    most = claim(
        "PWC is a good compromise in most situations",
        (behind <= CLOSE).mean(),
        float(np.sqrt((change * (1.0 - change)).sum())) / len(behind),
        f"share of the cells in which it errs at most {CLOSE:g} more often than the better of the two",
        above=0.5,
    )
    return pd.concat(
        [
            found,
            most,
            claim(
                "PWC is no good compromise if covariances are equal and correlations small",
                behind[equal].mean(),
                _error_of_mean(error[equal]),
                note="mean by which it errs more often than the better of the two where alpha is 1 and rho at most "
                f"0.3; must be above {CLOSE:g}, as it is in these cells (alpha, rho): {far}",
                above=CLOSE,
                runs=repeats,
            ),
            claim(
                "a strong benefit if covariances differ and variables are strongly correlated",
                -behind[gain].mean(),
                _error_of_mean(error[gain]),
                note="mean gain over the better of the two where alpha is at most 0.3 and rho from 0.7 to below 1; the "
                f"least is {-behind[gain].max():.3f}",
                above=2 * CLOSE,
                runs=repeats,
            ),
        ],
        ignore_index=True,
    )


def _behind(runs: pd.DataFrame, mean: pd.DataFrame) -> tuple[pd.Series, pd.Series, int]:
    """By how much PWC errs more often than the better of the two in each cell, its standard error, and the repeats."""
    wide: Any = runs.pivot(index=["alpha", "rho", "repeat"], columns="method", values="error")
    better = (mean["LDA"] <= mean["NB"]).reindex(wide.index.droplevel("repeat")).to_numpy()
    by_cell = (wide["PWC"] - wide["LDA"].where(better, wide["NB"])).groupby(["alpha", "rho"])
    return by_cell.mean().reindex(mean.index), by_cell.sem().reindex(mean.index), runs["repeat"].nunique()


def _error_of_mean(errors: pd.Series) -> float:
    """Standard error of the mean of independent cells."""
    return float(np.sqrt((errors**2).sum())) / len(errors) if len(errors) else float("nan")


def figure6(size: Size = "quick", **how: Any) -> pd.DataFrame:
    """Maps of the method that is significantly best by paired t-tests, without and with Holm's adjustment.

    Parameters
    ----------
    size : {"quick", "paper"}
        As of :func:`simulation`.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        One row per alpha and rho, with the best method, the second best, and the p-values of the paired t-test between
        them; then the statements of the text.
    """
    scores = simulation(size, **how).rename(columns={"error": "score"})
    found = winners(scores, by=["alpha", "rho"], test="paired_t", higher_is_better=False)
    ahead = found["difference"].abs().to_numpy()
    map_ = found[["alpha", "rho", "best", "second", "p_value", "p_adjusted"]].assign(
        quantity="lead over the second", estimate=ahead, runs=scores["repeat"].nunique(), note=found["note"]
    )
    plain, holm = (found.loc[found[column] <= 0.05, "best"].value_counts() for column in ("p_value", "p_adjusted"))
    significant = found[found["p_adjusted"] <= 0.05]
    by_pwc, by_others = (significant[(significant["best"] == "PWC") == is_pwc] for is_pwc in (True, False))
    apart: Any = by_pwc["rho"] - by_pwc["alpha"]
    counts = ", ".join(f"{name} {plain.get(name, 0)} and {holm.get(name, 0)}" for name in PAPER_1)
    singular = int((by_others["rho"] == 1.0).sum())
    others = f"cells that one of them wins after Holm's correction, {singular} of them with rho = 1"
    if singular:
        others += (
            ": there covariances are singular, and what LDA does with a direction without variance decides; the paper "
            "does not say whether its grid has these cells"
        )
    return pd.concat(
        [
            map_,
            claim(
                "PWC is significantly best where covariances differ and variables are correlated",
                apart.mean(),
                apart.sem(),
                note=f"mean of rho - alpha over the {len(by_pwc)} cells that it wins after Holm's correction; cells "
                f"won by plain and by adjusted p-values: {counts}",
                above=0.0,
                runs=len(by_pwc),
            ),
            claim(
                "advantages of LDA and naive Bayes are not significant after Holm's correction",
                len(by_others),
                0.0,
                # Holm's correction allows for chance.
                note=others,
                below=0.5,
            ),
        ],
        ignore_index=True,
    )[[*map_.columns[:6], *COLUMNS]]


def table3(size: Size = "quick", *, repeats: int | None = None, **how: Any) -> pd.DataFrame:
    """Test errors on four real data sets.

    Parameters
    ----------
    size : {"quick", "paper"}
        10 or 30 random splits; the paper has one. Satellite has a published training set; there, only the folds with
        which PWC chooses its learners are random.
    repeats : int, optional
        Another number of splits.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        One row per data set and method. There are two versions of the vowels: the measurements ("vowel"), and those of
        R's mlbench ("vowel_mlbench"), with the speaker as a factor instead of one of the measurements. The latter is
        judged.
    """
    many = count_or_default(repeats, "repeats", by_size(size, 10, 30))
    cells = [{"dataset": name, "repeat": repeat} for name in DATASETS for repeat in range(many)]
    runs = run_cells(on_data, cells, **how)
    printed = PAPER_3 | {("vowel_mlbench", method): PAPER_3["vowel", method] for method in PAPER_1}
    found = compare_with_paper(runs, ["dataset", "method"], "error", printed, quantity="test error", note=_note_3)
    found = keep_verdicts(found, found["dataset"] != "vowel")
    lead = found.set_index(["dataset", "method"])["estimate"]["satellite"]
    note = "follows from the errors, which are judged; PWC's error less LDA's, which is above 0 in print (0.03)"
    said = claim("on Satellite LDA performs overall best", lead["PWC"] - lead["LDA"], note=note)
    return pd.concat([found, said], ignore_index=True)


# R's lda (MASS) and naiveBayes (e1071) have the same errors on the training rows.
NOTES_SATELLITE = {
    "LDA": "nothing is random, so only rounding is allowed for; R's lda (MASS) errs as often as ours; the print may be "
    "the error on the rows that train, 0.149",
    "NB": "nothing is random, so only rounding is allowed for; on the rows that train it errs as often, 0.202",
    "PWC": "the split is published, but not the folds by which learners are chosen: these are drawn again in each run; "
    "on the rows that train it errs on 0.13, so that these do not explain the print",
}
NOTES_3 = {
    "nursery": "both rows of the rarest class train",
    "vowel": "no verdict: the paper has one version, and vowel_mlbench is judged",
    "vowel_mlbench": "the speaker is a factor, as in R's mlbench, by which the paper's table is headed; that this "
    "version is meant was seen when its errors came out",
}


def _note_3(dataset: str, method: str) -> str:
    return NOTES_SATELLITE[method] if dataset == "satellite" else NOTES_3.get(dataset, "")


def _map5(frame: pd.DataFrame) -> Panels:
    return plot.error_map(frame.dropna(subset="alpha"), "alpha", "rho", label="test error")


def _map6(frame: pd.DataFrame) -> Panels:
    return plot.significance_map(frame.dropna(subset="alpha"), "alpha", "rho")


TITLE = "Szepannek, Bischl & Weihs (2007): the best learner for each pair"
# What we found while its tables were recomputed.
FINDING = (
    "The vowels must be those of R's mlbench, with the speaker as a factor. No cell of an 11 x 11 grid of the "
    "simulation has the errors of Table 1."
)
REFERENCE = (
    "Szepannek, G., Bischl, B. and Weihs, C. (2007). On the combination of locally optimal pairwise classifiers. "
    "MLDM 2007, LNAI 4571, 104-116. https://doi.org/10.1007/978-3-540-73499-4_9"
)
OPTIONS = (
    'PairwiseClassifier({"LDA": ..., "NB": ...}, coupling="ht", selection_cv=3) of scikit-learn\'s LDA and naive '
    "Bayes, with the probabilities that these learners give (calibration=None, temperature=False)."
)
EXHIBITS = (
    Exhibit(
        "table1",
        "Table 1: four classes, two suited to LDA and two to naive Bayes",
        "The paper shows one sample and does not give its alpha and rho. Here, the covariances differ as much as the "
        "simulation of Section 4.2 allows (alpha = 0), and the first two classes are strongly correlated (rho = 0.9). "
        "The errors of LDA and of the choice for each pair agree with the paper, as far as one sample can tell. The "
        "error of naive Bayes is 4 %, not 14 %, and no cell of Figure 5 has all three errors. The example may have had "
        "other means or variances.",
        table1,
        plot.beside_paper,
    ),
    Exhibit(
        "figure4",
        "Figure 4: simulated data",
        "Four settings of alpha (similarity of the covariances) and rho (correlation), 400 cases of each class.",
        picture=figure4,
    ),
    Exhibit(
        "figure5",
        "Figure 5: errors over alpha and rho",
        "LDA, naive Bayes, and the better of the two for each pair (PWC). Each class has 400 cases, two thirds of them "
        "for training, and the learner of each pair is chosen by 3-fold cross-validation. At rho = 1 the first two "
        "classes lie on lines, and LDA discards the direction without variance, which separates them. Only there is "
        "PWC much worse than the better of the two. The paper reports this for equal covariances and small "
        "correlations, which we do not see. It does not say how many samples its maps are based on.",
        figure5,
        _map5,
    ),
    Exhibit(
        "figure6",
        "Figure 6: which method is significantly best",
        "A paired t-test over the repeats compares the best method of each cell with the second best. On the left are "
        "plain p-values, on the right p-values with Holm's adjustment for the number of cells.",
        figure6,
        _map6,
    ),
    Exhibit(
        "table3",
        "Table 3: four real data sets",
        "Random splits, two thirds for training (the paper has one split), and the published split of Satellite. For "
        "categories (all columns of Nursery, and the speaker in mlbench's version of the vowels), naive Bayes uses "
        "frequencies with a pseudo-count of 1, and LDA uses dummy variables. The paper does not say which version of "
        "the vowels it uses. Those of mlbench are judged: with the speaker as a factor all three errors agree, without "
        "it they do not, and the heading of the table is MLBench. On Satellite, the error of LDA on the test rows is "
        "17.2 %, here and in R's MASS, and 14.9 % on the training rows, so the printed 0.15 may be the latter. The "
        "printed 0.18 of the choice for each pair is neither, with any folds for the choice.",
        table3,
        plot.beside_paper,
    ),
)
