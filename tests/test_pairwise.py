"""What PairwiseClassifier does, on any path."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from pwcstats import PairwiseClassifier, couple
from pwcstats.coupling import METHODS
from pwcstats.coupling.methods import find_method
from pwcstats.datasets import szepannek_classes
from pwcstats.errors import InputError
from tests import reference_pairwise as reference

X, Y = load_wine(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
NEW = X[::5]


def test_r_is_the_learners_own_probability():
    """Logistic regressions fitted by hand on each pair."""
    clf = PairwiseClassifier(LogisticRegression()).fit(X, Y)
    r = clf.pairwise_proba(NEW)
    for i, j in [(0, 1), (0, 2), (1, 2)]:
        rows = np.isin(Y, (i, j))
        fitted = LogisticRegression().fit(X[rows], Y[rows])
        np.testing.assert_allclose(r[:, i, j], fitted.predict_proba(NEW)[:, 0], rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(r[:, j, i], 1 - r[:, i, j], atol=1e-15)
        np.testing.assert_array_equal(clf.estimators_[i, j].coef_, fitted.coef_)
    assert (r[:, [0, 1, 2], [0, 1, 2]] == 0.5).all()


@pytest.mark.parametrize("coupling", [method for method in METHODS if method != "bayes"])
def test_probabilities_are_coupled(coupling):
    clf = PairwiseClassifier(GaussianNB(), coupling=coupling).fit(X, Y)
    counts = np.array([[0, 130, 107], [130, 0, 119], [107, 119, 0]])
    row = find_method(coupling)
    weights = {"n": counts} if row.uses_weights else {}
    want = couple(clf.pairwise_proba(NEW), coupling, clip=row.classifier_clip, **weights)
    np.testing.assert_allclose(clf.predict_proba(NEW), want, atol=1e-12)
    np.testing.assert_array_equal(clf.predict(NEW), want.argmax(axis=1))
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(clf.predict_log_proba(NEW), np.log(want), atol=1e-9)


def test_weights_count_in_ht():
    """Without weights all pairs count equally; with them the pair of the larger classes counts more."""
    rows = np.r_[0:50, 59:125, 130:140]
    x = X[rows, :2] + np.random.default_rng(0).normal(scale=2, size=(len(rows), 2))
    learner = LogisticRegression()
    options = [PairwiseClassifier(learner, coupling="ht", weights=w).fit(x, Y[rows]) for w in ("counts", None)]
    assert options[0].pairs_["n"].tolist() == [116, 60, 76]
    r = options[0].pairwise_proba(x)
    np.testing.assert_allclose(options[1].predict_proba(x), couple(r, "ht"), atol=1e-12)
    assert np.abs(options[0].predict_proba(x) - options[1].predict_proba(x)).max() > 1e-4


class TestOwnWeights:
    N = np.array([[0.0, 3.0, 1.5], [3.0, 0.0, 8.0], [1.5, 8.0, 0.0]])
    NAMES = np.array(["x", "y", "z"])

    @pytest.mark.parametrize("coupling", [method for method in METHODS if find_method(method).uses_weights])
    def test_every_form(self, coupling):
        y = self.NAMES[Y]
        turned = pd.DataFrame(self.N, self.NAMES, self.NAMES).loc[["z", "x", "y"], ["y", "z", "x"]]
        condensed = self.N[np.triu_indices(3, 1)]
        named = pd.Series(condensed, index=["x/y", "x/z", "y/z"])
        for weights in (self.N, self.N.tolist(), turned, condensed, named):
            clf = PairwiseClassifier(GaussianNB(), coupling=coupling, weights=weights).fit(X, y)
            clip = find_method(coupling).classifier_clip
            expected = couple(clf.pairwise_proba(NEW), coupling, n=self.N, clip=clip)
            np.testing.assert_allclose(clf.predict_proba(NEW), expected, rtol=0, atol=1e-12)
            for copy in (clone(clf).fit(X, y), pickle.loads(pickle.dumps(clf))):
                np.testing.assert_array_equal(copy.predict_proba(NEW), clf.predict_proba(NEW))
            assert "weights=" in repr(clf)

    def test_pairs_of_weight_0_are_not_used(self):
        n = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
        clf = PairwiseClassifier(GaussianNB(), coupling="ht", weights=n).fit(X, Y)
        expected = couple(clf.pairwise_proba(NEW), "rv", equations=1)
        np.testing.assert_allclose(clf.predict_proba(NEW), expected, rtol=0, atol=1e-9)

    def test_in_a_grid(self):
        clf = PairwiseClassifier(GaussianNB(), coupling="ht")
        grid = GridSearchCV(clf, {"weights": ["counts", None, self.N]}, scoring="neg_log_loss", cv=3).fit(X, Y)
        assert len(set(grid.cv_results_["mean_test_score"])) == 3
        assert clf.set_params(weights=self.N).get_params()["weights"] is self.N

    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            (N[:2, :2], "must be a 3 x 3 matrix, or a vector of 3 numbers, one for each pair, got 2 x 2"),
            (np.triu(N), "must be symmetric, got 3.0 and 0.0 for the pair x/y"),
            (-N, r"must hold finite numbers >= 0, got -3.0 for the pair x/y"),
            (np.array([1.0, 0, 0]), r"graph is not connected: weights leaves \{x, y\} and \{z\} without"),
            (np.array([1.0, 1e-310, 1]), "^the positive numbers in weights differ by more than 1e"),
            (pd.DataFrame(N, list("abc"), list("abc")), r"labelled by the classes \(x, y, z\), got \(a, b, c\)"),
            (pd.Series([1.0, 2, 3], ["y/x", "y/z", "x/z"]), r"of weights must be \(x, y, z\), in this order"),
        ],
    )
    def test_bad_weights_are_found_before_the_fit(self, weights, message):
        class Unfit(GaussianNB):
            def fit(self, *_):
                raise AssertionError

        with pytest.raises(InputError, match=message):
            PairwiseClassifier(Unfit(), coupling="ht", weights=weights).fit(X, self.NAMES[Y])

    def test_other_couplings_do_not_use_them(self):
        message = (
            "^only coupling='ht' or coupling='logit' uses weights of the pairs, got coupling='wlw2'; leave weights"
        )
        with pytest.raises(InputError, match=message):
            PairwiseClassifier(GaussianNB(), weights=self.N).fit(X, Y)
        for weights in ("counts", None):
            PairwiseClassifier(GaussianNB(), weights=weights).fit(X, Y)


def test_bayes_weights_are_learned_by_pairs_against_the_rest():
    clf = PairwiseClassifier(LogisticRegression(C=0.01), coupling="bayes").fit(X, Y)
    mass = np.zeros((len(NEW), 3, 3))
    for i, j in [(0, 1), (0, 2), (1, 2)]:
        union = np.isin(Y, (i, j))
        mass[:, i, j] = mass[:, j, i] = LogisticRegression(C=0.01).fit(X, union).predict_proba(NEW)[:, 1]
    want = couple(clf.pairwise_proba(NEW), "bayes", pair_mass=mass)
    np.testing.assert_allclose(clf.predict_proba(NEW), want, atol=1e-9)


def test_weights_of_rows_reach_the_pairs_against_the_rest():
    """The weights reach the learners and, for learners without probabilities, their sigmoids."""
    weight = np.random.default_rng(0).integers(1, 4, len(Y))
    again = np.repeat(np.arange(len(Y)), weight)
    fold = np.arange(len(Y)) % 4
    cv, cv_again = ([(np.flatnonzero(f != k), np.flatnonzero(f == k)) for k in range(4)] for f in (fold, fold[again]))
    x = X[:, :3]
    for learner in (LogisticRegression(tol=1e-9, max_iter=1000), SVC(tol=1e-9, gamma=0.1)):
        one = PairwiseClassifier(learner, coupling="bayes", calibration_cv=cv).fit(x, Y, sample_weight=weight)
        two = PairwiseClassifier(learner, coupling="bayes", calibration_cv=cv_again).fit(x[again], Y[again])
        np.testing.assert_allclose(one.predict_proba(x), two.predict_proba(x), atol=1e-6)


def test_bayes_calibrates_what_has_no_probabilities():
    proba = PairwiseClassifier(SVC(), coupling="bayes").fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1, atol=1e-12)
    assert (proba.argmax(axis=1) == Y).mean() > 0.97


def test_votes_are_counted_with_halves():
    clf = PairwiseClassifier(GaussianNB()).fit(X, Y)
    r = clf.pairwise_proba(NEW)
    np.fill_diagonal(r[0], 0)
    want = ((r > 0.5) + 0.5 * (r == 0.5)).sum(axis=2) - 0.5
    want[0] += 0.5
    np.testing.assert_array_equal(clf.votes(NEW), want)


def test_each_pair_keeps_its_best_candidate():
    """Szepannek's example: LDA suits the correlated classes 1 and 2, naive Bayes the uncorrelated classes 3 and 4."""
    x, y = szepannek_classes(0.0, 0.9, n_per_class=300, random_state=1)
    candidates = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}
    clf = PairwiseClassifier(candidates, coupling="ht").fit(x, y)
    choice = clf.pairs_.set_index(["class_i", "class_j"])
    assert choice.loc[(1, 2), "learner"] == "lda"
    assert choice.loc[(3, 4), "learner"] == "nb"
    errors = {name: 1 - learner.fit(x, y).score(x, y) for name, learner in candidates.items()}
    assert 1 - clf.score(x, y) < 0.5 * min(errors.values())


