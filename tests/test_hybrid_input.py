"""Hybrids with unusual data and options: a right answer or a clear error."""

import time
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.cluster import DBSCAN
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from pwcstats import HybridClassifier, InputError, OrdinalHybridClassifier, SeparationWarning
from pwcstats.datasets import chang_clover
from pwcstats.errors import PwcWarning

SAMPLE = chang_clover(2.5, 30, random_state=0)
X, GROUP = SAMPLE.data[SAMPLE.train], SAMPLE.target[SAMPLE.train]
Y = GROUP == 0


class TestOptions:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"estimator": SVC}, r"estimator is the class SVC; give an instance, SVC\(\)"),
            ({"estimator": "svc"}, "must be a scikit-learn classifier"),
            ({"estimator": LinearRegression()}, "neither decision_function nor predict_proba"),
            ({"estimator": SVC(kernel="precomputed")}, "precomputed.*cannot be used"),
            ({"estimator": SVC(kernel="sigmoid", gamma=5, coef0=-9)}, r"not positive definite.*\|\|w\|\|\^2 = -"),
            ({"n_clusters": 0}, "n_clusters must be"),
            ({"n_clusters": "many"}, "n_clusters must be 'auto', 'ratio', a whole number, a clusterer"),
            ({"n_clusters": 2.5}, "n_clusters must be 'auto', 'ratio', a whole number, a clusterer"),
            ({"n_clusters": 121}, "n_clusters is 121, but there are 120 negative rows"),
            ({"n_clusters": [1, 2, 3]}, r"one label for each of the 150 rows, got 3.*fit\(X, y, clusters="),
            ({"split": "rows"}, "split must be one of 'negatives', 'folds'"),
            ({"split": "folds", "n_clusters": 31}, "31 parts.*rarer class has 30 rows"),
            ({"integrator": "probit"}, "integrator must be one of"),
            ({"penalty": "ridge"}, "penalty must be one of 'auto', 'firth', None"),
            ({"select": "cp"}, "select must be one of"),
            (
                {"select": "aic", "integrator": "individualized"},
                "select cannot be used with integrator='individualized'",
            ),
            ({"threshold": "best"}, "threshold must be 'cv', 'prevalence', or a probability"),
            ({"threshold": 1.5}, "threshold must be 'cv', 'prevalence', or a probability"),
            ({"threshold": True}, "threshold must be 'cv', 'prevalence', or a probability"),
            ({"threshold_cv": 1}, "threshold_cv must be a number of folds of at least 2"),
            ({"threshold_cv": None}, "threshold_cv must be a number of folds of at least 2"),
            ({"distance_cv": "5"}, "distance_cv must be a number of folds of at least 2, or a splitter, or None"),
            ({"distance_cv": ShuffleSplit(3)}, "distance_cv must hold out every row exactly once"),
            ({"scoring": ["f1"]}, "scoring must be the name of one score"),
            ({"pos_label": "yes"}, r"pos_label must be one of the classes of y, \(False, True\), got 'yes'"),
            ({"scoring": "roc_auc"}, "scoring must be a score of predicted classes"),
            ({"split": "folds", "n_clusters": DBSCAN()}, "number of parts, 'auto' or a whole number, got 'DBSCAN'"),
            ({"n_clusters": DBSCAN}, r"n_clusters is the class DBSCAN; give an instance, DBSCAN\(\)"),
            ({"n_jobs": 0}, "n_jobs must be a whole number"),
            (
                {"random_state": "x"},
                "random_state must be a whole number of at least 0, a RandomState or None, got 'x'",
            ),
        ],
    )
    def test_are_checked(self, options, message):
        with pytest.raises(InputError, match=message):
            HybridClassifier(**options).fit(X, Y)

    def test_are_checked_before_the_data(self):
        """Neither the classes nor the rows matter for a parameter that is wrong."""
        for options, message in (
            ({"n_clusters": "many"}, "n_clusters must be 'auto'"),
            ({"select": "aic", "integrator": "individualized"}, "consists of several fits"),
            ({"split": "folds", "n_clusters": 2.5}, "number of parts"),
        ):
            with pytest.raises(InputError, match=message):
                HybridClassifier(**options).fit(X, GROUP)

    def test_errors_carry_the_parameters_that_they_speak_of(self):
        with pytest.raises(InputError) as caught:
            HybridClassifier(select="aic", integrator="individualized").fit(X, Y)
        assert caught.value.arguments == ("select", "integrator")

    def test_maximum_likelihood_of_separated_groups_is_refused(self):
        far = chang_clover(10, 20, random_state=0)
        with pytest.raises(InputError, match=r"\(d_1, d_2\) separates groups.*penalty='auto'"):
            HybridClassifier(penalty=None, distance_cv=None, threshold=0.5).fit(
                far.data, far.target == 0, clusters=far.target
            )
        with pytest.warns(SeparationWarning):
            HybridClassifier(integrator="individualized", penalty=None, distance_cv=None, threshold=0.5).fit(
                far.data[far.target < 2], far.target[far.target < 2] == 0
            )

    def test_a_fold_that_is_separated_is_named(self):
        """Only two rows overlap, and one fold holds them out."""
        x = np.r_[np.linspace(-3, -1, 20), np.linspace(1, 3, 20), 0.2, -0.2]
        y = np.r_[np.zeros(20), np.ones(20), 0, 1]
        folds = [
            (np.arange(40), np.array([40, 41])),
            (np.arange(20, 42), np.arange(20)),
            (np.r_[0:20, 40, 41], np.arange(20, 40)),
        ]
        with pytest.raises(InputError, match="in fold 0 of threshold_cv"):
            HybridClassifier(penalty=None, threshold_cv=folds, distance_cv=None).fit(x[:, None], y)


