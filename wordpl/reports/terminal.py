"""Prints boards as tables that fit the width of the terminal."""

from collections.abc import Iterator, Sequence

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wordpl.reports.board import Board
from wordpl.reports.columns import Column, columns, difference_columns
from wordpl.reports.legend import differences_legend, differences_title, excess_sentences, legend, title
from wordpl.reports.markdown import places
from wordpl.reports.names import shown

NAME_WIDTHS = (28, 20)
"""The minimum widths of the strategies' names; the second is used if it needs fewer tables."""
WIDEST_NAME = 44
GAP = 2
PLAIN = str.maketrans({"∞": "inf", "–": "-", "…": "~", "·": ";", **dict(zip("▁▂▃▄▅▆▇█", "12345678", strict=True))})
"""Replacements of characters for terminals that only support ASCII."""


def show(boards: Sequence[Board], console: Console, wide: bool = False) -> None:
    """Print each board with a row for each entry, and below each score its 95% interval and its rank interval.

    Columns that do not fit follow in further tables.

    Args:
        boards: The boards of a run.
        console: The console.
        wide: Also show the counted share of games won, and the shares of lost games by kind.
    """
    for board in boards:
        console.print(_text(title(board), "bold", console))
        _print_tables(_tables(columns(board, wide), list(board.table["strategy"]), places(board), console), console)
        console.print(_text(legend(board), "dim", console))
        for sentence in excess_sentences(board):
            console.print(_text(sentence, "bold", console))
        console.print()


def show_against(differences: pd.DataFrame, entry: str, console: Console) -> None:
    """Print the comparison of `entry` with the others, which is the result of `compare.against`."""
    if differences.empty:
        return
    console.print(_text(differences_title(differences, entry), "bold", console))
    _print_tables(_tables(difference_columns(differences), list(differences.index), [], console), console)
    console.print(_text(differences_legend(differences), "dim", console))
    console.print()


def _print_tables(tables: Iterator[Table], console: Console) -> None:
    for table in tables:
        console.print(table)
        console.print()


def _text(text: str, style: str, console: Console) -> Text:
    if not console.encoding.lower().startswith("utf"):
        text = text.translate(PLAIN).encode("ascii", "replace").decode()
    return Text(text, style)


def _tables(content: list[Column], names: list[str], places: list[str], console: Console) -> Iterator[Table]:
    """Yield the tables that show all columns, each with the names of the entries."""
    names = [shown(name) for name in names]
    room = console.width - (max(map(len, places)) + GAP if places else 0)
    choices = {min(width, max(map(len, names))) for width in NAME_WIDTHS}
    fits = {width: _groups(content, room - width) for width in sorted(choices, reverse=True)}
    narrowest = min(fits, key=lambda width: len(fits[width]))
    for group in fits[narrowest]:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0))
        if places:
            table.add_column("#", justify="right", no_wrap=True)
        table.add_column("strategy", overflow="fold", min_width=narrowest, max_width=WIDEST_NAME)
        for column in group:
            table.add_column(_text(column.head.rjust(_width(column)), "", console), no_wrap=True)
        for row, name in enumerate(names):
            start = [_text(places[row], "", console)] if places else []
            table.add_row(*start, _text(name, "", console), *(_shown(column, row, console) for column in group))
        yield table


def _groups(content: list[Column], room: int) -> list[list[Column]]:
    """Return the columns in as few groups as possible, each at most `room` characters wide."""
    groups: list[list[Column]] = [[]]
    room_left = room
    for column in content:
        needed = _width(column) + GAP
        if groups[-1] and needed > room_left:
            groups.append([])
            room_left = room
        groups[-1].append(column)
        room_left -= needed
    return groups


def _width(column: Column) -> int:
    return max(
        len(column.head), *(len(line) for value in column.values for line in _lines(column, value.lines, value.mark))
    )


def _lines(column: Column, lines: tuple[str, ...], mark: str) -> list[str]:
    """Return the lines of a value, with its mark, or the space for one, after the number."""
    has_marks = any(value.mark for value in column.values)
    return [f"{lines[0]} {mark or ' '}" if has_marks else lines[0], *lines[1:]]


def _shown(column: Column, row: int, console: Console) -> Text:
    """Return the value with padded lines, since rich removes the spaces that align the digits of a column."""
    value = column.values[row]
    width = _width(column)
    first, *further_lines = _lines(column, value.lines, value.mark)
    align = str.ljust if column.kind == "text" else str.rjust
    text = Text().append(_text(align(first, width), "bold green" if value.mark == "*" else "", console))
    for line in further_lines:
        text.append("\n").append(_text(align(line, width), "" if column.kind == "text" else "dim", console))
    return text
