"""Training data as classes in pairs."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing, check_array

from pwcstats._arrays import Array
from pwcstats._text import shown

Integers = NDArray[np.int64]


class ClassPairs:
    """Classes, and their pairs in LIBSVM's order (0,1), (0,2), ..., (1,2), ..."""

    def __init__(self, classes: NDArray[Any]) -> None:
        self.classes = classes
        self.n_classes = len(classes)
        self.low, self.high = np.triu_indices(len(classes), 1)
        self.n_pairs = len(self.low)

    def labels(self, pair: int) -> tuple[Any, Any]:
        """Labels of a pair, as Python's own numbers and words."""
        i, j = self.classes[[self.low[pair], self.high[pair]]].tolist()
        return i, j

    def name(self, pair: int) -> str:
        """Words for a pair."""
        return "({}, {})".format(*map(shown, self.labels(pair)))

    @cached_property
    def number(self) -> Integers:
        """Number of the pair of classes i and j, as a symmetric matrix."""
        number = np.zeros((self.n_classes, self.n_classes), np.int64)
        number[self.low, self.high] = number[self.high, self.low] = np.arange(self.n_pairs)
        return number

    @cached_property
    def others(self) -> Integers:
        """All other classes of each class, a row for each."""
        return np.array([[m for m in range(self.n_classes) if m != c] for c in range(self.n_classes)])


class Problem(ClassPairs):
    """Training rows and their classes.

    `code` numbers each row's class; `weight` is the user's sample_weight, if any. `square` says that x is a kernel
    matrix, whose columns are cases as its rows are. Rows of weight 0 are left out, so that no fold can consist of them;
    `kept` are the others, of `n_given`.
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
        """The rows as an array of doubles."""
        return check_array(self.x, dtype=np.float64, order="C")

    @property
    def array_or_sparse(self) -> Any:
        """The rows as an array of doubles, or as the sparse matrix that they are."""
        return self.x if sparse.issparse(self.x) else self.array

    @cached_property
    def rows_of_class(self) -> list[Integers]:
        """Rows of each class, in their order."""
        order = np.argsort(self.code, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.code, minlength=self.n_classes))[:-1])

    @cached_property
    def class_weights(self) -> Array:
        """Cases of each class, weights included."""
        return np.bincount(self.code, weights=self.weight, minlength=self.n_classes).astype(np.float64)

    @property
    def counts(self) -> Array:
        """n_ij: cases of class i or j, weights included."""
        return self.class_weights[self.low] + self.class_weights[self.high]

    def rows(self, pair: int) -> Integers:
        """Rows of both classes of a pair, in their order."""
        return np.sort(np.concatenate([self.rows_of_class[self.low[pair]], self.rows_of_class[self.high[pair]]]))

    def weight_of(self, rows: Integers) -> Array:
        """Weights of some rows; ones where there are none."""
        return np.ones(len(rows)) if self.weight is None else self.weight[rows]


def take(x: Any, rows: Integers, columns: Integers | None = None) -> Any:
    """Some rows of a frame, an array or a sparse matrix; of a kernel matrix, some columns too."""
    part = _safe_indexing(x, rows)
    return part if columns is None else part[:, columns]


def cut(params: dict[str, Any], rows: Integers, n_rows: int) -> dict[str, Any]:
    """Parameters with what has an entry for each row of the data cut to some rows."""
    return {key: take(value, rows) if _per_row(value, n_rows) else value for key, value in params.items()}


def _per_row(value: Any, n_rows: int) -> bool:
    return not isinstance(value, (str, dict)) and hasattr(value, "__len__") and len(value) == n_rows


def pair_scores(problem: Problem, margins: Array, pair: int, rows: Integers) -> Array:
    """Scores of a pair's rows in favour of its first class, from the rows' own margins.

    ``margins[s, m]`` is the score of row s in favour of its own class c against class m, or m + 1 from c on: n(K-1)
    numbers, where one column for each pair would be n K(K-1)/2.
    """
    i, j = problem.low[pair], problem.high[pair]
    return leveled(np.where(problem.code[rows] == i, margins[rows, j - 1], -margins[rows, i]))


# Of the size of scores, what is below this share of it is rounding.
ROUNDING = 1e-11
# But what is not far below the spread of the scores is a difference.
DIFFERENCE = 1e-6


def leveled(scores: Array) -> Array:
    """Scores in which those that differ by rounding only are made equal.

    Rows that are equal, or lie on one line with the border, have equal scores in theory. In practice sums in another
    order differ in the last digits; isotonic steps, thresholds and ranks would take that for a difference, and learn
    the classes from it where the order of sums depends on a row's class.
    """
    if np.ptp(scores) <= ROUNDING * np.abs(scores).max():
        return np.full_like(scores, np.median(scores))
    order = np.argsort(scores, kind="stable")
    rising = scores[order]
    size = np.abs(rising)
    near = ROUNDING * (np.maximum(size[1:], size[:-1]) + np.median(size))
    first = np.append(0, np.flatnonzero(np.diff(rising) > np.minimum(near, DIFFERENCE * np.ptp(scores))) + 1)
    out = np.empty_like(scores)
    out[order] = np.repeat(rising[first], np.diff(np.append(first, len(scores))))
    return out
