"""Multinomial logistic regression with Jeffreys' penalty."""

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import log_softmax, softmax
from statsmodels.base.wrapper import populate_wrapper
from statsmodels.discrete.discrete_model import MNLogit, MultinomialResults, MultinomialResultsWrapper

from pwcstats._arrays import Array
from pwcstats._kernels.blas import threads_for
from pwcstats._kernels.newton import Ascent
from pwcstats.errors import InputError
from pwcstats.logit import reading as designs
from pwcstats.logit.formulas import FromFormula
from pwcstats.logit.likelihood import MAX_ITER, Point
from pwcstats.logit.penalised import PenalisedModel, PenalisedResults, refused

__all__ = ["FirthMNLogit", "FirthMNLogitResults", "StableMNLogit"]


class StableMNLogit(MNLogit):
    """statsmodels' ``MNLogit`` for predictors of any size, of which its own exponentials overflow."""

    def cdf(self, X: Any) -> Array:
        """Probabilities of all classes, of predictors of all but the first."""
        return np.asarray(softmax(np.column_stack([np.zeros(len(X)), X]), axis=1))

    def loglikeobs(self, params: Any) -> Array:
        """Log-likelihood of each row."""
        predictor = np.asarray(self.exog) @ np.asarray(params).reshape(self.K, -1, order="F")
        log_proba = log_softmax(np.column_stack([np.zeros(len(predictor)), predictor]), axis=1)
        return np.asarray(np.take_along_axis(log_proba, self.endog.astype(np.int64)[:, None], axis=1)[:, 0])

    def loglike(self, params: Any) -> float:
        """Log-likelihood."""
        return float(self.loglikeobs(params).sum())


class FirthMNLogit(FromFormula, PenalisedModel, StableMNLogit):
    r"""Multinomial logistic regression with Jeffreys' penalty.

    A statsmodels ``MNLogit`` whose estimates are finite for every data set, separated ones included. The first class
    (in sorted order, or in that of a Categorical) is the baseline.

    Parameters
    ----------
    endog : array-like
        Classes: numbers, words or a Categorical.
    exog : array-like
        Columns of the design; a constant is not added, as in statsmodels (formulas add one).
    freq_weights : array-like, optional
        How many times each row counts; real numbers, 0 leaves a row out.
    **kwargs
        `missing` and `hasconst`, as in statsmodels.

    See Also
    --------
    individualized_mnlogit : One binary fit for each class.

    Notes
    -----
    Maximises :math:`\ell(\beta) + \frac12 \log |I(\beta)|` [1]_, with I the information on all coefficients
    together; for this model that is bias reduction too [2]_, as in ``brmultinom`` of R's brglm2. Probabilities do not
    depend on which class is the baseline.

    References
    ----------
    .. [1] D. Firth, "Bias reduction of maximum likelihood estimates", Biometrika 80, 27-38, 1993.
       https://doi.org/10.1093/biomet/80.1.27
    .. [2] I. Kosmidis and D. Firth, "Multinomial logit bias reduction via the Poisson log-linear model", Biometrika 98,
       755-759, 2011. https://doi.org/10.1093/biomet/asr026

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats import FirthMNLogit
    >>> df = pd.DataFrame({"x": [1, 2, 3, 4, 5, 6, 7, 8, 9], "y": list("aaababccc")})
    >>> res = FirthMNLogit.from_formula("y ~ x", df).fit()
    >>> res.predict(pd.DataFrame({"x": [2, 5, 8]})).round(3)
           a      b      c
    0  0.800  0.192  0.008
    1  0.411  0.419  0.170
    2  0.043  0.185  0.772
    """

    def __init__(self, endog: Any, exog: Any, freq_weights: Any = None, **kwargs: Any) -> None:
        if kwargs.pop("offset", None) is not None:
            raise InputError("FirthMNLogit has no offset, as MNLogit has none; leave it out.")
        designs.refuse_one_value(endog)
        if isinstance(endog, pd.Categorical):
            # statsmodels keeps the order of a Series alone.
            endog = pd.Series(endog, index=getattr(exog, "index", None), name="y")
        if isinstance(endog, pd.Series) and isinstance(endog.dtype, pd.StringDtype):
            endog = endog.astype(object)
        super().__init__(endog, exog, freq_weights=freq_weights, **kwargs)

    def _name_classes(self, labels: pd.Index) -> None:
        seen = [int(label) for label in self.class_labels]
        self._ynames_map = {k: str(labels[place]) for k, place in enumerate(seen)}
        self.data.cov_names = pd.MultiIndex.from_product(
            (self.class_labels[1:], self.data.xnames), names=(self.endog_names, None)
        )

    @property
    def class_labels(self) -> list[Any]:
        """Classes, the baseline first."""
        return [str(self._ynames_map[k]) for k in range(int(self.J))]

    def fit(
        self, start_params: Any = None, maxiter: int = MAX_ITER, disp: bool = False, **kwargs: Any
    ) -> "FirthMNLogitResults":
        """Fit the model.

        Parameters
        ----------
        start_params : array-like, optional
            Where to begin, columns x classes; 0 by default.
        maxiter : int
            Newton steps before giving up.
        disp : bool
            Print how the fit ended.
        **kwargs
            Nothing; statsmodels' other options are refused.

        Returns
        -------
        FirthMNLogitResults
        """
        with threads_for(0):
            ascent = self._maximise(start_params, maxiter, disp, kwargs)
            return FirthMNLogitResultsWrapper(FirthMNLogitResults(self, ascent))


