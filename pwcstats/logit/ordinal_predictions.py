"""Predictions and marginal effects of ordinal models with one likelihood."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import expit

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._results import Result
from pwcstats.errors import InputError, code
from pwcstats.logit.aliased import refuse_aliased
from pwcstats.logit.formulas import offset_of_rows
from pwcstats.logit.ordinal_results import OrdinalResults

__all__ = ["MarginalEffects", "OrdinalModelResults", "OrdinalPrediction"]


class OrdinalModelResults(OrdinalResults):
    """Results of an :class:`OrdinalModel`; the documentation is that of the subclasses."""

    def _predict(self, exog: Any, transform: bool, which: str, offset: Any) -> pd.DataFrame | pd.Series:
        model = self.model
        _params.choice(which, ("class", *model._kinds), "which")
        offset = offset_of_rows(model, exog, transform, offset)
        exog, index = self._new_rows(exog, transform)
        values = model.predict(self._limit, exog, "prob" if which == "class" else which, offset)
        if which == "class":
            return self._likeliest(values, index)
        if values.ndim == 1:
            return pd.Series(values, index=index)
        return pd.DataFrame(values, index=index, columns=self._columns(which))

    @abstractmethod
    def _columns(self, which: str) -> Any:
        """Names of the columns of predictions."""

    def get_prediction(
        self,
        exog: Any = None,
        transform: bool = True,
        which: str = "prob",
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
        model = self.model
        _params.choice(which, model._kinds, "which")
        self._check_finite(code("get_prediction"))
        offset = offset_of_rows(model, exog, transform, offset)
        exog, index = self._new_rows(exog, transform)
        params, cov = np.asarray(self.params), np.asarray(self.cov_params())
        predicted = model.predict(params, exog, which, offset).reshape(-1, len(self._columns(which)))
        rows = model._read_rows(params, exog, offset)
        se = link_se = _errors(model._derivatives(params, *rows, which), cov)
        link = predicted
        if which != "linear":
            link, parts = model._logits(params, *rows, which)
            link_se = _errors(parts, cov)
        as_frame = {"index": index, "columns": self._columns(which)}
        return OrdinalPrediction(
            which, *(pd.DataFrame(values, **as_frame) for values in (predicted, se, link, link_se))
        )

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
        refuse_aliased(self.model, code("get_margeff"))
        model, params = self.model, np.asarray(self.params)
        x, offset = model._slopes_of(model.exog), model._offset
        weight = model._weight / model._weight.sum()
        is_dummy = [dummy and bool(np.isin(values, (0.0, 1.0)).all()) for values in x.T]
        if at == "mean":
            x, offset, weight = (weight @ x)[None], np.array([weight @ offset]), np.ones(1)
        effects, jacobians = [], []
        for column, name in enumerate(model.columns[1:]):
            if is_dummy[column]:
                effect, jacobian = _discrete(model, params, x, offset, weight, column)
            else:
                effect, jacobian = model._mean_effects(params, x, offset, weight, column)
            effects += [(label, name, value) for label, value in zip(model.labels, effect, strict=True)]
            jacobians.append(jacobian)
        if not effects:
            raise InputError("marginal effects need a column besides the constant; this model has none.")
        jacobian = np.concatenate(jacobians)
        cov = jacobian @ np.asarray(self.cov_params()) @ jacobian.T
        table = pd.DataFrame(effects, columns=["y_level", "term", "estimate"])
        return MarginalEffects(at, table.assign(std_error=np.sqrt(np.diagonal(cov))), cov)

    def pred_table(self) -> pd.DataFrame:
        """Weighted counts of observed (rows) and predicted (columns) classes."""
        labels = self.model.labels
        predicted = self.predict().to_numpy().argmax(axis=1)
        counts = np.zeros((len(labels), len(labels)))
        np.add.at(counts, (self.model._code, predicted), self.model._weight)
        return pd.DataFrame(counts, index=labels, columns=labels)


@dataclass(frozen=True, repr=False)
class OrdinalPrediction(Result):
    """Predictions of ``get_prediction`` of ordinal models.

    Attributes
    ----------
    which : str
        What is predicted.
    predicted, se : DataFrame
        Predictions and their standard errors, one row per observation, one column per class, threshold or
        step.
    link, link_se : DataFrame
        The same for the logits of probabilities, of which intervals are computed.
    """

    which: str
    predicted: pd.DataFrame
    se: pd.DataFrame
    link: pd.DataFrame
    link_se: pd.DataFrame

    def conf_int(self, alpha: float = 0.05) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Lower and upper bounds of intervals of level 1 - alpha; those of probabilities are between 0 and 1."""
        half = float(stats.norm.isf(_params.level(alpha, "alpha") / 2.0)) * self.link_se
        bounds = self.link - half, self.link + half
        return bounds if self.which == "linear" else (expit(bounds[0]), expit(bounds[1]))

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
    """Marginal effects of ``get_margeff`` of ordinal models.

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


def _discrete(model: Any, params: Array, x: Array, offset: Array, weight: Array, column: int) -> tuple[Array, Array]:
    """Effects of changing a column from 0 to 1, one for each class, and their derivatives by the parameters."""
    at = []
    for level in (0.0, 1.0):
        changed = x.copy()
        changed[:, column] = level
        jacobian = [weight @ part for part in model._derivatives(params, changed, offset, "prob")]
        at.append((weight @ model._values(params, changed, offset, "prob"), np.array(jacobian)))
    return at[1][0] - at[0][0], at[1][1] - at[0][1]


def _errors(parts: list[Array], cov: Array) -> Array:
    """Standard errors by the delta method, one column for each matrix of derivatives."""
    return np.column_stack([np.sqrt(np.einsum("ij,jk,ik->i", part, cov, part)) for part in parts])
