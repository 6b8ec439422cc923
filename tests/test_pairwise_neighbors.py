"""Nearest neighbours with biased distances, against loops over rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import check_estimator

from pwcstats import BiasedNeighborsClassifier, InputError, PairwiseClassifier
from pwcstats.pairwise import neighbors
from tests import reference_pairwise as reference

# Shares of small whole numbers.
EXACT = 1e-12


@pytest.fixture
def data():
    """A narrow class within a wide one, where a bias helps, and new rows."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(40, 3)) * np.where(np.arange(40) < 18, 0.4, 1.3)[:, None]
    return x, np.where(np.arange(40) < 18, "a", "b"), rng.normal(size=(10, 3))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("clf", [BiasedNeighborsClassifier(), BiasedNeighborsClassifier(2, bias=0.1)])
def test_check_estimator(clf):
    checks = check_estimator(clf, on_skip=None)
    # It needs an environment variable, and is skipped for every estimator without it.
    assert {check["check_name"] for check in checks if check["status"] == "skipped"} <= {"check_array_api_input"}
    assert len(checks) > 50


@pytest.mark.parametrize("n_neighbors", [(1, 3, 5, 7), (6, 2, 5)])
@pytest.mark.parametrize("decimals", [None, 0])
def test_against_the_slow_reference(n_neighbors, decimals, data):
    """Also with rounded columns, where many distances are equal."""
    x, y, new = data
    if decimals is not None:
        x, new = x.round(decimals), new.round(decimals)
    biases = (-0.3, -0.1, 0.0, 0.1, 0.2, 0.3)
    clf = BiasedNeighborsClassifier(n_neighbors, bias=biases).fit(x, y)
    errors = reference.biased_errors(x, y == "a", n_neighbors, biases)
    least = min(errors.values())
    # The first of equals: the bias nearest to 0, then the smallest J.
    assert (clf.bias_, clf.n_neighbors_) == next(key for key, error in errors.items() if error < least + EXACT)
    assert clf.error_ == pytest.approx(least, abs=EXACT)
    if decimals is None:
        assert clf.bias_ > 0.0
        assert least < min(errors[0.0, j] for j in n_neighbors)
    for j, bias in ((clf.n_neighbors_, clf.bias_), (2, 0.0), (39, -0.2)):
        share = [reference.biased_share(x, y == "a", row, j, bias) for row in new]
        proba = BiasedNeighborsClassifier(j, bias=bias).fit(x, y).predict_proba(new)
        np.testing.assert_allclose(proba, np.column_stack([share, 1 - np.array(share)]), rtol=0, atol=EXACT)


def test_equal_distances():
    """The two orders of the classes count equally, so swapping the labels swaps the probabilities."""
    x, y = np.array([[0.0], [2.0], [2.0], [5.0]]), np.array([0, 1, 1, 0])
    clf = BiasedNeighborsClassifier(1, bias=0.0)
    np.testing.assert_array_equal(clf.fit(x, y).predict_proba([[1.0]]), [[0.5, 0.5]])
    np.testing.assert_array_equal(clf.predict([[1.0], [3.6]]), [0, 0])
    np.testing.assert_array_equal(clf.fit(x, 1 - y).predict_proba([[1.0]]), [[0.5, 0.5]])


def test_without_bias_they_are_nearest_neighbours(data):
    x, y, new = data
    plain = KNeighborsClassifier(7).fit(x, y).predict_proba(new)
    found = BiasedNeighborsClassifier(7, bias=0).fit(x, y)
    np.testing.assert_allclose(found.predict_proba(new), plain, rtol=0, atol=EXACT)
    assert (found.n_neighbors_, found.bias_) == (7, 0.0)


def test_pieces_do_not_matter(monkeypatch, data):
    x, y, new = data
    whole = BiasedNeighborsClassifier().fit(x, y)
    monkeypatch.setattr(neighbors, "PIECE", 3 * len(x))
    pieces = BiasedNeighborsClassifier().fit(x, y)
    assert (pieces.n_neighbors_, pieces.bias_, pieces.error_) == (whole.n_neighbors_, whole.bias_, whole.error_)
    np.testing.assert_array_equal(pieces.predict_proba(new), whole.predict_proba(new))


