"""Probabilities of learners that have none: sigmoids with Jeffreys' penalty, and one temperature after coupling."""

import numpy as np
import pytest
from scipy.special import expit, log_expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from pwcstats import PairwiseClassifier, couple
from pwcstats.errors import InputError, PwcWarning
from pwcstats.logit import FirthLogit
from pwcstats.pairwise import temperature as tempering
from pwcstats.pairwise.calibration import CALIBRATIONS, best_threshold, calibrate
from pwcstats.pairwise.data import Problem
from pwcstats.pairwise.folds import make_folds
from pwcstats.pairwise.temperature import fit_temperature, sample_rows, tempered
from tests import reference_pairwise as reference

# The reference optimiser stops at a gradient of about 1e-9 (no derivatives are given to it), so at 1e-5 of a parameter.
REFERENCE = 1e-5
# Both maximise the same function by Newton's method to the last digits of its value.
SAME_MAXIMUM = 1e-7
X, Y = load_iris(return_X_y=True)


def fit_firth(scores, positive, weight):
    (sigmoid,) = CALIBRATIONS["firth"].fit(scores, positive, weight[None], "")
    return sigmoid


# Sigmoids with Jeffreys' penalty


@pytest.mark.parametrize("case", list(reference.score_cases()))
def test_firth_is_the_maximum_of_the_penalised_likelihood(case):
    scores, positive, weight = case
    a, b = fit_firth(scores, positive, weight)
    want = reference.firth(scores, positive, weight)
    np.testing.assert_allclose(a, want[0], rtol=REFERENCE, atol=REFERENCE / np.abs(scores).max())
    np.testing.assert_allclose(b, want[1], rtol=REFERENCE, atol=REFERENCE)


# A negative slope would be set to 0.
@pytest.mark.parametrize("case", [case for case in reference.score_cases() if np.corrcoef(*case[:2])[0, 1] > 0])
def test_firth_is_the_firth_fit_of_a_logit(case):
    """`FirthLogit` is compared with R's logistf and brglm2 in its own tests."""
    scores, positive, _ = case
    unit = np.abs(scores).max()
    fit = FirthLogit(positive.astype(float), np.column_stack([np.ones(len(scores)), scores / unit])).fit()
    b, a = fit.params
    got = fit_firth(scores, positive, np.ones(len(scores)))
    np.testing.assert_allclose([-got.a * unit, -got.b], [a, b], rtol=SAME_MAXIMUM, atol=SAME_MAXIMUM)


def test_whole_weights_are_repeated_rows():
    scores, positive, _ = next(iter(reference.score_cases()))
    weight = np.random.default_rng(0).integers(1, 4, len(scores))
    once = fit_firth(scores, positive, weight.astype(float))
    repeated = fit_firth(np.repeat(scores, weight), np.repeat(positive, weight), np.ones(weight.sum()))
    np.testing.assert_allclose(once, repeated, rtol=1e-9)


@pytest.mark.parametrize(("origin", "unit"), [(0.0, 1e-9), (0.0, 1e9), (1.0, 1e-9), (-1e6, 1.0)])
def test_unit_and_origin_of_the_scores_do_not_matter(origin, unit):
    scores, positive, weight = next(iter(reference.score_cases()))
    a, b = fit_firth(scores, positive, weight)
    moved = origin + unit * scores
    c, d = fit_firth(moved, positive, weight)
    # A score far from 0 has fewer digits left.
    np.testing.assert_allclose(c * moved + d, a * scores + b, rtol=0, atol=1e-9 + 1e-14 * abs(origin) / unit)


@pytest.mark.parametrize("gap", [1e-3, 1.0, 1e3, 1e6])
def test_separated_scores_have_a_finite_sigmoid(gap):
    scores = np.r_[np.linspace(gap, gap + 1, 30), np.linspace(-gap - 1, -gap, 50)]
    a, b = fit_firth(scores, scores > 0, np.ones(80))
    np.testing.assert_allclose([a, b], reference.firth(scores, scores > 0, np.ones(80)), rtol=2e-3, atol=2e-3)
    assert a < 0


def test_far_scores_have_greater_odds_than_rows():
    """Platt's odds would be at most 31 for 30 rows of a class."""
    scores = np.r_[np.linspace(0.5, 4, 30), -np.linspace(0.5, 4, 30)]
    a, b = fit_firth(scores, scores > 0, np.ones(60))
    assert np.exp(-(a * 4 + b)) > 1000


