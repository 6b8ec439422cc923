"""Tables of texts as plain text, HTML, Markdown and LaTeX, with labels escaped for each."""

import html
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from pwcstats._text import visible

_MARKDOWN = re.compile(r"([\\`*_<>|\[\]~$&#])")
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "±": r"$\pm$",
    **{character: f"\\{character}" for character in "&%$#_"},
}
_NUMBER = re.compile(r"-(?=[\d.])")


@dataclass(frozen=True)
class Column:
    """A column of texts; columns that follow each other and have the same `group` share a heading."""

    header: str
    cells: list[str]
    group: str = ""
    # Texts are on the left, numbers on the right.
    is_number: bool = True


def to_text(columns: list[Column]) -> str:
    """The table with aligned columns."""
    widths = [max(map(_width, (column.header, *column.cells))) for column in columns]
    lines = [
        [column.header for column in columns],
        *map(list, zip(*(column.cells for column in columns), strict=True)),
    ]
    text = ["  ".join(map(_padded, line, widths, columns)) for line in lines]
    if any(column.group for column in columns):
        parts = []
        for group, members in _groups(columns):
            width = sum(widths[index] for index in members) + 2 * (len(members) - 1)
            # A long heading must not move the columns.
            parts.append(group[:width].center(width))
        text.insert(0, "  ".join(parts))
    return "\n".join(line.rstrip() for line in text)


def to_markdown(columns: list[Column]) -> str:
    """A table of GitHub's Markdown; a heading of several columns is repeated in each."""
    headers = [_in_markdown(f"{column.group} {column.header}".strip()) for column in columns]
    rule = ["---:" if column.is_number else ":---" for column in columns]
    cells = zip(*(map(_in_markdown, column.cells) for column in columns), strict=True)
    return "\n".join(f"| {' | '.join(line)} |" for line in (headers, rule, *cells))


def to_html(columns: list[Column]) -> str:
    """An HTML table."""
    lines = ["<table>", "<thead>"]
    if any(column.group for column in columns):
        spans = (f'<th colspan="{len(members)}">{_in_html(group)}</th>' for group, members in _groups(columns))
        lines.append(f"<tr>{''.join(spans)}</tr>")
    lines += [_html_row("th", columns, [column.header for column in columns]), "</thead>", "<tbody>"]
    lines += [_html_row("td", columns, cells) for cells in zip(*(column.cells for column in columns), strict=True)]
    return "\n".join([*lines, "</tbody>", "</table>"])


def to_latex(columns: list[Column]) -> str:
    """A LaTeX tabular; it needs no package."""
    lines = [f"\\begin{{tabular}}{{{''.join('r' if column.is_number else 'l' for column in columns)}}}", r"\hline"]
    if any(column.group for column in columns):
        spans = (f"\\multicolumn{{{len(members)}}}{{c}}{{{in_latex(group)}}}" for group, members in _groups(columns))
        lines.append(f"{' & '.join(spans)} \\\\")
    lines += [_latex_row([column.header for column in columns]), r"\hline"]
    lines += [_latex_row(cells) for cells in zip(*(column.cells for column in columns), strict=True)]
    return "\n".join([*lines, r"\hline", r"\end{tabular}"])


# How each format ends with notes.
NOTES: dict[str, Callable[[str], str]] = {
    "text": lambda note: f"note: {note}",
    "markdown": lambda note: f"\n*{_in_markdown(note)}*",
    "html": lambda note: f"<p>{_in_html(note)}</p>",
}


def _groups(columns: list[Column]) -> list[tuple[str, list[int]]]:
    """Headings, and the indices of the columns below each; columns without a heading stand alone."""
    found: list[tuple[str, list[int]]] = []
    for group, indices in groupby(range(len(columns)), lambda index: columns[index].group):
        members = list(indices)
        found += [(group, members)] if group else [("", [index]) for index in members]
    return found


def _one_line(text: str) -> str:
    return visible(" ".join(text.split()))


def _width(text: str) -> int:
    """Number of cells of a terminal that a text takes."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in _one_line(text)
    )


def _padded(text: str, width: int, column: Column) -> str:
    blank = " " * (width - _width(text))
    return blank + _one_line(text) if column.is_number else _one_line(text) + blank


def _in_markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", _one_line(text))


def _in_html(text: str) -> str:
    return html.escape(_one_line(text))


def in_latex(text: str) -> str:
    """A text with LaTeX's special characters escaped; a minus before a number is a sign, not a hyphen."""
    escaped = "".join(_LATEX.get(letter, letter) for letter in _one_line(text))
    return _NUMBER.sub("$-$", escaped) if _is_numeric(text) else escaped


def _is_numeric(text: str) -> bool:
    return re.fullmatch(r"[-\d.,e+\[\] ±]+", text) is not None


def _html_row(tag: str, columns: list[Column], cells: "list[str] | tuple[str, ...]") -> str:
    parts = (
        f'<{tag} style="text-align: {"right" if column.is_number else "left"}">{_in_html(cell)}</{tag}>'
        for column, cell in zip(columns, cells, strict=True)
    )
    return f"<tr>{''.join(parts)}</tr>"


def _latex_row(cells: "list[str] | tuple[str, ...]") -> str:
    return f"{' & '.join(map(in_latex, cells))} \\\\"
