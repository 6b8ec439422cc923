"""Decision values and coupling of PairwiseClassifier against e1071, stored and live."""

import numpy as np
import pytest
from sklearn.svm import SVC

from pwcstats import PairwiseClassifier, couple

from .conftest import stored
from .parity import CLASSIFY
from .reference import full, libsvm

DECISIONS = CLASSIFY["decision values"].tolerance
LIBSVM_STOPS = CLASSIFY["probabilities"].tolerance
# The same iteration with decision values that agree to 1e-8; slopes of sigmoids are of order 1.
LIBSVM_TWIN = 1e-8
# Stored results have 15 digits; another BLAS may change some of them.
SAME_R = 1e-6
NAMES = ["iris", "glass", "vehicle"]


@pytest.fixture(params=["stored", pytest.param("live", marks=pytest.mark.against_r)])
def from_r(request, run_r):
    return stored("svm") if request.param == "stored" else run_r("svm")


def pairs_of(case):
    """For each pair of sorted classes its column in R, and 1, or -1 if R has the pair in reverse order."""
    classes = sorted(case["labels"])
    wanted = [(a, b) for i, a in enumerate(classes) for b in classes[i + 1 :]]
    as_in_r = [f"{a}/{b}" in case["pairs"] for a, b in wanted]
    names = [f"{a}/{b}" if same else f"{b}/{a}" for (a, b), same in zip(wanted, as_in_r, strict=True)]
    return [case["pairs"].index(name) for name in names], np.where(as_in_r, 1, -1)


def decision_values(case):
    """Our decision values, with columns scaled as in e1071."""
    X = np.array(case["x"], dtype=float)
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    model = PairwiseClassifier(SVC(C=1, gamma=1 / X.shape[1], tol=1e-10)).fit(Z, case["y"])
    assert list(model.classes_) == sorted(case["labels"])
    return model.pairwise_scores(Z[case["rows"]])


def pairwise_probabilities(case):
    """R's sigmoids on our decision values; B changes its sign with the pair."""
    columns, sign = pairs_of(case)
    a, b = np.array(case["prob_a"])[columns], sign * np.array(case["prob_b"])[columns]
    return 1 / (1 + np.exp(a * decision_values(case) + b))


@pytest.mark.parametrize("name", NAMES)
def test_decision_values(from_r, name):
    case = from_r[name]
    assert case["labels"] != sorted(case["labels"])
    columns, sign = pairs_of(case)
    theirs = sign * np.array(case["decision_values"])[:, columns]
    np.testing.assert_allclose(decision_values(case), theirs, rtol=0, atol=DECISIONS)


@pytest.mark.parametrize("name", NAMES)
def test_coupled_probabilities(from_r, name):
    case = from_r[name]
    ours = couple(pairwise_probabilities(case), condensed=True)
    order = [case["columns"].index(label) for label in sorted(case["labels"])]
    theirs = np.array(case["probabilities"])[:, order]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=LIBSVM_STOPS)


@pytest.mark.parametrize("name", NAMES)
def test_all_of_the_difference_is_where_libsvm_stops(from_r, name):
    """LIBSVM updates the classes one by one, in R's order, and where it stops depends on that order."""
    case = from_r[name]
    classes = sorted(case["labels"])
    order = [classes.index(label) for label in case["columns"]]
    matrices = [full(row, len(classes))[np.ix_(order, order)] for row in pairwise_probabilities(case)]
    stopped = [libsvm(matrix) for matrix in matrices]
    np.testing.assert_allclose(stopped, case["probabilities"], rtol=0, atol=LIBSVM_TWIN)


@pytest.mark.against_r
@pytest.mark.parametrize("name", NAMES)
def test_stored_answers_are_what_r_says_now(run_r, name):
    now, then = run_r("svm")[name], stored("svm")[name]
    assert now["rows"] == list(range(len(now["y"])))
    assert (now["x"], now["y"], now["labels"]) == (then["x"], then["y"], then["labels"])
    for key in ("decision_values", "probabilities"):
        np.testing.assert_allclose(np.array(now[key])[then["rows"]], then[key], rtol=0, atol=SAME_R)
