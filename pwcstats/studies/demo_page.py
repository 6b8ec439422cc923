"""The page of the demo, and its data as CSV files beside it."""

import re
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from pathlib import Path

import pandas as pd

from pwcstats._files import as_csv, write_file
from pwcstats.datasets import load
from pwcstats.studies import html
from pwcstats.studies.demo import SECTIONS, Finding, Section, in_text

__all__ = ["write_data", "write_page"]

# Added to the style of all pages.
STYLE = """
:root { --page: #fff; --code: #f4f6f8; --link: #005a8c; color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14181c; --ink: #e3e7eb; --pale: #a2acb6; --line: #39424b; --code: #1f262d; --link: #7cc4f0; }
}
body { background: var(--page); max-width: 50rem; } a { color: var(--link); }
pre { background: var(--code); padding: .8rem 1rem; border-radius: .4rem; overflow-x: auto; font-size: .85rem; }
figure { margin: 1rem 0; } figure img { background: #fff; border-radius: .4rem; width: 100%; max-width: 40rem; }
tbody th { text-align: left; border-bottom: 1px solid var(--line); } thead td { border-bottom: 2px solid var(--line); }
@media (max-width: 30rem) { th, td { padding: .15rem .25rem; } table { font-size: .7rem; } }
.command { white-space: pre-wrap; } .command span { white-space: nowrap; }
.found { border-left: .25rem solid var(--link); padding-left: .8rem; font-weight: 600; }
.yours { border: 1px solid var(--line); border-radius: .4rem; padding: 0 1rem; } .yours h3 { margin: .8rem 0 0; }
nav ul { padding-left: 1.2rem; }
"""
INTRODUCTION = (
    "Problems that pwcstats solves. Each section shows the lines of Python that made its results; they ran when "
    "this page was written. The data sets are in files beside this page, so that you can try the commands of the "
    "boxes “Now your data” right away, and then with your own file."
)


def write_data(folder: Path) -> list[Path]:
    """Write the data sets of the sections as CSV files."""
    files = []
    for section in SECTIONS:
        file = folder / f"{section.dataset}.csv"
        write_file(file, as_csv(load(section.dataset).frame))
        files.append(file)
    return files


def write_page(folder: Path, findings: Sequence[Finding]) -> Path:
    """Write the page, which needs no other file.

    Parameters
    ----------
    folder : Path
        An existing folder.
    findings : sequence of Finding
        What each of SECTIONS found.

    Returns
    -------
    Path
        The page.
    """
    page = folder / "demo.html"
    links = "".join(f'<li><a href="#{section.name}">{escape(section.title)}</a></li>' for section in SECTIONS)
    parts = [f"<p>{escape(INTRODUCTION)}</p>", f"<nav><ul>{links}</ul></nav>"]
    parts += [_as_html(section, finding) for section, finding in zip(SECTIONS, findings, strict=True)]
    html.page(page, "pwcstats: a tour", parts, STYLE)
    return page


def _as_html(section: Section, finding: Finding) -> str:
    picture = b64encode(finding.picture).decode("ascii")
    tables = "".join(_table(caption, table) for caption, table in finding.tables.items())
    # A browser would break a line between the hyphens of an option.
    words = re.sub(r"\S+", r"<span>\g<0></span>", escape(section.command))
    block = f'<pre class="command"><code>{words}</code></pre>'
    command = f"<p>On the command line:</p>{block}" if section.command else ""
    return f"""<section id="{section.name}">
<h2>{escape(section.title)}</h2>
<p>{escape(section.problem)}</p>
<pre><code>{escape(section.code.rstrip())}</code></pre>
<p class="found">{escape(finding.sentence)}</p>
<figure><img alt="{escape(finding.alt)}" src="data:image/svg+xml;base64,{picture}"></figure>
{tables}
<div class="yours"><h3>Now your data</h3><p>{escape(section.columns)}</p>
{command}
<p>In Python:</p><pre><code>{escape(section.lines.rstrip())}</code></pre></div>
</section>"""


def _table(caption: str, table: pd.DataFrame) -> str:
    texts = in_text(table)
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in texts.columns)
    rows = "".join(
        f'<tr><th scope="row">{escape(str(label))}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'
        for label, cells in zip(texts.index, texts.to_numpy(), strict=True)
    )
    return (
        f'<p class="pale">{escape(caption)}</p><div class="wide"><table><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )
