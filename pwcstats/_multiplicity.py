"""P-values adjusted for the number of tests."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, get_args, overload

import numpy as np
import pandas as pd
from statsmodels.stats.multitest import multipletests

from pwcstats import _params
from pwcstats._arrays import Array, as_float
from pwcstats.errors import InputError, arg, value

__all__ = ["ADJUSTMENTS", "adjust"]

AdjustmentName = Literal["holm", "bonferroni", "hochberg", "hommel", "shaffer", "bh", "by", "none"]
ADJUSTMENTS: tuple[str, ...] = get_args(AdjustmentName)
# Other spellings, of R and statsmodels.
_ALIASES = {"fdr": "bh", "fdr_bh": "bh", "fdr_by": "by"}


class Adjustment(NamedTuple):
    """How p-values are adjusted for the number of tests."""

    name: AdjustmentName
    # The adjusted p-values, from all p-values and the number of hypotheses; those without a p-value count, too.
    apply: Callable[[Array, int], Array]
    # What it needs and controls, for the help of the command line.
    description: str
    # Whether it controls the probability of any false rejection; intervals are then simultaneous.
    is_familywise: bool = True
    # Whether it always multiplies the smallest p-value by the number of tests.
    multiplies_smallest: bool = False
    # Whether it compares all p-values with one level, so that there is a critical difference.
    is_single_step: bool = False
    # Whether it relies on logical relations among the hypotheses about all pairs of methods.
    needs_all_pairs: bool = False

    def smallest_factor(self, n_tests: int) -> int:
        """The factor by which the smallest p-value is multiplied, if all p-values are equally small."""
        return n_tests if self.multiplies_smallest else 1

    def interval_alpha(self, alpha: float, n_tests: int) -> float:
        """The significance level of each of several intervals; simultaneous intervals share `alpha` (Bonferroni)."""
        return alpha / n_tests if self.is_familywise else alpha


def _step_down(factors: Callable[[int, int], Any]) -> Callable[[Array, int], Array]:
    """Multiply the ordered p-values by factors; stop at the first hypothesis that is not rejected."""
    return lambda p, n_all: _multiplied(p, factors(len(p), n_all), np.maximum.accumulate)


def _step_up(factors: Callable[[int, int], Any]) -> Callable[[Array, int], Array]:
    """Multiply the ordered p-values by factors; stop, from the largest, at the first hypothesis that is rejected."""
    return lambda p, n_all: _multiplied(p, factors(len(p), n_all), lambda x: np.minimum.accumulate(x[::-1])[::-1])


def _multiplied(p: Array, factors: Any, accumulate: Callable[[Array], Array]) -> Array:
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(accumulate(factors * p[order]), 1.0)
    return adjusted


def _remaining(m: int, n_all: int) -> Any:
    """The numbers of hypotheses that are not yet rejected."""
    return m - np.arange(m)


def _possible(m: int, n_all: int) -> Any:
    """The largest numbers of hypotheses that can be true together when 0, 1, ... have been rejected (Shaffer)."""
    k = round((1.0 + np.sqrt(1.0 + 8.0 * n_all)) / 2.0)
    if k * (k - 1) // 2 != n_all:
        raise InputError(
            f"{value('shaffer')} needs the p-values of all pairs of methods (1, 3, 6, 10, ... of them), got {n_all}; "
            f"use {value('holm')} for other families, such as comparisons with a control."
        )
    # The numbers of equal pairs among n methods, which fall into groups of equal ones, as the bits of an integer.
    numbers = [1, 1]
    for n in range(2, k + 1):
        found = 0
        for size in range(1, n + 1):
            found |= numbers[n - size] << (size * (size - 1) // 2)
        numbers.append(found)
    possible = np.flatnonzero(np.frombuffer(bin(numbers[k])[:1:-1].encode(), np.uint8) == ord("1"))
    # Hypotheses that could not be tested may be true, too.
    return np.minimum(m - np.arange(m), possible[np.searchsorted(possible, n_all - np.arange(m), side="right") - 1])


def _discoveries(m: int, n_all: int) -> Any:
    """The factors of Benjamini and Hochberg."""
    return m / np.arange(1, m + 1)


def _hommel(p: Array, n_all: int) -> Array:
    # (statsmodels is not used for the others, because each of its calls runs the garbage collector.)
    return np.asarray(multipletests(p, method="hommel")[1])


_TABLE: dict[str, Adjustment] = {
    adjustment.name: adjustment
    for adjustment in (
        Adjustment(
            "holm",
            _step_down(_remaining),
            "controls the probability of any false rejection, for all tests",
            multiplies_smallest=True,
        ),
        Adjustment(
            "bonferroni",
            _step_down(lambda m, n_all: np.full(m, m)),
            "the same in a single step; never rejects more than holm",
            multiplies_smallest=True,
            is_single_step=True,
        ),
        Adjustment("hochberg", _step_up(_remaining), "the same for tests that are not negatively dependent"),
        Adjustment("hommel", _hommel, "the same for tests that are not negatively dependent"),
        Adjustment(
            "shaffer",
            _step_down(_possible),
            "the same for all pairs of methods",
            multiplies_smallest=True,
            needs_all_pairs=True,
        ),
        Adjustment(
            "bh",
            _step_up(_discoveries),
            "controls the share of false rejections, for tests that are not negatively dependent",
            is_familywise=False,
        ),
        Adjustment(
            "by",
            _step_up(lambda m, n_all: _discoveries(m, n_all) * (1.0 / np.arange(1, m + 1)).sum()),
            "controls the share of false rejections, for all tests",
            is_familywise=False,
        ),
        Adjustment("none", lambda p, n_all: p, "each test alone", is_familywise=False, is_single_step=True),
    )
}


def read_adjust(method: Any, name: str = "adjust", more: tuple[str, ...] = ()) -> Adjustment:
    """The adjustment of a name, which may be spelled as in R or statsmodels; `name` is the parameter.

    Errors also list `more` names, which the caller has read before.
    """
    if isinstance(method, str):
        method = _ALIASES.get(method.lower(), method.lower())
    return _TABLE[_params.choice(method, (*ADJUSTMENTS, *more), name)]


@overload
def adjust(p: pd.Series, method: AdjustmentName = "holm") -> pd.Series: ...
@overload
def adjust(p: Any, method: AdjustmentName = "holm") -> Array: ...
def adjust(p: Any, method: AdjustmentName = "holm") -> Any:
    r"""Adjust p-values for the number of tests.

    Parameters
    ----------
    p : array-like of float
        P-values. NaN (no test) stays NaN and does not count.
    method : {"holm", "bonferroni", "hochberg", "hommel", "shaffer", "bh", "by", "none"}
        The probability of any false rejection is controlled by "holm", "bonferroni" (which never rejects more than
        Holm's method), "hochberg" and "hommel" (for tests that are not negatively dependent) and "shaffer" (for all
        pairs of methods). The share of false rejections is controlled by "bh" (Benjamini and Hochberg) and "by".

    Returns
    -------
    ndarray, or Series if p is one

    Notes
    -----
    Shaffer's static procedure uses the logical relations among hypotheses about pairs: of three methods, if two differ,
    at least one more pair differs. After i of m hypotheses have been rejected, Holm's method multiplies the next
    p-value by m - i; Shaffer's multiplies it by the largest possible number of true hypotheses up to m - i. It needs
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
    adjustment = read_adjust(method, "method")
    values = as_float(p, "p")
    if values.ndim != 1:
        raise InputError(f"{arg('p')} must be a sequence of p-values, got {values.ndim} dimensions.")
    outside = (values < 0.0) | (values > 1.0)
    if outside.any():
        raise InputError(f"{arg('p')} must hold probabilities, got {values[outside][0]:g}.")
    is_known = ~np.isnan(values)
    adjusted = values.copy()
    if is_known.any():
        adjusted[is_known] = adjustment.apply(values[is_known], values.size)
    return pd.Series(adjusted, index=p.index, name=p.name) if isinstance(p, pd.Series) else adjusted
