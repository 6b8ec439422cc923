"""Choices and calibration: the numbers and colours in the figures against direct computation."""

import re

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pwcstats import InputError, PairwiseClassifier, plot
from tests.drawing import PRINTED, blobs, draw, hue

pytestmark = pytest.mark.one_environment


@pytest.fixture(scope="module")
def candidates():
    X, y = load_wine(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    return PairwiseClassifier({"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}).fit(X, names)


class Picky(ClassifierMixin, BaseEstimator):
    """Naive Bayes that fails where one of some classes of `blobs(4)` is in the pair: learners do not see the labels."""

    def __init__(self, refused=()):
        self.refused = refused

    def fit(self, X, y):
        rows, code = blobs(4)
        if any((X[:, None] == rows[code == k]).all(axis=2).any() for k in self.refused):
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
        with pytest.raises(InputError, match="chosen for each pair, but clf had one learner, 'gaussiannb'; fit a"):
            plot.pair_choice(PairwiseClassifier(GaussianNB()).fit(X, y))
        with pytest.raises(InputError, match="pairs of a PairwiseClassifier, got GaussianNB; pass one fitted"):
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
            (SVC(), {}, "calibration needs probabilities, but SVC has no predict_proba; use it in a"),
            (GaussianNB(), {"y": [9] * 36}, r"y has \(9\), which clf does not know"),
            (GaussianNB(), {"y": [0]}, "y must be one label for each of the 36 rows"),
            (GaussianNB(), {"n_bins": 1}, "n_bins must be a whole number of at least 2, got 1"),
            (GaussianNB(), {"n_bins": True}, "n_bins must be a whole number of at least 2, got True"),
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
    figures = {name for name in plot.__all__ if name.islower()}
    assert len(figures) == 19
    assert all(callable(getattr(plot, name)) for name in figures)
