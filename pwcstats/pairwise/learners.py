"""Candidates, what they become on one pair of classes, and the scores that they give."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.svm import SVC, NuSVC
from sklearn.utils.validation import has_fit_parameter

from pwcstats._arrays import Array
from pwcstats.pairwise.checks import (
    refuse_candidates,
    refuse_class_weight,
    refuse_labels_of_scorers,
    refuse_nan_scores,
    refuse_no_scores,
    refuse_pos_label,
    refuse_priors,
)
from pwcstats.pairwise.problem import ClassPairs, Problem, cut, take

PROBABILITY, DECISION = "probability", "decision"
# Log-odds of probabilities are cut here, where 1 - p is 0 in double precision: those of 0 and 1 would be infinite, and
# so for every calibration and every threshold.
FARTHEST = 36.0
# Steps of LIBSVM after which default machines stop. Of standardised columns they need a few for each row.
MAX_ITER = 1_000_000


def bounded(log_odds: Array) -> Array:
    """Log-odds within what probabilities can tell."""
    return np.clip(log_odds, -FARTHEST, FARTHEST)


def read_candidates(estimator: Any) -> dict[str, Any]:
    """Learners by name: of one learner, a list, a list of (name, learner), or a dict."""
    if estimator is None:
        # Of standardised columns, "auto" is what "scale" is, also where they are sparse and not centred.
        return {"svc": SVC(gamma="auto", max_iter=MAX_ITER)}
    if isinstance(estimator, Mapping):
        named = list(estimator.items())
    elif isinstance(estimator, (list, tuple)):
        pairs = len(estimator) and all(isinstance(item, tuple) and len(item) == 2 for item in estimator)
        named = list(estimator) if pairs else list(zip(_names(estimator), estimator, strict=True))
    else:
        named = [(_names([estimator])[0], estimator)]
    refuse_candidates(named)
    return dict(named)


def _names(learners: Any) -> list[str]:
    """Names of classes in small letters, of a pipeline's last step, numbered where they repeat."""
    last = [last_step(learner) for learner in learners]
    names = [(each if isinstance(each, type) else type(each)).__name__.lower() for each in last]
    total, seen = Counter(names), Counter[str]()
    for place, name in enumerate(names):
        if total[name] > 1:
            seen[name] += 1
            names[place] = f"{name}-{seen[name]}"
    return names


def last_step(learner: Any) -> Any:
    """The learner itself, out of a pipeline."""
    return learner.steps[-1][1] if hasattr(learner, "steps") else learner


def has_fast_path(learner: Any) -> bool:
    """Whether a learner is of a kind that can be fitted to all pairs at once (a class derived from it may not)."""
    return type(learner) in (SVC, NuSVC, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, GaussianNB)


def kind_of_scores(name: str, learner: Any, calibration: str | None, coupling: str) -> str:
    """Whether a learner's scores are log-odds of its probabilities or decision values."""
    probabilities, decisions = hasattr(learner, "predict_proba"), hasattr(learner, "decision_function")
    refuse_no_scores(name, learner, probabilities, decisions, calibration, coupling)
    prefers_decisions = calibration in ("sigmoid", "isotonic")
    return DECISION if decisions and (prefers_decisions or not probabilities) else PROBABILITY


def showing_scores(learner: Any, problem: Problem, params: dict[str, Any]) -> Any:
    """A learner that shows what scores it has; where it does not know before a fit, as stacks, one that is fitted."""
    if hasattr(learner, "predict_proba") or hasattr(learner, "decision_function"):
        return learner
    rows = problem.rows(0)
    x = take(problem.x, rows, rows if problem.square else None)
    try:
        y = (problem.code[rows] == problem.high[0]).astype(np.int64)
        return for_pair(learner, problem, 0, None).fit(x, y, **cut(params, rows, len(problem.y)))
    except Exception:  # why, the fits will say
        return learner


