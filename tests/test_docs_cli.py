"""The page docs/cli.rst describes every command, and its examples print what it shows."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pwcstats.cli.program import make_parser

pytestmark = pytest.mark.one_environment

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "cli.rst"


def commands():
    """The commands in the order of the help."""
    (action,) = (action for action in make_parser()._actions if action.dest == "command")
    return list(action.choices)


def test_the_page_lists_the_commands():
    assert re.findall(r"^``(\w+)`` {2,}\S", PAGE.read_text(), re.MULTILINE) == commands()


def test_every_command_has_an_example():
    shown = re.findall(r"^   \$ pwcstats (\w+)", PAGE.read_text(), re.MULTILINE)
    assert set(commands()) <= set(shown)


@pytest.mark.slow
def test_examples():
    command = [sys.executable, ROOT / "tools" / "run_examples.py", PAGE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "")
    assert re.fullmatch(r"9 blocks of examples, 0 failures\n", done.stderr)
