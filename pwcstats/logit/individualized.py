"""A multinomial model from one binary fit for each class against the baseline."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import softmax
from statsmodels.iolib.summary import Summary

from pwcstats import _params, _summary
from pwcstats._arrays import Array, as_float
from pwcstats._text import listed, shown
from pwcstats.errors import InputError
from pwcstats.logit import reading as designs
from pwcstats.logit.binary import BinaryFit, fit_binary, warn_of
from pwcstats.logit.likelihood import MAX_ITER, MultinomialLikelihood

__all__ = ["IndividualizedResults", "individualized_mnlogit"]


def individualized_mnlogit(
    endog: Any,
    exog: Any,
    baseline: Any = 0,
    penalty: str | None = None,
    *,
    freq_weights: Any = None,
    maxiter: int = MAX_ITER,
    aliased: str = "raise",
) -> "IndividualizedResults":
    r"""Multinomial logistic regression from k binary fits (Begg and Gray).

    Each class is compared with the baseline among the rows of the two, by a binary logistic regression.

    Parameters
    ----------
    endog : array-like
        Classes: numbers, words or a Categorical.
    exog : array-like
        Columns of the design; a constant is not added, as in statsmodels.
    baseline : label or int
        The class that the others are compared with: its label or, if no class has that label, its place among the
        sorted classes.
    penalty : {None, "firth"}
        Maximum likelihood, or Jeffreys' penalty in each binary fit.
    freq_weights : array-like, optional
        How many times each row counts; real numbers, 0 leaves a row out.
    maxiter : int
        Newton steps before giving up.
    aliased : {"raise", "drop"}
        What to do where a column is constant, or a combination of those before, among the rows of two classes: an
        error, or leave it out there as R's ``glm`` does, its coefficient 0 without a standard error.

    Returns
    -------
    IndividualizedResults

    See Also
    --------
    FirthMNLogit : The joint fit.

    Notes
    -----
    The model is the multinomial one, :math:`\log P(Y=j|x) / P(Y=0|x) = x^\top \beta_j`, so that each binary
    fit estimates its :math:`\beta_j` consistently, nearly as efficiently as all together [1]_. The estimates are not
    those of the joint fit, nor are probabilities free of the choice of baseline. Probabilities are :math:`p_0 = 1 / (1
    + \sum_j \exp(x^\top \beta_j))` and :math:`p_j = p_0 \exp(x^\top \beta_j)`.

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
    penalty = None if penalty is None else _params.choice(penalty, ("firth",), "penalty")
    drop = _params.choice(aliased, ("raise", "drop"), "aliased") == "drop"
    maxiter = _params.count(maxiter, "maxiter")
    designs.refuse_misaligned(exog, endog=endog, freq_weights=freq_weights)
    code, labels = designs.read_nominal(endog)
    code = np.asarray(code, dtype=np.float64)
    frame = designs.read_frame(exog, len(code))
    designs.refuse_missing(frame, code, {"freq_weights": freq_weights}, "leave the row out")
    code = code.astype(np.int64)
    weight = designs.read_weights(freq_weights, len(code))
    designs.refuse_one_class(code, weight, list(labels))
    base = _place(labels, baseline)
    x = np.ascontiguousarray(frame.to_numpy(dtype=np.float64))
    fits = {}
    for place, label in enumerate(labels):
        if place != base:
            rows = ((code == place) | (code == base)) & (weight > 0.0)
            fits[label] = fit_binary(
                x[rows], (code[rows] == place).astype(np.int64), weight[rows], penalty == "firth",
                list(map(str, frame.columns)), f" in class {shown(label)} against {shown(labels[base])}", maxiter, drop,
            )  # fmt: skip
    warn_of(fits.values())
    order = [base, *(place for place in range(len(labels)) if place != base)]
    joint = MultinomialLikelihood(
        x, np.argsort(order)[code], weight, np.zeros(len(x)), len(labels), False, list(map(str, frame.columns))
    )
    return IndividualizedResults(fits, frame[weight > 0.0], labels, base, penalty, joint)


def _place(labels: pd.Index, baseline: Any) -> int:
    if baseline in labels:
        return _params.index_of(baseline, labels, "baseline", "classes")
    if isinstance(baseline, (int, np.integer)) and 0 <= baseline < len(labels):
        return int(baseline)
    return _params.index_of(baseline, labels, "baseline", "classes")


