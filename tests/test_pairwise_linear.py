"""Linear learners that predict together give the scores that each gives alone."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import logit
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, PolynomialFeatures, RobustScaler, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from pwcstats import InputError, PairwiseClassifier
from pwcstats.pairwise import linear
from pwcstats.pairwise.calibration import FARTHEST, bounded
from pwcstats.pairwise.data import Standardizer

# The same sums in another order, relative to the largest score.
ROUNDING = 1e-12
# Log-odds as log(p) - log(1 - p) have lost six digits where p is within 1e-6 of 0 or 1; the product loses none.
LOG_ODDS, NEAR = 1e-9, 14.0
# Pairs predict together if the common centre is up to 1e4 scales away, which takes four digits.
CENTRED = 1e-10
# Sums of the 24 bits of float32.
SINGLE = 1e-5

K, P = 5, 6
# Without this, newer versions of scikit-learn warn. Older ones do not know it.
KNOWN = inspect.signature(LogisticRegressionCV).parameters
NEW = {"l1_ratios": [0.0], "use_legacy_attributes": False} if "use_legacy_attributes" in KNOWN else {}
LEARNERS = {
    LogisticRegression: LogisticRegression(),
    LogisticRegressionCV: LogisticRegressionCV(Cs=[0.1, 1.0], cv=2, scoring="accuracy", **NEW),
    LinearDiscriminantAnalysis: LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1),
    LinearSVC: LinearSVC(),
    RidgeClassifier: RidgeClassifier(),
    RidgeClassifierCV: RidgeClassifierCV(),
    SGDClassifier: SGDClassifier(loss="log_loss", random_state=0),
    Perceptron: Perceptron(random_state=0),
}
SCALERS = {
    StandardScaler: StandardScaler(),
    MinMaxScaler: MinMaxScaler((-1, 2)),
    MaxAbsScaler: MaxAbsScaler(),
    RobustScaler: RobustScaler(),
    Standardizer: Standardizer(),
}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def data(rng):
    """Training rows, classes and new rows."""
    y = np.repeat(np.arange(K), 20)
    centres = rng.normal(size=(K, P))
    return centres[y] + rng.normal(size=(len(y), P)) + 3.0, y, 3.0 * rng.normal(size=(30, P)) + 3.0


def own_scores(clf, x):
    """Decision values of the learners of the pairs, one by one, in favour of class_i."""
    return np.column_stack([-np.ravel(learner.decision_function(x)) for learner in clf.estimators_.values()])


def n_together(clf):
    """The number of pairs that predict together."""
    members = clf._fitted.pairs.members
    return sum(len(member.pairs) for member in members if isinstance(member, linear.LinearPairs))


def assert_own_scores(clf, x, tolerance=ROUNDING):
    """All pairs predict together, and have the decision values of their learners."""
    assert n_together(clf) == len(clf.pairs_)
    own, found = own_scores(clf, x), clf.pairwise_scores(x)
    assert found.dtype == np.float64
    if hasattr(next(iter(clf.estimators_.values())), "predict_proba"):
        own = bounded(own)
    np.testing.assert_allclose(found, own, rtol=0, atol=tolerance * max(np.abs(own).max(), 1.0))


def test_every_row_of_the_tables_is_tested():
    assert list(LEARNERS) == list(linear.LINEAR)
    assert list(SCALERS) == list(linear.SCALERS)


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("scaler", [None, *SCALERS.values()], ids=lambda scaler: type(scaler).__name__)
def test_scores_are_the_learners_own(learner, scaler, data):
    x, y, new = data
    clf = PairwiseClassifier(learner if scaler is None else make_pipeline(scaler, learner), calibration_cv=2)
    assert_own_scores(clf.fit(x, y), new)
    assert_own_scores(clf, new[:1])


@pytest.mark.parametrize(
    "learner", [LogisticRegression(), LinearDiscriminantAnalysis(), SGDClassifier(loss="log_loss", alpha=0.1)]
)
def test_log_odds_of_probabilities(learner, data):
    """Decision values are the log-odds of the learners' own probabilities."""
    x, y, new = data
    clf = PairwiseClassifier(make_pipeline(StandardScaler(), learner), random_state=0).fit(x, y)
    assert n_together(clf) == len(clf.pairs_)
    own = np.column_stack([logit(one.predict_proba(new)[:, 0]) for one in clf.estimators_.values()])
    near = np.abs(own) < NEAR
    assert near.mean() > 0.5
    np.testing.assert_allclose(clf.pairwise_scores(new)[near], own[near], rtol=0, atol=LOG_ODDS)