@pytest.mark.parametrize("far", [20, 100, 1e3, 1e6])
@pytest.mark.parametrize("own_side", [True, False])
def test_an_outlier_is_not_a_border(far, own_side):
    """The penalised likelihood has several maxima; the highest is near that of the other scores."""
    rng = np.random.default_rng(0)
    positive = np.arange(60) < 30
    scores = rng.normal(size=60) + 2.0 * positive
    scores[0] = far if own_side else -far
    got = fit_firth(scores, positive, np.ones(60))

    def loss(a, b):
        d = -(a * scores + b)
        v = expit(d) * expit(-d)
        spread = (v * (scores - (v @ scores) / v.sum()) ** 2).sum()
        return -log_expit(np.where(positive, d, -d)).sum() - 0.5 * np.log(v.sum() * spread)

    grid = [loss(-a, a * border) for a in np.geomspace(1e-6, 20, 80) for border in np.linspace(-2, 4, 40)]
    assert loss(*got) <= min(grid)
    if own_side:
        others = fit_firth(scores[1:], positive[1:], np.ones(59))
        np.testing.assert_allclose(got, others, rtol=0.1)


def test_scores_that_contradict_their_class_count_for_nothing():
    scores = np.r_[np.linspace(0, 1, 20), np.linspace(0.5, 1.5, 30)]
    positive = np.arange(50) < 20
    # The limit for slopes that fall to 0, and the estimate of a model without a slope.
    assert fit_firth(scores, positive, np.ones(50)) == (0.0, np.log(31 / 21))
    assert fit_firth(np.full(50, 0.3), positive, np.ones(50)) == (0.0, np.log(30.5 / 20.5))


@pytest.mark.parametrize("method", CALIBRATIONS)
def test_several_weights_are_several_fits(method):
    """Rows of weight 0 are left out. The fits of sigmoids start from the first; the last has one score only."""
    scores, positive, weight = next(iter(reference.score_cases()))
    rng = np.random.default_rng(0)
    kept = np.vstack([rng.random((4, len(scores))) < 0.7, np.arange(len(scores)) == 0])
    together = CALIBRATIONS[method].fit(scores, positive, np.where(kept, weight, 0.0), "")
    for fit, rows in zip(together, kept, strict=True):
        (alone,) = CALIBRATIONS[method].fit(scores[rows], positive[rows], weight[None, rows], "")
        np.testing.assert_allclose(fit.log_odds(scores), alone.log_odds(scores), rtol=1e-9, atol=1e-9)
        assert np.isfinite(fit.log_odds(scores)).all()


# Temperature


def overconfident(seed=0, n=300, k=4):
    """Probabilities whose logarithms are twice too large, the classes drawn from the right ones, and weights."""
    rng = np.random.default_rng(seed)
    right = rng.dirichlet(np.ones(k), size=n)
    code = np.array([rng.choice(k, p=p) for p in right])
    wrong = right**2
    return wrong / wrong.sum(axis=1, keepdims=True), code, rng.gamma(2.0, size=n)


def test_temperature_is_the_minimum_of_the_smoothed_log_loss():
    proba, code, weight = overconfident()
    # A search along a line finds the minimum of a smooth function to half of the digits.
    np.testing.assert_allclose(
        fit_temperature(proba, code, weight), reference.temperature(proba, code, weight), rtol=1e-7
    )


def test_temperature_repairs_what_is_overconfident():
    """On average over simulations; the standard error of the mean of 40 is 0.03."""
    found = [fit_temperature(*overconfident(seed)[:2], np.ones(300)) for seed in range(40)]
    np.testing.assert_allclose(np.mean(found), 2.0, atol=0.1)


def test_whole_weights_of_a_temperature_are_repeated_rows():
    proba, code, _ = overconfident()
    weight = np.random.default_rng(1).integers(1, 4, len(code))
    again = fit_temperature(np.repeat(proba, weight, axis=0), np.repeat(code, weight), np.ones(weight.sum()))
    np.testing.assert_allclose(fit_temperature(proba, code, weight.astype(float)), again, rtol=1e-10)


