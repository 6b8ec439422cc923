"""Results of adjacent-category logits."""

from typing import Any, Literal, overload

import pandas as pd
from statsmodels.base.model import LikelihoodResultsWrapper
from statsmodels.base.wrapper import populate_wrapper, union_dicts

from pwcstats._results import TestResult
from pwcstats.logit.adjacent_likelihood import by_step
from pwcstats.logit.inherited import PrintedWrapper
from pwcstats.logit.maximum import MAXITER
from pwcstats.logit.ordinal_predictions import OrdinalModelResults
from pwcstats.logit.robust import check_nonrobust
from pwcstats.logit.stages import StagedResults

__all__ = ["AdjacentCategoriesResults"]


class AdjacentCategoriesResults(StagedResults, OrdinalModelResults):
    """Results of :meth:`AdjacentCategories.fit`.

    Attributes
    ----------
    params, bse, tvalues, pvalues : Series
        Coefficients, standard errors, z statistics and Wald p-values. Infinite estimates have infinite standard errors.
    coefs : DataFrame
        Coefficients by step (rows) and column.
    llf, llf_unpenalized : float
        Log-likelihood with the penalty, if there is one, and without it; `aic` and `bic` use the latter.
    nobs, df_model, df_resid : float
        Number of rows (or the sum of their weights), number of coefficients, and their difference.
    separated : bool
        Whether some coefficients are infinite because the data are separated.
    converged, n_iter, reason : bool, int, str
        Whether the fit converged, the number of steps, and why it did not converge.
    """

    _scope = " at every step"

    @overload
    def predict(
        self,
        exog: Any = None,
        transform: bool = True,
        which: Literal["prob", "linear"] = "prob",
        offset: Any = None,
    ) -> pd.DataFrame: ...
    @overload
    def predict(
        self, exog: Any = None, transform: bool = True, *, which: Literal["class"], offset: Any = None
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
        which : {"prob", "linear", "class"}
            Probabilities of the classes, linear predictors of the steps, or the most probable class.
        offset : array-like or str, optional
            Offset of the new rows, or the name of its column in `exog`. By default the column that was the offset of
            the fit, if it was named, otherwise 0; the rows of the fit have their own.

        Returns
        -------
        DataFrame or Series
            One column per class or step; a Series for "class".
        """
        return self._predict(exog, transform, which, offset)

    def _columns(self, which: str) -> Any:
        return self.model.labels if which == "prob" else self.model.stages

    def parallel_test(self) -> TestResult:
        """Likelihood-ratio test that all steps have the same slopes.

        If there is a penalty, both likelihoods have the penalty of the model with separate slopes.

        Returns
        -------
        TestResult
        """
        check_nonrobust(self, "a likelihood-ratio test")
        model, df = self.model, self._parallel_df("step")
        separate, common = (
            self._fits[0] if parallel == model.parallel else model._with_slopes(parallel)._fit(MAXITER, False)
            for parallel in (False, True)
        )
        null = common.value
        if model.penalty:
            span = by_step(len(model.stages), len(model.columns), True)
            likelihood = separate.likelihood
            null = likelihood.nested_at(span @ common.beta, span, False).value + likelihood.constant
        return self._compared(separate.value - null, df, "all steps have the same slopes")

    def _titles(self) -> tuple[str, str]:
        return "Adjacent Categories Results", "AdjacentCategories"


class AdjacentCategoriesResultsWrapper(PrintedWrapper, LikelihoodResultsWrapper):
    """Adds labels to results, as in statsmodels."""

    _wrap_methods = union_dicts(LikelihoodResultsWrapper._wrap_methods, {"conf_int": "columns"})


populate_wrapper(AdjacentCategoriesResultsWrapper, AdjacentCategoriesResults)
