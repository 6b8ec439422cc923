"""Fast paths give the results of one fit per pair and fold."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, NuSVC

from pwcstats import PairwiseClassifier
from pwcstats.datasets import load
from pwcstats.pairwise import gaussian, plain, svm
from pwcstats.pairwise.data import Problem
from pwcstats.pairwise.learners import PROBABILITY, Candidate
from tests import reference_pairwise as reference

# LIBSVM solves the same problem of a pair, row for row, alone or among all pairs.
SAME_PROBLEM = 1e-12
# Isotonic steps are steep: they enlarge the rounding errors of the scores.
SAME_STEPS = 1e-10
# Sums of squares against singular values: the lost digits depend on the condition of the scatter.
SUMS = 1e-8
# Log-odds that scikit-learn's LDA gives as 1 - expit(d) have lost eight digits here.
FAR = 18.0
# Pairs are clipped at 1e-7, and each class of three is in two pairs.
CLIPPED = 3e-7
# Compatible pairs that are not clipped give p back up to the digits that r near 0 has lost.
ROUNDING = 1e-8


def data(name):
    x, y = (load(name)[key].to_numpy() for key in ("data", "target"))
    return np.asarray(x, dtype=float), y


@pytest.fixture
def no_plain_fits(monkeypatch):
    """Make sure that a fast path is taken."""

    def refuse(*_):
        raise AssertionError("a pair was fitted by itself")

    monkeypatch.setattr(plain, "_fit", refuse)


def both(estimator, x, y, weight=None, **options):
    fast = PairwiseClassifier(estimator, **options).fit(x, y, sample_weight=weight)
    slow = PairwiseClassifier(estimator, fast=False, **options).fit(x, y, sample_weight=weight)
    return fast, slow


def assert_same(fast, slow, x, tolerance):
    scores = [np.clip(clf.pairwise_scores(x), -FAR, FAR) for clf in (fast, slow)]
    np.testing.assert_allclose(*scores, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(fast.predict_proba(x), slow.predict_proba(x), rtol=0, atol=tolerance)
    assert list(fast.pairs_["learner"]) == list(slow.pairs_["learner"])
    numbers = fast.pairs_.select_dtypes("number").drop(columns=["class_i", "class_j"], errors="ignore")
    np.testing.assert_allclose(numbers, slow.pairs_[numbers.columns], rtol=tolerance, atol=tolerance)


SVMS = {
    "default": SVC(),
    "linear": SVC(kernel="linear", C=0.3),
    "balanced": SVC(class_weight="balanced", gamma=0.05),
    "weights": SVC(kernel="poly", degree=2, class_weight={1: 3.0}),
    "poly": SVC(kernel="poly", coef0=1.5),
    "sigmoid": SVC(kernel="sigmoid", gamma=0.02, coef0=0.4),
    "callable": SVC(kernel=lambda a, b: a @ b.T),
    "nu": NuSVC(nu=0.1),
}


@pytest.mark.parametrize("machine", SVMS.values(), ids=SVMS)
@pytest.mark.parametrize("options", [{}, {"threshold": "cv"}, {"threshold": "train", "calibration": "isotonic"}])
def test_svm(machine, options):
    x, y = data("wine")
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    order = np.random.default_rng(0).permutation(len(y))
    fast, slow = both(machine, x[order], np.unique(y, return_inverse=True)[1][order], **options)
    assert_same(fast, slow, x, SAME_STEPS if "calibration" in options else SAME_PROBLEM)


def test_svm_with_weights_of_rows():
    x, y = data("iris")
    weight = np.random.default_rng(1).gamma(1.0, size=len(y))
    weight[::7] = 0.0
    assert_same(*both(SVC(), x, y, weight), x, SAME_PROBLEM)


def test_svm_on_sparse_rows():
    x, y = data("digits")
    x, y = csr_matrix(x[:300]), y[:300]
    fast, slow = both(SVC(gamma=0.001), x, y)
    assert_same(fast, slow, x, SAME_PROBLEM)


def test_svm_on_a_kernel_matrix():
    x, y = data("iris")
    train, new = x[::2] @ x[::2].T, x[1::2] @ x[::2].T
    fast, slow = both(SVC(kernel="precomputed"), train, y[::2])
    assert_same(fast, slow, new, SAME_PROBLEM)
    linear = PairwiseClassifier(SVC(kernel="linear")).fit(x[::2], y[::2])
    np.testing.assert_allclose(fast.predict_proba(new), linear.predict_proba(x[1::2]), atol=1e-9)


def test_svm_takes_one_fit(no_plain_fits):
    x, y = data("iris")
    PairwiseClassifier([SVC(), SVC(C=10)], threshold="cv").fit(x, y)


def test_svm_against_a_loop_of_binary_fits():
    """Held-out scores, sigmoids and coupling done by scikit-learn's functions, an optimiser and a linear solver."""
    x, y = data("iris")
    machine = SVC(gamma=0.2)
    clf = PairwiseClassifier(machine, calibration="sigmoid").fit(x, y)
    want = reference.sigmoids(machine, x, y, 5)
    np.testing.assert_allclose(clf.pairs_[["sigmoid_a", "sigmoid_b"]], want, rtol=1e-5, atol=1e-5)
    proba = reference.coupled_sigmoids(machine, x, y, x[::7], 5)
    np.testing.assert_allclose(clf.predict_proba(x[::7]), proba, atol=1e-6)


