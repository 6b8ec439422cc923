"""Data sets that R packages carry: R writes them to files, which are read and checked."""

import shutil
import subprocess
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from pwcstats.datasets.files import check_counts
from pwcstats.errors import InputError

# With which from_r.R ends where R lacks the package.
NO_PACKAGE = 3

# Tables with a row for each item, whose name the row has, or for each subject, whom other tables call 1, 2, ...
_NAMED = ("counts", "predictors", "schools", "items")
_NUMBERED = ("students", "subjects")


class Set(NamedTuple):
    """A data set: where it is, and what it must be like."""

    about: str
    package: str
    tables: dict[str, tuple[int, int]]  # rows and columns; the first is the main one
    more: str  # what is in the tables
    target: tuple[str, dict[int, int]] | None = None  # the column of classes, and the rows of each

    @property
    def size(self) -> tuple[int, int | None, int | None]:
        """Rows, and features and classes where there are any."""
        rows, columns = next(iter(self.tables.values()))
        return (rows, None, None) if self.target is None else (rows, columns - 1, len(self.target[1]))


def from_package(name: str) -> Bunch:
    """A set of SETS, checked."""
    source = SETS[name]
    deb = f"r-cran-{source.package.lower()}"
    install = f'apt-get install {deb}, or install.packages("{source.package}") in R'
    rscript = shutil.which("Rscript")
    if rscript is None:
        raise InputError(
            f"{name!r} is in R's package {source.package}, and there is no Rscript on the PATH: apt-get install {deb}, "
            f'or install R and then the package, by install.packages("{source.package}").'
        )
    with TemporaryDirectory() as folder, as_file(files("pwcstats.datasets").joinpath("from_r.R")) as script:
        command = [rscript, str(script), source.package, name, folder]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode == NO_PACKAGE:
            raise InputError(f"{name!r} is in R's package {source.package}, which is not installed: {install}.")
        try:
            if done.returncode != 0:
                raise OSError(" ".join(done.stderr.decode(errors="replace").split()))
            tables = _read(Path(folder), list(source.tables))
        except (OSError, ValueError, KeyError) as error:
            raise InputError(
                f"{name!r} cannot be read from R's package {source.package} ({error}); try {install}."
            ) from error
    found = {table: content.shape for table, content in tables.items()}
    if found != source.tables:
        raise InputError(
            f"{name!r} must have the tables {_in_words(source.tables)}, got {_in_words(found)} from R's package "
            f"{source.package}; try {install}."
        )
    frame = next(iter(tables.values()))
    about = f"{source.about}: {_in_words(source.tables)}, from R's package {source.package}. {source.more}"
    bunch = Bunch(**{**tables, "frame": frame, "DESCR": about})
    if source.target is not None:
        column, counts = source.target
        check_counts(name, frame[column], counts, f"R package {source.package}", install)
        data = frame.drop(columns=column)
        bunch.update(data=data, target=frame[column], feature_names=list(data), target_names=np.array(list(counts)))
    return bunch


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
    if "counts" in tables:
        tables["counts"] = tables["counts"].rename_axis(index="cited", columns="citing")
    return tables


def _values(text: pd.Series) -> pd.Series:
    """True and false, whole numbers, or numbers with gaps where a cell is empty."""
    if text.isin(["TRUE", "FALSE"]).all():
        return text == "TRUE"
    # By Python: pandas 2 reads some of the 17 digits with an error in the last bit.
    values = text.replace("", "nan").map(float)
    return values.astype(np.int64) if (values % 1 == 0).all() else values


def _in_words(shapes: dict[str, tuple[int, int]]) -> str:
    return ", ".join(f"{table} ({rows} x {columns})" for table, (rows, columns) in shapes.items())


# Of the packages whose sets were checked.
VERSIONS = {"BradleyTerry2": "1.1.2", "psychotools": "0.7.2", "brglm2": "0.9"}
_PAIRS = (
    "Each comparison has the subject, two items and the winner; there are no ties. The rows of `subjects` are numbered "
    "from 1, as the column subject is."
)

SETS = {
    "baseball": Set(
        "Baseball games between 7 teams in 1987",
        "BradleyTerry2",
        {"frame": (42, 4)},
        "A row has both teams of a pair, the home team's wins and the away team's.",
    ),
    "citations": Set(
        "Citations between 4 statistical journals",
        "BradleyTerry2",
        {"counts": (4, 4)},
        "The journal of a row is cited by the journal of a column, which in a Bradley–Terry model is a win of the row; "
        "on the diagonal, journals cite themselves.",
    ),
    "flatlizards": Set(
        "Contests of 77 male flat lizards",
        "BradleyTerry2",
        {"contests": (100, 2), "predictors": (77, 18)},
        "Winner and loser of each contest, and measurements of the lizards, some of them missing.",
    ),
    "icehockey": Set(
        "College ice hockey of 58 teams, 2009-10",
        "BradleyTerry2",
        {"frame": (1083, 8)},
        "The result is the visitor's: 1, 0.5 or 0; home.ice is false where the opponent was not at home either.",
    ),
    "chameleons": Set(
        "Contests of 35 male dwarf chameleons",
        "BradleyTerry2",
        {"contests": (106, 2), "winner": (106, 4), "loser": (106, 4), "predictors": (35, 7)},
        "Winner and loser of each contest, what both had won before (in `winner` and `loser`), and measurements.",
    ),
    "football": Set(
        "English Premier League, 29 teams, 2008-9 to 2012-13",
        "BradleyTerry2",
        {"frame": (1900, 4)},
        "The result is the home team's: 1, 0 (a draw) or -1.",
    ),
    "CEMS": Set(
        "Students' choices among 6 management schools",
        "BradleyTerry2",
        {"preferences": (4545, 8), "students": (303, 8), "schools": (6, 7)},
        "Each of 303 students compared all pairs: win1, win2 and tied are 0 or 1, missing where nothing was said. The "
        "rows of `students` are numbered from 1, as the column student is.",
    ),
    "SoundQuality": Set(
        "Listeners' choices among 8 ways to reproduce sound",
        "psychotools",
        {"comparisons": (21924, 4), "subjects": (783, 5)},
        f"{_PAIRS} A subject is one run of one of 40 listeners through all pairs. Which item was heard first is not "
        "known: `first` is the one that is earlier in the list.",
    ),
    "GermanParties2009": Set(
        "Choices among 5 German parties and abstention",
        "psychotools",
        {"comparisons": (2880, 4), "subjects": (192, 5)},
        f"{_PAIRS} `first` was read to the subject first.",
    ),
    "FirstNames": Set(
        "Choices among 6 boys' names",
        "psychotools",
        {"comparisons": (2880, 4), "subjects": (192, 9), "items": (6, 1)},
        f"{_PAIRS} `first` was read to the subject first. `items` has the vowel of each name.",
    ),
    "endometrial": Set(
        "Endometrial cancer of high or low grade",
        "brglm2",
        {"frame": (79, 4)},
        "The grade HG by NV, PI and EH; all 13 cases with NV = 1 are of high grade, so that NV separates.",
        ("HG", {0: 49, 1: 30}),
    ),
    "lizards": Set(
        "Perches of two species of lizards",
        "brglm2",
        {"frame": (23, 6)},
        "How many lizards of each species (grahami, opalinus) were seen, by height, diameter, light and time.",
    ),
}
