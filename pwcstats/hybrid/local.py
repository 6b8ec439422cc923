"""Local machines: each tells some rows from some others, and measures how far a row is from its border."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning as SklearnWarning
from sklearn.utils.parallel import delayed
from tqdm import tqdm

from pwcstats._arrays import Array
from pwcstats._jobs import in_parallel
from pwcstats._kernels.blas import one_thread
from pwcstats.errors import ConvergenceWarning, user_stacklevel
from pwcstats.hybrid import checks
from pwcstats.pairwise import learners
from pwcstats.pairwise.data import take
from pwcstats.pairwise.folds import Folds
from pwcstats.pairwise.svm import decision_values, is_native

Mask = NDArray[np.bool_]
# Of the sum of the terms' sizes, what is left of ||w||² by rounding alone.
ROUNDING = 1e-12
# Correlation of held-out distances with those of the machine of all rows that makes them distances from one border.
STEADY = 0.8


@dataclass(frozen=True, eq=False)
class Task:
    """Rows that a machine learns from, and those among them that are on its positive side."""

    name: str
    positive: Mask
    negative: Mask

    def rows(self, kept: Mask | None) -> NDArray[np.int64]:
        """Rows to train on. A side of which none is `kept` stays as it is: a machine needs both."""
        sides = [self.positive, self.negative]
        if kept is not None:
            sides = [side & kept if (side & kept).any() else side for side in sides]
        return np.flatnonzero(sides[0] | sides[1])


@dataclass(frozen=True, eq=False)
class Machine:
    """A fitted learner of two sides, and the length of its normal vector (1 where it has none that is known)."""

    learner: Any
    norm: float

    def distances(self, x: Any) -> Array:
        """Signed distances from the border, positive on the positive side; 0 where there is no border."""
        if self.norm == 0.0:
            return np.zeros(x.shape[0])
        return _scores(self.learner, x) / self.norm


def fit_machines(
    learner: Any,
    tasks: Sequence[Task],
    x: Any,
    folds: Folds | None,
    n_jobs: int | None,
    seed: int | None,
    verbose: int = 0,
) -> tuple[list[Machine], list[list[Machine]]]:
    """Machines of all rows and, for each fold, machines that have not seen the rows that it holds out."""
    kept = [None, *(folds.train if folds is not None else ())]
    calls = [delayed(_fit)(learner, task, x, rest, seed) for rest in kept for task in tasks]
    # LIBSVM lets go of Python's lock; of other learners, only joblib's processes run side by side.
    prefer: dict[str, Any] = {"prefer": "threads"} if is_native(learners.last_step(learner)) else {}
    with warnings.catch_warnings(), one_thread():
        # One warning, below, in place of one for each machine and fold.
        warnings.filterwarnings("ignore", message="Solver terminated early", category=SklearnWarning)
        done = in_parallel(calls, n_jobs, **prefer)
        fitted = list(tqdm(done, total=len(calls), desc="local machines", disable=not verbose))
    _warn_of_limit(tasks, fitted)
    by_fold = [fitted[start : start + len(tasks)] for start in range(0, len(fitted), len(tasks))]
    return by_fold[0], by_fold[1:]


def _warn_of_limit(tasks: Sequence[Task], fitted: Sequence[Machine]) -> None:
    """Name the machines that stopped at their limit, in the fit of all rows or of a fold."""
    lasts = [learners.last_step(machine.learner) for machine in fitted]
    stopped = [is_native(last) and last.fit_status_ != 0 for last in lasts]
    if any(stopped):
        names = [task.name for k, task in enumerate(tasks) if any(stopped[k :: len(tasks)])]
        limit = lasts[stopped.index(True)].max_iter
        warnings.warn(checks.stopped_machines(names, limit), ConvergenceWarning, stacklevel=user_stacklevel())


def measure(machines: Sequence[Machine], x: Any, names: Sequence[str]) -> pd.DataFrame:
    """Distances of some rows from all machines, a column each."""
    return pd.DataFrame(np.column_stack([machine.distances(x) for machine in machines]), columns=list(names))


def measure_held_out(
    by_fold: Sequence[Sequence[Machine]], folds: Folds, x: Any, reference: pd.DataFrame
) -> pd.DataFrame:
    """Distances of all rows from machines that have not seen them.

    Each machine is moved to where its mean over all rows is that of the `reference`, the machine of all rows. Where the
    sides overlap, borders of nearly the same direction may lie far apart, and the folds would be all that is seen.
    """
    out = np.empty(reference.shape)
    middle = reference.to_numpy().mean(axis=0)
    for machines, test in zip(by_fold, folds.test, strict=True):
        d = measure(machines, x, list(reference.columns)).to_numpy()
        out[test] = d[test] - d.mean(axis=0) + middle
    return pd.DataFrame(out, columns=reference.columns)


def steady(held_out: pd.DataFrame, reference: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Held-out distances; those of the `reference` where the folds do not agree with it, and which these are.

    Where sides overlap much, a few rows decide where a border lies. Distances from borders elsewhere then say nothing
    about the machine that is asked in prediction, and that machine is so stiff that its own rows are like new ones.
    """
    a, b = (frame.to_numpy() - frame.to_numpy().mean(axis=0) for frame in (held_out, reference))
    size = np.linalg.norm(a, axis=0) * np.linalg.norm(b, axis=0)
    unsteady = (a * b).sum(axis=0) < STEADY * size
    names = list(reference.columns[unsteady])
    return held_out.assign(**{name: reference[name] for name in names}), names


def _fit(learner: Any, task: Task, x: Any, kept: Mask | None, seed: int | None) -> Machine:
    with one_thread():
        rows = task.rows(kept)
        machine = learners.seeded(learner, seed)
        part = take(x, rows)
        if learners.asks_for_gamma(machine):
            machine.set_params(**learners.gamma_of_rows(machine, part))
        try:
            machine.fit(part, task.positive[rows])
        except Exception as error:
            raise checks.failed_machine(task.name, learner, error) from error
        return Machine(machine, _norm(machine, part, task.name))


def _norm(machine: Any, x: Any, name: str) -> float:
    """Length of the normal vector; in a kernel's space, ||w||² = a'Ka = a'(f - b) over the support vectors."""
    last = learners.last_step(machine)
    if not is_native(last):
        return float(np.linalg.norm(last.coef_)) if hasattr(last, "coef_") else 1.0
    weight = last.dual_coef_.toarray() if sparse.issparse(last.dual_coef_) else last.dual_coef_
    terms = weight[0] * (_scores(machine, take(x, last.support_)) - last.intercept_[0])
    square, rounding = terms.sum(), ROUNDING * np.abs(terms).sum()
    if last.kernel == "linear":
        coef = last.coef_
        square = float(coef.multiply(coef).sum() if sparse.issparse(coef) else (coef**2).sum())
    checks.refuse_indefinite(square, rounding, name, last)
    return float(np.sqrt(square)) if square > rounding else 0.0


def _scores(machine: Any, x: Any) -> Array:
    """Scores in favour of the positive side."""
    if is_native(machine):
        return -decision_values(machine, x)[:, 0]
    kind = learners.DECISION if hasattr(machine, "decision_function") else learners.PROBABILITY
    return learners.scores(machine, x, kind, True)
