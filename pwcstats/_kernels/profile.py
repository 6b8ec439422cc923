"""Bounds of profile-likelihood intervals."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MAX_STEPS = 100
# Tolerance for the sum of all further steps.
STEPS_LEFT = 1e-6
# Tolerance for the fall of the log-likelihood, as a share of it.
CLOSE = 1e-5
# In logits. The quadratic approximation is useless for longer steps.
LONGEST_STEP = 2.0


class Points(Protocol):
    """The likelihood at several points, one row each."""

    @property
    def value(self) -> Array:
        """Log-likelihoods."""
        ...

    @property
    def score(self) -> Array:
        """Scores."""
        ...

    def solve(self, b: Array) -> Array:
        """Solve a linear system with the information of each point; b has one row per point.

        If the information is singular, an ArithmeticError is raised.
        """
        ...

    def take(self, which: NDArray[Any]) -> "Points":
        """A subset of the points, by mask or index."""
        ...


class Bounds(NamedTuple):
    """Bounds, the parameters there (one row each), and whether each search succeeded."""

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
    r"""Maximise (side 1) or minimise (side -1) ``contrast @ params`` as far as the log-likelihood falls by `drop`.

    At the bound, the score is a multiple :math:`\mu` of the contrast. Newton's method solves this equation together
    with that of the log-likelihood (Venzon and Moolgavkar 1988): with information I, score U and contrast c, the step
    is I⁻¹(U - mu c), where mu follows from the quadratic approximation of the log-likelihood. All contrasts are treated
    together.
    """
    params = np.tile(best, (len(contrasts), 1))
    found = np.zeros(len(params), np.bool_)
    before, previous = np.full((2, len(params)), np.inf)
    # All searches start at the same point.
    points = evaluate(params[:1]).take(np.zeros(len(params), np.int64))
    target = points.value - drop
    active = np.arange(len(params))
    for _ in range(MAX_STEPS):
        c = contrasts[active]
        try:
            toward, along = points.solve(points.score), points.solve(c)
        except ArithmeticError:
            break
        room = np.maximum(2.0 * (points.value - target[active]) + (points.score * toward).sum(axis=1), 0.0)
        step = toward + (side[active] * np.sqrt(room / (c * along).sum(axis=1)))[:, None] * along
        size = length(step)
        params[active] += step * np.minimum(1.0, LONGEST_STEP / np.maximum(size, LONGEST_STEP))[:, None]
        points = evaluate(params[active])
        # Extrapolate: steps shrink at the slower one of their last two rates.
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
