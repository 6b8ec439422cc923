"""Training data and new rows, as scikit-learn's checks and the learners want them."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _check_y, check_consistent_length, validate_data

from pwcstats.pairwise import checks
from pwcstats.pairwise.learners import has_fast_path, read_candidates
from pwcstats.pairwise.problem import Problem
from pwcstats.pairwise.scaling import Standardizer


def read_problem(clf: Any, X: Any, y: Any, sample_weight: Any, candidates: dict[str, Any]) -> Problem:
    """Training data, checked."""
    checks.refuse_no_y(y)
    square = bool(get_tags(clf).input_tags.pairwise)
    fast = clf.fast and all(has_fast_path(learner) for learner in candidates.values())
    clf._as_frame = not fast and not square
    x = read_rows(clf, X, reset=True)
    y = _check_y(y, estimator=clf)
    check_classification_targets(y)
    check_consistent_length(x, y)
    if sample_weight is not None:
        sample_weight = _check_sample_weight(sample_weight, x, dtype=np.float64, ensure_non_negative=True)
    checks.refuse_not_square(x, square)
    checks.refuse_no_weight(y, sample_weight)
    clf.scaler_ = None
    if clf.estimator is None:
        clf.scaler_ = Standardizer().fit(x, sample_weight=sample_weight)
        x = clf.scaler_.transform(x)
    problem = Problem(x, y, sample_weight, square)
    checks.refuse_few_classes(problem.classes)
    return problem


def read_rows(clf: Any, X: Any, reset: bool) -> Any:
    """Rows as the learners shall see them: frames as they are where one of them may use the names of columns."""
    candidates = read_candidates(clf.estimator)
    pipeline = any(hasattr(learner, "steps") for learner in candidates.values())
    if _is_text(X):
        return X if isinstance(X, pd.Series) else np.asarray(X, dtype=object)
    frame = hasattr(X, "iloc") and np.ndim(X) == 2
    if frame:
        checks.refuse_frame(X)
    if reset:
        clf._had_frame = frame
    if clf._as_frame and frame:
        validate_data(clf, X, reset=reset, skip_check_array=True)
        _refuse_what_some_cannot_use(clf, X, candidates)
        return X
    some = {what: any(checks.takes(each, what) for each in candidates.values()) for what in ("sparse", "allow_nan")}
    x = validate_data(
        clf,
        X,
        reset=reset,
        accept_sparse="csr" if some["sparse"] else False,
        dtype=None if pipeline else "numeric",
        ensure_all_finite=not some["allow_nan"],
    )
    _refuse_what_some_cannot_use(clf, x, candidates)
    named = not reset and clf._as_frame and clf._had_frame and hasattr(clf, "feature_names_in_")
    return pd.DataFrame(x, columns=clf.feature_names_in_) if named else x


def _refuse_what_some_cannot_use(clf: Any, x: Any, candidates: dict[str, Any]) -> None:
    """Where errors of learners are to be raised, name those that would fail on all pairs; else others stand in."""
    if isinstance(clf.error_score, str):
        checks.refuse_sparse(x, candidates)
        checks.refuse_holes(x, candidates)


def _is_text(X: Any) -> bool:
    """Whether rows are texts, for a pipeline to make columns of."""
    if not isinstance(X, (list, tuple, np.ndarray, pd.Series)) or (isinstance(X, np.ndarray) and X.ndim != 1):
        return False
    return isinstance(next(iter(X), None), str)
