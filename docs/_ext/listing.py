"""Lists that the pages include: tutorials and studies by their own titles, and what the tests compare with R."""

import re
import runpy
from importlib import import_module
from pathlib import Path

from sphinx.errors import ConfigError
from sphinx.util.rst import escape

from pwcstats.studies.reproduction import STUDIES

DOCS = Path(__file__).parents[1]
PARTS = ("COUPLING", "CLASSIFY", "HYBRID", "BRADLEY_TERRY", "LOGIT", "COMPARE")


def agreement():
    """What agrees with R, how closely, from the list that the tests use."""
    parity = runpy.run_path(str(DOCS.parent / "tests" / "parity.py"))
    lines = [".. list-table::", "   :header-rows: 1", ""]
    rows = [("here", "in R", "within", "remark")]
    for row in (row for part in PARTS for row in parity[part].values()):
        rows.append((f"``{row.ours}``", f"``{row.theirs}``", f"{row.tolerance:g}", row.reason))
    for row in rows:
        lines += [f"   {mark} - {cell}" for mark, cell in zip("*   ", row, strict=True)]
    return lines


def header(source):
    """The title and the description at the head of a tutorial."""
    head = source.read_text(encoding="utf-8").split("---\n")[1]
    found = dict(re.findall(r'^(title|description): *"(.*)"$', head, re.MULTILINE))
    if len(found) < 2:
        raise ConfigError(f'{source}: the header needs title: "..." and description: "..."')
    return found


def vignettes():
    """All tutorials, in the groups and the order of vignettes.txt; those that it does not name come last."""
    sources = {path.stem: path for path in sorted(DOCS.parent.glob("vignettes/*.Rmd"))}
    sources["getting-started-r"] = DOCS.parent / "R" / "vignettes" / "pwcstats.Rmd"
    order = (DOCS / "vignettes.txt").read_text(encoding="utf-8").splitlines()
    unnamed = [f"  {name}" for name in sources if f"  {name}" not in order]
    lines, pages = [], []
    for line in [*order, *(["More", *unnamed] if unnamed else [])]:
        name = line.strip()
        if line == name:
            lines += ["", name, "-" * len(name), ""]
        elif name not in sources:
            raise ConfigError(f"docs/vignettes.txt names {name}, which is not in vignettes/")
        else:
            found = header(sources[name])
            pages.append(f"   {name}")
            lines += [f":doc:`{escape(found['title'])} <{name}>`", f"   {escape(found['description'])}", ""]
    return [*lines, ".. toctree::", "   :hidden:", "", *pages]


def studies():
    """The papers, and what can be reproduced of each."""
    lines = []
    for study in STUDIES:
        module = import_module(f"pwcstats.studies.{study}")
        title = escape(module.TITLE)
        # A URL that is escaped would be no link.
        reference = (word if word.startswith("http") else escape(word) for word in module.REFERENCE.split())
        lines += ["", title, "-" * len(title), "", " ".join(reference), ""]
        lines += [".. list-table::", "   :widths: auto", ""]
        for exhibit in module.EXHIBITS:
            lines += [f"   * - ``{study}.{exhibit.name}``", f"     - {escape(exhibit.title)}"]
    return lines


def write(app):
    """Write the lists; a file that would not change is left alone, so that its page is not made again."""
    folder = DOCS / "generated"
    folder.mkdir(exist_ok=True)
    for name, lines in {"agreement": agreement(), "studies": studies(), "vignettes": vignettes()}.items():
        path, text = folder / f"{name}.inc", "\n".join(lines) + "\n"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app):
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
