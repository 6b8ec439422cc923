"""Read tables from files or stdin.

Cells stay text until a command asks for numbers. So the items "01" and "1" differ, and a saved model contains the rows
as they were read.
"""

import csv
import io
import math
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pwcstats._arrays import Array
from pwcstats._text import did_you_mean, listed, rename_hint
from pwcstats.errors import InputError

SEPARATORS = (",", ";", "\t")
# Case matters: "Na" may be sodium.
MISSING = ("", "NA", "NaN", "nan")
_TRUE, _FALSE = ("true", "t", "yes", "1", "1.0"), ("false", "f", "no", "0", "0.0")


def read_table(path: str, sep: str | None = None) -> pd.DataFrame:
    """Read a table with a header; all cells are text, and None if they are empty, NA or NaN.

    Parameters
    ----------
    path : str
        A file, or "-" for stdin.
    sep : str, optional
        Separator of cells; by default comma, semicolon or tab, whichever is most frequent in the header.
    """
    name = shown_name(path)
    return parse_table(_read_text(path, name), name, sep)


def shown_name(path: str) -> str:
    """The name of a file in messages."""
    return "stdin" if path == "-" else path


def parse_table(text: str, name: str, sep: str | None = None) -> pd.DataFrame:
    """Parse a table from text; errors refer to it by `name`."""
    if not text.strip():
        raise InputError(f"{name} is empty; a table with a header is needed.")
    sep = sep or _sniff(text)
    try:
        # Without strict=True, a quote that is never closed would swallow the rest of the file.
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=sep, skipinitialspace=True, strict=True)
        lines = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise InputError(f"{name} cannot be read as a table ({error}).") from None
    header = [cell.strip() for cell in lines[0][1]]
    _check_header(header, name)
    for number, row in lines[1:]:
        if len(row) != len(header):
            raise InputError(
                f"line {number} of {name} has {len(row)} cells, but the header has {len(header)}; correct the "
                "line, or give the separator with --sep (a column of row names also needs a cell in the header)."
            )
    if len(lines) == 1:
        raise InputError(f"{name} has a header {listed(header)} and no rows.")
    cells = [[_cell(cell) for cell in row] for _, row in lines[1:]]
    return pd.DataFrame(cells, columns=pd.Index(header, dtype=object), dtype=object)


def _read_text(path: str, name: str) -> str:
    content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise InputError(f"{name} is not a text file in UTF-8; save the table as CSV in UTF-8.")
    return text


def _sniff(text: str) -> str:
    header = next(line for line in text.splitlines() if line.strip())
    outside = "".join(header.split('"')[::2])
    return max(SEPARATORS, key=outside.count)


def _cell(cell: str) -> str | None:
    cell = cell.strip()
    return None if cell in MISSING else cell


def _check_header(header: list[str], name: str) -> None:
    # The first column may have no name: R and pandas write row names like this.
    nameless = [number for number, cell in enumerate(header, 1) if not cell and number > 1]
    if nameless:
        raise InputError(f"every column of {name} needs a name in the header, got none for column {nameless[0]}.")
    twice = [cell for cell, times in Counter(header).items() if times > 1]
    if twice:
        raise InputError(f"column names of {name} must be unique, got {listed(twice)} more than once.")


def need_columns(
    columns: Iterable[str], names: Iterable[str], path: str, option: str | None = None, advice: str = ""
) -> None:
    """Raise an error if names are missing in the columns; `option` is the one by which the user chose them.

    `advice` ends the error about columns that the user did not choose.
    """
    columns, names = list(columns), list(names)
    missing = [name for name in names if name not in columns]
    if missing and option is not None:
        raise InputError(
            f"{option} must be one of the columns of {shown_name(path)}, {listed(columns)}, got {missing[0]!r}."
            f"{did_you_mean(missing[0], columns)}"
        )
    if missing:
        others = [column for column in columns if column not in set(names)]
        raise InputError(
            f"{shown_name(path)} must have the columns {listed(missing)}, got {listed(columns)}."
            f"{rename_hint(missing, others)}{f' {advice}' if advice else ''}"
        )


def is_number(cell: Any) -> bool:
    """Whether a cell is a number; 1_000 is not, although Python accepts it."""
    try:
        return "_" not in cell and not math.isnan(float(cell))
    except ValueError:
        return False


