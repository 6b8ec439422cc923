"""Read comparisons from CSV and Parquet files, for ``pwcstats rank``.

CSV files are read into memory, with text cells. Parquet files are not: polars counts the comparisons of each pair.
"""

import argparse
import ast
import builtins
import glob
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import patsy

from pwcstats._text import did_you_mean, listed
from pwcstats.bradley_terry import BradleyTerry
from pwcstats.bradley_terry.formulas import columns_in
from pwcstats.bradley_terry.habits import fill_in, fitting_habits
from pwcstats.bradley_terry.reading import Columns
from pwcstats.cli import reading
from pwcstats.errors import InputError, quoted

if TYPE_CHECKING:
    from polars import LazyFrame

# A Parquet file has one of these extensions, or begins with these bytes.
EXTENSIONS, MAGIC = (".parquet", ".pq"), b"PAR1"
# What makes a name a pattern.
PATTERN = re.compile(r"[*?]|\[.+\]")
# Options that name one column each.
COLUMN_OPTIONS = ("winner", "loser", "weight", "first", "second", "cluster", "by")
# Options that need one row per comparison.
ROW_OPTIONS = (*COLUMN_OPTIONS, "tie", "wins", "contest", "order_effect")
# What formulas may use beside the functions of patsy; np is for formulas that were written for Python.
FUNCTIONS = {"np": np, "log": np.log, "log1p": np.log1p, "sqrt": np.sqrt, "exp": np.exp}


@dataclass(frozen=True)
class Source:
    """An open source of comparisons.

    `name` is the file that messages name, and `columns` are its columns. `read` makes the model. It takes the columns
    of the comparisons, further columns to keep, and which of these are covariates.
    """

    name: str
    columns: list[str]
    read: Callable[[Columns, list[str], list[str]], BradleyTerry]


def read_model(options: argparse.Namespace) -> BradleyTerry:
    """The model of the files that the options name."""
    files = find_files(options.file)
    if options.weights:
        return _read_proportions(options, files)
    are_parquet = [_is_parquet(file) for file in files]
    if any(are_parquet) and not all(are_parquet):
        one, other = files[are_parquet.index(True)], files[are_parquet.index(False)]
        raise InputError(
            f"the files must all be Parquet or all be CSV, got {one} and {reading.shown_name(other)}; convert one of "
            "them."
        )
    if any(are_parquet):
        return _read_rows(options, _open_parquet(files, options.sep))
    frames = {file: reading.read_table(file, options.sep) for file in files}
    first = frames[files[0]]
    if not any(getattr(options, name) for name in ROW_OPTIONS) and reading.is_square(first):
        _need_one(files, "a K x K table of wins")
        return BradleyTerry(reading.as_square(first).fillna(0.0))
    return _read_rows(options, _open_csv(frames))


# Files


def find_files(patterns: Sequence[str]) -> list[str]:
    """The files that were given by name or by pattern, such as ``battles/*.parquet``; each only once."""
    files: list[str] = []
    for pattern in patterns:
        if pattern == "-" or not PATTERN.search(pattern) or os.path.lexists(pattern):
            files.append(pattern)
            continue
        found = sorted(glob.glob(pattern, recursive=True))
        if not found:
            raise InputError(f"no file matches the pattern {pattern!r}.")
        files += found
    twice = [file for file in files if files.count(file) > 1]
    if twice:
        raise InputError(f"{reading.shown_name(twice[0])} was given twice; its comparisons would count double.")
    return files


def _is_parquet(file: str) -> bool:
    path = Path(file)
    if file == "-" or path.suffix.lower() in EXTENSIONS:
        return file != "-"
    # Reading from a pipe would take the bytes away.
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC


def _need_one(files: list[str], what: str) -> None:
    if len(files) > 1:
        raise InputError(f"{what} must be one file, got {len(files)} files, the first of which is {files[0]}.")


def _read_proportions(options: argparse.Namespace, files: list[str]) -> BradleyTerry:
    """The model of a table of proportions and one of counts."""
    _need_one(files, "a table of proportions")
    reading.refuse_stdin_twice(files[0], options.weights, "--counts")
    r, condensed = reading.read_pairs(files[0], options.sep)
    n = reading.read_weights(options.weights, options.sep)
    return BradleyTerry.from_pairwise(r.iloc[0] if condensed and len(r) == 1 else r, n, condensed=condensed)


