"""Hybrids do not depend on the units of the columns: the default machine and k-means standardise them."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pwcstats import HybridClassifier, OrdinalHybridClassifier
from pwcstats.datasets import chang_clover, chang_ordered
from pwcstats.errors import ConvergenceWarning
from pwcstats.pairwise.data import Standardizer

# Rounding errors of sums in another order.
ROUNDING = 1e-12
# LIBSVM stops within its tolerance of 1e-3, at another point if columns differ in the last digit.
SOLVER = 1e-2


def rows_of_two(n=80, seed=0):
    """Two overlapping classes of two columns, as in the report of a fit that did not end."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    x = rng.normal(size=(n, 2))
    x[:, 0] += 0.5 * y
    return x, y


@pytest.mark.parametrize("unit", [10.0, 1000.0, 1e6])
@pytest.mark.parametrize("classifier", [HybridClassifier, OrdinalHybridClassifier])
def test_probabilities_and_distances_do_not_depend_on_units(classifier, unit):
    """With one column times 1,000 the unscaled machine did not end."""
    x, y = rows_of_two()
    other = x * [1.0, unit] + [0.0, 3.0 * unit]
    a, b = (classifier(random_state=0).fit(rows, y) for rows in (x, other))
    np.testing.assert_allclose(b.distances(other), a.distances(x), atol=SOLVER)
    np.testing.assert_allclose(b.predict_proba(other), a.predict_proba(x), atol=SOLVER)
    np.testing.assert_allclose(b.norms_, a.norms_, rtol=SOLVER)


def test_distances_are_in_standard_deviations_of_the_rows_of_the_machine():
    sample = chang_clover(2, 40, random_state=0)
    x, group = sample.data[sample.train] * [1.0, 30.0], sample.target[sample.train]
    clf = HybridClassifier(threshold=0.5, distance_cv=None).fit(x, group == 0, clusters=group)
    for name, machine in clf.machines_.items():
        own = x[(group == 0) | (group == int(name))]
        z = (x - own.mean(axis=0)) / own.std(axis=0, ddof=1)
        w, b = machine[-1].coef_[0], machine[-1].intercept_[0]
        assert clf.norms_[name] == pytest.approx(np.linalg.norm(w))
        np.testing.assert_allclose(clf.distances(x)[f"d_{name}"], (z @ w + b) / np.linalg.norm(w), atol=1e-9)
    assert "in standard deviations" in clf.summary().as_text()
    assert "Machines:" in clf.summary().as_text()
    assert "Pipeline" not in clf.summary().as_text()
    plain = HybridClassifier(SVC(kernel="linear"), threshold=0.5, distance_cv=None)
    assert "standard deviations" not in plain.fit(x[:, :1], group == 0, clusters=group).summary().as_text()


@pytest.mark.against_r
def test_default_machine_is_that_of_e1071():
    """svm() divides its columns by their standard deviations, with the divisor n - 1."""
    from pwcstats.r import E1071SVC

    x, y = rows_of_two()
    x[:, 1] *= 1000.0
    clf = HybridClassifier(n_clusters=1, pos_label=1, threshold=0.5, distance_cv=None).fit(x, y)
    peer = E1071SVC(kernel="linear", scale=True).fit(x, y)
    values = np.asarray(clf.machines_["1"].decision_function(x))
    np.testing.assert_allclose(values, np.ravel(peer.decision_function(x)), atol=SOLVER)
    np.testing.assert_allclose(clf.distances(x)["d_1"], values / clf.norms_["1"], atol=1e-9)


def test_clusters_do_not_depend_on_units():
    """Four clusters. If one column is much longer, k-means of unscaled columns merges two of them."""
    sample = chang_clover(4, 40, random_state=0)
    x, y = sample.data[sample.train], sample.target[sample.train] == 0
    a, b = (
        HybridClassifier(n_clusters=4, threshold=0.5, distance_cv=None, random_state=0).fit(rows, y)
        for rows in (x, x * [1.0, 1000.0])
    )
    np.testing.assert_array_equal(a.clusters_, b.clusters_)
    own = KMeans(4, n_init=10)
    seen = HybridClassifier(n_clusters=own, threshold=0.5, distance_cv=None, random_state=0).fit(x * [1.0, 1000.0], y)
    assert (seen.clusters_ != b.clusters_).any()
    labels = KMeans(4, n_init=10, random_state=seen._seed()).fit_predict((x * [1.0, 1000.0])[~y])
    np.testing.assert_array_equal(seen.clusters_[~y], labels + 1)


def test_rows_that_are_scaled_already_keep_their_clusters():
    sample = chang_clover(2, 40, random_state=0)
    x, y = StandardScaler().fit_transform(sample.data[sample.train]), sample.target[sample.train] == 0
    clf = HybridClassifier(n_clusters=4, threshold=0.5, distance_cv=None, random_state=0).fit(x, y)
    labels = KMeans(4, n_init=10, random_state=clf._seed()).fit_predict(x[~y])
    np.testing.assert_array_equal(clf.clusters_[~y], labels + 1)


