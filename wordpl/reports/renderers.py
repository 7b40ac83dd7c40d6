"""Renders sections as text: in a terminal of any width, as Markdown, and as blocks for the widgets of the app."""

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Literal
from urllib.parse import quote

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from wordpl.reports import elements
from wordpl.reports.names import in_markdown, shown

GAP = 2
MARK, NO_MARK = f" {elements.STAR}", "  "
NARROWEST, WIDEST_PIECE = 14, 24
"""The minimum width of a text column on a narrow terminal, and the longest piece of a text that widens it."""
PIECE = re.compile(r"[^\s(]+\(*|\s+|\(+")
"""The pieces of a text between which a line may break: names of entries break between their arguments."""
WIDEST_NAME = 44
BAR_WIDTHS = (10, 24)
"""The minimum and maximum width of the drawing of an estimate, which gets the room that is left."""
NARROW = 60
"""Below this width, sentences go on below the start of the line above, not below its text."""
MAX_UNDECIDED = 3
PLAIN = str.maketrans(
    {"∞": "inf", "–": "-", "−": "-", "…": "~", "·": ";", "×": "x", "★": "*", "●": "o", "├": "|", "┤": "|", "─": "-",
     "▲": "+", "▼": "-", "⏎": ";", "ε": "e", **dict(zip("▁▂▃▄▅▆▇█", "12345678", strict=True))}
)  # fmt: skip
"""Replacements of characters for terminals that only support ASCII."""


Legend = Literal["none", "short", "whole"]


def show(
    sections: Sequence[elements.Section], console: Console, full: bool = False, legend: Legend | None = None
) -> None:
    """Print the sections of a report.

    Args:
        sections: The sections.
        console: The console.
        full: Show all sections and columns, with intervals; otherwise the boards, with one line for each entry.
        legend: How much is said about the meaning of columns and marks, by default all with `full`.
    """
    legend = legend or ("whole" if full else "short")
    for section in sections:
        if section.level > elements.Detail.BOARD and not full:
            continue
        if section.title and full:
            console.print(_text(section.title.upper(), "bold", console))
        for part in section.parts:
            if isinstance(part, elements.Note) and part.role == "legend":
                if legend == "none":
                    continue
                show_part(part, console, full=legend == "whole")
            else:
                show_part(part, console, full)


def show_part(part: elements.Part, console: Console, full: bool = True) -> None:
    """Print a part of a report and an empty line."""
    match part:
        case elements.Table():
            show_table(part if full else part.at(elements.Detail.BOARD), console, is_short=part.lines and not full)
        case elements.Verdicts():
            console.print(_verdicts(part, console))
        case elements.Note():
            if part.title:
                console.print(_text(part.title, "bold", console))
            style = {"finding": "bold", "legend": "dim"}.get(part.role, "")
            text = (" " if part.role == "legend" else "\n").join(shown(line, 10_000) for line in part.sentences)
            console.print(_text(part.short if part.short and not full else text, style, console))
        case elements.Curve() | elements.Scatter() | elements.Matrix():
            show_table(part.table, console)
        case elements.Facts():
            lines = [f"{name}: {value}" for name, value in part.facts.items()]
            console.print(_text("\n".join(shown(line, 1000) for line in lines), "", console))
        case elements.GameList():
            console.print(
                _text(f"{part.title}; `wordpl report` writes a page on which each can be replayed.", "", console)
            )
    console.print()


def _text(text: str, style: str, console: Console) -> Text:
    return Text(_plain(text, console), style)


def _plain(text: str, console: Console) -> str:
    """Return the text with replacements for what the console cannot show."""
    if console.encoding.lower().startswith("utf"):
        return text
    return text.translate(PLAIN).encode("ascii", "replace").decode()


def _verdicts(verdicts: elements.Verdicts, console: Console) -> Text:
    """Return the title, then a line for each score: who is the best, or between whom that is open."""
    width = max((len(verdict.head) for verdict in verdicts.rows), default=0)
    text = _text(shown(verdicts.title, console.width), "bold", console)
    for verdict in verdicts.rows:
        head = f"best {verdict.head:<{width}}  "
        indent = " " * (len(head) if console.width >= NARROW else 2)
        first, *further = textwrap.wrap(
            head + sentence(verdict).replace(" %", "\u00a0%"), console.width, subsequent_indent=indent,
            break_long_words=False, break_on_hyphens=False, drop_whitespace=True,
        )  # fmt: skip
        style = "bold green" if verdict.is_decided else ""
        text.append("\n").append(_text(head, "dim", console)).append(_text(first[len(head) :], style, console))
        for line in further:
            text.append("\n").append(_text(line, style, console))
    return text


