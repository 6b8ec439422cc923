"""Options that commands share, and output as text or JSON."""

import argparse
import csv
import json
import math
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pwcstats._files import write_figure, write_file
from pwcstats._text import visible
from pwcstats.cli import reading
from pwcstats.errors import InputError

# Of help texts.
WIDTH = 79
FILE = "a CSV file, or - for stdin"
# How cells begin that a spreadsheet takes for formulas.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def add_command(
    commands: Any, name: str, help: str, description: str, example: str, *, out: bool = True
) -> argparse.ArgumentParser:
    """A command with the options of output, its description in paragraphs, and an example below its help.

    Without `out`, its output is always printed: the command has another meaning for --out.
    """
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=help,
        description="\n\n".join(textwrap.fill(paragraph, WIDTH) for paragraph in description.split("\n\n")),
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document; null where there is no number")
    if out:
        parser.add_argument("--out", metavar="FILE", help="write to a file instead of stdout")
    parser.set_defaults(printed=not out)
    return parser


def add_sep(parser: argparse.ArgumentParser) -> None:
    """The option of how a table is written."""
    parser.add_argument(
        "--sep",
        type=_separator,
        help="what stands between cells: one character, or tab (default: comma, semicolon or tab)",
    )


def add_guard(parser: argparse.ArgumentParser) -> None:
    """The option of commands that write CSV."""
    parser.add_argument(
        "--guard-formulas",
        action="store_true",
        help="put ' before labels that a spreadsheet would run as formulas: those that begin with = + - @",
    )


def guard(options: argparse.Namespace) -> Callable[[Any], Any]:
    """What becomes of a cell of CSV: with --guard-formulas, labels that begin as formulas do get an apostrophe."""
    if options.guard_formulas and options.json:
        raise InputError("--guard-formulas is for CSV, but --json writes no CSV; leave one of them out.")

    def guarded(cell: Any) -> Any:
        formula = isinstance(cell, str) and cell.startswith(FORMULA) and not reading.is_number(cell)
        return f"'{cell}" if formula else cell

    return guarded if options.guard_formulas else lambda cell: cell


def as_csv(table: pd.DataFrame | pd.Series, **options: Any) -> str:
    """A table as CSV that reads back as the same cells."""
    text = table.to_csv(lineterminator="\n", **options)
    # Cells with a lone return have no quotes otherwise, and would be two lines.
    return table.to_csv(lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC, **options) if "\r" in text else text


def _separator(word: str) -> str:
    word = "\t" if word in ("tab", "\\t") else word
    if len(word) != 1 or word in '"\r\n ':
        raise argparse.ArgumentTypeError(f"must be one character (no quote, no blank), or tab, got {word!r}")
    return word


def level(word: str) -> float:
    """A level of tests, as an option."""
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not 0.0 < value < 1.0:
        raise argparse.ArgumentTypeError(f"must be a number between 0 and 1, got {word!r}")
    return value


def seed(word: str) -> int:
    """A seed, as an option."""
    if not word.isdecimal() or int(word) >= 2**32:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to 2**32 - 1, got {word!r}")
    return int(word)


def emit(options: argparse.Namespace, text: str, document: Any, *, is_csv: bool = False) -> None:
    """Print the text or, with --json, the document; or write it to --out.

    Control characters of labels are escaped, but CSV keeps them on its way to a file or to another program.
    """
    to_stdout = options.printed or options.out is None
    if options.json:
        # JSON escapes all control characters but one.
        text = json.dumps(plain(document), indent=2, allow_nan=False).replace("\x7f", "\\u007f")
    elif not is_csv or (to_stdout and sys.stdout.isatty()):
        text = visible(text)
    text = text.rstrip("\n") + "\n"
    if to_stdout:
        sys.stdout.write(text)
    else:
        write_file(options.out, text)


def plain(value: Any) -> Any:
    """What JSON can say: records of frames, null for NaN and infinity."""
    if isinstance(value, pd.DataFrame):
        return [plain(record) for record in value.to_dict("records")]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray, pd.Index)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def save_picture(figure: Any, path: str) -> None:
    """Write a figure in the format that the file's name says."""
    formats = figure.canvas.get_supported_filetypes()
    ending = Path(path).suffix[1:].lower()
    if ending not in formats:
        raise InputError(f"the picture must be a .png, .pdf or .svg file, got {path!r}.")
    write_figure(path, figure, dpi=150)
