"""Lists that the pages include: tutorials and studies by their own titles, the functions of Python, and what the
tests compare with R."""

import inspect
import re
import runpy
from importlib import import_module

import pandas as pd
from common import DOCS, list_table, summary_line, write_if_new
from sphinx.errors import ConfigError
from sphinx.util.rst import escape

from pwcstats.studies.recorded import overview, recorded
from pwcstats.studies.reproduction import STUDIES

PARTS = ("COUPLING", "CLASSIFY", "HYBRID", "BRADLEY_TERRY", "BRADLEY_TERRY_MIXED", "LOGIT", "COMPARE")


def papers():
    """How many numbers and statements of each paper agree, from the recorded results, and which do not."""
    rows = [("paper", "counted", "agree", "disagree, cause shown", "open", "no power", "what we found")]
    for study, counts in overview().iterrows():
        module = import_module(f"pwcstats.studies.{study}")
        rows.append((escape(module.TITLE), *map(str, counts), escape(module.FINDING)))
    lines = list_table(rows, widths="27 8 8 10 7 8 32")
    for verdict, title in (("disagree", "Disagreements with a demonstrated cause"), ("open", "Open")):
        if found := rows_with(verdict):
            header = ("table or figure", "what", "ours", "paper", "why")
            lines += ["", f"**{title}**", "", *list_table([header, *found])]
    return lines


def rows_with(verdict):
    """Rows with a verdict: exhibit, quantity with its settings, our number, the paper's, and the cause or note."""
    rows = []
    for study, exhibit in tables():
        table = recorded(study, exhibit)
        parameters = list(table.columns[: list(table.columns).index("quantity")])
        for row in table[table["verdict"] == verdict].to_dict("records"):
            settings = ", ".join(f"{name} {row[name]}" for name in parameters if pd.notna(row[name]))
            ours, paper = ("" if pd.isna(row[name]) else f"{row[name]:.4g}" for name in ("estimate", "paper"))
            what = f"{row['quantity']} ({settings})" if settings else row["quantity"]
            rows.append((f"``{study}.{exhibit}``", escape(what), ours, paper, with_code(row["cause"] or row["note"])))
    return rows


def with_code(text):
    """Text as RST, with `commands` as code, in which nothing is escaped."""
    return "".join(f"``{part}``" if index % 2 else escape(part) for index, part in enumerate(text.split("`")))


def tables():
    """All tables, as pairs of study and name."""
    exhibits = ((study, one) for study in STUDIES for one in import_module(f"pwcstats.studies.{study}").EXHIBITS)
    return [(study, one.name) for study, one in exhibits if one.table is not None]


def agreement():
    """The table of agreement with R, from tests/parity.py."""
    parity = runpy.run_path(str(DOCS.parent / "tests" / "parity.py"))
    rows = [("here", "in R", "within", "remark")]
    for row in (row for part in PARTS for row in parity[part].values()):
        rows.append((f"``{row.ours}``", f"``{row.theirs}``", f"{row.tolerance:g}", row.reason))
    return list_table(rows)


def header(source):
    """The title and the description at the head of a tutorial."""
    head = source.read_text(encoding="utf-8").split("---\n")[1]
    found = dict(re.findall(r'^(title|description): *"(.*)"$', head, re.MULTILINE))
    if len(found) < 2:
        raise ConfigError(f'{source}: the header needs title: "..." and description: "..."')
    return found


def vignettes():
    """All tutorials, in the groups and the order of vignettes.txt."""
    sources = {path.stem: path for path in sorted(DOCS.parent.glob("vignettes/*.Rmd"))}
    sources["getting-started-r"] = DOCS.parent / "R" / "vignettes" / "pwcstats.Rmd"
    order = (DOCS / "vignettes.txt").read_text(encoding="utf-8").splitlines()
    if unnamed := [name for name in sources if f"  {name}" not in order]:
        raise ConfigError(f"docs/vignettes.txt does not name {', '.join(unnamed)}")
    lines, pages = [], []
    for line in order:
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
        rows = [(f"``{study}.{exhibit.name}``", escape(exhibit.title)) for exhibit in module.EXHIBITS]
        lines += list_table(rows, header=False)
    return lines


def api():
    """Every documented function and class with the first line of its docstring, by page."""
    lines = []
    for page in re.findall(r"^   (api/\w+)$", (DOCS / "api.rst").read_text(encoding="utf-8"), re.MULTILINE):
        text = (DOCS / f"{page}.rst").read_text(encoding="utf-8")
        module = next(iter(re.findall(r"currentmodule:: (\S+)", text)), "pwcstats")
        names = re.findall(r"^\.\. auto(?:function|class|exception):: (\S+)", text, re.MULTILINE)
        names = [name if name.startswith("pwcstats.") else f"{module}.{name}" for name in names]
        for whole in re.findall(r"^\.\. automodule:: (\S+)", text, re.MULTILINE):
            names += [f"{whole}.{name}" for name, _ in documented(import_module(whole))]
        title = text.splitlines()[0]
        lines += ["", title, "-" * len(title), "", f".. currentmodule:: {module}", ""]
        rows = [(f":obj:`{name.rpartition('.')[2]} <{name}>`", summary(name)) for name in names]
        lines += list_table(rows, header=False)
    return lines


def documented(module):
    """The functions and classes of a module; types of options have no docstring of their own."""
    members = ((name, getattr(module, name)) for name in module.__all__)
    return [(name, one) for name, one in members if inspect.isfunction(one) or inspect.isclass(one)]


def summary(name):
    """The first line of a docstring."""
    module, _, attribute = name.rpartition(".")
    try:
        one = getattr(import_module(module), attribute)
    except ImportError:
        # pwcstats.r needs R.
        files = sorted((DOCS.parent / module.replace(".", "/")).glob("[!_]*.py"))
        text = "".join(file.read_text(encoding="utf-8") for file in files)
        return re.search(rf'^(?:class|def) {attribute}\b.*?"""(.*?)\n', text, re.DOTALL | re.MULTILINE)[1]
    return summary_line(one)


def write(app):
    """Write the lists that pages include."""
    for function in (agreement, api, papers, studies, vignettes):
        write_if_new(f"{function.__name__}.inc", function())


def setup(app):
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
