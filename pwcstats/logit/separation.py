"""Separation: whether, and along which columns, maximum likelihood estimates are infinite."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from pwcstats._arrays import Array
from pwcstats._kernels.separation import multinomial_constraints, overlap, recession_direction, signs
from pwcstats.logit import reading as designs

__all__ = ["SeparationResult", "detect_separation"]


@dataclass(frozen=True)
class SeparationResult:
    """What :func:`detect_separation` found.

    Attributes
    ----------
    separated : bool
        Whether some maximum likelihood estimates are infinite.
    kind : {"complete", "quasi-complete", "none"}
        All rows are predicted without error; or estimates are infinite, but not all rows are; or neither.
    columns : list
        Columns with infinite estimates.
    directions : DataFrame
        Where the estimates go: inf, -inf or 0 (finite) for each column (rows) and class but the first (columns); for an
        ordered response, the thresholds follow the columns. nan is infinite with a sign that the data leave open, as
        are most where the separation is complete.
    rows : ndarray of bool
        Rows whose outcome is predicted without error in the limit.
    """

    separated: bool
    kind: str
    columns: list[Any]
    directions: pd.DataFrame
    rows: NDArray[np.bool_]

    def __str__(self) -> str:
        if not self.separated:
            return "There is no separation: all maximum likelihood estimates are finite."
        names = ", ".join(map(str, self.columns))
        which = f"estimate of {names} is" if len(self.columns) == 1 else f"estimates of {names} are"
        sure = f"{self.rows.sum()} of {len(self.rows)} rows are predicted without error"
        if not self.rows.any():  # of more than two classes
            sure = "no row is predicted without error, but classes are ruled out for some"
        return f"There is {self.kind} separation: {sure}, and the maximum likelihood {which} infinite."


def detect_separation(endog: Any, exog: Any, *, ordered: bool = False, freq_weights: Any = None) -> SeparationResult:
    r"""Find out whether a logistic model's maximum likelihood estimates are finite, without fitting it.

    Parameters
    ----------
    endog : array-like
        Classes: two for the binary logit, more for the multinomial one; labels of any kind.
    exog : array-like
        Columns of the design, the constant included if the model has one (an ordered response needs none).
    ordered : bool
        The model is that of proportional odds, and the classes are in order (numbers, or an ordered Categorical). For
        continuation ratios look at each stage by itself.
    freq_weights : array-like, optional
        Rows of weight 0 are left out; other weights do not matter.

    Returns
    -------
    SeparationResult

    Notes
    -----
    Data are separated if some direction u of the parameters never makes an observed class less likely, and
    some more so (Albert and Anderson 1984 [1]_): with two classes, :math:`(2 y_i - 1) x_i^\top u \ge 0` for all rows. A
    linear programme finds u [2]_ and is repeated on the rows that u leaves undecided, until no direction is left for
    the rest. These rows determine what stays finite: an estimate is infinite if its column is not among the
    combinations of theirs.

    References
    ----------
    .. [1] A. Albert and J. A. Anderson, "On the existence of maximum likelihood estimates in logistic regression
       models", Biometrika 71, 1-10, 1984. https://doi.org/10.1093/biomet/71.1.1
    .. [2] K. Konis, "Linear programming algorithms for detecting separated data in binary logistic regression models",
       DPhil thesis, University of Oxford, 2007.

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats import detect_separation
    >>> x = pd.DataFrame({"const": 1, "dose": [1, 2, 3, 4, 5, 6], "weight": [5, 3, 4, 4, 5, 3]})
    >>> print(detect_separation([0, 0, 0, 1, 1, 1], x))
    There is complete separation: 6 of 6 rows are predicted without error, and the maximum likelihood estimates of
    const, dose, weight are infinite.
    >>> detect_separation([0, 0, 1, 0, 1, 1], x).kind
    'none'
    """
    designs.refuse_misaligned(exog, endog=endog, freq_weights=freq_weights)
    code, labels = designs.read_ordered(endog) if ordered else designs.read_nominal(endog)
    code = np.asarray(code, dtype=np.float64)
    frame = designs.read_frame(exog, len(code))
    designs.refuse_missing(frame, code, {}, "leave the row out")
    code = code.astype(np.int64)
    weight = designs.read_weights(freq_weights, len(code))
    designs.refuse_one_class(code, weight, list(labels))
    counts = np.flatnonzero(weight > 0.0)
    x, code = frame.to_numpy(dtype=np.float64)[counts], code[counts]
    if ordered:
        constraints, coefficients, row = _ordered(x, code, len(labels), list(frame.columns))
    else:
        constraints, coefficients, row = _multinomial(x, code, len(labels), list(frame.columns))
    rest, finite, _ = overlap(constraints, coefficients)
    sign = np.zeros(len(finite))
    if not finite.all():
        way = signs(constraints, coefficients[~finite])
        sign[~finite] = np.where(way == 0.0, np.nan, np.copysign(np.inf, way))
    separated = np.zeros(len(frame), np.bool_)
    separated[counts] = True
    separated[counts[row[rest]]] = False
    if ordered:
        index = [*frame.columns, *(f"{a}/{b}" for a, b in pairwise(labels))]
        directions = pd.DataFrame({"direction": sign}, index=index)
    else:
        directions = pd.DataFrame(sign.reshape(len(labels) - 1, -1).T, index=frame.columns, columns=labels[1:])
    infinite = directions.index[(directions != 0.0).any(axis=1)]
    kind = "none" if finite.all() else "complete" if separated[counts].all() else "quasi-complete"
    return SeparationResult(kind != "none", kind, list(infinite), directions, separated)


def is_separated(x: Array, code: NDArray[np.int64], n_classes: int, names: list[Any]) -> bool:
    """Whether the multinomial model's estimates are infinite: of :func:`detect_separation` the first question alone.

    Which estimates are infinite, and where they go, takes a linear programme for each of them.
    """
    return recession_direction(_multinomial(x, code, n_classes, names)[0]) is not None


def _multinomial(
    x: Array, code: NDArray[np.int64], n_classes: int, names: list[Any]
) -> tuple[Array, Array, NDArray[np.int64]]:
    """Constraints on parameters of orthogonal columns, coefficients as combinations of these, the constraints' rows."""
    q, r = np.linalg.qr(x)
    designs.refuse_aliased(r, np.linalg.norm(x, axis=0), x.shape, names)
    constraints, row = multinomial_constraints(q, code, n_classes)
    return constraints, np.kron(np.eye(n_classes - 1), solve_triangular(r, np.eye(len(r)))), row


def _ordered(
    x: Array, code: NDArray[np.int64], n_classes: int, names: list[Any]
) -> tuple[Array, Array, NDArray[np.int64]]:
    """The same for ordered classes: a row for each case and each threshold beside its class."""
    designs.refuse_aliased_columns(np.column_stack([np.ones(len(x)), x]), ["the constant", *names])
    middle = x.mean(axis=0)
    q, r = np.linalg.qr(x - middle)
    threshold = np.eye(n_classes - 1)
    below, above = np.flatnonzero(code < n_classes - 1), np.flatnonzero(code > 0)
    blocks = [
        np.column_stack([-q[below], threshold[code[below]]]),
        np.column_stack([q[above], -threshold[code[above] - 1]]),
    ]
    # Slopes are r⁻¹ g; with the columns' means taken off, thresholds are less by what the means contribute.
    slopes = solve_triangular(r, np.eye(len(r)))
    coefficients = np.block([
        [slopes, np.zeros((len(r), n_classes - 1))],
        [np.tile(middle @ slopes, (n_classes - 1, 1)), threshold],
    ])  # fmt: skip
    return np.concatenate(blocks), coefficients, np.concatenate([below, above])
