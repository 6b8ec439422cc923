"""The parser of all commands, and what becomes of errors and warnings."""

import argparse
import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from pwcstats import __version__
from pwcstats._text import visible
from pwcstats.cli import compare, couple, demo, fit, listing, predict, rank, reproduce
from pwcstats.errors import PwcError

# The order of the help text.
COMMANDS = (couple, rank, fit, predict, compare, reproduce, listing, demo)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words of the command line after ``pwcstats``; by default those of this process.

    Returns
    -------
    int
        The exit code: 0, or 1 where the data cannot be used. Wrong usage leaves by ``SystemExit(2)``, as argparse has
        it.
    """
    options = make_parser().parse_args(arguments)
    try:
        with _warnings_in_lines():
            options.run(options)
            sys.stdout.flush()
    except BrokenPipeError:
        _close_quietly()
    except KeyboardInterrupt:
        return 130
    # scikit-learn refuses data by ValueError, files fail by OSError; a warning is raised where -W error asks for it.
    except (PwcError, ValueError, OSError, np.linalg.LinAlgError, Warning) as error:
        _say(_in_words(error))
        return 1
    return 0


def make_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = _Parser(
        prog="pwcstats",
        description="Statistics of pairs. `pwcstats COMMAND --help` has the options of a command and an example.",
        epilog="Exit codes: 0; 1 where the data cannot be used, with one line on stderr; 2 for wrong usage.",
    )
    parser.add_argument("--version", action="version", version=f"pwcstats {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in COMMANDS:
        module.add_to(commands)
    return parser


class _Parser(argparse.ArgumentParser):
    """Shows control characters in the words of the command line, such as names of files, by their escapes."""

    def error(self, message: str) -> NoReturn:
        super().error(visible(message))


@contextmanager
def _warnings_in_lines() -> Iterator[None]:
    """Each warning once, as a line on stderr; those for developers are left out, as Python itself does."""
    seen: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        words = _one_line(str(message))
        if words not in seen:
            seen.add(words)
            _say(f"warning: {words}")

    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("always")
            for kind in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
                warnings.simplefilter("ignore", kind)
        warnings.showwarning = show
        yield


def _in_words(error: BaseException) -> str:
    """An error in one line; those of the system begin with a number that says nothing to most."""
    if isinstance(error, OSError) and error.strerror:
        where = f": {error.filename}" if error.filename is not None else ""
        return f"{error.strerror}{where}"
    return _one_line(str(error)) or type(error).__name__


def _one_line(text: str) -> str:
    """Words on one line, arguments of Python as the options that they are here."""
    line = re.sub(r"\b(method|ties|test|adjust|coupling|rows)='(\w+)'", r"--\1 \2", " ".join(text.split()))
    return line.replace("pair_mass", "--weights")


def _say(words: str) -> None:
    """A line on stderr; names of files may have newlines, too."""
    print(f"pwcstats: {visible(words)}".replace("\n", "\\n"), file=sys.stderr)


def _close_quietly() -> None:
    """Whoever read stdout has read enough; Python would complain when it flushes stdout at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
