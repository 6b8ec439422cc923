"""Wu, Lin & Weng (2003): Figure 1, Table 1."""

import math
import os
from collections.abc import Sequence
from typing import Any, get_args

import pandas as pd

from pwcstats import plot
from pwcstats.datasets import Setting
from pwcstats.plot.style import Panels
from pwcstats.studies.running import Size, by_size, count_or_default, names_or_default, run_cells
from pwcstats.studies.tables import Exhibit, claim, claim_everywhere, compare_with_paper
from pwcstats.studies.wu_lin_weng_runs import METHODS, noisy, on_data

__all__ = ["EXHIBITS", "METHODS", "PAPER_1", "figure1", "table1"]

# Table 1: test errors in per cent of five samples, each the mean of five cross-validations, and their standard
# deviations. The divisor of these is 5: four equal errors, and one that differs by a case in 500, give 0.080.
PAPER_1 = {
    ("satimage", "ht"): ((14.080, 12.960, 14.520, 12.400, 16.160), (1.306, 0.320, 0.968, 0.000, 0.294)),
    ("satimage", "wlw1"): ((14.600, 13.400, 14.760, 12.200, 16.400), (0.938, 0.400, 1.637, 0.000, 0.379)),
    ("satimage", "wlw2"): ((14.760, 13.400, 13.880, 12.640, 16.120), (0.784, 0.400, 0.392, 0.294, 0.299)),
    ("satimage", "vote"): ((15.400, 13.360, 14.080, 12.680, 16.160), (0.219, 0.080, 0.240, 1.114, 0.344)),
    ("segment", "ht"): ((9.960, 6.040, 6.600, 5.520, 7.440), (0.480, 0.528, 0.000, 0.466, 0.625)),
    ("segment", "wlw1"): ((9.480, 6.280, 6.680, 5.200, 8.160), (0.240, 0.299, 0.349, 0.420, 0.637)),
    ("segment", "wlw2"): ((9.000, 6.200, 6.920, 5.400, 8.040), (0.400, 0.456, 0.271, 0.580, 0.408)),
    ("segment", "vote"): ((8.880, 6.760, 7.160, 5.480, 7.840), (0.271, 0.445, 0.196, 0.588, 0.344)),
    ("usps", "ht"): ((14.840, 12.080, 10.640, 12.320, 13.400), (0.388, 0.560, 0.933, 0.845, 0.310)),
    ("usps", "wlw1"): ((13.520, 11.440, 10.000, 11.960, 12.640), (0.560, 0.625, 0.657, 1.031, 0.080)),
    ("usps", "wlw2"): ((12.760, 11.600, 9.920, 11.560, 12.920), (0.233, 1.081, 0.483, 0.784, 0.299)),
    ("usps", "vote"): ((12.520, 11.440, 10.320, 11.840, 12.520), (0.160, 0.991, 0.744, 1.248, 0.917)),
    ("mnist", "ht"): ((17.400, 15.200, 17.320, 14.720, 12.560), (0.000, 0.400, 1.608, 0.449, 0.294)),
    ("mnist", "wlw1"): ((16.560, 14.600, 14.280, 14.160, 12.600), (0.080, 0.000, 0.560, 0.196, 0.000)),
    ("mnist", "wlw2"): ((15.760, 13.720, 13.400, 13.360, 13.080), (0.196, 0.588, 0.657, 0.686, 0.560)),
    ("mnist", "vote"): ((15.960, 12.360, 13.760, 13.520, 12.440), (0.463, 0.196, 0.794, 0.325, 0.233)),
    ("letter", "ht"): ((39.880, 41.640, 41.320, 35.240, 43.240), (1.412, 0.463, 1.700, 1.439, 0.637)),
    ("letter", "wlw1"): ((37.160, 39.400, 38.920, 32.920, 40.360), (1.106, 0.769, 0.854, 1.121, 1.472)),
    ("letter", "wlw2"): ((34.560, 35.920, 35.800, 29.240, 36.960), (2.144, 1.389, 1.453, 1.335, 1.741)),
    ("letter", "vote"): ((33.480, 33.440, 35.000, 27.400, 34.520), (0.325, 1.061, 1.066, 1.117, 1.001)),
}
# Data sets with few and with more classes.
FEW, MANY = ("satimage", "segment"), ("usps", "mnist", "letter")
# Rules perform similarly if their errors differ by at most this many percentage points.
CLOSE = 1.0
# A rule does very well if it finds the true class at least this often.
WELL = 0.9


