"""Directions in which a likelihood never falls: with one of them, there is no finite maximum."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

Array = NDArray[np.float64]

# The linear programme's own tolerance is 1e-7, on columns of length 1.
SMALL = 1e-6
# Constraints that the first linear programme has; where outcomes vary as they usually do, they settle the matter.
FIRST_ROWS = 500


def recession_direction(constraints: Array) -> Array | None:
    """Find u with ``constraints @ u >= 0``, somewhere > 0; None if there is no such u. The columns must be independent.

    Albert and Anderson's (1984) separation as Konis' (2007) linear programme: the sum of ``constraints @ u``, each
    term kept within [0, 1], is maximised. What some of the rows rule out, all rows do; so it begins with some of
    them, enough to leave no direction unseen, and adds those that are violated.
    """
    size = np.linalg.norm(constraints, axis=0)
    scaled = constraints / size
    # A row's length means nothing; the longest would set the scale of the sum.
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    scaled = scaled[length[:, 0] > 0.0] / length[length > 0.0][:, None]
    order = np.random.default_rng(0).permutation(len(scaled))
    n_rows = FIRST_ROWS
    while n_rows < len(order) and np.linalg.matrix_rank(scaled[order[:n_rows]]) < scaled.shape[1]:
        n_rows *= 2
    chosen = order[:n_rows]
    while True:
        u = _programme(scaled[chosen])
        if u is None:
            return None
        value = scaled @ u
        worst = np.argsort(value)[:FIRST_ROWS]
        worst = worst[value[worst] < -SMALL]
        if not len(worst):
            return np.asarray(u / size)
        chosen = np.union1d(chosen, worst)


def _programme(rows: Array) -> Array | None:
    limits = np.repeat([1.0, 0.0], len(rows))
    answer = linprog(-rows.sum(axis=0), np.vstack([rows, -rows]), limits, bounds=(None, None), method="highs")
    if answer.status != 0:
        raise ArithmeticError(f"the linear programme failed: {answer.message}")
    return np.asarray(answer.x) if -answer.fun > SMALL else None
