"""Compiled loops on plain arrays; the sources are in ``native/``. They release the GIL."""

from enum import Enum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bools = NDArray[np.bool_]

# How far r may be outside [0, 1] and r_ij + r_ji from 1; and how many right-hand sides `conjugate_gradients` takes.
TOLERANCE: float
MOST_COLUMNS: int

# Coupling. The arguments are described in pwcstats/coupling/methods.py.

def ht(
    values: Floats, upper: Longs, lower: Longs, clip: float, weights: Floats, top: Bools, first: int, stop: int,
    proba: Floats, n_iter: Longs, converged: Bools, kl: Floats,
) -> bool: ...  # fmt: skip

wlw1 = wlw2 = logit = pkpd = rv = vote = sum = bayes = ht

def kl_distance(
    values: Floats, upper: Longs, clip: float, weights: Floats, first: int, stop: int, proba: Floats, kl: Floats
) -> None: ...
def top_sets(
    values: Floats, upper: Longs, weights: Floats, first: int, stop: int, top: Bools, exists: Bools
) -> None: ...
def connected(weights: Floats, n_classes: int, first: int, stop: int, out: Bools) -> None: ...

# Instruction sets with kernels of their own; the last one that this machine has is used.

def targets() -> list[str]: ...
def choose_target(name: str) -> None: ...

# Comparisons (pwcstats/_kernels/comparisons.py) and their likelihood.

def find_pairs(
    winner: Ints, loser: Ints, tie: Bools, home: NDArray[np.int8], n_items: int,
    first: Ints, second: Ints, ordered: Floats, cell: Longs,
) -> int: ...  # fmt: skip
def divide_pairs(pair: Longs, x: Floats, n_pairs: int, group: Longs, source: Longs) -> int: ...

class Ties(Enum):
    none = ...
    davidson = ...
    rao_kupper = ...

def evaluate_pairs(
    ties: Ties, first: Ints, second: Ints, offset: Floats, counts: Floats, ability: Floats, tie: float, begin: int,
    end: int, score: Floats, residual: Floats, variance: Floats, cross: Floats, sums: Floats,
) -> None: ...  # fmt: skip
def weighted_products(x: Floats, weight: Floats, out: Floats) -> None: ...
def add_weighted_rows(first: Ints, second: Ints, x: Floats, weight: Floats, out: Floats) -> None: ...
def firth_addition(
    n: Floats, p: Floats, var_d: Floats, cov_d_tie: Floats, var_tie: float, most: float,
    addition: Floats, leverage: Floats,
) -> float: ...  # fmt: skip

# Choices from sets of items, the stages of rankings (pwcstats/bradley_terry/choices.py).

def evaluate_choices(
    start: Longs, item: Ints, weight: Floats, ability: Floats, order: Ints, log_delta: Floats, begin: int, end: int,
    chosen: Floats, tie_chosen: Floats, mean: Floats, tie_mean: Floats, score: Floats,
) -> float: ...  # fmt: skip
def choice_information(
    start: Longs, item: Ints, weight: Floats, ability: Floats, order: Ints, log_delta: Floats, begin: int, end: int,
    mean: Floats, tie_mean: Floats, information: Floats,
) -> None: ...  # fmt: skip
def firth_choices(
    start: Longs, item: Ints, weight: Floats, ability: Floats, order: Ints, log_delta: Floats, begin: int, end: int,
    mean: Floats, tie_mean: Floats, cov: Floats, addition: Floats, leverage: Floats,
) -> None: ...  # fmt: skip

# Graphs of pairs (pwcstats/_kernels/laplacian.py, pwcstats/bradley_terry/existence.py), and differences of items.

def find_neighbours(first: Ints, second: Ints, start: Ints, neighbour: Ints, pair: Ints) -> None: ...
def add_to_items(first: Ints, second: Ints, x: Floats, subtract: bool, out: Floats) -> None: ...
def subtract_weights(first: Ints, second: Ints, weight: Floats, scale: Floats, ground: int, out: Floats) -> None: ...
def mirror(matrix: Floats) -> None: ...
def conjugate_gradients(
    start: Ints, neighbour: Ints, edge: Floats, diagonal: Floats, b: Floats, tolerance: float, max_steps: int, x: Floats
) -> bool: ...
def strongly_connected(start: Ints, neighbour: Ints, pair: Ints, first: Ints, forth: Bools, back: Bools) -> bool: ...
def negative_cycle(tail: Longs, head: Longs, length: Longs, n_items: int) -> list[int]: ...
def largest_differences(draws: Floats, precision: Floats, first: int, stop: int, out: Floats) -> None: ...

# Pairwise classification.

def naive_bayes_log_odds(
    x: Floats, theta: Floats, low: Longs, high: Longs, precision: Floats, constant: Floats, out: Floats
) -> None: ...
def naive_bayes_own_margins(
    x: Floats, theta: Floats, own: Longs, pair_of: Longs, precision: Floats, constant: Floats, out: Floats
) -> None: ...
def fit_sigmoid(scores: Floats, positive: Bools, weights: Floats, out: Floats) -> None: ...
def fit_firth(scores: Floats, positive: Bools, weights: Floats, out: Floats) -> None: ...
