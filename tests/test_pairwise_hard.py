"""Cases in which a pairwise classifier is easily wrong: certain learners, odd folds and scorers, kernels, backends."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from sklearn.base import clone
from sklearn.datasets import load_digits, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, log_loss
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from pwcstats import ConvergenceWarning, InputError, PairwiseClassifier
from pwcstats.pairwise.calibration import best_threshold
from tests import reference_pairwise as reference

X, Y = load_wine(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
NEW = X[::5]


CERTAIN = {"tree": DecisionTreeClassifier(random_state=0), "knn": KNeighborsClassifier(1), "nb": GaussianNB()}


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 4))
    return x, (x[:, 0] + 1.5 * rng.normal(size=600) > 0).astype(int) + (x[:, 1] > 1)


@pytest.mark.parametrize("learner", CERTAIN.values(), ids=CERTAIN)
@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic"])
def test_learners_that_are_certain_are_calibrated(noisy, learner, calibration):
    """Probabilities of 0 and 1 have infinite log-odds; calibration must treat them as prediction does."""
    x, y = noisy
    clf = PairwiseClassifier(learner, calibration=calibration).fit(x[:400], y[:400])
    r = clf.pairwise_proba(x[400:])[:, 0, 1]
    if calibration == "sigmoid":
        assert 0.02 < r.min() < r.max() < 0.98
        a, b = clf.pairs_.loc[0, ["sigmoid_a", "sigmoid_b"]]
        scores = clf.pairwise_scores(x[400:])[:, 0]
        np.testing.assert_allclose(r, 1 / (1 + np.exp(a * scores + b)), rtol=1e-9)
    one_by_one = np.vstack([clf.predict_proba(x[k : k + 1]) for k in range(400, 450)])
    np.testing.assert_allclose(clf.predict_proba(x[400:450]), one_by_one, atol=1e-12)


def test_thresholds_of_learners_that_are_certain():
    """It is best to assign all rows to the larger class, and the threshold does so."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(1000, 3)), (rng.random(1000) < 0.2).astype(int)
    clf = PairwiseClassifier(DecisionTreeClassifier(random_state=0), threshold="cv").fit(x[:500], y[:500])
    assert (clf.predict(x[500:]) == 0).all()


@pytest.mark.parametrize("options", [{"calibration": "sigmoid"}, {"calibration": "isotonic"}, {"threshold": "train"}])
def test_log_odds_beyond_all_bounds(options):
    """Naive Bayes on digits has log-odds up to 1e9: both paths agree, and the predictions are useful."""
    x, y = load_digits(return_X_y=True)
    fast, slow = (PairwiseClassifier(GaussianNB(), fast=f, **options).fit(x[:900], y[:900]) for f in (True, False))
    np.testing.assert_allclose(fast.predict_proba(x[900:]), slow.predict_proba(x[900:]), atol=1e-6)
    assert fast.score(x[900:], y[900:]) > 0.75


def test_scorers_that_look_at_the_rows():
    def cost(clf, x, y):
        return -np.mean((clf.predict(x) != y) * np.abs(x[:, 0]))

    candidates = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}
    fast, slow = (PairwiseClassifier(candidates, scoring=cost, fast=f).fit(X, Y) for f in (True, False))
    np.testing.assert_allclose(fast.pairs_["cv_score_nb"], slow.pairs_["cv_score_nb"], atol=1e-12)
    np.testing.assert_allclose(fast.pairs_["cv_score_lda"], slow.pairs_["cv_score_lda"], atol=1e-12)


@pytest.mark.parametrize("fast", [True, False])
def test_rows_of_weight_0_in_a_kernel_matrix(fast):
    weight = np.random.default_rng(0).integers(0, 3, len(Y)).astype(float)
    kernel = X @ X.T
    got = PairwiseClassifier(SVC(kernel="precomputed"), fast=fast).fit(kernel, Y, sample_weight=weight)
    want = PairwiseClassifier(SVC(kernel="linear")).fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(got.predict_proba(kernel), want.predict_proba(X), atol=1e-9)
    framed = PairwiseClassifier(SVC(kernel="precomputed"), fast=fast).fit(pd.DataFrame(kernel), Y, sample_weight=weight)
    np.testing.assert_array_equal(framed.predict_proba(kernel), got.predict_proba(kernel))


