"""The exact chance to win of an entry of at most three guesses, from every clue that can be shown.

A third guess counts as its chance to win with the likeliest word after it; that the entry proposes this word is seen in
one game for each third guess, not in all 243.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import numpy as np

from wordpl import games
from wordpl.core import words
from wordpl.core.clue_matrix import guess_rows
from wordpl.core.clues import decode
from wordpl.core.errors import UserError
from wordpl.core.moves import NoisyMove, noisy, total_epsilon
from wordpl.core.records import EntryInfo
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


class Branch(msgspec.Struct, kw_only=True):
    """All games after one first clue.

    Attributes:
        chance: How likely this clue and a win after it are.
        budget: The most that one of these games costs.
        n_guesses: The most guesses of one of these games.
        n_games: The games played so far, those of earlier branches included.
        last_guesses: The third guess and its epsilon after each second clue.
    """

    chance: float = 0.0
    budget: float = 0.0
    n_guesses: int = 0
    n_games: int = 0
    last_guesses: dict[str, tuple[str, float]] = {}


@dataclass(frozen=True)
class Enumerated:
    """What an enumeration found.

    Attributes:
        chance: The chance to win.
        budget: The most that a game costs.
        n_guesses: The most guesses of a game.
        last_guesses: The third guess and its epsilon after each two clues; None where they were not kept.
    """

    chance: float
    budget: float
    n_guesses: int
    last_guesses: dict[tuple[str, ...], tuple[str, float]] | None


@contextmanager
def playing(entry: EntryInfo, config: RunConfig) -> Iterator[Player]:
    """Give a player for the entry, as a run under this config has it."""
    lists = words.load(config.answers, config.guesses)
    with (
        TemporaryDirectory(ignore_cleanup_errors=True) as parent,
        PlayerPool(lists, Path(parent), [config.results]) as pool,
    ):
        player = pool.player(entry, config)
        try:
            yield player
        finally:
            player.close()


def enumerate_entry(entry: EntryInfo, config: RunConfig, step: Callable[[], object]) -> tuple[float, float]:
    """Return an entry's exact chance to win and the budget that it spends, played as a run under this config is."""
    lists = words.load(config.answers, config.guesses)
    with playing(entry, config) as player:
        return exact(player, lists, entry.game_id, allowance(config), step)


def exact(
    player: Player, lists: WordLists, game_id: str, allowance: TimeLimits, step: Callable[[], object]
) -> tuple[float, float]:
    """Return an entry's exact chance to win and the budget that it spends.

    Args:
        player: The entry, of at most three guesses, which draws nothing at random.
        lists: The words.
        game_id: The rules.
        allowance: For each of the 243 x 243 games (with five letters).
        step: Called after each first clue.

    Raises:
        UserError: The entry makes more guesses or proposes another word than the likeliest.
        PlayerError: It fails.
    """
    found = Enumeration(player, lists, game_id, allowance).run({}, lambda clues, branch: step())
    return found.chance, found.budget


