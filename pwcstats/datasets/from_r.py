"""Read and check data sets of R packages: R writes them to files, which are read here."""

import shutil
import subprocess
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from pwcstats.errors import InputError

# Exit status of from_r.R if the R package is not installed.
NO_PACKAGE = 3

# Tables whose rows are named by items, and tables whose rows are subjects, which other tables number from 1.
_NAMED = ("predictors", "schools", "items")
_NUMBERED = ("students", "subjects")


class Source(NamedTuple):
    """Where a data set is, and how large it must be."""

    about: str
    package: str
    tables: dict[str, tuple[int, int]]  # numbers of rows and columns; the first is the main table
    more: str  # description of the tables

    @property
    def rows(self) -> int:
        """Number of rows of the main table."""
        return next(iter(self.tables.values()))[0]


def from_package(name: str) -> Bunch:
    """Read one of SOURCES and check it."""
    source = SOURCES[name]
    deb = f"r-cran-{source.package.lower()}"
    install = f'apt-get install {deb}, or install.packages("{source.package}") in R'
    rscript = shutil.which("Rscript")
    if rscript is None:
        raise InputError(
            f"{name!r} is in the R package {source.package}, and Rscript is not on the PATH: apt-get install {deb}, "
            f'or install R and then the package with install.packages("{source.package}").'
        )
    with TemporaryDirectory() as folder, as_file(files("pwcstats.datasets").joinpath("from_r.R")) as script:
        command = [rscript, str(script), source.package, name, folder]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode == NO_PACKAGE:
            raise InputError(f"{name!r} is in the R package {source.package}, which is not installed: {install}.")
        try:
            if done.returncode != 0:
                raise OSError(" ".join(done.stderr.decode(errors="replace").split()))
            tables = _read(Path(folder), list(source.tables))
        except (OSError, ValueError, KeyError) as error:
            raise InputError(
                f"{name!r} cannot be read from the R package {source.package} ({error}); try {install}."
            ) from error
    found = {table: content.shape for table, content in tables.items()}
    if found != source.tables:
        raise InputError(
            f"{name!r} must have the tables {_describe(source.tables)}, got {_describe(found)} from the R package "
            f"{source.package}; try {install}."
        )
    frame = next(iter(tables.values()))
    about = f"{source.about}: {_describe(source.tables)}, from the R package {source.package}. {source.more}"
    return Bunch(**{**tables, "frame": frame, "DESCR": about})


def _read(folder: Path, names: list[str]) -> dict[str, pd.DataFrame]:
    levels = pd.read_csv(folder / "levels.csv", dtype={"level": str}, keep_default_na=False)
    tables = {}
    for name in names:
        text = pd.read_csv(folder / f"{name}.csv", index_col=0, dtype=str, keep_default_na=False)
        table = text.apply(_values).rename_axis(None)
        for column, rows in levels[levels["table"] == name].groupby("column"):
            codes = table[column].fillna(0).astype(np.int64) - 1
            categories = pd.Index(rows["level"].to_list(), dtype=object)
            table[column] = pd.Categorical.from_codes(codes, categories, ordered=bool(rows["ordered"].iloc[0]))
        if name not in _NAMED:
            table.index = pd.RangeIndex(len(table)) + (name in _NUMBERED)
        tables[name] = table
    return tables


def _values(text: pd.Series) -> pd.Series:
    """Booleans, whole numbers, or floats with NaN for empty cells."""
    if text.isin(["TRUE", "FALSE"]).all():
        return text == "TRUE"
    # float() is exact; pandas 2 reads some of the 17 digits with an error in the last bit.
    values = text.replace("", "nan").map(float)
    return values.astype(np.int64) if (values % 1 == 0).all() else values


def _describe(shapes: dict[str, tuple[int, int]]) -> str:
    return ", ".join(f"{table} ({rows} x {columns})" for table, (rows, columns) in shapes.items())


# Versions of the packages that were checked.
VERSIONS = {"BradleyTerry2": "1.1.2", "psychotools": "0.7.2", "brglm2": "0.9"}
_PAIRS = (
    "Each comparison has the subject, two items and the winner; there are no ties. The rows of `subjects` are numbered "
    "from 1, like the column subject."
)

SOURCES = {
    "baseball": Source(
        "Baseball games between 7 teams in 1987",
        "BradleyTerry2",
        {"frame": (42, 4)},
        "Each row is a pair of teams with the numbers of wins of the home team and of the away team.",
    ),
    "flatlizards": Source(
        "Contests of 77 male flat lizards",
        "BradleyTerry2",
        {"contests": (100, 2), "predictors": (77, 18)},
        "Winner and loser of each contest, and measurements of the lizards, some of them missing.",
    ),
    "icehockey": Source(
        "College ice hockey of 58 teams, 2009-10",
        "BradleyTerry2",
        {"frame": (1083, 8)},
        "The result is that of the visitor: 1, 0.5 or 0; home.ice is false if the opponent was not at home either.",
    ),
    "chameleons": Source(
        "Contests of 35 male dwarf chameleons",
        "BradleyTerry2",
        {"contests": (106, 2), "winner": (106, 4), "loser": (106, 4), "predictors": (35, 7)},
        "Winner and loser of each contest, the earlier contests of both (in `winner` and `loser`), and measurements.",
    ),
    "football": Source(
        "English Premier League, 29 teams, 2008-9 to 2012-13",
        "BradleyTerry2",
        {"frame": (1900, 4)},
        "The result is that of the home team: 1, 0 (a draw) or -1.",
    ),
    "CEMS": Source(
        "Students' choices among 6 management schools",
        "BradleyTerry2",
        {"preferences": (4545, 8), "students": (303, 8), "schools": (6, 7)},
        "Each of 303 students compared all pairs: win1, win2 and tied are 0 or 1, or missing if the student "
        "gave no answer. The rows of `students` are numbered from 1, like the column student.",
    ),
    "SoundQuality": Source(
        "Listeners' choices among 8 ways to reproduce sound",
        "psychotools",
        {"comparisons": (21924, 4), "subjects": (783, 5)},
        f"{_PAIRS} A subject is one session of one of 40 listeners, who compared all pairs in it. It is not known "
        "which item was heard first: `first` is the one that comes first in the list.",
    ),
    "GermanParties2009": Source(
        "Choices among 5 German parties and abstention",
        "psychotools",
        {"comparisons": (2880, 4), "subjects": (192, 5)},
        f"{_PAIRS} `first` was read to the subject first.",
    ),
    "FirstNames": Source(
        "Choices among 6 boys' names",
        "psychotools",
        {"comparisons": (2880, 4), "subjects": (192, 9), "items": (6, 1)},
        f"{_PAIRS} `first` was read to the subject first. `items` has the vowel of each name.",
    ),
    "lizards": Source(
        "Perches of two species of lizards",
        "brglm2",
        {"frame": (23, 6)},
        "Numbers of lizards of two species (grahami, opalinus) by height, diameter, light and time.",
    ),
}
