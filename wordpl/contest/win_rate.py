"""Estimates of how often an entry wins: by counting, and with smaller variance by Rao-Blackwellization.

Given its clues, a game is won with a known probability: with a uniform secret, it is the posterior probability of the
word that the entry proposed. Before the last clue, and for an entry that then proposes the likeliest word, it is
sum_y max_x p(x) K(y | x). The mean of either over all games estimates the probability of winning with a smaller
standard error than the share of games won (Rao 1945, Blackwell 1947).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordpl import games
from wordpl.contest.run_folder import lists_of
from wordpl.core.clue_matrix import agreements, guess_rows
from wordpl.core.clues import encode
from wordpl.core.errors import UserError
from wordpl.core.game_kinds import GameKind, Measure
from wordpl.core.moves import NoisyMove, noisy, total_epsilon
from wordpl.core.records import EntryInfo, Record, Run, Verdict, cost
from wordpl.core.words import WordLists
from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.noisy.final_guess import win_chances

FOR_NOISY_GAMES = "estimates are for noisy games such as wordpl/1."


@dataclass(frozen=True)
class MeanWithError:
    """A mean with its standard error."""

    value: float
    error: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "MeanWithError":
        """Return the mean of independent values."""
        n = len(values)
        return cls(float(np.mean(values)), float(np.std(values, ddof=1)) / n**0.5 if n > 1 else float("inf"))


@dataclass(frozen=True)
class WinRateEstimate:
    """Estimates of how often an entry wins within a budget.

    Attributes:
        n_games: The number of games.
        budget: The budget; games that cost more do not count as won.
        counted: The share of games won.
        by_answer: The mean posterior probability of the proposed word.
        before_last: The mean probability of winning before the last clue. None if the number of guesses or the budget
            spent varies between games, because the entry then decided after the last clue that it was the last.
    """

    n_games: int
    budget: float
    counted: MeanWithError
    by_answer: MeanWithError
    before_last: MeanWithError | None

    @property
    def best(self) -> MeanWithError:
        """The estimate with the smallest standard error."""
        return self.before_last or self.by_answer


def estimate(records: Sequence[Record], lists: WordLists, game_id: str, budget: float | None = None) -> WinRateEstimate:
    """Estimate how often an entry wins, from its records in a noisy game.

    Args:
        records: The records of the entry.
        game_id: The game.
        budget: Games that cost more do not count as won; None: the maximum spent in any game.

    Raises:
        UserError: The game has no budget, or there are no records.
    """
    game = games.game_class(game_id)
    if game.kind != GameKind.NOISY:
        raise UserError(f"{game_id} has no budget: {FOR_NOISY_GAMES}")
    if not records:
        raise UserError("an estimate needs at least one game, but there is none.")
    table, rows = ClueTable.of(lists, game.clue_rule), guess_rows(lists)
    spent = np.array([total_epsilon(record.moves) for record in records])
    limit = float(spent.max()) if budget is None else budget
    counted, by_answer, before_last = [], [], []
    for record, total in zip(records, spent, strict=True):
        valid = total <= limit and record.verdict in (Verdict.WON, Verdict.WRONG)
        counted.append(float(valid and cost(record, Measure.BUDGET) <= limit))
        by_answer.append(_chance_of_answer(table, rows, lists, record) if valid else 0.0)
        before_last.append(chance_before_last(table, rows, record) if valid else 0.0)
    shapes = {(len(record.moves), round(total, 6)) for record, total in zip(records, spent, strict=True)}
    fixed = len(shapes) == 1 and len(records[0].moves) > 1
    return WinRateEstimate(
        len(records),
        limit,
        MeanWithError.of(counted),
        MeanWithError.of(by_answer),
        MeanWithError.of(before_last) if fixed else None,
    )


def posterior(words: ClueTable, rows: dict[str, int], moves: Sequence[NoisyMove]) -> np.ndarray:
    """Return the probability of each answer after these moves and their clues, float64[n_answers]."""
    logs = np.zeros(words.matrix.shape[1])
    for move in moves:
        marks = agreements(encode(move.clues), words.length)
        logs += move.epsilon / words.length * marks[words.matrix[rows[move.guess]]]
    weights: np.ndarray = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _chance_of_answer(words: ClueTable, rows: dict[str, int], lists: WordLists, record: Record) -> float:
    *guesses, answer = noisy(record.moves)
    return float(posterior(words, rows, guesses)[lists.answers.index(answer.guess)])


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


def estimate_run(run: Run, budget: float | None = None) -> dict[str, WinRateEstimate]:
    """Return the estimate for each entry of a run that plays a noisy game, by its name; see `estimate`."""
    lists = lists_of(run.info)
    return {
        entry.name: estimate(run.read(entry), lists, entry.game_id, budget)
        for entry in entries_with_budget(run.entries)
    }


def entries_with_budget(entries: Sequence[EntryInfo]) -> list[EntryInfo]:
    """Return the entries that play a noisy game, which can be estimated.

    Raises:
        UserError: There is none.
    """
    noisy_entries = [entry for entry in entries if games.game_class(entry.game_id).kind == GameKind.NOISY]
    if not noisy_entries:
        game_ids = ", ".join(sorted({entry.game_id for entry in entries}))
        raise UserError(f"no entry has a budget in {game_ids}: {FOR_NOISY_GAMES}")
    return noisy_entries
