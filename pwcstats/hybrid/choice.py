"""The choice of the number of clusters by held-out log loss."""

import warnings
from collections.abc import Callable, Iterable, Iterator
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

    def mean(self, weight: Array | None) -> float:
        """Mean loss."""
        return float(np.average(self.loss, weights=weight))

    def is_clearly_better(self, than: "Trial", weight: Array | None) -> bool:
        """Whether the mean loss is smaller by more than its standard error. A weight of 2 counts as two rows."""
        gain = than.loss - self.loss
        mean = np.average(gain, weights=weight)
        n = len(gain) if weight is None else max(weight.sum(), len(gain))
        return bool(mean > np.sqrt(np.average((gain - mean) ** 2, weights=weight) / (n - 1)))

    def accept(self) -> Any:
        """Show the warnings of the fit, and return it."""
        for one in self.caught:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        return self.fit


def try_each(fits: Iterable[Callable[[], Any]], loss: Callable[[Any], Array]) -> Iterator[Trial]:
    """Trials of some fits. Those that fail are left out; if all fail, the error of the first is raised."""
    failed, found = None, False
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


def simplest(trials: Iterable[Trial], size: Callable[[Any], int], weight: Array | None = None) -> Trial:
    """The smallest fit to which that with the least mean loss is not clearly better: the one-standard-error rule."""
    growing = sorted(trials, key=lambda trial: size(trial.fit))
    best = min(growing, key=lambda trial: trial.mean(weight))
    return next(trial for trial in growing if not best.is_clearly_better(trial, weight))


def log_loss(own: Array) -> Array:
    """Log loss of the probabilities that rows have for their own classes."""
    return -np.log(np.maximum(own, SMALLEST))
