"""The wording of errors about learners, classes and folds."""

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils import get_tags

from pwcstats._arrays import as_float
from pwcstats._text import listed, shape_of, shown
from pwcstats.errors import InputError


class ScoringError(Exception):
    """A scorer failed, not the learner that it was to score."""


def refuse_candidates(named: Sequence[tuple[Any, Any]]) -> None:
    """Refuse no candidates, names that repeat or are no words, and what cannot be fitted."""
    if not named:
        raise InputError("estimator is empty; give a learner, or several in a list or a dict.")
    names = [name for name, _ in named]
    for name, learner in named:
        if not isinstance(name, str) or "__" in name or not name:
            raise InputError(f"names of candidates must be words without '__', got {name!r}.")
        if names.count(name) > 1:
            raise InputError(f"names of candidates must differ, got {name!r} twice.")
        if isinstance(learner, type):
            raise InputError(
                f"candidate {name!r} is the class {learner.__name__}; give an instance, {learner.__name__}()."
            )
        if not hasattr(learner, "fit") or not hasattr(learner, "get_params"):
            what = f"candidate {name!r}" if len(named) > 1 else "estimator"
            raise InputError(f"{what} must be a scikit-learn classifier, such as SVC(), got {learner!r}.")


def refuse_no_scores(
    name: str, learner: Any, probabilities: bool, decisions: bool, calibration: str | None, coupling: str
) -> None:
    """Refuse a learner that gives nothing to couple."""
    kind = type(learner).__name__
    if not probabilities and not decisions:
        raise InputError(
            f"{name} ({kind}) has neither predict_proba nor decision_function, and its pairs cannot be coupled; "
            "choose a learner that has one of them."
        )
    if not probabilities and calibration is None and coupling != "vote":
        raise InputError(
            f"{name} ({kind}) has no predict_proba, so calibration=None leaves decision values, which {coupling!r} "
            "cannot couple; use calibration='auto', or coupling='vote'."
        )


def refuse_class_weight(class_weight: dict[Any, Any], classes: Any) -> None:
    """Refuse weights of classes that y does not have."""
    unknown = [label for label in class_weight if label not in classes.tolist()]
    if unknown:
        raise InputError(
            f"class_weight names {listed(map(shown, unknown))}, but the classes of y are "
            f"{listed(map(shown, classes))}; use their labels."
        )


def refuse_priors(priors: Any, classes: Any) -> None:
    """Refuse priors that are not one positive number for each class, 1 in all; words are the learner's own."""
    if isinstance(priors, str):
        return
    values = as_float(priors, "priors")
    if values.shape != (len(classes),) or not (np.isfinite(values) & (values > 0.0)).all():
        raise InputError(
            f"priors must be a positive number for each of the {len(classes)} classes, got {listed(values.ravel())}."
        )
    if abs(values.sum() - 1.0) > 1e-5:
        raise InputError(f"priors must sum to 1, got {listed(values.ravel())}, which sum to {values.sum():.6g}.")


def refuse_pos_label(key: str, pos_label: Any, classes: Any) -> None:
    """Refuse a positive class that not every pair has, or that y does not have."""
    if len(classes) > 2:
        raise InputError(f"{key}={shown(pos_label)} needs two classes, got {len(classes)}: not every pair has it.")
    if pos_label not in classes.tolist():
        raise InputError(f"{key}={shown(pos_label)} must be one of the classes {listed(map(shown, classes))}.")


def refuse_labels_of_scorers(key: str, scoring: Any, classes: Any) -> None:
    """Refuse scorers within a learner that name a label: to the learner of a pair the classes are 0 and 1."""
    for scorer in scoring.values() if isinstance(scoring, dict) else [scoring]:
        # Where scikit-learn's make_scorer keeps what it was given.
        given = getattr(scorer, "_kwargs", None) or {}
        named = [given.get("pos_label"), *([] if given.get("labels") is None else given["labels"])]
        known = classes.tolist()
        for label in (label for label in named if label is not None):
            if label not in (0, 1) or (len(known) == 2 and label in known and known.index(label) != label):
                raise InputError(
                    f"{key} names the label {shown(label)}, but to the learner of a pair the first class is 0 and the "
                    "second is 1; name these, or take a score that names none, such as 'f1_macro'."
                )


