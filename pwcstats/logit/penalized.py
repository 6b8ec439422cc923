"""Models with Jeffreys' penalty, and their results: what the binary and the multinomial model share."""

import math
from abc import abstractmethod
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from statsmodels.base.model import LikelihoodModelResults

from pwcstats import _params
from pwcstats._arrays import Array, as_float
from pwcstats._kernels.newton import Ascent
from pwcstats._kernels.separation import overlap
from pwcstats._text import did_you_mean, listed, shape_of, shown
from pwcstats.errors import ConvergenceWarning, InputError, arg, code, warn
from pwcstats.logit import reading, robust
from pwcstats.logit.aliased import aliased_note, kept_contrasts, leave_out, refuse_aliased
from pwcstats.logit.binary import cure_of
from pwcstats.logit.formulas import columns_by_term
from pwcstats.logit.inherited import HidesUnavailable, Unavailable
from pwcstats.logit.likelihood import MultinomialLikelihood
from pwcstats.logit.maximum import EXTREME, Point
from pwcstats.logit.penalized_inference import PenalizedInference
from pwcstats.logit.separation import Kind, separation_message


class PenalizedModel(HidesUnavailable):
    """Mixed into a statsmodels model: likelihood with Jeffreys' penalty, and frequency weights."""

    data: Any
    exog: Array
    exog_names: list[str]
    endog: Array
    _data_attr: list[str]
    _init_keys: list[str]
    _likelihood: MultinomialLikelihood
    _weight: Array
    # Options of `fit`, for its error message.
    _fit_options = "start_params, maxiter, disp, cov_type and cov_kwds"
    # Options of the model, for its error message.
    _options = "freq_weights, tau, aliased and missing"
    # Names of the columns whose coefficients are missing.
    left_out: Sequence[str] = ()
    # Whether there may be a penalty; subclasses may maximise the likelihood itself.
    _firth = True

    def __init__(
        self, endog: Any, exog: Any, offset: Any = None, freq_weights: Any = None, tau: float = 0.5, **kwargs: Any
    ) -> None:
        tau = _params.number(tau, "tau", "a finite number of at least 0", lambda x: 0.0 <= x < math.inf)
        self.tau = tau if self._firth else 0.0
        trials = kwargs.pop("trials", None)
        on_aliased = _params.choice(kwargs.pop("aliased", "drop"), ("drop", "raise"), "aliased")
        reading.check_options(kwargs, type(self).__name__, self._options)
        reading.check_design(exog)
        reading.check_aligned(exog, freq_weights=freq_weights, offset=offset)
        freq_weights = reading.read_column(freq_weights, "freq_weights")
        offset = reading.read_column(offset, "offset")
        if "missing_idx" not in kwargs:
            reading.check_same_rows(len(endog), len(exog))
            reading.check_lengths(len(exog), freq_weights=freq_weights, offset=offset)
        optional = {"offset": offset, "trials": trials}
        extra = {"freq_weights": freq_weights} | {key: one for key, one in optional.items() if one is not None}
        cure = f"set {arg('missing', 'drop')}"
        if kwargs.get("missing", "none") != "drop":
            reading.check_no_missing(exog, endog, extra, cure)
        kwargs["check_rank"] = False
        super().__init__(endog, exog, **extra, **kwargs)  # type: ignore[call-arg]
        self._weight = reading.read_weights(getattr(self, "freq_weights", None), len(self.exog))
        if trials is not None:
            self._weight = self._weight * self.trials  # type: ignore[attr-defined]
        self._code = np.asarray(self.endog).astype(np.int64)
        _, code, weight, _ = self._lines()
        reading.check_classes(code, weight, self.class_labels)
        try:
            self._likelihood = self._make_likelihood(self.tau > 0.0)
        except reading.RankError as error:
            if on_aliased == "raise":
                raise
            columns = error.columns
        else:
            columns = []
        if columns:
            self._leave_out(columns)
            self._likelihood = self._make_likelihood(self.tau > 0.0)
        n_params = self._likelihood.n_params
        self.df_model = float(n_params - self._likelihood.n_rest * (self._constant is not None))
        self.df_resid = float(self._weight.sum() - n_params)
        self._data_attr.extend(["_weight", "_code", "_likelihood"])
        self._init_keys.append("tau")

    @property
    @abstractmethod
    def class_labels(self) -> list[Any]:
        """Classes, the baseline first."""

    def _leave_out(self, columns: list[int]) -> None:
        """Leave out aliased columns."""
        leave_out(self, columns)

    def _check_kwargs(self, kwargs: dict[str, Any], keys_extra: Any = None, **options: Any) -> None:
        super()._check_kwargs(kwargs, [*(keys_extra or []), "freq_weights", "trials"], **options)  # type: ignore[misc]

    def _lines(self) -> tuple[Array, NDArray[np.int64], Array, Array | None]:
        """Design, class, weight and offset of each line of the likelihood; lines are rows, unless these have trials."""
        exog = np.asarray(self.exog, dtype=np.float64)
        offset = np.asarray(self.offset, dtype=np.float64) if hasattr(self, "offset") else None
        return exog, self._code, self._weight, offset

    @property
    def _row_weight(self) -> Array:
        """How many times each row counts; `_weight` also counts the trials of a row."""
        return self._weight

    def _make_likelihood(self, firth: bool) -> MultinomialLikelihood:
        exog, code, weight, offset = self._lines()
        n_classes = int(code.max()) + 1
        names = lambda: list(map(str, self.exog_names))  # noqa: E731
        return MultinomialLikelihood(exog, code, weight, offset, n_classes, firth, names, tau=self.tau)

    @property
    def _estimator(self) -> str:
        """The method of estimation, for summaries."""
        return "MLE" if self.tau == 0.0 else "Firth" if self.tau == 0.5 else f"Firth, tau={self.tau:g}"

    @property
    def _constant(self) -> int | None:
        """Index of the constant column."""
        return self.data.const_idx

    def loglike(self, params: Any) -> float:
        """Penalised log-likelihood."""
        return self._point(params).value + self._likelihood.constant

    def score(self, params: Any) -> Array:
        """Penalised score."""
        return self._likelihood.score(self._point(params))

    def loglike_and_score(self, params: Any) -> tuple[float, Array]:
        """Penalised log-likelihood and score."""
        return self.loglike(params), self.score(params)

    def information(self, params: Any) -> Array:
        """Fisher information, whose inverse is the covariance of the estimates."""
        return self._likelihood.information(self._point(params))

    def hessian(self, params: Any) -> Array:
        """Minus the Fisher information; the curvature of the penalty is not included."""
        return -self.information(params)

    def predict(self, params: Any, exog: Any = None, which: str = "mean", **kwargs: Any) -> Any:
        """Predictions at some parameters, as in statsmodels; new rows must be finite."""
        if exog is not None:
            names = list(map(str, self.exog_names))
            coefficients = np.asarray(params).reshape(len(names), -1, order="F")
            exog = reading.read_new_rows(exog, names, coefficients, hasattr(self, "formula"))
        if kwargs.get("offset") is not None:
            n = len(self.exog if exog is None else np.atleast_2d(exog))
            kwargs["offset"] = reading.read_new_offset(kwargs["offset"], n, hasattr(self, "formula"))
        return super().predict(params, exog, which=which, **kwargs)  # type: ignore[misc]

    def _point(self, params: Any) -> Point:
        return self._likelihood.at(self._read_params(params, "params"))

    def _read_params(self, params: Any, name: str) -> Array:
        """Finite coefficients, class by class."""
        values = as_float(params, name)
        flat, size = values.ravel(order="F"), self._likelihood.n_params
        if flat.size != size or not np.isfinite(flat).all():
            raise InputError(f"{arg(name)} must be {size} finite numbers, got {shape_of(values)}.")
        return flat

    fit_regularized = Unavailable(
        "the likelihood has a penalty already; use statsmodels' own model for another penalty."
    )
    fit_constrained = Unavailable(
        f"the penalty is that of the whole model; to test constraints use {code('lr_test')} or {code('wald_test')}."
    )
    loglikeobs = Unavailable("the penalty is not a sum over rows; use statsmodels' own model for likelihoods of rows.")
    score_obs = score_factor = hessian_factor = loglikeobs

    def _maximise(self, start_params: Any, maxiter: Any, disp: Any, kwargs: dict[str, Any]) -> Ascent[Point]:
        method = kwargs.pop("method", "newton")
        if method != "newton" or kwargs:
            odd = ", ".join(kwargs) or arg("method", method)
            raise InputError(f"{code('fit')} has no {odd}; it uses Newton's method, with {self._fit_options}.")
        maxiter = _params.count(maxiter, "maxiter")
        start = None if start_params is None else self._read_params(start_params, "start_params")
        ascent = self._likelihood.fit(start, maxiter)
        if self.tau == 0.0 and self._firth:
            self._check_not_separated(ascent)
        if not np.isfinite(ascent.point.value):
            raise InputError(f"{arg('start_params')} give probabilities of 0 or 1; start nearer to 0.")
        if not ascent.converged:
            or_else = "" if self.tau > 0.0 else f", or use {arg('tau', 0.5)}"
            cure = cure_of(ascent, or_else, start is not None)
            warn(ConvergenceWarning(f"the fit did not converge ({ascent.reason}); {cure}."))
        elif disp:
            value = ascent.point.value + self._likelihood.constant
            penalised = "penalised " if self.tau > 0.0 else ""
            print(f"Converged after {ascent.n_iter} steps; {penalised}log-likelihood {value:.6g}.")
        return ascent

    def _check_not_separated(self, ascent: Ascent[Point]) -> None:
        """Refuse data whose maximum likelihood estimates are infinite."""
        likelihood, rest = self._likelihood, 1.0 - ascent.point.probability.sum(axis=1)
        extreme = min(float(p.min()) for p in (ascent.point.probability, 1.0 - ascent.point.probability, rest))
        if ascent.converged and extreme >= EXTREME:
            return
        overlapping, finite, _ = overlap(likelihood.constraints(), likelihood.contrasts())
        if not finite.all():
            kind: Kind = "quasi-complete" if overlapping.any() else "complete"
            cure = f"use {arg('tau', 0.5)} for finite estimates, or leave a column out"
            raise InputError(separation_message(self._columns_with(~finite), kind, cure))

    def _columns_with(self, which: NDArray[np.bool_]) -> list[str]:
        """Names of the columns of some coefficients."""
        columns = which.reshape(self._likelihood.n_rest, -1).any(axis=0)
        return [str(self.exog_names[k]) for k in np.flatnonzero(columns)]

    def _cov(self, point: Point, options: robust.CovarianceOptions | None) -> Array:
        """Covariance of the coefficients."""
        cov = self._likelihood.cov(point)
        if options is None:
            return cov
        weight = self._lines()[2]
        scores = np.zeros((len(weight), len(cov)))
        scores[weight > 0.0] = self._likelihood.row_scores(point)
        # The lines of a row follow each other at a distance of the number of rows.
        of_rows = scores.reshape(-1, len(self._weight), len(cov)).sum(axis=0)
        cov = robust.sandwich(cov, of_rows, self._row_weight, options)
        if self.tau > 0.0:
            robust.warn_if_infinite(self._columns_with(robust.infinite_coefficients(self._likelihood)))
        return cov

    def _columns_of(self, term: Any) -> list[int]:
        """Indices, among all columns, of those of a term: the name or index of a column, or a term of the formula."""
        names = list(self.data.every if self.left_out else self.exog_names)
        if isinstance(term, Hashable) and term in names:
            return [names.index(term)]
        if isinstance(term, (int, np.integer)) and not isinstance(term, bool) and 0 <= term < len(names):
            return [int(term)]
        terms = columns_by_term(self)
        if isinstance(term, str) and term in terms:
            return terms[term]
        known = list(dict.fromkeys([*map(str, names), *terms]))
        hint = did_you_mean(term, known)
        raise InputError(f"{arg('term')} must be one of {listed(known)}, or a list of them, got {shown(term)}.{hint}")


