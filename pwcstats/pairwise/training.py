"""How the learners of all pairs are selected, fitted and calibrated.

A candidate is fitted to all pairs at once if it has a fast path, and pair by pair otherwise.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.utils import check_random_state

from pwcstats._arrays import Array
from pwcstats._jobs import run_tasks
from pwcstats.errors import InputError, Message, arg, code, quoted, warn
from pwcstats.pairwise import calibration, plain
from pwcstats.pairwise.calibration import CalibratedPairs, Calibrator, Members, ScoringError
from pwcstats.pairwise.data import Integers, Mask, Problem, pair_scores
from pwcstats.pairwise.fast import fast_path
from pwcstats.pairwise.folds import Folds, HeldOut, check_held_out_once
from pwcstats.pairwise.learners import DECISION, PROBABILITY, Candidate
from pwcstats.pairwise.linear import make_members

# The name in the table of pairs of what is used if every candidate fails.
FALLBACK = "prior"


@dataclass(frozen=True)
class Seeds:
    """Seeds of both sets of folds, and of the learner of each candidate and pair; None if nothing is random."""

    selection: int | None = None
    calibration: int | None = None
    learners: Any = None

    @classmethod
    def draw(cls, random_state: Any, n_candidates: int, n_pairs: int) -> "Seeds":
        """Draw all seeds from one random state."""
        if random_state is None:
            return cls()
        random = check_random_state(random_state)
        selection, calibration = random.randint(2**31 - 1, size=2).tolist()
        return cls(selection, calibration, random.randint(2**31 - 1, size=(n_candidates, n_pairs)))


@dataclass(frozen=True)
class Options:
    """What the user chose."""

    threshold: str | None
    error_score: Any
    fast: bool
    n_jobs: int | None
    verbose: int
    seeds: Seeds

    @property
    def threshold_by(self) -> str | None:
        """The scores by which thresholds are chosen: "trained", "held_out", or None."""
        return calibration.THRESHOLDS.get(str(self.threshold))


@dataclass
class Fits:
    """Fitted learners before calibration.

    `chosen` is the index of each pair's candidate (-1: the fallback). `held_out` and `trained` are scores of a pair's
    own rows, `sampled` held-out scores of the folds' sample.
    """

    chosen: Integers
    members: list[Members] = field(default_factory=list)
    held_out: dict[int, Array] = field(default_factory=dict)
    trained: dict[int, Array] = field(default_factory=dict)
    sampled: dict[int, Array] = field(default_factory=dict)

    def keep_scores(self, pair: int, held_out: Array | None, trained: Array | None, sampled: Array | None) -> None:
        """Keep the scores of a pair, if there are any."""
        for kept, scores in ((self.held_out, held_out), (self.trained, trained), (self.sampled, sampled)):
            if scores is not None:
                kept[pair] = scores


class Training:
    """All candidates on all pairs."""

    def __init__(self, problem: Problem, candidates: Sequence[Candidate], options: Options) -> None:
        self.problem, self.candidates, self.options = problem, candidates, options
        self._fast = [
            fast_path(problem, candidate, options.n_jobs, options.verbose) if options.fast else None
            for candidate in candidates
        ]
        # For each pair, the candidates that failed and their errors.
        self._failures: dict[int, list[tuple[str, str]]] = {}

    # Select

    def select(self, folds: Folds, scorers: Sequence[Any], is_accuracy: bool, params: dict[str, Any]) -> Array:
        """Cross-validated scores, one row per candidate and one column per pair.

        NaN if a candidate failed, or if the pair has a class whose only row cannot be held out.
        """
        out = np.empty((len(self.candidates), self.problem.n_pairs))
        # A candidate that always predicts the other class would win if the only row of a class is not held out.
        kept = np.zeros(self.problem.n_classes, np.bool_)
        kept[self.problem.code[folds.kept]] = True
        scored = np.flatnonzero(~(kept[self.problem.low] | kept[self.problem.high]))
        for index, scorer in enumerate(scorers):
            score = self._plain_scores if self.candidates[index].method is None else self._calibrated_scores
            values = score(index, scored, folds, scorer, is_accuracy, params)
            for pair in map(int, scored[np.isnan(values[scored]).all(axis=1)]):
                if not self._has_failed(index, pair):
                    values[pair] = self._fail(index, pair, ValueError("its score is NaN in every fold."))
            # A fold that holds out no row of a pair has no score and does not count.
            out[index] = [np.mean(row[~np.isnan(row)]) if not np.isnan(row).all() else np.nan for row in values]
        return out

    def _plain_scores(
        self, index: int, pairs: Integers, folds: Folds, scorer: Any, is_accuracy: bool, params: dict[str, Any]
    ) -> Array:
        """Scores of a candidate that is not calibrated on some pairs, for each pair and fold; NaN for the others."""
        values = self._fast_scores(index, pairs, folds, scorer, is_accuracy, params)
        rest = pairs[np.isnan(values[pairs]).all(axis=1)]
        found = self._run(plain.cross_validate, index, self._tasks(index, rest), "choosing", folds, scorer, params)
        for pair, (scores, error) in zip(map(int, rest), found, strict=True):
            values[pair] = scores if error is None else self._fail(index, pair, error)
        return values

    def _fast_scores(
        self, index: int, pairs: Integers, folds: Folds, scorer: Any, is_accuracy: bool, params: dict[str, Any]
    ) -> Array:
        """The same for the pairs that a fast path can use."""
        values = np.full((self.problem.n_pairs, len(folds)), np.nan)
        path, held = self._fast[index], self._hold_out(index, folds)
        if path is None or held is None:
            return values
        margins, pairs = held.margins, pairs[path.usable[pairs]]
        if is_accuracy:
            values[pairs] = calibration.accuracy(self.problem, margins, folds, path.tie)[pairs]
            return values
        is_decision = self.candidates[index].kind == DECISION
        known = calibration.KnownDecisions if is_decision else calibration.KnownProbabilities
        for pair in map(int, pairs):
            scores = pair_scores(self.problem, margins, pair, self.problem.rows(pair))
            try:
                values[pair] = calibration.scored(self.problem, pair, scores, folds, scorer, known, params)
            except ScoringError:  # a fit of the pair will report the cause
                values[pair] = np.nan
        return values

    def _calibrated_scores(
        self, index: int, pairs: Integers, folds: Folds, scorer: Any, is_accuracy: bool, params: dict[str, Any]
    ) -> Array:
        """Scores of the calibrated probabilities of a candidate on some pairs, for each pair and fold."""
        candidate, problem = self.candidates[index], self.problem
        check_held_out_once(folds, "selection_cv", f"because {candidate.name} is calibrated before it is scored")
        values = np.full((problem.n_pairs, len(folds)), np.nan)
        for pair, scores in self._held_out_scores(index, pairs, folds):
            if scores is None:
                values[pair] = float(self.options.error_score)
                continue
            try:
                rows = problem.rows(pair)
                fit, positive = (
                    calibration.CALIBRATIONS[str(candidate.method)].fit,
                    problem.code[rows] == problem.low[pair],
                )
                found = fit(scores, positive, self._without_folds(rows, folds), problem.name(pair))
                log_odds = calibration.by_fold(found, scores, folds.rows_of_folds(rows))
                known = calibration.KnownProbabilities
                own = calibration.simple_accuracy if is_accuracy else scorer
                values[pair] = calibration.scored(problem, pair, log_odds, folds, own, known, params)
            except ScoringError as error:
                values[pair] = self._fail(index, pair, error)
        return values

    def _held_out_scores(self, index: int, pairs: Integers, folds: Folds) -> Iterator[tuple[int, Array | None]]:
        """Held-out scores of a candidate on some pairs; None if it failed."""
        path, held = self._fast[index], self._hold_out(index, folds)
        left = pairs
        if path is not None and held is not None:
            left = pairs[~path.usable[pairs]]
            for pair in map(int, pairs[path.usable[pairs]]):
                yield pair, pair_scores(self.problem, held.margins, pair, self.problem.rows(pair))
        tasks = self._tasks(index, left)
        for task, fit in zip(tasks, self._run(plain.held_out, index, tasks, "choosing", folds), strict=True):
            if fit.error is not None:
                self._fail(index, task.pair, fit.error)
            yield task.pair, fit.held_out

    def _hold_out(self, index: int, folds: Folds) -> HeldOut | None:
        """Scores of held-out rows by a fast path; None if no path applies, or if it fails."""
        path = self._fast[index]
        if path is None or not path.can_use(folds):
            return None
        try:
            return path.held_out(folds)
        except ValueError:
            # Fits of single pairs will report which pair fails.
            self._fast[index] = None
            return None

    # Fit

    def fit(self, scores: Array, folds: Folds | None) -> Fits:
        """Fit the best candidate of each pair, or the next best if it fails, with the scores that calibration needs."""
        fits = Fits(np.full(self.problem.n_pairs, -1))
        # Best first. Ties go to the candidate that was named first. Candidates that failed come last.
        order = np.argsort(np.where(np.isnan(scores), np.inf, -scores), axis=0, kind="stable")
        left = np.arange(self.problem.n_pairs)
        for rank in range(len(self.candidates)):
            for index in range(len(self.candidates)):
                self._fit_candidate(fits, index, left[order[rank, left] == index], folds)
            left = np.flatnonzero(fits.chosen < 0)
        if len(left):
            fits.members.append(self._fall_back(left))
        others = {pair: failed for pair, failed in self._failures.items() if pair not in left}
        if others:
            self._warn_failures(others, "candidates failed", "where others are used", 3)
        return fits

    def _fit_candidate(self, fits: Fits, index: int, pairs: Integers, folds: Folds | None) -> None:
        """Fit one candidate to some pairs."""
        if not len(pairs):
            return
        candidate, by = self.candidates[index], self.options.threshold_by
        needs_folds = candidate.method or by == "held_out" or (folds is not None and folds.sample is not None)
        held = folds if needs_folds else None
        rest = np.setdiff1d(pairs, self._fit_fast(fits, index, pairs, held, by == "trained"))
        tasks = self._tasks(index, rest)
        found = self._run(plain.fit, index, tasks, "fitting", held, by == "trained")
        good = [(task, fit) for task, fit in zip(tasks, found, strict=True) if fit.error is None]
        for task, fit in zip(tasks, found, strict=True):
            if fit.error is None:
                fits.chosen[task.pair] = index
                fits.keep_scores(task.pair, fit.held_out, fit.trained, fit.sampled)
            else:
                self._fail(index, task.pair, fit.error)
        fits.members += make_members(self.problem, good, self.options.fast)

    def _fit_fast(self, fits: Fits, index: int, pairs: Integers, folds: Folds | None, with_trained: bool) -> Integers:
        """Fit the pairs that a fast path can use, and return them."""
        none = np.empty(0, np.int64)
        held = None if folds is None else self._hold_out(index, folds)
        path = self._fast[index]
        if path is None or (folds is not None and held is None):
            return none
        pairs = pairs[path.usable[pairs]]
        if not len(pairs):
            return none
        try:
            members = path.fit(pairs)
        except ValueError:
            return none
        trained = path.trained(members) if with_trained else None
        margins, sampled = (None, None) if held is None else held
        if folds is not None and margins is not None and folds.kept.any():
            own = path.trained(members) if trained is None else trained
            margins[folds.kept] = own[folds.kept]
        fits.members.append(members)
        fits.chosen[pairs] = index
        if margins is not None or trained is not None:
            for pair in map(int, pairs):
                rows = self.problem.rows(pair)
                of_pair = [None if m is None else pair_scores(self.problem, m, pair, rows) for m in (margins, trained)]
                fits.keep_scores(pair, of_pair[0], of_pair[1], None if sampled is None else sampled[:, pair])
        return pairs

    def _fall_back(self, pairs: Integers) -> Members:
        """The classes' shares of the rows, for pairs on which every candidate failed."""
        failed = {int(pair): self._failures[int(pair)] for pair in pairs}
        if len(pairs) == self.problem.n_pairs:
            first = _listed(failed[int(pairs[0])])
            raise InputError(f"all candidates failed on all {len(pairs)} pairs; on the first: {first}")
        self._warn_failures(failed, "all candidates failed", "where the classes' shares of the rows are used", 5)
        dummy = DummyClassifier(strategy="prior")
        tasks = [plain.make_task(self.problem, pair, dummy, PROBABILITY, None) for pair in failed]
        return plain.PlainPairs(self.problem, list(zip(tasks, self._shares(tasks), strict=True)))

    def _shares(self, tasks: Sequence[plain.PairTask]) -> list[plain.Fit]:
        """Fits of the classes' shares of the rows, weights included."""
        weight = {} if self.problem.weight is None else {"sample_weight": self.problem.weight}
        return [plain.fit(task, self._shared(weight, None), False) for task in tasks]

    # Calibrate

    def calibrate(self, fits: Fits, folds: Folds | None) -> tuple[CalibratedPairs, Array | None]:
        """Calibrate each pair by its held-out scores, and choose its threshold.

        Also returns r_ij of the sampled rows, one column per pair, for which no row of their own fold was used.
        """
        problem, calibrators, sampled = self.problem, {}, self._of_sample(folds)
        thresholds = np.zeros(problem.n_pairs)
        if sampled is not None:
            # The classes' shares, for pairs without a learner.
            sampled[:] = np.log(problem.class_weights[problem.low] / problem.class_weights[problem.high])
        for pair in map(int, np.flatnonzero(fits.chosen >= 0)):
            method, rows, name = self.candidates[fits.chosen[pair]].method, problem.rows(pair), problem.name(pair)
            positive = problem.code[rows] == problem.low[pair]
            calibrator, of_sample = self._calibrated(
                method, fits.held_out.get(pair), fits.sampled.get(pair), positive, rows, folds, name
            )
            if calibrator is not None:
                calibrators[pair] = calibrator
            if sampled is not None:
                sampled[:, pair] = of_sample
            if self.options.threshold_by is not None:
                scores = getattr(fits, self.options.threshold_by)[pair]
                log_odds = scores if calibrator is None else calibrator.log_odds(scores)
                thresholds[pair] = calibration.best_threshold(log_odds, positive, problem.weight_of(rows))
        pairs = CalibratedPairs(fits.members, calibrators, thresholds)
        return pairs, None if sampled is None else expit(sampled - thresholds)

    def _of_sample(self, folds: Folds | None) -> Array | None:
        """Room for a number for each sampled row and pair; None if there is no sample."""
        return None if folds is None or folds.sample is None else np.empty((len(folds.sample), self.problem.n_pairs))

    def _calibrated(
        self,
        method: str | None,
        held_out: Any,
        sampled: Any,
        positive: Mask,
        rows: Integers,
        folds: Folds | None,
        name: str,
    ) -> tuple[Calibrator | None, Array | None]:
        """The calibrator of a pair, and log-odds of the sampled rows; each fold is calibrated by the others."""
        if method is None:
            return None, sampled
        weights = self.problem.counting_weight_of(rows)[None]
        if folds is None or folds.sample is None:
            return calibration.calibrate(method, held_out, positive, weights, name)[0], None
        weights = np.vstack([weights, self._without_folds(rows, folds)])
        first, *others = calibration.calibrate(method, held_out, positive, weights, name)
        return first, calibration.by_fold(others, sampled, folds.sample_of_folds)

    def _without_folds(self, rows: Integers, folds: Folds) -> Array:
        """Weights of some rows, one row for each fold, in which the rows of the fold have weight 0."""
        return np.where(
            folds.held()[rows] == np.arange(len(folds))[:, None], 0.0, self.problem.counting_weight_of(rows)
        )

    def fit_masses(self, chosen: Integers, folds: Folds | None) -> tuple[CalibratedPairs, Array | None]:
        """Learners of "either class of the pair, or another": the weights of Sulzmann, Fuernkranz & Huellermeier.

        Also returns held-out probabilities of the rows to which a temperature is fitted, one column per pair.
        """
        held_out = self._of_sample(folds)
        rows = np.arange(len(self.problem.code))
        members: list[Members] = []
        calibrators: dict[int, Calibrator] = {}
        chosen = np.maximum(chosen, 0)
        failed: dict[str, list[tuple[str, str]]] = {}
        for index in np.unique(chosen):
            candidate = self.candidates[index]
            tasks = [
                plain.make_union_task(self.problem, pair, candidate.learner, candidate.kind, self._seed(index, pair))
                for pair in map(int, np.flatnonzero(chosen == index))
            ]
            held = folds if candidate.method or held_out is not None else None
            fits = self._run(plain.fit, index, tasks, "pairs against the rest", held, False)
            for number, (task, fit) in enumerate(zip(tasks, fits, strict=True)):
                name = f"{self.problem.name(task.pair)} against the rest"
                if fit.error is not None:
                    if isinstance(self.options.error_score, str):
                        raise _failed_pair(candidate.name, name, fit.error) from fit.error
                    failed[name] = [(candidate.name, _message_of(fit.error))]
                    tasks[number] = replace(task, learner=DummyClassifier(strategy="prior"), kind=PROBABILITY)
                    fits[number] = self._shares([tasks[number]])[0]
                    if held_out is not None:
                        held_out[:, task.pair] = self.problem.counts[task.pair] / self.problem.class_weights.sum()
                    continue
                calibrator, log_odds = self._calibrated(
                    candidate.method, fit.held_out, fit.sampled, task.members(self.problem.code), rows, held, name
                )
                if calibrator is not None:
                    calibrators[task.pair] = calibrator
                if held_out is not None:
                    held_out[:, task.pair] = expit(log_odds)
            members += make_members(self.problem, list(zip(tasks, fits, strict=True)), self.options.fast)
        if failed:
            self._warn(failed, "all candidates failed", "where the classes' shares of the rows are used", 5)
        return CalibratedPairs(members, calibrators, np.zeros(self.problem.n_pairs)), held_out

    def table(self, pairs: CalibratedPairs, scores: Array, chosen: Integers) -> dict[str, NDArray[Any]]:
        """One row per pair: its classes, rows and learner, the candidates' scores, and what was learned besides."""
        problem, names = self.problem, [candidate.name for candidate in self.candidates]
        table: dict[str, NDArray[Any]] = {
            "class_i": problem.classes[problem.low],
            "class_j": problem.classes[problem.high],
            "n": problem.counts if problem.weight is not None else problem.counts.astype(np.int64),
            # The index of the fallback is -1.
            "learner": np.array([*names, FALLBACK])[chosen],
        }
        if len(names) > 1:
            for name, row in zip(names, scores, strict=True):
                table[f"cv_score_{name}"] = row
        methods = [calibration.CALIBRATIONS.get(str(candidate.method)) for candidate in self.candidates]
        sigmoids = np.array([method is not None and method.has_coefficients for method in methods])
        if sigmoids.any():
            has_sigmoid = sigmoids[chosen] & (chosen >= 0)
            table["sigmoid_a"] = np.where(has_sigmoid, pairs.a, np.nan)
            table["sigmoid_b"] = np.where(has_sigmoid, pairs.b, np.nan)
        if self.options.threshold is not None:
            table["threshold"] = pairs.threshold
        if self._failures:
            errors = [str(Message(_listed(self._failures.get(pair, [])))) for pair in range(problem.n_pairs)]
            table["error"] = np.array(errors)
        return table

    # Tasks

    def _tasks(self, index: int, pairs: Integers) -> list[plain.PairTask]:
        candidate = self.candidates[index]
        return [
            plain.make_task(self.problem, pair, candidate.learner, candidate.kind, self._seed(index, pair))
            for pair in map(int, pairs)
        ]

    def _run(
        self,
        function: Any,
        index: int,
        tasks: Sequence[plain.PairTask],
        description: str,
        folds: Folds | None,
        *extra: Any,
    ) -> list[Any]:
        """``function(task, shared, *extra)`` for all tasks of a candidate."""
        if not tasks:
            return []
        candidate, options = self.candidates[index], self.options
        shared = self._shared(candidate.params, folds)
        return run_tasks(
            function,
            [(task, shared, *extra) for task in tasks],
            options.n_jobs,
            description=f"{description}: {candidate.name}",
            verbose=options.verbose,
        )

    def _shared(self, params: dict[str, Any], folds: Folds | None) -> plain.Shared:
        problem = self.problem
        return plain.Shared(problem.x, problem.code, problem.classes, problem.square, params, folds)

    def _seed(self, index: int, pair: int) -> int | None:
        seeds = self.options.seeds.learners
        return None if seeds is None else int(seeds[index, pair])

    # Failures

    def _has_failed(self, index: int, pair: int) -> bool:
        return any(name == self.candidates[index].name for name, _ in self._failures.get(pair, []))

    def _fail(self, index: int, pair: int, error: Exception) -> float:
        """Keep account of a failure and return its score, or raise."""
        name = self.candidates[index].name
        if isinstance(self.options.error_score, str):
            raise _failed_pair(name, self.problem.name(pair), error) from error
        failed = self._failures.setdefault(pair, [])
        if (name, _message_of(error)) not in failed:
            failed.append((name, _message_of(error)))
        return float(self.options.error_score)

    def _warn_failures(self, failures: dict[int, list[tuple[str, str]]], what: str, where: str, most: int) -> None:
        self._warn({self.problem.name(pair): failed for pair, failed in failures.items()}, what, where, most)

    def _warn(self, failures: dict[str, list[tuple[str, str]]], what: str, where: str, most: int) -> None:
        """Warn of failures by name of the pair, and list the first of them."""
        first = "; ".join(f"{pair}: {_listed(failed)}" for pair, failed in list(failures.items())[:most])
        errors = code("pairs_['error']")
        more = f"; and {len(failures) - most} more, see {errors}" if len(failures) > most else ""
        message = Message(f"{what} on {len(failures)} of {self.problem.n_pairs} pairs, {where}: {first}{more}.")
        warn(FitFailedWarning(message))


