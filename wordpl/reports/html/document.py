"""The document of every page: one file with its style, script and data, and a strict content security policy.

A page of plain tables, such as that of a league or a tournament, is a document with a section for each table.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically
from wordpl.reports.html.markup import Content, Markup, element, joined, text
from wordpl.reports.html.tables import plain
from wordpl.reports.plain_table import PlainTable

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
    """Return the text of a file in the folder assets."""
    return (files("wordpl.reports.html") / "assets" / name).read_text(encoding="utf-8")


@cache
def script() -> str:
    """Return the page's script: the SCRIPTS of the folder assets in one function scope."""
    return "'use strict';(()=>{\n" + "\n".join(asset(name) for name in SCRIPTS) + "\n})();"


def section(name: str, title: str, *content: Content) -> Markup:
    """Return a section of a page with its heading and the id for the navigation."""
    return element("section", element("h2", title), content, id=name)


def document(title: str, sections: Sequence[tuple[str, str, Content]], data: str = "", lead: Content = None) -> str:
    """Return the page.

    Args:
        title: The title and heading.
        sections: The id, the heading and the content of each section; sections without content are left out.
        data: The games for the script, from `game_data.packed`.
        lead: The content below the heading.
    """
    contents = [(name, head, joined(content)) for name, head, content in sections]
    links = [element("a", head, href=f"#{name}") for name, head, content in contents if content]
    style = asset("style.css")
    policy = (
        f"default-src 'none'; script-src '{_digest(script())}'; style-src '{_digest(style)}'; base-uri 'none'; "
        "form-action 'none'"
    )
    body = [
        element("a", "Skip to the content", href="#content", class_="skip"),
        element("header", element("h1", title), lead),
        element("nav", links, aria_label="Sections"),
        element("main", [section(*part) for part in contents if part[2]], id="content"),
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


def write_page(path: Path, page: str) -> None:
    """Write a page to a file chosen by the user.

    Raises:
        UserError: The file cannot be written.
    """
    try:
        write_atomically(path, page.encode())
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}.") from None


def _digest(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"


def tables_page(title: str, tables: Sequence[PlainTable], facts: Mapping[str, str] | None = None) -> str:
    """Return a page with a section for each table, and optional facts at its end."""
    sections: list[tuple[str, str, Content]] = [
        (f"table-{number}", table.title, plain(table)) for number, table in enumerate(tables, 1)
    ]
    if facts:
        fact_list = element("dl", [[element("dt", name), element("dd", value)] for name, value in facts.items()])
        sections.append(("facts", "Facts", fact_list))
    return document(title, sections)
