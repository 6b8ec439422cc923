"""The significance tests that `compare_methods` can use, as a table.

To add a test, write its function and add a row to the table and its name to `TestName`.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from pwcstats import _params
from pwcstats._results import TestResult
from pwcstats.compare.answers import cochran_q, mcnemar
from pwcstats.compare.means import corrected_resampled_t, cv5x2_f, cv5x2_t, paired_t
from pwcstats.compare.ranks import friedman, nemenyi, rank_tests
from pwcstats.compare.signs import sign, wilcoxon

__all__ = ["TESTS"]

TestName = Literal[
    "auto",
    "paired_t",
    "corrected_resampled_t",
    "cv5x2_t",
    "cv5x2_f",
    "wilcoxon",
    "sign",
    "mcnemar",
    "nemenyi",
    "mean_ranks",
]
Unit = Literal["data set", "split", "case"]


def _friedman(scores: pd.DataFrame, higher_is_better: bool) -> TestResult:
    return friedman(scores, statistic="auto", higher_is_better=higher_is_better)


def _cochran(scores: pd.DataFrame, higher_is_better: bool) -> TestResult:
    return cochran_q(scores)


def _one_sign_pattern(n: int) -> float:
    """The smallest two-sided p-value of an exact test of n signs."""
    return 2.0 ** (1 - n)


def _unbounded(n: int) -> float:
    return 0.0


@dataclass(frozen=True)
class Test:
    """A significance test, and what `compare_methods` needs to know about it."""

    # pytest takes a class of this name for tests.
    __test__ = False

    name: str
    # Of the scores of two methods or, if it `compares_all`, of the table of scores of all methods.
    function: Callable[..., Any]
    # For the help of the command line, and for the reason that a comparison gives for its test.
    description: str
    # What an observation may be.
    units: tuple[Unit, ...]
    # By what the methods are ordered, and which of two is said to be better.
    order: Literal["mean", "mean rank"]
    # Whether it compares all methods at once, by their mean ranks, or two methods at a time.
    compares_all: bool = False
    # Whether its p-values are adjusted for the number of pairs already.
    is_adjusted: bool = False
    # The test that all methods are the same.
    omnibus: Callable[[pd.DataFrame, bool], TestResult] | None = None
    # The smallest p-value that is possible with n observations.
    smallest_p: Callable[[int], float] = _unbounded
    # The numbers of repeats and of folds that it needs.
    splits: tuple[int, int] | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options of the function; a test with the option `alternative` can be one-sided."""
        parameters = inspect.signature(self.function).parameters.values()
        return tuple(parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY)

    @property
    def takes_control(self) -> bool:
        """Whether it can compare all methods with one of them."""
        return not self.compares_all or "control" in self.options

    def apply(self, *scores: Any, **options: Any) -> Any:
        """The result of the function, which is given only the options that it has."""
        return self.function(*scores, **{name: x for name, x in options.items() if name in self.options})


_TABLE = {
    test.name: test
    for test in (
        Test("paired_t", paired_t, "paired t-test of independent scores", ("data set", "split"), "mean"),
        Test(
            "corrected_resampled_t",
            corrected_resampled_t,
            "t-test corrected for shared training cases",
            ("split",),
            "mean",
        ),
        Test("cv5x2_t", cv5x2_t, "Dietterich's t-test of 5 x 2 folds", ("split",), "mean", splits=(5, 2)),
        Test("cv5x2_f", cv5x2_f, "Alpaydin's F-test of 5 x 2 folds", ("split",), "mean", splits=(5, 2)),
        Test(
            "wilcoxon",
            wilcoxon,
            "Wilcoxon's signed-rank test",
            ("data set",),
            "mean rank",
            omnibus=_friedman,
            smallest_p=_one_sign_pattern,
        ),
        Test(
            "sign",
            sign,
            "sign test",
            ("data set",),
            "mean rank",
            omnibus=_friedman,
            smallest_p=_one_sign_pattern,
        ),
        Test("mcnemar", mcnemar, "McNemar's test", ("case",), "mean", omnibus=_cochran),
        Test(
            "nemenyi",
            nemenyi,
            "Nemenyi's test of mean ranks",
            ("data set",),
            "mean rank",
            compares_all=True,
            is_adjusted=True,
            omnibus=_friedman,
        ),
        Test(
            "mean_ranks",
            rank_tests,
            "z-tests of mean ranks",
            ("data set",),
            "mean rank",
            compares_all=True,
            omnibus=_friedman,
        ),
    )
}
TESTS: tuple[str, ...] = ("auto", *_TABLE)


def read_test(name: Any) -> Test | None:
    """The test of a name; None for "auto"."""
    name = _params.choice(name, TESTS, "test")
    return None if name == "auto" else _TABLE[name]


def find_test(name: str) -> Test:
    """The test of a name that is known to be one."""
    return _TABLE[name]
