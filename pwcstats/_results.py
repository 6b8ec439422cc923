"""The result of a test: what was tested, and what came out."""

from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

__all__ = ["TestResult"]


@dataclass(frozen=True)
class TestResult:
    """The result of a test.

    Attributes
    ----------
    statistic, p_value : float
        Test statistic and (two-sided, unless `alternative` says otherwise) p-value.
    df : float, tuple of two float, or None
        Degrees of freedom, if the reference distribution has any.
    estimate, std_error : float or None
        What was estimated, and its standard error.
    conf_int : tuple of float or None
        Confidence interval of the estimate.
    method, null : str
        Name of the test, and the hypothesis that it tests, in words.
    statistic_name, estimate_name : str
        What the statistic and the estimate are, as R would print them.
    alternative : {"two-sided", "greater", "less"}
        Which departures from the hypothesis count.
    conf_level : float or None
        Level of the confidence interval.
    notes : tuple of str
        What one should know of this result: zeros that were dropped, ties, an interval that cannot be had.
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

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and words."""
        return asdict(self)

    def __str__(self) -> str:
        parts = [f"{self.method}: {self.statistic_name} = {self.statistic:.4g}"]
        if self.df is not None:
            several = self.df if isinstance(self.df, tuple) else (self.df,)
            parts.append("df = " + " and ".join(f"{df:g}" for df in several))
        # Below the smallest number that there is, 0 would be a lie.
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
