"""R's own learners in Python, through rpy2."""

import warnings
from importlib.resources import files
from subprocess import CalledProcessError
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._e1071 import read_class_weight, read_gamma, read_number, read_r_seed, read_scale
from pwcstats._text import shown
from pwcstats.errors import ConvergenceWarning, InputError

try:
    from rpy2 import rinterface
    from rpy2.rinterface_lib import callbacks, embedded, openrlib
except ModuleNotFoundError:
    raise ImportError("pwcstats.r needs rpy2: pip install rpy2, or rpy2==3.5.17 for an R before 4.5.") from None
except (ImportError, OSError, ValueError, AttributeError) as error:  # which of them depends on how rpy2 was built
    cure = " (an R before 4.5 needs rpy2==3.5.17)" if "R_getVar" in str(error) else ""
    raise ImportError(f"pwcstats.r needs R, and rpy2 cannot load it: {error}{cure}") from error

__all__ = ["E1071SVC"]

KERNELS = {"linear": "linear", "polynomial": "polynomial", "radial": "radial", "sigmoid": "sigmoid"}
KERNELS |= {"poly": "polynomial", "rbf": "radial"}
TYPES = ("C-classification", "nu-classification")
SHAPES = ("ovr", "ovo")

R_CODE = files("pwcstats").joinpath("e1071.R").read_text(encoding="utf-8")
_functions: dict[str, Any] = {}


def _start() -> None:
    """Start R, unless somebody has, and find e1071."""
    if not embedded.isinitialized():
        with warnings.catch_warnings():
            # rpy2 warns that R takes Ctrl-C away when another thread than the main one starts it; it does not.
            warnings.simplefilter("ignore")
            try:
                rinterface.initr()
            except (OSError, RuntimeError, ValueError, CalledProcessError) as error:
                raise InputError(
                    f"rpy2 cannot start R ({error}): R must be on the PATH, or R_HOME be right."
                ) from error
    functions = _named(rinterface.evalr(R_CODE, envir=rinterface.baseenv))
    if not functions["installed"]()[0]:
        raise InputError(
            'R has no package "e1071": install.packages("e1071") in R, or r-cran-e1071 on Debian and Ubuntu.'
        )
    _functions.update(functions)


def _call(name: str, *args: Any) -> dict[str, Any]:
    """Call one of R_CODE's functions; its answer as NumPy arrays. One thread at a time: R can do no more."""
    printed: list[str] = []
    with (
        openrlib.rlock,
        callbacks.obj_in_module(callbacks, "consolewrite_print", printed.append),
        callbacks.obj_in_module(callbacks, "consolewrite_warnerror", printed.append),
    ):
        if not _functions:
            _start()
        answer = _from_r(_functions[name](*map(_to_r, args)))
    if "error" in answer:
        raise InputError(f"R's e1071 says: {answer['error'][0].strip()}")
    for text in answer["warnings"]:
        more = " e1071 then scales no column at all; X1 is the first one." if "Cannot scale" in text else ""
        warnings.warn(f"R's e1071 says: {text}{more}", UserWarning, stacklevel=3)
    if "max number of iterations" in "".join(printed):
        message = "LIBSVM stopped after 10 million steps, short of the tolerance: scale X, or set a larger tolerance."
        warnings.warn(message, ConvergenceWarning, stacklevel=3)
    return answer


def _to_r(value: Any) -> Any:
    """A value for R: arrays are copied once, into R's memory; rpy2 takes numbers, strings and None as they are."""
    if isinstance(value, bytes):
        return rinterface.ByteSexpVector.from_memoryview(memoryview(value))
    if not isinstance(value, np.ndarray):
        return value
    if value.ndim == 2:
        matrix = rinterface.baseenv["matrix"](0.0, *value.shape)
        np.asarray(matrix.memoryview())[...] = value
        return matrix
    if value.dtype == bool:
        return rinterface.BoolSexpVector.from_iterable(value.tolist())
    kind = rinterface.IntSexpVector if value.dtype == np.int32 else rinterface.FloatSexpVector
    return kind.from_memoryview(value.data)


def _from_r(value: Any) -> Any:
    """The value of an R vector or named list, copied out of R's memory."""
    if isinstance(value, rinterface.ListSexpVector):
        return {name: _from_r(item) for name, item in _named(value).items()}
    if isinstance(value, rinterface.ByteSexpVector):
        return bytes(rinterface.vector_memoryview(value, "char", "B"))
    if isinstance(value, (rinterface.FloatSexpVector, rinterface.IntSexpVector)):
        return np.array(value.memoryview())
    return None if value is rinterface.NULL else list(value)


def _named(items: Any) -> dict[str, Any]:
    return dict(zip(items.names, items, strict=True))


