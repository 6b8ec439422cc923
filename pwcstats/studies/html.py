"""Self-contained HTML pages."""

import base64
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from pwcstats._files import write_file

__all__ = ["page", "picture", "table"]

STYLE = """
:root { --ink: #1d2329; --pale: #6a737d; --line: #d9dee3; --yes: #00664b; --no: #a33c00; }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); max-width: 76rem; margin: 0 auto; padding: 1rem; }
p { max-width: 68rem; }
h1, h2, h3 { line-height: 1.25; } h2 { border-top: 2px solid var(--line); padding-top: 1.2rem; margin-top: 2.5rem; }
.pale { color: var(--pale); font-size: .9rem; } a { color: #005a8c; } .pale a { overflow-wrap: anywhere; }
.wide { overflow-x: auto; } img { max-width: 100%; height: auto; }
table { border-collapse: collapse; font-size: .85rem; margin: .8rem 0; }
th, td { padding: .15rem .6rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { border-bottom: 2px solid var(--line); } td.word, th.word { text-align: left; white-space: normal; }
td.word { max-width: 26rem; } td.long { min-width: 13rem; }
.yes { color: var(--yes); } .no { color: var(--no); font-weight: 600; }
details > summary { cursor: pointer; } .error { color: var(--no); }
"""
# Longer tables are folded.
LONG = 30
# These columns are shown in the picture, or follow from other columns.
HIDDEN = {"difference", "lowest", "lower_quartile", "median", "upper_quartile", "highest"}
# Class and mark of verdicts.
MARKS = {"agree": ("yes", "✓"), "disagree": ("no", "✗"), "open": ("no", "?"), "no power": ("pale", "–")}
HEADERS = {"estimate": "ours", "std_error": "std. error", "p_value": "p", "p_adjusted": "p, Holm"}


def page(file: Path, title: str, parts: Iterable[str], style: str = "") -> None:
    """Write a page with a title and parts, which are HTML; `style` is CSS that is added to that of all pages."""
    text = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )
    write_file(file, text)


def picture(file: Path, alt: str) -> str:
    """A PNG file, embedded in the page."""
    content = base64.b64encode(file.read_bytes()).decode("ascii")
    return f'<p><img alt="{escape(alt)}" src="data:image/png;base64,{content}"></p>'


def table(frame: pd.DataFrame) -> str:
    """A table as HTML, without empty columns. A long table is folded, and its rows with a verdict come first."""
    if len(frame) <= LONG:
        return _rows(frame)
    judged = frame[frame["verdict"] != ""] if "verdict" in frame else frame.head(0)
    # If there are many verdicts, show only those that do not agree.
    judged = judged if len(judged) <= LONG else judged[judged["verdict"].isin(["disagree", "open"])]
    shown = _rows(judged) if len(judged) else ""
    return f"{shown}<details><summary>all {len(frame)} rows</summary>{_rows(frame)}</details>"


def _rows(frame: pd.DataFrame) -> str:
    filled = [name for name in frame.columns if frame[name].notna().any() and (frame[name] != "").any()]
    columns = [name for name in filled if name not in HIDDEN]
    left = {name for name in columns if frame[name].dtype == object or str(frame[name].dtype).startswith("str")}
    head = "".join(
        f"<th{_side('', name in left)}>{escape(HEADERS.get(name, name.replace('_', ' ')))}</th>" for name in columns
    )
    rows = []
    for row in frame[columns].to_dict("records"):
        cells = (f"<td{_side(row[name], name in left)}>{_cell(name, row[name])}</td>" for name in columns)
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def _side(value: Any, left: bool) -> str:
    """Class of a cell: text is aligned on the left, and long text needs room."""
    long = " long" if isinstance(value, str) and len(value) > 24 else ""
    return f' class="word{long}"' if left else ""


def _cell(name: str, value: Any) -> str:
    if pd.isna(value):
        return ""
    if name == "verdict" and value in MARKS:
        kind, mark = MARKS[value]
        return f'<span class="{kind}">{mark} {value}</span>'
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    return escape(str(value))
