"""OrdinalHybridClassifier: machines in order, continuation ratios, the order of the classes."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC
from statsmodels.tools import add_constant

from pwcstats import ContinuationRatio, InputError, OrderedLogit, OrdinalHybridClassifier
from pwcstats.datasets import chang_ordered
from pwcstats.hybrid.cutoff import by_score, by_share

ROUNDING = 1e-9
WORDS = np.array(["none", "low", "mid", "high", "top"])


@pytest.fixture(scope="module")
def groups():
    sample = chang_ordered(2.0, 60, 100, random_state=0)
    X, y, train = sample.data, sample.target, sample.train
    return X[train], y[train], X[~train], y[~train]


def test_each_class_against_those_before(groups):
    X, y, _, _ = groups
    clf = OrdinalHybridClassifier(SVC(kernel="linear")).fit(X, y)
    assert list(clf.machines_) == ["1", "2", "3", "4"]
    for j in (1, 4):
        rows = y <= j
        twin = SVC(kernel="linear").fit(X[rows], y[rows] == j)
        np.testing.assert_allclose(clf.machines_[str(j)].coef_, twin.coef_, atol=ROUNDING)
        expected = twin.decision_function(X) / np.linalg.norm(twin.coef_)
        np.testing.assert_allclose(clf.distances(X)[f"d_{j}"], expected, atol=ROUNDING)


def test_continuation_ratios(groups):
    X, y, new, truth = groups
    clf = OrdinalHybridClassifier(distance_cv=None).fit(X, y)
    twin = ContinuationRatio(y, add_constant(clf.distances(X)[clf.selected_])).fit()
    np.testing.assert_allclose(clf.integrator_.params, twin.params, rtol=1e-8)
    proba = clf.predict_proba(new)
    np.testing.assert_allclose(proba, twin.predict(add_constant(clf.distances(new)[clf.selected_])), atol=ROUNDING)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_array_equal(clf.predict(new), proba.argmax(axis=1))
    assert clf.score(new, truth) > 0.7


def test_theorem_a1(groups):
    """P_k = P'_k, and downwards P_j = P'_j (1 - sum of the higher P)."""
    X, y, new, _ = groups
    clf = OrdinalHybridClassifier(distance_cv=None).fit(X, y)
    exog = add_constant(clf.distances(new)[clf.selected_])
    stage = clf.integrator_.predict(exog, which="stage").to_numpy()
    p = np.zeros((len(new), 5))
    for j in (4, 3, 2, 1):
        p[:, j] = stage[:, j - 1] * (1 - p[:, j + 1 :].sum(axis=1))
    p[:, 0] = 1 - p.sum(axis=1)
    np.testing.assert_allclose(clf.predict_proba(new), p, atol=ROUNDING)


def test_ordered_logit(groups):
    X, y, new, _ = groups
    clf = OrdinalHybridClassifier(integrator="ordered", distance_cv=None).fit(X, y)
    twin = OrderedLogit(y, clf.distances(X)[clf.selected_]).fit()
    np.testing.assert_allclose(clf.predict_proba(new), twin.predict(clf.distances(new)[clf.selected_]), atol=1e-6)
    assert "OrderedLogit" in clf.summary().as_text()


class TestOrder:
    def test_given_categories(self, groups):
        X, y, new, _ = groups
        by_number = OrdinalHybridClassifier().fit(X, y)
        clf = OrdinalHybridClassifier(categories=WORDS).fit(X, WORDS[y])
        assert list(clf.categories_) == list(WORDS)
        assert list(clf.classes_) == sorted(WORDS)
        assert list(clf.machines_) == list(WORDS[1:])
        found = pd.DataFrame(clf.predict_proba(new), columns=clf.classes_)[list(WORDS)]
        np.testing.assert_array_equal(found, by_number.predict_proba(new))
        np.testing.assert_array_equal(clf.predict(new), WORDS[by_number.predict(new)])

    def test_an_order_that_is_not_its_own_inverse(self, groups):
        X, y, new, _ = groups
        cycle = np.array(["c", "a", "b", "e", "d"])
        clf = OrdinalHybridClassifier(categories=cycle).fit(X, cycle[y])
        by_number = OrdinalHybridClassifier().fit(X, y)
        found = pd.DataFrame(clf.predict_proba(new), columns=clf.classes_)[list(cycle)]
        np.testing.assert_array_equal(found, by_number.predict_proba(new))
        np.testing.assert_array_equal(clf.predict(new), cycle[by_number.predict(new)])

    def test_a_column_of_a_frame(self, groups):
        X, y, _, _ = groups
        values = pd.DataFrame({"y": pd.Categorical(WORDS[y], categories=WORDS, ordered=True)})
        with pytest.warns(sklearn.exceptions.DataConversionWarning):
            clf = OrdinalHybridClassifier().fit(X, values)
        assert list(clf.categories_) == list(WORDS)

    @pytest.mark.parametrize("as_series", [True, False])
    def test_an_ordered_categorical(self, groups, as_series):
        X, y, new, _ = groups
        values = pd.Categorical(WORDS[y], categories=WORDS, ordered=True)
        clf = OrdinalHybridClassifier().fit(X, pd.Series(values) if as_series else values)
        assert list(clf.categories_) == list(WORDS)
        np.testing.assert_array_equal(clf.predict(new), WORDS[OrdinalHybridClassifier().fit(X, y).predict(new)])

    def test_categories_that_no_row_has_are_left_out(self, groups):
        X, y, _, _ = groups
        clf = OrdinalHybridClassifier(categories=[-1, 0, 1, 2, 3, 4, 5]).fit(X, y)
        assert list(clf.categories_) == [0, 1, 2, 3, 4]

    def test_reversed_order_is_another_model(self, groups):
        X, y, new, _ = groups
        down = OrdinalHybridClassifier(categories=[4, 3, 2, 1, 0]).fit(X, y)
        assert list(down.machines_) == ["3", "2", "1", "0"]
        assert not np.allclose(down.predict_proba(new), OrdinalHybridClassifier().fit(X, y).predict_proba(new))

    def test_no_order_is_refused(self, groups):
        X, y, _, _ = groups
        with pytest.raises(InputError, match="classes without an order.*set categories"):
            OrdinalHybridClassifier().fit(X, pd.Categorical(WORDS[y]))
        OrdinalHybridClassifier(categories=WORDS).fit(X, pd.Categorical(WORDS[y]))

    def test_words_in_alphabetical_order_are_told(self, groups):
        X, y, _, _ = groups
        with pytest.warns(
            UserWarning,
            match=r"the classes are strings and were sorted alphabetically, \('high', 'low', 'mid', 'none', 'top'\)",
        ):
            OrdinalHybridClassifier().fit(X, WORDS[y])

    def test_wrong_categories(self, groups):
        X, y, _, _ = groups
        with pytest.raises(InputError, match=r"not among the categories, \(3, 4\)"):
            OrdinalHybridClassifier(categories=[0, 1, 2]).fit(X, y)
        with pytest.raises(InputError, match="categories must be a list of classes.*got 'low'"):
            OrdinalHybridClassifier(categories="low").fit(X, y)
        with pytest.raises(InputError, match="different from each other"):
            OrdinalHybridClassifier(categories=[0, 1, 2, 3, 4, 4]).fit(X, y)


class TestThresholds:
    MACHINE = SVC(kernel="linear")

    @pytest.mark.parametrize("rule", ["cv", "prevalence"])
    def test_are_read_off_held_out_probabilities(self, groups, rule):
        """Against a slow reference implementation, which fits everything again for each fold."""
        X, y, _, _ = groups
        folds = StratifiedKFold(3)
        clf = OrdinalHybridClassifier(self.MACHINE, distance_cv=None, class_threshold=rule, threshold_cv=folds)
        clf.fit(X, y)
        held, fold = np.empty((len(X), 5)), np.empty(len(X), dtype=int)
        for number, (train, test) in enumerate(folds.split(X, y)):
            held[test] = (
                OrdinalHybridClassifier(self.MACHINE, distance_cv=None).fit(X[train], y[train]).predict_proba(X[test])
            )
            fold[test] = number
        for k in range(5):
            expected = by_share(held[:, k], y == k)
            if rule == "cv":
                expected = by_score(held[:, k], y == k, fold, "f1", (1, 0))
            assert clf.thresholds_[k] == pytest.approx(expected, abs=1e-6)

    def test_membership_and_their_order(self, groups):
        """Thresholds by class, for classes whose order is not alphabetical."""
        X, y, new, _ = groups
        by_class = dict(zip(WORDS, (0.5, 0.1, 0.2, 0.3, 0.9), strict=True))
        fits = [
            OrdinalHybridClassifier(self.MACHINE, categories=WORDS, class_threshold=given).fit(X, WORDS[y])
            for given in (by_class, pd.Series(by_class)[::-1], [by_class[word] for word in sorted(WORDS)])
        ]
        frame = pd.DataFrame(new, index=[f"r{i}" for i in range(len(new))])
        for clf in fits:
            assert clf.thresholds_.to_dict() == by_class
            found = clf.membership(new)
            assert list(found.columns) == sorted(WORDS)
            proba = pd.DataFrame(clf.predict_proba(new), columns=clf.classes_)
            for word in WORDS:
                np.testing.assert_array_equal(found[word], proba[word] > by_class[word])
            assert list(clf.membership(frame).index) == list(frame.index)
            # Rows may be in several classes, or in none, and the prediction does not depend on it.
            assert set(found.sum(axis=1)) >= {0, 1, 2}
            np.testing.assert_array_equal(clf.predict(new), fits[0].classes_[proba.to_numpy().argmax(axis=1)])

    def test_have_a_better_score_than_one_half(self, groups):
        """Probabilities of the classes in the middle are rarely above 1/2."""
        sample = chang_ordered(0.7, 100, 400, random_state=0)
        X, y, train = sample.data, sample.target, sample.train
        clf = OrdinalHybridClassifier(self.MACHINE, class_threshold="cv", random_state=0).fit(X[train], y[train])
        found, proba = clf.membership(X[~train]), clf.predict_proba(X[~train])
        gains = [
            f1_score(y[~train] == k, found[k]) - f1_score(y[~train] == k, proba[:, k] > 0.5, zero_division=0)
            for k in range(5)
        ]
        assert np.mean(gains) > 0.1

    def test_of_a_known_score_need_no_folds(self, groups):
        X, y, _, _ = groups
        keep = (y != 2) | (np.arange(len(y)) % 2 == 0)
        clf = OrdinalHybridClassifier(self.MACHINE, class_threshold="cv", scoring="balanced_accuracy")
        clf.fit(X[keep], y[keep])
        expected = [(y[keep] == k).mean() for k in range(5)]
        np.testing.assert_allclose(clf.thresholds_, expected, rtol=1e-15)
        assert clf._fitted.held_out is None

    def test_without_them_there_is_no_membership(self, groups):
        X, y, new, _ = groups
        clf = OrdinalHybridClassifier(self.MACHINE).fit(X, y)
        assert clf.thresholds_ is None
        with pytest.raises(InputError, match="classes have no thresholds; set class_threshold='cv' or 'prevalence'"):
            clf.membership(new)

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ("best", "class_threshold must be one of 'cv', 'prevalence'"),
            ([0.1, 0.2], r"class_threshold must be None, 'cv', 'prevalence', or one number for each of the classes"),
            (0.5, "or one number for each of the classes"),
            ([0.1, 0.2, 0.3, 0.4, 1.5], "a probability between 0 and 1 for each class, got 1.5"),
            ({0: 0.1, 1: 0.1, 2: 0.1, 3: 0.1}, "for each class, got None"),
            ({k: 0.1 for k in range(6)}, r"class_threshold has thresholds of \(5\), but the classes are"),
        ],
    )
    def test_are_checked(self, groups, given, message):
        X, y, _, _ = groups
        with pytest.raises(InputError, match=message):
            OrdinalHybridClassifier(self.MACHINE, class_threshold=given).fit(X, y)


class TestTrouble:
    def test_separated_classes(self):
        sample = chang_ordered(15, 40, random_state=0)
        clf = OrdinalHybridClassifier().fit(sample.data, sample.target)
        assert clf.penalty_ == "firth"
        assert clf.score(sample.data, sample.target) == 1
        assert np.isfinite(clf.integrator_.bse).all()
        ordered = OrdinalHybridClassifier(integrator="ordered").fit(sample.data, sample.target)
        assert ordered.penalty_ == "firth"
        assert ordered.score(sample.data, sample.target) == 1
        assert np.isfinite(ordered.integrator_.bse).all()
        with pytest.raises(InputError, match="ordered logit has no maximum likelihood.*penalty='auto' or 'firth'"):
            OrdinalHybridClassifier(integrator="ordered", penalty=None).fit(sample.data, sample.target)

    def test_the_penalty_of_proportional_odds(self, groups):
        X, y, new, _ = groups
        clf = OrdinalHybridClassifier(integrator="ordered", penalty="firth", distance_cv=None).fit(X, y)
        distances = clf.distances(X)[clf.selected_]
        twin = OrderedLogit(y, distances, penalty="firth").fit()
        np.testing.assert_allclose(clf.integrator_.params, twin.params, rtol=1e-8)
        np.testing.assert_allclose(clf.predict_proba(new), twin.predict(clf.distances(new)[clf.selected_]), atol=1e-12)
        # The penalty is of use: the estimates differ.
        plain = OrderedLogit(y, distances).fit()
        assert np.abs(twin.params - plain.params).max() > 1e-3

    def test_a_class_of_one_case(self, groups):
        X, y, new, _ = groups
        rows = (y < 4) | (np.arange(len(y)) == len(y) - 1)
        clf = OrdinalHybridClassifier().fit(X[rows], y[rows])
        assert list(clf.classes_) == [0, 1, 2, 3, 4]
        assert np.isfinite(clf.predict_proba(new)).all()

    @pytest.mark.parametrize("estimator", [None, SVC()])
    def test_rare_classes_do_not_cost_the_others_their_distances(self, estimator):
        """The stage of the second class has two rows, which determine one coefficient only."""
        rng = np.random.default_rng(0)
        y = np.r_[0, 1, np.repeat([2, 3, 4], 60)]
        X = rng.normal(size=(len(y), 2)) + np.array([[0, 6], [6, 0], [0, 0], [3, 3], [6, 6]])[y]
        clf = OrdinalHybridClassifier(estimator, distance_cv=None).fit(X, y)
        assert clf.score(X, y) > 0.95
        coefs = clf.integrator_.coefs
        assert (coefs.loc["1", clf.selected_[1:]] == 0).all()
        assert (coefs.loc[["2", "3", "4"], clf.selected_[1:]] != 0).all(axis=None)

    def test_nothing_to_select_from(self):
        clf = OrdinalHybridClassifier(integrator="ordered", select="aic").fit(np.ones((50, 2)), np.arange(50) % 3)
        np.testing.assert_allclose(clf.predict_proba([[1.0, 1.0]])[0], [0.34, 0.34, 0.32], atol=1e-6)

    def test_two_classes(self, groups):
        X, y, new, truth = groups
        clf = OrdinalHybridClassifier().fit(X[y < 2], y[y < 2])
        assert len(clf.machines_) == 1
        assert clf.score(new[truth < 2], truth[truth < 2]) > 0.75

    def test_selection(self, groups):
        X, y, new, _ = groups
        clf = OrdinalHybridClassifier(SVC(), distance_cv=None, select="bic", penalty="firth").fit(X, y)
        assert 0 < len(clf.selected_) < 4
        assert np.isfinite(clf.predict_proba(new)).all()

    def test_tidy(self, groups):
        X, y, _, _ = groups
        for integrator in ("cratio", "ordered"):
            clf = OrdinalHybridClassifier(integrator=integrator, distance_cv=None).fit(X, y)
            table = clf.tidy()
            slopes = table["term"].str.startswith("d_")
            stages = 4 if integrator == "cratio" else 1
            assert slopes.sum() == stages * len(clf.selected_)
            assert set(table["estimate"][slopes]) <= set(clf.integrator_.params)
            assert {"term", "std_error", "statistic", "p_value", "conf_low", "conf_high"} <= set(table.columns)
