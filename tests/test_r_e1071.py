"""e1071 through rpy2 against e1071 in R, and against scikit-learn."""

import importlib
import os
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import SVC, NuSVC
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.multiclass import _ovr_decision_function

from pwcstats import ConvergenceWarning, InputError, PairwiseClassifier

from .parity import CLASSIFY

try:
    e1071 = importlib.import_module("pwcstats.r.e1071")
    rinterface = importlib.import_module("rpy2.rinterface")
except ImportError:
    # Without rpy2 these tests are skipped, unless they are required.
    if os.environ.get("PWC_REQUIRE_R") == "1":
        raise
    e1071 = None
E1071SVC = getattr(e1071, "E1071SVC", None)
pytestmark = pytest.mark.against_r

# The same R with the same numbers; JSON rounds them to 15 digits.
SAME_R = CLASSIFY["E1071SVC"].tolerance
# Two LIBSVMs that both stop at 1e-10.
TWO_LIBSVMS = 1e-8
TIGHT = {"tolerance": 1e-10}


def standardized(X):
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


@pytest.fixture(scope="module")
def iris():
    """Rows whose classes appear in the order 2, 0, 1. Equal rows are removed, or support vectors are not unique."""
    X, y = load_iris(return_X_y=True)
    rows = np.random.default_rng(1).permutation(np.unique(X, axis=0, return_index=True)[1])
    X, y = X[rows], y[rows]
    assert list(dict.fromkeys(y)) == [2, 0, 1]
    return X, y


def in_another_process(code, *arguments):
    done = subprocess.run([sys.executable, "-W", "error", "-c", code, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


# Some checks feed constant columns, about which e1071 warns.
@pytest.mark.filterwarnings("ignore:R's e1071 says. Variable:UserWarning")
@pytest.mark.parametrize("probability", [False, True])
def test_scikit_learn_checks_pass(probability):
    results = check_estimator(E1071SVC(probability=probability), on_skip=None)
    # It is skipped for SVC as well, unless SCIPY_ARRAY_API is set.
    assert {result["check_name"] for result in results if result["status"] != "passed"} <= {"check_array_api_input"}


@pytest.mark.parametrize("name", ["iris", "glass", "vehicle"])
def test_model_is_the_one_that_r_fits(run_r, name):
    case = run_r("svm")[name]
    X, y = np.array(case["x"], dtype=float), np.array(case["y"])
    labels, rows = case["labels"], case["rows"]
    assert labels != sorted(labels)
    model = E1071SVC(**TIGHT, probability=True, random_state=1, decision_function_shape="ovo").fit(X, y)
    np.testing.assert_array_equal(model.classes_, sorted(labels))
    np.testing.assert_array_equal(model.predict(X)[rows], case["predicted"])
    # R's supports come label by label, in R's order of them.
    np.testing.assert_array_equal(np.sort(model.support_), np.sort(case["index"]))
    np.testing.assert_array_equal(model.n_support_, [case["n_support"][labels.index(c)] for c in model.classes_])

    decision = model.decision_function(X)[rows]
    theirs = dict(zip(case["pairs"], np.transpose(case["decision_values"]), strict=True))
    sigmoids = dict(zip(case["pairs"], zip(case["prob_a"], case["prob_b"], strict=True), strict=True))
    pairs = [(i, j) for i in range(len(labels)) for j in range(i + 1, len(labels))]
    for column, (i, j) in enumerate(pairs):
        first, second = model.classes_[i], model.classes_[j]
        as_in_r = f"{first}/{second}" in theirs
        key, sign = (f"{first}/{second}", 1) if as_in_r else (f"{second}/{first}", -1)
        np.testing.assert_allclose(decision[:, column], sign * theirs[key], rtol=0, atol=SAME_R)
        expected = (sigmoids[key][0], sign * sigmoids[key][1])
        np.testing.assert_allclose((model.probA_[column], model.probB_[column]), expected, rtol=SAME_R, atol=SAME_R)
    order = [case["columns"].index(c) for c in model.classes_]
    np.testing.assert_allclose(
        model.predict_proba(X)[rows], np.array(case["probabilities"])[:, order], rtol=0, atol=SAME_R
    )


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({}, {"gamma": "auto"}),
        ({"kernel": "linear", "C": 0.1}, {"kernel": "linear", "C": 0.1}),
        (
            {"kernel": "polynomial", "coef0": 1.0, "degree": 2},
            {"kernel": "poly", "coef0": 1, "degree": 2, "gamma": 0.25},
        ),
        ({"kernel": "poly", "gamma": 0.5}, {"kernel": "poly", "gamma": 0.5}),
        ({"kernel": "sigmoid", "gamma": 0.01}, {"kernel": "sigmoid", "gamma": 0.01}),
        ({"kernel": "rbf", "gamma": "scale"}, {"gamma": "scale"}),
        ({"gamma": "auto", "class_weight": {0: 3.0}}, {"gamma": "auto", "class_weight": {0: 3.0}}),
        ({"class_weight": "balanced"}, {"gamma": "auto", "class_weight": "balanced"}),
        ({"shrinking": False, "cachesize": 1}, {"gamma": "auto", "shrinking": False}),
    ],
)
@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_scikit_learn_finds_the_same_on_scaled_data(iris, ours, theirs, shape):
    X, y = iris
    X, y = X[:-7], y[:-7]  # so that "balanced" has something to do
    Z = standardized(X)
    reference = SVC(**theirs, tol=1e-10, decision_function_shape=shape).fit(Z, y)
    scaled = E1071SVC(**ours, **TIGHT, decision_function_shape=shape).fit(X, y)
    plain = E1071SVC(**ours, **TIGHT, decision_function_shape=shape, scale=False).fit(Z, y)
    for model, rows in ((scaled, X), (plain, Z)):
        decision = model.decision_function(rows)
        np.testing.assert_allclose(decision, reference.decision_function(Z), rtol=0, atol=TWO_LIBSVMS)
        np.testing.assert_array_equal(model.predict(rows), reference.predict(Z))
        np.testing.assert_array_equal(model.support_, reference.support_)
        np.testing.assert_array_equal(model.n_support_, reference.n_support_)


