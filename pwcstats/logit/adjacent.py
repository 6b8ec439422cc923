"""Adjacent-category logits for ordered classes."""

from copy import copy
from typing import Any, Literal

import numpy as np
from scipy.special import log_softmax, softmax

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats.logit import robust
from pwcstats.logit.adjacent_likelihood import AdjacentLikelihood, by_class, by_step
from pwcstats.logit.adjacent_results import AdjacentCategoriesResults, AdjacentCategoriesResultsWrapper
from pwcstats.logit.maximum import MAXITER
from pwcstats.logit.ordinal_model import OrdinalModel
from pwcstats.logit.stages import Stages

__all__ = ["AdjacentCategories"]


class AdjacentCategories(Stages, OrdinalModel):
    r"""Adjacent-category logits: each of the ordered classes against the class below it.

    The model is :math:`\log\{P(Y=j) / P(Y=j-1)\} = \alpha_j + x^\top \beta_j` for all classes j but the lowest. These
    are the steps of the model, named by their upper class. With ``parallel=True``, all steps have the same slopes. A
    positive slope makes high classes more likely.

    Parameters
    ----------
    endog : array-like
        Ordered classes: numbers, or an ordered Categorical.
    exog : array-like
        Design matrix. Each step has an intercept, so a constant is not needed; it is ignored. None for a model of
        intercepts only.
    penalty : {None, "firth"}
        Maximum likelihood, or Jeffreys' penalty, which keeps all estimates finite.
    parallel : bool
        Whether all steps have the same slopes.
    freq_weights : array-like, optional
        How many times each row counts: real numbers; 0 leaves a row out.
    offset : array-like, optional
        Added to the linear predictor of each step.
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
    OrderedLogit : Proportional odds.
    ContinuationRatio : A chain of binary logits.
    FirthMNLogit : The model without an order of the classes.

    Notes
    -----
    With separate slopes this is the multinomial logit with other parameters: its slopes of class k against the lowest
    class are the sums of the slopes of the steps up to k. With parallel slopes, these sums are multiples of one slope
    [1]_. In R, this is ``acat()`` of VGAM; ``bracl()`` of brglm2 has the opposite signs.

    With ``penalty="firth"``, the model maximises :math:`\ell(\theta) + \frac12 \log |I(\theta)|`, where I is the
    information of the parameters of this model. With parallel slopes it is :math:`B^\top I_m B`, where :math:`I_m` is
    the information of the multinomial logit, and B maps the parameters to its coefficients. The models are exponential
    families in these parameters, so that the penalty removes the first-order bias [2]_, as in ``bracl()``.

    References
    ----------
    .. [1] A. Agresti, *Analysis of Ordinal Categorical Data*, 2nd edition, Wiley, 2010.
       https://doi.org/10.1002/9780470594001
    .. [2] D. Firth, "Bias reduction of maximum likelihood estimates", Biometrika 80, 27-38, 1993.
       https://doi.org/10.1093/biomet/80.1.27

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats import AdjacentCategories
    >>> df = pd.DataFrame({"dose": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6], "pain": [2, 1, 2, 2, 1, 2, 0, 1, 1, 0, 0, 0]})
    >>> res = AdjacentCategories.from_formula("pain ~ dose", df, penalty="firth", parallel=True).fit()
    >>> res.params.round(3)
    Intercept:1    3.431
    Intercept:2    2.164
    dose          -0.799
    dtype: float64
    >>> res.predict(pd.DataFrame({"dose": [1, 3.5, 6]})).round(3)
           0      1      2
    0  0.014  0.201  0.785
    1  0.257  0.485  0.257
    2  0.785  0.201  0.014
    """

    _options = "penalty, parallel, freq_weights, offset, categories, aliased and missing"
    _kinds = ("prob", "linear")

    def __init__(
        self,
        endog: Any,
        exog: Any,
        penalty: Literal["firth"] | None = None,
        parallel: bool = False,
        freq_weights: Any = None,
        offset: Any = None,
        categories: Any = None,
        **kwargs: Any,
    ) -> None:
        self.parallel = _params.flag(parallel, "parallel")
        super().__init__(endog, exog, penalty, freq_weights, offset, categories, **kwargs)
        self._init_keys += ["parallel"]

    @property
    def stages(self) -> list[Any]:
        """The upper class of each step."""
        return list(self.labels[1:])

    def stage_name(self, stage: int) -> str:
        """The ratio of probabilities that a step models."""
        return f"P(y = {self.labels[stage + 1]}) / P(y = {self.labels[stage]})"

    def _make_likelihood(self, x: Array, offset: Array | None) -> AdjacentLikelihood:
        firth, names = self.penalty == "firth", lambda: self.columns[1:]
        return AdjacentLikelihood(x, self._code, self._weight, offset, len(self.labels), self.parallel, firth, names)

    def _with_slopes(self, parallel: bool) -> "AdjacentCategories":
        """The same model with parallel or separate slopes, without names of its coefficients."""
        other = copy(self)
        other.parallel = parallel
        other._set_likelihood()
        return other

    def fit(
        self,
        maxiter: int = MAXITER,
        disp: bool = False,
        warn_convergence: bool = True,
        cov_type: robust.CovType = "nonrobust",
        cov_kwds: dict[str, Any] | None = None,
    ) -> AdjacentCategoriesResults:
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
        AdjacentCategoriesResults
        """
        options = robust.read_options(self, cov_type, cov_kwds)
        results = AdjacentCategoriesResults(self, [self._fit(maxiter, warn_convergence)], options)
        if disp and results.converged:
            print(f"Converged; log-likelihood {results.llf:.6g}.")
        return AdjacentCategoriesResultsWrapper(results)

    def predict(
        self, params: Any, exog: Any = None, which: Literal["prob", "linear"] = "prob", offset: Any = None
    ) -> Array:
        """Predictions at some parameters.

        Parameters
        ----------
        params : array-like
            Coefficients, in the order of the results' `params`.
        exog : array-like, optional
            New rows; by default the rows of the fit.
        which : {"prob", "linear"}
            Probabilities of the classes, or linear predictors of the steps.
        offset : array-like, optional
            Offset of the new rows, by default 0; the rows of the fit have their own.

        Returns
        -------
        ndarray
            One row per observation, one column per class or step.
        """
        return self._predict(params, exog, which, offset)

    def _slope_coefficients(self, params: Array) -> Array:
        return self.coefs_of(params)[:, 1:].T

    def _values(self, params: Array, x: Array, offset: Array | float, which: str) -> Array:
        coefs = self.coefs_of(params)
        steps = coefs[:, 0] + x @ coefs[:, 1:].T + np.reshape(offset, (-1, 1))
        if which == "linear":
            return steps
        return np.asarray(softmax(self._logits_of_classes(params, x, offset), axis=1))

    def _derivatives(self, params: Array, x: Array, offset: Array | float, which: str) -> list[Array]:
        shape = (len(self.stages), len(self.columns))
        if which == "linear":
            return list(np.column_stack([np.ones(len(x)), x]) @ by_step(*shape, self.parallel).reshape(*shape, -1))
        return self._proba_derivatives(params, x, offset)

    def _log_proba(self, params: Array, x: Array, offset: Array | float) -> tuple[Array, list[Array]]:
        shape = (len(self.stages), len(self.columns))
        of_classes = self._with_lowest(by_class(*shape, self.parallel).reshape(*shape, -1))
        of_classes = np.column_stack([np.ones(len(x)), x]) @ of_classes
        log_proba = log_softmax(self._logits_of_classes(params, x, offset), axis=1)
        proba = np.exp(log_proba).T[:, :, None]
        return log_proba, list(of_classes - (proba * of_classes).sum(axis=0))

    def _logits_of_classes(self, params: Array, x: Array, offset: Array | float) -> Array:
        """Logits of the classes against the lowest."""
        steps = self._values(params, x, offset, "linear")
        return np.column_stack([np.zeros(len(x)), np.cumsum(steps, axis=1)])

    def _mean_effects(self, params: Array, x: Array, offset: Array, weight: Array, column: int) -> tuple[Array, Array]:
        # With the slopes b_k of the classes against the lowest, the derivative of P_k is P_k (b_k - sum of P_l b_l).
        shape = (len(self.stages), len(self.columns))
        of_slopes = self._with_lowest(by_class(*shape, self.parallel).reshape(*shape, -1)[:, column + 1])
        slopes = of_slopes @ params
        proba = self._values(params, x, offset, "prob")
        of_proba = np.stack(self._derivatives(params, x, offset, "prob"), axis=1)
        surplus = slopes - (proba @ slopes)[:, None]
        of_mean = np.tensordot(of_proba, slopes, (1, 0)) + proba @ of_slopes
        jacobian = np.einsum("i,ik,ikj->kj", weight, surplus, of_proba)
        jacobian += (weight @ proba)[:, None] * of_slopes - (weight[:, None] * proba).T @ of_mean
        return weight @ (proba * surplus), jacobian

    @staticmethod
    def _with_lowest(values: Array) -> Array:
        """Values of all classes, given those of all but the lowest, which has 0."""
        return np.concatenate([np.zeros_like(values[:1]), values])
