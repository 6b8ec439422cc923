"""P-values of many tests, adjusted; groups of methods that do not differ."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from statsmodels.stats.multitest import multipletests

from pwcstats import _params
from pwcstats._arrays import Array, as_float
from pwcstats.errors import InputError

__all__ = ["adjust", "cliques", "letters"]

_ALIASES = {"fdr": "bh", "fdr_bh": "bh", "fdr_by": "by"}
METHODS = ("holm", "bonferroni", "hochberg", "hommel", "shaffer", "bh", "by", "none")


def read_adjust(method: Any) -> str:
    """The name of an adjustment, also in R's and statsmodels' spelling."""
    if isinstance(method, str):
        method = _ALIASES.get(method.lower(), method.lower())
    return _params.choice(method, METHODS, "adjust")


def smallest_factor(method: str, n_tests: int) -> int:
    """By how much the smallest of some p-values is multiplied at least, if all are as small."""
    return n_tests if method in ("holm", "bonferroni", "shaffer") else 1


def adjust(p: Any, method: str = "holm") -> Any:
    r"""P-values adjusted for the number of tests.

    Parameters
    ----------
    p : array-like of float
        P-values; NaN (no test) stays, and does not count.
    method : {"holm", "bonferroni", "hochberg", "hommel", "shaffer", "bh", "by", "none"}
        The probability of any false rejection is kept by "holm", "bonferroni" (never better than Holm's), "hochberg"
        and "hommel" (of tests that are not negatively dependent) and "shaffer" (of all pairs of methods); the share of
        false rejections by "bh" (Benjamini and Hochberg) and "by".

    Returns
    -------
    ndarray, or Series if p is one

    Notes
    -----
    Shaffer's static procedure knows that hypotheses about pairs hang together: of three methods, if two are different,
    at least one more pair is. Where i of the m hypotheses have been rejected, the next p-value is multiplied by the
    largest number of true hypotheses that is possible and not above m - i, instead of by m - i as in Holm's. It needs
    the p-values of all K (K - 1) / 2 pairs of K methods.

    References
    ----------
    .. [1] Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics
       6, 65-70.
    .. [2] Shaffer, J. P. (1986). Modified sequentially rejective multiple test procedures. Journal of the American
       Statistical Association 81, 826-831. https://doi.org/10.1080/01621459.1986.10478341

    Examples
    --------
    >>> from pwcstats.compare import adjust
    >>> p = [0.001, 0.010, 0.020, 0.040, 0.300, 0.600]
    >>> adjust(p, "holm").round(3)
    array([0.006, 0.05 , 0.08 , 0.12 , 0.6  , 0.6  ])
    >>> adjust(p, "shaffer").round(3)
    array([0.006, 0.03 , 0.06 , 0.12 , 0.6  , 0.6  ])
    """
    method = read_adjust(method)
    values = as_float(p, "p")
    if values.ndim != 1:
        raise InputError(f"p must be a sequence of p-values, got {values.ndim} dimensions.")
    if ((values < 0.0) | (values > 1.0)).any():
        raise InputError(f"p must hold probabilities, got {values[(values < 0.0) | (values > 1.0)][0]:g}.")
    known = ~np.isnan(values)
    adjusted = values.copy()
    if known.any() and method != "none":
        adjusted[known] = _in_steps(values[known], method, values.size)
    return pd.Series(adjusted, index=p.index, name=p.name) if isinstance(p, pd.Series) else adjusted


def _in_steps(p: Array, method: str, n_all: int) -> Array:
    """P-values times a factor for each place in their order; never falling from one to the next larger p-value."""
    m = len(p)
    left = m - np.arange(m)  # hypotheses that are not yet rejected
    match method:
        case "hommel":
            # (The others are not statsmodels' because each call collects the garbage of the whole process.)
            return np.asarray(multipletests(p, method="hommel")[1])
        case "bonferroni":
            factor: Any = np.full(m, m)
        case "holm" | "hochberg":
            factor = left
        case "shaffer":
            # Tests that could not be made may be of true hypotheses, too.
            factor = np.minimum(left, _possible(n_all, n_all - np.arange(m)))
        case _:
            factor = m / np.arange(1, m + 1) * (1.0 if method == "bh" else (1.0 / np.arange(1, m + 1)).sum())
    order = np.argsort(p, kind="stable")
    product = factor * p[order]
    # Step-down procedures stop at the first that is not rejected, step-up ones at the first that is, from above.
    up = method in ("hochberg", "bh", "by")
    steps = np.minimum.accumulate(product[::-1])[::-1] if up else np.maximum.accumulate(product)
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def _possible(n_pairs: int, left: Any) -> Any:
    """The largest number of hypotheses about pairs that can be true together and is not above some others."""
    k = round((1.0 + np.sqrt(1.0 + 8.0 * n_pairs)) / 2.0)
    if k * (k - 1) // 2 != n_pairs:
        raise InputError(
            f"'shaffer' needs the p-values of all pairs of methods (1, 3, 6, 10, ... of them), got {n_pairs}; "
            "use 'holm' for other families, such as comparisons with a control."
        )
    possible = np.array(sorted(_numbers_of_equal_pairs(k)))
    return possible[np.searchsorted(possible, left, side="right") - 1]


def _numbers_of_equal_pairs(k: int) -> set[int]:
    """How many pairs of k methods can be equal: methods fall into groups of equal ones."""
    numbers: list[set[int]] = [{0}, {0}]
    for n in range(2, k + 1):
        numbers.append({size * (size - 1) // 2 + rest for size in range(1, n + 1) for rest in numbers[n - size]})
    return numbers[k]


def cliques(methods: Sequence[Any], different: Any) -> list[tuple[Any, ...]]:
    """The largest groups of methods no two of which differ, in the order of the methods.

    Parameters
    ----------
    methods : sequence
        Names, best first.
    different : array-like of bool, square
        Which differ significantly.

    Returns
    -------
    list of tuple
    """
    # Insert and absorb (Piepho 2004): each difference splits the groups that hold both.
    groups = [frozenset(range(len(methods)))]
    differ = np.asarray(different, dtype=bool)
    for i, j in combinations(range(len(methods)), 2):
        if differ[i, j]:
            split = [part for group in groups for part in ((group - {i}, group - {j}) if {i, j} <= group else (group,))]
            groups = [group for group in dict.fromkeys(split) if not any(group < other for other in split)]
    return [tuple(methods[place] for place in group) for group in sorted(map(sorted, groups))]


def letters(groups: Sequence[Sequence[Any]], methods: Sequence[Any]) -> list[str]:
    """Letters of each method, one for each group that it is in: methods that share one do not differ."""
    return ["".join(_letter(place) for place, group in enumerate(groups) if name in group) for name in methods]


def _letter(place: int) -> str:
    """Letters from a to z, then capitals, then with numbers."""
    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    times, place = divmod(place, len(alphabet))
    return alphabet[place] + (str(times) if times else "")
