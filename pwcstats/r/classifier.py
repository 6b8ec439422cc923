"""Any classifier of R as a scikit-learn estimator."""

import re
from collections.abc import Callable
from functools import lru_cache
from types import MethodType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, assert_all_finite, check_is_fitted, validate_data

from pwcstats._arrays import Array
from pwcstats._text import did_you_mean, listed, shown
from pwcstats.errors import InputError, PwcWarning, arg, value, warn
from pwcstats.pairwise.data import check_several_classes
from pwcstats.r._convert import factor_to_r
from pwcstats.r._session import RFile, read_seed, running
from pwcstats.r.recipes import RECIPES, Recipe

# Sums of probabilities may have rounding errors.
ROUNDING = 1e-6
CLASSIFIER = RFile("classifier.R")


class _Fit:
    """The method `fit`, which has the parameter `sample_weight` only if the R function takes weights."""

    def __init__(self, fit: Callable[..., Any]) -> None:
        self.weighted = fit

    def __get__(self, model: "RClassifier | None", owner: type) -> Callable[..., Any]:
        if model is None:
            return self.weighted
        if model._takes_weights():
            return MethodType(self.weighted, model)

        def fit(self: "RClassifier", X: Any, y: Any) -> "RClassifier":
            return weighted(self, X, y)

        weighted = self.weighted
        fit.__doc__ = weighted.__doc__
        return MethodType(fit, model)


class RClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of R as a scikit-learn classifier.

    R fits and predicts, with the defaults of the R function. Requires R with the function's package, and rpy2 (3.5.17
    if R is older than 4.5).

    Parameters
    ----------
    function : str, optional
        The R function, with its package. These work as they are: "class::knn", "e1071::naiveBayes", "e1071::svm",
        "ipred::bagging", "kernlab::ksvm", "MASS::lda", "MASS::qda", "nnet::multinom", "nnet::nnet", "ranger::ranger"
        and "rpart::rpart". Any other function that takes a formula and data needs `prob_code`.
    args : dict, optional
        Arguments of the function, named as in R: ``{"num.trees": 500}``. Lists of numbers or strings are vectors,
        a series with an index of strings is a named vector, a dict is a list.
    predict_args : dict, optional
        More arguments of R's ``predict``, or of `prob_code`.
    fit_code : str, optional
        R code of a function that fits a model, instead of `function`: ``"function(x, y) ..."``. x is a matrix with
        column names if X is an array, and a data frame if X is one. y is a factor with levels in the order of
        `classes_`. If the function has an argument ``weights``, it gets those of the rows. `args` are more arguments.
    prob_code : str, optional
        R code of a function that returns probabilities of new rows: ``"function(model, x) ..."``. It returns a matrix
        with one column for each class, named by the levels or in their order, or for two classes the probabilities of
        the second one. A single column may also have the name of the first class.
    random_state : int, RandomState instance or None
        Seed of R for the fit and for each prediction. With an integer, results are those that R finds after
        ``set.seed(random_state)``. The state of R's random number generator does not change.

    Attributes
    ----------
    classes_ : ndarray
        Class labels, sorted.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns, if X has names.
    rds_ : bytes
        The fitted R object, serialized. Written to a file, it can be read by ``readRDS``.

    Raises
    ------
    InputError
        If a parameter is invalid, R reports an error, R does not have the package, or the answers are not
        probabilities.

    Warns
    -----
    PwcWarning
        What R warns about.

    See Also
    --------
    E1071SVC : ``e1071::svm`` with the parameters, attributes and decision values of a scikit-learn estimator.

    Notes
    -----
    Data frames cross with their column names and types: categories and strings become factors, ordered if the
    categories are. Predictions use the levels of the fit, and refuse new ones. Columns of an array are called V1, V2,
    ... Missing values are refused, unless the R function uses rows that have them ("rpart::rpart", "ipred::bagging",
    "e1071::naiveBayes") or `fit_code` is yours.

    :meth:`predict` returns the likeliest class.

    The method ``fit`` has the parameter ``sample_weight`` if the R function has weights: "nnet::multinom",
    "nnet::nnet", "rpart::rpart" and "ranger::ranger", where they are R's ``case.weights``, the odds of being drawn.

    A process has one R, which runs one call at a time. To use several cores, let joblib start processes (its default,
    "loky"). ranger uses all cores by itself, unless `args` has ``{"num.threads": 1}``. Fitted models can be pickled and
    copied.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pwcstats.r import RClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = RClassifier("rpart::rpart", args={"maxdepth": 2}).fit(X, y)
    >>> tree.predict_proba(X[50:51]).round(3)
    array([[0.   , 0.907, 0.093]])

    A function that is not in the list, with its two functions in R:

    >>> logistic = RClassifier(
    ...     fit_code="function(x, y) glm(y ~ ., binomial, data.frame(x, y))",
    ...     prob_code="function(model, x) predict(model, data.frame(x), type = 'response')",
    ... )
    >>> logistic.fit(X[50:], y[50:]).predict_proba(X[50:51]).round(3)
    array([[1., 0.]])
    """

    def __init__(
        self,
        function: str | None = None,
        *,
        args: dict[str, Any] | None = None,
        predict_args: dict[str, Any] | None = None,
        fit_code: str | None = None,
        prob_code: str | None = None,
        random_state: Any = None,
    ) -> None:
        self.function = function
        self.args = args
        self.predict_args = predict_args
        self.fit_code = fit_code
        self.prob_code = prob_code
        self.random_state = random_state

    @_Fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "RClassifier":
        """Fit the model in R.

        Parameters
        ----------
        X : array-like or data frame of shape (n, p)
            Rows of numbers, or a frame.
        y : array-like of shape (n,)
            Class labels: numbers or strings, at least two classes.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows. There is no such parameter if the R function takes no weights.

        Returns
        -------
        RClassifier
            The fitted model.
        """
        recipe = self._recipe()
        X, y = self._training_rows(X, y, recipe)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        check_several_classes(self.classes_)
        if sample_weight is not None:
            if recipe.weights in (self.args or {}):
                raise InputError(f"{arg('sample_weight')} and {arg('args')} both give {recipe.weights}.")
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        # The seed of predictions is that of the fit.
        self._seed = read_seed(self.random_state)
        with running():
            self.rds_ = self._call(
                "fit",
                fun=self.function,
                code=recipe.fit,
                prob_code=recipe.prob,
                weights_name=recipe.weights,
                x=X,
                columns=_array_names(X),
                y=factor_to_r(codes, self._levels()),
                weights=sample_weight,
                options={**recipe.args, **(self.args or {})},
                seed=self._seed,
            )
        return self

    def predict_proba(self, X: Any) -> Array:
        """Class probabilities.

        Parameters
        ----------
        X : array-like or data frame of shape (n, p)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n, K)
            One column for each of `classes_`.
        """
        check_is_fitted(self)
        X = self._new_rows(X)
        answer = self._call(
            "prob",
            rds=self.rds_,
            code=self._recipe().prob,
            x=X,
            columns=_array_names(X),
            options=self.predict_args or {},
            seed=self._seed,
        )
        return _read_probabilities(answer["p"], answer["labels"], self._levels(), len(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the likeliest classes.

        Parameters
        ----------
        X : array-like or data frame of shape (n, p)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n,)
            Class labels.
        """
        p = self.predict_proba(X)
        return self.classes_[p.argmax(axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.fit_code is not None or self._row().missing
        return tags

    def _row(self) -> Recipe:
        """The row of the table, or one that has R code only."""
        return RECIPES.get(self.function or "", Recipe(""))

    def _recipe(self) -> Recipe:
        """How to fit and predict, with the R code that the user gave."""
        if (self.function is None) == (self.fit_code is None):
            raise InputError(f"give either {arg('function')} or {arg('fit_code')}.")
        for name in ("function", "fit_code", "prob_code"):
            if not isinstance(getattr(self, name), str | None):
                raise InputError(f"{arg(name)} must be a string or {value(None)}, got {value(getattr(self, name))}.")
        for name in ("args", "predict_args"):
            if not isinstance(getattr(self, name), dict | None):
                raise InputError(f"{arg(name)} must be a dict or {value(None)}, got {value(getattr(self, name))}.")
        if self.function is not None and not re.fullmatch(r"[A-Za-z][\w.]*::[A-Za-z.][\w.]*", self.function):
            raise InputError(
                f"{arg('function')} must name an R package and its function, as in {value('ranger::ranger')}, got "
                f"{value(self.function)}.{did_you_mean(self.function, RECIPES)}"
            )
        if self.prob_code is None and self.function not in RECIPES:
            known = f", because {self.function} is none of {', '.join(RECIPES)}" if self.function else ""
            hint = did_you_mean(self.function, RECIPES) if self.function else ""
            raise InputError(
                f"{arg('prob_code')} is needed{known}; write the R code of a function that returns a matrix of "
                f"probabilities, {value('function(model, x) predict(model, x)')} for example.{hint}"
            )
        row = self._row()
        return Recipe(self.prob_code or row.prob, row.args, row.weights, row.missing, self.fit_code or row.fit)

    def _takes_weights(self) -> bool:
        if isinstance(self.fit_code, str):
            return _code_takes_weights(self.fit_code)
        return self._row().weights is not None

    def _call(self, name: str, code: str | None, **args: Any) -> Any:
        """Call a function of classifier.R; the packages that the code names must be loaded for predict()."""
        recipe = self._recipe()
        packages = re.findall(r"([A-Za-z][A-Za-z0-9.]*):::?", " ".join(filter(None, (self.function, *_codes(recipe)))))
        says = f"R's {self.function.split('::')[0]}" if self.function else "R"
        answer = CLASSIFIER.call(name, packages=list(dict.fromkeys(packages)), says=says, code=code, **args)
        for text in dict.fromkeys(answer.warnings):
            warn(PwcWarning(f"{says} says: {text}"))
        return answer.value

    def _levels(self) -> list[str]:
        """Names of the classes in R: the labels, or numbers if their texts are empty or not distinct."""
        labels = [str(label) for label in self.classes_]
        usable = all(labels) and len(set(labels)) == len(labels)
        return labels if usable else [str(i + 1) for i in range(len(labels))]

    def _training_rows(self, X: Any, y: Any, recipe: Recipe) -> tuple[Any, NDArray[Any]]:
        """Rows and classes of the fit. `_types` has the types of a frame's columns, and is None for arrays."""
        frame = _as_frame(X)
        missing = self.__sklearn_tags__().input_tags.allow_nan
        self._types: dict[str, Any] | None = None
        if frame is None:
            return validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan" if missing else True)
        validate_data(self, frame, y, skip_check_array=True)
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_consistent_length(frame, y)
        if 0 in frame.shape:
            raise InputError(f"{arg('X')} must have at least one row and one column, got {len(frame)} rows.")
        frame = frame.set_axis([str(name) for name in frame.columns], axis=1).reset_index(drop=True)
        self._types = {name: _type_of(frame[name]) for name in frame.columns}
        return _typed(frame, self._types, missing), y

    def _new_rows(self, X: Any) -> Any:
        """Rows to classify, as those of the fit."""
        frame = _as_frame(X)
        missing = self.__sklearn_tags__().input_tags.allow_nan
        if self._types is None:
            return validate_data(
                self, X, dtype=np.float64, ensure_all_finite="allow-nan" if missing else True, reset=False
            )
        if frame is None:
            frame = pd.DataFrame(validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", reset=False))
        else:
            validate_data(self, frame, skip_check_array=True, reset=False)
        frame = frame.set_axis(list(self._types), axis=1).reset_index(drop=True)
        return _typed(frame, self._types, missing)


@lru_cache(maxsize=64)
def _code_takes_weights(code: str) -> bool:
    try:
        return bool(CLASSIFIER.call("takes_weights", fit=code).value[0])
    except InputError:
        return True  # the fit reports the error


def _codes(recipe: Recipe) -> tuple[str | None, str]:
    return recipe.fit, recipe.prob


def _array_names(X: Any) -> list[str] | None:
    """R's names of the columns of an array; a frame has its own."""
    return None if isinstance(X, pd.DataFrame) else [f"V{i + 1}" for i in range(X.shape[1])]


def _as_frame(X: Any) -> pd.DataFrame | None:
    """A data frame of pandas, or None for an array. Frames of polars are converted."""
    return X if isinstance(X, pd.DataFrame) else X.to_pandas() if hasattr(X, "to_pandas") else None


def _type_of(column: "pd.Series[Any]") -> Any:
    """The type that a column gets before it goes to R: strings become categories."""
    kind = column.dtype
    if pd.api.types.is_object_dtype(kind) or pd.api.types.is_string_dtype(kind):
        present = column.dropna()
        if not isinstance(kind, pd.CategoricalDtype) and all(isinstance(item, str) for item in present):
            return pd.CategoricalDtype(sorted(set(present)))
    return kind


def _typed(frame: pd.DataFrame, types: dict[str, Any], missing: bool) -> pd.DataFrame:
    """The frame with the categories of the fit, checked for missing and infinite values."""
    columns = {}
    for name, kind in types.items():
        column = frame[name]
        if not missing and column.isna().any():
            raise InputError(
                f"{arg('X')} has missing values (NaN) in column {shown(name)}, and this R function does not use rows "
                "that have them; impute them first."
            )
        if isinstance(kind, pd.CategoricalDtype):
            unknown = pd.Index(column.dropna().unique()).difference(kind.categories, sort=False)
            if len(unknown):
                raise InputError(
                    f"column {shown(name)} of {arg('X')} has {listed(unknown)}, which were not among the categories of "
                    "the fit."
                )
            column = column.astype(kind)
        elif pd.api.types.is_numeric_dtype(kind) != pd.api.types.is_numeric_dtype(column.dtype):
            was, now = ("numeric", "is not") if pd.api.types.is_numeric_dtype(kind) else ("not numeric", "is")
            raise InputError(f"column {shown(name)} of {arg('X')} was {was} in the fit, and {now} now.")
        elif pd.api.types.is_bool_dtype(kind) and not pd.api.types.is_bool_dtype(column.dtype):
            # R functions distinguish TRUE from 1.
            if not column.dropna().isin([0, 1]).all():
                raise InputError(f"column {shown(name)} of {arg('X')} was True or False in the fit, and is not now.")
            column = column.astype("boolean")
        elif pd.api.types.is_float_dtype(column.dtype) and np.isinf(column.to_numpy(float, na_value=np.nan)).any():
            raise InputError(f"column {shown(name)} of {arg('X')} has infinite values.")
        columns[name] = column
    return pd.DataFrame(columns)


def _read_probabilities(p: Any, labels: list[str] | None, levels: list[str], n: int) -> Array:
    """A matrix of probabilities in the order of the levels.

    Of two classes, R functions may return one only, the second unless its column has the name of the first; of one row,
    a vector.
    """
    if p.ndim == 1 and n == 1 and len(p) == len(levels):
        p = p[None, :]
    if len(levels) == 2 and p.size == n:
        is_first = p.ndim == 2 and labels == levels[:1]
        p, labels = np.column_stack([1.0 - p.ravel(), p.ravel()]), None
        p = p[:, ::-1] if is_first else p
    if p.shape != (n, len(levels)):
        raise InputError(
            f"R returned {p.size} numbers, and probabilities of {n} rows and {len(levels)} classes are needed; "
            f"correct {arg('prob_code')}, or the arguments."
        )
    if labels is not None:
        if sorted(labels) != sorted(levels):
            raise InputError(
                f"R returned columns named {listed(labels)}, and the classes are {listed(levels)}; name the columns "
                "after all classes, or remove the names."
            )
        p = p[:, [labels.index(level) for level in levels]]
    if not np.isfinite(p).all() or (p < -ROUNDING).any() or (np.abs(p.sum(axis=1) - 1.0) > ROUNDING).any():
        raise InputError(
            "R returned numbers that are not probabilities: they must be from 0 to 1, with sum 1 in each row."
        )
    return np.clip(p, 0.0, 1.0)
