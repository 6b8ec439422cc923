"""Candidates: how they are read, what they become on one pair of classes, and the scores that they give."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection._search import BaseSearchCV
from sklearn.naive_bayes import CategoricalNB
from sklearn.svm import SVC, NuSVC
from sklearn.utils.validation import has_fit_parameter

from pwcstats._arrays import Array, as_float
from pwcstats._text import listed, shown
from pwcstats.coupling.methods import Method
from pwcstats.errors import InputError, PwcWarning, arg, code, value, warn
from pwcstats.pairwise.calibration import log_odds_of
from pwcstats.pairwise.data import ClassPairs, Problem, cut, take

# What a learner's scores are: log-odds of its probabilities, or decision values.
Kind = Literal["probability", "decision"]
PROBABILITY: Kind = "probability"
DECISION: Kind = "decision"
# Iterations of LIBSVM after which default machines stop. With standardised columns they need a few per row.
MAX_ITER = 1_000_000
# Parameters of learners that depend on the classes.
CLASS_SIZES = ("class_weight", "priors", "class_prior")


@dataclass(frozen=True)
class Candidate:
    """A learner that is ready for pairs.

    `params` go to its fits, `kind` says what its scores are, and `method` how they are calibrated (None: not at all).
    """

    name: str
    learner: Any
    params: dict[str, Any]
    kind: Kind
    method: str | None


def read_candidates(estimator: Any) -> dict[str, Any]:
    """Learners by name, from one learner, a list, a list of (name, learner), or a dict."""
    if estimator is None:
        # On standardised columns "auto" equals "scale", also if they are sparse and not centred.
        return {"svc": SVC(gamma="auto", max_iter=MAX_ITER)}
    if isinstance(estimator, Mapping):
        named = list(estimator.items())
    elif isinstance(estimator, (list, tuple)):
        pairs = len(estimator) and all(isinstance(item, tuple) and len(item) == 2 for item in estimator)
        named = list(estimator) if pairs else list(zip(_names(estimator), estimator, strict=True))
    else:
        named = [(_names([estimator])[0], estimator)]
    if not named:
        raise InputError(f"{arg('estimator')} is empty; give a learner, or several in a list or a dict.")
    names = [name for name, _ in named]
    for name, learner in named:
        if not isinstance(name, str) or "__" in name or not name:
            raise InputError(f"names of candidates must be strings without '__', got {value(name)}.")
        if names.count(name) > 1:
            raise InputError(f"names of candidates must differ, got {name!r} twice.")
        if isinstance(learner, type):
            instance = code(f"{learner.__name__}()")
            raise InputError(f"candidate {name!r} is the class {learner.__name__}; give an instance, {instance}.")
        if not hasattr(learner, "fit") or not hasattr(learner, "get_params"):
            what = f"candidate {name!r}" if len(named) > 1 else arg("estimator")
            raise InputError(
                f"{what} must be a scikit-learn classifier, such as {code('SVC()')}, got {value(learner)}."
            )
        if _is_frozen(learner):
            raise InputError(
                f"the learner {name} is frozen, but each pair of classes needs a fit of its own; give the learner "
                f"without {code('FrozenEstimator')}. (Steps before the last one of a pipeline may be frozen. To "
                f"calibrate a classifier that is fitted already, use {code('CalibratedClassifierCV')}.)"
            )
    return dict(named)


def _is_frozen(learner: Any) -> bool:
    """Whether fits would not change the classifier, which may be the last step of a pipeline or inside another one."""
    inner = last_step(learner)
    if isinstance(inner, FrozenEstimator):
        return True
    inside = inner if inner is not learner else getattr(learner, "estimator", None)
    return hasattr(inside, "fit") and _is_frozen(inside)


def _names(learners: Any) -> list[str]:
    """Lower-case names of the learners' classes (of a pipeline, its last step), numbered if they repeat."""
    last = [last_step(learner) for learner in learners]
    names = [(each if isinstance(each, type) else type(each)).__name__.lower() for each in last]
    total, seen = Counter(names), Counter[str]()
    for index, name in enumerate(names):
        if total[name] > 1:
            seen[name] += 1
            names[index] = f"{name}-{seen[name]}"
    return names


