"""Directions of recession, in which a likelihood never decreases: if there is one, no finite maximum exists."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array, vstack

Array = NDArray[np.float64]

# The tolerance of the linear program is 1e-7, for columns of length 1.
SMALL = 1e-6
# Number of constraints of the first linear program, which usually suffices if the outcomes overlap.
FIRST_ROWS = 500
# Rows of a sparse array that are made dense at a time.
ROWS = 2_000


def recession_direction(constraints: Any) -> Array | None:
    """Find u with ``constraints @ u >= 0``, not all 0; None if there is no such u. The columns must be independent.

    This is Konis' (2007) linear program for separation (Albert and Anderson 1984): it maximises the sum of
    ``constraints @ u``, with each term in [0, 1]. A direction that some rows exclude is excluded by all rows. So the
    program starts with a subset of the rows that has full rank, and adds rows that are violated.
    """
    scaled, size, inside = _scaled(constraints)
    u = _direction(scaled[inside], np.eye(len(size)))
    return None if u is None else np.asarray(u / size)


def _direction(scaled: csr_array, basis: Array) -> Array | None:
    """The same for rows of length 1; `basis` is an orthonormal basis of their span, in which u is searched for."""
    order = np.random.default_rng(0).permutation(scaled.shape[0])
    n_rows = FIRST_ROWS
    while n_rows < len(order) and np.linalg.matrix_rank(scaled[order[:n_rows]].toarray()) < basis.shape[1]:
        n_rows *= 2
    chosen = order[:n_rows]
    # If the rows span the whole space they stay sparse.
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
    """Find the rows and the coefficients that are not separated, and a direction that separates all other rows.

    The first mask marks rows with ``constraints @ u == 0`` for every direction u with ``constraints @ u >= 0``. The
    direction returned is positive in all other rows. If the parameters go to infinity along it, the likelihood tends
    to that of the marked rows, which has a finite maximum. The rows of `coefficients` are linear combinations of the
    parameters; the second mask marks those that this maximum determines.
    """
    # Rows of zeros are never separated.
    scaled, size, inside = _scaled(constraints)
    direction = np.zeros(len(size))
    rest = inside.copy()
    basis = row_space(scaled)
    while rest.any():
        found = _direction(scaled[rest], basis)
        if found is None:
            break
        value = scaled @ found
        # Take so little of the new direction that rows that were separated before still are.
        against = inside & ~rest & (value < 0.0)
        share = 0.5 * float(np.min((scaled @ direction)[against] / -value[against], initial=2.0))
        direction += share * found
        rest &= value <= SMALL
        basis = row_space(scaled[rest])
    wanted = coefficients * (1.0 / size)
    finite = np.linalg.norm(wanted @ basis, axis=1) > (1.0 - SMALL) * np.linalg.norm(wanted, axis=1)
    return rest | ~inside, finite, direction / size


def signs(constraints: Any, coefficients: Array) -> Array:
    """Signs of coefficients in the directions u with ``constraints @ u >= 0``: 1, -1, or 0 if both signs occur."""
    scaled, size, inside = _scaled(constraints)
    scaled = scaled[inside]
    # As in `_direction`, start with some rows. Rows that were violated once are kept for the next programs.
    chosen = np.random.default_rng(0).permutation(scaled.shape[0])[:FIRST_ROWS]
    out = np.zeros(len(coefficients))
    for k, wanted in enumerate(coefficients / size):
        for side in (1.0, -1.0):
            objective = -side * wanted / np.abs(wanted).max()
            while True:
                answer = _solved(objective, -scaled[chosen], np.zeros(len(chosen)), (-1.0, 1.0))
                worst = _violated(scaled @ answer.x)
                if -answer.fun <= SMALL or not len(worst):
                    break
                chosen = np.union1d(chosen, worst)
            out[k] += side * (-answer.fun > SMALL)
    return out


def row_space(rows: Any) -> Array:
    """Orthonormal basis, as columns, of the span of some rows."""
    r = np.empty((0, rows.shape[1]))
    for start in range(0, rows.shape[0], ROWS):
        part = csr_array(rows[start : start + ROWS]).toarray()
        r = np.asarray(np.linalg.qr(np.vstack([r, part]), mode="r"))
    _, singular, right = np.linalg.svd(r, full_matrices=False)
    return np.asarray(right[singular > 1e-9 * singular.max(initial=0.0)].T)


def multinomial_constraints(x: Array, code: NDArray[np.int64], n_classes: int) -> tuple[csr_array, NDArray[np.int64]]:
    """One constraint per row and class other than the observed one: the difference of their linear predictors.

    Also returns the row of each constraint. The array is sparse, because a constraint involves two classes only.
    """
    p = x.shape[1]
    other, case = np.nonzero(np.arange(n_classes)[:, None] != code)
    values, rows, columns = [], [], []
    for sign, label in ((1.0, code[case]), (-1.0, other)):
        # Class 0 has no parameters.
        used = np.flatnonzero(label > 0)
        values.append(sign * x[case[used]].ravel())
        rows.append(np.repeat(used, p))
        columns.append(((label[used] - 1)[:, None] * p + np.arange(p)).ravel())
    indices = (np.concatenate(rows), np.concatenate(columns))
    return csr_array((np.concatenate(values), indices), shape=(len(case), (n_classes - 1) * p)), case


def _scaled(constraints: Any) -> tuple[csr_array, Array, NDArray[np.bool_]]:
    """Constraints with columns and then rows scaled to length 1; lengths of the columns; and which rows are not 0."""
    rows = csr_array(constraints)
    size = np.sqrt(rows.power(2).sum(axis=0))
    size = np.where(size > 0.0, size, 1.0)
    rows = csr_array(rows.multiply(1.0 / size))
    # The length of a row has no meaning, but long rows would dominate the sum that is maximised.
    length = np.sqrt(rows.power(2).sum(axis=1))
    inside = length > 0.0
    return csr_array(rows.multiply(1.0 / np.where(inside, length, 1.0)[:, None])), size, inside


def _violated(values: Array) -> NDArray[np.int64]:
    """The most violated rows, FIRST_ROWS of them at most."""
    worst = np.argsort(values)[:FIRST_ROWS]
    return worst[values[worst] < -SMALL]


def _solved(objective: Array, rows: Any, limits: Array, bounds: tuple[float | None, float | None]) -> Any:
    answer = linprog(objective, rows, limits, bounds=bounds, method="highs")
    if answer.status != 0:
        raise ArithmeticError(f"the linear program failed: {answer.message}")
    return answer
