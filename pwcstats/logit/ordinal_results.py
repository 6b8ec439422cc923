"""Results of ordinal fits: what all share, and those of continuation ratios."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from scipy.linalg import block_diag
from statsmodels.base.model import LikelihoodModelResults, LikelihoodResultsWrapper
from statsmodels.base.wrapper import populate_wrapper, union_dicts
from statsmodels.iolib.summary import Summary

from pwcstats import _params, _summary
from pwcstats._arrays import Array
from pwcstats._results import TestResult
from pwcstats._text import counted, did_you_mean, listed
from pwcstats.errors import InputError, arg, code, value
from pwcstats.logit.binary import Fit
from pwcstats.logit.formulas import columns_by_term
from pwcstats.logit.inherited import PrintedWrapper, SeveralEquations, StatsmodelsResult
from pwcstats.logit.likelihood import MultinomialLikelihood
from pwcstats.logit.profiles import (
    fall,
    profile_bounds,
    profile_curves,
    profile_table,
    signed_roots,
    single_tests,
)

__all__ = ["ContinuationRatioResults"]


class OrdinalResults(SeveralEquations, StatsmodelsResult, LikelihoodModelResults):
    """Results of one or several fits, whose estimates may be infinite; the documentation is that of the subclasses."""

    # End of the null hypothesis of a likelihood-ratio test.
    _scope: ClassVar[str] = ""

    def __init__(self, model: Any, fits: list[Fit]) -> None:
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
        self._data_in_cache: list[str] = []

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
        self._check_finite("a profile")
        if not all(fit.kept.all() for fit in self._fits):
            raise InputError(
                f"a profile needs all columns at all stages, but some were dropped; leave them out of {arg('exog')}."
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
        term : str or list of str, optional
            Columns by name, or terms of the formula; by default all columns.

        Returns
        -------
        TestResult
        """
        terms = self._read_terms(term)
        held = self._held(terms)
        null = sum(self._without(fit, held) for fit in self._fits)
        df = float(sum((held & fit.kept).sum() for fit in self._fits))
        return self._compared(self.llf - null, df, f"the coefficients of {listed(terms)} are 0{self._scope}")

    def _read_terms(self, term: Any) -> list[str]:
        """Names of columns, given by name or by terms of the formula; None stands for all columns."""
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

    def tidy(self, alpha: float = 0.05, method: Literal["wald", "profile"] = "wald") -> pd.DataFrame:
        """One row per coefficient, with broom's columns in snake case.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.
        method : {"wald", "profile"}
            Wald intervals and tests, or profile intervals and likelihood-ratio tests.

        Returns
        -------
        DataFrame
        """
        bounds = np.asarray(self.conf_int(alpha, method))
        statistic, p_value = self.tvalues, self.pvalues
        if method == "profile":
            tests = [single_tests(fit.likelihood, fit.point, False) for fit in self._fits if fit.point]
            statistic, p_value = np.concatenate(tests, axis=1)
        terms = self.model._param_names()
        return _summary.tidy_coefficients(terms, self.params, self.bse, statistic, p_value, bounds)

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