class FirthMNLogitResults(PenalisedResults, MultinomialResults):
    """Results of :meth:`FirthMNLogit.fit`: statsmodels' results of a multinomial logit, penalised where it matters.

    Besides what is listed here there are statsmodels' `params`, `bse`, `tvalues`, `pvalues` (columns x classes but the
    first), `cov_params`, `get_margeff`, `summary` and residuals.

    Attributes
    ----------
    llf, llf_unpenalized : float
        Log-likelihood with the penalty and without; `aic`, `bic` and `prsquared` use the latter.
    llnull, llr, llr_pvalue : float
        Penalised log-likelihood with all coefficients but the constants at 0, and the test against it.
    converged, n_iter, reason : bool, int, str
        How the fit ended; `reason` is empty when it converged.
    """

    def __init__(self, model: FirthMNLogit, ascent: Ascent[Point]) -> None:
        likelihood, point = model._likelihood, ascent.point
        beta, cov = likelihood.beta(point.params), likelihood.cov(point)
        super().__init__(model, self._set_up(model, ascent, point, beta, cov, (model.exog.shape[1], -1)))
        self.method = "Firth"
        self.nobs = float(model._weight.sum())

    def predict(self, exog: Any = None, transform: bool = True, **kwargs: Any) -> Any:
        """Probabilities of all classes, by name; `which="linear"` for the predictors.

        Parameters
        ----------
        exog : array-like, optional
            New rows: columns of the design or, after a formula, its variables; by default the rows of the fit. After a
            formula, rows in which something is missing have missing probabilities.
        transform : bool
            Whether the formula makes the columns from `exog`.
        **kwargs
            `which`, as in statsmodels.

        Returns
        -------
        DataFrame
        """
        proba = super().predict(exog, transform, **kwargs)
        index = getattr(proba, "index", None)
        if exog is None and index is None:
            index = self.model.data.row_labels
        return pd.DataFrame(np.asarray(proba), index=index, columns=self.model.class_labels)

    def pred_table(self) -> Array:
        """Counts of what was observed (rows) and predicted (columns), weights included."""
        table = np.zeros((self.model.J, self.model.J))
        predicted = np.asarray(self.predict()).argmax(axis=1)
        np.add.at(table, (self.model._code, predicted), self.model._weight)
        return table

    resid_misclassified = property(
        lambda self: (self.model._code != np.asarray(self.predict()).argmax(axis=1)).astype(np.float64),
        doc="1 where the likeliest class is not the observed one.",
    )

    summary2 = refused("statsmodels' summary2 heads the classes' tables with wrong numbers; use summary.")
    get_prediction = refused("standard errors of multinomial probabilities are not there; use predict, or get_margeff.")


class FirthMNLogitResultsWrapper(MultinomialResultsWrapper):
    """Gives results the labels of pandas input, as statsmodels does."""


populate_wrapper(FirthMNLogitResultsWrapper, FirthMNLogitResults)
