"""Damped Newton method, independent of the model."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# If a step of this length does not increase the value, the reason is rounding.
SHORTEST_STEP = 1e-12
# Newton steps are slow while they are at least this long and longer than half the previous step.
LONG_STEP = 0.5
# After this many iterations in which steps have not halved, short steps are considered rounding errors.
STALLED_ITERATIONS = 30


class Point(Protocol):
    """Parameters, the value there, and whatever else was computed."""

    params: Array
    value: float


P = TypeVar("P", bound=Point)


@dataclass(frozen=True)
class Ascent(Generic[P]):
    """Result of the iteration; `reason` says why it did not converge, and is empty if it did."""

    point: P
    n_iter: int
    converged: bool
    reason: str


def ascend(
    evaluate: Callable[[Array], P],
    direction: Callable[[P], Array],
    length: Callable[[Array], float],
    start: Array,
    tolerance: float,
    maxiter: int,
    *,
    cautious: Callable[[P], Array] | None = None,
    linear: Callable[[P], bool] = lambda _: False,
    error: float = 0.0,
    noise: float = 0.0,
    stalled_step: float = 0.0,
) -> Ascent[P]:
    """Maximise; `direction` gives the Newton step at a point, and `length` its length on the scale of the logits.

    The iteration converges when a step is no longer than `tolerance`. With exact second derivatives, the error is then
    about the square of this length. If those of a point are approximate, so that convergence is `linear`, the sum of
    all steps that would follow must be no longer than `error`. A decrease of the value by less than its rounding error
    or `noise` is ignored.

    Far from the maximum, Newton steps may be much too long or too short. If they decrease the value, or are slow, the
    step given by `cautious` is tried too, and the better of the two is taken. Steps of at most `stalled_step` that stop
    shrinking are rounding errors, so the iteration has converged then, too.
    """
    point = evaluate(start)
    sizes = (math.inf, math.inf)
    best, stalled = math.inf, 0
    for n_iter in range(1, maxiter + 1):
        slack = 1e-13 * abs(point.value) + noise
        step = direction(point)
        size = length(step)
        newton = math.isfinite(size)
        new = evaluate(point.params + step) if newton else None
        slow = size >= max(LONG_STEP, 0.5 * sizes[1])
        if cautious is not None and (slow or new is None or not new.value >= point.value - slack):
            other = cautious(point)
            if 0.0 < length(other) < math.inf:
                trial = evaluate(point.params + other)
                if new is None or not new.value >= trial.value:
                    newton, step, size, new = False, other, length(other), trial
        if new is None:
            return Ascent(point, n_iter, False, "the information became singular")
        factor = 1.0
        while not new.value >= point.value - slack:
            factor /= 2.0
            if factor * size < SHORTEST_STEP:
                return Ascent(point, n_iter, False, "no step increased the likelihood")
            new = evaluate(point.params + factor * step)
        done = steps_left(*sizes, size) <= error if linear(point) else size <= tolerance
        point = new
        best, stalled = (size, 0) if size <= 0.5 * best else (best, stalled + 1)
        if newton and (done or (size <= stalled_step and stalled >= STALLED_ITERATIONS)):
            return Ascent(point, n_iter, True, "")
        sizes = (sizes[1], size)
    return Ascent(point, maxiter, False, f"stopped after {maxiter} step{'s' if maxiter > 1 else ''}")


def steps_left(before: float, previous: float, size: float) -> float:
    """Sum of the lengths of all further steps, if they shrink by the larger of the last two ratios."""
    if size == 0.0:
        return 0.0
    if not before < math.inf:
        return math.inf
    ratio = max(size / previous, previous / before)
    return size * ratio / (1.0 - ratio) if ratio < 1.0 else math.inf
