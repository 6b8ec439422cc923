"""Figures of studies: regions of several classifiers, box plots, posteriors, one against all."""

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pwcstats import InputError, PairwiseClassifier, plot
from pwcstats.plot.boxes import HALF, NUMBERS
from pwcstats.plot.style import COLORS, area_colors, figure_of
from tests.plotting import PRINTED, assert_legible, blobs, draw, hue, pixels

pytestmark = pytest.mark.one_environment

# Places are doubles; matplotlib adds widths to them.
PLACE = 1e-12


def fitted(n, k=3):
    """The first n of some classifiers of k groups in the plane, with the points."""
    X, y = blobs(k)
    clfs = [PairwiseClassifier(LinearDiscriminantAnalysis(), coupling="ht"), LinearDiscriminantAnalysis()]
    clfs += [make_pipeline(StandardScaler(), QuadraticDiscriminantAnalysis()), GaussianNB()]
    return [clf.fit(X, y) for clf in clfs[:n]], X, y


class TestSeveralRegions:
    def test_each_panel_is_of_its_own_classifier(self):
        clfs, X, y = fitted(4)
        test = X + np.random.default_rng(0).normal(scale=3.0, size=X.shape), y
        figure = draw(plot.decision_regions(clfs, X, y, test=test, resolution=30))
        assert len(figure.axes) == 5
        votes = clfs[0].votes(test[0])
        best = votes == votes.max(axis=1, keepdims=True)
        errors = [np.mean([1 - row[true] / row.sum() for row, true in zip(best, test[1], strict=True)])]
        errors += [1 - clf.score(*test) for clf in clfs]
        titles = [axes.get_title().split("\n") for axes in figure.axes]
        assert [title[0] for title in titles] == [
            "max-wins",
            "coupled by ht",
            "LinearDiscriminantAnalysis",
            "QuadraticDiscriminantAnalysis",
            "GaussianNB",
        ]
        for (_, words), error in zip(titles, errors, strict=True):
            assert float(re.search(r"^test error \(36 rows\): (\d\.\d{3})$", words)[1]) == pytest.approx(
                error, abs=PRINTED
            )
        assert len(set(np.round(errors, 3))) > 2
        for axes, clf in zip(figure.axes[1:], clfs, strict=True):
            grid, color = pixels(axes)
            np.testing.assert_array_equal(hue(color, 3)[0], clf.predict(grid))

    @pytest.mark.parametrize(("n", "shape"), [(1, (1, 2)), (2, (2, 2)), (3, (2, 2)), (4, (3, 2))])
    def test_panels_in_rows(self, n, shape):
        clfs, X, y = fitted(n)
        figure = draw(plot.decision_regions(clfs, X, y, resolution=10))
        places = [
            axes.get_subplotspec().rowspan.start * shape[1] + axes.get_subplotspec().colspan.start
            for axes in figure.axes
        ]
        assert places == list(range(n + 1))
        assert figure.axes[0].get_subplotspec().get_gridspec().get_geometry() == shape
        for place, axes in enumerate(figure.axes):
            # Every column has an axis below its lowest panel, and every row one on its left.
            lowest = place + shape[1] > n
            assert axes.get_xlabel() == ("x1" if lowest else "")
            assert axes.get_ylabel() == ("x2" if place % shape[1] == 0 else "")
            assert any(label.get_visible() for label in axes.get_xticklabels()) == lowest
        assert_legible(figure)

    def test_names(self):
        clfs, X, y = fitted(2)
        figure = figure_of(plot.decision_regions(clfs, X, y, names=["pairs", "all at once"], resolution=10))
        titles = [axes.get_title().split("\n")[0] for axes in figure.axes]
        assert titles == ["pairs, max-wins", "pairs, coupled by ht", "all at once"]

    def test_frames_and_arrays(self):
        """Each classifier gets rows as it was fitted, with names or without."""
        X, y = blobs(2)
        frame = pd.DataFrame(X, columns=["length", "width"])
        clfs = [GaussianNB().fit(frame, y), GaussianNB().fit(X, y)]
        left, right = draw(plot.decision_regions(clfs, frame, y, test=(X, y), resolution=10)).axes
        np.testing.assert_array_equal(pixels(left)[1], pixels(right)[1])
        assert left.get_title() == right.get_title()
        assert left.get_xlabel() == right.get_xlabel() == "length"

    def test_what_is_refused(self):
        (clf,), X, y = fitted(1)
        two = GaussianNB().fit(*blobs(2))
        three_columns = GaussianNB().fit(np.column_stack([X, X[:, 0]]), y)
        for clfs, options, message in (
            ([], {}, "a fitted classifier or a list of them, got an empty list"),
            ([clf, GaussianNB()], {}, "needs a fitted classifier, got GaussianNB, not fitted"),
            ([clf, two], {}, r"same classes, got \(0, 1, 2\) and \(0, 1\); fit them to the same labels"),
            ([clf, three_columns], {}, "clf was fitted to 3 columns, and X has 2"),
            ([clf], {"names": ["a", "b"]}, "names must be one for each classifier, got 2 of them and 1 in clf"),
        ):
            with pytest.raises(InputError, match=message):
                plot.decision_regions(clfs, X, y, resolution=5, **options)


