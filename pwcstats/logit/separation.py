"""Detection of separation: which maximum likelihood estimates of a logistic model are infinite."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from statsmodels.iolib.summary import Summary

from pwcstats import _params, _summary
from pwcstats._arrays import Array
from pwcstats._kernels.separation import multinomial_constraints, overlap, recession_direction, signs
from pwcstats._results import Result, plain
from pwcstats._text import listed
from pwcstats.logit import reading

__all__ = ["SeparationResult", "detect_separation"]

Kind = Literal["complete", "quasi-complete", "none"]


@dataclass(frozen=True, repr=False)
class SeparationResult(Result):
    """Result of :func:`detect_separation`.

    Attributes
    ----------
    separated : bool
        Whether some maximum likelihood estimates are infinite.
    kind : {"complete", "quasi-complete", "none"}
        Complete: all rows are predicted without error. Quasi-complete: some estimates are infinite, but not all rows
        are predicted without error.
    columns : list
        Columns with infinite estimates.
    directions : DataFrame
        Limits of the estimates: inf, -inf or 0 (finite) for each column (rows) and each class but the first (columns).
        For an ordered response the thresholds follow the columns. NaN means infinite with a sign that the data do not
        determine, which is common under complete separation.
    rows : ndarray of bool
        Rows whose outcome is predicted without error in the limit.
    """

    separated: bool
    kind: Kind
    columns: list[Any]
    directions: pd.DataFrame
    rows: NDArray[np.bool_]

    def tidy(self) -> pd.DataFrame:
        """One row for each column (and class, if there are more than two) with its direction as `estimate`."""
        estimate = self.directions.to_numpy()
        table = pd.DataFrame(
            {"term": list(self.directions.index) * estimate.shape[1], "estimate": estimate.ravel(order="F")}
        )
        if estimate.shape[1] > 1:
            table.insert(0, "y_level", np.repeat(self.directions.columns, len(estimate)))
        return table

    def glance(self) -> pd.DataFrame:
        """One row: `separated`, `kind`, numbers of infinite estimates and of rows predicted without error, `nobs`."""
        return pd.DataFrame(
            [
                {
                    "separated": self.separated,
                    "kind": self.kind,
                    "n_infinite": int((self.directions.to_numpy() != 0.0).sum()),
                    "n_rows": int(self.rows.sum()),
                    "nobs": len(self.rows),
                }
            ]
        )

    def summary(self) -> Summary:
        """Summary with the limit of each estimate."""
        text = {0.0: "finite", np.inf: "inf", -np.inf: "-inf"}
        limits = self.directions.map(lambda x: text.get(x, "sign unknown"))
        left, right = [("Separation:", self.kind)], [("Rows without error:", f"{self.rows.sum()} of {len(self.rows)}")]
        return _summary.report("Limits of Maximum Likelihood Estimates", left, right, limits)

    def to_dict(self) -> dict[str, Any]:
        """All fields, ready for JSON, which has no infinity: directions are "inf", "-inf", "finite" or "unknown"."""
        terms = self.tidy()
        text = {0.0: "finite", np.inf: "inf", -np.inf: "-inf"}
        terms["estimate"] = [text.get(direction, "unknown") for direction in terms["estimate"]]
        return {
            **plain(self.glance())[0],
            "columns": plain(self.columns),
            "rows": plain(self.rows),
            "terms": plain(terms),
        }

    def __str__(self) -> str:
        if not self.separated:
            return "There is no separation: all maximum likelihood estimates are finite."
        names = ", ".join(map(str, self.columns))
        which = f"estimate of {names} is" if len(self.columns) == 1 else f"estimates of {names} are"
        certain = f"{self.rows.sum()} of {len(self.rows)} rows are predicted without error"
        if not self.rows.any():  # more than two classes
            certain = "no row is predicted without error, but classes are ruled out for some"
        return f"There is {self.kind} separation: {certain}, and the maximum likelihood {which} infinite."

    def __repr__(self) -> str:
        return f"{self}\n{self.directions}" if self.separated else str(self)

    def _title(self) -> str:
        return str(self)


def detect_separation(endog: Any, exog: Any, *, ordered: bool = False, freq_weights: Any = None) -> SeparationResult:
    r"""Find out whether the maximum likelihood estimates of a logistic model are finite, without fitting it.

    Parameters
    ----------
    endog : array-like
        Classes, with labels of any kind: two for the binary logit, more for the multinomial logit.
    exog : array-like
        Design matrix, including the constant if the model has one (an ordered response needs none).
    ordered : bool
        Whether the model is the proportional odds model, for ordered classes (numbers, or an ordered Categorical). For
        continuation ratios, check each stage separately.
    freq_weights : array-like, optional
        Rows of weight 0 are left out. Other weights have no effect.

    Returns
    -------
    SeparationResult

    Notes
    -----
    Data are separated if some direction u of the parameters never makes an observed class less likely, and makes some
    observed classes more likely (Albert and Anderson 1984 [1]_). With two classes this means
    :math:`(2 y_i - 1) x_i^\top u \ge 0` for all rows, with some inequalities strict. A linear program finds u [2]_. It
    is solved again for the rows that u does not separate, until no such direction exists for the remaining rows. These
    determine which estimates are finite: those of coefficients that are linear combinations of the remaining rows.

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
    ordered = _params.flag(ordered, "ordered")
    reading.check_aligned(exog, endog=endog, freq_weights=freq_weights)
    code, labels = reading.read_ordered(endog) if ordered else reading.read_nominal(endog)
    code = np.asarray(code, dtype=np.float64)
    frame = reading.read_frame(exog, len(code))
    reading.check_no_missing(frame, code, {})
    code = code.astype(np.int64)
    weight = reading.read_weights(freq_weights, len(code))
    reading.check_classes(code, weight, list(labels))
    counts = np.flatnonzero(weight > 0.0)
    x, code = frame.to_numpy(dtype=np.float64)[counts], code[counts]
    if ordered:
        constraints, coefficients, row = _ordered(x, code, len(labels), list(frame.columns))
    else:
        constraints, coefficients, row = _multinomial(x, code, len(labels), list(frame.columns))
    rest, finite, _ = overlap(constraints, coefficients)
    sign = np.zeros(len(finite))
    if not finite.all():
        found = signs(constraints, coefficients[~finite])
        sign[~finite] = np.where(found == 0.0, np.nan, np.copysign(np.inf, found))
    separated = np.zeros(len(frame), np.bool_)
    separated[counts] = True
    separated[counts[row[rest]]] = False
    if ordered:
        index = [*frame.columns, *(f"{a}/{b}" for a, b in pairwise(labels))]
        directions = pd.DataFrame({"direction": sign}, index=index)
    else:
        directions = pd.DataFrame(sign.reshape(len(labels) - 1, -1).T, index=frame.columns, columns=labels[1:])
    infinite = directions.index[(directions != 0.0).any(axis=1)]
    kind: Kind = "none" if finite.all() else "complete" if separated[counts].all() else "quasi-complete"
    return SeparationResult(kind != "none", kind, list(infinite), directions, separated)