def _open_csv(frames: dict[str, pd.DataFrame]) -> Source:
    name = next(iter(frames))

    def read(columns: Columns, kept: list[str], covariates: list[str]) -> BradleyTerry:
        parts = []
        for file, frame in frames.items():
            reading.need_columns(frame.columns, _used(columns, kept), file)
            with _naming(file, len(frames) > 1):
                parts.append(_with_types(frame, columns, kept))
            # Messages count rows from 1.
            labels = range(1, len(frame) + 1)
            parts[-1].index = pd.Index(labels if len(frames) == 1 else [f"{row} of {file}" for row in labels])
        data = pd.concat(parts)
        # Labels such as "01" and "1" differ, but covariates may be numbers.
        texts = [name for name in covariates if data[name].dtype == object and reading.is_numeric(data[name])]
        data = data.assign(**{name: reading.as_numbers(data[name]) for name in texts})
        return BradleyTerry.from_comparisons(data, **vars(columns))

    return Source(name, list(frames[name].columns), read)


@contextmanager
def _naming(file: str, named: bool) -> Iterator[None]:
    """Begin errors with the name of the file, if it is one of several."""
    try:
        yield
    except InputError as error:
        if not named:
            raise
        raise InputError(f"{reading.shown_name(file)}: {quoted(error)}") from None


def _with_types(frame: pd.DataFrame, columns: Columns, kept: list[str]) -> pd.DataFrame:
    """The columns that are used, with weights, wins and ties as numbers or flags."""
    items = [columns.winner, columns.loser, columns.second, columns.first if columns.second else None]
    for name in filter(None, items):
        reading.refuse_missing(frame[name])
    data = frame[_used(columns, kept)]
    numbers = [*filter(None, [columns.weight]), *(columns.wins or ())]
    found = {name: reading.as_numbers(frame[name]) for name in numbers}
    if isinstance(columns.tie, str):
        found[columns.tie] = reading.as_flags(frame[columns.tie])
    return data.assign(**found)


def _used(columns: Columns, kept: list[str]) -> list[str]:
    """All columns that are needed."""
    tie = columns.tie if isinstance(columns.tie, str) else None
    names = [columns.winner, columns.loser, columns.first, columns.second, columns.weight, tie, *(columns.wins or ())]
    return list(dict.fromkeys([name for name in names if name is not None] + kept))


def _open_parquet(files: list[str], sep: str | None) -> Source:
    try:
        import polars as pl
    except ImportError:
        raise InputError("Parquet files need polars; install it with pip install 'pwcstats[parquet]'.") from None
    if sep is not None:
        raise InputError(f"--sep is for CSV files, got the Parquet file {files[0]}; omit it.")
    scans: dict[str, LazyFrame] = {}
    types: dict[str, dict[str, Any]] = {}
    for file in files:
        # polars would look for a missing file in other places, too.
        Path(file).stat()
        with _reporting(file):
            scans[file] = pl.scan_parquet(file, glob=False)
            types[file] = dict(scans[file].collect_schema())

    def read(columns: Columns, kept: list[str], covariates: list[str]) -> BradleyTerry:
        used = _used(columns, kept)
        for file in files:
            reading.need_columns(types[file], used, file)
        kinds = {name: _common_type(name, {file: types[file][name] for file in files}) for name in used}
        casts = [pl.col(name) if kind is None else pl.col(name).cast(kind) for name, kind in kinds.items()]
        parts = [scan.select(casts) for scan in scans.values()]
        with _reporting(files[0] if len(files) == 1 else f"one of the {len(files)} files"):
            data = pl.concat(parts)
            return BradleyTerry.from_comparisons(data, **vars(replace(columns, keep=kept)))

    return Source(files[0], list(types[files[0]]), read)


