"""Nearest neighbours of two classes with biased distances, as in Hastie & Tibshirani's Figure 3."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats.errors import InputError, arg, code, value
from pwcstats.pairwise.data import Mask, check_several_classes, check_y_given

__all__ = ["BiasedNeighborsClassifier"]

# What "auto" means; the paper gives neither grid.
NEIGHBORS = (1, 3, 5, 7, 9, 11, 15, 21)
BIASES = tuple(np.linspace(-0.3, 0.3, 25).round(3).tolist())
# Far beyond any use; the exponential of a much larger bias would overflow.
LARGEST_BIAS = 100
# Distances are computed in pieces of about this many numbers.
PIECE = 2**22


class BiasedNeighborsClassifier(ClassifierMixin, BaseEstimator):
    r"""Nearest neighbours of two classes, with the distances to one class multiplied by a factor.

    The number of neighbours J and the factor are chosen by the leave-one-out error of the training rows. In a
    :class:`PairwiseClassifier` each pair so gets its own J and its own border, as in Hastie & Tibshirani's example of
    ten classes [1]_.

    Parameters
    ----------
    n_neighbors : "auto", int or sequence of int
        J, or candidates for it; "auto" means 1, 3, 5, 7, 9, 11, 15 and 21. Candidates that are not below the number of
        training rows are left out.
    bias : "auto", float or sequence of float
        Logarithm of the factor, or candidates for it; "auto" means 25 values from -0.3 to 0.3. With 0, distances are
        not biased. A positive bias favours the second class.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Sorted labels; distances to the first class are multiplied.
    n_neighbors_ : int
        The J that was chosen.
    bias_ : float
        The logarithm of the factor that was chosen.
    error_ : float
        Leave-one-out error of the training rows with these two.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray
        Names of the columns, if X had names.

    See Also
    --------
    PairwiseClassifier : Couples such learners of pairs into probabilities of several classes.
    sklearn.neighbors.KNeighborsClassifier : Nearest neighbours without a bias, for any number of classes.

    Notes
    -----
    The biased distance of x from the training row s is

    .. math:: \tilde d(x, x_s) = e^{b [y_s = 1]} \, \lVert x - x_s \rVert ,

    where [y_s = 1] is 1 for rows of the first class, and 0 otherwise. The probability of the first class is its share
    of the J rows with the smallest biased distances. If there is a choice, because several distances equal the J-th
    smallest, the probability is the mean of the shares that the two classes get if either comes first.

    J and b minimise the number of training rows that are misclassified by the other training rows; a probability of
    1/2 counts as half an error. Of equally good choices, the smallest absolute value of b is taken, and then the
    smallest J. All candidates are compared by one sort of the distances: the first class has at least m of the J
    neighbours if and only if its m-th nearest row is nearer, after the bias, than the (J - m + 1)-th nearest row of the
    second class.

    The paper says that the distances were biased, by about 7 % on average, and how many neighbours were used, but not
    which values were tried. The columns are not scaled.

    References
    ----------
    .. [1] Hastie, T. and Tibshirani, R. (1998). Classification by pairwise coupling. Annals of Statistics 26,
       451-471. https://doi.org/10.1214/aos/1028144844

    Examples
    --------
    >>> from pwcstats import BiasedNeighborsClassifier, PairwiseClassifier
    >>> from pwcstats.datasets import hastie_tibshirani_gaussians
    >>> sample = hastie_tibshirani_gaussians(random_state=1)
    >>> X, y = sample.data[sample.train], sample.target[sample.train]
    >>> clf = PairwiseClassifier(BiasedNeighborsClassifier()).fit(X, y)
    >>> one = clf.estimators_[0, 1]
    >>> one.n_neighbors_, one.bias_
    (11, -0.025)

    With a bias of its own for each pair, fewer new rows are misclassified:

    >>> new, truth = sample.data[~sample.train], sample.target[~sample.train]
    >>> plain = PairwiseClassifier(BiasedNeighborsClassifier(bias=0.0)).fit(X, y)
    >>> round(1 - clf.score(new, truth), 2), round(1 - plain.score(new, truth), 2)
    (0.14, 0.18)
    """

    def __init__(
        self,
        n_neighbors: Literal["auto"] | int | Sequence[int] = "auto",
        *,
        bias: Literal["auto"] | float | Sequence[float] = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.bias = bias

    def fit(self, X: Any, y: Any) -> "BiasedNeighborsClassifier":
        """Store the rows, and choose J and the bias.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Two classes.

        Returns
        -------
        BiasedNeighborsClassifier
            The fitted classifier.
        """
        check_y_given(y, self)
        x, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        classes = np.unique(y)
        check_several_classes(classes)
        if len(classes) > 2:
            raise InputError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(y)}, with {len(classes)} classes; use {code('PairwiseClassifier')} with this learner."
            )
        n_neighbors, biases = self._candidates(len(y))
        self.classes_, self._x, self._is_first = classes, x, y == classes[0]
        near = self._nearest(x, n_neighbors[-1], leave_out=True)
        errors = np.array([[_error(_share(*near, j, bias), self._is_first) for j in n_neighbors] for bias in biases])
        best, j = np.unravel_index(errors.argmin(), errors.shape)
        self.bias_, self.n_neighbors_, self.error_ = biases[best], n_neighbors[j], float(errors[best, j])
        return self

    def predict_proba(self, X: Any) -> Array:
        """Shares of the two classes among the neighbours.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            In the order of `classes_`.
        """
        check_is_fitted(self)
        x = validate_data(self, X, reset=False, dtype=np.float64)
        share = _share(*self._nearest(x, self.n_neighbors_), self.n_neighbors_, self.bias_)
        return np.column_stack([share, 1.0 - share])

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of most neighbours; the first in a tie."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _candidates(self, n_rows: int) -> tuple[list[int], list[float]]:
        """Candidates for J, the smallest first, and for the bias, the nearest to 0 first."""
        given = _each(self.n_neighbors, "n_neighbors", NEIGHBORS)
        n_neighbors = sorted(_params.count(each, "n_neighbors") for each in given)
        if n_neighbors[0] >= n_rows:
            raise InputError(
                f"{arg('n_neighbors')} must be below the number of rows, {n_rows}, as a row is not its own neighbour; "
                f"got {value(self.n_neighbors)}."
            )
        what = f"a number from -{LARGEST_BIAS} to {LARGEST_BIAS}"
        biases = [
            _params.number(each, "bias", what, lambda x: abs(x) <= LARGEST_BIAS)
            for each in _each(self.bias, "bias", BIASES)
        ]
        return [j for j in n_neighbors if j < n_rows], sorted(biases, key=abs)

    def _nearest(self, x: Array, most: int, leave_out: bool = False) -> tuple[Array, Array]:
        """Distances to the nearest rows of the first class and of the second, sorted; infinite if there are no more.

        If `leave_out`, x are the training rows, and none is its own neighbour.
        """
        out = np.full((2, len(x), most), np.inf)
        size = max(PIECE // len(self._x), 1)
        for start in range(0, len(x), size):
            piece = slice(start, start + size)
            distance = cdist(x[piece], self._x)
            if leave_out:
                distance[np.arange(len(distance)), np.arange(start, start + len(distance))] = np.inf
            for side, members in enumerate((self._is_first, ~self._is_first)):
                of_class = distance[:, members]
                kept = min(most, of_class.shape[1])
                out[side, piece, :kept] = np.sort(np.partition(of_class, kept - 1, axis=1)[:, :kept], axis=1)
        return out[0], out[1]


def _each(given: Any, name: str, auto: Sequence[Any]) -> list[Any]:
    """The candidates that a parameter means."""
    if isinstance(given, str) and given == "auto":
        return list(auto)
    if isinstance(given, str) or given is None or np.size(given) == 0:
        raise InputError(f"{arg(name)} must be {value('auto')}, a number, or a list of numbers, got {value(given)}.")
    # An array without dimensions is one number.
    given = given.tolist() if isinstance(given, np.ndarray) else given
    return list(given) if hasattr(given, "__iter__") else [given]


def _share(first: Array, second: Array, j: int, bias: float) -> Array:
    """Share of the first class among the J nearest, from sorted distances to both classes."""
    first, second = np.exp(bias) * first[:, :j], second[:, j - 1 :: -1]
    return ((first < second).sum(axis=1) + (first <= second).sum(axis=1)) / (2 * j)


def _error(share: Array, is_first: Mask) -> float:
    """Share of misclassified rows; a tie is half an error."""
    return float(np.mean((1.0 - np.sign(np.where(is_first, share - 0.5, 0.5 - share))) / 2.0))
