"""Links, pictures, scripts and stylesheets of HTML pages: what they name must be there, and within the site."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

# Attributes that make a browser fetch something at once. What a <link> names is fetched if its rel is one of FETCHED.
SOURCES = {"src", "poster", "data", "srcset", "background"}
FETCHED = {"stylesheet", "icon", "preload", "modulepreload", "manifest", "apple-touch-icon"}
IN_CSS = re.compile(r"""url\(\s*["']?([^"')]+)["']?\s*\)|@import\s+["']([^"']+)["']""")
HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?", re.IGNORECASE)


class Reference(NamedTuple):
    """A URL on a page, its line, and whether it is fetched (True) or only followed (False)."""

    url: str
    line: int
    fetched: bool


class Page(HTMLParser):
    """The references on a page, and the places that a fragment may name."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.references: list[Reference] = []
        self.places = {"", "top"}
        self._style = False
        self.feed(path.read_text(encoding="utf-8"))
        self.close()

    def _refer(self, urls: Iterable[str], fetched: bool = True) -> None:
        self.references += [Reference(url.strip(), self.getpos()[0], fetched) for url in urls]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Read the attributes that name something."""
        self._style = tag == "style"
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        rel = set(given.get("rel", "").lower().split())
        for name, value in given.items():
            if name in ("href", "xlink:href"):
                self._refer([value], fetched=bool(rel & FETCHED) if tag == "link" else tag not in ("a", "area"))
            elif name == "srcset":
                self._refer(candidate.split()[0] for candidate in re.split(r",\s+", value))
            elif name in SOURCES:
                self._refer([value])
            elif name == "style":
                self._refer(in_css(value))

    def handle_data(self, data: str) -> None:
        """Read a stylesheet that is part of the page."""
        if self._style:
            self._refer(in_css(data))


def in_css(text: str) -> list[str]:
    """Return the URLs in a stylesheet."""
    return [first or second for first, second in IN_CSS.findall(text)]


@cache
def read(path: Path) -> Page:
    """Return a page; each is read once."""
    return Page(path)


def _problem(url: str, page: Path, root: Path, fetched: bool) -> str | None:
    """Say what is wrong with a URL in ``page``, if anything is."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        return str(error)
    if parts.scheme == "data" or (parts.scheme == "mailto" and not fetched):
        return None
    if parts.scheme in ("http", "https") or parts.netloc:
        if fetched:
            return "is loaded from elsewhere"
        well_formed = parts.scheme and HOST.fullmatch(parts.netloc) and not re.search(r"[\s<>\"]", url)
        return None if well_formed else "is no address"
    if parts.scheme or parts.path.startswith("/"):
        return "leads out of the site"
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_relative_to(root):
        return "leads out of the site"
    if not target.is_file():
        return "is not there"
    if target.suffix == ".html" and not {parts.fragment, unquote(parts.fragment)} & read(target).places:
        return "names a place that is not on that page"
    return None


def findings(pages: list[Path], root: Path) -> Iterator[str]:
    """Yield what is wrong with the references of pages and of the stylesheets under ``root``, a line each."""
    root = root.resolve()
    for page in map(Path.resolve, pages):
        for url, line, fetched in read(page).references:
            if problem := _problem(url, page, root, fetched):
                yield f"{page.relative_to(root)}:{line}: {url[:200]} {problem}"
    for sheet in sorted({target for page in map(Path.resolve, pages) for target in _stylesheets(page)}):
        for url in in_css(sheet.read_text(encoding="utf-8")):
            if problem := _problem(url, sheet, root, fetched=True):
                yield f"{sheet.relative_to(root)}: {url[:200]} {problem}"


def _stylesheets(page: Path) -> Iterator[Path]:
    for url, _, fetched in read(page).references:
        parts = urlsplit(url)
        target = (page.parent / unquote(parts.path)).resolve()
        if fetched and not parts.scheme and not parts.netloc and target.suffix == ".css" and target.is_file():
            yield target
