"""R's classifiers through rpy2 against the same calls in R."""

import importlib
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import has_fit_parameter

from pwcstats import InputError, PairwiseClassifier
from pwcstats.compare import benchmark
from pwcstats.datasets import szepannek_classes
from pwcstats.errors import PwcWarning

try:
    from pwcstats.r import RClassifier
    from pwcstats.r.recipes import RECIPES

    rinterface = importlib.import_module("rpy2.rinterface")
    session = importlib.import_module("pwcstats.r._session")
except ImportError:
    # Without rpy2 these tests are skipped, unless they are required.
    if os.environ.get("PWC_REQUIRE_R") == "1":
        raise
    RECIPES = {}
pytestmark = pytest.mark.against_r

# The same function of R with the same numbers.
SAME_R = 1e-12

NEEDED = {
    "class::knn": {"k": 5},
    "ipred::bagging": {"nbagg": 5},
    "nnet::nnet": {"size": 3, "maxit": 50},
    "ranger::ranger": {"num.trees": 50, "num.threads": 1},
}
# Why weights of rows are not the same as repeated rows.
NOT_REPEATED_ROWS = {
    "ranger::ranger": "case.weights change how often a row is drawn",
    "rpart::rpart": "minsplit counts rows, not weights",
}
# What an R user types to get the probabilities of `new`, from a frame `d` with the classes `y`.
IN_R = {
    "class::knn": """{
        x <- d[names(d) != "y"]
        neighbours <- apply(as.matrix(new), 1, function(row) order(colSums((t(x) - row)^2))[1:5])
        t(apply(neighbours, 2, function(i) table(d$y[i]) / 5))
    }""",
    "e1071::naiveBayes": 'predict(e1071::naiveBayes(y ~ ., d), new, type = "raw")',
    "e1071::svm": """
        attr(predict(e1071::svm(y ~ ., d, probability = TRUE), new, probability = TRUE), "probabilities")[, levels(d$y)]
    """,
    "ipred::bagging": 'predict(ipred::bagging(y ~ ., d, nbagg = 5), new, type = "prob")',
    "kernlab::ksvm": 'kernlab::predict(kernlab::ksvm(y ~ ., d, prob.model = TRUE), new, type = "probabilities")',
    "MASS::lda": "predict(MASS::lda(y ~ ., d), new)$posterior",
    "MASS::qda": "predict(MASS::qda(y ~ ., d), new)$posterior",
    "nnet::multinom": 'predict(nnet::multinom(y ~ ., d, trace = FALSE), new, type = "probs")',
    "nnet::nnet": 'predict(nnet::nnet(y ~ ., d, size = 3, maxit = 50, trace = FALSE), new, type = "raw")',
    "ranger::ranger": """{
        forest <- ranger::ranger(y ~ ., d, probability = TRUE, num.trees = 50, num.threads = 1)
        predict(forest, new, num.threads = 1)$predictions[, levels(d$y)]
    }""",
    "rpart::rpart": 'predict(rpart::rpart(y ~ ., d), new, type = "prob")',
}
# Frames in R: numbers; a mixture with ordered and unordered factors and a logical; missing values.
FRAMES = {
    "iris": "local({ d <- setNames(iris, c('a', 'b', 'c', 'd', 'y')); d })",
    "factors": """local({
        d <- MASS::birthwt
        data.frame(age = d$age, lwt = d$lwt, race = factor(d$race, labels = c("white", "black", "other")),
                   smoke = d$smoke == 1,
                   visits = factor(pmin(d$ftv, 2), labels = c("none", "one", "more"), ordered = TRUE),
                   y = cut(d$bwt, c(0, 2500, 3200, Inf), labels = c("low", "usual", "high")))
    })""",
    "missing": """local({
        d <- MASS::survey[c("Wr.Hnd", "Pulse", "Clap", "Exer", "Smoke", "Height", "Sex")]
        d <- d[!is.na(d$Sex), ]
        names(d)[7] <- "y"
        d
    })""",
}


