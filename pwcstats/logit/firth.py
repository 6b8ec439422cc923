"""Logistic regression with Jeffreys' penalty: finite estimates for separated data, and less bias for all."""

from typing import Any

import numpy as np
import pandas as pd
from statsmodels.base.wrapper import populate_wrapper
from statsmodels.discrete.discrete_model import BinaryResultsWrapper, Logit, LogitResults
from statsmodels.genmod.families import links

from pwcstats import _params
from pwcstats._arrays import Array, as_float
from pwcstats._kernels.blas import threads_for
from pwcstats._kernels.newton import Ascent
from pwcstats.errors import InputError
from pwcstats.logit import reading as designs
from pwcstats.logit.corrections import CORRECTIONS
from pwcstats.logit.formulas import FromFormula
from pwcstats.logit.likelihood import MAX_ITER, Point
from pwcstats.logit.penalised import PenalisedModel, PenalisedResults

__all__ = ["FirthLogit", "FirthLogitResults"]


class StableLogit(links.Logit):
    """The logit link, whose inverse and its derivative do not overflow."""

    def inverse(self, z: Any) -> Array:
        """Probabilities of linear predictors."""
        small, positive = _small_exponential(z)
        return np.where(positive, 1.0, small) / (1.0 + small)

    def inverse_deriv(self, z: Any) -> Array:
        """Derivatives of the probabilities."""
        small, _ = _small_exponential(z)
        return small / (1.0 + small) ** 2


class FirthLogit(FromFormula, PenalisedModel, Logit):
    r"""Logistic regression with Jeffreys' penalty (Firth's bias reduction).

    A statsmodels ``Logit`` whose estimates are finite for every data set, separated ones included.

    Parameters
    ----------
    endog : array-like
        0 or 1 in each row.
    exog : array-like
        Columns of the design; a constant is not added, as in statsmodels (formulas add one).
    offset : array-like, optional
        Added to the linear predictor.
    freq_weights : array-like, optional
        How many times each row counts; real numbers, 0 leaves a row out.
    **kwargs
        `missing` and `hasconst`, as in statsmodels.

    See Also
    --------
    detect_separation : Find out whether maximum likelihood would do.

    Notes
    -----
    Maximises :math:`\ell(\beta) + \frac12 \log |I(\beta)|`, where I is the Fisher information [1]_. The
    estimates are finite whenever the columns are of full rank [2]_. Standard errors come from the inverse information
    at the estimates, as in R's brglm2 (logistf has the weights of the augmented data there, which gives slightly
    smaller ones). On separated data the likelihood is far from a parabola: prefer ``conf_int(method="profile")`` and
    :meth:`FirthLogitResults.lr_test` to Wald's [3]_.

    References
    ----------
    .. [1] D. Firth, "Bias reduction of maximum likelihood estimates", Biometrika 80, 27-38, 1993.
       https://doi.org/10.1093/biomet/80.1.27
    .. [2] I. Kosmidis and D. Firth, "Jeffreys-prior penalty, finiteness and shrinkage in binomial-response generalized
       linear models", Biometrika 108, 71-82, 2021. https://doi.org/10.1093/biomet/asaa052
    .. [3] G. Heinze and M. Schemper, "A solution to the problem of separation in logistic regression", Statistics in
       Medicine 21, 2409-2419, 2002. https://doi.org/10.1002/sim.1047
    .. [4] R. Puhr, G. Heinze, M. Nold, L. Lusa and A. Geroldinger, "Firth's logistic regression with rare events:
       accurate effect estimates and predictions?", Statistics in Medicine 36, 2302-2317, 2017.
       https://doi.org/10.1002/sim.7273

    Examples
    --------
    Nobody under 40 has the disease, so that maximum likelihood would give age an infinite slope.

    >>> import pandas as pd
    >>> from pwcstats import FirthLogit
    >>> df = pd.DataFrame({"age": [22, 28, 31, 35, 39, 41, 46, 52, 60], "ill": [0, 0, 0, 0, 0, 1, 1, 1, 1]})
    >>> res = FirthLogit.from_formula("ill ~ age", df).fit()
    >>> res.params.round(3)
    Intercept   -8.918
    age          0.220
    dtype: float64
    >>> res.conf_int(method="profile").round(3)
                    0      1
    Intercept -88.397 -1.156
    age         0.028  2.209
    >>> print(res.lr_test("age"))
    Penalised likelihood-ratio test: statistic = 5.89, df = 1, p-value = 0.01523
    null hypothesis: the coefficient of age is 0
    estimate: 0.2202
    """

    def __init__(self, endog: Any, exog: Any, offset: Any = None, freq_weights: Any = None, **kwargs: Any) -> None:
        designs.refuse_text(endog)
        designs.refuse_not_binary(endog)
        super().__init__(endog, exog, offset=offset, freq_weights=freq_weights, **kwargs)

    _options = "start_params, correction, maxiter and disp"

    @property
    def link(self) -> "StableLogit":
        """Link of the predictions with standard errors."""
        return StableLogit()

    def cdf(self, X: Any) -> Array:
        """Probabilities of 1 for linear predictors of any size, where statsmodels' formula overflows."""
        return self.link.inverse(X)

    def pdf(self, X: Any) -> Array:
        """Derivatives of the probabilities."""
        return self.link.inverse_deriv(X)

    @classmethod
    def _read_response(cls, values: Any, kwargs: dict[str, Any]) -> tuple[Any, pd.Index]:
        designs.refuse_text(values)
        return as_float(values, "endog"), pd.Index([0, 1])

    def fit(
        self,
        start_params: Any = None,
        correction: str | None = None,
        maxiter: int = MAX_ITER,
        disp: bool = False,
        **kwargs: Any,
    ) -> "FirthLogitResults":
        """Fit the model.

        Parameters
        ----------
        start_params : array-like, optional
            Where to begin; 0 by default.
        correction : {None, "flic", "flac"}
            Firth's penalty pulls probabilities towards one half. "flic" estimates the intercept again, by maximum
            likelihood with all else held; "flac" adds the penalty's pseudo-observations with an indicator of their own.
            Either makes the mean of the predictions that of the response: use them to predict, and the plain fit for
            tests and profiles (Puhr et al. 2017).
        maxiter : int
            Newton steps before giving up.
        disp : bool
            Print how the fit ended.
        **kwargs
            Nothing; statsmodels' other options are refused.

        Returns
        -------
        FirthLogitResults
        """
        if correction is not None:
            _params.choice(correction, tuple(CORRECTIONS), "correction")
            if self._constant is None:
                raise InputError("a correction of the intercept needs one; add a constant column.")
        with threads_for(0):
            ascent = self._maximise(start_params, maxiter, disp, kwargs)
            beta, at = self._likelihood.beta(ascent.point.params), ascent.point
            if correction is None:
                cov = self._likelihood.cov(at)
            else:
                beta, cov = CORRECTIONS[correction](self, beta, at)
                at = self._likelihood.at(beta)
            return FirthLogitResultsWrapper(FirthLogitResults(self, ascent, at, beta, cov, correction))


