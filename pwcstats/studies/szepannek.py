"""Szepannek, Bischl & Weihs (2007): Figures 1 to 6, Tables 1 and 3."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

from pwcstats import plot
from pwcstats.compare import winners
from pwcstats.datasets import load, szepannek_classes
from pwcstats.plot.style import Panels
from pwcstats.studies.running import Size, by_size, count_or_default, run_cells
from pwcstats.studies.szepannek_runs import SIGMA_1, example, introductory, on_data, on_satellite, simulated
from pwcstats.studies.tables import COLUMNS, Exhibit, claim, compare_with_paper, keep_verdicts

__all__ = [
    "EXHIBITS", "PAPER_1", "PAPER_3", "figure1", "figure2", "figure3", "figure4", "figure5", "figure6", "satellite",
    "simulation", "table1", "table3",
]  # fmt: skip

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
# sigma_1 and rho of the example of Table 1, which the paper does not give: sigma_1 of Section 4.2, and a choice of both
# with which the errors agree.
SETTINGS_1 = ((SIGMA_1, 0.9), (10.0, 0.99))
# alpha and rho of the panels of Figure 4.
FIGURE_4 = ((0.1, 0.1), (0.5, 0.0), (0.0, 0.5), (0.9, 0.9))
# PWC is a compromise if its error is at most this much above that of the better of the two.
CLOSE = 0.01
# Instead of rho = 1 in Figure 6, so that no covariance is singular.
NEAR_1 = 0.999
# Significance level of the paper's tests.
SIGNIFICANT = 0.05


def figure1() -> Panels:
    """Regions of LDA on the first two measurements of the irises.

    Returns
    -------
    matplotlib.axes.Axes
    """
    return _on_irises(LinearDiscriminantAnalysis(), "LDA")


def figure2() -> Panels:
    """Regions of naive Bayes on the first two measurements of the irises.

    Returns
    -------
    matplotlib.axes.Axes
    """
    return _on_irises(GaussianNB(), "naive Bayes")


def _on_irises(learner: Any, name: str) -> Panels:
    irises = load("iris")
    x, y = irises.data.iloc[:, :2], irises.target
    return plot.decision_regions(learner.fit(x, y), x, y, names=[name])


def figure3(random_state: int = 0) -> Panels:
    """Simulated data for both settings of Table 1.

    Parameters
    ----------
    random_state : int
        Seed.

    Returns
    -------
    array of matplotlib.axes.Axes
    """
    return plot.samples(
        {
            f"sigma_1 = {sigma_1:g}, rho = {rho:g}": example(sigma_1, rho, random_state=random_state)
            for sigma_1, rho in SETTINGS_1
        }
    )


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
        One row per setting and method. The second setting was chosen so that the errors agree, so it is not judged.
    """
    by_size(size, None, None)
    n = count_or_default(repeats, "repeats", 30)
    cells = [{"sigma_1": sigma_1, "rho": rho, "repeats": n} for sigma_1, rho in SETTINGS_1]
    runs = run_cells(introductory, cells, **how)
    printed = {(*setting, method): error for setting in SETTINGS_1 for method, error in PAPER_1.items()}
    found = compare_with_paper(
        runs, ["sigma_1", "rho", "method"], "error", printed, quantity="test error", note=_note_1
    )
    return keep_verdicts(found, found["sigma_1"] == SIGMA_1)