@pytest.mark.filterwarnings("ignore:.*probability.*:FutureWarning")
def test_probability_of_machines_inside_others_is_left_alone():
    from sklearn.ensemble import VotingClassifier

    voting = VotingClassifier([("svc", SVC(probability=True, random_state=0)), ("nb", GaussianNB())], voting="soft")
    clf = PairwiseClassifier(voting).fit(X, Y)
    rows = Y < 2
    want = clone(voting).fit(X[rows], Y[rows]).predict_proba(NEW)[:, 0]
    np.testing.assert_allclose(clf.pairwise_proba(NEW)[:, 0, 1], want, atol=1e-12)


def test_a_tolerance_below_rounding():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 20)
    x = rng.normal(size=(60, 80)) + y[:, None]
    fast, slow = (PairwiseClassifier(LinearDiscriminantAnalysis(tol=1e-8), fast=f).fit(x, y) for f in (True, False))
    np.testing.assert_allclose(fast.predict_proba(x), slow.predict_proba(x), atol=1e-8)


def right(clf, x, y):
    return np.mean(clf.predict(x) == y)


def test_decision_values_of_0_are_called_as_libsvm_calls_them():
    x, y = np.arange(30.0)[:, None], np.repeat([0, 1], [10, 20])
    tests = [np.r_[20:30], np.r_[5:15], np.r_[0:5, 15:20]]
    cv = [(np.setdiff1d(np.arange(30), test), test) for test in tests]
    candidates = {"a": SVC(gamma=1e6), "b": GaussianNB()}
    for scoring in ("accuracy", right):
        options = {"selection_cv": cv, "scoring": scoring, "calibration": None, "coupling": "vote"}
        fast, slow = (PairwiseClassifier(candidates, fast=f, **options).fit(x, y) for f in (True, False))
        np.testing.assert_array_equal(fast.pairs_["cv_score_a"], slow.pairs_["cv_score_a"])
    halves = np.array([[0.0], [1.0]]), np.array([0, 1])
    middle = PairwiseClassifier(SVC(kernel="linear"), calibration=None, coupling="vote").fit(*halves)
    machine = SVC(kernel="linear").fit(*halves)
    assert machine.decision_function([[0.5]]) == 0.0
    assert middle.estimators_[0, 1].predict([[0.5]]) == machine.predict([[0.5]])


@pytest.mark.parametrize("scoring", ["accuracy", right])
def test_log_odds_of_0_are_called_as_scikit_learn_calls_them(scoring):
    """Classes that mirror each other, and a row of the first one in the middle."""
    x = np.array([-3.0, -1.0, 0.0, 1.0, 3.0])[:, None]
    y = np.array([0, 0, 0, 1, 1])
    cv = [(np.setdiff1d(np.arange(5), test), np.array(test)) for test in ([2], [0, 3], [1, 4])]
    options = {"selection_cv": cv, "scoring": scoring}
    candidates = {"nb": GaussianNB(var_smoothing=0.1), "again": GaussianNB()}
    fast, slow = (PairwiseClassifier(candidates, fast=f, **options).fit(x, y) for f in (True, False))
    np.testing.assert_array_equal(fast.pairs_["cv_score_nb"], slow.pairs_["cv_score_nb"])
    mirrored = GaussianNB(var_smoothing=0.1).fit(x[[0, 1, 3, 4]], y[[0, 1, 3, 4]])
    assert np.ptp(mirrored.predict_joint_log_proba([[0.0]])) == 0.0


