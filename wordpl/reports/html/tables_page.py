"""The page of a league or a tournament, which consists of plain tables."""

from collections.abc import Mapping, Sequence

from wordpl.reports.html.document import document
from wordpl.reports.html.markup import Content, element
from wordpl.reports.html.tables import plain
from wordpl.reports.plain_table import PlainTable


def tables_page(title: str, tables: Sequence[PlainTable], facts: Mapping[str, str] | None = None) -> str:
    """Return a page with a section for each table, and optional facts at its end."""
    sections: list[tuple[str, str, Content]] = [
        (f"table-{at}", table.title, plain(table)) for at, table in enumerate(tables, 1)
    ]
    if facts:
        listed = element("dl", [[element("dt", name), element("dd", value)] for name, value in facts.items()])
        sections.append(("facts", "Facts", listed))
    return document(title, sections)
