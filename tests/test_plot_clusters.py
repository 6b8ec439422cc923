"""Clusters of hybrids: points, centres and borders against direct computation."""

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, RobustScaler, StandardScaler
from sklearn.svm import SVC

from pwcstats import HybridClassifier, InputError, plot
from pwcstats.plot.style import AREAS, area_colors, figure_of
from tests.plotting import blobs, draw

from .hybrids import clover, fitted_hybrid, fitted_ordinal, quick, words

pytestmark = pytest.mark.one_environment


@pytest.fixture(scope="module")
def hybrid():
    return fitted_hybrid()


@pytest.fixture(scope="module")
def ordinal():
    return fitted_ordinal()


def groups_in(axes):
    """Points of each group, from those lines that have no line."""
    return [line for line in axes.lines if line.get_linestyle() == "None"]


def borders_in(axes):
    """Segments and colours of the borders, without the white beneath."""
    return [
        (line.get_xydata(), to_rgb(line.get_color()))
        for line in axes.lines
        if line.get_linestyle() == "-" and to_rgb(line.get_color()) != to_rgb("white")
    ]


class TestClusters:
    def test_points_have_the_colour_of_their_cluster(self, hybrid):
        clf, X, *_ = hybrid
        axes = draw(plot.clusters(clf, X)).axes[0]
        positives, *clusters = groups_in(axes)
        np.testing.assert_array_equal(positives.get_xydata(), X[clf.clusters_ == 0])
        assert positives.get_markerfacecolor() == "none"
        assert np.ptp(to_rgb(positives.get_markeredgecolor())) == 0  # grey
        assert len(clusters) == clf.n_clusters_ == 4
        for number, line in enumerate(clusters, start=1):
            np.testing.assert_array_equal(line.get_xydata(), X[clf.clusters_ == number])
            np.testing.assert_allclose(line.get_markerfacecolor(), to_rgb(AREAS[number - 1]))
        counts = np.bincount(clf.clusters_)
        assert words(figure_of(axes).legends[0]) == [
            f"in ({counts[0]} rows)",
            *(f"out, cluster {number} ({counts[number]} rows)" for number in range(1, 5)),
        ]
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("x1", "x2")

    def test_centres(self, hybrid):
        clf, X, *_ = hybrid
        axes = figure_of(plot.clusters(clf, X)).axes[0]
        assert [text.get_text() for text in axes.texts] == ["1", "2", "3", "4"]
        for number, text in enumerate(axes.texts, start=1):
            np.testing.assert_allclose(text.get_position(), X[clf.clusters_ == number].mean(axis=0), rtol=1e-12)
            np.testing.assert_allclose(text.get_bbox_patch().get_facecolor()[:3], to_rgb(AREAS[number - 1]))

    @pytest.mark.parametrize(
        "learner",
        [
            None,
            SVC(kernel="linear"),
            make_pipeline(StandardScaler(), SVC(kernel="linear")),
            make_pipeline(RobustScaler(with_centering=False), SVC(kernel="linear")),
            make_pipeline(RobustScaler(with_scaling=False), SVC(kernel="linear")),
        ],
    )
    def test_borders_are_where_the_distance_is_zero(self, learner):
        X, y, *_ = clover()
        # Columns of other units, which the default machine standardises.
        X = X * [1.0, 2.0] + [5.0, 0.0]
        clf = quick(learner).fit(X, y)
        axes = figure_of(plot.clusters(clf, X)).axes[0]
        found = borders_in(axes)
        assert len(found) == 4
        for (segment, color), (name, machine), base in zip(found, clf.machines_.items(), AREAS, strict=False):
            np.testing.assert_allclose(machine.decision_function(segment), 0.0, atol=1e-9)
            assert np.abs(clf.distances(segment)[f"d_{name}"]).max() < 1e-6
            np.testing.assert_allclose(color, to_rgb(base))
            # From one side of the view to another.
            (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
            for x, y in segment:
                assert min(abs(x - x0), abs(x - x1), abs(y - y0), abs(y - y1)) < 1e-9
                assert x0 - 1e-9 <= x <= x1 + 1e-9
                assert y0 - 1e-9 <= y <= y1 + 1e-9

    @pytest.mark.parametrize("learner", [SVC(), make_pipeline(PolynomialFeatures(2), SVC(kernel="linear"))])
    def test_no_line_where_the_border_is_none_of_the_plane(self, learner):
        X, y, *_ = clover()
        clf = quick(learner).fit(X, y)
        assert not borders_in(figure_of(plot.clusters(clf, X)).axes[0])

    def test_upright_borders_and_those_out_of_view(self):
        X, y, *_ = clover()
        clf = quick(n_clusters=1).fit(X, y)

        def border(*weights):
            clf.machines_["1"] = LogisticRegression()
            clf.machines_["1"].coef_, clf.machines_["1"].intercept_ = np.array([weights[:2]]), np.array(weights[2:])
            axes = figure_of(plot.clusters(clf, X)).axes[0]
            return axes, borders_in(axes)

        axes, ((upright, _),) = border(2.0, 0.0, -1.0)
        np.testing.assert_allclose(upright[:, 0], 0.5, rtol=1e-12)
        np.testing.assert_allclose(sorted(upright[:, 1]), axes.get_ylim(), rtol=1e-12)
        axes, ((level, _),) = border(0.0, 2.0, 1.0)
        np.testing.assert_allclose(level[:, 1], -0.5, rtol=1e-12)
        np.testing.assert_allclose(sorted(level[:, 0]), axes.get_xlim(), rtol=1e-12)
        for weights in ((1.0, 0.0, 99.0), (0.0, 1.0, 99.0), (1.0, 1.0, -99.0), (0.0, 0.0, 1.0)):
            assert not border(*weights)[1]

    @pytest.mark.parametrize("k", [1, 9])
    def test_few_and_many_clusters(self, k):
        X, y, *_ = clover(2.0)
        clf = quick(n_clusters=k).fit(X, y)
        figure = draw(plot.clusters(clf, X))
        _, *clusters = groups_in(figure.axes[0])
        assert len(clusters) == k
        for number, line in enumerate(clusters, start=1):
            np.testing.assert_array_equal(line.get_xydata(), X[clf.clusters_ == number])
            np.testing.assert_allclose(line.get_markerfacecolor(), area_colors(k)[number - 1])
        panel, legend = figure.axes[0].get_tightbbox(), figure.legends[0].get_window_extent()
        assert legend.y1 < panel.y0
        assert legend.x1 <= figure.bbox.x1
        assert panel.width > 0.95 * figure.bbox.width

    def test_names_of_given_clusters(self):
        X, y, *_ = clover()
        place = np.where(X[:, 0] > 0, "east", "west")
        clf = quick().fit(X, y, clusters=place)
        axes = figure_of(plot.clusters(clf, X)).axes[0]
        east = int(((y == "out") & (place == "east")).sum())
        assert words(figure_of(axes).legends[0])[1] == f"out, cluster 1: east ({east} rows)"
        assert [text.get_text() for text in axes.texts] == ["1", "2"]

    def test_principal_components(self):
        rng = np.random.default_rng(0)
        X, y, *_ = clover()
        X = np.column_stack([X, rng.normal(size=(len(X), 2))]) @ rng.normal(size=(4, 4))
        clf = quick().fit(X, y)
        axes = draw(plot.clusters(clf, X)).axes[0]
        pca = PCA().fit(X)
        points = pca.transform(X)[:, :2]
        for group, line in enumerate(groups_in(axes)):
            np.testing.assert_allclose(line.get_xydata(), points[clf.clusters_ == group], atol=1e-8)
        shares = [
            int(re.search(r"(\d+)% of the variance", label)[1]) for label in (axes.get_xlabel(), axes.get_ylabel())
        ]
        assert shares == pytest.approx(100 * pca.explained_variance_ratio_[:2], abs=0.5)
        assert axes.get_ylabel().startswith("principal component 2 (")
        assert not borders_in(axes)

    def test_classes_are_groups(self):
        X, y = blobs(4, ["ash", "beech", "elm", "oak"])
        clf = quick(pos_label="elm").fit(X, y)
        axes = draw(plot.clusters(clf, X)).axes[0]
        for line, name in zip(groups_in(axes), ["elm", "ash", "beech", "oak"], strict=True):
            np.testing.assert_array_equal(line.get_xydata(), X[y == name])
        assert words(figure_of(axes).legends[0]) == [
            "elm, baseline (12 rows)", "1: ash (12 rows)", "2: beech (12 rows)", "3: oak (12 rows)"
        ]  # fmt: skip
        short = quick().fit(X, [name[0] for name in y])
        axes = figure_of(plot.clusters(short, X)).axes[0]
        assert [text.get_text() for text in axes.texts] == ["b", "e", "o"]
        assert words(figure_of(axes).legends[0])[1] == "b (12 rows)"

    def test_parts_of_the_rows(self):
        X, y, *_ = clover(1.0)
        clf = quick(split="folds", n_clusters=3).fit(X, y)
        axes = draw(plot.clusters(clf, X)).axes[0]
        for number, line in enumerate(groups_in(axes), start=1):
            np.testing.assert_array_equal(line.get_xydata(), X[clf.clusters_ == number])
            np.testing.assert_allclose(line.get_markerfacecolor(), to_rgb(AREAS[number - 1]))
        assert not axes.texts
        assert words(figure_of(axes).legends[0])[0].startswith("part 1 (")

    def test_pipelines_show_what_the_classifier_sees(self):
        X, y, *_ = clover()
        frame = pd.DataFrame(X * [1.0, 50.0] + 7.0, columns=["length", "width"])
        clf = make_pipeline(StandardScaler(), quick()).fit(frame, y)
        axes = figure_of(plot.clusters(clf, frame)).axes[0]
        rows = clf[0].transform(frame)
        for group, line in enumerate(groups_in(axes)):
            np.testing.assert_array_equal(line.get_xydata(), rows[clf[-1].clusters_ == group])
        assert axes.get_ylabel() == "width, after StandardScaler"
        for (segment, _), machine in zip(borders_in(axes), clf[-1].machines_.values(), strict=True):
            np.testing.assert_allclose(machine.decision_function(segment), 0.0, atol=1e-9)
        clf = make_pipeline(StandardScaler(), quick()).fit(X, y)
        assert figure_of(plot.clusters(clf, X)).axes[0].get_xlabel() == "x1, after StandardScaler"

    def test_sparse_rows(self):
        X, y, *_ = clover(n=15)
        for rows in (X, np.column_stack([X, X[:, 0] + X[:, 1] ** 2])):
            thin = sparse.csr_matrix(rows)
            expected, found = (
                figure_of(plot.clusters(quick(n_clusters=4).fit(data, y), data)).axes[0] for data in (rows, thin)
            )
            assert len(borders_in(found)) == len(borders_in(expected)) == (4 if rows is X else 0)
            for mine, theirs in zip(groups_in(found), groups_in(expected), strict=True):
                np.testing.assert_allclose(mine.get_xydata(), theirs.get_xydata(), atol=1e-6)

    def test_axes_of_others(self, hybrid):
        clf, X, *_ = hybrid
        figure = Figure(layout="constrained")
        left, right = figure.subplots(1, 2)
        assert plot.clusters(clf, X, ax=right) is right
        assert len(groups_in(right)) == 5
        assert not left.lines

    def test_what_is_refused(self, hybrid, ordinal):
        clf, X, y, X_test, _ = hybrid
        with pytest.raises(InputError, match="clusters needs a fitted classifier, got HybridClassifier, not fitted"):
            plot.clusters(HybridClassifier(), X)
        with pytest.raises(InputError, match="groups of a HybridClassifier, got OrdinalHybridClassifier; pass one"):
            plot.clusters(ordinal[0], X)
        with pytest.raises(InputError, match="X must be the 200 rows that clf was fitted to, got 199 rows; pass the X"):
            plot.clusters(clf, X_test[:-1])
        with pytest.raises(InputError, match="got 1 dimensions"):
            plot.clusters(clf, X[:, 0])
        with pytest.raises(InputError, match="X must have the 2 columns that clf was fitted to, got 1; pass the X of"):
            plot.clusters(clf, X[:, :1])
        with pytest.raises(InputError, match="X must have finite values, got NaN"):
            plot.clusters(clf, np.where(X == X[3, 1], np.nan, X))
        one = quick(n_clusters=1).fit(X[:, :1], y)
        with pytest.raises(InputError, match="draws a plane: X must have at least 2 columns, got 1"):
            plot.clusters(one, X[:, :1])
        with pytest.raises(InputError, match="one of matplotlib's Axes for each of the 1 panels, got 2"):
            plot.clusters(clf, X, ax=Figure().subplots(1, 2))
