"""Fast paths: candidates that can be fitted to all pairs at once.

A new fast path is a class that satisfies `FastPath`, and an entry in `FAST_PATHS`.
"""

from typing import Any, Protocol

import numpy as np

from pwcstats._arrays import Array
from pwcstats.pairwise.calibration import Members
from pwcstats.pairwise.data import Integers, Mask, Problem
from pwcstats.pairwise.folds import Folds, HeldOut
from pwcstats.pairwise.gaussian import GaussianPath
from pwcstats.pairwise.learners import Candidate
from pwcstats.pairwise.svm import NativePath


class FastPath(Protocol):
    """A candidate on all pairs at once, with the results of one fit per pair.

    It is made for a problem and a candidate. "Own margins" are scores of rows in favour of their own class against each
    other class, as in `pair_scores`. If a method raises ValueError, the pairs are fitted one by one instead.
    """

    tie: int
    """Class of a pair, 0 or 1, that the learner predicts at a score of 0."""
    usable: Mask
    """Pairs for which the results are exact enough; `held_out` may exclude further ones."""

    def __init__(self, problem: Problem, candidate: Candidate, n_jobs: int | None, verbose: int) -> None: ...

    @staticmethod
    def supports(learner: Any) -> bool:
        """Whether the path is made for learners of this class.

        If every candidate is supported, data frames are converted to arrays, because no learner sees them.
        """

    @staticmethod
    def applies(problem: Problem, candidate: Candidate) -> bool:
        """Whether the path gives the right results for such a learner on this problem."""

    def can_use(self, folds: Folds) -> bool:
        """Whether the path can compute held-out scores of these folds."""

    def held_out(self, folds: Folds) -> HeldOut:
        """Own margins of held-out rows, and for a sample of rows the scores of all pairs."""

    def fit(self, pairs: Integers) -> Members:
        """Fit the learners of some pairs to all rows."""

    def trained(self, fitted: Any) -> Array:
        """Own margins of the training rows by these members."""


FAST_PATHS: tuple[type[FastPath], ...] = (NativePath, GaussianPath)


def has_fast_path(learner: Any) -> bool:
    """Whether some fast path is made for learners of this class."""
    return any(path.supports(learner) for path in FAST_PATHS)


def fast_path(problem: Problem, candidate: Candidate, n_jobs: int | None, verbose: int) -> FastPath | None:
    """The fast path of a candidate on a problem; None if no path applies, or if it fails on these data."""
    for path in FAST_PATHS:
        if path.supports(candidate.learner) and path.applies(problem, candidate):
            try:
                return path(problem, candidate, n_jobs, verbose)
            except (ValueError, np.linalg.LinAlgError):
                return None
    return None
