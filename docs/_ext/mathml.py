"""Formulas as MathML, which browsers show by themselves, made by pandoc; and the font that they are shown in."""

import functools
import subprocess
from pathlib import Path

from docutils import nodes
from fontTools import subset
from sphinx.errors import ExtensionError
from sphinx.util import logging

# Latin Modern Math, of Debian's package fonts-lmodern.
FONTS = (
    Path("/usr/share/texmf/fonts/opentype/public/lm-math/latinmodern-math.otf"),
    Path("/usr/share/fonts/opentype/lmodern/latinmodern-math.otf"),
)
# Letters, Greek, punctuation, accents, arrows, operators, delimiters, mathematical letters.
RANGES = ((0x20, 0x17F), (0x2B0, 0x3FF), (0x2000, 0x23FF), (0x25A0, 0x2AFF), (0x1D400, 0x1D7FF))


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


def write_font(app, error):
    """Put the part of the font that formulas need beside the pages."""
    made = Path(app.outdir) / "_static" / "math.woff"
    if error or app.builder.format != "html" or made.exists():
        return
    font = next((path for path in FONTS if path.exists()), None)
    if font is None:
        logging.getLogger(__name__).warning("there is no math font: install fonts-lmodern")
        return
    options = subset.Options(flavor="woff", layout_features=["*"], notdef_outline=True)
    loaded = subset.load_font(str(font), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[code for low, high in RANGES for code in range(low, high + 1)])
    subsetter.subset(loaded)
    subset.save_font(loaded, str(made), options)


def setup(app):
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.connect("build-finished", write_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
