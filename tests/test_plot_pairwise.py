"""Figures of classifiers: the numbers and colours in them against direct computation."""

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pwcstats import InputError, PairwiseClassifier, datasets, plot
from pwcstats.plot.style import AREAS, NOBODY, area_colors

# Colours are float64 through and through, but contours and images may round them.
COLOR = 1e-6
# Errors and scores are printed with three decimals.
PRINTED = 0.0005 + 1e-9


def draw(figure):
    """Lay out and draw everything: what cannot be drawn fails here, and so does what only warns."""
    figure.canvas.draw()
    return figure


@pytest.fixture(scope="module")
def mixtures():
    data = datasets.hastie_tibshirani_mixtures(figure=2, random_state=0)
    train, test = (
        (data.data[data.train], data.target[data.train]),
        (data.data[~data.train], data.target[~data.train]),
    )
    return PairwiseClassifier(LinearDiscriminantAnalysis(), coupling="ht").fit(*train), train, test


@pytest.fixture(scope="module")
def candidates():
    X, y = load_wine(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    return PairwiseClassifier({"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}).fit(X, names)


def blobs(k, labels=None, seed=0, n=12):
    rng = np.random.default_rng(seed)
    code = np.repeat(np.arange(k), n)
    X = 3 * rng.normal(size=(k, 2))[code] + rng.normal(size=(k * n, 2))
    return X, code if labels is None else np.asarray(labels)[code]


def pixels(panel):
    """Points in the middle of the pixels, and the pixels' colours."""
    image = panel.images[0]
    color = np.asarray(image.get_array())
    rows, columns = color.shape[:2]
    left, right, bottom, top = image.get_extent()
    x = left + (right - left) * (np.arange(columns) + 0.5) / columns
    y = bottom + (top - bottom) * (np.arange(rows) + 0.5) / rows
    assert image.origin == "lower"
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2), color.reshape(-1, 3)


def hue(color, k):
    """The class whose colour, mixed with white, a colour is."""
    white = 1.0 - np.asarray(color)
    base = 1.0 - area_colors(k)
    strength = white @ base.T / (base**2).sum(axis=1)
    return np.abs(white[:, None] - strength[..., None] * base).sum(axis=-1).argmin(axis=1), strength


def error_in(panel):
    return float(re.search(r"error (\d\.\d{3}) on", panel.get_title())[1])


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
        left, right = plot.decision_regions(clf, *train, resolution=60).axes
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
        grid, color = pixels(plot.decision_regions(clf, *train, resolution=40).axes[1])
        p = clf.predict_proba(grid)
        strength = np.take_along_axis(hue(color, 3)[1], p.argmax(axis=1)[:, None], axis=1)[:, 0]
        assert np.corrcoef(strength, p.max(axis=1))[0, 1] > 1 - COLOR
        assert strength.max() < 0.7  # points of the class are still seen

    def test_errors_above_the_panels(self, mixtures):
        clf, train, (X, y) = mixtures
        for options, rows, truth, words in (
            ({}, *train, "the 600 rows shown"),
            ({"test": (X, y)}, X, y, "15000 test rows"),
        ):
            left, right = plot.decision_regions(clf, *train, resolution=5, **options).axes
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
            assert left.get_title().endswith(words)
            assert right.get_title().endswith(words)

    def test_points_and_legend(self, mixtures):
        clf, (X, y), _ = mixtures
        figure = plot.decision_regions(clf, X, y, resolution=60)
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
        assert plot.decision_regions(clf, frame, y, resolution=20).axes[0].get_xlabel() == "petal length (cm)"
        assert plot.decision_regions(clf, frame.to_numpy(), y, resolution=20).axes[0].get_xlabel() == "x1"

    def test_a_search(self):
        X, y = blobs(3)
        search = GridSearchCV(PairwiseClassifier(SVC()), {"estimator__C": [0.1, 1.0]}, cv=2).fit(X, y)
        left, right = plot.decision_regions(search, X, y, resolution=20).axes
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
        (panel,) = plot.decision_regions(clf, X, y, resolution=40).axes
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
            ({"X": np.full((24, 2), np.nan)}, r"X must have rows of finite numbers to be drawn, got NaN or infinite"),
            ({"X": np.empty((0, 2)), "y": []}, r"finite numbers to be drawn, got no rows"),
            ({"y": ["a"] * 23 + ["z"]}, r"y has \('z'\), which clf does not know: its classes are \('a', 'b'\); pass"),
            ({"y": [0] * 24}, r"y has \(0\), which clf does not know"),
            ({"y": ["a"] * 23}, r"y must be one label for each of the 24 rows of X, got 23"),
            ({"y": "a"}, r"got a single value"),
            ({"resolution": 1}, r"resolution must be a whole number from 2 on, got 1"),
            ({"resolution": 20.0}, r"resolution must be a whole number from 2 on, got 20.0"),
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


class Picky(ClassifierMixin, BaseEstimator):
    """Naive Bayes that fails where one of some classes is in the pair."""

    def __init__(self, refused=()):
        self.refused = refused

    def fit(self, X, y):
        if set(self.refused) & set(y):
            raise ValueError("not this one")
        self.inner_ = GaussianNB().fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict_proba(self, X):
        return self.inner_.predict_proba(X)

    def predict(self, X):
        return self.inner_.predict(X)


def cells(figure):
    """Colours above the diagonal, leads below it, and the texts by (row, column)."""
    axes = figure.axes[0]
    upper, lower = (np.ma.filled(image.get_array().astype(float), np.nan) for image in axes.images)
    texts = {(text.get_position()[1], text.get_position()[0]): float(text.get_text()) for text in axes.texts}
    return upper, lower, texts


class TestPairChoice:
    def test_cells_are_those_of_pairs(self, candidates):
        figure = draw(plot.pair_choice(candidates))
        upper, lower, texts = cells(figure)
        pairs = candidates.pairs_
        assert set(pairs["learner"]) == {"lda", "nb"}
        for row in pairs.itertuples():
            i, j = "abc".index(row.class_i), "abc".index(row.class_j)
            scores = {"lda": row.cv_score_lda, "nb": row.cv_score_nb}
            assert hue(upper[i, j][None], 2)[0] == ["lda", "nb"].index(row.learner)
            assert lower[j, i] == pytest.approx(max(scores.values()) - min(scores.values()))
            assert texts[i, j] == pytest.approx(scores[row.learner], abs=PRINTED)
            assert texts[j, i] == pytest.approx(lower[j, i], abs=PRINTED)
        assert len(texts) == 6
        assert np.isnan(lower[np.triu_indices(3)]).all()
        words = [text.get_text() for text in figure.legends[0].get_texts()]
        assert words == ["lda (1 pair)", "nb (2 pairs)"]
        patches = figure.legends[0].get_patches()
        kept = pairs.set_index(["class_i", "class_j"])["learner"]
        np.testing.assert_allclose(patches[kept["a", "b"] == "nb"].get_facecolor()[:3], upper[0, 1], atol=1 / 255)
        axes = figure.axes[0]
        assert [label.get_text() for label in axes.get_xticklabels()] == ["a", "b", "c"]
        assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b", "c"]
        assert figure.axes[1].get_ylabel() == "lead in accuracy (below the diagonal)"

    def test_lead_is_over_the_best_of_the_others(self):
        X, y = blobs(4, n=30)
        clf = PairwiseClassifier(
            {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB(), "logit": LogisticRegression(C=0.01)},
            scoring="neg_log_loss",
        ).fit(X, y)
        figure = draw(plot.pair_choice(make_pipeline(StandardScaler(), clf).fit(X, y)))
        pairs = clf.fit(StandardScaler().fit_transform(X), y).pairs_
        scores = np.sort(pairs[["cv_score_lda", "cv_score_nb", "cv_score_logit"]].to_numpy(), axis=1)
        upper, lower, texts = cells(figure)
        low, high = np.triu_indices(4, 1)
        np.testing.assert_allclose(lower[high, low], scores[:, 2] - scores[:, 1])
        np.testing.assert_array_equal(
            hue(upper[low, high], 3)[0], pairs["learner"].map({"lda": 0, "nb": 1, "logit": 2}).to_numpy()
        )
        assert texts[0, 1] == pytest.approx(scores[0, 2], abs=PRINTED)
        assert "neg_log_loss" in figure.axes[1].get_ylabel()

    def test_failures_are_hatched_and_have_no_lead(self):
        X, y = blobs(4)
        # Class 3 has no learner but the last, and class 0 none at all.
        with pytest.warns(FitFailedWarning):
            clf = PairwiseClassifier({"first": Picky((0, 3)), "second": Picky((0,))}, error_score=np.nan).fit(X, y)
        figure = draw(plot.pair_choice(clf))
        legend = figure.legends[0].get_window_extent()
        assert legend.x0 >= 0
        assert legend.x1 <= figure.bbox.x1
        upper, lower, texts = cells(figure)
        axes = figure.axes[0]
        failed = {(round(p.get_y() + 0.5), round(p.get_x() + 0.5)) for p in axes.patches if p.get_hatch()}
        assert failed == {(0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 0)}
        assert not failed & set(texts)
        assert hue(upper[[1, 1, 2], [2, 3, 3]], 2)[0].tolist() == [0, 1, 1]
        assert lower[2, 1] == 0.0
        assert np.isnan(lower[3, 1])
        words = [text.get_text() for text in figure.legends[0].get_texts()]
        assert words == ["first (1 pair)", "second (2 pairs)", "all failed (3 pairs)"]

    def test_many_classes_have_no_numbers(self):
        X, y = blobs(26, [f"class {letter}" for letter in "abcdefghijklmnopqrstuvwxyz"])
        clf = PairwiseClassifier([LinearDiscriminantAnalysis(), GaussianNB()]).fit(X, y)
        upper, lower, texts = cells(draw(plot.pair_choice(clf)))
        assert not texts
        low, high = np.triu_indices(26, 1)
        names = ["lineardiscriminantanalysis", "gaussiannb"]
        kept = clf.pairs_["learner"].to_numpy()
        assert set(kept) == set(names)
        np.testing.assert_array_equal(np.array(names)[hue(upper[low, high], 2)[0]], kept)
        scores = clf.pairs_[[f"cv_score_{name}" for name in names]].to_numpy()
        np.testing.assert_allclose(lower[high, low], np.ptp(scores, axis=1))

    def test_one_pair(self):
        X, y = blobs(2)
        clf = PairwiseClassifier([("a", GaussianNB()), ("b", GaussianNB())]).fit(X, y)
        _, lower, _ = cells(draw(plot.pair_choice(clf)))
        assert lower[1, 0] == 0.0

    def test_what_is_refused(self):
        X, y = blobs(3)
        with pytest.raises(InputError, match="each pair chose, but clf had one learner, 'gaussiannb'; fit a"):
            plot.pair_choice(PairwiseClassifier(GaussianNB()).fit(X, y))
        with pytest.raises(InputError, match="pairs of a PairwiseClassifier, got GaussianNB; give one fitted"):
            plot.pair_choice(GaussianNB().fit(X, y))
        with pytest.raises(
            InputError, match="pair_choice needs a fitted classifier, got PairwiseClassifier, not fitted"
        ):
            plot.pair_choice(PairwiseClassifier([GaussianNB(), SVC()]))


def lines(panel):
    """Lines by the first line of their label."""
    return {line.get_label().split("\n")[0]: line.get_xydata() for line in panel.lines}


def scores_in(text):
    return [float(number) for number in re.findall(r"\d\.\d{3}", text)]


def pooled_pairs(r, y):
    """Rows of all pairs, by loops."""
    truth, p = [], []
    for i in range(r.shape[1]):
        for j in range(i + 1, r.shape[1]):
            for row in np.flatnonzero((y == i) | (y == j)):
                truth.append(y[row] == i)
                p.append(r[row, i, j])
    return np.array(truth, dtype=int), np.array(p)


class TestCalibration:
    @pytest.mark.parametrize("options", [{"strategy": "quantile"}, {"strategy": "uniform", "n_bins": 5}])
    def test_lines_are_those_of_scikit_learn(self, options):
        X, y = blobs(4, n=60)
        names = np.array(["d", "c", "b", "a"])
        clf = PairwiseClassifier(LinearDiscriminantAnalysis(), coupling="ht").fit(X[::2], names[y[::2]])
        X, y = X[1::2], 3 - y[1::2]
        figure = draw(plot.calibration(clf, X, clf.classes_[y], **options))
        left, right = figure.axes[:2]
        p, r = clf.predict_proba(X), clf.pairwise_proba(X)
        found = lines(left)
        for place, name in enumerate("abcd"):
            share, mean = calibration_curve(y == place, p[:, place], **{"n_bins": 10, **options})
            np.testing.assert_allclose(found[name], np.column_stack([mean, share]), rtol=1e-12)
        brier = np.mean(np.sum((p - np.eye(4)[y]) ** 2, axis=1))
        assert scores_in(left.get_title()) == pytest.approx([brier, log_loss(y, p)], abs=PRINTED)
        coupled = p[:, :, None] / (p[:, :, None] + p[:, None, :])
        for name, pairs in (("$r_{ij}$, before coupling", r), ("$p_i / (p_i + p_j)$, coupled", coupled)):
            truth, within = pooled_pairs(pairs, y)
            share, mean = calibration_curve(truth, within, **{"n_bins": 10, **options})
            np.testing.assert_allclose(lines(right)[name], np.column_stack([mean, share]), rtol=1e-8)
            label = next(line.get_label() for line in right.lines if line.get_label().startswith(name))
            expected = [np.mean((truth - within) ** 2), log_loss(truth, within)]
            assert scores_in(label) == pytest.approx(expected, abs=PRINTED)

    def test_counts_below(self):
        X, y = blobs(3, n=40)
        clf = PairwiseClassifier(GaussianNB()).fit(X, y)
        _, _, left, right = draw(plot.calibration(clf, X, y)).axes
        for panel, values in ((left, clf.predict_proba(X).ravel()), (right, pooled_pairs(clf.pairwise_proba(X), y)[1])):
            heights = [bar.get_height() for bar in panel.patches]
            np.testing.assert_array_equal(heights, np.histogram(values, bins=20, range=(0, 1))[0])
            assert sum(heights) == len(values)

    def test_many_classes_share_a_line(self):
        X, y = blobs(9, n=30)
        clf = PairwiseClassifier(LinearDiscriminantAnalysis()).fit(X, y)
        left = draw(plot.calibration(clf, X, y, strategy="uniform")).axes[0]
        p = clf.predict_proba(X)
        share, mean = calibration_curve((y[:, None] == np.arange(9)).ravel(), p.ravel(), n_bins=10)
        np.testing.assert_allclose(lines(left)["all classes together"], np.column_stack([mean, share]), rtol=1e-12)
        assert len(left.lines) == 9 + 1 + 1  # and the diagonal
        assert [text.get_text() for text in left.get_legend().get_texts()] == ["each class", "all classes together"]

    def test_two_classes_have_scikit_learns_brier_score(self):
        X, y = blobs(2, ["no", "yes"], n=50)
        clf = PairwiseClassifier(LinearDiscriminantAnalysis()).fit(X, y)
        left, right = draw(plot.calibration(clf, X, y)).axes[:2]
        p = clf.predict_proba(X)[:, 1]
        assert scores_in(left.get_title())[0] == pytest.approx(np.mean((p - (y == "yes")) ** 2), abs=PRINTED)
        # The only pair is the classes' own.
        found = lines(right)
        np.testing.assert_allclose(found["$r_{ij}$, before coupling"], lines(left)["no"], rtol=1e-8)
        np.testing.assert_allclose(found["$p_i / (p_i + p_j)$, coupled"], lines(left)["no"], rtol=1e-8)

    def test_votes_and_classes_without_rows(self):
        X, y = blobs(4)
        clf = PairwiseClassifier(LinearDiscriminantAnalysis(), coupling="vote").fit(X, y)
        rows = y < 2
        found = lines(draw(plot.calibration(clf, X[rows], y[rows])).axes[0])
        assert (found["3"][:, 1] == 0.0).all()
        assert all(np.isfinite(line).all() for line in found.values())

    def test_probabilities_of_zero(self):
        """Where neither class of a pair has any probability, either is as good as the other."""
        X, y = blobs(4)
        clf = KNeighborsClassifier(1).fit(X, y)
        wrong = (y + 1) % 4
        right = draw(plot.calibration(clf, X, wrong)).axes[1]
        p = clf.predict_proba(X)
        both = p[:, :, None] + p[:, None, :]
        ratio = np.where(both > 0, p[:, :, None] / np.where(both > 0, both, 1), 0.5)
        truth, within = pooled_pairs(ratio, wrong)
        assert set(within) == {0.0, 0.5, 1.0}
        share, mean = calibration_curve(truth, within, n_bins=10, strategy="uniform")
        np.testing.assert_allclose(lines(right)["$p_i / (p_i + p_j)$"], np.column_stack([mean, share]))
        label = right.lines[0].get_label()
        assert scores_in(label)[0] == pytest.approx(np.mean((truth - within) ** 2), abs=PRINTED)

    def test_frames_pipelines_and_others(self):
        frame, y = load_iris(as_frame=True, return_X_y=True)
        clf = make_pipeline(StandardScaler(), PairwiseClassifier(SVC())).fit(frame, y)
        right = draw(plot.calibration(clf, frame, y)).axes[1]
        r = clf[-1].pairwise_proba(clf[0].transform(frame))
        share, mean = calibration_curve(*pooled_pairs(r, y.to_numpy()), n_bins=10, strategy="uniform")
        np.testing.assert_allclose(lines(right)["$r_{ij}$, before coupling"], np.column_stack([mean, share]), rtol=1e-8)
        other = LogisticRegression(max_iter=1000).fit(frame, y)
        right = draw(plot.calibration(other, frame, y)).axes[1]
        assert next(iter(lines(right))) == "$p_i / (p_i + p_j)$"
        assert len(right.lines) == 1 + 1

    @pytest.mark.parametrize(
        ("learner", "change", "message"),
        [
            (SVC(), {}, "calibration needs probabilities, but SVC has no predict_proba; put it into a"),
            (GaussianNB(), {"y": [9] * 36}, r"y has \(9\), which clf does not know"),
            (GaussianNB(), {"y": [0]}, "y must be one label for each of the 36 rows"),
            (GaussianNB(), {"n_bins": 1}, "n_bins must be a whole number from 2 on, got 1"),
            (GaussianNB(), {"n_bins": True}, "n_bins must be a whole number from 2 on, got True"),
            (GaussianNB(), {"strategy": "kmeans"}, "strategy must be one of 'uniform', 'quantile', got 'kmeans'"),
        ],
    )
    def test_what_is_refused(self, learner, change, message):
        X, y = blobs(3)
        options = {"y": y, **change}
        with pytest.raises(InputError, match=message):
            plot.calibration(learner.fit(X, y), X, options.pop("y"), **options)

    def test_not_fitted(self):
        with pytest.raises(
            InputError, match="calibration needs a fitted classifier, got PairwiseClassifier, not fitted"
        ):
            plot.calibration(PairwiseClassifier(SVC()), [[0.0]], [0])


def test_public_names():
    """Modules of the package must not hide its functions."""
    figures = {"abilities", "accuracy_by_classes", "calibration", "coupling", "decision_regions", "pair_choice"}
    assert figures <= set(plot.__all__)
    assert all(callable(getattr(plot, name)) for name in figures)
