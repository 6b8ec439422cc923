"""Distances against e1071, and integrators against nnet and brglm2, stored and live."""

import numpy as np
import pytest
from sklearn.svm import SVC
from statsmodels.tools import add_constant

from pwcstats import HybridClassifier, detect_separation

from .conftest import stored
from .parity import HYBRID

DISTANCES = HYBRID["distances"].tolerance
FIRTH = HYBRID["firth"].tolerance
MULTINOM = HYBRID["multinom"].tolerance
# Probabilities of two fits whose coefficients agree so well.
PROBABILITIES = 1e-6
NAMES = ["iris", "vehicle", "radial"]
# Stored results have 15 digits; another BLAS may change some of them.
SAME_R = 1e-5


@pytest.fixture(params=["stored", pytest.param("live", marks=pytest.mark.against_r)])
def from_r(request, run_r):
    return stored("hybrid") if request.param == "stored" else run_r("hybrid")


def fitted(from_r, name, penalty):
    case = from_r[name]
    X, y = np.array(case["x"]), np.array(case["y"])
    machine = SVC(kernel="rbf" if name == "radial" else "linear", gamma=1 / X.shape[1], tol=1e-10)
    clf = HybridClassifier(machine, distance_cv=None, penalty=penalty, pos_label=case["positive"])
    return clf.fit(X, y), X


@pytest.mark.parametrize("name", NAMES)
def test_distances(from_r, name):
    case = from_r[name]
    clf, X = fitted(from_r, name, "auto")
    assert list(clf.machines_) == case["others"]
    np.testing.assert_allclose(clf.distances(X).to_numpy()[case["rows"]], case["distances"], rtol=0, atol=DISTANCES)


@pytest.mark.parametrize("name", ["iris", "radial"])
def test_firth(from_r, name):
    case = from_r[name]
    clf, X = fitted(from_r, name, "firth")
    np.testing.assert_allclose(np.asarray(clf.integrator_.params).T, case["firth"], rtol=FIRTH, atol=FIRTH)
    order = [list(clf.classes_).index(label) for label in [case["positive"], *case["others"]]]
    ours = clf.predict_proba(X)[np.ix_(case["rows"], order)]
    np.testing.assert_allclose(ours, case["firth_proba"], rtol=0, atol=PROBABILITIES)


@pytest.mark.parametrize("name", ["vehicle", "radial"])
def test_multinom(from_r, name):
    case = from_r[name]
    clf, _ = fitted(from_r, name, "auto")
    assert clf.penalty_ is None
    np.testing.assert_allclose(np.asarray(clf.integrator_.params).T, case["multinom"], rtol=MULTINOM, atol=MULTINOM)
    assert clf.integrator_.llf == pytest.approx(case["multinom_loglik"], abs=1e-6)


def test_where_multinom_has_no_answer_firths_penalty_is_used(from_r):
    """Setosa is separated: multinom stops on its way to infinity, with a likelihood above that of Firth's fit."""
    clf, _ = fitted(from_r, "iris", "auto")
    assert clf.penalty_ == "firth"
    assert detect_separation(from_r["iris"]["y"], add_constant(clf.distances(from_r["iris"]["x"]))).separated
    assert clf.integrator_.llf_unpenalized < from_r["iris"]["multinom_loglik"]


@pytest.mark.against_r
@pytest.mark.parametrize("name", NAMES)
def test_stored_answers_are_what_r_says_now(run_r, name):
    now, then = run_r("hybrid")[name], stored("hybrid")[name]
    assert (now["x"], now["y"]) == (then["x"], then["y"])
    for key in ("distances", "multinom_proba"):
        np.testing.assert_allclose(np.array(now[key])[then["rows"]], then[key], rtol=0, atol=SAME_R)
