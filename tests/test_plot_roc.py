"""ROC curves: the numbers and colours in them against direct computation."""

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import auc, roc_auc_score, roc_curve
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pwcstats import HybridClassifier, InputError, plot
from pwcstats.plot.style import COLORS, figure_of
from tests.plotting import PRINTED, blobs, draw

from .hybrids import NAMES, clover, fitted_hybrid, quick, words

pytestmark = pytest.mark.one_environment


@pytest.fixture(scope="module")
def hybrid():
    return fitted_hybrid()


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
        curve, dot, _ = figure_of(plot.roc(clf, X, y)).axes[0].lines
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
        assert len(figure_of(plot.roc(clfs[0], X[0], y[0])).axes[0].lines) == 2

    def test_the_other_class_may_be_positive(self, hybrid):
        clf, _, _, X, y = hybrid
        axes = figure_of(plot.roc(clf, X, y, pos_label="out")).axes[0]
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
        line = figure_of(plot.roc(clf, X_test, y_test, pos_label=pos_label)).axes[0].lines[0]
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
        axes = figure_of(plot.roc(clfs, X, y, mean=False)).axes[0]
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
        assert len(figure_of(plot.roc(clfs[:1], X[:1], y[:1], names="bayes")).axes[0].lines) == 2

    def test_rows_as_plain_lists(self, runs):
        clfs, X, y = runs
        expected = [line.get_xydata() for line in figure_of(plot.roc(clfs, X, y)).axes[0].lines]
        found = figure_of(plot.roc(clfs, tuple(x.tolist() for x in X), [t.tolist() for t in y])).axes[0].lines
        for line, points in zip(found, expected, strict=True):
            np.testing.assert_array_equal(line.get_xydata(), points)
        # The same rows for all of the classifiers, though there are as many of the one as of the others.
        rows = np.r_[0, len(X[0]) - 1, len(X[0]) - 2]
        lines = figure_of(plot.roc(clfs, X[0][rows].tolist(), y[0][rows].tolist())).axes[0].lines
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
        line = figure_of(plot.roc(search, X_test, y_test)).axes[0].lines[0]
        np.testing.assert_array_equal(line.get_xydata(), np.column_stack([fpr, tpr]))

    def test_axes_of_others(self, hybrid):
        clf, _, _, X, y = hybrid
        figure = Figure(layout="constrained")
        left, right = figure.subfigures(1, 2)
        ax = right.subplots()
        assert plot.roc(clf, X, y, ax=ax) is ax
        assert len(ax.lines) == 3
        assert not left.axes

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"clf": HybridClassifier()}, "roc needs a fitted classifier, got HybridClassifier, not fitted; call"),
            ({"clf": [GaussianNB()]}, "roc needs a fitted classifier, got GaussianNB, not fitted"),
            ({"clf": []}, "roc needs a fitted classifier or a list of them, got an empty list"),
            ({"y": ["in"] * 3}, "y must be one label for each of the 10 rows, got 3"),
            ({"y": ["in"] * 10}, "needs rows of both classes, got only 'in' in y"),
            ({"y": ["out"] * 10}, "needs rows of both classes, got only 'out' in y"),
            ({"y": ["in"] * 9 + ["up"]}, r"y has \('up'\), which clf does not know"),
            ({"pos_label": "up"}, r"pos_label must be one of the classes \(in, out\), got 'up'"),
            ({"pos_label": 1}, r"pos_label must be one of the classes \(in, out\), got 1"),
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
        with pytest.raises(InputError, match="X is a list for 2 classifiers, got 3 of them; pass one X for each"):
            plot.roc(clfs, X[:2], y)
        with pytest.raises(InputError, match="y is a list for 2 classifiers, got 3 of them; pass one y for each"):
            plot.roc(clfs, X, y[:2])
        with pytest.raises(InputError, match="X is a list for 3 classifiers, got 1 of them"):
            plot.roc(clfs[0], X, y)
        other = GaussianNB().fit(X[0], y[0] == "in")
        with pytest.raises(InputError, match=r"the same classes, got \('in', 'out'\) and \(False, True\)"):
            plot.roc([clfs[0], other], X[0], y[0])

    def test_classifiers_that_are_refused(self, hybrid):
        clf, X, y, _, _ = hybrid
        three = blobs(3)
        with pytest.raises(InputError, match=r"roc needs two classes, but clf has 3: \(0, 1, 2\); fit it to one"):
            plot.roc(GaussianNB().fit(*three), *three)
        with pytest.raises(InputError, match="VotesOnly has neither predict_proba nor decision_function"):
            plot.roc(VotesOnly().fit(X, y), X, y)
        other = quick(pos_label="out", n_clusters=1).fit(X, y)
        with pytest.raises(InputError, match=r"differ in their positive class: \('in', 'out'\); choose one"):
            plot.roc([clf, other], X, y)
        assert len(figure_of(plot.roc([clf, other], X, y, pos_label="in")).axes[0].lines) == 4