class Enumeration:
    """All games of an entry, clue by clue. Weights: how likely each answer is together with the clues so far.

    Each game gets another seed for the strategy's own draws, and has to begin as the games before it did.
    """

    def __init__(self, player: Player, lists: WordLists, game_id: str, allowance: TimeLimits):
        self.player, self.allowance, self.lists = player, allowance, lists
        self.game = games.make_game(game_id, lists)
        self.words = ClueTable.of(lists, games.game_class(game_id).clue_rule)
        self.rows, self.columns = guess_rows(lists), {answer: i for i, answer in enumerate(lists.answers)}
        self._n_games = 0

    def run(self, known: dict[str, Branch], done: Callable[[str, Branch], object]) -> Enumerated:
        """Play all games.

        Args:
            known: Branches that were finished before, by their first clue, which are not played again.
            done: Called with each first clue and its branch.
        """
        n_answers = len(self.lists.answers)
        weights = np.full(n_answers, 1 / n_answers)
        first = self._proposed([])
        if first.is_answer:
            return Enumerated(float(weights[self.columns[first.guess]]), 0.0, 0, {})
        branches = {}
        for clues, joint in self._shown(first, weights):
            branch = known.get(clues)
            if branch is None:
                branch = Branch()
                branch.chance = self._chance([first.with_clues(clues)], joint, branch)
                branch.n_games = self._n_games
            self._n_games = branch.n_games
            branches[clues] = branch
            done(clues, branch)
        return _put_together(branches)

    def _shown(self, move: NoisyMove, weights: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
        """Yield each clue that can be shown, with how likely each answer is together with it."""
        joint = channel(move.epsilon, self.words.length)[:, self.words.matrix[self.rows[move.guess]]] * weights
        for code, likely in enumerate(joint):
            yield decode(code, self.words.length), likely

    def _chance(self, moves: list[NoisyMove], weights: np.ndarray, branch: Branch) -> float:
        """Return how likely these moves and a win after them are, and note in the branch what was seen."""
        move = self._proposed(moves)
        if move.is_answer:
            branch.n_guesses = max(branch.n_guesses, len(moves))
            branch.budget = max(branch.budget, total_epsilon(moves))
            return float(weights[self.columns[move.guess]])
        if len(moves) == MAX_FOLLOWED:
            return self._chance_of_last(moves, move, weights, branch)
        return sum(
            self._chance([*moves, move.with_clues(clues)], joint, branch) for clues, joint in self._shown(move, weights)
        )

    def _proposed(self, moves: list[NoisyMove]) -> NoisyMove:
        """Return what the entry proposes in a game that began with these moves."""
        self.player.prepare()
        proposal = self.player.first_move(self._n_games, self.allowance)
        self._n_games += 1
        for move in moves:
            if self._checked(proposal).proposal != move.proposal:
                raise UserError(f"it proposed {move.proposal} in one game and {proposal} in another that began alike.")
            proposal = self.player.next_move(move)
        return self._checked(proposal)

    def _checked(self, proposal: Any) -> NoisyMove:
        """Return the proposal as a legal move of the game, which is a noisy one."""
        (move,) = noisy([self.game.check(proposal)])
        return move

    def _chance_of_last(self, moves: list[NoisyMove], last: NoisyMove, weights: np.ndarray, branch: Branch) -> float:
        """Return how likely the moves and a win with this last guess are, once the entry has played on as it must.

        It is shown the true clue of the likeliest word.
        """
        row, total, length = self.rows[last.guess], weights.sum(), self.words.length
        code = int(self.words.matrix[row, weights.argmax()])
        answer = self._checked(self.player.next_move(last.with_clues(decode(code, length))))
        if not answer.is_answer:
            raise UserError(f"this entry makes more than {MAX_FOLLOWED + 1} guesses: too many games to play them all.")
        after = updated(weights, self.words.matrix[row], code, last.epsilon, length)
        if after[self.columns[answer.guess]] < after.max() * (1 - ALIKE):
            played = ", ".join(f"{move.guess} {move.epsilon:g} {move.clues}".strip() for move in [*moves, last])
            raise UserError(
                f"after {played} it proposes {answer.guess!r}, which is not the likeliest word: an entry of three "
                "guesses has to propose that one to be enumerated. Without --exact, games are played."
            )
        branch.budget = max(branch.budget, total_epsilon([*moves, last]))
        branch.n_guesses = MAX_FOLLOWED + 1
        branch.last_guesses[moves[1].clues] = last.proposal
        won = win_chances(self.words.columns[:, row : row + 1], weights / total, last.epsilon, length)
        return float(won[0] * total)


def _put_together(branches: dict[str, Branch]) -> Enumerated:
    return Enumerated(
        sum(branch.chance for branch in branches.values()),
        max(branch.budget for branch in branches.values()),
        max(branch.n_guesses for branch in branches.values()),
        {(first, second): last for first, branch in branches.items() for second, last in branch.last_guesses.items()},
    )
