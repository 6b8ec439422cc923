"""Profile-likelihood intervals: how far a parameter may go before the likelihood has fallen too low."""

import numpy as np

from pwcstats._kernels.laplacian import NotDefiniteError
from pwcstats._validate.common import Array
from pwcstats.bradley_terry.covariance import SOLVE_TOLERANCE
from pwcstats.bradley_terry.likelihood import Likelihood, Point

MAX_STEPS = 100
LAST_STEP = 1e-6
# As a share of the fall that was asked for.
CLOSE = 1e-5
# In logits; beyond this the quadratic model that a step rests on is worthless.
LONGEST_STEP = 2.0


def bound(likelihood: Likelihood, best: Point, contrast: Array, side: int, drop: float) -> tuple[float, bool]:
    r"""The largest (side 1) or least (side -1) ``contrast @ params`` with log-likelihood >= the best less `drop`.

    There the score is a multiple :math:`\mu` of the contrast. Newton on that equation and on the log-likelihood
    together (Venzon and Moolgavkar 1988): with information I, score U and contrast c, the step is I⁻¹(U - mu c), and
    the quadratic model of the log-likelihood gives mu.
    """
    point = best
    target = best.value - drop
    for _ in range(MAX_STEPS):
        try:
            solve = likelihood.solve(point.slope or point, SOLVE_TOLERANCE)
        except NotDefiniteError:
            break
        toward, along = solve(point.score), solve(contrast)
        room = max(float(2.0 * (point.value - target) + point.score @ toward), 0.0)
        step = toward + side * np.sqrt(room / float(contrast @ along)) * along
        size = likelihood.length(step)
        if size > LONGEST_STEP:
            step *= LONGEST_STEP / size
        point = likelihood.evaluate(point.params + step)
        if size <= LAST_STEP:
            return float(contrast @ point.params), abs(point.value - target) <= CLOSE * drop
    return float(contrast @ point.params), False
