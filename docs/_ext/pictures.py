"""A picture of every figure, from the examples in its docstring."""

import doctest
import inspect
from pathlib import Path

from pwcstats import plot

DOCS = Path(__file__).parents[1]


def draw(app):
    """Run the examples and keep what they call ``figure``; pictures newer than the package are left alone."""
    folder = DOCS / "generated"
    folder.mkdir(exist_ok=True)
    newest = max(path.stat().st_mtime for path in (DOCS.parent / "pwcstats").rglob("*.py"))
    for name in plot.__all__:
        function, path = getattr(plot, name), folder / f"{name}.png"
        if not callable(function) or (path.exists() and path.stat().st_mtime > newest):
            continue
        names = {}
        for example in doctest.DocTestParser().get_examples(inspect.getdoc(function)):
            if not example.options.get(doctest.SKIP):
                exec(example.source, names)
        if "figure" in names:
            names["figure"].savefig(path, dpi=96)


def show(app, what, name, function, options, lines):
    """Put the picture below the examples."""
    module, _, figure = name.rpartition(".")
    if module == "pwcstats.plot" and (DOCS / "generated" / f"{figure}.png").exists():
        lines += ["", f".. image:: /generated/{figure}.png", "   :alt: the figure of the example", ""]


def setup(app):
    app.connect("builder-inited", draw)
    app.connect("autodoc-process-docstring", show, priority=900)  # after numpydoc
    return {"parallel_read_safe": True, "parallel_write_safe": True}
