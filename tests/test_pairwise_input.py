"""Bad input gives a clear error or the right result."""

from typing import get_args, get_type_hints

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, StackingClassifier
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from pwcstats import InputError, PairwiseClassifier, PwcWarning
from pwcstats.pairwise.calibration import CALIBRATIONS

X, Y = load_iris(return_X_y=True)
SCALED = make_pipeline(StandardScaler(), SVC())


class Mute(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        return self


WORDS = [
    ({"coupling": "magic"}, "coupling must be one of 'ht', .*got 'magic'"),
    ({"weights": "n"}, r"weights must be 'counts', None \(all pairs equally\), or your own weights of .* got 'n'"),
    ({"threshold": "best"}, "threshold must be one of 'train', 'cv', None, got 'best'"),
    ({"calibration": "platt"}, "calibration must be one of 'auto', 'firth', 'sigmoid', 'isotonic', None, got 'platt'"),
    ({"temperature": 2.0}, "temperature must be 'auto', True or False, got 2.0"),
    ({"temperature": None}, "temperature must be 'auto', True or False, got None"),
    ({"error_score": "ignore"}, "error_score must be 'raise' or a number"),
    ({"n_jobs": 0}, "n_jobs must be a whole number other than 0"),
    ({"random_state": "x"}, "random_state must be a whole number of at least 0, a RandomState or None, got 'x'"),
    ({"calibration_cv": 1}, "calibration_cv must be a whole number of at least 2, got 1"),
    ({"estimator": []}, "estimator is empty"),
    ({"estimator": SVC}, r"is the class SVC; give an instance, SVC\(\)"),
    ({"estimator": [("a", SVC()), ("a", GaussianNB())]}, "names of candidates must differ, got 'a' twice"),
    ({"estimator": {"a__b": SVC()}}, "names of candidates must be strings without '__', got 'a__b'"),
    ({"estimator": {"a": 3, "b": SVC()}}, r"candidate 'a' must be a scikit-learn classifier, such as SVC\(\), got 3"),
    ({"estimator": "svc"}, r"estimator must be a scikit-learn classifier, such as SVC\(\), got 'svc'"),
    ({"scoring": ["accuracy"]}, r"scoring must be the name of one score, or a callable, got \['accuracy'\]"),
    ({"scoring": "acuracy"}, "acuracy"),
    ({"fast": "yes"}, "fast must be True or False, got 'yes'"),
    ({"estimator": Mute()}, r"mute \(Mute\) has neither predict_proba nor decision_function"),
    ({"calibration": None}, r"svc \(SVC\) has no predict_proba, so calibration=None .*coupling='vote'"),
    ({"estimator": GaussianNB(priors=[0.5, 0.5])}, "priors must be a positive number for each of the 3 classes"),
    ({"estimator": GaussianNB(priors=[0.5, 0.5, 0.5])}, r"priors must sum to 1, got \(0.5, 0.5, 0.5\), .* to 1.5"),
    (
        {"calibration_cv": [(np.r_[0:150], np.r_[0:151])]},
        "fold 0 of calibration_cv has the row 150, but X has 150 rows; give a splitter",
    ),
    (
        {"estimator": [SVC(), GaussianNB()], "selection_cv": [(np.zeros(150, int), np.r_[0:150])]},
        "fold 0 of selection_cv has rows more than once, as in a bootstrap",
    ),
    (
        {"estimator": [GaussianNB(), LinearDiscriminantAnalysis()], "scoring": "f1"},
        r"scoring failed on the pair \(0, 2\), with gaussiannb: pos_label=1 .*'f1_macro' need no positive class",
    ),
    (
        {"estimator": [SVC(), LogisticRegression(max_iter=500)], "scoring": "f1"},
        r"scoring failed on the pair \(0, 2\), with svc: pos_label=1",
    ),
    ({"estimator": SVC(class_weight={7: 2.0})}, r"class_weight names \(7\), but the classes of y are \(0, 1, 2\)"),
    ({"estimator": [SVC(), GaussianNB()], "scoring": "magic"}, "magic"),
    (
        {
            "estimator": [SVC(), GaussianNB()],
            "scoring": "neg_log_loss",
            "selection_cv": ShuffleSplit(3, random_state=0),
        },
        "selection_cv must hold out every row exactly once, as KFold does, because svc is calibrated",
    ),
    ({"estimator": [SVC, GaussianNB]}, "candidate 'svc' is the class SVC"),
    ({"calibration_cv": ShuffleSplit(3, random_state=0)}, "calibration_cv must hold out every row exactly once"),
    ({"calibration_cv": KFold(3)}, "class 0 has no row to train on in fold 0 of calibration_cv; use a stratified"),
]


def test_the_type_of_a_calibration_has_the_names_of_the_table():
    hints = get_type_hints(PairwiseClassifier.__init__)["calibration"]
    named = {name for part in get_args(hints) for name in get_args(part)}
    assert named == {"auto", *CALIBRATIONS}


@pytest.mark.parametrize(("options", "words"), WORDS)
def test_options_are_checked(options, words):
    with pytest.raises(ValueError, match=words):
        PairwiseClassifier(**options).fit(X, Y)


def test_not_fitted():
    clf = PairwiseClassifier()
    for method in (clf.predict, clf.predict_proba, clf.votes, clf.pairwise_proba, clf.pairwise_scores):
        with pytest.raises(NotFittedError):
            method(X)
    assert not hasattr(clf, "estimators_")


def test_y_must_be_classes():
    with pytest.raises(InputError, match="requires y to be passed"):
        PairwiseClassifier().fit(X, None)
    with pytest.raises(ValueError, match="continuous"):
        PairwiseClassifier().fit(X, Y + 0.5 * np.random.default_rng(0).random(150))
    with pytest.raises(ValueError, match="NaN"):
        PairwiseClassifier().fit(X, np.where(Y == 1, np.nan, Y))
    with pytest.raises(InputError, match="at least 2 classes, got 1 class, 0"):
        PairwiseClassifier().fit(X[:50], Y[:50])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        PairwiseClassifier().fit(X, Y[:-1])
    whole = PairwiseClassifier().fit(X, Y.astype(float))
    np.testing.assert_array_equal(whole.predict(X), PairwiseClassifier().fit(X, Y).predict(X).astype(float))


def test_x_must_be_rows_that_learners_take():
    holes = X.copy()
    holes[3, 1] = np.nan
    learners = (SVC(), GaussianNB(), LogisticRegression(max_iter=500))
    for clf in map(PairwiseClassifier, learners):
        with pytest.raises(ValueError, match="contains NaN"):
            clf.fit(holes, Y)
        clf.fit(X, Y)
        with pytest.raises(ValueError, match="contains NaN"):
            clf.predict_proba(holes)
        with pytest.raises(ValueError, match="3 features"):
            clf.predict_proba(X[:, :3])


def test_missing_values_are_laid_to_the_candidate_that_cannot_use_them():
    frame = load_iris(as_frame=True).data
    frame.iloc[3, 1] = np.nan
    candidates = [SVC(), HistGradientBoostingClassifier(max_iter=2)]
    with pytest.raises(InputError, match=r"NaN in the columns \(sepal width \(cm\)\), which \(svc\) cannot use"):
        PairwiseClassifier(candidates).fit(frame, Y)
    assert PairwiseClassifier(candidates[1]).fit(frame, Y).score(frame, Y) > 0.9
    with pytest.raises(InputError, match=r"NaN in the columns \(1\), which \(svc\) cannot use"):
        PairwiseClassifier(candidates).fit(frame.to_numpy(), Y)
    frame.iloc[[60, 120], 1] = np.nan
    for form in (frame, frame.to_numpy()):
        with pytest.warns(FitFailedWarning, match="candidates failed on 3 of 3 pairs, where others are used"):
            clf = PairwiseClassifier(candidates, error_score=np.nan).fit(form, Y)
        assert set(clf.pairs_["learner"]) == {"histgradientboostingclassifier"}
        assert clf.score(form, Y) > 0.9


def test_sparse_rows_are_laid_to_the_candidate_that_cannot_use_them():
    rows = sparse.csr_array(X)
    candidates = [LinearDiscriminantAnalysis(), SVC()]
    with pytest.raises(TypeError, match=r"X is sparse, which \(lineardiscriminantanalysis\) cannot use"):
        PairwiseClassifier(candidates).fit(rows, Y)
    with pytest.warns(FitFailedWarning, match="candidates failed on 3 of 3 pairs"):
        clf = PairwiseClassifier(candidates, error_score=np.nan).fit(rows, Y)
    assert set(clf.pairs_["learner"]) == {"svc"}


def test_categories_that_a_pair_has_not_seen():
    """Category 2 is in class 2 only."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    codes = np.column_stack([np.where(y < 2, y, 2), rng.integers(0, 3, 120)])
    clf = PairwiseClassifier(CategoricalNB()).fit(codes, y)
    np.testing.assert_allclose(clf.predict_proba(codes), CategoricalNB().fit(codes, y).predict_proba(codes), atol=1e-6)
    assert PairwiseClassifier(CategoricalNB(min_categories=5)).fit(codes, y).predict([[4, 4]]).shape == (1,)
    words = pd.DataFrame(np.array(["a", "b", "c"])[codes], columns=["one", "two"])
    clf = PairwiseClassifier(make_pipeline(OneHotEncoder(), LogisticRegression())).fit(words, y)
    with pytest.raises(InputError, match=r"Pipeline of the pair \(0, 1\) cannot predict: .*unknown.*handle_unknown"):
        clf.predict(words)
    around = make_pipeline(OneHotEncoder(), PairwiseClassifier(LogisticRegression())).fit(words, y)
    assert around.score(words, y) == 1.0


def test_learners_that_show_their_scores_after_a_fit_and_priors_in_words():
    stack = StackingClassifier([("nb", GaussianNB())])
    assert PairwiseClassifier(stack).fit(X, Y).score(X, Y) > 0.9
    if hasattr(NearestCentroid(), "predict_proba"):  # from scikit-learn 1.6 on
        for priors in ("uniform", "empirical"):
            assert PairwiseClassifier(NearestCentroid(priors=priors)).fit(X, Y).score(X, Y) > 0.9


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("learner", [GaussianNB(), QuadraticDiscriminantAnalysis()])
def test_rows_too_large_for_sums_of_squares(learner):
    name = type(learner).__name__.lower()
    clf = PairwiseClassifier(learner).fit(X, Y)
    for answer in (clf.predict_proba, clf.pairwise_proba, clf.votes):
        with pytest.raises(InputError, match=rf"{name} gave NaN for the pair \(0, 1\) in 1 of 2 rows; .*too large"):
            answer(np.vstack([X[:1], np.full((1, 4), 1e200)]))


def test_folds_of_other_data_in_a_cross_validation():
    splits = list(StratifiedKFold(3).split(X, Y))
    with pytest.raises(InputError, match="fold 0 of selection_cv has the row 149, but X has 100 rows"):
        PairwiseClassifier([SVC(), GaussianNB()], selection_cv=splits).fit(X[:100], Y[:100])
    masks = [(np.isin(np.arange(150), train), np.isin(np.arange(150), test)) for train, test in splits]
    by_mask, by_place = (PairwiseClassifier(SVC(), calibration_cv=cv).fit(X, Y) for cv in (masks, splits))
    np.testing.assert_array_equal(by_mask.predict_proba(X), by_place.predict_proba(X))


def test_a_kernel_must_be_square():
    with pytest.raises(InputError, match="needs the kernel of all training rows with each other, got 150 x 4"):
        PairwiseClassifier(SVC(kernel="precomputed")).fit(X, Y)


def test_columns_of_frames_are_compared():
    frame = load_iris(as_frame=True).data
    for learner in (SVC(), KNeighborsClassifier()):
        clf = PairwiseClassifier(learner).fit(frame, Y)
        with pytest.raises(ValueError, match="feature names"):
            clf.predict(frame[frame.columns[::-1]])
        with pytest.raises(ValueError, match="unseen at fit time"):
            clf.predict(frame.rename(columns={"sepal length (cm)": "other"}))


@pytest.mark.parametrize(
    "learner", [SVC(), GaussianNB(), KNeighborsClassifier(), make_pipeline(StandardScaler(), SVC())]
)
def test_frames_that_are_no_tables(learner):
    frame = load_iris(as_frame=True).data
    for empty in (pd.DataFrame(), frame.iloc[:0], frame[[]]):
        with pytest.raises(InputError, match="X must have at least one row and one column, got"):
            PairwiseClassifier(learner).fit(empty, Y[: len(empty)])
    with pytest.raises(InputError, match="X has two columns named 'a'; rename one"):
        PairwiseClassifier(learner).fit(pd.DataFrame(X, columns=["a", "a", "b", "c"]), Y)
    with pytest.raises(InputError, match="X must have at least one row and one column, got 0 x 4"):
        PairwiseClassifier(learner).fit(frame, Y).predict(frame.iloc[:0])
    for nothing in (np.empty((0, 4)), [], np.array(3.0), None):
        with pytest.raises(ValueError, match=r"0 sample\(s\)|Expected 2D array|0 feature"):
            PairwiseClassifier(learner).fit(nothing, Y)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_learner_that_has_nothing_to_say_is_found_at_the_fit():
    """Naive Bayes of constant columns: 0 / 0."""
    with pytest.raises(InputError, match=r"gaussiannb failed on the pair \(0, 1\): GaussianNB gave NaN"):
        PairwiseClassifier(GaussianNB()).fit(np.ones((150, 2)), Y)
    same = PairwiseClassifier(LinearDiscriminantAnalysis()).fit(np.ones((150, 2)), Y)
    np.testing.assert_allclose(same.predict_proba(np.ones((1, 2))), 1 / 3, atol=1e-12)


def test_two_hundred_classes():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(200), 6)
    x = rng.normal(size=(200, 8))[y] * 6 + rng.normal(size=(1200, 8))
    for estimator in (LinearDiscriminantAnalysis(), {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}):
        clf = PairwiseClassifier(estimator).fit(x, y)
        assert len(clf.pairs_) == 19_900
        proba = clf.predict_proba(x[:50])
        np.testing.assert_allclose(proba.sum(axis=1), 1.0, atol=1e-12)
        assert (clf.classes_[proba.argmax(axis=1)] == y[:50]).mean() > 0.9


def rare(count):
    """Class 2 with a few rows only."""
    rows = np.r_[0:100, 100 : 100 + count]
    return X[rows], Y[rows]


def test_a_class_of_one_row_needs_no_folds():
    x, y = rare(1)
    for learner in (GaussianNB(), LinearDiscriminantAnalysis(), LogisticRegression(max_iter=500)):
        fast, slow = (PairwiseClassifier(learner, fast=fast).fit(x, y) for fast in (True, False))
        np.testing.assert_allclose(fast.predict_proba(x), slow.predict_proba(x), atol=1e-8)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_class_smaller_than_the_number_of_folds(count):
    x, y = rare(count)
    for estimator in (SVC(), [LinearDiscriminantAnalysis(), GaussianNB()]):
        for options in ({}, {"threshold": "cv"}, {"random_state": 0}):
            clf = PairwiseClassifier(estimator, **options).fit(x, y)
            assert np.isfinite(clf.predict_proba(x)).all()
            assert clf.score(x, y) > 0.95


def test_every_class_smaller_than_the_number_of_folds():
    rows = np.r_[0:3, 50:53, 100:103]
    assert PairwiseClassifier(calibration_cv=5).fit(X[rows], Y[rows]).predict_proba(X).shape == (150, 3)


def test_weights():
    with pytest.raises(ValueError, match="[Nn]egative"):
        PairwiseClassifier().fit(X, Y, sample_weight=-np.ones(150))
    with pytest.raises(InputError, match=r"leaves the classes \(1\) without weight"):
        PairwiseClassifier().fit(X, Y, sample_weight=(Y != 1).astype(float))
    with pytest.raises(ValueError, match="sample_weight"):
        PairwiseClassifier().fit(X, Y, sample_weight=np.ones(10))


def test_other_couplings_after_fit():
    clf = PairwiseClassifier(GaussianNB()).fit(X, Y)
    want = PairwiseClassifier(GaussianNB(), coupling="vote").fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(clf.set_params(coupling="vote").predict_proba(X), want)
    with pytest.raises(InputError, match="was set after fit, which has not learned its weights"):
        clf.set_params(coupling="bayes").predict_proba(X)
    machines = PairwiseClassifier(SVC(), temperature=False).fit(X, Y).set_params(coupling="ht")
    tempered = PairwiseClassifier(SVC()).fit(X, Y).set_params(coupling="ht")
    with pytest.warns(PwcWarning, match="coupling='ht' was set after fit, so the probabilities have no temp"):
        np.testing.assert_allclose(tempered.predict_proba(X), machines.predict_proba(X), atol=1e-12)
    weighted = PairwiseClassifier(SVC(), coupling="ht").fit(X, Y)
    with pytest.warns(PwcWarning, match="weights was set after fit, so the probabilities have no temperature"):
        weighted.set_params(weights=[1.0, 2.0, 3.0]).predict_proba(X)
    with pytest.raises(InputError, match="weights must be 'counts', None .all pairs equally., or your own"):
        weighted.set_params(weights="foo").predict_proba(X)


def test_bayes_weights_know_no_classes():
    with pytest.raises(InputError, match="coupling='bayes' cannot use priors of gaussiannb"):
        PairwiseClassifier(GaussianNB(priors=[0.2, 0.3, 0.5]), coupling="bayes").fit(X, Y)


def test_one_number_for_all_weights():
    weighted = PairwiseClassifier(LogisticRegression(max_iter=1000)).fit(X, Y, sample_weight=2.0)
    assert weighted.pairs_["n"].tolist() == [200, 200, 200]
