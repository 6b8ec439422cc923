"""Formulas as MathML, which browsers show by themselves; made by pandoc, as those of the vignettes are."""

import functools
import subprocess

from docutils import nodes
from sphinx.errors import ExtensionError


@functools.cache
def mathml(tex):
    done = subprocess.run(["pandoc", "--from=latex", "--mathml"], input=tex, capture_output=True, text=True, check=True)
    if done.stderr:
        raise ExtensionError(f"pandoc cannot convert this formula: {tex}\n{done.stderr}")
    return done.stdout[done.stdout.index("<math") : done.stdout.index("</math>") + len("</math>")]


def visit_inline(writer, node):
    writer.body.append(mathml(f"${node.astext()}$"))
    raise nodes.SkipNode


def visit_block(writer, node):
    writer.body.append(f'<div class="formula">{mathml(f"$${node.astext()}$$")}</div>\n')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
