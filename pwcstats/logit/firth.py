"""Binary logistic regression with Jeffreys' penalty."""

from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import log_expit, xlogy
from statsmodels.base.wrapper import populate_wrapper
from statsmodels.discrete.discrete_model import BinaryResultsWrapper, DiscreteResults, Logit, LogitResults
from statsmodels.genmod.families import links

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._kernels.blas import threads_for
from pwcstats._kernels.newton import Ascent
from pwcstats.errors import InputError, arg
from pwcstats.logit import reading, robust
from pwcstats.logit.formulas import FromFormula, offset_of_rows
from pwcstats.logit.inherited import PrintedWrapper
from pwcstats.logit.likelihood import MultinomialLikelihood
from pwcstats.logit.maximum import MAXITER, Point
from pwcstats.logit.outcomes import read_outcome
from pwcstats.logit.penalized import PenalizedModel, PenalizedResults

__all__ = ["FirthLogit", "FirthLogitResults"]


class StableLogit(links.Logit):
    """Logit link with an inverse that does not overflow."""

    def inverse(self, z: Any) -> Array:
        """Probabilities for linear predictors."""
        small, positive = _small_exponential(z)
        return np.where(positive, 1.0, small) / (1.0 + small)

    def inverse_deriv(self, z: Any) -> Array:
        """Derivatives of the probabilities."""
        small, _ = _small_exponential(z)
        return small / (1.0 + small) ** 2


