"""Proportional odds: the cumulative logit for ordered classes."""

from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit
from statsmodels.base.model import Model

from pwcstats import _params
from pwcstats._arrays import Array, as_float
from pwcstats._text import named, shape_of
from pwcstats.errors import InputError, arg, code, value
from pwcstats.logit import reading
from pwcstats.logit.binary import EXTREME, Fit, Limit, finite_fit, limit_fit, warn_about
from pwcstats.logit.formulas import FromFormula
from pwcstats.logit.maximum import MAXITER, Point
from pwcstats.logit.ordered_likelihood import OrderedLikelihood
from pwcstats.logit.ordered_results import OrderedLogitResults, OrderedLogitResultsWrapper

__all__ = ["OrderedLogit"]


class OrderedLogit(FromFormula, Model):
    r"""Proportional odds: the cumulative logit for ordered classes, with or without Jeffreys' penalty.

    The model is :math:`\mathrm{logit}\, P(Y \le j) = \zeta_j - x^\top \beta` for all classes j but the highest, with
    increasing thresholds :math:`\zeta_j`. A positive slope makes high classes more likely.

    Parameters
    ----------
    endog : array-like
        Ordered classes: numbers, or an ordered Categorical.
    exog : array-like
        Design matrix. The thresholds replace the constant, so a constant is not needed; it is ignored. None for a model
        of thresholds only.
    penalty : {None, "firth"}
        Maximum likelihood, or Jeffreys' penalty, which keeps all estimates finite.
    freq_weights : array-like, optional
        How many times each row counts: real numbers; 0 leaves a row out.
    offset : array-like, optional
        Added to the linear predictor :math:`x^\top \beta`.
    categories : sequence, optional
        The classes from the lowest to the highest, if `endog` does not determine their order.
    **kwargs
        `missing`, as in statsmodels.

    See Also
    --------
    ContinuationRatio : A chain of binary logits, which may have separate slopes.
    detect_separation : Find out whether maximum likelihood estimates are finite, with ``ordered=True``.

    Notes
    -----
    The signs are those of ``polr`` in R's MASS, of ``clm`` in R's ordinal, and of statsmodels' ``OrderedModel``. The
    parameters are the slopes and then the thresholds, with names such as ``"low/mid"``. (statsmodels has the first
    threshold and the logarithms of the differences between thresholds.) Standard errors of maximum likelihood estimates
    come from the observed information, as in these packages.

    With ``penalty="firth"``, the model maximises :math:`\ell(\theta) + \frac12 \log |I(\theta)|`, where I is the
    expected information of thresholds and slopes. Standard errors come from I. For two classes this is
    :class:`FirthLogit`. For more classes the model is not an exponential family, so that this estimate is not the one
    that removes the first-order bias: that of Kosmidis (2014) [1]_ solves other adjusted score equations. The weights
    of each class between the lowest and the highest must add up to more than 1/2; otherwise there is no maximum.

    References
    ----------
    .. [1] I. Kosmidis, "Improved estimation in cumulative link models", Journal of the Royal Statistical Society:
       Series B 76, 169-196, 2014. https://doi.org/10.1111/rssb.12025
    .. [2] P. McCullagh, "Regression models for ordinal data", Journal of the Royal Statistical Society: Series B 42,
       109-142, 1980. https://doi.org/10.1111/j.2517-6161.1980.tb01109.x

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats import OrderedLogit
    >>> df = pd.DataFrame({"dose": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6], "pain": [2, 1, 2, 2, 1, 2, 0, 1, 1, 0, 0, 0]})
    >>> res = OrderedLogit.from_formula("pain ~ dose", df).fit()
    >>> res.params.round(3)
    dose   -1.349
    0/1    -6.171
    1/2    -3.256
    dtype: float64
    >>> res.predict(pd.DataFrame({"dose": [1, 3.5, 6]})).round(3)
           0      1      2
    0  0.008  0.121  0.871
    1  0.190  0.622  0.187
    2  0.873  0.120  0.008
    """

    def __init__(
        self,
        endog: Any,
        exog: Any,
        penalty: Literal["firth"] | None = None,
        freq_weights: Any = None,
        offset: Any = None,
        categories: Any = None,
        **kwargs: Any,
    ) -> None:
        distr = kwargs.pop("distr", "logit")
        if distr != "logit":
            raise InputError(
                f"{code('OrderedLogit')} has the logistic distribution; use statsmodels' OrderedModel for "
                f"{value(distr)}."
            )
        self.penalty = _params.optional_choice(penalty, ("firth",), "penalty")
        reading.check_options(kwargs, "OrderedLogit", "penalty, freq_weights, offset, categories and missing")
        reading.check_aligned(exog, endog=endog, freq_weights=freq_weights, offset=offset)
        codes, self.labels = reading.read_ordered(endog, categories)
        # A model may have thresholds only.
        frame = pd.DataFrame(index=getattr(codes, "index", range(len(codes)))) if exog is None else exog
        frame = reading.read_frame(frame, len(codes), needs_column=False)
        frame = frame if frame.shape[1] else frame.assign(const=1.0)
        extra = {"freq_weights": freq_weights, "offset": offset}
        extra = {key: reading.read_column(given, key) for key, given in extra.items()}
        if "missing_idx" not in kwargs:
            reading.check_lengths(len(frame), **extra)
        if kwargs.get("missing", "none") != "drop":
            reading.check_no_missing(frame, codes, extra, f"set {arg('missing', 'drop')}")
        super().__init__(codes, frame, **extra, **kwargs)
        self._weight = reading.read_weights(self.freq_weights, len(self.exog))
        self._offset = np.zeros(len(self.exog)) if self.offset is None else np.asarray(self.offset, dtype=np.float64)
        for name, given in extra.items():
            if given is None:
                delattr(self, name)
        self._code = self.endog.astype(np.int64)
        reading.check_classes(self._code, self._weight, list(self.labels))
        self._kept = [k for k in range(self.exog.shape[1]) if k != self.data.const_idx]
        constant = "const" if self.data.const_idx is None else str(self.exog_names[self.data.const_idx])
        self.columns = [constant, *(str(self.exog_names[k]) for k in self._kept)]
        self.data.param_names = self._param_names()
        self._init_keys += ["penalty"]
        self._likelihood = OrderedLikelihood(
            self._slopes_of(self.exog), self._code, self._weight, self._offset if self._offset.any() else None,
            len(self.labels), self.penalty == "firth", lambda: self.columns[1:],
        )  # fmt: skip

    @classmethod
    def _read_response(cls, values: Any, kwargs: dict[str, Any]) -> tuple[Any, pd.Index]:
        return reading.read_ordered(values, kwargs.pop("categories", None))

    def _name_classes(self, labels: pd.Index) -> None:
        self.labels = labels[self.labels.astype(np.int64)]
        self.data.param_names = self._param_names()

    @property
    def threshold_names(self) -> list[str]:
        """Names of the thresholds: the classes on both sides."""
        return [f"{a}/{b}" for a, b in pairwise(self.labels)]

    def _param_names(self) -> list[str]:
        return [*self.columns[1:], *self.threshold_names]

    def _slopes_of(self, exog: Any) -> Array:
        """The columns of a design that have slopes."""
        return np.asarray(exog, dtype=np.float64)[:, self._kept]

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

    def fit(self, maxiter: int = MAXITER, disp: bool = False, warn_convergence: bool = True) -> OrderedLogitResults:
        """Fit the model.

        Parameters
        ----------
        maxiter : int
            Maximal number of Newton steps.
        disp : bool
            Print a message if the fit converged.
        warn_convergence : bool
            Whether to warn if the data are separated or the fit did not converge.

        Returns
        -------
        OrderedLogitResults
        """
        maxiter = _params.count(maxiter, "maxiter")
        warn = _params.flag(warn_convergence, "warn_convergence")
        if self.penalty:
            _check_middle(self._code, self._weight, list(self.labels))
        fit = _fit(self._likelihood, self.columns[1:], maxiter)
        if warn:
            warn_about([fit])
        results = OrderedLogitResults(self, [fit])
        if disp and results.converged:
            print(f"Converged; log-likelihood {results.llf:.6g}.")
        return OrderedLogitResultsWrapper(results)

    def predict(
        self,
        params: Any,
        exog: Any = None,
        which: Literal["prob", "linear", "cumulative"] = "prob",
        offset: Any = None,
    ) -> Array:
        """Predictions at some parameters.

        Parameters
        ----------
        params : array-like
            Slopes, then thresholds.
        exog : array-like, optional
            New rows; by default the rows of the fit.
        which : {"prob", "linear", "cumulative"}
            Probabilities of the classes, linear predictors, or P(Y <= j) for all classes j but the highest.
        offset : array-like, optional
            Offset of the new rows, by default 0; the rows of the fit have their own.

        Returns
        -------
        ndarray
            One row per observation, one column per class or threshold; linear predictors have no columns.
        """
        _params.choice(which, ("prob", "linear", "cumulative"), "which")
        params = np.asarray(params, dtype=np.float64)
        x, added = self._read_rows(params, exog, offset)
        p = len(self._kept)
        eta = x @ params[:p] + added
        if which == "linear":
            return eta
        cuts = params[p:] - eta[:, None]
        if which == "cumulative":
            return np.asarray(expit(cuts))
        below, above = expit(cuts), expit(-cuts)
        # This keeps the digits of small probabilities.
        middle = below[:, 1:] * above[:, :-1] * -np.expm1(-np.diff(params[p:]))
        return np.column_stack([below[:, :1], middle, above[:, -1:]])

    def _read_rows(self, params: Array, exog: Any, offset: Any) -> tuple[Array, Array | float]:
        """Columns and offsets of new rows, or of the rows of the fit."""
        x = self.exog
        added: Array | float = self._offset if exog is None else 0.0
        if exog is not None and not self._kept:
            # A model of thresholds only may have been fitted without any column.
            x = np.empty((len(exog), 0))
        elif exog is not None:
            slopes = np.zeros(self.exog.shape[1])
            slopes[self._kept] = params[: len(self._kept)]
            names = list(map(str, self.exog_names))
            x = np.atleast_2d(reading.read_new_rows(exog, names, slopes, hasattr(self, "formula")))
        if offset is not None:
            added = reading.read_new_offset(offset, len(x), hasattr(self, "formula"))
        return self._slopes_of(x), added