class TestLimit:
    @pytest.mark.parametrize("scaled", [False, True])
    def test_machines_that_stop_early_are_named_once(self, scaled):
        sample = chang_clover(1, 40, random_state=0)
        x, group = sample.data[sample.train] * [1.0, 1000.0], sample.target[sample.train]
        machine = SVC(kernel="linear", max_iter=20)
        if scaled:
            machine = make_pipeline(StandardScaler(), machine)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            clf = HybridClassifier(machine, threshold=0.5).fit(x, group == 0, clusters=group)
        early = [w for w in caught if issubclass(w.category, ConvergenceWarning)]
        assert len(early) == 1
        assert "machines of (1, 2, 3, 4) stopped after 20 steps" in str(early[0].message)
        assert not [w for w in caught if "Solver terminated early" in str(w.message)]
        assert np.isfinite(clf.predict_proba(x)).all()

    @pytest.mark.parametrize("kind", [HybridClassifier, OrdinalHybridClassifier])
    def test_the_warning_points_to_the_call(self, kind):
        X, y = load_wine(return_X_y=True)
        with pytest.warns(ConvergenceWarning, match="stopped after 5 steps") as caught:
            kind(SVC(kernel="linear", max_iter=5), random_state=0).fit(X, y if kind is not HybridClassifier else y == 1)
        assert all(w.filename == __file__ for w in caught if issubclass(w.category, ConvergenceWarning))

    def test_default_machine_has_one(self):
        assert HybridClassifier()._learner()[-1].max_iter == 1_000_000
        assert OrdinalHybridClassifier()._learner()[-1].max_iter == 1_000_000


class Interrupted(SVC):
    """A machine whose third fit is interrupted by Ctrl-C."""

    fits = 0

    def fit(self, X, y):
        Interrupted.fits += 1
        if Interrupted.fits == 3:
            raise KeyboardInterrupt
        return super().fit(X, y)


@pytest.mark.parametrize("n_jobs", [None, 1])
def test_an_interrupt_ends_the_fit(n_jobs):
    sample = chang_ordered(2, 20, random_state=0)
    Interrupted.fits = 0
    with pytest.raises(KeyboardInterrupt):
        OrdinalHybridClassifier(Interrupted(kernel="linear"), n_jobs=n_jobs).fit(sample.data, sample.target)
    assert Interrupted.fits == 3


class TestStandardizer:
    def test_against_the_formula(self):
        x = np.random.default_rng(0).normal(3.0, 5.0, size=(30, 4)) * [1.0, 1e-200, 1e150, 1e9]
        z = Standardizer().fit_transform(x)
        plain = x / [1.0, 1e-200, 1e150, 1e9]
        np.testing.assert_allclose(z, (plain - plain.mean(axis=0)) / plain.std(axis=0, ddof=1), atol=ROUNDING)

    def test_constant_columns_become_zero(self):
        x = np.column_stack([np.arange(5.0), np.full(5, 1e6), np.full(5, 0.1)])
        scaler = Standardizer().fit(x)
        np.testing.assert_array_equal(scaler.scale_[1:], 1.0)
        np.testing.assert_allclose(scaler.transform(x)[:, 1:], 0.0, atol=ROUNDING)

    def test_sparse_columns_are_divided_only(self):
        x = np.random.default_rng(0).integers(0, 3, size=(30, 3)).astype(float) * [1.0, 0.0, 7.0]
        z = Standardizer().fit_transform(sparse.csr_array(x))
        assert sparse.issparse(z)
        np.testing.assert_allclose(
            z.toarray()[:, [0, 2]], x[:, [0, 2]] / x[:, [0, 2]].std(axis=0, ddof=1), atol=ROUNDING
        )
        np.testing.assert_array_equal(z.toarray()[:, 1], 0.0)

    def test_sparse_and_dense_machines_agree(self):
        x, y = rows_of_two()
        x = np.where(np.abs(x) < 0.3, 0.0, x) * [1.0, 1000.0]
        a = HybridClassifier(n_clusters=1, threshold=0.5).fit(x, y)
        b = HybridClassifier(n_clusters=1, threshold=0.5).fit(sparse.csr_array(x), y)
        np.testing.assert_allclose(a.distances(x), b.distances(sparse.csr_array(x)), atol=SOLVER)


@pytest.mark.parametrize("constant", [0.1, 1.731881234567891e18, 3.3e24])
def test_a_constant_column_changes_nothing(constant):
    X, y = load_wine(return_X_y=True)
    X, y = X[:, :3], (y == 1).astype(int)
    plain = HybridClassifier(random_state=0).fit(X, y)
    wide = np.column_stack([X, np.full(len(X), constant)])
    more = HybridClassifier(random_state=0).fit(wide, y)
    np.testing.assert_allclose(more.predict_proba(wide), plain.predict_proba(X), atol=1e-6)
