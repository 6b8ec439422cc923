"""Continuation-ratio logits for ordered classes."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats.logit import reading, robust
from pwcstats.logit.binary import Fit, fit_binary, warn_about
from pwcstats.logit.continuation_results import ContinuationRatioResults, ContinuationRatioResultsWrapper
from pwcstats.logit.maximum import MAXITER
from pwcstats.logit.ordinal_model import OrderedClasses
from pwcstats.logit.stages import Stages

__all__ = ["ContinuationRatio"]


class ContinuationRatio(Stages, OrderedClasses):
    r"""Continuation-ratio logits for ordered classes.

    The model is a chain of binary logits, the stages, each with an intercept. The backward model starts at the top:
    :math:`\mathrm{logit}\,P(Y=j \mid Y \le j) = \alpha_j + x^\top \beta_j` for all classes j but the lowest. The
    forward model starts at the bottom: :math:`\mathrm{logit}\, P(Y=j \mid Y \ge j) = \alpha_j + x^\top \beta_j` for all
    classes but the highest.

    Parameters
    ----------
    endog : array-like
        Ordered classes: numbers, or an ordered Categorical. Two classes may have labels of any kind.
    exog : array-like
        Design matrix. Each stage has an intercept, so a constant is not needed; it is ignored.
    direction : {"backward", "forward"}
        Backward and forward are different models, see above.
    penalty : {None, "firth"}
        Maximum likelihood, or Jeffreys' penalty, which keeps all estimates finite.
    parallel : bool
        Whether all stages have the same slopes.
    freq_weights : array-like, optional
        How many times each row counts: real numbers; 0 leaves a row out.
    categories : sequence, optional
        The classes from the lowest to the highest, if `endog` does not determine their order.
    aliased : {"raise", "drop"}
        What to do if a column is constant, or a combination of the columns before it, among the rows of a stage with
        its own slopes: raise an error, or leave it out of this stage as in R's ``glm``. Its coefficient is then 0,
        without a standard error.
    **kwargs
        `missing`, as in statsmodels.

    See Also
    --------
    OrderedLogit : Proportional odds.

    Notes
    -----
    The likelihood is the product of the binary likelihoods of the stages, so a model with separate slopes consists of
    separate logistic regressions [1]_. Chang's Procedure II combines local classifiers by the backward model [2]_. In
    R's VGAM, the forward model is ``sratio(reverse = FALSE)`` and the backward model ``sratio(reverse = TRUE)``; its
    ``cratio`` models the complementary probabilities, so all signs change.

    References
    ----------
    .. [1] J. Cole and C. Ananth, "Regression models for unconstrained, partially or fully constrained continuation odds
       ratios", International Journal of Epidemiology 30, 1379-1382, 2001. https://doi.org/10.1093/ije/30.6.1379
    .. [2] Y.-C. I. Chang, "Boosting SVM classifiers with logistic regression", Institute of Statistical Science,
       Academia Sinica, 2003.

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats import ContinuationRatio
    >>> df = pd.DataFrame({"dose": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6], "pain": [2, 1, 2, 2, 1, 2, 0, 1, 1, 0, 0, 0]})
    >>> res = ContinuationRatio.from_formula("pain ~ dose", df, penalty="firth").fit()
    >>> res.coefs.round(3)
       Intercept   dose
    1      3.583 -0.829
    2      1.929 -0.802
    >>> res.predict(pd.DataFrame({"dose": [1, 3.5, 6]})).round(3)
           0      1      2
    0  0.015  0.230  0.755
    1  0.237  0.469  0.293
    2  0.758  0.189  0.053
    """

    _options = "direction, penalty, parallel, freq_weights, categories, aliased and missing"

    def __init__(
        self,
        endog: Any,
        exog: Any,
        direction: Literal["backward", "forward"] = "backward",
        penalty: Literal["firth"] | None = None,
        parallel: bool = False,
        freq_weights: Any = None,
        categories: Any = None,
        aliased: Literal["raise", "drop"] = "raise",
        **kwargs: Any,
    ) -> None:
        self.aliased = _params.choice(aliased, ("raise", "drop"), "aliased")
        self.direction = _params.choice(direction, ("backward", "forward"), "direction")
        self.penalty = _params.optional_choice(penalty, ("firth",), "penalty")
        self.parallel = _params.flag(parallel, "parallel")
        super().__init__(endog, exog, categories, {"freq_weights": freq_weights}, kwargs, needs_column=True)
        self._init_keys += ["direction", "penalty", "parallel", "aliased"]

    @property
    def stages(self) -> list[Any]:
        """The class whose probability each stage models."""
        return list(self.labels[1:] if self.direction == "backward" else self.labels[:-1])

    def stage_name(self, stage: int) -> str:
        """The conditional probability that a stage models."""
        sign = "<=" if self.direction == "backward" else ">="
        label = self.stages[stage]
        return f"P(y = {label} | y {sign} {label})"

    def _design(self, exog: Array) -> Array:
        return np.column_stack([np.ones(len(exog)), self._slopes_of(exog)])

    def _class_of(self, stage: int) -> int:
        return stage + 1 if self.direction == "backward" else stage

    def reaches(self, stage: int) -> NDArray[np.bool_]:
        """Which rows of positive weight reach a stage."""
        k = self._class_of(stage)
        reach = self._code <= k if self.direction == "backward" else self._code >= k
        return np.asarray(reach & (self._weight > 0.0))

    def stage_data(self, stage: int) -> tuple[Array, NDArray[np.int64], Array]:
        """Design, outcome and weights of the rows that reach a stage."""
        k, reach = self._class_of(stage), self.reaches(stage)
        return self._design(self.exog[reach]), (self._code[reach] == k).astype(np.int64), self._weight[reach]

    def stacked(self, interactions: bool) -> tuple[Array, NDArray[np.int64], Array, list[str]]:
        """Design, outcome, weights and names of all stages together.

        The columns are indicators of the stages, the common slopes and, with `interactions`, differences from these.
        """
        parts = [self.stage_data(stage) for stage in range(len(self.stages))]
        n_slopes = len(self.columns) - 1
        blocks = []
        for stage, (x, _, _) in enumerate(parts):
            own = np.zeros((len(x), len(parts)))
            own[:, stage] = 1.0
            more = np.zeros((len(x), len(parts) - 1, n_slopes))
            if stage:
                more[:, stage - 1] = x[:, 1:]
            blocks.append(np.column_stack([own, x[:, 1:], *([more.reshape(len(x), -1)] if interactions else [])]))
        names = [*(f"{self.columns[0]}:{label}" for label in self.stages), *self.columns[1:]]
        if interactions:
            names += [f"{name}:{label}" for label in self.stages[1:] for name in self.columns[1:]]
        x, y, weight = (np.concatenate(part) for part in (blocks, *list(zip(*parts, strict=True))[1:]))
        return x, y, weight, names

    def _rows_of_fits(self) -> list[NDArray[np.int64]]:
        """Rows of the data that belong to the rows of each fit."""
        rows = [np.flatnonzero(self.reaches(stage)) for stage in range(len(self.stages))]
        return [np.concatenate(rows)] if self.parallel else rows

    def fit(
        self,
        maxiter: int = MAXITER,
        disp: bool = False,
        warn_convergence: bool = True,
        cov_type: robust.CovType = "nonrobust",
        cov_kwds: dict[str, Any] | None = None,
    ) -> ContinuationRatioResults:
        """Fit the model.

        Parameters
        ----------
        maxiter : int
            Maximal number of Newton steps.
        disp : bool
            Print a message if the fit converged.
        warn_convergence : bool
            Whether to warn about stages that are separated or did not converge.
        cov_type, cov_kwds
            As in :meth:`FirthLogit.fit`. A row is a unit with all its stages. All estimates must be finite.

        Returns
        -------
        ContinuationRatioResults
        """
        maxiter = _params.count(maxiter, "maxiter")
        warn = _params.flag(warn_convergence, "warn_convergence")
        options = robust.read_options(self, cov_type, cov_kwds)
        fits = [self._fit_parallel(maxiter)] if self.parallel else self._fit_stages(maxiter)
        if warn:
            warn_about(fits)
        results = ContinuationRatioResults(self, fits, options)
        if disp and results.converged:
            print(f"Converged; log-likelihood {results.llf:.6g}.")
        return ContinuationRatioResultsWrapper(results)

    def _fit_stages(self, maxiter: int) -> list[Fit]:
        firth, drop = self.penalty == "firth", self.aliased == "drop"
        return [
            fit_binary(*self.stage_data(stage), firth, self.columns, f" at {self.stage_name(stage)}", maxiter, drop)
            for stage in range(len(self.stages))
        ]

    def _fit_parallel(self, maxiter: int) -> Fit:
        x, y, weight, names = self.stacked(False)
        return fit_binary(x, y, weight, self.penalty == "firth", names, "", maxiter)

    def predict(self, params: Any, exog: Any = None, which: Literal["prob", "linear", "stage"] = "prob") -> Array:
        """Predictions at some parameters.

        Parameters
        ----------
        params : array-like
            Coefficients, in the order of the results' `params`.
        exog : array-like, optional
            New rows; by default the rows of the fit.
        which : {"prob", "linear", "stage"}
            Probabilities of the classes, linear predictors of the stages, or conditional probabilities of the stages.

        Returns
        -------
        ndarray
            One row per observation, one column per class or stage.
        """
        _params.choice(which, ("prob", "linear", "stage"), "which")
        params = np.asarray(params, dtype=np.float64)
        coefs = self.coefs_of(params)
        x = self.exog
        if exog is not None:
            slopes = np.zeros((self.exog.shape[1], len(self.stages)))
            slopes[self._kept] = coefs[:, 1:].T
            x = reading.read_new_rows(exog, list(map(str, self.exog_names)), slopes, hasattr(self, "formula"))
        predictor = self._design(np.atleast_2d(x)) @ coefs.T
        if which == "linear":
            return predictor
        with np.errstate(invalid="ignore"):  # rows with missing values
            # Logarithms keep the digits of small probabilities.
            log_yes, log_no = -np.logaddexp(0.0, -predictor), -np.logaddexp(0.0, predictor)
        if which == "stage":
            return np.exp(log_yes)
        if self.direction == "backward":
            log_yes, log_no = log_yes[:, ::-1], log_no[:, ::-1]
        past = np.column_stack([np.zeros(len(log_no)), np.cumsum(log_no, axis=1)])
        proba = np.exp(past + np.column_stack([log_yes, np.zeros(len(log_yes))]))
        return proba[:, ::-1] if self.direction == "backward" else proba
