"""Multinomial logistic regression with Jeffreys' penalty."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import log_softmax, softmax
from statsmodels.base.wrapper import populate_wrapper
from statsmodels.discrete.discrete_model import MNLogit, MultinomialResults, MultinomialResultsWrapper
from statsmodels.iolib import summary2 as tables

from pwcstats._arrays import Array
from pwcstats._kernels.blas import threads_for
from pwcstats._kernels.newton import Ascent
from pwcstats.errors import InputError, arg, code
from pwcstats.logit import reading, robust
from pwcstats.logit.formulas import FromFormula
from pwcstats.logit.inherited import PrintedWrapper, SeveralEquations, Unavailable
from pwcstats.logit.maximum import MAXITER, Point
from pwcstats.logit.penalized import PenalizedModel, PenalizedResults

__all__ = ["FirthMNLogit", "FirthMNLogitResults", "StableMNLogit"]


class StableMNLogit(MNLogit):
    """statsmodels' ``MNLogit`` without overflow for large linear predictors."""

    def cdf(self, X: Any) -> Array:
        """Probabilities of all classes for linear predictors of all classes but the first."""
        return np.asarray(softmax(np.column_stack([np.zeros(len(X)), X]), axis=1))

    def loglikeobs(self, params: Any) -> Array:
        """Log-likelihood of each row."""
        predictor = np.asarray(self.exog) @ np.asarray(params).reshape(self.K, -1, order="F")
        log_proba = log_softmax(np.column_stack([np.zeros(len(predictor)), predictor]), axis=1)
        return np.asarray(np.take_along_axis(log_proba, self.endog.astype(np.int64)[:, None], axis=1)[:, 0])

    def loglike(self, params: Any) -> float:
        """Log-likelihood."""
        return float(self.loglikeobs(params).sum())