def five_numbers(paper=False):
    rows = {
        ("LDA", "all at once"): [0.2, 0.22, 0.25, 0.27, 0.3],
        ("J-NN", "pairs"): [0.1, 0.12, 0.16, 0.17, 0.2],
        ("LDA", "pairs"): [0.11, 0.13, 0.14, 0.18, 0.21],
    }
    frame = pd.DataFrame(rows.values(), columns=list(NUMBERS))
    frame[["learner", "rule"]] = list(rows)
    return frame.assign(paper=[np.nan, 0.15, np.nan]) if paper else frame


class TestBoxes:
    def test_numbers_and_places(self):
        frame = five_numbers()
        (axes,) = draw(plot.boxes(frame, "rule", "learner")).axes
        # A heading, the two of LDA, a heading, the one of J-NN.
        ticks = {
            round(place): label.get_text()
            for place, label in zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)
        }
        assert ticks == {0: "LDA", 1: "all at once", 2: "pairs", 3: "J-NN", 4: "pairs"}
        places = {0: 1, 1: 4, 2: 2}
        for number, row in frame[list(NUMBERS)].iterrows():
            box = axes.patches[number]
            place = places[number]
            assert (box.get_x(), box.get_x() + box.get_width()) == pytest.approx((row.iloc[1], row.iloc[3]), abs=PLACE)
            assert box.get_y() + box.get_height() / 2 == pytest.approx(place, abs=PLACE)
            lower, upper, ends, median = (line.get_segments() for line in axes.collections[4 * number : 4 * number + 4])
            np.testing.assert_allclose(lower[0], [(row.iloc[0], place), (row.iloc[1], place)], atol=PLACE)
            np.testing.assert_allclose(upper[0], [(row.iloc[3], place), (row.iloc[4], place)], atol=PLACE)
            assert [end[0, 0] for end in ends] == [row.iloc[0], row.iloc[4]]
            np.testing.assert_allclose(
                median[0], [(row.iloc[2], place - HALF), (row.iloc[2], place + HALF)], atol=PLACE
            )
            color = COLORS[0 if frame["learner"][number] == "LDA" else 1]
            assert to_rgb(box.get_edgecolor()) == to_rgb(color)
        assert axes.get_ylim() == pytest.approx((4.6, -0.6))  # all five lines, the first on top
        assert not axes.figure.legends

    def test_the_papers_number(self):
        figure = figure_of(plot.boxes(five_numbers(paper=True), "rule", "learner", value="share of errors"))
        (axes,) = figure.axes
        (line,) = axes.lines
        points = line.get_xydata()
        np.testing.assert_array_equal(points[~np.isnan(points[:, 0])], [(0.15, 4.0)])
        assert [text.get_text() for text in figure.legends[0].get_texts()] == ["paper"]
        assert axes.get_xlabel() == "share of errors"
        assert_legible(figure)

    def test_what_is_refused(self):
        with pytest.raises(InputError, match=r"boxes needs the columns .*, got none called \(?median"):
            plot.boxes(five_numbers().drop(columns="median"), "rule", "learner")
        with pytest.raises(InputError, match="got no rows"):
            plot.boxes(five_numbers()[:0], "rule", "learner")


