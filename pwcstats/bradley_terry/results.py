"""Results of a Bradley–Terry fit."""

from collections.abc import Hashable
from functools import cached_property
from typing import Any, Literal, get_args, overload

import numpy as np
import pandas as pd
from statsmodels.iolib.summary import Summary

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._results import TestResult
from pwcstats.bradley_terry import goodness, hypotheses, resampling, residuals, simulation, updating
from pwcstats.bradley_terry.ability_results import AbilityResults, Outcome, indices_of, logit_interval
from pwcstats.bradley_terry.covariance import LARGEST_FULL
from pwcstats.bradley_terry.likelihood import Likelihood, Point, predictor_covariance
from pwcstats.bradley_terry.spec import Spec
from pwcstats.bradley_terry.summary import summarise_comparisons
from pwcstats.errors import InputError, arg, code


class BradleyTerryResults(AbilityResults):
    """Results of :meth:`BradleyTerry.fit`.

    Attributes
    ----------
    model : BradleyTerry
        The fitted model.
    params : Series
        Abilities that sum to 0, or abilities of all items but the reference, or coefficients of the covariates. Then
        ``"(order)"``, the order effect, coefficients of contest covariates, and ``"(tie)"``, the log of the tie
        parameter, if the model has them.
    llf : float
        Log-likelihood of the individual comparisons (without binomial coefficients), with the penalty of the
        method if it has one.
    llf_unpenalized : float
        Log-likelihood without the penalty.
    nobs, df_model, df_resid : float
        Number of comparisons; number of free parameters, for priors the effective number (missing unless
        ``cov="full"``); number of distinct pairs or contests (times 2 with a tie parameter) minus number of free
        parameters.
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

    spec: Spec
    _likelihood: Likelihood
    _point: Point

    def _count_cells(self) -> int:
        return (2 if self.spec.tie_model.has_parameter else 1) * len(self._likelihood.table.first)

    # Fit

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

    lr_test = hypotheses.lr_test
    goodness_of_fit = goodness.goodness_of_fit
    resid = residuals.resid
    simulate = simulation.simulate
    bootstrap = resampling.bootstrap
    update = updating.update

    # Predictions

    def _expected_points(self, d: Array) -> tuple[Array, Array]:
        p = self.spec.tie_model.probabilities(d, self._likelihood.split(self._point.params)[2])
        return p[:, 0] + 0.5 * p[:, 2], self.spec.tie_model.slope(p)

    @overload
    def predict(
        self,
        first: Hashable,
        second: Hashable,
        *,
        outcome: Outcome | Literal["link"] = ...,
        neutral: bool = ...,
        contest: Any = ...,
        se: Literal[False] = ...,
        alpha: float = ...,
    ) -> float: ...
    @overload
    def predict(
        self,
        first: Any,
        second: Any,
        *,
        outcome: Outcome | Literal["link"] = ...,
        neutral: bool = ...,
        contest: Any = ...,
        se: Literal[False] = ...,
        alpha: float = ...,
    ) -> Array: ...
    @overload
    def predict(
        self,
        first: Any,
        second: Any,
        *,
        outcome: Outcome | Literal["link"] = ...,
        neutral: bool = ...,
        contest: Any = ...,
        se: Literal[True],
        alpha: float = ...,
    ) -> pd.DataFrame: ...
    def predict(
        self,
        first: Any,
        second: Any,
        *,
        outcome: Outcome | Literal["link"] = "win",
        neutral: bool = False,
        contest: Any = None,
        se: bool = False,
        alpha: float = 0.05,
    ) -> float | Array | pd.DataFrame:
        """Probability of an outcome of `first` against `second`.

        Parameters
        ----------
        first, second : item or sequence of items
            The items that meet; `first` has the order effect, if the model has one.
        outcome : {"win", "loss", "tie", "link"}
            `first` wins, `second` wins, they tie; or the difference of abilities (plus the order effect and the contest
            covariates) itself.
        neutral : bool
            Whether to leave out the order effect.
        contest : DataFrame, dict or array-like, optional
            Contest covariates of the new contests, one row each, or one row for all: columns that the fit used, or the
            values themselves. By default all are 0, so that neither item has an advantage.
        se : bool
            Whether to add standard errors (by the delta method) and confidence intervals. Intervals of probabilities
            are computed on the scale of logits.
        alpha : float
            Significance level; intervals have level 1 - alpha.

        Returns
        -------
        float, ndarray or DataFrame
            With `se`, a data frame with the columns `estimate`, `std_error`, `conf_low` and `conf_high`.
        """
        _params.choice(outcome, [*get_args(Outcome), "link"], "outcome")
        neutral, se = _params.flag(neutral, "neutral"), _params.flag(se, "se")
        _params.level(alpha, "alpha")
        is_single = [isinstance(item, Hashable) for item in (first, second)]
        a = indices_of([first] if is_single[0] else first, self.model.items, "first", "items")
        b = indices_of([second] if is_single[1] else second, self.model.items, "second", "items")
        if len(a) != len(b) and not any(is_single):
            raise InputError(
                f"{arg('first')} and {arg('second')} must have the same length, got {len(a)} and {len(b)}."
            )
        a, b = np.broadcast_arrays(a, b)
        x = self._new_contests(contest, len(a), neutral)
        _, beta, tie = self._likelihood.split(self._point.params)
        d = self._ability[a] - self._ability[b] + x @ beta
        p = self.spec.tie_model.probabilities(d, tie)
        column = None if outcome == "link" else get_args(Outcome).index(outcome)
        estimate = d if column is None else p[:, column]
        if not se:
            return float(estimate[0]) if all(is_single) else estimate
        cov = self._likelihood.item_covariance(self._cov)
        has_tie = self.spec.tie_model.has_parameter
        var_d, cov_d_tie = predictor_covariance(cov, self.model.n_items, a, b, x, has_tie)
        var_tie = float(cov[-1, -1]) if has_tie else 0.0
        slope_d, slope_tie = np.ones(len(d)), np.zeros(len(d))
        if column is not None:
            slope_d, slope_tie = (estimate * s[:, column] for s in self.spec.tie_model.scores(p, tie))
        variance = slope_d**2 * var_d + 2.0 * slope_d * slope_tie * cov_d_tie + slope_tie**2 * var_tie
        error = np.sqrt(np.maximum(variance, 0.0))
        half = self._reference.isf(alpha / 2.0) * error
        if column is None:
            low, high = d - half, d + half
        else:
            low, high = logit_interval(estimate, half)
        return pd.DataFrame({"estimate": estimate, "std_error": error, "conf_low": low, "conf_high": high})

    def _new_contests(self, contest: Any, n: int, neutral: bool) -> Array:
        """Order effect and contest covariates of new contests."""
        x = np.zeros((n, len(self.spec.beta_terms)))
        if self.spec.order:
            x[:, 0] = 0.0 if neutral else 1.0
        if contest is not None:
            if self.spec.contest is None:
                raise InputError(f"the model has no contest covariates; leave {arg('contest')} out.")
            x[:, int(self.spec.order) :] = self.spec.contest.read_new(contest, n)
        return x

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
        """The tie parameter, with a standard error (by the delta method) and an interval from that of its log.

        In Davidson's model two equal items tie nu / 2 times as often as they have a winner. In the model of Rao and
        Kupper, theta is the factor by which an item must be better to win half of its comparisons; it is at least 1.

        Parameters
        ----------
        alpha : float
            Significance level; the interval has level 1 - alpha.

        Returns
        -------
        TestResult
        """
        _params.level(alpha, "alpha")
        symbol = self.spec.tie_model.symbol
        if not symbol:
            raise InputError(f"the model has no tie parameter; fit with {arg('ties', 'davidson')}.")
        log, se = float(self.params.iloc[-1]), float(self.bse.iloc[-1])
        low, high = self.conf_int(alpha).iloc[-1]
        return TestResult(
            **hypotheses.standardised(self, log / se),
            estimate=float(np.exp(log)),
            conf_int=(float(np.exp(low)), float(np.exp(high))),
            method=f"Wald test of log {symbol}",
            null=f"{symbol} is 1",
            std_error=float(np.exp(log)) * se,
        )

    # Reports

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
        return summarise_comparisons(self, _params.level(alpha, "alpha"), _params.count(max_rows, "max_rows", 2))

    def _title(self) -> str:
        return "Bradley-Terry fit"