class IndividualizedResults:
    """Results of :func:`individualized_mnlogit`.

    Attributes
    ----------
    params, bse, tvalues, pvalues : DataFrame
        Coefficients, standard errors of the binary fits, their ratios and Wald's p-values: columns x classes.
    llf : float
        Log-likelihood of the multinomial model at these coefficients (below that of the joint fit); nan if those of
        two classes are infinite.
    nobs : float
        Rows, or the sum of their weights.
    converged, n_iter, reason : Series
        How each fit ended.
    """

    def __init__(
        self,
        fits: dict[Any, BinaryFit],
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
        # Of two infinite classes, nothing says which is the likelier.
        self._open = [label for label, fit in fits.items() if fit.infinite.any()]
        self.llf = joint.at(self._limit.ravel(order="F")).llf if len(self._open) < 2 else float("nan")
        self.nobs = float(joint.weight.sum())
        self._n_params = int(sum(fit.kept.sum() for fit in fits.values()))
        self.converged = pd.Series({label: fit.converged for label, fit in fits.items()})
        self.n_iter = pd.Series({label: fit.n_iter for label, fit in fits.items()})
        self.reason = pd.Series({label: fit.reason for label, fit in fits.items()})

    def _frame(self, columns: dict[Any, Array]) -> pd.DataFrame:
        return pd.DataFrame(columns, index=self._columns)

    @property
    def tvalues(self) -> pd.DataFrame:
        """Estimates divided by their standard errors; missing where both are infinite."""
        return self.params / self.bse

    @property
    def pvalues(self) -> pd.DataFrame:
        """Wald's two-sided p-values."""
        return self.tvalues.abs().apply(lambda z: pd.Series(2.0 * stats.norm.sf(z), index=z.index))

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return 2.0 * (self._n_params - self.llf)

    @property
    def bic(self) -> float:
        """Schwarz's criterion."""
        return float(np.log(self.nobs)) * self._n_params - 2.0 * self.llf

    def conf_int(self, alpha: float = 0.05) -> pd.DataFrame:
        """Wald's intervals, one row a class and column; those of infinite estimates are unbounded."""
        half = float(stats.norm.isf(_params.level(alpha, "alpha") / 2.0)) * self.bse.to_numpy().ravel(order="F")
        estimate = self.params.to_numpy().ravel(order="F")
        estimate = np.where(np.isinf(half), 0.0, estimate)
        index = pd.MultiIndex.from_product([self.params.columns, self._columns])
        return pd.DataFrame({"lower": estimate - half, "upper": estimate + half}, index=index)

    def cov_params(self, label: Any) -> pd.DataFrame:
        """Covariance of one class' coefficients."""
        _params.index_of(label, self.params.columns, "label", "classes")
        return pd.DataFrame(self._fits[label].cov, index=self._columns, columns=self._columns)

    def predict(self, exog: Any = None) -> pd.DataFrame:
        """Probabilities of all classes.

        Parameters
        ----------
        exog : array-like, optional
            New rows, with the columns of the fit; by default the rows of the fit that count.

        Returns
        -------
        DataFrame
        """
        if len(self._open) > 1:
            raise InputError(
                f"the coefficients of {listed(self._open)} are infinite, and nothing says which of these classes is "
                "the likelier; use penalty='firth'."
            )
        index: Any = self._rows
        if exog is None:
            flat = self._joint.params(self._limit.ravel(order="F"))
            predictor = self._joint.root @ flat.reshape(-1, len(self._columns)).T
        else:
            index = exog.index if isinstance(exog, pd.DataFrame) else None
            if isinstance(exog, pd.DataFrame) and set(self._columns) <= set(exog.columns):
                exog = exog[list(self._columns)]
            x = as_float(exog, "exog")
            x = x.reshape(-1, len(self._columns)) if x.ndim == 1 and x.size % len(self._columns) == 0 else x
            predictor = designs.read_new_rows(x, list(map(str, self._columns)), self._limit, False) @ self._limit
        full = np.column_stack([np.zeros(len(predictor)), predictor])
        # Labels may be True and False, by which pandas would choose rows.
        order = pd.Index([self.baseline, *self.params.columns]).get_indexer(self.labels)
        return pd.DataFrame(softmax(full, axis=1)[:, order], index=index, columns=self.labels)

    def tidy(self, alpha: float = 0.05) -> pd.DataFrame:
        """One row a coefficient with broom's columns in snake case."""
        bounds = self.conf_int(alpha)
        flat = {
            name: frame.to_numpy().ravel(order="F")
            for name, frame in (
                ("estimate", self.params),
                ("std_error", self.bse),
                ("statistic", self.tvalues),
                ("p_value", self.pvalues),
            )
        }
        return pd.DataFrame(
            {
                "y_level": bounds.index.get_level_values(0),
                "term": bounds.index.get_level_values(1),
                **flat,
                "conf_low": bounds["lower"].to_numpy(),
                "conf_high": bounds["upper"].to_numpy(),
            }
        )

    def summary(self, alpha: float = 0.05) -> Summary:
        """A table of coefficients for each class."""
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