def test_temperature_of_certain_and_of_useless_probabilities():
    code = np.arange(90) % 3
    sure = np.where(np.eye(3)[code] > 0, 0.9, 0.05)
    assert 0.1 < fit_temperature(sure, code, np.ones(90)) < 1.0
    wrong = sure[:, [1, 2, 0]]
    np.testing.assert_allclose(fit_temperature(wrong, code, np.ones(90)), 1 / tempering.FLATTEST, rtol=1e-6)
    # Probabilities of 0 count as exp(-36); the pseudo-case makes them (1/3) / (90 + 1/3) of the largest.
    np.testing.assert_allclose(fit_temperature(np.eye(3)[code], code, np.ones(90)), 36 / np.log(271), rtol=1e-9)


def test_a_temperature_keeps_the_order_and_zeros():
    proba = np.array([[0.5, 0.3, 0.2], [0.0, 1.0, 0.0], [1e-300, 0.4, 0.6]])
    for temperature in (0.3, 1.0, 4.0):
        out = tempered(proba, temperature)
        np.testing.assert_allclose(out.sum(axis=1), 1.0, atol=1e-15)
        np.testing.assert_array_equal(np.argsort(out, axis=1), np.argsort(proba, axis=1))
        assert (out[1] == proba[1]).all()
    np.testing.assert_allclose(tempered(proba[:1], 0.5), [[25 / 38, 9 / 38, 4 / 38]], rtol=1e-14)


# Both in a classifier


class FailsFor(ClassifierMixin, BaseEstimator):
    """Naive Bayes that fails if the first class of its pair has few rows."""

    def fit(self, x, y):
        if (y == 0).sum() < 30:
            raise ValueError("too few rows")
        self.learner_ = GaussianNB().fit(x, y)
        self.classes_ = self.learner_.classes_
        return self

    def predict_proba(self, x):
        return self.learner_.predict_proba(x)


@pytest.mark.parametrize("calibration", ["firth", "isotonic"])
@pytest.mark.parametrize("fast", [True, False])
def test_temperature_by_loops(calibration, fast):
    """Every row is scored by machines and calibrated by sigmoids that have not seen its fold."""
    clf = PairwiseClassifier(SVC(), calibration=calibration, coupling="ht", weights=None, fast=fast).fit(X, Y)
    folds = list(StratifiedKFold(5).split(X, Y))
    pairs = [(0, 1), (0, 2), (1, 2)]
    held_out = np.empty((len(Y), 3))
    for train, test in folds:
        for column, pair in enumerate(pairs):
            rows = train[np.isin(Y[train], pair)]
            machine = SVC(gamma=1 / (4 * X.var())).fit(X[rows], Y[rows])
            held_out[test, column] = -machine.decision_function(X[test])
    r = np.empty_like(held_out)
    for train, test in folds:
        for column, pair in enumerate(pairs):
            rows = train[np.isin(Y[train], pair)]
            (fit,) = calibrate(calibration, held_out[rows, column], Y[rows] == pair[0], np.ones((1, len(rows))), "")
            r[test, column] = 1 / (1 + np.exp(-fit.log_odds(held_out[test, column])))
    proba = couple(r, "ht", condensed=True, clip=1e-7)
    np.testing.assert_allclose(clf.temperature_, reference.temperature(proba, Y, np.ones(len(Y))), rtol=1e-6)
    plain = PairwiseClassifier(SVC(), calibration=calibration, coupling="ht", weights=None, temperature=False).fit(X, Y)
    want = plain.predict_proba(X) ** (1 / clf.temperature_)
    np.testing.assert_allclose(clf.predict_proba(X), want / want.sum(axis=1, keepdims=True), atol=1e-9)
    np.testing.assert_array_equal(clf.predict(X), plain.predict(X))


@pytest.mark.parametrize(
    ("estimator", "options", "is_fitted"),
    [
        (SVC(), {}, True),
        (SVC(), {"calibration": "isotonic"}, True),
        (SVC(), {"temperature": False}, False),
        (SVC(), {"calibration": "sigmoid"}, False),
        (SVC(), {"calibration": "sigmoid", "temperature": True}, True),
        (RidgeClassifier(), {}, True),
        (GaussianNB(), {}, False),
        (GaussianNB(), {"temperature": True}, True),
        (GaussianNB(), {"threshold": "cv"}, True),
        ([SVC(), GaussianNB()], {}, False),
        ([SVC(), GaussianNB()], {"temperature": True, "coupling": "bayes"}, True),
        ([SVC(), RidgeClassifier()], {"coupling": "bayes"}, True),
    ],
)
def test_where_a_temperature_is_fitted(estimator, options, is_fitted):
    clf = PairwiseClassifier(estimator, **options).fit(X[:, :2], Y)
    assert (clf.temperature_ != 1.0) == is_fitted
    np.testing.assert_allclose(clf.predict_proba(X[:, :2]).sum(axis=1), 1.0)


