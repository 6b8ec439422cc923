"""Groups of the negatives, and the threshold between them and the positives."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import balanced_accuracy_score, f1_score, make_scorer
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from statsmodels.discrete.discrete_model import MNLogit
from statsmodels.tools import add_constant

from pwcstats import HybridClassifier
from pwcstats.datasets import chang_clover
from pwcstats.hybrid.cutoff import by_score, by_share

# Rounding errors of sums in another order.
ROUNDING = 1e-9
# Two algorithms that stop near the same maximum.
SAME_MAXIMUM = 1e-5


class TestGroups:
    def test_ratio_is_negatives_for_each_positive(self):
        rng = np.random.default_rng(0)
        for n_negative, expected in ((12, 1), (40, 4), (47, 5), (300, 10)):
            X = rng.normal(size=(10 + n_negative, 2))
            y = np.repeat(["yes", "no"], [10, n_negative])
            clf = HybridClassifier(n_clusters="ratio", distance_cv=None, threshold=0.5, random_state=0).fit(X, y)
            assert (clf.n_clusters_, len(clf.machines_)) == (expected, expected)
            assert clf.pos_label_ == "yes"

    def test_k_means(self, clover):
        X, group, _, _ = clover
        clf = HybridClassifier(SVC(kernel="linear"), n_clusters=3, random_state=7).fit(X, group == 0)
        assert (clf.clusters_ == 0).tolist() == (group == 0).tolist()
        found = clf.clusters_[group != 0]
        best = KMeans(3, n_init=50, random_state=1).fit(X[group != 0])
        centres = np.array([X[group != 0][found == k].mean(axis=0) for k in (1, 2, 3)])
        inertia = sum(((X[group != 0][found == k] - centres[k - 1]) ** 2).sum() for k in (1, 2, 3))
        assert inertia < 1.02 * best.inertia_
        for k in (1, 2, 3):
            task = clf.machines_[str(k)]
            rows = (group == 0) | (clf.clusters_ == k)
            twin = SVC(kernel="linear").fit(X[rows], group[rows] == 0)
            np.testing.assert_allclose(task.coef_, twin.coef_, atol=ROUNDING)

    def test_any_clusterer_and_given_labels(self, clover):
        X, group, _, _ = clover
        one = HybridClassifier(n_clusters=AgglomerativeClustering(4)).fit(X, group == 0)
        labels = np.full(len(X), -1)
        labels[group != 0] = AgglomerativeClustering(4).fit_predict(X[group != 0])
        two = HybridClassifier().fit(X, group == 0, clusters=labels)
        three = HybridClassifier(n_clusters=labels).fit(X, group == 0)
        for other in (two, three):
            np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
        assert list(two.machines_) == ["0", "1", "2", "3"]

    def test_names_of_given_labels(self, clover):
        X, group, _, _ = clover
        words = np.array(["-", "north", "east", "south", "west"])[group]
        clf = HybridClassifier(threshold=0.5).fit(X, np.where(group == 0, "ill", "well"), clusters=words)
        assert list(clf.machines_) == ["east", "north", "south", "west"]
        assert "group=well:east" in clf.summary().as_text()
        assert list(clf.distances(X).columns) == ["d_east", "d_north", "d_south", "d_west"]

    def test_the_rarer_class_is_positive_unless_asked(self, clover):
        X, group, _, _ = clover
        y = np.where(group == 0, "z", "a")
        assert HybridClassifier(threshold=0.5).fit(X, y).pos_label_ == "z"
        other = HybridClassifier(pos_label="a", threshold=0.5).fit(X, y)
        assert (other.pos_label_, other.n_clusters_) == ("a", 1)
        even = np.repeat([5, 3], 10)
        assert HybridClassifier(threshold=0.5).fit(X[:20], even).pos_label_ == 5

    def test_parts(self):
        """The scheme of the paper's breast cancer table: one machine for each part, and a binary logit."""
        X, y = load_breast_cancer(return_X_y=True)
        X = StandardScaler().fit_transform(X)
        clf = HybridClassifier(
            SVC(kernel="linear"), split="folds", distance_cv=None, threshold=0.5, random_state=0
        ).fit(X, y)
        assert clf.n_clusters_ == 9
        counts = pd.crosstab(clf.clusters_, y)
        assert (np.ptp(counts.to_numpy(), axis=0) <= 1).all()
        for part in (1, 9):
            rows = clf.clusters_ == part
            twin = SVC(kernel="linear").fit(X[rows], y[rows] == clf.pos_label_)
            np.testing.assert_allclose(clf.machines_[str(part)].coef_, twin.coef_, atol=ROUNDING)
        predictor = add_constant(clf.distances(X)[clf.selected_]).to_numpy() @ np.asarray(clf.integrator_.params)
        np.testing.assert_allclose(clf.predict_proba(X)[:, 0], expit(predictor), atol=ROUNDING)
        assert type(clf.integrator_.model).__name__ in ("Logit", "FirthLogit")

    def test_more_than_two_classes(self):
        X, y = load_iris(return_X_y=True)
        names = np.array(["setosa", "versicolor", "virginica"])[y]
        for baseline in (None, "virginica"):
            clf = HybridClassifier(SVC(kernel="linear"), pos_label=baseline, distance_cv=None).fit(X, names)
            assert clf.threshold_ is None
            first = baseline or "setosa"
            assert clf.pos_label_ == first
            others = [name for name in clf.classes_ if name != first]
            assert list(clf.machines_) == others
            for name in others:
                rows = np.isin(names, [first, name])
                twin = SVC(kernel="linear").fit(X[rows], names[rows] == first)
                np.testing.assert_allclose(clf.machines_[name].coef_, twin.coef_, atol=ROUNDING)
            proba = clf.predict_proba(X)
            predictor = add_constant(clf.distances(X)[clf.selected_]).to_numpy() @ np.asarray(clf.integrator_.params)
            odds = np.exp(np.column_stack([np.zeros(len(X)), predictor]))
            expected = pd.DataFrame(odds / odds.sum(axis=1, keepdims=True), columns=[first, *others])
            np.testing.assert_allclose(proba, expected[list(clf.classes_)], atol=ROUNDING)
            assert (clf.predict(X) == clf.classes_[proba.argmax(axis=1)]).all()
            assert clf.score(X, names) > 0.95


