"""How often an entry wins: counted, and estimated with less luck by what its clues still left open (Rao-Blackwell).

A game that was won or lost is one toss of a coin whose chance is known once its clues are: with a uniform secret, it is
the posterior of the word the entry proposed. And just before the last clue it is the chance to win with the last guess,
sum_y max_x p(x) K(y | x), for an entry that then proposes the likeliest word. The mean of either is the chance to win,
with a smaller standard error than a count (Rao 1945, Blackwell 1947).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from wordpl import games
from wordpl.contest.run_folder import lists_of
from wordpl.core import words
from wordpl.core.clue_matrix import agreements, guess_rows
from wordpl.core.clues import decode, encode
from wordpl.core.errors import UserError
from wordpl.core.game_kinds import GameKind, Measure
from wordpl.core.moves import NoisyMove, noisy, total_epsilon
from wordpl.core.records import EntryInfo, Record, Run, Verdict, cost
from wordpl.core.run_config import RunConfig
from wordpl.core.words import WordLists
from wordpl.players.base import Player, TimeLimits
from wordpl.players.clock import allowance
from wordpl.players.pool import PlayerPool
from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.noisy.clue_entropy import channel
from wordpl.solvers.noisy.final_guess import win_chances
from wordpl.solvers.plans.states import updated

MAX_FOLLOWED = 2
ALIKE = 1e-6


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
        before_last.append(_before_last(table, rows, record) if valid else 0.0)
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


def _before_last(words: ClueTable, rows: dict[str, int], record: Record) -> float:
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


def enumerate_entry(entry: EntryInfo, config: RunConfig, step: Callable[[], object]) -> tuple[float, float]:
    """Return an entry's exact chance to win and the budget that it spends, played as a run under this config is."""
    lists = words.load(config.answers, config.guesses)
    with (
        TemporaryDirectory(ignore_cleanup_errors=True) as parent,
        PlayerPool(lists, Path(parent), [config.results]) as pool,
    ):
        player = pool.player(entry, config)
        try:
            return exact(player, lists, entry.game_id, allowance(config), step)
        finally:
            player.close()


def exact(
    player: Player, lists: WordLists, game_id: str, allowance: TimeLimits, step: Callable[[], object]
) -> tuple[float, float]:
    """Return an entry's exact chance to win and the budget it spends, from every clue that can be shown.

    For an entry of at most three guesses that draws nothing at random: 243 x 243 games with five letters. A third guess
    counts as its chance to win with the likeliest word after it; that the entry proposes that one is seen in one game
    for each third guess, not in all 243.
    allowance: for each game; step: called after each first clue
    Raises UserError for an entry that makes more guesses or proposes another word, PlayerError for one that fails.
    """
    found = Enumeration(player, lists, game_id, allowance, step).run()
    return found.chance, found.budget


@dataclass(frozen=True)
class Enumerated:
    """What an enumeration found.

    Attributes:
        chance: The chance to win.
        budget: The most that a game costs.
        n_guesses: The most guesses of a game.
    """

    chance: float
    budget: float
    n_guesses: int


class Enumeration:
    """All games of an entry, clue by clue. Weights: how likely each answer is together with the clues so far.

    Each game gets another seed for the strategy's own draws, and has to begin as the games before it did.

    Attributes:
        last_guesses: The third guess and its epsilon after each two clues.
    """

    def __init__(
        self, player: Player, lists: WordLists, game_id: str, allowance: TimeLimits, step: Callable[[], object]
    ):
        self.player, self.allowance, self.step = player, allowance, step
        self.game, self.words = (
            games.make_game(game_id, lists),
            ClueTable.of(lists, games.game_class(game_id).clue_rule),
        )
        self.lists = lists
        self.rows, self.columns = guess_rows(lists), {answer: i for i, answer in enumerate(lists.answers)}
        self.spent: set[float] = set()
        self.last_guesses: dict[tuple[str, ...], tuple[str, float]] = {}
        self._n_games, self._n_guesses = 0, 0

    def run(self) -> Enumerated:
        """Play all games."""
        n_answers = len(self.lists.answers)
        chance = self.chance([], np.full(n_answers, 1 / n_answers))
        return Enumerated(chance, max(self.spent), self._n_guesses)

    def chance(self, moves: list[NoisyMove], weights: np.ndarray) -> float:
        """Return how likely these moves and a win after them are."""
        move = self.proposed(moves)
        if move.is_answer:
            self._n_guesses = max(self._n_guesses, len(moves))
            self.spent.add(total_epsilon(moves))
            return float(weights[self.columns[move.guess]])
        if len(moves) == MAX_FOLLOWED:
            return self.chance_of_last(moves, move, weights)
        shown = channel(move.epsilon, self.words.length)[:, self.words.matrix[self.rows[move.guess]]] * weights
        total = 0.0
        for code, joint in enumerate(shown):
            total += self.chance([*moves, move.with_clues(decode(code, self.words.length))], joint)
            if not moves:
                self.step()
        return total

    def proposed(self, moves: list[NoisyMove]) -> NoisyMove:
        """Return what the entry proposes in a game that began with these moves."""
        self.player.prepare()
        proposal = self.player.first_move(self._n_games, self.allowance)
        self._n_games += 1
        for move in moves:
            if self.checked(proposal).proposal != move.proposal:
                raise UserError(f"it proposed {move.proposal} in one game and {proposal} in another that began alike.")
            proposal = self.player.next_move(move)
        return self.checked(proposal)

    def checked(self, proposal: Any) -> NoisyMove:
        """Return the proposal as a legal move of the game, which is a noisy one."""
        (move,) = noisy([self.game.check(proposal)])
        return move

    def chance_of_last(self, moves: list[NoisyMove], last: NoisyMove, weights: np.ndarray) -> float:
        """Return how likely the moves and a win with this last guess are, once the entry has played on as it must.

        It is shown the true clue of the likeliest word.
        """
        row, total, length = self.rows[last.guess], weights.sum(), self.words.length
        code = int(self.words.matrix[row, weights.argmax()])
        answer = self.checked(self.player.next_move(last.with_clues(decode(code, length))))
        if not answer.is_answer:
            raise UserError(f"this entry makes more than {MAX_FOLLOWED + 1} guesses: too many games to play them all.")
        after = updated(weights, self.words.matrix[row], code, last.epsilon, length)
        if after[self.columns[answer.guess]] < after.max() * (1 - ALIKE):
            played = ", ".join(f"{move.guess} {move.epsilon:g} {move.clues}".strip() for move in [*moves, last])
            raise UserError(
                f"after {played} it proposes {answer.guess!r}, which is not the likeliest word: an entry of three "
                "guesses has to propose that one to be enumerated. Without --exact, games are played."
            )
        self.spent.add(total_epsilon([*moves, last]))
        self._n_guesses = MAX_FOLLOWED + 1
        self.last_guesses[tuple(move.clues for move in moves)] = last.proposal
        won = win_chances(self.words.columns[:, row : row + 1], weights / total, last.epsilon, length)
        return float(won[0] * total)