class TestData:
    def test_one_negative_cluster(self):
        clf = HybridClassifier(n_clusters=1).fit(X[GROUP < 2], Y[GROUP < 2])
        assert len(clf.machines_) == 1
        assert clf.score(X[GROUP < 2], Y[GROUP < 2]) > 0.9

    def test_as_many_clusters_as_negatives(self):
        clf = HybridClassifier(n_clusters=6, random_state=0).fit(np.r_[X[Y], X[~Y][:6]], np.repeat([1, 0], [30, 6]))
        assert clf.n_clusters_ == 6
        assert np.isfinite(clf.predict_proba(X)).all()

    def test_equal_rows_make_fewer_clusters(self):
        rows = np.r_[X[Y], np.repeat([[3.0, 3.0], [-3.0, 3.0]], 40, axis=0)]
        clf = HybridClassifier(n_clusters=5, random_state=0).fit(rows, np.repeat([1, 0], [30, 80]))
        assert clf.n_clusters_ == 2

    def test_a_clusterers_noise_is_a_cluster(self):
        clf = HybridClassifier(n_clusters=DBSCAN(eps=0.5), random_state=0).fit(X, Y)
        found = DBSCAN(eps=0.5).fit_predict(X[~Y])
        assert -1 in found
        assert clf.n_clusters_ == len(np.unique(found))

    @pytest.mark.parametrize("positive", [True, False])
    def test_a_class_of_one_case(self, positive):
        rows = np.r_[np.flatnonzero(Y == positive)[:1], np.flatnonzero(positive != Y)]
        clf = HybridClassifier(random_state=0).fit(X[rows], Y[rows])
        assert clf.pos_label_ == positive
        assert np.isfinite(clf.predict_proba(X)).all()

    def test_two_rows(self):
        with pytest.raises(InputError, match="every group has only one row.*set it to None"):
            HybridClassifier().fit([[0.0], [1.0]], [0, 1])
        clf = HybridClassifier(distance_cv=None, threshold=0.5).fit([[0.0], [1.0]], [0, 1])
        np.testing.assert_array_equal(clf.predict([[-1.0], [2.0]]), [0, 1])

    @pytest.mark.parametrize("estimator", [None, SVC()])
    def test_constant_columns(self, estimator):
        """If no column varies, probabilities are the shares of the classes."""
        flat = np.ones((len(X), 3))
        clf = HybridClassifier(estimator, threshold="prevalence", random_state=0).fit(flat, Y)
        assert (clf.norms_ == 0).all()
        assert clf.aliased_ == [f"d_{name}" for name in clf.machines_]
        np.testing.assert_allclose(clf.predict_proba(flat)[:, 1], 0.2, atol=1e-6)
        with_flat = HybridClassifier(estimator, threshold=0.5).fit(np.c_[X, flat], Y, clusters=GROUP)
        without = HybridClassifier(estimator, threshold=0.5).fit(X, Y, clusters=GROUP)
        if estimator is None:
            np.testing.assert_allclose(with_flat.predict_proba(np.c_[X, flat]), without.predict_proba(X), atol=1e-3)
        ordinal = OrdinalHybridClassifier(estimator).fit(flat, GROUP)
        np.testing.assert_allclose(ordinal.predict_proba(flat[:1]), np.full((1, 5), 0.2), atol=1e-6)

    def test_more_columns_than_rows(self):
        rng = np.random.default_rng(0)
        wide = np.c_[X[::5], rng.normal(size=(30, 100))]
        clf = HybridClassifier(random_state=0).fit(wide, Y[::5])
        assert np.isfinite(clf.predict_proba(wide)).all()
        assert clf.penalty_ == "firth"

    def test_sparse_rows(self):
        labels = {"clusters": GROUP}
        dense = HybridClassifier(SVC(gamma=0.5), threshold=0.5).fit(X, Y, **labels)
        thin = HybridClassifier(SVC(gamma=0.5), threshold=0.5).fit(sparse.csr_array(X), Y, **labels)
        np.testing.assert_allclose(thin.predict_proba(sparse.csr_array(X)), dense.predict_proba(X), atol=1e-6)
        linear = HybridClassifier(threshold=0.5, random_state=0).fit(sparse.csr_array(X), Y)
        assert linear.score(sparse.csr_array(X), Y) > 0.8

    def test_nothing_is_changed(self):
        rows, labels, groups = X.copy(), Y.copy(), GROUP.copy()
        HybridClassifier(random_state=0).fit(rows, labels, clusters=groups)
        for after, before in ((rows, X), (labels, Y), (groups, GROUP)):
            np.testing.assert_array_equal(after, before)

    @pytest.mark.parametrize(
        ("labels", "message"),
        [
            (GROUP[:5], "one label for each of the 150 rows, got 5"),
            (np.where(GROUP == 3, np.nan, GROUP), "clusters is missing in row 90, which is negative"),
            (["a"] * 90 + [np.nan] + ["b"] * 59, "clusters is missing in row 90, which is negative"),
            (np.array([1] * 60 + ["1"] * 90, dtype=object), "two labels of clusters are written '1'"),
        ],
    )
    def test_wrong_clusters(self, labels, message):
        with pytest.raises(InputError, match=message):
            HybridClassifier().fit(X, Y, clusters=labels)

    def test_clusters_in_another_order(self):
        frame = pd.DataFrame(X)
        with pytest.raises(InputError, match="rows of clusters and X have different labels"):
            HybridClassifier().fit(frame, Y, clusters=pd.Series(GROUP[::-1], index=frame.index[::-1]))

    def test_a_group_that_a_fold_holds_out_as_a_whole(self):
        """Rows are sorted by group, and folds are not shuffled."""
        with pytest.raises(InputError, match="fold 0 of distance_cv holds out all rows of True"):
            HybridClassifier(distance_cv=KFold(5)).fit(X, Y, clusters=GROUP)
        with pytest.raises(InputError, match="fold 0 of threshold_cv holds out all rows of True"):
            HybridClassifier(threshold_cv=KFold(5), scoring="f1").fit(X, Y, clusters=GROUP)

    @pytest.mark.parametrize(
        ("clf", "target", "groups"),
        [
            (HybridClassifier(threshold_cv=KFold(5)), Y, {"clusters": GROUP}),
            (HybridClassifier(threshold_cv=4, n_clusters=2, threshold=0.5), Y, {}),
            (HybridClassifier(threshold_cv=4), GROUP, {}),
            (OrdinalHybridClassifier(threshold_cv=4), GROUP, {}),
        ],
    )
    def test_folds_that_choose_nothing(self, clf, target, groups):
        with pytest.warns(PwcWarning, match=r"^threshold_cv is not used, because nothing is chosen"):
            clf.fit(X, target, **groups)

    def test_default_folds_may_choose_nothing(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            HybridClassifier().fit(X, Y, clusters=GROUP)
            OrdinalHybridClassifier(threshold_cv=4, class_threshold="cv").fit(X, GROUP)

    def test_names_that_look_like_clusters(self):
        clf = HybridClassifier(threshold=0.5).fit(X, np.where(Y, "a:1", "a"), clusters=GROUP)
        assert clf.pos_label_ == "a:1"

    def test_a_clusterers_warnings_are_heard(self):
        with pytest.warns(ConvergenceWarning):
            HybridClassifier(n_clusters=GaussianMixture(4, max_iter=1, init_params="random", random_state=0)).fit(X, Y)

    def test_a_binary_integrator_of_more_classes(self):
        with pytest.raises(InputError, match="integrator='logit' is for two classes, got 5"):
            HybridClassifier(integrator="logit").fit(X, GROUP)

    def test_many_clusters_end_soon(self):
        rng = np.random.default_rng(0)
        rows = np.r_[rng.normal(size=(20, 8)), 3 * rng.normal(size=(150, 8))]
        start = time.perf_counter()
        clf = HybridClassifier(n_clusters=14, random_state=0, threshold=0.5).fit(rows, np.repeat([1, 0], [20, 150]))
        assert clf.n_clusters_ == 14
        assert time.perf_counter() - start < 60

    def test_missing_clusters_of_positives_do_not_matter(self):
        clf = HybridClassifier(threshold=0.5).fit(X, Y, clusters=np.where(Y, np.nan, GROUP))
        assert clf.n_clusters_ == 4

    def test_clusters_where_there_are_none(self):
        with pytest.raises(InputError, match="but y has 5, each a group of its own"):
            HybridClassifier().fit(X, GROUP, clusters=GROUP)
        with pytest.raises(InputError, match="but y has 5, each a group of its own"):
            HybridClassifier(n_clusters=GROUP).fit(X, GROUP)
        with pytest.raises(InputError, match="random parts and uses no clusters"):
            HybridClassifier(split="folds").fit(X, Y, clusters=GROUP)
        with pytest.raises(InputError, match="Only binary.*split='negatives'"):
            HybridClassifier(split="folds").fit(X, GROUP)

    def test_frames_without_numbers(self):
        frame = pd.DataFrame({"a": X[:, 0], "b": ["low", "high"] * 75})
        for clf in (HybridClassifier(), OrdinalHybridClassifier()):
            with pytest.raises(InputError, match=r"text in the columns \(b\); encode them"):
                clf.fit(frame, Y)
            with pytest.raises(InputError, match="X must have at least one row and one column"):
                clf.fit(pd.DataFrame(), [])
        # Numbers in columns of dtype object are accepted.
        HybridClassifier(threshold=0.5).fit(pd.DataFrame(X).astype(object), Y)

    def test_one_class_and_no_class(self):
        with pytest.raises(InputError, match="at least 2 classes, got 1 class, True"):
            HybridClassifier().fit(X, np.ones(len(X), bool))
        with pytest.raises(InputError, match="HybridClassifier requires y"):
            HybridClassifier().fit(X, None)

    def test_a_learner_that_fails_is_named(self):
        with pytest.raises(InputError, match="local KNeighborsClassifier of 1 failed"):
            HybridClassifier(KNeighborsClassifier(weights="odd")).fit(X, Y)

    def test_other_columns_at_predict(self):
        clf = HybridClassifier(threshold=0.5).fit(X, Y)
        with pytest.raises(ValueError, match="3 features, but HybridClassifier is expecting 2"):
            clf.predict(np.ones((2, 3)))

    def test_estimates_of_all_rows_are_no_start_for_every_fold(self):
        """In a fold they may give probabilities of 0 or 1, from which a penalised fit cannot start."""
        sample = chang_clover(0.5, 40, random_state=1)
        rows, group = sample.data[sample.train][::6], sample.target[sample.train][::6]
        folds = KFold(4, shuffle=True, random_state=0)
        clf = HybridClassifier(
            n_clusters="ratio", threshold="prevalence", threshold_cv=folds, distance_cv=None, random_state=5
        ).fit(rows, group == 0)
        assert clf.penalty_ == "firth"
        assert 0 < clf.threshold_ < 1
