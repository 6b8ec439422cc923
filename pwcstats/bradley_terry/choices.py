"""The likelihood of rankings: each stage of a ranking is a choice from the items that are left."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.special import comb

from pwcstats import _native
from pwcstats._arrays import Array
from pwcstats._kernels import newton
from pwcstats._kernels.blas import one_thread
from pwcstats._kernels.laplacian import NotDefiniteError, inverse_and_determinant
from pwcstats.bradley_terry.likelihood import FIRTH_STEP, NEWTON_STEP, STALLED_STEP, Solve, drop_ghost
from pwcstats.bradley_terry.orderings import Orderings
from pwcstats.errors import InputError, arg

# Sets are evaluated in at most this many parallel parts, each of at least this many choices. With many parameters,
# the information of each part would take much memory.
PARTS, SMALLEST_PART, MOST_PARAMS_IN_PARTS = 4, 2**17, 1_000
# A factorisation of this many parameters takes a tenth of a second on one thread, and much longer on several threads
# of a busy machine.
MOST_ON_ONE_THREAD = 2_000
# A choice takes about 10 ns in each step.
MOST_CHOICES = 10**8


@dataclass(frozen=True)
class Choices:
    """Distinct sets of items that choices were made from, the choices, and the sums of their sufficient statistics.

    The items of set s are ``item[start[s]:start[s + 1]]``, sorted; `weight` is the number of choices from each set.
    `order` holds the numbers of items that were tied, each with a parameter. `chosen` is parallel to `item`: the sum
    over the choices from the set of 1 over the number of chosen items, if the item is one of them. `tie_chosen` is the
    number of ties of each order, one row for each set.

    The other arrays have an entry for each choice: its ranking, its set, and where the chosen items are in the
    rankings' `item`.
    """

    n_items: int
    start: NDArray[np.int64]
    item: NDArray[np.int32]
    weight: Array
    order: NDArray[np.int32]
    chosen: Array
    tie_chosen: Array
    ranking: NDArray[np.int64]
    chosen_from: NDArray[np.int64]
    first: NDArray[np.int64]
    n_chosen: NDArray[np.int64]

    @property
    def size(self) -> NDArray[np.int64]:
        """Number of items of each set."""
        return np.diff(self.start)

    @property
    def n_possible(self) -> float:
        """Number of possible choices from all distinct sets."""
        return count_possible(self.size, self.order)

    def saturated(self, rankings: Orderings) -> float:
        """Log-likelihood of a model with a probability for each choice from each set."""
        weight = rankings.weight[self.ranking]
        single = self.n_chosen == 1
        items = self.chosen_from[single] * self.n_items + rankings.item[self.first[single]]
        cell = np.unique(items, return_inverse=True)[1]
        counts, sets = np.bincount(cell, weight[single]), np.zeros(cell.max(initial=-1) + 1, np.int64)
        sets[cell] = self.chosen_from[single]
        tied: dict[tuple[int, frozenset[int]], float] = {}
        for k in np.flatnonzero(~single):
            chosen = rankings.item[self.first[k] : self.first[k] + self.n_chosen[k]]
            key = int(self.chosen_from[k]), frozenset(chosen.tolist())
            tied[key] = tied.get(key, 0.0) + weight[k]
        counts = np.concatenate([counts, list(tied.values())])
        sets = np.concatenate([sets, [s for s, _ in tied]]).astype(np.int64)
        return float(counts @ np.log(counts / self.weight[sets]))


def find_choices(rankings: Orderings) -> Choices:
    """Split rankings into choices, and find the distinct sets that these were made from."""
    n_items = len(rankings.items)
    # A tier begins where the tier number changes or a ranking begins.
    begins = np.diff(rankings.tier, prepend=-1) != 0
    begins[rankings.start[:-1]] = True
    first = np.flatnonzero(begins)
    n_chosen = np.diff(first, append=len(rankings.item))
    ranking = np.repeat(np.arange(rankings.n), np.diff(rankings.start))[first]
    before = first - rankings.start[ranking]
    size = n_items - before if rankings.is_open else rankings.start[ranking + 1] - first
    real = size > 1
    first, n_chosen, ranking, size = first[real], n_chosen[real], ranking[real], size[real]
    order = np.unique(n_chosen[n_chosen > 1]).astype(np.int32)
    chosen_from, sample = _distinct(rankings, first, ranking, n_items)
    _check_size(size[sample], order)
    start, item = _members(rankings, first[sample], ranking[sample], n_items)
    weight = rankings.weight[ranking]
    n_sets = len(sample)
    # Where the chosen items are in their sets.
    keys = np.repeat(np.arange(n_sets), np.diff(start)) * n_items + item
    wanted = np.repeat(chosen_from, n_chosen) * n_items + rankings.item[ranges(first, n_chosen)]
    chosen = _sums(np.searchsorted(keys, wanted), np.repeat(weight / n_chosen, n_chosen), len(item))
    tied = n_chosen > 1
    cell = chosen_from[tied] * len(order) + np.searchsorted(order, n_chosen[tied])
    tie_chosen = _sums(cell, weight[tied], n_sets * len(order)).reshape(n_sets, len(order))
    by_set = _sums(chosen_from, weight, n_sets)
    return Choices(n_items, start, item, by_set, order, chosen, tie_chosen, ranking, chosen_from, first, n_chosen)


def _sums(index: NDArray[np.int64], weight: Array, n: int) -> Array:
    return np.bincount(index, weight, n).astype(np.float64, copy=False)


def count_possible(size: NDArray[np.int64], order: NDArray[Any]) -> float:
    """Number of choices of one item, or of tied items of these orders, from sets of these sizes."""
    return float(sum(comb(size, int(k)).sum() for k in {1, *order.tolist()}))


def _check_size(size: NDArray[np.int64], order: NDArray[np.int32]) -> None:
    """Refuse data with so many possible choices that these cannot be enumerated."""
    n_possible = count_possible(size, order)
    if n_possible <= MOST_CHOICES:
        return
    number = f"{n_possible:.1e}" if np.isfinite(n_possible) else "more than 1e308"
    if len(order):
        raise InputError(
            f"ties of up to {order.max()} of {size.max()} items make {number} different choices possible (at most "
            f"{MOST_CHOICES:.0e}); break long ties. If the tied items were not ranked, leave them out and set "
            f"{arg('unranked', 'last')}."
        )
    raise InputError(
        f"the rankings have {len(size)} different sets of items that are left, with {number} possible choices (at most "
        f"{MOST_CHOICES:.0e}); shorten the rankings."
    )


def ranges(first: NDArray[np.int64], length: NDArray[np.int64]) -> NDArray[np.int64]:
    """The indices first[0], ..., first[0] + length[0] - 1, first[1], ..."""
    ends = np.cumsum(length)
    return np.arange(length.sum()) + np.repeat(first - ends + length, length)


def _distinct(
    rankings: Orderings, first: NDArray[np.int64], ranking: NDArray[np.int64], n_items: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number of each choice's set among the distinct sets, and a choice from each of them.

    Sets are equal if the sums of two random 64-bit numbers of each item are.
    """
    keys = np.random.default_rng(0).integers(0, 2**64, (2, n_items), dtype=np.uint64)
    numbers = []
    for key in keys:
        sums = np.concatenate([[np.uint64(0)], np.cumsum(key[rankings.item], dtype=np.uint64)])
        before = sums[first] - sums[rankings.start[ranking]]
        behind = (
            key.sum(dtype=np.uint64) - before if rankings.is_open else sums[rankings.start[ranking + 1]] - sums[first]
        )
        numbers.append(np.unique(behind, return_inverse=True)[1].astype(np.int64))
    _, sample, number = np.unique(
        numbers[0] * (numbers[1].max() + 1) + numbers[1], return_index=True, return_inverse=True
    )
    return number, sample


