"""Proportional odds: the cumulative logit for ordered classes."""

from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from pwcstats._arrays import Array
from pwcstats._text import named
from pwcstats.errors import InputError, arg, code, value
from pwcstats.logit import robust
from pwcstats.logit.maximum import MAXITER
from pwcstats.logit.ordered_likelihood import OrderedLikelihood
from pwcstats.logit.ordered_results import OrderedLogitResults, OrderedLogitResultsWrapper
from pwcstats.logit.ordinal_model import OrdinalModel

__all__ = ["OrderedLogit"]


class OrderedLogit(OrdinalModel):
    r"""Proportional odds: the cumulative logit for ordered classes, with or without Jeffreys' penalty.

    The model is :math:`\mathrm{logit}\, P(Y \le j) = \zeta_j - x^\top \beta` for all classes j but the highest, with
    increasing thresholds :math:`\zeta_j`. A positive slope makes high classes more likely.

    Parameters
    ----------
    endog : array-like
        Ordered classes: numbers, or an ordered Categorical. Two classes may have labels of any kind.
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
    aliased : {"drop", "raise"}
        What to do with columns that are constant, or combinations of the columns before them. "drop" leaves them out,
        as ``polr`` in R does: a warning names them, they have no coefficient, and the attribute `left_out` of the model
        has their names. "raise" is an error.
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

    _kinds = ("prob", "linear", "cumulative")

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
        super().__init__(endog, exog, penalty, freq_weights, offset, categories, **kwargs)

    def _make_likelihood(self, x: Array, offset: Array | None) -> OrderedLikelihood:
        firth = self.penalty == "firth"
        return OrderedLikelihood(x, self._code, self._weight, offset, len(self.labels), firth, lambda: self.columns[1:])

    @property
    def threshold_names(self) -> list[str]:
        """Names of the thresholds: the classes on both sides."""
        return [f"{a}/{b}" for a, b in pairwise(self.labels)]

    def _param_names(self) -> list[str]:
        return [*self.columns[1:], *self.threshold_names]

    def _infinite_names(self) -> list[str]:
        return self.columns[1:]

    def fit(
        self,
        maxiter: int = MAXITER,
        disp: bool = False,
        warn_convergence: bool = True,
        cov_type: robust.CovType = "nonrobust",
        cov_kwds: dict[str, Any] | None = None,
    ) -> OrderedLogitResults:
        """Fit the model.

        Parameters
        ----------
        maxiter : int
            Maximal number of Newton steps.
        disp : bool
            Print a message if the fit converged.
        warn_convergence : bool
            Whether to warn if the data are separated or the fit did not converge.
        cov_type, cov_kwds
            As in :meth:`FirthLogit.fit`. All estimates must be finite.

        Returns
        -------
        OrderedLogitResults
        """
        options = robust.read_options(self, cov_type, cov_kwds)
        if self.penalty:
            _check_middle(self._code, self._weight, list(self.labels))
        results = OrderedLogitResults(self, [self._fit(maxiter, warn_convergence)], options)
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
        return self._predict(params, exog, which, offset)

    def _slope_coefficients(self, params: Array) -> Array:
        return params[: len(self._kept)]

    def _values(self, params: Array, x: Array, offset: Array | float, which: str) -> Array:
        p = len(self._kept)
        eta = x @ params[:p] + offset
        if which == "linear":
            return eta
        cuts = params[p:] - eta[:, None]
        if which == "cumulative":
            return np.asarray(expit(cuts))
        below, above = expit(cuts), expit(-cuts)
        # This keeps the digits of small probabilities.
        middle = below[:, 1:] * above[:, :-1] * -np.expm1(-np.diff(params[p:]))
        return np.column_stack([below[:, :1], middle, above[:, -1:]])

    def _derivatives(self, params: Array, x: Array, offset: Array | float, which: str) -> list[Array]:
        p = x.shape[1]
        if which == "linear":
            return [np.column_stack([x, np.zeros((len(x), len(params) - p))])]
        if which == "prob":
            return self._proba_derivatives(params, x, offset)
        cuts, of_cuts = self._logits(params, x, offset, which)
        return [f[:, None] * part for f, part in zip((expit(cuts) * expit(-cuts)).T, of_cuts, strict=True)]

    def _logits(self, params: Array, x: Array, offset: Array | float, which: str) -> tuple[Array, list[Array]]:
        if which == "prob":
            return super()._logits(params, x, offset, which)
        p = x.shape[1]
        cuts = params[p:] - (x @ params[:p] + offset)[:, None]
        return cuts, [np.column_stack([-x, np.tile(unit, (len(x), 1))]) for unit in np.eye(cuts.shape[1])]

    def _log_proba(self, params: Array, x: Array, offset: Array | float) -> tuple[Array, list[Array]]:
        # The probability of a class is F(b) (1 - F(a)) (1 - exp(a - b)) with the cuts a < b.
        cuts, of_cuts = self._logits(params, x, offset, "cumulative")
        gaps = np.diff(params[x.shape[1] :])
        log_proba = np.zeros((len(x), cuts.shape[1] + 1))
        log_proba[:, :-1] += log_expit(cuts)
        log_proba[:, 1:] += log_expit(-cuts)
        log_proba[:, 1:-1] += np.log(-np.expm1(-gaps))
        pull = np.concatenate([[0.0], 1.0 / np.expm1(gaps), [0.0]])
        zero = np.zeros_like(of_cuts[0])
        parts = [zero] * log_proba.shape[1]
        for k, (cut, part) in enumerate(zip(cuts.T, of_cuts, strict=True)):
            parts[k] = parts[k] + (expit(-cut) + pull[k])[:, None] * part
            parts[k + 1] = parts[k + 1] - (expit(cut) + pull[k + 1])[:, None] * part
        return log_proba, parts

    def _mean_effects(self, params: Array, x: Array, offset: Array, weight: Array, column: int) -> tuple[Array, Array]:
        # With the mean density f_k of the cuts, the derivative of P_j by a column of slope b is -(f_j - f_j-1) b.
        p = x.shape[1]
        cuts = params[p:] - (x @ params[:p] + offset)[:, None]
        density = expit(cuts) * expit(-cuts)
        bend = density * (expit(-cuts) - expit(cuts)) * weight[:, None]
        m = cuts.shape[1]
        mean = np.concatenate([[0.0], weight @ density, [0.0]])
        jacobian = np.zeros((m + 2, len(params)))
        jacobian[1:-1] = np.column_stack([-bend.T @ x, np.diag(bend.sum(axis=0))])
        effect = -np.diff(mean)
        out = -np.diff(jacobian, axis=0) * params[column]
        out[:, column] += effect
        return effect * params[column], out


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
