"""Local machines: each separates two groups of rows and measures signed distances from its border."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning as SklearnWarning
from sklearn.utils.parallel import delayed
from tqdm import tqdm

from pwcstats._arrays import Array
from pwcstats._jobs import in_parallel
from pwcstats._kernels.blas import one_thread
from pwcstats._text import listed
from pwcstats.errors import ConvergenceWarning, InputError, arg, code, quoted, warn
from pwcstats.pairwise import learners
from pwcstats.pairwise.data import Standardizer, take
from pwcstats.pairwise.folds import Folds
from pwcstats.pairwise.svm import decision_values, is_native

Mask = NDArray[np.bool_]
# A squared norm ||w||² below this share of the sum of its terms' absolute values is a rounding error.
ROUNDING = 1e-12
# Held-out distances are used if their correlation with the distances from the machine of all rows is at least this.
STEADY = 0.8


@dataclass(frozen=True, eq=False)
class MachineRows:
    """The rows that a machine learns from: masks of its positive and its negative side."""

    name: str
    positive: Mask
    negative: Mask

    def training_rows(self, kept: Mask | None) -> NDArray[np.int64]:
        """Indices of the `kept` rows. A side without any kept row keeps all its rows: a machine needs both sides."""
        sides = [self.positive, self.negative]
        if kept is not None:
            sides = [side & kept if (side & kept).any() else side for side in sides]
        return np.flatnonzero(sides[0] | sides[1])


@dataclass(frozen=True, eq=False)
class Machine:
    """A fitted learner, the norm of its normal vector (1 if unknown), and the numbers of rows on its two sides."""

    name: str
    learner: Any
    norm: float
    n_positive: int
    n_negative: int

    def distances(self, x: Any) -> Array:
        """Signed distances from the border, positive on the positive side; 0 if there is no border."""
        if self.norm == 0.0:
            return np.zeros(x.shape[0])
        return _scores(self.learner, x) / self.norm


def fit_machines(
    learner: Any,
    sides: Sequence[MachineRows],
    x: Any,
    weight: Array | None,
    folds: Folds | None,
    n_jobs: int | None,
    seed: int | None,
    verbose: int,
) -> tuple[list[Machine], list[list[Machine]]]:
    """Fit the machines to all rows and, for each fold, to its training rows."""
    kept = [None, *(folds.train if folds is not None else ())]
    calls = [delayed(_fit)(learner, each, x, weight, rows, seed) for rows in kept for each in sides]
    # LIBSVM releases the GIL. Other learners run in parallel only in joblib's processes.
    prefer: dict[str, Any] = {"prefer": "threads"} if is_native(learners.last_step(learner)) else {}
    with warnings.catch_warnings(), one_thread():
        # One warning, below, replaces those of each machine and fold.
        warnings.filterwarnings("ignore", message="Solver terminated early", category=SklearnWarning)
        done = in_parallel(calls, n_jobs, **prefer)
        fitted: list[Machine] = list(tqdm(done, total=len(calls), desc="local machines", disable=not verbose))
    _warn_of_limit(fitted)
    by_fold = [fitted[start : start + len(sides)] for start in range(0, len(fitted), len(sides))]
    return by_fold[0], by_fold[1:]


def _fit(
    learner: Any, sides: MachineRows, x: Any, weight: Array | None, kept: Mask | None, seed: int | None
) -> Machine:
    # With routing, pipelines would need requests of their steps.
    with one_thread(), config_context(enable_metadata_routing=False):
        rows = sides.training_rows(kept)
        weight = None if weight is None else weight[rows]
        machine = learners.seeded(learner, seed)
        part, positive = take(x, rows), sides.positive[rows]
        if learners.asks_for_gamma(machine):
            machine.set_params(**learners.gamma_of_rows(machine, part, weight))
        try:
            machine.fit(part, positive, **_weights_of_steps(machine, weight))
        except Exception as error:
            raise InputError(
                f"the local {code(type(learner).__name__)} of {sides.name} failed: {quoted(error).strip()}"
            ) from error
        norm = _norm(machine, part, sides.name)
        return Machine(sides.name, machine, norm, int(positive.sum()), int((~positive).sum()))


def _weights_of_steps(machine: Any, weight: Array | None) -> dict[str, Any]:
    """Fit parameters with the weights of rows: those of the learner, and of the columns that we standardise."""
    if weight is None:
        return {}
    steps = getattr(machine, "steps", [])
    names = [f"{name}__sample_weight" for name, step in steps if isinstance(step, Standardizer)]
    return dict.fromkeys([*names, str(learners.weight_parameter(machine))], weight)


def _norm(machine: Any, x: Any, name: str) -> float:
    """Norm of the normal vector; in the space of a kernel, ||w||² = a'Ka = a'(f - b) over the support vectors."""
    last = learners.last_step(machine)
    if not is_native(last):
        return float(np.linalg.norm(last.coef_)) if hasattr(last, "coef_") else 1.0
    weight = last.dual_coef_.toarray() if sparse.issparse(last.dual_coef_) else last.dual_coef_
    terms = weight[0] * (_scores(machine, take(x, last.support_)) - last.intercept_[0])
    square, rounding = terms.sum(), ROUNDING * np.abs(terms).sum()
    if last.kernel == "linear":
        coef = last.coef_
        square = float(coef.multiply(coef).sum() if sparse.issparse(coef) else (coef**2).sum())
    if square < -rounding:
        raise InputError(
            f"{arg('kernel', last.kernel)} is not positive definite on these rows: the machine of {name} has "
            f"||w||^2 = {square:.3g}, so distances are not defined; choose another kernel or other parameters of it."
        )
    return float(np.sqrt(square)) if square > rounding else 0.0


def _scores(machine: Any, x: Any) -> Array:
    """Scores in favour of the positive side."""
    if is_native(machine):
        return -decision_values(machine, x)[:, 0]
    kind = learners.DECISION if hasattr(machine, "decision_function") else learners.PROBABILITY
    return learners.scores(machine, x, kind, True)


def _warn_of_limit(fitted: Sequence[Machine]) -> None:
    """Name the machines that stopped at `max_iter`, in the fit to all rows or in a fold."""
    stopped = []
    for machine in fitted:
        last = learners.last_step(machine.learner)
        if is_native(last) and last.fit_status_ != 0:
            stopped.append((machine.name, last.max_iter))
    if stopped:
        names = dict.fromkeys(machine.name for machine in fitted if machine.name in dict(stopped))
        warn(
            ConvergenceWarning(
                f"the support vector machines of {listed(names)} stopped after {stopped[0][1]} steps, before they "
                f"converged, so their distances are approximate; standardise the columns, lower {arg('C')}, or raise "
                f"{arg('tol')}."
            )
        )


def measure(machines: Sequence[Machine], x: Any) -> pd.DataFrame:
    """Distances of some rows from all machines, one column each."""
    columns = [f"d_{machine.name}" for machine in machines]
    return pd.DataFrame(np.column_stack([machine.distances(x) for machine in machines]), columns=columns)


def measure_held_out(
    by_fold: Sequence[Sequence[Machine]], folds: Folds, x: Any, weight: Array | None, reference: pd.DataFrame
) -> tuple[pd.DataFrame, list[str]]:
    """Distances of all rows from machines that were not trained on them, and the names of unsteady distances.

    The `reference` has the distances from the machines of all rows. Each machine of a fold is shifted so that its mean
    distance over all rows is that of the reference. If the sides overlap, borders of nearly the same direction can be
    far apart, and the integrator would mainly see differences between folds.

    If the sides overlap a lot, a few rows decide where a border is. Distances from the borders of the folds are then
    uncorrelated with those from the machine that is used in prediction. Such distances are called unsteady, and are
    replaced by the reference. Its machines adapt so little to their training rows that these are like new rows.
    """
    held_out = np.empty(reference.shape)
    mean = np.average(reference, axis=0, weights=weight)
    for machines, test in zip(by_fold, folds.test, strict=True):
        d = measure(machines, x).to_numpy()
        held_out[test] = d[test] - np.average(d, axis=0, weights=weight) + mean
    root = 1.0 if weight is None else np.sqrt(weight)[:, None]
    a, b = (root * (d - np.average(d, axis=0, weights=weight)) for d in (held_out, reference.to_numpy()))
    norms = np.linalg.norm(a, axis=0) * np.linalg.norm(b, axis=0)
    unsteady = (a * b).sum(axis=0) < STEADY * norms
    distances = pd.DataFrame(np.where(unsteady, reference, held_out), columns=reference.columns)
    return distances, list(reference.columns[unsteady])
