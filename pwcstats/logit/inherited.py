"""Helpers for classes that derive from statsmodels' models and results."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from statsmodels.stats.contrast import WaldTestResults

from pwcstats._results import Result
from pwcstats._text import listed
from pwcstats.errors import InputError, arg, code
from pwcstats.logit.aliased import refuse_aliased
from pwcstats.logit.formulas import columns_by_term


class UnavailableError(InputError, AttributeError):
    """What statsmodels' class has, but ours has not; the message names an alternative."""


class Unavailable:
    """Hides an inherited attribute that would be wrong: ``hasattr`` is False, and access raises with the reason."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def __get__(self, instance: Any, owner: Any = None) -> NoReturn:
        raise UnavailableError(self._reason)


class HidesUnavailable:
    """Mixed into models and results: ``dir`` does not list what is unavailable, so that Tab does not offer it."""

    def __dir__(self) -> Iterable[str]:
        attributes: dict[str, Any] = {}
        for kind in reversed(type(self).__mro__):
            attributes.update(vars(kind))
        return [name for name in super().__dir__() if not isinstance(attributes.get(name), Unavailable)]


class StatsmodelsResult(HidesUnavailable, Result):
    """Mixed into statsmodels results: the contract of our results."""

    model: Any

    @abstractmethod
    def _is_slope(self) -> NDArray[np.bool_]:
        """Which coefficients are slopes, in the order of `tidy`; the others are constants or thresholds."""

    def odds_ratios(self, alpha: float = 0.05, method: Literal["wald", "profile"] = "wald") -> pd.DataFrame:
        """Odds ratios: exponentials of the slopes, with intervals and p-values.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.
        method : {"wald", "profile"}
            Wald intervals and tests, or profile intervals and likelihood-ratio tests.

        Returns
        -------
        DataFrame
            One row for each slope, with the columns `odds_ratio`, `conf_low`, `conf_high` and `p_value`. Constants and
            thresholds are left out, because their exponentials are odds and not ratios; ``tidy(exponentiate=True)`` has
            them. A ratio compares a column one unit larger with the column as it is, other columns being the same. With
            several classes, the odds are those of a class against the baseline, in ordinal models those of the stage,
            or of a class above any threshold.
        """
        table = self.tidy(alpha, method, exponentiate=True)  # type: ignore[call-arg]
        table = table[self._is_slope()].rename(columns={"estimate": "odds_ratio"})
        return table.set_index([name for name in ("y_level", "term") if name in table])[
            ["odds_ratio", "conf_low", "conf_high", "p_value"]
        ]

    def t_test_pairwise(self, term_name: str, *args: Any, **kwargs: Any) -> Any:
        """Pairwise comparisons of the levels of a factor, as in statsmodels; the model must be from a formula."""
        if not hasattr(self.model, "formula"):
            raise InputError(
                f"{code('t_test_pairwise')} needs a model from a formula; use {code('from_formula')}, or "
                f"{code('t_test')} with a matrix of contrasts."
            )
        return super().t_test_pairwise(term_name, *args, **kwargs)  # type: ignore[misc]


class SeveralEquations(ABC):
    """Mixed into results with several coefficients for each column, for which statsmodels' tests of terms are wrong."""

    model: Any
    params: Any

    @abstractmethod
    def _coefficients_of(self, columns: Sequence[int]) -> list[int]:
        """Indices of the coefficients of some columns of the design, among all coefficients."""

    def wald_test_terms(
        self, skip_single: bool = False, extra_constraints: Any = None, combine_terms: Any = None, scalar: bool = True
    ) -> WaldTestResults:
        """Wald tests that all coefficients of a term are 0, in all equations.

        Parameters
        ----------
        skip_single : bool
            Whether to leave out terms of one coefficient.
        extra_constraints : list of tuple, optional
            Names and matrices of further tests; the matrices have a column for each coefficient.
        combine_terms : list of str, optional
            Terms whose names contain one of these strings are also tested together.
        scalar : bool
            Whether statistics are numbers, as they always are here.

        Returns
        -------
        WaldTestResults
            Its `table` has the statistics, p-values and degrees of freedom.
        """
        refuse_aliased(self.model, code("wald_test_terms"))
        terms = {name: self._coefficients_of(columns) for name, columns in columns_by_term(self.model).items()}
        tests = {name: part for name, part in terms.items() if part and not (skip_single and len(part) == 1)}
        for text in combine_terms or []:
            tests[text] = [k for name, part in terms.items() if text in name for k in part]
            if not tests[text]:
                raise InputError(f"{arg('combine_terms')} must be in names of terms, {listed(terms)}, got {text!r}.")
        identity, cov = np.eye(np.size(self.params)), np.asarray(self.cov_params())  # type: ignore[attr-defined]
        # Coefficients of columns that were left out are 0, without a variance; they do not count.
        tests = {name: [k for k in part if not np.isnan(cov[k, k])] for name, part in tests.items()}
        cov = np.nan_to_num(cov, nan=0.0, posinf=np.inf)
        rows = {}
        for name, matrix in [*((name, identity[part]) for name, part in tests.items()), *(extra_constraints or [])]:
            test = self.wald_test(matrix, cov_p=cov, scalar=True)  # type: ignore[attr-defined]
            rows[name] = [float(test.statistic), float(test.pvalue), int(test.df_denom)]
        table = pd.DataFrame.from_dict(rows, orient="index", columns=["statistic", "pvalue", "df_constraint"])
        return WaldTestResults(None, "chi2", None, table=table)

    t_test_pairwise = Unavailable(
        f"statsmodels' pairwise tests are for one equation only; use {code('t_test')} with a matrix of contrasts, or "
        f"{code('wald_test_terms')}."
    )


class PrintedWrapper:
    """Mixed into statsmodels' wrappers of results, which users see: they print as the results do."""

    _results: Result

    def __repr__(self) -> str:
        return repr(self._results)
