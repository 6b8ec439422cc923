"""Helpers for tests of figures."""

import numpy as np
from matplotlib.figure import Figure

from pwcstats.plot.style import area_colors, figure_of

# Errors and scores are printed with three decimals.
PRINTED = 0.0005 + 1e-9


def draw(axes):
    """Lay out and draw the figure of one or several Axes, so that errors and warnings of drawing are raised here."""
    figure = axes if isinstance(axes, Figure) else figure_of(axes)
    figure.draw_without_rendering()
    return figure


def blobs(k, labels=None, seed=0, n=12):
    rng = np.random.default_rng(seed)
    code = np.repeat(np.arange(k), n)
    X = 3 * rng.normal(size=(k, 2))[code] + rng.normal(size=(k * n, 2))
    return X, code if labels is None else np.asarray(labels)[code]


def hue(color, k):
    """The class whose colour was mixed with white, and the share of the colour."""
    white = 1.0 - np.asarray(color)
    base = 1.0 - area_colors(k)
    strength = white @ base.T / (base**2).sum(axis=1)
    return np.abs(white[:, None] - strength[..., None] * base).sum(axis=-1).argmin(axis=1), strength
