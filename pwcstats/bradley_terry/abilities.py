"""The abilities of all items with standard errors and intervals."""

from typing import TYPE_CHECKING, get_args

import pandas as pd

from pwcstats import _params
from pwcstats.bradley_terry.hypotheses import check_finite, check_nonrobust
from pwcstats.bradley_terry.profile import IntervalMethod, ability_bounds

if TYPE_CHECKING:
    from pwcstats.bradley_terry.ability_results import AbilityResults


def abilities(
    results: "AbilityResults",
    ci: bool = True,
    alpha: float = 0.05,
    *,
    method: IntervalMethod = "wald",
    sort: bool = False,
) -> pd.DataFrame:
    """Ability of every item, including the reference.

    Parameters
    ----------
    ci : bool
        Whether to add standard errors and intervals.
    alpha : float
        Significance level; intervals have level 1 - alpha.
    method : {"wald", "profile"}
        Intervals from standard errors, or from the profile likelihood, as in :meth:`conf_int`. Each profile interval
        costs a few fits.
    sort : bool
        Whether to list the best item first; by default the items have the order of the model.

    Returns
    -------
    DataFrame
        `ability` and, with `ci`, `std_error`, `conf_low` and `conf_high`; one row for each item.
    """
    _params.level(alpha, "alpha")
    _params.choice(method, get_args(IntervalMethod), "method")
    ci, sort = _params.flag(ci, "ci"), _params.flag(sort, "sort")
    frame = pd.DataFrame({"ability": results._ability}, index=results.model.items)
    if ci:
        frame["std_error"] = results._item_se
        if method == "wald":
            half = results._reference.isf(alpha / 2.0) * results._item_se
            frame["conf_low"], frame["conf_high"] = results._ability - half, results._ability + half
        else:
            check_nonrobust(results, "a profile-likelihood interval")
            check_finite(results)
            frame[["conf_low", "conf_high"]] = ability_bounds(results, alpha)
    return frame.sort_values("ability", ascending=False, kind="stable") if sort else frame
