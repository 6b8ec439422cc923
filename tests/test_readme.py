"""The README is short, and its links to the site lead to pages."""

import re
from pathlib import Path

import pytest

from pwcstats.studies.recorded import overview

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


def test_the_table_of_papers_is_that_of_the_records():
    names = {
        "hastie_tibshirani": "Hastie, Tibshirani 1998",
        "wu_lin_weng": "Wu, Lin, Weng 2003",
        "chang": "Chang 2003",
        "szepannek": "Szepannek et al. 2007",
        "sulzmann": "Sulzmann et al. 2007",
    }
    found = overview()
    rows = {
        "agree": [f"{row['agree']} of {row['counted']}" for _, row in found.iterrows()],
        "disagree, cause shown": found["disagree"],
        "open": found["open"],
        "too uncertain to count": found["no power"],
    }
    lines = ["| | " + " | ".join(names[study] for study in found.index) + " |", "|---" * (len(found) + 1) + "|"]
    lines += [f"| {label} | " + " | ".join(map(str, row)) + " |" for label, row in rows.items()]
    assert "\n\n" + "\n".join(lines) + "\n\n" in TEXT


def test_there_are_links():
    assert len(PAGES) > 10
    assert "docs/_static/hero.svg" in FILES