def test_two_classes_need_no_temperature():
    two = Y > 0
    assert PairwiseClassifier(SVC()).fit(X[two], Y[two]).temperature_ == 1.0
    assert PairwiseClassifier(SVC(), temperature=True).fit(X[two], Y[two]).temperature_ != 1.0


def test_votes_have_no_temperature():
    with pytest.raises(InputError, match="coupling='vote' cannot have a temperature, because shares of votes"):
        PairwiseClassifier(SVC(), coupling="vote", temperature=True).fit(X, Y)
    assert PairwiseClassifier(SVC(), coupling="vote").fit(X, Y).temperature_ == 1.0


@pytest.mark.parametrize("learner", [SVC(), LinearDiscriminantAnalysis(), RidgeClassifier()])
def test_a_temperature_from_some_of_the_rows(learner, monkeypatch):
    """All rows would need too much memory; an equal share of each class is enough."""
    x, y = load_digits(return_X_y=True)
    x, y = x[:600], y[:600]
    whole = PairwiseClassifier(learner, temperature=True).fit(x, y)
    monkeypatch.setattr(tempering, "MOST_SCORES", 300 * 45)
    part = PairwiseClassifier(learner, temperature=True).fit(x, y)
    assert part.temperature_ != whole.temperature_
    np.testing.assert_allclose(part.temperature_, whole.temperature_, rtol=0.2)

    problem = Problem(x, y, None, square=False)
    sample = sample_rows(problem, make_folds(5, problem, "cv", None, ("", "")))
    assert len(np.unique(sample)) == 300
    assert np.ptp(np.bincount(y[sample]) / np.bincount(y)) < 0.05


def two_loops(weight, threshold, coupling):
    """Temperature of naive Bayes, Platt's sigmoids, thresholds and Bayes weights, by loops over pairs and folds."""
    folds, pairs, learner = list(StratifiedKFold(5).split(X, Y)), [(0, 1), (0, 2), (1, 2)], RidgeClassifier()
    logs = {}
    for column, pair in enumerate(pairs):
        inside = np.isin(Y, pair)
        for name, used, target in (("pair", inside, Y == pair[0]), ("mass", np.ones_like(inside), inside)):
            scores = np.empty(len(Y))
            for train, test in folds:
                rows = train[used[train]]
                scores[test] = learner.fit(X[rows], target[rows], sample_weight=weight[rows]).decision_function(X[test])
            own = np.flatnonzero(used)
            (final,) = calibrate("firth", scores[own], target[own], weight[None, own], "")
            logs[name, column] = np.empty(len(Y))
            for train, test in folds:
                rows = train[used[train]]
                (fit,) = calibrate("firth", scores[rows], target[rows], weight[None, rows], "")
                logs[name, column][test] = fit.log_odds(scores[test])
            if threshold and name == "pair":
                logs[name, column] -= best_threshold(final.log_odds(scores[own]), target[own], weight[own])
    r, mass = (np.column_stack([expit(logs[name, column]) for column in range(3)]) for name in ("pair", "mass"))
    options = {"pair_mass": mass} if coupling == "bayes" else {"clip": 1e-7}
    proba = couple(r, coupling, condensed=True, **options)
    return reference.temperature(proba, Y, weight)


@pytest.mark.parametrize(("threshold", "coupling"), [(None, "wlw2"), ("cv", "wlw2"), (None, "bayes")])
def test_temperature_with_weights_thresholds_and_bayes_weights(threshold, coupling):
    weight = np.random.default_rng(0).gamma(2.0, size=len(Y))
    clf = PairwiseClassifier(RidgeClassifier(), threshold=threshold, coupling=coupling).fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(clf.temperature_, two_loops(weight, threshold, coupling), rtol=1e-6)


@pytest.mark.parametrize("unit", [1e-6, 1 / 150])
def test_weights_that_sum_to_one_are_no_numbers_of_rows(unit):
    clf = PairwiseClassifier(GaussianNB(), calibration="firth")
    want, learned = clf.fit(X, Y).predict_proba(X), clf.temperature_
    got = clf.fit(X, Y, sample_weight=np.full(len(Y), unit))
    np.testing.assert_allclose(got.temperature_, learned, rtol=1e-9)
    np.testing.assert_allclose(got.predict_proba(X), want, atol=1e-9)