def refuse_params_of_default(estimator: Any, params: dict[str, Any]) -> None:
    """Refuse parameters of a learner where there is only the default one."""
    odd = [key for key in params if key.startswith("estimator__")]
    if estimator is None and odd:
        raise InputError(
            f"there is no {odd[0]} to set, as estimator is None; give estimator=SVC(), and to standardise its columns "
            "use make_pipeline(StandardScaler(), PairwiseClassifier(SVC()))."
        )


def refuse_unknown_candidate(name: str, candidates: dict[str, Any]) -> None:
    """Refuse parameters of a candidate that is not there."""
    if name not in candidates:
        raise InputError(f"there is no candidate {name!r}; the candidates are {listed(candidates)}.")


def refuse_error_score(value: Any) -> None:
    """Refuse an error score that is neither 'raise' nor a number."""
    if value != "raise" and (isinstance(value, (str, bool)) or not isinstance(value, numbers.Real)):
        raise InputError(f"error_score must be 'raise' or a number (np.nan is one), got {value!r}.")


def no_weights(name: str, learner: Any) -> str:
    """What to say where a learner cannot use weights."""
    return (
        f"{name} ({type(learner).__name__}) takes no sample_weight, so its fits leave the weights out; they count "
        "in n_ij, sigmoids and thresholds only. Choose learners that take them; of a pipeline, name the step, as in "
        "fit(X, y, svc__sample_weight=weights)."
    )


def refuse_no_y(y: Any, name: str = "PairwiseClassifier") -> None:
    """Refuse a missing target, in the words that scikit-learn has for it."""
    if y is None:
        raise InputError(f"{name} requires y to be passed, but the target y is None; give the classes.")


def refuse_not_square(x: Any, square: bool) -> None:
    """Refuse a kernel matrix of the training rows that is not square."""
    if square and x.shape[0] != x.shape[1]:
        raise InputError(
            "kernel='precomputed' needs the kernel of all training rows with each other, got "
            f"{x.shape[0]} x {x.shape[1]}; give the square matrix, or another kernel."
        )


def refuse_frame(frame: Any) -> None:
    """Refuse a frame without rows or columns, or with two columns of one name."""
    if 0 in frame.shape:
        raise InputError(f"X must have a row and a column at least, got {shape_of(frame)}.")
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise InputError(f"X has two columns named {shown(twice)}; rename one.")


def takes(learner: Any, what: str) -> bool:
    """Whether a learner takes "sparse" rows, or missing values ("allow_nan"); pipelines may see to it."""
    return hasattr(learner, "steps") or bool(getattr(get_tags(learner).input_tags, what))


def refuse_holes(x: Any, candidates: dict[str, Any]) -> None:
    """Refuse missing values where a candidate does not take them."""
    strict = [name for name, learner in candidates.items() if not takes(learner, "allow_nan")]
    if not strict or sparse.issparse(x):
        return
    missing = np.asarray(pd.isna(x)).any(axis=0)
    if missing.any():
        names = x.columns[missing] if hasattr(x, "columns") else np.flatnonzero(missing)
        raise InputError(
            f"X contains NaN in the columns {listed(names)}, which {listed(strict)} cannot use; fill them in, put an "
            "imputer and the learner into a pipeline, or leave the learner out."
        )


def refuse_sparse(x: Any, candidates: dict[str, Any]) -> None:
    """Refuse sparse rows where a candidate does not take them, in an error of the kind that scikit-learn has."""
    strict = [name for name, learner in candidates.items() if not takes(learner, "sparse")]
    if strict and sparse.issparse(x):
        raise TypeError(f"X is sparse, which {listed(strict)} cannot use; give X.toarray(), or leave the learner out.")


