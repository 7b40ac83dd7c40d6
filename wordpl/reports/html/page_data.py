"""Packs the games of a page into one block for its script, with the moves of as many games as fit."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordpl import games
from wordpl.reports.board import FAULTS, Board
from wordpl.reports.html import game_data
from wordpl.reports.html.run_model import RunModel, is_noisy
from wordpl.stats.text_numbers import TextNumbers

NO_SECRET = 65535
N_TRIES = 4
"""The maximum number of attempts to find the number of games that fits.

Each attempt aims at a block that fills TARGET_FILL of the room; the search ends when one fills SUFFICIENT_FILL of it.
"""
SAMPLE_EVERY = 16
"""The size of the block of all games is estimated from one game in this many."""
MAX_ESTIMATE = 1.1
"""All games are tried if the estimate is less than this many times the room."""
TARGET_FILL = 0.98
SUFFICIENT_FILL = 0.96


@dataclass(frozen=True, eq=False)
class _BoardGames:
    """A board with the games of its entries, and the index of each game's secret in the answers."""

    board: Board
    secrets: NDArray[np.uint16]
    entries: Sequence[game_data.EntryGames]


@dataclass(frozen=True, eq=False)
class PageGames:
    """The games of some runs.

    Attributes:
        reports: The runs.
        boards: The games of each run's boards.
        guesses: All words guessed, in the order of their numbers.
    """

    reports: Sequence[RunModel]
    boards: Sequence[Sequence[_BoardGames]]
    guesses: Sequence[str]

    def packed(self, n_kept: int) -> str:
        """Return the block, with the moves of games with numbers below `n_kept` and of all faults."""
        columns = game_data.Columns()
        stored = [entry.moves.first(entry.n_stored(n_kept)) for run in self.boards for board in run
                  for entry in board.entries]  # fmt: skip
        used_guesses = np.unique(np.concatenate([moves.guesses[~moves.is_same] for moves in stored]))
        numbers = np.zeros(len(self.guesses), np.int64)
        numbers[used_guesses] = np.arange(len(used_guesses))
        runs = [
            {
                "name": report.name,
                "length": report.lists.length,
                "answers": "".join(report.lists.answers),
                "boards": [_facts(board_games, columns, numbers, n_kept) for board_games in boards],
            }
            for report, boards in zip(self.reports, self.boards, strict=True)
        ]
        facts = {
            "runs": runs,
            "guesses": [self.guesses[index] for index in used_guesses],
            "verdicts": list(game_data.VERDICTS),
            "faults": list(map(str, FAULTS)),
        }
        return game_data.packed(facts, columns)


def games_of(reports: Sequence[RunModel]) -> PageGames:
    """Return the games of these runs, from which blocks of any size can be made."""
    guesses = TextNumbers()
    boards = [[_board_games(report, board, guesses) for board in report.boards] for report in reports]
    return PageGames(reports, boards, list(guesses))


def _board_games(report: RunModel, board: Board, guesses: TextNumbers) -> _BoardGames:
    rows = report.rows_of(board)
    answers = {answer: number for number, answer in enumerate(report.lists.answers)}
    first = rows.drop_duplicates("game")
    secrets = np.full(int(rows["game"].max()) + 1, NO_SECRET, np.uint16)
    secrets[first["game"].to_numpy()] = first["secret"].astype(str).map(answers).fillna(NO_SECRET).to_numpy(np.uint16)
    by_name = {str(name): part for name, part in rows.groupby("entry", sort=False, observed=True)}
    entries = [game_data.entry_games(name, is_noisy(board), by_name[name], guesses)
               for name in board.table["strategy"]]  # fmt: skip
    return _BoardGames(board, secrets, entries)


def _facts(
    board_games: _BoardGames, columns: game_data.Columns, numbers: NDArray[np.int64], n_kept: int
) -> dict[str, object]:
    game = games.game_class(board_games.board.rules)
    return {
        "rules": board_games.board.rules,
        "noisy": is_noisy(board_games.board),
        "clues": game.clue_rule,
        "secret": game.has_secret,
        "secrets": columns.add(board_games.secrets),
        "entries": [game_data.add_entry(entry, columns, numbers, n_kept) for entry in board_games.entries],
    }


def fitting(reports: Sequence[RunModel], room: int) -> tuple[str, int]:
    """Return the largest block that fits into `room` bytes, and the number of games of each entry with moves.

    The size is almost proportional to the number of games, so that a few steps of interpolation are enough.
    """
    n_games = max((report.n_games for report in reports), default=0)
    if n_games == 0:
        return "", 0
    page_games = games_of(reports)
    best, n_best = page_games.packed(0), 0  # the largest block that fits; n_above games do not fit into the room
    n_above = n_games
    size_above = len(best) + SAMPLE_EVERY * (len(page_games.packed(n_games // SAMPLE_EVERY)) - len(best))
    if size_above <= MAX_ESTIMATE * room:
        data = page_games.packed(n_games)
        if len(data) <= room:
            return data, n_games
        size_above = len(data)
    for _ in range(N_TRIES):
        n_aimed = n_best + int((n_above - n_best) * (TARGET_FILL * room - len(best)) / max(1, size_above - len(best)))
        if not n_best < n_aimed < n_above or len(best) >= SUFFICIENT_FILL * room:
            break
        data = page_games.packed(n_aimed)
        if len(data) <= room:
            best, n_best = data, n_aimed
        else:
            n_above, size_above = n_aimed, len(data)
    return best, n_best
