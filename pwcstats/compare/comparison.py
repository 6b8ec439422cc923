"""Compare several methods: read the scores, find the design, test the pairs, adjust the p-values."""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from pwcstats import _params
from pwcstats._multiplicity import Adjustment, AdjustmentName, read_adjust
from pwcstats._multiplicity import adjust as adjusted
from pwcstats.compare.cliques import cliques, letters
from pwcstats.compare.comparison_result import ComparisonResult
from pwcstats.compare.design import Design, find_design
from pwcstats.compare.means import scaled
from pwcstats.compare.pairs import NoSpreadError, read_fraction
from pwcstats.compare.ranks import RankTests, mean_ranks
from pwcstats.compare.registry import TestName, read_test
from pwcstats.compare.scores import ROWS, Rows, read_scores
from pwcstats.compare.signs import IntervalNote
from pwcstats.errors import InputError, Message, arg, quoted

__all__ = ["compare_methods"]

_COLUMNS = ["method_a", "method_b", "mean_difference", "estimate", "conf_low", "conf_high", "statistic", "p_value"]


def compare_methods(
    scores: Any,
    *,
    test: TestName = "auto",
    adjust: AdjustmentName = "holm",
    rows: Rows | None = None,
    control: Any = None,
    alpha: float = 0.05,
    test_fraction: float | None = None,
    higher_is_better: bool = True,
) -> ComparisonResult:
    """Compare several methods by their scores, with the test that suits the design of the study.

    Parameters
    ----------
    scores : DataFrame or dict of array-like
        A tidy frame with the columns method and score and any of dataset, repeat, fold (as :func:`benchmark` returns)
        or case (with scores of 1 for right and 0 for wrong). Or a table with one column per method, whose index says
        what the rows are: names of data sets, or levels named dataset, repeat, fold or case. If the rows have no names,
        set `rows`.
    test : str
        "auto" chooses a test, and `reason` explains the choice. With several data sets, each one is an observation (the
        mean over its splits): "wilcoxon" for each pair, or "mean_ranks" if there are too few data sets for that. With
        one data set: "corrected_resampled_t". With cases: "mcnemar". Other tests are "nemenyi", "sign", "cv5x2_t",
        "cv5x2_f", and "paired_t" for independent scores (of data sets, or of repeats that are new samples).
    adjust : {"holm", "bonferroni", "hochberg", "hommel", "shaffer", "bh", "by", "none"}
        How p-values are adjusted for the number of comparisons, see :func:`adjust`. Nemenyi's are adjusted already.
    rows : {"folds", "datasets"}, optional
        What rows without names are, such as scores of ``cross_val_score``. "folds": the folds of one cross-validation
        of one data set; with K rows, each test set has 1/K of the cases. For folds of repeated cross-validation, give
        `test_fraction`, too. "datasets": one row per data set.
    control : label, optional
        The method that all others are compared with. By default, all pairs are compared.
    alpha : float
        Significance level of the tests. The intervals of pairs are simultaneous by Bonferroni's inequality, except with
        "bh", "by" and "none". The intervals of the means of methods are not simultaneous.
    test_fraction : float, optional
        For random splits of one data set: the share of the cases in each test set. Not needed for folds, or with the
        columns n_train and n_test.
    higher_is_better : bool
        Whether higher scores are better; False for errors and losses.

    Returns
    -------
    ComparisonResult

    Raises
    ------
    InputError
        If the methods do not pair up; the message names the cells that have no score or two. If the rows have no names
        and neither `rows`, `test` nor `test_fraction` says what they are.

    Notes
    -----
    Folds of one data set are not treated as if they were data sets: they share training cases, and the usual t-test
    would often find differences that are due to chance (see :func:`corrected_resampled_t`).

    With one data set there is no omnibus test. With several, it is Friedman's test, exact with few of them, otherwise
    with Iman and Davenport's F.

    Mean ranks depend on all methods that are compared. If all methods are equal, their tests keep the level. If some
    differ, two equal ones may be found different more often than `alpha`, and intervals may have a lower coverage. This
    is why they are used only if there are too few data sets for Wilcoxon's test.

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats import compare_methods
    >>> scores = pd.DataFrame(
    ...     {"lda": [0.81, 0.74, 0.92, 0.66], "svm": [0.84, 0.79, 0.93, 0.70], "nb": [0.80, 0.70, 0.90, 0.68]},
    ...     index=pd.Index(["vehicle", "glass", "wine", "vowel"], name="dataset"),
    ... )
    >>> result = compare_methods(scores)
    >>> result.table[["mean", "rank", "letters"]]
              mean  rank letters
    method
    svm     0.8150  1.00       a
    lda     0.7825  2.25      ab
    nb      0.7700  2.75       b
    >>> result.best is None, result.best_group
    (True, ['svm', 'lda'])

    Folds of one data set:

    >>> from sklearn.datasets import load_wine
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_wine(return_X_y=True)
    >>> learners = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}
    >>> folds = {name: cross_val_score(learner, X, y, cv=10) for name, learner in learners.items()}
    >>> compare_methods(folds, rows="folds").reason
    '10 splits of one data set: t-test corrected for shared training cases (10 % of the cases in each test set)'
    """
    alpha, adjustment = _params.level(alpha), read_adjust(adjust)
    chosen, fraction = read_test(test), read_fraction(test_fraction)
    _params.flag(higher_is_better, "higher_is_better")
    _params.optional_choice(rows, ROWS, "rows")
    if control is not None and adjustment.needs_all_pairs:
        raise InputError(
            f"{arg('adjust', adjustment.name)} is for all pairs, not for comparisons with a control; use "
            f"{arg('adjust', 'holm')}."
        )
    if control is not None and chosen is not None and not chosen.takes_control:
        raise InputError(
            f"{arg('test', chosen.name)} is for all pairs, not for comparisons with a control; use "
            f"{arg('test', 'mean_ranks')}."
        )
    # Tests of splits, and their share of test cases, say what rows without names are.
    are_splits = fraction is not None or (chosen is not None and chosen.units == ("split",))
    paired = read_scores(scores, rows, are_splits=are_splits)
    names = paired.table.columns
    if control is not None:
        _params.index_of(control, names, "control", "methods")
    n_tests = len(names) - 1 if control is not None else len(names) * (len(names) - 1) // 2
    design = find_design(paired, chosen, fraction, adjustment.smallest_factor(n_tests), alpha)

    methods = _describe_methods(design, higher_is_better, alpha)
    if design.test.compares_all:
        tested = _test_by_ranks(design, methods, adjustment, control, alpha, higher_is_better)
    else:
        tested = _test_in_pairs(design, methods, adjustment, control, alpha)
    pairs = tested.pairs.assign(significant=tested.pairs["p_adjusted"] <= alpha)
    groups = [] if control is not None else _equal_groups(methods.index, pairs)
    methods["letters"] = letters(groups, list(methods.index)) if groups else ""
    omnibus = design.test.omnibus if len(names) > 2 else None
    notes = (
        *_note_wide_intervals(pairs),
        *tested.notes,
        *_note_too_few(design, pairs, adjustment, alpha),
        *(_note_opposed(design, pairs, higher_is_better) if control is None else ()),
    )
    return ComparisonResult(
        table=methods,
        pairs=pairs,
        omnibus=None if omnibus is None else omnibus(design.scores, higher_is_better),
        test=design.test.name,
        adjust="none" if design.test.is_adjusted else adjustment.name,
        reason=design.reason,
        alpha=alpha,
        estimate_name=tested.estimate_name,
        critical_difference=tested.critical_difference,
        is_adjusted=design.test.is_adjusted,
        is_simultaneous=design.test.is_adjusted or adjustment.is_familywise,
        cliques=groups,
        control=control,
        higher_is_better=higher_is_better,
        scores=design.scores,
        notes=notes,
    )


