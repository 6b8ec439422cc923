"""The README is short, and its links to the site lead to pages."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = re.findall(r"\(https://[\w-]+\.github\.io/pwcstats/([\w/-]+)\.html\)", TEXT)
FILES = [link for link in re.findall(r'(?:\]\(|src="|srcset=")([^)"]+)', TEXT) if "://" not in link]

pytestmark = pytest.mark.one_environment


def test_it_has_at_most_150_lines():
    assert len(TEXT.splitlines()) <= 150


@pytest.mark.parametrize("page", sorted(set(PAGES)))
def test_pages_exist(page):
    assert any((ROOT / "docs" / f"{page}.{kind}").exists() for kind in ("rst", "md"))


@pytest.mark.parametrize("file", sorted(set(FILES)))
def test_files_exist(file):
    assert (ROOT / file).exists()


def test_there_are_links():
    assert len(PAGES) > 10
    assert "docs/_static/hero.svg" in FILES
