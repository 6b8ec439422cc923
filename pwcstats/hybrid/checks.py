"""The wording of errors about hybrids: groups, machines, integrators, thresholds."""

import numbers
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats._text import listed, shown
from pwcstats.errors import InputError
from pwcstats.logit.reading import is_text


def refuse_learner(learner: Any) -> None:
    """Refuse what cannot be fitted, and kernels that are given as a matrix."""
    if isinstance(learner, type):
        raise InputError(f"estimator is the class {learner.__name__}; give an instance, {learner.__name__}().")
    if not hasattr(learner, "fit") or not hasattr(learner, "get_params"):
        raise InputError(f"estimator must be a scikit-learn classifier, such as SVC(kernel='linear'), got {learner!r}.")
    if not hasattr(learner, "decision_function") and not hasattr(learner, "predict_proba"):
        raise InputError(
            f"estimator ({type(learner).__name__}) has neither decision_function nor predict_proba, and so no distance "
            "from a border; choose a learner that has one of them."
        )
    if learner.get_params().get("kernel") == "precomputed":
        raise InputError(
            "kernel='precomputed' cannot be used here; give the rows, and a kernel by name or as a function."
        )


def refuse_words_in_columns(frame: pd.DataFrame) -> None:
    """Refuse columns that are not numbers."""
    words = [name for name, column in frame.items() if not pd.api.types.is_numeric_dtype(column)]
    words = [name for name in words if is_text(frame[name])]
    if words:
        raise InputError(
            f"X must hold numbers, got words in the columns {listed(words)}; encode them, as by a OneHotEncoder in a "
            "pipeline, or leave them out."
        )


def failed_machine(name: str, learner: Any, error: Exception) -> InputError:
    """What to raise where a machine cannot be fitted."""
    return InputError(f"the local {type(learner).__name__} of {name} failed: {str(error).strip()}")


def stopped_machines(names: list[str], limit: int) -> str:
    """What to say where machines stopped before they converged."""
    return (
        f"the support vector machines of {listed(names)} stopped after {limit} steps, before they converged, so their "
        "distances are approximate; standardise the columns, or choose a lower cost (C) or a higher tolerance."
    )


def refuse_indefinite(square: float, rounding: float, name: str, machine: Any) -> None:
    """Refuse a kernel in whose space lengths are not defined."""
    if square < -rounding:
        raise InputError(
            f"kernel={machine.kernel!r} is not positive definite on these rows: the machine of {name} has "
            f"||w||^2 = {square:.3g}, so distances are not defined; choose another kernel, or its other parameters."
        )


def one_number(value: Any) -> Any:
    """Refuse what is not a number of clusters, a clusterer or a label for each row."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise InputError(
            "n_clusters must be 'auto', a whole number, a clusterer with fit_predict, or a label for each row, got "
            f"{value!r}."
        )
    return value


def refuse_class(clusterer: Any) -> None:
    """Refuse a class in place of a clusterer."""
    if isinstance(clusterer, type):
        raise InputError(f"n_clusters is the class {clusterer.__name__}; give an instance, {clusterer.__name__}().")


def number_of_parts(value: Any) -> Any:
    """Refuse what is no number of parts."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        kind = value if isinstance(value, (str, float)) else type(value).__name__
        raise InputError(
            f"with split='folds', n_clusters is the number of parts, 'auto' or a whole number, got {kind!r}; for "
            "clusters use split='negatives'."
        )
    return value


def refuse_misaligned_clusters(x: Any, clusters: Any) -> None:
    """Refuse labels of clusters whose rows are labelled in another way than those of X."""
    if isinstance(x, pd.DataFrame) and isinstance(clusters, pd.Series) and not clusters.index.equals(x.index):
        raise InputError(
            "the rows of clusters and X have different labels or another order; align them first, or give clusters as "
            "an array."
        )


def no_score_of_classes(scoring: Any) -> InputError:
    """What to raise where a score asks for probabilities."""
    return InputError(
        f"scoring must be a score of predicted classes, such as 'f1' or 'accuracy', which a threshold can change, got "
        f"{scoring!r}."
    )


def refuse_many_clusters(number: int, n_negative: int) -> None:
    """Refuse more clusters than rows."""
    if number > n_negative:
        raise InputError(f"n_clusters is {number}, but there are {n_negative} negative rows; ask for fewer.")


def read_sub_labels(given: Any, positive: NDArray[np.bool_]) -> NDArray[Any]:
    """Labels of groups, one for each row; those of the positives do not matter."""
    missing = np.asarray(pd.isna(pd.Series(given, dtype=object))) if np.ndim(given) == 1 else None
    labels = np.asarray(given)
    if labels.shape != positive.shape or missing is None:
        came = " x ".join(map(str, labels.shape)) if labels.ndim else "a single value"
        raise InputError(
            f"clusters must be one label for each of the {len(positive)} rows, got {came}; those of positive rows may "
            "be anything. (In a cross-validation give them to fit(X, y, clusters=...), not to n_clusters.)"
        )
    if (missing & ~positive).any():
        row = int(np.argmax(missing & ~positive))
        raise InputError(f"clusters is missing in row {row}, a negative one; give it a label.")
    return labels


def read_names(names: Any) -> list[str]:
    """Names of clusters, as words that differ."""
    words = [str(name) for name in names]
    if len(set(words)) < len(words):
        twice = next(word for word in words if words.count(word) > 1)
        raise InputError(f"two labels of clusters are written {twice!r}; make them all numbers, or all words.")
    return words