def evaluate(code):
    """Numbers or text that R finds."""
    with session.running():
        return session._convert.from_r(rinterface.evalr(code))


def read_frame(name):
    d = evaluate(FRAMES[name])
    return d.drop(columns="y"), d["y"].astype(str).to_numpy()


@pytest.fixture(scope="module")
def iris():
    """An array, and its classes."""
    X, y = read_frame("iris")
    return X.to_numpy(), y


@pytest.fixture(scope="module")
def births():
    return read_frame("factors")


# knn() takes numbers only.
CASES = [
    (function, name)
    for function, recipe in RECIPES.items()
    for name in FRAMES
    if (name != "missing" or recipe.missing) and (name != "factors" or function != "class::knn")
]


@pytest.mark.parametrize(("function", "name"), CASES)
def test_probabilities_are_those_of_r(function, name):
    X, y = read_frame(name)
    model = RClassifier(function, args=NEEDED.get(function), random_state=1).fit(X, y)
    new = X[::3]
    ours = model.predict_proba(new)
    levels = ", ".join(f'"{label}"' for label in model.classes_)
    theirs = evaluate(
        f"""local({{
            d <- {FRAMES[name]}
            d$y <- factor(as.character(d$y), levels = c({levels}))
            new <- d[seq(1, nrow(d), 3), names(d) != "y"]
            set.seed(1)
            as.matrix(unname({IN_R[function]}))
        }})"""
    )
    if theirs.shape[1] == 1:  # of two classes, some functions return the second one
        theirs = np.column_stack([1 - theirs, theirs])
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=SAME_R)
    np.testing.assert_array_equal(model.predict(new), model.classes_[ours.argmax(axis=1)])
    # The levels are those of the fit: here the rows have fewer, and are strings.
    few = new[:4].apply(lambda column: column.astype(object) if column.dtype == "category" else column)
    np.testing.assert_array_equal(model.predict_proba(few), ours[:4])
    np.testing.assert_array_equal(model.predict_proba(new[:1]), ours[:1])


@pytest.mark.parametrize("function", RECIPES)
def test_missing_values_are_refused_if_r_would_leave_rows_out(function):
    X, y = read_frame("missing")
    model = RClassifier(function, args=NEEDED.get(function))
    if RECIPES[function].missing:
        assert len(model.fit(X, y).predict_proba(X)) == len(X)
    else:
        with pytest.raises(InputError, match="X has missing values .* in column 'Wr.Hnd', and this R function"):
            model.fit(X, y)


@pytest.mark.parametrize("function", RECIPES)
def test_scikit_learn_checks_pass(function):
    model = RClassifier(function, args=NEEDED.get(function), random_state=1)
    failing = {}
    if function in NOT_REPEATED_ROWS:
        failing = {"check_sample_weight_equivalence_on_dense_data": NOT_REPEATED_ROWS[function]}
    # Some checks feed columns about which R warns.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PwcWarning)
        results = check_estimator(model, on_skip=None, expected_failed_checks=failing)
    # It is skipped for SVC as well, unless SCIPY_ARRAY_API is set.
    left = {result["check_name"] for result in results if result["status"] != "passed"}
    assert left <= {"check_array_api_input", *failing}
    assert set(failing) <= left


@pytest.mark.parametrize("names", [[True, False, False], [30, -2, 7], ["b", "", "a"], [2.0, 1.0, 10.0]])
@pytest.mark.parametrize("function", ["MASS::lda", "rpart::rpart", "nnet::multinom", "ranger::ranger"])
def test_labels_come_back_as_they_are(iris, function, names):
    X, y = iris
    names = np.array(names)
    codes = np.unique(y, return_inverse=True)[1]
    model = RClassifier(function, args=NEEDED.get(function), random_state=1).fit(X, names[codes])
    assert model.predict(X).dtype == names.dtype
    np.testing.assert_array_equal(model.classes_, np.unique(names))
    assert (model.predict(X) == names[codes]).mean() > 0.9


