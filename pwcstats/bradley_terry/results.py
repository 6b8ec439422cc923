"""Results of a Bradley–Terry fit."""

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from statsmodels.iolib.summary import Summary

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._kernels.comparisons import probabilities
from pwcstats._kernels.newton import Ascent
from pwcstats._kernels.tails import Reference
from pwcstats._results import Result, TestResult, plain
from pwcstats.bradley_terry import (
    covariance,
    goodness,
    hypotheses,
    quasi,
    rank_sets,
    resampling,
    residuals,
    simulation,
    updating,
)
from pwcstats.bradley_terry.abilities import abilities as make_abilities
from pwcstats.bradley_terry.contrasts import contrasts as make_contrasts
from pwcstats.bradley_terry.covariance import LARGEST_FULL, CovarianceEstimate
from pwcstats.bradley_terry.leaderboard import leaderboard as make_leaderboard
from pwcstats.bradley_terry.likelihood import Likelihood, Point
from pwcstats.bradley_terry.profile import IntervalMethod, profile_bounds
from pwcstats.bradley_terry.spec import Spec
from pwcstats.bradley_terry.summary import make_summary
from pwcstats.errors import InputError, arg, code

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pwcstats.bradley_terry.model import BradleyTerry

# Of plots; pwcstats.plot takes them from here.
PlotIntervals = Literal["comparison", "wald", "quasi"]
# In the order of the columns of a table of comparisons.
Outcome = Literal["win", "loss", "tie"]


