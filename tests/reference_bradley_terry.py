"""Slow reference implementations of Bradley–Terry fits: definitions with dense matrices, one row per comparison."""

import itertools
from decimal import Context, Decimal, localcontext

import numpy as np
from scipy.optimize import brentq, least_squares, linprog, minimize


class Slow:
    """Comparisons (first, second, ordered, outcome, weight), outcome "win", "loss" or "tie", as a multinomial logit.

    Parameters are the abilities of items 1, 2, ... (item 0 is the reference) or the covariates' coefficients, then the
    order effect, then log nu. Weights of the outcomes are exp(d), 1 and nu exp(d / 2).
    """

    def __init__(self, rows, n_items, *, order=False, tie=False, z=None):
        z = np.eye(n_items)[:, 1:] if z is None else np.asarray(z, float)
        width = z.shape[1] + order + tie
        self.features = np.zeros((len(rows), 3, width))
        self.y = np.zeros((len(rows), 3))
        self.tie = tie
        for row, (i, j, ordered, outcome, weight) in enumerate(rows):
            d = np.zeros(width)
            d[: z.shape[1]] = z[i] - z[j]
            if order:
                d[z.shape[1]] = ordered
            self.features[row, 0] = d
            self.features[row, 2] = d / 2
            if tie:
                self.features[row, 2, -1] = 1
            self.y[row, ("win", "loss", "tie").index(outcome)] = weight

    def log_p(self, params):
        eta = self.features @ params
        if not self.tie:
            eta[:, 2] = -np.inf
        return eta - np.logaddexp.reduce(eta, axis=1, keepdims=True)

    def llf(self, params):
        seen = self.y > 0
        return float(np.sum(self.y[seen] * self.log_p(params)[seen]))

    def score(self, params):
        p = np.exp(self.log_p(params))
        return np.einsum("ro,rof->f", self.y - self.y.sum(axis=1, keepdims=True) * p, self.features)

    def information(self, params):
        p, n = np.exp(self.log_p(params)), self.y.sum(axis=1)
        mean = np.einsum("ro,rof->rf", p, self.features)
        return np.einsum("r,ro,rof,rog->fg", n, p, self.features, self.features) - np.einsum(
            "r,rf,rg->fg", n, mean, mean
        )

    def penalised(self, params):
        return self.llf(params) + 0.5 * np.linalg.slogdet(self.information(params))[1]

    def penalised_score(self, params, step=1e-5):
        units = step * np.eye(len(params))
        return np.array([(self.penalised(params + u) - self.penalised(params - u)) / (2 * step) for u in units])

    def fit(self):
        """Plain Newton method that halves a step if it does not increase the likelihood."""
        params = np.zeros(self.features.shape[2])
        for _ in range(200):
            step = np.linalg.solve(self.information(params), self.score(params))
            while self.llf(params + step) < self.llf(params) - 1e-12:
                step /= 2
            params = params + step
            if np.abs(step).max() < 1e-13:
                break
        return params

    def sandwich(self, params, groups):
        """By definition, with one score per comparison, summed over groups."""
        p = np.exp(self.log_p(params))
        scores = np.einsum("ro,rof->rf", self.y - self.y.sum(axis=1, keepdims=True) * p, self.features)
        sums = np.array([scores[np.asarray(groups) == g].sum(axis=0) for g in sorted(set(groups))])
        bread = np.linalg.inv(self.information(params))
        return bread @ (sums.T @ sums) @ bread

    def profile(self, params, k, side, drop, objective):
        """Value at which the maximum over all other parameters has fallen by `drop`, found by bisection."""
        best = objective(params)

        def held(value):
            others = [m for m in range(len(params)) if m != k]
            current = params.copy()
            current[k] = value
            for _ in range(100):
                score = self.score(current) if objective == self.llf else self.penalised_score(current, 1e-5)
                step = np.linalg.solve(self.information(current)[np.ix_(others, others)], score[others])
                current[others] += step
                if np.abs(step).max(initial=0) < 1e-10:
                    break
            return objective(current) - best + drop

        far = params[k] + side
        while held(far) > 0:
            far += side
        return brentq(held, params[k], far, xtol=1e-10)


def exists(rows, n_items, *, order=False, tie=False, z=None):
    """Whether a maximum exists: there is no direction in which no outcome becomes less likely (linear programme)."""
    slow = Slow(rows, n_items, order=order, tie=tie, z=z)
    constraints = []
    for features, y in zip(slow.features, slow.y, strict=True):
        seen = int(np.argmax(y))
        for other in range(3):
            if other != seen and (tie or other != 2):
                constraints.append(features[seen] - features[other])
    a = np.array(constraints)
    if np.linalg.matrix_rank(a) < a.shape[1]:
        return False
    answer = linprog(-a.sum(axis=0), np.vstack([-a, a]), np.repeat([0.0, 1.0], len(a)), bounds=(None, None))
    assert answer.status == 0
    return -answer.fun < 1e-7


def ford(wins):
    """Ford's condition, checked for every split of the items into two groups."""
    n = len(wins)
    for size in range(1, n):
        for part in itertools.combinations(range(n), size):
            rest = [i for i in range(n) if i not in part]
            if not np.any(wins[np.ix_(rest, list(part))]):
                return False
    return True


