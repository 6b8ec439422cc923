"""Choices and calibration: the numbers and colours in the figures against direct computation."""

import re
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy import stats
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
from statsmodels.stats.proportion import proportion_confint

from pwcstats import InputError, PairwiseClassifier, plot
from pwcstats.plot.reliability import Line, line_points
from tests.plotting import PRINTED, blobs, draw, hue

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


def misses(line):
    """For each of 10 bins, whether the bar misses the diagonal."""
    mean, _, low, high, _ = line_points(line, 10, "quantile", 0.05).T
    return (low > mean) | (mean > high)


class TestCalibration:
    @pytest.mark.parametrize("options", [{"strategy": "quantile"}, {"strategy": "uniform", "n_bins": 5}])
    def test_lines_are_those_of_scikit_learn(self, options):
        X, y = blobs(4, n=60)
        names = np.array(["d", "c", "b", "a"])
        clf = PairwiseClassifier(LinearDiscriminantAnalysis(), coupling="ht").fit(X[::2], names[y[::2]])
        X, y = X[1::2], 3 - y[1::2]
        left = plot.calibration(clf, X, clf.classes_[y], **options)
        draw(left)
        p, r = clf.predict_proba(X), clf.pairwise_proba(X)
        found = lines(left)
        for place, name in enumerate("abcd"):
            share, mean = calibration_curve(y == place, p[:, place], **{"n_bins": 10, **options})
            np.testing.assert_allclose(found[name], np.column_stack([mean, share]), rtol=1e-12)
        brier = np.mean(np.sum((p - np.eye(4)[y]) ** 2, axis=1))
        assert scores_in(left.get_title()) == pytest.approx([log_loss(y, p), brier], abs=PRINTED)
        assert left.get_title().endswith("on these 120 rows")
        right = plot.calibration(clf, X, clf.classes_[y], kind="pairs", **options)
        coupled = p[:, :, None] / (p[:, :, None] + p[:, None, :])
        for name, pairs in (("$r_{ij}$, before coupling", r), ("$p_i / (p_i + p_j)$, coupled", coupled)):
            truth, within = pooled_pairs(pairs, y)
            share, mean = calibration_curve(truth, within, **{"n_bins": 10, **options})
            np.testing.assert_allclose(lines(right)[name], np.column_stack([mean, share]), rtol=1e-8)
            label = next(line.get_label() for line in right.lines if line.get_label().startswith(name))
            expected = [log_loss(truth, within), np.mean((truth - within) ** 2)]
            assert scores_in(label) == pytest.approx(expected, abs=PRINTED)

    def test_bars_are_wilson_intervals(self):
        X, y = blobs(2, n=150, seed=1)
        clf = GaussianNB().fit(X, y)
        p = clf.predict_proba(X)[:, 1]
        for alpha in (0.05, 0.2):
            axes = plot.calibration(clf, X, y, n_bins=6, alpha=alpha)
            (bars,) = axes.collections
            edges = np.quantile(p, np.linspace(0, 1, 7))
            bins = np.searchsorted(edges[1:-1], p)
            for place, bar in enumerate(bars.get_segments()):
                inside = bins == place
                exact = stats.binomtest(int(y[inside].sum()), int(inside.sum()))
                expected = exact.proportion_ci(1 - alpha, method="wilson")
                assert bar[:, 1] == pytest.approx([expected.low, expected.high], abs=1e-12)
                assert bar[0, 0] == pytest.approx(p[inside].mean())
            assert f"({100 * (1 - alpha):g} % intervals)" in axes.get_ylabel()

    @pytest.mark.parametrize("width", [3.0, 1.8])
    def test_legends_in_narrow_panels_leave_the_histogram_free(self, width):
        X, y = blobs(10, n=20)
        clfs = {"naive Bayes": GaussianNB(), "linear discriminant analysis": LinearDiscriminantAnalysis()}
        figure = Figure(figsize=(3 * width, 3.2), layout="constrained")
        panels = figure.subplots(1, 3)
        plot.calibration({name: clf.fit(X, y) for name, clf in clfs.items()}, X, y, ax=panels[0])
        plot.calibration(clfs["naive Bayes"], X, y, ax=panels[1])
        plot.calibration(GaussianNB().fit(X, y > 4), X, y > 4, ax=panels[2])
        draw(figure)
        for panel in panels:
            legend, inside = panel.get_legend().get_window_extent(), panel.get_window_extent()
            # The diagonal begins where the histogram ends.
            start = next(line for line in panel.lines if line.get_linestyle() == "--").get_ydata()[0]
            assert legend.y0 >= panel.transData.transform((start, start))[1]
            assert legend.x0 >= inside.x0
            assert legend.x1 <= inside.x1 + 1

    def test_bars_of_pairs_use_the_effective_number_of_rows(self):
        X, y = blobs(4, n=30)
        clf = LinearDiscriminantAnalysis().fit(X, y)
        axes = plot.calibration(clf, X, y, kind="pairs", n_bins=2, strategy="uniform")
        p = clf.predict_proba(X)
        r = p[:, :, None] / (p[:, :, None] + p[:, None, :])
        rows, events = [[], []], [[], []]
        for i, j in combinations(range(4), 2):
            for row in np.flatnonzero((y == i) | (y == j)):
                side = int(r[row, i, j] > 0.5)
                rows[side].append(row)
                events[side].append(y[row] == i)
        (bars,) = axes.collections
        for side, bar in enumerate(bars.get_segments()):
            times, share = np.array(list(Counter(rows[side]).values())), np.mean(events[side])
            n = times.sum() ** 2 / (times**2).sum()
            assert n < len(times) < len(rows[side])
            assert bar[:, 1] == pytest.approx(proportion_confint(share * n, n, method="wilson"), abs=1e-12)

    @pytest.mark.slow
    def test_bars_cover_calibrated_forecasts(self):
        rng = np.random.default_rng(0)
        missed = []
        for _ in range(2000):
            p = rng.beta(2, 2, 300)
            missed.append(misses(Line("", rng.uniform(size=300) < p, p, None)))
        assert 0.02 < np.mean(missed) < 0.07
        assert np.mean(missed, axis=0).max() < 0.1

    @pytest.mark.slow
    @pytest.mark.parametrize("k", [3, 10, 26])
    def test_bars_of_calibrated_pairs_are_conservative(self, k):
        """The number of distinct rows would be too large: they are in a bin unequally often."""
        rng = np.random.default_rng(k)
        missed = []
        for _ in range(500):
            p = rng.dirichlet(np.ones(k), 300)
            y = (p.cumsum(axis=1) < rng.uniform(size=(300, 1))).sum(axis=1)
            row, other = np.nonzero(y[:, None] != np.arange(k))
            own = y[row]
            ratio = p[row, np.minimum(own, other)] / (p[row, own] + p[row, other])
            missed.append(misses(Line("", own < other, ratio, row)))
        assert np.mean(missed) < 0.055
        assert np.mean(missed, axis=0).max() < 0.1

    def test_ties_make_no_tiny_bins(self):
        rng = np.random.default_rng(0)
        p = np.concatenate([np.zeros(490), rng.uniform(0, 1, 510)])
        y = rng.uniform(size=1000) < p
        found = lines(plot.calibration(p, y=y))["True"]
        # 10 bins of 100, of which the first five are one; the 10 smallest other values are not a bin of their own.
        assert len(found) == 6
        assert (found[0] == 0).all()
        bars = plot.calibration(p, y=y).collections[0].get_segments()
        assert max(bar[1, 1] - bar[0, 1] for bar in bars) < 0.25

    def test_few_rows(self):
        """Fewer rows than bins, and a single value."""
        assert len(lines(plot.calibration([0.2, 0.7, 0.9], y=[0, 1, 1]))["1"]) == 3
        assert lines(plot.calibration([0.5] * 8, y=[0, 1] * 4))["1"].tolist() == [[0.5, 0.5]]

    def test_several_classifiers_have_a_line_each(self):
        X, y = blobs(3, n=50)
        clfs = {"nb": GaussianNB().fit(X, y), "lda": LinearDiscriminantAnalysis().fit(X, y)}
        given = {**clfs, "table": pd.DataFrame(clfs["nb"].predict_proba(X)), "array": clfs["lda"].predict_proba(X)}
        axes = plot.calibration(given, X, y, n_bins=4)
        texts = [text.get_text() for text in axes.get_legend().get_texts()]
        loss = [log_loss(y, clf.predict_proba(X)) for clf in clfs.values()]
        assert texts == [f"{name}: log loss {x:.3f}" for name, x in zip(given, loss * 2, strict=True)]
        assert "predicted class" in axes.get_xlabel()
        found = list(lines(axes).values())
        for line, other in ((0, 2), (1, 3)):
            np.testing.assert_array_equal(found[line], found[other])
        p = clfs["nb"].predict_proba(X)
        share, mean = calibration_curve(p.argmax(axis=1) == y, p.max(axis=1), n_bins=4, strategy="quantile")
        np.testing.assert_allclose(found[0], np.column_stack([mean, share]), rtol=1e-12)

    def test_two_classes_show_the_second(self):
        X, y = blobs(2, ["no", "yes"], n=50)
        clf = LinearDiscriminantAnalysis().fit(X, y)
        p = clf.predict_proba(X)[:, 1]
        axes = plot.calibration({"a": clf, "b": p}, X, y)
        assert "of yes" in axes.get_xlabel()
        first, second = list(lines(axes).values())[:2]
        np.testing.assert_array_equal(first, second)
        share, mean = calibration_curve(y == "yes", p, n_bins=10, strategy="quantile")
        np.testing.assert_allclose(first, np.column_stack([mean, share]), rtol=1e-12)

    def test_histograms_below(self):
        X, y = blobs(3, n=40)
        clf = PairwiseClassifier(GaussianNB()).fit(X, y)
        pairs = pooled_pairs(clf.pairwise_proba(X), y)[1]
        for kind, values in (("classes", clf.predict_proba(X).ravel()), ("pairs", pairs)):
            (steps,) = plot.calibration(clf, X, y, kind=kind).patches
            heights, _, floor = steps.get_data()
            counts = np.histogram(values, bins=len(heights), range=(0, 1))[0]
            np.testing.assert_allclose(heights - floor, (heights.max() - floor) * counts / counts.max(), atol=1e-12)
            assert heights.max() < 0 > floor

    def test_histograms_show_all_confidences(self):
        """One is far below the mean of the first bin and its bar."""
        p = np.concatenate([[0.36], np.full(99, 0.97)])
        proba = np.column_stack([p, (1 - p) / 2, (1 - p) / 2])
        y = np.zeros(100, dtype=int)
        y[:2] = 1, 2
        (steps,) = plot.calibration(proba, y=y, kind="confidence", n_bins=2).patches
        heights, edges, floor = steps.get_data()
        assert edges[0] <= p[0]
        assert (heights > floor).sum() == 2

    def test_many_classes_share_a_line(self):
        X, y = blobs(9, n=30)
        clf = PairwiseClassifier(LinearDiscriminantAnalysis()).fit(X, y)
        axes = plot.calibration(clf, X, y, strategy="uniform")
        draw(axes)
        p = clf.predict_proba(X)
        share, mean = calibration_curve(y == p.argmax(axis=1), p.max(axis=1), n_bins=10)
        np.testing.assert_allclose(lines(axes)["predicted class"], np.column_stack([mean, share]), rtol=1e-12)
        with pytest.raises(InputError, match="a line for each class, got 9 classes .at most 8.; use kind='confidence'"):
            plot.calibration(clf, X, y, kind="classes")

    def test_two_classes_have_scikit_learns_brier_score(self):
        X, y = blobs(2, ["no", "yes"], n=50)
        clf = PairwiseClassifier(LinearDiscriminantAnalysis()).fit(X, y)
        left, right = (plot.calibration(clf, X, y, kind=kind, strategy="uniform") for kind in ("classes", "pairs"))
        p = clf.predict_proba(X)[:, 1]
        assert scores_in(left.get_title())[1] == pytest.approx(np.mean((p - (y == "yes")) ** 2), abs=PRINTED)
        # The only pair is the classes' own, seen from the other class.
        found = lines(right)
        mirrored = 1.0 - lines(left)["yes"][::-1]
        np.testing.assert_allclose(found["$r_{ij}$, before coupling"], mirrored, rtol=1e-8)
        np.testing.assert_allclose(found["$p_i / (p_i + p_j)$, coupled"], mirrored, rtol=1e-8)

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
        right = plot.calibration(clf, X, wrong, kind="pairs", strategy="uniform")
        p = clf.predict_proba(X)
        both = p[:, :, None] + p[:, None, :]
        ratio = np.where(both > 0, p[:, :, None] / np.where(both > 0, both, 1), 0.5)
        truth, within = pooled_pairs(ratio, wrong)
        assert set(within) == {0.0, 0.5, 1.0}
        share, mean = calibration_curve(truth, within, n_bins=10, strategy="uniform")
        np.testing.assert_allclose(lines(right)["$p_i / (p_i + p_j)$"], np.column_stack([mean, share]))
        label = right.lines[0].get_label()
        assert scores_in(label)[1] == pytest.approx(np.mean((truth - within) ** 2), abs=PRINTED)

    def test_frames_pipelines_and_others(self):
        frame, y = load_iris(as_frame=True, return_X_y=True)
        clf = make_pipeline(StandardScaler(), PairwiseClassifier(SVC())).fit(frame, y)
        right = plot.calibration(clf, frame, y, kind="pairs", strategy="uniform")
        r = clf[-1].pairwise_proba(clf[0].transform(frame))
        share, mean = calibration_curve(*pooled_pairs(r, y.to_numpy()), n_bins=10, strategy="uniform")
        np.testing.assert_allclose(lines(right)["$r_{ij}$, before coupling"], np.column_stack([mean, share]), rtol=1e-8)
        other = LogisticRegression(max_iter=1000).fit(frame, y)
        right = plot.calibration(other, frame, y, kind="pairs")
        assert next(iter(lines(right))) == "$p_i / (p_i + p_j)$"

    @pytest.mark.parametrize(
        ("given", "options", "message"),
        [
            ({}, {"y": [0]}, "needs a classifier or probabilities, got an empty dict"),
            ([0.5, 1.5], {"y": [0, 1]}, "probabilities must be numbers between 0 and 1"),
            ([0.5, 0.5], {"y": None}, "needs the classes of the rows; pass y"),
            ([0.5, 0.5], {"y": [0, 1, 1]}, "y must be one label for each of the 2 rows, got 3"),
            (
                [0.5, 0.5, 0.1],
                {"y": [0, 1, 2]},
                "must have a column for each of the 3 classes in y, got 3; pass a",
            ),
            (
                pd.DataFrame({"a": [0.5], "b": [0.5]}),
                {"y": ["c"]},
                "y has .'c'., which clf does not know: its classes are .'a', 'b'.",
            ),
            ({"a": np.eye(3), "b": np.eye(3)}, {"y": [0, 1, 2], "kind": "classes"}, "need kind='confidence'"),
            ({"a": np.eye(2), "b": np.eye(2)}, {"y": [0, 1], "kind": "pairs"}, "draws one classifier, got 2"),
        ],
    )
    def test_probabilities_that_are_refused(self, given, options, message):
        with pytest.raises(InputError, match=message):
            plot.calibration(given, **options)

    @pytest.mark.parametrize(
        ("learner", "change", "message"),
        [
            (SVC(), {}, "calibration needs probabilities, but SVC has no predict_proba; use it in a"),
            (GaussianNB(), {"y": [9] * 36}, r"y has \(9\), which clf does not know"),
            (GaussianNB(), {"y": [0]}, "y must be one label for each of the 36 rows"),
            (GaussianNB(), {"n_bins": 1}, "n_bins must be a whole number of at least 2, got 1"),
            (GaussianNB(), {"n_bins": True}, "n_bins must be a whole number of at least 2, got True"),
            (GaussianNB(), {"strategy": "kmeans"}, "strategy must be one of 'quantile', 'uniform', got 'kmeans'"),
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
    assert len(figures) == 21
    assert all(callable(getattr(plot, name)) for name in figures)
