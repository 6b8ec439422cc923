"""Coupling against BradleyTerry2, e1071 and kernlab: against their stored results, and against R itself."""

import numpy as np
import pytest

from pwcstats import couple

from .conftest import stored
from .parity import COUPLING
from .reference import full, libsvm

# The stored results have all digits; another BLAS may change the last ones. LIBSVM's cross-validation for probA and
# probB is seeded, and its optimiser has tolerance 1e-10.
SAME_R = 1e-6
# The same iteration in the same order: rounding only.
LIBSVM_REFERENCE = 1e-12


@pytest.fixture(params=["stored", pytest.param("live", marks=pytest.mark.against_r)])
def from_r(request, run_r):
    return stored("coupling") if request.param == "stored" else run_r("coupling")


def test_weighted_ht_is_btm(from_r):
    for case in from_r["btm"]:
        k = len(case["p"])
        r, n = np.array(case["r"]), np.array(case["n"])
        r[n == 0] = np.nan
        ours = couple(r, "ht", n=n, condensed=True)
        np.testing.assert_allclose(ours, case["p"], rtol=0, atol=COUPLING["btm"].tolerance)
        weights = np.zeros((k, k))
        weights[np.triu_indices(k, 1)] = n
        again = couple(full(r, k), "ht", n=weights + weights.T)
        np.testing.assert_array_equal(again, ours)


@pytest.mark.parametrize("name", ["iris", "iris_reversed", "glass", "glass_shuffled"])
def test_wlw2_gives_e1071_probabilities(from_r, name):
    """Couple the decision values and sigmoids of R, in the order of the labels of R."""
    case = from_r["e1071"][name]
    assert case["columns"] == case["labels"]
    a, b = np.array(case["prob_a"]), np.array(case["prob_b"])
    r = 1 / (1 + np.exp(a * np.array(case["decision_values"]) + b))
    ours = couple(r, "wlw2", condensed=True)
    np.testing.assert_allclose(ours, case["probabilities"], rtol=0, atol=COUPLING["e1071"].tolerance)
    # LIBSVM's stopping rule explains the whole difference: the same rule gives the numbers of R.
    stopped = [libsvm(full(row, len(case["labels"]))) for row in r]
    np.testing.assert_allclose(stopped, case["probabilities"], rtol=0, atol=LIBSVM_REFERENCE)


@pytest.mark.parametrize(("theirs", "ours"), [("minpair", "wlw2"), ("pkpd", "pkpd")])
def test_kernlab_agrees_for_three_classes(from_r, theirs, ours):
    case = from_r["kernlab_three"]
    tolerance = COUPLING[f"kernlab {theirs}"].tolerance
    np.testing.assert_allclose(couple(case["r"], ours, condensed=True), case[theirs], rtol=0, atol=tolerance)


def test_kernlab_is_wrong_for_four_classes(from_r):
    """The README says this about kernlab; if a later kernlab is right, the README must change."""
    case = from_r["kernlab_four"]
    np.testing.assert_allclose(case["minpair"], [0.425, 0.290, 0.165, 0.121], rtol=0, atol=5e-4)
    p = np.array(case["p"])
    np.testing.assert_allclose(couple(p[:, None] / (p[:, None] + p)), p, rtol=0, atol=1e-15)


@pytest.mark.against_r
def test_stored_results_are_those_of_r_now(run_r):
    now, then = run_r("coupling"), stored("coupling")
    for a, b in zip(now["btm"], then["btm"], strict=True):
        np.testing.assert_allclose(a["p"], b["p"], rtol=0, atol=SAME_R)
    for name, case in now["e1071"].items():
        np.testing.assert_allclose(case["probabilities"], then["e1071"][name]["probabilities"], rtol=0, atol=SAME_R)
    np.testing.assert_allclose(now["kernlab_three"]["pkpd"], then["kernlab_three"]["pkpd"], rtol=0, atol=SAME_R)
