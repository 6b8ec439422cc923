"""Groups of methods that do not differ significantly, and letters for them."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

__all__ = ["cliques", "letters"]


def cliques(methods: Sequence[Any], different: Any) -> list[tuple[Any, ...]]:
    """The largest groups of methods of which no two differ, in the order of the methods.

    Parameters
    ----------
    methods : sequence
        Names, best first.
    different : array-like of bool, square
        Which pairs differ significantly.

    Returns
    -------
    list of tuple
    """
    # Insert and absorb (Piepho 2004): each difference splits the groups that contain both methods.
    groups = [frozenset(range(len(methods)))]
    differ = np.asarray(different, dtype=bool)
    for i, j in combinations(range(len(methods)), 2):
        if differ[i, j]:
            split = [part for group in groups for part in ((group - {i}, group - {j}) if {i, j} <= group else (group,))]
            groups = [group for group in dict.fromkeys(split) if not any(group < other for other in split)]
    return [tuple(methods[index] for index in group) for group in sorted(map(sorted, groups))]


def letters(groups: Sequence[Sequence[Any]], methods: Sequence[Any]) -> list[str]:
    """The letters of each method, one for each group that contains it; methods that share a letter do not differ."""
    return ["".join(_letter(index) for index, group in enumerate(groups) if name in group) for name in methods]


def _letter(index: int) -> str:
    """Letters from a to z and A to Z, then the same with numbers."""
    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    round_, index = divmod(index, len(alphabet))
    return alphabet[index] + (str(round_) if round_ else "")