# Parameters of learners that speak of classes.
CLASS_SIZES = ("class_weight", "priors", "class_prior")


def refuse_class_sizes(name: str, learner: Any) -> None:
    """Refuse weights and priors of classes with Bayes weights, whose learners know pairs and rests only."""
    for key, value in learner.get_params(deep=True).items():
        last = key.rsplit("__", 1)[-1]
        grids = [value] if isinstance(value, dict) else value
        tried = grids if last in ("param_grid", "param_distributions") else []
        sizes = [each for grid in tried for each in grid if each.rsplit("__", 1)[-1] in CLASS_SIZES]
        if sizes or (value is not None and last in CLASS_SIZES):
            raise InputError(
                f"coupling='bayes' cannot use {[key, *sizes][-1]} of {name}, which would not reach the learners of "
                "pairs against the rest; choose another coupling, or weigh the rows by sample_weight."
            )


def refuse_few_classes(classes: Any, why: str = "no pair to learn") -> None:
    """Refuse a single class."""
    if len(classes) < 2:
        raise InputError(f"y must have at least 2 classes, got 1 class, {shown(classes[0])}; there is {why}.")


def refuse_no_weight(y: Any, weight: Any) -> None:
    """Refuse classes all of whose rows have weight 0."""
    if weight is None:
        return
    gone = np.setdiff1d(np.unique(y), np.unique(y[weight > 0.0]))
    if len(gone):
        raise InputError(
            f"sample_weight leaves the classes {listed(map(shown, gone))} without weight; drop them from X and y, or "
            "give some of their rows a positive weight."
        )


def refuse_rare_class(label: Any, count: int, name: str, why: str, instead: str) -> None:
    """Say that a class is too small to be cross-validated."""
    rows = "1 row" if count == 1 else f"{count} rows"
    raise InputError(
        f"class {shown(label)} has {rows}, and {name} needs 2 in each class ({why}); drop or merge the class, or "
        f"{instead}, which is not cross-validated."
    )


def refuse_other_rows(rows: Any, n_rows: int, fold: int, name: str) -> None:
    """Refuse folds of other data, and folds in which rows are repeated."""
    if len(rows) and rows.max() >= n_rows:
        raise InputError(
            f"fold {fold} of {name} has the row {rows.max()}, but X has {n_rows} rows; give a splitter or a number of "
            "folds, which adapts to the rows (as in a cross-validation of this classifier)."
        )
    if len(np.unique(rows)) < len(rows):
        raise InputError(
            f"fold {fold} of {name} has rows more than once, as in a bootstrap; give folds without repetitions."
        )


def refuse_absent_class(label: Any, fold: int, name: str) -> None:
    """Say that a fold's training rows lack a class."""
    raise InputError(
        f"class {shown(label)} has no row to train on in fold {fold} of {name}; use a stratified splitter, "
        "shuffle the rows, or give the number of folds."
    )


def refuse_overlap(name: str, why: str = "to give each its score") -> None:
    """Say that each row must be held out once."""
    raise InputError(f"{name} must hold out every row exactly once, as KFold does, {why}; choose another splitter.")


def refuse_no_masses(masses: Any, n_classes: int) -> None:
    """Refuse Bayes weights that were not learned."""
    if masses is None and n_classes > 2:
        raise InputError("coupling='bayes' was set after fit, which has not learned its weights; call fit again.")


def refuse_nan_scores(scores: Any, learner: Any) -> None:
    """Refuse scores that are no numbers."""
    if np.isnan(scores).any():
        raise InputError(f"{type(learner).__name__} gave NaN for {int(np.isnan(scores).sum())} of {len(scores)} rows.")