def figure1(
    size: Size = "quick",
    *,
    n_classes: Sequence[int] = (3, 5, 8, 10, 12, 15, 20),
    replicates: int = 1000,
    **how: Any,
) -> pd.DataFrame:
    """How often each coupling method finds the true class from noisy pairs.

    Parameters
    ----------
    size : {"quick", "paper"}
        Both are the same here.
    n_classes : sequence of int
        Numbers of classes.
    replicates : int
        Number of samples for each setting and number of classes; all methods get the same ones.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        One row per setting, number of classes and method (the paper has a picture without numbers), then the
        statements of Section 6.1. Ties for the largest probability are broken at random, as in the paper.
    """
    by_size(size, None, None)
    cells = [
        {"setting": setting, "n_classes": int(k), "replicates": replicates}
        for setting in get_args(Setting)
        for k in n_classes
    ]
    counts = run_cells(noisy, cells, **how)
    hits = counts.loc[counts.index.repeat(counts["count"])]
    runs = hits.melt(["setting", "n_classes"], METHODS, "method", "hit", ignore_index=False).sort_index(kind="stable")
    found = compare_with_paper(
        runs, ["setting", "n_classes", "method"], "hit", {}, quantity="share of true class found"
    )
    return pd.concat([found, *_claims_of_figure(hits)], ignore_index=True).astype({"n_classes": "Int64"})


def _claims_of_figure(hits: pd.DataFrame) -> list[pd.DataFrame]:
    three = ["ht", "wlw1", "wlw2"]
    numbers = hits["n_classes"].unique()
    # One row per sample, one column per number of classes and method.
    even = {k: _samples(hits, "balanced", k) for k in numbers}
    shares = pd.concat([even[k][three] - WELL for k in numbers], axis=1)
    ahead = pd.concat([even[k][[method]].sub(even[k]["vote"], axis=0) for k in numbers for method in three], axis=1)
    k = int(max(numbers))
    most = {setting: _samples(hits, setting, k) for setting in get_args(Setting)}
    # Samples of different settings are independent, so they may be paired in any order.
    behind = pd.DataFrame({setting: found["wlw2"] - found["ht"] for setting, found in most.items()})
    steps = behind[["unbalanced", "highly unbalanced"]].to_numpy() - behind[["balanced", "unbalanced"]].to_numpy()
    lost = most["balanced"] - most["highly unbalanced"]
    lag, loss = behind.mean(), lost.mean()
    return [
        claim_everywhere(
            "balanced: all rules but votes do very well", shares, f"share of true class found, less {WELL:g}"
        ),
        claim_everywhere("balanced: votes perform poorly", ahead, "lead of one of the three over votes"),
        claim_everywhere(
            "HT suffers if classes are unbalanced, and more if they are highly so",
            pd.DataFrame(steps),
            f"how much further it is behind wlw2 with {k} classes, from balanced to unbalanced, or from this to highly "
            f"unbalanced ({lag['balanced']:.3f}, {lag['unbalanced']:.3f} and {lag['highly unbalanced']:.3f})",
        ),
        claim_everywhere(
            "wlw1 and wlw2 are less sensitive to the balance than HT",
            lost[["wlw1", "wlw2"]].rsub(lost["ht"], axis=0),
            f"how much less one of them loses from balanced to highly unbalanced, with {k} classes; HT loses "
            f"{loss['ht']:.3f}",
        ),
    ]


