import sys
from importlib.metadata import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

about = metadata("pwcstats")
project = "pwcstats"
author = "the pwcstats authors"
copyright = author
release = version = about["Version"]

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "listing",
    "mathml",
    "performance",
    "pictures",
]
exclude_patterns = ["generated", "**.ipynb"]
# R's learners are documented without R.
autodoc_mock_imports = ["rpy2"]
autodoc_typehints = "none"  # numpydoc's Parameters section says it in words
numpydoc_show_class_members = False
toc_object_entries_show_parents = "hide"
nitpicky = False

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

# Copy what one types, without prompts and output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
copybutton_line_continuation_character = "\\"
copybutton_selector = "div:not(.output) > div.highlight > pre"

html_theme = "pydata_sphinx_theme"
html_title = "pwcstats"
html_theme_options = {
    "logo": {"text": "pwcstats"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "navbar_end": ["theme-switcher", "navbar-icon-links"],
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "search_bar_text": "Search guides, tutorials, Python and R",
}
html_context = {"default_mode": "auto"}
# These pages have no others below them, so they need no list of pages on the left.
html_sidebars = {
    name: [] for name in ("index", "changelog", "cite", "coming-from", "contributing", "faq", "gallery", "glossary")
}
html_static_path = ["_static"]
html_css_files = ["pwcstats.css"]
html_favicon = "_static/logo.svg"
html_math_renderer = "mathml"
html_domain_indices = False
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
