"""Columns of any units, made comparable for machines and k-means."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.sparsefuncs import mean_variance_axis, min_max_axis
from sklearn.utils.validation import check_is_fitted, validate_data

from pwcstats._arrays import Array


class Standardizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Centre each column and divide it by its standard deviation, as R's ``scale()`` and ``svm()`` of e1071 do.

    scikit-learn's ``StandardScaler`` divides by the standard deviation with divisor n; here the divisor is n - 1.
    Constant columns are centred, but not divided. Sparse columns are divided, but not centred.

    Attributes
    ----------
    center_, scale_ : ndarray
        What is subtracted from each column, and what it is divided by.
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Array | None = None) -> "Standardizer":
        """Compute the means and standard deviations of the columns; a weight of 2 is a row that is there twice.

        Weights whose mean is below 1 cannot be numbers of rows, and n is the number of rows then.
        """
        x = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        weight = np.ones(x.shape[0]) if sample_weight is None else sample_weight
        x, weight = x[weight > 0.0], weight[weight > 0.0]
        n = max(weight.sum(), float(len(weight)))
        factor = n / (n - 1.0) if n > 1.0 else 1.0
        if sparse.issparse(x):
            low, high = min_max_axis(x, axis=0)
            self.center_ = np.zeros(x.shape[1])
            deviation = np.sqrt(mean_variance_axis(x, axis=0, weights=weight)[1] * factor)
        else:
            low, high = x.min(axis=0), x.max(axis=0)
            # The average of equal numbers may differ from them by rounding.
            self.center_ = np.where(high > low, np.average(x, axis=0, weights=weight), low)
            # Squares of shares of the range neither overflow nor vanish.
            size = np.where(high > low, high - low, 1.0)
            squares = ((x - self.center_) / size) ** 2
            deviation = size * np.sqrt(np.average(squares, axis=0, weights=weight) * factor)
        self.scale_ = np.where((high > low) & (deviation > 0.0), deviation, 1.0)
        return self

    def transform(self, X: Any) -> Any:
        """Standardised columns."""
        check_is_fitted(self)
        x = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        if sparse.issparse(x):
            return x @ sparse.diags_array(1.0 / self.scale_, format="csr")
        return (x - self.center_) / self.scale_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