class FirthMNLogit(FromFormula, PenalizedModel, StableMNLogit):
    r"""Multinomial logistic regression with Jeffreys' penalty.

    A statsmodels ``MNLogit`` whose estimates are finite for every data set, including separated data. The first class
    (in sorted order, or in the order of a Categorical) is the baseline.

    Parameters
    ----------
    endog : array-like
        Classes: numbers, strings or a Categorical.
    exog : array-like
        Design matrix. As in statsmodels, a constant is not added (formulas add one).
    freq_weights : array-like, optional
        How many times each row counts: real numbers; 0 leaves a row out.
    tau : float
        Weight of the penalty, at least 0. The default 0.5 is Firth's; 0 is maximum likelihood, which separated data do
        not have.
    aliased : {"drop", "raise"}
        What to do with columns that are constant, or combinations of the columns before them. "drop" leaves them out,
        as ``glm`` in R does: a warning names them, their coefficients are missing (NaN), and the attribute `left_out`
        of the model has their names. "raise" is an error.
    **kwargs
        `missing` and `hasconst`, as in statsmodels.

    See Also
    --------
    individualized_mnlogit : A separate binary fit for each class.

    Notes
    -----
    The model maximises :math:`\ell(\beta) + \tau \log |I(\beta)|` [1]_, where I is the information of all
    coefficients. With :math:`\tau = 1/2` the penalty reduces bias [2]_, as in ``brmultinom`` of R's brglm2.
    Probabilities do not depend on the choice of the baseline.

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

    def __init__(self, endog: Any, exog: Any, freq_weights: Any = None, tau: float = 0.5, **kwargs: Any) -> None:
        if kwargs.pop("offset", None) is not None:
            raise InputError(f"{code('FirthMNLogit')} has no {arg('offset')}; leave it out.")
        codes, labels = reading.read_nominal(endog)
        if len(labels) < 2:
            reading.check_classes(np.zeros(len(codes), np.int64), np.ones(len(codes)), list(labels))
        known = ~np.isnan(np.asarray(codes, dtype=np.float64))
        if kwargs.get("missing") == "drop" and len(exog) == len(known) and not known.all():
            # statsmodels would take missing labels for a class.
            endog, exog, freq_weights = (_rows_of(part, known) for part in (endog, exog, freq_weights))
        if isinstance(endog, pd.Categorical):
            # statsmodels keeps the order of the categories only for a Series.
            endog = pd.Series(endog, index=getattr(exog, "index", None), name="y")
        if isinstance(endog, pd.Series) and isinstance(endog.dtype, pd.StringDtype):
            endog = endog.astype(object)
        super().__init__(endog, exog, freq_weights=freq_weights, tau=tau, **kwargs)

    def _name_classes(self, labels: pd.Index) -> None:
        seen = [int(label) for label in self.class_labels]
        self._ynames_map = {k: str(labels[index]) for k, index in enumerate(seen)}
        self.data.cov_names = pd.MultiIndex.from_product(
            (self.class_labels[1:], self.data.xnames), names=(self.endog_names, None)
        )

    def _leave_out(self, columns: list[int]) -> None:
        super()._leave_out(columns)
        self.K = self.exog.shape[1]
        self.data.cov_names = pd.MultiIndex.from_product(
            (self.class_labels[1:], self.data.xnames), names=(self.endog_names, None)
        )

    @property
    def class_labels(self) -> list[Any]:
        """Classes, the baseline first."""
        return [str(self._ynames_map[k]) for k in range(int(self.J))]

    def fit(
        self,
        start_params: Any = None,
        maxiter: int = MAXITER,
        disp: bool = False,
        cov_type: robust.CovType = "nonrobust",
        cov_kwds: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> "FirthMNLogitResults":
        """Fit the model.

        Parameters
        ----------
        start_params : array-like, optional
            Start of the iteration, columns x classes; 0 by default.
        maxiter : int
            Maximal number of Newton steps.
        disp : bool
            Print a message if the fit converged.
        cov_type, cov_kwds
            As in :meth:`FirthLogit.fit`.
        **kwargs
            Other options of statsmodels are not accepted.

        Returns
        -------
        FirthMNLogitResults
        """
        options = robust.read_options(self, cov_type, cov_kwds)
        with threads_for(0):
            ascent = self._maximise(start_params, maxiter, disp, kwargs)
            return FirthMNLogitResultsWrapper(FirthMNLogitResults(self, ascent, options))

    pdf = get_distribution = Unavailable(f"a multinomial model has no such distribution; use {code('predict')}.")


def _rows_of(part: Any, rows: NDArray[np.bool_]) -> Any:
    if part is None or isinstance(part, (pd.Series, pd.DataFrame, pd.Categorical, pd.Index)):
        return part if part is None else part[rows]
    return np.asarray(part)[rows]


class FirthMNLogitResults(SeveralEquations, PenalizedResults, MultinomialResults):
    """Results of :meth:`FirthMNLogit.fit`: statsmodels' ``MultinomialResults`` for the penalised likelihood.

    The attributes and methods of statsmodels are available: `params`, `bse`, `tvalues`, `pvalues` (columns x classes
    but the first), `cov_params`, `get_margeff`, `summary` and residuals.

    Attributes
    ----------
    llf, llf_unpenalized : float
        Log-likelihood with and without the penalty; `aic`, `bic` and `prsquared` use the latter.
    llnull, llr, llr_pvalue : float
        Penalised log-likelihood with all coefficients but the constants at 0, and the test against it.
    converged, n_iter, reason : bool, int, str
        Whether the fit converged, the number of steps, and why it did not converge (empty if it did).
    """

    def __init__(self, model: FirthMNLogit, ascent: Ascent[Point], options: robust.CovarianceOptions | None) -> None:
        point = ascent.point
        beta, cov = model._likelihood.beta(point.params), model._cov(point, options)
        super().__init__(model, self._set_up(model, ascent, point, beta, cov, (model.exog.shape[1], -1), options))
        self.method = model._estimator
        self.nobs = float(model._weight.sum())

    def predict(self, exog: Any = None, transform: bool = True, **kwargs: Any) -> pd.DataFrame:
        """Probabilities of all classes; ``which="linear"`` gives linear predictors.

        Parameters
        ----------
        exog : array-like, optional
            New rows: design matrix or, after a formula, its variables. By default the rows of the fit. After a formula,
            rows with missing values have missing probabilities.
        transform : bool
            Whether `exog` holds the variables of the formula.
        **kwargs
            `which`, as in statsmodels.

        Returns
        -------
        DataFrame
            One column per class.
        """
        proba = super().predict(exog, transform, **kwargs)
        index = getattr(proba, "index", None)
        if exog is None and index is None:
            index = self.model.data.row_labels
        return pd.DataFrame(np.asarray(proba), index=index, columns=self.model.class_labels)

    def pred_table(self) -> Array:
        """Weighted counts of observed (rows) and predicted (columns) classes."""
        table = np.zeros((self.model.J, self.model.J))
        predicted = np.asarray(self.predict()).argmax(axis=1)
        np.add.at(table, (self.model._code, predicted), self.model._weight)
        return table

    @property
    def fittedvalues(self) -> pd.DataFrame:
        """Linear predictors of all classes but the first."""
        return self.predict(which="linear").iloc[:, 1:]

    @property
    def resid_misclassified(self) -> Array:
        """1 if the most probable class is not the observed one, otherwise 0."""
        return (self.model._code != np.asarray(self.predict()).argmax(axis=1)).astype(np.float64)

    def summary2(self, alpha: float = 0.05, float_format: str = "%.4f") -> tables.Summary:
        """Another summary of statsmodels, with a table for each class but the first.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.
        float_format : str
            Format of the numbers in the tables.

        Returns
        -------
        Summary
        """
        names, bounds = list(self.model.exog_names), np.asarray(self.conf_int(alpha))
        # statsmodels' own method numbers the classes and forgets that the tests are normal.
        report = tables.Summary()
        report.add_dict(tables.summary_model(self))
        for k, label in enumerate(self.model.class_labels[1:]):
            columns = (self.params[:, k], self.bse[:, k], self.tvalues[:, k], self.pvalues[:, k], bounds[k])
            table = tables.summary_params((self, *columns), xname=names, alpha=alpha, use_t=False)
            table.insert(0, f"{self.model.endog_names} = {label}", table.index)
            report.add_df(table, index=False, header=True, float_format=float_format)
        report.add_title(results=self)
        return report

    def _coefficients_of(self, columns: Sequence[int]) -> list[int]:
        n_columns, n_rest = self.params.shape
        return [k * n_columns + column for k in range(n_rest) for column in columns]

    get_prediction = Unavailable(
        "standard errors of multinomial probabilities are not available; use "
        f"{code('predict')}, or {code('get_margeff')}."
    )
    get_distribution = Unavailable(f"a multinomial model has no such distribution; use {code('predict')}.")
    margeff = Unavailable(f"margeff was replaced in statsmodels; use {code('get_margeff')}.")


class FirthMNLogitResultsWrapper(PrintedWrapper, MultinomialResultsWrapper):
    """Adds the labels of pandas input to results, as in statsmodels."""

    # `fittedvalues` has labels already.
    _wrap_attrs: ClassVar = {
        name: how for name, how in MultinomialResultsWrapper._wrap_attrs.items() if name != "fittedvalues"
    }


populate_wrapper(FirthMNLogitResultsWrapper, FirthMNLogitResults)
