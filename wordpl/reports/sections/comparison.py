"""The comparison of all pairs of entries, and of one entry with the others."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf, isnan, nan

from wordpl.reports.elements import Column, Detail, EstimateCell, Matrix, Part, RunSection, Table, Text, Value
from wordpl.reports.names import shown
from wordpl.reports.results import RunResults
from wordpl.reports.sections.board import sample_size
from wordpl.reports.standings import Board, Standing
from wordpl.stats.compare.differences import ComparisonMatrix, Rival, ScoreDifference, comparison_matrix
from wordpl.stats.scores import Score
from wordpl.stats.scores.quantiles import QuantileScore

LEGEND = (
    "Row minus column: the difference of the board's numbers with its 95% interval, and the probability that the row's "
    "entry is better. ▲: shown to be better, ▼: shown to be worse (5 % family-wise error over all pairs of a score)."
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
    better = [[int(found.better[i, j]) - int(found.better[j, i]) for j in order] for i in order]
    standings = {row.name: row[score] for row in board.rows}
    cells = [[None if i == j else _pair(standings, found, i, j) for j in order] for i in order]
    title = f"{board.rules}: differences of {score.head}{which}"
    return Matrix(title, score.head, list(entries.values()), cells, better, LEGEND, board.rules)


def _pair(standings: Mapping[str, Standing], found: ComparisonMatrix, i: int, j: int) -> EstimateCell:
    """Return the difference of the numbers that the board shows, with an interval that says what the verdict says.

    Verdicts hold for all pairs together, intervals for each pair by itself. So the interval of a pair that is not told
    apart reaches to 0, and that of a pair that is goes no further than 0, as the intervals that belong to Holm's
    procedure (K. Strassburger and F. Bretz, Statistics in Medicine 27, 2008). A counted percentile that contradicts the
    verdict gives way to its estimate, by which the entries are ordered.
    """
    first, second = standings[found.entries[i]], standings[found.entries[j]]
    score, sign = first.score, int(found.better[i, j]) - int(found.better[j, i])
    direction = -sign if score.lower_is_better else sign  # that of a difference which says the same
    numbers = [(first.number, second.number)]
    if first.without_luck and second.without_luck:
        numbers.append((first.without_luck.value, second.without_luck.value))
    differences = [nan if one == other else one - other for one, other in numbers]
    value = next((value for value in differences if not sign or value * direction > 0), nan)
    low, high = float(found.low[i, j]), float(found.high[i, j])
    if sign:
        low, high = (max(low, 0.0), max(high, 0.0)) if direction > 0 else (min(low, 0.0), min(high, 0.0))
    else:
        value = 0.0 if isnan(value) and numbers[0][0] < inf else value
        low, high = min(low, 0.0), max(high, 0.0)
    if not isnan(value):
        low, high = min(low, value), max(high, value)
    chance = float(found.chance[i, j])
    return _cell(score, value, low, high, nan if sign and (chance - 0.5) * sign <= 0 else chance)


def _difference(first: Standing, second: Standing, found: ScoreDifference) -> EstimateCell:
    """Return the difference of the numbers that a board shows, with an interval that contains it."""
    if first.number == second.number == inf:
        return _cell(first.score, nan, nan, nan, nan)
    value = 0.0 if first.number == second.number else first.number - second.number
    low, high = (value, value) if isnan(found.low) else (min(found.low, value), max(found.high, value))
    return _cell(first.score, value, low, high, found.chance)


def _cell(score: Score, value: float, low: float, high: float, chance: float) -> EstimateCell:
    known = None if isnan(chance) else chance  # NaN: both scores are infinite
    return EstimateCell(value, low, high, score.digits, score.percent, signed=True, chance=known)


def against(rivals: Sequence[Rival], entry: str, board: Board) -> Table:
    """Return the comparison of one entry with the others as a table.

    Args:
        rivals: The result of `compare.against`, with at least one other entry.
        entry: The name of the entry.
        board: The board of their game, whose numbers are subtracted.
    """
    compared, standings = rivals[0].scores, {row.name: row.standings for row in board.rows}
    scores = [score for score in board.scores if score.name in compared and score.shown in ("always", "wide")]
    scores.sort(key=lambda score: not isinstance(score, QuantileScore))
    columns = [Column("strategy", "name"), *(Column(score.head) for score in scores), Column("won alone"), Column("p")]
    rows: list[list[Value]] = [
        [
            rival.name,
            *(_difference(standings[entry][score.name], standings[rival.name][score.name], rival.scores[score.name])
              for score in scores),
            f"{rival.wins.only_first} : {rival.wins.only_second}",
            Text(f"{rival.wins.p_value:.3f}" if rival.wins.p_value >= 0.001 else "< 0.001"),
        ]
        for rival in rivals
    ]  # fmt: skip
    legend = (
        "Each difference is shown with its 95% interval and the probability that the first entry is better, from "
        "resampled games; –: both are infinite. won alone: games that only the first entry, or only the other, has "
        "won, with the exact McNemar p-value."
    ) + (" Rows are not corrected for multiple comparisons." if len(rivals) > 1 else "")
    title = f"{shown(entry)} minus each other entry · the same {sample_size([rival.wins.n_games for rival in rivals])}"
    return Table(title, columns, rows, legend)


SECTION = RunSection(title="Pairwise comparisons", parts=parts, place=60, level=Detail.DETAILS)