def is_numeric(column: pd.Series) -> bool:
    """Whether a column has numbers, and nothing else except missing cells."""
    cells = [cell for cell in column if cell is not None]
    return bool(cells) and all(map(is_number, cells))


def as_numbers(column: pd.Series) -> Array:
    """A column as numbers, with NaN for missing cells."""
    for row, cell in enumerate(column, 1):
        if cell is not None and not is_number(cell):
            raise InputError(f"column {column.name} must hold numbers, got {cell!r} in row {row}.")
    return np.array([np.nan if cell is None else float(cell) for cell in column], dtype=np.float64)


def all_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """A table with all columns as numbers."""
    columns = [as_numbers(frame[name]) for name in frame.columns]
    values = np.column_stack(columns) if columns else np.empty((len(frame), 0))
    return pd.DataFrame(values, index=frame.index, columns=frame.columns)


def refuse_missing(cells: pd.Series) -> None:
    """Raise an error if a column has missing cells."""
    missing = cells.isna().to_numpy()
    if missing.any():
        raise InputError(
            f"column {cells.name} must not have missing values, got {missing.sum()}, the first in row "
            f"{int(np.argmax(missing)) + 1}; fill or drop these rows."
        )


def as_labels(column: pd.Series) -> Any:
    """Labels of rows, such as folds: whole numbers if all are (so 10 comes after 2), otherwise text."""
    cells = list(column)
    if all(cell is not None and cell.isdecimal() for cell in cells):
        return np.array([int(cell) for cell in cells])
    return np.array(cells, dtype=object)


def as_flags(column: pd.Series) -> Any:
    """A column of true and false as booleans."""
    for row, cell in enumerate(column, 1):
        if cell is None or cell.lower() not in (*_TRUE, *_FALSE):
            shown = "nothing" if cell is None else repr(cell)
            raise InputError(f"column {column.name} must hold true or false (or 1 or 0), got {shown} in row {row}.")
    return np.array([cell.lower() in _TRUE for cell in column], dtype=np.bool_)


def is_square(frame: pd.DataFrame) -> bool:
    """Whether a table is K x K with row names: its first column contains the names of the others."""
    return frame.shape[1] > 2 and sorted(frame.columns[1:]) == sorted(map(str, frame.iloc[:, 0]))


def as_square(frame: pd.DataFrame) -> pd.DataFrame:
    """A K x K table of numbers with its row names as index."""
    names = frame.iloc[:, 0]
    return all_numbers(frame.iloc[:, 1:]).set_axis(pd.Index(names, dtype=object, name=None), axis=0)


def read_pairs(path: str, sep: str | None, *, condensed: bool = False, wide: bool = False) -> tuple[pd.DataFrame, bool]:
    """Read numbers of pairs with their labels, K x K or with columns a/b; the second value tells whether condensed.

    `condensed` and `wide` are what the user says about the file; if both are False, the file decides.
    """
    frame = read_table(path, sep)
    if wide or (not condensed and is_square(frame)):
        if not is_square(frame):
            raise InputError(
                f"{path} must be a K x K table: the first column must hold the names of the others, "
                f"{listed(frame.columns[1:])}, got {listed(frame.iloc[:, 0])}."
            )
        return as_square(frame), False
    first = frame.columns[0]
    others = frame.columns[1:]
    if len(others) and ("/" not in first or not is_numeric(frame[first])):
        names = pd.Index(frame[first], dtype=object, name=first)
        frame = frame.drop(columns=first).set_axis(names, axis=0)
    else:
        frame = frame.set_axis(pd.RangeIndex(1, len(frame) + 1), axis=0)
    odd = [name for name in frame.columns if len(name.split("/")) != 2]
    if odd:
        raise InputError(
            f"columns of {path} must be named by pairs, as a/b, got {listed(odd)}; for a K x K table the first "
            "column must hold the names of the others."
        )
    return all_numbers(frame), True


def read_weights(path: str, sep: str | None) -> pd.DataFrame | pd.Series:
    """Read weights of pairs: K x K, a row of pairs, or a row for each sample."""
    weights, condensed = read_pairs(path, sep)
    return weights.iloc[0] if condensed and len(weights) == 1 else weights


def refuse_stdin_twice(file: str, other: str | None, option: str) -> None:
    """Raise an error if two tables are to be read from stdin."""
    if file == other == "-":
        raise InputError(f"only one of FILE and {option} can be stdin, got - for both.")