def refuse_logit_of_classes(integrator: str, classes: NDArray[Any]) -> None:
    """Refuse a binary model of more than two classes."""
    if integrator == "logit" and len(classes) > 2:
        raise InputError(
            f"integrator='logit' is for two classes, got {len(classes)}, {listed(map(shown, classes))}; use another."
        )


def read_positive(pos_label: Any, classes: NDArray[Any], name: str = "pos_label") -> int:
    """Place of a label among the classes."""
    found = np.flatnonzero(classes == pos_label)
    if not len(found):
        raise InputError(f"{name} must be one of the classes of y, {listed(map(shown, classes))}, got {pos_label!r}.")
    return int(found[0])


def refuse_threshold(value: Any) -> None:
    """Refuse what is neither a rule nor a probability."""
    known = ("cv", "prevalence")
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not (isinstance(value, str) and value in known) and not (number and 0.0 <= float(value) <= 1.0):
        raise InputError(f"threshold must be 'cv', 'prevalence', or a probability between 0 and 1, got {value!r}.")


def refuse_folds_of_classes(classes: NDArray[Any], split: str) -> None:
    """Refuse split="folds" with more than two classes."""
    if split == "folds":
        raise InputError(
            "Only binary classification is supported. The type of the target is multiclass, with the classes "
            f"{listed(map(shown, classes))}; use split='negatives' in place of 'folds'."
        )


def refuse_many_parts(number: int, rarest: int) -> None:
    """Refuse more parts than each class has rows."""
    if number > rarest:
        raise InputError(
            f"n_clusters asks for {number} parts with both classes, but the rarer class has {rarest} rows; ask for "
            "fewer."
        )


def refuse_cv(value: Any, name: str, none: bool) -> None:
    """Refuse single folds, and words."""
    if value is None and none:
        return
    number = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if (number and value < 2) or isinstance(value, (str, bool, float)) or value is None:
        extra = ", or None" if none else ""
        raise InputError(f"{name} must be a number of folds from 2 on, or a splitter{extra}, got {value!r}.")


def separated(columns: Any, where: str) -> InputError:
    """What to raise where maximum likelihood was asked for and has no finite answer."""
    return InputError(
        f"a combination of the distances {listed(columns)} separates groups{where}, so that there is no maximum "
        "likelihood estimate; use penalty='auto' or 'firth'."
    )


def singular(where: str) -> InputError:
    """What to raise where statsmodels' information is singular."""
    return InputError(
        f"the distances all but separate the groups{where}, or hardly vary, so that the maximum likelihood fit is "
        "singular; use penalty='auto' or 'firth'."
    )


def refuse_select(integrator: str) -> None:
    """Refuse a selection of terms where there is none."""
    raise InputError(
        f"select cannot be used with integrator={integrator!r}, which is several fits; use another integrator, or "
        "select=None."
    )


def refuse_no_order(dtype: pd.CategoricalDtype) -> None:
    """Refuse a Categorical without an order."""
    if not dtype.ordered:
        raise InputError(
            f"y has classes without an order, {listed(dtype.categories)}; make it an ordered Categorical, or give "
            "categories=, from the lowest to the highest."
        )


def words_in_alphabet(classes: Any) -> str:
    """What to say where words are put in order."""
    return (
        f"the classes are words, taken in alphabetical order, {listed(map(shown, classes))}; if this is not their "
        "order, give categories=, from the lowest to the highest, or an ordered Categorical."
    )


def read_categories(categories: Any, classes: NDArray[Any]) -> NDArray[np.int64]:
    """Places of the classes in the order of `categories`; categories that are not in y are left out."""
    if isinstance(categories, str) or not hasattr(categories, "__iter__"):
        raise InputError(f"categories must be a list of classes, from the lowest to the highest, got {categories!r}.")
    given = list(categories)
    labels = classes.tolist()
    odd = [label for label in labels if label not in given]
    if odd:
        raise InputError(f"y has classes that are not among the categories, {listed(map(shown, odd))}; add them.")
    if len(set(given)) < len(given):
        raise InputError(f"categories must be different from each other, got {listed(map(shown, given))}.")
    return np.array([labels.index(label) for label in given if label in labels], dtype=np.int64)


def separated_order(where: str) -> InputError:
    """What to raise where the ordered logit has no finite estimate."""
    return InputError(
        f"the distances separate the classes{where}, so that the ordered logit has no maximum likelihood estimate; use "
        "integrator='cratio', which takes Firth's penalty there."
    )


def refuse_unused_clusters(clusters: Any, n_clusters: Any, split: str, classes: NDArray[Any]) -> None:
    """Refuse clusters of negatives where there are none."""
    if len(classes) > 2 and (clusters is not None or (not isinstance(n_clusters, str) and np.ndim(n_clusters) == 1)):
        raise InputError(
            f"clusters are groups of the negatives of two classes, but y has {len(classes)}, each a group of its own; "
            "leave clusters and n_clusters out."
        )
    if split == "folds" and clusters is not None:
        raise InputError("split='folds' makes random parts and uses no clusters; leave them out, or the split.")


def refuse_penalised_order(integrator: str, penalty: str | None) -> None:
    """Refuse Firth's penalty where there is none."""
    if integrator == "ordered" and penalty == "firth":
        raise InputError("integrator='ordered' has no Firth penalty; use integrator='cratio', or penalty='auto'.")
