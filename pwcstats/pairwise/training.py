"""How the learners of all pairs are chosen, fitted and calibrated."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import FitFailedWarning

from pwcstats._arrays import Array
from pwcstats.pairwise import plain, selection
from pwcstats.pairwise.checks import (
    ScoringError,
    failed_pair,
    failed_words,
    refuse_all_failed,
    refuse_overlap,
    stood_in_words,
)
from pwcstats.pairwise.committee import Committee
from pwcstats.pairwise.folds import Folds
from pwcstats.pairwise.gaussian import GaussianTrainer, is_gaussian
from pwcstats.pairwise.learners import DECISION, PROBABILITY
from pwcstats.pairwise.problem import Integers, Problem, pair_scores
from pwcstats.pairwise.svm import NativeTrainer, is_native

FALLBACK = "prior"


@dataclass(frozen=True)
class Candidate:
    """A learner with the parameters of its fits, what its scores are, and how they are calibrated (or None)."""

    name: str
    learner: Any
    params: dict[str, Any]
    kind: str
    method: str | None


@dataclass(frozen=True)
class Options:
    """What the user chose; `seeds` has one for each candidate and pair, or is None."""

    threshold: str | None
    error_score: Any
    fast: bool
    n_jobs: int | None
    verbose: int
    seeds: Any


class Training:
    """The fits of all candidates."""

    def __init__(self, problem: Problem, candidates: Sequence[Candidate], options: Options) -> None:
        self.problem, self.candidates, self.options = problem, candidates, options
        self.trainers = [_trainer(problem, candidate, options) for candidate in candidates]
        self.failures: dict[int, list[str]] = {}

    def select(self, folds: Folds, scorers: Sequence[Any], is_accuracy: bool, params: dict[str, Any]) -> Array:
        """Cross-validated scores, a row for each candidate and a column for each pair; nan where it failed."""
        out = np.empty((len(self.candidates), self.problem.n_pairs))
        for place, scorer in enumerate(scorers):
            score = self._plain_scores if self.candidates[place].method is None else self._calibrated_scores
            values = score(place, folds, scorer, is_accuracy, params)
            for pair in np.flatnonzero(np.isnan(values).all(axis=1)):
                if not self._has_failed(place, int(pair)):
                    values[pair] = self._failed(place, int(pair), ValueError("its score is NaN in every fold."))
            # A fold that held out no row of a pair has no score and does not count.
            out[place] = [np.mean(row[~np.isnan(row)]) if not np.isnan(row).all() else np.nan for row in values]
        return out

    def _plain_scores(self, place: int, folds: Folds, scorer: Any, is_accuracy: bool, params: dict[str, Any]) -> Array:
        """Scores of a candidate as it is, for each pair and fold."""
        values = self._known_scores(place, folds, scorer, is_accuracy, params)
        rest = np.flatnonzero(np.isnan(values).all(axis=1))
        tasks, words = self._tasks(place, rest), f"choosing: {self.candidates[place].name}"
        for pair, (scores, error) in zip(
            rest, self._run(plain.cross_validate, place, tasks, words, folds, scorer, params), strict=True
        ):
            values[pair] = scores if error is None else self._failed(place, int(pair), error)
        return values

    def _known_scores(self, place: int, folds: Folds, scorer: Any, is_accuracy: bool, params: dict[str, Any]) -> Array:
        """Scores of the pairs that a fast path knows; nan for the others."""
        values = np.full((self.problem.n_pairs, len(folds)), np.nan)
        margins = self._held_out(place, folds)
        if margins is None:
            return values
        usable = self.trainers[place].usable
        if is_accuracy:
            values[usable] = selection.accuracy(self.problem, margins, folds, self.trainers[place].tie)[usable]
            return values
        known = selection.KnownDecisions if self.candidates[place].kind == DECISION else selection.KnownProbabilities
        for pair in map(int, np.flatnonzero(usable)):
            scores = pair_scores(self.problem, margins, pair, self.problem.rows(pair))
            try:
                values[pair] = selection.scored(self.problem, pair, scores, folds, scorer, known, params)
            except ScoringError:  # the plain path says why
                values[pair] = np.nan
        return values

    def _calibrated_scores(
        self, place: int, folds: Folds, scorer: Any, is_accuracy: bool, params: dict[str, Any]
    ) -> Array:
        """Scores of a candidate that is calibrated, for each pair and fold: of the probabilities that it will give."""
        candidate, problem = self.candidates[place], self.problem
        if folds.number is None:
            refuse_overlap("selection_cv", f"because {candidate.name} is calibrated before it is scored")
        values = np.full((problem.n_pairs, len(folds)), np.nan)
        for pair, scores in self._all_held_out(place, folds):
            if scores is None:
                values[pair] = float(self.options.error_score)
                continue
            try:
                log_odds = selection.calibrated(problem, pair, scores, folds, str(candidate.method))
                known = selection.KnownProbabilities
                own = selection.right if is_accuracy else scorer
                values[pair] = selection.scored(problem, pair, log_odds, folds, own, known, params)
            except ScoringError as error:
                values[pair] = self._failed(place, pair, error)
        return values

    def _all_held_out(self, place: int, folds: Folds) -> Iterator[tuple[int, Array | None]]:
        """Held-out scores of a candidate on each pair, by the fast path where it goes; None where it failed."""
        margins, left = self._held_out(place, folds), np.ones(self.problem.n_pairs, np.bool_)
        if margins is not None:
            left = ~self.trainers[place].usable
            for pair in map(int, np.flatnonzero(~left)):
                yield pair, pair_scores(self.problem, margins, pair, self.problem.rows(pair))
        tasks, words = self._tasks(place, np.flatnonzero(left)), f"choosing: {self.candidates[place].name}"
        for task, fit in zip(tasks, self._run(plain.held_out, place, tasks, words, folds), strict=True):
            if fit.error is not None:
                self._failed(place, task.pair, fit.error)
            yield task.pair, fit.held_out

    def _held_out(self, place: int, folds: Folds) -> Array | None:
        """Own margins of held-out rows by a fast path, if there is one and it works."""
        trainer = self.trainers[place]
        if trainer is None or not trainer.can_use(folds):
            return None
        try:
            return trainer.held_out(folds)
        except ValueError:
            # The plain path says which pair it is that fails.
            self.trainers[place] = None
            return None

    def fit(self, scores: Array, folds: Folds | None) -> tuple[Committee, Integers]:
        """The best candidate of each pair, or the next one where it fails; and which it was (-1: the fallback)."""
        committee = Committee(self.problem.n_pairs)
        chosen = np.full(self.problem.n_pairs, -1)
        # Best first; of equals, the one named first. What failed in cross-validation comes last.
        order = np.argsort(np.where(np.isnan(scores), np.inf, -scores), axis=0, kind="stable")
        left = np.arange(self.problem.n_pairs)
        for rank in range(len(self.candidates)):
            for place in range(len(self.candidates)):
                pairs = left[order[rank, left] == place]
                chosen[self._fit_pairs(committee, place, pairs, folds)] = place
            left = np.flatnonzero(chosen < 0)
        if len(left):
            self._fall_back(committee, left)
        self._tell_failures(left)
        return committee, chosen

    def _fit_pairs(self, committee: Committee, place: int, pairs: Integers, folds: Folds | None) -> Integers:
        """Fit one candidate to some pairs; returns those where it did not fail."""
        if not len(pairs):
            return pairs
        candidate, threshold = self.candidates[place], self.options.threshold
        held = folds if candidate.method or threshold == "cv" else None
        fast = self._fit_fast(committee, place, pairs, held)
        rest = np.setdiff1d(pairs, fast)
        tasks = self._tasks(place, rest)
        fits = self._run(plain.fit, place, tasks, f"fitting: {candidate.name}", held, threshold == "train")
        good = [k for k, fit in enumerate(fits) if fit.error is None]
        for task, fit in zip(tasks, fits, strict=True):
            if fit.error is None:
                self._finish(committee, candidate, task.pair, self.problem.rows(task.pair), fit.held_out, fit.trained)
            else:
                self._failed(place, task.pair, fit.error)
        if good:
            committee.members.append(plain.PlainPairs(self.problem, [tasks[k] for k in good], [fits[k] for k in good]))
        return np.concatenate([fast, rest[good]]).astype(np.int64)

    def _fit_fast(self, committee: Committee, place: int, pairs: Integers, folds: Folds | None) -> Integers:
        """Fit those pairs of a candidate that a fast path can; returns them."""
        none = np.empty(0, np.int64)
        held_out = None if folds is None else self._held_out(place, folds)
        trainer = self.trainers[place]
        if trainer is None or (folds is not None and held_out is None):
            return none
        pairs = pairs[trainer.usable[pairs]]
        if not len(pairs):
            return none
        try:
            members = trainer.fit(pairs)
        except ValueError:
            return none
        trained = trainer.trained(members) if self.options.threshold == "train" else None
        committee.members.append(members)
        if held_out is not None or trained is not None:
            for pair in pairs:
                rows = self.problem.rows(pair)
                of_pair = [None if m is None else pair_scores(self.problem, m, pair, rows) for m in (held_out, trained)]
                self._finish(committee, self.candidates[place], pair, rows, *of_pair)
        return pairs

    def _finish(
        self, committee: Committee, candidate: Candidate, pair: int, rows: Integers, held: Any, trained: Any
    ) -> None:
        """Calibrate a pair and choose its threshold."""
        positive = self.problem.code[rows] == self.problem.low[pair]
        weight = self.problem.weight_of(rows)
        if candidate.method is not None:
            committee.calibrate(pair, candidate.method, held, positive, weight, self.problem.name(pair))
        if self.options.threshold is not None:
            scores = trained if self.options.threshold == "train" else held
            committee.set_threshold(pair, scores, positive, weight)

    def _fall_back(self, committee: Committee, pairs: Integers) -> None:
        """Where every candidate failed, the classes' shares of the rows."""
        refuse_all_failed(pairs, self.problem.n_pairs, self.failures)
        dummy = DummyClassifier(strategy="prior")
        tasks = [plain.make_task(self.problem, int(pair), dummy, PROBABILITY, None) for pair in pairs]
        committee.members.append(plain.PlainPairs(self.problem, tasks, self._shares(tasks)))
        warnings.warn(
            failed_words({self.problem.name(pair): self.failures[pair] for pair in pairs}, self.problem.n_pairs),
            FitFailedWarning,
            stacklevel=4,
        )

    def _shares(self, tasks: Sequence[plain.Task]) -> list[plain.Fit]:
        """Fits of the classes' shares of the rows, weights included."""
        weight = {} if self.problem.weight is None else {"sample_weight": self.problem.weight}
        shared = plain.Shared(self.problem.x, self.problem.code, self.problem.classes, self.problem.square, weight)
        return [plain.fit(task, shared, False) for task in tasks]

    def _tell_failures(self, fallen: Integers) -> None:
        """Say which candidates failed where others stand in for them."""
        others = {pair: said for pair, said in self.failures.items() if pair not in fallen}
        if others:
            named = {self.problem.name(pair): said for pair, said in others.items()}
            warnings.warn(stood_in_words(named, self.problem.n_pairs), FitFailedWarning, stacklevel=4)

    def masses(self, chosen: Integers, folds: Folds | None) -> Committee:
        """Learners of "either class of the pair, or another": the weights of Sulzmann, Fuernkranz & Huellermeier."""
        committee = Committee(self.problem.n_pairs)
        chosen = np.maximum(chosen, 0)
        failed: dict[str, list[str]] = {}
        for place in np.unique(chosen):
            candidate = self.candidates[place]
            tasks = [
                plain.make_union_task(
                    self.problem, int(pair), candidate.learner, candidate.kind, self._seed(place, int(pair))
                )
                for pair in np.flatnonzero(chosen == place)
            ]
            held = folds if candidate.method else None
            fits = self._run(plain.fit, place, tasks, "pairs against the rest", held, False)
            for number, (task, fit) in enumerate(zip(tasks, fits, strict=True)):
                name = f"{self.problem.name(task.pair)} against the rest"
                if fit.error is None:
                    self._finish_union(committee, candidate, task, fit, name)
                    continue
                if isinstance(self.options.error_score, str):
                    raise failed_pair(candidate.name, name, fit.error) from fit.error
                failed[name] = [f"{candidate.name}: {fit.error}"]
                tasks[number] = replace(task, learner=DummyClassifier(strategy="prior"), kind=PROBABILITY)
                fits[number] = self._shares([tasks[number]])[0]
            committee.members.append(plain.PlainPairs(self.problem, tasks, fits))
        if failed:
            warnings.warn(failed_words(failed, self.problem.n_pairs), FitFailedWarning, stacklevel=3)
        return committee

    def _finish_union(
        self, committee: Committee, candidate: Candidate, task: plain.Task, fit: plain.Fit, name: str
    ) -> None:
        """Calibrate a pair against the rest."""
        if candidate.method is not None and fit.held_out is not None:
            positive = task.members(self.problem.code)
            weight = self.problem.weight_of(np.arange(len(positive)))
            committee.calibrate(task.pair, candidate.method, fit.held_out, positive, weight, name)

    def table(self, committee: Committee, scores: Array, chosen: Integers) -> pd.DataFrame:
        """A row for each pair: its classes, rows and learner, the candidates' scores, and what was learned besides."""
        problem, names = self.problem, [candidate.name for candidate in self.candidates]
        table = pd.DataFrame({"class_i": problem.classes[problem.low], "class_j": problem.classes[problem.high]})
        table["n"] = problem.counts if problem.weight is not None else problem.counts.astype(np.int64)
        table["learner"] = [names[place] if place >= 0 else FALLBACK for place in chosen]
        if len(names) > 1:
            for name, row in zip(names, scores, strict=True):
                table[f"cv_score_{name}"] = row
        methods = np.array([candidate.method == "sigmoid" for candidate in self.candidates])
        if methods.any():
            sigmoid = methods[chosen] & (chosen >= 0)
            table["sigmoid_a"] = np.where(sigmoid, committee.a, np.nan)
            table["sigmoid_b"] = np.where(sigmoid, committee.b, np.nan)
        if self.options.threshold is not None:
            table["threshold"] = committee.threshold
        if self.failures:
            table["error"] = [", ".join(self.failures.get(pair, [])) for pair in range(problem.n_pairs)]
        return table

    def _tasks(self, place: int, pairs: Integers) -> list[plain.Task]:
        candidate = self.candidates[place]
        return [
            plain.make_task(self.problem, int(pair), candidate.learner, candidate.kind, self._seed(place, int(pair)))
            for pair in pairs
        ]

    def _run(
        self, function: Any, place: int, tasks: Sequence[plain.Task], words: str, folds: Folds | None, *extra: Any
    ) -> list[Any]:
        """Run the tasks of a candidate."""
        if not tasks:
            return []
        problem, options = self.problem, self.options
        params = self.candidates[place].params
        shared = plain.Shared(problem.x, problem.code, problem.classes, problem.square, params, folds)
        return plain.run(function, tasks, shared, options.n_jobs, options.verbose, words, *extra)

    def _seed(self, place: int, pair: int) -> int | None:
        return None if self.options.seeds is None else int(self.options.seeds[place, pair])

    def _has_failed(self, place: int, pair: int) -> bool:
        return any(said.startswith(f"{self.candidates[place].name}: ") for said in self.failures.get(pair, []))

    def _failed(self, place: int, pair: int, error: Exception) -> float:
        """Keep account of a failure and return its score, or raise."""
        name = self.candidates[place].name
        if isinstance(self.options.error_score, str):
            raise failed_pair(name, self.problem.name(pair), error) from error
        said = f"{name}: {error}"
        if said not in self.failures.setdefault(int(pair), []):
            self.failures[int(pair)].append(said)
        return float(self.options.error_score)


def _trainer(problem: Problem, candidate: Candidate, options: Options) -> Any:
    """The fast path of a candidate, if it has one that works; the plain path says on which pair it does not."""
    if not options.fast:
        return None
    try:
        return _make_trainer(problem, candidate, options)
    except (ValueError, np.linalg.LinAlgError):
        return None


def _make_trainer(problem: Problem, candidate: Candidate, options: Options) -> Any:
    if is_native(candidate.learner) and set(candidate.params) <= {"sample_weight"} and candidate.kind == DECISION:
        return NativeTrainer(problem, candidate.learner, candidate.params, options.n_jobs, options.verbose)
    if is_gaussian(candidate.learner, problem, candidate.params):
        return GaussianTrainer(problem, candidate.learner, bound=candidate.kind == PROBABILITY)
    return None