class FirthLogit(FromFormula, PenalizedModel, Logit):
    r"""Logistic regression with Jeffreys' penalty (Firth's bias reduction).

    A statsmodels ``Logit`` whose estimates are finite for every data set, including separated data.

    Parameters
    ----------
    endog : array-like
        Two labels of any kind: numbers, booleans, strings, or a Categorical. The model is for the probability of the
        second label in sorted order, or in the order of a Categorical; ``summary()`` names it. Or two columns, the
        numbers of successes and failures.
    exog : array-like
        Design matrix. As in statsmodels, a constant is not added (formulas add one).
    offset : array-like, optional
        Added to the linear predictor.
    freq_weights : array-like, optional
        How many times each row counts: real numbers; 0 leaves a row out.
    tau : float
        Weight of the penalty, at least 0. The default 0.5 is Firth's; less removes less bias and shrinks less; 0 is
        maximum likelihood, which separated data do not have.
    trials : array-like, optional
        Number of trials of each row. `endog` is then the number of successes.
    aliased : {"drop", "raise"}
        What to do with columns that are constant, or combinations of the columns before them. "drop" leaves them out,
        as ``glm`` in R does: a warning names them, their coefficients are missing (NaN), and the attribute `left_out`
        of the model has their names. "raise" is an error.
    **kwargs
        `missing` and `hasconst`, as in statsmodels.

    See Also
    --------
    detect_separation : Find out whether maximum likelihood estimates are finite.

    Notes
    -----
    The model maximises :math:`\ell(\beta) + \tau \log |I(\beta)|`, where I is the Fisher information and :math:`\tau`
    is 1/2 unless you choose it [1]_, as `tau` of R's logistf. The estimates are finite for every :math:`\tau > 0` if
    the design matrix has full rank [2]_. Standard errors come from the inverse information at the estimates, as in R's
    brglm2 (those of logistf use the weights of the augmented data and are slightly smaller). On separated data the
    likelihood is far from quadratic: prefer ``conf_int(method="profile")`` and :meth:`FirthLogitResults.lr_test` to
    Wald intervals and tests [3]_.

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
    Nobody under 40 has the disease, so the maximum likelihood estimate of the slope of age is infinite.

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

    def __init__(
        self,
        endog: Any,
        exog: Any,
        offset: Any = None,
        freq_weights: Any = None,
        tau: float = 0.5,
        trials: Any = None,
        **kwargs: Any,
    ) -> None:
        dropped = kwargs.get("missing_idx")
        if dropped is None:
            reading.check_aligned(exog, trials=trials)
            share, trials, self.labels = read_outcome(endog, trials)
        else:
            # A formula has dropped rows of the response and of the design, but not of other columns.
            kept = ~np.asarray(dropped)
            share, found, self.labels = read_outcome(endog, None if trials is None else trials[kept])
            trials = None if found is None else np.ones(len(kept))
            if found is not None:
                trials[kept] = found
        super().__init__(share, exog, offset=offset, freq_weights=freq_weights, tau=tau, trials=trials, **kwargs)

    _fit_options = "start_params, correction, maxiter, disp, cov_type and cov_kwds"
    _options = "offset, freq_weights, tau, trials, aliased and missing"
    # A formula may have successes and failures on its left, or a factor that is expanded to indicators.
    _formula_max_endog = None
    # Number of trials of each row, if the response has counts.
    trials: Array | None = None

    @property
    def class_labels(self) -> list[Any]:
        """Failure and success."""
        return list(self.labels)

    @property
    def successes(self) -> Array:
        """Numbers of successes, 0 or 1 without trials."""
        return self.endog if self.trials is None else np.rint(self.endog * self.trials)

    @property
    def _row_weight(self) -> Array:
        if self.trials is None:
            return self._weight
        return np.divide(self._weight, self.trials, out=np.zeros(len(self.trials)), where=self.trials > 0.0)

    def _lines(self) -> tuple[Array, NDArray[np.int64], Array, Array | None]:
        exog, code, weight, offset = super()._lines()
        if self.trials is None:
            return exog, code, weight, offset
        return (
            np.concatenate([exog, exog]),
            np.repeat([1, 0], len(exog)),
            np.concatenate([weight * self.endog, weight * (1.0 - self.endog)]),
            None if offset is None else np.concatenate([offset, offset]),
        )

    @property
    def link(self) -> "StableLogit":
        """Link of the predictions."""
        return StableLogit()

    def cdf(self, X: Any) -> Array:
        """Probabilities of 1 for linear predictors, without the overflow of statsmodels' formula."""
        return self.link.inverse(X)

    def pdf(self, X: Any) -> Array:
        """Derivatives of the probabilities."""
        return self.link.inverse_deriv(X)

    @classmethod
    def _read_response(cls, values: Any, kwargs: dict[str, Any]) -> tuple[Any, pd.Index | None]:
        if kwargs.get("trials") is not None:
            return values, None
        outcome = read_outcome(values)
        return outcome.share, outcome.labels

    def _name_classes(self, labels: pd.Index) -> None:
        self.labels = labels

    def fit(
        self,
        start_params: Any = None,
        correction: Literal["flic", "flac"] | None = None,
        maxiter: int = MAXITER,
        disp: bool = False,
        cov_type: robust.CovType = "nonrobust",
        cov_kwds: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> "FirthLogitResults":
        """Fit the model.

        Parameters
        ----------
        start_params : array-like, optional
            Start of the iteration; 0 by default.
        correction : {None, "flic", "flac"}
            Correction of the intercept for better predictions, because Firth's penalty pulls probabilities towards one
            half (Puhr et al., see the references of the model). "flic" estimates the intercept again by maximum
            likelihood, with the other coefficients fixed. "flac" adds the pseudo-observations of the penalty, with an
            indicator variable for them. Both make the mean prediction equal to the mean response.
        maxiter : int
            Maximal number of Newton steps.
        disp : bool
            Print a message if the fit converged.
        cov_type : {"nonrobust", "HC0", "HC1", "cluster"}
            Covariance of the estimates: the inverse information, or the sandwich, whose units are rows or clusters of
            rows. "HC1" is "HC0" times n / (n - k), as in R's sandwich. Wald intervals and tests, and standard errors
            of predictions, use it. Likelihood-ratio tests and profiles cannot, so they are refused. A row of weight w
            is w rows.
        cov_kwds : dict, optional
            For clusters ``{"groups": ...}``: a value for each row, or the name of a column of the data of a formula.
            The factor for few groups is that of statsmodels; ``"use_correction": False`` leaves it out.
        **kwargs
            Other options of statsmodels are not accepted.

        Returns
        -------
        FirthLogitResults
        """
        if _params.optional_choice(correction, CORRECTIONS, "correction") and self._constant is None:
            raise InputError(f"{arg('correction')} changes the intercept, so it needs one; add a constant column.")
        if correction is not None and self.tau == 0.0:
            raise InputError(
                f"{arg('correction', correction)} corrects for the penalty, of which {arg('tau', 0)} has none; leave "
                f"{arg('correction')} out."
            )
        options = robust.read_options(self, cov_type, cov_kwds)
        if correction is not None and options is not None:
            raise InputError(
                f"{arg('cov_type', cov_type)} needs a fit without correction, got {arg('correction', correction)}; "
                "leave one of them out."
            )
        augmented = None
        with threads_for(0):
            ascent = self._maximise(start_params, maxiter, disp, kwargs)
            beta, at = self._likelihood.beta(ascent.point.params), ascent.point
            if correction is None:
                cov = self._cov(at, options)
            else:
                beta, cov, augmented = CORRECTIONS[correction](self, beta, at)
                at = self._likelihood.at(beta)
            results = FirthLogitResults(self, ascent, at, beta, cov, correction, augmented, options)
            return FirthLogitResultsWrapper(results)


def _small_exponential(predictor: Any) -> tuple[Any, Any]:
    """exp(-|z|), and whether z is positive; z may be complex, because statsmodels uses complex-step derivatives."""
    z = np.asarray(predictor)
    positive = z.real > 0.0
    return np.exp(np.where(positive, -z, z)), positive


# Corrections of the intercept (Puhr et al. 2017). They take the model, its coefficients and their point, and return the
# corrected coefficients, their covariance and, for FLAC, the likelihood of the augmented data and its maximum.
Augmented = tuple[MultinomialLikelihood, Point]


def _flic(model: FirthLogit, beta: Array, _: Point) -> tuple[Array, Array, None]:
    """Estimate the intercept by maximum likelihood, with the other coefficients fixed."""
    likelihood = model._make_likelihood(False)
    held = np.arange(len(beta)) != model._constant
    point = likelihood.maximise(beta, held).point
    corrected = np.where(held, beta, likelihood.beta(point.params))
    return corrected, likelihood.cov(point), None


def _flac(model: FirthLogit, beta: Array, point: Point) -> tuple[Array, Array, Augmented]:
    """Maximum likelihood for the data and pseudo-observations, which have an indicator variable.

    Firth's penalty is equivalent to a second and a third copy of the data, one of them with the opposite outcome, each
    row weighted by half its leverage, in general by tau times its leverage.
    """
    sample = model._likelihood.sample
    p = point.probability[:, 0]
    cov = np.asarray(np.linalg.inv(point.information), dtype=np.float64)
    pseudo = model.tau * sample.weight * p * (1.0 - p) * sample.forms(cov[None])[0]
    x, _, weight, _ = model._lines()
    x = x[weight > 0.0]
    augmented = MultinomialLikelihood(
        np.column_stack([np.tile(x, (3, 1)), np.repeat([0.0, 1.0, 1.0], len(x))]),
        np.concatenate([sample.code, sample.code, 1 - sample.code]),
        np.concatenate([sample.weight, pseudo, pseudo]),
        None if sample.offset is None else np.tile(sample.offset, 3),
        2,
        False,
        lambda: [*model.exog_names, "pseudo-observations"],
    )
    corrected = augmented.maximise(np.append(beta, 0.0)).point
    return augmented.beta(corrected.params)[:-1], augmented.cov(corrected)[:-1, :-1], (augmented, corrected)


CORRECTIONS = {"flic": _flic, "flac": _flac}


class FirthLogitResults(PenalizedResults, LogitResults):
    """Results of :meth:`FirthLogit.fit`: statsmodels' ``LogitResults`` for the penalised likelihood.

    The attributes and methods of statsmodels are available: `params`, `bse`, `tvalues`, `pvalues`, `cov_params`,
    `t_test`, `wald_test`, `predict`, `get_prediction`, `get_margeff`, `pred_table`, `summary` and residuals. New rows
    for `predict` must be finite. After a formula, rows with missing values have missing predictions.

    Attributes
    ----------
    llf, llf_unpenalized : float
        Log-likelihood with and without the penalty; `aic`, `bic` and `prsquared` use the latter.
    llnull, llr, llr_pvalue : float
        Penalised log-likelihood with all coefficients but the constant at 0, and the test against it.
    converged, n_iter, reason : bool, int, str
        Whether the fit converged, the number of steps, and why it did not converge (empty if it did).
    correction : str or None
        Correction of the intercept.
    """

    def __init__(
        self,
        model: FirthLogit,
        ascent: Ascent[Point],
        at: Point,
        beta: Array,
        cov: Array,
        correction: str | None,
        augmented: "Augmented | None",
        options: robust.CovarianceOptions | None,
    ) -> None:
        # BinaryResults would compute predictions for a note about infinite estimates; these are finite.
        DiscreteResults.__init__(self, model, self._set_up(model, ascent, at, beta, cov, (-1,), options))
        self._separation_etext: list[str] = []
        self.correction = correction
        if augmented is not None:
            (self._augmented, self._best), self._hard = augmented, False
        self.method = model._estimator if correction is None else f"{model._estimator}, {correction.upper()}"
        self.nobs = float(model._weight.sum())

    @property
    def fittedvalues(self) -> Array:
        """Linear predictor, including the offset."""
        return self.model.predict(self.params, which="linear")

    def predict(self, exog: Any = None, transform: bool = True, which: str = "mean", offset: Any = None) -> Any:
        """Predictions, as in statsmodels.

        Parameters
        ----------
        exog : array-like, optional
            New rows: design matrix or, after a formula, its variables. By default the rows of the fit. After a formula,
            rows with missing values have missing predictions.
        transform : bool
            Whether `exog` holds the variables of the formula.
        which : {"mean", "linear", "var"}
            Probabilities, linear predictors, or variances.
        offset : array-like or str, optional
            Offset of the new rows, or the name of its column in `exog`. By default the column that was the offset of
            the fit, if it was named, otherwise 0; the rows of the fit have their own.

        Returns
        -------
        Series or ndarray
        """
        offset = offset_of_rows(self.model, exog, transform, offset)
        return super().predict(exog, transform, which=which, offset=offset)

    def get_prediction(self, exog: Any = None, transform: bool = True, **kwargs: Any) -> Any:
        """Predictions with standard errors, as in statsmodels; the offset is that of :meth:`predict`."""
        if kwargs.get("average"):
            self._check_unweighted("The mean prediction is an average")
        offset = offset_of_rows(self.model, exog, transform, kwargs.get("offset"))
        if exog is None and offset is None:
            offset = getattr(self.model, "offset", None)
        if offset is not None:
            kwargs["offset"] = reading.read_column(offset, "offset")
        if self.model.left_out and exog is not None:
            exog, index = self._transform_predict_exog(exog, transform)
            transform, kwargs = False, kwargs | ({} if index is None else {"row_labels": index})
        return super().get_prediction(exog, transform, **kwargs)

    def pred_table(self, threshold: float = 0.5) -> Array:
        """Weighted counts of observed (rows) and predicted (columns) outcomes."""
        predicted = (np.asarray(self.predict()) > threshold).astype(np.int64)
        successes = self.model._weight * self.model.endog
        failures = self.model._weight - successes
        return np.array([np.bincount(predicted, weight, minlength=2) for weight in (failures, successes)])

    @property
    def resid_response(self) -> Array:
        """Shares of successes minus probabilities."""
        return np.asarray(self.model.endog - self.model.predict(self.params))

    @property
    def resid_pearson(self) -> Array:
        """Response residuals divided by their standard deviations, which depend on the trials of the row."""
        p = self.model.predict(self.params)
        return np.asarray(self.resid_response * np.sqrt(self._trials / (p * (1.0 - p))))

    @property
    def resid_dev(self) -> Array:
        """Signed roots of the contributions of the rows to the deviance."""
        share, linear = self.model.endog, self.model.predict(self.params, which="linear")
        # Logarithms keep the digits of small probabilities.
        parts = xlogy(share, share) - share * log_expit(linear)
        parts += xlogy(1.0 - share, 1.0 - share) - (1.0 - share) * log_expit(-linear)
        return np.asarray(np.sign(self.resid_response) * np.sqrt(2.0 * self._trials * np.maximum(parts, 0.0)))

    @property
    def _trials(self) -> Array | float:
        return 1.0 if self.model.trials is None else self.model.trials

    def _response_note(self) -> list[str]:
        failure, success = self.model.class_labels
        plain = (failure, success) == (0, 1)
        return [] if plain else [f"The probability is that of {success}, against {failure}."]


class FirthLogitResultsWrapper(PrintedWrapper, BinaryResultsWrapper):
    """Adds the labels of pandas input to results, as in statsmodels."""


populate_wrapper(FirthLogitResultsWrapper, FirthLogitResults)
