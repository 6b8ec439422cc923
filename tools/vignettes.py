#!/usr/bin/env python3
"""vignettes.py SOURCE.Rmd PAGE.md: run a vignette; write its page for the site, its R script and its notebook.

Python chunks run in a Jupyter kernel, R chunks in R, each language without the other. The script and the notebook lie
beside the page, and so do the pictures (PAGE_files). CONTRIBUTING.md describes what a vignette may contain.
"""

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client import AsyncKernelManager
from nbclient import NotebookClient

TOOLS = Path(__file__).resolve().parent
START = re.compile(r"^```\{(r|python)\s*([\w.-]*)\s*,?\s*(.*)\}\s*$")
END = re.compile(r"^```\s*$")
KNITTED = re.compile(r"\n<!--chunk ([\w.-]+)-->\n(.*?)\n<!--end-->\n", re.DOTALL)
# py("...") in R: the value of a Python expression.
PY = re.compile(r"""\bpy\((?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\)""")
# How matplotlib writes what it has drawn: Axes, arrays, lists and tuples of its objects.
DRAWN = re.compile(r"(array\(|[\[({'\w\s:])*<(Axes|matplotlib\.|Figure|BarContainer)|Text\(")
NAMES = {"r": "R", "python": "Python"}
CHECKS = "How this page checks itself"
# The first cell, and how the values that R asks for are written after the last one.
PREPARE = """\
%config InlineBackend.figure_formats = ["svg"]
import warnings
warnings.formatwarning = lambda message, category, *_, **__: f"{category.__name__}: {message}\\n"
try:
    import pandas
    pandas.set_option("display.width", 95, "display.max_columns", 20)
except ImportError:
    pass
del warnings
"""
EXPORT = """\
import json as _json
def _plain(value):
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if hasattr(value, "to_dict"):
        return _plain(value.to_dict())
    if isinstance(value, dict):
        return {{str(key): _plain(one) for key, one in value.items()}}
    if isinstance(value, (list, tuple, set)):
        return [_plain(one) for one in value]
    return value
with open({path!r}, "w") as _file:
    _json.dump({{_text: _plain(eval(_text)) for _text in {expressions!r}}}, _file)
"""


class VignetteError(Exception):
    """The vignette is not as it should be."""


@dataclass
class Chunk:
    """A chunk of code, and what the page shows in its place."""

    language: str
    label: str
    options: dict[str, str]
    code: str
    outputs: list[Any] = field(default_factory=list)
    shown: str = ""

    @property
    def is_private(self) -> bool:
        """Whether the chunk is for the page alone, and not for the script or the notebook."""
        return self.label == "setup" or self.label.startswith(("check-", "page-"))

    @property
    def is_check(self) -> bool:
        """Whether the chunk checks what the page says."""
        return self.label.startswith("check-")

    def has(self, option: str, default: bool) -> bool:
        """Whether an option of knitr is TRUE."""
        return self.options.get(option, str(default).upper()) in ("TRUE", "T")


def read(source: Path) -> tuple[dict[str, str], list[Chunk]]:
    """The header of a vignette, and its chunks."""
    text = source.read_text(encoding="utf-8")
    head = text.split("---\n")[1]
    header = dict(re.findall(r'^(title|description): *"(.*)"$', head, re.MULTILINE))
    if len(header) < 2:
        raise VignetteError('the header needs title: "..." and description: "..."')
    chunks: list[Chunk] = []
    lines = iter(text.splitlines())
    for line in lines:
        if not (start := START.match(line)):
            continue
        language, label, options = start.groups()
        code = []
        for line in lines:
            if END.match(line):
                break
            code.append(line)
        chunks.append(Chunk(language, label, read_options(options), "\n".join(code)))
    labels = [chunk.label for chunk in chunks]
    if "" in labels or len(set(labels)) < len(labels):
        raise VignetteError(f"each chunk needs a label of its own, got {sorted(labels)}")
    for chunk in chunks:
        check_alone(chunk)
    return header, chunks


def read_options(text: str) -> dict[str, str]:
    """The options of knitr as text; strings without their quotes."""
    found = re.findall(r"""([\w.]+)\s*=\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^,]+)""", text)
    return {name: value.strip().strip("\"'") for name, value in found}


