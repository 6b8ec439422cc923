"""The likelihood of a table of comparisons: its value, scores and information, for abilities or covariates.

For each row of the table, d = ability[first] - ability[second] + x'beta. The columns of x are the order effect and the
contest covariates. The parameters are those of the design (abilities, or coefficients of item covariates), beta, and
the tie parameter.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pwcstats import _native
from pwcstats._arrays import Array
from pwcstats._kernels import newton
from pwcstats._kernels.comparisons import LOSS, TIE, WIN
from pwcstats._kernels.laplacian import Graph, NotDefiniteError, inverse_and_determinant
from pwcstats.bradley_terry.methods import Prior
from pwcstats.bradley_terry.spec import Spec
from pwcstats.bradley_terry.table import Table
from pwcstats.bradley_terry.ties import TieModel

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

# Linear predictor of a comparison whose outcome is certain.
CERTAIN = 1e3

# Pairs are evaluated in at most this many parallel parts, each of at least this many pairs.
PARTS, SMALLEST_PART = 4, 2**15


class Design(Protocol):
    """How abilities depend on the parameters.

    A node is an item, or the ghost item of a prior, which is the last node.
    """

    size: int
    rank: int
    n_nodes: int

    def start(self, table: Table) -> Array:
        """Starting values of the parameters."""
        ...

    def abilities(self, params: Array) -> Array:
        """Abilities of all nodes."""
        ...

    def gather(self, x: Array) -> Array:
        """Derivatives with respect to the parameters, from those with respect to the abilities of the nodes."""
        ...

    def expand(self, cov: Array) -> Array:
        """Covariance of the abilities (and of the extra parameters), from that of the parameters."""
        ...

    def solver(self, point: "Point", tolerance: float) -> Solve:
        """A function that solves equations with the information at a point as matrix."""
        ...

    def inverse(self, point: "Point") -> tuple[Array, float]:
        """Inverse of the information at a point, and its log determinant."""
        ...


class Items:
    """One ability for each node; they sum to 0. With a prior, the ghost item is joined to all items."""

    def __init__(self, table: Table, prior: Prior | None) -> None:
        self.prior = prior
        first, second, n = table.first, table.second, table.n_items
        if prior is not None:
            first = np.concatenate([first, np.arange(n, dtype=np.int32)])
            second = np.concatenate([second, np.full(n, n, np.int32)])
        self.size = self.n_nodes = n + (prior is not None)
        self.rank = self.size - 1
        self.graph = Graph(first, second, self.size)

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
        ability = (logit - logit.mean()) / np.sqrt(1.0 - spread * np.pi / 8.0)
        return ability if self.prior is None else np.append(ability, 0.0)

    def abilities(self, params: Array) -> Array:
        """The parameters are the abilities."""
        return params

    gather = expand = abilities

    def solver(self, point: "Point", tolerance: float) -> Solve:
        """Solve with the Laplacian of the graph."""
        return self.graph.solver(point.weights, tolerance)

    def inverse(self, point: "Point") -> tuple[Array, float]:
        """Invert the Laplacian of the graph."""
        return self.graph.inverse(point.weights)


class Covariates:
    """Abilities are Z gamma."""

    def __init__(self, table: Table, z: Array, infinite: Array | None = None) -> None:
        self.z = z
        self.size = self.rank = z.shape[1]
        self.n_nodes = table.n_items
        self.x = z[table.first] - z[table.second]
        if infinite is not None and len(infinite):
            # These comparisons do not depend on the coefficients.
            self.x[(infinite[table.first] != 0.0) | (infinite[table.second] != 0.0)] = 0.0

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

    def solver(self, point: "Point", tolerance: float) -> Solve:
        """Use the inverse, because there are few covariates."""
        inverse, _ = self.inverse(point)
        return lambda b: inverse @ b

    def inverse(self, point: "Point") -> tuple[Array, float]:
        """Inverse of X'VX and its log determinant."""
        return inverse_and_determinant((self.x * point.variance[:, None]).T @ self.x)


@dataclass
class Point:
    """The likelihood at given parameters; `value` is maximised, and `llf` is the log-likelihood without penalty.

    `variance` and `cross` are minus the second derivatives of each row's log-likelihood by d, and by d and the tie
    parameter; `prior_variance` is the same for the links of the items to the ghost. With Jeffreys' penalty, `cov` is
    the covariance, and `slope` is a point whose information approximates the curvature of the penalised likelihood.
    """

    params: Array
    value: float
    llf: float
    score: Array
    variance: Array
    prior_variance: Array
    cross: Array
    extra_information: Array
    cov: Array | None = None
    slope: "Point | None" = None

    @property
    def weights(self) -> Array:
        """Weights of the edges of the graph: pairs, then links to the ghost."""
        return np.concatenate([self.variance, self.prior_variance]) if len(self.prior_variance) else self.variance