def test_choice_follows_the_scores_and_ties_go_to_the_first():
    candidates = [
        ("tree", DecisionTreeClassifier(max_depth=1, random_state=0)),
        ("log", LogisticRegression()),
        ("again", LogisticRegression()),
    ]
    clf = PairwiseClassifier(candidates, scoring="neg_log_loss", selection_cv=4).fit(X, Y)
    scores = clf.pairs_[["cv_score_tree", "cv_score_log", "cv_score_again"]]
    for name, column in zip(("tree", "log"), scores, strict=False):
        want = reference.cv_scores(dict(candidates)[name], X, Y, 4, "neg_log_loss")
        np.testing.assert_allclose(clf.pairs_[column], want, atol=1e-12)
    assert (scores["cv_score_log"] == scores["cv_score_again"]).all()
    assert set(clf.pairs_["learner"]) == {"log"}


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("calibration", reference.SIGMOIDS)
def test_learners_without_probabilities_are_scored_as_they_will_be_used(calibration, fast):
    """Held-out decision values, each fold calibrated by the others, then the log loss of the folds."""
    candidates = {"svc": SVC(gamma=0.1), "nb": GaussianNB()}
    clf = PairwiseClassifier(candidates, scoring="neg_log_loss", calibration=calibration, fast=fast).fit(X, Y)
    rows = np.flatnonzero(Y > 0)
    folds = list(reference.folds_of_pair(Y, rows, 3))
    held_out = np.empty(len(rows))
    for train, test in folds:
        held_out[test] = -SVC(gamma=0.1).fit(X[rows[train]], Y[rows[train]]).decision_function(X[rows[test]])
    scores = []
    for train, test in folds:
        a, b = reference.SIGMOIDS[calibration](held_out[train], Y[rows[train]] == 1, np.ones(len(train)))
        p = 1 / (1 + np.exp(a * held_out[test] + b))
        scores.append(np.log(np.where(Y[rows[test]] == 1, p, 1 - p)).mean())
    np.testing.assert_allclose(clf.pairs_["cv_score_svc"][2], np.mean(scores), atol=1e-6)
    auc = PairwiseClassifier(candidates, scoring="roc_auc", calibration="isotonic", fast=fast).fit(X, Y)
    assert (auc.pairs_["cv_score_svc"] > 0.95).all()


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration_learns_from_held_out_scores(method):
    """A ridge classifier's decision values, by hand."""
    from sklearn.isotonic import IsotonicRegression

    clf = PairwiseClassifier(RidgeClassifier(alpha=100), calibration=method, calibration_cv=4).fit(X, Y)
    rows = np.flatnonzero(np.isin(Y, (0, 2)))
    held_out = np.empty(len(rows))
    for train, test in reference.folds_of_pair(Y, rows, 4):
        held_out[test] = (
            -RidgeClassifier(alpha=100).fit(X[rows[train]], Y[rows[train]]).decision_function(X[rows[test]])
        )
    new = -RidgeClassifier(alpha=100).fit(X[rows], Y[rows]).decision_function(NEW)
    if method == "sigmoid":
        a, b = reference.platt(held_out, Y[rows] == 0, np.ones(len(rows)))
        want = 1 / (1 + np.exp(a * new + b))
    else:
        want = IsotonicRegression(out_of_bounds="clip", y_min=0, y_max=1).fit(held_out, Y[rows] == 0).predict(new)
    np.testing.assert_allclose(clf.pairwise_proba(NEW)[:, 0, 2], want, atol=1e-6)
    np.testing.assert_allclose(clf.pairwise_scores(NEW)[:, 1], new, atol=1e-12)


