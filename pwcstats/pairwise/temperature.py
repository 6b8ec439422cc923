"""One temperature for coupled probabilities, which makes them sharper or flatter without changing their order."""

import math

import numpy as np

from pwcstats._arrays import Array
from pwcstats.pairwise.calibration import FARTHEST
from pwcstats.pairwise.data import Integers, Problem
from pwcstats.pairwise.folds import Folds

# Smaller probabilities, which are limits of clipped ones, count as this in the fit.
SMALLEST = math.exp(-FARTHEST)
# Bounds of 1 / T, beyond which all classes would be about equally probable, or one nearly certain.
FLATTEST, SHARPEST = 0.01, 100.0
MAX_ITER = 100
# Newton steps end if 1 / T changes by less than this share.
SMALLEST_STEP = 1e-12
# Numbers of held-out scores, and rows below which they are not reduced. One parameter needs no more.
MOST_SCORES, LEAST_ROWS = 2**24, 200


def sample_rows(problem: Problem, folds: Folds) -> Integers:
    """The rows to whose held-out probabilities a temperature is fitted: all, or an equal share of each class."""
    rows = np.flatnonzero(~folds.kept)
    size = max(MOST_SCORES // problem.n_pairs, LEAST_ROWS)
    if len(rows) <= size:
        return rows
    by_class = rows[np.argsort(problem.code[rows], kind="stable")]
    return np.sort(by_class[np.linspace(0, len(rows) - 1, size).round().astype(np.int64)])


def fit_temperature(proba: Array, code: Integers, weight: Array) -> float:
    r"""The temperature T at which held-out probabilities have the smallest log loss.

    The probabilities become :math:`p_k^{1/T} / \sum_m p_m^{1/T}` [1]_. The targets are smoothed by one pseudo-case that
    the K classes share equally: with n cases, the target of a case's own class is :math:`(n + 1/K) / (n + 1)`. Without
    it, T would be 0 if all cases are classified correctly.

    Parameters
    ----------
    proba : ndarray of shape (n, K)
        Coupled probabilities of rows that were held out.
    code : ndarray of int, shape (n,)
        The rows' classes.
    weight : ndarray of shape (n,)
        Weights of the rows.

    Returns
    -------
    float
        T; above 1 it makes probabilities flatter, below 1 sharper.

    References
    ----------
    .. [1] Guo, C., Pleiss, G., Sun, Y. and Weinberger, K. Q. (2017). On calibration of modern neural networks. ICML,
       PMLR 70, 1321-1330.
    """
    log_p = np.log(np.maximum(proba, SMALLEST))
    log_p -= log_p.max(axis=1, keepdims=True)
    n = weight.sum()
    own = log_p[np.arange(len(code)), code]
    target = float(weight @ (n * own + log_p.mean(axis=1))) / (n + 1.0)

    def slope(beta: float) -> tuple[float, float]:
        """Derivatives of the log-likelihood, which is concave in beta = 1 / T."""
        power = np.exp(beta * log_p)
        power /= power.sum(axis=1, keepdims=True)
        mean = (power * log_p).sum(axis=1)
        spread = (power * log_p**2).sum(axis=1) - mean**2
        return target - float(weight @ mean), float(weight @ spread)

    low, high, beta = FLATTEST, SHARPEST, 1.0
    if slope(low)[0] <= 0.0:
        # The probabilities are all equal, or no better than equal ones.
        return 1.0 if log_p.min() == 0.0 else 1.0 / low
    for _ in range(MAX_ITER):
        first, second = slope(beta)
        low, high = (beta, high) if first > 0.0 else (low, beta)
        step = beta + first / second if second > 0.0 else np.inf
        # A step outside of the bracket is replaced by its (geometric) middle.
        new = step if low < step < high else np.sqrt(low * high)
        if abs(new - beta) <= SMALLEST_STEP * beta:
            break
        beta = new
    return float(1.0 / beta)


def tempered(proba: Array, temperature: float) -> Array:
    """Probabilities at a temperature."""
    if temperature == 1.0:
        return proba
    out = proba / proba.max(axis=1, keepdims=True)
    np.power(out, 1.0 / temperature, out=out)
    out /= out.sum(axis=1, keepdims=True)
    return out