def test_folds_that_leave_rows_out_of_training_and_folds_of_one_row():
    from sklearn.model_selection import LeaveOneOut

    splits = [(train[3:], test) for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, Y)]
    for estimator in (SVC(), LinearDiscriminantAnalysis()):
        options = {"calibration_cv": splits, "threshold": "cv"}
        fast, slow = (PairwiseClassifier(estimator, fast=f, **options).fit(X, Y) for f in (True, False))
        np.testing.assert_allclose(fast.predict_proba(X), slow.predict_proba(X), atol=1e-8)
    candidates = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}
    rows = slice(None, None, 4)
    clf = PairwiseClassifier(candidates, selection_cv=LeaveOneOut()).fit(X[rows], Y[rows])
    assert clf.score(X, Y) > 0.9


def test_backends_without_generators():
    import joblib

    want = PairwiseClassifier(LogisticRegression()).fit(X, Y).predict_proba(X)
    with joblib.parallel_config(backend="multiprocessing", n_jobs=2):
        got = PairwiseClassifier(LogisticRegression(), n_jobs=2).fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(got, want)


def test_a_seed_shuffles_both_sets_of_folds_differently(monkeypatch):
    made = []

    class Noting(StratifiedKFold):
        def split(self, X, y):
            made.append([test.tolist() for _, test in super().split(X, y)])
            return super().split(X, y)

    monkeypatch.setattr("pwcstats.pairwise.folds.StratifiedKFold", Noting)
    for seed in (0, 0, 1):
        PairwiseClassifier([SVC(), GaussianNB()], selection_cv=5, calibration_cv=5, random_state=seed).fit(X, Y)
    selection, calibration, again, _, other, _ = made
    assert selection == again
    assert selection != other
    assert selection != calibration


def test_margins_in_pieces_are_the_same(monkeypatch):
    from pwcstats.pairwise import svm

    for machine in (SVC(), SVC(kernel=lambda a, b: a @ b.T)):
        want = PairwiseClassifier(machine, threshold="train").fit(X, Y)
        monkeypatch.setattr(svm, "PIECE", 300)
        got = PairwiseClassifier(machine, threshold="train").fit(X, Y)
        np.testing.assert_allclose(got.pairs_["sigmoid_a"], want.pairs_["sigmoid_a"], rtol=1e-9)
        np.testing.assert_allclose(got.predict_proba(NEW), want.predict_proba(NEW), atol=1e-12)


@pytest.mark.filterwarnings("ignore:the scores of the pair")
@pytest.mark.parametrize("machine", [SVC(C=10), SVC(C=10, kernel="linear")], ids=["rbf", "linear"])
@pytest.mark.parametrize("options", [{"calibration": "isotonic"}, {"threshold": "cv"}, {"threshold": "train"}])
@pytest.mark.parametrize("seed", range(3))
def test_equal_rows_have_equal_scores(machine, options, seed):
    """There are nine different rows, in all classes: the order of summation must not reveal the class of a row."""
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 3, size=(300, 2)).astype(float), rng.integers(0, 3, 300)
    fast, slow = (PairwiseClassifier(machine, fast=f, **options).fit(x, y) for f in (True, False))
    # Between scores that differ by 1e-8 a step is steep.
    np.testing.assert_allclose(fast.predict_proba(x), slow.predict_proba(x), atol=1e-5)


def test_ranks_of_equal_rows():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 3, size=(300, 2)).astype(float), rng.integers(0, 3, 300)
    options = {"scoring": "roc_auc", "calibration": None, "coupling": "vote"}
    candidates = {"svc": SVC(C=10), "nb": GaussianNB()}
    fast, slow = (PairwiseClassifier(candidates, fast=f, **options).fit(x, y) for f in (True, False))
    np.testing.assert_allclose(fast.pairs_["cv_score_svc"], slow.pairs_["cv_score_svc"], atol=1e-12)


