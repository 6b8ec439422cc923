"""Tests and intervals by the penalised likelihood: what the binary and the multinomial model share."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from scipy.linalg import block_diag

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._results import TestResult
from pwcstats._summary import tidy_coefficients
from pwcstats._text import listed, named
from pwcstats.errors import ConvergenceWarning, InputError, arg, code, warn
from pwcstats.logit.inherited import StatsmodelsResult
from pwcstats.logit.likelihood import MultinomialLikelihood
from pwcstats.logit.maximum import Point
from pwcstats.logit.nested import combinations_of, compare, other_fit, smaller_fit
from pwcstats.logit.profiles import (
    fall,
    profile_bounds,
    profile_curves,
    profile_table,
    signed_roots,
    single_tests,
)
from pwcstats.logit.reading import aliased_columns
from pwcstats.logit.robust import check_nonrobust


class PenalizedInference(StatsmodelsResult):
    """Mixed into statsmodels results, whose tests and intervals may use the penalised likelihood."""

    params: Array
    bse: Array
    tvalues: Array
    pvalues: Array
    correction: str | None = None
    # The likelihood of the data with the pseudo-observations of FLAC; their indicator is the last column.
    _augmented: MultinomialLikelihood | None = None
    _best: Point
    _hard: bool

    @property
    def _likelihood(self) -> MultinomialLikelihood:
        """The likelihood of tests and profiles, of which `_best` is the maximum."""
        return self.model._likelihood if self._augmented is None else self._augmented

    def _null_of(self, likelihood: MultinomialLikelihood) -> Point:
        """The maximum with all coefficients but the constants, and the indicator of FLAC, at 0."""
        held = np.ones((likelihood.n_rest, likelihood.n_columns), np.bool_)
        held[:, self.model.exog.shape[1] :] = False
        if self.model._constant is not None:
            held[:, self.model._constant] = False
        return likelihood.held_at(np.zeros(held.size), held.ravel(), self._hard)

    def lr_test(self, term: Any = None) -> TestResult:
        """Penalised likelihood-ratio test that coefficients are 0.

        The columns of these coefficients stay in the penalty, as in R's logistf, so that the two likelihoods can be
        compared. After FLAC, the test is that of the augmented data. FLIC changes the intercept only, so that tests of
        other columns are those of the fit without correction.

        Parameters
        ----------
        term : str, int, list of them, or another fit, optional
            Columns by name or index, or terms of the formula; by default all columns but the constant. Another fit must
            be of the same model and the same rows. The columns of one of the two must be combinations of those of the
            other. Both then have the penalty of the larger model, as in ``anova(method = "nested")`` of R's logistf.

        Returns
        -------
        TestResult
        """
        self._check_likelihood("A likelihood-ratio test")
        other = other_fit(term, PenalizedInference)
        if other is not None:
            return compare(self, other)
        model, likelihood = self.model, self._likelihood
        if term is None:
            columns = [k for k in range(model.exog.shape[1]) if k != model._constant]
            point = self._null_of(likelihood)
        else:
            terms = term if isinstance(term, (list, tuple, pd.Index, np.ndarray)) else [term]
            columns = sorted({k for one in terms for k in model._columns_of(one)})
            every = list(model.data.every if model.left_out else model.exog_names)
            constant = None if model._constant is None else model.exog_names[model._constant]
            if self.correction == "flic" and constant in [every[k] for k in columns]:
                raise InputError(
                    f"FLIC's intercept {named(constant)} has no likelihood-ratio test: it "
                    f"maximises another likelihood than the slopes. Use {code('t_test')}, or fit without correction."
                )
            if model.left_out:
                return self._test_without(columns)
            held = np.zeros((likelihood.n_rest, likelihood.n_columns), np.bool_)
            held[:, columns] = True
            beta = np.where(held.ravel(), 0.0, likelihood.beta(self._best.params))
            point = likelihood.held_at(beta, held.ravel(), self._hard)
        if not columns:
            raise InputError(f"{arg('term')} has no column, so there is nothing to test; name one at least.")
        names = [str(model.exog_names[k]) for k in columns]
        df = len(columns) * likelihood.n_rest
        estimate = float(np.ravel(self.params)[columns[0]]) if df == 1 else None
        null = f"the coefficients of {listed(names)} are 0" if df > 1 else f"the coefficient of {names[0]} is 0"
        return self._tested(point, df, null, estimate)

    def _test_without(self, columns: Sequence[int]) -> TestResult:
        """Test of the columns of a term if there are aliased columns, which may take the place of the term."""
        model = self.model
        rest = np.delete(model.all_exog, columns, axis=1)
        counts = model._weight > 0.0
        r = np.asarray(np.linalg.qr(rest[counts], mode="r"))
        gone = aliased_columns(r, np.linalg.norm(rest[counts], axis=0), rest.shape[1]) if rest.shape[1] else []
        combinations = combinations_of(model.exog[counts], np.delete(rest, gone, axis=1)[counts])
        names = [model.data.every[k] for k in columns]
        n_tested = combinations.shape[0] - combinations.shape[1]
        if not n_tested:
            raise InputError(
                f"without {listed(names)} the model is the same, because other columns take their place; there is "
                "nothing to test."
            )
        likelihood, span = self._likelihood, self._span(combinations)
        start = span @ np.linalg.lstsq(span, likelihood.beta(self._best.params), rcond=None)[0]
        point = likelihood.nested_at(start, span, self._hard)
        return self._tested(point, n_tested * likelihood.n_rest, f"the coefficients of {listed(names)} are 0", None)

    def _span(self, combinations: Array) -> Array:
        """Coefficients of all classes, and of the augmented data, if the columns are combinations of others."""
        span = np.kron(np.eye(self._likelihood.n_rest), combinations)
        return np.asarray(span if self._augmented is None else block_diag(span, 1.0), np.float64)

    def _constrained_test(self, smaller: Any, combinations: Array) -> TestResult:
        """Test of a smaller fit, whose columns are combinations of the columns of this fit."""
        likelihood, span = self._likelihood, self._span(combinations)
        start = span @ smaller._likelihood.beta(smaller._best.params)
        point = likelihood.nested_at(start, span, self._hard)
        df = span.shape[0] - span.shape[1]
        return self._tested(point, df, smaller_fit(smaller.model), None)

    def _tested(self, point: Point, df: int, null: str, estimate: float | None) -> TestResult:
        """The likelihood-ratio test of a restricted maximum."""
        statistic = 2.0 * (self._best.value - point.value)
        if statistic < -1e-6:
            warn(
                ConvergenceWarning(
                    "the likelihood is higher under the null hypothesis, so the fit is not at the highest of several "
                    "maxima."
                )
            )
        statistic = max(statistic, 0.0)
        return TestResult(
            statistic=statistic,
            p_value=float(stats.chi2.sf(statistic, df)),
            df=float(df),
            estimate=estimate,
            method=self._test_name,
            null=null,
        )

    @property
    def _test_name(self) -> str:
        if self._augmented is not None:
            return "Likelihood-ratio test of the augmented data"
        return "Penalised likelihood-ratio test" if self.model.tau else "Likelihood-ratio test"

    def conf_int(self, alpha: float = 0.05, method: Literal["wald", "profile"] = "wald") -> pd.DataFrame | Array:
        """Confidence intervals of the coefficients.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.
        method : {"wald", "profile"}
            Wald intervals use the normal approximation. Profile intervals end where the penalised likelihood, maximised
            over all other coefficients, has fallen by half a quantile of the chi-squared distribution. After FLAC, the
            likelihood is that of the augmented data, as in R's logistf. FLIC changes the intercept only: the intervals
            of slopes are those of the fit without correction, and that of the intercept is Wald's, as in logistf.

        Returns
        -------
        DataFrame or ndarray
            Lower and upper bounds; for several classes, one class after the other.
        """
        _params.choice(method, ("wald", "profile"), "method")
        level = _params.level(alpha, "alpha")
        if method == "wald":
            return super().conf_int(alpha=level)  # type: ignore[misc]
        self._check_likelihood("A profile interval")
        bounds = profile_bounds(self._likelihood, self._best, fall(level))[: self.params.size]
        if self.correction == "flic":
            bounds[self.model._constant] = np.asarray(self.conf_int(level))[self.model._constant]
        return bounds if self.params.ndim == 1 else bounds.reshape(self.params.shape[1], -1, 2)

    def profile(self, alpha: float = 0.01, n_points: int = 10) -> pd.DataFrame:
        """Profile likelihood of each coefficient, to draw it or to see whether a Wald interval is good enough.

        Parameters
        ----------
        alpha : float
            The profiles end at the bounds of intervals of level 1 - alpha.
        n_points : int
            Number of points on each side of the estimate.

        Returns
        -------
        DataFrame
            One row for each point: the profiled coefficient and the signed root z of its penalised likelihood-ratio
            statistic are the index, and the values of all coefficients are the columns. The roots are equally spaced.
            After FLAC, the likelihood is that of the augmented data. After FLIC, the profiles are those of the fit
            without correction, and the intercept has none.
        """
        z = signed_roots(_params.level(alpha, "alpha"), _params.count(n_points, "n_points"))
        self._check_likelihood("A profile")
        names = list(map(str, self.model.exog_names))
        if self.params.ndim > 1:
            names = [f"{label}:{name}" for label in self.model.class_labels[1:] for name in names]
        n = self.params.size
        table = profile_table(names, z, profile_curves(self._likelihood, self._best, z)[:n, :, :n])
        return table.drop(index=names[self.model._constant], level=0) if self.correction == "flic" else table

    def tidy(
        self, alpha: float = 0.05, method: Literal["wald", "profile"] = "wald", exponentiate: bool = False
    ) -> pd.DataFrame:
        """One row per coefficient, with broom's columns in snake case.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.
        method : {"wald", "profile"}
            Wald intervals and tests, or profile intervals and penalised likelihood-ratio tests. FLIC's intercept has
            Wald's in both cases; the statistic is then the square of z.
        exponentiate : bool
            Whether estimates and bounds are odds ratios instead of their logarithms. Standard errors and tests remain
            those of the coefficients, as in broom.

        Returns
        -------
        DataFrame
        """
        _params.flag(exponentiate, "exponentiate")
        bounds = np.asarray(self.conf_int(alpha, method)).reshape(-1, 2)
        names, n_rest = list(self.model.exog_names), len(self.model.class_labels) - 1
        statistic, p_value = np.ravel(self.tvalues, order="F"), np.ravel(self.pvalues, order="F")
        if method == "profile":
            tests = np.array(single_tests(self._likelihood, self._best, self._hard))[:, : self.params.size]
            if self.correction == "flic":
                tests[:, self.model._constant] = statistic[self.model._constant] ** 2, p_value[self.model._constant]
            statistic, p_value = tests
        estimate, se = np.ravel(self.params, order="F"), np.ravel(self.bse, order="F")
        table = tidy_coefficients(names * n_rest, estimate, se, statistic, p_value, bounds, exponentiate)
        model = self.model
        if model.left_out:
            wide = table.reindex(np.where(self._rows_kept, np.cumsum(self._rows_kept) - 1, -1))
            table, names = wide.reset_index(drop=True), list(model.data.every)
            table["term"] = names * n_rest
        if self.params.ndim > 1:
            table.insert(0, "y_level", np.repeat(model.class_labels[1:], len(names)))
        return table

    @property
    def _rows_kept(self) -> NDArray[np.bool_]:
        """Which coefficients are not missing, in the order of `tidy`."""
        model = self.model
        is_kept = model.data.is_kept if model.left_out else np.ones(model.exog.shape[1], np.bool_)
        return np.tile(is_kept, len(model.class_labels) - 1)

    def _is_slope(self) -> NDArray[np.bool_]:
        one = np.arange(self.model.exog.shape[1]) != self.model._constant
        is_slope = np.ones(len(self._rows_kept), np.bool_)
        is_slope[self._rows_kept] = np.tile(one, len(self.model.class_labels) - 1)
        return is_slope

    def _check_likelihood(self, what: str) -> None:
        if self.model._likelihood is None:
            raise InputError(f"{what} needs the data, which {code('remove_data')} has removed; fit again.")
        check_nonrobust(self, what)
