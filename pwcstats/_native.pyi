"""Compiled loops on plain arrays; the sources are in ``native/``. They release the GIL."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Bools = NDArray[np.bool_]

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
