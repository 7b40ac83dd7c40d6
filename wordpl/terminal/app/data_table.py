"""Tables of texts as widgets, whose columns are as wide as their values."""

from collections.abc import Sequence
from typing import Any

from rich.text import Text
from textual.widget import Widget
from textual.widgets import DataTable, Static

from wordpl.core.messages import sanitize_untrusted_text

MAX_CHARACTERS = 10_000


def block_widgets(block: dict[str, Any]) -> list[Widget]:
    """Return the widgets of a block of `reports.blocks`."""
    if "rows" not in block:
        lines = [block["heading"]] if "heading" in block else block["lines"]
        text = sanitize_untrusted_text("\n".join(["", *lines]), MAX_CHARACTERS, keep="\n")
        return [Static(Text(text, "bold" if "heading" in block else ""))]
    table: DataTable[Text] = DataTable(cursor_type="row", classes="report")
    rows = [[_cell(text, right) for text, right in zip(row, block["right"], strict=True)] for row in block["rows"]]
    fill(table, block["heads"], [(None, row) for row in rows])
    return [Static(Text(f"\n{block['title']}", "bold")), table]


def _cell(text: str, right: bool) -> Text:
    return Text(sanitize_untrusted_text(text, MAX_CHARACTERS), justify="right" if right else "left")


def fill(table: "DataTable[Text]", heads: Sequence[str], rows: Sequence[tuple[str | None, Sequence[Text]]]) -> None:
    """Replace the contents of a table.

    The widths of columns are set: a table that measures its values itself does so later, and cuts them until then.

    Args:
        table: The table.
        heads: The headings.
        rows: The key and the values of each row.
    """
    table.clear(columns=True)
    for index, head in enumerate(heads):
        table.add_column(head, width=max([len(head), *(values[index].cell_len for _, values in rows)]))
    for key, values in rows:
        table.add_row(*values, key=key)
