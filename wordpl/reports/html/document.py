"""The document of every page: one file with its style, script and data, and a strict content security policy."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from wordpl.core import paths
from wordpl.core.files import write_atomically
from wordpl.core.messages import UserError
from wordpl.reports.html.parts import Content, Markup, element, html_curve, html_matrix, html_table, joined, text
from wordpl.reports.renderers import sentence
from wordpl.reports.section import Curve, Facts, GameList, Matrix, Note, Part, Section, Table, Verdicts

SCRIPTS = (
    "data.js",
    "clues.js",
    "posterior.js",
    "dom.js",
    "tables.js",
    "tabs.js",
    "curves.js",
    "games.js",
    "play.js",
    "replay.js",
    "main.js",
)


@dataclass(frozen=True)
class PageSection:
    """A section of a page.

    Attributes:
        name: Its id.
        head: Its heading; "" for none.
        content: Its content; without content, the section is left out.
        link: What the navigation calls it; "" to leave it out there.
        is_folded: Whether it opens on request.
    """

    name: str
    head: str
    content: Content
    link: str = ""
    is_folded: bool = False

    def folded(self) -> "PageSection":
        """Return the section, to be opened on request."""
        return replace(self, is_folded=True, link="")

    def after(self, content: Content) -> "PageSection":
        """Return the section with more content at its start."""
        return replace(self, content=[content, self.content])

    def html(self) -> Markup:
        """Return the section as an element."""
        if self.is_folded:
            return element("section", element("details", element("summary", element("h2", self.head)), self.content),
                           id=self.name, class_="folded")  # fmt: skip
        return element("section", element("h2", self.head) if self.head else None, self.content, id=self.name)


def part_html(part: Part) -> Content:
    """Return a part of a report; games are a place for the script, which shows them."""
    match part:
        case Table():
            return html_table(part)
        case Matrix():
            return html_matrix(part)
        case Curve():
            return html_curve(part)
        case Verdicts():
            lines = [element("li", element("b", row.head), f" {sentence(row)}") for row in part.rows]
            return [element("h3", part.title), element("ul", lines, class_="verdicts") if lines else None]
        case Facts():
            return fact_list(part.facts)
        case Note():
            head = element("h3", part.title) if part.title else None
            match part.role:
                case "commands":
                    return [head, element("pre", Markup("\n".join(map(joined, part.sentences))), tabindex=0)]
                case "legend":
                    return [head, element("p", " ".join(part.sentences), class_="note")]
                case "finding":
                    return [head, [element("p", sentence, class_="finding") for sentence in part.sentences]]
            return [head, element("ul", [element("li", sentence) for sentence in part.sentences])]
        case GameList():
            return [
                element("noscript", element("p", "Replaying games needs JavaScript.")),
                element("div", "", id="replay"),
                element("details", element("summary", "All games"), element("div", "", id="browser"), class_="script"),
            ]  # fmt: skip


def fact_list(facts: Mapping[str, str]) -> Markup:
    """Return named facts as a list."""
    return element("dl", [[element("dt", name), element("dd", str(value))] for name, value in facts.items()])


def section_html(section: Section, suffix: str = "", of: str = "") -> PageSection:
    """Return a section of a report as one of a page."""
    content = joined([part_html(part) for part in section.parts])
    title = section.title or section.name.capitalize()
    return PageSection(f"{section.name}{suffix}", f"{title}{of}", content, title)


def asset(name: str) -> str:
    """Return the text of a file in the folder assets."""
    return paths.asset_texts("reports/html/assets")[name]


@cache
def script() -> str:
    """Return the page's script: the SCRIPTS of the folder assets in one function scope."""
    return "'use strict';(()=>{\n" + "\n".join(asset(name) for name in SCRIPTS) + "\n})();"


def document(
    title: str, sections: Sequence[PageSection], data: str = "", lead: Content = None, heading: str = ""
) -> str:
    """Return the page.

    Args:
        title: The title.
        sections: The sections; those without content are left out, and folded ones come under a heading of their own.
        data: The games for the script, from `page_data.packed`.
        lead: The content below the heading.
        heading: The heading; "" for the title.
    """
    shown = [replace(one, content=joined(one.content)) for one in sections]
    shown = [one for one in shown if one.content]
    folded = [one.html() for one in shown if one.is_folded]
    links = [element("a", one.link, href=f"#{one.name}") for one in shown if one.link]
    if folded:
        links.append(element("a", "Details", href="#details"))
    style = asset("style.css")
    policy = (
        f"default-src 'none'; script-src '{_digest(script())}'; style-src '{_digest(style)}'; base-uri 'none'; "
        "form-action 'none'"
    )
    body = [
        element("a", "Skip to the content", href="#content", class_="skip"),
        element("header", element("h1", heading or title), lead),
        element("nav", links, aria_label="Sections") if len(links) > 1 else None,
        element("main", [one.html() for one in shown if not one.is_folded],
                element("div", element("h2", "Details"), folded, id="details") if folded else None,
                id="content", tabindex=-1),
    ]  # fmt: skip
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


def tables_page(title: str, tables: Sequence[Table], facts: Mapping[str, str] | None = None) -> str:
    """Return a page with a section for each table, and optional facts at its end."""
    sections = [
        PageSection(f"table-{number}", table.title, html_table(table), table.title)
        for number, table in enumerate(tables, 1)
    ]
    if facts:
        sections.append(PageSection("facts", "Facts", fact_list(facts), "Facts"))
    return document(title, sections)


def notebook_html(parts: Sequence[Part]) -> str:
    """Return parts of a report for a notebook, with their own style."""
    content = element("div", [part_html(part) for part in parts], class_="wordpl")
    return f"<style>{asset('notebook.css')}</style>{content}"
