"""False positive rates of tests: how often they reject a true null hypothesis."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from tqdm import tqdm

from pwcstats._arrays import Array
from pwcstats.compare import (
    adjust,
    cochran_q,
    corrected_resampled_t,
    cv5x2_f,
    cv5x2_t,
    friedman,
    mcnemar,
    nemenyi,
    paired_t,
    rank_tests,
    sign,
    wilcoxon,
)

__all__ = ["one_data_set", "several_data_sets"]

# Test, design of the scores, and p-value (the smallest if there are several).
PValues = Iterator[tuple[str, str, float]]


def one_data_set(
    n_simulations: int = 1000,
    *,
    n_cases: int = 200,
    n_features: int = 5,
    shift: float = 0.5,
    alpha: float = 0.05,
    random_state: int = 0,
    progress: bool = False,
) -> pd.DataFrame:
    """Count false positives of tests of two methods on one data set.

    Each simulation draws two classes of normal cases with two blocks of features of the same distribution. One method
    uses the first block, the other the second; both assign a case to the class with the nearer mean. By symmetry they
    are equally good, so every rejection is a false positive.

    Parameters
    ----------
    n_simulations : int
        Number of simulated data sets.
    n_cases, n_features : int
        Number of cases of each data set (half of them in each class), and of features of each block.
    shift : float
        Distance between the classes in each feature, in standard deviations.
    alpha : float
        Level of the tests.
    random_state : int
        Seed.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    DataFrame
        One row per test: test, scores (their design), rate (share of false positives), std_error (of the rate of a
        test that keeps its level), level (`alpha`).
    """
    rng = np.random.default_rng(random_state)
    label = np.arange(n_cases) % 2

    def runs() -> Iterator[PValues]:
        for _ in tqdm(range(n_simulations), disable=not progress):
            yield _on_splits(rng.normal(size=(2, n_cases, n_features)) + shift * label[:, None], label, rng)

    return _rates(runs(), n_simulations, alpha)


def several_data_sets(
    n_simulations: int = 1000,
    *,
    n_methods: int = 5,
    n_datasets: int = 12,
    n_cases: int = 100,
    alpha: float = 0.05,
    random_state: int = 0,
    progress: bool = False,
) -> pd.DataFrame:
    """Count false positives of tests of several methods that are equally good on every data set.

    The score of a method on a data set is its accuracy on `n_cases` cases. All methods are right with the same
    probability, which differs between data sets (0.6 to 0.95). Scores may tie.

    Parameters
    ----------
    n_simulations : int
        Number of simulated studies.
    n_methods, n_datasets, n_cases : int
        Size of each study.
    alpha : float
        Level of the tests.
    random_state : int
        Seed.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    DataFrame
        As :func:`one_data_set` returns it; the rate of "all pairs" is the share of studies with any false positive.
    """
    rng = np.random.default_rng(random_state)

    def runs() -> Iterator[PValues]:
        for _ in tqdm(range(n_simulations), disable=not progress):
            right = rng.random((n_datasets, n_cases, n_methods)) < rng.uniform(0.6, 0.95, (n_datasets, 1, 1))
            yield _over_sets(right)

    return _rates(runs(), n_simulations, alpha)


def _rates(runs: Iterator[PValues], n: int, alpha: float) -> pd.DataFrame:
    """Share of the simulations in which each test rejects."""
    rejected: Counter[tuple[str, str]] = Counter()
    for run in runs:
        for test, scores, p in run:
            rejected[test, scores] += int(p <= alpha)
    frame = pd.DataFrame([(*key, count / n) for key, count in rejected.items()], columns=["test", "scores", "rate"])
    return frame.assign(std_error=np.sqrt(alpha * (1.0 - alpha) / n), level=alpha)


def _on_splits(blocks: Array, label: Any, rng: np.random.Generator) -> PValues:
    """Tests of two methods, which use a block of features each, on splits of one data set."""
    n = len(label)
    tests_of = {
        "10 folds": _folds(rng, n, 10, 1),
        "10 x 10 folds": _folds(rng, n, 10, 10),
        "5 x 2 folds": _folds(rng, n, 2, 5),
        "30 random splits": np.array([_folds(rng, n, 3, 1)[0] for _ in range(30)]),
    }
    right = {name: [_right(block, label, tests) for block in blocks] for name, tests in tests_of.items()}
    scores = {
        name: [(one * tests).sum(axis=1) / tests.sum(axis=1) for one in right[name]] for name, tests in tests_of.items()
    }
    for name, fraction in (("10 folds", 0.1), ("10 x 10 folds", 0.1), ("30 random splits", 1 / 3)):
        yield "paired_t", name, paired_t(*scores[name]).p_value
        yield "corrected_resampled_t", name, corrected_resampled_t(*scores[name], test_fraction=fraction).p_value
    yield "cv5x2_t", "5 x 2 folds", cv5x2_t(*scores["5 x 2 folds"]).p_value
    yield "cv5x2_f", "5 x 2 folds", cv5x2_f(*scores["5 x 2 folds"]).p_value
    held_out = tests_of["30 random splits"][0]
    answers = [one[0, held_out] for one in right["30 random splits"]]
    for method in ("exact", "mid-p", "asymptotic"):
        yield f"mcnemar ({method})", "one test set", mcnemar(*answers, method=method).p_value


def _folds(rng: np.random.Generator, n: int, k: int, repeats: int) -> NDArray[np.bool_]:
    """Test sets of repeated cross-validation, one row each; all contain both classes (even and odd indices)."""
    tests = []
    for _ in range(repeats):
        # Even and odd indices are shuffled separately.
        order = np.concatenate([rng.permutation(n // 2) * 2, rng.permutation(n // 2) * 2 + 1])
        fold = np.empty(n, dtype=np.int64)
        fold[order] = np.arange(n) % k
        tests.append(fold == np.arange(k)[:, None])
    return np.concatenate(tests)


def _right(x: Array, label: Any, tests: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which cases are assigned to the right class in each split, by the nearer mean of the training cases."""
    means = [((~tests * (label == c)) @ x) / (~tests * (label == c)).sum(axis=1)[:, None] for c in (0, 1)]
    middle = ((means[1] ** 2).sum(axis=1) - (means[0] ** 2).sum(axis=1)) / 2.0
    assigned = x @ (means[1] - means[0]).T > middle
    return assigned.T == label


