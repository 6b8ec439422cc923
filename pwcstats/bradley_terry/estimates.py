"""Parameters of a Bradley–Terry fit, their inference, and how well they fit."""

import warnings
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.iolib.summary import Summary

from pwcstats import _params
from pwcstats._arrays import Array, as_float
from pwcstats._kernels.newton import Ascent
from pwcstats._results import TestResult
from pwcstats._summary import number
from pwcstats._text import listed
from pwcstats.bradley_terry import checks as fits
from pwcstats.bradley_terry import covariance, goodness
from pwcstats.bradley_terry.covariance import CovarianceEstimate
from pwcstats.bradley_terry.likelihood import Likelihood, Point
from pwcstats.bradley_terry.profile import bound
from pwcstats.bradley_terry.spec import Spec
from pwcstats.bradley_terry.summary import make_summary
from pwcstats.bradley_terry.table import same_comparisons
from pwcstats.errors import ConvergenceWarning, InputError

if TYPE_CHECKING:
    from pwcstats.bradley_terry.model import BradleyTerry

ORDER, TIE = "(order)", "(tie)"


class Estimates:
    """Parameters and tests; :class:`BradleyTerryResults` adds what is about items."""

    def __init__(
        self,
        model: "BradleyTerry",
        spec: Spec,
        likelihood: Likelihood,
        ascent: Ascent[Point],
        estimate: CovarianceEstimate,
        cov_type: str,
        max_iter: int,
        n_groups: int | None = None,
    ) -> None:
        point = ascent.point
        self.model, self.spec, self.max_iter = model, spec, max_iter
        self._likelihood, self._point, self._estimate = likelihood, point, estimate
        self.method, self.cov_type = spec.method, cov_type
        self.converged, self.n_iter, self.reason = ascent.converged, ascent.n_iter, ascent.reason
        self.llf, self.llf_unpenalized = float(point.value), float(point.llf)
        self.nobs = model.nobs
        self.df_model = likelihood.rank
        cells = 2 if spec.davidson else 1
        self.df_resid = cells * len(likelihood.table.first) - likelihood.rank
        # As in statsmodels after cov_type="cluster": the groups are independent.
        self.use_t = n_groups is not None
        self.df_resid_inference: int = self.df_resid if n_groups is None else n_groups - 1
        self.params = pd.Series(self._reported(point.params), index=self._terms, name="params")

    @cached_property
    def _terms(self) -> pd.Index:
        spec = self.spec
        extra = [ORDER] * spec.order + [TIE] * spec.davidson
        labels = self.model.items if spec.z is None else pd.Index(spec.names)
        if spec.ref is not None:
            labels = labels.delete(spec.ref)
        return labels.append(pd.Index(extra, dtype=object)) if extra else labels

    def _reported(self, params: Array) -> Array:
        """The likelihood's parameters as users see them: with a reference item, differences from its ability."""
        ref, size = self.spec.ref, self._likelihood.design.size
        if ref is None:
            return params.copy()
        shown = params.copy()
        shown[:size] -= params[ref]
        return np.delete(shown, ref)

    def _without_ref(self, x: Array) -> Array:
        return x if self.spec.ref is None else np.delete(x, self.spec.ref)

    @cached_property
    def _cov(self) -> Array:
        """Covariance of the likelihood's parameters, abilities summing to 0."""
        if self._estimate.cov is None:
            raise InputError("this needs the covariance of all parameters; fit with cov='full'.")
        return self._estimate.cov

    def cov_params(self) -> pd.DataFrame:
        """Covariance of `params`; singular where the abilities sum to 0."""
        ref, size = self.spec.ref, self._likelihood.design.size
        if ref is None:
            cov = self._cov.copy()
        else:
            cov = np.delete(np.delete(covariance.relative(self._cov, ref, size), ref, 0), ref, 1)
        return pd.DataFrame(cov, index=self._terms, columns=self._terms)

    @property
    def bse(self) -> pd.Series:
        """Standard errors of `params`."""
        if self._estimate.variance is None:
            raise InputError("there are no standard errors after cov='none'; fit with cov='full' or cov='diag'.")
        return pd.Series(np.sqrt(self._without_ref(self._estimate.variance)), index=self._terms, name="bse")

    @property
    def bse_error(self) -> pd.Series:
        """Relative standard error of each of `bse`: 0 where they are exact, else what random projections leave."""
        if self._estimate.error is None:
            raise InputError("there are no standard errors after cov='none'; fit with cov='full' or cov='diag'.")
        return pd.Series(self._without_ref(self._estimate.error), index=self._terms, name="bse_error")

    @property
    def tvalues(self) -> pd.Series:
        """Estimates divided by their standard errors."""
        return (self.params / self.bse).rename("tvalues")

    @property
    def _reference(self) -> Any:
        """Distribution of a standardised estimate: normal or, after clusters, Student's t."""
        return stats.t(self.df_resid_inference) if self.use_t else stats.norm

    @property
    def pvalues(self) -> pd.Series:
        """Two-sided p-values of the normal distribution or, if `use_t`, of Student's t."""
        return pd.Series(2.0 * self._reference.sf(np.abs(self.tvalues)), index=self._terms, name="pvalues")

    def conf_int(
        self, alpha: float = 0.05, method: str = "wald", terms: Sequence[Hashable] | None = None
    ) -> pd.DataFrame:
        """Confidence intervals of `params`.

        Parameters
        ----------
        alpha : float
            One less the level.
        method : {"wald", "profile"}
            Estimate plus and minus a normal (if `use_t`, a t) quantile times its standard error, or where the
            (penalised) likelihood, all other parameters adapting, has fallen by half a quantile of chi-squared.
            Profiles follow the likelihood's shape and cost a few fits for each bound.
        terms : sequence, optional
            Only these parameters.

        Returns
        -------
        DataFrame
            Lower and upper bounds in columns 0 and 1, as in statsmodels.
        """
        _params.choice(method, ("wald", "profile"), "method")
        _params.level(alpha, "alpha")
        if isinstance(terms, str):
            terms = [terms]
        places = (
            np.arange(len(self._terms))
            if terms is None
            else fits.item_indices(terms, self._terms, "terms", "parameters")
        )
        wanted = self._terms[places]
        if method == "wald":
            estimate = self.params.to_numpy()[places]
            half = self._reference.isf(alpha / 2.0) * self.bse.to_numpy()[places]
            return pd.DataFrame({0: estimate - half, 1: estimate + half}, index=wanted)
        fits.refuse_robust(self, "a profile")
        drop = 0.5 * stats.chi2.isf(alpha, 1)
        bounds, stuck = np.empty((len(wanted), 2)), []
        for row, (place, term) in enumerate(zip(places, wanted, strict=True)):
            contrast = self._contrast_of(int(place))
            for column, side in enumerate((-1, 1)):
                bounds[row, column], done = bound(self._likelihood, self._point, contrast, side, drop)
                if not done:
                    stuck.append(term)
        if stuck:
            warnings.warn(
                f"the profiles of {listed(dict.fromkeys(stuck))} did not converge; use method='wald' for them.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return pd.DataFrame(bounds, index=wanted)

    def _contrast_of(self, place: int) -> Array:
        """The contrast of the likelihood's parameters that a reported one is."""
        contrast = np.zeros(self._likelihood.n_params)
        ref, size = self.spec.ref, self._likelihood.design.size
        if ref is not None and place >= ref:
            place += 1
        if self.spec.z is None and place < size:
            if ref is None:
                contrast[:size] = -1.0 / size
            else:
                contrast[ref] = -1.0
        contrast[place] += 1.0
        return contrast

    # Fit

    @property
    def aic(self) -> float:
        """Akaike's criterion, of the unpenalised likelihood."""
        return 2.0 * (self.df_model - self.llf_unpenalized)

    @property
    def bic(self) -> float:
        """Schwarz's criterion, of the unpenalised likelihood; the comparisons are the observations."""
        return float(np.log(self.nobs)) * self.df_model - 2.0 * self.llf_unpenalized

    @cached_property
    def _expected(self) -> Array:
        """Wins, losses and ties that the model expects of each pair."""
        return goodness.expected_counts(self._likelihood, self._point)

    @cached_property
    def deviance(self) -> float:
        """Twice what the log-likelihood loses against a probability for each pair (and order, if known)."""
        return goodness.deviance(self._likelihood.table.counts, self._expected)

    @cached_property
    def pearson_chi2(self) -> float:
        """Squared differences between counts and what the model expects, divided by the latter."""
        return goodness.pearson(self._likelihood.table.counts, self._expected)

    def goodness_of_fit(
        self,
        statistic: str = "pearson",
        p_value: str = "auto",
        *,
        n_draws: int = 999,
        random_state: int | None = 0,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> TestResult:
        r"""Test of the model against one with a probability for each pair.

        Where it is known who went first, a pair has two probabilities, one for each order, whether or not the model
        has an order effect; so an order effect that was left out speaks against the model.

        Parameters
        ----------
        statistic : {"pearson", "deviance"}
            Pearson's :math:`X^2`, the sum of (observed - expected)² / expected over the wins, losses and ties of each
            pair, or the deviance.
        p_value : {"auto", "chi2", "bootstrap"}
            From the chi-squared distribution with `df_resid` degrees of freedom, or from tables that are simulated
            from the fitted model and fitted in turn. "auto" simulates where expected counts are small, by Cochran's
            rule: one is below 1, or more than a fifth of them are below 5.
        n_draws : int
            Number of simulated tables.
        random_state : int or None
            Seed of the simulation. If None, the results differ from call to call.
        n_jobs : int, optional
            Number of jobs for the simulation, as in joblib; the result does not depend on it.
        progress : bool
            Show a progress bar.

        Returns
        -------
        TestResult
            Its `notes` say why the p-value was simulated, or why it is not reliable: tables cannot be simulated where
            numbers of comparisons are fractions, or from a fit with ``ties="half"`` to data with ties.

        Notes
        -----
        Chi-squared is a poor approximation of the deviance in sparse tables, where pairs met only a few times: with 12
        items and 5 games for each pair it rejects a true model in more than a quarter of all samples at the level 0.05.
        Pearson's statistic is closer to chi-squared, but not always close enough. A simulated p-value is the share of
        tables, the observed one included, whose statistic is at least as large [1]_. It is approximate, too, as the
        tables are drawn from estimates.

        References
        ----------
        .. [1] A. C. Davison and D. V. Hinkley, "Bootstrap Methods and their Application", Cambridge University Press,
           1997, section 4.2. https://doi.org/10.1017/CBO9780511802843
        """
        return goodness.goodness_of_fit(self, statistic, p_value, n_draws, random_state, _params.jobs(n_jobs), progress)

    def lr_test(self, other: "Estimates") -> TestResult:
        """Likelihood-ratio test of two fits to the same comparisons, one nested in the other, in either order.

        Parameters
        ----------
        other : BradleyTerryResults
            A fit of the same data with more or fewer parameters: without order effect, or with covariates in place of
            abilities.

        Returns
        -------
        TestResult
        """
        if not isinstance(other, Estimates):
            raise InputError(f"lr_test needs another fit by BradleyTerry, got {type(other).__name__}.")
        small, large = sorted((self, other), key=lambda fit: fit.df_model)
        same = self.model is other.model or same_comparisons(self.model._rows, other.model._rows, small.spec.order)
        fits.refuse_not_nested(small, large, same)
        # Rounding may leave a little less than nothing.
        statistic = max(2.0 * (large.llf - small.llf), 0.0)
        df = large.df_model - small.df_model
        return TestResult(
            statistic=statistic,
            p_value=float(stats.chi2.sf(statistic, df)),
            df=df,
            method="Likelihood-ratio test",
            null=f"the larger model's further parameters ({df}) are not needed",
        )

    def wald_test(self, contrasts: Any) -> TestResult:
        """Wald test that linear combinations of `params` are all 0.

        Parameters
        ----------
        contrasts : array-like of shape (m, parameters)
            One row a combination.

        Returns
        -------
        TestResult
            With the chi-squared distribution or, if `use_t`, Hotelling's: F with m and G - m degrees of freedom, where
            G is the number of groups.

        Notes
        -----
        After ``cov_type="cluster"`` statsmodels takes W / m, where W is the chi-squared statistic, for F with m and G -
        1 degrees of freedom, which rejects too often if m is not much smaller than G. Hotelling's statistic is
        W (G - m) / (m (G - 1)). For m = 1 the two are the same.
        """
        rows = np.atleast_2d(as_float(contrasts, "contrasts"))
        if rows.shape[1] != len(self.params):
            raise InputError(f"contrasts must have {len(self.params)} columns, one a parameter, got {rows.shape[1]}.")
        size = np.abs(rows).max(axis=1, keepdims=True)
        if not (np.isfinite(size) & (size > 0.0)).all():
            raise InputError("contrasts must be finite numbers, not all 0 in a row.")
        rows = rows / size
        value = rows @ self.params.to_numpy()
        cov = rows @ self.cov_params().to_numpy() @ rows.T
        df = int(np.linalg.matrix_rank(cov, hermitian=True))
        if self.use_t and len(rows) > self.df_resid_inference:
            raise InputError(
                f"{self.df_resid_inference + 1} clusters allow a test of at most {self.df_resid_inference} "
                f"combinations, got {len(rows)}; test fewer."
            )
        if df < len(rows):
            raise InputError(
                "the rows of contrasts must be linearly independent (abilities that sum to 0 count as one less)."
            )
        statistic = float(value @ np.linalg.solve(cov, value))
        about: dict[str, Any] = {"method": "Wald test", "null": "all combinations are 0"}
        if self.use_t:
            both = (df, self.df_resid_inference - df + 1)
            f = statistic * both[1] / (df * self.df_resid_inference)
            return TestResult(f, float(stats.f.sf(f, *both)), both, statistic_name="F", **about)
        return TestResult(statistic, float(stats.chi2.sf(statistic, df)), df, **about)

    def _wald(self, z: float) -> dict[str, Any]:
        """Statistic, p-value and, if `use_t`, degrees of freedom of a standardised estimate."""
        found: dict[str, Any] = {"statistic": z, "p_value": float(2.0 * self._reference.sf(abs(z)))}
        return {**found, "df": self.df_resid_inference, "statistic_name": "t"} if self.use_t else found

    # Reports

    def tidy(self, alpha: float = 0.05) -> pd.DataFrame:
        """One row a parameter with broom's columns in snake case."""
        bounds = self.conf_int(alpha)
        return pd.DataFrame(
            {
                "term": self._terms,
                "estimate": self.params.to_numpy(),
                "std_error": self.bse.to_numpy(),
                "statistic": self.tvalues.to_numpy(),
                "p_value": self.pvalues.to_numpy(),
                "conf_low": bounds[0].to_numpy(),
                "conf_high": bounds[1].to_numpy(),
            }
        )

    def glance(self) -> pd.DataFrame:
        """One row about the fit."""
        return pd.DataFrame(
            {
                "n_items": [self.model.n_items],
                "nobs": [self.nobs],
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
        """Plain numbers, words and lists: what `glance` and `tidy` show (estimates alone after ``cov="none"``)."""
        bare = self._estimate.variance is None
        table = pd.DataFrame({"term": self._terms, "estimate": self.params.to_numpy()}) if bare else self.tidy()
        about = {str(name): value for name, value in self.glance().to_dict("records")[0].items()}
        return {**about, "params": table.to_dict("records")}

    def summary(self, alpha: float = 0.05, max_rows: int = 100) -> Summary:
        """Summary of the fit, as statsmodels prints it.

        Parameters
        ----------
        alpha : float
            One less the level of the intervals.
        max_rows : int
            Parameters to show; of more, the largest and smallest abilities are shown.

        Returns
        -------
        statsmodels.iolib.summary.Summary
        """
        return make_summary(self, _params.level(alpha, "alpha"), _params.count(max_rows, "max_rows", 2))

    def __repr__(self) -> str:
        return f"<BradleyTerryResults: {self.model.n_items} items, {number(self.nobs)} comparisons, {self.method!r}>"
