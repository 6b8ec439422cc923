from importlib.metadata import version as installed_version

project = "pwcstats"
author = "the pwcstats authors"
copyright = author
release = version = installed_version("pwcstats")

extensions = ["sphinx.ext.autodoc", "sphinx.ext.mathjax", "numpydoc"]
exclude_patterns = ["generated"]
autodoc_typehints = "none"  # numpydoc's Parameters section says it in words
numpydoc_show_class_members = False
html_theme = "alabaster"
html_theme_options = {"description": "Statistics of pairs, in Python and R"}