class Likelihood:
    """Likelihood of a model of ties; parameters are those of the design, beta and the tie parameter."""

    def __init__(
        self,
        table: Table,
        design: Design,
        ties: TieModel,
        *,
        order: bool,
        firth: bool,
        prior: Prior | None = None,
        infinite: Array | None = None,
    ) -> None:
        self.table, self.design, self.ties = table, design, ties
        self.order, self.firth, self.prior = order, firth, prior
        self.x = np.ascontiguousarray(np.column_stack([table.ordered, table.x]) if order else table.x)
        self.tie = ties.has_parameter
        self.n_extra = self.x.shape[1] + self.tie
        self.n_params = design.size + self.n_extra
        self.rank = design.rank - (prior is not None) + self.n_extra
        # Number of abilities or coefficients that are reported, which do not include the ghost.
        self.n_reported = design.size - (prior is not None)
        # Infinite abilities, and 0 for the other items. Comparisons of such an item are certain, which `offset` says.
        self.infinite = np.zeros(table.n_items)
        self.offset: Array | None = None
        if infinite is not None and len(infinite):
            self.infinite = infinite
            self.rank += np.count_nonzero(infinite)
            is_certain = (infinite[table.first] != 0.0) | (infinite[table.second] != 0.0)
            ahead = np.sign(table.counts[:, WIN] - table.counts[:, LOSS])
            self.offset = np.where(is_certain, CERTAIN * ahead, 0.0)
            self.x = np.where(is_certain[:, None], 0.0, self.x)

    def split(self, params: Array) -> tuple[Array, Array, float]:
        """Abilities of the nodes, beta, and the tie parameter (minus infinity if there is none)."""
        size = self.design.size
        beta = params[size : size + self.x.shape[1]]
        return self.design.abilities(params[:size]), beta, float(params[-1]) if self.tie else -np.inf

    def abilities(self, params: Array) -> Array:
        """Abilities of the items; finite ones sum to 0."""
        ability = self.design.abilities(params[: self.design.size])[: self.table.n_items]
        return ability + self.infinite if self.prior is None else ability - ability.mean()

    def start(self) -> Array:
        """Starting values: abilities from shares of wins, beta 0, the tie parameter as if all abilities were equal."""
        params = np.zeros(self.n_params)
        params[: self.design.size] = self.design.start(self.table)
        if self.tie:
            ties = self.table.counts[:, TIE].sum()
            params[-1] = self.ties.start((ties + 0.5) / (self.table.counts.sum() + 1.5))
        return params

    def evaluate(self, params: Array) -> Point:
        """Compute the likelihood and its derivatives, with the penalty if there is one."""
        point = self.evaluate_unpenalised(params, self.table.counts)
        if self.prior is not None:
            self._add_prior(point, self.prior)
        if self.firth:
            self._penalise(point)
        return point

    def evaluate_unpenalised(self, params: Array, counts: Array) -> Point:
        """Compute the likelihood of these counts and its derivatives, without a penalty."""
        table = self.table
        ability, beta, tie = self.split(params)
        offset = self.contest(beta) if len(beta) else np.empty(0)
        if self.offset is not None:
            offset = offset + self.offset if len(beta) else self.offset
        n_pairs = len(table.first)
        variance, residual = np.empty(n_pairs), np.empty(n_pairs if len(beta) else 0)
        cross = np.empty(n_pairs if self.tie else 0)
        # The parts do not depend on the number of cores, so the sums are bit-identical on all machines.
        parts = max(1, min(PARTS, n_pairs // SMALLEST_PART))
        bounds = [n_pairs * part // parts for part in range(parts + 1)]
        node_scores, sums = np.zeros((parts, self.design.n_nodes)), np.empty((parts, 3))

        def evaluate(part: int) -> None:
            _native.evaluate_pairs(
                self.ties.kernel, table.first, table.second, offset, counts, ability, tie,
                bounds[part], bounds[part + 1], node_scores[part], residual, variance, cross, sums[part],
            )  # fmt: skip

        if parts == 1:
            evaluate(0)
        else:
            with ThreadPoolExecutor(parts) as pool:
                list(pool.map(evaluate, range(parts)))
        llf, score_tie, info_tie = map(float, sums.sum(axis=0))
        tie_score = [score_tie] * self.tie
        score = np.concatenate([self.design.gather(node_scores.sum(axis=0)), self._sums(residual), tie_score])
        information = self.extra_information(variance, cross, info_tie)
        return Point(params, llf, llf, score, variance, np.empty(0), cross, information)

    # Long sums are not left to BLAS, whose results depend on its number of threads.

    def contest(self, beta: Array) -> Array:
        """The part x'beta of each row's predictor."""
        return np.einsum("ij,j->i", self.x, beta)

    def _sums(self, weight: Array) -> Array:
        """Weighted sum of each column of x."""
        return np.einsum("ij,i->j", self.x, weight) if self.x.shape[1] else np.empty(0)

    def extra_information(self, variance: Array, cross: Array, info_tie: float) -> Array:
        """Information about beta and the tie parameter."""
        q = self.x.shape[1]
        out = np.empty((self.n_extra, self.n_extra))
        if q:
            products = np.zeros((q, q))
            _native.weighted_products(self.x, variance, products)
            out[:q, :q] = products
        if self.tie:
            out[:q, -1] = out[-1, :q] = self._sums(cross)
            out[-1, -1] = info_tie
        return out

    def _add_prior(self, point: Point, prior: Prior) -> None:
        n = self.table.n_items
        d = point.params[:n] - point.params[n]
        score = prior.score(d)
        point.value += prior.value(d)
        point.score[:n] += score
        point.score[n] -= score.sum()
        point.prior_variance = prior.variance(d)

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
        var_d, cov_d_tie = self.predictor_variances(point.cov)
        addition, leverage = np.empty((2, len(table.first)))
        for_tie = _native.firth_addition(
            table.n, self.probabilities(point.params), var_d, cov_d_tie, var_tie, 1.0 + self.tie, addition, leverage
        )
        point.score += np.concatenate(
            [self.design.gather(self.scatter(addition)), self._sums(addition), [for_tie] * self.tie]
        )
        point.slope = self.evaluate_unpenalised(point.params, table.counts * (1.0 + leverage)[:, None])

    def predictor(self, params: Array) -> Array:
        """The linear predictor d of each row of the table."""
        ability, beta, _ = self.split(params)
        d = ability[self.table.first] - ability[self.table.second] + self.contest(beta)
        return d if self.offset is None else d + self.offset

    def probabilities(self, params: Array) -> Array:
        """Probabilities of win, loss and tie of each row of the table."""
        return self.ties.probabilities(self.predictor(params), self.split(params)[2])

    def scatter(self, x: Array) -> Array:
        """Sum of x over the pairs of each node, with minus for pairs in which it is second."""
        out = np.zeros(self.design.n_nodes)
        _native.add_to_items(self.table.first, self.table.second, np.ascontiguousarray(x), True, out)
        return out

    def predictor_variances(self, cov: Array) -> tuple[Array, Array]:
        """Variance of each row's predictor, and its covariance with the tie parameter."""
        table = self.table
        return predictor_covariance(
            self.design.expand(cov), self.design.n_nodes, table.first, table.second, self.x, self.tie
        )

    def border(self, point: Point) -> Array:
        """Information between the design's parameters and the extra ones, one column for each extra parameter."""
        return self.design.gather(self.node_border(point.variance, point.cross))

    def node_border(self, variance: Array, cross: Array) -> Array:
        """Information between the abilities of the nodes and the extra parameters."""
        out = np.zeros((self.design.n_nodes, self.x.shape[1]))
        _native.add_weighted_rows(self.table.first, self.table.second, self.x, variance, out)
        return np.column_stack([out, self.scatter(cross)]) if self.tie else out

    def direction(self, point: Point) -> Array:
        """The Newton step."""
        if not np.isfinite(point.value):
            return np.full(self.n_params, np.nan)
        return self._step(point.slope or point, point.score)

    def curvature_solver(self, point: Point, tolerance: float) -> Solve:
        """A function that solves equations with the curvature of the penalised likelihood as matrix."""
        return self.solve(point.slope or point, tolerance)

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
        _, _, tie = self.split(point.params)
        d, n = self.predictor(point.params), table.n + 1.0
        p = self.ties.probabilities(d, tie)
        # Shares of wins and losses; a tie is half of each.
        seen = (table.counts[:, :2] + 0.5 * table.counts[:, 2:] + 0.5) / n[:, None]
        expected = p[:, :2] + 0.5 * p[:, 2:]
        own = self.ties.own_estimate(seen[:, 0], seen[:, 1], tie)
        # The difference of the smaller shares is more accurate.
        gap = np.where(own > 0.0, seen[:, 1] - expected[:, 1], expected[:, 0] - seen[:, 0])
        near = np.abs(d - own) < NEAR
        secant = n * np.where(near, self.ties.slope(p), gap / np.where(near, 1.0, d - own))
        info_tie = float(point.extra_information[-1, -1]) if self.tie else 0.0
        no_cross = np.zeros_like(point.cross)
        information = self.extra_information(secant, no_cross, info_tie)
        curvature = replace(point, variance=secant, cross=no_cross, extra_information=information)
        return self._step(curvature, point.score)

    def solve(self, point: Point, tolerance: float) -> Solve:
        """A function that solves equations with the information as matrix, with the Schur complement of the extras."""
        size = self.design.size
        inner = self.design.solver(point, tolerance)
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
        inverse, log_determinant = self.design.inverse(point)
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

    def reported(self, params: Array) -> Array:
        """Parameters without the ghost; abilities sum to 0."""
        if self.prior is None:
            return params
        return np.concatenate([self.abilities(params), params[self.design.size :]])

    def without_ghost(self, cov: Array) -> Array:
        """Covariance with the abilities of the items, which sum to 0, instead of the parameters with the ghost."""
        return cov if self.prior is None else drop_ghost(cov, self.table.n_items)

    def effective_rank(self, point: Point, cov: Array) -> float:
        """Effective number of parameters: trace of the covariance times the information without the prior."""
        if self.prior is None:
            return self.rank
        n = self.table.n_items
        diagonal = np.diagonal(cov)
        return self.rank + 1 - float(point.prior_variance @ (diagonal[:n] + cov[n, n] - 2.0 * cov[n, :n]))

    def item_covariance(self, cov: Array) -> Array:
        """Covariance of the items' abilities, and of the extra parameters behind them, from that of the parameters."""
        return self.without_infinite(self.design.expand(cov))

    def without_infinite(self, cov: Array) -> Array:
        """Covariance of abilities in which those of infinite abilities are missing."""
        is_infinite = np.flatnonzero(self.infinite)
        cov[is_infinite] = np.nan
        cov[:, is_infinite] = np.nan
        return cov

    def length(self, step: Array) -> float:
        """Largest change of a logit that a step can cause."""
        ability, beta, tie = self.split(step)
        contest = float(np.abs(self.contest(beta)).max()) if len(beta) else 0.0
        return float(np.ptp(ability) + contest + (abs(tie) if self.tie else 0.0))

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


def drop_ghost(cov: Array, n: int) -> Array:
    """Covariance without the ghost, which has the index `n` behind the `n` items; the items' abilities sum to 0."""
    cov = np.delete(np.delete(cov, n, 0), n, 1)
    for _ in range(2):  # rows, then columns
        cov[:n] -= cov[:n].mean(axis=0)
        cov = cov.T
    return cov


def predictor_covariance(
    cov: Array, n: int, first: NDArray[np.integer], second: NDArray[np.integer], x: Array, tie: bool
) -> tuple[Array, Array]:
    """Variances of d = ability[first] - ability[second] + x'beta, and covariances of d with the tie parameter.

    `cov` is the covariance of `n` abilities, of beta and, if there is one (`tie`), of the tie parameter.
    """
    q = x.shape[1]
    beta, diagonal = cov[n : n + q], np.diagonal(cov)
    var_d = diagonal[first] + diagonal[second] - 2.0 * cov[first, second]
    if q:
        var_d += np.einsum("ij,jk,ik->i", x, beta[:, n : n + q], x)
        var_d += 2.0 * (x * (beta[:, first] - beta[:, second]).T).sum(axis=1)
    if not tie:
        return var_d, np.zeros(len(x))
    return var_d, cov[-1, first] - cov[-1, second] + x @ beta[:, -1]


def make_likelihood(spec: Spec, table: Table) -> Likelihood:
    """The likelihood of a specification."""
    design = Items(table, spec.prior) if spec.z is None else Covariates(table, spec.z, spec.infinite)
    return Likelihood(
        table, design, spec.tie_model, order=spec.order, firth=spec.firth, prior=spec.prior, infinite=spec.infinite
    )


def outcome_scores(likelihood: Likelihood, point: Point) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Derivatives of one comparison's log-likelihood by d and by the tie parameter: two arrays (pairs, outcomes)."""
    return likelihood.ties.scores(likelihood.probabilities(point.params), likelihood.split(point.params)[2])