def test_nu_classification(iris):
    X, y = iris
    reference = NuSVC(nu=0.3, gamma="auto", tol=1e-10, decision_function_shape="ovo").fit(standardized(X), y)
    model = E1071SVC(type="nu-classification", nu=0.3, decision_function_shape="ovo", **TIGHT).fit(X, y)
    expected = reference.decision_function(standardized(X))
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=0, atol=TWO_LIBSVMS)


@pytest.mark.parametrize("gamma", [None, "scale"])
@pytest.mark.parametrize("columns", [[True, False, True, False], [False, False, True, False]])
def test_scaling_of_some_columns(iris, columns, gamma):
    X, y = iris
    Z = np.where(columns, standardized(X), X)
    reference = SVC(gamma=gamma or "auto", tol=1e-10).fit(Z, y)
    model = E1071SVC(scale=columns, gamma=gamma, **TIGHT).fit(X, y)
    expected = reference.decision_function(Z)
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=0, atol=TWO_LIBSVMS)


@pytest.mark.parametrize("gamma", [None, "scale"])
def test_a_constant_column_stops_all_scaling(iris, gamma):
    X, y = iris
    X = X.copy()
    X[:, 2] = 0.1
    with pytest.warns(UserWarning, match="X3.*Cannot scale data. e1071 then scales no column at all") as told:
        model = E1071SVC(gamma=gamma, **TIGHT).fit(X, y)
    assert told[0].filename == __file__
    expected = SVC(gamma=gamma or "auto", tol=1e-10).fit(X, y).decision_function(X)
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=0, atol=TWO_LIBSVMS)


@pytest.mark.parametrize(
    "names",
    [
        np.array(["virginica", "setosa", "Äpfel / b"]),
        np.array(["b", "", "a"], dtype=object),
        np.array([30, -2, 7]),
        np.array([2.0, 1.0, 10.0]),
    ],
)
def test_labels_come_back_as_they_are(iris, names):
    X, y = iris
    model = E1071SVC(probability=True, random_state=3, decision_function_shape="ovo").fit(X, names[y])
    codes = E1071SVC(probability=True, random_state=3, decision_function_shape="ovo").fit(X, y)
    predicted = model.predict(X)
    assert predicted.dtype == names.dtype
    np.testing.assert_array_equal(model.classes_, np.sort(names))
    np.testing.assert_array_equal(predicted, names[codes.predict(X)])
    order = np.argsort(names)
    np.testing.assert_array_equal(model.predict_proba(X), codes.predict_proba(X)[:, order])
    np.testing.assert_array_equal(model.n_support_, codes.n_support_[order])


