"""What models with Jeffreys' penalty share, whether of two classes or of more."""

import warnings
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.base.model import LikelihoodModelResults
from statsmodels.tools.sm_exceptions import MissingDataError

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._kernels.newton import Ascent
from pwcstats._results import TestResult
from pwcstats._text import listed, shown
from pwcstats.errors import ConvergenceWarning, InputError
from pwcstats.logit import reading as designs
from pwcstats.logit.likelihood import MultinomialLikelihood, Point
from pwcstats.logit.profiles import fall, profile_bounds, single_tests


def refused(reason: str) -> Callable[..., Any]:
    """A method that says why it is not there."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise InputError(reason)

    method.__doc__ = f"Refused: {reason}"
    return method


class PenalisedModel:
    """Mixed into a model of statsmodels: its likelihood with Jeffreys' penalty, and frequency weights."""

    data: Any
    exog: Array
    exog_names: list[str]
    endog: Array
    _data_attr: list[str]
    _likelihood: MultinomialLikelihood
    _weight: Array
    _options = "start_params, maxiter and disp"

    def __init__(self, endog: Any, exog: Any, offset: Any = None, freq_weights: Any = None, **kwargs: Any) -> None:
        designs.refuse_unknown(kwargs, type(self).__name__, "offset, freq_weights and missing")
        designs.refuse_design(exog)
        designs.refuse_misaligned(exog, freq_weights=freq_weights, offset=offset)
        if "missing_idx" not in kwargs:
            designs.refuse_other_rows(len(endog), len(exog))
            designs.refuse_lengths(len(exog), freq_weights=freq_weights, offset=offset)
        extra = {"freq_weights": freq_weights} | ({} if offset is None else {"offset": np.asarray(offset, dtype=float)})
        if kwargs.get("missing", "none") == "none":
            designs.refuse_missing(exog, endog, extra)
        kwargs["check_rank"] = False
        try:
            super().__init__(endog, exog, **extra, **kwargs)  # type: ignore[call-arg]
        except MissingDataError:
            designs.refuse_missing(exog, endog, extra)
            raise
        self._weight = designs.read_weights(getattr(self, "freq_weights", None), len(self.exog))
        self._code = np.asarray(self.endog).astype(np.int64)
        designs.refuse_one_class(self._code, self._weight, self.class_labels)
        self._likelihood = self._make_likelihood(True)
        n_params = self._likelihood.n_params
        self.df_model = float(n_params - self._likelihood.n_rest * (self._constant is not None))
        self.df_resid = float(self._weight.sum() - n_params)
        self._data_attr.extend(["_weight", "_code", "_likelihood"])

    @property
    def class_labels(self) -> list[Any]:
        """Classes, the baseline first."""
        return [0, 1]

    def _check_kwargs(self, kwargs: dict[str, Any], keys_extra: Any = None, **options: Any) -> None:
        super()._check_kwargs(kwargs, [*(keys_extra or []), "freq_weights"], **options)  # type: ignore[misc]

    def _make_likelihood(self, firth: bool) -> MultinomialLikelihood:
        exog = np.asarray(self.exog, dtype=np.float64)
        offset = np.asarray(getattr(self, "offset", np.zeros(len(exog))), dtype=np.float64)
        n_classes = int(self._code.max()) + 1
        return MultinomialLikelihood(
            exog, self._code, self._weight, offset, n_classes, firth, list(map(str, self.exog_names))
        )

    @property
    def _constant(self) -> int | None:
        """Place of the constant column."""
        return self.data.const_idx

    def loglike(self, params: Any) -> float:
        """Penalised log-likelihood."""
        return self._point(params).value + self._likelihood.constant

    def score(self, params: Any) -> Array:
        """Penalised score."""
        return self._likelihood.score(self._point(params))

    def information(self, params: Any) -> Array:
        """Fisher information, whose inverse is the covariance of the estimates."""
        return self._likelihood.information(self._point(params))

    def hessian(self, params: Any) -> Array:
        """Minus the Fisher information; the penalty's own curvature is left out."""
        return -self.information(params)

    def predict(self, params: Any, exog: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Predictions at some parameters, as in statsmodels; new rows must be finite."""
        if exog is not None:
            names = list(map(str, self.exog_names))
            coefficients = np.asarray(params).reshape(len(names), -1, order="F")
            exog = designs.read_new_rows(exog, names, coefficients, hasattr(self, "formula"))
            if kwargs.get("offset") is not None:
                kwargs["offset"] = designs.read_new_offset(kwargs["offset"], len(np.atleast_2d(exog)))
        return super().predict(params, exog, *args, **kwargs)  # type: ignore[misc]

    def _point(self, params: Any) -> Point:
        return self._likelihood.at(designs.read_params(params, self._likelihood.n_params, "params"))

    fit_regularized = refused("the likelihood has a penalty already; use statsmodels' own model for another one.")
    fit_constrained = refused("the penalty is that of the whole model; to test constraints use lr_test or wald_test.")
    loglikeobs = refused("the penalty is not a sum over rows; use statsmodels' own model for the rows' likelihoods.")
    score_obs = score_factor = hessian_factor = loglikeobs

    def _maximise(self, start_params: Any, maxiter: Any, disp: Any, kwargs: dict[str, Any]) -> Ascent[Point]:
        method = kwargs.pop("method", "newton")
        if method != "newton" or kwargs:
            odd = ", ".join(kwargs) or f"method={method!r}"
            raise InputError(f"fit has no {odd}; it is by Newton's method, with {self._options}.")
        start = None if start_params is None else designs.read_params(start_params, self._likelihood.n_params)
        ascent = self._likelihood.fit(start, max_iter=_params.count(maxiter, "maxiter"))
        if not np.isfinite(ascent.point.value):
            raise InputError("start_params is so far out that no outcome there is in doubt; begin nearer to 0.")
        if not ascent.converged:
            warnings.warn(
                f"the fit did not converge ({ascent.reason}); raise maxiter, or start elsewhere.",
                ConvergenceWarning,
                stacklevel=3,
            )
        elif disp:
            value = ascent.point.value + self._likelihood.constant
            print(f"Converged after {ascent.n_iter} steps; penalised log-likelihood {value:.6g}.")
        return ascent

    def _columns_of(self, term: Any) -> list[int]:
        """Columns of a term: a column's name or place, or a term of the formula."""
        names = list(self.exog_names)
        if isinstance(term, Hashable) and term in names:
            return [names.index(term)]
        if isinstance(term, (int, np.integer)) and not isinstance(term, bool) and 0 <= term < len(names):
            return [int(term)]
        slices = term_slices(self)
        if isinstance(term, str) and term in slices:
            return slices[term]
        known = list(dict.fromkeys([*map(str, names), *slices]))
        raise InputError(f"term must be one of {listed(known)}, or a list of them, got {shown(term)}.")


def term_slices(model: Any) -> dict[str, list[int]]:
    """Columns of each term of a model's formula; without a formula, of each column."""
    data = model.data
    info = getattr(data, "model_spec", None) or getattr(data, "design_info", None)
    every = range(model.exog.shape[1])
    for name in ("term_name_slices", "term_slices"):
        slices = getattr(info, name, None)
        if slices is not None:
            return {str(term): list(every[part]) for term, part in slices.items()}
    return {str(name): [place] for place, name in enumerate(model.exog_names)}


class PenalisedResults:
    """Mixed into results of statsmodels: what rests on the likelihood uses the penalised one."""

    model: Any
    params: Array
    bse: Array
    tvalues: Array
    pvalues: Array
    nobs: float
    df_model: float
    df_resid: float
    converged: bool
    correction: str | None = None

    def _set_up(
        self, model: Any, ascent: Ascent[Point], at: Point, beta: Array, cov: Array, shape: tuple[int, ...]
    ) -> Any:
        """What statsmodels' results are made from; `at` is where the coefficients are, after corrections."""
        fit = LikelihoodModelResults(model, beta.reshape(shape, order="F"), cov, scale=1.0)
        fit.mle_retvals = {"converged": ascent.converged, "iterations": ascent.n_iter}
        fit.mle_settings = {"optimizer": "newton"}
        self.n_iter, self.reason = ascent.n_iter, ascent.reason
        self._best, self._hard = ascent.point, model._likelihood.hard(ascent)
        self._at = at
        self._size, self._shift = model._likelihood.n_params, model._likelihood.constant
        return fit

    @property
    def llf(self) -> float:
        """Penalised log-likelihood."""
        return self._at.value + self._shift

    @property
    def llf_unpenalized(self) -> float:
        """Log-likelihood without the penalty."""
        return self._at.llf

    @cached_property
    def _null(self) -> Point:
        model = self.model
        held = np.ones((model._likelihood.n_rest, model.exog.shape[1]), np.bool_)
        if model._constant is not None:
            held[:, model._constant] = False
        return model._likelihood.held_at(np.zeros(held.size), held.ravel(), self._hard)

    @property
    def llnull(self) -> float:
        """Penalised log-likelihood with all coefficients but the constants at 0."""
        return self._null.value + self._shift

    @property
    def llr(self) -> float:
        """Penalised likelihood-ratio statistic against `llnull`."""
        return 2.0 * (self._best.value - self._null.value)

    @property
    def llr_pvalue(self) -> float:
        """p-value of `llr`, chi-squared with `df_model` degrees of freedom."""
        return float(stats.chi2.sf(self.llr, self.df_model))

    @property
    def prsquared(self) -> float:
        """McFadden's pseudo-R-squared, without penalties."""
        return 1.0 - self.llf_unpenalized / self._null.llf

    @property
    def aic(self) -> float:
        """Akaike's criterion, of the unpenalised likelihood (penalties of different columns cannot be compared)."""
        return 2.0 * (self._size - self.llf_unpenalized)

    @property
    def bic(self) -> float:
        """Schwarz's criterion, of the unpenalised likelihood."""
        return float(np.log(self.nobs)) * self._size - 2.0 * self.llf_unpenalized

    def info_criteria(self, crit: str, dk_params: float = 0) -> float:
        """Criterion "aic" or "bic", with `dk_params` more parameters."""
        weight = {"aic": 2.0, "bic": float(np.log(self.nobs))}[_params.choice(crit, ("aic", "bic"), "crit")]
        return weight * (self._size + dk_params) - 2.0 * self.llf_unpenalized

    set_null_options = refused("the null model is the whole model with its coefficients held at 0; it has no options.")
    score_test = refused("score tests are of the unpenalised likelihood; use lr_test or wald_test.")
    get_influence = refused("leaving a row out changes the penalty; fit again without the row instead.")
    im_ratio = property(refused("the information matrix test is of the unpenalised likelihood."))

    def lr_test(self, term: Any = None) -> TestResult:
        """Penalised likelihood-ratio test that coefficients are 0.

        Their columns stay in the penalty, as in R's logistf, so that the two likelihoods can be compared.

        Parameters
        ----------
        term : str, int or list of them, optional
            Columns by name or place, or terms of the formula; by default all but the constant.

        Returns
        -------
        TestResult
        """
        self._refuse_corrected("A likelihood-ratio test")
        model, likelihood = self.model, self.model._likelihood
        if term is None:
            columns = [k for k in range(model.exog.shape[1]) if k != model._constant]
            point = self._null
        else:
            terms = term if isinstance(term, (list, tuple, pd.Index, np.ndarray)) else [term]
            columns = sorted({k for one in terms for k in model._columns_of(one)})
            held = np.zeros((likelihood.n_rest, model.exog.shape[1]), np.bool_)
            held[:, columns] = True
            beta = np.where(held.ravel(), 0.0, likelihood.beta(self._best.params))
            point = likelihood.held_at(beta, held.ravel(), self._hard)
        if not columns:
            raise InputError("term names no column, so that there is nothing to test.")
        df = len(columns) * likelihood.n_rest
        statistic = 2.0 * (self._best.value - point.value)
        if statistic < -1e-6:
            warnings.warn(
                "the likelihood is higher with the coefficients at 0, so that the fit is at a lower one of several "
                "maxima; fit again with other start_params.",
                ConvergenceWarning,
                stacklevel=2,
            )
        statistic = max(statistic, 0.0)
        names = [model.exog_names[k] for k in columns]
        return TestResult(
            statistic=statistic,
            p_value=float(stats.chi2.sf(statistic, df)),
            df=float(df),
            estimate=float(np.ravel(self.params)[columns[0]]) if df == 1 else None,
            method="Penalised likelihood-ratio test",
            null=f"the coefficients of {listed(names)} are 0" if df > 1 else f"the coefficient of {names[0]} is 0",
        )

    def conf_int(self, alpha: float = 0.05, method: str = "wald") -> Array:
        """Confidence intervals of the coefficients.

        Parameters
        ----------
        alpha : float
            One less the level.
        method : {"wald", "profile"}
            Normal approximation, or where the penalised likelihood, all other coefficients adapting, has fallen by
            half a quantile of chi-squared.

        Returns
        -------
        DataFrame or ndarray
            Lower and upper bounds; of several classes, one class after the other.
        """
        _params.choice(method, ("wald", "profile"), "method")
        level = _params.level(alpha, "alpha")
        if method == "wald":
            return super().conf_int(alpha=level)  # type: ignore[misc]
        self._refuse_corrected("A profile")
        bounds = profile_bounds(self.model._likelihood, self._best, fall(level))
        return bounds if self.params.ndim == 1 else bounds.reshape(self.params.shape[1], -1, 2)

    def tidy(self, alpha: float = 0.05, method: str = "wald") -> pd.DataFrame:
        """One row a coefficient with broom's columns in snake case.

        Parameters
        ----------
        alpha : float
            One less the level of the intervals.
        method : {"wald", "profile"}
            Wald's intervals and tests, or profile intervals and penalised likelihood-ratio tests.

        Returns
        -------
        DataFrame
        """
        bounds = np.asarray(self.conf_int(alpha, method)).reshape(-1, 2)
        names, n_rest = list(self.model.exog_names), len(self.model.class_labels) - 1
        statistic, p_value = np.ravel(self.tvalues, order="F"), np.ravel(self.pvalues, order="F")
        if method == "profile":
            statistic, p_value = single_tests(self.model._likelihood, self._best, self._hard)
        table = pd.DataFrame(
            {
                "term": names * n_rest,
                "estimate": np.ravel(self.params, order="F"),
                "std_error": np.ravel(self.bse, order="F"),
                "statistic": statistic,
                "p_value": p_value,
                "conf_low": bounds[:, 0],
                "conf_high": bounds[:, 1],
            }
        )
        if self.params.ndim > 1:
            table.insert(0, "y_level", np.repeat(self.model.class_labels[1:], len(names)))
        return table

    def get_margeff(self, *args: Any, **kwargs: Any) -> Any:
        """Marginal effects, as in statsmodels; not with frequency weights, which its averages would leave out."""
        self._refuse_weights("Marginal effects are averages")
        return super().get_margeff(*args, **kwargs)  # type: ignore[misc]

    def _refuse_corrected(self, what: str) -> None:
        if self.model._likelihood is None:
            raise InputError(f"{what} needs the data, which remove_data took away.")
        if self.correction is not None:
            raise InputError(
                f"{what} needs the maximum of Firth's likelihood, from which correction={self.correction!r} has moved "
                "the estimates; fit without correction."
            )

    def _refuse_weights(self, what: str) -> None:
        if getattr(self.model, "freq_weights", None) is not None:
            raise InputError(f"{what} over rows, which would leave out freq_weights; repeat the rows instead.")

    def summary(self, *args: Any, **kwargs: Any) -> Any:
        """The table of statsmodels; log-likelihoods are penalised, intervals are Wald's."""
        table = super().summary(*args, **kwargs)  # type: ignore[misc]
        table.add_extra_txt(
            [
                "Log-Likelihood and LL-Null are penalised. Intervals and z are Wald's.",
                *([] if self.correction else ['For separated data prefer conf_int(method="profile") and lr_test().']),
            ]
        )
        return table

    def remove_data(self) -> None:
        """Drop all arrays of the length of the data, as in statsmodels; tests and profiles are gone with them."""
        for name in ("_null", "_best", "_at"):
            self.__dict__[name] = replace(getattr(self, name), probability=np.empty((0, 0)))
        # statsmodels makes the response's name when it is first asked for, from the data.
        _ = self.model.endog_names
        super().remove_data()  # type: ignore[misc]

    def glance(self) -> pd.DataFrame:
        """One row about the fit, with broom's columns in snake case."""
        return pd.DataFrame(
            [
                {
                    "log_lik": self.llf_unpenalized,
                    "penalized_log_lik": self.llf,
                    "aic": self.aic,
                    "bic": self.bic,
                    "statistic": self.llr,
                    "p_value": self.llr_pvalue,
                    "df": self.df_model,
                    "df_residual": self.df_resid,
                    "nobs": self.nobs,
                    "converged": self.converged,
                    "n_iter": self.n_iter,
                }
            ]
        )