@pytest.mark.parametrize("function", ["rpart::rpart", "nnet::multinom", "nnet::nnet"])
def test_weights_are_those_of_r(births, function):
    X, y = births
    weight = np.linspace(0.1, 3.0, len(y))
    model = RClassifier(function, args=NEEDED.get(function), random_state=1).fit(X, y, sample_weight=weight)
    call = (
        IN_R[function]
        .replace("d,", "d, weights = seq(0.1, 3, length.out = nrow(d)),")
        .replace("y ~ ., d)", "y ~ ., d, weights = seq(0.1, 3, length.out = nrow(d)))")
    )
    theirs = evaluate(
        f"""local({{
            d <- new <- {FRAMES["factors"]}
            d$y <- factor(as.character(d$y))
            set.seed(1)
            unname({call})
        }})"""
    )
    np.testing.assert_allclose(model.predict_proba(X), theirs, rtol=0, atol=SAME_R)
    assert np.abs(model.fit(X, y).predict_proba(X) - theirs).max() > 1e-3


def test_case_weights_of_ranger(iris):
    X, y = iris
    forest = RClassifier("ranger::ranger", args=NEEDED["ranger::ranger"], random_state=1)
    weight = np.where(y == "setosa", 0.0, 1.0)
    assert (forest.fit(X, y, sample_weight=weight).predict_proba(X)[:, 0] == 0).all()
    by_args = clone(forest).set_params(args={**forest.args, "case.weights": weight.tolist()}).fit(X, y)
    np.testing.assert_array_equal(by_args.predict_proba(X), forest.predict_proba(X))
    with pytest.raises(InputError, match="sample_weight and args both give case.weights"):
        by_args.fit(X, y, sample_weight=weight)


def test_only_those_with_weights_take_them(iris):
    for function, recipe in RECIPES.items():
        assert has_fit_parameter(RClassifier(function), "sample_weight") == (recipe.weights is not None)
    with pytest.raises(TypeError, match="sample_weight"):
        RClassifier("MASS::lda").fit(*iris, sample_weight=np.ones(150))
    assert has_fit_parameter(RClassifier, "sample_weight")
    own = "function(x, y, weights) nnet::multinom(y ~ ., data.frame(x, y), weights = weights, trace = FALSE)"
    prob = "function(model, x) predict(model, data.frame(x), type = 'probs')"
    model = RClassifier(fit_code=own, prob_code=prob)
    assert has_fit_parameter(model, "sample_weight")
    assert not has_fit_parameter(RClassifier(fit_code="function(x, y) weights", prob_code=prob), "sample_weight")
    weight = np.linspace(0.1, 3.0, 150)
    known = RClassifier("nnet::multinom")
    for given in ({}, {"sample_weight": weight}):
        ours = model.fit(*iris, **given).predict_proba(iris[0])
        np.testing.assert_array_equal(ours, known.fit(*iris, **given).predict_proba(iris[0]))