def test_auto_calibrates_only_what_has_no_probabilities():
    clf = PairwiseClassifier({"nb": GaussianNB(), "ridge": RidgeClassifier()}).fit(X, Y)
    chosen = clf.pairs_["learner"] == "ridge"
    assert (clf.pairs_["sigmoid_a"].notna() == chosen).all()


def test_svc_with_probability_true_is_svc():
    """The parameter that scikit-learn removes gives no warning, and the same results."""
    old = PairwiseClassifier(SVC(probability=True)).fit(X, Y)
    np.testing.assert_array_equal(old.predict_proba(NEW), PairwiseClassifier(SVC()).fit(X, Y).predict_proba(NEW))
    piped = [
        PairwiseClassifier(make_pipeline(StandardScaler(), SVC(**p))).fit(X, Y) for p in ({"probability": True}, {})
    ]
    np.testing.assert_array_equal(*(clf.predict_proba(NEW) for clf in piped))


def test_votes_need_no_calibration():
    clf = PairwiseClassifier(SVC(), coupling="vote", calibration=None).fit(X, Y)
    np.testing.assert_array_equal(clf.predict(NEW), SVC().fit(X, Y).predict(NEW))


@pytest.mark.parametrize("kind", ["train", "cv"])
def test_thresholds_move_the_borders(kind):
    """On the scale of the logits, where the errors of the pair are fewest (Hastie & Tibshirani)."""
    learner = LogisticRegression(class_weight={0: 20.0})
    clf = PairwiseClassifier(learner, threshold=kind, calibration_cv=4).fit(X[:, :2], Y)
    plain = PairwiseClassifier(learner).fit(X[:, :2], Y)
    t = clf.pairs_["threshold"].to_numpy()
    d = plain.pairwise_scores(X[:, :2])
    np.testing.assert_allclose(clf.pairwise_proba(X[:, :2])[:, 0, 1], 1 / (1 + np.exp(t[0] - d[:, 0])), atol=1e-12)
    rows = np.flatnonzero(Y < 2)
    if kind == "cv":
        held_out = np.empty(len(rows))
        for train, test in reference.folds_of_pair(Y, rows, 4):
            one = clone(learner).fit(X[rows[train], :2], Y[rows[train]])
            held_out[test] = -one.decision_function(X[rows[test], :2])
    else:
        held_out = d[rows, 0]
    errors = [
        reference.threshold_errors(held_out, Y[rows] == 0, np.ones(len(rows)), each) for each in np.sort(held_out)
    ]
    assert reference.threshold_errors(held_out, Y[rows] == 0, np.ones(len(rows)), t[0]) == min(errors)
    assert t[0] > 0.5