def sentence(verdict: elements.LeadVerdict) -> str:
    """Return a verdict in words."""

    def chance(value: float) -> str:
        return "" if value != value else f" {elements.whole_percent(value)}"

    if verdict.nobody:
        return verdict.nobody
    if verdict.is_decided:
        return f"{verdict.leader.short} at {verdict.value.text},{chance(verdict.sure)} sure"
    pairs = [(entry, value.ranks.p_best if value.ranks else float("nan")) for entry, value in verdict.undecided]
    is_likely, most = verdict.certainty == "likely", MAX_UNDECIDED - 1
    names = [f"{entry.short}{chance(p)}" for entry, p in pairs[:most]]
    more = f" and {len(pairs) - most} more" if len(pairs) > most else ""
    reason = verdict.why or (verdict.value.undecided if isnan(verdict.value.other) else "")
    doubt = f" ({reason})" if reason else ""
    if not is_likely:
        needed = f"; {verdict.more.text}" if verdict.more else ""
        return f"open: {', '.join([f'{verdict.leader.short}{chance(verdict.sure)}', *names])}{more}{doubt}{needed}"
    at = f" at {verdict.value.text}" if not verdict.value.undecided or not isnan(verdict.value.other) else ""
    rest = f"; not ruled out: {', '.join(names)}{more}" if names else ""
    return f"{verdict.leader.short}{at}, likely,{chance(verdict.sure)}{doubt}{rest}"


@dataclass(frozen=True)
class _Drawn:
    """A column as text.

    Attributes:
        column: The column.
        head: The heading.
        lines: The lines of each value; all lines of a value that is not of a text column must stay whole.
        styles: The style of the first line of each value.
        min_width: The width below which a number or a word of the heading would break.
        max_width: The width that shows all values in one line.
    """

    column: elements.Column
    head: str
    lines: list[list[str]]
    styles: list[str]
    min_width: int
    max_width: int


def show_table(table: elements.Table, console: Console, is_short: bool = False) -> None:
    """Print a table with its title and its legend; a table that is too wide is split into several tables.

    Args:
        table: The table.
        console: The console.
        is_short: Leave out the title and the details of values, so that each row has one line.
    """
    if not is_short:
        console.print(_text(shown(table.title, console.width), "bold", console))
    drawn = [
        _drawn(column, [row[index] for row in table.cells], is_short, console)
        for index, column in enumerate(table.columns)
    ]
    for columns in _side_by_side(drawn, console.width):
        console.print(_rich_table(columns, table, console, is_short))
    for line in table.legend.splitlines():
        is_command = line.startswith("wordpl ")  # to be copied in one piece
        console.print(_text(line, "" if is_command else "dim", console), soft_wrap=is_command)


def _drawn(column: elements.Column, cells: Sequence[elements.Cell], is_short: bool, console: Console) -> _Drawn:
    has_marks = any(value.is_marked for value in cells)
    lines = []
    for value in cells:
        first = value.short if is_short and isinstance(value, elements.Entry) else value.text
        first = f"{first}{MARK if value.is_marked else NO_MARK}" if has_marks and not column.is_text else first
        shown_lines = [first, *(line for line in (() if is_short else value.details) if line)]
        lines.append([_plain(line, console) for line in shown_lines])  # before they are measured
    longest = max((cell_len(line) for value in lines for line in value), default=0)
    words = [column.head] if column.head.startswith(" ") else column.head.split()
    pieces = [len(piece) for value in lines for line in value for piece in PIECE.findall(line)]
    needed = min(longest, max([NARROWEST, *(n for n in pieces if n <= WIDEST_PIECE)])) if column.is_text else longest
    min_width = max([needed, *map(len, words)])
    styles = ["bold green" if value.is_marked else "" for value in cells]
    head = f"{column.head}{NO_MARK}" if has_marks and len(column.head) + len(NO_MARK) <= min_width else column.head
    return _Drawn(column, head, lines, styles, min_width, max(longest, len(column.head)))


