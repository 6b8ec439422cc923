"""Lists that the pages include: tutorials and studies by their own titles, the functions of Python, and what the
tests compare with R."""

import inspect
import re
import runpy
from importlib import import_module
from pathlib import Path

from sphinx.errors import ConfigError
from sphinx.util.rst import escape

from pwcstats.studies.recorded import FOLDER, read_record
from pwcstats.studies.reproduction import STUDIES

DOCS = Path(__file__).parents[1]
PARTS = ("COUPLING", "CLASSIFY", "HYBRID", "BRADLEY_TERRY", "LOGIT", "COMPARE")


# What was found about each paper while its tables were recomputed.
FINDINGS = {
    "hastie_tibshirani": "The printed (0.47, 0.25, 0.28) is not converged: the minimum is (0.481, 0.242, 0.277).",
    "szepannek": "The vowels must be those of R's mlbench, with the speaker as a factor. No cell of an 11 x 11 grid of "
    "the simulation has the errors of Table 1.",
    "wu_lin_weng": "All test errors of Table 1 agree. USPS was left out, because no package contains it.",
    "sulzmann": "One against all changes the class of up to 4.4 % of the cases.",
    "chang": "The negatives are at (±d, ±d), not at (±d, 0) and (0, ±d). Where groups overlap, the threshold decides.",
}


def papers():
    """How many numbers and statements of each paper agree, from the recorded results."""
    rows = [("paper", "agree", "what we found")]
    for study in STUDIES:
        verdicts = [read_record(file)["agrees"].dropna() for file in FOLDER.glob(f"{study}.*.csv")]
        agree, judged = (int(sum(f(each) for each in verdicts)) for f in (sum, len))
        title = import_module(f"pwcstats.studies.{study}").TITLE
        rows.append((escape(title), f"{agree} of {judged}", FINDINGS[study]))
    lines = [".. list-table::", "   :header-rows: 1", "   :widths: 30 15 55", ""]
    for row in rows:
        lines += [f"   {mark} - {cell}" for mark, cell in zip("*  ", row, strict=True)]
    return lines


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
        lines += [
            "",
            title,
            "-" * len(title),
            "",
            f".. currentmodule:: {module}",
            "",
            ".. list-table::",
            "   :widths: auto",
            "",
        ]
        for name in names:
            lines += [f"   * - :obj:`{name.rpartition('.')[2]} <{name}>`", f"     - {summary(name)}"]
    return lines


def documented(module):
    """The functions and classes of a module that have a docstring."""
    members = ((name, getattr(module, name)) for name in module.__all__)
    return [
        (name, one) for name, one in members if inspect.isroutine(one) or (inspect.isclass(one) and inspect.getdoc(one))
    ]


def summary(name):
    """The first line of a docstring."""
    module, _, attribute = name.rpartition(".")
    try:
        one = getattr(import_module(module), attribute)
    except ImportError:
        # pwcstats.r needs R.
        text = (DOCS.parent / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
        return re.search(rf'class {attribute}.*?"""(.*?)\n', text, re.DOTALL)[1]
    # Numbers of references belong to the page of the function.
    return re.sub(r" ?\[\d+\]_", "", inspect.getdoc(one).splitlines()[0])


def write(app):
    """Write the lists; a file that would not change is left alone, so that its page is not made again."""
    folder = DOCS / "generated"
    folder.mkdir(exist_ok=True)
    lists = {"agreement": agreement(), "api": api(), "papers": papers(), "studies": studies(), "vignettes": vignettes()}
    for name, lines in lists.items():
        path, text = folder / f"{name}.inc", "\n".join(lines) + "\n"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app):
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
