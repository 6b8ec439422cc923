"""Proportional odds: statsmodels' model, with the checks of this package."""

import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from statsmodels.base.wrapper import populate_wrapper
from statsmodels.miscmodels.ordinal_model import OrderedModel, OrderedResults, OrderedResultsWrapper
from statsmodels.tools.numdiff import approx_fprime

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats.errors import ConvergenceWarning, InputError, SeparationWarning
from pwcstats.logit import reading as designs
from pwcstats.logit.binary import EXTREME
from pwcstats.logit.formulas import FromFormula
from pwcstats.logit.separation import detect_separation

__all__ = ["OrderedLogit", "OrderedLogitResults"]

# Of the score for columns of variance 1, summed over rows.
SMALL_SCORE = 1e-6


class OrderedLogit(FromFormula, OrderedModel):
    """Proportional odds: statsmodels' ``OrderedModel`` with the logistic distribution.

    Has the checks of :class:`ContinuationRatio`, and says where data are separated.

    Parameters
    ----------
    endog : array-like
        Ordered classes: numbers, or an ordered Categorical.
    exog : array-like
        Columns of the design, without a constant: the thresholds stand for it.
    offset : array-like, optional
        Added to the linear predictor.
    categories : sequence, optional
        The classes in their order, the lowest first, if `endog` does not say it.
    **kwargs
        As in statsmodels.

    Notes
    -----
    logit P(Y <= j) = theta_j - x'beta, as in ``MASS::polr``. The thresholds among `params` are statsmodels': the first
    one and the logarithms of the differences; ``res.thresholds`` has them as they are.

    Examples
    --------
    >>> from pwcstats import OrderedLogit
    >>> res = OrderedLogit([0, 0, 1, 0, 1, 2, 1, 2, 2], [1, 2, 3, 4, 5, 6, 7, 8, 9]).fit()
    >>> res.thresholds.round(2).tolist()
    [4.32, 8.16]
    """

    # statsmodels' OrderedModel has a from_formula of its own, which leaves a given depth as it is.
    _formula_frames = 2

    def __init__(self, endog: Any, exog: Any, offset: Any = None, categories: Any = None, **kwargs: Any) -> None:
        distr = kwargs.pop("distr", "logit")
        if distr != "logit":
            raise InputError(
                f"OrderedLogit has the logistic distribution; use statsmodels' OrderedModel for {distr!r}."
            )
        designs.refuse_unknown(kwargs, "OrderedLogit", "offset and categories (instead of weights, repeat the rows)")
        if offset is not None and kwargs.get("missing_idx") is not None:
            # Of a formula: the rows in which something is missing are left out of endog and exog already.
            offset = np.asarray(offset)[~kwargs["missing_idx"]]
        designs.refuse_misaligned(exog, endog=endog, offset=offset)
        code, labels = designs.read_ordered(endog, categories)
        # The thresholds are a model by themselves; of the formula "y ~ 1" statsmodels leaves no column.
        exog = pd.DataFrame(index=range(len(code))) if exog is None else exog
        frame = designs.read_frame(exog, len(code), needs_column=False)
        designs.refuse_missing(frame, code, {} if offset is None else {"offset": offset}, "leave the row out")
        designs.refuse_one_class(np.asarray(code, dtype=np.int64), np.ones(len(code)), list(labels))
        constant = list(frame.columns[(frame == frame.iloc[0]).all()])
        frame = frame.drop(columns=constant)
        x = frame.to_numpy(dtype=np.float64)
        centred = np.column_stack([np.ones(len(x)), x])
        designs.refuse_aliased_columns(centred, ["const", *frame.columns])
        self._constant = constant
        response = pd.Series(
            np.asarray(code, dtype=np.int64), index=frame.index, name=getattr(endog, "name", None) or "y"
        )
        super().__init__(response, frame if frame.shape[1] else None, offset=offset, distr="logit", **kwargs)
        self.labels = pd.Index(np.arange(len(labels)))
        self._name_classes(labels)

    @classmethod
    def _read_response(cls, values: Any, kwargs: dict[str, Any]) -> tuple[Any, pd.Index]:
        return designs.read_ordered(values, kwargs.pop("categories", None))

    def _name_classes(self, labels: pd.Index) -> None:
        self.labels = labels[self.labels.astype(np.int64)]
        self.exog_names[self.k_vars :] = [f"{a}/{b}" for a, b in pairwise(self.labels)]

    def score(self, params: Any) -> Array:
        """Derivatives of the log-likelihood, in closed form: statsmodels' own are by differences."""
        params = np.asarray(params, dtype=np.float64)
        low, high = self._bounds(params)
        p = self.prob(low, high)
        at_low, at_high = self.pdf(low) / p, self.pdf(high) / p
        # For the thresholds themselves: each is the upper one of a class, and the lower one of the next.
        n = self.k_levels - 1
        threshold = np.bincount(self.endog, at_high, n + 1)[:n] - np.bincount(self.endog, at_low, n + 1)[1:]
        # The first parameter moves all of them, a further one those from its own on.
        chained = np.cumsum(threshold[::-1])[::-1]
        chained[1:] *= np.exp(params[self.k_vars + 1 :])
        slopes = [] if self.exog is None else self.exog.T @ (at_low - at_high)
        return np.concatenate([slopes, chained])

    def hessian(self, params: Any) -> Array:
        """Second derivatives, by central differences of the score."""
        h = approx_fprime(np.asarray(params, dtype=np.float64), self.score, centered=True)
        return (h + h.T) / 2.0

    def predict(self, params: Any, exog: Any = None, offset: Any = None, which: str = "prob") -> Array:
        """Predictions at some parameters, as in statsmodels; new rows must be finite."""
        if exog is not None and self.k_vars:
            names, slopes = list(map(str, self.exog_names[: self.k_vars])), np.asarray(params)[: self.k_vars]
            exog = designs.read_new_rows(exog, names, slopes, hasattr(self, "formula"))
            offset = None if offset is None else designs.read_new_offset(offset, len(np.atleast_2d(exog)))
        return super().predict(params, exog, offset, which)

    def fit(
        self, start_params: Any = None, method: str | None = None, maxiter: int = 500, disp: bool = False, **kwargs: Any
    ) -> "OrderedLogitResults":
        """Fit the model.

        Parameters
        ----------
        start_params : array-like, optional
            Where to begin, as in statsmodels.
        method : str, optional
            One of statsmodels' optimisers; by default BFGS and then Newton's method.
        maxiter : int
            Steps before giving up.
        disp : bool
            Print how the fit ended.
        **kwargs
            As in statsmodels.

        Returns
        -------
        OrderedLogitResults
        """
        options = {"maxiter": _params.count(maxiter, "maxiter"), "disp": disp, **kwargs}
        inner, back = self._standardised()
        start = None if start_params is None else np.linalg.solve(back, np.asarray(start_params, dtype=np.float64))
        fit = super(OrderedLogit, inner).fit
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            # What statsmodels says of a failed step or a singular matrix is said below, with the reason.
            warnings.simplefilter("ignore")
            rough = fit(start_params=start, method=method or "bfgs", **options)
            result = rough if method else fit(start_params=rough.params, method="newton", **options)
            if not np.abs(inner.score(result.params)).max() < np.abs(inner.score(rough.params)).max():
                result = rough
            params = back @ np.asarray(result.params)
            shell = super().fit(start_params=params, method="bfgs", maxiter=0, disp=0, skip_hessian=True)
        outcome = OrderedLogitResults(self, shell._results)
        outcome.params = params
        cov = back @ _inverse(-inner.hessian(np.asarray(result.params))) @ back.T
        outcome.normalized_cov_params = outcome.cov_params_default = cov
        self._warn(outcome, float(np.abs(inner.score(result.params)).max()))
        return OrderedLogitResultsWrapper(outcome)

    def _standardised(self) -> tuple["OrderedLogit", Array]:
        """The model of columns with mean 0 and variance 1, and the matrix that takes its parameters to this one's."""
        if self.exog is None:
            return self, np.eye(self.k_levels - 1)
        middle, spread = self.exog.mean(axis=0), self.exog.std(axis=0)
        inner = OrderedLogit(self.endog, (self.exog - middle) / spread, offset=self.offset)
        back = np.diag(np.concatenate([1.0 / spread, np.ones(self.k_levels - 1)]))
        # The first threshold alone is a place; the others are logarithms of distances.
        back[self.k_vars, : self.k_vars] = middle / spread
        return inner, back

    def _warn(self, outcome: "OrderedLogitResults", score: float) -> None:
        low, high = self._bounds(outcome.params)
        converged = score < SMALL_SCORE
        if self.exog is not None and (not converged or self.prob(low, high).max() > 1.0 - EXTREME**0.5):
            found = detect_separation(
                self.endog, pd.DataFrame(self.exog, columns=self.exog_names[: self.k_vars]), ordered=True
            )
            if found.separated:
                infinite = (found.directions != 0.0).to_numpy().ravel()
                outcome.set_infinite(infinite)
                names = [name for name, there in zip(self.exog_names, infinite, strict=True) if there]
                cure = "use ContinuationRatio(penalty='firth') for finite ones, or leave a column out."
                words = designs.separated_words(names, found.kind, "", cure)
                warnings.warn(words, SeparationWarning, stacklevel=3)
                return
        outcome.converged = converged
        outcome.mle_retvals["converged"] = converged
        if not converged:
            warnings.warn(
                f"the fit did not converge (the score is {score:.2g}); raise maxiter, or standardise the columns.",
                ConvergenceWarning,
                stacklevel=3,
            )


