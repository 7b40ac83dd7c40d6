"""The scores of each entry in several runs."""

from collections.abc import Sequence

from wordpl.reports.cells import Entry, Value
from wordpl.reports.names import shown
from wordpl.reports.results import RunResults
from wordpl.reports.section import Column, Note, Part, Section, Table
from wordpl.reports.sections.board import estimate


def history(runs: Sequence[RunResults]) -> Section:
    """Return a table for each game with the scores of each entry in each run, and a note if their games differ."""
    same = len({run.facts.get("seed", "") for run in runs}) == 1
    note = (
        "All runs have the same seed and therefore the same games."
        if same
        else "The runs have different seeds and therefore different games, so that differences are partly due "
        "to chance."
    )
    parts: list[Part] = [Note([note], "legend" if same else "finding")]
    games = dict.fromkeys(board.rules for run in runs for board in run.boards)
    return Section("history", "History of entries", [*parts, *(_of_game(game, runs) for game in games)])


def _of_game(game: str, runs: Sequence[RunResults]) -> Table:
    boards = [(run, board) for run in runs for board in run.boards if board.rules == game]
    scores = [score for score in boards[0][1].scores if score.shown == "always"]
    columns = [Column("strategy", "name"), Column("run", "text"), Column("seed", "text"),
               *(Column(score.head, best="low" if score.lower_is_better else "high") for score in scores)]  # fmt: skip
    rows: list[tuple[Entry, tuple[Value, ...]]] = []
    for run, board in boards:
        entries = run.entries(board)
        for row in board.rows:
            values = [estimate(row, score, board) if score in board.scores else None for score in scores]
            rows.append((entries[row["strategy"]], (run.name, shown(run.facts.get("seed", ""), 20), *values)))
    rows.sort(key=lambda row: row[0].name)
    return Table(f"{game}: history of entries", columns, [(entry, *values) for entry, values in rows])
