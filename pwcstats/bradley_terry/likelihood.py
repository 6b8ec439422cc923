"""The likelihood of a table of comparisons: values, scores and information, for abilities or for covariates."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pwcstats._arrays import Array
from pwcstats._kernels import comparisons, newton
from pwcstats._kernels.laplacian import Graph, NotDefiniteError, inverse_and_determinant
from pwcstats.bradley_terry.table import Table

Solve = Callable[[Array], Array]

# A Newton step's relative error, where it is found by conjugate gradients.
CG_TOLERANCE = 1e-8
# Newton's last step; with the exact information the error left is about its square, or CG_TOLERANCE times it.
NEWTON_STEP = 1e-5
# Firth's steps leave out the penalty's own curvature, so they shrink by a factor and not by squares.
FIRTH_STEP = 1e-11

# A start farther out could leave pairs without variance.
FARTHEST_START = 10.0
# Closer than this to its own estimate, a pair's secant is its tangent to three digits.
NEAR = 1e-3

# Very large counts leave steps of about this length as rounding.
STALLED_STEP = 1e-5

# Pairs are worked on in at most so many parts, side by side, of at least so many pairs.
PARTS, SMALLEST_PART = 4, 2**15


class Design(Protocol):
    """How parameters make abilities."""

    size: int
    rank: int

    def start(self, table: Table) -> Array:
        """Parameters to begin with."""
        ...

    def abilities(self, params: Array) -> Array:
        """Abilities of all items."""
        ...

    def gather(self, x: Array) -> Array:
        """Derivatives for the parameters, from derivatives for the abilities."""
        ...

    def expand(self, cov: Array) -> Array:
        """Covariance of the abilities (and what follows them), from that of the parameters."""
        ...

    def solver(self, variance: Array, tolerance: float) -> Solve:
        """Solve the information's equations, the variances of the pairs being given."""
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
        """Logits of the shares of wins, spread as they should be where everybody meets everybody.

        Against opponents of variance s², a share is about the logistic of ability / sqrt(1 + s² pi / 8).
        """
        won, lost = np.zeros((2, self.size))
        comparisons.totals(table.first, table.second, table.counts, won, lost)
        logit = np.clip(np.log(won + 0.5) - np.log(lost + 0.5), -FARTHEST_START, FARTHEST_START)
        spread = min(float(logit.var()), 1.5)
        return (logit - logit.mean()) / np.sqrt(1.0 - spread * np.pi / 8.0)

    def abilities(self, params: Array) -> Array:
        """They are the parameters."""
        return params

    gather = expand = abilities


class Covariates:
    """Abilities are Z gamma."""

    def __init__(self, table: Table, z: Array) -> None:
        self.z = z
        self.size = self.rank = z.shape[1]
        self.x = z[table.first] - z[table.second]

    def start(self, table: Table) -> Array:
        """No effects."""
        return np.zeros(self.size)

    def abilities(self, params: Array) -> Array:
        """Z gamma, less its mean."""
        ability = self.z @ params
        return ability - ability.mean()

    def gather(self, x: Array) -> Array:
        """Z'x."""
        return self.z.T @ x

    def expand(self, cov: Array) -> Array:
        """[Z 0; 0 I] cov [Z 0; 0 I]', Z centred as the abilities are."""
        extra = len(cov) - self.size
        wide = np.zeros((len(self.z) + extra, len(cov)))
        wide[: len(self.z), : self.size] = self.z - self.z.mean(axis=0)
        wide[len(self.z) :, self.size :] = np.eye(extra)
        return wide @ cov @ wide.T

    def solver(self, variance: Array, tolerance: float) -> Solve:
        """By the inverse: there are few covariates."""
        inverse, _ = self.inverse(variance)
        return lambda b: inverse @ b

    def inverse(self, variance: Array) -> tuple[Array, float]:
        """Inverse of X'VX and its log determinant."""
        return inverse_and_determinant((self.x * variance[:, None]).T @ self.x)


