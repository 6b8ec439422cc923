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


def overlap(constraints: Array, coefficients: Array) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Array]:
    """What no direction separates: rows and coefficients; and a direction that separates the other rows.

    The first mask has the rows that are 0 in every direction u with ``constraints @ u >= 0``; u is one that is > 0 in
    all others. With u times infinity added to the parameters, the likelihood is that of the masked rows, which has a
    finite maximum; of the `coefficients`, rows of combinations of the parameters, it determines those of the second
    mask and no others.
    """
    size = np.linalg.norm(constraints, axis=0)
    size = np.where(size > 0.0, size, 1.0)
    scaled = constraints / size
    length = np.linalg.norm(scaled, axis=1)
    # A row of zeros says nothing: nothing separates it.
    inside = length > 0.0
    scaled[inside] /= length[inside, None]
    direction = np.zeros(len(size))
    rest = inside.copy()
    while rest.any():
        basis = row_space(scaled[rest])
        found = recession_direction(scaled[rest] @ basis)
        if found is None:
            break
        found = basis @ found
        value = scaled @ found
        # Of the new direction, take as little as leaves what was separated before.
        against = inside & ~rest & (value < 0.0)
        share = 0.5 * float(np.min((scaled[against] @ direction) / -value[against], initial=2.0))
        direction += share * found
        rest &= value <= SMALL
    wanted = coefficients * (1.0 / size)
    known = np.linalg.norm(wanted @ row_space(scaled[rest]), axis=1)
    finite = known > (1.0 - SMALL) * np.linalg.norm(wanted, axis=1)
    return rest | ~inside, finite, direction / size


def signs(constraints: Array, coefficients: Array) -> Array:
    """1 or -1 for coefficients of that sign in every direction u with ``constraints @ u >= 0``; 0 where both occur."""
    size = np.linalg.norm(constraints, axis=0)
    scaled = constraints / np.where(size > 0.0, size, 1.0)
    out = np.zeros(len(coefficients))
    for k, wanted in enumerate(coefficients / np.where(size > 0.0, size, 1.0)):
        wanted = wanted / np.abs(wanted).max()
        reach = [
            -linprog(-side * wanted, -scaled, np.zeros(len(scaled)), bounds=(-1.0, 1.0), method="highs").fun
            for side in (1.0, -1.0)
        ]
        out[k] = (reach[0] > SMALL) * 1.0 - (reach[1] > SMALL)
    return out


def row_space(rows: Array) -> Array:
    """Orthonormal columns that span the rows."""
    _, singular, right = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(right[singular > 1e-9 * singular.max(initial=0.0)].T)


def multinomial_constraints(x: Array, code: NDArray[np.int64], n_classes: int) -> tuple[Array, NDArray[np.int64]]:
    """A row for each case and each class that it is not in: the observed class' predictor less the other's."""
    p = x.shape[1]
    blocks, rows = [], []
    for other in range(n_classes):
        those = np.flatnonzero(code != other)
        block = np.zeros((len(those), n_classes, p))
        block[np.arange(len(those)), code[those]] = x[those]
        block[:, other] -= x[those]
        blocks.append(block[:, 1:].reshape(len(those), -1))
        rows.append(those)
    return np.concatenate(blocks), np.concatenate(rows)