def _members(
    rankings: Orderings, first: NDArray[np.int64], ranking: NDArray[np.int64], n_items: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The items of the sets from which these choices were made, sorted."""
    begin, end = rankings.start[ranking], rankings.start[ranking + 1]
    size = n_items - (first - begin) if rankings.is_open else end - first
    start = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    if not rankings.is_open:
        keys = np.repeat(np.arange(len(size)) * n_items, size) + rankings.item[ranges(first, size)]
        keys.sort()
        return start, (keys % n_items).astype(np.int32)
    item = np.empty(start[-1], np.int32)
    for k in range(len(first)):
        left = np.ones(n_items, np.bool_)
        left[rankings.item[begin[k] : first[k]]] = False
        item[start[k] : start[k + 1]] = np.flatnonzero(left)
    return start, item


@dataclass(frozen=True)
class Penalty:
    """What is added to the log-likelihood.

    With `firth`, half the log determinant of the information. With `precision`, a normal prior of the abilities. With
    `pseudo`, every item wins and loses this many comparisons with a further item, the ghost.
    """

    firth: bool = False
    precision: float = 0.0
    pseudo: float = 0.0


@dataclass
class RankingPoint:
    """The likelihood at given parameters; `value` is maximised, and `llf` is the log-likelihood without penalty.

    `mean` and `tie_mean` are the expected statistics of a choice from each set. With Firth's penalty, `cov` is the
    covariance, and `leverage` that of each set divided by its weight.
    """

    params: Array
    value: float
    llf: float
    score: Array
    mean: Array
    tie_mean: Array
    cov: Array | None = None
    leverage: Array | None = None


class RankingLikelihood:
    """Likelihood of Plackett and Luce with ties of Davidson and Luce.

    Parameters are the abilities of the nodes, which are the items and the ghost if there is one, and log delta of each
    order of ties. The abilities sum to 0.
    """

    def __init__(self, choices: Choices, penalty: Penalty) -> None:
        self.choices, self.penalty = choices, penalty
        ghost = penalty.pseudo > 0.0
        # Number of abilities that are reported, which do not include the ghost.
        self.n_reported = choices.n_items
        self.n_nodes = choices.n_items + ghost
        self.n_extra = len(choices.order)
        self.n_params = self.n_nodes + self.n_extra
        self.rank = self.n_reported - 1 + self.n_extra
        self._start, self._item, self._weight = choices.start, choices.item, choices.weight
        self._chosen, self._tie_chosen = choices.chosen, choices.tie_chosen
        self._parts = self._split_sets()
        if ghost:
            self._add_ghost(penalty.pseudo)

    def _split_sets(self) -> list[tuple[int, int]]:
        """Sets of each part. Parts do not depend on the number of cores, so sums are bit-identical on all machines."""
        wanted = min(PARTS, int(self.choices.n_possible) // SMALLEST_PART)
        parts = 1 if self.n_params > MOST_PARAMS_IN_PARTS else max(1, wanted)
        # All parts have about the same number of items.
        cuts = np.searchsorted(self._start, self._start[-1] * np.arange(parts + 1) // parts)
        return [(int(begin), int(end)) for begin, end in pairwise(cuts)]

    def _add_ghost(self, pseudo: float) -> None:
        """Add the pairs of each item and the ghost, as a part of their own."""
        n, n_sets = self.n_reported, len(self._weight)
        pairs = np.column_stack([np.arange(n), np.full(n, n)]).astype(np.int32)
        self._start = np.concatenate([self._start, self._start[-1] + 2 * np.arange(1, n + 1)])
        self._item = np.concatenate([self._item, pairs.ravel()])
        self._weight = np.concatenate([self._weight, np.full(n, 2.0 * pseudo)])
        self._chosen = np.concatenate([self._chosen, np.full(2 * n, pseudo)])
        self._tie_chosen = np.concatenate([self._tie_chosen, np.zeros((n, self.n_extra))])
        self._parts.append((n_sets, n_sets + n))

    def _in_parts(
        self, kernel: Callable[..., Any], params: Array, weight: Array, arrays: Callable[[int], tuple[Array, ...]]
    ) -> list[Any]:
        """Call a kernel for all parts, in threads; `arrays` gives its further arguments for a part."""
        ability, log_delta = self.split(np.ascontiguousarray(params))

        def run(part: int) -> Any:
            begin, end = self._parts[part]
            return kernel(
                self._start, self._item, weight, ability, self.choices.order, log_delta, begin, end, *arrays(part)
            )

        if len(self._parts) <= 2:
            return list(map(run, range(len(self._parts))))
        with ThreadPoolExecutor(len(self._parts)) as pool:
            return list(pool.map(run, range(len(self._parts))))

    # Parameters

    def split(self, params: Array) -> tuple[Array, Array]:
        """Abilities of the nodes, and log deltas."""
        return params[: self.n_nodes], params[self.n_nodes :]

    def abilities(self, params: Array) -> Array:
        """Abilities of the items, which sum to 0."""
        ability = params[: self.n_reported]
        return ability - ability.mean()

    def reported(self, params: Array) -> Array:
        """Parameters without the ghost; abilities sum to 0."""
        return np.concatenate([self.abilities(params), params[self.n_nodes :]])

    def without_ghost(self, cov: Array) -> Array:
        """Covariance with the abilities of the items, which sum to 0, instead of the parameters with the ghost."""
        return drop_ghost(cov, self.n_reported) if self.penalty.pseudo else cov

    def item_covariance(self, cov: Array) -> Array:
        """Covariance of the items' abilities, and of the extra parameters behind them."""
        return cov

    def first_places(self, params: Array, items: NDArray[np.int32]) -> tuple[Array, Array]:
        """Probability of each item of a set to be chosen alone, and the expected statistics of a choice from it.

        The items must ascend; the statistics are in the order of the reported parameters.
        """
        ability, log_delta = self.split(np.ascontiguousarray(params))
        size, n_extra = len(items), self.n_extra
        mean, tie_mean = np.empty(size), np.empty((1, n_extra))
        log_normaliser = -_native.evaluate_choices(
            np.array([0, size]), items, np.ones(1), ability, self.choices.order, log_delta, 0, 1,
            np.zeros(size), np.zeros((1, n_extra)), mean, tie_mean, np.zeros(self.n_params),
        )  # fmt: skip
        statistics = np.zeros(self.n_reported + n_extra)
        statistics[items], statistics[self.n_reported :] = mean, tie_mean[0]
        return np.exp(ability[items] - ability[items].max() - log_normaliser), statistics

    # Value and derivatives

    def start(self) -> Array:
        """Starting values: one step of iterative scaling from equal abilities, with half a choice added."""
        expected = self._expected(self._without_penalty(np.zeros(self.n_params)))
        observed = np.concatenate([np.bincount(self._item, self._chosen), self._tie_chosen.sum(axis=0)])
        ability, log_delta = self.split(np.log(observed + 0.5) - np.log(expected + 0.5))
        # Ties are measured against choices of one item.
        n, n_ties = self._weight.sum(), observed[self.n_nodes :].sum()
        single = np.log(n - n_ties + 0.5) - np.log(n - expected[self.n_nodes :].sum() + 0.5)
        return np.concatenate([ability - ability.mean(), log_delta - single])

    def _expected(self, point: RankingPoint) -> Array:
        """Expected sum of the statistics of all choices."""
        items = np.bincount(self._item, np.repeat(self._weight, np.diff(self._start)) * point.mean, self.n_nodes)
        return np.concatenate([items, self._weight @ point.tie_mean])

    def _without_penalty(self, params: Array) -> RankingPoint:
        """The likelihood without Firth's penalty and the normal prior; `value` includes the ghost's comparisons."""
        mean, tie_mean = np.empty(len(self._item)), np.empty((len(self._weight), self.n_extra))
        score = np.zeros((len(self._parts), self.n_params))
        values = self._in_parts(
            _native.evaluate_choices,
            params,
            self._weight,
            lambda part: (self._chosen, self._tie_chosen, mean, tie_mean, score[part]),
        )
        llf = sum(values[:-1]) if self.penalty.pseudo else sum(values)
        return RankingPoint(params, sum(values), llf, score.sum(axis=0), mean, tie_mean)

    def evaluate(self, params: Array) -> RankingPoint:
        """Compute the likelihood and its derivatives, with the penalty if there is one."""
        point = self._without_penalty(params)
        if self.penalty.precision:
            ability = self.abilities(params)
            point.value -= 0.5 * self.penalty.precision * float(ability @ ability)
            point.score[: self.n_reported] -= self.penalty.precision * ability
        if self.penalty.firth:
            self._add_jeffreys(point)
        return point

    def _add_jeffreys(self, point: RankingPoint) -> None:
        """Add Jeffreys' penalty to the likelihood and its derivatives (Firth 1993) to the scores."""
        try:
            point.cov, log_determinant = self.covariance(point)
        except NotDefiniteError:
            point.value = -np.inf
            return
        point.value += 0.5 * log_determinant
        cov, leverage = np.ascontiguousarray(point.cov), np.empty(len(self._weight))
        addition = np.zeros((len(self._parts), self.n_params))
        self._in_parts(
            _native.firth_choices,
            point.params,
            self._weight,
            lambda part: (point.mean, point.tie_mean, cov, addition[part], leverage),
        )
        point.score = point.score + addition.sum(axis=0)
        point.leverage = leverage

    def information(self, point: RankingPoint, weight: Array | None = None) -> Array:
        """Information of all parameters, with the prior; `weight` replaces the numbers of choices from the sets."""
        parts = np.zeros((len(self._parts), self.n_params, self.n_params))
        self._in_parts(
            _native.choice_information,
            point.params,
            self._weight if weight is None else weight,
            lambda part: (point.mean, point.tie_mean, parts[part]),
        )
        lower = parts.sum(axis=0) if len(parts) > 1 else parts[0]
        n, nodes = self.n_reported, np.arange(self.n_nodes)
        if self.penalty.precision:
            lower[:n, :n] -= np.tri(n, k=-1) * self.penalty.precision / n
        full = lower + np.tril(lower, -1).T
        full[nodes, nodes] = -full[: self.n_nodes, : self.n_nodes].sum(axis=1)
        return full

    def covariance(self, point: RankingPoint) -> tuple[Array, float]:
        """Inverse of the information, where the abilities sum to 0, and its log determinant (without one ability)."""
        matrix, scale, ground = _grounded(self.information(point), self.n_nodes)
        with _threads_for(len(matrix)):
            inverse, log_determinant = inverse_and_determinant(matrix)
        inverse = inverse * scale * scale[:, None]
        cov = np.insert(np.insert(inverse, ground, 0.0, 0), ground, 0.0, 1)
        cov[: self.n_nodes] -= cov[: self.n_nodes].mean(axis=0)
        cov[:, : self.n_nodes] -= cov[:, : self.n_nodes].mean(axis=1)[:, None]
        return cov, log_determinant - 2.0 * float(np.log(scale).sum())

    def effective_rank(self, point: RankingPoint, cov: Array) -> float:
        """Effective number of parameters: trace of the covariance times the information without the prior."""
        if self.penalty.precision:
            n = self.n_reported
            return self.rank - self.penalty.precision * float(np.trace(cov[:n, :n]))
        if not self.penalty.pseudo:
            return self.rank
        weight = self._weight.copy()
        weight[-self.n_reported :] = 0.0
        return float((cov * self.information(point, weight)).sum())

    def solve(self, point: RankingPoint, tolerance: float) -> Solve:
        """A function that solves equations with the information as matrix; `tolerance` is for iterative solutions."""
        return self._solver(point, None)

    def curvature_solver(self, point: RankingPoint, tolerance: float) -> Solve:
        """A function that solves equations with the curvature of the penalised likelihood as matrix.

        Jeffreys' penalty acts as if each set had additional choices, whose number is its leverage.
        """
        return self._solver(point, None if point.leverage is None else self._weight * (1.0 + point.leverage))

    def _solver(self, point: RankingPoint, weight: Array | None) -> Solve:
        matrix, scale, ground = _grounded(self.information(point, weight), self.n_nodes)
        with _threads_for(len(matrix)):
            factor, failed = lapack.dpotrf(matrix.T, lower=1, overwrite_a=1)
        if failed:
            raise NotDefiniteError

        def solve(b: Array) -> Array:
            b = b.copy()
            b[: self.n_nodes] -= b[: self.n_nodes].mean()
            x, _ = lapack.dpotrs(factor, scale * np.delete(b, ground), lower=1)
            x = np.insert(scale * x, ground, 0.0)
            x[: self.n_nodes] -= x[: self.n_nodes].mean()
            return x

        return solve

    # Iteration

    def direction(self, point: RankingPoint) -> Array:
        """The Newton step."""
        if not np.isfinite(point.value):
            return np.full(self.n_params, np.nan)
        try:
            return self.curvature_solver(point, 0.0)(point.score)
        except NotDefiniteError:
            return np.full(self.n_params, np.nan)

    def cautious_direction(self, point: RankingPoint) -> Array:
        """A step of iterative scaling: the ratio of observed and expected statistics, on the log scale."""
        step = np.log1p(point.score / self._expected(point))
        step[: self.n_nodes] -= step[: self.n_nodes].mean()
        return step

    def length(self, step: Array) -> float:
        """Largest change of a logit that a step can cause."""
        ability, log_delta = self.split(step)
        return float(np.ptp(ability) + np.abs(log_delta).max(initial=0.0))

    def maximise(self, maxiter: int) -> newton.Ascent[RankingPoint]:
        """Find the maximum."""
        tolerance = FIRTH_STEP if self.penalty.firth else NEWTON_STEP
        # A trial step may be so long that numbers overflow; it is then rejected.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return newton.ascend(
                self.evaluate, self.direction, self.length, self.start(), tolerance, maxiter,
                cautious=self.cautious_direction, stalled_step=STALLED_STEP,
            )  # fmt: skip


def _threads_for(n_params: int) -> Any:
    """A context with one thread for linear algebra, unless matrices are large."""
    return one_thread() if n_params <= MOST_ON_ONE_THREAD else nullcontext()


def _grounded(information: Array, n_nodes: int) -> tuple[Array, Array, int]:
    """Information without the ability that has most of it, scaled to a unit diagonal; the scale; and this ability.

    The rows of the abilities add up to 0, so one of them can be held fixed; the determinant does not depend on which.
    """
    diagonal = np.diagonal(information)
    if not (np.isfinite(diagonal).all() and diagonal.min() > 0.0):
        raise NotDefiniteError
    ground = int(diagonal[:n_nodes].argmax())
    scale = 1.0 / np.sqrt(np.delete(diagonal, ground))
    matrix = np.delete(np.delete(information, ground, 0), ground, 1)
    matrix *= scale
    matrix *= scale[:, None]
    return matrix, scale, ground