class TestThreshold:
    def test_prevalence_calls_as_many_positive_as_there_are(self, clover):
        X, group, new, _ = clover
        clf = HybridClassifier(threshold="prevalence", random_state=0).fit(X, group == 0, clusters=group)
        assert clf.predict(new).mean() == pytest.approx(0.2, abs=0.05)
        proba = clf.predict_proba(new)[:, 1]
        np.testing.assert_array_equal(clf.predict(new), proba > clf.threshold_)

    def test_by_share(self):
        proba = np.array([0.9, 0.1, 0.4, 0.8, 0.3])
        positive = np.array([True, False, False, True, False])
        assert by_share(proba, positive) == pytest.approx(0.6)
        assert (proba > by_share(proba, np.ones(5, bool))).all()

    def test_a_number(self, clover):
        X, group, new, _ = clover
        clf = HybridClassifier(threshold=0.3).fit(X, group == 0, clusters=group)
        assert clf.threshold_ == 0.3
        np.testing.assert_array_equal(clf.predict(new), clf.predict_proba(new)[:, 1] > 0.3)

    def test_cv_is_better_than_one_half_on_new_rows(self):
        sample = chang_clover(1.5, random_state=2)
        X, y, train = sample.data, sample.target == 0, sample.train
        clf = HybridClassifier(random_state=0).fit(X[train], y[train], clusters=sample.target[train])
        assert clf.threshold_ < 0.4
        proba = clf.predict_proba(X[~train])[:, 1]
        assert balanced_accuracy_score(y[~train], clf.predict(X[~train])) > 0.05 + balanced_accuracy_score(
            y[~train], proba > 0.5
        )

    @pytest.mark.parametrize("distance_cv", [None, 5])
    def test_cv_is_read_off_held_out_probabilities(self, clover, distance_cv):
        """Against a slow reference implementation, which fits everything again for each fold."""
        X, group, _, _ = clover
        y = group == 0
        folds = StratifiedKFold(3)
        clf = HybridClassifier(distance_cv=distance_cv, threshold="prevalence", threshold_cv=folds)
        clf.fit(X, y, clusters=group)
        held = np.empty(len(X))
        if distance_cv is None:
            for train, test in folds.split(X, group):
                twin = HybridClassifier(distance_cv=None, threshold=0.5).fit(X[train], y[train], clusters=group[train])
                held[test] = twin.predict_proba(X[test])[:, 1]
        else:
            exog = clf.integrator_.model.data.orig_exog.to_numpy()
            for train, test in folds.split(X, group):
                held[test] = MNLogit(group[train], exog[train]).fit(disp=0).predict(exog[test])[:, 0]
        assert clf.threshold_ == pytest.approx(by_share(held, y), abs=SAME_MAXIMUM)

    def test_of_all_thresholds_the_best_is_taken(self):
        rng = np.random.default_rng(0)
        positive = rng.random(300) < 0.2
        proba = expit(rng.normal(size=300) + 1.5 * positive - 2)
        fold = np.arange(300) % 5
        found = by_score(proba, positive, fold, "balanced_accuracy", (True, False))
        grid = np.concatenate([[0], np.sort(proba)])
        best = max(balanced_accuracy_score(positive, proba > t) for t in grid)
        assert balanced_accuracy_score(positive, proba > found) == pytest.approx(best, abs=1e-12)
        f1 = make_scorer(f1_score)
        other = by_score(proba, positive, fold, f1, (True, False))
        best = max(f1_score(positive, proba > t) for t in np.quantile(grid, np.linspace(0, 1, 200)))
        assert f1_score(positive, proba > other) > best - 0.01

    def test_all_or_none_may_be_best(self):
        rng = np.random.default_rng(0)
        positive = rng.random(2000) < 0.1
        proba = np.where(rng.random(2000) < 0.5, 0.55, 0.6)
        found = by_score(proba, positive, np.arange(2000) % 5, "accuracy", (True, False))
        assert not (proba > found).any()
        found = by_score(1 - proba, ~positive, np.arange(2000) % 5, "accuracy", (True, False))
        assert (1 - proba > found).all()

    def test_named_scores_refer_to_the_positive_class(self):
        """With any labels; the scorer "f1" alone expects 1 to be positive."""
        rng = np.random.default_rng(0)
        positive = rng.random(5000) < 0.15
        proba = expit(1.5 * rng.normal(size=5000) + 2 * positive - 3.5)
        fold = np.arange(5000) % 5
        expected = by_score(proba, positive, fold, make_scorer(f1_score), (1, 0))
        for classes in (("ill", "well"), (0, 1), (-1, 5)):
            assert by_score(proba, positive, fold, "f1", classes) == expected
            scorer = make_scorer(f1_score, pos_label=classes[0])
            assert by_score(proba, positive, fold, scorer, classes) == expected
        swapped = by_score(proba, positive, fold, make_scorer(f1_score, pos_label=0), (1, 0))
        assert swapped != expected
        assert expected < 0.5

    def test_a_score_of_the_positive_class_through_the_classifier(self):
        sample = chang_clover(1.5, random_state=2)
        X, y = sample.data, np.where(sample.target == 0, 0, 1)
        fits = [
            HybridClassifier(scoring=scoring, random_state=0).fit(X, y, clusters=sample.target)
            for scoring in ("f1", make_scorer(f1_score, pos_label=0))
        ]
        assert fits[0].threshold_ == fits[1].threshold_ < 0.5

    def test_equal_to_the_threshold_is_not_above_it(self, clover):
        X, group, new, _ = clover
        clf = HybridClassifier(threshold=1.0).fit(X, group == 0, clusters=group)
        assert not clf.predict(new).any()
        proba = clf.predict_proba(new)[:, 1]
        clf.threshold_ = proba[0]
        assert not clf.predict(new)[0]

    def test_standard_errors_are_those_of_a_mean(self):
        """A gain is clear if its mean g and standard deviation s (ddof 1) over the folds have g > 2 s / sqrt(5)."""
        fold = np.repeat(np.arange(5), 40)
        positive = np.tile([True] * 20 + [False] * 20, 5)
        proba = np.where(positive, 0.9, 0.1)
        for number, wrong in enumerate((6, 2, 2, 1, 1)):
            # A lower threshold would find so many more positives in a fold.
            proba[np.flatnonzero((fold == number) & positive)[:wrong]] = 0.4
        gains = np.array([6, 2, 2, 1, 1]) / 40
        clear = gains.mean() > 2 * gains.std(ddof=1) / np.sqrt(5)
        assert clear
        assert not gains.mean() > 2 * gains.std(ddof=1)
        assert by_score(proba, positive, fold, "balanced_accuracy", (True, False)) < 0.4
        proba[np.flatnonzero((fold == 0) & positive)[:10]] = 0.4
        gains = np.array([10, 2, 2, 1, 1]) / 40
        assert gains.mean() < 2 * gains.std(ddof=1) / np.sqrt(5)
        assert gains.mean() > 2 * gains.std(ddof=0) / np.sqrt(5)
        assert by_score(proba, positive, fold, "balanced_accuracy", (True, False)) == 0.5

    def test_one_half_stays_where_the_folds_leave_it_in_doubt(self):
        proba = np.tile([0.9, 0.8, 0.2, 0.1], 25)
        positive = np.tile([True, True, False, False], 25)
        proba[1] = 0.45
        fold = np.arange(100) % 5
        # A lower threshold would also find this one, but one case in a hundred is no evidence.
        assert by_score(proba, positive, fold, "balanced_accuracy", (True, False)) == 0.5

    def test_labels_for_a_given_score(self, clover):
        X, group, new, _ = clover
        y = np.where(group == 0, "ill", "well")
        scorer = make_scorer(f1_score, pos_label="ill")
        clf = HybridClassifier(scoring=scorer, threshold_cv=KFold(4, shuffle=True, random_state=0)).fit(X, y)
        assert set(clf.predict(new)) == {"ill", "well"}
        assert 0 < clf.threshold_ < 1