def test_arguments_with_dots_vectors_and_lists(iris):
    X, y = iris
    prior = RClassifier("MASS::lda", args={"prior": [0.8, 0.1, 0.1]}).fit(X, y).predict_proba(X)
    theirs = evaluate("predict(MASS::lda(Species ~ ., iris, prior = c(0.8, 0.1, 0.1)), iris)$posterior")
    np.testing.assert_allclose(prior, theirs, rtol=0, atol=SAME_R)
    named = pd.Series({"setosa": 5.0, "versicolor": 1.0, "virginica": 0.2})
    svm = RClassifier("e1071::svm", args={"class.weights": named}, random_state=3).fit(X, y).predict_proba(X)
    theirs = evaluate(
        """local({
            set.seed(3)
            weights <- c(setosa = 5, versicolor = 1, virginica = 0.2)
            m <- e1071::svm(Species ~ ., iris, class.weights = weights, probability = TRUE)
            unname(attr(predict(m, iris, probability = TRUE), "probabilities"))
        })"""
    )
    np.testing.assert_allclose(svm, theirs, rtol=0, atol=SAME_R)
    tree = RClassifier("rpart::rpart", args={"parms": {"split": "information"}, "control": {"maxdepth": 1}}).fit(X, y)
    assert len(np.unique(tree.predict_proba(X), axis=0)) == 2
    plug_in, other = (
        RClassifier("MASS::lda", predict_args={"method": method}).fit(X, y).predict_proba(X)
        for method in ("plug-in", "predictive")
    )
    theirs = evaluate('predict(MASS::lda(Species ~ ., iris), iris, method = "predictive")$posterior')
    np.testing.assert_allclose(other, theirs, rtol=0, atol=SAME_R)
    assert np.abs(plug_in - other).max() > 1e-4


def test_another_function_needs_only_its_probabilities(iris):
    X, y = iris
    prob = "function(model, x) predict(model, data.frame(x), type = 'prob')"
    model = RClassifier("caret::knn3", args={"k": 5}, prob_code=prob).fit(X, y)
    theirs = RClassifier("class::knn", args={"k": 5}).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=SAME_R)


def test_names_of_columns_that_formulas_may_not_like(iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=["y", "sepal width (cm)", "if", "Länge"])
    # ipred itself calls the response y, and R warns that it leaves a column of this name out.
    for function in set(RECIPES) - {"ipred::bagging"}:
        model = RClassifier(function, args=NEEDED.get(function), random_state=1)
        np.testing.assert_allclose(
            model.fit(frame, y).predict_proba(frame), model.fit(X, y).predict_proba(X), rtol=0, atol=SAME_R
        )


def test_frames_and_arrays_after_a_fit_to_the_other(births, iris):
    X, y = iris
    model = RClassifier("MASS::lda").fit(pd.DataFrame(X, columns=list("abcd")), y)
    p = model.predict_proba(pd.DataFrame(X, columns=list("abcd")))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        np.testing.assert_array_equal(model.predict_proba(X), p)
    with pytest.raises(ValueError, match="feature names"):
        model.predict_proba(pd.DataFrame(X, columns=list("abdc")))
    numbered = pd.DataFrame(X, index=np.arange(150) % 7)
    np.testing.assert_array_equal(RClassifier("MASS::lda").fit(numbered, y).predict_proba(numbered), p)
    frame, z = births
    of_polars = pl.from_pandas(frame)
    model = RClassifier("rpart::rpart").fit(frame, z)
    np.testing.assert_array_equal(model.predict_proba(of_polars), model.predict_proba(frame))
    assert list(model.feature_names_in_) == list(frame.columns)


def test_new_categories_are_refused(births):
    X, y = births
    model = RClassifier("rpart::rpart").fit(X, y)
    new = X.assign(race=X["race"].astype(str).replace("other", "martian"))
    with pytest.raises(InputError, match=r"column 'race' of X has \(martian\), which were not among the categories"):
        model.predict(new)
    with pytest.raises(InputError, match="column 'age' of X was numeric in the fit"):
        model.predict(X.assign(age="old"))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_finite(iris, births, bad):
    X, y = iris
    X = X.copy()
    X[3, 1] = bad
    for rows in (X, pd.DataFrame(X, columns=list("abcd"))):
        with pytest.raises(ValueError, match="NaN|infinit"):
            RClassifier("MASS::lda").fit(rows, y)
    tree = RClassifier("rpart::rpart")
    if np.isinf(bad):
        with pytest.raises(ValueError, match="infinit"):
            tree.fit(X, y)
        return
    frame = pd.DataFrame(X, columns=list("abcd"))
    np.testing.assert_array_equal(tree.fit(X, y).predict_proba(X), tree.fit(frame, y).predict_proba(frame))
    theirs = evaluate("local({ iris[4, 2] <- NA; predict(rpart::rpart(Species ~ ., iris), iris) })")
    np.testing.assert_allclose(tree.predict_proba(frame), theirs, rtol=0, atol=SAME_R)


