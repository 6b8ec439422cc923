"""Messages that docs/faq.rst shows without provoking them are in the sources."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_environment

ROOT = Path(__file__).parents[1]
SOURCES = ["pyproject.toml", "pwcstats/r/__init__.py", "R/R/python.R"]
PAGE = (ROOT / "docs" / "faq.rst").read_text(encoding="utf-8")
SHOWN = re.findall(r"^\.\. code-block:: text\n\n   (.*)$", PAGE, flags=re.M)


@pytest.mark.parametrize("message", SHOWN)
def test_shown_messages_exist(message):
    text = "\n".join((ROOT / name).read_text(encoding="utf-8") for name in SOURCES)
    # "..." is what the sources fill in.
    assert message.replace("...", "%s") in text


def test_messages_are_found():
    assert SHOWN
