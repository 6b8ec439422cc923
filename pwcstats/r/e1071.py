"""R's support vector classifier, e1071, as a scikit-learn estimator."""

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._text import shown
from pwcstats.errors import ConvergenceWarning, InputError, PwcWarning, arg, code, value, warn
from pwcstats.pairwise.data import check_several_classes
from pwcstats.r._session import RFile, read_seed

__all__ = ["E1071SVC"]

KERNELS = {"linear": "linear", "polynomial": "polynomial", "radial": "radial", "sigmoid": "sigmoid"}
KERNELS |= {"poly": "polynomial", "rbf": "radial"}
TYPES = ("C-classification", "nu-classification")
SHAPES = ("ovr", "ovo")

E1071 = RFile("e1071.R")


def _call(name: str, **args: Any) -> dict[str, Any]:
    """Call a function of e1071.R."""
    answer = E1071.call(name, packages=["e1071"], says="R's e1071", **args)
    for text in answer.warnings:
        more = " e1071 then scales no column at all; X1 is the first column." if "Cannot scale" in text else ""
        warn(PwcWarning(f"R's e1071 says: {text}{more}"))
    if "max number of iterations" in answer.printed:
        warn(
            ConvergenceWarning(
                f"LIBSVM stopped after 10 million steps, before it reached the tolerance; scale {arg('X')}, or raise "
                f"{arg('tolerance')}."
            )
        )
    return answer.value


def _sorted_pairs(labels: NDArray[np.int32]) -> tuple[NDArray[np.intp], Array]:
    """For each pair of sorted classes, its index among R's pairs and its sign there.

    R's pairs are those of `labels`: the classes, counted from 1, in the order of their first appearance in y.
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
    """scikit-learn's "ovr": votes, plus sums of decision values mapped into (-1/3, 1/3)."""
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
        raise AttributeError("predict_proba needs probability=True at the time of fit.")
    return True


def _read_positive(given: Any, name: str, of: str = "") -> float:
    """A positive finite number. e1071 itself checks other ranges."""
    return _params.number(given, name, "a positive number", lambda x: 0.0 < x < math.inf, of=of)


def _read_scale(scale: Any, n_features: int) -> NDArray[np.bool_]:
    """Whether to scale each column."""
    columns = np.asarray(scale)
    if columns.dtype != bool or columns.shape not in ((), (n_features,)):
        raise InputError(
            f"{arg('scale')} must be {value(True)}, {value(False)}, or one of them for each of the {n_features} "
            f"columns, got {value(scale)}."
        )
    return np.broadcast_to(columns, n_features).copy()


def _read_gamma(gamma: Any, n_features: int) -> float | None:
    """The number, or None for "scale", which R computes because R scales the columns."""
    if gamma is None or (isinstance(gamma, str) and gamma == "auto"):
        return 1.0 / n_features
    if isinstance(gamma, str):
        if gamma != "scale":
            raise InputError(
                f"{arg('gamma')} must be a number, {value('auto')}, {value('scale')} or {value(None)}, got "
                f"{value(gamma)}."
            )
        return None
    return _params.number(gamma, "gamma")


def _read_class_weight(weights: Any, kind: str, classes: NDArray[Any], y: NDArray[Any]) -> Array | None:
    """A positive weight for each class, or None."""
    if weights is None:
        return None
    if kind == "nu-classification":
        raise InputError(
            f"{arg('class_weight')} works with {arg('type', 'C-classification')} only: R ignores it in "
            "nu-classification."
        )
    if isinstance(weights, dict):
        for label, weight in weights.items():
            _read_positive(weight, "class_weight", f" of class {shown(label)}")
    elif weights != "balanced":
        raise InputError(
            f"{arg('class_weight')} must be a dict, {value('balanced')} or {value(None)}, got {value(weights)}."
        )
    try:
        return np.asarray(compute_class_weight(weights, classes=classes, y=y), dtype=np.float64)
    except ValueError as error:
        raise InputError(str(error)) from None


