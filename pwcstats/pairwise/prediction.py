"""How fitted pairs predict: scores of the pairs, their probabilities, and the coupling."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import delayed

from pwcstats._arrays import Array
from pwcstats._jobs import in_parallel
from pwcstats.coupling import couple
from pwcstats.coupling.coupler import check_weights
from pwcstats.coupling.methods import find_method, methods_with
from pwcstats.coupling.reading import Pairs, read_weights
from pwcstats.errors import InputError, PwcWarning, arg, code, value, warn
from pwcstats.pairwise.calibration import CalibratedPairs
from pwcstats.pairwise.data import ClassPairs, Integers, RowFormat, Standardizer
from pwcstats.pairwise.temperature import tempered

# Pairwise probabilities are computed and coupled in pieces of about this many numbers. Larger pieces do not fit into
# the processor's cache.
PIECE = 2**21


@dataclass(frozen=True)
class CouplingRule:
    """How pairs are coupled: the user's parameters `coupling` and `weights`."""

    coupling: Any
    weights: Any

    def check(self) -> None:
        """Refuse unknown methods and weights."""
        find_method(self.coupling, "coupling")
        if isinstance(self.weights, str) and self.weights != "counts":
            raise InputError(
                f"{arg('weights')} must be {value('counts')}, {value(None)} (all pairs equally), or your own weights "
                f"of the pairs, got {value(self.weights)}."
            )

    def own_weights(self, classes: NDArray[Any]) -> Array | None:
        """The user's weights of the pairs, checked; None if there are none."""
        if self.weights is None or isinstance(self.weights, str):
            return None
        if not find_method(self.coupling, "coupling").uses_weights:
            users = methods_with("uses_weights", "coupling")
            raise InputError(
                f"only {users} uses weights of the pairs, got {arg('coupling', self.coupling)}; leave {arg('weights')} "
                "out or change the coupling."
            )
        pairs = Pairs.of_classes(classes)
        own = read_weights(self.weights, pairs, True, "weights")
        check_weights(own, pairs, "weights")
        return own[0]


@dataclass(eq=False)
class FittedPairs:
    """Everything that prediction needs.

    `table` has the columns of the table of pairs. `columns` are the columns of a kernel matrix that belong to training
    rows with positive weight; None for other data. The `temperature` belongs to the `rule` of the fit.
    """

    classes: NDArray[Any]
    pairs: CalibratedPairs
    masses: CalibratedPairs | None
    table: dict[str, NDArray[Any]]
    row_format: RowFormat
    scaler: Standardizer | None
    columns: Integers | None
    rule: CouplingRule
    temperature: float = 1.0

    @property
    def n_pairs(self) -> int:
        """Number of pairs."""
        return len(self.table["n"])

    def in_pieces(self, x: Any, answer: Callable[[Any], Array], shape: tuple[int, ...], n_jobs: int | None) -> Array:
        """Answers for all rows, computed in pieces, on as many threads as `n_jobs` allows."""
        if self.scaler is not None:
            x = self.scaler.transform(x)
        if self.columns is not None:
            x = x[:, self.columns]
        n = x.shape[0]
        size = max(PIECE // self.n_pairs, 1)
        if n <= size:
            return answer(x)
        out = np.empty((n, *shape))

        def fill(start: int) -> None:
            rows = slice(start, start + size)
            out[rows] = answer(_safe_indexing(x, rows))

        starts = range(0, n, size)
        n_threads = min(effective_n_jobs(n_jobs), len(starts))
        for _ in in_parallel((delayed(fill)(start) for start in starts), n_threads, require="sharedmem"):
            pass
        return out

    def probabilities(self, x: Any) -> Array:
        """r_ij of some rows, one column per pair."""
        return self._without_nan(self.pairs.probabilities(x))

    def _without_nan(self, r: Array) -> Array:
        """The same r; an error names the first pair with NaN."""
        # Sums of numbers between 0 and 1 are finite, and are cheaper than a check of each number.
        if np.isnan(r.sum()):
            pair = int(np.flatnonzero(np.isnan(r).any(axis=0))[0])
            learner, name = self.table["learner"][pair], ClassPairs(self.classes).name(pair)
            raise InputError(
                f"{learner} gave NaN for the pair {name} in "
                f"{int(np.isnan(r[:, pair]).sum())} of {len(r)} rows; check whether their values are too large for a "
                "sum of squares."
            )
        return r

    def coupled(self, x: Any, rule: CouplingRule, temperature: float) -> Array:
        """Probabilities of all classes for some rows."""
        if len(self.classes) == 2 and find_method(rule.coupling, "coupling").needs_probabilities:
            # All these methods give r and 1 - r; so a probability keeps its last digit, also near 0 and 1.
            return tempered(self._without_nan(self.pairs.both(x)), temperature)
        r = self.probabilities(x)
        return tempered(self.couple(r, rule, lambda: self._pair_masses(x, r, rule)), temperature)

    def couple(self, r: Array, rule: CouplingRule, pair_mass: Callable[[], Array]) -> Array:
        """Probabilities of all classes from those of pairs."""
        method = find_method(rule.coupling, "coupling")
        options: dict[str, Any] = {}
        weights = self._weights(rule)
        if len(weights):
            options["n"] = weights
        if method.uses_pair_mass:
            options["pair_mass"] = pair_mass()
        return couple(r, method.name, condensed=True, clip=method.classifier_clip, **options)

    def _pair_masses(self, x: Any, r: Array, rule: CouplingRule) -> Array:
        """P(class i or j | x) of some rows, one column per pair."""
        if len(self.classes) == 2:
            return np.ones_like(r)
        if self.masses is None:
            raise InputError(
                f"{arg('coupling', rule.coupling)} was set after {code('fit')}, which has not learned its weights; "
                f"call {code('fit')} again."
            )
        return self.masses.probabilities(x)

    def temperature_of(self, rule: CouplingRule) -> float:
        """The temperature; 1 with a warning if the coupling or its weights were set after the fit."""
        same_weights = np.array_equal(self._weights(rule), self._weights(self.rule))
        is_same = rule.coupling == self.rule.coupling and same_weights
        if self.temperature == 1.0 or len(self.classes) == 2 or is_same:
            return self.temperature
        changed = arg("coupling", rule.coupling) if rule.coupling != self.rule.coupling else arg("weights")
        warning = PwcWarning(
            f"{changed} was set after {code('fit')}, so the probabilities have no temperature; call {code('fit')} "
            "again."
        )
        warn(warning)
        return 1.0

    def _weights(self, rule: CouplingRule) -> Array:
        """Weights of the pairs; none if they are equal, or if the method does not use them."""
        if not find_method(rule.coupling).uses_weights or rule.weights is None:
            return np.empty(0)
        own = rule.own_weights(self.classes)
        return self.table["n"].astype(np.float64) if own is None else own
