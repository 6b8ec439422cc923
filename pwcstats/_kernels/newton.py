"""Damped Newton: the loop knows no model."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# A step this short that still does not ascend is rounding.
SHORTEST_STEP = 1e-12
# Newton's steps are slow while they are at least this long and not half as long as the last.
LONG_STEP = 0.5
# Iterations in which steps have not halved, after which they are considered rounding if they are short.
STALLED_ITERATIONS = 30


class Point(Protocol):
    """Parameters, and everything that was computed there once."""

    params: Array
    value: float


P = TypeVar("P", bound=Point)


@dataclass(frozen=True)
class Ascent(Generic[P]):
    """Where the loop ended, and how: `reason` is empty when it converged."""

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
    max_iter: int,
    *,
    cautious: Callable[[P], Array] | None = None,
    linear: bool = False,
    noise: float = 0.0,
    stalled_step: float = 0.0,
) -> Ascent[P]:
    """Maximise: `direction` gives the Newton step at a point, `length` its length on the scale of the logits.

    The last step taken is no longer than `tolerance`; with exact second derivatives the point is then right to about
    its square. Where steps are `linear`, each a fraction of the one before, it is the sum of all that would follow that
    is no longer than `tolerance`. Falls of the value by less than its rounding or `noise` are none.

    Far from the maximum Newton's steps may be much too long or too short. Where they lead down, or are slow, a step in
    the direction `cautious` is tried as well and the better of the two is taken. Steps of at most `stalled_step` that
    stop shrinking are rounding: the loop has converged then, too.
    """
    point = evaluate(start)
    sizes = (math.inf, math.inf)
    best, stalled = math.inf, 0
    for n_iter in range(1, max_iter + 1):
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
        point = new
        left = steps_left(*sizes, size) if linear else size
        best, stalled = (size, 0) if size <= 0.5 * best else (best, stalled + 1)
        if newton and (left <= tolerance or (size <= stalled_step and stalled >= STALLED_ITERATIONS)):
            return Ascent(point, n_iter, True, "")
        sizes = (sizes[1], size)
    return Ascent(point, max_iter, False, f"{max_iter} steps were not enough")


def steps_left(before: float, previous: float, size: float) -> float:
    """Length of all steps after the last of three, if they go on to shrink as they did at the slower of two times."""
    if size == 0.0:
        return 0.0
    if not before < math.inf:
        return math.inf
    ratio = max(size / previous, previous / before)
    return size * ratio / (1.0 - ratio) if ratio < 1.0 else math.inf
