"""The copies of the metadata follow pyproject.toml, and a release needs real names."""

import importlib.util
import re
import shutil
from pathlib import Path

import pytest

# Only files are read and written.
pytestmark = pytest.mark.one_environment

ROOT = Path(__file__).parents[1]
spec = importlib.util.spec_from_file_location("metadata", ROOT / "tools" / "metadata.py")
metadata = importlib.util.module_from_spec(spec)
spec.loader.exec_module(metadata)

COPIES = [*metadata.COPIES, "pyproject.toml", ".github/ISSUE_TEMPLATE/config.yml"]


@pytest.fixture
def project(tmp_path):
    for name in [*COPIES, "CHANGELOG.md", "R/NEWS.md"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def edit(path, *replacements):
    text = path.read_text(encoding="utf-8")
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def fill_in(project):
    edit(
        project / "pyproject.toml",
        ("MAINTAINER NAME", "Ada Lovelace"),
        ("maintainer@example.org", "ada@lovelace.net"),
        ('Source = "https://github.com/YOUR-ORGANISATION/', 'Source = "https://github.com/Engine/'),
    )
    assert metadata.main([], project) == 0


def text_of(project, name):
    return (project / name).read_text(encoding="utf-8")


def test_the_copies_of_this_repository_agree(capsys):
    assert metadata.main(["--check"]) == 0, capsys.readouterr().err


def test_filling_in_the_placeholders_changes_every_copy(project):
    fill_in(project)
    assert metadata.main(["--check"], project) == 0
    for name in COPIES:
        text = text_of(project, name)
        if name != "pyproject.toml":
            assert not any(placeholder in text for placeholder in metadata.PLACEHOLDERS), name
        assert "YOUR-ORGANISATION.github.io" not in text, name
        assert "github.com/YOUR-ORGANISATION" not in text, name
    urls = dict(re.findall(r'^(\w+) = "(https:.*)"$', text_of(project, "pyproject.toml"), flags=re.M))
    assert urls == {
        "Homepage": "https://engine.github.io/pwcstats/",
        "Documentation": "https://engine.github.io/pwcstats/",
        "Source": "https://github.com/Engine/pwcstats",
        "Issues": "https://github.com/Engine/pwcstats/issues",
        "Changelog": "https://github.com/Engine/pwcstats/blob/main/CHANGELOG.md",
    }
    description = text_of(project, "R/DESCRIPTION")
    assert 'person("Ada", "Lovelace", role = "cre", email = "ada@lovelace.net"))\nDescription: ' in description
    assert "URL: https://engine.github.io/pwcstats/, https://github.com/Engine/pwcstats\n" in description
    assert "BugReports: https://github.com/Engine/pwcstats/issues\n" in description
    assert 'family-names: "Lovelace"\n    given-names: "Ada"' in text_of(project, "CITATION.cff")
    assert 'url = "https://engine.github.io/pwcstats/"' in text_of(project, "R/inst/CITATION")
    assert r"\strong{Maintainer}: Ada Lovelace \email{ada@lovelace.net}" in text_of(
        project, "R/man/pwcstats-package.Rd"
    )
    assert "url = {https://engine.github.io/pwcstats/}" in text_of(project, "docs/cite.rst")


def test_a_new_version_changes_every_copy(project):
    edit(project / "pyproject.toml", ('version = "0.2.0"', 'version = "0.3.0"'))
    edit(project / "CHANGELOG.md", ("## 0.2.0 (2026-11-18)", "## 0.3.0 (2027-03-01)\n\n## 0.2.0 (2026-11-18)"))
    assert metadata.main([], project) == 0
    assert "\nVersion: 0.3.0\n" in text_of(project, "R/DESCRIPTION")
    assert "\nversion: 0.3.0\ndate-released: 2027-03-01\n" in text_of(project, "CITATION.cff")
    assert 'year = "2027"' in text_of(project, "R/inst/CITATION")
    assert "year = {2027},\n     note = {Version 0.3.0}" in text_of(project, "docs/cite.rst")


def test_authors_are_people_or_groups(project):
    edit(
        project / "pyproject.toml",
        ('{ name = "The pwcstats authors" }', '{ name = "Grace Brewster Hopper" }, { name = "MAINTAINER NAME" }'),
    )
    assert metadata.main([], project) == 0
    assert (
        'Authors@R:\n    c(person("Grace Brewster", "Hopper", role = c("aut", "cph")),\n'
        '      person("MAINTAINER", "NAME", role = c("aut", "cre", "cph"), email = "maintainer@example.org"))\n'
    ) in text_of(project, "R/DESCRIPTION")
    assert 'author = c(person("Grace Brewster", "Hopper"), person("MAINTAINER", "NAME")),' in text_of(
        project, "R/inst/CITATION"
    )
    assert "author = {Grace Brewster Hopper and MAINTAINER NAME}" in text_of(project, "docs/cite.rst")
    assert (
        "\\author{\n\\strong{Maintainer}: MAINTAINER NAME \\email{maintainer@example.org} [copyright holder]\n\n"
        "Authors:\n\\itemize{\n  \\item Grace Brewster Hopper [copyright holder]\n}\n\n}\n"
    ) in text_of(project, "R/man/pwcstats-package.Rd")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("R/DESCRIPTION", "Version: 0.2.0", "Version: 0.1.9"),
        ("R/DESCRIPTION", "maintainer@example.org", "somebody@example.org"),
        ("CITATION.cff", "date-released: 2026-11-18", "date-released: 2026-11-17"),
        ("R/inst/CITATION", 'year = "2026"', 'year = "2025"'),
        ("R/man/pwcstats-package.Rd", "MAINTAINER NAME", "Somebody Else"),
        ("docs/cite.rst", "Version 0.2.0", "Version 0.1.0"),
        ("pyproject.toml", "YOUR-ORGANISATION/pwcstats/issues", "somebody/pwcstats/issues"),
        (".github/ISSUE_TEMPLATE/config.yml", "your-organisation.github.io", "somebody.github.io"),
    ],
)
def test_check_finds_a_copy_that_differs_and_writes_nothing(project, capsys, name, old, new):
    edit(project / name, (old, new))
    assert metadata.main(["--check"], project) == 1
    assert capsys.readouterr().err == (
        f"{name} differs from pyproject.toml and CHANGELOG.md: run `python tools/metadata.py`.\n"
    )
    assert new in text_of(project, name)
    assert metadata.main([], project) == 0
    assert capsys.readouterr().out == f"wrote {name}\n"
    assert metadata.main(["--check"], project) == 0


