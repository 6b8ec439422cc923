"""Many methods compared: from scores to the table and the pairs."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from pwcstats import _params
from pwcstats._results import TestResult
from pwcstats.compare.answers import cochran_q
from pwcstats.compare.comparison_result import ComparisonResult
from pwcstats.compare.design import BY_RANKS, OF_SPLITS, Design, read_design, test_pair
from pwcstats.compare.means import scaled
from pwcstats.compare.multiplicity import adjust as adjusted
from pwcstats.compare.multiplicity import cliques, letters, read_adjust, smallest_factor
from pwcstats.compare.ranks import friedman, interval_alpha, mean_ranks, nemenyi, rank_tests
from pwcstats.compare.scores import (
    ROWS,
    NoSpreadError,
    Tidy,
    UnnamedRowsError,
    as_frame,
    named_rows,
    read_tidy,
    read_wide,
)
from pwcstats.errors import InputError

__all__ = ["compare_methods"]

_COLUMNS = ["method_a", "method_b", "mean_difference", "estimate", "conf_low", "conf_high", "statistic", "p_value"]


def compare_methods(
    scores: Any,
    *,
    test: str = "auto",
    adjust: str = "holm",
    rows: str | None = None,
    control: Any = None,
    alpha: float = 0.05,
    test_fraction: float | None = None,
    higher_is_better: bool = True,
) -> ComparisonResult:
    """Compare several methods by their scores, with the test that suits the design of the study.

    Parameters
    ----------
    scores : DataFrame or dict of array-like
        A tidy frame with the columns method and score, and whichever there are of dataset, repeat, fold (as
        :func:`benchmark` returns it) or case (with scores 1 and 0 for right and wrong). Or a table with a column for
        each method. Its index says what the rows are: names of data sets, or levels called dataset, repeat, fold or
        case. If the rows have no names, `rows` must say it.
    test : str
        "auto" chooses, and `reason` says why. Several data sets: each is one observation, the mean over its splits;
        "wilcoxon" for each pair, or "mean_ranks" where there are too few data sets for that. One data set:
        "corrected_resampled_t". Cases: "mcnemar". Or ask for one of these, or for "nemenyi", "sign", "cv5x2_t",
        "cv5x2_f", or "paired_t" (independent scores: of data sets, or of repeats each of which has a new sample).
    adjust : {"holm", "bonferroni", "hochberg", "hommel", "shaffer", "bh", "by", "none"}
        How p-values are adjusted for the number of comparisons, see :func:`adjust`. Nemenyi's are adjusted already.
    rows : {"folds", "datasets"}, optional
        What the rows of a table are that have no names, such as scores of ``cross_val_score``. "folds": the folds of
        one cross-validation of one data set, each with the share 1/K of the cases in its test set if there are K rows;
        for folds of repeated cross-validation give `test_fraction`, too. "datasets": a row for each data set.
    control : label, optional
        The method with which all others are compared; without one, all pairs are.
    alpha : float
        The level of the tests. Intervals of the pairs hold simultaneously, by Bonferroni's inequality (with "bh", "by"
        and "none" one by one); those of the methods' means one by one.
    test_fraction : float, optional
        For random splits of one data set: share of the cases in each test set. Folds, and the columns n_train and
        n_test, tell it themselves.
    higher_is_better : bool
        Whether higher scores are better; False for errors and losses.

    Returns
    -------
    ComparisonResult

    Raises
    ------
    InputError
        If the methods do not pair up: the message names the cells that have no score or two. If the rows have no
        names, and neither `rows` nor `test` nor `test_fraction` says what they are.

    Notes
    -----
    Methods scored on folds of the same data set are not compared as if the folds were data sets: folds share their
    training cases, and the usual t-test takes chance for difference (see :func:`corrected_resampled_t`).

    With one data set there is no omnibus test; with several it is Friedman's, exact with few of them and otherwise with
    Iman and Davenport's F.

    Mean ranks depend on all methods that are compared. Where all are equal, their tests keep the level; where some
    differ, two equal ones may be told apart more often than `alpha` says, and the intervals may miss. This is why they
    are used only where there are too few data sets for Wilcoxon's test.

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats.compare import compare_methods
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
    alpha, adjust = _params.level(alpha, "alpha"), read_adjust(adjust)
    _params.flag(higher_is_better, "higher_is_better")
    tidy = _read(scores, rows, is_of_splits=test in OF_SPLITS or test_fraction is not None)
    k = tidy.wide.shape[1]
    if control is not None:
        _params.index_of(control, tidy.wide.columns, "control", "methods")
    if control is not None and (adjust == "shaffer" or test == "nemenyi"):
        word, cure = (
            ("adjust='shaffer'", "adjust='holm'") if adjust == "shaffer" else ("test='nemenyi'", "'mean_ranks'")
        )
        raise InputError(f"{word} is for all pairs, not for comparisons with a control; use {cure}.")
    n_tests = k - 1 if control is not None else k * (k - 1) // 2
    design = read_design(tidy, test, test_fraction, smallest_factor(adjust, n_tests), alpha)
    table = _table(design, higher_is_better, alpha)
    if design.test in BY_RANKS:
        pairs, name, critical, notes = _rank_pairs(design, table, adjust, control, alpha, higher_is_better)
    else:
        pairs, name, notes = _paired(design, table, adjust, control, alpha)
        critical = None
    pairs["significant"] = pairs["p_adjusted"] <= alpha
    groups = [] if control is not None else _groups(table.index, pairs)
    table["letters"] = letters(groups, list(table.index)) if groups else ""
    return ComparisonResult(
        table,
        pairs,
        _omnibus(design, higher_is_better),
        design.test,
        "none" if design.test == "nemenyi" else adjust,
        design.reason,
        alpha,
        name,
        critical,
        groups,
        control,
        higher_is_better,
        design.wide,
        (
            *_doubts(pairs),
            *notes,
            *_few(design, pairs, adjust, alpha),
            *_opposed(design, pairs, control, higher_is_better),
        ),
    )


