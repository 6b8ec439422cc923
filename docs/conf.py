import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "pwcstats"
author = "the pwcstats authors"
copyright = author
release = version = installed_version("pwcstats")

extensions = ["sphinx.ext.autodoc", "numpydoc", "listing", "mathml", "pictures"]
exclude_patterns = ["generated"]
# R's learners are documented without R.
autodoc_mock_imports = ["rpy2"]
autodoc_typehints = "none"  # numpydoc's Parameters section says it in words
numpydoc_show_class_members = False
toc_object_entries_show_parents = "hide"

html_theme = "alabaster"
html_theme_options = {
    "description": "Statistics of pairs, in Python and R",
    "page_width": "1120px",
    "show_powered_by": False,
}
html_sidebars = {"**": ["about.html", "searchfield.html", "navigation.html"]}
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["pwcstats.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
pygments_style = "tango"