@pytest.mark.parametrize("classes", [[0, 1], [1, 0]])
def test_two_classes_whichever_comes_first(iris, classes):
    X, y = iris
    X, y = X[y != 0], (y[y != 0] == 1).astype(int)
    first = np.argmax(y == classes[0])
    rows = np.append(first, np.delete(np.arange(len(y)), first))
    X, y = X[rows], y[rows]
    model = E1071SVC(probability=True, random_state=0, **TIGHT).fit(X, y)
    decision = model.decision_function(X)
    assert decision.shape == (len(y),)
    expected = SVC(gamma="auto", tol=1e-10).fit(standardized(X), y).decision_function(standardized(X))
    np.testing.assert_allclose(decision, expected, rtol=0, atol=TWO_LIBSVMS)
    np.testing.assert_array_equal(model.predict(X), (decision > 0).astype(int))
    first_of_pair = 1 / (1 + np.exp(-model.probA_ * decision + model.probB_))
    np.testing.assert_allclose(model.predict_proba(X)[:, 0], first_of_pair, rtol=0, atol=1e-6)  # LIBSVM clips at 1e-7


def test_data_frames_and_one_column_and_one_row(iris):
    X, y = iris
    frame = pd.DataFrame(X[:, :1], columns=["length"])
    model = E1071SVC(**TIGHT).fit(frame, pd.Series(y))
    assert list(model.feature_names_in_) == ["length"]
    Z = standardized(X[:, :1])
    expected = SVC(gamma="auto", tol=1e-10).fit(Z, y).decision_function(Z)
    np.testing.assert_allclose(model.decision_function(frame), expected, rtol=0, atol=TWO_LIBSVMS)
    np.testing.assert_allclose(model.decision_function(frame[:1]), expected[:1], rtol=0, atol=TWO_LIBSVMS)
    assert model.predict(frame[:1]).shape == (1,)
    fortran = E1071SVC().fit(np.asfortranarray(X), y)
    strided = E1071SVC().fit(np.repeat(X, 2, axis=0)[::2], y)
    np.testing.assert_array_equal(fortran.decision_function(X), strided.decision_function(X))


def test_a_pickle_predicts_in_a_new_process(iris, tmp_path):
    X, y = iris
    model = E1071SVC(probability=True, random_state=0).fit(X, np.array(["a", "b", "c"])[y])
    (tmp_path / "model").write_bytes(pickle.dumps((model, X)))
    in_another_process(
        "import pickle, sys\n"
        "import numpy as np\n"
        "model, X = pickle.load(open(sys.argv[1], 'rb'))\n"
        "np.savez(sys.argv[2], model.predict(X), model.decision_function(X), model.predict_proba(X))",
        str(tmp_path / "model"),
        str(tmp_path / "answer.npz"),
    )
    answer = np.load(tmp_path / "answer.npz")
    for key, expected in zip(
        ("arr_0", "arr_1", "arr_2"), (model.predict(X), model.decision_function(X), model.predict_proba(X)), strict=True
    ):
        np.testing.assert_array_equal(answer[key], expected)


