"""Our numbers beside the paper's."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy import stats

__all__ = ["COLUMNS", "Exhibit", "beside", "claim"]

# What each table ends with; before these are the parameters of the study.
COLUMNS = ("quantity", "estimate", "std_error", "runs", "paper", "difference", "agrees", "note")
# With fewer runs (but for a single one, which is taken for all that there is) an interval would hold nearly everything.
FEWEST = 5
# The paper's number agrees if it is within the interval that holds a new result of the same experiment so often.
LEVEL = 0.99


class Exhibit(NamedTuple):
    """A table or figure of a paper.

    Attributes
    ----------
    name : str
        As the function is called, "table1".
    title : str
        "Table 1: what it shows".
    about : str
        How it was made here, and where that differs from the paper.
    table : callable, optional
        ``table(size, random_state=, n_jobs=, progress=, cache=)`` gives a frame that ends with `COLUMNS`.
    figure : callable, optional
        Draws the frame that `table` gives (None, where there is no table).
    """

    name: str
    title: str
    about: str
    table: Callable[..., pd.DataFrame] | None = None
    figure: Callable[[Any], Figure] | None = None


def beside(
    runs: pd.DataFrame,
    by: Sequence[str],
    value: str,
    paper: Mapping[Any, float],
    *,
    quantity: str | None = None,
    digits: int = 2,
    paper_runs: int = 1,
    note: Callable[..., str] | None = None,
) -> pd.DataFrame:
    r"""Means of runs beside the numbers that a paper prints.

    Parameters
    ----------
    runs : DataFrame
        A row for each run.
    by : sequence of str
        The columns that tell settings apart.
    value : str
        The column of results.
    paper : mapping
        The printed number of each setting, by the values of `by` (by the value itself where it is one column).
    quantity : str, optional
        What the value is called; by default as its column.
    digits : int
        Decimal places in print.
    paper_runs : int
        Runs of which the paper prints the mean.
    note : callable, optional
        Takes the setting's values and gives a remark.

    Returns
    -------
    DataFrame
        `by`, and `COLUMNS`: quantity, estimate (mean of the runs), std_error (of it), runs, paper, difference (ours -
        paper), agrees, note. `agrees` is missing where the paper prints nothing, and where there are two to four
        runs, from which nothing can be told; otherwise it says whether the printed
        number, rounded as it is, is in the interval that has it in 99 % of the cases if both did the same experiment:
        :math:`\pm t_{0.995} s \sqrt{1/n + 1/m}` about our mean, with our standard deviation s of n runs, and the
        paper's m runs. Where our runs do not vary, only the rounding counts.
    """
    rows = []
    for key, found in runs.groupby(list(by), sort=False, observed=True)[value]:
        printed = float(paper.get(key[0] if len(by) == 1 else key, math.nan))
        n, mean = len(found), float(found.mean())
        sd = float(found.std(ddof=1)) if n > 1 else math.nan
        allowed = 0.0
        if n > 1 and sd > 0.0:
            allowed = float(stats.t.ppf(0.5 + LEVEL / 2, n - 1)) * sd * math.sqrt(1 / n + 1 / paper_runs)
        # Half a unit of the last digit, and a last bit that rounding may turn either way.
        near = abs(mean - printed) <= allowed + 0.5 * 10.0**-digits + 1e-12
        words = "" if note is None else note(*key)
        agrees = pd.NA if math.isnan(printed) or 1 < n < FEWEST else near
        numbers = (quantity or value, mean, sd / math.sqrt(n), n, printed, mean - printed, agrees, words)
        rows.append((*key, *numbers))
    return _frame(rows, by)


def claim(
    words: str, holds: bool, estimate: float = math.nan, std_error: float = math.nan, note: str = ""
) -> pd.DataFrame:
    """What a paper says in words, in a row like those of numbers.

    Parameters
    ----------
    words : str
        The statement, which stands as the quantity.
    holds : bool
        Whether it is so here.
    estimate, std_error : float
        The number by which it was judged, if there is one.
    note : str
        What that number is.

    Returns
    -------
    DataFrame
        One row with `COLUMNS`.
    """
    return _frame([(words, estimate, std_error, pd.NA, math.nan, math.nan, bool(holds), note)], ())


def _frame(rows: list[Any], by: Sequence[str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=[*by, *COLUMNS])
    return frame.astype({"agrees": "boolean", "runs": "Int64", **dict.fromkeys(("estimate", "paper"), np.float64)})