def _over_sets(right: NDArray[np.bool_]) -> PValues:
    """Tests of methods by their scores on several data sets, and by their answers on the first."""
    scores = right.mean(axis=1)
    first, second = scores[:, 0], scores[:, 1]
    n = len(scores)
    where = f"{n} data sets"
    yield "paired_t", where, paired_t(first, second).p_value
    yield "wilcoxon (exact)", where, wilcoxon(first, second).p_value
    yield "wilcoxon (exact, pratt)", where, wilcoxon(first, second, zeros="pratt").p_value
    yield "wilcoxon (asymptotic)", where, wilcoxon(first, second, method="asymptotic").p_value
    yield "sign", where, sign(first, second).p_value
    yield "friedman (chi-squared)", where, friedman(scores).p_value
    yield "friedman (F)", where, friedman(scores, statistic="F").p_value
    for method in ("exact", "mid-p", "asymptotic"):
        yield f"mcnemar ({method})", "one data set", mcnemar(right[0, :, 0], right[0, :, 1], method=method).p_value
    yield "cochran_q", "one data set", cochran_q(right[0]).p_value
    pairs = combinations(range(scores.shape[1]), 2)
    p = [wilcoxon(scores[:, i], scores[:, j]).p_value for i, j in pairs]
    for how in ("none", "holm", "shaffer"):
        yield f"wilcoxon, all pairs ({how})", where, float(adjust(p, how).min())
    yield "nemenyi", where, float(nemenyi(scores).pairs["p_adjusted"].min())
    for step in ("holm", "shaffer"):
        yield f"mean ranks, all pairs ({step})", where, float(rank_tests(scores, adjust=step).pairs["p_adjusted"].min())