def test_r_reads_the_bytes_and_they_do_not_hold_the_data(iris, tmp_path):
    X, y = iris
    model = E1071SVC().fit(X, y)
    (tmp_path / "model.rds").write_bytes(model.rds_)
    code = f'm <- readRDS("{tmp_path / "model.rds"}"); cat(class(m), m$tot.nSV, m$labels, is.name(m$call$x))'
    done = subprocess.run(["Rscript", "--vanilla", "-e", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"svm {model.n_support_.sum()} 3 1 2 TRUE"


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_learner_of_a_meta_estimator_in_parallel(iris, backend):
    X, y = iris
    with joblib.parallel_config(backend):
        many = OneVsOneClassifier(E1071SVC(), n_jobs=2).fit(X, y)
    one = OneVsOneClassifier(E1071SVC()).fit(X, y)
    np.testing.assert_array_equal(many.decision_function(X), one.decision_function(X))


@pytest.mark.parametrize("calibration", ["sigmoid", "firth"])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_in_pairs_it_is_what_scikit_learn_finds(iris, n_jobs, calibration):
    """R fits each pair and fold; sigmoids, temperature and coupling are ours."""
    X, y = iris
    X = standardized(X)
    machine = E1071SVC(scale=False, gamma=0.25, **TIGHT)
    theirs = PairwiseClassifier(machine, calibration=calibration, n_jobs=n_jobs).fit(X, y)
    ours = PairwiseClassifier(SVC(gamma=0.25, tol=1e-10), calibration=calibration).fit(X, y)
    np.testing.assert_allclose(theirs.pairwise_scores(X), ours.pairwise_scores(X), rtol=0, atol=TWO_LIBSVMS)
    np.testing.assert_allclose(theirs.predict_proba(X), ours.predict_proba(X), rtol=0, atol=TWO_LIBSVMS)


def test_r_may_be_started_by_another_thread_and_leaves_ctrl_c_alone():
    printed = in_another_process(
        "import os, signal, threading, time\n"
        "from pwcstats.r import E1071SVC\n"
        "def fit(): print(E1071SVC().fit([[0.0], [1.0], [2.0], [3.0]], list('aabb')).predict([[0.5]]))\n"
        "thread = threading.Thread(target=fit)\n"
        "thread.start(); thread.join()\n"
        "fit()\n"
        "try:\n"
        "    os.kill(os.getpid(), signal.SIGINT); time.sleep(5)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    assert printed.split("\n")[:3] == ["['a']", "['a']", "interrupted"]


def test_seeds(iris):
    X, y = iris
    draws = [E1071SVC(probability=True, random_state=seed).fit(X, y).probA_ for seed in (1, 1, 2)]
    np.testing.assert_array_equal(draws[0], draws[1])
    assert (draws[0] != draws[2]).any()
    generator = [E1071SVC(probability=True, random_state=np.random.RandomState(5)).fit(X, y).probA_ for _ in range(2)]
    np.testing.assert_array_equal(*generator)


def test_random_numbers_of_r_go_on_as_before(iris):
    X, y = iris
    evaluate = rinterface.evalr
    evaluate("set.seed(7); first <- runif(3); set.seed(7)")
    E1071SVC(probability=True, random_state=1).fit(X, y)
    assert evaluate("identical(runif(3), first)")[0]
    evaluate("rm(.Random.seed)")
    E1071SVC(probability=True, random_state=1).fit(X, y)
    assert not evaluate('exists(".Random.seed", globalenv())')[0]


def test_seeds_mean_the_same_whatever_generator_r_has(iris):
    X, y = iris
    usual = E1071SVC(probability=True, random_state=1).fit(X, y).probA_
    evaluate = rinterface.evalr
    evaluate('before <- RNGkind(); suppressWarnings(RNGkind("Wichmann-Hill", "Box-Muller", "Rounding"))')
    try:
        np.testing.assert_array_equal(E1071SVC(probability=True, random_state=1).fit(X, y).probA_, usual)
    finally:
        evaluate("RNGkind(before[1], before[2], before[3]); rm(before)")


def test_votes_at_0_are_those_of_scikit_learn():
    pairs = np.random.default_rng(0).integers(-1, 2, size=(200, 6)).astype(float)
    expected = _ovr_decision_function(pairs < 0, -pairs, 4)
    np.testing.assert_allclose(e1071._one_vs_rest(pairs, 4), expected, rtol=0, atol=1e-12)


def test_r_prints_nothing(iris, capfd):
    X, y = iris
    with pytest.raises(InputError):
        E1071SVC(gamma=-1.0).fit(X, y)
    E1071SVC(probability=True).fit(X, y).predict(X)
    assert capfd.readouterr() == ("", "")


def test_an_unreachable_tolerance_is_told():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)), rng.integers(0, 2, 12)
    with pytest.warns(ConvergenceWarning, match="before it reached the tolerance") as told:
        E1071SVC(kernel="linear", C=1000.0, scale=False, tolerance=1e-300).fit(X, y)
    assert told[0].filename == __file__


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "cubic"}, "kernel must be one of 'linear'"),
        ({"C": 0}, "C must be a positive number, got 0"),
        ({"C": "1"}, "C must be a positive number, got '1'"),
        ({"gamma": "wide"}, "gamma must be a number, 'auto', 'scale' or None, got 'wide'"),
        ({"gamma": -1.0}, "e1071 says: gamma < 0"),
        ({"coef0": np.nan}, "coef0 must be a number, got nan"),
        ({"degree": 2.5}, "degree must be a whole number of at least 0, got 2.5"),
        ({"scale": [True, False]}, "scale must be True, False, or one of them for each of the 4 columns"),
        ({"scale": 1}, "scale must be True, False"),
        ({"type": "eps-regression"}, "type must be one of"),
        ({"type": "nu-classification", "nu": 1.5}, "e1071 says: nu <= 0 or nu > 1"),
        (
            {"type": "nu-classification", "class_weight": "balanced"},
            "class_weight works with type='C-classification' only",
        ),
        ({"class_weight": "inverse"}, "class_weight must be a dict, 'balanced' or None, got 'inverse'"),
        ({"class_weight": {0: -1}}, "class_weight of class 0 must be a positive number, got -1"),
        ({"class_weight": {9: 1.0}}, "are not in class_weight"),
        ({"tolerance": 0.0}, "tolerance must be a positive number"),
        ({"cachesize": -1}, "cachesize must be a positive number"),
        ({"decision_function_shape": "pairs"}, "decision_function_shape must be one of 'ovr', 'ovo'"),
        ({"probability": True, "random_state": 2**31}, "random_state must be between 0 and 2147483647"),
    ],
)
def test_parameters_that_cannot_be_used(iris, parameters, message):
    with pytest.raises(InputError, match=message):
        E1071SVC(**parameters).fit(*iris)