def check_alone(chunk: Chunk) -> None:
    """Refuse R chunks that need Python; Python chunks that need R fail by themselves, since R is not there."""
    of_python = r"\bpy\$|\breticulate::py(_eval|_run\w*)?\b" + ("" if chunk.is_private else r"|\bpy\(")
    if chunk.language == "r" and re.search(of_python, chunk.code):
        raise VignetteError(f"the R chunk {chunk.label} uses Python: only chunks page-... and check-... may, by py()")


def run_python(source: Path, chunks: list[Chunk], folder: Path) -> Path:
    """Run the Python chunks as a notebook, keep their outputs, and return the file with the values that R asks for."""
    values = folder / "values.json"
    text = source.read_text(encoding="utf-8")
    expressions = sorted({ast.literal_eval(f'"{a}"') if a else b for a, b in PY.findall(text)})
    if not any(chunk.language == "python" for chunk in chunks):
        values.write_text("{}", encoding="utf-8")
        return values
    cells = [nbformat.v4.new_code_cell(PREPARE)]
    # The visible chunks come first: they are the notebook, and must not need the others.
    ours = [chunk for chunk in chunks if chunk.language == "python" and chunk.has("eval", True)]
    for chunk in sorted(ours, key=lambda chunk: chunk.is_private):
        tags = ["raises-exception"] if chunk.has("error", False) else []
        cells.append(nbformat.v4.new_code_cell(chunk.code, metadata={"label": chunk.label, "tags": tags}))
    cells.append(nbformat.v4.new_code_cell(EXPORT.format(path=str(values), expressions=expressions)))
    notebook = nbformat.v4.new_notebook(cells=cells)
    # The kernel shows pictures itself, and it needs no network: it is asked through files.
    os.environ.pop("MPLBACKEND", None)
    kernel = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=str(folder / "kernel"))
    client = NotebookClient(notebook, km=kernel, timeout=900, resources={"metadata": {"path": str(folder)}})
    client.execute(stderr=subprocess.DEVNULL)
    outputs = {cell.metadata["label"]: cell.outputs for cell in notebook.cells if "label" in cell.metadata}
    for chunk in chunks:
        chunk.outputs = tidy_outputs(outputs.get(chunk.label, []))
    return values


def tidy_outputs(outputs: list[Any]) -> list[Any]:
    """Join pieces of one stream that the kernel sent one by one, and leave out how matplotlib writes its objects."""
    merged: list[Any] = []
    for output in outputs:
        if output.output_type == "execute_result" and DRAWN.match(output.data["text/plain"]):
            continue
        if output.output_type == "stream" and merged and merged[-1].get("name") == output.name:
            merged[-1].text += output.text
        else:
            merged.append(output)
    return merged


def show_python(chunk: Chunk, folder: Path) -> str:
    """A Python chunk and its outputs in Markdown; pictures are written to the folder."""
    if not chunk.has("include", True):
        return ""
    parts = [f"```python\n{chunk.code}\n```"] if chunk.has("echo", True) else []
    pictures = 0
    for output in chunk.outputs if chunk.options.get("results") != "hide" else []:
        if output.output_type == "stream":
            text = output.text
        elif output.output_type == "error":
            text = textwrap.fill(f"{output.ename}: {output.evalue}", 90)
        elif "image/svg+xml" in output.data:
            if "fig.alt" not in chunk.options:
                raise VignetteError(f"the chunk {chunk.label} draws a picture: describe it in fig.alt")
            pictures += 1
            path = folder / f"{chunk.label}-{pictures}.svg"
            path.parent.mkdir(exist_ok=True)
            path.write_text(output.data["image/svg+xml"], encoding="utf-8")
            parts.append(f":::{{image}} figures/{path.name}\n:alt: {chunk.options['fig.alt']}\n:class: plot\n:::")
            continue
        else:
            text = output.data["text/plain"]
        if text.strip():
            parts.append(f"```{{code-block}} text\n:class: output\n\n{wrapped(text.rstrip())}\n```")
    return "\n\n".join(parts)


def wrapped(text: str) -> str:
    """The text with long sentences on several lines; tables stay as they are."""
    lines = text.splitlines()
    return "\n".join(textwrap.fill(line, 90) if len(line) > 95 and "  " not in line else line for line in lines)


