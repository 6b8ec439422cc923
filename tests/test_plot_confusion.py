"""Figures of confusion matrices: each count in its cell, right ones blue and wrong ones orange."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from pwcstats import InputError, plot
from pwcstats.plot.style import COLORS, figure_of
from tests.plotting import assert_legible, cell_colors

pytestmark = pytest.mark.one_environment

COUNTS = np.array([[30, 4, 0], [1, 25, 2], [0, 0, 20]])


def numbers(panel):
    return {(round(text.get_position()[1]), round(text.get_position()[0])): text.get_text() for text in panel.texts}


def strength(color, base):
    """How much of a colour there is in one that is mixed with white; fails where it is another."""
    share = (1 - np.asarray(color)) / (1 - np.asarray(to_rgb(base)))
    np.testing.assert_allclose(share, share[0], atol=1e-9)
    return share[0]


def test_counts_and_colours():
    double = 2 * COUNTS
    figure = figure_of(plot.confusion({"one": COUNTS, "two": double}))
    assert [panel.get_title() for panel in figure.axes] == ["one\n91.46% of 82 right", "two\n91.46% of 164 right"]
    for panel, counts in zip(figure.axes, (COUNTS, double), strict=True):
        assert numbers(panel) == {(i, j): str(counts[i, j]) for i, j in np.argwhere(counts > 0)}
        colors = cell_colors(panel)
        for i, j in np.ndindex(3, 3):
            if not counts[i, j]:
                np.testing.assert_array_equal(colors[i, j], 1.0)
                continue
            # The strongest colour belongs to the largest of its kind in all panels.
            base, top = (COLORS[0], 60) if i == j else (COLORS[1], 8)
            assert strength(colors[i, j], base) == pytest.approx(0.15 + 0.85 * counts[i, j] / top)


def test_names_of_classes():
    names = ["ash", "beech", "oak"]
    panel = figure_of(plot.confusion({"trees": pd.DataFrame(COUNTS, index=names, columns=names)})).axes[0]
    assert [label.get_text() for label in panel.get_yticklabels()] == names
    assert [label.get_text() for label in panel.get_xticklabels()] == names
    panel = figure_of(plot.confusion({"trees": COUNTS.tolist()})).axes[0]
    assert [label.get_text() for label in panel.get_xticklabels()] == ["0", "1", "2"]


@pytest.mark.parametrize(("k", "n"), [(2, 1), (10, 2), (20, 1), (40, 1)])
def test_words_can_be_read(k, n):
    rng = np.random.default_rng(0)
    names = [f"class {place}" for place in range(k)]
    matrices = {
        f"method {place}": pd.DataFrame(rng.poisson(1, (k, k)) + 300 * np.eye(k, dtype=int), index=names)
        for place in range(n)
    }
    figure = figure_of(plot.confusion(matrices))
    assert_legible(figure)
    # Numbers in the cells of many classes could not be read.
    assert bool(figure.axes[0].texts) == (k <= 30)


def test_nothing_wrong():
    panel = figure_of(plot.confusion({"all right": 5 * np.eye(3)})).axes[0]
    assert panel.get_title() == "all right\n100.00% of 15 right"
    assert strength(cell_colors(panel)[1, 1], COLORS[0]) == pytest.approx(1.0)


def test_what_is_refused():
    with pytest.raises(InputError, match="matrices must be a dict of titles and matrices, got none; pass at least one"):
        plot.confusion({})
    with pytest.raises(InputError, match="matrices must be a dict .*, got ndarray"):
        plot.confusion(COUNTS)
    with pytest.raises(InputError, match="the matrix 'a' must have a row and a column for each class, got 2 x 3"):
        plot.confusion({"a": COUNTS[:2]})
    for wrong in (COUNTS - 1, 0 * COUNTS, COUNTS * np.nan):
        with pytest.raises(InputError, match="the matrix 'a' must have counts of at least 0, some above 0"):
            plot.confusion({"a": wrong})