class TestPosteriors:
    def test_bars(self):
        proba = pd.DataFrame({"one": [0.2, 0.3, 0.5], "other": [0.6, 0.3, 0.05]}, index=list("ABC"))
        figure = draw(plot.posteriors(proba))
        (axes,) = figure.axes
        assert len(axes.containers) == 3
        for place, (label, bars) in enumerate(zip("ABC", axes.containers, strict=True)):
            assert [bar.get_height() for bar in bars] == proba.loc[label].tolist()
            centres = [bar.get_x() + bar.get_width() / 2 for bar in bars]
            assert [round(centre) for centre in centres] == [0, 1]
            # The class that is predicted has all of its colour.
            full = [np.allclose(to_rgb(bar.get_facecolor()), area_colors(3)[place]) for bar in bars]
            assert full == [label == "C", label == "A"]
        words = [text.get_text() for text in axes.texts]
        assert words == ["0.200", "0.600\nA", "0.300", "0.300", "0.500\nC", "0.050"]
        assert [label.get_text() for label in axes.get_xticklabels()] == ["one", "other"]
        assert_legible(figure)

    def test_many(self):
        proba = pd.DataFrame(np.random.default_rng(0).dirichlet(np.ones(9), size=2).T, columns=["a", "b"])
        assert len(draw(plot.posteriors(proba)).axes[0].patches) == 18

    @pytest.mark.parametrize("proba", [pd.DataFrame(), [[0.5], [0.5]]])
    def test_what_is_refused(self, proba):
        with pytest.raises(InputError, match="posteriors needs a DataFrame with a row for each class"):
            plot.posteriors(proba)


class TestOneAgainstAll:
    def frame(self):
        quantities = {
            "cases that get another class": [0.02, 0.05],
            "cases with another ranking": [0.4, 0.1],
            "accuracy of naive Bayes": [0.9, 0.8],
            "accuracy that one against all adds": [-0.01, 0.02],
        }
        rows = [
            {"data": data, "quantity": quantity, "estimate": values[place], "std_error": 0.003 + place / 1000}
            for quantity, values in quantities.items()
            for place, data in enumerate(["wine", "iris"])
        ]
        return pd.DataFrame([*rows, {"data": None, "quantity": "a statement", "estimate": 1.0}])

    def test_numbers(self):
        figure = draw(plot.one_against_all(self.frame()))
        left, right = figure.axes
        behind, front = left.containers
        assert [bar.get_width() for bar in behind] == [0.4, 0.1]
        assert [bar.get_width() for bar in front] == [0.02, 0.05]
        assert behind[0].get_height() > front[0].get_height()
        assert [label.get_text() for label in left.get_yticklabels()] == ["wine", "iris"]
        assert [text.get_text() for text in figure.legends[0].get_texts()] == [
            "that get another class",
            "with another ranking",
        ]
        dots, _, (bars,) = right.containers[0]
        np.testing.assert_array_equal(dots.get_xydata(), [(-0.01, 0), (0.02, 1)])
        np.testing.assert_allclose(
            [bar[:, 0] for bar in bars.get_segments()], [(-0.016, -0.004), (0.012, 0.028)], atol=PLACE
        )
        assert_legible(figure)

    def test_what_is_refused(self):
        with pytest.raises(InputError, match=r"one_against_all needs the columns .*, got none called \(?data"):
            plot.one_against_all(self.frame().drop(columns="data"))
