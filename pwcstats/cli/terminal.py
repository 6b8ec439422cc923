"""Colours and progress bars, which only terminals get."""

import argparse
import os
import sys
from collections.abc import Iterable
from typing import Any, TextIO

BOLD, RED, YELLOW = "1", "1;31", "1;33"
# Seconds after which a progress bar appears; most commands are done before.
DELAY = 1.0


def has_colours(stream: TextIO) -> bool:
    """Whether to colour what is written to a stream: if it is a terminal, unless the environment says otherwise.

    The variables are those that Python itself reads: NO_COLOR and FORCE_COLOR, if they are not empty, and TERM.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and stream.isatty()


def styled(text: str, style: str, stream: TextIO) -> str:
    """The text in a style, if the stream has colours."""
    return f"\x1b[{style}m{text}\x1b[0m" if has_colours(stream) else text


def with_bold_headings(text: str, headings: Iterable[str]) -> str:
    """The text for stdout, with the lines that are headings in bold type."""
    if not has_colours(sys.stdout):
        return text
    chosen = set(headings)
    lines = (styled(line, BOLD, sys.stdout) if line in chosen else line for line in text.split("\n"))
    return "\n".join(lines)


def add_progress(parser: argparse.ArgumentParser) -> None:
    """Add the option --no-progress of commands that may take long."""
    parser.add_argument(
        "--no-progress", action="store_true", help="show no progress bar (files and pipes never get one)"
    )


def has_progress(options: argparse.Namespace) -> bool:
    """Whether to show progress bars: if stderr is a terminal, unless the user wants none."""
    return sys.stderr.isatty() and not options.no_progress


def progress_bar(options: argparse.Namespace, total: int, what: str) -> Any:
    """A progress bar of tqdm, to be used in a `with` statement; it disappears at the end."""
    from tqdm import tqdm

    return tqdm(total=total, desc=what, leave=False, delay=DELAY, disable=not has_progress(options))