def _read(scores: Any, rows: str | None, is_of_splits: bool) -> Tidy:
    """Scores as a table that pairs up; `is_of_splits` says that what was asked for is for splits only."""
    _params.optional_choice(rows, ROWS, "rows")
    scores = as_frame(scores)
    if isinstance(scores, pd.DataFrame) and ({"method", "score"} & set(scores.columns)):
        tidy = read_tidy(scores)
        _refuse_other_rows(tidy.places, rows)
        return tidy
    wide = read_wide(scores)
    named = named_rows(wide)
    # Labels that are merely not numbers may be of anything; what the user says of them counts.
    guessed = list(named.index.names) == ["dataset"] and wide.index.names[0] != "dataset"
    wide = named.rename_axis(index=ROWS[rows]) if guessed and rows is not None else named
    if not wide.index.is_unique:
        raise InputError("the rows of scores must have labels that differ; reset_index(drop=True) or rename them.")
    if wide.index.names == [None]:
        if rows is None and not is_of_splits:
            raise _unnamed(wide)
        wide = wide.rename_axis(index=ROWS[rows or "folds"])
    places = [str(name) for name in wide.index.names]
    _refuse_other_rows(places, rows)
    return Tidy(wide, places)


def _refuse_other_rows(places: list[str], rows: str | None) -> None:
    """Refuse `rows` that say something else than the names of the rows."""
    if rows is not None and places[-1] != ROWS[rows]:
        raise InputError(f"rows='{rows}', but the rows of scores are named {', '.join(places)}; leave rows out.")


def _unnamed(wide: pd.DataFrame) -> UnnamedRowsError:
    """What to raise where rows have no names."""
    answers = "; or name the rows of right and wrong answers, scores.rename_axis('case')"
    return UnnamedRowsError(
        "rows of scores without names may be folds or data sets, which need different tests; call "
        'compare_methods(scores, rows="folds") for the folds of one cross-validation (corrected resampled t-test), or '
        'compare_methods(scores, rows="datasets") for a row for each data set (Wilcoxon\'s test or mean ranks)'
        f"{answers if np.isin(wide.to_numpy(), (0.0, 1.0)).all() else ''}."
    )


def _table(design: Design, higher_is_better: bool, alpha: float) -> pd.DataFrame:
    """Means, their intervals, and ranks of the methods, best first."""
    wide = design.wide
    x, unit = scaled(wide.to_numpy(), axis=0)
    n, sd = len(wide), pd.Series(x.std(axis=0, ddof=1) * unit, wide.columns)
    fraction = design.test_fraction if design.test_fraction is not None else 0.5 if design.test[:3] == "cv5" else 0.0
    half = stats.t.isf(alpha / 2.0, n - 1) * sd * np.sqrt(1.0 / n + fraction / (1.0 - fraction))
    table = pd.DataFrame(
        {
            "mean": wide.mean(),
            "sd": sd,
            "conf_low": wide.mean() - half,
            "conf_high": wide.mean() + half,
            "rank": mean_ranks(wide, higher_is_better=higher_is_better),
        }
    ).rename_axis(index="method")
    # Tests of ranks call the one with the best mean rank the best, the others the one with the best mean.
    sign = -1.0 if higher_is_better else 1.0
    order = [table["rank"], sign * table["mean"]]
    if design.test not in (*BY_RANKS, "wilcoxon", "sign"):
        order.reverse()
    return table.iloc[np.lexsort(order[::-1])]


def _pairs_of(table: pd.DataFrame, control: Any) -> list[tuple[Any, Any]]:
    names = list(table.index)
    return list(combinations(names, 2)) if control is None else [(control, name) for name in names if name != control]