GAUSSIANS = {
    "lda": LinearDiscriminantAnalysis(),
    "lda priors": LinearDiscriminantAnalysis(priors=[0.2, 0.5, 0.3]),
    "qda": QuadraticDiscriminantAnalysis(tol=0.0),
    "qda regularised": QuadraticDiscriminantAnalysis(reg_param=0.1, priors=[0.2, 0.5, 0.3]),
    "nb": GaussianNB(),
    "nb smoothed": GaussianNB(var_smoothing=0.01, priors=[0.2, 0.5, 0.3]),
}
CHOICES = [
    {},
    {"threshold": "train"},
    {"threshold": "cv", "coupling": "ht"},
    {"calibration": "sigmoid"},
    {"calibration": "isotonic", "calibration_cv": 3},
]


@pytest.mark.parametrize("learner", GAUSSIANS.values(), ids=GAUSSIANS)
@pytest.mark.parametrize("options", CHOICES)
def test_gaussian(learner, options):
    x, y = data("wine")
    order = np.random.default_rng(0).permutation(len(y))
    fast, slow = both(learner, x[order], y[order], **options)
    assert_same(fast, slow, x, SUMS)


@pytest.mark.parametrize("learner", GAUSSIANS.values(), ids=GAUSSIANS)
def test_gaussian_takes_no_fit_of_a_pair(learner, no_plain_fits):
    x, y = data("wine")
    PairwiseClassifier([("a", learner), ("b", learner)], threshold="cv", calibration="sigmoid").fit(x, y)


@pytest.mark.parametrize(
    ("name", "winners"), [("vehicle", {"lda"}), ("vowel", {"lda", "nb"}), ("segment", {"lda", "nb"})]
)
def test_candidates_on_real_data(name, winners):
    """Segment has a constant column, and columns that are constant within pairs."""
    x, y = data(name)
    candidates = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}
    fast, slow = both(candidates, x, y, coupling="ht")
    assert_same(fast, slow, x, SUMS)
    assert set(fast.pairs_["learner"]) == winners
    for column, learner in candidates.items():
        want = reference.cv_scores(learner, x, y, 3)
        np.testing.assert_allclose(fast.pairs_[f"cv_score_{column}"], want, atol=1e-12)


@pytest.mark.parametrize("scoring", ["neg_log_loss", "roc_auc", "balanced_accuracy", "f1_macro"])
def test_other_scores(scoring):
    x, y = data("wine")
    x = x[:, :4]
    candidates = {
        "lda": LinearDiscriminantAnalysis(),
        "nb": GaussianNB(),
        "qda": QuadraticDiscriminantAnalysis(tol=0.0),
    }
    fast, slow = both(candidates, x, y, scoring=scoring)
    assert_same(fast, slow, x, SUMS)
    np.testing.assert_allclose(
        fast.pairs_["cv_score_nb"], reference.cv_scores(GaussianNB(), x, y, 3, scoring), atol=1e-9
    )