def knit(source: Path, chunks: list[Chunk], values: Path, folder: Path) -> list[str | Chunk]:
    """Run the R chunks; return the knitted text and the chunks, in their order."""
    made = folder / "knitted.md"
    subprocess.run(["Rscript", TOOLS / "knit.R", source.resolve(), values, made], cwd=folder, check=True)
    knitted = made.read_text(encoding="utf-8").split("---\n", 2)[2]
    by_label = {chunk.label: chunk for chunk in chunks}
    parts: list[str | Chunk] = []
    for index, piece in enumerate(KNITTED.split(knitted)):
        kind = index % 3
        if kind == 0:
            parts.append(piece)
        elif kind == 1:
            parts.append(by_label[piece])
        elif by_label[label := parts[-1].label].language == "r":
            by_label[label].shown = piece.strip("\n")
    for chunk in chunks:
        if chunk.language == "python":
            chunk.shown = show_python(chunk, folder / "figures")
    return parts


def group(parts: list[str | Chunk]) -> list[str | list[Chunk]]:
    """The parts of a page: texts, and chunks that stand directly beside each other, as one part."""
    grouped: list[str | list[Chunk]] = []
    for part in parts:
        if isinstance(part, Chunk):
            if part.is_check or not part.shown:
                continue
            if grouped and isinstance(grouped[-1], list) and not part.is_private and not grouped[-1][0].is_private:
                grouped[-1].append(part)
            else:
                grouped.append([part])
        elif part.strip():
            grouped.append(part.strip("\n"))
    return grouped


def outside_code(text: str, change: Any) -> str:
    """The text with every line outside of code changed."""
    lines, fence = [], ""
    for line in text.splitlines():
        if mark := re.match(r"\s*(```+|~~~+)", line):
            if not fence:
                fence = mark[1]
            elif line.strip() == fence:
                fence = ""
            lines.append(line)
        else:
            lines.append(line if fence else change(line))
    return "\n".join(lines)


def lower_heading(line: str) -> str:
    """A heading one level lower, below the title; other lines as they are."""
    return re.sub(r"^(#+ )", r"#\1", line)


def prose(part: str) -> str:
    """A text for the script or the notebook, which have no checks."""
    return re.sub(r"^# Checks\n*", "", part, flags=re.MULTILINE).strip()


def site_line(line: str) -> str:
    """A line of a vignette as the site wants it: headings one level lower, and links to pages by their sources."""
    line = lower_heading(line)
    return re.sub(r"\]\(([\w-]+)\.html(#[\w-]+)?\)", r"](\1.md\2)", line)


def write_page(header: dict[str, str], parts: list[str | list[Chunk]], chunks: list[Chunk], page: Path) -> None:
    """Write the page of the site."""
    languages = {chunk.language for chunk in chunks if not chunk.is_private}
    files = {"python": (f"{page.stem}.ipynb", "notebook (Python)"), "r": (f"{page.stem}.R", "script (R)")}
    downloads = [f"{{download}}`{files[one][1]} <{files[one][0]}>`" for one in ("python", "r") if one in languages]
    out = [f"# {header['title']}", f":::{{div}} downloads\nTo run it yourself: {' · '.join(downloads)}\n:::"]
    for part in parts:
        out.append(outside_code(part, site_line) if isinstance(part, str) else show_chunks(part))
    checks = [chunk for chunk in chunks if chunk.is_check]
    boxed = "\n\n".join(f"```{chunk.language}\n{chunk.code}\n```" for chunk in checks)
    box = f":::::{{dropdown}} {CHECKS}\n\nThe page is not built if one of these claims fails.\n\n{boxed}\n:::::"
    text = "\n\n".join(out) + "\n"
    heading = re.compile(r"^## Checks\n", re.MULTILINE)
    if checks:
        text = heading.sub(lambda _: box + "\n", text) if heading.search(text) else f"{text}\n{box}\n"
    text = text.replace(":::{image} figures/", f":::{{image}} {page.stem}_files/")
    page.write_text(text, encoding="utf-8")


