"""Results of continuation ratios."""

from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from statsmodels.base.model import LikelihoodResultsWrapper
from statsmodels.base.wrapper import populate_wrapper, union_dicts
from statsmodels.iolib.summary import Summary

from pwcstats import _params, _summary
from pwcstats._arrays import Array
from pwcstats._results import TestResult
from pwcstats._text import counted
from pwcstats.errors import InputError
from pwcstats.logit.inherited import PrintedWrapper
from pwcstats.logit.likelihood import MultinomialLikelihood
from pwcstats.logit.ordinal_results import OrdinalResults
from pwcstats.logit.robust import check_nonrobust

__all__ = ["ContinuationRatioResults"]


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

    def _span(self, combinations: Array) -> Array:
        if not self.model.parallel:
            return combinations
        n = len(self.model.stages)
        constants = np.column_stack([np.eye(n), np.tile(combinations[0, 1:], (n, 1))])
        return np.vstack([constants, np.column_stack([np.zeros((len(combinations) - 1, n)), combinations[1:, 1:]])])

    def parallel_test(self) -> TestResult:
        """Likelihood-ratio test that all stages have the same slopes.

        If there is a penalty, both likelihoods have the penalty of the model with separate slopes.

        Returns
        -------
        TestResult
        """
        check_nonrobust(self, "a likelihood-ratio test")
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
                *([f"Standard errors are robust ({self.cov_type})."] if self.cov_type != "nonrobust" else []),
                *([f"Not all estimates are finite: {self.reason}; use penalty='firth'."] if self.separated else []),
            ]
        )
        return summary


class ContinuationRatioResultsWrapper(PrintedWrapper, LikelihoodResultsWrapper):
    """Adds labels to results, as in statsmodels."""

    _wrap_methods = union_dicts(LikelihoodResultsWrapper._wrap_methods, {"conf_int": "columns"})


populate_wrapper(ContinuationRatioResultsWrapper, ContinuationRatioResults)