def _sorted_pairs(labels: NDArray[np.int32]) -> tuple[NDArray[np.intp], Array]:
    """Where each pair of sorted classes is among R's pairs, and its sign there.

    R's pairs are those of `labels`, the classes (counted from 1) in the order in which they first appear in y.
    """
    n_classes = len(labels)
    first, second = np.triu_indices(n_classes, 1)
    column = np.empty((n_classes, n_classes), dtype=np.intp)
    sign = np.empty((n_classes, n_classes))
    i, j = labels[first] - 1, labels[second] - 1
    column[i, j] = column[j, i] = np.arange(len(first))
    sign[i, j], sign[j, i] = 1.0, -1.0
    return column[first, second], sign[first, second]


def _one_vs_rest(pairs: Array, n_classes: int) -> Array:
    """Votes, and below them sums of decision values squeezed into (-1/3, 1/3): scikit-learn's "ovr"."""
    votes = np.zeros((len(pairs), n_classes))
    sums = np.zeros((len(pairs), n_classes))
    for column, (i, j) in enumerate(zip(*np.triu_indices(n_classes, 1), strict=True)):
        value = pairs[:, column]
        votes[:, i] += value >= 0
        votes[:, j] += value < 0
        sums[:, i] += value
        sums[:, j] -= value
    return votes + sums / (3 * (np.abs(sums) + 1))


def _has_probabilities(model: "E1071SVC") -> bool:
    if not model.probability:
        raise AttributeError("predict_proba needs probability=True before fit.")
    return True


