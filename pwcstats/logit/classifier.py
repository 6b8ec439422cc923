"""Firth's logistic regression as a scikit-learn classifier."""

from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._text import shown
from pwcstats.errors import InputError, arg
from pwcstats.logit import reading
from pwcstats.logit.firth import CORRECTIONS, FirthLogit
from pwcstats.logit.maximum import MAXITER
from pwcstats.logit.multinomial import FirthMNLogit

__all__ = ["FirthClassifier"]


class FirthClassifier(ClassifierMixin, BaseEstimator):
    r"""Logistic regression with Jeffreys' penalty (Firth's bias reduction), for pipelines of scikit-learn.

    The coefficients are finite for separated data, without a penalty parameter to tune. Two classes are fitted by
    :class:`FirthLogit`, more classes by :class:`FirthMNLogit`.

    Parameters
    ----------
    fit_intercept : bool
        Whether to add a constant.
    correction : {None, "flic", "flac"}
        Correction of the intercept, for two classes only; see :meth:`FirthLogit.fit`. Firth's penalty pulls
        probabilities towards one half. With a correction, the mean probability equals the share of the class.
    max_iter : int
        Maximal number of Newton steps.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients of the columns, in one row for two classes. For more classes, each column sums to 0 over the
        classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Constants, 0 if `fit_intercept` is False.
    aliased_ : list of int
        Indices of the columns that are constant, or linear combinations of the columns before them. Their coefficients
        are 0 before they are centred.
    results_ : FirthLogitResults or FirthMNLogitResults
        The results, with standard errors, tests and intervals: ``clf.results_.summary()``.
    n_iter_ : int
        Number of Newton steps.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray
        Names of the columns, if X had names.

    See Also
    --------
    FirthLogit, FirthMNLogit : The models, with formulas and offsets.
    sklearn.linear_model.LogisticRegression : Ridge and lasso penalties, whose size has to be chosen.

    Notes
    -----
    The penalty is invariant to the units of the columns, so scaling them does not change the probabilities [1]_.

    References
    ----------
    .. [1] D. Firth, "Bias reduction of maximum likelihood estimates", Biometrika 80, 27-38, 1993.
       https://doi.org/10.1093/biomet/80.1.27

    Examples
    --------
    >>> from pwcstats import FirthClassifier, datasets
    >>> data = datasets.load("endometrial").frame
    >>> clf = FirthClassifier().fit(data[["NV", "PI", "EH"]], data["HG"])
    >>> clf.coef_.round(2)
    array([[ 2.93, -0.03, -2.6 ]])
    >>> clf.results_.conf_int(method="profile").round(2).loc["NV"].tolist()
    [0.61, 7.85]
    """

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        correction: Literal["flic", "flac"] | None = None,
        max_iter: int = MAXITER,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.correction = correction
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "FirthClassifier":
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Classes, two or more.
        sample_weight : array-like of shape (n_samples,), optional
            How many times each row counts: real numbers; 0 leaves a row out.

        Returns
        -------
        FirthClassifier
            The fitted classifier.
        """
        _params.flag(self.fit_intercept, "fit_intercept")
        correction = _params.optional_choice(self.correction, CORRECTIONS, "correction")
        max_iter = _params.count(self.max_iter, "max_iter")
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        counts = np.ones(len(X), np.bool_) if weight is None else weight > 0.0
        self.classes_, code = np.unique(y[counts], return_inverse=True)
        n_classes = len(self.classes_)
        if n_classes < 2:
            seen = f" ({shown(self.classes_[0])})" if n_classes else ""
            raise InputError(
                f"{arg('y')} must have at least two classes with positive weight, got {n_classes} class{seen}."
            )
        if correction is not None and n_classes > 2:
            raise InputError(f"{arg('correction')} needs two classes, got {n_classes}; leave it out.")

        design = self._design(X[counts])
        self.aliased_ = self._find_aliased(design)
        kept = design.drop(columns=design.columns[[k + self.fit_intercept for k in self.aliased_]])
        weight = None if weight is None else weight[counts]
        if n_classes == 2:
            self.results_: Any = FirthLogit(code, kept, freq_weights=weight).fit(
                correction=self.correction, maxiter=max_iter
            )
        else:
            self.results_ = FirthMNLogit(code, kept, freq_weights=weight).fit(maxiter=max_iter)
        self.n_iter_ = self.results_.n_iter
        self._set_coefficients()
        return self

    def _design(self, X: Array) -> pd.DataFrame:
        """The columns with their names, and a constant before them."""
        names = getattr(self, "feature_names_in_", [f"x{k}" for k in range(X.shape[1])])
        design = pd.DataFrame(X, columns=names)
        if self.fit_intercept:
            design.insert(0, "const" if "const" not in design else "(const)", 1.0)
        return design

    def _find_aliased(self, design: pd.DataFrame) -> list[int]:
        """Indices of the columns of X that are constant or combinations of the columns before them."""
        x = design.to_numpy()
        aliased = reading.aliased_columns(np.asarray(np.linalg.qr(x, mode="r")), np.linalg.norm(x, axis=0), x.shape[1])
        if len(aliased) == x.shape[1]:
            raise InputError(f"all columns of {arg('X')} are 0; add a column, or set {arg('fit_intercept', True)}.")
        return [k - self.fit_intercept for k in aliased]

    def _set_coefficients(self) -> None:
        """Set the coefficients of all columns; those of several classes are centred."""
        params = np.asarray(self.results_.params).reshape(self._n_kept(), -1).T
        if len(self.classes_) > 2:
            params = np.vstack([np.zeros(params.shape[1]), params])
            params -= params.mean(axis=0)
        kept = np.setdiff1d(np.arange(self.n_features_in_), self.aliased_)
        self.coef_ = np.zeros((len(params), self.n_features_in_))
        self.coef_[:, kept] = params[:, int(self.fit_intercept) :]
        self.intercept_ = params[:, 0].copy() if self.fit_intercept else np.zeros(len(params))

    def _n_kept(self) -> int:
        return self.n_features_in_ + int(self.fit_intercept) - len(self.aliased_)

    def decision_function(self, X: Any) -> Array:
        """Linear predictors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        ndarray
            For two classes, of shape (n_samples,): the log odds of ``classes_[1]``. Otherwise one column per class.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        values = X @ self.coef_.T + self.intercept_
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        values = self.decision_function(X)
        return expit(_both_sides(values)) if values.ndim == 1 else np.asarray(softmax(values, axis=1))

    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of the probabilities, also where these are too small for a number.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        values = self.decision_function(X)
        return log_expit(_both_sides(values)) if values.ndim == 1 else np.asarray(log_softmax(values, axis=1))

    def predict(self, X: Any) -> Any:
        """Most probable classes; of equally probable ones, the first.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        values = self.decision_function(X)
        return self.classes_[(values > 0.0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)]


def _both_sides(values: Array) -> Array:
    return np.column_stack([-values, values])
