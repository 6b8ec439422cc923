"""What the results of all ordinal fits share."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from scipy.linalg import block_diag
from statsmodels.base.model import LikelihoodModelResults

from pwcstats import _params, _summary
from pwcstats._arrays import Array
from pwcstats._results import TestResult
from pwcstats._text import did_you_mean, listed
from pwcstats.errors import InputError, arg, code, value
from pwcstats.logit.aliased import refuse_aliased
from pwcstats.logit.binary import Fit
from pwcstats.logit.formulas import columns_by_term
from pwcstats.logit.inherited import SeveralEquations, StatsmodelsResult
from pwcstats.logit.nested import compare, other_fit, smaller_fit
from pwcstats.logit.profiles import (
    fall,
    profile_bounds,
    profile_curves,
    profile_table,
    signed_roots,
    single_tests,
)
from pwcstats.logit.robust import (
    CovarianceOptions,
    check_nonrobust,
    infinite_coefficients,
    sandwich,
    warn_if_infinite,
)


class OrdinalResults(SeveralEquations, StatsmodelsResult, LikelihoodModelResults):
    """Results of one or several fits, whose estimates may be infinite; the documentation is that of the subclasses."""

    # End of the null hypothesis of a likelihood-ratio test.
    _scope: ClassVar[str] = ""

    def __init__(self, model: Any, fits: list[Fit], options: CovarianceOptions | None) -> None:
        params = np.concatenate([fit.beta for fit in fits])
        super().__init__(model, params, block_diag(*(fit.cov for fit in fits)), scale=1.0)
        self._fits = fits
        self._limit = np.concatenate([fit.limit for fit in fits])
        self.nobs = float(model._weight.sum())
        self.df_model = float(sum(fit.kept.sum() for fit in fits))
        self.df_resid = self.nobs - self.df_model
        self.converged = all(fit.converged for fit in fits)
        self.n_iter = sum(fit.n_iter for fit in fits)
        self.reason = "; ".join(dict.fromkeys(fit.reason for fit in fits if fit.reason))
        self.cov_type, self.use_t = "nonrobust", False
        if options is not None:
            self.cov_type = options.cov_type
            self._check_finite(arg("cov_type", self.cov_type))
            self.normalized_cov_params = self._sandwich(options)
        self._data_in_cache: list[str] = []

    def _sandwich(self, options: CovarianceOptions) -> Array:
        """Robust covariance of the estimates."""
        model, kept = self.model, np.concatenate([fit.kept for fit in self._fits])
        scores, infinite = np.zeros((len(model._weight), len(kept))), np.zeros(len(kept), np.bool_)
        start = 0
        for fit, rows in zip(self._fits, model._rows_of_fits(), strict=True):
            columns = start + np.flatnonzero(fit.kept)
            if fit.point is not None:
                np.add.at(scores, np.ix_(rows, columns), fit.likelihood.row_scores(fit.point))
            if model.penalty:
                infinite[columns] = infinite_coefficients(fit.likelihood)
            start += len(fit.kept)
        cov = sandwich(self.normalized_cov_params, scores, model._weight, options)
        warn_if_infinite([model._param_names()[k] for k in np.flatnonzero(infinite)])
        return cov

    @property
    def llf(self) -> float:
        """Log-likelihood, with the penalty if there is one."""
        return sum(fit.value for fit in self._fits)

    @property
    def llf_unpenalized(self) -> float:
        """Log-likelihood without the penalty."""
        return sum(fit.llf for fit in self._fits)

    @property
    def tvalues(self) -> Array:
        """Estimates divided by their standard errors; missing if both are infinite."""
        with np.errstate(invalid="ignore"):
            return self.params / self.bse

    @property
    def aic(self) -> float:
        """Akaike's criterion, without the penalty."""
        return 2.0 * (self.df_model - self.llf_unpenalized)

    @property
    def bic(self) -> float:
        """Schwarz's criterion, without the penalty."""
        return float(np.log(self.nobs)) * self.df_model - 2.0 * self.llf_unpenalized

    def conf_int(self, alpha: float = 0.05, method: Literal["wald", "profile"] = "wald") -> pd.DataFrame | Array:
        """Confidence intervals of the coefficients.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.
        method : {"wald", "profile"}
            Wald intervals use the normal approximation; those of infinite estimates are unbounded. Profile intervals
            end where the (penalised) likelihood, maximised over all other coefficients, has fallen by half a quantile
            of the chi-squared distribution.

        Returns
        -------
        DataFrame
            Lower and upper bounds, in columns 0 and 1 as in statsmodels.
        """
        _params.choice(method, ("wald", "profile"), "method")
        level = _params.level(alpha, "alpha")
        if method == "wald":
            half = float(stats.norm.isf(level / 2.0)) * self.bse
            estimate = np.where(np.isinf(half), 0.0, self.params)
            return np.column_stack([estimate - half, estimate + half])
        self._check_profiles()
        return np.vstack([profile_bounds(fit.likelihood, fit.point, fall(level)) for fit in self._fits if fit.point])

    def profile(self, alpha: float = 0.01, n_points: int = 10) -> pd.DataFrame:
        """Profile likelihood of each coefficient, to draw it or to see whether a Wald interval is good enough.

        Parameters
        ----------
        alpha : float
            The profiles end at the bounds of intervals of level 1 - alpha.
        n_points : int
            Number of points on each side of the estimate.

        Returns
        -------
        DataFrame
            One row for each point: the profiled coefficient and the signed root z of its (penalised) likelihood-ratio
            statistic are the index, and the values of all coefficients are the columns. The roots are equally spaced.
        """
        z = signed_roots(_params.level(alpha, "alpha"), _params.count(n_points, "n_points"))
        self._check_profiles()
        curves = np.tile(self.params, (len(self.params), 2 * len(z) + 1, 1))
        start = 0
        for fit in self._fits:
            # The other stages have other parameters, which do not change.
            part = slice(start, start + len(fit.beta))
            if fit.point:
                curves[part, :, part] = profile_curves(fit.likelihood, fit.point, z)
            start = part.stop
        return profile_table(self.model._param_names(), z, curves)

    def _check_profiles(self) -> None:
        check_nonrobust(self, "a profile")
        self._check_finite("a profile")
        self._check_all_columns("a profile")

    def _check_all_columns(self, what: str) -> None:
        if not all(fit.kept.all() for fit in self._fits):
            raise InputError(
                f"{what} needs all columns at all stages, but some were dropped; leave them out of {arg('exog')}."
            )

    def _new_rows(self, exog: Any, transform: bool) -> tuple[Any, Any]:
        """The design of new rows (None for the rows of the fit), and the labels of the rows."""
        if exog is None:
            return None, self.model.data.row_labels
        exog, index = self._transform_predict_exog(exog, transform=transform)
        return exog, getattr(exog, "index", None) if index is None else index

    def _likeliest(self, proba: Array, index: Any) -> pd.Series:
        """The most probable classes."""
        classes = pd.Series(self.model.labels[proba.argmax(axis=1)], index=index)
        known = np.asarray(~np.isnan(proba).any(axis=1))
        return classes if known.all() else classes.where(known)

    def lr_test(self, term: Any = None) -> TestResult:
        """Likelihood-ratio test that some columns have no effect.

        If there is a penalty, these columns stay in it.

        Parameters
        ----------
        term : str, list of str, or another fit, optional
            Columns by name, or terms of the formula; by default all columns. Another fit must be of the same model and
            the same rows. The columns of one of the two must be combinations of those of the other; both then have the
            penalty of the larger model. Fits of continuation ratios may instead differ in `parallel`.

        Returns
        -------
        TestResult
        """
        check_nonrobust(self, "a likelihood-ratio test")
        other = other_fit(term, OrdinalResults)
        if other is not None:
            return compare(self, other)
        terms = self._read_terms(term)
        held = self._held(terms)
        null = sum(self._without(fit, held) for fit in self._fits)
        df = float(sum((held & fit.kept).sum() for fit in self._fits))
        return self._compared(self.llf - null, df, f"the coefficients of {listed(terms)} are 0{self._scope}")

    def _constrained_test(self, smaller: Any, combinations: Array) -> TestResult:
        """Test of a smaller fit, whose columns are combinations of the columns of this fit."""
        self._check_all_columns("a test between fits")
        span, null = self._span(combinations), 0.0
        for fit, other in zip(self._fits, smaller._fits, strict=True):
            start = span @ np.where(other.infinite, 0.0, other.beta)
            null += fit.likelihood.nested_at(start, span, False).value + fit.likelihood.constant
        df = float(len(self._fits) * (span.shape[0] - span.shape[1]))
        return self._compared(self.llf - null, df, smaller_fit(smaller.model))

    @abstractmethod
    def _span(self, combinations: Array) -> Array:
        """The coefficients of one of the fits as combinations of those of a smaller fit, given those of the columns.

        The constant is the first column of both.
        """

    def _read_terms(self, term: Any) -> list[str]:
        """Names of columns, given by name or by terms of the formula; None stands for all columns."""
        if term is not None:
            refuse_aliased(self.model, "a test of some terms")
        known = self.model.columns[1:]
        of_formula = {
            name: [str(self.model.exog_names[k]) for k in part] for name, part in columns_by_term(self.model).items()
        }
        asked = known if term is None else [term] if isinstance(term, str) else list(term)
        terms = [column for name in asked for column in ([name] if name in known else of_formula.get(name, [name]))]
        if not terms or not set(terms) <= set(known):
            hint = did_you_mean(next((name for name in terms if name not in known), None), known)
            raise InputError(
                f"{arg('term')} must be one or some of the columns {listed(known)}, got {value(term)}.{hint}"
            )
        return terms

    @abstractmethod
    def _held(self, terms: Sequence[str]) -> NDArray[np.bool_]:
        """Which coefficients of each fit belong to some columns."""

    def _without(self, fit: Fit, held: NDArray[np.bool_]) -> float:
        """Maximal log-likelihood of a fit with some coefficients at 0."""
        start = np.where(held | fit.infinite, 0.0, fit.beta)[fit.kept]
        return fit.likelihood.held_at(start, held[fit.kept], False).value + fit.likelihood.constant

    def _compared(self, difference: float, df: float, null: str) -> TestResult:
        statistic = max(2.0 * difference, 0.0)
        name = "Penalised likelihood-ratio test" if self.model.penalty else "Likelihood-ratio test"
        return TestResult(statistic, float(stats.chi2.sf(statistic, df)), df, method=name, null=null)

    @property
    def separated(self) -> bool:
        """Whether some coefficients are infinite."""
        return any(fit.infinite.any() for fit in self._fits)

    def _check_finite(self, name: str) -> None:
        if self.separated:
            raise InputError(
                f"{name} needs finite estimates, but {self.reason}; use {code('pvalues')}, or "
                f"{arg('penalty', 'firth')}."
            )

    def t_test(self, r_matrix: Any, cov_p: Any = None, use_t: bool | None = None) -> Any:
        """Wald tests of linear combinations, as in statsmodels; all estimates must be finite."""
        self._check_finite(code("t_test"))
        return super().t_test(r_matrix, cov_p, use_t)

    def wald_test(self, r_matrix: Any, *args: Any, **kwargs: Any) -> Any:
        """Wald test of several linear combinations, as in statsmodels; all estimates must be finite."""
        self._check_finite(code("wald_test"))
        return super().wald_test(r_matrix, *args, **kwargs)

    def tidy(
        self, alpha: float = 0.05, method: Literal["wald", "profile"] = "wald", exponentiate: bool = False
    ) -> pd.DataFrame:
        """One row per coefficient, with broom's columns in snake case.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.
        method : {"wald", "profile"}
            Wald intervals and tests, or profile intervals and likelihood-ratio tests.
        exponentiate : bool
            Whether estimates and bounds are odds ratios instead of their logarithms. Standard errors and tests remain
            those of the coefficients, as in broom.

        Returns
        -------
        DataFrame
        """
        _params.flag(exponentiate, "exponentiate")
        bounds = np.asarray(self.conf_int(alpha, method))
        statistic, p_value = self.tvalues, self.pvalues
        if method == "profile":
            tests = [single_tests(fit.likelihood, fit.point, False) for fit in self._fits if fit.point]
            statistic, p_value = np.concatenate(tests, axis=1)
        terms = self.model._param_names()
        return _summary.tidy_coefficients(terms, self.params, self.bse, statistic, p_value, bounds, exponentiate)

    def _is_slope(self) -> NDArray[np.bool_]:
        is_slope = np.zeros(len(self.params), np.bool_)
        is_slope[self._coefficients_of(self.model._kept)] = True
        return is_slope

    def glance(self) -> pd.DataFrame:
        """One row about the fit, with broom's columns in snake case."""
        return pd.DataFrame(
            [
                {
                    "log_lik": self.llf_unpenalized,
                    "aic": self.aic,
                    "bic": self.bic,
                    "df": self.df_model,
                    "df_residual": self.df_resid,
                    "nobs": self.nobs,
                    "converged": self.converged,
                    "n_iter": self.n_iter,
                }
            ]
        )
