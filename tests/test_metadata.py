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
# What the projects of the tests have instead of this repository's version, maintainer, authors and address.
FIXED = {
    "version": 'version = "9.8.7"',
    "authors": 'authors = [{ name = "The pwcstats authors" }]',
    "maintainers": 'maintainers = [{ name = "MAINTAINER NAME", email = "maintainer@example.org" }]',
    "Source": 'Source = "https://github.com/YOUR-ORGANISATION/pwcstats"',
}
CHANGELOG = "# Changelog\n\n## 9.8.7 (2031-05-06)\n\n- New.\n\n## 9.8.6 (2030-01-02)\n\n- Old.\n"
NEWS = "# pwcstats 9.8.7\n\n* New.\n\n# pwcstats 9.8.6\n\n* Old.\n"


@pytest.fixture
def project(tmp_path, capsys):
    """The files of this repository with fixed metadata, which a release does not change."""
    for name in COPIES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "R/R").mkdir()
    (tmp_path / "R/R/python.R").write_text("\non_pypi <- TRUE\n", encoding="utf-8")
    text = text_of(tmp_path, "pyproject.toml")
    for name, line in FIXED.items():
        text = metadata.replace_once(rf"^{name} = .*$", line, text)
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG, encoding="utf-8")
    (tmp_path / "R/NEWS.md").write_text(NEWS, encoding="utf-8")
    assert metadata.main([], tmp_path) == 0
    capsys.readouterr()
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
    edit(project / "pyproject.toml", ('version = "9.8.7"', 'version = "9.9.0"'))
    edit(project / "CHANGELOG.md", ("## 9.8.7", "## 9.9.0 (2032-03-01)\n\n## 9.8.7"))
    edit(project / "R/NEWS.md", ("# pwcstats 9.8.7", "# pwcstats 9.9.0\n\n# pwcstats 9.8.7"))
    assert metadata.main([], project) == 0
    assert "\nVersion: 9.9.0\n" in text_of(project, "R/DESCRIPTION")
    assert "\nversion: 9.9.0\ndate-released: 2032-03-01\n" in text_of(project, "CITATION.cff")
    assert 'year = "2032"' in text_of(project, "R/inst/CITATION")
    assert "year = {2032},\n     note = {Version 9.9.0}" in text_of(project, "docs/cite.rst")


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
        ("R/DESCRIPTION", "Version: 9.8.7", "Version: 9.8.6"),
        ("R/DESCRIPTION", "maintainer@example.org", "somebody@example.org"),
        ("CITATION.cff", "date-released: 2031-05-06", "date-released: 2031-05-05"),
        ("R/inst/CITATION", 'year = "2031"', 'year = "2030"'),
        ("R/man/pwcstats-package.Rd", "MAINTAINER NAME", "Somebody Else"),
        ("docs/cite.rst", "Version 9.8.7", "Version 9.8.6"),
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
    assert metadata.main(["--release", "v9.8.7"], project) == 1
    message = capsys.readouterr().err
    assert all(placeholder in message for placeholder in metadata.PLACEHOLDERS)
    fill_in(project)
    assert metadata.main(["--release", "v9.8.7"], project) == 0


def test_a_release_needs_its_tag_and_its_notes(project, capsys):
    fill_in(project)
    assert metadata.main(["--release", "v9.8.8"], project) == 1
    assert "The tag is v9.8.8, but pyproject.toml has version 9.8.7." in capsys.readouterr().err
    edit(project / "CHANGELOG.md", ("## 9.8.7", "## Unreleased\n\n## 9.8.7"))
    edit(project / "R/NEWS.md", ("# pwcstats 9.8.7", "# pwcstats (development version)\n\n# pwcstats 9.8.7"))
    assert metadata.main(["--check"], project) == 0
    assert metadata.main(["--release", "v9.8.7"], project) == 1
    assert capsys.readouterr().err == (
        'CHANGELOG.md has a section "Unreleased": move its entries to 9.8.7.\n'
        'R/NEWS.md has a section "pwcstats (development version)": move its entries to 9.8.7.\n'
    )


@pytest.mark.parametrize("name", ["CHANGELOG.md", "R/NEWS.md"])
def test_a_version_needs_its_sections(project, name):
    edit(project / name, ("9.8.7", "9.8.8"))
    with pytest.raises(SystemExit, match=f'{name} needs a section "#.* 9.8.7.*": pyproject.toml has this version'):
        metadata.main(["--check"], project)


def test_the_source_and_the_date_must_be_readable(project):
    edit(project / "CHANGELOG.md", ("## 9.8.7 (2031-05-06)", "## 9.8.7"))
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


def test_r_needs_to_know_that_pypi_has_the_release(project, capsys):
    fill_in(project)
    edit(project / "R/R/python.R", ("TRUE", "FALSE"))
    assert metadata.main(["--release", "v9.8.7"], project) == 1
    assert capsys.readouterr().err == "R/R/python.R says that PyPI has no release: set on_pypi to TRUE.\n"
    assert "\non_pypi <- " in text_of(ROOT, "R/R/python.R")
