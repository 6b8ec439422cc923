"""Weights of rows in hybrids: a weight of 2 counts as two rows."""

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pwcstats import HybridClassifier, InputError, OrdinalHybridClassifier
from pwcstats.datasets import chang_clover, chang_ordered
from pwcstats.hybrid.choice import Trial
from pwcstats.hybrid.cutoff import by_share
from pwcstats.hybrid.integrators import integrate
from pwcstats.pairwise.learners import gamma_of_rows

# LIBSVM stops at a tolerance of 1e-10 here, and the integrators converge to about 1e-9.
SAME = 1e-7
SAMPLE = chang_clover(1.5, 25, random_state=0)
X, GROUP = SAMPLE.data[SAMPLE.train], SAMPLE.target[SAMPLE.train]
Y = GROUP == 0
ORDERED = chang_ordered(1, 25, random_state=0)
X_ORDERED, Y_ORDERED = ORDERED.data[ORDERED.train], ORDERED.target[ORDERED.train]
WEIGHT = np.random.default_rng(0).integers(1, 4, len(Y))
WITH_ZEROS = np.where(np.arange(len(Y)) % 7 == 0, 0, WEIGHT)
LINEAR = SVC(kernel="linear", tol=1e-10)


def repeated(*arrays, weight=WEIGHT):
    return [np.repeat(each, weight, axis=0) for each in arrays]


class Blocks(KFold):
    """Folds by a number of each row, which copies of a row share."""

    def __init__(self, fold):
        super().__init__(4)
        self.fold = fold

    def split(self, X, y=None, groups=None):
        for k in range(4):
            yield np.flatnonzero(self.fold != k), np.flatnonzero(self.fold == k)


FOLD = np.arange(len(Y)) % 4


def both(make, X, y, weight=WEIGHT, **labels):
    """A fit with weights, and one with repeated rows."""
    more = {name: np.repeat(each, weight) for name, each in labels.items()}
    return (
        make(Blocks(FOLD)).fit(X, y, sample_weight=weight, **labels),
        make(Blocks(np.repeat(FOLD, weight))).fit(*repeated(X, y, weight=weight), **more),
    )


def check_same(weighted, plain, X):
    np.testing.assert_allclose(weighted.predict_proba(X), plain.predict_proba(X), atol=SAME)
    a, b = weighted.tidy(), plain.tidy()
    np.testing.assert_allclose(a["std_error"], b["std_error"], rtol=1e-5)
    assert weighted.penalty_ == plain.penalty_


