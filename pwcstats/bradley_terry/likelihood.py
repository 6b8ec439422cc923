"""The likelihood of a table of comparisons: its value, scores and information, for abilities or covariates."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pwcstats import _native
from pwcstats._arrays import Array
from pwcstats._kernels import comparisons, newton
from pwcstats._kernels.comparisons import LOSS, TIE, WIN
from pwcstats._kernels.laplacian import Graph, NotDefiniteError, inverse_and_determinant
from pwcstats.bradley_terry.spec import Spec
from pwcstats.bradley_terry.table import Table

Solve = Callable[[Array], Array]

# The penalty of Firth's method needs the covariance of all items in each step.
LARGEST_FIRTH = 5_000

# Relative error of a Newton step that is computed by conjugate gradients.
CG_TOLERANCE = 1e-8
# Length of the last Newton step. With the exact information, the error is then about its square, or CG_TOLERANCE times
# its length.
NEWTON_STEP = 1e-5
# The steps of Firth's method ignore the curvature of the penalty, so they converge linearly and not quadratically.
FIRTH_STEP = 1e-11

# Starting values that are larger could leave pairs without variance.
FARTHEST_START = 10.0
# If a pair is closer than this to its own estimate, secant and tangent agree to three digits.
NEAR = 1e-3

# With very large counts, steps of about this length are rounding errors.
STALLED_STEP = 1e-5

# Pairs are evaluated in at most this many parallel parts, each of at least this many pairs.
PARTS, SMALLEST_PART = 4, 2**15


class Design(Protocol):
    """How abilities depend on the parameters."""

    size: int
    rank: int

    def start(self, table: Table) -> Array:
        """Starting values of the parameters."""
        ...

    def abilities(self, params: Array) -> Array:
        """Abilities of all items."""
        ...

    def gather(self, x: Array) -> Array:
        """Derivatives with respect to the parameters, from those with respect to the abilities."""
        ...

    def expand(self, cov: Array) -> Array:
        """Covariance of the abilities (and of the extra parameters), from that of the parameters."""
        ...

    def solver(self, variance: Array, tolerance: float) -> Solve:
        """A function that solves equations with the information as matrix, for given variances of the pairs."""
        ...

    def inverse(self, variance: Array) -> tuple[Array, float]:
        """Inverse of the information and its log determinant."""
        ...


class Items:
    """One ability for each item; they sum to 0."""

    def __init__(self, table: Table) -> None:
        self.size = table.n_items
        self.rank = table.n_items - 1
        self.graph = Graph(table.first, table.second, table.n_items)
        self.solver = self.graph.solver
        self.inverse = self.graph.inverse

    def start(self, table: Table) -> Array:
        """Logits of the shares of wins, rescaled as if all items met each other equally often.

        If the abilities of the opponents have variance s², a share is about the logistic function of ability /
        sqrt(1 + s² pi / 8).
        """
        # A tie is half a win and half a loss.
        win, loss = (table.counts[:, column] + 0.5 * table.counts[:, TIE] for column in (WIN, LOSS))
        first, second, n = table.first, table.second, table.n_items
        won = np.bincount(first, win, n) + np.bincount(second, loss, n)
        lost = np.bincount(first, loss, n) + np.bincount(second, win, n)
        logit = np.clip(np.log(won + 0.5) - np.log(lost + 0.5), -FARTHEST_START, FARTHEST_START)
        spread = min(float(logit.var()), 1.5)
        return (logit - logit.mean()) / np.sqrt(1.0 - spread * np.pi / 8.0)

    def abilities(self, params: Array) -> Array:
        """The parameters are the abilities."""
        return params

    gather = expand = abilities


class Covariates:
    """Abilities are Z gamma."""

    def __init__(self, table: Table, z: Array) -> None:
        self.z = z
        self.size = self.rank = z.shape[1]
        self.x = z[table.first] - z[table.second]

    def start(self, table: Table) -> Array:
        """All coefficients are 0."""
        return np.zeros(self.size)

    def abilities(self, params: Array) -> Array:
        """Z gamma minus its mean."""
        ability = self.z @ params
        return ability - ability.mean()

    def gather(self, x: Array) -> Array:
        """Z'x."""
        return self.z.T @ x

    def expand(self, cov: Array) -> Array:
        """[Z 0; 0 I] cov [Z 0; 0 I]', where Z is centred like the abilities."""
        extra = len(cov) - self.size
        wide = np.zeros((len(self.z) + extra, len(cov)))
        wide[: len(self.z), : self.size] = self.z - self.z.mean(axis=0)
        wide[len(self.z) :, self.size :] = np.eye(extra)
        return wide @ cov @ wide.T

    def solver(self, variance: Array, tolerance: float) -> Solve:
        """Use the inverse, because there are few covariates."""
        inverse, _ = self.inverse(variance)
        return lambda b: inverse @ b

    def inverse(self, variance: Array) -> tuple[Array, float]:
        """Inverse of X'VX and its log determinant."""
        return inverse_and_determinant((self.x * variance[:, None]).T @ self.x)


