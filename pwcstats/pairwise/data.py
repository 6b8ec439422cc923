"""Training data: how X and y are read and standardised, and the classes in pairs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import _safe_indexing, check_array, get_tags
from sklearn.utils.sparsefuncs import mean_variance_axis, min_max_axis
from sklearn.utils.validation import check_is_fitted, validate_data

from pwcstats._arrays import Array
from pwcstats._text import counted, listed, shape_of, shown
from pwcstats.errors import InputError, arg, value

Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]


class ClassPairs:
    """Classes and their pairs, in LIBSVM's order (0,1), (0,2), ..., (1,2), ..."""

    def __init__(self, classes: NDArray[Any]) -> None:
        self.classes = classes
        self.n_classes = len(classes)
        self.low, self.high = np.triu_indices(len(classes), 1)
        self.n_pairs = len(self.low)

    def labels(self, pair: int) -> tuple[Any, Any]:
        """Labels of a pair, as Python's own numbers and strings."""
        i, j = self.classes[[self.low[pair], self.high[pair]]].tolist()
        return i, j

    def name(self, pair: int) -> str:
        """How messages write a pair."""
        return value(self.labels(pair))

    @cached_property
    def number(self) -> Integers:
        """Index of the pair of classes i and j, as a symmetric matrix."""
        number = np.zeros((self.n_classes, self.n_classes), np.int64)
        number[self.low, self.high] = number[self.high, self.low] = np.arange(self.n_pairs)
        return number

    @cached_property
    def others(self) -> Integers:
        """All other classes of each class, one row per class."""
        return np.array([[m for m in range(self.n_classes) if m != c] for c in range(self.n_classes)])


class Problem(ClassPairs):
    """Training rows and their classes.

    Rows of weight 0 are dropped, so that no fold can consist of them.

    Attributes
    ----------
    code : ndarray of int
        Index of each row's class in `classes`.
    weight : ndarray or None
        The user's sample_weight.
    square : bool
        Whether x is a kernel matrix, whose columns are training rows too.
    kept, n_given : ndarray of int, int
        Rows that were not dropped, and the number of rows before.
    """

    def __init__(self, x: Any, y: NDArray[Any], weight: Array | None, square: bool) -> None:
        self.n_given = len(y)
        self.kept = np.arange(len(y)) if weight is None else np.flatnonzero(weight)
        if weight is not None and len(self.kept) < len(y):
            x, y = take(x, self.kept, self.kept if square else None), y[self.kept]
            weight = weight[self.kept]
        classes, self.code = np.unique(y, return_inverse=True)
        super().__init__(classes)
        self.x, self.weight, self.square = x, weight, square
        self.y = classes[self.code]

    @cached_property
    def array(self) -> Array:
        """The rows as a float64 array."""
        return check_array(self.x, dtype=np.float64, order="C")

    @property
    def array_or_sparse(self) -> Any:
        """The rows as a float64 array, or as the sparse matrix that they are."""
        return self.x if sparse.issparse(self.x) else self.array

    @cached_property
    def rows_of_class(self) -> list[Integers]:
        """Rows of each class, in their order."""
        order = np.argsort(self.code, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.code, minlength=self.n_classes))[:-1])

    @cached_property
    def class_weights(self) -> Array:
        """Total weight of the rows of each class."""
        return np.bincount(self.code, weights=self.weight, minlength=self.n_classes).astype(np.float64)

    @property
    def counts(self) -> Array:
        """n_ij: total weight of the rows of class i or j."""
        return self.class_weights[self.low] + self.class_weights[self.high]

    def rows(self, pair: int) -> Integers:
        """Rows of both classes of a pair, in their order."""
        return np.sort(np.concatenate([self.rows_of_class[self.low[pair]], self.rows_of_class[self.high[pair]]]))

    def weight_of(self, rows: Integers) -> Array:
        """Weights of some rows; ones if there are no weights."""
        return np.ones(len(rows)) if self.weight is None else self.weight[rows]

    def counting_weight_of(self, rows: Integers) -> Array:
        """Weights of some rows as numbers of rows: a mean below 1 cannot be one, and becomes 1."""
        return self.weight_of(rows) / (1.0 if self.weight is None else min(float(self.weight.mean()), 1.0))


def take(x: Any, rows: Integers, columns: Integers | None = None) -> Any:
    """Some rows of a frame, an array or a sparse matrix; of a kernel matrix, some columns too."""
    part = _safe_indexing(x, rows)
    return part if columns is None else part[:, columns]


def cut(params: dict[str, Any], rows: Integers, n_rows: int) -> dict[str, Any]:
    """Fit parameters for some rows: what has one entry per row of the data is cut to these rows."""
    return {key: take(given, rows) if _is_per_row(given, n_rows) else given for key, given in params.items()}


