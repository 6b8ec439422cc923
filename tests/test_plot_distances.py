"""Distances of hybrids: histograms against direct computation."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pwcstats import InputError, OrdinalHybridClassifier, datasets, plot
from pwcstats.plot.style import AREAS, area_colors, figure_of
from tests.plotting import blobs, draw

from .hybrids import fitted_hybrid, fitted_ordinal, words

pytestmark = pytest.mark.one_environment


@pytest.fixture(scope="module")
def hybrid():
    return fitted_hybrid()


@pytest.fixture(scope="module")
def ordinal():
    return fitted_ordinal()


def bars(panel):
    """Heights and edges by the colour of the outlines."""
    return {
        to_rgb(patch.get_edgecolor()): patch.get_data() for patch in panel.patches if not patch.get_fill()
    }  # fmt: skip


def check_histograms(figure, clf, frame, y):
    """Bars times rows are the counts, which numpy counts as well, and no row is missing."""
    colors = area_colors(len(clf.classes_))
    assert len(figure.axes) == frame.shape[1]
    for panel, column in zip(figure.axes, frame.columns, strict=True):
        assert panel.get_title() == f"machine {column.removeprefix('d_')}"
        found = bars(panel)
        for place, label in enumerate(clf.classes_):
            values = frame[column].to_numpy()[np.asarray(y) == label]
            heights, edges, _ = found[tuple(colors[place])]
            np.testing.assert_allclose(heights * len(values), np.histogram(values, edges)[0], atol=1e-9)
            assert heights.sum() * len(values) == pytest.approx(len(values))
            assert np.abs(edges).min() == 0.0  # no bar is on both sides of the border
            assert heights.max() < panel.get_ylim()[1]
        assert [line.get_xdata()[0] for line in panel.lines] == [0.0]


class Measured(ClassifierMixin, BaseEstimator):
    """As many machines as there are sizes; the distances are combinations of the columns, in these sizes."""

    def __init__(self, sizes):
        self.sizes = sizes

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.pos_label_ = self.classes_[0]
        return self

    def distances(self, X):
        angle = np.arange(len(self.sizes))
        values = np.asarray(X) @ [np.cos(angle), np.sin(angle)] * self.sizes
        return pd.DataFrame(values, columns=[f"d_{number + 1}" for number in angle])


class TestDistances:
    def test_histograms_of_clusters(self, hybrid):
        clf, _, _, X, y = hybrid
        figure = draw(plot.distances(clf, X, y))
        check_histograms(figure, clf, clf.distances(X), y)
        assert words(figure.legends[0]) == ["in (40 rows)", "out (160 rows)"]
        assert figure.get_supxlabel().endswith("on the side of in")
        assert len({panel.get_xlim() for panel in figure.axes}) == 1

    def test_histograms_of_ordered_classes(self, ordinal):
        clf, X, y = ordinal
        figure = figure_of(plot.distances(clf, X, y))
        check_histograms(figure, clf, clf.distances(X), y)
        assert [panel.get_title() for panel in figure.axes] == ["machine 1", "machine 2", "machine 3", "machine 4"]
        assert figure.get_supxlabel().endswith("on the side of the machine's class")
        # A machine's own class is on its right, those before it on its left.
        heights, edges, _ = bars(figure.axes[3])[to_rgb(AREAS[4])]
        assert heights[edges[:-1] >= 0].sum() > 0.7
        heights, edges, _ = bars(figure.axes[3])[to_rgb(AREAS[0])]
        assert heights[edges[:-1] >= 0].sum() == 0

    def test_the_legend_is_in_order(self):
        sample = datasets.chang_ordered(2, 20, 0, random_state=0)
        y = np.array(["low", "mid", "high", "top", "zenith"])[sample.target]
        order = ["low", "mid", "high", "top", "zenith"]
        clf = OrdinalHybridClassifier(categories=order, distance_cv=None).fit(sample.data, y)
        figure = figure_of(plot.distances(clf, sample.data, y))
        assert words(figure.legends[0]) == [f"{name} (20 rows)" for name in order]
        check_histograms(figure, clf, clf.distances(sample.data), y)

    @pytest.mark.parametrize(("k", "shape"), [(1, (1, 1)), (3, (2, 2)), (5, (3, 2)), (13, (7, 2))])
    def test_panels_are_in_a_grid(self, k, shape):
        X, y = blobs(2)
        figure = figure_of(plot.distances(Measured(np.ones(k)).fit(X, y), X, y))
        assert len(figure.axes) == k
        assert figure.axes[0].get_gridspec().get_geometry() == shape
        # Each column has numbers below its last panel.
        for panel in figure.axes[-shape[1] :]:
            assert panel.xaxis.get_tick_params()["labelbottom"]

    def test_many_classes(self):
        X, y = blobs(15)
        clf = Measured(np.ones(14)).fit(X, y)
        figure = draw(plot.distances(clf, X, y))
        check_histograms(figure, clf, clf.distances(X), y)
        for place, panel in enumerate(figure.axes, start=1):
            filled = {to_rgb(patch.get_facecolor()) for patch in panel.patches if patch.get_fill()}
            assert filled == {tuple(color) for color in area_colors(15)[[0, place]]}
        legend = figure.legends[0].get_window_extent()
        assert legend.y0 >= 0
        assert legend.x0 > max(panel.get_window_extent().x1 for panel in figure.axes)

    def test_a_machine_of_another_size_has_its_own_axis(self):
        X, y = blobs(2, n=40)
        clf = Measured([1.0, 1.0, 1e5, 0.0]).fit(X, y)
        figure = draw(plot.distances(clf, X, y))
        check_histograms(figure, clf, clf.distances(X), y)
        limits = [panel.get_xlim()[1] for panel in figure.axes]
        assert limits[2] > 1e4
        assert max(limits[0], limits[1], limits[3]) < 100
        assert (bars(figure.axes[0])[to_rgb(AREAS[0])].values > 0).sum() > 5

    def test_pipelines_and_classes_without_rows(self):
        sample = datasets.chang_ordered(2, 20, 20, random_state=0)
        frame = pd.DataFrame(sample.data, columns=["a", "b"])
        clf = make_pipeline(StandardScaler(), OrdinalHybridClassifier(distance_cv=None)).fit(frame, sample.target)
        figure = figure_of(plot.distances(clf, frame, sample.target))
        check_histograms(figure, clf, clf[-1].distances(clf[0].transform(frame)), sample.target)
        rows = sample.target != 3
        figure = figure_of(plot.distances(clf, frame[rows], sample.target[rows]))
        assert words(figure.legends[0]) == [f"{label} (40 rows)" for label in (0, 1, 2, 4)]
        assert to_rgb(AREAS[3]) not in bars(figure.axes[0])
        assert to_rgb(AREAS[4]) in bars(figure.axes[0])

    def test_axes_of_others(self, hybrid):
        clf, _, _, X, y = hybrid
        figure = Figure(layout="constrained")
        grid = figure.subplots(2, 2)
        assert list(plot.distances(clf, X, y, ax=grid)) == list(grid.ravel())
        draw(figure)
        check_histograms(figure, clf, clf.distances(X), y)
        assert words(grid[0, 0].get_legend()) == ["in (40 rows)", "out (160 rows)"]
        with pytest.raises(InputError, match="Axes for each of the 4 panels, got 1"):
            plot.distances(clf, X, y, ax=grid[0, 0])

    def test_what_is_refused(self, hybrid):
        clf, _, _, X, y = hybrid
        with pytest.raises(InputError, match="distances needs a fitted classifier, got OrdinalHybridClassifier, not"):
            plot.distances(OrdinalHybridClassifier(), X, y)
        with pytest.raises(InputError, match="machines of a HybridClassifier or .*, got GaussianNB, which has no dist"):
            plot.distances(GaussianNB().fit(X, y), X, y)
        with pytest.raises(InputError, match="y must be one label for each of the 200 rows, got 199"):
            plot.distances(clf, X, y[1:])
        with pytest.raises(InputError, match=r"y has \('up'\), which clf does not know"):
            plot.distances(clf, X, ["up"] * 200)


def test_public_names():
    """Modules of the same names must not hide the functions."""
    figures = {"roc", "clusters", "distances"}
    assert figures <= set(plot.__all__)
    assert all(callable(getattr(plot, name)) for name in figures)
