"""Support vector machines: LIBSVM's one native fit of all pairs, which computes no row of the kernel twice."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.svm import SVC, NuSVC
from sklearn.utils import check_array

from pwcstats._arrays import Array
from pwcstats._jobs import run_tasks
from pwcstats.pairwise.data import ClassPairs, Integers, Mask, Problem, take
from pwcstats.pairwise.folds import Folds, HeldOut
from pwcstats.pairwise.learners import DECISION, Candidate

# Kernels and decision values are computed in pieces of about this many numbers.
PIECE = 2**22
KERNELS = ("linear", "poly", "rbf", "sigmoid")
# Largest rounding error of the kernel's values that matrix products may cause.
DIGITS_LOST = 1e-12


def is_native(learner: Any) -> bool:
    """Whether a learner fits all pairs by itself, as LIBSVM does (a derived class may not)."""
    return type(learner) in (SVC, NuSVC)


class NativePath:
    """Fast path: all pairs in one machine. This is e1071's model, and ``SVC(decision_function_shape="ovo")``."""

    # At a decision value of 0 LIBSVM predicts the second class.
    tie = 1

    def __init__(self, problem: Problem, candidate: Candidate, n_jobs: int | None, verbose: int) -> None:
        self.usable = np.ones(problem.n_pairs, np.bool_)
        self._problem = problem
        self._learner = clone(candidate.learner).set_params(decision_function_shape="ovo", break_ties=False)
        if candidate.learner.random_state is None:
            # It changes nothing without probability=True, but scikit-learn would draw from NumPy's global generator.
            self._learner.set_params(random_state=0)
        self._weight = candidate.params.get("sample_weight")
        self._n_jobs, self._verbose = n_jobs, verbose

    @staticmethod
    def supports(learner: Any) -> bool:
        """Whether LIBSVM fits the learner."""
        return is_native(learner)

    @staticmethod
    def applies(problem: Problem, candidate: Candidate) -> bool:
        """Whether decision values are asked for, and nothing but weights goes to the fit."""
        return set(candidate.params) <= {"sample_weight"} and candidate.kind == DECISION

    def can_use(self, folds: Folds) -> bool:
        """Whether every row is held out once."""
        return folds.number is not None

    def fit(self, pairs: Integers) -> "NativePairs":
        """Fit the machine to all rows."""
        rows = np.arange(len(self._problem.code))
        machine = _fit(self._learner, self._problem.x, self._problem.y, self._weight, rows, self._problem.square)
        return NativePairs(machine, pairs)

    def trained(self, fitted: "NativePairs") -> Array:
        """Own margins of the training rows."""
        rows = np.arange(len(self._problem.code))
        return _own_margins(fitted.machine, self._problem.x, self._problem.code, rows, None)

    def held_out(self, folds: Folds) -> HeldOut:
        """Scores of held-out rows; folds run on threads, because LIBSVM releases Python's lock."""
        problem, n = self._problem, len(self._problem.code)
        margins = np.empty((n, problem.n_classes - 1))
        sampled = np.zeros(n, np.bool_)
        sampled[[] if folds.sample is None else folds.sample] = True
        scores = np.empty((int(sampled.sum()), problem.n_pairs))
        # Arrays, not the problem: joblib's dask backend keeps large arrays on its workers.
        shared = self._learner, problem.x, problem.y, problem.code, self._weight, problem.square, sampled
        parts = run_tasks(
            _fold,
            [(*shared, *masks) for masks in zip(folds.train, folds.test, strict=True)],
            self._n_jobs,
            description="folds of all pairs",
            verbose=self._verbose,
            prefer="threads",
        )
        for test, (own, of_sample) in zip(folds.test, parts, strict=True):
            margins[test], scores[test[sampled]] = own, of_sample
        return HeldOut(margins, None if folds.sample is None else scores)