def _side_by_side(drawn: Sequence[_Drawn], width: int) -> list[list[_Drawn]]:
    """Return the columns of each part of the table.

    Each part repeats the first columns, which identify the row, or only the name where there is no room for more.
    """

    def needed(columns: Sequence[_Drawn]) -> int:
        return sum(one.min_width + GAP for one in columns) - GAP

    n_first = next((index + 1 for index, one in enumerate(drawn) if one.column.kind == "name"), 0)
    parts = [list(drawn[:n_first])]
    n_repeated = n_first
    for one in drawn[n_first:]:
        if len(parts[-1]) > n_repeated and needed([*parts[-1], one]) > width:
            parts.append(list(drawn[:n_first]))
            n_repeated = n_first
        while n_repeated > 1 and len(parts[-1]) == n_repeated and needed([*parts[-1], one]) > width:
            del parts[-1][0]
            n_repeated -= 1
        parts[-1].append(one)
    return parts


def _rich_table(columns: Sequence[_Drawn], table: elements.Table, console: Console, is_short: bool) -> RichTable:
    rich_table = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0))
    if is_short:
        rich_table.box = None
    widths = _widths(columns, console.width)
    room = console.width - sum(widths) - GAP * len(widths)
    bar = next((one for one in columns if one.column.scale), None) if is_short and room >= BAR_WIDTHS[0] else None
    bar_width = min(room, BAR_WIDTHS[1])
    for one, width in zip(columns, widths, strict=True):
        head = one.head if one.column.is_text else one.head.rjust(width)
        rich_table.add_column(_text(head, "", console), overflow="fold", width=width)
    index = -1 if bar is None else next(i for i, column in enumerate(table.columns) if column is bar.column)
    if bar is not None:
        rich_table.add_column(_text(_axis(bar_width), "dim", console), no_wrap=True)
    for row, cells in enumerate(table.cells):
        texts = [_padded(one, row, width, console) for one, width in zip(columns, widths, strict=True)]
        if bar is not None:
            value = cells[index]
            drawing = (
                elements.interval_bar(value, bar.column.scale or (0, 1), bar_width)
                if isinstance(value, elements.EstimateCell)
                else ""
            )
            texts.append(_text(drawing, "dim", console))
        rich_table.add_row(*texts)
    return rich_table


def _axis(width: int) -> str:
    """Return an axis from 0 to 100%, with its middle where there is room for it.

    >>> _axis(12), _axis(17)
    ('0───────100%', '0──────50────100%')
    """
    middle = width // 2 - 1
    if width < 14:
        return f"0{'─' * (width - 5)}100%"
    return f"0{'─' * (middle - 1)}50{'─' * (width - middle - 6)}100%"


def _widths(columns: Sequence[_Drawn], width: int) -> list[int]:
    """Return the widths of the columns: text columns get what the numbers leave."""
    widths = [one.min_width for one in columns]
    room = width - sum(widths) - GAP * (len(widths) - 1)
    for index, one in enumerate(columns):
        most = min(one.max_width, WIDEST_NAME) if one.column.kind == "name" and len(columns) > 2 else one.max_width
        added = min(max(0, room), max(0, most - one.min_width))
        widths[index] += added
        room -= added
    return widths


def _padded(one: _Drawn, row: int, width: int, console: Console) -> Text:
    """Return a value with padded lines, since rich removes the spaces that align the digits of a column."""
    first, *further = one.lines[row]
    is_text = one.column.is_text
    text = _text(_wrapped(first, width) if is_text else _right(first, width), one.styles[row], console)
    for line in further:
        text.append("\n").append(_text(_wrapped(line, width) if is_text else _right(line, width), "dim", console))
    return text


def _right(text: str, width: int) -> str:
    """Return the text aligned to the right in a column of this width; signs may be two columns wide."""
    return " " * (width - cell_len(text)) + text


def _wrapped(text: str, width: int) -> str:
    """Return the text with line breaks between its pieces."""
    lines = [""]
    for piece in PIECE.findall(text):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append(piece.lstrip())
        else:
            lines[-1] += piece
    return "\n".join(lines)