class BradleyTerryResults(Result):
    """Results of :meth:`BradleyTerry.fit`.

    Attributes
    ----------
    model : BradleyTerry
        The fitted model.
    params : Series
        Abilities that sum to 0, or abilities of all items but the reference, or coefficients of the covariates. Then
        ``"(order)"``, the order effect, and ``"(tie)"``, log nu, if the model has them.
    llf : float
        Log-likelihood of the individual comparisons (without binomial coefficients), with Jeffreys' penalty if
        ``method="firth"``.
    llf_unpenalized : float
        Log-likelihood without the penalty.
    nobs, df_model, df_resid : float
        Number of comparisons; number of free parameters; number of distinct pairs (times 2 with a tie parameter) minus
        number of free parameters.
    converged, n_iter, reason : bool, int, str
        Whether the iteration converged, number of iterations, and why it did not converge.
    method, cov_type : str
        Method and type of covariance of the fit.
    use_t : bool
        Whether tests and intervals use Student's t distribution (Hotelling's for several parameters) instead of the
        normal distribution; True after ``cov_type="cluster"``.
    df_resid_inference : int
        Degrees of freedom of the t distribution, the number of groups minus 1; `df_resid` if there are no groups, as
        in statsmodels.
    """

    def __init__(
        self,
        model: "BradleyTerry",
        spec: Spec,
        likelihood: Likelihood,
        ascent: Ascent[Point],
        estimate: CovarianceEstimate,
        cov_type: str,
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
        self.df_model = likelihood.rank
        cells = 2 if spec.davidson else 1
        self.df_resid = cells * len(likelihood.table.first) - likelihood.rank
        self.use_t = n_groups is not None
        self.df_resid_inference: int = self.df_resid if n_groups is None else n_groups - 1
        self.params = pd.Series(self._reported(point.params), index=self._terms, name="params")

    # Parameters

    @cached_property
    def _terms(self) -> pd.Index:
        labels, extra = self.spec.labels, self.spec.extra_terms
        if self.spec.ref is not None:
            labels = labels.delete(self.spec.ref)
        return labels.append(pd.Index(extra, dtype=object)) if extra else labels

    def _reported(self, params: Array) -> Array:
        """Parameters as they are reported: with a reference item, differences from its ability."""
        ref, size = self.spec.ref, self._likelihood.design.size
        if ref is None:
            return params.copy()
        relative = params.copy()
        relative[:size] -= params[ref]
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
        ref, size = self.spec.ref, self._likelihood.design.size
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
        indices = every if terms is None else _indices_of(terms, self._terms, "terms", "parameters")
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
        return 2.0 * (self.df_model - self.llf_unpenalized)

    @property
    def bic(self) -> float:
        """Schwarz's information criterion of the unpenalised likelihood; the observations are the comparisons."""
        return float(np.log(self.nobs)) * self.df_model - 2.0 * self.llf_unpenalized

    @cached_property
    def _expected(self) -> Array:
        """Expected wins, losses and ties of each pair."""
        return goodness.expected_counts(self._likelihood, self._point)

    @cached_property
    def deviance(self) -> float:
        """Twice the log-likelihood ratio to a model with one probability for each pair (and order, if known)."""
        return goodness.deviance(self._likelihood.table.counts, self._expected)

    @cached_property
    def pearson_chi2(self) -> float:
        """Sum of squared differences between observed and expected counts, divided by the expected counts."""
        return goodness.pearson(self._likelihood.table.counts, self._expected)

    # Each of the following methods is in the module of its subject.

    goodness_of_fit = goodness.goodness_of_fit
    lr_test = hypotheses.lr_test
    wald_test = hypotheses.wald_test
    contrast = hypotheses.contrast
    contrasts = make_contrasts
    quasi_variances = quasi.quasi_variances
    comparison_intervals = quasi.comparison_intervals
    ranks = rank_sets.ranks
    abilities = make_abilities
    resid = residuals.resid
    simulate = simulation.simulate
    update = updating.update
    leaderboard = make_leaderboard
    bootstrap = resampling.bootstrap

    # Items

    @cached_property
    def _ability(self) -> Array:
        """Abilities of all items as they are reported."""
        ability, _, _ = self._likelihood.split(self._point.params)
        return ability if self.spec.ref is None else ability - ability[self.spec.ref]

    @cached_property
    def _item_cov(self) -> Array:
        """Covariance of the abilities of all items, which sum to 0."""
        n = self.model.n_items
        return self._likelihood.design.expand(self._cov)[:n, :n]

    @cached_property
    def _item_se(self) -> Array:
        n = self.model.n_items
        if self._estimate.cov is None:
            return np.sqrt(self._variance[:n])
        return np.sqrt(np.maximum(np.diagonal(covariance.relative(self._item_cov, self.spec.ref, n)), 0.0))

    @overload
    def predict(
        self, first: Hashable, second: Hashable, *, outcome: Outcome | Literal["link"] = ..., neutral: bool = ...
    ) -> float: ...
    @overload
    def predict(
        self, first: Any, second: Any, *, outcome: Outcome | Literal["link"] = ..., neutral: bool = ...
    ) -> Array: ...
    def predict(
        self, first: Any, second: Any, *, outcome: Outcome | Literal["link"] = "win", neutral: bool = False
    ) -> float | Array:
        """Probability of an outcome of `first` against `second`.

        Parameters
        ----------
        first, second : item or sequence of items
            The items that meet; `first` has the order effect, if the model has one.
        outcome : {"win", "loss", "tie", "link"}
            `first` wins, `second` wins, they tie; or the difference of abilities (plus the order effect) itself.
        neutral : bool
            Whether to leave out the order effect.

        Returns
        -------
        float or ndarray
        """
        _params.choice(outcome, [*get_args(Outcome), "link"], "outcome")
        neutral = _params.flag(neutral, "neutral")
        is_single = [isinstance(item, Hashable) for item in (first, second)]
        a = _indices_of([first] if is_single[0] else first, self.model.items, "first", "items")
        b = _indices_of([second] if is_single[1] else second, self.model.items, "second", "items")
        if len(a) != len(b) and not any(is_single):
            raise InputError(
                f"{arg('first')} and {arg('second')} must have the same length, got {len(a)} and {len(b)}."
            )
        _, order, log_nu = self._likelihood.split(self._point.params)
        d = self._ability[a] - self._ability[b] + (0.0 if neutral else order)
        if outcome != "link":
            d = probabilities(d, log_nu)[:, get_args(Outcome).index(outcome)]
        return float(d[0]) if all(is_single) else d

    def probabilities(self, outcome: Outcome = "win", neutral: bool = True) -> pd.DataFrame:
        """Probability of an outcome for every pair, row against column; the diagonal is missing.

        Parameters
        ----------
        outcome : {"win", "loss", "tie"}
            Outcome for the item of the row.
        neutral : bool
            If True, nobody goes first; if False, the item of the row does.

        Returns
        -------
        DataFrame
        """
        _params.choice(outcome, get_args(Outcome), "outcome")
        items = self.model.items
        n = len(items)
        if n > LARGEST_FULL:
            raise InputError(
                f"the probabilities of {n} items would take {8e-9 * n**2:.0f} GB; use {code('predict')} for some pairs."
            )
        p = self.predict(items.repeat(n), items[np.tile(np.arange(n), n)], outcome=outcome, neutral=neutral)
        p = p.reshape(n, n)
        np.fill_diagonal(p, np.nan)
        return pd.DataFrame(p, index=items, columns=items)

    def tie_parameter(self, alpha: float = 0.05) -> TestResult:
        """Davidson's nu, with a standard error (by the delta method) and an interval from that of log nu.

        Two equal items tie nu / 2 times as often as they have a winner.

        Parameters
        ----------
        alpha : float
            Significance level; the interval has level 1 - alpha.

        Returns
        -------
        TestResult
        """
        _params.level(alpha, "alpha")
        if not self.spec.davidson:
            raise InputError(f"the model has no tie parameter; fit with {arg('ties', 'davidson')}.")
        log_nu, se = float(self.params.iloc[-1]), float(self.bse.iloc[-1])
        low, high = self.conf_int(alpha).iloc[-1]
        return TestResult(
            **hypotheses.standardised(self, log_nu / se),
            estimate=float(np.exp(log_nu)),
            conf_int=(float(np.exp(low)), float(np.exp(high))),
            method="Wald test of log nu",
            null="nu is 1",
            std_error=float(np.exp(log_nu)) * se,
        )

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
                "nobs": [int(self.nobs) if float(self.nobs).is_integer() else self.nobs],
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

    def summary(self, alpha: float = 0.05, max_rows: int = 100) -> Summary:
        """Summary of the fit, in the format of statsmodels.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.
        max_rows : int
            Largest number of parameters to show. If there are more, the best and the worst items are shown.

        Returns
        -------
        statsmodels.iolib.summary.Summary
        """
        return make_summary(self, _params.level(alpha, "alpha"), _params.count(max_rows, "max_rows", 2))

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

    def _title(self) -> str:
        return "Bradley-Terry fit"


def _indices_of(wanted: Any, labels: pd.Index, name: str, what: str) -> NDArray[np.int64]:
    """Indices of several items or parameters."""
    given = pd.Index(wanted)
    indices = labels.get_indexer(given)
    if (indices < 0).any():
        _params.index_of(given[int(np.argmax(indices < 0))], labels, name, what)
    return indices
