"""Directions in which a likelihood never falls: with one of them, there is no finite maximum."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

Array = NDArray[np.float64]

# The linear programme's own tolerance is 1e-7, on columns of length 1.
SMALL = 1e-6


def recession_direction(constraints: Array) -> Array | None:
    """Find u with ``constraints @ u >= 0``, somewhere > 0; None if there is no such u.

    Albert and Anderson's (1984) separation as Konis' (2007) linear programme: the sum of ``constraints @ u``, each
    term kept within [0, 1], is maximised.
    """
    size = np.linalg.norm(constraints, axis=0)
    size[size == 0.0] = 1.0
    scaled = constraints / size
    limits = np.repeat([1.0, 0.0], len(scaled))
    answer = linprog(-scaled.sum(axis=0), np.vstack([scaled, -scaled]), limits, bounds=(None, None), method="highs")
    if answer.status != 0:
        raise ArithmeticError(f"the linear programme failed: {answer.message}")
    return np.asarray(answer.x / size) if -answer.fun > SMALL else None