def test_placeholders_prevent_a_release(project, capsys):
    assert metadata.main(["--check"], project) == 0
    assert metadata.main(["--release", "v0.2.0"], project) == 1
    message = capsys.readouterr().err
    assert all(placeholder in message for placeholder in metadata.PLACEHOLDERS)
    fill_in(project)
    assert metadata.main(["--release", "v0.2.0"], project) == 0


def test_a_release_needs_its_tag_and_its_notes(project, capsys):
    fill_in(project)
    assert metadata.main(["--release", "v0.2.1"], project) == 1
    assert "The tag is v0.2.1, but pyproject.toml has version 0.2.0." in capsys.readouterr().err
    edit(project / "R/NEWS.md", ("# pwcstats 0.2.0", "# pwcstats (development version)"))
    edit(project / "CHANGELOG.md", ("## 0.2.0 (2026-11-18)", "## Unreleased\n\n## 0.2.0 (2026-11-18)"))
    assert metadata.main(["--check"], project) == 0
    assert metadata.main(["--release", "v0.2.0"], project) == 1
    message = capsys.readouterr().err
    assert 'R/NEWS.md needs a section "# pwcstats 0.2.0".' in message
    assert 'CHANGELOG.md has a section "Unreleased": move its entries to 0.2.0.' in message


def test_the_source_and_the_date_must_be_readable(project):
    edit(project / "CHANGELOG.md", ("## 0.2.0 (2026-11-18)", "## 0.2.0"))
    with pytest.raises(SystemExit, match="CHANGELOG.md needs a section"):
        metadata.main(["--check"], project)
    edit(project / "pyproject.toml", ('Source = "https://github.com/', 'Source = "https://example.com/'))
    with pytest.raises(SystemExit, match='"Source" must be'):
        metadata.main(["--check"], project)


def test_the_lists_of_papers_agree():
    doi = re.compile(r'doi = ?["{](.*?)["}]|  doi: (.*)')
    found = {name: text_of(ROOT, name) for name in ("CITATION.cff", "R/inst/CITATION", "docs/cite.rst")}
    dois = {name: {a or b for a, b in doi.findall(text)} for name, text in found.items()}
    assert len(dois["CITATION.cff"]) == 3
    assert dois["CITATION.cff"] < dois["R/inst/CITATION"] == dois["docs/cite.rst"]


def test_the_oldest_versions_are_those_of_pyproject():
    allowed = dict(
        re.findall(r'^  "([\w-]+)>=([\d.]+).*",$', text_of(ROOT, "pyproject.toml").partition("[project.opt")[0], re.M)
    )
    tested = dict(re.findall(r"^([\w-]+)==([\d.]+?)(?:\.\*)?$", text_of(ROOT, "constraints/oldest.txt"), flags=re.M))
    assert tested == allowed


def test_pre_commit_has_the_version_of_ruff_that_lint_uses():
    hook = re.search(r"ruff-pre-commit\n    rev: v(\d+\.\d+)\.", text_of(ROOT, ".pre-commit-config.yaml"))
    lint = re.search(r'"ruff>=(\d+\.\d+),', text_of(ROOT, "pyproject.toml"))
    assert hook[1] == lint[1]