def settle(
    learner: Any, problem: Problem, calibration: str | None, params: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """A copy in which everything that refers to the data as a whole has its value, before they come in pairs.

    So "balanced" weights and a kernel's "scale" mean the same here as in a single fit of all classes. Weights of
    classes go into those of the rows; a dict would have to be keyed by labels, which not every learner sees.
    """
    changes: dict[str, Any] = {}
    options = learner.get_params(deep=True)
    if options.get("class_weight") == "balanced" and has_fit_parameter(learner, "sample_weight"):
        changes["class_weight"] = None
        # A weight of 2 is a row that is there twice, here too (of scikit-learn's learners only some see it so).
        weights = (problem.class_weights.mean() / problem.class_weights)[problem.code]
        params = {**params, "sample_weight": weights * params.get("sample_weight", 1.0)}
    by_label = options.get("class_weight")
    numbered = isinstance(by_label, dict) and _look_like_numbers(problem.classes)
    if numbered and has_fit_parameter(learner, "sample_weight"):
        # scikit-learn 1.9 looks for the number 1 where the label is "1".
        refuse_class_weight(by_label, problem.classes)
        changes["class_weight"] = None
        weights = np.array([by_label.get(label, 1.0) for label in problem.classes.tolist()])[problem.code]
        params = {**params, "sample_weight": weights * params.get("sample_weight", 1.0)}
    for key, value in options.items():
        match key.rsplit("__", 1)[-1]:
            case "class_weight" if isinstance(value, dict):
                refuse_class_weight(value, problem.classes)
            case "priors" | "class_prior" if value is not None:
                refuse_priors(value, problem.classes)
            case "pos_label" if value is not None:
                refuse_pos_label(key, value, problem.classes)
            case "scoring":
                refuse_labels_of_scorers(key, value, problem.classes)
    owner = last_step(learner)
    if isinstance(owner, (SVC, NuSVC)) and getattr(owner, "probability", None) is True and calibration is not None:
        # Sigmoids and coupling are this package's; LIBSVM's own would cost a cross-validation inside each fit.
        key = f"{learner.steps[-1][0]}__probability" if hasattr(learner, "steps") else "probability"
        changes[key] = type(owner)().probability
    try:
        changes |= _from_all_rows(learner, problem)
    except ValueError:  # missing values or words, which the fits will not take either
        pass
    return clone(learner).set_params(**changes), params


def _from_all_rows(learner: Any, problem: Problem) -> dict[str, Any]:
    """Parameters of a learner that depend on rows of all classes."""
    if isinstance(learner, CategoricalNB):
        # A pair may lack categories that it meets in prediction.
        seen = problem.array.max(axis=0).astype(np.int64) + 1
        return {"min_categories": np.maximum(seen, 0 if learner.min_categories is None else learner.min_categories)}
    return gamma_of_rows(learner, problem.array_or_sparse) if asks_for_gamma(learner) else {}


def asks_for_gamma(learner: Any) -> bool:
    """Whether a kernel's width depends on the rows."""
    machine = isinstance(learner, (SVC, NuSVC)) and learner.kernel in ("rbf", "poly", "sigmoid")
    return machine and isinstance(learner.gamma, str)


def gamma_of_rows(learner: Any, x: Any) -> dict[str, float]:
    """The number that a machine's gamma, "scale" or "auto", means for some rows."""
    return {"gamma": _scale(x) if learner.gamma == "scale" else 1.0 / x.shape[1]}


def _scale(x: Any) -> float:
    """SVC's gamma="scale": one over the number of columns times the variance of all entries."""
    if sparse.issparse(x):
        variance = x.multiply(x).mean() - x.mean() ** 2
    else:
        variance = x.var()
    return float(1.0 / (x.shape[1] * variance)) if variance != 0 else 1.0


def _look_like_numbers(classes: Any) -> bool:
    """Whether a label is a word that reads as a whole number."""
    return any(isinstance(label, str) and label.strip().lstrip("+-").isdigit() for label in classes.tolist())


def for_pair(learner: Any, problem: ClassPairs, pair: int, seed: int | None) -> Any:
    """A fresh copy for one pair: weights and priors of its two classes only, and a seed where one is wanted.

    To the learner the first class of the pair is 0 and the second is 1, whatever their labels are. One that has a
    parameter `pair_labels`, as learners in R, is told the labels by it.
    """
    changes: dict[str, Any] = {}
    labels, classes = problem.labels(pair), [problem.low[pair], problem.high[pair]]
    for key, value in learner.get_params(deep=True).items():
        match key.rsplit("__", 1)[-1]:
            case "class_weight" if isinstance(value, dict):
                changes[key] = {code: value.get(label, 1.0) for code, label in enumerate(labels)}
            case "param_grid" | "param_distributions":
                changes[key] = _grid_for_pair(value, problem, pair)
            case "pos_label" if value is not None:
                changes[key] = labels.index(value)
            case "pair_labels":
                changes[key] = labels
            case "priors" | "class_prior" if np.shape(value) == (problem.n_classes,):
                changes[key] = pair_priors(value, classes)
            case "random_state" if value is None and seed is not None:
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
        for place, value in enumerate(values):
            if key.rsplit("__", 1)[-1] == "class_weight" and isinstance(value, dict):
                refuse_class_weight(value, problem.classes)
                out[key][place] = {code: value.get(label, 1.0) for code, label in enumerate(problem.labels(pair))}
            elif hasattr(value, "get_params") and not isinstance(value, type):
                out[key][place] = for_pair(value, problem, pair, None)
    return out


def for_union(learner: Any, seed: int | None) -> Any:
    """A fresh copy for telling two classes from the rest, to which weights and priors of classes do not apply."""
    changes: dict[str, Any] = {}
    for key, value in learner.get_params(deep=True).items():
        match key.rsplit("__", 1)[-1]:
            case "class_weight" | "priors" | "class_prior":
                changes[key] = None
            case "random_state" if value is None and seed is not None:
                changes[key] = seed
    return clone(learner).set_params(**changes)


def seeded(learner: Any, seed: int | None) -> Any:
    """A fresh copy, with a seed in all its parts that have none."""
    copy = clone(learner)
    if seed is not None:
        parts = copy.get_params(deep=True).items()
        free = [key for key, value in parts if key.rsplit("__", 1)[-1] == "random_state" and value is None]
        copy.set_params(**dict.fromkeys(free, seed))
    return copy


def pair_priors(priors: Any, classes: Any) -> Array:
    """Priors of two classes among themselves."""
    both = np.asarray(priors, dtype=np.float64)[classes]
    return both / both.sum()


def scores(learner: Any, x: Any, kind: str, label: Any) -> Array:
    """Scores of a fitted learner of two classes, positive in favour of `label`."""
    side = list(learner.classes_).index(label)
    if kind == DECISION:
        values = np.asarray(learner.decision_function(x), dtype=np.float64).ravel()
        out = values if side == 1 else -values
    else:
        proba = np.asarray(learner.predict_proba(x), dtype=np.float64)
        with np.errstate(divide="ignore"):
            out = bounded(np.log(proba[:, side]) - np.log(proba[:, 1 - side]))
    refuse_nan_scores(out, learner)
    return out
