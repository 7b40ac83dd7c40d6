"""What the clues of each round tell, and how often the last answer is as certain as its posterior says."""

from collections.abc import Iterator

import numpy as np

from wordpl import games
from wordpl.reports.elements import Column, Detail, EstimateCell, Number, Part, RunSection, Table, number
from wordpl.reports.results import Board, RunResults
from wordpl.run.frame import rows_by
from wordpl.stats.game_statistics import N_SAMPLED, RoundReport, calibration, round_reports


def parts(results: RunResults) -> Iterator[Part]:
    """Yield the tables of each game with budgets."""
    for board in results.boards:
        if not board.game.has_answer_move:
            continue
        if results.has_moves and games.is_known(board.game):
            yield _rounds(results, board)
        if "posterior" in results.games and not results.rows_of(board)["posterior"].isna().any():
            yield _calibration(results, board)


def _rounds(results: RunResults, board: Board) -> Table:
    game, reports_of = games.make_game(board.game, results.lists), {}
    by_name, (entries, which) = rows_by(results.rows_of(board), "entry"), results.first(board)
    for name in entries:
        sampled = by_name[name].head(N_SAMPLED)
        moves = results.moves[name].of_games(sampled["game"].to_numpy()).lists()
        played = list(zip(sampled["secret"], moves, strict=True))
        reports_of[name] = {report.round_: report for report in round_reports(played, game)}
    last = max((round_ for of_entry in reports_of.values() for round_ in of_entry), default=0)
    rows = [
        (entry, *(_round(reports_of[name].get(round_)) for round_ in range(1, last + 1)))
        for name, entry in entries.items()
    ]
    rounds = [Column(f"after clue {round_}", best="low") for round_ in range(1, last + 1)]
    title = f"{board.rules}: bits left after each clue, epsilon, and share of true marks{which}"
    legend = f"Means over up to {N_SAMPLED} games."
    return Table(title, [Column("strategy", "name"), *rounds], rows, legend)


def _round(report: RoundReport | None) -> Number | None:
    if report is None:
        return None
    notes = (f"ε {number(report.epsilon)}", f"{number(report.true_marks, percent=True)} true")
    return Number(report.bits_left, 2, notes=notes)


def _calibration(results: RunResults, board: Board) -> Table:
    """Return the calibration of last answers: their posterior against how often they were right."""
    rows = []
    parts, (entries, which) = rows_by(results.rows_of(board), "entry"), results.first(board)
    for name, entry in entries.items():
        won = np.isfinite(parts[name]["cost"].to_numpy(float))
        for level in calibration(parts[name]["posterior"].to_numpy(float), won):
            right = EstimateCell(level.n_right / level.n_games, level.right_low, level.right_high, percent=True)
            rows.append(
                (entry, level.n_games, Number(level.said, percent=True), right, "yes" if level.agrees else "no")
            )
    columns = [Column("strategy", "name"), *map(Column, ("games", "posterior", "right")), Column("agrees", "text")]
    title = f"{board.rules}: how often the last answer was right, by its posterior{which}"
    return Table(title, columns, rows, folded=True)


SECTION = RunSection(title="Clues and answers", parts=parts, place=78, level=Detail.DETAILS)