@pytest.mark.parametrize("scale", [1e-3, 1e-5, 1e-6])
def test_scores_that_hardly_differ(scale):
    """On tiny columns the scores of a linear machine are all near 1, but their ranks are right."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [120, 60])
    x = scale * (rng.normal(size=(180, 2)) + 2.0 * y[:, None])
    options = {"scoring": "roc_auc", "calibration": None, "coupling": "vote"}
    clf = PairwiseClassifier({"svc": SVC(kernel="linear"), "nb": GaussianNB()}, **options).fit(x, y)
    want = cross_val_score(SVC(kernel="linear"), x, y, cv=StratifiedKFold(3), scoring="roc_auc").mean()
    np.testing.assert_allclose(clf.pairs_["cv_score_svc"][0], want, atol=1e-3)
    assert want > 0.9
    proba = PairwiseClassifier(SVC(kernel="linear")).fit(x, y).predict_proba(x)
    # Less than half the log loss of the classes' shares.
    assert log_loss(y, proba) < 0.5 * log_loss(y, np.tile([2 / 3, 1 / 3], (180, 1)))


def test_scores_that_differ_by_rounding_only_are_told():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [120, 60])
    x = 1e-8 * (rng.normal(size=(180, 2)) + 2.0 * y[:, None])
    with pytest.warns(ConvergenceWarning, match=r"pair \(0, 1\) are equal to 11 digits, .*tiny, scale them"):
        clf = PairwiseClassifier(SVC(kernel="linear")).fit(x, y)
    np.testing.assert_allclose(clf.predict_proba(x)[:, 0], 2 / 3, atol=0.01)


@pytest.mark.parametrize("far", [1e3, 1e6])
def test_kernels_of_classes_that_are_far_apart(far):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    x = rng.normal(size=(120, 3)) + y[:, None]
    x[y == 2] += far
    ours = PairwiseClassifier(SVC(gamma=1.0)).fit(x, y).pairwise_scores(x)
    libsvm = SVC(gamma=1.0, decision_function_shape="ovo").fit(x, y).decision_function(x)
    np.testing.assert_allclose(ours, libsvm, atol=1e-10)


def test_calibrated_candidates_are_scored_as_such_whatever_the_score():
    """Balanced weights move the border of a machine, and its sigmoid moves it back."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [300, 40])
    x = rng.normal(size=(340, 2)) + np.outer(y, [1, 0])
    candidates = {"svc": SVC(class_weight="balanced"), "nb": GaussianNB()}
    for fast in (True, False):
        by_name, by_scorer, plain = (
            PairwiseClassifier(candidates, scoring=scoring, calibration=calibration, coupling="vote", fast=fast)
            .fit(x, y)
            .pairs_["cv_score_svc"][0]
            for scoring, calibration in (("accuracy", "auto"), (get_scorer("accuracy"), "auto"), ("accuracy", None))
        )
        assert by_name == by_scorer
        assert by_name > plain + 0.05


def test_balanced_weights_count_weights_of_rows():
    weight = np.random.default_rng(0).integers(1, 4, len(Y))
    again = np.repeat(np.arange(len(Y)), weight)
    learner = LogisticRegression(class_weight="balanced", tol=1e-10, max_iter=5000)
    one = PairwiseClassifier(learner).fit(X, Y, sample_weight=weight)
    two = PairwiseClassifier(learner).fit(X[again], Y[again])
    np.testing.assert_allclose(one.predict_proba(NEW), two.predict_proba(NEW), atol=1e-6)


def test_numpys_generator_is_left_alone():
    for fast in (True, False):
        before = np.random.get_state(legacy=False)  # noqa: NPY002
        PairwiseClassifier([SVC(), GaussianNB()], threshold="cv", fast=fast, random_state=1).fit(X, Y).predict(NEW)
        after = np.random.get_state(legacy=False)  # noqa: NPY002
        np.testing.assert_equal(after, before)


def test_votes_are_whole():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(26), 6)
    x = rng.normal(size=(len(y), 3)) + 0.3 * y[:, None]
    votes = PairwiseClassifier(GaussianNB()).fit(x, y).votes(x)
    np.testing.assert_array_equal(votes, np.round(votes))
    np.testing.assert_array_equal(votes.sum(axis=1), 325)


