"""Figures of samples: every point in its panel, in the colour and marker of its class."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from pwcstats import InputError, datasets, plot
from pwcstats.plot.style import MARKERS, area_colors, figure_of
from tests.plotting import assert_legible, blobs, draw

pytestmark = pytest.mark.one_environment


def check_points(panel, X, y, classes):
    """The points in the colour and marker of each class are its rows, all of them once."""
    colors = area_colors(len(classes))
    for place, label in enumerate(classes):
        mine = [
            line.get_xydata()
            for line in panel.lines
            if line.get_marker() == MARKERS[place % 8] and tuple(line.get_markerfacecolor()) == to_rgb(colors[place])
        ]
        found, expected = np.concatenate(mine), np.asarray(X)[np.asarray(y) == label]
        np.testing.assert_array_equal(found[np.lexsort(found.T)], expected[np.lexsort(expected.T)])
    assert sum(len(line.get_xdata()) for line in panel.lines) == len(X)


def test_points_of_each_panel():
    panels = {f"alpha {alpha}": datasets.szepannek_classes(alpha, 0.5, 30, random_state=0) for alpha in (0.1, 0.9)}
    figure = draw(plot.samples(panels))
    assert [panel.get_title() for panel in figure.axes] == list(panels)
    for panel, (X, y) in zip(figure.axes, panels.values(), strict=True):
        check_points(panel, X, y, [1, 2, 3, 4])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["1", "2", "3", "4"]
    assert len({panel.get_xlim() for panel in figure.axes}) == 1
    assert len({panel.get_ylim() for panel in figure.axes}) == 1
    assert (figure.get_supxlabel(), figure.get_supylabel()) == ("x1", "x2")


def test_classes_keep_their_colour_where_others_are_missing():
    X, y = blobs(3, ["ash", "beech", "oak"])
    frame = pd.DataFrame(X, columns=["length", "width"])
    panels = {"all": (frame, y), "no ash": (frame[y != "ash"], pd.Series(y[y != "ash"]))}
    figure = figure_of(plot.samples(panels))
    check_points(figure.axes[0], X, y, ["ash", "beech", "oak"])
    shown = {tuple(line.get_markerfacecolor()) for line in figure.axes[1].lines if len(line.get_xdata())}
    assert shown == {to_rgb(color) for color in area_colors(3)[1:]}
    assert figure.get_supxlabel() == "length"


@pytest.mark.parametrize(
    ("n", "columns", "shape"),
    [(1, None, (1, 1)), (4, None, (2, 2)), (9, None, (5, 2)), (4, 4, (1, 4)), (6, 3, (2, 3))],
)
def test_panels_are_in_a_grid(n, columns, shape):
    figure = figure_of(
        plot.samples({f"sample {number}": blobs(3, seed=number) for number in range(n)}, columns=columns)
    )
    assert len(figure.axes) == n
    assert figure.axes[0].get_gridspec().get_geometry() == shape
    # Each column has numbers below its last panel.
    for panel in figure.axes[-shape[1] :]:
        assert panel.xaxis.get_tick_params()["labelbottom"]


@pytest.mark.parametrize("k", [2, 8, 26])
def test_words_can_be_read(k):
    assert_legible(figure_of(plot.samples({f"d = {number}": blobs(k, seed=number) for number in range(5)})))


def test_what_is_refused():
    X, y = blobs(2)
    with pytest.raises(InputError, match="panels must be a dict of titles and tuples .*, got none; pass at least one"):
        plot.samples({})
    with pytest.raises(InputError, match="panels must be a dict of titles .*, got list"):
        plot.samples([(X, y)])
    with pytest.raises(InputError, match=r"the sample 'a' must be a tuple \(X, y\), got ndarray"):
        plot.samples({"a": X})
    with pytest.raises(InputError, match="samples draws a plane: the X of 'a' must have 2 columns, got 1 columns"):
        plot.samples({"a": (X[:, :1], y)})
    with pytest.raises(InputError, match=r"the y of 'a' must be one label for each of its 24 rows, got 23"):
        plot.samples({"a": (X, y[1:])})
    with pytest.raises(InputError, match=r"the y of 'b' must not have missing values, got nan"):
        plot.samples({"a": (X, y), "b": (X, np.where(y == 0, np.nan, y))})
    with pytest.raises(InputError, match="the X of 'a' must have rows of finite values, got NaN"):
        plot.samples({"a": (np.where(X == X[0, 0], np.nan, X), y)})
    with pytest.raises(InputError, match="rows of finite values, got no rows"):
        plot.samples({"a": (X[:0], y[:0])})
    with pytest.raises(InputError, match="columns must be a whole number of at least 1, got 0"):
        plot.samples({"a": (X, y)}, columns=0)