def refuse_nan_pairs(r: Any, pairs: Any) -> None:
    """Refuse probabilities of pairs that are no numbers."""
    # Sums of numbers within [0, 1] are finite, and cost less than a look at each of them.
    if np.isnan(r.sum()):
        pair = int(np.flatnonzero(np.isnan(r).any(axis=0))[0])
        first = pairs.iloc[pair]
        raise InputError(
            f"{first['learner']} gave NaN for the pair ({shown(first['class_i'])}, {shown(first['class_j'])}) for "
            f"{int(np.isnan(r[:, pair]).sum())} of {len(r)} rows; see whether their values are too large, as for a sum "
            "of squares."
        )


def cannot_answer(learner: Any, pair: str, error: Exception) -> InputError:
    """What to raise where a fitted learner fails on new rows."""
    return InputError(
        f"the {type(learner).__name__} of the pair {pair} cannot answer: {str(error).strip()} (It has seen the rows of "
        "its two classes only. If this is about categories that are new to it, encode them in a pipeline around "
        "PairwiseClassifier, or tell the encoder what to do with them, as by handle_unknown='ignore'.)"
    )


def refuse_scoring(scoring: Any) -> None:
    """Refuse several scores, of which none could decide."""
    if scoring is not None and not isinstance(scoring, str) and not callable(scoring):
        raise InputError(f"scoring must be the name of one score, or a callable, got {scoring!r}.")


def failed_pair(learner: str, pair: str, error: Exception) -> InputError:
    """What to raise where a learner, or the score of it, fails on a pair."""
    if isinstance(error, ScoringError):
        asks = (
            " (Such a score takes one class for the positive one, and does not know which of two it is; scores like "
            "'f1_macro' do not ask.)"
        )
        more = asks if "pos_label" in str(error) else ""
        return InputError(f"scoring failed on the pair {pair}, with {learner}: {str(error).strip()}{more}")
    return InputError(
        f"{learner} failed on the pair {pair}: {str(error).strip()} (With error_score=np.nan the other candidates are "
        "used there, and without one the classes' shares of the rows.)"
    )


def refuse_all_failed(failed: Any, n_pairs: int, failures: dict[int, list[str]]) -> None:
    """Refuse to go on where nothing was learned."""
    if len(failed) == n_pairs:
        raise InputError(
            f"all candidates failed on all {n_pairs} pairs, on the first with {', '.join(failures[int(failed[0])])}"
        )


def stood_in_words(failures: dict[str, list[str]], n_pairs: int) -> str:
    """Account of the pairs where some candidate failed and another stands in."""
    first = "; ".join(f"{pair}: {', '.join(said)}" for pair, said in list(failures.items())[:3])
    more = f"; and {len(failures) - 3} more, see pairs_['error']" if len(failures) > 3 else ""
    return f"candidates failed on {len(failures)} of {n_pairs} pairs, where others are used: {first}{more}."


def failed_words(failures: dict[str, list[str]], n_pairs: int) -> str:
    """Account of the pairs where every candidate failed."""
    first = "; ".join(f"{pair}: {', '.join(said)}" for pair, said in list(failures.items())[:5])
    more = f"; and {len(failures) - 5} more, see pairs_['error']" if len(failures) > 5 else ""
    return (
        f"all candidates failed on {len(failures)} of {n_pairs} pairs, where the classes' shares of the rows stand in "
        f"for them: {first}{more}."
    )


def refuse_alone(name: str) -> None:
    """Say that nothing can be held out."""
    raise InputError(
        f"{name} cannot hold out rows, as every group has one row only; give more rows, or set it to None."
    )


def refuse_absent_group(label: str, fold: int, name: str) -> None:
    """Say that a fold holds out all rows of a group."""
    raise InputError(
        f"fold {fold} of {name} holds out all rows of {label}, so that none is left to train on; use a stratified "
        "splitter, shuffle the rows, or give the number of folds."
    )
