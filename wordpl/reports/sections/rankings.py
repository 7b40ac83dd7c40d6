"""The ranking of the entries by each score."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite

from wordpl.reports.elements import (
    LARGEST_DRAWN,
    Chance,
    Column,
    Detail,
    EstimateCell,
    Part,
    RunSection,
    ScaledTable,
    Value,
)
from wordpl.reports.results import RunResults
from wordpl.reports.sections.board import MEANINGS
from wordpl.reports.standings import Board
from wordpl.stats.scores import Score
from wordpl.stats.scores.quantiles import QuantileScore

WINS = "p_win"


def parts(results: RunResults) -> Iterator[Part]:
    """Yield a table for each score that ranks entries, the best entry first."""
    for board in results.boards:
        for score in board.ranked_scores:
            yield ranking(results, board, score)


def ranking(results: RunResults, board: Board, score: Score) -> ScaledTable:
    """Return the ranking by one score."""
    entries = results.entries(board)
    ordered = board.ranked(score)
    estimates = [row[score].cell for row in ordered]
    rows: list[list[Value]] = [
        [value.ranks.text, entries[row.name], replace(value, ranks=None), Chance(value.ranks.p_best)]
        for row, value in zip(ordered, estimates, strict=True)
        if value.ranks is not None  # ranked scores have ranks
    ]
    meaning = MEANINGS.get(score.name, "").removeprefix("the ").replace(" %", "%")
    heading = f"{meaning[:1].upper()}{meaning[1:]} ({score.head})" if meaning else score.head
    best = Column(score.head, best="low" if score.lower_is_better else "high", scale=axis(estimates))
    columns = [Column("#"), Column("strategy", "name"), best, Column("P(best)", best="high")]
    if any(other.name == WINS for other in board.scores) and score.name != WINS:
        columns.append(Column("wins, any budget", level=Detail.DETAILS, best="high", scale=(0, 1)))
        for cells, row in zip(rows, ordered, strict=True):
            wins = row.standings[WINS].estimate
            cells.append(EstimateCell(float(wins.value), float(wins.low), float(wins.high), percent=True))
    title = f"{board.rules} · {heading}" if len(results.boards) > 1 else heading
    unreached = f"does not win {score.q:.0%} of games" if isinstance(score, QuantileScore) else "never"
    return ScaledTable(
        title, columns, rows, n_tied=board.n_tied(score), lines=True, folded=True, game=board.rules, head=score.head,
        name=score.name, unreached=unreached,
    )  # fmt: skip


def axis(estimates: Sequence[EstimateCell]) -> tuple[float, float]:
    """Return the ends of an axis for estimates: all finite ones, and their intervals as far as they are not very long.

    >>> axis([EstimateCell(40.5, 40.5, 43.5), EstimateCell(75.0, 60.0, float("inf")), EstimateCell(float("inf"))])
    (40.5, 75.0)
    """
    values = [min(one.place, LARGEST_DRAWN) for one in estimates if isfinite(one.place)] or [0.0]
    low, high = min(values), max(values)
    reach = (high - low) or abs(high) or 1.0
    ends = [end for one in estimates if isfinite(one.value) for end in (one.low, one.high) if isfinite(end)]
    near = [end for end in ends if low - reach / 2 <= end <= high + reach / 2]
    return min([low, *near]), max([high, *near])


SECTION = RunSection(title="Ranking by each score", parts=parts, place=40, level=Detail.FULL)
