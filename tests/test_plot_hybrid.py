"""Figures of the hybrids: the numbers and colours in them against direct computation."""

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import auc, roc_auc_score, roc_curve
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pwcstats import HybridClassifier, InputError, OrdinalHybridClassifier, datasets, plot
from pwcstats.plot.style import AREAS, COLORS, area_colors
from tests.drawing import PRINTED, blobs

from .drawing import draw

NAMES = np.array(["in", "out"])


def quick(estimator=None, **options):
    """A hybrid that fits each machine once."""
    return HybridClassifier(estimator, threshold=0.5, distance_cv=None, random_state=0, **options)


def clover(d=3.0, n=40, seed=0):
    """Training and test rows; the positives are called "in"."""
    sample = datasets.chang_clover(d, n, n, random_state=seed)
    y = NAMES[(sample.target > 0).astype(int)]
    return sample.data[sample.train], y[sample.train], sample.data[~sample.train], y[~sample.train]


@pytest.fixture(scope="module")
def hybrid():
    X, y, X_test, y_test = clover()
    return HybridClassifier(random_state=0).fit(X, y), X, y, X_test, y_test


@pytest.fixture(scope="module")
def ordinal():
    sample = datasets.chang_ordered(2, 40, 40, random_state=0)
    X, y, train = sample.data, sample.target, sample.train
    return OrdinalHybridClassifier(distance_cv=None).fit(X[train], y[train]), X[~train], y[~train]


@pytest.fixture(scope="module")
def runs():
    """Classifiers with test sets of their own, of unequal sizes."""
    out = []
    for seed in range(3):
        X, y, X_test, y_test = clover(1.5, 30, seed)
        out.append((GaussianNB().fit(X, y), X_test[seed:], y_test[seed:]))
    return [list(part) for part in zip(*out, strict=True)]


def numbers(text):
    return [float(number) for number in re.findall(r"\d\.\d{3}", text)]


def words(legend):
    return [text.get_text() for text in legend.get_texts()]


class VotesOnly(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))


