"""The result of a comparison of many methods: who is best, and the text."""

import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pwcstats._results import TestResult
from pwcstats.compare.design import BY_RANKS

__all__ = ["ComparisonResult"]

# Of the text of a summary.
WIDTH = 100


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonResult:
    """Several methods compared, by :func:`compare_methods`.

    Attributes
    ----------
    table : DataFrame
        A row for each method, best first: mean score, sd (over the rows of `scores`), conf_low and conf_high (interval
        of the mean), mean rank, and letters; methods that share a letter do not differ significantly.
    pairs : DataFrame
        A row for each comparison: method_a (the one that stands first in `table`, or the control), method_b,
        mean_difference (a - b), what the test estimates with its interval, statistic, p_value, p_adjusted, significant.
    omnibus : TestResult or None
        A test that all methods are the same, where there is one.
    test, adjust, reason : str
        The test of the pairs, how its p-values are adjusted, and why this test.
    alpha : float
        The level of the tests.
    estimate_name : str
        What the test estimates.
    critical_difference : float or None
        Of mean ranks, where Nemenyi's test was used.
    cliques : list of tuple
        The largest groups of methods that do not differ; empty where all are compared with a control.
    control : label or None
        The method with which the others are compared.
    higher_is_better : bool
        Whether higher scores are better.
    scores : DataFrame
        What was compared: a row for each data set or split, a column for each method.
    notes : tuple of str
        What one should know of this result.
    """

    table: pd.DataFrame
    pairs: pd.DataFrame
    omnibus: TestResult | None
    test: str
    adjust: str
    reason: str
    alpha: float
    estimate_name: str
    critical_difference: float | None
    cliques: list[tuple[Any, ...]]
    control: Any
    higher_is_better: bool
    scores: pd.DataFrame
    notes: tuple[str, ...]

    @property
    def best(self) -> Any:
        """The method that is significantly better than every other; None where there is none, or with a control."""
        beaten = self._beaten()
        return next((name for name in self.table.index if len(beaten[name]) == len(self.table) - 1), None)

    @property
    def best_group(self) -> list[Any]:
        """Methods that no other is significantly better than; empty with a control, as not all pairs are tested."""
        if self.control is not None:
            return []
        worse = set().union(*self._beaten().values())
        return [name for name in self.table.index if name not in worse]

    def _beaten(self) -> dict[Any, set[Any]]:
        """Which methods each method is significantly better than; the test says who is better, not the order."""
        beaten: dict[Any, set[Any]] = {name: set() for name in self.table.index}
        if self.control is None:
            found = self.pairs[self.pairs["significant"]]
            for a, b, estimate in zip(found["method_a"], found["method_b"], found["estimate"], strict=True):
                a_better = (estimate > 0.0) == (self.higher_is_better or self.test in BY_RANKS)
                beaten[a if a_better else b].add(b if a_better else a)
        return beaten

    @property
    def p_values(self) -> pd.DataFrame:
        """Adjusted p-values as a square table; 1 on the diagonal, NaN where a pair was not tested."""
        names = self.table.index
        table = pd.DataFrame(np.diag(np.ones(len(names))), index=names, columns=names).replace(0.0, np.nan)
        for a, b, p in zip(self.pairs["method_a"], self.pairs["method_b"], self.pairs["p_adjusted"], strict=True):
            table.loc[a, b] = table.loc[b, a] = p
        return table

    def tidy(self) -> pd.DataFrame:
        """A row for each pair."""
        return self.pairs.copy()

    def glance(self) -> pd.DataFrame:
        """One row: numbers of methods and rows, the test, the omnibus test, the best method."""
        row = {
            "n_methods": len(self.table),
            "nobs": len(self.scores),
            "test": self.test,
            "adjust": self.adjust,
            "alpha": self.alpha,
            "omnibus_statistic": np.nan if self.omnibus is None else self.omnibus.statistic,
            "omnibus_p_value": np.nan if self.omnibus is None else self.omnibus.p_value,
            "n_significant": int(self.pairs["significant"].sum()),
            "best": self.best,
        }
        return pd.DataFrame([row])

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and words."""
        return {
            "table": self.table.reset_index().to_dict("records"),
            "pairs": self.pairs.to_dict("records"),
            "omnibus": None if self.omnibus is None else self.omnibus.to_dict(),
            "test": self.test,
            "adjust": self.adjust,
            "reason": self.reason,
            "alpha": self.alpha,
            "best": self.best,
            "best_group": self.best_group,
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        """The comparison as text."""
        level = f"{100.0 * (1.0 - self.alpha):g} %"
        side = "higher" if self.higher_is_better else "lower"
        table = self.table.drop(columns="letters" if not self.cliques else [])
        numbers = self.pairs.drop(columns=["significant", "statistic"])
        lines = [
            f"Comparison of {len(self.table)} methods",
            *textwrap.wrap(f"test: {self.test}, {self.reason}", WIDTH, subsequent_indent="      "),
            f"adjustment: {self._adjustment()}; level {self.alpha:g}",
            *(str(self.omnibus).splitlines() if self.omnibus is not None else []),
            "",
            f"Methods, best first ({side} is better; {level} intervals of the means)",
            table.to_string(float_format="{:.4f}".format),
            "",
            f"Pairs (estimate: {self.estimate_name})",
            numbers.to_string(index=False, float_format="{:.4g}".format),
            "",
            self._verdict(),
            *(
                line
                for note in self.notes
                for line in textwrap.wrap(f"note: {note}", WIDTH, subsequent_indent="      ")
            ),
        ]
        return "\n".join(lines)

    def _adjustment(self) -> str:
        if self.critical_difference is None or self.test != "nemenyi":
            return self.adjust
        return f"Nemenyi's own, critical difference of mean ranks {self.critical_difference:.4g}"

    def _verdict(self) -> str:
        if self.control is not None:
            found = self.pairs.loc[self.pairs["significant"], "method_b"]
            names = ", ".join(map(str, found)) or "no method"
            return f"Different from {self.control}: {names}."
        if self.best is not None:
            return f"{self.best} is significantly better than every other method."
        return f"No other method is significantly better than: {', '.join(map(str, self.best_group))}."

    def __str__(self) -> str:
        return self.summary()

    __repr__ = __str__
