"""Tables of plain text, for the terminal, Markdown and spreadsheets."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wordpl.reports.names import in_csv, in_markdown, shown

GAP = 2
NARROWEST = 14
"""The minimum width of a text column on a narrow terminal; numbers are never wrapped."""


@dataclass(frozen=True)
class PlainTable:
    """A table of text.

    Attributes:
        title: The title.
        heads: The heads of the columns.
        rows: The values of each row.
        left: The heads of text columns, which are left-aligned; other columns contain numbers.
        legend: The text below the table.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: frozenset[str] = frozenset()
    legend: str = ""


def show(table: PlainTable, console: Console) -> None:
    """Print the table with its title and its legend; a table that is too wide is split into several tables."""
    console.print(Text(shown(table.title, console.width), "bold"))
    rows = [[shown(value) for value in row] for row in table.rows]
    min_widths = [_min_width(head, [row[i] for row in rows], head in table.left) for i, head in enumerate(table.heads)]
    full_widths = [max([len(head), *(len(row[i]) for row in rows)]) for i, head in enumerate(table.heads)]
    is_narrow = sum(wide + GAP for wide in full_widths) - GAP > console.width
    for columns in _side_by_side(table, min_widths, console.width):
        drawn = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0))
        text_widths = _text_widths(table, columns, min_widths, full_widths, console.width)
        for i in columns:
            is_left = table.heads[i] in table.left
            max_width = text_widths.get(i, min_widths[i]) if is_narrow else None
            drawn.add_column(
                Text(table.heads[i]),
                justify="left" if is_left else "right",
                overflow="fold",
                min_width=min_widths[i],
                max_width=max_width,
            )
        for row in rows:
            drawn.add_row(*(Text(row[i]) for i in columns))
        console.print(drawn)
    console.print(Text(table.legend, "dim"))


def _min_width(head: str, values: Sequence[str], is_left: bool) -> int:
    """Return the minimum width of a column, in which numbers and the words of its head are not broken."""
    longest = max(map(len, values), default=0)
    return max([min(longest, NARROWEST) if is_left else longest, *map(len, head.split())])


def _text_widths(
    table: PlainTable, columns: Sequence[int], min_widths: Sequence[int], full_widths: Sequence[int], width: int
) -> dict[int, int]:
    """Return the width of each text column: what the numbers leave, so that rich never has to cut a number."""
    room = width - sum(min_widths[i] + GAP for i in columns) + GAP
    widths = {}
    for i in columns:
        if table.heads[i] in table.left:
            widths[i] = min_widths[i] + max(0, min(room, full_widths[i] - min_widths[i]))
            room -= widths[i] - min_widths[i]
    return widths


def _side_by_side(table: PlainTable, min_widths: Sequence[int], width: int) -> list[list[int]]:
    """Return the columns of each part of the table; each part repeats the first columns, which identify the row."""
    n_first = next((i + 1 for i, head in enumerate(table.heads) if head in table.left), 0)
    first = list(range(n_first))
    parts = [first]
    for i in range(n_first, len(table.heads)):
        if len(parts[-1]) > n_first and sum(min_widths[j] + GAP for j in (*parts[-1], i)) - GAP > width:
            parts.append(first)
        parts[-1] = [*parts[-1], i]
    return parts


def markdown(table: PlainTable, heading: str = "##") -> str:
    """Return the table with its title and its legend as a Markdown section."""
    rule = ["---" if head in table.left else "--:" for head in table.heads]
    rows = [[in_markdown(value) for value in values] for values in (table.heads, *table.rows)]
    lines = [f"| {' | '.join(values)} |" for values in (rows[0], rule, *rows[1:])]
    return "\n\n".join([f"{heading} {in_markdown(table.title)}", "\n".join(lines), table.legend]) + "\n"


def semicolons(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a CSV file with semicolons, all digits of numbers, and empty fields for unknown values."""
    lines = [heads, *([_shown(value) for value in row] for row in rows)]
    return "".join(";".join(line) + "\n" for line in lines)


def _shown(value: object) -> str:
    if isinstance(value, str):
        text = in_csv(value)
        return '"' + text.replace('"', '""') + '"' if set(text) & set(';"\n') else text
    return "" if value != value else str(value)