class E1071SVC(ClassifierMixin, BaseEstimator):
    r"""R's support vector classifier, ``e1071::svm``, as a scikit-learn classifier.

    This is e1071 itself, called from Python: scaling, defaults and predictions are those of R. Parameters have R's
    defaults, and scikit-learn's names if :class:`sklearn.svm.SVC` has the same parameter. Requires R with e1071, and
    rpy2 (3.5.17 if R is older than 4.5).

    Parameters
    ----------
    kernel : {"radial", "linear", "polynomial", "sigmoid"}
        Kernel. scikit-learn's names "rbf" and "poly" also work.
    C : float
        Cost, R's ``cost``.
    gamma : float, "auto" or "scale", optional
        Kernel coefficient. None and "auto" are 1 / number of columns; "scale" also divides by the variance of the
        scaled X.
    degree : int
        Degree of the polynomial kernel.
    coef0 : float
        Constant of the polynomial and sigmoid kernels.
    scale : bool or array-like of bool
        Which columns to centre and divide by their standard deviations (divisor n - 1). If one of them is constant,
        e1071 warns and scales no column.
    type : {"C-classification", "nu-classification"}
        Type of support vector machine.
    nu : float
        Parameter of nu-classification.
    class_weight : dict or "balanced", optional
        Factors of `C`, R's ``class.weights``. Classes that are not in the dict have weight 1.
    tolerance : float
        Tolerance at which LIBSVM stops. R's default is as coarse as scikit-learn's; 1e-10 costs little.
    shrinking : bool
        Whether to use LIBSVM's shrinking heuristic.
    cachesize : float
        Size of the kernel cache in megabytes.
    probability : bool
        Whether to fit sigmoids by cross-validation, for :meth:`predict_proba`.
    decision_function_shape : {"ovr", "ovo"}
        What :meth:`decision_function` returns for more than two classes: one column for each class, or R's decision
        values, one column for each pair.
    random_state : int, RandomState instance or None
        Seed of the cross-validation of ``probability=True``. With an integer, the sigmoids are those that R finds after
        ``set.seed(random_state)``. The state of R's random number generator does not change.

    Attributes
    ----------
    classes_ : ndarray
        Class labels, sorted.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns, if X has names.
    support_ : ndarray of int
        Indices of the support vectors, class by class.
    n_support_ : ndarray of int
        Number of support vectors of each class.
    probA_, probB_ : ndarray or None
        With ``probability=True``, P(class i | class i or j) is :math:`1 / (1 + \exp(A f + B))`, where f is the
        decision value of the pair, positive for class i. One entry for each pair of sorted classes, (0,1), (0,2), ...,
        (1,2), ...; for two classes f is minus :meth:`decision_function`.
    rds_ : bytes
        The fitted R object, serialized. Written to a file, it can be read by ``readRDS``. Its levels "1", "2", ...
        stand for `classes_`.

    Raises
    ------
    InputError
        If a parameter is invalid, R reports an error, or R does not have e1071.

    Warns
    -----
    ConvergenceWarning
        If LIBSVM stopped before it reached `tolerance`.

    Notes
    -----
    A process has one R, which runs one call at a time. Calls from several threads wait for each other, and for other
    calls of R through rpy2. To use several cores, let joblib start processes (its default, "loky"). Fitted models can
    be pickled and copied. R starts with the first fit or prediction in a process.

    e1071 orders classes by their first appearance in y. Here everything is in the order of `classes_`, except that ties
    between votes are broken as in R: the class that appeared first wins.

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
        kernel: Literal["radial", "linear", "polynomial", "sigmoid", "rbf", "poly"] = "radial",
        C: float = 1.0,
        gamma: float | Literal["auto", "scale"] | None = None,
        degree: int = 3,
        coef0: float = 0.0,
        scale: bool | ArrayLike = True,
        type: Literal["C-classification", "nu-classification"] = "C-classification",
        nu: float = 0.5,
        class_weight: Any = None,
        tolerance: float = 1e-3,
        shrinking: bool = True,
        cachesize: float = 40.0,
        probability: bool = False,
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
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
            Class labels: numbers or strings, at least two classes.

        Returns
        -------
        E1071SVC
            The fitted model.
        """
        options = self._options()
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        check_several_classes(self.classes_)
        answer = _call(
            "fit",
            x=X,
            y=(codes + 1).astype(np.int32),
            n_classes=len(self.classes_),
            scale=_read_scale(self.scale, X.shape[1]),
            gamma=_read_gamma(self.gamma, X.shape[1]),
            weights=_read_class_weight(self.class_weight, self.type, self.classes_, y),
            **options,
        )

        self.rds_ = answer["rds"]
        support = answer["index"] - 1
        self.support_ = support[np.argsort(codes[support], kind="stable")]
        self.n_support_ = np.bincount(codes[support], minlength=len(self.classes_)).astype(np.int32)
        self.probA_ = self.probB_ = None
        if self.probability:
            column, sign = _sorted_pairs(answer["labels"])
            # For a pair in reverse order: 1 - 1 / (1 + exp(A f + B)) = 1 / (1 + exp(A (-f) - B)).
            self.probA_ = answer["A"][column]
            self.probB_ = sign * answer["B"][column]
        return self

    def _options(self) -> dict[str, Any]:
        """Arguments of e1071.R's fit that do not depend on the data."""
        _params.choice(self.decision_function_shape, SHAPES, "decision_function_shape")
        return {
            "type": _params.choice(self.type, TYPES, "type"),
            "kernel": KERNELS[_params.choice(self.kernel, KERNELS, "kernel")],
            "degree": _params.count(self.degree, "degree", 0),
            "coef0": _params.number(self.coef0, "coef0"),
            "cost": _read_positive(self.C, "C"),
            "nu": _read_positive(self.nu, "nu"),
            "cachesize": _read_positive(self.cachesize, "cachesize"),
            "tolerance": _read_positive(self.tolerance, "tolerance"),
            "shrinking": bool(self.shrinking),
            "probability": bool(self.probability),
            "seed": read_seed(self.random_state) if self.probability else None,
        }

    def _ask(self, X: Any, what: str) -> tuple[NDArray[np.int32], NDArray[Any]]:
        """Results of e1071's predict, and its order of the classes."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        answer = _call("predict", rds=self.rds_, x=X, what=what)
        return answer["labels"], answer["values"]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict classes by votes, as e1071 does.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n,)
            Class labels.
        """
        _, codes = self._ask(X, "class")
        return self.classes_[codes - 1]

    def decision_function(self, X: Any) -> Array:
        """Decision values, in the order and with the signs of scikit-learn.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Rows to classify.

        Returns
        -------
        ndarray
            For two classes, of shape (n,) and positive for ``classes_[1]``. For K classes and "ovr", of shape (n, K);
            the class with most votes has the largest value. For "ovo", of shape (n, K(K-1)/2), with the pairs (0,1),
            (0,2), ..., (1,2), ... of `classes_`; values are positive for the first class of a pair.
        """
        labels, values = self._ask(X, "decision.values")
        column, sign = _sorted_pairs(labels)
        pairs = sign * values[:, column]
        if len(self.classes_) == 2:
            return -pairs[:, 0]
        return pairs if self.decision_function_shape == "ovo" else _one_vs_rest(pairs, len(self.classes_))

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Array:
        """Class probabilities of e1071. As in R, the likeliest class need not be that of :meth:`predict`.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n, K)
            One column for each of `classes_`.
        """
        check_is_fitted(self)
        if self.probA_ is None:
            raise InputError(
                f"{code('predict_proba')} needs {arg('probability', True)} at the time of {code('fit')}; fit again."
            )
        labels, values = self._ask(X, "probabilities")
        return values[:, np.argsort(labels)]