class E1071SVC(ClassifierMixin, BaseEstimator):
    r"""R's support vector classifier, ``e1071::svm``, as a scikit-learn classifier.

    For those who need R's very model from Python, R's scaling, defaults and predictions included. Parameters have R's
    defaults, and scikit-learn's names where :class:`sklearn.svm.SVC` has the same parameter. Needs R with e1071, and
    rpy2 (3.5.17 for an R before 4.5).

    Parameters
    ----------
    kernel : {"radial", "linear", "polynomial", "sigmoid"}
        The kernel; scikit-learn's names "rbf" and "poly" will do, too.
    C : float
        R's ``cost``.
    gamma : float, "auto" or "scale", optional
        None and "auto" are 1 / number of columns; "scale" also divides by the variance of X, as it is after scaling.
    degree : int
        Of the polynomial kernel.
    coef0 : float
        Of the polynomial and sigmoid kernels.
    scale : bool or array-like of bool
        Which columns to centre and to divide by their standard deviation (with n - 1). If one of them is constant,
        e1071 scales none, and a warning says so.
    type : {"C-classification", "nu-classification"}
        The problem that is solved.
    nu : float
        Of nu-classification.
    class_weight : dict or "balanced", optional
        Factors of `C`, R's ``class.weights``; classes that are not in the dict have 1.
    tolerance : float
        Where LIBSVM stops. R's default is as coarse as scikit-learn's; 1e-10 costs little.
    shrinking : bool
        Whether LIBSVM sets bounded support vectors aside.
    cachesize : float
        Megabytes for the kernel's values.
    probability : bool
        Whether to fit sigmoids, in a cross-validation, for :meth:`predict_proba`.
    decision_function_shape : {"ovr", "ovo"}
        What :meth:`decision_function` returns for more than two classes: a column for each class, or R's decision
        values, a column for each pair.
    random_state : int, RandomState instance or None
        For the cross-validation of ``probability=True``. A whole number is R's: the sigmoids are those of
        ``set.seed(random_state)`` before ``svm(...)``. R's own random numbers go on as if nothing had been drawn.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Their names, when X has some.
    support_ : ndarray of int
        Rows that are support vectors, class by class.
    n_support_ : ndarray of int
        Number of support vectors of each class.
    probA_, probB_ : ndarray or None
        With ``probability=True``, P(class i | class i or j) is :math:`1 / (1 + \exp(A f + B))`, where f is the
        pair's decision value, positive for class i. One entry for each pair of sorted classes, (0,1), (0,2), ...,
        (1,2), ...; for two classes f is minus :meth:`decision_function`.
    rds_ : bytes
        The fitted R object, serialized: written to a file, ``readRDS`` reads it. Its levels "1", "2", ... are
        `classes_`.

    Raises
    ------
    InputError
        When a parameter or R's answer does not permit a fit, or R has no e1071.

    Warns
    -----
    ConvergenceWarning
        When LIBSVM stopped before it reached `tolerance`.

    Notes
    -----
    There is one R in a process, and it does one thing at a time. Calls from several threads, the main one or not, wait
    for each other and for whoever else calls R through rpy2; to use several cores, let joblib start processes (its
    default, "loky"). Fitted models can be pickled and copied; R starts with the first fit or prediction in a process.

    e1071 orders classes by their first appearance in y. Here everything is in the order of `classes_`, but two classes
    with equally many votes are told apart as R does it: the one that appeared first wins.

    References
    ----------
    .. [1] D. Meyer, E. Dimitriadou, K. Hornik, A. Weingessel and F. Leisch, "e1071: Misc Functions of the Department of
       Statistics, Probability Theory Group (Formerly: E1071), TU Wien", R package,
       https://CRAN.R-project.org/package=e1071.
    .. [2] C.-C. Chang and C.-J. Lin, "LIBSVM: A library for support vector machines", ACM Transactions on Intelligent
       Systems and Technology, 2(3), 27:1-27:27, 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pwcstats.r import E1071SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = E1071SVC().fit(X, y)  # svm(Species ~ ., iris) in R
    >>> model.n_support_
    array([ 8, 22, 21], dtype=int32)
    >>> model.predict(X[[0, 60, 120]])
    array([0, 1, 2])
    """

    def __init__(
        self,
        *,
        kernel: str = "radial",
        C: float = 1.0,
        gamma: float | str | None = None,
        degree: int = 3,
        coef0: float = 0.0,
        scale: bool | ArrayLike = True,
        type: str = "C-classification",
        nu: float = 0.5,
        class_weight: Any = None,
        tolerance: float = 1e-3,
        shrinking: bool = True,
        cachesize: float = 40.0,
        probability: bool = False,
        decision_function_shape: str = "ovr",
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.scale = scale
        self.type = type
        self.nu = nu
        self.class_weight = class_weight
        self.tolerance = tolerance
        self.shrinking = shrinking
        self.cachesize = cachesize
        self.probability = probability
        self.decision_function_shape = decision_function_shape
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "E1071SVC":
        """Fit e1071's model.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Rows of finite numbers.
        y : array-like of shape (n,)
            Their classes: numbers or strings, at least two different ones.

        Returns
        -------
        E1071SVC
            The fitted model itself.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError(f"y must have at least two classes, got 1 class ({shown(self.classes_[0])}).")
        answer = _call("fit", X, (codes + 1).astype(np.int32), len(self.classes_), *self._arguments(X, y))

        self.rds_ = answer["rds"]
        support = answer["index"] - 1
        self.support_ = support[np.argsort(codes[support], kind="stable")]
        self.n_support_ = np.bincount(codes[support], minlength=len(self.classes_)).astype(np.int32)
        self.probA_ = self.probB_ = None
        if self.probability:
            column, sign = _sorted_pairs(answer["labels"])
            # Of a pair the other way round: 1 - 1 / (1 + exp(A f + B)) = 1 / (1 + exp(A (-f) - B)).
            self.probA_ = answer["A"][column]
            self.probB_ = sign * answer["B"][column]
        return self

    def _arguments(self, X: Array, y: NDArray[Any]) -> list[Any]:
        """The parameters, checked, in the order of R_CODE's fit."""
        kind = _params.choice(self.type, TYPES, "type")
        _params.choice(self.decision_function_shape, SHAPES, "decision_function_shape")
        return [
            read_scale(self.scale, X.shape[1]),
            kind,
            KERNELS[_params.choice(self.kernel, KERNELS, "kernel")],
            _params.count(self.degree, "degree", 0),
            read_gamma(self.gamma, X.shape[1]),
            read_number(self.coef0, "coef0"),
            read_number(self.C, "C", positive=True),
            read_number(self.nu, "nu", positive=True),
            read_class_weight(self.class_weight, kind, self.classes_, y),
            read_number(self.cachesize, "cachesize", positive=True),
            read_number(self.tolerance, "tolerance", positive=True),
            bool(self.shrinking),
            bool(self.probability),
            read_r_seed(self.random_state) if self.probability else None,
        ]

    def _ask(self, X: Any, what: str) -> tuple[NDArray[np.int32], NDArray[Any]]:
        """What e1071's predict says about X, and its order of the classes."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        answer = _call("predict", self.rds_, X, what)
        return answer["labels"], answer["values"]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict classes: e1071's own predictions, which go by votes.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n,)
            Their classes.
        """
        _, codes = self._ask(X, "class")
        return self.classes_[codes - 1]

    def decision_function(self, X: Any) -> Array:
        """Decision values, in scikit-learn's order and with its signs.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Rows to classify.

        Returns
        -------
        ndarray
            For two classes (n,), positive for ``classes_[1]``. For K classes and "ovr" (n, K), where the largest is the
            class with most votes; for "ovo" (n, K(K-1)/2), where the pairs (0,1), (0,2), ..., (1,2), ... of
            `classes_` have positive values for their first class.
        """
        labels, values = self._ask(X, "decision.values")
        column, sign = _sorted_pairs(labels)
        pairs = sign * values[:, column]
        if len(self.classes_) == 2:
            return -pairs[:, 0]
        return pairs if self.decision_function_shape == "ovo" else _one_vs_rest(pairs, len(self.classes_))

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Array:
        """Class probabilities: e1071's own. As in R, their maximum need not be what :meth:`predict` says.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n, K)
            A column for each of `classes_`.
        """
        check_is_fitted(self)
        if self.probA_ is None:
            raise InputError("predict_proba needs probability=True before fit: fit again.")
        labels, values = self._ask(X, "probabilities")
        return values[:, np.argsort(labels)]