def _is_per_row(given: Any, n_rows: int) -> bool:
    return not isinstance(given, (str, dict)) and hasattr(given, "__len__") and len(given) == n_rows


def pair_scores(problem: Problem, margins: Array, pair: int, rows: Integers) -> Array:
    """Scores of a pair's rows in favour of its first class, from the rows' own margins.

    ``margins[s, m]`` is the score of row s in favour of its own class c against class m (against class m + 1 from c
    on). These are n(K-1) numbers, where one column per pair would be n K(K-1)/2.
    """
    i, j = problem.low[pair], problem.high[pair]
    return leveled(np.where(problem.code[rows] == i, margins[rows, j - 1], -margins[rows, i]))


# Differences below this share of the size of the scores are rounding errors,
ROUNDING = 1e-11
# unless they are larger than this share of the range of the scores.
DIFFERENCE = 1e-6


def leveled(scores: Array) -> Array:
    """Scores in which those that differ only by rounding are made equal.

    Equal rows have equal scores in theory, and so do rows at the same distance from a border. In practice sums in
    another order differ in the last digits. Isotonic steps, thresholds and ranks would see a difference there, and
    would learn the classes from it if the order of summation depends on a row's class.
    """
    if np.ptp(scores) <= ROUNDING * np.abs(scores).max():
        return np.full_like(scores, np.median(scores))
    order = np.argsort(scores, kind="stable")
    rising = scores[order]
    size = np.abs(rising)
    # numpy.median takes longer than all else here.
    middle = np.partition(size, len(size) // 2)[len(size) // 2]
    near = ROUNDING * (np.maximum(size[1:], size[:-1]) + middle)
    first = np.append(0, np.flatnonzero(np.diff(rising) > np.minimum(near, DIFFERENCE * np.ptp(scores))) + 1)
    out = np.empty_like(scores)
    out[order] = np.repeat(rising[first], np.diff(np.append(first, len(scores))))
    return out


# Reading X and y


@dataclass(frozen=True)
class RowFormat:
    """In which form the learners get the rows of X, in training and in prediction.

    Attributes
    ----------
    keeps_frames : bool
        Whether frames stay frames, because a learner may use the names of columns.
    had_frame : bool
        Whether the training rows were a frame.
    not_numbers : tuple
        Columns of the frame, if it stays one, that hold no numbers.
    checks : dict
        Options of scikit-learn's check of arrays.
    no_sparse, no_missing : tuple of str
        Candidates that do not accept sparse rows, or missing values. If X has any, the error names these candidates.
        Empty if candidates may fail.
    """

    keeps_frames: bool
    had_frame: bool
    not_numbers: tuple[Any, ...]
    checks: dict[str, Any]
    no_sparse: tuple[str, ...]
    no_missing: tuple[str, ...]

    @classmethod
    def of(cls, candidates: Mapping[str, Any], X: Any, keeps_frames: bool, may_fail: bool) -> "RowFormat":
        """The format for some candidates and training rows."""
        no_sparse = [name for name, learner in candidates.items() if not _takes(learner, "sparse")]
        no_missing = [name for name, learner in candidates.items() if not _takes(learner, "allow_nan")]
        checks = {
            "accept_sparse": "csr" if len(no_sparse) < len(candidates) else False,
            "dtype": None if any(hasattr(learner, "steps") for learner in candidates.values()) else "numeric",
            "ensure_all_finite": len(no_missing) == len(candidates),
        }
        named = ((), ()) if may_fail else (tuple(no_sparse), tuple(no_missing))
        return cls(keeps_frames, is_frame(X), _not_numbers(X) if keeps_frames else (), checks, *named)

    def named(self, x: Any, names: NDArray[Any] | None) -> Any:
        """New rows with the names of the columns, if the learners were fitted to a frame."""
        return pd.DataFrame(x, columns=names) if self.keeps_frames and self.had_frame and names is not None else x

    def check(self, x: Any) -> None:
        """Refuse rows that some candidate would fail on for all pairs."""
        if sparse.issparse(x):
            if self.no_sparse:
                # scikit-learn's estimators raise a TypeError, too.
                raise TypeError(
                    f"X is sparse, which {listed(self.no_sparse)} cannot use; give X.toarray(), or drop the learner."
                )
            return
        missing = _is_missing(x).any(axis=0) if self.no_missing else np.zeros(1, np.bool_)
        if missing.any():
            names = np.asarray(x.columns)[missing] if hasattr(x, "columns") else np.flatnonzero(missing)
            raise InputError(
                f"{arg('X')} contains NaN in the columns {listed(names)}, which {listed(self.no_missing)} cannot use; "
                "fill them in, put an imputer and the learner into a pipeline, or drop the learner."
            )


def _takes(learner: Any, what: str) -> bool:
    """Whether a learner takes "sparse" rows, or missing values ("allow_nan"); a pipeline may prepare them."""
    return hasattr(learner, "steps") or bool(getattr(get_tags(learner).input_tags, what))


NUMBERS = {"integer", "floating", "mixed-integer-float", "boolean", "empty"}


def _not_numbers(X: Any) -> tuple[Any, ...]:
    """Columns of a frame that hold no numbers; categories may be numbers."""
    names = X.columns if is_frame(X) else ()
    return tuple(name for name in names if pd.api.types.infer_dtype(np.asarray(X[name]), skipna=True) not in NUMBERS)


def _is_missing(x: Any) -> Mask:
    """Which values of a frame or an array are missing."""
    # pandas does not look into frames of polars; their arrays have None or NaN for what is missing.
    return np.asarray(pd.isna(x if hasattr(x, "iloc") else np.asarray(x)))


def is_frame(X: Any) -> bool:
    """Whether X is a data frame of pandas or polars."""
    return hasattr(X, "columns") and len(getattr(X, "shape", ())) == 2


def is_text(X: Any) -> bool:
    """Whether the rows are texts, which a pipeline turns into columns."""
    # A series of pandas or polars, or an array of one dimension.
    is_series = hasattr(X, "to_numpy") and len(getattr(X, "shape", ())) == 1
    if not is_series and (not isinstance(X, (list, tuple, np.ndarray)) or (isinstance(X, np.ndarray) and X.ndim != 1)):
        return False
    return isinstance(next(iter(X), None), str)


def check_frame(frame: Any) -> None:
    """Refuse a frame without rows or columns, or with two columns of the same name."""
    if 0 in frame.shape:
        raise InputError(f"{arg('X')} must have at least one row and one column, got {shape_of(frame)}.")
    columns = pd.Index(frame.columns)
    if not columns.is_unique:
        twice = columns[columns.duplicated()][0]
        raise InputError(f"{arg('X')} has two columns named {shown(twice)}; rename one.")


def check_y_given(y: Any, estimator: Any) -> None:
    """Refuse a missing target, with the wording that scikit-learn's checks look for."""
    if y is None:
        raise InputError(
            f"{type(estimator).__name__} requires y to be passed, but the target {arg('y')} is {value(None)}; give the "
            "classes."
        )


def check_several_classes(classes: NDArray[Any]) -> None:
    """Refuse a single class."""
    if len(classes) < 2:
        raise InputError(
            f"{arg('y')} must have at least 2 classes, got {counted(len(classes), 'class')}, {shown(classes[0])}."
        )


def make_problem(x: Any, y: NDArray[Any], weight: Array | None, square: bool) -> Problem:
    """The training rows as a problem, checked as a whole."""
    if square and x.shape[0] != x.shape[1]:
        raise InputError(
            f"{arg('kernel', 'precomputed')} needs the kernel of all training rows with each other, got "
            f"{shape_of(x)}; give the square matrix, or use another kernel."
        )
    if weight is not None:
        check_weight_of_classes(y, weight)
    problem = Problem(x, y, weight, square)
    check_several_classes(problem.classes)
    return problem


def check_weight_of_classes(y: NDArray[Any], weight: Array) -> None:
    """Refuse classes whose rows all have weight 0."""
    gone = np.setdiff1d(np.unique(y), np.unique(y[weight > 0.0]))
    if len(gone):
        raise InputError(
            f"{arg('sample_weight')} leaves the classes {listed(map(shown, gone))} without weight; drop them from "
            f"{arg('X')} and {arg('y')}, or give some of their rows a positive weight."
        )


class Standardizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Centre each column and divide it by its standard deviation, as ``scale()`` and e1071's ``svm()`` in R do.

    scikit-learn's ``StandardScaler`` divides by the standard deviation with divisor n; here the divisor is n - 1.
    Constant columns are centred but not divided. Sparse columns are divided but not centred.

    Attributes
    ----------
    center_, scale_ : ndarray
        What is subtracted from each column, and what it is divided by.
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Array | None = None) -> "Standardizer":
        """Compute the means and standard deviations of the columns.

        A weight of 2 counts as two equal rows. If the mean of the weights is below 1, they cannot be numbers of rows,
        and n is the number of rows.
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
            # Relative to the range, squares neither overflow nor underflow.
            size = np.where(high > low, high - low, 1.0)
            squares = ((x - self.center_) / size) ** 2
            deviation = size * np.sqrt(np.average(squares, axis=0, weights=weight) * factor)
        self.scale_ = np.where((high > low) & (deviation > 0.0), deviation, 1.0)
        return self

    def transform(self, X: Any) -> Any:
        """Standardise the columns."""
        check_is_fitted(self)
        x = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        if sparse.issparse(x):
            return x @ sparse.diags_array(1.0 / self.scale_, format="csr")
        return (x - self.center_) / self.scale_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
