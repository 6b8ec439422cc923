"""Fitted learners of all pairs, with what turns their scores into probabilities."""

import warnings
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from pwcstats._arrays import Array
from pwcstats.errors import ConvergenceWarning
from pwcstats.pairwise.platt import fit_isotonic, fit_sigmoid, isotonic_log_odds
from pwcstats.pairwise.problem import Integers
from pwcstats.pairwise.thresholds import best_threshold


class Members(Protocol):
    """Fitted learners of some pairs, which answer together."""

    pairs: Integers

    def scores(self, x: Any) -> Array:
        """Scores in favour of the first class, a column for each pair."""

    def learner(self, place: int) -> Any:
        """One pair's learner."""


class Committee:
    """All pairs: the scores f of their members become log-odds -(a f + b) - t.

    Scores that are log-odds already have a = -1 and b = 0. An isotonic step stands in `steps` in place of a sigmoid.
    """

    def __init__(self, n_pairs: int) -> None:
        self.members: list[Members] = []
        self.a, self.b, self.threshold = np.full(n_pairs, -1.0), np.zeros(n_pairs), np.zeros(n_pairs)
        self.steps: dict[int, Any] = {}

    def calibrate(
        self, pair: int, method: str, scores: Array, positive: NDArray[np.bool_], weight: Array, name: str
    ) -> None:
        """Learn from held-out scores what they mean."""
        if np.ptp(scores) == 0.0:
            warnings.warn(
                f"the scores of the pair {name} are equal to 11 digits, so that its probabilities are the classes' "
                "shares of the rows; if the columns of X are tiny, scale them.",
                ConvergenceWarning,
                stacklevel=2,
            )
        if method == "isotonic":
            self.steps[pair] = fit_isotonic(scores, positive, weight)
        else:
            self.a[pair], self.b[pair] = fit_sigmoid(scores, positive, weight, name)

    def set_threshold(self, pair: int, scores: Array, positive: NDArray[np.bool_], weight: Array) -> None:
        """Choose Hastie & Tibshirani's threshold on the scale of the log-odds."""
        if pair in self.steps:
            d = isotonic_log_odds(self.steps[pair], scores)
        else:
            d = -(self.a[pair] * scores + self.b[pair])
        self.threshold[pair] = best_threshold(d, positive, weight)

    def scores(self, x: Any) -> Array:
        """Raw scores, a column for each pair."""
        if len(self.members) == 1:
            return self.members[0].scores(x)
        out = np.empty((x.shape[0], len(self.a)))
        for member in self.members:
            out[:, member.pairs] = member.scores(x)
        return out

    def probabilities(self, x: Any) -> Array:
        """r_ij of the pairs i < j, a column for each."""
        values = self.scores(x)
        steps = {pair: isotonic_log_odds(step, values[:, pair]) for pair, step in self.steps.items()}
        values = values * -self.a - self.b
        for pair, log_odds in steps.items():
            values[:, pair] = log_odds
        values -= self.threshold
        return expit(values, out=values)

    def learners(self, names: Sequence[Any]) -> dict[Any, Any]:
        """Learners by the pairs' names."""
        found = {int(pair): member.learner(k) for member in self.members for k, pair in enumerate(member.pairs)}
        return {name: found[pair] for pair, name in enumerate(names)}
