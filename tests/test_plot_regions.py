"""Regions of classifiers: the numbers and colours in them against direct computation."""

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pwcstats import InputError, PairwiseClassifier, datasets, plot
from pwcstats.plot.style import AREAS, NOBODY, area_colors, figure_of
from tests.plotting import PRINTED, blobs, draw, hue, pixels

pytestmark = pytest.mark.one_environment

# Colours are float64 through and through, but contours and images may round them.
COLOR = 1e-6


@pytest.fixture(scope="module")
def mixtures():
    data = datasets.hastie_tibshirani_mixtures(figure=2, random_state=0)
    train, test = (
        (data.data[data.train], data.target[data.train]),
        (data.data[~data.train], data.target[~data.train]),
    )
    return PairwiseClassifier(LinearDiscriminantAnalysis(), coupling="ht").fit(*train), train, test


def error_in(panel):
    return float(re.search(r"error.*: (\d\.\d{3})$", panel.get_title())[1])


class TestDecisionRegions:
    def test_colours_are_the_votes_and_the_predictions(self, mixtures):
        clf, train, _ = mixtures
        left, right = draw(plot.decision_regions(clf, *train, resolution=60)).axes
        grid, color = pixels(left)
        votes = clf.votes(grid)
        tie = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1
        assert 20 < tie.sum() < 1000
        np.testing.assert_array_equal(np.abs(color - to_rgb(NOBODY)).max(axis=1) < COLOR, tie)
        np.testing.assert_array_equal(hue(color, 3)[0][~tie], votes.argmax(axis=1)[~tie])
        again, color = pixels(right)
        np.testing.assert_array_equal(again, grid)
        np.testing.assert_array_equal(clf.classes_[hue(color, 3)[0]], clf.predict(grid))

    def test_undecided_places_are_hatched_on_the_left_only(self, mixtures):
        clf, train, _ = mixtures
        left, right = figure_of(plot.decision_regions(clf, *train, resolution=60)).axes
        hatched = [[area for area in panel.collections if area.filled] for panel in (left, right)]
        assert [len(found) for found in hatched] == [1, 0]
        assert hatched[0][0].hatches == ["////"]
        (area,) = hatched[0][0].get_paths()
        grid, color = pixels(left)
        tie = np.abs(color - to_rgb(NOBODY)).max(axis=1) < COLOR
        inside = area.contains_points(grid)
        # Points on the border of the hatched area are half a pixel from its line.
        assert (inside & ~tie).sum() == 0
        assert (inside & tie).sum() > 0.8 * tie.sum()

    def test_the_more_probable_the_more_colour(self, mixtures):
        clf, train, _ = mixtures
        grid, color = pixels(figure_of(plot.decision_regions(clf, *train, resolution=40)).axes[1])
        p = clf.predict_proba(grid)
        strength = np.take_along_axis(hue(color, 3)[1], p.argmax(axis=1)[:, None], axis=1)[:, 0]
        assert np.corrcoef(strength, p.max(axis=1))[0, 1] > 1 - COLOR
        assert strength.max() < 0.7  # points of the class are still seen

    def test_errors_above_the_panels(self, mixtures):
        clf, train, (X, y) = mixtures
        for options, rows, truth, words in (
            ({}, *train, "error on these 600 rows: "),
            ({"test": (X, y)}, X, y, "test error (15000 rows): "),
        ):
            left, right = figure_of(plot.decision_regions(clf, *train, resolution=5, **options)).axes
            votes = clf.votes(rows)
            wrong = [
                1 - (t in np.flatnonzero(v == v.max())) / (v == v.max()).sum()
                for v, t in zip(votes, truth, strict=True)
            ]
            assert 0 < np.mean([w for w in wrong if w not in (0, 1)]) < 1  # some are ties
            assert error_in(left) == pytest.approx(np.mean(wrong), abs=PRINTED)
            assert error_in(right) == pytest.approx(np.mean(clf.predict(rows) != truth), abs=PRINTED)
            assert left.get_title().startswith("max-wins\n")
            assert right.get_title().startswith("coupled by ht\n")
            assert words in left.get_title()
            assert words in right.get_title()

    def test_points_and_legend(self, mixtures):
        clf, (X, y), _ = mixtures
        figure = figure_of(plot.decision_regions(clf, X, y, resolution=60))
        for panel in figure.axes:
            for place, line in enumerate(panel.lines):
                np.testing.assert_array_equal(line.get_xydata(), X[y == place])
                np.testing.assert_allclose(line.get_markerfacecolor(), to_rgb(AREAS[place]))
        assert [text.get_text() for text in figure.legends[0].get_texts()] == ["0", "1", "2", "no decision"]

    @pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [3, 7], [1.0, 2.0]])
    def test_two_classes_of_any_kind(self, labels):
        X, y = blobs(2, labels)
        clf = PairwiseClassifier(LinearDiscriminantAnalysis()).fit(X, y)
        figure = draw(plot.decision_regions(clf, X, y.tolist(), resolution=30))
        for panel in figure.axes:
            grid, color = pixels(panel)
            np.testing.assert_array_equal(clf.classes_[hue(color, 2)[0]], clf.predict(grid))
            assert error_in(panel) == pytest.approx(np.mean(clf.predict(X) != y), abs=PRINTED)
        assert [text.get_text() for text in figure.legends[0].get_texts()] == [str(label) for label in labels]

    @pytest.mark.parametrize("k", [8, 9, 26])
    def test_many_classes(self, k):
        X, y = blobs(k)
        clf = PairwiseClassifier(LinearDiscriminantAnalysis()).fit(X, y)
        figure = draw(plot.decision_regions(clf, X, y, resolution=50))
        assert len(np.unique(area_colors(k), axis=0)) == k
        assert not any(np.ptp(color) < 0.1 for color in area_colors(k))  # grey is for no decision
        grid, color = pixels(figure.axes[1])
        np.testing.assert_array_equal(hue(color, k)[0], clf.predict(grid))
        assert len(figure.axes[0].lines) == k

    def test_frames_go_in_as_frames(self):
        frame = load_iris(as_frame=True).data.iloc[:, [2, 0]]
        y = load_iris().target_names[load_iris().target]
        # A pipeline, as for columns that are scaled once for all pairs; arrays get the names, too.
        clf = make_pipeline(StandardScaler(), PairwiseClassifier(SVC())).fit(frame, y)
        for X in (frame, frame.to_numpy()):
            left, right = draw(plot.decision_regions(clf, X, pd.Series(y, dtype="category"), resolution=20)).axes
            assert left.get_xlabel() == right.get_xlabel() == "petal length (cm)"
            assert left.get_ylabel() == "sepal length (cm)"
            grid, color = pixels(left)
            votes = clf[-1].votes(clf[0].transform(pd.DataFrame(grid, columns=frame.columns)))
            np.testing.assert_array_equal(hue(color, 3)[0], votes.argmax(axis=1))
        # Fitted without names, a frame is passed without them.
        clf = PairwiseClassifier(LinearDiscriminantAnalysis()).fit(frame.to_numpy(), y)
        assert (
            figure_of(plot.decision_regions(clf, frame, y, resolution=20)).axes[0].get_xlabel() == "petal length (cm)"
        )
        assert figure_of(plot.decision_regions(clf, frame.to_numpy(), y, resolution=20)).axes[0].get_xlabel() == "x1"

    def test_a_search(self):
        X, y = blobs(3)
        search = GridSearchCV(PairwiseClassifier(SVC()), {"estimator__C": [0.1, 1.0]}, cv=2).fit(X, y)
        left, right = figure_of(plot.decision_regions(search, X, y, resolution=20)).axes
        grid, color = pixels(left)
        np.testing.assert_array_equal(hue(color, 3)[0], search.best_estimator_.votes(grid).argmax(axis=1))
        assert right.get_title().startswith("coupled by wlw2\n")

    @pytest.mark.parametrize("learner", [LogisticRegression(), SVC()])
    def test_others_have_one_panel(self, learner):
        """With what they predict, shaded where they have probabilities."""
        X, y = blobs(4)
        clf = learner.fit(X, y)
        (panel,) = draw(plot.decision_regions(clf, X, y, resolution=30)).axes
        grid, color = pixels(panel)
        found, strength = hue(color, 4)
        np.testing.assert_array_equal(found, clf.predict(grid))
        assert panel.get_title().startswith(f"{type(clf).__name__}\n")
        assert (np.ptp(strength[found == 0, 0]) > 0.1) == hasattr(clf, "predict_proba")

    def test_others_may_not_predict_the_most_probable(self):
        X, y = blobs(2)
        clf = FixedThresholdClassifier(LogisticRegression(), threshold=0.95, response_method="predict_proba").fit(X, y)
        (panel,) = figure_of(plot.decision_regions(clf, X, y, resolution=40)).axes
        grid, color = pixels(panel)
        assert (clf.predict(grid) != clf.predict_proba(grid).argmax(axis=1)).any()
        np.testing.assert_array_equal(hue(color, 2)[0], clf.predict(grid))
        assert error_in(panel) == pytest.approx(np.mean(clf.predict(X) != y), abs=PRINTED)

    def test_a_column_that_is_constant(self):
        X, y = blobs(2)
        X[:, 1] = 5.0
        clf = PairwiseClassifier(GaussianNB()).fit(X, y)
        low, high = draw(plot.decision_regions(clf, X, y, resolution=10)).axes[0].get_ylim()
        assert low < 5.0 < high

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (
                {"clf": PairwiseClassifier(SVC())},
                r"fitted classifier, got PairwiseClassifier, not fitted; call its fit",
            ),
            ({"clf": make_pipeline(StandardScaler(), SVC())}, r"got Pipeline, not fitted"),
            ({"clf": PairwiseClassifier}, r"needs a fitted classifier, got the class PairwiseClassifier"),
            ({"clf": "svm"}, r"needs a fitted classifier, got str"),
            ({"clf": LinearRegression().fit(np.eye(2), [0, 1])}, r"LinearRegression has no classes_"),
            ({"X": np.zeros((24, 3))}, r"X must have 2 columns, got 3 columns; choose two"),
            ({"X": np.zeros(24)}, r"X must have 2 columns, got 1 dimensions"),
            ({"X": np.full((24, 2), np.nan)}, r"X must have rows of finite values, got NaN or infinite"),
            ({"X": np.empty((0, 2)), "y": []}, r"rows of finite values, got no rows"),
            ({"y": ["a"] * 23 + ["z"]}, r"y has \('z'\), which clf does not know: its classes are \('a', 'b'\); pass"),
            ({"y": [0] * 24}, r"y has \(0\), which clf does not know"),
            ({"y": ["a"] * 23}, r"y must be one label for each of the 24 rows, got 23"),
            ({"y": "a"}, r"got a single value"),
            ({"resolution": 1}, r"resolution must be a whole number of at least 2, got 1"),
            ({"resolution": 20.0}, r"resolution must be a whole number of at least 2, got 20.0"),
            ({"test": np.zeros((5, 2))}, r"test must be a tuple \(X, y\), got ndarray"),
            ({"test": (np.zeros((5, 3)), ["a"] * 5)}, r"the X of test must have 2 columns, got 3"),
            ({"test": (np.zeros((5, 2)), ["c"] * 5)}, r"the y of test has \('c'\), which clf does not know"),
        ],
    )
    def test_what_is_refused(self, change, message):
        X, y = blobs(2, ["a", "b"])
        given = {"clf": PairwiseClassifier(GaussianNB()).fit(X, y), "X": X, "y": y, **change}
        with pytest.raises(InputError, match=message):
            plot.decision_regions(given.pop("clf"), given.pop("X"), given.pop("y"), **given)

    def test_a_fit_to_more_columns_is_refused(self):
        X, y = load_iris(return_X_y=True)
        clf = PairwiseClassifier(GaussianNB()).fit(X, y)
        with pytest.raises(InputError, match="clf was fitted to 4 columns, and X has 2; fit it to these two"):
            plot.decision_regions(clf, X[:, :2], y)
