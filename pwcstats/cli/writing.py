"""Options that commands share, and output as text or JSON."""

import argparse
import json
import math
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pwcstats._files import write_figure, write_file
from pwcstats.errors import InputError

# Of help texts.
WIDTH = 79
FILE = "a CSV file, or - for stdin"


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


def emit(options: argparse.Namespace, text: str, document: Any) -> None:
    """Print the text or, with --json, the document; or write it to --out."""
    if options.json:
        text = json.dumps(plain(document), indent=2, allow_nan=False)
    text = text.rstrip("\n") + "\n"
    if options.printed or options.out is None:
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