class PenalizedResults(PenalizedInference):
    """Mixed into statsmodels results: everything that depends on the likelihood uses the penalised one."""

    nobs: float
    df_model: float
    df_resid: float
    cov_type: str

    def _set_up(
        self,
        model: Any,
        ascent: Ascent[Point],
        at: Point,
        beta: Array,
        cov: Array,
        shape: tuple[int, ...],
        options: robust.CovarianceOptions | None,
    ) -> Any:
        """The fit from which statsmodels creates results; `at` is the point of the (corrected) coefficients."""
        fit = LikelihoodModelResults(model, beta.reshape(shape, order="F"), cov, scale=1.0)
        fit.mle_retvals = {"converged": ascent.converged, "iterations": ascent.n_iter}
        fit.mle_settings = {"optimizer": "newton"}
        fit.use_t, fit.cov_type = False, "nonrobust" if options is None else options.cov_type
        self.converged, self.n_iter, self.reason = ascent.converged, ascent.n_iter, ascent.reason
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
        return self._null_of(self.model._likelihood)

    @property
    def llnull(self) -> float:
        """Penalised log-likelihood with all coefficients but the constants at 0."""
        return self._null.value + self._shift

    @property
    def llr(self) -> float:
        """Likelihood-ratio statistic that all coefficients but the constants are 0, as :meth:`lr_test` computes it."""
        null = self._null if self._augmented is None else self._null_of(self._augmented)
        return 2.0 * (self._best.value - null.value)

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
        """Akaike's criterion, without the penalty (penalties of different columns cannot be compared)."""
        return 2.0 * (self._size - self.llf_unpenalized)

    @property
    def bic(self) -> float:
        """Schwarz's criterion, without the penalty."""
        return float(np.log(self.nobs)) * self._size - 2.0 * self.llf_unpenalized

    def info_criteria(self, crit: Literal["aic", "bic"], dk_params: float = 0) -> float:
        """Criterion "aic" or "bic", with `dk_params` additional parameters."""
        weight = {"aic": 2.0, "bic": float(np.log(self.nobs))}[_params.choice(crit, ("aic", "bic"), "crit")]
        return weight * (self._size + dk_params) - 2.0 * self.llf_unpenalized

    set_null_options = Unavailable("the null model has no options; its coefficients but the constant are held at 0.")
    score_test = Unavailable(
        f"score tests need the unpenalised likelihood; use {code('lr_test')} or {code('wald_test')}."
    )
    get_influence = Unavailable("the penalty changes if a row is left out; fit again without the row instead.")
    im_ratio = Unavailable(
        "the information matrix test needs the unpenalised likelihood; use statsmodels' own model for it."
    )

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

    def t_test(self, r_matrix: Any, *args: Any, **kwargs: Any) -> Any:
        """Wald tests of linear combinations, as in statsmodels; those of missing coefficients are refused."""
        return super().t_test(kept_contrasts(self.model, r_matrix), *args, **kwargs)  # type: ignore[misc]

    def wald_test(self, r_matrix: Any, *args: Any, **kwargs: Any) -> Any:
        """Wald test of several linear combinations, as in statsmodels; those of missing coefficients are refused."""
        return super().wald_test(kept_contrasts(self.model, r_matrix), *args, **kwargs)  # type: ignore[misc]

    def wald_test_terms(self, *args: Any, **kwargs: Any) -> Any:
        """Wald tests of all terms, as in statsmodels; no coefficient may be missing."""
        refuse_aliased(self.model, code("wald_test_terms"))
        return super().wald_test_terms(*args, **kwargs)  # type: ignore[misc]

    def _transform_predict_exog(self, exog: Any, transform: bool = True) -> Any:
        new, index = super()._transform_predict_exog(exog, transform)  # type: ignore[misc]
        if self.model.left_out and new is not None:
            new = np.asarray(new)
            is_kept = self.model.data.is_kept
            new = new[..., is_kept] if new.shape[-1] == len(is_kept) else new
        return new, index

    def get_margeff(self, *args: Any, **kwargs: Any) -> Any:
        """Marginal effects, as in statsmodels; not available with frequency weights, which it would ignore."""
        refuse_aliased(self.model, code("get_margeff"))
        self._check_unweighted("Marginal effects are averages")
        return super().get_margeff(*args, **kwargs)  # type: ignore[misc]

    def _check_unweighted(self, what: str) -> None:
        for name in ("freq_weights", "trials"):
            if getattr(self.model, name, None) is not None:
                raise InputError(f"{what} over rows, which would leave out {arg(name)}; repeat the rows instead.")

    def summary(self, *args: Any, **kwargs: Any) -> Any:
        """Summary table of statsmodels; log-likelihoods are penalised, intervals and tests are Wald's."""
        table = super().summary(*args, **kwargs)  # type: ignore[misc]
        notes = []
        if self.model.left_out:
            notes.append(aliased_note(self.model.left_out))
        if self.model._firth:
            notes += self._response_note()
        if self.model.tau:
            notes.append("Log-Likelihood and LL-Null are penalised. Intervals and z are Wald's.")
        if self.cov_type != "nonrobust":
            notes.append(f"Standard errors are robust ({self.cov_type}); the LLR p-value is not.")
        elif self.model.tau:
            notes.append('For separated data prefer conf_int(method="profile") and lr_test().')
        if notes:
            table.add_extra_txt(notes)
        return table

    def _response_note(self) -> list[str]:
        """What the summary says about the response."""
        return []

    def remove_data(self) -> None:
        """Remove all arrays of the length of the data, as in statsmodels; tests and profiles need them."""
        for name in ("_null", "_best", "_at"):
            self.__dict__[name] = getattr(self, name).without_rows()
        self._augmented = None
        # statsmodels derives the name of the response from the data when it is first needed.
        _ = self.model.endog_names
        super().remove_data()  # type: ignore[misc]