def test_folds_are_shared_by_all_pairs_and_may_be_given():
    splits = list(StratifiedKFold(5).split(X, Y))
    by_number = PairwiseClassifier(SVC()).fit(X, Y)
    for cv in (splits, StratifiedKFold(5), iter(splits)):
        np.testing.assert_array_equal(
            PairwiseClassifier(SVC(), calibration_cv=cv).fit(X, Y).predict_proba(NEW), by_number.predict_proba(NEW)
        )


def test_selection_may_use_random_splits():
    candidates = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}
    clf = PairwiseClassifier(candidates, selection_cv=ShuffleSplit(5, random_state=0)).fit(X, Y)
    for pair, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        scores = []
        for train, test in ShuffleSplit(5, random_state=0).split(X):
            train, test = (part[np.isin(Y[part], (i, j))] for part in (train, test))
            scores.append(GaussianNB().fit(X[train], Y[train]).score(X[test], Y[test]))
        np.testing.assert_allclose(clf.pairs_["cv_score_nb"][pair], np.mean(scores), atol=1e-12)


def test_groups_stay_together():
    from sklearn.model_selection import GroupKFold, LeaveOneGroupOut

    groups = np.arange(len(Y)) % 5
    clf = PairwiseClassifier(SVC(), calibration_cv=GroupKFold(5)).fit(X, Y, groups=groups)
    splits = list(LeaveOneGroupOut().split(X, Y, groups))
    want = PairwiseClassifier(SVC(), calibration_cv=splits).fit(X, Y)
    np.testing.assert_allclose(clf.pairs_["sigmoid_a"], want.pairs_["sigmoid_a"], rtol=1e-9)