@dataclass
class Point:
    """The likelihood at given parameters; `value` is maximised.

    With a penalty, `cov` is the covariance, and `slope` is a point whose information approximates the curvature of the
    penalised likelihood.
    """

    params: Array
    value: float
    llf: float
    score: Array
    variance: Array
    cross: Array
    extra_information: Array
    cov: Array | None = None
    slope: "Point | None" = None


class Likelihood:
    """Likelihood of Bradley and Terry or Davidson; parameters are those of the design, the order effect and log nu."""

    def __init__(self, table: Table, design: Design, *, order: bool, tie: bool, firth: bool) -> None:
        self.table, self.design = table, design
        self.order, self.tie, self.firth = order, tie, firth
        self.n_extra = order + tie
        self.n_params = design.size + self.n_extra
        self.rank = design.rank + self.n_extra

    def split(self, params: Array) -> tuple[Array, float, float]:
        """Abilities, order effect (0 if there is none) and log nu (minus infinity if there is none)."""
        extra = list(params[self.design.size :])
        order = extra.pop(0) if self.order else 0.0
        return self.design.abilities(params[: self.design.size]), order, extra.pop(0) if self.tie else -np.inf

    def start(self) -> Array:
        """Starting values: abilities from shares of wins, no order effect, log nu as if all abilities were equal."""
        params = np.zeros(self.n_params)
        params[: self.design.size] = self.design.start(self.table)
        if self.tie:
            wins, losses, ties = self.table.counts.sum(axis=0)
            params[-1] = np.log(2.0 * (ties + 0.5) / (wins + losses + 1.0))
        return params

    def evaluate(self, params: Array) -> Point:
        """Compute the likelihood and its derivatives."""
        point = self._evaluate_unpenalised(params, self.table.counts)
        if self.firth:
            self._penalise(point)
        return point

    def _evaluate_unpenalised(self, params: Array, counts: Array) -> Point:
        table = self.table
        ability, order, log_nu = self.split(params)
        n_pairs = len(table.first)
        variance, cross = np.empty(n_pairs), np.empty(n_pairs if self.tie else 0)
        # The parts do not depend on the number of cores, so the sums are bit-identical on all machines.
        parts = max(1, min(PARTS, n_pairs // SMALLEST_PART))
        bounds = [n_pairs * part // parts for part in range(parts + 1)]
        item_scores, sums = np.zeros((parts, table.n_items)), np.empty((parts, 6))

        def evaluate(part: int) -> None:
            _native.evaluate_pairs(
                table.first, table.second, table.ordered, counts, ability, order, log_nu,
                bounds[part], bounds[part + 1], item_scores[part], variance, cross, sums[part],
            )  # fmt: skip

        if parts == 1:
            evaluate(0)
        else:
            with ThreadPoolExecutor(parts) as pool:
                list(pool.map(evaluate, range(parts)))
        llf, score_order, score_tie, info_order, info_both, info_tie = map(float, sums.sum(axis=0))
        item_score = item_scores.sum(axis=0)
        information = np.array([[info_order, info_both], [info_both, info_tie]])
        kept = np.array([self.order, self.tie])
        score = np.concatenate([self.design.gather(item_score), np.array([score_order, score_tie])[kept]])
        return Point(params, llf, llf, score, variance, cross, information[kept][:, kept])

    def _penalise(self, point: Point) -> None:
        """Add Jeffreys' penalty to the likelihood and its derivatives (Firth 1993) to the scores.

        The penalty acts as if each pair had additional comparisons, half of them won, whose number is its leverage.
        Without them in the information, steps would be too long: twice too long for a pair that alone joins two parts
        of the graph.
        """
        try:
            point.cov, log_determinant = self.covariance(point)
        except NotDefiniteError:
            point.value = -np.inf
            return
        point.value += 0.5 * log_determinant
        table = self.table
        var_tie = point.cov[-1, -1] if self.tie else 0.0
        var_d, cov_d_tie = self._pair_variances(self.design.expand(point.cov))
        addition, leverage = np.empty((2, len(table.first)))
        for_tie = _native.firth_addition(
            table.n, self.probabilities(point.params), var_d, cov_d_tie, var_tie, 1.0 + self.tie, addition, leverage
        )
        extra = [float(addition @ table.ordered)] * self.order + [for_tie] * self.tie
        point.score += np.concatenate([self.design.gather(self.scatter(addition)), extra])
        point.slope = self._evaluate_unpenalised(point.params, table.counts * (1.0 + leverage)[:, None])

    def predictor(self, params: Array) -> Array:
        """Linear predictor of each pair: the difference of abilities plus the order effect."""
        ability, order, _ = self.split(params)
        return ability[self.table.first] - ability[self.table.second] + order * self.table.ordered

    def probabilities(self, params: Array) -> Array:
        """Probabilities of win, loss and tie of each pair."""
        return comparisons.probabilities(self.predictor(params), self.split(params)[2])

    def scatter(self, x: Array) -> Array:
        """Sum of x over the pairs of each item, with minus for pairs in which it is second."""
        out = np.zeros(self.table.n_items)
        _native.add_to_items(self.table.first, self.table.second, x, True, out)
        return out

    def _pair_variances(self, cov: Array) -> tuple[Array, Array]:
        """Variance of each pair's predictor and its covariance with log nu, from the covariance of all abilities."""
        first, second, h, order = self.table.first, self.table.second, self.table.ordered, self.table.n_items
        diagonal = np.diagonal(cov)
        var_d = diagonal[first] + diagonal[second] - 2.0 * cov[first, second]
        if self.order:
            var_d += h * (cov[order, order] + 2.0 * (cov[order, first] - cov[order, second]))
        if not self.tie:
            return var_d, np.zeros(len(first))
        cov_d_tie = cov[-1, first] - cov[-1, second]
        if self.order:
            cov_d_tie += h * cov[order, -1]
        return var_d, cov_d_tie

    def border(self, point: Point) -> Array:
        """Information between the design's parameters and the extra ones, one column for each extra parameter."""
        columns = [point.variance * self.table.ordered] * self.order + [point.cross] * self.tie
        return np.array([self.design.gather(self.scatter(x)) for x in columns]).reshape(self.n_extra, -1).T

    def direction(self, point: Point) -> Array:
        """The Newton step."""
        if not np.isfinite(point.value):
            return np.full(self.n_params, np.nan)
        return self._step(point.slope or point, point.score)

    def _step(self, curvature: Point, score: Array) -> Array:
        try:
            return self.solve(curvature, CG_TOLERANCE)(score)
        except (NotDefiniteError, np.linalg.LinAlgError):
            return np.full(self.n_params, np.nan)

    def cautious_direction(self, point: Point) -> Array:
        """A step that has a suitable length even if pairs are far from their estimates.

        Let d be the linear predictor of a pair, and d* its estimate from this pair alone (with half a win added to each
        side). The slope of the pair's expected result at d is replaced by the slope of the secant from d to d*. If
        the graph has no cycle, the step leads to d* at once, while Newton's step fails if d is far beyond d*.
        """
        table = self.table
        _, _, log_nu = self.split(point.params)
        d, n = self.predictor(point.params), table.n + 1.0
        p = comparisons.probabilities(d, log_nu)
        # Shares of wins and losses; a tie is half of each.
        seen = (table.counts[:, :2] + 0.5 * table.counts[:, 2:] + 0.5) / n[:, None]
        expected = p[:, :2] + 0.5 * p[:, 2:]
        own = _estimate_of_pair(seen[:, 0], seen[:, 1], np.exp(log_nu))
        # The difference of the smaller shares is more accurate.
        gap = np.where(own > 0.0, seen[:, 1] - expected[:, 1], expected[:, 0] - seen[:, 0])
        near = np.abs(d - own) < NEAR
        tangent = p[:, 0] * p[:, 1] + 0.25 * p[:, 2] * (p[:, 0] + p[:, 1])
        secant = n * np.where(near, tangent, gap / np.where(near, 1.0, d - own))
        information = point.extra_information * np.eye(self.n_extra)
        if self.order:
            information[0, 0] = secant @ table.ordered
        curvature = replace(point, variance=secant, cross=np.zeros_like(point.cross), extra_information=information)
        return self._step(curvature, point.score)

    def solve(self, point: Point, tolerance: float) -> Solve:
        """A function that solves equations with the information as matrix, with the Schur complement of the extras."""
        size = self.design.size
        inner = self.design.solver(point.variance, tolerance)
        if not self.n_extra:
            return inner
        border = self.border(point)
        through = inner(border)
        schur = point.extra_information - border.T @ through

        def solve(b: Array) -> Array:
            alone = inner(b[:size])
            extra = np.linalg.solve(schur, b[size:] - border.T @ alone)
            return np.concatenate([alone - through @ extra, extra])

        return solve

    def covariance(self, point: Point) -> tuple[Array, float]:
        """Inverse of the information of all parameters, and its log determinant."""
        inverse, log_determinant = self.design.inverse(point.variance)
        if not self.n_extra:
            return inverse, log_determinant
        size = self.design.size
        border = self.border(point)
        through = inverse @ border
        schur_inverse, more = inverse_and_determinant(point.extra_information - border.T @ through)
        cov = np.empty((self.n_params, self.n_params))
        cov[:size, :size] = inverse + through @ schur_inverse @ through.T
        cov[:size, size:] = -through @ schur_inverse
        cov[size:, :size] = cov[:size, size:].T
        cov[size:, size:] = schur_inverse
        return cov, log_determinant + more

    def length(self, step: Array) -> float:
        """Largest change of a logit that a step can cause."""
        ability, order, log_nu = self.split(step)
        return float(np.ptp(ability) + abs(order) + (abs(log_nu) if self.tie else 0.0))

    def maximise(self, maxiter: int, start: Array | None = None) -> newton.Ascent[Point]:
        """Find the maximum, from given parameters or from the usual starting values."""
        tolerance = FIRTH_STEP if self.firth else NEWTON_STEP
        start = self.start() if start is None else start
        # A trial step may be so long that numbers overflow; it is then rejected.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            ascent = newton.ascend(
                self.evaluate, self.direction, self.length, start, tolerance, maxiter,
                cautious=self.cautious_direction, stalled_step=STALLED_STEP,
            )  # fmt: skip
        if ascent.converged and not self.table.addable:
            reason = "the numbers of comparisons differ by too many orders of magnitude"
            return replace(ascent, converged=False, reason=reason)
        return ascent


def make_likelihood(spec: Spec, table: Table) -> Likelihood:
    """The likelihood of a specification."""
    design = Items(table) if spec.z is None else Covariates(table, spec.z)
    return Likelihood(table, design, order=spec.order, tie=spec.davidson, firth=spec.firth)


def _estimate_of_pair(win: Array, loss: Array, nu: float) -> Array:
    """The d at which the expected shares of wins and losses of a pair are these; a tie is half of each."""
    ahead, behind = np.maximum(win, loss), np.minimum(win, loss)
    half = 0.5 * nu * (ahead - behind)
    return np.sign(win - loss) * 2.0 * np.log((half + np.sqrt(half**2 + 4.0 * ahead * behind)) / (2.0 * behind))


def outcome_scores(likelihood: Likelihood, point: Point) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Derivatives of the log-likelihood of one comparison by d and by log nu: two arrays (pairs, outcomes)."""
    p = likelihood.probabilities(point.params)
    mean = 0.5 * (p[:, :1] - p[:, 1:2])
    return np.array([[0.5, -0.5, 0.0]]) - mean, np.array([[0.0, 0.0, 1.0]]) - p[:, 2:]
