"""Our numbers beside the paper's."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy import stats

from pwcstats._arrays import Array
from pwcstats._text import counted

__all__ = ["COLUMNS", "Exhibit", "beside", "claim", "everywhere", "noise"]

# What each table ends with; before these are the parameters of the study.
COLUMNS = ("quantity", "estimate", "std_error", "runs", "paper", "difference", "allowed", "agrees", "note")
# With fewer degrees of freedom an interval would hold nearly everything.
FEWEST = 4
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
        Draws the frame that `table` gives.
    picture : callable, optional
        In place of `figure`, where the frame is not what is shown: draws data of a seed.
    """

    name: str
    title: str
    about: str
    table: Callable[..., pd.DataFrame] | None = None
    figure: Callable[[pd.DataFrame], Figure] | None = None
    picture: Callable[[int], Figure] | None = None

    def draw(self, frame: pd.DataFrame | None, random_state: int) -> Figure | None:
        """The figure of a frame, or of a seed; None where the paper has none."""
        if self.picture is not None:
            return self.picture(random_state)
        return None if self.figure is None or frame is None else self.figure(frame)


def beside(
    runs: pd.DataFrame,
    by: Sequence[str],
    value: str,
    paper: Mapping[Any, float | Sequence[float]],
    *,
    quantity: str | None = None,
    digits: int = 2,
    paper_runs: int = 1,
    paper_errors: Mapping[Any, float] | None = None,
    exact: bool = False,
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
        The printed number of each setting, by the values of `by` (by the value itself where it is one column); or the
        numbers of several runs, if these are printed.
    quantity : str, optional
        What the value is called; by default as its column.
    digits : int
        Decimal places in print.
    paper_runs : int
        Runs of which the paper prints the mean.
    paper_errors : mapping, optional
        The standard error of a printed number, where there is one in print.
    exact : bool
        Whether nothing is left to chance, so that one run is all that there is, and only the rounding counts.
    note : callable, optional
        Takes the setting's values and gives a remark.

    Returns
    -------
    DataFrame
        `by`, and `COLUMNS`: quantity, estimate (mean of the runs), std_error (of it), runs, paper (mean of the printed
        numbers), difference (ours - paper), allowed, agrees, note. `agrees` tells whether the difference is at most
        what is `allowed` by chance in 99 % of the cases, if both did the same experiment, and by the rounding in print:
        :math:`t_{0.995} s \sqrt{1/n + 1/m}` for n runs of ours and m of the paper's, where s is the standard
        deviation of ours, pooled with that of the paper's if its runs are printed, and s² / m is the square of the
        printed standard error if there is one. Both are missing where the paper prints nothing, where a run is
        missing, and where there are less than four degrees of freedom, from which nothing can be told.
    """
    rows = []
    for key, found in runs.groupby(list(by), sort=False, observed=True)[value]:
        name = key[0] if len(by) == 1 else key
        printed, ours = np.atleast_1d(np.asarray(paper.get(name, math.nan), np.float64)), found.to_numpy(np.float64)
        error = None if paper_errors is None else paper_errors.get(name)
        degrees, chance = _by_chance(ours, printed, max(paper_runs, len(printed)), error)
        mean, other = float(ours.mean()), float(printed.mean())
        untold = math.isnan(other) or math.isnan(mean) or (degrees < FEWEST and not exact)
        # Half a unit of the last digit, and a last bit that rounding may turn either way.
        allowed = math.nan if untold else chance + 0.5 * 10.0**-digits + 1e-12
        agrees = pd.NA if untold else abs(mean - other) <= allowed
        std_error = math.nan if len(ours) == 1 else float(ours.std(ddof=1)) / math.sqrt(len(ours))
        words = "" if note is None else note(*key)
        numbers = (quantity or value, mean, std_error, len(ours), other, mean - other, allowed, agrees, words)
        rows.append((*key, *numbers))
    return _frame(rows, by)


def _by_chance(ours: Array, printed: Array, paper_runs: int, paper_error: float | None) -> tuple[int, float]:
    """Degrees of freedom, and how far apart means of both may be by chance."""
    degrees = len(ours) + len(printed) - 2
    if degrees == 0:
        return 0, 0.0
    variance = sum(float(((part - part.mean()) ** 2).sum()) for part in (ours, printed)) / degrees
    theirs = variance / paper_runs if paper_error is None else paper_error**2
    return degrees, float(stats.t.ppf(0.5 + LEVEL / 2, degrees)) * math.sqrt(variance / len(ours) + theirs)


def claim(
    words: str, holds: bool | None, estimate: float = math.nan, std_error: float = math.nan, note: str = ""
) -> pd.DataFrame:
    """What a paper says in words, in a row like those of numbers.

    Parameters
    ----------
    words : str
        The statement, which stands as the quantity.
    holds : bool or None
        Whether it is so here; None where that would be no evidence.
    estimate, std_error : float
        The number by which it was judged, if there is one.
    note : str
        What that number is.

    Returns
    -------
    DataFrame
        One row with `COLUMNS`.
    """
    agrees = pd.NA if holds is None else bool(holds)
    return _frame([(words, estimate, std_error, pd.NA, math.nan, math.nan, math.nan, agrees, note)], ())


def everywhere(words: str, leads: pd.DataFrame, note: str) -> pd.DataFrame:
    """The claim that something leads in each of several comparisons, beyond noise.

    Parameters
    ----------
    words : str
        The statement.
    leads : DataFrame
        A row for each run, and a column for each comparison: by how much it leads.
    note : str
        What the least lead is, which stands as the estimate.

    Returns
    -------
    DataFrame
        One row with `COLUMNS`; without a verdict if there is one run only.
    """
    mean, error = leads.mean(), leads.sem()
    count, least = int((mean > noise(leads)).sum()), int(mean.argmin())
    note = f"{note}; above 0 beyond noise in {count} of {counted(len(mean), 'comparison')}"
    holds = None if len(leads) == 1 else count == len(mean)
    return claim(words, holds, float(mean.iloc[least]), float(error.iloc[least]), note)


def noise(differences: pd.DataFrame) -> Any:
    """By how much the mean of each column may be too high, in 95 % of the cases; missing if there is one row only."""
    return stats.t.ppf(0.95, len(differences) - 1) * differences.sem()


def _frame(rows: list[Any], by: Sequence[str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=[*by, *COLUMNS])
    numbers = dict.fromkeys(("estimate", "paper", "difference", "allowed"), np.float64)
    return frame.astype({"agrees": "boolean", "runs": "Int64", **numbers})
