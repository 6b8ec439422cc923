"""Profile-likelihood intervals: how far a parameter may go before the likelihood has fallen too low."""

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from pwcstats._kernels.laplacian import NotDefiniteError
from pwcstats._kernels.newton import steps_left

Array = NDArray[np.float64]

MAX_STEPS = 100
# The sum of all steps that would follow the last.
STEPS_LEFT = 3e-7
# As a share of the fall that was asked for.
CLOSE = 1e-5
# In logits; beyond this the quadratic model that a step rests on is worthless.
LONGEST_STEP = 2.0


class Point(Protocol):
    """Parameters, with value and score there."""

    params: Array
    value: float
    score: Array


P = TypeVar("P", bound=Point)


class Bound(NamedTuple):
    """Where the search ended, whether there, and after how many steps."""

    value: float
    found: bool
    n_steps: int


def bound(
    evaluate: Callable[[Array], P],
    solver: Callable[[P], Callable[[Array], Array]],
    length: Callable[[Array], float],
    best: P,
    contrast: Array,
    side: int,
    drop: float,
) -> Bound:
    r"""The largest (side 1) or least (side -1) ``contrast @ params`` with log-likelihood >= the best less `drop`.

    There the score is a multiple :math:`\mu` of the contrast. Newton on that equation and on the log-likelihood
    together (Venzon and Moolgavkar 1988): with information I, score U and contrast c, the step is I⁻¹(U - mu c), and
    the quadratic model of the log-likelihood gives mu. `solver` solves I's equations at a point.
    """
    point = best
    target = best.value - drop
    sizes = (math.inf, math.inf)
    n_steps = 0
    for n_steps in range(1, MAX_STEPS + 1):
        if not math.isfinite(point.value):
            break
        try:
            solve = solver(point)
        except NotDefiniteError:
            break
        toward, along = solve(point.score), solve(contrast)
        room = max(2.0 * (point.value - target) + float(point.score @ toward), 0.0)
        step = toward + side * math.sqrt(room / float(contrast @ along)) * along
        size = length(step)
        if size > LONGEST_STEP:
            step *= LONGEST_STEP / size
        point = evaluate(point.params + step)
        if steps_left(*sizes, size) <= STEPS_LEFT:
            return Bound(float(contrast @ point.params), abs(point.value - target) <= CLOSE * drop, n_steps)
        sizes = (sizes[1], size)
    return Bound(float(contrast @ point.params), False, n_steps)
