"""How often an entry wins: counted, and estimated with less luck by what its clues still left open (Rao-Blackwell).

A game that was won or lost is one toss of a coin whose chance is known once its clues are: with a uniform secret, it is
the posterior of the word the entry proposed. And just before the last clue it is the chance to win with the last guess,
sum_y max_x p(x) K(y | x), for an entry that then proposes the likeliest word. The mean of either is the chance to win,
with a smaller standard error than a count (Rao 1945, Blackwell 1947).
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
from wordpl.core.records import Record, Run, Verdict, cost
from wordpl.core.words import WordLists
from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.noisy.final_guess import win_chances


@dataclass(frozen=True)
class Mean:
    """A mean with its standard error."""

    value: float
    error: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Mean":
        """Return the mean of values that are drawn independently."""
        n = len(values)
        return cls(float(np.mean(values)), float(np.std(values, ddof=1)) / n**0.5 if n > 1 else float("inf"))


@dataclass(frozen=True)
class Estimate:
    """How often an entry wins within a budget.

    counted: the share of games won; by_answer: the mean posterior of the word proposed
    before_last: the mean chance to win just before the last clue; None where the number of guesses, or what is spent,
        differs from game to game: then the last clue itself has decided that it was the last
    """

    n_games: int
    budget: float
    counted: Mean
    by_answer: Mean
    before_last: Mean | None

    @property
    def best(self) -> Mean:
        """The estimate with the smallest error."""
        return self.before_last or self.by_answer


def estimate(records: Sequence[Record], lists: WordLists, game_id: str, budget: float | None = None) -> Estimate:
    """Return how often the entry wins that played these games of a noisy game with these rules.

    budget: a game that cost more does not count as won; what the dearest game spent, where none is given
    """
    game = games.game_class(game_id)
    if game.kind != GameKind.NOISY:
        raise UserError(f"{game_id} has no budget: estimates are for noisy games such as wordpl/1.")
    if not records:
        raise UserError("there is no game to estimate from.")
    table, rows = ClueTable.of(lists, game.clue_rule), guess_rows(lists)
    spent = np.array([total_epsilon(record.moves) for record in records])
    limit = float(spent.max()) if budget is None else budget
    counted, by_answer, before_last = [], [], []
    for record, total in zip(records, spent, strict=True):
        valid = total <= limit and record.verdict in (Verdict.WON, Verdict.WRONG)
        counted.append(float(valid and cost(record, Measure.BUDGET) <= limit))
        by_answer.append(_of_answer(table, rows, lists, record) if valid else 0.0)
        before_last.append(chance_before_last(table, rows, record) if valid else 0.0)
    shapes = {(len(record.moves), round(total, 6)) for record, total in zip(records, spent, strict=True)}
    fixed = len(shapes) == 1 and len(records[0].moves) > 1
    return Estimate(len(records), limit, Mean.of(counted), Mean.of(by_answer), Mean.of(before_last) if fixed else None)


def posterior(words: ClueTable, rows: dict[str, int], moves: Sequence[NoisyMove]) -> np.ndarray:
    """Return the probability of each answer after these moves and their clues, float64[n_answers]."""
    logs = np.zeros(words.matrix.shape[1])
    for move in moves:
        marks = agreements(encode(move.clues), words.length)
        logs += move.epsilon / words.length * marks[words.matrix[rows[move.guess]]]
    weights: np.ndarray = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _of_answer(words: ClueTable, rows: dict[str, int], lists: WordLists, record: Record) -> float:
    *guesses, answer = noisy(record.moves)
    return float(posterior(words, rows, guesses)[lists.answers.index(answer.guess)])


def chance_before_last(words: ClueTable, rows: dict[str, int], record: Record) -> float:
    """Return the chance to win of a noisy game as it was before its last clue, if then the likeliest word is proposed.

    words: the clues of all words; rows: the row of each guess in them, as `guess_rows` gives it
    """
    if len(record.moves) < 2:
        return 0.0
    *earlier, last, _ = noisy(record.moves)
    row = rows[last.guess]
    known = posterior(words, rows, earlier)
    return float(win_chances(words.columns[:, row : row + 1], known, last.epsilon, words.length)[0])


def estimate_run(run: Run, budget: float | None = None) -> dict[str, Estimate]:
    """Return the estimate of each entry of a run, by its name; budget: as for `estimate`."""
    lists = lists_of(run.info)
    return {entry.name: estimate(run.read(entry), lists, entry.game_id, budget) for entry in run.entries}
