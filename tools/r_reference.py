#!/usr/bin/env python3
"""r_reference.py PACKAGE FOLDER: the help pages of the R package as pages of the site, with the output of examples."""

import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
# The groups of the index; a page belongs to the first that matches.
GROUPS = {
    "Install": r"install_pwcstats|pwcstats_available",
    "Coupling": r"couple|pwcstats_coupling",
    "Classifiers": (
        r"pwc|hybrid|ordinal_hybrid|calibration_plot|.*_(pwc|machines|classifier)|caretModel|pwcstats_(mlr|parsnip)"
    ),
    "Rankings": (
        r"bt|abilities|.*_(bt|abilities|pl)|bt_(selection|residuals)|leaderboard|plackett_luce|random_effects|compare_items|"
        r"comparison_intervals|quasi_variances|rank_intervals"
    ),
    "Logistic models": r"firth.*|cratio|ordered_logit|adjacent_categories|detect_separation|stepwise|.*_logit",
    "Comparing methods": r"(compare_methods|corrected|bayes|friedman|nemenyi|winners|adjust).*|.*_(pair|comparison)",
    "All fits": r"pwcstats_(augment|autoplot)",
    "Data sets": r"arena|battles|citations|endometrial|classifier_scores",
}
DOI = r'<a href="https://doi.org/\1">doi:\1</a>'
INTRODUCTION = """\
R reference
===========

These are the help pages of the R package. In R, ``?bt`` shows the same page, and ``help(package = "pwcstats")``
lists them all. The examples were run when this site was built. New to the package? Start with :doc:`/start/r`.
"""


def page(name: str, title: str, folder: Path) -> str:
    """One help page in reStructuredText."""
    text = (folder / f"{name}.html").read_text(encoding="utf-8")
    body = text[text.index("</h2>") + len("</h2>") : text.rindex("<hr />")]
    body = body.split("<h3>Examples</h3>")[0]
    body = re.sub(r'<code class="reqn">(.*?)</code>', r"\\(\1\\)", body, flags=re.DOTALL)
    body = re.sub(r"<pre><code class='language-R'>", "<pre class='r'><code>", body)
    # \doi{...}, which R leaves for later.
    body = re.sub(r'\\Sexpr\[results=rd\]\{tools:::Rd_expr_doi\((?:"|&quot;)(.*?)(?:"|&quot;)\)\}', DOI, body)
    # Arguments and values as definition lists: no table is too wide for a telephone.
    body = re.sub(r"<table[^>]*>\s*(<tr.*?)</table>", as_list, body, flags=re.DOTALL)
    made = subprocess.run(
        ["pandoc", "--from=html+tex_math_single_backslash", "--to=rst", "--wrap=none"],
        input=body,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    made = re.sub(r"^\.\. code:: r$", ".. code-block:: r", made, flags=re.MULTILINE)
    # Anchors of R's arguments are not links.
    made = re.sub(r"^\.\. container::.*\n", "", made, flags=re.MULTILINE)
    made = re.sub(r"\n(\S.*)\n-{3,}\n", lambda m: f"\n{m[1]}\n{'-' * len(m[1])}\n", f"\n{made}")
    made = re.sub(r"\n(\S.*)\n~{3,}\n", lambda m: f"\n{m[1]}\n{'-' * len(m[1])}\n", made)
    heading = html.unescape(f"{name}: {title}" if not name.startswith("pwcstats") else title)
    return f".. highlight:: r\n\n{heading}\n{'=' * len(heading)}\n{made}{examples(name, folder)}"


def as_list(table: re.Match[str]) -> str:
    """R's table of arguments as a definition list."""
    rows = re.findall(r"<tr[^>]*>\s*<td>(.*?)</td>\s*<td>(.*?)</td>\s*</tr>", table[1], flags=re.DOTALL)
    if not rows:
        return table[0]
    return "<dl>" + "".join(f"<dt>{term}</dt><dd>{text}</dd>" for term, text in rows) + "</dl>"


def examples(name: str, folder: Path) -> str:
    """The examples of a help page and what they print."""
    path = folder / f"{name}.examples"
    if not path.exists():
        return ""
    out = ["", "Examples", "--------", ""]
    inside = False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            inside = not inside
            out += ["", ".. code-block:: r", ""] if inside else [""]
        else:
            out.append(f"   {line}".rstrip() if inside else line)
    return "\n".join(out) + "\n"


def index(topics: list[dict[str, str]]) -> str:
    """The list of all pages, by subject."""
    left = {topic["name"]: topic["title"] for topic in topics}
    lines = [INTRODUCTION]
    for group, pattern in [*GROUPS.items(), ("More", ".*")]:
        found = [name for name in left if re.fullmatch(pattern, name)]
        if not found:
            continue
        # The functions before their methods.
        found.sort(key=lambda name: ("." in name or name.startswith("pwcstats_"), name))
        lines += [group, "-" * len(group), "", ".. list-table::", "   :widths: auto", ""]
        for name in found:
            shown = name if not name.startswith("pwcstats_") or name == "pwcstats_available" else f"methods of {name}"
            lines += [f"   * - :doc:`{shown} <{name}>`", f"     - {left.pop(name)}"]
        lines += ["", ".. toctree::", "   :hidden:", "", *(f"   {name} <{name}>" for name in found), ""]
    return "\n".join(lines) + "\n"


def main(package: str, target: Path) -> None:
    """Write the pages and their index."""
    with tempfile.TemporaryDirectory(prefix="reference-") as made:
        folder = Path(made)
        subprocess.run(["Rscript", TOOLS / "r_reference.R", package, folder], check=True)
        about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
        public = [one for one in about if "internal" not in one["keywords"]]
        topics = [{"name": one["name"][0], "title": one["title"][0]} for one in public]
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        if (folder / "figures").exists():
            shutil.copytree(folder / "figures", target / "figures")
        for topic in topics:
            (target / f"{topic['name']}.rst").write_text(page(**topic, folder=folder), encoding="utf-8")
        (target / "index.rst").write_text(index(topics), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