def _check_middle(code: NDArray[np.int64], weight: Array, labels: list[Any]) -> None:
    """Check that the penalised likelihood has a maximum.

    If the thresholds of a class of weight w meet, the log-likelihood falls like w times the logarithm of their
    distance, and the penalty rises like half of it.
    """
    total = np.bincount(code, weight)[1:-1]
    for label, sum_of_weights in zip(labels[1:-1], total, strict=True):
        if sum_of_weights <= 0.5:
            raise InputError(
                f"with {arg('penalty', 'firth')}, the weights of each class between the lowest and the highest must "
                f"add up to more than 0.5, or its thresholds meet; those of class {named(label)} add up to "
                f"{sum_of_weights:.3g}. Use weights that count rows, or join the class with its neighbour."
            )


def _fit(likelihood: OrderedLikelihood, names: list[str], maxiter: int) -> Fit:
    """Fit without a warning; infinite estimates if the data are separated."""
    ascent = likelihood.fit(maxiter=maxiter)
    if not likelihood.firth:
        upper, lower = likelihood.sample.sides(ascent.point.params[None])
        certain = max(upper.max(), -lower.min()) > -np.log(EXTREME)
        if certain or not ascent.converged:
            fit = limit_fit(likelihood, likelihood.constraints(), _fit_rest(likelihood), names)
            if fit is not None:
                return fit
    return finite_fit(likelihood, ascent)


def _fit_rest(likelihood: OrderedLikelihood) -> Any:
    def fit_rest(rest: NDArray[np.bool_], basis: Array) -> Limit:
        n_upper = len(likelihood.sample.upper)
        inner = likelihood.limit(rest[:n_upper], rest[n_upper:])
        ascent = inner.ascend(basis @ (basis.T @ likelihood.first_step()), basis)
        cov = basis @ np.linalg.inv(basis.T @ ascent.point.information @ basis) @ basis.T
        return ascent.point.params, cov, ascent.point.llf, ascent.n_iter

    return fit_rest