def test_groups_are_for_splitters_that_ask():
    from sklearn.model_selection import GroupKFold

    clf = PairwiseClassifier([GaussianNB(), SVC()], selection_cv=GroupKFold(3)).fit(X, Y, groups=np.arange(len(Y)) % 5)
    assert clf.score(X, Y) > 0.95


def test_parameters_of_the_default_learner_cannot_be_set():
    """An SVC(C=3) would get the columns as they are, unlike the default."""
    with pytest.raises(InputError, match="there is no estimator__C to set, as estimator=None; give estimator=SVC"):
        PairwiseClassifier().set_params(estimator__C=3.0)
    clf = PairwiseClassifier().set_params(estimator=SVC(), estimator__C=3.0)
    assert clf.estimator.C == 3.0


def test_the_same_seed_gives_the_same_bits_whatever_n_jobs():
    from sklearn.ensemble import RandomForestClassifier

    candidates = [RandomForestClassifier(5), SVC(), GaussianNB(), make_pipeline(StandardScaler(), LogisticRegression())]
    want = None
    for n_jobs in (None, 2, -1):
        clf = PairwiseClassifier(candidates, n_jobs=n_jobs, random_state=3, threshold="cv").fit(X, Y)
        answer = clf.predict_proba(X), clf.pairs_.to_csv()
        want = want or answer
        np.testing.assert_array_equal(answer[0], want[0])
        assert answer[1] == want[1]
    other = PairwiseClassifier(candidates, random_state=4, threshold="cv").fit(X, Y)
    assert not np.array_equal(other.predict_proba(X), want[0])