def quasi_variances(cov):
    """Least squares of the logs by a general optimiser."""
    i, j = np.triu_indices(len(cov), 1)
    variance = cov[i, i] + cov[j, j] - 2 * cov[i, j]

    def gap(q):
        return np.log(np.maximum(q[i] + q[j], 1e-300)) - np.log(variance)

    start = np.full(len(cov), variance.mean() / 2)
    return least_squares(gap, start, xtol=1e-15, ftol=1e-15, gtol=1e-15, method="lm").x


def firth_step(wins, ability, digits=60):
    """Newton step from `ability` to Firth's estimates in many digits, without ties and order effect."""
    with localcontext(Context(prec=digits, Emin=-(10**6), Emax=10**6)):
        n = len(wins) - 1
        ability = [Decimal(float(x)) for x in ability]
        pairs, information = [], [[Decimal(0)] * n for _ in range(n)]
        for i, j in itertools.combinations(range(n + 1), 2):
            won, lost = Decimal(float(wins[i][j])), Decimal(float(wins[j][i]))
            p = 1 / (1 + (ability[j] - ability[i]).exp())
            variance = (won + lost) * p * (1 - p)
            pairs.append((i, j, won - (won + lost) * p, variance, p))
            for row, column, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
                if row < n and column < n:
                    information[row][column] += sign * variance
        cov = _decimal_inverse(information)

        def entry(i, j):
            return cov[i][j] if i < n and j < n else Decimal(0)

        score = [Decimal(0)] * (n + 1)
        for i, j, u, variance, p in pairs:
            leverage = variance * (entry(i, i) + entry(j, j) - 2 * entry(i, j))
            u += leverage * (Decimal("0.5") - p)
            score[i] += u
            score[j] -= u
        return np.array([float(sum(c * s for c, s in zip(row, score[:n], strict=True))) for row in cov])


def _decimal_inverse(matrix):
    """Inverse of a positive definite matrix by Gauss–Jordan elimination."""
    n = len(matrix)
    rows = [list(row) + [Decimal(int(i == j)) for j in range(n)] for i, row in enumerate(matrix)]
    for k in range(n):
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[n:] for row in rows]


class SlowRankings:
    """Rankings as choices from all subsets of the items that are left, each written out.

    A ranking is a list of tuples of tied items, the best first. Parameters are the abilities of items 1, 2, ... (item 0
    is the reference), then log delta of each order of ties that was observed.
    """

    def __init__(self, rankings, n_items, weight=None, *, unranked="absent", orders=None):
        weight = [1.0] * len(rankings) if weight is None else weight
        choices = []
        for ranking, w in zip(rankings, weight, strict=True):
            left = set(range(n_items)) if unranked == "last" else {i for tier in ranking for i in tier}
            for tier in ranking:
                if len(left) > 1:
                    choices.append((tuple(sorted(tier)), tuple(sorted(left)), w))
                left -= set(tier)
        self.orders = sorted({len(c) for c, _, _ in choices if len(c) > 1}) if orders is None else orders
        self.n_params = n_items - 1 + len(self.orders)
        self.stages = []
        for chosen, left, w in choices:
            subsets = [s for size in (1, *self.orders) for s in itertools.combinations(left, size)]
            features = np.zeros((len(subsets), n_items + len(self.orders)))
            for row, subset in enumerate(subsets):
                features[row, list(subset)] = 1 / len(subset)
                if len(subset) > 1:
                    features[row, n_items + self.orders.index(len(subset))] = 1
            self.stages.append((features[:, 1:], subsets.index(chosen), w))

    def llf(self, params):
        total = 0.0
        for features, chosen, w in self.stages:
            eta = features @ params
            total += w * (eta[chosen] - np.logaddexp.reduce(eta))
        return total

    def score(self, params):
        total = np.zeros(self.n_params)
        for features, chosen, w in self.stages:
            p = np.exp(features @ params - np.logaddexp.reduce(features @ params))
            total += w * (features[chosen] - p @ features)
        return total

    def information(self, params):
        total = np.zeros((self.n_params, self.n_params))
        for features, _, w in self.stages:
            p = np.exp(features @ params - np.logaddexp.reduce(features @ params))
            centred = features - p @ features
            total += w * (centred.T * p) @ centred
        return total

    def penalised(self, params):
        return self.llf(params) + 0.5 * np.linalg.slogdet(self.information(params))[1]

    def maximise(self, objective):
        """By a general optimiser."""
        found = minimize(lambda x: -objective(x), np.zeros(self.n_params), method="BFGS", options={"gtol": 1e-9})
        return found.x

    def exists(self):
        """Whether a maximum exists: there is no direction in which no choice becomes less likely."""
        rows = [features[chosen] - row for features, chosen, _ in self.stages for row in features]
        a = np.unique(np.array(rows), axis=0)
        if np.linalg.matrix_rank(a) < a.shape[1]:
            return False
        answer = linprog(-a.sum(axis=0), np.vstack([-a, a]), np.repeat([0.0, 1.0], len(a)), bounds=(None, None))
        assert answer.status == 0
        return -answer.fun < 1e-7