def _describe_methods(design: Design, higher_is_better: bool, alpha: float) -> pd.DataFrame:
    """Means, their intervals, and mean ranks of the methods, best first."""
    scores = design.scores
    x, unit = scaled(scores.to_numpy(), axis=0)
    n, sd = len(scores), pd.Series(x.std(axis=0, ddof=1) * unit, scores.columns)
    fraction = design.test_fraction or 0.0
    half = stats.t.isf(alpha / 2.0, n - 1) * sd * np.sqrt(1.0 / n + fraction / (1.0 - fraction))
    means = scores.mean()
    table = pd.DataFrame(
        {
            "mean": means,
            "sd": sd,
            "conf_low": means - half,
            "conf_high": means + half,
            "rank": mean_ranks(scores, higher_is_better=higher_is_better),
        }
    ).rename_axis(index="method")
    by_rank = table["rank"]
    by_mean = -table["mean"] if higher_is_better else table["mean"]
    # np.lexsort sorts by its last key first.
    keys = [by_mean, by_rank] if design.test.order == "mean rank" else [by_rank, by_mean]
    return table.iloc[np.lexsort(keys)]


class _Tested(NamedTuple):
    """The tests of all pairs: columns of `pairs`, what they estimate, and what to know about them."""

    pairs: pd.DataFrame
    estimate_name: str
    critical_difference: float | None
    notes: list[str]


def _pairs_of(methods: pd.DataFrame, control: Any) -> list[tuple[Any, Any]]:
    names = list(methods.index)
    return list(combinations(names, 2)) if control is None else [(control, name) for name in names if name != control]