def test_without_a_seed_nothing_is_random():
    one, two = (PairwiseClassifier([SVC(), GaussianNB()]).fit(X, Y).predict_proba(X) for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_prediction_in_pieces_is_the_same(monkeypatch):
    from pwcstats.pairwise import prediction as pairwise

    x, y = load_digits(return_X_y=True)
    clf = PairwiseClassifier([GaussianNB(var_smoothing=1e-3), KNeighborsClassifier()], n_jobs=2).fit(x[:500], y[:500])
    whole = clf.predict_proba(x[500:600]), clf.pairwise_proba(x[500:600]), clf.votes(x[500:600])
    monkeypatch.setattr(pairwise, "PIECE", 45 * 7)
    for was, now in zip(
        whole, (clf.predict_proba(x[500:600]), clf.pairwise_proba(x[500:600]), clf.votes(x[500:600])), strict=True
    ):
        np.testing.assert_allclose(now, was, rtol=1e-12, atol=1e-15)


def test_memory_grows_with_the_classes_not_with_the_pairs(monkeypatch):
    import tracemalloc

    from pwcstats.pairwise import prediction as pairwise

    monkeypatch.setattr(pairwise, "PIECE", 2**18)
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(40), 10)
    clf = PairwiseClassifier(LinearDiscriminantAnalysis()).fit(rng.normal(size=(400, 3)) + y[:, None], y)
    new = rng.normal(size=(20_000, 3)) * 20
    clf.predict_proba(new[:100])
    tracemalloc.start()
    clf.predict_proba(new)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The result takes 6.4 MB, all pairs of all rows would be 125 MB, and (n, K, K) twice that.
    assert peak < 25e6


def test_ties_go_to_the_first_class_or_are_drawn():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(300, 2)), np.repeat(np.arange(6), 50)
    votes = PairwiseClassifier(DecisionTreeClassifier(max_depth=1, random_state=0), coupling="vote").fit(x, y)
    proba = votes.predict_proba(x)
    tied = (proba == proba.max(axis=1, keepdims=True)).sum(axis=1) > 1
    assert tied.sum() > 5
    np.testing.assert_array_equal(votes.predict(x), proba.argmax(axis=1))
    votes.set_params(random_state=0)
    drawn = votes.predict(x)
    np.testing.assert_array_equal(drawn, votes.predict(x))
    assert (drawn[~tied] == proba.argmax(axis=1)[~tied]).all()
    assert (proba[np.arange(300), drawn] == proba.max(axis=1)).all()
    later = (drawn != proba.argmax(axis=1))[tied].mean()
    assert 0.3 < later < 0.8


def test_progress_is_shown(capsys):
    PairwiseClassifier([LogisticRegression(), SVC()], verbose=1).fit(X, Y)
    shown = capsys.readouterr().err
    assert "choosing: logisticregression" in shown
    assert "folds of all pairs" in shown
    PairwiseClassifier([LogisticRegression(), SVC()]).fit(X, Y)
    assert capsys.readouterr().err == ""


def test_fits_leave_the_input_alone():
    x, y, weight = X.copy(), Y.copy(), np.ones(len(Y))
    candidates = {"svc": SVC(), "nb": GaussianNB()}
    before = pickle.dumps(candidates)
    PairwiseClassifier(candidates, random_state=0).fit(x, y, sample_weight=weight)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(y, Y)
    assert pickle.dumps(candidates) == before


def test_a_fitted_classifier_does_not_carry_its_data():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(20_000, 10)), rng.integers(0, 4, 20_000)
    clf = PairwiseClassifier([LinearDiscriminantAnalysis(), GaussianNB(), LogisticRegression()], threshold="cv").fit(
        x, y
    )
    assert len(pickle.dumps(clf)) < 200_000


def test_kfold_that_shuffles():
    cv = KFold(5, shuffle=True, random_state=0)
    clf = PairwiseClassifier(LinearSVC(), calibration_cv=cv, coupling="pkpd").fit(*load_iris(return_X_y=True))
    assert clf.score(*load_iris(return_X_y=True)) > 0.95
