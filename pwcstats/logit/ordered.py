"""Proportional odds model: statsmodels' ``OrderedModel`` with input checks and detection of separation."""

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from statsmodels.base.wrapper import populate_wrapper
from statsmodels.miscmodels.ordinal_model import OrderedModel, OrderedResults, OrderedResultsWrapper
from statsmodels.tools.numdiff import approx_fprime

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._summary import tidy_coefficients
from pwcstats.errors import ConvergenceWarning, InputError, SeparationWarning, arg, code, value, warn
from pwcstats.logit import reading
from pwcstats.logit.binary import EXTREME
from pwcstats.logit.formulas import FromFormula
from pwcstats.logit.inherited import HidesUnavailable, PrintedWrapper, StatsmodelsResult, Unavailable
from pwcstats.logit.separation import detect_separation, separation_message

__all__ = ["OrderedLogit", "OrderedLogitResults"]

# Largest entry of the score of a converged fit, for columns of variance 1.
SMALL_SCORE = 1e-6


class OrderedLogit(FromFormula, HidesUnavailable, OrderedModel):
    """Proportional odds: statsmodels' ``OrderedModel`` with the logistic distribution.

    In addition, it checks its input as :class:`ContinuationRatio` does, and detects separation.

    Parameters
    ----------
    endog : array-like
        Ordered classes: numbers, or an ordered Categorical.
    exog : array-like
        Design matrix without a constant, which the thresholds replace.
    offset : array-like, optional
        Added to the linear predictor.
    categories : sequence, optional
        The classes from the lowest to the highest, if `endog` does not determine their order.
    **kwargs
        As in statsmodels.

    Notes
    -----
    The model is logit P(Y <= j) = theta_j - x'beta, as in ``MASS::polr``. As in statsmodels, `params` has the first
    threshold and the logarithms of the differences between thresholds. ``res.thresholds`` and ``res.tidy()`` have the
    thresholds themselves.

    Examples
    --------
    >>> from pwcstats import OrderedLogit
    >>> res = OrderedLogit([0, 0, 1, 0, 1, 2, 1, 2, 2], [1, 2, 3, 4, 5, 6, 7, 8, 9]).fit()
    >>> res.thresholds.round(2).tolist()
    [4.32, 8.16]
    """

    # statsmodels' OrderedModel has its own from_formula, which does not change `eval_env`.
    _formula_frames = 2

    def __init__(self, endog: Any, exog: Any, offset: Any = None, categories: Any = None, **kwargs: Any) -> None:
        distr = kwargs.pop("distr", "logit")
        if distr != "logit":
            raise InputError(
                f"{code('OrderedLogit')} has the logistic distribution; use statsmodels' OrderedModel for "
                f"{value(distr)}."
            )
        reading.check_options(kwargs, "OrderedLogit", "offset and categories (instead of weights, repeat the rows)")
        if offset is not None and kwargs.get("missing_idx") is not None:
            # After a formula, rows with missing values are left out of endog and exog already.
            offset = np.asarray(offset)[~kwargs["missing_idx"]]
        reading.check_aligned(exog, endog=endog, offset=offset)
        codes, labels = reading.read_ordered(endog, categories)
        # A model may have thresholds only; for the formula "y ~ 1" statsmodels passes no column.
        exog = pd.DataFrame(index=range(len(codes))) if exog is None else exog
        frame = reading.read_frame(exog, len(codes), needs_column=False)
        reading.check_no_missing(frame, codes, {} if offset is None else {"offset": offset})
        reading.check_classes(np.asarray(codes, dtype=np.int64), np.ones(len(codes)), list(labels))
        constant = list(frame.columns[(frame == frame.iloc[0]).all()])
        frame = frame.drop(columns=constant)
        x = frame.to_numpy(dtype=np.float64)
        reading.check_rank(np.column_stack([np.ones(len(x)), x]), ["const", *frame.columns])
        self._constant = constant
        response = pd.Series(
            np.asarray(codes, dtype=np.int64), index=frame.index, name=getattr(endog, "name", None) or "y"
        )
        super().__init__(response, frame if frame.shape[1] else None, offset=offset, distr="logit", **kwargs)
        self.labels = pd.Index(np.arange(len(labels)))
        self._name_classes(labels)

    @classmethod
    def _read_response(cls, values: Any, kwargs: dict[str, Any]) -> tuple[Any, pd.Index]:
        return reading.read_ordered(values, kwargs.pop("categories", None))

    def _name_classes(self, labels: pd.Index) -> None:
        self.labels = labels[self.labels.astype(np.int64)]
        self.exog_names[self.k_vars :] = [f"{a}/{b}" for a, b in pairwise(self.labels)]

    def score(self, params: Any) -> Array:
        """Derivatives of the log-likelihood, in closed form; statsmodels uses finite differences."""
        params = np.asarray(params, dtype=np.float64)
        low, high = self._bounds(params)
        p = self.prob(low, high)
        at_low, at_high = self.pdf(low) / p, self.pdf(high) / p
        # Derivatives for the thresholds: each is the upper one of a class and the lower one of the next class.
        n = self.k_levels - 1
        threshold = np.bincount(self.endog, at_high, n + 1)[:n] - np.bincount(self.endog, at_low, n + 1)[1:]
        # The first parameter moves all thresholds, each other parameter moves its own and all higher ones.
        chained = np.cumsum(threshold[::-1])[::-1]
        chained[1:] *= np.exp(params[self.k_vars + 1 :])
        slopes = [] if self.exog is None else self.exog.T @ (at_low - at_high)
        return np.concatenate([slopes, chained])

    def hessian(self, params: Any) -> Array:
        """Second derivatives, by central differences of the score."""
        h = approx_fprime(np.asarray(params, dtype=np.float64), self.score, centered=True)
        return (h + h.T) / 2.0

    def information(self, params: Any) -> Array:
        """Observed information."""
        return -self.hessian(params)

    hessian_factor = expandparams = reduceparams = Unavailable(
        f"statsmodels' OrderedModel does not provide this; use {code('score')} and {code('hessian')}."
    )

    def predict(self, params: Any, exog: Any = None, offset: Any = None, which: str = "prob") -> Array:
        """Predictions at some parameters, as in statsmodels; new rows must be finite."""
        if exog is not None and self.k_vars:
            names, slopes = list(map(str, self.exog_names[: self.k_vars])), np.asarray(params)[: self.k_vars]
            exog = reading.read_new_rows(exog, names, slopes, hasattr(self, "formula"))
            offset = None if offset is None else reading.read_new_offset(offset, len(np.atleast_2d(exog)))
        return super().predict(params, exog, offset, which)

    def fit(
        self,
        start_params: Any = None,
        method: str | None = None,
        maxiter: int = 500,
        disp: bool = False,
        warn_convergence: bool = True,
        **kwargs: Any,
    ) -> "OrderedLogitResults":
        """Fit the model.

        Parameters
        ----------
        start_params : array-like, optional
            Start of the iteration, as in statsmodels.
        method : str, optional
            One of statsmodels' optimisers; by default BFGS followed by Newton's method.
        maxiter : int
            Maximal number of steps.
        disp : bool
            Print convergence messages.
        warn_convergence : bool
            Whether to warn if the data are separated or the fit did not converge.
        **kwargs
            As in statsmodels.

        Returns
        -------
        OrderedLogitResults
        """
        maxiter = _params.count(maxiter, "maxiter")
        warn_convergence = _params.flag(warn_convergence, "warn_convergence")
        # statsmodels would warn about failed steps and singular matrices; the checks below give the reason.
        quiet = {"skip_hessian": True, "warn_convergence": False}
        options = {**kwargs, "maxiter": maxiter, "disp": disp, **quiet}
        inner, back = self._standardised()
        start = None if start_params is None else np.linalg.solve(back, np.asarray(start_params, dtype=np.float64))
        fit = super(OrderedLogit, inner).fit
        with np.errstate(all="ignore"):
            rough = fit(start_params=start, method=method or "bfgs", **options)
            result = rough if method else fit(start_params=rough.params, method="newton", **options)
            if not np.abs(inner.score(result.params)).max() < np.abs(inner.score(rough.params)).max():
                result = rough
            params = back @ np.asarray(result.params)
            shell = super().fit(start_params=params, method="bfgs", maxiter=0, disp=0, **quiet)
            cov = back @ _inverse(-inner.hessian(np.asarray(result.params))) @ back.T
            score = float(np.abs(inner.score(result.params)).max())
        outcome = OrderedLogitResults(self, shell._results)
        outcome.params = params
        outcome.normalized_cov_params = outcome.cov_params_default = cov
        trouble = self._assess(outcome, score)
        if warn_convergence and trouble is not None:
            warn(trouble)
        return OrderedLogitResultsWrapper(outcome)

    def _standardised(self) -> tuple["OrderedLogit", Array]:
        """The model for columns of mean 0 and variance 1, and the matrix that converts its parameters to ours."""
        if self.exog is None:
            return self, np.eye(self.k_levels - 1)
        mean, spread = self.exog.mean(axis=0), self.exog.std(axis=0)
        inner = OrderedLogit(self.endog, (self.exog - mean) / spread, offset=self.offset)
        back = np.diag(np.concatenate([1.0 / spread, np.ones(self.k_levels - 1)]))
        # Only the first threshold changes; the other parameters are logarithms of differences.
        back[self.k_vars, : self.k_vars] = mean / spread
        return inner, back

    def _assess(self, outcome: "OrderedLogitResults", score: float) -> SeparationWarning | ConvergenceWarning | None:
        """Set `converged`, and infinite standard errors if the data are separated; return a warning if needed."""
        low, high = self._bounds(outcome.params)
        outcome.converged = outcome.mle_retvals["converged"] = score < SMALL_SCORE
        if self.exog is not None and (not outcome.converged or self.prob(low, high).max() > 1.0 - EXTREME**0.5):
            found = detect_separation(
                self.endog, pd.DataFrame(self.exog, columns=self.exog_names[: self.k_vars]), ordered=True
            )
            if found.separated:
                infinite = (found.directions != 0.0).to_numpy().ravel()
                outcome._set_infinite(infinite)
                names = [name for name, is_infinite in zip(self.exog_names, infinite, strict=True) if is_infinite]
                cure = (
                    f"use {code('ContinuationRatio')} with {arg('penalty', 'firth')} for finite estimates, or leave a "
                    "column out"
                )
                return SeparationWarning(separation_message(names, found.kind, cure))
        if not outcome.converged:
            return ConvergenceWarning(
                f"the fit did not converge (the score is {score:.2g}); raise {arg('maxiter')}, or standardise the "
                "columns."
            )
        return None


