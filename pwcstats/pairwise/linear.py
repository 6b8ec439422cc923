"""Linear learners of many pairs, which predict together by one matrix product.

A new linear learner is a row in `LINEAR`, and a new scaler before it in a pipeline is a row in `SCALERS`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils import check_array

from pwcstats._arrays import Array
from pwcstats.pairwise.calibration import Members, bounded
from pwcstats.pairwise.data import Problem, Standardizer
from pwcstats.pairwise.learners import DECISION, PROBABILITY, Kind, last_step
from pwcstats.pairwise.plain import Fit, PairTask, PlainPairs

# A scaler of one pair is applied to all pairs' common centre. If the centre is farther from the pair's own than this
# many units of the scaler, the product loses more than four digits, and the pair predicts for itself.
FAR = 1e4
# Coefficients of so many numbers (8 MB) are kept once: those of the learners become views.
SHARED = 2**20


def _always(_: Any) -> bool:
    return True


def _never(_: Any) -> bool:
    return False


def _is_one_equation(learner: Any) -> bool:
    # Before scikit-learn 1.8 an option makes it a softmax of two equations, with twice these log-odds.
    return getattr(learner, "multi_class", "auto") in ("auto", "ovr", "deprecated")


def _has_log_loss(learner: Any) -> bool:
    return learner.loss == "log_loss"


# Learners with `coef_` and `intercept_` of their decision values, and whether these are the log-odds of its
# probabilities. Derived classes may differ, so they are not included.
LINEAR: dict[type, Callable[[Any], bool]] = {
    LogisticRegression: _is_one_equation,
    LogisticRegressionCV: _is_one_equation,
    LinearDiscriminantAnalysis: _always,
    LinearSVC: _never,
    RidgeClassifier: _never,
    RidgeClassifierCV: _never,
    SGDClassifier: _has_log_loss,
    Perceptron: _never,
}


def _standard(scaler: StandardScaler) -> tuple[Any, Any]:
    return scaler.mean_ if scaler.with_mean else 0.0, scaler.scale_ if scaler.with_std else 1.0


def _robust(scaler: RobustScaler) -> tuple[Any, Any]:
    return scaler.center_ if scaler.with_centering else 0.0, scaler.scale_ if scaler.with_scaling else 1.0


def _min_max(scaler: MinMaxScaler) -> tuple[Any, Any]:
    # This scaler multiplies by `scale_`.
    return scaler.data_min_ - scaler.feature_range[0] / scaler.scale_, 1.0 / scaler.scale_


def _max_abs(scaler: MaxAbsScaler) -> tuple[Any, Any]:
    return 0.0, scaler.scale_


def _standardizer(scaler: Standardizer) -> tuple[Any, Any]:
    return scaler.center_, scaler.scale_


# What a scaler subtracts from the columns, and then divides them by.
SCALERS: dict[type, Callable[[Any], tuple[Any, Any]]] = {
    StandardScaler: _standard,
    MinMaxScaler: _min_max,
    MaxAbsScaler: _max_abs,
    RobustScaler: _robust,
    Standardizer: _standardizer,
}


def is_linear(learner: Any, kind: Kind) -> bool:
    """Whether the scores of a fitted learner of two classes are linear in the columns."""
    last = last_step(learner)
    return (
        type(last) in LINEAR
        and (kind == DECISION or LINEAR[type(last)](last))
        and (learner is last or type(learner) is Pipeline)
        and all(type(scaler) in SCALERS and not getattr(scaler, "clip", False) for scaler in _scalers(learner))
        and not sparse.issparse(last.coef_)
    )


def _scalers(learner: Any) -> list[Any]:
    return [step for _, step in learner.steps[:-1]] if isinstance(learner, Pipeline) else []


def _scaling(learner: Any) -> tuple[Any, Any]:
    """What all scalers of a learner together subtract from the columns, and then divide them by."""
    centre, scale = 0.0, 1.0
    for scaler in _scalers(learner):
        own_centre, own_scale = SCALERS[type(scaler)](scaler)
        centre, scale = centre + scale * own_centre, scale * own_scale
    return centre, scale


def make_members(problem: Problem, done: Sequence[tuple[PairTask, Fit]], together: bool) -> list[Members]:
    """The fitted learners of a candidate: if `together`, the linear ones in one matrix, and the others one by one."""
    product = [each for each in done if together and not problem.square and is_linear(each[1].learner, each[0].kind)]
    centres = [_scaling(fit.learner)[0] for _, fit in product]
    centre = np.mean(centres, axis=0) if np.any(centres) else None
    if centre is not None:
        product = [each for each in product if _is_near(each[1].learner, centre)]
    linear = {task.pair for task, _ in product}
    alone = [each for each in done if each[0].pair not in linear]
    members: list[Members] = [LinearPairs(problem, product, centre)] if product else []
    return [*members, PlainPairs(problem, alone)] if alone else members


def _is_near(learner: Any, centre: Array) -> bool:
    """Whether few digits are lost if the columns are measured from this centre, not from the learner's own."""
    own, scale = _scaling(learner)
    size = np.abs(np.ravel(last_step(learner).coef_))
    return bool(size @ np.abs((centre - own) / scale) <= FAR * size.sum())


