"""What a continuation-ratio fit says."""

from typing import TYPE_CHECKING, Any

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
from pwcstats._text import listed
from pwcstats.errors import InputError
from pwcstats.logit.binary import BinaryFit
from pwcstats.logit.likelihood import MultinomialLikelihood
from pwcstats.logit.penalised import term_slices
from pwcstats.logit.profiles import fall, profile_bounds, single_tests

if TYPE_CHECKING:
    from pwcstats.logit.ordinal import ContinuationRatio

__all__ = ["ContinuationRatioResults"]


class ContinuationRatioResults(LikelihoodModelResults):
    """Results of :meth:`ContinuationRatio.fit`.

    Attributes
    ----------
    params, bse, tvalues, pvalues : Series
        Coefficients, standard errors, their ratios and Wald's p-values. Infinite estimates have infinite standard
        errors.
    coefs : DataFrame
        Coefficients by stage (rows) and column.
    llf, llf_unpenalized : float
        Log-likelihood, with the penalty if there is one, and without; `aic` and `bic` use the latter.
    nobs, df_model, df_resid : float
        Rows (or the sum of their weights), coefficients, and what is left.
    converged, n_iter, reason : bool, int, str
        Whether all fits converged, steps in all, and why not.
    """

    def __init__(self, model: "ContinuationRatio", fits: list[BinaryFit]) -> None:
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
    def coefs(self) -> pd.DataFrame:
        """Coefficients by stage and column."""
        model, n = self.model, len(self.model.stages)
        if model.parallel:
            slopes = np.tile(self.params[n:], (n, 1))
            values = np.column_stack([self.params[:n], slopes])
        else:
            values = self.params.reshape(n, -1)
        return pd.DataFrame(values, index=model.stages, columns=model.columns)

    @property
    def tvalues(self) -> Array:
        """Estimates divided by their standard errors; missing where both are infinite."""
        with np.errstate(invalid="ignore"):
            return self.params / self.bse

    @property
    def aic(self) -> float:
        """Akaike's criterion, of the unpenalised likelihood."""
        return 2.0 * (self.df_model - self.llf_unpenalized)

    @property
    def bic(self) -> float:
        """Schwarz's criterion, of the unpenalised likelihood."""
        return float(np.log(self.nobs)) * self.df_model - 2.0 * self.llf_unpenalized

    def conf_int(self, alpha: float = 0.05, method: str = "wald") -> Array:
        """Confidence intervals of the coefficients.

        Parameters
        ----------
        alpha : float
            One less the level.
        method : {"wald", "profile"}
            Normal approximation, or where the (penalised) likelihood, all other coefficients adapting, has fallen by
            half a quantile of chi-squared. Wald's intervals of infinite estimates are unbounded.

        Returns
        -------
        DataFrame
        """
        _params.choice(method, ("wald", "profile"), "method")
        level = _params.level(alpha, "alpha")
        if method == "wald":
            half = float(stats.norm.isf(level / 2.0)) * self.bse
            estimate = np.where(np.isinf(half), 0.0, self.params)
            return np.column_stack([estimate - half, estimate + half])
        self._refuse_infinite("a profile")
        self._refuse_dropped("a profile")
        return np.vstack([profile_bounds(fit.likelihood, fit.point, fall(level)) for fit in self._fits if fit.point])

    def predict(self, exog: Any = None, transform: bool = True, which: str = "prob") -> Any:
        """Probabilities of all classes.

        Parameters
        ----------
        exog : array-like, optional
            New rows: columns of the design or, after a formula, its variables; by default the rows of the fit. After a
            formula, rows in which something is missing have missing predictions.
        transform : bool
            Whether the formula makes the columns from `exog`.
        which : {"prob", "linear", "stage", "class"}
            Probabilities of the classes, the stages' predictors, the stages' probabilities, or the likeliest class.

        Returns
        -------
        DataFrame
            One column a class or stage; a Series for "class".
        """
        _params.choice(which, ("prob", "linear", "stage", "class"), "which")
        if exog is None:
            index = self.model.data.row_labels
        else:
            exog, index = self._transform_predict_exog(exog, transform=transform)
            if index is None:
                index = getattr(exog, "index", None)
        values = self.model.predict(self._limit, exog, "prob" if which == "class" else which)
        if which == "class":
            likeliest = pd.Series(self.model.labels[values.argmax(axis=1)], index=index)
            known = ~np.isnan(values).any(axis=1)
            return likeliest if known.all() else likeliest.where(known)
        columns = self.model.labels if which == "prob" else self.model.stages
        return pd.DataFrame(values, index=index, columns=columns)

    def lr_test(self, term: Any = None) -> TestResult:
        """Likelihood-ratio test that some columns have no effect at any stage.

        With a penalty, their columns stay in it.

        Parameters
        ----------
        term : str or list of str, optional
            Columns by name, or terms of the formula; by default all.

        Returns
        -------
        TestResult
        """
        known = self.model.columns[1:]
        of_formula = {
            name: [str(self.model.exog_names[k]) for k in part] for name, part in term_slices(self.model).items()
        }
        asked = known if term is None else [term] if isinstance(term, str) else list(term)
        terms = [column for name in asked for column in ([name] if name in known else of_formula.get(name, [name]))]
        if not terms or not set(terms) <= set(known):
            raise InputError(f"term must be one or some of the columns {listed(known)}, got {term!r}.")
        n_before = len(self.model.stages) if self.model.parallel else 1
        held = np.array([*[False] * n_before, *(name in terms for name in known)])
        null = sum(self._without(fit, held) for fit in self._fits)
        df = float(sum((held & fit.kept).sum() for fit in self._fits))
        return self._compared(self.llf - null, df, f"the coefficients of {listed(terms)} are 0 at every stage")

    def _without(self, fit: BinaryFit, held: NDArray[np.bool_]) -> float:
        """Log-likelihood of a fit with some coefficients at 0."""
        start = np.where(held | fit.infinite, 0.0, fit.beta)[fit.kept]
        return fit.likelihood.held_at(start, held[fit.kept], False).value + fit.likelihood.constant

    def parallel_test(self) -> TestResult:
        """Likelihood-ratio test of parallel slopes: whether all stages may share theirs.

        With a penalty, both likelihoods have that of the model with separate slopes.

        Returns
        -------
        TestResult
        """
        model = self.model
        n_stages, n_slopes = len(model.stages), len(model.columns) - 1
        df = (n_stages - 1) * n_slopes
        if not df:
            raise InputError(
                "parallel slopes are a question of two stages or more, with a column; here it does not arise."
            )
        x, y, weight, names = model.stacked(True)
        firth = model.penalty == "firth"
        likelihood = MultinomialLikelihood(x, y, weight, np.zeros(len(x)), 2, firth, names)
        held = np.arange(len(names)) >= n_stages + n_slopes
        best = likelihood.fit().point
        null = likelihood.held_at(np.where(held, 0.0, likelihood.beta(best.params)), held, False)
        return self._compared(best.value - null.value, float(df), "all stages have the same slopes")

    def _compared(self, difference: float, df: float, null: str) -> TestResult:
        statistic = max(2.0 * difference, 0.0)
        name = "Penalised likelihood-ratio test" if self.model.penalty else "Likelihood-ratio test"
        return TestResult(statistic, float(stats.chi2.sf(statistic, df)), df, method=name, null=null)

    def _refuse_infinite(self, name: str) -> None:
        if self._infinite:
            raise InputError(f"{name} needs finite estimates, but {self.reason}; use pvalues, or penalty='firth'.")

    def _refuse_dropped(self, name: str) -> None:
        if not all(fit.kept.all() for fit in self._fits):
            raise InputError(f"{name} needs all columns at all stages, but some are left out; leave them out of exog.")

    def t_test(self, *args: Any, **kwargs: Any) -> Any:
        """Wald's tests of combinations, as in statsmodels; not where estimates are infinite."""
        self._refuse_infinite("t_test")
        return super().t_test(*args, **kwargs)

    def wald_test(self, *args: Any, **kwargs: Any) -> Any:
        """Wald's test of several combinations, as in statsmodels; not where estimates are infinite."""
        self._refuse_infinite("wald_test")
        return super().wald_test(*args, **kwargs)

    def tidy(self, alpha: float = 0.05, method: str = "wald") -> pd.DataFrame:
        """One row a coefficient with broom's columns in snake case.

        Parameters
        ----------
        alpha : float
            One less the level of the intervals.
        method : {"wald", "profile"}
            Wald's intervals and tests, or profile intervals and likelihood-ratio tests.

        Returns
        -------
        DataFrame
        """
        bounds = self.conf_int(alpha, method)
        statistic, p_value = self.tvalues, self.pvalues
        if method == "profile":
            tests = [single_tests(fit.likelihood, fit.point, False) for fit in self._fits if fit.point]
            statistic, p_value = np.concatenate(tests, axis=1)
        return pd.DataFrame(
            {
                "term": self.model._param_names(),
                "estimate": self.params,
                "std_error": self.bse,
                "statistic": statistic,
                "p_value": p_value,
                "conf_low": bounds[:, 0],
                "conf_high": bounds[:, 1],
            }
        )

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

    def summary(self, alpha: float = 0.05) -> Summary:
        """Tables of coefficients, one for each stage."""
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
                *([f"Not all estimates are finite: {self.reason}; use penalty='firth'."] if self._infinite else []),
            ]
        )
        return summary

    @property
    def _infinite(self) -> bool:
        return any(fit.infinite.any() for fit in self._fits)


class ContinuationRatioResultsWrapper(LikelihoodResultsWrapper):
    """Gives results their labels, as statsmodels does."""

    _wrap_methods = union_dicts(LikelihoodResultsWrapper._wrap_methods, {"conf_int": "columns"})


populate_wrapper(ContinuationRatioResultsWrapper, ContinuationRatioResults)
