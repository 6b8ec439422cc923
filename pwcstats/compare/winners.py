"""The best method of each data set, or of each point of a grid of parameters."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pwcstats import _params
from pwcstats._multiplicity import AdjustmentName, read_adjust
from pwcstats._multiplicity import adjust as adjusted
from pwcstats._text import did_you_mean, listed, named
from pwcstats.compare.design import find_design
from pwcstats.compare.pairs import NoSpreadError, read_fraction
from pwcstats.compare.registry import Test, TestName, read_test
from pwcstats.compare.scores import LEVELS, Scores, check_complete, read_tidy
from pwcstats.errors import InputError, arg, code, quoted, value

__all__ = ["winners"]


def winners(
    scores: pd.DataFrame,
    by: Hashable | Sequence[Hashable] = "dataset",
    *,
    test: TestName = "auto",
    adjust: AdjustmentName = "holm",
    alpha: float = 0.05,
    test_fraction: float | None = None,
    higher_is_better: bool = True,
) -> pd.DataFrame:
    """Find the best method of each data set, or of each point of a grid, and test it against the second best.

    Parameters
    ----------
    scores : DataFrame
        A tidy frame with the columns method, score, those of `by`, and repeat or fold.
    by : label or sequence of labels
        The columns that define the points: "dataset", or the parameters of a grid.
    test : str
        The test of the best method against the second best, as in :func:`compare_methods`; "paired_t" if each repeat is
        a new sample.
    adjust : {"holm", "bonferroni", "hochberg", "hommel", "bh", "by", "none"}
        How the p-values of all points are adjusted, see :func:`adjust`.
    alpha : float
        Significance level.
    test_fraction : float, optional
        For random splits: the share of the cases in each test set.
    higher_is_better : bool
        Whether higher scores are better; False for errors and losses.

    Returns
    -------
    DataFrame
        One row per point: the columns of `by`, best, second, best_score, second_score, difference (best - second),
        p_value, p_adjusted, significant, note. If there is no p-value, it is NaN and the note says why. If both methods
        have the same scores, it is 1.

    Notes
    -----
    Szepannek, Bischl and Weihs [1]_ find the best method over a grid of simulations in this way: they test the winner
    against the second best, with and without Holm's correction for the number of points. The winner is chosen by the
    same scores, so that with many methods the p-value of a single point is slightly too small.

    References
    ----------
    .. [1] Szepannek, G., Bischl, B. and Weihs, C. (2007). On the combination of locally optimal pairwise classifiers.
       MLDM 2007, 104-116. https://doi.org/10.1007/978-3-540-73499-4_9

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats.compare import winners
    >>> scores = pd.DataFrame(
    ...     [(d, m, r, s + r * 0.01 * (m == "lda"))
    ...      for d, m, s in [(0, "lda", 0.8), (0, "nb", 0.7), (1, "lda", 0.6), (1, "nb", 0.61)] for r in range(4)],
    ...     columns=["rho", "method", "repeat", "score"],
    ... )
    >>> winners(scores, "rho", test="paired_t")[["rho", "best", "difference", "p_adjusted"]].round(4)
       rho best  difference  p_adjusted
    0    0  lda       0.115      0.0008
    1    1  lda       0.005      0.4950
    """
    alpha, adjustment = _params.level(alpha), read_adjust(adjust)
    chosen, fraction = read_test(test), read_fraction(test_fraction)
    _params.flag(higher_is_better, "higher_is_better")
    if adjustment.needs_all_pairs or (chosen is not None and chosen.compares_all):
        setting = arg("adjust", adjustment.name) if adjustment.needs_all_pairs else arg("test", test)
        raise InputError(
            f"{setting} is for all pairs of methods; {code('winners')} takes tests of two methods and "
            f"{arg('adjust', 'holm')}."
        )
    keys = [by] if isinstance(by, str) or not isinstance(by, (list, tuple, pd.Index)) else list(by)
    _check_frame(scores, keys)
    rows = []
    for point, part in scores.groupby(keys, sort=False, observed=True):
        found = _find_best(_read_point(part, keys, point), chosen, fraction, higher_is_better, alpha)
        rows.append([*point, *found])
    columns = [*keys, "best", "second", "best_score", "second_score", "difference", "p_value", "note"]
    frame = pd.DataFrame(rows, columns=columns)
    note = frame.pop("note")
    frame["p_adjusted"] = adjusted(frame["p_value"], adjustment.name)
    frame["significant"] = frame["p_adjusted"] <= alpha
    return frame.assign(note=note)


def _check_frame(scores: Any, keys: list[Any]) -> None:
    if not isinstance(scores, pd.DataFrame):
        raise InputError(f"{arg('scores')} must be a DataFrame with one row per score, got {type(scores).__name__}.")
    if not len(scores):
        raise InputError(f"{arg('scores')} must have a row for each method and split, got no rows.")
    missing = [key for key in keys if key not in scores.columns]
    if missing or not keys:
        hint = did_you_mean(missing[0], scores.columns) if missing else ""
        raise InputError(
            f"{arg('by')} must name columns of scores {listed(scores.columns)}, got {listed(missing)}.{hint}"
        )
    for key in keys:
        check_complete(scores, key)
    if "dataset" in scores.columns and "dataset" not in keys and scores["dataset"].nunique() > 1:
        raise InputError(
            f"{arg('scores')} are of several data sets; add {value('dataset')} to {arg('by')}, or choose one of them."
        )


def _read_point(part: pd.DataFrame, keys: list[Any], point: tuple[Any, ...]) -> Scores:
    """The scores at one point of the grid."""
    where = ", ".join(f"{key} {named(label)}" for key, label in zip(keys, point, strict=True))
    levels = [name for name in LEVELS if name in part.columns]
    if set(levels) <= set(keys):
        raise InputError(
            f"{arg('scores')} must have a column repeat, fold or case: one score alone says nothing about chance."
        )
    try:
        scores = read_tidy(part.drop(columns=[name for name in levels if name in keys]))
    except InputError as error:
        raise InputError(f"at {where}: {quoted(error)}") from None
    if len(scores.table) < 2:
        raise InputError(
            f"at {where}: one score per method says nothing about chance; {code('winners')} needs repeats or folds of "
            f"each point, {code('compare_methods')} compares over all data sets."
        )
    return scores


def _find_best(
    scores: Scores, test: Test | None, test_fraction: float | None, higher_is_better: bool, alpha: float
) -> list[Any]:
    """The best and the second best method, their mean scores, the p-value of the difference, and a note."""
    means = scores.table.mean()
    order = np.argsort(-means.to_numpy() if higher_is_better else means.to_numpy(), kind="stable")
    first, second = means.index[order[0]], means.index[order[1]]
    design = find_design(scores, test, test_fraction, 1.0, alpha)
    found = [first, second, means[first], means[second], means[first] - means[second]]
    try:
        result = design.test_pair(first, second, alpha)
    except NoSpreadError as error:
        return [*found, np.nan, f"no test: {error}"]
    if result.estimate is not None and (result.estimate < 0.0) == higher_is_better and result.estimate != 0.0:
        return [*found, 1.0, "the test prefers the second"]
    return [*found, result.p_value, ""]