@dataclass
class Point:
    """The likelihood at some parameters; `value` is what is maximised.

    With a penalty there is `cov`, and `slope`, a point whose information stands for the curvature of likelihood and
    penalty.
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
    """Bradley–Terry or Davidson likelihood; the parameters are those of the design, then order effect and log nu."""

    def __init__(self, table: Table, design: Design, *, order: bool, tie: bool, firth: bool) -> None:
        self.table, self.design = table, design
        self.order, self.tie, self.firth = order, tie, firth
        self.n_extra = order + tie
        self.n_params = design.size + self.n_extra
        self.rank = design.rank + self.n_extra

    def split(self, params: Array) -> tuple[Array, float, float]:
        """Abilities, order effect (0 without one) and log nu (minus infinity without one)."""
        extra = list(params[self.design.size :])
        order = extra.pop(0) if self.order else 0.0
        return self.design.abilities(params[: self.design.size]), order, extra.pop(0) if self.tie else -np.inf

    def start(self) -> Array:
        """Abilities as the shares of wins suggest, no order effect, the tie parameter of equal abilities."""
        params = np.zeros(self.n_params)
        params[: self.design.size] = self.design.start(self.table)
        if self.tie:
            wins, losses, ties = self.table.counts.sum(axis=0)
            params[-1] = np.log(2.0 * (ties + 0.5) / (wins + losses + 1.0))
        return params

    def evaluate(self, params: Array) -> Point:
        """Everything about one point, computed once."""
        point = self._unpenalised(params, self.table.counts)
        if self.firth:
            self._penalise(point)
        return point

    def _unpenalised(self, params: Array, counts: Array) -> Point:
        table = self.table
        ability, order, log_nu = self.split(params)
        n_pairs = len(table.first)
        variance, cross = np.empty(n_pairs), np.empty(n_pairs if self.tie else 0)
        # The parts do not depend on the number of cores, so that the sums are the same to the last bit.
        parts = max(1, min(PARTS, n_pairs // SMALLEST_PART))
        bounds = [n_pairs * part // parts for part in range(parts + 1)]
        item_scores = np.empty((parts, table.n_items))

        def evaluate(part: int) -> tuple[float, ...]:
            return comparisons.evaluate(
                table.first, table.second, table.ordered, counts, ability, order, log_nu,
                bounds[part], bounds[part + 1], item_scores[part], variance, cross,
            )  # fmt: skip

        if parts == 1:
            sums = [evaluate(0)]
        else:
            with ThreadPoolExecutor(parts) as pool:
                sums = list(pool.map(evaluate, range(parts)))
        llf, score_order, score_tie, info_order, info_both, info_tie = map(float, np.sum(sums, axis=0))
        item_score = item_scores.sum(axis=0)
        information = np.array([[info_order, info_both], [info_both, info_tie]])
        kept = np.array([self.order, self.tie])
        score = np.concatenate([self.design.gather(item_score), np.array([score_order, score_tie])[kept]])
        return Point(params, llf, llf, score, variance, cross, information[kept][:, kept])

    def _penalise(self, point: Point) -> None:
        """Jeffreys' penalty on the likelihood and Firth's on the scores.

        The penalty acts as if each pair had as many more comparisons, half of them won, as its leverage (Firth 1993).
        Steps without these in the information would be too long, twice so for a pair that alone joins two parts of
        the graph.
        """
        try:
            point.cov, log_determinant = self.covariance(point)
        except NotDefiniteError:
            point.value = -np.inf
            return
        point.value += 0.5 * log_determinant
        table = self.table
        _, _, log_nu = self.split(point.params)
        var_d, cov_d_tie = self.pair_variances(point.cov)
        var_tie = point.cov[-1, -1] if self.tie else 0.0
        addition, leverage = np.empty((2, len(table.first)))
        for_tie = comparisons.bias(
            table.first, table.second, table.ordered, table.counts, self.predictor(point.params), log_nu,
            var_d, cov_d_tie, var_tie, addition, leverage,
        )  # fmt: skip
        extra = [float(addition @ table.ordered)] * self.order + [for_tie] * self.tie
        point.score += np.concatenate([self.design.gather(self.scatter(addition)), extra])
        point.slope = self._unpenalised(point.params, table.counts * (1.0 + leverage)[:, None])

    def predictor(self, params: Array) -> Array:
        """Each pair's difference of abilities, order effect included."""
        ability, order, _ = self.split(params)
        return ability[self.table.first] - ability[self.table.second] + order * self.table.ordered

    def scatter(self, x: Array) -> Array:
        """Sums of x over the pairs of each item, with the item's sign."""
        out = np.empty(self.table.n_items)
        comparisons.scatter(self.table.first, self.table.second, x, out)
        return out

    def pair_variances(self, cov: Array) -> tuple[Array, Array]:
        """Variance of each pair's predictor, and its covariance with log nu."""
        table = self.table
        var_d, cov_d_tie = np.zeros((2, len(table.first)))
        n = table.n_items
        comparisons.pair_variances(
            table.first, table.second, table.ordered, np.ascontiguousarray(self.design.expand(cov)),
            n if self.order else -1, n + self.order if self.tie else -1, var_d, cov_d_tie,
        )  # fmt: skip
        return var_d, cov_d_tie

    def border(self, point: Point) -> Array:
        """Information between the design's parameters and the extra ones, a column for each of these."""
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
        """A step whose length suits each pair, however far it is from its estimate.

        The slope of a pair's expected result is replaced by that of the secant between the pair's d and the d* that the
        pair by itself suggests (half a win added to each side). Where no pairs form a circle, the step leads to d* at
        once; Newton's step, from a d far beyond d*, leads nowhere.
        """
        table = self.table
        _, _, log_nu = self.split(point.params)
        d, n = self.predictor(point.params), table.n + 1.0
        p = np.empty((len(d), 3))
        comparisons.predict(d, log_nu, p)
        # Shares of wins and of losses, ties being half of either.
        seen = (table.counts[:, :2] + 0.5 * table.counts[:, 2:] + 0.5) / n[:, None]
        expected = p[:, :2] + 0.5 * p[:, 2:]
        own = _estimated_alone(seen[:, 0], seen[:, 1], np.exp(log_nu))
        # The difference of the smaller shares, which is the more accurate one.
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
        """A function that solves the information's equations, extra parameters by their Schur complement."""
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
        """Inverse of the whole information and its log determinant."""
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
        """The largest change of a logit that a step can make."""
        ability, order, log_nu = self.split(step)
        return float(np.ptp(ability) + abs(order) + (abs(log_nu) if self.tie else 0.0))

    def maximise(self, max_iter: int) -> newton.Ascent[Point]:
        """Fit."""
        tolerance = FIRTH_STEP if self.firth else NEWTON_STEP
        # A trial step may lead so far that numbers overflow; it is not taken then.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            ascent = newton.ascend(
                self.evaluate, self.direction, self.length, self.start(), tolerance, max_iter,
                cautious=self.cautious_direction, stalled_step=STALLED_STEP,
            )  # fmt: skip
        if ascent.converged and not self.table.addable:
            reason = "the numbers of comparisons differ by too many orders of magnitude"
            return replace(ascent, converged=False, reason=reason)
        return ascent


def _estimated_alone(win: Array, loss: Array, nu: float) -> Array:
    """The d at which a pair's expected shares of wins and losses, a tie being half of either, are these."""
    ahead, behind = np.maximum(win, loss), np.minimum(win, loss)
    half = 0.5 * nu * (ahead - behind)
    return np.sign(win - loss) * 2.0 * np.log((half + np.sqrt(half**2 + 4.0 * ahead * behind)) / (2.0 * behind))


def outcome_scores(likelihood: Likelihood, point: Point) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Derivatives of one comparison's log-likelihood for d and for log nu: two arrays (pairs, outcomes)."""
    _, _, log_nu = likelihood.split(point.params)
    p = np.empty((len(likelihood.table.first), 3))
    comparisons.predict(likelihood.predictor(point.params), log_nu, p)
    mean = 0.5 * (p[:, :1] - p[:, 1:2])
    return np.array([[0.5, -0.5, 0.0]]) - mean, np.array([[0.0, 0.0, 1.0]]) - p[:, 2:]