class ContinuationRatioResults(OrdinalResults):
    """Results of :meth:`ContinuationRatio.fit`.

    Attributes
    ----------
    params, bse, tvalues, pvalues : Series
        Coefficients, standard errors, z statistics and Wald p-values. Infinite estimates have infinite standard errors.
    coefs : DataFrame
        Coefficients by stage (rows) and column.
    llf, llf_unpenalized : float
        Log-likelihood with the penalty, if there is one, and without it; `aic` and `bic` use the latter.
    nobs, df_model, df_resid : float
        Number of rows (or the sum of their weights), number of coefficients, and their difference.
    separated : bool
        Whether some coefficients are infinite because a stage is separated.
    converged, n_iter, reason : bool, int, str
        Whether all fits converged, the number of steps of all fits, and why one did not converge.
    """

    _scope = " at every stage"

    @property
    def coefs(self) -> pd.DataFrame:
        """Coefficients by stage and column."""
        model, n = self.model, len(self.model.stages)
        if model.parallel:
            slopes = np.tile(self.params[n:], (n, 1))
            values = np.column_stack([self.params[:n], slopes])
        else:
            values = self.params.reshape(n, -1)
        return pd.DataFrame(values, index=model.stages, columns=model.columns)

    @overload
    def predict(
        self, exog: Any = None, transform: bool = True, which: Literal["prob", "linear", "stage"] = "prob"
    ) -> pd.DataFrame: ...
    @overload
    def predict(self, exog: Any = None, transform: bool = True, *, which: Literal["class"]) -> pd.Series: ...
    def predict(self, exog: Any = None, transform: bool = True, which: str = "prob") -> pd.DataFrame | pd.Series:
        """Probabilities of all classes.

        Parameters
        ----------
        exog : array-like, optional
            New rows: design matrix or, after a formula, its variables. By default the rows of the fit. After a formula,
            rows with missing values have missing predictions.
        transform : bool
            Whether `exog` holds the variables of the formula.
        which : {"prob", "linear", "stage", "class"}
            Probabilities of the classes, linear predictors of the stages, conditional probabilities of the stages, or
            the most probable class.

        Returns
        -------
        DataFrame or Series
            One column per class or stage; a Series for "class".
        """
        _params.choice(which, ("prob", "linear", "stage", "class"), "which")
        exog, index = self._new_rows(exog, transform)
        values = self.model.predict(self._limit, exog, "prob" if which == "class" else which)
        if which == "class":
            return self._likeliest(values, index)
        columns = self.model.labels if which == "prob" else self.model.stages
        return pd.DataFrame(values, index=index, columns=columns)

    def _held(self, terms: Sequence[str]) -> NDArray[np.bool_]:
        n_before = len(self.model.stages) if self.model.parallel else 1
        return np.array([*[False] * n_before, *(name in terms for name in self.model.columns[1:])])

    def parallel_test(self) -> TestResult:
        """Likelihood-ratio test that all stages have the same slopes.

        If there is a penalty, both likelihoods have the penalty of the model with separate slopes.

        Returns
        -------
        TestResult
        """
        model = self.model
        n_stages, n_slopes = len(model.stages), len(model.columns) - 1
        df = (n_stages - 1) * n_slopes
        if not df:
            raise InputError(
                "a test of parallel slopes needs two stages and one column besides the constant; this model has "
                f"{counted(n_stages, 'stage')} and {counted(n_slopes, 'column')}."
            )
        x, y, weight, names = model.stacked(True)
        firth = model.penalty == "firth"
        likelihood = MultinomialLikelihood(x, y, weight, None, 2, firth, lambda: names)
        held = np.arange(len(names)) >= n_stages + n_slopes
        best = likelihood.fit().point
        null = likelihood.held_at(np.where(held, 0.0, likelihood.beta(best.params)), held, False)
        return self._compared(best.value - null.value, float(df), "all stages have the same slopes")

    def _coefficients_of(self, columns: Sequence[int]) -> list[int]:
        model, n = self.model, len(self.model.stages)
        index = [model.columns.index(str(model.exog_names[column])) for column in columns]
        if not model.parallel:
            return [stage * len(model.columns) + k for stage in range(n) for k in index]
        # The constants of the stages come first, then one slope for each column.
        return [k for column in index for k in (range(n) if column == 0 else [n + column - 1])]

    def summary(self, alpha: float = 0.05) -> Summary:
        """Summary with a table of coefficients for each stage; intervals have level 1 - alpha."""
        _params.level(alpha, "alpha")
        model = self.model
        n = len(model.stages)
        if model.parallel:
            names = model._param_names()
            tables = [_summary.coefficients(names, self.params, self.bse, alpha, "all stages")]
        else:
            rows = zip(self.params.reshape(n, -1), self.bse.reshape(n, -1), strict=True)
            tables = [
                _summary.coefficients(model.columns, estimate, se, alpha, model.stage_name(stage))
                for stage, (estimate, se) in enumerate(rows)
            ]
        left = [
            ("Dep. Variable:", str(model.endog_names)),
            ("Model:", f"ContinuationRatio, {model.direction}"),
            ("Method:", "Firth" if model.penalty else "MLE"),
            ("Slopes:", "parallel" if model.parallel else "separate"),
            ("converged:", str(self.converged)),
        ]
        right = [
            ("No. Observations:", _summary.number(self.nobs)),
            ("Df Residuals:", _summary.number(self.df_resid)),
            ("Log-Likelihood:", f"{self.llf_unpenalized:.5g}"),
            ("AIC:", f"{self.aic:.5g}"),
            ("BIC:", f"{self.bic:.5g}"),
        ]
        summary = Summary()
        summary.tables = [
            _summary.head("Continuation Ratio Results", left, right, _summary.width_of(tables)),
            *tables,
        ]
        stages = [f"{label}: {model.stage_name(k)}" for k, label in enumerate(model.stages)] if model.parallel else []
        summary.add_extra_txt(
            [
                *stages,
                *(["Log-likelihood and AIC are without the penalty."] if model.penalty else []),
                *([f"Not all estimates are finite: {self.reason}; use penalty='firth'."] if self.separated else []),
            ]
        )
        return summary


class ContinuationRatioResultsWrapper(PrintedWrapper, LikelihoodResultsWrapper):
    """Adds labels to results, as in statsmodels."""

    _wrap_methods = union_dicts(LikelihoodResultsWrapper._wrap_methods, {"conf_int": "columns"})


populate_wrapper(ContinuationRatioResultsWrapper, ContinuationRatioResults)
