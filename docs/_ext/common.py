"""What the extensions share: the folder of generated files, tables, summaries."""

import inspect
import re
from pathlib import Path

DOCS = Path(__file__).parents[1]
GENERATED = DOCS / "generated"


def write_if_new(name, lines):
    """Write a generated file unless it has these lines, so that Sphinx does not read its pages again."""
    GENERATED.mkdir(exist_ok=True)
    path, text = GENERATED / name, "\n".join(lines) + "\n"
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def list_table(rows, *, header=True, widths="auto"):
    """The lines of a table; the first row is its header."""
    lines = [".. list-table::", f"   :widths: {widths}", *(["   :header-rows: 1"] if header else []), ""]
    for row in rows:
        lines += [f"   {'*' if number == 0 else ' '} - {cell}".rstrip() for number, cell in enumerate(row)]
    return [*lines, ""]


def summary_line(documented):
    """The first line of a docstring, without the numbers of references, which are on another page."""
    return re.sub(r" ?\[\d+\]_", "", inspect.getdoc(documented).splitlines()[0])