def _samples(hits: pd.DataFrame, setting: str, n_classes: int) -> pd.DataFrame:
    """Whether each method found the true class, one row per sample."""
    rows = (hits["setting"] == setting) & (hits["n_classes"] == n_classes)
    return hits.loc[rows, list(METHODS)].reset_index(drop=True)


def table1(
    size: Size = "quick",
    *,
    datasets: Sequence[str] | None = None,
    samples: int | None = None,
    path: str | os.PathLike[str] | None = None,
    **how: Any,
) -> pd.DataFrame:
    """Test errors of four rules on real data, with support vector machines.

    Parameters
    ----------
    size : {"quick", "paper"}
        5 samples, with C and gamma from a grid of 6 x 6 values, chosen in one cross-validation; or 20 samples (the
        paper has 5), with a grid of 11 x 11 values and five cross-validations.
    datasets : sequence of str, optional
        By default satimage, segment, mnist and letter; with a `path`, also usps.
    samples : int, optional
        Another number of samples, each with 300 training and 500 test rows.
    path : str or path-like, optional
        The file or directory of usps, see :func:`pwcstats.datasets.load`.
    **how
        random_state, n_jobs, progress, cache: see :func:`pwcstats.studies.running.run_cells`.

    Returns
    -------
    DataFrame
        One row per data set and method, beside the mean of the five printed samples; then the statements of Section
        6.2.
    """
    step, repeats, usual = by_size(size, (4, 1, 5), (2, 5, 20))
    paths = {} if path is None else {"usps": os.fspath(path)}
    names = ("satimage", "segment", *paths, "mnist", "letter")
    cells = [
        {
            "dataset": name,
            "path": paths.get(name),
            "step": step,
            "sample": sample,
            "repeat": repeat,
        }
        for name in names_or_default(datasets, names)
        for sample in range(count_or_default(samples, "samples", usual))
        for repeat in range(repeats)
    ]
    runs = run_cells(on_data, cells, **how)
    grouped = runs.groupby(["dataset", "sample", "method"], sort=False)["error"]
    errors = pd.DataFrame({"error": grouped.mean(), "sd": grouped.std(ddof=0)}).reset_index()
    means, sds = ({key: rows[part] for key, rows in PAPER_1.items()} for part in (0, 1))
    by = ["dataset", "method"]
    parts = [compare_with_paper(errors, by, "error", means, quantity="test error (%)", digits=3, note=_note)]
    if repeats > 1:
        quantity = "sd of the error over cross-validations"
        parts.append(compare_with_paper(errors, by, "sd", sds, quantity=quantity, digits=3, note=_note_sd))
    return pd.concat([*parts, *_claims_of_table(errors, repeats)], ignore_index=True)


def _note(dataset: str, method: str) -> str:
    return "from 5000 of the digits, 500 of each" if dataset == "mnist" else ""


def _note_sd(dataset: str, method: str) -> str:
    return "how the paper drew its folds is not in print; C and gamma that tie in them are taken as it says"


def _claims_of_table(errors: pd.DataFrame, repeats: int) -> list[pd.DataFrame]:
    wide: Any = errors.pivot(index=["dataset", "sample"], columns="method", values="error")
    mean = wide.groupby("dataset").mean()
    claims = []
    few, many = (mean[mean.index.isin(names)] for names in (FEW, MANY))
    if len(few):
        apart = {
            (name, one, other): CLOSE - (wide.loc[name, one] - wide.loc[name, other]).reset_index(drop=True)
            for name in few.index
            for one in METHODS
            for other in METHODS
            if one != other
        }
        note = f"{CLOSE:g} point less the difference of mean errors of two rules on satimage or segment"
        statement = "with few classes (6 and 7) the four rules perform similarly"
        claims.append(claim_everywhere(statement, pd.DataFrame(apart), note))
    if len(many):
        worst = many[["wlw1", "wlw2", "vote"]].idxmax(axis=1)
        lags = pd.DataFrame({name: wide.loc[name, "ht"] - wide.loc[name, rule] for name, rule in worst.items()})
        note = "by how many points it errs more than the next worst, with 10 classes and more"
        claims.append(claim_everywhere("with more classes HT is less competitive", lags, note))
    if "letter" in mean.index:
        for method in ("wlw2", "vote"):
            gain = wide.loc["letter", "ht"] - wide.loc["letter", method]
            statement = f"letter: {method} outperforms HT by at least 5 %"
            claims.append(claim(statement, gain.mean(), gain.sem(), "points of test error", above=5.0, runs=len(gain)))
    if repeats > 1:
        claims.append(_claim_of_folds(errors))
    return claims


