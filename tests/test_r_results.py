"""Results given to R. The R package compares them with the fits of its own functions, in test-from-python.R."""

import importlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC

from pwcstats import (
    BradleyTerry,
    ContinuationRatio,
    FirthLogit,
    FirthMNLogit,
    HybridClassifier,
    InputError,
    OrderedLogit,
    OrdinalHybridClassifier,
    PairwiseClassifier,
    PlackettLuce,
    compare_methods,
    couple,
)
from pwcstats.datasets import load

try:
    r = importlib.import_module("pwcstats.r")
except ImportError:
    # Without rpy2 these tests are skipped, unless they are required.
    if os.environ.get("PWC_REQUIRE_R") == "1":
        raise
    r = None
pytestmark = pytest.mark.against_r

# The same algorithm, for the same columns in the same order.
SAME_FIT = 1e-10


@pytest.fixture(scope="module")
def robjects():
    return importlib.import_module("rpy2.robjects")


@pytest.fixture(scope="module")
def patients():
    return load("endometrial").frame


def numbers(x):
    return np.array(x.memoryview() if hasattr(x, "memoryview") else x)


@pytest.fixture(scope="module")
def firth(patients):
    result = FirthLogit.from_formula("HG ~ NV + PI + EH", patients).fit()
    return result, r.to_r(result)


def test_r_has_the_same_numbers(firth, patients, robjects):
    result, fit = firth
    ask = {name: numbers(robjects.r[name](fit)) for name in ("coef", "vcov", "logLik", "AIC", "BIC", "nobs", "confint")}
    expected = {
        "coef": result.params,
        "vcov": result.cov_params(),
        "logLik": [result.llf_unpenalized],
        "AIC": [result.aic],
        "BIC": [result.bic],
        "nobs": [result.nobs],
        "confint": result.conf_int(),
    }
    for name, value in expected.items():
        np.testing.assert_allclose(ask[name], np.asarray(value), rtol=SAME_FIT, err_msg=name)
    table = numbers(robjects.r["$"](robjects.r["summary"](fit), "coefficients"))
    np.testing.assert_allclose(table[:, 3], result.pvalues, rtol=SAME_FIT)

    new = patients.iloc[[3, 50, 70]]
    predicted = robjects.r["predict"](fit, r.frame_to_r(new), type="response")
    np.testing.assert_allclose(numbers(predicted), result.predict(new), rtol=SAME_FIT)


def test_fit_prints_and_can_be_read_in_r(firth, robjects):
    text = str(firth[1])
    assert "pwcstats::firth(formula = HG ~ NV + PI + EH, data = <environment>$data)" in text
    assert "Logistic regression by Firth's bias-reduced likelihood: 79 rows" in text
    assert list(robjects.r["class"](firth[1])) == ["pwcstats_firth", "pwcstats_logit"]


def test_r_in_python_refuses_what_needs_python(firth, robjects):
    with pytest.raises(importlib.import_module("rpy2.rinterface_lib.embedded").RRuntimeError, match=r"rpy2.*readRDS"):
        robjects.r["confint"](firth[1], method="profile")