def last_step(learner: Any) -> Any:
    """The last step of a pipeline, or the learner itself."""
    return learner.steps[-1][1] if hasattr(learner, "steps") else learner


def _last_prefix(learner: Any) -> str:
    """What comes before the names of the last step's parameters: "" if the learner is no pipeline."""
    return f"{learner.steps[-1][0]}__" if hasattr(learner, "steps") else ""


def kind_of_scores(name: str, learner: Any, calibration: str | None, coupling: Method) -> Kind:
    """Whether a learner gives probabilities or decision values; calibration prefers the latter."""
    probabilities, decisions = hasattr(learner, "predict_proba"), hasattr(learner, "decision_function")
    kind = type(learner).__name__
    if not probabilities and not decisions:
        raise InputError(
            f"{name} ({kind}) has neither {code('predict_proba')} nor {code('decision_function')}, so its pairs cannot "
            "be coupled; choose a learner that has one of them."
        )
    if not probabilities and calibration is None and coupling.needs_probabilities:
        raise InputError(
            f"{name} ({kind}) has no {code('predict_proba')}, so {arg('calibration', None)} leaves decision values, "
            f"which {arg('coupling', coupling.name)} cannot couple; use {arg('calibration', 'auto')}, or "
            f"{arg('coupling', 'vote')}."
        )
    prefers_decisions = calibration not in ("auto", None)
    return DECISION if decisions and (prefers_decisions or not probabilities) else PROBABILITY


def showing_scores(learner: Any, problem: Problem, params: dict[str, Any]) -> Any:
    """A learner that shows which scores it gives; if it shows them only after a fit, as stacks do, a fitted one."""
    if hasattr(learner, "predict_proba") or hasattr(learner, "decision_function"):
        return learner
    rows = problem.rows(0)
    x = take(problem.x, rows, rows if problem.square else None)
    try:
        y = (problem.code[rows] == problem.high[0]).astype(np.int64)
        return for_pair(learner, problem, 0, None).fit(x, y, **cut(params, rows, len(problem.y)))
    except Exception:  # the fits will report the cause
        return learner


