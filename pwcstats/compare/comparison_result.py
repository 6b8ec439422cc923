"""The result of `compare_methods`."""

import html
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pwcstats._results import Result, TestResult, plain
from pwcstats._text import percent
from pwcstats.compare.ranks import square_p_values
from pwcstats.compare.registry import find_test

__all__ = ["ComparisonResult"]

# Longest line of a summary.
WIDTH = 100
# A verdict that names more groups of better methods than this would be hard to read.
MOST_GROUPS = 3


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonResult(Result):
    """A comparison of several methods, by :func:`compare_methods`.

    Attributes
    ----------
    table : DataFrame
        One row per method, best first: mean score, sd (over the rows of `scores`), conf_low and conf_high (interval of
        the mean), mean rank, and letters; methods that share a letter do not differ significantly.
    pairs : DataFrame
        One row per comparison: method_a (the first of the two in `table`, or the control), method_b, mean_difference
        (a - b), the estimate of the test with its interval, statistic, p_value, p_adjusted, significant.
    omnibus : TestResult or None
        A test that all methods are the same, if there is one.
    test, adjust, reason : str
        The test of the pairs, how its p-values are adjusted, and why this test was chosen.
    alpha : float
        Significance level of the tests.
    estimate_name : str
        What the test estimates.
    critical_difference : float or None
        Critical difference of mean ranks, for Nemenyi's test and adjustments in a single step.
    is_adjusted : bool
        Whether the test itself adjusts its p-values for the number of pairs, as Nemenyi's does; `adjust` is then
        "none".
    is_simultaneous : bool
        Whether the intervals of the pairs are simultaneous.
    cliques : list of tuple
        The largest groups of methods that do not differ; empty with a control.
    control : label or None
        The method that the others are compared with.
    higher_is_better : bool
        Whether higher scores are better.
    scores : DataFrame
        The observations: one row per data set, split or case, one column per method.
    notes : tuple of str
        What users should know about this result.
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
    is_adjusted: bool
    is_simultaneous: bool
    cliques: list[tuple[Any, ...]]
    control: Any
    higher_is_better: bool
    scores: pd.DataFrame
    notes: tuple[str, ...]

    @property
    def best(self) -> Any:
        """The method that is significantly better than every other one; None if there is none, or with a control."""
        beaten = self._beaten()
        return next((name for name in self.table.index if len(beaten[name]) == len(self.table) - 1), None)

    @property
    def best_group(self) -> list[Any]:
        """Methods that no other method is significantly better than; empty with a control, which leaves out pairs."""
        if self.control is not None:
            return []
        worse = set().union(*self._beaten().values())
        return [name for name in self.table.index if name not in worse]

    @property
    def _higher_estimate_is_better(self) -> bool:
        """Whether a positive estimate means that method_a is better."""
        # Differences of mean ranks are positive if method_a is better, whichever scores are better.
        return self.higher_is_better or find_test(self.test).compares_all

    def _beaten(self) -> dict[Any, set[Any]]:
        """The methods that each method is significantly better than, by the sign of the estimate."""
        beaten: dict[Any, set[Any]] = {name: set() for name in self.table.index}
        if self.control is None:
            found = self.pairs[self.pairs["significant"]]
            for a, b, estimate in zip(found["method_a"], found["method_b"], found["estimate"], strict=True):
                a_is_better = (estimate > 0.0) == self._higher_estimate_is_better
                beaten[a if a_is_better else b].add(b if a_is_better else a)
        return beaten

    @property
    def verdict(self) -> str:
        """The conclusion in words: which methods are significantly better than which others.

        If there are too many such groups for a sentence, it names the methods that no other is significantly better
        than (`best_group`). With a control, it says which methods are significantly better or worse than the control.
        """
        if self.control is not None:
            return self._verdict_on_control()
        if self.best is not None:
            return f"{self.best} is significantly better than every other method."
        # Methods that are better than the same others are named together.
        groups: dict[tuple[Any, ...], list[Any]] = {}
        for name, beaten in self._beaten().items():
            if beaten:
                groups.setdefault(tuple(other for other in self.table.index if other in beaten), []).append(name)
        if not groups:
            return "No difference is significant."
        if len(groups) > MOST_GROUPS:
            return f"No other method is significantly better than {_joined(self.best_group, 'or')}."
        clauses = [
            f"{_joined(names)} {_is(names)} significantly better than {_joined(others)}"
            for others, names in groups.items()
        ]
        return f"{'; '.join(clauses)}. The other differences are not significant."

    def _verdict_on_control(self) -> str:
        found = self.pairs[self.pairs["significant"]]
        control_is_better = (found["estimate"] > 0.0) == self._higher_estimate_is_better
        better, worse = (list(found.loc[rows, "method_b"]) for rows in (~control_is_better, control_is_better))
        clauses = [
            f"{_joined(names)} {_is(names)} significantly {word} than {self.control}"
            for names, word in ((better, "better"), (worse, "worse"))
            if names
        ]
        return f"{'; '.join(clauses)}." if clauses else f"No method differs significantly from {self.control}."

    @property
    def p_values(self) -> pd.DataFrame:
        """Adjusted p-values as a square table: 1 on the diagonal, NaN for pairs that were not tested."""
        return square_p_values(self.pairs, self.table.index)

    def tidy(self) -> pd.DataFrame:
        """One row per pair."""
        return self.pairs.copy()

    def glance(self) -> pd.DataFrame:
        """One row: numbers of methods and observations, the test, the omnibus test, the best method."""
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
        """The tables, the test and the best methods, ready for JSON."""
        content = {
            "table": self.table.reset_index(),
            "pairs": self.pairs,
            "omnibus": None if self.omnibus is None else self.omnibus.to_dict(),
            "test": self.test,
            "adjust": self.adjust,
            "is_adjusted": self.is_adjusted,
            "is_simultaneous": self.is_simultaneous,
            "reason": self.reason,
            "alpha": self.alpha,
            "best": self.best,
            "best_group": self.best_group,
            "verdict": self.verdict,
            "notes": self.notes,
        }
        return {name: plain(part) for name, part in content.items()}

    def summary(self) -> str:
        """The comparison as text."""
        side = "higher" if self.higher_is_better else "lower"
        table = self.table if self.cliques else self.table.drop(columns="letters")
        numbers = self.pairs.drop(columns=["significant", "statistic"])
        lines = [
            self._title(),
            *textwrap.wrap(f"test: {self.test}, {self.reason}", WIDTH, subsequent_indent="      "),
            f"adjustment: {self._adjustment()}; level {self.alpha:g}",
            *(str(self.omnibus).splitlines() if self.omnibus is not None else []),
            "",
            f"Methods, best first ({side} is better; {percent(1.0 - self.alpha)} intervals of the means)",
            table.to_string(float_format="{:.4f}".format),
            "",
            f"Pairs (estimate: {self.estimate_name})",
            numbers.to_string(index=False, float_format="{:.4g}".format),
            "",
            *textwrap.wrap(self.verdict, WIDTH),
        ]
        for note in self.notes:
            lines += textwrap.wrap(f"note: {note}", WIDTH, subsequent_indent="      ")
        return "\n".join(lines)

    def _adjustment(self) -> str:
        if not self.is_adjusted:
            return self.adjust
        if self.critical_difference is None:
            return "by the test itself"
        return f"by the test itself, critical difference of mean ranks {self.critical_difference:.4g}"

    def _title(self) -> str:
        return f"Comparison of {len(self.table)} methods"

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        """The methods, best first, above the pairs."""
        table = self.table if self.cliques else self.table.drop(columns="letters")
        texts = [self.verdict, *(f"note: {note}" for note in self.notes)]
        parts = [
            f"<p><b>{self._title()}</b><br>{html.escape(f'{self.test}, {self.reason}')}</p>",
            table.to_html(float_format="{:.4f}".format),
            self.pairs.to_html(index=False, float_format="{:.4g}".format),
            *(f"<p>{html.escape(text)}</p>" for text in texts),
        ]
        return "\n".join(parts)


def _joined(names: Sequence[Any], word: str = "and") -> str:
    """Names as a sentence lists them: "a, b and c"."""
    *others, last = map(str, names)
    return f"{', '.join(others)} {word} {last}" if others else last


def _is(names: Sequence[Any]) -> str:
    return "is" if len(names) == 1 else "are"
