"""Directions in which a likelihood never falls: with one of them, there is no finite maximum."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array, vstack

Array = NDArray[np.float64]

# The linear programme's own tolerance is 1e-7, on columns of length 1.
SMALL = 1e-6
# Constraints that the first linear programme has; where outcomes vary as they usually do, they settle the matter.
FIRST_ROWS = 500
# Rows of a sparse array that are written out at a time.
ROWS = 2_000


def recession_direction(constraints: Any) -> Array | None:
    """Find u with ``constraints @ u >= 0``, somewhere > 0; None if there is no such u. The columns must be independent.

    Albert and Anderson's (1984) separation as Konis' (2007) linear programme: the sum of ``constraints @ u``, each
    term kept within [0, 1], is maximised. What some of the rows rule out, all rows do; so it begins with some of
    them, enough to leave no direction unseen, and adds those that are violated.
    """
    scaled, size, inside = _scaled(constraints)
    u = _direction(scaled[inside], np.eye(len(size)))
    return None if u is None else np.asarray(u / size)


def _direction(scaled: csr_array, basis: Array) -> Array | None:
    """The same for rows of length 1; orthonormal columns that span them are the `basis` of u."""
    order = np.random.default_rng(0).permutation(scaled.shape[0])
    n_rows = FIRST_ROWS
    while n_rows < len(order) and np.linalg.matrix_rank(scaled[order[:n_rows]].toarray()) < basis.shape[1]:
        n_rows *= 2
    chosen = order[:n_rows]
    # Rows that span everything stay as they are, which is sparse.
    every = basis.shape[0] == basis.shape[1]
    while True:
        rows = csr_array(scaled[chosen] if every else scaled[chosen] @ basis)
        limits = np.repeat([1.0, 0.0], len(chosen))
        answer = _solved(-rows.sum(axis=0), vstack([rows, -rows]), limits, (None, None))
        if -answer.fun <= SMALL:
            return None
        u = answer.x if every else basis @ answer.x
        worst = _violated(scaled @ u)
        if not len(worst):
            return np.asarray(u)
        chosen = np.union1d(chosen, worst)


def overlap(constraints: Any, coefficients: Array) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Array]:
    """What no direction separates: rows and coefficients; and a direction that separates the other rows.

    The first mask has the rows that are 0 in every direction u with ``constraints @ u >= 0``; u is one that is > 0 in
    all others. With u times infinity added to the parameters, the likelihood is that of the masked rows, which has a
    finite maximum; of the `coefficients`, rows of combinations of the parameters, it determines those of the second
    mask and no others.
    """
    # A row of zeros says nothing: nothing separates it.
    scaled, size, inside = _scaled(constraints)
    direction = np.zeros(len(size))
    rest = inside.copy()
    basis = row_space(scaled)
    while rest.any():
        found = _direction(scaled[rest], basis)
        if found is None:
            break
        value = scaled @ found
        # Of the new direction, take as little as leaves what was separated before.
        against = inside & ~rest & (value < 0.0)
        share = 0.5 * float(np.min((scaled @ direction)[against] / -value[against], initial=2.0))
        direction += share * found
        rest &= value <= SMALL
        basis = row_space(scaled[rest])
    wanted = coefficients * (1.0 / size)
    finite = np.linalg.norm(wanted @ basis, axis=1) > (1.0 - SMALL) * np.linalg.norm(wanted, axis=1)
    return rest | ~inside, finite, direction / size


def signs(constraints: Any, coefficients: Array) -> Array:
    """1 or -1 for coefficients of that sign in every direction u with ``constraints @ u >= 0``; 0 where both occur."""
    scaled, size, inside = _scaled(constraints)
    scaled = scaled[inside]
    # As in `_direction`; rows that have been violated once are likely to be so again.
    chosen = np.random.default_rng(0).permutation(scaled.shape[0])[:FIRST_ROWS]
    out = np.zeros(len(coefficients))
    for k, wanted in enumerate(coefficients / size):
        for side in (1.0, -1.0):
            aim = -side * wanted / np.abs(wanted).max()
            while True:
                answer = _solved(aim, -scaled[chosen], np.zeros(len(chosen)), (-1.0, 1.0))
                worst = _violated(scaled @ answer.x)
                if -answer.fun <= SMALL or not len(worst):
                    break
                chosen = np.union1d(chosen, worst)
            out[k] += side * (-answer.fun > SMALL)
    return out


def row_space(rows: Any) -> Array:
    """Orthonormal columns that span the rows."""
    r = np.empty((0, rows.shape[1]))
    for start in range(0, rows.shape[0], ROWS):
        part = csr_array(rows[start : start + ROWS]).toarray()
        r = np.asarray(np.linalg.qr(np.vstack([r, part]), mode="r"))
    _, singular, right = np.linalg.svd(r, full_matrices=False)
    return np.asarray(right[singular > 1e-9 * singular.max(initial=0.0)].T)


def multinomial_constraints(x: Array, code: NDArray[np.int64], n_classes: int) -> tuple[csr_array, NDArray[np.int64]]:
    """A row for each case and each class that it is not in: the observed class' predictor less the other's.

    Sparse, as only two of the classes are in a row.
    """
    p = x.shape[1]
    other, case = np.nonzero(np.arange(n_classes)[:, None] != code)
    values, rows, columns = [], [], []
    for sign, place in ((1.0, code[case]), (-1.0, other)):
        # Class 0 has no parameters.
        there = np.flatnonzero(place > 0)
        values.append(sign * x[case[there]].ravel())
        rows.append(np.repeat(there, p))
        columns.append(((place[there] - 1)[:, None] * p + np.arange(p)).ravel())
    places = (np.concatenate(rows), np.concatenate(columns))
    return csr_array((np.concatenate(values), places), shape=(len(case), (n_classes - 1) * p)), case


def _scaled(constraints: Any) -> tuple[csr_array, Array, NDArray[np.bool_]]:
    """Constraints with columns and then rows of length 1; the columns' lengths; and which rows are not 0."""
    rows = csr_array(constraints)
    size = np.sqrt(rows.power(2).sum(axis=0))
    size = np.where(size > 0.0, size, 1.0)
    rows = csr_array(rows.multiply(1.0 / size))
    # A row's length means nothing; the longest would set the scale of the sum.
    length = np.sqrt(rows.power(2).sum(axis=1))
    inside = length > 0.0
    return csr_array(rows.multiply(1.0 / np.where(inside, length, 1.0)[:, None])), size, inside


def _violated(values: Array) -> NDArray[np.int64]:
    """The rows, not too many, where values are lowest and below 0."""
    worst = np.argsort(values)[:FIRST_ROWS]
    return worst[values[worst] < -SMALL]


def _solved(aim: Array, rows: Any, limits: Array, bounds: tuple[float | None, float | None]) -> Any:
    answer = linprog(aim, rows, limits, bounds=bounds, method="highs")
    if answer.status != 0:
        raise ArithmeticError(f"the linear programme failed: {answer.message}")
    return answer
