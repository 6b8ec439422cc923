"""Learners by name, for R and the command line.

Options and defaults are those of R: ``svm()`` of e1071, ``lda()`` and ``qda()`` of MASS, ``knn()`` of class, and
``rpart.control()``. A new learner is a row in `LEARNERS`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import has_fit_parameter

from pwcstats import _params
from pwcstats._arrays import as_float
from pwcstats._text import did_you_mean
from pwcstats.errors import InputError, arg, value
from pwcstats.pairwise.neighbors import BiasedNeighborsClassifier

# e1071's names of kernels, and scikit-learn's.
KERNELS = {"linear": "linear", "radial": "rbf", "polynomial": "poly", "sigmoid": "sigmoid"}


@dataclass(frozen=True)
class Option:
    """An option of a learner: scikit-learn's name for it, its default, and what checks and translates its value."""

    parameter: str
    default: Any
    read: Callable[[Any, str], Any]


@dataclass(frozen=True)
class NamedLearner:
    """A function that makes a learner, and the options that the user can choose."""

    make: Callable[..., Any]
    options: dict[str, Option] = field(default_factory=dict)

    def made(self, **given: Any) -> Any:
        """The learner with the given options, and defaults for the others."""
        return self.make(
            **{
                option.parameter: option.read(given.get(key, option.default), key)
                for key, option in self.options.items()
            }
        )

    @property
    def takes_weights(self) -> bool:
        """Whether its fits take weights of the rows."""
        return bool(has_fit_parameter(self.made(), "sample_weight"))


def make_learner(name: str, **options: Any) -> Any:
    """A learner that is yet to be fitted.

    Parameters
    ----------
    name : {"svm", "lda", "qda", "nb", "knn", "biased_knn", "logistic", "tree"}
        Support vector machine, linear and quadratic discriminant analysis, Gaussian naive Bayes, nearest neighbours,
        nearest neighbours with biased distances, logistic regression with a ridge penalty, classification tree.
    **options
        Options of the learner, named as in R:

        - svm: `kernel` ("linear", "radial", "polynomial" or "sigmoid"; default "radial"), `cost` (1), `gamma`
          (None: 1 / number of columns), `degree` (3), `coef0` (0), `tolerance` (0.001), `class_weights` (a dict)
        - lda, qda, nb: `prior` (probabilities of all classes in their sorted order; None: shares of the rows)
        - qda: `reg_param` (0)
        - knn: `k` (5)
        - biased_knn: `k` and `bias`, the logarithm of the factor of distances (None: chosen for each pair)
        - logistic: `cost` (1), the inverse of the penalty
        - tree: `minsplit` (20), `minbucket` (None: a third of `minsplit`), `maxdepth` (30)

    Returns
    -------
    estimator
        An estimator of scikit-learn.

    Examples
    --------
    >>> from pwcstats.pairwise.named import make_learner
    >>> make_learner("svm", cost=10, kernel="linear")
    SVC(C=10.0, gamma='auto', kernel='linear', max_iter=10000000)
    """
    learner = LEARNERS[_params.choice(name, LEARNERS, "name")]
    unknown = [key for key in options if key not in learner.options]
    if unknown:
        known = ", ".join(map(arg, learner.options))
        hint = did_you_mean(unknown[0], learner.options)
        raise InputError(f"the learner {name!r} has no option {arg(unknown[0])}; it has {known}.{hint}")
    return learner.made(**options)


# Checks of options


def _positive(given: Any, name: str) -> float:
    return _params.number(given, name, "a number above 0", lambda x: 0.0 < x < math.inf)


def _share(given: Any, name: str) -> float:
    return _params.number(given, name, "a number between 0 and 1", lambda x: 0.0 <= x <= 1.0)


def _kernel(given: Any, name: str) -> str:
    return KERNELS[_params.choice(given, KERNELS, name)]


def _gamma(given: Any, name: str) -> Any:
    # scikit-learn's "auto" is e1071's default, 1 / number of columns.
    return "auto" if given is None else _positive(given, name)


def _class_weights(given: Any, name: str) -> Any:
    if given is None:
        return None
    if not isinstance(given, dict):
        raise InputError(f"{arg(name)} must be a dict of positive numbers by class, got {value(given)}.")
    return {label: _positive(weight, name) for label, weight in given.items()}


def _prior(given: Any, name: str) -> Any:
    # PairwiseClassifier knows the classes, and checks the rest.
    return None if given is None else as_float(given, name)


def _count_or_auto(given: Any, name: str) -> Any:
    return "auto" if given is None else _params.count(given, name)


def _number_or_auto(given: Any, name: str) -> Any:
    return "auto" if given is None else _params.number(given, name)


def _optional_count(given: Any, name: str) -> int | None:
    return None if given is None else _params.count(given, name)


def _tree(min_samples_split: int, min_samples_leaf: int | None, max_depth: int) -> DecisionTreeClassifier:
    leaf = round(min_samples_split / 3) if min_samples_leaf is None else min_samples_leaf
    return DecisionTreeClassifier(
        min_samples_split=min_samples_split,
        min_samples_leaf=leaf,
        max_depth=max_depth,
        # Of equally good splits, one is drawn.
        random_state=0,
    )


_PRIOR = {"prior": Option("priors", None, _prior)}

LEARNERS: dict[str, NamedLearner] = {
    "svm": NamedLearner(
        # The limit of e1071. Without one, columns of very different sizes take hours, and R cannot interrupt a fit.
        partial(SVC, max_iter=10_000_000),
        {
            "kernel": Option("kernel", "radial", _kernel),
            "cost": Option("C", 1.0, _positive),
            "gamma": Option("gamma", None, _gamma),
            "degree": Option("degree", 3, _params.count),
            "coef0": Option("coef0", 0.0, _params.number),
            "tolerance": Option("tol", 0.001, _positive),
            "class_weights": Option("class_weight", None, _class_weights),
        },
    ),
    "lda": NamedLearner(LinearDiscriminantAnalysis, _PRIOR),
    "qda": NamedLearner(QuadraticDiscriminantAnalysis, _PRIOR | {"reg_param": Option("reg_param", 0.0, _share)}),
    "nb": NamedLearner(GaussianNB, _PRIOR),
    "knn": NamedLearner(KNeighborsClassifier, {"k": Option("n_neighbors", 5, _params.count)}),
    "biased_knn": NamedLearner(
        BiasedNeighborsClassifier,
        {"k": Option("n_neighbors", None, _count_or_auto), "bias": Option("bias", None, _number_or_auto)},
    ),
    "logistic": NamedLearner(
        partial(LogisticRegression, tol=1e-8, max_iter=10_000), {"cost": Option("C", 1.0, _positive)}
    ),
    "tree": NamedLearner(
        _tree,
        {
            "minsplit": Option("min_samples_split", 20, partial(_params.count, least=2)),
            "minbucket": Option("min_samples_leaf", None, _optional_count),
            "maxdepth": Option("max_depth", 30, _params.count),
        },
    ),
}