class NativePairs:
    """A fitted machine, and the pairs for which it is used."""

    def __init__(self, machine: Any, pairs: Integers) -> None:
        self.machine, self.pairs = machine, pairs

    def scores(self, x: Any) -> Array:
        """Decision values, one column per pair, positive in favour of the first class."""
        values = decision_values(self.machine, x)
        return values if len(self.pairs) == values.shape[1] else values[:, self.pairs]

    def learner(self, index: int) -> "MachineOfPair":
        """The learner of one of the pairs."""
        return MachineOfPair(self.machine, int(self.pairs[index]))


class MachineOfPair(ClassifierMixin, BaseEstimator):
    """One pair of a machine that was fitted to all classes.

    Parameters
    ----------
    machine : SVC or NuSVC
        Fitted to all classes.
    pair : int
        Index of the pair in LIBSVM's order.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        0 for the first class of the pair and 1 for the second, as in learners of single pairs.
    """

    def __init__(self, machine: Any, pair: int) -> None:
        self.machine = machine
        self.pair = pair

    @property
    def classes_(self) -> NDArray[Any]:
        """The first class and the second."""
        return np.arange(2)

    def decision_function(self, X: Any) -> Array:
        """Decision values, positive in favour of the second class, as in scikit-learn for two classes."""
        return -decision_values(self.machine, X)[:, self.pair]

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row."""
        return self.classes_[(self.decision_function(X) >= 0.0).astype(np.int64)]


def _fit(learner: Any, x: Any, y: NDArray[Any], weight: Array | None, rows: Integers, square: bool) -> Any:
    """A machine of all classes, fitted to some rows."""
    if len(rows) == len(y):
        return clone(learner).fit(x, y, sample_weight=weight)
    part = take(x, rows, rows if square else None)
    return clone(learner).fit(part, y[rows], sample_weight=None if weight is None else take(weight, rows))


def _fold(
    learner: Any,
    x: Any,
    y: NDArray[Any],
    code: Integers,
    weight: Array | None,
    square: bool,
    sampled: Mask,
    train: Mask,
    test: Mask,
) -> tuple[Array, Array]:
    """Own margins of the rows that one fold holds out, and the values of all pairs for the sampled ones."""
    rows, held = np.flatnonzero(train), np.flatnonzero(test)
    machine = _fit(learner, x, y, weight, rows, square)
    columns, in_sample, pairs = rows if square else None, sampled[held], ClassPairs(machine.classes_)
    margins = np.empty((len(held), pairs.n_classes - 1))
    margins[~in_sample] = _own_margins(machine, x, code, held[~in_sample], columns)
    values = np.empty((0, pairs.n_pairs))
    if in_sample.any():
        values = decision_values(machine, take(x, held[in_sample], columns))
        margins[in_sample] = _own_values(pairs, values, code[held[in_sample]])
    return margins, values


def _own_margins(machine: Any, x: Any, code: Integers, rows: Integers, columns: Integers | None) -> Array:
    """Decision values of some rows in favour of their own class against each other class."""
    pairs = ClassPairs(machine.classes_)
    out = np.empty((len(rows), pairs.n_classes - 1))
    direct = _has_expansion(machine, x) and pairs.n_classes > 2
    size = max(PIECE // (len(machine.support_vectors_) if direct else pairs.n_pairs), 1)
    for start in range(0, len(rows), size):
        piece = rows[start : start + size]
        part, own = take(x, piece, columns), code[piece]
        if direct:
            out[start : start + size] = _own_expansion(machine, pairs, part, own)
        else:
            out[start : start + size] = _own_values(pairs, decision_values(machine, part), own)
    return out


def _own_values(pairs: ClassPairs, values: Array, own: Integers) -> Array:
    """Values in favour of the rows' own class against each other class, from those of all pairs."""
    rivals = pairs.others[own]
    values = np.take_along_axis(values, pairs.number[own[:, None], rivals], axis=1)
    return np.where(own[:, None] < rivals, values, -values)


