"""What the two hybrid classifiers share: training, distances, probabilities and reports."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data
from statsmodels.iolib.summary import Summary
from statsmodels.iolib.table import SimpleTable
from statsmodels.iolib.tableformatting import fmt_params

from pwcstats import _params, _summary
from pwcstats._arrays import Array
from pwcstats._text import listed
from pwcstats.errors import InputError, PwcWarning, arg, code, value, warn
from pwcstats.hybrid.choice import log_loss, simplest, try_each
from pwcstats.hybrid.groups import Codes, Groups
from pwcstats.hybrid.integrators import INTEGRATORS, Criterion, FittedIntegrator, Penalty, integrate
from pwcstats.hybrid.machines import Machine, fit_machines, measure, measure_held_out
from pwcstats.logit.reading import is_text
from pwcstats.pairwise.calibration import check_one_score
from pwcstats.pairwise.data import (
    Standardizer,
    check_frame,
    check_several_classes,
    check_weight_of_classes,
    check_y_given,
    take,
)
from pwcstats.pairwise.folds import Folds, make_group_folds
from pwcstats.pairwise.learners import MAX_ITER, last_step, weight_parameter

# Default number of folds.
FOLDS = 5


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows that count, their classes, and their weights, None if all are 1; `used` is the mask of these rows."""

    x: Any
    code: Codes
    weight: Array | None
    used: NDArray[np.bool_]

    def cut(self, labels: Any) -> Any:
        """Labels of the rows that count; labels of another shape are returned as they are, to be refused later."""
        if self.used.all() or np.shape(labels) != self.used.shape:
            return labels
        return np.asarray(labels)[self.used]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out probabilities of the groups, and the fold that held out each row."""

    proba: Array
    fold: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FittedHybrid:
    """Groups of the rows, fitted machines and their integrator; `unsteady` are the distances that were not held out."""

    groups: Groups
    machines: list[Machine]
    integrator: FittedIntegrator
    unsteady: list[str]
    held_out: HeldOut | None

    def distances(self, x: Any) -> pd.DataFrame:
        """Distances from all machines."""
        return measure(self.machines, x)

    def proba(self, x: Any) -> Array:
        """Probabilities of the groups."""
        return self.integrator.proba(self.distances(x))


class BaseHybrid(ClassifierMixin, BaseEstimator):
    """A classifier whose machines measure distances, and whose integrator turns them into probabilities."""

    estimator: Any
    integrator: Any
    penalty: Penalty
    select: Criterion
    distance_cv: Any
    threshold_cv: Any
    scoring: Any
    n_jobs: int | None
    random_state: Any
    verbose: int
    # Whether the classes are ordered, which decides what integrators there are.
    _ordered: bool
    # Indices of the classes, the baseline or the lowest class first.
    _order: NDArray[np.int64]
    _fitted: FittedHybrid

    def distances(self, X: Any) -> pd.DataFrame:
        """Signed distances from the borders of all machines.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        DataFrame
            One column for each machine, positive on its positive side; the index is that of X, if it has one.
        """
        frame = self._fitted.distances(self._read_rows(X))
        if hasattr(X, "index") and not callable(X.index):
            frame.index = X.index
        return frame

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            One column for each class, in the order of `classes_`.
        """
        x = self._read_rows(X)
        return self._by_class(self._fitted.proba(x))

    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of the probabilities; minus infinity if a probability is 0.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            One column for each class, in the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def tidy(self, alpha: float = 0.05) -> pd.DataFrame:
        """Coefficients of the integrator as a data frame, one row each.

        Standard errors treat the distances as given: they ignore that the machines were fitted, too.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.

        Returns
        -------
        DataFrame
            Columns `term`, `estimate`, `std_error`, `statistic`, `p_value`, `conf_low` and `conf_high`. Multinomial
            integrators also have `y_level`, the group that is compared with the baseline.
        """
        check_is_fitted(self)
        alpha, results = _params.level(alpha), self.integrator_
        if hasattr(results, "tidy"):
            return results.tidy(alpha)
        estimate = np.asarray(results.params)
        terms = list(map(str, results.params.index))
        bounds = np.asarray(results.conf_int(alpha)).reshape(-1, 2)
        columns = {
            "term": terms * (estimate.size // len(terms)),
            "estimate": estimate.ravel(order="F"),
            "std_error": np.ravel(results.bse, order="F"),
            "statistic": np.ravel(results.tvalues, order="F"),
            "p_value": np.ravel(results.pvalues, order="F"),
            "conf_low": bounds[:, 0],
            "conf_high": bounds[:, 1],
        }
        if estimate.ndim > 1:
            columns = {"y_level": np.repeat(self._fitted.integrator.labels[1:], len(terms)), **columns}
        return pd.DataFrame(columns)

    def summary(self) -> Summary:
        """Table of the machines, and the summary of the integrator.

        Returns
        -------
        Summary
            As in statsmodels.
        """
        check_is_fitted(self)
        inner = self.integrator_.summary()
        machines = self._fitted.machines
        table = SimpleTable(
            [[str(m.n_positive), str(m.n_negative), str(_n_support(m)), f"{m.norm:.4g}"] for m in machines],
            headers=["positive", "negative", "support", "||w||"],
            stubs=[machine.name for machine in machines],
            title="Local machines",
            txt_fmt=fmt_params,
        )
        left = [
            ("Machines:", type(last_step(self._learner())).__name__),
            ("Distances:", "of the fit" if self.distance_cv is None else "held out"),
            ("Baseline:", str(self.classes_[self._order[0]])),
        ]
        right = [
            ("Integrator:", self._fitted.integrator.kind),
            ("Penalty:", "Firth" if self.penalty_ else "none"),
            ("Prediction:", self._rule()),
        ]
        width = _summary.width_of([table, *inner.tables])
        summary = Summary()
        summary.tables = [_summary.head(type(self).__name__, left, right, width), table, *inner.tables]
        notes = [inner.extra_txt] if inner.extra_txt else []
        if self.aliased_:
            notes.append(
                f"Not used, because they are constant or combinations of other distances: {', '.join(self.aliased_)}."
            )
        if self.unsteady_:
            notes.append(f"Not held out, because the folds disagree on the border: {', '.join(self.unsteady_)}.")
        if self.estimator is None:
            notes.append("Each machine standardises its columns: distances and ||w|| are in standard deviations.")
        summary.add_extra_txt(notes)
        return summary

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = bool(get_tags(self._learner()).input_tags.sparse)
        return tags

    # Parameters and data

    def _learner(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        return make_pipeline(Standardizer(), SVC(kernel="linear", max_iter=MAX_ITER))

    def _check_params(self) -> None:
        _check_learner(self._learner())
        kinds = [name for name, kind in INTEGRATORS.items() if kind.ordered == self._ordered]
        _params.choice(self.integrator, kinds, "integrator")
        _params.optional_choice(self.penalty, ("auto", "firth"), "penalty")
        _params.optional_choice(self.select, ("aic", "bic", "lr"), "select")
        if self.select is not None and not INTEGRATORS[self._kind()].selects:
            raise InputError(
                f"{arg('select')} cannot be used with {arg('integrator', self.integrator)}, which consists of several "
                f"fits; use another integrator, or {arg('select', None)}."
            )
        if self.distance_cv is not None:
            check_cv(self.distance_cv, "distance_cv", f", or {value(None)}")
        check_cv(self.threshold_cv, "threshold_cv")
        check_one_score(self.scoring)
        _params.jobs(self.n_jobs)
        _params.random_state(self.random_state)

    def _kind(self) -> str:
        """The integrator to fit."""
        return str(self.integrator)

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        """Rows with the indices of their classes in `classes_`, without those of weight 0."""
        check_y_given(y, self)
        if isinstance(X, pd.DataFrame):
            check_frame(X)
            text = [name for name, column in X.items() if is_text(column)]
            if text:
                raise InputError(
                    f"{arg('X')} must hold numbers, got text in the columns {listed(text)}; encode them, for example "
                    f"with a {code('OneHotEncoder')} in a pipeline, or leave them out."
                )
        x, y = validate_data(self, X, y, accept_sparse=self._accept_sparse(), dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        check_several_classes(self.classes_)
        used = np.ones(len(codes), np.bool_)
        if sample_weight is None:
            return Rows(x, codes, None, used)
        weight = _check_sample_weight(sample_weight, x, dtype=np.float64, ensure_non_negative=True)
        check_weight_of_classes(y, weight)
        if weight_parameter(self._learner()) is None:
            raise InputError(
                f"{arg('estimator')} ({type(last_step(self._learner())).__name__}) takes no {arg('sample_weight')}; "
                "choose a learner that does, or repeat the rows."
            )
        used = weight > 0.0
        if used.all():
            return Rows(x, codes, weight, used)
        for name in ("distance_cv", "threshold_cv"):
            cv = getattr(self, name)
            if not (cv is None or _params.is_whole(cv) or hasattr(cv, "split")):
                raise InputError(
                    f"{arg('sample_weight')} is 0 for some rows, which are left out, so the folds of {arg(name)} would "
                    "be those of other rows; leave these rows out yourself, and number the others in the folds."
                )
        return Rows(take(x, np.flatnonzero(used)), codes[used], weight[used], used)

    def _read_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, accept_sparse=self._accept_sparse(), dtype=np.float64)

    def _accept_sparse(self) -> Any:
        return "csr" if get_tags(self).input_tags.sparse else False

    def _seed(self) -> int | None:
        """A seed for all random steps, the same for the same `random_state`."""
        if self.random_state is None:
            return None
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    # Training

    def _train_best(
        self,
        train: Callable[..., FittedHybrid],
        makers: Sequence[Callable[[], Groups]],
        weight: Array | None,
        needed: bool = False,
    ) -> FittedHybrid:
        """Fit, and choose the groups by held-out probabilities.

        Parameters
        ----------
        train : callable
            Takes folds that hold out probabilities or None, and groups.
        makers : sequence of callables
            Make groups to choose from. The first are used if there are too few rows to choose.
        weight : ndarray or None
            Weights of the rows; None if all are 1.
        needed : bool
            Whether probabilities must be held out even if there is nothing to choose.
        """
        if len(makers) == 1:
            if not (needed or _is_default(self.threshold_cv)):
                unused = PwcWarning(
                    f"{arg('threshold_cv')} is not used, because nothing is chosen by held-out probabilities; leave it "
                    "out."
                )
                warn(unused)
            return train(self.threshold_cv if needed else None, makers[0]())
        hold_out = partial(train, self.threshold_cv)
        try:
            trials = try_each((partial(_call_on, hold_out, make) for make in makers), self._loss)
            best = simplest(trials, lambda fitted: len(fitted.machines), weight)
        except InputError:
            # Few rows may have no folds, and need no choice. Users who give folds must hear of it.
            if needed or not _params.is_whole(self.threshold_cv):
                raise
            return train(None, makers[0]())
        return best.accept()

    def _loss(self, fitted: FittedHybrid) -> Array:
        """Log loss of each row's held-out probability."""
        assert fitted.held_out is not None
        return log_loss(fitted.held_out.proba[np.arange(len(fitted.groups.code)), fitted.groups.code])

    def _train(self, rows: Rows, kind: str, seed: int | None, threshold_cv: Any, groups: Groups) -> FittedHybrid:
        """Fit the machines, measure distances, and fit the integrator; with `threshold_cv`, hold out probabilities."""
        x, weight = rows.x, rows.weight
        make_folds = partial(_make_folds, x, groups, seed)
        distance_folds = make_folds(self.distance_cv, "distance_cv")
        threshold_folds = make_folds(threshold_cv, "threshold_cv")
        # Thresholds need machines of folds only if distances are not held out anyway.
        folds = threshold_folds if distance_folds is None else distance_folds
        machines, by_fold = fit_machines(
            self._learner(), groups.machines, x, weight, folds, self.n_jobs, seed, self.verbose
        )
        fit = partial(integrate, kind, labels=groups.labels, penalty=self.penalty, select=self.select)
        distances, reference = measure(machines, x), None
        unsteady: list[str] = []
        if distance_folds is not None:
            reference = distances
            distances, unsteady = measure_held_out(by_fold, distance_folds, x, weight, reference)
        integrator = fit(distances, groups.code, reference=reference, weight=weight)
        held_out = None
        if threshold_folds is not None:
            proba = np.empty((len(groups.code), 2 if INTEGRATORS[kind].binary else len(groups.labels)))
            for k, (train, test) in enumerate(zip(threshold_folds.train, threshold_folds.test, strict=True)):
                kept = _with_all_groups(train, groups.code)
                if reference is None:
                    seen, new, seen_reference = measure(by_fold[k], x[kept]), measure(by_fold[k], x[test]), None
                else:
                    seen, new, seen_reference = distances[kept], distances[test], reference[kept]
                model = fit(
                    seen,
                    groups.code[kept],
                    reference=seen_reference,
                    weight=None if weight is None else weight[kept],
                    where=f" in fold {k} of {arg('threshold_cv')}",
                    full=integrator,
                )
                proba[test] = model.proba(new)
            held_out = HeldOut(proba, threshold_folds.held())
        return FittedHybrid(groups, machines, integrator, unsteady, held_out)

    def _keep(self, fitted: FittedHybrid) -> None:
        """Set the public attributes of a fit."""
        self._fitted = fitted
        self.machines_ = {machine.name: machine.learner for machine in fitted.machines}
        self.norms_ = pd.Series({machine.name: machine.norm for machine in fitted.machines})
        self.integrator_ = fitted.integrator.results
        self.aliased_ = fitted.integrator.aliased
        self.selected_ = fitted.integrator.columns
        self.penalty_ = fitted.integrator.penalty
        self.unsteady_ = fitted.unsteady

    # Prediction

    def _by_class(self, proba: Array) -> Array:
        """Probabilities of the classes from those of the groups, which come in the order of `_order`."""
        return proba[:, np.argsort(self._order)]

    def _rule(self) -> str:
        """How a class is predicted, in a few words."""
        return "the likeliest class"


def _check_learner(learner: Any) -> None:
    if isinstance(learner, type):
        name = learner.__name__
        raise InputError(f"{arg('estimator')} is the class {name}; give an instance, {code(f'{name}()')}.")
    if not hasattr(learner, "fit") or not hasattr(learner, "get_params"):
        example = code("SVC(kernel='linear')")
        raise InputError(
            f"{arg('estimator')} must be a scikit-learn classifier, such as {example}, got {value(learner)}."
        )
    if not hasattr(learner, "decision_function") and not hasattr(learner, "predict_proba"):
        raise InputError(
            f"{arg('estimator')} ({type(learner).__name__}) has neither {code('decision_function')} nor "
            f"{code('predict_proba')}, so it cannot measure distances; choose a learner that has one of them."
        )
    if learner.get_params().get("kernel") == "precomputed":
        raise InputError(
            f"{arg('kernel', 'precomputed')} cannot be used here; give the rows, and a kernel by name or as a function."
        )


def check_cv(cv: Any, name: str, more: str = "") -> None:
    """Check a number of folds, or a splitter; the folds themselves are checked when they are made."""
    if (_params.is_whole(cv) and cv < 2) or cv is None or isinstance(cv, (str, bool, float)):
        raise InputError(f"{arg(name)} must be a number of folds of at least 2, or a splitter{more}, got {value(cv)}.")


def _make_folds(x: Any, groups: Groups, seed: int | None, cv: Any, name: str) -> Folds | None:
    return None if cv is None else make_group_folds(cv, x, groups.code, groups.labels, name, seed)


def _is_default(threshold_cv: Any) -> bool:
    return _params.is_whole(threshold_cv) and threshold_cv == FOLDS


def _call_on(fit: Callable[[Groups], FittedHybrid], make: Callable[[], Groups]) -> FittedHybrid:
    return fit(make())


def _with_all_groups(train: NDArray[np.bool_], groups: Codes) -> NDArray[np.bool_]:
    """Training rows, and all rows of a group that has none among them, as in its machine."""
    missing = np.bincount(groups[train], minlength=int(groups.max()) + 1) == 0
    return train | missing[groups]


def _n_support(machine: Machine) -> Any:
    last = last_step(machine.learner)
    return int(last.n_support_.sum()) if hasattr(last, "n_support_") else "-"
