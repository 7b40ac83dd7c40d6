"""Sphinx configuration: `python -m sphinx -W --keep-going docs build/docs` builds the site into build/docs."""

import sys
from importlib import metadata
from pathlib import Path

project = "wordpl"
author = "the wordpl authors"
copyright = f"2026, {author}"
release = version = metadata.version("wordpl")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click", "sphinx_design"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header", "docutils"]  # sphinx-click gives an option of several commands one target each time
autodoc_typehints = "description"
autodoc_member_order = "bysource"
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = "wordpl"
html_static_path: list[str] = []
exclude_patterns = ["_build"]
linkcheck_ignore = [r"http://localhost.*"]


def setup(app):
    """Append the table of all options to its page."""
    sys.path.insert(0, str(Path(__file__).parent))
    import list_options

    def append_options(_app, page, source):
        if page == "reference/options":
            source[0] += f"\n{list_options.table()}"

    app.connect("source-read", append_options)
