"""Results of continuation ratios."""

from typing import Any, Literal, overload

import numpy as np
import pandas as pd
from statsmodels.base.model import LikelihoodResultsWrapper
from statsmodels.base.wrapper import populate_wrapper, union_dicts

from pwcstats import _params
from pwcstats._results import TestResult
from pwcstats.logit.inherited import PrintedWrapper
from pwcstats.logit.likelihood import MultinomialLikelihood
from pwcstats.logit.robust import check_nonrobust
from pwcstats.logit.stages import StagedResults

__all__ = ["ContinuationRatioResults"]


class ContinuationRatioResults(StagedResults):
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

    def parallel_test(self) -> TestResult:
        """Likelihood-ratio test that all stages have the same slopes.

        If there is a penalty, both likelihoods have the penalty of the model with separate slopes.

        Returns
        -------
        TestResult
        """
        check_nonrobust(self, "a likelihood-ratio test")
        model, df = self.model, self._parallel_df("stage")
        n_stages, n_slopes = len(model.stages), len(model.columns) - 1
        x, y, weight, names = model.stacked(True)
        firth = model.penalty == "firth"
        likelihood = MultinomialLikelihood(x, y, weight, None, 2, firth, lambda: names)
        held = np.arange(len(names)) >= n_stages + n_slopes
        best = likelihood.fit().point
        null = likelihood.held_at(np.where(held, 0.0, likelihood.beta(best.params)), held, False)
        return self._compared(best.value - null.value, df, "all stages have the same slopes")

    def _titles(self) -> tuple[str, str]:
        return "Continuation Ratio Results", f"ContinuationRatio, {self.model.direction}"


class ContinuationRatioResultsWrapper(PrintedWrapper, LikelihoodResultsWrapper):
    """Adds labels to results, as in statsmodels."""

    _wrap_methods = union_dicts(LikelihoodResultsWrapper._wrap_methods, {"conf_int": "columns"})


populate_wrapper(ContinuationRatioResultsWrapper, ContinuationRatioResults)
