"""Results of a Plackett–Luce fit."""

from collections.abc import Hashable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

import numpy as np
import pandas as pd
from statsmodels.iolib.summary import Summary

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._kernels import newton
from pwcstats._kernels.comparisons import davidson
from pwcstats._kernels.tails import chi2_sf
from pwcstats._results import TestResult
from pwcstats._summary import number
from pwcstats.bradley_terry import hypotheses
from pwcstats.bradley_terry.ability_results import AbilityResults, Outcome, indices_of, logit_interval
from pwcstats.bradley_terry.choices import RankingLikelihood, RankingPoint
from pwcstats.bradley_terry.leaderboard import Leaderboard, ScaleName
from pwcstats.bradley_terry.likelihood import NEWTON_STEP
from pwcstats.bradley_terry.methods import METHODS
from pwcstats.bradley_terry.summary import make_summary
from pwcstats.bradley_terry.ties import TIE_MODELS
from pwcstats.errors import InputError, arg

if TYPE_CHECKING:
    from pwcstats.bradley_terry.plackett_luce import PlackettLuce, RankingSpec


class PlackettLuceResults(AbilityResults):
    """Results of :meth:`PlackettLuce.fit`.

    Attributes
    ----------
    model : PlackettLuce
        The fitted model.
    params : Series
        Abilities that sum to 0, or abilities of all items but the reference. Then ``"(tie2)"``, ``"(tie3)"``, ..., the
        logs of the tie parameters, if there are ties.
    llf : float
        Log-likelihood of the rankings, with the penalty of the method if it has one.
    llf_unpenalized : float
        Log-likelihood without the penalty.
    nobs, df_model, df_resid : float
        Number of rankings; number of free parameters, for priors the effective number; number of free probabilities of
        choices from all distinct sets, minus number of free parameters.
    converged, n_iter, reason : bool, int, str
        Whether the iteration converged, number of iterations, and why it did not converge.
    method, cov_type : str
        Method and type of covariance of the fit.
    use_t : bool
        Whether tests and intervals use Student's t distribution (Hotelling's for several parameters) instead of the
        normal distribution; True after ``cov_type="cluster"``.
    df_resid_inference : int
        Degrees of freedom of the t distribution, the number of groups minus 1; `df_resid` if there are no groups.
    """

    model: "PlackettLuce"
    spec: "RankingSpec"
    _likelihood: RankingLikelihood
    _point: RankingPoint

    def _count_cells(self) -> int:
        choices = self._likelihood.choices
        return int(choices.n_possible) - len(choices.weight)

    @cached_property
    def deviance(self) -> float:
        """Twice the log-likelihood ratio to a model with a probability for each choice from each distinct set.

        R's PlackettLuce reports minus twice the log-likelihood instead.
        """
        return max(2.0 * (self._likelihood.choices.saturated(self.model._rankings) - self.llf_unpenalized), 0.0)

    # Predictions

    @property
    def _log_nu(self) -> float:
        """The log of Davidson's parameter of a tie of two items; minus infinity if there are no such ties."""
        orders = list(self._likelihood.choices.order)
        return float(self._likelihood.split(self._point.params)[1][orders.index(2)]) if 2 in orders else -np.inf

    def _expected_points(self, d: Array) -> tuple[Array, Array]:
        p = davidson(d, self._log_nu)
        return p[:, 0] + 0.5 * p[:, 2], TIE_MODELS["davidson"].slope(p)

    @overload
    def predict(
        self, items: Iterable[Hashable] | None = ..., *, se: Literal[False] = ..., alpha: float = ...
    ) -> pd.Series: ...
    @overload
    def predict(
        self, items: Iterable[Hashable] | None = ..., *, se: Literal[True], alpha: float = ...
    ) -> pd.DataFrame: ...
    def predict(
        self, items: Iterable[Hashable] | None = None, *, se: bool = False, alpha: float = 0.05
    ) -> pd.Series | pd.DataFrame:
        """Probability of each item to be the best of a set of items.

        If there are tie parameters, it is the probability to be first alone; the rest up to 1 is that of a tie.

        Parameters
        ----------
        items : list, optional
            The items of the set; by default all.
        se : bool
            Whether to add standard errors (by the delta method) and confidence intervals, which are computed on the
            scale of logits.
        alpha : float
            Significance level; intervals have level 1 - alpha.

        Returns
        -------
        Series or DataFrame
            With `se`, a data frame with the columns `estimate`, `std_error`, `conf_low` and `conf_high`.
        """
        se = _params.flag(se, "se")
        _params.level(alpha, "alpha")
        labels = self.model.items if items is None else items
        if isinstance(labels, str) or not isinstance(labels, Iterable):
            raise InputError(f"{arg('items')} must be a list of items.")
        index = indices_of(list(labels), self.model.items, "items", "items")
        if len(index) < 2 or len(np.unique(index)) < len(index):
            raise InputError(f"{arg('items')} must be at least 2 different items.")
        in_order = np.sort(index)
        share, mean = self._likelihood.first_places(self._point.params, in_order.astype(np.int32))
        back = np.searchsorted(in_order, index)
        names = self.model.items[index]
        if not se:
            return pd.Series(share[back], index=names, name="probability")
        # The derivatives of log p_i by the parameters are those of the statistics of i minus their mean.
        slope = np.zeros((len(index), len(self._cov)))
        slope[np.arange(len(index)), in_order] = 1.0
        slope -= mean
        error = share * np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", slope, self._cov, slope), 0.0))
        low, high = logit_interval(share, self._reference.isf(alpha / 2.0) * error)
        frame = pd.DataFrame({"estimate": share, "std_error": error, "conf_low": low, "conf_high": high})
        return frame.iloc[back].set_index(names)

    def probabilities(self, outcome: Outcome = "win") -> pd.DataFrame:
        """Probability of an outcome for every pair of items, row against column; the diagonal is missing.

        Parameters
        ----------
        outcome : {"win", "loss", "tie"}
            Outcome for the item of the row, if only the two are ranked.

        Returns
        -------
        DataFrame
        """
        _params.choice(outcome, get_args(Outcome), "outcome")
        d = self._ability[:, None] - self._ability
        p = davidson(d.ravel(), self._log_nu)[:, get_args(Outcome).index(outcome)].reshape(d.shape)
        np.fill_diagonal(p, np.nan)
        return pd.DataFrame(p, index=self.model.items, columns=self.model.items)

    # Tests

    def lr_test(self, other: Any = None) -> TestResult:
        """Likelihood-ratio test of the hypothesis that all items have the same ability.

        Parameters
        ----------
        other : None
            There is no other model to compare with.

        Returns
        -------
        TestResult
        """
        if other is not None:
            raise InputError(
                "all Plackett–Luce fits to the same rankings have the same parameters, so none is nested in another; "
                f"leave {arg('other')} out to test whether all abilities are equal."
            )
        if self.method != "mle":
            raise InputError(
                f"a likelihood-ratio test needs a maximum likelihood fit; fit with {arg('method', 'mle')}, or use "
                "a Wald test."
            )
        hypotheses.check_nonrobust(self, "a likelihood-ratio test")
        statistic = max(2.0 * (self.llf - _equal_abilities(self._likelihood)), 0.0)
        df = self.model.n_items - 1
        return TestResult(
            statistic=statistic,
            p_value=chi2_sf(statistic, df),
            df=df,
            method="Likelihood-ratio test",
            null="all items have the same ability",
        )

    # Reports

    def leaderboard(
        self, scale: ScaleName = "logit", anchor: Any = None, by: Any = None, alpha: float = 0.05
    ) -> Leaderboard:
        """Leaderboard: rank, rank set, number of rankings and ability with an interval, the best item first.

        Parameters
        ----------
        scale : {"logit", "elo", "win"}
            "logit": abilities as the fit reports them. "elo": ratings on Elo's scale, on which a difference of 400
            points means odds of 10 to 1. "win": probability of ranking above an item of average ability; a tie counts
            half.
        anchor : float, dict or (item, rating), optional
            With ``scale="elo"``, the mean rating, by default 1000; or an item and its rating.
        by : None
            Categories need paired comparisons.
        alpha : float
            Significance level; intervals, and all rank sets together, have level 1 - alpha.

        Returns
        -------
        Leaderboard
        """
        if by is not None:
            raise InputError(
                f"{arg('by')} needs paired comparisons, got rankings; fit a model to the rankings of each category."
            )
        return super().leaderboard(scale, anchor, alpha=alpha)

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
        choices = self._likelihood.choices
        about = [
            ("Model:", "Davidson-Luce" if len(choices.order) else "Plackett-Luce"),
            ("Method:", METHODS[self.method].title),
            ("Items:", f"{self.model.n_items}"),
            ("Rankings:", number(self.nobs)),
            ("Choices:", number(float(choices.weight.sum()))),
            ("Distinct sets:", f"{len(choices.weight)}"),
        ]
        notes = ["(tie2), (tie3), ... are the logs of the tie parameters."] if len(choices.order) else []
        level, n_rows = _params.level(alpha, "alpha"), _params.count(max_rows, "max_rows", 2)
        return make_summary(self, "Plackett-Luce Results", about, notes, level, n_rows)

    def _title(self) -> str:
        return "Plackett-Luce fit"


def _equal_abilities(likelihood: RankingLikelihood) -> float:
    """Maximum of the log-likelihood if all abilities are equal."""
    n = likelihood.n_nodes
    start = likelihood.start()
    start[:n] = 0.0
    if not likelihood.n_extra:
        return likelihood.evaluate(start).llf

    def direction(point: RankingPoint) -> Array:
        step = np.zeros(likelihood.n_params)
        step[n:] = np.linalg.solve(likelihood.information(point)[n:, n:], point.score[n:])
        return step

    return newton.ascend(likelihood.evaluate, direction, likelihood.length, start, NEWTON_STEP, 500).point.llf
