"""The contract of every result, and the result of a significance test."""

import html
import math
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["Result", "TestResult", "plain", "whole"]

# Longer tables are cut in the console and in notebooks.
LONGEST = 20
# Longer lines are folded.
WIDEST = 120
# Differences of these matter, so they are shown with more digits.
COMPARED = {"log_lik", "penalized_log_lik", "aic", "bic", "deviance"}
# Larger floats are not exact, so that further digits would mean nothing.
LARGEST_WHOLE = 1e15


def plain(value: Any) -> Any:
    """The value as JSON can write it: frames are lists of records, NaN and infinity are None."""
    if isinstance(value, pd.DataFrame):
        return [plain(record) for record in value.to_dict("records")]
    if isinstance(value, pd.Series):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray, pd.Index)):
        return [plain(item) for item in (value.tolist() if isinstance(value, np.ndarray) else value)]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return str(value)


class Result(ABC):
    """Base of every result.

    A subclass defines `tidy` and `glance`, and `summary` if a longer report makes sense. What is shown in a console or
    a notebook and what goes into JSON follow from these.
    """

    @abstractmethod
    def tidy(self) -> pd.DataFrame:
        """Estimates as a data frame, one row each, with broom's columns in snake case."""

    @abstractmethod
    def glance(self) -> pd.DataFrame:
        """One row about the whole result, with broom's columns in snake case."""

    def to_dict(self) -> dict[str, Any]:
        """The columns of `glance`, and the rows of `tidy` as ``"terms"``; ready for JSON."""
        return {**plain(self.glance())[0], "terms": plain(self.tidy())}

    def _title(self) -> str:
        """First line of what is shown."""
        return type(self).__name__

    def __repr__(self) -> str:
        facts = [f"{name} = {_short(x, str(name))}" for name, x in self.glance().iloc[0].items() if not _is_missing(x)]
        table = self.tidy()
        lines = _folded(f"{self._title()}: ", facts) if facts else [self._title()]
        if len(table):
            lines.append(_shorten(table).to_string(index=False))
        if len(table) > LONGEST:
            lines.append(f"... {len(table) - LONGEST} more rows; tidy() has all.")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        table = self.tidy()
        glance = self.glance().dropna(axis=1)
        parts = [f"<p><b>{html.escape(self._title())}</b></p>", _shorten(glance).to_html(index=False)]
        if len(table):
            parts.append(_shorten(table).to_html(index=False))
        if len(table) > LONGEST:
            parts.append(f"<p>{len(table) - LONGEST} more rows; <code>tidy()</code> has all.</p>")
        return "\n".join(parts)


def _folded(title: str, facts: list[str]) -> list[str]:
    """The title and the facts, on as many lines as they need."""
    lines = [title + facts[0]]
    for fact in facts[1:]:
        if len(lines[-1]) + len(fact) + 2 > WIDEST:
            lines[-1] += ","
            lines.append(f"  {fact}")
        else:
            lines[-1] += f", {fact}"
    return lines


def whole(x: float) -> int | float:
    """A number as an integer if it is one, for tables."""
    return int(x) if float(x).is_integer() else x


def _is_missing(x: Any) -> bool:
    return x is None or (isinstance(x, float) and math.isnan(x))


def _short(x: Any, name: str = "") -> str:
    """A number with four significant digits (log-likelihoods and what follows from them: seven) or, if whole, all."""
    if not isinstance(x, (float, np.floating)):
        return str(x)
    if float(x).is_integer() and abs(float(x)) < LARGEST_WHOLE:
        return str(int(x))
    return f"{x:.7g}" if name in COMPARED else f"{x:.4g}"


def _shorten(table: pd.DataFrame) -> pd.DataFrame:
    """The first rows as text."""
    first = table.head(LONGEST)
    return pd.DataFrame(
        {name: ["" if _is_missing(x) else _short(x, str(name)) for x in first[name]] for name in first}, dtype=object
    )


@dataclass(frozen=True, repr=False)
class TestResult(Result):
    """The result of a significance test.

    Attributes
    ----------
    statistic, p_value : float
        Test statistic and (two-sided, unless `alternative` says otherwise) p-value.
    df : float, tuple of two float, or None
        Degrees of freedom, if the reference distribution has any.
    estimate, std_error : float or None
        Estimate and its standard error.
    conf_int : tuple of float or None
        Confidence interval of the estimate.
    method, null : str
        Name of the test and its null hypothesis.
    statistic_name, estimate_name : str
        What the statistic and the estimate are, as R prints them.
    alternative : {"two-sided", "greater", "less"}
        Alternative hypothesis.
    conf_level : float or None
        Level of the confidence interval.
    notes : tuple of str
        What users should know about this result, for example that zeros were dropped.
    """

    # pytest takes a class of this name for tests.
    __test__ = False

    statistic: float
    p_value: float
    df: float | tuple[float, float] | None = None
    estimate: float | None = None
    conf_int: tuple[float, float] | None = None
    method: str = ""
    null: str = ""
    std_error: float | None = None
    statistic_name: str = "statistic"
    estimate_name: str = "estimate"
    alternative: str = "two-sided"
    conf_level: float | None = None
    notes: tuple[str, ...] = ()

    def tidy(self) -> pd.DataFrame:
        """One row with broom's columns in snake case; two degrees of freedom are `df` and `df_resid`."""
        low, high = self.conf_int or (None, None)
        df, df_resid = self.df if isinstance(self.df, tuple) else (self.df, None)
        row = {
            "estimate": self.estimate,
            "std_error": self.std_error,
            "statistic": self.statistic,
            "p_value": self.p_value,
            "df": df,
            "df_resid": df_resid,
            "conf_low": low,
            "conf_high": high,
            "method": self.method,
        }
        return pd.DataFrame([{name: value for name, value in row.items() if value is not None}])

    def glance(self) -> pd.DataFrame:
        """The same row as `tidy`, as in broom."""
        return self.tidy()

    def to_dict(self) -> dict[str, Any]:
        """All fields, ready for JSON."""
        return plain(asdict(self))

    def __str__(self) -> str:
        parts = [f"{self.method}: {self.statistic_name} = {self.statistic:.4g}"]
        if self.df is not None:
            several = self.df if isinstance(self.df, tuple) else (self.df,)
            parts.append("df = " + " and ".join(f"{df:g}" for df in several))
        # A p-value that underflows to 0 is not 0.
        parts.append(f"p-value = {self.p_value:.4g}" if self.p_value != 0.0 else "p-value < 1e-300")
        if self.alternative != "two-sided":
            parts.append(f"alternative: {self.alternative}")
        lines = [", ".join(parts), f"null hypothesis: {self.null}"]
        if self.estimate is not None:
            named = "" if self.estimate_name == "estimate" else f" of the {self.estimate_name}"
            lines.append(f"estimate{named}: {self.estimate:.4g}")
            if self.conf_int is not None:
                lines[-1] += " ({:.4g}, {:.4g})".format(*self.conf_int)
                if self.conf_level is not None:
                    lines[-1] += f", {100.0 * self.conf_level:g} % interval"
        return "\n".join(lines + [f"note: {note}" for note in self.notes])

    __repr__ = __str__
