"""The specification of a fit: the options that define its parameters, checked against the comparisons."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from patsy import EvalEnvironment

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._text import listed, shown
from pwcstats.bradley_terry.contests import Contest, read_contest
from pwcstats.bradley_terry.covariates import read_covariates
from pwcstats.bradley_terry.methods import METHODS, Prior, read_prior
from pwcstats.bradley_terry.reading import Rows
from pwcstats.bradley_terry.ties import TIE_MODELS, TieModel
from pwcstats.errors import InputError, arg, code

# Names of the order effect and of the log tie parameter among the parameters.
ORDER_TERM, TIE_TERM = "(order)", "(tie)"


@dataclass(frozen=True)
class Spec:
    """Specification of a fit.

    `labels` are the items or, if there are covariates `z`, the names of the covariates. `ref` is the index of the
    reference item.
    """

    method: str
    ties: str
    order: bool
    maxiter: int
    labels: pd.Index
    z: Array | None
    ref: int | None
    contest: Contest | None
    prior: Prior | None

    @property
    def tie_model(self) -> TieModel:
        """The model of ties."""
        return TIE_MODELS[self.ties]

    @property
    def firth(self) -> bool:
        """Whether the likelihood has Jeffreys' penalty."""
        return METHODS[self.method].jeffreys

    @property
    def contest_values(self) -> Array | None:
        """Contest covariates, one row for each row of the user's data."""
        return None if self.contest is None else self.contest.values

    @property
    def beta_terms(self) -> list[str]:
        """Names of the order effect and the contest covariates."""
        return [ORDER_TERM] * self.order + ([] if self.contest is None else self.contest.names)

    @property
    def extra_terms(self) -> list[str]:
        """Names of the parameters that follow the abilities or coefficients."""
        return self.beta_terms + [TIE_TERM] * self.tie_model.has_parameter


def read_spec(
    rows: Rows,
    data: pd.DataFrame | None,
    *,
    method: Any,
    ties: Any,
    order_effect: Any,
    covariates: Any,
    item_data: Any,
    contest: Any,
    environment: EvalEnvironment | None,
    ref: Hashable | None,
    prior_sd: Any,
    pseudo: Any,
    maxiter: Any,
) -> Spec:
    """Check the options by themselves, then against the comparisons and the user's data."""
    method = _params.choice(method, METHODS, "method")
    ties = _params.choice(ties, TIE_MODELS, "ties")
    order = _params.flag(order_effect, "order_effect")
    maxiter = _params.count(maxiter, "maxiter")
    prior = read_prior(method, prior_sd, pseudo)
    if covariates is None and item_data is not None:
        raise InputError(
            f"{arg('item_data')} holds the variables of a formula; give the formula as {arg('covariates')}."
        )
    if covariates is not None and ref is not None:
        raise InputError(
            f"with {arg('covariates')} no item is the reference, because the coefficients do not depend on one; leave "
            f"{arg('ref')} out."
        )
    if covariates is not None and prior is not None:
        raise InputError(
            f"{arg('method', method)} is a prior for abilities, but with {arg('covariates')} these follow from the "
            f"covariates; use {arg('method', 'firth')}, or leave the covariates out."
        )
    if METHODS[method].jeffreys and not TIE_MODELS[ties].exponential:
        raise InputError(
            f"{arg('method', method)} does not support {arg('ties', ties)}; use {arg('ties', 'davidson')}, or another "
            "method."
        )
    ref_index = None if ref is None else _params.index_of(ref, rows.items, "ref")
    z, labels = None, rows.items
    if covariates is not None:
        z, names = read_covariates(covariates, item_data, rows.items, environment)
        labels = pd.Index(names)
    spec = Spec(
        method, ties, order, maxiter, labels, z, ref_index, read_contest(contest, rows, data, order, environment), prior
    )
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
    extra = spec.extra_terms
    names = {label for label in spec.labels if isinstance(label, str)}
    taken = [name for name in extra if name in names]
    if taken:
        raise InputError(
            f"an item or covariate of items has the name of another parameter, {listed(taken)}; rename it."
        )
    for given, what in ((spec.labels, "covariates"), (pd.Index(extra), "contest covariates")):
        if not given.is_unique:
            repeated = given[given.duplicated()][0]
            raise InputError(f"the {what} must have different names, got {shown(repeated)} twice.")
