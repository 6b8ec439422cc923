"""Tables of our numbers beside those of a paper, with verdicts."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from pwcstats._arrays import Array
from pwcstats._text import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pwcstats.plot.style import Panels

__all__ = [
    "COLUMNS", "COUNTED", "LEVEL", "POWER", "Exhibit", "claim", "claim_everywhere", "compare_with_paper",
    "keep_verdicts", "margin_factor", "tally",
]  # fmt: skip

# The last columns of each table; the columns before these are parameters of the study.
COLUMNS = ("quantity", "estimate", "std_error", "runs", "paper", "difference", "allowed", "verdict", "note", "cause")
# Verdicts that count. The others are "no power", and "" for a row that is not judged.
COUNTED = ("agree", "disagree", "open")
# With fewer degrees of freedom, the interval would contain nearly everything.
FEWEST = 4
# A number of the paper agrees if it is in the prediction interval of this level for a repetition of the experiment. A
# statement agrees or disagrees if our estimate is on that side of its cut with this confidence.
LEVEL = 0.99
# A number counts if `allowed` is at most this share of its distance from the nearer end of its plausible range.
# With one half, a truth at that end would be found with a probability of about 99 %.
POWER = 0.5
# Numbers are plausible from 0 on, unless an exhibit says otherwise.
FROM_ZERO = (0.0, math.inf)


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
    figure: "Callable[[pd.DataFrame], Panels] | None" = None
    picture: "Callable[[int], Panels] | None" = None

    def draw(self, frame: pd.DataFrame | None, random_state: int) -> "Figure | None":
        """The figure of the frame or of the seed; None if there is none."""
        from pwcstats.plot.style import figure_of  # matplotlib, which only pictures need

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
    plausible: tuple[float, float] = FROM_ZERO,
    note: Callable[..., str] | None = None,
    cause: Callable[..., str] | None = None,
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
    plausible : tuple of float
        The range of plausible values, for example 0 and 1 for an accuracy.
    note : callable, optional
        Called with the values of `by`; returns a remark.
    cause : callable, optional
        Called with the values of `by`; returns why the numbers differ, with the command that demonstrates it, or "" if
        this is not known. It is used only if they do differ.

    Returns
    -------
    DataFrame
        `by` and `COLUMNS`: quantity, estimate (mean of the runs), std_error, runs (their number), paper (mean of the
        printed numbers), difference, allowed, verdict, note and cause. The chance difference `allowed` is
        :math:`t_{0.995} \sqrt{s^2 / n + s^2 / m}` for n runs here and m runs in the paper, plus half a unit of the last
        printed digit. s is the standard deviation of our runs, pooled with that of the
        paper's runs if these are printed; a printed standard error replaces :math:`s / \sqrt m`. The verdict is

        - "no power" if `allowed` is more than half of the distance of the printed number from the nearer end of the
          plausible range,
        - "agree" if the difference is at most `allowed`,
        - otherwise "disagree" if there is a cause, and "open" if there is none,
        - "", and `allowed` is missing, if there is no printed number, if a run is missing, or if there are fewer than
          four degrees of freedom.
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
        room = min(other - plausible[0], plausible[1] - other)
        why = "" if cause is None else cause(*key)
        verdict = _of_number(mean - other, allowed, room, bool(why))
        std_error = math.nan if len(ours) == 1 else float(ours.std(ddof=1)) / math.sqrt(len(ours))
        remark = "" if note is None else note(*key)
        numbers = (quantity or value, mean, std_error, len(ours), other, mean - other, allowed)
        rows.append((*key, *numbers, verdict, remark, why if verdict == "disagree" else ""))
    return _frame(rows, by)


def _of_number(difference: float, allowed: float, room: float, explained: bool) -> str:
    """The verdict on a printed number, which is as far as `room` from the nearer end of the plausible range."""
    if math.isnan(allowed):
        return ""
    if allowed > POWER * room:
        return "no power"
    return "agree" if abs(difference) <= allowed else "disagree" if explained else "open"


def _of_statement(difference: float, allowed: float, explained: bool) -> str:
    """The verdict on a statement; the difference is positive on the side of the statement."""
    if math.isnan(difference):
        return ""
    if not abs(difference) > allowed:
        return "open"
    return "agree" if difference > 0 else "disagree" if explained else "open"


def _by_chance(ours: Array, printed: Array, paper_runs: int, paper_error: float | None) -> tuple[int, float]:
    """Degrees of freedom, and the difference of the two means that chance may cause."""
    degrees = len(ours) + len(printed) - 2
    if degrees == 0:
        return 0, 0.0
    variance = sum(float(((part - part.mean()) ** 2).sum()) for part in (ours, printed)) / degrees
    theirs = variance / paper_runs if paper_error is None else paper_error**2
    return degrees, float(stats.t.ppf(0.5 + LEVEL / 2, degrees)) * math.sqrt(variance / len(ours) + theirs)


def claim(
    statement: str,
    estimate: float = math.nan,
    std_error: float = math.nan,
    note: str = "",
    *,
    above: float = math.nan,
    below: float = math.nan,
    runs: int | None = None,
    cause: str = "",
) -> pd.DataFrame:
    """A statement of a paper, in a row like those of numbers.

    Parameters
    ----------
    statement : str
        The statement; it takes the place of the quantity.
    estimate, std_error : float
        The number on which the verdict is based, and its Monte Carlo error; 0 if nothing is random. Without a standard
        error the verdict is "open".
    note : str
        Description of that number.
    above, below : float
        The cut. The statement says that the number is above, or below, this value. Without a cut, it is not judged.
    runs : int, optional
        Number of runs on which the standard error is based, for a t-distribution; by default normal.
    cause : str
        Why the statement does not hold here, with the command that demonstrates it; used only if it does not.

    Returns
    -------
    DataFrame
        One row with `COLUMNS`. `difference` is how far the estimate is on the side of the statement, and `allowed` is
        the half-width of its 99 % interval. The verdict is "agree" or "disagree" (without a cause "open") if the
        difference is positive or negative and larger than `allowed`. Otherwise it is "open".
    """
    difference = estimate - above if math.isnan(below) else below - estimate
    allowed = margin_factor(runs) * std_error
    verdict = _of_statement(difference, allowed, bool(cause))
    allowed = math.nan if math.isnan(difference) else allowed
    row = (statement, estimate, std_error, pd.NA, math.nan, difference, allowed)
    return _frame([(*row, verdict, note, cause if verdict == "disagree" else "")], ())


def margin_factor(runs: int | None) -> float:
    """Half-width of the two-sided interval of the level, in standard errors; missing for a single run."""
    at = 0.5 + LEVEL / 2
    return float(stats.norm.ppf(at) if runs is None else stats.t.ppf(at, runs - 1) if runs > 1 else math.nan)


def claim_everywhere(statement: str, leads: pd.DataFrame, note: str, cause: str = "") -> pd.DataFrame:
    """The claim that something leads in each of several comparisons.

    Parameters
    ----------
    statement : str
        The statement.
    leads : DataFrame
        The leads: one row per run, one column per comparison.
    note : str
        Description of a lead.
    cause : str
        As in :func:`claim`.

    Returns
    -------
    DataFrame
        One row with `COLUMNS`, for the comparison that is clearest against the statement, or else the least clear one.
        So the statement agrees if all leads are positive beyond noise, and disagrees if any is negative beyond noise.
    """
    mean, error, runs = leads.mean(), leads.sem(), len(leads)
    width = margin_factor(runs) * error
    behind = (mean + width) < 0.0
    index = int(np.argmin((mean + width if behind.any() else mean - width).to_numpy()))
    note = f"{note}; beyond noise above 0 in {int((mean > width).sum())} of {counted(len(mean), 'comparison')}"
    note += f", below 0 in {int(behind.sum())}" if behind.any() else ""
    return claim(statement, float(mean.iloc[index]), float(error.iloc[index]), note, above=0.0, runs=runs, cause=cause)


def keep_verdicts(table: pd.DataFrame, rows: Any) -> pd.DataFrame:
    """Keep the verdicts of these rows only; the others are not judged."""
    return table.assign(verdict=table["verdict"].where(rows, ""), cause=table["cause"].where(rows, ""))


def tally(verdicts: pd.Series, words: str = "agree with the paper") -> str:
    """How many rows agree, of those that count, and what the others are."""
    count = {name: int((verdicts == name).sum()) for name in (*COUNTED, "no power")}
    if not any(count.values()):
        return "no printed numbers"
    others = {"disagree": "disagree", "open": "open", "no power": "without power"}
    parts = [f"{count[name]} {word}" for name, word in others.items() if count[name]]
    return ", ".join([f"{count['agree']} of {sum(count[name] for name in COUNTED)} {words}", *parts])


def _frame(rows: list[Any], by: Sequence[str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=[*by, *COLUMNS])
    numbers = dict.fromkeys(("estimate", "paper", "difference", "allowed"), np.float64)
    return frame.astype({"runs": "Int64", **dict.fromkeys(("verdict", "note", "cause"), object), **numbers})