class TestRepeatedRows:
    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"integrator": "individualized"},
            {"integrator": "logit"},
            {"penalty": "firth"},
            {"select": "bic"},
            {"estimator": SVC(tol=1e-10)},
            {"estimator": LogisticRegression(tol=1e-10)},
        ],
    )
    def test_held_out_distances(self, options):
        machine = {"estimator": LINEAR} | options
        weighted, plain = both(
            lambda folds: HybridClassifier(**machine, distance_cv=folds, scoring="f1", threshold_cv=folds),
            X, Y, clusters=GROUP,
        )  # fmt: skip
        check_same(weighted, plain, X)
        assert weighted.threshold_ == pytest.approx(plain.threshold_, abs=SAME)
        unweighted = HybridClassifier(**machine, distance_cv=Blocks(FOLD)).fit(X, Y, clusters=GROUP)
        assert np.abs(unweighted.predict_proba(X) - plain.predict_proba(X)).max() > 0.01

    @pytest.mark.parametrize("integrator", ["cratio", "ordered"])
    def test_ordered_classes(self, integrator):
        weighted, plain = both(
            lambda folds: OrdinalHybridClassifier(
                LINEAR, integrator=integrator, distance_cv=folds, threshold_cv=folds, class_threshold="cv"
            ),
            X_ORDERED, Y_ORDERED,
        )  # fmt: skip
        check_same(weighted, plain, X_ORDERED)
        np.testing.assert_allclose(weighted.thresholds_, plain.thresholds_, atol=SAME)

    def test_known_thresholds_and_rare_classes(self):
        """The weights make the negatives rarer, and the threshold is their share."""
        weight = np.where(Y, 10, 1)
        # LIBSVM would need millions of steps for these weights.
        machine = LogisticRegression(tol=1e-10)
        weighted, plain = both(lambda _: HybridClassifier(machine, distance_cv=None), X, Y, weight, clusters=GROUP)
        check_same(weighted, plain, X)
        assert weighted.pos_label_ == plain.pos_label_ == False  # noqa: E712
        assert weighted.threshold_ == plain.threshold_ == pytest.approx(100 / 350)

    @pytest.mark.parametrize("scoring", ["f1", make_scorer(fbeta_score, beta=2)])
    @pytest.mark.parametrize("rule", ["cv", "prevalence"])
    def test_thresholds(self, rule, scoring):
        weighted, plain = both(
            lambda folds: HybridClassifier(
                LINEAR, distance_cv=None, threshold=rule, scoring=scoring, threshold_cv=folds
            ),
            X, Y, clusters=GROUP,
        )  # fmt: skip
        assert weighted.threshold_ == pytest.approx(plain.threshold_, abs=SAME)

    def test_rows_of_weight_zero_are_left_out(self):
        for options in ({}, {"split": "folds", "n_clusters": 3}, {"n_clusters": 3}):
            labels = {} if options else {"clusters": GROUP}
            used = WITH_ZEROS > 0
            clf = HybridClassifier(random_state=0, threshold=0.5, **options)
            weighted = clf.fit(X, Y, sample_weight=used.astype(float), **labels)
            clusters = weighted.clusters_
            proba = weighted.predict_proba(X)
            plain = clf.fit(X[used], Y[used], **{name: each[used] for name, each in labels.items()})
            np.testing.assert_array_equal(clusters[used], plain.clusters_)
            assert (clusters[~used] == -1).all()
            np.testing.assert_allclose(proba, plain.predict_proba(X), atol=1e-3)

    def test_zeros_and_labels_as_clusters(self):
        weighted, plain = both(
            lambda _: HybridClassifier(LINEAR, distance_cv=None), X, Y, WITH_ZEROS, clusters=list(GROUP.astype(str))
        )
        check_same(weighted, plain, X)
        given = HybridClassifier(LINEAR, n_clusters=GROUP, distance_cv=None).fit(X, Y, sample_weight=WITH_ZEROS)
        np.testing.assert_array_equal(given.clusters_, weighted.clusters_)

    def test_default_machines_are_standardised_with_weights(self):
        weighted, plain = both(lambda _: HybridClassifier(distance_cv=None), X, Y, clusters=GROUP)
        for name, machine in weighted.machines_.items():
            np.testing.assert_allclose(machine[0].center_, plain.machines_[name][0].center_)
            np.testing.assert_allclose(machine[0].scale_, plain.machines_[name][0].scale_)

    def test_sparse_rows_and_gamma(self):
        rows = X + 3.0
        for x in (rows, sparse.csr_array(rows)):
            for gamma in ("scale", "auto"):
                found = gamma_of_rows(SVC(gamma=gamma), x, WEIGHT.astype(float))
                assert found == pytest.approx(gamma_of_rows(SVC(gamma=gamma), repeated(rows)[0]))

    def test_the_number_of_clusters(self):
        ratio = HybridClassifier(n_clusters="ratio", random_state=0, distance_cv=None, threshold=0.5)
        assert ratio.fit(X, Y).n_clusters_ == 4
        assert ratio.fit(X, Y, sample_weight=np.where(Y, 2.0, 1.0)).n_clusters_ == 2
        loss, other = np.array([1.0, 2.0, 4.0]), np.array([1.5, 1.5, 3.0])
        weight = np.array([1, 3, 2])
        for a, b in ((loss, other), (other, loss)):
            first, second = (Trial(None, each) for each in (a, b))
            copies = [Trial(None, np.repeat(each, weight)) for each in (a, b)]
            assert first.mean(weight) == pytest.approx(copies[0].mean(None))
            assert first.is_clearly_better(second, weight) == copies[0].is_clearly_better(copies[1], None)

    def test_score(self):
        clf = HybridClassifier(LINEAR, distance_cv=None).fit(X, Y, clusters=GROUP)
        assert clf.score(X, Y, sample_weight=WEIGHT) == pytest.approx(clf.score(*repeated(X, Y)))
        assert clf.score(X, Y, sample_weight=WEIGHT) != pytest.approx(clf.score(X, Y))