def _claim_of_folds(errors: pd.DataFrame) -> pd.DataFrame:
    """The claim on the variation due to the folds, with a jackknife over samples."""
    samples = errors["sample"].unique()

    def ratio(found: pd.DataFrame) -> float:
        return float(found["sd"].mean() / found.groupby(["dataset", "method"])["error"].std().mean())

    left_out = pd.Series([ratio(errors[errors["sample"] != sample]) for sample in samples])
    n = len(samples)
    std_error = math.sqrt((n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum())) if n > 2 else math.nan
    return claim(
        "the variation due to the randomness of cross-validation is not large",
        ratio(errors),
        std_error,
        "mean sd over cross-validations, divided by the mean sd between samples",
        below=1.0,
        runs=n,
    )


def _draw(frame: pd.DataFrame) -> Panels:
    shares = frame.dropna(subset="setting").rename(columns={"estimate": "accuracy"})
    return plot.accuracy_by_classes(shares.astype({"n_classes": int}))


TITLE = "Wu, Lin & Weng (2003): two couplings by linear systems"
# What we found while its tables were recomputed.
FINDING = "All test errors of Table 1 agree. USPS was left out, because no package contains it."
REFERENCE = (
    "Wu, T.-F., Lin, C.-J. and Weng, R. C. (2003). Probability estimates for multi-class classification by pairwise "
    "coupling. Advances in Neural Information Processing Systems 16. Longer version: Journal of Machine Learning "
    "Research 5 (2004), 975-1005. https://www.jmlr.org/papers/v5/wu04a.html"
)
OPTIONS = (
    "Machines of scikit-learn's SVC with sigmoids fitted to the decision values of the training rows, as in the paper; "
    'coupling by "ht" (its order shortcut), "wlw1", "wlw2" and "vote" without a temperature. wlw2 is solved '
    "exactly."
)
EXHIBITS = (
    Exhibit(
        "figure1",
        "Figure 1: the true class from noisy pairs",
        "Four methods couple pairwise probabilities of known classes with normal errors of standard deviation 0.1. The "
        "table shows how often they find the most probable class, in 1000 replicates for each number of classes, as in "
        "the paper. The paper has a picture without numbers; the statements of its text are below the numbers. Its "
        "p_i + p_j ≈ k/2, on which HT relies, is a misprint of 2/k.",
        figure1,
        _draw,
    ),
    Exhibit(
        "table1",
        "Table 1: support vector machines on real data",
        "Machines with a radial kernel for each pair, and sigmoids fitted to the decision values of the training rows, "
        "with 300 training and 500 test rows. C and gamma are chosen for each rule by 5-fold cross-validation; of "
        "equally good ones, those with the smallest C, then with the smallest gamma. Features are scaled to [-1, 1], "
        "pixels of MNIST to [0, 1]. Rows are drawn from the complete data sets; of MNIST, from the 5000 rows that a "
        "package contains. USPS is in no package and needs a path. The paper prints five samples; ours are different. "
        "The difference that chance may cause is estimated from the spread of both.",
        table1,
        plot.beside_paper,
    ),
)