def test_of_equally_good_choices_the_smallest_bias_and_number_are_taken():
    x = np.r_[np.linspace(0, 1, 20), np.linspace(5, 6, 20)][:, None]
    clf = BiasedNeighborsClassifier().fit(x, np.repeat([0, 1], 20))
    assert (clf.error_, clf.bias_, clf.n_neighbors_) == (0.0, 0.0, 1)


def test_few_rows():
    """Candidates for J that are too large are left out."""
    clf = BiasedNeighborsClassifier().fit([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])
    assert (clf.n_neighbors_, clf.error_) == (1, 0.0)
    assert BiasedNeighborsClassifier((3, 9)).fit([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]).n_neighbors_ == 3


def test_in_a_pairwise_classifier(data):
    x, y, new = data
    frame = pd.DataFrame(x, columns=["u", "v", "w"])
    three = np.where(x[:, 0] > 1.0, "c", y)
    clf = PairwiseClassifier(BiasedNeighborsClassifier()).fit(frame, three)
    rows = three != "c"
    alone = BiasedNeighborsClassifier().fit(x[rows], three[rows])
    own = clf.estimators_["a", "b"]
    assert (own.n_neighbors_, own.bias_) == (alone.n_neighbors_, alone.bias_)
    r = clf.pairwise_proba(pd.DataFrame(new, columns=frame.columns))[:, 0, 1]
    np.testing.assert_allclose(r, alone.predict_proba(new)[:, 0], rtol=0, atol=EXACT)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_neighbors": 40}, "n_neighbors must be below the number of rows, 40, as a row is not its own .* got 40"),
        ({"n_neighbors": (50, 60)}, "n_neighbors must be below the number of rows, 40"),
        ({"n_neighbors": 0}, "n_neighbors must be a whole number of at least 1, got 0"),
        ({"n_neighbors": (1, 2.5)}, "n_neighbors must be a whole number of at least 1, got 2.5"),
        ({"n_neighbors": []}, "n_neighbors must be 'auto', a number, or a list of numbers, got \\[\\]"),
        ({"n_neighbors": "all"}, "n_neighbors must be 'auto', a number, or a list of numbers, got 'all'"),
        ({"bias": np.nan}, "bias must be a number from -100 to 100, got nan"),
        ({"bias": (0.1, -1000)}, "bias must be a number from -100 to 100, got -1000"),
        ({"n_neighbors": np.array(0)}, "n_neighbors must be a whole number of at least 1, got 0"),
        ({"bias": "none"}, "bias must be 'auto', a number, or a list of numbers, got 'none'"),
        ({"bias": None}, "bias must be 'auto', a number, or a list of numbers, got None"),
    ],
)
def test_wrong_parameters(options, message, data):
    x, y, _ = data
    with pytest.raises(InputError, match=message):
        BiasedNeighborsClassifier(**options).fit(x, y)


@pytest.mark.filterwarnings("error")
def test_scalars_of_numpy_and_the_largest_bias(data):
    x, y, new = data
    clf = BiasedNeighborsClassifier(np.array(3), bias=np.array(100.0)).fit(x, y)
    assert (clf.n_neighbors_, clf.bias_) == (3, 100.0)
    # All rows of the first class are farther than those of the second.
    np.testing.assert_array_equal(clf.predict_proba(new)[:, 0], 0.0)


def test_wrong_classes(data):
    x, _, _ = data
    with pytest.raises(InputError, match="Only binary .* multiclass, with 3 classes; use PairwiseClassifier"):
        BiasedNeighborsClassifier().fit(x, np.arange(40) % 3)
    with pytest.raises(InputError, match="y must have at least 2 classes, got 1 class"):
        BiasedNeighborsClassifier().fit(x, np.zeros(40))