def test_thresholds_of_isotonic_steps_are_on_the_scale_of_their_log_odds():
    x = X[:, :2] + np.random.default_rng(0).normal(size=(len(Y), 2))
    plain = PairwiseClassifier(SVC(), calibration="isotonic").fit(x, Y)
    moved = PairwiseClassifier(SVC(), calibration="isotonic", threshold="train").fit(x, Y)
    rows = np.flatnonzero(Y > 0)
    with np.errstate(divide="ignore"):
        d = np.clip(logit(plain.pairwise_proba(x)[rows, 1, 2]), -36, 36)
    want = best_threshold(d, Y[rows] == 1, np.ones(len(rows)))
    assert want != 0.0
    np.testing.assert_allclose(moved.pairs_["threshold"][2], want, atol=1e-9)


FOLDS = {
    "part of the rest": [(np.delete(train, np.s_[::7]), test) for train, test in StratifiedKFold(3).split(X, Y)],
    "each row twice": list(RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0).split(X, Y)),
}


@pytest.mark.parametrize("splits", FOLDS.values(), ids=FOLDS)
def test_scores_of_odd_folds(splits):
    candidates = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}
    clf = PairwiseClassifier(candidates, selection_cv=splits, scoring="neg_log_loss").fit(X, Y)
    scores = []
    for train, test in splits:
        train, test = train[Y[train] > 0], test[Y[test] > 0]
        fitted = LinearDiscriminantAnalysis().fit(X[train], Y[train])
        scores.append(-log_loss(Y[test], fitted.predict_proba(X[test])))
    np.testing.assert_allclose(clf.pairs_["cv_score_lda"][2], np.mean(scores), atol=1e-9)


def test_as_many_folds_as_asked_for_where_a_class_is_smaller():
    rows = np.r_[0:100, 130:133]
    number, splitter = (PairwiseClassifier(SVC(), calibration_cv=cv).fit(X[rows], Y[rows]) for cv in (5, FiveFolds()))
    np.testing.assert_array_equal(number.pairs_["sigmoid_a"], splitter.pairs_["sigmoid_a"])


class FiveFolds(StratifiedKFold):
    """Five folds without the warning that a class is missing from some test sets."""

    def __init__(self):
        super().__init__(5)

    def split(self, X, y, groups=None):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            yield from super().split(X, y, groups)


def test_folds_without_a_row_of_a_pair_do_not_count():
    """Two classes of two rows each, five folds."""
    rng = np.random.default_rng(0)
    y = np.r_[np.zeros(30, int), 1, 1, 2, 2]
    x = rng.normal(size=(34, 2)) + 9.0 * y[:, None]
    candidates = {"nb": GaussianNB(var_smoothing=0.1), "again": GaussianNB()}
    for fast in (True, False):
        clf = PairwiseClassifier(candidates, selection_cv=5, fast=fast).fit(x, y)
        assert clf.pairs_["cv_score_nb"][2] == 1.0


class FailsOnPartOfTheRows(GaussianNB):
    def fit(self, X, y):
        if len(y) < np.isin(Y, np.unique(y)).sum():
            raise ValueError("too few")
        return super().fit(X, y)


def test_what_failed_in_cross_validation_comes_last():
    with pytest.warns(FitFailedWarning):
        clf = PairwiseClassifier({"a": FailsOnPartOfTheRows(), "b": GaussianNB()}, error_score=np.nan).fit(X, Y)
    assert set(clf.pairs_["learner"]) == {"b"}


