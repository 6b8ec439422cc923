"""Choices by held-out log loss: the number of clusters, and the cost of the default machine."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pwcstats._arrays import Array
from pwcstats.errors import InputError

# Probabilities below this count as this; their logarithm could be infinite.
SMALLEST = 1e-15


@dataclass(frozen=True, eq=False)
class Trial:
    """A fit, the log loss of each row's held-out probability, and the warnings of the fit."""

    fit: Any
    loss: Array
    caught: list[warnings.WarningMessage] = field(default_factory=list)

    def is_clearly_better(self, than: "Trial") -> bool:
        """Whether the mean loss is smaller by more than its standard error."""
        gain = than.loss - self.loss
        return bool(gain.mean() > gain.std(ddof=1) / np.sqrt(len(gain)))

    def accept(self) -> Any:
        """Show the warnings of the fit, and return it."""
        for one in self.caught:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        return self.fit


def try_each(
    fits: Iterable[Callable[[], Any]], loss: Callable[[Any], Array], done: Sequence[Trial] = ()
) -> Iterator[Trial]:
    """Trials that are `done`, then those of some fits.

    Fits that fail are left out; if there is no trial at all, the error of the first fit is raised.
    """
    yield from done
    failed, found = None, len(done) > 0
    for fit in fits:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                fitted = fit()
            except InputError as error:
                failed = failed or error
                continue
        found = True
        yield Trial(fitted, loss(fitted), caught)
    if not found and failed is not None:
        raise failed


def usual_unless(trials: Iterable[Trial]) -> Trial:
    """The first trial, or the one with the least mean loss if it is clearly better."""
    usual, *others = trials
    best = least_loss([usual, *others])
    return best if best.is_clearly_better(usual) else usual


def least_loss(trials: Iterable[Trial]) -> Trial:
    """The trial with the least mean loss; the first of equals."""
    return min(trials, key=lambda trial: float(trial.loss.mean()))


def log_loss(own: Array) -> Array:
    """Log loss of the probabilities that rows have for their own classes."""
    return -np.log(np.maximum(own, SMALLEST))