def _note_1(sigma_1: float, _: float, method: str) -> str:
    if sigma_1 != SIGMA_1:
        return "no verdict: sigma_1 and rho are not printed, and were chosen so that all three errors agree"
    note = "rho of the example is not printed; here 0.9"
    if method != "NB":
        return note
    return f"{note}; it errs as often with any other, and no cell of Figure 5 has all three printed errors"


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
        them; then the statements of the text, and how many cells LDA or naive Bayes wins with rho = 0.999 instead of 1.
    """
    runs = simulation(size, **how)
    found = _winners(runs)
    ahead = found["difference"].abs().to_numpy()
    map_ = found[["alpha", "rho", "best", "second", "p_value", "p_adjusted"]].assign(
        quantity="lead over the second", estimate=ahead, runs=runs["repeat"].nunique(), note=found["note"]
    )
    plain, holm = (
        found.loc[found[column] <= SIGNIFICANT, "best"].value_counts() for column in ("p_value", "p_adjusted")
    )
    by_pwc = found[(found["p_adjusted"] <= SIGNIFICANT) & (found["best"] == "PWC")]
    apart: Any = by_pwc["rho"] - by_pwc["alpha"]
    counts = ", ".join(f"{name} {plain.get(name, 0)} and {holm.get(name, 0)}" for name in PAPER_1)
    near = simulation(size, grid=(sorted(set(runs["alpha"])), [NEAR_1]), **how)
    by_others, by_others_near = (
        _won_by_others(map_of) for map_of in (found, _winners(pd.concat([runs[runs["rho"] < 1.0], near])))
    )
    all_singular = bool((by_others["rho"] == 1.0).all()) and by_others_near.empty
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
                note=f"cells that one of them wins, {int((by_others['rho'] == 1.0).sum())} of them with rho = 1",
                below=0.5,
                cause=SINGULAR if all_singular else "",
            ),
            claim(
                f"the same with rho = {NEAR_1:g} instead of 1",
                len(by_others_near),
                note="cells that LDA or naive Bayes wins; no verdict, as this is not in the paper",
            ),
        ],
        ignore_index=True,
    )[[*map_.columns[:6], *COLUMNS]]


SINGULAR = (
    "all of these cells have rho = 1, where the first two classes lie on parallel lines: LDA of this pair discards the "
    "direction that separates them (so does R's lda, which warns that variables are collinear) and naive Bayes is "
    f"chosen for it, while LDA of all classes keeps this direction; with rho = {NEAR_1:g} instead, LDA and naive Bayes "
    "win no cell (`pwcstats reproduce szepannek.figure6 --size paper`)"
)


def _winners(runs: pd.DataFrame) -> pd.DataFrame:
    scores = runs.rename(columns={"error": "score"})
    return winners(scores, by=["alpha", "rho"], test="paired_t", higher_is_better=False)


def _won_by_others(found: pd.DataFrame) -> pd.DataFrame:
    """The cells that LDA or naive Bayes wins after Holm's correction."""
    return found[(found["p_adjusted"] <= SIGNIFICANT) & (found["best"] != "PWC")]


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
    found = compare_with_paper(
        runs, ["dataset", "method"], "error", printed, quantity="test error", note=_note_3, cause=_cause_3
    )
    found = keep_verdicts(found, found["dataset"] != "vowel")
    lead = found.set_index(["dataset", "method"])["estimate"]["satellite"]
    note = "follows from the errors, which are judged; PWC's error less LDA's, which is above 0 in print (0.03)"
    said = claim("on Satellite LDA performs overall best", lead["PWC"] - lead["LDA"], note=note)
    return pd.concat([found, said], ignore_index=True)


# R's lda (MASS) and naiveBayes (e1071) have the same errors.
NOTES_SATELLITE = {
    "LDA": "nothing is random, so only rounding is allowed for",
    "NB": "nothing is random, so only rounding is allowed for; on the rows that train it errs as often, 0.202",
    "PWC": "the split is published, but not the folds by which learners are chosen: these are drawn again in each run; "
    "the error on the rows that train is 0.13; one sweep of the coupling would give 0.175 with the classes in the "
    "order of Statlog, but 0.157 in alphabetical order, and the paper's example of coupling needs three sweeps, so the "
    "cause is not known",
}
TRAINING_ERROR = (
    "the printed number is the error on the rows that train, 0.149; on those that test, R's lda has our error, and the "
    "documentation of these data has both, 0.149 and 0.171 (`pwcstats reproduce szepannek.satellite`)"
)
NOTES_3 = {
    "nursery": "both rows of the rarest class train",
    "vowel": "no verdict: the paper has one version, and vowel_mlbench is judged",
    "vowel_mlbench": "the speaker is a factor, as in R's mlbench, by which the paper's table is headed; that this "
    "version is meant was seen when its errors came out",
}


def _note_3(dataset: str, method: str) -> str:
    return NOTES_SATELLITE[method] if dataset == "satellite" else NOTES_3.get(dataset, "")


def _cause_3(dataset: str, method: str) -> str:
    return TRAINING_ERROR if (dataset, method) == ("satellite", "LDA") else ""