def _test_by_ranks(
    design: Design, methods: pd.DataFrame, adjustment: Adjustment, control: Any, alpha: float, higher_is_better: bool
) -> _Tested:
    """Test all methods at once, by their mean ranks."""
    found: RankTests = design.test.apply(
        design.scores, alpha=alpha, higher_is_better=higher_is_better, control=control, adjust=adjustment.name
    )
    both = found.pairs.set_index(["method_a", "method_b"])
    swapped = both.rename_axis(index=["method_b", "method_a"]).swaplevel()
    # 0 - x, because -x would turn 0 into -0.
    swapped[["estimate", "statistic"]] = 0.0 - swapped[["estimate", "statistic"]]
    swapped[["conf_low", "conf_high"]] = -swapped[["conf_high", "conf_low"]].to_numpy()
    pairs = _pairs_of(methods, control)
    frame = pd.concat([both, swapped]).loc[pairs].reset_index()
    frame["mean_difference"] = [methods.loc[a, "mean"] - methods.loc[b, "mean"] for a, b in pairs]
    notes = ["mean ranks depend on all methods: if some methods differ, two equal ones may seem to differ, too"]
    return _Tested(
        frame[[*_COLUMNS, "p_adjusted"]],
        found.estimate_name,
        found.critical_difference,
        notes if len(methods) > 2 else [],
    )


def _test_in_pairs(
    design: Design, methods: pd.DataFrame, adjustment: Adjustment, control: Any, alpha: float
) -> _Tested:
    """Test two methods at a time. A pair without any spread has NaN, and a note that says why."""
    pairs = _pairs_of(methods, control)
    level = adjustment.interval_alpha(alpha, len(pairs))
    rows: list[list[Any]] = []
    notes: list[str] = []
    estimate_name = "difference"
    for a, b in pairs:
        row = [a, b, methods.loc[a, "mean"] - methods.loc[b, "mean"]]
        try:
            result = design.test_pair(a, b, level)
        except NoSpreadError as error:
            rows.append([*row, *[np.nan] * 5])
            notes.append(Message(f"{a} and {b}: no test, {quoted(error)}"))
            continue
        estimate_name = result.estimate_name
        low, high = result.conf_int or (np.nan, np.nan)
        rows.append([*row, result.estimate, low, high, result.statistic, result.p_value])
        # Notes on intervals are left out, because here they have the level of simultaneous intervals.
        about_test = [Message(note).source for note in result.notes if not isinstance(note, IntervalNote)]
        notes += [Message(f"{a} and {b}: {note}") for note in about_test]
    frame = pd.DataFrame(rows, columns=_COLUMNS)
    frame["p_adjusted"] = adjusted(frame["p_value"], adjustment.name)
    return _Tested(frame, estimate_name, None, notes)


def _equal_groups(names: pd.Index, pairs: pd.DataFrame) -> list[tuple[Any, ...]]:
    """The largest groups of methods that do not differ."""
    differ: Any = np.zeros((len(names), len(names)), dtype=bool)
    index = {name: i for i, name in enumerate(names)}
    for a, b in pairs.loc[pairs["significant"], ["method_a", "method_b"]].itertuples(index=False):
        differ[index[a], index[b]] = differ[index[b], index[a]] = True
    return cliques(list(names), differ)


def _note_wide_intervals(pairs: pd.DataFrame) -> list[str]:
    """A note if the interval of a significant pair contains 0."""
    if (pairs["significant"] & (pairs["conf_low"] < 0.0) & (pairs["conf_high"] > 0.0)).any():
        return ["Bonferroni's intervals are wider than the adjusted tests: those of some significant pairs contain 0"]
    return []


def _note_too_few(design: Design, pairs: pd.DataFrame, adjustment: Adjustment, alpha: float) -> list[str]:
    """A note if no result could have been significant."""
    n = len(design.scores)
    smallest = design.test.smallest_p(n)
    if smallest * adjustment.smallest_factor(len(pairs)) <= alpha:
        return []
    return [
        f"with {n} {design.unit}s no p-value can be below {smallest:.3g}, so that no pair can be significant at "
        f"{alpha:g} after adjustment; score the methods on more {design.unit}s"
    ]


def _note_opposed(design: Design, pairs: pd.DataFrame, higher_is_better: bool) -> list[str]:
    """A note for each pair in which the test prefers the method with the worse mean or mean rank."""
    if design.test.compares_all:
        return []
    sign = 1.0 if higher_is_better else -1.0
    opposed = pairs[pairs["significant"] & (sign * pairs["estimate"] < 0.0)]
    return [
        f"{b} is better than {a} by the test, though not by its {design.test.order}: the differences are skewed"
        for a, b in zip(opposed["method_a"], opposed["method_b"], strict=True)
    ]