def test_pickles_predict_in_a_new_process(iris, tmp_path):
    X, y = iris
    # From the last to the first, hardly any package is loaded by one that came before.
    models = [
        RClassifier(function, args=NEEDED.get(function), random_state=0).fit(X, y) for function in reversed(RECIPES)
    ]
    (tmp_path / "models").write_bytes(pickle.dumps((models, X)))
    code = (
        "import pickle, sys, numpy as np\n"
        "models, X = pickle.load(open(sys.argv[1], 'rb'))\n"
        "np.save(sys.argv[2], [model.predict_proba(X) for model in models])"
    )
    arguments = [str(tmp_path / "models"), str(tmp_path / "p.npy")]
    subprocess.run([sys.executable, "-W", "error", "-c", code, *arguments], check=True)
    for model, p in zip(models, np.load(tmp_path / "p.npy"), strict=True):
        np.testing.assert_array_equal(p, model.predict_proba(X))


def test_seeds_and_the_generator_of_r(iris):
    X, y = iris
    forest = RClassifier("ranger::ranger", args=NEEDED["ranger::ranger"])
    evaluate("{ set.seed(7); first <<- runif(3); set.seed(7); NULL }")
    p = [clone(forest).set_params(random_state=seed).fit(X, y).predict_proba(X) for seed in (1, 1, 2)]
    assert evaluate("identical(runif(3), first)") == [True]
    np.testing.assert_array_equal(p[0], p[1])
    assert (p[0] != p[2]).any()


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_candidates_of_pairs(births, n_jobs):
    """R and scikit-learn compete for each pair; with one candidate, each pair is a fit of R."""
    X, y = births
    numbers = X[["age", "lwt"]]
    weight = np.linspace(0.5, 2.0, len(y))
    candidates = {"tree": RClassifier("rpart::rpart"), "nb": GaussianNB(), "logit": RClassifier("nnet::multinom")}
    clf = PairwiseClassifier(candidates, random_state=0, n_jobs=n_jobs).fit(numbers, y, sample_weight=weight)
    assert set(clf.pairs_["learner"]) <= set(candidates)
    np.testing.assert_allclose(clf.predict_proba(numbers).sum(axis=1), 1.0)
    # Frames with factors reach R, and so do weights.
    single = PairwiseClassifier(
        RClassifier("nnet::multinom", args={"maxit": 500, "reltol": 1e-14}), calibration=None, n_jobs=n_jobs
    ).fit(X, y, sample_weight=weight)
    r = single.pairwise_proba(X)
    low_usual = np.isin(y, ["low", "usual"])
    one = RClassifier("nnet::multinom", args={"maxit": 500, "reltol": 1e-14})
    expected = one.fit(X[low_usual], y[low_usual], sample_weight=weight[low_usual]).predict_proba(X)
    i, j = (list(single.classes_).index(label) for label in ("low", "usual"))
    np.testing.assert_allclose(np.asarray(r)[:, i, j], expected[:, 0], rtol=0, atol=SAME_R)


def test_in_a_benchmark_and_a_search(iris):
    X, y = iris
    methods = {"tree": RClassifier("rpart::rpart"), "nb": GaussianNB(), "lda": RClassifier("MASS::lda")}
    scores = [benchmark(methods, {"iris": (X, y)}, random_state=0, n_jobs=n_jobs) for n_jobs in (1, 2)]
    pd.testing.assert_frame_equal(*(one.drop(columns=["fit_time", "score_time"], errors="ignore") for one in scores))
    search = GridSearchCV(RClassifier("rpart::rpart"), {"args": [{"maxdepth": 1}, {"maxdepth": 3}]}).fit(X, y)
    assert search.best_params_ == {"args": {"maxdepth": 3}}