def test_weights_count_in_the_sigmoids_of_scores():
    """Held-out decision values, sigmoids of weighted rows, the log loss of rows as they are.

    Weights with a mean below 1 are no numbers of rows, and are divided by their mean in the sigmoids.
    """
    weight = np.random.default_rng(0).gamma(0.5, size=len(Y))
    x = X[:, :2]
    clf = PairwiseClassifier({"svc": SVC(gamma=0.1), "nb": GaussianNB()}, scoring="neg_log_loss")
    got = clf.fit(x, Y, sample_weight=weight).pairs_["cv_score_svc"][2]
    rows = np.flatnonzero(Y > 0)
    folds = list(reference.folds_of_pair(Y, rows, 3))
    f, scores = np.empty(len(rows)), []
    for train, test in folds:
        machine = SVC(gamma=0.1).fit(x[rows[train]], Y[rows[train]], weight[rows[train]])
        f[test] = -machine.decision_function(x[rows[test]])
    for train, test in folds:
        a, b = reference.firth(f[train], Y[rows[train]] == 1, weight[rows[train]] / weight.mean())
        p = 1 / (1 + np.exp(a * f[test] + b))
        scores.append(np.log(np.where(Y[rows[test]] == 1, p, 1 - p)).mean())
    np.testing.assert_allclose(got, np.mean(scores), atol=1e-6)


def test_columns_that_are_constant_in_pairs():
    """The column is 0.1 in two classes; its mean is 0.1 except for rounding."""
    rng = np.random.default_rng(0)
    x = np.column_stack([X[:, :3], np.where(Y < 2, 0.1, rng.normal(size=len(Y)))])
    fast, slow = (PairwiseClassifier(LinearDiscriminantAnalysis(), fast=f).fit(x, Y) for f in (True, False))
    np.testing.assert_allclose(fast.predict_proba(x), slow.predict_proba(x), atol=1e-8)


def test_variances_that_are_0_in_a_fold():
    """A column of class 0 that varies in the last fold only."""
    x = X[:, :2].copy()
    x[Y == 0, 1] = 0.0
    x[np.flatnonzero(Y == 0)[-1], 1] = 1.0
    candidates = {"nb": GaussianNB(var_smoothing=0.0), "lda": LinearDiscriminantAnalysis()}
    with np.errstate(all="ignore"), pytest.warns(FitFailedWarning, match="NaN"):
        fast, slow = (
            PairwiseClassifier(candidates, fast=f, error_score=np.nan, scoring="neg_log_loss").fit(x, Y)
            for f in (True, False)
        )
    assert list(fast.pairs_["learner"]) == list(slow.pairs_["learner"])
    np.testing.assert_allclose(fast.pairs_["cv_score_nb"], slow.pairs_["cv_score_nb"], atol=1e-9)


def test_pairs_of_two_rows_are_left_to_scikit_learn():
    rows = np.r_[0:50, 60, 140]
    with pytest.raises(
        InputError, match=r"lineardiscriminantanalysis failed on the pair \(1, 2\): .*number of samples"
    ):
        PairwiseClassifier(LinearDiscriminantAnalysis()).fit(X[rows], Y[rows])


@pytest.mark.new_libraries("scikit-learn 1.6 only warns")
def test_a_large_tolerance_of_qda():
    for fast in (True, False):
        with pytest.raises(InputError, match="rank|collinear"):
            PairwiseClassifier(QuadraticDiscriminantAnalysis(tol=10.0), fast=fast).fit(X, Y)


def test_what_fits_leave_behind():
    for learner in (
        LinearDiscriminantAnalysis(store_covariance=True, priors=[0.5, 0.3, 0.2]),
        QuadraticDiscriminantAnalysis(store_covariance=True),
    ):
        fast, slow = (PairwiseClassifier(learner, fast=f).fit(X, Y) for f in (True, False))
        for pair, ours in fast.estimators_.items():
            theirs = slow.estimators_[pair]
            np.testing.assert_allclose(ours.covariance_, theirs.covariance_, atol=1e-10)
            np.testing.assert_allclose(ours.means_, theirs.means_, atol=1e-12)
            if hasattr(theirs, "xbar_"):
                np.testing.assert_allclose(ours.xbar_, theirs.xbar_, atol=1e-12)