def show_chunks(chunks: list[Chunk]) -> str:
    """Chunks one after the other, or, in two languages, in tabs."""
    languages = list(dict.fromkeys(chunk.language for chunk in chunks))
    if len(languages) == 1:
        return "\n\n".join(chunk.shown for chunk in chunks)
    tabs = []
    for language in sorted(languages):
        shown = "\n\n".join(chunk.shown for chunk in chunks if chunk.language == language)
        tabs.append(f"::::{{tab-item}} {NAMES[language]}\n:sync: {language}\n\n{shown}\n::::")
    return ":::::{tab-set}\n:sync-group: language\n\n" + "\n\n".join(tabs) + "\n:::::"


def write_notebook(header: dict[str, str], parts: list[str | list[Chunk]], path: Path) -> None:
    """Write the notebook: the prose, the Python chunks, and R chunks that have no Python counterpart, as text."""
    cells = [nbformat.v4.new_markdown_cell(f"# {header['title']}\n\n{header['description']}")]
    for part in parts:
        if isinstance(part, str):
            text = outside_code(prose(part), lower_heading)
            cells += [nbformat.v4.new_markdown_cell(text)] if text else []
            continue
        ours = [chunk for chunk in part if chunk.language == "python" and not chunk.is_private]
        for chunk in ours:
            tags = {"tags": ["raises-exception"]} if chunk.has("error", False) else {}
            if chunk.has("eval", True):
                cells.append(nbformat.v4.new_code_cell(chunk.code, metadata=tags, outputs=chunk.outputs))
            else:
                cells.append(nbformat.v4.new_markdown_cell(f"```python\n{chunk.code}\n```"))
        if not ours:
            # Pictures are not part of the notebook.
            shown = "\n\n".join(chunk.shown for chunk in part)
            text = re.sub(r":::\{image\}.*?:::", "", shown, flags=re.DOTALL).strip()
            text = f"In R:\n\n{text}" if text.startswith("```r") else text
            cells += [nbformat.v4.new_markdown_cell(text)] if text else []
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    count = 0
    for cell in cells:
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = count
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), path)


def write_script(header: dict[str, str], parts: list[str | list[Chunk]], path: Path) -> None:
    """Write the R script: the R chunks, and the prose as comments."""
    lines = [f"# {header['title']}", "#", textwrap.indent(textwrap.fill(header["description"], 90), "# ")]
    for part in parts:
        if isinstance(part, str):
            text = prose(part)
            lines += ["", *(f"# {line}".rstrip() for line in text.splitlines())] if text else []
            continue
        for chunk in part:
            if chunk.language != "r" or chunk.is_private:
                continue
            code = chunk.code
            if not chunk.has("eval", True):
                code = textwrap.indent(code, "# ")
            elif chunk.has("error", False):
                code = f"try({{\n{textwrap.indent(code, '  ')}\n}})"
            lines += ["", code]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def build(source: Path, page: Path, run_script: bool) -> None:
    """Run a vignette and write everything that is made from it."""
    with tempfile.TemporaryDirectory(prefix="vignette-") as name:
        folder = Path(name)
        header, chunks = read(source)
        values = run_python(source, chunks, folder)
        parts = knit(source, chunks, values, folder)
        grouped = group(parts)
        script = folder / f"{page.stem}.R"
        write_script(header, grouped, script)
        if run_script and any(chunk.language == "r" for chunk in chunks):
            alone = folder / "alone"
            alone.mkdir()
            subprocess.run(["Rscript", script], cwd=alone, check=True, stdout=subprocess.DEVNULL)
        page.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(script, page.with_suffix(".R"))
        if any(chunk.language == "python" for chunk in chunks):
            write_notebook(header, grouped, page.with_suffix(".ipynb"))
        figures = page.parent / f"{page.stem}_files"
        shutil.rmtree(figures, ignore_errors=True)
        if (folder / "figures").exists():
            shutil.copytree(folder / "figures", figures)
        # Last: this is the file that make looks at.
        write_page(header, grouped, chunks, page)


def main() -> int:
    """Build one vignette; print what is wrong with it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="vignettes/NAME.Rmd")
    parser.add_argument("page", type=Path, help="docs/vignettes/NAME.md, or any other place to try it")
    parser.add_argument("--no-script", action="store_true", help="do not run the R script by itself")
    options = parser.parse_args()
    try:
        build(options.source, options.page, not options.no_script)
    except VignetteError as error:
        print(f"{options.source}: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"{options.source}: R stopped with an error ({error.cmd[1]})", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
