"""What ordinal models share that have a constant, and perhaps slopes, for each stage of a chain of classes."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from statsmodels.iolib.summary import Summary

from pwcstats import _params, _summary
from pwcstats._arrays import Array
from pwcstats._text import counted
from pwcstats.errors import InputError
from pwcstats.logit.aliased import aliased_note
from pwcstats.logit.ordinal_results import OrdinalResults


class Stages:
    """Mixed into models: the coefficients of the stages one after the other, or parallel slopes after all constants."""

    parallel: bool
    columns: list[str]

    @property
    @abstractmethod
    def stages(self) -> list[Any]:
        """The class after which each stage is named."""

    @abstractmethod
    def stage_name(self, stage: int) -> str:
        """What a stage models."""

    def _param_names(self) -> list[str]:
        if self.parallel:
            return [*(f"{self.columns[0]}:{label}" for label in self.stages), *self.columns[1:]]
        return [f"{name}:{label}" for label in self.stages for name in self.columns]

    def coefs_of(self, params: Array) -> Array:
        """Coefficients by stage and column."""
        n = len(self.stages)
        if self.parallel:
            return np.column_stack([params[:n], np.tile(params[n:], (n, 1))])
        return params.reshape(n, -1)


class StagedResults(OrdinalResults):
    """Results of these models; the documentation is that of the subclasses."""

    @property
    def coefs(self) -> pd.DataFrame:
        """Coefficients by stage and column."""
        model = self.model
        return pd.DataFrame(model.coefs_of(np.asarray(self.params)), index=model.stages, columns=model.columns)

    def _held(self, terms: Sequence[str]) -> NDArray[np.bool_]:
        model = self.model
        of_columns = [name in terms for name in model.columns[1:]]
        if model.parallel:
            return np.array([*[False] * len(model.stages), *of_columns])
        return np.tile([False, *of_columns], self._stages_of_fit())

    def _stages_of_fit(self) -> int:
        """Number of stages with separate slopes that are fitted together."""
        return len(self.model.stages) // len(self._fits)

    def _span(self, combinations: Array) -> Array:
        if not self.model.parallel:
            return np.asarray(np.kron(np.eye(self._stages_of_fit()), combinations), dtype=np.float64)
        n = len(self.model.stages)
        constants = np.column_stack([np.eye(n), np.tile(combinations[0, 1:], (n, 1))])
        return np.vstack([constants, np.column_stack([np.zeros((len(combinations) - 1, n)), combinations[1:, 1:]])])

    def _parallel_df(self, stage: str) -> float:
        """Degrees of freedom of a test of parallel slopes; `stage` is what the model calls a stage."""
        n_stages, n_slopes = len(self.model.stages), len(self.model.columns) - 1
        df = (n_stages - 1) * n_slopes
        if not df:
            raise InputError(
                f"a test of parallel slopes needs two {stage}s and one column besides the constant; this model has "
                f"{counted(n_stages, stage)} and {counted(n_slopes, 'column')}."
            )
        return float(df)

    def _coefficients_of(self, columns: Sequence[int]) -> list[int]:
        model, n = self.model, len(self.model.stages)
        index = [model.columns.index(str(model.exog_names[column])) for column in columns]
        if not model.parallel:
            return [stage * len(model.columns) + k for stage in range(n) for k in index]
        # The constants of the stages come first, then one slope for each column.
        return [k for column in index for k in (range(n) if column == 0 else [n + column - 1])]

    @abstractmethod
    def _titles(self) -> tuple[str, str]:
        """Title of the summary, and what it says about the model."""

    def summary(self, alpha: float = 0.05) -> Summary:
        """Summary with a table of coefficients for each stage; intervals have level 1 - alpha."""
        _params.level(alpha, "alpha")
        model = self.model
        n = len(model.stages)
        if model.parallel:
            names = model._param_names()
            tables = [_summary.coefficients(names, self.params, self.bse, alpha, "all stages")]
        else:
            rows = zip(self.params.reshape(n, -1), self.bse.reshape(n, -1), strict=True)
            tables = [
                _summary.coefficients(model.columns, estimate, se, alpha, model.stage_name(stage))
                for stage, (estimate, se) in enumerate(rows)
            ]
        title, name = self._titles()
        left = [
            ("Dep. Variable:", str(model.endog_names)),
            ("Model:", name),
            ("Method:", "Firth" if model.penalty else "MLE"),
            ("Slopes:", "parallel" if model.parallel else "separate"),
            ("converged:", str(self.converged)),
        ]
        right = [
            ("No. Observations:", _summary.number(self.nobs)),
            ("Df Residuals:", _summary.number(self.df_resid)),
            ("Log-Likelihood:", f"{self.llf_unpenalized:.5g}"),
            ("AIC:", f"{self.aic:.5g}"),
            ("BIC:", f"{self.bic:.5g}"),
        ]
        summary = Summary()
        summary.tables = [_summary.head(title, left, right, _summary.width_of(tables)), *tables]
        stages = [f"{label}: {model.stage_name(k)}" for k, label in enumerate(model.stages)] if model.parallel else []
        summary.add_extra_txt(
            [
                *stages,
                *([aliased_note(model.left_out)] if model.left_out else []),
                *(["Log-likelihood and AIC are without the penalty."] if model.penalty else []),
                *([f"Standard errors are robust ({self.cov_type})."] if self.cov_type != "nonrobust" else []),
                *([f"Not all estimates are finite: {self.reason}; use penalty='firth'."] if self.separated else []),
            ]
        )
        return summary