class TestRoc:
    def test_the_line_is_that_of_scikit_learn(self, hybrid):
        clf, _, _, X, y = hybrid
        figure = draw(plot.roc(clf, X, y))
        assert isinstance(figure, Figure)
        (axes,) = figure.axes
        # The rarer class is the positive one, though it is the first.
        score = clf.predict_proba(X)[:, 0]
        fpr, tpr, _ = roc_curve(y == "in", score)
        np.testing.assert_array_equal(axes.lines[0].get_xydata(), np.column_stack([fpr, tpr]))
        assert numbers(axes.lines[0].get_label()) == pytest.approx([roc_auc_score(y == "in", score)], abs=PRINTED)
        assert axes.get_title() == "in against out"
        np.testing.assert_array_equal(axes.lines[-1].get_xydata(), [[0, 0], [1, 1]])

    def test_the_dot_is_where_it_decides(self, hybrid):
        clf, _, _, X, y = hybrid
        curve, dot, _ = plot.roc(clf, X, y).axes[0].lines
        called = clf.predict(X) == "in"
        fpr, tpr = called[y == "out"].mean(), called[y == "in"].mean()
        assert 0 < fpr < 1
        np.testing.assert_allclose(dot.get_xydata(), [[fpr, tpr]], rtol=1e-12)
        assert numbers(dot.get_label()) == pytest.approx([tpr, 1 - fpr], abs=PRINTED)
        # It is on the curve, between its lowest and its highest point there.
        x, height = curve.get_xydata().T
        assert np.interp(fpr - 1e-9, x, height) - 1e-6 <= tpr <= np.interp(fpr + 1e-9, x, height) + 1e-6

    def test_no_dot_without_a_threshold(self, runs):
        clfs, X, y = runs
        assert len(plot.roc(clfs[0], X[0], y[0]).axes[0].lines) == 2

    def test_the_other_class_may_be_positive(self, hybrid):
        clf, _, _, X, y = hybrid
        axes = plot.roc(clf, X, y, pos_label="out").axes[0]
        fpr, tpr, _ = roc_curve(y == "out", clf.predict_proba(X)[:, 1])
        np.testing.assert_array_equal(axes.lines[0].get_xydata(), np.column_stack([fpr, tpr]))
        called = clf.predict(X) == "out"
        expected = [[called[y == "in"].mean(), called[y == "out"].mean()]]
        np.testing.assert_allclose(axes.lines[1].get_xydata(), expected, rtol=1e-12)
        assert axes.get_title() == "out against in"

    @pytest.mark.parametrize("pos_label", [None, "in"])
    def test_decision_values(self, pos_label):
        X, y, X_test, y_test = clover(1.0)
        clf = SVC().fit(X, y)
        line = plot.roc(clf, X_test, y_test, pos_label=pos_label).axes[0].lines[0]
        value = clf.decision_function(X_test)  # in favour of "out", the second class
        fpr, tpr, _ = roc_curve(y_test == "in", -value) if pos_label else roc_curve(y_test == "out", value)
        np.testing.assert_array_equal(line.get_xydata(), np.column_stack([fpr, tpr]))

    def test_the_mean_is_vertical(self, runs):
        clfs, X, y = runs
        axes = draw(plot.roc(clfs, X, y)).axes[0]
        *thin, mean, diagonal = axes.lines
        areas, heights, grid = [], [], np.linspace(0, 1, 21)
        for line, clf, rows, truth in zip(thin, clfs, X, y, strict=True):
            fpr, tpr, _ = roc_curve(truth == "out", clf.predict_proba(rows)[:, 1])
            np.testing.assert_array_equal(line.get_xydata(), np.column_stack([fpr, tpr]))
            assert line.get_linewidth() < mean.get_linewidth()
            heights.append(np.interp(grid, fpr, tpr))
            areas.append(auc(fpr, tpr))
        assert mean.get_xydata()[0].tolist() == [0.0, 0.0]
        assert mean.get_xydata()[-1].tolist() == [1.0, 1.0]
        # From the second point on; the first two are one above the other.
        points = dict(zip(mean.get_xdata()[1:].round(6), mean.get_ydata()[1:], strict=True))
        np.testing.assert_allclose([points[x] for x in grid.round(6)], np.mean(heights, axis=0), rtol=1e-12)
        assert words(axes.get_legend())[0] == "3 runs"
        assert numbers(mean.get_label()) == pytest.approx([np.mean(areas), np.std(areas, ddof=1)], abs=PRINTED)
        assert auc(*mean.get_xydata().T) == pytest.approx(np.mean(areas), abs=0.002)
        assert diagonal.get_zorder() == 0

    def test_without_the_mean(self, runs):
        clfs, X, y = runs
        axes = plot.roc(clfs, X, y, mean=False).axes[0]
        assert len(axes.lines) == 3 + 1
        areas = [
            roc_auc_score(truth == "out", c.predict_proba(x)[:, 1]) for c, x, truth in zip(clfs, X, y, strict=True)
        ]
        (label,) = words(axes.get_legend())
        assert label.startswith("3 runs")
        assert numbers(label) == pytest.approx([np.mean(areas), np.std(areas, ddof=1)], abs=PRINTED)

    def test_methods_with_names(self, hybrid):
        """All of the same positive class, which only one of them knows."""
        clf, X, y, X_test, y_test = hybrid
        methods = [SVC(kernel="linear").fit(X, y), clf, GaussianNB().fit(X, y)]
        axes = draw(plot.roc(methods, X_test, y_test, names=["svm", "hybrid", "bayes"])).axes[0]
        assert len(axes.lines) == 3 + 1
        scores = [
            -methods[0].decision_function(X_test),
            clf.predict_proba(X_test)[:, 0],
            methods[2].predict_proba(X_test)[:, 0],
        ]
        for line, score, color, name in zip(axes.lines, scores, COLORS, ("svm", "hybrid", "bayes"), strict=False):
            fpr, tpr, _ = roc_curve(y_test == "in", score)
            np.testing.assert_array_equal(line.get_xydata(), np.column_stack([fpr, tpr]))
            assert line.get_color() == color
            assert line.get_label() == f"{name} (AUC {auc(fpr, tpr):.3f})"

    def test_many_methods_are_told_apart(self, runs):
        clfs, X, y = runs
        names = [f"method {i}" for i in range(15)]
        figure = draw(plot.roc([clfs[0]] * 15, X[0], y[0], names=names))
        axes = figure.axes[0]
        assert len({(line.get_color(), str(line._dash_pattern)) for line in axes.lines[:15]}) == 15
        legend = axes.get_legend().get_window_extent()
        assert legend.x0 > axes.get_window_extent().x1  # beside the curves
        assert legend.x1 <= figure.bbox.x1
        assert legend.y0 >= 0
        # One classifier of a list is a single one.
        assert len(plot.roc(clfs[:1], X[:1], y[:1], names="bayes").axes[0].lines) == 2

    def test_rows_as_plain_lists(self, runs):
        clfs, X, y = runs
        expected = [line.get_xydata() for line in plot.roc(clfs, X, y).axes[0].lines]
        found = plot.roc(clfs, tuple(x.tolist() for x in X), [t.tolist() for t in y]).axes[0].lines
        for line, points in zip(found, expected, strict=True):
            np.testing.assert_array_equal(line.get_xydata(), points)
        # The same rows for all of the classifiers, though there are as many of the one as of the others.
        rows = np.r_[0, len(X[0]) - 1, len(X[0]) - 2]
        lines = plot.roc(clfs, X[0][rows].tolist(), y[0][rows].tolist()).axes[0].lines
        assert len(lines) == 3 + 2

    def test_pipelines_searches_and_frames(self):
        X, y, X_test, y_test = clover()
        frame, frame_test = pd.DataFrame(X, columns=["a", "b"]), pd.DataFrame(X_test, columns=["a", "b"])
        clf = make_pipeline(StandardScaler(), quick()).fit(frame, y)
        axes = draw(plot.roc(clf, frame_test, pd.Series(y_test, dtype="category"))).axes[0]
        fpr, tpr, _ = roc_curve(y_test == "in", clf.predict_proba(frame_test)[:, 0])
        np.testing.assert_array_equal(axes.lines[0].get_xydata(), np.column_stack([fpr, tpr]))
        assert len(axes.lines) == 3  # with the dot
        search = GridSearchCV(SVC(), {"C": [1.0, 2.0]}, cv=2).fit(X, y)
        fpr, tpr, _ = roc_curve(y_test == "out", search.decision_function(X_test))
        line = plot.roc(search, X_test, y_test).axes[0].lines[0]
        np.testing.assert_array_equal(line.get_xydata(), np.column_stack([fpr, tpr]))

    def test_axes_of_others(self, hybrid):
        clf, _, _, X, y = hybrid
        figure = Figure(layout="constrained")
        left, right = figure.subfigures(1, 2)
        ax = right.subplots()
        assert plot.roc(clf, X, y, ax=ax) is figure
        assert len(ax.lines) == 3
        assert not left.axes

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"clf": HybridClassifier()}, "roc needs a fitted classifier, got HybridClassifier, not fitted; call"),
            ({"clf": [GaussianNB()]}, "roc needs a fitted classifier, got GaussianNB, not fitted"),
            ({"clf": []}, "roc needs a fitted classifier or a list of them, got an empty list"),
            ({"y": ["in"] * 3}, "y must be one label for each of the 10 rows of X, got 3"),
            ({"y": ["in"] * 10}, "needs rows of both classes, got only 'in' in y"),
            ({"y": ["out"] * 10}, "needs rows of both classes, got only 'out' in y"),
            ({"y": ["in"] * 9 + ["up"]}, r"y has \('up'\), which clf does not know"),
            ({"pos_label": "up"}, r"pos_label must be one of the classes \('in', 'out'\), got 'up'"),
            ({"pos_label": 1}, r"pos_label must be one of the classes \('in', 'out'\), got 1"),
            ({"names": ["a", "b"]}, "names must be one for each classifier, got 2 of them and 1 in clf"),
            ({"ax": "axes"}, "ax must be matplotlib's Axes, got str"),
        ],
    )
    def test_what_is_refused(self, change, message):
        X, y = blobs(2, NAMES, n=5)
        given = {"clf": GaussianNB().fit(X, y), "X": X, "y": y, **change}
        with pytest.raises(InputError, match=message):
            plot.roc(given.pop("clf"), given.pop("X"), given.pop("y"), **given)

    def test_runs_that_are_refused(self, runs):
        clfs, X, y = runs
        with pytest.raises(InputError, match="X is a list for 2 classifiers, got 3 of them; give one X for each"):
            plot.roc(clfs, X[:2], y)
        with pytest.raises(InputError, match="y is a list for 2 classifiers, got 3 of them; give one y for each"):
            plot.roc(clfs, X, y[:2])
        with pytest.raises(InputError, match="X is a list for 3 classifiers, got 1 of them"):
            plot.roc(clfs[0], X, y)
        other = GaussianNB().fit(X[0], y[0] == "in")
        with pytest.raises(InputError, match=r"the same classes, got \('in', 'out'\) and \(False, True\)"):
            plot.roc([clfs[0], other], X[0], y[0])

    def test_classifiers_that_are_refused(self, hybrid):
        clf, X, y, _, _ = hybrid
        three = blobs(3)
        with pytest.raises(InputError, match=r"roc is of two classes, but clf has 3: \(0, 1, 2\); fit it to one"):
            plot.roc(GaussianNB().fit(*three), *three)
        with pytest.raises(InputError, match="VotesOnly has neither predict_proba nor decision_function"):
            plot.roc(VotesOnly().fit(X, y), X, y)
        other = quick(pos_label="out", n_clusters=1).fit(X, y)
        with pytest.raises(InputError, match=r"differ in their positive class: \('in', 'out'\); say which"):
            plot.roc([clf, other], X, y)
        assert len(plot.roc([clf, other], X, y, pos_label="in").axes[0].lines) == 4


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
        assert words(axes.get_legend()) == [
            f"in ({counts[0]} rows)",
            *(f"out, cluster {number} ({counts[number]} rows)" for number in range(1, 5)),
        ]
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("x1", "x2")

    def test_centres(self, hybrid):
        clf, X, *_ = hybrid
        axes = plot.clusters(clf, X).axes[0]
        assert [text.get_text() for text in axes.texts] == ["1", "2", "3", "4"]
        for number, text in enumerate(axes.texts, start=1):
            np.testing.assert_allclose(text.get_position(), X[clf.clusters_ == number].mean(axis=0), rtol=1e-12)
            np.testing.assert_allclose(text.get_bbox_patch().get_facecolor()[:3], to_rgb(AREAS[number - 1]))

    def test_borders_are_where_the_distance_is_zero(self, hybrid):
        clf, X, *_ = hybrid
        axes = plot.clusters(clf, X).axes[0]
        found = borders_in(axes)
        assert len(found) == 4
        for (segment, color), (name, machine), base in zip(found, clf.machines_.items(), AREAS, strict=False):
            w, b = machine.coef_[0], machine.intercept_[0]
            np.testing.assert_allclose(segment @ w + b, 0.0, atol=1e-9 * np.abs(w).max())
            assert np.abs(clf.distances(segment)[f"d_{name}"]).max() < 1e-6
            np.testing.assert_allclose(color, to_rgb(base))
            # From one side of the view to another.
            (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
            for x, y in segment:
                assert min(abs(x - x0), abs(x - x1), abs(y - y0), abs(y - y1)) < 1e-9
                assert x0 - 1e-9 <= x <= x1 + 1e-9
                assert y0 - 1e-9 <= y <= y1 + 1e-9

    @pytest.mark.parametrize("learner", [SVC(), make_pipeline(StandardScaler(), SVC(kernel="linear"))])
    def test_no_line_where_the_border_is_none_of_the_plane(self, learner):
        X, y, *_ = clover()
        clf = quick(learner).fit(X, y)
        assert not borders_in(plot.clusters(clf, X).axes[0])

    def test_upright_borders_and_those_out_of_view(self):
        X, y, *_ = clover()
        clf = quick(n_clusters=1).fit(X, y)

        def border(*weights):
            clf.machines_["1"] = LogisticRegression()
            clf.machines_["1"].coef_, clf.machines_["1"].intercept_ = np.array([weights[:2]]), np.array(weights[2:])
            axes = plot.clusters(clf, X).axes[0]
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
        legend = figure.axes[0].get_legend().get_window_extent()
        assert legend.x0 > figure.axes[0].get_window_extent().x1
        assert legend.x1 <= figure.bbox.x1

    def test_names_of_given_clusters(self):
        X, y, *_ = clover()
        place = np.where(X[:, 0] > 0, "east", "west")
        clf = quick().fit(X, y, clusters=place)
        axes = plot.clusters(clf, X).axes[0]
        east = int(((y == "out") & (place == "east")).sum())
        assert words(axes.get_legend())[1] == f"out, cluster 1: east ({east} rows)"
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
        assert words(axes.get_legend()) == [
            "elm, baseline (12 rows)", "1: ash (12 rows)", "2: beech (12 rows)", "3: oak (12 rows)"
        ]  # fmt: skip
        short = quick().fit(X, [name[0] for name in y])
        axes = plot.clusters(short, X).axes[0]
        assert [text.get_text() for text in axes.texts] == ["b", "e", "o"]
        assert words(axes.get_legend())[1] == "b (12 rows)"

    def test_parts_of_the_rows(self):
        X, y, *_ = clover(1.0)
        clf = quick(split="folds", n_clusters=3).fit(X, y)
        axes = draw(plot.clusters(clf, X)).axes[0]
        for number, line in enumerate(groups_in(axes), start=1):
            np.testing.assert_array_equal(line.get_xydata(), X[clf.clusters_ == number])
            np.testing.assert_allclose(line.get_markerfacecolor(), to_rgb(AREAS[number - 1]))
        assert not axes.texts
        assert words(axes.get_legend())[0].startswith("part 1 (")

    def test_pipelines_show_what_the_classifier_sees(self):
        X, y, *_ = clover()
        frame = pd.DataFrame(X * [1.0, 50.0] + 7.0, columns=["length", "width"])
        clf = make_pipeline(StandardScaler(), quick()).fit(frame, y)
        axes = plot.clusters(clf, frame).axes[0]
        rows = clf[0].transform(frame)
        for group, line in enumerate(groups_in(axes)):
            np.testing.assert_array_equal(line.get_xydata(), rows[clf[-1].clusters_ == group])
        assert axes.get_ylabel() == "width, after StandardScaler"
        for (segment, _), machine in zip(borders_in(axes), clf[-1].machines_.values(), strict=True):
            np.testing.assert_allclose(segment @ machine.coef_[0] + machine.intercept_[0], 0.0, atol=1e-9)
        clf = make_pipeline(StandardScaler(), quick()).fit(X, y)
        assert plot.clusters(clf, X).axes[0].get_xlabel() == "x1, after StandardScaler"

    def test_sparse_rows(self):
        X, y, *_ = clover(n=15)
        for rows in (X, np.column_stack([X, X[:, 0] + X[:, 1] ** 2])):
            thin = sparse.csr_matrix(rows)
            expected, found = (plot.clusters(quick().fit(data, y), data).axes[0] for data in (rows, thin))
            assert len(borders_in(found)) == len(borders_in(expected)) == (4 if rows is X else 0)
            for mine, theirs in zip(groups_in(found), groups_in(expected), strict=True):
                np.testing.assert_allclose(mine.get_xydata(), theirs.get_xydata(), atol=1e-6)

    def test_axes_of_others(self, hybrid):
        clf, X, *_ = hybrid
        figure = Figure(layout="constrained")
        left, right = figure.subplots(1, 2)
        assert plot.clusters(clf, X, ax=right) is figure
        assert len(groups_in(right)) == 5
        assert not left.lines

    def test_what_is_refused(self, hybrid, ordinal):
        clf, X, y, X_test, _ = hybrid
        with pytest.raises(InputError, match="clusters needs a fitted classifier, got HybridClassifier, not fitted"):
            plot.clusters(HybridClassifier(), X)
        with pytest.raises(InputError, match="groups of a HybridClassifier, got OrdinalHybridClassifier; give one"):
            plot.clusters(ordinal[0], X)
        with pytest.raises(InputError, match="X must be the 200 rows that clf was fitted to, got 199 rows; pass the X"):
            plot.clusters(clf, X_test[:-1])
        with pytest.raises(InputError, match="got 1 dimensions"):
            plot.clusters(clf, X[:, 0])
        with pytest.raises(InputError, match="X must have the 2 columns that clf was fitted to, got 1; pass the X of"):
            plot.clusters(clf, X[:, :1])
        with pytest.raises(InputError, match="X must have rows of finite numbers to be drawn, got NaN"):
            plot.clusters(clf, np.where(X == X[3, 1], np.nan, X))
        one = quick(n_clusters=1).fit(X[:, :1], y)
        with pytest.raises(InputError, match="draws a plane: X must have 2 columns or more, got 1"):
            plot.clusters(one, X[:, :1])
        with pytest.raises(InputError, match="one of matplotlib's Axes for each of the 1 panels, got 2"):
            plot.clusters(clf, X, ax=Figure().subplots(1, 2))


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
        figure = plot.distances(clf, X, y)
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
        figure = plot.distances(clf, sample.data, y)
        assert words(figure.legends[0]) == [f"{name} (20 rows)" for name in order]
        check_histograms(figure, clf, clf.distances(sample.data), y)

    @pytest.mark.parametrize(("k", "shape"), [(1, (1, 1)), (5, (2, 3)), (11, (3, 4)), (13, (4, 4))])
    def test_panels_are_in_a_grid(self, k, shape):
        X, y = blobs(2)
        figure = plot.distances(Measured(np.ones(k)).fit(X, y), X, y)
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
        figure = plot.distances(clf, frame, sample.target)
        check_histograms(figure, clf, clf[-1].distances(clf[0].transform(frame)), sample.target)
        rows = sample.target != 3
        figure = plot.distances(clf, frame[rows], sample.target[rows])
        assert words(figure.legends[0]) == [f"{label} (40 rows)" for label in (0, 1, 2, 4)]
        assert to_rgb(AREAS[3]) not in bars(figure.axes[0])
        assert to_rgb(AREAS[4]) in bars(figure.axes[0])

    def test_axes_of_others(self, hybrid):
        clf, _, _, X, y = hybrid
        figure = Figure(layout="constrained")
        grid = figure.subplots(2, 2)
        assert plot.distances(clf, X, y, ax=grid) is figure
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
        with pytest.raises(InputError, match="y must be one label for each of the 200 rows of X, got 199"):
            plot.distances(clf, X, y[1:])
        with pytest.raises(InputError, match=r"y has \('up'\), which clf does not know"):
            plot.distances(clf, X, ["up"] * 200)


def test_public_names():
    """Modules of the same names must not hide the functions."""
    figures = {"roc", "clusters", "distances"}
    assert figures <= set(plot.__all__)
    assert all(callable(getattr(plot, name)) for name in figures)
