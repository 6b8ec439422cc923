"""Multinomial logistic regression by a separate binary fit of each class against the baseline."""

from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import softmax
from statsmodels.iolib.summary import Summary

from pwcstats import _params, _summary
from pwcstats._arrays import Array, as_float
from pwcstats._results import Result
from pwcstats._text import listed, shown
from pwcstats.errors import InputError, arg
from pwcstats.logit import reading
from pwcstats.logit.binary import Fit, fit_binary, warn_about
from pwcstats.logit.likelihood import MultinomialLikelihood
from pwcstats.logit.maximum import MAXITER

__all__ = ["IndividualizedResults", "individualized_mnlogit"]


def individualized_mnlogit(
    endog: Any,
    exog: Any,
    baseline: Any = 0,
    penalty: Literal["firth"] | None = None,
    *,
    freq_weights: Any = None,
    maxiter: int = MAXITER,
    aliased: Literal["raise", "drop"] = "raise",
    warn_convergence: bool = True,
) -> "IndividualizedResults":
    r"""Multinomial logistic regression by separate binary fits (Begg and Gray).

    A binary logistic regression compares each class with the baseline, using only the rows of these two classes.

    Parameters
    ----------
    endog : array-like
        Classes: numbers, strings or a Categorical.
    exog : array-like
        Design matrix. As in statsmodels, a constant is not added.
    baseline : label or int
        Label of the baseline or, if no class has this label, its index among the sorted classes.
    penalty : {None, "firth"}
        Maximum likelihood, or Jeffreys' penalty in each binary fit.
    freq_weights : array-like, optional
        How many times each row counts: real numbers; 0 leaves a row out.
    maxiter : int
        Maximal number of Newton steps.
    aliased : {"raise", "drop"}
        What to do if a column is constant, or a combination of the columns before it, among the rows of two classes:
        raise an error, or leave it out of this fit as in R's ``glm``. Its coefficient is then 0, without a standard
        error.
    warn_convergence : bool
        Whether to warn about fits that are separated or did not converge.

    Returns
    -------
    IndividualizedResults

    See Also
    --------
    FirthMNLogit : Joint fit of all classes.

    Notes
    -----
    The model is the multinomial logit, :math:`\log P(Y=j|x) / P(Y=0|x) = x^\top \beta_j`. Each binary fit estimates
    its :math:`\beta_j` consistently, and almost as efficiently as the joint fit [1]_. The estimates differ from those
    of the joint fit, and the probabilities depend on the choice of the baseline: :math:`p_0 = 1 / (1 + \sum_j
    \exp(x^\top \beta_j))` and :math:`p_j = p_0 \exp(x^\top \beta_j)`.

    References
    ----------
    .. [1] C. B. Begg and R. Gray, "Calculation of polychotomous logistic regression parameters using individualized
       regressions", Biometrika 71, 11-18, 1984. https://doi.org/10.1093/biomet/71.1.11

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats import individualized_mnlogit
    >>> x = pd.DataFrame({"const": 1.0, "x": [1, 2, 3, 4, 5, 6, 7, 8, 9]})
    >>> res = individualized_mnlogit(list("aabababcc"), x, baseline="a", penalty="firth")
    >>> res.params.round(3)
               b      c
    const -1.606 -4.112
    x      0.338  0.619
    """
    _params.optional_choice(penalty, ("firth",), "penalty")
    drop = _params.choice(aliased, ("raise", "drop"), "aliased") == "drop"
    maxiter = _params.count(maxiter, "maxiter")
    warn = _params.flag(warn_convergence, "warn_convergence")
    reading.check_aligned(exog, endog=endog, freq_weights=freq_weights)
    code, labels = reading.read_nominal(endog)
    code = np.asarray(code, dtype=np.float64)
    frame = reading.read_frame(exog, len(code))
    reading.check_no_missing(frame, code, {"freq_weights": freq_weights})
    code = code.astype(np.int64)
    weight = reading.read_weights(freq_weights, len(code))
    reading.check_classes(code, weight, list(labels))
    base = _baseline_index(labels, baseline)
    names = list(map(str, frame.columns))
    x = np.ascontiguousarray(frame.to_numpy(dtype=np.float64))
    fits = {}
    for k, label in enumerate(labels):
        if k != base:
            rows = ((code == k) | (code == base)) & (weight > 0.0)
            fits[label] = fit_binary(
                x[rows], (code[rows] == k).astype(np.int64), weight[rows], penalty == "firth", names,
                f" in class {shown(label)} against {shown(labels[base])}", maxiter, drop,
            )  # fmt: skip
    if warn:
        warn_about(fits.values())
    order = [base, *(k for k in range(len(labels)) if k != base)]
    joint = MultinomialLikelihood(x, np.argsort(order)[code], weight, None, len(labels), False, lambda: names)
    return IndividualizedResults(fits, frame[weight > 0.0], labels, base, penalty, joint)