def _inverse(a: Array) -> Array:
    """Inverse; infinite where there is none, as happens to separated data."""
    try:
        return np.asarray(np.linalg.inv(a))
    except np.linalg.LinAlgError:
        return np.diag(np.full(len(a), np.inf))


class OrderedLogitResults(OrderedResults):
    """Results of :meth:`OrderedLogit.fit`: those of statsmodels, with classes by name."""

    @property
    def thresholds(self) -> pd.Series:
        """Thresholds between neighbouring classes."""
        names = self.model.exog_names[self.model.k_vars :]
        return pd.Series(self.model.transform_threshold_params(np.asarray(self.params))[1:-1], index=names)

    def predict(self, exog: Any = None, transform: bool = True, **kwargs: Any) -> Any:
        """Probabilities of all classes, by name; `which` as in statsmodels.

        Parameters
        ----------
        exog : array-like, optional
            New rows: columns of the design or, after a formula, its variables; by default the rows of the fit. After a
            formula, rows in which something is missing have missing predictions.
        transform : bool
            Whether the formula makes the columns from `exog`.
        **kwargs
            `which` and `offset`, as in statsmodels.

        Returns
        -------
        DataFrame
        """
        if isinstance(exog, pd.DataFrame) and not hasattr(self.model, "formula"):
            exog = exog.drop(columns=self.model._constant, errors="ignore")
        proba = super().predict(exog, transform, **kwargs)
        if np.ndim(proba) == 1:
            return proba
        index = getattr(proba, "index", self.model.data.row_labels if exog is None else None)
        return pd.DataFrame(np.asarray(proba), index=index, columns=self.model.labels)

    def set_infinite(self, infinite: Any) -> None:
        """Give infinite standard errors to what has no finite estimate."""
        cov = np.array(getattr(self, "normalized_cov_params"))  # noqa: B009 (mypy cannot tell its type)
        cov[infinite] = cov[:, infinite] = 0.0
        cov[infinite, infinite] = np.inf
        self.normalized_cov_params = self.cov_params_default = cov
        self._infinite = infinite
        self._cache.clear()
        self.converged = False
        self.mle_retvals["converged"] = False

    _infinite: Any = None

    @property
    def tvalues(self) -> Array:
        """Estimates divided by their standard errors; missing where these are infinite."""
        with np.errstate(invalid="ignore"):
            return np.where(np.isinf(self.bse), np.nan, self.params / self.bse)

    def t_test(self, *args: Any, **kwargs: Any) -> Any:
        """Wald's tests of combinations, as in statsmodels; not where estimates are infinite."""
        if self._infinite is not None:
            raise InputError("t_test needs finite estimates; use pvalues, or ContinuationRatio(penalty='firth').")
        return super().t_test(*args, **kwargs)


class OrderedLogitResultsWrapper(OrderedResultsWrapper):
    """Gives results the labels of pandas input, as statsmodels does."""


populate_wrapper(OrderedLogitResultsWrapper, OrderedLogitResults)
