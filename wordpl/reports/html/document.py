"""The frame of every page: one file with its style, its script and its data, and a policy that allows nothing else."""

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files

from wordpl.reports.html.markup import Content, Markup, element, joined, text

SCRIPTS = (
    "data.js",
    "clues.js",
    "posterior.js",
    "dom.js",
    "tables.js",
    "curves.js",
    "games.js",
    "replay.js",
    "main.js",
)


@cache
def asset(name: str) -> str:
    """Return a file of the folder assets."""
    return (files("wordpl.reports.html") / "assets" / name).read_text(encoding="utf-8")


@cache
def script() -> str:
    """Return the page's script: the files of the folder assets in their order, in one scope of their own."""
    return "'use strict';(()=>{\n" + "\n".join(asset(name) for name in SCRIPTS) + "\n})();"


def section(name: str, title: str, *content: Content) -> Markup:
    """Return a section of a page with its heading, to which the navigation leads."""
    return element("section", element("h2", title), content, id=name)


def document(title: str, sections: Sequence[tuple[str, str, Content]], data: str = "", lead: Content = None) -> str:
    """Return the page.

    Args:
        title: Its title and heading.
        sections: The identifier, the heading and the content of each section.
        data: Games for the script, as `game_data.packed` gives them.
        lead: What comes below the heading.
    """
    shown = [(name, head, joined(content)) for name, head, content in sections]
    links = [element("a", head, href=f"#{name}") for name, head, content in shown if content]
    style = asset("style.css")
    policy = (
        f"default-src 'none'; script-src '{_digest(script())}'; style-src '{_digest(style)}'; base-uri 'none'; "
        "form-action 'none'"
    )
    body = [
        element("a", "Skip to the content", href="#content", class_="skip"),
        element("header", element("h1", title), lead),
        element("nav", links, aria_label="Sections"),
        element("main", [section(*one) for one in shown if one[2]], id="content"),
    ]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            '<head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{text(policy)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{text(title)}</title>",
            f"<style>{style}</style>",
            "</head>",
            f"<body>{joined(body)}",
            f'<script type="text/plain" id="data">{data}</script>' if data else "",
            f"<script>{script()}</script>",
            "</body></html>",
            "",
        ]
    )


def _digest(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"
