"""The page docs/cli.rst describes every command, with an example. `make examples` runs the examples."""

import re
from pathlib import Path

import pytest

from pwcstats.cli.program import make_parser

pytestmark = pytest.mark.one_environment

PAGE = Path(__file__).parents[1] / "docs" / "cli.rst"


def commands():
    """The commands in the order of the help."""
    (action,) = (action for action in make_parser()._actions if action.dest == "command")
    return list(action.choices)


def test_the_page_lists_the_commands():
    assert re.findall(r"^``(\w+)`` {2,}\S", PAGE.read_text(), re.MULTILINE) == commands()


def test_every_command_has_an_example():
    shown = re.findall(r"^   \$ pwcstats (\w+)", PAGE.read_text(), re.MULTILINE)
    assert set(commands()) <= set(shown)