def _rank_pairs(
    design: Design, table: pd.DataFrame, adjust: str, control: Any, alpha: float, higher_is_better: bool
) -> tuple[pd.DataFrame, str, float | None, list[str]]:
    """Pairs by their mean ranks."""
    if design.test == "nemenyi":
        found = nemenyi(design.wide, alpha=alpha, higher_is_better=higher_is_better)
    else:
        found = rank_tests(design.wide, control=control, adjust=adjust, alpha=alpha, higher_is_better=higher_is_better)
    both = found.pairs.set_index(["method_a", "method_b"])
    flipped = both.rename_axis(index=["method_b", "method_a"]).swaplevel()
    # (Not times -1, which makes -0 of 0.)
    flipped[["estimate", "statistic"]] = 0.0 - flipped[["estimate", "statistic"]]
    flipped[["conf_low", "conf_high"]] = -flipped[["conf_high", "conf_low"]].to_numpy()
    both = pd.concat([both, flipped])
    pairs = _pairs_of(table, control)
    frame = both.loc[pairs].reset_index()
    frame["mean_difference"] = [table.loc[a, "mean"] - table.loc[b, "mean"] for a, b in pairs]
    name = "difference of mean ranks, above 0 where method_a is better"
    notes = (
        ["mean ranks depend on all methods: where some differ, two equal ones may seem to"] if len(table) > 2 else []
    )
    return frame[[*_COLUMNS, "p_adjusted"]], name, found.critical_difference, notes


def _paired(
    design: Design, table: pd.DataFrame, adjust: str, control: Any, alpha: float
) -> tuple[pd.DataFrame, str, list[str]]:
    """Pairs by a test of two methods each; where there is none, NaN and a note that says why."""
    pairs = _pairs_of(table, control)
    level = interval_alpha(alpha, adjust, len(pairs))
    rows, notes, name = [], [], "difference"
    for a, b in pairs:
        row: list[Any] = [a, b, table.loc[a, "mean"] - table.loc[b, "mean"]]
        try:
            result = test_pair(design, a, b, level)
        except NoSpreadError as error:
            rows.append([*row, *[np.nan] * 5])
            notes.append(f"{a} and {b}: no test, {error}")
            continue
        name = result.estimate_name
        low, high = result.conf_int or (np.nan, np.nan)
        rows.append([*row, result.estimate, low, high, result.statistic, result.p_value])
        notes += [f"{a} and {b}: {note}" for note in result.notes if "too few" not in note]
    frame = pd.DataFrame(rows, columns=_COLUMNS)
    frame["p_adjusted"] = adjusted(frame["p_value"], adjust)
    return frame, name, notes


def _groups(names: pd.Index, pairs: pd.DataFrame) -> list[tuple[Any, ...]]:
    """Groups of methods that do not differ."""
    differ: Any = np.zeros((len(names), len(names)), dtype=bool)
    places = {name: place for place, name in enumerate(names)}
    for a, b in pairs.loc[pairs["significant"], ["method_a", "method_b"]].itertuples(index=False):
        differ[places[a], places[b]] = differ[places[b], places[a]] = True
    return cliques(list(names), differ)


def _omnibus(design: Design, higher_is_better: bool) -> TestResult | None:
    if design.wide.shape[1] < 3:
        return None
    if design.unit == "case":
        return cochran_q(design.wide)
    if design.unit == "data set" and design.test != "paired_t":
        return friedman(design.wide, statistic="auto", higher_is_better=higher_is_better)
    return None


def _doubts(pairs: pd.DataFrame) -> list[str]:
    """What a reader may stumble over."""
    if (pairs["significant"] & (pairs["conf_low"] < 0.0) & (pairs["conf_high"] > 0.0)).any():
        return ["intervals are Bonferroni's, and wider than the adjusted tests: some of significant pairs cover 0"]
    return []


def _opposed(design: Design, pairs: pd.DataFrame, control: Any, higher_is_better: bool) -> list[str]:
    """Say so where the test prefers the method that has the worse rank or mean."""
    if design.test in BY_RANKS or control is not None:
        return []
    side = 1.0 if higher_is_better else -1.0
    opposed = pairs[pairs["significant"] & (side * pairs["estimate"] < 0.0)]
    order = "mean rank" if design.test in ("wilcoxon", "sign") else "mean"
    return [
        f"{b} is better than {a} by the test, though not by its {order}: the differences are skewed"
        for a, b in zip(opposed["method_a"], opposed["method_b"], strict=True)
    ]


def _few(design: Design, pairs: pd.DataFrame, adjust: str, alpha: float) -> list[str]:
    """Say so where no result could have been significant."""
    n = len(design.wide)
    least = 2.0 ** (1 - n)
    if design.test in ("wilcoxon", "sign") and least * smallest_factor(adjust, len(pairs)) > alpha:
        return [
            f"with {n} {design.unit}s no p-value can be below {least:.3g}, so that no pair can be significant at "
            f"{alpha:g} after adjustment; score more of them"
        ]
    return []
