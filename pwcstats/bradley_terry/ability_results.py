"""What the results of Bradley–Terry and Plackett–Luce models have in common: abilities of items."""

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from statsmodels.iolib.summary import Summary

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._kernels.newton import Ascent
from pwcstats._kernels.tails import Reference
from pwcstats._results import Result, plain, whole
from pwcstats.bradley_terry import covariance, hypotheses, quasi, rank_sets
from pwcstats.bradley_terry.abilities import abilities as make_abilities
from pwcstats.bradley_terry.contrasts import contrasts as make_contrasts
from pwcstats.bradley_terry.covariance import CovarianceEstimate
from pwcstats.bradley_terry.leaderboard import leaderboard as make_leaderboard
from pwcstats.bradley_terry.profile import IntervalMethod, profile_bounds
from pwcstats.errors import InputError, arg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# In the order of the columns of a table of comparisons.
Outcome = Literal["win", "loss", "tie"]

# Intervals of plots; `pwcstats.plot` imports the names from here.
PlotIntervals = Literal["comparison", "wald", "quasi"]


class AbilityResults(Result):
    """Results of a model with an ability for each item: the base of Bradley–Terry and Plackett–Luce results.

    The model has `items`, `n_items`, `nobs` and, for leaderboards, `_n_games` and `_observation`. The specification has
    `labels` (of the abilities, or of the coefficients if abilities depend on covariates `z`), `extra_terms` (names of
    the other parameters), `ref`, `method` and `prior`. The likelihood has `n_reported` (the number of labels),
    `reported` (parameters without a ghost item), `abilities`, `item_covariance`, `rank`, `n_params`, `n_extra`,
    `evaluate`, `solve`, `curvature_solver` and `length`.
    """

    def __init__(
        self, model: Any, spec: Any, likelihood: Any, ascent: Ascent[Any], estimate: CovarianceEstimate, cov_type: str
    ) -> None:
        point, n_groups = ascent.point, estimate.n_groups
        self.model, self.spec = model, spec
        # Of the call of `fit`, for further fits of the same specification.
        self._arguments: dict[str, Any] = {}
        self._likelihood, self._point, self._estimate = likelihood, point, estimate
        self.method, self.cov_type = spec.method, cov_type
        self.converged, self.n_iter, self.reason = bool(ascent.converged), ascent.n_iter, ascent.reason
        self.llf, self.llf_unpenalized = float(point.value), float(point.llf)
        self.nobs = model.nobs
        self.df_model: float = likelihood.rank
        if spec.prior is not None:
            self.df_model = np.nan if estimate.df_model is None else estimate.df_model
        self.df_resid = self._count_cells() - likelihood.rank
        self.use_t = n_groups is not None
        self.df_resid_inference: int = self.df_resid if n_groups is None else n_groups - 1
        self.params = pd.Series(self._reported(point.params), index=self._terms, name="params")

    def __getstate__(self) -> dict[str, Any]:
        # The variables around a formula are not saved.
        return {**vars(self), "_arguments": {**self._arguments, "eval_env": -1}}

    @abstractmethod
    def _count_cells(self) -> int:
        """Number of free probabilities of the saturated model."""

    @property
    @abstractmethod
    def deviance(self) -> float:
        """Twice the log-likelihood ratio to the saturated model."""

    @abstractmethod
    def summary(self, alpha: float = 0.05, max_rows: int = 100) -> Summary:
        """Summary of the fit, in the format of statsmodels."""

    # Parameters

    @cached_property
    def _terms(self) -> pd.Index:
        labels, extra = self.spec.labels, self.spec.extra_terms
        if self.spec.ref is not None:
            labels = labels.delete(self.spec.ref)
        return labels.append(pd.Index(extra, dtype=object)) if extra else labels

    def _reported(self, params: Array) -> Array:
        """Parameters as they are reported: with a reference item, differences from its ability."""
        relative = self._likelihood.reported(params).copy()
        ref = self.spec.ref
        if ref is None:
            return relative
        relative[: self._likelihood.n_reported] -= relative[ref]
        return np.delete(relative, ref)

    def _without_ref(self, x: Array) -> Array:
        return x if self.spec.ref is None else np.delete(x, self.spec.ref)

    @cached_property
    def _cov(self) -> Array:
        """Covariance of the likelihood's parameters, where abilities sum to 0."""
        if self._estimate.cov is None:
            raise InputError(f"this needs the covariance of all parameters; fit with {arg('cov', 'full')}.")
        return self._estimate.cov

    @property
    def _variance(self) -> Array:
        """Variances of the reported parameters and of the reference item."""
        if self._estimate.variance is None:
            raise covariance.no_standard_errors()
        return self._estimate.variance

    def cov_params(self) -> pd.DataFrame:
        """Covariance of `params`; it is singular if the abilities sum to 0."""
        ref, size = self.spec.ref, self._likelihood.n_reported
        if ref is None:
            cov = self._cov.copy()
        else:
            cov = np.delete(np.delete(covariance.relative(self._cov, ref, size), ref, 0), ref, 1)
        return pd.DataFrame(cov, index=self._terms, columns=self._terms)

    @property
    def bse(self) -> pd.Series:
        """Standard errors of `params`."""
        return pd.Series(np.sqrt(self._without_ref(self._variance)), index=self._terms, name="bse")

    @property
    def bse_error(self) -> pd.Series:
        """Relative standard error of each element of `bse`: 0 if it is exact, else the error of random projections."""
        if self._estimate.error is None:
            raise covariance.no_standard_errors()
        return pd.Series(self._without_ref(self._estimate.error), index=self._terms, name="bse_error")

    @property
    def tvalues(self) -> pd.Series:
        """Estimates divided by their standard errors."""
        return (self.params / self.bse).rename("tvalues")

    @property
    def _reference(self) -> Reference:
        """Distribution of a standardised estimate: normal or, if `use_t`, Student's t."""
        return Reference(self.df_resid_inference if self.use_t else None)

    @property
    def pvalues(self) -> pd.Series:
        """Two-sided p-values from the normal distribution or, if `use_t`, from Student's t."""
        return pd.Series(2.0 * self._reference.sf(np.abs(self.tvalues)), index=self._terms, name="pvalues")

    def conf_int(
        self, alpha: float = 0.05, method: IntervalMethod = "wald", terms: Sequence[Hashable] | None = None
    ) -> pd.DataFrame:
        """Confidence intervals of `params`.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.
        method : {"wald", "profile"}
            "wald": the estimate plus and minus a normal (if `use_t`, a t) quantile times its standard error.
            "profile": values at which the (penalised) likelihood, maximised over all other parameters, has fallen by
            half a quantile of chi-squared. Profile intervals follow the shape of the likelihood, and each bound costs
            a few fits.
        terms : sequence, optional
            Parameters; by default all.

        Returns
        -------
        DataFrame
            Lower and upper bounds in columns 0 and 1, as in statsmodels.
        """
        _params.level(alpha, "alpha")
        _params.choice(method, get_args(IntervalMethod), "method")
        if isinstance(terms, str):
            terms = [terms]
        every = np.arange(len(self._terms))
        indices = every if terms is None else indices_of(terms, self._terms, "terms", "parameters")
        if method == "wald":
            estimate = self.params.to_numpy()[indices]
            half = self._reference.isf(alpha / 2.0) * self.bse.to_numpy()[indices]
            return pd.DataFrame({0: estimate - half, 1: estimate + half}, index=self._terms[indices])
        hypotheses.check_nonrobust(self, "a profile-likelihood interval")
        return pd.DataFrame(profile_bounds(self, indices, alpha), index=self._terms[indices])

    # Fit

    @property
    def aic(self) -> float:
        """Akaike's information criterion of the unpenalised likelihood."""
        return float(2.0 * (self.df_model - self.llf_unpenalized))

    @property
    def bic(self) -> float:
        """Schwarz's information criterion of the unpenalised likelihood; the observations are the comparisons."""
        return float(np.log(self.nobs)) * self.df_model - 2.0 * self.llf_unpenalized

    # Each of the following methods is in the module of its subject.

    wald_test = hypotheses.wald_test
    contrast = hypotheses.contrast
    contrasts = make_contrasts
    quasi_variances = quasi.quasi_variances
    comparison_intervals = quasi.comparison_intervals
    ranks = rank_sets.ranks
    abilities = make_abilities
    leaderboard = make_leaderboard

    # Items

    @cached_property
    def _ability(self) -> Array:
        """Abilities of all items as they are reported."""
        ability = self._likelihood.abilities(self._point.params)
        return ability if self.spec.ref is None else ability - ability[self.spec.ref]

    # What readers of a table of abilities should know.
    _ability_notes: tuple[str, ...] = ()

    @property
    def _item_design(self) -> Array | None:
        """Covariates that determine the abilities, one row for each item; None if there are none."""
        z: Array | None = self.spec.z
        return z

    @property
    def _why_equal(self) -> str:
        """Why a difference of two abilities has no standard error."""
        return "the scores are all 0" if self.spec.z is None else "the items have the same covariates"

    @cached_property
    def _item_cov(self) -> Array:
        """Covariance of the abilities of all items, which sum to 0."""
        n = self.model.n_items
        return self._likelihood.item_covariance(self._cov)[:n, :n]

    @cached_property
    def _item_se(self) -> Array:
        n = self.model.n_items
        if self._estimate.cov is None:
            return np.sqrt(self._variance[:n])
        return np.sqrt(np.maximum(np.diagonal(covariance.relative(self._item_cov, self.spec.ref, n)), 0.0))

    @abstractmethod
    def _expected_points(self, d: Array) -> tuple[Array, Array]:
        """Expected points against an item that is worse by d, where a tie is half a point; and their derivatives."""

    # Reports

    def tidy(self, alpha: float = 0.05) -> pd.DataFrame:
        """Estimates, tests and confidence intervals, one row for each parameter.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.

        Returns
        -------
        DataFrame
            With the columns `term`, `estimate`, `std_error`, `statistic`, `p_value`, `conf_low` and `conf_high`. All
            but the first two are missing after ``cov="none"``.
        """
        _params.level(alpha, "alpha")
        columns = {"term": self._terms, "estimate": self.params.to_numpy()}
        names = ("std_error", "statistic", "p_value", "conf_low", "conf_high")
        if self._estimate.variance is None:
            return pd.DataFrame({**columns, **dict.fromkeys(names, np.nan)})
        bounds = self.conf_int(alpha)
        values = (self.bse, self.tvalues, self.pvalues, bounds[0], bounds[1])
        return pd.DataFrame({**columns, **{name: x.to_numpy() for name, x in zip(names, values, strict=True)}})

    def glance(self) -> pd.DataFrame:
        """One row about the fit."""
        return pd.DataFrame(
            {
                "n_items": [self.model.n_items],
                "nobs": [whole(self.nobs)],
                "log_lik": [self.llf_unpenalized],
                "aic": [self.aic],
                "bic": [self.bic],
                "deviance": [self.deviance],
                "df_residual": [self.df_resid],
                "method": [self.method],
                "converged": [self.converged],
                "n_iter": [self.n_iter],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """The columns of `glance`, and the rows of `tidy` as ``"params"``; ready for JSON."""
        return {**plain(self.glance())[0], "params": plain(self.tidy())}

    def plot(
        self,
        intervals: PlotIntervals | None = None,
        alpha: float = 0.05,
        title: str | None = None,
        *,
        ranks: bool = False,
        top: int | None = None,
        ax: "Axes | None" = None,
    ) -> "Axes":
        """Plot abilities with intervals, the best item on top; see :func:`pwcstats.plot.abilities`.

        Parameters
        ----------
        intervals : {"comparison", "wald", "quasi"}, optional
            "comparison": :meth:`comparison_intervals`; two items differ significantly if their intervals do not
            overlap. "wald": confidence intervals of the abilities. "quasi": intervals of level 1 - `alpha` from the
            quasi standard errors, as in R's qvcalc; their overlap is not a test at the level `alpha`. The default is
            "comparison", or "wald" if comparison intervals do not exist.
        alpha : float
            Significance level: for "comparison", of the test by overlap; otherwise intervals have level 1 - `alpha`.
        title : str, optional
            Title of the panel.
        ranks : bool
            Whether to write the set of ranks that each item may hold (:meth:`ranks`) and its number of games in the
            right margin.
        top : int, optional
            Number of items to show, the best ones; by default all.
        ax : matplotlib.axes.Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from pwcstats import plot  # imports matplotlib

        return plot.abilities(self, title=title, intervals=intervals, alpha=alpha, ranks=ranks, top=top, ax=ax)


def indices_of(wanted: Any, labels: pd.Index, name: str, what: str) -> NDArray[np.int64]:
    """Indices of several items or parameters."""
    given = pd.Index(wanted)
    indices = labels.get_indexer(given)
    if (indices < 0).any():
        _params.index_of(given[int(np.argmax(indices < 0))], labels, name, what)
    return indices


def logit_interval(p: Array, half: Array) -> tuple[Array, Array]:
    """Bounds of probabilities, from half the length of their intervals; symmetric on the scale of logits."""
    with np.errstate(divide="ignore", invalid="ignore"):
        odds, factor = p / (1.0 - p), np.exp(half / (p * (1.0 - p)))
        low, high = odds / (factor + odds), odds * factor / (1.0 + odds * factor)
    certain = (p <= 0.0) | (p >= 1.0)
    return np.where(certain, p, low), np.where(certain, p, np.where(np.isinf(odds * factor), 1.0, high))