class LinearPairs(PlainPairs):
    """Fitted linear learners of some pairs.

    The score of a pair is :math:`b + (x - m)^T w`, where m is a centre that all pairs have in common (None: zeros). A
    pair's scaler is part of w, and b is its score of m.
    """

    def __init__(self, problem: Problem, done: Sequence[tuple[PairTask, Fit]], centre: Array | None) -> None:
        super().__init__(problem, done)
        self._centre = centre
        self._stack()

    def _stack(self) -> None:
        """Make one matrix of the learners' coefficients, one column per pair: sparse rows are multiplied fastest."""
        last = [last_step(learner) for learner, *_ in self._members]
        scaled = bool(_scalers(self._members[0][0]))
        dtype = np.result_type(*{np.float64 if scaled else own.coef_.dtype for own in last})
        self._coef = np.empty((last[0].coef_.size, len(last)), dtype)
        self._intercept = np.array([np.ravel(own.intercept_)[0] for own in last], dtype)
        for index, own in enumerate(last):
            coef = np.ravel(own.coef_)
            if scaled:
                centre, scale = _scaling(self._members[index][0])
                if self._centre is not None:
                    self._intercept[index] += coef @ ((self._centre - centre) / scale)
                coef = coef / scale
            self._coef[:, index] = coef
            if not scaled and self._coef.size >= SHARED and own.coef_.dtype == dtype:
                own.coef_ = self._coef[:, index].reshape(own.coef_.shape)

    def scores(self, x: Any) -> Array:
        """Scores of all rows, one column per pair."""
        try:
            rows = check_array(x, accept_sparse="csr", dtype=(np.float64, np.float32))
        except (TypeError, ValueError):
            # The learners report the cause.
            return super().scores(x)
        if rows.shape[1] != len(self._coef) or (sparse.issparse(rows) and self._centre is not None):
            return super().scores(x)
        with np.errstate(over="ignore", invalid="ignore"):
            out = np.asarray((rows if self._centre is None else rows - self._centre) @ self._coef, dtype=np.float64)
            out += self._intercept
        # If products are too large, the learners may have an answer, or report the cause.
        if not np.isfinite(out.sum()):
            return super().scores(x)
        _, kind, label, _ = self._members[0]
        if label == 0:
            np.negative(out, out=out)
        return bounded(out) if kind == PROBABILITY else out

    def __getstate__(self) -> dict[str, Any]:
        # The learners have all coefficients. Without the matrix, files are half as large.
        return {name: kept for name, kept in self.__dict__.items() if name not in ("_coef", "_intercept")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._stack()
