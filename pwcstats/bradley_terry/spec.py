"""The specification of a fit: the options that define its parameters, checked against the comparisons."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from patsy import EvalEnvironment

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._text import listed, shown
from pwcstats.bradley_terry.covariates import read_covariates
from pwcstats.bradley_terry.reading import Rows
from pwcstats.errors import InputError, arg, code

Method = Literal["mle", "firth"]
Ties = Literal["none", "davidson", "half"]

# Names of the order effect and of log nu among the parameters.
ORDER_TERM, TIE_TERM = "(order)", "(tie)"


@dataclass(frozen=True)
class Spec:
    """Specification of a fit.

    `labels` are the items or, if there are covariates `z`, the names of the covariates. Items whose covariates are
    missing, `own`, have coefficients of their own, which come first. `ref` is the index of the reference item.
    """

    method: str
    ties: str
    order: bool
    maxiter: int
    labels: pd.Index
    z: Array | None
    ref: int | None
    own: NDArray[np.int64]

    @property
    def davidson(self) -> bool:
        """Whether there is a tie parameter."""
        return self.ties == "davidson"

    @property
    def firth(self) -> bool:
        """Whether the likelihood is penalised."""
        return self.method == "firth"

    @property
    def extra_terms(self) -> list[str]:
        """Names of the parameters that follow the abilities or coefficients."""
        return [ORDER_TERM] * self.order + [TIE_TERM] * self.davidson


def read_spec(
    rows: Rows,
    *,
    method: Any,
    ties: Any,
    order_effect: Any,
    covariates: Any,
    item_data: Any,
    environment: EvalEnvironment | None,
    ref: Hashable | None,
    maxiter: Any,
) -> Spec:
    """Check the options by themselves, then against the comparisons."""
    method = _params.choice(method, get_args(Method), "method")
    ties = _params.choice(ties, get_args(Ties), "ties")
    order = _params.flag(order_effect, "order_effect")
    maxiter = _params.count(maxiter, "maxiter")
    if covariates is None and item_data is not None:
        raise InputError(
            f"{arg('item_data')} holds the variables of a formula; give the formula as {arg('covariates')}."
        )
    if covariates is not None and ref is not None:
        raise InputError(
            f"with {arg('covariates')} no item is the reference, because the coefficients do not depend on one; leave "
            f"{arg('ref')} out."
        )
    ref_index = None if ref is None else _params.index_of(ref, rows.items, "ref")
    z, labels, own = None, rows.items, np.zeros(0, np.int64)
    if covariates is not None:
        read = read_covariates(covariates, item_data, rows.items, environment)
        z, labels, own = read.values, read.labels, read.own
    spec = Spec(method, ties, order, maxiter, labels, z, ref_index, own)
    _check_labels(spec)
    if ties == "none" and rows.tie.any():
        n_ties = rows.weight[rows.tie].sum() if len(rows.weight) else np.count_nonzero(rows.tie)
        raise InputError(
            f"{n_ties:g} of {rows.total:g} comparisons are ties, but {arg('ties', 'none')} does not allow ties; set "
            f"{arg('ties', 'davidson')} for a tie parameter, or {arg('ties', 'half')} to count half a win for each."
        )
    if order and not rows.home.any():
        raise InputError(
            f"{arg('order_effect')} needs comparisons in which one item went first; pass {arg('first')} to "
            f"{code('from_comparisons')}, and do not mark all rows as {arg('neutral')}. A matrix of wins has no order."
        )
    return spec


def _check_labels(spec: Spec) -> None:
    """Labels must differ from each other and from the names of the other parameters."""
    taken = [
        name for name in spec.extra_terms if any(isinstance(label, str) and label == name for label in spec.labels)
    ]
    if taken:
        raise InputError(f"an item or covariate has the name of a parameter, {listed(taken)}; rename it.")
    if not spec.labels.is_unique:
        repeated = spec.labels[spec.labels.duplicated()][0]
        raise InputError(f"the covariates must have different names, got {shown(repeated)} twice.")
