"""The likelihood of the cumulative logit, with or without Jeffreys' penalty.

With the cuts u_k = zeta_k - x'beta, k = 1, ..., m, and F the logistic function, P(Y <= k) = F(u_k). The probability of
the class between the cuts a < b is F(b) (1 - F(a)) (1 - exp(a - b)), and b - a is a difference of thresholds.
"""

from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag
from scipy.linalg.lapack import dpotrf
from scipy.sparse import csr_array, hstack, vstack
from scipy.special import expit

from pwcstats._arrays import Array
from pwcstats._kernels import newton
from pwcstats.logit.centred import CentredLikelihood, centred, rows_that_count
from pwcstats.logit.design import Design
from pwcstats.logit.evaluation import MOST_EXACT, SMALL_LEVERAGE, inverse_root
from pwcstats.logit.maximum import EXTREME, MAXITER, Point

# Step of the differences of scores, on the scale of the linear predictors, and its largest share of a gap between
# thresholds.
STEP, SHARE_OF_GAP = 1e-4, 0.1
# Distances between thresholds count this much more than the thresholds, in the search for a start.
STIFF = 1e4


class OrderedSample(Design):
    """Rows of a design, sorted by class, with weights and offsets (None if all are 0); `n_cuts` is m.

    Attributes
    ----------
    order : ndarray
        Indices of the sorted rows among the given ones.
    below, above : slice
        Rows that have an upper cut, and rows that have a lower cut.
    upper, lower : ndarray
        Weights of log F(b) for the rows with an upper cut, and of log(1 - F(a)) for those with a lower cut.
    between : ndarray
        Weights of log(1 - exp(a - b)) for each class but the lowest and the highest.
    """

    def __init__(self, x: Array, code: NDArray[np.int64], weight: Array, offset: Array | None, n_cuts: int) -> None:
        self.order = np.argsort(code, kind="stable")
        super().__init__(x[self.order])
        self.n_cuts, self.weight = n_cuts, weight[self.order]
        self.offset = None if offset is None else offset[self.order]
        self.counts = np.bincount(code, minlength=n_cuts + 1)
        self.ends = np.concatenate([[0], np.cumsum(self.counts)])
        self.below, self.above = slice(0, self.ends[-2]), slice(self.ends[1], self.ends[-1])
        self.upper, self.lower = self.weight[self.below], self.weight[self.above]
        self.between = np.add.reduceat(self.weight, self.ends[:-1])[1:-1]
        n_params = x.shape[1] + n_cuts
        # Whether differences of scores take little time.
        self.is_small = len(x) * n_cuts * n_params**2 <= MOST_EXACT

    def points(self, params: Array, firth: bool, most_leverage: float = np.inf) -> "OrderedPoints":
        """The likelihood at some parameters, one row each; with `firth`, it is penalised."""
        return OrderedPoints(self, params, firth, most_leverage)

    def sides(self, params: Array) -> tuple[Array, Array]:
        """Upper and lower cuts of the rows that have one, for each row of parameters."""
        p = self.x.shape[1]
        eta = params[:, :p] @ self.x.T
        if self.offset is not None:
            eta += self.offset
        upper = np.repeat(params[:, p:], self.counts[:-1], axis=1) - eta[:, self.below]
        lower = np.repeat(params[:, p:], self.counts[1:], axis=1) - eta[:, self.above]
        return upper, lower

    def by_class(self, values: Array, first: int) -> Array:
        """Sums of values of rows over the classes; `first` is the class of the first row."""
        starts = self.ends[first : first + self.n_cuts] - self.ends[first]
        return np.add.reduceat(values, starts, axis=-1)

    def has_order(self, params: Array) -> NDArray[np.bool_]:
        """Whether the thresholds of each class that counts are in order."""
        gaps = np.diff(params[:, self.x.shape[1] :], axis=1)
        return np.asarray((gaps[:, self.between > 0.0] > 0.0).all(axis=1))


