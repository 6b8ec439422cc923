"""What the rows of scores are, and which test suits them."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pwcstats import _params
from pwcstats._results import TestResult
from pwcstats._text import counted, listed, named
from pwcstats.compare.answers import mcnemar
from pwcstats.compare.means import corrected_resampled_t, cv5x2_f, cv5x2_t, paired_t
from pwcstats.compare.scores import Tidy, read_fraction
from pwcstats.compare.signs import sign, wilcoxon
from pwcstats.errors import InputError

# Tests of mean ranks look at all methods at once; the others at two.
BY_RANKS = ("nemenyi", "mean_ranks")
TESTS = ("auto", "paired_t", "corrected_resampled_t", "cv5x2_t", "cv5x2_f", "wilcoxon", "sign", "mcnemar", *BY_RANKS)
# Tests of splits of one data set.
OF_SPLITS = ("corrected_resampled_t", "cv5x2_t", "cv5x2_f")


# More folds than these without repeats are most likely repeats that were numbered on and on.
MOST_FOLDS = 10


class Design(NamedTuple):
    """Scores that pair up, what their rows are, and the test that fits."""

    wide: pd.DataFrame  # a row for each pair (or block) of scores, a column for each method
    unit: str  # what a row is
    test: str
    reason: str
    test_fraction: float | None  # of splits of one data set


def read_design(tidy: Tidy, test: Any, test_fraction: float | None, least_p: float, alpha: float) -> Design:
    """Find the test for some scores, or check the one that was asked for; the reason says why.

    `least_p` is by how much the smallest p-value of several data sets is multiplied in adjusting it.
    """
    test = _params.choice(test, TESTS, "test")
    if test_fraction is not None:
        read_fraction(test_fraction, (1,))
    wide, places = tidy.wide, tidy.places
    counts = {name: wide.index.get_level_values(name).nunique() for name in places}
    if counts.get("dataset", 1) > 1:
        if test_fraction is not None:
            raise InputError(
                f"test_fraction is for splits of one data set, got {counts['dataset']} data sets; leave it out."
            )
        return _over_datasets(tidy, test, least_p, alpha)
    if "case" in places:
        return _of_cases(wide, test, counts)
    return _of_splits(tidy, counts, test, test_fraction)


def _over_datasets(tidy: Tidy, test: str, least_p: float, alpha: float) -> Design:
    """Several data sets: each is one observation, however many splits it was scored on."""
    means = tidy.means()
    n, k = means.shape
    if test in (*OF_SPLITS, "mcnemar"):
        raise InputError(
            f"test='{test}' is for one data set, got {n} {listed(means.index)}; choose one of them, or use "
            "'wilcoxon', or winners(scores, by='dataset') for each of them."
        )
    reason = f"{n} data sets, each one observation (its mean score)"
    if test == "auto":
        # The smallest p-value of the exact signed-rank test is 2 / 2^n.
        if k == 2 or 2.0 ** (1 - n) * least_p <= alpha:
            test = "wilcoxon"
            reason += ": Wilcoxon's signed-rank test of each pair, which depends on no other method"
        else:
            test = "mean_ranks"
            reason += (
                f": tests of mean ranks, because with {n} data sets and {least_p:g} comparisons Wilcoxon's signed-rank "
                f"test could not reach {alpha:g}"
            )
    else:
        reason += f"; test='{test}' as asked"
    return Design(means, "data set", test, reason, None)


def _of_cases(wide: pd.DataFrame, test: str, counts: dict[str, int]) -> Design:
    if test not in ("auto", "mcnemar"):
        raise InputError(f"test='{test}' is not for answers case by case; use 'mcnemar', or leave it out.")
    if counts.get("repeat", 1) > 1:
        raise InputError(
            f"answers to the same cases in {counts['repeat']} repeats are not independent; choose one repeat, or give "
            "the score of each split instead (columns repeat and fold without case)."
        )
    if not np.isin(wide.to_numpy(), (0.0, 1.0)).all():
        raise InputError("scores of cases must be 1 (right) or 0 (wrong) to be compared, got other numbers.")
    return Design(wide, "case", "mcnemar", "right and wrong answers to the same cases: McNemar's test", None)


def _of_splits(tidy: Tidy, counts: dict[str, int], test: str, test_fraction: float | None) -> Design:
    """One data set: its splits share training cases, unless each repeat has a new sample."""
    wide, n_folds = tidy.wide, counts.get("fold", 1)
    if len(wide) < 2:
        raise InputError(
            "one score of each method tells nothing of chance; score them on several data sets, or on repeated splits "
            "(columns repeat and fold)."
        )
    if test == "mcnemar":
        raise InputError("test='mcnemar' needs a column case, with 1 (right) or 0 (wrong) as score of each method.")
    if test in (*BY_RANKS, "wilcoxon", "sign"):
        raise InputError(
            f"test='{test}' is for independent scores, such as those of several data sets, but these are splits of one "
            "data set; use 'corrected_resampled_t', or leave test out."
        )
    if test in ("paired_t", "cv5x2_t", "cv5x2_f") and test_fraction is not None:
        raise InputError(f"test_fraction is for 'corrected_resampled_t', got test='{test}'; leave one of them out.")
    if test == "paired_t":
        doubt = " (folds are not: they share training cases)" if n_folds > 1 else ""
        reason = f"{len(wide)} splits, taken as independent{doubt}; test='paired_t' as asked"
        return Design(wide, "split", test, reason, None)
    if test in ("cv5x2_t", "cv5x2_f"):
        return Design(
            _five_by_two(tidy, test), "split", test, f"five repeats of two folds; test='{test}' as asked", None
        )
    fraction = test_fraction if test_fraction is not None else _fraction(tidy)
    why = f"corrected for shared training cases ({100 * fraction:.3g} % of the cases in each test set)"
    return Design(wide, "split", "corrected_resampled_t", f"{len(wide)} splits of one data set: t-test {why}", fraction)


def _folds_of_repeats(tidy: Tidy) -> pd.Series:
    """The number of folds of each repeat; folds may be numbered anew in each, or on and on."""
    if "repeat" not in tidy.places:
        return pd.Series([len(tidy.wide)])
    return tidy.wide.groupby(level="repeat", sort=False, observed=True).size()


def _five_by_two(tidy: Tidy, test: str) -> pd.DataFrame:
    """Scores of five repeats of two folds, in this order."""
    folds = _folds_of_repeats(tidy)
    halves = tidy.sizes is None or abs(_fraction(tidy) - 0.5) < 0.05
    if list(folds) != [2] * 5 or not halves:
        sizes = "" if halves else f", with {100 * _fraction(tidy):.3g} % of the cases in each test set"
        raise InputError(
            f"test='{test}' is for five repeats of two folds, got {len(tidy.wide)} splits in "
            f"{counted(len(folds), 'repeat')}{sizes}; use 'corrected_resampled_t'."
        )
    names = [name for name in tidy.places if name in ("repeat", "fold")]
    # Labels of several kinds cannot be compared, but their words can.
    try:
        return tidy.wide.sort_index(level=names)
    except TypeError:
        return tidy.wide.sort_index(level=names, key=lambda labels: labels.map(str))


def _fraction(tidy: Tidy) -> float:
    """The share of cases in the test sets, from their sizes or from the number of folds."""
    if tidy.sizes is not None:
        train, test = tidy.sizes["n_train"].to_numpy(float), tidy.sizes["n_test"].to_numpy(float)
        return float((test / (train + test)).mean())
    folds = _folds_of_repeats(tidy)
    if "fold" not in tidy.places or folds.max() < 2:
        raise InputError(
            f"{len(tidy.wide)} repeats without folds may be random splits of one data set, which share training cases, "
            "or new samples: give test_fraction= (the share of the cases in each test set) for the one, "
            "test='paired_t' for the other."
        )
    if folds.nunique() > 1:
        fewer = folds.index[folds < folds.max()]
        raise InputError(
            f"all repeats must have the same number of folds, {folds.max()}, but {listed(fewer)} have fewer; score "
            "what is missing, drop these repeats, or give test_fraction=."
        )
    if len(folds) == 1 and folds.max() > MOST_FOLDS:
        raise InputError(
            f"{folds.max()} folds of one data set, or repeats of fewer? Number the repeats in a column repeat, or give "
            "test_fraction= (the share of the cases in each test set, 1/k for k folds)."
        )
    return 1.0 / float(folds.max())


def test_pair(design: Design, first: Any, second: Any, alpha: float) -> TestResult:
    """The test of the design, of two methods."""
    a, b = design.wide[first].rename(str(named(first))), design.wide[second].rename(str(named(second)))
    match design.test:
        case "paired_t":
            return paired_t(a, b, alpha=alpha)
        case "corrected_resampled_t":
            return corrected_resampled_t(a, b, test_fraction=design.test_fraction, alpha=alpha)
        case "cv5x2_t":
            return cv5x2_t(a, b, alpha=alpha)
        case "cv5x2_f":
            return cv5x2_f(a, b, alpha=alpha)
        case "sign":
            return sign(a, b, alpha=alpha)
        case "mcnemar":
            return mcnemar(a, b, alpha=alpha)
        case _:
            return wilcoxon(a, b, alpha=alpha)