def test_a_pair_without_a_learner_has_the_shares_in_the_temperature():
    """A pair that fails has r = n_i / (n_i + n_j) for all rows, held out or not."""
    few = np.r_[0:50, 50:70, 100:150]
    x, y = X[few, :1], Y[few]
    with pytest.warns(FitFailedWarning):
        clf = PairwiseClassifier(FailsFor(), temperature=True, error_score=np.nan).fit(x, y)
    r = np.column_stack([np.full(len(y), 50 / 70), np.full(len(y), 0.5), np.full(len(y), 20 / 70)])
    for train, test in StratifiedKFold(5).split(x, y):
        for column, pair in ((0, (0, 1)), (1, (0, 2))):
            rows = train[np.isin(y[train], pair)]
            r[test, column] = GaussianNB().fit(x[rows], y[rows]).predict_proba(x[test])[:, 0]
    want = reference.temperature(couple(r, condensed=True, clip=1e-7), y, np.ones(len(y)))
    np.testing.assert_allclose(clf.temperature_, want, rtol=1e-6)


def test_folds_that_teach_nothing_are_told():
    """Rows sorted by class, and folds that are not shuffled."""
    y = np.repeat(np.arange(4), 30)
    x = np.random.default_rng(0).normal(size=(120, 2)) + 1.0 * np.column_stack([y == 1, y == 2])
    with pytest.warns(PwcWarning, match="no better than equal .*shuffle the folds of calibration_cv"):
        PairwiseClassifier(SVC(), calibration_cv=KFold(5)).fit(x, y)
    assert fit_temperature(np.full((12, 3), 1 / 3), np.arange(12) % 3, np.ones(12)) == 1.0


def test_folds_must_not_train_on_the_rows_that_they_hold_out():
    rows = np.arange(len(Y))
    with pytest.raises(InputError, match="fold 0 of calibration_cv trains on rows that it holds out"):
        PairwiseClassifier(SVC(), calibration_cv=[(rows, rows[::2]), (rows, rows[1::2])]).fit(X, Y)


def test_temperature_with_weights_and_any_number_of_jobs():
    weight = np.random.default_rng(0).gamma(1.0, size=len(Y))
    weight[::7] = 0.0
    one, two = (
        PairwiseClassifier(SVC(), random_state=0, n_jobs=n_jobs).fit(X, Y, sample_weight=weight) for n_jobs in (1, 2)
    )
    assert one.temperature_ == two.temperature_
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_ceilings_of_perfectly_separated_classes():
    """K classes of m rows: coupled odds of m + 1 (Platt) and 2m + 1 (Firth); the temperature removes the ceiling."""
    y = np.repeat(np.arange(26), 10)
    x = 1000.0 * np.eye(26)[y] + np.random.default_rng(0).normal(size=(260, 26))
    machine = SVC(kernel="linear")
    platt, firth, both = (
        PairwiseClassifier(machine, **options).fit(x, y).predict_proba(x).max(axis=1)
        for options in ({"calibration": "sigmoid"}, {"temperature": False}, {})
    )
    # The scores of a class differ by a thousandth.
    np.testing.assert_allclose(platt, 11 / 36, atol=0.002)
    np.testing.assert_allclose(firth, 21 / 46, atol=0.002)
    assert both.min() > 0.99


def test_log_loss_on_digits_is_less_than_that_of_libsvm():
    x, y = load_digits(return_X_y=True)
    train = np.arange(len(y)) % 3 > 0
    loss = {}
    for calibration in ("sigmoid", "auto"):
        clf = PairwiseClassifier(SVC(), calibration=calibration).fit(x[train], y[train])
        loss[calibration] = log_loss(y[~train], clf.predict_proba(x[~train]))
    assert loss["auto"] < 0.7 * loss["sigmoid"]


def test_a_temperature_is_fitted_to_rows_that_can_be_held_out():
    x, y = np.vstack([X, X[:1] + 5.0]), np.r_[Y, 3]
    with pytest.warns(PwcWarning, match="3"):
        clf = PairwiseClassifier(SVC()).fit(x, y)
    assert clf.temperature_ != 1.0
    with pytest.warns(PwcWarning):
        lonely = PairwiseClassifier(SVC()).fit(np.eye(3), np.arange(3))
    assert lonely.temperature_ == 1.0