def decision_values(machine: Any, x: Any) -> Array:
    """Decision values of a fitted machine, one column per pair, positive in favour of the first class."""
    if not _has_expansion(machine, x):
        values = machine.decision_function(x)
        # For two classes scikit-learn reverses LIBSVM's sign.
        return -values[:, None] if values.ndim == 1 else values
    x = check_array(x, dtype=np.float64)
    pairs = ClassPairs(machine.classes_)
    out = np.empty((len(x), pairs.n_pairs))
    size = max(PIECE // len(machine.support_vectors_), 1)
    for start in range(0, len(x), size):
        out[start : start + size] = _expansion(machine, pairs, x[start : start + size])
    return out


# The sums over support vectors by matrix products give the values of LIBSVM's own loops, several times faster. Support
# vectors are sorted by class, and each has one coefficient for each other class.


def _has_expansion(machine: Any, x: Any) -> bool:
    """Whether the sums can be computed here; sparse rows and user-defined kernels are left to LIBSVM."""
    known = machine.kernel in KERNELS and not sparse.issparse(machine.support_vectors_)
    return known and not sparse.issparse(x) and len(machine.support_vectors_) > 0


def _expansion(machine: Any, pairs: ClassPairs, x: Array) -> Array:
    """Decision values of all pairs."""
    kernel, coef = _kernel(machine, x), machine.dual_coef_
    if pairs.n_classes == 2:
        return -(kernel @ coef.T + machine.intercept_)
    out = np.tile(machine.intercept_, (len(x), 1))
    for c, vectors in enumerate(_vectors_of_classes(machine)):
        out[:, pairs.number[c, pairs.others[c]]] += kernel[:, vectors] @ coef[:, vectors].T
    return out


def _own_expansion(machine: Any, pairs: ClassPairs, x: Any, own: Integers) -> Array:
    """Decision values in favour of the rows' own class against each other class.

    The values of all pairs would take K/2 times as much memory.
    """
    kernel, coef = _kernel(machine, np.asarray(x, dtype=np.float64)), machine.dual_coef_
    classes = _vectors_of_classes(machine)
    out = np.empty((len(own), pairs.n_classes - 1))
    for c in np.unique(own):
        rows, rivals = own == c, pairs.others[c]
        of_class = kernel[rows]
        sums = machine.intercept_[pairs.number[c, rivals]] + of_class[:, classes[c]] @ coef[:, classes[c]].T
        for column, o in enumerate(rivals):
            # The coefficients that o's vectors have for c: there is one for each class except o.
            sums[:, column] += of_class[:, classes[o]] @ coef[c if c < o else c - 1, classes[o]]
        out[rows] = sums * np.where(c < rivals, 1.0, -1.0)
    return out


def _vectors_of_classes(machine: Any) -> list[slice]:
    count = machine.n_support_
    return [slice(end - n, end) for n, end in zip(count, np.cumsum(count), strict=True)]


def _kernel(machine: Any, x: Array) -> Array:
    """The kernel of some rows with all support vectors."""
    vectors = machine.support_vectors_
    if machine.kernel == "rbf":
        distance = _squared_distances(x, vectors, machine.gamma)
        distance *= -machine.gamma
        return np.exp(distance, out=distance)
    product = x @ vectors.T
    match machine.kernel:
        case "poly":
            return (machine.gamma * product + machine.coef0) ** machine.degree
        case "sigmoid":
            return np.tanh(machine.gamma * product + machine.coef0)
        case "linear":
            return product
        case _:
            raise ValueError(f"there is no fast path for the kernel {machine.kernel!r}")


def _squared_distances(x: Array, vectors: Array, gamma: float) -> Array:
    """Squared distances of rows from support vectors, by matrix products unless these lose too many digits.

    Products lose digits of the distance of two points that are close to each other and far from the centre.
    """
    centre = vectors.mean(axis=0)
    near, around = x - centre, vectors - centre
    rows, columns = (near**2).sum(axis=1), (around**2).sum(axis=1)
    lost = np.finfo(np.float64).eps * gamma * (rows.max() + columns.max())
    if not lost < DIGITS_LOST:
        return cdist(x, vectors, "sqeuclidean")
    distance = near @ around.T
    distance *= -2.0
    distance += rows[:, None]
    distance += columns
    return distance