class OrderedPoints:
    """The likelihood at some parameters, one row each: slopes, then thresholds.

    The attributes are those of `Points`. Without a penalty, `information` is the observed one, otherwise the expected
    one, which is that of the penalty.
    """

    def __init__(self, sample: OrderedSample, params: Array, firth: bool, most_leverage: float) -> None:
        self.sample, self.params, self.firth, self._most_leverage = sample, params, firth, most_leverage
        self._p = sample.x.shape[1]
        self.is_exact = np.full(len(params), not firth)
        upper, lower = sample.sides(params)
        gaps = np.where(sample.between > 0.0, np.diff(params[:, self._p :], axis=1), np.inf)
        llf = _log_expit(upper) @ sample.upper + _log_expit(-lower) @ sample.lower
        llf += np.log1p(-np.exp(-gaps)) @ sample.between
        self.llf = self.value = np.where(sample.has_order(params), llf, np.nan)
        self._above_upper, self._below_lower = expit(-upper), expit(lower)
        # Derivatives of log(1 - exp(-gap)).
        self._pull = 1.0 / np.expm1(gaps)
        self._bend = self._pull * (1.0 + self._pull)
        self.information = self._expected if firth else self._observed
        if firth:
            found = [inverse_root(one) for one in self.information]
            self._root = np.array([root for _, root in found])
            self.value = self.llf + 0.5 * np.array([log_determinant for log_determinant, _ in found])

    def _assemble(self, cuts: Array, total: Array, diagonal: Array, gaps: Array) -> Array:
        """Information of rows whose linear predictor has weights `total`.

        `cuts` has the products of the predictor and the cuts, cuts by columns; `diagonal` has the weights of the cuts,
        and `gaps` those of the differences of neighbouring cuts.
        """
        out = np.empty((len(total), self.params.shape[1], self.params.shape[1]))
        p, m = self._p, self.sample.n_cuts
        out[:, :p, :p] = self.sample.gram(total)
        out[:, p:, :p], out[:, :p, p:] = -cuts, -cuts.swapaxes(1, 2)
        thresholds = np.zeros((len(total), m, m))
        k = np.arange(m)
        thresholds[:, k, k] = diagonal
        thresholds[:, k[1:], k[1:]] += gaps
        thresholds[:, k[:-1], k[:-1]] += gaps
        thresholds[:, k[1:], k[:-1]] = thresholds[:, k[:-1], k[1:]] = -gaps
        out[:, p:, p:] = thresholds
        return out

    @cached_property
    def _observed(self) -> Array:
        sample = self.sample
        up = sample.upper * self._above_upper * (1.0 - self._above_upper)
        low = sample.lower * self._below_lower * (1.0 - self._below_lower)
        total = np.zeros((len(self.params), len(sample.x)))
        total[:, sample.below] += up
        total[:, sample.above] += low
        columns = sample.x.T
        cuts = np.array([
            (sample.by_class(a * columns[:, sample.below], 0) + sample.by_class(b * columns[:, sample.above], 1)).T
            for a, b in zip(up, low, strict=True)
        ])  # fmt: skip
        diagonal = sample.by_class(up, 0) + sample.by_class(low, 1)
        return self._assemble(cuts, total, diagonal, sample.between * self._bend)

    @cached_property
    def _cuts(self) -> tuple[Array, Array, Array]:
        """F and 1 - F of all cuts of all rows, and the probabilities of the classes, each with rows last."""
        sample, p = self.sample, self._p
        eta = self.params[:, :p] @ sample.x.T
        if sample.offset is not None:
            eta += sample.offset
        u = self.params[:, p:, None] - eta[:, None]
        below, above = expit(u), expit(-u)
        gap = -np.expm1(-np.diff(self.params[:, p:], axis=1))[:, :, None]
        middle = below[:, 1:] * above[:, :-1] * gap
        return below, above, np.concatenate([below[:, :1], middle, above[:, -1:]], axis=1)

    @cached_property
    def _weights(self) -> tuple[Array, Array]:
        """Expected second derivatives: weights s of the cuts, and c of the differences of neighbouring cuts.

        With f = F (1 - F) and the probabilities P of the classes, s_k = f_k (P_k + P_k+1), and c_k is P_k times minus
        the second derivative of log(1 - exp(-gap)).
        """
        below, above, proba = self._cuts
        return below * above * (proba[:, :-1] + proba[:, 1:]), proba[:, 1:-1] * self._bend[:, :, None]

    @cached_property
    def _expected(self) -> Array:
        s, c = self._weights
        s = s * self.sample.weight
        cuts = s @ self.sample.x
        return self._assemble(cuts, s.sum(axis=1), s.sum(axis=2), c @ self.sample.weight)

    @cached_property
    def _variances(self) -> tuple[Array, Array]:
        """Variances of the cuts of each row, and of the differences of neighbouring thresholds."""
        cov, p = self._root.swapaxes(1, 2) @ self._root, self._p
        own = np.diagonal(cov[:, p:, p:], axis1=1, axis2=2)
        common = self.sample.forms(cov[:, :p, :p])
        cuts = own[:, :, None] - 2.0 * cov[:, p:, :p] @ self.sample.x.T + common[:, None]
        covariance = np.diagonal(cov[:, p + 1 :, p:-1], axis1=1, axis2=2)
        return cuts, own[:, 1:] + own[:, :-1] - 2.0 * covariance

    @cached_property
    def _penalty_slope(self) -> Array:
        """Derivatives of half the log determinant of the information by the cuts of each row.

        The trace of the covariance and the derivative of the information is the sum of the derivatives of s times the
        variances of the cuts, and of c times those of the differences.
        """
        (below, above, _), (s, c), (v, d) = self._cuts, self._weights, self._variances
        f = below * above
        out = s * (above - below) * v
        out[:, 1:] += f[:, 1:] * f[:, :-1] * v[:, :-1]
        out[:, :-1] -= f[:, :-1] * f[:, 1:] * v[:, 1:]
        pull = self._pull[:, :, None]
        moved = c * d[:, :, None]
        out[:, 1:] -= moved * (below[:, 1:] + pull)
        out[:, :-1] += moved * (above[:, :-1] + pull)
        return 0.5 * self.sample.weight * out

    def by_cut(self) -> Array:
        """Derivatives of the log-likelihood by the cuts of each row, cuts x rows, at one row of parameters."""
        sample, m = self.sample, self.sample.n_cuts
        out = np.zeros((m, len(sample.x)))
        code = np.repeat(np.arange(m + 1), sample.counts)
        pull = np.concatenate([[0.0], self._pull[0], [0.0]])[code]
        below, above = np.arange(len(code))[sample.below], np.arange(len(code))[sample.above]
        out[code[below], below] = self._above_upper[0] + pull[below]
        out[code[above] - 1, above] = -self._below_lower[0] - pull[above]
        return out * sample.weight

    @cached_property
    def score(self) -> Array:
        """Derivatives of the value."""
        sample = self.sample
        up, low = sample.upper * self._above_upper, sample.lower * self._below_lower
        residual = np.zeros((len(self.params), len(sample.x)))
        residual[:, sample.below] -= up
        residual[:, sample.above] += low
        thresholds = sample.by_class(up, 0) - sample.by_class(low, 1)
        pull = sample.between * self._pull
        thresholds[:, 1:] += pull
        thresholds[:, :-1] -= pull
        if self.firth:
            thresholds += self._penalty_slope.sum(axis=2)
            residual -= self._penalty_slope.sum(axis=1)
        return np.concatenate([residual @ sample.x, thresholds], axis=1)

    @cached_property
    def slope(self) -> Array:
        """Minus the second derivatives of the value; those of the penalty are neglected unless `is_exact`."""
        if not self.firth:
            return self.information
        if not (self.sample.is_small and SMALL_LEVERAGE < self.leverage.max() <= self._most_leverage):
            return self._observed
        exact = self._differences()
        self.is_exact = np.array([dpotrf(one.T)[1] == 0 for one in exact])
        return np.where(self.is_exact[:, None, None], exact, self._observed)

    def _differences(self) -> Array:
        """Central differences of the score."""
        n_points, q = self.params.shape
        gaps = np.diff(self.params[:, self._p :], axis=1).min(axis=1, initial=np.inf)
        step = np.minimum(STEP, SHARE_OF_GAP * gaps)[:, None, None]
        moved = np.concatenate([self.params[:, None] + step * np.eye(q), self.params[:, None] - step * np.eye(q)])
        scores = OrderedPoints(self.sample, moved.reshape(-1, q), True, 0.0).score.reshape(2, n_points, q, q)
        slope = (scores[1] - scores[0]) / (2.0 * step)
        return 0.5 * (slope + slope.swapaxes(1, 2))

    @cached_property
    def leverage(self) -> Array:
        """The largest leverage of a row, 0 without a penalty."""
        if not self.firth:
            return np.zeros(len(self.params))
        (s, c), (v, d) = self._weights, self._variances
        return (self.sample.weight * ((s * v).sum(axis=1) + (c * d[:, :, None]).sum(axis=1))).max(axis=1)

    def without_rows(self) -> "OrderedPoints":
        """A copy without derivatives, and without arrays of the length of the data."""
        kept = copy(self)
        keep = ("params", "firth", "is_exact", "llf", "value", "information", "leverage")
        kept.__dict__ = {name: what for name, what in vars(self).items() if name in keep}
        return kept


