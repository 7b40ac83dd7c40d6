"""LEADERBOARD.md: the same tables as the terminal's, with the facts that say what was played."""

from collections.abc import Mapping, Sequence

from wordpl.reports.board import Board
from wordpl.reports.columns import BIN, Column, TableValue, columns
from wordpl.reports.legend import legend, title
from wordpl.reports.names import in_markdown

REMARK_CHARACTERS = 1000


def leaderboard(boards: Sequence[Board], facts: Mapping[str, str], remarks: Sequence[str] = ()) -> str:
    """Return the page.

    facts: what was played and how, such as {"seed": "1f0e", "timeout": "5 s"}. remarks: sentences for its end
    """
    known = "\n".join(f"- {in_markdown(name)}: {in_markdown(str(value))}" for name, value in facts.items())
    said = "\n".join(f"- {in_markdown(remark, REMARK_CHARACTERS)}" for remark in remarks)
    sections = [f"## {in_markdown(title(board))}\n\n{table(board)}\n\n{legend(board)}" for board in boards]
    return "\n\n".join(part for part in ("# Leaderboard", known, *sections, said) if part) + "\n"


def table(board: Board) -> str:
    """Return a board as a Markdown table, a row an entry."""
    content = columns(board)
    heads = ["#", "strategy", *(_head(column) for column in content)]
    rows = [
        [str(place), in_markdown(name), *(_format_value(column, column.values[row]) for column in content)]
        for row, (place, name) in enumerate(zip(board.table["place"], board.table["strategy"], strict=True))
    ]
    rule = ["--:", "---", *("---" if column.kind == "text" else "--:" for column in content)]
    return "\n".join(f"| {' | '.join(values)} |" for values in (heads, rule, *rows))


def _head(column: Column) -> str:
    return f"{' · '.join(column.head.split())} (%)" if column.kind == "histogram" else in_markdown(column.head)


def _format_value(column: Column, value: TableValue) -> str:
    if column.kind == "histogram":
        percents = value.lines[1]
        bins = (percents[start : start + BIN].strip() or "0" for start in range(0, len(percents), BIN))
        return " · ".join(in_markdown(percent) for percent in bins)
    if column.kind == "text":
        return in_markdown(", ".join(line for line in value.lines if line))
    shown = f"{value.lines[0]} {value.mark}".strip()
    return in_markdown(f"{shown} ({value.lines[1]})")