def test_log_odds_are_bounded(data):
    x, y, new = data
    clf = PairwiseClassifier(LogisticRegression()).fit(x, y)
    assert np.abs(clf.pairwise_scores(1e3 * new)).max() == FARTHEST
    decisions = PairwiseClassifier(LogisticRegression(), calibration="sigmoid").fit(x, y)
    assert np.abs(decisions.pairwise_scores(1e3 * new)).max() > FARTHEST
    np.testing.assert_allclose(decisions.pairwise_scores(new), own_scores(decisions, new), rtol=ROUNDING, atol=ROUNDING)


class Doubled(TransformerMixin, BaseEstimator):
    """A transformer that is in no table."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return 2.0 * X

    def __sklearn_is_fitted__(self):
        return True


class OwnLogit(LogisticRegression):
    """A derived class, which may predict in another way."""

    def decision_function(self, X):
        return 2.0 * super().decision_function(X)


@pytest.mark.parametrize(
    "learner",
    [
        SGDClassifier(loss="modified_huber", random_state=0),
        OwnLogit(),
        make_pipeline(Doubled(), LogisticRegression()),
        make_pipeline(PolynomialFeatures(2), StandardScaler(), LogisticRegression()),
        make_pipeline(MinMaxScaler(clip=True), LogisticRegression()),
        make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0)),
    ],
    ids=str,
)
def test_what_is_not_linear_predicts_by_itself(learner, data):
    x, y, new = data
    clf = PairwiseClassifier(learner).fit(x, y)
    assert n_together(clf) == 0
    own = bounded(np.column_stack([logit(one.predict_proba(new)[:, 0]) for one in clf.estimators_.values()]))
    near = (np.abs(own) < NEAR) | (np.abs(own) == FARTHEST)
    np.testing.assert_allclose(clf.pairwise_scores(new)[near], own[near], rtol=0, atol=LOG_ODDS)


def test_decision_values_of_any_loss(data):
    x, y, new = data
    machine = SGDClassifier(loss="modified_huber", random_state=0)
    clf = PairwiseClassifier(machine, calibration="sigmoid").fit(x, y)
    assert n_together(clf) == len(clf.pairs_)
    np.testing.assert_allclose(clf.pairwise_scores(new), own_scores(clf, new), rtol=ROUNDING, atol=ROUNDING)


@pytest.mark.parametrize(
    "pipeline",
    [
        make_pipeline(StandardScaler(with_mean=False), LinearSVC()),
        make_pipeline(StandardScaler(with_std=False), LinearSVC()),
        make_pipeline(RobustScaler(with_centering=False), LinearSVC()),
        make_pipeline(RobustScaler(with_scaling=False), LinearSVC()),
        make_pipeline(MinMaxScaler((2, 7)), StandardScaler(), LinearSVC(fit_intercept=False)),
        make_pipeline(LinearSVC()),
    ],
    ids=str,
)
def test_options_of_scalers(pipeline, data):
    x, y, new = data
    assert_own_scores(PairwiseClassifier(pipeline).fit(x, y), new)


@pytest.mark.parametrize("scaler", [None, StandardScaler(with_mean=False), MaxAbsScaler(), Standardizer()])
@pytest.mark.parametrize("learner", [LinearSVC(), LogisticRegression()])
def test_sparse_rows(scaler, learner, rng):
    x = sparse.random(120, 300, 0.1, "csr", random_state=rng)
    y = rng.integers(K, size=120)
    clf = PairwiseClassifier(learner if scaler is None else make_pipeline(scaler, learner), calibration_cv=2).fit(x, y)
    for new in (x[:50], x[:1], x.tocsc(), sparse.coo_array(x)):
        assert_own_scores(clf, new)
    np.testing.assert_allclose(clf.predict_proba(x.toarray()), clf.predict_proba(x), rtol=0, atol=ROUNDING)


def test_sparse_new_rows_for_a_scaler_that_centres(data):
    x, y, new = data
    clf = PairwiseClassifier(make_pipeline(Standardizer(), LinearSVC())).fit(x, y)
    assert_own_scores(clf, sparse.csr_array(new))
    clf = PairwiseClassifier(make_pipeline(StandardScaler(), LogisticRegression())).fit(x, y)
    with pytest.raises(InputError, match="Pipeline of the pair .* cannot predict: Cannot center sparse matrices"):
        clf.predict(sparse.csr_array(new))


def test_frames(data):
    x, y, new = data
    frame, new = (pd.DataFrame(rows, columns=[f"x{c}" for c in range(P)]) for rows in (x, new))
    clf = PairwiseClassifier(make_pipeline(StandardScaler(), LogisticRegression())).fit(frame, y)
    assert_own_scores(clf, new)
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(new[new.columns[::-1]])
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(new[["x0", "x1"]])
    with pytest.raises(InputError, match="cannot predict: could not convert string to float"):
        clf.predict(new.astype(object).replace({"x1": {new["x1"][3]: "much"}}))


@pytest.mark.parametrize("scaler", [None, StandardScaler()])
def test_single_precision(scaler, data):
    x, y, new = data
    learner = LogisticRegression()
    clf = PairwiseClassifier(learner if scaler is None else make_pipeline(scaler, learner)).fit(x.astype(np.float32), y)
    assert_own_scores(clf, new.astype(np.float32), SINGLE)
    assert_own_scores(clf, new, SINGLE)


def test_weights_of_rows(data, rng):
    x, y, new = data
    weight = rng.gamma(1.0, size=len(y))
    clf = PairwiseClassifier(LogisticRegression(), coupling="ht").fit(x, y, sample_weight=weight)
    assert_own_scores(clf, new)
    pair = (y == 1) | (y == 3)
    alone = LogisticRegression().fit(x[pair], y[pair] == 3, sample_weight=weight[pair])
    column = list(clf.estimators_).index((1, 3))
    np.testing.assert_allclose(clf.pairwise_scores(new)[:, column], -alone.decision_function(new), rtol=1e-9, atol=1e-9)


def test_pairs_against_the_rest(data):
    """Learners of coupling="bayes", whose scores favour the label 1."""
    x, y, new = data
    clf = PairwiseClassifier(LogisticRegression(), coupling="bayes").fit(x, y)
    alone = PairwiseClassifier(LogisticRegression(), coupling="bayes", fast=False).fit(x, y)
    np.testing.assert_allclose(clf.predict_proba(new), alone.predict_proba(new), rtol=0, atol=LOG_ODDS)
    masses = clf._fitted.masses.members
    assert [type(member) for member in masses] == [linear.LinearPairs]


def test_some_pairs_are_linear_and_some_are_not(data):
    x, y, new = data
    candidates = {"logit": LogisticRegression(), "tree": DecisionTreeClassifier(random_state=0), "svc": LinearSVC()}
    clf = PairwiseClassifier(candidates).fit(x, y)
    chosen = clf.pairs_["learner"].tolist()
    assert {"logit", "tree"} <= set(chosen)
    assert n_together(clf) == len(chosen) - chosen.count("tree")
    alone = PairwiseClassifier(candidates, fast=False).fit(x, y)
    assert alone.pairs_["learner"].tolist() == chosen
    assert n_together(alone) == 0
    np.testing.assert_allclose(clf.predict_proba(new), alone.predict_proba(new), rtol=0, atol=LOG_ODDS)


@pytest.mark.parametrize("scaler", SCALERS.values(), ids=lambda scaler: type(scaler).__name__)
def test_columns_far_from_zero(scaler, data):
    """Rows are centred before the product, so it is as exact as the scalers are."""
    x, y, new = data
    offset = 1e6
    clf = PairwiseClassifier(make_pipeline(scaler, LogisticRegression(tol=1e-10))).fit(x + offset, y)
    # Scalers that multiply before they subtract lose the digits of the offset.
    own = {MinMaxScaler: 1e-8, MaxAbsScaler: 1e-8}.get(type(scaler), CENTRED)
    assert_own_scores(clf, new + offset, own)


def test_pairs_far_from_each_other_predict_by_themselves(data, rng):
    """Two classes near 1e9 differ by 1; a common centre would leave them seven digits."""
    x = rng.normal(size=(80, 1)) * 0.1
    y = np.repeat(np.arange(4), 20)
    x[:, 0] += np.array([0.0, 1.0, 1e9, 1e9 + 1.0])[y]
    clf = PairwiseClassifier(make_pipeline(StandardScaler(), LogisticRegression())).fit(x, y)
    assert n_together(clf) == len(clf.pairs_) - 2
    np.testing.assert_allclose(clf.pairwise_scores(x), bounded(own_scores(clf, x)), rtol=0, atol=1e-7)
    pair = y >= 2
    own = clf.estimators_[2, 3].decision_function(x[pair])
    np.testing.assert_allclose(clf.pairwise_scores(x[pair])[:, -1], -own, rtol=0, atol=LOG_ODDS)


def test_bad_rows(data):
    x, y, new = data
    clf = PairwiseClassifier(make_pipeline(StandardScaler(), LogisticRegression())).fit(x, y)
    missing = np.where(new > 5.0, np.nan, new)
    with pytest.raises(InputError, match="Pipeline of the pair .0, 1. cannot predict: Input X contains NaN"):
        clf.predict(missing)
    with pytest.raises(ValueError, match="contains NaN"):
        PairwiseClassifier(LogisticRegression()).fit(x, y).predict(missing)
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        clf.predict(new[:0])
    with pytest.raises(ValueError, match="has 5 features"):
        clf.predict(new[:, :-1])


def test_products_that_are_too_large(data):
    """What the learners give then is kept, as it is without a product."""
    x, y, _ = data
    huge = np.where(np.arange(P) % 2, 1e308, -1e308)[None, :]
    for learner in (LinearSVC(), make_pipeline(StandardScaler(), LinearSVC())):
        clf = PairwiseClassifier(learner).fit(x, y)
        alone = PairwiseClassifier(learner, fast=False).fit(x, y)
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(clf.pairwise_scores(huge), alone.pairwise_scores(huge))


def test_many_coefficients_are_kept_once(monkeypatch, data):
    """Coefficients of the learners are views of the matrix, which files leave out."""
    x, y, new = data
    monkeypatch.setattr(linear, "SHARED", 1)
    for learner in (LogisticRegression(), RidgeClassifier()):
        clf = PairwiseClassifier(learner).fit(x, y)
        (member,) = clf._fitted.pairs.members
        assert all(one.coef_.base is member._coef for one in clf.estimators_.values())
        assert_own_scores(clf, new)
        np.testing.assert_array_equal(
            [np.ravel(one.coef_) for one in clf.estimators_.values()],
            [np.ravel(one.coef_) for one in PairwiseClassifier(learner, fast=False).fit(x, y).estimators_.values()],
        )
        copy = pickle.loads(pickle.dumps(clf))
        (member,) = copy._fitted.pairs.members
        assert not {"_coef", "_intercept"} & set(member.__getstate__())
        assert all(np.shares_memory(member.learner(k).coef_, member._coef) for k in range(len(copy.pairs_)))
        np.testing.assert_array_equal(copy.predict_proba(new), clf.predict_proba(new))


def test_two_classes(data):
    x, y, new = data
    both = y < 2
    for learner in (LogisticRegression(), LinearSVC()):
        assert_own_scores(PairwiseClassifier(learner).fit(x[both], y[both]), new)
