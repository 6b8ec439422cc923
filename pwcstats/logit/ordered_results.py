"""Results of proportional odds fits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from scipy.special import expit, logit
from statsmodels.base.model import LikelihoodResultsWrapper
from statsmodels.base.wrapper import populate_wrapper, union_dicts
from statsmodels.iolib.summary import Summary

from pwcstats import _params, _summary
from pwcstats._arrays import Array
from pwcstats._results import Result, TestResult
from pwcstats._text import counted, listed
from pwcstats.errors import InputError, code
from pwcstats.logit.formulas import offset_of_rows
from pwcstats.logit.inherited import PrintedWrapper
from pwcstats.logit.ordinal_results import OrdinalResults
from pwcstats.logit.robust import check_nonrobust

__all__ = ["MarginalEffects", "OrderedLogitResults", "OrdinalPrediction"]


class OrderedLogitResults(OrdinalResults):
    """Results of :meth:`OrderedLogit.fit`.

    Attributes
    ----------
    params, bse, tvalues, pvalues : Series
        Slopes and thresholds, standard errors, z statistics and Wald p-values. Infinite estimates have infinite
        standard errors.
    slopes, thresholds : Series
        The two parts of `params`.
    llf, llf_unpenalized : float
        Log-likelihood with the penalty, if there is one, and without it; `aic` and `bic` use the latter.
    nobs, df_model, df_resid : float
        Number of rows (or the sum of their weights), number of parameters, and their difference.
    separated : bool
        Whether some estimates are infinite because the data are separated.
    converged, n_iter, reason : bool, int, str
        Whether the fit converged, the number of steps, and why it did not converge.
    """

    @property
    def slopes(self) -> pd.Series:
        """Slopes of the columns."""
        n_slopes = len(self.model.columns) - 1
        return pd.Series(np.asarray(self.params)[:n_slopes], index=self.model.columns[1:])

    @property
    def thresholds(self) -> pd.Series:
        """Thresholds between neighbouring classes."""
        n_slopes = len(self.model.columns) - 1
        return pd.Series(np.asarray(self.params)[n_slopes:], index=self.model.threshold_names)

    @overload
    def predict(
        self,
        exog: Any = None,
        transform: bool = True,
        which: Literal["prob", "cumulative"] = "prob",
        offset: Any = None,
    ) -> pd.DataFrame: ...
    @overload
    def predict(
        self, exog: Any = None, transform: bool = True, *, which: Literal["class", "linear"], offset: Any = None
    ) -> pd.Series: ...
    def predict(
        self, exog: Any = None, transform: bool = True, which: str = "prob", offset: Any = None
    ) -> pd.DataFrame | pd.Series:
        """Probabilities of all classes.

        Parameters
        ----------
        exog : array-like, optional
            New rows: design matrix or, after a formula, its variables. By default the rows of the fit. After a formula,
            rows with missing values have missing predictions.
        transform : bool
            Whether `exog` holds the variables of the formula.
        which : {"prob", "class", "linear", "cumulative"}
            Probabilities of the classes, the most probable class, linear predictors (without a threshold), or
            P(Y <= j) for all classes j but the highest.
        offset : array-like or str, optional
            Offset of the new rows, or the name of its column in `exog`. By default the column that was the offset of
            the fit, if it was named, otherwise 0; the rows of the fit have their own.

        Returns
        -------
        DataFrame or Series
            One column per class or threshold; a Series for "class" and "linear".
        """
        _params.choice(which, ("prob", "class", "linear", "cumulative"), "which")
        offset = offset_of_rows(self.model, exog, transform, offset)
        exog, index = self._new_rows(exog, transform)
        values = self.model.predict(self._limit, exog, "prob" if which == "class" else which, offset)
        if which == "class":
            return self._likeliest(values, index)
        if which == "linear":
            return pd.Series(values, index=index)
        return pd.DataFrame(values, index=index, columns=self._columns(which))

    def _columns(self, which: str) -> Any:
        return {"prob": self.model.labels, "cumulative": self.model.threshold_names, "linear": ["linear"]}[which]

    def get_prediction(
        self,
        exog: Any = None,
        transform: bool = True,
        which: Literal["prob", "linear", "cumulative"] = "prob",
        offset: Any = None,
    ) -> "OrdinalPrediction":
        """Predictions with standard errors and confidence intervals; all estimates must be finite.

        Parameters
        ----------
        exog, transform, which, offset
            As in :meth:`predict`.

        Returns
        -------
        OrdinalPrediction
            Standard errors are by the delta method. Intervals of probabilities are computed on the scale of logits.
        """
        _params.choice(which, ("prob", "linear", "cumulative"), "which")
        self._check_finite(code("get_prediction"))
        offset = offset_of_rows(self.model, exog, transform, offset)
        exog, index = self._new_rows(exog, transform)
        params, cov = np.asarray(self.params), np.asarray(self.cov_params())
        predicted = self.model.predict(params, exog, which, offset).reshape(-1, len(self._columns(which)))
        x, added = self.model._read_rows(params[: len(self.model._kept)], exog, offset)
        parts = _derivatives(params, x, added, which)
        se = np.column_stack([np.sqrt(np.einsum("ij,jk,ik->i", part, cov, part)) for part in parts])
        as_frame = {"index": index, "columns": self._columns(which)}
        return OrdinalPrediction(which, pd.DataFrame(predicted, **as_frame), pd.DataFrame(se, **as_frame))

    def get_margeff(self, at: Literal["overall", "mean"] = "overall", dummy: bool = False) -> "MarginalEffects":
        """Marginal effects: how much the probability of each class changes with each column.

        Parameters
        ----------
        at : {"overall", "mean"}
            The (weighted) average of the effects of all rows, or the effects at the mean of the columns.
        dummy : bool
            Whether the effect of a column of 0 and 1 is the difference of the probabilities at 1 and at 0, instead of a
            derivative.

        Returns
        -------
        MarginalEffects
            Effects with standard errors by the delta method. All estimates must be finite.
        """
        _params.choice(at, ("overall", "mean"), "at")
        _params.flag(dummy, "dummy")
        self._check_finite(code("get_margeff"))
        model, params = self.model, np.asarray(self.params)
        x, offset = model._slopes_of(model.exog), model._offset
        weight = model._weight / model._weight.sum()
        is_dummy = [dummy and bool(np.isin(values, (0.0, 1.0)).all()) for values in x.T]
        if at == "mean":
            x, offset, weight = (weight @ x)[None], np.array([weight @ offset]), np.ones(1)
        effects, jacobians = [], []
        for column, name in enumerate(model.columns[1:]):
            one = _discrete if is_dummy[column] else _continuous
            effect, jacobian = one(params, x, offset, weight, column)
            effects += [(label, name, value) for label, value in zip(model.labels, effect, strict=True)]
            jacobians.append(jacobian)
        if not effects:
            raise InputError("marginal effects need a column besides the constant; this model has none.")
        jacobian = np.concatenate(jacobians)
        cov = jacobian @ np.asarray(self.cov_params()) @ jacobian.T
        table = pd.DataFrame(effects, columns=["y_level", "term", "estimate"])
        return MarginalEffects(at, table.assign(std_error=np.sqrt(np.diagonal(cov))), cov)

    def _span(self, combinations: Array) -> Array:
        m = len(self.model.threshold_names)
        slopes = np.column_stack([combinations[1:, 1:], np.zeros((len(combinations) - 1, m))])
        # Thresholds take up the constants of the combinations.
        return np.vstack([slopes, np.column_stack([np.tile(-combinations[0, 1:], (m, 1)), np.eye(m)])])

    def _held(self, terms: Sequence[str]) -> NDArray[np.bool_]:
        model = self.model
        return np.array([*(name in terms for name in model.columns[1:]), *[False] * len(model.threshold_names)])

    def _coefficients_of(self, columns: Sequence[int]) -> list[int]:
        # The constant has no coefficient: a test that all thresholds are 0 has no use.
        return [self.model._kept.index(column) for column in columns if column in self.model._kept]

    def parallel_test(self, term: Any = None) -> TestResult:
        """Score test of proportional odds: that the slopes are the same at all thresholds.

        The alternative has separate slopes at each threshold. The test needs no fit of it, which need not exist.

        Parameters
        ----------
        term : str or list of str, optional
            Columns whose slopes may differ in the alternative, by name, or terms of the formula; by default all.

        Returns
        -------
        TestResult
        """
        check_nonrobust(self, "a score test")
        self._check_finite(code("parallel_test"))
        model = self.model
        n_cuts, n_slopes = len(model.threshold_names), len(model.columns) - 1
        if n_cuts < 2 or not n_slopes:
            raise InputError(
                "a test of parallel slopes needs three classes and one column besides the constant; this model has "
                f"{n_cuts + 1} classes and {counted(n_slopes, 'column')}."
            )
        terms = self._read_terms(term)
        free = np.array([name in terms for name in model.columns[1:]])
        statistic = model._likelihood.parallel_score(np.asarray(self.params), free)
        df = float((n_cuts - 1) * len(terms))
        null = f"the slopes of {listed(terms)} are the same at all thresholds"
        return TestResult(statistic, float(stats.chi2.sf(statistic, df)), df, method="Score test", null=null)

    def pred_table(self) -> pd.DataFrame:
        """Weighted counts of observed (rows) and predicted (columns) classes."""
        labels = self.model.labels
        predicted = self.predict().to_numpy().argmax(axis=1)
        counts = np.zeros((len(labels), len(labels)))
        np.add.at(counts, (self.model._code, predicted), self.model._weight)
        return pd.DataFrame(counts, index=labels, columns=labels)

    def summary(self, alpha: float = 0.05) -> Summary:
        """Summary with tables of slopes and thresholds; intervals have level 1 - alpha."""
        _params.level(alpha, "alpha")
        model = self.model
        n_slopes = len(model.columns) - 1
        parts = (("slopes", slice(0, n_slopes)), ("thresholds", slice(n_slopes, None)))
        names, estimate, se = model._param_names(), np.asarray(self.params), np.asarray(self.bse)
        tables = [
            _summary.coefficients(names[part], estimate[part], se[part], alpha, title)
            for title, part in parts
            if names[part]
        ]
        left = [
            ("Dep. Variable:", str(model.endog_names)),
            ("Model:", "OrderedLogit"),
            ("Method:", "Firth" if model.penalty else "MLE"),
            ("converged:", str(self.converged)),
            ("No. Observations:", _summary.number(self.nobs)),
        ]
        right = [
            ("Df Residuals:", _summary.number(self.df_resid)),
            ("Log-Likelihood:", f"{self.llf_unpenalized:.5g}"),
            ("AIC:", f"{self.aic:.5g}"),
            ("BIC:", f"{self.bic:.5g}"),
            ("", ""),
        ]
        summary = Summary()
        summary.tables = [
            _summary.head("Proportional Odds Results", left, right, _summary.width_of(tables)),
            *tables,
        ]
        summary.add_extra_txt(
            [
                "logit P(y <= j) = threshold j - x'slopes.",
                *(["Log-likelihood and AIC are without the penalty."] if model.penalty else []),
                *([f"Standard errors are robust ({self.cov_type})."] if self.cov_type != "nonrobust" else []),
                *([f"Not all estimates are finite: {self.reason}; use penalty='firth'."] if self.separated else []),
            ]
        )
        return summary


class OrderedLogitResultsWrapper(PrintedWrapper, LikelihoodResultsWrapper):
    """Adds labels to results, as in statsmodels."""

    _wrap_methods = union_dicts(LikelihoodResultsWrapper._wrap_methods, {"conf_int": "columns"})


populate_wrapper(OrderedLogitResultsWrapper, OrderedLogitResults)


@dataclass(frozen=True, repr=False)
class OrdinalPrediction(Result):
    """Predictions of :meth:`OrderedLogitResults.get_prediction`.

    Attributes
    ----------
    which : str
        What is predicted.
    predicted, se : DataFrame
        Predictions and their standard errors, one row per observation, one column per class or threshold.
    """

    which: str
    predicted: pd.DataFrame
    se: pd.DataFrame

    def conf_int(self, alpha: float = 0.05) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Lower and upper bounds of intervals of level 1 - alpha; those of probabilities are between 0 and 1."""
        half = float(stats.norm.isf(_params.level(alpha, "alpha") / 2.0)) * self.se
        if self.which == "linear":
            return self.predicted - half, self.predicted + half
        p = self.predicted
        with np.errstate(all="ignore"):
            bounds = [expit(logit(p) + side * half / (p * (1.0 - p))) for side in (-1.0, 1.0)]
        # A probability of 0 or 1 to the last digit has no other bounds.
        certain = (p == 0.0) | (p == 1.0)
        return bounds[0].mask(certain, p), bounds[1].mask(certain, p)

    def tidy(self, alpha: float = 0.05) -> pd.DataFrame:
        """One row for each observation and class, in the order of the classes."""
        low, high = self.conf_int(alpha)
        return pd.DataFrame(
            {
                "row": np.tile(self.predicted.index, self.predicted.shape[1]),
                "y_level": np.repeat(self.predicted.columns, len(self.predicted)),
                **{
                    name: frame.to_numpy().ravel(order="F")
                    for name, frame in (
                        ("estimate", self.predicted), ("std_error", self.se), ("conf_low", low), ("conf_high", high)
                    )
                },
            }
        )  # fmt: skip

    def summary_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """The same with the names of statsmodels, and with rows and classes in the index."""
        names = {"estimate": "predicted", "std_error": "se", "conf_low": "ci_lower", "conf_high": "ci_upper"}
        return self.tidy(alpha).rename(columns=names).set_index(["row", "y_level"])

    def glance(self) -> pd.DataFrame:
        """One row: what is predicted, and the number of rows."""
        return pd.DataFrame([{"which": self.which, "nobs": len(self.predicted)}])


