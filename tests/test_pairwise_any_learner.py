"""Learners of other packages and kinds: boosted trees, pipelines, frozen steps; and frames of pandas and polars."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from lightgbm import LGBMClassifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits
from xgboost import XGBClassifier

from pwcstats import InputError, PairwiseClassifier
from pwcstats.coupling.methods import METHODS
from pwcstats.errors import PwcWarning
from pwcstats.pairwise import prediction

X, Y = load_iris(return_X_y=True)
# Three classes of different size that overlap.
KEPT = np.r_[0:50, 50:90, 100:120]
X, Y = X[KEPT, :2] + np.random.default_rng(0).normal(0, 0.3, (110, 2)), Y[KEPT]
WEIGHT = np.random.default_rng(1).gamma(1.0, size=len(Y))
GRID = {"C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0]}
# Sums in another order.
ROUNDING = 1e-12
# Two ways to weight the same rows: solvers stop at other points of the same tolerance.
SOLVER = 1e-6


@pytest.fixture(autouse=True)
def _one_thread():
    """Threads of boosted trees wait for each other longer than they work here."""
    with threadpool_limits(1):
        yield


def pair(i, j):
    rows = np.flatnonzero((Y == i) | (Y == j))
    return rows, (Y[rows] == j).astype(int)


class TestWeightsInPipelines:
    @pytest.mark.parametrize(
        ("make", "key"),
        [
            (lambda: make_pipeline(StandardScaler(), LogisticRegression()), "logisticregression__sample_weight"),
            (lambda: make_pipeline(StandardScaler(), SVC()), "svc__sample_weight"),
            (
                lambda: make_pipeline(StandardScaler(), make_pipeline(PCA(2), LogisticRegression())),
                "pipeline__logisticregression__sample_weight",
            ),
            (
                lambda: make_pipeline(StandardScaler(), LGBMClassifier(n_estimators=3, verbose=-1, n_jobs=1)),
                "lgbmclassifier__sample_weight",
            ),
        ],
        ids=["logistic regression", "machine", "pipeline in a pipeline", "boosted trees"],
    )
    def test_weights_reach_the_last_step(self, make, key):
        clf = PairwiseClassifier(make()).fit(X, Y, sample_weight=WEIGHT)
        rows, y = pair(1, 2)
        scaler = StandardScaler().fit(X[rows])
        one = make().fit(X[rows], y, **{key: WEIGHT[rows]})
        learner = clf.estimators_[1, 2]
        answer = "decision_function" if hasattr(one, "decision_function") else "predict_proba"
        np.testing.assert_array_equal(getattr(learner, answer)(X), getattr(one, answer)(X))
        # The other steps get no weights.
        np.testing.assert_array_equal(learner[0].mean_, scaler.mean_)
        assert np.abs(getattr(make().fit(X[rows], y), answer)(X) - getattr(one, answer)(X)).max() > 1e-3

    @pytest.mark.parametrize(
        ("make", "key"),
        [
            (lambda: GridSearchCV(SVC(), GRID), "sample_weight"),
            (lambda: RandomizedSearchCV(SVC(), GRID, n_iter=2, random_state=0), "sample_weight"),
            (
                lambda: GridSearchCV(
                    make_pipeline(StandardScaler(), SVC()), {"svc": [SVC(C=0.1), LogisticRegression()]}
                ),
                "svc__sample_weight",
            ),
            (lambda: make_pipeline(StandardScaler(), GridSearchCV(SVC(), GRID)), "gridsearchcv__sample_weight"),
        ],
        ids=["grid", "random", "of a pipeline", "in a pipeline"],
    )
    def test_weights_reach_all_fits_of_a_search(self, make, key):
        clf = PairwiseClassifier(make()).fit(X, Y, sample_weight=WEIGHT)
        rows, y = pair(1, 2)
        one, plain = make().fit(X[rows], y, **{key: WEIGHT[rows]}), make().fit(X[rows], y)
        learner = clf.estimators_[1, 2]
        searches = [each[-1] if hasattr(each, "steps") else each for each in (learner, one, plain)]
        got, want, without = (search.cv_results_["mean_test_score"] for search in searches)
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(learner.decision_function(X), one.decision_function(X))
        # The scores show that the fits to folds are weighted, the decision values that the last fit is.
        assert (want != without).any()
        assert np.abs(plain.decision_function(X) - one.decision_function(X)).max() > 1e-3

    @pytest.mark.parametrize(
        ("estimator", "grid"),
        [
            (LinearDiscriminantAnalysis(), {"tol": [1e-4, 1e-2]}),
            (make_pipeline("passthrough", SVC()), [{"svc__C": [1]}, {"svc": [SVC(), LinearDiscriminantAnalysis()]}]),
        ],
        ids=["no weights", "some without weights"],
    )
    def test_searches_that_cannot_take_weights_are_named(self, estimator, grid):
        with pytest.warns(PwcWarning, match=r"gridsearchcv \(GridSearchCV\) takes no sample_weight, so its fits"):
            PairwiseClassifier(GridSearchCV(estimator, grid)).fit(X, Y, sample_weight=WEIGHT)

    def test_weights_of_named_steps(self):
        learner = make_pipeline(StandardScaler(), LogisticRegression())
        own = np.ones(len(Y))
        clf = PairwiseClassifier(learner)
        clf.fit(X, Y, sample_weight=WEIGHT, logisticregression__sample_weight=own, standardscaler__sample_weight=WEIGHT)
        rows, y = pair(0, 1)
        one = make_pipeline(StandardScaler(), LogisticRegression())
        one.fit(X[rows], y, standardscaler__sample_weight=WEIGHT[rows])
        np.testing.assert_allclose(clf.estimators_[0, 1].predict_proba(X), one.predict_proba(X), atol=SOLVER)
        np.testing.assert_allclose(clf.pairs_["n"][0], WEIGHT[Y < 2].sum(), rtol=ROUNDING)

    def test_a_last_step_without_weights_is_named(self):
        learner = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis())
        with pytest.warns(PwcWarning, match=r"analysis \(LinearDiscriminantAnalysis\) takes no sample_weight, so its"):
            PairwiseClassifier(learner).fit(X, Y, sample_weight=WEIGHT)

    @pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
    @pytest.mark.parametrize("machine", [LogisticRegression(tol=1e-8), LinearSVC(tol=1e-8, random_state=0)], ids=str)
    def test_balanced_weights_are_those_of_all_rows(self, machine, weight):
        scaled = StandardScaler().fit_transform(X)
        machine = sklearn.base.clone(machine).set_params(class_weight="balanced")
        # A step that changes nothing, so that the pipeline must equal the bare learner.
        inside = PairwiseClassifier(make_pipeline("passthrough", machine)).fit(scaled, Y, sample_weight=weight)
        bare = PairwiseClassifier(machine).fit(scaled, Y, sample_weight=weight)
        np.testing.assert_allclose(inside.pairwise_scores(scaled), bare.pairwise_scores(scaled), atol=SOLVER)
        total = np.bincount(Y, weight)
        assert inside.estimators_[0, 2][-1].class_weight == pytest.approx(
            {0: total.mean() / total[0], 1: total.mean() / total[2]}
        )

    def test_with_metadata_routing(self):
        with sklearn.config_context(enable_metadata_routing=True):
            learner = make_pipeline(
                StandardScaler().set_fit_request(sample_weight=True),
                LogisticRegression(class_weight="balanced").set_fit_request(sample_weight=False),
            )
            clf = PairwiseClassifier(learner).fit(X, Y, sample_weight=WEIGHT)
        rows, _ = pair(0, 1)
        scaler = StandardScaler().fit(X[rows], sample_weight=WEIGHT[rows])
        np.testing.assert_array_equal(clf.estimators_[0, 1][0].mean_, scaler.mean_)


class TestClassWeights:
    @pytest.mark.parametrize("name", ["numbers", "digits", "words"])
    @pytest.mark.parametrize(
        "make",
        [
            lambda weight: SVC(class_weight=weight),
            lambda weight: LogisticRegression(class_weight=weight),
            lambda weight: make_pipeline(StandardScaler(), LogisticRegression(class_weight=weight)),
            lambda weight: GridSearchCV(LogisticRegression(), {"class_weight": [weight]}, cv=2),
        ],
        ids=["native", "plain", "pipeline", "search"],
    )
    def test_classes_that_y_lacks_are_ignored(self, make, name):
        labels = {"numbers": np.arange(4), "digits": np.array(list("0123")), "words": np.array(list("abcd"))}[name]
        weights = dict(zip(labels.tolist(), (1.0, 5.0, 0.5, 9.0), strict=True))
        got = PairwiseClassifier(make(weights)).fit(X, labels[Y])
        weights.pop(labels[3].item())
        want = PairwiseClassifier(make(weights)).fit(X, labels[Y])
        np.testing.assert_array_equal(got.predict_proba(X), want.predict_proba(X))

    @pytest.mark.parametrize("fast", [True, False])
    def test_a_name_that_may_be_a_typing_error(self, fast):
        with pytest.warns(
            PwcWarning,
            match=r"class_weight names \(20\), which y does not have, and not \(0, 2\), which get the weight 1",
        ):
            clf = PairwiseClassifier(SVC(class_weight={1: 5.0, 20: 3.0}), fast=fast).fit(X, Y)
        want = PairwiseClassifier(SVC(class_weight={1: 5.0}), fast=fast).fit(X, Y)
        np.testing.assert_array_equal(clf.predict_proba(X), want.predict_proba(X))

    def test_no_name_is_a_class(self):
        learner = make_pipeline(StandardScaler(), SVC(class_weight={"1": 5.0, "2": 3.0}))
        with pytest.raises(InputError, match=r"class_weight names \('1', '2'\), but the classes of y are \(0, 1, 2\)"):
            PairwiseClassifier(learner).fit(X, Y)
        assert PairwiseClassifier(SVC(class_weight={})).fit(X, Y).score(X, Y) > 0.7


class TestFrozen:
    @pytest.mark.parametrize(
        "wrap",
        [
            FrozenEstimator,
            lambda fitted: make_pipeline(StandardScaler(), FrozenEstimator(fitted)),
            lambda fitted: CalibratedClassifierCV(FrozenEstimator(fitted)),
            lambda fitted: GridSearchCV(make_pipeline(FrozenEstimator(fitted)), {}),
        ],
        ids=["learner", "pipeline", "calibrated", "search"],
    )
    def test_a_frozen_learner_cannot_be_fitted_to_pairs(self, wrap):
        """The learner of three classes would give the probabilities of the first two for every pair."""
        fitted = wrap(LogisticRegression().fit(X, Y))
        with pytest.raises(InputError, match="is frozen, but each pair of classes needs a fit of its own; give the"):
            PairwiseClassifier(fitted).fit(X, Y)
        with pytest.raises(InputError, match="the learner prefit is frozen"):
            PairwiseClassifier({"nb": GaussianNB(), "prefit": fitted}).fit(X, Y)

    def test_a_frozen_step_is_used_as_it_is(self):
        """The scaler of all rows, instead of one for each pair."""
        frozen = make_pipeline(FrozenEstimator(StandardScaler().fit(X)), PCA(2), LogisticRegression())
        inside = PairwiseClassifier(frozen, random_state=0).fit(X, Y)
        scaled = StandardScaler().fit_transform(X)
        around = PairwiseClassifier(make_pipeline(PCA(2), LogisticRegression()), random_state=0).fit(scaled, Y)
        np.testing.assert_allclose(inside.predict_proba(X), around.predict_proba(scaled), atol=ROUNDING)


NAMES = ["length", "width"]
COLOURS = np.array(["red", "green", "blue"])[(np.arange(len(Y)) * 7 + Y) % 3]
PANDAS = pd.DataFrame(X, columns=NAMES).assign(colour=COLOURS, sort=pd.Categorical(COLOURS))
POLARS = pl.DataFrame(
    {"length": X[:, 0], "width": X[:, 1], "colour": COLOURS, "sort": pl.Series(COLOURS, dtype=pl.Categorical)}
)
FRAMES = {"pandas": PANDAS, "polars": POLARS}
# In the order of the frame, so that an array of the same columns can be made by hand.
COLUMNS = make_column_transformer(
    (StandardScaler(), NAMES), (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["colour", "sort"])
)


class TestFrames:
    @pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"threshold": "cv"},
            {"coupling": "bayes"},
            {"estimator": {"a": SVC(), "b": LogisticRegression()}},
        ],
        ids=["plain", "threshold", "bayes", "candidates"],
    )
    def test_a_column_transformer_sees_names_and_strings(self, frame, options):
        learners = options.get("estimator", {"a": LogisticRegression()})
        by_number = make_column_transformer((StandardScaler(), [0, 1]), remainder="passthrough")
        clf, want = (
            PairwiseClassifier(
                **{**options, "estimator": {name: make_pipeline(columns, each) for name, each in learners.items()}}
            )
            for columns in (COLUMNS, by_number)
        )
        clf.fit(frame, Y, sample_weight=WEIGHT)
        assert list(clf.feature_names_in_) == [*NAMES, "colour", "sort"]
        codes = (COLOURS[:, None] == np.unique(COLOURS)).astype(float)
        array = np.hstack([X, codes, codes])
        want.fit(array, Y, sample_weight=WEIGHT)
        np.testing.assert_allclose(clf.predict_proba(frame), want.predict_proba(array), atol=ROUNDING)
        # A frame of the other package has the same names.
        np.testing.assert_array_equal(clf.predict_proba(PANDAS), clf.predict_proba(POLARS))

    @pytest.mark.parametrize(
        "learner",
        [
            None,
            SVC(),
            LinearDiscriminantAnalysis(),
            LogisticRegression(),
            HistGradientBoostingClassifier(max_iter=3),
            LGBMClassifier(n_estimators=3, verbose=-1, n_jobs=1),
        ],
        ids=str,
    )
    def test_polars_is_as_good_as_pandas(self, learner, monkeypatch):
        clf, want = (PairwiseClassifier(learner).fit(frame[NAMES], Y) for frame in (POLARS, PANDAS))
        assert list(clf.feature_names_in_) == NAMES
        np.testing.assert_array_equal(clf.predict_proba(POLARS[NAMES]), want.predict_proba(PANDAS[NAMES]))
        monkeypatch.setattr(prediction, "PIECE", 60)
        np.testing.assert_array_equal(clf.predict_proba(POLARS[NAMES]), want.predict_proba(PANDAS[NAMES]))
        with pytest.raises(ValueError, match="feature names"):
            clf.predict(POLARS[NAMES[::-1]])
        with pytest.raises(InputError, match="at least one row and one column, got 0 x 2"):
            clf.predict(POLARS[NAMES].head(0))

    def test_missing_values_of_polars(self):
        holes = POLARS[NAMES].with_columns(width=pl.when(pl.col("width") > 3.5).then(None).otherwise(pl.col("width")))
        with pytest.raises(InputError, match=r"NaN in the columns \(width\), which \(logisticregression\) cannot use"):
            PairwiseClassifier(LogisticRegression()).fit(holes, Y)
        with pytest.raises(ValueError, match="contains NaN"):
            PairwiseClassifier(SVC()).fit(holes, Y)
        assert PairwiseClassifier(HistGradientBoostingClassifier(max_iter=3)).fit(holes, Y).score(holes, Y) > 0.6

    def test_classes_and_weights_of_polars(self):
        words = np.array(["a", "b", "c"])[Y]
        weight = np.where(np.arange(len(Y)) % 3 == 0, 0.0, WEIGHT)
        learner = make_pipeline(COLUMNS, LogisticRegression())
        clf = PairwiseClassifier(learner).fit(POLARS, pl.Series(words), sample_weight=pl.Series(weight))
        want = PairwiseClassifier(learner).fit(PANDAS, words, sample_weight=weight)
        np.testing.assert_array_equal(clf.predict_proba(POLARS), want.predict_proba(PANDAS))

    def test_texts(self):
        rng = np.random.default_rng(0)
        words = ["ant apple acorn", "bee bear bread", "cat crow cake"]
        texts = [" ".join(rng.choice(words[c].split(), 3)) + " and more" for c in Y]
        clf = PairwiseClassifier(make_pipeline(TfidfVectorizer(), LinearSVC())).fit(texts, Y, sample_weight=WEIGHT)
        assert clf.score(texts, Y) == 1.0
        for form in (np.array(texts), pd.Series(texts), pl.Series(texts)):
            np.testing.assert_array_equal(clf.predict_proba(form), clf.predict_proba(texts))
        columns = make_column_transformer((TfidfVectorizer(), "text"), (StandardScaler(), ["length"]))
        for make in (pd.DataFrame, pl.DataFrame):
            frame = make({"text": texts, "length": X[:, 0]})
            assert PairwiseClassifier(make_pipeline(columns, LinearSVC())).fit(frame, Y).score(frame, Y) == 1.0


BOOSTED = {
    "xgboost": XGBClassifier(n_estimators=5, max_depth=2, n_jobs=1),
    "lightgbm": LGBMClassifier(n_estimators=5, min_child_samples=5, n_jobs=1, verbose=-1),
    "scikit-learn": HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5),
}


class TestTwoClasses:
    """Probabilities of a learner pass through unchanged."""

    words = np.array(["no", "yes"])[(Y > 0).astype(int)]

    @pytest.mark.parametrize(
        ("learner", "coupling"),
        [
            *((learner, "wlw2") for learner in BOOSTED.values()),
            (make_pipeline(StandardScaler(), PairwiseClassifier(GaussianNB())), "wlw2"),
            *((make_pipeline(StandardScaler(), LogisticRegression(C=1e6)), name) for name in METHODS if name != "vote"),
        ],
        ids=lambda given: given if isinstance(given, str) else type(given).__name__,
    )
    def test_to_the_last_digit(self, learner, coupling):
        far = np.vstack([X, 100 * X])
        clf = PairwiseClassifier(learner, coupling=coupling).fit(X, self.words)
        want = sklearn.base.clone(learner).fit(X, (Y > 0).astype(int)).predict_proba(far)
        np.testing.assert_array_equal(clf.predict_proba(far), want)
        np.testing.assert_array_equal(clf.predict(far), np.array(["no", "yes"])[want.argmax(axis=1)])

    @pytest.mark.parametrize("learner", [GaussianNB(), LinearDiscriminantAnalysis()], ids=str)
    def test_fast_paths_to_rounding(self, learner):
        clf = PairwiseClassifier(learner).fit(X, self.words)
        want = sklearn.base.clone(learner).fit(X, self.words).predict_proba(X)
        np.testing.assert_allclose(clf.predict_proba(X), want, rtol=1e-9)

    def test_calibration_thresholds_and_votes_still_apply(self):
        learner = LogisticRegression()
        own = learner.fit(X, self.words).predict_proba(X)
        for options in ({"calibration": "sigmoid"}, {"calibration": "isotonic"}):
            clf = PairwiseClassifier(learner, **options).fit(X, self.words)
            assert np.abs(clf.predict_proba(X) - own).max() > 1e-3
        moved = PairwiseClassifier(LogisticRegression(class_weight={1: 20.0}), threshold="train").fit(X, Y // 2)
        t = moved.pairs_["threshold"][0]
        assert t != 0.0
        np.testing.assert_allclose(moved.predict_proba(X)[:, 0], 1 / (1 + np.exp(t - moved.pairwise_scores(X)[:, 0])))
        votes = PairwiseClassifier(learner, coupling="vote").fit(X, self.words).predict_proba(X)
        np.testing.assert_array_equal(votes, own > 0.5)