def _common_type(name: str, types: dict[str, Any]) -> Any:
    """The type to which a column is cast such that it is the same in all files, or None."""
    import polars as pl

    (file, one), *others = types.items()
    different = [(other, kind) for other, kind in others if kind != one]
    if not different:
        return None
    common: list[tuple[Any, Callable[[Any], bool]]] = [
        (pl.String, lambda kind: isinstance(kind, (pl.String, pl.Categorical, pl.Enum))),
        (pl.Int64, lambda kind: kind.is_integer()),
        (pl.Float64, lambda kind: kind.is_numeric()),
    ]
    for wider, covers in common:
        if all(map(covers, types.values())):
            return wider
    other, kind = different[0]
    raise InputError(
        f"column {name} must have the same type in all files, got {one} in {file} and {kind} in {other}; convert "
        "one of them."
    )


@contextmanager
def _reporting(what: str) -> Iterator[None]:
    """Report the errors of polars in one sentence."""
    from polars.exceptions import PolarsError

    try:
        yield
    except PolarsError as error:
        reason = str(error).strip().split("\n")[0].rstrip(".:")
        raise InputError(f"{what} cannot be read as Parquet ({reason}).") from None


# Columns


def _read_rows(options: argparse.Namespace, source: Source) -> BradleyTerry:
    columns = _choose_columns(options, source)
    if options.order_effect and columns.first is None:
        raise InputError("--order-effect needs --first, the column of the item that went first.")
    if options.ties not in (None, "none") and columns.tie is None and len(columns.wins or ()) < 3:
        raise InputError("--ties needs --tie, the column that marks the rows that are ties, or the word for a tie.")
    covariates = _columns_of_formula(options.contest, source) if options.contest else []
    kept = [name for name in (options.cluster, options.by, *covariates) if name]
    return source.read(columns, list(dict.fromkeys(kept)), covariates)


def _choose_columns(options: argparse.Namespace, source: Source) -> Columns:
    """The columns that the user named, with defaults for the others; without any, those with common names."""
    for name in COLUMN_OPTIONS:
        if getattr(options, name):
            reading.need_columns(source.columns, [getattr(options, name)], source.name, f"--{name}")
    reading.need_columns(source.columns, options.wins or (), source.name, "--wins")
    columns = Columns(
        options.winner,
        options.loser,
        options.weight,
        options.tie,
        options.first,
        options.second,
        options.wins,
    )
    both = "Or name the columns with --winner and --loser."
    if not columns.given and fitting_habits(source.columns):
        columns = fill_in(columns, source.columns)
    elif columns.second is None:
        columns = replace(columns, winner=columns.winner or "winner", loser=columns.loser or "loser")
        reading.need_columns(source.columns, [columns.winner, columns.loser], source.name, advice=both)
    elif columns.wins is None:
        columns = replace(columns, winner=columns.winner or "winner")
        reading.need_columns(source.columns, [columns.winner], source.name, advice="Or name the column with --winner.")
    return replace(columns, tie=_choose_tie(options, columns, source))


def _choose_tie(options: argparse.Namespace, columns: Columns, source: Source) -> Any:
    """A column of flags or, if the winner is one of two columns, the words for ties."""
    if not options.tie:
        return columns.tie
    if columns.second is not None and not (len(options.tie) == 1 and options.tie[0] in source.columns):
        return options.tie
    if len(options.tie) > 1:
        raise InputError(f"--tie must be one column, got {listed(options.tie)}; only with --second can it be words.")
    reading.need_columns(source.columns, options.tie, source.name, "--tie")
    return options.tie[0]


def _columns_of_formula(formula: str, source: Source) -> list[str]:
    """The columns of a formula; refuses names that are neither columns nor functions."""
    try:
        terms = patsy.ModelDesc.from_formula(formula).rhs_termlist
        codes = [factor.code for term in terms for factor in term.factors]
    except patsy.PatsyError as error:
        reason = " ".join(error.message.split())
        raise InputError(f"the formula of --contest cannot be used: {reason}.") from None
    names = [node.id for code in codes for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)]
    known = {*source.columns, *FUNCTIONS, *vars(patsy.builtins), *vars(builtins)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(
            f"--contest must use columns of {reading.shown_name(source.name)}, {listed(source.columns)}, got "
            f"{unknown[0]!r}.{did_you_mean(unknown[0], source.columns)}"
        )
    return columns_in(formula, pd.DataFrame(columns=source.columns))