def _inverse(a: Array) -> Array:
    """Inverse of a matrix; infinite variances if it is singular, as for separated data."""
    try:
        return np.asarray(np.linalg.inv(a))
    except np.linalg.LinAlgError:
        return np.diag(np.full(len(a), np.inf))


class OrderedLogitResults(StatsmodelsResult, OrderedResults):
    """Results of :meth:`OrderedLogit.fit`: statsmodels' ``OrderedResults`` with the labels of the classes.

    Attributes
    ----------
    separated : bool
        Whether some estimates are infinite because the data are separated.
    converged : bool
        Whether the fit converged.
    """

    converged: bool
    _infinite: NDArray[np.bool_] | None = None

    @property
    def separated(self) -> bool:
        """Whether some estimates are infinite."""
        return self._infinite is not None

    @property
    def thresholds(self) -> pd.Series:
        """Thresholds between neighbouring classes."""
        names = self.model.exog_names[self.model.k_vars :]
        return pd.Series(self.model.transform_threshold_params(np.asarray(self.params))[1:-1], index=names)

    def tidy(self, alpha: float = 0.05) -> pd.DataFrame:
        """One row per slope and threshold, with broom's columns in snake case.

        Standard errors of the thresholds are by the delta method.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.

        Returns
        -------
        DataFrame
        """
        quantile = float(stats.norm.isf(_params.level(alpha, "alpha") / 2.0))
        params, n_slopes = np.asarray(self.params), self.model.k_vars
        estimate = np.concatenate([params[:n_slopes], self.thresholds.to_numpy()])
        steps = np.exp(params[n_slopes:])
        steps[0] = 1.0
        jacobian = np.eye(len(params))
        jacobian[n_slopes:, n_slopes:] = np.tril(np.tile(steps, (len(steps), 1)))
        cov, infinite = np.array(self.cov_params()), np.zeros(len(params), np.bool_)
        if self._infinite is not None:
            infinite = self._infinite
            cov[infinite] = cov[:, infinite] = 0.0
        se = np.where(infinite, np.inf, np.sqrt(np.diagonal(jacobian @ cov @ jacobian.T)))
        z = np.where(infinite, np.nan, estimate / se)
        centre = np.where(infinite, 0.0, estimate)
        bounds = np.column_stack([centre - quantile * se, centre + quantile * se])
        return tidy_coefficients(self.model.exog_names, estimate, se, z, 2.0 * stats.norm.sf(np.abs(z)), bounds)

    def glance(self) -> pd.DataFrame:
        """One row about the fit, with broom's columns in snake case."""
        return pd.DataFrame(
            [
                {
                    "log_lik": float(self.llf),
                    "aic": float(self.aic),
                    "bic": float(self.bic),
                    "df": float(len(self.params)),
                    "df_residual": float(self.df_resid),
                    "nobs": float(self.nobs),
                    "converged": self.converged,
                }
            ]
        )

    def predict(self, exog: Any = None, transform: bool = True, **kwargs: Any) -> Any:
        """Probabilities of all classes.

        Parameters
        ----------
        exog : array-like, optional
            New rows: design matrix or, after a formula, its variables. By default the rows of the fit. After a formula,
            rows with missing values have missing predictions.
        transform : bool
            Whether `exog` holds the variables of the formula.
        **kwargs
            `which` and `offset`, as in statsmodels.

        Returns
        -------
        DataFrame
            One column per class; an array for ``which="linpred"``.
        """
        if isinstance(exog, pd.DataFrame) and not hasattr(self.model, "formula"):
            exog = exog.drop(columns=self.model._constant, errors="ignore")
        proba = super().predict(exog, transform, **kwargs)
        if np.ndim(proba) == 1:
            return proba
        index = getattr(proba, "index", self.model.data.row_labels if exog is None else None)
        return pd.DataFrame(np.asarray(proba), index=index, columns=self.model.labels)

    def pred_table(self) -> pd.DataFrame:
        """Counts of observed (rows) and predicted (columns) classes."""
        predicted = np.asarray(self.predict()).argmax(axis=1)
        counts = np.zeros((self.model.k_levels, self.model.k_levels), np.int64)
        np.add.at(counts, (self.model.endog, predicted), 1)
        return pd.DataFrame(counts, index=self.model.labels, columns=self.model.labels)

    def _set_infinite(self, infinite: NDArray[np.bool_]) -> None:
        """Give infinite standard errors to infinite estimates."""
        cov = np.array(getattr(self, "normalized_cov_params"))  # noqa: B009 (mypy cannot tell its type)
        cov[infinite] = cov[:, infinite] = 0.0
        cov[infinite, infinite] = np.inf
        self.normalized_cov_params = self.cov_params_default = cov
        self._infinite = infinite
        self._cache.clear()
        self.converged = self.mle_retvals["converged"] = False

    @property
    def tvalues(self) -> Array:
        """Estimates divided by their standard errors; missing if these are infinite."""
        with np.errstate(invalid="ignore"):
            return np.where(np.isinf(self.bse), np.nan, self.params / self.bse)

    def t_test(self, r_matrix: Any, cov_p: Any = None, use_t: bool | None = None) -> Any:
        """Wald tests of linear combinations, as in statsmodels; all estimates must be finite."""
        self._check_finite("t_test")
        return super().t_test(r_matrix, cov_p, use_t)

    def wald_test(self, r_matrix: Any, *args: Any, **kwargs: Any) -> Any:
        """Wald test of several linear combinations, as in statsmodels; all estimates must be finite."""
        self._check_finite("wald_test")
        return super().wald_test(r_matrix, *args, **kwargs)

    def _check_finite(self, name: str) -> None:
        if self.separated:
            raise InputError(
                f"{code(name)} needs finite estimates; use {code('pvalues')}, or {code('ContinuationRatio')} with "
                f"{arg('penalty', 'firth')}."
            )

    def get_prediction(self, exog: Any = None, which: str = "linpred", **kwargs: Any) -> Any:
        """Linear predictors with standard errors, as in statsmodels, which has none of probabilities."""
        if which != "linpred":
            raise InputError(
                f"standard errors are available for {arg('which', 'linpred')} only; use {code('predict')} for the "
                "probabilities."
            )
        return super().get_prediction(exog, which, **kwargs)

    get_nlfun = Unavailable(f"statsmodels does not provide this; use {code('t_test')} for linear combinations.")


class OrderedLogitResultsWrapper(PrintedWrapper, OrderedResultsWrapper):
    """Adds the labels of pandas input to results, as in statsmodels."""


populate_wrapper(OrderedLogitResultsWrapper, OrderedLogitResults)