def _small_exponential(predictor: Any) -> tuple[Any, Any]:
    """exp(-|z|), and where z is positive; for complex z too, by which statsmodels differentiates."""
    z = np.asarray(predictor)
    positive = z.real > 0.0
    return np.exp(np.where(positive, -z, z)), positive


class FirthLogitResults(PenalisedResults, LogitResults):
    """Results of :meth:`FirthLogit.fit`: statsmodels' results of a logit, with the penalty where it matters.

    Besides what is listed here there are statsmodels' `params`, `bse`, `tvalues`, `pvalues`, `cov_params`, `t_test`,
    `wald_test`, `predict`, `get_prediction`, `get_margeff`, `pred_table`, `summary` and residuals. New rows for
    `predict` must be finite; after a formula, rows in which something is missing have missing predictions.

    Attributes
    ----------
    llf, llf_unpenalized : float
        Log-likelihood with the penalty and without; `aic`, `bic` and `prsquared` use the latter.
    llnull, llr, llr_pvalue : float
        Penalised log-likelihood with all coefficients but the constant at 0, and the test against it.
    converged, n_iter, reason : bool, int, str
        How the fit ended; `reason` is empty when it converged.
    correction : str or None
        What `fit` was asked for.
    """

    def __init__(
        self, model: FirthLogit, ascent: Ascent[Point], at: Point, beta: Array, cov: Array, correction: str | None
    ) -> None:
        super().__init__(model, self._set_up(model, ascent, at, beta, cov, (-1,)))
        self.correction = correction
        self.method = "Firth" if correction is None else f"Firth, {correction.upper()}"
        self.nobs = float(model._weight.sum())
        # statsmodels' own words on separation are about estimates that are infinite; these are not.
        self._separation_etext: list[str] = []

    @property
    def fittedvalues(self) -> Array:
        """Linear predictor, the offset included."""
        return self.model.predict(self.params, which="linear")

    def get_prediction(self, exog: Any = None, transform: bool = True, **kwargs: Any) -> Any:
        """Predictions with standard errors, as in statsmodels; the model's offset goes with the model's rows."""
        if kwargs.get("average"):
            self._refuse_weights("The mean prediction is an average")
        if exog is None and kwargs.get("offset") is None and hasattr(self.model, "offset"):
            kwargs["offset"] = self.model.offset
        return super().get_prediction(exog, transform, **kwargs)

    def pred_table(self, threshold: float = 0.5) -> Array:
        """Counts of what was observed (rows) and predicted (columns), weights included."""
        predicted = (np.asarray(self.predict()) > threshold).astype(np.int64)
        table = np.zeros((2, 2))
        np.add.at(table, (self.model._code, predicted), self.model._weight)
        return table


class FirthLogitResultsWrapper(BinaryResultsWrapper):
    """Gives results the labels of pandas input, as statsmodels does."""


populate_wrapper(FirthLogitResultsWrapper, FirthLogitResults)
