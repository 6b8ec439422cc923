"""Profiles of the likelihood of logit models, beside their Wald approximation."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from scipy import stats

from pwcstats import _params
from pwcstats._text import did_you_mean, listed
from pwcstats.errors import InputError, arg, code
from pwcstats.plot.reading import read_axes
from pwcstats.plot.style import (
    COLORS,
    FONT,
    Panels,
    add_panels,
    hide_frame,
    legend_of_figure,
    literal,
    new_figure,
    one_or_array,
)

MOST_COLUMNS = 3
# Space for the interval below the band, in units of z.
BELOW = 0.4


def profiles(res: Any, coefficients: Sequence[str] | None = None, *, alpha: float = 0.05, ax: Any = None) -> Panels:
    """Profile likelihoods of the coefficients of a logit model, a panel for each.

    The curve is the signed root z of the likelihood-ratio statistic. The dashed line is what Wald's interval and test
    assume; it is the steeper, the smaller the standard error. If the curve is not close to this line, use the profile
    interval. The bar at the bottom is this interval: it ends where the curve reaches the border of the
    shaded band.

    Parameters
    ----------
    res : results of a logit model
        What ``fit()`` of :class:`pwcstats.FirthLogit`, :class:`pwcstats.FirthMNLogit`, :class:`pwcstats.OrderedLogit`,
        :class:`pwcstats.AdjacentCategories` or :class:`pwcstats.ContinuationRatio` returns.
    coefficients : sequence of str, optional
        Names of coefficients as in ``res.profile()``; by default all of them.
    alpha : float
        The band belongs to intervals of level 1 - alpha.
    ax : matplotlib.axes.Axes or sequence of them, optional
        Axes to draw in, one for each coefficient; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes or array of them

    Examples
    --------
    >>> from pwcstats import FirthLogit, datasets, plot
    >>> res = FirthLogit.from_formula("HG ~ NV + PI + EH", datasets.load("endometrial").frame).fit()
    >>> axes = plot.profiles(res, ["NV", "EH"])
    >>> axes[0].figure.savefig("profiles.png")  # doctest: +SKIP
    """
    if not (hasattr(res, "profile") and hasattr(res, "tidy")):
        raise InputError(
            f"{code('profiles')} draws the fit of a logit model, got {type(res).__name__}; pass what {code('fit')} of "
            f"{code('FirthLogit')}, {code('OrderedLogit')} or another logit model returns."
        )
    cut = float(stats.norm.isf(_params.level(alpha, "alpha") / 2.0))
    table = res.profile(alpha=alpha)
    names = _chosen(coefficients, list(dict.fromkeys(table.index.get_level_values(0))))
    wald = _wald(res)
    panels = _new_panels(len(names)) if ax is None else read_axes(ax, len(names))
    for panel, name in zip(panels, names, strict=True):
        curve: Any = table.xs(name)[name]
        z, value = curve.index.to_numpy(np.float64), curve.to_numpy(np.float64)
        panel.axhspan(-cut, cut, color="0.94", zorder=0)
        panel.axhline(0.0, color="0.75", linewidth=0.8, zorder=1)
        estimate, error = wald.loc[name, ["estimate", "std_error"]]
        panel.plot(value, (value - estimate) / error, color=COLORS[1], linestyle=(0, (4, 3)), linewidth=1.2)
        panel.plot(value, z, color=COLORS[0], linewidth=1.8)
        panel.plot(value[[0, -1]], [-cut - BELOW] * 2, color=COLORS[0], linewidth=3.0, solid_capstyle="butt")
        panel.set_ylim(-cut - 1.5 * BELOW, cut + 1.5 * BELOW)
        panel.set_title(literal(name), fontsize=FONT)
        panel.set_xlabel("coefficient")
        hide_frame(panel)
    panels[0].set_ylabel("signed root of the statistic")
    handles = [
        Line2D([], [], color=COLORS[0], linewidth=1.8, label="profile"),
        Line2D([], [], color=COLORS[1], linewidth=1.2, linestyle=(0, (4, 3)), label="Wald"),
    ]
    legend_of_figure(panels, handles, "outside upper center", ax is None, ncols=2)
    return one_or_array(panels)


def _chosen(coefficients: Sequence[str] | None, known: list[str]) -> list[str]:
    """The names of the coefficients to draw."""
    if coefficients is None:
        return known
    names = [coefficients] if isinstance(coefficients, str) else list(coefficients)
    for name in names:
        if name not in known:
            raise InputError(
                f"{arg('coefficients')} has {name!r}, which is none of those with a profile {listed(known)}."
                f"{did_you_mean(str(name), known)}"
            )
    if not names:
        raise InputError(f"{arg('coefficients')} is empty; name one at least, or leave it out.")
    return names


def _wald(res: Any) -> pd.DataFrame:
    """Estimates and standard errors, by the names of the coefficients in profiles."""
    table = res.tidy()
    names = table["term"].astype(str)
    return table.set_index(table["y_level"].astype(str) + ":" + names if "y_level" in table else names)


def _new_panels(n: int) -> Any:
    """Panels of a new figure."""
    columns = min(n, MOST_COLUMNS)
    figure = new_figure(1.0 + 2.3 * columns, 0.6 + 2.4 * -(-n // columns))
    return add_panels(figure, n, columns, sharey=True)