def _log_expit(z: Array) -> Array:
    return np.minimum(z, 0.0) - np.log1p(np.exp(-np.abs(z)))


class OrderedLikelihood(CentredLikelihood):
    """Likelihood of ordered classes.

    The coefficients are slopes, then thresholds. The parameters are those of centred, orthogonal columns. `names`
    returns the names of the columns.
    """

    sample: OrderedSample

    def __init__(
        self,
        x: Array,
        code: NDArray[np.int64],
        weight: Array,
        offset: Array | None,
        n_classes: int,
        firth: bool,
        names: Callable[[], Sequence[str]],
    ) -> None:
        x, code, weight, offset = rows_that_count(x, code, weight, offset)
        m = n_classes - 1
        root, self.r, mean = centred(x, names)
        self.sample = OrderedSample(root, code, weight, offset, m)
        self.firth = firth
        wide = block_diag(self.r, np.eye(m))
        wide[len(self.r) :, : len(self.r)] = -mean
        self._set_coordinates(wide)
        self.n_constraints = len(self.sample.upper) + len(self.sample.lower)
        self.scale = np.concatenate([np.abs(root).max(axis=0, initial=0.0), np.ones(m)])
        self._noise = 1e-16 * float(weight.sum())

    def constraints(self) -> csr_array:
        """Constraints on parameters, one row each: all values are at least 0 in a direction of separation."""
        sample = self.sample
        m = sample.n_cuts
        upper = csr_array(np.repeat(np.eye(m), sample.counts[:-1], axis=0))
        lower = csr_array(np.repeat(np.eye(m), sample.counts[1:], axis=0))
        x = csr_array(sample.x)
        return csr_array(vstack([hstack([-x[sample.below], upper]), hstack([x[sample.above], -lower])]))

    def origin(self, basis: Array | None, fixed: Array) -> Array:
        """Parameters that, added to fixed ones, are near those of no effects, as far as the offset and `basis` allow.

        Distances between thresholds are kept before everything else, so that thresholds stay in order.
        """
        sample = self.sample
        n, m = len(sample.x), sample.n_cuts
        share = np.cumsum(np.add.reduceat(sample.weight, sample.ends[:-1]))[:-1] / sample.weight.sum()
        offset = np.zeros(n) if sample.offset is None else sample.offset
        gram = sample.x.T @ sample.x
        slopes = -np.linalg.solve(gram, sample.x.T @ offset)
        wanted = np.concatenate([slopes, np.log(share / (1.0 - share)) + offset.mean()]) - fixed
        if basis is None:
            return wanted
        stiff = np.diff(np.eye(m), axis=0)
        metric = block_diag(m * gram, n * (np.eye(m) + STIFF * stiff.T @ stiff))
        return np.asarray(basis @ np.linalg.solve(basis.T @ metric @ basis, basis.T @ metric @ wanted))

    def ascend(self, start: Array, basis: Array | None = None, maxiter: int = MAXITER) -> newton.Ascent[Point]:
        """Ascend by Newton steps from some parameters; a start whose thresholds are not in order is moved."""
        if not self.sample.has_order(start[None])[0]:
            move = self.origin(basis, start)
            shares = 0.5 ** np.arange(8.0, -1.0, -1.0)
            tried = start + shares[:, None] * move
            start = tried[np.argmax(self.sample.has_order(tried))]
        return super().ascend(start, basis, maxiter)

    def is_extreme(self, point: Point) -> bool:
        """Whether a side of a row is almost certain."""
        upper, lower = self.sample.sides(point.params[None])
        return bool(max(upper.max(), -lower.min()) > -np.log(EXTREME))

    def limit(self, rest: NDArray[np.bool_]) -> "OrderedLikelihood":
        """The limit if all constraints but some, the sides of rows, become certain."""
        inner, sample = copy(self), copy(self.sample)
        upper, lower = np.split(rest, [len(sample.upper)])
        sample.upper, sample.lower = sample.upper * upper, sample.lower * lower
        # A class whose thresholds move apart has a certain side in each row.
        width = np.add.reduceat(np.concatenate([upper, np.zeros(sample.counts[-1])]), sample.ends[:-1])[1:-1]
        depth = np.add.reduceat(np.concatenate([np.zeros(sample.counts[0]), lower]), sample.ends[:-1])[1:-1]
        sample.between = sample.between * (width + depth == 2 * sample.counts[1:-1])
        inner.sample = sample
        return inner

    def row_scores(self, point: Point) -> Array:
        """What each row of positive weight adds to the score with respect to the coefficients; one row each."""
        sample = self.sample
        points = sample.points(point.params[None], self.firth)
        by_cut = points.by_cut()
        if self.firth:
            by_cut += points._penalty_slope[0]
        scores = np.empty((len(sample.x), self.n_params))
        scores[sample.order] = np.column_stack([-by_cut.sum(axis=0)[:, None] * sample.x, by_cut.T])
        return scores @ self._wide

    def parallel_score(self, beta: Array, free: NDArray[np.bool_]) -> float:
        """Score statistic for slopes of the `free` columns that differ between the cuts, with expected information.

        The score and the information are those of a model with separate slopes z'gamma_k at each cut, z = (1, -x),
        taken at parallel slopes. Its restrictions are ``gamma = design @ theta``. Scores of the parallel model, which
        are not 0 if there is a penalty, are taken off.
        """
        sample = self.sample
        (n, p), m = sample.x.shape, sample.n_cuts
        points = sample.points(self.params(beta)[None], True)
        z = np.column_stack([np.ones(n), -sample.x])
        score = (points.by_cut() @ z).ravel()
        s, c = (part[0] * sample.weight for part in points._weights)
        blocks = np.zeros((m, p + 1, m, p + 1))
        for k in range(m):
            own = s[k] + (c[k - 1] if k else 0.0) + (c[k] if k < m - 1 else 0.0)
            blocks[k, :, k] = (z.T * own) @ z
            if k < m - 1:
                blocks[k, :, k + 1] = blocks[k + 1, :, k] = -(z.T * c[k]) @ z
        information = blocks.reshape(m * (p + 1), -1)
        identity = np.eye(p + 1)
        thresholds = np.kron(np.eye(m), identity[:, :1])
        common = np.tile(identity[:, 1:], (m, 1))
        # Columns of x are combinations of the orthogonal columns.
        separate = np.kron(np.eye(m)[:, 1:], identity[:, 1:] @ self.r[:, free])

        def form(design: Array) -> float:
            u = design.T @ score
            return float(u @ np.linalg.solve(design.T @ information @ design, u))

        null = np.column_stack([common, thresholds])
        return max(form(np.column_stack([null, separate])) - form(null), 0.0)
