"""The comparison of all pairs of entries, and of one entry with the others."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple
from math import isnan

from wordpl.core.moves import GameFacts
from wordpl.reports.elements import Column, Detail, EstimateCell, Matrix, Part, RunSection, Table, Text, Value
from wordpl.reports.names import shown
from wordpl.reports.results import RunResults
from wordpl.reports.sections.board import sample_size
from wordpl.reports.standings import Board
from wordpl.stats.compare.differences import ComparisonMatrix, Rival, comparison_matrix
from wordpl.stats.scores import Score, scores_for
from wordpl.stats.scores.quantiles import QuantileScore

LEGEND = (
    "Row minus column: the difference with its 95% interval, and the probability that the row's entry is better. "
    "▲: shown to be better, ▼: shown to be worse (5 % family-wise error over all pairs of a score)."
)


def parts(results: RunResults) -> Iterator[Part]:
    """Yield a matrix for each score that ranks entries, that of the main score first."""
    for board in results.boards:
        scores = sorted(board.ranked_scores, key=lambda score: score is not board.main_score)
        for score in scores:
            compared = board.compared[score.name]
            names = list(results.first(board)[0])
            compared = compared if len(names) == len(compared.entries) else compared.of(names)
            yield matrix(results, board, score, comparison_matrix(score, compared))


def matrix(results: RunResults, board: Board, score: Score, found: ComparisonMatrix) -> Matrix:
    """Return the comparison of all pairs by one score, in the order of the board."""
    entries, which = results.first(board)
    order = [found.entries.index(name) for name in entries]
    cells = [[None if i == j else _pair(score, found, i, j) for j in order] for i in order]
    better = [[int(found.better[i, j]) - int(found.better[j, i]) for j in order] for i in order]
    title = f"{board.rules}: differences of {score.head}{which}"
    return Matrix(title, score.head, list(entries.values()), cells, better, LEGEND, board.rules)


def _pair(score: Score, found: ComparisonMatrix, i: int, j: int) -> EstimateCell:
    return _cell(score, *(float(part[i, j]) for part in (found.difference, found.low, found.high, found.chance)))


def _cell(score: Score, value: float, low: float, high: float, chance: float) -> EstimateCell:
    known = None if isnan(chance) else chance  # NaN: both scores are infinite
    return EstimateCell(value, low, high, score.digits, score.percent, signed=True, chance=known)


def against(rivals: Sequence[Rival], entry: str, game: GameFacts) -> Table:
    """Return the comparison of one entry with the others as a table.

    Args:
        rivals: The result of `compare.against`, with at least one other entry.
        entry: The name of the entry.
        game: The facts of the game.
    """
    compared = rivals[0].scores
    scores = [score for score in scores_for(game) if score.name in compared and score.shown in ("always", "wide")]
    scores.sort(key=lambda score: not isinstance(score, QuantileScore))
    columns = [Column("strategy", "name"), *(Column(score.head) for score in scores), Column("won alone"), Column("p")]
    rows: list[list[Value]] = [
        [
            rival.name,
            *(_cell(score, *astuple(rival.scores[score.name])) for score in scores),
            f"{rival.wins.only_first} : {rival.wins.only_second}",
            Text(f"{rival.wins.p_value:.3f}" if rival.wins.p_value >= 0.001 else "< 0.001"),
        ]
        for rival in rivals
    ]
    legend = (
        "Each difference is shown with its 95% interval and the probability that the first entry is better, from "
        "resampled games; –: both are infinite. won alone: games that only the first entry, or only the other, has "
        "won, with the exact McNemar p-value."
    ) + (" Rows are not corrected for multiple comparisons." if len(rivals) > 1 else "")
    title = f"{shown(entry)} minus each other entry · the same {sample_size([rival.wins.n_games for rival in rivals])}"
    return Table(title, columns, rows, legend)


SECTION = RunSection(title="Pairwise comparisons", parts=parts, place=60, level=Detail.DETAILS)
