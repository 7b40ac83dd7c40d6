"""Tables of plain cells, the same for the terminal, for Markdown and for spreadsheets."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wordpl.reports.names import in_csv, in_markdown, shown


@dataclass(frozen=True)
class PlainTable:
    """A table as text.

    title: what it is of; legend: how to read it, which is shown as it is
    heads: the columns'; rows: their cells; left: the heads of columns of words, where others are of numbers
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: frozenset[str] = frozenset()
    legend: str = ""


def show(table: PlainTable, console: Console) -> None:
    """Print the table with its title and its legend."""
    console.print(Text(shown(table.title, console.width), "bold"))
    drawn = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for head in table.heads:
        is_left = head in table.left
        drawn.add_column(Text(head), justify="left" if is_left else "right", overflow="fold", no_wrap=not is_left)
    for row in table.rows:
        drawn.add_row(*(Text(shown(cell)) for cell in row))
    console.print(drawn)
    console.print(Text(table.legend, "dim"))


def markdown(table: PlainTable, heading: str = "##") -> str:
    """Return the table with its title and its legend as a section of a Markdown page."""
    rule = ["---" if head in table.left else "--:" for head in table.heads]
    rows = [[in_markdown(cell) for cell in cells] for cells in (table.heads, *table.rows)]
    lines = [f"| {' | '.join(cells)} |" for cells in (rows[0], rule, *rows[1:])]
    return "\n\n".join([f"{heading} {in_markdown(table.title)}", "\n".join(lines), table.legend]) + "\n"


def semicolons(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a file for spreadsheets: semicolons between the cells, numbers in full, nothing for what is not known."""
    lines = [heads, *([_cell(value) for value in row] for row in rows)]
    return "".join(";".join(line) + "\n" for line in lines)


def _cell(value: object) -> str:
    if isinstance(value, str):
        text = in_csv(value)
        return '"' + text.replace('"', '""') + '"' if set(text) & set(';"\n') else text
    return "" if value != value else str(value)