class TestIntegrators:
    @pytest.mark.parametrize("kind", ["multinomial", "logit"])
    def test_results_of_maximum_likelihood(self, kind):
        """They are those of statsmodels' model of the repeated rows."""
        distances = HybridClassifier(LINEAR, distance_cv=None).fit(X, Y, clusters=GROUP).distances(X).iloc[:, :2]
        labels = ["pos", *map(str, range(1, 5))]
        options = {"labels": labels, "penalty": None, "select": None, "reference": None}
        found = integrate(kind, distances, GROUP, weight=WEIGHT.astype(float), **options).results
        rows = np.repeat(np.arange(len(Y)), WEIGHT)
        plain = integrate(kind, distances.iloc[rows], GROUP[rows], **options).results
        for name in ("params", "bse", "llf", "llnull", "llr_pvalue", "aic", "bic", "prsquared", "nobs", "df_resid"):
            np.testing.assert_allclose(getattr(found, name), getattr(plain, name), rtol=1e-6, err_msg=name)
        np.testing.assert_allclose(found.cov_params(), plain.cov_params(), rtol=1e-6)
        assert found.method == "MLE"
        assert "enalised" not in str(found.summary())
        assert found.lr_test("d_1").method == "Likelihood-ratio test"


class TestErrors:
    @pytest.mark.parametrize("clf", [HybridClassifier, OrdinalHybridClassifier])
    def test_learners_without_weights(self, clf):
        with pytest.raises(InputError, match=r"estimator \(KNeighborsClassifier\) takes no sample_weight; choose"):
            clf(KNeighborsClassifier()).fit(X, Y, sample_weight=WEIGHT)
        with pytest.raises(InputError, match=r"estimator \(KNeighborsClassifier\) takes no sample_weight; choose"):
            clf(make_pipeline(StandardScaler(), KNeighborsClassifier())).fit(X, Y, sample_weight=WEIGHT)

    def test_clusterers_without_weights(self):
        with pytest.raises(InputError, match=r"n_clusters \(GaussianMixture\) takes no sample_weight"):
            HybridClassifier(n_clusters=GaussianMixture(2)).fit(X, Y, sample_weight=WEIGHT)
        clf = HybridClassifier(n_clusters=KMeans(2, random_state=0)).fit(X, Y, sample_weight=WEIGHT)
        assert clf.n_clusters_ == 2

    def test_scores_without_weights(self):
        def share(truth, predicted):
            return float(np.mean(truth == predicted))

        clf = HybridClassifier(scoring=make_scorer(share), n_clusters=2)
        with pytest.raises(InputError, match="scoring takes no sample_weight; choose a score that does"):
            clf.fit(X, Y, sample_weight=WEIGHT)
        assert np.isfinite(clf.fit(X, Y).threshold_)

    def test_classes_without_weight(self):
        with pytest.raises(InputError, match=r"sample_weight leaves the classes \(True\) without weight"):
            HybridClassifier().fit(X, Y, sample_weight=np.where(Y, 0.0, 1.0))

    @pytest.mark.parametrize("name", ["distance_cv", "threshold_cv"])
    def test_folds_that_list_rows(self, name):
        folds = list(Blocks(FOLD).split(X))
        clf = HybridClassifier(LINEAR, scoring="f1", **{name: folds})
        with pytest.raises(InputError, match=f"weight is 0 for some rows.*folds of {name} would be those"):
            clf.fit(X, Y, clusters=GROUP, sample_weight=WITH_ZEROS)
        clf.fit(X, Y, clusters=GROUP, sample_weight=WEIGHT)

    @pytest.mark.parametrize("weight", [[1.0], -np.ones(len(Y)), np.full(len(Y), np.nan)])
    def test_wrong_weights(self, weight):
        with pytest.raises(ValueError, match=r"sample_weight|NaN"):
            HybridClassifier().fit(X, Y, sample_weight=weight)


def test_routing():
    """A pipeline's last step gets the weights, with and without metadata routing."""
    machine = make_pipeline(StandardScaler(), LINEAR)
    found = []
    for routing in (False, True):
        with sklearn.config_context(enable_metadata_routing=routing):
            clf = HybridClassifier(machine, distance_cv=None)
            found.append(clf.fit(X, Y, clusters=GROUP, sample_weight=WEIGHT).predict_proba(X))
    np.testing.assert_array_equal(*found)
    plain = HybridClassifier(machine, distance_cv=None).fit(X, Y, clusters=GROUP).predict_proba(X)
    assert np.abs(found[0] - plain).max() > 0.01


def test_the_prevalence_of_weighted_rows():
    """A row of a large weight that would exceed the share of positives is not predicted positive."""
    proba, positive = np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False])
    assert by_share(proba, positive) == pytest.approx(0.55)
    assert by_share(proba, positive, np.ones(4)) == pytest.approx(0.55)
    assert by_share(proba, positive, np.array([1.0, 3.0, 1.0, 1.0])) == 0.8
    assert by_share(proba, positive, np.array([1.0, 0.5, 0.5, 1.0])) == pytest.approx(0.55)