def separation_message(columns: Sequence[Any], kind: str, cure: str, where: str = "") -> str:
    """Message for separated data; `where` names the fit, `cure` tells what to do."""
    outcomes = "every outcome" if kind == "complete" else "some outcomes"
    if len(columns) == 1:
        what = f"{listed(columns)} predicts"
        infinite = "its maximum likelihood estimate and standard error are infinite"
    else:
        what = f"a combination of {listed(columns)} predicts"
        infinite = "their maximum likelihood estimates and standard errors are infinite"
    return f"there is {kind} separation{where}: {what} {outcomes} without error, so {infinite}; {cure}."


def is_separated(x: Array, code: NDArray[np.int64], n_classes: int, names: list[Any]) -> bool:
    """Whether some estimates of the multinomial model are infinite.

    This is faster than :func:`detect_separation`, which solves a linear program for each infinite estimate.
    """
    return recession_direction(_multinomial(x, code, n_classes, names)[0]) is not None


def _multinomial(
    x: Array, code: NDArray[np.int64], n_classes: int, names: list[Any]
) -> tuple[Array, Array, NDArray[np.int64]]:
    """Constraints on the parameters of orthogonalised columns, the coefficients in terms of these, and row indices."""
    q, r = np.linalg.qr(x)
    reading.check_rank(x, names, r=r)
    constraints, row = multinomial_constraints(q, code, n_classes)
    return constraints, np.kron(np.eye(n_classes - 1), solve_triangular(r, np.eye(len(r)))), row


def _ordered(
    x: Array, code: NDArray[np.int64], n_classes: int, names: list[Any]
) -> tuple[Array, Array, NDArray[np.int64]]:
    """The same for ordered classes: one constraint for each row and each threshold of its class."""
    reading.check_rank(np.column_stack([np.ones(len(x)), x]), ["the constant", *names])
    mean = x.mean(axis=0)
    q, r = np.linalg.qr(x - mean)
    threshold = np.eye(n_classes - 1)
    below, above = np.flatnonzero(code < n_classes - 1), np.flatnonzero(code > 0)
    blocks = [
        np.column_stack([-q[below], threshold[code[below]]]),
        np.column_stack([q[above], -threshold[code[above] - 1]]),
    ]
    # Slopes are r⁻¹ g. Centring the columns lowers the thresholds by the contribution of the means.
    slopes = solve_triangular(r, np.eye(len(r)))
    coefficients = np.block([
        [slopes, np.zeros((len(r), n_classes - 1))],
        [np.tile(mean @ slopes, (n_classes - 1, 1)), threshold],
    ])  # fmt: skip
    return np.concatenate(blocks), coefficients, np.concatenate([below, above])