def in_r(code, *arguments):
    done = subprocess.run(["Rscript", "-e", code, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return np.array(done.stdout.split(), dtype=float)


def test_file_works_in_another_r(patients, tmp_path):
    data = patients.assign(stage=np.resize(["b", "a", "c"], len(patients)))
    result = FirthMNLogit.from_formula("stage ~ EH + NV", data).fit()
    assert r.to_r(result, tmp_path / "fit.rds") is None
    data.to_csv(tmp_path / "data.csv", index=False)
    code = """
    library(pwcstats)
    files <- commandArgs(TRUE)
    fit <- readRDS(files[[1]])
    writeLines(format(c(
      predict(fit, read.csv(files[[2]]), type = "prob"), confint(fit, method = "profile"),
      coef(update(fit, . ~ . - NV))
    ), digits = 17))
    """
    answer = in_r(code, tmp_path / "fit.rds", tmp_path / "data.csv")
    smaller = FirthMNLogit.from_formula("stage ~ EH", data).fit()
    profile = np.asarray(result.conf_int(method="profile")).reshape(-1, 2)
    parts = (result.predict(), profile, smaller.params.T)
    expected = np.concatenate([np.asarray(part).ravel(order="F") for part in parts])
    np.testing.assert_allclose(answer, expected, rtol=SAME_FIT)


def test_results_that_cannot_be_pickled_are_given_too(robjects):
    battles = load("battles").frame
    model = BradleyTerry.from_comparisons(battles)
    result = model.fit(ties="davidson", order_effect=True, contest="np.log(length_a / length_b)")
    # From another thread: R runs one call at a time.
    with ThreadPoolExecutor(1) as pool:
        fit = pool.submit(r.to_r, result).result()
    coefficients = numbers(robjects.r["coef"](fit))
    np.testing.assert_allclose(coefficients, result.params, rtol=SAME_FIT)


RESULTS = {
    "pwcstats_ordered_logit": lambda x, y: OrderedLogit(y, x, penalty="firth").fit(),
    "pwcstats_cratio": lambda x, y: ContinuationRatio(y, x).fit(),
    "pwcstats_pl": lambda x, y: PlackettLuce.from_orderings([["a", "b", "c"], ["b", "c", "a"], ["c", "a"]]).fit(),
    "pwcstats_hybrid": lambda x, y: HybridClassifier(random_state=0).fit(x, y),
    "pwcstats_ordinal_hybrid": lambda x, y: OrdinalHybridClassifier(integrator="ordered", random_state=0).fit(x, y),
    "pwcstats_comparison": lambda x, y: compare_methods(load("classifier_scores").frame),
    "pwcstats_coupling": lambda x, y: couple([[0.9, 0.4, 0.7]], condensed=True, return_info=True),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_every_result_has_the_class_of_r(name, patients, robjects):
    result = RESULTS[name](patients[["PI", "EH"]], np.resize([2, 1, 3], len(patients)))
    fit = r.to_r(result)
    assert robjects.r["class"](fit)[0] == name
    if hasattr(result, "bse"):
        # The order of the coefficients may be another.
        for function, values in (("coef", result.params), ("logLik", [getattr(result, "llf_unpenalized", result.llf)])):
            found = np.sort(numbers(robjects.r[function](fit)), axis=None)
            np.testing.assert_allclose(found, np.sort(values, axis=None), rtol=SAME_FIT, err_msg=function)


def test_what_r_does_not_have_is_refused():
    with pytest.raises(InputError, match=r"no class for .* DataFrame; give a fitted FirthLogit, FirthMNLogit,"):
        r.to_r(pd.DataFrame({"a": [1.0]}))
    with pytest.raises(InputError, match="cannot be made"):
        r.to_r(lambda: None)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (PairwiseClassifier(SVC()), r"the classifier is not fitted; call fit\(\) first"),
        (HybridClassifier(), r"the classifier is not fitted; call fit\(\) first"),
        (
            BradleyTerry([[0, 2], [1, 0]]),
            "BradleyTerry is a model, which has no estimates; give the result",
        ),
    ],
)
def test_what_is_not_fitted_is_refused(result, message):
    with pytest.raises(InputError, match=message):
        r.to_r(result)


def test_labels_of_any_kind_are_kept(robjects):
    data = pd.DataFrame({"x": np.arange(12.0) * 5 % 7, "y": list("abbabaabbaba"), "n": 3, "k": [0, 1, 2] * 4})
    for result in (
        FirthLogit.from_formula("y ~ x", data).fit(),
        FirthLogit(data["y"], data[["x"]].assign(const=1.0)).fit(),
    ):
        fit = r.to_r(result)
        np.testing.assert_allclose(sorted(robjects.r["coef"](fit)), sorted(result.params), rtol=1e-7)
        assert list(robjects.r("function(fit) levels(fit$classes)")(fit)) == ["a", "b"]


def test_counts_are_successes_and_failures(robjects):
    data = pd.DataFrame({"x": np.arange(12.0) * 5 % 7, "k": [0, 1, 2] * 4, "site": list("aabc") * 3})
    data = data.assign(n=3, rest=3 - data["k"], off=data["x"] / 9)
    exog = data[["x"]].assign(const=1.0)
    for result, formula in (
        (FirthLogit.from_formula("k ~ C(site)", data, trials="n").fit(), "cbind(k, failures) ~ factor(site)"),
        (
            FirthLogit.from_formula("k + rest ~ np.log(x + 1)", data, freq_weights="n", offset="off").fit(),
            "cbind(successes, failures) ~ log(x + 1)",
        ),
        (FirthLogit(data[["k", "rest"]].to_numpy(), exog).fit(), "cbind(y, failures) ~ x"),
    ):
        fit = r.to_r(result)
        np.testing.assert_allclose(sorted(robjects.r["coef"](fit)), sorted(result.params), rtol=1e-7)
        np.testing.assert_allclose(robjects.r["fitted"](fit), result.predict(), rtol=1e-7)
        assert robjects.r("function(fit) deparse(formula(fit))")(fit)[0] == formula


def test_columns_of_categories_are_refused(patients):
    stage = np.resize(["b", "a", "c"], len(patients))
    learner = r.RClassifier("rpart::rpart")
    fit = PairwiseClassifier(learner).fit(patients[["PI", "EH"]].assign(grade=pd.Categorical(patients["HG"])), stage)
    assert fit._fitted.row_format.not_numbers == ()
    fit = PairwiseClassifier(learner).fit(patients[["PI", "EH"]].assign(race=pd.Categorical(stage[::-1])), stage)
    with pytest.raises(InputError, match="fitted to a column 'race' that does not hold numbers, and R needs"):
        r.to_r(fit)


def test_columns_without_names_and_flags_are_predicted_in_r(patients, tmp_path):
    """Without a warning of scikit-learn, and with R's logical type."""
    stage = np.resize(["b", "a", "c"], len(patients))
    rows = patients[["PI", "EH"]].set_axis(["x1", "x2"], axis=1)
    flagged = rows.assign(high=rows["x1"] > 15)
    rows.assign(high=flagged["high"].astype(int)).to_csv(tmp_path / "data.csv", index=False)
    learner = r.RClassifier("rpart::rpart")
    code = """
    library(pwcstats)
    options(warn = 2)
    files <- commandArgs(TRUE)
    fit <- readRDS(files[[1]])
    writeLines(format(predict(fit, read.csv(files[[2]]), type = "prob"), digits = 17))
    """
    for given in (rows.to_numpy(), flagged):
        fit = PairwiseClassifier(learner, random_state=0).fit(given, stage)
        r.to_r(fit, tmp_path / "fit.rds")
        answer = in_r(code, tmp_path / "fit.rds", tmp_path / "data.csv")
        np.testing.assert_allclose(answer, fit.predict_proba(given).ravel(order="F"), rtol=SAME_FIT)


def test_missing_package_is_named(tmp_path):
    code = """
from pwcstats import BradleyTerry, InputError
from pwcstats.r import to_r
try:
    to_r(BradleyTerry([[0, 2], [1, 0]]).fit())
except InputError as error:
    print(error)
"""
    environment = {**os.environ, "R_LIBS": str(tmp_path), "R_LIBS_USER": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert "the R package pwcstats is not installed for the R in" in done.stdout, done.stderr
    assert "R CMD INSTALL R" in done.stdout
