"""Tail probabilities and quantiles of test statistics. Importing scipy.stats takes longer than a typical fit."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special


@dataclass(frozen=True)
class Reference:
    """Distribution of a standardised estimate: normal or, with `df` degrees of freedom, Student's t."""

    df: float | None = None

    def sf(self, x: Any) -> Any:
        """Probability of a value above x."""
        below = -np.asarray(x, dtype=np.float64)
        return special.ndtr(below) if self.df is None else special.stdtr(self.df, below)

    def isf(self, p: float) -> float:
        """The value that is exceeded with probability p."""
        return -float(special.ndtri(p) if self.df is None else special.stdtrit(self.df, p))


def chi2_sf(statistic: float, df: float) -> float:
    """Probability that a chi-squared variable is above `statistic`."""
    return float(special.chdtrc(df, max(statistic, 0.0)))


def chi2_isf(p: float, df: float) -> float:
    """The value that a chi-squared variable exceeds with probability p."""
    return float(special.chdtri(df, p))


def f_sf(statistic: float, df: float, df_error: float) -> float:
    """Probability that a variable with an F distribution is above `statistic`."""
    return float(special.fdtrc(df, df_error, max(statistic, 0.0)))
