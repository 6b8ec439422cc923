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
        Test statistic and (two-sided, where there are two sides) p-value.
    df : float or None
        Degrees of freedom, if the reference distribution has any.
    estimate, std_error : float or None
        What was estimated, and its standard error.
    conf_int : tuple of float or None
        Confidence interval of the estimate.
    method, null : str
        Name of the test, and the hypothesis that it tests, in words.
    """

    # pytest takes a class of this name for tests.
    __test__ = False

    statistic: float
    p_value: float
    df: float | None = None
    estimate: float | None = None
    conf_int: tuple[float, float] | None = None
    method: str = ""
    null: str = ""
    std_error: float | None = None

    def tidy(self) -> pd.DataFrame:
        """One row with broom's columns in snake case."""
        low, high = self.conf_int or (None, None)
        row = {
            "estimate": self.estimate,
            "std_error": self.std_error,
            "statistic": self.statistic,
            "p_value": self.p_value,
            "df": self.df,
            "conf_low": low,
            "conf_high": high,
            "method": self.method,
        }
        return pd.DataFrame([{name: value for name, value in row.items() if value is not None}])

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and words."""
        return asdict(self)

    def __str__(self) -> str:
        parts = [f"{self.method}: statistic = {self.statistic:.4g}"]
        if self.df is not None:
            parts.append(f"df = {self.df:g}")
        # Below the smallest number that there is, 0 would be a lie.
        parts.append(f"p-value = {self.p_value:.4g}" if self.p_value > 0.0 else "p-value < 1e-300")
        lines = [", ".join(parts), f"null hypothesis: {self.null}"]
        if self.estimate is not None:
            lines.append(f"estimate: {self.estimate:.4g}")
            if self.conf_int is not None:
                lines[-1] += " ({:.4g}, {:.4g})".format(*self.conf_int)
        return "\n".join(lines)