REMARK_CHARACTERS = 1000
SAFE = "/:%?=&#@+,;"
"""Characters of addresses that are no markup."""
VERDICT_HEADS = ("score", "best", "value", "95% interval", "P(best)", "not shown to be worse")
VERDICT_TEXTS = frozenset({"score", "best", "P(best)", "not shown to be worse"})


def markdown_page(
    title: str, sections: Sequence[elements.Section], level: elements.Detail = elements.Detail.FULL
) -> str:
    """Return a page with the sections up to this level."""
    shown = [section for section in sections if section.level <= level]
    return "\n\n".join([f"# {in_markdown(title)}", *map(markdown_section, shown)]) + "\n"


def markdown_section(section: elements.Section) -> str:
    """Return a section with its heading; a section without one has parts that begin with their own."""
    parts = [text for part in section.parts if (text := markdown_part(part, "###" if section.title else "##"))]
    return "\n\n".join([f"## {in_markdown(section.title)}", *parts] if section.title else parts)


def markdown_part(part: elements.Part, heading: str = "##") -> str:
    """Return a part; tables, curves and matrices have a heading."""
    match part:
        case elements.Table() if any(column.level > elements.Detail.FULL for column in part.columns):
            return markdown_part(part.at(elements.Detail.FULL), heading)
        case elements.Verdicts():
            title = f"{heading} {in_markdown(part.title)}"
            table = elements.text_table("", VERDICT_HEADS, [_verdict(row) for row in part.rows], VERDICT_TEXTS)
            return "\n\n".join([title, *([markdown_rows(table)] if part.rows else [])])
        case elements.Table():
            title = "" if part.lines and heading == "##" else f"{heading} {in_markdown(part.title)}"
            return "\n\n".join(filter(None, [title, markdown_rows(part), in_markdown(part.legend, 2000)]))
        case elements.Curve() | elements.Scatter() | elements.Matrix():
            return markdown_part(part.table, heading)
        case elements.Note():
            if part.role == "legend":
                return " ".join(in_markdown(sentence, REMARK_CHARACTERS) for sentence in part.sentences)
            lines = "\n".join(f"- {in_markdown(sentence, REMARK_CHARACTERS)}" for sentence in part.sentences)
            return f"**{in_markdown(part.title, begins_line=False)}**\n\n{lines}" if part.title else lines
        case elements.Facts():
            return markdown_facts(part.facts)
        case elements.GameList():
            return ""


def markdown_table(shown: elements.Table, heading: str = "##") -> str:
    """Return a table with its title and its legend as a section."""
    return f"{markdown_part(shown, heading)}\n"


def markdown_facts(named: Mapping[str, str]) -> str:
    """Return named facts as a list."""
    return "\n".join(
        f"- {in_markdown(name)}: {in_markdown(str(value), REMARK_CHARACTERS, begins_line=False)}"
        for name, value in named.items()
    )


def markdown_rows(shown: elements.Table) -> str:
    """Return the rows of a table under its headings."""
    heads = [" · ".join(head.split()) + " (%)" if head.startswith(" ") else head for head in shown.heads]
    rule = ["---" if column.is_text else "--:" for column in shown.columns]
    rows = [[_cell_in_markdown(value) for value in row] for row in shown.cells]
    escaped = [in_markdown(head, REMARK_CHARACTERS) for head in heads]
    return "\n".join(f"| {' | '.join(values)} |" for values in (escaped, rule, *rows))


def _cell_in_markdown(value: elements.Cell) -> str:
    text = in_markdown(value.plain, REMARK_CHARACTERS, begins_line=False)
    return f"[{text}]({quote(value.link, SAFE)})" if isinstance(value, elements.Text) and value.link else text


def _verdict(verdict: elements.LeadVerdict) -> list[elements.Value]:
    others = elements.Text(
        (", ".join(entry.short for entry, _ in verdict.undecided) or "–")
        + (f"; {verdict.more.text}" if verdict.more and verdict.certainty == "open" else ""),
        max_length=REMARK_CHARACTERS,
    )
    head = f"{verdict.head} · {verdict.meaning}" if verdict.meaning != verdict.head else verdict.head
    value, sure = verdict.value, elements.whole_percent(verdict.sure)
    if verdict.nobody:
        return [head, "–", value.text, value.interval or "–", "–", verdict.nobody]
    return [head, verdict.leader.text, value.text, value.interval or "–", sure, others]
