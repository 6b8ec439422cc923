"""Paired comparisons: aggregation of rows into a table of pairs, and probabilities.

Let d be the difference of the abilities of a pair, plus the order effect and contest covariates. In the model of
Davidson, the probabilities that the first item wins, that the second wins and that they tie are proportional to
exp(d / 2), exp(-d / 2) and nu. With nu = 0 this is the model of Bradley and Terry. In the model of Rao and Kupper, an
item wins if it is better by log theta on a scale with logistic errors.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from pwcstats import _native

Array = NDArray[np.float64]
Codes = NDArray[np.int32]

# Columns of the counts of a table.
WIN, LOSS, TIE = 0, 1, 2


def aggregate(
    winner: Codes, loser: Codes, tie: NDArray[np.bool_], home: NDArray[np.int8], weight: Array, n_items: int
) -> tuple[Codes, Codes, Array, Array, NDArray[np.int64]]:
    """Aggregate rows by pair: `first`, `second`, `ordered` and `counts` of each pair, and the `cell` of each row.

    `home` is 1 if the winner has the order effect, -1 if the loser has it, and 0 if nobody has. A pair without it has
    the lower item first. Pairs are sorted by their first items. An empty `weight` means ones. A cell is an index of the
    flattened counts.
    """
    # Room for as many pairs as rows; the memory behind the last pair is never used.
    first, second = np.empty((2, len(winner)), np.int32)
    ordered, cell = np.empty(len(winner)), np.empty(len(winner), np.int64)
    n_pairs = _native.find_pairs(winner, loser, tie, home, n_items, first, second, ordered, cell)
    counts = np.bincount(cell, weight if len(weight) else None, 3 * n_pairs).astype(np.float64, copy=False)
    return first[:n_pairs].copy(), second[:n_pairs].copy(), ordered[:n_pairs].copy(), counts.reshape(-1, 3), cell


def divide(pair: NDArray[np.int64], x: Array, n_pairs: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Divide pairs by the values of covariates: the group of each row, and the first row of each group.

    The values must not be -0. Groups are sorted by pair, and those of a pair by their first rows.
    """
    group, source = np.empty((2, len(pair)), np.int64)
    n_groups = _native.divide_pairs(pair, np.ascontiguousarray(x), n_pairs, group, source)
    return group, source[:n_groups].copy()


def davidson(d: Array, log_nu: float) -> Array:
    """Probabilities of win, loss and tie for each d, one row for each; `log_nu` is -inf in a model without ties."""
    distance = np.abs(d)
    out = np.empty((len(d), 3))
    other, even = np.exp(-distance), np.exp(log_nu - 0.5 * distance)
    favourite = 1.0 / (1.0 + (other + even))
    outsider = other * favourite
    ahead = d >= 0.0
    out[:, WIN], out[:, LOSS] = np.where(ahead, favourite, outsider), np.where(ahead, outsider, favourite)
    out[:, TIE] = even * favourite
    return out


def rao_kupper(d: Array, log_theta: float) -> Array:
    """Probabilities of win, loss and tie for each d, one row for each."""
    out = np.empty((len(d), 3))
    out[:, WIN], out[:, LOSS] = expit(d - log_theta), expit(-d - log_theta)
    # The difference of the two logistic functions, without cancellation.
    out[:, TIE] = np.expm1(2.0 * log_theta) * out[:, WIN] * out[:, LOSS]
    return out
