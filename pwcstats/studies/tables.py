"""Tables of our numbers beside those of a paper, with verdicts."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy import stats

from pwcstats._arrays import Array
from pwcstats._text import counted
from pwcstats.plot.style import Panels, figure_of

__all__ = ["COLUMNS", "Exhibit", "claim", "claim_everywhere", "compare_with_paper", "noise"]

# The last columns of each table; the columns before these are parameters of the study.
COLUMNS = ("quantity", "estimate", "std_error", "runs", "paper", "difference", "allowed", "agrees", "note")
# With fewer degrees of freedom, the interval would contain nearly everything.
FEWEST = 4
# A number of the paper agrees if it is in the prediction interval of this level for a repetition of the experiment.
LEVEL = 0.99


class Exhibit(NamedTuple):
    """A table or figure of a paper.

    Attributes
    ----------
    name : str
        Name of the function, for example "table1".
    title : str
        "Table 1: what it shows".
    about : str
        How it was computed, and how that differs from the paper.
    table : callable, optional
        ``table(size, random_state=, n_jobs=, progress=, cache=)`` returns a frame that ends with `COLUMNS`.
    figure : callable, optional
        Draws the frame that `table` returns.
    picture : callable, optional
        Draws data of a seed, instead of `figure`, which draws the frame.
    """

    name: str
    title: str
    about: str
    table: Callable[..., pd.DataFrame] | None = None
    figure: Callable[[pd.DataFrame], Panels] | None = None
    picture: Callable[[int], Panels] | None = None

    def draw(self, frame: pd.DataFrame | None, random_state: int) -> Figure | None:
        """The figure of the frame or of the seed; None if there is none."""
        if self.picture is not None:
            return figure_of(self.picture(random_state))
        return None if self.figure is None or frame is None else figure_of(self.figure(frame))


def compare_with_paper(
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
    r"""Compare means of runs with the numbers printed in a paper.

    Parameters
    ----------
    runs : DataFrame
        One row per run.
    by : sequence of str
        The columns of the settings.
    value : str
        The column of the results.
    paper : mapping
        The printed number of each setting, or the numbers of several runs. The keys are the values of `by`: a tuple, or
        the value itself if `by` is one column.
    quantity : str, optional
        Name of the results; by default the name of the column.
    digits : int
        Printed decimal places.
    paper_runs : int
        Number of runs of which the paper prints the mean.
    paper_errors : mapping, optional
        Printed standard errors.
    exact : bool
        Whether the results are not random. Then one run suffices, and only rounding is allowed for.
    note : callable, optional
        Called with the values of `by`; returns a remark.

    Returns
    -------
    DataFrame
        `by` and `COLUMNS`: quantity, estimate (mean of the runs), std_error, runs (their number), paper (mean of the
        printed numbers), difference, allowed, agrees and note. The paper agrees if the difference is at most `allowed`:
        :math:`t_{0.995} \sqrt{s^2 / n + s^2 / m}` for n runs here and m runs in the paper, plus half a unit of the last
        printed digit. s is the standard deviation of our runs, pooled with that of the
        paper's runs if these are printed; a printed standard error replaces :math:`s / \sqrt m`. `allowed` and
        `agrees` are missing if there is no printed number, if a run is missing, or if there are fewer than four
        degrees of freedom.
    """
    rows = []
    for key, found in runs.groupby(list(by), sort=False, observed=True)[value]:
        name = key[0] if len(by) == 1 else key
        printed, ours = np.atleast_1d(np.asarray(paper.get(name, math.nan), np.float64)), found.to_numpy(np.float64)
        error = None if paper_errors is None else paper_errors.get(name)
        degrees, chance = _by_chance(ours, printed, max(paper_runs, len(printed)), error)
        mean, other = float(ours.mean()), float(printed.mean())
        no_verdict = math.isnan(other) or math.isnan(mean) or (degrees < FEWEST and not exact)
        # Allow for half a unit of the last digit, and for rounding errors of its representation.
        allowed = math.nan if no_verdict else chance + 0.5 * 10.0**-digits + 1e-12
        agrees = pd.NA if no_verdict else abs(mean - other) <= allowed
        std_error = math.nan if len(ours) == 1 else float(ours.std(ddof=1)) / math.sqrt(len(ours))
        remark = "" if note is None else note(*key)
        numbers = (quantity or value, mean, std_error, len(ours), other, mean - other, allowed, agrees, remark)
        rows.append((*key, *numbers))
    return _frame(rows, by)


def _by_chance(ours: Array, printed: Array, paper_runs: int, paper_error: float | None) -> tuple[int, float]:
    """Degrees of freedom, and the difference of the two means that chance may cause."""
    degrees = len(ours) + len(printed) - 2
    if degrees == 0:
        return 0, 0.0
    variance = sum(float(((part - part.mean()) ** 2).sum()) for part in (ours, printed)) / degrees
    theirs = variance / paper_runs if paper_error is None else paper_error**2
    return degrees, float(stats.t.ppf(0.5 + LEVEL / 2, degrees)) * math.sqrt(variance / len(ours) + theirs)


def claim(
    statement: str, holds: bool | None, estimate: float = math.nan, std_error: float = math.nan, note: str = ""
) -> pd.DataFrame:
    """A statement of a paper, in a row like those of numbers.

    Parameters
    ----------
    statement : str
        The statement; it takes the place of the quantity.
    holds : bool or None
        Whether the statement holds here; None for no verdict.
    estimate, std_error : float
        The number on which the verdict is based, if there is one.
    note : str
        Description of that number.

    Returns
    -------
    DataFrame
        One row with `COLUMNS`.
    """
    agrees = pd.NA if holds is None else bool(holds)
    return _frame([(statement, estimate, std_error, pd.NA, math.nan, math.nan, math.nan, agrees, note)], ())


def claim_everywhere(statement: str, leads: pd.DataFrame, note: str) -> pd.DataFrame:
    """The claim that something leads in each of several comparisons, beyond noise.

    Parameters
    ----------
    statement : str
        The statement.
    leads : DataFrame
        The leads: one row per run, one column per comparison.
    note : str
        Description of the smallest lead, which is the estimate.

    Returns
    -------
    DataFrame
        One row with `COLUMNS`; without a verdict if there is only one run.
    """
    mean, error = leads.mean(), leads.sem()
    count, least = int((mean > noise(leads)).sum()), int(mean.argmin())
    note = f"{note}; above 0 beyond noise in {count} of {counted(len(mean), 'comparison')}"
    holds = None if len(leads) == 1 else count == len(mean)
    return claim(statement, holds, float(mean.iloc[least]), float(error.iloc[least]), note)


def noise(differences: pd.DataFrame) -> Any:
    """Margin of a one-sided 95 % interval for the mean of each column; missing if there is only one row."""
    return stats.t.ppf(0.95, len(differences) - 1) * differences.sem()


def _frame(rows: list[Any], by: Sequence[str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=[*by, *COLUMNS])
    numbers = dict.fromkeys(("estimate", "paper", "difference", "allowed"), np.float64)
    return frame.astype({"agrees": "boolean", "runs": "Int64", **numbers})
