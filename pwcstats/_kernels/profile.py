"""Profile-likelihood intervals: how far a parameter may go before the likelihood has fallen too low."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from pwcstats._kernels.laplacian import NotDefiniteError

Array = NDArray[np.float64]

MAX_STEPS = 100
# The sum of all steps that would follow the last.
STEPS_LEFT = 1e-6
# As a share of the fall that was asked for.
CLOSE = 1e-5
# In logits; beyond this the quadratic model that a step rests on is worthless.
LONGEST_STEP = 2.0


class Points(Protocol):
    """The likelihood at some points, a row each."""

    @property
    def value(self) -> Array:
        """Log-likelihoods."""
        ...

    @property
    def score(self) -> Array:
        """Their derivatives."""
        ...

    def solve(self, b: Array) -> Array:
        """Solve the information's equations of each point, for a row of b each."""
        ...

    def take(self, which: NDArray[Any]) -> "Points":
        """Some of the points, by mask or place."""
        ...


class Bounds(NamedTuple):
    """Where each search ended: the bound, the parameters there (a row each), and whether it is one."""

    value: Array
    params: Array
    found: NDArray[np.bool_]


def bounds(
    evaluate: Callable[[Array], Points],
    length: Callable[[Array], Array],
    best: Array,
    contrasts: Array,
    side: Array,
    drop: float,
) -> Bounds:
    r"""The largest (side 1) or least (side -1) ``contrast @ params`` with log-likelihood >= that of `best` less `drop`.

    There the score is a multiple :math:`\mu` of the contrast. Newton on that equation and on the log-likelihood
    together (Venzon and Moolgavkar 1988): with information I, score U and contrast c, the step is I⁻¹(U - mu c), and
    the quadratic model of the log-likelihood gives mu. All contrasts go side by side.
    """
    params = np.tile(best, (len(contrasts), 1))
    found = np.zeros(len(params), np.bool_)
    before, previous = np.full((2, len(params)), np.inf)
    # All begin at the same point.
    points = evaluate(params[:1]).take(np.zeros(len(params), np.int64))
    target = points.value - drop
    active = np.arange(len(params))
    for _ in range(MAX_STEPS):
        c = contrasts[active]
        try:
            toward, along = points.solve(points.score), points.solve(c)
        except NotDefiniteError:
            break
        room = np.maximum(2.0 * (points.value - target[active]) + (points.score * toward).sum(axis=1), 0.0)
        step = toward + (side[active] * np.sqrt(room / (c * along).sum(axis=1)))[:, None] * along
        size = length(step)
        params[active] += step * np.minimum(1.0, LONGEST_STEP / np.maximum(size, LONGEST_STEP))[:, None]
        points = evaluate(params[active])
        # Steps go on to shrink as they did at the slower of the last two times.
        with np.errstate(invalid="ignore"):
            ratio = np.maximum(size / previous[active], previous[active] / before[active])
        done = size * ratio <= STEPS_LEFT * (1.0 - ratio)
        found[active] = done & (np.abs(points.value - target[active]) <= CLOSE * drop)
        before[active], previous[active] = previous[active], size
        go_on = ~done & np.isfinite(points.value)
        active = active[go_on]
        if not len(active):
            break
        if not go_on.all():
            points = points.take(go_on)
    return Bounds((contrasts * params).sum(axis=1), params, found)