def satellite(size: Size = "quick", *, repeats: int | None = None, **how: Any) -> pd.DataFrame:
    """Errors on both parts of Satellite, and those of PWC after one sweep of the coupling.

    Parameters
    ----------
    size : {"quick", "paper"}
        10 or 30 draws of the folds with which PWC chooses its learners, the same as in :func:`table3`.
    repeats : int, optional
        Another number of draws.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        One row per method and part of the data, beside the printed test errors, which are judged in :func:`table3`.
        Coupling has converged, or stops after one sweep over the classes, in the order of Statlog or of the alphabet.
    """
    many = count_or_default(repeats, "repeats", by_size(size, 10, 30))
    runs = run_cells(on_satellite, [{"repeat": repeat} for repeat in range(many)], **how)
    by = ["method", "coupling", "rows"]
    printed = {key: PAPER_3["satellite", key[0]] for key in runs[by].itertuples(index=False, name=None)}
    note = "no verdict: the printed number is judged in Table 3"
    found = compare_with_paper(runs, by, "error", printed, note=lambda *_: note)
    return keep_verdicts(found, [False] * len(found))


def _map5(frame: pd.DataFrame) -> Panels:
    return plot.error_map(frame.dropna(subset="alpha"), "alpha", "rho", label="test error")


def _map6(frame: pd.DataFrame) -> Panels:
    return plot.significance_map(frame.dropna(subset="alpha"), "alpha", "rho")


TITLE = "Szepannek, Bischl & Weihs (2007): the best learner for each pair"
# What we found while its tables were recomputed.
FINDING = (
    "The vowels must be those of R's mlbench, with the speaker as a factor. The printed error of LDA on Satellite is "
    "that on the rows that train. At a correlation of 1 LDA of a pair fails, and LDA of all classes wins."
)
REFERENCE = (
    "Szepannek, G., Bischl, B. and Weihs, C. (2007). On the combination of locally optimal pairwise classifiers. "
    "MLDM 2007, LNAI 4571, 104-116. https://doi.org/10.1007/978-3-540-73499-4_9"
)
OPTIONS = (
    'PairwiseClassifier({"LDA": ..., "NB": ...}, coupling="ht", selection_cv=3) of scikit-learn\'s LDA and naive '
    "Bayes, with the probabilities that these learners give (calibration=None, temperature=False)."
)
_IRISES = (
    "Sepal length and width of the 150 irises, as in the text; the caption of the paper's picture speaks of several "
    "projections. The error is that on these rows. "
)
EXHIBITS = (
    Exhibit(
        "figure1",
        "Figure 1: LDA divides the plane",
        _IRISES + "The borders between the classes are straight lines.",
        picture=lambda _: figure1(),
    ),
    Exhibit(
        "figure2",
        "Figure 2: naive Bayes divides the plane",
        _IRISES + "The borders between the classes are curves, because variances differ.",
        picture=lambda _: figure2(),
    ),
    Exhibit(
        "figure3",
        "Figure 3: four classes, two suited to LDA and two to naive Bayes",
        "The paper describes this sample (the first two classes have equal covariances and correlated features, the "
        "last two independent features and different variances), and does not give its parameters. So alpha is 0. On "
        "the left, the standard deviations are those of Section 4.2. On the right, sigma_1 and rho were chosen so that "
        "the errors of Table 1 agree.",
        picture=figure3,
    ),
    Exhibit(
        "table1",
        "Table 1: four classes, two suited to LDA and two to naive Bayes",
        "The errors on samples like those of Figure 3; the paper has one sample. With the variances of Section 4.2, "
        "naive Bayes errs on 4 %, not 14 %, for every rho, and no cell of Figure 5 has all three errors. With "
        "sigma_1 = sigma_2 = 10 and rho = 0.99 all three agree. This setting is not in the paper. We chose it so that "
        "they agree, so these rows have no verdict, and the other ones are judged.",
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
        "plain p-values, on the right p-values with Holm's adjustment for the number of cells. The paper does not say "
        "whether its grid has cells with rho = 1, where the covariances of the first two classes are singular. With "
        "rho = 0.999 instead, PWC wins there, unless alpha = 1.",
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
        "it they do not, and the heading of the table is MLBench.",
        table3,
        plot.beside_paper,
    ),
    Exhibit(
        "satellite",
        "Table 3, continued: both parts of Satellite",
        "The error of LDA on the rows that test is 17.2 %, here, in R's MASS and in the documentation of the data, and "
        "14.9 % on the rows that train. The printed 0.15 is the latter. The printed 0.20 of naive Bayes fits both. The "
        "printed 0.18 of the choice for each pair fits neither. A single sweep of the coupling would give it, but only "
        "with the classes in the order of Statlog (which is that of R's mlbench). The paper iterates until "
        "convergence, and its example of coupling has the numbers of three sweeps.",
        satellite,
        plot.beside_paper,
    ),
)
