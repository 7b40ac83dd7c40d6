"""What entries took that are asked over a network, and their strength against it."""

from collections.abc import Iterator
from math import isfinite

from wordpl.reports import elements
from wordpl.reports.results import RunResults
from wordpl.reports.standings import Board

LEGEND = (
    "Points: the main score with its 95% interval against what a game takes. Entries that run on the host's machine "
    "take no tokens, and are at the left."
)


def parts(results: RunResults) -> Iterator[elements.Part]:
    """Yield the strength against cost of each board with such entries; against tokens if a price is unknown."""
    for board in results.boards:
        usage = {row.name: results.usage[row.name] for row in board.rows if row.name in results.usage}
        if not usage:
            continue
        entries, score = results.entries(board), board.main_score
        name = "cost" if all(isfinite(one.cost) for one in usage.values()) else "tokens"
        points = [
            elements.Point(entries[row.name], x, row[score].cell)
            for row in board.rows
            if isfinite(x := getattr(usage[row.name], name) if row.name in usage else 0.0)
            and isfinite(row[score].value)
        ]
        title, label = f"{board.rules}: {score.head} against {name}", f"{name} per game"
        if points:
            yield elements.Scatter(title, label, score.head, points, table(results, board, title), LEGEND)
        else:
            yield table(results, board, title)


def table(results: RunResults, board: Board, title: str) -> elements.Table:
    """Return what a game of each such entry of a board took."""
    entries, score = results.entries(board), board.main_score
    heads = (("requests", 2), ("tokens_in", 0), ("tokens_out", 0), ("cost", 5))
    columns = [elements.Column("strategy", "name"), elements.Column(score.head)]
    columns += [elements.Column(f"{head.replace('_', ' ')} per game", best="low") for head, _ in heads]
    rows: list[list[elements.Value]] = []
    for row in board.rows:
        if (usage := results.usage.get(row.name)) is not None:
            numbers = [(getattr(usage, head), digits) for head, digits in heads]
            cells = [elements.Number(value, digits) if isfinite(value) else None for value, digits in numbers]
            rows.append([entries[row.name], row[score].cell, *cells])
    return elements.Table(title, columns, rows)


SECTION = elements.RunSection(title="Strength and cost", parts=parts, place=45, level=elements.Detail.DETAILS)