@dataclass(frozen=True, repr=False)
class MarginalEffects(Result):
    """Marginal effects of :meth:`OrderedLogitResults.get_margeff`.

    Attributes
    ----------
    at : str
        "overall" or "mean".
    table : DataFrame
        One row for each column and class: `y_level`, `term`, `estimate` and `std_error`.
    cov : ndarray
        Covariance of the estimates.
    """

    at: str
    table: pd.DataFrame
    cov: Array

    @property
    def margeff(self) -> pd.DataFrame:
        """Effects, one row per column and one column per class."""
        return self.table.pivot(index="term", columns="y_level", values="estimate").loc[self.table["term"].unique()]

    def tidy(self, alpha: float = 0.05) -> pd.DataFrame:
        """One row for each column and class, with Wald tests and intervals of level 1 - alpha."""
        half = float(stats.norm.isf(_params.level(alpha, "alpha") / 2.0)) * self.table["std_error"]
        z = self.table["estimate"] / self.table["std_error"]
        return self.table.assign(
            statistic=z,
            p_value=2.0 * stats.norm.sf(np.abs(z)),
            conf_low=self.table["estimate"] - half,
            conf_high=self.table["estimate"] + half,
        )

    def summary_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """The table of :meth:`tidy`, with classes and columns in the index."""
        return self.tidy(alpha).set_index(["y_level", "term"])

    def glance(self) -> pd.DataFrame:
        """One row: at which columns the effects are, and the number of effects."""
        return pd.DataFrame([{"at": self.at, "n_effects": len(self.table)}])


