"""Profile-likelihood intervals of a Bradley–Terry fit."""

from pwcstats._kernels import profile
from pwcstats._validate.common import Array
from pwcstats.bradley_terry.covariance import SOLVE_TOLERANCE
from pwcstats.bradley_terry.likelihood import Likelihood, Point, Solve


def bound(likelihood: Likelihood, best: Point, contrast: Array, side: int, drop: float) -> tuple[float, bool]:
    """The largest (side 1) or least (side -1) ``contrast @ params`` with log-likelihood >= the best less `drop`."""

    def solver(point: Point) -> Solve:
        return likelihood.solve(point.slope or point, SOLVE_TOLERANCE)

    end = profile.bound(likelihood.evaluate, solver, likelihood.length, best, contrast, side, drop)
    return end.value, end.found
