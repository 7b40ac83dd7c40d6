"""The probability that a game is won, given its clues.

With a uniform secret, it is the posterior probability of the word that the entry proposed. Before the last clue, and
for an entry that then proposes the likeliest word, it is sum_y max_x p(x) K(y | x). The mean of either over all games
estimates the probability of winning with a smaller standard error than the share of games won (Rao 1945, Blackwell
1947).
"""

from collections.abc import Sequence

import numpy as np

from wordpl.core.clues import RandomizedResponse, encode
from wordpl.core.errors import UserError
from wordpl.core.moves import NoisyMove, noisy
from wordpl.games import Game
from wordpl.kernels.clue_matrix import agreements, guess_rows
from wordpl.kernels.posterior import Posterior
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record
from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.noisy.final_guess import win_chances

FOR_NOISY_GAMES = "estimates are for noisy games such as wordpl/1."


def posterior(words: ClueTable, rows: dict[str, int], moves: Sequence[NoisyMove]) -> np.ndarray:
    """Return the probability of each answer after these moves and their clues, float64[n_answers]."""
    logs = np.zeros(words.matrix.shape[1])
    for move in moves:
        marks = agreements(encode(move.clues), words.length)
        logs += move.epsilon / words.length * marks[words.matrix[rows[move.guess]]]
    weights: np.ndarray = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


class WinChances:
    """The chances of winning that the clues of games leave, in a game whose answer is a move of its own.

    Attributes:
        has_kernels: Whether there are kernels for the game's channel; otherwise the chance before the last clue is not
            computed.
    """

    def __init__(self, game: Game):
        """Prepare the tables of the game."""
        self.has_kernels = type(game.channel) is RandomizedResponse
        self._game = game
        self._columns = {answer: index for index, answer in enumerate(game.lists.answers)}
        self._rows = guess_rows(game.lists)
        self._table = ClueTable.of(game.lists, game.clue_rule) if self.has_kernels else None

    def of(self, record: Record) -> tuple[float, float]:
        """Return the posterior of a record's answer, and the chance of winning before the last clue.

        The latter is for an entry that then proposes the likeliest word; without kernels, it is that of the answer.
        """
        *guesses, answer = noisy(record.moves)
        chance = float(self.posterior(guesses)[self._columns[answer.guess]])
        return chance, chance if self._table is None else chance_before_last(self._table, self._rows, record)

    def posterior(self, guesses: Sequence[NoisyMove]) -> np.ndarray:
        """Return the probability of each answer after these guesses and their clues, float64[n_answers]."""
        if self._table is not None:
            return posterior(self._table, self._rows, guesses)
        result = Posterior.of(self._game)
        for move in guesses:
            result.update(*move.arguments)
        return result.probabilities


def chance_before_last(words: ClueTable, rows: dict[str, int], record: Record) -> float:
    """Return the probability of winning a noisy game before its last clue, if the likeliest word is then proposed.

    Args:
        words: The clues of all words.
        rows: The row of each guess in the clue matrix, see `guess_rows`.
        record: The record of the game.
    """
    if len(record.moves) < 2:
        return 0.0
    *earlier, last, _ = noisy(record.moves)
    row = rows[last.guess]
    chances = posterior(words, rows, earlier)
    return float(win_chances(words.columns[:, row : row + 1], chances, last.epsilon, words.length)[0])


def entries_with_budget(entries: Sequence[EntryInfo]) -> list[EntryInfo]:
    """Return the entries that play a noisy game, which can be estimated.

    Raises:
        UserError: There is none.
    """
    noisy_entries = [entry for entry in entries if entry.game.has_answer_move]
    if not noisy_entries:
        game_ids = ", ".join(sorted({entry.game.id for entry in entries}))
        raise UserError(f"no entry has a budget in {game_ids}: {FOR_NOISY_GAMES}")
    return noisy_entries
