"""What the two hybrids share: local machines, their distances, and a logistic model that integrates them."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data
from statsmodels.iolib.summary import Summary
from statsmodels.iolib.table import SimpleTable
from statsmodels.iolib.tableformatting import fmt_params

from pwcstats import _params, _summary
from pwcstats._arrays import Array
from pwcstats.errors import SeparationWarning
from pwcstats.hybrid import checks as hybrids
from pwcstats.hybrid.integrators import Codes, Integrator, integrate
from pwcstats.hybrid.local import Task, fit_machines, measure, measure_held_out, steady
from pwcstats.pairwise.data import Standardizer, check_frame, check_several_classes, check_y_given
from pwcstats.pairwise.folds import Folds, make_group_folds
from pwcstats.pairwise.learners import MAX_ITER, last_step

PENALTIES = ("auto", "firth")
CRITERIA = ("aic", "bic", "lr")


class IntegratedMachines(ClassifierMixin, BaseEstimator):
    """A classifier whose machines measure distances, and whose integrator makes probabilities of them."""

    estimator: Any
    integrator: str
    penalty: str | None
    select: str | None
    distance_cv: Any
    n_jobs: int | None
    random_state: Any
    verbose: int
    unsteady_: list[str]
    # Places of the classes, from the one that others are compared with, or that is before all others.
    _order: NDArray[np.int64]

    def distances(self, X: Any) -> pd.DataFrame:
        """Signed distances of some rows from the borders of all machines.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        DataFrame
            A column for each machine, positive on its positive side; the index is that of X, if it has one.
        """
        frame = self._distances(self._read_rows(X))
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
            In the order of `classes_`, which is sorted.
        """
        x = self._read_rows(X)
        return self._by_class(self._model.proba(self._distances(x)))

    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of the probabilities; minus infinity where one is 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def summary(self) -> Summary:
        """The machines, and the integrator's own summary."""
        check_is_fitted(self)
        inner = self.integrator_.summary()
        cells = [
            [str(int(task.positive.sum())), str(int(task.negative.sum())), str(_n_support(machine)), f"{norm:.4g}"]
            for task, machine, norm in zip(self._tasks, self.machines_.values(), self.norms_, strict=True)
        ]
        table = SimpleTable(
            cells,
            headers=["positive", "negative", "support", "||w||"],
            stubs=list(self.machines_),
            title="Local machines",
            txt_fmt=fmt_params,
        )
        left, right = self._described()
        width = _summary.width_of([table, *inner.tables])
        summary = Summary()
        summary.tables = [_summary.head(type(self).__name__, left, right, width), table, *inner.tables]
        notes = [inner.extra_txt] if inner.extra_txt else []
        if self.aliased_:
            notes.append(
                f"Not used, as they are constant or combinations of the other distances: {', '.join(self.aliased_)}."
            )
        if self.unsteady_:
            notes.append(f"Distances of the fit, as the folds do not agree on the border: {', '.join(self.unsteady_)}.")
        if self.estimator is None:
            notes.append("Each machine standardises its columns: distances and ||w|| are in standard deviations.")
        summary.add_extra_txt(notes)
        return summary

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = bool(get_tags(self._learner()).input_tags.sparse)
        return tags

    # Parts of a fit

    def _learner(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        return make_pipeline(Standardizer(), SVC(kernel="linear", max_iter=MAX_ITER))

    def _check_shared_options(self) -> None:
        hybrids.refuse_learner(self._learner())
        _params.optional_choice(self.penalty, PENALTIES, "penalty")
        _params.optional_choice(self.select, CRITERIA, "select")
        hybrids.refuse_cv(self.distance_cv, "distance_cv", none=True)
        _params.jobs(self.n_jobs)

    def _read(self, X: Any, y: Any) -> tuple[Any, NDArray[np.int64]]:
        """Rows, and the places of their classes among `classes_`."""
        check_y_given(y, self)
        if isinstance(X, pd.DataFrame):
            check_frame(X)
            hybrids.refuse_words_in_columns(X)
        x, y = validate_data(self, X, y, accept_sparse=self._sparse(), dtype=np.float64)
        check_classification_targets(y)
        self.classes_, code = np.unique(y, return_inverse=True)
        check_several_classes(self.classes_)
        return x, code

    def _read_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, accept_sparse=self._sparse(), dtype=np.float64)

    def _sparse(self) -> Any:
        return "csr" if get_tags(self).input_tags.sparse else False

    def _seed(self) -> int | None:
        """A seed for everything that is random, the same for the same `random_state`."""
        if self.random_state is None:
            return None
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _fit_parts(
        self, x: Any, tasks: Sequence[Task], code: Codes, labels: Sequence[str], threshold_cv: Any = None
    ) -> tuple[Array, Folds] | None:
        """Machines and integrator; with `threshold_cv`, held-out probabilities of the first group and their folds."""
        seed = self._seed()
        own, other = (
            None if cv is None else make_group_folds(cv, x, code, labels, name, seed)
            for name, cv in (("distance_cv", self.distance_cv), ("threshold_cv", threshold_cv))
        )
        machines, by_fold = fit_machines(
            self._learner(), tasks, x, other if own is None else own, self.n_jobs, seed, self.verbose
        )
        self._tasks = list(tasks)
        self._machines = machines
        self.machines_ = {task.name: machine.learner for task, machine in zip(tasks, machines, strict=True)}
        self.norms_ = pd.Series({task.name: machine.norm for task, machine in zip(tasks, machines, strict=True)})
        reference = self._distances(x)
        used, self.unsteady_ = reference, []
        if own is not None:
            used, self.unsteady_ = steady(measure_held_out(by_fold, own, x, reference), reference)
        self._model = self._integrate(used, code, labels, reference)
        self.integrator_, self.aliased_ = self._model.results, self._model.aliased
        self.penalty_, self.selected_ = self._model.penalty, self._model.columns
        if other is None:
            return None
        held = np.empty(len(code))
        for number, (train, test) in enumerate(zip(other.train, other.test, strict=True)):
            inside = _with_all_groups(train, code)
            seen, new, ref = used[inside], used[test], reference[inside]
            if own is None:
                seen = ref = measure(by_fold[number], x[inside], self._names)
                new = measure(by_fold[number], x[test], self._names)
            with warnings.catch_warnings():
                # What the fit of all rows has said need not be said again.
                warnings.simplefilter("ignore", SeparationWarning)
                where = f" in fold {number} of threshold_cv"
                model = self._integrate(seen, code[inside], labels, ref, where, near=self._model)
            held[test] = model.proba(new)[:, 0]
        return held, other

    def _integrate(
        self,
        distances: pd.DataFrame,
        code: Codes,
        labels: Sequence[str],
        reference: pd.DataFrame,
        where: str = "",
        near: Integrator | None = None,
    ) -> Integrator:
        return integrate(
            self._kind(), distances, code, labels,
            penalty=self.penalty, select=self.select, reference=reference, where=where, near=near,
        )  # fmt: skip

    def _kind(self) -> str:
        return self.integrator

    @property
    def _names(self) -> list[str]:
        return [f"d_{task.name}" for task in self._tasks]

    def _distances(self, x: Any) -> pd.DataFrame:
        return measure(self._machines, x, self._names)

    def _by_class(self, proba: Array) -> Array:
        """Probabilities of the classes from those of the integrator's groups, which are in its own order."""
        return proba[:, np.argsort(self._order)]

    def _described(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        left = [
            ("Machines:", type(last_step(self._learner())).__name__),
            ("Distances:", "of the fit" if self.distance_cv is None else "held out"),
            ("Baseline:", str(self.classes_[self._order[0]])),
        ]
        right = [
            ("Integrator:", self._kind()),
            ("Penalty:", "Firth" if self.penalty_ else "none"),
            ("Threshold:", self._called()),
        ]
        return left, right

    def _called(self) -> str:
        """How a class is called, in a word."""
        return "the likeliest class"


def _with_all_groups(train: NDArray[np.bool_], code: Codes) -> NDArray[np.bool_]:
    """Training rows; a group of which none is among them keeps its rows, as in its machine."""
    missing = np.bincount(code[train], minlength=int(code.max()) + 1) == 0
    return train | missing[code]


def _n_support(machine: Any) -> Any:
    last = last_step(machine)
    return int(last.n_support_.sum()) if hasattr(last, "n_support_") else "-"
