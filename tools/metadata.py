"""Write the copies of the package's metadata.

`pyproject.toml` is the source of the version, the authors, the maintainer and the address of the repository
("Source" in [project.urls]). CHANGELOG.md is the source of the release date. All other files have copies.
CHANGELOG.md and R/NEWS.md must have a section for the version.

    python tools/metadata.py                    write the copies
    python tools/metadata.py --check            fail if a copy differs
    python tools/metadata.py --release v1.2.3   fail also if a placeholder is left, or if the tag is not the version
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
TITLE = "pwcstats: statistics of pairs in Python and R"
PLACEHOLDERS = ("MAINTAINER NAME", "@example.org", "YOUR-ORGANISATION")
REPOSITORY = re.compile(r"https://github\.com/([\w.-]+)/pwcstats\b")
SITE = re.compile(r"https://[\w-]+\.github\.io/pwcstats\b")
# Sections of entries that no release has yet.
UNRELEASED = {"CHANGELOG.md": "Unreleased", "R/NEWS.md": "pwcstats (development version)"}
# Files that link to the repository or to the site.
LINKING = (
    "pyproject.toml",
    "*.md",
    "docs/*.md",
    "docs/*.rst",
    "docs/**/*.rst",
    "vignettes/*.Rmd",
    "pwcstats/**/*.py",
    "R/*.md",
    "R/R/*.R",
    "R/man/*.Rd",
    "R/vignettes/*.Rmd",
    ".github/**/*.md",
    ".github/**/*.yml",
)


class Person(NamedTuple):
    """An author or the maintainer. Groups have no family name."""

    given: str
    family: str
    email: str

    @property
    def name(self) -> str:
        """Full name."""
        return f"{self.given} {self.family}".strip()

    def for_r(self, *roles: str) -> str:
        """As a call of R's person()."""
        parts = [f'"{part}"' for part in (self.given, self.family) if part]
        if roles:
            listed = ", ".join(f'"{role}"' for role in roles)
            parts.append(f"role = {listed}" if len(roles) == 1 else f"role = c({listed})")
        if self.email:
            parts.append(f'email = "{self.email}"')
        return f"person({', '.join(parts)})"

    def for_cff(self) -> str:
        """As an item of a list in CITATION.cff."""
        if self.family:
            lines = [f'family-names: "{self.family}"', f'given-names: "{self.given}"']
        else:
            lines = [f'name: "{self.given}"']
        if self.email:
            lines.append(f'email: "{self.email}"')
        return "  - " + "\n    ".join(lines) + "\n"

    def for_rd(self, role: str) -> str:
        """As a line of an R help page."""
        email = f" \\email{{{self.email}}}" if self.email else ""
        return f"{self.name}{email}{role}\n"

    def for_bibtex(self) -> str:
        """As part of a BibTeX field."""
        return self.name if self.family else f"{{{self.given}}}"


class Metadata(NamedTuple):
    """What other files have copies of."""

    version: str
    date: str
    authors: list[Person]
    maintainer: Person
    repository: str
    site: str

    @property
    def year(self) -> str:
        """Year of the release."""
        return self.date[:4]


def person(entry: dict[str, str]) -> Person:
    """Split a name at its last space, except for groups: "The pwcstats authors" has no family name."""
    name = entry["name"]
    is_group = name.startswith(("The ", "the ")) or " " not in name
    given, family = (name, "") if is_group else name.rsplit(" ", 1)
    return Person(given, family, entry.get("email", ""))


def read(root: Path) -> Metadata:
    """Read pyproject.toml, and the date of this version from CHANGELOG.md. R/NEWS.md must know this version, too."""
    project: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = project["version"]
    source = project["urls"]["Source"]
    match = REPOSITORY.fullmatch(source)
    if not match:
        sys.exit(f'pyproject.toml: "Source" must be https://github.com/ORGANISATION/pwcstats, got {source}.')
    [maintainer] = project["maintainers"]
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = re.search(rf"^## {re.escape(version)} \((\d{{4}}-\d\d-\d\d)\)$", changelog, flags=re.M)
    if not dated:
        sys.exit(f'CHANGELOG.md needs a section "## {version} (YYYY-MM-DD)": pyproject.toml has this version.')
    news = (root / "R/NEWS.md").read_text(encoding="utf-8")
    if not re.search(rf"^# pwcstats {re.escape(version)}$", news, flags=re.M):
        sys.exit(f'R/NEWS.md needs a section "# pwcstats {version}": pyproject.toml has this version.')
    return Metadata(
        version=version,
        date=dated[1],
        authors=[person(entry) for entry in project["authors"]],
        maintainer=person(maintainer),
        repository=source,
        site=f"https://{match[1].lower()}.github.io/pwcstats",
    )


def set_field(text: str, name: str, value: str) -> str:
    """Replace a field of a DCF or YAML file, with its indented continuation lines."""
    return replace_once(rf"^{re.escape(name)}:.*\n(?:[ \t]+.*\n)*", f"{name}:{value}\n", text)


def replace_once(pattern: str, new: str, text: str) -> str:
    """Replace the first match, which must exist."""
    result, count = re.subn(pattern, lambda _: new, text, count=1, flags=re.M)
    if not count:
        raise ValueError(f"no match for {pattern}")
    return result