def test_parameters_and_clones():
    model = RClassifier("ranger::ranger", args={"num.trees": 5}, random_state=3)
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        model.predict([[0.0]])


def test_lda_discards_a_direction_without_variance():
    """So does scikit-learn's; on parallel lines it is the direction that separates (Figure 6 of Szepannek et al.)."""
    x, y = szepannek_classes(0.5, 1.0, random_state=0)
    x, y = x[y < 3], y[y < 3]
    with pytest.warns(PwcWarning, match="R's MASS says: variables are collinear"):
        theirs = RClassifier("MASS::lda").fit(x, y).predict(x)
    ours = LinearDiscriminantAnalysis().fit(x, y).predict(x)
    np.testing.assert_array_equal(theirs, ours)
    assert np.mean(ours != y) > 0.2
    # The lines do not meet.
    offset = x[:, 1] - 2.0 * x[:, 0]
    assert offset[y == 1].min() - offset[y == 2].max() == pytest.approx(30.0)


def test_r_prints_nothing_and_warnings_are_ours(iris, capfd):
    X, y = iris
    RClassifier("nnet::nnet", args={"size": 2, "trace": True}, random_state=1).fit(X, y)
    RClassifier("kernlab::ksvm", random_state=1).fit(X, y)  # prints its choice of sigma
    assert capfd.readouterr() == ("", "")
    with pytest.warns(PwcWarning, match="R's MASS says: variables are collinear") as told:
        RClassifier("MASS::lda").fit(np.column_stack([X, X[:, 0] + X[:, 1]]), y)
    assert told[0].filename == __file__


FIT = "function(x, y) levels(y)"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "give either function or fit_code"),
        ({"function": "MASS::lda", "fit_code": FIT}, "give either function or fit_code"),
        ({"function": 3}, "function must be a string or None, got 3"),
        ({"function": "lda"}, "function must name an R package and its function, as in 'ranger::ranger', got 'lda'"),
        ({"function": "MASS::ldaa"}, "prob_code is needed, because MASS::ldaa is none of class::knn, "),
        ({"fit_code": FIT}, "prob_code is needed; write the R code"),
        (
            {"function": "noSuchPackage::f", "prob_code": FIT},
            r'R does not have the package "noSuchPackage"; run install.packages\("noSuchPackage"\)',
        ),
        ({"function": "MASS::ldaa", "prob_code": FIT}, "R's MASS says: 'ldaa' is not an exported object"),
        ({"function": "nnet::nnet"}, 'R\'s nnet says: argument "size" is missing'),
        ({"function": "MASS::lda", "args": {"prior": [1.0]}}, "R's MASS says: 'prior' is of incorrect length"),
        ({"function": "MASS::lda", "args": {"prior": object()}}, "R has no counterpart of"),
        ({"function": "MASS::lda", "args": ["prior"]}, "args must be a dict or None"),
        ({"fit_code": "function(x, y", "prob_code": FIT}, "R says: fit_code is no R code: <text>:2:0: unexpected end"),
        ({"function": "rangr::ranger"}, "for example. Did you mean 'ranger::ranger'?"),
        ({"fit_code": "3", "prob_code": FIT}, "R says: fit_code must be the R code of a function"),
        (
            {"fit_code": FIT, "prob_code": "function(model, x) 'a'"},
            "R says: prob_code must return probabilities, not char",
        ),
        (
            {"fit_code": FIT, "prob_code": "function(model, x) 1:7"},
            "R returned 7 numbers, and probabilities of 150 rows",
        ),
        (
            {"fit_code": FIT, "prob_code": "function(model, x) matrix(1 / 3, nrow(x), 3, , list(NULL, 1:3))"},
            r"R returned columns named \(1, 2, 3\), and the classes are \(setosa, versicolor, virginica\)",
        ),
        ({"fit_code": FIT, "prob_code": "function(model, x) matrix(1, nrow(x), 3)"}, "that are not probabilities"),
        ({"fit_code": FIT, "prob_code": "function(model, x) matrix(NaN, nrow(x), 3)"}, "that are not probabilities"),
        ({"function": "MASS::lda", "random_state": -1}, "random_state must be between 0 and 2147483647"),
    ],
)
def test_parameters_that_cannot_be_used(iris, parameters, message):
    with pytest.raises(InputError, match=message):
        RClassifier(**parameters).fit(*iris).predict(iris[0])


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("function(model, x) predict(model, x", "R's caret says: prob_code is no R code: <text>:2:0: unexpected end"),
        ("3", "R's caret says: prob_code must be the R code of a function"),
    ],
)
def test_code_of_the_probabilities_is_read_before_the_fit(iris, code, message):
    with pytest.raises(InputError, match=message):
        RClassifier("caret::knn3", prob_code=code).fit(*iris)


