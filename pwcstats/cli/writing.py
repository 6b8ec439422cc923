"""Options that several commands have, and their output as text, CSV or JSON."""

import argparse
import json
import math
import sys
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pwcstats._files import write_figure, write_file
from pwcstats._results import plain
from pwcstats._text import nearest, visible
from pwcstats.cli import reading, terminal
from pwcstats.errors import InputError

# Characters in a line of the help.
WIDTH = 79
FILE = "a CSV file, or - for stdin"
# A spreadsheet takes cells that begin with these for formulas.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


# A parser, or a group of its options.
Group = argparse.ArgumentParser | argparse._ArgumentGroup


def add_command(
    commands: Any, name: str, help: str, description: str, example: str, *, out: bool = True
) -> argparse.ArgumentParser:
    """Add a command with the options --json and --out, and an example below its help.

    Commands for which --out means something else pass ``out=False``; they always print their output.
    """
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=help,
        description="\n\n".join(textwrap.fill(paragraph, WIDTH) for paragraph in description.split("\n\n")),
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document, with null for missing numbers")
    if out:
        parser.add_argument("--out", metavar="FILE", help="write to a file instead of stdout")
    parser.set_defaults(printed=not out, parser=parser)
    return parser


def add_sep(parser: Group) -> None:
    """Add the option --sep of commands that read tables."""
    parser.add_argument(
        "--sep",
        type=_separator,
        help="separator of cells: one character, or the word tab (default: comma, semicolon or tab, as in the header)",
    )


def add_guard(parser: Group) -> None:
    """Add the option --guard-formulas of commands that write CSV."""
    parser.add_argument(
        "--guard-formulas",
        action="store_true",
        help="put ' before labels that a spreadsheet would run as formulas (those that begin with = + - @)",
    )


def guard(options: argparse.Namespace) -> Callable[[Any], Any]:
    """A function that prepares cells for CSV: with --guard-formulas, labels that look like formulas get a leading '."""
    if options.guard_formulas and options.json:
        raise InputError("--guard-formulas is for CSV, but --json writes no CSV; omit one of them.")

    def guarded(cell: Any) -> Any:
        formula = isinstance(cell, str) and cell.startswith(FORMULA) and not reading.is_number(cell)
        return f"'{cell}" if formula else cell

    return guarded if options.guard_formulas else lambda cell: cell


def _separator(text: str) -> str:
    text = "\t" if text in ("tab", "\\t") else text
    if len(text) != 1 or text in '"\r\n ':
        raise argparse.ArgumentTypeError(f"must be one character (no quote, no blank), or tab, got {text!r}")
    return text


def suggestion(given: str, known: Iterable[Any]) -> str:
    """A question that ends an error of the parser about an unknown name; empty if no name is similar."""
    name = nearest(given, known)
    return "" if name is None else f"; did you mean {name}?"


def level(text: str) -> float:
    """Parse a number between 0 and 1."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value < 1.0:
        raise argparse.ArgumentTypeError(f"must be a number between 0 and 1, got {text!r}")
    return value


def count(text: str) -> int:
    """Parse a whole number of at least 1."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, got {text!r}")
    return int(text)


def positive(text: str) -> float:
    """Parse a number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number above 0, got {text!r}")
    return value


def seed(text: str) -> int:
    """Parse a seed."""
    if not text.isdecimal() or int(text) >= 2**32:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to 2**32 - 1, got {text!r}")
    return int(text)


def emit(
    options: argparse.Namespace, text: str, document: Any, *, is_csv: bool = False, headings: Iterable[str] = ()
) -> None:
    """Print the text or, with --json, the document; with --out write it to a file.

    Lines of the text that are among the `headings` are bold on a terminal.
    Control characters of labels are escaped, except in CSV that goes to a file or to another program.
    """
    to_stdout = options.printed or options.out is None
    if options.json:
        # json.dumps escapes all control characters except this one.
        text = json.dumps(plain(document), indent=2, allow_nan=False).replace("\x7f", "\\u007f")
    elif not is_csv or (to_stdout and sys.stdout.isatty()):
        text = visible(text)
    text = text.rstrip("\n") + "\n"
    if to_stdout:
        text = text if options.json else terminal.with_bold_headings(text, map(visible, headings))
        sys.stdout.write(text)
    else:
        write_file(options.out, text)


def save_picture(axes: Any, path: str) -> None:
    """Write the figure of one or several Axes in the format given by the file extension, and close it."""
    from matplotlib import pyplot

    from pwcstats.plot.style import figure_of

    figure = figure_of(axes)
    try:
        if Path(path).suffix[1:].lower() not in figure.canvas.get_supported_filetypes():
            raise InputError(f"the picture must be a .png, .pdf or .svg file, got {path!r}.")
        write_figure(path, figure, dpi=150)
    finally:
        pyplot.close(figure)
