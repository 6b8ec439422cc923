"""Who wins where: the best method of each data set, or of each place on a grid of parameters."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pwcstats import _params
from pwcstats._text import listed, named
from pwcstats.compare.design import BY_RANKS, read_design, test_pair
from pwcstats.compare.multiplicity import adjust as adjusted
from pwcstats.compare.multiplicity import read_adjust
from pwcstats.compare.scores import PLACES, NoSpreadError, read_tidy
from pwcstats.errors import InputError

__all__ = ["winners"]


def winners(
    scores: pd.DataFrame,
    by: Hashable | Sequence[Hashable] = "dataset",
    *,
    test: str = "auto",
    adjust: str = "holm",
    alpha: float = 0.05,
    test_fraction: float | None = None,
    higher_is_better: bool = True,
) -> pd.DataFrame:
    """Find the best method of each data set, or of each place on a grid, and test it against the second.

    Parameters
    ----------
    scores : DataFrame
        A tidy frame with the columns method, score, those of `by`, and repeat or fold.
    by : label or sequence of labels
        The columns that tell the places apart: "dataset", or the parameters of a grid.
    test : str
        The test of the best against the second, as for :func:`compare_methods`; "paired_t" where each repeat has a
        new sample.
    adjust : str
        How the p-values of all places are adjusted, see :func:`adjust`.
    alpha : float
        The level at which `significant` is said.
    test_fraction : float, optional
        For random splits: share of the cases in each test set.
    higher_is_better : bool
        Whether higher scores are better.

    Returns
    -------
    DataFrame
        A row for each place: the columns of `by`, best, second, best_score, second_score, difference (best - second),
        p_value, p_adjusted, significant, note (why there is no p-value, where there is none; that
        of two methods that score the same is 1).

    Notes
    -----
    This is how Szepannek, Bischl and Weihs [1]_ say which method is best over a grid of simulations: the winner is
    tested against the second, with and without Holm's correction for the number of places. The winner was chosen by
    the same scores, so the p-value of a single place is a little too small with many methods.

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
    alpha, adjust = _params.level(alpha, "alpha"), read_adjust(adjust)
    if adjust == "shaffer" or test in BY_RANKS:
        word = "adjust='shaffer'" if adjust == "shaffer" else f"test='{test}'"
        raise InputError(f"{word} is for all pairs of methods; winners takes tests of two methods and adjust='holm'.")
    keys = [by] if isinstance(by, str) or not isinstance(by, (list, tuple, pd.Index)) else list(by)
    if not isinstance(scores, pd.DataFrame):
        raise InputError(f"scores must be a DataFrame with a row for each score, got {type(scores).__name__}.")
    if not len(scores):
        raise InputError("scores must have a row for each method and split, got no rows.")
    missing = [key for key in keys if key not in scores.columns]
    if missing or not keys:
        raise InputError(f"by must name columns of scores {listed(scores.columns)}, got {listed(missing)}.")
    unknown = [key for key in keys if scores[key].isna().any()]
    if unknown:
        raise InputError(f"column {unknown[0]} must not have missing values, got some; fill or drop these rows.")
    if "dataset" in scores.columns and "dataset" not in keys and scores["dataset"].nunique() > 1:
        raise InputError("scores are of several data sets; put 'dataset' into by, or choose one of them.")
    rows = []
    for place, part in scores.groupby(keys, sort=False, observed=True):
        tidy = _read_place(part, keys, place)
        rows.append([*place, *_best(tidy, test, test_fraction, higher_is_better, alpha)])
    columns = [*keys, "best", "second", "best_score", "second_score", "difference", "p_value", "note"]
    frame = pd.DataFrame(rows, columns=columns)
    note = frame.pop("note")
    frame["p_adjusted"] = adjusted(frame["p_value"], adjust)
    frame["significant"] = frame["p_adjusted"] <= alpha
    return frame.assign(note=note)


def _read_place(part: pd.DataFrame, keys: list[Any], place: tuple[Any, ...]) -> Any:
    where = ", ".join(f"{key} {named(value)}" for key, value in zip(keys, place, strict=True))
    own = [name for name in PLACES if name in part.columns and name not in keys]
    if not own:
        raise InputError("scores must have a column repeat, fold or case: one score alone tells nothing of chance.")
    try:
        tidy = read_tidy(part.drop(columns=[name for name in PLACES if name in part.columns and name in keys]))
    except InputError as error:
        raise InputError(f"at {where}: {error}") from None
    if len(tidy.wide) < 2:
        raise InputError(
            f"at {where}: one score of each method tells nothing of chance; winners needs repeats or folds of each "
            "place, compare_methods compares over all data sets."
        )
    return tidy


def _best(tidy: Any, test: str, test_fraction: float | None, higher_is_better: bool, alpha: float) -> list[Any]:
    """The best and the second method, their mean scores, and the p-value of the difference."""
    means = tidy.wide.mean()
    order = np.argsort(-means.to_numpy() if higher_is_better else means.to_numpy(), kind="stable")
    first, second = means.index[order[0]], means.index[order[1]]
    design = read_design(tidy, test, test_fraction, 1.0, alpha)
    scores = [first, second, means[first], means[second], means[first] - means[second]]
    try:
        result = test_pair(design, first, second, alpha)
    except NoSpreadError as error:
        # There is no test, and nobody is called significantly better.
        return [*scores, np.nan, f"no test: {error}"]
    if result.estimate is not None and (result.estimate < 0.0) == higher_is_better and result.estimate != 0.0:
        return [*scores, 1.0, "the test prefers the second"]
    return [*scores, result.p_value, ""]
