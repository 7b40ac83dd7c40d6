"""LEADERBOARD.md: the tables of the terminal as Markdown, with facts about the run."""

from collections.abc import Mapping, Sequence
from typing import Any

from wordpl.reports.board import Board
from wordpl.reports.columns import BIN, Column, TableValue, columns, interval, number, rank_interval, whole_percent
from wordpl.reports.legend import excess_sentences, legend, title
from wordpl.reports.names import in_markdown
from wordpl.stats.scores import Score

REMARK_CHARACTERS = 1000
MEANINGS = {
    "p05": "the budget to win 5 % of games",
    "p50": "the budget to win 50 % of games",
    "p95": "the budget to win 95 % of games",
    "p_win": "the probability of winning, at any cost",
    "mean_cost": "the mean cost of a game, including lost games",
    "mean_guesses": "the mean number of guesses",
    "mean_tries": "the mean number of guesses",
    "solved_in_4": "the share of games solved in four guesses",
}


def leaderboard(boards: Sequence[Board], facts: Mapping[str, str], remarks: Sequence[str] = ()) -> str:
    """Return the page.

    Args:
        boards: The boards of the run.
        facts: Facts about the run, such as {"seed": "1f0e", "timeout": "5 s"}.
        remarks: Sentences for the end of the page.
    """
    fact_lines = "\n".join(f"- {in_markdown(name)}: {in_markdown(str(value))}" for name, value in facts.items())
    remark_lines = "\n".join(f"- {in_markdown(remark, REMARK_CHARACTERS)}" for remark in remarks)
    sections = [section(board) for board in boards]
    return "\n\n".join(part for part in ("# Leaderboard", fact_lines, *sections, remark_lines) if part) + "\n"


def section(board: Board) -> str:
    """Return the section of a board: the table of all scores, then a ranking for each score."""
    excesses = "\n".join(f"- {in_markdown(sentence, REMARK_CHARACTERS)}" for sentence in excess_sentences(board))
    ranked = [f"### {in_markdown(_heading(score))}\n\n{ranking(board, score)}" for score in board.ranked_scores]
    parts = [f"## {in_markdown(title(board))}", table(board), legend(board), excesses, *ranked]
    return "\n\n".join(part for part in parts if part)


def _heading(score: Score) -> str:
    return f"{score.head} · {MEANINGS[score.name]}" if score.name in MEANINGS else score.head


def table(board: Board) -> str:
    """Return the table of a board in Markdown, with a row for each entry."""
    content = columns(board, wide=True)
    heads = ["#", "strategy", *(_head(column) for column in content)]
    rows = [
        [place, in_markdown(name), *(_format_value(column, column.values[row]) for column in content)]
        for row, (place, name) in enumerate(zip(places(board), board.table["strategy"], strict=True))
    ]
    rule = ["--:", "---", *("---" if column.kind == "text" else "--:" for column in content)]
    return _lines([heads, rule, *rows])


def places(board: Board) -> list[str]:
    """Return the rank interval of each row by the main score."""
    main = next(score for score in board.scores if score.main)
    ends = zip(board.table[f"{main.name}_rank_low"], board.table[f"{main.name}_rank_high"], strict=True)
    return [rank_interval(int(low), int(high)) for low, high in ends]


def ranking(board: Board, score: Score) -> str:
    """Return the ranking of the entries by one score in Markdown, the best first."""
    heads = ["#", "strategy", in_markdown(score.head), "95% interval", "P(best)"]
    rows = [_ranked_row(row, score, row["strategy"] in board.exact) for row in board.order_by(score).to_dict("records")]
    return _lines([heads, ["--:", "---", "--:", "--:", "--:"], *rows])


def _ranked_row(row: dict[Any, Any], score: Score, is_exact: bool) -> list[str]:
    style = (score.digits, score.percent)
    value = f"{number(row[score.name], *style)} {row[f'{score.name}_mark']}".strip()
    values = [
        rank_interval(row[f"{score.name}_rank_low"], row[f"{score.name}_rank_high"]),
        row["strategy"],
        value,
        "exact" if is_exact else interval(row[f"{score.name}_low"], row[f"{score.name}_high"], *style),
        whole_percent(row[f"{score.name}_p_best"]),
    ]
    return [in_markdown(text) for text in values]


def _lines(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(values)} |" for values in rows)


def _head(column: Column) -> str:
    return f"{' · '.join(column.head.split())} (%)" if column.kind == "histogram" else in_markdown(column.head)


def _format_value(column: Column, value: TableValue) -> str:
    if column.kind == "histogram":
        percents = value.lines[1]
        bins = (percents[start : start + BIN].strip() or "0" for start in range(0, len(percents), BIN))
        return " · ".join(in_markdown(percent) for percent in bins)
    if column.kind == "text":
        return in_markdown(", ".join(line for line in value.lines if line))
    return in_markdown(f"{f'{value.lines[0]} {value.mark}'.strip()} ({value.lines[1]})")
