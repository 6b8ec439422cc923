"""The specification of a fit: the options that define its parameters, checked against the comparisons."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
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

RandomEffects = Literal["laplace", "pql"]

# Names of the order effect and of the log tie parameter among the parameters.
ORDER_TERM, TIE_TERM = "(order)", "(tie)"


@dataclass(frozen=True)
class Spec:
    """Specification of a fit.

    `labels` are the items or, if there are covariates `z`, the names of the covariates. Items whose covariates are
    missing, `own`, have coefficients of their own, which come first. `ref` is the index of the reference item.
    `infinite` is empty, or has an entry for each item: plus or minus infinity if its own ability is infinite, and else
    0.
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
    own: NDArray[np.int64]
    random_effects: str | None = None
    infinite: Array = field(default_factory=lambda: np.zeros(0))

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

    def covariate_frame(self, items: pd.Index) -> pd.DataFrame | None:
        """Covariates of the items, missing for items with abilities of their own; None if there are none."""
        if self.z is None or self.z.shape[1] == len(self.own):
            return None
        frame = pd.DataFrame(self.z[:, len(self.own) :], index=items, columns=self.labels[len(self.own) :])
        frame.iloc[self.own] = np.nan
        frame.iloc[np.flatnonzero(self.infinite)] = np.nan
        return frame

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
    random_effects: Any,
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
    effects = _read_random_effects(random_effects, method, ties, ref)
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
    z, labels, own = None, rows.items, np.zeros(0, np.int64)
    if covariates is not None:
        read = read_covariates(covariates, item_data, rows.items, environment)
        z, labels, own = read.values, read.labels, read.own
    elif effects is not None:
        z, labels = np.zeros((len(rows.items), 0)), pd.Index([], dtype=object)
    found = read_contest(contest, rows, data, order, environment)
    spec = Spec(method, ties, order, maxiter, labels, z, ref_index, found, prior, own, effects)
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


def _read_random_effects(given: Any, method: str, ties: str, ref: Hashable | None) -> str | None:
    if given is None or given is False:
        return None
    kind = "laplace" if given is True else _params.choice(given, get_args(RandomEffects), "random_effects")
    if method != "mle":
        raise InputError(
            f"{arg('random_effects')} are fitted by {arg('method', 'mle')}, got {arg('method', method)}; leave one of "
            "the two out."
        )
    if TIE_MODELS[ties].has_parameter:
        raise InputError(
            f"{arg('random_effects')} do not support {arg('ties', ties)}; use {arg('ties', 'half')} to count half a "
            "win for each item."
        )
    if ref is not None:
        raise InputError(
            f"with {arg('random_effects')} the abilities are deviations from a mean, so no item is the reference; "
            f"leave {arg('ref')} out."
        )
    return kind


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