def test_collinear_columns_are_left_to_the_plain_path():
    """If a matrix is nearly singular, the sums have too few digits to do what scikit-learn's singular values do."""
    x, y = data("iris")
    rng = np.random.default_rng(0)
    exact = np.column_stack([x, x[:, 0] - 2 * x[:, 1]])
    nearly = np.column_stack([x, x[:, 0] + 2e-5 * rng.normal(size=len(x))])
    for columns in (exact, nearly):
        assert_same(*both(LinearDiscriminantAnalysis(), columns, y), columns, SUMS)
    candidate = Candidate("lda", LinearDiscriminantAnalysis(), {}, PROBABILITY, None)
    path = gaussian.GaussianPath(Problem(nearly, y, None, False), candidate, None, 0)
    assert not path.usable.any()


def test_more_columns_than_rows():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(30, 40)), np.repeat([0, 1, 2], 10)
    x += y[:, None]
    assert_same(*both([LinearDiscriminantAnalysis(), GaussianNB()], x, y), x, SUMS)


def test_far_from_the_origin():
    x, y = data("iris")
    for learner in (LinearDiscriminantAnalysis(), GaussianNB(), QuadraticDiscriminantAnalysis(tol=0.0)):
        near = PairwiseClassifier(learner).fit(x, y).predict_proba(x)
        far = PairwiseClassifier(learner).fit(x + 1e6, y).predict_proba(x + 1e6)
        np.testing.assert_allclose(far, near, atol=1e-5)


@pytest.mark.parametrize("learner", GAUSSIANS.values(), ids=GAUSSIANS)
def test_learners_of_pairs_are_those_of_scikit_learn(learner):
    x, y = data("wine")
    fast, slow = both(learner, x, y)
    assert list(fast.estimators_) == list(slow.estimators_)
    for pair, ours in fast.estimators_.items():
        theirs = slow.estimators_[pair]
        assert type(ours) is type(theirs)
        np.testing.assert_array_equal(ours.classes_, theirs.classes_)
        np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=SUMS)
        np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))
        if isinstance(ours, LinearDiscriminantAnalysis):
            projection = ours.transform(x)[:, 0], theirs.transform(x)[:, 0]
            np.testing.assert_allclose(np.abs(np.corrcoef(*projection)[0, 1]), 1.0, atol=1e-9)
            np.testing.assert_allclose(projection[0].std(), projection[1].std(), rtol=1e-6)


def test_machines_of_pairs_are_those_of_scikit_learn():
    x, y = data("iris")
    fast, slow = both(SVC(), x, y)
    for pair, ours in fast.estimators_.items():
        np.testing.assert_allclose(ours.decision_function(x), slow.estimators_[pair].decision_function(x), atol=1e-12)
        np.testing.assert_array_equal(ours.predict(x), slow.estimators_[pair].predict(x))
        np.testing.assert_array_equal(ours.classes_, slow.estimators_[pair].classes_)


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("coupling", ["ht", "wlw1", "wlw2", "logit", "pkpd", "rv"])
def test_qda_of_pairs_is_qda(coupling, fast):
    """Bayes' rule in each pair gives compatible pairs, so any coupling returns QDA itself (Hastie & Tibshirani)."""
    learner = QuadraticDiscriminantAnalysis(tol=0.0, reg_param=1e-3)
    clf = PairwiseClassifier(learner, coupling=coupling, fast=fast)
    x, y = data("wine")
    # A clipped pair changes all means of log-odds.
    if coupling != "logit":
        np.testing.assert_allclose(clf.fit(x, y).predict_proba(x), learner.fit(x, y).predict_proba(x), atol=CLIPPED)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 400)
    x = rng.normal(scale=1.0 + 0.1 * y[:, None], size=(400, 3)) + 0.2 * y[:, None]
    r = clf.fit(x, y).pairwise_proba(x)
    # No pair is clipped.
    assert 1e-6 < r.min() < 1e-1
    np.testing.assert_allclose(clf.predict_proba(x), learner.fit(x, y).predict_proba(x), rtol=ROUNDING)


def test_version_of_scikit_learn_is_found_out():
    """The divisors that scikit-learn 1.9 changed."""
    assert gaussian._lda_lost() in (0, 2)
    assert gaussian._qda_lost() in (0, 1)


def test_sums_of_an_unknown_kernel_are_an_error():
    machine = SVC(kernel="linear").fit([[0.0], [1.0]], [0, 1])
    np.testing.assert_array_equal(svm._kernel(machine, np.array([[2.0]])), [[0.0, 2.0]])
    machine.kernel = "cosine"
    with pytest.raises(ValueError, match="no fast path for the kernel 'cosine'"):
        svm._kernel(machine, np.array([[2.0]]))