def _derivatives(params: Array, x: Array, offset: Array | float, which: str) -> list[Array]:
    """Derivatives of the predictions by the parameters, rows x parameters, for each class or threshold."""
    p = x.shape[1]
    if which == "linear":
        return [np.column_stack([x, np.zeros((len(x), len(params) - p))])]
    cuts = params[p:] - (x @ params[:p] + offset)[:, None]
    density = expit(cuts) * expit(-cuts)
    m = cuts.shape[1]
    of_cuts = [np.column_stack([-f[:, None] * x, f[:, None] * np.eye(m)[k]]) for k, f in enumerate(density.T)]
    if which == "cumulative":
        return of_cuts
    zero = np.zeros_like(of_cuts[0])
    return [high - low for low, high in zip([zero, *of_cuts], [*of_cuts, zero], strict=True)]


def _mean_proba(params: Array, x: Array, offset: Array, weight: Array) -> tuple[Array, Array]:
    """Mean probabilities of the classes, and their derivatives by the parameters."""
    p = x.shape[1]
    cumulative = weight @ expit(params[p:] - (x @ params[:p] + offset)[:, None])
    jacobian = np.array([weight @ part for part in _derivatives(params, x, offset, "prob")])
    return np.diff(np.concatenate([[0.0], cumulative, [1.0]])), jacobian


def _discrete(params: Array, x: Array, offset: Array, weight: Array, column: int) -> tuple[Array, Array]:
    """Effects of changing a column from 0 to 1, one for each class, and their derivatives by the parameters."""
    at = []
    for level in (0.0, 1.0):
        changed = x.copy()
        changed[:, column] = level
        at.append(_mean_proba(params, changed, offset, weight))
    return at[1][0] - at[0][0], at[1][1] - at[0][1]


def _continuous(params: Array, x: Array, offset: Array, weight: Array, column: int) -> tuple[Array, Array]:
    """Derivatives of the mean probabilities by a column, one for each class, and their derivatives by the parameters.

    With the mean density f_k of the cuts, the derivative of P_j by a column of slope b is -(f_j - f_j-1) b.
    """
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