def description(text: str, data: Metadata) -> str:
    """Write the fields of R/DESCRIPTION."""
    others = [author for author in data.authors if author.name != data.maintainer.name]
    is_author = len(others) < len(data.authors)
    people = [author.for_r("aut", "cph") for author in others]
    people.append(data.maintainer.for_r(*("aut", "cre", "cph") if is_author else ("cre",)))
    fields = {
        "Version": f" {data.version}",
        "Authors@R": "\n    c(" + ",\n      ".join(people) + ")",
        "URL": f" {data.site}/, {data.repository}",
        "BugReports": f" {data.repository}/issues",
    }
    for name, value in fields.items():
        text = set_field(text, name, value)
    return text


def citation_cff(text: str, data: Metadata) -> str:
    """Write the fields of CITATION.cff."""
    fields = {
        "version": f" {data.version}",
        "date-released": f" {data.date}",
        "url": f' "{data.site}/"',
        "repository-code": f' "{data.repository}"',
        "authors": "\n" + "".join(author.for_cff() for author in data.authors).rstrip(),
        "contact": "\n" + data.maintainer.for_cff().rstrip(),
    }
    for name, value in fields.items():
        text = set_field(text, name, value)
    return text


def r_citation(text: str, data: Metadata) -> str:
    """Write the first entry of R's citation()."""
    authors = [author._replace(email="").for_r() for author in data.authors]
    entry = f"""bibentry(
  "Manual",
  title = "{TITLE}",
  author = {authors[0] if len(authors) == 1 else f"c({', '.join(authors)})"},
  year = "{data.year}",
  note = paste("R package version", meta$Version),
  url = "{data.site}/"
)
"""
    return replace_once(r'^bibentry\(\n  "Manual",\n(?:  .*\n)*\)\n', entry, text)


def package_help(text: str, data: Metadata) -> str:
    """Write the parts of the R package's help page that roxygen2 takes from DESCRIPTION."""
    links = f"""\\seealso{{
Useful links:
\\itemize{{
  \\item \\url{{{data.site}/}}
  \\item \\url{{{data.repository}}}
  \\item Report bugs at \\url{{{data.repository}/issues}}
}}

}}
"""
    holder = " [copyright holder]"
    others = [author for author in data.authors if author.name != data.maintainer.name]
    is_author = len(others) < len(data.authors)
    people = "\\author{\n\\strong{Maintainer}: " + data.maintainer.for_rd(holder if is_author else "") + "\n"
    if others:
        items = "".join("  \\item " + author.for_rd(holder) for author in others)
        people += f"Authors:\n\\itemize{{\n{items}}}\n\n"
    people += "}\n"
    text = replace_once(r"^\\seealso\{\nUseful links:\n(?:.*\n)*?\n\}\n", links, text)
    return replace_once(r"^\\author\{\n(?:.*\n)*?\n\}\n", people, text)


def cite_page(text: str, data: Metadata) -> str:
    """Write the package's BibTeX entry."""
    entry = f"""   @manual{{pwcstats,
     title = {{{TITLE}}},
     author = {{{" and ".join(author.for_bibtex() for author in data.authors)}}},
     year = {{{data.year}}},
     note = {{Version {data.version}}},
     url = {{{data.site}/}},
   }}
"""
    return replace_once(r"^   @manual\{pwcstats,\n(?:     .*\n)*   \}\n", entry, text)


COPIES: dict[str, Callable[[str, Metadata], str]] = {
    "R/DESCRIPTION": description,
    "CITATION.cff": citation_cff,
    "R/inst/CITATION": r_citation,
    "R/man/pwcstats-package.Rd": package_help,
    "docs/cite.rst": cite_page,
}


def links(text: str, data: Metadata) -> str:
    """Write the addresses of the repository and the site."""
    return SITE.sub(data.site, REPOSITORY.sub(data.repository, text))


def changed_files(root: Path, data: Metadata) -> Iterator[tuple[Path, str]]:
    """Files whose copy differs, and what they should contain."""
    linking = {path for pattern in LINKING for path in root.glob(pattern)}
    for path in sorted({root / name for name in COPIES} | linking):
        old = path.read_text(encoding="utf-8")
        name = path.relative_to(root).as_posix()
        new = COPIES[name](old, data) if name in COPIES else old
        if path in linking:
            new = links(new, data)
        if new != old:
            yield path, new


def release_problems(root: Path, data: Metadata, tag: str) -> Iterator[str]:
    """What prevents a release."""
    filled = f"{data.maintainer.name} {data.maintainer.email} {data.repository}"
    for placeholder in PLACEHOLDERS:
        if placeholder in filled:
            yield f'pyproject.toml has the placeholder "{placeholder}": fill it in and run `python tools/metadata.py`.'
    if tag != f"v{data.version}":
        yield f"The tag is {tag}, but pyproject.toml has version {data.version}."
    for name, section in UNRELEASED.items():
        if re.search(rf"^#+ {re.escape(section)}", (root / name).read_text(encoding="utf-8"), flags=re.M):
            yield f'{name} has a section "{section}": move its entries to {data.version}.'
    if "\non_pypi <- FALSE\n" in (root / "R/R/python.R").read_text(encoding="utf-8"):
        yield "R/R/python.R says that PyPI has no release: set on_pypi to TRUE."


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Write or check the copies, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a copy differs")
    parser.add_argument(
        "--release", metavar="TAG", help="as --check, and fail if the package is not ready for this tag"
    )
    options = parser.parse_args(arguments)
    data = read(root)
    problems = []
    for path, text in changed_files(root, data):
        name = path.relative_to(root).as_posix()
        if options.check or options.release:
            problems.append(f"{name} differs from pyproject.toml and CHANGELOG.md: run `python tools/metadata.py`.")
        else:
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"wrote {name}")
    if options.release:
        problems += release_problems(root, data, options.release)
    for problem in problems:
        print(problem, file=sys.stderr)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