def _listed(failed: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{name}: {message}" for name, message in failed)


def _message_of(error: Exception) -> str:
    """The message of a learner's error; some of scikit-learn's are not for users of R, or for nobody."""
    message = quoted(error).strip()
    if message == "index 0 is out of bounds for axis 0 with size 0":
        # LinearDiscriminantAnalysis.
        return "no column varies within its two classes."
    too_many = re.match(
        r"Expected n_neighbors <= n_samples_fit, but n_neighbors = (\d+), n_samples_fit = (\d+)", message
    )
    if too_many:
        asked, n_rows = too_many.groups()
        return f"{arg('n_neighbors')} must be at most the number of training rows, {n_rows}; got {asked}."
    return message


def _failed_pair(learner: str, pair: str, error: Exception) -> InputError:
    """The error to raise if a learner, or its scorer, fails on a pair."""
    message = _message_of(error)
    if isinstance(error, ScoringError):
        hint = (
            " (Such a score treats one class as positive, and does not know which of two it is; scores such as "
            "'f1_macro' need no positive class.)"
        )
        more = hint if "pos_label" in message else plain.PAIR_ROWS if "unknown categories" in message else ""
        return InputError(f"{arg('scoring')} failed on the pair {pair}, with {learner}: {message}{more}")
    return InputError(
        f"{learner} failed on the pair {pair}: {message} (With {arg('error_score', np.nan)} the other candidates are "
        "used for such a pair, and if all fail, the classes' shares of the rows.)"
    )
