"""What the rows of scores are (data sets, splits or cases), and which test suits them."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pwcstats._results import TestResult
from pwcstats._text import counted, listed, named
from pwcstats.compare.registry import Test, Unit, find_test
from pwcstats.compare.scores import Scores
from pwcstats.errors import InputError, Message, arg

# More folds than this without repeats are most likely folds of several repeats, numbered consecutively.
MOST_FOLDS = 10


class Design(NamedTuple):
    """The observations, and the test that suits them.

    `scores` has one row per observation and one column per method; `unit` says what an observation is. `test_fraction`
    is the share of the cases in each test set for splits that share training cases, and None for others.
    """

    scores: pd.DataFrame
    unit: Unit
    test: Test
    reason: Message
    test_fraction: float | None = None

    def test_pair(self, first: Any, second: Any, alpha: float) -> TestResult:
        """The result of the test for two methods."""
        a, b = (self.scores[name].rename(str(named(name))) for name in (first, second))
        result: TestResult = self.test.apply(a, b, alpha=alpha, test_fraction=self.test_fraction)
        return result


def find_design(
    scores: Scores, test: Test | None, test_fraction: float | None, smallest_factor: float, alpha: float
) -> Design:
    """Find the test for some scores, or check the test that was asked for.

    `smallest_factor` is the factor by which the adjustment multiplies the smallest p-value.
    """
    counts = {name: scores.table.index.get_level_values(name).nunique() for name in scores.levels}
    if counts.get("dataset", 1) > 1:
        if test_fraction is not None:
            raise InputError(
                f"{arg('test_fraction')} is for splits of one data set, got {counts['dataset']} data sets; leave it "
                "out."
            )
        return _of_datasets(scores, test, smallest_factor, alpha)
    if "case" in scores.levels:
        return _of_cases(scores.table, test, counts)
    return _of_splits(scores, counts, test, test_fraction)


def _of_datasets(scores: Scores, test: Test | None, smallest_factor: float, alpha: float) -> Design:
    """Several data sets: each is one observation, however many splits it was scored on."""
    means = scores.means()
    n, k = means.shape
    reason = f"{n} data sets, each one observation (its mean score)"
    if test is not None:
        if "data set" not in test.units:
            raise InputError(
                f"{arg('test', test.name)} is for one data set, got {n} {listed(means.index)}; use "
                f"{arg('test', 'wilcoxon')}, or compare the methods on each data set separately."
            )
        return Design(means, "data set", test, Message(f"{reason}; {arg('test', test.name)} as requested"))
    wilcoxon = find_test("wilcoxon")
    if k == 2 or wilcoxon.smallest_p(n) * smallest_factor <= alpha:
        reason += ": Wilcoxon's signed-rank test of each pair, which does not depend on the other methods"
        return Design(means, "data set", wilcoxon, Message(reason))
    reason += (
        f": tests of mean ranks, because with {n} data sets and {smallest_factor:g} comparisons Wilcoxon's signed-rank "
        f"test could not reach {alpha:g}"
    )
    return Design(means, "data set", find_test("mean_ranks"), Message(reason))


def _of_cases(table: pd.DataFrame, test: Test | None, counts: dict[str, int]) -> Design:
    default = find_test("mcnemar")
    test = test or default
    if "case" not in test.units:
        raise InputError(
            f"{arg('test', test.name)} is not for answers to single cases; use {arg('test', default.name)}, or "
            "leave it out."
        )
    if counts.get("repeat", 1) > 1:
        raise InputError(
            f"answers to the same cases in {counts['repeat']} repeats are not independent; choose one repeat, or give "
            "the score of each split instead (columns repeat and fold without case)."
        )
    if not np.isin(table.to_numpy(), (0.0, 1.0)).all():
        raise InputError("scores of cases must be 1 (right) or 0 (wrong), got other numbers.")
    return Design(table, "case", test, Message(f"right and wrong answers to the same cases: {test.description}"))


def _of_splits(scores: Scores, counts: dict[str, int], test: Test | None, test_fraction: float | None) -> Design:
    """One data set: its splits share training cases, unless each repeat is a new sample."""
    n = len(scores.table)
    if n < 2:
        raise InputError(
            "one score per method says nothing about chance; score the methods on several data sets, or on repeated "
            "splits (columns repeat and fold)."
        )
    corrected = find_test("corrected_resampled_t")
    test = test or corrected
    if test.units == ("case",):
        raise InputError(
            f"{arg('test', test.name)} needs a column case, with 1 (right) or 0 (wrong) as the score of each method."
        )
    if "split" not in test.units:
        raise InputError(
            f"{arg('test', test.name)} is for independent scores, such as those of several data sets, but these are "
            f"splits of one data set; use {arg('test', corrected.name)}, or leave {arg('test')} out."
        )
    if test_fraction is not None and "test_fraction" not in test.options:
        raise InputError(
            f"{arg('test_fraction')} is for {arg('test', corrected.name)}, got {arg('test', test.name)}; leave one of "
            "them out."
        )
    if test.splits is not None:
        repeats, folds = test.splits
        reason = Message(f"{repeats} repeats of {folds} folds; {arg('test', test.name)} as requested")
        return Design(_ordered_splits(scores, test.name, repeats, folds), "split", test, reason, 1.0 / folds)
    if "test_fraction" not in test.options:
        doubt = " (folds are not: they share training cases)" if counts.get("fold", 1) > 1 else ""
        reason = Message(f"{n} splits, taken as independent{doubt}; {arg('test', test.name)} as requested")
        return Design(scores.table, "split", test, reason)
    fraction = test_fraction if test_fraction is not None else _fraction(scores)
    reason = Message(
        f"{n} splits of one data set: {test.description} ({100 * fraction:.3g} % of the cases in each test set)"
    )
    return Design(scores.table, "split", test, reason, fraction)


def _folds_of_repeats(scores: Scores) -> pd.Series:
    """The number of folds of each repeat. Folds may be numbered within repeats or consecutively."""
    if "repeat" not in scores.levels:
        return pd.Series([len(scores.table)])
    return scores.table.groupby(level="repeat", sort=False, observed=True).size()


def _ordered_splits(scores: Scores, test: str, n_repeats: int, n_folds: int) -> pd.DataFrame:
    """Scores of the repeats and folds that a test needs, in this order."""
    folds = _folds_of_repeats(scores)
    has_sizes = scores.sizes is None or abs(_fraction(scores) - 1.0 / n_folds) < 0.05
    if list(folds) != [n_folds] * n_repeats or not has_sizes:
        sizes = "" if has_sizes else f", with {100 * _fraction(scores):.3g} % of the cases in each test set"
        raise InputError(
            f"{arg('test', test)} is for {n_repeats} repeats of {n_folds} folds, got {len(scores.table)} splits "
            f"in {counted(len(folds), 'repeat')}{sizes}; use {arg('test', 'corrected_resampled_t')}."
        )
    names = [name for name in scores.levels if name in ("repeat", "fold")]
    # Labels of several types cannot be sorted, but their texts can.
    try:
        return scores.table.sort_index(level=names)
    except TypeError:
        return scores.table.sort_index(level=names, key=lambda labels: labels.map(str))


def _fraction(scores: Scores) -> float:
    """The share of the cases in each test set, from their sizes or from the number of folds."""
    if scores.sizes is not None:
        train, test = scores.sizes["n_train"].to_numpy(float), scores.sizes["n_test"].to_numpy(float)
        return float((test / (train + test)).mean())
    folds = _folds_of_repeats(scores)
    if "fold" not in scores.levels or folds.max() < 2:
        raise InputError(
            f"{len(scores.table)} repeats without folds may be random splits of one data set, which share training "
            f"cases, or new samples; set {arg('test', 'paired_t')} for new samples, or give {arg('test_fraction')} "
            "(the share of the cases in each test set) for random splits."
        )
    if folds.nunique() > 1:
        fewer = folds.index[folds < folds.max()]
        raise InputError(
            f"all repeats must have the same number of folds, {folds.max()}, but {listed(fewer)} have fewer; score "
            f"what is missing, drop these repeats, or give {arg('test_fraction')}."
        )
    if len(folds) == 1 and folds.max() > MOST_FOLDS:
        raise InputError(
            f"{folds.max()} folds of one data set may be repeats of fewer folds; number the repeats in a column "
            f"repeat, or give {arg('test_fraction')} (the share of the cases in each test set, 1/k for k folds)."
        )
    return 1.0 / float(folds.max())
