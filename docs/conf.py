import runpy
from importlib.metadata import version as installed_version
from pathlib import Path

project = "pwcstats"
author = "the pwcstats authors"
copyright = author
release = version = installed_version("pwcstats")

extensions = ["sphinx.ext.autodoc", "sphinx.ext.mathjax", "numpydoc"]
# R's learners are documented without R.
autodoc_mock_imports = ["rpy2"]
autodoc_typehints = "none"  # numpydoc's Parameters section says it in words
numpydoc_show_class_members = False
html_theme = "alabaster"
html_theme_options = {"description": "Statistics of pairs, in Python and R", "page_width": "1120px"}


def write_agreement(app):
    """The page "Agreement with R", from the list that the tests use."""
    here = Path(app.srcdir)
    parity = runpy.run_path(str(here.parent / "tests" / "parity.py"))
    lines = (here / "agreement.rst.in").read_text().splitlines()
    lines += [
        ".. list-table::",
        "   :header-rows: 1",
        "",
        "   * - here",
        "     - in R",
        "     - within",
        "     - remark",
    ]
    parts = ("COUPLING", "CLASSIFY", "HYBRID", "BRADLEY_TERRY", "LOGIT", "COMPARE")
    for row in [row for part in parts for row in parity[part].values()]:
        lines += [
            f"   * - ``{row.ours}``",
            f"     - ``{row.theirs}``",
            f"     - {row.tolerance:g}",
            f"     - {row.reason}",
        ]
    (here / "generated").mkdir(exist_ok=True)
    (here / "generated" / "agreement.rst").write_text("\n".join(lines) + "\n")


def setup(app):
    app.connect("builder-inited", write_agreement)
