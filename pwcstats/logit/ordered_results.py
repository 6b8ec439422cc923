"""Results of proportional odds fits."""

from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from statsmodels.base.model import LikelihoodResultsWrapper
from statsmodels.base.wrapper import populate_wrapper, union_dicts
from statsmodels.iolib.summary import Summary

from pwcstats import _params, _summary
from pwcstats._arrays import Array
from pwcstats._results import TestResult
from pwcstats._text import counted, listed
from pwcstats.errors import InputError, code
from pwcstats.logit.aliased import aliased_note
from pwcstats.logit.inherited import PrintedWrapper
from pwcstats.logit.ordinal_predictions import OrdinalModelResults
from pwcstats.logit.robust import check_nonrobust

__all__ = ["OrderedLogitResults"]


class OrderedLogitResults(OrdinalModelResults):
    """Results of :meth:`OrderedLogit.fit`.

    Attributes
    ----------
    params, bse, tvalues, pvalues : Series
        Slopes and thresholds, standard errors, z statistics and Wald p-values. Infinite estimates have infinite
        standard errors.
    slopes, thresholds : Series
        The two parts of `params`.
    llf, llf_unpenalized : float
        Log-likelihood with the penalty, if there is one, and without it; `aic` and `bic` use the latter.
    nobs, df_model, df_resid : float
        Number of rows (or the sum of their weights), number of parameters, and their difference.
    separated : bool
        Whether some estimates are infinite because the data are separated.
    converged, n_iter, reason : bool, int, str
        Whether the fit converged, the number of steps, and why it did not converge.
    """

    @property
    def slopes(self) -> pd.Series:
        """Slopes of the columns."""
        n_slopes = len(self.model.columns) - 1
        return pd.Series(np.asarray(self.params)[:n_slopes], index=self.model.columns[1:])

    @property
    def thresholds(self) -> pd.Series:
        """Thresholds between neighbouring classes."""
        n_slopes = len(self.model.columns) - 1
        return pd.Series(np.asarray(self.params)[n_slopes:], index=self.model.threshold_names)

    @overload
    def predict(
        self,
        exog: Any = None,
        transform: bool = True,
        which: Literal["prob", "cumulative"] = "prob",
        offset: Any = None,
    ) -> pd.DataFrame: ...
    @overload
    def predict(
        self, exog: Any = None, transform: bool = True, *, which: Literal["class", "linear"], offset: Any = None
    ) -> pd.Series: ...
    def predict(
        self, exog: Any = None, transform: bool = True, which: str = "prob", offset: Any = None
    ) -> pd.DataFrame | pd.Series:
        """Probabilities of all classes.

        Parameters
        ----------
        exog : array-like, optional
            New rows: design matrix or, after a formula, its variables. By default the rows of the fit. After a formula,
            rows with missing values have missing predictions.
        transform : bool
            Whether `exog` holds the variables of the formula.
        which : {"prob", "class", "linear", "cumulative"}
            Probabilities of the classes, the most probable class, linear predictors (without a threshold), or
            P(Y <= j) for all classes j but the highest.
        offset : array-like or str, optional
            Offset of the new rows, or the name of its column in `exog`. By default the column that was the offset of
            the fit, if it was named, otherwise 0; the rows of the fit have their own.

        Returns
        -------
        DataFrame or Series
            One column per class or threshold; a Series for "class" and "linear".
        """
        return self._predict(exog, transform, which, offset)

    def _columns(self, which: str) -> Any:
        return {"prob": self.model.labels, "cumulative": self.model.threshold_names, "linear": ["linear"]}[which]

    def _span(self, combinations: Array) -> Array:
        m = len(self.model.threshold_names)
        slopes = np.column_stack([combinations[1:, 1:], np.zeros((len(combinations) - 1, m))])
        # Thresholds take up the constants of the combinations.
        return np.vstack([slopes, np.column_stack([np.tile(-combinations[0, 1:], (m, 1)), np.eye(m)])])

    def _held(self, terms: Sequence[str]) -> NDArray[np.bool_]:
        model = self.model
        return np.array([*(name in terms for name in model.columns[1:]), *[False] * len(model.threshold_names)])

    def _coefficients_of(self, columns: Sequence[int]) -> list[int]:
        # The constant has no coefficient: a test that all thresholds are 0 has no use.
        return [self.model._kept.index(column) for column in columns if column in self.model._kept]

    def parallel_test(self, term: Any = None) -> TestResult:
        """Score test of proportional odds: that the slopes are the same at all thresholds.

        The alternative has separate slopes at each threshold. The test needs no fit of it, which need not exist.

        Parameters
        ----------
        term : str or list of str, optional
            Columns whose slopes may differ in the alternative, by name, or terms of the formula; by default all.

        Returns
        -------
        TestResult
        """
        check_nonrobust(self, "a score test")
        self._check_finite(code("parallel_test"))
        model = self.model
        n_cuts, n_slopes = len(model.threshold_names), len(model.columns) - 1
        if n_cuts < 2 or not n_slopes:
            raise InputError(
                "a test of parallel slopes needs three classes and one column besides the constant; this model has "
                f"{n_cuts + 1} classes and {counted(n_slopes, 'column')}."
            )
        terms = self._read_terms(term)
        free = np.array([name in terms for name in model.columns[1:]])
        statistic = model._likelihood.parallel_score(np.asarray(self.params), free)
        df = float((n_cuts - 1) * len(terms))
        null = f"the slopes of {listed(terms)} are the same at all thresholds"
        return TestResult(statistic, float(stats.chi2.sf(statistic, df)), df, method="Score test", null=null)

    def summary(self, alpha: float = 0.05) -> Summary:
        """Summary with tables of slopes and thresholds; intervals have level 1 - alpha."""
        _params.level(alpha, "alpha")
        model = self.model
        n_slopes = len(model.columns) - 1
        parts = (("slopes", slice(0, n_slopes)), ("thresholds", slice(n_slopes, None)))
        names, estimate, se = model._param_names(), np.asarray(self.params), np.asarray(self.bse)
        tables = [
            _summary.coefficients(names[part], estimate[part], se[part], alpha, title)
            for title, part in parts
            if names[part]
        ]
        left = [
            ("Dep. Variable:", str(model.endog_names)),
            ("Model:", "OrderedLogit"),
            ("Method:", "Firth" if model.penalty else "MLE"),
            ("converged:", str(self.converged)),
            ("No. Observations:", _summary.number(self.nobs)),
        ]
        right = [
            ("Df Residuals:", _summary.number(self.df_resid)),
            ("Log-Likelihood:", f"{self.llf_unpenalized:.5g}"),
            ("AIC:", f"{self.aic:.5g}"),
            ("BIC:", f"{self.bic:.5g}"),
            ("", ""),
        ]
        summary = Summary()
        summary.tables = [
            _summary.head("Proportional Odds Results", left, right, _summary.width_of(tables)),
            *tables,
        ]
        summary.add_extra_txt(
            [
                "logit P(y <= j) = threshold j - x'slopes.",
                *([aliased_note(model.left_out)] if model.left_out else []),
                *(["Log-likelihood and AIC are without the penalty."] if model.penalty else []),
                *([f"Standard errors are robust ({self.cov_type})."] if self.cov_type != "nonrobust" else []),
                *([f"Not all estimates are finite: {self.reason}; use penalty='firth'."] if self.separated else []),
            ]
        )
        return summary


class OrderedLogitResultsWrapper(PrintedWrapper, LikelihoodResultsWrapper):
    """Adds labels to results, as in statsmodels."""

    _wrap_methods = union_dicts(LikelihoodResultsWrapper._wrap_methods, {"conf_int": "columns"})


populate_wrapper(OrderedLogitResultsWrapper, OrderedLogitResults)