def settle(
    learner: Any, problem: Problem, calibration: str | None, params: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """A copy of the learner with values for the parameters that depend on all data, and its fit parameters.

    So "balanced" weights and gamma="scale" mean the same as in a single fit of all classes. Class weights become
    weights of rows if they can: a dict would have to be keyed by labels that learners of pairs do not see.
    """
    changes: dict[str, Any] = {}
    options = learner.get_params(deep=True)
    class_weight = options.get("class_weight")
    # A weight of 2 counts as two rows here too; in scikit-learn this holds only for some learners.
    balanced = problem.class_weights.mean() / problem.class_weights
    if has_fit_parameter(learner, "sample_weight"):
        by_class = None
        if isinstance(class_weight, str) and class_weight == "balanced":
            by_class = balanced
        elif isinstance(class_weight, dict) and _look_like_numbers(problem.classes):
            # scikit-learn 1.9 looks for the number 1 if the label is "1".
            by_class = np.array([class_weight.get(label, 1.0) for label in problem.classes.tolist()])
        if by_class is not None:
            changes["class_weight"] = None
            params = {**params, "sample_weight": by_class[problem.code] * params.get("sample_weight", 1.0)}
    prefix = _last_prefix(learner)
    for key, given in options.items():
        match key.rsplit("__", 1)[-1]:
            case "class_weight" if isinstance(given, dict):
                known = _of_classes(given, problem.classes)
                if len(known) < min(len(given), problem.n_classes):
                    _warn_absent(key, given, known, problem.classes)
                changes.setdefault(key, known)
            case "class_weight" if prefix and key == f"{prefix}class_weight" and isinstance(given, str):
                if given == "balanced":
                    changes[key] = dict(zip(problem.classes.tolist(), balanced.tolist(), strict=True))
            case "priors" | "class_prior" if given is not None and not isinstance(given, str):
                _check_priors(given, problem.n_classes)
            case "pos_label" if given is not None:
                _check_pos_label(key, given, problem.classes)
            case "scoring":
                _check_labels_of_scorers(key, given, problem.classes)
    owner = last_step(learner)
    if isinstance(owner, (SVC, NuSVC)) and getattr(owner, "probability", None) is True and calibration is not None:
        # This package calibrates and couples. LIBSVM's own calibration would cost a cross-validation inside each fit.
        changes[f"{prefix}probability"] = type(owner)().probability
    try:
        changes |= _from_all_rows(learner, problem)
    except ValueError:  # missing values or texts; the fits will report them
        pass
    return clone(learner).set_params(**changes), params


def _of_classes(class_weight: dict[Any, Any], classes: NDArray[Any]) -> dict[Any, Any]:
    """The weights of classes that there are; a fold of a cross-validation may lack some. One at least is needed."""
    known = {label: weight for label, weight in class_weight.items() if label in classes.tolist()}
    if class_weight and not known:
        raise InputError(
            f"{arg('class_weight')} names {listed(map(shown, class_weight))}, but the classes of {arg('y')} are "
            f"{listed(map(shown, classes))}; use their labels."
        )
    return known


def _warn_absent(key: str, class_weight: dict[Any, Any], known: dict[Any, Any], classes: NDArray[Any]) -> None:
    """Warn of names that are no classes where classes have no weight: this may be a typing error."""
    absent = [shown(label) for label in class_weight if label not in known]
    without = [shown(label) for label in classes.tolist() if label not in known]
    warning = PwcWarning(
        f"{arg(key)} names {listed(absent)}, which {arg('y')} does not have, and not {listed(without)}, which get the "
        "weight 1; check the labels, or give a weight for each class."
    )
    warn(warning)


def _check_priors(priors: Any, n_classes: int) -> None:
    values = as_float(priors, "priors")
    if values.shape != (n_classes,) or not (np.isfinite(values) & (values > 0.0)).all():
        raise InputError(
            f"{arg('priors')} must be a positive number for each of the {n_classes} classes, got "
            f"{listed(values.ravel())}."
        )
    if abs(values.sum() - 1.0) > 1e-5:
        raise InputError(
            f"{arg('priors')} must sum to 1, got {listed(values.ravel())}, which sum to {values.sum():.6g}."
        )


def _check_pos_label(key: str, pos_label: Any, classes: NDArray[Any]) -> None:
    given = arg(key, pos_label)
    if len(classes) > 2:
        raise InputError(f"{given} needs two classes, got {len(classes)}, and not every pair has that class.")
    if pos_label not in classes.tolist():
        raise InputError(f"{given} must be one of the classes {listed(map(shown, classes))}.")


def _check_labels_of_scorers(key: str, scoring: Any, classes: NDArray[Any]) -> None:
    """Refuse scorers inside a learner that name a label: to the learner of a pair the classes are 0 and 1."""
    for scorer in scoring.values() if isinstance(scoring, dict) else [scoring]:
        # The attribute in which make_scorer keeps its options.
        given = getattr(scorer, "_kwargs", None) or {}
        named = [given.get("pos_label"), *([] if given.get("labels") is None else given["labels"])]
        known = classes.tolist()
        for label in (label for label in named if label is not None):
            if label not in (0, 1) or (len(known) == 2 and label in known and known.index(label) != label):
                raise InputError(
                    f"{arg(key)} names the label {shown(label)}, but to the learner of a pair the first class is 0 and "
                    "the second is 1; name these, or use a score that names no label, such as 'f1_macro'."
                )


def check_no_class_sizes(name: str, learner: Any, coupling: str) -> None:
    """Refuse weights and priors of classes with Bayes weights, which need learners of pairs against the rest."""
    for key, given in learner.get_params(deep=True).items():
        last = key.rsplit("__", 1)[-1]
        grids = [given] if isinstance(given, dict) else given
        tried = grids if last in ("param_grid", "param_distributions") else []
        sizes = [each for grid in tried for each in grid if each.rsplit("__", 1)[-1] in CLASS_SIZES]
        if sizes or (given is not None and last in CLASS_SIZES):
            raise InputError(
                f"{arg('coupling', coupling)} cannot use {arg([key, *sizes][-1])} of {name}, which does not apply to "
                f"pairs against the rest; choose another coupling, or use {arg('sample_weight')}."
            )


def _from_all_rows(learner: Any, problem: Problem) -> dict[str, Any]:
    """Parameters of a learner that depend on rows of all classes."""
    if isinstance(learner, CategoricalNB):
        # A pair may lack categories that it meets in prediction.
        seen = problem.array.max(axis=0).astype(np.int64) + 1
        return {"min_categories": np.maximum(seen, 0 if learner.min_categories is None else learner.min_categories)}
    return gamma_of_rows(learner, problem.array_or_sparse) if asks_for_gamma(learner) else {}


def asks_for_gamma(learner: Any) -> bool:
    """Whether the kernel's gamma is "scale" or "auto", and so depends on the rows."""
    machine = isinstance(learner, (SVC, NuSVC)) and learner.kernel in ("rbf", "poly", "sigmoid")
    return machine and isinstance(learner.gamma, str)


def gamma_of_rows(learner: Any, x: Any, weight: Array | None = None) -> dict[str, float]:
    """The number that gamma="scale" or "auto" means for some rows; a weight of 2 counts as two rows."""
    if learner.gamma == "auto":
        return {"gamma": 1.0 / x.shape[1]}
    if weight is not None:
        squares = x.multiply(x) if sparse.issparse(x) else x**2
        mean, square = (np.average(np.ravel(each.mean(axis=1)), weights=weight) for each in (x, squares))
        variance = square - mean**2
    else:
        variance = x.multiply(x).mean() - x.mean() ** 2 if sparse.issparse(x) else x.var()
    return {"gamma": float(1.0 / (x.shape[1] * variance)) if variance != 0 else 1.0}


def _look_like_numbers(classes: NDArray[Any]) -> bool:
    """Whether some label is a string that reads as a whole number."""
    return any(isinstance(label, str) and label.strip().lstrip("+-").isdigit() for label in classes.tolist())


def for_pair(learner: Any, problem: ClassPairs, pair: int, seed: int | None) -> Any:
    """A fresh copy for one pair, with the weights and priors of its two classes, and with a seed if there is one.

    To the learner the first class of the pair is 0 and the second is 1, whatever their labels are. A learner with a
    parameter `pair_labels`, such as those of the R package, gets the labels through it.
    """
    changes: dict[str, Any] = {}
    labels, classes = problem.labels(pair), [problem.low[pair], problem.high[pair]]
    for key, given in learner.get_params(deep=True).items():
        match key.rsplit("__", 1)[-1]:
            case "class_weight" if isinstance(given, dict):
                changes[key] = {index: given.get(label, 1.0) for index, label in enumerate(labels)}
            case "param_grid" | "param_distributions":
                changes[key] = _grid_for_pair(given, problem, pair)
            case "pos_label" if given is not None:
                changes[key] = labels.index(given)
            case "pair_labels":
                changes[key] = labels
            case "priors" | "class_prior" if np.shape(given) == (problem.n_classes,):
                both = np.asarray(given, dtype=np.float64)[classes]
                changes[key] = both / both.sum()
            case "random_state" if given is None and seed is not None:
                changes[key] = seed
    return clone(learner).set_params(**changes)


def _grid_for_pair(grid: Any, problem: ClassPairs, pair: int) -> Any:
    """The parameters that a search tries, with class weights of one pair, also in learners among them."""
    if not isinstance(grid, Mapping):
        return [_grid_for_pair(each, problem, pair) for each in grid]
    out = dict(grid)
    for key, values in grid.items():
        if not isinstance(values, (list, tuple)):
            continue
        out[key] = list(values)
        for index, given in enumerate(values):
            if key.rsplit("__", 1)[-1] == "class_weight" and isinstance(given, dict):
                known = _of_classes(given, problem.classes)
                out[key][index] = {number: known.get(label, 1.0) for number, label in enumerate(problem.labels(pair))}
            elif hasattr(given, "get_params") and not isinstance(given, type):
                out[key][index] = for_pair(given, problem, pair, None)
    return out


def for_union(learner: Any, seed: int | None) -> Any:
    """A fresh copy that tells both classes of a pair from the rest; weights and priors of classes do not apply."""
    parameters = learner.get_params(deep=True)
    sizes = [key for key in parameters if key.rsplit("__", 1)[-1] in CLASS_SIZES]
    return seeded(learner, seed).set_params(**dict.fromkeys(sizes))


def seeded(learner: Any, seed: int | None) -> Any:
    """A fresh copy, with a seed in all its parts that have none."""
    copy = clone(learner)
    if seed is not None:
        parts = copy.get_params(deep=True).items()
        free = [key for key, given in parts if key.rsplit("__", 1)[-1] == "random_state" and given is None]
        copy.set_params(**dict.fromkeys(free, seed))
    return copy


def scores(learner: Any, x: Any, kind: Kind, label: Any) -> Array:
    """Scores of a fitted learner of two classes, positive in favour of `label`."""
    if kind == DECISION:
        values = np.asarray(learner.decision_function(x), dtype=np.float64).ravel()
        out = values if list(learner.classes_).index(label) == 1 else -values
    else:
        out = log_odds_of(*probabilities(learner, x, label).T)
    _check_no_nan(learner, out)
    return out


def probabilities(learner: Any, x: Any, label: Any) -> Array:
    """Probabilities of a fitted learner of two classes: of `label`, and of the other."""
    proba = np.asarray(learner.predict_proba(x), dtype=np.float64)
    _check_no_nan(learner, proba.sum(axis=1))
    return proba if list(learner.classes_).index(label) == 0 else proba[:, ::-1]


def _check_no_nan(learner: Any, values: Array) -> None:
    """Refuse NaN for some rows."""
    missing = int(np.isnan(values).sum())
    if missing:
        raise InputError(f"{type(learner).__name__} gave NaN for {missing} of {len(values)} rows.")


# Weights of rows


def weight_parameter(learner: Any) -> str | None:
    """The fit parameter by which a learner, or the last step of a pipeline, takes weights of rows; None if none."""
    if hasattr(learner, "fit") and has_fit_parameter(learner, "sample_weight"):
        return "sample_weight"
    if isinstance(learner, BaseSearchCV):
        # It gives its fit parameters to all learners that it tries, so these must take the same ones.
        found = {weight_parameter(each) for each in _tried_learners(learner)}
        return found.pop() if len(found) == 1 else None
    inner = weight_parameter(last_step(learner)) if hasattr(learner, "steps") else None
    return None if inner is None else _last_prefix(learner) + inner


def _tried_learners(search: Any) -> list[Any]:
    """The learner of a search, and those that it becomes by steps which the search tries."""
    out = [search.estimator]
    grids = getattr(search, "param_grid", None) or getattr(search, "param_distributions", None) or {}
    for grid in [grids] if isinstance(grids, Mapping) else grids:
        for key, values in grid.items():
            steps = [each for each in values if hasattr(each, "fit")] if isinstance(values, (list, tuple)) else []
            out += [clone(search.estimator).set_params(**{key: step}) for step in steps]
    return out
