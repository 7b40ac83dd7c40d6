"""Sections as blocks of texts and numbers, which another process can show in widgets: those of the app."""

from collections.abc import Sequence
from typing import Any

from wordpl.reports.section import Curve, Facts, Games, Level, Matrix, Note, Part, Section, Table, Verdicts
from wordpl.reports.terminal import matrix_table, sentence

Block = dict[str, Any]
"""A heading, {"heading": text}; lines, {"lines": [...]}; or a table, with `title`, `heads`, `right` (whether a column
is right-aligned) and `rows`."""


def blocks(sections: Sequence[Section]) -> list[Block]:
    """Return the blocks of these sections."""
    found: list[Block] = []
    for section in sections:
        shown = [block for part in section.parts for block in _of_part(part)]
        if shown:
            found += [{"heading": section.title}] if section.title else []
            found += shown
    return found


def _of_part(part: Part) -> list[Block]:
    match part:
        case Table():
            short = part.at(Level.BOARD) if part.lines else part
            rows = [[_text(value, part.lines) for value in row] for row in short.cells]
            right = [not column.is_text for column in short.columns]
            table = {"title": part.title, "heads": [head.strip() for head in short.heads], "right": right, "rows": rows}
            return [table, *_lines([part.legend])]
        case Curve():
            return _of_part(part.table)
        case Matrix():
            return _of_part(matrix_table(part))
        case Verdicts():
            return _lines([part.title, *(f"best {verdict.head}: {sentence(verdict)}" for verdict in part.rows)])
        case Note():
            return _lines([part.title, *([part.short] if part.short else part.sentences)])
        case Facts():
            return _lines([f"{name}: {value}" for name, value in part.facts.items()])
        case Games():
            return []


def _text(value: Any, is_short: bool) -> str:
    if not is_short:
        return str(value.plain)
    return f"{getattr(value, 'short', value.text)}{' ★' if value.mark else ''}"


def _lines(lines: Sequence[str]) -> list[Block]:
    kept = [line for line in lines if line]
    return [{"lines": kept}] if kept else []