def test_nu_that_is_infeasible(iris):
    X, y = iris
    rows = np.append(np.flatnonzero(y == 0)[:3], np.flatnonzero(y == 1))
    with pytest.raises(InputError, match="e1071 says: specified nu is infeasible"):
        E1071SVC(type="nu-classification", nu=0.9).fit(X[rows], y[rows])


def test_probabilities_need_to_be_asked_for_before_fit(iris):
    X, y = iris
    model = E1071SVC(probability=True).fit(X, y)
    assert clone(model).probability
    model.set_params(probability=False).fit(X, y)
    assert not hasattr(model, "predict_proba")
    assert model.probA_ is None
    with pytest.raises(InputError, match="fit again"):
        model.set_params(probability=True).predict_proba(X)
    with pytest.raises(NotFittedError):
        E1071SVC(probability=True).predict_proba(X)


def test_one_class_only(iris):
    with pytest.raises(InputError, match="at least 2 classes, got 1 class"):
        E1071SVC().fit(iris[0], np.zeros(len(iris[0])))


def test_without_e1071(iris, monkeypatch):
    call = e1071.E1071.call
    monkeypatch.setattr(e1071.E1071, "call", lambda name, **args: call(name, **args | {"packages": ["noSuchPackage"]}))
    with pytest.raises(InputError, match=r'install\.packages\("noSuchPackage"\) in R, or install r-cran-nosuchpackage'):
        E1071SVC().fit(*iris)


def test_without_rpy2():
    printed = in_another_process(
        "import sys\n"
        "sys.modules['rpy2'] = None\n"
        "try:\n"
        "    import pwcstats.r\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    assert printed == "pwcstats.r needs rpy2: pip install rpy2, or rpy2==3.5.17 if R is older than 4.5.\n"


def test_without_r(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("R_HOME", "/nowhere")
    printed = in_another_process(
        "try:\n"
        "    from pwcstats.r import E1071SVC\n"
        "    E1071SVC().fit([[0.0], [1.0]], [0, 1])\n"
        "except (ImportError, ValueError) as error:\n"
        "    print(error)\n"
    )
    assert "rpy2 cannot" in printed
