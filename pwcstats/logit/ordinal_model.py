"""What all models of ordered classes share, and what those with one likelihood share."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import logsumexp
from statsmodels.base.model import Model

from pwcstats import _params
from pwcstats._arrays import Array, as_float
from pwcstats._text import shape_of
from pwcstats.errors import InputError, arg
from pwcstats.logit import reading
from pwcstats.logit.aliased import warn_of_aliased
from pwcstats.logit.binary import Fit, Limit, finite_fit, limit_fit, warn_about
from pwcstats.logit.centred import CentredLikelihood
from pwcstats.logit.formulas import FromFormula
from pwcstats.logit.maximum import Point


class OrderedClasses(FromFormula, Model):
    """A model of ordered classes; the documentation is that of the subclasses."""

    # Options for the error message.
    _options: ClassVar[str]
    # Names of the columns that have no coefficient.
    left_out: Sequence[str] = ()

    def __init__(
        self, endog: Any, exog: Any, categories: Any, extra: dict[str, Any], kwargs: dict[str, Any], needs_column: bool
    ) -> None:
        """Read the data. `extra` has weights and offsets, `kwargs` the options of statsmodels."""
        reading.check_options(kwargs, type(self).__name__, self._options)
        reading.check_aligned(exog, endog=endog, **extra)
        extra = {name: reading.read_column(given, name) for name, given in extra.items()}
        codes, self.labels = reading.read_ordered(endog, categories)
        if exog is None and not needs_column:
            exog = pd.DataFrame(index=getattr(codes, "index", range(len(codes))))
        frame = reading.read_frame(exog, len(codes), needs_column)
        frame = frame if frame.shape[1] else frame.assign(const=1.0)
        if "missing_idx" not in kwargs:
            reading.check_lengths(len(frame), **extra)
        if kwargs.get("missing", "none") != "drop":
            reading.check_no_missing(frame, codes, extra, f"set {arg('missing', 'drop')}")
        super().__init__(codes, frame, **extra, **kwargs)
        self._weight = reading.read_weights(self.freq_weights, len(self.exog))
        for name, given in extra.items():
            if given is None:
                delattr(self, name)
        self._code = self.endog.astype(np.int64)
        reading.check_classes(self._code, self._weight, list(self.labels))
        self._kept = [k for k in range(self.exog.shape[1]) if k != self.data.const_idx]
        self._name_columns()

    def _name_columns(self) -> None:
        """Set the names of the columns and of the coefficients."""
        constant = "const" if self.data.const_idx is None else str(self.exog_names[self.data.const_idx])
        self.columns = [constant, *(str(self.exog_names[k]) for k in self._kept)]
        self.data.param_names = self._param_names()

    @abstractmethod
    def _param_names(self) -> list[str]:
        """Names of the coefficients."""

    @classmethod
    def _read_response(cls, values: Any, kwargs: dict[str, Any]) -> tuple[Any, pd.Index]:
        return reading.read_ordered(values, kwargs.pop("categories", None))

    def _name_classes(self, labels: pd.Index) -> None:
        self.labels = labels[self.labels.astype(np.int64)]
        self.data.param_names = self._param_names()

    def _slopes_of(self, exog: Any) -> Array:
        """The columns of a design that have slopes."""
        return np.asarray(exog, dtype=np.float64)[:, self._kept]


class OrdinalModel(OrderedClasses):
    """A model of ordered classes with one likelihood; the documentation is that of the subclasses."""

    _options = "penalty, freq_weights, offset, categories, aliased and missing"
    # What can be predicted, besides classes.
    _kinds: ClassVar[tuple[str, ...]]
    _likelihood: CentredLikelihood

    def __init__(
        self,
        endog: Any,
        exog: Any,
        penalty: Literal["firth"] | None,
        freq_weights: Any,
        offset: Any,
        categories: Any,
        **kwargs: Any,
    ) -> None:
        self.penalty = _params.optional_choice(penalty, ("firth",), "penalty")
        on_aliased = _params.choice(kwargs.pop("aliased", "drop"), ("drop", "raise"), "aliased")
        extra = {"freq_weights": freq_weights, "offset": offset}
        super().__init__(endog, exog, categories, extra, kwargs, needs_column=False)
        added = getattr(self, "offset", None)
        self._offset = np.zeros(len(self.exog)) if added is None else np.asarray(added, dtype=np.float64)
        self._init_keys += ["penalty"]
        try:
            self._set_likelihood()
        except reading.RankError as error:
            if on_aliased == "raise":
                raise
            columns = error.columns
        else:
            columns = []
        if columns:
            self._leave_out(columns)
            self._set_likelihood()

    def _leave_out(self, columns: Sequence[int]) -> None:
        """Leave out some of the columns that have slopes, and warn."""
        self.left_out = [self.columns[1 + k] for k in columns]
        self._kept = [column for k, column in enumerate(self._kept) if k not in columns]
        self.data.every = list(map(str, self.exog_names))
        self._name_columns()
        warn_of_aliased(self.left_out)

    def _set_likelihood(self) -> None:
        offset = self._offset if self._offset.any() else None
        self._likelihood = self._make_likelihood(self._slopes_of(self.exog), offset)

    @abstractmethod
    def _make_likelihood(self, x: Array, offset: Array | None) -> CentredLikelihood:
        """The likelihood of the columns that have slopes."""

    def loglike(self, params: Any) -> float:
        """Log-likelihood, with the penalty if there is one."""
        return self._point(params).value + self._likelihood.constant

    def score(self, params: Any) -> Array:
        """Derivatives of :meth:`loglike`."""
        return self._likelihood.score(self._point(params))

    def information(self, params: Any) -> Array:
        """Observed information or, with a penalty, the expected one; its inverse is the covariance of the estimates."""
        return np.asarray(np.linalg.inv(self._likelihood.cov(self._point(params))))

    def hessian(self, params: Any) -> Array:
        """Minus the information; the curvature of the penalty is not included."""
        return -self.information(params)

    def _point(self, params: Any) -> Point:
        values = as_float(params, "params")
        size = self._likelihood.n_params
        if values.shape != (size,) or not np.isfinite(values).all():
            raise InputError(f"{arg('params')} must be {size} finite numbers, got {shape_of(values)}.")
        return self._likelihood.at(values)

    def _fit(self, maxiter: int, warn_convergence: bool) -> Fit:
        """Fit the model; infinite estimates if the data are separated."""
        maxiter = _params.count(maxiter, "maxiter")
        warn = _params.flag(warn_convergence, "warn_convergence")
        likelihood, fit = self._likelihood, None
        ascent = likelihood.fit(maxiter=maxiter)
        if not likelihood.firth and (not ascent.converged or likelihood.is_extreme(ascent.point)):
            fit = limit_fit(likelihood, likelihood.constraints(), _fit_rest(likelihood), self._infinite_names())
        fit = fit or finite_fit(likelihood, ascent)
        if warn:
            warn_about([fit])
        return fit

    def _rows_of_fits(self) -> list[NDArray[np.int64]]:
        """Rows of the data that belong to the rows of the fit."""
        return [np.flatnonzero(self._weight > 0.0)]

    def _infinite_names(self) -> list[str]:
        """Names of coefficients in the message about separation, in their order; others may follow."""
        return self._param_names()

    def _predict(self, params: Any, exog: Any, which: str, offset: Any) -> Array:
        _params.choice(which, self._kinds, "which")
        params = np.asarray(params, dtype=np.float64)
        return self._values(params, *self._read_rows(params, exog, offset), which)

    def _read_rows(self, params: Array, exog: Any, offset: Any) -> tuple[Array, Array | float]:
        """Columns with slopes and offsets of new rows, or of the rows of the fit."""
        x = self.exog
        added: Array | float = self._offset if exog is None else 0.0
        if exog is not None and not self._kept:
            # A model without slopes may have been fitted without any column.
            x = np.empty((len(exog), 0))
        elif exog is not None:
            slopes = self._slope_coefficients(params)
            every = np.zeros((self.exog.shape[1], *slopes.shape[1:]))
            every[self._kept] = slopes
            names = list(map(str, self.exog_names))
            x = np.atleast_2d(reading.read_new_rows(exog, names, every, hasattr(self, "formula")))
        if offset is not None:
            added = reading.read_new_offset(offset, len(x), hasattr(self, "formula"))
        return self._slopes_of(x), added

    @abstractmethod
    def _slope_coefficients(self, params: Array) -> Array:
        """Slopes of the columns, one row each."""

    @abstractmethod
    def _values(self, params: Array, x: Array, offset: Array | float, which: str) -> Array:
        """Predictions for some rows."""

    @abstractmethod
    def _derivatives(self, params: Array, x: Array, offset: Array | float, which: str) -> list[Array]:
        """Derivatives of the predictions by the parameters, rows x parameters, for each of their columns."""

    @abstractmethod
    def _log_proba(self, params: Array, x: Array, offset: Array | float) -> tuple[Array, list[Array]]:
        """Logarithms of the probabilities of the classes for some rows, and their derivatives by the parameters."""

    def _proba_derivatives(self, params: Array, x: Array, offset: Array | float) -> list[Array]:
        """Derivatives of the probabilities of the classes."""
        log_proba, parts = self._log_proba(params, x, offset)
        return [p[:, None] * part for p, part in zip(np.exp(log_proba).T, parts, strict=True)]

    def _logits(self, params: Array, x: Array, offset: Array | float, which: str) -> tuple[Array, list[Array]]:
        """Logits of probabilities and their derivatives by the parameters.

        A probability that rounds to 0 or 1 has no logit. The logit is therefore computed from logarithms, that of the
        class and that of the sum of the others.
        """
        log_proba, parts = self._log_proba(params, x, offset)
        logits, slopes = np.empty_like(log_proba), []
        for k, part in enumerate(parts):
            others = np.delete(log_proba, k, axis=1)
            rest = logsumexp(others, axis=1)
            shares = np.exp(others - rest[:, None])
            logits[:, k] = log_proba[:, k] - rest
            slopes.append(
                part
                - sum(share[:, None] * other for share, other in zip(shares.T, parts[:k] + parts[k + 1 :], strict=True))
            )
        return logits, slopes

    @abstractmethod
    def _mean_effects(self, params: Array, x: Array, offset: Array, weight: Array, column: int) -> tuple[Array, Array]:
        """Derivatives of the mean probabilities of the classes by a column, and their derivatives by the parameters."""


def _fit_rest(likelihood: CentredLikelihood) -> Any:
    def fit_rest(rest: NDArray[np.bool_], basis: Array) -> Limit:
        inner = likelihood.limit(rest)
        ascent = inner.ascend(basis @ (basis.T @ likelihood.first_step()), basis)
        cov = basis @ np.linalg.inv(basis.T @ ascent.point.information @ basis) @ basis.T
        return ascent.point.params, cov, ascent.point.llf, ascent.n_iter

    return fit_rest