def test_a_column_of_true_and_false_takes_zeros_and_ones(births):
    X, y = births
    model = RClassifier("rpart::rpart").fit(X[["age", "smoke"]], y)
    p = model.predict_proba(X[["age", "smoke"]])
    for kind in (int, float):
        np.testing.assert_array_equal(model.predict_proba(X[["age", "smoke"]].astype({"smoke": kind})), p)
    with pytest.raises(InputError, match="column 'smoke' of X was True or False in the fit, and is not now"):
        model.predict(X[["age"]].assign(smoke=2))


def test_columns_by_name_or_by_position_or_of_the_second_class_only(iris):
    X, y = iris[0][50:], iris[1][50:]
    p = np.linspace(0.1, 0.9, len(X))
    codes = {
        "named": "cbind(virginica = p, versicolor = 1 - p)",
        "by position": "unname(cbind(1 - p, p))",
        "data frame": "data.frame(versicolor = 1 - p, virginica = p)",
        "second": "p",
        "one column": "cbind(virginica = p)",
        "column of the first": "cbind(versicolor = 1 - p)",
        "frame of the first": "data.frame(versicolor = 1 - p)",
        "another name": "cbind(s0 = p)",
    }
    for code in codes.values():
        prob = f"function(model, x) {{ p <- seq(0.1, 0.9, length.out = nrow(x)); {code} }}"
        answer = RClassifier(fit_code=FIT, prob_code=prob).fit(X, y).predict_proba(X)
        np.testing.assert_allclose(answer, np.column_stack([1 - p, p]), rtol=0, atol=1e-15)


def test_one_column_of_lda_is_that_of_its_name(iris):
    X, y = iris[0][50:], iris[1][50:]
    both = RClassifier("MASS::lda").fit(X, y)
    for k in (1, 2):
        one = RClassifier(
            fit_code="function(x, y) MASS::lda(x, y)",
            prob_code=f"function(model, x) predict(model, x)$posterior[, {k}, drop = FALSE]",
        ).fit(X, y)
        for rows in (X, X[70:71]):
            np.testing.assert_allclose(one.predict_proba(rows), both.predict_proba(rows), rtol=0, atol=SAME_R)


def test_the_documentation_lists_the_table():
    text = " ".join(RClassifier.__doc__.split())
    missing = [name for name, recipe in RECIPES.items() if recipe.missing]
    weighted = [name for name, recipe in RECIPES.items() if recipe.weights]
    for name in RECIPES:
        assert text.count(f'"{name}"') == 1 + (name in missing) + (name in weighted) + (name == "rpart::rpart")
    assert set(IN_R) == set(RECIPES)
    page = (Path(__file__).parents[1] / "docs" / "howto" / "r-learners.rst").read_text(encoding="utf-8")
    assert all(f"``{name}``" in page for name in RECIPES)