def _baseline_index(labels: pd.Index, baseline: Any) -> int:
    if baseline not in labels and isinstance(baseline, (int, np.integer)) and 0 <= baseline < len(labels):
        return int(baseline)
    return _params.index_of(baseline, labels, "baseline", "classes")


class IndividualizedResults(Result):
    """Results of :func:`individualized_mnlogit`.

    Attributes
    ----------
    params, bse, tvalues, pvalues : DataFrame
        Coefficients, standard errors, z statistics and Wald p-values of the binary fits: columns x classes.
    llf, aic, bic : float
        Log-likelihood of the multinomial model at these coefficients (lower than that of the joint fit), and criteria
        from it; NaN if two classes have infinite coefficients.
    nobs, df_model : float
        Number of rows, or the sum of their weights, and number of coefficients.
    labels, baseline : Index, label
        Classes and baseline.
    separated : bool
        Whether some coefficients are infinite because the rows of two classes are separated.
    converged : bool
        Whether all fits converged.
    converged_by_class, n_iter, reason : Series
        For each fit: whether it converged, the number of steps, and why it did not converge (empty if it did).
    """

    def __init__(
        self,
        fits: dict[Any, Fit],
        frame: pd.DataFrame,
        labels: pd.Index,
        base: int,
        penalty: str | None,
        joint: MultinomialLikelihood,
    ) -> None:
        self._fits, self._columns, self._joint = fits, frame.columns, joint
        self._rows = frame.index
        self.labels, self.baseline, self.penalty = labels, labels[base], penalty
        self.params = self._frame({label: fit.beta for label, fit in fits.items()})
        self.bse = self._frame({label: np.sqrt(np.diagonal(fit.cov)) for label, fit in fits.items()})
        self._limit = np.column_stack([fit.limit for fit in fits.values()])
        # The data do not tell which of two classes with infinite coefficients is more probable.
        self._infinite = [label for label, fit in fits.items() if fit.infinite.any()]
        self.separated = bool(self._infinite)
        self.llf = joint.at(self._limit.ravel(order="F")).llf if len(self._infinite) < 2 else float("nan")
        self.nobs = float(joint.sample.weight.sum())
        self.df_model = float(sum(fit.kept.sum() for fit in fits.values()))
        self.converged = all(fit.converged for fit in fits.values())
        self.converged_by_class = pd.Series({label: fit.converged for label, fit in fits.items()})
        self.n_iter = pd.Series({label: fit.n_iter for label, fit in fits.items()})
        self.reason = pd.Series({label: fit.reason for label, fit in fits.items()})

    def _frame(self, columns: dict[Any, Array]) -> pd.DataFrame:
        return pd.DataFrame(columns, index=self._columns)

    @property
    def tvalues(self) -> pd.DataFrame:
        """Estimates divided by their standard errors; missing if both are infinite."""
        return self.params / self.bse

    @property
    def pvalues(self) -> pd.DataFrame:
        """Two-sided Wald p-values."""
        return self.tvalues.abs().apply(lambda z: pd.Series(2.0 * stats.norm.sf(z), index=z.index))

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return 2.0 * (self.df_model - self.llf)

    @property
    def bic(self) -> float:
        """Schwarz's criterion."""
        return float(np.log(self.nobs)) * self.df_model - 2.0 * self.llf

    def conf_int(self, alpha: float = 0.05) -> pd.DataFrame:
        """Wald intervals, one row per class and column; intervals of infinite estimates are unbounded.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.

        Returns
        -------
        DataFrame
            Lower and upper bounds, in columns 0 and 1 as in statsmodels.
        """
        half = float(stats.norm.isf(_params.level(alpha, "alpha") / 2.0)) * self.bse.to_numpy().ravel(order="F")
        estimate = self.params.to_numpy().ravel(order="F")
        estimate = np.where(np.isinf(half), 0.0, estimate)
        index = pd.MultiIndex.from_product([self.params.columns, self._columns])
        return pd.DataFrame({0: estimate - half, 1: estimate + half}, index=index)

    def cov_params(self, label: Any) -> pd.DataFrame:
        """Covariance matrix of the coefficients of one class."""
        _params.index_of(label, self.params.columns, "label", "classes")
        return pd.DataFrame(self._fits[label].cov, index=self._columns, columns=self._columns)

    def predict(self, exog: Any = None) -> pd.DataFrame:
        """Probabilities of all classes.

        Parameters
        ----------
        exog : array-like, optional
            New rows, with the columns of the fit; by default the rows of the fit with positive weight.

        Returns
        -------
        DataFrame
            One column per class.
        """
        if len(self._infinite) > 1:
            raise InputError(
                f"the coefficients of {listed(self._infinite)} are infinite, so the data do not tell which of these "
                f"classes is more probable; use {arg('penalty', 'firth')}."
            )
        index: Any = self._rows
        if exog is None:
            flat = self._joint.params(self._limit.ravel(order="F"))
            predictor = self._joint.sample.x @ flat.reshape(-1, len(self._columns)).T
        else:
            index = exog.index if isinstance(exog, pd.DataFrame) else None
            if isinstance(exog, pd.DataFrame) and set(self._columns) <= set(exog.columns):
                exog = exog[list(self._columns)]
            x = as_float(exog, "exog")
            x = x.reshape(-1, len(self._columns)) if x.ndim == 1 and x.size % len(self._columns) == 0 else x
            predictor = reading.read_new_rows(x, list(map(str, self._columns)), self._limit, False) @ self._limit
        full = np.column_stack([np.zeros(len(predictor)), predictor])
        # Labels may be True and False, which pandas would take for a mask.
        order = pd.Index([self.baseline, *self.params.columns]).get_indexer(self.labels)
        return pd.DataFrame(softmax(full, axis=1)[:, order], index=index, columns=self.labels)

    def tidy(self, alpha: float = 0.05, exponentiate: bool = False) -> pd.DataFrame:
        """One row per class and coefficient, with broom's columns in snake case.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.
        exponentiate : bool
            Whether estimates and bounds are odds ratios instead of their logarithms. Standard errors and tests remain
            those of the coefficients, as in broom.

        Returns
        -------
        DataFrame
        """
        _params.flag(exponentiate, "exponentiate")
        bounds = self.conf_int(alpha)
        estimate, se, z, p = (
            frame.to_numpy().ravel(order="F") for frame in (self.params, self.bse, self.tvalues, self.pvalues)
        )
        level, term = (list(bounds.index.get_level_values(k)) for k in (0, 1))
        table = _summary.tidy_coefficients(term, estimate, se, z, p, bounds.to_numpy(), exponentiate)
        table.insert(0, "y_level", level)
        return table

    def glance(self) -> pd.DataFrame:
        """One row about the fit, with broom's columns in snake case."""
        return pd.DataFrame(
            [
                {
                    "log_lik": self.llf,
                    "aic": self.aic,
                    "bic": self.bic,
                    "df": self.df_model,
                    "nobs": self.nobs,
                    "converged": self.converged,
                    "n_iter": int(self.n_iter.sum()),
                }
            ]
        )

    def summary(self, alpha: float = 0.05) -> Summary:
        """Summary with a table of coefficients for each class; intervals have level 1 - alpha."""
        _params.level(alpha, "alpha")
        tables = [
            _summary.coefficients(
                list(map(str, self._columns)),
                self.params[label].to_numpy(),
                self.bse[label].to_numpy(),
                alpha,
                f"{label} against {self.baseline}",
            )
            for label in self.params.columns
        ]
        left = [
            ("Model:", "individualized MNLogit"),
            ("Method:", "Firth" if self.penalty else "MLE"),
            ("Baseline:", str(self.baseline)),
        ]
        right = [
            ("No. Observations:", _summary.number(self.nobs)),
            ("Log-Likelihood:", f"{self.llf:.5g}"),
            ("AIC:", f"{self.aic:.5g}"),
        ]
        summary = Summary()
        title = "Individualized Multinomial Results"
        summary.tables = [_summary.head(title, left, right, _summary.width_of(tables)), *tables]
        return summary
