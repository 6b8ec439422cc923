"""How scores were come by, and which test fits."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pwcstats._results import TestResult
from pwcstats._validate.common import choice, listed, named
from pwcstats._validate.scores import Tidy, read_fraction
from pwcstats.compare.answers import mcnemar
from pwcstats.compare.means import corrected_resampled_t, cv5x2_f, cv5x2_t, paired_t
from pwcstats.compare.signs import sign, wilcoxon
from pwcstats.errors import InputError

# Tests of mean ranks look at all methods at once; the others at two.
BY_RANKS = ("nemenyi", "mean_ranks")
TESTS = ("auto", "paired_t", "corrected_resampled_t", "cv5x2_t", "cv5x2_f", "wilcoxon", "sign", "mcnemar", *BY_RANKS)
# Tests of splits of one data set.
OF_SPLITS = ("corrected_resampled_t", "cv5x2_t", "cv5x2_f")


class Design(NamedTuple):
    """Scores that pair up, what their rows are, and the test that fits."""

    wide: pd.DataFrame  # a row for each pair (or block) of scores, a column for each method
    unit: str  # what a row is
    test: str
    reason: str
    test_fraction: float | None  # of splits of one data set


def read_design(tidy: Tidy, test: Any, test_fraction: float | None, n_tests: int, alpha: float) -> Design:
    """Find the test for some scores, or check the one that was asked for; the reason says why."""
    test = choice(test, TESTS, "test")
    wide, places = tidy.wide, tidy.places
    counts = {name: wide.index.get_level_values(name).nunique() for name in places}
    if counts.get("dataset", 1) > 1:
        return _over_datasets(tidy.means(), test, n_tests, alpha)
    if "case" in places:
        return _of_cases(wide, test)
    return _of_splits(tidy, counts, test, test_fraction)


def _over_datasets(means: pd.DataFrame, test: str, n_tests: int, alpha: float) -> Design:
    """Several data sets: each is one observation, however many splits it was scored on."""
    n, k = means.shape
    if test in (*OF_SPLITS, "mcnemar"):
        raise InputError(
            f"test='{test}' is for one data set, got {n} {listed(means.index)}; choose one of them, or use "
            "'wilcoxon', or winners(scores, by='dataset') for each of them."
        )
    named_rows = means.index.name == "dataset" and not isinstance(means.index, pd.RangeIndex)
    rows = f"{n} data sets" if named_rows else f"{n} rows, taken for data sets"
    reason = f"{rows}, each one observation (its mean score)"
    if test == "auto":
        # The smallest p-value of the exact signed-rank test is 2 / 2^n, and Holm multiplies it by the number of tests.
        if k == 2 or 2.0 ** (1 - n) * n_tests <= alpha:
            test = "wilcoxon"
            reason += ": Wilcoxon's signed-rank test of each pair, which depends on no other method"
        else:
            test = "mean_ranks"
            reason += (
                f": tests of mean ranks, because with {n} data sets and {n_tests} comparisons Wilcoxon's signed-rank "
                f"test could not reach {alpha:g}"
            )
    else:
        reason += f"; test='{test}' as asked"
    return Design(means, "data set", test, reason, None)


def _of_cases(wide: pd.DataFrame, test: str) -> Design:
    if test not in ("auto", "mcnemar"):
        raise InputError(f"test='{test}' is not for answers case by case; use 'mcnemar', or leave it out.")
    if not np.isin(wide.to_numpy(), (0.0, 1.0)).all():
        raise InputError("scores of cases must be 1 (right) or 0 (wrong) to be compared, got other numbers.")
    return Design(wide, "case", "mcnemar", "right and wrong answers to the same cases: McNemar's test", None)


def _of_splits(tidy: Tidy, counts: dict[str, int], test: str, test_fraction: float | None) -> Design:
    """One data set: its splits share training cases, unless each repeat has a new sample."""
    wide, n_repeats, n_folds = tidy.wide, counts.get("repeat", 1), counts.get("fold", 1)
    if len(wide) < 2:
        raise InputError(
            "one score of each method tells nothing of chance; score them on several data sets, or on repeated splits "
            "(columns repeat and fold)."
        )
    if test in (*BY_RANKS, "wilcoxon", "sign", "mcnemar"):
        if test == "mcnemar":
            raise InputError("test='mcnemar' needs a column case, with 1 (right) or 0 (wrong) as score of each method.")
        raise InputError(
            f"test='{test}' is for independent scores, such as those of several data sets, but these are splits of one "
            "data set; use 'corrected_resampled_t', or leave test out."
        )
    splits = f"{len(wide)} splits of one data set"
    if test == "paired_t":
        doubt = " (folds are not: they share training cases)" if n_folds > 1 else ""
        reason = f"{len(wide)} splits, taken as independent{doubt}; test='paired_t' as asked"
        return Design(wide, "split", test, reason, None)
    if test in ("auto", "cv5x2_t", "cv5x2_f") and test_fraction is None:
        if n_repeats == 5 and n_folds == 2 and len(wide) == 10:
            wide = wide.sort_index(level=["repeat", "fold"])
            chosen = "cv5x2_f" if test == "auto" else test
            why = "Alpaydin's F-test" if test == "auto" else f"test='{chosen}' as asked"
            return Design(wide, "split", chosen, f"five repeats of two-fold cross-validation: {why}", None)
        if test != "auto":
            raise InputError(
                f"test='{test}' is for five repeats of two folds, got {n_repeats} of {n_folds}; use "
                "'corrected_resampled_t'."
            )
    told = test_fraction is not None
    fraction = read_fraction(test_fraction, (len(wide),))[0] if told else _fraction(tidy, n_repeats, n_folds)
    why = f"corrected for shared training cases ({100 * fraction:.3g} % of the cases in each test set)"
    return Design(wide, "split", "corrected_resampled_t", f"{splits}: t-test {why}", fraction)


def _fraction(tidy: Tidy, n_repeats: int, n_folds: int) -> float:
    """The share of cases in the test sets, from their sizes or from the number of folds."""
    if tidy.sizes is not None:
        train, test = tidy.sizes["n_train"].to_numpy(float), tidy.sizes["n_test"].to_numpy(float)
        return float((test / (train + test)).mean())
    if n_folds > 1 and len(tidy.wide) == n_repeats * n_folds:
        return 1.0 / n_folds
    raise InputError(
        f"{n_repeats} repeats without folds may be random splits of one data set, which share training cases, or new "
        "samples: give test_fraction= (the share of the cases in each test set) for the one, test='paired_t' for the "
        "other."
    )


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
